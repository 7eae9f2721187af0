/* Builds a reading from the narrow rows of a tree or a path.
 *
 * Groups are walked from the root down, so that a hidden one hides what is below it, and from the
 * leaves up, so that a member is read if something read continues from it. Only a row itself says
 * where it hangs, never the order of ids. */
#include <loom/tree/tree_rows.h>

#include <loom/reading/reading.h>

/* A node and its row while the reading is built. The first three numbers are ids until link_groups
 * turns them into numbers of nodes. */
struct row {
	struct loom_reading_node node;
	int64_t group;
	int64_t above; /* group */
	int64_t from;
	int64_t ord;
	uint32_t members; /* of the group this row begins: its first member, then by `member` */
	uint32_t member;
	uint32_t kids; /* the groups below, by ordinal: the first, then by `kid` */
	uint32_t kid;
	uint32_t chosen; /* the member the thread has chosen */
	uint32_t last;   /* its last child so far */
	bool hidden;     /* this row's group */
};

struct build {
	struct loom_reading *reading;
	struct loom_store *store;
	const struct loom_reading_of *of;
	struct loom_nodes path; /* of->tip */
	struct row *rows;
	size_t count;
	size_t cap;
	uint32_t *order; /* the groups of the text, parents first */
	size_t ordered;
	uint32_t top; /* the groups of the roots, by ordinal: the first, then by `kid` */
	uint32_t last_root;
	struct loom_err *err;
};

static struct row *row_of(const struct build *build, uint32_t number)
{
	LOOM_ASSERT(number > 0 && number <= build->count);
	return &build->rows[number - 1];
}

static struct loom_reading_node *node_of(const struct build *build, uint32_t number)
{
	return &row_of(build, number)->node;
}

