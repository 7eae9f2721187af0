/* Incremental search in this tree. The reading worker searches the texts, as there may be a
 * million; the answer is one node. One query at a time, stopped by a newer one. The search starts
 * at the position, follows the order of creation and wraps around. */
#include <stdatomic.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/base/utf8.h>
#include <loom/desk/position.h>
#include <loom/desk/tree_view.h>
#include <loom/desk/typed.h>
#include <loom/desk/workers.h>
#include <loom/writing/command_line.h>

#define NUMBERS 2048 /* nodes read at once */
#define SLOW_MS 300
#define COUNTED 10000 /* places that are counted; beyond them the total is "10,000+" */

/* A byte of a node. */
struct place {
	int64_t node;
	size_t at;
};

/* A tree as it is shown. */
struct scope {
	int64_t tree, thread, newest;
	bool pruned_too;
};

/* The places of a text, in the order in which n comes to them. */
struct tui_counting {
	atomic_bool stop;
	struct scope in;
	int64_t next; /* the nodes numbered up to this were looked through */
	size_t count, cap;
	struct place *items;
};

struct tui_finding {
	atomic_bool stop;
	struct scope in;
	struct place from, hit; /* hit.node is 0 for no match */
	bool back;
	bool around; /* wrapped: search the rest of the starting node too */
	bool again;  /* another query came meanwhile */
	bool slow;   /* nobody waits for it any more */
};

struct tui_find {
	struct loom_buf what;        /* the text searched for */
	struct tui_finding *finding; /* NULL when no search is under way */
	uint64_t timer;
	struct place from; /* where the search of the open line starts */
	int64_t stood;     /* the position at that time */
	bool nothing;      /* the last search found nothing */
	struct place hit;  /* of the last search, in the tree as it was then */
	struct scope in;
	struct tui_counting *counted;  /* all places of `what`, once they are known; or NULL */
	struct tui_counting *counting; /* under way; or NULL */
};

/* --- on the worker --- */

/* The offset of the match in the node's text, or SIZE_MAX: the first match, or the last when
 * searching backwards. In the starting node only the part ahead of the start counts, until the
 * search wraps. */
static size_t place_in(const struct tui_finding *finding, const struct loom_node *node,
		       struct loom_str part)
{
	bool cut = node->id == finding->from.node && !finding->around;
	size_t at = loom_utf8_find(node->text, part, cut && !finding->back ? finding->from.at : 0);
	size_t last = SIZE_MAX;

	if (!finding->back)
		return at;
	while (at != SIZE_MAX && (!cut || at < finding->from.at)) {
		last = at;
		at = loom_utf8_find(node->text, part, at + 1);
	}
	return last;
}

/* Whether the tree shows the node: it is neither pruned nor replaced by another version. */
static enum loom_status is_shown(struct loom_store *store, const struct scope *in,
				 const struct loom_node *node, struct loom_arena *arena, bool *out,
				 struct loom_err *err)
{
	int64_t member = 0;
	int64_t visible = node->id;
	enum loom_status status =
		tui_rows_member(store, in->thread, node->group, arena, &member, err);

	if (status == LOOM_OK && !in->pruned_too)
		status = loom_node_visible(store, node->id, &visible, NULL, err);
	*out = status == LOOM_OK && member == node->id && visible == node->id;
	return status;
}

/* Searches the nodes numbered above `after` up to `until` for the first match, or the last. */
static enum loom_status look_in(struct loom_store *store, const struct tui_job *job, int64_t after,
				int64_t until, struct loom_err *err)
{
	struct tui_finding *finding = job->own;
	struct loom_arena *arena = loom_arena_create();
	struct loom_nodes nodes = {NULL, 0};
	struct loom_node node;
	bool more = false;
	enum loom_status status = loom_node_since(store,
						  &(struct loom_since){.tree = finding->in.tree,
								       .after = after,
								       .limit = until - after},
						  arena, &nodes, &more, err);

	for (size_t k = 0; status == LOOM_OK && k < nodes.count && !finding->hit.node; k++) {
		size_t i = finding->back ? nodes.count - 1 - k : k;
		size_t at = SIZE_MAX;
		bool shown = false;

		if (nodes.items[i].kind != LOOM_CONTINUATION)
			continue;
		status = loom_node_get(store, nodes.items[i].id, LOOM_NODE_TEXT, arena, &node, err);
		if (status == LOOM_OK)
			at = place_in(finding, &node, loom_buf_str(&job->text));
		if (at != SIZE_MAX)
			status = is_shown(store, &finding->in, &node, arena, &shown, err);
		if (shown)
			finding->hit = (struct place){node.id, at};
	}
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status look_from(struct loom_store *store, const struct tui_job *job, int64_t low,
				  int64_t high, struct loom_err *err)
{
	struct tui_finding *finding = job->own;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && low < high && !finding->hit.node &&
	       !atomic_load(&finding->stop)) {
		int64_t from = finding->back && high - NUMBERS > low ? high - NUMBERS : low;
		int64_t to = !finding->back && low + NUMBERS < high ? low + NUMBERS : high;

		status = look_in(store, job, from, to, err);
		if (finding->back)
			high = from;
		else
			low = to;
	}
	return status;
}

