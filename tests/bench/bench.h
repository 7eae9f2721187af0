/* Rows of a bench: a run of ours beside a peer's run of the same work, or beside a limit.
 *
 * A file bench_<suite>.c defines one const struct bench_suite bench_<suite>; the program `bench`
 * holds them all. It alternates ours and the peer's, takes medians, prints a table, and writes
 * JSON. A full run never fails; `--small` runs each row at its small size and fails when a ratio is
 * more than three times its limit. */
#ifndef LOOM_TESTS_BENCH_BENCH_H
#define LOOM_TESTS_BENCH_BENCH_H

#include <loom/base/str.h>

struct bench_row {
	const char *name;
	const char *ours; /* what each side does, in a few words */
	const char *peer; /* NULL: no peer, the limit is a quantity */
	const char *unit; /* of what run returns; NULL: the row is the time of the call, in ms */
	double limit;     /* highest ours/peer, or highest ours without a peer; 0: none */
	size_t size;      /* how much, in a full run */
	size_t small;     /* and in a small one */
	/* What both sides work on; NULL result: the row cannot be had here and is passed over. */
	void *(*open)(size_t size);
	void (*close)(void *state);
	/* One run. A timed row returns anything that depends on the work. */
	double (*run)(void *state);
	double (*run_peer)(void *state);
};

struct bench_suite {
	const char *name;
	const struct bench_row *rows;
	size_t count;
};

/* What was measured on one side. */
struct bench_side {
	double median;
	double low;  /* first quartile */
	double high; /* third quartile */
	size_t runs;
};

struct bench_result {
	const struct bench_row *row;
	bool had; /* false: passed over */
	struct bench_side ours;
	struct bench_side peer;
	double ratio;    /* ours/peer, or ours/limit without a peer */
	double recorded; /* the ratio recorded earlier, 0 when there is none */
};

/* Measures one row; `seconds` bounds it from above, roughly. */
void bench_measure(const struct bench_row *row, bool small, double seconds,
		   struct bench_result *out);
/* Whether the ratio is at most `slack` times what the row allows; true without a limit. */
bool bench_within(const struct bench_result *result, double slack);
/* Whether the ratio is worse than the recorded one by a fifth. */
bool bench_worse(const struct bench_result *result);

/* Table and JSON of results. */
void bench_print(const struct bench_result *results, size_t count, FILE *out);
void bench_json(const struct bench_result *results, size_t count, struct loom_buf *out);
/* Fills `recorded` from a JSON object of row name → ratio; false when it cannot be read. */
bool bench_recorded(const char *path, struct bench_result *results, size_t count);
/* Writes such an object. */
void bench_record(const struct bench_result *results, size_t count, struct loom_buf *out);
/* A page of Markdown with new figures: `page` up to the heading BENCH_FIGURES, then that heading,
 * when and where they were measured, and a table of the rows that could be had. */
#define BENCH_FIGURES "## Figures\n"
void bench_page(struct loom_str page, const char *measured, const struct bench_result *results,
		size_t count, struct loom_buf *out);

#endif
