/* The views of the screen, and what a command does in them. A command is a row of verbs.def or
 * actions.def with its function (does.h); a view that is in front may give it another meaning. */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include <loom/keys/keymap.h>

struct tui_app;

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

/* What takes part in the screen. Every member may be NULL. */
struct tui_view {
	/* Whether it is there now, and whose keys are looked up while it is the first that is. */
	bool (*there)(const struct tui_app *app);
	enum tui_keyview (*keys)(const struct tui_app *app);
	/* A command, with all views in front of it asked; false: the next view is. */
	bool (*command)(struct tui_app *app, const struct tui_match *match);
};

extern const struct tui_view tui_view_prompt, tui_view_list, tui_view_text, tui_view_side,
	tui_view_bare, tui_view_draft, tui_view_lens, tui_view_ghost, tui_view_tree;

/* views.c: all of them, and the functions by command */
extern const struct tui_view *const tui_views[];
extern tui_do_fn *const tui_does[TUI_COMMANDS];

/* dispatch.c */
/* Whose keys are meant now. */
enum tui_keyview tui_app_keyview(const struct tui_app *app);
/* Does a command, in the first view where it means something. */
void tui_app_command(struct tui_app *app, const struct tui_match *match);
/* The same for a command that was chosen and not typed. */
void tui_app_choose(struct tui_app *app, enum tui_command command);
/* Does it by the first of these rows that takes it. */
bool tui_means(const struct tui_meaning *rows, struct tui_app *app, const struct tui_match *match);
/* Does it by its own function, if it is a command of this view. */
bool tui_row_does(struct tui_app *app, const struct tui_match *match, enum tui_keyview view);
/* Says that it does nothing here. */
void tui_nothing_here(struct tui_app *app, const struct tui_match *match);

#endif
