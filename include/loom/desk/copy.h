/* The terminal's clipboard. */
#ifndef TUI_COPY_H
#define TUI_COPY_H

#include <loom/desk/desk.h>

/* Gives a text to the terminal's clipboard and says so. */
void tui_copy(struct tui_app *app, struct loom_str text, const char *what);

#endif
