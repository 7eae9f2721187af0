/* Help, generated from the table: all commands by group, or one with its usage. */
#include <loom/cli/services.h>
#include <loom/commands/programs.h>
#include <loom/commands/wish.h>

#include <loom/language/registry.h>
#include <loom/text/width.h>
#include <loom/tree/gate.h>

/* Longer labels do not widen the column. */
#define LABEL_MAX 40

/* "-t, --tree TREE" */
static void item_label(const struct cli_item *item, struct loom_buf *out)
{
	if (item->kind != CLI_POSITIONAL && item->brief.n && item->name.n > 2) {
		loom_buf_add(out, item->brief);
		loom_buf_adds(out, ", ");
	}
	loom_buf_add(out, item->name);
	if (item->kind == CLI_OPTION && item->lean)
		loom_buf_addf(out, "[=%.*s]", LOOM_STR_ARG(item->value));
	else if (item->kind == CLI_OPTION)
		loom_buf_addf(out, " %.*s", LOOM_STR_ARG(item->value));
}

const char *help_item_meaning(const struct cli_item *item)
{
	const struct loom_str tried[] = {item->name, item->brief, item->value};
	const char *meaning = item->field && item->field->meaning[0] ? item->field->meaning : NULL;

	for (size_t i = 0; !meaning && i < LOOM_COUNT(tried); i++)
		if (tried[i].n)
			meaning = help_table_word(tried[i]);
	return meaning ? meaning : "";
}

/* Adds the note of a command, a family or a verb as a paragraph. */
static void add_note(struct loom_buf *out, struct loom_str name)
{
	const char *note = help_table_note(name);
	const struct cli_filling how = {.indent = 2};

	if (note[0])
		loom_buf_addc(out, '\n');
	cli_fill_lines(out, loom_str_of(note), &how);
}

/* Adds a row: a label of `wide` cells, and its meaning. */
static void add_row(struct loom_buf *out, struct loom_str label, const char *text, size_t wide)
{
	size_t cells = loom_str_width(label);

	loom_buf_adds(out, "  ");
	loom_buf_add(out, label);
	if (text[0]) {
		loom_buf_add_repeat(out, ' ', cells < wide ? wide - cells : 0);
		loom_buf_addf(out, "  %s", text);
	}
	loom_buf_addc(out, '\n');
}

static void add_items(struct loom_buf *out, const struct cli_spec *spec)
{
	struct loom_buf label = LOOM_BUF_INIT(4096);
	size_t wide = 0;

	for (size_t i = 0; i < spec->count; i++) {
		size_t cells = 0;

		loom_buf_clear(&label);
		item_label(&spec->items[i], &label);
		cells = loom_str_width(loom_buf_str(&label));
		wide = cells > wide && cells <= LABEL_MAX ? cells : wide;
	}
	for (size_t i = 0; i < spec->count; i++) {
		loom_buf_clear(&label);
		item_label(&spec->items[i], &label);
		add_row(out, loom_buf_str(&label), help_item_meaning(&spec->items[i]), wide);
	}
	loom_buf_fini(&label);
}

static size_t widest_name(void)
{
	size_t wide = 0;

	for (size_t i = 0; i < loom_command_count(); i++) {
		size_t n = strlen(loom_command_at(i)->name);

		wide = n > wide ? n : wide;
	}
	return wide;
}

/* The order of groups for the shell; the enum begins with the language's own. */
enum loom_group help_group_at(size_t i)
{
	static const enum loom_group order[] = {
		LOOM_GROUP_GROVE,   LOOM_GROUP_LOOK,      LOOM_GROUP_NAVIGATION,
		LOOM_GROUP_CONTENT, LOOM_GROUP_LANGUAGE,  LOOM_GROUP_HISTORY,
		LOOM_GROUP_WAITING, LOOM_GROUP_DOCUMENTS, LOOM_GROUP_MEMORY,
		LOOM_GROUP_DOORS,   LOOM_GROUP_AGENTS,    LOOM_GROUP_THREADS,
		LOOM_GROUP_CARE,    LOOM_GROUP_META,
	};

	_Static_assert(LOOM_COUNT(order) == LOOM_GROUP_COUNT, "every group has a place");
	return order[i];
}

static void show_group(struct loom_cli *cli, enum loom_group group, size_t wide)
{
	struct loom_buf rows = LOOM_BUF_INIT(1 << 16);

	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);

		if (command->group == group)
			add_row(&rows, loom_str_of(command->name), command->summary, wide);
	}
	if (rows.n) {
		loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
		loom_answer_piece(cli, LOOM_STRONG, loom_str_of(loom_group_title(group)));
		loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
		loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&rows));
	}
	loom_buf_fini(&rows);
}

static bool is_any(const struct loom_command *command, struct loom_str word)
{
	(void)command;
	(void)word;
	return true;
}

