/* Tells a spawned thread what it has and was given: the `.leslie/` of a store, the block at the
 * head of a message, warnings for the log. */
#ifndef LOOM_CHAT_TELL_BLOCK_H
#define LOOM_CHAT_TELL_BLOCK_H

#include <loom/log/block.h>
#include <loom/leslie/leslie.h>
#include <loom/work/thread.h>

/* Opens the `.leslie/` that belongs to a grove, with the store's own files out of its reach. Close
 * it with loom_leslie_close, before the arena ends. Fails as loom_leslie_open does. */
enum loom_status chat_leslie_of(struct loom_store *store, const char *who, struct loom_arena *arena,
				struct loom_leslie **out, struct loom_err *err) LOOM_MUST;

/* Puts the block for the next user message of a thread into *out, in the arena. With id 0 the
 * thread is known by name only and not to the store. *out is empty when no block is due or the
 * thread has no folder. Only reads; what is broken is added to *warnings (nullable). */
enum loom_status chat_thread_block(struct loom_store *store, const struct loom_thread *thread,
				   struct loom_arena *arena, struct loom_str *out,
				   struct loom_leslie_warnings *warnings,
				   struct loom_err *err) LOOM_MUST;
/* Appends warnings to an open log, each once until somebody speaks again. Call it inside a write.
 * Fails as the log does. */
enum loom_status chat_warn_all(const struct loom_log *log,
			       const struct loom_leslie_warnings *warnings,
			       struct loom_arena *arena, struct loom_err *err) LOOM_MUST;
/* Appends warnings to a log in a write of its own, each once until somebody speaks again. Fails as
 * the log does. */
enum loom_status chat_thread_warn(struct loom_store *store, const struct loom_log *log,
				  const struct loom_leslie_warnings *warnings,
				  struct loom_arena *arena, struct loom_err *err) LOOM_MUST;

#endif
