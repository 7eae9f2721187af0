/* `loom objective`: goals and the progress of their threads. */
#include <loom/cli/services.h>

#include <loom/text/sanitise.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

static enum loom_status make(struct threads_leslie *call)
{
	const struct args_of_objective_new *args = args_of_objective_new(call->cli);
	struct loom_str id = {NULL, 0};
	enum loom_status status = loom_objective_new(call->leslie, args->title, args->id,
						     call->cli->arena, &id, &call->err);

	if (status != LOOM_OK)
		return status;
	threads_list_outside(call->cli, call->grove,
			     &(struct loom_outside){.act = LOOM_OUTSIDE_OBJECTIVE,
						    .subject = args->title});
	loom_answer_text(call->cli, "id", id);
	loom_answer_text(call->cli, "title", args->title);
	loom_answer_text(call->cli, "status", LOOM_STR("active"));
	loom_answer_line(call->cli, "%.*s", LOOM_STR_ARG(id));
	return LOOM_OK;
}

enum loom_status cmd_objective_new(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, make, err);
}

static void describe(struct loom_cli *cli, const struct loom_objective *objective)
{
	loom_answer_text(cli, "id", objective->id);
	loom_answer_text(cli, "title", objective->title);
	loom_answer_text(cli, "status", objective->status);
	loom_answer_text(cli, "created_at", objective->created_at);
	loom_answer_text(cli, "updated_at", objective->updated_at);
	loom_answer_texts(cli, "thread_ids", objective->thread_ids, objective->thread_count);
}

static enum loom_status list(struct threads_leslie *call)
{
	struct loom_cli *cli = call->cli;
	struct loom_objective *objectives = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_objective_list(call->leslie, cli->arena, &objectives, &count, &call->err);

	if (status != LOOM_OK)
		return status;
	loom_answer_list(cli, NULL);
	for (size_t i = 0; i < count; i++) {
		const struct loom_objective *one = &objectives[i];

		loom_answer_map(cli, NULL);
		describe(cli, one);
		loom_answer_line(cli, "%.*s  %-9.*s  %s  %.*s", LOOM_STR_ARG(one->id),
				 LOOM_STR_ARG(one->status),
				 loom_answer_many(cli, (int64_t)one->thread_count, "thread",
						  "threads"),
				 LOOM_STR_ARG(loom_shown_label(cli->arena, one->title)));
		loom_answer_end(cli);
	}
	if (!count)
		loom_answer_note(cli, "there are no objectives; `loom objective new` creates one");
	return LOOM_OK;
}

enum loom_status cmd_objective_list(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, list, err);
}

static enum loom_status show(struct threads_leslie *call)
{
	struct loom_cli *cli = call->cli;
	struct loom_objective objective;
	const struct args_of_objective_show *args = args_of_objective_show(cli);
	struct loom_str id = {NULL, 0};
	enum loom_status status =
		threads_leslie_pick(call, args->id, args->objective, "OBJECTIVE", &id);

	if (status == LOOM_OK)
		status = loom_objective_find(call->leslie, id, cli->arena, &objective, &call->err);
	if (status != LOOM_OK)
		return status;
	describe(cli, &objective);
	loom_answer_line(cli, "%.*s  %.*s", LOOM_STR_ARG(objective.id),
			 LOOM_STR_ARG(objective.status));
	loom_answer_line(cli, "%.*s", LOOM_STR_ARG(objective.title));
	for (size_t i = 0; i < objective.thread_count; i++)
		loom_answer_line(cli, "  %.*s", LOOM_STR_ARG(objective.thread_ids[i]));
	return LOOM_OK;
}

enum loom_status cmd_objective_show(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, show, err);
}
