/* Help beyond single commands: the pages of topics.def, and finding commands and verbs by a related
 * word. */
#include <loom/cli/services.h>
#include <loom/commands/wish.h>
#include <loom/language/registry.h>

static const struct cli_topic topics[] = {
#define LOOM_TOPIC(name_, title_, text_) {.name = name_, .title = title_, .text = text_},
#include <loom/topics.def>
};

const struct cli_topic *help_topic_at(size_t i)
{
	return i < LOOM_COUNT(topics) ? &topics[i] : NULL;
}

const struct cli_topic *help_topic_find(struct loom_str name)
{
	for (size_t i = 0; i < LOOM_COUNT(topics); i++)
		if (loom_str_is(name, topics[i].name))
			return &topics[i];
	return NULL;
}

bool help_topic_command(const struct loom_command *command, struct loom_str word)
{
	const struct loom_offer offer = {.name = loom_str_of(command->name),
					 .summary = loom_str_of(command->summary)};

	return loom_wish_fits(word, &offer) ||
	       loom_text_mentions(loom_str_of(loom_group_title(command->group)), word);
}

/* Ambiguous words lead to every reading: "delete" to prune and to drop. */
static bool is_reading(const struct loom_verb_info *verb, struct loom_str word)
{
	size_t count = 0;
	const struct loom_unsure_info *unsure = loom_unsure(&count);

	for (size_t i = 0; i < count; i++)
		if (loom_str_eq_fold(loom_str_of(unsure[i].phrase), word) &&
		    loom_text_mentions(loom_str_of(unsure[i].readings), loom_str_of(verb->name)))
			return true;
	return false;
}

bool help_topic_verb(const struct loom_verb_info *verb, struct loom_str word)
{
	const struct loom_offer offer = {.name = loom_str_of(verb->name),
					 .summary = loom_str_of(verb->summary)};

	return loom_wish_fits(word, &offer) || is_reading(verb, word);
}

bool help_topic_any(struct loom_str word)
{
	for (size_t i = 0; i < loom_command_count(); i++)
		if (help_topic_command(loom_command_at(i), word))
			return true;
	for (int i = LOOM_VERB_NONE + 1; i < LOOM_VERB_COUNT; i++)
		if (help_topic_verb(loom_verb_info((enum loom_verb)i), word))
			return true;
	return false;
}
