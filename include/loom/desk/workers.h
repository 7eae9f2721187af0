/* Work done off the main thread: jobs for the workers. */
#ifndef TUI_WORKERS_H
#define TUI_WORKERS_H

#include <loom/desk/desk.h>
#include <loom/loop/worker.h>

/* The program that holds up our writes. */
struct tui_held {
	int64_t pid; /* 0: nobody */
	char program[32];
	size_t said; /* the number of the message about it */
};

struct tui_work {
	struct loom_worker *worker; /* NULL until the first write */
	struct loom_worker *looker; /* reads; NULL until the first look */
	struct loom_worker *filer;  /* saves drafts; NULL until there is one */
	size_t writes;              /* number under way */
	uint64_t writes_timer;      /* checks whether another process blocks them; 0 for none */
	struct tui_held held;
	size_t looks;  /* number under way */
	bool extracts; /* no model writes summaries */
};

struct tui_job {
	struct tui_app *app;
	enum loom_status (*run)(struct loom_store *store, struct tui_job *job,
				struct loom_err *err);
	void (*done)(struct tui_app *app, struct tui_job *job, enum loom_status status,
		     const struct loom_err *err);
	int64_t actor, tree; /* its actor, and the tree on the screen when it was made */
	int64_t thread;      /* the thread that tui_write_thread has written; else 0 */
	void *own;           /* data of the file that made it, in the arena below or freed there */
	struct loom_buf text;
	struct loom_buf answer;
	/* Results of a look; freed with the job unless `done` takes it. */
	struct loom_arena *arena;
	bool silent; /* nobody waits for it */
	bool look;
};
/* Makes a job; fill it in, then post or drop it. */
struct tui_job *tui_job_make(struct tui_app *app);
/* Frees a job that was not posted. */
void tui_job_drop(struct tui_job *job);
/* Posts a job to the writer, which takes ownership. */
void tui_job_post(struct tui_job *job);
/* Counts a write that begins. When it takes long, the screen says who holds it up. */
void tui_write_begins(struct tui_app *app);
/* Counts a write that ended. */
void tui_write_ends(struct tui_app *app);
/* Posts a job to the worker for reading the store and other files; takes ownership. It waits for no
 * lock of the store and its `run` gets a read-only store. */
void tui_job_look(struct tui_job *job);
/* Posts a job that saves a draft, which waits neither for a lock nor for a long look; takes
 * ownership. */
void tui_job_file(struct tui_job *job);
/* The worker that writes, created on first use. */
struct loom_worker *tui_worker(struct tui_app *app);
/* Counts a look without a job that begins. */
void tui_look_begins(struct tui_app *app);
/* Counts one that ended. */
void tui_look_ends(struct tui_app *app);
/* Ends the workers, each after the jobs it has. */
void tui_work_end(struct tui_app *app);

#endif
