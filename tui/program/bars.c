/* The line at the bottom: the position or the message, and the keys that are useful now; above it,
 * how a half-typed sequence can go on. */
#include <loom/desk/desk.h>

#include <loom/lists/list.h>
#include <loom/terminal/wrap.h>
#include <loom/desk/ghosts.h>
#include <loom/desk/macro.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/subject.h>
#include <loom/desk/tree_view.h>
#include <loom/desk/typed.h>
#include <loom/desk/workers.h>
#include <loom/lists/approve.h>
#include <loom/text/width.h>
#include <loom/writing/drafts.h>
#include <loom/writing/text_editor.h>

#include "inside.h"

#define HINTS        TUI_HINTS
#define WAYS_MAX     120
#define MESSAGE_ROWS 4 /* above the line, at most */

/* --- the status --- */

/* Says that the text continues below, and which key scrolls it. */
static void say_more(struct tui_app *app, struct loom_buf *out)
{
	struct loom_buf key = LOOM_BUF_INIT(64);

	if (app->focus == TUI_PANE_TREE && !app->zoomed && tui_reader_more(&app->reader) &&
	    tui_keymap_spell(&app->keymap, TUI_KEYVIEW_NAV, TUI_ACTION_OTHER_DOWN, &key))
		loom_buf_addf(out, " · %s more", loom_buf_cstr(&key));
	loom_buf_fini(&key);
}

/* The node under the caret in a longer text, its version and its place among its siblings. */
static void say_caret(struct tui_app *app, struct loom_buf *out)
{
	int64_t group = tui_read_group(app);
	const struct tui_row *row = NULL;
	struct loom_node node;
	int64_t k = 0;
	int64_t n = 0;

	if (group == app->position || tui_rows_get(&app->rows, group, &row, NULL) != LOOM_OK)
		return;
	loom_buf_addf(out, " · in %s", row->id);
	if (row->versions > 1)
		loom_buf_addf(out, " v%d/%d", row->version, row->versions);
	if (loom_node_get(app->store, row->node, LOOM_NODE_NARROW, app->arena, &node, NULL) ==
		    LOOM_OK &&
	    loom_node_place(app->store, &node, &k, &n, NULL) == LOOM_OK && n > 1)
		loom_buf_addf(out, " %lld of %lld", (long long)k, (long long)n);
}

/* A dialogue shows in its header what was said of a node; prose shows it only here. */
static void say_signs(const struct tui_app *app, const struct tui_row *row, struct loom_buf *out)
{
	if (app->tree.mode != LOOM_BUFFER)
		return;
	if (row->notes)
		loom_buf_addf(out, " · %lld %s", (long long)row->notes,
			      loom_plural(row->notes, "note", "notes"));
	if (row->tags_n)
		loom_buf_addf(out, " · %.*s", row->tags_n, row->tags);
	if (row->rated)
		loom_buf_adds(out, row->rated > 0 ? " · good" : " · bad");
	if (row->ending)
		loom_buf_addf(out, " · %s", loom_ending_name(row->ending));
}

