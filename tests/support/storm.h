/* Random operations of every kind on a grove, each valid, refused or without effect; a refusal is
 * rolled back and counts too. */
#ifndef LOOM_TESTS_SUPPORT_STORM_H
#define LOOM_TESTS_SUPPORT_STORM_H

#include <loom/grove/presence.h>

#include "support/grove.h"
#include "support/prop.h"

struct storm {
	struct loom_store *store;
	struct prop prop;
	struct loom_arena *arena;
	int64_t person; /* acts */
	int64_t model;
	struct loom_session *session;
};

/* Does one; gives its name. Ends the program at a failure that is no refusal. */
const char *storm_step(struct storm *storm);

#endif
