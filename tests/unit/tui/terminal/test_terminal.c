#include "greatest.h"

#include <ctype.h>

#include <loom/terminal/layout.h>
#include "tui/terminal/sgr.h"
#include "tui/terminal/terminal.h"

/* A picture like the program's own, so that its bytes are its own too. */
struct scene {
	int w, h;
	int top, cursor; /* first row of the list and the row of the cursor */
	int prose;       /* first line of the prose */
	const char *status;
};

static void tree_row(struct tui_pen *pen, int row, bool cursor)
{
	pen->ink = TUI_INK(TEXT);
	for (int i = 0; i < row % 4; i++)
		tui_pen_puts(pen, "  ");
	tui_pen_symbol(pen, TUI_SYMBOL_OPEN);
	pen->ink = TUI_INK(ID);
	tui_pen_format(pen, " a%dx%d ", row % 8 + 2, row * 7 % 8 + 2);
	pen->ink = row % 3 ? TUI_INK(MODEL) : TUI_INK(HUMAN);
	tui_pen_format(pen, "Summary number %d of what %s", row,
		       row % 5 ? "she said" : "the house kept to itself");
	(void)cursor;
}

/* A line as prose fills it: words, up to where the next would not fit. */
static void prose_line(struct tui_pen *pen, int line)
{
	static const char *const words[] = {"the",     "house",   "stood", "empty",    "and",
					    "Marie",   "windows", "she",   "had",      "not",
					    "visited", "since",   "her",   "mother's", "death",
					    "a",       "watchful"};
	unsigned at = (unsigned)line * 2654435761U;

	for (;;) {
		const char *word = words[(at >> 13) % LOOM_COUNT(words)];
		if (tui_pen_left(pen) <= (int)strlen(word))
			return;
		tui_pen_format(pen, "%s ", word);
		at = at * 1103515245U + 12345U;
	}
}

static void draw_scene(struct tui_grid *grid, const struct scene *scene)
{
	struct tui_layout_opts opts = {.w = scene->w, .h = scene->h, .focus = TUI_PANE_TREE};
	struct tui_layout made = tui_layout_make(&opts);
	struct tui_rect tree = made.panes[TUI_PANE_TREE];
	struct tui_rect reader = made.panes[TUI_PANE_READER];
	struct tui_pen pen;

	tui_grid_reset(grid, scene->w, scene->h);
	tui_layout_draw(grid, &made, TUI_PANE_TREE);
	pen = tui_pen_make(grid, tree, TUI_INK(TEXT));
	for (int y = 0; y < tree.h; y++) {
		tui_pen_to(&pen, 0, y);
		tree_row(&pen, scene->top + y, scene->top + y == scene->cursor);
	}
	tui_grid_ground(grid,
			(struct tui_rect){tree.x, tree.y + scene->cursor - scene->top, tree.w, 1},
			TUI_ROLE_CURSOR);
	pen = tui_pen_make(grid, reader, TUI_INK(MODEL));
	for (int y = 0; y < reader.h; y++) {
		tui_pen_to(&pen, 0, y);
		prose_line(&pen, scene->prose + y);
	}
	pen = tui_pen_make(grid, made.status, TUI_INK(TEXT));
	tui_pen_puts(&pen, scene->status);
	grid->cursor_x = tree.x;
	grid->cursor_y = tree.y + scene->cursor - scene->top;
	grid->cursor_shown = true;
}

struct bench {
	struct tui_theme theme;
	struct tui_term *term;
	struct tui_grid grid;
	struct loom_buf out;
};

