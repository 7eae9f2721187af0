/* Shared by the files of hooks: what happened, as JSON. */
#ifndef TOOLS_HOOKS_INSIDE_H
#define TOOLS_HOOKS_INSIDE_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/config/config.h>

/* One event, told to one hook. */
struct hook_event {
	enum loom_hook kind;
	struct loom_buf json;
	char actor[32]; /* the ULID of the agent that its calls act as; "": the person */
};

/* Which events a commit raises, as bits of 1 << enum loom_hook, and who caused them. Reads the
 * store, in the thread that committed. */
unsigned hook_events_of(struct loom_store *store, const struct loom_commit *what);
/* Writes one of them; the caller frees its JSON. False if the store does not say. */
bool hook_event_write(struct loom_store *store, const struct loom_commit *what, enum loom_hook kind,
		      struct hook_event *out);

#endif
