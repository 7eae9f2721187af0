/* Shared by the files that mend seams. */
#ifndef MODEL_MEND_INSIDE_H
#define MODEL_MEND_INSIDE_H

#include <loom/text/mend.h>

/* An answer while it is looked at: what is left of it is from … to. */
struct mending {
	struct loom_str before;
	struct loom_str came;
	size_t from;
	size_t to;
	unsigned faults;
	struct loom_str put;
	bool open;  /* the text before may end inside a word */
	bool inner; /* … and ends inside a sentence */
	bool code;  /* … or inside a fence */
};

/* Returns what is left of the answer. */
static inline struct loom_str mending_rest(const struct mending *mending)
{
	return loom_str_sub(mending->came, mending->from, mending->to - mending->from);
}
static inline void mending_found(struct mending *mending, enum loom_fault fault)
{
	mending->faults |= 1u << fault;
}
/* Leaves out the first `n` bytes of what is left, and the blanks after them; true. */
bool model_mend_skip(struct mending *mending, enum loom_fault fault, size_t n);
/* Leaves out what is left from byte `at` on, and the blanks before it; true. */
bool model_mend_cut(struct mending *mending, enum loom_fault fault, size_t at);

/* --- phrases (mend_words.c) --- */

#define MEND_FOLDED 400
/* Folds the beginning of a text: lower case, plain apostrophes, single blanks. */
void model_mend_fold(struct loom_str text, struct loom_buf *out);
/* Each looks at the beginning of what is left; true if something was left out. */
bool model_mend_preamble(struct mending *mending);
bool model_mend_label(struct mending *mending);
bool model_mend_remark(struct mending *mending);
/* Looks at the end. */
bool model_mend_postamble(struct mending *mending);
/* Notes whether what is left refuses to continue. */
void model_mend_refusal(struct mending *mending);

/* --- joining (mend_join.c) --- */

/* Leaves out what the answer says again of the text before. */
bool model_mend_echo(struct mending *mending);
/* Leaves out a doubled blank, a word or half a word said again; puts a blank where words would be
 * welded. */
void model_mend_join(struct mending *mending);

#endif
