/* What people wish, in their words, and the row that fulfils it: found by `?`, by `.` and by the
 * line after the colon without knowing a name. */
#include <greatest.h>

#include <loom/cli/cli.h>
#include <loom/commands/wish.h>
#include <loom/desk/desk.h>
#include <loom/language/registry.h>
#include <loom/lists/list.h>
#include <loom/writing/complete.h>

#include "support/table.h"

#define FIRST 6 /* rows among which it has to be */

static const struct wish {
	const char *words;
	const char *row;
	bool here; /* it is about the row under the cursor: `.` has it too */
} wishes[] = {
	{"export this path", "export", true},
	{"rename this tree", "tree set", false},
	{"what did claude just do", "view-operations", false},
	{"delete this branch", "prune", true},
	{"bring back hidden branch", "restore", false},
	{"show hidden branches", "show-pruned", false},
	{"generate three more siblings", "retry", true},
	{"write my own continuation", "respond", true},
	{"fix a typo", "edit", true},
	{"open in vim", "editor", true},
	{"see the previous version", "older", false},
	{"compare siblings side by side", "compare", true},
	{"keep the best delete others", "keep-only", true},
	{"add a comment", "annotate", true},
	{"label this node", "tag", true},
	{"star this passage", "bookmark", true},
	{"find a word in all trees", "search", true},
	{"search text in this tree", "find", false},
	{"new story", "new", false},
	{"switch to another tree", "view-trees", false},
	{"import chatgpt conversations", "import", false},
	{"save everything to a backup", "backup", false},
	{"count words", "stats", true},
	{"change the colours", "theme", false},
	{"talk to an agent", "view-agents", false},
	{"change agent permissions", "agent set", false},
	{"choose another model", "subject", false},
	{"what does the model see", "would-send", true},
	{"exact prompt that was sent", "was-sent", true},
	{"always include in context", "pin", true},
	{"copy the whole story", "copy-path", true},
	{"undo my mistake", "undo", false},
	{"history of changes", "view-operations", false},
	{"approve waiting calls", "approvals", false},
	{"list my documents", "view-documents", false},
	{"token probability", "lens", true},
	{"only show matching rows", "filter", false},
	{"branch from the middle here", "branch", true},
	{"resize the split", "wider", false},
	{"keyboard shortcuts", "view-keys", false},
	{"stop generation", "cancel", false},
	{"exit the program", "quit", false},
	{"turn off the mouse", "mouse", false},
	{"see unsent drafts", "drafts", false},
};

static void set_up(void)
{
	struct tui_app_opts opts = {.env = &table.grove.env, .program = "/proc/self/exe"};
	struct loom_err err;

	table_init(&table);
	opts.dir = loom_str_of(table.grove.temp.path);
	grove_must(tui_app_open(&table.app, &opts, &err), &err, "app");
	table_type(&table, ":respond r001 \"One.\"<Enter>:respond r001 \"Two.\"<Enter>");
}

/* A row's name is at its end in help, and its first column in a menu. */
static bool is_among_first(const char *row, bool menu)
{
	const struct tui_list *list = table.app->list;

	for (size_t i = 0; list && i < FIRST; i++) {
		const struct tui_entry *entry = tui_list_entry(list, i);

		if (entry && loom_str_is(menu ? entry->lead : entry->end, row))
			return true;
	}
	return false;
}

/* Opens the list, and types the words from `from` on. */
static bool finds(const char *keys, struct loom_str words, const char *row, bool menu)
{
	struct loom_buf typed = LOOM_BUF_INIT(1024);
	bool found;

	loom_buf_adds(&typed, keys);
	loom_buf_add(&typed, words);
	table_type(&table, loom_buf_cstr(&typed));
	found = is_among_first(row, menu);
	table_type(&table, "<Esc><Esc><Esc>");
	loom_buf_fini(&typed);
	return found;
}

/* The first and the last half of the words: who remembers half of a wish finds it, too. */
static struct loom_str half(const char *words, bool last)
{
	struct loom_str text = loom_str_of(words);
	size_t blanks = 0;
	size_t at = 0;

