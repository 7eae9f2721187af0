/* A JSON value where it stands in a text: looked into without building a document.
 *
 * For text that loom_json_check has passed. Nothing is copied, numbers and strings keep their
 * bytes, and cost is one pass. On text that was not checked nothing is read out of bounds, but what
 * is found means nothing. A value is a slice over exactly its bytes; an absent one has p NULL. */
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

/* What the value is, by its first byte; NONE for the empty slice. */
enum loom_jtype loom_jval_type(struct loom_str value);
/* Absent or null. */
bool loom_jval_is_null(struct loom_str value);
/* The value that a text holds, without blanks around it. */
struct loom_str loom_jval_of(struct loom_str text);

/* Objects and arrays of a text whose ends were noted when it was checked, in the order in which
 * they begin: a walk that knows of them steps over them instead of through them. */
struct loom_jspans {
	const struct loom_str *items;
	size_t count;
};
/* Smaller ones are not worth it. */
#define LOOM_JSPAN_LEAST ((size_t)1 << 16)

/* A walk over the members of an object or the items of an array. */
struct loom_jwalk {
	struct loom_str rest;
	const struct loom_jspans *large;
	bool object;
};
/* Begins a walk; over anything but an object or an array it is empty. */
struct loom_jwalk loom_jval_walk(struct loom_str value);
/* The same, `large` (nullable, borrowed while the walk lasts) holding spans of the same text. */
struct loom_jwalk loom_jval_walk_over(struct loom_str value, const struct loom_jspans *large);
/* The next member or item; *key (nullable) gets the member's key with its quotes. */
bool loom_jwalk_next(struct loom_jwalk *walk, struct loom_str *key, struct loom_str *value);

/* The member of an object; absent when there is none or `object` is no object. */
struct loom_str loom_jval_get(struct loom_str object, const char *key);
/* Whether the value is a string that says `text`. */
bool loom_jval_says(struct loom_str value, struct loom_str text);
/* What a string says: borrowed when it holds no escapes, else made in `arena`. Absent for anything
 * but a string. */
struct loom_str loom_jval_text(struct loom_str value, struct loom_arena *arena);
/* A number written as a plain integer in int64 range; false otherwise. */
bool loom_jval_int(struct loom_str value, int64_t *out);
/* A number, as near as a double comes; false for anything else. */
bool loom_jval_real(struct loom_str value, double *out);
/* How many members or items. */
size_t loom_jval_count(struct loom_str value);

/* Appends the value without blanks outside its strings; all other bytes stay. */
void loom_jval_compact(struct loom_str value, struct loom_buf *out);

#endif
