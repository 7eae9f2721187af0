/* Words as search knows them: folded runs of letters and digits, CJK characters one by one. Pure.
 */
#ifndef LOOM_WORDS_H
#define LOOM_WORDS_H

#include <loom/base/str.h>

/* The next word of a text at or after *at, moving *at behind it: one CJK character, or a run of
 * letters and digits with their marks. Appends its folded form to *folded (cleared first). False
 * at the end. */
bool loom_word_next(struct loom_str text, size_t *at, size_t *out_from, struct loom_buf *folded);
/* Writes what the index is asked from what a person typed; false when no word is in it. The phrase
 * from *out_growing on (the end, when there is none) ends in a word that may still be growing. */
bool loom_words_query(struct loom_str typed, struct loom_buf *out, size_t *out_growing);
/* A piece of `text` around the first of the typed words, at most `cells` characters. */
void loom_words_snippet(struct loom_str text, struct loom_str typed, size_t chars,
			struct loom_buf *out);

#endif
