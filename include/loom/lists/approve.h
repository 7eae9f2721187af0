/* Calls that wait for a person's approval. */
#ifndef TUI_APPROVE_H
#define TUI_APPROVE_H

#include <loom/desk/desk.h>

struct tui_approvals {
	size_t count; /* number of waiting lists */
	int64_t last; /* the newest of them */
};

/* Opens the list of calls that wait for approval. Leaving it calls `back` with `to`. */
void tui_approve_beside(struct tui_app *app, void (*back)(struct tui_app *app, void *to), void *to);
/* Opens the calls of the current paste for approval. */
void tui_approve_paste(struct tui_app *app, void (*back)(struct tui_app *app, void *to));

#endif
