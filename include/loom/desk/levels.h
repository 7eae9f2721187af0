/* Opens levels of the tree a part at a time. */
#ifndef TUI_LEVELS_H
#define TUI_LEVELS_H

#include <loom/desk/desk.h>

struct tui_levels {
	struct tui_levelling under_way; /* done when its next is 0 */
	uint64_t timer;
};

/* Schedules the rest of what is being opened. */
void tui_level_soon(struct tui_app *app);
/* Opens at most `most` rows. The cursor's row, or the first in sight, stays in place. */
enum loom_status tui_level_rows(struct tui_app *app, struct tui_levelling *levelling, size_t most,
				struct loom_err *err) LOOM_MUST;
/* Stops opening; what is open by now stays open. */
void tui_level_end(struct tui_app *app);
/* Opens all the rest now, for a caller that needs the last row. */
void tui_level_finish(struct tui_app *app);

#endif
