/* Agents' turns, run in the loop by the same machine as `loom chat`. What is said to a turn is kept
 * here until the log has it; the view only shows it. */
#include <loom/lists/talk.h>

#include <loom/engine/find_text.h>

#include <loom/lists/list.h>
#include <loom/desk/do_line.h>
#include <loom/desk/others.h>
#include <loom/desk/screen_gate.h>
#include <loom/desk/workers.h>
#include <loom/writing/unsent.h>

struct tui_talk *tui_talk_of(struct tui_app *app, int64_t agent, int64_t tree, int64_t thread)
{
	struct tui_talk *talk;
	struct loom_thread row;

	if (!thread &&
	    loom_thread_implicit(app->store, agent, tree, app->arena, &row, NULL) == LOOM_OK)
		thread = row.id;
	for (talk = app->talks; talk; talk = talk->next)
		if (talk->agent == agent && talk->tree == tree &&
		    (talk->thread == thread || !talk->thread))
			return talk;
	talk = loom_alloc(sizeof *talk);
	talk->app = app;
	talk->agent = agent;
	talk->tree = tree;
	talk->thread = thread;
	talk->used_through = LOOM_SEQ_NONE;
	loom_buf_init(&talk->said, LOOM_BUF_MAX);
	loom_buf_init(&talk->opening, LOOM_BUF_MAX);
	loom_buf_init(&talk->early, LOOM_BUF_MAX);
	for (size_t i = 0; i < TUI_QUEUED; i++)
		loom_buf_init(&talk->queued[i], LOOM_BUF_MAX);
	talk->next = app->talks;
	app->talks = talk;
	return talk;
}

/* ---- what is told ---- */

/* Tells the view that shows it. */
static void changed(struct tui_talk *talk)
{
	if (talk->changed)
		talk->changed(talk);
}

static void show(struct tui_talk *talk)
{
	changed(talk);
	if (talk->app->stage)
		tui_stage_dirty(talk->app->stage);
}

static void on_state(void *ctx, enum loom_chat_state state)
{
	struct tui_talk *talk = ctx;

	talk->state = state;
	if (state == LOOM_CHAT_WAITING)
		tui_tell(talk->app, TUI_TOLD_WRITTEN);
	show(talk);
}

static void on_began(void *ctx, int64_t thread, int64_t seq)
{
	struct tui_talk *talk = ctx;

	(void)seq;
	talk->thread = thread;
	talk->began = true;
	tui_news_caused(talk->app, thread);
	if (talk->early.n)
		loom_chat_steer(talk->chat, loom_buf_str(&talk->early));
	loom_buf_clear(&talk->opening);
	loom_buf_clear(&talk->early);
	show(talk);
}

static void on_said(void *ctx, struct loom_str text)
{
	struct tui_talk *talk = ctx;

	loom_buf_add(&talk->said, text);
	changed(talk);
	if (talk->app->stage)
		tui_stage_stream(talk->app->stage);
}

static void on_message(void *ctx, int64_t seq)
{
	struct tui_talk *talk = ctx;

	(void)seq;
	loom_buf_clear(&talk->said);
	show(talk);
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	(void)act;
	(void)result;
	show(ctx);
}

static void drop_queued(struct tui_talk *talk, size_t count)
{
	count = count < talk->queued_count ? count : talk->queued_count;
	for (; count > 0; count--) {
		struct loom_buf first = talk->queued[0];

		memmove(talk->queued, talk->queued + 1, (TUI_QUEUED - 1) * sizeof *talk->queued);
		loom_buf_clear(&first);
		talk->queued[TUI_QUEUED - 1] = first;
		talk->queued_count--;
	}
}

/* Removes a queued text that was heard, if it was queued here at all. */
static void forget_queued(struct tui_talk *talk, struct loom_str text)
{
	size_t at = 0;
	struct loom_buf gone;

	while (at < talk->queued_count && !loom_str_eq(loom_buf_str(&talk->queued[at]), text))
		at++;
	if (at == talk->queued_count)
		return;
	gone = talk->queued[at];
	memmove(&talk->queued[at], &talk->queued[at + 1],
		(TUI_QUEUED - at - 1) * sizeof *talk->queued);
	loom_buf_clear(&gone);
	talk->queued[TUI_QUEUED - 1] = gone;
	talk->queued_count--;
}

