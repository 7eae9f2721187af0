/* What `loom` opens without a command: the first run, the tutor, the line mode. */
#include "greatest.h"

#include "screens/desk.h"

#include <sys/wait.h>

static struct temp home;

static struct pty *door(const char *word, int w, int h)
{
	static char variables[3][600];
	const char *const argv[] = {"/bin/sh", "-c", "cd \"$HOME\" && exec \"$LOOM\" $WORD", NULL};
	const char *const env[] = {variables[0], variables[1], variables[2], NULL};
	struct pty_opts opts = {.argv = argv, .env = env, .w = w, .h = h};
	struct pty *pty;

	snprintf(variables[0], sizeof variables[0], "HOME=%s", home.path);
	snprintf(variables[1], sizeof variables[1], "LOOM=%s", SCREENS_LOOM);
	snprintf(variables[2], sizeof variables[2], "WORD=%s", word);
	pty = pty_open(&opts);
	pty_settle(pty);
	return pty;
}

static bool shows(struct pty *pty, const char *text)
{
	return strstr(pty_text(pty), text) != NULL;
}

/* The answer of the line mode to these lines. */
static char *lines(const char *words, const char *input)
{
	static char out[40000];
	struct loom_buf command = LOOM_BUF_INIT(1 << 16);
	FILE *pipe;
	size_t n;

	loom_buf_addf(&command,
		      "cd '%s' && printf '%s' | HOME='%s' LC_ALL=C.UTF-8 TZ=UTC LOOM_SEED=1 "
		      "LOOM_NOW=2026-02-23T10:00:00Z '%s' %s 2>&1",
		      home.path, input, home.path, SCREENS_LOOM, words);
	pipe = popen(loom_buf_cstr(&command), "r");
	n = fread(out, 1, sizeof out - 1, pipe);
	out[n] = '\0';
	pclose(pipe);
	loom_buf_fini(&command);
	return out;
}

TEST the_first_run_opens_a_small_real_tree(void)
{
	struct pty *pty;
	const char *wrong;

	temp_init(&home);
	pty = door("", 80, 24);
	wrong = pty_golden(pty, "first-run");
	ASSERT_EQm(wrong, NULL, wrong);
	pty_type(pty, "ll]");
	ASSERT(shows(pty, "2 of 5"));
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	pty_close(pty);
	pty = door("", 80, 24);
	ASSERT(shows(pty, "2 of 5"));
	pty_close(pty);
	temp_fini(&home);
	PASS();
}

/* Types, and waits for what the guide promises. */
static void step(struct pty *pty, const char *keys, const char *promised)
{
	pty_write(pty, loom_str_of(keys));
	pty_until(pty, promised);
	pty_settle(pty);
}

TEST a_grove_without_a_tree_opens_too(void)
{
	struct pty *pty;
	const char *wrong;

	temp_init(&home);
	lines("init novel", "");
	pty = door("-g novel", 40, 10);
	wrong = pty_golden(pty, "bare-40x10");
	ASSERT_EQm(wrong, NULL, wrong);
	pty_close(pty);
	pty = door("-g novel", 80, 24);
	wrong = pty_golden(pty, "bare-80x24");
	ASSERT_EQm(wrong, NULL, wrong);
	step(pty, "iThe house stood empty.\r", "a new tree");
	ASSERT(shows(pty, "r001  The house stood empty."));
	step(pty, "u", "undone: new tree");
	ASSERT(shows(pty, "i writes the beginning"));
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	pty_close(pty);
	temp_fini(&home);
	PASS();
}

TEST the_tutor_begins_again(void)
{
	struct pty *pty;

	temp_init(&home);
	pty = door("", 80, 24);
	pty_type(pty, "llx");
	pty_until(pty, "pruned");
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	pty_take(pty);
	ASSERT(shows(pty, "everything is saved"));
	pty_close(pty);
	pty = door("--tutor", 80, 24);
	pty_type(pty, "ll");
	ASSERT(shows(pty, "1 of 5"));
	pty_type(pty, "ot");
	ASSERT(shows(pty, "of 4 trees"));
	pty_close(pty);
	temp_fini(&home);
	PASS();
}

