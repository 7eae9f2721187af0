/* Cuts the power of a run again and again and asks an oracle what is left.
 *
 *   power_cut --shim LIBRARY --under DIR --oracle CMD [--states N] [--seed S] [--seconds S]
 *             [--keep FOLDER] -- PROGRAM ARGUMENT…
 *
 * PROGRAM runs once, whole, with every change beneath DIR recorded (shim_record.c). Then DIR is
 * made N times into what a disk may hold after the power went at some moment of that run
 * (replay.h), and the oracle looks at it, with what had been acknowledged on descriptor 3 until
 * then in the file LOOM_ACKED. LOOM_FAULT_EXIT is 0 when PROGRAM had ended by then, else -1. The
 * first state that the oracle objects to is written to FOLDER as it was.
 *
 * Exit status: 0 all well; 1 some state is not; 2 wrong usage; 3 nothing was recorded. */
#include <errno.h>
#include <getopt.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/replay.h"
#include "support/child.h"
#include "support/clock.h"
#include "support/temp.h"

struct cut {
	const char *shim;
	const char *under;
	const char *oracle;
	const char *keep;
	const char *const *run;
	long states;
	long seconds;
	struct prop prop;
	struct temp temp;
	char *acked_path;
	struct replay *replay;
	long wrong;
};

static void add_pair(struct loom_buf *out, const char *name, const char *value)
{
	loom_buf_addf(out, "%s=%s", name, value);
	loom_buf_addc(out, '\0');
}

/* The whole run, recorded; false when it failed. */
static bool record(const struct cut *cut, const char *log)
{
	enum { PRELOAD, UNDER, RECORD, ASAN, COUNT };
	const char *const argv[] = {"sh", "-c", "exec 3>/dev/null; exec \"$@\"", "sh", NULL};
	struct loom_buf pairs[COUNT];
	const char *env[COUNT + 1] = {0};
	const char **all = NULL;
	struct child_opts opts = {.env = env, .timeout_ms = 600000};
	struct child_result result;
	size_t count = 0;
	bool fine;

	for (size_t i = 0; i < COUNT; i++)
		loom_buf_init(&pairs[i], LOOM_BUF_MAX);
	add_pair(&pairs[PRELOAD], "LD_PRELOAD", cut->shim);
	add_pair(&pairs[UNDER], "LOOM_FAULT_UNDER", cut->under);
	add_pair(&pairs[RECORD], "LOOM_RECORD", log);
	add_pair(&pairs[ASAN], "ASAN_OPTIONS", "verify_asan_link_order=0");
	for (size_t i = 0; i < COUNT; i++)
		env[i] = pairs[i].p;
	while (cut->run[count])
		count++;
	all = loom_alloc((count + 5) * sizeof *all);
	for (size_t i = 0; argv[i]; i++)
		all[i] = argv[i];
	memcpy(all + 4, cut->run, count * sizeof *all);
	fine = child_run(all, &opts, &result) && result.status == 0;
	if (!fine)
		printf("power_cut: the run ended with status %d, signal %d\n%s%s", result.status,
		       result.signal, loom_buf_cstr(&result.out), loom_buf_cstr(&result.err));
	child_fini(&result);
	for (size_t i = 0; i < COUNT; i++)
		loom_buf_fini(&pairs[i]);
	free(all);
	return fine;
}

static void empty(const char *folder)
{
	struct temp gone;

	(void)snprintf(gone.path, sizeof gone.path, "%s", folder);
	temp_fini(&gone);
	if (mkdir(folder, 0700) != 0)
		printf("power_cut: %s: %s\n", folder, strerror(errno));
}

/* Makes one state, determined by seed and number. */
static void make_state(const struct cut *cut, long number, const char *folder, bool *ended)
{
	struct prop prop;
	struct loom_buf acked = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t count = replay_count(cut->replay);
	size_t at;
	size_t die;
	FILE *file = NULL;

	prop_init_seed(&prop, cut->prop.seed * 1000003 + (uint64_t)number);
	at = prop_once_in(&prop, 20) ? count : prop_below(&prop, count + 1);
	die = prop_below(&prop, 10);
	*ended = at == count;
	empty(folder);
	replay_cut(cut->replay, at,
		   die == 0   ? REPLAY_KEEPS
		   : die == 1 ? REPLAY_LOSES
			      : REPLAY_TEARS,
		   &prop, folder, &acked);
	file = fopen(cut->acked_path, "we");
	if (file) {
		(void)fwrite(acked.n ? acked.p : "", 1, acked.n, file);
		(void)fclose(file);
	}
	loom_buf_fini(&acked);
}

