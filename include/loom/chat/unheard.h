/* What a model said as if it were a call, and what did not run: in a list, in code, with another
 * arrow, in the middle of a sentence, or in the shape of another program's tools. Pure. */
#ifndef LOOM_UNHEARD_H
#define LOOM_UNHEARD_H

#include <loom/language/parse.h>

/* A call that was not heard. */
struct chat_unheard_one {
	size_t begin; /* its lines, in the turn's prose; begin = end: they are not in it */
	size_t end;
	int64_t line;          /* in what was said; 0: the provider sent it beside the text */
	struct loom_str works; /* the line that works, with its arrow; or the form of its verb */
};
struct chat_unheard {
	struct chat_unheard_one *items; /* in the order of the prose */
	size_t count;
	size_t cap;
};

/* Finds what was meant as a call in the prose of a turn that kept it, and in `native`, the calls
 * that a provider sent beside the text, as JSON. What explains a call to a person is none. The list
 * is in the arena. */
void chat_unheard_find(const struct loom_turn *turn, struct loom_str native,
		       struct loom_arena *arena, struct chat_unheard *out);
/* Appends what the model and the person are told: that it did not run, and the lines that do, each
 * after `before`. */
void chat_unheard_say(const struct chat_unheard *unheard, const char *before, struct loom_buf *out);
/* Appends the first `most` bytes of a turn's prose without the lines of what was not heard. */
void chat_unheard_cut(const struct chat_unheard *unheard, struct loom_str prose,
		      struct loom_buf *out);

/* Calls in the shape of another program's tools, as lines of ours. */
#define CHAT_FOREIGN_MAX 8
struct chat_foreign {
	struct loom_str lines[CHAT_FOREIGN_MAX]; /* without the arrow */
	size_t count;
	size_t bytes; /* what they take of the text */
};
/* Reads calls in JSON, XML or as functions at the beginning of `text`, in any of the shapes of
 * well-known models. Returns false when there is none of a command of ours. In the arena. */
bool chat_foreign_read(struct loom_str text, struct loom_arena *arena, struct chat_foreign *out);

#endif
