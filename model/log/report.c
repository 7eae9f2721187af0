/* The report of a turn: finds its rows from the end of the log, then reports them in order.
 *
 * Everything a model or a person wrote is in a fence that it cannot close, so that no text can pass
 * for a heading or another call. */
#include <loom/log/report.h>

#include <loom/text/sanitise.h>
#include <loom/text/quoting.h>
#include <loom/base/env.h>
#include <loom/text/markdown.h>

/* ---- finding the rows ---- */

struct span {
	struct loom_arena *arena;
	bool found;
	struct loom_str request; /* empty: rows without one */
	int64_t from;
	int64_t through;
};

static struct loom_str request_of(const struct loom_log_row *row, struct loom_arena *arena)
{
	struct loom_str text =
		loom_jval_text(loom_jval_get(loom_jval_of(row->payload), "request_id"), arena);

	return text.p ? loom_arena_str(arena, text) : LOOM_STR("");
}

static bool is_told(const struct loom_log_row *row)
{
	return loom_str_is(row->kind, LOOM_KIND_MESSAGE) ||
	       loom_str_is(row->kind, LOOM_KIND_ACTION) || loom_str_is(row->kind, LOOM_KIND_RESULT);
}

/* Newest first. Rows of no request (warnings, notes) may lie between those of one. */
static bool span_row(void *ctx, const struct loom_log_row *row)
{
	struct span *span = ctx;
	struct loom_str request;

	if (!is_told(row))
		return true;
	request = request_of(row, span->arena);
	if (!span->found) {
		span->found = true;
		span->request = request;
		span->through = row->seq;
	}
	if (!loom_str_eq(request, span->request))
		return false;
	LOOM_ASSERT(row->seq <= span->through);
	span->from = row->seq;
	return true;
}

/* ---- reporting ---- */

struct report {
	struct loom_arena *arena;
	struct loom_buf operations; /* one per line */
	struct loom_buf calls;
	struct loom_buf said;
	int64_t began;
	int64_t ended;
	size_t call_count;
	size_t refused;
};

static struct loom_str text_of(struct report *report, const struct loom_log_row *row,
			       const char *key)
{
	return loom_jval_text(loom_jval_get(loom_jval_of(row->payload), key), report->arena);
}

static void tell_action(struct report *report, const struct loom_log_row *row)
{
	struct loom_str code = text_of(report, row, "code");
	struct loom_str line = text_of(report, row, "line");
	int64_t op = 0;

	report->call_count++;
	report->refused += code.n > 0;
	LOOM_ASSERT(report->refused <= report->call_count);
	loom_buf_addf(&report->calls, "\n### %zu. %.*s\n", report->call_count,
		      LOOM_STR_ARG(code.n ? code : LOOM_STR("ok")));
	if (!loom_jval_int(loom_jval_get(loom_jval_of(row->payload), "op"), &op))
		return;
	loom_buf_addf(&report->operations, "%lld  %.*s\n", (long long)op,
		      LOOM_STR_ARG(loom_str_sub(line, 0, loom_str_find_char(line, '\n', 0))));
}

static void tell_message(struct report *report, const struct loom_log_row *row)
{
	struct loom_str role = text_of(report, row, "role");
	struct loom_str content = loom_jval_get(loom_jval_of(row->payload), "content");
	struct loom_str text = loom_jval_text(content, report->arena);

	loom_buf_addf(&report->said, "\n### %.*s\n",
		      LOOM_STR_ARG(loom_shown_label(report->arena, role)));
	/* A list of parts is written as it is. */
	model_put_fence(&report->said, LOOM_STR(""), text.p ? text : content);
}

static bool tell_row(void *ctx, const struct loom_log_row *row)
{
	struct report *report = ctx;

	if (!is_told(row))
		return true;
	if (report->began == LOOM_TIME_NONE)
		report->began = row->at_ms;
	report->ended = row->at_ms;
	if (loom_str_is(row->kind, LOOM_KIND_ACTION))
		tell_action(report, row);
	else if (loom_str_is(row->kind, LOOM_KIND_RESULT))
		model_put_fence(&report->calls, LOOM_STR(""), text_of(report, row, "text"));
	else
		tell_message(report, row);
	return true;
}

