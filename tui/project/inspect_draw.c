/* Draws a context: agent and place, the budget as a bar, tokens by part; below that the whole
 * context, part by part, to scroll through. */

#include <loom/project/inspector.h>

#define SAME_SHOWN 160 /* bytes of unchanged text shown on each side of a change */
#define PROSE_MOST 100

static const enum tui_role part_roles[LOOM_PARTS] = {
	[LOOM_PART_SYSTEM] = TUI_ROLE_CODE,  [LOOM_PART_MEMORY] = TUI_ROLE_AGENT_1,
	[LOOM_PART_PATH] = TUI_ROLE_HUMAN,   [LOOM_PART_MESSAGES] = TUI_ROLE_MODEL,
	[LOOM_PART_LOOM] = TUI_ROLE_AGENT_2, [LOOM_PART_TURN] = TUI_ROLE_AGENT_4,
};

/* --- sections: on the worker --- */

static struct loom_str tokens_text(struct loom_arena *arena, int64_t tokens)
{
	struct loom_buf text = LOOM_BUF_INIT(64);
	struct loom_str out;

	loom_buf_add_count(&text, (uint64_t)(tokens > 0 ? tokens : 0));
	loom_buf_adds(&text, " t");
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

static struct loom_str left_out_text(const struct loom_assembly *assembly, struct loom_arena *arena,
				     int64_t *tokens)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	for (size_t i = 0; i < assembly->left_out_count; i++) {
		const struct loom_left_out *row = &assembly->left_out[i];

		loom_buf_addf(&text, "%.*s  %.*s  %lld t\n", LOOM_STR_ARG(row->what),
			      LOOM_STR_ARG(row->why), (long long)row->tokens);
		*tokens += row->tokens;
	}
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

static void add_left_out(struct tui_asking *asking)
{
	const struct loom_assembly *assembly = &asking->answer.assembly;
	int64_t tokens = 0;
	struct loom_str text;

	if (!assembly->left_out_count)
		return;
	text = left_out_text(assembly, asking->arena, &tokens);
	asking->sections[asking->count++] = (struct tui_section){
		.head = loom_arena_format(asking->arena, "left out · %zu",
					  assembly->left_out_count),
		.end = tokens_text(asking->arena, tokens),
		.head_role = TUI_ROLE_WARN,
		.role = TUI_ROLE_DIM,
		.text = text,
		.id = -1,
	};
}

void tui_inspect_sections(struct tui_asking *asking)
{
	const struct loom_assembly *assembly = &asking->answer.assembly;

	asking->sections = LOOM_ARENA_ARRAY(asking->arena, assembly->count + 2, struct tui_section);
	for (size_t i = 0; i < assembly->count; i++) {
		const struct loom_context_piece *piece = &assembly->pieces[i];

		asking->sections[asking->count++] = (struct tui_section){
			.head = loom_arena_format(asking->arena, "%s · %s",
						  loom_part_name(piece->part),
						  loom_role_name(piece->said.role)),
			.end = tokens_text(asking->arena, piece->tokens),
			.head_role = part_roles[piece->part],
			.role = piece->said.role == LOOM_ROLE_ASSISTANT ? TUI_ROLE_MODEL
									: TUI_ROLE_TEXT,
			.text = loom_piece_text(piece, asking->arena),
			.id = (int64_t)i + 1,
		};
	}
	add_left_out(asking);
}

/* --- two contexts --- */

struct weaving {
	struct tui_asking *asking;
	size_t cap;
	struct loom_buf text;
	struct tui_span *spans;
	size_t span_count, span_cap;
	struct loom_str head;
};

static void end_section(struct weaving *weaving)
{
	struct tui_asking *asking = weaving->asking;

	if (!weaving->text.n && !weaving->head.n)
		return;
	asking->sections = loom_arena_grow(asking->arena, asking->sections, asking->count,
					   &weaving->cap, sizeof *asking->sections);
	asking->sections[asking->count++] = (struct tui_section){
		.head = weaving->head,
		.head_role = TUI_ROLE_DIM,
		.text = loom_arena_buf(asking->arena, &weaving->text),
		.spans = weaving->spans,
		.span_count = weaving->span_count,
	};
	loom_buf_clear(&weaving->text);
	weaving->spans = NULL;
	weaving->span_count = weaving->span_cap = 0;
	weaving->head = LOOM_STR("");
}

static void add_span(struct weaving *weaving, enum tui_role role, struct loom_str text)
{
	if (!text.n)
		return;
	weaving->spans =
		loom_arena_grow(weaving->asking->arena, weaving->spans, weaving->span_count,
				&weaving->span_cap, sizeof *weaving->spans);
	weaving->spans[weaving->span_count++] = (struct tui_span){weaving->text.n, role};
	loom_buf_add(&weaving->text, text);
}

static size_t char_start(struct loom_str text, size_t at)
{
	while (at > 0 && at < text.n && ((unsigned char)text.p[at] & 0xC0) == 0x80)
		at--;
	return at;
}

/* Unchanged text is shown next to changes and only counted in between. */
static void add_same(struct weaving *weaving, struct loom_str text, bool first, bool last)
{
	size_t head = first ? 0 : SAME_SHOWN;
	size_t tail = last ? 0 : SAME_SHOWN;
	size_t from;

	if (text.n < 4 * SAME_SHOWN) {
		add_span(weaving, TUI_ROLE_TEXT, text);
		return;
	}
	head = char_start(text, head);
	from = char_start(text, text.n - tail);
	add_span(weaving, TUI_ROLE_TEXT, loom_str_sub(text, 0, head));
	end_section(weaving);
	weaving->head =
		loom_arena_format(weaving->asking->arena, "%zu bytes the same", from - head);
	add_span(weaving, TUI_ROLE_TEXT, loom_str_sub(text, from, text.n - from));
}

void tui_inspect_diff(struct tui_asking *asking, const struct loom_diff *diff)
{
	struct weaving weaving = {.asking = asking,
				  .text = LOOM_BUF_INIT(LOOM_BUF_MAX),
				  .head = LOOM_STR_INIT("from the beginning")};

	for (size_t i = 0; i < diff->count; i++) {
		const struct loom_diff_part *part = &diff->parts[i];

		if (part->kind == LOOM_DIFF_SAME)
			add_same(&weaving, part->text, i == 0, i + 1 == diff->count);
		else
			add_span(&weaving,
				 part->kind == LOOM_DIFF_NEW ? TUI_ROLE_ADDED : TUI_ROLE_REMOVED,
				 part->text);
	}
	end_section(&weaving);
	loom_buf_fini(&weaving.text);
}

/* --- the head of the picture --- */

static void say_when(const struct tui_asking *shown, struct loom_buf *out)
{
	const struct loom_inspected *answer = &shown->answer;
	struct loom_buf hex = LOOM_BUF_INIT(128);

	if (shown->what.at != LOOM_SEQ_HEAD)
		loom_buf_addf(out, " · row %lld of %lld", (long long)shown->what.at,
			      (long long)answer->head);
	if (answer->row.n && !answer->sent)
		loom_buf_addf(out, ", %.*s", LOOM_STR_ARG(answer->row));
	if (answer->sent) {
		loom_buf_adds(out, " · as it was sent, byte for byte");
	} else if (answer->back) {
		loom_buf_adds(out, " · rebuilt, without presence");
	} else if (shown->was) {
		loom_hash_hex(&answer->hash, &hex);
		loom_buf_adds(out, !answer->recorded.n ? " · rebuilt from the text above"
				   : loom_str_eq(answer->recorded, loom_buf_str(&hex))
					   ? " · the exact bytes that were sent"
					   : " · rebuilt: not the bytes that were sent");
	}
	loom_buf_fini(&hex);
}

static void draw_who(const struct tui_inspector *view, struct tui_grid *grid, struct tui_rect row)
{
	const struct tui_asking *shown = view->shown;
	struct loom_buf text = LOOM_BUF_INIT(4096);
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(STRONG));