	for (size_t i = 0; i < text.n; i++)
		blanks += text.p[i] == ' ';
	blanks = (blanks + 1) / 2 + (last ? 0 : (blanks + 1) % 2);
	while (blanks && (at = loom_str_find_char(text, ' ', at)) != SIZE_MAX && --blanks)
		at++;
	if (at == SIZE_MAX || at == 0)
		return text;
	return last ? loom_str_sub(text, at + 1, text.n) : loom_str_sub(text, 0, at);
}

TEST a_wish_is_found_in_help(void)
{
	set_up();
	for (size_t i = 0; i < LOOM_COUNT(wishes); i++) {
		const struct loom_str whole = loom_str_of(wishes[i].words);

		ASSERTm(wishes[i].words, finds("?/", whole, wishes[i].row, false));
		ASSERTm(wishes[i].words, finds("?f", whole, wishes[i].row, false));
	}
	PASS();
}

TEST half_of_a_wish_is_enough(void)
{
	set_up();
	for (size_t i = 0; i < LOOM_COUNT(wishes); i++)
		ASSERTm(wishes[i].words,
			finds("?/", half(wishes[i].words, false), wishes[i].row, false) ||
				finds("?/", half(wishes[i].words, true), wishes[i].row, false));
	PASS();
}

TEST letters_that_do_nothing_in_help_begin_its_filter(void)
{
	set_up();
	ASSERT(finds("?", LOOM_STR("export"), "export", false));
	ASSERT(finds("?", LOOM_STR("undo"), "undo", false));
	ASSERT(finds("?", LOOM_STR("delete"), "prune", false));
	ASSERT(finds("?", LOOM_STR("rename"), "tree set", false));
	table_type(&table, "?jjk");
	ASSERT(table_shows(&table, "2 of "));
	PASS();
}

TEST the_menu_of_a_row_has_what_is_about_it(void)
{
	set_up();
	for (size_t i = 0; i < LOOM_COUNT(wishes); i++)
		if (wishes[i].here)
			ASSERTm(wishes[i].words,
				finds("./", loom_str_of(wishes[i].words), wishes[i].row, true));
	PASS();
}

TEST the_palette_finds_it_too(void)
{
	struct tui_completions ways;

	set_up();
	for (size_t i = 0; i < LOOM_COUNT(wishes); i++) {
		const struct loom_str words = loom_str_of(wishes[i].words);
		const struct loom_str row = loom_str_of(wishes[i].row);
		bool found = false;

		tui_complete(table.app, words, words.n, table.grove.arena, &ways);
		for (size_t k = 0; k < ways.count && k < FIRST; k++)
			found |= loom_str_eq(loom_str_trim(ways.items[k].text), row);
		/* What begins as a command does is completed as one. */
		ASSERTm(wishes[i].words,
			found || ways.from > 0 ||
				loom_verb_find(
					loom_str_sub(words, 0, loom_str_find_char(words, ' ', 0))));
	}
	PASS();
}

static bool names_something(struct loom_str name)
{
#define LOOM_SCREEN_WORD(word, args, summary)                                                      \
	if (loom_str_is(name, word))                                                               \
		return true;
#include <loom/screen_words.def>
	return loom_verb_find(name) || loom_command_find(name) || tui_command_find(name);
}

TEST every_row_of_synonyms_is_about_something(void)
{
	struct loom_str name;
	struct loom_str words;

	for (size_t i = 0; loom_wish_at(i, &name, &words); i++) {
		ASSERTm(name.p, names_something(name));
		ASSERT(words.n > 0);
	}
	PASS();
}

SUITE(wish)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_wish_is_found_in_help);
	RUN_TEST(half_of_a_wish_is_enough);
	RUN_TEST(letters_that_do_nothing_in_help_begin_its_filter);
	RUN_TEST(the_menu_of_a_row_has_what_is_about_it);
	RUN_TEST(the_palette_finds_it_too);
	RUN_TEST(every_row_of_synonyms_is_about_something);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(wish);
	GREATEST_MAIN_END();
}
