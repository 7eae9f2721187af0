/* Into a tree, out of one that is gone, and making one. */
#ifndef TUI_ENTER_TREE_H
#define TUI_ENTER_TREE_H

#include <loom/desk/desk.h>

/* Drops what is pending and shows the tree whose number this is, where one stood in it. */
bool tui_app_tree(struct tui_app *app, int64_t tree);
/* The same where there is no tree: tree.id is 0 then. */
void tui_app_bare(struct tui_app *app);
/* That there is none, for what needs one. */
void tui_bare_say(struct tui_app *app);
/* On the worker: a tree as one operation; without a title it gets a spare one. */
enum loom_status tui_tree_make(struct loom_store *store, const struct loom_tree_spec *wanted,
			       struct loom_arena *arena, int64_t *out_tree, struct loom_err *err);
/* One stands in a tree that was just made. */
void tui_say_new_tree(struct tui_app *app);

#endif
