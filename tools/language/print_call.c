/* Typed calls back to text, and comparing them.
 *
 * The verb's form gives the order and the spelling, so what is printed is what help shows. Law:
 * parsing what is printed gives the same call. */
#include "inside.h"

struct loom_call loom_call_of(enum loom_verb verb)
{
	return (struct loom_call){.verb = verb};
}

bool loom_call_wants_web(const struct loom_call *call)
{
	return call->web || call->effort != LOOM_EFFORT_NONE || call->topic.p ||
	       call->include.count || call->exclude.count;
}

/* ---- printing ---- */

void loom_call_quote(struct loom_str text, struct loom_buf *out)
{
	loom_buf_addc(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\')
			loom_buf_addc(out, '\\');
		loom_buf_addc(out, text.p[i]);
	}
	loom_buf_addc(out, '"');
}

static bool is_plain(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '-' && !(c == '.' && i + 1 < text.n))
			return false;
	}
	return text.n > 0;
}

/* Prints a name, without quotes if it needs none. */
static void print_name(struct loom_str name, struct loom_buf *out)
{
	if (is_plain(name))
		loom_buf_add(out, name);
	else
		loom_call_quote(name, out);
}

static void print_names(const struct loom_names *names, struct loom_buf *out)
{
	struct loom_buf list = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool plain = true;

	for (size_t i = 0; i < names->count; i++) {
		loom_buf_adds(&list, i ? "," : "");
		loom_buf_add(&list, names->items[i]);
		plain = plain && is_plain(names->items[i]);
	}
	if (plain)
		loom_buf_add(out, loom_buf_str(&list));
	else
		loom_call_quote(loom_buf_str(&list), out);
	loom_buf_fini(&list);
}

static void print_place(const struct loom_place *place, struct loom_buf *out)
{
	if (place->kind == LOOM_PLACE_START)
		loom_buf_adds(out, "start");
	else if (place->kind == LOOM_PLACE_END)
		loom_buf_adds(out, "end");
	else if (place->kind == LOOM_PLACE_LINE)
		loom_buf_addf(out, "%lld", (long long)place->line);
	else
		loom_call_quote(place->section, out);
}

static void print_value(const struct loom_call *call, enum lang_param param, struct loom_buf *out)
{
	const void *field = lang_param_peek(call, param);
	const struct loom_str *text = field;
	const int64_t *number = field;

	switch (lang_param_info(param)->type) {
	case LANG_T_ID:
		loom_buf_add(out, *text);
		break;
	case LANG_T_IDS:
		loom_buf_addf(out, "%.*s-%.*s", LOOM_STR_ARG(text[0]), LOOM_STR_ARG(text[1]));
		break;
	case LANG_T_NAME:
		if (param == LANG_P_SECTION || param == LANG_P_PIN_SECTION ||
		    param == LANG_P_TARGET_SECTION || param == LANG_P_REPLACE ||
		    param == LANG_P_AUTHOR || param == LANG_P_TOPIC) {
			print_name(*text, out);
			break;
		}
		loom_call_quote(*text, out);
		break;
	case LANG_T_TEXT:
		loom_call_quote(*text, out);
		break;
	case LANG_T_INT:
		loom_buf_addf(out, "%lld", (long long)*number);
		break;
	case LANG_T_RANGE:
		loom_buf_addf(out, "%lld-%lld", (long long)number[0], (long long)number[1]);
		break;
	case LANG_T_FLAG:
		loom_buf_adds(out, lang_param_info(param)->key);
		break;
	case LANG_T_WORD:
		loom_buf_adds(out, lang_word_of(param, lang_param_word(call, param)));
		break;
	case LANG_T_NAMES:
		print_names(field, out);
		break;
	case LANG_T_PLACE:
		print_place(field, out);
		break;
	case LANG_T_VERB:
		loom_buf_adds(out, loom_verb_name(call->tool));
		break;
	}
}

static void print_tree(const struct loom_call *call, struct loom_buf *out)
{
	loom_buf_adds(out, " in tree:");
	loom_call_quote(call->tree, out);
}

static void print_slot(const struct loom_call *call, const struct lang_slot *slot,
		       struct loom_buf *out)
{
	loom_buf_addc(out, ' ');
	if (slot->leads)
		loom_buf_addf(out, "%s ", slot->leads);
	if (!slot->bare)
		loom_buf_addf(out, "%s:", lang_param_info(slot->param)->key);
	print_value(call, slot->param, out);
}

/* Prints a thought of one line behind its verb, others below it. An unterminated thought that ends
 * in ← goes below too, where that ← does not close it. */
static void print_thought(const struct loom_call *call, struct loom_buf *out)
{
	struct loom_str before;
	bool closes = call->unterminated && lang_cut_back_arrow(call->content, &before);
	bool inlined = !closes && loom_str_find_char(call->content, '\n', 0) == SIZE_MAX;

	loom_buf_adds(out, inlined ? "think " : "think\n");
	loom_buf_add(out, call->content);
	if (!call->unterminated)
		loom_buf_adds(out, inlined ? " " LANG_BACK_ARROW : "\n" LANG_BACK_ARROW);
}

void loom_call_print(const struct loom_call *call, struct loom_buf *out)
{
	struct lang_form form;
	bool fits = false;
	bool tree = !call->tree.p;
	unsigned char which = 0;

	if (call->verb == LOOM_VERB_THINK) {
		print_thought(call, out);
		return;
	}
	if (call->verb == LOOM_VERB_NONE)
		return;
	lang_form_read(call->verb, &form);
	which = lang_form_choose(&form, lang_form_mask(&form, call), &fits);
	loom_buf_adds(out, form.verb->name);
	for (size_t i = 0; i < form.count; i++) {
		const struct lang_slot *slot = &form.slots[i];
		enum lang_type type = lang_param_info(slot->param)->type;

		if (slot->form != which || !lang_param_set(call, slot->param) ||
		    slot->param == LANG_P_TREE)
			continue;
		print_slot(call, slot, out);
		if (!tree && (type == LANG_T_ID || type == LANG_T_IDS)) {
			print_tree(call, out);
			tree = true;
		}
	}
	if (!tree)
		print_tree(call, out);
}

static bool stands(struct loom_str text, struct loom_str line)
{
	for (size_t at = 0; at + text.n <= line.n; at++)
		if (loom_str_eq_fold(loom_str_sub(line, at, text.n), text))
			return true;
	return false;
}

static bool names_stand(const struct loom_names *names, struct loom_str line)
{
	for (size_t i = 0; i < names->count; i++)
		if (!stands(names->items[i], line))
			return false;
	return true;
}

bool loom_call_stands_in(const struct loom_call *call, struct loom_str line)
{
	for (int param = 0; param < LANG_P_COUNT; param++) {
		const struct loom_str *text = lang_param_peek(call, (enum lang_param)param);
		enum lang_type type = lang_param_info((enum lang_param)param)->type;

		if (!lang_param_set(call, (enum lang_param)param))
			continue;
		if ((type == LANG_T_ID || type == LANG_T_NAME || type == LANG_T_TEXT ||
		     type == LANG_T_IDS) &&
		    !stands(text[0], line))
			return false;
		if (type == LANG_T_IDS && !stands(text[1], line))
			return false;
		if (type == LANG_T_NAMES && !names_stand((const void *)text, line))
			return false;
		if (type == LANG_T_PLACE && !stands(call->place.section, line))
			return false;
	}
	return true;
}
