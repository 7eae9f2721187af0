/* Looms whose files are flat maps of nodes: Loomsidian (the export of a note) and exoloom (schema
 * 1). Leaves out what has no place there, which is told. */
#include "inside.h"

/* Both mark what is bookmarked, and have no place for the label. */
#define EXOLOOM_HOLDS    (LOOM_BESIDE(EXCLUDED) | LOOM_BESIDE(BOOKMARKS))
#define LOOMSIDIAN_HOLDS (EXOLOOM_HOLDS | LOOM_BESIDE(IDS))

static enum loom_status put_position(struct exporter *ex, const struct export_tree *tree,
				     uint32_t first, struct loom_json *json, struct loom_err *err)
{
	char id[LOOM_ULID_CHARS + 1] = "";
	uint32_t stand = 0;
	enum loom_status status = export_stand(ex, tree, &stand, err);

	if (!stand || stand == tree->read.root)
		stand = first;
	if (status == LOOM_OK && stand)
		status = export_ulid(ex, tree, stand, id, err);
	loom_json_put(json, "current", loom_str_of(id));
	return status;
}

/* ---- Loomsidian ---- */

static enum loom_status put_note_node(struct exporter *ex, const struct export_tree *tree,
				      uint32_t first, uint32_t n, struct loom_err *err)
{
	const uint32_t above = export_above(tree, first, n);
	char id[LOOM_ULID_CHARS + 1];
	struct export_text text;
	struct loom_json json;
	enum loom_status status = export_read(ex, tree, tree->read.nodes[n - 1].id, &text, err);

	if (status != LOOM_OK)
		return status;
	loom_ulid_text(&text.node.ulid, id);
	loom_buf_addf(&ex->buf, "%s\n\"%s\":", n == first ? "" : ",", id);
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "text", text.node.text);
	loom_json_key(&json, "parentId");
	if (above)
		status = export_ulid(ex, tree, above, id, err);
	if (above)
		loom_json_text(&json, loom_str_of(id));
	else
		loom_json_null(&json);
	loom_json_put_bool(&json, "collapsed", false);
	loom_json_put_bool(&json, "unread", false);
	loom_json_put_bool(&json, "bookmarked", text.node.bookmarked);
	loom_json_key(&json, "searchResultState");
	loom_json_null(&json);
	/* The plugin has no place for a model; its forks do. */
	if (export_model(text.author).n)
		loom_json_put(&json, "model", export_model(text.author));
	loom_json_end_object(&json);
	return status == LOOM_OK ? export_flow(ex, err) : status;
}

static enum loom_status put_note(struct exporter *ex, const struct export_tree *tree,
				 struct loom_err *err)
{
	struct loom_json json;
	uint32_t first = 0;
	enum loom_status status = export_first(ex, tree, &first, err);

	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	if (status == LOOM_OK)
		status = put_position(ex, tree, first, &json, err);
	loom_buf_adds(&ex->buf, ",\"hoisted\":[],\"searchTerm\":\"\",\"nodes\":{");
	for (uint32_t n = first; n && status == LOOM_OK; n = loom_reading_next(&tree->read, n))
		status = put_note_node(ex, tree, first, n, err);
	loom_buf_adds(&ex->buf, "\n},\"generating\":null}\n");
	return status;
}

static enum loom_status run_loomsidian(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_loomsidian, .put = put_note};

	return export_each(what, &way, err);
}

const struct loom_export_format export_loomsidian = {
	.name = "loomsidian",
	.title = "the state of a note of Loomsidian",
	.one_tree = true,
	.root = LOOM_EXPORT_ROOT_SEVERAL,
	.holds = {[LOOM_EXPORT_TREE] = LOOMSIDIAN_HOLDS,
		  [LOOM_EXPORT_TALK] = LOOMSIDIAN_HOLDS,
		  [LOOM_EXPORT_PROSE] = LOOMSIDIAN_HOLDS},
	.run = run_loomsidian,
};

/* ---- exoloom, whose ids are numbers ---- */

static void put_number(struct loom_json *json, const char *key, uint32_t number)
{
	loom_json_key(json, key);
	if (number)
		loom_json_number(json, number);
	else
		loom_json_null(json);
}

static enum loom_status put_exoloom_node(struct exporter *ex, const struct export_tree *tree,
					 uint32_t first, uint32_t n, struct loom_err *err)
{
	struct export_text text;
	struct loom_json json;
	enum loom_status status = export_read(ex, tree, tree->read.nodes[n - 1].id, &text, err);

	if (status != LOOM_OK)
		return status;
	loom_buf_addf(&ex->buf, "%s\n\"%u\":", n == first ? "" : ",", n);
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "content", text.node.text);
	loom_json_put(&json, "authorType",
		      text.author->kind == LOOM_AGENT_MODEL ? LOOM_STR("LLM") : LOOM_STR("USER"));
	loom_json_put(&json, "authorName",
		      export_model(text.author).n ? export_model(text.author)
						  : export_name(text.author));
	put_number(&json, "parentId", export_above(tree, first, n));
	loom_json_key(&json, "childrenIds");
	loom_json_array(&json);
	for (uint32_t kid = loom_reading_child(&tree->read, n); kid;
	     kid = loom_reading_sibling(&tree->read, kid))
		loom_json_number(&json, kid);
	loom_json_end_array(&json);
	loom_json_put_int(&json, "createdAt", text.node.created);
	loom_json_end_object(&json);
	return export_flow(ex, err);
}

static enum loom_status put_exoloom(struct exporter *ex, const struct export_tree *tree,
				    struct loom_err *err)
{
	struct loom_json json;
	size_t marks = 0;
	uint32_t first = 0;
	enum loom_status status = export_first(ex, tree, &first, err);

	loom_buf_adds(&ex->buf, "{\"loomType\":\"exoloom\",\"schemaVersion\":1,\"tree\":");
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "title", tree->row.title);
	put_number(&json, "rootNodeId", first);
	loom_buf_adds(&ex->buf, ",\"nodes\":{");
	for (uint32_t n = first; n && status == LOOM_OK; n = loom_reading_next(&tree->read, n))
		status = put_exoloom_node(ex, tree, first, n, err);
	loom_buf_adds(&ex->buf, "\n}},\"lens\":{\"bookmarks\":[");
	for (uint32_t n = first; n && status == LOOM_OK; n = loom_reading_next(&tree->read, n))
		if (tree->read.nodes[n - 1].bookmarked)
			loom_buf_addf(&ex->buf, "%s{\"nodeId\":%u}", marks++ ? "," : "", n);
	loom_buf_adds(&ex->buf, "],\"prunedNodes\":[]}}\n");
	return status;
}

static enum loom_status run_exoloom(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_exoloom, .put = put_exoloom};

	return export_each(what, &way, err);
}

const struct loom_export_format export_exoloom = {
	.name = "exoloom",
	.title = "exoloom, schema 1",
	.one_tree = true,
	.root = LOOM_EXPORT_ROOT_SEVERAL,
	.holds = {[LOOM_EXPORT_TREE] = EXOLOOM_HOLDS,
		  [LOOM_EXPORT_TALK] = EXOLOOM_HOLDS,
		  [LOOM_EXPORT_PROSE] = EXOLOOM_HOLDS},
	.run = run_exoloom,
};
