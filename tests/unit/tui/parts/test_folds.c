/* What is pasted and folded: one thing for keys and eyes, and all of it in the text. */
#include "greatest.h"

#include <loom/base/utf8.h>

#include "support/prop.h"
#include <loom/parts/lineedit.h>

static struct tui_edit edit;

static void keys(const char *spelt)
{
	struct loom_str s = loom_str_of(spelt);
	struct tui_key key;

	for (size_t at = 0; at < s.n;) {
		if (tui_key_parse(s, &at, &key))
			tui_edit_key(&edit, key);
	}
}

static void add_lines(struct loom_buf *out, const char *line, int n)
{
	for (int i = 0; i < n; i++)
		loom_buf_addf(out, "%s %d\n", line, i);
}

/* Twelve lines, which are folded. */
static void paste(const char *line)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	add_lines(&text, line, 12);
	tui_edit_paste(&edit, loom_buf_str(&text));
	loom_buf_fini(&text);
}

/* What is shown, with | at the caret and plain blanks. */
static const char *seen(void)
{
	static char text[8192];
	struct loom_buf shown = LOOM_BUF_INIT(1 << 16);
	size_t at = tui_folds_shown_at(&edit.folds, edit.caret);
	char *hard;

	tui_folds_show(&edit.folds, tui_edit_text(&edit), &shown, NULL);
	snprintf(text, sizeof text, "%.*s|%s", (int)at, loom_buf_cstr(&shown),
		 loom_buf_cstr(&shown) + at);
	while ((hard = strstr(text, "\xc2\xa0")) != NULL) {
		hard[0] = ' ';
		memmove(hard + 1, hard + 2, strlen(hard + 2) + 1);
	}
	loom_buf_fini(&shown);
	return text;
}

static void begin(void)
{
	tui_edit_init(&edit, true);
}

static void tear_down(void *unused)
{
	(void)unused;
	tui_edit_fini(&edit);
}

TEST only_what_is_long_is_folded(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	begin();
	add_lines(&text, "line", 10);
	ASSERT_FALSE(tui_folds_wants(loom_buf_str(&text)));
	loom_buf_addc(&text, 'x');
	ASSERT(tui_folds_wants(loom_buf_str(&text)));
	loom_buf_clear(&text);
	loom_buf_add_repeat(&text, 'x', 800);
	ASSERT_FALSE(tui_folds_wants(loom_buf_str(&text)));
	loom_buf_addc(&text, 'x');
	ASSERT(tui_folds_wants(loom_buf_str(&text)));
	tui_edit_paste(&edit, loom_buf_str(&text));
	ASSERT_STR_EQ("[pasted 801 characters]|", seen());
	loom_buf_fini(&text);
	PASS();
}

struct row {
	const char *keys, *after;
};

/* Each from `before [pasted 12 lines]| behind`, its caret behind the fold. */
static const struct row rows[] = {
	{"", "before [pasted 12 lines]| behind"},
	{"<Left>", "before |[pasted 12 lines] behind"},
	{"<Left><Right>", "before [pasted 12 lines]| behind"},
	{"<Left><Left>", "before| [pasted 12 lines] behind"},
	{"<M-b>", "before |[pasted 12 lines] behind"},
	{"<M-b><M-b>", "|before [pasted 12 lines] behind"},
	{"<C-a>", "|before [pasted 12 lines] behind"},
	{"<C-a><M-f>", "before| [pasted 12 lines] behind"},
	{"<C-a><M-f><M-f>", "before [pasted 12 lines]| behind"},
	{"<C-a><M-f><M-f><M-f>", "before [pasted 12 lines] behind|"},
	{"<C-e>", "before [pasted 12 lines] behind|"},
	{"<C-e><C-w>", "before [pasted 12 lines] |"},
	{"<C-e><C-w><C-w>", "before |"},
	{"<C-e><M-Backspace>", "before [pasted 12 lines] |"},
	{"<Backspace>", "before | behind"},
	{"<Left><Delete>", "before | behind"},
	{"<Left><M-d>", "before | behind"},
	{"<C-a><C-k>", "|"},
	{"<C-a><C-k><C-y>", "before [pasted 12 lines] behind|"},
	{"<C-e><C-u><C-y>x", "before [pasted 12 lines] behindx|"},
	{"<C-w><C-w><C-y>", "before [pasted 12 lines]| behind"},
	{"<C-w><C-y><C-y>", "before [pasted 12 lines][pasted 12 lines]| behind"},
	{"<C-t>", "before [pasted 12 lines]| behind"}, /* nothing to change places with */
	{"xy", "before [pasted 12 lines]xy| behind"},
	{"<Left>x", "before x|[pasted 12 lines] behind"},
	{"<Backspace><C-_>", "before [pasted 12 lines]| behind"},
	{"<Backspace><C-_><C-_>", "before | behind"},       /* the paste itself */
	{"<C-_><M-_>", "before [pasted 12 lines]| behind"}, /* and again */
	{"<Up>", "before [pasted 12 lines]| behind"},       /* its lines are none */
};

