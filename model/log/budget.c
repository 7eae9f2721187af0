/* Fits a conversation or a text into a number of tokens. Invariants: pure; a text is in or out as a
 * whole, except for the window over a buffer, which is cut between characters; whatever fits stays
 * unchanged. The caller supplies the texts and reports what was left out. */
#include <loom/log/budget.h>

int64_t loom_budget(int64_t window, int64_t answer)
{
	const int64_t quarter = window / 4;
	const int64_t least = quarter < LOOM_ANSWER_LEAST ? quarter : LOOM_ANSWER_LEAST;
	const int64_t most = window - (quarter ? quarter : 1);
	int64_t room = answer > least ? answer : least;

	if (window <= 0)
		return 0;
	/* A model that is told nothing cannot continue anything. */
	if (room > most)
		room = most;
	LOOM_ASSERT(room < window);
	return window - room;
}

static const char *const strategy_names[] = {
	[LOOM_STRATEGY_MODE] = "",
	[LOOM_TRUNCATE_MIDDLE] = "truncateMiddle",
	[LOOM_ROLLING_WINDOW] = "rollingWindow",
	[LOOM_STOP_AT_LIMIT] = "stopAtLimit",
};

const char *loom_strategy_name(enum loom_strategy strategy)
{
	LOOM_ASSERT((size_t)strategy < LOOM_COUNT(strategy_names));
	return strategy_names[strategy];
}

bool loom_strategy_parse(struct loom_str word, enum loom_strategy *out)
{
	for (size_t i = LOOM_TRUNCATE_MIDDLE; i < LOOM_COUNT(strategy_names); i++) {
		if (!loom_str_is(word, strategy_names[i]))
			continue;
		*out = (enum loom_strategy)i;
		return true;
	}
	return false;
}

/* ---- joining ---- */

/* The texts in output order, by runs of one role. */
struct runs {
	enum loom_role role;
	size_t bytes; /* of the current run; 0: none open */
	int64_t tokens;
};

static void add_to_run(struct runs *runs, enum loom_role role, size_t bytes)
{
	if (!bytes)
		return;
	if (runs->bytes && runs->role == role) {
		runs->bytes += 2 + bytes;
		return;
	}
	runs->tokens += loom_token_estimate(runs->bytes);
	runs->role = role;
	runs->bytes = bytes;
}

/* Computes what the remaining texts would cost when joined. */
static int64_t cost(const struct loom_fit *fits, size_t count, size_t marker)
{
	struct runs runs = {.bytes = 0};
	bool said = false;

	for (size_t i = 0; i < count; i++) {
		if (!fits[i].out)
			add_to_run(&runs, fits[i].role, fits[i].text.n);
		else if (fits[i].text.n && !said)
			add_to_run(&runs, LOOM_ROLE_USER, marker);
		said = said || (fits[i].out && fits[i].text.n);
	}
	return runs.tokens + loom_token_estimate(runs.bytes);
}

struct joined {
	struct loom_fit *items;
	size_t count;
	struct loom_fit *last; /* NULL: none yet */
	struct loom_arena *arena;
	struct loom_buf run; /* the last item's texts, if more than one */
};

static void close_run(struct joined *joined)
{
	if (joined->last && joined->run.n)
		joined->last->text = loom_arena_buf(joined->arena, &joined->run);
	loom_buf_clear(&joined->run);
}

static void join(struct joined *joined, enum loom_role role, struct loom_str text)
{
	LOOM_ASSERT(joined->arena);
	if (!text.n)
		return;
	if (!joined->last || joined->last->role != role) {
		close_run(joined);
		joined->last = &joined->items[joined->count++];
		*joined->last = (struct loom_fit){.role = role, .text = text};
		return;
	}
	if (!joined->run.n)
		loom_buf_add(&joined->run, joined->last->text);
	loom_buf_adds(&joined->run, "\n\n");
	loom_buf_add(&joined->run, text);
}

void loom_fit_join(const struct loom_fit *fits, size_t count, struct loom_str marker,
		   struct loom_arena *arena, struct loom_fit **out, size_t *out_count)
{
	struct joined joined = {.items = LOOM_ARENA_ARRAY(arena, 2 * count + 1, struct loom_fit),
				.arena = arena,
				.run = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	bool said = false;

