/* The table of commands and the texts made from it. */
#include <ctype.h>
#include <greatest.h>

#include <unistd.h>

#include <loom/cli/services.h>
#include <loom/language/registry.h>
#include <loom/text/width.h>

static size_t chars(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

TEST names_are_unique_and_plain(void)
{
	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *a = loom_command_at(i);

		ASSERTm(a->name,
			strspn(a->name, "abcdefghijklmnopqrstuvwxyz- ") == strlen(a->name));
		ASSERT_EQm(a->name, a, loom_command_find(loom_str_of(a->name)));
	}
	ASSERT_EQ(NULL, loom_command_at(loom_command_count()));
	ASSERT_EQ(NULL, loom_command_find(LOOM_STR("")));
	PASS();
}

TEST summaries_fit_in_sixty_characters_and_end_without_a_dot(void)
{
	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *row = loom_command_at(i);
		size_t n = strlen(row->summary);

		ASSERTm(row->name, n > 0 && chars(row->summary) <= 60);
		ASSERTm(row->name, row->summary[n - 1] != '.');
		ASSERTm(row->name, loom_group_title(row->group)[0]);
	}
	PASS();
}

TEST every_usage_parses(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_err err;
	struct cli_spec spec;

	for (size_t i = 0; i < loom_command_count(); i++) {
		enum loom_status status =
			cli_spec_parse(arena, loom_str_of(loom_command_at(i)->usage), &spec, &err);

		ASSERT_EQm(err.text, LOOM_OK, status);
	}
	ASSERT(cli_spec_global(arena).count);
	loom_arena_destroy(arena);
	PASS();
}

/* The rows of all items, as they stand. */
static const struct {
	enum cli_field_type type;
	const char *field;
} item_rows[] = {
#define LOOM_ITEM(type, field, usage, meaning) {CLI_FIELD_##type, #field},
#include <loom/commands.def>
};

/* Whether a field is called as what it holds: --system-prompt is system_prompt, a NODE is node. One
 * of two of the same name says more; an option of one letter says anything. */
static bool is_called(struct loom_arena *arena, const char *field, const struct cli_item *item)
{
	char *name = loom_arena_cstr(arena, item->name);
	const size_t dashes = strspn(name, "-");
	const char *found = NULL;

	for (char *p = name; *p; p++)
		*p = (char)(*p == '-' ? '_' : tolower((unsigned char)*p));
	name += dashes;
	found = strstr(field, name);
	return dashes == 1 || (found && (found == field || found[-1] == '_') &&
			       (!found[strlen(name)] || found[strlen(name)] == '_'));
}

TEST every_field_has_the_type_and_the_name_that_its_usage_demands(void)
{
	struct loom_arena *arena = loom_arena_create();
	static char where[512];
	size_t row = 0;

	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);
		struct cli_spec spec = cli_spec_of(arena, command);
		size_t before = 0;

		for (size_t k = 0; k < spec.count; k++, row++) {
			const struct cli_item *item = &spec.items[k];

			ASSERT(row < LOOM_COUNT(item_rows));
			snprintf(where, sizeof where, "%s: %.*s as %s", command->name,
				 LOOM_STR_ARG(item->name), item_rows[row].field);
			ASSERT_EQm(where, item->field->type, item_rows[row].type);
			ASSERT_EQm(where, cli_item_type(item), item->field->type);
			ASSERTm(where, item->field->offset > before);
			ASSERTm(where, item->field->offset < command->size);
			ASSERTm(where, is_called(arena, item_rows[row].field, item));
			before = item->field->offset;
		}
		ASSERTm(command->name, !command->fields()[spec.count].meaning);
	}
	ASSERT_EQ(LOOM_COUNT(item_rows), row);
	loom_arena_destroy(arena);
	PASS();
}

TEST every_option_and_value_has_a_meaning(void)
{
	struct loom_arena *arena = loom_arena_create();
	static char where[512];

	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *row = loom_command_at(i);
		struct cli_spec spec = cli_spec_of(arena, row);

		for (size_t k = 0; k < spec.count; k++) {
			const char *meaning = help_item_meaning(&spec.items[k]);

			snprintf(where, sizeof where, "%s: %.*s wants a meaning", row->name,
				 LOOM_STR_ARG(spec.items[k].name));
			ASSERTm(where, meaning[0]);
			ASSERTm(where, chars(meaning) <= 70);
		}
	}
	loom_arena_destroy(arena);
	PASS();
}

