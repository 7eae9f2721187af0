/* Fails every call of a run once, one run for each, and asks a check after each what is left.
 *
 *   sweep --shim LIBRARY --check CMD [--prepare CMD] [--error E] [--sticky] [--under DIR]
 *         [--from N] [--step N] [--most N] [--seconds S] -- PROGRAM ARGUMENT…
 *
 * PROGRAM alone runs under the shim; PREPARE and CHECK are shell commands without it. CHECK finds
 * LOOM_FAULT_CALL (which call failed), LOOM_FAULT_EXIT (how PROGRAM ended; -1 by a signal) and
 * LOOM_FAULT_SAID (the beginning of what it said) in its environment and exits 0 when all is well.
 * A PROGRAM that a signal ends is a failure of its own, but for the SIGKILL that --error KILL asks
 * for. The sweep ends with the first call that no run reaches any more.
 *
 * Exit status: 0 all well; 1 some point is not; 2 wrong usage; 3 no call was ever failed. */
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <loom/base/str.h>

#include "faults/fault.h"
#include "support/child.h"
#include "support/clock.h"
#include "support/temp.h"

struct sweep {
	const char *shim;
	const char *const *run;
	const char *check;
	const char *prepare;
	const char *error;
	const char *under;
	bool sticky;
	long from;
	long step;
	long most;
	long seconds;
	struct fault_state *state;
	char *state_path;
	long points;
	long wrong;
};

static bool quiet_shell(const char *command)
{
	struct child_result result;
	bool fine = child_shell(command, NULL, &result) && result.status == 0;

	if (!fine)
		printf("%s%s", loom_buf_cstr(&result.out), loom_buf_cstr(&result.err));
	child_fini(&result);
	return fine;
}

static void pair(struct loom_buf *out, const char *name, const char *value)
{
	loom_buf_clear(out);
	loom_buf_addf(out, "%s=%s", name, value ? value : "");
}

/* One run under the shim that fails call `at`; its end in *result, which the caller finishes. */
static bool run_once(const struct sweep *sweep, long at, struct child_result *result)
{
	enum { PRELOAD, AT, STICKY, STATE, ERROR, UNDER, ASAN, UBSAN, COUNT };
	struct loom_buf pairs[COUNT];
	const char *env[COUNT + 1] = {0};
	struct child_opts opts = {.env = env, .timeout_ms = 60000};
	char number[32];
	bool started = false;

	(void)snprintf(number, sizeof number, "%ld", at);
	for (size_t i = 0; i < COUNT; i++)
		loom_buf_init(&pairs[i], LOOM_BUF_MAX);
	pair(&pairs[PRELOAD], "LD_PRELOAD", sweep->shim);
	pair(&pairs[AT], "LOOM_FAULT_AT", number);
	pair(&pairs[STICKY], "LOOM_FAULT_STICKY", sweep->sticky ? "1" : "0");
	pair(&pairs[STATE], "LOOM_FAULT_STATE", sweep->state_path);
	pair(&pairs[ERROR], "LOOM_FAULT_ERROR", sweep->error);
	pair(&pairs[UNDER], "LOOM_FAULT_UNDER", sweep->under);
	pair(&pairs[ASAN], "ASAN_OPTIONS",
	     "verify_asan_link_order=0:abort_on_error=1:exitcode=199");
	pair(&pairs[UBSAN], "UBSAN_OPTIONS", "print_stacktrace=1:abort_on_error=1");
	for (size_t i = 0; i < COUNT; i++)
		env[i] = loom_buf_cstr(&pairs[i]);
	atomic_store(&sweep->state->calls, 0);
	atomic_store(&sweep->state->failed, 0);
	started = child_run(sweep->run, &opts, result);
	for (size_t i = 0; i < COUNT; i++)
		loom_buf_fini(&pairs[i]);
	return started;
}

static bool ended_badly(const struct sweep *sweep, const struct child_result *result)
{
	bool told = sweep->error && !strcmp(sweep->error, "KILL");

	if (result->timed_out)
		return true;
	if (result->signal)
		return !told || result->signal != SIGKILL;
	/* a program started by PROGRAM, or a leak that the sanitizer saw */
	return result->status > 128 && !(told && result->status == 128 + SIGKILL);
}

/* For the check. */
static void tell(const char *name, long number)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%ld", number);
	(void)setenv(name, text, 1);
}