/* Searches ahead of the position, then behind it; the node at the position is on both sides. */
static enum loom_status run(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	struct tui_finding *finding = job->own;
	int64_t from = finding->from.node;
	int64_t newest = finding->in.newest;
	enum loom_status status = finding->back ? look_from(store, job, 0, from, err)
						: look_from(store, job, from - 1, newest, err);

	finding->around = true;
	if (status == LOOM_OK && !finding->hit.node)
		status = finding->back ? look_from(store, job, from - 1, newest, err)
				       : look_from(store, job, 0, from, err);
	return status;
}

/* --- counting, on the worker --- */

static void add_places(struct tui_counting *counting, const struct loom_node *node,
		       struct loom_str part)
{
	size_t at = loom_utf8_find(node->text, part, 0);

	for (; at != SIZE_MAX && counting->count < COUNTED;
	     at = loom_utf8_find(node->text, part, at + 1)) {
		if (counting->count == counting->cap) {
			counting->cap = counting->cap ? 2 * counting->cap : 64;
			counting->items = loom_realloc(counting->items, counting->cap,
						       sizeof *counting->items);
		}
		counting->items[counting->count++] = (struct place){node->id, at};
	}
}

/* Counts in the next page of nodes, so that other reads have their turn. */
static enum loom_status count_page(struct loom_store *store, struct tui_job *job,
				   struct loom_err *err)
{
	struct tui_counting *counting = job->own;
	struct loom_str part = loom_buf_str(&job->text);
	const struct loom_since page = {.tree = counting->in.tree,
					.after = counting->next,
					.limit = NUMBERS};
	struct loom_nodes nodes = {NULL, 0};
	bool more = false;
	enum loom_status status = loom_node_since(store, &page, job->arena, &nodes, &more, err);

	for (size_t i = 0; status == LOOM_OK && i < nodes.count; i++) {
		struct loom_node node;
		bool shown = false;

		if (nodes.items[i].kind != LOOM_CONTINUATION)
			continue;
		status = loom_node_get(store, nodes.items[i].id, LOOM_NODE_TEXT, job->arena, &node,
				       err);
		if (status == LOOM_OK && loom_utf8_find(node.text, part, 0) != SIZE_MAX)
			status = is_shown(store, &counting->in, &node, job->arena, &shown, err);
		if (status == LOOM_OK && shown)
			add_places(counting, &node, part);
	}
	counting->next += NUMBERS;
	return status;
}

/* --- asking --- */

static const struct tui_line_kind line_kind;
static void post(struct tui_app *app, struct place from, bool back);

/* Puts the caret on the match in the node, so that e and B refer to it. */
static void show(struct tui_app *app, struct place hit)
{
	struct tui_reader *reader = &app->reader;
	struct loom_err err;

	if (!tui_go(app, tui_group_of(app, hit.node), app->prompt ? TUI_GO_STEP : TUI_GO_JUMP))
		return;
	tui_reader_aim(reader, hit.node, hit.at);
	/* Keys typed ahead refer to it too. */
	if (reader->width > 0)
		tui_must(app, tui_reader_fit(reader, reader->width, reader->height, &err), &err);
}

static void drop_count(struct tui_counting *counting)
{
	if (counting)
		free(counting->items);
	free(counting);
}

/* The words are others, or the tree has changed. */
static void count_anew(struct tui_app *app)
{
	drop_count(app->find->counted);
	app->find->counted = NULL;
	app->find->hit.node = 0;
	if (app->find->counting)
		atomic_store(&app->find->counting->stop, true);
}

/* Which of the places the last search came to; 0 when it is not known. */
static size_t number_of_hit(const struct tui_find *find)
{
	size_t low = 0;
	size_t high = find->counted ? find->counted->count : 0;
	const size_t count = high;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const struct place *place = &find->counted->items[mid];

		if (place->node < find->hit.node ||
		    (place->node == find->hit.node && place->at < find->hit.at))
			low = mid + 1;
		else
			high = mid;
	}
	return low < count && find->counted->items[low].node == find->hit.node &&
			       find->counted->items[low].at == find->hit.at
		       ? low + 1
		       : 0;
}

