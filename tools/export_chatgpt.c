/* Trees as other programs take them: ChatGPT's conversations.json (a mapping of nodes) and the JSON
 * of pyloom (nodes that hold their children). What these have no place for is left out: notes,
 * links, most of what was generated how. */
#include <loom/jval.h>
#include <loom/mark.h>

#include "export_impl.h"

static void put_ulid(struct loom_json *json, const char *key, const struct loom_ulid *ulid)
{
	char text[LOOM_ULID_CHARS + 1];

	loom_ulid_text(ulid, text);
	loom_json_put(json, key, loom_str_of(text));
}

static enum loom_status ulid_of(struct tool_exporter *ex, const struct tool_export_tree *tree,
				uint32_t n, char out[LOOM_ULID_CHARS + 1], struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status = loom_node_get(ex->store, tree->nodes[n - 1].id, LOOM_NODE_NARROW,
						ex->step, &node, err);

	if (status == LOOM_OK)
		loom_ulid_text(&node.ulid, out);
	return status;
}

/* ---- chatgpt ---- */

static void put_seconds(struct loom_json *json, const char *key, int64_t ms)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%lld.%03lld", (long long)(ms / 1000),
			 (long long)(ms % 1000));

	loom_json_key(json, key);
	loom_json_raw(json, loom_str_make(text, (size_t)n));
}

static void put_message(struct loom_json *json, const char *id, const struct tool_export_text *text)
{
	const char *role = tool_export_role(text->author);

	loom_json_key(json, "message");
	loom_json_object(json);
	loom_json_put(json, "id", loom_str_of(id));
	loom_json_key(json, "author");
	loom_json_object(json);
	loom_json_put(json, "role", loom_str_of(role));
	loom_json_put(json, "name", tool_export_name(text->author));
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
	loom_json_key(json, "metadata");
	loom_json_object(json);
	if (text->author->kind == LOOM_AGENT_MODEL)
		loom_json_put(json, "model_slug",
			      text->author->model.n ? text->author->model : text->author->name);
	loom_json_end_object(json);
	loom_json_end_object(json);
}

/* An empty root has no message, unless the tree has a system prompt to say there. */
static void put_system(struct loom_json *json, const char *id, const struct loom_tree *tree)
{
	static const struct loom_agent system = {.name = LOOM_STR_INIT("system")};
	const struct tool_export_text text = {.node = {.text = tree->system,
						       .created = tree->created},
					      .author = &system};

	if (tree->system.n) {
		put_message(json, id, &text);
		return;
	}
	loom_json_key(json, "message");
	loom_json_null(json);
}

static enum loom_status put_children(struct tool_exporter *ex, const struct tool_export_tree *tree,
				     struct loom_json *json, uint32_t n, struct loom_err *err)
{
	char id[LOOM_ULID_CHARS + 1];
	enum loom_status status = LOOM_OK;

	loom_json_key(json, "children");
	loom_json_array(json);
	for (uint32_t kid = tool_export_child(tree, n); kid && status == LOOM_OK;
	     kid = tool_export_sibling(tree, kid)) {
		status = ulid_of(ex, tree, kid, id, err);
		loom_json_text(json, loom_str_of(id));
	}
	loom_json_end_array(json);
	return status;
}

static enum loom_status put_entry(struct tool_exporter *ex, const struct tool_export_tree *tree,
				  uint32_t n, struct loom_err *err)
{
	char id[LOOM_ULID_CHARS + 1];
	char parent[LOOM_ULID_CHARS + 1] = "";
	const uint32_t above = tree->nodes[n - 1].parent;
	struct tool_export_text text;
	struct loom_json json;
	enum loom_status status = tool_export_read(ex, tree, tree->nodes[n - 1].id, &text, err);

	if (status == LOOM_OK && above)
		status = ulid_of(ex, tree, above, parent, err);
	if (status != LOOM_OK)
		return status;
	loom_ulid_text(&text.node.ulid, id);
	loom_buf_addf(&ex->buf, "%s\n\"%s\":", n == 1 ? "" : ",", id);
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "id", loom_str_of(id));
	if (!above && !text.node.text.n) {
		put_system(&json, id, &tree->row);
	} else {
		put_message(&json, id, &text);
	}
	loom_json_key(&json, "parent");
	if (above)
		loom_json_text(&json, loom_str_of(parent));
	else
		loom_json_null(&json);
	status = put_children(ex, tree, &json, n, err);
	loom_json_end_object(&json);
	return status == LOOM_OK ? tool_export_flow(ex, err) : status;
}

static enum loom_status put_talk(struct tool_exporter *ex, const struct tool_export_tree *tree,
				 struct loom_err *err)
{
	char current[LOOM_ULID_CHARS + 1];
	struct loom_json json;
	uint32_t last = 1;
	enum loom_status status = LOOM_OK;

