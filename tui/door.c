/* From the command line to the screen: finds the grove, makes the first one, says in one line what
 * cannot be done. */
#include "door.h"

#include <limits.h>
#include <unistd.h>

#include <loom/shown.h>
#include <loom/store.h>

#include "app.h"

static int fail(const struct loom_err *err)
{
	struct loom_buf raw = LOOM_BUF_INIT(4096);
	struct loom_buf line = LOOM_BUF_INIT(1 << 16);

	loom_buf_addf(&raw, "loom: %s", err->text);
	if (err->hint[0])
		loom_buf_addf(&raw, " · %s", err->hint);
	loom_shown_line(&line, loom_buf_str(&raw), 0);
	fprintf(stderr, "%s\n", loom_buf_cstr(&line));
	loom_buf_fini(&raw);
	loom_buf_fini(&line);
	return loom_status_exit(err->status);
}

static enum loom_status no_terminal(struct loom_err *err)
{
	loom_fail(err, LOOM_REFUSED, "there is no terminal here to draw on");
	return loom_hint(err, LOOM_REFUSED,
			 "use `loom tree`, `loom do \"→ view r001\"` or `loom help`");
}

static enum loom_status find_grove(struct loom_env *env, const struct loom_open_request *request,
				   struct loom_buf *dir, bool *personal, struct loom_err *err)
{
	char here[PATH_MAX];

	if (!request->grove && !getcwd(here, sizeof here))
		return loom_fail(err, LOOM_IO, "the current directory is gone");
	return loom_grove_find(env, loom_str_of(request->grove ? request->grove : here), dir,
			       personal, err);
}

static enum loom_status open_screen(struct loom_env *env, const struct loom_open_request *request,
				    struct loom_err *err)
{
	struct tui_stage_opts stage = tui_stage_opts_of(env);
	struct loom_buf dir = LOOM_BUF_INIT(PATH_MAX);
	struct tui_app_opts opts = {.env = env, .agent = loom_str_of(request->agent)};
	struct tui_app *app = NULL;
	bool personal = false;
	enum loom_status status;

	if (!isatty(stage.in) || !isatty(stage.out))
		return no_terminal(err);
	status = find_grove(env, request, &dir, &personal, err);
	opts.dir = loom_buf_str(&dir);
	if (status == LOOM_OK)
		status = tui_app_open(&app, &opts, err);
	if (status == LOOM_OK)
		status = tui_app_run(app, &stage, err);
	tui_app_close(app);
	loom_buf_fini(&dir);
	return status;
}

int tui_door_open(void *ctx, const struct loom_open_request *request)
{
	struct loom_env env;
	struct loom_err err = {.status = LOOM_OK};

	(void)ctx;
	if (loom_env_init(&env, &err) != LOOM_OK || open_screen(&env, request, &err) != LOOM_OK)
		return fail(&err);
	return 0;
}
