/* Rectangles. Knows nothing of their contents. */
#include <loom/terminal/layout.h>

#include <loom/terminal/wrap.h>

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

/* The tree gets two fifths, but no more than a long summary needs. */
static int tree_width(int inner)
{
	return least(inner * 2 / 5, 72);
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

/* Keeps text clear of the lines around it. */
static struct tui_rect margin(struct tui_rect rect)
{
	return rect.w > 2 ? (struct tui_rect){rect.x + 1, rect.y, rect.w - 2, rect.h} : rect;
}

static void make_wide(struct tui_layout *layout, const struct tui_layout_opts *opts)
{
	struct tui_rect inner = {1, 1, opts->w - 2, opts->h - 2};
	int left = tree_width(inner.w);

	layout->framed = true;
	layout->frame = (struct tui_rect){0, 0, opts->w, opts->h};
	layout->title = (struct tui_rect){2, 0, opts->w - 4, 1};
	layout->status = (struct tui_rect){2, opts->h - 1, opts->w - 4, 1};
	layout->body = inner;
	if (opts->zoomed) {
		layout->panes[opts->focus] = margin(inner);
		return;
	}
	layout->panes[TUI_PANE_TREE] = margin((struct tui_rect){inner.x, inner.y, left, inner.h});
	layout->down = (struct tui_rect){inner.x + left, inner.y, 1, inner.h};
	split_right(layout,
		    (struct tui_rect){inner.x + left + 1, inner.y, inner.w - left - 1, inner.h},
		    opts);
	layout->panes[TUI_PANE_READER] = margin(layout->panes[TUI_PANE_READER]);
	layout->panes[TUI_PANE_SIDE] = margin(layout->panes[TUI_PANE_SIDE]);
}

/* The rows of tree above the reader, including the line between them. */
static int strip_height(int rows)
{
	return rows < 6 ? 0 : least(TUI_STRIP, rows / 3);
}

static void make_narrow(struct tui_layout *layout, const struct tui_layout_opts *opts)
{
	int title = opts->h >= 5 ? 1 : 0;
	int rows = most(0, opts->h - 1 - title);
	int strip = opts->zoomed ? 0 : strip_height(rows);
	enum tui_pane above = opts->focus == TUI_PANE_SIDE ? TUI_PANE_SIDE : TUI_PANE_TREE;
	enum tui_pane below = TUI_PANE_READER;

	layout->title = (struct tui_rect){0, 0, opts->w, title};
	layout->body = (struct tui_rect){0, title, opts->w, rows};
	layout->status = (struct tui_rect){0, opts->h - 1, opts->w, 1};
	if (strip == 0) {
		layout->panes[opts->focus] = layout->body;
		return;
	}
	if (above == TUI_PANE_SIDE) /* a thread's memory needs room to work in */
		strip = most(strip, rows / 2);
	layout->panes[above] = (struct tui_rect){0, title, opts->w, strip};
	layout->across = (struct tui_rect){0, title + strip, opts->w, 1};
	layout->panes[below] = (struct tui_rect){0, title + strip + 1, opts->w, rows - strip - 1};
}

struct tui_layout tui_layout_make(const struct tui_layout_opts *opts)
{
	struct tui_layout layout = {.framed = false};
	struct tui_layout_opts sane = *opts;

	sane.w = most(1, opts->w);
	sane.h = most(1, opts->h);
	if (sane.w >= TUI_WIDE && sane.h >= 8)
		make_wide(&layout, &sane);
	else
		make_narrow(&layout, &sane);
	return layout;
}

/* The line above or below the focused pane stands out. Lines beside panes do not: a colour switched
 * in every row costs more bytes than the rows themselves. */
static struct tui_ink line_ink(const struct tui_rect *line, const struct tui_rect *pane)
{
	struct tui_rect grown = {pane->x - 2, pane->y - 1, pane->w + 4, pane->h + 2};
	struct tui_rect meet = tui_rect_meet(*line, grown);

	return pane->w > 0 && meet.w > 0 && meet.h > 0 ? TUI_INK(FOCUS) : TUI_INK(BORDER);
}

void tui_layout_draw(struct tui_grid *grid, const struct tui_layout *layout, enum tui_pane focus)
{
	struct tui_rect across = layout->across;
	struct tui_rect down = layout->down;
	struct tui_ink ink = line_ink(&across, &layout->panes[focus]);

	if (layout->framed)
		tui_grid_box(grid, layout->frame, TUI_INK(BORDER));
	if (layout->framed && down.w > 0) /* reaches into the frame to join it */
		tui_grid_down(grid, down.x, down.y - 1, down.h + 2, TUI_INK(BORDER));
	if (layout->framed && across.h > 0)
		tui_grid_across(grid, across.x - 1, across.y, across.w + 2, ink);
	else if (across.h > 0)
		tui_grid_across(grid, across.x, across.y, across.w, ink);
}

static bool is_line(const struct tui_grid *grid, int x, int y)
{
	const struct tui_cell *cell = tui_grid_cell(grid, x, y);

	return !cell || (cell->ink.role == TUI_ROLE_BORDER && cell->glyph != ' ');
}

void tui_layout_part(struct tui_grid *grid, struct tui_rect line)
{
	bool text = false; /* in the cell before it */

	for (int x = line.x - 1; x <= line.x + line.w; x++) {
		bool here = !is_line(grid, x, line.y);

		if (!here && (text || !is_line(grid, x + 1, line.y)))
			tui_grid_fill(grid, (struct tui_rect){x, line.y, 1, 1}, TUI_INK(BORDER));
		text = here;
	}
}

struct tui_rect tui_layout_prose(struct tui_rect rect)
{
	rect.w = least(rect.w, TUI_MEASURE);
	return rect;
}

int tui_layout_split(struct tui_rect rect, int n, int least_cells, struct tui_rect *out)
{
	bool beside = n > 0 && (rect.w - (n - 1)) / n >= least_cells;
	int whole = beside ? rect.w : rect.h;
	int fit = least(n, beside ? n : (rect.h + 1) / 4);
	int at = 0;

	if (n > 0 && fit < 1)
		fit = 1;
	for (int i = 0; i < fit; i++) {
		int part = (whole - (fit - 1) - at + i) / (fit - i);
		out[i] = rect;
		if (beside) {
			out[i].x = rect.x + at;
			out[i].w = part;
		} else {
			out[i].y = rect.y + at;
			out[i].h = part;
		}
		at += part + 1;
	}
	return fit;
}
