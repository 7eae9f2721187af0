/* Looking whether a provider's server is there, and which models it has. Nothing is generated. */
#ifndef LOOM_PROBE_H
#define LOOM_PROBE_H

#include <loom/base/task.h>
#include <loom/providers/voice.h>

struct loom_probe {
	const struct loom_provider *provider;
	int64_t timeout_ms;
	/* filled in */
	bool done;
	bool there;                 /* it answered, and lists models */
	const struct loom_str *ids; /* in the arena */
	size_t id_count;
	bool any_name;       /* it answers with the one it has, whatever that is called */
	struct loom_err err; /* why it did not */
};

/* Whether it is a server, which can be asked. */
bool loom_probe_can(const struct loom_provider *provider);
/* Whether a provider's server is on this machine. */
bool loom_probe_is_here(const struct loom_provider *provider);
/* Asks all of them at once and runs the loop until each is done, or the task was cancelled. Keys go
 * as with any request; a provider that is no server is done at once, and not there. */
void loom_probe_all(struct loom_voices *voices, struct loom_probe *probes, size_t count,
		    struct loom_arena *arena, struct loom_task *task);

#endif
