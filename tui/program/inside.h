/* Shared by the files of this room. */
#ifndef TUI_PROGRAM_INSIDE_H
#define TUI_PROGRAM_INSIDE_H

#include <loom/desk/desk.h>

/* The layout of the current panes on a screen of that size. */
struct tui_layout tui_app_layout(const struct tui_app *app, int w, int h);
/* Draws the line at the top. */
void tui_title_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
/* Appends what can be done without a tree, in one line. */
void tui_bare_text(const struct tui_app *app, struct loom_buf *out);
/* The line between two panes, or in a list; without extent when there is none. */
struct tui_rect tui_split_line(const struct tui_app *app);
/* Moves it, as far as there is room. */
void tui_split_move(struct tui_app *app, int by);
/* Handles a mouse event. */
void tui_mouse(struct tui_app *app, const struct tui_mouse *mouse);
/* Saves this sitting in the state directory. */
void tui_session_save(struct tui_app *app);
/* Restores the last sitting. */
void tui_session_load(struct tui_app *app);
/* Runs a line typed after the colon. */
void tui_colon(struct tui_app *app, struct loom_str line);
/* Runs a line of `pipe`; one that names no text gets the one that `|` took, once. */
bool tui_pipe_line(struct tui_app *app, struct loom_str line);
/* The line of `pipe` that a line beginning with a user's program stands for; empty for others. */
struct loom_str tui_pipe_spelled(struct tui_app *app, struct loom_str line);

#endif
