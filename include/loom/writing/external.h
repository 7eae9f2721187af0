/* The user's own editor ($EDITOR). */
#ifndef TUI_EXTERNAL_H
#define TUI_EXTERNAL_H

#include <loom/desk/desk.h>

/* Opens the text being written, or else the node, in the user's editor. */
void tui_external(struct tui_app *app);
/* Edits any text; *out is what the editor saved. Returns false, with a message, when it failed or
 * changed nothing. */
bool tui_editor(struct tui_app *app, struct loom_str before, struct loom_buf *out);

#endif
