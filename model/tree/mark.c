/* Marks: bookmarks, exclusion, summaries, tags, links. Rows appear with the first mark and are
 * switched on and off by journalled changes. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/mark.h>
#include <loom/base/utf8.h>

/* Requires the row that `sql` finds by number, and builds on the operation that created it. */
static enum loom_status build_on(struct loom_store *store, const char *sql, int64_t row,
				 const char *missing, struct loom_err *err)
{
	struct query q = model_query(store, sql, err);
	int64_t made_by = 0;
	enum loom_status status;

	LOOM_ASSERT(sql && missing);
	model_bind(&q, row);
	status = model_one(&q, 0, &made_by);
	if (status == LOOM_OK && !made_by)
		status = loom_fail(err, LOOM_NOT_FOUND, "%s", missing);
	if (status == LOOM_OK)
		status = model_op_need(store, NULL, err);
	if (status == LOOM_OK)
		status = model_op_builds_on(store, made_by, err);
	return status;
}

static enum loom_status mark_on(struct loom_store *store, int64_t node, struct loom_err *err)
{
	return build_on(store,
			"SELECT n.op FROM node n JOIN op o ON o.id = n.op AND o.state = 1 "
			"WHERE n.id = ?",
			node, "the node does not exist", err);
}

static enum loom_status require_utf8(struct loom_str text, struct loom_err *err)
{
	return loom_utf8_valid(text, NULL) && !memchr(text.n ? text.p : "x", 0, text.n ? text.n : 1)
		       ? LOOM_OK
		       : loom_fail(err, LOOM_INVALID, "the text is not UTF-8");
}

/* Setting what is already set must not create an operation: look before writing. */
static enum loom_status mark_is(struct loom_store *store, const char *sql, int64_t node,
				struct loom_str text, bool *out, struct loom_err *err)
{
	struct query q = model_query(store, sql, err);
	int64_t is = 0;
	enum loom_status status;

	model_bind(&q, node);
	model_bind_text(&q, text);
	status = model_one(&q, 0, &is);
	*out = is != 0;
	return status;
}

enum loom_status loom_bookmark_set(struct loom_store *store, int64_t node, bool on,
				   struct loom_str label, bool *out_changed, struct loom_err *err)
{
	static const char on_is[] = "SELECT bookmark = 1 AND label = ?2 FROM mark WHERE id = ?1";
	static const char off_is[] =
		"SELECT coalesce((SELECT bookmark FROM mark WHERE id = ?1), 0) = 0 OR ?2 IS NULL";
	bool same = false;
	enum loom_status status = require_utf8(label, err);

	LOOM_ASSERT(out_changed);
	if (status == LOOM_OK)
		status = mark_is(store, on ? on_is : off_is, node, label, &same, err);
	if (status == LOOM_OK && !same && on)
		status = model_label_check(store, "a bookmark's label", label, err);
	if (status == LOOM_OK && !same)
		status = mark_on(store, node, err);
	*out_changed = !same;
	if (status != LOOM_OK || same)
		return status;
	status = model_mark_row(store, node, err);
	if (status == LOOM_OK)
		status = model_set(store, MODEL_MARK_BOOKMARK, node, model_of_int(on), NULL, err);
	if (status == LOOM_OK)
		status = model_set(store, MODEL_MARK_LABEL, node,
				   model_of_text(on ? label : LOOM_STR("")), NULL, err);
	return status;
}

enum loom_status loom_exclude_set(struct loom_store *store, int64_t node, bool on,
				  bool *out_changed, struct loom_err *err)
{
	static const char is[] =
		"SELECT coalesce((SELECT excluded FROM mark WHERE id = ?1), 0) = ?2";
	struct query q = model_query(store, is, err);
	int64_t same = 0;
	enum loom_status status;

	model_bind(&q, node);
	model_bind(&q, on);
	status = model_one(&q, 0, &same);
	*out_changed = !same;
	if (status == LOOM_OK && !same)
		status = mark_on(store, node, err);
	if (status != LOOM_OK || same)
		return status;
	status = model_mark_row(store, node, err);
	return status == LOOM_OK
		       ? model_set(store, MODEL_MARK_EXCLUDED, node, model_of_int(on), NULL, err)
		       : status;
}

/* --- seams --- */

enum loom_status model_seam_insert(struct loom_store *store, int64_t node,
				   const struct loom_node_spec *spec, struct loom_err *err)
{
	struct loom_seam seam;
	struct query q;

	LOOM_ASSERT(model_in_op(store));
	if (!loom_seam_of(spec->generation, spec->text, &seam))
		return LOOM_OK;
	q = model_query(store, "INSERT INTO seam(id, skip, put, cut) VALUES(?,?,?,?)", err);
	model_bind(&q, node);
	model_bind(&q, (int64_t)seam.skip);
	model_bind_text(&q, seam.put);
	model_bind(&q, (int64_t)seam.cut);
	return model_run(&q);
}

