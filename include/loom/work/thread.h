/* Threads: one agent's working session. Position, version choices and last-visited children are
 * its own and no operations; a window or a script has an implicit one per agent and tree. */
#ifndef LOOM_THREAD_H
#define LOOM_THREAD_H

#include <loom/tree/node.h>

struct loom_thread {
	int64_t id;
	struct loom_str name; /* thread-1a2b3c4d */
	int64_t agent;
	int64_t tree;
	int64_t position; /* the member it stands on */
	bool implicit;
	int64_t created;
	int64_t active;
};

/* The implicit thread of an agent in a tree; LOOM_NOT_FOUND when it was never used. */
enum loom_status loom_thread_implicit(struct loom_store *store, int64_t agent, int64_t tree,
				      struct loom_arena *arena, struct loom_thread *out,
				      struct loom_err *err) LOOM_MUST;
/* As above, made at the tree's root when missing. Inside a quiet write or an operation. */
enum loom_status loom_thread_ensure(struct loom_store *store, int64_t agent, int64_t tree,
				    struct loom_arena *arena, struct loom_thread *out,
				    struct loom_err *err) LOOM_MUST;
/* An explicit one with a name of its own. Inside a write. */
enum loom_status loom_thread_create(struct loom_store *store, struct loom_str name, int64_t agent,
				    int64_t tree, int64_t *out_thread,
				    struct loom_err *err) LOOM_MUST;
/* Gives a thread that a person holds for others to the agent who works in it. Inside a write. */
enum loom_status loom_thread_hand(struct loom_store *store, int64_t thread, int64_t agent,
				  struct loom_err *err) LOOM_MUST;
/* By row number. LOOM_NOT_FOUND. */
enum loom_status loom_thread_get(struct loom_store *store, int64_t thread, struct loom_arena *arena,
				 struct loom_thread *out, struct loom_err *err) LOOM_MUST;
/* By its exact name. LOOM_NOT_FOUND. */
enum loom_status loom_thread_find(struct loom_store *store, struct loom_str name,
				  struct loom_arena *arena, struct loom_thread *out,
				  struct loom_err *err) LOOM_MUST;
/* Last used first. */
enum loom_status loom_thread_list(struct loom_store *store, bool implicit_too,
				  struct loom_arena *arena, struct loom_thread **out,
				  size_t *out_count, struct loom_err *err) LOOM_MUST;

/* Moves it to a node of its tree, or, unless it is implicit, of another: remembers each step as
 * last visited where the path forks, and the member chosen. Inside a write. */
enum loom_status loom_thread_move(struct loom_store *store, int64_t thread, int64_t node,
				  struct loom_err *err) LOOM_MUST;
/* Chooses a version of a group for this thread's path (0: no choice). Inside a write. */
enum loom_status loom_thread_choose(struct loom_store *store, int64_t thread, int64_t group,
				    int64_t member, struct loom_err *err) LOOM_MUST;
/* The version it has chosen of a group, 0: none. */
enum loom_status loom_thread_choice(struct loom_store *store, int64_t thread, int64_t group,
				    int64_t *out_member, struct loom_err *err) LOOM_MUST;
/* The versions it has chosen where there are others, as they can be seen, in the order of their
 * making: narrow. */
enum loom_status loom_thread_choices(struct loom_store *store, int64_t thread,
				     struct loom_arena *arena, struct loom_nodes *out,
				     struct loom_err *err) LOOM_MUST;
/* The child of a group it went to last, 0: none. */
enum loom_status loom_thread_visited(struct loom_store *store, int64_t thread, int64_t group,
				     int64_t *out_child_group, struct loom_err *err) LOOM_MUST;
/* Where it stands now: the nearest visible node at or above its position. */
enum loom_status loom_thread_stand(struct loom_store *store, const struct loom_thread *thread,
				   int64_t *out_node, struct loom_err *err) LOOM_MUST;

/* The tree that commands mean when none is named; kept per grove. LOOM_NOT_FOUND without trees. */
enum loom_status loom_current_tree(struct loom_store *store, int64_t *out_tree,
				   struct loom_err *err) LOOM_MUST;
/* Inside a quiet write. */
enum loom_status loom_use_tree(struct loom_store *store, int64_t tree,
			       struct loom_err *err) LOOM_MUST;

#endif
