/* The format of socketteer's Loom: nodes that contain their children. Leaves out what has no place
 * there: links, authors' names, raw responses. */
#include <loom/base/jval.h>
#include <loom/tree/mark.h>

#include "inside.h"

#define HOLDS                                                                                      \
	(LOOM_BESIDE(IDS) | LOOM_BESIDE(EXCLUDED) | LOOM_BESIDE(NOTES) | LOOM_BESIDE(TAGS) |       \
	 LOOM_BESIDE(BOOKMARKS) | LOOM_BESIDE(LABELS) | LOOM_BESIDE(SUMMARIES))

static enum loom_status put_tags(struct exporter *ex, struct loom_json *json,
				 const struct export_text *text, struct loom_err *err)
{
	struct loom_str *tags = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_tag_of(ex->store, text->node.id, ex->step, &tags, &count, err);

	if (status != LOOM_OK || (!count && !text->node.bookmarked))
		return status;
	loom_json_key(json, "tags");
	loom_json_array(json);
	if (text->node.bookmarked)
		loom_json_text(json, LOOM_STR("bookmark"));
	for (size_t i = 0; i < count; i++)
		loom_json_text(json, tags[i]);
	loom_json_end_array(json);
	return LOOM_OK;
}

/* Writes "2021-05-03-14.22.31". */
static void put_stamp(struct loom_json *json, int64_t ms)
{
	struct loom_buf iso = LOOM_BUF_INIT(64);

	loom_time_iso(ms, &iso);
	for (size_t i = 10; i < 19 && i < iso.n; i++)
		iso.p[i] = iso.p[i] == 'T' ? '-' : iso.p[i] == ':' ? '.' : iso.p[i];
	loom_json_put(json, "creation_timestamp", loom_str_sub(loom_buf_str(&iso), 0, 19));
	loom_buf_fini(&iso);
}

typedef void item_fn(struct loom_json *json, struct loom_str token);

/* Writes one of the parallel lists: `item` for each token of a record. */
static void put_list(struct loom_json *json, const char *key, struct loom_str tokens, item_fn *item)
{
	struct loom_jwalk walk = loom_jval_walk(tokens);
	struct loom_str token;

	loom_json_key(json, key);
	loom_json_array(json);
	while (loom_jwalk_next(&walk, NULL, &token))
		item(json, token);
	loom_json_end_array(json);
}

static struct loom_str nth(struct loom_str list, size_t n)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item = {NULL, 0};

	while (loom_jwalk_next(&walk, NULL, &item))
		if (n-- == 0)
			return item;
	return loom_str_make(NULL, 0);
}

static void put_value(struct loom_json *json, struct loom_str value)
{
	loom_json_raw(json, value.n ? value : LOOM_STR("null"));
}

static void put_token(struct loom_json *json, struct loom_str token)
{
	put_value(json, nth(token, 0));
}

static void put_logprob(struct loom_json *json, struct loom_str token)
{
	put_value(json, nth(token, 1));
}

static bool stands_before(struct loom_str list, struct loom_str name, struct loom_str other)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;

	while (loom_jwalk_next(&walk, NULL, &item) && item.p != other.p)
		if (loom_str_eq(nth(item, 0), name))
			return true;
	return false;
}

/* Writes an object, so that a repeated alternative appears once. */
static void put_others(struct loom_json *json, struct loom_str token)
{
	struct loom_jwalk walk = loom_jval_walk(nth(token, 2));
	struct loom_buf all = LOOM_BUF_INIT(SIZE_MAX / 4);
	struct loom_str other;

	loom_buf_addc(&all, '{');
	while (loom_jwalk_next(&walk, NULL, &other)) {
		struct loom_str name = nth(other, 0);
		struct loom_str logprob = nth(other, 1);

		if (loom_jval_type(name) != LOOM_JTYPE_STRING || !logprob.n ||
		    stands_before(nth(token, 2), name, other))
			continue;
		loom_buf_addf(&all, "%s%.*s:%.*s", all.n > 1 ? "," : "", LOOM_STR_ARG(name),
			      LOOM_STR_ARG(logprob));
	}
	loom_buf_addc(&all, '}');
	loom_json_raw(json, loom_buf_str(&all));
	loom_buf_fini(&all);
}

