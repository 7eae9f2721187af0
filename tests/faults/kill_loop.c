/* Kills workers at random moments and asks an oracle what is left.
 *
 *   kill_loop --worker CMD --oracle CMD [--rounds N] [--workers K] [--low MS] [--high MS]
 *             [--seed S] [--seconds S]
 *
 * Each round starts K times CMD (LOOM_ROUND and LOOM_WORKER in its environment), which prints the
 * id of whatever it was told is done on fd 3, a line each. After a random time all are killed with
 * signal 9, process group and all. The lines of all rounds so far are in the file LOOM_ACKED when
 * the oracle runs; the oracle exits 0 when all of them are still true. An id whose line was not
 * whole at the kill was never acknowledged. A worker that ends by itself must exit 0.
 *
 * Exit status: 0 nothing lost; 1 the oracle or a worker objected; 2 wrong usage; 3 nothing was
 * acknowledged at all, so that nothing is proven. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <loom/base/str.h>

#include "support/child.h"
#include "support/clock.h"
#include "support/prop.h"
#include "support/temp.h"

#define WORKERS_MAX 16

struct worker {
	pid_t pid;
	int fd;
	struct loom_buf said;
};

struct loop {
	const char *worker;
	const char *oracle;
	long rounds;
	long workers;
	long low_ms;
	long high_ms;
	long seconds;
	struct prop prop;
	struct temp temp;
	char *acked_path;
	uint64_t acked;
	long killed;
	struct worker running[WORKERS_MAX];
};

static void set_number(const char *name, long number)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%ld", number);
	(void)setenv(name, text, 1);
}

static bool worker_start(const struct loop *loop, struct worker *worker, long index)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	set_number("LOOM_WORKER", index);
	fflush(NULL);
	worker->pid = fork();
	if (worker->pid == 0) {
		setpgid(0, 0);
		if (ends[1] == 3 ? fcntl(3, F_SETFD, 0) != 0 : dup2(ends[1], 3) < 0)
			_exit(126);
		execl("/bin/sh", "sh", "-c", loop->worker, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	worker->fd = ends[0];
	loom_buf_init(&worker->said, LOOM_BUF_MAX);
	if (worker->pid < 0)
		return false;
	setpgid(worker->pid, worker->pid);
	(void)fcntl(worker->fd, F_SETFL, O_NONBLOCK);
	return true;
}

/* Takes what lies in the pipe; false at its end. */
static bool worker_listen(struct worker *worker)
{
	char chunk[65536];
	ssize_t n = 0;

	while ((n = read(worker->fd, chunk, sizeof chunk)) > 0)
		loom_buf_add(&worker->said, loom_str_make(chunk, (size_t)n));
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Until the time has come, or all workers have ended by themselves. */
static void listen_until(struct loop *loop, int64_t deadline)
{
	long talking = loop->workers;
	struct pollfd polls[WORKERS_MAX] = {0};
	int64_t left = 0;

	for (long i = 0; i < loop->workers; i++)
		polls[i] = (struct pollfd){.fd = loop->running[i].fd, .events = POLLIN};
	while (talking > 0 && (left = deadline - clock_ms()) > 0) {
		if (poll(polls, (nfds_t)loop->workers, (int)left) <= 0)
			continue;
		for (long i = 0; i < loop->workers; i++)
			if (polls[i].revents && !worker_listen(&loop->running[i])) {
				polls[i].fd = -1;
				talking--;
			}
	}
}

/* Ends one worker and appends its whole lines to the list. False when it had failed by itself. */
static bool worker_end(struct loop *loop, struct worker *worker, FILE *list)
{
	struct loom_str said = {0};
	struct loom_str line = {0};
	int status = 0;

	kill(-worker->pid, SIGKILL);
	(void)waitpid(worker->pid, &status, 0);
	(void)worker_listen(worker);
	close(worker->fd);
	said = loom_buf_str(&worker->said);
	while (said.n && said.p[said.n - 1] != '\n')
		said.n--;
	(void)fwrite(said.n ? said.p : "", 1, said.n, list);
	while (loom_str_line(&said, &line))
		loop->acked++;
	loom_buf_fini(&worker->said);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		loop->killed++;
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		printf("kill_loop: a worker ended by itself, wait status 0x%x\n", (unsigned)status);
		return false;
	}
	return true;
}

