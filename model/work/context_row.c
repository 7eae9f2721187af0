/* Queries for assembling a context: what is attached to the nodes of a path, in one statement each
 * for all of them. If there are fewer notes or links than nodes on the path, those are scanned
 * instead. */
#include <loom/tree/tree_rows.h>

/* The numbers of a path's nodes, or of their groups. */
struct path_numbers {
	const struct loom_nodes *path;
	bool groups;
	size_t next;
};

static int64_t next_number(void *ctx)
{
	struct path_numbers *numbers = ctx;
	const struct loom_node *node = NULL;

	LOOM_ASSERT(numbers->next <= numbers->path->count);
	if (numbers->next >= numbers->path->count)
		return 0;
	node = &numbers->path->items[numbers->next++];
	return numbers->groups ? node->group : node->id;
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

struct tying {
	struct loom_store *store;
	const struct loom_nodes *path;
	struct loom_ties *ties;
	struct loom_err *err;
};

/* Returns a group's position in the path, whose groups are sorted; SIZE_MAX if it is not on it. */
static size_t place_of(const struct loom_nodes *path, int64_t group)
{
	size_t low = 0;
	size_t high = path->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (path->items[middle].group < group)
			low = middle + 1;
		else
			high = middle;
	}
	LOOM_ASSERT(low <= path->count);
	return low < path->count && path->items[low].group == group ? low : SIZE_MAX;
}

#define SEEN_NOTES(from)                                                                           \
	"FROM " from MODEL_DONE_OP "LEFT JOIN mark m ON m.id = n.id WHERE n.kind = 1 AND "         \
	"n.id = n.grp AND coalesce(m.pruned, 0) = 0"

/* Annotations have the negative numbers of their tree. */
static enum loom_status find_notes(const struct tying *tying)
{
	struct query q =
		model_query(tying->store,
			    "SELECT n.parent " SEEN_NOTES(
				    "node n INDEXED BY node_local") " AND n.tree = ? AND n.num < 0",
			    tying->err);

	LOOM_ASSERT(tying->path->count > 0);
	model_bind(&q, tying->path->items->tree);
	while (model_row(&q)) {
		const size_t at = place_of(tying->path, model_int(&q, 0));

		if (at != SIZE_MAX)
			tying->ties[at].notes++;
	}
	return model_done(&q);
}

static enum loom_status ask_for_notes(const struct tying *tying)
{
	struct path_numbers groups = {.path = tying->path, .groups = true};
	struct model_numbers numbers = {next_number, &groups};
	struct query q = model_query(tying->store,
				     "SELECT g.at " SEEN_NOTES(
					     "numbers(?) g CROSS JOIN node n ON n.parent = g.id"),
				     tying->err);

	model_bind_numbers(&q, &numbers);
	while (model_row(&q))
		tying->ties[model_int(&q, 0)].notes++;
	return model_done(&q);
}

static enum loom_status count_notes(const struct tying *tying)
{
	struct query q = model_query(tying->store, "SELECT next_note - 1 FROM tree WHERE id = ?",
				     tying->err);
	int64_t made = 0;
	enum loom_status status = LOOM_OK;

	model_bind(&q, tying->path->items->tree);
	status = model_one(&q, 0, &made);
	if (status != LOOM_OK)
		return status;
	return made <= (int64_t)tying->path->count ? find_notes(tying) : ask_for_notes(tying);
}

#define SEEN_LINK(end)                                                                             \
	"FROM link l JOIN op o ON o.id = l.op AND o.state = 1 JOIN node n ON n.id = l." end        \
	" WHERE l.live = 1 "

/* Both ends of all links; a link from a node to itself counts once. */
static enum loom_status find_links(const struct tying *tying)
{
	struct query q =
		model_query(tying->store,
			    "SELECT n.grp, n.id " SEEN_LINK(
				    "from_node") "UNION ALL SELECT n.grp, "
						 "n.id " SEEN_LINK("to_node") "AND l.from_node "
									      "<> l.to_node",
			    tying->err);

	while (model_row(&q)) {
		const size_t at = place_of(tying->path, model_int(&q, 0));

		if (at != SIZE_MAX && tying->path->items[at].id == model_int(&q, 1))
			tying->ties[at].links++;
	}
	return model_done(&q);
}

static enum loom_status ask_for_links(const struct tying *tying)
{
	struct path_numbers nodes = {.path = tying->path};
	struct model_numbers numbers = {next_number, &nodes};
	struct query q = model_query(
		tying->store,
		"SELECT p.at, (SELECT count(*) FROM link l JOIN op o ON o.id = l.op AND "
		"o.state = 1 WHERE l.from_node = p.id AND l.live = 1) + "
		"(SELECT count(*) FROM link l JOIN op o ON o.id = l.op AND o.state = 1 "
		"WHERE l.to_node = p.id AND l.from_node <> p.id AND l.live = 1) "
		"FROM numbers(?) p",
		tying->err);

	model_bind_numbers(&q, &numbers);
	while (model_row(&q))
		tying->ties[model_int(&q, 0)].links = model_int(&q, 1);
	return model_done(&q);
}

static enum loom_status count_links(const struct tying *tying)
{
	struct query q =
		model_query(tying->store, "SELECT count(*) FROM (SELECT 1 FROM link LIMIT ?)",
			    tying->err);
	const int64_t nodes = (int64_t)tying->path->count;
	int64_t made = 0;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(nodes > 0);
	model_bind(&q, nodes + 1);
	status = model_one(&q, 0, &made);
	if (status != LOOM_OK)
		return status;
	return made <= nodes ? find_links(tying) : ask_for_links(tying);
}

enum loom_status loom_node_ties(struct loom_store *store, const struct loom_nodes *path,
				struct loom_arena *arena, struct loom_ties **out,
				struct loom_err *err)
{
	struct tying tying = {.store = store,
			      .path = path,
			      .ties = LOOM_ARENA_ARRAY(arena, path->count, struct loom_ties),
			      .err = err};
	enum loom_status status = count_notes(&tying);

	LOOM_ASSERT(path->count > 0 && out);
	*out = tying.ties;
	return status == LOOM_OK ? count_links(&tying) : status;
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
	int64_t at; /* position of the target in the path */
	int64_t source;
};

/* Lists which sources the edges name, as numbers only: there are few or none. */
static enum loom_status list_recorded(struct loom_store *store, const struct loom_nodes *path,
				      struct loom_arena *arena, struct recorded **out,
				      size_t *out_count, struct loom_err *err)
{
	struct path_numbers nodes = {.path = path};
	struct model_numbers numbers = {next_number, &nodes};
	struct query q = model_query(store,
				     "SELECT p.at, s.source FROM numbers(?) p CROSS JOIN source s "
				     "ON s.node = p.id ORDER BY p.at, s.ord",
				     err);
	size_t cap = 0;

	LOOM_ASSERT(*out_count == 0);
	model_bind_numbers(&q, &numbers);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		(*out)[(*out_count)++] = (struct recorded){model_int(&q, 0), model_int(&q, 1)};
	}
	if (model_done(&q) != LOOM_OK)
		*out_count = 0;
	return q.status;
}

/* Skips a source whose creation was undone. */
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

	LOOM_ASSERT(path->count > 0);
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

	LOOM_ASSERT(path->count > 0 && out && out_count);
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
