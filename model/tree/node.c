/* Creates nodes, versions and reserved ids. node_read.c reads them.
 *
 * A creation writes one narrow row and one body, adds one to its parent's child count (unless that
 * was written in advance) and to the tree's counters, and nothing else. Facts about the parent are
 * cached for the next creation while the lock is held. */
#include <loom/tree/tree_rows.h>

#include <zlib.h>

#include <loom/tree/node.h>
#include <loom/tree/provenance.h>
#include <loom/base/utf8.h>

/* --- parents --- */

static struct model_parent *parent_slot(struct loom_store *store, int64_t node)
{
	return &store->held->write.parents[(uint64_t)node % MODEL_PARENTS];
}

static enum loom_status read_parent(struct loom_store *store, int64_t node,
				    struct model_parent *out, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT n.tree, n.grp, n.depth, n.jump, n.op, n.parent, n.from_node, "
		"n.edited_from, "
		"n.num, b.hash, iif(n.grp = n.id, n.op, (SELECT op FROM node WHERE id = n.grp)), "
		"EXISTS(SELECT 1 FROM node s WHERE s.parent = n.grp AND s.kind BETWEEN 2 AND 3 AND "
		"s.id "
		"= s.grp), "
		"j.depth, j.jump, (SELECT depth FROM node WHERE id = j.jump) "
		"FROM node n JOIN body b ON b.id = n.id JOIN node j ON j.id = n.jump "
		"JOIN op o ON o.id = n.op AND (o.state = 1 OR o.id = ?2) WHERE n.id = ?1",
		err);
	bool there;

	model_bind(&q, node);
	model_bind(&q, store->held->write.op);
	there = model_row(&q);
	if (there) {
		struct loom_str hash = model_borrow(&q, 9);

		*out = (struct model_parent){
			.id = node,
			.tree = model_int(&q, 0),
			.group = model_int(&q, 1),
			.depth = model_int(&q, 2),
			.jump = model_int(&q, 3),
			.op = model_int(&q, 4),
			.parent = model_int(&q, 5),
			.from_node = model_int(&q, 6),
			.edited_from = model_int(&q, 7),
			.num = model_int(&q, 8),
			.group_op = model_int(&q, 10),
			.has_sources = model_int(&q, 11) != 0,
			.jump_depth = model_int(&q, 12),
			.jump2 = model_int(&q, 13),
			.jump2_depth = model_int(&q, 14),
			.ord = {-1, -1, -1, -1},
		};
		if (hash.n == sizeof out->hash.bytes)
			memcpy(out->hash.bytes, hash.p, hash.n);
	}
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "the node does not exist");
}

/* A node written a moment ago may not know the jump of its jump: read at most one row. */
static enum loom_status read_jump(struct loom_store *store, struct model_parent *at,
				  struct loom_err *err)
{
	const struct model_parent *high = parent_slot(store, at->jump);
	struct query q;

	if (high->id == at->jump) {
		at->jump2 = high->jump;
		at->jump2_depth = high->jump_depth;
		return LOOM_OK;
	}
	q = model_query(
		store,
		"SELECT k.id, k.depth FROM node j JOIN node k ON k.id = j.jump WHERE j.id = ?",
		err);
	model_bind(&q, at->jump);
	if (model_row(&q)) {
		at->jump2 = model_int(&q, 0);
		at->jump2_depth = model_int(&q, 1);
	}
	return model_done(&q);
}

static enum loom_status parent_of(struct loom_store *store, int64_t node, struct model_parent **out,
				  struct loom_err *err)
{
	struct model_parent *slot = parent_slot(store, node);
	enum loom_status status = LOOM_OK;

	if (slot->id != node) {
		slot->id = 0;
		status = read_parent(store, node, slot, err);
	} else if (slot->jump2 < 0) {
		status = read_jump(store, slot, err);
	}
	*out = slot;
	return status;
}

/* Kept with the group's first member, since versions share their children. */
static enum loom_status next_ord(struct loom_store *store, const struct model_parent *parent,
				 enum loom_node_kind kind, int64_t *out, struct loom_err *err)
{
	struct model_parent *first = parent_slot(store, parent->group);
	bool kept = first->id == parent->group;
	int64_t last = kept ? first->ord[kind] : -1;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT((size_t)kind < LOOM_COUNT(first->ord));
	if (last < 0) {
		status = model_last_ord(store, parent->group, kind, &last, err);
		if (last < store->held->write.left_ord)
			last = store->held->write.left_ord;
	}
	*out = last + 1;
	if (kept)
		first->ord[kind] = last + 1;
	return status;
}