static bool ask_oracle(const struct loop *loop, long round)
{
	const struct child_opts opts = {.timeout_ms = 120000};
	struct child_result result;
	bool fine = child_shell(loop->oracle, &opts, &result) && result.status == 0;

	if (!fine)
		printf("kill_loop: round %ld: the oracle objects (status %d, signal %d)\n%s%s",
		       round, result.status, result.signal, loom_buf_cstr(&result.out),
		       loom_buf_cstr(&result.err));
	child_fini(&result);
	return fine;
}

static bool one_round(struct loop *loop, long round)
{
	FILE *list = fopen(loop->acked_path, "ae");
	int64_t wait = prop_between(&loop->prop, loop->low_ms, loop->high_ms);
	bool fine = list != NULL;
	long started = 0;

	set_number("LOOM_ROUND", round);
	while (fine && started < loop->workers) {
		fine = worker_start(loop, &loop->running[started], started);
		started += fine;
	}
	if (fine)
		listen_until(loop, clock_ms() + wait);
	for (long i = 0; i < started; i++)
		fine = worker_end(loop, &loop->running[i], list) && fine;
	if (list)
		fine = fclose(list) == 0 && fine;
	return fine && ask_oracle(loop, round);
}

static bool parse_options(int argc, char **argv, struct loop *loop)
{
	static const struct option OPTIONS[] = {
		{"worker", required_argument, NULL, 'w'},
		{"oracle", required_argument, NULL, 'o'},
		{"rounds", required_argument, NULL, 'r'},
		{"workers", required_argument, NULL, 'k'},
		{"low", required_argument, NULL, 'l'},
		{"high", required_argument, NULL, 'h'},
		{"seconds", required_argument, NULL, 's'},
		{"seed", required_argument, NULL, 'x'},
		{NULL, 0, NULL, 0},
	};
	int option = 0;

	while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
		switch (option) {
		case 'w':
			loop->worker = optarg;
			break;
		case 'o':
			loop->oracle = optarg;
			break;
		case 'r':
			loop->rounds = strtol(optarg, NULL, 10);
			break;
		case 'k':
			loop->workers = strtol(optarg, NULL, 10);
			break;
		case 'l':
			loop->low_ms = strtol(optarg, NULL, 10);
			break;
		case 'h':
			loop->high_ms = strtol(optarg, NULL, 10);
			break;
		case 's':
			loop->seconds = strtol(optarg, NULL, 10);
			break;
		case 'x':
			(void)setenv("LOOM_TEST_SEED", optarg, 1);
			break;
		default:
			return false;
		}
	}
	return loop->worker && loop->oracle && loop->workers > 0 && loop->workers <= WORKERS_MAX &&
	       loop->low_ms <= loop->high_ms && optind == argc;
}

int main(int argc, char **argv)
{
	struct loop loop = {
		.rounds = 20, .workers = 1, .low_ms = 5, .high_ms = 120, .seconds = 3600};
	int64_t end = 0;
	long round = 0;
	bool fine = true;

	if (!parse_options(argc, argv, &loop)) {
		fputs("usage: kill_loop --worker CMD --oracle CMD [--rounds N] [--workers K]\n"
		      "                 [--low MS] [--high MS] [--seed S] [--seconds S]\n",
		      stderr);
		return 2;
	}
	prop_init(&loop.prop, "kill_loop");
	temp_init(&loop.temp);
	loop.acked_path = temp_path(&loop.temp, "acked");
	(void)setenv("LOOM_ACKED", loop.acked_path, 1);
	end = clock_ms() + (int64_t)loop.seconds * 1000;
	while (fine && round < loop.rounds && clock_ms() < end)
		fine = one_round(&loop, round++);
	printf("kill_loop: %ld rounds, %ld killed, %llu acknowledged, seed 0x%llx: %s\n", round,
	       loop.killed, (unsigned long long)loop.acked, (unsigned long long)loop.prop.seed,
	       fine ? "nothing lost" : "NOT FINE");
	free(loop.acked_path);
	temp_fini(&loop.temp);
	if (!fine)
		return 1;
	return loop.acked ? 0 : 3;
}