static void bench_open(struct bench *bench, const struct tui_term_opts *opts)
{
	struct loom_err err;

	tui_grid_init(&bench->grid, false);
	loom_buf_init(&bench->out, 1 << 24);
	if (tui_theme_named(LOOM_STR("default"), &bench->theme, &err) != LOOM_OK ||
	    tui_term_open(&bench->term, opts, &bench->theme, &err) != LOOM_OK) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

static void bench_close(struct bench *bench)
{
	tui_term_close(bench->term, NULL);
	tui_grid_fini(&bench->grid);
	loom_buf_fini(&bench->out);
}

static size_t frame(struct bench *bench, const struct scene *scene)
{
	draw_scene(&bench->grid, scene);
	loom_buf_clear(&bench->out);
	tui_term_frame(bench->term, &bench->grid, &bench->out);
	return bench->out.n;
}

static const struct tui_term_opts xterm = {
	.type = "xterm-256color", .w = 120, .h = 40, .utf8 = true, .hold = true};

TEST bytes_stay_within_their_budgets(void)
{
	/* A terminal that cannot repeat, or is told three numbers a colour, gets more. */
	static const struct {
		const char *type;
		bool truecolour;
		size_t full, scroll;
	} types[] = {{"xterm-256color", false, 6000, 3000},
		     {"xterm-256color", true, 8000, 3500},
		     {"screen-256color", false, 7000, 3000},
		     {"linux", false, 7000, 3000},
		     {"vt100", false, 7000, 3000}};

	for (size_t i = 0; i < LOOM_COUNT(types); i++) {
		for (int wide = 0; wide < 2; wide++) {
			struct tui_term_opts opts = xterm;
			struct scene scene = {.w = wide ? 120 : 80,
					      .h = wide ? 40 : 24,
					      .status = "r001 · 1 of 3 · 12,847 t"};
			struct bench bench;
			size_t full, move, same, tick, list, prose;
			opts.type = types[i].type;
			opts.truecolour = types[i].truecolour;
			opts.w = scene.w;
			opts.h = scene.h;
			bench_open(&bench, &opts);
			full = frame(&bench, &scene);
			same = frame(&bench, &scene);
			scene.cursor = 1;
			move = frame(&bench, &scene);
			scene.status = "r001 · 1 of 3 · 12,848 t";
			tick = frame(&bench, &scene);
			scene.prose = 1;
			prose = frame(&bench, &scene);
			scene.top = 1;
			list = frame(&bench, &scene);
			ASSERT_EQ(0, same);
			ASSERT(full <= types[i].full);
			ASSERT(move <= 600);
			ASSERT(tick <= 40);
			ASSERT(prose <= types[i].scroll);
			ASSERT(list <= types[i].scroll);
			bench_close(&bench);
		}
	}
	PASS();
}

/* How often the bytes leave it to the terminal to repeat a glyph. */
static size_t repetitions(struct loom_str out)
{
	size_t n = 0;

	for (size_t at = 0; at + 2 < out.n; at++) {
		size_t end = at + 2;

		if (out.p[at] != '\x1b' || out.p[at + 1] != '[')
			continue;
		while (end < out.n && isdigit((unsigned char)out.p[end]))
			end++;
		n += end < out.n && out.p[end] == 'b';
	}
	return n;
}

/* A frame has its lines inside tmux and behind mosh too, which are said to be an xterm. */
TEST no_glyph_is_left_to_a_terminal_that_has_not_shown_that_it_repeats_them(const char *reply,
									    bool repeats)
{
	static const char ask[] = "\x1b[2;1H\xe2\x94\x80\x1b[b\x1b[6n";
	struct scene scene = {.w = 80, .h = 24, .status = "x"};
	struct tui_term_opts opts = xterm;
	struct bench bench;
	size_t asked;

	opts.asks = true;
	opts.w = scene.w;
	opts.h = scene.h;
	bench_open(&bench, &opts);
	frame(&bench, &scene);
	asked = loom_str_find(loom_buf_str(&bench.out), loom_str_of(ask), 0);
	ASSERT(asked < loom_str_find(loom_buf_str(&bench.out), LOOM_STR("\x1b[2J"), 0));
	ASSERT(loom_str_find(loom_buf_str(&bench.out), LOOM_STR("\x1b]11;?\x1b\\"), 0) < asked);
	ASSERT_EQ(1, repetitions(loom_buf_str(&bench.out)));
	ASSERT(tui_term_waits(bench.term));
	tui_term_reply(bench.term, loom_str_of(reply));
	ASSERT_EQ(!strchr(reply, 'R'), tui_term_waits(bench.term));
	tui_term_redraw(bench.term);
	frame(&bench, &scene);
	ASSERT_EQ(repeats, repetitions(loom_buf_str(&bench.out)) > 0);
	bench_close(&bench);
	PASS();
}

/* From the beginning of the first row the answer would be what F3 sends. */
TEST the_cursor_is_asked_for_where_its_answer_is_no_key(const char *type, int h)
{
	static const char ask[] = "\x1b[2;17H\x1b[6n";
	struct scene scene = {.w = 80, .h = h, .status = "x"};
	struct tui_term_opts opts = xterm;
	struct bench bench;

	opts.type = type;
	opts.h = h;
	opts.asks = true;
	bench_open(&bench, &opts);
	frame(&bench, &scene);
	ASSERT(loom_str_find(loom_buf_str(&bench.out), loom_str_of(ask), 0) != SIZE_MAX);
	bench_close(&bench);
	PASS();
}

TEST a_frame_is_held_back_until_it_is_whole(void)
{
	struct scene scene = {.w = 120, .h = 40, .status = "x"};
	struct bench bench;
	struct loom_str out;

	bench_open(&bench, &xterm);
	frame(&bench, &scene);
	out = loom_buf_str(&bench.out);
	ASSERT(loom_str_starts(out, LOOM_STR("\x1b[?2026h")));
	ASSERT(loom_str_ends(out, LOOM_STR("\x1b[?2026l")));
	ASSERT_EQ(SIZE_MAX, loom_str_find(out, LOOM_STR("\x1b[?2026h"), 1));
	bench_close(&bench);
	PASS();
}

TEST no_colour_means_no_colour(void)
{
	struct tui_term_opts opts = xterm;
	struct scene scene = {.w = 120, .h = 40, .status = "x"};
	struct bench bench;

	opts.no_colour = true;
	bench_open(&bench, &opts);
	frame(&bench, &scene);
	ASSERT_EQ(SIZE_MAX, loom_str_find(loom_buf_str(&bench.out), LOOM_STR("38;5"), 0));
	ASSERT(loom_str_find(loom_buf_str(&bench.out), LOOM_STR("\x1b[7m"), 0) != SIZE_MAX);
	bench_close(&bench);
	PASS();
}

TEST full_depth_says_colours_by_their_parts(void)
{
	struct tui_term_opts opts = xterm;
	struct scene scene = {.w = 120, .h = 40, .status = "x"};
	struct tui_theme dark;
	struct bench bench;
	struct loom_str out;

	opts.truecolour = true;
	bench_open(&bench, &opts);
	ASSERT_EQ(LOOM_OK, tui_theme_named(LOOM_STR("dark"), &dark, NULL));
	tui_term_theme(bench.term, &dark);
	frame(&bench, &scene);
	out = loom_buf_str(&bench.out);
	ASSERT(loom_str_find(out, LOOM_STR("38;2;143;207;122"), 0) != SIZE_MAX); /* model */
	ASSERT(loom_str_find(out, LOOM_STR("48;2;22;24;29"), 0) != SIZE_MAX);    /* the ground */
	ASSERT_EQ(SIZE_MAX, loom_str_find(out, LOOM_STR(";5;"), 0));
	bench_close(&bench);
	PASS();
}

static void draw_struck(struct bench *bench, const char *type)
{
	struct tui_term_opts opts = xterm;
	struct tui_pen pen;

	opts.type = type;
	bench_open(bench, &opts);
	tui_grid_reset(&bench->grid, 40, 4);
	pen = tui_pen_make(&bench->grid, (struct tui_rect){0, 1, 40, 1}, TUI_INK(PRUNED));
	tui_pen_puts(&pen, "gone");
	pen = tui_pen_make(&bench->grid, (struct tui_rect){0, 2, 40, 1}, TUI_INK(TEXT));
	tui_pen_puts(&pen, "here");
	tui_term_frame(bench->term, &bench->grid, &bench->out);
}

/* What the attributes are where a text is said. */
static unsigned attrs_at(struct loom_str out, const char *text)
{
	struct tui_sgr state = {.known = true, .fg = -1, .bg = -1};
	size_t end = loom_str_find(out, loom_str_of(text), 0);

	for (size_t at = 0; at + 1 < out.n && at < end; at++) {
		size_t stop = at + 2;

		if (out.p[at] != '\x1b' || out.p[at + 1] != '[')
			continue;
		while (stop < out.n &&
		       (out.p[stop] == ';' || (out.p[stop] >= '0' && out.p[stop] <= '9')))
			stop++;
		if (stop < out.n && out.p[stop] == 'm')
			tui_sgr_apply(&state, loom_str_sub(out, at + 2, stop - at - 2));
	}
	return end == SIZE_MAX ? 1 : state.attrs;
}

TEST a_line_goes_through_a_text_and_never_dims_or_hides_it(void)
{
	static const struct {
		const char *type;
		unsigned attrs;
	} cases[] = {{"xterm-256color", 1U << 9}, {"screen-256color", 0}, {"linux", 0}};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct bench bench;

		draw_struck(&bench, cases[i].type);
		ASSERT_EQm(cases[i].type, cases[i].attrs,
			   attrs_at(loom_buf_str(&bench.out), "gone"));
		ASSERT_EQm(cases[i].type, 0, attrs_at(loom_buf_str(&bench.out), "here"));
		bench_close(&bench);
	}
	PASS();
}

