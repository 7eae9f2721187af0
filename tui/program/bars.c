/* The lines around the panes: the tree and who acts; the position, the message, the keys that are
 * useful now. */
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

#define WAYS_MAX     120
#define MESSAGE_ROWS 4 /* above the line, at most */

static const char *mode_name(enum loom_mode mode)
{
	return mode == LOOM_BUFFER ? "buffer" : "dialogue";
}

static void people_part(struct tui_app *app, struct loom_buf *out)
{
	loom_buf_adds(out, "acting: ");
	loom_buf_add(out, loom_agent_called(app->actor, app->people.me,
					    tui_people_name(&app->people, app->actor)));
	if (app->news->present_count)
		loom_buf_addf(out, " · %zu %s here", app->news->present_count,
			      loom_plural((int64_t)app->news->present_count, "other", "others"));
	if (tui_followed(app).n)
		loom_buf_addf(out, " · following %.*s", LOOM_STR_ARG(tui_followed(app)));
	if (app->approvals->count)
		loom_buf_addf(out, " · %zu %s for you", app->approvals->count,
			      loom_plural((int64_t)app->approvals->count, "waits", "wait"));
	if (tui_macro_recording(app))
		loom_buf_addf(out, " · recording %c", tui_macro_recording(app));
	loom_buf_adds(out, app->streams->count ? " · generating"
			   : app->work->writes ? " · saving"
					       : " · saved");
}

/* The tree's mode and subject as far as there is room up to `until`, and then what is hidden. */
static void draw_tree_part(struct tui_app *app, struct tui_pen *pen, int until)
{
	struct loom_buf hidden = LOOM_BUF_INIT(1 << 16);
	const struct loom_str subject = loom_buf_str(&app->subject->text);
	int rest;

	tui_filter_say(app, &hidden);
	rest = until - (int)loom_str_width(loom_buf_str(&hidden));
	pen->ink = TUI_INK(DIM);
	if (app->tree.id && pen->x + 11 < rest)
		tui_pen_format(pen, " · %s", mode_name(app->tree.mode));
	if (subject.n && !tui_filter_text(app).n &&
	    pen->x + 3 + (int)loom_str_width(subject) <= rest)
		tui_pen_format(pen, " · %.*s", LOOM_STR_ARG(subject));
	pen->ink = TUI_INK(WARN);
	tui_pen_cut(pen, loom_buf_str(&hidden), until - pen->x);
	loom_buf_fini(&hidden);
}

static void draw_title(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(TITLE));
	struct tui_rect right;
	int cells;

	if (rect.w <= 0 || rect.h <= 0)
		return;
	people_part(app, &text);
	cells = (int)loom_str_width(loom_buf_str(&text));
	right = (struct tui_rect){rect.x + rect.w - cells, rect.y, cells, 1};
	if (cells + 16 < rect.w) {
		struct tui_pen other = tui_pen_make(grid, right, TUI_INK(DIM));
		if (app->work->writes)
			other.ink = TUI_INK(RUNNING);
		tui_pen_text(&other, loom_buf_str(&text));
		cells += 2;
	} else {
		cells = 0;
	}
	tui_pen_cut(&pen,
		    app->list           ? tui_list_title(app->list)
		    : app->tree.title.n ? app->tree.title
		    : app->tree.id      ? LOOM_STR("(no title)")
					: LOOM_STR("no tree yet"),
		    (rect.w - cells) * 2 / 3);
	if (!app->list)
		draw_tree_part(app, &pen, rect.x + rect.w - cells);
	loom_buf_fini(&text);
}

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

/* A dialogue shows the notes in its header; prose shows them only here. */
static void say_notes(struct tui_app *app, struct loom_buf *out)
{
	int64_t notes = 0;

	if (app->tree.mode == LOOM_BUFFER &&
	    loom_node_count(app->store, app->position, LOOM_ANNOTATION, &notes, NULL) == LOOM_OK &&
	    notes)
		loom_buf_addf(out, " · %lld %s", (long long)notes,
			      loom_plural(notes, "annotation", "annotations"));
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
	say_notes(app, out);
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

#define HINTS 8

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
	  {TUI_ACTION_COMMAND_LINE, "command"},
	  {TUI_VERB_RESPOND, "write"},
	  {TUI_VERB_CONTINUE, "continue"},
	  {TUI_VERB_HELP, "help"}}},
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
	 {{TUI_ACTION_PAYLOAD_WHY, "why"},
	  {TUI_ACTION_SCOPE_WIDER, "wider"},
	  {TUI_ACTION_ADD, "add"},
	  {TUI_ACTION_SELECT, "toggle"},
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

/* Whether the key would do something here and now. */
static bool is_offered(const struct tui_app *app, enum tui_command command)
{
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->offers && (!(*view)->there || (*view)->there(app)))
			return (*view)->offers(app, command);
	return true;
}

