/* Enters a tree, leaves one that is gone, and creates one. */
#ifndef TUI_ENTER_TREE_H
#define TUI_ENTER_TREE_H

#include <loom/desk/desk.h>

/* Drops pending work and shows tree number `tree` at the place where the actor last stood in it. */
bool tui_app_tree(struct tui_app *app, int64_t tree);
/* Shows the screen without a tree; tree.id is 0 then. */
void tui_app_bare(struct tui_app *app);
/* Says that there is no tree, for commands that need one. */
void tui_bare_say(struct tui_app *app);
/* On the worker: creates a tree as one operation; without a title it gets an unused one. */
enum loom_status tui_tree_make(struct loom_store *store, const struct loom_tree_spec *wanted,
			       struct loom_arena *arena, int64_t *out_tree, struct loom_err *err);
/* Says that a new tree was entered. */
void tui_say_new_tree(struct tui_app *app);

#endif
