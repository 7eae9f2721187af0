/* Finds out whether a provider's server is up and which models it has. Generates nothing. */
#ifndef LOOM_PROBE_H
#define LOOM_PROBE_H

#include <loom/base/task.h>
#include <loom/providers/voice.h>

struct loom_probe {
	const struct loom_provider *provider;
	int64_t timeout_ms;
	/* filled in by loom_probe_all */
	bool done;
	bool there;                 /* it answered with a list of models */
	const struct loom_str *ids; /* in the arena */
	size_t id_count;
	bool any_name;       /* it answers with its only model, whatever the name */
	struct loom_err err; /* why it is not there */
};

/* Returns whether the provider has a server to ask. */
bool loom_probe_can(const struct loom_provider *provider);
/* Returns whether the provider's server is on this machine. */
bool loom_probe_is_here(const struct loom_provider *provider);
/* Asks all servers at once and runs the loop until each is done or the task is cancelled. Fills in
 * the probes; ids live in the arena. Sends keys as any request does. A provider that has no server
 * is done at once, and not there. */
void loom_probe_all(struct loom_voices *voices, struct loom_probe *probes, size_t count,
		    struct loom_arena *arena, struct loom_task *task);

#endif
