/* How long a text is together with what it is written to. */
#ifndef TUI_LENGTH_H
#define TUI_LENGTH_H

#include <loom/grove/goal.h>
#include <loom/writing/unsent.h>

struct tui_length {
	bool known;
	int64_t text;    /* words of the path */
	int64_t session; /* words written lately in this tree */
	struct loom_goal goal;
};
/* Measures what a text is written to, on a worker; tui_write_measured gets the result. */
void tui_length_ask(struct tui_app *app, const struct tui_unsent *what);
/* Takes what was measured for the draft `id`, if that is still being written. */
void tui_write_measured(struct tui_app *app, const char *id, const struct tui_length *length);

#endif
