/* Runs command lines by an actor on the worker. */
#ifndef TUI_DO_LINE_H
#define TUI_DO_LINE_H

#include <loom/desk/desk.h>
#include <loom/actor/act.h>
#include <loom/providers/voice.h>

struct tui_run;
struct tui_running {
	struct tui_run *runs;       /* under way, newest first */
	struct loom_voices *voices; /* NULL until a model is asked */
	bool ending;                /* waits for the running ones, starts no more */
};
/* The generator of this program, created on first use. */
const struct loom_generator *tui_generator(struct tui_app *app);
/* How a run behaves. */
struct tui_run_opts {
	bool quiet; /* say nothing on success */
	bool stay;  /* do not move the position to what was made */
	/* Called after the last result; `ok` when all went well. May be NULL. */
	void (*done)(struct tui_app *app, int64_t number, bool ok);
	int64_t number;        /* passed to `done` */
	struct loom_str draft; /* that its one call sends; empty: none */
	/* For a list that an agent proposed and a person approved: the agent, and where it acts. */
	int64_t agent; /* 0: the person at the screen */
	int64_t tree;
	int64_t thread;
	int64_t seq;                    /* the row of its log with the calls; -1 for none */
	const struct loom_guest *guest; /* whose note it is; borrowed for the call; may be NULL */
};
/* Runs a line as typed after the colon. */
void tui_run_line(struct tui_app *app, struct loom_str line, const struct tui_run_opts *opts);
/* Runs calls as one operation; each is printed and parsed as if it had been typed. */
void tui_run_calls(struct tui_app *app, const struct loom_call *calls, size_t count,
		   const struct tui_run_opts *opts);
/* Cancels the generation under the cursor, or else the newest. False when there is none. */
bool tui_run_cancel(struct tui_app *app);
/* Ends all runs before the program ends: writes complete, generation is cut short and kept. */
void tui_run_end_all(struct tui_app *app);
/* Continues from node `id`, `count` times; 0 for the usual number. */
void tui_continue_from(struct tui_app *app, const char *id, int64_t count);
/* Continues from the position. */
void tui_continue_here(struct tui_app *app, int count);

#endif
