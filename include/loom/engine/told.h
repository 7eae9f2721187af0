/* What a spawned thread is told of its files: the block at the head of a run's message, and what
 * changed since it was told last. Looked up in `.leslie/` when a run begins. */
#ifndef LOOM_ENGINE_TOLD_H
#define LOOM_ENGINE_TOLD_H

#include <loom/context/context.h>
#include <loom/engine/turn_log.h>
#include <loom/leslie/leslie.h>
#include <loom/log/block.h>
#include <loom/log/lifecycle.h>
#include <loom/work/thread.h>

/* Opens the `.leslie/` that belongs to a grove, with the store's own files out of its reach. Close
 * it with loom_leslie_close, before the arena ends. Fails as loom_leslie_open does. */
enum loom_status loom_told_leslie(struct loom_store *store, const char *who,
				  struct loom_arena *arena, struct loom_leslie **out,
				  struct loom_err *err) LOOM_MUST;

/* Returns whether `.leslie/` has a thread of that name; false when it cannot be read. */
bool loom_told_spawned(struct loom_store *store, struct loom_str name, struct loom_arena *arena);

struct loom_told {
	struct loom_str block; /* as `loom thread context` has it; empty: none can be had */
	struct loom_str known; /* what the agent then knows, a JSON object for its log */
	bool changed;          /* that is not what it knew before */
	struct loom_str news;  /* what it did not know yet, a line each */
	struct loom_leslie_warnings warnings; /* what is broken or damaged */
	bool damaged;                         /* the files of `.leslie/` cannot be read */
	bool loaded;                          /* the thread was loaded after its last message */
};
/* Looks up what a thread would be told now, in the arena. `log` is NULL, or its log. Everything is
 * empty for a thread that was not spawned. Trouble in `.leslie/` is a warning; fails only as the
 * log does. */
enum loom_status loom_told_now(struct loom_store *store, const struct loom_thread *thread,
			       const struct loom_log *log, struct loom_arena *arena,
			       struct loom_told *out, struct loom_err *err) LOOM_MUST;
/* Does the same with the log in the store, for whoever has it not open. */
enum loom_status loom_told_of(struct loom_store *store, const struct loom_thread *thread,
			      struct loom_arena *arena, struct loom_told *out,
			      struct loom_err *err) LOOM_MUST;
/* Assembles a context whose turn begins with the block if that is due: if the thread was loaded, if
 * no block is left in the context, or if the newest is another. Sets opts->block accordingly. Fails
 * as the assembly does. */
enum loom_status loom_told_assemble(struct loom_store *store, const struct loom_told *told,
				    struct loom_aware_opts *opts, struct loom_arena *arena,
				    struct loom_assembly *out, struct loom_err *err) LOOM_MUST;
/* Appends warnings to an open log, each once until somebody speaks again, for the run of `request`;
 * empty: for none. Call it inside a write. Fails as the log does. */
enum loom_status loom_told_warn(const struct loom_log *log, struct loom_str request,
				const struct loom_leslie_warnings *warnings,
				struct loom_arena *arena, struct loom_err *err) LOOM_MUST;
/* In a write of its own, if there is anything to write: begins a turn from outside, which asks no
 * model of ours. Keeps what it says beside its calls, and what its thread is told then, which is
 * put into *out. Fails as the log does. */
enum loom_status loom_told_turn(struct loom_store *store, const struct loom_turn_said *said,
				struct loom_arena *arena, struct loom_told *out,
				struct loom_err *err) LOOM_MUST;
/* Puts the news into a frame that an agent reads; in the arena, empty when there are none. */
struct loom_str loom_told_frame(const struct loom_told *told, struct loom_arena *arena);
/* Says to a person what is broken, and each line of what the agent is told besides. */
void loom_told_say(const struct loom_told *told, void (*say)(void *ctx, struct loom_str text),
		   void *ctx);
/* Adds it to the message that a run begins with, which is then told and known. */
void loom_told_put(const struct loom_told *told, struct loom_message *message);

#endif
