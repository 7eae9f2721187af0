/* The index's words: its tokenizer, and the vocabulary for expanding prefixes.
 *
 * FTS5 answers prefixes of up to three letters from a special index. For a longer one it merges all
 * rows of all matching words before returning the first — a tenth of a second if half a million
 * nodes say "winter". So the longer words are kept in a table, and a prefix is expanded to the few
 * words it may become, each read row by row. Words are noted while texts are indexed; a hash table
 * with one word per slot remembers known ones, so that the common words cost nothing. */
#include "inside.h"

#include <loom/base/utf8.h>

#include <loom/base/mix.h>
#include <loom/text/words.h>

#define INDEXED_CHARS 3     /* prefixes up to this length have an index */
#define KNOWN_SLOTS   65536 /* a power of two */
#define FRESH_MAX     ((size_t)256 << 20)
/* The most words a prefix may expand to; each costs an index lookup. */
#define GROWN_MOST 64

struct tokenizer {
	struct loom_search *search;
	struct loom_buf word;
};

static int make_tokenizer(void *ctx, const char **args, int count, Fts5Tokenizer **out)
{
	struct tokenizer *tokenizer = loom_alloc(sizeof *tokenizer);

	(void)args;
	(void)count;
	tokenizer->search = ctx;
	loom_buf_init(&tokenizer->word, 4096);
	*out = (Fts5Tokenizer *)tokenizer;
	return SQLITE_OK;
}

static void drop_tokenizer(Fts5Tokenizer *handle)
{
	struct tokenizer *tokenizer = (struct tokenizer *)handle;

	loom_buf_fini(&tokenizer->word);
	free(tokenizer);
}

static uint64_t hash_of(struct loom_str word)
{
	uint64_t hash = word.n;

	for (size_t i = 0; i < word.n; i++)
		hash = hash * 0x100000001b3 ^ (unsigned char)word.p[i];
	/* 0 marks an empty slot. */
	return model_mix64(hash) | 1;
}

static void note(struct loom_search *search, struct loom_str word)
{
	uint64_t hash = hash_of(word);
	uint64_t *slot;

	LOOM_ASSERT(word.n > INDEXED_CHARS);
	if (!search->known)
		search->known = loom_alloc(KNOWN_SLOTS * sizeof *search->known);
	slot = &search->known[hash / 2 % KNOWN_SLOTS];
	if (*slot == hash)
		return;
	*slot = hash;
	loom_buf_add(&search->fresh, word);
	loom_buf_addc(&search->fresh, '\0');
}

typedef int token_fn(void *ctx, int flags, const char *token, int n, int from, int to);

static int tokenize(Fts5Tokenizer *handle, void *ctx, int why, const char *text, int n,
		    token_fn *found)
{
	struct tokenizer *tokenizer = (struct tokenizer *)handle;
	struct loom_str s = loom_str_make(text, n > 0 ? (size_t)n : 0);
	size_t at = 0;
	size_t from = 0;
	int code = SQLITE_OK;

	LOOM_ASSERT(found);
	while (code == SQLITE_OK && loom_word_next(s, &at, &from, &tokenizer->word)) {
		struct loom_str word = loom_buf_str(&tokenizer->word);

		if (why & FTS5_TOKENIZE_DOCUMENT && word.n > INDEXED_CHARS)
			note(tokenizer->search, word);
		code = found(ctx, 0, word.p, (int)word.n, (int)from, (int)at);
	}
	return code;
}

enum loom_status model_words_register(struct loom_search *search, struct loom_err *err)
{
	/* Never modified, but SQLite does not take a const. */
	static fts5_tokenizer functions = {make_tokenizer, drop_tokenizer, tokenize};
	struct loom_store *index = &search->index;
	sqlite3_stmt *stmt = NULL;
	fts5_api *api = NULL;
	int code = sqlite3_prepare_v2(index->db, "SELECT fts5(?1)", -1, &stmt, NULL);

	LOOM_ASSERT(search->index.db);
	if (code == SQLITE_OK)
		code = sqlite3_bind_pointer(stmt, 1, (void *)&api, "fts5_api_ptr", NULL);
	if (code == SQLITE_OK)
		sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	if (!api)
		return loom_fail(err, LOOM_FAULT, "this SQLite has no full-text search (FTS5)");
	loom_buf_init(&search->fresh, FRESH_MAX);
	code = api->xCreateTokenizer(api, "loom", search, &functions, NULL);
	return code == SQLITE_OK ? LOOM_OK : model_sqlite_fail(index, code, err);
}

enum loom_status model_words_keep(struct loom_search *search, struct loom_err *err)
{
	struct loom_str rest = loom_buf_str(&search->fresh);
	struct loom_str word;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && loom_str_cut(&rest, '\0', &word) && word.n) {
		struct query q = model_query(&search->index,
					     "INSERT OR IGNORE INTO word(term) VALUES(?)", err);

		model_bind_text(&q, word);
		status = model_run(&q);
	}
	loom_buf_clear(&search->fresh);
	return status;
}

void model_words_forget(struct loom_search *search)
{
	loom_buf_fini(&search->fresh);
	free(search->known);
	search->known = NULL;
}

/* Appends the words that begin with `stem`, as alternatives; *out_count is GROWN_MOST + 1 if there
 * are more. */
static enum loom_status add_grown(struct loom_search *search, struct loom_str stem,
				  struct loom_buf *out, size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(&search->index,
				     "SELECT term FROM word WHERE term >= ?1 AND "
				     "term < ?1 || char(0x10FFFF) LIMIT ?2",
				     err);

	LOOM_ASSERT(stem.n > 0 && out_count);
	*out_count = 0;
	model_bind_text(&q, stem);
	model_bind(&q, GROWN_MOST + 1);
	while (model_row(&q)) {
		loom_buf_adds(out, *out_count ? " OR \"" : "(\"");
		loom_buf_add(out, model_borrow(&q, 0));
		loom_buf_addc(out, '"');
		++*out_count;
	}
	loom_buf_addc(out, ')');
	return model_done(&q);
}

enum loom_status model_words_growing(struct loom_search *search, struct loom_str phrase,
				     struct loom_buf *out, struct loom_err *err)
{
	struct loom_str stem = loom_str_sub(phrase, 1, phrase.n - 2);
	size_t before = out->n;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(phrase.n >= 2 && phrase.p[0] == '"');
	if (loom_utf8_length(stem) > INDEXED_CHARS && !memchr(stem.p, ' ', stem.n))
		status = add_grown(search, stem, out, &count, err);
	if (status != LOOM_OK || (count > 0 && count <= GROWN_MOST))
		return status;
	loom_buf_cut(out, before);
	loom_buf_add(out, phrase);
	loom_buf_adds(out, " *");
	return LOOM_OK;
}
