/* A log in memory that a test writes row by row. */
#ifndef LOOM_TESTS_SUPPORT_LOGGED_H
#define LOOM_TESTS_SUPPORT_LOGGED_H

#include <stdio.h>
#include <stdlib.h>

#include <loom/log/memlog.h>

static struct loom_arena *arena;
static struct loom_memlog *keeper;
static struct loom_log logged;

static inline void set_up(void *ctx)
{
	(void)ctx;
	arena = loom_arena_create();
	keeper = loom_memlog_create();
	logged = loom_memlog_log(keeper);
}

static inline void tear_down(void *ctx)
{
	(void)ctx;
	loom_memlog_destroy(keeper);
	loom_arena_destroy(arena);
}

/* Ends the program when the log refuses it. */
static inline void add(const char *kind, const char *payload)
{
	const struct loom_log_row row = {.at_ms = 1771840800000,
					 .kind = loom_str_of(kind),
					 .payload = loom_str_of(payload)};
	struct loom_err err = {.text = ""};
	int64_t seq = 0;

	if (loom_log_append(&logged, &row, &seq, &err) != LOOM_OK) {
		fprintf(stderr, "%s: %s\n", payload, err.text);
		exit(1);
	}
}

#endif