static size_t one_line(struct bench *bench, const char *text)
{
	struct tui_pen pen;

	tui_grid_reset(&bench->grid, 20, 2);
	pen = tui_pen_make(&bench->grid, (struct tui_rect){0, 0, 20, 2}, TUI_INK(TEXT));
	tui_pen_puts(&pen, text);
	loom_buf_clear(&bench->out);
	tui_term_frame(bench->term, &bench->grid, &bench->out);
	return bench->out.n;
}

TEST a_disputed_cluster_cannot_shift_what_follows(void)
{
	struct tui_term_opts opts = xterm;
	struct bench bench;
	struct loom_str out;
	size_t at;

	opts.w = 20;
	opts.h = 2;
	bench_open(&bench, &opts);
	one_line(&bench, "");
	one_line(&bench, "a\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7z");
	out = loom_buf_str(&bench.out);
	at = loom_str_find(out,
			   LOOM_STR("\x1b"
				    "7\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7\x1b"
				    "8\x1b[C\x1b[Cz"),
			   0);
	ASSERT(at != SIZE_MAX);
	ASSERT_EQ(SIZE_MAX, loom_str_find(out, LOOM_STR("\xf3\xb0"), 0));
	/* Another one in the same place is not taken for the same. */
	one_line(&bench, "a\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa7z");
	out = loom_buf_str(&bench.out);
	ASSERT(loom_str_find(out, LOOM_STR("\xf0\x9f\x91\xa8"), 0) != SIZE_MAX);
	ASSERT_EQ(0, one_line(&bench, "a\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa7z"));
	bench_close(&bench);
	PASS();
}