/* Whether the name begins with that word and continues. */
static bool in_family(const struct loom_command *command, struct loom_str family)
{
	struct loom_str name = loom_str_of(command->name);

	return loom_str_starts(name, family) && name.n > family.n && name.p[family.n] == ' ';
}

/* Selects commands, by a word. */
typedef bool chosen(const struct loom_command *command, struct loom_str word);

/* Describes what the command does at most, and the permissions for that. */
static void describe_needs(struct loom_cli *cli, const struct loom_command *command)
{
	const struct loom_need need = loom_command_need(command, NULL);

	loom_answer_permissions(cli, "permissions", need.may);
	loom_answer_list(cli, "deeds");
	for (unsigned bit = 1; bit <= LOOM_DEED_PERSON; bit <<= 1)
		if (need.deeds & bit)
			loom_answer_text(cli, NULL, loom_str_of(loom_deed_name(bit)));
	loom_answer_end(cli);
}

static void describe(struct loom_cli *cli, const struct loom_command *command)
{
	struct loom_str name = loom_str_of(command->name);

	loom_answer_text(cli, "name", name);
	loom_answer_text(cli, "usage", loom_str_of(command->usage));
	loom_answer_text(cli, "summary", loom_str_of(command->summary));
	loom_answer_text(cli, "note", loom_str_of(help_table_note(name)));
	loom_answer_text(cli, "example", loom_str_of(command->example));
	loom_answer_text(cli, "group", loom_str_of(loom_group_title(command->group)));
	loom_answer_flag(cli, "person_only", loom_command_is_for_persons(command));
	describe_needs(cli, command);
}

static void describe_commands(struct loom_cli *cli, chosen *is_chosen, struct loom_str word)
{
	loom_answer_list(cli, "commands");
	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);

		if (!is_chosen(command, word))
			continue;
		loom_answer_map(cli, NULL);
		describe(cli, command);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

static void describe_topic(struct loom_cli *cli, const struct cli_topic *topic)
{
	loom_answer_text(cli, "topic", loom_str_of(topic->name));
	loom_answer_text(cli, "title", loom_str_of(topic->title));
}

void help_page(struct loom_cli *cli, const struct cli_topic *topic)
{
	const struct cli_filling how = {.indent = 2};
	struct loom_buf page = LOOM_BUF_INIT(1 << 16);

	describe_topic(cli, topic);
	loom_answer_text(cli, "text", loom_str_of(topic->text));
	loom_answer_piece(cli, LOOM_STRONG, loom_str_of(topic->title));
	loom_buf_adds(&page, "\n\n");
	cli_fill_lines(&page, loom_str_of(topic->text), &how);
	loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&page));
	loom_buf_fini(&page);
}

/* Shows all topics by name and title. */
static void show_topics(struct loom_cli *cli, size_t wide)
{
	struct loom_buf rows = LOOM_BUF_INIT(1 << 16);
	const struct cli_topic *topic = NULL;

	for (size_t i = 0; (topic = help_topic_at(i)); i++)
		add_row(&rows, loom_str_of(topic->name), topic->title, wide);
	loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
	loom_answer_piece(cli, LOOM_STRONG, LOOM_STR("Topics"));
	loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
	loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&rows));
	loom_buf_fini(&rows);
}

static void describe_all(struct loom_cli *cli)
{
	const struct cli_topic *topic = NULL;

	describe_commands(cli, is_any, LOOM_STR(""));
	loom_answer_list(cli, "topics");
	for (size_t i = 0; (topic = help_topic_at(i)); i++) {
		loom_answer_map(cli, NULL);
		describe_topic(cli, topic);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

static void add_commands(struct loom_buf *rows, chosen *is_chosen, struct loom_str word)
{
	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);

		if (is_chosen(command, word))
			add_row(rows, loom_str_of(command->name), command->summary, widest_name());
	}
}

/* Shows the user's own programs, if there are any. */
static void show_programs(struct loom_cli *cli, size_t wide)
{
	struct loom_buf rows = LOOM_BUF_INIT(1 << 16);
	struct loom_config config;
	const struct loom_program *program = NULL;

	if (loom_config_load(&cli->env, cli->arena, &config, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; (program = loom_program_at(&config, i)); i++)
		add_row(&rows, program->name,
			loom_arena_cstr(cli->arena, loom_program_about(cli->arena, program)), wide);
	if (rows.n) {
		loom_answer_piece(cli, LOOM_STRONG, LOOM_STR("\nYour programs\n"));
		loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&rows));
	}
	loom_buf_fini(&rows);
}

