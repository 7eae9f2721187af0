/* Finds the results of earlier turns that this turn or the one before it mentions: they stay in the
 * context. Invariants: a mention is res-N as a word after the result, in a message or a call; a
 * turn is the rows of one request. Reading the results is left to others. */
#include "inside.h"

#include <ctype.h>

static void add(struct model_refers *refers, struct loom_arena *arena, int64_t number, int64_t seq)
{
	refers->items = loom_arena_grow(arena, refers->items, refers->count, &refers->cap,
					sizeof *refers->items);
	refers->items[refers->count++] = (struct model_refer){number, seq};
}

/* Returns the number of a "res-12" at this place; 0: none. */
static int64_t number_at(struct loom_str text, size_t at, size_t *out_end)
{
	int64_t number = 0;
	size_t end = at + 4;

	LOOM_ASSERT(at + 4 <= text.n);
	while (end < text.n && isdigit((unsigned char)text.p[end]) && end < at + 20)
		number = number * 10 + (text.p[end++] - '0');
	*out_end = end;
	if ((at && isalnum((unsigned char)text.p[at - 1])) || end == at + 4 ||
	    (end < text.n && isalnum((unsigned char)text.p[end])))
		return 0;
	return number;
}

static void look(struct model_refers *refers, struct loom_arena *arena, struct loom_str text,
		 int64_t seq)
{
	const struct loom_str word = LOOM_STR("res-");
	size_t end = 0;

	for (size_t at = 0; (at = loom_str_find(text, word, at)) != SIZE_MAX; at = end) {
		int64_t number = number_at(text, at, &end);

		if (number > 0)
			add(refers, arena, number, seq);
	}
}

/* ---- which rows to read ---- */

struct listen {
	const struct model_listen *what;
	struct loom_arena *arena;
	struct loom_str kind;    /* the kind to read */
	int64_t last_seq;        /* the newest row before the current turn */
	struct loom_str request; /* the request it belongs to */
	struct model_refers *out;
};

/* Filters the rows: keepers need not do it. */
static bool is_read(const struct listen *listen, const struct loom_log_row *row)
{
	struct loom_str lane = loom_jval_get(loom_jval_of(row->payload), "context_ref");

	return loom_str_eq(row->kind, listen->kind) &&
	       (!loom_str_is(row->kind, LOOM_KIND_MESSAGE) ||
		loom_jval_says(lane, listen->what->lane));
}

static struct loom_str request_of(const struct listen *listen, const struct loom_log_row *row)
{
	struct loom_str text =
		loom_jval_text(loom_jval_get(loom_jval_of(row->payload), "request_id"),
			       listen->arena);

	return text.p ? loom_arena_str(listen->arena, text) : LOOM_STR("");
}

/* Newest first. */
static bool find_last(void *ctx, const struct loom_log_row *row)
{
	struct listen *listen = ctx;

	if (!is_read(listen, row))
		return true;
	if (row->seq > listen->last_seq) {
		listen->last_seq = row->seq;
		listen->request = request_of(listen, row);
	}
	return false;
}

/* The turn after `→ help` works with what it printed, whether it mentions it or not. */
static void hear_help(struct listen *listen, const struct loom_log_row *row)
{
	const struct loom_str payload = loom_jval_of(row->payload);
	int64_t number = 0;

	if (loom_jval_says(loom_jval_get(payload, "call"), LOOM_STR("help")) &&
	    loom_jval_int(loom_jval_get(payload, "number"), &number))
		add(listen->out, listen->arena, number, LOOM_SEQ_HEAD);
}

static void hear(struct listen *listen, const struct loom_log_row *row)
{
	struct loom_context one = {.lane = listen->what->lane};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (loom_str_is(row->kind, LOOM_KIND_ACTION)) {
		hear_help(listen, row);
		look(listen->out, listen->arena,
		     loom_jval_text(loom_jval_get(loom_jval_of(row->payload), "line"),
				    listen->arena),
		     row->seq);
	} else if (loom_context_fold(&one, row, false, listen->arena)) {
		loom_entry_text(&one.entries[0], &text);
		look(listen->out, listen->arena, loom_buf_str(&text), row->seq);
	}
	loom_buf_fini(&text);
}

/* Newest first, to the start of the previous turn. */
static bool hear_turn(void *ctx, const struct loom_log_row *row)
{
	struct listen *listen = ctx;

	if (!is_read(listen, row))
		return true;
	if (row->seq < listen->what->turn_seq &&
	    !loom_str_eq(request_of(listen, row), listen->request))
		return false;
	hear(listen, row);
	return true;
}

/* Messages, then calls: this skips the many rows of other kinds a log may have. */
static enum loom_status read_rows(struct listen *listen, const struct loom_log *log,
				  bool (*visit)(void *ctx, const struct loom_log_row *row),
				  int64_t through, struct loom_err *err)
{
	const struct loom_str kinds[] = {LOOM_STR(LOOM_KIND_MESSAGE), LOOM_STR(LOOM_KIND_ACTION)};
	const struct loom_log_visitor visitor = {visit, listen};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(visit);
	for (size_t i = 0; i < LOOM_COUNT(kinds) && status == LOOM_OK; i++) {
		const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
						     .through = through,
						     .kind = kinds[i],
						     .newest_first = true};

		listen->kind = kinds[i];
		status = log->ops->read(log->ctx, &range, &visitor, err);
	}
	return status;
}

enum loom_status model_refers_find(const struct loom_log *log, const struct model_listen *what,
				   struct loom_arena *arena, struct model_refers *out,
				   struct loom_err *err)
{
	struct listen listen = {.what = what,
				.arena = arena,
				.last_seq = LOOM_SEQ_NONE,
				.out = out};
	const int64_t before = what->turn_seq == LOOM_SEQ_HEAD ? what->at : what->turn_seq - 1;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(log->ops && out);
	*out = (struct model_refers){.count = 0};
	look(out, arena, what->input, LOOM_SEQ_HEAD);
	status = read_rows(&listen, log, find_last, before, err);
	return status == LOOM_OK ? read_rows(&listen, log, hear_turn, what->at, err) : status;
}

bool model_refers_to(const struct model_refers *refers, int64_t number, int64_t seq)
{
	for (size_t i = 0; i < refers->count; i++)
		if (refers->items[i].number == number && refers->items[i].seq > seq)
			return true;
	return false;
}
