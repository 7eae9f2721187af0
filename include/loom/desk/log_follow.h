/* The shared log of the grove, on the screen. */
#ifndef TUI_LOG_FOLLOW_H
#define TUI_LOG_FOLLOW_H

#include <loom/desk/desk.h>

/* Appends where the log is and what is amiss with it; nothing for a local grove. */
void tui_log_say(const struct tui_app *app, struct loom_buf *out);

#endif
