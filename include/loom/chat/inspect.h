/* Answers what a model would be given at some place, or was given: one query for the command line
 * and the screen. It only reads, so any thread may run it on a connection of its own. */
#ifndef LOOM_INSPECT_H
#define LOOM_INSPECT_H

#include <loom/tree/tree.h>
#include <loom/context/context.h>
#include <loom/base/hash.h>
#include <loom/log/lifecycle.h>
#include <loom/work/usage.h>

/* The agent and the place whose context is asked for. */
struct loom_inspect {
	struct loom_agent agent; /* id 0: a subject that is not set up */
	int64_t tree;
	int64_t thread; /* an aware agent's log, or a subject's choices; 0: none */
	/* With thread 0: a spawned thread not yet worked in; else empty. */
	struct loom_str spawned;
	int64_t position; /* a node */
	/* Use position for an earlier row too, not where the thread stood then. */
	bool here;
	int64_t at;            /* how far to read the log; LOOM_SEQ_HEAD: all of it */
	int64_t given_for;     /* a node that was made from this context; 0: none */
	struct loom_str input; /* the turn, or text that is not a node yet; p NULL: none */
	/* Properties of the agent's voice. */
	struct loom_str prompt;
	int64_t budget; /* tokens; 0: unknown */
	enum loom_strategy truncation;
	bool thoughts; /* it takes signed thoughts back */
};

struct loom_inspected {
	struct loom_assembly assembly;
	/* Byte for byte as sent, from the log; else rebuilt, when `back` without who else was
	 * here. */
	bool sent;
	bool back; /* of an earlier moment */
	int64_t tree;
	int64_t position;      /* where that was, a node */
	struct loom_hash hash; /* see loom_assembly_hash */
	/* The hash in the node's record, in hex; empty: none recorded. */
	struct loom_str recorded;
	struct loom_usage usage; /* what the answer took; calls 0: not recorded */
	/* Of the thread's log; LOOM_SEQ_NONE: there is none. */
	int64_t head;
	int64_t call_before; /* the nearest rows with an input, before and after `at` */
	int64_t call_after;
	struct loom_str thread;      /* the thread's name */
	struct loom_lane_list lanes; /* as of `at` */
	struct loom_str row;         /* what the row `at` is, in words; empty: it is no row */
	/* Broken references in the block at the head of the turn. */
	const struct loom_str *warnings;
	size_t warning_count;
};

/* Fills *out, in the arena. Fails with LOOM_USAGE when an earlier moment is asked for without a
 * thread that has a log, else as the assembly does. */
enum loom_status loom_inspect(struct loom_store *store, const struct loom_inspect *what,
			      struct loom_arena *arena, struct loom_inspected *out,
			      struct loom_err *err) LOOM_MUST;
/* Fills *out with the query for what was given when a node was written: for an aware agent what its
 * log kept, for a subject what is above the node. Leaves prompt and budget to the caller. Fails
 * with LOOM_NOT_FOUND when no model wrote the node or its log kept no input. */
enum loom_status loom_inspect_node(struct loom_store *store, int64_t node, struct loom_arena *arena,
				   struct loom_inspect *out, struct loom_err *err) LOOM_MUST;
/* Puts the agent that continues in a tree into *out: the tree's own subject, else
 * loom_subject_default; id 0: there is none. Fails as the store does. */
enum loom_status loom_inspect_subject(struct loom_store *store, const struct loom_tree *tree,
				      struct loom_arena *arena, struct loom_agent *out,
				      struct loom_err *err) LOOM_MUST;

/* Returns all parts of an assembly as one text, separated by blank lines, for comparing contexts;
 * in the arena. */
struct loom_str loom_assembly_text(const struct loom_assembly *assembly, struct loom_arena *arena);

#endif
