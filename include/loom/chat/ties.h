/* Spawned threads in the grove: ties a thread of `.leslie/` to the agent and the tree whose
 * position, memory and log the store keeps.
 *
 * `.leslie/` needs no grove and other programs spawn there too, so a thread may be known there and
 * not here. It is tied when somebody first works in it. */
#ifndef LOOM_CHAT_TIES_H
#define LOOM_CHAT_TIES_H

#include <loom/cli/open_grove.h>
#include <loom/engine/told.h>

/* The agent and tree for a thread that is not tied yet; 0: the owner, the current tree. */
struct chat_tie {
	int64_t agent;
	int64_t tree;
	bool human; /* the agent is a person */
};
/* Finds a thread by name. With a tie, a thread known only to `.leslie/` is tied now, in a write of
 * its own, and one held by a person passes to the tie's agent. With `tie` NULL nothing is written.
 * Fails with LOOM_NOT_FOUND when the name is unknown, or known only to `.leslie/` and `tie` is
 * NULL. */
enum loom_status chat_grove_thread(struct cli_grove *grove, struct loom_str name,
				   const struct chat_tie *tie, struct loom_thread *out,
				   struct loom_err *err) LOOM_MUST;
/* Returns whether `.leslie/` has a thread of that name; false when it cannot be read. */
bool chat_grove_spawned(struct cli_grove *grove, struct loom_str name);
/* Ties a new thread. Fails with LOOM_CONFLICT when the store already has that name. */
enum loom_status chat_grove_tie(struct cli_grove *grove, struct loom_str name,
				const struct chat_tie *tie, struct loom_err *err) LOOM_MUST;

/* Appends warnings to the log of a thread, each once until somebody speaks again, and, if `loaded`,
 * that it was loaded. Failures are ignored: a broken reference never blocks. */
void chat_grove_note(struct cli_grove *grove, struct loom_str thread,
		     const struct loom_leslie_warnings *warnings, bool loaded);

#endif
