/* When a thread's next turn begins with its <thread_context>, and what stands in that. */
#ifndef TOOL_THREAD_BLOCK_IMPL_H
#define TOOL_THREAD_BLOCK_IMPL_H

#include <loom/leslie.h>
#include <loom/log.h>
#include <loom/thread.h>

struct tool_block {
	struct loom_str text; /* empty: the turn begins without one */
	struct loom_leslie_warnings warnings;
};
/* A spawned thread's first turn begins with it, the first one after a compaction, and the first
 * after it was `loaded` (taken up again); p NULL log: a thread that has said nothing. Whatever is
 * wrong with the files is a warning and never an error. */
enum loom_status tool_thread_block(struct loom_store *store, const struct loom_thread *thread,
				   const struct loom_log *log, bool loaded,
				   struct loom_arena *arena, struct tool_block *out,
				   struct loom_err *err) LOOM_MUST;

#endif
