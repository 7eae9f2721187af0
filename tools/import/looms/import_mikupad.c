/* Mikupad: one object whose values are JSON texts. It has no branches: a chain of what the person
 * wrote and of runs of the model's tokens, with their probabilities. */
#include <loom/import/reader_kit.h>

static bool is_text_member(const struct import_source *source, const char *key)
{
	return import_has(source, key, LOOM_JTYPE_STRING);
}

static bool recognise(const struct import_source *source)
{
	struct loom_str prompt = import_member(source, "prompt");

	return source->json && loom_jval_type(prompt) == LOOM_JTYPE_STRING &&
	       (is_text_member(source, "endpointAPIKey") ||
		is_text_member(source, "memoryTokens") ||
		is_text_member(source, "authorNoteTokens") || is_text_member(source, "endpoint")) &&
	       prompt.n > 4 && prompt.p[1] == '[';
}

/* A member's value, decoded a second time; absent if that is not JSON. A value that is not a string
 * is taken as it is. */
static struct loom_str inner(struct loom_import *import, const struct import_source *source,
			     const char *key)
{
	struct loom_str text = import_member(source, key);
	struct import_pull *pull = NULL;
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	enum loom_status status = LOOM_OK;

	if (loom_jval_type(text) != LOOM_JTYPE_STRING)
		return text;
	pull = loom_alloc(sizeof *pull);
	text = loom_arena_str(import_kept(import), import_string(import, text));
	import_pull_init(pull, import, text);
	while (status == LOOM_OK && token.kind != LOOM_JSON_DONE)
		status = loom_json_read(&pull->reader, &token, NULL);
	free(pull);
	return status == LOOM_OK ? loom_jval_of(text) : loom_str_make(NULL, 0);
}

/* ---- the chain ---- */

struct chain {
	struct loom_import *import;
	struct loom_buf text;
	struct loom_buf tokens; /* in the form of our records: the inside of a list */
	struct loom_buf chunks; /* as in the file, if they have more than text */
	bool by_model;
	uint64_t count;
	struct loom_str model;
};

static enum loom_status flush(struct chain *chain, struct loom_err *err)
{
	struct loom_arena *arena = import_scratch(chain->import);
	struct import_node node = {
		.id = loom_arena_format(arena, "%llu", (unsigned long long)chain->count + 1),
		.anonymous = true,
		.role = chain->by_model ? IMPORT_MODEL : IMPORT_HUMAN,
		.text = loom_buf_str(&chain->text),
		.model = chain->by_model ? chain->model : LOOM_STR(""),
	};
	struct loom_buf record = IMPORT_BUF(chain->import);
	enum loom_status status = LOOM_OK;

	if (!chain->text.n && !chain->chunks.n && chain->count)
		return LOOM_OK;
	if (chain->count)
		node.parent = loom_arena_format(arena, "%llu", (unsigned long long)chain->count);
	if (chain->chunks.n && chain->by_model)
		loom_buf_addf(&record, "{\"logprobs\":[%s],\"tokens\":[%s]}",
			      loom_buf_cstr(&chain->tokens), loom_buf_cstr(&chain->chunks));
	else if (chain->chunks.n)
		loom_buf_addf(&record, "{\"chunks\":[%s]}", loom_buf_cstr(&chain->chunks));
	if (chain->by_model)
		node.generation = loom_buf_str(&record);
	else
		node.extra = loom_buf_str(&record);
	status = import_node(chain->import, &node, err);
	chain->count++;
	loom_buf_clear(&chain->text);
	loom_buf_clear(&chain->tokens);
	loom_buf_clear(&chain->chunks);
	loom_buf_fini(&record);
	return status;
}

static void keep_chunk(struct chain *chain, struct loom_str chunk)
{
	if (chain->chunks.n)
		loom_buf_addc(&chain->chunks, ',');
	import_keep(chain->import, chunk, &chain->chunks);
}