TEST without_utf8_nothing_but_ascii_is_sent(void)
{
	struct tui_term_opts opts = xterm;
	struct bench bench;

	opts.w = 20;
	opts.h = 2;
	opts.utf8 = false;
	bench_open(&bench, &opts);
	one_line(&bench, "a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7z");
	for (size_t i = 0; i < bench.out.n; i++)
		ASSERT((unsigned char)bench.out.p[i] < 0x80);
	ASSERT(loom_str_find(loom_buf_str(&bench.out), LOOM_STR("a?? ? z"), 0) != SIZE_MAX);
	/* What stands in every line is like something. */
	one_line(&bench, "q \xc2\xb7 \xe2\x86\x92 \xe2\x80\xa6");
	ASSERT(loom_str_find(loom_buf_str(&bench.out), LOOM_STR("q . > ~"), 0) != SIZE_MAX);
	bench_close(&bench);
	PASS();
}

TEST a_terminal_that_cannot_be_drawn_on_is_refused(void)
{
	static const char *const types[] = {"dumb", "no-such-terminal", ""};
	struct tui_term *term;
	struct loom_err err;
	struct tui_theme theme = {.name = ""};

	for (size_t i = 0; i < LOOM_COUNT(types); i++) {
		struct tui_term_opts opts = xterm;
		opts.type = types[i];
		ASSERT_EQ(LOOM_REFUSED, tui_term_open(&term, &opts, &theme, &err));
		ASSERT_EQ(NULL, term);
		ASSERT(err.text[0]);
	}
	PASS();
}

