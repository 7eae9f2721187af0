/* Values of an option that another table defines, such as formats. The value `?` lists them. */
#include <loom/cli/services.h>

#include <loom/export/export.h>
#include <loom/import/import.h>
#include <loom/payload/payload.h>
#include <loom/cli/themes.h>
#include <loom/text/width.h>

static bool import_format(size_t index, struct cli_value *out)
{
	struct loom_import_format format;
	const bool found = loom_import_format_at(index, &format);

	if (found)
		*out = (struct cli_value){format.name, format.title};
	return found;
}

static bool export_format(size_t index, struct cli_value *out)
{
	const struct loom_export_format *format = loom_export_at(index);

	if (format)
		*out = (struct cli_value){format->name, format->title};
	return format != NULL;
}

static const struct {
	const char *command;
	const char *option;
	bool (*at)(size_t index, struct cli_value *out);
} lists[] = {
	{"import", "--format", import_format},
	{"export", "--format", export_format},
};

bool help_item_value(const struct loom_command *command, const struct cli_item *item, size_t index,
		     struct cli_value *out)
{
	for (size_t i = 0; command && i < LOOM_COUNT(lists); i++)
		if (strcmp(command->name, lists[i].command) == 0 &&
		    loom_str_is(item->name, lists[i].option))
			return lists[i].at(index, out);
	return false;
}

static struct loom_str scope_at(size_t i)
{
	return loom_str_of(i < LOOM_SCOPES ? loom_scope_name((enum loom_scope)i) : NULL);
}

static struct loom_str verb_at(size_t i)
{
	const struct loom_verb_info *verb = loom_verb_info((enum loom_verb)(i + 1));

	return loom_str_of(verb ? verb->name : NULL);
}

static struct loom_str theme_at(size_t i)
{
	const char *name = NULL;
	struct loom_str json;

	return loom_str_of(loom_theme_at(i, &name, &json) ? name : NULL);
}

/* The first words of all commands, then the verbs, then the other topics. */
static struct loom_str help_at(size_t i)
{
	struct loom_str word = {NULL, 0};
	const struct cli_topic *topic = NULL;
	size_t at = 0;
	size_t n = 0;

	while (n <= i && help_family_word(LOOM_STR(""), &at, &word))
		n++;
	if (n > i)
		return word;
	if (verb_at(i - n).n)
		return verb_at(i - n);
	n += LOOM_VERB_COUNT - 1;
	for (at = 0; (topic = help_topic_at(at)); at++)
		if (!help_table_goes_on(&topic->name, 1) &&
		    !loom_command_find(loom_str_of(topic->name)) && n++ == i)
			return loom_str_of(topic->name);
	return (struct loom_str){NULL, 0};
}

/* Words that the shells complete, but help does not list. */
static const struct {
	const char *command;
	const char *item;
	struct loom_str (*at)(size_t i);
} offered[] = {
	{"payload add", "SCOPE", scope_at},  {"payload remove", "SCOPE", scope_at},
	{"payload move", "SCOPE", scope_at}, {"theme show", "NAME", theme_at},
	{"do", "COMMAND", verb_at},          {"help", "COMMAND", help_at},
};

/* The completions of an item: the choices in its usage, or another table's list. */
static bool word_at(const struct loom_command *command, const struct cli_item *item, size_t index,
		    struct loom_str *out)
{
	struct cli_value value;

	if (item->choice)
		return cli_item_choice(item, index, out);
	if (help_item_value(command, item, index, &value)) {
		*out = loom_str_of(value.name);
		return true;
	}
	for (size_t i = 0; command && i < LOOM_COUNT(offered); i++)
		if (strcmp(command->name, offered[i].command) == 0 &&
		    loom_str_is(item->name, offered[i].item)) {
			*out = offered[i].at(index);
			return out->n > 0;
		}
	return false;
}

bool help_item_has_choices(const struct loom_command *command, const struct cli_item *item)
{
	struct loom_str first;

	return word_at(command, item, 0, &first);
}

void help_item_choices(const struct loom_command *command, const struct cli_item *item,
		       struct loom_buf *out)
{
	struct loom_str word;

	for (size_t i = 0; word_at(command, item, i, &word); i++)
		loom_buf_addf(out, "%s%.*s", i ? " " : "", LOOM_STR_ARG(word));
}

void help_item_list(const struct loom_command *command, const struct cli_item *item,
		    struct loom_buf *out)
{
	struct cli_value value;
	size_t wide = 0;

	for (size_t i = 0; help_item_value(command, item, i, &value); i++)
		wide = strlen(value.name) > wide ? strlen(value.name) : wide;
	for (size_t i = 0; help_item_value(command, item, i, &value); i++) {
		loom_buf_addf(out, "  %s", value.name);
		loom_buf_add_repeat(out, ' ', wide - strlen(value.name));
		loom_buf_addf(out, "  %s\n", value.title);
	}
}

void help_item_describe(struct loom_cli *cli, const struct loom_command *command,
			const struct cli_item *item)
{
	struct cli_value value;

	loom_answer_list(cli, "values");
	for (size_t i = 0; help_item_value(command, item, i, &value); i++) {
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "name", loom_str_of(value.name));
		loom_answer_text(cli, "title", loom_str_of(value.title));
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

static void show(struct loom_cli *cli, const struct cli_item *item)
{
	struct loom_buf rows = LOOM_BUF_INIT(1 << 16);

	help_item_describe(cli, cli->command, item);
	help_item_list(cli->command, item, &rows);
	loom_answer_page(cli, loom_buf_str(&rows));
	loom_buf_fini(&rows);
}

bool help_values_asked(struct loom_cli *cli, const struct cli_spec *spec)
{
	for (size_t i = 0; i < spec->count; i++) {
		const struct cli_item *item = &spec->items[i];
		struct cli_value first;
		const char *given = NULL;

		if (item->kind != CLI_OPTION || !help_item_value(cli->command, item, 0, &first))
			continue;
		given = cli_args_at(cli->args, item, 0);
		if (given && strcmp(given, "?") == 0) {
			show(cli, item);
			return true;
		}
	}
	return false;
}
