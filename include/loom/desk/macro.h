/* Keys recorded, and done again. */
#ifndef TUI_MACRO_H
#define TUI_MACRO_H

#include <loom/desk/desk.h>
#include <loom/base/json.h>

/* Keeps a key that was typed, while one records; true: it ended that. */
bool tui_macro_record(struct tui_app *app, struct tui_key key);
/* Goes on with what is played, as far as nothing is waited for. */
void tui_macro_go(struct tui_app *app);
bool tui_macro_plays(const struct tui_app *app);
/* False: none is played. */
bool tui_macro_stop(struct tui_app *app);
/* Whose name is being recorded; 0: none's. */
char tui_macro_recording(const struct tui_app *app);
void tui_macros_put(const struct tui_app *app, struct loom_json *json);
void tui_macros_take(struct tui_app *app, const cJSON *kept);
void tui_macros_free(struct tui_app *app);

#endif