void help_all(struct loom_cli *cli)
{
	struct loom_buf rows = LOOM_BUF_INIT(1 << 16);
	struct cli_spec spec = cli_spec_global(cli->arena);
	size_t wide = widest_name();

	describe_all(cli);
	loom_answer_piece(
		cli, LOOM_PLAIN,
		LOOM_STR("usage: loom [-g PATH] [--plain|--tutor]\n       loom [-g PATH] "
			 "[--json|--raw] COMMAND …\n\nPeople and language models write into the "
			 "same branching trees.\n\nTo begin: loom                  open the "
			 "screen, with a tutorial tree\n          loom init NAME        create a "
			 "grove, a directory that holds trees\n          loom new --title T    "
			 "create a tree; then loom do continue\n"));
	for (size_t i = 0; i < LOOM_GROUP_COUNT; i++)
		show_group(cli, help_group_at(i), wide);
	show_programs(cli, wide);
	show_topics(cli, wide);
	loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
	loom_answer_piece(cli, LOOM_STRONG, LOOM_STR("Everywhere"));
	loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
	add_items(&rows, &spec);
	loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&rows));
	loom_answer_piece(
		cli, LOOM_PLAIN,
		LOOM_STR(
			"\nWithout a command, loom opens the screen. It finds the grove as git "
			"finds a repository.\nSee loom help COMMAND or TOPIC; loom help WORD finds "
			"commands by what they do,\nand loom do help lists the → commands.\n"));
	loom_buf_fini(&rows);
}

void help_family(struct loom_cli *cli, struct loom_str family)
{
	const struct cli_filling how = {.indent = 2};
	struct loom_buf rows = LOOM_BUF_INIT(1 << 16);

	describe_commands(cli, in_family, family);
	if (!loom_command_find(family)) {
		cli_fill_lines(&rows, loom_str_of(help_table_note(family)), &how);
		loom_buf_adds(&rows, help_table_note(family)[0] ? "\n" : "");
	}
	add_commands(&rows, in_family, family);
	loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&rows));
	loom_buf_fini(&rows);
}

static void describe_item(struct loom_cli *cli, const struct cli_item *item)
{
	struct cli_value first;

	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "name", item->name);
	loom_answer_text(cli, "short", item->brief);
	loom_answer_text(cli, "value", item->value);
	loom_answer_text(cli, "meaning", loom_str_of(help_item_meaning(item)));
	loom_answer_flag(cli, "optional", item->optional);
	loom_answer_flag(cli, "repeats", item->repeats);
	if (help_item_value(item, 0, &first))
		help_item_describe(cli, item);
	loom_answer_end(cli);
}

static void describe_whole(struct loom_cli *cli, const struct loom_command *command,
			   const struct cli_spec *spec)
{
	const struct cli_topic *topic = help_topic_find(loom_str_of(command->name));

	describe(cli, command);
	loom_answer_list(cli, "arguments");
	for (size_t i = 0; i < spec->count; i++)
		describe_item(cli, &spec->items[i]);
	loom_answer_end(cli);
	if (!topic)
		return;
	loom_answer_map(cli, "about");
	describe_topic(cli, topic);
	loom_answer_text(cli, "text", loom_str_of(topic->text));
	loom_answer_end(cli);
}

/* Adds the values of an option that the usage does not list. */
static void add_values(struct loom_buf *rows, const struct cli_spec *spec)
{
	for (size_t i = 0; i < spec->count; i++) {
		const struct cli_item *item = &spec->items[i];
		struct cli_value first;

		if (!help_item_value(item, 0, &first))
			continue;
		loom_buf_addf(rows, "\n%.*s is one of\n", LOOM_STR_ARG(item->value));
		help_item_list(item, rows);
	}
}

/* Adds the arguments after "loom NAME", with further lines indented below. */
static void add_usage(struct loom_buf *out, const struct loom_command *command)
{
	const struct cli_filling how = {
		.indent = strlen("loom  ") + strlen(command->name),
		.begun = strlen("loom  ") + strlen(command->name),
		.brackets = true,
	};

	loom_buf_adds(out, command->usage[0] ? " " : "\n");
	cli_fill_lines(out, loom_str_of(command->usage), &how);
}

/* Adds the permissions an agent needs, always or for some forms of the command. */
static void add_needs(struct loom_buf *out, const struct loom_command *command)
{
	const unsigned all = loom_command_need(command, NULL).may;
	const unsigned more = all & ~command->may;

	if (!all)
		return;
	loom_buf_adds(out, "  An agent needs ");
	if (command->may)
		loom_grant_text(command->may, out);
	if (more) {
		loom_buf_adds(out, command->may ? "; for some forms " : "for some forms ");
		loom_grant_text(more, out);
	}
	loom_buf_adds(out, ".\n");
}

/* Adds the page of a command behind its name. */
static void add_page(struct loom_arena *arena, const struct loom_command *command,
		     struct loom_buf *rows)
{
	struct cli_spec spec = cli_spec_of(arena, command);

