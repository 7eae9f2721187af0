/* The lifecycle of a thread: one run at a time, steering, and context operations that wait for its
 * end. Everything is derived from the log and its three slots; there is no other state.
 *
 * Each call is one transaction of the log (or part of a group's): read what others wrote, decide,
 * append. A refused call
 * appends nothing and gives the reason in its result; a status other than LOOM_OK means that the
 * log failed and the call had no effect. */
#ifndef LOOM_RUN_H
#define LOOM_RUN_H

#include <loom/base/env.h>
#include <loom/log/projection.h>

#define LOOM_RUN_OPS_KEPT  128 /* applied operation ids kept in memory */
#define LOOM_RUN_QUEUE_MAX 64  /* pending steering inputs */

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
/* Returns a status's word. Static. */
const char *loom_run_status_word(enum loom_run_status status);
/* Returns an outcome's word. Static. */
const char *loom_run_outcome_word(enum loom_run_outcome outcome);
/* Returns an answer's word. Static. */
const char *loom_answer_word(enum loom_answer answer);
/* Parses an outcome's word; false if unknown. */
bool loom_run_outcome_parse(struct loom_str word, enum loom_run_outcome *out);

/* The result of a call. Text is borrowed until the end of the next call on the run. */
struct loom_run_result {
	enum loom_answer answer;
	const char *why; /* reason of a rejection, or error of an invalid operation; else NULL */
	int64_t seq;     /* the last row appended, or LOOM_SEQ_NONE */
	struct loom_str op_id; /* the operation in question, or the one applied at the run's end */
	size_t drained;        /* queued inputs that became rows */
	struct loom_str returned; /* JSON list of {content, source?} that never became rows */
	struct loom_str ended;    /* the record of a dead run that was found and ended, or empty */
	struct loom_str late_op_id; /* the waiting operation that was found and applied */
};

struct loom_run;

struct loom_run_opts {
	struct loom_str thread; /* its id; part of context ids */
	struct loom_str prompt; /* default system prompt; p NULL: none */
	struct loom_env *env;   /* clock, and randomness for operation ids; must outlive the run */
};

/* Opens a thread and derives its state. A run whose process is gone is ended as worker_exit, then
 * its deferred operation is applied. `log` is copied, its context must outlive the run. `result`
 * may be NULL. Close it with loom_run_close. */
enum loom_status loom_run_open(const struct loom_log *log, const struct loom_run_opts *opts,
			       struct loom_run **out, struct loom_run_result *result,
			       struct loom_err *err) LOOM_MUST;
/* Acts as if this process had died and another had opened the thread: derives everything again, and
 * ends the run this one opened. */
enum loom_status loom_run_restart(struct loom_run *run, struct loom_run_result *result,
				  struct loom_err *err) LOOM_MUST;
/* Frees the run without touching the log. NULL is fine. */
void loom_run_close(struct loom_run *run);

/* A message to be logged. JSON where noted, otherwise plain text; empty: absent. */
struct loom_message {
	struct loom_str request_id; /* of a new run, or must be the active run's; empty: it is */
	struct loom_str run_id;     /* only at start; empty: the request id */
	struct loom_str content;    /* JSON: a string or a list of parts */
	struct loom_str tool_calls; /* JSON list */
	struct loom_str thinking;   /* JSON string */
	struct loom_str reasoning;  /* JSON: the provider's own data, to be sent back */
	struct loom_str tool_call_id;
	struct loom_str name;
	struct loom_str signal_id;
	/* JSON object; its request_id, run_id, signal_id, thread_context and given are ignored */
	struct loom_str extra_refs;
	bool block; /* the content begins with the thread's block */
	bool given; /* the content is a document that was handed over */
	/* At start: what the agent knows of its files from now on, a JSON object (empty: nothing
	 * else than before), and what is new to it, a line each. See block.h. */
	struct loom_str known;
	struct loom_str news;
	struct loom_str
		output; /* JSON object, assistant only: payload of the model_output row before it */
};

