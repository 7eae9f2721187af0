/* The gate, cell by cell: tests/cases/gate.txt has every verb and every command, by whom, under
 * which approval. What it says was read by eye; here it is compared, and what must hold of any such
 * table, whatever its cells are. */
#include <greatest.h>

#include <loom/language/call.h>
#include <loom/tree/gate.h>
#include <loom/language/parse.h>
#include <loom/files/path.h>

#include <loom/cli/services.h>

#define TABLE LOOM_SOURCE "/tests/cases/gate.txt"
#define WORDS 20

/* ---- who acts ---- */

static const struct column {
	const char *name;
	enum loom_who kind;
	unsigned may; /* and what that needs */
} columns[] = {
	{"me", LOOM_WHO_ME, 0},
	{"person", LOOM_WHO_PERSON, 0},
	{"claim", LOOM_WHO_CLAIM, LOOM_MAY_ANYTHING},
	{"all", LOOM_WHO_AGENT, LOOM_MAY_ALL},
	{"analyst", LOOM_WHO_AGENT, LOOM_MAY_ANALYST},
	{"subject", LOOM_WHO_AGENT, LOOM_MAY_NONE},
	{"aware", LOOM_WHO_AGENT, LOOM_MAY_AWARE},
	{"write", LOOM_WHO_AGENT, LOOM_MAY_WRITE},
	{"generate", LOOM_WHO_AGENT, LOOM_MAY_GENERATE},
	{"doc_read", LOOM_WHO_AGENT, LOOM_MAY_DOC_READ},
	{"doc_write", LOOM_WHO_AGENT, LOOM_MAY_DOC_WRITE},
	{"cross_tree", LOOM_WHO_AGENT, LOOM_MAY_CROSS_TREE},
	{"threads", LOOM_WHO_AGENT, LOOM_MAY_THREADS},
};

static enum loom_gate ask(const struct column *column, enum loom_approval approval,
			  const struct loom_need *need, struct loom_err *err)
{
	const struct loom_gate_who who = {.kind = column->kind,
					  .name = LOOM_STR("Claude"),
					  .grant = {.may = loom_grant_closure(column->may),
						    .approval = approval}};

	return loom_gate(&who, need, NULL, err);
}

/* ---- a line of the table ---- */

struct line {
	struct loom_arena *arena;
	struct loom_str text; /* without its cells */
	const struct loom_command *command;
	const struct loom_args *args;
	struct loom_call call; /* of a → line */
	bool is_call;
	struct loom_need need;
};

/* Words apart by blanks; "…" holds blanks together. */
static int split(struct loom_arena *arena, struct loom_str text, char **argv)
{
	int argc = 1;
	size_t at = 0;

	argv[0] = loom_arena_cstr(arena, LOOM_STR("loom"));
	while (at < text.n && argc < WORDS) {
		struct loom_buf word = LOOM_BUF_INIT(4096);
		bool quoted = false;

		for (; at < text.n && (quoted || text.p[at] != ' '); at++) {
			if (text.p[at] == '"')
				quoted = !quoted;
			else
				loom_buf_addc(&word, text.p[at]);
		}
		if (word.n)
			argv[argc++] = loom_arena_cstr(arena, loom_buf_str(&word));
		loom_buf_fini(&word);
		while (at < text.n && text.p[at] == ' ')
			at++;
	}
	return argc;
}

static bool read_command(struct line *line)
{
	char **argv = LOOM_ARENA_ARRAY(line->arena, WORDS + 1, char *);
	struct loom_err err = {.status = LOOM_OK};
	struct cli_spec global;
	struct cli_spec local;
	struct cli_reader reader = {.arena = line->arena, .argv = argv, .at = 1};

	reader.argc = split(line->arena, line->text, argv);
	global = cli_spec_global(line->arena);
	reader.global = cli_args_create(line->arena, &global);
	if (help_table_read(&reader, &line->command, &err))
		return false;
	local = cli_spec_of(line->arena, line->command);
	reader.command = line->command->name;
	reader.usage = line->command->usage;
	reader.local = cli_args_create(line->arena, &local);
	line->args = reader.local;
	if (cli_args_rest(&reader, &err) || cli_args_check(&reader, &err))
		return false;
	line->need = loom_command_need(line->command, line->args);
	return true;
}

