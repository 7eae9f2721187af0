/* A word-by-word comparison of two texts. Pure. */
#ifndef LOOM_WORDDIFF_H
#define LOOM_WORDDIFF_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

enum loom_diff_kind { LOOM_DIFF_SAME, LOOM_DIFF_GONE, LOOM_DIFF_NEW };

/* A run of words with the blanks between them. `text` is a slice of the text it occurs in; of the
 * new text when it occurs in both. */
struct loom_diff_part {
	enum loom_diff_kind kind;
	struct loom_str text;
};

struct loom_diff {
	struct loom_diff_part *parts;
	size_t count;
};

/* Fills *out with the parts that are unchanged, gone from `before` or new in `after`, in order; the
 * list is in the arena, the texts are borrowed. The unchanged and gone parts joined are `before`,
 * the unchanged and new ones `after`, byte for byte; where something was replaced, the gone part
 * comes first. A word is a run of letters and digits; a sign, a line end and a character of a
 * script without blanks are words by themselves. Time and memory are bounded: texts with little in
 * common are not compared to the last word, and the end of very long texts that differ in more than
 * their middle is compared as one word. */
void loom_word_diff(struct loom_str before, struct loom_str after, struct loom_arena *arena,
		    struct loom_diff *out);

#endif
