/* Summaries that a command makes while it runs, beside what it is asked for. */
#ifndef LOOM_CHAT_DRAIN_H
#define LOOM_CHAT_DRAIN_H

#include <loom/cli/open_grove.h>

struct chat_drain;

/* Starts making the waiting summaries. `grove` and `generator` are borrowed; end it with
 * chat_drain_end. */
struct chat_drain *chat_drain_begin(struct cli_grove *grove,
				    const struct loom_generator *generator) LOOM_MUST;
/* Goes on with what waits by now. */
void chat_drain_poke(struct chat_drain *drain);
/* Waits until nothing waits any more, or ^C. Fails with LOOM_MODEL when a model failed, and with
 * LOOM_CANCELLED. */
enum loom_status chat_drain_wait(struct chat_drain *drain, struct loom_err *err) LOOM_MUST;
/* Gives up what is under way, which waits again, and frees it. NULL is allowed. */
void chat_drain_end(struct chat_drain *drain);

/* A tree while it is open. */
struct chat_open_tree {
	int64_t tree;
	int64_t nodes;
	int64_t active;
};
/* Notes what a tree is like when it is opened. */
void chat_tree_opened(const struct loom_tree *tree, struct chat_open_tree *out);
/* In a write of its own: if the tree has changed since, its summary is due. Fails as the store
 * does. */
enum loom_status chat_tree_closed(struct loom_store *store, const struct chat_open_tree *open,
				  struct loom_err *err) LOOM_MUST;

#endif