/* Appends "2 of 14". */
static void say_number(const struct tui_find *find, struct loom_buf *out)
{
	const size_t number = number_of_hit(find);

	if (!number)
		return;
	loom_buf_add_count(out, number);
	loom_buf_adds(out, " of ");
	loom_buf_add_count(out, find->counted->count);
	if (find->counted->count == COUNTED)
		loom_buf_addc(out, '+');
}

/* With the line open the number stands in it. */
static void show_number(struct tui_app *app)
{
	struct loom_buf text = LOOM_BUF_INIT(64);

	say_number(app->find, &text);
	if (text.n && !app->prompt)
		tui_say(app, TUI_ROLE_DIM, "\"%.*s\" \xc2\xb7 %s",
			LOOM_STR_ARG(loom_buf_str(&app->find->what)), loom_buf_cstr(&text));
	if (app->stage)
		tui_stage_dirty(app->stage);
	loom_buf_fini(&text);
}

static void post_page(struct tui_app *app);
static void count(struct tui_app *app, const struct scope *in);

static void page_done(struct tui_app *app, struct tui_job *job, enum loom_status status,
		      const struct loom_err *err)
{
	struct tui_counting *counting = job->own;
	const bool whole = counting->next >= counting->in.newest || counting->count == COUNTED;

	(void)err;
	if (status == LOOM_OK && !atomic_load(&counting->stop) && !whole) {
		post_page(app);
		return;
	}
	app->find->counting = NULL;
	if (status == LOOM_OK && !atomic_load(&counting->stop)) {
		LOOM_ASSERT(!app->find->counted);
		app->find->counted = counting;
		show_number(app);
		return;
	}
	/* Another text was found while this one was being counted. */
	if (status == LOOM_OK && app->find->hit.node)
		count(app, &app->find->in);
	drop_count(counting);
}

static void post_page(struct tui_app *app)
{
	struct tui_job *job = tui_job_make(app);

	job->own = app->find->counting;
	job->run = count_page;
	job->done = page_done;
	job->silent = true;
	loom_buf_add(&job->text, loom_buf_str(&app->find->what));
	tui_job_look(job);
}

/* Tells the number of the hit: at once when the places are known, else after counting them. */
static void count(struct tui_app *app, const struct scope *in)
{
	if (app->find->counted) {
		show_number(app);
	} else if (!app->find->counting) {
		app->find->counting = loom_alloc(sizeof *app->find->counting);
		app->find->counting->in = *in;
		post_page(app);
	}
}

static void say_nothing(struct tui_app *app)
{
	if (app->find->nothing && !app->find->finding && !app->prompt)
		tui_say(app, TUI_ROLE_WARN, "\"%.*s\" is not in this tree",
			LOOM_STR_ARG(loom_buf_str(&app->find->what)));
}

/* Goes back to where the line was opened. */
static void back_to_start(struct tui_app *app)
{
	if (tui_prompt_is(app, &line_kind) && app->find->stood != app->position)
		tui_go(app, app->find->stood, TUI_GO_STEP);
}

static void done(struct tui_app *app, struct tui_job *job, enum loom_status status,
		 const struct loom_err *err)
{
	struct tui_finding *finding = job->own;
	bool meant = app->find->what.n && finding->in.tree == app->tree.id;

	app->find->finding = NULL;
	if (meant && finding->again) {
		post(app, finding->from, finding->back);
	} else if (meant && !atomic_load(&finding->stop) && tui_must(app, status, err)) {
		tui_hush(app);
		app->find->nothing = !finding->hit.node;
		app->find->hit = finding->hit;
		app->find->in = finding->in;
		if (finding->hit.node) {
			show(app, finding->hit);
			count(app, &app->find->in);
		} else if (app->prompt) {
			back_to_start(app);
		} else {
			say_nothing(app);
		}
	}
	free(finding);
	tui_app_catch_up(app);
}

