/* Completes the lines of commands by their usage: the options that may still follow, the values of
 * the option before, the next positional. Nothing is offered that the command would refuse. */
#include <loom/cli/services.h>
#include <loom/commands/child_of_self.h>
#include <loom/tree/mark.h>
#include <loom/work/thread.h>

#include "inside.h"

#define WORDS 100
#define ITEMS 32

/* The part of a usage that was typed before the word. */
struct typed {
	struct cli_spec spec;
	bool given[ITEMS];
	const struct cli_item *pending; /* an option that waits for its value */
	size_t positionals;
};

static void give(struct typed *typed, const struct cli_item *item)
{
	const size_t at = (size_t)(item - typed->spec.items);

	if (at < ITEMS)
		typed->given[at] = true;
}

static const struct cli_item *positional(const struct typed *typed, size_t n)
{
	const struct cli_item *last = NULL;

	for (size_t i = 0; i < typed->spec.count; i++) {
		const struct cli_item *item = &typed->spec.items[i];

		if (item->kind != CLI_POSITIONAL)
			continue;
		last = item;
		if (n-- == 0)
			return item;
	}
	return last && last->repeats ? last : NULL;
}

static void read_word(struct typed *typed, struct loom_str word)
{
	const size_t equals = loom_str_find_char(word, '=', 0);
	const struct cli_item *item =
		cli_spec_find(&typed->spec,
			      loom_str_sub(word, 0, equals == SIZE_MAX ? word.n : equals));

	if (typed->pending) {
		typed->pending = NULL;
	} else if (item && item->kind != CLI_POSITIONAL && word.n > 1 && word.p[0] == '-') {
		give(typed, item);
		if (item->kind == CLI_OPTION && !item->lean && equals == SIZE_MAX)
			typed->pending = item;
	} else {
		item = positional(typed, typed->positionals++);
		if (item)
			give(typed, item);
	}
}

/* Whether the item, or one that excludes it, was given. */
static bool may_follow(const struct typed *typed, const struct cli_item *item)
{
	const size_t at = (size_t)(item - typed->spec.items);

	if (at >= ITEMS || (typed->given[at] && !item->repeats))
		return false;
	for (size_t i = 0; item->either && i < typed->spec.count && i < ITEMS; i++)
		if (i != at && typed->given[i] && typed->spec.items[i].either == item->either)
			return false;
	return true;
}

static void add_options(struct completing *c, const struct typed *typed)
{
	if (typed->spec.verbatim && typed->positionals)
		return;
	for (size_t i = 0; i < typed->spec.count; i++) {
		const struct cli_item *item = &typed->spec.items[i];

		if (item->kind == CLI_POSITIONAL || item->name.n < 3 || !may_follow(typed, item))
			continue;
		tui_complete_add(c, loom_arena_format(c->arena, "%.*s ", LOOM_STR_ARG(item->name)),
				 loom_str_of(help_item_meaning(item)));
	}
}

