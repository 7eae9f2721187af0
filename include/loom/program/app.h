/* The program on the screen: its state, keys and picture. It works without a terminal, on events
 * in and grids out; the stage only transports them.
 *
 * It reads on a connection of its own that never writes. Its worker makes all changes to the
 * grove, and they show as under way until it has answered. */
#ifndef TUI_APP_H
#define TUI_APP_H

#include <loom/base/env.h>
#include <loom/base/err.h>

#include <loom/terminal/stage.h>

struct tui_app;

struct tui_app_opts {
	struct loom_env *env;  /* borrowed */
	struct loom_str dir;   /* of an existing grove */
	struct loom_str agent; /* who acts; the owner when empty */
	bool fresh;            /* do not return to the last place */
	const char *program;   /* runs shell commands; NULL when there is none */
};

/* Opens the program. LOOM_NOT_FOUND when the agent does not exist. */
enum loom_status tui_app_open(struct tui_app **out, const struct tui_app_opts *opts,
			      struct loom_err *err) LOOM_MUST;
/* Saves its state, waits for writes under way and frees it; NULL is fine. */
void tui_app_close(struct tui_app *app);

/* Handles one event of the terminal. */
void tui_app_event(struct tui_app *app, const struct tui_event *event);
/* Draws the whole picture. */
void tui_app_draw(struct tui_app *app, struct tui_grid *grid);
/* Whether the user has asked to leave. */
bool tui_app_over(const struct tui_app *app);
/* Handles messages of workers, timers and other processes. With `wait`, waits for the workers. */
void tui_app_work(struct tui_app *app, bool wait);
/* Whether work under way will change the picture. */
bool tui_app_busy(const struct tui_app *app);

/* Runs it on a terminal until it ends. LOOM_REFUSED when there is none. */
enum loom_status tui_app_run(struct tui_app *app, const struct tui_stage_opts *opts,
			     struct loom_err *err) LOOM_MUST;

#endif