	add_usage(rows, command);
	loom_buf_addf(rows, "\n  %s%s\n", command->summary,
		      loom_command_is_for_persons(command) ? " (for persons only)" : "");
	add_note(rows, loom_str_of(command->name));
	add_needs(rows, command);
	if (spec.count)
		loom_buf_addc(rows, '\n');
	add_items(rows, &spec);
	add_values(rows, &spec);
	loom_buf_addf(rows, "\nexample: %s\n", command->example);
}

void help_command(struct loom_cli *cli, const struct loom_command *command)
{
	struct cli_spec spec = cli_spec_of(cli->arena, command);
	struct loom_buf rows = LOOM_BUF_INIT(1 << 16);

	describe_whole(cli, command, &spec);
	loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("loom "));
	loom_answer_piece(cli, LOOM_STRONG, loom_str_of(command->name));
	add_page(cli->arena, command, &rows);
	loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&rows));
	loom_buf_fini(&rows);
}

static void describe_verb(struct loom_cli *cli, const struct loom_verb_info *verb)
{
	loom_answer_text(cli, "verb", loom_str_of(verb->name));
	loom_answer_text(cli, "args", loom_str_of(verb->args));
	loom_answer_text(cli, "summary", loom_str_of(verb->summary));
	loom_answer_text(cli, "synonyms", loom_str_of(verb->synonyms));
	loom_answer_text(cli, "permission", loom_str_of(loom_permission_name(verb->permission)));
	loom_answer_text(cli, "example", loom_str_of(verb->example));
	loom_answer_text(cli, "group", loom_str_of(loom_group_title(verb->group)));
}

/* Adds the page of a verb of the language. */
static void add_verb_page(struct loom_arena *arena, const struct loom_verb_info *verb,
			  struct loom_buf *text)
{
	loom_verb_forms(verb, text);
	loom_buf_addf(text, "\n  %s (takes %s)\n", verb->summary,
		      loom_permission_name(verb->permission));
	loom_buf_adds(text, verb->synonyms[0] ? "  also: " : "");
	loom_verb_also(verb, text);
	loom_buf_adds(text, verb->synonyms[0] ? "\n" : "");
	add_note(text, loom_arena_format(arena, "→ %s", verb->name));
	loom_buf_addf(text, "\nexample: %s\n", verb->example);
}

void help_verb(struct loom_cli *cli, const struct loom_verb_info *verb)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	describe_verb(cli, verb);
	add_verb_page(cli->arena, verb, &text);
	loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&text));
	loom_buf_fini(&text);
}

bool loom_help_text(struct loom_arena *arena, struct loom_str name, struct loom_buf *out)
{
	const struct cli_filling how = {.indent = 2};
	const struct loom_command *command = loom_command_find(name);
	const struct loom_verb_info *verb = loom_verb_info(loom_verb_find(name));
	const struct cli_topic *topic = help_topic_find(name);
	const size_t before = out->n;

	if (verb)
		add_verb_page(arena, verb, out);
	if (command) {
		loom_buf_addf(out, "%sloom %s", out->n > before ? "\n" : "", command->name);
		add_page(arena, command, out);
	}
	for (size_t i = 0; !command && i < loom_command_count(); i++)
		if (in_family(loom_command_at(i), name))
			loom_buf_addf(out, "loom %s %s\n  %s\n", loom_command_at(i)->name,
				      loom_command_at(i)->usage, loom_command_at(i)->summary);
	if (topic) {
		loom_buf_addf(out, "%s%s\n\n", out->n > before ? "\n" : "", topic->title);
		cli_fill_lines(out, loom_str_of(topic->text), &how);
	}
	return out->n > before;
}

static void add_verbs(struct loom_cli *cli, struct loom_buf *rows, struct loom_str word)
{
	loom_answer_list(cli, "verbs");
	for (int i = LOOM_VERB_NONE + 1; i < LOOM_VERB_COUNT; i++) {
		const struct loom_verb_info *verb = loom_verb_info((enum loom_verb)i);

		if (!help_topic_verb(verb, word))
			continue;
		loom_answer_map(cli, NULL);
		describe_verb(cli, verb);
		add_row(rows, loom_arena_format(cli->arena, "→ %s", verb->name), verb->summary,
			widest_name());
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

void help_topic(struct loom_cli *cli, struct loom_str word)
{
	struct loom_buf rows = LOOM_BUF_INIT(1 << 16);

	describe_commands(cli, help_topic_command, word);
	add_commands(&rows, help_topic_command, word);
	add_verbs(cli, &rows, word);
	loom_answer_line(cli, "There is no command \"%.*s\". Related:", LOOM_STR_ARG(word));
	loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
	loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&rows));
	loom_answer_piece(cli, LOOM_PLAIN,
			  LOOM_STR("\nSee loom help NAME; loom do runs a verb.\n"));
	loom_buf_fini(&rows);
}