/* `whole`: with the path from the root, and the key that scrolls the text. */
static void say_place(struct tui_app *app, bool whole, struct loom_buf *out)
{
	const struct tui_row *row = NULL;
	size_t bytes = 0;

	for (size_t i = 0; i < app->trail->count; i++)
		bytes += app->trail->steps[i].bytes;
	if (tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK)
		loom_buf_addf(out, "%s%s",
			      !whole || !row->depth ? ""
			      : row->depth > 1      ? "r001 → … → "
						    : "r001 → ",
			      row->id);
	if (tui_filter_text(app).n)
		loom_buf_adds(out, " · filtered");
	if (row && row->pruned)
		loom_buf_adds(out, " · pruned");
	else if (app->n > 1)
		loom_buf_addf(out, " · %lld of %lld", (long long)app->k, (long long)app->n);
	if (row)
		say_signs(app, row, out);
	say_caret(app, out);
	if (app->selected_count)
		loom_buf_addf(out, " · %zu picked", app->selected_count);
	if (app->news->unseen_count)
		loom_buf_addf(out, " · %zu new", app->news->unseen_count);
	if (app->drafts->count)
		loom_buf_addf(out, " · %zu %s", app->drafts->count,
			      loom_plural((int64_t)app->drafts->count, "draft", "drafts"));
	loom_buf_addf(out, " · %s", app->trail->whole ? "" : "over ");
	loom_buf_add_count(out, (bytes + 3) / 4);
	if (app->subject->room) {
		loom_buf_adds(out, " / ");
		loom_buf_add_count(out, (uint64_t)app->subject->room);
	}
	loom_buf_adds(out, " t");
	if (app->outline.root != app->tree.root)
		loom_buf_adds(out, " · hoisted");
	if (app->outline.pruned_too)
		loom_buf_adds(out, " · pruned shown");
	if (app->outline.map)
		loom_buf_adds(out, " · map");
	if (app->reader.lens)
		loom_buf_adds(out, " · lens");
	if (whole)
		say_more(app, out);
}

/* In a narrow line the node matters more than the path to it. */
static void fit_place(struct tui_app *app, int room, struct loom_buf *out)
{
	if (!app->tree.id)
		return;
	say_place(app, true, out);
	if ((int)loom_str_width(loom_buf_str(out)) <= room)
		return;
	loom_buf_clear(out);
	say_place(app, false, out);
}

/* The most useful keys of each view, the most needed last. A view without hints uses those of any
 * list. */
