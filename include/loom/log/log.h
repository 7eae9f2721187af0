/* A thread's log: rows numbered 0, 1, 2 …, appended, never changed; the only truth about what was
 * said and done. This is what every keeper of logs (memory, a store) offers, and what a row must
 * be. Payloads and refs are compact JSON text: what goes in comes out byte for byte. */
#ifndef LOOM_LOG_H
#define LOOM_LOG_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/jval.h>

#define LOOM_SEQ_NONE  ((int64_t)-1) /* before the first row */
#define LOOM_SEQ_HEAD  INT64_MAX     /* after the last one */
#define LOOM_TIME_NONE INT64_MIN     /* a row that does not know when it was appended */

#define LOOM_KIND_MESSAGE "ai_message"
#define LOOM_KIND_OP      "ai_context_operation"
#define LOOM_KIND_OUTPUT  "model_output" /* what a model said, byte for byte */
#define LOOM_LANE_DEFAULT "default"
/* Rows that a context is built from, besides messages. tool_action: {request_id, line, call,
 * status, code, result, op}: `call` as the printer spells it, `status` "ok" or "error", `result`
 * its first line. tool_result: {request_id, res, text}. position: {tree, node, choices}. */
#define LOOM_KIND_ACTION   "tool_action"
#define LOOM_KIND_RESULT   "tool_result"
#define LOOM_KIND_POSITION "position"
#define LOOM_KIND_INPUT    "model_input"

struct loom_log_row {
	int64_t seq;
	int64_t at_ms;
	struct loom_str kind;
	struct loom_str payload; /* a JSON object */
	struct loom_str refs;    /* a JSON object, or empty when there are none */
};

/* Which rows: after < seq <= through. A keeper with an index may use kind and lane (empty: any) to
 * leave others out; readers must not rely on it. */
struct loom_log_range {
	int64_t after;
	int64_t through;
	struct loom_str kind;
	struct loom_str lane;
	bool newest_first;
};

/* Gets the rows of a range one by one; false ends the reading. A row's text lives until visit
 * returns, or as long as the log when the keeper says `lasting`. */
struct loom_log_visitor {
	bool (*visit)(void *ctx, const struct loom_log_row *row);
	void *ctx;
};

/* What a keeper knows of a row without reading it: a lane's first row, or a valid operation. */
struct loom_log_mark {
	int64_t seq;
	struct loom_str lane;
	struct loom_str op_id; /* of an operation */
	bool anchor;           /* of an operation: a replace with a readable snapshot */
};
struct loom_mark_visitor {
	bool (*visit)(void *ctx, const struct loom_log_mark *mark);
	void *ctx;
};

/* What is kept beside the rows: the deferred operation, the open run, the steering queue. Each is
 * JSON text, empty when there is none, and as durable as the rows. */
enum loom_slot { LOOM_SLOT_PENDING, LOOM_SLOT_RUN, LOOM_SLOT_QUEUE };
#define LOOM_SLOT_COUNT 3

/* A keeper. All but those marked nullable must be there. */
struct loom_log_ops {
	bool lasting; /* a visited row's text lives as long as the log */