	loom_buf_add(&text, shown->what.agent.id ? shown->what.agent.name
						 : LOOM_STR("a subject (none is set up)"));
	tui_pen_cut(&pen, loom_buf_str(&text), row.w);
	loom_buf_clear(&text);
	loom_buf_addf(&text, shown->was && !shown->answer.sent ? " · above it %.*s" : " · at %.*s",
		      LOOM_STR_ARG(shown->place));
	if (shown->compare)
		loom_buf_addf(&text, " · against %.*s: added means only there",
			      LOOM_STR_ARG(shown->beside_name));
	else
		say_when(shown, &text);
	if (shown->answer.assembly.framed)
		loom_buf_adds(&text, " · framed: a model's text comes first");
	pen.ink = TUI_INK(TEXT);
	tui_pen_cut(&pen, loom_buf_str(&text), tui_pen_left(&pen));
	loom_buf_fini(&text);
}

/* Each part is as long as its share of tokens; the free rest of the budget is shaded. */
static void draw_bar(const struct loom_assembly *assembly, struct tui_grid *grid,
		     struct tui_rect row)
{
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(DIM));
	int64_t all = assembly->budget > assembly->total ? assembly->budget : assembly->total;
	int64_t sum = 0;
	int x = 0;

	for (int part = 0; part < LOOM_PARTS && all > 0; part++) {
		int64_t tokens = loom_assembly_part_tokens(assembly, (enum loom_part)part);
		int end;

		sum += tokens;
		end = (int)(sum * row.w / all);
		end = tokens && end == x && x < row.w ? x + 1
						      : end; /* no part is too small to see */
		pen.ink = (struct tui_ink){.role = (uint8_t)part_roles[part]};
		for (; x < end; x++)
			tui_pen_symbol(&pen, TUI_SYMBOL_BLOCK);
	}
	pen.ink = TUI_INK(DIM);
	for (; x < row.w; x++)
		tui_pen_symbol(&pen, TUI_SYMBOL_SHADE);
}

