/* The lifecycle of a thread: one run at a time, steering, and context operations that wait for its
 * end. Everything is derived from the log and its three slots; nothing else is kept.
 *
 * Each call is one transaction of the log: read what others did, decide, append. A call that is
 * refused appends nothing and says why in its result; a status other than LOOM_OK means that the
 * log failed and nothing of the call was done. */
#ifndef LOOM_RUN_H
#define LOOM_RUN_H

#include <loom/base/env.h>
#include <loom/log/projection.h>

#define LOOM_RUN_OPS_KEPT  128 /* applied operation ids that are remembered in memory */
#define LOOM_RUN_QUEUE_MAX 64  /* steering inputs that wait */

/* name, word as shown */
#define LOOM_RUN_STATUS_LIST(X)                                                                    \
	X(IDLE, "idle")                                                                            \
	X(AWAITING_LLM, "awaiting_llm")                                                            \
	X(AWAITING_TOOL, "awaiting_tool")                                                          \
	X(COMPLETED, "completed")                                                                  \
	X(ERROR, "error")
#define LOOM_RUN_OUTCOME_LIST(X)                                                                   \
	X(COMPLETED, "completed")                                                                  \
	X(FAILED, "failed")                                                                        \
	X(CANCELLED, "cancelled")                                                                  \
	X(WORKER_EXIT, "worker_exit")
#define LOOM_ANSWER_LIST(X)                                                                        \
	X(ACCEPTED, "accepted")                                                                    \
	X(APPLIED, "applied")                                                                      \
	X(DEFERRED, "deferred")                                                                    \
	X(NOOP, "noop")                                                                            \
	X(QUEUED, "queued")                                                                        \
	X(REJECTED, "rejected")

enum loom_run_status {
#define X(name, word) LOOM_RUN_##name,
	LOOM_RUN_STATUS_LIST(X)
#undef X
};
enum loom_run_outcome {
#define X(name, word) LOOM_OUTCOME_##name,
	LOOM_RUN_OUTCOME_LIST(X)
#undef X
};
enum loom_answer {
#define X(name, word) LOOM_ANSWER_##name,
	LOOM_ANSWER_LIST(X)
#undef X
};
/* The words; they live for ever. */
const char *loom_run_status_word(enum loom_run_status status);
/* For ever too … */
const char *loom_run_outcome_word(enum loom_run_outcome outcome);
/* … as is this. */
const char *loom_answer_word(enum loom_answer answer);
/* False when `word` names no outcome. */
bool loom_run_outcome_parse(struct loom_str word, enum loom_run_outcome *out);

/* What a call did. Text is borrowed until the end of the next call on the run. */
struct loom_run_result {
	enum loom_answer answer;
	const char *why;          /* a rejection's reason, an invalid operation's error; or NULL */
	int64_t seq;              /* the last row appended, or LOOM_SEQ_NONE */
	struct loom_str op_id;    /* the operation spoken of, or the one that a run's end applied */
	size_t drained;           /* queued inputs that became rows */
	struct loom_str returned; /* JSON list of {content, source?} that never became rows */
	struct loom_str ended;    /* the record of a run that was found dead and ended, or empty */
	struct loom_str late_op_id; /* the operation that was found waiting and applied */
};

struct loom_run;

struct loom_run_opts {
	struct loom_str thread; /* its id; part of context ids */
	struct loom_str prompt; /* default system prompt; p NULL: none */
	struct loom_env *env;   /* clock, and randomness for operation ids; outlives the run */
};

/* Derives the state. A run whose process is gone is ended as worker_exit, its deferred operation is
 * applied then. `log` is copied, its context must outlive the run. result may be NULL. */
enum loom_status loom_run_open(const struct loom_log *log, const struct loom_run_opts *opts,
			       struct loom_run **out, struct loom_run_result *result,
			       struct loom_err *err) LOOM_MUST;
/* As if this process had died and another had opened the thread: derives everything anew, and ends
 * the run that this one opened. */
enum loom_status loom_run_restart(struct loom_run *run, struct loom_run_result *result,
				  struct loom_err *err) LOOM_MUST;
/* Frees; changes nothing in the log. NULL is fine. */
void loom_run_close(struct loom_run *run);

/* A message on its way into the log. JSON where it says so, else plain text; empty: absent. */
struct loom_message {
	struct loom_str request_id; /* begins a run, or must be the active one's; empty: it is */
	struct loom_str run_id;     /* start only; empty: the request id */
	struct loom_str content;    /* JSON: a string or a list of parts */
	struct loom_str tool_calls; /* JSON list */
	struct loom_str thinking;   /* JSON string */
	struct loom_str reasoning;  /* JSON: what the provider wants back */
	struct loom_str tool_call_id;
	struct loom_str name;
	struct loom_str signal_id;
	struct loom_str extra_refs; /* JSON object; request_id, run_id, signal_id are not taken */
	struct loom_str output;     /* JSON object, an assistant's: the payload of the model_output
				     * row that goes before it */
};

