/* Loom by socketteer (pyloom), three generations, and its separate files of model responses.
 *
 * A node's text is a segment and the document their concatenation, so the tree is a buffer. A
 * hoisting node is replaced by the nodes it hides (import_nest.c). Templates are plain text here.
 */
#include <loom/import/reader_kit.h>

enum key { ID, TEXT, META, GENERATION, TAGS, BOOKMARK, ARCHIVED, CANONICAL, NOTES, MEMORY, KEYS };

static const char *const keys[KEYS] = {
	[ID] = "id",
	[TEXT] = "text",
	[META] = "meta",
	[GENERATION] = "generation",
	[TAGS] = "tags",
	[BOOKMARK] = "bookmark",
	[ARCHIVED] = "archived",
	[CANONICAL] = "canonical",
	[NOTES] = "notes",
	[MEMORY] = "memory",
};

/* The number of nested hoists to search for the tree's name. */
enum { HOISTS_MAX = 64 };

struct context {
	/* model_responses of this file, or of an earlier one. */
	struct import_index responses;
	uint64_t *taken; /* for each, which of its first 64 completions some node has */
	bool own;        /* they are in this file, so no other tree uses them */
	struct loom_str title;
};

static bool is_node(struct loom_str value)
{
	return loom_jval_type(value) == LOOM_JTYPE_OBJECT &&
	       loom_jval_type(loom_jval_get(value, "text")) == LOOM_JTYPE_STRING &&
	       loom_jval_type(loom_jval_get(value, "children")) == LOOM_JTYPE_ARRAY;
}

static bool recognise(const struct import_source *source)
{
	struct loom_str root = import_member(source, "root");

	if (!source->json)
		return false;
	if (loom_jval_type(root) == LOOM_JTYPE_OBJECT)
		return import_has(source, "root", LOOM_JTYPE_OBJECT) &&
		       loom_jval_type(loom_jval_get(root, "text")) == LOOM_JTYPE_STRING;
	return is_node(source->first);
}

/* ---- generations ---- */

static void add_json(struct loom_import *import, struct loom_buf *out, const char *key,
		     struct loom_str value)
{
	if (loom_jval_is_null(value))
		return;
	loom_buf_addc(out, out->n ? ',' : '{');
	loom_json_quote(loom_str_of(key), out);
	loom_buf_addc(out, ':');
	import_keep(import, value, out);
}

/* Adds a value only if it has that type; otherwise import_rest handles it. */
static void add_of(struct loom_import *import, struct loom_buf *out, const char *key,
		   struct loom_str value, enum loom_jtype type)
{
	if (loom_jval_type(value) == type)
		add_json(import, out, key, value);
}

/* Adds the generated text, if the node's text differs by now. */
static void add_was(struct loom_import *import, struct loom_buf *out, struct loom_str was,
		    struct loom_str text)
{
	if (!loom_str_eq(import_string(import, was), text))
		add_of(import, out, "text", was, LOOM_JTYPE_STRING);
}

static struct loom_str finish_record(struct loom_import *import, struct loom_buf *out)
{
	struct loom_str made;

	if (out->n)
		loom_buf_addc(out, '}');
	made = loom_arena_buf(import_scratch(import), out);
	loom_buf_fini(out);
	return made;
}

/* Adds the members of `object` that have no other place. */
static void add_rest(struct loom_import *import, struct loom_buf *out, struct loom_str object,
		     const struct import_fields *fields)
{
	struct loom_buf inside = IMPORT_BUF(import);

	import_rest(import, object, fields, &inside);
	if (inside.n)
		loom_buf_addf(out, "%c%s", out->n ? ',' : '{', loom_buf_cstr(&inside));
	loom_buf_fini(&inside);
}

/* Adds the members of `object` that have no other place, as an object of their own. */
static void add_rest_as(struct loom_import *import, struct loom_buf *out, const char *key,
			struct loom_str object, const struct import_fields *fields)
{
	struct loom_buf inside = IMPORT_BUF(import);

	import_rest(import, object, fields, &inside);
	if (inside.n)
		loom_buf_addf(out, "%c\"%s\":{%s}", out->n ? ',' : '{', key,
			      loom_buf_cstr(&inside));
	loom_buf_fini(&inside);
}

