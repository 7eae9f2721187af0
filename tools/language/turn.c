/* A text scanned and parsed: its calls in batches, refusals, hints, prose and thinking.
 *
 * The scanner knows whether only blank lines separate two calls. A refused line between them closes
 * the batch as well, but only parsing can tell. Nothing runs here. */
#include "inside.h"

struct keeper {
	struct loom_turn turn; /* first: callers hold a pointer to it */
	struct loom_arena *arena;
	struct loom_scan *scan;
	struct lang_turn_sink sink; /* itself, unless everything is passed on */
	enum loom_turn_keep keep;
	size_t call_cap;
	size_t error_cap;
	size_t hint_cap;
	size_t piece_cap;
	size_t prose_end; /* of the last prose, in the text */
	bool in_tag;      /* the next thinking continues the last */
};

/* Makes room for one more item. Lists may grow long, so they are reallocated rather than left
 * behind in an arena. */
static void *room(void *items, size_t count, size_t *cap, size_t size)
{
	if (count < *cap)
		return items;
	*cap = *cap ? *cap * 2 : 8;
	return loom_realloc(items, *cap, size);
}

static void keep_call(void *ctx, const struct loom_call *call)
{
	struct keeper *keeper = ctx;
	struct loom_turn *turn = &keeper->turn;

	turn->calls = room(turn->calls, turn->call_count, &keeper->call_cap, sizeof *call);
	turn->calls[turn->call_count] = *call;
}

static void keep_refusal(void *ctx, const struct loom_refusal *refusal)
{
	struct keeper *keeper = ctx;
	struct loom_turn *turn = &keeper->turn;

	turn->errors = room(turn->errors, turn->error_count, &keeper->error_cap, sizeof *refusal);
	turn->errors[turn->error_count] = *refusal;
}

static void keep_hint(void *ctx, const struct loom_turn_hint *hint)
{
	struct keeper *keeper = ctx;
	struct loom_turn *turn = &keeper->turn;

	turn->hints = room(turn->hints, turn->hint_count, &keeper->hint_cap, sizeof *hint);
	turn->hints[turn->hint_count] = *hint;
}

static void take_call(struct keeper *keeper, const struct loom_scan_event *event,
		      struct loom_call *call)
{
	struct loom_turn *turn = &keeper->turn;

	call->line = event->line;
	call->begin = event->begin;
	call->end = event->end;
	call->past_limit = turn->call_count >= LOOM_CALLS_MAX;
	if (!turn->batch_open || !event->joins)
		turn->batch_count++;
	call->batch = turn->batch_count - 1;
	keeper->sink.call(keeper->sink.ctx, call);
	turn->call_count++;
	turn->batch_open = true;
}

static void take_refusal(struct keeper *keeper, const struct loom_scan_event *event,
			 struct loom_refusal *refusal)
{
	struct loom_turn *turn = &keeper->turn;

	refusal->line = event->line;
	refusal->begin = event->begin;
	refusal->end = event->end;
	keeper->sink.refusal(keeper->sink.ctx, refusal);
	turn->error_count++;
	turn->batch_open = false;
}

static void take_hint(struct keeper *keeper, const struct loom_scan_event *event)
{
	const struct loom_turn_hint hint = {.line = event->line, .hint = event->hint};

	keeper->sink.hint(keeper->sink.ctx, &hint);
	keeper->turn.hint_count++;
}

/* Separates a new thought from the one before by a blank line. */
static void keep_thinking(struct keeper *keeper, struct loom_str text, bool goes_on)
{
	struct loom_buf *thinking = &keeper->turn.thinking;

	if (!goes_on)
		loom_buf_cut(thinking, lang_trim(loom_buf_str(thinking)).n);
	if (!goes_on && thinking->n)
		loom_buf_adds(thinking, "\n\n");
	if (goes_on || !lang_is_blank(text))
		loom_buf_add(thinking, text);
}

static void on_call(struct keeper *keeper, const struct loom_scan_event *event)
{
	struct loom_refusal refusal;
	struct loom_call call;

	if (loom_parse_line(keeper->arena, event->text, &call, &refusal) == LOOM_OK)
		take_call(keeper, event, &call);
	else
		take_refusal(keeper, event, &refusal);
}

static void on_thought(struct keeper *keeper, const struct loom_scan_event *event)
{
	struct loom_refusal refusal = {.text = LOOM_STR("think"), .verb = LOOM_VERB_THINK};
	struct loom_err err = {0};
	struct loom_call call;
	struct loom_str text = loom_arena_str(keeper->arena, event->text);

	if (lang_parse_thought(text, &call, &err) != LOOM_OK) {
		lang_refusal_of(keeper->arena, &err, &refusal);
		take_refusal(keeper, event, &refusal);
		return;
	}
	call.unterminated = event->unterminated;
	call.text = loom_arena_format(keeper->arena, "think %.*s", LOOM_STR_ARG(text));
	if (keeper->keep == LOOM_TURN_WITH_PROSE)
		keep_thinking(keeper, text, false);
	take_call(keeper, event, &call);
}

static void on_refused(struct keeper *keeper, const struct loom_scan_event *event)
{
	struct loom_refusal refusal = {0};

	lang_refusal_of(keeper->arena, event->err, &refusal);
	refusal.text = loom_arena_str(keeper->arena, lang_shown(event->text));
	take_refusal(keeper, event, &refusal);
}

/* Keeps prose, and where it stood: what follows on the last piece in every respect belongs to it.
 */
