/* Makes a loom-aware agent's context fit: shortens and drops in steps, and says so. Invariants:
 * pure; the order of steps is fixed, and they end once everything fits; everything is shortened
 * before anything is left out, and the oldest is left out first, so that what stays has no gaps;
 * the prompt, pins, recalled texts, the turn and the newest node stay at any cost. What is still
 * too much is left to aware.c. */
#include "inside.h"

#define LAST 4 /* nodes at the end of the path, and messages, that are shortened last */

struct loom_str model_unit_text(const struct model_unit *unit, struct loom_arena *arena)
{
	char *text = NULL;

	LOOM_ASSERT(unit->head <= unit->said.text.n);
	if (unit->state == MODEL_UNIT_OUT)
		return LOOM_STR("");
	if (unit->state == MODEL_UNIT_WHOLE)
		return unit->said.text;
	if (!unit->head)
		return unit->brief;
	text = loom_arena_alloc(arena, unit->head + unit->brief.n);
	memcpy(text, unit->said.text.p, unit->head);
	if (unit->brief.n)
		memcpy(text + unit->head, unit->brief.p, unit->brief.n);
	return loom_str_make(text, unit->head + unit->brief.n);
}

struct loom_prompt_message model_unit_said(const struct model_unit *unit, struct loom_arena *arena)
{
	struct loom_prompt_message said = unit->said;

	LOOM_ASSERT(unit->block_length <= unit->said.text.n);
	said.text = model_unit_text(unit, arena);
	if (unit->state == MODEL_UNIT_SHORT) /* its calls stay, since their results do */
		said.parts = said.reasoning = loom_str_make(NULL, 0);
	return said;
}

static int64_t short_cost(const struct model_unit *unit)
{
	struct loom_prompt_message said = unit->said;

	said.text.n = unit->head + unit->brief.n; /* only its length counts */
	said.parts = said.reasoning = loom_str_make(NULL, 0);
	return loom_prompt_tokens(&said);
}

static int64_t unit_cost(const struct model_unit *unit)
{
	if (unit->state == MODEL_UNIT_OUT)
		return 0;
	return unit->state == MODEL_UNIT_SHORT ? short_cost(unit) : loom_prompt_tokens(&unit->said);
}

/* Returns whether the short form costs less. */
static bool can_shorten(const struct model_unit *unit)
{
	LOOM_ASSERT(unit->head <= unit->said.text.n);
	return short_cost(unit) < loom_prompt_tokens(&unit->said);
}

/* Returns the short form of a node. */
static struct loom_str brief_of(const struct loom_node *node, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str brief;

	loom_buf_adds(&text, node->summary.n && !node->summary_extract ? "Summary: "
								       : "Summary (extract): ");
	loom_show_summary(node, &text);
	brief = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return brief;
}

/* Returns the short form of a message, whose role tells the voice. */
static struct loom_str brief_message(const struct model_unit *unit, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_prompt_message plain = unit->said;
	struct loom_str said = plain.text;
	struct loom_str brief;

	if (plain.parts.p) {
		plain.role = LOOM_ROLE_USER;
		plain.call_count = 0;
		(void)loom_prompt_text(&plain, NULL, 0, &whole);
		said = loom_buf_str(&whole);
	}
	loom_buf_adds(&text, "Summary (extract): ");
	loom_show_sentence(loom_str_sub(said, unit->block_length, SIZE_MAX), &text);
	brief = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	loom_buf_fini(&whole);
	return brief;
}

/* ---- the notice ---- */

struct tally {
	size_t nodes;
	size_t others;
	const struct model_unit *first;
	const struct model_unit *last;
};

static size_t count_results(const struct model_prune *prune)
{
	size_t count = 0;

	for (size_t i = 0; i < prune->count; i++)
		count += prune->units[i].result && prune->units[i].state != MODEL_UNIT_WHOLE;
	return count;
}

/* Counts the units other than results. */
static struct tally count_units(const struct model_prune *prune, enum model_unit_state state)
{
	struct tally tally = {.nodes = 0};

