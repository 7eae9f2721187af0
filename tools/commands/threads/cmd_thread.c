/* `loom thread`: listing, and the steps of a thread's life. */
#include <loom/cli/services.h>

#include <loom/text/sanitise.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define STATUS_WIDTH 13
#define ID_WIDTH     24

/* ---- list ---- */

void tool_leslie_put(struct loom_json *json, const char *key, struct loom_str text)
{
	loom_json_key(json, key);
	if (text.n)
		loom_json_text(json, text);
	else
		loom_json_null(json);
}

struct loom_str tool_leslie_status(const struct loom_leslie_thread *thread)
{
	return thread->status == LOOM_LESLIE_STATUSES
		       ? thread->status_text
		       : loom_str_of(loom_leslie_status_name(thread->status));
}

void tool_leslie_put_thread(struct loom_json *json, const struct loom_leslie_thread *thread)
{
	loom_json_put(json, "id", thread->id);
	loom_json_put(json, "title", thread->title);
	loom_json_put(json, "objective", thread->objective);
	loom_json_put(json, "status", tool_leslie_status(thread));
	tool_leslie_put(json, "parent_id", thread->parent_id);
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
		tool_leslie_put_thread(json, &threads[i]);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_out_json_end(out);
}

/* A column of plain letters, as ids and statuses are: what is longer than `width` pushes the rest
 * of its own line only. */
static void add_cell(struct loom_buf *out, struct loom_str text, size_t width)
{
	loom_buf_add(out, text);
	loom_buf_add_repeat(out, ' ', (text.n < width ? width - text.n : 0) + 2);
}

/* How wide the column of ids is: as the longest of them, within reason. */
static size_t id_width(const struct loom_leslie_thread *threads, size_t count)
{
	size_t width = 0;

	for (size_t i = 0; i < count && width < ID_WIDTH; i++)
		width = threads[i].id.n > width ? threads[i].id.n : width;
	return width < ID_WIDTH ? width : ID_WIDTH;
}

static void print_list(struct loom_out *out, const struct loom_leslie_thread *threads, size_t count)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t width = id_width(threads, count);

	for (size_t i = 0; i < count; i++) {
		add_cell(&text, threads[i].id, width);
		add_cell(&text, tool_leslie_status(&threads[i]), STATUS_WIDTH);
		loom_shown_line(&text, threads[i].objective, 0);
		loom_buf_adds(&text, "  ");
		loom_shown_line(&text, threads[i].title, 0);
		loom_buf_addc(&text, '\n');
	}
	loom_out_text(out, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static enum loom_status list(struct tool_leslie *call)
{
	const struct args_of_thread_list *args = args_of_thread_list(call->cli);
	const struct loom_leslie_filter filter = {
		.objective = args->objective,
		.status = args->status,
	};
	enum loom_leslie_status wanted = LOOM_LESLIE_STATUSES;
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (filter.status.p && !loom_leslie_status_parse(filter.status, &wanted))
		return tool_leslie_misused(call, "--status is active, suspended, completed, "
						 "cancelled, archived, frozen or waiting_human");
	status = loom_leslie_threads(call->leslie, &filter, call->cli->arena, &threads, &count,
				     &call->err);
	if (status != LOOM_OK)
		return status;
	if (call->cli->json)
		put_list(call->cli->out, threads, count);
	else if (count)
		print_list(call->cli->out, threads, count);
	else
		loom_out_note(call->cli->out, "there are no such threads");
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_list(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, list, err);
}

/* ---- lifecycle ---- */

/* Both may be options or positionals; with --thread the first positional is the action. */
static enum loom_status read_step(struct tool_leslie *call, struct loom_str *thread,
				  struct loom_str *action)
{
	const struct args_of_thread_lifecycle *args = args_of_thread_lifecycle(call->cli);
	struct loom_str first = args->thread_word;
	struct loom_str second = args->action_word;

	*thread = args->thread;
	*action = args->action;
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
	const struct loom_leslie_warnings nothing = {.items = NULL};
	enum loom_status status = read_step(call, &thread, &word);

	if (status != LOOM_OK)
		return status;
	if (!loom_leslie_action_parse(word, &action))
		return tool_leslie_misused(call,
					   "ACTION is suspend, resume, done, cancel or archive");
	status = loom_leslie_lifecycle(call->leslie, thread, action,
				       args_of_thread_lifecycle(call->cli)->reason, &now,
				       &call->err);
	if (status != LOOM_OK)
		return status;
	tool_list_outside(call->cli, call->grove,
			  &(struct loom_outside){.act = loom_outside_step(action),
						 .subject = thread,
						 .object = loom_str_of(
							 loom_leslie_status_name(now))});
	tool_leslie_warn_of(call, thread, &nothing, action == LOOM_LESLIE_RESUME);
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
