/* From the command line to the screen: finds the grove, creates the first one, and explains in one
 * line what is not possible. */
#include <loom/program/open.h>

#include <limits.h>
#include <unistd.h>

#include <loom/tree/person.h>
#include <loom/loop/loop.h>
#include <loom/text/sanitise.h>
#include <loom/cli/log_password.h>
#include <loom/cli/trust_ask.h>
#include <loom/cli/welcome.h>
#include <loom/loop/worker.h>

#include <loom/program/app.h>
#include <loom/program/plain.h>
#include <loom/terminal/screen.h>
#include <loom/tree/open_store.h>

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

/* --- the first run: what is written before there is anything to show --- */

struct first {
	struct loom_env *env;
	struct loom_str dir;
};

static enum loom_status open_store(void *ctx, void **out, struct loom_err *err)
{
	struct first *first = ctx;
	struct loom_store *store = NULL;
	enum loom_status status = loom_store_open(first->env, first->dir, LOOM_WRITE, &store, err);

	*out = store;
	return status;
}

static void close_store(void *context)
{
	loom_store_close(context);
}

static enum loom_status welcome(void *context, void *payload, struct loom_task *task,
				struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_agent owner;
	int64_t tree = 0;
	enum loom_status status = loom_person_me(context, arena, &owner, err);

	(void)payload;
	(void)task;
	if (status == LOOM_OK)
		status = loom_welcome_make(context, owner.id, &tree, err);
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status write_welcome(struct loom_env *env, struct loom_str dir,
				      struct loom_err *err)
{
	struct first first = {env, dir};
	struct loom_loop *loop = loom_loop_create();
	struct loom_worker_opts opts = {.loop = loop,
					.open = open_store,
					.close = close_store,
					.ctx = &first};
	struct loom_worker *worker = loom_worker_create(&opts);
	enum loom_status status = loom_worker_call(worker, &(struct loom_job){.run = welcome}, err);

	loom_worker_destroy(worker);
	loom_loop_destroy(loop);
	return status;
}

static bool is_there(struct loom_str dir)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	bool there;

	loom_buf_addf(&path, "%.*s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE, LOOM_STR_ARG(dir));
	there = access(loom_buf_cstr(&path), F_OK) == 0;
	loom_buf_fini(&path);
	return there;
}

/* Creates the personal grove when it is first opened; its first tree shows how to use loom. */
static enum loom_status prepare(struct loom_env *env, const struct loom_open_request *request,
				struct loom_str dir, bool personal, struct loom_err *err)
{
	bool fresh = personal && !is_there(dir);
	enum loom_status status = fresh ? loom_grove_init(env, dir, err) : LOOM_OK;

	if (status == LOOM_OK && (fresh || request->door == LOOM_DOOR_TUTOR))
		status = write_welcome(env, dir, err);
	return status;
}

/* Asked before the screen opens, since afterwards it cannot ask in lines. */
static enum loom_status settle_trust(struct loom_env *env, const struct loom_open_request *request,
				     struct loom_str dir, struct loom_err *err)
{
	const struct loom_trust_question question = {.env = env,
						     .dir = dir,
						     .about = LOOM_TRUST_GROVE,
						     .person = !request->agent};

	return is_there(dir) ? loom_trust_settle(&question, err) : LOOM_OK;
}

/* A configuration that cannot be read is reported on the screen. */
static void settle_small(struct loom_env *env, const struct loom_open_request *request,
			 struct loom_str dir)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_config config;

	if (is_there(dir) && loom_config_load(env, arena, &config, NULL) == LOOM_OK)
		(void)loom_small_settle(&(struct loom_small_question){
			.env = env, .dir = dir, .config = &config, .person = !request->agent});
	loom_arena_destroy(arena);
}

/* --- the doors --- */

static bool wants_lines(const struct loom_env *env, const struct loom_open_request *request)
{
	const char *type = loom_env_var(env, "TERM");
	bool known = type && *type && strcmp(type, "dumb") != 0;

	return request->door == LOOM_DOOR_PLAIN || (!known && isatty(0));
}

/* Printed after the terminal is restored: nothing is lost, and how to come back. */
static void say_return(int out, struct loom_str dir, bool personal)
{
	struct loom_buf raw = LOOM_BUF_INIT(PATH_MAX + 200);
	struct loom_buf line = LOOM_BUF_INIT(1 << 16);

	loom_buf_adds(&raw, "everything is saved; loom");
	if (!personal)
		loom_buf_addf(&raw, " -g %.*s", LOOM_STR_ARG(dir));
	loom_buf_adds(&raw, " returns to where you were");
	loom_shown_line(&line, loom_buf_str(&raw), 0);
	loom_buf_addc(&line, '\n');
	tui_screen_say(out, line.p, line.n);
	loom_buf_fini(&raw);
	loom_buf_fini(&line);
}

static enum loom_status open_screen(struct loom_env *env, const struct loom_open_request *request,
				    struct loom_err *err)
{
	struct tui_stage_opts stage = tui_stage_opts_of(env);
	struct loom_buf dir = LOOM_BUF_INIT(PATH_MAX);
	struct tui_app_opts opts = {.env = env,
				    .agent = loom_str_of(request->agent),
				    .fresh = request->door == LOOM_DOOR_TUTOR,
				    .program = "/proc/self/exe"};
	struct tui_app *app = NULL;
	bool lines = wants_lines(env, request);
	bool personal = false;
	enum loom_status status;

	if (!lines && (!isatty(stage.in) || !isatty(stage.out)))
		return no_terminal(err);
	status = find_grove(env, request, &dir, &personal, err);
	opts.dir = loom_buf_str(&dir);
	if (status == LOOM_OK)
		status = settle_trust(env, request, opts.dir, err);
	if (status == LOOM_OK)
		settle_small(env, request, opts.dir);
	if (status == LOOM_OK)
		status = prepare(env, request, opts.dir, personal, err);
	if (status == LOOM_OK)
		status = tui_app_open(&app, &opts, err);
	if (status == LOOM_OK && lines)
		tui_plain_run(app);
	else if (status == LOOM_OK)
		status = tui_app_run(app, &stage, err);
	tui_app_close(app);
	if (status == LOOM_OK && !lines && isatty(stage.out))
		say_return(stage.out, opts.dir, personal);
	loom_buf_fini(&dir);
	return status;
}

int tui_door_open(void *ctx, const struct loom_open_request *request)
{
	struct loom_env env;
	struct loom_err err = {.status = LOOM_OK};

	(void)ctx;
	if (loom_env_init(&env, &err) != LOOM_OK)
		return fail(&err);
	env.password = cli_log_password;
	if (request->wish)
		snprintf(env.wish, sizeof env.wish, "%s", request->wish);
	if (open_screen(&env, request, &err) != LOOM_OK)
		return fail(&err);
	return 0;
}
