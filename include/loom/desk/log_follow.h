/* The shared log of the grove, on the screen. */
#ifndef TUI_LOG_FOLLOW_H
#define TUI_LOG_FOLLOW_H

#include <loom/desk/desk.h>

/* Appends where the log is and what is amiss with it; nothing for a local grove. */
void tui_log_say(const struct tui_app *app, struct loom_buf *out);

struct tui_log_about {
	struct loom_str url;
	struct loom_str state; /* in words */
	int64_t entries;
	int64_t rides; /* positions and choices that wait for the next entry */
	int64_t voids;
};
/* Fills *out, with texts in the arena; false for a local grove. */
bool tui_log_about(const struct tui_app *app, struct loom_arena *arena, struct tui_log_about *out);

#endif
