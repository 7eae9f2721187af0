/* The payload on the screen: what is looked up and changed in a project's lists, by the worker that
 * looks at files. */
#ifndef TUI_PAYLOAD_H
#define TUI_PAYLOAD_H

#include <loom/payload/payload.h>

#include <loom/desk/desk.h>
#include <loom/writing/command_line.h>

/* One thing to do and the payload as it is then. What goes in is copied by the maker into `arena`.
 */
struct tui_payload_job {
	enum loom_status (*run)(const struct loom_payload_place *place, struct tui_payload_job *job,
				struct loom_err *err);
	/* In the calling thread. */
	void (*done)(struct tui_app *app, struct tui_payload_job *job);
	struct loom_arena *arena; /* done may take it, and then sets it to NULL */
	uint64_t serial;          /* of the list that asked */
	/* in */
	struct loom_str session; /* empty: the newest */
	struct loom_str turn;
	enum loom_payload_edit edit;
	enum loom_scope scope;
	struct loom_str target; /* empty: nothing is edited */
	size_t line;            /* where it is put in; 0: at the end of its list */
	/* out */
	enum loom_status status;
	struct loom_err why;
	bool edited;
	struct loom_payload_lists lists;
	struct loom_payload payload; /* its text is the job's, as the arena is */
	struct loom_str *paths;
	size_t path_count;
	struct loom_str text;
	/* the making */
	struct loom_store *store; /* the worker's, while it runs */
	struct loom_str dir;
	struct loom_env env;
};

struct tui_payload_job *tui_payload_job(struct tui_app *app);
void tui_payload_post(struct tui_app *app, struct tui_payload_job *job);

/* What a job can be, for `run`. */
/* Edits, when a target is given; then fills `lists` and `payload`. Nothing is fetched. */
enum loom_status tui_payload_build(const struct loom_payload_place *place,
				   struct tui_payload_job *job, struct loom_err *err);
/* Fills `paths` with all that is shown of the project, at most TUI_PATHS. */
#define TUI_PATHS 100000
enum loom_status tui_payload_paths(const struct loom_payload_place *place,
				   struct tui_payload_job *job, struct loom_err *err);
/* Fills `text`: why `target` is hidden or shown, and which scopes name it. */
enum loom_status tui_payload_why(const struct loom_payload_place *place,
				 struct tui_payload_job *job, struct loom_err *err);

/* pick.c: one of the paths, by a few of its letters; `take` gets it. `leave` is where Esc leads. */
void tui_pick_open(struct tui_app *app, struct tui_payload_job *found, tui_take_fn *take,
		   void (*leave)(struct tui_app *app));

#endif
