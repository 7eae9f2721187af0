/* Carrying trees between groves and files: finding rows by their permanent ids, listing a tree's
 * nodes in order of creation, and data of a node that has no other place. */
#ifndef LOOM_CARRY_H
#define LOOM_CARRY_H

#include <loom/tree/mark.h>

/* The row with a given ULID, visible or not. */
struct loom_holder {
	int64_t id;   /* 0: none */
	int64_t tree; /* of a node */
	int64_t op;   /* the operation that created it */
	enum loom_op_state state;
};
/* Finds the node with a ULID, even an undone one. LOOM_OK with id 0 if there is none. */
enum loom_status loom_carry_node(struct loom_store *store, const struct loom_ulid *ulid,
				 struct loom_holder *out, struct loom_err *err) LOOM_MUST;
/* For a ULID that no node has, computes the range of unused ULIDs around it, between *out_low and
 * *out_high, valid until a node is created. Both stay as they are if a node has it. */
enum loom_status loom_carry_gap(struct loom_store *store, const struct loom_ulid *ulid,
				struct loom_ulid *out_low, struct loom_ulid *out_high,
				struct loom_err *err) LOOM_MUST;
/* Finds the tree with a ULID, even an undone one. LOOM_OK with id 0 if there is none. */
enum loom_status loom_carry_tree(struct loom_store *store, const struct loom_ulid *ulid,
				 struct loom_holder *out, struct loom_err *err) LOOM_MUST;
/* Finds the agent with a ULID, even an undone one; its `tree` is 0. LOOM_OK with id 0 if there is
 * none. */
enum loom_status loom_carry_agent(struct loom_store *store, const struct loom_ulid *ulid,
				  struct loom_holder *out, struct loom_err *err) LOOM_MUST;

/* Lists the row numbers of a tree's visible nodes, with annotations and sources, in order of
 * creation. The caller frees *out. */
enum loom_status loom_carry_list(struct loom_store *store, int64_t tree, int64_t **out,
				 size_t *out_count, struct loom_err *err) LOOM_MUST;
/* A group that stands elsewhere than the order of creation says. Hung in the order of `ord`, each
 * behind its siblings, and what stands below after what stands above, these make the tree that it
 * is of the tree as it was created. */
struct loom_carry_place {
	int64_t group;
	int64_t ord;  /* among its siblings, from 1 */
	bool moved;   /* from below another member than now */
	int64_t born; /* the group it was created below, 0: none */
	int64_t born_from;
};
/* Lists those of a tree, by group. The caller frees *out. */
enum loom_status loom_carry_places(struct loom_store *store, int64_t tree,
				   struct loom_carry_place **out, size_t *out_count,
				   struct loom_err *err) LOOM_MUST;
/* Finds a group's place in such a list; NULL if it is where it was created. */
const struct loom_carry_place *loom_carry_place_of(const struct loom_carry_place *places,
						   size_t count, int64_t group);
/* Reads what an import kept of a node: its original bytes if they were not UTF-8, and data that had
 * no place. In the arena. */
enum loom_status loom_carry_kept(struct loom_store *store, int64_t node, struct loom_arena *arena,
				 struct loom_str *out_original, struct loom_str *out_extra,
				 struct loom_err *err) LOOM_MUST;

/* Marks of a node created by the current operation: they come and go with it and need no journal.
 * At most one per node. */
struct loom_carry_marks {
	bool bookmarked;
	bool excluded;
	bool summary_extract;
	struct loom_str label;
	struct loom_str summary;
};
/* Sets the marks of a node. LOOM_FAULT for a node of another operation, LOOM_INVALID for a text
 * that is not UTF-8. */
enum loom_status loom_carry_mark(struct loom_store *store, int64_t node,
				 const struct loom_carry_marks *marks,
				 struct loom_err *err) LOOM_MUST;
/* Takes off the seam of a node, if it has one. LOOM_FAULT for a node of another operation. */
enum loom_status loom_carry_unseamed(struct loom_store *store, int64_t node,
				     struct loom_err *err) LOOM_MUST;
/* Adds a tag, one of any number, to a node of the current operation. LOOM_FAULT for a node of
 * another operation, LOOM_INVALID for a name that is not UTF-8. */
enum loom_status loom_carry_tag(struct loom_store *store, int64_t node, struct loom_str name,
				struct loom_err *err) LOOM_MUST;

#endif
