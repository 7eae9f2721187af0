/* What is done beside the keys: jobs for the workers. */
#ifndef TUI_WORKERS_H
#define TUI_WORKERS_H

#include <loom/desk/desk.h>
#include <loom/loop/worker.h>

struct tui_work {
	struct loom_worker *worker; /* NULL until something is written */
	struct loom_worker *looker; /* reads; NULL until something is looked at */
	struct loom_worker *filer;  /* keeps drafts; NULL until there is one */
	size_t writes;              /* under way */
	uint64_t writes_timer;      /* looks whether another process holds them up; 0: none */
	char held_up[128];          /* what was said of that; empty: nothing */
	size_t looks;               /* under way */
};

struct tui_job {
	struct tui_app *app;
	enum loom_status (*run)(struct loom_store *store, struct tui_job *job,
				struct loom_err *err);
	void (*done)(struct tui_app *app, struct tui_job *job, enum loom_status status,
		     const struct loom_err *err);
	int64_t actor, tree; /* whose it is, and where the screen stood when it was made */
	void *own; /* what its file asks and finds: in the arena below, or let go of there */
	struct loom_buf text;
	struct loom_buf answer;
	/* What a look found: in an arena that ends with the job, unless `done` takes it. */
	struct loom_arena *arena;
	bool silent; /* nothing that a person waits for */
	bool look;
};
struct tui_job *tui_job_make(struct tui_app *app);
/* Ends one that was not posted. */
void tui_job_drop(struct tui_job *job);
/* Takes the job. */
void tui_job_post(struct tui_job *job);
/* A write began, or is behind: while one takes longer the screen says whom it waits for. */
void tui_write_begins(struct tui_app *app);
void tui_write_ends(struct tui_app *app);
/* Takes the job, on the worker that reads and writes files beside the store, so that it waits for
 * no lock of the store's: the store that `run` gets only reads. */
void tui_job_look(struct tui_job *job);
/* Takes the job of a draft, which waits neither for a lock nor for a long look. */
void tui_job_file(struct tui_job *job);
/* The worker that writes; made when first asked for. */
struct loom_worker *tui_worker(struct tui_app *app);
/* Something that is looked up begins, or ends, without a job. */
void tui_look_begins(struct tui_app *app);
void tui_look_ends(struct tui_app *app);
/* The workers go, each when it has done what it was asked. */
void tui_work_end(struct tui_app *app);

#endif