	LOOM_ASSERT(fits || !count);
	for (size_t i = 0; i < count; i++) {
		if (!fits[i].out)
			join(&joined, fits[i].role, fits[i].text);
		else if (fits[i].text.n && !said)
			join(&joined, LOOM_ROLE_USER, marker);
		said = said || (fits[i].out && fits[i].text.n);
	}
	close_run(&joined);
	loom_buf_fini(&joined.run);
	LOOM_ASSERT(joined.count <= 2 * count + 1);
	*out = joined.items;
	*out_count = joined.count;
}

/* ---- choosing ---- */

static struct loom_str marker_for(size_t count, struct loom_arena *arena)
{
	return loom_arena_format(arena, "[… %zu %s left out …]", count,
				 loom_plural((int64_t)count, "message", "messages"));
}

static void set_out(struct loom_fit *fits, size_t from, size_t to, size_t count)
{
	LOOM_ASSERT(from <= to && to <= count);
	for (size_t i = 0; i < count; i++)
		fits[i].out = i >= from && i < to;
}

static size_t count_out(const struct loom_fit *fits, size_t count)
{
	size_t out = 0;

	for (size_t i = 0; i < count; i++)
		out += fits[i].out && fits[i].text.n;
	return out;
}

/* Returns where the last `wanted` non-empty texts begin. */
static size_t last_texts(const struct loom_fit *fits, size_t count, size_t wanted)
{
	size_t at = count;

	while (at > 0 && wanted > 0)
		wanted -= fits[--at].text.n > 0;
	LOOM_ASSERT(at <= count);
	return at;
}

static bool fits_so(struct loom_fit *fits, size_t count, int64_t budget, struct loom_arena *arena,
		    bool marked)
{
	size_t marker = marked ? marker_for(count_out(fits, count), arena).n : 0;

	return cost(fits, count, marker) <= budget;
}

/* Drops the oldest of the end; the beginning gets the room left before it. */
static void cut_middle(struct loom_fit *fits, size_t count, int64_t budget,
		       struct loom_arena *arena)
{
	const size_t last = last_texts(fits, count, 1);
	size_t tail = last_texts(fits, count, LOOM_FIT_LAST);
	size_t low = 0;
	size_t high = 0;

	for (set_out(fits, 0, tail, count);
	     tail < last && !fits_so(fits, count, budget, arena, true);
	     set_out(fits, 0, tail, count))
		tail++;
	/* Find the longest beginning that fits; cost grows with length. */
	for (high = tail; low < high;) {
		size_t head = low + (high - low + 1) / 2;

		set_out(fits, head, tail, count);
		if (fits_so(fits, count, budget, arena, true))
			low = head;
		else
			high = head - 1;
	}
	LOOM_ASSERT(low <= tail);
	set_out(fits, low, tail, count);
}

static void cut_oldest(struct loom_fit *fits, size_t count, int64_t budget,
		       struct loom_arena *arena)
{
	size_t low = 0;
	size_t high = last_texts(fits, count, 1);

	while (low < high) {
		size_t from = low + (high - low) / 2;

		set_out(fits, 0, from, count);
		if (fits_so(fits, count, budget, arena, false))
			high = from;
		else
			low = from + 1;
	}
	set_out(fits, 0, low, count);
}

enum loom_status loom_fit_choose(struct loom_fit *fits, size_t count, enum loom_strategy strategy,
				 int64_t budget, struct loom_arena *arena,
				 struct loom_str *out_marker, struct loom_err *err)
{
	int64_t whole = 0;

	LOOM_ASSERT(fits || !count);
	*out_marker = LOOM_STR("");
	set_out(fits, 0, 0, count);
	whole = cost(fits, count, 0);
	if (whole <= budget)
		return LOOM_OK;
	if (strategy == LOOM_STOP_AT_LIMIT) {
		loom_fail(err, LOOM_LIMIT,
			  "the context has %lld tokens, but the model takes only %lld",
			  (long long)whole, (long long)budget);
		return loom_hint(err, LOOM_LIMIT,
				 "exclude nodes, or set \"truncation\" of its agent to "
				 "truncateMiddle or rollingWindow");
	}
	if (strategy == LOOM_ROLLING_WINDOW) {
		cut_oldest(fits, count, budget, arena);
		return LOOM_OK;
	}
	cut_middle(fits, count, budget, arena);
	if (count_out(fits, count))
		*out_marker = marker_for(count_out(fits, count), arena);
	return LOOM_OK;
}

struct loom_str loom_fit_end(struct loom_str text, int64_t budget)
{
	size_t from = 0;

	if (loom_token_estimate(text.n) <= budget)
		return text;
	if (budget <= 0)
		return loom_str_sub(text, text.n, 0);
	from = text.n - (size_t)budget * 4;
	LOOM_ASSERT(from <= text.n);
	while (from < text.n && ((unsigned char)text.p[from] & 0xC0) == 0x80)
		from++;
	return loom_str_sub(text, from, text.n);
}
