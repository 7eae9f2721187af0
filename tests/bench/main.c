/* The bench program: every suite, or those asked for.
 *
 *   bench [--small] [--suite NAME] [--only TEXT] [--seconds S] [--recorded FILE] [--json FILE]
 *         [--record FILE] [--write PAGE] [--list]
 *
 * --write puts the figures into a page of Markdown, tests/bench/README.md, and only all of them.
 * Exit status: 0; with --small 1 when a row is far over its limit; 2 wrong usage.
 */
#include <getopt.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "support/temp.h"

#define SMALL_SLACK 3.0
/* A time without a peer in the same run also measures how busy the machine is. */
#define SMALL_SLACK_ALONE 8.0

static double slack_of(const struct bench_row *row)
{
	return row->run_peer ? SMALL_SLACK : SMALL_SLACK_ALONE;
}
#define ROWS_MAX 256

#define BENCH_SUITE(name) extern const struct bench_suite bench_##name;
#include "bench_suites.def"
#undef BENCH_SUITE

static const struct bench_suite *const SUITES[] = {
#define BENCH_SUITE(name) &bench_##name,
#include "bench_suites.def"
#undef BENCH_SUITE
};

struct wish {
	bool small;
	bool list;
	const char *suite;
	const char *only;
	const char *recorded;
	const char *json;
	const char *record;
	const char *page;
	double seconds;
};

static bool parse_options(int argc, char **argv, struct wish *wish)
{
	static const struct option OPTIONS[] = {
		{"small", no_argument, NULL, 's'},          {"list", no_argument, NULL, 'l'},
		{"suite", required_argument, NULL, 'u'},    {"only", required_argument, NULL, 'o'},
		{"recorded", required_argument, NULL, 'r'}, {"json", required_argument, NULL, 'j'},
		{"record", required_argument, NULL, 'w'},   {"write", required_argument, NULL, 'p'},
		{"seconds", required_argument, NULL, 't'},  {NULL, 0, NULL, 0},
	};
	int option = 0;

	while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
		switch (option) {
		case 's':
			wish->small = true;
			break;
		case 'l':
			wish->list = true;
			break;
		case 'u':
			wish->suite = optarg;
			break;
		case 'o':
			wish->only = optarg;
			break;
		case 'r':
			wish->recorded = optarg;
			break;
		case 'j':
			wish->json = optarg;
			break;
		case 'w':
			wish->record = optarg;
			break;
		case 'p':
			wish->page = optarg;
			break;
		case 't':
			wish->seconds = strtod(optarg, NULL);
			break;
		default:
			return false;
		}
	}
	return optind == argc &&
	       !(wish->page && (wish->small || wish->suite || wish->only || wish->list));
}

static bool wanted(const struct wish *wish, const struct bench_suite *suite,
		   const struct bench_row *row)
{
	return (!wish->suite || !strcmp(wish->suite, suite->name)) &&
	       (!wish->only || strstr(row->name, wish->only));
}

/* A small row that is far over its limit may have met a busy moment: it gets two more tries. */
static void measure(const struct wish *wish, const struct bench_row *row, struct bench_result *out)
{
	double seconds = wish->seconds > 0 ? wish->seconds : wish->small ? 0.2 : 2.0;

	for (int tries = wish->small ? 3 : 1; tries > 0; tries--) {
		bench_measure(row, wish->small, seconds, out);
		if (bench_within(out, slack_of(row)))
			return;
	}
}

static size_t measure_all(const struct wish *wish, struct bench_result *results)
{
	size_t count = 0;

	for (size_t i = 0; i < LOOM_COUNT(SUITES); i++) {
		for (size_t k = 0; k < SUITES[i]->count && count < ROWS_MAX; k++) {
			const struct bench_row *row = &SUITES[i]->rows[k];

			if (!wanted(wish, SUITES[i], row))
				continue;
			if (wish->list)
				printf("%s: %s\n", SUITES[i]->name, row->name);
			else
				measure(wish, row, &results[count++]);
		}
	}
	return count;
}

static bool write_file(const char *path, const struct loom_buf *text)
{
	FILE *file = path ? fopen(path, "we") : NULL;
	bool fine = file && fwrite(loom_buf_cstr(text), 1, text->n, file) == text->n;

	if (file && fclose(file) != 0)
		fine = false;
	if (path && !fine)
		fprintf(stderr, "bench: cannot write %s\n", path);
	return fine;
}

static void write_page(const char *path, const struct bench_result *results, size_t count)
{
	struct loom_buf page = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf anew = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char measured[80];
	char day[40];
	time_t now = time(NULL);

	if (strftime(day, sizeof day, "on %e %B %Y", localtime(&now)) == 0)
		day[0] = '\0';
	snprintf(measured, sizeof measured, "%s with %ld processors", day,
		 sysconf(_SC_NPROCESSORS_ONLN));
	if (temp_read(path, &page)) {
		bench_page(loom_buf_str(&page), measured, results, count, &anew);
		(void)write_file(path, &anew);
	} else {
		fprintf(stderr, "bench: cannot read %s\n", path);
	}
	loom_buf_fini(&page);
	loom_buf_fini(&anew);
}

static void report(const struct wish *wish, struct bench_result *results, size_t count)
{
	struct loom_buf json = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf record = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (wish->recorded && !bench_recorded(wish->recorded, results, count))
		fprintf(stderr, "bench: %s holds no recorded ratios\n", wish->recorded);
	bench_print(results, count, stdout);
	bench_json(results, count, &json);
	bench_record(results, count, &record);
	(void)write_file(wish->json, &json);
	(void)write_file(wish->record, &record);
	if (wish->page)
		write_page(wish->page, results, count);
	loom_buf_fini(&json);
	loom_buf_fini(&record);
}

int main(int argc, char **argv)
{
	struct bench_result *results = NULL;
	struct wish wish = {0};
	size_t count = 0;
	int over = 0;

	if (!parse_options(argc, argv, &wish)) {
		fputs("usage: bench [--small] [--suite NAME] [--only TEXT] [--seconds S] [--list]\n"
		      "             [--recorded FILE] [--json FILE] [--record FILE] [--write "
		      "PAGE]\n",
		      stderr);
		return 2;
	}
	results = loom_alloc(ROWS_MAX * sizeof *results);
	count = measure_all(&wish, results);
	if (!wish.list)
		report(&wish, results, count);
	for (size_t i = 0; wish.small && i < count; i++)
		over += !bench_within(&results[i], slack_of(results[i].row));
	free(results);
	if (over)
		printf("%d rows are more than three times over their limit\n", over);
	return over ? 1 : 0;
}