/* Each step as the texts have it, in their order. */
TEST the_guide_keeps_every_promise(void)
{
	static const char *const steps[][2] = {
		{"l", "Five branches"},
		{"l", "1 of 5"},
		{"iA line of mine\r", "created ["},
		{"h", "1 of 5"},
		{"u", "undone: responded"},
		{"U", "redone: responded"},
		{"eMy \x1b", "saved as a new branch"},
		{"V", "1 of 6"},
		{"v", "6 of 6"},
		{"V", "1 of 6"},
		{"]", "The second branch"},
		{"3c", "1 of 3"},
		{"]", "2 of 3"},
		{"=", "keep"},
		{"q", "2 of 3"},
		{"x", "pruned ["},
		{"X", "kept this one"},
		{"h", "The second branch"},
		{"]", "The third branch"},
		{"b", "bookmarked"},
		{"gggb", "The third branch"},
		{"p", "pinned"},
		{"om", "Your memory"},
		{"q", "3 of 6"},
		{"zp", "pruned shown"},
	};
	struct pty *pty;

	temp_init(&home);
	pty = door("", 80, 24);
	for (size_t i = 0; i < LOOM_COUNT(steps); i++)
		step(pty, steps[i][0], steps[i][1]);
	step(pty, "zp]", "The fourth branch");
	step(pty, ":use \"A page of prose\"\r", "buffer");
	step(pty, ":grep fourth branch\r", "tree:\"Welcome\"");
	step(pty, "q", "buffer");
	step(pty, "l", "Teh first word");
	step(pty, "e\x04\x04\x04The\x1b", "v2/2");
	step(pty, "V", "Teh first word");
	step(pty, "v", "The first word of this");
	step(pty, "l/lantern\r", "The keeper lit the lantern");
	step(pty, "B", "\xe2\x94\x94");
	step(pty, "H", "1 of 2");
	step(pty, "lc", "saved");
	step(pty, ":use \"Welcome\"\r", "The fourth branch");
	step(pty, "]l", "Tab");
	step(pty, "l:view r001\r", "Answer");
	step(pty, "ql", "That is all you need");
	pty_close(pty);
	temp_fini(&home);
	PASS();
}

TEST the_line_mode_says_each_change_of_focus(void)
{
	const char *said;

	temp_init(&home);
	said = lines("--plain", "l\\nl\\n]\\nh\\nquit\\n");
	ASSERT(strstr(said, "[r001] by human, depth 0, 1 continuation: Welcome."));
	ASSERT(strstr(said, "depth 2, 1 of 5, 0 continuations: The first branch"));
	ASSERT(strstr(said, "depth 2, 2 of 5, 0 continuations: The second branch"));
	ASSERT_EQ(NULL, strchr(said, '\x1b'));
	temp_fini(&home);
	PASS();
}

TEST the_line_mode_writes_and_takes_back(void)
{
	const char *said;

	temp_init(&home);
	said = lines("--plain", "l\\ni\\nA line.\\nAnother.\\n.\\nb\\nu\\n:view r001\\nx\\n");
	ASSERT(strstr(said, "created"));
	ASSERT(strstr(said, "by human, depth 2, 6 of 6, 0 continuations: A line.\nAnother."));
	ASSERT(strstr(said, "bookmarked"));
	ASSERT(strstr(said, "undone"));
	ASSERT(strstr(said, "view r001"));
	ASSERT(strstr(said, "pruned"));
	temp_fini(&home);
	PASS();
}

TEST a_word_is_no_row_of_keys(void)
{
	const char *said;

	temp_init(&home);
	/* `quit` is not q, u, i, t: nothing is taken back. */
	said = lines("--plain", "quit\\n");
	ASSERT_EQ(NULL, strstr(said, "undone"));
	said = lines("--plain", "ot\\n");
	ASSERT(strstr(said, "Welcome"));
	temp_fini(&home);
	PASS();
}

