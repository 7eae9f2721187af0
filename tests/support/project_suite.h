/* An empty project, made anew for each test of a suite. */
#ifndef LOOM_TESTS_SUPPORT_PROJECT_SUITE_H
#define LOOM_TESTS_SUPPORT_PROJECT_SUITE_H

#include "support/project.h"

static struct project project;

static inline void set_up(void *unused)
{
	(void)unused;
	project_init(&project);
}

static inline void tear_down(void *unused)
{
	(void)unused;
	project_fini(&project);
}

#endif
