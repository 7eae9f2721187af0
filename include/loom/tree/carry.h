/* Carrying trees between groves and files: rows found by the names they have for ever, all nodes of
 * a tree in the order of their making, what came with a node and has no other place. */
#ifndef LOOM_CARRY_H
#define LOOM_CARRY_H

#include <loom/tree/mark.h>

/* The row that has a ULID, visible or not. */
struct loom_holder {
	int64_t id;   /* 0: there is none */
	int64_t tree; /* of a node */
	int64_t op;   /* that made it */
	enum loom_op_state state;
};
/* LOOM_OK with id 0 when nobody has the ULID; what was undone is found as well. */
enum loom_status loom_carry_node(struct loom_store *store, const struct loom_ulid *ulid,
				 struct loom_holder *out, struct loom_err *err) LOOM_MUST;
/* The ULIDs round one that no node has, when none has it: all between *out_low and *out_high, for
 * as long as no node is made. What they were given they keep when a node has it. */
enum loom_status loom_carry_gap(struct loom_store *store, const struct loom_ulid *ulid,
				struct loom_ulid *out_low, struct loom_ulid *out_high,
				struct loom_err *err) LOOM_MUST;
/* The same for trees … */
enum loom_status loom_carry_tree(struct loom_store *store, const struct loom_ulid *ulid,
				 struct loom_holder *out, struct loom_err *err) LOOM_MUST;
/* … and for agents; `tree` is 0. */
enum loom_status loom_carry_agent(struct loom_store *store, const struct loom_ulid *ulid,
				  struct loom_holder *out, struct loom_err *err) LOOM_MUST;

/* The numbers of all visible nodes of a tree, annotations and sources too, in the order of their
 * making. The caller frees *out. */
enum loom_status loom_carry_list(struct loom_store *store, int64_t tree, int64_t **out,
				 size_t *out_count, struct loom_err *err) LOOM_MUST;
/* What an import has kept of a node: its bytes where they were no UTF-8, and what had no place. */
enum loom_status loom_carry_kept(struct loom_store *store, int64_t node, struct loom_arena *arena,
				 struct loom_str *out_original, struct loom_str *out_extra,
				 struct loom_err *err) LOOM_MUST;

/* Marks of a node that the operation under way has made: they come and go with it and need no
 * journal. Once a node. */
struct loom_carry_marks {
	bool bookmarked;
	bool excluded;
	bool summary_extract;
	struct loom_str label;
	struct loom_str summary;
};
/* LOOM_FAULT for a node of another operation, LOOM_INVALID for a text that is not UTF-8. */
enum loom_status loom_carry_mark(struct loom_store *store, int64_t node,
				 const struct loom_carry_marks *marks,
				 struct loom_err *err) LOOM_MUST;
/* A tag for such a node, any number a node; LOOM_FAULT and LOOM_INVALID as above. */
enum loom_status loom_carry_tag(struct loom_store *store, int64_t node, struct loom_str name,
				struct loom_err *err) LOOM_MUST;

#endif
