/* A text being written. */
#ifndef TUI_TEXT_EDITOR_H
#define TUI_TEXT_EDITOR_H

#include <loom/desk/desk.h>

/* A text being written */
void tui_write_paste(struct tui_app *app, struct loom_str text);
/* Opens a new text below the position, or the node for another version (at a byte of it). */
void tui_write_new(struct tui_app *app);
void tui_write_edit(struct tui_app *app, size_t at);
/* The same for the beginning of a tree. */
void tui_write_beginning(struct tui_app *app);
/* Keeps the draft, and leaves it. */
void tui_write_close(struct tui_app *app);
/* The text being written, and another in its place. */
struct loom_str tui_write_text(const struct tui_app *app);
void tui_write_set(struct tui_app *app, struct loom_str text);
/* What of it the reader shows, and where its caret is in that. */
void tui_write_show(struct tui_app *app);
size_t tui_write_caret(const struct tui_app *app);
/* Whether Enter posts it; else it is a line break. */
bool tui_write_posts(const struct tui_app *app);
const char *tui_write_hint(const struct tui_app *app);

#endif
