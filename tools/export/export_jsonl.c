/* Training data, one JSON object per line: conversations (one per leaf, or the given path), and
 * pairs of kept and rejected siblings. */
#include <loom/tree/mark.h>

#include "inside.h"

static void add_message(struct loom_json *json, const char *role, struct loom_str text)
{
	loom_json_object(json);
	loom_json_put(json, "role", loom_str_of(role));
	loom_json_put(json, "content", text);
	loom_json_end_object(json);
}

/* The numbers of the nodes from the root to a node. */
static size_t way_to(const struct export_tree *tree, uint32_t number, uint32_t **out)
{
	size_t count = 0;

	for (uint32_t n = number; n; n = tree->read.nodes[n - 1].parent)
		count++;
	*out = loom_realloc(NULL, count + 1, sizeof **out);
	for (uint32_t n = number; n; n = tree->read.nodes[n - 1].parent)
		(*out)[--count] = n;
	for (uint32_t n = number; n; n = tree->read.nodes[n - 1].parent)
		count++;
	return count;
}

static enum loom_status add_node(struct exporter *ex, const struct export_tree *tree,
				 struct loom_json *json, int64_t id, struct loom_err *err)
{
	struct export_text text;
	enum loom_status status = export_read(ex, tree, id, &text, err);

	if (status != LOOM_OK || !text.node.text.n || text.node.excluded)
		return status;
	add_message(json, export_role(text.author), text.node.text);
	ex->answered |= text.author->kind == LOOM_AGENT_MODEL;
	return LOOM_OK;
}

static void begin_messages(const struct export_tree *tree, struct loom_json *json)
{
	loom_json_array(json);
	if (tree->row.system.n)
		add_message(json, "system", tree->row.system);
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
	uint32_t *way = NULL;
	const size_t count = way_to(tree, leaf, &way);
	struct loom_json json;
	enum loom_status status = LOOM_OK;

	ex->answered = false;
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	loom_json_key(&json, "messages");
	begin_messages(tree, &json);
	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		status = add_node(ex, tree, &json, tree->read.nodes[way[i] - 1].id, err);
	loom_json_end_array(&json);
	loom_json_end_object(&json);
	free(way);
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

/* ---- pairs ---- */

static enum loom_status is_bad(struct exporter *ex, const struct loom_reading_node *node, bool *out,
			       struct loom_err *err)
{
	struct loom_str *tags = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	*out = node->culled;
	if (!*out)
		status = loom_tag_of(ex->store, node->id, ex->step, &tags, &count, err);
	for (size_t i = 0; i < count; i++)
		*out |= loom_str_is(tags[i], "rated:bad");
	return status;
}

static enum loom_status add_choice(struct exporter *ex, const struct export_tree *tree,
				   struct loom_json *json, const char *key, uint32_t number,
				   struct loom_err *err)
{
	struct export_text text;
	enum loom_status status =
		export_read(ex, tree, tree->read.nodes[number - 1].id, &text, err);

	if (status != LOOM_OK)
		return status;
	loom_json_key(json, key);
	if (tree->row.mode == LOOM_BUFFER) {
		loom_json_text(json, text.node.text);
		return LOOM_OK;
	}
	loom_json_array(json);
	add_message(json, export_role(text.author), text.node.text);
	loom_json_end_array(json);
	return LOOM_OK;
}

/* Adds the context of both: messages or, in a buffer, text. */
static enum loom_status add_prompt(struct exporter *ex, const struct export_tree *tree,
				   struct loom_json *json, uint32_t parent, struct loom_err *err)
{
	uint32_t *way = NULL;
	size_t count = way_to(tree, parent, &way);
	struct loom_buf text = LOOM_BUF_INIT(SIZE_MAX / 4);
	enum loom_status status = LOOM_OK;

	loom_json_key(json, "prompt");
	if (tree->row.mode == LOOM_DIALOGUE)
		begin_messages(tree, json);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		struct export_text node;
		const int64_t id = tree->read.nodes[way[i] - 1].id;

		if (tree->row.mode == LOOM_DIALOGUE) {
			status = add_node(ex, tree, json, id, err);
			continue;
		}
		status = export_read(ex, tree, id, &node, err);
		if (status == LOOM_OK && !node.node.excluded)
			loom_buf_add(&text, node.node.text);
	}
	if (tree->row.mode == LOOM_DIALOGUE)
		loom_json_end_array(json);
	else
		loom_json_text(json, loom_buf_str(&text));
	loom_buf_fini(&text);
	free(way);
	return status;
}

