/* The screen's program: state, what keys do to it, and the picture of it. Works without a terminal:
 * events in, a grid out; the stage only carries both.
 *
 * It reads with a connection of its own that never writes; everything that changes the grove is
 * done by its worker, and is shown as under way until that has answered. */
#ifndef TUI_APP_H
#define TUI_APP_H

#include <loom/base/env.h>
#include <loom/base/err.h>

#include <loom/terminal/stage.h>

struct tui_app;

struct tui_app_opts {
	struct loom_env *env;  /* borrowed */
	struct loom_str dir;   /* of the grove, which is there */
	struct loom_str agent; /* who acts; empty: the owner */
	bool fresh;            /* do not come back to where one was */
	const char *program;   /* what runs the command line; NULL: nothing does */
};

/* LOOM_NOT_FOUND without such an agent, or without any tree. */
enum loom_status tui_app_open(struct tui_app **out, const struct tui_app_opts *opts,
			      struct loom_err *err) LOOM_MUST;
/* Keeps what is to be kept, waits for what is being written; NULL is fine. */
void tui_app_close(struct tui_app *app);

void tui_app_event(struct tui_app *app, const struct tui_event *event);
void tui_app_draw(struct tui_app *app, struct tui_grid *grid);
/* Whether it wants to end. */
bool tui_app_over(const struct tui_app *app);
/* Takes what worker, timers and other processes have to tell. Waits for the worker when `wait`. */
void tui_app_work(struct tui_app *app, bool wait);
/* Whether something is under way that will change the picture by itself. */
bool tui_app_busy(const struct tui_app *app);

/* Runs it on a terminal until it ends. LOOM_REFUSED without one. */
enum loom_status tui_app_run(struct tui_app *app, const struct tui_stage_opts *opts,
			     struct loom_err *err) LOOM_MUST;

#endif
