/* Levels of the tree that are being opened, a part at a time. */
#ifndef TUI_LEVELS_H
#define TUI_LEVELS_H

#include <loom/desk/desk.h>

struct tui_levels {
	struct tui_levelling under_way; /* next 0: none is */
	uint64_t timer;
};

/* Goes on with what is being opened, a part at a time. */
void tui_level_soon(struct tui_app *app);
/* Opens at most so many rows; the one of the cursor, or the first in sight, stays where it is. */
enum loom_status tui_level_rows(struct tui_app *app, struct tui_levelling *levelling, size_t most,
				struct loom_err *err) LOOM_MUST;
/* What is being opened stays as it is by now. */
void tui_level_end(struct tui_app *app);
/* All of it, now: for who asks for its last row. */
void tui_level_finish(struct tui_app *app);

#endif
