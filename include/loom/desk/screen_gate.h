/* What the actor at the screen may do. */
#ifndef TUI_SCREEN_GATE_H
#define TUI_SCREEN_GATE_H

#include <loom/desk/desk.h>

/* Whether the actor may do at once what this shell command does. If not, says why. */
bool tui_may(struct tui_app *app, const char *command);

#endif
