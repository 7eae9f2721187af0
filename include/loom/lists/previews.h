/* What stands beside the rows of the simple lists. Each is the `side` of a kind; all look for a
 * moment only, so that moving never waits. */
#ifndef TUI_PREVIEWS_H
#define TUI_PREVIEWS_H

#include <loom/lists/list.h>

/* The node of an entry, if it has one, and its notes. */
void tui_preview_row(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out);
/* A tree, at the place where the person was in it. */
void tui_preview_tree(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out);
/* The text of a document. */
void tui_preview_document(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out);
/* An operation, with the nodes that it made. */
void tui_preview_op(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out);
/* An agent and what it may do. */
void tui_preview_agent(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out);
/* The entry's own text. */
void tui_preview_words(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out);

#endif
