/* The args notation of a verb's row, read into slots: what may follow it, in which whole forms.
 *
 * The notation is the one that people read in help (verbs.def tells it), so that what help
 * shows and what the parser takes cannot differ. It is read anew for each call: that costs less
 * than a microsecond and keeps no state. */
#include "inside.h"

/* What a key or name means for one verb, where that differs from its usual meaning. */
static const struct {
	const char *name;
	enum loom_verb verb;
	enum tool_param param;
} meanings[] = {
	{"depth", LOOM_VERB_SEARCH, TOOL_P_EFFORT},
	{"at", LOOM_VERB_WRITE, TOOL_P_PLACE},
	{"doc", LOOM_VERB_LINK, TOOL_P_TARGET_DOC},
	{"tree", LOOM_VERB_LINK, TOOL_P_TARGET_TREE},
	{"section", LOOM_VERB_LINK, TOOL_P_TARGET_SECTION},
	{"section", LOOM_VERB_DROP, TOOL_P_PIN_SECTION},
};

/* What stands by itself. */
static const struct {
	const char *name;
	enum tool_param param;
} bare_names[] = {
	{"ID", TOOL_P_ID},       {"ID2", TOOL_P_TARGET_NODE}, {"TEXT", TOOL_P_CONTENT},
	{"LABEL", TOOL_P_LABEL}, {"TAG", TOOL_P_LABEL},       {"QUERY", TOOL_P_QUERY},
	{"VERB", TOOL_P_TOOL},
};

static const char *connective(struct loom_str word)
{
	static const char *const words[] = {"to", "from", "using", "in"};

	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		if (loom_str_is(word, words[i]))
			return words[i];
	return NULL;
}

static enum tool_param param_of_key(enum loom_verb verb, struct loom_str key)
{
	for (size_t i = 0; i < LOOM_COUNT(meanings); i++)
		if (meanings[i].verb == verb &&
		    loom_str_eq_fold(key, loom_str_of(meanings[i].name)))
			return meanings[i].param;
	for (int i = 0; key.n && i < TOOL_P_COUNT; i++) {
		const char *known = tool_param_info((enum tool_param)i)->key;

		if (*known == (key.p[0] | 0x20) && loom_str_eq_fold(key, loom_str_of(known)))
			return (enum tool_param)i;
	}
	return TOOL_P_NONE;
}

static enum tool_param param_of_name(struct loom_str name, const char *leads)
{
	if (name.n >= 2 && name.p[0] == '"')
		name = loom_str_sub(name, 1, name.n - 2);
	if (leads && strcmp(leads, "from") == 0)
		return TOOL_P_FROM;
	for (size_t i = 0; i < LOOM_COUNT(bare_names); i++)
		if (loom_str_is(name, bare_names[i].name))
			return bare_names[i].param;
	return TOOL_P_NONE;
}

/* ---- reading the notation ---- */

struct reader {
	struct tool_form *form;
	const char *leads;
	bool optional;
	unsigned char item;
};

static struct tool_slot *add_slot(struct reader *reader, enum tool_param param,
				  struct loom_str piece)
{
	struct tool_form *form = reader->form;
	struct tool_slot *slot = &form->slots[form->count];

	if (param == TOOL_P_NONE || form->count == TOOL_SLOTS_MAX)
		return NULL;
	form->count++;
	*slot = (struct tool_slot){.param = param,
				   .piece = piece,
				   .leads = reader->leads,
				   .item = reader->item,
				   .form = form->forms,
				   .optional = reader->optional};
	return slot;
}

/* key:VALUE; what follows with `|` and no key of its own is another value. */
static struct tool_slot *add_key(struct reader *reader, struct loom_str piece, size_t colon)
{
	struct loom_str value = loom_str_sub(piece, colon + 1, piece.n);
	enum tool_param param =
		param_of_key(reader->form->verb->verb, loom_str_sub(piece, 0, colon));
	struct tool_slot *slot = NULL;

	if (param == TOOL_P_PIN_NODE && loom_str_starts(value, LOOM_STR("doc:")))
		param = TOOL_P_PIN_DOC;
	slot = add_slot(reader, param, piece);
	if (slot)
		slot->values = value;
	return slot;
}

static struct tool_slot *add_bare(struct reader *reader, struct loom_str piece)
{
	enum tool_param param = param_of_name(piece, reader->leads);
	struct tool_slot *slot = NULL;

	if (param == TOOL_P_NONE)
		param = param_of_key(reader->form->verb->verb, piece);
	if (param == TOOL_P_NONE ||
	    (tool_param_info(param)->type != TOOL_T_FLAG && piece.p[0] >= 'a' && piece.p[0] <= 'z'))
		param = TOOL_P_WHAT;
	slot = add_slot(reader, param, piece);
	if (slot) {
		slot->bare = true;
		slot->values = piece;
	}
	return slot;
}

static void read_item(struct reader *reader, struct loom_str chunk)
{
	struct tool_slot *slot = NULL;
	struct loom_str piece;

	while (loom_str_cut(&chunk, '|', &piece)) {
		size_t colon = loom_str_find_char(piece, ':', 0);
		bool word = piece.p[0] != '"' && colon == SIZE_MAX;

		if (slot && word && (!slot->bare || slot->param == TOOL_P_WHAT)) {
			slot->values.n = (size_t)(piece.p + piece.n - slot->values.p);
			slot->piece.n = (size_t)(piece.p + piece.n - slot->piece.p);
		} else if (colon != SIZE_MAX && piece.p[0] != '"') {
			slot = add_key(reader, piece, colon);
		} else {
			slot = add_bare(reader, piece);
		}
	}
	reader->item++;
	if (reader->item > reader->form->items)
		reader->form->items = reader->item;
}

