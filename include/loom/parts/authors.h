/* Who wrote which part of a text that was edited: what nobody touched stays whose it was. */
#ifndef TUI_AUTHORS_H
#define TUI_AUTHORS_H

#include <loom/tree/node.h>

/* A run of bytes by one author, from where the run before ends. */
struct tui_share {
	size_t to;
	int64_t author;
};

struct tui_shares {
	struct tui_share *items;
	size_t count;
};

/* Of a node that is a version of another: character by character, through all that it was edited
 * from. Nothing when that cannot be read: then all of it is its author's. */
void tui_shares_read(struct loom_store *store, int64_t node, struct loom_arena *arena,
		     struct tui_shares *out);
/* The run that byte `at` is in, or NULL. */
const struct tui_share *tui_shares_at(const struct tui_shares *shares, size_t at);

#endif