	for (size_t i = 0; i < prune->count; i++) {
		const struct model_unit *unit = &prune->units[i];

		if (unit->state != state || unit->result)
			continue;
		if (unit->part != LOOM_PART_PATH) {
			tally.others += unit->stands_for ? (size_t)unit->stands_for : 1;
			continue;
		}
		tally.nodes++;
		tally.first = tally.first ? tally.first : unit;
		tally.last = unit;
	}
	return tally;
}

static void add_item(struct loom_buf *out, size_t begin)
{
	LOOM_ASSERT(begin <= out->n);
	if (out->n > begin)
		loom_buf_adds(out, " · ");
}

/* Appends "14 nodes r001…k4t2". */
static void add_range(const struct tally *tally, const char *what, struct loom_buf *out,
		      size_t begin)
{
	struct loom_str first;
	struct loom_str last;

	if (!tally->nodes)
		return;
	LOOM_ASSERT(tally->first && tally->last);
	first = loom_str_sub(tally->first->label, 1, tally->first->label.n - 2);
	last = loom_str_sub(tally->last->label, 1, tally->last->label.n - 2);
	add_item(out, begin);
	loom_show_many((int64_t)tally->nodes, "node", "nodes", out);
	loom_buf_addf(out, " %.*s", LOOM_STR_ARG(first));
	if (tally->nodes > 1)
		loom_buf_addf(out, "…%.*s", LOOM_STR_ARG(last));
	loom_buf_addf(out, " %s", what);
}

static void add_messages(size_t count, const char *what, struct loom_buf *out, size_t begin)
{
	if (!count)
		return;
	add_item(out, begin);
	loom_show_many((int64_t)count, "message", "messages", out);
	loom_buf_addf(out, " %s", what);
}

static void write_notice(const struct model_prune *prune, struct loom_buf *out)
{
	const struct tally brief = count_units(prune, MODEL_UNIT_SHORT);
	const struct tally gone = count_units(prune, MODEL_UNIT_OUT);
	const size_t results = count_results(prune);
	size_t begin = 0;

	loom_buf_adds(out, LOOM_FRAME_PRUNED "\n");
	begin = out->n;
	add_range(&brief, "summarized", out, begin);
	if (prune->trace_cut) {
		add_item(out, begin);
		loom_buf_adds(out, "trace compressed");
	}
	if (results) {
		add_item(out, begin);
		loom_show_many((int64_t)results, "result", "results", out);
		loom_buf_adds(out, " dropped");
	}
	add_range(&gone, "left out", out, begin);
	add_messages(brief.others, "summarized", out, begin);
	add_messages(gone.others, "left out", out, begin);
	if (out->n == begin)
		loom_buf_clear(out);
	else
		loom_buf_adds(out, "\n" LOOM_FRAME_END);
}

/* ---- cost ---- */

/* The cost of the units is kept up to date, so that each step takes a few additions. */
struct state {
	struct model_prune *prune;
	int64_t units;
};

/* An upper bound on the notice's length. */
#define NOTICE_MAX 280

static int64_t fixed_cost(const struct model_prune *prune, size_t notice)
{
	const struct loom_str memory = prune->trace_cut ? prune->memory_short : prune->memory;

	return loom_token_estimate(prune->system.n) + loom_token_estimate(memory.n) +
	       loom_token_estimate(prune->loom.n + (notice ? notice + 2 : 0));
}

int64_t model_prune_cost(const struct model_prune *prune)
{
	int64_t tokens = fixed_cost(prune, prune->notice.n);

	for (size_t i = 0; i < prune->count; i++)
		tokens += unit_cost(&prune->units[i]);
	return tokens;
}

/* The notice about what is gone must fit as well; it is only written if it matters. */
static bool is_over(const struct state *state)
{
	const struct model_prune *prune = state->prune;
	struct loom_buf notice = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool over = fixed_cost(prune, 0) + state->units > prune->budget;

	if (over || fixed_cost(prune, NOTICE_MAX) + state->units <= prune->budget)
		return over;
	write_notice(prune, &notice);
	over = fixed_cost(prune, notice.n) + state->units > prune->budget;
	loom_buf_fini(&notice);
	return over;
}

