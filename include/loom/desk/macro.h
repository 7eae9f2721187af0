/* Records and replays keys. */
#ifndef TUI_MACRO_H
#define TUI_MACRO_H

#include <loom/desk/desk.h>
#include <loom/base/json.h>

/* Records a typed key, if a macro is being recorded. True when the key ended the recording. */
bool tui_macro_record(struct tui_app *app, struct tui_key key);
/* Plays on until something has to be waited for. */
void tui_macro_go(struct tui_app *app);
/* Whether a macro is playing. */
bool tui_macro_plays(const struct tui_app *app);
/* Stops the macro that is playing. False when there is none. */
bool tui_macro_stop(struct tui_app *app);
/* The name of the macro being recorded; 0 for none. */
char tui_macro_recording(const struct tui_app *app);
/* Writes the macros into the state of this sitting. */
void tui_macros_put(const struct tui_app *app, struct loom_json *json);
/* Restores the macros from an earlier sitting. */
void tui_macros_take(struct tui_app *app, const cJSON *kept);
/* Frees all the macros of the program. */
void tui_macros_free(struct tui_app *app);

#endif