/* Jump pointers (a skew-binary number system over depths): O(1) here, O(log depth) to climb. */
static void place_below(const struct model_parent *parent, struct model_parent *out)
{
	out->parent = parent->group;
	out->depth = parent->depth + 1;
	if (parent->depth - parent->jump_depth == parent->jump_depth - parent->jump2_depth &&
	    parent->depth > 0) {
		out->jump = parent->jump2;
		out->jump_depth = parent->jump2_depth;
		out->jump2 = -1;
	} else {
		out->jump = parent->group;
		out->jump_depth = parent->depth;
		out->jump2 = parent->jump;
		out->jump2_depth = parent->jump_depth;
	}
}

/* --- content hashes --- */

static enum loom_status author_text(struct loom_store *store, int64_t author, struct loom_err *err)
{
	struct model_write *write = &store->held->write;
	struct loom_ulid ulid = {{0}};
	struct query q;
	bool there;

	if (write->author == author && author)
		return LOOM_OK;
	q = model_query(store, "SELECT coalesce(said, ulid) FROM agent WHERE id = ?", err);
	model_bind(&q, author);
	there = model_row(&q);
	if (there)
		model_ulid(&q, 0, &ulid);
	if (model_done(&q) != LOOM_OK)
		return q.status;
	if (!there)
		return loom_fail(err, LOOM_FAULT, "the author is not an agent of this grove");
	write->author = author;
	loom_ulid_text(&ulid, write->author_ulid);
	return model_builds_on_agent(store, author, err);
}

/* Gathers the hashes of the parent's member and the extra sources, 32 bytes each. */
static enum loom_status gather_parents(struct loom_store *store, const struct model_parent *parent,
				       bool sources, struct loom_buf *out, struct loom_err *err)
{
	struct query q;

	if (!parent)
		return LOOM_OK;
	loom_buf_add(out, loom_str_make((const char *)parent->hash.bytes, 32));
	if (!sources)
		return LOOM_OK;
	q = model_query(
		store,
		"SELECT b.hash FROM node s JOIN op o ON o.id = s.op AND (o.state = 1 OR o.id = ?2) "
		"JOIN body b ON b.id = s.id WHERE s.parent = ?1 AND s.kind BETWEEN 2 AND 3 AND "
		"s.id = s.grp "
		"ORDER BY s.id",
		err);
	model_bind(&q, parent->group);
	model_bind(&q, store->held->write.op);
	while (model_row(&q))
		loom_buf_add(out, model_borrow(&q, 0));
	return model_done(&q);
}

static enum loom_status record_sources(struct loom_store *store, const struct model_parent *parent,
				       int64_t node, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"INSERT INTO source(node, ord, source) SELECT ?1, "
		"row_number() OVER (ORDER BY s.id), "
		"s.id FROM node s JOIN op o ON o.id = s.op AND (o.state = 1 OR "
		"o.id = ?3) WHERE s.parent = ?2 AND s.kind BETWEEN 2 AND 3 AND s.id = s.grp",
		err);

	model_bind(&q, node);
	model_bind(&q, parent->group);
	model_bind(&q, store->held->write.op);
	return model_run(&q);
}

/* --- writing a row --- */

/* A node about to be written. */
struct draft_row {
	const struct loom_node_spec *spec;
	struct model_parent at; /* its own place; becomes a cached parent */
	int64_t ord;
	int64_t prime;
	int64_t created;
	int64_t op;
	int64_t parent_op;       /* of the parent group */
	struct loom_buf parents; /* hashes */
	bool has_raw;
	struct loom_hash raw_hash;
};

