/* Usages as specifications, and argument lists read by them. */
#include <greatest.h>

#include <loom/cli/services.h>

#define MAX_ARGS 16

/* One usage and one command line, read. */
struct trial {
	struct loom_arena *arena;
	struct cli_spec spec;
	struct cli_spec global_spec;
	struct cli_reader reader;
	struct loom_err err;
	char *argv[MAX_ARGS];
	const struct loom_args *args;
	enum loom_status status;
};

static void trial_open(struct trial *trial, const char *usage)
{
	*trial = (struct trial){.arena = loom_arena_create()};
	trial->status = cli_spec_parse(trial->arena, loom_str_of(usage), &trial->spec, &trial->err);
	trial->global_spec = cli_spec_global(trial->arena);
}

/* `line` has blanks between its arguments; '_' in it is a blank of an argument. */
static struct trial *read_args(struct trial *trial, const char *usage, const char *line)
{
	struct loom_str rest = loom_str_of(line);
	struct loom_str word;
	int argc = 0;

	trial_open(trial, usage);
	while (rest.n && loom_str_cut(&rest, ' ', &word) && argc < MAX_ARGS) {
		trial->argv[argc] = loom_arena_cstr(trial->arena, word);
		for (char *p = trial->argv[argc]; *p; p++)
			*p = *p == '_' ? ' ' : *p;
		argc++;
	}
	trial->reader = (struct cli_reader){
		.arena = trial->arena,
		.argc = argc,
		.argv = trial->argv,
		.command = "try",
		.usage = usage,
		.global = cli_args_create(trial->arena, &trial->global_spec),
		.local = cli_args_create(trial->arena, &trial->spec),
	};
	trial->args = trial->reader.local;
	trial->status = cli_args_rest(&trial->reader, &trial->err);
	if (!trial->status)
		trial->status = cli_args_check(&trial->reader, &trial->err);
	return trial;
}

static void trial_close(struct trial *trial)
{
	loom_arena_destroy(trial->arena);
}

static size_t count_of(const struct loom_args *args, const char *name)
{
	return cli_args_count(args, cli_spec_find(cli_args_spec(args), loom_str_of(name)));
}

static const char *value_at(const struct loom_args *args, const char *name, size_t index)
{
	return cli_args_at(args, cli_spec_find(cli_args_spec(args), loom_str_of(name)), index);
}

static const char *value(const struct loom_args *args, const char *name)
{
	return value_at(args, name, 0);
}

TEST every_form_of_the_notation_parses(void)
{
	static const struct {
		const char *usage;
		size_t items;
	} cases[] = {
		{"", 0},
		{"[DIR]", 1},
		{"FILE…", 1},
		{"[--mode dialogue|buffer] [--title T] [--system TEXT] [--root TEXT]", 4},
		{"-a AGENT [-t TREE] [--thread ID] [--node NODE] [--dry-run] [FILE]", 6},
		{"[-t TREE] [-a AGENT] [--thread ID] [--node NODE] [--] COMMAND…", 5},
		{"[--format F] [--path NODE|--tree] [-o FILE]", 4},
		{"[--thread ID|--memory] [--system-prompt TEXT] [--log FILE]", 4},
		{"NAME [--permissions P,…|PRESET] [--model M] [--approval auto|ask|propose]", 4},
		{"--objective O [--ref Y[:a,b]]… [--binding frozen|live] [--id ID]", 4},
		{"[--check] [--cancel REASON] TOKEN|-", 3},
		{"[TREE|NODE]", 1},
		{"A B", 2},
		{"[--man|--completion bash|zsh|fish] [COMMAND…]", 3},
		{"--from X --target Y [--scope a,b] [--binding frozen|live]", 4},
		{"(--yes|--no) -n,--lines N", 3},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct trial trial;

		trial_open(&trial, cases[i].usage);
		ASSERT_EQm(trial.err.text, LOOM_OK, trial.status);
		ASSERT_EQ_FMTm(cases[i].usage, cases[i].items, trial.spec.count, "%zu");
		trial_close(&trial);
	}
	PASS();
}

