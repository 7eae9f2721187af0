/* The author of each part of an edited text: parts that an edit did not touch keep theirs. */
#ifndef TUI_AUTHORS_H
#define TUI_AUTHORS_H

#include <loom/tree/node.h>

/* A run of bytes by one author; it starts where the previous run ends. */
struct tui_share {
	size_t to;
	int64_t author;
};

struct tui_shares {
	struct tui_share *items;
	size_t count;
};

/* Reads the shares of a node that is a version of another, character by character through all its
 * earlier versions. Leaves `out` empty when they cannot be read; the node's author then counts for
 * all of it. */
void tui_shares_read(struct loom_store *store, int64_t node, struct loom_arena *arena,
		     struct tui_shares *out);
/* The run that contains byte `at`, or NULL. */
const struct tui_share *tui_shares_at(const struct tui_shares *shares, size_t at);

#endif
