/* What a line left out, from the words that found no place: for hints only. */
#include "filling.h"

/* Puts all that was said from a word on into a slot. */
static void put_rest(struct filling *filling, size_t slot, const struct phrase_word *first)
{
	const struct phrase_words *words = filling->fill->words;
	const struct loom_str last = words->items[words->count - 1].raw;
	const struct phrase_word rest = {.kind = PHRASE_TEXT,
					 .text = {first->raw.p,
						  (size_t)(last.p + last.n - first->raw.p)}};

	/* The missing text runs to the end of the line; if it contains a node, it is not a text. */
	for (; first < &words->items[words->count]; first++)
		if (first->kind == PHRASE_ID || first->kind == PHRASE_PLACE)
			return;
	if (last.p >= rest.text.p)
		phrase_put(filling, slot, &rest);
}

/* In a guess, the words without a place are the text that is missing. */
static void guess_text(struct filling *filling)
{
	const struct phrase_word *stray =
		filling->astray == SIZE_MAX ? NULL : &filling->fill->words->items[filling->astray];
	const size_t slot = phrase_free_slot(filling, &(struct phrase_word){.kind = PHRASE_TEXT});

	if (!stray || (stray->kind != PHRASE_WORD && stray->kind != PHRASE_NUM) ||
	    phrase_is_key(filling, stray))
		return;
	/* A name in several words of which the first was taken. */
	if (filling->named && filling->named == stray - 1) {
		put_rest(filling, filling->named_slot, filling->named);
		return;
	}
	if (slot == SIZE_MAX || (stray->kind == PHRASE_NUM && filling->astray == filling->fill->at))
		return;
	if (stray->kind == PHRASE_NUM ||
	    (filling->astray > filling->fill->at && phrase_has_word("the|a|an", stray[-1].text) &&
	     !phrase_is_name(filling->slots[slot]->kind)))
		stray--;
	put_rest(filling, slot, stray);
}

/* Words after the node that start with a capital are text, even if they are keywords: `edit a7x2
 * New text`. */
static void guess_behind(struct filling *filling)
{
	const struct phrase_words *words = filling->fill->words;
	const size_t slot = phrase_free_slot(filling, &(struct phrase_word){.kind = PHRASE_TEXT});
	size_t at = words->count;

	while (at > filling->fill->at && words->items[at - 1].kind == PHRASE_WORD)
		at--;
	if (slot != SIZE_MAX && at > filling->fill->at && at < words->count &&
	    words->items[at - 1].kind == PHRASE_ID && words->items[at].raw.p[0] >= 'A' &&
	    words->items[at].raw.p[0] <= 'Z')
		put_rest(filling, slot, &words->items[at]);
}

/* A guessed `view` or `list` without a node means the current one. */
static void guess_node(struct filling *filling)
{
	const enum loom_verb verb = phrase_shape_verb(filling->fill->shape);
	bool other = false;

	for (size_t slot = 0; slot < filling->count; slot++)
		other = other || filling->values[slot].p;
	if ((verb == LOOM_VERB_VIEW || verb == LOOM_VERB_LIST) && filling->count && !other &&
	    filling->slots[0]->kind == KIND_ID_ALONE)
		filling->values[0] = LOOM_STR("here");
}

void phrase_guess_slots(struct filling *filling)
{
	if (!filling->fill->named) {
		guess_text(filling);
		guess_behind(filling);
	}
	guess_node(filling);
}