static void on_queued(void *ctx, struct loom_str text, enum loom_status status,
		      const struct loom_err *err)
{
	struct tui_talk *talk = ctx;

	if (tui_must(talk->app, status, err) && talk->queued_count < TUI_QUEUED)
		loom_buf_add(&talk->queued[talk->queued_count++], text);
	show(talk);
}

static void on_heard(void *ctx, size_t count)
{
	struct tui_talk *talk = ctx;

	drop_queued(talk, count);
	show(talk);
}

static void on_returned(void *ctx, struct loom_str text, struct loom_str draft)
{
	struct tui_talk *talk = ctx;

	forget_queued(talk, text);
	tui_say(talk->app, TUI_ROLE_WARN, "too late for this turn%s",
		draft.n ? "; kept as a draft" : "");
	show(talk);
}

static void on_warning(void *ctx, struct loom_str text)
{
	struct tui_talk *talk = ctx;

	tui_say(talk->app, TUI_ROLE_WARN, "%.*s", LOOM_STR_ARG(text));
	show(talk);
}

static void say_limit(struct tui_app *app, const struct loom_chat_end *end)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);

	loom_chat_limit_text(end, &text);
	tui_say(app, TUI_ROLE_WARN, "%s", loom_buf_cstr(&text));
	loom_buf_fini(&text);
}

static void say_end(struct tui_talk *talk, const struct loom_chat_end *end)
{
	struct tui_app *app = talk->app;

	if (talk->opening.n)
		tui_say(app, TUI_ROLE_ERROR, "%s \xc2\xb7 i has what you said", end->err.text);
	else if (end->status == LOOM_CANCELLED)
		tui_say(app, TUI_ROLE_WARN, "stopped; completed calls stand");
	else if (end->status != LOOM_OK)
		tui_must(app, end->status, &end->err);
	else if (end->limited)
		say_limit(app, end);
	else
		tui_say(app, TUI_ROLE_OK, "%.*s has answered%s",
			LOOM_STR_ARG(tui_people_name(&app->people, talk->agent)),
			end->calls ? " · oo lists and undoes what it did" : "");
}

/* Tells whoever waits for the end of this turn. */
static void tell_after(struct tui_talk *talk, bool ran)
{
	void (*after)(struct tui_talk *, bool) = talk->after;

	talk->after = NULL;
	if (after)
		after(talk, ran);
}

static void on_done(void *ctx, const struct loom_chat_end *end)
{
	struct tui_talk *talk = ctx;

	/* Text that is not in the log goes back to its author. */
	if (talk->early.n)
		loom_buf_addf(&talk->opening, "\n%.*s", LOOM_STR_ARG(loom_buf_str(&talk->early)));
	loom_buf_clear(&talk->early);
	talk->running = talk->stopping = talk->began = false;
	tui_look_ends(talk->app);
	loom_buf_clear(&talk->said);
	drop_queued(talk, TUI_QUEUED);
	tui_news_look(talk->app);
	say_end(talk, end);
	tell_after(talk, end->rounds > 0);
	show(talk);
}

/* ---- what is said to it ---- */

static void make_chat(struct tui_talk *talk)
{
	static const struct loom_engine_hooks hooks = {.search = loom_find_call};
	struct tui_app *app = talk->app;
	struct loom_chat_opts opts = {.loop = app->loop,
				      .worker = tui_worker(app),
				      .generator = tui_generator(app),
				      .agent = talk->agent,
				      .tree = talk->tree,
				      .thread = talk->thread,
				      .place = talk->tree == app->tree.id ? app->member : 0,
				      .hooks = &hooks,
				      .sink = {.state = on_state,
					       .began = on_began,
					       .warning = on_warning,
					       .said = on_said,
					       .message = on_message,
					       .result = on_result,
					       .queued = on_queued,
					       .heard = on_heard,
					       .returned = on_returned,
					       .done = on_done,
					       .ctx = talk}};

	talk->chat = loom_chat_create(&opts);
}