static void keep_prose(struct keeper *keeper, const struct loom_scan_event *event)
{
	struct loom_turn *turn = &keeper->turn;
	struct loom_turn_prose *last =
		turn->piece_count ? &turn->pieces[turn->piece_count - 1] : NULL;
	const size_t begin = turn->prose.n;

	loom_buf_add(&turn->prose, event->text);
	if (last && last->region == event->region && !last->lost &&
	    keeper->prose_end == event->begin) {
		last->end = turn->prose.n;
	} else {
		turn->pieces = room(turn->pieces, turn->piece_count, &keeper->piece_cap,
				    sizeof *turn->pieces);
		turn->pieces[turn->piece_count++] =
			(struct loom_turn_prose){.begin = begin,
						 .end = turn->prose.n,
						 .line = event->line,
						 .region = event->region};
	}
	keeper->prose_end = event->end;
}

static void on_prose(struct keeper *keeper, const struct loom_scan_event *event)
{
	if (keeper->turn.batch_open && !lang_is_blank(event->text))
		keeper->turn.batch_open = false;
	if (keeper->keep == LOOM_TURN_WITH_PROSE)
		keep_prose(keeper, event);
}

static void on_lost(struct keeper *keeper, const struct loom_scan_event *event)
{
	struct loom_turn *turn = &keeper->turn;

	for (size_t i = turn->piece_count; i && turn->pieces[i - 1].line >= event->line; i--)
		turn->pieces[i - 1].lost = turn->pieces[i - 1].region == LOOM_REGION_INSIDE;
}

static void on_event(void *ctx, const struct loom_scan_event *event)
{
	struct keeper *keeper = ctx;
	bool in_tag = keeper->in_tag;

	keeper->in_tag = event->kind == LOOM_SCAN_THINKING;
	switch (event->kind) {
	case LOOM_SCAN_CALL:
		on_call(keeper, event);
		break;
	case LOOM_SCAN_THINK:
		on_thought(keeper, event);
		break;
	case LOOM_SCAN_REFUSED:
		on_refused(keeper, event);
		break;
	case LOOM_SCAN_HINT:
		take_hint(keeper, event);
		break;
	case LOOM_SCAN_PROSE:
		on_prose(keeper, event);
		break;
	case LOOM_SCAN_LOST:
		on_lost(keeper, event);
		break;
	case LOOM_SCAN_THINKING:
		keeper->turn.batch_open = false;
		if (keeper->keep == LOOM_TURN_WITH_PROSE)
			keep_thinking(keeper, event->text, in_tag);
		break;
	}
	if (keeper->sink.ctx != keeper)
		loom_arena_reset(keeper->arena);
}

struct loom_turn *loom_turn_create(enum loom_source source, enum loom_turn_keep keep)
{
	struct keeper *keeper = loom_alloc(sizeof *keeper);
	struct loom_scan_sink sink = {.event = on_event, .ctx = keeper};

	keeper->turn.source = source;
	keeper->sink = (struct lang_turn_sink){keep_call, keep_refusal, keep_hint, keeper};
	keeper->keep = keep;
	keeper->arena = loom_arena_create();
	keeper->scan = loom_scan_create(source, sink);
	loom_buf_init(&keeper->turn.prose, LOOM_BUF_MAX);
	loom_buf_init(&keeper->turn.thinking, LOOM_BUF_MAX);
	return &keeper->turn;
}

struct loom_turn *lang_turn_pass(enum loom_source source, const struct lang_turn_sink *sink)
{
	struct loom_turn *turn = loom_turn_create(source, LOOM_TURN_CALLS);

	((struct keeper *)turn)->sink = *sink;
	return turn;
}

void loom_turn_destroy(struct loom_turn *turn)
{
	struct keeper *keeper = (struct keeper *)turn;

	if (!keeper)
		return;
	loom_scan_destroy(keeper->scan);
	loom_arena_destroy(keeper->arena);
	free(turn->calls);
	free(turn->errors);
	free(turn->hints);
	free(turn->pieces);
	loom_buf_fini(&turn->prose);
	loom_buf_fini(&turn->thinking);
	free(keeper);
}

size_t loom_turn_cut(struct loom_turn *turn)
{
	const size_t all = turn->call_count;
	size_t kept = 0;

	while (kept < all && !turn->calls[kept].past_limit)
		kept++;
	if (kept == all)
		return 0;
	turn->call_count = kept + 1;
	turn->batch_count = turn->calls[kept].batch + 1;
	while (turn->error_count &&
	       turn->errors[turn->error_count - 1].line > turn->calls[kept].line)
		turn->error_count--;
	return all - turn->call_count;
}

void loom_turn_feed(struct loom_turn *turn, struct loom_str piece)
{
	loom_scan_feed(((struct keeper *)turn)->scan, piece);
}

bool loom_turn_inside(const struct loom_turn *turn)
{
	return loom_scan_inside(((const struct keeper *)turn)->scan);
}

static void trim_thinking(struct loom_turn *turn)
{
	loom_buf_cut(&turn->thinking, lang_trim(loom_buf_str(&turn->thinking)).n);
}

void loom_turn_end(struct loom_turn *turn)
{
	loom_scan_end(((struct keeper *)turn)->scan);
	trim_thinking(turn);
}

void loom_turn_break(struct loom_turn *turn)
{
	loom_scan_break(((struct keeper *)turn)->scan);
	trim_thinking(turn);
}
