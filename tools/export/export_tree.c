/* Loads trees for the exporters as their reader reads them, and counts what a format loses. */
#include <loom/tree/document.h>

#include "inside.h"

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

void export_judge(struct exporter *ex, const struct loom_node *node)
{
	if (ex->what->told)
		ex->what->told->damaged += loom_node_damaged(ex->store, node);
}

enum loom_status export_ulid(struct exporter *ex, const struct export_tree *tree, uint32_t number,
			     char out[LOOM_ULID_CHARS + 1], struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status = loom_node_get(ex->store, tree->read.nodes[number - 1].id,
						LOOM_NODE_NARROW, ex->step, &node, err);

	if (status == LOOM_OK)
		loom_ulid_text(&node.ulid, out);
	return status;
}

enum loom_status export_thread(struct exporter *ex, int64_t tree, struct loom_thread *out,
			       struct loom_err *err)
{
	struct loom_err never = {.status = LOOM_OK};
	enum loom_status status = LOOM_NOT_FOUND;

	*out = (struct loom_thread){.id = 0};
	if (ex->what->reader)
		status = loom_thread_implicit(ex->store, ex->what->reader, tree, ex->step, out,
					      &never);
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	return status == LOOM_OK ? status : loom_fail(err, status, "%s", never.text);
}

enum loom_status export_stand(struct exporter *ex, const struct export_tree *tree, uint32_t *out,
			      struct loom_err *err)
{
	struct loom_thread thread;
	int64_t node = 0;
	enum loom_status status = export_thread(ex, tree->row.id, &thread, err);

	*out = 0;
	if (status != LOOM_OK || !thread.id)
		return status;
	status = loom_thread_stand(ex->store, &thread, &node, err);
	if (status == LOOM_OK)
		*out = loom_reading_number(&tree->read, node);
	if (*out && (!tree->read.nodes[*out - 1].read || tree->read.nodes[*out - 1].pruned))
		*out = 0;
	return status;
}

const char *export_role(const struct loom_agent *author)
{
	if (loom_str_is(author->name, "system"))
		return "system";
	return author->kind == LOOM_AGENT_MODEL ? "assistant" : "user";
}

/* ---- what is lost ---- */

static enum loom_export_shape shape_of(const struct loom_export *what, const struct loom_tree *tree)
{
	if (what->book)
		return LOOM_EXPORT_BOOK;
	if (!what->tip)
		return LOOM_EXPORT_TREE;
	return tree->mode == LOOM_BUFFER ? LOOM_EXPORT_PROSE : LOOM_EXPORT_TALK;
}

static enum loom_status count_lost(struct exporter *ex, const struct loom_export_format *format,
				   const struct export_tree *tree, struct loom_err *err)
{
	const unsigned all = (1u << LOOM_BESIDE_COUNT) - 1;
	unsigned wanted = all & ~format->holds[shape_of(ex->what, &tree->row)];

	if (!ex->what->told)
		return LOOM_OK;
	/* A node that is left out loses no mark. */
	if (wanted & LOOM_BESIDE(EXCLUDED))
		wanted &= ~LOOM_BESIDE(EXCLUSIONS);
	return loom_reading_beside(ex->store, &tree->read, wanted, ex->what->told->lost, err);
}

static enum loom_status count_documents(const struct exporter *ex,
					const struct loom_export_format *format,
					struct loom_err *err)
{
	struct loom_doc *docs = NULL;
	size_t count = 0;
	enum loom_status status;

	if (!ex->what->grove || !ex->what->told ||
	    format->holds[LOOM_EXPORT_TREE] & LOOM_BESIDE(DOCUMENTS))
		return LOOM_OK;
	status = loom_doc_list(ex->store, ex->arena, &docs, &count, err);
	ex->what->told->lost[LOOM_BESIDE_DOCUMENTS] += (int64_t)count;
	return status;
}

/* ---- every tree ---- */

static enum loom_status put_one(struct exporter *ex, int64_t id, const struct export_way *way,
				struct loom_err *err)
{
	const struct loom_export *what = ex->what;
	struct export_tree tree = {.read = {.nodes = NULL}};
	struct loom_thread thread = {.id = 0};
	enum loom_status status = loom_tree_get(ex->store, id, ex->arena, &tree.row, err);

	if (status == LOOM_OK)
		status = export_thread(ex, id, &thread, err);
	if (status != LOOM_OK)
		return status;
	ex->thread = what->thread ? what->thread : thread.id;
	status = loom_reading_init(&tree.read, ex->store,
				   &(struct loom_reading_of){.tree = id,
							     .tip = way->scope == EXPORT_ASKED
									    ? what->tip
									    : 0,
							     .thread = ex->thread},
				   err);
	if (status == LOOM_OK && !tree.read.root) {
		loom_fail(err, LOOM_NOT_FOUND, "the path to this node is pruned");
		status = loom_hint(err, LOOM_NOT_FOUND, "loom do restore ID brings it back");
	}
	if (status == LOOM_OK)
		status = count_lost(ex, way->format, &tree, err);
	if (status == LOOM_OK)
		status = way->put(ex, &tree, err);
	loom_reading_fini(&tree.read);
	return status;
}

enum loom_status export_each(const struct loom_export *what, const struct export_way *way,
			     struct loom_err *err)
{
	struct exporter ex;
	enum loom_status status = LOOM_OK;

	exporter_init(&ex, what);
	for (size_t i = 0; i < what->tree_count && status == LOOM_OK; i++)
		status = put_one(&ex, what->trees[i], way, err);
	if (status == LOOM_OK)
		status = count_documents(&ex, way->format, err);
	return exporter_fini(&ex, status, err);
}
