/* Parses arguments by the specification of a usage.
 *
 * Options may stand before and after positionals (unless the usage says `[--]`), and `--` ends
 * them. `--name=value`, `--name value`, `-x value` and `-xvalue` are all accepted. A value may
 * begin with anything. A lone `-` is a positional. */
#include <loom/cli/services.h>
#include <loom/language/registry.h>

struct arg_values {
	const char **texts;
	size_t count;
	size_t cap;
};

struct loom_args {
	const struct cli_spec *spec;
	struct arg_values *values; /* one for each item of the specification */
	struct arg_values loose;   /* positionals, before they are assigned */
};

struct loom_args *cli_args_create(struct loom_arena *arena, const struct cli_spec *spec)
{
	struct loom_args *args = LOOM_ARENA_NEW(arena, struct loom_args);

	args->spec = spec;
	args->values = LOOM_ARENA_ARRAY(arena, spec->count, struct arg_values);
	return args;
}

const struct cli_spec *cli_args_spec(const struct loom_args *args)
{
	return args->spec;
}

static void push(struct loom_arena *arena, struct arg_values *values, const char *text)
{
	values->texts = loom_arena_grow(arena, values->texts, values->count, &values->cap,
					sizeof *values->texts);
	values->texts[values->count++] = text;
}

/* The prefix of messages: "loom new: " or "loom: ". */
static const char *who(const struct cli_reader *reader)
{
	return loom_arena_format(reader->arena, "loom%s%s", reader->command ? " " : "",
				 reader->command ? reader->command : "")
		.p;
}

static enum loom_status hint_usage(const struct cli_reader *reader, struct loom_err *err)
{
	if (!reader->command)
		return loom_hint(err, LOOM_USAGE, "loom help");
	return loom_hint(err, LOOM_USAGE, "%s%s%s", who(reader), reader->usage[0] ? " " : "",
			 reader->usage);
}

static bool is_digits(const char *text)
{
	return text[0] && strspn(text, "0123456789") == strlen(text);
}

static enum loom_status wrong_value(const struct cli_reader *reader, const struct cli_item *item,
				    const char *value, struct loom_err *err)
{
	const char *most = item->number && is_digits(value) ? " up to 9223372036854775807" : "";

	loom_fail(err, LOOM_USAGE, "%s: %.*s takes %s%.*s%s, not \"%s\"", who(reader),
		  LOOM_STR_ARG(item->name), item->number ? "a number " : "",
		  LOOM_STR_ARG(item->value), most, value);
	return hint_usage(reader, err);
}

static bool value_fits(const struct cli_item *item, const char *value)
{
	struct loom_str word;
	uint64_t number = 0;

	/* The command's numbers have meanings for -1: before the first row of a log, or no
	 * limit. */
	if (item->number &&
	    (loom_str_is(item->value, "SEQ") || loom_str_is(item->value, "LIMIT")) &&
	    loom_str_is(loom_str_of(value), "-1"))
		return true;
	if (item->number)
		return loom_str_to_u64(loom_str_of(value), &number) && number <= INT64_MAX;
	if (!item->choice)
		return true;
	for (size_t i = 0; cli_item_choice(item, i, &word); i++)
		if (loom_str_is(word, value))
			return true;
	return false;
}

static struct arg_values *values_of(const struct loom_args *args, const struct cli_item *item)
{
	return &args->values[item - args->spec->items];
}

static enum loom_status check_either(const struct cli_reader *reader, const struct loom_args *args,
				     const struct cli_item *item, struct loom_err *err)
{
	for (size_t i = 0; item->either && i < args->spec->count; i++) {
		const struct cli_item *other = &args->spec->items[i];

		if (other == item || other->either != item->either || !args->values[i].count)
			continue;
		loom_fail(err, LOOM_USAGE, "%s: %.*s and %.*s cannot be combined", who(reader),
			  LOOM_STR_ARG(other->name), LOOM_STR_ARG(item->name));
		return hint_usage(reader, err);
	}
	return LOOM_OK;
}

static enum loom_status give(const struct cli_reader *reader, const struct loom_args *args,
			     const struct cli_item *item, const char *value, struct loom_err *err)
{
	struct arg_values *values = values_of(args, item);
	enum loom_status status = check_either(reader, args, item, err);

	if (status)
		return status;
	if (item->kind != CLI_FLAG && !value_fits(item, value))
		return wrong_value(reader, item, value, err);
	if (item->kind == CLI_OPTION && values->count && !item->repeats) {
		loom_fail(err, LOOM_USAGE, "%s: %.*s is given twice", who(reader),
			  LOOM_STR_ARG(item->name));
		return hint_usage(reader, err);
	}
	push(reader->arena, values, value);
	return LOOM_OK;
}

