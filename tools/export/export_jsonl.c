/* Conversations for training, one JSON object per line: one per leaf, or the given path. */
#include "inside.h"

void export_message(struct loom_json *json, const char *role, struct loom_str text)
{
	loom_json_object(json);
	loom_json_put(json, "role", loom_str_of(role));
	loom_json_put(json, "content", text);
	loom_json_end_object(json);
}

size_t export_path_to(const struct export_tree *tree, uint32_t number, uint32_t **out)
{
	size_t count = 0;
	size_t left;

	for (uint32_t n = number; n; n = tree->read.nodes[n - 1].parent)
		count++;
	*out = loom_realloc(NULL, count + 1, sizeof **out);
	left = count;
	for (uint32_t n = number; n; n = tree->read.nodes[n - 1].parent)
		(*out)[--left] = n;
	return count;
}

static enum loom_status add_node(struct exporter *ex, const struct export_tree *tree,
				 struct loom_json *json, int64_t id, struct loom_err *err)
{
	struct export_text text;
	enum loom_status status = export_read(ex, tree, id, &text, err);

	if (status != LOOM_OK || !text.node.text.n || text.node.excluded)
		return status;
	export_message(json, export_role(text.author), text.node.text);
	ex->answered |= text.author->kind == LOOM_AGENT_MODEL;
	return LOOM_OK;
}

enum loom_status export_messages(struct exporter *ex, const struct export_tree *tree,
				 struct loom_json *json, uint32_t tip, struct loom_err *err)
{
	uint32_t *path = NULL;
	const size_t count = export_path_to(tree, tip, &path);
	enum loom_status status = LOOM_OK;

	loom_json_array(json);
	if (tree->row.system.n)
		export_message(json, "system", tree->row.system);
	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		status = add_node(ex, tree, json, tree->read.nodes[path[i] - 1].id, err);
	loom_json_end_array(json);
	free(path);
	return status;
}

/* ---- conversations ---- */

/* Trainers need a model's message in every conversation. */
static void count_line(const struct exporter *ex)
{
	struct loom_export_told *told = ex->what->told;

	if (!told)
		return;
	told->lines++;
	told->unanswered += !ex->answered;
}

/* The line of a leaf; none when nothing is said on the way. */
static enum loom_status put_way(struct exporter *ex, const struct export_tree *tree, uint32_t leaf,
				struct loom_err *err)
{
	static const struct loom_str nothing = LOOM_STR_INIT("{\"messages\":[]}");
	const size_t before = ex->buf.n;
	struct loom_json json;
	enum loom_status status;

	ex->answered = false;
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_key(&json, "messages");
	status = export_messages(ex, tree, &json, leaf, err);
	loom_json_end_object(&json);
	if (loom_str_eq(loom_str_sub(loom_buf_str(&ex->buf), before, ex->buf.n), nothing)) {
		loom_buf_cut(&ex->buf, before);
	} else {
		loom_buf_addc(&ex->buf, '\n');
		count_line(ex);
	}
	return status == LOOM_OK ? export_flow(ex, err) : status;
}

/* Of a path there is one leaf. */
static enum loom_status put_talks(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_next(&tree->read, n))
		if (!loom_reading_child(&tree->read, n))
			status = put_way(ex, tree, n, err);
	return status;
}

/* ---- the format ---- */

static enum loom_status run_talks(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_jsonl, .put = put_talks};

	return export_each(what, &way, err);
}

const struct loom_export_format export_jsonl = {
	.name = "jsonl",
	.title = "conversations for fine-tuning, one per leaf",
	.run = run_talks,
};
