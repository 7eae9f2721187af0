/* Evaluates the rows of a command for a given command line: what it does and needs, for the gate.
 * Knows no command by name. */
#include <loom/cli/services.h>
#include <loom/tree/gate.h>

/* Whether any of the values is a file; `-` is a standard stream. */
static bool names_file(const struct loom_args *args, const struct cli_item *item)
{
	for (size_t i = 0; i < cli_args_count(args, item); i++)
		if (strcmp(cli_args_at(args, item, i), "-") != 0)
			return true;
	return false;
}

/* Whether one word of a `when` holds. */
static bool holds(const struct loom_args *args, struct loom_str word)
{
	const char first = word.n ? word.p[0] : '\0';
	const bool marked = first == '!' || first == '@';
	const struct cli_item *item =
		cli_spec_find(cli_args_spec(args), loom_str_sub(word, marked, word.n));

	LOOM_ASSERT(item && "`when` names an item that the usage lacks");
	if (first == '@')
		return names_file(args, item);
	return (cli_args_count(args, item) > 0) != (first == '!');
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
	struct loom_need need = {.deeds = command->deed, .may = command->may};

	for (const struct cli_also *also = command->also; also->when; also++)
		if (!args || all_hold(args, also->when))
			add(&need, also->deed, also->may);
	return need;
}

bool loom_command_is_for_persons(const struct loom_command *command)
{
	return command->deed & LOOM_DEED_PERSON;
}
