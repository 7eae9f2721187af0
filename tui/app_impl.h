/* The inside of the program on the screen: one state, and what each file does with it. */
#ifndef TUI_APP_IMPL_H
#define TUI_APP_IMPL_H

#include <loom/document.h>
#include <loom/grant.h>
#include <loom/live.h>
#include <loom/mark.h>
#include <loom/thread.h>
#include <loom/watch.h>
#include <loom/width.h>
#include <loom/worker.h>

#include "app.h"
#include "keymap.h"
#include "layout.h"
#include "lineedit.h"
#include "outline.h"
#include "people.h"
#include "reader.h"
#include "rows.h"

#define TUI_JUMPS    100
#define TUI_VISITED  512
#define TUI_UNSEEN   1024
#define TUI_MESSAGES 200
#define TUI_SAVE_MS  700 /* of quiet, before where one stands is kept */

struct tui_list;
struct tui_prompt;
struct tui_writing;

struct tui_message {
	enum tui_role role;
	int64_t at;
	char text[600];
};

/* The steps that lead to the position, the last of them at least. */
struct tui_step {
	int64_t group;
	size_t bytes;
	int64_t children;
};

struct tui_visit {
	int64_t group, child;
};

/* What a person has of a tree besides the tree: kept between two sittings. */
struct tui_jumps {
	int64_t groups[TUI_JUMPS];
	size_t count, at; /* at == count: not among them */
};

struct tui_app {
	/* the world */
	struct loom_env *env;
	struct loom_buf dir;
	struct loom_store *store; /* reads only */
	struct loom_arena *arena; /* of one event */
	struct loom_loop *loop;
	struct loom_worker *worker; /* NULL until something is written */
	struct loom_watch *watch;
	struct loom_session *session;
	struct tui_stage *stage; /* NULL without a terminal */
	bool over;

	/* who and where */
	struct tui_people people;
	int64_t actor;
	struct loom_arena *tree_arena;
	struct loom_tree tree;
	int64_t thread;   /* the implicit one, 0 until something was written */
	int64_t position; /* group */
	int64_t member;   /* its version shown */
	int64_t k, n;     /* which of how many siblings */
	struct tui_step *path;
	size_t path_count, path_cap;
	bool path_whole; /* begins at the root */

	/* the panes */
	struct tui_rows rows;
	struct tui_outline outline;
	uint32_t cursor; /* an item of the outline */
	uint64_t top;    /* its first row in sight */
	int tree_height;
	struct tui_reader reader;
	int reader_height;
	enum tui_pane focus;
	bool zoomed;
	struct tui_list *list; /* the view over everything, NULL: tree and reader */
	struct tui_prompt *prompt;
	struct tui_writing *writing;

	/* keys */
	struct tui_keymap keymap;
	struct tui_chord chord;
	bool which; /* show how a chord can go on */
	uint64_t which_timer;

	/* memory of this sitting */
	struct tui_jumps jumps;
	int64_t marks[128];
	int64_t last_place;
	struct tui_visit visited[TUI_VISITED];
	struct loom_buf found; /* what is searched for */

	/* news */
	int64_t event_seq;
	int64_t newest; /* number of the last node that was looked at for news */
	int64_t unseen[TUI_UNSEEN];
	size_t unseen_count;
	struct loom_arena *live_arena;
	struct loom_presence *present;
	size_t present_count;

	/* what is said */
	struct tui_message message; /* empty text: none */
	struct tui_message *messages;
	size_t message_count; /* ever */
	size_t writes;        /* under way */
	uint64_t save_timer;
	bool unsaved;

	struct tui_theme theme;
	bool ascii;
};

/* app.c */
void tui_say(struct tui_app *app, enum tui_role role, const char *format, ...) LOOM_PRINTF(3, 4);
/* Says what went wrong; nothing for LOOM_OK. Returns whether it went well. */
bool tui_must(struct tui_app *app, enum loom_status status, const struct loom_err *err);
enum tui_keyview tui_app_keyview(const struct tui_app *app);
void tui_app_command(struct tui_app *app, const struct tui_match *match);
/* Drops what is pending and shows the tree whose number this is, where one stood in it. */
bool tui_app_tree(struct tui_app *app, int64_t tree);

/* place.c: where one stands */
enum tui_go {
	TUI_GO_STEP, /* as a step: not kept as a jump */
	TUI_GO_JUMP,
};
bool tui_go(struct tui_app *app, int64_t group, enum tui_go how);
/* The cursor to an item; the position follows when it is a node. */
void tui_cursor_to(struct tui_app *app, uint32_t item);
int64_t tui_visited(struct tui_app *app, int64_t group);
/* The group of a node, and 0 when there is none. */
int64_t tui_group_of(struct tui_app *app, int64_t node);
/* Reads rows, path and reader anew after something changed; the row of the cursor stays. */
void tui_refresh(struct tui_app *app);
bool tui_on_path(const struct tui_app *app, int64_t group);
void tui_keep_in_sight(struct tui_app *app);

/* move.c, fold.c: true when the command was one of theirs */
bool tui_move_command(struct tui_app *app, const struct tui_match *match);
bool tui_fold_command(struct tui_app *app, const struct tui_match *match);

/* tree_view.c, bars.c */
void tui_tree_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
void tui_title_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
void tui_status_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
void tui_which_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect body);

/* news.c: what others do */
void tui_news_start(struct tui_app *app);
void tui_news_stop(struct tui_app *app);
void tui_news_seen(struct tui_app *app, int64_t group);
void tui_presence_say(struct tui_app *app, const char *doing);

/* keep.c: what is written without being an operation, and the session between two sittings */
void tui_keep_position(struct tui_app *app);
void tui_keep_now(struct tui_app *app);
void tui_session_save(struct tui_app *app);
void tui_session_load(struct tui_app *app);

/* work.c: the worker */
struct tui_desk { /* the worker's own */
	struct loom_store *store;
};
struct tui_job {
	struct tui_app *app;
	enum loom_status (*run)(struct tui_desk *desk, struct tui_job *job, struct loom_err *err);
	void (*done)(struct tui_app *app, struct tui_job *job, enum loom_status status,
		     const struct loom_err *err);
	int64_t a, b, c;
	struct loom_buf text;
	struct loom_buf answer;
	bool silent; /* nothing that a person waits for */
};
struct tui_job *tui_job_make(struct tui_app *app);
/* Takes the job. */
void tui_job_post(struct tui_job *job);

#endif
