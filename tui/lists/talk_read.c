/* A thread's log for people to read: words, thoughts, actions and their results. Rows that only the
 * machine needs (requests, raw output, positions) are left out. */
#include <loom/log/block.h>
#include <loom/context/context.h>
#include <loom/log/lifecycle.h>
#include <loom/work/thread_log.h>

#include <loom/lists/talk.h>

#define PREVIEWED     40 /* rows */
#define PREVIEW_BYTES 2000
#define ROWS          600 /* rows read from the end of a log */

struct reading {
	struct loom_arena *arena;
	struct tui_remarks *out;
	size_t call; /* the remark of the last call, to attach its result; SIZE_MAX for none */
	struct loom_usage usage; /* of the answer being read */
};

static struct tui_remark *add(struct reading *reading, const struct loom_log_row *row,
			      enum tui_said kind)
{
	struct tui_remarks *out = reading->out;

	out->items = loom_arena_grow(reading->arena, out->items, out->count, &out->cap,
				     sizeof *out->items);
	out->items[out->count] =
		(struct tui_remark){.kind = kind, .seq = row->seq * 4, .at = row->at_ms};
	return &out->items[out->count++];
}

static struct loom_str text_of(struct reading *reading, struct loom_str object, const char *key)
{
	struct loom_str value = loom_jval_get(object, key);
	struct loom_str text = loom_jval_text(value, reading->arena);

	/* Other runtimes write messages in parts. */
	if (!text.p && value.p && !loom_jval_is_null(value))
		text = value;
	return loom_arena_str(reading->arena, text);
}

static void take_message(struct reading *reading, const struct loom_log_row *row)
{
	struct loom_str thinking = text_of(reading, row->payload, "thinking");
	struct loom_str content = text_of(reading, row->payload, "content");
	struct loom_str role = loom_jval_get(row->payload, "role");
	bool agent = loom_jval_says(role, LOOM_STR("assistant"));
	struct tui_remark *remark;

	if (thinking.n) {
		remark = add(reading, row, TUI_SAID_THINKING);
		remark->seq++;
		remark->head = LOOM_STR("thought");
		remark->text = thinking;
		remark->folds = true;
	}
	if (!content.n)
		return;
	remark = add(reading, row,
		     agent                                    ? TUI_SAID_AGENT
		     : loom_jval_says(role, LOOM_STR("user")) ? TUI_SAID_HUMAN
							      : TUI_SAID_NOTE);
	remark->text = content;
	if (agent)
		remark->usage = reading->usage;
}

/* The id in the first pair of brackets. */
static struct loom_str node_in(struct loom_str text)
{
	size_t open = loom_str_find_char(text, '[', 0);
	size_t close = open == SIZE_MAX ? SIZE_MAX : loom_str_find_char(text, ']', open);

	if (close == SIZE_MAX || close - open > 16)
		return (struct loom_str){NULL, 0};
	return loom_str_sub(text, open + 1, close - open - 1);
}

static void take_action(struct reading *reading, const struct loom_log_row *row)
{
	struct tui_remark *remark = add(reading, row, TUI_SAID_CALL);
	struct loom_str line = text_of(reading, row->payload, "line");
	struct loom_str result = text_of(reading, row->payload, "result");

	remark->failed = !loom_jval_says(loom_jval_get(row->payload, "status"), LOOM_STR("ok"));
	remark->head = loom_arena_format(reading->arena, "%.*s   %.*s", LOOM_STR_ARG(line),
					 LOOM_STR_ARG(result));
	remark->text = line;
	remark->node = remark->failed ? (struct loom_str){NULL, 0} : node_in(result);
	remark->folds = true;
	reading->call = reading->out->count - 1;
}

static void take_result(struct reading *reading, const struct loom_log_row *row)
{
	struct loom_str text = text_of(reading, row->payload, "text");

	if (reading->call != SIZE_MAX && text.n)
		reading->out->items[reading->call].text = text;
	reading->call = SIZE_MAX;
}

static void take_note(struct reading *reading, const struct loom_log_row *row, struct loom_str text)
{
	if (text.n)
		add(reading, row, TUI_SAID_NOTE)->text = text;
}

/* Says what an operation changes in the agent's context from here on. */
static struct loom_str operation_text(struct reading *reading, struct loom_str payload)
{
	struct loom_str operation = loom_jval_get(payload, "operation");
	struct loom_str lane = text_of(reading, payload, "context_ref");

	if (loom_jval_says(loom_jval_get(operation, "type"), LOOM_STR("switch")))
		return loom_arena_format(reading->arena, "Continues in lane \"%.*s\".",
					 LOOM_STR_ARG(lane));
	if (loom_jval_says(loom_jval_get(operation, "reason"), LOOM_STR("compaction")))
		return LOOM_STR("From here on its context has a summary of the text above.");
	if (loom_jval_says(loom_jval_get(operation, "reason"), LOOM_STR("restore")))
		return LOOM_STR("From here on its context is that of an earlier moment.");
	return LOOM_STR("From here on its context differs from the text above.");
}