enum loom_status loom_seam_set(struct loom_store *store, int64_t node, bool on, bool *out_changed,
			       struct loom_err *err)
{
	struct query q = model_query(store, "SELECT live FROM seam WHERE id = ?", err);
	enum loom_status status;
	bool there;

	LOOM_ASSERT(out_changed);
	model_bind(&q, node);
	there = model_row(&q);
	*out_changed = there && (model_int(&q, 0) != 0) != on;
	status = model_done(&q);
	if (status == LOOM_OK && !there) {
		loom_fail(err, LOOM_NOT_FOUND, "the text has no seam: it is read as it came");
		return loom_hint(err, LOOM_NOT_FOUND,
				 "only what a chat model wrote to continue a text may have one");
	}
	if (status == LOOM_OK && *out_changed)
		status = mark_on(store, node, err);
	return status == LOOM_OK && *out_changed
		       ? model_set(store, MODEL_SEAM_LIVE, node, model_of_int(on), NULL, err)
		       : status;
}

/* --- tags --- */

static enum loom_status tag_row(struct loom_store *store, int64_t node, struct loom_str name,
				int64_t *out, bool *out_live, struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT id, live FROM tag WHERE node = ? AND name = ?", err);

	*out = 0;
	*out_live = false;
	model_bind(&q, node);
	model_bind_text(&q, name);
	if (model_row(&q)) {
		*out = model_int(&q, 0);
		*out_live = model_int(&q, 1) != 0;
	}
	return model_done(&q);
}

static enum loom_status insert_tag(struct loom_store *store, int64_t node, struct loom_str name,
				   int64_t *out, struct loom_err *err)
{
	struct query q =
		model_query(store, "INSERT INTO tag(node, name, live) VALUES(?, ?, 0) RETURNING id",
			    err);

	LOOM_ASSERT(model_in_op(store));
	model_bind(&q, node);
	model_bind_text(&q, name);
	return model_insert(&q, out);
}

/* A name already in use as a tag is always allowed. */
static enum loom_status refuse_tag(struct loom_store *store, struct loom_str name,
				   struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT EXISTS(SELECT 1 FROM tag WHERE name = ? AND live = 1)",
			    err);
	int64_t known = 0;

	model_bind_text(&q, name);
	if (model_one(&q, 0, &known) != LOOM_OK || known)
		return q.status;
	/* Skips from name to name through the index: a million rows may have few names. */
	return model_name_check(
		store, LOOM_NAMED_TAG, name,
		"WITH RECURSIVE next(name) AS (SELECT min(name) FROM tag WHERE live = 1 UNION ALL "
		"SELECT (SELECT min(t.name) FROM tag t WHERE t.live = 1 AND t.name > next.name) "
		"FROM next WHERE next.name IS NOT NULL) "
		"SELECT name FROM next WHERE name IS NOT NULL AND ?1 = 0",
		0, err);
}

enum loom_status loom_tag_set(struct loom_store *store, int64_t node, struct loom_str name, bool on,
			      bool *out_changed, struct loom_err *err)
{
	int64_t row = 0;
	bool live = false;
	enum loom_status status = require_utf8(name, err);

	LOOM_ASSERT(out_changed);
	*out_changed = false;
	if (status == LOOM_OK && name.n == 0)
		status = loom_fail(err, LOOM_SYNTAX, "a tag needs a name");
	if (status == LOOM_OK && name.n > 200)
		status = loom_fail(err, LOOM_LIMIT, "a tag has at most 200 bytes");
	if (status == LOOM_OK)
		status = tag_row(store, node, name, &row, &live, err);
	if (status != LOOM_OK || live == on)
		return status;
	if (on)
		status = refuse_tag(store, name, err);
	if (status == LOOM_OK)
		status = mark_on(store, node, err);
	if (status == LOOM_OK && !row)
		status = insert_tag(store, node, name, &row, err);
	if (status == LOOM_OK)
		status = model_set(store, MODEL_TAG_LIVE, row, model_of_int(on), out_changed, err);
	return status;
}

enum loom_status loom_tag_list(struct loom_store *store, struct loom_arena *arena,
			       struct loom_tag **out, size_t *out_count, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT g.name, count(*) FROM tag g JOIN node n ON n.id = g.node "
			    "JOIN op o ON o.id = n.op AND o.state = 1 "
			    "WHERE g.live = 1 GROUP BY g.name ORDER BY g.name",
			    err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		(*out)[*out_count].name = model_text(&q, 0, arena);
		(*out)[(*out_count)++].nodes = model_int(&q, 1);
	}
	return model_done(&q);
}