/* The option of either specification with the most similar name. */
static const struct cli_item *nearest(const struct cli_reader *reader, struct loom_str name)
{
	const struct loom_args *both[] = {reader->local, reader->global};
	const struct cli_item *best = NULL;
	size_t least = 4;

	for (size_t b = 0; b < LOOM_COUNT(both); b++)
		for (size_t i = 0; both[b] && i < both[b]->spec->count; i++) {
			const struct cli_item *item = &both[b]->spec->items[i];
			size_t far = loom_word_distance(item->name, name, least);

			if (item->kind == CLI_POSITIONAL || far >= least || far * 2 >= name.n)
				continue;
			least = far;
			best = item;
		}
	return best;
}

static enum loom_status unknown_option(const struct cli_reader *reader, struct loom_str name,
				       struct loom_err *err)
{
	const struct cli_item *near = nearest(reader, name);

	loom_fail(err, LOOM_USAGE, "%s: unknown option %.*s", who(reader), LOOM_STR_ARG(name));
	if (!near)
		return hint_usage(reader, err);
	return loom_hint(err, LOOM_USAGE, "%s … %.*s%s%.*s", who(reader), LOOM_STR_ARG(near->name),
			 near->value.n ? " " : "", LOOM_STR_ARG(near->value));
}

/* Finds the item of an option and its arguments; the command's own options come first. */
static const struct cli_item *resolve(const struct cli_reader *reader, struct loom_str name,
				      const struct loom_args **out_args)
{
	const struct loom_args *both[] = {reader->local, reader->global};

	for (size_t b = 0; b < LOOM_COUNT(both); b++) {
		const struct cli_item *item = both[b] ? cli_spec_find(both[b]->spec, name) : NULL;

		*out_args = both[b];
		if (item && item->kind != CLI_POSITIONAL)
			return item;
	}
	return NULL;
}

/* Splits "--name=value" and "-xvalue"; *value is NULL if none is attached. */
static struct loom_str split(const char *text, const char **value)
{
	struct loom_str all = loom_str_of(text);
	size_t cut = all.n;

	if (loom_str_starts(all, LOOM_STR("--"))) {
		size_t equals = loom_str_find_char(all, '=', 0);

		*value = equals == SIZE_MAX ? NULL : text + equals + 1;
		cut = equals == SIZE_MAX ? all.n : equals;
	} else {
		*value = all.n > 2 ? text + 2 : NULL;
		cut = 2;
	}
	return loom_str_sub(all, 0, cut);
}

static enum loom_status read_option(struct cli_reader *reader, struct loom_err *err)
{
	const char *text = reader->argv[reader->at++];
	const char *value = NULL;
	const struct loom_args *args = NULL;
	struct loom_str name = split(text, &value);
	const struct cli_item *item = resolve(reader, name, &args);

	if (!item)
		return unknown_option(reader, value && text[1] != '-' ? loom_str_of(text) : name,
				      err);
	if (item->kind == CLI_FLAG && value) {
		loom_fail(err, LOOM_USAGE, "%s: %.*s takes no value", who(reader),
			  LOOM_STR_ARG(item->name));
		return hint_usage(reader, err);
	}
	if (item->kind == CLI_OPTION && !value && item->lean &&
	    (reader->at == reader->argc || reader->argv[reader->at][0] == '-')) {
		value = "";
	} else if (item->kind == CLI_OPTION && !value) {
		if (reader->at == reader->argc) {
			loom_fail(err, LOOM_USAGE, "%s: %.*s needs a value: %.*s", who(reader),
				  LOOM_STR_ARG(item->name), LOOM_STR_ARG(item->value));
			return hint_usage(reader, err);
		}
		value = reader->argv[reader->at++];
	}
	return give(reader, args, item, value, err);
}

/* Whether argv[at] is an option; consumes a "--". */
static bool at_option(struct cli_reader *reader)
{
	const char *text = reader->argv[reader->at];

	if (reader->verbatim || text[0] != '-' || !text[1])
		return false;
	if (strcmp(text, "--") != 0)
		return true;
	reader->verbatim = true;
	reader->at++;
	return false;
}

bool cli_args_at_global(const struct cli_reader *reader)
{
	const struct loom_args *args = NULL;
	const char *value = NULL;
	const char *text = reader->at < reader->argc ? reader->argv[reader->at] : "";

	return !reader->verbatim && text[0] == '-' && text[1] && strcmp(text, "--") != 0 &&
	       resolve(reader, split(text, &value), &args);
}

enum loom_status cli_args_option(struct cli_reader *reader, struct loom_err *err)
{
	return read_option(reader, err);
}

enum loom_status cli_args_options(struct cli_reader *reader, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	while (!status && reader->at < reader->argc && at_option(reader))
		status = read_option(reader, err);
	return status;
}

static size_t required_after(const struct cli_spec *spec, size_t index)
{
	size_t count = 0;

	for (size_t i = index; i < spec->count; i++)
		count += spec->items[i].kind == CLI_POSITIONAL && !spec->items[i].optional &&
			 !spec->items[i].either;
	return count;
}

/* How many of the remaining positionals an item takes, leaving enough for the required ones after
 * it. */