static enum loom_status insert_narrow(struct loom_store *store, const struct draft_row *row,
				      struct loom_err *err)
{
	const struct model_parent *at = &row->at;
	const struct loom_node_spec *spec = row->spec;
	struct loom_ulid ulid;
	uint8_t random[5];
	struct query q = model_query(
		store,
		"INSERT INTO node(id, ulid, tree, num, prime, kind, grp, parent, ord, depth, jump, "
		"from_node, edited_from, op, author, thread, seq, created, children, bytes) "
		"VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		err);

	LOOM_ASSERT(model_in_op(store) && row->op);
	if (spec->ulid) {
		ulid = *spec->ulid;
	} else {
		loom_env_random(store->env, (uint64_t)at->id << 8 ^ 0x6E6F, random, sizeof random);
		ulid = loom_ulid_make(row->created, (uint64_t)at->id, random);
	}
	model_bind(&q, at->id);
	model_bind_blob(&q, ulid.bytes, sizeof ulid.bytes);
	model_bind(&q, at->tree);
	model_bind(&q, at->num);
	model_bind(&q, row->prime);
	model_bind(&q, spec->kind);
	model_bind(&q, at->group);
	model_bind_or_null(&q, at->parent);
	model_bind(&q, row->ord);
	model_bind(&q, at->depth);
	model_bind(&q, at->jump);
	model_bind_or_null(&q, at->from_node);
	model_bind_or_null(&q, at->edited_from);
	model_bind(&q, row->op);
	model_bind(&q, spec->author);
	model_bind_or_null(&q, spec->thread);
	if (spec->seq >= 0)
		model_bind(&q, spec->seq);
	else
		model_bind_null(&q);
	model_bind(&q, row->created);
	model_bind(&q, spec->children);
	model_bind(&q, (int64_t)spec->text.n);
	return model_run(&q);
}

static void bind_optional(struct query *q, const void *bytes, size_t n)
{
	if (n)
		model_bind_blob(q, bytes, n);
	else
		model_bind_null(q);
}

static enum loom_status insert_body(struct loom_store *store, struct draft_row *row,
				    struct loom_err *err)
{
	const struct loom_node_spec *spec = row->spec;
	struct loom_provenance what = {
		.text = spec->text,
		.parents = (const struct loom_hash *)(const void *)row->parents.p,
		.parent_count = row->parents.n / sizeof(struct loom_hash),
		.created_ms = row->created,
		.author = loom_str_of(store->held->write.author_ulid),
		.raw = row->has_raw ? &row->raw_hash : NULL,
	};
	struct query q =
		model_query(store,
			    "INSERT INTO body(id, text, hash, parents, raw_hash, original, "
			    "extra) VALUES(?,?,?,?,?,?,?)",
			    err);

	row->at.hash = loom_content_hash(&what);
	model_bind(&q, row->at.id);
	model_bind_blob(&q, spec->text.p, spec->text.n);
	model_bind_blob(&q, row->at.hash.bytes, 32);
	model_bind_blob(&q, row->parents.p, row->parents.n);
	bind_optional(&q, row->raw_hash.bytes, row->has_raw ? 32 : 0);
	bind_optional(&q, spec->original.p, spec->original.n);
	if (spec->extra.n)
		model_bind_text(&q, spec->extra);
	else
		model_bind_null(&q);
	return model_run(&q);
}

static enum loom_status insert_generation(struct loom_store *store, const struct draft_row *row,
					  struct loom_err *err)
{
	const struct loom_node_spec *spec = row->spec;
	uLongf size = compressBound(spec->raw.n);
	Bytef *packed = NULL;
	struct query q;
	enum loom_status status;

	LOOM_ASSERT(loom_str_ok(spec->raw));
	if (!spec->generation.n && !row->has_raw)
		return LOOM_OK;
	packed = loom_alloc(size);
	if (compress2(packed, &size, (const Bytef *)spec->raw.p, spec->raw.n, 6) != Z_OK) {
		free(packed);
		return loom_fail(err, LOOM_FAULT, "the raw response cannot be compressed");
	}
	q = model_query(store, "INSERT INTO generation(id, record, raw, raw_bytes) VALUES(?,?,?,?)",
			err);
	model_bind(&q, row->at.id);
	model_bind_text(&q, spec->generation);
	model_bind_blob(&q, packed, size);
	model_bind(&q, (int64_t)spec->raw.n);
	status = model_run(&q);
	free(packed);
	return status;
}

static enum loom_status next_node(struct loom_store *store, int64_t *out, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->writing);
	if (!store->held->write.last_node) {
		struct query q = model_query(store,
					     "SELECT max(coalesce((SELECT max(id) FROM node), 0), "
					     "(SELECT last_node FROM grove WHERE id = 1))",
					     err);

		status = model_one(&q, 0, &store->held->write.last_node);
	}
	*out = ++store->held->write.last_node;
	return status;
}

