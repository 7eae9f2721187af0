/* `loom thread`: the list, and the lifecycle of a thread. */
#include <loom/cli/services.h>

#include <loom/sharing/turn_files.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define STATUS_WIDTH 13
#define ID_WIDTH     24

/* ---- list ---- */

struct loom_str threads_leslie_status(const struct loom_leslie_thread *thread)
{
	return thread->status == LOOM_LESLIE_STATUSES
		       ? thread->status_text
		       : loom_str_of(loom_leslie_status_name(thread->status));
}

void threads_leslie_answer_thread(struct loom_cli *cli, const struct loom_leslie_thread *thread)
{
	loom_answer_text(cli, "id", thread->id);
	loom_answer_text(cli, "title", thread->title);
	loom_answer_text(cli, "objective", thread->objective);
	loom_answer_text(cli, "status", threads_leslie_status(thread));
	loom_answer_maybe(cli, "parent_id", thread->parent_id);
	loom_answer_text(cli, "executor", thread->executor);
	loom_answer_text(cli, "created_at", thread->created_at);
	loom_answer_text(cli, "updated_at", thread->updated_at);
}

/* The width of the column of ids: that of the longest, within limits. */
static size_t id_width(const struct loom_leslie_thread *threads, size_t count)
{
	size_t width = 0;

	for (size_t i = 0; i < count && width < ID_WIDTH; i++)
		width = threads[i].id.n > width ? threads[i].id.n : width;
	return width < ID_WIDTH ? width : ID_WIDTH;
}

/* Prints columns; a long id or status shifts only the rest of its own line. */
static void answer_list(struct loom_cli *cli, const struct loom_leslie_thread *threads,
			size_t count)
{
	int width = (int)id_width(threads, count);

	loom_answer_list(cli, NULL);
	for (size_t i = 0; i < count; i++) {
		const struct loom_leslie_thread *thread = &threads[i];

		loom_answer_map(cli, NULL);
		threads_leslie_answer_thread(cli, thread);
		loom_answer_line(cli, "%-*.*s  %-*.*s  %.*s  %.*s", width, LOOM_STR_ARG(thread->id),
				 STATUS_WIDTH, LOOM_STR_ARG(threads_leslie_status(thread)),
				 LOOM_STR_ARG(thread->objective), LOOM_STR_ARG(thread->title));
		loom_answer_end(cli);
	}
	if (!count)
		loom_answer_note(cli, "there are no such threads");
}

static enum loom_status list(struct threads_leslie *call)
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
		return threads_leslie_misused(call, "--status is active, suspended, completed, "
						    "cancelled, archived, frozen or waiting_human");
	status = loom_leslie_threads(call->leslie, &filter, call->cli->arena, &threads, &count,
				     &call->err);
	if (status != LOOM_OK)
		return status;
	answer_list(call->cli, threads, count);
	return LOOM_OK;
}

enum loom_status cmd_thread_list(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, list, err);
}

/* ---- lifecycle ---- */

/* Both may be options or positionals; with --thread, the first positional is the action. */
static enum loom_status read_step(struct threads_leslie *call, struct loom_str *thread,
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
		return threads_leslie_misused(call, "THREAD or ACTION is given twice");
	*thread = thread->p ? *thread : first;
	*action = action->p ? *action : second;
	if (!thread->p || !action->p)
		return threads_leslie_misused(call, thread->p ? "ACTION is missing"
							      : "THREAD is missing");
	return LOOM_OK;
}

static enum loom_status step(struct threads_leslie *call)
{
	struct loom_str thread = {NULL, 0};
	struct loom_str word = {NULL, 0};
	enum loom_leslie_action action = LOOM_LESLIE_SUSPEND;
	enum loom_leslie_status now = LOOM_LESLIE_STATUSES;
	const struct loom_leslie_warnings nothing = {.items = NULL};
	struct loom_kept kept;
	enum loom_status status = read_step(call, &thread, &word);

	if (status != LOOM_OK)
		return status;
	if (!loom_leslie_action_parse(word, &action))
		return threads_leslie_misused(call,
					      "ACTION is suspend, resume, done, cancel or archive");
	status = loom_leslie_lifecycle(call->leslie, thread, action,
				       args_of_thread_lifecycle(call->cli)->reason, &now,
				       &call->err);
	if (status != LOOM_OK)
		return status;
	kept = loom_outside_stepped(thread, action, now);
	threads_list_outside(call->cli, call->grove,
			     &(struct loom_outside){.act = loom_outside_step(action),
						    .subject = thread,
						    .object = loom_str_of(
							    loom_leslie_status_name(now)),
						    .kept = &kept,
						    .kept_count = 1});
	threads_leslie_warn_of(call, thread, &nothing, action == LOOM_LESLIE_RESUME);
	loom_answer_text(call->cli, "thread_id", thread);
	loom_answer_text(call->cli, "status", loom_str_of(loom_leslie_status_name(now)));
	loom_answer_line(call->cli, "%.*s is %s", LOOM_STR_ARG(thread),
			 loom_leslie_status_name(now));
	return LOOM_OK;
}

enum loom_status cmd_thread_lifecycle(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, step, err);
}