/* A note that names nothing would be read by nobody. */
TEST every_note_is_of_a_command_a_family_or_a_verb(void)
{
	static const char *const named[] = {
#define LOOM_FAMILY(name, text) (name),
#include <loom/commands.def>
#define LOOM_NOTE(name, text) (name),
#include <loom/verbs.def>
	};

	for (size_t i = 0; i < loom_command_count(); i++) {
		const char *text = loom_command_at(i)->note;

		ASSERTm(loom_command_at(i)->name,
			!text || (text[0] && text[strlen(text) - 1] != '\n'));
	}
	for (size_t i = 0; i < LOOM_COUNT(named); i++) {
		struct loom_str name = loom_str_of(named[i]);
		const char *text = help_table_note(name);
		bool verb = loom_str_starts(name, LOOM_STR("→ "));

		if (verb)
			name = loom_str_sub(name, strlen("→ "), SIZE_MAX);
		ASSERTm(named[i], verb ? loom_verb_find(name) != LOOM_VERB_NONE
				       : help_table_goes_on(&named[i], 1));
		ASSERTm(named[i], text[0] && text[strlen(text) - 1] != '\n');
	}
	ASSERT_STR_EQ("", help_table_note(LOOM_STR("nonsense")));
	PASS();
}

TEST topics_have_plain_names_of_their_own_and_titles(void)
{
	const struct cli_topic *topic = NULL;

	for (size_t i = 0; (topic = help_topic_at(i)); i++) {
		size_t end = strlen(topic->text);

		ASSERT_EQm(topic->name, topic, help_topic_find(loom_str_of(topic->name)));
		ASSERTm(topic->name,
			strspn(topic->name, "abcdefghijklmnopqrstuvwxyz") == strlen(topic->name));
		ASSERTm(topic->name, topic->title[0] && chars(topic->title) <= 60);
		ASSERTm(topic->name, end > 0 && topic->text[end - 1] != '\n');
	}
	ASSERT(help_topic_at(0));
	ASSERT_EQ(NULL, help_topic_find(LOOM_STR("nonsense")));
	ASSERT_EQ(NULL, help_topic_find(LOOM_STR("")));
	PASS();
}

TEST text_is_filled_to_the_page_and_brackets_are_not_broken(void)
{
	struct loom_buf out = LOOM_BUF_INIT(1 << 16);
	const struct cli_filling prose = {.indent = 2};
	const struct cli_filling usage = {.indent = 4, .begun = 70, .brackets = true};

	cli_fill_lines(&out, LOOM_STR("one two\n  as it\n\nthree"), &prose);
	ASSERT_STR_EQ("  one two\n    as it\n\n  three\n", loom_buf_cstr(&out));
	loom_buf_clear(&out);
	cli_fill_lines(&out, LOOM_STR("[-a A] [--bb B|--cc C] D"), &usage);
	ASSERT_STR_EQ("[-a A]\n    [--bb B|--cc C] D\n", loom_buf_cstr(&out));
	loom_buf_clear(&out);
	for (int i = 0; i < 40; i++)
		cli_fill_lines(&out,
			       LOOM_STR("a word that is met again and again, and once more, "
					"until the line is full and then some"),
			       &prose);
	for (const char *line = loom_buf_cstr(&out); *line; line = strchr(line, '\n') + 1)
		ASSERT(strcspn(line, "\n") <= 78);
	loom_buf_fini(&out);
	PASS();
}

/* Splits an example as a shell does, as far as examples go: blanks and double quotes. */
static int split_example(struct loom_arena *arena, const char *example, char **argv, int max)
{
	char *text = loom_arena_cstr(arena, loom_str_of(example));
	int argc = 0;

	while (*text && argc < max) {
		char end = *text == '"' ? '"' : ' ';

		text += end == '"';
		argv[argc++] = text;
		while (*text && *text != end)
			text++;
		if (*text)
			*text++ = '\0';
		while (*text == ' ')
			text++;
	}
	return argc;
}