static enum loom_status refuse_spec(const struct loom_node_spec *spec, struct loom_err *err)
{
	size_t bad = 0;

	if (loom_utf8_valid(spec->text, &bad))
		return LOOM_OK;
	loom_fail(err, LOOM_INVALID, "the text is not UTF-8 (byte %zu)", bad);
	return loom_hint(err, LOOM_INVALID, "convert it first; an import keeps the original bytes");
}

static enum loom_status start_row(struct loom_store *store, struct draft_row *row,
				  struct loom_err *err)
{
	const struct loom_node_spec *spec = row->spec;
	enum loom_status status = model_op_need(store, &row->op, err);

	if (status == LOOM_OK)
		status = refuse_spec(spec, err);
	if (status == LOOM_OK)
		status = author_text(store, spec->author, err);
	if (status == LOOM_OK)
		status = next_node(store, &row->at.id, err);
	row->created = spec->created ? spec->created : loom_env_now(store->env);
	row->has_raw = spec->raw.n > 0;
	if (row->has_raw)
		row->raw_hash = loom_sha256(spec->raw);
	loom_buf_init(&row->parents, LOOM_BUF_MAX);
	return status;
}

static enum loom_status write_row(struct loom_store *store, struct draft_row *row,
				  struct loom_err *err)
{
	struct model_tree_state *tree = &store->held->write.tree;
	enum loom_status status = insert_narrow(store, row, err);

	LOOM_ASSERT(model_in_op(store));
	if (status == LOOM_OK)
		status = insert_body(store, row, err);
	if (status == LOOM_OK)
		status = insert_generation(store, row, err);
	if (status == LOOM_OK)
		status = model_seam_insert(store, row->at.id, row->spec, err);
	if (status != LOOM_OK)
		return status;
	row->at.op = row->op;
	*parent_slot(store, row->at.id) = row->at;
	if (row->created > tree->active)
		tree->active = row->created;
	tree->dirty = true;
	if (row->spec->kind == LOOM_CONTINUATION && !store->held->write.made++)
		store->held->write.first_made = row->at.id;
	return LOOM_OK;
}

/* --- creation --- */

static int64_t take_number(struct loom_store *store, const struct loom_node_spec *spec)
{
	struct model_tree_state *tree = &store->held->write.tree;

	LOOM_ASSERT(tree->id);
	tree->dirty = true;
	if (spec->num == LOOM_NUM_FIRST || (!spec->num && !tree->has_root))
		return 0;
	if (spec->num >= tree->next_num)
		tree->next_num = spec->num + 1;
	if (-spec->num >= tree->next_note)
		tree->next_note = -spec->num + 1;
	if (spec->num)
		return spec->num;
	return spec->kind == LOOM_ANNOTATION ? -tree->next_note++ : tree->next_num++;
}

/* A long write is invisible so far: its additions to older groups are summed up for its end. */
static enum loom_status count_in_graft(struct loom_store *store, struct draft_row *row,
				       struct loom_err *err)
{
	int64_t siblings = 0;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->held->write.spec.slices);
	if (row->parent_op != row->op) {
		model_graft_child(store, row->at.host, row->ord);
		return LOOM_OK;
	}
	if (!row->at.host)
		status = model_graft_host(store, row->at.parent, &row->at.host, err);
	parent_slot(store, row->at.id)->host = row->at.host;
	if (status == LOOM_OK)
		status = model_count_child(store, row->at.parent, &siblings, err);
	if (status == LOOM_OK)
		model_graft_below(store, row->at.host, siblings);
	return status;
}

/* Updates the counters for a new node and journals it. */
static enum loom_status count_new(struct loom_store *store, struct draft_row *row,
				  struct loom_err *err)
{
	const struct loom_count one = {.nodes = 1,
				       .leaves = row->spec->children == 0,
				       .branches = model_branches(row->spec->children)};
	struct model_tree_state *tree = &store->held->write.tree;
	const bool own_tree = tree->op == row->op;
	enum loom_status status = LOOM_OK;

