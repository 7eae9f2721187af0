/* What `loom` without a command opens. */
#ifndef TUI_DOOR_H
#define TUI_DOOR_H

#include <loom/cli/cli.h>

/* A loom_open_fn: the screen, the tutor, the line mode. Returns the exit status. */
int tui_door_open(void *ctx, const struct loom_open_request *request);

#endif