static void draw_parts(const struct tui_asking *shown, struct tui_grid *grid, struct tui_rect row)
{
	const struct loom_assembly *assembly = &shown->answer.assembly;
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(TEXT));
	struct loom_buf text = LOOM_BUF_INIT(256);

	for (int part = 0; part < LOOM_PARTS; part++) {
		int64_t tokens = loom_assembly_part_tokens(assembly, (enum loom_part)part);

		if (!tokens)
			continue;
		loom_buf_clear(&text);
		loom_buf_addf(&text, "%s ", loom_part_name((enum loom_part)part));
		loom_buf_add_count(&text, (uint64_t)tokens);
		if (tui_pen_left(&pen) < (int)text.n + 2)
			break;
		pen.ink = (struct tui_ink){.role = (uint8_t)part_roles[part]};
		tui_pen_text(&pen, loom_buf_str(&text));
		tui_pen_blank(&pen, 2);
	}
	loom_buf_clear(&text);
	loom_buf_adds(&text, "= ");
	loom_buf_add_count(&text, (uint64_t)assembly->total);
	if (assembly->budget) {
		loom_buf_adds(&text, " of ");
		loom_buf_add_count(&text, (uint64_t)assembly->budget);
	}
	loom_buf_adds(&text, assembly->budget ? " t" : " t, no budget known");
	pen.ink = TUI_INK(STRONG);
	tui_pen_cut(&pen, loom_buf_str(&text), tui_pen_left(&pen));
	if (shown->answer.usage.calls) {
		loom_buf_clear(&text);
		loom_buf_adds(&text, " · the answer: ");
		loom_usage_show(&shown->answer.usage, &text);
		pen.ink = TUI_INK(DIM);
		tui_pen_cut(&pen, loom_buf_str(&text), tui_pen_left(&pen));
	}
	loom_buf_fini(&text);
}

static void draw_hash(const struct tui_asking *shown, struct tui_grid *grid, struct tui_rect row)
{
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(DIM));
	struct loom_buf hex = LOOM_BUF_INIT(128);

	loom_buf_adds(&hex, "sha256 ");
	loom_hash_hex(&shown->answer.hash, &hex);
	tui_pen_cut(&pen, loom_buf_str(&hex), row.w);
	loom_buf_fini(&hex);
}

/* Says where the conversation begins, what other lanes there are and what waits; nothing of a log
 * that has only ever had one lane and all of its rows in it. */
