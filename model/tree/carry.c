/* Carries trees between groves and files: see carry.h. Marks of a carried node need no journal,
 * because they are visible only while the node is, which is up to its operation. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/carry.h>
#include <loom/base/utf8.h>

/* --- rows by ULID --- */

static enum loom_status find_holder(struct loom_store *store, const char *sql,
				    const struct loom_ulid *ulid, struct loom_holder *out,
				    struct loom_err *err)
{
	struct query q = model_query(store, sql, err);

	LOOM_ASSERT(ulid && out);
	*out = (struct loom_holder){.id = 0};
	model_bind_blob(&q, ulid->bytes, sizeof ulid->bytes);
	if (model_row(&q))
		*out = (struct loom_holder){
			.id = model_int(&q, 0),
			.tree = model_int(&q, 1),
			.op = model_int(&q, 2),
			.state = (enum loom_op_state)model_int(&q, 3),
		};
	return model_done(&q);
}

enum loom_status loom_carry_node(struct loom_store *store, const struct loom_ulid *ulid,
				 struct loom_holder *out, struct loom_err *err)
{
	return find_holder(store,
			   "SELECT x.id, x.tree, x.op, o.state FROM node x JOIN op o ON o.id = "
			   "x.op WHERE x.ulid = ?",
			   ulid, out, err);
}

/* Finds the neighbour's ULID, or the bound beyond all of them. */
static enum loom_status find_neighbour(struct loom_store *store, const char *sql,
				       const struct loom_ulid *ulid, uint8_t beyond,
				       struct loom_ulid *out, struct loom_err *err)
{
	struct query q = model_query(store, sql, err);

	LOOM_ASSERT(ulid && out);
	memset(out->bytes, beyond, sizeof out->bytes);
	model_bind_blob(&q, ulid->bytes, sizeof ulid->bytes);
	if (model_row(&q))
		model_ulid(&q, 0, out);
	return model_done(&q);
}

enum loom_status loom_carry_gap(struct loom_store *store, const struct loom_ulid *ulid,
				struct loom_ulid *out_low, struct loom_ulid *out_high,
				struct loom_err *err)
{
	struct loom_ulid low;
	struct loom_ulid high;
	enum loom_status status =
		find_neighbour(store,
			       "SELECT ulid FROM node WHERE ulid <= ? ORDER BY ulid DESC LIMIT 1",
			       ulid, 0, &low, err);

	if (status == LOOM_OK)
		status =
			find_neighbour(store,
				       "SELECT ulid FROM node WHERE ulid > ? ORDER BY ulid LIMIT 1",
				       ulid, UINT8_MAX, &high, err);
	if (status == LOOM_OK && memcmp(low.bytes, ulid->bytes, sizeof low.bytes) != 0) {
		*out_low = low;
		*out_high = high;
	}
	return status;
}

enum loom_status loom_carry_tree(struct loom_store *store, const struct loom_ulid *ulid,
				 struct loom_holder *out, struct loom_err *err)
{
	return find_holder(store,
			   "SELECT x.id, x.id, x.op, o.state FROM tree x JOIN op o ON o.id = "
			   "x.op WHERE x.ulid = ?",
			   ulid, out, err);
}

enum loom_status loom_carry_agent(struct loom_store *store, const struct loom_ulid *ulid,
				  struct loom_holder *out, struct loom_err *err)
{
	return find_holder(store,
			   "SELECT x.id, 0, x.op, o.state FROM agent x JOIN op o ON o.id = "
			   "x.op WHERE x.ulid = ?",
			   ulid, out, err);
}

/* --- a whole tree --- */

