/* `loom thread ref`, `unref`, `refresh`, `read`, and the global plan: what threads share with each
 * other. */
#include <loom/cli/services.h>
#include <loom/sharing/turn_files.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define PLAN_MAX ((size_t)16 << 20)

/* ---- ref ---- */

/* Joins the scopes of all --scope options into one list. */
static enum loom_status read_target(struct threads_leslie *call, struct loom_leslie_target *out)
{
	const struct args_of_thread_ref *args = args_of_thread_ref(call->cli);
	struct loom_arena *arena = call->cli->arena;
	struct loom_buf all = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	*out = (struct loom_leslie_target){.thread = args->target};
	for (size_t i = 0; i < args->scope.n; i++) {
		if (i)
			loom_buf_addc(&all, ',');
		loom_buf_adds(&all, args->scope.p[i].p);
	}
	if (args->scope.n)
		status = loom_leslie_scopes_parse(loom_arena_buf(arena, &all), arena, out,
						  &call->err);
	loom_buf_fini(&all);
	return status;
}

static void answer_ref(struct threads_leslie *call, const struct loom_leslie_ref *ref,
		       const struct loom_leslie_ref_result *result)
{
	struct loom_cli *cli = call->cli;
	const char *binding = ref->binding == LOOM_LESLIE_BINDING_LIVE ? "live" : "frozen";
	struct loom_str copied = LOOM_STR("");

	threads_leslie_warn_of(call, ref->from, &result->warnings, false);
	loom_answer_text(cli, "ref_id", result->ref_id);
	loom_answer_text(cli, "binding", loom_str_of(binding));
	if (result->snapshot.n) {
		loom_answer_text(cli, "snapshot_version", result->snapshot);
		copied = loom_arena_format(cli->arena, ", %s copied",
					   loom_answer_many(cli, (int64_t)result->copied_count,
							    "file", "files"));
	}
	loom_answer_texts(cli, "copied_paths", result->copied, result->copied_count);
	threads_leslie_answer_warnings(cli, &result->warnings);
	loom_answer_line(cli, "%.*s → %.*s (%s%.*s)", LOOM_STR_ARG(ref->from),
			 LOOM_STR_ARG(ref->target.thread), binding, LOOM_STR_ARG(copied));
}

static enum loom_status refer(struct threads_leslie *call)
{
	const struct args_of_thread_ref *args = args_of_thread_ref(call->cli);
	struct loom_leslie_ref ref = {.from = args->from};
	struct loom_leslie_ref_result result = {0};
	struct loom_str before = {NULL, 0};
	struct loom_kept kept;
	enum loom_status status = read_target(call, &ref.target);

	loom_leslie_binding_parse(args->binding, &ref.binding);
	if (status == LOOM_OK)
		status = threads_leslie_own(call, ref.from);
	if (status == LOOM_OK)
		before = loom_outside_given(call->leslie, ref.from, call->cli->arena);
	if (status == LOOM_OK)
		status = loom_leslie_ref(call->leslie, &ref, call->cli->arena, &result, &call->err);
	if (status != LOOM_OK)
		return status;
	kept = loom_outside_share(call->leslie, ref.from, before, call->cli->arena);
	threads_list_outside(call->cli, call->grove,
			     &(struct loom_outside){.act = LOOM_OUTSIDE_REF,
						    .subject = ref.from,
						    .object = ref.target.thread,
						    .kept = &kept,
						    .kept_count = 1});
	answer_ref(call, &ref, &result);
	return LOOM_OK;
}

enum loom_status cmd_thread_ref(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, refer, err);
}

/* ---- unref ---- */

static enum loom_status unrefer(struct threads_leslie *call)
{
	const struct args_of_thread_unref *args = args_of_thread_unref(call->cli);
	struct loom_str from = args->from;
	struct loom_str target = args->target;
	struct loom_str before = {NULL, 0};
	struct loom_kept kept;
	enum loom_status status = threads_leslie_own(call, from);

	if (status == LOOM_OK)
		before = loom_outside_given(call->leslie, from, call->cli->arena);
	if (status == LOOM_OK)
		status = loom_leslie_unref(call->leslie, from, target, &call->err);
	if (status != LOOM_OK)
		return status;
	kept = loom_outside_share(call->leslie, from, before, call->cli->arena);
	threads_list_outside(call->cli, call->grove,
			     &(struct loom_outside){.act = LOOM_OUTSIDE_UNREF,
						    .subject = from,
						    .object = target,
						    .kept = &kept,
						    .kept_count = 1});
	loom_answer_text(call->cli, "from", from);
	loom_answer_text(call->cli, "target", target);
	loom_answer_line(call->cli, "%.*s no longer references %.*s", LOOM_STR_ARG(from),
			 LOOM_STR_ARG(target));
	return LOOM_OK;
}

