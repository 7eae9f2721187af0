/* Words as search defines them: folded runs of letters and digits, and single CJK characters.
 * Pure. */
#ifndef LOOM_WORDS_H
#define LOOM_WORDS_H

#include <loom/base/str.h>

/* Finds the next word at or after *at and moves *at past it: a CJK character, or a run of letters
 * and digits with their marks. Writes its folded form to *folded. False at the end. */
bool loom_word_next(struct loom_str text, size_t *at, size_t *out_from, struct loom_buf *folded);
/* Turns a typed query into an index query; false if it has no word. The phrase from *out_growing on
 * (the end if there is none) ends in a word the person may still be typing. */
bool loom_words_query(struct loom_str typed, struct loom_buf *out, size_t *out_growing);
/* Appends an excerpt of `text`, at most `chars` characters, around the first typed word in it. */
void loom_words_snippet(struct loom_str text, struct loom_str typed, size_t chars,
			struct loom_buf *out);

#endif