TEST a_usage_that_breaks_the_notation_is_refused_with_its_place(void)
{
	static const char *const cases[] = {
		"[DIR", "[--mode x|y", "DIR  NAME",     "FILE]",         "-xy FILE",
		"[]",   "--a,--b X",   "A A",           "[--x] [--x]",   "--name [",
		"(A",   "-x,-y N",     "[-t A] [-t B]", "[FILE] [FILE]", "[--x|] [--y]",
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct trial trial;

		trial_open(&trial, cases[i]);
		ASSERT_EQm(cases[i], LOOM_FAULT, trial.status);
		ASSERTm(cases[i], trial.err.at <= strlen(cases[i]));
		trial_close(&trial);
	}
	PASS();
}

TEST items_know_their_names_values_and_kinds(void)
{
	struct trial trial;
	const struct cli_item *item = NULL;

	trial_open(&trial, "-t,--tree TREE [--mode dialogue|buffer] [-n N] [--ref Y[:a,b]]… FILE…");
	item = cli_spec_find(&trial.spec, LOOM_STR("-t"));
	ASSERT(item && item == cli_spec_find(&trial.spec, LOOM_STR("--tree")));
	ASSERT(item->kind == CLI_OPTION && !item->optional && !item->choice && !item->number);
	item = cli_spec_find(&trial.spec, LOOM_STR("--mode"));
	ASSERT(item && item->choice && item->optional);
	item = cli_spec_find(&trial.spec, LOOM_STR("-n"));
	ASSERT(item && item->number);
	item = cli_spec_find(&trial.spec, LOOM_STR("--ref"));
	ASSERT(item && item->repeats && loom_str_is(item->value, "Y[:a,b]"));
	item = cli_spec_find(&trial.spec, LOOM_STR("FILE"));
	ASSERT(item && item->repeats && !item->optional && item->kind == CLI_POSITIONAL);
	ASSERT(!cli_spec_find(&trial.spec, LOOM_STR("")));
	trial_close(&trial);
	PASS();
}

TEST options_are_understood_before_between_and_behind_positionals(void)
{
	struct trial t;

	read_args(&t, "[-t,--tree TREE] [--dry-run] A [B]", "-t one x --dry-run y");
	ASSERT_EQm(t.err.text, LOOM_OK, t.status);
	ASSERT_STR_EQ("one", value(t.args, "--tree"));
	ASSERT_STR_EQ("one", value(t.args, "-t"));
	ASSERT(count_of(t.args, "--dry-run"));
	ASSERT_STR_EQ("x", value(t.args, "A"));
	ASSERT_STR_EQ("y", value(t.args, "B"));
	trial_close(&t);
	read_args(&t, "[-t,--tree TREE] [--dry-run] A [B]", "x --tree=a=b");
	ASSERT_STR_EQ("a=b", value(t.args, "--tree"));
	ASSERT(!count_of(t.args, "--dry-run"));
	ASSERT(!value(t.args, "B"));
	trial_close(&t);
	read_args(&t, "[-t,--tree TREE] [--dry-run] A [B]", "-tone x");
	ASSERT_STR_EQ("one", value(t.args, "--tree"));
	trial_close(&t);
	PASS();
}

TEST a_value_is_taken_as_it_stands(void)
{
	struct trial t;

	read_args(&t, "[--title T] [FILE]", "--title --json -");
	ASSERT_EQ(LOOM_OK, t.status);
	ASSERT_STR_EQ("--json", value(t.args, "--title"));
	ASSERT_STR_EQ("-", value(t.args, "FILE"));
	ASSERT(!count_of(t.reader.global, "--json"));
	trial_close(&t);
	read_args(&t, "[--title T] [FILE]", "--title=");
	ASSERT_EQ(LOOM_OK, t.status);
	ASSERT_STR_EQ("", value(t.args, "--title"));
	trial_close(&t);
	PASS();
}

