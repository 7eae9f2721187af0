/* Reads JSON values in place, without building a document.
 *
 * For text that loom_json_check has accepted. Nothing is copied, numbers and strings keep their
 * bytes, and the cost is one pass. Unchecked text never causes a read out of bounds, but the
 * results mean nothing. A value is a slice over exactly its bytes; an absent one has p NULL. */
#ifndef LOOM_JVAL_H
#define LOOM_JVAL_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

enum loom_jtype {
	LOOM_JTYPE_NONE,
	LOOM_JTYPE_NULL,
	LOOM_JTYPE_BOOL,
	LOOM_JTYPE_NUMBER,
	LOOM_JTYPE_STRING,
	LOOM_JTYPE_ARRAY,
	LOOM_JTYPE_OBJECT
};

/* Returns a value's type, judged by its first byte; NONE for the empty slice. */
enum loom_jtype loom_jval_type(struct loom_str value);
/* Returns whether the value is absent or null. */
bool loom_jval_is_null(struct loom_str value);
/* Returns the value a text holds, without the blanks around it. */
struct loom_str loom_jval_of(struct loom_str text);

/* The extents of large objects and arrays, recorded while the text was checked, in the order in
 * which they begin: a walk that has them skips over those values instead of scanning them. */
struct loom_jspans {
	const struct loom_str *items;
	size_t count;
};
/* Smaller values are not worth recording. */
#define LOOM_JSPAN_LEAST ((size_t)1 << 16)

/* Walks the members of an object or the items of an array. */
struct loom_jwalk {
	struct loom_str rest;
	const struct loom_jspans *large;
	bool object;
};
/* Starts a walk; it is empty for anything but an object or an array. */
struct loom_jwalk loom_jval_walk(struct loom_str value);
/* Starts a walk that skips the values recorded in `large` (nullable, borrowed for the duration of
 * the walk), which must be spans of the same text. Empty for anything but an object or an array. */
struct loom_jwalk loom_jval_walk_over(struct loom_str value, const struct loom_jspans *large);
/* Advances to the next member or item; *key (nullable) gets the member's key with its quotes. False
 * at the end. */
bool loom_jwalk_next(struct loom_jwalk *walk, struct loom_str *key, struct loom_str *value);

/* Returns an object's member; absent if there is none, or if `object` is not an object. */
struct loom_str loom_jval_get(struct loom_str object, const char *key);
/* Returns whether the value is a string equal to `text`. */
bool loom_jval_says(struct loom_str value, struct loom_str text);
/* Returns the text of a string: borrowed if it has no escapes, otherwise decoded into `arena`.
 * Absent for anything but a string. */
struct loom_str loom_jval_text(struct loom_str value, struct loom_arena *arena);
/* Reads a number written as a plain integer in the int64 range; false for anything else. */
bool loom_jval_int(struct loom_str value, int64_t *out);
/* Reads a number as the nearest double; false for anything else. */
bool loom_jval_real(struct loom_str value, double *out);
/* Counts the members or items. */
size_t loom_jval_count(struct loom_str value);

/* Appends the value without the blanks outside its strings; all other bytes stay. */
void loom_jval_compact(struct loom_str value, struct loom_buf *out);
/* Appends the value with a patch laid over it (RFC 7396): members of objects one by one, however
 * deep; null removes a member, anything else replaces it, and new ones come last. Without blanks.
 * An absent patch changes nothing. `arena` is for keys with escapes. */
void loom_jval_merge(struct loom_str value, struct loom_str patch, struct loom_arena *arena,
		     struct loom_buf *out);

#endif
