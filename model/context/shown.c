/* What a thread was shown before and is shown again as it was, so that its prompt grows at the end:
 * the headers of nodes, and how far the trace of its memory goes. Invariants: kept in the log and
 * read from it, so that the same log gives the same bytes; what changed since is told at the end.
 */
#include "inside.h"

#include <loom/log/block.h>

/* At most this many nodes are named whose headers changed. */
#define CHANGED_MAX 20

/* ---- reading ---- */

struct reading {
	struct model_shown *shown;
	struct loom_heads *heads;
	struct loom_arena *arena;
};

static void read_head(struct reading *reading, struct loom_str item, int64_t at_ms)
{
	struct loom_jwalk walk = loom_jval_walk(item);
	struct loom_str value;
	int64_t node = 0;

	if (loom_jwalk_next(&walk, NULL, &value) && loom_jval_int(value, &node) && node > 0 &&
	    loom_jwalk_next(&walk, NULL, &value))
		model_heads_log(reading->heads, node, loom_jval_text(value, reading->arena), at_ms);
}

/* A row with something shown. */
struct shown_row {
	struct loom_str payload;
	int64_t at_ms;
};

struct search {
	struct loom_arena *arena;
	struct shown_row *rows; /* newest first */
	size_t count;
	size_t cap;
	int64_t after; /* rows up to here are not told from */
	int64_t next;  /* the row to look at; LOOM_SEQ_NONE: that is all */
	int64_t last;  /* the newest row with something shown */
};

/* Each row of what was sent names the one before it that has something shown. */
static bool take_shown(void *ctx, const struct loom_log_row *row)
{
	struct search *search = ctx;
	struct loom_str payload = loom_jval_of(row->payload);
	struct loom_str shown = loom_jval_get(payload, "shown");

	if (!loom_str_is(row->kind, LOOM_KIND_INPUT))
		return true;
	if (!loom_jval_int(loom_jval_get(payload, "shown_before"), &search->next) ||
	    search->next >= row->seq)
		search->next = LOOM_SEQ_NONE;
	if (shown.p && search->last == LOOM_SEQ_NONE)
		search->last = row->seq;
	if (!shown.p || row->seq <= search->after)
		return false;
	search->rows = loom_arena_grow(search->arena, search->rows, search->count, &search->cap,
				       sizeof *search->rows);
	search->rows[search->count++] =
		(struct shown_row){loom_arena_str(search->arena, shown), row->at_ms};
	return false;
}

static void use_row(struct reading *reading, const struct shown_row *row)
{
	struct loom_str memory = loom_jval_get(row->payload, "memory");
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(row->payload, "heads"));
	struct loom_str item;

	while (loom_jwalk_next(&walk, NULL, &item))
		read_head(reading, item, row->at_ms);
	if (memory.p && loom_jval_int(loom_jval_get(row->payload, "trace"), &reading->shown->trace))
		reading->shown->memory = loom_jval_text(memory, reading->arena);
}

enum loom_status model_shown_read(const struct loom_log *log, int64_t after, int64_t at,
				  struct loom_heads *heads, struct loom_arena *arena,
				  struct model_shown *out, struct loom_err *err)
{
	struct search search = {.arena = arena, .after = after, .next = at, .last = LOOM_SEQ_NONE};
	const struct loom_log_visitor visitor = {take_shown, &search};
	struct reading reading = {out, heads, arena};
	struct loom_log_range range = {.after = LOOM_SEQ_NONE,
				       .through = at,
				       .kind = LOOM_STR(LOOM_KIND_INPUT),
				       .newest_first = true};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(log->ops && heads);
	*out = (struct model_shown){.trace = LOOM_SEQ_NONE, .last = LOOM_SEQ_NONE};
	for (bool first = true; status == LOOM_OK && search.next != LOOM_SEQ_NONE &&
				(first || search.next > after || search.last == LOOM_SEQ_NONE);
	     first = false) {
		range.through = search.next;
		search.next = LOOM_SEQ_NONE;
		status = log->ops->read(log->ctx, &range, &visitor, err);
	}
	out->last = search.last;
	for (size_t i = search.count; i > 0; i--)
		use_row(&reading, &search.rows[i - 1]);
	return status;
}