TEST every_size_is_drawn(void)
{
	static const int sizes[][2] = {{1, 1},     {2, 2},  {40, 10}, {3, 50},
				       {300, 100}, {1, 30}, {119, 24}};
	struct bench bench;

	bench_open(&bench, &xterm);
	for (size_t i = 0; i < LOOM_COUNT(sizes); i++) {
		struct scene scene = {.w = sizes[i][0], .h = sizes[i][1], .status = "x"};
		ASSERT(frame(&bench, &scene) > 0);
		ASSERT_EQ(NULL, tui_grid_fault(&bench.grid));
	}
	bench_close(&bench);
	PASS();
}

TEST leaving_gives_the_screen_back(void)
{
	struct scene scene = {.w = 120, .h = 40, .status = "x"};
	struct bench bench;
	struct loom_buf last = LOOM_BUF_INIT(4096);
	size_t full;

	bench_open(&bench, &xterm);
	full = frame(&bench, &scene);
	ASSERT(loom_str_find(loom_buf_str(&bench.out), LOOM_STR("\x1b[?1049h"), 0) != SIZE_MAX);
	tui_term_leave(bench.term, &last);
	ASSERT(loom_str_find(loom_buf_str(&last), LOOM_STR("\x1b[?1049l"), 0) != SIZE_MAX);
	ASSERT(frame(&bench, &scene) >= full);
	loom_buf_clear(&last);
	tui_term_close(bench.term, &last);
	bench.term = NULL;
	ASSERT(loom_str_find(loom_buf_str(&last), LOOM_STR("\x1b[?1049l"), 0) != SIZE_MAX);
	loom_buf_fini(&last);
	bench_close(&bench);
	PASS();
}

SUITE(terminal)
{
	RUN_TEST(bytes_stay_within_their_budgets);
	RUN_TESTp(no_glyph_is_left_to_a_terminal_that_has_not_shown_that_it_repeats_them, "2;3R",
		  true);
	RUN_TESTp(no_glyph_is_left_to_a_terminal_that_has_not_shown_that_it_repeats_them, "2;2R",
		  false);
	RUN_TESTp(no_glyph_is_left_to_a_terminal_that_has_not_shown_that_it_repeats_them, "?1;2c",
		  false);
	RUN_TESTp(the_cursor_is_asked_for_where_its_answer_is_no_key, "screen-256color", 24);
	RUN_TESTp(the_cursor_is_asked_for_where_its_answer_is_no_key, "xterm-256color", 1);
	RUN_TEST(a_frame_is_held_back_until_it_is_whole);
	RUN_TEST(no_colour_means_no_colour);
	RUN_TEST(full_depth_says_colours_by_their_parts);
	RUN_TEST(a_line_goes_through_a_text_and_never_dims_or_hides_it);
	RUN_TEST(a_disputed_cluster_cannot_shift_what_follows);
	RUN_TEST(without_utf8_nothing_but_ascii_is_sent);
	RUN_TEST(a_terminal_that_cannot_be_drawn_on_is_refused);
	RUN_TEST(every_size_is_drawn);
	RUN_TEST(leaving_gives_the_screen_back);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(terminal);
	GREATEST_MAIN_END();
}
