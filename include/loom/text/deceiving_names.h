/* Checks names for agents, documents, tags, threads and objectives created here, and marks
 * deceptive names that came from elsewhere.
 *
 * A name is deceptive if it has nothing visible, hides a character, equals one of our own words for
 * an author, mixes scripts, or looks like another name. A new one is refused, with the reason and a
 * name to type instead; an imported one keeps its name and is marked wherever names are listed.
 * None of this is stored. Titles and labels only need to be one line with something visible. */
#ifndef LOOM_NAME_H
#define LOOM_NAME_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/str.h>

/* The kinds of names. Agents' names are compared without case and must use one script throughout;
 * in other names each word must. */
enum loom_named {
	LOOM_NAMED_AGENT,
	LOOM_NAMED_DOC,
	LOOM_NAMED_TAG,
	LOOM_NAMED_THREAD,
	LOOM_NAMED_OBJECTIVE,
};

/* Appends a name's skeleton: names that look alike have the same one. Look-alikes become one
 * letter, accents stand apart, blanks become one blank, invisible characters vanish. `fold` ignores
 * case. */
void loom_name_skeleton(struct loom_str name, bool fold, struct loom_buf *out);
/* Returns whether two different names look the same. */
bool loom_name_alike(enum loom_named what, struct loom_str a, struct loom_str b);

/* Checks a new name. LOOM_INVALID says what is wrong with the name itself, LOOM_CONFLICT which of
 * the `count` others it looks like; an identical one is fine. */
enum loom_status loom_name_check(enum loom_named what, struct loom_str name,
				 const struct loom_str *others, size_t count,
				 struct loom_err *err) LOOM_MUST;
/* Checks a new title or label. LOOM_INVALID if it has several lines or nothing visible; an empty
 * one is allowed. `what` names it in the message: "a title". */
enum loom_status loom_label_check(const char *what, struct loom_str label,
				  struct loom_err *err) LOOM_MUST;

/* Returns a mark for each of `count` existing names, given in the order of their creation: "looks
 * like Claude" or "mixes Latin and Cyrillic" for a deceptive one, empty for the others. In the
 * arena; NULL if count is 0. */
struct loom_str *loom_name_marks(enum loom_named what, const struct loom_str *names, size_t count,
				 struct loom_arena *arena);
/* Returns a printable name, with its mark if it has one: "Claude (looks like …)". In the arena. */
struct loom_str loom_name_marked(struct loom_str name, struct loom_str mark,
				 struct loom_arena *arena);

#endif
