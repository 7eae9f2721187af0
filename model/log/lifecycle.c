/* The state of a thread's lifecycle: derived, kept up to date with the log, reported. Invariants: a
 * context that is loaded is a fold of the log up to the cursor; its first `settled` entries are the
 * materialized context, all of them the open run's; without an open run both are the same. It is
 * loaded when somebody looks at it: the state itself needs no more than the rows of the open run.
 * Every change of state comes from rows or slots that were read back. Left to others: the decisions
 * (lifecycle_events.c, lifecycle_op.c, lifecycle_queue.c). */
#include "inside.h"

#include <loom/log/checkpoint.h>

const char *loom_run_status_word(enum loom_run_status status)
{
	static const char *const words[] = {
#define X(name, word) [LOOM_RUN_##name] = (word),
		LOOM_RUN_STATUS_LIST(X)
#undef X
	};

	LOOM_ASSERT((size_t)status < LOOM_COUNT(words));
	return words[status];
}

static const char *const outcome_words[] = {
#define X(name, word) [LOOM_OUTCOME_##name] = (word),
	LOOM_RUN_OUTCOME_LIST(X)
#undef X
};

const char *loom_run_outcome_word(enum loom_run_outcome outcome)
{
	LOOM_ASSERT((size_t)outcome < LOOM_COUNT(outcome_words));
	return outcome_words[outcome];
}

bool loom_run_outcome_parse(struct loom_str word, enum loom_run_outcome *out)
{
	for (size_t i = 0; i < LOOM_COUNT(outcome_words); i++) {
		if (!loom_str_is(word, outcome_words[i]))
			continue;
		*out = (enum loom_run_outcome)i;
		return true;
	}
	return false;
}

const char *loom_answer_word(enum loom_answer answer)
{
	static const char *const words[] = {
#define X(name, word) [LOOM_ANSWER_##name] = (word),
		LOOM_ANSWER_LIST(X)
#undef X
	};

	LOOM_ASSERT((size_t)answer < LOOM_COUNT(words));
	return words[answer];
}

struct loom_str model_run_slot(const struct loom_run *run, enum loom_slot slot)
{
	LOOM_ASSERT((size_t)slot < LOOM_SLOT_COUNT);
	return loom_buf_str(&run->slots[slot]);
}

enum loom_status model_run_put_slot(struct loom_run *run, enum loom_slot slot,
				    struct loom_str value, struct loom_err *err)
{
	enum loom_status status = run->log.ops->slot_write(run->log.ctx, slot, value, err);

	LOOM_ASSERT((size_t)slot < LOOM_SLOT_COUNT);
	if (status)
		return status;
	loom_buf_clear(&run->slots[slot]);
	loom_buf_add(&run->slots[slot], value);
	return LOOM_OK;
}

bool model_run_active(const struct loom_run *run)
{
	return run->slots[LOOM_SLOT_RUN].n > 0;
}

struct loom_str model_run_field(const struct loom_run *run, const char *key)
{
	struct loom_str record = model_run_slot(run, LOOM_SLOT_RUN);
	struct loom_str text = loom_jval_text(loom_jval_get(record, key), run->scratch);

	return loom_arena_str(run->scratch, text);
}

const char *model_run_refuses(const struct loom_run *run, struct loom_str request_id)
{
	if (!model_run_active(run))
		return request_id.n > 0 ? "request_mismatch" : "idle";
	if (request_id.n > 0 && !loom_str_eq(request_id, model_run_field(run, "request_id")))
		return "request_mismatch";
	return NULL;
}

void model_run_reject(struct loom_run_result *result, const char *why)
{
	LOOM_ASSERT(why);
	result->answer = LOOM_ANSWER_REJECTED;
	result->why = why;
}

/* Takes from an entry of the open run what the run waits for; a tool's result decides nothing. */
static void follow_entry(struct loom_run *run, const struct loom_entry *entry)
{
	if (!model_run_active(run) || entry->role == LOOM_ROLE_TOOL)
		return;
	run->status = entry->role == LOOM_ROLE_ASSISTANT && entry->tool_calls.n > 0
			      ? LOOM_RUN_AWAITING_TOOL
			      : LOOM_RUN_AWAITING_LLM;
}

/* The first row of the open run, or the one after the cursor. */
static int64_t first_of_run(const struct loom_run *run)
{
	int64_t from = run->cursor + 1;

	(void)loom_jval_int(loom_jval_get(model_run_slot(run, LOOM_SLOT_RUN), "from_seq"), &from);
	return from;
}