static void say_slow(void *ctx)
{
	struct tui_app *app = ctx;

	app->find->timer = 0;
	if (!app->find->finding)
		return;
	app->find->finding->slow = true;
	tui_app_catch_up(app);
	tui_say(app, TUI_ROLE_RUNNING, "looking for \"%.*s\" \xc2\xb7 Esc stops",
		LOOM_STR_ARG(loom_buf_str(&app->find->what)));
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void post(struct tui_app *app, struct place from, bool back)
{
	struct tui_finding *finding = app->find->finding;
	struct tui_job *job;
	int64_t newest = 0;

	if (finding) {
		atomic_store(&finding->stop, true);
		finding->again = true;
		finding->from = from;
		finding->back = back;
		return;
	}
	if (loom_node_newest(app->store, &newest, NULL) != LOOM_OK)
		return;
	finding = app->find->finding = loom_alloc(sizeof *finding);
	finding->in = (struct scope){.tree = app->tree.id,
				     .thread = app->thread,
				     .newest = newest,
				     .pruned_too = app->outline.pruned_too};
	finding->from = from;
	finding->back = back;
	job = tui_job_make(app);
	job->own = finding;
	job->run = run;
	job->done = done;
	loom_buf_add(&job->text, loom_buf_str(&app->find->what));
	tui_job_look(job);
	if (!app->find->timer)
		app->find->timer = loom_loop_timer(app->loop, SLOW_MS, say_slow, app);
}

/* The position, with the caret if it is there. */
static struct place here(const struct tui_app *app)
{
	size_t node = 0;
	size_t at = 0;

	if (!tui_reader_at(&app->reader, &node, &at) ||
	    app->reader.path.items[node].id != app->member)
		at = 0;
	return (struct place){app->member, at};
}

static void find_next(struct tui_app *app, bool back)
{
	struct place from = here(app);

	if (app->find->what.n == 0) {
		tui_stuck(app, "no search yet: / starts one");
		return;
	}
	from.at += !back;
	post(app, from, back);
}

TUI_DO(FIND_NEXT)
{
	find_next(app, false);
}

TUI_DO(FIND_PREV)
{
	find_next(app, true);
}

/* --- the line --- */

static bool stop(struct tui_app *app)
{
	if (!app->find->finding)
		return false;
	atomic_store(&app->find->finding->stop, true);
	app->find->finding->again = false;
	return true;
}

/* Searches from where the line was opened. */
static void changed(struct tui_app *app, struct loom_str what)
{
	count_anew(app);
	loom_buf_clear(&app->find->what);
	loom_buf_add(&app->find->what, what);
	app->find->nothing = false;
	if (what.n > 1)
		post(app, app->find->from, false);
}

static void accept(struct tui_app *app, struct loom_str line)
{
	(void)line;
	if (app->find->stood != app->position)
		tui_keep_jump(app, app->find->stood);
	say_nothing(app);
	show_number(app);
}

static void left(struct tui_app *app)
{
	stop(app);
	count_anew(app);
	loom_buf_clear(&app->find->what);
	tui_hush(app);
	if (app->find->stood != app->position)
		tui_go(app, app->find->stood, TUI_GO_STEP);
}

static void state(struct tui_app *app, struct loom_buf *out)
{
	if (app->find->finding)
		loom_buf_adds(out, app->find->finding->slow ? "looking" : "");
	else if (app->find->nothing)
		loom_buf_adds(out, "not in this tree");
	else
		say_number(app->find, out);
}

static const struct tui_line_kind line_kind = {
	.sign = "/", .changed = changed, .accept = accept, .left = left, .state = state};

TUI_DO(FIND)
{
	app->find->stood = app->position;
	app->find->from = here(app);
	tui_prompt_open(app, &line_kind, LOOM_STR(""), SIZE_MAX);
}

/* --- as a part of the screen --- */

/* Keys wait, since the answer is near. */
static bool waits(const struct tui_app *app)
{
	return app->find->finding && !app->find->finding->slow && !app->prompt;
}

static bool stop_it(struct tui_app *app)
{
	if (!stop(app))
		return false;
	count_anew(app);
	loom_buf_clear(&app->find->what);
	return true;
}

static void end(struct tui_app *app)
{
	stop(app);
	count_anew(app);
}

struct loom_str tui_found(const struct tui_app *app)
{
	return loom_buf_str(&app->find->what);
}

void tui_found_set(struct tui_app *app, struct loom_str text)
{
	count_anew(app);
	loom_buf_clear(&app->find->what);
	loom_buf_add(&app->find->what, text);
}

static void begin(struct tui_app *app)
{
	app->find = loom_alloc(sizeof *app->find);
	loom_buf_init(&app->find->what, 4096);
}

static void closed(struct tui_app *app)
{
	loom_buf_fini(&app->find->what);
	drop_count(app->find->counted);
	free(app->find);
}

const struct tui_view tui_view_find = {
	.stop = stop_it,
	.waits = waits,
	.told = {[TUI_TOLD_BEGIN] = begin,
		 [TUI_TOLD_ENTERED] = count_anew,
		 [TUI_TOLD_DONE] = count_anew,
		 [TUI_TOLD_ENDING] = end,
		 [TUI_TOLD_CLOSED] = closed},
};