	/* The last seq, LOOM_SEQ_NONE when empty. */
	enum loom_status (*head)(void *ctx, int64_t *out_seq, struct loom_err *err);
	enum loom_status (*read)(void *ctx, const struct loom_log_range *range,
				 const struct loom_log_visitor *visitor, struct loom_err *err);
	/* Nullable, all three: without them rows are read. loom_log_columns says what they are of.
	 * The seq of the last row <= through that anchors `lane`, or LOOM_SEQ_NONE; */
	enum loom_status (*anchor)(void *ctx, struct loom_str lane, int64_t through,
				   int64_t *out_seq, struct loom_err *err);
	/* the valid operations <= through, newest first; */
	enum loom_status (*operations)(void *ctx, int64_t through,
				       const struct loom_mark_visitor *visitor,
				       struct loom_err *err);
	/* the lanes that rows <= through name, in order of first appearance. */
	enum loom_status (*lanes)(void *ctx, int64_t through,
				  const struct loom_mark_visitor *visitor, struct loom_err *err);
	/* Whether a row carries this operation id. */
	enum loom_status (*has_op)(void *ctx, struct loom_str op_id, bool *out,
				   struct loom_err *err);
	/* Appends a row that loom_log_clean made, under the next seq. */
	enum loom_status (*append)(void *ctx, const struct loom_log_row *row, int64_t *out_seq,
				   struct loom_err *err);
	enum loom_status (*slot_read)(void *ctx, enum loom_slot slot, struct loom_buf *out,
				      struct loom_err *err);
	enum loom_status (*slot_write)(void *ctx, enum loom_slot slot, struct loom_str value,
				       struct loom_err *err);
	/* Nullable. Keeps the record of a run that ended, so that its rows can be marked. */
	enum loom_status (*run_ended)(void *ctx, struct loom_str record, struct loom_err *err);
	/* Nullable: no. Whether the process that opened the run of this record still lives. */
	bool (*run_alive)(void *ctx, struct loom_str record);
	/* Nullable. One transaction around everything that one command reads and writes. */
	enum loom_status (*begin)(void *ctx, struct loom_err *err);
	enum loom_status (*commit)(void *ctx, struct loom_err *err);
	void (*rollback)(void *ctx);
};

/* The JSON of rows and of what becomes rows: a text may hold U+0000, as a node may. */
enum loom_status loom_log_json_check(struct loom_str text, struct loom_err *err) LOOM_MUST;

struct loom_log {
	const struct loom_log_ops *ops;
	void *ctx;
};

/* Makes a row fit to be kept: blanks out of the JSON, null payload values dropped, empty refs
 * absent. The result points into `arena`. LOOM_INVALID says which rule the row breaks: kind a
 * name; payload and refs objects; a message has a lane, a known role and that role's fields; an
 * operation is whole and of a known type, its snapshot readable to the last entry. */
enum loom_status loom_log_clean(const struct loom_log_row *row, struct loom_arena *arena,
				struct loom_log_row *out, struct loom_err *err) LOOM_MUST;
/* Cleans and appends. LOOM_CONFLICT when it carries an operation id that the log has already. */
enum loom_status loom_log_append(const struct loom_log *log, const struct loom_log_row *row,
				 int64_t *out_seq, struct loom_err *err) LOOM_MUST;

/* The newest rows of a kind, from the one at or before `at` on backwards, until the visitor has
 * enough. It looks through 10,000 rows of the log at most: what came before is forgotten. */
enum loom_status loom_log_newest(const struct loom_log *log, struct loom_str kind, int64_t at,
				 const struct loom_log_visitor *visitor,
				 struct loom_err *err) LOOM_MUST;

/* What a keeper may index of a row; borrowed from it or made in `arena`. */
struct loom_log_columns {
	struct loom_str lane;  /* empty: in no lane */
	struct loom_str op_id; /* of a valid operation; empty: none */
	bool operation;        /* a valid operation: its lane became the active one */
	bool anchor;           /* a replace with a readable snapshot, applied or not */
};
/* Never fails: a payload that cannot be read has no columns. */
void loom_log_columns(const struct loom_log_row *row, struct loom_arena *arena,
		      struct loom_log_columns *out);

/* Reads a JSON array of {seq, kind, payload, refs?, at?} (at in ms or RFC 3339), ordered by seq.
 * LOOM_INVALID when it is none or a seq is missing or stands twice. All is copied to `arena`. */
enum loom_status loom_log_rows_parse(struct loom_str text, struct loom_arena *arena,
				     struct loom_log_row **out_rows, size_t *out_count,
				     struct loom_err *err) LOOM_MUST;
struct loom_json;
/* The row as the object that loom_log_rows_parse reads. */
void loom_log_row_json(const struct loom_log_row *row, struct loom_json *json);

#endif
