/* Where panes are, on a terminal of any size. Pure: sizes in, rectangles out. A rectangle without
 * width or height is not shown. Rectangles of one layout never overlap and never leave the screen.
 *
 * From TUI_WIDE columns on there is a frame, with the tree on the left, the reader on the right
 * and the side pane below the reader. Narrower screens have a strip of at most TUI_STRIP rows of
 * tree above the reader. */
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
};

struct tui_layout {
	bool framed; /* a border around everything, with title and status in it */
	struct tui_rect frame;
	struct tui_rect title;
	struct tui_rect panes[TUI_PANES];
	struct tui_rect body; /* all panes together, for views that take them all */
	struct tui_rect status;
	struct tui_rect across; /* the line between stacked panes; h is 1 or 0 */
	struct tui_rect down;   /* the line between adjacent panes; w is 1 or 0 */
};

/* The layout for these options. */
struct tui_layout tui_layout_make(const struct tui_layout_opts *opts);
/* Draws the frame and lines. The line between stacked panes has the focus role when one of them has
 * the focus. */
void tui_layout_draw(struct tui_grid *grid, const struct tui_layout *layout, enum tui_pane focus);
/* Puts a blank on each side of the text in a line of the frame. */
void tui_layout_part(struct tui_grid *grid, struct tui_rect line);
/* The part of `rect` that prose fills: at most TUI_MEASURE wide, at its left. */
struct tui_rect tui_layout_prose(struct tui_rect rect);
/* Divides `rect` among n things: side by side with a column between when each gets `least` cells,
 * otherwise stacked with a row between. Returns how many fit (at most n). */
int tui_layout_split(struct tui_rect rect, int n, int least, struct tui_rect *out);

#endif
