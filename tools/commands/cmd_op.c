/* Operations: the list, undo, redo. */
#include <loom/sharing/turn_files.h>
#include <loom/cli/services.h>

#include <loom/tree/request.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/history.def>

#define LIST_DEFAULT 50

static const char *state_name(enum loom_op_state state)
{
	switch (state) {
	case LOOM_OP_OPEN:
		return "open";
	case LOOM_OP_DONE:
		return "done";
	case LOOM_OP_UNDONE:
		return "undone";
	case LOOM_OP_DEAD:
		return "dead";
	}
	return "";
}

static void answer_op(struct loom_cli *cli, const struct loom_op *op)
{
	cli_answer_op(cli, op);
	loom_answer_text(cli, "state", loom_str_of(state_name(op->state)));
	loom_answer_maybe(cli, "inverse", op->inverse);
}

/* --- the list --- */

static void answer_ops(struct cli_grove *grove, const struct loom_op *ops, size_t count, bool more)
{
	struct loom_cli *cli = grove->cli;

	loom_answer_list(cli, "ops");
	for (size_t i = 0; i < count; i++) {
		const struct loom_op *op = &ops[i];

		loom_answer_map(cli, NULL);
		answer_op(cli, op);
		loom_answer_line(cli, "%lld %.*s · %.*s · %.*s%s", (long long)op->id,
				 LOOM_STR_ARG(cli_ago(grove, op->at)),
				 LOOM_STR_ARG(loom_agent_called(op->actor, grove->actor.id,
								op->actor_name)),
				 LOOM_STR_ARG(op->text.n ? op->text : op->kind),
				 op->state == LOOM_OP_UNDONE ? " · undone" : "");
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	loom_answer_flag(cli, "more", more);
	if (more && count)
		loom_answer_note(cli, "older ones: loom ops --before %lld",
				 (long long)ops[count - 1].id);
}

static enum loom_status run_ops(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_ops *args = args_of_ops(grove->cli);
	size_t limit = (size_t)loom_number_or(args->last, LIST_DEFAULT);
	int64_t before = loom_number_or(args->before, 0);
	struct loom_agent agent = {.id = 0};
	struct loom_op *ops = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (args->agent.p)
		status = loom_agent_find(grove->store, args->agent, grove->arena, &agent, err);
	/* Fetch one more than is shown, to see whether there are more. */
	if (limit >= INT64_MAX)
		limit = INT64_MAX - 1;
	if (!status)
		status = loom_op_list(grove->store,
				      &(struct loom_op_page){.actor = agent.id,
							     .before = before,
							     .limit = limit + 1},
				      grove->arena, &ops, &count, err);
	if (status)
		return status;
	answer_ops(grove, ops, count < limit ? count : limit, count > limit);
	return LOOM_OK;
}

enum loom_status cmd_ops(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_ops, err);
}

/* --- undo and redo --- */

struct turning {
	struct cli_grove *grove;
	int64_t op; /* in: 0 for the last one; out: the operation */
	bool redo;
	struct loom_op row;
};

static enum loom_status turn(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct turning *turning = ctx;
	int64_t actor = turning->grove->actor.id;
	enum loom_status status = LOOM_OK;

	if (turning->redo)
		status = loom_outside_redo(store, actor, &turning->op, err);
	else
		status = loom_outside_undo(store, actor, turning->op, &turning->op, err);
	if (status)
		return status;
	return loom_op_get(store, turning->op, turning->grove->arena, &turning->row, err);
}

static enum loom_status run_turning(struct turning *turning, struct loom_err *err)
{
	struct cli_grove *grove = turning->grove;
	struct cli_work work = {
		.what = turning->redo ? "redoing" : "undoing",
		.access = LOOM_WRITE,
		.run = turn,
		.ctx = turning,
	};
	enum loom_status status = cli_grove_work(grove, &work, err);

	if (status)
		return status;
	loom_answer_done(grove->cli, "%s %lld: %.*s", turning->redo ? "redid" : "undid",
			 (long long)turning->op,
			 LOOM_STR_ARG(turning->row.text.n ? turning->row.text : turning->row.kind));
	answer_op(grove->cli, &turning->row);
	return LOOM_OK;
}

/* Finds an operation by its listed number or its 128-bit id. */
static enum loom_status find_op(struct cli_grove *grove, struct loom_str id, int64_t *out,
				struct loom_err *err)
{
	struct loom_op_id uid;
	uint64_t number = 0;
	enum loom_status status = LOOM_OK;

	*out = 0;
	if (loom_op_id_parse(id, &uid))
		status = loom_op_by_id(grove->store, &uid, out, err);
	else if (loom_str_to_u64(id, &number) && number <= INT64_MAX)
		*out = (int64_t)number;
	if (status || *out)
		return status;
	loom_fail(err, LOOM_NOT_FOUND, "there is no operation \"%.*s\"", LOOM_STR_ARG(id));
	return loom_hint(err, LOOM_NOT_FOUND, "`loom ops` lists them");
}

/* An agent may undo only its own operations; a person may undo any. */
static enum loom_status may_undo(struct cli_grove *grove, int64_t op, struct loom_err *err)
{
	struct loom_op row;
	enum loom_status status = loom_op_get(grove->store, op, grove->arena, &row, err);

	if (status == LOOM_NOT_FOUND)
		return loom_hint(err, status, "`loom ops` lists them");
	if (status || cli_grove_person(grove) || row.actor == grove->actor.id)
		return status;
	loom_fail(err, LOOM_PERMISSION, "operation %lld is not yours: \"%.*s\" did it",
		  (long long)op, LOOM_STR_ARG(row.actor_name));
	return loom_hint(err, LOOM_PERMISSION, "ask the human to undo it");
}

static enum loom_status run_undo(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_str id = args_of_undo(grove->cli)->id;
	struct turning turning = {.grove = grove};
	enum loom_status status = LOOM_OK;

	if (id.p)
		status = find_op(grove, id, &turning.op, err);
	if (!status && id.p)
		status = may_undo(grove, turning.op, err);
	return status ? status : run_turning(&turning, err);
}

static enum loom_status run_redo(struct cli_grove *grove, struct loom_err *err)
{
	struct turning turning = {.grove = grove, .redo = true};

	return run_turning(&turning, err);
}

enum loom_status cmd_undo(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_undo, err);
}

enum loom_status cmd_redo(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_redo, err);
}