	loom_buf_adds(&ex->buf, ex->trees++ ? ",\n" : "\n");
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_put(&json, "title", tree->row.title);
	put_seconds(&json, "create_time", tree->row.created);
	put_seconds(&json, "update_time", tree->row.active);
	put_ulid(&json, "conversation_id", &tree->row.ulid);
	loom_buf_adds(&ex->buf, ",\"mapping\":{");
	for (uint32_t n = 1; n && status == LOOM_OK; n = tool_export_next(tree, n)) {
		status = put_entry(ex, tree, n, err);
		last = n;
	}
	if (status == LOOM_OK)
		status = ulid_of(ex, tree, last, current, err);
	if (status == LOOM_OK)
		loom_buf_addf(&ex->buf, "\n},\"current_node\":\"%s\"}", current);
	return status;
}

static enum loom_status run_chatgpt(const struct loom_export *what, struct loom_err *err)
{
	enum loom_status status = what->put(what->ctx, LOOM_STR("["), err);

	if (status == LOOM_OK)
		status = tool_export_each(what, put_talk, err);
	return status == LOOM_OK ? what->put(what->ctx, LOOM_STR("\n]\n"), err) : status;
}

const struct loom_export_format tool_export_chatgpt = {
	.name = "chatgpt",
	.title = "conversations.json, as ChatGPT exports it",
	.run = run_chatgpt,
};

/* ---- pyloom ---- */

static enum loom_status put_tags(struct tool_exporter *ex, struct loom_json *json,
				 const struct tool_export_text *text, struct loom_err *err)
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

/* "2021-05-03-14.22.31" */
static void put_stamp(struct loom_json *json, int64_t ms)
{
	struct loom_buf iso = LOOM_BUF_INIT(64);

	loom_time_iso(ms, &iso);
	for (size_t i = 10; i < 19 && i < iso.n; i++)
		iso.p[i] = iso.p[i] == 'T' ? '-' : iso.p[i] == ':' ? '.' : iso.p[i];
	loom_json_put(json, "creation_timestamp", loom_str_sub(loom_buf_str(&iso), 0, 19));
	loom_buf_fini(&iso);
}

/* As its second generation has it: the model, and what is known of how it wrote. */
static enum loom_status put_generation(struct tool_exporter *ex, struct loom_json *json,
				       const struct tool_export_text *text, struct loom_err *err)
{
	static const char *const names[][2] = {{"finish", "finish_reason"},
					       {"choice", "index"},
					       {"prompt", "prompt"}};
	struct loom_str record = {NULL, 0};
	struct loom_str raw = {NULL, 0};
	struct loom_str model;
	struct loom_str logprobs;
	enum loom_status status =
		loom_node_generation(ex->store, text->node.id, ex->step, &record, &raw, err);

	if (status != LOOM_OK || text->author->kind != LOOM_AGENT_MODEL)
		return status;
	model = loom_jval_get(record, "model");
	logprobs = loom_jval_get(record, "logprobs");
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
	if (!loom_jval_is_null(loom_jval_get(logprobs, "token_logprobs"))) {
		loom_json_key(json, "logprobs");
		loom_json_raw(json, logprobs);
	}
	loom_json_end_object(json);
	return LOOM_OK;
}

static enum loom_status open_node(struct tool_exporter *ex, const struct tool_export_tree *tree,
				  uint32_t n, struct loom_err *err)
{
	struct tool_export_text text;
	struct loom_json json;
	enum loom_status status = tool_export_read(ex, tree, tree->nodes[n - 1].id, &text, err);

	if (status != LOOM_OK)
		return status;
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	put_ulid(&json, "id", &text.node.ulid);
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
	loom_buf_adds(&ex->buf, ",\"children\":[");
	return status == LOOM_OK ? tool_export_flow(ex, err) : status;
}

static enum loom_status put_pyloom(struct tool_exporter *ex, const struct tool_export_tree *tree,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	uint32_t n = 1;

	loom_buf_adds(&ex->buf, "{\"root\":\n");
	while (n && status == LOOM_OK) {
		uint32_t next = tool_export_next(tree, n);

		status = open_node(ex, tree, n, err);
		if (next && tree->nodes[next - 1].parent == n) {
			loom_buf_addc(&ex->buf, '\n');
		} else {
			for (uint32_t up = n; up && (!next || tree->nodes[next - 1].depth <=
								      tree->nodes[up - 1].depth);
			     up = tree->nodes[up - 1].parent)
				loom_buf_adds(&ex->buf, "]}");
			loom_buf_adds(&ex->buf, next ? ",\n" : "\n");
		}
		n = next;
	}
	loom_buf_adds(&ex->buf, "}\n");
	return status;
}

static enum loom_status run_pyloom(const struct loom_export *what, struct loom_err *err)
{
	return tool_export_each(what, put_pyloom, err);
}

const struct loom_export_format tool_export_pyloom = {
	.name = "pyloom",
	.title = "Loom by socketteer",
	.one_tree = true,
	.run = run_pyloom,
};
