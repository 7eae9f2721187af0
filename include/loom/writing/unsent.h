/* Texts that are not in the tree yet. */
#ifndef TUI_UNSENT_H
#define TUI_UNSENT_H

#include <loom/desk/desk.h>
#include <loom/parts/folds.h>

struct tui_unsent {
	char id[16];                    /* id of its draft */
	char tree[LOOM_ULID_CHARS + 1]; /* the tree's ULID */
	int64_t tree_id;
	char anchor[LOOM_LOCAL_MAX]; /* empty: the root of a tree to come */
	bool editing;                /* another version of the anchor, not a new node below it */
};
/* Starts a draft with a new id, in this tree, without an anchor. */
void tui_unsent_make(const struct tui_app *app, struct tui_unsent *out);
/* Makes it the beginning of a tree to come. */
void tui_unsent_uproot(struct tui_unsent *what);
/* Saves it as a draft; an empty text deletes the draft. `folds` of the text may be NULL. */
void tui_unsent_keep(struct tui_app *app, const struct tui_unsent *what, struct loom_str text,
		     const struct tui_folds *folds);
/* Turns it into a node and deletes the draft; if that is refused the draft stays. `then`: 0 stops
 * there; n continues from the node n - 1 times (1: the usual number). */
void tui_unsent_commit(struct tui_app *app, const struct tui_unsent *what, struct loom_str text,
		       int then);
/* Gives the reader the text being committed at the position. */
void tui_unsent_extra(struct tui_app *app, struct tui_extra *extra);
/* Whether the draft of this id is being committed. */
bool tui_unsent_leaves(const struct tui_app *app, struct loom_str id);

#endif
