/* Reads nodes: one, by name, children in pages, members, sources, positions among siblings. */
#include <loom/tree/tree_rows.h>

#include <zlib.h>

#include <loom/tree/node.h>

size_t model_node_form(unsigned parts)
{
	return (parts & (LOOM_NODE_TEXT | LOOM_NODE_HASH) ? 1u : 0u) |
	       (parts & LOOM_NODE_MARKS ? 2u : 0u);
}

static void read_hash(const struct query *q, struct loom_arena *arena, struct loom_node *out)
{
	const struct loom_str hash = model_borrow(q, 21);

	out->hashed = hash.n == sizeof out->hash.bytes;
	if (out->hashed)
		memcpy(out->hash.bytes, hash.p, hash.n);
	out->parent_hashes = model_text(q, 22, arena);
	out->raw_hash = model_text(q, 23, arena);
}

static void read_body(const struct query *q, unsigned parts, struct loom_arena *arena,
		      struct loom_node *out)
{
	LOOM_ASSERT(parts & (LOOM_NODE_TEXT | LOOM_NODE_HASH));
	if (parts & LOOM_NODE_TEXT)
		out->text = model_text(q, 20, arena);
	if (parts & LOOM_NODE_HASH)
		read_hash(q, arena, out);
	out->hashed &= (parts & LOOM_NODE_TEXT) != 0;
}

static void read_marks(const struct query *q, struct loom_arena *arena, struct loom_node *out)
{
	out->summary = LOOM_STR("");
	if (model_is_null(q, 24)) /* most nodes have none */
		return;
	out->bookmarked = model_int(q, 24) != 0;
	out->pruned = model_int(q, 25) != 0;
	out->excluded = model_int(q, 26) != 0;
	out->summary = model_text(q, 28, arena);
	out->summary_extract = model_int(q, 29) != 0;
}

/* The columns that every reader of a node wants. */
static struct loom_node read_core(const struct query *q)
{
	return (struct loom_node){
		.id = model_int(q, 0),
		.tree = model_int(q, 2),
		.local = {.num = model_int(q, 3), .prime = (int32_t)model_int(q, 4)},
		.kind = (enum loom_node_kind)model_int(q, 5),
		.group = model_int(q, 6),
		.parent = model_int(q, 7),
		.from_node = model_int(q, 8),
		.depth = model_int(q, MODEL_AT_DEPTH),
		.author = model_int(q, 14),
		.seq = -1,
		.created = model_int(q, 17),
		.bytes = (size_t)model_int(q, 18),
		.children = model_int(q, 19),
	};
}

void model_read_born(const struct query *q, unsigned parts, struct loom_arena *arena,
		     struct loom_node *out)
{
	LOOM_ASSERT(q->stmt && arena);
	*out = read_core(q);
	model_ulid(q, 1, &out->ulid);
	out->edited_from = model_int(q, 9);
	out->ord = model_int(q, 10);
	out->jump = model_int(q, 12);
	out->op = model_int(q, 13);
	out->thread = model_int(q, 15);
	if (!model_is_null(q, 16))
		out->seq = model_int(q, 16);
	if (parts & (LOOM_NODE_TEXT | LOOM_NODE_HASH))
		read_body(q, parts, arena, out);
	if (!(parts & LOOM_NODE_MARKS))
		return;
	read_marks(q, arena, out);
	out->label = model_text(q, 27, arena);
}

void model_read_node(const struct query *q, unsigned parts, struct loom_arena *arena,
		     struct loom_node *out)
{
	model_read_born(q, parts, arena, out);
	if (model_int(q, MODEL_AT_HUNG))
		model_depth_now(q, out);
}

void model_read_said(const struct query *q, size_t front, struct loom_arena *arena,
		     struct loom_node *out)
{
	const struct loom_str text = model_borrow(q, 20);

	LOOM_ASSERT(q->stmt && arena);
	*out = read_core(q);
	out->front = loom_arena_alloc(arena, front + text.n + 1);
	if (text.n)
		memcpy(out->front + front, text.p, text.n);
	out->text = loom_str_make(out->front + front, text.n);
	read_hash(q, arena, out);
	read_marks(q, arena, out);
}

enum loom_status model_node_place(struct loom_store *store, int64_t node, struct model_place *out,
				  struct loom_err *err)
{
	struct query q = model_query(store, "SELECT tree, grp, parent FROM node WHERE id = ?", err);
	bool there;

