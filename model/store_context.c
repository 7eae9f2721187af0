/* What assembling a context asks of the store: what hangs on the nodes of a path, for all of them
 * in one statement each, so that a long path costs no more than its rows. */
#include "store_impl.h"

/* The numbers of a path's nodes, or of their groups, as a JSON array: a list of any length that is
 * one parameter. */
static void list_ids(const struct loom_nodes *path, bool groups, struct loom_buf *out)
{
	loom_buf_addc(out, '[');
	for (size_t i = 0; i < path->count; i++) {
		if (i)
			loom_buf_addc(out, ',');
		loom_buf_add_int(out, groups ? path->items[i].group : path->items[i].id);
	}
	loom_buf_addc(out, ']');
}

static enum loom_status has_rows(struct loom_store *store, const char *sql, bool *out,
				 struct loom_err *err)
{
	struct query q = model_query(store, sql, err);
	int64_t any = 0;
	enum loom_status status = model_one(&q, 0, &any);

	*out = any != 0;
	return status;
}

static enum loom_status count_notes(struct loom_store *store, struct loom_str groups,
				    struct loom_ties *ties, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT j.key, count(*) FROM json_each(?) j CROSS JOIN node n ON n.parent = "
		"j.value "
		"AND n.kind = 1 AND n.id = n.grp" MODEL_DONE_OP
		"LEFT JOIN mark m ON m.id = n.id WHERE coalesce(m.pruned, 0) = 0 GROUP BY j.key",
		err);

	model_bind_text(&q, groups);
	while (model_row(&q))
		ties[model_int(&q, 0)].notes = model_int(&q, 1);
	return model_done(&q);
}

/* A link from a node to itself is one link. */
static enum loom_status count_links(struct loom_store *store, struct loom_str ids,
				    struct loom_ties *ties, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT j.key, (SELECT count(*) FROM link l JOIN op o ON o.id = l.op AND "
		"o.state = 1 WHERE l.from_node = j.value AND l.live = 1) + "
		"(SELECT count(*) FROM link l JOIN op o ON o.id = l.op AND o.state = 1 "
		"WHERE l.to_node = j.value AND l.from_node <> j.value AND l.live = 1) "
		"FROM json_each(?) j",
		err);

	model_bind_text(&q, ids);
	while (model_row(&q))
		ties[model_int(&q, 0)].links = model_int(&q, 1);
	return model_done(&q);
}

enum loom_status loom_node_ties(struct loom_store *store, const struct loom_nodes *path,
				struct loom_arena *arena, struct loom_ties **out,
				struct loom_err *err)
{
	struct loom_buf ids = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool any_links = false;
	enum loom_status status = LOOM_OK;

	*out = LOOM_ARENA_ARRAY(arena, path->count, struct loom_ties);
	list_ids(path, true, &ids);
	status = count_notes(store, loom_buf_str(&ids), *out, err);
	if (status == LOOM_OK)
		status = has_rows(store, "SELECT EXISTS(SELECT 1 FROM link)", &any_links, err);
	if (status == LOOM_OK && any_links) {
		loom_buf_clear(&ids);
		list_ids(path, false, &ids);
		status = count_links(store, loom_buf_str(&ids), *out, err);
	}
	loom_buf_fini(&ids);
	return status;
}

/* ---- extra sources ---- */

struct sources {
	struct loom_path_source *items;
	size_t count;
	size_t cap;
	struct loom_arena *arena;
};

static void add_source(struct sources *sources, size_t at, const struct loom_node *node)
{
	sources->items = loom_arena_grow(sources->arena, sources->items, sources->count,
					 &sources->cap, sizeof *sources->items);
	sources->items[sources->count++] = (struct loom_path_source){at, *node};
}

struct recorded {
	int64_t at; /* the place of the target in the path */
	int64_t source;
};

/* Which sources the edges name: numbers only, for there are few or none. */
static enum loom_status list_recorded(struct loom_store *store, const struct loom_nodes *path,
				      struct loom_arena *arena, struct recorded **out,
				      size_t *out_count, struct loom_err *err)
{
	struct loom_buf ids = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct query q;
	size_t cap = 0;

	list_ids(path, false, &ids);
	q = model_query(store,
			"SELECT j.key, s.source FROM json_each(?) j CROSS JOIN source s "
			"ON s.node = j.value ORDER BY j.key, s.ord",
			err);
	model_bind_text(&q, loom_buf_str(&ids));
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		(*out)[(*out_count)++] = (struct recorded){model_int(&q, 0), model_int(&q, 1)};
	}
	if (model_done(&q) != LOOM_OK)
		*out_count = 0;
	loom_buf_fini(&ids);
	return q.status;
}

/* A source whose making was undone is none. */
static enum loom_status read_recorded(struct loom_store *store, const struct loom_nodes *path,
				      struct sources *sources, struct loom_err *err)
{
	struct recorded *list = NULL;
	size_t count = 0;
	enum loom_status status = list_recorded(store, path, sources->arena, &list, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		struct loom_node node;

		if (list[i].at < 1)
			continue;
		status = loom_node_get(store, list[i].source, LOOM_NODE_TEXT | LOOM_NODE_MARKS,
				       sources->arena, &node, err);
		if (status == LOOM_OK)
			add_source(sources, (size_t)list[i].at - 1, &node);
		else if (status == LOOM_NOT_FOUND)
			status = LOOM_OK;
	}
	return status;
}

static enum loom_status read_attached(struct loom_store *store, const struct loom_nodes *path,
				      enum loom_node_kind kind, struct sources *sources,
				      struct loom_err *err)
{
	struct loom_page page = {.kind = kind,
				 .limit = INT32_MAX,
				 .pruned_too = true,
				 .parts = LOOM_NODE_TEXT | LOOM_NODE_MARKS};
	struct loom_nodes nodes;
	enum loom_status status = loom_node_children(store, path->items[path->count - 1].group,
						     &page, sources->arena, &nodes, err);

	for (size_t i = 0; status == LOOM_OK && i < nodes.count; i++)
		add_source(sources, path->count - 1, &nodes.items[i]);
	return status;
}

enum loom_status loom_node_path_sources(struct loom_store *store, const struct loom_nodes *path,
					struct loom_arena *arena, struct loom_path_source **out,
					size_t *out_count, struct loom_err *err)
{
	struct sources sources = {.arena = arena};
	bool any = false;
	enum loom_status status = has_rows(store, "SELECT EXISTS(SELECT 1 FROM source)", &any, err);

	if (status == LOOM_OK && any)
		status = read_recorded(store, path, &sources, err);
	if (status == LOOM_OK)
		status = read_attached(store, path, LOOM_CONTEXT_SOURCE, &sources, err);
	if (status == LOOM_OK)
		status = read_attached(store, path, LOOM_INSTRUCTION_SOURCE, &sources, err);
	*out = sources.items;
	*out_count = sources.count;
	return status;
}