/* Whether an object has tokens with log probabilities beyond the known ones. */
static bool are_odd(struct loom_import *import, const char *what, struct loom_str object)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str value;
	bool odd = import_is_odd(import, what, object, "o");

	while (walk.object && loom_jwalk_next(&walk, NULL, &value))
		odd |= import_is_odd(import, what, value, "n");
	return odd;
}

/* Whether the lists continue after the last token. */
static bool go_on(struct loom_import *import, struct loom_jwalk *own, struct loom_jwalk *tops)
{
	struct loom_str item;
	bool more = !own->object && loom_jwalk_next(own, NULL, &item);

	more |= !tops->object && loom_jwalk_next(tops, NULL, &item);
	if (more)
		import_note(import, IMPORT_NOT_UNDERSTOOD, "logprobs without a token");
	return more;
}

/* Adds parallel lists: tokens, their log probabilities, and objects of alternatives. */
static void add_lists(struct loom_import *import, struct loom_buf *out, struct loom_str logprobs)
{
	static const struct import_fields fields = {
		.where = "logprobs",
		.used = "tokens:a token_logprobs:a top_logprobs:a",
		.known = "text_offset",
	};
	struct loom_jwalk tokens = loom_jval_walk(loom_jval_get(logprobs, "tokens"));
	struct loom_jwalk own = loom_jval_walk(loom_jval_get(logprobs, "token_logprobs"));
	struct loom_jwalk tops = loom_jval_walk(loom_jval_get(logprobs, "top_logprobs"));
	struct loom_buf list = IMPORT_BUF(import);
	struct loom_str token;
	bool odd = false;

	while (!tokens.object && loom_jwalk_next(&tokens, NULL, &token)) {
		struct loom_str logprob = {NULL, 0};
		struct loom_str top = {NULL, 0};

		if (!own.object)
			(void)loom_jwalk_next(&own, NULL, &logprob);
		if (!tops.object)
			(void)loom_jwalk_next(&tops, NULL, &top);
		odd |= import_is_odd(import, "token", token, "s");
		odd |= import_is_odd(import, "logprob", logprob, "n");
		odd |= are_odd(import, "top logprob", top);
		import_token(import, token, logprob, &list);
		import_token_others(import, top, &list);
		import_token_end(&list);
	}
	if (list.n)
		loom_buf_addf(out, "%c\"logprobs\":[%s]", out->n ? ',' : '{', loom_buf_cstr(&list));
	loom_buf_fini(&list);
	if (go_on(import, &own, &tops) || odd)
		add_json(import, out, "logprobs_given", logprobs);
	else
		add_rest(import, out, logprobs, &fields);
}

/* Generation two: the node has the whole record. `text` is the node's own; a later edit makes it
 * differ from the generated text. */
static struct loom_str record_of_meta(struct loom_import *import, struct loom_str generation,
				      struct loom_str text)
{
	static const struct import_fields fields = {
		.where = "generation",
		.used = "model:s finish_reason:s index:n logprobs:o prompt text:s",
	};
	struct loom_buf out = IMPORT_BUF(import);

	add_of(import, &out, "model", loom_jval_get(generation, "model"), LOOM_JTYPE_STRING);
	add_of(import, &out, "finish", loom_jval_get(generation, "finish_reason"),
	       LOOM_JTYPE_STRING);
	add_of(import, &out, "choice", loom_jval_get(generation, "index"), LOOM_JTYPE_NUMBER);
	add_lists(import, &out, loom_jval_get(generation, "logprobs"));
	add_json(import, &out, "prompt", loom_jval_get(generation, "prompt"));
	add_was(import, &out, loom_jval_get(generation, "text"), text);
	add_rest(import, &out, generation, &fields);
	return finish_record(import, &out);
}

static size_t taken_size(const struct context *ctx)
{
	return (ctx->responses.count + 1) * sizeof *ctx->taken;
}

static struct loom_str response_of(const struct context *ctx, struct loom_str id, int64_t index)
{
	struct loom_str response;
	const size_t at = import_index_find(&ctx->responses, id, &response);

	if (at != SIZE_MAX && index >= 0)
		ctx->taken[at] |= UINT64_C(1) << (index < 63 ? index : 63);
	return response;
}

static struct loom_str item_at(struct loom_str list, int64_t index)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item = {NULL, 0};

	while (!walk.object && loom_jwalk_next(&walk, NULL, &item))
		if (index-- == 0)
			return item;
	return loom_str_make(NULL, 0);
}

