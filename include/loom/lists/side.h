/* The memory of a thread, beside tree and reader. */
#ifndef TUI_SIDE_H
#define TUI_SIDE_H

#include <loom/desk/desk.h>

/* Opens the memory of one's own thread and takes no focus. */
void tui_side_open(struct tui_app *app);
void tui_side_refresh(struct tui_app *app);
void tui_side_close(struct tui_app *app);

#endif
