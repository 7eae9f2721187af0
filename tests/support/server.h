/* A PostgreSQL server of a test's own (support/postgres), which ends with the test. */
#ifndef LOOM_TESTS_SUPPORT_SERVER_H
#define LOOM_TESTS_SUPPORT_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include <loom/base/arena.h>
#include <loom/base/str.h>

struct server {
	char dir[64];
	pid_t pid; /* 0: it does not run */
};

/* Makes one and waits until it answers; it has a database `loom`, which marie owns, and a role jo.
 * False, with a message, on a machine that has none; where one is needed the program ends. */
bool server_start(struct server *server);
/* Ends it as a crash does. */
void server_kill(struct server *server);
/* Starts it again where it was. */
void server_again(struct server *server);
/* Ends it and removes its folder; harmless for one that was not started. */
void server_fini(struct server *server);
/* Does a statement as its administrator; what comes is printed to `out` (nullable). */
void server_sql(const struct server *server, const char *sql, struct loom_buf *out);
/* The address of a grove on it, for a role. */
struct loom_str server_url(const struct server *server, const char *role, const char *grove,
			   struct loom_arena *arena);

#endif
