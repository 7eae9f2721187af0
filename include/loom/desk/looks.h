/* The colours of the screen. */
#ifndef TUI_LOOKS_H
#define TUI_LOOKS_H

#include <loom/desk/desk.h>

/* In colours for the ground of the terminal, as far as that is known. */
void tui_use_theme(struct tui_app *app, const struct tui_theme *theme);

#endif
