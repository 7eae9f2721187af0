/* The table of commands, and lookup by name. Knows no command by name. */
#include <loom/cli/services.h>
#include <loom/language/registry.h>

#include <loom/commands/args_of.def>
#include <loom/commands.def>

/* clang-format off */

/* usage_<id>: every item after a blank or a bar. */
#define LOOM_COMMAND(id, ...) static const char usage_##id[] = ""
#define LOOM_ITEM(type, field, usage, meaning) " " usage
#define LOOM_OR(type, field, usage, meaning) "|" usage
#define LOOM_END(id) ;
#include <loom/commands.def>

/* fields_<id>: one function for each command, because the rows do not name their command. */
#define LOOM_COMMAND(id, ...) \
	static const struct cli_field *fields_##id(void) \
	{ \
		typedef struct args_of_##id given; \
		static const struct cli_field rows[] = {
#define LOOM_ITEM(type, field, usage, meaning) \
			{CLI_FIELD_##type, offsetof(given, field), meaning, NULL},
#define LOOM_ITEM_OF(list, type, field, usage, meaning) \
			{CLI_FIELD_##type, offsetof(given, field), meaning, help_values_##list},
#define LOOM_END(id) \
			{CLI_FIELD_FLAG, sizeof(given), NULL, NULL}, \
		}; \
		return rows; \
	}
#include <loom/commands.def>

#define LOOM_COMMAND(id, ...) static const struct cli_also also_##id[] = {
#define LOOM_ALSO(when, deed, permission) {when, LOOM_DEED_##deed, LOOM_MAY_##permission},
#define LOOM_END(id) {NULL, 0, 0}};
#include <loom/commands.def>

static const struct loom_command commands[] = {
#define LOOM_COMMAND(id, name_text, deed_id, may_id, group_id, summary_text, example_text) \
	{ \
		.name = (name_text), \
		.usage = usage_##id + (sizeof usage_##id > 1), \
		.summary = (summary_text), \
		.example = (example_text), \
		.deed = LOOM_DEED_##deed_id, \
		.may = LOOM_MAY_##may_id, \
		.group = LOOM_GROUP_##group_id, \
		.also = also_##id, \
		.fields = fields_##id, \
		.size = sizeof(struct args_of_##id), \
		.run = cmd_##id,
#define LOOM_ONCE(takes_id, instead_text) \
		.once = &(const struct cli_once){.takes = (takes_id), .instead = (instead_text)},
#define LOOM_ASK(deed_text) \
		.ask = (deed_text),
#define LOOM_NOTE(text) \
		.note = (text),
#define LOOM_END(id) \
	},
#include <loom/commands.def>
};

static const struct {
	const char *name;
	const char *text;
} families[] = {
#define LOOM_FAMILY(name_text, text) {(name_text), (text)},
#include <loom/commands.def>
}, words[] = {
#define LOOM_WORD(word_text, meaning) {(word_text), (meaning)},
#include <loom/commands.def>
};
/* clang-format on */

size_t loom_command_count(void)
{
	return LOOM_COUNT(commands);
}

const struct loom_command *loom_command_at(size_t index)
{
	return index < LOOM_COUNT(commands) ? &commands[index] : NULL;
}

const struct loom_command *loom_command_find(struct loom_str name)
{
	for (size_t i = 0; i < LOOM_COUNT(commands); i++)
		if (loom_str_is(name, commands[i].name))
			return &commands[i];
	return NULL;
}

const char *help_table_word(struct loom_str word)
{
	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		if (loom_str_is(word, words[i].name))
			return words[i].text;
	return NULL;
}

const char *help_table_note(struct loom_str name)
{
	const struct loom_command *command = loom_command_find(name);
	const char *note = command ? command->note : NULL;

	for (size_t i = 0; !note && i < LOOM_COUNT(families); i++)
		if (loom_str_is(name, families[i].name))
			note = families[i].text;
	return note ? note : loom_verb_note(name);
}

/* Removes one word from a command's name; false at its end or if it is another word. */
static bool take_word(struct loom_str *name, const char *word)
{
	struct loom_str first;
	struct loom_str rest = *name;

	if (!loom_str_cut(&rest, ' ', &first) || !loom_str_is(first, word))
		return false;
	*name = rest;
	return true;
}

const struct loom_command *help_table_match(const char *const *given, size_t count, size_t *used)
{
	const struct loom_command *best = NULL;

	*used = 0;
	for (size_t i = 0; i < LOOM_COUNT(commands); i++) {
		struct loom_str name = loom_str_of(commands[i].name);
		size_t n = 0;

		while (n < count && take_word(&name, given[n]))
			n++;
		if (!name.p && n > *used) {
			best = &commands[i];
			*used = n;
		}
	}
	return best;
}

bool help_table_goes_on(const char *const *given, size_t count)
{
	for (size_t i = 0; i < LOOM_COUNT(commands); i++) {
		struct loom_str name = loom_str_of(commands[i].name);
		size_t n = 0;

		while (n < count && take_word(&name, given[n]))
			n++;
		if (n == count && name.p)
			return true;
	}
	return false;
}

/* Joins the words given so far: "thread lst". */
static struct loom_str joined(struct loom_arena *arena, const char *const *given, size_t count)
{
	struct loom_buf buf = LOOM_BUF_INIT(4096);
	struct loom_str text;

	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&buf, "%s%s", i ? " " : "", given[i]);
	text = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	return text;
}

/* The command with the most similar name. At least half of the last word must match, so that
 * "thread done" does not suggest "thread load". Families count by their first word: "threads"
 * suggests "thread", although no command has that name. */
static const struct loom_command *nearest(struct loom_str name, struct loom_str *alike)
{
	const struct loom_command *best = NULL;
	size_t word = 0;
	size_t least = 4;

	while (word < name.n && name.p[name.n - 1 - word] != ' ')
		word++;
	for (size_t i = 0; i < 2 * LOOM_COUNT(commands); i++) {
		struct loom_str rest = loom_str_of(commands[i / 2].name);
		struct loom_str as = rest;
		size_t far;

		if (i % 2)
			(void)loom_str_cut(&rest, ' ', &as);
		far = loom_word_distance(as, name, least);
		if (far < least && far * 2 < word) {
			least = far;
			best = &commands[i / 2];
			*alike = as;
		}
	}
	return best;
}

/* Hints at the commands of a family: "loom thread list|show|spawn …". */
static void hint_family(const char *first, struct loom_err *err)
{
	struct loom_buf buf = LOOM_BUF_INIT(4096);

	for (size_t i = 0; i < LOOM_COUNT(commands); i++) {
		struct loom_str name = loom_str_of(commands[i].name);

		if (take_word(&name, first) && name.p)
			loom_buf_addf(&buf, "%s%.*s", buf.n ? "|" : "", LOOM_STR_ARG(name));
	}
	loom_hint(err, LOOM_USAGE, "loom %s %s", first, loom_buf_cstr(&buf));
	loom_buf_fini(&buf);
}

/* A verb of the language by its name, a prefix, or a misspelling unlike any command's. */
static enum loom_verb verb_meant(struct loom_str word, bool other)
{
	enum loom_verb verb = loom_verb_find(word);

	if (verb)
		return verb;
	verb = loom_verb_nearest(word);
	return !other || loom_str_starts(loom_str_of(loom_verb_name(verb)), word) ? verb
										  : LOOM_VERB_NONE;
}

/* Hints at the right form: the commands of a family, `loom do` for a verb, or a command with a
 * similar name. */
static void hint_form(struct loom_str name, const char *first, struct loom_err *err)
{
	struct loom_str alike = {NULL, 0};
	const struct loom_command *near = nearest(name, &alike);
	bool family = help_table_goes_on(&first, 1);
	enum loom_verb verb = verb_meant(loom_str_of(first), near || family);

	/* The family `thread` is not the verb `threads` cut short. */
	if (family && strcmp(loom_verb_name(verb), first) != 0)
		verb = LOOM_VERB_NONE;
	if (family && loom_str_is(name, first))
		hint_family(first, err);
	else if (verb)
		loom_hint(err, LOOM_USAGE, "loom do %s …", loom_verb_name(verb));
	else if (near && strlen(near->name) > alike.n)
		loom_hint(err, LOOM_USAGE, "loom help %.*s", LOOM_STR_ARG(alike));
	else if (near)
		loom_hint(err, LOOM_USAGE, "loom %s%s%s", near->name, near->usage[0] ? " " : "",
			  near->usage);
	else if (family)
		hint_family(first, err);
	else if (help_topic_any(loom_str_of(first)))
		loom_hint(err, LOOM_USAGE, "loom help %s", first);
	else
		loom_hint(err, LOOM_USAGE, "loom help");
}

static enum loom_status not_found(struct loom_arena *arena, const char *const *given, size_t count,
				  struct loom_err *err)
{
	struct loom_str name = joined(arena, given, count);

	if (count == 1 && help_table_goes_on(given, 1))
		loom_fail(err, LOOM_USAGE, "loom %s: which command?", given[0]);
	else
		loom_fail(err, LOOM_USAGE, "loom: there is no command \"%.*s\"",
			  LOOM_STR_ARG(name));
	hint_form(name, given[0], err);
	return LOOM_USAGE;
}

static bool at_word(const struct cli_reader *reader)
{
	return reader->at < reader->argc &&
	       (reader->verbatim || reader->argv[reader->at][0] != '-');
}

/* Whether the word is the name of a verb that no command and no family of commands has. */
static bool verb_alone(const char *word)
{
	return loom_verb_find(loom_str_of(word)) != LOOM_VERB_NONE && !help_table_goes_on(&word, 1);
}

/* Takes words while some name continues with them; global options may stand between. */
enum loom_status help_table_read(struct cli_reader *reader, const struct loom_command **out,
				 struct loom_err *err)
{
	const char *given[HELP_NAME_WORDS] = {NULL};
	int behind[LOOM_COUNT(given)] = {0}; /* the position in argv after each word */
	size_t count = 0;
	size_t used = 0;
	enum loom_status status = LOOM_OK;

	do {
		given[count] = reader->argv[reader->at++];
		behind[count++] = reader->at;
		if (count == LOOM_COUNT(given) || !help_table_goes_on(given, count))
			break;
		while (!status && cli_args_at_global(reader))
			status = cli_args_option(reader, err);
	} while (!status && at_word(reader));
	if (status)
		return status;
	*out = help_table_match(given, count, &used);
	if (!*out && verb_alone(given[0])) {
		/* A verb of the language is a command too: `loom do` runs it. */
		*out = loom_command_find(LOOM_STR("do"));
		reader->at = behind[0] - 1;
		return LOOM_OK;
	}
	if (!*out)
		return not_found(reader->arena, given, count, err);
	if (used < count)
		reader->at = behind[used] - 1;
	return LOOM_OK;
}
