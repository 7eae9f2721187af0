/* Notes on a passage of a text rather than on all of it. What is kept is the passage itself, so it
 * is found again in a version in which it stands elsewhere, and missed in one that has changed it.
 */
#ifndef LOOM_READING_ANCHOR_H
#define LOOM_READING_ANCHOR_H

#include <loom/tree/node.h>

struct loom_anchor {
	struct loom_str passage; /* empty: the note is on all of the text */
	bool fits;               /* the passage stands in the text */
	size_t at;               /* there: its first byte */
};
/* Writes what a note keeps of its passage, for the `extra` of its node; `at` is the passage's first
 * byte in `text`. */
void loom_anchor_keep(struct loom_str text, size_t at, struct loom_str passage,
		      struct loom_buf *out);
/* Finds the passage of a note in a version of the text it hangs on: where it stood, or else the
 * place nearest to that. In the arena. */
enum loom_status loom_anchor_find(struct loom_store *store, int64_t note, struct loom_str text,
				  struct loom_arena *arena, struct loom_anchor *out,
				  struct loom_err *err) LOOM_MUST;

#endif
