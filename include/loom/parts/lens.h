/* The token lens: a model's log-probabilities for a text, read from the node's record. Pure.
 *
 * The tokens cover the start of the text as far as they spell it. Edited text, and text of a model
 * that reports nothing, has none. */
#ifndef TUI_LENS_H
#define TUI_LENS_H

#include <loom/base/arena.h>
#include <loom/text/seam.h>

#include <loom/keys/roles.h>

#define TUI_ALTERNATIVES 9 /* as many as one digit can choose */

struct tui_alternative {
	struct loom_str text;
	double chance; /* 0 … 1 */
};

struct tui_token {
	size_t from, to; /* range in the node's text */
	double chance;
	const struct tui_alternative *others; /* most likely first, including the token itself */
	size_t other_count;
};

struct tui_lens {
	struct tui_token *items;
	size_t count;
};

/* Parses the record of a generation (JSON, checked) into tokens of `text`. */
void tui_lens_read(struct loom_str record, struct loom_str text, struct loom_arena *arena,
		   struct tui_lens *out);
/* Makes tokens of a text of `came` bytes those of the text as it is read; those that are left out
 * of it are dropped. */
void tui_lens_mend(struct tui_lens *lens, const struct loom_seam *seam, size_t came);
/* The token that contains byte `at`, or NULL. */
const struct tui_token *tui_lens_at(const struct tui_lens *lens, size_t at);
/* The role that shades a token of this probability. */
enum tui_role tui_lens_role(double chance);

#endif