	if (row->spec->kind != LOOM_CONTINUATION)
		return LOOM_OK;
	if (!tree->has_root || row->spec->counted) {
		tree->nodes += one.nodes;
		tree->leaves += one.leaves;
		tree->branches += one.branches;
		return LOOM_OK;
	}
	if (!store->held->write.spec.slices)
		status = model_made(store, row->at.id, &one, err);
	else if (!own_tree)
		return count_in_graft(store, row, err);
	if (status == LOOM_OK)
		status = model_count_attach(store, row->at.parent, row->at.tree, &one, 1, err);
	return status;
}

/* All cached versions of the group have the source from now on. */
static void note_source(struct loom_store *store, int64_t group)
{
	for (size_t i = 0; i < MODEL_PARENTS; i++)
		if (store->held->write.parents[i].group == group)
			store->held->write.parents[i].has_sources = true;
}

/* Accepts recorded parent hashes if this parent is among them. */
static void take_parents(struct draft_row *row, const struct model_parent *parent)
{
	const struct loom_str said = row->spec->parents;
	const struct loom_str hash = loom_str_make((const char *)parent->hash.bytes, 32);

	for (size_t at = 0; said.n % 32 == 0 && at < said.n; at += 32)
		if (loom_str_eq(loom_str_sub(said, at, 32), hash)) {
			loom_buf_clear(&row->parents);
			loom_buf_add(&row->parents, said);
			return;
		}
}

static enum loom_status create_below(struct loom_store *store, struct draft_row *row,
				     struct loom_err *err)
{
	const struct loom_node_spec *spec = row->spec;
	struct model_parent *parent = NULL;
	bool sources = false;
	enum loom_status status = parent_of(store, spec->from, &parent, err);

	LOOM_ASSERT(spec->from);
	if (status != LOOM_OK)
		return status;
	if (spec->tree && spec->tree != parent->tree)
		return loom_fail(err, LOOM_FAULT, "the node is in another tree");
	if ((spec->counted || spec->children) &&
	    !(store->held->write.spec.slices && store->held->write.tree.op == row->op &&
	      spec->kind == LOOM_CONTINUATION))
		return loom_fail(err, LOOM_FAULT, "children are promised in a new tree only");
	sources = spec->kind == LOOM_CONTINUATION && parent->has_sources;
	row->parent_op = parent->group_op;
	row->at.host = row->parent_op == row->op ? parent->host : parent->group;
	place_below(parent, &row->at);
	row->at.tree = parent->tree;
	row->at.from_node = spec->from;
	status = next_ord(store, parent, spec->kind, &row->ord, err);
	if (status == LOOM_OK)
		status = gather_parents(store, parent, sources, &row->parents, err);
	take_parents(row, parent);
	if (status == LOOM_OK)
		status = model_op_builds_on(store, parent->op, err);
	if (spec->kind == LOOM_CONTEXT_SOURCE || spec->kind == LOOM_INSTRUCTION_SOURCE)
		note_source(store, parent->group);
	row->at.num = take_number(store, spec);
	/* From here on the new node may take over the parent's slot. */
	if (status == LOOM_OK)
		status = write_row(store, row, err);
	if (status == LOOM_OK && sources) {
		struct model_parent copy = {.group = row->at.parent};

		status = record_sources(store, &copy, row->at.id, err);
	}
	return status == LOOM_OK ? count_new(store, row, err) : status;
}

/* The last of the roots. */
static enum loom_status place_root(struct loom_store *store, struct draft_row *row, int64_t tree,
				   struct loom_err *err)
{
	enum loom_status status =
		model_last_ord(store, loom_top(tree), LOOM_CONTINUATION, &row->ord, err);

	LOOM_ASSERT(row->at.id && tree);
	row->at.tree = tree;
	row->at.parent = row->at.from_node = 0;
	row->at.depth = row->at.jump_depth = row->at.jump2_depth = 0;
	row->at.jump = row->at.jump2 = row->at.id;
	row->at.host = loom_top(tree);
	if (row->ord < store->held->write.left_ord)
		row->ord = store->held->write.left_ord;
	row->ord++;
	return status;
}

