/* A program that is talked to, line by line, while it runs. */
#ifndef LOOM_TESTS_SUPPORT_TALK_H
#define LOOM_TESTS_SUPPORT_TALK_H

#include <sys/types.h>

#include <loom/base/str.h>

struct talk_opts {
	const char *const *env; /* "NAME=value" added to ours, NULL-ended; NULL: none */
	const char *cwd;        /* NULL: ours */
	bool sockets;           /* its standard input and output are sockets, else pipes */
};

struct talk {
	pid_t pid; /* 0: not running */
	int to;    /* -1: closed */
	int from;
	int errors;
	struct loom_buf heard;
	size_t at;
	struct loom_buf err; /* filled by talk_end */
};

/* Starts argv (NULL-ended); the program ends when that fails. */
void talk_start(struct talk *talk, const char *const argv[], const struct talk_opts *opts);
/* Sends bytes, all of them; false when nobody reads. */
bool talk_say(struct talk *talk, struct loom_str bytes);
/* The next line without its end, at most `ms` from now; false when none came. Borrowed until the
 * next call. */
bool talk_hear(struct talk *talk, int64_t ms, struct loom_str *out);
/* Closes its input. */
void talk_close(struct talk *talk);
/* Waits for its end, at most `ms`; the exit status, -1 when a signal ended it or when it had to be
 * killed. */
int talk_end(struct talk *talk, int64_t ms);
/* Frees; kills it when it still runs. */
void talk_fini(struct talk *talk);

#endif
