/* Reads the args notation of a verb's row into slots: what may follow the verb, and in which forms.
 *
 * The notation is the one that help shows people (verbs.def explains it), so what help shows and
 * what the parser accepts cannot differ. It is read anew for each call, which takes less than a
 * microsecond and needs no state. */
#include "inside.h"

/* Keys and names that mean something else for one verb than usual. */
static const struct {
	const char *name;
	enum loom_verb verb;
	enum lang_param param;
} meanings[] = {
	{"depth", LOOM_VERB_SEARCH, LANG_P_EFFORT},
	{"at", LOOM_VERB_WRITE, LANG_P_PLACE},
	{"doc", LOOM_VERB_LINK, LANG_P_TARGET_DOC},
	{"doc", LOOM_VERB_UNLINK, LANG_P_TARGET_DOC},
	{"tree", LOOM_VERB_LINK, LANG_P_TARGET_TREE},
	{"section", LOOM_VERB_LINK, LANG_P_TARGET_SECTION},
	{"section", LOOM_VERB_DROP, LANG_P_PIN_SECTION},
};

/* Names without a key. */
static const struct {
	const char *name;
	enum lang_param param;
} bare_names[] = {
	{"ID", LANG_P_ID},       {"ID2", LANG_P_TARGET_NODE}, {"TEXT", LANG_P_CONTENT},
	{"LABEL", LANG_P_LABEL}, {"TAG", LANG_P_LABEL},       {"QUERY", LANG_P_QUERY},
	{"VERB", LANG_P_TOOL},   {"THREAD", LANG_P_REF},      {"THREAD:NAMES", LANG_P_REF},
	{"NAME", LANG_P_DOC},    {"TITLE", LANG_P_LABEL},     {"THREAD:NAME", LANG_P_REF},
};

static const char *connective(struct loom_str word)
{
	static const char *const words[] = {"to", "from", "using", "in", "tree"};

	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		if (loom_str_is(word, words[i]))
			return words[i];
	return NULL;
}

static enum lang_param param_of_key(enum loom_verb verb, struct loom_str key)
{
	for (size_t i = 0; i < LOOM_COUNT(meanings); i++)
		if (meanings[i].verb == verb &&
		    loom_str_eq_fold(key, loom_str_of(meanings[i].name)))
			return meanings[i].param;
	for (int i = 0; key.n && i < LANG_P_COUNT; i++) {
		const char *known = lang_param_info((enum lang_param)i)->key;

		if (*known == (key.p[0] | 0x20) && loom_str_eq_fold(key, loom_str_of(known)))
			return (enum lang_param)i;
	}
	return LANG_P_NONE;
}

static enum lang_param param_of_name(struct loom_str name, const char *leads)
{
	if (name.n >= 2 && name.p[0] == '"')
		name = loom_str_sub(name, 1, name.n - 2);
	if (leads && strcmp(leads, "from") == 0 && loom_str_is(name, "ID"))
		return LANG_P_FROM;
	for (size_t i = 0; i < LOOM_COUNT(bare_names); i++)
		if (loom_str_is(name, bare_names[i].name))
			return bare_names[i].param;
	return LANG_P_NONE;
}

/* ---- reading the notation ---- */

struct reader {
	struct lang_form *form;
	const char *leads;
	bool optional;
	unsigned char item;
};

static struct lang_slot *add_slot(struct reader *reader, enum lang_param param,
				  struct loom_str piece)
{
	struct lang_form *form = reader->form;
	struct lang_slot *slot = &form->slots[form->count];

	if (param == LANG_P_NONE || form->count == LANG_SLOTS_MAX)
		return NULL;
	form->count++;
	*slot = (struct lang_slot){.param = param,
				   .piece = piece,
				   .leads = reader->leads,
				   .item = reader->item,
				   .form = form->forms,
				   .optional = reader->optional};
	return slot;
}

/* Adds key:VALUE. An alternative after `|` without a key of its own is another value. */
static struct lang_slot *add_key(struct reader *reader, struct loom_str piece, size_t colon)
{
	struct loom_str value = loom_str_sub(piece, colon + 1, piece.n);
	enum lang_param param =
		param_of_key(reader->form->verb->verb, loom_str_sub(piece, 0, colon));
	struct lang_slot *slot = NULL;

	if (param == LANG_P_PIN_NODE && loom_str_starts(value, LOOM_STR("doc:")))
		param = LANG_P_PIN_DOC;
	slot = add_slot(reader, param, piece);
	if (slot)
		slot->values = value;
	return slot;
}

static struct lang_slot *add_bare(struct reader *reader, struct loom_str piece)
{
	enum lang_param param = param_of_name(piece, reader->leads);
	struct lang_slot *slot = NULL;

	if (param == LANG_P_NONE)
		param = param_of_key(reader->form->verb->verb, piece);
	if (param == LANG_P_NONE ||
	    (lang_param_info(param)->type != LANG_T_FLAG && piece.p[0] >= 'a' && piece.p[0] <= 'z'))
		param = LANG_P_WHAT;
	slot = add_slot(reader, param, piece);
	if (slot) {
		slot->bare = true;
		slot->values = piece;
	}
	return slot;
}

