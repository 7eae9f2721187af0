/* Lanes: what all requests to one provider share. Its key, how many are running, when it may be
 * asked again. One per provider, created when it is first asked, freed with the voices. */
#ifndef TOOLS_LANE_IMPL_H
#define TOOLS_LANE_IMPL_H

#include <loom/loop/child.h>
#include <loom/providers/generation.h>

enum provider_key_state {
	PROVIDER_KEY_UNREAD,
	PROVIDER_KEY_COMING,
	PROVIDER_KEY_READY,
	PROVIDER_KEY_FAILED
};

#define PROVIDER_KEY_MAX ((size_t)8192)

struct provider_lane {
	struct provider_lane *next;
	struct loom_voices *voices;
	const struct loom_provider *provider;
	int64_t running;
	int64_t not_before; /* boot clock: the server has asked us to wait */
	uint64_t timer;
	bool password; /* it goes into no header, so it may have any character */
	enum provider_key_state key_state;
	struct loom_buf key; /* empty: none is needed */
	struct loom_err key_err;
	struct loop_child *child;                  /* prints the key */
	struct loom_str gone;                      /* a small model that it no longer serves … */
	struct loom_str instead;                   /* … and the one asked in its place */
	void (*ready)(struct provider_lane *lane); /* called when the key is there or has failed */
};

/* Returns the lane of a provider, created if needed; lives as long as the voices. */
struct provider_lane *provider_lane_of(struct loom_voices *voices,
				       const struct loom_provider *provider);
/* Reads the key from its variable or file, or starts the program that prints it. Does nothing when
 * that was done already, but retries a key that failed. */
void provider_lane_want_key(struct provider_lane *lane);

#endif
