/* The master's side of the pseudo-terminal: poll, read, take the time. */
#include "bench/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/clock.h"

#define TAIL_KEPT 65536
#define GUARD_MS  60000

static _Noreturn void run_child(const char *const argv[], const char *home)
{
	static const char *const homes[] = {"HOME", "XDG_STATE_HOME", "XDG_DATA_HOME",
					    "XDG_CONFIG_HOME", "XDG_CACHE_HOME"};

	for (size_t i = 0; i < LOOM_COUNT(homes); i++)
		setenv(homes[i], home, 1);
	setenv("TERM", "xterm-256color", 1);
	setenv("LANG", "C.UTF-8", 1);
	unsetenv("LOOM_TEST_FD");
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

void terminal_open(struct terminal *terminal, const char *const argv[], const char *home)
{
	struct winsize size = {.ws_col = 120, .ws_row = 40};

	*terminal = (struct terminal){.began = clock_ns()};
	loom_buf_init(&terminal->tail, 2 * TAIL_KEPT);
	terminal->pid = forkpty(&terminal->fd, NULL, NULL, &size);
	if (terminal->pid == 0)
		run_child(argv, home);
	if (terminal->pid < 0)
		abort();
	fcntl(terminal->fd, F_SETFL, O_NONBLOCK);
}

static void keep(struct terminal *terminal, const char *bytes, size_t n)
{
	struct loom_str tail = loom_buf_str(&terminal->tail);

	terminal->bytes += n;
	if (tail.n + n > 2 * TAIL_KEPT - 1) {
		memmove(terminal->tail.p, tail.p + tail.n / 2, tail.n - tail.n / 2);
		loom_buf_cut(&terminal->tail, tail.n - tail.n / 2);
	}
	loom_buf_add(&terminal->tail, loom_str_make(bytes, n));
}

/* Takes what is there; false when nothing was, or the program is gone. */
static bool take(struct terminal *terminal, bool *gone)
{
	char bytes[16384];
	ssize_t n = read(terminal->fd, bytes, sizeof bytes);

	*gone = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
	if (n <= 0)
		return false;
	keep(terminal, bytes, (size_t)n);
	return true;
}

int64_t terminal_settle(struct terminal *terminal, int quiet_ms, const char *until)
{
	int64_t begin = clock_ns();
	int64_t last = begin;
	bool gone = false;

	while (!gone && clock_ns() - begin < (int64_t)GUARD_MS * 1000000) {
		struct pollfd fd = {.fd = terminal->fd, .events = POLLIN};

		if (poll(&fd, 1, quiet_ms) > 0) {
			if (take(terminal, &gone))
				last = clock_ns();
			continue;
		}
		if (!until ||
		    loom_str_find(loom_buf_str(&terminal->tail), loom_str_of(until), 0) != SIZE_MAX)
			return last;
	}
	fprintf(stderr, "bench: the program on the terminal ended or hung\n");
	exit(99);
}

double terminal_key(struct terminal *terminal, const char *keys, int quiet_ms)
{
	int64_t begin = clock_ns();

	if (write(terminal->fd, keys, strlen(keys)) != (ssize_t)strlen(keys))
		abort();
	return (double)(terminal_settle(terminal, quiet_ms, NULL) - begin) / 1e6;
}

double terminal_resident(const struct terminal *terminal)
{
	char path[64];
	long size = 0;
	long resident = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/statm", (int)terminal->pid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2)
		abort();
	fclose(file);
	return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576.0;
}

void terminal_close(struct terminal *terminal)
{
	kill(terminal->pid, SIGKILL);
	waitpid(terminal->pid, NULL, 0);
	close(terminal->fd);
	loom_buf_fini(&terminal->tail);
}
