/* A compaction of a conversation: a summary takes the place of its oldest messages. The summary
 * model writes it, in as many pieces as its window demands; without one, or from where it fails,
 * the first sentence of each message stands in, under the name of its voice. */
#ifndef LOOM_CHAT_COMPACT_H
#define LOOM_CHAT_COMPACT_H

#include <loom/log/lifecycle.h>
#include <loom/providers/generate.h>

/* A message that goes. */
struct chat_going {
	struct loom_str voice; /* "you", "user", "system", or "tool" with its name */
	struct loom_str text;
};

struct chat_compaction {
	/* filled in by the caller */
	struct loom_arena *arena; /* outlives the compaction */
	const struct loom_generator *generator;
	struct loom_str title; /* of the tree */
	int64_t tokens;        /* most of the summary */
	void (*done)(void *ctx);
	void *ctx;
	/* what goes */
	struct chat_going *going; /* without an earlier summary */
	size_t going_count;
	size_t entries;      /* with it */
	int64_t messages;    /* that the summary stands for */
	int64_t through_seq; /* row of the last of them */
	/* what was written */
	struct loom_str so_far; /* by an earlier compaction, or by the model of the first `at` */
	size_t at;
	size_t next;                        /* where the piece under way ends */
	bool extract;                       /* some of it is first sentences */
	struct loom_err failed;             /* why no model wrote it; LOOM_OK: one did */
	struct loom_generation *generation; /* under way; NULL: none */
	struct loom_str said;
};

/* Takes the first `entries` of a context: parts no call from its results, and may take less for
 * that. Returns false if nothing can go. Texts are copied. */
bool chat_compaction_take(struct chat_compaction *compaction, const struct loom_context *context,
			  size_t entries);
/* In the loop's thread: asks the summary model for all of it, and calls `done` at the end. Returns
 * false, without calling it, if there is none to ask. */
bool chat_compaction_ask(struct chat_compaction *compaction);
/* Gives up the model's answer under way; `done` is called when that has ended. */
void chat_compaction_cancel(struct chat_compaction *compaction);
/* On the worker: puts a summary in their place; `given` is a person's, p NULL: what was written.
 * Fails as loom_run_compact does, and with LOOM_REFUSED when it does nothing. */
enum loom_status chat_compaction_apply(struct chat_compaction *compaction, struct loom_run *run,
				       struct loom_str given, struct loom_run_result *result,
				       struct loom_err *err) LOOM_MUST;

#endif
