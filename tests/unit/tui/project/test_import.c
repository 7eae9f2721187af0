/* Files brought in from the screen: typed, dropped, seen, taken back. */
#include <greatest.h>

#include "support/table.h"
#include <loom/writing/paths.h>

GREATEST_MAIN_DEFS();

#define FILE_NAME "a chat's.json"
#define TALK                                                                                       \
	"[{\"role\":\"user\",\"content\":\"Who is there?\"},"                                      \
	"{\"role\":\"assistant\",\"content\":\"A moth.\"}]"
#define STRANGE "[{\"role\":\"user\",\"content\":\"Who is there?\",\"wild\":1}]"

static const char *path;

static void set_up(const char *text)
{
	table_init(&table);
	path = loom_arena_format(table.grove.arena, "%s/" FILE_NAME, table.grove.temp.path).p;
	temp_write(&table.grove.temp, FILE_NAME, loom_str_of(text));
	table_open(&table);
}

/* The file behind the colon; its name has what a shell would not leave alone. */
static void import_it(void)
{
	struct tui_event event = {.kind = TUI_EVENT_PASTE};
	struct loom_buf line = LOOM_BUF_INIT(1 << 16);

	table_type(&table, ":");
	loom_buf_adds(&line, "import ");
	tui_path_spell(loom_str_of(path), &line);
	event.text = loom_buf_str(&line);
	tui_app_event(table.app, &event);
	table_type(&table, "<Enter>");
	loom_buf_fini(&line);
}

TEST a_file_becomes_a_tree_that_is_shown(void)
{
	set_up(TALK);
	import_it();
	ASSERT(table_shows(&table, "imported 3 nodes in 1 tree · u undoes it"));
	ASSERT(table_shows(&table, "Who is there? · dialogue"));
	ASSERT(table_shows(&table, "A moth."));
	PASS();
}

TEST what_did_not_come_of_it_is_listed(void)
{
	set_up(STRANGE);
	import_it();
	ASSERT(table_shows(&table, "not understood, kept beside the nodes:"));
	ASSERT(table_shows(&table, "1 × message field \"wild\""));
	table_type(&table, "q");
	ASSERT(table_shows(&table, "Who is there?"));
	PASS();
}

TEST one_undo_takes_it_back_and_leads_to_a_tree_that_is_there(void)
{
	set_up(TALK);
	import_it();
	table_type(&table, "u");
	ASSERT(table_shows(&table, "undone: imported 3 nodes"));
	ASSERT(table_shows(&table, "A beginning."));
	ASSERT(!table_shows(&table, "does not exist"));
	import_it();
	ASSERT(table_shows(&table, "restored what had been undone (1 operation)"));
	ASSERT(table_shows(&table, "A moth."));
	PASS();
}

TEST what_cannot_be_read_is_said_and_changes_nothing(void)
{
	set_up("{\"what\":\"ever\"}");
	import_it();
	ASSERT(table_shows(&table, "JSON in an unknown format"));
	table_type(&table, ":import<Space>/nowhere/at/all<Enter>");
	ASSERT(table_shows(&table, "there is no file /nowhere/at/all"));
	table_type(&table, ":import<Space>'x<Enter>");
	ASSERT(table_shows(&table, "unclosed quote"));
	table_type(&table, ":import<Enter>");
	ASSERT(table_shows(&table, "import FILE…"));
	ASSERT(table_shows(&table, "A beginning."));
	PASS();
}

TEST a_file_that_is_dropped_is_offered_and_nothing_is_done(void)
{
	struct loom_buf quoted = LOOM_BUF_INIT(1 << 16);

	set_up(TALK);
	loom_buf_addf(&quoted, "\"%s\" ", path);
	table_paste(&table, loom_buf_str(&quoted));
	ASSERT(table_shows(&table, ":import /"));
	ASSERT(table_shows(&table, "a\\ chat\\'s.json"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "imported 3 nodes in 1 tree"));
	loom_buf_fini(&quoted);
	PASS();
}

