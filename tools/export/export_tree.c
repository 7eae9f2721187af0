/* Loads trees for the exporters as their reader reads them, and counts what a format loses. */
#include <loom/tree/document.h>

#include "inside.h"

enum loom_status export_read(struct exporter *ex, const struct export_tree *tree, int64_t id,
			     struct export_text *out, struct loom_err *err)
{
	enum loom_status status =
		loom_node_get(ex->store, id, LOOM_NODE_ALL, ex->step, &out->node, err);

	if (status == LOOM_OK)
		export_count_damage(ex, &out->node);
	if (status == LOOM_OK)
		status = export_author(ex, out->node.author, &out->author, err);
	if (status == LOOM_OK)
		loom_local_text(tree->row.key, out->node.local, out->name);
	return status;
}

void export_count_damage(struct exporter *ex, const struct loom_node *node)
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
	struct loom_err found_err = {.status = LOOM_OK};
	enum loom_status status = LOOM_NOT_FOUND;

	*out = (struct loom_thread){.id = 0};
	if (ex->what->reader)
		status = loom_thread_implicit(ex->store, ex->what->reader, tree, ex->step, out,
					      &found_err);
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	return status == LOOM_OK ? status : loom_fail(err, status, "%s", found_err.text);
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

/* Sets *out to the first node to export: the root, or its first child if the root is empty and has
 * several; an import adds such a root again. */
enum loom_status export_first(struct exporter *ex, const struct export_tree *tree, uint32_t *out,
			      struct loom_err *err)
{
	const uint32_t root = tree->read.root;
	const uint32_t kid = root ? loom_reading_child(&tree->read, root) : 0;
	struct export_text text;
	enum loom_status status = LOOM_OK;

	*out = root;
	if (!kid || !loom_reading_sibling(&tree->read, kid) ||
	    loom_reading_sibling(&tree->read, root))
		return LOOM_OK;
	status = export_read(ex, tree, tree->read.nodes[root - 1].id, &text, err);
	if (status == LOOM_OK && !text.node.text.n)
		*out = kid;
	return status;
}

uint32_t export_above(const struct export_tree *tree, uint32_t first, uint32_t number)
{
	const uint32_t above = tree->read.nodes[number - 1].parent;

	return above == tree->read.root && first != tree->read.root ? 0 : above;
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

/* Whether the format leaves out the root, or its marks. */
static enum loom_status is_bare(struct exporter *ex, const struct loom_export_format *format,
				const struct export_tree *tree, bool *out, struct loom_err *err)
{
	const uint32_t root = tree->read.root;
	struct export_text text;
	uint32_t first = root;
	enum loom_status status = LOOM_OK;

	*out = false;
	if (format->root == LOOM_EXPORT_ROOT_STAYS || ex->what->tip)
		return LOOM_OK;
	if (format->root == LOOM_EXPORT_ROOT_SEVERAL)
		status = export_first(ex, tree, &first, err);
	else
		status = export_read(ex, tree, tree->read.nodes[root - 1].id, &text, err);
	if (status != LOOM_OK)
		return status;
	*out = format->root == LOOM_EXPORT_ROOT_SEVERAL
		       ? first != root
		       : !text.node.text.n && !tree->row.system.n &&
				 !loom_reading_sibling(&tree->read, root);
	return LOOM_OK;
}

/* Adds what hangs beside a root that is left out, of the kinds that the format holds elsewhere. */
static enum loom_status count_root(struct exporter *ex, struct export_tree *tree, unsigned held,
				   struct loom_err *err)
{
	struct loom_reading_node *root = &tree->read.nodes[tree->read.root - 1];
	int64_t with[LOOM_BESIDE_COUNT] = {0};
	int64_t without[LOOM_BESIDE_COUNT] = {0};
	enum loom_status status = loom_reading_beside(ex->store, &tree->read, held, with, err);

	if (status != LOOM_OK)
		return status;
	root->read = false;
	status = loom_reading_beside(ex->store, &tree->read, held & ~LOOM_BESIDE(VERSIONS), without,
				     err);
	root->read = true;
	without[LOOM_BESIDE_VERSIONS] = with[LOOM_BESIDE_VERSIONS];
	for (size_t i = 0; i < LOOM_BESIDE_COUNT; i++)
		ex->what->told->lost[i] += with[i] - without[i];
	return status;
}

static enum loom_status count_lost(struct exporter *ex, const struct loom_export_format *format,
				   struct export_tree *tree, struct loom_err *err)
{
	const unsigned all = (1u << LOOM_BESIDE_COUNT) - 1;
	const unsigned held = format->holds[shape_of(ex->what, &tree->row)];
	unsigned wanted = all & ~held;
	bool bare = false;
	enum loom_status status;

	if (!ex->what->told)
		return LOOM_OK;
	/* Marks of nodes that are left out, and labels of bookmarks that are, are not counted
	 * again. */
	if (wanted & LOOM_BESIDE(EXCLUDED))
		wanted &= ~LOOM_BESIDE(EXCLUSIONS);
	if (wanted & LOOM_BESIDE(BOOKMARKS))
		wanted &= ~LOOM_BESIDE(LABELS);
	status = loom_reading_beside(ex->store, &tree->read, wanted, ex->what->told->lost, err);
	if (status == LOOM_OK)
		status = is_bare(ex, format, tree, &bare, err);
	/* The root's text is empty, and its id nobody's. */
	return status == LOOM_OK && bare
		       ? count_root(ex, tree,
				    held & all & ~(LOOM_BESIDE(EXCLUDED) | LOOM_BESIDE(IDS)), err)
		       : status;
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