static size_t share(const struct cli_spec *spec, size_t index, size_t left)
{
	const struct cli_item *item = &spec->items[index];
	size_t kept = required_after(spec, index + 1);
	size_t most = left > kept ? left - kept : 0;

	if (!most && !item->optional && left)
		return 1;
	return item->repeats || !most ? most : 1;
}

/* Assigns the positionals to items, from left to right. */
static enum loom_status give_loose(struct cli_reader *reader, struct loom_err *err)
{
	struct loom_args *args = reader->local;
	const struct cli_spec *spec = args->spec;
	enum loom_status status = LOOM_OK;
	size_t at = 0;

	for (size_t i = 0; !status && i < spec->count; i++) {
		const struct cli_item *item = &spec->items[i];
		size_t end = at;

		if (item->kind == CLI_POSITIONAL)
			end += share(spec, i, args->loose.count - at);
		while (!status && at < end)
			status = give(reader, args, item, args->loose.texts[at++], err);
	}
	if (status || at == args->loose.count)
		return status;
	loom_fail(err, LOOM_USAGE, "%s: too many arguments: \"%s\"", who(reader),
		  args->loose.texts[at]);
	return hint_usage(reader, err);
}

/* Whether another alternative of the same bracket was given. */
static bool another_given(const struct loom_args *args, const struct cli_item *item)
{
	for (size_t i = 0; item->either && i < args->spec->count; i++)
		if (args->spec->items[i].either == item->either && args->values[i].count)
			return true;
	return false;
}

enum loom_status cli_args_check(const struct cli_reader *reader, struct loom_err *err)
{
	const struct loom_args *args = reader->local;

	for (size_t i = 0; i < args->spec->count; i++) {
		const struct cli_item *item = &args->spec->items[i];

		if (item->optional || args->values[i].count || another_given(args, item))
			continue;
		loom_fail(err, LOOM_USAGE, "%s: %.*s is missing", who(reader),
			  LOOM_STR_ARG(item->name));
		return hint_usage(reader, err);
	}
	return LOOM_OK;
}

void cli_args_spell(const struct loom_args *args, struct loom_buf *out)
{
	for (size_t i = 0; i < args->spec->count; i++)
		for (size_t k = 0; k < args->values[i].count; k++) {
			const char *text = args->values[i].texts[k];

			loom_buf_addf(out, "%zu:", i);
			loom_buf_adds(out, text ? text : "");
			loom_buf_addc(out, '\0');
		}
}

enum loom_status cli_args_rest(struct cli_reader *reader, struct loom_err *err)
{
	struct loom_args *args = reader->local;
	enum loom_status status = cli_args_options(reader, err);

	while (!status && reader->at < reader->argc) {
		push(reader->arena, &args->loose, reader->argv[reader->at++]);
		if (args->spec->verbatim)
			reader->verbatim = true;
		status = cli_args_options(reader, err);
	}
	if (!status)
		status = give_loose(reader, err);
	return status;
}

size_t cli_args_count(const struct loom_args *args, const struct cli_item *item)
{
	return values_of(args, item)->count;
}

const char *cli_args_at(const struct loom_args *args, const struct cli_item *item, size_t index)
{
	const struct arg_values *values = values_of(args, item);

	return index < values->count ? values->texts[index] : NULL;
}

static struct loom_texts texts_of(struct loom_arena *arena, const struct arg_values *values)
{
	struct loom_str *texts = LOOM_ARENA_ARRAY(arena, values->count, struct loom_str);

	for (size_t i = 0; i < values->count; i++)
		texts[i] = loom_str_of(values->texts[i]);
	return (struct loom_texts){.p = texts, .n = values->count};
}

static struct loom_number number_of(const char *text)
{
	struct loom_number number = {.given = true};

	number.given = loom_str_to_i64(loom_str_of(text), &number.value);
	return number;
}

static void fill_field(struct loom_arena *arena, const struct arg_values *values,
		       const struct cli_field *field, void *out)
{
	void *at = (char *)out + field->offset;

	switch (field->type) {
	case CLI_FIELD_FLAG:
		*(bool *)at = true;
		break;
	case CLI_FIELD_TEXT:
		*(struct loom_str *)at = loom_str_of(values->texts[0]);
		break;
	case CLI_FIELD_NUMBER:
		*(struct loom_number *)at = number_of(values->texts[0]);
		break;
	case CLI_FIELD_TEXTS:
		*(struct loom_texts *)at = texts_of(arena, values);
		break;
	}
}

void cli_args_fill(struct loom_arena *arena, const struct loom_args *args, void *out)
{
	for (size_t i = 0; i < args->spec->count; i++)
		if (args->values[i].count)
			fill_field(arena, &args->values[i], args->spec->items[i].field, out);
}

const void *loom_cli_args(const struct loom_cli *cli, loom_command_fn *handler)
{
	LOOM_ASSERT(cli->command->run == handler && "these are the arguments of another command");
	(void)handler;
	return cli->given;
}
