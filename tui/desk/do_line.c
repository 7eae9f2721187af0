/* Runs command lines, typed after the colon or built by a key. Both take the same way: the line is
 * parsed into an arena of its own and run by an actor on the worker.
 *
 * A run exists from its line until its actor has ended; several can be under way. */
#include <loom/desk/desk.h>

#include <loom/engine/find_text.h>
#include <loom/language/parse.h>
#include <loom/language/registry.h>
#include <loom/engine/turn_log.h>
#include <loom/ngram/grove_text.h>
#include <loom/desk/do_line.h>
#include <loom/desk/ghosts.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/subject.h>
#include <loom/cli/trust_ask.h>
#include <loom/desk/typed.h>
#include <loom/desk/workers.h>

#define BATCH  1
#define END_NS (INT64_C(10) * 1000000000) /* for accepted writes, before the program ends */

struct tui_run {
	struct tui_run *next;
	struct tui_app *app;
	struct loom_actor *actor;
	struct loom_arena *arena;
	struct loom_act *acts;
	size_t count;
	struct loom_refusal refusal;
	struct tui_run_opts opts;
	struct loom_turn_log log; /* for a proposer's thread */
	struct loom_guest guest;
	int64_t tree;
	int64_t stood; /* the position when it started */
	bool generating;
	bool failed;
};

/* --- voices --- */

static void grove_text(void *ctx, size_t max, struct loom_buf *out)
{
	const struct tui_app *app = ctx;

	loom_grove_text(app->store, max, out);
}

const struct loom_generator *tui_generator(struct tui_app *app)
{
	struct loom_voices_opts opts = {.env = app->env,
					.loop = app->loop,
					.grove_text = grove_text,
					.ctx = app};
	struct loom_err err = {.status = LOOM_OK};

	opts.config = tui_config(app, &err);
	if (!opts.config) {
		tui_must(app, err.status, &err);
		opts.config_err = &err;
	} else {
		opts.small_may = loom_small_settle(&(struct loom_small_question){
			.env = app->env, .dir = loom_buf_str(&app->dir), .config = opts.config});
	}
	if (!app->running->voices)
		app->running->voices = loom_voices_create(&opts);
	return loom_voices_generator(app->running->voices);
}

/* --- what comes back --- */

/* The engine's answer is worded for agents; a writer wants to know where the text went. */
static bool say_edit(struct tui_app *app, const struct loom_result *result)
{
	struct loom_nodes versions = {NULL, 0};
	struct loom_node node;
	char id[LOOM_LOCAL_MAX];

	if (!result->moved ||
	    loom_node_get(app->store, result->moved, LOOM_NODE_NARROW, app->arena, &node, NULL) !=
		    LOOM_OK ||
	    loom_node_members(app->store, node.group, LOOM_NODE_NARROW, app->arena, &versions,
			      NULL) != LOOM_OK)
		return false;
	loom_local_text(app->tree.key, node.local, id);
	if (versions.count > 1)
		tui_say(app, TUI_ROLE_OK, "saved as version %zu; what follows stays",
			versions.count);
	else
		tui_say(app, TUI_ROLE_OK, "saved as a new branch %s", id);
	return true;
}

/* Reports an action in one line; opens the result of a look as a text. */
static void say_result(struct tui_app *app, const struct loom_act *act,
		       const struct loom_result *result)
{
	struct loom_str rest = loom_str_trim(result->text);
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str line;

	if (result->status != LOOM_OK) {
		tui_must(app, result->status, &result->err);
		return;
	}
	if (act->call && loom_verb_info(act->call->verb)->deed == LOOM_DEED_LOOKS) {
		tui_text_open(app, result->line, result->whole.n ? result->whole : result->text);
		return;
	}
	if (act->call && act->call->verb == LOOM_VERB_EDIT && say_edit(app, result))
		return;
	if (loom_str_starts(rest, LOOM_STR("✓ ")))
		rest = loom_str_sub(rest, strlen("✓ "), rest.n);
	while (rest.n && loom_str_line(&rest, &line))
		loom_buf_addf(&said, "%s%.*s", said.n ? " · " : "",
			      LOOM_STR_ARG(loom_str_trim(line)));
	tui_say(app, TUI_ROLE_OK, "%s", loom_buf_cstr(&said));
	loom_buf_fini(&said);
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct tui_run *run = ctx;
	struct tui_app *app = run->app;
	bool generated = run->generating;
	bool ok = result->status == LOOM_OK;
	/* A failure stays on the line, whatever succeeds after it. */
	bool silent = run->opts.quiet || generated || run->failed;

	if (generated)
		tui_stream_end(app, run);
	run->generating = false;
	run->failed = run->failed || !ok;
	if (!ok || !silent)
		say_result(app, act, result);
	if (generated && ok)
		tui_hush(app);
	if (result->moved && !run->opts.stay && app->tree.id == run->tree) {
		int64_t group = tui_group_of(app, result->moved);
		if (group)
			tui_go(app, group, TUI_GO_JUMP);
	}
}