enum loom_status loom_tag_of(struct loom_store *store, int64_t node, struct loom_arena *arena,
			     struct loom_str **out, size_t *out_count, struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT name FROM tag WHERE node = ? AND live = 1 ORDER BY name",
			    err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, node);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		(*out)[(*out_count)++] = model_text(&q, 0, arena);
	}
	return model_done(&q);
}

enum loom_status loom_tag_nodes(struct loom_store *store, const struct loom_tagged *page,
				struct loom_arena *arena, struct loom_nodes *out,
				struct loom_err *err)
{
	static const char *const tagged[] = MODEL_NODE_FORMS(
		"tag g JOIN node n ON n.id = g.node" MODEL_DONE_OP,
		"WHERE g.name = ?4 AND g.live = 1 AND n.id > ?2 AND (?1 = 0 OR n.tree = ?1) "
		"ORDER BY n.id LIMIT ?3");
	static const char *const marked[] =
		MODEL_NODE_FORMS("mark k JOIN node n ON n.id = k.id" MODEL_DONE_OP,
				 "WHERE k.bookmark = 1 AND n.id > ?2 AND (?1 = 0 OR k.tree = ?1) "
				 "ORDER BY n.id LIMIT ?3");
	static const char *const pruned[] =
		MODEL_NODE_FORMS("mark k JOIN node n ON n.id = k.id" MODEL_DONE_OP,
				 "WHERE k.pruned = 1 AND n.id > ?2 AND (?1 = 0 OR k.tree = ?1) "
				 "ORDER BY n.id LIMIT ?3");
	const size_t form = model_node_form(LOOM_NODE_ALL);
	struct query q = model_query(store,
				     page->name.p   ? tagged[form]
				     : page->pruned ? pruned[form]
						    : marked[form],
				     err);
	size_t cap = 0;

	LOOM_ASSERT(page->limit <= INT64_MAX);
	*out = (struct loom_nodes){NULL, 0};
	model_bind(&q, page->tree);
	model_bind(&q, page->after);
	model_bind(&q, (int64_t)page->limit);
	if (page->name.p)
		model_bind_text(&q, page->name);
	while (model_row(&q)) {
		out->items =
			loom_arena_grow(arena, out->items, out->count, &cap, sizeof *out->items);
		model_read_node(&q, LOOM_NODE_ALL, arena, &out->items[out->count++]);
	}
	return model_done(&q);
}

/* --- links --- */

static enum loom_status same_link(struct loom_store *store, const struct loom_link *spec,
				  int64_t *out, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT l.id FROM link l JOIN op o ON o.id = l.op AND o.state = 1 "
		"WHERE l.from_node = ? AND l.kind = ? AND l.to_node IS ? AND l.to_doc IS ? "
		"AND l.to_tree IS ? AND l.section = ? AND l.note = ? AND l.live = 1",
		err);

	model_bind(&q, spec->from);
	model_bind(&q, spec->kind);
	model_bind_or_null(&q, spec->to_node);
	model_bind_or_null(&q, spec->to_doc);
	model_bind_or_null(&q, spec->to_tree);
	model_bind_text(&q, spec->section);
	model_bind_text(&q, spec->note);
	return model_one(&q, 0, out);
}

/* A link between two nodes is listed at both ends, so the same link from the other end is not a new
 * one. */
static enum loom_status same_link_either_way(struct loom_store *store, const struct loom_link *spec,
					     int64_t *out, struct loom_err *err)
{
	struct loom_link mirrored = *spec;
	enum loom_status status = same_link(store, spec, out, err);

	if (status != LOOM_OK || *out || spec->kind != LOOM_LINK_NODE || spec->to_tree)
		return status;
	mirrored.from = spec->to_node;
	mirrored.to_node = spec->from;
	return same_link(store, &mirrored, out, err);
}

static enum loom_status insert_link(struct loom_store *store, const struct loom_link *spec,
				    int64_t *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO link(op, from_node, kind, to_node, to_doc, "
				     "to_tree, section, note, author, created) "
				     "VALUES(?,?,?,?,?,?,?,?,?,?) RETURNING id",
				     err);

	LOOM_ASSERT(model_in_op(store));
	model_bind(&q, store->held->write.op);
	model_bind(&q, spec->from);
	model_bind(&q, spec->kind);
	model_bind_or_null(&q, spec->to_node);
	model_bind_or_null(&q, spec->to_doc);
	model_bind_or_null(&q, spec->to_tree);
	model_bind_text(&q, spec->section);
	model_bind_text(&q, spec->note);
	model_bind(&q, spec->author);
	model_bind(&q, spec->created ? spec->created : loom_env_now(store->env));
	return model_insert(&q, out);
}