/* Reads the row's entry, if it adds one to the lane; its text is the row's own. */
static bool entry_of(const struct loom_run *run, const struct loom_log_row *row,
		     struct loom_entry *out)
{
	struct loom_context one = {.lane = run->lane};

	if (!loom_context_fold(&one, row, true, run->scratch))
		return false;
	*out = one.entries[0];
	return true;
}

static bool see_speaker(void *ctx, const struct loom_log_row *row)
{
	struct loom_run *run = ctx;
	struct loom_entry entry;

	if (!entry_of(run, row, &entry) || entry.role == LOOM_ROLE_TOOL)
		return true;
	follow_entry(run, &entry);
	return false;
}

/* Derives the status of an open run: it depends on the last speaker. */
static enum loom_status derive_status(struct loom_run *run, struct loom_err *err)
{
	const struct loom_log_range range = {.after = first_of_run(run) - 1,
					     .through = run->cursor,
					     .kind = LOOM_STR(LOOM_KIND_MESSAGE),
					     .lane = run->lane,
					     .newest_first = true};
	const struct loom_log_visitor visitor = {see_speaker, run};

	if (!model_run_active(run))
		return LOOM_OK;
	run->status = LOOM_RUN_AWAITING_LLM;
	return run->log.ops->read(run->log.ctx, &range, &visitor, err);
}

/* Derives everything from the log and the slots. */
static enum loom_status derive_all(struct loom_run *run, struct loom_err *err)
{
	struct loom_derived derived;

	LOOM_ASSERT(run->log.ops);
	loom_arena_reset(run->arena);
	run->loaded = false;
	run->applied_count = 0;
	enum loom_status status = loom_derive(&run->log, LOOM_SEQ_HEAD, run->arena, &derived, err);
	if (status)
		return status;
	run->lane = loom_arena_str(run->arena, derived.lane);
	run->applied_count = derived.applied_count;
	for (size_t i = 0; i < derived.applied_count; i++)
		run->applied[i] = derived.applied[i];
	run->cursor = derived.cursor;
	status = derive_status(run, err);
	if (!status)
		run->stale = false;
	return status;
}

/* Folds the lane up to the cursor. */
static enum loom_status load_context(struct loom_run *run, struct loom_err *err)
{
	const struct loom_project_opts opts = {
		.thread = run->thread,
		.lane = run->lane,
		.at = run->cursor,
		.prompt = run->prompt,
	};
	enum loom_status status = LOOM_OK;

	if (!run->loaded)
		status = loom_project(&run->log, &opts, run->arena, &run->context, err);
	run->loaded = status == LOOM_OK;
	return status;
}

/* How many entries stand before the open run; without one, all do. */
static size_t count_settled(const struct loom_run *run)
{
	const int64_t from = model_run_active(run) ? first_of_run(run) : LOOM_SEQ_HEAD;
	size_t settled = run->context.count;

	LOOM_ASSERT(run->loaded);
	while (settled > 0 && run->context.entries[settled - 1].seq >= from)
		settled--;
	return settled;
}

static bool see_row(void *ctx, const struct loom_log_row *row)
{
	struct loom_run *run = ctx;
	struct loom_entry entry;

	LOOM_ASSERT(row->seq > run->cursor);
	run->cursor = row->seq;
	if (loom_str_is(row->kind, LOOM_KIND_OP))
		run->stale = true;
	else if (entry_of(run, row, &entry))
		follow_entry(run, &entry);
	if (run->loaded && !run->stale)
		(void)loom_context_fold(&run->context, row, run->log.ops->lasting, run->arena);
	return !run->stale;
}

enum loom_status model_run_catch_up(struct loom_run *run, struct loom_err *err)
{
	const struct loom_log_range range = {.after = run->cursor, .through = LOOM_SEQ_HEAD};
	const struct loom_log_visitor visitor = {see_row, run};
	enum loom_status status = LOOM_OK;

	if (!run->stale)
		status = run->log.ops->read(run->log.ctx, &range, &visitor, err);
	if (!status && run->stale)
		status = derive_all(run, err);
	if (!model_run_active(run) &&
	    (run->status == LOOM_RUN_AWAITING_LLM || run->status == LOOM_RUN_AWAITING_TOOL))
		run->status = LOOM_RUN_IDLE;
	return status;
}