/* What the key does with a draft. */
static const char *draft_word(enum tui_command command, const char *word)
{
	return command == TUI_VERB_PRUNE      ? "delete"
	       : command == TUI_VERB_CONTINUE ? "commit"
	       : command == TUI_VERB_RESPOND  ? "open"
					      : word;
}

/* On a pruned row the prune key restores, and on a draft other words apply. */
static const char *hint_word(struct tui_app *app, enum tui_command command, const char *word)
{
	const struct tui_row *row = NULL;

	if (!app->list && tui_drafts_at(app, app->cursor))
		return draft_word(command, word);
	if (command == TUI_VERB_PRUNE && !app->list &&
	    tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK && row->pruned)
		return "restore";
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
		const char *word = hints->items[i].word;
		int cells;
		loom_buf_clear(&text);
		if (!word || !is_offered(app, hints->items[i].command) ||
		    !tui_keymap_spell(&app->keymap, view, hints->items[i].command, &text))
			continue;
		word = hint_word(app, hints->items[i].command, word);
		cells = (int)loom_str_width(loom_buf_str(&text)) + 1 +
			(int)loom_str_width(loom_str_of(word));
		if (x - cells < 0)
			break;
		x -= cells;
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

/* A message too long for the line continues above it, over whatever is there, so that an error and
 * its remedy can be read in full. Returns the part for the line itself. */
static struct loom_str draw_above(const struct tui_app *app, struct tui_pen *pen,
				  struct tui_rect rect)
{
	struct loom_str text = loom_str_of(app->message.text);
	int most = rect.y - 1 < MESSAGE_ROWS ? rect.y - 1 : MESSAGE_ROWS;
	int rows = tui_wrap_count(text, 0, rect.w, most + 1) - 1;
	size_t at = 0;

	if (pen->x != rect.x || most < 1)
		return text;
	for (int i = 0; i < rows; i++) {
		struct tui_line line = tui_wrap_line(text, at, rect.w);
		struct tui_rect row = {rect.x, rect.y - rows + i, rect.w, 1};
		struct tui_pen other;

		tui_grid_fill(pen->grid, row, TUI_INK(BAR));
		tui_grid_ground(pen->grid, row, TUI_ROLE_BAR);
		other = tui_pen_make(pen->grid, row, pen->ink);
		tui_pen_text(&other, loom_str_sub(text, line.from, line.to - line.from));
		at = line.next;
	}
	return loom_str_sub(text, at, text.n);
}

/* A message takes the line; the position stays at the right if there is room. */
static void draw_message(struct tui_app *app, struct tui_pen *pen, struct tui_rect rect)
{
	struct loom_buf place = LOOM_BUF_INIT(1 << 12);
	int cells = 0;

	if (!app->list && !app->writing && app->tree.id)
		say_place(app, true, &place);
	cells = (int)loom_str_width(loom_buf_str(&place));
	pen->ink.role = (uint8_t)app->message.role;
	tui_pen_cut(pen, draw_above(app, pen, rect), tui_pen_left(pen));
	if (cells && pen->x + 2 + cells <= rect.x + rect.w) {
		struct tui_rect right = {rect.x + rect.w - cells, rect.y, cells, 1};
		struct tui_pen other = tui_pen_make(pen->grid, right, TUI_INK(BAR));
		tui_pen_text(&other, loom_buf_str(&place));
	}
	loom_buf_fini(&place);
}

static void draw_status(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 12);
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(BAR));
	int used;

	if (rect.w <= 0 || rect.h <= 0)
		return;
	if (app->typing->chord.n || app->typing->chord.count)
		tui_chord_spell(&app->typing->chord, &text);
	if (text.n) {
		pen.ink = TUI_INK(KEY);
		tui_pen_text(&pen, loom_buf_str(&text));
		tui_pen_blank(&pen, 1);
		pen.ink = TUI_INK(BAR);
		loom_buf_clear(&text);
	}
	if (app->message.text[0]) {
		draw_message(app, &pen, rect);
	} else {
		bool writes = app->writing && !tui_list_rules(app);

		if (writes)
			tui_write_status(app, tui_pen_left(&pen), &text);
		else if (app->list)
			tui_list_status(app, app->list, &text);
		else
			fit_place(app, tui_pen_left(&pen), &text);
		tui_pen_cut(&pen, loom_buf_str(&text), tui_pen_left(&pen));
		used = pen.x - rect.x + 2;
		if (writes)
			used = rect.w;
		draw_hints(app, grid, (struct tui_rect){rect.x + used, rect.y, rect.w - used, 1});
	}
	loom_buf_fini(&text);
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
		tui_key_spell(way->key, &text);
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
	draw_title(app, grid, layout->title);
	draw_which(app, grid, layout->body);
	if (!app->prompt)
		draw_status(app, grid, layout->status);
}

const struct tui_view tui_view_bars = {.draw = draw};