static const struct hints {
	enum tui_keyview view;
	struct {
		enum tui_command command;
		const char *word;
	} items[HINTS];
} hints_of[] = {
	{TUI_KEYVIEW_LIST,
	 {{TUI_VERB_HELP, "help"},
	  {TUI_ACTION_FILTER, "filter"},
	  {TUI_ACTION_EXTERNAL, "edit"},
	  {TUI_ACTION_ADD, "add"},
	  {TUI_ACTION_OPEN, "open"},
	  {TUI_ACTION_BACK, "back"}}},
	{TUI_KEYVIEW_NAV,
	 {{TUI_ACTION_COMPARE, "compare"},
	  {TUI_VERB_PRUNE, "prune"},
	  {TUI_ACTION_SIBLING_NEXT, "sibling"},
	  {TUI_VERB_EDIT, "edit"},
	  {TUI_ACTION_COMMIT, "save"},
	  {TUI_ACTION_COMMAND_LINE, "command"},
	  {TUI_VERB_RESPOND, "write"},
	  {TUI_VERB_CONTINUE, "continue"},
	  {TUI_VERB_HELP, "help"}}},
	{TUI_KEYVIEW_TEXT,
	 {{TUI_ACTION_TEXT_NEWLINE, "new line"},
	  {TUI_ACTION_TEXT_ABANDON, "throw away"},
	  {TUI_ACTION_TEXT_COMMIT, "and continue"},
	  {TUI_ACTION_TEXT_SAVE, "save"},
	  {TUI_ACTION_TEXT_FOLD, "open the paste"},
	  {TUI_ACTION_TEXT_ENTER, "post"},
	  {TUI_ACTION_TEXT_DONE, "keep a draft"}}},
	{TUI_KEYVIEW_LENS,
	 {{TUI_VERB_HELP, "help"},
	  {TUI_ACTION_BRANCH, "number first: branch"},
	  {TUI_ACTION_TOKEN_PREV, "token"},
	  {TUI_ACTION_TOKEN_NEXT, "token"},
	  {TUI_ACTION_LENS, "end"}}},
	{TUI_KEYVIEW_COMPARE,
	 {{TUI_VERB_BOOKMARK, "bookmark"},
	  {TUI_ACTION_BLIND, "blind"},
	  {TUI_VERB_PRUNE, "prune"},
	  {TUI_ACTION_KEEP_ONLY, "keep only this"},
	  {TUI_ACTION_BACK, "back"}}},
	{TUI_KEYVIEW_MEMORY,
	 {{TUI_VERB_MEMORY, "next thread"},
	  {TUI_VERB_RECALL, "recall"},
	  {TUI_VERB_DROP, "drop"},
	  {TUI_VERB_STASH, "stash"},
	  {TUI_VERB_PIN, "pin"},
	  {TUI_ACTION_BACK, "close"}}},
	{TUI_KEYVIEW_THREADS,
	 {{TUI_ACTION_THREAD_REFRESH, "refresh"},
	  {TUI_ACTION_SELECT, "source"},
	  {TUI_ACTION_THREAD_SHARE, "ref…"},
	  {TUI_ACTION_ADD, "new thread"},
	  {TUI_ACTION_OPEN, "open"},
	  {TUI_ACTION_MENU, "more"},
	  {TUI_ACTION_BACK, "back"}}},
	{TUI_KEYVIEW_PAYLOAD,
	 {{TUI_ACTION_PAYLOAD_SAVE, "save"},
	  {TUI_ACTION_PAYLOAD_WHY, "why"},
	  {TUI_ACTION_SCOPE_WIDER, "wider"},
	  {TUI_ACTION_ADD, "add"},
	  {TUI_ACTION_SELECT, "toggle"},
	  {TUI_ACTION_PAYLOAD_SEND, "send…"},
	  {TUI_ACTION_BACK, "back"}}},
	{TUI_KEYVIEW_APPROVE,
	 {{TUI_ACTION_TICK, "tick"},
	  {TUI_ACTION_REFUSE, "refuse"},
	  {TUI_ACTION_RUN, "run ticked"},
	  {TUI_ACTION_CANCEL, "later"}}},
	{TUI_KEYVIEW_THREAD,
	 {{TUI_ACTION_OPEN, "to the node"},
	  {TUI_ACTION_IN, "unfold"},
	  {TUI_ACTION_APPROVALS, "approvals"},
	  {TUI_ACTION_STEER, "say or steer"},
	  {TUI_ACTION_BACK, "back"}}},
	{TUI_KEYVIEW_PASTE,
	 {{TUI_ACTION_PASTE_WHOSE, "whose"},
	  {TUI_ACTION_PASTE_CALLS, "calls"},
	  {TUI_ACTION_PASTE_NODES, "as nodes"},
	  {TUI_ACTION_PASTE_TEXT, "as text"},
	  {TUI_ACTION_CANCEL, "set aside"}}},
	{TUI_KEYVIEW_SHARE,
	 {{TUI_ACTION_SELECT, "change"}, {TUI_ACTION_OPEN, "apply"}, {TUI_ACTION_BACK, "back"}}},
	{TUI_KEYVIEW_INSPECTOR,
	 {{TUI_ACTION_SAVE, "save"},
	  {TUI_ACTION_COPY, "copy"},
	  {TUI_ACTION_OPEN, "node"},
	  {TUI_ACTION_CALL_PREV, "previous call"},
	  {TUI_ACTION_COMPARE_WITH, "compare"},
	  {TUI_ACTION_SEQ_DOWN, "earlier"},
	  {TUI_ACTION_PANE_NEXT, "whose"},
	  {TUI_ACTION_BACK, "back"}}},
};

static const struct hints *hints_find(enum tui_keyview view)
{
	for (size_t i = 0; i < LOOM_COUNT(hints_of); i++)
		if (hints_of[i].view == view)
			return &hints_of[i];
	return &hints_of[0];
}

/* Says in a word or some what the key does here and now; NULL when it would do nothing. */
static const char *word_of(struct tui_app *app, enum tui_command command, const char *word)
{
	for (const struct tui_view *const *view = app->views; *view && word; view++) {
		if ((*view)->there && !(*view)->there(app))
			continue;
		if ((*view)->word)
			word = (*view)->word(app, command, word);
		if ((*view)->offers)
			return word && (*view)->offers(app, command) ? word : NULL;
	}
	return word;
}