enum loom_status cmd_thread_unref(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, unrefer, err);
}

/* ---- refresh ---- */

static void answer_refreshed(struct threads_leslie *call, struct loom_str from,
			     const struct loom_leslie_refreshed *done)
{
	struct loom_cli *cli = call->cli;

	threads_leslie_warn_of(call, from, &done->warnings, false);
	loom_answer_texts(cli, "copied_paths", done->copied, done->copied_count);
	loom_answer_number(cli, "kept", (int64_t)done->kept);
	threads_leslie_answer_warnings(cli, &done->warnings);
	for (size_t i = 0; i < done->copied_count; i++)
		loom_answer_line(cli, "%.*s", LOOM_STR_ARG(done->copied[i]));
}

static enum loom_status refresh(struct threads_leslie *call)
{
	const struct args_of_thread_refresh *args = args_of_thread_refresh(call->cli);
	struct loom_leslie_refresh opts = {
		.target = args->target,
		.name = args->name,
	};
	struct loom_leslie_refreshed done = {0};
	struct loom_str before = {NULL, 0};
	struct loom_kept kept;
	enum loom_status status =
		threads_leslie_pick(call, args->thread, args->thread_word, "THREAD", &opts.from);

	if (status == LOOM_OK)
		status = threads_leslie_own(call, opts.from);
	if (status == LOOM_OK)
		before = loom_outside_given(call->leslie, opts.from, call->cli->arena);
	if (status == LOOM_OK)
		status = loom_leslie_refresh(call->leslie, &opts, call->cli->arena, &done,
					     &call->err);
	if (status != LOOM_OK)
		return status;
	kept = loom_outside_share(call->leslie, opts.from, before, call->cli->arena);
	if (done.copied_count)
		threads_list_outside(call->cli, call->grove,
				     &(struct loom_outside){.act = LOOM_OUTSIDE_REFRESH,
							    .subject = opts.from,
							    .kept = &kept,
							    .kept_count = 1});
	answer_refreshed(call, opts.from, &done);
	call->cli->found = done.kept > 0;
	return LOOM_OK;
}

enum loom_status cmd_thread_refresh(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, refresh, err);
}

/* ---- read ---- */

static void answer_content(struct loom_cli *cli, struct loom_str content)
{
	loom_answer_text(cli, "content", content);
	loom_answer_untouched(cli, content);
}

static enum loom_status read_file(struct threads_leslie *call)
{
	const struct args_of_thread_read *args = args_of_thread_read(call->cli);
	const struct loom_leslie_read opts = {
		.thread = args->thread,
		.name = args->name,
		.from = args->from,
		.own = args->own,
	};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = threads_leslie_own(call, opts.thread);

	if (status == LOOM_OK)
		status = loom_leslie_read(call->leslie, &opts, &text, &call->err);
	if (status == LOOM_OK && opts.name.p)
		loom_answer_text(call->cli, "name", opts.name);
	if (status == LOOM_OK)
		answer_content(call->cli, loom_buf_str(&text));
	loom_buf_fini(&text);
	return status;
}

enum loom_status cmd_thread_read(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, read_file, err);
}

/* ---- the global plan ---- */

static enum loom_status write_plan(struct threads_leslie *call, struct loom_buf *text)
{
	struct loom_cli *cli = call->cli;
	struct loom_kept kept;
	enum loom_status status = loom_cli_read(cli, args_of_thread_plan(cli)->write.p, PLAN_MAX,
						text, &call->err.err);
	if (status != LOOM_OK)
		return status;
	kept = loom_outside_plan(call->leslie, loom_buf_str(text), cli->arena);
	status = loom_leslie_plan_write(call->leslie, loom_buf_str(text), &call->err);
	if (status != LOOM_OK)
		return status;
	threads_list_outside(cli, call->grove,
			     &(struct loom_outside){.act = LOOM_OUTSIDE_PLAN,
						    .kept = &kept,
						    .kept_count = 1});
	loom_answer_number(cli, "bytes", (int64_t)text->n);
	return LOOM_OK;
}

static enum loom_status plan(struct threads_leslie *call)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	if (args_of_thread_plan(call->cli)->write.p) {
		status = write_plan(call, &text);
	} else {
		status = loom_leslie_plan_read(call->leslie, &text, &call->err);
		if (status == LOOM_OK)
			answer_content(call->cli, loom_buf_str(&text));
	}
	loom_buf_fini(&text);
	return status;
}

/* Everybody may read it; persons, and agents that may write documents, may replace it. */
enum loom_status cmd_thread_plan(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, plan, err);
}