TEST a_path_that_leads_nowhere_is_a_text(void)
{
	set_up(TALK);
	table_paste(&table, LOOM_STR("/nowhere/at/all"));
	ASSERT(!table_shows(&table, ":import"));
	ASSERT(table_shows(&table, "/nowhere/at/all"));
	ASSERT(table_shows(&table, "draft (only you see it)"));
	/* and in a text that is being written a path is words */
	table_paste(&table, loom_str_of(path));
	ASSERT(!table_shows(&table, ":import"));
	PASS();
}

TEST a_path_is_completed(void)
{
	struct loom_buf keys = LOOM_BUF_INIT(1 << 16);

	set_up(TALK);
	loom_buf_addf(&keys, ":import<Space>%s/a<Tab>", table.grove.temp.path);
	table_type(&table, loom_buf_cstr(&keys));
	ASSERT(table_shows(&table, "/a\\ chat\\'s.json"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "imported 3 nodes in 1 tree"));
	loom_buf_fini(&keys);
	PASS();
}

/* ---- paths ---- */

static const struct {
	const char *line;
	const char *paths; /* each in brackets; "?": a quote is open */
} lines[] = {
	{"", ""},
	{"  \t ", ""},
	{"/a/b", "[/a/b]"},
	{" /a  /b ", "[/a][/b]"},
	{"'/a b'", "[/a b]"},
	{"\"/a b\"", "[/a b]"},
	{"\"/a \\\" b\"", "[/a \" b]"},
	{"'/a\\b'", "[/a\\b]"},
	{"/a\\ b\\'c", "[/a b'c]"},
	{"/a' 'b\" \"c", "[/a b c]"},
	{"~/x", "[/h/me/x]"},
	{"a~/x", "[a~/x]"},
	{"file:///tmp/a%20b", "[/tmp/a b]"},
	{"file://localhost/tmp/%41%zz%", "[/tmp/A%zz%]"},
	{"file:///a%00b", "[/a%00b]"},
	{"file://", "[]"},
	{"''", "[]"},
	{"'/a", "?"},
	{"/a\\", "[/a\\]"},
};

TEST paths_are_read_as_a_shell_reads_them(void)
{
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < LOOM_COUNT(lines); i++) {
		struct loom_buf said = LOOM_BUF_INIT(1 << 16);
		const char **paths = NULL;
		size_t count = tui_paths_read(loom_str_of(lines[i].line), LOOM_STR("/h/me"), arena,
					      &paths);

		if (count == SIZE_MAX)
			loom_buf_adds(&said, "?");
		for (size_t k = 0; count != SIZE_MAX && k < count; k++)
			loom_buf_addf(&said, "[%s]", paths[k]);
		ASSERT_STR_EQm(lines[i].line, lines[i].paths, loom_buf_cstr(&said));
		loom_buf_fini(&said);
	}
	loom_arena_destroy(arena);
	PASS();
}

TEST any_path_is_spelled_so_that_it_is_read_again(void)
{
	static const char *const odd[] = {"/a b", "/it's", "/\"q\"", "/back\\slash", "/\xC3\xA4"};
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < LOOM_COUNT(odd); i++) {
		struct loom_buf line = LOOM_BUF_INIT(1 << 16);
		const char **paths = NULL;

		tui_path_spell(loom_str_of(odd[i]), &line);
		ASSERT_EQ(1, (int)tui_paths_read(loom_buf_str(&line), LOOM_STR(""), arena, &paths));
		ASSERT_STR_EQ(odd[i], paths[0]);
		loom_buf_fini(&line);
	}
	loom_arena_destroy(arena);
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_file_becomes_a_tree_that_is_shown);
	RUN_TEST(what_did_not_come_of_it_is_listed);
	RUN_TEST(one_undo_takes_it_back_and_leads_to_a_tree_that_is_there);
	RUN_TEST(what_cannot_be_read_is_said_and_changes_nothing);
	RUN_TEST(a_file_that_is_dropped_is_offered_and_nothing_is_done);
	RUN_TEST(a_path_that_leads_nowhere_is_a_text);
	RUN_TEST(a_path_is_completed);
	RUN_TEST(paths_are_read_as_a_shell_reads_them);
	RUN_TEST(any_path_is_spelled_so_that_it_is_read_again);
	GREATEST_MAIN_END();
}