/* `name` is the inside of a JSON string. */
static void add_untaken(struct loom_import *import, struct loom_buf *out, struct loom_str name,
			struct loom_str value)
{
	loom_buf_addf(out, "%s\"%.*s\":", out->n ? "," : "\"responses\":{", LOOM_STR_ARG(name));
	import_keep(import, value, out);
}

static void keep_completions(struct loom_import *import, const struct import_member *response,
			     uint64_t taken, struct loom_buf *out)
{
	struct loom_str list = loom_jval_get(response->value, "completions");
	const size_t count = loom_jval_count(list);

	for (size_t k = 0; k < count && k < 64; k++) {
		if (taken >> k & 1)
			continue;
		import_note(import, IMPORT_NOT_UNDERSTOOD, "a completion that no node uses");
		add_untaken(import, out,
			    loom_arena_format(import_scratch(import), "%.*s, choice %zu",
					      LOOM_STR_ARG(response->key), k),
			    item_at(list, (int64_t)k));
	}
}

/* Keeps generated texts without a node: it was deleted, or belongs to another tree. */
static void keep_untaken(struct loom_import *import, const struct context *ctx)
{
	struct loom_jwalk walk = loom_jval_walk(ctx->responses.object);
	struct loom_buf out = IMPORT_BUF(import);
	struct import_member response;
	struct loom_str key;
	struct loom_str same;
	uint64_t taken = 0;

	while (walk.object && loom_jwalk_next(&walk, &key, &response.value)) {
		response.key = loom_str_sub(key, 1, key.n - 2);
		taken = ctx->taken[import_index_find(&ctx->responses, response.key, &same)];
		if (taken) {
			keep_completions(import, &response, taken, &out);
		} else if (ctx->own) {
			import_note(import, IMPORT_NOT_UNDERSTOOD,
				    "a model response that no node uses");
			add_untaken(import, &out, response.key, response.value);
		}
	}
	if (out.n)
		loom_buf_addc(&out, '}');
	import_beside_tree(import, loom_buf_str(&out));
	loom_buf_fini(&out);
}

/* Whether a token has anything that our records have no place for. */
static bool is_odd_token(struct loom_import *import, struct loom_str item)
{
	static const struct import_fields fields = {
		.where = "token", .used = "generatedToken:o position counterfactuals:o"};
	static const struct import_fields inner = {.where = "generated token",
						   .used = "token:s logprob:n"};
	struct loom_str others = loom_jval_get(item, "counterfactuals");
	bool odd = import_is_odd(import, "token", item, "o");

	odd |= import_unsaid(import, item, &fields);
	odd |= import_unsaid(import, loom_jval_get(item, "generatedToken"), &inner);
	if (loom_jval_type(others) == LOOM_JTYPE_OBJECT)
		odd |= are_odd(import, "counterfactual", others);
	return odd;
}

/* Adds tokens given as objects with their positions, and keeps them whole if they have more. */
static void add_tokens(struct loom_import *import, struct loom_buf *out, const char *key,
		       struct loom_str tokens)
{
	struct loom_jwalk walk = loom_jval_walk(tokens);
	struct loom_buf list = IMPORT_BUF(import);
	struct loom_buf places = IMPORT_BUF(import);
	struct loom_str item;
	bool odd = false;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &item)) {
		struct loom_str own = loom_jval_get(item, "generatedToken");
		struct loom_str place = loom_jval_get(item, "position");

		import_token(import, loom_jval_get(own, "token"), loom_jval_get(own, "logprob"),
			     &list);
		import_token_others(import, loom_jval_get(item, "counterfactuals"), &list);
		import_token_end(&list);
		loom_buf_adds(&places, places.n ? "," : "");
		import_keep(import, place.p ? place : LOOM_STR("null"), &places);
		odd |= is_odd_token(import, item);
	}
	if (list.n)
		loom_buf_addf(out, "%c\"%s\":[%s],\"%s_at\":[%s]", out->n ? ',' : '{', key,
			      loom_buf_cstr(&list), key, loom_buf_cstr(&places));
	if (odd) {
		loom_buf_addf(out, ",\"%s_given\":", key);
		import_keep(import, tokens, out);
	}
	loom_buf_fini(&list);
	loom_buf_fini(&places);
}

