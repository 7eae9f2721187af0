/* Tree and reader on a real pty, as a person sees them. */
#include "greatest.h"

#include "screens/desk.h"

#include <sys/wait.h>

static const char *const sizes[][2] = {{"40x10", ""}, {"80x24", ""}, {"140x40", ""}};

static struct pty *sized(struct desk *desk, size_t i)
{
	static const int w[] = {40, 80, 140};
	static const int h[] = {10, 24, 40};

	return desk_open(desk, w[i], h[i], NULL);
}

static const char *golden(struct pty *pty, const char *what, size_t i)
{
	char name[100];

	snprintf(name, sizeof name, "%s-%s", what, sizes[i][0]);
	return pty_golden(pty, name);
}

static const char *look(enum loom_mode mode, const char *name, const char *keys)
{
	const char *wrong = NULL;

	for (size_t i = 0; i < LOOM_COUNT(sizes) && !wrong; i++) {
		struct desk desk;
		struct pty *pty;

		desk_init(&desk, mode);
		pty = sized(&desk, i);
		pty_type(pty, keys);
		wrong = golden(pty, name, i);
		pty_close(pty);
		desk_fini(&desk);
	}
	return wrong;
}

TEST a_tree_is_seen_with_its_path_open(void)
{
	const char *wrong = look(LOOM_DIALOGUE, "desk-open", "");

	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST going_down_shows_what_leads_there(void)
{
	const char *wrong = look(LOOM_DIALOGUE, "desk-down", "ll]zol");

	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST a_buffer_is_prose(void)
{
	const char *wrong = look(LOOM_BUFFER, "desk-buffer", "ll]l\t(");

	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST the_help_is_the_table_of_commands(void)
{
	const char *wrong = look(LOOM_DIALOGUE, "desk-help", "?");

	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST no_size_is_too_small(void)
{
	struct desk desk;
	struct pty *pty;

	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, 1, 1, NULL);
	pty_type(pty, "lljjkkG?qot");
	for (int w = 1; w < 30; w += 3) {
		pty_resize(pty, w, 30 - w);
		pty_settle(pty);
		pty_type(pty, "jl]kh");
	}
	pty_resize(pty, 80, 24);
	pty_settle(pty);
	ASSERT(strstr(pty_text(pty), "Marie"));
	pty_write(pty, LOOM_STR("qQ"));
	ASSERT_EQ(0, pty_finish(pty));
	ASSERT_STR_EQ("cursor", pty_modes(pty));
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

TEST one_comes_back_to_where_one_was(void)
{
	struct desk desk;
	struct pty *pty;
	char before[8000];

	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, 80, 24, NULL);
	pty_type(pty, "ll]zojjma\t");
	snprintf(before, sizeof before, "%s", pty_text(pty));
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	pty_close(pty);
	pty = desk_open(&desk, 80, 24, NULL);
	if (getenv("SHOW"))
		fprintf(stderr, "%s\n-----\n%s", before, pty_text(pty));
	ASSERT_STR_EQ(strchr(before, '\n'), strchr(pty_text(pty), '\n'));
	pty_type(pty, "\tgg'a");
	ASSERT(strstr(pty_text(pty), "Step 14"));
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

TEST what_others_write_appears_and_moves_nothing(void)
{
	struct desk desk;
	struct pty *pty;
	char before[8000];

	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, 80, 24, NULL);
	pty_type(pty, "ll]");
	snprintf(before, sizeof before, "%s", strchr(pty_text(pty), '['));
	desk_add(&desk, desk.nodes[1], true, "A fourth way.");
	pty_until(pty, "A fourth way");
	pty_until(pty, "1 new");
	/* The prose is as it was, but for the header that counts. */
	ASSERT_EQ(strchr(before, '\n') - before,
		  strchr(strchr(pty_text(pty), '['), '\n') - strchr(pty_text(pty), '['));
	pty_type(pty, "gn");
	ASSERT(strstr(pty_text(pty), "4 of 4"));
	ASSERT_EQ(NULL, strstr(pty_text(pty), "1 new"));
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

/* Its rows but for the line that says which theme it is. */
static const char *rows_of(struct pty *pty)
{
	static char text[20000];
	char *last;

	snprintf(text, sizeof text, "%s", pty_text(pty));
	last = strstr(text, "theme");
	if (last)
		*last = '\0';
	return text;
}

/* Colours and attributes carry nothing that the text does not say. */
TEST a_picture_says_the_same_in_every_theme_and_without_colours(void)
{
	static const struct {
		const char *theme, *term;
		bool coloured;
	} rows[] = {{"default", NULL, true},  {"dark", NULL, true},
		    {"light", NULL, true},    {"colourblind", NULL, true},
		    {"mono", NULL, false},    {"dark", "xterm", true},
		    {"dark", "vt100", false}, {"default", "vt220", false}};
	struct desk desk;
	char first[20000] = "";

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		char keys[100];
		struct pty *pty;

		desk_init(&desk, LOOM_DIALOGUE);
		pty = desk_open(&desk, 120, 30, rows[i].term);
		snprintf(keys, sizeof keys, "ll]x[:theme %s\r", rows[i].theme);
		pty_type(pty, keys);
		pty_until(pty, "of 2");
		if (!first[0])
			snprintf(first, sizeof first, "%s", rows_of(pty));
		ASSERT(strlen(first) > 500);
		ASSERT_STR_EQ(first, rows_of(pty));
		ASSERT_EQm(rows[i].theme, rows[i].coloured, pty_coloured(pty) > 0);
		pty_close(pty);
		desk_fini(&desk);
	}
	PASS();
}

/* The node with more than it may have, and one that would type where it is pasted. */
TEST a_copy_says_what_the_terminal_was_given(void)
{
	struct desk desk;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct pty *pty;

	desk_init(&desk, LOOM_DIALOGUE);
	loom_buf_add_repeat(&text, 'x', 1 << 20);
	desk_add(&desk, desk.nodes[0], true, loom_buf_cstr(&text));
	desk_add(&desk, desk.nodes[0], true, "a\x1b[201~\rb");
	pty = desk_open(&desk, 120, 24, NULL);
	pty_type(pty, "y");
	pty_until(pty, "the text copied to the clipboard (");
	pty_type(pty, "l]y");
	pty_until(pty, "too long for the clipboard");
	pty_type(pty, "]y");
	pty_until(pty, "2 controls shown by name");
	pty_close(pty);
	loom_buf_fini(&text);
	desk_fini(&desk);
	PASS();
}

TEST idle_is_silent(void)
{
	struct desk desk;
	struct pty *pty;
	uint64_t bytes;

	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, 80, 24, NULL);
	pty_type(pty, "l");
	pty_type(pty, "j");
	bytes = pty_bytes(pty);
	pty_type(pty, "k");
	ASSERT(pty_bytes(pty) - bytes < 2500);
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

TEST without_a_terminal_one_line_says_what_to_use(void)
{
	struct desk desk;
	char command[1000];
	char line[400] = "";
	FILE *out;
	int status;

	desk_init(&desk, LOOM_DIALOGUE);
	snprintf(command, sizeof command, "'%s' -g '%s' </dev/null 2>&1", SCREENS_LOOM,
		 desk.grove.temp.path);
	out = popen(command, "r");
	ASSERT(fgets(line, sizeof line, out));
	ASSERT(strstr(line, "no terminal"));
	ASSERT(strstr(line, "loom do"));
	ASSERT_EQ(NULL, fgets(line, sizeof line, out));
	status = pclose(out);
	ASSERT_EQ(1, WEXITSTATUS(status));
	desk_fini(&desk);
	PASS();
}

SUITE(desk_suite)
{
	RUN_TEST(a_tree_is_seen_with_its_path_open);
	RUN_TEST(going_down_shows_what_leads_there);
	RUN_TEST(a_buffer_is_prose);
	RUN_TEST(the_help_is_the_table_of_commands);
	RUN_TEST(no_size_is_too_small);
	RUN_TEST(one_comes_back_to_where_one_was);
	RUN_TEST(what_others_write_appears_and_moves_nothing);
	RUN_TEST(a_picture_says_the_same_in_every_theme_and_without_colours);
	RUN_TEST(a_copy_says_what_the_terminal_was_given);
	RUN_TEST(idle_is_silent);
	RUN_TEST(without_a_terminal_one_line_says_what_to_use);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(desk_suite);
	GREATEST_MAIN_END();
}
