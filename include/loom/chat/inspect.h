/* What a model would be given from somewhere, or what it was given: one question for the command
 * line and the screen. Only reads, so that any thread may ask it on a connection of its own. */
#ifndef LOOM_INSPECT_H
#define LOOM_INSPECT_H

#include <loom/tree/tree.h>
#include <loom/context/context.h>
#include <loom/base/hash.h>
#include <loom/work/usage.h>

/* Whose context, and where. */
struct loom_inspect {
	struct loom_agent agent; /* id 0: a subject that is not set up */
	int64_t tree;
	int64_t thread;          /* of an aware agent its log, of a subject its choices; 0: none */
	struct loom_str spawned; /* with thread 0: one that nobody worked in yet, else empty */
	int64_t position;        /* a node */
	bool here;         /* it counts at an earlier row too, not where the thread stood then */
	int64_t at;        /* how far the log is read; LOOM_SEQ_HEAD: all of it */
	int64_t given_for; /* a node that came of it, 0: none */
	struct loom_str input; /* the turn, or text that is not a node yet; p NULL: none */
	/* Of its voice. */
	struct loom_str prompt;
	int64_t budget; /* tokens; 0: not known */
	enum loom_strategy truncation;
};

struct loom_inspected {
	struct loom_assembly assembly;
	bool sent; /* byte for byte from the log; else built, without who else is here when back */
	bool back; /* of an earlier moment */
	int64_t tree;
	int64_t position;      /* where that was, a node */
	struct loom_hash hash; /* see loom_assembly_hash */
	/* What the node's record says the hash was, in hex; empty: it says nothing. */
	struct loom_str recorded;
	struct loom_usage usage; /* what its answer took; calls 0: the record says nothing */
	/* Of the thread's log; LOOM_SEQ_NONE: there is none. */
	int64_t head;
	int64_t call_before; /* the nearest rows that keep an input, before `at` and behind it */
	int64_t call_after;
	/* What is broken in the block that heads the turn. */
	const struct loom_str *warnings;
	size_t warning_count;
};

/* LOOM_USAGE for an earlier moment of who has no log; else as the assembly fails. */
enum loom_status loom_inspect(struct loom_store *store, const struct loom_inspect *what,
			      struct loom_arena *arena, struct loom_inspected *out,
			      struct loom_err *err) LOOM_MUST;
/* The question what was given for a node: to an aware agent what its log keeps, to a subject what
 * stands above the node as it was written. Leaves prompt and budget to the caller. LOOM_NOT_FOUND
 * when no model wrote it, or when its log keeps no input. */
enum loom_status loom_inspect_node(struct loom_store *store, int64_t node, struct loom_arena *arena,
				   struct loom_inspect *out, struct loom_err *err) LOOM_MUST;
/* Who continues in a tree: its own subject, else loom_subject_default; id 0: nobody. */
enum loom_status loom_inspect_subject(struct loom_store *store, const struct loom_tree *tree,
				      struct loom_arena *arena, struct loom_agent *out,
				      struct loom_err *err) LOOM_MUST;

/* All that is said, part by part, blank lines between; what two contexts are compared by. */
struct loom_str loom_assembly_text(const struct loom_assembly *assembly, struct loom_arena *arena);

#endif