static void say_lanes(const struct loom_lane_list *lanes, struct loom_buf *out)
{
	const struct loom_lane *active = NULL;

	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->items[i].active)
			active = &lanes->items[i];
	if (active && (lanes->count > 1 || active->anchor != LOOM_SEQ_NONE)) {
		loom_buf_adds(out, "lane ");
		loom_lane_say(active, out);
	}
	for (size_t i = 0, others = 0; i < lanes->count; i++)
		if (&lanes->items[i] != active)
			loom_buf_addf(out, "%s%.*s", others++ ? ", " : " · beside it ",
				      LOOM_STR_ARG(lanes->items[i].name));
	if (lanes->waiting.op_id.n)
		loom_buf_addf(out, "%swaits for the end of the run: %.*s (%.*s) of lane %.*s",
			      out->n ? " · " : "", LOOM_STR_ARG(lanes->waiting.type),
			      LOOM_STR_ARG(lanes->waiting.reason),
			      LOOM_STR_ARG(lanes->waiting.lane));
}

/* Draws that, if there is something to say; returns whether there is. */
static bool draw_lanes(const struct tui_asking *shown, struct tui_grid *grid, struct tui_rect row)
{
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(TEXT));
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool any = false;

	say_lanes(&shown->answer.lanes, &text);
	any = text.n > 0;
	if (any)
		tui_pen_cut(&pen, loom_buf_str(&text), row.w);
	loom_buf_fini(&text);
	return any;
}

/* Draws as much as the height allows; returns the number of rows. */
static int draw_top(const struct tui_inspector *view, struct tui_grid *grid, struct tui_rect rect)
{
	const struct tui_asking *shown = view->shown;
	struct tui_rect row = {rect.x, rect.y, rect.w, 1};
	int rows = rect.h >= 14 ? 4 : rect.h >= 6 ? 3 : rect.h >= 3 ? 1 : 0;

	if (rows > 0)
		draw_who(view, grid, row);
	row.y++;
	if (rows > 1)
		draw_bar(&shown->answer.assembly, grid, row);
	row.y++;
	if (rows > 1)
		draw_parts(shown, grid, row);
	row.y++;
	if (rows > 3)
		draw_hash(shown, grid, row);
	row.y++;
	if (rows > 3 && draw_lanes(shown, grid, row))
		rows++;
	if (rows > 1 && rect.h >= 10)
		tui_grid_across(grid, rect.x > 0 ? rect.x - 1 : 0, rect.y + rows,
				rect.w + (rect.x > 0 ? 2 : 0), TUI_INK(BORDER));
	return rows + (rows > 1 && rect.h >= 10);
}

/* --- all of it --- */

void tui_inspect_fit(struct tui_app *app, struct tui_list *list)
{
	struct tui_inspector *view = tui_list_own(list);
	const struct tui_asking *shown = view->shown;
	size_t count = shown ? tui_list_count(list) : 0;
	struct tui_section *some;

	if (!shown || count == shown->count) {
		tui_sections_set(&view->view, shown ? shown->sections : NULL, count);
		return;
	}
	some = LOOM_ARENA_ARRAY(app->arena, count + 1, struct tui_section);
	for (size_t i = 0; i < count; i++)
		some[i] = shown->sections[tui_list_entry(list, i)->id - 1];
	tui_sections_set(&view->view, some, count);
}

void tui_inspect_draw(struct tui_app *app, struct tui_list *list, struct tui_grid *grid,
		      struct tui_rect rect)
{
	struct tui_inspector *view = tui_list_own(list);
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(DIM));
	int top;

	if (rect.w <= 0 || rect.h <= 0)
		return;
	if (!view->shown) {
		pen.ink = view->failed[0] ? TUI_INK(ERROR) : TUI_INK(DIM);
		tui_pen_cut(&pen,
			    view->failed[0] ? loom_str_of(view->failed)
					    : LOOM_STR("building the context"),
			    rect.w);
		return;
	}
	top = draw_top(view, grid, rect);
	rect.y += top;
	rect.h -= top;
	rect.w = rect.w < PROSE_MOST ? rect.w : PROSE_MOST;
	tui_inspect_fit(app, list);
	tui_sections_fit(&view->view, rect.w, rect.h);
	if (view->view.count)
		tui_sections_draw(&view->view, grid, rect);
}
