/* Time for tests that wait: never the wall clock. */
#ifndef LOOM_TESTS_SUPPORT_CLOCK_H
#define LOOM_TESTS_SUPPORT_CLOCK_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds of a clock that only goes forward. */
static inline int64_t clock_ns(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t clock_ms(void)
{
	return clock_ns() / 1000000;
}

/* The time limit for work that takes `ms` on an idle machine; longer on a busy one. */
static inline int64_t clock_limit(int64_t ms)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	double load = 0;

	if (getloadavg(&load, 1) != 1 || cpus < 1)
		return 10 * ms;
	return ms + (int64_t)((double)ms * 4 * load / (double)cpus);
}

#endif
