/* An empty grove, made anew for each test of a suite. */
#ifndef LOOM_TESTS_SUPPORT_GROVE_SUITE_H
#define LOOM_TESTS_SUPPORT_GROVE_SUITE_H

#include "support/grove.h"

static struct grove g;

static inline void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
}

static inline void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

#endif
