/* The filtered tree. The worker runs the search and finds the forks that join the matches; the rows
 * come back as one list. One query at a time; whatever is typed meanwhile is queried next. */
#include <loom/search/search.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/levels.h>
#include <loom/desk/position.h>
#include <loom/desk/tree_view.h>
#include <loom/desk/workers.h>
#include <loom/writing/command_line.h>

#define PAGE    1000   /* hits requested at once */
#define HITS    50000  /* rows shown at most */
#define GONE_UP 200000 /* ancestors visited at most */

/* A node on the path from the root to a match. */
struct step {
	int64_t group; /* 0 for an empty slot */
	int64_t parent;
	int64_t ord;
	int64_t depth;
	uint32_t kids;
	bool hit;
};

struct forest {
	struct loom_store *store;
	struct loom_arena *arena;
	struct step *slots; /* by group, open addressing */
	size_t cap;
	size_t count;
	int64_t root;
};

struct question {
	struct loom_arena *arena;
	int64_t root;  /* the root shown */
	int64_t whole; /* the tree's root */
	int64_t left;  /* texts not yet in the index */
	struct tui_outline_row *rows;
	size_t count;
	size_t hits;
	bool more;
};

struct tui_filter {
	struct loom_buf text; /* empty for no filter */
	bool asked;           /* a query is under way */
	bool again;           /* and another is needed after it */
	size_t hits;
	bool more;      /* more matches than are shown */
	int64_t pruned; /* what stands pruned in the tree */
};

/* --- on the worker: the ways to what was found --- */

static struct step *slot_of(const struct forest *forest, int64_t group)
{
	size_t at = (size_t)((uint64_t)group * UINT64_C(0x9E3779B97F4A7C15) >> 20) % forest->cap;

	while (forest->slots[at].group && forest->slots[at].group != group)
		at = (at + 1) % forest->cap;
	return &forest->slots[at];
}

static void grow(struct forest *forest)
{
	struct step *old = forest->slots;
	size_t n = forest->cap;

	forest->cap = n ? n * 2 : 4096;
	forest->slots = LOOM_ARENA_ARRAY(forest->arena, forest->cap, struct step);
	for (size_t i = 0; i < n; i++)
		if (old[i].group)
			*slot_of(forest, old[i].group) = old[i];
}

/* Adds a node and its ancestors up to one that is already there. */
static enum loom_status add_way(struct forest *forest, int64_t group, bool hit,
				struct loom_arena *scratch, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	while (group && status == LOOM_OK) {
		struct step *step;
		struct loom_node node;

		if ((forest->count + 1) * 2 > forest->cap)
			grow(forest);
		step = slot_of(forest, group);
		if (step->group) {
			step->hit = step->hit || hit;
			break;
		}
		loom_arena_reset(scratch);
		status = loom_node_get(forest->store, group, LOOM_NODE_NARROW, scratch, &node, err);
		if (status != LOOM_OK)
			break;
		*step = (struct step){.group = group,
				      .parent = group == forest->root ? 0 : node.parent,
				      .ord = node.ord,
				      .depth = node.depth,
				      .hit = hit};
		forest->count++;
		hit = false;
		group = step->parent;
	}
	return status;
}

static int by_parent(const void *a, const void *b)
{
	const struct step *x = a;
	const struct step *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->ord < y->ord ? -1 : x->ord > y->ord;
}

/* All steps, siblings next to each other and in their order. */
static struct step *sorted(struct forest *forest)
{
	struct step *steps = LOOM_ARENA_ARRAY(forest->arena, forest->count + 1, struct step);
	size_t n = 0;

	for (size_t i = 0; i < forest->cap; i++)
		if (forest->slots[i].group && forest->slots[i].parent)
			slot_of(forest, forest->slots[i].parent)->kids++;
	for (size_t i = 0; i < forest->cap; i++)
		if (forest->slots[i].group)
			steps[n++] = forest->slots[i];
	qsort(steps, n, sizeof *steps, by_parent);
	return steps;
}

