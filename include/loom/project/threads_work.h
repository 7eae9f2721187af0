/* Threads that share, on the screen: what is looked up and changed in `.leslie/`, by the worker
 * that looks at files. */
#ifndef TUI_LESLIE_H
#define TUI_LESLIE_H

#include <loom/leslie/leslie.h>
#include <loom/actor/file_ops.h>

#include <loom/desk/desk.h>

struct tui_thread {
	struct loom_leslie_thread thread;
	struct loom_asset_list assets;
	size_t broken; /* of its references */
	bool folded;
};

/* All of it, as it was when it was looked at. */
struct tui_threads {
	struct loom_arena *arena; /* of everything below; NULL: not looked at yet */
	struct loom_objective *objectives;
	size_t objective_count;
	struct tui_thread *items;
	size_t count;
	struct loom_leslie_warnings notices;
	struct loom_str root; /* of the project, absolute */
};

/* One thing to look up or to do. What goes in is copied by the maker into `arena`, what comes out
 * is in it too. */
struct tui_leslie_job {
	enum loom_status (*run)(struct loom_leslie *leslie, struct tui_leslie_job *job,
				struct loom_leslie_err *err);
	/* In the calling thread; `status` and `why` say how it went. */
	void (*done)(struct tui_app *app, struct tui_leslie_job *job);
	struct loom_arena *arena; /* done may take it, and then sets it to NULL */
	uint64_t serial;          /* of the list that asked */
	int64_t number;           /* the maker's */
	/* in */
	struct loom_str thread;
	struct loom_str name;
	enum loom_leslie_action action;
	struct loom_leslie_ref ref;
	/* out */
	enum loom_status status;
	struct loom_str why;         /* what was refused, and the reason */
	struct loom_outside made[2]; /* what was done to files */
	size_t made_count;
	struct tui_threads found;
	struct loom_leslie_file *files;
	size_t file_count;
	struct loom_str text;
	struct loom_leslie_warnings warnings;
	/* the making */
	struct loom_str dir;
	struct loom_env env;
};

struct tui_leslie_job *tui_leslie_job(struct tui_app *app);
/* One that was never posted; NULL is fine. */
void tui_leslie_drop(struct tui_leslie_job *job);
void tui_leslie_post(struct tui_app *app, struct tui_leslie_job *job);

/* What a job can be, for `run`. */
/* Fills `found`. */
enum loom_status tui_leslie_threads(struct loom_leslie *leslie, struct tui_leslie_job *job,
				    struct loom_leslie_err *err);
/* Fills `text` with the block that `thread` would be given now. */
enum loom_status tui_leslie_block(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);
/* The same, with `ref` as if it were there; and `warnings`. */
enum loom_status tui_leslie_foresee(struct loom_leslie *leslie, struct tui_leslie_job *job,
				    struct loom_leslie_err *err);
/* Fills `files` with those of `thread`. */
enum loom_status tui_leslie_files(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);
/* Fills `text` with the beginning of the file `name` (from the project's root), or with the names
 * in that folder. */
enum loom_status tui_leslie_asset(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);
/* Changes; `text` says what was done. `name` of an unref or a refresh is the other thread (empty:
 * all), of a spawn the intent; its `thread` is the objective. */
enum loom_status tui_leslie_ref(struct loom_leslie *leslie, struct tui_leslie_job *job,
				struct loom_leslie_err *err);
enum loom_status tui_leslie_unref(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);
enum loom_status tui_leslie_refresh(struct loom_leslie *leslie, struct tui_leslie_job *job,
				    struct loom_leslie_err *err);
enum loom_status tui_leslie_step(struct loom_leslie *leslie, struct tui_leslie_job *job,
				 struct loom_leslie_err *err);
enum loom_status tui_leslie_spawn(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err);

/* leslie_watch.c: asks for another look when something is written there. */
struct tui_leslie_watch;
struct tui_leslie_watch *tui_leslie_watch(struct tui_app *app, void (*again)(struct tui_app *app));
/* These as well, as they were found; again and again is fine. */
void tui_leslie_watch_these(struct tui_leslie_watch *watch, const struct tui_threads *threads);
/* NULL is fine. */
void tui_leslie_unwatch(struct tui_leslie_watch *watch);

/* threads_view.c: the view; share_form.c: the form beside it. `chosen` (may be empty) gets the
 * cursor. */
void tui_threads_open(struct tui_app *app, struct loom_str chosen);
/* `from` is to read files of `source`. */
void tui_share_open(struct tui_app *app, const struct tui_threads *threads, struct loom_str from,
		    struct loom_str source);
/* The role of a line of a block. */
enum tui_role tui_block_role(struct loom_str line);

#endif
