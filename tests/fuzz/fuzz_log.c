/* Any bytes as rows of a log: read or refused; a row says the same when it is written and read
 * again; and what a lane says at a boundary is the same whatever came behind it. */
#include <loom/base/json.h>
#include <loom/log/memlog.h>
#include <loom/log/projection.h>
#include <loom/log/report.h>

#include "tests/fuzz/fuzz.h"

#define ROWS 40

static struct loom_memlog *log_of(const struct loom_log_row *rows, size_t count)
{
	struct loom_memlog *memlog = loom_memlog_create();

	must(loom_memlog_load(memlog, rows, count, NULL) == LOOM_OK);
	return memlog;
}

/* All that a lane says at a boundary, as JSON. */
static void project(struct loom_memlog *memlog, struct loom_str lane, int64_t at,
		    struct loom_buf *out)
{
	const struct loom_log log = loom_memlog_log(memlog);
	const struct loom_project_opts opts = {.thread = LOOM_STR("t"),
					       .lane = lane,
					       .at = at,
					       .prompt = LOOM_STR("P")};
	struct loom_arena *arena = loom_arena_create();
	struct loom_context context;
	struct loom_json json;
	size_t hidden = 0;

	must(loom_project(&log, &opts, arena, &context, NULL) == LOOM_OK);
	must(loom_context_hidden(&context, &log, &hidden, NULL) == LOOM_OK);
	loom_buf_clear(out);
	loom_json_init(&json, out);
	loom_json_array(&json);
	loom_context_snapshot_json(&context, SIZE_MAX, &json);
	loom_context_messages_json(&context, NULL, &json);
	loom_json_end_array(&json);
	loom_arena_destroy(arena);
}

static void check_lane(struct loom_str lane, const struct loom_log_row *rows, size_t count,
		       size_t part)
{
	struct loom_memlog *whole = log_of(rows, count);
	struct loom_memlog *begun = log_of(rows, part);
	struct loom_buf cut = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf bounded = LOOM_BUF_INIT(LOOM_BUF_MAX);

	project(begun, lane, LOOM_SEQ_HEAD, &cut);
	project(whole, lane, part ? rows[part - 1].seq : LOOM_SEQ_NONE, &bounded);
	must(loom_str_eq(loom_buf_str(&cut), loom_buf_str(&bounded)));
	project(whole, lane, LOOM_SEQ_HEAD, &cut);
	must(loom_log_json_check(loom_buf_str(&cut), NULL) == LOOM_OK);
	loom_buf_fini(&cut);
	loom_buf_fini(&bounded);
	loom_memlog_destroy(whole);
	loom_memlog_destroy(begun);
}

static void check_again(const struct loom_log_row *rows, size_t count, struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_log_row *again = NULL;
	struct loom_json json;
	size_t again_count = 0;

	loom_json_init(&json, &out);
	loom_json_array(&json);
	for (size_t i = 0; i < count; i++)
		loom_log_row_json(&rows[i], &json);
	loom_json_end_array(&json);
	must(loom_log_rows_parse(loom_buf_str(&out), arena, &again, &again_count, NULL) == LOOM_OK);
	must(again_count == count);
	for (size_t i = 0; i < count; i++) {
		must(again[i].seq == rows[i].seq && again[i].at_ms == rows[i].at_ms);
		must(loom_str_eq(again[i].kind, rows[i].kind));
		must(loom_str_eq(again[i].payload, rows[i].payload));
		must(loom_str_eq(again[i].refs, rows[i].refs));
	}
	loom_buf_fini(&out);
}

/* A cleaned row passes the check and is unchanged by cleaning it again. */
static void check_clean(const struct loom_log_row *row, struct loom_arena *arena)
{
	struct loom_log_columns columns;
	struct loom_log_row clean;
	struct loom_log_row again;

	loom_log_columns(row, arena, &columns);
	must(!columns.operation || columns.lane.n > 0);
	if (loom_log_clean(row, arena, &clean, NULL) != LOOM_OK)
		return;
	must(loom_log_clean(&clean, arena, &again, NULL) == LOOM_OK);
	must(loom_str_eq(clean.payload, again.payload) && loom_str_eq(clean.refs, again.refs));
}

static void check_rows(const struct loom_log_row *rows, size_t count, struct loom_arena *arena)
{
	struct loom_memlog *memlog = log_of(rows, count);
	const struct loom_log log = loom_memlog_log(memlog);
	const struct loom_report_opts opts = {.thread = LOOM_STR("t")};
	struct loom_buf report = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_log_columns columns;
	struct loom_err err = {.status = LOOM_OK};

	check_again(rows, count, arena);
	for (size_t i = 0; i < count && i < ROWS; i++) {
		check_clean(&rows[i], arena);
		loom_log_columns(&rows[i], arena, &columns);
		check_lane(columns.lane.n ? columns.lane : LOOM_STR(LOOM_LANE_DEFAULT), rows, count,
			   i);
	}
	if (loom_report(&log, &opts, arena, &report, &err) != LOOM_OK)
		must(err.text[0] && !report.n);
	loom_buf_fini(&report);
	loom_memlog_destroy(memlog);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_err err = {.status = LOOM_OK};
	struct loom_log_row *rows = NULL;
	size_t count = 0;

	if (loom_log_rows_parse(fuzz_text(data, size, 0), arena, &rows, &count, &err) != LOOM_OK)
		must(err.text[0] != '\0');
	else
		check_rows(rows, count, arena);
	loom_arena_destroy(arena);
	return 0;
}
