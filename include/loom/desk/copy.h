/* The terminal's clipboard, and other places where a copied text goes. */
#ifndef TUI_COPY_H
#define TUI_COPY_H

#include <loom/desk/desk.h>

/* Copies `text` to the terminal's clipboard and reports it, calling it `what`; after tui_copy_to it
 * goes there instead. */
void tui_copy(struct tui_app *app, struct loom_str text, const char *what);
/* Sends what is copied next into `taken`, which stays the caller's; NULL: to the clipboard again.
 */
void tui_copy_to(struct tui_app *app, struct loom_buf *taken);

#endif
