#include "greatest.h"

#include <loom/base/utf8.h>
#include <loom/text/width.h>

#include "support/prop.h"
#include <loom/terminal/grid.h>
#include <loom/terminal/layout.h>

static const char *text_of(const struct tui_grid *grid)
{
	static struct loom_buf out = LOOM_BUF_INIT(1 << 20);

	loom_buf_clear(&out);
	tui_grid_text(grid, &out);
	return loom_buf_cstr(&out);
}

static struct tui_pen pen_on(struct tui_grid *grid, int w, int h)
{
	tui_grid_reset(grid, w, h);
	return tui_pen_make(grid, (struct tui_rect){0, 0, w, h}, TUI_INK(TEXT));
}

TEST text_stays_within_its_clip(void)
{
	struct tui_grid grid;
	struct tui_pen pen;

	tui_grid_init(&grid, false);
	tui_grid_reset(&grid, 10, 3);
	pen = tui_pen_make(&grid, (struct tui_rect){2, 1, 4, 1}, TUI_INK(TEXT));
	ASSERT_FALSE(tui_pen_puts(&pen, "abcdef"));
	ASSERT_STR_EQ("\n  abcd\n\n", text_of(&grid));
	tui_pen_to(&pen, 0, 1);
	ASSERT_FALSE(tui_pen_puts(&pen, "x"));
	tui_pen_to(&pen, -2, 0);
	tui_pen_puts(&pen, "1234");
	ASSERT_STR_EQ("\n  34cd\n\n", text_of(&grid));
	pen = tui_pen_make(&grid, (struct tui_rect){-3, -1, 100, 100}, TUI_INK(TEXT));
	tui_pen_to(&pen, 0, 1);
	tui_pen_puts(&pen, "ABCDEFGHIJKLMNOPQ");
	ASSERT_STR_EQ("DEFGHIJKLM\n  34cd\n\n", text_of(&grid));
	tui_grid_fini(&grid);
	PASS();
}

/* Consonants that are joined, with a vowel that has a cell: one cluster of three and more. */
TEST a_cluster_of_many_cells_is_drawn_in_all_of_them(void)
{
	static const char joined[] = "\xe0\xa4\x95\xe0\xa5\x8d\xe0\xa4\xb7\xe0\xa5\x8d"
				     "\xe0\xa4\xae\xe0\xa5\x80";
	struct tui_grid grid;
	struct tui_pen pen;
	size_t at = 0;

	ASSERT(loom_grapheme_next(LOOM_STR(joined), &at) > 2);
	ASSERT_EQ(sizeof joined - 1, at);
	tui_grid_init(&grid, false);
	pen = pen_on(&grid, 10, 1);
	ASSERT(tui_pen_puts(&pen, joined));
	ASSERT(tui_pen_puts(&pen, "|"));
	ASSERT_EQ(NULL, tui_grid_fault(&grid));
	ASSERT(strstr(text_of(&grid), joined));
	ASSERT_EQ((int)loom_str_width(LOOM_STR(joined)) + 1, pen.x);
	for (int w = 1; w < 5; w++) {
		pen = pen_on(&grid, w, 1);
		tui_pen_puts(&pen, joined);
		ASSERT_EQ(NULL, tui_grid_fault(&grid));
	}
	tui_grid_fini(&grid);
	PASS();
}

/* Names of what is invisible may hold more than ASCII: a cut, a circle under marks. */
TEST the_name_of_anything_can_be_drawn(void)
{
	struct prop prop;
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	struct tui_grid grid;

	tui_grid_init(&grid, false);
	prop_init(&prop, "names");
	for (int i = 0; i < 3000; i++) {
		struct tui_pen pen = pen_on(&grid, 1 + i % 90, 2);

		loom_buf_clear(&text);
		if (i % 3 == 0)
			prop_bent_text(&prop, 1 + prop_below(&prop, 40), &text);
		for (size_t n = prop_below(&prop, 60); i % 3 == 1 && n > 0; n--)
			loom_buf_add_cp(&text, 0xe0020 + (uint32_t)prop_below(&prop, 96));
		for (size_t n = prop_below(&prop, 60); i % 3 == 2 && n > 0; n--)
			loom_buf_add_cp(&text, 0x900 + (uint32_t)prop_below(&prop, 128));
		tui_pen_text(&pen, loom_buf_str(&text));
		ASSERT_EQ(NULL, tui_grid_fault(&grid));
		ASSERT(loom_utf8_valid(loom_str_of(text_of(&grid)), NULL));
	}
	tui_grid_fini(&grid);
	loom_buf_fini(&text);
	PASS();
}

