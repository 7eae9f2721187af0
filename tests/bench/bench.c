/* Measuring: ours and the peer's in turn, so that whatever else the machine does hits both. */
#include "bench/bench.h"

#include <cjson/cJSON.h>

#include <loom/base/json.h>

#include "support/clock.h"
#include "support/temp.h"

#define RUNS_MAX   ((size_t)25)
#define RUNS_LEAST ((size_t)5)

/* One run's time in ms, or the quantity that it returned. */
static double once(const struct bench_row *row, double (*run)(void *), void *state)
{
	int64_t start = clock_ns();
	volatile double returned = run(state);
	int64_t end = clock_ns();

	return row->unit ? returned : (double)(end - start) / 1e6;
}

static int compare(const void *a, const void *b)
{
	const double *left = a;
	const double *right = b;

	return (*left > *right) - (*left < *right);
}

static struct bench_side sum_up(double *values, size_t count)
{
	qsort(values, count, sizeof *values, compare);
	return (struct bench_side){.median = values[count / 2],
				   .low = values[count / 4],
				   .high = values[count - 1 - count / 4],
				   .runs = count};
}

static double ratio_of(const struct bench_result *result)
{
	double base = result->row->peer ? result->peer.median : result->row->limit;

	return base > 0 ? result->ours.median / base : 0;
}

void bench_measure(const struct bench_row *row, bool small, double seconds,
		   struct bench_result *out)
{
	double ours[RUNS_MAX];
	double peer[RUNS_MAX];
	size_t runs = 0;
	int64_t end = clock_ns() + (int64_t)(seconds * 1e9);
	void *state = row->open(small ? row->small : row->size);

	*out = (struct bench_result){.row = row, .had = state != NULL};
	if (!state)
		return;
	/* the first runs fill the caches and are not counted */
	(void)once(row, row->run, state);
	if (row->peer)
		(void)once(row, row->run_peer, state);
	while (runs < RUNS_MAX && (runs < RUNS_LEAST || clock_ns() < end)) {
		ours[runs] = once(row, row->run, state);
		peer[runs] = row->peer ? once(row, row->run_peer, state) : 0;
		runs++;
	}
	row->close(state);
	out->ours = sum_up(ours, runs);
	out->peer = sum_up(peer, runs);
	out->ratio = ratio_of(out);
}

bool bench_within(const struct bench_result *result, double slack)
{
	double most = result->row->peer ? result->row->limit : 1;

	return !result->had || result->row->limit <= 0 || result->ratio <= most * slack;
}

bool bench_worse(const struct bench_result *result)
{
	return result->had && result->recorded > 0 && result->ratio > result->recorded * 1.2;
}

static void print_side(const struct bench_side *side, FILE *out)
{
	double spread = side->median > 0 ? (side->high - side->low) / side->median * 100 : 0;

	fprintf(out, " %12.3f ±%3.0f%%", side->median, spread);
}

static void print_row(const struct bench_result *result, FILE *out)
{
	const struct bench_row *row = result->row;

	fprintf(out, "%-44s", row->name);
	if (!result->had) {
		fputs(" not to be had here\n", out);
		return;
	}
	print_side(&result->ours, out);
	if (row->peer)
		print_side(&result->peer, out);
	else
		fprintf(out, " %18s", "-");
	fprintf(out, " %-5s %7.2f", row->unit ? row->unit : "ms", result->ratio);
	if (row->limit > 0)
		fprintf(out, " of %-8.2f", row->peer ? row->limit : 1.0);
	else
		fprintf(out, " %11s", "");
	if (!bench_within(result, 1))
		fputs(" OVER ITS LIMIT", out);
	if (bench_worse(result))
		fprintf(out, " WORSE than the %.2f recorded", result->recorded);
	fputc('\n', out);
}

void bench_print(const struct bench_result *results, size_t count, FILE *out)
{
	fprintf(out, "%-44s %18s %18s %-5s %7s %s\n", "row", "ours (median)", "peer (median)", "",
		"ratio", "limit");
	for (size_t i = 0; i < count; i++)
		print_row(&results[i], out);
	for (size_t i = 0; i < count; i++)
		if (results[i].had)
			fprintf(out, "  %s: %s%s%s\n", results[i].row->name, results[i].row->ours,
				results[i].row->peer ? " beside " : "",
				results[i].row->peer ? results[i].row->peer : "");
}

static void json_side(struct loom_json *json, const char *key, const struct bench_side *side)
{
	loom_json_key(json, key);
	loom_json_object(json);
	loom_json_key(json, "median");
	loom_json_real(json, side->median);
	loom_json_key(json, "low");
	loom_json_real(json, side->low);
	loom_json_key(json, "high");
	loom_json_real(json, side->high);
	loom_json_put_int(json, "runs", (int64_t)side->runs);
	loom_json_end_object(json);
}