TEST a_value_that_may_be_missing_is_taken_when_it_is_there(void)
{
	struct trial t;
	const char *usage = "[--tree[=TREE]|--all] [-o FILE]";

	read_args(&t, usage, "--tree -o out");
	ASSERT_EQ(LOOM_OK, t.status);
	ASSERT_STR_EQ("", value(t.args, "--tree"));
	ASSERT_STR_EQ("out", value(t.args, "-o"));
	trial_close(&t);
	read_args(&t, usage, "--tree Draft");
	ASSERT_STR_EQ("Draft", value(t.args, "--tree"));
	trial_close(&t);
	read_args(&t, usage, "-o out --tree=-");
	ASSERT_STR_EQ("-", value(t.args, "--tree"));
	trial_close(&t);
	read_args(&t, usage, "--tree");
	ASSERT(count_of(t.args, "--tree"));
	trial_close(&t);
	read_args(&t, usage, "-o --tree");
	ASSERT_FALSE(count_of(t.args, "--tree"));
	trial_close(&t);
	PASS();
}

TEST two_dashes_end_the_options(void)
{
	struct trial t;

	read_args(&t, "[--dry-run] A [B]", "-- --dry-run --");
	ASSERT_EQm(t.err.text, LOOM_OK, t.status);
	ASSERT_STR_EQ("--dry-run", value(t.args, "A"));
	ASSERT_STR_EQ("--", value(t.args, "B"));
	ASSERT(!count_of(t.args, "--dry-run"));
	trial_close(&t);
	read_args(&t, "[--dry-run] [A]", "--");
	ASSERT_EQ(LOOM_OK, t.status);
	trial_close(&t);
	PASS();
}

TEST verbatim_usages_leave_everything_behind_the_first_word_alone(void)
{
	struct trial t;

	read_args(&t, "[-t TREE] [--] COMMAND…", "-t x --json annotate a7x2 --json -t -- y");
	ASSERT_EQm(t.err.text, LOOM_OK, t.status);
	ASSERT(count_of(t.reader.global, "--json"));
	ASSERT_EQ(6, count_of(t.args, "COMMAND"));
	ASSERT_STR_EQ("--json", value_at(t.args, "COMMAND", 2));
	ASSERT_STR_EQ("--", value_at(t.args, "COMMAND", 4));
	ASSERT(!value_at(t.args, "COMMAND", 6));
	trial_close(&t);
	PASS();
}

TEST global_options_are_understood_everywhere(void)
{
	struct trial t;

	read_args(&t, "NODE", "a7x2 --json --grove /tmp/x");
	ASSERT_EQ(LOOM_OK, t.status);
	ASSERT(count_of(t.reader.global, "--json"));
	ASSERT_STR_EQ("/tmp/x", value(t.reader.global, "-g"));
	trial_close(&t);
	PASS();
}

TEST a_commands_own_option_comes_before_the_global_one(void)
{
	struct trial t;

	read_args(&t, "[--plain]", "--plain");
	ASSERT(count_of(t.args, "--plain"));
	ASSERT(!count_of(t.reader.global, "--plain"));
	trial_close(&t);
	PASS();
}

TEST repeated_values_keep_their_order(void)
{
	struct trial t;

	read_args(&t, "[--ref Y[:a,b]]… FILE…", "--ref one f --ref two:a,b g h");
	ASSERT_EQm(t.err.text, LOOM_OK, t.status);
	ASSERT_EQ(2, count_of(t.args, "--ref"));
	ASSERT_STR_EQ("two:a,b", value_at(t.args, "--ref", 1));
	ASSERT_EQ(3, count_of(t.args, "FILE"));
	ASSERT_STR_EQ("h", value_at(t.args, "FILE", 2));
	trial_close(&t);
	PASS();
}

