/* Searching in this tree as one types: the texts are looked through by the worker that reads, for
 * they may be a million; what comes back is one node. One question at a time, and a newer one stops
 * it. From where one stood, in the order in which things were made, and around. */
#include <stdatomic.h>

#include "app_impl.h"

#define NUMBERS 2048 /* of nodes that are read at once */
#define SLOW_MS 300

struct tui_finding {
	atomic_bool stop;
	int64_t tree, from, newest;
	bool back;
	bool again; /* another was asked for meanwhile */
	bool slow;  /* nobody waits for it any more */
	int64_t hit;
};

/* --- on the worker --- */

static size_t place_in(struct loom_str text, struct loom_str part)
{
	for (size_t i = 0; part.n && i + part.n <= text.n; i++)
		if (loom_str_eq_fold(loom_str_sub(text, i, part.n), part))
			return i;
	return SIZE_MAX;
}

/* Among the numbers behind `after` up to `until`: the first that has it, or the last. */
static enum loom_status look_in(struct loom_store *store, const struct tui_job *job, int64_t after,
				int64_t until, struct loom_err *err)
{
	struct tui_finding *finding = job->own;
	struct loom_arena *arena = loom_arena_create();
	struct loom_nodes nodes = {NULL, 0};
	struct loom_node node;
	bool more = false;
	enum loom_status status = loom_node_since(store,
						  &(struct loom_since){.tree = finding->tree,
								       .after = after,
								       .limit = until - after},
						  arena, &nodes, &more, err);

	for (size_t i = 0; status == LOOM_OK && i < nodes.count; i++) {
		if (nodes.items[i].kind != LOOM_CONTINUATION)
			continue;
		status = loom_node_get(store, nodes.items[i].id, LOOM_NODE_TEXT, arena, &node, err);
		if (status != LOOM_OK || place_in(node.text, loom_buf_str(&job->text)) == SIZE_MAX)
			continue;
		finding->hit = node.group;
		if (!finding->back)
			break;
	}
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status look_from(struct loom_store *store, const struct tui_job *job, int64_t low,
				  int64_t high, struct loom_err *err)
{
	struct tui_finding *finding = job->own;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && low < high && !finding->hit && !atomic_load(&finding->stop)) {
		if (finding->back) {
			int64_t from = high - NUMBERS > low ? high - NUMBERS : low;
			status = look_in(store, job, from, high, err);
			high = from;
		} else {
			int64_t to = low + NUMBERS < high ? low + NUMBERS : high;
			status = look_in(store, job, low, to, err);
			low = to;
		}
	}
	return status;
}

/* First this side of where one stands, then the other. */
static enum loom_status run(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	struct tui_finding *finding = job->own;
	int64_t from = finding->from;
	int64_t newest = finding->newest;
	enum loom_status status = finding->back ? look_from(store, job, 0, from - 1, err)
						: look_from(store, job, from, newest, err);

	if (status == LOOM_OK && !finding->hit)
		status = finding->back ? look_from(store, job, from - 1, newest, err)
				       : look_from(store, job, 0, from, err);
	return status;
}

/* --- asking --- */

static void post(struct tui_app *app, int64_t from, bool back);

/* The text's own place in the node, so that e and B mean it. */
static void show(struct tui_app *app, int64_t group, struct loom_str what)
{
	struct tui_reader *reader = &app->reader;
	struct loom_node node;
	struct loom_err err;
	size_t at = SIZE_MAX;

	if (!tui_go(app, group, app->prompt ? TUI_GO_STEP : TUI_GO_JUMP))
		return;
	if (loom_node_get(app->store, app->member, LOOM_NODE_TEXT, app->arena, &node, NULL) ==
	    LOOM_OK)
		at = place_in(node.text, what);
	if (at == SIZE_MAX)
		return;
	tui_reader_aim(reader, app->member, at);
	/* Keys that were typed ahead mean it too. */
	if (reader->width > 0)
		tui_must(app, tui_reader_fit(reader, reader->width, reader->height, &err), &err);
}

void tui_find_say(struct tui_app *app)
{
	if (app->found_nothing && !app->finding && !app->prompt)
		tui_say(app, TUI_ROLE_WARN, "\"%.*s\" is not in this tree",
			LOOM_STR_ARG(loom_buf_str(&app->found)));
}

static void done(struct tui_app *app, struct tui_job *job, enum loom_status status,
		 const struct loom_err *err)
{
	struct tui_finding *finding = job->own;
	struct loom_str what = loom_buf_str(&job->text);
	bool meant = app->found.n && finding->tree == app->tree.id;

	app->finding = NULL;
	if (meant && finding->again) {
		post(app, finding->from, finding->back);
	} else if (meant && !atomic_load(&finding->stop) && tui_must(app, status, err)) {
		app->message.text[0] = '\0';
		app->found_nothing = !finding->hit;
		if (finding->hit)
			show(app, finding->hit, what);
		else if (app->prompt)
			tui_prompt_stand(app);
		else
			tui_find_say(app);
	}
	free(finding);
	tui_app_catch_up(app);
}

static void say_slow(void *ctx)
{
	struct tui_app *app = ctx;

	app->find_timer = 0;
	if (!app->finding)
		return;
	app->finding->slow = true;
	tui_app_catch_up(app);
	tui_say(app, TUI_ROLE_RUNNING, "looking for \"%.*s\" \xc2\xb7 Esc stops",
		LOOM_STR_ARG(loom_buf_str(&app->found)));
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void post(struct tui_app *app, int64_t from, bool back)
{
	struct tui_finding *finding = app->finding;
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
	finding = app->finding = loom_alloc(sizeof *finding);
	finding->tree = app->tree.id;
	finding->from = from;
	finding->newest = newest;
	finding->back = back;
	job = tui_job_make(app);
	job->own = finding;
	job->run = run;
	job->done = done;
	loom_buf_add(&job->text, loom_buf_str(&app->found));
	tui_job_look(job);
	if (!app->find_timer)
		app->find_timer = loom_loop_timer(app->loop, SLOW_MS, say_slow, app);
}

void tui_find(struct tui_app *app, struct loom_str what, int64_t from)
{
	loom_buf_clear(&app->found);
	loom_buf_add(&app->found, what);
	app->found_nothing = false;
	if (what.n > 1)
		post(app, from, false);
}

void tui_find_next(struct tui_app *app, bool back)
{
	if (app->found.n == 0)
		tui_stuck(app, "nothing was searched for: / does");
	else
		post(app, app->position, back);
}

const char *tui_find_state(const struct tui_app *app)
{
	if (app->finding)
		return app->finding->slow ? "looking" : "";
	return app->found_nothing ? "not in this tree" : "";
}

bool tui_find_waits(const struct tui_app *app)
{
	return app->finding && !app->finding->slow && !app->prompt;
}

bool tui_find_stop(struct tui_app *app)
{
	if (!app->finding)
		return false;
	atomic_store(&app->finding->stop, true);
	app->finding->again = false;
	return true;
}
