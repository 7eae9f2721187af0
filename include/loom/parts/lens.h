/* The token lens: what a model's log-probabilities say of a text, read from the node's record.
 * Pure.
 *
 * Tokens cover the beginning of the text as far as they spell it; what was edited or came from a
 * model that says nothing has none. */
#ifndef TUI_LENS_H
#define TUI_LENS_H

#include <loom/base/arena.h>

#include <loom/keys/roles.h>

#define TUI_ALTERNATIVES 9 /* that can be chosen by a digit */

struct tui_alternative {
	struct loom_str text;
	double chance; /* 0 … 1 */
};

struct tui_token {
	size_t from, to; /* bytes of the node's text */
	double chance;
	const struct tui_alternative *others; /* most likely first; the token itself among them */
	size_t other_count;
};

struct tui_lens {
	struct tui_token *items;
	size_t count;
};

/* Reads the record of a generation (JSON, checked). */
void tui_lens_read(struct loom_str record, struct loom_str text, struct loom_arena *arena,
		   struct tui_lens *out);
/* The token that holds a byte, or NULL. */
const struct tui_token *tui_lens_at(const struct tui_lens *lens, size_t at);
enum tui_role tui_lens_role(double chance);

#endif