/* Finds the number of an id; 0 if it is not among the rows. */
static uint32_t find(const struct build *build, int64_t id)
{
	size_t low = 0;
	size_t high = id ? build->count : 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (build->rows[middle].node.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return id && low < build->count && build->rows[low].node.id == id ? (uint32_t)low + 1 : 0;
}

uint32_t loom_reading_number(const struct loom_reading *reading, int64_t id)
{
	size_t low = 0;
	size_t high = reading->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (reading->nodes[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < reading->count && reading->nodes[low].id == id ? (uint32_t)low + 1 : 0;
}

/* ---- rows ---- */

#define COLUMNS                                                                                    \
	"n.id, n.grp, n.parent, n.from_node, n.ord, n.kind, m.pruned, m.excluded, m.bookmark, "    \
	"m.summary <> '' AND m.summary_extract = 0"

static int64_t next_group(void *ctx)
{
	struct loom_nodes *left = ctx;

	if (!left->count)
		return 0;
	left->count--;
	return left->items++->group;
}

/* The index of local ids finds a tree's rows without reading other trees. */
static const char whole[] =
	"SELECT " COLUMNS " FROM node n INDEXED BY node_local" MODEL_DONE_OP MODEL_WITH_MARK
	"WHERE n.tree = ?";
/* For a path: all members of its groups, and their asides. */
static const char path[] =
	"WITH g(id) AS MATERIALIZED (SELECT id FROM numbers(?)), h(id) AS MATERIALIZED (SELECT id "
	"FROM g UNION ALL SELECT a.id FROM g CROSS JOIN node a ON a.parent = g.id AND a.kind > 0 "
	"AND a.id = a.grp), v(id) AS (SELECT id FROM h UNION ALL SELECT e.id FROM h CROSS JOIN "
	"node e ON e.grp = h.id AND e.id <> e.grp) SELECT " COLUMNS
	" FROM v CROSS JOIN node n ON n.id = v.id" MODEL_DONE_OP MODEL_WITH_MARK;

static int by_id(const void *a, const void *b)
{
	const int64_t x = ((const struct row *)a)->node.id;
	const int64_t y = ((const struct row *)b)->node.id;

	return x < y ? -1 : x > y;
}

static struct row read_row(const struct query *q)
{
	return (struct row){
		.node = {.id = model_int(q, 0),
			 .kind = (uint8_t)model_int(q, 5),
			 .culled = model_int(q, 6) != 0,
			 .excluded = model_int(q, 7) != 0,
			 .bookmarked = model_int(q, 8) != 0,
			 .summed = model_int(q, 9) != 0},
		.group = model_int(q, 1),
		.above = model_int(q, 2),
		.from = model_int(q, 3),
		.ord = model_int(q, 4),
	};
}

static enum loom_status read_rows(struct build *build)
{
	struct loom_nodes left = build->path;
	struct model_numbers numbers = {next_group, &left};
	struct query q = model_query(build->store, build->of->tip ? path : whole, build->err);
	bool sorted = true;

	if (build->of->tip)
		model_bind_numbers(&q, &numbers);
	else
		model_bind(&q, build->of->tree);
	while (model_row(&q)) {
		if (build->count == build->cap) {
			build->cap = build->cap ? build->cap + build->cap / 2 : 64;
			build->rows = loom_realloc(build->rows, build->cap, sizeof *build->rows);
		}
		build->rows[build->count++] = read_row(&q);
		sorted = sorted && (build->count < 2 || by_id(&build->rows[build->count - 2],
							      &build->rows[build->count - 1]) < 0);
	}
	if (!sorted)
		qsort(build->rows, build->count, sizeof *build->rows, by_id);
	return model_done(&q);
}

/* ---- groups ---- */

/* Inserts by ordinal; the new one nearly always comes first. */
static void add_kid(struct build *build, uint32_t above, uint32_t group)
{
	uint32_t *at = above ? &row_of(build, above)->kids : &build->top;

	LOOM_ASSERT(above != group);
	while (*at && row_of(build, *at)->ord < row_of(build, group)->ord)
		at = &row_of(build, *at)->kid;
	row_of(build, group)->kid = *at;
	*at = group;
}

/* Walks backwards, so that each list begins with the oldest. */
static void link_groups(struct build *build)
{
	for (uint32_t n = (uint32_t)build->count; n > 0; n--) {
		struct row *row = row_of(build, n);
		const bool rooted = !row->above;

		row->group = find(build, row->group);
		row->above = find(build, row->above);
		row->from = find(build, row->from);
		if (!row->group)
			continue;
		row->member = row_of(build, (uint32_t)row->group)->members;
		row_of(build, (uint32_t)row->group)->members = n;
		if (row->group != n || row->node.kind != LOOM_CONTINUATION)
			continue;
		if (row->above || rooted)
			add_kid(build, (uint32_t)row->above, n);
	}
}

static void order_groups(struct build *build)
{
	build->order = loom_alloc((build->count + 1) * sizeof *build->order);
	for (uint32_t root = build->top; root; root = row_of(build, root)->kid)
		build->order[build->ordered++] = root;
	for (size_t i = 0; i < build->ordered; i++)
		for (uint32_t kid = row_of(build, build->order[i])->kids; kid;
		     kid = row_of(build, kid)->kid) {
			LOOM_ASSERT(build->ordered < build->count);
			build->order[build->ordered++] = kid;
		}
}

static enum loom_status read_choices(struct build *build)
{
	struct query q = model_query(build->store,
				     "SELECT grp, member FROM choice WHERE thread = ?", build->err);

	model_bind(&q, build->of->thread);
	while (model_row(&q)) {
		const uint32_t group = find(build, model_int(&q, 0));

		if (group)
			row_of(build, group)->chosen = find(build, model_int(&q, 1));
	}
	return model_done(&q);
}

/* Chooses as loom_node_path does: the member of a group that precedes what was written from `from`;
 * `from` is 0 at the end of a path. */
static uint32_t choose(const struct build *build, uint32_t group, uint32_t from)
{
	uint32_t newest = 0;
	bool written = false;
	const uint32_t chosen = row_of(build, group)->chosen;

	LOOM_ASSERT(from <= build->count && chosen <= build->count);
	for (uint32_t n = row_of(build, group)->members; n; n = row_of(build, n)->member) {
		if (node_of(build, n)->culled)
			continue;
		if (n == chosen)
			return n;
		written |= n == from;
		newest = n;
	}
	if (from && (written || !newest))
		return from;
	return newest;
}

/* ---- what is read ---- */

/* For a whole tree: a group without a visible member hides everything below it. */
static void hide(struct build *build)
{
	for (size_t i = 0; i < build->ordered; i++) {
		struct row *row = row_of(build, build->order[i]);
		const uint32_t above = (uint32_t)row->above;
		const uint32_t stands = choose(build, build->order[i], 0);

		row->hidden = (above && row_of(build, above)->hidden) || !stands;
	}
}

/* Walks from the leaves up; a leaf is read in its chosen version, or the newest. */
static void find_read(struct build *build)
{
	for (size_t i = build->ordered; i-- > 0;) {
		const uint32_t group = build->order[i];
		bool goes_on = false;

		if (row_of(build, group)->hidden)
			continue;
		for (uint32_t kid = row_of(build, group)->kids; kid;
		     kid = row_of(build, kid)->kid) {
			if (row_of(build, kid)->hidden)
				continue;
			for (uint32_t n = row_of(build, kid)->members; n;
			     n = row_of(build, n)->member) {
				if (!node_of(build, n)->read)
					continue;
				node_of(build,
					choose(build, group, (uint32_t)row_of(build, n)->from))
					->read = true;
				goes_on = true;
			}
		}
		if (!goes_on)
			node_of(build, choose(build, group, 0))->read = true;
	}
}

/* For a path: its own nodes, up to where it is pruned. */
static void take_path(struct build *build)
{
	bool hidden = false;

	for (size_t i = 0; i < build->path.count; i++) {
		const uint32_t n = find(build, build->path.items[i].id);
		const uint32_t group = find(build, build->path.items[i].group);

		if (!n || !group)
			continue;
		hidden |= node_of(build, n)->culled;
		row_of(build, group)->hidden = hidden;
		node_of(build, n)->read = !hidden;
	}
}

/* ---- who hangs where ---- */

/* The member of the group above that precedes this one; for hidden nodes, any that is read. */
static uint32_t parent_of(const struct build *build, uint32_t number)
{
	const uint32_t above = (uint32_t)row_of(build, number)->above;
	const uint32_t from = (uint32_t)row_of(build, number)->from;
	uint32_t parent = above ? choose(build, above, from) : 0;

	if (!above)
		return 0;
	if (parent && node_of(build, parent)->read)
		return parent;
	for (uint32_t n = row_of(build, above)->members; n; n = row_of(build, n)->member)
		if (node_of(build, n)->read)
			return n;
	return parent ? parent : from ? from : above;
}

static void hang_below(struct build *build, uint32_t number, uint32_t parent)
{
	struct loom_reading_node *node = node_of(build, number);

	LOOM_ASSERT(!node->there && parent != number);
	node->there = true;
	node->parent = parent;
	node->depth = parent ? node_of(build, parent)->depth + 1 : 0;
	if (parent && row_of(build, parent)->last)
		node_of(build, row_of(build, parent)->last)->next = number;
	else if (parent)
		node_of(build, parent)->first = number;
	if (parent)
		row_of(build, parent)->last = number;
}

/* Roots are siblings; so are versions of one, if branches continue from each. */
static void hang_root(struct build *build, uint32_t number)
{
	LOOM_ASSERT(build->last_root != number);
	hang_below(build, number, 0);
	if (!node_of(build, number)->read)
		return;
	if (build->last_root)
		node_of(build, build->last_root)->next = number;
	else
		build->reading->root = number;
	build->last_root = number;
}

/* Hangs a version that is not read beside the one that is. */
static void hang_beside(struct build *build, uint32_t number, uint32_t read)
{
	uint32_t *at = &node_of(build, read)->versions;

	LOOM_ASSERT(node_of(build, read)->read && !node_of(build, number)->read);
	while (*at)
		at = &node_of(build, *at)->next;
	*at = number;
	node_of(build, number)->there = true;
	node_of(build, number)->parent = read;
	node_of(build, number)->depth = node_of(build, read)->depth;
}

static void hang_group(struct build *build, uint32_t group)
{
	const bool hidden = row_of(build, group)->hidden;
	uint32_t read = 0;

	for (uint32_t n = row_of(build, group)->members; n; n = row_of(build, n)->member) {
		struct loom_reading_node *node = node_of(build, n);

		node->pruned = hidden || node->culled;
		read = !read && node->read ? n : read;
		if ((node->read || node->pruned) && !row_of(build, group)->above)
			hang_root(build, n);
		else if (node->read || node->pruned)
			hang_below(build, n, parent_of(build, n));
	}
	for (uint32_t n = row_of(build, group)->members; n; n = row_of(build, n)->member)
		if (read && !node_of(build, n)->there)
			hang_beside(build, n, read);
}

/* Hangs a note or a source, in its newest version; it is hidden with its owner. */
static void hang_aside(struct build *build, uint32_t group)
{
	const uint32_t number = choose(build, group, 0);
	const uint32_t parent = parent_of(build, group);
	struct loom_reading_node *node = node_of(build, number ? number : group);

	if (!parent || !node_of(build, parent)->there)
		return;
	node->there = true;
	node->parent = parent;
	node->depth = node_of(build, parent)->depth + 1;
	node->pruned = !number || node_of(build, parent)->pruned;
	if (node->pruned)
		return;
	LOOM_ASSERT(number > 0 && node->kind != LOOM_CONTINUATION);
	node->read = true;
	node->next = node_of(build, parent)->asides;
	node_of(build, parent)->asides = number;
}

/* Walks backwards, so that each list begins with the oldest. */
static void hang_asides(struct build *build)
{
	for (uint32_t n = (uint32_t)build->count; n > 0; n--) {
		const struct row *row = row_of(build, n);

		if (row->node.kind != LOOM_CONTINUATION && row->members && row->above)
			hang_aside(build, n);
	}
}

static enum loom_status build_all(struct build *build)
{
	enum loom_status status = read_rows(build);

	if (status != LOOM_OK)
		return status;
	link_groups(build);
	order_groups(build);
	if (!build->of->tip && build->of->thread)
		status = read_choices(build);
	if (status != LOOM_OK)
		return status;
	if (!build->top)
		return loom_fail(build->err, LOOM_NOT_FOUND, "the tree has no nodes");
	if (build->of->tip) {
		take_path(build);
	} else {
		hide(build);
		find_read(build);
	}
	for (size_t i = 0; i < build->ordered; i++)
		hang_group(build, build->order[i]);
	hang_asides(build);
	return LOOM_OK;
}

/* Keeps the nodes and drops the rest of the rows. */
static void keep_nodes(struct build *build)
{
	struct loom_reading *reading = build->reading;

	reading->count = build->count;
	reading->nodes = loom_alloc((build->count + 1) * sizeof *reading->nodes);
	for (size_t i = 0; i < build->count; i++)
		reading->nodes[i] = build->rows[i].node;
}

enum loom_status loom_reading_init(struct loom_reading *reading, struct loom_store *store,
				   const struct loom_reading_of *of, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct build build = {.reading = reading, .store = store, .of = of, .err = err};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(reading && (of->tree || of->tip));
	*reading = (struct loom_reading){.tree = of->tree};
	if (of->tip)
		status = loom_node_path(store, of->tip, of->thread, LOOM_NODE_NARROW, arena,
					&build.path, err);
	if (status == LOOM_OK)
		status = build_all(&build);
	if (status == LOOM_OK)
		keep_nodes(&build);
	free(build.rows);
	free(build.order);
	loom_arena_destroy(arena);
	return status;
}

void loom_reading_fini(struct loom_reading *reading)
{
	free(reading->nodes);
	*reading = (struct loom_reading){.nodes = NULL};
}

/* ---- in reading order ---- */

static uint32_t pass_pruned(const struct loom_reading *reading, uint32_t number)
{
	LOOM_ASSERT(number <= reading->count);
	while (number && reading->nodes[number - 1].pruned)
		number = reading->nodes[number - 1].next;
	return number;
}

uint32_t loom_reading_child(const struct loom_reading *reading, uint32_t number)
{
	LOOM_ASSERT(number > 0 && number <= reading->count);
	return pass_pruned(reading, reading->nodes[number - 1].first);
}

uint32_t loom_reading_note(const struct loom_reading *reading, uint32_t number, uint32_t after)
{
	uint32_t at;

	LOOM_ASSERT(number > 0 && number <= reading->count && after <= reading->count);
	at = after ? reading->nodes[after - 1].next : reading->nodes[number - 1].asides;
	while (at && reading->nodes[at - 1].kind != LOOM_ANNOTATION)
		at = reading->nodes[at - 1].next;
	return at;
}

uint32_t loom_reading_sibling(const struct loom_reading *reading, uint32_t number)
{
	LOOM_ASSERT(number > 0 && number <= reading->count);
	return pass_pruned(reading, reading->nodes[number - 1].next);
}

uint32_t loom_reading_past(const struct loom_reading *reading, uint32_t number)
{
	uint32_t next = 0;

	while (!next && number) {
		next = loom_reading_sibling(reading, number);
		number = reading->nodes[number - 1].parent;
	}
	return next;
}

uint32_t loom_reading_next(const struct loom_reading *reading, uint32_t number)
{
	const uint32_t child = loom_reading_child(reading, number);

	return child ? child : loom_reading_past(reading, number);
}