/* Adds a token of the model with its alternatives, as far as the file has them. */
static void take_token(struct chain *chain, struct loom_str chunk)
{
	struct loom_import *import = chain->import;
	struct loom_str given = loom_jval_get(chunk, "completion_probabilities");
	struct loom_jwalk positions = loom_jval_walk(given);
	struct loom_str first = {NULL, 0};
	struct loom_str other;
	struct loom_jwalk others;

	import_token(import, loom_jval_get(chunk, "content"),
		     import_log(import, loom_jval_get(chunk, "prob")), &chain->tokens);
	(void)loom_jwalk_next(&positions, NULL, &first);
	others = loom_jval_walk(loom_jval_get(first, "probs"));
	while (!others.object && loom_jwalk_next(&others, NULL, &other))
		import_token_other(import, loom_jval_get(other, "tok_str"),
				   import_log(import, loom_jval_get(other, "prob")),
				   &chain->tokens);
	import_token_end(&chain->tokens);
}

/* Whether a chunk has anything that is not taken. */
static bool is_odd_chunk(struct loom_import *import, struct loom_str chunk)
{
	static const struct import_fields fields = {
		.where = "chunk",
		.used = "type:s content:s",
		.known = "prob:n completion_probabilities:a id id_slot stop index tokens model "
			 "multimodal"};

	return import_is_odd(import, "chunk", chunk, "o") || import_unsaid(import, chunk, &fields);
}

static enum loom_status take_chunk(struct chain *chain, struct loom_str chunk, struct loom_err *err)
{
	const bool by_model = loom_jval_is_null(loom_jval_get(chunk, "type"));
	enum loom_status status = LOOM_OK;

	if (chain->count + (chain->text.n > 0) > 0 && by_model != chain->by_model)
		status = flush(chain, err);
	chain->by_model = by_model;
	loom_buf_add(&chain->text, import_text(chain->import, chunk, "content"));
	if (by_model)
		take_token(chain, chunk);
	if (is_odd_chunk(chain->import, chunk))
		keep_chunk(chain, chunk);
	return status;
}

static enum loom_status read_chain(struct chain *chain, struct loom_str prompt,
				   struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(prompt);
	struct loom_str chunk;
	enum loom_status status = LOOM_OK;

	while (!walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &chunk)) {
		status = take_chunk(chain, chunk, err);
		loom_arena_reset(import_scratch(chain->import));
	}
	return status == LOOM_OK ? flush(chain, err) : status;
}

/* There is one path only, and its end is the position. */
static enum loom_status stand_at_end(const struct chain *chain, struct loom_err *err)
{
	struct import_mark current = {
		.kind = IMPORT_CURRENT,
		.id = loom_arena_format(import_scratch(chain->import), "%llu",
					(unsigned long long)chain->count),
	};

	return import_mark(chain->import, &current, err);
}

/* ---- other members ---- */

static enum loom_status put_beside(struct loom_import *import, struct loom_str title,
				   const char *what, struct loom_str text, struct loom_err *err)
{
	struct loom_str name =
		loom_arena_format(import_kept(import), "%.*s %s", LOOM_STR_ARG(title), what);

	return text.n ? import_document(import, name, text, err) : LOOM_OK;
}

static enum loom_status put_world(struct loom_import *import, struct loom_str title,
				  struct loom_str world, struct loom_err *err)
{
	struct loom_buf text = IMPORT_BUF(import);
	struct loom_str entries = loom_jval_get(world, "entries");
	enum loom_status status = LOOM_OK;

	if (loom_jval_count(entries)) {
		import_keep(import, world, &text);
		status = put_beside(import, title, "world info", loom_buf_str(&text), err);
	}
	loom_buf_fini(&text);
	return status;
}

/* Keeps the other members beside the text that became a document. */
static void keep_around(struct loom_import *import, const struct import_source *source,
			const char *key, const struct import_fields *fields, struct loom_buf *out)
{
	import_rest_as(import, key, inner(import, source, key), fields, out);
}