static void add_response(struct loom_import *import, struct loom_buf *out, struct loom_str response,
			 struct loom_str completion)
{
	static const struct import_fields fields = {
		.where = "response",
		.used = "id:s model:s timestamp prompt:o completions:a",
	};
	static const struct import_fields inner = {
		.where = "completion",
		.used = "text:s finishReason:s tokens:a",
	};
	static const struct import_fields given = {.where = "prompt", .used = "text:s tokens:a"};
	struct loom_str prompt = loom_jval_get(response, "prompt");

	add_of(import, out, "model", loom_jval_get(response, "model"), LOOM_JTYPE_STRING);
	add_of(import, out, "finish", loom_jval_get(completion, "finishReason"), LOOM_JTYPE_STRING);
	add_tokens(import, out, "logprobs", loom_jval_get(completion, "tokens"));
	add_of(import, out, "prompt", loom_jval_get(prompt, "text"), LOOM_JTYPE_STRING);
	add_tokens(import, out, "prompt_logprobs", loom_jval_get(prompt, "tokens"));
	add_json(import, out, "timestamp", loom_jval_get(response, "timestamp"));
	add_rest(import, out, response, &fields);
	add_rest(import, out, completion, &inner);
	add_rest_as(import, out, "prompt_beside", prompt, &given);
	if (import_is_odd(import, "completion", completion, "o"))
		add_json(import, out, "completion", completion);
}

/* Generation three: the node names a response, which may be in another file. */
static struct loom_str record_of_response(struct loom_import *import, const struct context *ctx,
					  struct loom_str generation, struct loom_str text)
{
	static const struct import_fields fields = {.where = "generation", .used = "id:s index:n"};
	struct loom_buf out = IMPORT_BUF(import);
	struct loom_str id = import_text(import, generation, "id");
	struct loom_str response;
	struct loom_str completion;
	int64_t index = 0;

	(void)loom_jval_int(loom_jval_get(generation, "index"), &index);
	response = response_of(ctx, id, index);
	completion = item_at(loom_jval_get(response, "completions"), index);
	add_of(import, &out, "choice", loom_jval_get(generation, "index"), LOOM_JTYPE_NUMBER);
	add_of(import, &out, "response", loom_jval_get(generation, "id"), LOOM_JTYPE_STRING);
	if (loom_jval_is_null(response))
		import_note(import, IMPORT_LOST,
			    "a model's response in a file that was not given (model_responses…)");
	else if (import_is_odd(import, "response", response, "o"))
		add_json(import, &out, "given", response);
	else
		add_response(import, &out, response, completion);
	add_was(import, &out, loom_jval_get(completion, "text"), text);
	add_rest_as(import, &out, "generation", generation, &fields);
	return finish_record(import, &out);
}

/* ---- nodes ---- */

static bool is_true(struct loom_str value)
{
	return loom_str_is(value, "true") || loom_str_is(value, "1");
}

static enum import_role role_of(struct loom_str meta, bool generated)
{
	struct loom_str source = loom_jval_get(meta, "source");

	if (loom_str_is(source, "\"AI\""))
		return IMPORT_MODEL;
	if (loom_str_is(source, "\"prompt\"") || loom_str_is(source, "\"mixed\""))
		return IMPORT_HUMAN;
	return generated ? IMPORT_MODEL : IMPORT_UNKNOWN;
}

static enum loom_status tag(struct loom_import *import, struct loom_str id, struct loom_str name,
			    struct loom_err *err)
{
	struct import_mark mark = {.id = id, .kind = IMPORT_TAG, .text = name};

	if (loom_str_is(name, "bookmark"))
		mark = (struct import_mark){.id = id, .kind = IMPORT_BOOKMARK};
	return name.n ? import_mark(import, &mark, err) : LOOM_OK;
}

static enum loom_status put_tags(struct loom_import *import, const struct import_nest_node *node,
				 struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(node->values[TAGS]);
	struct loom_str name;
	enum loom_status status = LOOM_OK;

	while (!walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &name))
		status = tag(import, node->id, import_string(import, name), err);
	if (status == LOOM_OK && is_true(node->values[ARCHIVED]))
		status = tag(import, node->id, LOOM_STR("archived"), err);
	if (status == LOOM_OK && is_true(node->values[CANONICAL]))
		status = tag(import, node->id, LOOM_STR("canonical"), err);
	return status;
}

/* The other members of a note, as an object. */
static struct loom_str extra_of_note(struct loom_import *import, struct loom_str item)
{
	static const struct import_fields fields = {
		.where = "note",
		.used = "text:s",
		.known = "id parent_id root_id meta visited open mutable children",
	};
	struct loom_buf out = IMPORT_BUF(import);
	struct loom_str made;