	*out = (struct model_place){.tree = 0};
	model_bind(&q, node);
	there = model_row(&q);
	if (there)
		*out = (struct model_place){model_int(&q, 0), model_int(&q, 1), model_int(&q, 2)};
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "the node does not exist");
}

/* A version's own row does not have its group's child count. */
static enum loom_status group_children(struct loom_store *store, struct loom_node *node,
				       struct loom_err *err)
{
	struct query q;

	if (node->group == node->id)
		return LOOM_OK;
	q = model_query(store, "SELECT children FROM node WHERE id = ?", err);
	model_bind(&q, node->group);
	return model_one(&q, 0, &node->children);
}

/* Reads one row or none: *out_there. */
static enum loom_status take_one(struct query *q, unsigned parts, struct loom_arena *arena,
				 struct loom_node *out, bool *out_there)
{
	struct loom_store *store = q->store;
	struct loom_err *err = q->err;
	enum loom_status status;

	LOOM_ASSERT(out && out_there);
	*out_there = model_row(q);
	if (*out_there)
		model_read_node(q, parts, arena, out);
	status = model_done(q);
	return status == LOOM_OK && *out_there ? group_children(store, out, err) : status;
}

enum loom_status loom_node_get(struct loom_store *store, int64_t node, unsigned parts,
			       struct loom_arena *arena, struct loom_node *out,
			       struct loom_err *err)
{
	static const char *const forms[] =
		MODEL_NODE_FORMS("node n" MODEL_DONE_OP, "WHERE n.id = ?");
	struct query q = model_query(store, forms[model_node_form(parts)], err);
	bool there = false;

	model_bind(&q, node);
	if (take_one(&q, parts, arena, out, &there) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "the node does not exist");
}

enum loom_status loom_node_made_by(struct loom_store *store, int64_t op, struct loom_arena *arena,
				   struct loom_nodes *out, struct loom_err *err)
{
	static const char *const forms[] =
		MODEL_NODE_FORMS("op_change c JOIN node n ON n.id = c.target" MODEL_DONE_OP,
				 "WHERE c.op = ? AND c.field = -1 ORDER BY c.seq LIMIT 100");
	struct query q = model_query(store, forms[model_node_form(LOOM_NODE_NARROW)], err);
	size_t cap = 0;

	*out = (struct loom_nodes){NULL, 0};
	model_bind(&q, op);
	while (model_row(&q)) {
		out->items =
			loom_arena_grow(arena, out->items, out->count, &cap, sizeof *out->items);
		model_read_node(&q, LOOM_NODE_NARROW, arena, &out->items[out->count++]);
	}
	return model_done(&q);
}

/* --- by name --- */

/* A tree's key never changes, and a committed number is never reused. */
static enum loom_status tree_key(struct loom_store *store, int64_t tree, uint64_t *out,
				 struct loom_err *err)
{
	struct query q;
	int64_t key = 0;
	enum loom_status status;

	LOOM_ASSERT(store->held && out);
	*out = store->held->key;
	if (store->held->key_tree == tree)
		return LOOM_OK;
	q = model_query(store, "SELECT key FROM tree WHERE id = ?", err);
	model_bind(&q, tree);
	status = model_one(&q, 0, &key);
	*out = (uint64_t)key;
	if (status == LOOM_OK && !store->writing) {
		store->held->key_tree = tree;
		store->held->key = *out;
	}
	return status;
}

static enum loom_status find_local(struct loom_store *store, int64_t tree, struct loom_str id,
				   struct loom_arena *arena, struct loom_node *out, bool *out_there,
				   struct loom_err *err)
{
	static const char *const forms[] =
		MODEL_NODE_FORMS("node n" MODEL_DONE_OP,
				 "WHERE n.tree = ? AND n.num = ? AND n.prime = ?");
	struct loom_local local;
	uint64_t key = 0;
	struct query q;
	enum loom_status status = tree_key(store, tree, &key, err);

	*out_there = false;
	if (status != LOOM_OK || !loom_local_parse(key, id, &local))
		return status;
	q = model_query(store, forms[model_node_form(LOOM_NODE_ALL)], err);
	model_bind(&q, tree);
	model_bind(&q, local.num);
	model_bind(&q, local.prime);
	return take_one(&q, LOOM_NODE_ALL, arena, out, out_there);
}

