#include "support/server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/child.h"

#define SCRIPT LOOM_SOURCE "/tests/support/postgres"

enum { READY_TRIES = 1200, BETWEEN_MS = 50, NONE = 77 };

static int script(const struct server *server, const char *doing, const char *sql,
		  struct loom_buf *out)
{
	const char *const argv[] = {SCRIPT, doing, server->dir, sql, NULL};
	struct child_result said;
	int status = child_run(argv, NULL, &said) ? said.status : -1;

	if (sql && status != 0)
		fprintf(stderr, "%s: %s", sql, loom_buf_cstr(&said.err));
	if (out)
		loom_buf_add(out, loom_buf_str(&said.out));
	child_fini(&said);
	return status;
}

static void start(struct server *server, const char *doing)
{
	const pid_t parent = getpid();
	FILE *quiet = NULL;

	server->pid = fork();
	if (server->pid != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(99);
	quiet = freopen("/dev/null", "w", stderr);
	if (quiet && freopen("/dev/null", "w", stdout))
		execl(SCRIPT, SCRIPT, doing, server->dir, (char *)NULL);
	_exit(99);
}

/* False if it ended instead; *status is how. */
static bool wait_ready(struct server *server, int *status)
{
	const struct timespec pause = {0, BETWEEN_MS * 1000000L};

	for (int i = 0; i < READY_TRIES; i++) {
		if (script(server, "ready", NULL, NULL) == 0)
			return true;
		if (waitpid(server->pid, status, WNOHANG) == server->pid) {
			server->pid = 0;
			return false;
		}
		nanosleep(&pause, NULL);
	}
	return false;
}

bool server_start(struct server *server)
{
	int status = 0;

	*server = (struct server){.pid = 0};
	snprintf(server->dir, sizeof server->dir, "/tmp/loom-pg-%d", getpid());
	start(server, "run");
	if (wait_ready(server, &status))
		return true;
	if (server->pid || !WIFEXITED(status) || WEXITSTATUS(status) != NONE) {
		fprintf(stderr, "the server in %s did not start\n", server->dir);
		exit(99);
	}
	fprintf(stderr, "no PostgreSQL server on this machine: its tests are skipped\n");
	return false;
}

void server_kill(struct server *server)
{
	if (server->pid <= 0)
		return;
	kill(server->pid, SIGQUIT);
	waitpid(server->pid, NULL, 0);
	server->pid = 0;
}

void server_again(struct server *server)
{
	int status = 0;

	start(server, "again");
	if (!wait_ready(server, &status)) {
		fprintf(stderr, "the server in %s did not start again\n", server->dir);
		exit(99);
	}
}

void server_fini(struct server *server)
{
	const char *const argv[] = {"rm", "-rf", server->dir, NULL};
	struct child_result said;

	if (!server->dir[0])
		return;
	server_kill(server);
	(void)child_run(argv, NULL, &said);
	child_fini(&said);
	server->dir[0] = '\0';
}

void server_sql(const struct server *server, const char *sql, struct loom_buf *out)
{
	if (script(server, "sql", sql, out) != 0)
		exit(99);
}

struct loom_str server_url(const struct server *server, const char *role, const char *grove,
			   struct loom_arena *arena)
{
	return loom_arena_format(arena, "postgresql://%s@/loom/%s?host=%s", role, grove,
				 server->dir);
}