static enum loom_status read_slots(struct loom_run *run, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (int i = 0; !status && i < LOOM_SLOT_COUNT; i++) {
		loom_buf_clear(&run->slots[i]);
		status = run->log.ops->slot_read(run->log.ctx, (enum loom_slot)i, &run->slots[i],
						 err);
	}
	return status;
}

/* Returns whether the open run's process is gone. If the keeper cannot tell there are no other
 * processes, and only this one's run is alive. */
static bool run_is_dead(const struct loom_run *run)
{
	struct loom_str record = model_run_slot(run, LOOM_SLOT_RUN);

	if (record.n == 0)
		return false;
	if (loom_str_eq(record, loom_buf_str(&run->mine)))
		return run->restarting;
	return !run->log.ops->run_alive || !run->log.ops->run_alive(run->log.ctx, record);
}

/* Ends a dead run, and applies a deferred operation left without a run. */
static enum loom_status recover(struct loom_run *run, struct loom_run_result *result,
				struct loom_err *err)
{
	LOOM_ASSERT(result);
	if (run_is_dead(run)) {
		const struct loom_run_ending ending = {.outcome = LOOM_OUTCOME_WORKER_EXIT};
		enum loom_status status = model_run_take_said(run, result, err);

		result->ended = loom_arena_str(run->scratch, model_run_slot(run, LOOM_SLOT_RUN));
		return status ? status : model_run_close_open(run, &ending, result, err);
	}
	if (model_run_active(run))
		return LOOM_OK;
	return model_run_apply_pending(run, result, err);
}

/* Begins the transaction of a call, or goes on in the one that the group of calls shares. */
static enum loom_status hold(struct loom_run *run, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (run->broken)
		return loom_fail(err, run->broken, "a call before it failed");
	if (!run->held && run->log.ops->begin)
		status = run->log.ops->begin(run->log.ctx, err);
	run->held = run->grouped && status == LOOM_OK;
	return status;
}

enum loom_status model_run_begin(struct loom_run *run, struct loom_run_result *result,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	/* Results of the last call may be arguments of this one. */
	run->turn = !run->turn;
	run->scratch = run->scratches[run->turn];
	loom_arena_reset(run->scratch);
	if (result)
		*result = (struct loom_run_result){.seq = LOOM_SEQ_NONE};
	status = hold(run, err);
	if (status)
		return status;
	status = read_slots(run, err);
	if (!status)
		status = model_run_catch_up(run, err);
	if (!status && result) {
		status = recover(run, result, err);
		result->late_op_id = result->op_id;
		result->op_id = loom_str_make(NULL, 0);
		result->seq = LOOM_SEQ_NONE;
	}
	return status ? model_run_finish(run, status, err) : LOOM_OK;
}

enum loom_status model_run_finish(struct loom_run *run, enum loom_status status,
				  struct loom_err *err)
{
	LOOM_ASSERT(run->log.ops);
	if (status) {
		if (run->log.ops->rollback)
			run->log.ops->rollback(run->log.ctx);
		run->held = false;
		run->broken = run->grouped ? status : LOOM_OK;
	} else if (run->log.ops->commit && !run->grouped) {
		status = run->log.ops->commit(run->log.ctx, err);
	}
	if (status)
		run->stale = true;
	return status;
}

void loom_run_group_begin(struct loom_run *run)
{
	LOOM_ASSERT(!run->grouped && !run->held && !run->broken);
	run->grouped = true;
}

enum loom_status loom_run_group_end(struct loom_run *run, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(run->grouped);
	if (run->broken)
		status = loom_fail(err, run->broken, "a call of the group failed");
	else if (run->held && run->log.ops->commit)
		status = run->log.ops->commit(run->log.ctx, err);
	if (status)
		run->stale = true;
	run->grouped = run->held = false;
	run->broken = LOOM_OK;
	return status;
}

enum loom_status loom_run_open(const struct loom_log *log, const struct loom_run_opts *opts,
			       struct loom_run **out, struct loom_run_result *result,
			       struct loom_err *err)
{
	struct loom_run *run = loom_alloc(sizeof *run);
	struct loom_run_result unused;

