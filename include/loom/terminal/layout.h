/* Where things are, for a terminal of any size. Pure: sizes in, rectangles out; a rectangle with no
 * width or height is not shown. Rectangles of one layout never overlap and never leave the screen.
 *
 * From TUI_WIDE columns on: a frame, the tree at the left, the reader at the right, the side pane
 * below the reader. Narrower: a strip of at most TUI_STRIP rows of the tree above the reader. */
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
	bool side;   /* the side pane is wanted */
};

struct tui_layout {
	bool framed; /* a border around everything; title and status stand in it */
	struct tui_rect frame;
	struct tui_rect title;
	struct tui_rect panes[TUI_PANES];
	struct tui_rect body; /* all panes together: for views that take everything */
	struct tui_rect status;
	struct tui_rect across; /* the line between panes above each other; h is 1 or 0 */
	struct tui_rect down;   /* the line between panes beside each other; w is 1 or 0 */
};

struct tui_layout tui_layout_make(const struct tui_layout_opts *opts);
/* Draws frame and lines; the line between panes above each other is in the focus role when one of
 * them has it. */
void tui_layout_draw(struct tui_grid *grid, const struct tui_layout *layout, enum tui_pane focus);
/* What stands in a line of the frame gets a blank on each side of it. */
void tui_layout_part(struct tui_grid *grid, struct tui_rect line);
/* The part of a rectangle that prose fills: at most TUI_MEASURE wide, at its left. */
struct tui_rect tui_layout_prose(struct tui_rect rect);
/* Parts `rect` for n things: beside each other when each gets `least` cells, with a column between,
 * else above each other with a row between. Returns how many fit (at most n). */
int tui_layout_split(struct tui_rect rect, int n, int least, struct tui_rect *out);

#endif