static void set_state(struct state *state, struct model_unit *unit, enum model_unit_state to)
{
	state->units -= unit_cost(unit);
	unit->state = to;
	state->units += unit_cost(unit);
	LOOM_ASSERT(state->units >= 0);
}

/* ---- steps ---- */

static size_t path_count(const struct model_prune *prune)
{
	size_t count = 0;

	while (count < prune->count && prune->units[count].part == LOOM_PART_PATH)
		count++;
	LOOM_ASSERT(count <= prune->count);
	return count;
}

/* Shortens units, the oldest first. */
static void shorten(struct state *state, size_t from, size_t to)
{
	LOOM_ASSERT(to <= state->prune->count);
	for (size_t i = from; i < to && is_over(state); i++) {
		struct model_unit *unit = &state->prune->units[i];

		if (unit->state != MODEL_UNIT_WHOLE || unit->pinned || unit->fixed ||
		    unit->result || unit->stands_for)
			continue;
		unit->brief = unit->of ? brief_of(unit->of, state->prune->arena)
				       : brief_message(unit, state->prune->arena);
		if (can_shorten(unit))
			set_state(state, unit, MODEL_UNIT_SHORT);
	}
}

/* Returns where the newest `LAST` messages begin, of those before the turn. */
static size_t last_messages(const struct model_prune *prune, size_t nodes)
{
	size_t at = prune->count;
	size_t left = LAST;

	LOOM_ASSERT(nodes <= prune->count);
	while (at > nodes && (left || prune->units[at - 1].part == LOOM_PART_TURN)) {
		at--;
		left -= prune->units[at].part != LOOM_PART_TURN && !prune->units[at].result;
	}
	return at;
}

/* An agent must see that each call it just made was answered, if not how: otherwise it would repeat
 * them, and its last words would be at the end as if to be continued. */
static void drop_results(struct state *state)
{
	for (size_t i = 0; i < state->prune->count && is_over(state); i++) {
		struct model_unit *unit = &state->prune->units[i];

		if (!unit->result || unit->fixed || unit->state != MODEL_UNIT_WHOLE)
			continue;
		if (!unit->newest)
			set_state(state, unit, MODEL_UNIT_OUT);
		else if (can_shorten(unit))
			set_state(state, unit, MODEL_UNIT_SHORT);
	}
}

/* Returns where the message at `from` ends with the results it calls for: no provider takes the one
 * without the others. */
static size_t group_end(const struct model_prune *prune, size_t from)
{
	size_t end = from + 1;

	LOOM_ASSERT(from < prune->count);
	while (end < prune->count && prune->units[from].said.call_count &&
	       prune->units[end].said.role == LOOM_ROLE_TOOL)
		end++;
	return end;
}

static void drop_units(struct state *state, size_t from, size_t to)
{
	struct model_unit *units = state->prune->units;
	size_t end = from;

	LOOM_ASSERT(to <= state->prune->count);
	for (size_t i = from; i < to && is_over(state); i = end) {
		end = group_end(state->prune, i);
		for (; i < end && !units[i].fixed && !units[i].newest && !units[i].pinned; i++)
			set_state(state, &units[i], MODEL_UNIT_OUT);
	}
}

void model_prune(struct model_prune *prune)
{
	struct state state = {.prune = prune};
	struct loom_buf notice = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const size_t nodes = path_count(prune);
	const size_t last = nodes > LAST ? nodes - LAST : 0;
	const size_t older = nodes - nodes / 3 < last ? nodes - nodes / 3 : last;
	const size_t messages = last_messages(prune, nodes);

	LOOM_ASSERT(prune->arena);
	prune->notice = LOOM_STR("");
	if (!prune->budget || model_prune_cost(prune) <= prune->budget)
		return;
	for (size_t i = 0; i < prune->count; i++)
		state.units += unit_cost(&prune->units[i]);
	shorten(&state, 0, older);
	shorten(&state, nodes, messages);
	if (is_over(&state) && prune->actions_cut)
		prune->trace_cut = true;
	drop_results(&state);
	shorten(&state, older, nodes ? nodes - 1 : 0);
	shorten(&state, messages, prune->count);
	drop_units(&state, 0, last);
	drop_units(&state, nodes, prune->count);
	drop_units(&state, last, nodes ? nodes - 1 : 0);
	shorten(&state, nodes ? nodes - 1 : 0, nodes);
	write_notice(prune, &notice);
	prune->notice = loom_arena_buf(prune->arena, &notice);
	loom_buf_fini(&notice);
}

