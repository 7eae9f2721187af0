/* Rectangles. Knows nothing of their contents. */
#include <loom/terminal/layout.h>

#include <loom/terminal/wrap.h>

#define LEAST_WIDTH 24 /* of a pane beside another */
#define LEAST_PART  6  /* rows of one of many parts */

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

static int within(int n, int low, int high)
{
	return most(low, least(n, high));
}

/* The tree gets two fifths, but no more than a long summary needs. */
static int tree_width(const struct tui_layout_opts *opts)
{
	return opts->columns ? within(opts->columns, LEAST_WIDTH, opts->w - LEAST_WIDTH)
			     : least(opts->w * 2 / 5, 72);
}

static int side_height(int h)
{
	return most(3, h / 3);
}

/* Too low for two panes: the side pane shows while it has the focus. */
static void split_right(struct tui_layout *layout, struct tui_rect right,
			const struct tui_layout_opts *opts)
{
	bool focused = opts->focus == TUI_PANE_SIDE;
	int below = (opts->side || focused) && right.h >= 9 ? side_height(right.h) : 0;

	if (below == 0) {
		layout->panes[focused ? TUI_PANE_SIDE : TUI_PANE_READER] = right;
		return;
	}
	layout->panes[TUI_PANE_READER] = right;
	layout->panes[TUI_PANE_READER].h = right.h - below - 1;
	layout->across = (struct tui_rect){right.x, right.y + right.h - below - 1, right.w, 1};
	layout->panes[TUI_PANE_SIDE] =
		(struct tui_rect){right.x, right.y + right.h - below, right.w, below};
}

/* Text stays clear of the line between the panes. */
static void make_wide(struct tui_layout *layout, const struct tui_layout_opts *opts)
{
	const struct tui_rect body = layout->body;
	int left = tree_width(opts);

	layout->panes[TUI_PANE_TREE] = (struct tui_rect){body.x, body.y, left - 1, body.h};
	layout->down = (struct tui_rect){body.x + left, body.y, 1, body.h};
	split_right(layout, (struct tui_rect){body.x + left + 2, body.y, body.w - left - 2, body.h},
		    opts);
}

/* The rows of tree above the reader; 0: there is room for one of them only. */
static int strip_height(const struct tui_layout_opts *opts, int rows)
{
	if (rows < 6)
		return 0;
	return opts->rows ? within(opts->rows, 1, rows - 3) : least(TUI_STRIP, rows / 3);
}

static void make_narrow(struct tui_layout *layout, const struct tui_layout_opts *opts)
{
	const struct tui_rect body = layout->body;
	int strip = strip_height(opts, body.h);
	enum tui_pane above = opts->focus == TUI_PANE_SIDE ? TUI_PANE_SIDE : TUI_PANE_TREE;

	if (strip == 0) {
		layout->panes[opts->focus] = body;
		return;
	}
	if (above == TUI_PANE_SIDE) /* a thread's memory needs room to work in */
		strip = most(strip, body.h / 2);
	layout->panes[above] = (struct tui_rect){0, body.y, opts->w, strip};
	layout->across = (struct tui_rect){0, body.y + strip, opts->w, 1};
	layout->panes[TUI_PANE_READER] =
		(struct tui_rect){0, body.y + strip + 1, opts->w, body.h - strip - 1};
}

struct tui_layout tui_layout_make(const struct tui_layout_opts *opts)
{
	struct tui_layout layout = {.title = {.h = 0}};
	struct tui_layout_opts sane = *opts;
	int title;

	sane.w = most(1, opts->w);
	sane.h = most(1, opts->h);
	title = sane.h >= 5 ? 1 : 0;
	layout.title = (struct tui_rect){0, 0, sane.w, title};
	layout.body = (struct tui_rect){0, title, sane.w, most(0, sane.h - 1 - title)};
	layout.status = (struct tui_rect){0, sane.h - 1, sane.w, 1};
	if (sane.zoomed)
		layout.panes[sane.focus] = layout.body;
	else if (sane.w >= TUI_WIDE && sane.h >= 8)
		make_wide(&layout, &sane);
	else
		make_narrow(&layout, &sane);
	return layout;
}

/* The line above or below the focused pane stands out. Lines beside panes do not: a colour switched
 * in every row costs more bytes than the rows themselves. */
static struct tui_ink line_ink(const struct tui_rect *line, const struct tui_rect *pane)
{
	struct tui_rect grown = {pane->x, pane->y - 1, pane->w, pane->h + 2};
	struct tui_rect meet = tui_rect_meet(*line, grown);

	return pane->w > 0 && meet.w > 0 && meet.h > 0 ? TUI_INK(FOCUS) : TUI_INK(BORDER);
}

void tui_layout_draw(struct tui_grid *grid, const struct tui_layout *layout, enum tui_pane focus)
{
	const struct tui_rect across = layout->across;
	const struct tui_rect down = layout->down;
	const int reach = down.w > 0 ? 2 : 0; /* to join the line beside it */

	if (down.w > 0)
		tui_grid_down(grid, down.x, down.y, down.h, TUI_INK(BORDER));
	if (across.h > 0)
		tui_grid_across(grid, across.x - reach, across.y, across.w + reach,
				line_ink(&across, &layout->panes[focus]));
}

struct tui_rect tui_layout_prose(struct tui_rect rect)
{
	rect.w = least(rect.w, TUI_MEASURE);
	return rect;
}

/* The i-th of n equal shares of `all` cells, with one between two. */
static void share(int all, int n, int i, int *at, int *cells)
{
	const int whole = all - (n - 1);

	*at = whole * i / n + i;
	*cells = whole * (i + 1) / n - whole * i / n;
}

int tui_layout_split(struct tui_rect rect, int n, int least_cells, struct tui_rect *out)
{
	const int columns = within((rect.w + 1) / (least_cells + 1), 1, most(1, n));
	const int need = (n + columns - 1) / columns;
	const int rows = within(least(need, (rect.h + 1) / (LEAST_PART + 1)), 1, most(1, need));
	const int fit = least(n, rows * columns);

	for (int i = 0; i < fit; i++) {
		out[i] = rect;
		share(rect.w, columns, i % columns, &out[i].x, &out[i].w);
		share(rect.h, rows, i / columns, &out[i].y, &out[i].h);
		out[i].x += rect.x;
		out[i].y += rect.y;
	}
	return fit;
}
