/* The colours of the screen. */
#ifndef TUI_LOOKS_H
#define TUI_LOOKS_H

#include <loom/desk/desk.h>

/* Switches to `theme`, adapted to the terminal's background if that is known. */
void tui_use_theme(struct tui_app *app, const struct tui_theme *theme);
/* Shows the built-in theme of that name, to look at. False when there is none. */
bool tui_try_theme(struct tui_app *app, struct loom_str name);
/* Takes in what the terminal told about its background; changes nothing when that was known. */
void tui_told_ground(struct tui_app *app, enum tui_background ground);
/* The name of a background: "dark", "light" or "auto". */
const char *tui_ground_name(enum tui_background ground);
/* Reads such a name. */
bool tui_ground_find(struct loom_str name, enum tui_background *out);

#endif