static int64_t from_of(struct tui_run *run, const struct loom_act *act)
{
	struct tui_app *app = run->app;
	struct loom_node node;

	if (act->call && act->call->from.p &&
	    loom_node_find(app->store, app->tree.id, act->call->from, app->arena, &node, NULL) ==
		    LOOM_OK)
		return node.group;
	return run->stood;
}

static void on_begin(void *ctx, const struct loom_act *act, const char *const *ids, size_t count)
{
	struct tui_run *run = ctx;

	run->generating = true;
	if (run->app->running->ending)
		loom_actor_cancel(run->actor, LOOM_CHOICES_ALL);
	if (run->app->tree.id == run->tree)
		tui_stream_begin(run->app, run, from_of(run, act), ids, count);
	tui_say(run->app, TUI_ROLE_RUNNING, "generating %zu · Esc stops", count);
	tui_presence_say(run->app, "generating");
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct tui_run *run = ctx;

	tui_stream_chunk(run->app, run, choice, text);
}

static void on_note(void *ctx, struct loom_str text)
{
	struct tui_run *run = ctx;

	tui_say(run->app, TUI_ROLE_RUNNING, "%.*s · Esc stops", LOOM_STR_ARG(text));
}

static void on_gone(void *ctx)
{
	struct tui_run *run = ctx;

	loom_arena_destroy(run->arena);
	free(run);
}

/* Dropped runs are freed once the worker has let go of them. */
static void drop(struct tui_run *run)
{
	struct tui_run **at = &run->app->running->runs;

	while (*at && *at != run)
		at = &(*at)->next;
	if (*at)
		*at = run->next;
	loom_actor_destroy(run->actor);
}

static void on_done(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct tui_run *run = ctx;
	struct tui_app *app = run->app;
	struct tui_run_opts opts = run->opts;
	bool ok = status == LOOM_OK && !run->failed;

	tui_stream_end(app, run);
	if (status == LOOM_CANCELLED)
		tui_say(app, TUI_ROLE_WARN, "stopped; the text so far is kept");
	else if (status != LOOM_OK)
		tui_must(app, status, err);
	tui_write_ends(app);
	drop(run);
	tui_news_look(app);
	if (opts.done)
		opts.done(app, opts.number, ok);
	tui_app_catch_up(app);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

/* --- beginning --- */

static struct tui_run *make_run(struct tui_app *app, const struct tui_run_opts *opts, size_t count)
{
	struct tui_run *run = loom_alloc(sizeof *run);

	run->app = app;
	run->arena = loom_arena_create();
	run->acts = LOOM_ARENA_ARRAY(run->arena, count, struct loom_act);
	run->opts = opts ? *opts : (struct tui_run_opts){.quiet = false};
	run->opts.draft = loom_arena_str(run->arena, run->opts.draft);
	if (opts && opts->guest && opts->guest->name.p)
		run->guest = (struct loom_guest){loom_arena_str(run->arena, opts->guest->name),
						 loom_arena_str(run->arena, opts->guest->from)};
	run->tree = app->tree.id;
	run->stood = app->position;
	return run;
}

static void add_line(struct tui_run *run, struct loom_str line)
{
	struct loom_call *call = LOOM_ARENA_NEW(run->arena, struct loom_call);
	struct loom_str kept = loom_arena_str(run->arena, line);
	struct loom_act *act = &run->acts[run->count++];

	if (loom_parse_line(run->arena, kept, call, &run->refusal) != LOOM_OK) {
		act->refusal = &run->refusal;
		return;
	}
	call->batch = BATCH;
	act->call = call;
}

/* The line refers to what the screen shows, not to the position last saved in the store. Nobody can
 * stand in a pruned branch; there it refers to the nearest visible node above. */
static void stand(struct tui_run *run)
{
	struct tui_app *app = run->app;
	struct loom_node node;
	char id[LOOM_LOCAL_MAX];
	int64_t visible = 0;

	if (loom_node_visible(app->store, app->member, &visible, NULL, NULL) != LOOM_OK ||
	    loom_node_get(app->store, visible, LOOM_NODE_NARROW, app->arena, &node, NULL) !=
		    LOOM_OK)
		return;
	loom_local_text(app->tree.key, node.local, id);
	loom_actor_stand(run->actor, loom_str_of(id));
}

/* Approved calls run in the name and thread of the agent that proposed them, and go into that
 * thread's log. */
static void act_as(struct tui_run *run, struct loom_actor_opts *opts)
{
	loom_turn_log_init(&run->log, LOOM_STR(""));
	opts->engine.agent = run->opts.agent;
	opts->engine.tree = run->opts.tree;
	opts->engine.thread = run->opts.thread;
	opts->engine.log = &run->log.face;
	opts->engine.guest = &run->guest;
	opts->approved = true;
}

static void begin(struct tui_run *run)
{
	static const struct loom_engine_hooks hooks = {.search = loom_find_call};
	struct tui_app *app = run->app;
	struct loom_actor_opts opts = {
		.engine = {.agent = app->actor,
			   .tree = app->tree.id,
			   .session = app->news->session,
			   .hooks = &hooks,
			   .result_tokens = SIZE_MAX,
			   .draft = run->opts.draft,
			   .local = true},
		.loop = app->loop,
		.worker = tui_worker(app),
		.generator = tui_generator(app),
		.sink = {.result = on_result,
			 .begin = on_begin,
			 .chunk = on_chunk,
			 .note = on_note,
			 .done = on_done,
			 .gone = on_gone,
			 .ctx = run},
	};

	/* Listed before it starts: the configuration of its voice is kept while it is listed. */
	run->next = app->running->runs;
	app->running->runs = run;
	if (run->opts.agent)
		act_as(run, &opts);
	run->actor = loom_actor_create(&opts);
	if (!run->opts.agent)
		stand(run);
	else if (run->opts.seq >= 0)
		loom_actor_turn(run->actor, run->opts.seq);
	tui_write_begins(app);
	loom_actor_act(run->actor, run->acts, run->count);
}

void tui_run_line(struct tui_app *app, struct loom_str line, const struct tui_run_opts *opts)
{
	struct tui_run *run;

	if (app->running->ending)
		return;
	run = make_run(app, opts, 1);
	add_line(run, line);
	begin(run);
}

void tui_run_calls(struct tui_app *app, const struct loom_call *calls, size_t count,
		   const struct tui_run_opts *opts)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct tui_run *run;

	if (app->running->ending)
		return;
	run = make_run(app, opts, count);
	for (size_t i = 0; i < count; i++) {
		loom_buf_clear(&line);
		loom_call_print(&calls[i], &line);
		add_line(run, loom_buf_str(&line));
	}
	loom_buf_fini(&line);
	begin(run);
}

