/* `loom thread ref`, `unref`, `refresh`, `read`, and the global plan: what threads give each other.
 */
#include <loom/cli/services.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define PLAN_MAX ((size_t)16 << 20)

/* ---- ref ---- */

/* All scopes of all --scope options, as one list. */
static enum loom_status read_target(struct tool_leslie *call, struct loom_leslie_target *out)
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

static void print_ref(struct tool_leslie *call, const struct loom_leslie_ref *ref,
		      const struct loom_leslie_ref_result *result)
{
	const char *binding = ref->binding == LOOM_LESLIE_BINDING_LIVE ? "live" : "frozen";
	struct loom_json *json = NULL;

	tool_leslie_warn_of(call, ref->from, &result->warnings, false);
	if (!call->cli->json) {
		loom_out_textf(call->cli->out, "%.*s → %.*s (%s", LOOM_STR_ARG(ref->from),
			       LOOM_STR_ARG(ref->target.thread), binding);
		if (result->snapshot.n)
			loom_out_textf(call->cli->out, ", %zu file%s copied", result->copied_count,
				       result->copied_count == 1 ? "" : "s");
		loom_out_texts(call->cli->out, ")\n");
		return;
	}
	json = loom_out_json_begin(call->cli->out);
	loom_json_object(json);
	loom_json_put(json, "ref_id", result->ref_id);
	loom_json_put(json, "binding", loom_str_of(binding));
	if (result->snapshot.n)
		loom_json_put(json, "snapshot_version", result->snapshot);
	loom_json_put_texts(json, "copied_paths", result->copied, result->copied_count);
	tool_leslie_put_warnings(json, &result->warnings);
	loom_json_end_object(json);
	loom_out_json_end(call->cli->out);
}

static enum loom_status refer(struct tool_leslie *call)
{
	const struct args_of_thread_ref *args = args_of_thread_ref(call->cli);
	struct loom_leslie_ref ref = {.from = args->from};
	struct loom_leslie_ref_result result = {0};
	enum loom_status status = read_target(call, &ref.target);

	loom_leslie_binding_parse(args->binding, &ref.binding);
	if (status == LOOM_OK)
		status = tool_leslie_own(call, ref.from);
	if (status == LOOM_OK)
		status = loom_leslie_ref(call->leslie, &ref, call->cli->arena, &result, &call->err);
	if (status != LOOM_OK)
		return status;
	tool_list_outside(call->cli, call->grove,
			  &(struct loom_outside){.act = LOOM_OUTSIDE_REF,
						 .subject = ref.from,
						 .object = ref.target.thread});
	print_ref(call, &ref, &result);
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_ref(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, refer, err);
}

/* ---- unref ---- */

static enum loom_status unrefer(struct tool_leslie *call)
{
	const struct args_of_thread_unref *args = args_of_thread_unref(call->cli);
	struct loom_str from = args->from;
	struct loom_str target = args->target;
	enum loom_status status = tool_leslie_own(call, from);

	if (status == LOOM_OK)
		status = loom_leslie_unref(call->leslie, from, target, &call->err);
	if (status != LOOM_OK)
		return status;
	tool_list_outside(call->cli, call->grove,
			  &(struct loom_outside){.act = LOOM_OUTSIDE_UNREF,
						 .subject = from,
						 .object = target});
	if (call->cli->json) {
		struct loom_json *json = loom_out_json_begin(call->cli->out);

		loom_json_object(json);
		loom_json_put(json, "from", from);
		loom_json_put(json, "target", target);
		loom_json_end_object(json);
		loom_out_json_end(call->cli->out);
	} else {
		loom_out_textf(call->cli->out, "%.*s no longer references %.*s\n",
			       LOOM_STR_ARG(from), LOOM_STR_ARG(target));
	}
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_unref(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, unrefer, err);
}

/* ---- refresh ---- */