TEST keys_take_a_fold_as_one_thing(void)
{
	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		begin();
		keys("before<Space><Space>behind<M-b><Left>");
		paste("line");
		keys(rows[i].keys);
		ASSERT_STR_EQm(rows[i].keys, rows[i].after, seen());
		tui_edit_fini(&edit);
	}
	begin();
	PASS();
}

TEST the_text_has_all_of_it(void)
{
	begin();
	keys("a");
	paste("line");
	keys("b");
	ASSERT(loom_str_starts(tui_edit_text(&edit), LOOM_STR("aline 0\nline 1\n")));
	ASSERT(loom_str_ends(tui_edit_text(&edit), LOOM_STR("line 11\nb")));
	PASS();
}

TEST one_is_opened_and_folded_again(void)
{
	begin();
	keys("a");
	paste("line");
	keys("b<Left>");
	ASSERT(tui_edit_fold(&edit)->open);
	ASSERT(loom_str_starts(loom_str_of(seen()), LOOM_STR("a|line 0\n")));
	keys("<Down>more<Space>");
	ASSERT_FALSE(tui_edit_fold(&edit)->open);
	ASSERT_STR_EQ("a[pasted 12 lines]|b", seen());
	ASSERT(loom_str_find(tui_edit_text(&edit), LOOM_STR("lmore ine 1"), 0) != SIZE_MAX);
	/* and what was written into it is taken back */
	keys("<C-_>");
	ASSERT_EQ(SIZE_MAX, loom_str_find(tui_edit_text(&edit), LOOM_STR("more "), 0));
	PASS();
}

TEST the_one_at_the_caret_is_meant(void)
{
	begin();
	ASSERT_EQ(NULL, tui_edit_fold(&edit));
	paste("one");
	keys("<Space>");
	paste("two");
	ASSERT(tui_edit_fold(&edit)->open);
	ASSERT(loom_str_starts(loom_str_of(seen()), LOOM_STR("[pasted 12 lines] |two 0\n")));
	ASSERT_FALSE(tui_edit_fold(&edit)->open);
	keys("<C-Home>");
	ASSERT(tui_edit_fold(&edit)->open);
	ASSERT(loom_str_starts(loom_str_of(seen()), LOOM_STR("|one 0\n")));
	PASS();
}