static void put_logprobs(struct loom_json *json, struct loom_str tokens)
{
	if (loom_jval_type(tokens) != LOOM_JTYPE_ARRAY || !loom_jval_count(tokens))
		return;
	loom_json_key(json, "logprobs");
	loom_json_object(json);
	put_list(json, "tokens", tokens, put_token);
	put_list(json, "token_logprobs", tokens, put_logprob);
	put_list(json, "top_logprobs", tokens, put_others);
	loom_json_end_object(json);
}

/* Writes the record of its second generation: the model and its known settings. */
static enum loom_status put_generation(struct exporter *ex, struct loom_json *json,
				       const struct export_text *text, struct loom_err *err)
{
	static const char *const names[][2] = {{"finish", "finish_reason"},
					       {"choice", "index"},
					       {"prompt", "prompt"},
					       {"text", "text"}};
	struct loom_str record = {NULL, 0};
	struct loom_str raw = {NULL, 0};
	struct loom_str model;
	enum loom_status status =
		loom_node_generation(ex->store, text->node.id, ex->step, &record, &raw, err);

	if (status != LOOM_OK || text->author->kind != LOOM_AGENT_MODEL)
		return status;
	model = loom_jval_get(record, "model");
	loom_json_key(json, "generation");
	loom_json_object(json);
	if (loom_jval_type(model) == LOOM_JTYPE_STRING) {
		loom_json_key(json, "model");
		loom_json_raw(json, model);
	} else {
		loom_json_put(json, "model",
			      text->author->model.n ? text->author->model : text->author->name);
	}
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		struct loom_str value = loom_jval_get(record, names[i][0]);

		if (loom_jval_is_null(value))
			continue;
		loom_json_key(json, names[i][1]);
		loom_json_raw(json, value);
	}
	put_logprobs(json, loom_jval_get(record, "logprobs"));
	loom_json_end_object(json);
	return LOOM_OK;
}

static enum loom_status put_notes(struct exporter *ex, const struct export_tree *tree,
				  struct loom_json *json, uint32_t n, struct loom_err *err)
{
	bool open = false;
	enum loom_status status = LOOM_OK;

	for (uint32_t a = loom_reading_note(&tree->read, n, 0); a && status == LOOM_OK;
	     a = loom_reading_note(&tree->read, n, a)) {
		struct export_text note;

		status = export_read(ex, tree, tree->read.nodes[a - 1].id, &note, err);
		if (status != LOOM_OK)
			break;
		if (!open) {
			loom_json_key(json, "notes");
			loom_json_array(json);
			open = true;
		}
		loom_json_object(json);
		loom_json_put(json, "text", note.node.text);
		loom_json_key(json, "meta");
		loom_json_object(json);
		put_stamp(json, note.node.created);
		loom_json_end_object(json);
		loom_json_end_object(json);
	}
	if (open)
		loom_json_end_array(json);
	return status;
}

static enum loom_status open_node(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				  struct loom_err *err)
{
	char id[LOOM_ULID_CHARS + 1];
	struct export_text text;
	struct loom_json json;
	enum loom_status status = export_read(ex, tree, tree->read.nodes[n - 1].id, &text, err);

	if (status != LOOM_OK)
		return status;
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_ulid_text(&text.node.ulid, id);
	loom_json_put(&json, "id", loom_str_of(id));
	loom_json_put(&json, "text", text.node.text);
	loom_json_key(&json, "meta");
	loom_json_object(&json);
	put_stamp(&json, text.node.created);
	loom_json_put(&json, "source",
		      text.author->kind == LOOM_AGENT_MODEL ? LOOM_STR("AI") : LOOM_STR("prompt"));
	status = put_generation(ex, &json, &text, err);
	loom_json_end_object(&json);
	if (status == LOOM_OK)
		status = put_tags(ex, &json, &text, err);
	if (status == LOOM_OK)
		status = put_notes(ex, tree, &json, n, err);
	loom_buf_adds(&ex->buf, ",\"children\":[");
	return status == LOOM_OK ? export_flow(ex, err) : status;
}

