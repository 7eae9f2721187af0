/* Values of an item that another table defines, such as formats; LOOM_ITEM_OF names the list. If
 * they have titles, the value `?` lists them. */
#include <loom/cli/services.h>

#include <loom/export/export.h>
#include <loom/import/import.h>
#include <loom/payload/payload.h>
#include <loom/language/registry.h>
#include <loom/cli/themes.h>
#include <loom/text/width.h>

static bool is(struct cli_value *out, const char *name, const char *title)
{
	*out = (struct cli_value){loom_str_of(name), title};
	return name != NULL;
}

bool help_values_import_formats(size_t index, struct cli_value *out)
{
	struct loom_import_format format;

	return loom_import_format_at(index, &format) && is(out, format.name, format.title);
}

bool help_values_export_formats(size_t index, struct cli_value *out)
{
	const struct loom_export_format *format = loom_export_at(index);

	return format && is(out, format->name, format->title);
}

bool help_values_scopes(size_t index, struct cli_value *out)
{
	return index < LOOM_SCOPES && is(out, loom_scope_name((enum loom_scope)index), NULL);
}

bool help_values_verbs(size_t index, struct cli_value *out)
{
	const struct loom_verb_info *verb = loom_verb_info((enum loom_verb)(index + 1));

	return verb && is(out, verb->name, NULL);
}

bool help_values_themes(size_t index, struct cli_value *out)
{
	const char *name = NULL;
	struct loom_str json;

	return loom_theme_at(index, &name, &json) && is(out, name, NULL);
}

bool help_values_presets(size_t index, struct cli_value *out)
{
	const char *name = NULL;
	const char *about = NULL;
	struct loom_str json;

	return loom_preset_at(index, &name, &about, &json) && is(out, name, about);
}

/* The first words of all commands, then the verbs, then the other topics. */
bool help_values_help(size_t index, struct cli_value *out)
{
	const struct cli_topic *topic = NULL;
	size_t at = 0;
	size_t n = 0;

	*out = (struct cli_value){{NULL, 0}, NULL};
	while (n <= index && help_family_word(LOOM_STR(""), &at, &out->name))
		n++;
	if (n > index || help_values_verbs(index - n, out))
		return true;
	n += LOOM_VERB_COUNT - 1;
	for (at = 0; (topic = help_topic_at(at)); at++)
		if (!help_table_goes_on(&topic->name, 1) &&
		    !loom_command_find(loom_str_of(topic->name)) &&
		    loom_verb_find(loom_str_of(topic->name)) == LOOM_VERB_NONE && n++ == index)
			return is(out, topic->name, NULL);
	return false;
}

bool help_item_value(const struct cli_item *item, size_t index, struct cli_value *out)
{
	return item->field && item->field->values && item->field->values(index, out) && out->title;
}

/* The completions of an item: the choices in its usage, or another table's list. */
static bool word_at(const struct cli_item *item, size_t index, struct loom_str *out)
{
	struct cli_value value;

	if (item->choice)
		return cli_item_choice(item, index, out);
	if (!item->field || !item->field->values || !item->field->values(index, &value))
		return false;
	*out = value.name;
	return true;
}

bool help_item_has_choices(const struct cli_item *item)
{
	struct loom_str first;

	return word_at(item, 0, &first);
}

void help_item_choices(const struct cli_item *item, struct loom_buf *out)
{
	struct loom_str word;

	for (size_t i = 0; word_at(item, i, &word); i++)
		loom_buf_addf(out, "%s%.*s", i ? " " : "", LOOM_STR_ARG(word));
}

void help_item_list(const struct cli_item *item, struct loom_buf *out)
{
	struct cli_value value;
	size_t wide = 0;

	for (size_t i = 0; help_item_value(item, i, &value); i++)
		wide = value.name.n > wide ? value.name.n : wide;
	for (size_t i = 0; help_item_value(item, i, &value); i++) {
		loom_buf_addf(out, "  %.*s", LOOM_STR_ARG(value.name));
		loom_buf_add_repeat(out, ' ', wide - value.name.n);
		loom_buf_addf(out, "  %s\n", value.title);
	}
}

void help_item_describe(struct loom_cli *cli, const struct cli_item *item)
{
	struct cli_value value;

	loom_answer_list(cli, "values");
	for (size_t i = 0; help_item_value(item, i, &value); i++) {
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "name", value.name);
		loom_answer_text(cli, "title", loom_str_of(value.title));
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

static void show(struct loom_cli *cli, const struct cli_item *item)
{
	struct loom_buf rows = LOOM_BUF_INIT(1 << 16);

	help_item_describe(cli, item);
	help_item_list(item, &rows);
	loom_answer_page(cli, loom_buf_str(&rows));
	loom_buf_fini(&rows);
}

bool help_values_asked(struct loom_cli *cli, const struct cli_spec *spec)
{
	for (size_t i = 0; i < spec->count; i++) {
		const struct cli_item *item = &spec->items[i];
		struct cli_value first;
		const char *given = NULL;

		if (item->kind != CLI_OPTION || !help_item_value(item, 0, &first))
			continue;
		given = cli_args_at(cli->args, item, 0);
		if (given && strcmp(given, "?") == 0) {
			show(cli, item);
			return true;
		}
	}
	return false;
}
