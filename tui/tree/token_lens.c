/* The token lens: switching it on, showing alternatives of the token under the caret, branching
 * with one of them. */
#include <loom/desk/desk.h>
#include <loom/language/call.h>
#include <loom/desk/does.h>
#include <loom/desk/do_line.h>
#include <loom/desk/tree_view.h>

#define PANEL_LEAST 8 /* reader height from which on the panel fits */
#define BAR_CELLS   20

static bool in_use(const struct tui_app *app)
{
	return app->reader.lens && app->focus == TUI_PANE_READER && !app->list && !app->writing;
}

/* --- the panel --- */

int tui_token_rows(struct tui_app *app, int height)
{
	const struct tui_token *token;
	size_t node = 0;
	int rows;

	token = in_use(app) ? tui_reader_token_at(&app->reader, &node) : NULL;
	if (!token || height < 3)
		return 0;
	if (height < PANEL_LEAST)
		return 1;
	rows = (int)token->other_count + 2;
	return rows < height / 2 ? rows : height / 2;
}

static void draw_head(struct tui_app *app, const struct tui_token *token, size_t node,
		      struct tui_pen *pen)
{
	const struct loom_node *row = &app->reader.path.items[node];
	const struct tui_lens *lens = tui_reader_lens(&app->reader, node);
	char id[LOOM_LOCAL_MAX];

	loom_local_text(app->tree.key, row->local, id);
	pen->ink = (struct tui_ink){.role = (uint8_t)tui_lens_role(token->chance)};
	tui_pen_puts(pen, "“");
	tui_pen_text(pen, loom_str_sub(row->text, token->from, token->to - token->from));
	tui_pen_puts(pen, "”");
	pen->ink = TUI_INK(STRONG);
	tui_pen_format(pen, " %.1f%%", token->chance * 100);
	pen->ink = TUI_INK(DIM);
	tui_pen_format(pen, " · token %zu of %zu of [%s]", (size_t)(token - lens->items) + 1,
		       lens->count, id);
}

static void draw_other(struct tui_app *app, const struct tui_token *token, size_t node, size_t i,
		       struct tui_pen *pen)
{
	const struct tui_alternative *other = &token->others[i];
	struct loom_str said = loom_str_sub(app->reader.path.items[node].text, token->from,
					    token->to - token->from);
	int bar = (int)(other->chance * BAR_CELLS + 0.5);

	pen->ink = TUI_INK(KEY);
	tui_pen_format(pen, "%zu", i + 1);
	pen->ink = (struct tui_ink){.role = (uint8_t)tui_lens_role(other->chance)};
	tui_pen_format(pen, " %5.1f%% ", other->chance * 100);
	if (tui_pen_left(pen) > BAR_CELLS * 2) {
		for (int x = 0; x < bar; x++)
			tui_pen_symbol(pen, TUI_SYMBOL_BLOCK);
		pen->ink = TUI_INK(TEXT);
		tui_pen_blank(pen, BAR_CELLS - bar + 1);
	}
	pen->ink = TUI_INK(TEXT);
	tui_pen_puts(pen, "“");
	tui_pen_text(pen, other->text);
	tui_pen_puts(pen, "”");
	pen->ink = TUI_INK(OK);
	if (loom_str_eq(other->text, said)) {
		tui_pen_blank(pen, 1);
		tui_pen_symbol(pen, TUI_SYMBOL_DONE);
	}
}

void tui_token_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	size_t node = 0;
	const struct tui_token *token = tui_reader_token_at(&app->reader, &node);
	int line = rect.h > 2;

	if (!token || rect.w <= 0 || rect.h <= 0)
		return;
	for (int y = 0; y < rect.h; y++) {
		struct tui_rect row = {rect.x, rect.y + y, rect.w, 1};
		struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(TEXT));

		if (y < line)
			tui_grid_across(grid, row.x, row.y, row.w, TUI_INK(BORDER));
		else if (y == line)
			draw_head(app, token, node, &pen);
		else if (y - line - 1 < (int)token->other_count)
			draw_other(app, token, node, (size_t)(y - line - 1), &pen);
	}
}

/* --- branching --- */