static enum loom_status find_ulid(struct loom_store *store, struct loom_str id,
				  struct loom_arena *arena, struct loom_node *out, int *out_rows,
				  struct loom_err *err)
{
	static const char *const forms[] =
		MODEL_NODE_FORMS("node n" MODEL_DONE_OP, "WHERE n.ulid BETWEEN ? AND ? LIMIT 2");
	struct loom_ulid low;
	struct loom_ulid high;
	struct query q;

	*out_rows = 0;
	if (!loom_ulid_range(id, LOOM_ULID_PREFIX, &low, &high))
		return LOOM_OK;
	q = model_query(store, forms[model_node_form(LOOM_NODE_ALL)], err);
	model_bind_blob(&q, low.bytes, sizeof low.bytes);
	model_bind_blob(&q, high.bytes, sizeof high.bytes);
	while (*out_rows < 2 && model_row(&q))
		if (++*out_rows == 1)
			model_read_node(&q, LOOM_NODE_ALL, arena, out);
	if (model_done(&q) != LOOM_OK || *out_rows != 1)
		return q.status;
	return group_children(store, out, err);
}

enum loom_status loom_node_find(struct loom_store *store, int64_t tree, struct loom_str id,
				struct loom_arena *arena, struct loom_node *out,
				struct loom_err *err)
{
	bool there = false;
	int rows = 0;
	enum loom_status status =
		tree ? find_local(store, tree, id, arena, out, &there, err) : LOOM_OK;

	if (status == LOOM_OK && !there)
		status = find_ulid(store, id, arena, out, &rows, err);
	if (status != LOOM_OK || there || rows == 1)
		return status;
	if (rows > 1) {
		loom_fail(err, LOOM_SYNTAX, "several nodes begin with %.*s: which?",
			  LOOM_STR_ARG(id));
		return loom_hint(err, LOOM_SYNTAX,
				 "type more of it, or its local id, such as a7x2");
	}
	return loom_fail(err, LOOM_NOT_FOUND, "node [%.*s] does not exist in this tree",
			 LOOM_STR_ARG(id));
}

enum loom_status loom_node_elsewhere(struct loom_store *store, int64_t not_tree, struct loom_str id,
				     int64_t *out_tree, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_tree *trees = NULL;
	size_t count = 0;
	enum loom_status status = loom_tree_list(store, arena, &trees, &count, err);

	*out_tree = 0;
	for (size_t i = 0; i < count && status == LOOM_OK && !*out_tree; i++) {
		struct loom_node node;
		bool there = false;

		if (trees[i].id == not_tree)
			continue;
		status = find_local(store, trees[i].id, id, arena, &node, &there, err);
		if (there)
			*out_tree = trees[i].id;
	}
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_node_name(struct loom_store *store, const struct loom_node *node,
				char out[LOOM_LOCAL_MAX], struct loom_err *err)
{
	uint64_t key = 0;
	enum loom_status status = LOOM_OK;

	if (node->local.num > 0)
		status = tree_key(store, node->tree, &key, err);
	loom_local_text(key, node->local, out);
	return status;
}

/* --- lists --- */

static enum loom_status take_all(struct query *q, unsigned parts, struct loom_arena *arena,
				 struct loom_nodes *out)
{
	size_t cap = 0;

	*out = (struct loom_nodes){NULL, 0};
	while (model_row(q)) {
		out->items =
			loom_arena_grow(arena, out->items, out->count, &cap, sizeof *out->items);
		model_read_node(q, parts, arena, &out->items[out->count++]);
	}
	return model_done(q);
}

/* Replaces each group that has versions by the member that represents it; others keep their only
 * one. */
static enum loom_status take_members(struct loom_store *store, const struct loom_page *page,
				     struct loom_arena *arena, struct loom_nodes *nodes,
				     struct loom_err *err)
{
	static const char *const forms[] = MODEL_NODE_FORMS(
		"node n" MODEL_DONE_OP,
		"WHERE n.id = (SELECT v.id FROM (SELECT ?1 AS id UNION ALL SELECT id FROM node "
		"WHERE grp = ?1 AND id <> grp) m CROSS JOIN node v ON v.id = m.id JOIN op vo ON "
		"vo.id = v.op AND vo.state = 1 LEFT JOIN mark vm ON vm.id = v.id "
		"WHERE (?2 OR coalesce(vm.pruned, 0) = 0) "
		"ORDER BY v.id = (SELECT member FROM choice WHERE thread = ?3 AND grp = ?1) DESC, "
		"v.id DESC LIMIT 1)");
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < nodes->count && status == LOOM_OK; i++) {
		struct loom_node *node = &nodes->items[i];
		int64_t children = node->children;
		struct query q = model_query(store, forms[model_node_form(page->parts)], err);

		model_bind(&q, node->group);
		model_bind(&q, page->pruned_too);
		model_bind(&q, page->thread);
		if (model_row(&q)) {
			model_read_node(&q, page->parts, arena, node);
			node->children = children;
		}
		status = model_done(&q);
	}
	return status;
}

