/* The side pane: a thread's memory beside tree and reader. */
#ifndef TUI_SIDE_H
#define TUI_SIDE_H

#include <loom/desk/desk.h>

/* Opens the memory of the person's own thread without taking the focus. */
void tui_side_open(struct tui_app *app);
/* Reads the side pane again, if it is open. */
void tui_side_refresh(struct tui_app *app);
/* Closes the side pane. */
void tui_side_close(struct tui_app *app);

#endif
