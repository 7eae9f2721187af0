/* Marie's tree, made anew for each test of a suite. */
#ifndef LOOM_TESTS_SUPPORT_MARIE_SUITE_H
#define LOOM_TESTS_SUPPORT_MARIE_SUITE_H

#include <greatest.h>

#include "support/marie.h"

static struct marie marie;

static inline void set_up(void *ctx)
{
	(void)ctx;
	marie_init(&marie, LOOM_DIALOGUE);
}

static inline void tear_down(void *ctx)
{
	(void)ctx;
	marie_fini(&marie);
}

/* The answer that the collaborator gets to a line. */
#define SAYS(expected, said) ASSERT_STR_EQ((expected), marie_result(&marie, (said)))

#endif