static void put_time(struct loom_buf *out, const char *name, int64_t ms)
{
	LOOM_ASSERT(name[0]);
	if (ms == LOOM_TIME_NONE)
		return;
	loom_buf_addf(out, "- **%s:** ", name);
	loom_time_iso(ms, out);
	loom_buf_addc(out, '\n');
}

static void put_head(const struct loom_report_opts *opts, const struct span *span,
		     const struct report *report, struct loom_buf *out)
{
	LOOM_ASSERT(span->found);
	loom_buf_addf(out, "# Turn Report\n\n- **Thread:** %.*s\n- **Agent:** %.*s\n",
		      LOOM_STR_ARG(opts->thread), LOOM_STR_ARG(opts->agent));
	if (opts->tree.n)
		loom_buf_addf(out, "- **Tree:** %.*s\n", LOOM_STR_ARG(opts->tree));
	if (span->request.n && loom_str_find_char(span->request, '\n', 0) == SIZE_MAX)
		loom_buf_addf(out, "- **Turn:** %.*s\n", LOOM_STR_ARG(span->request));
	put_time(out, "Began", report->began);
	put_time(out, "Ended", report->ended);
	loom_buf_addf(out, "- **Calls:** %zu, %zu refused\n", report->call_count, report->refused);
}

static void put_body(struct report *report, struct loom_buf *out)
{
	loom_buf_adds(out, "\n## 1. Operations\n");
	if (report->operations.n)
		model_put_fence(out, LOOM_STR(""), loom_buf_str(&report->operations));
	else
		loom_buf_adds(out, "Nothing was changed.\n");
	loom_buf_adds(out, "\n## 2. Calls\n");
	if (!report->calls.n)
		loom_buf_adds(out, "Nothing was called.\n");
	loom_buf_add(out, loom_buf_str(&report->calls));
	loom_buf_adds(out, "\n## 3. Conversation\n");
	if (!report->said.n)
		loom_buf_adds(out, "Nothing was said.\n");
	loom_buf_add(out, loom_buf_str(&report->said));
}

enum loom_status loom_report(const struct loom_log *log, const struct loom_report_opts *opts,
			     struct loom_arena *arena, struct loom_buf *out, struct loom_err *err)
{
	struct loom_log_range range = {.after = LOOM_SEQ_NONE,
				       .through = LOOM_SEQ_HEAD,
				       .newest_first = true};
	struct span span = {.arena = arena};
	struct report report = {.arena = arena,
				.operations = LOOM_BUF_INIT(LOOM_BUF_MAX),
				.calls = LOOM_BUF_INIT(LOOM_BUF_MAX),
				.said = LOOM_BUF_INIT(LOOM_BUF_MAX),
				.began = LOOM_TIME_NONE,
				.ended = LOOM_TIME_NONE};
	enum loom_status status =
		log->ops->read(log->ctx, &range, &(struct loom_log_visitor){span_row, &span}, err);

	LOOM_ASSERT(log->ops && out);
	if (status == LOOM_OK && !span.found)
		status = loom_fail(err, LOOM_NOT_FOUND, "thread %.*s has had no turn yet",
				   LOOM_STR_ARG(opts->thread));
	range = (struct loom_log_range){.after = span.from - 1, .through = span.through};
	if (status == LOOM_OK)
		status = log->ops->read(log->ctx, &range,
					&(struct loom_log_visitor){tell_row, &report}, err);
	if (status == LOOM_OK) {
		put_head(opts, &span, &report, out);
		put_body(&report, out);
	}
	loom_buf_fini(&report.operations);
	loom_buf_fini(&report.calls);
	loom_buf_fini(&report.said);
	return status;
}
