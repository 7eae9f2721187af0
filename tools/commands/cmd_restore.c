/* `loom restore`: replaces a grove with a backup. It opens no grove, because the old one may be
 * damaged or missing. */
#include <loom/cli/services.h>

#include <limits.h>
#include <unistd.h>

#include <loom/salvage/restore.h>
#include <loom/tree/say_node.h>
#include <loom/text/sanitise.h>
#include <loom/loop/worker.h>

#include <loom/commands/args_of.def>
#include <loom/commands/keeping.def>

#define ANSWER_MAX ((size_t)1 << 10)

struct restoring {
	struct loom_cli *cli;
	struct loom_worker *worker;
	struct loom_restore *restore;
	struct loom_restore_opts opts;
	struct loom_restore_report report;
	struct loom_buf dir;
	struct loom_str *findings;
	size_t count;
	size_t cap;
};

static void on_finding(void *ctx, struct loom_str text)
{
	struct restoring *r = ctx;

	r->findings =
		loom_arena_grow(r->cli->arena, r->findings, r->count, &r->cap, sizeof *r->findings);
	r->findings[r->count++] = loom_arena_str(r->cli->arena, text);
}

static enum loom_status begin(void *context, void *payload, struct loom_task *task,
			      struct loom_err *err)
{
	struct restoring *r = payload;

	(void)context;
	return loom_restore_begin(&r->opts, task, &r->restore, &r->report, err);
}

static enum loom_status finish(void *context, void *payload, struct loom_task *task,
			       struct loom_err *err)
{
	struct restoring *r = payload;

	(void)context;
	return loom_restore_finish(r->restore, task, &r->report, err);
}

static enum loom_status work(struct restoring *r, const char *what,
			     enum loom_status (*run)(void *, void *, struct loom_task *,
						     struct loom_err *),
			     struct loom_err *err)
{
	const struct loom_cli_work job = {.what = what, .unit = "bytes", .run = run, .payload = r};

	return loom_cli_work(r->cli, r->worker, &job, err);
}

static void say(struct restoring *r, const char *format, ...) LOOM_PRINTF(2, 3);
static void say(struct restoring *r, const char *format, ...)
{
	struct loom_buf raw = LOOM_BUF_INIT(1 << 16);
	struct loom_buf line = LOOM_BUF_INIT(1 << 17);
	va_list args;

	va_start(args, format);
	loom_buf_addfv(&raw, format, args);
	va_end(args);
	loom_shown_line(&line, loom_buf_str(&raw), 0);
	loom_out_note(r->cli->out, "%s", loom_buf_cstr(&line));
	loom_buf_fini(&raw);
	loom_buf_fini(&line);
}

/* Judges the check of the backup. A damaged backup is refused, but a grove that an earlier restore
 * kept is restored as it was. */
static enum loom_status judge(struct restoring *r, struct loom_err *err)
{
	for (size_t i = 0; i < r->count; i++)
		say(r, "%.*s", LOOM_STR_ARG(r->findings[i]));
	if (!r->report.findings || r->report.own)
		return LOOM_OK;
	loom_fail(err, LOOM_DAMAGED, "%s is damaged; nothing was changed", r->opts.file);
	return loom_hint(err, LOOM_DAMAGED,
			 "`loom salvage` recovers what is left into a new grove");
}

/* Asks a person at a terminal; a script says --yes. */
static enum loom_status ask(struct restoring *r, struct loom_err *err)
{
	struct loom_str answer = {NULL, 0};
	bool end = false;
	enum loom_status status;

	if (args_of_restore(r->cli)->yes)
		return LOOM_OK;
	if (!isatty(STDIN_FILENO)) {
		loom_fail(err, LOOM_REFUSED,
			  "restoring needs a confirmation, and there is no terminal");
		return loom_hint(err, LOOM_REFUSED, "loom restore FILE --yes");
	}
	say(r, "%s %s with %s (%s)? y/N",
	    r->report.replaces ? "replace the grove in" : "create a grove in",
	    loom_buf_cstr(&r->dir), r->opts.file,
	    loom_answer_many(r->cli, r->report.trees, "tree", "trees"));
	status = loom_cli_line(r->cli, ANSWER_MAX, &answer, &end, err);
	if (status != LOOM_OK)
		return status;
	answer = loom_str_trim(answer);
	return loom_str_is(answer, "y") || loom_str_is(answer, "Y") || loom_str_is(answer, "yes")
		       ? LOOM_OK
		       : loom_fail(err, LOOM_REFUSED, "nothing was changed");
}

static void say_done(struct restoring *r)
{
	struct loom_cli *cli = r->cli;
	struct loom_buf quoted = LOOM_BUF_INIT(1 << 16);

	loom_answer_done(cli, "the grove in %s is now the one from %s", loom_buf_cstr(&r->dir),
			 r->opts.file);
	if (r->report.log[0])
		loom_answer_line(cli, "  a log that did not belong there is now in %s",
				 r->report.log);
	if (r->report.kept[0]) {
		cli_add_word(&quoted, loom_str_of(r->report.kept));
		loom_answer_line(cli, "  the old one is in %s; to bring it back:", r->report.kept);
		loom_answer_line(cli, "  loom restore %s", loom_buf_cstr(&quoted));
	}
	loom_answer_text(cli, "dir", loom_buf_str(&r->dir));
	loom_answer_text(cli, "file", loom_str_of(r->opts.file));
	loom_answer_number(cli, "bytes", r->report.bytes);
	loom_answer_text(cli, "kept", loom_str_of(r->report.kept));
	loom_answer_text(cli, "kept_log", loom_str_of(r->report.log));
	loom_buf_fini(&quoted);
}

static enum loom_status restore(struct restoring *r, struct loom_err *err)
{
	char real[PATH_MAX];
	enum loom_status status = LOOM_OK;

	if (r->cli->grove)
		loom_buf_adds(&r->dir, realpath(r->cli->grove, real) ? real : r->cli->grove);
	else
		status = loom_restore_place(&r->cli->env, LOOM_STR(""), &r->dir, err);
	r->opts.dir = loom_buf_str(&r->dir);
	if (status == LOOM_OK)
		status = work(r, "checking the backup", begin, err);
	if (status == LOOM_OK)
		status = judge(r, err);
	if (status == LOOM_OK)
		status = ask(r, err);
	if (status == LOOM_OK)
		status = work(r, "restoring", finish, err);
	return status;
}

enum loom_status cmd_restore(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_worker_opts worker_opts = {.loop = loom_cli_loop(cli)};
	struct restoring r = {.cli = cli};
	enum loom_status status = LOOM_OK;

	loom_buf_init(&r.dir, PATH_MAX);
	r.worker = loom_worker_create(&worker_opts);
	r.opts = (struct loom_restore_opts){.env = &cli->env,
					    .file = args_of_restore(cli)->file.p,
					    .finding = on_finding,
					    .ctx = &r};
	status = restore(&r, err);
	if (status == LOOM_OK)
		say_done(&r);
	loom_worker_destroy(r.worker);
	loom_restore_close(r.restore);
	loom_buf_fini(&r.dir);
	return status;
}
