/* What the files of the run share. */
#ifndef MODEL_RUN_IMPL_H
#define MODEL_RUN_IMPL_H

#include <loom/log/context_op.h>
#include <loom/log/lifecycle.h>

struct loom_run {
	struct loom_log log;
	struct loom_env *env;
	struct loom_arena *home;    /* thread and prompt */
	struct loom_arena *arena;   /* the context and the applied ids */
	struct loom_arena *scratch; /* texts of this call's result: one of the two below */
	struct loom_arena *scratches[2];
	bool turn;
	struct loom_str thread;
	struct loom_str prompt;
	struct loom_context context;
	size_t settled;
	struct loom_str applied[LOOM_RUN_OPS_KEPT];
	size_t applied_count;
	int64_t cursor;
	enum loom_run_status status;
	struct loom_buf slots[LOOM_SLOT_COUNT];
	struct loom_buf mine; /* the record of the run that this process opened */
	bool restarting;      /* that process is taken for dead */
	bool stale;           /* the state must be derived anew */
};

/* One transaction: begins it, reads what others did, and ends a run that died; that last only with
 * a result to tell of it (else NULL). */
enum loom_status model_run_begin(struct loom_run *run, struct loom_run_result *result,
				 struct loom_err *err) LOOM_MUST;
/* Commits when `status` is LOOM_OK, else undoes all of it; returns what became of it. */
enum loom_status model_run_finish(struct loom_run *run, enum loom_status status,
				  struct loom_err *err) LOOM_MUST;
/* Folds the rows after the cursor; an operation among them derives everything anew. */
enum loom_status model_run_catch_up(struct loom_run *run, struct loom_err *err) LOOM_MUST;

/* What a slot holds, "" when empty; borrowed until it is written. */
struct loom_str model_run_slot(const struct loom_run *run, enum loom_slot slot);
enum loom_status model_run_put_slot(struct loom_run *run, enum loom_slot slot,
				    struct loom_str value, struct loom_err *err) LOOM_MUST;
/* Whether a run is open. */
bool model_run_active(const struct loom_run *run);
/* A text field of the open run's record, made in scratch. */
struct loom_str model_run_field(const struct loom_run *run, const char *key);
/* Why an event with this request id (empty: none given) is not for the open run, or NULL. */
const char *model_run_refuses(const struct loom_run *run, struct loom_str request_id);
/* Makes the result a rejection. */
void model_run_reject(struct loom_run_result *result, const char *why);

/* A row of the log under the clock of the run. */
enum loom_status model_run_append(struct loom_run *run, struct loom_log_row *row,
				  struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* A user message of the open run; `source` says where it came from. */
enum loom_status model_run_say(struct loom_run *run, const struct loom_message *message,
			       struct loom_str source, struct loom_run_result *result,
			       struct loom_err *err) LOOM_MUST;
/* What was being said when the open run died becomes its last message. */
enum loom_status model_run_take_said(struct loom_run *run, struct loom_run_result *result,
				     struct loom_err *err) LOOM_MUST;
/* Ends the open run: record, queue, then the deferred operation. */
enum loom_status model_run_close_open(struct loom_run *run, const struct loom_run_ending *ending,
				      struct loom_run_result *result,
				      struct loom_err *err) LOOM_MUST;
/* Applies the deferred operation, if there is one, and empties its slot. */
enum loom_status model_run_apply_pending(struct loom_run *run, struct loom_run_result *result,
					 struct loom_err *err) LOOM_MUST;

/* An id that neither the log nor the slot has, in scratch. */
enum loom_status model_run_draw_id(struct loom_run *run, struct loom_str *out,
				   struct loom_err *err) LOOM_MUST;
/* Appends an operation's payload unless its id is already in the log. */
enum loom_status model_run_apply(struct loom_run *run, struct loom_str payload,
				 struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* The payload of the operation that a waiting compaction comes to now, in scratch; empty when
 * there is nothing to compact. Anything else is given back as it is. */
enum loom_status model_run_build(struct loom_run *run, struct loom_str waiting,
				 struct loom_str *out, struct loom_err *err) LOOM_MUST;

#endif