/* Draws as many hints as fit, from the last one; each keeps its place. */
static void draw_hints(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	enum tui_keyview view = tui_app_keyview(app);
	const struct hints *hints = hints_find(view);
	struct loom_buf text = LOOM_BUF_INIT(512);
	struct tui_pen pen;
	int x = rect.w;

	for (size_t i = HINTS; i-- > 0;) {
		const enum tui_command command = hints->items[i].command;
		const char *word = word_of(app, command, hints->items[i].word);
		int cells;
		loom_buf_clear(&text);
		if (!word || !tui_keymap_spell(&app->keymap, view, command, &text))
			continue;
		cells = (int)loom_str_width(loom_buf_str(&text)) + 1 +
			(int)loom_str_width(loom_str_of(word));
		if (x - cells < 0)
			break;
		x -= cells;
		app->hints[app->hint_count++] =
			(struct tui_hint){{rect.x + x, rect.y, cells, 1}, command};
		pen = tui_pen_make(grid, (struct tui_rect){rect.x + x, rect.y, cells, 1},
				   TUI_INK(KEY));
		tui_pen_text(&pen, loom_buf_str(&text));
		pen.ink = TUI_INK(DIM);
		tui_pen_blank(&pen, 1);
		tui_pen_puts(&pen, word);
		x -= 2;
	}
	loom_buf_fini(&text);
}

/* Draws the message into the line, and what there is no room for above it, over whatever is there,
 * so that an error and its remedy can be read in full. */
static void draw_message(struct tui_app *app, struct tui_pen *pen, struct tui_rect rect)
{
	struct loom_str text = loom_str_of(app->message.text);
	const int width = tui_pen_left(pen);
	int most = rect.y - 1 < MESSAGE_ROWS ? rect.y - 1 : MESSAGE_ROWS;
	int rows = tui_wrap_count(text, 0, width, most + 1) - 1;
	size_t at = 0;

	pen->ink.role = (uint8_t)app->message.role;
	for (int i = 0; i < rows && most > 0; i++) {
		struct tui_line line = tui_wrap_line(text, at, width);
		struct tui_rect row = {rect.x, rect.y - rows + i, rect.w, 1};
		struct tui_pen other;

		tui_grid_fill(pen->grid, row, TUI_INK(TEXT));
		other = tui_pen_make(pen->grid, row, pen->ink);
		tui_pen_text(&other, loom_str_sub(text, line.from, line.to - line.from));
		at = line.next;
	}
	tui_pen_cut(pen, loom_str_sub(text, at, text.n), tui_pen_left(pen));
}

static void draw_chord(const struct tui_app *app, struct tui_pen *pen)
{
	struct loom_buf text = LOOM_BUF_INIT(512);

	if (app->typing->chord.n || app->typing->chord.count)
		tui_chord_spell(&app->typing->chord, &text);
	pen->ink = TUI_INK(KEY);
	if (text.n) {
		tui_pen_text(pen, loom_buf_str(&text));
		tui_pen_blank(pen, 1);
	}
	pen->ink = TUI_INK(BAR);
	loom_buf_fini(&text);
}

/* The position behind the message, if there is room. */
static void draw_place_behind(struct tui_app *app, struct tui_pen *pen)
{
	struct loom_buf place = LOOM_BUF_INIT(1 << 12);

	if (!app->list && !app->writing && app->tree.id)
		fit_place(app, tui_pen_left(pen) - 2, &place);
	if (place.n && (int)loom_str_width(loom_buf_str(&place)) + 2 <= tui_pen_left(pen)) {
		tui_pen_blank(pen, 2);
		pen->ink = TUI_INK(BAR);
		tui_pen_text(pen, loom_buf_str(&place));
	}
	loom_buf_fini(&place);
}

