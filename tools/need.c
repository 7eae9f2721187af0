/* What the rows of commands.def say of a call or a command line at hand: data turned into what the
 * gate decides from. Knows no command by name. */
#include <loom/call.h>

#include "cli_impl.h"

/* ---- verbs ---- */

enum part { PART_DOC };

static bool has_part(const struct loom_call *call, enum part part)
{
	return part == PART_DOC && call->doc.p;
}

static void add(struct loom_need *need, unsigned deeds, unsigned may)
{
	need->deeds |= deeds;
	need->may |= may;
}

struct loom_need loom_call_need(const struct loom_call *call)
{
	static const struct {
		enum loom_verb verb;
		enum part part;
		unsigned deed;
		unsigned may;
	} rows[] = {
#define LOOM_VERB_ALSO(id, part, deed, permission)                                                 \
	{LOOM_VERB_##id, PART_##part, LOOM_DEED_##deed, LOOM_MAY_##permission},
#include <loom/commands.def>
	};
	const struct loom_verb_info *info = loom_verb_info(call->verb);
	struct loom_need need = {.deeds = info->deed, .may = info->permission};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++)
		if (rows[i].verb == call->verb && has_part(call, rows[i].part))
			add(&need, rows[i].deed, rows[i].may);
	return need;
}

/* ---- commands ---- */

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

struct loom_need loom_command_need(const struct loom_command *command, const struct loom_args *args)
{
	static const struct {
		loom_command_fn *run;
		const char *when;
		unsigned deed;
		unsigned may;
	} rows[] = {
#define LOOM_ALSO(id, when, deed, permission)                                                      \
	{tool_cmd_##id, when, LOOM_DEED_##deed, LOOM_MAY_##permission},
#include <loom/commands.def>
	};
	struct loom_need need = {.deeds = command->deed, .may = command->may};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++)
		if (rows[i].run == command->run && (!args || all_hold(args, rows[i].when)))
			add(&need, rows[i].deed, rows[i].may);
	return need;
}

const char *tool_command_deed(const struct loom_command *command)
{
	static const struct {
		loom_command_fn *run;
		const char *deed;
	} rows[] = {
#define LOOM_ASK(id, deed) {tool_cmd_##id, deed},
#include <loom/commands.def>
	};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++)
		if (rows[i].run == command->run)
			return rows[i].deed;
	return NULL;
}

bool loom_command_is_for_persons(const struct loom_command *command)
{
	return command->deed & LOOM_DEED_PERSON;
}
