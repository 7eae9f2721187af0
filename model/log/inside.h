/* Shared by the files that implement runs. */
#ifndef MODEL_RUN_IMPL_H
#define MODEL_RUN_IMPL_H

#include <loom/log/context_op.h>
#include <loom/log/lifecycle.h>

struct loom_run {
	struct loom_log log;
	struct loom_env *env;
	struct loom_arena *home;    /* thread and prompt */
	struct loom_arena *arena;   /* lane, context and applied ids */
	struct loom_arena *scratch; /* texts of the current result: one of the two below */
	struct loom_arena *scratches[2];
	bool turn;
	struct loom_str thread;
	struct loom_str prompt;
	struct loom_str lane;
	struct loom_context context; /* of the lane, if `loaded`: only a look needs it */
	bool loaded;
	struct loom_str applied[LOOM_RUN_OPS_KEPT];
	size_t applied_count;
	int64_t cursor;
	enum loom_run_status status;
	struct loom_buf slots[LOOM_SLOT_COUNT];
	struct loom_buf mine;    /* the record of the run that this process opened */
	bool restarting;         /* treat that process as dead */
	bool stale;              /* the state must be derived again */
	bool grouped;            /* the calls share a transaction */
	bool held;               /* which is open */
	enum loom_status broken; /* why it was rolled back */
};

/* Begins a transaction, reads what others wrote, and ends a dead run; the latter only if there is a
 * `result` to report it (else NULL). */
enum loom_status model_run_begin(struct loom_run *run, struct loom_run_result *result,
				 struct loom_err *err) LOOM_MUST;
/* Commits if `status` is LOOM_OK, otherwise rolls everything back; returns the outcome. */
enum loom_status model_run_finish(struct loom_run *run, enum loom_status status,
				  struct loom_err *err) LOOM_MUST;
/* Folds in the rows after the cursor; an operation among them derives everything again. */
enum loom_status model_run_catch_up(struct loom_run *run, struct loom_err *err) LOOM_MUST;

/* Returns a slot's contents, "" if empty; borrowed until it is written. */
struct loom_str model_run_slot(const struct loom_run *run, enum loom_slot slot);
enum loom_status model_run_put_slot(struct loom_run *run, enum loom_slot slot,
				    struct loom_str value, struct loom_err *err) LOOM_MUST;
/* Returns whether a run is open. */
bool model_run_active(const struct loom_run *run);
/* Returns a text field of the open run's record, in scratch. */
struct loom_str model_run_field(const struct loom_run *run, const char *key);
/* Returns why an event with this request id (empty: none given) does not belong to the open run, or
 * NULL if it does. */
const char *model_run_refuses(const struct loom_run *run, struct loom_str request_id);
/* Makes the result a rejection. */
void model_run_reject(struct loom_run_result *result, const char *why);

/* Creates the record of an open run whose first row has that seq; this process keeps it. */
enum loom_status model_run_open_record(struct loom_run *run, const struct loom_message *message,
				       int64_t from_seq, struct loom_err *err) LOOM_MUST;
/* Appends a row with the run's clock. */
enum loom_status model_run_append(struct loom_run *run, struct loom_log_row *row,
				  struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Appends a user message to the open run; `source` is where it came from. */
enum loom_status model_run_say(struct loom_run *run, const struct loom_message *message,
			       struct loom_str source, struct loom_run_result *result,
			       struct loom_err *err) LOOM_MUST;
/* Logs the unfinished message of a run that died as its last message. */
enum loom_status model_run_take_said(struct loom_run *run, struct loom_run_result *result,
				     struct loom_err *err) LOOM_MUST;
/* Ends the open run: its record, the queue, then the deferred operation. */
enum loom_status model_run_close_open(struct loom_run *run, const struct loom_run_ending *ending,
				      struct loom_run_result *result,
				      struct loom_err *err) LOOM_MUST;
/* Applies the deferred operation, if any, and empties its slot. */
enum loom_status model_run_apply_pending(struct loom_run *run, struct loom_run_result *result,
					 struct loom_err *err) LOOM_MUST;

/* The run that is told something; both empty: none. */
struct model_told_run {
	struct loom_str request;
	struct loom_str id; /* empty: the request */
};
/* Does what loom_block_tell does, for a run. */
enum loom_status model_block_tell(const struct loom_log *log, const struct model_told_run *run,
				  struct loom_str known, struct loom_str changes,
				  struct loom_err *err) LOOM_MUST;

/* Draws an id that neither the log nor the slot has, in scratch. */
enum loom_status model_run_draw_id(struct loom_run *run, struct loom_str *out,
				   struct loom_err *err) LOOM_MUST;
/* Appends an operation's payload unless its id is already in the log. */
enum loom_status model_run_apply(struct loom_run *run, struct loom_str payload,
				 struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Applies a valid operation that has an id, or holds it until the open run ends. */
enum loom_status model_run_take(struct loom_run *run, const struct loom_context_op *op,
				struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Turns a waiting compaction into the payload of an operation, in scratch; empty if there is
 * nothing to compact. Anything else is returned unchanged. */
enum loom_status model_run_build(struct loom_run *run, struct loom_str waiting,
				 struct loom_str *out, struct loom_err *err) LOOM_MUST;

#endif
