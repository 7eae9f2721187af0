/* Lanes: what all requests to one provider share — its key, how many run, when it may be asked
 * again. One a provider, made when it is first asked, gone with the voices. */
#ifndef TOOLS_LANE_IMPL_H
#define TOOLS_LANE_IMPL_H

#include <loom/loop/child.h>
#include "inside.h"

enum provider_key_state {
	PROVIDER_KEY_UNREAD,
	PROVIDER_KEY_COMING,
	PROVIDER_KEY_READY,
	PROVIDER_KEY_FAILED
};

struct provider_lane {
	struct provider_lane *next;
	struct loom_voices *voices;
	const struct loom_provider *provider;
	int64_t running;
	int64_t not_before; /* boot clock: the server has asked for patience */
	uint64_t timer;
	enum provider_key_state key_state;
	struct loom_buf key; /* empty: none is needed */
	struct loom_err key_err;
	struct loop_child *child;                  /* that tells the key */
	void (*ready)(struct provider_lane *lane); /* the key is there, or failed */
};

/* The lane of a provider. */
struct provider_lane *provider_lane_of(struct loom_voices *voices,
				       const struct loom_provider *provider);
/* Reads the key from its variable or file, or starts its program. Called again it does nothing, but
 * for a key that failed: that is tried anew. */
void provider_lane_want_key(struct provider_lane *lane);

#endif
