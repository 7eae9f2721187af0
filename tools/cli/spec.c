/* Parses usages into specifications. The notation, documented in commands.def, is small on purpose:
 *
 *   usage  := item (blank item)*
 *   item   := one | '[' one ('|' one)* ']' | '(' one ('|' one)* ')' | '[--]'
 *   one    := '-x' | '--name' | '-x,--name', alone, or followed by a blank and a value, or by
 *             '[=' value ']', an optional value; or a value
 *   value  := a name with a capital in it (TREE, Y[:a,b], TOKEN|-), or choices (dialogue|buffer)
 *
 * '…' after an item means that it may be repeated. A `|` separates alternatives if an option
 * follows; otherwise it belongs to the value. Nothing is copied: items point into the usage. */
#include <loom/cli/everywhere.h>
#include <loom/cli/services.h>

#define ELLIPSIS "…"
#define ITEM_MAX 32

struct spec_reader {
	struct loom_str usage;
	size_t at;
	struct cli_item *items;
	size_t count;
	int either; /* the last number given out */
	struct loom_err *err;
};

static enum loom_status broken(struct spec_reader *reader, const char *what)
{
	enum loom_status status =
		loom_fail(reader->err, LOOM_FAULT, "usage \"%.*s\" at byte %zu: %s",
			  LOOM_STR_ARG(reader->usage), reader->at, what);

	if (reader->err)
		reader->err->at = reader->at;
	return status;
}

static char peek(const struct spec_reader *reader, size_t ahead)
{
	size_t at = reader->at + ahead;

	return at < reader->usage.n ? reader->usage.p[at] : '\0';
}

static bool take(struct spec_reader *reader, const char *text)
{
	struct loom_str rest = loom_str_sub(reader->usage, reader->at, reader->usage.n);

	if (!loom_str_starts(rest, loom_str_of(text)))
		return false;
	reader->at += strlen(text);
	return true;
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_name_char(char c)
{
	return is_lower(c) || (c >= '0' && c <= '9') || c == '-';
}

/* Whether `ahead` begins with an option: a dash and a letter, or two dashes and a letter. */
static bool option_begins(const struct spec_reader *reader, size_t ahead)
{
	char second = peek(reader, ahead + 1);

	return peek(reader, ahead) == '-' &&
	       (is_lower(second) || (second == '-' && is_lower(peek(reader, ahead + 2))));
}

static struct loom_str take_option_name(struct spec_reader *reader)
{
	size_t from = reader->at;

	while (is_name_char(peek(reader, 0)))
		reader->at++;
	return loom_str_sub(reader->usage, from, reader->at - from);
}

/* Takes everything up to a blank, an enclosing bracket's end, an ellipsis or the next
 * alternative. */
static struct loom_str take_value(struct spec_reader *reader)
{
	size_t from = reader->at;
	int depth = 0;

	for (char c = peek(reader, 0); c && c != ' '; c = peek(reader, 0)) {
		if (!depth && (c == ']' || c == ')' || (c == '|' && option_begins(reader, 1))))
			break;
		if (!depth && reader->usage.n - reader->at >= 3 &&
		    memcmp(reader->usage.p + reader->at, ELLIPSIS, 3) == 0 &&
		    (reader->usage.n - reader->at == 3 || peek(reader, 3) == ' ' ||
		     peek(reader, 3) == ']'))
			break;
		depth += (c == '[' || c == '(') - (c == ']' || c == ')');
		reader->at++;
	}
	return loom_str_sub(reader->usage, from, reader->at - from);
}

static bool has_capital(struct loom_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 'A' && s.p[i] <= 'Z')
			return true;
	return false;
}

static void set_value(struct cli_item *item, struct loom_str value)
{
	item->value = value;
	item->choice = !has_capital(value);
	item->number =
		loom_str_is(value, "N") || loom_str_is(value, "SEQ") || loom_str_is(value, "LIMIT");
}

static enum loom_status read_option(struct spec_reader *reader, struct cli_item *item)
{
	item->kind = CLI_FLAG;
	item->name = take_option_name(reader);
	if (peek(reader, 0) == ',') {
		reader->at++;
		item->brief = item->name;
		item->name = take_option_name(reader);
		if (item->brief.n != 2 || !loom_str_starts(item->name, LOOM_STR("--")))
			return broken(reader, "the form is -x,--name");
	}
	if (item->name.n == 2)
		item->brief = item->name;
	if (item->name.n > 2 && item->name.p[1] != '-')
		return broken(reader, "a single-dash option has one letter");
	if (take(reader, "[=")) {
		item->kind = CLI_OPTION;
		item->lean = true;
		set_value(item, take_value(reader));
		return item->value.n && take(reader, "]")
			       ? LOOM_OK
			       : broken(reader, "the value has no name or does not end");
	}
	if (peek(reader, 0) != ' ' || option_begins(reader, 1) || peek(reader, 1) == '[' ||
	    peek(reader, 1) == '(' || !peek(reader, 1))
		return LOOM_OK;
	reader->at++;
	item->kind = CLI_OPTION;
	set_value(item, take_value(reader));
	return item->value.n ? LOOM_OK : broken(reader, "the value has no name");
}

static enum loom_status read_one(struct spec_reader *reader, bool optional, int either)
{
	struct cli_item *item = &reader->items[reader->count];

