/* A person's own editor. */
#ifndef TUI_EXTERNAL_H
#define TUI_EXTERNAL_H

#include <loom/desk/desk.h>

/* The text, or the node, in a person's own editor. */
void tui_external(struct tui_app *app);
/* Any text; *out is what the editor left. Says why when false: nothing else came back. */
bool tui_editor(struct tui_app *app, struct loom_str before, struct loom_buf *out);

#endif
