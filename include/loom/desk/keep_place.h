/* The position, which is written without being an operation. */
#ifndef TUI_KEEP_PLACE_H
#define TUI_KEEP_PLACE_H

#include <loom/desk/desk.h>

/* The position, which is written without being an operation */
void tui_keep_position(struct tui_app *app);
void tui_keep_now(struct tui_app *app);
/* Something of the place is kept with the next position. */
void tui_keep_later(struct tui_app *app);

#endif