	loom_buf_addc(&out, '{');
	import_rest(import, item, &fields, &out);
	if (import_is_odd(import, "note", item, "so")) {
		loom_buf_adds(&out, "\"note\":");
		import_keep(import, item, &out);
	}
	loom_buf_addc(&out, '}');
	made = loom_arena_buf(import_scratch(import), &out);
	loom_buf_fini(&out);
	return made;
}

/* A note is a text or a small node. */
static enum loom_status put_notes(struct loom_import *import, const struct import_nest_node *node,
				  struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(node->values[NOTES]);
	struct loom_str item;
	enum loom_status status = LOOM_OK;

	while (!walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &item)) {
		struct import_node note = {
			.parent = node->id,
			.kind = LOOM_ANNOTATION,
			.role = IMPORT_HUMAN,
			.text = loom_jval_type(item) == LOOM_JTYPE_OBJECT
					? import_text(import, item, "text")
					: import_string(import, item),
			.created = import_time(import, loom_jval_get(loom_jval_get(item, "meta"),
								     "creation_timestamp")),
			.extra = extra_of_note(import, item),
		};

		if (note.text.n || note.extra.n > 2)
			status = import_node(import, &note, err);
	}
	return status;
}

/* Whether a list of tags has an item that is not a name. */
static bool has_odd_tag(struct loom_import *import, struct loom_str tags)
{
	struct loom_jwalk walk = loom_jval_walk(tags);
	struct loom_str name;
	bool odd = false;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &name))
		odd |= import_is_odd(import, "tag", name, "s");
	return odd;
}

static struct loom_str extra_of(struct loom_import *import, const struct import_nest_node *node)
{
	/* A node that names a response gets its record from there. */
	const bool named = loom_jval_type(node->values[GENERATION]) == LOOM_JTYPE_OBJECT;
	const struct import_fields meta = {
		.where = "meta",
		.used = named ? "creation_timestamp:ns" : "creation_timestamp:ns generation:o",
		.known = "source:s modified origin diffs generation_settings prompt",
	};
	struct loom_buf out = IMPORT_BUF(import);
	struct loom_buf inside = IMPORT_BUF(import);
	struct loom_str made;

	import_rest(import, node->values[META], &meta, &inside);
	loom_buf_add(&out, node->rest);
	if (inside.n)
		loom_buf_addf(&out, "%s\"meta\":{%s}", out.n ? "," : "", loom_buf_cstr(&inside));
	if (has_odd_tag(import, node->values[TAGS])) {
		loom_buf_adds(&out, out.n ? ",\"tags\":" : "\"tags\":");
		import_keep(import, node->values[TAGS], &out);
	}
	made = out.n ? loom_arena_format(import_scratch(import), "{%s}", loom_buf_cstr(&out))
		     : loom_str_make("", 0);
	loom_buf_fini(&out);
	loom_buf_fini(&inside);
	return made;
}

static enum loom_status put_memory(struct loom_import *import, const struct context *ctx,
				   struct loom_str text, struct loom_err *err)
{
	struct loom_str name =
		loom_arena_format(import_scratch(import), "%.*s memory", LOOM_STR_ARG(ctx->title));

	return text.n ? import_document(import, name, text, err) : LOOM_OK;
}

static enum loom_status put_node(struct loom_import *import, const struct import_nest_node *node,
				 void *pointer, struct loom_err *err)
{
	const struct context *ctx = pointer;
	struct loom_str meta = node->values[META];
	struct loom_str old = loom_jval_get(meta, "generation");
	bool generated = loom_jval_type(node->values[GENERATION]) == LOOM_JTYPE_OBJECT ||
			 loom_jval_type(old) == LOOM_JTYPE_OBJECT;
	struct import_node out = {
		.id = node->id,
		.anonymous = node->anonymous,
		.role = role_of(meta, generated),
		.created = import_time(import, loom_jval_get(meta, "creation_timestamp")),
		.text = import_string(import, node->values[TEXT]),
		.bookmarked = is_true(node->values[BOOKMARK]),
		.extra = extra_of(import, node),
	};
	enum loom_status status;

	if (loom_jval_type(node->values[GENERATION]) == LOOM_JTYPE_OBJECT)
		out.generation =
			record_of_response(import, ctx, node->values[GENERATION], out.text);
	else if (generated)
		out.generation = record_of_meta(import, old, out.text);
	out.model = import_text(import, out.generation, "model");
	if (!out.created)
		out.created = import_time(import, loom_jval_get(out.generation, "timestamp"));
	if (loom_str_is(loom_str_trim(out.text), "** Generating **"))
		import_note(import, IMPORT_REPAIRED,
			    "a node that was saved during its generation, kept unchanged");
	status = import_node(import, &out, err);
	if (status == LOOM_OK)
		status = put_tags(import, node, err);
	if (status == LOOM_OK)
		status = put_notes(import, node, err);
	return status == LOOM_OK
		       ? put_memory(import, ctx, import_string(import, node->values[MEMORY]), err)
		       : status;
}

