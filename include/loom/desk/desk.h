/* The state of the program on the screen, as far as several of its files need it. State with one
 * owner is a struct in that owner's header, or private to its file. */
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

#define TUI_BEGINNING "beginning of a tree (only you see it)"

struct tui_message {
	enum tui_role role;
	int64_t at;
	char text[600];
};

/* A hint in the bottom line, where it was drawn last. */
#define TUI_HINTS 9
struct tui_hint {
	struct tui_rect rect;
	enum tui_command command;
};

struct tui_app {
	const struct tui_view *const *views; /* from front to back, ended by NULL */
	tui_do_fn *const *does;              /* by command; NULL for none here */

	/* the world */
	struct loom_env *env;
	struct loom_buf dir;
	struct loom_store *store; /* read-only */
	struct loom_arena *arena; /* for one event */
	struct loom_loop *loop;
	const char *program;     /* our own path; NULL when it cannot be run as a command */
	struct tui_stage *stage; /* NULL without a terminal */
	bool over;
	bool closed; /* no more jobs are accepted */

	/* who and where */
	struct tui_people people;
	int64_t actor;
	struct loom_arena *tree_arena;
	struct loom_tree tree;
	int64_t thread;                 /* the implicit one; 0 until something is written */
	int64_t position;               /* group */
	int64_t member;                 /* the version of it that is shown */
	int64_t k, n;                   /* which of how many siblings */
	int64_t selected[TUI_SELECTED]; /* groups picked for a command */
	size_t selected_count;

	/* the panes */
	struct tui_rows rows;
	struct tui_outline outline;
	uint32_t cursor; /* an item of the outline; set by tui_set_cursor */
	uint64_t top;    /* its first row in sight; set by tui_set_top */
	int tree_height;
	struct tui_reader reader;
	int reader_height;
	int drawn_w, drawn_h;     /* size of the screen when the reader was last drawn */
	struct tui_layout layout; /* of the last picture */
	/* The room of its panes below the last row of the tree and the last line of the text. */
	struct tui_rect free_tree, free_text;
	bool dragging;       /* the line between two panes */
	enum tui_pane focus; /* set by tui_focus */
	bool zoomed;
	/* The cells of the tree and of lists before the line, as the person chose; 0: not
	 * chosen. */
	int columns, rows_above, list_columns, list_rows;
	struct tui_list *list; /* the list in front; NULL: tree and reader */
	struct tui_list *side; /* the list in the side pane; NULL when closed */
	int64_t side_thread;   /* whose memory the side pane shows; 0: mine, before it exists */
	uint64_t lists_opened;
	bool blind; /* comparing hides the authors */

	/* keys, and what is said */
	struct tui_keymap keymap;
	bool stuck;                 /* the last key could not do anything */
	struct tui_message message; /* no message when its text is empty */
	uint64_t message_timer;     /* ends it when it has been read; 0 for none */
	struct tui_hint hints[TUI_HINTS];
	size_t hint_count;
	struct tui_message *messages;
	size_t message_count; /* ever shown */
	/* What y would do now; NULL when nothing was asked. */
	void (*asked)(struct tui_app *app);
	char source[65]; /* id of the thread marked for sharing; empty for none */

	struct loom_buf *copies_to; /* a copied text goes there; NULL: to the clipboard */
	struct tui_piped *piped;    /* by owner; NULL until something was piped */
	struct loom_hooks *hooks;   /* NULL: the user has none */
	struct tui_theme theme;
	enum tui_background ground; /* as told, remembered or set; TERMINAL when unknown */
	bool ground_set;            /* by :ground, whatever the terminal tells */
	bool no_mouse;              /* the terminal keeps the mouse */

	/* by owner, for the life of the program */
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
	/* by owner, NULL while there is none */
	struct loom_follow *log; /* follows the grove's shared log */
	struct tui_prompt *prompt;
	struct tui_writing *writing;
	struct tui_commit *commits; /* texts on their way into the tree */
	size_t keeps;               /* drafts on their way to the disk */
	struct tui_talk *talks;     /* of this sitting */
	struct tui_pasted *pasted;  /* not acted upon yet */
	struct tui_importing *importing;
	struct tui_shell *shell;
	struct tui_macros *macros;
};

/* Shows a message in the bottom line and adds it to the list of messages. */
void tui_say(struct tui_app *app, enum tui_role role, const char *format, ...) LOOM_PRINTF(3, 4);
/* Takes the message away. */
void tui_hush(struct tui_app *app);
/* Says, dimly, why a key did nothing. Ends a running macro. */
void tui_stuck(struct tui_app *app, const char *format, ...) LOOM_PRINTF(2, 3);
/* Reports a failure; does nothing for LOOM_OK. Returns whether the status was LOOM_OK. */
bool tui_must(struct tui_app *app, enum loom_status status, const struct loom_err *err);

/* Gives a pane the focus. This and the two below are the only writers of their fields. */
void tui_focus(struct tui_app *app, enum tui_pane pane);
/* Sets the item under the cursor. */
void tui_set_cursor(struct tui_app *app, uint32_t item);
/* Sets the first row of the tree in sight. */
void tui_set_top(struct tui_app *app, uint64_t row);

#endif