static bool read_call(struct line *line, struct loom_str text)
{
	struct loom_refusal refusal;
	struct loom_buf real = LOOM_BUF_INIT(4096);
	bool read;

	for (size_t i = 0; i < text.n; i++)
		if (i + 1 < text.n && text.p[i] == '@' && strchr("2345", text.p[i + 1]))
			loom_buf_adds(&real, "a7x2"), i++;
		else
			loom_buf_addc(&real, text.p[i]);
	read = loom_parse_line(line->arena, loom_arena_buf(line->arena, &real), &line->call,
			       &refusal) == LOOM_OK;
	loom_buf_fini(&real);
	line->is_call = true;
	if (read)
		line->need = loom_call_need(&line->call);
	return read;
}

/* What stands before the first tab. */
static bool read_line(struct loom_str text, struct line *out)
{
	const struct loom_str arrow = LOOM_STR("→ ");

	(void)loom_str_cut(&text, '\t', &out->text);
	if (loom_str_starts(out->text, arrow))
		return read_call(out, loom_str_sub(out->text, arrow.n, out->text.n));
	return read_command(out);
}

/* The line with what it does and its cells. */
static void spell(const struct line *line, struct loom_buf *out)
{
	static const char letters[] = {
		[LOOM_GATE_RUN] = 'r', [LOOM_GATE_ASK] = 'a', [LOOM_GATE_REFUSE] = '-'};
	const char *comma = "";

	loom_buf_addf(out, "%.*s\t", LOOM_STR_ARG(line->text));
	if (!line->need.deeds)
		loom_buf_adds(out, loom_deed_name(LOOM_DEED_LOOKS));
	for (unsigned bit = 1; bit <= LOOM_DEED_PERSON; bit <<= 1) {
		if (!(line->need.deeds & bit))
			continue;
		loom_buf_addf(out, "%s%s", comma, loom_deed_name(bit));
		comma = ",";
	}
	for (size_t i = 0; i < LOOM_COUNT(columns); i++) {
		loom_buf_addf(out, "\t%s ", columns[i].name);
		for (int approval = LOOM_APPROVE_AUTO; approval <= LOOM_APPROVE_PROPOSE; approval++)
			loom_buf_addc(out, letters[ask(&columns[i], (enum loom_approval)approval,
						       &line->need, NULL)]);
	}
	loom_buf_addc(out, '\n');
}

/* ---- the file ---- */

typedef void line_fn(void *ctx, struct line *line);

static struct loom_str read_table(struct loom_arena *arena)
{
	static const struct loom_read_opts opts = {.links = true, .max = (size_t)1 << 20};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	if (loom_file_read_at(TABLE, &opts, &text, NULL) != LOOM_OK)
		loom_buf_clear(&text);
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

/* How many lines there are; 0 when one cannot be read, which is said. */
static size_t each_line(line_fn *fn, void *ctx)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str rest = read_table(arena);
	struct loom_str text;
	size_t count = 0;

	while (loom_str_line(&rest, &text)) {
		struct line line = {.arena = arena};

		if (!text.n || text.p[0] == '#')
			continue;
		if (!read_line(text, &line)) {
			printf("%.*s: no call and no command\n", LOOM_STR_ARG(line.text));
			count = 0;
			break;
		}
		fn(ctx, &line);
		count++;
	}
	loom_arena_destroy(arena);
	return count;
}

static void add_line(void *ctx, struct line *line)
{
	spell(line, ctx);
}

static bool write_table(struct loom_str comments, struct loom_str lines)
{
	FILE *file = fopen(TABLE, "w");

	if (!file)
		return false;
	fprintf(file, "%.*s%.*s", LOOM_STR_ARG(comments), LOOM_STR_ARG(lines));
	return fclose(file) == 0;
}