TEST positionals_leave_what_later_ones_must_have(void)
{
	struct trial t;

	read_args(&t, "[FILE…] DEST", "a b c");
	ASSERT_EQ(2, count_of(t.args, "FILE"));
	ASSERT_STR_EQ("c", value(t.args, "DEST"));
	trial_close(&t);
	read_args(&t, "[FILE…] DEST", "c");
	ASSERT_EQ(0, count_of(t.args, "FILE"));
	ASSERT_STR_EQ("c", value(t.args, "DEST"));
	trial_close(&t);
	read_args(&t, "SCOPE PATH…", "turn a b");
	ASSERT_EQ(2, count_of(t.args, "PATH"));
	trial_close(&t);
	PASS();
}

/* A struct as the rows of a command make one, and the rows. */
struct filled {
	bool dry_run;
	struct loom_str tree;
	struct loom_number at;
	struct loom_number limit;
	struct loom_texts file;
};
#define FILLED_USAGE "[--dry-run] [--tree TREE] [--at SEQ] [--limit N] [FILE…]"

static void fill(struct trial *trial, const char *line, struct filled *out)
{
	static const struct cli_field fields[] = {
		{CLI_FIELD_FLAG, offsetof(struct filled, dry_run), "", NULL},
		{CLI_FIELD_TEXT, offsetof(struct filled, tree), "", NULL},
		{CLI_FIELD_NUMBER, offsetof(struct filled, at), "", NULL},
		{CLI_FIELD_NUMBER, offsetof(struct filled, limit), "", NULL},
		{CLI_FIELD_TEXTS, offsetof(struct filled, file), "", NULL},
	};

	*out = (struct filled){.dry_run = false};
	read_args(trial, FILLED_USAGE, line);
	for (size_t i = 0; i < trial->spec.count; i++)
		trial->spec.items[i].field = &fields[i];
	cli_args_fill(trial->arena, trial->args, out);
}

TEST every_value_gets_to_its_field(void)
{
	struct trial t;
	struct filled got;

	fill(&t, "one --limit 9223372036854775807 --tree a_b --dry-run --at 0 two", &got);
	ASSERT_EQm(t.err.text, LOOM_OK, t.status);
	ASSERT(got.dry_run);
	ASSERT_STR_EQ("a b", got.tree.p);
	ASSERT_EQ(3, got.tree.n);
	ASSERT(got.at.given && got.limit.given);
	ASSERT_EQ(0, loom_number_or(got.at, -1));
	ASSERT_EQ(INT64_MAX, loom_number_or(got.limit, -1));
	ASSERT_EQ(2, got.file.n);
	ASSERT_STR_EQ("one", got.file.p[0].p);
	ASSERT_STR_EQ("two", got.file.p[1].p);
	trial_close(&t);
	fill(&t, "--at -1", &got);
	ASSERT_EQm("before the first row of a log", LOOM_OK, t.status);
	ASSERT_EQ(-1, loom_number_or(got.at, 7));
	trial_close(&t);
	PASS();
}

TEST what_is_absent_is_nothing(void)
{
	struct trial t;
	struct filled got;

	fill(&t, "", &got);
	ASSERT_EQ(LOOM_OK, t.status);
	ASSERT(!got.dry_run && !got.tree.p && !got.at.given && !got.file.n);
	ASSERT_EQ(7, loom_number_or(got.at, 7));
	trial_close(&t);
	PASS();
}

