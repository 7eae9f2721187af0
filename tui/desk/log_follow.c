/* The follower of a grove that stands in a shared log: what others append reaches the screen as any
 * write of another process does. */
#include <loom/desk/log_follow.h>

#include <time.h>

#include <loom/desk/others.h>
#include <loom/follow/follow.h>

static void on_changed(void *ctx)
{
	struct tui_app *app = ctx;
	const struct loom_follow_news *news = loom_follow_news(app->log);

	if (news->state == LOOM_FOLLOW_STUCK)
		tui_must(app, news->why.status, &news->why);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void open_log(struct tui_app *app)
{
	const struct loom_follow_opts opts = {.loop = app->loop, .changed = on_changed, .ctx = app};

	app->log = loom_follow_start(app->store, &opts);
}

static void closed(struct tui_app *app)
{
	loom_follow_stop(app->log);
}

void tui_log_say(const struct tui_app *app, struct loom_buf *out)
{
	const struct loom_follow_news *news = app->log ? loom_follow_news(app->log) : NULL;
	char clock[16];
	struct tm when;
	time_t since;

	if (!news)
		return;
	loom_buf_addf(out, " @%s", loom_follow_name(app->log));
	if (app->news->present_count)
		loom_buf_addf(out, " · %zu here", app->news->present_count + 1);
	if (news->state == LOOM_FOLLOW_STUCK)
		loom_buf_adds(out, " · not followed, reading");
	if (news->state != LOOM_FOLLOW_AWAY)
		return;
	since = (time_t)(news->since / 1000);
	if (localtime_r(&since, &when) && strftime(clock, sizeof clock, "%H:%M", &when))
		loom_buf_addf(out, " · offline since %s, reading", clock);
}

bool tui_log_about(const struct tui_app *app, struct loom_arena *arena, struct tui_log_about *out)
{
	static const char *const states[] = {
		[LOOM_FOLLOW_STARTS] = "connecting",
		[LOOM_FOLLOW_ELSEWHERE] = "another program of this machine follows it",
		[LOOM_FOLLOW_CURRENT] = "all that it has is here",
	};
	struct loom_follow_place place;
	const struct loom_follow_news *news = app->log ? loom_follow_news(app->log) : NULL;

	if (!news || loom_follow_place(app->store, arena, &place, NULL) != LOOM_OK)
		return false;
	*out = (struct tui_log_about){.url = place.url,
				      .entries = place.entries,
				      .rides = place.rides,
				      .voids = place.voids};
	if (news->state == LOOM_FOLLOW_AWAY || news->state == LOOM_FOLLOW_STUCK)
		out->state = loom_arena_str(arena, loom_str_of(news->why.text));
	else
		out->state = loom_str_of(states[news->state]);
	return true;
}

const struct tui_view tui_view_log = {
	.told = {[TUI_TOLD_OPEN] = open_log, [TUI_TOLD_CLOSED] = closed},
};