/* Opens a run with the user's message. Rejected: busy, request_id, content. */
enum loom_status loom_run_start(struct loom_run *run, const struct loom_message *message,
				struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* What the model said. Rejected: idle, request_mismatch, content, tool_calls, thinking. */
enum loom_status loom_run_assistant(struct loom_run *run, const struct loom_message *message,
				    struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* What the model has said until now, of a message that is still to come: kept beside the log, and
 * taken into it when the run is found dead, in the place of that message. The latest wins. Rejected
 * as loom_run_assistant does. */
enum loom_status loom_run_saying(struct loom_run *run, const struct loom_message *message,
				 struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* What a tool gave. Rejected: idle, request_mismatch, tool_call_id, name, content. */
enum loom_status loom_run_tool_result(struct loom_run *run, const struct loom_message *message,
				      struct loom_run_result *result,
				      struct loom_err *err) LOOM_MUST;

struct loom_steer {
	struct loom_str content;
	struct loom_str role; /* empty or "user"; nothing else steers */
	struct loom_str expected_request_id;
	struct loom_str source; /* empty: "steer" */
};
/* Queues input for the open run; it becomes a row when drained. Rejected: idle, role,
 * request_mismatch, empty_content, queue_full. */
enum loom_status loom_run_steer(struct loom_run *run, const struct loom_steer *steer,
				struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Appends what is queued, first in first out, one user row each. To be called before each model
 * call and after a final answer (if result->drained > 0 the run goes on). Rejected: idle. */
enum loom_status loom_run_drain(struct loom_run *run, struct loom_run_result *result,
				struct loom_err *err) LOOM_MUST;
struct loom_run_ending {
	struct loom_str request_id; /* empty: the open run's */
	enum loom_run_outcome outcome;
	struct loom_str why; /* for people, kept in its record; may be empty */
};
/* Ends the run: its record first, the deferred operation second. Rows stay, whatever the outcome;
 * what is still queued is returned. Rejected: idle, request_mismatch. */
enum loom_status loom_run_end(struct loom_run *run, const struct loom_run_ending *ending,
			      struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Of an ended run's record: the last of its rows, and how it ended, in words; false for one that
 * was completed. */
bool loom_run_mark(struct loom_str record, struct loom_arena *arena, int64_t *out_seq,
		   struct loom_str *out);

/* Applies {op_id?, context_ref?, operation} at once, or while a run is open defers it (the latest
 * wins). NOOP without `why` when its op_id was applied before, with `why` when it is invalid. A
 * missing op_id is drawn when `draw_id`, invalid otherwise. */
enum loom_status loom_run_modify(struct loom_run *run, struct loom_str envelope, bool draw_id,
				 struct loom_run_result *result, struct loom_err *err) LOOM_MUST;

/* Puts a summary in the place of a lane's oldest messages. */
struct loom_compaction {
	struct loom_str op_id;   /* empty: drawn */
	struct loom_str lane;    /* empty: the active one */
	struct loom_str summary; /* what stands for them, as a user's message */
	int64_t through_seq;     /* the last row that it sums up */
	struct loom_str meta;    /* JSON object with provenance; empty: none */
};
/* A replace that is built when it is applied, from what the lane then holds: messages after
 * through_seq stay, also those of a run that delayed it. NOOP with `nothing_to_compact` when the
 * lane has no message up to there. */
enum loom_status loom_run_compact(struct loom_run *run, const struct loom_compaction *compaction,
				  struct loom_run_result *result, struct loom_err *err) LOOM_MUST;

/* Everything known; borrowed until the next call on the run. */
struct loom_run_state {
	enum loom_run_status status;
	bool active;
	struct loom_str request_id;
	struct loom_str run_id;
	struct loom_str lane;
	struct loom_str pending_op_id;
	const struct loom_str *applied; /* newest first */
	size_t applied_count;
	int64_t cursor;
	size_t queued;
	/* The whole of it is the run's context while a run is open, else the materialized one. */
	const struct loom_context *context;
	size_t settled; /* how many of its entries the materialized context has */
};
/* Reads what others appended and gives the state. */
enum loom_status loom_run_look(struct loom_run *run, struct loom_run_state *out,
			       struct loom_err *err) LOOM_MUST;
/* The state as a checkpoint holds it: {version, run_id, request_id, status, context_ref, context,
 * seq}. A thread that never ran gives its own id for both ids. */
enum loom_status loom_run_checkpoint(struct loom_run *run, struct loom_buf *out,
				     struct loom_err *err) LOOM_MUST;

/* What a log alone says at a boundary. */
struct loom_derived {
	struct loom_str lane;     /* of the last valid operation */
	struct loom_str *applied; /* newest first, at most LOOM_RUN_OPS_KEPT */
	size_t applied_count;
	int64_t cursor; /* the last seq at or before the boundary */
};
struct loom_lanes {
	struct loom_str *names;
	size_t count;
	size_t cap;
};
/* What the log says up to `at` (LOOM_SEQ_HEAD: all of it). An empty log: the default lane. */
enum loom_status loom_derive(const struct loom_log *log, int64_t at, struct loom_arena *arena,
			     struct loom_derived *out, struct loom_err *err) LOOM_MUST;
/* The lanes that any message or operation up to the boundary names, in order of first appearance.
 */
enum loom_status loom_lanes(const struct loom_log *log, int64_t at, struct loom_arena *arena,
			    struct loom_lanes *out, struct loom_err *err) LOOM_MUST;

#endif
