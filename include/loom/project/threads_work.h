/* Threads that share files, on the screen: looking up and changing `.leslie/`, on the looking
 * worker. */
#ifndef TUI_LESLIE_H
#define TUI_LESLIE_H

#include <loom/leslie/leslie.h>
#include <loom/sharing/file_ops.h>

#include <loom/desk/desk.h>

struct tui_thread {
	struct loom_leslie_thread thread;
	struct loom_asset_list assets;
	size_t broken; /* broken references */
	bool folded;
};

/* The state of all threads when last read. */
struct tui_threads {
	struct loom_arena *arena; /* for everything below; NULL before the first look */
	struct loom_objective *objectives;
	size_t objective_count;
	struct tui_thread *items;
	size_t count;
	struct loom_leslie_warnings notices;
	struct loom_str root; /* of the project, absolute */
};

/* A lookup or a change. The maker copies its input into `arena`; the output is there too. */
struct tui_leslie_job {
	enum loom_status (*run)(struct loom_leslie *leslie, struct tui_leslie_job *job,
				struct loom_leslie_err *err);
	/* Called in the main thread; `status` and `why` tell the outcome. */
	void (*done)(struct tui_app *app, struct tui_leslie_job *job);
	struct loom_arena *arena; /* `done` may take it by setting it to NULL */
	uint64_t serial;          /* of the list that asked */
	int64_t number;           /* for the maker's use */
	/* input */
	struct loom_str thread;
	struct loom_str name;
	enum loom_leslie_action action;
	struct loom_leslie_ref ref;
	/* output */
	enum loom_status status;
	struct loom_str why;         /* what was refused, and why */
	struct loom_outside made[2]; /* file operations done */
	size_t made_count;
	struct tui_threads found;
	struct loom_leslie_file *files;
	size_t file_count;
	struct loom_str text;
	struct loom_leslie_warnings warnings;
	/* internal */
	struct loom_str dir;
	struct loom_env env;
};

/* Makes a job for the open project. */
struct tui_leslie_job *tui_leslie_job(struct tui_app *app);
/* Frees a job that was never posted; NULL is fine. */
void tui_leslie_drop(struct tui_leslie_job *job);
/* Posts a job to the worker, which takes it. */
void tui_leslie_post(struct tui_app *app, struct tui_leslie_job *job);

/* The functions for `run`. */
/* Fills `found` with the project's threads. */
enum loom_status tui_leslie_threads(struct loom_leslie *leslie, struct tui_leslie_job *job,
				    struct loom_leslie_err *err);
/* Fills `text` with the block that `thread` would get now. */
enum loom_status tui_leslie_block(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);
/* Fills `text` with the block that `thread` would get if `ref` existed, and `warnings`. */
enum loom_status tui_leslie_foresee(struct loom_leslie *leslie, struct tui_leslie_job *job,
				    struct loom_leslie_err *err);
/* Fills `files` with those of `thread`. */
enum loom_status tui_leslie_files(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);
/* Fills `text` with the beginning of the file `name` (relative to the project's root), or with the
 * names in that folder. */
enum loom_status tui_leslie_asset(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);
/* Adds the reference `ref`; `text` says what was done. */
enum loom_status tui_leslie_ref(struct loom_leslie *leslie, struct tui_leslie_job *job,
				struct loom_leslie_err *err);
/* Removes references from `thread` to the thread `name` (all when empty); `text` says what was
 * done. */
enum loom_status tui_leslie_unref(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);
/* Refreshes references of `thread` to the thread `name` (all when empty); `text` says what was
 * done. */
enum loom_status tui_leslie_refresh(struct loom_leslie *leslie, struct tui_leslie_job *job,
				    struct loom_leslie_err *err);
/* Moves `thread` to another state; `text` says what was done. */
enum loom_status tui_leslie_step(struct loom_leslie *leslie, struct tui_leslie_job *job,
				 struct loom_leslie_err *err);
/* Spawns a thread under the objective in `thread`, with `name` as its intent; `text` says what was
 * done. */
enum loom_status tui_leslie_spawn(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);

/* In leslie_watch.c: calls back when something is written to `.leslie/`. */
struct tui_leslie_watch;
/* Watches `.leslie/` and calls `again` after a change. */
struct tui_leslie_watch *tui_leslie_watch(struct tui_app *app, void (*again)(struct tui_app *app));
/* Also watches the folders of these threads; may be called repeatedly. */
void tui_leslie_watch_these(struct tui_leslie_watch *watch, const struct tui_threads *threads);
/* Stops watching; NULL is fine. */
void tui_leslie_unwatch(struct tui_leslie_watch *watch);

/* In threads_view.c and share_form.c. Opens the view of threads, with the cursor on `chosen` (may
 * be empty). */
void tui_threads_open(struct tui_app *app, struct loom_str chosen);
/* Opens the form by which `from` is to read files of `source`. */
void tui_share_open(struct tui_app *app, const struct tui_threads *threads, struct loom_str from,
		    struct loom_str source);
/* The role of a line of a block. */
enum tui_role tui_block_role(struct loom_str line);

#endif