/* Keeps a member, decoded a second time if that gives a structure, so that unknown members in it
 * are noted too. */
static void keep_member(struct loom_import *import, const struct import_source *source,
			const struct import_member *member, struct loom_buf *out)
{
	static const struct import_fields fields = {
		.where = "session",
		.used = "name:s prompt:a memoryTokens:o authorNoteTokens:o worldInfo:o",
		.known = "authorNoteDepth endpoint endpointAPI endpointModel seed temperature "
			 "topK topP minP maxPredictTokens stoppingStrings"};
	struct import_member read = *member;
	char key[64];

	if (loom_jval_type(member->value) == LOOM_JTYPE_STRING && member->key.n < sizeof key) {
		struct loom_str again;

		memcpy(key, member->key.p, member->key.n);
		key[member->key.n] = '\0';
		again = inner(import, source, key);
		if (loom_jval_type(again) == LOOM_JTYPE_OBJECT ||
		    loom_jval_type(again) == LOOM_JTYPE_ARRAY ||
		    (again.p && import_is_strange(&fields, member)))
			read.value = again;
	}
	import_rest_member(import, &read, &fields, out);
}

static void note_rest(struct loom_import *import, const struct import_source *source)
{
	static const struct import_fields note = {.where = "note",
						  .used = "text:s",
						  .known = "contextOrder prefix suffix"};
	static const struct import_fields world = {.where = "world",
						   .used = "entries:ao",
						   .known = "mikuPediaVersion prefix suffix"};
	struct loom_buf rest = IMPORT_BUF(import);

	for (size_t i = 0; i < source->member_count; i++)
		keep_member(import, source, &source->members[i], &rest);
	keep_around(import, source, "memoryTokens", &note, &rest);
	keep_around(import, source, "authorNoteTokens", &note, &rest);
	/* With entries it became a document, kept whole. */
	if (!loom_jval_count(loom_jval_get(inner(import, source, "worldInfo"), "entries")))
		keep_around(import, source, "worldInfo", &world, &rest);
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct chain chain = {.import = import};
	struct loom_str title = import_string(import, inner(import, source, "name"));
	struct import_tree tree = {.title = title, .mode = LOOM_BUFFER};
	enum loom_status status;

	if (!title.n)
		title = import_string(import, import_member(source, "name"));
	if (!title.n)
		title = source->name;
	tree.title = title = loom_arena_str(import_kept(import), title);
	loom_buf_init_on(&chain.text, SIZE_MAX / 4, import_pages(import));
	loom_buf_init_on(&chain.tokens, SIZE_MAX / 4, import_pages(import));
	loom_buf_init_on(&chain.chunks, SIZE_MAX / 4, import_pages(import));
	chain.model = import_string(import, inner(import, source, "endpointModel"));
	chain.model = loom_arena_str(import_kept(import), chain.model);
	import_begin(import, &tree);
	note_rest(import, source);
	status = read_chain(&chain, inner(import, source, "prompt"), err);
	if (status == LOOM_OK)
		status = stand_at_end(&chain, err);
	if (status == LOOM_OK)
		status = put_beside(import, title, "memory",
				    import_text(import, inner(import, source, "memoryTokens"),
						"text"),
				    err);
	if (status == LOOM_OK)
		status = put_beside(import, title, "author's note",
				    import_text(import, inner(import, source, "authorNoteTokens"),
						"text"),
				    err);
	if (status == LOOM_OK)
		status = put_world(import, title, inner(import, source, "worldInfo"), err);
	loom_buf_fini(&chain.text);
	loom_buf_fini(&chain.tokens);
	loom_buf_fini(&chain.chunks);
	return status;
}

const struct import_reader import_mikupad = {
	.name = "mikupad",
	.title = "a session of Mikupad",
	.recognise = recognise,
	.read = read,
};
