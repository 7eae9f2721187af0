/* The `.leslie/` of a call, and the wording of its refusals.
 *
 * It needs no grove: the files are the interface. If the project has a grove, the search starts
 * there, and its files are never copied. */
#include "leslie_of.h"

#include <limits.h>

#include <loom/grove/store.h>

/* Where to start the search: the grove's directory, or the current one if there is only the
 * personal grove. */
static enum loom_status find_start(struct loom_cli *cli, struct loom_buf *out, struct loom_err *err)
{
	bool personal = false;
	enum loom_status status = LOOM_OK;

	if (cli->grove) {
		loom_buf_adds(out, cli->grove);
		return cli_grove_trust(cli, loom_buf_str(out), true, err);
	}
	status = loom_grove_find(&cli->env, LOOM_STR(""), out, &personal, err);
	if (status == LOOM_OK && !personal)
		status = cli_grove_trust(cli, loom_buf_str(out), true, err);
	if (status == LOOM_OK && personal) {
		loom_buf_clear(out);
		loom_buf_addc(out, '.');
	}
	/* Without a home directory there is no personal grove, and none is needed. */
	if (status == LOOM_NOT_FOUND && out->n == 0) {
		loom_err_clear(err);
		loom_buf_addc(out, '.');
		status = LOOM_OK;
	}
	return status;
}

/* Replaces what was described so far, and prints it here, because the call fails. */
static void describe_error(struct loom_cli *cli, const char *code,
			   const struct loom_leslie_err *why)
{
	struct loom_str text = loom_str_of(why->err.text);

	loom_answer_drop(cli);
	loom_answer_flag(cli, "success", false);
	loom_answer_map(cli, "error");
	loom_answer_text(cli, "code", loom_str_of(code));
	loom_answer_text(cli, "message", why->message.p ? why->message : text);
	loom_answer_json(cli, "details", why->details.p ? why->details : LOOM_STR("{}"));
	loom_answer_text(cli, "error", text);
	loom_answer_text(cli, "reason", why->reason);
	if (why->err.hint[0])
		loom_answer_text(cli, "hint", loom_str_of(why->err.hint));
	loom_answer_give(cli);
}

static void say_error(struct loom_cli *cli, const char *code, const struct loom_leslie_err *why)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf reason = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool circle = strcmp(code, loom_thread_code(LOOM_THREAD_CIRCLE)) == 0;
	/* A system error has no code and no reason. */
	bool whole = !why->code && !why->reason.n;

	loom_buf_adds(&text, why->err.text);
	loom_buf_add(&reason, why->reason);
	/* The two lines about a cycle are fixed verbatim. */
	if (!circle)
		loom_buf_addf(whole ? &text : &reason, "%s(%s)", whole || reason.n ? " " : "",
			      code);
	loom_out_say(cli->out, "Error: ", loom_buf_str(&text));
	if (!whole)
		loom_out_say(cli->out, "Reason: ", loom_buf_str(&reason));
	if (!circle && why->err.hint[0])
		loom_out_say(cli->out, "  hint: ", loom_str_of(why->err.hint));
	loom_buf_fini(&text);
	loom_buf_fini(&reason);
}

enum loom_status threads_leslie_refused(struct loom_cli *cli, const struct loom_leslie_err *why,
					struct loom_err *err)
{
	const char *code = why->code ? why->code : loom_status_code(why->err.status);

	if (why->err.status == LOOM_USAGE) {
		*err = why->err;
		return LOOM_USAGE;
	}
	describe_error(cli, code, why);
	if (!loom_answer_structured(cli))
		say_error(cli, code, why);
	loom_err_clear(err);
	/* Every error with such a code exits with 1. */
	return why->code ? LOOM_REFUSED : why->err.status;
}

