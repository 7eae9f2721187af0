/* `loom thread`: spawning, listing, showing, and the steps of a thread's life. */
#include "cli_impl.h"
#include "leslie_impl.h"

/* ---- spawn ---- */

/* `A,B` without a scope is two threads, as the reference writes them. */
static enum loom_status read_refs(struct tool_leslie *call, struct loom_leslie_target **out,
				  size_t *count)
{
	const struct loom_args *args = call->cli->args;
	struct loom_arena *arena = call->cli->arena;
	enum loom_status status = LOOM_OK;
	size_t cap = 0;

	*out = NULL;
	*count = 0;
	for (size_t i = 0; i < loom_args_count(args, "--ref"); i++) {
		struct loom_str text = loom_str_of(loom_args_at(args, "--ref", i));
		bool scoped = loom_str_find_char(text, ':', 0) != SIZE_MAX;
		struct loom_str part = text;

		while (status == LOOM_OK && text.p && (scoped || loom_str_cut(&text, ',', &part))) {
			*out = loom_arena_grow(arena, *out, *count, &cap, sizeof(**out));
			status = loom_leslie_target_parse(part, arena, &(*out)[(*count)++],
							  &call->err);
			if (scoped)
				break;
		}
	}
	return status;
}

static void print_spawned(struct tool_leslie *call, struct loom_str id,
			  const struct loom_leslie_warnings *warnings)
{
	const struct loom_args *args = call->cli->args;
	struct loom_json *json = NULL;

	tool_leslie_warn(call, warnings);
	if (!call->cli->json) {
		loom_out_line(call->cli->out, id);
		return;
	}
	json = loom_out_json_begin(call->cli->out);
	loom_json_object(json);
	loom_json_put(json, "thread_id", id);
	loom_json_key(json, "parent_id");
	if (loom_args_has(args, "--parent"))
		loom_json_text(json, loom_args_str(args, "--parent"));
	else
		loom_json_null(json);
	loom_json_put(json, "status", LOOM_STR("active"));
	loom_json_put(json, "objective", loom_args_str(args, "--objective"));
	tool_leslie_put_warnings(json, warnings);
	loom_json_end_object(json);
	loom_out_json_end(call->cli->out);
}

static enum loom_status spawn(struct tool_leslie *call)
{
	const struct loom_args *args = call->cli->args;
	struct loom_leslie_target *refs = NULL;
	struct loom_leslie_spawn opts = {
		.objective = loom_args_str(args, "--objective"),
		.intent = loom_args_str(args, "--intent"),
		.id = loom_args_str(args, "--id"),
		.parent = loom_args_str(args, "--parent"),
		.executor = loom_args_str(args, "--executor"),
	};
	struct loom_leslie_warnings warnings = {0};
	struct loom_str id = {NULL, 0};
	enum loom_status status = read_refs(call, &refs, &opts.ref_count);

	opts.refs = refs;
	loom_leslie_binding_parse(loom_args_str(args, "--binding"), &opts.binding);
	if (status == LOOM_OK)
		status = loom_leslie_spawn(call->leslie, &opts, call->cli->arena, &id, &warnings,
					   &call->err);
	if (status == LOOM_OK)
		print_spawned(call, id, &warnings);
	return status;
}

enum loom_status tool_cmd_thread_spawn(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, spawn, err);
}

/* ---- list ---- */

static void put_or_null(struct loom_json *json, const char *key, struct loom_str text)
{
	loom_json_key(json, key);
	if (text.n)
		loom_json_text(json, text);
	else
		loom_json_null(json);
}

static struct loom_str status_of(const struct loom_leslie_thread *thread)
{
	return thread->status == LOOM_LESLIE_STATUSES
		       ? thread->status_text
		       : loom_str_of(loom_leslie_status_name(thread->status));
}

