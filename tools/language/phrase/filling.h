/* Shared by the parts that fill the slots of a shape: slots.c for what is said, guess.c for what is
 * missing. */
#ifndef LOOM_TOOLS_PHRASE_FILLING_H
#define LOOM_TOOLS_PHRASE_FILLING_H

#include "inside.h"

enum slot_kind {
	KIND_ID,
	KIND_ID_ALONE,
	KIND_TEXT,
	KIND_TEXT_ALONE,
	KIND_NAME,
	KIND_NAME_ALONE,
	KIND_NAME_LAST,
	KIND_NAME_FIRST,
	KIND_NAME_MODE,
	KIND_NUM,
	KIND_NUM_ALONE,
	KIND_NUM_MODE,
	KIND_RANGE,
	KIND_CHOICE,
	KIND_CHOICE_ALONE,
	KIND_VERB,
	KIND_THREAD,
	KIND_FLAG,
	KIND_MODE,
	KIND_ELSE,
	KIND_PERHAPS,
	KIND_SKIP,
};

struct slot {
	enum phrase_shape shape;
	enum slot_kind kind;
	const char *keys;
	const char *spelling;
};

#define SLOTS_MAX   12
#define PENDING_MAX 8

struct filling {
	struct loom_arena *arena;
	const struct phrase_fill *fill;
	const struct slot *slots[SLOTS_MAX];
	struct loom_str values[SLOTS_MAX]; /* as they are spelled */
	size_t count;
	const struct phrase_word *pending[PENDING_MAX]; /* the keys since the last value */
	size_t pending_count;
	const struct phrase_word *texts[4]; /* without a key, for the end */
	size_t text_count;
	size_t nodes;                    /* nodes without a slot of their own so far */
	size_t astray;                   /* the first word without a place; SIZE_MAX: none */
	const struct phrase_word *named; /* the last bare word that became a name, or NULL … */
	size_t named_slot;               /* … and where it went */
};

/* Returns whether a word is one of a|b|c. */
bool phrase_has_word(const char *list, struct loom_str word);
/* Returns whether the slot's value is a name, which may be a bare word. */
bool phrase_is_name(enum slot_kind kind);
/* Returns the first free slot for a value without a key, SIZE_MAX when there is none. */
size_t phrase_free_slot(const struct filling *filling, const struct phrase_word *word);
/* Puts a word's value into a slot. */
void phrase_put(struct filling *filling, size_t slot, const struct phrase_word *word);
/* Returns whether the word is a key of this shape. */
bool phrase_is_key(const struct filling *filling, const struct phrase_word *word);

/* Puts what may have been meant into slots that are still free. */
void phrase_guess_slots(struct filling *filling);

#endif
