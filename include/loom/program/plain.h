/* The line mode: the same program without a picture, for screen readers and for terminals that
 * cannot be drawn on. */
#ifndef TUI_PLAIN_H
#define TUI_PLAIN_H

#include <loom/program/app.h>

/* Reads lines from standard input until its end or `quit`, and writes the position and the outcome
 * of each line to standard output. A line is keys ("l", "3c", "]") or a command. */
void tui_plain_run(struct tui_app *app);

#endif
