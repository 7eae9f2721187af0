/* Undo of the agent's own last operation, and redo of what it undid. */
#include <loom/sharing/turn_files.h>
#include <loom/engine/handlers.h>

enum loom_status engine_verb_undo(struct engine_run *run, struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	struct loom_op *ops = NULL;
	struct loom_op op;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (engine->opts.dry_run) {
		status = loom_op_list(run->store,
				      &(struct loom_op_page){.actor = engine->agent.id, .limit = 1},
				      run->arena, &ops, &count, err);
		if (status == LOOM_OK && !count)
			return loom_fail(err, LOOM_NOT_FOUND, "there is nothing to undo");
		if (status == LOOM_OK)
			loom_buf_addf(run->out, "✓ undid: %.*s", LOOM_STR_ARG(ops[0].text));
		return status;
	}
	status = loom_outside_undo(run->store, engine->agent.id, 0, &run->op, err);
	if (status == LOOM_OK)
		status = loom_op_get(run->store, run->op, run->arena, &op, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	if (run->op == engine->op)
		engine_batch_close(engine);
	loom_buf_addf(run->out, "✓ undid: %.*s", LOOM_STR_ARG(op.text));
	return LOOM_OK;
}

enum loom_status engine_verb_redo(struct engine_run *run, struct loom_err *err)
{
	struct loom_op op;
	enum loom_status status = LOOM_OK;

	if (run->engine->opts.dry_run)
		return loom_fail(err, LOOM_CONFLICT, "a dry run cannot tell what redo would do");
	status = loom_outside_redo(run->store, run->engine->agent.id, &run->op, err);
	if (status == LOOM_OK)
		status = loom_op_get(run->store, run->op, run->arena, &op, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	loom_buf_addf(run->out, "✓ redid: %.*s", LOOM_STR_ARG(op.text));
	return LOOM_OK;
}