/* Sets *out to whether any of these siblings has versions: in a buffer any may, in a dialogue those
 * edited as a version. */
static enum loom_status have_versions(struct loom_store *store, int64_t group,
				      const struct loom_nodes *nodes, bool *out,
				      struct loom_err *err)
{
	struct query q;
	int64_t any = 0;
	enum loom_status status;

	*out = false;
	if (!nodes->count)
		return LOOM_OK;
	q = model_query(store,
			MODEL_AMONG(group,
				    "SELECT EXISTS(SELECT 1 FROM node n CROSS JOIN node v ON v.grp "
				    "= n.id AND v.id <> v.grp WHERE",
				    "AND n.kind = ?2 AND n.id = n.grp AND n.ord BETWEEN ?3 AND "
				    "?4)"),
			err);
	model_bind(&q, group);
	model_bind(&q, nodes->items[0].kind);
	model_bind(&q, nodes->items[0].ord);
	model_bind(&q, nodes->items[nodes->count - 1].ord);
	status = model_one(&q, 0, &any);
	*out = any != 0;
	return status;
}

enum loom_status loom_node_children(struct loom_store *store, int64_t group,
				    const struct loom_page *page, struct loom_arena *arena,
				    struct loom_nodes *out, struct loom_err *err)
{
	/* A group whose first member is pruned or undone may live on in another member, so test the
	 * group, not the row. */
#define CHILDREN                                                                                   \
	"AND n.kind = ?2 AND n.ord > ?3 AND n.id = n.grp "                                         \
	"AND EXISTS(SELECT 1 FROM op o WHERE o.id = n.op AND o.state = 1) AND (?5 "                \
	"OR NOT EXISTS(SELECT 1 FROM mark k WHERE k.id = n.id AND k.pruned = 1) "                  \
	"OR EXISTS(SELECT 1 FROM node v JOIN op vo ON vo.id = v.op AND vo.state = 1 "              \
	"LEFT JOIN mark vm ON vm.id = v.id WHERE v.grp = n.id AND v.id <> v.grp "                  \
	"AND coalesce(vm.pruned, 0) = 0)) AND (?6 = '' OR EXISTS(SELECT 1 FROM agent a "           \
	"WHERE a.id = n.author AND a.claim <> 0 AND a.origin = ?6)) ORDER BY n.ord LIMIT ?4"
	static const char *const below[] =
		MODEL_NODE_FORMS("node n", "WHERE n.parent = ?1 " CHILDREN);
	static const char *const roots[] =
		MODEL_NODE_FORMS("node n", "WHERE n.parent IS NULL AND n.tree = -?1 " CHILDREN);
	const char *const *forms = group > 0 ? below : roots;
	struct query q = model_query(store, forms[model_node_form(page->parts)], err);
	bool versions = false;
	enum loom_status status;

	LOOM_ASSERT(page->limit <= INT64_MAX);
	model_bind(&q, group);
	model_bind(&q, page->kind);
	model_bind(&q, page->after);
	model_bind(&q, (int64_t)page->limit);
	model_bind(&q, page->pruned_too);
	model_bind_text(&q, page->origin);
	status = take_all(&q, page->parts, arena, out);
	if (status == LOOM_OK)
		status = have_versions(store, group, out, &versions, err);
	return status == LOOM_OK && versions ? take_members(store, page, arena, out, err) : status;
}

enum loom_status loom_node_count(struct loom_store *store, int64_t group, enum loom_node_kind kind,
				 int64_t *out_count, struct loom_err *err)
{
	static const char stored[] = "SELECT children FROM node WHERE id = ?";
	static const char counted[] =
		"SELECT count(*) FROM node n JOIN op o ON o.id = n.op AND o.state = 1 "
		"LEFT JOIN mark m ON m.id = n.id "
		"WHERE n.parent = ? AND n.kind = ? AND n.id = n.grp AND coalesce(m.pruned, 0) = 0";
	static const char roots[] = "SELECT count(*) FROM node n WHERE n.parent IS NULL AND n.tree "
				    "= -? AND n.id = n.grp AND " MODEL_SHOWN("n.id");
	struct query q = model_query(store,
				     group < 0                   ? roots
				     : kind == LOOM_CONTINUATION ? stored
								 : counted,
				     err);

	model_bind(&q, group);
	if (group > 0 && kind != LOOM_CONTINUATION)
		model_bind(&q, kind);
	return model_one(&q, 0, out_count);
}

