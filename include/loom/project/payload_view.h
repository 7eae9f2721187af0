/* The payload on the screen: looking up and editing a project's lists, on the looking worker. */
#ifndef TUI_PAYLOAD_H
#define TUI_PAYLOAD_H

#include <loom/payload/payload.h>

#include <loom/desk/desk.h>
#include <loom/writing/command_line.h>

/* A job and the payload after it. The maker copies its input into `arena`. */
struct tui_payload_job {
	enum loom_status (*run)(const struct loom_payload_place *place, struct tui_payload_job *job,
				struct loom_err *err);
	/* Called in the main thread. */
	void (*done)(struct tui_app *app, struct tui_payload_job *job);
	struct loom_arena *arena; /* `done` may take it by setting it to NULL */
	uint64_t serial;          /* of the list that asked */
	/* input */
	struct loom_str session; /* empty: the newest */
	struct loom_str turn;
	enum loom_payload_edit edit;
	enum loom_scope scope;
	struct loom_str target; /* empty: edit nothing */
	size_t line;            /* where to insert it; 0: at the end of its list */
	/* output */
	enum loom_status status;
	struct loom_err why;
	struct loom_payload_edits edits; /* of the lists, and where these are */
	struct loom_str root;
	struct loom_payload_lists lists;
	struct loom_payload payload; /* its text is in the job's arena */
	struct loom_str *paths;
	size_t path_count;
	struct loom_str text;
	struct loom_payload_made place; /* for a report: the turn's folder … */
	int64_t thread;                 /* … and whose report it is */
	/* internal */
	struct loom_store *store; /* the worker's, while the job runs */
	struct loom_str dir;
	struct loom_env env;
};

/* The payload that the open view shows. */
struct tui_payload_shown {
	struct loom_str text; /* of the whole; borrowed until the next event */
	const struct loom_payload_lists *lists;
};
/* Fills *out; false when no payload is shown. */
bool tui_payload_shown(struct tui_app *app, struct tui_payload_shown *out);

/* In payload_send.c: what a payload of that many bytes means for the agent that it would go to, in
 * words; appends nothing when there is no such agent. */
void tui_payload_fits(struct tui_app *app, size_t bytes, struct loom_buf *out);

/* Makes a job for the open project. */
struct tui_payload_job *tui_payload_job(struct tui_app *app);
/* Posts a job to the worker, which takes it. */
void tui_payload_post(struct tui_app *app, struct tui_payload_job *job);

/* The functions for `run`. */
/* Edits the lists if a target is given, then fills `lists` and `payload`. Fetches nothing. */
enum loom_status tui_payload_build(const struct loom_payload_place *place,
				   struct tui_payload_job *job, struct loom_err *err);
#define TUI_PATHS 100000
/* Fills `paths` with all visible paths of the project, at most TUI_PATHS. */
enum loom_status tui_payload_paths(const struct loom_payload_place *place,
				   struct tui_payload_job *job, struct loom_err *err);
/* Leaves the report of `thread` in the folder of `place`. */
enum loom_status tui_payload_report(const struct loom_payload_place *place,
				    struct tui_payload_job *job, struct loom_err *err);
/* Fills `text`: why `target` is hidden or shown, and which scopes name it. */
enum loom_status tui_payload_why(const struct loom_payload_place *place,
				 struct tui_payload_job *job, struct loom_err *err);

/* In pick.c: lets the user choose a path by a few of its letters; `take` gets it, Esc calls
 * `leave`. */
void tui_pick_open(struct tui_app *app, struct tui_payload_job *found, tui_take_fn *take,
		   void (*leave)(struct tui_app *app));

#endif