static const struct loom_command *read_example(struct loom_arena *arena, const char *example,
					       struct loom_err *err)
{
	char *argv[32];
	struct cli_spec global = cli_spec_global(arena);
	struct cli_spec local;
	struct cli_reader reader = {
		.arena = arena,
		.argv = argv,
		.at = 1,
		.global = cli_args_create(arena, &global),
	};
	const struct loom_command *command = NULL;

	reader.argc = split_example(arena, example, argv, 32);
	if (reader.argc < 2 || strcmp(argv[0], "loom") != 0 || cli_args_options(&reader, err) ||
	    help_table_read(&reader, &command, err))
		return NULL;
	local = cli_spec_of(arena, command);
	reader.command = command->name;
	reader.usage = command->usage;
	reader.local = cli_args_create(arena, &local);
	if (cli_args_rest(&reader, err) || cli_args_check(&reader, err))
		return NULL;
	return command;
}

TEST every_example_parses_to_its_own_row(void)
{
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *row = loom_command_at(i);
		struct loom_err err = {.text = "not that row"};

		ASSERTm(row->example, !strpbrk(row->example, "|<>$`'\\"));
		ASSERT_EQm(err.text, row, read_example(arena, row->example, &err));
	}
	loom_arena_destroy(arena);
	PASS();
}

/* Whether the words behind a "loom " begin with a command's name. */
static bool names_a_command(struct loom_arena *arena, struct loom_str line)
{
	const char *words[32];
	struct loom_str word;
	size_t count = 0;
	size_t used = 0;

	while (line.n && count < LOOM_COUNT(words) && loom_str_cut(&line, ' ', &word))
		words[count++] = loom_arena_cstr(arena, word);
	return help_table_match(words, count, &used) != NULL;
}

/* A command line in a text, in backquotes, may lack what somebody fills in. */
static bool quoted_commands_exist(struct loom_arena *arena, struct loom_str text)
{
	struct loom_str piece;

	for (size_t i = 0; text.n && loom_str_cut(&text, '`', &piece); i++)
		if (i % 2 && loom_str_starts(piece, LOOM_STR("loom ")) &&
		    !names_a_command(arena, loom_str_sub(piece, strlen("loom "), SIZE_MAX)))
			return false;
	return true;
}

TEST every_command_line_in_a_topic_parses(void)
{
	struct loom_arena *arena = loom_arena_create();
	const struct cli_topic *topic = NULL;
	size_t lines = 0;

	for (size_t i = 0; (topic = help_topic_at(i)); i++) {
		struct loom_str rest = loom_str_of(topic->text);
		struct loom_str line;

		ASSERTm(topic->name, quoted_commands_exist(arena, rest));
		while (rest.n && loom_str_cut(&rest, '\n', &line)) {
			struct loom_err err = {.text = ""};

			if (!loom_str_starts(line, LOOM_STR("  loom ")))
				continue;
			line = loom_str_sub(line, 2, SIZE_MAX);
			ASSERTm(err.text, read_example(arena, loom_arena_cstr(arena, line), &err));
			lines++;
		}
	}
	ASSERT(lines > 0);
	ASSERT(quoted_commands_exist(arena, LOOM_STR("`loom help` and `b`")));
	ASSERT_FALSE(quoted_commands_exist(arena, LOOM_STR("`loom hepl`")));
	loom_arena_destroy(arena);
	PASS();
}

TEST no_topic_is_wider_than_a_hundred_columns(void)
{
	const struct cli_filling how = {.indent = 2};
	const struct cli_topic *topic = NULL;

	for (size_t i = 0; (topic = help_topic_at(i)); i++) {
		struct loom_buf page = LOOM_BUF_INIT(1 << 16);
		struct loom_str rest;
		struct loom_str line;

		cli_fill_lines(&page, loom_str_of(topic->text), &how);
		rest = loom_buf_str(&page);
		while (rest.n && loom_str_cut(&rest, '\n', &line))
			ASSERTm(topic->name, loom_str_width(line) <= 100);
		loom_buf_fini(&page);
	}
	PASS();
}

