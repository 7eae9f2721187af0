/* What the tree in view shows and does for other rooms. */
#ifndef TUI_TREE_VIEW_H
#define TUI_TREE_VIEW_H

#include <loom/desk/desk.h>

struct tui_draft_row;

/* The rows in sight of the tree, down or up; the cursor stays. */
void tui_tree_scroll(struct tui_app *app, int lines);
void tui_tree_draw(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout);
/* The row of a draft, where no tree is. */
void tui_draft_draw(const struct tui_draft_row *draft, struct tui_grid *grid, struct tui_rect row);
/* How many rows of a reader of that height say what else the token could have been. */
int tui_token_rows(struct tui_app *app, int height);
void tui_token_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
/* Empty: all rows again. The rows come when the worker has answered. */
void tui_filter_set(struct tui_app *app, struct loom_str text);
/* Appends what is filtered for and how much is hidden. */
void tui_filter_say(const struct tui_app *app, struct loom_buf *out);
/* Asks for the label of a stash of this node. */
void tui_stash_ask(struct tui_app *app);
/* Takes an operation back; 0: one's own last. */
void tui_undo(struct tui_app *app, int64_t op);
/* What the tree is filtered for, and what was searched for in it; empty: nothing. */
struct loom_str tui_filter_text(const struct tui_app *app);
struct loom_str tui_found(const struct tui_app *app);
void tui_found_set(struct tui_app *app, struct loom_str text);

#endif
