/* A screen as SVG: one rectangle a run of background, one text a run of alike characters, in cells
 * of a fixed size. Sharp in a README, and its changes read as text. */
#include "pty_impl.h"

#define CELL_W 8.43
#define CELL_H 17
#define PAPER  0x16181dU
#define INK    0xd6d6d6U

/* How a cell looks. */
struct paint {
	uint32_t fg, bg;
	bool bold, italic, underline;
};

/* The cube and the greys of xterm, which terminals draw; the first sixteen are anybody's. */
static uint32_t of_index(unsigned index)
{
	static const uint32_t levels[] = {0, 95, 135, 175, 215, 255};
	uint32_t grey = 8 + 10 * (index - 232);

	if (index >= 232)
		return grey << 16 | grey << 8 | grey;
	index -= 16;
	return levels[index / 36] << 16 | levels[index / 6 % 6] << 8 | levels[index % 6];
}

static uint32_t rgb_of(struct pty *pty, VTermColor colour, uint32_t standard)
{
	if (VTERM_COLOR_IS_DEFAULT_FG(&colour) || VTERM_COLOR_IS_DEFAULT_BG(&colour))
		return standard;
	if (VTERM_COLOR_IS_INDEXED(&colour) && colour.indexed.idx >= 16)
		return of_index(colour.indexed.idx);
	vterm_screen_convert_color_to_rgb(pty->screen, &colour);
	return (uint32_t)colour.rgb.red << 16 | (uint32_t)colour.rgb.green << 8 | colour.rgb.blue;
}

static VTermScreenCell cell_at(struct pty *pty, int x, int y)
{
	VTermScreenCell cell = {.width = 1};

	vterm_screen_get_cell(pty->screen, (VTermPos){.row = y, .col = x}, &cell);
	return cell;
}

static struct paint paint_of(struct pty *pty, const VTermScreenCell *cell)
{
	struct paint paint = {.fg = rgb_of(pty, cell->fg, INK),
			      .bg = rgb_of(pty, cell->bg, PAPER),
			      .bold = cell->attrs.bold,
			      .italic = cell->attrs.italic,
			      .underline = cell->attrs.underline};

	if (cell->attrs.reverse) {
		uint32_t fg = paint.fg;
		paint.fg = paint.bg;
		paint.bg = fg;
	}
	return paint;
}

static bool paint_eq(const struct paint *a, const struct paint *b)
{
	return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->italic == b->italic &&
	       a->underline == b->underline;
}

static void add_escaped(struct loom_buf *out, uint32_t cp)
{
	if (cp == '<')
		loom_buf_adds(out, "&lt;");
	else if (cp == '>')
		loom_buf_adds(out, "&gt;");
	else if (cp == '&')
		loom_buf_adds(out, "&amp;");
	else
		loom_buf_add_cp(out, cp);
}

static void add_run(struct loom_buf *out, const struct paint *paint, struct loom_str text, int x,
		    int y, int cells)
{
	if (paint->bg != PAPER)
		loom_buf_addf(out,
			      "<rect x='%.2f' y='%d' width='%.2f' height='%d' fill='#%06x'/>\n",
			      x * CELL_W, y * CELL_H, cells * CELL_W, CELL_H, paint->bg);
	if (loom_str_trim(text).n == 0)
		return;
	loom_buf_addf(out, "<text x='%.2f' y='%d' textLength='%.2f' fill='#%06x'%s%s%s>",
		      x * CELL_W, y * CELL_H + 13, cells * CELL_W, paint->fg,
		      paint->bold ? " font-weight='bold'" : "",
		      paint->italic ? " font-style='italic'" : "",
		      paint->underline ? " text-decoration='underline'" : "");
	loom_buf_add(out, text);
	loom_buf_adds(out, "</text>\n");
}

static void add_cell_text(struct loom_buf *text, const VTermScreenCell *cell)
{
	if (cell->chars[0] == 0)
		loom_buf_addc(text, ' ');
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i]; i++)
		add_escaped(text, cell->chars[i]);
}

/* Blanks of no ground end a run: fonts differ in width, and gaps hide that. */
static bool gap(const VTermScreenCell *cell, const struct paint *paint)
{
	return (cell->chars[0] == 0 || cell->chars[0] == ' ') && paint->bg == PAPER;
}

static void add_row(struct pty *pty, struct loom_buf *out, int y)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	for (int x = 0; x < pty->w;) {
		VTermScreenCell cell = cell_at(pty, x, y);
		struct paint paint = paint_of(pty, &cell);
		int from = x;
		loom_buf_clear(&text);
		if (gap(&cell, &paint)) {
			x++;
			continue;
		}
		for (;;) {
			struct paint next;
			add_cell_text(&text, &cell);
			x += cell.width > 0 ? cell.width : 1;
			if (x >= pty->w)
				break;
			cell = cell_at(pty, x, y);
			next = paint_of(pty, &cell);
			if (!paint_eq(&paint, &next))
				break;
		}
		add_run(out, &paint, loom_buf_str(&text), from, y, x - from);
	}
	loom_buf_fini(&text);
}

bool pty_svg(struct pty *pty, const char *path)
{
	struct loom_buf out = LOOM_BUF_INIT(1 << 24);
	FILE *file = fopen(path, "w");
	bool good;

	loom_buf_addf(&out,
		      "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%d' "
		      "font-family=\"'DejaVu Sans Mono',monospace\" font-size='14' "
		      "xml:space='preserve'>\n<rect width='100%%' height='100%%' fill='#%06x'/>\n",
		      pty->w * CELL_W, pty->h * CELL_H, PAPER);
	for (int y = 0; y < pty->h; y++)
		add_row(pty, &out, y);
	loom_buf_adds(&out, "</svg>\n");
	good = file && fwrite(out.p, 1, out.n, file) == out.n;
	loom_buf_fini(&out);
	return file && fclose(file) == 0 && good;
}