static int by_number(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The index of local ids lists them without touching other trees, but in another order: sort. */
enum loom_status loom_carry_list(struct loom_store *store, int64_t tree, int64_t **out,
				 size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT n.id FROM node n INDEXED BY node_local JOIN op o ON "
				     "o.id = n.op AND o.state = 1 WHERE n.tree = ?",
				     err);
	size_t cap = 0;

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	model_bind(&q, tree);
	while (model_row(&q)) {
		if (*out_count == cap) {
			cap = cap ? cap * 2 : 256;
			*out = loom_realloc(*out, cap, sizeof **out);
		}
		LOOM_ASSERT(*out_count < cap);
		(*out)[(*out_count)++] = model_int(&q, 0);
	}
	if (*out_count)
		qsort(*out, *out_count, sizeof **out, by_number);
	return model_done(&q);
}

static int by_group(const void *a, const void *b)
{
	return by_number(&((const struct loom_carry_place *)a)->group,
			 &((const struct loom_carry_place *)b)->group);
}

/* Siblings come by their ordinals: they stand as they were created up to the first that was moved,
 * or that is older than one before it. */
struct row_of_siblings {
	int64_t among; /* what they have in common */
	int64_t newest;
	int64_t count;
	bool late; /* beyond that */
};

static void look_at_sibling(struct row_of_siblings *row, int64_t among,
			    struct loom_carry_place *place)
{
	LOOM_ASSERT(place->group);
	if (row->among != among)
		*row = (struct row_of_siblings){.among = among};
	row->late |= place->moved || place->group < row->newest;
	row->newest = place->group > row->newest ? place->group : row->newest;
	place->ord = ++row->count;
}

/* Finds where a group was born. A branch that is an edit was born where the edited one was, because
 * that is what its hash covers, even if it came to stand elsewhere at once. */
static enum loom_status find_birth(struct loom_store *store, int64_t group,
				   struct loom_carry_place *out, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out = (struct loom_carry_place){.group = group};
	for (int64_t edited = 0; group && status == LOOM_OK; group = edited) {
		struct query q = model_query(
			store,
			"SELECT h.id IS NOT NULL, h.born, h.born_from, n.parent, n.from_node, "
			"e.grp "
			"FROM node n LEFT JOIN hung h ON h.id = n.id LEFT JOIN node e ON e.id = "
			"n.edited_from WHERE n.id = ?",
			err);

		edited = 0;
		model_bind(&q, group);
		if (model_row(&q)) {
			const bool hung = model_int(&q, 0) != 0;

			out->born = model_int(&q, hung ? 1 : 3);
			out->born_from = model_int(&q, hung ? 2 : 4);
			edited = model_int(&q, 5);
		}
		status = model_done(&q);
		LOOM_ASSERT(status != LOOM_OK || edited < group || edited == 0);
	}
	return status;
}

enum loom_status loom_carry_places(struct loom_store *store, int64_t tree,
				   struct loom_carry_place **out, size_t *out_count,
				   struct loom_err *err)
{
#define AMONG(n) "coalesce(" n ".parent, 0) * 4 + " n ".kind"
	struct query q = model_query(
		store,
		"SELECT n.id, n.parent, n.from_node, " AMONG(
			"n") " FROM node n JOIN op o ON o.id = n.op AND o.state = 1 WHERE n.tree = "
			     "?1 AND n.id "
			     "= n.grp AND " AMONG("n") " IN (SELECT " AMONG(
				     "p") " FROM hung g JOIN node p ON "
					  "p.id = g.id WHERE g.tree = ?1 UNION SELECT " AMONG(
						  "p") " FROM node p CROSS JOIN "
						       "node e ON e.id = p.edited_from CROSS JOIN "
						       "hung g ON g.id = e.grp WHERE p.tree = "
						       "?1) AND EXISTS(SELECT 1 FROM hung WHERE "
						       "tree = ?1) ORDER BY 4, n.ord",
		err);
#undef AMONG
	struct row_of_siblings row = {.among = -1};
	enum loom_status status = LOOM_OK;
	size_t cap = 0;

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	model_bind(&q, tree);
	while (status == LOOM_OK && model_row(&q)) {
		struct loom_carry_place place;

		status = find_birth(store, model_int(&q, 0), &place, err);
		place.moved = place.born != model_int(&q, 1) || place.born_from != model_int(&q, 2);
		look_at_sibling(&row, model_int(&q, 3), &place);
		if (!row.late)
			continue;
		if (*out_count == cap) {
			cap = cap ? cap * 2 : 64;
			*out = loom_realloc(*out, cap, sizeof **out);
		}
		(*out)[(*out_count)++] = place;
	}
	if (*out_count)
		qsort(*out, *out_count, sizeof **out, by_group);
	return model_done(&q) == LOOM_OK ? status : q.status;
}