static void read_item(struct reader *reader, struct loom_str chunk)
{
	struct lang_slot *slot = NULL;
	struct loom_str piece;

	while (loom_str_cut(&chunk, '|', &piece)) {
		size_t colon = loom_str_find_char(piece, ':', 0);
		bool word = piece.p[0] != '"' && colon == SIZE_MAX;

		if (slot && word && (!slot->bare || slot->param == LANG_P_WHAT)) {
			slot->values.n = (size_t)(piece.p + piece.n - slot->values.p);
			slot->piece.n = (size_t)(piece.p + piece.n - slot->piece.p);
		} else if (colon != SIZE_MAX && piece.p[0] != '"' &&
			   param_of_name(piece, NULL) == LANG_P_NONE) {
			slot = add_key(reader, piece, colon);
		} else {
			slot = add_bare(reader, piece);
		}
	}
	reader->item++;
	if (reader->item > reader->form->items)
		reader->form->items = reader->item;
}

static void read_form(struct lang_form *form, struct loom_str text)
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
		} else if (chunk.n && !loom_str_is(chunk, LANG_BACK_ARROW)) {
			read_item(&reader, chunk);
			reader.leads = NULL;
		}
		if (ends)
			reader.optional = false;
	}
	form->forms++;
}

void lang_form_read(enum loom_verb verb, struct lang_form *out)
{
	static const struct loom_str bar = LOOM_STR_INIT(" | ");
	struct loom_str rest;

	*out = (struct lang_form){.verb = loom_verb_info(verb)};
	rest = loom_str_of(out->verb->args);
	for (size_t at = 0; at != SIZE_MAX;) {
		at = loom_str_find(rest, bar, 0);
		read_form(out, loom_str_sub(rest, 0, at));
		if (at != SIZE_MAX)
			rest = loom_str_sub(rest, at + bar.n, rest.n);
	}
	for (size_t i = 0; i < out->count; i++) {
		enum lang_type type = lang_param_info(out->slots[i].param)->type;

		out->takes_id = out->takes_id || type == LANG_T_ID || type == LANG_T_IDS;
	}
}

/* ---- queries ---- */

const struct lang_slot *lang_form_slot(const struct lang_form *form, enum lang_param param)
{
	for (size_t i = 0; i < form->count; i++)
		if (form->slots[i].param == param)
			return &form->slots[i];
	return NULL;
}

enum lang_param lang_form_key(const struct lang_form *form, struct loom_str key)
{
	enum lang_param param = param_of_key(form->verb->verb, key);

	if (param == LANG_P_NONE || lang_param_info(param)->type == LANG_T_FLAG)
		return LANG_P_NONE;
	if (param == LANG_P_TREE && form->takes_id)
		return param;
	return lang_form_slot(form, param) ? param : LANG_P_NONE;
}

/* Whether `word` is one of a|b|c. */
static bool among(struct loom_str values, const char *word)
{
	struct loom_str value;

	while (loom_str_cut(&values, '|', &value))
		if (loom_str_is(value, word))
			return true;
	return false;
}

bool lang_slot_allows(const struct lang_slot *slot, int value)
{
	return among(slot->values, lang_word_of(slot->param, value));
}

bool lang_slot_lists(const struct lang_slot *slot, struct loom_str word)
{
	struct loom_str rest = slot->values;
	struct loom_str one;

	while (loom_str_cut(&rest, '|', &one))
		if (loom_str_eq(one, word))
			return true;
	return false;
}

enum lang_param lang_form_word(const struct lang_form *form, struct loom_str word, int *out_value)
{
	for (size_t i = 0; i < form->count; i++) {
		const struct lang_param_info *info = lang_param_info(form->slots[i].param);

		if (info->type == LANG_T_FLAG && loom_str_eq_fold(word, loom_str_of(info->key)))
			return form->slots[i].param;
	}
	*out_value = lang_word_value(LANG_P_WHAT, word);
	for (size_t i = 0; *out_value && i < form->count; i++)
		if (form->slots[i].param == LANG_P_WHAT &&
		    lang_slot_allows(&form->slots[i], *out_value))
			return LANG_P_WHAT;
	return LANG_P_NONE;
}

lang_mask lang_form_mask(const struct lang_form *form, const struct loom_call *call)
{
	lang_mask mask = 0;

	for (size_t i = 0; i < form->count; i++)
		if (lang_param_set(call, form->slots[i].param))
			mask |= LANG_BIT(form->slots[i].param);
	return mask;
}

size_t lang_form_item(const struct lang_form *form, unsigned char which, unsigned char item,
		      lang_mask mask, bool *out_needed)
{
	size_t set = 0;

	*out_needed = false;
	for (size_t i = 0; i < form->count; i++) {
		const struct lang_slot *slot = &form->slots[i];

		if (slot->form != which || slot->item != item)
			continue;
		*out_needed = *out_needed || !slot->optional;
		set += mask & LANG_BIT(slot->param) ? 1 : 0;
	}
	return set;
}

static unsigned bits_of(lang_mask mask)
{
	return (unsigned)__builtin_popcountll((uint64_t)mask) +
	       (unsigned)__builtin_popcountll((uint64_t)(mask >> 64));
}

/* How badly a form fits. Anything outside the form weighs more than anything missing. */
#define OUTSIDE 100
static unsigned misfit(const struct lang_form *form, unsigned char which, lang_mask mask)
{
	lang_mask inside = 0;
	unsigned missing = 0;
	bool needed = false;

	for (size_t i = 0; i < form->count; i++)
		if (form->slots[i].form == which)
			inside |= LANG_BIT(form->slots[i].param);
	for (unsigned char item = 0; item < form->items; item++)
		if (lang_form_item(form, which, item, mask, &needed) == 0 && needed)
			missing++;
	return missing + OUTSIDE * bits_of(mask & ~inside);
}

bool lang_form_fits(const struct lang_form *form, unsigned char which, lang_mask mask)
{
	return misfit(form, which, mask) < OUTSIDE;
}

unsigned char lang_form_choose(const struct lang_form *form, lang_mask mask, bool *out_fits)
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
