/* Checks that a parsed call is complete and that its parts do not exclude each other. */
#include "inside.h"

/* The name of a part without a key; NULL: as in the notation. */
static const char *plain_name(const struct lang_slot *slot)
{
	if (!slot->bare || slot->param == LANG_P_WHAT)
		return NULL;
	if (lang_param_info(slot->param)->type == LANG_T_ID)
		return "a node (an id as a7x2)";
	if (slot->param == LANG_P_LABEL)
		return "a label in quotes";
	if (slot->param == LANG_P_REF)
		return "a thread, such as thread-b";
	return lang_param_info(slot->param)->type == LANG_T_TEXT ? "a text in quotes" : NULL;
}

/* Appends what a slot wants, in words. */
static void describe(const struct lang_slot *slot, struct loom_buf *out)
{
	struct loom_str rest = slot->param == LANG_P_WHAT ? slot->values : slot->piece;
	struct loom_str word;
	bool first = true;

	if (plain_name(slot)) {
		loom_buf_adds(out, plain_name(slot));
		return;
	}
	while (loom_str_cut(&rest, '|', &word)) {
		loom_buf_adds(out, first ? "" : rest.p ? ", " : " or ");
		loom_buf_add(out, word);
		first = false;
	}
}

/* Appends what an item wants. */
static void describe_item(const struct lang_form *form, unsigned char which, unsigned char item,
			  struct loom_buf *out)
{
	struct loom_buf one = LOOM_BUF_INIT(400);

	for (size_t i = 0; i < form->count; i++) {
		const struct lang_slot *slot = &form->slots[i];

		if (slot->form != which || slot->item != item)
			continue;
		loom_buf_clear(&one);
		describe(slot, &one);
		if (loom_str_find(loom_buf_str(out), loom_buf_str(&one), 0) != SIZE_MAX)
			continue;
		loom_buf_adds(out, out->n ? ", or " : "");
		loom_buf_add(out, loom_buf_str(&one));
	}
	loom_buf_fini(&one);
}

/* Asks for what is missing first, in every form that fits what is there. */
static enum loom_status ask_missing(struct lang_parse *parse, lang_mask mask)
{
	struct loom_buf wanted = LOOM_BUF_INIT(400);
	const struct lang_form *form = &parse->form;
	enum loom_status status = LOOM_OK;
	bool needed = false;

	for (unsigned char which = 0; which < form->forms; which++) {
		unsigned char item = 0;

		while (item < form->items &&
		       (lang_form_item(form, which, item, mask, &needed) > 0 || !needed))
			item++;
		if (lang_form_fits(form, which, mask))
			describe_item(form, which, item, &wanted);
	}
	status =
		lang_ask(parse, "which one? %s needs %s", form->verb->name, loom_buf_cstr(&wanted));
	loom_buf_fini(&wanted);
	return status;
}

static enum loom_status ask_which(struct lang_parse *parse, unsigned char which, unsigned char item)
{
	struct loom_buf all = LOOM_BUF_INIT(400);
	enum loom_status status = LOOM_OK;

	describe_item(&parse->form, which, item, &all);
	status = lang_ask(parse, "which of them? %s takes only one: %s", parse->form.verb->name,
			  loom_buf_cstr(&all));
	loom_buf_fini(&all);
	return status;
}

static enum loom_status check_item(struct lang_parse *parse, unsigned char which,
				   unsigned char item, lang_mask mask)
{
	bool needed = false;
	size_t set = lang_form_item(&parse->form, which, item, mask, &needed);

	if (set > 1)
		return ask_which(parse, which, item);
	return needed && set == 0 ? ask_missing(parse, mask) : LOOM_OK;
}

/* The first set parameter that does not belong to form `which`. */
static const struct lang_slot *stranger(const struct lang_form *form, unsigned char which,
					lang_mask mask)
{
	for (size_t i = 0; i < form->count; i++)
		if (form->slots[i].form == which)
			mask &= ~LANG_BIT(form->slots[i].param);
	for (size_t i = 0; i < form->count; i++)
		if (mask & LANG_BIT(form->slots[i].param))
			return &form->slots[i];
	return NULL;
}

/* A choice that belongs to another form of the verb. */
static const struct lang_slot *strange_word(const struct lang_form *form, unsigned char which,
					    const struct loom_call *call)
{
	for (size_t i = 0; i < form->count; i++) {
		const struct lang_slot *slot = &form->slots[i];

		if (slot->form == which && lang_param_info(slot->param)->type == LANG_T_WORD &&
		    lang_param_set(call, slot->param) &&
		    !lang_slot_allows(slot, lang_param_word(call, slot->param)))
			return slot;
	}
	return NULL;
}

bool lang_tree_has_use(const struct lang_form *form, const struct loom_call *call)
{
	const enum loom_verb verb = form->verb->verb;

	for (size_t i = 0; i < form->count; i++) {
		const enum lang_param param = form->slots[i].param;
		const enum lang_type type = lang_param_info(param)->type;

		if ((type == LANG_T_ID || type == LANG_T_IDS) && lang_param_set(call, param))
			return true;
	}
	return verb == LOOM_VERB_TREE || verb == LOOM_VERB_SEARCH || verb == LOOM_VERB_CONTINUE;
}

enum loom_status lang_check(struct lang_parse *parse)
{
	lang_mask mask = lang_form_mask(&parse->form, parse->call);
	enum loom_status status = LOOM_OK;
	bool fits = false;
	unsigned char which = lang_form_choose(&parse->form, mask, &fits);

	const struct lang_slot *slot = NULL;

	/* A word may say which of the forms is meant. */
	for (unsigned char other = 0; fits && other < parse->form.forms; other++)
		if (strange_word(&parse->form, which, parse->call) &&
		    lang_form_fits(&parse->form, other, mask) &&
		    !strange_word(&parse->form, other, parse->call))
			which = other;
	slot = fits ? NULL : stranger(&parse->form, which, mask);

	if (slot)
		return lang_refuse(parse, "%.*s does not go with the rest of this %s",
				   LOOM_STR_ARG(slot->piece), parse->form.verb->name);
	slot = strange_word(&parse->form, which, parse->call);
	if (slot)
		return lang_refuse(parse, "\"%s\" does not go with the rest of this %s",
				   lang_word_of(slot->param,
						lang_param_word(parse->call, slot->param)),
				   parse->form.verb->name);
	for (unsigned char item = 0; status == LOOM_OK && item < parse->form.items; item++)
		status = check_item(parse, which, item, mask);
	if (status == LOOM_OK && lang_param_set(parse->call, LANG_P_TREE) &&
	    !lang_tree_has_use(&parse->form, parse->call))
		return lang_refuse(parse, "in tree: needs a node, and this %s has none",
				   parse->form.verb->name);
	return status;
}
