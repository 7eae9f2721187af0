/* The terminal's clipboard. */
#ifndef TUI_COPY_H
#define TUI_COPY_H

#include <loom/desk/desk.h>

/* Copies `text` to the terminal's clipboard and reports it, calling it `what`. */
void tui_copy(struct tui_app *app, struct loom_str text, const char *what);

#endif