TEST a_wide_grapheme_is_whole_or_not_there(void)
{
	struct tui_grid grid;
	struct tui_pen pen;

	tui_grid_init(&grid, false);
	pen = pen_on(&grid, 5, 1);
	ASSERT_FALSE(tui_pen_puts(&pen, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2"));
	ASSERT_STR_EQ("\xe6\xbc\xa2\xe5\xad\x97\n", text_of(&grid));
	ASSERT_EQ(NULL, tui_grid_fault(&grid));
	tui_pen_to(&pen, 1, 0); /* onto the right half */
	tui_pen_puts(&pen, "x");
	ASSERT_STR_EQ(" x\xe5\xad\x97\n", text_of(&grid));
	tui_pen_to(&pen, 1, 0); /* a wide one over the end of one and the start of another */
	tui_pen_puts(&pen, "\xe6\xbc\xa2");
	ASSERT_STR_EQ(" \xe6\xbc\xa2\n", text_of(&grid));
	ASSERT_EQ(NULL, tui_grid_fault(&grid));
	tui_grid_fini(&grid);
	PASS();
}

TEST clusters_take_the_cells_of_one_grapheme(void)
{
	struct tui_grid grid;
	struct tui_pen pen;

	tui_grid_init(&grid, false);
	pen = pen_on(&grid, 12, 1);
	tui_pen_puts(&pen, "e\xcc\x81|\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7|");
	ASSERT_EQ_FMT(5, pen.x, "%d");
	ASSERT_STR_EQ("e\xcc\x81|\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7|\n", text_of(&grid));
	ASSERT_EQ(2, tui_grid_cell(&grid, 2, 0)->width);
	tui_grid_fini(&grid);
	PASS();
}

TEST hostile_text_is_made_visible(void)
{
	struct tui_grid grid;
	struct tui_pen pen;
	const char *text;

	tui_grid_init(&grid, false);
	pen = pen_on(&grid, 60, 1);
	tui_pen_puts(&pen, "a\x1b[2J\r\x07\xe2\x80\xae\xc2\x9b\xff\n\tb");
	text = text_of(&grid);
	ASSERT(strstr(text, "a^[[2J"));
	ASSERT_EQ(NULL, strstr(text, "\xe2\x80\xae"));
	ASSERT_EQ(NULL, strstr(text, "\xc2\x9b"));
	for (const char *p = text; p[1]; p++)
		ASSERT((unsigned char)*p >= 0x20);
	ASSERT_EQ(TUI_ROLE_MARK, tui_grid_cell(&grid, 1, 0)->ink.role);
	ASSERT_EQ(NULL, tui_grid_fault(&grid));
	tui_grid_fini(&grid);
	PASS();
}

TEST a_cut_text_ends_in_an_ellipsis(void)
{
	struct tui_grid grid;
	struct tui_pen pen;

	tui_grid_init(&grid, false);
	pen = pen_on(&grid, 20, 1);
	ASSERT_EQ(5, tui_pen_cut(&pen, LOOM_STR("The house"), 5));
	ASSERT_EQ(3, tui_pen_cut(&pen, LOOM_STR("abc"), 3));
	ASSERT_STR_EQ("The \xe2\x80\xa6"
		      "abc\n",
		      text_of(&grid));
	pen = pen_on(&grid, 20, 1);
	ASSERT_EQ(4, tui_pen_cut(&pen, LOOM_STR("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2"), 4) + 1);
	ASSERT_EQ(0, tui_pen_cut(&pen, LOOM_STR("abc"), 0));
	ASSERT_EQ(1, tui_pen_cut(&pen, LOOM_STR("abc"), 1));
	tui_grid_fini(&grid);
	PASS();
}

TEST lines_join_where_they_meet(void)
{
	struct tui_grid grid;

	tui_grid_init(&grid, false);
	tui_grid_reset(&grid, 7, 5);
	tui_grid_box(&grid, (struct tui_rect){0, 0, 7, 5}, TUI_INK(BORDER));
	tui_grid_down(&grid, 3, 0, 5, TUI_INK(BORDER));
	tui_grid_across(&grid, 3, 2, 4, TUI_INK(BORDER));
	ASSERT_STR_EQ("┌──┬──┐\n│  │  │\n│  ├──┤\n│  │  │\n└──┴──┘\n", text_of(&grid));
	grid.ascii = true;
	tui_grid_reset(&grid, 4, 3);
	tui_grid_box(&grid, (struct tui_rect){0, 0, 4, 3}, TUI_INK(BORDER));
	ASSERT_STR_EQ("+--+\n|  |\n+--+\n", text_of(&grid));
	tui_grid_fini(&grid);
	PASS();
}

TEST rows_compare_by_what_they_show(void)
{
	struct tui_grid a, b;
	struct tui_pen pa, pb;

	tui_grid_init(&a, false);
	tui_grid_init(&b, false);
	pa = pen_on(&a, 10, 2);
	pb = pen_on(&b, 10, 2);
	tui_pen_puts(&pa, "xe\xcc\x81");
	tui_pen_to(&pb, 0, 1);
	tui_pen_puts(&pb, "o\xcc\x81"); /* the cluster of b is the second of its grid */
	tui_pen_to(&pb, 0, 0);
	tui_pen_puts(&pb, "xe\xcc\x81");
	ASSERT(tui_grid_row_same(&a, &b, 0));
	ASSERT_FALSE(tui_grid_row_same(&a, &b, 1));
	tui_grid_copy(&a, &b);
	ASSERT(tui_grid_row_same(&a, &b, 1));
	tui_grid_ground(&b, (struct tui_rect){0, 1, 3, 1}, TUI_ROLE_CURSOR);
	ASSERT_FALSE(tui_grid_row_same(&a, &b, 1));
	tui_grid_fini(&a);
	tui_grid_fini(&b);
	PASS();
}

/* --- layout over many sizes --- */

static bool rect_within(struct tui_rect rect, int w, int h)
{
	return rect.w >= 0 && rect.h >= 0 &&
	       (rect.w == 0 || rect.h == 0 ||
		(rect.x >= 0 && rect.y >= 0 && rect.x + rect.w <= w && rect.y + rect.h <= h));
}

static bool rects_meet(struct tui_rect a, struct tui_rect b)
{
	struct tui_rect meet = tui_rect_meet(a, b);

	return a.w > 0 && a.h > 0 && b.w > 0 && b.h > 0 && meet.w > 0 && meet.h > 0;
}

static const char *layout_fault(const struct tui_layout_opts *opts, const struct tui_layout *made)
{
	const struct tui_rect all[] = {made->title,    made->status, made->panes[0], made->panes[1],
				       made->panes[2], made->across, made->down};

	for (size_t i = 0; i < LOOM_COUNT(all); i++) {
		if (!rect_within(all[i], opts->w, opts->h))
			return "a rectangle leaves the screen";
		for (size_t j = 0; j < i; j++) {
			if (rects_meet(all[i], all[j]))
				return "two rectangles overlap";
		}
	}
	if (made->status.w < 1 || made->status.h != 1)
		return "no status line";
	if (opts->h >= 2 && (made->panes[opts->focus].h < 1 || made->panes[opts->focus].w < 1))
		return "the focused pane is not there";
	return NULL;
}

TEST no_size_breaks_the_layout(void)
{
	struct tui_grid grid;

	tui_grid_init(&grid, false);
	for (int w = 1; w <= 300; w += w < 130 ? 1 : 17) {
		for (int h = 1; h <= 100; h += h < 40 ? 1 : 13) {
			for (int bits = 0; bits < 12; bits++) {
				struct tui_layout_opts opts = {.w = w,
							       .h = h,
							       .focus = (enum tui_pane)(bits % 3),
							       .zoomed = bits & 1,
							       .side = bits / 3 & 1};
				struct tui_layout made = tui_layout_make(&opts);
				ASSERT_EQ(NULL, layout_fault(&opts, &made));
				if (bits % 4)
					continue;
				tui_grid_reset(&grid, w, h);
				tui_layout_draw(&grid, &made, opts.focus);
				ASSERT_EQ(NULL, tui_grid_fault(&grid));
			}
		}
	}
	tui_grid_fini(&grid);
	PASS();
}

TEST eighty_by_twenty_four_shows_seven_rows_of_tree_and_the_rest_to_read(void)
{
	struct tui_layout_opts opts = {.w = 80, .h = 24, .focus = TUI_PANE_TREE};
	struct tui_layout made = tui_layout_make(&opts);

	ASSERT_EQ(7, made.panes[TUI_PANE_TREE].h);
	ASSERT_EQ(14, made.panes[TUI_PANE_READER].h);
	ASSERT_EQ(80, made.panes[TUI_PANE_READER].w);
	opts.w = 40;
	opts.h = 10;
	made = tui_layout_make(&opts);
	ASSERT(made.panes[TUI_PANE_TREE].h >= 2);
	ASSERT(made.panes[TUI_PANE_READER].h >= 4);
	opts.zoomed = true;
	made = tui_layout_make(&opts);
	ASSERT_EQ(8, made.panes[TUI_PANE_TREE].h);
	PASS();
}

TEST the_lines_between_panes_join(void)
{
	struct tui_layout_opts opts = {.w = 120, .h = 12, .focus = TUI_PANE_SIDE, .side = true};
	struct tui_layout made = tui_layout_make(&opts);
	struct tui_grid grid;
	char room[4];

	tui_grid_init(&grid, false);
	tui_grid_reset(&grid, 120, 12);
	tui_layout_draw(&grid, &made, TUI_PANE_SIDE);
	ASSERT(loom_str_is(tui_cell_text(&grid, tui_grid_cell(&grid, made.down.x, 5), room), "│"));
	ASSERT(loom_str_is(tui_cell_text(&grid, tui_grid_cell(&grid, made.down.x, made.across.y),
					 room),
			   "├"));
	ASSERT_EQ(TUI_ROLE_FOCUS, tui_grid_cell(&grid, 100, made.across.y)->ink.role);
	tui_grid_fini(&grid);
	PASS();
}

TEST a_chosen_split_leaves_room_for_both(void)
{
	struct tui_layout_opts opts = {.w = 120, .h = 30, .focus = TUI_PANE_TREE};

	for (int cells = 1; cells < 200; cells += 7) {
		struct tui_layout made;

		opts.columns = opts.rows = cells;
		opts.w = 120;
		made = tui_layout_make(&opts);
		ASSERT(made.panes[TUI_PANE_TREE].w >= 20 && made.panes[TUI_PANE_READER].w >= 20);
		ASSERT(cells < 24 || cells > 96 || made.down.x == cells);
		opts.w = 80;
		made = tui_layout_make(&opts);
		ASSERT(made.panes[TUI_PANE_TREE].h >= 1 && made.panes[TUI_PANE_READER].h >= 2);
		ASSERT(cells > 25 || made.panes[TUI_PANE_TREE].h == cells);
	}
	PASS();
}

TEST splits_share_all_the_room(void)
{
	struct tui_rect out[8];
	struct tui_rect rect = {3, 4, 100, 20};

	ASSERT_EQ(3, tui_layout_split(rect, 3, 20, out));
	ASSERT_EQ(3, out[0].x);
	ASSERT_EQ(103, out[2].x + out[2].w);
	ASSERT_EQ(3, tui_layout_split(rect, 3, 50, out));
	ASSERT_EQ(24, out[2].y + out[2].h);
	ASSERT(out[0].y + out[0].h < out[1].y);
	ASSERT_EQ(3, tui_layout_split(rect, 8, 50, out));
	/* in two dimensions, so that many have enough lines to be read */
	ASSERT_EQ(8, tui_layout_split(rect, 8, 20, out));
	ASSERT_EQ(out[0].y, out[3].y);
	ASSERT_EQ(out[0].x, out[4].x);
	ASSERT(out[0].h >= 6 && out[0].w >= 20);
	ASSERT_EQ(103, out[3].x + out[3].w);
	ASSERT_EQ(24, out[7].y + out[7].h);
	ASSERT_EQ(1, tui_layout_split((struct tui_rect){0, 0, 1, 1}, 8, 50, out));
	ASSERT_EQ(0, tui_layout_split(rect, 0, 50, out));
	PASS();
}

SUITE(grid)
{
	RUN_TEST(text_stays_within_its_clip);
	RUN_TEST(a_cluster_of_many_cells_is_drawn_in_all_of_them);
	RUN_TEST(the_name_of_anything_can_be_drawn);
	RUN_TEST(a_wide_grapheme_is_whole_or_not_there);
	RUN_TEST(clusters_take_the_cells_of_one_grapheme);
	RUN_TEST(hostile_text_is_made_visible);
	RUN_TEST(a_cut_text_ends_in_an_ellipsis);
	RUN_TEST(lines_join_where_they_meet);
	RUN_TEST(rows_compare_by_what_they_show);
	RUN_TEST(no_size_breaks_the_layout);
	RUN_TEST(eighty_by_twenty_four_shows_seven_rows_of_tree_and_the_rest_to_read);
	RUN_TEST(the_lines_between_panes_join);
	RUN_TEST(a_chosen_split_leaves_room_for_both);
	RUN_TEST(splits_share_all_the_room);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(grid);
	GREATEST_MAIN_END();
}
