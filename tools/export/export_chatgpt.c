/* ChatGPT's conversations.json, a mapping of nodes. Leaves out what has no place there: marks,
 * notes, links and most of the generation records. */
#include <loom/tree/carry.h>
#include <loom/base/jval.h>

#include "inside.h"

/* A message that is excluded weighs nothing. */
#define HOLDS (LOOM_BESIDE(IDS) | LOOM_BESIDE(EXCLUDED) | LOOM_BESIDE(EXCLUSIONS))

static void put_seconds(struct loom_json *json, const char *key, int64_t ms)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%lld.%03lld", (long long)(ms / 1000),
			 (long long)(ms % 1000));

	loom_json_key(json, key);
	loom_json_raw(json, loom_str_make(text, (size_t)n));
}

/* A tool speaks under its own name or as "tool", if the import kept that. */
static enum loom_status find_role(struct exporter *ex, const struct export_text *text,
				  const char **out, struct loom_err *err)
{
	struct loom_str original = {NULL, 0};
	struct loom_str extra = {NULL, 0};
	enum loom_status status = LOOM_OK;

	*out = export_role(text->author);
	if (text->author->kind == LOOM_AGENT_MODEL)
		return LOOM_OK;
	status = loom_carry_kept(ex->store, text->node.id, ex->step, &original, &extra, err);
	if (loom_str_is(text->author->name, "tool") ||
	    loom_jval_says(loom_jval_get(extra, "role"), LOOM_STR("tool")))
		*out = "tool";
	return status;
}

static void put_message(struct loom_json *json, const char *id, const struct export_text *text,
			const char *role)
{
	loom_json_key(json, "message");
	loom_json_object(json);
	loom_json_put(json, "id", loom_str_of(id));
	loom_json_key(json, "author");
	loom_json_object(json);
	loom_json_put(json, "role", loom_str_of(role));
	loom_json_put(json, "name", export_name(text->author));
	loom_json_end_object(json);
	put_seconds(json, "create_time", text->node.created);
	loom_json_key(json, "content");
	loom_json_object(json);
	loom_json_put(json, "content_type", LOOM_STR("text"));
	loom_json_key(json, "parts");
	loom_json_array(json);
	loom_json_text(json, text->node.text);
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_json_put(json, "status", LOOM_STR("finished_successfully"));
	if (text->node.excluded)
		loom_json_put_int(json, "weight", 0);
	loom_json_key(json, "metadata");
	loom_json_object(json);
	if (text->author->kind == LOOM_AGENT_MODEL)
		loom_json_put(json, "model_slug",
			      text->author->model.n ? text->author->model : text->author->name);
	loom_json_end_object(json);
	loom_json_end_object(json);
}

/* An empty root has no message, unless it carries the tree's system prompt. */
static void put_system(struct loom_json *json, const char *id, const struct loom_tree *tree)
{
	static const struct loom_agent system = {.name = LOOM_STR_INIT("system")};
	const struct export_text text = {.node = {.text = tree->system, .created = tree->created},
					 .author = &system};

	if (tree->system.n) {
		put_message(json, id, &text, "system");
		return;
	}
	loom_json_key(json, "message");
	loom_json_null(json);
}

/* Of versions of a root that are both read none is above the other: an empty one is, under the name
 * of the tree. */
static bool has_roots(const struct export_tree *tree)
{
	return loom_reading_sibling(&tree->read, tree->read.root) != 0;
}

static enum loom_status put_children(struct exporter *ex, const struct export_tree *tree,
				     struct loom_json *json, uint32_t first, struct loom_err *err)
{
	char id[LOOM_ULID_CHARS + 1];
	enum loom_status status = LOOM_OK;

	loom_json_key(json, "children");
	loom_json_array(json);
	for (uint32_t kid = first; kid && status == LOOM_OK;
	     kid = loom_reading_sibling(&tree->read, kid)) {
		status = export_ulid(ex, tree, kid, id, err);
		loom_json_text(json, loom_str_of(id));
	}
	loom_json_end_array(json);
	return status;
}