static void read_form(struct tool_form *form, struct loom_str text)
{
	struct reader reader = {.form = form};
	struct loom_str chunk;

	while (loom_str_cut(&text, ' ', &chunk)) {
		bool ends = loom_str_ends(chunk, LOOM_STR("]"));

		if (loom_str_starts(chunk, LOOM_STR("["))) {
			reader.optional = true;
			chunk = loom_str_sub(chunk, 1, chunk.n);
		}
		if (ends)
			chunk.n--;
		if (connective(chunk)) {
			reader.leads = connective(chunk);
		} else if (chunk.n && !loom_str_is(chunk, TOOL_BACK_ARROW)) {
			read_item(&reader, chunk);
			reader.leads = NULL;
		}
		if (ends)
			reader.optional = false;
	}
	form->forms++;
}

void tool_form_read(enum loom_verb verb, struct tool_form *out)
{
	static const struct loom_str bar = LOOM_STR_INIT(" | ");
	struct loom_str rest;

	*out = (struct tool_form){.verb = loom_verb_info(verb)};
	rest = loom_str_of(out->verb->args);
	for (size_t at = 0; at != SIZE_MAX;) {
		at = loom_str_find(rest, bar, 0);
		read_form(out, loom_str_sub(rest, 0, at));
		if (at != SIZE_MAX)
			rest = loom_str_sub(rest, at + bar.n, rest.n);
	}
	for (size_t i = 0; i < out->count; i++) {
		enum tool_type type = tool_param_info(out->slots[i].param)->type;

		out->takes_id = out->takes_id || type == TOOL_T_ID || type == TOOL_T_IDS;
	}
}

/* ---- asking a form ---- */

const struct tool_slot *tool_form_slot(const struct tool_form *form, enum tool_param param)
{
	for (size_t i = 0; i < form->count; i++)
		if (form->slots[i].param == param)
			return &form->slots[i];
	return NULL;
}

enum tool_param tool_form_key(const struct tool_form *form, struct loom_str key)
{
	enum tool_param param = param_of_key(form->verb->verb, key);

	if (param == TOOL_P_NONE || tool_param_info(param)->type == TOOL_T_FLAG)
		return TOOL_P_NONE;
	if (param == TOOL_P_TREE && form->takes_id)
		return param;
	return tool_form_slot(form, param) ? param : TOOL_P_NONE;
}

/* Whether one of the words in `a|b|c` is this one. */
static bool among(struct loom_str values, const char *word)
{
	struct loom_str value;

	while (loom_str_cut(&values, '|', &value))
		if (loom_str_is(value, word))
			return true;
	return false;
}

bool tool_slot_allows(const struct tool_slot *slot, int value)
{
	return among(slot->values, tool_word_of(slot->param, value));
}

enum tool_param tool_form_word(const struct tool_form *form, struct loom_str word, int *out_value)
{
	const struct tool_slot *what = tool_form_slot(form, TOOL_P_WHAT);

	for (size_t i = 0; i < form->count; i++) {
		const struct tool_param_info *info = tool_param_info(form->slots[i].param);

		if (info->type == TOOL_T_FLAG && loom_str_eq_fold(word, loom_str_of(info->key)))
			return form->slots[i].param;
	}
	*out_value = tool_word_value(TOOL_P_WHAT, word);
	return what && *out_value && tool_slot_allows(what, *out_value) ? TOOL_P_WHAT : TOOL_P_NONE;
}

uint64_t tool_form_mask(const struct tool_form *form, const struct loom_call *call)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < form->count; i++)
		if (tool_param_set(call, form->slots[i].param))
			mask |= TOOL_BIT(form->slots[i].param);
	return mask;
}

size_t tool_form_item(const struct tool_form *form, unsigned char which, unsigned char item,
		      uint64_t mask, bool *out_needed)
{
	size_t set = 0;

	*out_needed = false;
	for (size_t i = 0; i < form->count; i++) {
		const struct tool_slot *slot = &form->slots[i];

		if (slot->form != which || slot->item != item)
			continue;
		*out_needed = *out_needed || !slot->optional;
		set += mask & TOOL_BIT(slot->param) ? 1 : 0;
	}
	return set;
}

/* How badly a form fits: what stands outside it weighs more than anything that is missing. */
#define OUTSIDE 100
static unsigned misfit(const struct tool_form *form, unsigned char which, uint64_t mask)
{
	uint64_t inside = 0;
	unsigned missing = 0;
	bool needed = false;

	for (size_t i = 0; i < form->count; i++)
		if (form->slots[i].form == which)
			inside |= TOOL_BIT(form->slots[i].param);
	for (unsigned char item = 0; item < form->items; item++)
		if (tool_form_item(form, which, item, mask, &needed) == 0 && needed)
			missing++;
	return missing + OUTSIDE * (unsigned)__builtin_popcountll(mask & ~inside);
}

bool tool_form_fits(const struct tool_form *form, unsigned char which, uint64_t mask)
{
	return misfit(form, which, mask) < OUTSIDE;
}

unsigned char tool_form_choose(const struct tool_form *form, uint64_t mask, bool *out_fits)
{
	unsigned char best = 0;
	unsigned least = misfit(form, 0, mask);

	for (unsigned char which = 1; which < form->forms; which++) {
		unsigned here = misfit(form, which, mask);

		if (here < least) {
			least = here;
			best = which;
		}
	}
	*out_fits = least < OUTSIDE;
	return best;
}
