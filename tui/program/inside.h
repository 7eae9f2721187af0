/* What the files of the program share. */
#ifndef TUI_PROGRAM_INSIDE_H
#define TUI_PROGRAM_INSIDE_H

#include <loom/desk/desk.h>

struct tui_layout tui_app_layout(const struct tui_app *app, int w, int h);
/* What can be done, in one line. */
void tui_bare_text(const struct tui_app *app, struct loom_buf *out);
void tui_mouse(struct tui_app *app, const struct tui_mouse *mouse);
/* Between two of them */
void tui_session_save(struct tui_app *app);
void tui_session_load(struct tui_app *app);
/* Does what was typed behind the colon. */
void tui_colon(struct tui_app *app, struct loom_str line);

#endif