static enum loom_status put_roots(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	char id[LOOM_ULID_CHARS + 1];
	struct loom_json json;
	enum loom_status status;

	loom_ulid_text(&tree->row.ulid, id);
	loom_buf_addf(&ex->buf, "\n\"%s\":", id);
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "id", loom_str_of(id));
	put_system(&json, id, &tree->row);
	loom_json_key(&json, "parent");
	loom_json_null(&json);
	status = put_children(ex, tree, &json, tree->read.root, err);
	loom_json_end_object(&json);
	return status;
}

static enum loom_status find_parent(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				    char out[LOOM_ULID_CHARS + 1], struct loom_err *err)
{
	const uint32_t above = tree->read.nodes[n - 1].parent;

	out[0] = '\0';
	if (above)
		return export_ulid(ex, tree, above, out, err);
	if (has_roots(tree))
		loom_ulid_text(&tree->row.ulid, out);
	return LOOM_OK;
}

static enum loom_status put_entry(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				  struct loom_err *err)
{
	char id[LOOM_ULID_CHARS + 1];
	char parent[LOOM_ULID_CHARS + 1] = "";
	const char *role = "";
	struct export_text text;
	struct loom_json json;
	enum loom_status status = export_read(ex, tree, tree->read.nodes[n - 1].id, &text, err);

	if (status == LOOM_OK)
		status = find_role(ex, &text, &role, err);
	if (status == LOOM_OK)
		status = find_parent(ex, tree, n, parent, err);
	if (status != LOOM_OK)
		return status;
	loom_ulid_text(&text.node.ulid, id);
	loom_buf_addf(&ex->buf, "%s\n\"%s\":", parent[0] ? "," : "", id);
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "id", loom_str_of(id));
	if (!parent[0] && !text.node.text.n)
		put_system(&json, id, &tree->row);
	else
		put_message(&json, id, &text, role);
	loom_json_key(&json, "parent");
	if (parent[0])
		loom_json_text(&json, loom_str_of(parent));
	else
		loom_json_null(&json);
	status = put_children(ex, tree, &json, loom_reading_child(&tree->read, n), err);
	loom_json_end_object(&json);
	return status == LOOM_OK ? export_flow(ex, err) : status;
}

static enum loom_status put_talk(struct exporter *ex, const struct export_tree *tree,
				 struct loom_err *err)
{
	char current[LOOM_ULID_CHARS + 1];
	struct loom_json json;
	uint32_t last = 0;
	uint32_t stand = 0;
	enum loom_status status = export_stand(ex, tree, &stand, err);

	loom_buf_adds(&ex->buf, ex->trees++ ? ",\n" : "\n");
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "title", tree->row.title);
	put_seconds(&json, "create_time", tree->row.created);
	put_seconds(&json, "update_time", tree->row.active);
	loom_ulid_text(&tree->row.ulid, current);
	loom_json_put(&json, "conversation_id", loom_str_of(current));
	loom_buf_adds(&ex->buf, ",\"mapping\":{");
	if (status == LOOM_OK && has_roots(tree))
		status = put_roots(ex, tree, err);
	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_next(&tree->read, n)) {
		status = put_entry(ex, tree, n, err);
		last = n;
	}
	if (status == LOOM_OK)
		status = export_ulid(ex, tree, stand ? stand : last, current, err);
	if (status == LOOM_OK)
		loom_buf_addf(&ex->buf, "\n},\"current_node\":\"%s\"}", current);
	return status;
}

static enum loom_status run_chatgpt(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_chatgpt, .put = put_talk};
	enum loom_status status = what->put(what->ctx, LOOM_STR("["), err);

	if (status == LOOM_OK)
		status = export_each(what, &way, err);
	return status == LOOM_OK ? what->put(what->ctx, LOOM_STR("\n]\n"), err) : status;
}

const struct loom_export_format export_chatgpt = {
	.name = "chatgpt",
	.title = "conversations.json, as exported by ChatGPT",
	.root = LOOM_EXPORT_ROOT_BARE,
	.holds = {[LOOM_EXPORT_TREE] = HOLDS,
		  [LOOM_EXPORT_TALK] = HOLDS,
		  [LOOM_EXPORT_PROSE] = HOLDS},
	.run = run_chatgpt,
};
