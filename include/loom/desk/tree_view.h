/* Services of the tree view for other rooms. */
#ifndef TUI_TREE_VIEW_H
#define TUI_TREE_VIEW_H

#include <loom/desk/desk.h>

struct tui_draft_row;

/* Scrolls the tree; the cursor stays on its row. */
void tui_tree_scroll(struct tui_app *app, int lines);
/* Draws the tree into its pane. */
void tui_tree_draw(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout);
/* Draws a draft's row where there is no tree. */
void tui_draft_draw(const struct tui_draft_row *draft, struct tui_grid *grid, struct tui_rect row);
/* How many rows of a reader of that height list the alternatives of a token. */
int tui_token_rows(struct tui_app *app, int height);
/* Draws the alternatives of the token under the cursor. */
void tui_token_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
/* Filters the tree; an empty text shows all rows. The rows follow when the worker has answered. */
void tui_filter_set(struct tui_app *app, struct loom_str text);
/* Appends the filter and how much it hides. */
void tui_filter_say(const struct tui_app *app, struct loom_buf *out);
/* Asks for a name to stash this node under. */
void tui_stash_ask(struct tui_app *app);
/* Undoes an operation; 0 for the person's last. */
void tui_undo(struct tui_app *app, int64_t op);
/* The filter of the tree; empty for none. */
struct loom_str tui_filter_text(const struct tui_app *app);
/* The text last searched for in the tree; empty for none. */
struct loom_str tui_found(const struct tui_app *app);
/* Remembers a text as the one last searched for. */
void tui_found_set(struct tui_app *app, struct loom_str text);

#endif
