/* Converts the values of parameters: a token's text to a number, an id, a name, a choice. */
#include "inside.h"

/* Parameters without a key never get here. */
static enum loom_status refuse_value(struct lang_parse *parse, enum lang_param param,
				     const struct lang_token *token, const char *wanted)
{
	const char *key = lang_param_info(param)->key;
	struct loom_str shown = lang_shown(token->text);

	parse->err.at = token->at;
	if (!token->text.n)
		return lang_refuse(parse, "%s: has no value; write %s:VALUE without spaces", key,
				   key);
	return lang_refuse(parse, "%s: takes %s, not \"%.*s\"", key, wanted, LOOM_STR_ARG(shown));
}

static bool read_number(struct loom_str text, int64_t *out)
{
	return text.n && text.p[0] != '-' && loom_str_to_i64(text, out) && *out > 0;
}

static bool is_digits(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
	return text.n > 0;
}

/* Whether the text is a well-formed number that is too large. */
static bool is_too_large(struct loom_str text)
{
	int64_t number;

	return is_digits(text) && !loom_str_to_i64(text, &number);
}

/* A number that is too large is answered with the maximum: that of the notation (n:1-10), else that
 * of numbers. */
static enum loom_status refuse_number(struct lang_parse *parse, enum lang_param param,
				      const struct lang_token *token)
{
	struct loom_str to = lang_form_slot(&parse->form, param)->values;
	struct loom_str from;
	char wanted[80] = "a whole number above 0";

	if (!token->quoted && is_too_large(token->text)) {
		(void)loom_str_cut(&to, '-', &from);
		if (!is_digits(to))
			to = LOOM_STR("9223372036854775807");
		snprintf(wanted, sizeof wanted, "a whole number from 1 to %.*s", LOOM_STR_ARG(to));
	}
	return refuse_value(parse, param, token, wanted);
}

static bool is_large_range(struct loom_str text, size_t dash)
{
	struct loom_str from = loom_str_sub(text, 0, dash);
	struct loom_str to = loom_str_sub(text, dash + 1, text.n);

	return is_digits(from) && is_digits(to) && (is_too_large(from) || is_too_large(to));
}

static enum loom_status read_range(struct lang_parse *parse, enum lang_param param,
				   const struct lang_token *token)
{
	int64_t *lines = lang_param_field(parse->call, param);
	size_t dash = loom_str_find_char(token->text, '-', 0);
	int64_t from = 0;
	int64_t to = 0;

	if (!token->quoted && dash != SIZE_MAX && is_large_range(token->text, dash))
		return refuse_value(parse, param, token, "a range of smaller numbers");
	if (token->quoted || dash == SIZE_MAX ||
	    !read_number(loom_str_sub(token->text, 0, dash), &from) ||
	    !read_number(loom_str_sub(token->text, dash + 1, token->text.n), &to))
		return refuse_value(parse, param, token, "a range like 10-20");
	if (from > to)
		return refuse_value(parse, param, token, "a range that goes up");
	lines[0] = from;
	lines[1] = to;
	return LOOM_OK;
}

/* Reads two ids with a hyphen between them; ids may contain hyphens themselves (ann-3). */
static enum loom_status read_ids(struct lang_parse *parse, enum lang_param param,
				 const struct lang_token *token)
{
	struct loom_str *ids = lang_param_field(parse->call, param);
	size_t dash = loom_str_find_char(token->text, '-', 0);

	for (; dash != SIZE_MAX; dash = loom_str_find_char(token->text, '-', dash + 1)) {
		struct loom_str tail = loom_str_sub(token->text, dash + 1, token->text.n);

		if (lang_id_read(parse->arena, loom_str_sub(token->text, 0, dash), &ids[0]) &&
		    lang_id_read(parse->arena, tail, &ids[1]))
			return LOOM_OK;
	}
	ids[0] = ids[1] = (struct loom_str){NULL, 0};
	return refuse_value(parse, param, token, "two ids like r001-a7x2");
}

static enum loom_status read_names(struct lang_parse *parse, enum lang_param param,
				   const struct lang_token *token)
{
	struct loom_names *names = lang_param_field(parse->call, param);
	struct loom_str rest = token->text;
	struct loom_str name;
	size_t cap = 0;

	while (loom_str_cut(&rest, ',', &name)) {
		name = lang_trim(name);
		if (!name.n)
			return refuse_value(parse, param, token, "names separated by commas");
		names->items = loom_arena_grow(parse->arena, names->items, names->count, &cap,
					       sizeof name);
		names->items[names->count++] = name;
	}
	return LOOM_OK;
}

