/* What a command's rows say of a command line at hand: data that the gate decides from.
 * Knows no command by name. */
#include <loom/cli/services.h>

/* Whether one of the values given is a file: `-` is the standard input, or output. */
static bool names_file(const struct loom_args *args, const struct cli_item *item)
{
	for (size_t i = 0; i < cli_args_count(args, item); i++)
		if (strcmp(cli_args_at(args, item, i), "-") != 0)
			return true;
	return false;
}

/* One word of a `when`. */
static bool holds(const struct loom_args *args, struct loom_str word)
{
	const char first = word.n ? word.p[0] : '\0';
	const bool marked = first == '!' || first == '@';
	const struct cli_item *item =
		cli_spec_find(cli_args_spec(args), loom_str_sub(word, marked, word.n));

	LOOM_ASSERT(item && "the usage has no such name");
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
