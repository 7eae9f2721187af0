/* Finds commands by what a person wishes: `?`, `.`, the palette and `loom help WORD` rank their
 * rows with this, so that a word finds the same thing wherever it is typed. */
#ifndef LOOM_WISH_H
#define LOOM_WISH_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* A row, as help and menus show it. */
struct loom_offer {
	struct loom_str name;    /* of the command, verb or action */
	struct loom_str key;     /* as people read it; may be empty */
	struct loom_str summary; /* one sentence */
};

/* How well a row fits what was typed; 0 when no word of it does. More words found rank higher than
 * better found words, and the row's own name highest. */
unsigned loom_wish_rank(struct loom_str wish, const struct loom_offer *offer);
/* How many words of the wish a rank stands for. */
unsigned loom_wish_found(unsigned rank);
/* Whether a word names the row, is one of its synonyms or begins a word of its summary. */
bool loom_wish_fits(struct loom_str word, const struct loom_offer *offer);
/* The row of wishes.def at `index`; false after the last. */
bool loom_wish_at(size_t index, struct loom_str *out_name, struct loom_str *out_words);

/* Appends the pages about a name, which may be a command's, a family's, a verb's and a topic's at
 * once: what it does, its forms, what each of its words means. False when nothing has it. */
bool loom_help_text(struct loom_arena *arena, struct loom_str name, struct loom_buf *out);

#endif
