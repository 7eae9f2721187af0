/* Command lines, done by an actor on the worker. */
#ifndef TUI_DO_LINE_H
#define TUI_DO_LINE_H

#include <loom/desk/desk.h>
#include <loom/actor/act.h>
#include <loom/providers/voice.h>

struct tui_run;
struct tui_running {
	struct tui_run *runs;       /* under way, the newest first */
	struct loom_voices *voices; /* NULL until a model is asked */
	bool ending;                /* what is under way is waited for, nothing is begun any more */
};
/* Who may be asked; made when first asked for. */
const struct loom_generator *tui_generator(struct tui_app *app);
/* What a line or calls are run for: how it goes on. */
struct tui_run_opts {
	bool quiet; /* nothing is said when it went well */
	bool stay;  /* the position does not follow what was made */
	/* Behind the last result; ok: all went well. May be NULL. */
	void (*done)(struct tui_app *app, int64_t number, bool ok);
	int64_t number; /* for done */
	/* A list that an agent proposed and a person has approved: whose, and where it acts. */
	int64_t agent; /* 0: the person's own */
	int64_t tree;
	int64_t thread;
	int64_t seq; /* of its log, that the calls came from; -1: none */
};
/* A line as one types it behind the colon. */
void tui_run_line(struct tui_app *app, struct loom_str line, const struct tui_run_opts *opts);
/* As many lines as one operation; each is printed and read as if it had been typed. */
void tui_run_calls(struct tui_app *app, const struct loom_call *calls, size_t count,
		   const struct tui_run_opts *opts);
/* Ends what is being generated, newest first; false when nothing is. */
bool tui_run_cancel(struct tui_app *app);
void tui_run_end_all(struct tui_app *app);
/* Continues from a node, or from the position; 0: as many as usual. */
void tui_continue_from(struct tui_app *app, const char *id, int64_t count);
void tui_continue_here(struct tui_app *app, int count);

#endif
