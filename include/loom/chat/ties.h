/* Spawned threads in the grove: what `.leslie/` calls a thread, tied to the agent and the tree
 * whose position, memory and log are the store's.
 *
 * `.leslie/` needs no grove and other programs spawn there too, so a thread may be known there and
 * not here: it is tied when it is first worked in. */
#ifndef LOOM_CHAT_TIES_H
#define LOOM_CHAT_TIES_H

#include <loom/cli/open_grove.h>
#include <loom/chat/tell_block.h>

/* Whom a thread is tied to when it is not yet; 0: the owner, the current tree. */
struct chat_tie {
	int64_t agent;
	int64_t tree;
	bool human; /* the agent is a person */
};
/* The thread of that name. One that only `.leslie/` knows is tied now, by a write of its own, and
 * one that a person holds goes to the agent of the tie; with `tie` NULL nothing is written, and the
 * former is LOOM_NOT_FOUND, as one that nobody knows always is. */
enum loom_status chat_grove_thread(struct cli_grove *grove, struct loom_str name,
				   const struct chat_tie *tie, struct loom_thread *out,
				   struct loom_err *err) LOOM_MUST;
/* Whether `.leslie/` has a thread of that name; trouble there is none of ours here. */
bool chat_grove_spawned(struct cli_grove *grove, struct loom_str name);
/* Ties a new thread. LOOM_CONFLICT when the store has that name. */
enum loom_status chat_grove_tie(struct cli_grove *grove, struct loom_str name,
				const struct chat_tie *tie, struct loom_err *err) LOOM_MUST;

/* Keeps warnings in the log of a thread, each once until somebody speaks, and that it was loaded.
 * Of what could not be kept nothing is said: a broken reference never blocks. */
void chat_grove_note(struct cli_grove *grove, struct loom_str thread,
		     const struct loom_leslie_warnings *warnings, bool loaded);

#endif
