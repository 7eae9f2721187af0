/* What the rows of commands.def say of a command line at hand: data that the gate decides from.
 * Knows no command by name. */
#include <loom/cli/services.h>

/* Whether one of the values given is a file: `-` is the standard input, or output. */
static bool names_file(const struct loom_args *args, const char *name)
{
	for (size_t i = 0; i < loom_args_count(args, name); i++)
		if (strcmp(loom_args_at(args, name, i), "-") != 0)
			return true;
	return false;
}

/* One word of a `when`. */
static bool holds(const struct loom_args *args, struct loom_str word)
{
	char name[64];
	const char first = word.n ? word.p[0] : '\0';

	if (first == '!' || first == '@')
		word = loom_str_sub(word, 1, word.n);
	snprintf(name, sizeof name, "%.*s", LOOM_STR_ARG(word));
	return first == '@'   ? names_file(args, name)
	       : first == '!' ? !loom_args_has(args, name)
			      : loom_args_has(args, name);
}

static bool all_hold(const struct loom_args *args, const char *when)
{
	struct loom_str rest = loom_str_of(when);
	struct loom_str word;
	bool all = true;

	while (all && rest.n && loom_str_cut(&rest, ' ', &word))
		all = holds(args, word);
	return all;
}

static void add(struct loom_need *need, unsigned deeds, unsigned may)
{
	need->deeds |= deeds;
	need->may |= may;
}

struct loom_need loom_command_need(const struct loom_command *command, const struct loom_args *args)
{
	static const struct {
		const char *id;
		const char *when;
		unsigned deed;
		unsigned may;
	} rows[] = {
#define LOOM_ALSO(id, when, deed, permission) {#id, when, LOOM_DEED_##deed, LOOM_MAY_##permission},
#include <loom/commands.def>
	};
	struct loom_need need = {.deeds = command->deed, .may = command->may};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++)
		if (strcmp(rows[i].id, command->row) == 0 &&
		    (!args || all_hold(args, rows[i].when)))
			add(&need, rows[i].deed, rows[i].may);
	return need;
}

const char *tool_command_deed(const struct loom_command *command)
{
	static const struct {
		const char *id;
		const char *deed;
	} rows[] = {
#define LOOM_ASK(id, deed) {#id, deed},
#include <loom/commands.def>
	};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++)
		if (strcmp(rows[i].id, command->row) == 0)
			return rows[i].deed;
	return NULL;
}

bool loom_command_is_for_persons(const struct loom_command *command)
{
	return command->deed & LOOM_DEED_PERSON;
}
