/* A plan: several voices that continue side by side. */
#ifndef LOOM_PLAN_H
#define LOOM_PLAN_H

#include <loom/base/str.h>

/* One of several voices that a plan asks side by side. */
struct loom_plan_member {
	struct loom_str agent;
	int64_t n;      /* 0: the agent's own */
	int64_t tokens; /* 0: the agent's own */
};
struct loom_plan {
	const struct loom_plan_member *items;
	size_t count; /* 0: the agent is one voice */
};

#endif
