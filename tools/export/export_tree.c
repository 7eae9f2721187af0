/* A tree in memory for the exporters: parents and children, 32 bytes per node, no texts. */
#include <loom/tree/carry.h>

#include <loom/work/thread.h>

#include "inside.h"

/* The index of an id; 0 if it is not among them. */
static uint32_t index_of(const int64_t *ids, size_t count, int64_t id)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && ids[low] == id ? (uint32_t)low + 1 : 0;
}

/* Annotations and sources are on no path. */
static enum loom_status read_node(struct exporter *ex, const int64_t *ids, size_t count, size_t at,
				  struct export_node *out, struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status =
		loom_node_get(ex->store, ids[at], LOOM_NODE_MARKS, ex->step, &node, err);

	if (status != LOOM_OK)
		return status;
	loom_arena_reset(ex->step);
	*out = (struct export_node){
		.aside = node.kind != LOOM_CONTINUATION,
		.id = node.id,
		.parent = node.from_node ? index_of(ids, count, node.from_node) : 0,
		.depth = (uint32_t)node.depth,
		.culled = node.pruned,
	};
	return LOOM_OK;
}

/* Parents were created before their children, and so come first. */
static void link_nodes(struct export_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct export_node *node = &tree->nodes[i];

		node->pruned =
			node->culled || (node->parent && tree->nodes[node->parent - 1].pruned);
	}
	for (size_t i = tree->count; i-- > 1;) {
		struct export_node *node = &tree->nodes[i];

		if (node->aside || !node->parent)
			continue;
		node->next = tree->nodes[node->parent - 1].first;
		tree->nodes[node->parent - 1].first = (uint32_t)i + 1;
	}
}

static enum loom_status load_tree(struct exporter *ex, int64_t tree, struct export_tree *out,
				  struct loom_err *err)
{
	int64_t *ids = NULL;
	enum loom_status status = loom_tree_get(ex->store, tree, ex->arena, &out->row, err);

	out->nodes = NULL;
	out->count = 0;
	if (status == LOOM_OK)
		status = loom_carry_list(ex->store, tree, &ids, &out->count, err);
	if (status == LOOM_OK && !out->count)
		status = loom_fail(err, LOOM_NOT_FOUND, "the tree has no nodes");
	if (status == LOOM_OK)
		out->nodes = loom_alloc(out->count * sizeof *out->nodes);
	for (size_t i = 0; i < out->count && status == LOOM_OK; i++)
		status = read_node(ex, ids, out->count, i, &out->nodes[i], err);
	free(ids);
	if (status == LOOM_OK)
		link_nodes(out);
	return status;
}

static void tree_fini(struct export_tree *tree)
{
	free(tree->nodes);
	tree->nodes = NULL;
}

static uint32_t pass_pruned(const struct export_tree *tree, uint32_t number)
{
	while (number && tree->nodes[number - 1].pruned)
		number = tree->nodes[number - 1].next;
	return number;
}

uint32_t export_child(const struct export_tree *tree, uint32_t number)
{
	return pass_pruned(tree, tree->nodes[number - 1].first);
}

uint32_t export_sibling(const struct export_tree *tree, uint32_t number)
{
	return pass_pruned(tree, tree->nodes[number - 1].next);
}

uint32_t export_past(const struct export_tree *tree, uint32_t number)
{
	uint32_t next = 0;

	while (!next && number > 1) {
		next = export_sibling(tree, number);
		number = tree->nodes[number - 1].parent;
	}
	return next;
}

uint32_t export_next(const struct export_tree *tree, uint32_t number)
{
	uint32_t child = export_child(tree, number);

	return child ? child : export_past(tree, number);
}

enum loom_status export_read(struct exporter *ex, const struct export_tree *tree, int64_t id,
			     struct export_text *out, struct loom_err *err)
{
	enum loom_status status =
		loom_node_get(ex->store, id, LOOM_NODE_ALL, ex->step, &out->node, err);

	if (status == LOOM_OK)
		export_judge(ex, &out->node);
	if (status == LOOM_OK)
		status = export_author(ex, out->node.author, &out->author, err);
	if (status == LOOM_OK)
		loom_local_text(tree->row.key, out->node.local, out->name);
	return status;
}

enum loom_status export_notes(struct exporter *ex, int64_t group, struct loom_nodes *out,
			      struct loom_err *err)
{
	const struct loom_page page = {
		.kind = LOOM_ANNOTATION,
		.limit = 1000,
		.parts = LOOM_NODE_TEXT | LOOM_NODE_HASH,
	};
	enum loom_status status = loom_node_children(ex->store, group, &page, ex->step, out, err);

	for (size_t i = 0; i < out->count && status == LOOM_OK; i++)
		export_judge(ex, &out->items[i]);
	return status;
}

void export_judge(struct exporter *ex, const struct loom_node *node)
{
	if (ex->what->told)
		ex->what->told->damaged += loom_node_damaged(ex->store, node);
}

uint32_t export_number(const struct export_tree *tree, int64_t id)
{
	size_t low = 0;
	size_t high = tree->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tree->nodes[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < tree->count && tree->nodes[low].id == id ? (uint32_t)low + 1 : 0;
}

enum loom_status export_path(struct exporter *ex, const struct export_tree *tree,
			     struct loom_nodes *out, struct loom_err *err)
{
	enum loom_status status = loom_node_path(ex->store, ex->what->tip, ex->what->thread,
						 LOOM_NODE_NARROW, ex->arena, out, err);

	for (size_t i = 0; status == LOOM_OK && i < out->count; i++) {
		const uint32_t number = export_number(tree, out->items[i].id);

		if (number)
			tree->nodes[number - 1].on_path = true;
	}
	return status;
}

enum loom_status export_ulid(struct exporter *ex, const struct export_tree *tree, uint32_t number,
			     char out[LOOM_ULID_CHARS + 1], struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status = loom_node_get(ex->store, tree->nodes[number - 1].id,
						LOOM_NODE_NARROW, ex->step, &node, err);

	if (status == LOOM_OK)
		loom_ulid_text(&node.ulid, out);
	return status;
}

enum loom_status export_stand(struct exporter *ex, const struct export_tree *tree, uint32_t *out,
			      struct loom_err *err)
{
	struct loom_thread thread;
	struct loom_err never = {.status = LOOM_OK};
	int64_t node = 0;
	enum loom_status status = LOOM_NOT_FOUND;

	*out = 0;
	if (ex->what->reader)
		status = loom_thread_implicit(ex->store, ex->what->reader, tree->row.id, ex->step,
					      &thread, &never);
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	if (status != LOOM_OK)
		return loom_fail(err, status, "%s", never.text);
	status = loom_thread_stand(ex->store, &thread, &node, err);
	*out = status == LOOM_OK ? export_number(tree, node) : 0;
	return status;
}

const char *export_role(const struct loom_agent *author)
{
	if (loom_str_is(author->name, "system"))
		return "system";
	return author->kind == LOOM_AGENT_MODEL ? "assistant" : "user";
}

enum loom_status export_each(const struct loom_export *what, export_put *put, struct loom_err *err)
{
	struct exporter ex;
	enum loom_status status = LOOM_OK;

	exporter_init(&ex, what);
	for (size_t i = 0; i < what->tree_count && status == LOOM_OK; i++) {
		struct export_tree tree;

		status = load_tree(&ex, what->trees[i], &tree, err);
		if (status == LOOM_OK)
			status = put(&ex, &tree, err);
		tree_fini(&tree);
	}
	return exporter_fini(&ex, status, err);
}
