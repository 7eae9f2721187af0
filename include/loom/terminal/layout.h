/* Where panes are, on a terminal of any size. Pure: sizes in, rectangles out. A rectangle without
 * width or height is not shown. Rectangles of one layout never overlap and never leave the screen.
 *
 * From TUI_WIDE columns on the tree is on the left, the reader on the right and the side pane below
 * the reader. Narrower screens have a strip of tree above the reader, of at most TUI_STRIP rows
 * unless the person made it higher. */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include <loom/terminal/grid.h>

#define TUI_WIDE  120
#define TUI_STRIP 7

enum tui_pane { TUI_PANE_TREE, TUI_PANE_READER, TUI_PANE_SIDE, TUI_PANES };

struct tui_layout_opts {
	int w, h;
	enum tui_pane focus;
	bool zoomed; /* the focused pane alone */
	bool side;   /* the side pane is open */
	/* The cells of the tree, as the person chose them, beside and above the reader; 0: not
	 * chosen. Each is kept within what leaves room for both. */
	int columns, rows;
};

struct tui_layout {
	struct tui_rect title;
	struct tui_rect panes[TUI_PANES];
	struct tui_rect body; /* all panes together, for views that take them all */
	struct tui_rect status;
	struct tui_rect across; /* the line between stacked panes; h is 1 or 0 */
	struct tui_rect down;   /* the line between adjacent panes; w is 1 or 0 */
};

/* The layout for these options. */
struct tui_layout tui_layout_make(const struct tui_layout_opts *opts);
/* Draws the lines between panes. The one between stacked panes has the focus role when one of them
 * has the focus. */
void tui_layout_draw(struct tui_grid *grid, const struct tui_layout *layout, enum tui_pane focus);
/* The part of `rect` that prose fills: at most TUI_MEASURE wide, at its left. */
struct tui_rect tui_layout_prose(struct tui_rect rect);
/* Divides `rect` among n things: in as many columns as get `least` cells each, with a column
 * between two, and in rows with a row between two. Returns how many fit (at most n). */
int tui_layout_split(struct tui_rect rect, int n, int least, struct tui_rect *out);

#endif