static enum loom_status read_word(struct lang_parse *parse, enum lang_param param,
				  const struct lang_token *token)
{
	const struct lang_slot *slot = lang_form_slot(&parse->form, param);
	int value = lang_word_value(param, token->text);
	char wanted[64];

	if (value && lang_slot_allows(slot, value)) {
		lang_param_set_word(parse->call, param, value);
		return LOOM_OK;
	}
	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(slot->values));
	return refuse_value(parse, param, token, wanted);
}

/* A malformed line number is not taken for a section; such a section must be quoted. */
static enum loom_status read_place(struct lang_parse *parse, const struct lang_token *token)
{
	struct loom_place *place = &parse->call->place;

	if (!token->quoted && loom_str_eq_fold(token->text, LOOM_STR("start")))
		place->kind = LOOM_PLACE_START;
	else if (!token->quoted && loom_str_eq_fold(token->text, LOOM_STR("end")))
		place->kind = LOOM_PLACE_END;
	else if (!token->quoted && read_number(token->text, &place->line))
		place->kind = LOOM_PLACE_LINE;
	else if (!token->quoted && is_too_large(token->text))
		return refuse_value(parse, LANG_P_PLACE, token, "a smaller line number");
	else if (!token->quoted && is_digits(token->text))
		return refuse_value(parse, LANG_P_PLACE, token, "a line number above 0");
	else
		*place = (struct loom_place){.kind = LOOM_PLACE_SECTION, .section = token->text};
	return LOOM_OK;
}

/* Whether a bare value wears marks that are no part of a name: 'x', `x`, **x**. */
static bool is_marked(const struct lang_parse *parse, const struct lang_token *token)
{
	static const char *const marks[] = {"'", "`", "*", "(", "{", "[", "«", "‘", "‹"};
	bool marked = false;

	for (size_t i = 0; !parse->argv && !token->quoted && i < LOOM_COUNT(marks); i++)
		marked = marked || loom_str_starts(token->text, loom_str_of(marks[i]));
	return marked;
}

static bool is_number(struct loom_str text)
{
	char plain[64];
	char *end = NULL;

	if (!text.n || text.n >= sizeof plain || !strchr("0123456789.-", text.p[0]))
		return false;
	memcpy(plain, text.p, text.n);
	plain[text.n] = '\0';
	(void)strtod(plain, &end);
	return *end == '\0';
}

/* A name that the notation lists, or a number with a fraction; anything else is as good. */
static enum loom_status check_name(struct lang_parse *parse, enum lang_param param,
				   const struct lang_token *token)
{
	const struct lang_slot *slot = lang_form_slot(&parse->form, param);
	const bool listed = slot && loom_str_find_char(slot->values, '|', 0) != SIZE_MAX &&
			    slot->values.p[0] >= 'a' && slot->values.p[0] <= 'z';
	char wanted[64];

	if (!slot || param < LANG_P_THINKING || param > LANG_P_TOP_N_SIGMA)
		return LOOM_OK;
	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(slot->values));
	if (listed && !lang_slot_lists(slot, token->text))
		return refuse_value(parse, param, token, wanted);
	if (!listed && !is_number(token->text))
		return refuse_value(parse, param, token, "a number");
	return LOOM_OK;
}

enum loom_status lang_value(struct lang_parse *parse, enum lang_param param,
			    const struct lang_token *token)
{
	void *field = lang_param_field(parse->call, param);

	parse->err.at = token->at;
	if (!token->text.n && token->quoted)
		return lang_refuse(parse, "a text between quotes may not be empty");
	switch (lang_param_info(param)->type) {
	case LANG_T_ID:
		return lang_node_read(parse->arena, token->text, field)
			       ? LOOM_OK
			       : refuse_value(parse, param, token, "an id as a7x2");
	case LANG_T_IDS:
		return read_ids(parse, param, token);
	case LANG_T_INT:
		return !token->quoted && read_number(token->text, field)
			       ? LOOM_OK
			       : refuse_number(parse, param, token);
	case LANG_T_RANGE:
		return read_range(parse, param, token);
	case LANG_T_WORD:
		return read_word(parse, param, token);
	case LANG_T_NAMES:
		return read_names(parse, param, token);
	case LANG_T_NAME:
	case LANG_T_TEXT:
	case LANG_T_PLACE:
		if (!token->text.n || is_marked(parse, token))
			return refuse_value(parse, param, token, "a name");
		if (param == LANG_P_PLACE)
			return read_place(parse, token);
		*(struct loom_str *)field = token->text;
		return check_name(parse, param, token);
	case LANG_T_FLAG:
		*(bool *)field = true;
		return LOOM_OK;
	case LANG_T_VERB:
		break;
	}
	return LOOM_OK;
}