TEST unknown_commands_are_refused_with_the_nearest_form(void)
{
	static const struct {
		const char *line, *text, *hint;
	} cases[] = {
		{"loom hepl", "no command \"hepl\"", "loom help "},
		{"loom versoin", "no command \"versoin\"", "loom version"},
		{"loom qqqqqqqq", "no command \"qqqqqqqq\"", "loom help"},
		{"loom \"\"", "no command \"\"", "loom help"},
		{"loom --jsn help", "unknown option --jsn", "--json"},
	};
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_err err = {.status = LOOM_OK};

		ASSERT_EQm(cases[i].line, NULL, read_example(arena, cases[i].line, &err));
		ASSERT_EQm(cases[i].line, LOOM_USAGE, err.status);
		ASSERTm(err.text, strstr(err.text, cases[i].text));
		ASSERTm(err.hint, strstr(err.hint, cases[i].hint));
	}
	loom_arena_destroy(arena);
	PASS();
}

/* Holds for whatever families the table has. */
TEST a_family_alone_is_refused_with_what_may_follow(void)
{
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < loom_command_count(); i++) {
		struct loom_str name = loom_str_of(loom_command_at(i)->name);
		struct loom_str word;
		struct loom_err err = {.status = LOOM_OK};
		const char *line = NULL;

		if (loom_str_find_char(name, ' ', 0) == SIZE_MAX)
			continue;
		loom_str_cut(&name, ' ', &word);
		if (loom_command_find(word))
			continue;
		line = loom_arena_format(arena, "loom %.*s", LOOM_STR_ARG(word)).p;
		ASSERT_EQm(line, NULL, read_example(arena, line, &err));
		ASSERTm(err.text, strstr(err.text, "which command?"));
		ASSERTm(err.hint, strncmp(err.hint, line, strlen(line)) == 0);
	}
	loom_arena_destroy(arena);
	PASS();
}

TEST the_longest_name_that_fits_is_matched(void)
{
	const char *one[] = {"help", "version"};
	size_t used = 0;

	ASSERT_EQ(loom_command_find(LOOM_STR("help")), help_table_match(one, 2, &used));
	ASSERT_EQ(1, used);
	one[0] = "hel";
	ASSERT_EQ(NULL, help_table_match(one, 2, &used));
	ASSERT_EQ(0, used);
	PASS();
}

/* Runs `command` over the document; its exit status, or -1 when the program is missing. */
static int judge(void (*write)(struct loom_arena *, struct loom_buf *), const char *program,
		 const char *command)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char line[256];
	FILE *pipe = NULL;
	int status = -1;

	snprintf(line, sizeof line, "command -v %s >/dev/null", program);
	if (system(line) == 0) {
		write(arena, &text);
		pipe = popen(command, "w");
		fwrite(text.p, 1, text.n, pipe);
		status = pclose(pipe);
	}
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
	return status;
}

TEST the_man_page_is_clean_for_groff(void)
{
	int status =
		judge(help_man_page, "groff", "groff -man -Tutf8 -ww -z 2>&1 | { ! grep . ; }");

	if (status == -1)
		SKIPm("no groff here");
	ASSERT_EQ(0, status);
	PASS();
}

/* Its style is no matter of faults: lines of any length, and no date that would change a build. */
TEST the_man_page_is_clean_for_mandoc(void)
{
	int status =
		judge(help_man_page, "mandoc",
		      "mandoc -T lint 2>&1 | grep -v -e STYLE: -e 'missing date' | { ! grep . ; }");

	if (status == -1)
		SKIPm("no mandoc here");
	ASSERT_EQ(0, status);
	PASS();
}

TEST the_man_page_names_every_command_and_is_ascii(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	help_man_page(arena, &text);
	for (size_t i = 0; i < text.n; i++)
		ASSERT(text.p[i] == '\n' || (text.p[i] >= 0x20 && text.p[i] < 0x7f));
	for (size_t i = 0; i < loom_command_count(); i++) {
		char wanted[128];

		snprintf(wanted, sizeof wanted, "\\fBloom %.100s\\fR", loom_command_at(i)->name);
		for (char *dash = wanted; (dash = strchr(dash, '-')); dash += 2) {
			memmove(dash + 1, dash, strlen(dash) + 1);
			*dash = '\\';
		}
		ASSERTm(wanted, strstr(text.p, wanted));
	}
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
	PASS();
}