TEST wrong_lines_are_refused_in_one_line_with_the_right_form(void)
{
	static const struct {
		const char *usage, *line, *text, *hint;
	} cases[] = {
		{"[--title T]", "--titel x", "unknown option --titel", "--title T"},
		{"[--title T]", "--jsno", "unknown option --jsno", "--json"},
		{"[--title T]", "--zzzzzzzz", "unknown option --zzzzzzzz", "loom try [--title T]"},
		{"[-t TREE]", "-x", "unknown option -x", "loom try [-t TREE]"},
		{"[-t TREE]", "-xval", "unknown option -xval", "loom try"},
		{"[--title T]", "--title", "--title needs a value: T", "loom try [--title T]"},
		{"[--title T]", "--title a --title b", "--title is given twice", "loom try"},
		{"[--dry-run]", "--dry-run=yes", "--dry-run takes no value", "loom try"},
		{"[--mode dialogue|buffer]", "--mode tree", "not \"tree\"", "dialogue|buffer"},
		{"[--mode dialogue|buffer]", "--mode=", "not \"\"", "dialogue|buffer"},
		{"[--at SEQ]", "--at -2", "--at takes a number SEQ, not \"-2\"", "loom try"},
		{"[--last N]", "--last -1", "--last takes a number N, not \"-1\"", "loom try"},
		{"[--at SEQ]", "--at 9223372036854775808", "takes a number", "loom try"},
		{"[--at SEQ]", "--at 9223372036854775808", "SEQ up to 9223372036854775807, not",
		 "loom try"},
		{"[--at SEQ]", "--at 1x", "takes a number", "loom try"},
		{"NODE", "", "NODE is missing", "loom try NODE"},
		{"-a AGENT", "", "-a is missing", "loom try -a AGENT"},
		{"FILE…", "", "FILE is missing", "loom try FILE…"},
		{"A B", "x", "B is missing", "loom try A B"},
		{"A B", "x y z", "too many arguments: \"z\"", "loom try A B"},
		{"", "x", "too many arguments: \"x\"", "loom try"},
		{"[--thread ID|--memory]", "--memory --thread x",
		 "--memory and --thread cannot be combined", "loom try"},
		{"(--yes|--no)", "", "--yes is missing", "loom try (--yes|--no)"},
		{"[bash|zsh]", "tcsh", "not \"tcsh\"", "loom try"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct trial t;

		read_args(&t, cases[i].usage, cases[i].line);
		ASSERT_EQm(cases[i].line, LOOM_USAGE, t.status);
		ASSERT_EQm(cases[i].line, LOOM_USAGE, t.err.status);
		ASSERTm(t.err.text, strstr(t.err.text, cases[i].text));
		ASSERTm(t.err.hint, strstr(t.err.hint, cases[i].hint));
		ASSERTm(t.err.text, !strchr(t.err.text, '\n'));
		ASSERTm(t.err.text, strncmp(t.err.text, "loom try: ", 10) == 0);
		trial_close(&t);
	}
	PASS();
}

TEST one_of_a_required_alternative_is_enough(void)
{
	struct trial t;

	read_args(&t, "(--yes|--no)", "--no");
	ASSERT_EQm(t.err.text, LOOM_OK, t.status);
	trial_close(&t);
	PASS();
}

SUITE(cli_args)
{
	RUN_TEST(every_form_of_the_notation_parses);
	RUN_TEST(a_usage_that_breaks_the_notation_is_refused_with_its_place);
	RUN_TEST(items_know_their_names_values_and_kinds);
	RUN_TEST(options_are_understood_before_between_and_behind_positionals);
	RUN_TEST(a_value_is_taken_as_it_stands);
	RUN_TEST(a_value_that_may_be_missing_is_taken_when_it_is_there);
	RUN_TEST(two_dashes_end_the_options);
	RUN_TEST(verbatim_usages_leave_everything_behind_the_first_word_alone);
	RUN_TEST(global_options_are_understood_everywhere);
	RUN_TEST(a_commands_own_option_comes_before_the_global_one);
	RUN_TEST(repeated_values_keep_their_order);
	RUN_TEST(positionals_leave_what_later_ones_must_have);
	RUN_TEST(every_value_gets_to_its_field);
	RUN_TEST(what_is_absent_is_nothing);
	RUN_TEST(wrong_lines_are_refused_in_one_line_with_the_right_form);
	RUN_TEST(one_of_a_required_alternative_is_enough);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(cli_args);
	GREATEST_MAIN_END();
}