/* --- continuing --- */

/* As many continuations as typed, otherwise as the subject is configured for. */
void tui_continue_from(struct tui_app *app, const char *id, int64_t count)
{
	struct loom_buf line = LOOM_BUF_INIT(256);

	count = count > 0 ? count : app->subject->n;
	loom_buf_addf(&line, "continue from %s", id);
	if (count > 0)
		loom_buf_addf(&line, " n:%lld", (long long)count);
	tui_run_line(app, loom_buf_str(&line), NULL);
	loom_buf_fini(&line);
}

void tui_continue_here(struct tui_app *app, int count)
{
	const struct tui_row *row = NULL;

	if (tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK)
		tui_continue_from(app, row->id, count);
}

/* --- ending --- */

bool tui_run_cancel(struct tui_app *app)
{
	struct tui_ghost *ghost = tui_stream_at(app, app->cursor);

	if (ghost) {
		loom_actor_cancel(ghost->run->actor,
				  ghost->stopped ? LOOM_CHOICES_ALL : ghost->choice);
		ghost->stopped = true;
		return true;
	}
	for (struct tui_run *run = app->running->runs; run; run = run->next) {
		if (!run->generating)
			continue;
		loom_actor_cancel(run->actor, LOOM_CHOICES_ALL);
		return true;
	}
	return false;
}

static bool only_asks(const struct tui_run *run)
{
	for (size_t i = 0; i < run->count; i++)
		if (!run->acts[i].call || run->acts[i].call->verb != LOOM_VERB_CONTINUE)
			return false;
	return run->count > 0;
}

/* Accepted writes are completed. Generation is cancelled, and its text so far is kept. */
void tui_run_end_all(struct tui_app *app)
{
	int64_t until = loom_env_ticks() + END_NS;

	app->running->ending = true;
	for (struct tui_run *run = app->running->runs; run; run = run->next)
		if (run->generating || only_asks(run))
			loom_actor_cancel(run->actor, LOOM_CHOICES_ALL);
	while ((app->running->runs || app->commits) && loom_env_ticks() < until)
		loom_loop_step(app->loop, 50);
	for (struct tui_run *run = app->running->runs, *next = NULL; run; run = next) {
		next = run->next;
		drop(run);
	}
}

static bool stop(struct tui_app *app)
{
	bool any = tui_run_cancel(app);

	if (any)
		tui_say(app, TUI_ROLE_WARN, "stopping");
	return any;
}

static void begin_runs(struct tui_app *app)
{
	app->running = loom_alloc(sizeof *app->running);
}

static void closed(struct tui_app *app)
{
	loom_voices_destroy(app->running->voices);
	free(app->running);
}

const struct tui_view tui_view_runs = {
	.stop = stop,
	.told = {[TUI_TOLD_BEGIN] = begin_runs, [TUI_TOLD_CLOSED] = closed},
};