static enum loom_status create_root(struct loom_store *store, struct draft_row *row,
				    struct loom_err *err)
{
	enum loom_status status;

	LOOM_ASSERT(!row->spec->from);
	if (row->spec->kind != LOOM_CONTINUATION)
		return loom_fail(err, LOOM_FAULT, "only nodes of the story begin it");
	status = place_root(store, row, row->spec->tree, err);
	row->at.num = take_number(store, row->spec);
	if (status == LOOM_OK)
		status = write_row(store, row, err);
	return status == LOOM_OK ? count_new(store, row, err) : status;
}

/* Queues its summary. An import's nodes wait until somebody looks at them. */
static enum loom_status sum_up(struct loom_store *store, const struct draft_row *row,
			       struct loom_err *err)
{
	if (store->held->write.spec.slices || !row->spec->text.n)
		return LOOM_OK;
	return model_sum_up(store, row->at.id, row->at.num, row->at.tree, err);
}

enum loom_status loom_node_create(struct loom_store *store, const struct loom_node_spec *spec,
				  int64_t *out_node, struct loom_err *err)
{
	struct draft_row row = {.spec = spec, .at = {.ord = {0, 0, 0, 0}}};
	struct model_parent *parent = NULL;
	int64_t tree = spec->tree;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(spec && out_node && loom_str_ok(spec->text));
	if (!tree && spec->from) {
		status = parent_of(store, spec->from, &parent, err);
		tree = status == LOOM_OK ? parent->tree : 0;
	}
	if (status == LOOM_OK)
		status = model_tree_state(store, tree, err);
	if (status == LOOM_OK)
		status = start_row(store, &row, err);
	row.at.group = row.at.id;
	row.at.group_op = row.op;
	row.prime = spec->num ? spec->prime : 0;
	if (status == LOOM_OK)
		status =
			spec->from ? create_below(store, &row, err) : create_root(store, &row, err);
	if (status == LOOM_OK && spec->kind == LOOM_CONTINUATION)
		status = sum_up(store, &row, err);
	if (status == LOOM_OK)
		*out_node = row.at.id;
	loom_buf_fini(&row.parents);
	return status;
}

/* --- versions --- */

static enum loom_status next_prime(struct loom_store *store, int64_t tree, int64_t num,
				   int64_t *out, struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT max(prime) + 1 FROM node WHERE tree = ? AND num = ?",
			    err);

	model_bind(&q, tree);
	model_bind(&q, num);
	return model_one(&q, 1, out);
}

static enum loom_status copy_parents(struct loom_store *store, int64_t node, struct loom_buf *out,
				     struct loom_err *err)
{
	struct query q = model_query(store, "SELECT parents FROM body WHERE id = ?", err);

	model_bind(&q, node);
	if (model_row(&q))
		loom_buf_add(out, model_borrow(&q, 0));
	return model_done(&q);
}

static enum loom_status copy_sources(struct loom_store *store, int64_t from, int64_t to,
				     struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO source(node, ord, source) SELECT ?2, ord, source "
				     "FROM source WHERE node = ?1",
				     err);

	model_bind(&q, from);
	model_bind(&q, to);
	return model_run(&q);
}

static enum loom_status ordinal_of(struct loom_store *store, int64_t group, int64_t *out,
				   struct loom_err *err)
{
	struct query q = model_query(store, "SELECT ord FROM node WHERE id = ?", err);

	model_bind(&q, group);
	return model_one(&q, 1, out);
}

/* One more member of the group, in the group's place. */
static enum loom_status place_member(struct loom_store *store, struct draft_row *row,
				     const struct model_parent *base, struct loom_err *err)
{
	bool shown = false;
	enum loom_status status = model_group_shown(store, base->group, &shown, err);

	if (status != LOOM_OK)
		return status;
	if (!shown)
		return loom_fail(err, LOOM_CONFLICT, "the node is pruned; restore it first");
	row->at.group = base->group;
	row->at.group_op = base->group_op;
	return ordinal_of(store, base->group, &row->ord, err);
}