static enum loom_status put_pair(struct exporter *ex, const struct export_tree *tree, uint32_t kept,
				 uint32_t culled, struct loom_err *err)
{
	struct loom_json json;
	enum loom_status status;

	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	status = add_prompt(ex, tree, &json, tree->read.nodes[kept - 1].parent, err);
	if (status == LOOM_OK)
		status = add_choice(ex, tree, &json, "chosen", kept, err);
	if (status == LOOM_OK)
		status = add_choice(ex, tree, &json, "rejected", culled, err);
	loom_json_end_object(&json);
	loom_buf_addc(&ex->buf, '\n');
	return status == LOOM_OK ? export_flow(ex, err) : status;
}

struct sorted {
	uint32_t *items; /* kept ones from the front, rejected ones from the end */
	size_t kept;
	size_t count;
};

static enum loom_status sort_siblings(struct exporter *ex, const struct export_tree *tree,
				      uint32_t parent, struct sorted *out, struct loom_err *err)
{
	size_t end = 0;
	enum loom_status status = LOOM_OK;

	*out = (struct sorted){NULL, 0, 0};
	for (uint32_t n = tree->read.nodes[parent - 1].first; n; n = tree->read.nodes[n - 1].next)
		out->count += !tree->read.nodes[n - 1].excluded;
	out->items = loom_realloc(NULL, out->count + 1, sizeof *out->items);
	end = out->count;
	for (uint32_t n = tree->read.nodes[parent - 1].first; n && status == LOOM_OK;
	     n = tree->read.nodes[n - 1].next) {
		bool bad = false;

		if (tree->read.nodes[n - 1].excluded)
			continue;
		status = is_bad(ex, &tree->read.nodes[n - 1], &bad, err);
		loom_arena_reset(ex->step);
		if (bad)
			out->items[--end] = n;
		else
			out->items[out->kept++] = n;
	}
	return status;
}

/* Pairs every kept sibling with every rejected one. */
static enum loom_status put_siblings(struct exporter *ex, const struct export_tree *tree,
				     uint32_t parent, struct loom_err *err)
{
	struct sorted sorted;
	enum loom_status status = sort_siblings(ex, tree, parent, &sorted, err);

	for (size_t a = 0; a < sorted.kept && status == LOOM_OK; a++)
		for (size_t b = sorted.count; b-- > sorted.kept && status == LOOM_OK;)
			status = put_pair(ex, tree, sorted.items[a], sorted.items[b], err);
	free(sorted.items);
	return status;
}

static enum loom_status put_pairs(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_next(&tree->read, n)) {
		uint32_t first = tree->read.nodes[n - 1].first;

		if (first && tree->read.nodes[first - 1].next)
			status = put_siblings(ex, tree, n, err);
	}
	return status;
}

/* ---- the formats ---- */

static enum loom_status run_talks(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_jsonl, .put = put_talks};

	return export_each(what, &way, err);
}

static enum loom_status run_pairs(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_pairs,
					      .scope = EXPORT_WHOLE,
					      .put = put_pairs};

	return export_each(what, &way, err);
}

const struct loom_export_format export_jsonl = {
	.name = "jsonl",
	.title = "conversations for fine-tuning, one per leaf",
	.run = run_talks,
};
const struct loom_export_format export_pairs = {
	.name = "pairs",
	.title = "preference pairs: kept, and pruned or rated bad (jsonl)",
	.holds = {[LOOM_EXPORT_TREE] = LOOM_BESIDE(PRUNED),
		  [LOOM_EXPORT_TALK] = LOOM_BESIDE(PRUNED),
		  [LOOM_EXPORT_PROSE] = LOOM_BESIDE(PRUNED)},
	.run = run_pairs,
};
