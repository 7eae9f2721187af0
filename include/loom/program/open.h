/* What `loom` opens without a command. */
#ifndef TUI_DOOR_H
#define TUI_DOOR_H

#include <loom/cli/cli.h>

/* A loom_open_fn: opens the screen, the tutor or the line mode. Returns the exit status. */
int tui_door_open(void *ctx, const struct loom_open_request *request);

#endif
