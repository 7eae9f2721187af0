#include "greatest.h"

#include <loom/parts/lineedit.h>

static void keys(struct tui_edit *edit, const char *spelt)
{
	struct loom_str s = loom_str_of(spelt);
	struct tui_key key;

	for (size_t at = 0; at < s.n;) {
		if (tui_key_parse(s, &at, &key))
			tui_edit_key(edit, key);
	}
}

/* The text with | at the caret. */
static const char *seen(const struct tui_edit *edit)
{
	static char text[4096];

	snprintf(text, sizeof(text), "%.*s|%s", (int)edit->caret, loom_buf_cstr(&edit->text),
		 loom_buf_cstr(&edit->text) + edit->caret);
	return text;
}

struct row {
	const char *before, *keys, *after;
};

static const struct row rows[] = {
	{"", "abc", "abc|"},
	{"one two", "<C-a>x", "x|one two"},
	{"one two", "<C-w>", "one |"},
	{"one two", "<C-w><C-y><C-y>", "one twotwo|"},
	{"one two", "<M-b><M-b><M-d>", "| two"},
	{"one two", "<C-a><C-k><C-y><C-y>", "one twoone two|"},
	{"one two", "<C-u>", "|"},
	{"one two", "<M-b><C-u>", "|two"},
	{"a b c", "<C-w><C-w><C-y>", "a b c|"}, /* two kills in a row are one */
	{"a b c", "<C-w><C-b><C-w><C-y>", "a b| "},
	{"ab", "<C-t>", "ba|"},
	{"abc", "<C-b><C-t>", "acb|"},
	{"abc", "<C-a><C-t>", "|abc"},
	{"path/to-file", "<M-Backspace>", "path/to-|"},
	{"path/to-file", "<C-w>", "|"},
	{"\xc3\xa9\xe2\x82\xac", "<Backspace>", "\xc3\xa9|"},
	{"e\xcc\x81x", "<Left><Left>", "|e\xcc\x81x"}, /* a combining mark goes with its letter */
	{"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7", "<Backspace>", "|"},
	{"one\ntwo", "<C-a>", "one\n|two"},
	{"one\ntwo", "<C-a><C-u>", "one\n|two"},
	{"one\ntwo", "<Up><C-k>", "one|two"},
	{"one\nt\nthree", "<Up><Up>", "one|\nt\nthree"}, /* the column is kept over a short line */
	{"one\nt\nthree", "<C-Home><C-f><C-f><Down><Down>", "one\nt\nth|ree"},
	{"abc", "<C-Home><Delete>", "|bc"},
	{"abc", "<Delete>", "abc|"},
};

TEST readline_keys_do_what_readline_does(void)
{
	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		struct tui_edit edit;
		tui_edit_init(&edit, true);
		tui_edit_set(&edit, loom_str_of(rows[i].before));
		keys(&edit, rows[i].keys);
		ASSERT_STR_EQm(rows[i].keys, rows[i].after, seen(&edit));
		tui_edit_fini(&edit);
	}
	PASS();
}

TEST undo_takes_back_words_not_letters(void)
{
	struct tui_edit edit;

	tui_edit_init(&edit, true);
	keys(&edit, "the<Space>house");
	keys(&edit, "<C-_>");
	ASSERT_STR_EQ("the |", seen(&edit));
	keys(&edit, "<C-_>");
	ASSERT_STR_EQ("|", seen(&edit));
	keys(&edit, "<C-_>");
	ASSERT_STR_EQ("|", seen(&edit));
	keys(&edit, "<M-_><M-_>");
	ASSERT_STR_EQ("the house|", seen(&edit));
	tui_edit_fini(&edit);
	PASS();
}

TEST a_paste_is_one_undo_step(void)
{
	struct tui_edit edit;

	tui_edit_init(&edit, true);
	keys(&edit, "ab");
	tui_edit_insert(&edit, LOOM_STR("one\ntwo three\n"), false);
	keys(&edit, "c<C-_><C-_>");
	ASSERT_STR_EQ("ab|", seen(&edit));
	tui_edit_fini(&edit);
	PASS();
}

TEST older_kills_come_back_in_turn(void)
{
	struct tui_edit edit;

	tui_edit_init(&edit, false);
	tui_edit_set(&edit, LOOM_STR("one two"));
	keys(&edit, "<C-w><C-e><Left><C-w>");
	ASSERT_STR_EQ("| ", seen(&edit));
	keys(&edit, "<C-y>");
	ASSERT_STR_EQ("one| ", seen(&edit));
	keys(&edit, "<M-y>");
	ASSERT_STR_EQ("two| ", seen(&edit));
	keys(&edit, "<M-y>");
	ASSERT_STR_EQ("one| ", seen(&edit));
	tui_edit_fini(&edit);
	PASS();
}

TEST a_prompt_stays_on_one_line_and_leaves_up_to_its_owner(void)
{
	struct tui_edit edit;

	tui_edit_init(&edit, false);
	tui_edit_insert(&edit, LOOM_STR("a\nb"), false);
	ASSERT_STR_EQ("a b|", seen(&edit));
	ASSERT_FALSE(tui_edit_key(&edit, (struct tui_key){TUI_KEY_UP, 0}));
	ASSERT_FALSE(tui_edit_key(&edit, (struct tui_key){TUI_KEY_ENTER, 0}));
	ASSERT_FALSE(tui_edit_key(&edit, (struct tui_key){TUI_KEY_ESC, 0}));
	tui_edit_fini(&edit);
	PASS();
}

TEST everything_can_be_undone_however_random(void)
{
	static const char *const steps[] = {"a",     "\xc3\xa9", "<Space>", "<C-w>",
					    "<C-y>", "<C-k>",    "<Left>",  "<Backspace>",
					    "<C-a>", "<C-t>",    "<M-d>"};
	struct tui_edit edit;

	tui_edit_init(&edit, true);
	tui_edit_set(&edit, LOOM_STR("seed text"));
	srand(5);
	for (int i = 0; i < 900; i++)
		keys(&edit, steps[(size_t)rand() % LOOM_COUNT(steps)]);
	while (tui_edit_do(&edit, TUI_EDIT_UNDO))
		;
	ASSERT_STR_EQ("seed text", loom_buf_cstr(&edit.text));
	tui_edit_fini(&edit);
	PASS();
}

TEST ten_megabytes_go_in_and_out_again(void)
{
	struct tui_edit edit;
	struct loom_buf big = LOOM_BUF_INIT((size_t)32 << 20);

	loom_buf_add_repeat(&big, 'x', (size_t)10 << 20);
	tui_edit_init(&edit, true);
	keys(&edit, "ab<Left>");
	tui_edit_insert(&edit, loom_buf_str(&big), false);
	ASSERT_EQ(((size_t)10 << 20) + 2, edit.text.n);
	keys(&edit, "<C-_>");
	ASSERT_STR_EQ("a|b", seen(&edit));
	loom_buf_fini(&big);
	tui_edit_fini(&edit);
	PASS();
}

SUITE(lineedit)
{
	RUN_TEST(readline_keys_do_what_readline_does);
	RUN_TEST(undo_takes_back_words_not_letters);
	RUN_TEST(a_paste_is_one_undo_step);
	RUN_TEST(older_kills_come_back_in_turn);
	RUN_TEST(a_prompt_stays_on_one_line_and_leaves_up_to_its_owner);
	RUN_TEST(everything_can_be_undone_however_random);
	RUN_TEST(ten_megabytes_go_in_and_out_again);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(lineedit);
	GREATEST_MAIN_END();
}
