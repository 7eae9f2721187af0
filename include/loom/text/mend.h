/* What a chat model's answer has around the continuation it was asked for, and how the two are
 * joined: preambles, echoes, labels and wrappings are found by rules, and a seam leaves them out.
 * Pure; no byte of the answer is changed. */
#ifndef LOOM_MEND_H
#define LOOM_MEND_H

#include <loom/text/seam.h>

/* id, word. The last three are kinds of seams, not of words. */
#define LOOM_FAULTS(X)                                                                             \
	X(PREAMBLE, "preamble")                                                                    \
	X(LABEL, "label")                                                                          \
	X(REMARK, "remark")                                                                        \
	X(THINKING, "thinking")                                                                    \
	X(FENCE, "fence")                                                                          \
	X(TAGS, "tags")                                                                            \
	X(QUOTES, "quotes")                                                                        \
	X(RULE, "rule")                                                                            \
	X(POSTAMBLE, "postamble")                                                                  \
	X(REFUSAL, "refusal")                                                                      \
	X(ECHO, "echo")                                                                            \
	X(WELD, "welded")                                                                          \
	X(DOUBLED, "doubled")
enum loom_fault {
#define X(id, word) LOOM_FAULT_##id,
	LOOM_FAULTS(X)
#undef X
		LOOM_FAULT_COUNT
};
/* Returns the word for a fault. Static. */
const char *loom_fault_word(enum loom_fault fault);

/* A text and the answer that is to continue it. */
struct loom_joint {
	struct loom_str before; /* as it is read; its end is enough */
	bool open;              /* its length ran out, so it may end inside a word */
	struct loom_str came;
};
struct loom_mended {
	struct loom_seam seam;
	unsigned faults; /* bits 1 << enum loom_fault: what was found */
};
/* Finds the seam. An answer without a fault has an empty one. */
void loom_mend(const struct loom_joint *joint, struct loom_mended *out);

#endif
