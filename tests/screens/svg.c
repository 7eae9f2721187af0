/* A screen as SVG: one rectangle a run of background, one text a run of alike characters, in cells
 * of a fixed size; what frames and trees are drawn with is drawn as lines, which meet in any font.
 * Sharp in a README, and its changes read as text. */
#include "pty_impl.h"

#define CELL_W 8.43
#define CELL_H 17
#define MARGIN 8
#define PAPER  0x16181dU
#define INK    0xd6d6d6U

/* The directions of a box glyph's lines from the middle of its cell. */
enum { TO_LEFT = 1, TO_RIGHT = 2, UP = 4, DOWN = 8 };

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

/* 0: not one of those glyphs. */
static unsigned arms_of(const VTermScreenCell *cell)
{
	static const struct {
		uint32_t cp;
		unsigned arms;
	} boxes[] = {
		{0x2500, TO_LEFT | TO_RIGHT},
		{0x2502, UP | DOWN},
		{0x250c, TO_RIGHT | DOWN},
		{0x2510, TO_LEFT | DOWN},
		{0x2514, TO_RIGHT | UP},
		{0x2518, TO_LEFT | UP},
		{0x251c, TO_RIGHT | UP | DOWN},
		{0x2524, TO_LEFT | UP | DOWN},
		{0x252c, TO_LEFT | TO_RIGHT | DOWN},
		{0x2534, TO_LEFT | TO_RIGHT | UP},
		{0x253c, TO_LEFT | TO_RIGHT | UP | DOWN},
	};

	for (size_t i = 0; i < LOOM_COUNT(boxes); i++)
		if (cell->chars[0] == boxes[i].cp && cell->chars[1] == 0)
			return boxes[i].arms;
	return 0;
}

static void add_ground(struct loom_buf *out, const struct paint *paint, int x, int y, int cells)
{
	if (paint->bg != PAPER)
		loom_buf_addf(out,
			      "<rect x='%.2f' y='%d' width='%.2f' height='%d' fill='#%06x'/>\n",
			      x * CELL_W, y * CELL_H, cells * CELL_W, CELL_H, paint->bg);
}

/* Each cell's arms; those to the left and right of a row of them become one line. */
static void add_lines(struct loom_buf *out, const struct paint *paint, const unsigned *arms, int x,
		      int y, int cells)
{
	double middle = y * CELL_H + CELL_H / 2.0;

	add_ground(out, paint, x, y, cells);
	loom_buf_addf(out, "<path stroke='#%06x' d='", paint->fg);
	for (int i = 0; i < cells; i++) {
		double centre = (x + i) * CELL_W + CELL_W / 2;
		double from = arms[i] & TO_LEFT ? centre - CELL_W / 2 : centre;
		int last = i;

		if (arms[i] & UP)
			loom_buf_addf(out, "M%.2f,%dV%.1f", centre, y * CELL_H, middle);
		if (arms[i] & DOWN)
			loom_buf_addf(out, "M%.2f,%.1fv%.1f", centre, middle, CELL_H / 2.0);
		while (arms[last] & TO_RIGHT && last + 1 < cells &&
		       arms[last + 1] == (TO_LEFT | TO_RIGHT))
			last++;
		if (arms[i] & (TO_LEFT | TO_RIGHT))
			loom_buf_addf(out, "M%.2f,%.1fH%.2f", from, middle,
				      (x + last) * CELL_W +
					      (arms[last] & TO_RIGHT ? CELL_W : CELL_W / 2));
		i = last;
	}
	loom_buf_adds(out, "'/>\n");
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
	add_ground(out, paint, x, y, cells);
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

/* The box glyphs from x on that look alike; where they end. */
static int add_boxes(struct pty *pty, struct loom_buf *out, int x, int y)
{
	VTermScreenCell cell = cell_at(pty, x, y);
	const struct paint paint = paint_of(pty, &cell);
	struct paint next = paint;
	unsigned arms[512];
	int n = 0;

	while (x + n < pty->w && n < (int)LOOM_COUNT(arms)) {
		cell = cell_at(pty, x + n, y);
		next = paint_of(pty, &cell);
		arms[n] = arms_of(&cell);
		if (!arms[n] || !paint_eq(&paint, &next))
			break;
		n++;
	}
	add_lines(out, &paint, arms, x, y, n);
	return x + n;
}

static void add_row(struct pty *pty, struct loom_buf *out, int y)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	for (int x = 0; x < pty->w;) {
		VTermScreenCell cell = cell_at(pty, x, y);
		struct paint paint = paint_of(pty, &cell);
		int from = x;
		loom_buf_clear(&text);
		if (arms_of(&cell)) {
			x = add_boxes(pty, out, x, y);
			continue;
		}
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
			if (!paint_eq(&paint, &next) || arms_of(&cell))
				break;
		}
		add_run(out, &paint, loom_buf_str(&text), from, y, x - from);
	}
	loom_buf_fini(&text);
}

bool pty_svg(struct pty *pty, const char *path)
{
	const double wide = pty->w * CELL_W + 2 * MARGIN;
	const int high = pty->h * CELL_H + 2 * MARGIN;
	struct loom_buf out = LOOM_BUF_INIT(1 << 24);
	FILE *file = fopen(path, "w");
	bool good;

	loom_buf_addf(&out,
		      "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%d' "
		      "viewBox='%d %d %.0f %d' "
		      "font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size='14' "
		      "xml:space='preserve'>\n"
		      "<rect x='%d' y='%d' width='100%%' height='100%%' rx='6' fill='#%06x'/>\n",
		      wide, high, -MARGIN, -MARGIN, wide, high, -MARGIN, -MARGIN, PAPER);
	for (int y = 0; y < pty->h; y++)
		add_row(pty, &out, y);
	loom_buf_adds(&out, "</svg>\n");
	good = file && fwrite(out.p, 1, out.n, file) == out.n;
	loom_buf_fini(&out);
	return file && fclose(file) == 0 && good;
}
