/* Queries for the screen: bounded walks along a chain, recent nodes, and what is shown beside a
 * node's text. */
#include <loom/tree/tree_rows.h>

#include <loom/base/jval.h>
#include <loom/tree/mark.h>
#include <loom/tree/node.h>

enum loom_status loom_node_chain(struct loom_store *store, int64_t group, int64_t limit,
				 int64_t *out_last, int64_t *out_steps, struct loom_err *err)
{
	/* The recursion returns its rows in order, so the last one is the end of the chain. */
	struct query q = model_query(
		store,
		"WITH RECURSIVE way(id, steps, children) AS ("
		"SELECT id, 0, children FROM node WHERE id = ?1 UNION ALL "
		"SELECT n.id, w.steps + 1, n.children FROM way w JOIN node n ON n.parent = w.id "
		"AND n.kind = 0 AND n.id = n.grp JOIN op o ON o.id = n.op AND o.state = 1 "
		"LEFT JOIN mark m ON m.id = n.id "
		"WHERE w.children = 1 AND w.steps < ?2 AND coalesce(m.pruned, 0) = 0) "
		"SELECT id, steps FROM way",
		err);

	LOOM_ASSERT(limit >= 0);
	*out_last = group;
	*out_steps = 0;
	model_bind(&q, group);
	model_bind(&q, limit);
	while (model_row(&q)) {
		*out_last = model_int(&q, 0);
		*out_steps = model_int(&q, 1);
	}
	return model_done(&q);
}

enum loom_status loom_node_since(struct loom_store *store, const struct loom_since *since,
				 struct loom_arena *arena, struct loom_nodes *out, bool *out_more,
				 struct loom_err *err)
{
	static const char *const forms[] = MODEL_NODE_FORMS(
		"node n" MODEL_DONE_OP,
		"WHERE n.id > ?1 AND n.id <= ?1 + ?2 AND +n.tree = ?3 ORDER BY n.id");
	struct query q = model_query(store, forms[model_node_form(LOOM_NODE_NARROW)], err);
	int64_t newest = 0;
	size_t cap = 0;
	enum loom_status status;

	LOOM_ASSERT(since->limit >= 0);
	*out = (struct loom_nodes){NULL, 0};
	model_bind(&q, since->after);
	model_bind(&q, since->limit);
	model_bind(&q, since->tree);
	while (model_row(&q)) {
		out->items =
			loom_arena_grow(arena, out->items, out->count, &cap, sizeof *out->items);
		model_read_node(&q, LOOM_NODE_NARROW, arena, &out->items[out->count++]);
	}
	status = model_done(&q);
	if (status == LOOM_OK)
		status = loom_node_newest(store, &newest, err);
	*out_more = newest - since->limit > since->after;
	return status;
}

enum loom_status loom_node_newest(struct loom_store *store, int64_t *out, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT max(id) FROM node", err);

	return model_one(&q, 0, out);
}

/* How the text ended according to the record of its generation. */
static enum loom_ending ending_of(struct loom_str record)
{
	static const struct {
		struct loom_str finish;
		enum loom_ending ending;
	} endings[] = {
		{LOOM_STR_INIT("length"), LOOM_ENDING_CUT},
		{LOOM_STR_INIT("cancelled"), LOOM_ENDING_STOPPED},
		{LOOM_STR_INIT("filter"), LOOM_ENDING_BROKE_OFF},
		{LOOM_STR_INIT("error"), LOOM_ENDING_BROKE_OFF},
		{LOOM_STR_INIT("partial"), LOOM_ENDING_BROKE_OFF},
	};
	const struct loom_str finish = loom_jval_get(record, "finish");

	for (size_t i = 0; i < LOOM_COUNT(endings); i++)
		if (loom_jval_says(finish, endings[i].finish))
			return endings[i].ending;
	return LOOM_ENDING_WHOLE;
}

const char *loom_ending_name(enum loom_ending ending)
{
	static const char *const names[] = {"", "cut", "stopped", "broke off"};

	LOOM_ASSERT((size_t)ending < LOOM_COUNT(names));
	return names[ending];
}

/* A rating is a tag, and shown by itself. */
static void add_tag(struct loom_signs *signs, size_t *cap, struct loom_str name,
		    struct loom_arena *arena)
{
	if (loom_str_is(name, LOOM_TAG_GOOD)) {
		signs->rated = 1;
	} else if (loom_str_is(name, LOOM_TAG_BAD)) {
		signs->rated = -1;
	} else {
		signs->tags = loom_arena_grow(arena, signs->tags, signs->tag_count, cap,
					      sizeof *signs->tags);
		signs->tags[signs->tag_count++] = loom_arena_str(arena, name);
	}
}

enum loom_status loom_node_signs(struct loom_store *store, int64_t node, struct loom_arena *arena,
				 struct loom_signs *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT 0, name FROM tag WHERE node = ?1 AND live = 1 "
				     "UNION ALL SELECT 1, record FROM generation WHERE id = ?1 "
				     "ORDER BY 1, 2",
				     err);
	size_t cap = 0;

	LOOM_ASSERT(node > 0);
	*out = (struct loom_signs){.tag_count = 0};
	model_bind(&q, node);
	while (model_row(&q)) {
		if (model_int(&q, 0))
			out->ending = ending_of(model_borrow(&q, 1));
		else
			add_tag(out, &cap, model_borrow(&q, 1), arena);
	}
	return model_done(&q);
}
