/* Hooks for what is written from the screen. */
#include <loom/desk/desk.h>

#include <loom/hooks/hooks.h>

#define LEAVING_MS 2000 /* leaving waits so long for them */

static struct loom_loop *loop_of(void *ctx)
{
	const struct tui_app *app = ctx;

	return app->loop;
}

static void complain(void *ctx, const char *text)
{
	struct tui_app *app = ctx;

	tui_say(app, TUI_ROLE_WARN, "%s", text);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void begin(struct tui_app *app)
{
	const struct loom_hooks_opts opts = {.env = app->env,
					     .loop = loop_of,
					     .complain = complain,
					     .ctx = app};

	app->hooks = loom_hooks_open(&opts);
}

static void closed(struct tui_app *app)
{
	loom_hooks_close(app->hooks, LEAVING_MS);
	app->hooks = NULL;
}

const struct tui_view tui_view_hooks = {
	.told = {[TUI_TOLD_BEGIN] = begin, [TUI_TOLD_CLOSED] = closed},
};