static size_t first_child(const struct step *steps, size_t count, int64_t parent)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (steps[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct visit {
	size_t step;
	uint32_t indent;
	bool branch; /* nothing shown since the fork above */
};

/* Visits all steps in tree order and emits matches and forks. */
static void walk(struct forest *forest, struct question *out)
{
	struct step *steps = sorted(forest);
	struct visit *stack = LOOM_ARENA_ARRAY(forest->arena, forest->count + 1, struct visit);
	int64_t root_depth = forest->count ? steps[0].depth : 0;
	size_t height = 0;

	for (size_t i = forest->count; i-- > 0;)
		if (!steps[i].parent)
			stack[height++] = (struct visit){i, 0, false};
	out->rows = LOOM_ARENA_ARRAY(out->arena, forest->count + 1, struct tui_outline_row);
	while (height) {
		struct visit visit = stack[--height];
		const struct step *step = &steps[visit.step];
		size_t child = first_child(steps, forest->count, step->group);
		bool fork = step->kids > 1;

		if (step->hit || fork || !step->parent) {
			out->rows[out->count++] = (struct tui_outline_row){
				.group = step->group,
				.ord = step->ord,
				.depth = (uint32_t)(step->depth - root_depth),
				.indent = visit.indent,
				.flags = (visit.branch ? TUI_OUTLINE_BRANCH : 0) |
					 (step->hit ? 0 : TUI_OUTLINE_BESIDE),
			};
			visit.branch = false;
		}
		for (size_t i = step->kids; i-- > 0;)
			stack[height++] = (struct visit){child + i, visit.indent + fork,
							 fork || visit.branch};
	}
}

/* A matching note counts for the node it is attached to. */
static enum loom_status add_hit(struct forest *forest, const struct loom_hit *hit,
				struct loom_err *err)
{
	struct loom_arena *scratch;
	struct loom_node node;
	enum loom_status status;

	if (!hit->node || hit->kind == LOOM_HIT_DOC || hit->kind == LOOM_HIT_TREE)
		return LOOM_OK;
	scratch = loom_arena_create();
	status = loom_node_get(forest->store, hit->node, LOOM_NODE_NARROW, scratch, &node, err);
	if (status == LOOM_OK)
		status = add_way(forest, node.kind == LOOM_CONTINUATION ? node.group : node.parent,
				 true, scratch, err);
	loom_arena_destroy(scratch);
	return status;
}

/* Adds matches page by page, until there are no more or too many. */
static enum loom_status add_hits(struct forest *forest, struct loom_search *search,
				 struct loom_search_query *query, struct question *question,
				 struct loom_err *err)
{
	struct loom_arena *scratch = loom_arena_create();
	struct loom_hits hits = {.more = true};
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && hits.more && !question->more) {
		loom_arena_reset(scratch);
		status = loom_search_run(search, query, scratch, &hits, err);
		for (size_t i = 0; i < hits.count && status == LOOM_OK; i++)
			status = add_hit(forest, &hits.items[i], err);
		count += hits.count;
		hits.more = hits.more && hits.count == query->limit;
		if (hits.more)
			query->before = hits.items[hits.count - 1].order;
		question->more = hits.more && (count >= HITS || forest->count > GONE_UP);
	}
	loom_arena_destroy(scratch);
	return status;
}

static enum loom_status find_ways(struct loom_store *store, struct tui_job *job,
				  struct loom_search *search, struct loom_search_query *query,
				  struct loom_err *err)
{
	struct question *question = job->own;
	struct forest forest = {.store = store,
				.arena = loom_arena_create(),
				.root = question->root};
	struct loom_arena *scratch = loom_arena_create();
	enum loom_status status = add_way(&forest, question->root, false, scratch, err);

	loom_arena_destroy(scratch);
	if (status == LOOM_OK)
		status = add_hits(&forest, search, query, question, err);
	if (status == LOOM_OK)
		walk(&forest, question);
	for (size_t i = 0; i < question->count; i++)
		question->hits += !(question->rows[i].flags & TUI_OUTLINE_BESIDE);
	loom_arena_destroy(forest.arena);
	return status;
}

static enum loom_status answer(struct loom_search *search, struct loom_store *store,
			       struct tui_job *job, struct loom_err *err)
{
	struct question *question = job->own;
	struct loom_search_query query = {.limit = 0};
	enum loom_status status = loom_search_parse(store, loom_buf_str(&job->text), job->tree,
						    question->arena, &query, err);

	query.tree = job->tree;
	query.limit = PAGE;
	if (!query.in && question->root != question->whole)
		query.in = question->root;
	return status == LOOM_OK ? find_ways(store, job, search, &query, err) : status;
}

static enum loom_status run(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	struct question *question = job->own;
	struct loom_search *search = NULL;
	enum loom_status status = loom_search_open(store, &search, err);

	if (status == LOOM_OK)
		status = loom_search_feed(search, LOOM_SEARCH_TYPING_MS, &question->left, err);
	if (status == LOOM_OK)
		status = answer(search, store, job, err);
	loom_search_close(search);
	return status;
}

/* --- asking --- */

static void post(struct tui_app *app);

static void show(struct tui_app *app, const struct question *question)
{
	uint64_t row = app->cursor ? tui_items_row(app->outline.items, app->cursor) : 0;
	int64_t offset = (int64_t)row - (int64_t)app->top;

	tui_outline_filter(&app->outline, question->rows, question->count);
	app->filter->hits = question->hits;
	app->filter->more = question->more;
	(void)!tui_show_position(app, true);
	tui_tell(app, TUI_TOLD_ROWS);
	row = tui_items_row(app->outline.items, app->cursor);
	tui_set_top(app, (int64_t)row > offset ? row - (uint64_t)offset : 0);
	tui_cursor_to(app, app->cursor);
}

static void done(struct tui_app *app, struct tui_job *job, enum loom_status status,
		 const struct loom_err *err)
{
	struct question *question = job->own;
	bool newer = !loom_str_eq(loom_buf_str(&job->text), loom_buf_str(&app->filter->text)) ||
		     app->filter->again;
	bool here = job->tree == app->tree.id && question->root == app->outline.root;

	app->filter->asked = false;
	/* An unfinished query (an open quote, half a name) is no error while it is being typed. */
	if (status == LOOM_OK && app->filter->text.n && here)
		show(app, question);
	else if (status != LOOM_OK && !app->prompt)
		tui_must(app, status, err);
	if (app->filter->text.n && (newer || (question->left > 0 && status == LOOM_OK)))
		post(app);
	loom_arena_destroy(question->arena);
	free(question);
}

static void post(struct tui_app *app)
{
	struct tui_job *job;
	struct question *question;

	app->filter->again = app->filter->asked;
	if (app->filter->asked)
		return;
	app->filter->asked = true;
	question = loom_alloc(sizeof *question);
	question->arena = loom_arena_create();
	question->root = app->outline.root;
	question->whole = app->tree.root;
	job = tui_job_make(app);
	job->own = question;
	job->run = run;
	job->done = done;
	loom_buf_add(&job->text, loom_buf_str(&app->filter->text));
	tui_job_look(job);
}

/* --- what the rest of the screen asks for --- */

void tui_filter_set(struct tui_app *app, struct loom_str text)
{
	struct loom_err err;

	text = loom_str_trim(text);
	loom_buf_clear(&app->filter->text);
	loom_buf_add(&app->filter->text, text);
	if (text.n) {
		post(app);
		return;
	}
	if (!app->outline.filtered)
		return;
	if (tui_show_position(app,
			      tui_must(app, tui_outline_unfilter(&app->outline, &err), &err))) {
		tui_keep_in_sight(app);
		tui_tell(app, TUI_TOLD_ROWS);
		tui_level_soon(app);
	}
}

static void again(struct tui_app *app)
{
	if (app->filter->text.n && app->outline.filtered)
		post(app);
	else if (!app->filter->asked)
		loom_buf_clear(&app->filter->text);
}

static void count(const struct tui_app *app, struct loom_buf *out)
{
	int64_t hidden = app->tree.nodes - (int64_t)app->filter->hits;

	if (!app->filter->text.n)
		return;
	if (!app->outline.filtered) {
		loom_buf_adds(out, "looking");
		return;
	}
	loom_buf_add_count(out, app->filter->hits);
	if (app->filter->more) {
		loom_buf_adds(out, " shown; there are more");
		return;
	}
	loom_buf_adds(out, " shown, ");
	loom_buf_add_count(out, (uint64_t)(hidden > 0 ? hidden : 0));
	loom_buf_adds(out, " hidden");
}

/* Pruned branches are out of sight, so that their number has to be in sight. */
static void say_pruned(const struct tui_app *app, struct loom_buf *out)
{
	if (!app->filter->pruned || app->outline.pruned_too)
		return;
	loom_buf_adds(out, " · ");
	loom_buf_add_count(out, (uint64_t)app->filter->pruned);
	loom_buf_adds(out, app->filter->pruned < LOOM_PRUNED_MAX ? " hidden" : "+ hidden");
}

void tui_filter_say(const struct tui_app *app, struct loom_buf *out)
{
	if (!app->filter->text.n) {
		say_pruned(app, out);
		return;
	}
	loom_buf_addf(out, " · filter \"%.*s\": ", LOOM_STR_ARG(loom_buf_str(&app->filter->text)));
	count(app, out);
}

/* --- the line --- */

/* Errors were not shown while typing; on Enter the query runs once more. */
static void left(struct tui_app *app)
{
	tui_filter_set(app, LOOM_STR(""));
}

static void state(struct tui_app *app, struct loom_buf *out)
{
	count(app, out);
}

TUI_DO(FILTER)
{
	static const struct tui_line_kind kind = {.sign = "filter: ",
						  .changed = tui_filter_set,
						  .accept = tui_filter_set,
						  .left = left,
						  .state = state};

	tui_prompt_open(app, &kind, loom_buf_str(&app->filter->text), SIZE_MAX);
}

struct loom_str tui_filter_text(const struct tui_app *app)
{
	return loom_buf_str(&app->filter->text);
}

static void begin(struct tui_app *app)
{
	app->filter = loom_alloc(sizeof *app->filter);
	loom_buf_init(&app->filter->text, 4096);
}

static void tree_left(struct tui_app *app)
{
	loom_buf_clear(&app->filter->text);
	app->filter->pruned = 0;
}

static void count_pruned(struct tui_app *app)
{
	struct loom_err err;

	if (app->tree.id)
		tui_must(app,
			 loom_tree_pruned(app->store, app->tree.id, &app->filter->pruned, &err),
			 &err);
}

static void closed(struct tui_app *app)
{
	loom_buf_fini(&app->filter->text);
	free(app->filter);
}

const struct tui_view tui_view_filter = {
	.told = {[TUI_TOLD_BEGIN] = begin,
		 [TUI_TOLD_LEFT] = tree_left,
		 [TUI_TOLD_AGAIN] = again,
		 [TUI_TOLD_ENTERED] = count_pruned,
		 [TUI_TOLD_ROWS] = count_pruned,
		 [TUI_TOLD_CLOSED] = closed},
};