static enum loom_status run_call(struct threads_leslie *call, threads_leslie_fn *fn,
				 struct loom_err *err)
{
	struct loom_cli *cli = call->cli;
	struct loom_file_id refused[LOOM_STORE_FILES];
	struct loom_buf start = LOOM_BUF_INIT(PATH_MAX);
	struct loom_leslie_opts opts = {.env = &cli->env,
					.operator_ = cli->agent ? "agent" : "user",
					.refused = refused};
	enum loom_status status = find_start(cli, &start, err);

	if (status != LOOM_OK)
		goto done;
	opts.start = loom_buf_cstr(&start);
	opts.refused_count = loom_store_files(loom_buf_str(&start), refused);
	status = loom_leslie_open(&opts, &call->leslie, err);
	if (status != LOOM_OK)
		goto done;
	status = fn(call);
	for (size_t i = 0; i < loom_leslie_notices(call->leslie)->count; i++)
		loom_out_warn(cli->out, "%.*s",
			      LOOM_STR_ARG(loom_leslie_notices(call->leslie)->items[i]));
	if (status != LOOM_OK)
		status = threads_leslie_refused(cli, &call->err, err);
done:
	loom_leslie_close(call->leslie);
	loom_buf_fini(&start);
	return status;
}

enum loom_status threads_leslie_run_on(struct cli_grove *grove, const struct chat_tie *tie,
				       threads_leslie_fn *fn, struct loom_err *err)
{
	struct threads_leslie call = {.cli = grove->cli, .grove = grove, .tie = *tie};

	return run_call(&call, fn, err);
}

/* Whether the project has a grove of its own. */
static bool has_grove(struct loom_cli *cli)
{
	struct loom_file_id files[LOOM_STORE_FILES];
	struct loom_buf start = LOOM_BUF_INIT(PATH_MAX);
	bool found = find_start(cli, &start, NULL) == LOOM_OK &&
		     loom_store_files(loom_buf_str(&start), files) > 0;

	loom_buf_fini(&start);
	return found;
}

struct listing {
	int64_t actor;
	const struct loom_outside *what;
};

static const struct cli_need in_files = {.files = true};

struct in_grove {
	threads_leslie_fn *fn;
};

static enum loom_status run_in_grove(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	static const struct chat_tie nobody = {0};
	const struct in_grove *in = ctx;

	return threads_leslie_run_on(grove, &nobody, in->fn, err);
}

enum loom_status threads_leslie_run_in(struct loom_cli *cli, threads_leslie_fn *fn,
				       struct loom_err *err)
{
	struct in_grove in = {fn};
	struct threads_leslie alone = {.cli = cli};

	if (has_grove(cli))
		return cli_grove_with(cli, &in_files, run_in_grove, &in, err);
	return run_call(&alone, fn, err);
}

enum loom_status threads_project_once(struct loom_cli *cli, cli_grove_ctx_fn *fn, void *ctx,
				      struct loom_err *err)
{
	if (has_grove(cli))
		return cli_grove_with(cli, &in_files, fn, ctx, err);
	loom_fail(err, LOOM_NOT_FOUND,
		  "--op needs a grove to remember it, and the project has none");
	return loom_hint(err, LOOM_NOT_FOUND, "loom init, or leave out --op");
}

enum loom_status threads_leslie_run(struct loom_cli *cli, threads_leslie_fn *fn,
				    struct loom_err *err)
{
	struct in_grove in = {fn};
	struct threads_leslie alone = {.cli = cli};

	return cli->request ? threads_project_once(cli, run_in_grove, &in, err)
			    : run_call(&alone, fn, err);
}

static enum loom_status write_outside(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct listing *listing = ctx;

	return loom_outside_list(store, listing->actor, listing->what, err);
}

static enum loom_status list_outside(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	struct listing listing = {.actor = grove->actor.id, .what = ctx};
	struct cli_work work = {.what = "writing",
				.access = LOOM_WRITE,
				.run = write_outside,
				.ctx = &listing};

	return cli_grove_work(grove, &work, err);
}