static void set_number(const char *name, long number)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%ld", number);
	(void)setenv(name, text, 1);
}

static void one_state(struct cut *cut, long number)
{
	const struct child_opts opts = {.timeout_ms = 120000};
	struct child_result result;
	bool ended = false;

	make_state(cut, number, cut->under, &ended);
	set_number("LOOM_FAULT_EXIT", ended ? 0 : -1);
	set_number("LOOM_ROUND", number);
	if (!child_shell(cut->oracle, &opts, &result) || result.status != 0) {
		printf("power_cut: state %ld: the oracle objects (status %d, signal %d)\n%s%s",
		       number, result.status, result.signal, loom_buf_cstr(&result.out),
		       loom_buf_cstr(&result.err));
		if (!cut->wrong++ && cut->keep)
			make_state(cut, number, cut->keep, &ended);
	}
	child_fini(&result);
}

static bool parse_options(int argc, char **argv, struct cut *cut)
{
	static const struct option OPTIONS[] = {
		{"shim", required_argument, NULL, 's'},    {"under", required_argument, NULL, 'u'},
		{"oracle", required_argument, NULL, 'o'},  {"states", required_argument, NULL, 'n'},
		{"seconds", required_argument, NULL, 't'}, {"seed", required_argument, NULL, 'x'},
		{"keep", required_argument, NULL, 'k'},    {NULL, 0, NULL, 0},
	};
	int option = 0;

	while ((option = getopt_long(argc, argv, "+", OPTIONS, NULL)) != -1) {
		switch (option) {
		case 's':
			cut->shim = optarg;
			break;
		case 'u':
			cut->under = optarg;
			break;
		case 'o':
			cut->oracle = optarg;
			break;
		case 'n':
			cut->states = strtol(optarg, NULL, 10);
			break;
		case 't':
			cut->seconds = strtol(optarg, NULL, 10);
			break;
		case 'x':
			(void)setenv("LOOM_TEST_SEED", optarg, 1);
			break;
		case 'k':
			cut->keep = optarg;
			break;
		default:
			return false;
		}
	}
	cut->run = (const char *const *)(argv + optind);
	return cut->shim && cut->under && cut->oracle && optind < argc;
}

int main(int argc, char **argv)
{
	struct cut cut = {.states = 100, .seconds = 3600};
	struct loom_buf log = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *path = NULL;
	int64_t end = 0;
	long number = 0;
	size_t count = 0;

	if (!parse_options(argc, argv, &cut)) {
		fputs("usage: power_cut --shim LIBRARY --under DIR --oracle CMD [--states N]\n"
		      "                 [--seed S] [--seconds S] [--keep FOLDER] -- PROGRAM "
		      "ARGUMENT…\n",
		      stderr);
		return 2;
	}
	prop_init(&cut.prop, "power_cut");
	temp_init(&cut.temp);
	cut.acked_path = temp_path(&cut.temp, "acked");
	path = temp_path(&cut.temp, "log");
	(void)setenv("LOOM_ACKED", cut.acked_path, 1);
	cut.replay = replay_begin(cut.under);
	if (!record(&cut, path) || !temp_read(path, &log) ||
	    !replay_log(cut.replay, loom_buf_str(&log)))
		cut.wrong++;
	count = replay_count(cut.replay);
	end = clock_ms() + (int64_t)cut.seconds * 1000;
	while (!cut.wrong && count && number < cut.states && clock_ms() < end)
		one_state(&cut, number++);
	printf("power_cut: %zu calls, %ld states, seed 0x%llx: %s\n", count, number,
	       (unsigned long long)cut.prop.seed, cut.wrong ? "NOT FINE" : "nothing lost");
	replay_end(cut.replay);
	loom_buf_fini(&log);
	free(path);
	free(cut.acked_path);
	temp_fini(&cut.temp);
	if (cut.wrong)
		return 1;
	return count ? 0 : 3;
}
