/* What surrounds the node of the position, in room that would be empty: its summary, notes on it,
 * how its siblings and its continuations begin. Only what fits is read. */
#include <loom/desk/desk.h>

#include <loom/terminal/wrap.h>

#include "inside.h"

#define LEAST_ROWS  4
#define LEAST_WIDTH 20
#define BEGINNINGS  9 /* of siblings, or of continuations */
#define NOTES       4
#define NOTE_ROWS   3

/* Where the next line goes. */
struct room {
	struct tui_app *app;
	struct tui_pen pen;
	struct tui_rect rect;
	int y;
	bool dry; /* only counts lines */
};

static bool is_full(const struct room *room)
{
	return room->y >= room->rect.h;
}

/* Draws a text in at most `rows` lines. */
static void put(struct room *room, struct tui_ink ink, struct loom_str text, int rows)
{
	for (size_t at = 0; rows > 0 && at < text.n && !is_full(room); rows--, room->y++) {
		const struct tui_line line = tui_wrap_line(text, at, room->rect.w);

		room->pen.ink = ink;
		tui_pen_to(&room->pen, 0, room->y);
		if (!room->dry)
			tui_pen_text(&room->pen,
				     loom_str_sub(text, line.from, line.to - line.from));
		if (line.next <= at)
			break;
		at = line.next;
	}
}

/* A heading, with a free line before it; nothing when there is no room for a line below it. */
static bool head(struct room *room, const char *text)
{
	if (room->y + 2 >= room->rect.h)
		return false;
	room->y += room->y > 0;
	put(room, TUI_INK(DIM), loom_str_of(text), 1);
	return true;
}

static void put_summary(struct room *room, const struct loom_node *node)
{
	if (node->summary.n && !node->summary_extract && head(room, "summary"))
		put(room, TUI_INK(TEXT), node->summary, room->rect.h);
}

static void put_notes(struct room *room, const struct loom_node *node)
{
	const struct loom_page page = {.kind = LOOM_ANNOTATION,
				       .limit = NOTES,
				       .parts = LOOM_NODE_TEXT};
	struct tui_app *app = room->app;
	struct loom_nodes notes = {NULL, 0};

	if (loom_node_children(app->store, node->group, &page, app->arena, &notes, NULL) !=
		    LOOM_OK ||
	    !notes.count || !head(room, notes.count > 1 ? "notes" : "note"))
		return;
	for (size_t i = 0; i < notes.count; i++)
		put(room,
		    (struct tui_ink){
			    .role = (uint8_t)tui_people_role(&app->people, notes.items[i].author)},
		    notes.items[i].text, NOTE_ROWS);
}

/* The id and the first words of a node. */
static void put_beginning(struct room *room, int64_t group)
{
	struct tui_app *app = room->app;
	const struct tui_row *row = NULL;

	if (is_full(room) || tui_rows_get(&app->rows, group, &row, NULL) != LOOM_OK)
		return;
	tui_pen_to(&room->pen, 0, room->y++);
	if (room->dry)
		return;
	room->pen.ink = group == app->position ? TUI_INK(PATH) : TUI_INK(ID);
	tui_pen_puts(&room->pen, row->id);
	tui_pen_blank(&room->pen, 2);
	room->pen.ink.role = (uint8_t)tui_people_role(&app->people, row->author);
	tui_pen_cut(&room->pen, loom_str_make(row->text, row->text_n), tui_pen_left(&room->pen));
}

/* A page of the children of a group, with the one of this ordinal; a page that stays the same while
 * one moves within it costs nothing to draw again. */
static void put_children(struct room *room, const char *title, int64_t group, int64_t ord)
{
	const struct loom_page page = {.kind = LOOM_CONTINUATION,
				       .thread = room->app->thread,
				       .after = ord > 0 ? (ord - 1) / BEGINNINGS * BEGINNINGS : 0,
				       .limit = BEGINNINGS};
	struct loom_nodes nodes = {NULL, 0};

	if (loom_node_children(room->app->store, group, &page, room->app->arena, &nodes, NULL) !=
		    LOOM_OK ||
	    !nodes.count || !head(room, title))
		return;
	for (size_t i = 0; i < nodes.count; i++)
		put_beginning(room, nodes.items[i].group);
}

/* Whether the tree shows what follows. */
static bool is_open(const struct tui_app *app)
{
	const struct tui_items *items = app->outline.items;
	const uint32_t item = tui_items_find(items, (uint64_t)app->position);

	return item && tui_items_get(items, item)->flags & TUI_OUTLINE_OPEN &&
	       !tui_items_folded(items, item);
}

static void put_all(struct room *room, const struct loom_node *node)
{
	put_summary(room, node);
	put_notes(room, node);
	if (room->app->layout.down.w <= 0)
		return; /* the tree is above and as wide */
	if (room->app->n > 1)
		put_children(room, "siblings", loom_node_among(node), node->ord);
	if (node->children && !is_open(room->app))
		put_children(room, "goes on with", node->group, 0);
}

/* Fills the lower half of a pane at most, if that much of it is free: at the bottom, where it stays
 * in its place while the text above changes. Returns whether it did. */
static bool fill(struct tui_app *app, struct tui_grid *grid, struct tui_rect pane,
		 struct tui_rect rest, const struct loom_node *node)
{
	struct room room = {.app = app, .rect = {rest.x, pane.y, rest.w, pane.h / 2}, .dry = true};

	if (rest.h < LEAST_ROWS || rest.w < LEAST_WIDTH)
		return false;
	room.pen = tui_pen_make(grid, room.rect, TUI_INK(TEXT));
	put_all(&room, node);
	if (room.y < 2 || room.y >= rest.h)
		return false;
	room.rect.h = room.y;
	room.rect.y = pane.y + pane.h - room.y;
	room.pen = tui_pen_make(grid, room.rect, TUI_INK(TEXT));
	room.y = 0;
	room.dry = false;
	put_all(&room, node);
	return true;
}

/* Below the text, or else below the tree. */
static void draw(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout)
{
	const struct tui_rect *panes = layout->panes;
	struct loom_node node;

	if (!app->tree.id || app->writing || app->list || !app->member ||
	    loom_node_get(app->store, app->member, LOOM_NODE_MARKS, app->arena, &node, NULL) !=
		    LOOM_OK)
		return;
	if (!fill(app, grid, panes[TUI_PANE_READER], app->free_text, &node))
		(void)fill(app, grid, panes[TUI_PANE_TREE], app->free_tree, &node);
}

const struct tui_view tui_view_around = {.draw = draw};
