/* The views of the screen and the meaning of commands in them. A command is a row of verbs.def or
 * actions.def with a function (does.h); a view in front may give it another meaning. */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include <loom/keys/keymap.h>
#include <loom/terminal/input.h>

struct tui_app;
struct tui_grid;
struct tui_layout;

/* The function of a row. */
typedef void tui_do_fn(struct tui_app *app, const struct tui_match *match);

/* The meaning of a command in a view. False passes it on to the view behind. `by` comes from its
 * row. */
typedef bool tui_mean_fn(struct tui_app *app, const struct tui_match *match, int by);

/* Begins the definition of a meaning that needs only the app. */
#define TUI_MEANS(name)                                                                            \
	static bool name(struct tui_app *app LOOM_UNUSED,                                          \
			 const struct tui_match *match LOOM_UNUSED, int by LOOM_UNUSED)

/* A table of these ends with TUI_COMMAND_NONE. */
struct tui_meaning {
	enum tui_command command;
	tui_mean_fn *means;
	int by;
};

/* Notices that go to all views. */
enum tui_told {
	TUI_TOLD_BEGIN,   /* the program starts: allocate state */
	TUI_TOLD_LEAVING, /* the tree is about to be left: save what is being written in it */
	TUI_TOLD_LEFT,    /* the tree was left for another one, or none */
	TUI_TOLD_ENTERED, /* a tree was entered, or (tree.id 0) none is shown */
	TUI_TOLD_STANDS,  /* the position changed or was read again */
	TUI_TOLD_AGAIN,   /* rows are about to be read again */
	TUI_TOLD_ROWS,    /* rows were read again: now add those that are not nodes */
	TUI_TOLD_OPEN,    /* the program is open */
	TUI_TOLD_WRITTEN, /* something was written to the grove, here or by others */
	TUI_TOLD_DONE,    /* and it was an operation: data read before may be stale */
	TUI_TOLD_PRESENT, /* others came, moved or left */
	TUI_TOLD_NOTICED, /* a file of the grove was touched */
	TUI_TOLD_ENDING,  /* the program ends: finish work under way and save it */
	TUI_TOLD_CLOSED,  /* all workers have ended: free state */
	TUI_TOLD_COUNT
};

/* A part of the screen. Any member may be NULL. */
struct tui_view {
	/* Whether it is shown now, and the view of keys it uses when it is in front. */
	bool (*there)(const struct tui_app *app);
	enum tui_keyview (*keys)(const struct tui_app *app);
	/* A command that no view in front took. False passes it on. */
	bool (*command)(struct tui_app *app, const struct tui_match *match);
	/* Whether the command would do something here now, so that a hint may offer it. */
	bool (*offers)(const struct tui_app *app, enum tui_command command);
	/* What a hint calls the command here: `usual`, another word, or NULL for nothing. */
	const char *(*word)(struct tui_app *app, enum tui_command command, const char *usual);
	/* Draws its part of the picture. `covers` tells whether that hides the views behind. */
	void (*draw)(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout);
	bool (*covers)(const struct tui_app *app);
	/* A mouse event that no view in front took. False passes it on. */
	bool (*mouse)(struct tui_app *app, const struct tui_mouse *mouse);
	/* A key without a binding, where letters are text. False when it is not text. */
	bool (*key)(struct tui_app *app, struct tui_key key);
	/* Whether a key is text here although it has a binding. */
	bool (*types)(const struct tui_app *app, struct tui_key key);
	/* Handlers of notices, by enum tui_told. */
	void (*told[TUI_TOLD_COUNT])(struct tui_app *app);
	/* Stops its work under way and says so. False when there is none. */
	bool (*stop)(struct tui_app *app);
	/* Stops work that only C-c stops, and says so. False when there is none. */
	bool (*interrupt)(struct tui_app *app);
	/* `busy`: work is under way that a script waits for; `waits`: that keys wait for. */
	bool (*busy)(const struct tui_app *app);
	bool (*waits)(const struct tui_app *app);
	/* Whether something typed here is not on disk yet. */
	bool (*unsaved)(const struct tui_app *app);
	/* For an item that is not a node: the group that the position is on there; 0 when the item
	 * is not this view's. */
	int64_t (*anchor)(const struct tui_app *app, uint32_t item);
	/* The cursor moved to this item, which may be any row. */
	void (*chosen)(struct tui_app *app, uint32_t item);
	/* The item of this view that should have the cursor; 0 for none. */
	uint32_t (*claims)(const struct tui_app *app);
	/* The last of this view's rows that belongs in sight with the position; 0 for none. */
	uint64_t (*last_row)(const struct tui_app *app);
	/* Shows a text in full. False when it cannot. */
	bool (*show)(struct tui_app *app, struct loom_str title, struct loom_str text);
};

/* in views.c: all views, from front to back, and the functions by command */
extern const struct tui_view *const tui_views[];
extern tui_do_fn *const tui_does[TUI_COMMANDS];

/* in dispatch.c */
/* The view of keys that is active now. */
enum tui_keyview tui_app_keyview(const struct tui_app *app);
/* The first view that is shown and has keys, or NULL. */
const struct tui_view *tui_view_in_front(const struct tui_app *app);
/* Runs a command in the first view that gives it a meaning. */
void tui_app_command(struct tui_app *app, const struct tui_match *match);
/* Runs a command line as if it had been typed. */
void tui_app_line(struct tui_app *app, const char *line);
/* Runs a command that was chosen from a menu, not typed. */
void tui_app_choose(struct tui_app *app, enum tui_command command);
/* Runs the meaning that the first matching row gives the command. False when none does. */
bool tui_means(const struct tui_meaning *rows, struct tui_app *app, const struct tui_match *match);
/* Runs the command's own function, if it belongs to this view of keys. */
bool tui_row_does(struct tui_app *app, const struct tui_match *match, enum tui_keyview view);
/* Sends a notice to all views. */
void tui_tell(struct tui_app *app, enum tui_told what);
/* Hands a text to the view that shows texts. */
void tui_text_open(struct tui_app *app, struct loom_str title, struct loom_str text);
/* Says that the command does nothing here. */
void tui_nothing_here(struct tui_app *app, const struct tui_match *match);

#endif