static void put_thread(struct loom_json *json, const struct loom_leslie_thread *thread)
{
	loom_json_put(json, "id", thread->id);
	loom_json_put(json, "title", thread->title);
	loom_json_put(json, "objective", thread->objective);
	loom_json_put(json, "status", status_of(thread));
	put_or_null(json, "parent_id", thread->parent_id);
	loom_json_put(json, "executor", thread->executor);
	loom_json_put(json, "created_at", thread->created_at);
	loom_json_put(json, "updated_at", thread->updated_at);
}

static void put_list(struct loom_out *out, const struct loom_leslie_thread *threads, size_t count)
{
	struct loom_json *json = loom_out_json_begin(out);

	loom_json_array(json);
	for (size_t i = 0; i < count; i++) {
		loom_json_object(json);
		put_thread(json, &threads[i]);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_out_json_end(out);
}

static void print_list(struct loom_out *out, const struct loom_leslie_thread *threads, size_t count)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&text, "%.*s  %-13.*s  %.*s  %.*s\n", LOOM_STR_ARG(threads[i].id),
			      LOOM_STR_ARG(status_of(&threads[i])),
			      LOOM_STR_ARG(threads[i].objective), LOOM_STR_ARG(threads[i].title));
	loom_out_text(out, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static enum loom_status list(struct tool_leslie *call)
{
	const struct loom_args *args = call->cli->args;
	const struct loom_leslie_filter filter = {
		.objective = loom_args_str(args, "--objective"),
		.status = loom_args_str(args, "--status"),
	};
	enum loom_leslie_status wanted = LOOM_LESLIE_STATUSES;
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (filter.status.p && !loom_leslie_status_parse(filter.status, &wanted))
		return tool_leslie_misused(call, "--status is none of the seven");
	status = loom_leslie_threads(call->leslie, &filter, call->cli->arena, &threads, &count,
				     &call->err);
	if (status != LOOM_OK)
		return status;
	if (call->cli->json)
		put_list(call->cli->out, threads, count);
	else
		print_list(call->cli->out, threads, count);
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_list(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, list, err);
}

/* ---- show ---- */

static const char *binding_of(const struct loom_leslie_edge *edge)
{
	if (edge->frozen && edge->live)
		return "frozen, live";
	return edge->frozen ? "frozen" : "live";
}

static void put_shown(struct tool_leslie *call, const struct loom_leslie_thread *thread,
		      const struct loom_leslie_warnings *warnings)
{
	struct loom_json *json = loom_out_json_begin(call->cli->out);

	loom_json_object(json);
	put_thread(json, thread);
	loom_json_put(json, "path", thread->path);
	put_or_null(json, "session_id", thread->session_id);
	tool_leslie_put_texts(json, "children", thread->children, thread->child_count);
	loom_json_key(json, "references_to");
	loom_json_array(json);
	for (size_t i = 0; i < thread->reference_count; i++)
		loom_json_text(json, thread->references[i].thread);
	loom_json_end_array(json);
	tool_leslie_put_texts(json, "referenced_by", thread->referenced_by,
			      thread->referenced_by_count);
	loom_json_key(json, "references");
	loom_json_array(json);
	for (size_t i = 0; i < thread->reference_count; i++) {
		loom_json_object(json);
		loom_json_put(json, "thread", thread->references[i].thread);
		loom_json_put_bool(json, "frozen", thread->references[i].frozen);
		loom_json_put_bool(json, "live", thread->references[i].live);
		loom_json_put_bool(json, "broken", thread->references[i].broken);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_json_key(json, "record");
	loom_json_raw(json, thread->record);
	tool_leslie_put_warnings(json, warnings);
	loom_json_end_object(json);
	loom_out_json_end(call->cli->out);
}

static void print_line(struct loom_out *out, const char *name, struct loom_str value)
{
	if (value.n)
		loom_out_textf(out, "%-11s %.*s\n", name, LOOM_STR_ARG(value));
}

static void print_shown(struct loom_out *out, const struct loom_leslie_thread *thread)
{
	loom_out_textf(out, "%.*s\n", LOOM_STR_ARG(thread->id));
	print_line(out, "title", thread->title);
	print_line(out, "objective", thread->objective);
	print_line(out, "status", status_of(thread));
	print_line(out, "parent", thread->parent_id);
	print_line(out, "executor", thread->executor);
	print_line(out, "created", thread->created_at);
	print_line(out, "updated", thread->updated_at);
	print_line(out, "path", thread->path);
	for (size_t i = 0; i < thread->child_count; i++)
		print_line(out, i ? "" : "children", thread->children[i]);
	for (size_t i = 0; i < thread->reference_count; i++)
		loom_out_textf(out, "%-11s %.*s (%s%s)\n", i ? "" : "references",
			       LOOM_STR_ARG(thread->references[i].thread),
			       binding_of(&thread->references[i]),
			       thread->references[i].broken ? ", broken" : "");
	for (size_t i = 0; i < thread->referenced_by_count; i++)
		print_line(out, i ? "" : "read by", thread->referenced_by[i]);
}

static enum loom_status show(struct tool_leslie *call)
{
	struct loom_leslie_thread thread;
	struct loom_leslie_warnings warnings = {0};
	struct loom_str id = {NULL, 0};
	enum loom_status status = tool_leslie_pick(call, "--thread", "THREAD", &id);

	if (status == LOOM_OK)
		status =
			loom_leslie_thread(call->leslie, id, call->cli->arena, &thread, &call->err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < thread.reference_count; i++) {
		if (thread.references[i].broken)
			loom_leslie_warn_broken(call->cli->arena, &warnings,
						thread.references[i].thread);
	}
	tool_leslie_warn(call, &warnings);
	if (call->cli->json)
		put_shown(call, &thread, &warnings);
	else
		print_shown(call->cli->out, &thread);
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_show(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, show, err);
}

/* ---- lifecycle ---- */

/* Both may be options or positionals; with --thread the first positional is the action. */
static enum loom_status read_step(struct tool_leslie *call, struct loom_str *thread,
				  struct loom_str *action)
{
	const struct loom_args *args = call->cli->args;
	struct loom_str first = loom_args_str(args, "THREAD");
	struct loom_str second = loom_args_str(args, "ACTION");

	*thread = loom_args_str(args, "--thread");
	*action = loom_args_str(args, "--action");
	if (thread->p && !action->p && first.p && !second.p) {
		*action = first;
		return LOOM_OK;
	}
	if ((thread->p && first.p) || (action->p && second.p))
		return tool_leslie_misused(call, "THREAD or ACTION is given twice");
	*thread = thread->p ? *thread : first;
	*action = action->p ? *action : second;
	if (!thread->p || !action->p)
		return tool_leslie_misused(call,
					   thread->p ? "ACTION is missing" : "THREAD is missing");
	return LOOM_OK;
}

static enum loom_status step(struct tool_leslie *call)
{
	struct loom_str thread = {NULL, 0};
	struct loom_str word = {NULL, 0};
	enum loom_leslie_action action = LOOM_LESLIE_SUSPEND;
	enum loom_leslie_status now = LOOM_LESLIE_STATUSES;
	enum loom_status status = read_step(call, &thread, &word);

	if (status != LOOM_OK)
		return status;
	if (!loom_leslie_action_parse(word, &action))
		return tool_leslie_misused(call,
					   "ACTION is suspend, resume, done, cancel or archive");
	status =
		loom_leslie_lifecycle(call->leslie, thread, action,
				      loom_args_str(call->cli->args, "--reason"), &now, &call->err);
	if (status != LOOM_OK)
		return status;
	if (call->cli->json) {
		struct loom_json *json = loom_out_json_begin(call->cli->out);

		loom_json_object(json);
		loom_json_put(json, "thread_id", thread);
		loom_json_put(json, "status", loom_str_of(loom_leslie_status_name(now)));
		loom_json_end_object(json);
		loom_out_json_end(call->cli->out);
	} else {
		loom_out_textf(call->cli->out, "%.*s is %s\n", LOOM_STR_ARG(thread),
			       loom_leslie_status_name(now));
	}
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_lifecycle(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, step, err);
}