/* Undo must not remove the other end from under the link. */
static enum loom_status build_on_target(struct loom_store *store, const struct loom_link *spec,
					struct loom_err *err)
{
#define MADE_VISIBLY " JOIN op o ON o.id = x.op AND (o.state = 1 OR o.id = ?2) WHERE x.id = ?1"
	static const char *const made_by[] = {
		[LOOM_LINK_NODE] = "SELECT x.op FROM node x" MADE_VISIBLY,
		[LOOM_LINK_DOC] = "SELECT x.op FROM doc x" MADE_VISIBLY,
		[LOOM_LINK_TREE] = "SELECT x.op FROM tree x" MADE_VISIBLY,
	};
	int64_t op = 0;
	struct query q = model_query(store, made_by[spec->kind], err);
	enum loom_status status;

	LOOM_ASSERT((size_t)spec->kind < LOOM_COUNT(made_by));
	model_bind(&q, spec->kind == LOOM_LINK_NODE  ? spec->to_node
		       : spec->kind == LOOM_LINK_DOC ? spec->to_doc
						     : spec->to_tree);
	model_bind(&q, store->held->write.op);
	status = model_one(&q, 0, &op);
	if (status == LOOM_OK && !op)
		status = loom_fail(err, LOOM_NOT_FOUND, "the link's target does not exist");
	return status == LOOM_OK ? model_op_builds_on(store, op, err) : status;
}

enum loom_status loom_link_create(struct loom_store *store, const struct loom_link *spec,
				  int64_t *out_link, bool *out_changed, struct loom_err *err)
{
	enum loom_status status = require_utf8(spec->note, err);

	LOOM_ASSERT(out_link && out_changed);
	*out_changed = false;
	if (status == LOOM_OK)
		status = same_link_either_way(store, spec, out_link, err);
	if (status != LOOM_OK || *out_link)
		return status;
	status = model_label_check(store, "a link's note", spec->note, err);
	if (status == LOOM_OK)
		status = mark_on(store, spec->from, err);
	if (status == LOOM_OK)
		status = build_on_target(store, spec, err);
	if (status == LOOM_OK)
		status = insert_link(store, spec, out_link, err);
	*out_changed = status == LOOM_OK;
	return status;
}

enum loom_status loom_link_remove(struct loom_store *store, int64_t link, struct loom_err *err)
{
	enum loom_status status =
		build_on(store,
			 "SELECT l.op FROM link l JOIN op o ON o.id = l.op AND o.state = 1 "
			 "WHERE l.id = ? AND l.live = 1",
			 link, "there is no such link", err);

	return status == LOOM_OK
		       ? model_set(store, MODEL_LINK_LIVE, link, model_of_int(0), NULL, err)
		       : status;
}

#define LINK_SELECT                                                                                \
	"SELECT l.id, l.from_node, l.kind, l.to_node, l.to_doc, l.to_tree, l.section, l.note, "    \
	"l.author, l.created FROM link l JOIN op o ON o.id = l.op AND o.state = 1 "                \
	"WHERE l.live = 1 AND "

enum loom_status loom_link_list(struct loom_store *store, enum loom_link_kind end, int64_t id,
				struct loom_arena *arena, struct loom_link **out, size_t *out_count,
				struct loom_err *err)
{
	static const char *const by_end[] = {
		[LOOM_LINK_NODE] = LINK_SELECT
		"(l.from_node = ?1 OR l.to_node = ?1 OR (l.to_node IS NULL AND l.to_tree = "
		"(SELECT tree FROM node WHERE id = ?1 AND parent IS NULL))) ORDER BY l.id",
		[LOOM_LINK_DOC] = LINK_SELECT "l.to_doc = ?1 ORDER BY l.id",
		[LOOM_LINK_TREE] = LINK_SELECT "l.to_tree = ?1 ORDER BY l.id",
	};
	struct query q = model_query(store, by_end[end], err);
	size_t cap = 0;

	LOOM_ASSERT((size_t)end < LOOM_COUNT(by_end));
	*out = NULL;
	*out_count = 0;
	model_bind(&q, id);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		(*out)[(*out_count)++] = (struct loom_link){
			.id = model_int(&q, 0),
			.from = model_int(&q, 1),
			.kind = (enum loom_link_kind)model_int(&q, 2),
			.to_node = model_int(&q, 3),
			.to_doc = model_int(&q, 4),
			.to_tree = model_int(&q, 5),
			.section = model_text(&q, 6, arena),
			.note = model_text(&q, 7, arena),
			.author = model_int(&q, 8),
			.created = model_int(&q, 9),
		};
	}
	return model_done(&q);
}