	if (reader->count == ITEM_MAX)
		return broken(reader, "too many items");
	*item = (struct cli_item){.optional = optional, .either = either};
	reader->count++;
	if (option_begins(reader, 0))
		return read_option(reader, item);
	item->kind = CLI_POSITIONAL;
	set_value(item, take_value(reader));
	item->name = item->value;
	return item->value.n ? LOOM_OK : broken(reader, "a name is missing");
}

/* Parses the contents of a bracket: one item, or alternatives. */
static enum loom_status read_bracket(struct spec_reader *reader, bool optional, const char *close)
{
	size_t first = reader->count;
	enum loom_status status = LOOM_OK;

	do {
		status = read_one(reader, optional, 0);
		if (status)
			return status;
		if (take(reader, ELLIPSIS))
			reader->items[reader->count - 1].repeats = true;
	} while (take(reader, "|"));
	if (!take(reader, close))
		return broken(reader, "the bracket is not closed");
	if (reader->count - first > 1) {
		reader->either++;
		for (size_t i = first; i < reader->count; i++)
			reader->items[i].either = reader->either;
	}
	return LOOM_OK;
}

static enum loom_status read_item(struct spec_reader *reader)
{
	size_t first = reader->count;
	enum loom_status status = LOOM_OK;

	if (take(reader, "["))
		status = read_bracket(reader, true, "]");
	else if (take(reader, "("))
		status = read_bracket(reader, false, ")");
	else
		status = read_one(reader, false, 0);
	if (!status && take(reader, ELLIPSIS))
		for (size_t i = first; i < reader->count; i++)
			reader->items[i].repeats = true;
	return status;
}

static enum loom_status check_names(struct spec_reader *reader)
{
	for (size_t i = 0; i < reader->count; i++)
		for (size_t k = i + 1; k < reader->count; k++) {
			const struct cli_item *a = &reader->items[i];
			const struct cli_item *b = &reader->items[k];

			if (loom_str_eq(a->name, b->name) ||
			    (a->brief.n && loom_str_eq(a->brief, b->brief)))
				return broken(reader, "duplicate name");
		}
	return LOOM_OK;
}

enum loom_status cli_spec_parse(struct loom_arena *arena, struct loom_str usage,
				struct cli_spec *out, struct loom_err *err)
{
	struct spec_reader reader = {
		.usage = usage,
		.items = LOOM_ARENA_ARRAY(arena, ITEM_MAX, struct cli_item),
		.err = err,
	};
	bool verbatim = false;
	enum loom_status status = LOOM_OK;

	while (!status && reader.at < usage.n) {
		if (take(&reader, "[--]"))
			verbatim = true;
		else
			status = read_item(&reader);
		if (!status && reader.at < usage.n && !take(&reader, " "))
			status = broken(&reader, "a space is missing");
	}
	if (!status)
		status = check_names(&reader);
	*out = (struct cli_spec){.items = reader.items,
				 .count = reader.count,
				 .verbatim = verbatim};
	return status;
}

const struct cli_item *cli_spec_find(const struct cli_spec *spec, struct loom_str name)
{
	for (size_t i = 0; i < spec->count; i++)
		if (loom_str_eq(spec->items[i].name, name) ||
		    (name.n && loom_str_eq(spec->items[i].brief, name)))
			return &spec->items[i];
	return NULL;
}

enum cli_field_type cli_item_type(const struct cli_item *item)
{
	return item->kind == CLI_FLAG ? CLI_FIELD_FLAG
	       : item->repeats        ? CLI_FIELD_TEXTS
	       : item->number         ? CLI_FIELD_NUMBER
				      : CLI_FIELD_TEXT;
}

bool cli_item_choice(const struct cli_item *item, size_t index, struct loom_str *out)
{
	struct loom_str rest = item->value;

	if (!item->choice)
		return false;
	for (size_t i = 0; loom_str_cut(&rest, '|', out); i++)
		if (i == index)
			return true;
	return false;
}

/* --- usages of the table --- */

/* clang-format off */
/* Every item after a blank. */
static const char usage_everywhere[] = ""
#define LOOM_ITEM(type, field, usage, meaning) " " usage
#include <loom/cli/everywhere.def>
;

static const struct cli_field fields_everywhere[] = {
#define LOOM_ITEM(type, field, usage, meaning) \
	{CLI_FIELD_##type, offsetof(struct cli_everywhere, field), meaning, NULL},
#include <loom/cli/everywhere.def>
};
/* clang-format on */

static struct cli_spec spec_of(struct loom_arena *arena, const char *usage,
			       const struct cli_field *fields)
{
	struct cli_spec spec;
	enum loom_status status = cli_spec_parse(arena, loom_str_of(usage), &spec, NULL);

	LOOM_ASSERT(!status);
	(void)status;
	for (size_t i = 0; i < spec.count; i++)
		spec.items[i].field = &fields[i];
	return spec;
}

struct cli_spec cli_spec_of(struct loom_arena *arena, const struct loom_command *command)
{
	return spec_of(arena, command->usage, command->fields());
}

struct cli_spec cli_spec_global(struct loom_arena *arena)
{
	return spec_of(arena, usage_everywhere + 1, fields_everywhere);
}