TEST a_file_brings_them_back(void)
{
	struct loom_buf words = LOOM_BUF_INIT(1000);
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	static const char *const nonsense[] = {"5-2", "0-999999", "x",
					       "-",   "1-",       "99999999999999999999-4",
					       "2-3", "  0-0  "};

	begin();
	keys("\xc3\xa9");
	paste("one");
	paste("two");
	tui_edit_fold(&edit);
	tui_folds_print(&edit.folds, &words);
	loom_buf_add(&text, tui_edit_text(&edit));
	tui_edit_set(&edit, loom_buf_str(&text));
	tui_edit_folds(&edit, loom_buf_str(&words));
	ASSERT_EQ(2, edit.folds.count);
	ASSERT_FALSE(edit.folds.items[0].open);
	ASSERT(edit.folds.items[1].open);
	ASSERT_EQ(2, edit.folds.items[0].from);
	tui_edit_set(&edit, LOOM_STR("\xe2\x82\xac"));
	for (size_t i = 0; i < LOOM_COUNT(nonsense); i++) {
		tui_edit_folds(&edit, loom_str_of(nonsense[i]));
		ASSERT_EQm(nonsense[i], 0, edit.folds.count);
	}
	tui_edit_folds(&edit, LOOM_STR("0-3 1-2 0-3"));
	ASSERT_EQ(1, edit.folds.count);
	loom_buf_fini(&words);
	loom_buf_fini(&text);
	PASS();
}

TEST a_line_stays_one_line(void)
{
	tui_edit_init(&edit, false);
	for (int i = 0; i < 12; i++)
		paste("a line that is long enough to be folded when there are a dozen of it ...");
	ASSERT(loom_str_starts(loom_str_of(seen()), LOOM_STR("[pasted 9")));
	ASSERT(strstr(seen(), " characters]|"));
	ASSERT_EQ(SIZE_MAX, loom_str_find_char(tui_edit_text(&edit), '\n', 0));
	PASS();
}

/* NULL, or what is wrong with the folds. */
static const char *wrong_with(void)
{
	struct loom_str text = tui_edit_text(&edit);
	const struct tui_fold *over = tui_folds_over(&edit.folds, edit.caret);
	size_t end = 0;

	if (edit.caret > text.n || (over && over->from < edit.caret))
		return "the caret is where nobody can see it";
	for (size_t i = 0; i < edit.folds.count; i++) {
		const struct tui_fold *fold = &edit.folds.items[i];

		if (fold->from < end || fold->from >= fold->to || fold->to > text.n)
			return "folds overlap, or stand on nothing";
		end = fold->to;
	}
	return loom_utf8_valid(text, NULL) ? NULL : "a character was cut";
}

TEST whatever_is_typed_they_stand_on_their_text(void)
{
	static const char *const steps[] = {"a",      "\xc3\xa9",    "<Space>", "<C-w>",    "<C-y>",
					    "<M-y>",  "<C-k>",       "<Left>",  "<Right>",  "<Up>",
					    "<Down>", "<Backspace>", "<C-a>",   "<C-t>",    "<M-d>",
					    "<M-b>",  "<M-f>",       "<C-e>",   "<Delete>", "<C-_>",
					    "<M-_>",  "<C-u>",       "<C-Home>"};
	struct prop prop;

	prop_init(&prop, "folds");
	begin();
	for (int i = 0; i < prop_times(20000); i++) {
		const char *wrong;

		if (prop_once_in(&prop, 12))
			paste(prop_once_in(&prop, 2) ? "caf\xc3\xa9" : "--");
		else if (prop_once_in(&prop, 10))
			tui_edit_fold(&edit);
		else if (prop_once_in(&prop, 20))
			tui_edit_do(&edit, TUI_EDIT_NEWLINE);
		else
			keys(steps[prop_below(&prop, LOOM_COUNT(steps))]);
		wrong = wrong_with();
		ASSERT_EQm(wrong, NULL, wrong);
		if (edit.text.n > 20000)
			keys("<C-Home><C-k><C-k><C-k>");
	}
	while (tui_edit_do(&edit, TUI_EDIT_UNDO))
		ASSERT_EQ(NULL, wrong_with());
	PASS();
}

SUITE(folds)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(only_what_is_long_is_folded);
	RUN_TEST(keys_take_a_fold_as_one_thing);
	RUN_TEST(the_text_has_all_of_it);
	RUN_TEST(one_is_opened_and_folded_again);
	RUN_TEST(the_one_at_the_caret_is_meant);
	RUN_TEST(a_file_brings_them_back);
	RUN_TEST(a_line_stays_one_line);
	RUN_TEST(whatever_is_typed_they_stand_on_their_text);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(folds);
	GREATEST_MAIN_END();
}
