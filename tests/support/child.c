/* Child processes: fork, exec, and one poll loop over the three pipes. */
#include "support/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/clock.h"

enum { IN, OUT, ERR, PIPES };
#define OUTPUT_MAX ((size_t)64 << 20)

struct run {
	int pipes[PIPES][2];
	pid_t pid;
	int64_t deadline;
	struct loom_str input;
	struct child_result *result;
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_all(struct run *run)
{
	for (size_t i = 0; i < PIPES; i++) {
		close_end(&run->pipes[i][0]);
		close_end(&run->pipes[i][1]);
	}
}

static bool open_pipes(struct run *run)
{
	for (size_t i = 0; i < PIPES; i++)
		run->pipes[i][0] = run->pipes[i][1] = -1;
	for (size_t i = 0; i < PIPES; i++)
		if (pipe2(run->pipes[i], O_CLOEXEC) != 0)
			return false;
	return true;
}

/* In the child; never returns. */
static void become(const struct run *run, const char *const argv[], const struct child_opts *opts)
{
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(run->pipes[IN][0], 0) < 0 || dup2(run->pipes[OUT][1], 1) < 0 ||
	    dup2(run->pipes[ERR][1], 2) < 0)
		_exit(126);
	if (opts->cwd && chdir(opts->cwd) != 0)
		_exit(126);
	for (const char *const *pair = opts->env; pair && *pair; pair++) {
		/* putenv keeps the pointer and never writes through it */
		union {
			const char *given;
			char *kept;
		} text = {.given = *pair};

		putenv(text.kept);
	}
	/* exec does not change its arguments either; its prototype predates const */
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static void feed(struct run *run)
{
	ssize_t n = 0;

	if (run->input.n)
		n = write(run->pipes[IN][1], run->input.p, run->input.n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		run->input.n = 0;
	else
		run->input = loom_str_sub(run->input, (size_t)n, SIZE_MAX);
	if (!run->input.n)
		close_end(&run->pipes[IN][1]);
}

static void drain(int *fd, struct loom_buf *into)
{
	char chunk[65536];
	ssize_t n = read(*fd, chunk, sizeof chunk);

	if (n > 0)
		loom_buf_add(into, loom_str_make(chunk, (size_t)n));
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		close_end(fd);
}

/* Until the child has closed both outputs or its time is up. */
static void talk(struct run *run)
{
	while (run->pipes[OUT][0] >= 0 || run->pipes[ERR][0] >= 0) {
		struct pollfd polls[PIPES] = {
			{.fd = run->pipes[IN][1], .events = POLLOUT},
			{.fd = run->pipes[OUT][0], .events = POLLIN},
			{.fd = run->pipes[ERR][0], .events = POLLIN},
		};
		int64_t left = run->deadline - clock_ms();

		if (left <= 0)
			return;
		if (poll(polls, PIPES, (int)left) <= 0)
			continue;
		if (polls[IN].revents)
			feed(run);
		if (polls[OUT].revents)
			drain(&run->pipes[OUT][0], &run->result->out);
		if (polls[ERR].revents)
			drain(&run->pipes[ERR][0], &run->result->err);
	}
}

static void reap(struct run *run)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int status = 0;
	pid_t done = 0;

	while ((done = waitpid(run->pid, &status, WNOHANG)) == 0 && clock_ms() < run->deadline)
		nanosleep(&pause, NULL);
	if (done == 0) {
		run->result->timed_out = true;
		kill(-run->pid, SIGKILL);
		(void)waitpid(run->pid, &status, 0);
	}
	run->result->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	run->result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static bool start(struct run *run, const char *const argv[], const struct child_opts *opts)
{
	if (!open_pipes(run))
		return false;
	fflush(NULL);
	run->pid = fork();
	if (run->pid < 0)
		return false;
	if (run->pid == 0)
		become(run, argv, opts);
	setpgid(run->pid, run->pid);
	close_end(&run->pipes[IN][0]);
	close_end(&run->pipes[OUT][1]);
	close_end(&run->pipes[ERR][1]);
	(void)fcntl(run->pipes[IN][1], F_SETFL, O_NONBLOCK);
	return true;
}

bool child_run(const char *const argv[], const struct child_opts *opts, struct child_result *result)
{
	const struct child_opts usual = {0};
	struct run run = {.result = result};
	void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN);

	if (!opts)
		opts = &usual;
	*result = (struct child_result){.status = -1,
					.out = LOOM_BUF_INIT(OUTPUT_MAX),
					.err = LOOM_BUF_INIT(OUTPUT_MAX)};
	run.input = opts->input;
	run.deadline = clock_ms() + (opts->timeout_ms ? opts->timeout_ms : 30000);
	result->started = start(&run, argv, opts);
	if (result->started) {
		talk(&run);
		reap(&run);
	}
	close_all(&run);
	signal(SIGPIPE, old_pipe);
	return result->started;
}

bool child_shell(const char *command, const struct child_opts *opts, struct child_result *result)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};

	return child_run(argv, opts, result);
}

void child_fini(struct child_result *result)
{
	loom_buf_fini(&result->out);
	loom_buf_fini(&result->err);
}