/* Counts the visible siblings before it by looking at each. */
static enum loom_status count_shown_before(struct loom_store *store, const struct loom_node *node,
					   int64_t *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     MODEL_AMONG(node->parent, "SELECT count(*) FROM node n WHERE",
						 "AND n.kind = ?2 AND n.ord < ?3 AND n.id = n.grp "
						 "AND " MODEL_SHOWN("n.id")),
				     err);

	model_bind(&q, loom_node_among(node));
	model_bind(&q, node->kind);
	model_bind(&q, node->ord);
	return model_one(&q, 0, out);
}

/* Counts the invisible siblings before it by looking at what is hidden in the tree, however many
 * siblings there are. */
static enum loom_status count_hidden_before(struct loom_store *store, const struct loom_node *node,
					    int64_t *out, struct loom_err *err)
{
	static const char pruned[] =
		"SELECT count(*) FROM (SELECT DISTINCT n.grp AS g FROM mark m CROSS JOIN node n "
		"ON n.id = m.id CROSS JOIN node f ON f.id = n.grp CROSS JOIN op o ON o.id = f.op "
		"WHERE m.tree = ?1 AND m.pruned = 1 AND n.parent = ?2 AND n.kind = 0 AND "
		"n.ord < ?3 AND o.state = 1) WHERE NOT " MODEL_SHOWN("g");
	static const char undone[] =
		"SELECT count(*) FROM op o CROSS JOIN op_change c ON c.op = o.id AND c.field = -1 "
		"CROSS JOIN node n ON n.id = c.target WHERE o.state <> 1 AND n.parent = ?1 AND "
		"n.kind = 0 AND n.ord < ?2 AND n.id = n.grp";
	int64_t by_op = 0;
	int64_t grafted = 0;
	enum loom_status status;
	struct query q = model_query(store, pruned, err);

	LOOM_ASSERT(node->kind == LOOM_CONTINUATION);
	model_bind(&q, node->tree);
	model_bind(&q, node->parent);
	model_bind(&q, node->ord);
	if (model_one(&q, 0, out) != LOOM_OK)
		return q.status;
	q = model_query(store, undone, err);
	model_bind(&q, node->parent);
	model_bind(&q, node->ord);
	if (model_one(&q, 0, &by_op) != LOOM_OK)
		return q.status;
	status = model_graft_hidden_before(store, node->parent, node->ord, &grafted, err);
	*out += by_op + grafted;
	return status;
}

enum loom_status loom_node_place(struct loom_store *store, const struct loom_node *node,
				 int64_t *out_k, int64_t *out_n, struct loom_err *err)
{
	enum { MANY = 2000 };
	int64_t newest = 0;
	int64_t before = 0;
	enum loom_status status =
		loom_node_count(store, loom_node_among(node), node->kind, out_n, err);

	LOOM_ASSERT(out_k && out_n);
	*out_k = node->ord;
	if (status == LOOM_OK)
		status = model_last_ord(store, loom_node_among(node), node->kind, &newest, err);
	/* No sibling is hidden: the ordinal is the position. */
	if (status != LOOM_OK || newest == *out_n)
		return status;
	if (node->parent && node->kind == LOOM_CONTINUATION && node->ord > MANY) {
		status = count_hidden_before(store, node, &before, err);
		*out_k = node->ord - before;
	} else {
		status = count_shown_before(store, node, &before, err);
		*out_k = before + 1;
	}
	return status;
}

enum loom_status loom_node_members(struct loom_store *store, int64_t group, unsigned parts,
				   struct loom_arena *arena, struct loom_nodes *out,
				   struct loom_err *err)
{
	/* The first member is found by its own number, the others through the index of versions. */
	static const char *const forms[] = MODEL_NODE_FORMS(
		"(SELECT ?1 AS id UNION ALL SELECT id FROM node WHERE grp = ?1 AND id <> grp) g "
		"JOIN node n ON n.id = g.id" MODEL_DONE_OP,
		"ORDER BY n.id");
	struct query q = model_query(store, forms[model_node_form(parts)], err);
	enum loom_status status;