static void json_row(struct loom_json *json, const struct bench_result *result)
{
	loom_json_object(json);
	loom_json_put(json, "name", loom_str_of(result->row->name));
	loom_json_put_bool(json, "had", result->had);
	loom_json_put(json, "unit", loom_str_of(result->row->unit ? result->row->unit : "ms"));
	json_side(json, "ours", &result->ours);
	if (result->row->peer)
		json_side(json, "peer", &result->peer);
	loom_json_key(json, "ratio");
	loom_json_real(json, result->ratio);
	loom_json_key(json, "limit");
	loom_json_real(json, result->row->limit);
	loom_json_key(json, "recorded");
	loom_json_real(json, result->recorded);
	loom_json_put_bool(json, "within", bench_within(result, 1));
	loom_json_put_bool(json, "worse", bench_worse(result));
	loom_json_end_object(json);
}

void bench_json(const struct bench_result *results, size_t count, struct loom_buf *out)
{
	struct loom_json json;

	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_json_key(&json, "rows");
	loom_json_array(&json);
	for (size_t i = 0; i < count; i++)
		json_row(&json, &results[i]);
	loom_json_end_array(&json);
	loom_json_end_object(&json);
	loom_buf_addc(out, '\n');
}

bool bench_recorded(const char *path, struct bench_result *results, size_t count)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	cJSON *object = NULL;

	if (temp_read(path, &text) &&
	    loom_json_parse(loom_buf_str(&text), NULL, &object, NULL) != LOOM_OK)
		object = NULL;
	loom_buf_fini(&text);
	for (size_t i = 0; object && i < count; i++) {
		const cJSON *ratio = loom_json_get(object, results[i].row->name);

		results[i].recorded = cJSON_IsNumber(ratio) ? ratio->valuedouble : 0;
	}
	cJSON_Delete(object);
	return object != NULL;
}

void bench_record(const struct bench_result *results, size_t count, struct loom_buf *out)
{
	const char *before = "{\n";

	for (size_t i = 0; i < count; i++) {
		if (!results[i].had)
			continue;
		loom_buf_addf(out, "%s  ", before);
		loom_json_quote(loom_str_of(results[i].row->name), out);
		loom_buf_addf(out, ": %.3f", results[i].ratio);
		before = ",\n";
	}
	loom_buf_adds(out, "\n}\n");
}

/* "6.2 s", "11 µs", "350 B": as many digits as say something. */
static void add_figure(struct loom_buf *out, double value, const char *unit)
{
	bool seconds = !strcmp(unit, "ms") && value >= 1000;
	double shown = seconds ? value / 1000 : value;
	int digits = shown >= 10 ? 0 : shown >= 1 ? 1 : 2;

	loom_buf_addf(out, "%.*f %s", digits, shown,
		      seconds               ? "s"
		      : !strcmp(unit, "us") ? "µs"
					    : unit);
}

static void page_row(struct loom_buf *out, const struct bench_result *result)
{
	const struct bench_row *row = result->row;
	const char *unit = row->unit ? row->unit : "ms";

	loom_buf_addf(out, "| %s | %s, ", row->name, row->ours);
	add_figure(out, result->ours.median, unit);
	loom_buf_adds(out, " | ");
	if (row->peer) {
		loom_buf_addf(out, "%s, ", row->peer);
		add_figure(out, result->peer.median, unit);
		loom_buf_addf(out, " | %.2f", result->ratio);
		if (row->limit > 0)
			loom_buf_addf(out, " (%g)", row->limit);
	} else {
		loom_buf_addf(out, "| (%g %s)", row->limit, !strcmp(unit, "us") ? "µs" : unit);
	}
	loom_buf_addf(out, "%s |\n", bench_within(result, 1) ? "" : " over its limit");
}

void bench_page(struct loom_str page, const char *measured, const struct bench_result *results,
		size_t count, struct loom_buf *out)
{
	loom_buf_add(out, loom_str_sub(page, 0, loom_str_find(page, LOOM_STR(BENCH_FIGURES), 0)));
	loom_buf_addf(out,
		      BENCH_FIGURES
		      "\nMeasured %s; medians of one run. Rows over their limit say so.\n\n"
		      "| Row | Ours | Beside | Ratio (limit) |\n|---|---|---|---|\n",
		      measured);
	for (size_t i = 0; i < count; i++)
		if (results[i].had)
			page_row(out, &results[i]);
}