const struct loom_carry_place *loom_carry_place_of(const struct loom_carry_place *places,
						   size_t count, int64_t group)
{
	const struct loom_carry_place key = {.group = group};

	return count ? bsearch(&key, places, count, sizeof *places, by_group) : NULL;
}

enum loom_status loom_carry_kept(struct loom_store *store, int64_t node, struct loom_arena *arena,
				 struct loom_str *out_original, struct loom_str *out_extra,
				 struct loom_err *err)
{
	struct query q = model_query(store, "SELECT original, extra FROM body WHERE id = ?", err);

	*out_original = *out_extra = (struct loom_str){NULL, 0};
	model_bind(&q, node);
	if (model_row(&q)) {
		*out_original = model_text(&q, 0, arena);
		*out_extra = model_text(&q, 1, arena);
	}
	return model_done(&q);
}

/* --- marks that come with their node --- */

static enum loom_status require_own(struct loom_store *store, int64_t node, int64_t *out_tree,
				    struct loom_err *err)
{
	struct query q = model_query(store, "SELECT tree FROM node WHERE id = ? AND op = ?", err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, node);
	model_bind(&q, store->held->write.op);
	if (model_one(&q, 0, out_tree) != LOOM_OK || *out_tree)
		return q.status;
	return loom_fail(err, LOOM_FAULT, "the node is not one of this operation's");
}

enum loom_status loom_carry_mark(struct loom_store *store, int64_t node,
				 const struct loom_carry_marks *marks, struct loom_err *err)
{
	int64_t tree = 0;
	enum loom_status status = require_own(store, node, &tree, err);
	struct query q;

	if (status != LOOM_OK)
		return status;
	if (!loom_utf8_valid(marks->label, NULL) || !loom_utf8_valid(marks->summary, NULL))
		return loom_fail(err, LOOM_INVALID, "a mark's text is not UTF-8");
	q = model_query(store,
			"INSERT INTO mark(id, tree, bookmark, label, excluded, summary, "
			"summary_extract) VALUES(?,?,?,?,?,?,?)",
			err);
	model_bind(&q, node);
	model_bind(&q, tree);
	model_bind(&q, marks->bookmarked);
	model_bind_text(&q, marks->label);
	model_bind(&q, marks->excluded);
	model_bind_text(&q, marks->summary);
	model_bind(&q, marks->summary_extract);
	return model_run(&q);
}

enum loom_status loom_carry_unseamed(struct loom_store *store, int64_t node, struct loom_err *err)
{
	int64_t tree = 0;
	enum loom_status status = require_own(store, node, &tree, err);
	struct query q;

	if (status != LOOM_OK)
		return status;
	q = model_query(store, "UPDATE seam SET live = 0, ver = ver + 1 WHERE id = ?", err);
	model_bind(&q, node);
	return model_run(&q);
}

enum loom_status loom_carry_tag(struct loom_store *store, int64_t node, struct loom_str name,
				struct loom_err *err)
{
	int64_t tree = 0;
	enum loom_status status = require_own(store, node, &tree, err);
	struct query q;

	if (status != LOOM_OK)
		return status;
	if (!name.n || name.n > 200 || !loom_utf8_valid(name, NULL))
		return loom_fail(err, LOOM_INVALID, "a tag has 1 to 200 bytes of UTF-8");
	q = model_query(store, "INSERT OR IGNORE INTO tag(node, name, live) VALUES(?, ?, 1)", err);
	model_bind(&q, node);
	model_bind_text(&q, name);
	return model_run(&q);
}