	model_bind(&q, group);
	status = take_all(&q, parts, arena, out);
	for (size_t i = 0; i < out->count && status == LOOM_OK; i++)
		status = group_children(store, &out->items[i], err);
	return status;
}

/* --- branch points --- */

/* Reads the ids of all branch points of a tree, visible or not. */
static enum loom_status branch_ids(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				   int64_t **out, size_t *out_count, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT n.id FROM node n JOIN op o ON o.id = n.op AND o.state = "
			    "1 WHERE n.tree = ?1 AND n.children > 1 AND n.kind = 0 AND n.id "
			    "= n.grp ORDER BY n.id LIMIT ?2",
			    err);

	*out = LOOM_ARENA_ARRAY(arena, LOOM_BRANCH_POINTS_MAX, int64_t);
	*out_count = 0;
	model_bind(&q, tree);
	model_bind(&q, LOOM_BRANCH_POINTS_MAX);
	while (*out_count < LOOM_BRANCH_POINTS_MAX && model_row(&q))
		(*out)[(*out_count)++] = model_int(&q, 0);
	return model_done(&q);
}

enum loom_status loom_node_branch_points(struct loom_store *store, int64_t tree, size_t limit,
					 struct loom_arena *arena, struct loom_nodes *out,
					 int64_t *out_total, struct loom_err *err)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum loom_status status = branch_ids(store, tree, arena, &ids, &count, err);

	LOOM_ASSERT(out && out_total);
	*out = (struct loom_nodes){.items = LOOM_ARENA_ARRAY(arena, limit, struct loom_node)};
	*out_total = 0;
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		bool visible = false;

		status = loom_group_visible(store, ids[i], &visible, NULL, err);
		*out_total += visible;
		if (status == LOOM_OK && visible && out->count < limit)
			status = loom_node_get(store, ids[i], LOOM_NODE_TEXT | LOOM_NODE_MARKS,
					       arena, &out->items[out->count++], err);
	}
	return status;
}

/* --- generations --- */

static enum loom_status unpack(struct loom_str packed, size_t size, struct loom_arena *arena,
			       struct loom_str *out, struct loom_err *err)
{
	char *raw = loom_arena_alloc(arena, size + 1);
	uLongf got = size;

	LOOM_ASSERT(size > 0 && size <= 64 << 20);
	if (uncompress((Bytef *)raw, &got, (const Bytef *)packed.p, packed.n) != Z_OK ||
	    got != size)
		return loom_fail(err, LOOM_DAMAGED, "a kept raw response cannot be read");
	*out = loom_str_make(raw, size);
	return LOOM_OK;
}

enum loom_status loom_node_generation(struct loom_store *store, int64_t node,
				      struct loom_arena *arena, struct loom_str *out_record,
				      struct loom_str *out_raw, struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT record, raw, raw_bytes FROM generation WHERE id = ?",
			    err);
	enum loom_status status = LOOM_OK;
	enum loom_status ended;

	*out_record = *out_raw = (struct loom_str){NULL, 0};
	model_bind(&q, node);
	if (model_row(&q)) {
		int64_t size = model_int(&q, 2);

		*out_record = model_text(&q, 0, arena);
		if (size > 0 && size <= 64 << 20)
			status = unpack(model_borrow(&q, 1), (size_t)size, arena, out_raw, err);
	}
	ended = model_done(&q);
	return status == LOOM_OK ? ended : status;
}

enum loom_status loom_node_came(struct loom_store *store, int64_t node, struct loom_arena *arena,
				struct loom_str *out_text, struct loom_seam *out_seam,
				struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT b.text, s.live, s.skip, s.cut, s.put FROM body b "
				     "LEFT JOIN seam s ON s.id = b.id WHERE b.id = ?",
				     err);

	*out_text = LOOM_STR("");
	*out_seam = (struct loom_seam){.put = LOOM_STR("")};
	model_bind(&q, node);
	if (model_row(&q)) {
		*out_text = model_text(&q, 0, arena);
		out_seam->off = !model_is_null(&q, 1) && !model_int(&q, 1);
		if (!out_seam->off) {
			out_seam->skip = (size_t)model_int(&q, 2);
			out_seam->cut = (size_t)model_int(&q, 3);
			out_seam->put = model_text(&q, 4, arena);
		}
	}
	LOOM_ASSERT(out_seam->skip + out_seam->cut <= out_text->n);
	return model_done(&q);
}
