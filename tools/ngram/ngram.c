/* How the embedded model reads: text to tokens, tokens to counts.
 *
 * A token is a word or a mark with its leading blank, a run of line feeds, or a single blank;
 * joined they are the text again. Scripts without blanks are read character by character. Each
 * distinct word is also read letter by letter, so that new words can be spelled. */
#include <loom/ngram/grams.h>

#include <loom/base/utf8.h>

#define WORD_MAX 40 /* characters */

static bool is_mark(uint32_t cp)
{
	if (cp < 0x80)
		return !((cp >= '0' && cp <= '9') || (cp >= 'A' && cp <= 'Z') ||
			 (cp >= 'a' && cp <= 'z') || cp == '_' || cp == '\'');
	return cp == LOOM_CP_BAD || cp < 0xC0 || (cp >= 0x2000 && cp < 0x2070 && cp != 0x2019) ||
	       (cp >= 0x2190 && cp < 0x2C00) || (cp >= 0x3000 && cp < 0x3040);
}

/* Characters of scripts that put no blank between words, and everything above them. */
static bool stands_alone(uint32_t cp)
{
	return cp != LOOM_CP_BAD && cp >= 0x2E80 && !(cp >= 0xAC00 && cp < 0xD7A4);
}

static size_t word_end(struct loom_str text, size_t at)
{
	for (int count = 0; at < text.n && count < WORD_MAX; count++) {
		size_t next = at;
		uint32_t cp = loom_utf8_next(text, &next);

		if (is_mark(cp) || stands_alone(cp))
			break;
		at = next;
	}
	return at;
}

bool ngram_token(struct loom_str *rest, struct loom_str *out)
{
	struct loom_str text = *rest;
	size_t start = text.n > 1 && text.p[0] == ' ' && text.p[1] != ' ' && text.p[1] != '\n';
	size_t end = start;
	uint32_t cp = 0;

	if (!text.n)
		return false;
	cp = loom_utf8_next(text, &end);
	if (cp == '\n')
		while (end < text.n && text.p[end] == '\n')
			end++;
	else if (!is_mark(cp) && !stands_alone(cp))
		end = word_end(text, start);
	*out = loom_str_sub(text, 0, end);
	*rest = loom_str_sub(text, end, SIZE_MAX);
	return true;
}

bool ngram_is_word(struct loom_str token)
{
	size_t at = token.n > 1 && token.p[0] == ' ';
	uint32_t cp = token.n ? loom_utf8_next(token, &at) : ' ';

	return !is_mark(cp) && !stands_alone(cp);
}

struct loom_ngram *loom_ngram_create_empty(void)
{
	struct loom_ngram *ngram = loom_alloc(sizeof *ngram);

	ngram->arena = loom_arena_create();
	ngram->words.arena = ngram->letters.arena = ngram->arena;
	ngram->grams.order = NGRAM_ORDER;
	ngram->spelling.order = NGRAM_LETTER_ORDER;
	(void)ngram_words_put(&ngram->letters, LOOM_STR(""));
	return ngram;
}

struct loom_ngram *loom_ngram_create(void)
{
	struct loom_ngram *ngram = loom_ngram_create_empty();
	struct loom_buf corpus = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_ngram_corpus(&corpus);
	loom_ngram_learn(ngram, loom_buf_str(&corpus));
	loom_buf_fini(&corpus);
	return ngram;
}

void loom_ngram_destroy(struct loom_ngram *ngram)
{
	if (!ngram)
		return;
	ngram_words_fini(&ngram->words);
	ngram_words_fini(&ngram->letters);
	ngram_gram_fini(&ngram->grams);
	ngram_gram_fini(&ngram->spelling);
	loom_arena_destroy(ngram->arena);
	free(ngram);
}

static void learn_spelling(struct loom_ngram *ngram, struct loom_str token)
{
	uint32_t history[WORD_MAX + 2];
	size_t n = 0;
	size_t at = token.p[0] == ' ';

	while (at < token.n && n < WORD_MAX) {
		size_t from = at;
		uint32_t letter = 0;

		(void)loom_utf8_next(token, &at);
		letter = ngram_words_put(&ngram->letters, loom_str_sub(token, from, at - from));
		ngram_gram_add(&ngram->spelling, history, n, letter);
		history[n++] = letter;
	}
	ngram_gram_add(&ngram->spelling, history, n, 0);
}

void loom_ngram_learn(struct loom_ngram *ngram, struct loom_str text)
{
	uint32_t history[NGRAM_ORDER];
	size_t n = 0;
	struct loom_str token;

	while (ngram_token(&text, &token)) {
		size_t known = ngram->words.count;
		uint32_t word = ngram_words_put(&ngram->words, token);

		if (word == known && ngram_is_word(token))
			learn_spelling(ngram, token);
		ngram_gram_add(&ngram->grams, history, n, word);
		if (n == NGRAM_ORDER - 1)
			memmove(history, history + 1, --n * sizeof *history);
		history[n++] = word;
	}
}
