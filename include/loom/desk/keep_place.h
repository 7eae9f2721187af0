/* Saves the position, which is written without being an operation. */
#ifndef TUI_KEEP_PLACE_H
#define TUI_KEEP_PLACE_H

#include <loom/desk/workers.h>

/* Saves the position after a moment of quiet. */
void tui_keep_position(struct tui_app *app);
/* Saves a pending position at once. */
void tui_keep_now(struct tui_app *app);
/* Notes that other state of the place has changed; it is saved with the next position. */
void tui_keep_later(struct tui_app *app);

typedef enum loom_status tui_thread_write(struct loom_store *store, const struct tui_job *job,
					  struct loom_err *err);
/* On the worker: lets `write` write to job->thread, the actor's thread in the job's tree, created
 * if there is none. Nothing of it is an operation. */
enum loom_status tui_write_thread(struct loom_store *store, struct tui_job *job,
				  tui_thread_write *write, struct loom_err *err) LOOM_MUST;
/* When such a job is done: puts the screen on that thread, unless it shows another tree by now.
 * Returns whether it did. */
bool tui_thread_written(struct tui_app *app, const struct tui_job *job);

#endif
