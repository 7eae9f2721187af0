/* The line mode: the same program without a picture, for readers of lines and for terminals that
 * cannot be drawn on. */
#ifndef TUI_PLAIN_H
#define TUI_PLAIN_H

#include <loom/program/app.h>

/* Reads lines from standard input until its end or `quit`; says on standard output where one is and
 * what came of each line. A line is keys ("l", "3c", "]") or a command. */
void tui_plain_run(struct tui_app *app);

#endif