static void begin(struct tui_talk *talk, struct loom_str text)
{
	talk->running = true;
	loom_buf_clear(&talk->opening);
	loom_buf_add(&talk->opening, text);
	tui_look_begins(talk->app);
}

void tui_talk_say(struct tui_talk *talk, struct loom_str text)
{
	if (!tui_may(talk->app, "chat"))
		return;
	if (!talk->chat)
		make_chat(talk);
	if (talk->running && talk->began) {
		loom_chat_steer(talk->chat, text);
		return;
	}
	if (talk->running) {
		loom_buf_addf(&talk->early, "%s%.*s", talk->early.n ? "\n" : "",
			      LOOM_STR_ARG(text));
		return;
	}
	begin(talk, text);
	loom_chat_start(talk->chat, text);
	show(talk);
}

bool tui_talk_hand(struct tui_talk *talk, struct loom_str text)
{
	if (!tui_may(talk->app, "chat"))
		return false;
	if (talk->running) {
		tui_say(talk->app, TUI_ROLE_WARN, "%.*s has a turn under way: wait for its end",
			LOOM_STR_ARG(tui_people_name(&talk->app->people, talk->agent)));
		return false;
	}
	if (!talk->chat)
		make_chat(talk);
	begin(talk, text);
	loom_chat_hand(talk->chat, text);
	show(talk);
	return true;
}

void tui_talk_cancel(struct tui_talk *talk)
{
	if (!talk->running)
		return;
	loom_chat_cancel(talk->chat, talk->stopping ? LOOM_CANCEL_ALL : LOOM_CANCEL_ONE);
	tui_say(talk->app, TUI_ROLE_WARN, talk->stopping ? "stopping the turn" : "stopping");
	talk->stopping = true;
}

static bool stop(struct tui_app *app)
{
	struct tui_talk *talk = app->talks;

	while (talk && !talk->running)
		talk = talk->next;
	if (talk)
		tui_talk_cancel(talk);
	return talk != NULL;
}

/* Keeps text that reached no log as a draft. */
static void keep_opening(struct tui_app *app, const struct tui_talk *talk)
{
	struct loom_thread thread;
	struct tui_unsent what;

	if (!talk->opening.n)
		return;
	tui_unsent_make(app, &what);
	if (loom_thread_get(app->store, talk->thread, app->arena, &thread, NULL) == LOOM_OK)
		snprintf(what.anchor, sizeof what.anchor, "%.*s", LOOM_STR_ARG(thread.name));
	tui_unsent_keep(app, &what, loom_buf_str(&talk->opening), NULL);
}

static void end_all(struct tui_app *app)
{
	bool running = true;

	for (struct tui_talk *talk = app->talks; talk; talk = talk->next)
		if (talk->running)
			loom_chat_cancel(talk->chat, LOOM_CANCEL_ALL);
	/* Its actions are done and written; at most its last words are cut off. */
	for (int rounds = 0; running && rounds < 100; rounds++) {
		running = false;
		for (struct tui_talk *talk = app->talks; talk; talk = talk->next)
			running = running || talk->running;
		if (running)
			loom_loop_step(app->loop, 20);
	}
	while (app->talks) {
		struct tui_talk *talk = app->talks;

		app->talks = talk->next;
		loom_chat_destroy(talk->chat);
		tell_after(talk, false);
		keep_opening(app, talk);
		loom_buf_fini(&talk->said);
		loom_buf_fini(&talk->opening);
		loom_buf_fini(&talk->early);
		for (size_t i = 0; i < TUI_QUEUED; i++)
			loom_buf_fini(&talk->queued[i]);
		free(talk);
	}
}

const struct tui_view tui_view_talks = {.interrupt = stop, .told = {[TUI_TOLD_ENDING] = end_all}};