/* Draws the line that is there when there is no message. */
static void draw_place(struct tui_app *app, struct tui_pen *pen)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 12);

	if (app->writing && !tui_list_rules(app))
		tui_write_status(app, tui_pen_left(pen), &text);
	else if (app->list)
		tui_list_status(app, app->list, &text);
	else
		fit_place(app, tui_pen_left(pen), &text);
	tui_pen_cut(pen, loom_buf_str(&text), tui_pen_left(pen));
	loom_buf_fini(&text);
}

/* The left part takes what it needs, and hints the rest. */
static void draw_status(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_pen pen;
	int used;

	if (rect.w <= 0 || rect.h <= 0)
		return;
	pen = tui_pen_make(grid, rect, TUI_INK(BAR));
	draw_chord(app, &pen);
	if (app->message.text[0]) {
		draw_message(app, &pen, rect);
		draw_place_behind(app, &pen);
	} else {
		draw_place(app, &pen);
	}
	used = pen.x - rect.x + 2;
	draw_hints(app, grid, (struct tui_rect){rect.x + used, rect.y, rect.w - used, 1});
}

/* --- how a chord can go on --- */

static void way_text(const struct tui_way *way, struct loom_buf *out)
{
	const struct tui_binding *binding = way->binding;

	if (way->more)
		loom_buf_adds(out, "…");
	else if (binding->command)
		loom_buf_adds(out, tui_command_info(binding->command)->summary);
	else if (binding->line)
		loom_buf_addf(out, ":%s", binding->line);
}

static void draw_way(struct tui_grid *grid, struct tui_rect rect, const struct tui_way *way)
{
	struct loom_buf text = LOOM_BUF_INIT(512);
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(KEY));

	if (way->key.code == TUI_KEY_ANY)
		loom_buf_adds(&text, "any");
	else
		tui_keys_show(&way->key, 1, &text);
	tui_pen_text(&pen, loom_buf_str(&text));
	tui_pen_to(&pen, 7, 0);
	loom_buf_clear(&text);
	way_text(way, &text);
	pen.ink = TUI_INK(TEXT);
	tui_pen_cut(&pen, loom_buf_str(&text), tui_pen_left(&pen));
	loom_buf_fini(&text);
}

static void draw_which(struct tui_app *app, struct tui_grid *grid, struct tui_rect body)
{
	struct tui_way ways[WAYS_MAX];
	size_t n = tui_keymap_ways(&app->keymap, tui_app_keyview(app), &app->typing->chord, ways,
				   WAYS_MAX);
	int columns = body.w >= 100 ? 3 : body.w >= 66 ? 2 : 1;
	int rows, w;
	struct tui_rect box;

	n = n < WAYS_MAX ? n : WAYS_MAX;
	if (!app->typing->which || n == 0 || body.h < 4 || body.w < 12)
		return;
	rows = ((int)n + columns - 1) / columns;
	rows = rows < body.h - 2 ? rows : body.h - 2;
	box = (struct tui_rect){body.x, body.y + body.h - rows - 2, body.w, rows + 2};
	tui_grid_fill(grid, box, TUI_INK(TEXT));
	tui_grid_box(grid, box, TUI_INK(FOCUS));
	w = (box.w - 2) / columns;
	for (size_t i = 0; i < n && (int)i < rows * columns; i++) {
		int column = (int)i / rows;
		int row = (int)i % rows;
		draw_way(grid, (struct tui_rect){box.x + 1 + column * w, box.y + 1 + row, w - 1, 1},
			 &ways[i]);
	}
	if ((int)n > rows * columns) {
		struct tui_pen pen =
			tui_pen_make(grid,
				     (struct tui_rect){box.x + 2, box.y + box.h - 1, box.w - 4, 1},
				     TUI_INK(DIM));
		tui_pen_format(&pen, " %d more ", (int)n - rows * columns);
	}
}

static void draw(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout)
{
	tui_title_draw(app, grid, layout->title);
	draw_which(app, grid, layout->body);
	app->hint_count = 0;
	if (!app->prompt)
		draw_status(app, grid, layout->status);
}

const struct tui_view tui_view_bars = {.draw = draw};