static void go_on(struct tui_app *app, int64_t was, bool ok)
{
	const struct tui_row *row = NULL;
	struct loom_buf line = LOOM_BUF_INIT(256);

	if (!ok || app->position == was ||
	    tui_rows_get(&app->rows, app->position, &row, NULL) != LOOM_OK)
		return;
	loom_buf_addf(&line, "continue from %s", row->id);
	tui_run_line(app, loom_buf_str(&line), NULL);
	loom_buf_fini(&line);
}

/* Branches with an alternative: a sibling of the text before the token plus the alternative,
 * continued from there, as B does with the text up to the caret. */
static void take_other(struct tui_app *app, const struct tui_token *token, size_t node, size_t n)
{
	const struct loom_node *row = &app->reader.path.items[node];
	struct tui_run_opts opts = {.done = go_on, .number = app->position};
	struct loom_call call = loom_call_of(LOOM_VERB_EDIT);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char id[LOOM_LOCAL_MAX];

	loom_local_text(app->tree.key, row->local, id);
	loom_buf_add(&text, loom_str_sub(row->text, 0, token->from));
	loom_buf_add(&text, token->others[n].text);
	call.id = loom_str_of(id);
	call.content = loom_buf_str(&text);
	call.as = LOOM_AS_BRANCH;
	tui_run_calls(app, &call, 1, &opts);
	loom_buf_fini(&text);
}

static void alternative(struct tui_app *app, int count)
{
	size_t node = 0;
	const struct tui_token *token = tui_reader_token_at(&app->reader, &node);

	if (!token)
		tui_say(app, TUI_ROLE_DIM, "no token under the caret · h l go to the next one");
	else if (count < 1)
		tui_say(app, TUI_ROLE_DIM, "type its number first: 2 and this key");
	else if ((size_t)count > token->other_count)
		tui_say(app, TUI_ROLE_DIM, "only %zu alternatives here", token->other_count);
	else if (loom_str_find(token->others[count - 1].text, LOOM_STR("\xef\xbf\xbd"), 0) !=
		 SIZE_MAX)
		tui_say(app, TUI_ROLE_DIM,
			"that token is half a character: no text can end with it");
	else
		take_other(app, token, node, (size_t)count - 1);
}

/* --- keys --- */

static void toggle(struct tui_app *app)
{
	struct tui_reader *reader = &app->reader;
	size_t tokens = 0;
	struct loom_err err;

	reader->lens = !reader->lens;
	if (!reader->lens ||
	    !tui_must(app, tui_reader_fit(reader, reader->width, reader->height, &err), &err))
		return;
	for (size_t i = 0; i < reader->path.count; i++)
		tokens += tui_reader_lens(reader, i)->count;
	if (tokens)
		tui_say(app, TUI_ROLE_DIM, "%zu tokens · h l move in the text · zl ends it",
			tokens);
	else
		tui_say(app, TUI_ROLE_DIM,
			"no probabilities stored for this text · `logprobs` in the model's "
			"settings requests them");
}

static void step(struct tui_app *app, int by)
{
	struct loom_err err = {.status = LOOM_OK};
	int way = by < 0 ? -1 : 1;

	for (int left = by * way; left > 0; left--) {
		if (tui_reader_token(&app->reader, way, &err))
			continue;
		tui_say(app, TUI_ROLE_DIM,
			way > 0 ? "no token after this" : "no token before this");
		return;
	}
}

TUI_DO(LENS)
{
	toggle(app);
}

TUI_DO(TOKEN_NEXT)
{
	step(app, tui_match_count(match));
}

TUI_DO(TOKEN_PREV)
{
	step(app, -tui_match_count(match));
}

TUI_DO(ALTERNATIVE)
{
	alternative(app, match->count);
}

/* A count chooses an alternative of the token to branch with. */
static bool branch(struct tui_app *app, const struct tui_match *match, int by)
{
	(void)by;
	if (match->count < 1)
		return false;
	alternative(app, match->count);
	return true;
}

static bool on_command(struct tui_app *app, const struct tui_match *match)
{
	static const struct tui_meaning means[] = {{TUI_ACTION_BRANCH, branch, 0},
						   {.command = TUI_COMMAND_NONE}};

	return tui_means(means, app, match);
}

const struct tui_view tui_view_lens = {.there = in_use, .command = on_command};