static bool take_row(void *ctx, const struct loom_log_row *row)
{
	struct reading *reading = ctx;

	if (loom_str_is(row->kind, LOOM_KIND_OUTPUT)) {
		reading->usage = (struct loom_usage){.calls = 0};
		loom_usage_read(&reading->usage, loom_jval_get(row->payload, "usage"));
	} else if (loom_str_is(row->kind, LOOM_KIND_MESSAGE))
		take_message(reading, row);
	else if (loom_str_is(row->kind, "tool_action"))
		take_action(reading, row);
	else if (loom_str_is(row->kind, "tool_result"))
		take_result(reading, row);
	else if (loom_str_is(row->kind, LOOM_KIND_WARNING) ||
		 loom_str_is(row->kind, LOOM_KIND_NOTE))
		take_note(reading, row, text_of(reading, row->payload, "text"));
	else if (loom_str_is(row->kind, LOOM_KIND_OP))
		take_note(reading, row, operation_text(reading, row->payload));
	return true;
}

/* ---- how turns ended ---- */

/* After the last row of a turn that did not end well: how it ended. */
static void put_mark(struct reading *reading, int64_t seq, struct loom_str text)
{
	struct tui_remarks *out = reading->out;
	const struct loom_log_row row = {.seq = seq, .at_ms = LOOM_TIME_NONE};
	size_t at = out->count;

	while (at > 0 && out->items[at - 1].seq / 4 > seq)
		at--;
	if (at == 0)
		return;
	struct tui_remark *mark = add(reading, &row, TUI_SAID_NOTE);
	mark->seq += 2;
	mark->at = out->items[at - 1].at;
	mark->text = text;
	const struct tui_remark kept = *mark;
	memmove(out->items + at + 1, out->items + at, (out->count - 1 - at) * sizeof kept);
	out->items[at] = kept;
}

static enum loom_status put_marks(struct reading *reading, struct loom_thread_log *keeper,
				  struct loom_err *err)
{
	struct loom_str *records = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_thread_log_runs(keeper, ROWS, reading->arena, &records, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		struct loom_str text;
		int64_t seq = 0;

		if (loom_run_mark(records[i], reading->arena, &seq, &text))
			put_mark(reading, seq, text);
	}
	return status;
}

/* ---- what it used ---- */

static bool add_usage(void *ctx, const struct loom_log_row *row)
{
	struct tui_talk *talk = ctx;

	if (loom_str_is(row->kind, LOOM_KIND_OUTPUT) || loom_str_is(row->kind, LOOM_KIND_ACTION))
		loom_usage_read(&talk->used, loom_jval_get(row->payload, "usage"));
	talk->used_through = row->seq;
	return true;
}

/* Adds up only new rows; the first call reads all. */
static enum loom_status read_usage(struct tui_talk *talk, const struct loom_log *log,
				   struct loom_err *err)
{
	struct loom_log_visitor visitor = {add_usage, talk};
	struct loom_log_range range = {.after = talk->used_through, .through = LOOM_SEQ_HEAD};

	return log->ops->read(log->ctx, &range, &visitor, err);
}

/* The last `rows` of a thread's log; `talk` (nullable) also adds up what its models used. */
static enum loom_status read_last(struct tui_app *app, int64_t thread, int64_t rows,
				  struct tui_talk *talk, struct reading *reading,
				  struct loom_err *err)
{
	struct loom_log_visitor visitor = {take_row, reading};
	struct loom_log_range range = {.after = LOOM_SEQ_NONE, .through = LOOM_SEQ_HEAD};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	int64_t head = 0;
	enum loom_status status = loom_thread_log_open(app->store, thread, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = log.ops->head(log.ctx, &head, err);
	if (head - rows > range.after) {
		range.after = head - rows;
		reading->out->more = true;
	}
	if (status == LOOM_OK)
		status = log.ops->read(log.ctx, &range, &visitor, err);
	if (status == LOOM_OK)
		status = put_marks(reading, keeper, err);
	if (status == LOOM_OK && talk)
		status = read_usage(talk, &log, err);
	loom_thread_log_close(keeper);
	return status;
}

enum loom_status tui_talk_read(struct tui_app *app, struct tui_talk *talk, struct loom_arena *arena,
			       struct tui_remarks *out, struct loom_err *err)
{
	struct reading reading = {.arena = arena, .out = out, .call = SIZE_MAX};

	*out = (struct tui_remarks){NULL, 0, 0, false};
	return read_last(app, talk->thread, ROWS, talk, &reading, err);
}

void tui_talk_preview(struct tui_app *app, const struct loom_thread *thread, struct loom_buf *out)
{
	struct tui_remarks remarks = {NULL, 0, 0, false};
	struct reading reading = {.arena = app->arena, .out = &remarks, .call = SIZE_MAX};

	if (read_last(app, thread->id, PREVIEWED, NULL, &reading, NULL) != LOOM_OK)
		return;
	for (size_t i = remarks.count; i-- > 0;) {
		const struct tui_remark *remark = &remarks.items[i];

		if (remark->folds) {
			loom_buf_addf(out, "%.*s\n", LOOM_STR_ARG(remark->head));
			continue;
		}
		loom_buf_addf(out, "%s%.*s: %.*s\n\n", out->n ? "\n" : "",
			      LOOM_STR_ARG(remark->kind == TUI_SAID_HUMAN
						   ? LOOM_STR("you")
						   : tui_people_name(&app->people, thread->agent)),
			      LOOM_STR_ARG(loom_str_sub(remark->text, 0, PREVIEW_BYTES)));
	}
}
