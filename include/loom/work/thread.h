/* Threads: one agent's working session. Position, version choices and last-visited children belong
 * to it and are not operations; a window or a script has an implicit thread per agent and tree. */
#ifndef LOOM_THREAD_H
#define LOOM_THREAD_H

#include <loom/tree/node.h>

struct loom_thread {
	int64_t id;
	struct loom_str name; /* thread-1a2b3c4d */
	int64_t agent;
	int64_t tree;
	int64_t position; /* the member at its position */
	bool implicit;
	int64_t created;
	int64_t active;
};

/* Finds the implicit thread of an agent in a tree; in the arena. LOOM_NOT_FOUND if it was never
 * used. */
enum loom_status loom_thread_implicit(struct loom_store *store, int64_t agent, int64_t tree,
				      struct loom_arena *arena, struct loom_thread *out,
				      struct loom_err *err) LOOM_MUST;
/* Inside a write: finds the implicit thread of an agent in a tree, or creates it at the root; in
 * the arena. */
enum loom_status loom_thread_ensure(struct loom_store *store, int64_t agent, int64_t tree,
				    struct loom_arena *arena, struct loom_thread *out,
				    struct loom_err *err) LOOM_MUST;
/* Inside a write: creates an explicit thread with a name. LOOM_CONFLICT if the name is taken. */
enum loom_status loom_thread_create(struct loom_store *store, struct loom_str name, int64_t agent,
				    int64_t tree, int64_t *out_thread,
				    struct loom_err *err) LOOM_MUST;
/* Inside a write: hands a thread that a person holds for others to the agent that works in it. */
enum loom_status loom_thread_hand(struct loom_store *store, int64_t thread, int64_t agent,
				  struct loom_err *err) LOOM_MUST;
/* Loads a thread by row number; in the arena. LOOM_NOT_FOUND. */
enum loom_status loom_thread_get(struct loom_store *store, int64_t thread, struct loom_arena *arena,
				 struct loom_thread *out, struct loom_err *err) LOOM_MUST;
/* Finds a thread by its exact name; in the arena. LOOM_NOT_FOUND. */
enum loom_status loom_thread_find(struct loom_store *store, struct loom_str name,
				  struct loom_arena *arena, struct loom_thread *out,
				  struct loom_err *err) LOOM_MUST;
/* Lists threads, last used first, in the arena. */
enum loom_status loom_thread_list(struct loom_store *store, bool implicit_too,
				  struct loom_arena *arena, struct loom_thread **out,
				  size_t *out_count, struct loom_err *err) LOOM_MUST;

/* Inside a write: moves the thread to a node of its tree, or of another unless it is implicit.
 * Remembers the way as last visited where the path forks, and the member chosen. LOOM_NOT_FOUND. */
enum loom_status loom_thread_move(struct loom_store *store, int64_t thread, int64_t node,
				  struct loom_err *err) LOOM_MUST;
/* Inside a write: chooses a group's version for this thread's path (0: no choice). */
enum loom_status loom_thread_choose(struct loom_store *store, int64_t thread, int64_t group,
				    int64_t member, struct loom_err *err) LOOM_MUST;
/* Gives the version the thread has chosen in a group, 0 if none. */
enum loom_status loom_thread_choice(struct loom_store *store, int64_t thread, int64_t group,
				    int64_t *out_member, struct loom_err *err) LOOM_MUST;
/* Gives the versions the thread has chosen in groups that have others: visible ones, oldest first,
 * narrow. */
enum loom_status loom_thread_choices(struct loom_store *store, int64_t thread,
				     struct loom_arena *arena, struct loom_nodes *out,
				     struct loom_err *err) LOOM_MUST;
/* The child of a group it went to last, 0: none. */
enum loom_status loom_thread_visited(struct loom_store *store, int64_t thread, int64_t group,
				     int64_t *out_child_group, struct loom_err *err) LOOM_MUST;
/* Gives the node the thread is at: the nearest visible one at or above its position. */
enum loom_status loom_thread_stand(struct loom_store *store, const struct loom_thread *thread,
				   int64_t *out_node, struct loom_err *err) LOOM_MUST;

/* Gives the tree that commands use when none is named, stored per grove. LOOM_NOT_FOUND if there
 * are no trees. */
enum loom_status loom_current_tree(struct loom_store *store, int64_t *out_tree,
				   struct loom_err *err) LOOM_MUST;
/* Inside a quiet write: makes a tree the current one. */
enum loom_status loom_use_tree(struct loom_store *store, int64_t tree,
			       struct loom_err *err) LOOM_MUST;

#endif
