/* Trees: one branching exploration each. Exactly one root, local id r001; the mode never changes.
 */
#ifndef LOOM_TREE_H
#define LOOM_TREE_H

#include <loom/tree/op.h>

enum loom_mode { LOOM_DIALOGUE, LOOM_BUFFER };

struct loom_tree {
	int64_t id;
	struct loom_ulid ulid;
	enum loom_mode mode;
	uint64_t key; /* of its local ids */
	int64_t root;
	struct loom_str title;
	struct loom_str description;
	struct loom_str summary;
	struct loom_str system;
	int64_t subject; /* agent that continues by default, 0: none */
	int64_t nodes;   /* not pruned, annotations not counted, a group once */
	int64_t leaves;
	int64_t branches; /* as stored: continuations that leave a branch point, 0 for none */
	int64_t created;
	int64_t active; /* when something was last made in it */
};

struct loom_node_spec;
struct loom_tree_spec {
	enum loom_mode mode;
	struct loom_str title;
	struct loom_str system;
	struct loom_str root_text;
	int64_t author;
	int64_t subject;
	/* Of a tree that comes from elsewhere. */
	const struct loom_ulid *ulid; /* NULL: a new one */
	const uint64_t *key;          /* of its local ids, NULL: a new one */
	int64_t created;              /* 0: now */
	/* The root as it was; its text, author and kind are those above. NULL: a new one. */
	const struct loom_node_spec *root;
	int64_t *out_root; /* gets the root's number; may be NULL */
};

/* Inside an operation: a tree with its root. */
enum loom_status loom_tree_create(struct loom_store *store, const struct loom_tree_spec *spec,
				  int64_t *out_tree, struct loom_err *err) LOOM_MUST;
/* By row number; texts in the arena. LOOM_NOT_FOUND. */
enum loom_status loom_tree_get(struct loom_store *store, int64_t tree, struct loom_arena *arena,
			       struct loom_tree *out, struct loom_err *err) LOOM_MUST;
/* By ULID, unique ULID prefix (8–26), or title (exact, else without case when unique). */
enum loom_status loom_tree_find(struct loom_store *store, struct loom_str name,
				struct loom_arena *arena, struct loom_tree *out,
				struct loom_err *err) LOOM_MUST;
/* `want` itself, else with the lowest number behind it, from 2, that makes it a title of no tree.
 */
enum loom_status loom_tree_spare_title(struct loom_store *store, const char *want,
				       struct loom_arena *arena, struct loom_str *out,
				       struct loom_err *err) LOOM_MUST;
/* By last activity, newest first. */
enum loom_status loom_tree_list(struct loom_store *store, struct loom_arena *arena,
				struct loom_tree **out, size_t *out_count,
				struct loom_err *err) LOOM_MUST;
/* As people count them: at least 1. */
int64_t loom_tree_branches(const struct loom_tree *tree);

enum loom_tree_field {
	LOOM_TREE_TITLE,
	LOOM_TREE_DESCRIPTION,
	LOOM_TREE_SUMMARY,
	LOOM_TREE_SYSTEM,
};
/* Inside an operation. LOOM_NOT_FOUND, LOOM_INVALID. */
enum loom_status loom_tree_set(struct loom_store *store, int64_t tree, enum loom_tree_field field,
			       struct loom_str value, struct loom_err *err) LOOM_MUST;
/* The agent whose model goes on with it, 0: the grove's first. Inside an operation;
 * LOOM_NOT_FOUND. */
enum loom_status loom_tree_set_subject(struct loom_store *store, int64_t tree, int64_t agent,
				       struct loom_err *err) LOOM_MUST;

#endif
