/* Texts that are not in the tree. */
#ifndef TUI_UNSENT_H
#define TUI_UNSENT_H

#include <loom/desk/desk.h>
#include <loom/parts/folds.h>

struct tui_unsent {
	char id[16];                    /* of its draft */
	char tree[LOOM_ULID_CHARS + 1]; /* whose number is */
	int64_t tree_id;
	char anchor[LOOM_LOCAL_MAX]; /* empty: of a tree to come, whose root it will be */
	bool editing;                /* another version of the anchor; else a new node below it */
};
/* A new draft's name, in this tree, hanging on nothing yet. */
void tui_unsent_make(const struct tui_app *app, struct tui_unsent *out);
/* Makes it the beginning of a tree to come. */
void tui_unsent_uproot(struct tui_unsent *what);
/* Keeps it as a draft; an empty text drops the draft. folds (may be NULL): those of the text. */
void tui_unsent_keep(struct tui_app *app, const struct tui_unsent *what, struct loom_str text,
		     const struct tui_folds *folds);
/* Makes it a node, and the draft goes; what is refused is a draft. Then: 0 no more, else continues
 * with so many less one (0: as many as usual). */
void tui_unsent_commit(struct tui_app *app, const struct tui_unsent *what, struct loom_str text,
		       int then);
/* The text on its way that stands where one is, as the reader shows it. */
void tui_unsent_extra(struct tui_app *app, struct tui_extra *extra);
/* Whether the draft of this name is on its way into the tree. */
bool tui_unsent_leaves(const struct tui_app *app, struct loom_str id);

#endif
