/* What the files of `.leslie/` share with each other and with nobody else: the text of a store file
 * with an index over it, edits spliced into that text, locks, and the records read from it.
 *
 * A store file may hold thousands of records of which a command needs three. So its text is checked
 * and indexed in one pass and records are read where they stand; what is not touched, unknown keys
 * and another program's formatting included, is written back byte for byte. */
#ifndef MODEL_LESLIE_IMPL_H
#define MODEL_LESLIE_IMPL_H

#include <sys/types.h>

#include <loom/arena.h>
#include <loom/env.h>
#include <loom/leslie.h>

/* ---- leslie_json.c: a checked JSON text and where its records stand ---- */

struct leslie_item {
	struct loom_str key;   /* decoded; empty in an array */
	struct loom_str value; /* as written */
};

/* A member of the document's object; its own members or elements are indexed too. */
struct leslie_branch {
	struct loom_str key;
	struct loom_str value;
	struct leslie_item *items;
	size_t count;
	size_t cap;
};

struct leslie_doc {
	struct loom_arena *arena;
	struct loom_str text;
	struct leslie_branch *branches;
	size_t count;
	size_t cap;
};

/* Checks `text` (RFC 8259, an object outside, depth 64) and fills *doc, which borrows it. err.at is
 * where it breaks; LOOM_INVALID. */
enum loom_status leslie_doc_read(struct loom_arena *arena, struct loom_str text,
				 struct leslie_doc *out, struct loom_err *err) LOOM_MUST;
/* NULL when there is none. Of equal keys the last one counts, as in JavaScript. */
struct leslie_branch *leslie_doc_branch(const struct leslie_doc *doc, const char *key);
const struct leslie_item *leslie_branch_find(const struct leslie_branch *branch,
					     struct loom_str key);

/* The rest work on a value as written, of a text that was checked. */

bool leslie_is_object(struct loom_str value);
bool leslie_is_array(struct loom_str value);
/* The member of an object, p NULL when absent or no object. */
struct loom_str leslie_member(struct loom_str object, const char *key);
/* The string it spells; p NULL when it is no string. Borrows when there is no escape. */
struct loom_str leslie_text(struct loom_arena *arena, struct loom_str value);
struct loom_str leslie_member_text(struct loom_arena *arena, struct loom_str object,
				   const char *key);
/* Walks an object or an array: start with *rest = the value; key is as written, quotes and all. */
bool leslie_next(struct loom_str *rest, struct loom_str *key, struct loom_str *value);
/* The texts of an array of strings; others are passed over. */
struct loom_str *leslie_texts(struct loom_arena *arena, struct loom_str array, size_t *count);

/* ---- leslie_edit.c: changes spliced into a text ---- */

struct leslie_edit {
	size_t at;
	size_t drop;
	bool late; /* behind the others of its place */
	struct loom_str put;
};

struct leslie_edits {
	struct leslie_doc *doc;
	struct leslie_edit *items;
	size_t count;
	size_t cap;
};

void leslie_edits_init(struct leslie_edits *edits, struct leslie_doc *doc);
/* Puts `value` (any JSON; it is laid out anew) where `old`, a value of the text, stands. */
void leslie_edit_replace(struct leslie_edits *edits, struct loom_str old, struct loom_str value);
/* Adds a member to the branch `name` (with key.p NULL: an element), making the branch if need be.
 */
void leslie_edit_append(struct leslie_edits *edits, const char *name, struct loom_str key,
			struct loom_str value);
/* Sets the member of an object of the text, adding it when it is absent. */
void leslie_edit_set(struct leslie_edits *edits, struct loom_str object, const char *key,
		     struct loom_str value);
/* Adds a string to an array that is the object's member, unless it is there. */
void leslie_edit_add_text(struct leslie_edits *edits, struct loom_str object, const char *key,
			  struct loom_str text);
/* Takes a string out of an array that is the object's member. */
void leslie_edit_drop_text(struct leslie_edits *edits, struct loom_str object, const char *key,
			   struct loom_str text);
/* The text with all edits, behind what `out` holds. */
void leslie_edits_apply(struct leslie_edits *edits, struct loom_buf *out);
/* JSON laid out with two blanks a level, the first line not indented. */
void leslie_pretty(struct loom_buf *out, struct loom_str value, int level);

#endif
