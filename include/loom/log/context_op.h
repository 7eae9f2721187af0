/* Context operations: replace gives a lane new contents, switch makes a lane the active one. */
#ifndef LOOM_CONTEXT_OP_H
#define LOOM_CONTEXT_OP_H

#include <loom/log/log.h>

enum loom_context_op_type { LOOM_CONTEXT_OP_REPLACE, LOOM_CONTEXT_OP_SWITCH };

/* name, word as answered */
#define LOOM_CONTEXT_OP_PROBLEM_LIST(X)                                                            \
	X(NONE, "")                                                                                \
	X(TYPE, "invalid_type")                                                                    \
	X(REASON, "invalid_reason")                                                                \
	X(SNAPSHOT, "invalid_snapshot")                                                            \
	X(OP_ID, "invalid_op_id")                                                                  \
	X(LANE, "invalid_context_ref")
enum loom_context_op_problem {
#define X(name, word) LOOM_CONTEXT_OP_PROBLEM_##name,
	LOOM_CONTEXT_OP_PROBLEM_LIST(X)
#undef X
};
/* Returns the problem's word, such as "invalid_type". Static. */
const char *loom_context_op_problem_word(enum loom_context_op_problem problem);

struct loom_context_op {
	struct loom_str op_id; /* plain text; empty if none was given */
	struct loom_str lane;  /* plain text */
	enum loom_context_op_type type;
	struct loom_str reason;   /* manual, restore, compaction or system */
	struct loom_str snapshot; /* JSON; absent in a switch */
	struct loom_str meta;     /* a JSON object */
	bool has_base;
	int64_t base_seq;
};

/* Reads {op_id?, context_ref?, operation{type, reason?, result_context|context?, base_seq?, meta?,
 * op_id?, context_ref?}}. The envelope's op_id and context_ref take precedence over the
 * operation's; without a context_ref the lane is `lane`. Reason defaults to manual; a base_seq that
 * is not an integer is dropped; a meta that is not an object becomes {}. Text is borrowed from
 * `envelope` or made in `arena`. */
enum loom_context_op_problem loom_context_op_read(struct loom_str envelope, struct loom_str lane,
						  struct loom_arena *arena,
						  struct loom_context_op *out) LOOM_MUST;
/* Returns whether a log's operation of a known type was ever applied, judging by its reason and id:
 * one with an unknown reason or an empty id moved no lane. */
bool loom_context_op_moves(struct loom_str envelope, struct loom_arena *arena);
/* Appends the operation as a row's payload. */
void loom_context_op_payload(const struct loom_context_op *op, struct loom_buf *out);
/* Appends the refs that go with the payload: {"op_id","context_ref"}. */
void loom_context_op_refs(const struct loom_context_op *op, struct loom_buf *out);

/* Returns whether a snapshot is readable: an object with a string id and a list of entries. */
bool loom_snapshot_readable(struct loom_str snapshot);
/* Checks whether a snapshot may be appended: readable, its prompt a string or null, each entry
 * {"node": ULID} or a message (a role; content a string, a list or null; other fields of their
 * types). LOOM_INVALID names the entry. */
enum loom_status loom_snapshot_check(struct loom_str snapshot, struct loom_err *err) LOOM_MUST;

#endif
