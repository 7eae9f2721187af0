/* A thread's log: rows numbered 0, 1, 2 …, appended, never changed; the only record of what was
 * said and done. This header defines what every keeper of logs (memory, a store) provides, and what
 * a row must be. Payloads and refs are compact JSON and are kept byte for byte. */
#ifndef LOOM_LOG_H
#define LOOM_LOG_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/jval.h>

#define LOOM_SEQ_NONE  ((int64_t)-1) /* before the first row */
#define LOOM_SEQ_HEAD  INT64_MAX     /* after the last one */
#define LOOM_TIME_NONE INT64_MIN     /* unknown time of appending */

#define LOOM_KIND_MESSAGE "ai_message"
#define LOOM_KIND_OP      "ai_context_operation"
#define LOOM_KIND_OUTPUT  "model_output" /* a model's output, byte for byte */
#define LOOM_LANE_DEFAULT "default"
/* Rows that contexts are built from, besides messages. tool_action: {request_id, line, call,
 * status, code, result, op}: `call` as the printer writes it, `status` "ok" or "error", `result`
 * its first line. tool_result: {request_id, res, text}. position: {tree, node, choices}. */
#define LOOM_KIND_ACTION   "tool_action"
#define LOOM_KIND_RESULT   "tool_result"
#define LOOM_KIND_POSITION "position"
#define LOOM_KIND_INPUT    "model_input"
/* {heads: [[node, text]], memory, trace}: what stays as it was shown, so that the next prompt
 * begins with the same bytes. */
#define LOOM_KIND_SHOWN "context_shown"

struct loom_log_row {
	int64_t seq;
	int64_t at_ms;
	struct loom_str kind;
	struct loom_str payload; /* a JSON object */
	struct loom_str refs;    /* a JSON object, or empty if there are none */
};

/* A range of rows: after < seq <= through. A keeper with an index may use kind and lane (empty:
 * any) to skip others; readers must not rely on it. */
struct loom_log_range {
	int64_t after;
	int64_t through;
	struct loom_str kind;
	struct loom_str lane;
	bool newest_first;
};

/* Receives the rows of a range one by one; returns false to stop. A row's text is valid until visit
 * returns, or as long as the log if the keeper is `lasting`. */
struct loom_log_visitor {
	bool (*visit)(void *ctx, const struct loom_log_row *row);
	void *ctx;
};

/* A row as a keeper knows it from its index: a lane's first row, or a valid operation. */
struct loom_log_mark {
	int64_t seq;
	struct loom_str lane;
	struct loom_str op_id; /* of the operation */
	bool anchor;           /* the operation is a replace with a readable snapshot */
};
struct loom_mark_visitor {
	bool (*visit)(void *ctx, const struct loom_log_mark *mark);
	void *ctx;
};

/* State beside the rows: the deferred operation, the open run, the steering queue. Each is JSON
 * text, empty if there is none, and as durable as the rows. */
enum loom_slot { LOOM_SLOT_PENDING, LOOM_SLOT_RUN, LOOM_SLOT_QUEUE };
#define LOOM_SLOT_COUNT 3

/* A keeper's functions. All but those marked nullable are required. */
struct loom_log_ops {
	bool lasting; /* a visited row's text is valid as long as the log */

