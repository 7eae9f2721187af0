/* `loom objective`: goals, and how far their threads are. */
#include <loom/cli/services.h>

#include <loom/text/sanitise.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

static enum loom_status make(struct tool_leslie *call)
{
	const struct args_of_objective_new *args = args_of_objective_new(call->cli);
	struct loom_str id = {NULL, 0};
	enum loom_status status = loom_objective_new(call->leslie, args->title, args->id,
						     call->cli->arena, &id, &call->err);

	if (status != LOOM_OK)
		return status;
	tool_list_outside(call->cli, call->grove,
			  &(struct loom_outside){.act = LOOM_OUTSIDE_OBJECTIVE,
						 .subject = args->title});
	if (call->cli->json) {
		struct loom_json *json = loom_out_json_begin(call->cli->out);

		loom_json_object(json);
		loom_json_put(json, "id", id);
		loom_json_put(json, "title", args->title);
		loom_json_put(json, "status", LOOM_STR("active"));
		loom_json_end_object(json);
		loom_out_json_end(call->cli->out);
	} else {
		loom_out_line(call->cli->out, id);
	}
	return LOOM_OK;
}

enum loom_status tool_cmd_objective_new(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, make, err);
}

static void put_objective(struct loom_json *json, const struct loom_objective *objective)
{
	loom_json_object(json);
	loom_json_put(json, "id", objective->id);
	loom_json_put(json, "title", objective->title);
	loom_json_put(json, "status", objective->status);
	loom_json_put(json, "created_at", objective->created_at);
	loom_json_put(json, "updated_at", objective->updated_at);
	loom_json_put_texts(json, "thread_ids", objective->thread_ids, objective->thread_count);
	loom_json_end_object(json);
}

static enum loom_status list(struct tool_leslie *call)
{
	struct loom_out *out = call->cli->out;
	struct loom_objective *objectives = NULL;
	size_t count = 0;
	enum loom_status status = loom_objective_list(call->leslie, call->cli->arena, &objectives,
						      &count, &call->err);

	if (status != LOOM_OK)
		return status;
	if (call->cli->json) {
		struct loom_json *json = loom_out_json_begin(out);

		loom_json_array(json);
		for (size_t i = 0; i < count; i++)
			put_objective(json, &objectives[i]);
		loom_json_end_array(json);
		loom_out_json_end(out);
		return LOOM_OK;
	}
	for (size_t i = 0; i < count; i++)
		loom_out_textf(out, "%.*s  %-9.*s  %zu thread%s  %.*s\n",
			       LOOM_STR_ARG(objectives[i].id), LOOM_STR_ARG(objectives[i].status),
			       objectives[i].thread_count,
			       objectives[i].thread_count == 1 ? "" : "s",
			       LOOM_STR_ARG(
				       loom_shown_label(call->cli->arena, objectives[i].title)));
	if (!count)
		loom_out_note(out, "there are no objectives; loom objective new begins one");
	return LOOM_OK;
}

enum loom_status tool_cmd_objective_list(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, list, err);
}

static enum loom_status show(struct tool_leslie *call)
{
	struct loom_out *out = call->cli->out;
	struct loom_objective objective;
	const struct args_of_objective_show *args = args_of_objective_show(call->cli);
	struct loom_str id = {NULL, 0};
	enum loom_status status =
		tool_leslie_pick(call, args->id, args->objective, "OBJECTIVE", &id);

	if (status == LOOM_OK)
		status = loom_objective_find(call->leslie, id, call->cli->arena, &objective,
					     &call->err);
	if (status != LOOM_OK)
		return status;
	if (call->cli->json) {
		put_objective(loom_out_json_begin(out), &objective);
		loom_out_json_end(out);
		return LOOM_OK;
	}
	loom_out_textf(out, "%.*s  %.*s\n%.*s\n", LOOM_STR_ARG(objective.id),
		       LOOM_STR_ARG(objective.status),
		       LOOM_STR_ARG(loom_shown_label(call->cli->arena, objective.title)));
	for (size_t i = 0; i < objective.thread_count; i++)
		loom_out_textf(out, "  %.*s\n", LOOM_STR_ARG(objective.thread_ids[i]));
	return LOOM_OK;
}

enum loom_status tool_cmd_objective_show(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, show, err);
}
