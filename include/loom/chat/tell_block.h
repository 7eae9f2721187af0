/* What a spawned thread is told in its conversation, and what its log keeps of that: the `.leslie/`
 * that belongs to a store, the block that heads a message, warnings. */
#ifndef LOOM_CHAT_TELL_BLOCK_H
#define LOOM_CHAT_TELL_BLOCK_H

#include <loom/log/block.h>
#include <loom/leslie/leslie.h>
#include <loom/work/thread.h>

/* Opens the `.leslie/` that belongs to a grove; the store's own files are out of its reach. */
enum loom_status chat_leslie_of(struct loom_store *store, const char *who, struct loom_arena *arena,
				struct loom_leslie **out, struct loom_err *err) LOOM_MUST;

/* The block that heads the next user message of a thread (with id 0: of that name, which the store
 * does not know yet); empty when none is due, or when the thread has no folder. Looks only; what is
 * broken is a warning (nullable). */
enum loom_status chat_thread_block(struct loom_store *store, const struct loom_thread *thread,
				   struct loom_arena *arena, struct loom_str *out,
				   struct loom_leslie_warnings *warnings,
				   struct loom_err *err) LOOM_MUST;
/* Keeps warnings in an open log, each once until somebody speaks. Inside a write. */
enum loom_status chat_warn_all(const struct loom_log *log,
			       const struct loom_leslie_warnings *warnings,
			       struct loom_arena *arena, struct loom_err *err) LOOM_MUST;
/* The same as a write of its own. */
enum loom_status chat_thread_warn(struct loom_store *store, const struct loom_log *log,
				  const struct loom_leslie_warnings *warnings,
				  struct loom_arena *arena, struct loom_err *err) LOOM_MUST;

#endif
