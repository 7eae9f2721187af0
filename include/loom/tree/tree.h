/* Trees: one branching exploration each, which begins with one root, local id r001, and may get
 * more; the mode never changes. */
#ifndef LOOM_TREE_H
#define LOOM_TREE_H

#include <loom/tree/op.h>

enum loom_mode { LOOM_DIALOGUE, LOOM_BUFFER };

struct loom_tree {
	int64_t id;
	struct loom_ulid ulid;
	enum loom_mode mode;
	uint64_t key; /* of its local ids */
	int64_t root; /* the first one that is shown */
	struct loom_str title;
	struct loom_str description;
	struct loom_str summary;
	struct loom_str system;
	int64_t subject; /* the agent that continues by default, 0: none */
	int64_t nodes;   /* unpruned, without annotations; a group counts once */
	int64_t leaves;
	int64_t branches; /* as stored: continuations leaving a branch point, 0 if none */
	int64_t created;
	int64_t active; /* time of the latest creation in it */
};

struct loom_node_spec;
struct loom_tree_spec {
	enum loom_mode mode;
	struct loom_str title;
	struct loom_str system;
	struct loom_str root_text;
	int64_t author;
	int64_t subject;
	/* For a tree that comes from elsewhere. */
	const struct loom_ulid *ulid; /* NULL: a new one */
	const uint64_t *key;          /* of its local ids, NULL: a new one */
	int64_t created;              /* 0: now */
	/* The original root; text, author and kind are those above. NULL: a new one. */
	const struct loom_node_spec *root;
	int64_t *out_root; /* gets the root's number; may be NULL */
};

/* Inside an operation: creates a tree with its root. */
enum loom_status loom_tree_create(struct loom_store *store, const struct loom_tree_spec *spec,
				  int64_t *out_tree, struct loom_err *err) LOOM_MUST;
/* Loads a tree by row number; texts go to the arena. LOOM_NOT_FOUND. */
enum loom_status loom_tree_get(struct loom_store *store, int64_t tree, struct loom_arena *arena,
			       struct loom_tree *out, struct loom_err *err) LOOM_MUST;
/* Where the count of prunes stops: it is shown after each change. */
#define LOOM_PRUNED_MAX 1000
/* Counts the prunes that stand in a tree, whatever they hide; at most LOOM_PRUNED_MAX. */
enum loom_status loom_tree_pruned(struct loom_store *store, int64_t tree, int64_t *out_count,
				  struct loom_err *err) LOOM_MUST;
/* Finds a tree by ULID, unique ULID prefix (8–26), or title (exact, otherwise ignoring case if
 * unique); texts go to the arena. LOOM_NOT_FOUND. */
enum loom_status loom_tree_find(struct loom_store *store, struct loom_str name,
				struct loom_arena *arena, struct loom_tree *out,
				struct loom_err *err) LOOM_MUST;
/* Returns an unused title: `want` itself, or with the lowest number from 2 after it. In the
 * arena. */
enum loom_status loom_tree_spare_title(struct loom_store *store, const char *want,
				       struct loom_arena *arena, struct loom_str *out,
				       struct loom_err *err) LOOM_MUST;
/* Returns a title for a tree that nobody has named: an unused one from the first words of `text`,
 * or else "untitled". In the arena. */
enum loom_status loom_tree_title_of(struct loom_store *store, struct loom_str text,
				    struct loom_arena *arena, struct loom_str *out,
				    struct loom_err *err) LOOM_MUST;
/* Inside an operation: names a tree by its first words, as long as nobody has named it. */
enum loom_status loom_tree_name_by(struct loom_store *store, int64_t tree, struct loom_str text,
				   struct loom_err *err) LOOM_MUST;
/* Lists all trees by last activity, newest first, in the arena. */
enum loom_status loom_tree_list(struct loom_store *store, struct loom_arena *arena,
				struct loom_tree **out, size_t *out_count,
				struct loom_err *err) LOOM_MUST;
/* Returns the number of branches as people count: at least 1. */
int64_t loom_tree_branches(const struct loom_tree *tree);

enum loom_tree_field {
	LOOM_TREE_TITLE,
	LOOM_TREE_DESCRIPTION,
	LOOM_TREE_SUMMARY,
	LOOM_TREE_SYSTEM,
};
/* Inside an operation: sets a text field. LOOM_NOT_FOUND, or LOOM_INVALID for a bad value. */
enum loom_status loom_tree_set(struct loom_store *store, int64_t tree, enum loom_tree_field field,
			       struct loom_str value, struct loom_err *err) LOOM_MUST;
/* Inside an operation: sets the agent whose model continues the tree, 0: the grove's first.
 * LOOM_NOT_FOUND. */
enum loom_status loom_tree_set_subject(struct loom_store *store, int64_t tree, int64_t agent,
				       struct loom_err *err) LOOM_MUST;

#endif