	LOOM_ASSERT(log->ops && opts->env);
	run->log = *log;
	run->env = opts->env;
	run->home = loom_arena_create();
	run->arena = loom_arena_create();
	for (size_t i = 0; i < LOOM_COUNT(run->scratches); i++)
		run->scratches[i] = loom_arena_create();
	run->thread = loom_arena_str(run->home, opts->thread);
	run->prompt = opts->prompt.p ? loom_arena_str(run->home, opts->prompt) : opts->prompt;
	for (size_t i = 0; i < LOOM_SLOT_COUNT; i++)
		loom_buf_init(&run->slots[i], LOOM_BUF_MAX);
	loom_buf_init(&run->mine, LOOM_BUF_MAX);
	run->cursor = LOOM_SEQ_NONE;
	run->stale = true;
	result = result ? result : &unused;
	enum loom_status status = model_run_begin(run, result, err);
	if (!status)
		status = model_run_finish(run, LOOM_OK, err);
	if (status) {
		loom_run_close(run);
		run = NULL;
	}
	LOOM_ASSERT((status == LOOM_OK) == (run != NULL));
	*out = run;
	return status;
}

enum loom_status loom_run_restart(struct loom_run *run, struct loom_run_result *result,
				  struct loom_err *err)
{
	LOOM_ASSERT(result);
	run->stale = true;
	run->restarting = true;
	run->status = LOOM_RUN_IDLE;
	enum loom_status status = model_run_begin(run, result, err);
	run->restarting = false;
	if (status)
		return status;
	loom_buf_clear(&run->mine);
	return model_run_finish(run, LOOM_OK, err);
}

void loom_run_close(struct loom_run *run)
{
	if (!run)
		return;
	for (size_t i = 0; i < LOOM_SLOT_COUNT; i++)
		loom_buf_fini(&run->slots[i]);
	loom_buf_fini(&run->mine);
	for (size_t i = 0; i < LOOM_COUNT(run->scratches); i++)
		loom_arena_destroy(run->scratches[i]);
	loom_arena_destroy(run->arena);
	loom_arena_destroy(run->home);
	free(run);
}

enum loom_status loom_run_look(struct loom_run *run, struct loom_run_state *out,
			       struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, NULL, err);

	if (status)
		return status;
	status = model_run_finish(run, load_context(run, err), err);
	if (status)
		return status;
	struct loom_str pending = model_run_slot(run, LOOM_SLOT_PENDING);
	*out = (struct loom_run_state){
		.status = run->status,
		.active = model_run_active(run),
		.request_id = model_run_field(run, "request_id"),
		.run_id = model_run_field(run, "run_id"),
		.lane = run->lane,
		.pending_op_id = loom_jval_text(loom_jval_get(pending, "op_id"), run->scratch),
		.applied = run->applied,
		.applied_count = run->applied_count,
		.cursor = run->cursor,
		.queued = loom_jval_count(model_run_slot(run, LOOM_SLOT_QUEUE)),
		.context = &run->context,
		.settled = count_settled(run),
	};
	return LOOM_OK;
}

static const char *checkpoint_status(enum loom_run_status status)
{
	switch (status) {
	case LOOM_RUN_AWAITING_TOOL:
		return LOOM_TOKEN_AWAITING;
	case LOOM_RUN_COMPLETED:
		return LOOM_TOKEN_COMPLETED;
	case LOOM_RUN_ERROR:
		return LOOM_TOKEN_FAILED;
	case LOOM_RUN_IDLE:
		return LOOM_TOKEN_IDLE;
	case LOOM_RUN_AWAITING_LLM:
		break;
	}
	return LOOM_TOKEN_RUNNING;
}

enum loom_status loom_run_checkpoint(struct loom_run *run, struct loom_buf *out,
				     struct loom_err *err)
{
	struct loom_run_state state;
	enum loom_status status = loom_run_look(run, &state, err);
	struct loom_json json;

	if (status)
		return status;
	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_json_put_int(&json, "version", 3);
	loom_json_put(&json, "run_id", state.run_id.n ? state.run_id : run->thread);
	loom_json_put(&json, "request_id", state.request_id.n ? state.request_id : run->thread);
	loom_json_put(&json, "status", loom_str_of(checkpoint_status(state.status)));
	loom_json_put(&json, "context_ref", state.lane);
	loom_json_key(&json, "context");
	loom_context_snapshot_json(&run->context, run->context.count, &json);
	loom_json_put_int(&json, "seq", state.cursor);
	loom_json_end_object(&json);
	return LOOM_OK;
}
