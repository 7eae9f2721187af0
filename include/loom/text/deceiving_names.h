/* Names: what agents, documents, tags, threads and objectives may be called when they are named
 * here, and how a name is marked that came from elsewhere.
 *
 * A name that deceives has nothing to be seen in it, hides a character, is one of our own words for
 * who wrote a text, mixes scripts, or looks like another name. Whoever makes a name here is refused
 * with what is wrong and what to type; what was brought in keeps its name and is marked wherever
 * names are listed. Nothing of this is stored. Titles and labels are looser: one line, and
 * something to be seen. */
#ifndef LOOM_NAME_H
#define LOOM_NAME_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/str.h>

/* What has a name. Agents' names are compared without case, and are in one script as a whole;
 * of the others each word is. */
enum loom_named {
	LOOM_NAMED_AGENT,
	LOOM_NAMED_DOC,
	LOOM_NAMED_TAG,
	LOOM_NAMED_THREAD,
	LOOM_NAMED_OBJECTIVE,
};

/* Appends what the name looks like: names that cannot be told apart give the same. Look-alikes
 * become one letter, accents a piece of their own, blanks one blank; what cannot be seen is left
 * out. With `fold` case is no difference. */
void loom_name_skeleton(struct loom_str name, bool fold, struct loom_buf *out);
/* Whether two names that are not the same look the same. */
bool loom_name_alike(enum loom_named what, struct loom_str a, struct loom_str b);

/* Whether a name may be given to something new: LOOM_INVALID says what is wrong with it by itself,
 * LOOM_CONFLICT which of the `count` others it looks like (one that is the same is no fault). */
enum loom_status loom_name_check(enum loom_named what, struct loom_str name,
				 const struct loom_str *others, size_t count,
				 struct loom_err *err) LOOM_MUST;
/* Whether a title or label may be given: LOOM_INVALID for one of several lines, or of nothing that
 * can be seen. An empty one is none, and allowed. `what`: "a title". */
enum loom_status loom_label_check(const char *what, struct loom_str label,
				  struct loom_err *err) LOOM_MUST;

/* For each of the names that are there, in the order of their making, a mark for those that
 * deceive: "looks like Claude", "mixes Latin and Cyrillic"; empty for the others. NULL when count
 * is 0. */
struct loom_str *loom_name_marks(enum loom_named what, const struct loom_str *names, size_t count,
				 struct loom_arena *arena);
/* "Claude", with a mark "Claude (looks like …)"; made visible. */
struct loom_str loom_name_marked(struct loom_str name, struct loom_str mark,
				 struct loom_arena *arena);

#endif