/* Nothing can be drawn where nobody says what the terminal is, and nothing is refused either. */
TEST a_terminal_of_no_known_type_gets_the_line_mode(const char *type)
{
	struct desk desk;
	char variable[600];
	const char *const argv[] = {"/bin/sh", "-c", type, NULL};
	const char *const env[] = {variable, NULL};
	struct pty_opts opts = {.argv = argv, .env = env};
	struct pty *pty;

	desk_init(&desk, LOOM_DIALOGUE);
	snprintf(variable, sizeof variable, "LOOM=%s -g %s", SCREENS_LOOM, desk.grove.temp.path);
	pty = pty_open(&opts);
	pty_until(pty, "or one command per line; ? lists them, Q leaves");
	pty_write(pty, LOOM_STR("gg\nl\n"));
	pty_until(pty, "[s9k6] by ngram, depth 1");
	pty_write(pty, LOOM_STR("Q\n"));
	ASSERT_EQ(0, pty_finish(pty));
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

TEST what_is_said_is_safe_to_show(void)
{
	const char *said;

	temp_init(&home);
	said = lines("--plain", "i\\nA \\033[31mred\\007 line\\n.\\n");
	ASSERT_EQ(NULL, strchr(said, '\x1b'));
	ASSERT_EQ(NULL, strchr(said, '\a'));
	temp_fini(&home);
	PASS();
}

/* A file dropped on the terminal comes as a paste of its path, and stopping is a key. */
TEST a_dropped_file_is_imported_on_enter_and_one_undo_takes_it_back(void)
{
	struct loom_buf drop = LOOM_BUF_INIT(1 << 12);
	struct pty *pty;

	temp_init(&home);
	temp_write(&home, "a talk.json",
		   LOOM_STR("[{\"role\":\"user\",\"content\":\"Who is there?\"},"
			    "{\"role\":\"assistant\",\"content\":\"A moth.\",\"wild\":1}]"));
	pty = door("", 80, 24);
	loom_buf_addf(&drop, "\x1b[200~'%s/a talk.json' \x1b[201~", home.path);
	pty_write(pty, loom_buf_str(&drop));
	pty_until(pty, ":import /");
	pty_type(pty, "\r");
	pty_until(pty, "1 × message field \"wild\"");
	pty_type(pty, "q");
	pty_until(pty, "A moth.");
	pty_type(pty, "u");
	pty_until(pty, "undone: imported 3 nodes");
	pty_until(pty, "Welcome");
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	pty_close(pty);
	loom_buf_fini(&drop);
	temp_fini(&home);
	PASS();
}

TEST an_import_says_how_far_it_is_and_esc_stops_it(void)
{
	struct loom_buf file = LOOM_BUF_INIT(64 << 20);
	struct pty *pty;

	temp_init(&home);
	for (int i = 0; i < 200000; i++)
		loom_buf_addf(&file,
			      "{\"messages\":[{\"role\":\"user\",\"content\":\"%d\"},"
			      "{\"role\":\"assistant\",\"content\":\"yes\"}]}\n",
			      i);
	temp_write(&home, "talks.jsonl", loom_buf_str(&file));
	loom_buf_fini(&file);
	pty = door("", 80, 24);
	pty_write(pty, LOOM_STR(":import ~/talks.jsonl\r"));
	pty_until(pty, " · Esc stops");
	pty_write(pty, LOOM_STR("\x1b"));
	pty_until(pty, "stopped; nothing was imported");
	pty_type(pty, "ot");
	ASSERT(shows(pty, "Welcome"));
	ASSERT(!shows(pty, "talks"));
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	pty_close(pty);
	temp_fini(&home);
	PASS();
}

SUITE(doors)
{
	RUN_TEST(the_first_run_opens_a_small_real_tree);
	RUN_TEST(a_grove_without_a_tree_opens_too);
	RUN_TEST(the_tutor_begins_again);
	RUN_TEST(the_guide_keeps_every_promise);
	RUN_TEST(the_line_mode_says_each_change_of_focus);
	RUN_TEST(the_line_mode_writes_and_takes_back);
	RUN_TEST(a_word_is_no_row_of_keys);
	RUN_TESTp(a_terminal_of_no_known_type_gets_the_line_mode, "TERM=dumb exec $LOOM");
	RUN_TESTp(a_terminal_of_no_known_type_gets_the_line_mode, "TERM= exec $LOOM");
	RUN_TESTp(a_terminal_of_no_known_type_gets_the_line_mode, "unset TERM; exec $LOOM");
	RUN_TEST(what_is_said_is_safe_to_show);
	RUN_TEST(a_dropped_file_is_imported_on_enter_and_one_undo_takes_it_back);
	RUN_TEST(an_import_says_how_far_it_is_and_esc_stops_it);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(doors);
	GREATEST_MAIN_END();
}