/* A sibling of its own. */
static enum loom_status place_branch(struct loom_store *store, struct draft_row *row,
				     const struct model_parent *base, struct loom_err *err)
{
	struct model_parent *above = NULL;
	enum loom_status status;

	row->at.group = row->at.id;
	row->at.group_op = row->op;
	if (!base->parent)
		return place_root(store, row, base->tree, err);
	status = parent_of(store, base->from_node, &above, err);
	if (status != LOOM_OK)
		return status;
	place_below(above, &row->at); /* where the edited one was born may be elsewhere */
	row->parent_op = above->group_op;
	row->at.host = row->parent_op == row->op ? above->host : above->group;
	return next_ord(store, above, LOOM_CONTINUATION, &row->ord, err);
}

static enum loom_status place_version(struct loom_store *store, struct draft_row *row, bool branch,
				      struct model_parent *out_base, struct loom_err *err)
{
	const int64_t id = row->at.id;
	struct model_parent *base = NULL;
	enum loom_status status = parent_of(store, row->spec->from, &base, err);

	LOOM_ASSERT(id);
	if (status != LOOM_OK)
		return status;
	*out_base = *base; /* the slot may be reused meanwhile */
	row->at = *base;
	row->at.id = id;
	row->at.edited_from = base->id;
	memset(row->at.ord, 0, sizeof row->at.ord);
	row->at.has_sources = !branch && base->has_sources;
	if (!branch)
		memcpy(row->at.ord, (int64_t[]){-1, -1, -1, -1}, sizeof row->at.ord);
	status = branch ? place_branch(store, row, out_base, err)
			: place_member(store, row, out_base, err);
	if (status == LOOM_OK)
		status = row->spec->prime
				 ? LOOM_OK
				 : next_prime(store, row->at.tree, row->at.num, &row->prime, err);
	if (row->spec->prime)
		row->prime = row->spec->prime;
	if (status == LOOM_OK)
		status = copy_parents(store, out_base->id, &row->parents, err);
	return status;
}

static enum loom_status is_continuation(struct loom_store *store, int64_t node,
					struct loom_err *err)
{
	int64_t kind = 0;
	struct query q = model_query(store, "SELECT kind FROM node WHERE id = ?", err);

	model_bind(&q, node);
	if (model_one(&q, -1, &kind) != LOOM_OK)
		return q.status;
	return kind == LOOM_CONTINUATION
		       ? LOOM_OK
		       : loom_fail(err, LOOM_CONFLICT, "only nodes of the story have versions");
}

enum loom_status loom_node_edit(struct loom_store *store, const struct loom_node_spec *spec,
				enum loom_edit_as as, int64_t *out_node, struct loom_err *err)
{
	static const struct loom_count nothing = {.nodes = 0};
	struct draft_row row = {.spec = spec, .at = {.ord = {0, 0, 0, 0}}};
	struct model_parent base = {.id = 0};
	struct model_parent *edited = NULL;
	bool branch = as == LOOM_EDIT_BRANCH;
	bool own_group = false;
	enum loom_status status = parent_of(store, spec->from, &edited, err);

	LOOM_ASSERT(spec->from && (int)as <= LOOM_EDIT_VERSION);
	if (status == LOOM_OK)
		status = model_tree_state(store, edited->tree, err);
	if (status == LOOM_OK)
		status = is_continuation(store, spec->from, err);
	if (status == LOOM_OK && as == LOOM_EDIT_BY_MODE)
		branch = store->held->write.tree.mode == LOOM_DIALOGUE;
	if (status == LOOM_OK)
		status = start_row(store, &row, err);
	if (status == LOOM_OK)
		status = place_version(store, &row, branch, &base, err);
	/* In a group hidden with its operation, a version comes and goes with the group. */
	own_group = base.group_op == row.op && store->held->write.spec.slices;
	if (status == LOOM_OK)
		status = model_op_builds_on(store, base.op, err);
	if (status == LOOM_OK)
		status = write_row(store, &row, err);
	if (status == LOOM_OK)
		status = copy_sources(store, base.id, row.at.id, err);
	if (status == LOOM_OK)
		status = branch      ? count_new(store, &row, err)
			 : own_group ? LOOM_OK
				     : model_made(store, row.at.id, &nothing, err);
	if (status == LOOM_OK)
		status = sum_up(store, &row, err);
	if (status == LOOM_OK)
		*out_node = row.at.id;
	loom_buf_fini(&row.parents);
	return status;
}