/* ---- around it ---- */

/* Replaces a result that is too long by its call and number. */
static struct loom_str brief_result(const struct model_unit *unit, struct loom_arena *arena)
{
	struct loom_str rest = unit->said.text;
	struct loom_str line = rest;

	(void)loom_str_line(&rest, &line);
	return loom_arena_format(arena, "%.*s\n(%.*s left out: the context is full)",
				 LOOM_STR_ARG(line), LOOM_STR_ARG(unit->label));
}

void model_prune_newest(struct model_prune *prune)
{
	size_t i = prune->count;

	LOOM_ASSERT(i <= prune->count);
	while (i > 0 && prune->units[i - 1].said.role != LOOM_ROLE_ASSISTANT)
		i--;
	if (i == 0 || prune->units[i - 1].part != LOOM_PART_TURN)
		return;
	for (; i < prune->count; i++) {
		struct model_unit *unit = &prune->units[i];

		unit->newest = unit->result;
		if (unit->newest)
			unit->brief = brief_result(unit, prune->arena);
	}
}

/* Of so many messages in a row that went alike, one line tells. */
#define ALIKE 8

/* Returns where the messages end that went like the one at `from`. */
static size_t alike_end(const struct model_prune *prune, size_t from)
{
	const struct model_unit *first = &prune->units[from];
	size_t end = from + 1;

	if (first->part != LOOM_PART_MESSAGES || first->result || first->of)
		return end;
	for (; end < prune->count; end++) {
		const struct model_unit *unit = &prune->units[end];

		if (unit->part != first->part || unit->state != first->state || unit->result ||
		    unit->of)
			break;
	}
	return end - from < ALIKE ? from + 1 : end;
}

static int64_t saved_by(const struct model_unit *unit)
{
	return loom_prompt_tokens(&unit->said) -
	       (unit->state == MODEL_UNIT_SHORT ? short_cost(unit) : 0);
}

/* Says what went of the units from `from` to `to`, one of them or messages that went alike. */
static void say_gone(const struct model_prune *prune, size_t from, size_t to,
		     struct loom_assembly *out)
{
	const struct model_unit *first = &prune->units[from];
	struct loom_str what = first->label;
	int64_t tokens = 0;

	LOOM_ASSERT(from < to && first->state != MODEL_UNIT_WHOLE);
	for (size_t i = from; i < to; i++)
		tokens += saved_by(&prune->units[i]);
	if (to > from + 1) {
		const struct loom_str last = prune->units[to - 1].label;
		const size_t word = sizeof "message";

		what = loom_arena_format(prune->arena, "messages %.*s…%.*s (%zu)",
					 LOOM_STR_ARG(loom_str_sub(what, word, what.n)),
					 LOOM_STR_ARG(loom_str_sub(last, word, last.n)), to - from);
	}
	model_left_out(out, prune->arena, what,
		       first->state == MODEL_UNIT_OUT || first->result ? "over the budget"
								       : "summarized",
		       tokens);
}

void model_prune_say(const struct model_prune *prune, struct loom_assembly *out)
{
	size_t end = 0;

	LOOM_ASSERT(prune->count <= prune->cap);
	for (size_t i = 0; i < prune->count; i = end) {
		end = alike_end(prune, i);
		if (prune->units[i].state != MODEL_UNIT_WHOLE)
			say_gone(prune, i, end, out);
	}
	if (prune->trace_cut)
		model_left_out(out, prune->arena,
			       loom_arena_format(prune->arena, "%zu actions", prune->actions_cut),
			       "trace compressed",
			       loom_token_estimate(prune->memory.n > prune->memory_short.n
							   ? prune->memory.n - prune->memory_short.n
							   : 0));
}
