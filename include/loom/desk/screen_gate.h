/* What whoever acts may do at the screen. */
#ifndef TUI_SCREEN_GATE_H
#define TUI_SCREEN_GATE_H

#include <loom/desk/desk.h>

/* Whether who acts may do at once what this command of the command line does; says why not. */
bool tui_may(struct tui_app *app, const char *command);

#endif
