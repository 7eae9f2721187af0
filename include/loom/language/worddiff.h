/* How two texts differ, word by word. Pure. */
#ifndef LOOM_WORDDIFF_H
#define LOOM_WORDDIFF_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

enum loom_diff_kind { LOOM_DIFF_SAME, LOOM_DIFF_GONE, LOOM_DIFF_NEW };

/* A run of words with the blanks between them; `text` points into the text that it stands in (of
 * what is the same: into the new one). */
struct loom_diff_part {
	enum loom_diff_kind kind;
	struct loom_str text;
};

struct loom_diff {
	struct loom_diff_part *parts;
	size_t count;
};

/* The parts of `before` that are gone and of `after` that are new, in order: all that is the same
 * or gone makes `before`, all that is the same or new makes `after`, byte for byte. Where both
 * happened, what is gone comes first. A word is a run of letters and digits; a sign, a line end
 * and a character of a script without blanks stand alone. Time and memory are bounded: texts that
 * have little in common are not compared to the last word, and of very long ones that differ in
 * more than their middle the end is compared as one. */
void loom_word_diff(struct loom_str before, struct loom_str after, struct loom_arena *arena,
		    struct loom_diff *out);

#endif
