/* The keys of the table of commands, as the bytes that a terminal sends for them. */
#ifndef SCREENS_KEYS_H
#define SCREENS_KEYS_H

#include <loom/base/str.h>

struct keys_row {
	const char *name; /* of the verb or action */
	const char *keys; /* VIEW:KEYS pairs, blank between */
	bool verb;
};

/* The rows of the table, those without keys too. */
extern const struct keys_row keys_rows[];
extern const size_t keys_count;

/* The next VIEW:KEYS of *rest; false at the end. */
bool keys_next(struct loom_str *rest, struct loom_str *view, struct loom_str *spelled);
/* Appends the bytes of a spelled sequence ("g<Down>"), with `any` for <Any>; false when a key has
 * none. */
bool keys_bytes(struct loom_str spelled, char any, struct loom_buf *out);

#endif