/* ---- keeping ---- */

struct loom_str model_shown_row(const struct loom_heads *heads, const struct model_shown *before,
				const struct model_shown *now, struct loom_arena *arena)
{
	const bool memory =
		!loom_str_eq(before->memory, now->memory) || before->trace != now->trace;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	struct loom_str row = LOOM_STR("");
	size_t count = 0;

	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_key(&json, "heads");
	loom_json_array(&json);
	count = model_heads_new(heads, &json);
	loom_json_end_array(&json);
	if (memory) {
		loom_json_put(&json, "memory", now->memory);
		loom_json_put_int(&json, "trace", now->trace);
	}
	loom_json_end_object(&json);
	if (count || memory)
		row = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return row;
}

/* ---- what changed since ---- */

/* Returns a header's line of connections; empty if it has none. */
static struct loom_str ties_of(struct loom_str head)
{
	const size_t feed = loom_str_find_char(head, '\n', 0);
	const size_t rule = loom_str_find(head, LOOM_STR(MODEL_RULE), 0);

	return rule == SIZE_MAX || feed >= rule ? LOOM_STR("")
						: loom_str_sub(head, feed + 1, rule - feed - 1);
}

void model_since_add(struct model_since *since, const struct model_head *was, struct loom_str is)
{
	const struct loom_str ties = ties_of(is);

	if (since->shown_at == LOOM_TIME_NONE || was->at_ms < since->shown_at)
		since->shown_at = was->at_ms;
	if (loom_str_eq(ties_of(was->text), ties) || ++since->count > CHANGED_MAX)
		return;
	loom_buf_addf(&since->text, "; %.*s %.*s",
		      LOOM_STR_ARG(loom_str_sub(is, 0, loom_str_find_char(is, ' ', 0))),
		      LOOM_STR_ARG(ties.n ? ties : LOOM_STR("no connections")));
}

struct loom_str model_since_line(struct model_since *since, int64_t now, struct loom_arena *arena)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str said = LOOM_STR("");

	if (since->shown_at != LOOM_TIME_NONE &&
	    (since->count || now - since->shown_at >= MODEL_SINCE_MS)) {
		loom_buf_adds(&line, LOOM_SAYS_SINCE);
		loom_time_ago(since->shown_at, now, false, &line);
		loom_buf_add(&line, loom_buf_str(&since->text));
		if (since->count > CHANGED_MAX)
			loom_buf_addf(&line, "; and %zu more", since->count - CHANGED_MAX);
		loom_buf_addc(&line, '\n');
		said = loom_arena_buf(arena, &line);
	}
	loom_buf_fini(&line);
	loom_buf_fini(&since->text);
	return said;
}

/* ---- news of its files ---- */

struct news {
	struct loom_arena *arena;
	struct loom_str text;
};

static bool take_news(void *ctx, const struct loom_log_row *row)
{
	struct news *news = ctx;

	if (!loom_str_is(row->kind, LOOM_KIND_NOTE) ||
	    !loom_str_is(loom_jval_get(row->payload, "told"), "true"))
		return true;
	news->text = loom_arena_str(news->arena, loom_jval_text(loom_jval_get(row->payload, "text"),
								news->arena));
	return false;
}

enum loom_status model_news_read(const struct loom_log *log, int64_t turn_seq, int64_t at,
				 struct loom_arena *arena, struct loom_str *out,
				 struct loom_err *err)
{
	const struct loom_log_range range = {.after = turn_seq,
					     .through = at,
					     .kind = LOOM_STR(LOOM_KIND_NOTE)};
	struct news news = {.arena = arena, .text = *out};
	const struct loom_log_visitor visitor = {take_news, &news};
	enum loom_status status = log->ops->read(log->ctx, &range, &visitor, err);

	*out = news.text;
	return status;
}

struct loom_str loom_news_frame(struct loom_str news, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str framed = LOOM_STR("");

	if (!news.n)
		return framed;
	loom_buf_adds(&text, LOOM_FRAME_THREAD "\n");
	(void)loom_body_add(&text, news, LOOM_BELOW_HEADERS);
	loom_buf_adds(&text, "\n" LOOM_FRAME_END);
	framed = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return framed;
}