/* Starts a run with the user's message. Rejected: busy, request_id, content. */
enum loom_status loom_run_start(struct loom_run *run, const struct loom_message *message,
				struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* A run that was open when a checkpoint was taken. */
struct loom_resuming {
	struct loom_str request_id;
	struct loom_str run_id; /* empty: the request id */
	struct loom_str lane;
	struct loom_str entries; /* what the lane held then, as JSON; absent: whatever it held */
	int64_t seq;             /* of the checkpoint */
	int64_t from_seq;        /* its first row, if that is recorded; else LOOM_SEQ_NONE */
};
/* Opens that run again; its first row and last status are those in the log. Rejected: busy;
 * moved_on, if another lane is active or rows after the checkpoint belong to another request;
 * other_log, if the lane held something else at that row: the log is one of another grove, or of
 * another past of this one; no_such_run, if the log has no message of it. */
enum loom_status loom_run_resume(struct loom_run *run, const struct loom_resuming *what,
				 struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Appends the model's message. Rejected: idle, request_mismatch, content, tool_calls, thinking. */
enum loom_status loom_run_assistant(struct loom_run *run, const struct loom_message *message,
				    struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Stores the model's unfinished message beside the log; if the run is found dead, it is logged in
 * place of the message. The latest wins. Rejected: idle, request_mismatch, content, tool_calls,
 * thinking. */
enum loom_status loom_run_saying(struct loom_run *run, const struct loom_message *message,
				 struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Appends a tool's result. Rejected: idle, request_mismatch, tool_call_id, name, content. */
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
/* Appends the queued inputs, first in first out, one user row each. Call it before each model call
 * and after a final answer (if result->drained > 0 the run continues). Rejected: idle. */
enum loom_status loom_run_drain(struct loom_run *run, struct loom_run_result *result,
				struct loom_err *err) LOOM_MUST;
struct loom_run_ending {
	struct loom_str request_id; /* empty: the open run's */
	enum loom_run_outcome outcome;
	struct loom_str why; /* for people, stored in the record; may be empty */
};
/* Ends the run: first its record, then the deferred operation. Its rows stay, whatever the outcome;
 * inputs still queued are returned. Rejected: idle, request_mismatch. */
enum loom_status loom_run_end(struct loom_run *run, const struct loom_run_ending *ending,
			      struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Reads an ended run's record: its last row, and how it ended, in words (in the arena); false if it
 * was completed. */
bool loom_run_mark(struct loom_str record, struct loom_arena *arena, int64_t *out_seq,
		   struct loom_str *out);

/* Applies {op_id?, context_ref?, operation} at once or, while a run is open, defers it (the latest
 * wins). NOOP without `why` if its op_id was already applied, with `why` if it is invalid. A
 * missing op_id is drawn if `draw_id` is set, otherwise invalid. */
enum loom_status loom_run_modify(struct loom_run *run, struct loom_str envelope, bool draw_id,
				 struct loom_run_result *result, struct loom_err *err) LOOM_MUST;

/* Replaces a lane's oldest messages by a summary. */
struct loom_compaction {
	struct loom_str op_id;   /* empty: draw one */
	struct loom_str lane;    /* empty: the active lane */
	struct loom_str summary; /* replaces them, as a user's message */
	int64_t through_seq;     /* the last row it covers */
	size_t entries; /* how many of them it covers, as one row can give many; 0: all up to there
			 */
	int64_t messages;     /* that the summary stands for, for its refs; 0: not said */
	struct loom_str meta; /* JSON object with provenance; empty: none */
};
/* Compacts a lane by a replace that is built when it is applied, from the lane's contents at that
 * time: messages after through_seq stay, including those of a run that delayed it. NOOP with
 * `nothing_to_compact` if the lane has no message up to there. */
enum loom_status loom_run_compact(struct loom_run *run, const struct loom_compaction *compaction,
				  struct loom_run_result *result, struct loom_err *err) LOOM_MUST;

/* Gives a lane what one held at a row. */
struct loom_restoring {
	struct loom_str lane; /* whose contents; empty: the active lane's */
	int64_t at;           /* as of this row; LOOM_SEQ_HEAD: now, LOOM_SEQ_NONE: nothing */
	struct loom_str into; /* a new lane that gets them; empty: the same */
};
/* Does that by a replace with the reason restore, at once or when the open run ends; the lane
 * becomes the active one. NOOP with `no_such_lane`, `no_such_row` or `lane_exists`. */
enum loom_status loom_run_restore(struct loom_run *run, const struct loom_restoring *what,
				  struct loom_run_result *result, struct loom_err *err) LOOM_MUST;
/* Makes a lane that there is the active one. NOOP with `no_such_lane`. */
enum loom_status loom_run_switch(struct loom_run *run, struct loom_str lane,
				 struct loom_run_result *result, struct loom_err *err) LOOM_MUST;

/* The whole state; borrowed until the next call on the run. */
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
	/* As a whole the run's context while a run is open; otherwise the materialized one. */
	const struct loom_context *context;
	size_t settled; /* how many entries belong to the materialized context */
};
/* Reads what others appended and returns the state. */
enum loom_status loom_run_look(struct loom_run *run, struct loom_run_state *out,
			       struct loom_err *err) LOOM_MUST;
/* Appends the state as checkpoints store it: {version, run_id, request_id, status, context_ref,
 * context, seq}. A thread that never ran uses its own id for both ids. */
enum loom_status loom_run_checkpoint(struct loom_run *run, struct loom_buf *out,
				     struct loom_err *err) LOOM_MUST;

/* Makes the calls from here to loom_run_group_end share one transaction: none of them is durable
 * before that, and nobody else can write meanwhile. */
void loom_run_group_begin(struct loom_run *run);
/* Commits what the calls did. Fails, and then none of them had an effect, if one of them failed or
 * the log does; whoever wants the others calls them again. */
enum loom_status loom_run_group_end(struct loom_run *run, struct loom_err *err) LOOM_MUST;

/* State derived from a log alone, at a boundary. */
struct loom_derived {
	struct loom_str lane;     /* set by the last valid operation */
	struct loom_str *applied; /* newest first, at most LOOM_RUN_OPS_KEPT */
	size_t applied_count;
	int64_t cursor; /* the last seq at or before the boundary */
};
struct loom_lanes {
	struct loom_str *names;
	size_t count;
	size_t cap;
};
/* Derives the state from the log up to `at` (LOOM_SEQ_HEAD: all of it). An empty log gives the
 * default lane. In the arena. */
enum loom_status loom_derive(const struct loom_log *log, int64_t at, struct loom_arena *arena,
			     struct loom_derived *out, struct loom_err *err) LOOM_MUST;
/* A lane, as far as its rows up to a boundary go. */
struct loom_lane {
	struct loom_str name;
	bool active;
	int64_t last;           /* its last row; LOOM_SEQ_NONE: it has none */
	int64_t anchor;         /* where its contents begin; LOOM_SEQ_NONE: at its first row */
	struct loom_str reason; /* of the anchor: manual, restore, compaction, system */
	int64_t from;           /* the rows that a compaction sums up; else LOOM_SEQ_NONE */
	int64_t through;
};
/* An operation that is held until the open run ends. */
struct loom_waiting {
	struct loom_str op_id; /* empty: nothing waits */
	struct loom_str lane;
	struct loom_str type; /* replace, switch */
	struct loom_str reason;
};
struct loom_lane_list {
	struct loom_lane *items;
	size_t count;
	struct loom_waiting waiting; /* now, whatever the boundary */
	struct loom_str run;         /* request id of the open run; empty: none */
};
/* Describes the lanes up to the boundary, the active one among them even if it has no row yet, in
 * the arena. Writes nothing. */
enum loom_status loom_lane_list(const struct loom_log *log, int64_t at, struct loom_arena *arena,
				struct loom_lane_list *out, struct loom_err *err) LOOM_MUST;
/* Appends "default · compaction of rows 35-65, in row 74 · last row 120". */
void loom_lane_say(const struct loom_lane *lane, struct loom_buf *out);
/* Appends what a row is, in words: "message of user", "call", "replace (restore) of lane default".
 */
void loom_row_say(const struct loom_log_row *row, struct loom_buf *out);
/* Lists the lanes named by any message or operation up to the boundary, in order of first
 * appearance, in the arena. */
enum loom_status loom_lanes(const struct loom_log *log, int64_t at, struct loom_arena *arena,
			    struct loom_lanes *out, struct loom_err *err) LOOM_MUST;

#endif