TEST the_table_is_as_it_was_read(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str table = read_table(arena);
	struct loom_str comments;
	struct loom_buf lines = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str was;

	comments = loom_str_sub(table, 0, loom_str_find(table, LOOM_STR("\n→"), 0) + 1);
	was = loom_str_sub(table, comments.n, table.n);
	ASSERT(each_line(add_line, &lines) > 100);
	if (getenv("UPDATE"))
		ASSERT(write_table(comments, loom_buf_str(&lines)));
	else if (!loom_str_eq(was, loom_buf_str(&lines)))
		FAILm("tests/cases/gate.txt is another: UPDATE=1 writes it, and it wants to be "
		      "read");
	loom_buf_fini(&lines);
	loom_arena_destroy(arena);
	PASS();
}

/* ---- nothing is left out ---- */

struct seen {
	bool verbs[LOOM_VERB_COUNT];
	bool docs[LOOM_VERB_COUNT]; /* with a document */
	bool *commands;
	bool **also; /* of each command */
};

static bool word_holds(const struct loom_args *args, struct loom_str word)
{
	const bool not = word.p[0] == '!';
	const bool file = word.p[0] == '@';
	const struct cli_item *item =
		cli_spec_find(cli_args_spec(args), loom_str_sub(word, not || file, word.n));

	if (file)
		return cli_args_count(args, item) && strcmp(cli_args_at(args, item, 0), "-") != 0;
	return (cli_args_count(args, item) > 0) != not ;
}

static bool also_holds(const struct loom_args *args, const struct cli_also *also)
{
	struct loom_str rest = loom_str_of(also->when);
	struct loom_str word;
	bool all = true;

	while (all && rest.n && loom_str_cut(&rest, ' ', &word))
		all = word_holds(args, word);
	return all;
}

static void see(void *ctx, struct line *line)
{
	struct seen *seen = ctx;

	if (line->is_call) {
		seen->verbs[line->call.verb] = true;
		seen->docs[line->call.verb] |= line->call.doc.p != NULL;
		return;
	}
	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);

		if (command != line->command)
			continue;
		seen->commands[i] = true;
		for (size_t k = 0; command->also[k].when; k++)
			seen->also[i][k] |= also_holds(line->args, &command->also[k]);
	}
}

#define ALSO_MAX 8

TEST every_verb_every_command_and_every_form_has_its_line(void)
{
	static const enum loom_verb with_doc[] = {
#define LOOM_VERB_ALSO(id, part, deed, permission) LOOM_VERB_##id,
#include <loom/verbs.def>
	};
	struct loom_arena *arena = loom_arena_create();
	struct seen seen = {.commands = LOOM_ARENA_ARRAY(arena, loom_command_count(), bool),
			    .also = LOOM_ARENA_ARRAY(arena, loom_command_count(), bool *)};

	for (size_t i = 0; i < loom_command_count(); i++)
		seen.also[i] = LOOM_ARENA_ARRAY(arena, ALSO_MAX, bool);
	ASSERT(each_line(see, &seen) > 0);
	for (int verb = LOOM_VERB_NONE + 1; verb < LOOM_VERB_COUNT; verb++)
		ASSERTm(loom_verb_name((enum loom_verb)verb), seen.verbs[verb]);
	for (size_t i = 0; i < LOOM_COUNT(with_doc); i++)
		ASSERTm(loom_verb_name(with_doc[i]), seen.docs[with_doc[i]]);
	for (size_t i = 0; i < loom_command_count(); i++)
		ASSERTm(loom_command_at(i)->name, seen.commands[i]);
	for (size_t i = 0; i < loom_command_count(); i++)
		for (size_t k = 0; loom_command_at(i)->also[k].when; k++) {
			ASSERT(k < ALSO_MAX);
			ASSERTm(loom_command_at(i)->also[k].when, seen.also[i][k]);
		}
	loom_arena_destroy(arena);
	PASS();
}

/* ---- laws ---- */

