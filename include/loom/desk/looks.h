/* The colours of the screen. */
#ifndef TUI_LOOKS_H
#define TUI_LOOKS_H

#include <loom/desk/desk.h>

/* Switches to `theme`, adapted to the terminal's background if that is known. */
void tui_use_theme(struct tui_app *app, const struct tui_theme *theme);

#endif