static enum loom_status put_nodes(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	uint32_t n = tree->read.root;

	while (n && status == LOOM_OK) {
		uint32_t next = loom_reading_next(&tree->read, n);

		status = open_node(ex, tree, n, err);
		if (next && tree->read.nodes[next - 1].parent == n) {
			loom_buf_addc(&ex->buf, '\n');
		} else {
			for (uint32_t up = n;
			     up && (!next || tree->read.nodes[next - 1].depth <=
						     tree->read.nodes[up - 1].depth);
			     up = tree->read.nodes[up - 1].parent)
				loom_buf_adds(&ex->buf, "]}");
			loom_buf_adds(&ex->buf, next ? ",\n" : "\n");
		}
		n = next;
	}
	return status;
}

/* ---- top level ---- */

/* Writes a chapter that begins at `node`, for a named bookmark. */
static void put_chapter(struct exporter *ex, const char *id, const struct loom_node *node)
{
	struct loom_json json;

	if (!node->label.n)
		return;
	loom_buf_addf(&ex->buf, "%s\n\"%s\":", ex->trees++ ? "," : "", id);
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "id", loom_str_of(id));
	loom_json_put(&json, "root_id", loom_str_of(id));
	loom_json_put(&json, "title", node->label);
	loom_json_end_object(&json);
}

static void put_summary(struct exporter *ex, const char *id, const struct loom_node *node)
{
	struct loom_json json;

	if (!node->summary.n || node->summary_extract)
		return;
	loom_buf_addf(&ex->buf, "%s\n\"%s\":", ex->trees++ ? "," : "", id);
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "root_id", loom_str_of(id));
	loom_json_put(&json, "end_id", loom_str_of(id));
	loom_json_put(&json, "text", node->summary);
	loom_json_end_object(&json);
}

typedef void entry_fn(struct exporter *ex, const char *id, const struct loom_node *node);

/* Writes a map from node ids to what `put` writes for each. */
static enum loom_status put_map(struct exporter *ex, const struct export_tree *tree,
				const char *key, entry_fn *put, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	ex->trees = 0;
	loom_buf_addf(&ex->buf, ",\"%s\":{", key);
	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_next(&tree->read, n)) {
		char id[LOOM_ULID_CHARS + 1];
		struct loom_node node;

		status = loom_node_get(ex->store, tree->read.nodes[n - 1].id, LOOM_NODE_MARKS,
				       ex->step, &node, err);
		if (status != LOOM_OK)
			break;
		loom_ulid_text(&node.ulid, id);
		put(ex, id, &node);
		status = export_flow(ex, err);
	}
	loom_buf_addc(&ex->buf, '}');
	return status;
}

static enum loom_status put_pyloom(struct exporter *ex, const struct export_tree *tree,
				   struct loom_err *err)
{
	char id[LOOM_ULID_CHARS + 1];
	uint32_t stand = 0;
	enum loom_status status = export_stand(ex, tree, &stand, err);

	/* Of versions of a root that are both read none is above the other. */
	const bool roots = loom_reading_sibling(&tree->read, tree->read.root) != 0;

	loom_buf_adds(&ex->buf, "{\"root\":\n");
	if (roots)
		loom_buf_adds(&ex->buf,
			      "{\"text\":\"\",\"meta\":{\"source\":\"prompt\"},\"children\":[\n");
	if (status == LOOM_OK)
		status = put_nodes(ex, tree, err);
	if (roots)
		loom_buf_adds(&ex->buf, "]}\n");
	if (status == LOOM_OK)
		status = put_map(ex, tree, "chapters", put_chapter, err);
	if (status == LOOM_OK)
		status = put_map(ex, tree, "summaries", put_summary, err);
	if (status == LOOM_OK && stand)
		status = export_ulid(ex, tree, stand, id, err);
	if (status == LOOM_OK && stand)
		loom_buf_addf(&ex->buf, ",\"selected_node_id\":\"%s\"", id);
	loom_buf_adds(&ex->buf, "}\n");
	return status;
}

static enum loom_status run_pyloom(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_pyloom, .put = put_pyloom};

	return export_each(what, &way, err);
}

const struct loom_export_format export_pyloom = {
	.name = "pyloom",
	.title = "Loom by socketteer",
	.holds = {[LOOM_EXPORT_TREE] = HOLDS,
		  [LOOM_EXPORT_TALK] = HOLDS,
		  [LOOM_EXPORT_PROSE] = HOLDS},
	.one_tree = true,
	.run = run_pyloom,
};