#define HOST_OR_GROVE                                                                              \
	(LOOM_DEED_WRITES | LOOM_DEED_GENERATES | LOOM_DEED_READS | LOOM_DEED_EXPORTS |            \
	 LOOM_DEED_SHARES | LOOM_DEED_TALKS)
#define FILES (LOOM_DEED_EXPORTS | LOOM_DEED_SHARES)

static const char *broken(const struct column *column, const struct loom_need *need)
{
	struct loom_err err = {.status = LOOM_OK};
	enum loom_gate got[LOOM_APPROVE_PROPOSE + 1];
	const bool nothing = !need->deeds && !need->may;

	for (int i = LOOM_APPROVE_AUTO; i <= LOOM_APPROVE_PROPOSE; i++) {
		got[i] = ask(column, (enum loom_approval)i, need, &err);
		if (got[i] == LOOM_GATE_REFUSE && (!err.text[0] || !err.hint[0]))
			return "a refusal teaches nothing";
	}
	if (column->kind == LOOM_WHO_ME && got[LOOM_APPROVE_AUTO] != LOOM_GATE_RUN)
		return "who sits here is refused";
	if (column->kind == LOOM_WHO_ME)
		return NULL;
	if ((need->deeds & LOOM_DEED_PERSON) && got[LOOM_APPROVE_AUTO] != LOOM_GATE_REFUSE)
		return "authority is given away";
	if (column->kind == LOOM_WHO_CLAIM && !nothing &&
	    got[LOOM_APPROVE_AUTO] != LOOM_GATE_REFUSE)
		return "a name from a file acts";
	if (column->kind != LOOM_WHO_AGENT)
		return NULL;
	if (got[LOOM_APPROVE_AUTO] == LOOM_GATE_ASK)
		return "who need not ask asks";
	if ((need->deeds & HOST_OR_GROVE) && got[LOOM_APPROVE_ASK] == LOOM_GATE_RUN)
		return "who must ask does not";
	if (!nothing && got[LOOM_APPROVE_PROPOSE] == LOOM_GATE_RUN)
		return "who only proposes does it";
	if ((need->deeds & FILES) &&
	    !(loom_grant_closure(column->may) &
	      (LOOM_MAY_WRITE | LOOM_MAY_DOC_WRITE | LOOM_MAY_THREADS)) &&
	    got[LOOM_APPROVE_AUTO] != LOOM_GATE_REFUSE)
		return "who may only look writes a file";
	return NULL;
}

static void check_laws(void *ctx, struct line *line)
{
	int *wrong = ctx;

	for (size_t i = 0; i < LOOM_COUNT(columns); i++) {
		const char *why = broken(&columns[i], &line->need);

		if (why)
			printf("%.*s by %s: %s\n", LOOM_STR_ARG(line->text), columns[i].name, why);
		*wrong += why != NULL;
	}
}

TEST what_must_hold_of_every_cell_does(void)
{
	int wrong = 0;

	ASSERT(each_line(check_laws, &wrong) > 0);
	ASSERT_EQ(0, wrong);
	PASS();
}

/* What is done beyond what the row says in general never makes less of it. */
TEST a_form_of_a_command_needs_at_least_what_the_command_needs(void)
{
	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);
		const struct loom_need all = loom_command_need(command, NULL);

		ASSERTm(command->name, (all.deeds & command->deed) == command->deed);
		ASSERTm(command->name, (all.may & command->may) == command->may);
		/* What changes something is no agent's to whom nothing was granted. */
		ASSERTm(command->name,
			!(all.deeds & ~(unsigned)(LOOM_DEED_PERSON | LOOM_DEED_REMEMBERS)) ||
				all.may);
	}
	PASS();
}

SUITE(gate)
{
	RUN_TEST(the_table_is_as_it_was_read);
	RUN_TEST(every_verb_every_command_and_every_form_has_its_line);
	RUN_TEST(what_must_hold_of_every_cell_does);
	RUN_TEST(a_form_of_a_command_needs_at_least_what_the_command_needs);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(gate);
	GREATEST_MAIN_END();
}
