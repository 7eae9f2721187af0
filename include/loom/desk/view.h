/* The views of the screen, and what a command does in them. A command is a row of verbs.def or
 * actions.def with its function (does.h); a view that is in front may give it another meaning. */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include <loom/keys/keymap.h>
#include <loom/terminal/input.h>

struct tui_app;
struct tui_grid;
struct tui_layout;

/* What a row does. */
typedef void tui_do_fn(struct tui_app *app, const struct tui_match *match);

/* What a command means in a view; false: nothing there, and it goes on to the view below. `by` is
 * its row's. */
typedef bool tui_mean_fn(struct tui_app *app, const struct tui_match *match, int by);

/* The head of one that looks at the app alone. */
#define TUI_MEANS(name)                                                                            \
	static bool name(struct tui_app *app LOOM_UNUSED,                                          \
			 const struct tui_match *match LOOM_UNUSED, int by LOOM_UNUSED)

/* Rows end with one of no command. */
struct tui_meaning {
	enum tui_command command;
	tui_mean_fn *means;
	int by;
};

/* What everybody is told who takes part. */
enum tui_told {
	TUI_TOLD_BEGIN,   /* the program begins: what is held is made */
	TUI_TOLD_LEAVING, /* the tree will be left: what is written in it is kept */
	TUI_TOLD_LEFT,    /* another is taken, or none */
	TUI_TOLD_ENTERED, /* it is there; or (tree.id 0) none is */
	TUI_TOLD_STANDS,  /* the position is another one, or was read anew */
	TUI_TOLD_AGAIN,   /* rows will be read anew */
	TUI_TOLD_ROWS,    /* they are: now those that are no nodes come into the outline */
	TUI_TOLD_OPEN,    /* the program is open */
	TUI_TOLD_WRITTEN, /* something was written to the grove, here or by others */
	TUI_TOLD_DONE,    /* and it was an operation: what was read may be out of date */
	TUI_TOLD_PRESENT, /* others came, moved or went */
	TUI_TOLD_NOTICED, /* a file of the grove was touched */
	TUI_TOLD_ENDING,  /* the program ends: what is under way ends too, and is kept */
	TUI_TOLD_CLOSED,  /* no worker is left: what is held goes */
	TUI_TOLD_COUNT
};

/* What takes part in the screen. Every member may be NULL. */
struct tui_view {
	/* Whether it is there now, and whose keys are looked up while it is the first that is. */
	bool (*there)(const struct tui_app *app);
	enum tui_keyview (*keys)(const struct tui_app *app);
	/* A command, with all views in front of it asked; false: the next view is. */
	bool (*command)(struct tui_app *app, const struct tui_match *match);
	/* Whether a command would do something in it now, so that a hint may offer it. */
	bool (*offers)(const struct tui_app *app, enum tui_command command);
	/* Its part of the picture; and whether that covers what is behind it. */
	void (*draw)(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout);
	bool (*covers)(const struct tui_app *app);
	/* The mouse, with all views in front of it asked; false: the next view is. */
	bool (*mouse)(struct tui_app *app, const struct tui_mouse *mouse);
	/* A key that no binding took, where letters write; false: not one for a text. */
	bool (*key)(struct tui_app *app, struct tui_key key);
	/* What is told of by enum tui_told. */
	void (*told[TUI_TOLD_COUNT])(struct tui_app *app);
	/* Stops its work that is under way, and says so; false: none is. */
	bool (*stop)(struct tui_app *app);
	/* The same for what only C-c stops. */
	bool (*interrupt)(struct tui_app *app);
	/* Whether something is under way that a script waits for; that keys wait for. */
	bool (*busy)(const struct tui_app *app);
	bool (*waits)(const struct tui_app *app);
	/* Of rows of the outline that are no nodes: where one stands on one; 0: it is none of
	 * these. */
	int64_t (*anchor)(const struct tui_app *app, uint32_t item);
	/* The cursor came to this item, which may be any row. */
	void (*chosen)(struct tui_app *app, uint32_t item);
	/* The item of its row that should have the cursor; 0: none. */
	uint32_t (*claims)(const struct tui_app *app);
	/* The last of its rows that are seen with the position's; 0: there are none. */
	uint64_t (*last_row)(const struct tui_app *app);
	/* Shows a text to look at; false: it cannot. */
	bool (*show)(struct tui_app *app, struct loom_str title, struct loom_str text);
};

/* views.c: all of them, from the front to the back, and the functions by command */
extern const struct tui_view *const tui_views[];
extern tui_do_fn *const tui_does[TUI_COMMANDS];

/* dispatch.c */
/* Whose keys are meant now. */
enum tui_keyview tui_app_keyview(const struct tui_app *app);
/* The first view that is there and has keys, or NULL. */
const struct tui_view *tui_view_in_front(const struct tui_app *app);
/* Does a command, in the first view where it means something. */
void tui_app_command(struct tui_app *app, const struct tui_match *match);
/* Does a command line, as if it had been typed. */
void tui_app_line(struct tui_app *app, const char *line);
/* The same for a command that was chosen and not typed. */
void tui_app_choose(struct tui_app *app, enum tui_command command);
/* Does it by the first of these rows that takes it. */
bool tui_means(const struct tui_meaning *rows, struct tui_app *app, const struct tui_match *match);
/* Does it by its own function, if it is a command of this view. */
bool tui_row_does(struct tui_app *app, const struct tui_match *match, enum tui_keyview view);
void tui_tell(struct tui_app *app, enum tui_told what);
/* Gives a text to whichever view shows texts. */
void tui_text_open(struct tui_app *app, struct loom_str title, struct loom_str text);
/* Says that it does nothing here. */
void tui_nothing_here(struct tui_app *app, const struct tui_match *match);

#endif
