/* A child whose lines are heard one by one, each within a time. */
#include "support/talk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/clock.h"

static void must(bool true_here, const char *what)
{
	if (true_here)
		return;
	perror(what);
	exit(1);
}

/* In the child; never returns. */
static void become(int in, int out, int err, const char *const argv[], const struct talk_opts *opts)
{
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	if (opts && opts->cwd && chdir(opts->cwd) != 0)
		_exit(126);
	for (const char *const *pair = opts ? opts->env : NULL; pair && *pair; pair++) {
		union {
			const char *given;
			char *kept; /* putenv never writes through it */
		} text = {.given = *pair};

		putenv(text.kept);
	}
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static void open_pair(int pair[2], bool socket)
{
	must((socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)
		     : pipe2(pair, O_CLOEXEC)) == 0,
	     "pipe");
}

void talk_start(struct talk *talk, const char *const argv[], const struct talk_opts *opts)
{
	const bool sockets = opts && opts->sockets;
	int to[2];
	int from[2];
	int err[2];

	*talk = (struct talk){.to = -1};
	loom_buf_init(&talk->heard, LOOM_BUF_MAX);
	loom_buf_init(&talk->err, LOOM_BUF_MAX);
	signal(SIGPIPE, SIG_IGN);
	open_pair(to, sockets);
	open_pair(from, sockets);
	open_pair(err, false);
	talk->pid = fork();
	must(talk->pid >= 0, "fork");
	if (talk->pid == 0)
		become(to[0], from[1], err[1], argv, opts);
	close(to[0]);
	close(from[1]);
	close(err[1]);
	talk->to = to[1];
	talk->from = from[0];
	talk->errors = err[0];
	must(fcntl(talk->errors, F_SETFL, O_NONBLOCK) == 0, "fcntl");
}

bool talk_say(struct talk *talk, struct loom_str bytes)
{
	while (bytes.n) {
		ssize_t n = write(talk->to, bytes.p, bytes.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes = loom_str_sub(bytes, (size_t)n, SIZE_MAX);
	}
	return true;
}

static bool read_more(struct talk *talk, int64_t until)
{
	struct pollfd ready = {.fd = talk->from, .events = POLLIN};
	char bytes[65536];
	int64_t left = until - clock_ms();
	ssize_t n = 0;

	if (left <= 0 || poll(&ready, 1, (int)left) <= 0)
		return false;
	n = read(talk->from, bytes, sizeof bytes);
	if (n <= 0)
		return false;
	loom_buf_add(&talk->heard, loom_str_make(bytes, (size_t)n));
	return true;
}

bool talk_hear(struct talk *talk, int64_t ms, struct loom_str *out)
{
	const int64_t until = clock_ms() + ms;

	for (;;) {
		struct loom_str all = loom_buf_str(&talk->heard);
		size_t end = loom_str_find_char(all, '\n', talk->at);

		if (end != SIZE_MAX) {
			*out = loom_str_sub(all, talk->at, end - talk->at);
			talk->at = end + 1;
			return true;
		}
		if (!read_more(talk, until))
			return false;
	}
}

void talk_close(struct talk *talk)
{
	if (talk->to >= 0)
		close(talk->to);
	talk->to = -1;
}

static void take_errors(struct talk *talk)
{
	char bytes[4096];
	ssize_t n = 0;

	while ((n = read(talk->errors, bytes, sizeof bytes)) > 0)
		loom_buf_add(&talk->err, loom_str_make(bytes, (size_t)n));
}

int talk_end(struct talk *talk, int64_t ms)
{
	const int64_t until = clock_ms() + ms;
	const struct timespec pause = {.tv_nsec = 2000000};
	int status = 0;
	pid_t got = 0;

	while (talk->pid && (got = waitpid(talk->pid, &status, WNOHANG)) == 0 && clock_ms() < until)
		nanosleep(&pause, NULL);
	if (talk->pid && got == 0) {
		kill(talk->pid, SIGKILL);
		(void)waitpid(talk->pid, &status, 0);
		status = -1;
	}
	talk->pid = 0;
	take_errors(talk);
	return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void talk_fini(struct talk *talk)
{
	talk_close(talk);
	/* A server whose client is gone ends by itself, and then leaves its coverage behind. */
	if (talk->pid)
		(void)talk_end(talk, 2000);
	close(talk->from);
	close(talk->errors);
	loom_buf_fini(&talk->heard);
	loom_buf_fini(&talk->err);
}