static void print_refreshed(struct tool_leslie *call, struct loom_str from,
			    const struct loom_leslie_refreshed *done)
{
	struct loom_json *json = NULL;

	tool_leslie_warn_of(call, from, &done->warnings, false);
	if (!call->cli->json) {
		for (size_t i = 0; i < done->copied_count; i++)
			loom_out_line(call->cli->out, done->copied[i]);
		return;
	}
	json = loom_out_json_begin(call->cli->out);
	loom_json_object(json);
	loom_json_put_texts(json, "copied_paths", done->copied, done->copied_count);
	loom_json_put_int(json, "kept", (int64_t)done->kept);
	tool_leslie_put_warnings(json, &done->warnings);
	loom_json_end_object(json);
	loom_out_json_end(call->cli->out);
}

static enum loom_status refresh(struct tool_leslie *call)
{
	const struct args_of_thread_refresh *args = args_of_thread_refresh(call->cli);
	struct loom_leslie_refresh opts = {
		.target = args->target,
		.name = args->name,
	};
	struct loom_leslie_refreshed done = {0};
	enum loom_status status =
		tool_leslie_pick(call, args->thread, args->thread_word, "THREAD", &opts.from);

	if (status == LOOM_OK)
		status = tool_leslie_own(call, opts.from);
	if (status == LOOM_OK)
		status = loom_leslie_refresh(call->leslie, &opts, call->cli->arena, &done,
					     &call->err);
	if (status != LOOM_OK)
		return status;
	if (done.copied_count)
		tool_list_outside(call->cli, call->grove,
				  &(struct loom_outside){.act = LOOM_OUTSIDE_REFRESH,
							 .subject = opts.from});
	print_refreshed(call, opts.from, &done);
	call->cli->found = done.kept > 0;
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_refresh(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, refresh, err);
}

/* ---- read ---- */

static void print_bytes(struct loom_cli *cli, struct loom_str name, struct loom_str bytes)
{
	struct loom_json *json = NULL;

	if (!cli->json) {
		loom_out_data(cli->out, bytes);
		return;
	}
	json = loom_out_json_begin(cli->out);
	loom_json_object(json);
	if (name.p)
		loom_json_put(json, "name", name);
	loom_json_put(json, "content", bytes);
	loom_json_end_object(json);
	loom_out_json_end(cli->out);
}

static enum loom_status read_file(struct tool_leslie *call)
{
	const struct args_of_thread_read *args = args_of_thread_read(call->cli);
	const struct loom_leslie_read opts = {
		.thread = args->thread,
		.name = args->name,
		.from = args->from,
		.own = args->own,
	};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = tool_leslie_own(call, opts.thread);

	if (status == LOOM_OK)
		status = loom_leslie_read(call->leslie, &opts, &text, &call->err);
	if (status == LOOM_OK)
		print_bytes(call->cli, opts.name, loom_buf_str(&text));
	loom_buf_fini(&text);
	return status;
}

enum loom_status tool_cmd_thread_read(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, read_file, err);
}

/* ---- the global plan ---- */

static enum loom_status write_plan(struct tool_leslie *call, struct loom_buf *text)
{
	struct loom_cli *cli = call->cli;
	enum loom_status status = loom_cli_read(cli, args_of_thread_plan(cli)->write.p, PLAN_MAX,
						text, &call->err.err);
	if (status == LOOM_OK)
		status = loom_leslie_plan_write(call->leslie, loom_buf_str(text), &call->err);
	return status;
}

static enum loom_status plan(struct tool_leslie *call)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	if (args_of_thread_plan(call->cli)->write.p) {
		status = write_plan(call, &text);
		if (status == LOOM_OK)
			tool_list_outside(call->cli, call->grove,
					  &(struct loom_outside){.act = LOOM_OUTSIDE_PLAN});
	} else {
		status = loom_leslie_plan_read(call->leslie, &text, &call->err);
		if (status == LOOM_OK)
			print_bytes(call->cli, (struct loom_str){NULL, 0}, loom_buf_str(&text));
	}
	loom_buf_fini(&text);
	return status;
}

/* Everybody reads it; persons write it, and agents that may write documents. */
enum loom_status tool_cmd_thread_plan(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, plan, err);
}
