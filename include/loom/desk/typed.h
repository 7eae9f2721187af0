/* Keys as they are typed: what was begun of a sequence, and what waits for an answer. */
#ifndef TUI_TYPED_H
#define TUI_TYPED_H

#include <loom/desk/desk.h>

#define TUI_AHEAD 64 /* keys */

struct tui_typing {
	struct tui_chord chord;
	/* Typed while a view was still being looked up; done when it is there. */
	struct tui_key ahead[TUI_AHEAD];
	size_t ahead_count;
	bool which; /* show how a chord can go on */
	uint64_t which_timer;
};

/* A key, when it comes; and now. */
void tui_typed(struct tui_app *app, struct tui_key key);
void tui_app_key(struct tui_app *app, struct tui_key key);
/* Whether the answer that keys wait for is near. */
bool tui_app_waits(const struct tui_app *app);
/* Stops what is under way, and says so; false: nothing is. */
bool tui_stop_work(struct tui_app *app);
bool tui_views_busy(const struct tui_app *app);
/* Ends what was begun of a sequence; what was said has been read. */
void tui_forget_chord(struct tui_app *app);
/* Does the keys that were typed ahead, soon. */
void tui_app_catch_up(struct tui_app *app);

#endif