/* A hoisting node repeats the text of those it hides. Its notes and tags go to the first of them,
 * the rest is kept with the tree. */
static enum loom_status put_hoisted(struct loom_import *import, const struct import_nest_node *node,
				    void *ctx, struct loom_err *err)
{
	const struct import_mark bookmark = {.id = node->id, .kind = IMPORT_BOOKMARK};
	struct loom_str extra = extra_of(import, node);
	enum loom_status status = put_tags(import, node, err);

	if (status == LOOM_OK && is_true(node->values[BOOKMARK]))
		status = import_mark(import, &bookmark, err);
	if (status == LOOM_OK)
		status = put_notes(import, node, err);
	if (extra.n)
		import_beside_tree(import,
				   loom_arena_format(import_scratch(import), "\"hoisted\":%.*s",
						     LOOM_STR_ARG(extra)));
	return status == LOOM_OK
		       ? put_memory(import, ctx, import_string(import, node->values[MEMORY]), err)
		       : status;
}

/* ---- top-level members ---- */

static enum loom_status put_chapters(struct loom_import *import, struct loom_str chapters,
				     struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(chapters);
	struct loom_str chapter;
	enum loom_status status = LOOM_OK;

	while (walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &chapter)) {
		struct import_mark mark = {
			.id = import_text(import, chapter, "root_id"),
			.kind = IMPORT_BOOKMARK,
			.text = import_text(import, chapter, "title"),
		};

		if (mark.id.n)
			status = import_mark(import, &mark, err);
	}
	return status;
}

static enum loom_status put_summaries(struct loom_import *import, struct loom_str summaries,
				      struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(summaries);
	struct loom_str summary;
	enum loom_status status = LOOM_OK;

	while (walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &summary)) {
		struct import_mark mark = {
			.id = import_text(import, summary, "end_id"),
			.kind = IMPORT_SUMMARY,
			.text = import_text(import, summary, "text"),
		};

		if (!mark.id.n)
			mark.id = import_text(import, summary, "root_id");
		if (mark.id.n && mark.text.n)
			status = import_mark(import, &mark, err);
	}
	return status;
}

static enum loom_status put_memories(struct loom_import *import, const struct context *ctx,
				     struct loom_str memories, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(memories);
	struct loom_str memory;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &memory))
		status = put_memory(import, ctx, import_text(import, memory, "text"), err);
	return status;
}

static enum loom_status put_top(struct loom_import *import, const struct context *ctx,
				struct loom_str top, struct loom_err *err)
{
	struct import_mark current = {
		.id = import_text(import, top, "selected_node_id"),
		.kind = IMPORT_CURRENT,
	};
	enum loom_status status = put_chapters(import, loom_jval_get(top, "chapters"), err);

	if (status == LOOM_OK)
		status = put_summaries(import, loom_jval_get(top, "summaries"), err);
	if (status == LOOM_OK)
		status = put_memories(import, ctx, loom_jval_get(top, "memories"), err);
	if (status == LOOM_OK)
		status = put_memory(import, ctx, import_text(import, top, "memory"), err);
	return status == LOOM_OK && current.id.n ? import_mark(import, &current, err) : status;
}

/* Members that became marks and documents are also kept whole, because they contain more. */
static void keep_top(struct loom_import *import, struct loom_str top)
{
	static const struct import_fields fields = {
		.where = "file",
		.used = "root:o selected_node_id:s model_responses:o memory:s",
		.known = "chapters:o summaries:o memories:ao tags frame canonical "
			 "generation_settings "
			 "visualization_settings model_config preferences chapters_settings "
			 "tags_settings vars module_settings workspace",
	};
	struct loom_buf out = IMPORT_BUF(import);

	import_rest(import, top, &fields, &out);
	import_beside_tree(import, loom_buf_str(&out));
	loom_buf_fini(&out);
}