TEST the_man_page_has_a_section_for_each_topic(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct cli_topic *topic = NULL;

	help_man_page(arena, &text);
	for (size_t i = 0; (topic = help_topic_at(i)); i++) {
		const char *head = loom_arena_format(arena, "\n.SH \"%s\"\n", topic->title).p;

		ASSERTm(topic->title, strstr(loom_buf_cstr(&text), head));
	}
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
	PASS();
}

TEST the_bash_completion_is_good_bash(void)
{
	int status = judge(help_completion_bash, "bash", "bash -n");

	if (status == -1)
		SKIPm("no bash here");
	ASSERT_EQ(0, status);
	PASS();
}

TEST the_zsh_completion_is_good_zsh(void)
{
	int status = judge(help_completion_zsh, "zsh", "zsh -n");

	if (status == -1)
		SKIPm("no zsh here");
	ASSERT_EQ(0, status);
	PASS();
}

TEST the_fish_completion_is_good_fish(void)
{
	int status = judge(help_completion_fish, "fish", "fish -n");

	if (status == -1)
		SKIPm("no fish here");
	ASSERT_EQ(0, status);
	PASS();
}

TEST completions_name_every_command_and_option(void)
{
	void (*const writers[])(struct loom_arena *, struct loom_buf *) = {help_completion_bash,
									   help_completion_zsh,
									   help_completion_fish};
	struct loom_arena *arena = loom_arena_create();

	for (size_t w = 0; w < LOOM_COUNT(writers); w++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

		writers[w](arena, &text);
		for (size_t i = 0; i < loom_command_count(); i++) {
			struct cli_spec spec = cli_spec_of(arena, loom_command_at(i));

			ASSERT(strstr(text.p, loom_command_at(i)->name));
			for (size_t k = 0; k < spec.count; k++) {
				struct loom_str name = spec.items[k].name;

				if (spec.items[k].kind != CLI_POSITIONAL && name.n > 2)
					ASSERT(loom_str_find(loom_buf_str(&text),
							     loom_str_sub(name, 2, name.n),
							     0) != SIZE_MAX);
			}
		}
		loom_buf_fini(&text);
	}
	loom_arena_destroy(arena);
	PASS();
}

SUITE(help)
{
	RUN_TEST(names_are_unique_and_plain);
	RUN_TEST(summaries_fit_in_sixty_characters_and_end_without_a_dot);
	RUN_TEST(every_usage_parses);
	RUN_TEST(every_field_has_the_type_and_the_name_that_its_usage_demands);
	RUN_TEST(every_option_and_value_has_a_meaning);
	RUN_TEST(every_note_is_of_a_command_a_family_or_a_verb);
	RUN_TEST(topics_have_plain_names_of_their_own_and_titles);
	RUN_TEST(text_is_filled_to_the_page_and_brackets_are_not_broken);
	RUN_TEST(every_example_parses_to_its_own_row);
	RUN_TEST(every_command_line_in_a_topic_parses);
	RUN_TEST(no_topic_is_wider_than_a_hundred_columns);
	RUN_TEST(unknown_commands_are_refused_with_the_nearest_form);
	RUN_TEST(a_family_alone_is_refused_with_what_may_follow);
	RUN_TEST(the_longest_name_that_fits_is_matched);
	RUN_TEST(the_man_page_is_clean_for_groff);
	RUN_TEST(the_man_page_is_clean_for_mandoc);
	RUN_TEST(the_man_page_names_every_command_and_is_ascii);
	RUN_TEST(the_man_page_has_a_section_for_each_topic);
	RUN_TEST(the_bash_completion_is_good_bash);
	RUN_TEST(the_zsh_completion_is_good_zsh);
	RUN_TEST(the_fish_completion_is_good_fish);
	RUN_TEST(completions_name_every_command_and_option);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(help);
	GREATEST_MAIN_END();
}
