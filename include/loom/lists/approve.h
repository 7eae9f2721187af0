/* What waits for a person's leave. */
#ifndef TUI_APPROVE_H
#define TUI_APPROVE_H

#include <loom/desk/desk.h>

struct tui_approvals {
	size_t count; /* lists that wait */
	int64_t last; /* the newest of them */
};

/* What waits for a person's leave; leaving goes to `back`. */
void tui_approve_beside(struct tui_app *app, void (*back)(struct tui_app *app, void *to), void *to);
/* The calls of the paste at hand. */
void tui_approve_paste(struct tui_app *app, void (*back)(struct tui_app *app, void *to));

#endif