/* The tree is named by its root's id; for a hoisted one, by that of the first node inside. */
static struct loom_str root_id(struct loom_import *import, struct loom_str root)
{
	struct loom_str within = loom_jval_get(root, "masked_head");

	for (int i = 0; i < HOISTS_MAX && loom_jval_type(within) == LOOM_JTYPE_OBJECT; i++) {
		root = within;
		within = loom_jval_get(root, "masked_head");
	}
	return import_text(import, root, "id");
}

/* The members of two objects, of which neither is empty, as one that lives as long as the import.
 */
static struct loom_str joined(struct loom_import *import, struct loom_str a, struct loom_str b)
{
	struct loom_buf out = IMPORT_BUF(import);
	struct loom_str both;

	loom_buf_add(&out, loom_str_sub(a, 0, a.n - 1));
	loom_buf_addc(&out, ',');
	loom_buf_add(&out, loom_str_sub(b, 1, b.n));
	both = loom_arena_buf(import_kept(import), &out);
	loom_buf_fini(&out);
	return both;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct loom_str root = import_member(source, "root");
	const bool bare = loom_jval_type(root) != LOOM_JTYPE_OBJECT;
	struct context ctx = {.title = source->name};
	struct loom_str responses = import_member(source, "model_responses");
	struct import_nest nest = {
		.keys = keys,
		.key_count = KEYS,
		.children = "children",
		.masked = "masked_head",
		.tail = "tail_id",
		.fields = {.where = "node",
			   .used = "parent_id:sn parentId:sn tail_id:s id:sn text:s meta:o "
				   "generation:o tags:a "
				   "bookmark:b "
				   "archived:b canonical:b notes:a memory:s",
			   .known = "open visited mutable chapter_id text_attributes frame "
				    "multimedia history summaries memories template hoisted "
				    "file_name active"},
		.node = put_node,
		.masking = put_hoisted,
		.ctx = &ctx,
	};
	struct import_tree tree = {.mode = LOOM_BUFFER, .title = source->name};
	enum loom_status status;

	/* A tree whose responses were moved out has an empty object of them. */
	if (!loom_jval_count(responses))
		responses = import_beside(import, "model_responses");
	else if (import_beside(import, "model_responses").p)
		responses = joined(import, responses, import_beside(import, "model_responses"));
	else
		ctx.own = true;
	import_index(import, responses, &ctx.responses);
	ctx.taken = loom_pages_take(import_pages(import), taken_size(&ctx));
	if (bare)
		root = loom_jval_of(source->text);
	tree.id = root_id(import, bare ? source->first : root);
	import_begin(import, &tree);
	if (!bare)
		keep_top(import, source->first);
	status = import_nest(import, root, &nest, err);
	if (status == LOOM_OK)
		keep_untaken(import, &ctx);
	loom_pages_return(import_pages(import), ctx.taken, taken_size(&ctx));
	import_index_fini(&ctx.responses);
	return status == LOOM_OK && !bare ? put_top(import, &ctx, source->first, err) : status;
}

const struct import_reader import_pyloom = {
	.name = "pyloom",
	.title = "Loom by socketteer (pyloom), three generations",
	.recognise = recognise,
	.read = read,
};

/* ---- separate response files ---- */

static bool recognise_responses(const struct import_source *source)
{
	struct loom_str value = source->member_count ? source->members[0].value : LOOM_STR("");

	/* A backup may be empty. */
	return source->json &&
	       (value.n ? loom_jval_type(loom_jval_get(value, "completions")) == LOOM_JTYPE_ARRAY
			: loom_jval_type(loom_jval_of(source->text)) == LOOM_JTYPE_OBJECT);
}

static enum loom_status read_responses(struct loom_import *import,
				       const struct import_source *source, struct loom_err *err)
{
	struct loom_str before = import_beside(import, "model_responses");

	(void)err;
	if (!source->member_count)
		import_note(import, IMPORT_LOST, "a file without responses");
	else
		import_put_beside(import, "model_responses",
				  before.p ? joined(import, before, source->first) : source->first);
	return LOOM_OK;
}

const struct import_reader import_pyloom_responses = {
	.name = "pyloom-responses",
	.title = "model responses of pyloom, next to the tree's file",
	.recognise = recognise_responses,
	.read = read_responses,
};
