/* Commands of the command line, run by the program itself. */
#ifndef TUI_SHELL_H
#define TUI_SHELL_H

#include <loom/desk/desk.h>

/* Runs a command of the command line. False when the line is not one. */
bool tui_shell_line(struct tui_app *app, struct loom_str line);
/* Runs such a line with `input` as its standard input, and `-` as a last argument that stands for
 * it. False when the line is not one. */
bool tui_shell_line_with(struct tui_app *app, struct loom_str line, struct loom_str input);
/* Runs `new` with the command line's options and enters the tree it makes. */
bool tui_shell_new(struct tui_app *app, struct loom_str rest);

#endif