static void add_tags(struct completing *c)
{
	struct loom_tag *tags = NULL;
	size_t count = 0;

	if (loom_tag_list(c->app->store, c->arena, &tags, &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++)
		tui_complete_add(c, tui_complete_quoted(c, "", tags[i].name), LOOM_STR("tag"));
}

static void add_threads(struct completing *c)
{
	struct loom_thread *threads = NULL;
	size_t count = 0;

	if (loom_thread_list(c->app->store, false, c->arena, &threads, &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++)
		tui_complete_add(c, tui_complete_quoted(c, "", threads[i].name),
				 LOOM_STR("thread"));
}

static void agents(struct completing *c)
{
	tui_complete_agents(c, "");
}

static void documents(struct completing *c)
{
	tui_complete_documents(c, "");
}

static void trees(struct completing *c)
{
	tui_complete_trees(c, "");
}

static void agents_and_models(struct completing *c)
{
	tui_complete_agents(c, "");
	tui_complete_configured(c);
}

/* The things that a value names; NAME and OLD are those of the command's family. */
static const struct {
	const char *family; /* how the command's name begins; "": any */
	const char *value;
	void (*add)(struct completing *c);
} kinds[] = {
	{"subject", "AGENT", agents_and_models},
	{"agent add", "NAME", NULL},
	{"agent ", "NAME", agents},
	{"doc ", "NAME", documents},
	{"doc ", "OLD", documents},
	{"thread ", "ID", add_threads},
	{"thread ", "TARGET", add_threads},
	{"", "PROGRAM", tui_complete_programs},
	{"", "THREAD", add_threads},
	{"", "AGENT", agents},
	{"", "TREE", trees},
	{"", "D", documents},
	{"", "M", tui_complete_configured},
	{"", "TAG", add_tags},
	{"", "NODE", tui_complete_ids},
	{"", "A", tui_complete_ids},
	{"", "B", tui_complete_ids},
	{"", "TO", tui_complete_ids},
};

static void add_value(struct completing *c, const struct loom_command *command,
		      const struct cli_item *item, struct loom_str line, size_t caret)
{
	struct loom_str choice;
	struct cli_value value;

	for (size_t i = 0; item->choice && cli_item_choice(item, i, &choice); i++)
		tui_complete_add(c, loom_arena_format(c->arena, "%.*s ", LOOM_STR_ARG(choice)),
				 loom_str_of(help_item_meaning(item)));
	for (size_t i = 0; item->field && item->field->values && item->field->values(i, &value);
	     i++)
		tui_complete_add(c, loom_arena_format(c->arena, "%.*s ", LOOM_STR_ARG(value.name)),
				 loom_str_of(value.title ? value.title : ""));
	if (help_item_is_path(item)) {
		tui_complete_files(c, line, c->out->from, caret);
		return;
	}
	for (size_t i = 0; i < LOOM_COUNT(kinds); i++) {
		if (!loom_str_is(item->value, kinds[i].value) ||
		    !loom_str_starts(loom_str_of(command->name), loom_str_of(kinds[i].family)))
			continue;
		if (kinds[i].add)
			kinds[i].add(c);
		return;
	}
}

/* Behind `--name=`, which stays. */
static bool add_after_equals(struct completing *c, const struct loom_command *command,
			     const struct typed *typed, struct loom_str line, size_t caret)
{
	const size_t equals = loom_str_find_char(c->word, '=', 0);
	const struct cli_item *item =
		equals == SIZE_MAX ? NULL
				   : cli_spec_find(&typed->spec, loom_str_sub(c->word, 0, equals));

	if (!item || item->kind != CLI_OPTION)
		return false;
	c->out->from += equals + 1;
	c->word = loom_str_sub(c->word, equals + 1, c->word.n);
	add_value(c, command, item, line, caret);
	return true;
}

/* The rest of the names of a family such as `thread` or `payload session`. */
static void add_family(struct completing *c, struct loom_str head)
{
	if (!head.n)
		return;
	for (size_t i = 0; c->app->program && i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);
		const struct loom_str name = loom_str_of(command->name);

		if (loom_str_starts(name, head))
			tui_complete_add(c,
					 loom_arena_format(c->arena, "%.*s ",
							   LOOM_STR_ARG(loom_str_sub(name, head.n,
										     name.n))),
					 loom_str_of(command->summary));
	}
}

void tui_complete_usage(struct completing *c, struct loom_str line, size_t caret)
{
	const struct loom_str before = loom_str_sub(line, 0, c->out->from);
	const struct loom_command *command = loom_self_command(before);
	char *words[WORDS];
	struct typed typed = {.positionals = 0};
	const struct cli_item *next;
	size_t count;
	size_t skip = 1;

	add_family(c, before);
	if (!command)
		return;
	for (const char *p = command->name; *p; p++)
		skip += *p == ' ';
	typed.spec = cli_spec_of(c->arena, command);
	count = loom_self_words(c->arena, before, words, WORDS);
	for (size_t i = skip; i < count; i++)
		read_word(&typed, loom_str_of(words[i]));
	if (typed.pending) {
		add_value(c, command, typed.pending, line, caret);
		return;
	}
	if (add_after_equals(c, command, &typed, line, caret))
		return;
	next = positional(&typed, typed.positionals);
	if (next && may_follow(&typed, next) && !loom_str_starts(c->word, LOOM_STR("-")))
		add_value(c, command, next, line, caret);
	add_options(c, &typed);
}