	/* Gives the last seq, LOOM_SEQ_NONE if empty. */
	enum loom_status (*head)(void *ctx, int64_t *out_seq, struct loom_err *err);
	enum loom_status (*read)(void *ctx, const struct loom_log_range *range,
				 const struct loom_log_visitor *visitor, struct loom_err *err);
	/* Nullable, as are the next two; without them rows are read. See loom_log_columns for what
	 * they refer to. Gives the seq of the last row <= through that anchors `lane`, or
	 * LOOM_SEQ_NONE. */
	enum loom_status (*anchor)(void *ctx, struct loom_str lane, int64_t through,
				   int64_t *out_seq, struct loom_err *err);
	/* Nullable. Visits the valid operations <= through, newest first. */
	enum loom_status (*operations)(void *ctx, int64_t through,
				       const struct loom_mark_visitor *visitor,
				       struct loom_err *err);
	/* Nullable. Visits the lanes that rows <= through name, in order of first appearance. */
	enum loom_status (*lanes)(void *ctx, int64_t through,
				  const struct loom_mark_visitor *visitor, struct loom_err *err);
	/* Sets *out to whether a row has this operation id. */
	enum loom_status (*has_op)(void *ctx, struct loom_str op_id, bool *out,
				   struct loom_err *err);
	/* Appends a row made by loom_log_clean, with the next seq. */
	enum loom_status (*append)(void *ctx, const struct loom_log_row *row, int64_t *out_seq,
				   struct loom_err *err);
	enum loom_status (*slot_read)(void *ctx, enum loom_slot slot, struct loom_buf *out,
				      struct loom_err *err);
	enum loom_status (*slot_write)(void *ctx, enum loom_slot slot, struct loom_str value,
				       struct loom_err *err);
	/* Nullable. Stores the record of an ended run, so that its rows can be marked. */
	enum loom_status (*run_ended)(void *ctx, struct loom_str record, struct loom_err *err);
	/* Nullable, then false. Returns whether the process that opened the run of this record is
	 * alive. */
	bool (*run_alive)(void *ctx, struct loom_str record);
	/* Nullable. Begins a transaction around everything a command reads and writes. */
	enum loom_status (*begin)(void *ctx, struct loom_err *err);
	enum loom_status (*commit)(void *ctx, struct loom_err *err);
	void (*rollback)(void *ctx);
};

/* Checks the JSON of rows and of what becomes rows, in which a text may contain U+0000, as a node
 * may. Fails like loom_json_check. */
enum loom_status loom_log_json_check(struct loom_str text, struct loom_err *err) LOOM_MUST;

struct loom_log {
	const struct loom_log_ops *ops;
	void *ctx;
};

/* Normalises a row: removes blanks from the JSON, drops null payload values and empty refs. The
 * result is in `arena`. LOOM_INVALID says which rule is broken: kind is a name; payload and refs
 * are objects; a message has a lane, a known role and that role's fields; an operation is complete,
 * of a known type, and its snapshot readable to the last entry. */
enum loom_status loom_log_clean(const struct loom_log_row *row, struct loom_arena *arena,
				struct loom_log_row *out, struct loom_err *err) LOOM_MUST;
/* Normalises and appends a row. LOOM_CONFLICT if its operation id is already in the log. */
enum loom_status loom_log_append(const struct loom_log *log, const struct loom_log_row *row,
				 int64_t *out_seq, struct loom_err *err) LOOM_MUST;

/* Visits the newest rows of a kind backwards from `at`, until the visitor has enough. Looks through
 * at most 10,000 rows of the log; older ones are not found. */
enum loom_status loom_log_newest(const struct loom_log *log, struct loom_str kind, int64_t at,
				 const struct loom_log_visitor *visitor,
				 struct loom_err *err) LOOM_MUST;

/* The columns of a row that a keeper may index; borrowed from it or made in `arena`. */
struct loom_log_columns {
	struct loom_str lane;  /* empty: in no lane */
	struct loom_str op_id; /* of a valid operation; empty: not one */
	bool operation;        /* a valid operation: it made its lane the active one */
	bool anchor;           /* a replace with a readable snapshot, applied or not */
};
/* Computes a row's columns. Never fails: an unreadable payload has none. */
void loom_log_columns(const struct loom_log_row *row, struct loom_arena *arena,
		      struct loom_log_columns *out);

/* Parses a JSON array of {seq, kind, payload, refs?, at?} (at in ms or RFC 3339), ordered by seq.
 * LOOM_INVALID if it is not one, or a seq is missing or appears twice. Everything is copied to
 * `arena`. */
enum loom_status loom_log_rows_parse(struct loom_str text, struct loom_arena *arena,
				     struct loom_log_row **out_rows, size_t *out_count,
				     struct loom_err *err) LOOM_MUST;
struct loom_json;
/* Writes a row as the object that loom_log_rows_parse reads. */
void loom_log_row_json(const struct loom_log_row *row, struct loom_json *json);

#endif
