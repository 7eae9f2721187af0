/* Saves the position, which is written without being an operation. */
#ifndef TUI_KEEP_PLACE_H
#define TUI_KEEP_PLACE_H

#include <loom/desk/desk.h>

/* Saves the position after a moment of quiet. */
void tui_keep_position(struct tui_app *app);
/* Saves a pending position at once. */
void tui_keep_now(struct tui_app *app);
/* Notes that other state of the place has changed; it is saved with the next position. */
void tui_keep_later(struct tui_app *app);

#endif