void threads_list_outside(struct loom_cli *cli, struct cli_grove *grove,
			  const struct loom_outside *what)
{
	struct loom_outside copy = *what;
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	if (grove)
		status = list_outside(grove, &copy, &err);
	else if (has_grove(cli))
		status = cli_grove_with(cli, NULL, list_outside, &copy, &err);
	if (status != LOOM_OK)
		loom_out_note(cli->out, "done, but not listed among the operations: %s", err.text);
}

struct warning_of {
	struct loom_str thread;
	const struct loom_leslie_warnings *warnings;
	bool loaded;
};

static enum loom_status keep_warnings(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	const struct warning_of *of = ctx;

	(void)err;
	chat_grove_note(grove, of->thread, of->warnings, of->loaded);
	return LOOM_OK;
}

void threads_leslie_warn_of(struct threads_leslie *call, struct loom_str thread,
			    const struct loom_leslie_warnings *warnings, bool loaded)
{
	struct warning_of of = {thread, warnings, loaded};
	struct loom_err ignored;

	threads_leslie_warn(call, warnings);
	if (!warnings->count && !loaded)
		return;
	if (call->grove)
		(void)!keep_warnings(call->grove, &of, &ignored);
	else if (has_grove(call->cli))
		(void)!cli_grove_with(call->cli, NULL, keep_warnings, &of, &ignored);
}

struct threads_own {
	struct loom_str thread;
	bool foreign;
};

/* Checks that no other agent works in the thread. */
static enum loom_status check_holder(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	struct threads_own *own = ctx;
	struct loom_thread thread;

	if (chat_grove_thread(grove, own->thread, NULL, &thread, NULL) == LOOM_OK)
		own->foreign = thread.agent != grove->actor.id;
	(void)err;
	return LOOM_OK;
}

enum loom_status threads_leslie_own(struct threads_leslie *call, struct loom_str thread)
{
	struct loom_cli *cli = call->cli;
	struct threads_own own = {.thread = thread};
	struct loom_err *err = &call->err.err;
	enum loom_status status = LOOM_OK;

	if (!cli->agent || !thread.p || !has_grove(cli))
		return LOOM_OK;
	call->err = (struct loom_leslie_err){0};
	status = call->grove ? check_holder(call->grove, &own, err)
			     : cli_grove_with(cli, NULL, check_holder, &own, err);
	if (status != LOOM_OK || !own.foreign)
		return status;
	call->err.reason =
		LOOM_STR("an agent works in its own thread and reads others by reference");
	loom_fail(err, LOOM_PERMISSION, "%.*s is another agent's thread", LOOM_STR_ARG(thread));
	return loom_hint(err, LOOM_PERMISSION,
			 "loom thread ref --from YOURS --target %.*s lets yours read it",
			 LOOM_STR_ARG(thread));
}

enum loom_status threads_leslie_misused(struct threads_leslie *call, const char *what)
{
	const struct loom_command *command = call->cli->command;

	call->err = (struct loom_leslie_err){0};
	loom_fail(&call->err.err, LOOM_USAGE, "loom %s: %s", command->name, what);
	return loom_hint(&call->err.err, LOOM_USAGE, "loom %s %s", command->name, command->usage);
}

enum loom_status threads_leslie_pick(struct threads_leslie *call, struct loom_str option,
				     struct loom_str positional, const char *name,
				     struct loom_str *out)
{
	char what[80];

	*out = option.p ? option : positional;
	if (!option.p != !positional.p)
		return LOOM_OK;
	snprintf(what, sizeof(what), "%s is %s", name, option.p ? "given twice" : "missing");
	return threads_leslie_misused(call, what);
}

void threads_leslie_warn(struct threads_leslie *call, const struct loom_leslie_warnings *warnings)
{
	for (size_t i = 0; i < warnings->count; i++)
		loom_out_warn(call->cli->out, "%.*s", LOOM_STR_ARG(warnings->items[i]));
}

void threads_leslie_answer_warnings(struct loom_cli *cli,
				    const struct loom_leslie_warnings *warnings)
{
	loom_answer_texts(cli, "warnings", warnings->items, warnings->count);
}
