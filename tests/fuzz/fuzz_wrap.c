/* Line breaking and the grid: lines cover the text in order, each is found again from its middle,
 * and what is drawn of it is a whole picture. The first byte is the width. */
#include <loom/terminal/grid.h>
#include <loom/terminal/wrap.h>
#include "tests/fuzz/fuzz.h"

static void draw_line(struct tui_grid *grid, struct loom_str line, int width)
{
	struct tui_pen pen;

	tui_grid_reset(grid, width, 1);
	pen = tui_pen_make(grid, (struct tui_rect){0, 0, width, 1}, TUI_INK(TEXT));
	tui_pen_text(&pen, line);
	must(tui_grid_fault(grid) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int width = size ? 1 + data[0] % 120 : 1;
	struct loom_str text =
		loom_str_make(size ? (const char *)data + 1 : "", size ? size - 1 : 0);
	struct tui_grid grid;
	size_t at = 0;

	tui_grid_init(&grid, false);
	for (int i = 0; i < 200; i++) {
		struct tui_line line = tui_wrap_line(text, at, width);

		must(line.from == at && line.to >= at && line.next >= line.to);
		must(line.next > at || at == text.n);
		must(line.next <= text.n);
		draw_line(&grid, loom_str_sub(text, line.from, line.to - line.from), width);
		if (at < text.n)
			must(tui_wrap_start(text, at + (line.next - at) / 2, width) == at ||
			     line.next == text.n);
		if (line.next == text.n)
			break;
		at = line.next;
	}
	tui_grid_fini(&grid);
	return 0;
}
