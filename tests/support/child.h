/* Programs run by a test: input given, output kept, time bounded. */
#ifndef LOOM_TESTS_SUPPORT_CHILD_H
#define LOOM_TESTS_SUPPORT_CHILD_H

#include <loom/base/str.h>

struct child_opts {
	struct loom_str input;  /* its standard input; empty: an empty one */
	const char *const *env; /* "NAME=value" added to ours, NULL-ended; NULL: none */
	const char *cwd;        /* NULL: ours */
	int timeout_ms;         /* then it is killed; 0: 30,000 */
};

struct child_result {
	bool started;
	bool timed_out;
	int status; /* exit status, or -1 when a signal ended it */
	int signal; /* that signal, or 0 */
	struct loom_buf out;
	struct loom_buf err;
};

/* Runs argv (NULL-ended, found on $PATH) to its end, in a process group of its own, which is
 * killed when time is up. Returns result->started. Caller calls child_fini. `opts` may be NULL. */
bool child_run(const char *const argv[], const struct child_opts *opts,
	       struct child_result *result);
/* `command` in /bin/sh -c. */
bool child_shell(const char *command, const struct child_opts *opts, struct child_result *result);
/* Frees what it printed. */
void child_fini(struct child_result *result);

#endif
