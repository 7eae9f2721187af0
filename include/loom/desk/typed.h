/* Typed keys: pending sequences, and keys waiting for an answer. */
#ifndef TUI_TYPED_H
#define TUI_TYPED_H

#include <loom/desk/desk.h>

#define TUI_AHEAD 64 /* keys */

struct tui_typing {
	struct tui_chord chord;
	/* Keys typed while a view is still loading; handled once it is there. */
	struct tui_key ahead[TUI_AHEAD];
	size_t ahead_count;
	bool which; /* show how the chord can continue */
	uint64_t which_timer;
};

/* Handles a key when it is typed, or queues it while an answer is near. */
void tui_typed(struct tui_app *app, struct tui_key key);
/* Handles a key now. */
void tui_app_key(struct tui_app *app, struct tui_key key);
/* Whether keys should wait for an answer that is near. */
bool tui_app_waits(const struct tui_app *app);
/* Stops the work under way and says so. False when there is none. */
bool tui_stop_work(struct tui_app *app);
/* Whether any view has work under way. */
bool tui_views_busy(const struct tui_app *app);
/* Drops a pending sequence and the message, which has been read. */
void tui_forget_chord(struct tui_app *app);
/* Schedules the queued keys. */
void tui_app_catch_up(struct tui_app *app);

#endif
