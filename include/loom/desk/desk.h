/* The state of the program on the screen: what several of its files look at. What one of them owns
 * is a struct in its own header, or known to its file alone. */
#ifndef TUI_APP_IMPL_H
#define TUI_APP_IMPL_H

#include <loom/base/env.h>
#include <loom/tree/node.h>
#include <loom/tree/tree.h>
#include <loom/loop/loop.h>

#include <loom/keys/theme.h>
#include <loom/terminal/layout.h>
#include <loom/terminal/stage.h>
#include <loom/parts/outline.h>
#include <loom/parts/people.h>
#include <loom/parts/reader.h>
#include <loom/parts/rows.h>

#include <loom/desk/view.h>

#define TUI_MESSAGES 200
#define TUI_SELECTED 256

#define TUI_BEGINNING "the beginning of a tree, yours alone so far"

struct tui_message {
	enum tui_role role;
	int64_t at;
	char text[600];
};

struct tui_app {
	const struct tui_view *const *views; /* from the front to the back, then NULL */
	tui_do_fn *const *does;              /* by command; NULL: it has no function here */

	/* the world */
	struct loom_env *env;
	struct loom_buf dir;
	struct loom_store *store; /* reads only */
	struct loom_arena *arena; /* of one event */
	struct loom_loop *loop;
	const char *program;     /* ours, NULL: commands of the command line are not here */
	struct tui_stage *stage; /* NULL without a terminal */
	bool over;
	bool closed; /* no job is taken any more */

	/* who and where */
	struct tui_people people;
	int64_t actor;
	struct loom_arena *tree_arena;
	struct loom_tree tree;
	int64_t thread;                 /* the implicit one, 0 until something was written */
	int64_t position;               /* group */
	int64_t member;                 /* its version shown */
	int64_t k, n;                   /* which of how many siblings */
	int64_t selected[TUI_SELECTED]; /* groups picked for a command */
	size_t selected_count;

	/* the panes */
	struct tui_rows rows;
	struct tui_outline outline;
	uint32_t cursor; /* an item of the outline: tui_set_cursor */
	uint64_t top;    /* its first row in sight: tui_set_top */
	int tree_height;
	struct tui_reader reader;
	int reader_height;
	int drawn_w, drawn_h; /* the screen, when the reader was last drawn */
	enum tui_pane focus;  /* tui_focus */
	bool zoomed;
	struct tui_list *list; /* the view over everything, NULL: tree and reader */
	struct tui_list *side; /* in the side pane, NULL: it is not there */
	int64_t side_thread;   /* whose memory it shows, 0: mine, which is not there yet */
	uint64_t lists_opened;
	bool blind; /* comparing hides who wrote what */

	/* keys, and what is said */
	struct tui_keymap keymap;
	bool stuck;                 /* the last key could not do anything */
	struct tui_message message; /* empty text: none */
	struct tui_message *messages;
	size_t message_count; /* ever */
	/* What y would do now; NULL: nothing was asked. */
	void (*asked)(struct tui_app *app);
	char source[65]; /* the thread that was marked to be shared; empty: none */

	struct tui_theme theme;
	enum tui_background ground; /* of the terminal; TERMINAL: not known */
	bool no_mouse;              /* it is the terminal's own */

	/* by their owners: there while the program is */
	struct tui_typing *typing;
	struct tui_trail *trail;
	struct tui_levels *levels;
	struct tui_news *news;
	struct tui_keeping *keeping;
	struct tui_work *work;
	struct tui_running *running;
	struct tui_streams *streams;
	struct tui_subject *subject;
	struct tui_sums *sums;
	struct tui_find *find;
	struct tui_filter *filter;
	struct tui_drafts *drafts;
	struct tui_lines *lines;
	struct tui_searching *search;
	struct tui_approvals *approvals;
	struct tui_payload_place *payload;
	/* and these, while there is one; NULL: none */
	struct tui_prompt *prompt;
	struct tui_writing *writing;
	struct tui_commit *commits; /* texts on their way into the tree */
	struct tui_talk *talks;     /* conversations of this sitting */
	struct tui_pasted *pasted;  /* that nothing was done with yet */
	struct tui_importing *importing;
	struct tui_shell *shell;
	struct tui_macros *macros;
};

void tui_say(struct tui_app *app, enum tui_role role, const char *format, ...) LOOM_PRINTF(3, 4);
/* Says, dimly, why a key did nothing; a macro ends there. */
void tui_stuck(struct tui_app *app, const char *format, ...) LOOM_PRINTF(2, 3);
/* Says what went wrong; nothing for LOOM_OK. Returns whether it went well. */
bool tui_must(struct tui_app *app, enum loom_status status, const struct loom_err *err);

/* Each changes one thing of the panes that several files change. */
void tui_focus(struct tui_app *app, enum tui_pane pane);
void tui_set_cursor(struct tui_app *app, uint32_t item);
void tui_set_top(struct tui_app *app, uint64_t row);

#endif
