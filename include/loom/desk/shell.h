/* Commands of the command line, done by the program itself. */
#ifndef TUI_SHELL_H
#define TUI_SHELL_H

#include <loom/desk/desk.h>

/* A command of the command line; false when the line is none. */
bool tui_shell_line(struct tui_app *app, struct loom_str line);
/* `new` with the options of the command line: to the tree that it makes. */
bool tui_shell_new(struct tui_app *app, struct loom_str rest);

#endif