/* Its errors first. */
static void tell_said(const struct child_result *result)
{
	char text[4000];

	(void)snprintf(text, sizeof text, "%s%s", loom_buf_cstr(&result->err),
		       loom_buf_cstr(&result->out));
	(void)setenv("LOOM_FAULT_SAID", text, 1);
}

/* Prepares, fails call `at`, checks. False when no call was failed: the sweep is at its end. */
static bool point(struct sweep *sweep, long at)
{
	struct child_result result;
	bool fine = true;

	if (sweep->prepare && !quiet_shell(sweep->prepare)) {
		printf("sweep: call %ld: the preparation failed\n", at);
		sweep->wrong++;
		return false;
	}
	fine = run_once(sweep, at, &result);
	tell("LOOM_FAULT_CALL", at);
	tell("LOOM_FAULT_EXIT", result.status);
	tell_said(&result);
	fine = fine && !ended_badly(sweep, &result);
	fine = quiet_shell(sweep->check) && fine;
	if (!fine) {
		printf("sweep: call %ld: not well (status %d, signal %d%s)\n%s%s", at,
		       result.status, result.signal, result.timed_out ? ", out of time" : "",
		       loom_buf_cstr(&result.out), loom_buf_cstr(&result.err));
		sweep->wrong++;
	}
	child_fini(&result);
	if (!atomic_load(&sweep->state->failed))
		return false;
	sweep->points++;
	return true;
}

static bool open_state(struct sweep *sweep, const struct temp *temp)
{
	struct fault_state zero = {0};
	void *map = MAP_FAILED;
	int fd = -1;

	temp_write(temp, "state", loom_str_make((const char *)&zero, sizeof zero));
	sweep->state_path = temp_path(temp, "state");
	fd = open(sweep->state_path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	map = mmap(NULL, sizeof zero, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	sweep->state = map;
	return map != MAP_FAILED;
}

static bool parse_options(int argc, char **argv, struct sweep *sweep)
{
	static const struct option OPTIONS[] = {
		{"shim", required_argument, NULL, 'l'},
		{"check", required_argument, NULL, 'c'},
		{"prepare", required_argument, NULL, 'p'},
		{"error", required_argument, NULL, 'e'},
		{"under", required_argument, NULL, 'u'},
		{"sticky", no_argument, NULL, 'k'},
		{"from", required_argument, NULL, 'f'},
		{"step", required_argument, NULL, 's'},
		{"most", required_argument, NULL, 'm'},
		{"seconds", required_argument, NULL, 't'},
		{NULL, 0, NULL, 0},
	};
	int option = 0;

	while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
		switch (option) {
		case 'l':
			sweep->shim = optarg;
			break;
		case 'c':
			sweep->check = optarg;
			break;
		case 'p':
			sweep->prepare = optarg;
			break;
		case 'e':
			sweep->error = optarg;
			break;
		case 'u':
			sweep->under = optarg;
			break;
		case 'k':
			sweep->sticky = true;
			break;
		case 'f':
			sweep->from = strtol(optarg, NULL, 10);
			break;
		case 's':
			sweep->step = strtol(optarg, NULL, 10);
			break;
		case 'm':
			sweep->most = strtol(optarg, NULL, 10);
			break;
		case 't':
			sweep->seconds = strtol(optarg, NULL, 10);
			break;
		default:
			return false;
		}
	}
	sweep->run = (const char *const *)(argv + optind);
	return sweep->shim && sweep->check && sweep->from > 0 && sweep->step > 0 && optind < argc;
}

int main(int argc, char **argv)
{
	struct sweep sweep = {.from = 1, .step = 1, .most = 1000000, .seconds = 3600};
	struct temp temp;
	int64_t end = 0;

	if (!parse_options(argc, argv, &sweep)) {
		fputs("usage: sweep --shim LIBRARY --check CMD [--prepare CMD] [--error E]\n"
		      "             [--sticky] [--under DIR] [--from N] [--step N] [--most N]\n"
		      "             [--seconds S] -- PROGRAM ARGUMENT...\n",
		      stderr);
		return 2;
	}
	temp_init(&temp);
	if (!open_state(&sweep, &temp))
		return 2;
	end = clock_ms() + (int64_t)sweep.seconds * 1000;
	for (long at = sweep.from; sweep.points < sweep.most && clock_ms() < end; at += sweep.step)
		if (!point(&sweep, at))
			break;
	printf("sweep: %ld calls failed, one a run; %ld not well\n", sweep.points, sweep.wrong);
	free(sweep.state_path);
	temp_fini(&temp);
	if (sweep.wrong)
		return 1;
	return sweep.points ? 0 : 3;
}
