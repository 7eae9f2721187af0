/* The text being written. */
#ifndef TUI_TEXT_EDITOR_H
#define TUI_TEXT_EDITOR_H

#include <loom/desk/desk.h>

/* Pastes into the text being written. */
void tui_write_paste(struct tui_app *app, struct loom_str text);
/* Starts a new text below the position. */
void tui_write_new(struct tui_app *app);
/* Starts another version of the node at the position, with the caret at byte `at`. */
void tui_write_edit(struct tui_app *app, size_t at);
/* Starts the beginning of a new tree. */
void tui_write_beginning(struct tui_app *app);
/* Saves the text as a draft and closes it. */
void tui_write_close(struct tui_app *app);
/* The text being written, borrowed until the next key. */
struct loom_str tui_write_text(const struct tui_app *app);
/* Replaces the text being written. */
void tui_write_set(struct tui_app *app, struct loom_str text);
/* Passes the text to the reader to show. */
void tui_write_show(struct tui_app *app);
/* The caret's offset in the text as shown. */
size_t tui_write_caret(const struct tui_app *app);
/* Whether Enter posts the text; otherwise it inserts a line break. */
bool tui_write_posts(const struct tui_app *app);
/* Appends what the bottom line, `room` cells wide, says while writing: the words so far, how long
 * the text is with them. */
void tui_write_status(struct tui_app *app, int room, struct loom_buf *out);

#endif
