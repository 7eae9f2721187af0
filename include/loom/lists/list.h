/* The view for everything that is a list: trees, documents, bookmarks, operations, help. A table of
 * functions says what a list shows and what its keys do. */
#ifndef TUI_LIST_H
#define TUI_LIST_H

#include <loom/base/str.h>

#include <loom/terminal/grid.h>

#include <loom/desk/view.h>
#include <loom/lists/row_menu.h>

#define TUI_COMPARED    64 /* nodes compared at once */
#define TUI_WHEEL_LINES 3  /* scrolled by one notch of the wheel */

struct tui_app;

/* One line of a list; its texts are in the list's arena. */
struct tui_entry {
	struct loom_str lead; /* the left column: a name or an id */
	enum tui_role lead_role;
	struct loom_str text;
	enum tui_role role;
	struct loom_str end; /* at the right end */
	int64_t id;          /* what it stands for; 0: a heading or plain text */
	int64_t other;
	int64_t node; /* that it stands for, to be shown beside it; 0 for none */
	bool heading;
};

/* A text shown beside a list, borrowed until the next event. */
struct tui_side {
	struct loom_str title;
	enum tui_role title_role;
	struct loom_str text;
	enum tui_role role;
	/* The role of one of its lines, instead of `role`. May be NULL. */
	enum tui_role (*line_role)(struct loom_str line);
};

struct loom_offer;
struct tui_list;
struct tui_list_kind {
	const char *title;
	const char *unit;      /* singular: "tree" */
	const char *empty;     /* shown when there are no entries; unused with `none` */
	enum tui_keyview view; /* its view of keys; ALL (0): the keys of any list */
	/* Fills the list with tui_list_add. */
	enum loom_status (*read)(struct tui_app *app, struct tui_list *list, struct loom_err *err);
	/* Enter on an entry; may close the list. May be NULL. */
	void (*open)(struct tui_app *app, const struct tui_entry *entry);
	/* Its meanings of commands, before those of any list. May be NULL. */
	const struct tui_meaning *means;
	/* all its rows are our own words, or quoted already: they are read out unchanged */
	bool ours;
	/* Draws it, instead of rows. May be NULL. */
	void (*draw)(struct tui_app *app, struct tui_list *list, struct tui_grid *grid,
		     struct tui_rect rect);
	/* reads on every change of the filter, which is its argument */
	bool live;
	/* its keys have priority over a text being written beneath it */
	bool over;
	/* Enter opens the entry under the cursor even while typing the filter */
	bool pick;
	/* The left part of the bottom line, instead of "3 of 9 trees". May be NULL. */
	void (*status)(const struct tui_app *app, const struct tui_list *list,
		       struct loom_buf *out);
	/* What is shown when there are no entries, where it depends. May be NULL. */
	void (*none)(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out);
	/* The text beside the rows for the entry under the cursor (NULL when there is none). May be
	 * NULL. */
	void (*side)(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out);
	/* The cursor moved to another entry (NULL when there is none). May be NULL. */
	void (*moved)(struct tui_app *app, const struct tui_entry *entry);
	/* Leaving does this instead of closing the list. May be NULL. */
	void (*leave)(struct tui_app *app);
	/* Frees the data it was opened with. May be NULL. */
	void (*forget)(void *own);
	/* What an entry stands for, for its menu. Returns the command that reopens this list; NONE
	 * when no command takes the entry. May be NULL. */
	enum tui_command (*noun)(struct tui_app *app, const struct tui_entry *entry,
				 struct tui_noun *out);
	/* Whether a key of its own does something for an entry (NULL when there is none), so that
	 * the bottom line offers it. May be NULL when all do what they do in any list. */
	bool (*offers)(const struct tui_list *list, const struct tui_entry *entry,
		       enum tui_command command);
	/* A list of commands: its filter is a wish (wish.h), the best rows come first, and a letter
	 * that does nothing in a list begins it. Tells what an entry offers. May be NULL. */
	void (*offer)(const struct tui_entry *entry, struct loom_offer *out);
	/* The command line that `a` starts; the caret goes before a final quote. May be NULL. */
	const char *add;
};

/* Opens a list over the panes, replacing one that is open. */
void tui_list_open(struct tui_app *app, const struct tui_list_kind *kind, struct loom_str argument);
/* Opens a list with data of its own in `own`, which the list takes. */
void tui_list_open_with(struct tui_app *app, const struct tui_list_kind *kind, void *own);
/* The data it was opened with; NULL for none. */
void *tui_list_own(const struct tui_list *list);
/* Whether the list is of this kind. */
bool tui_list_is(const struct tui_list *list, const struct tui_list_kind *kind);
/* A number unique to each opened list, to tell whether an answer is still wanted. */
uint64_t tui_list_serial(const struct tui_list *list);
/* Closes the open list, if any. */
void tui_list_close(struct tui_app *app);
/* Takes the open list away, to be brought back or discarded. NULL when none is open. */
struct tui_list *tui_list_set_aside(struct tui_app *app);
/* Shows a list again that was set aside, in place of the one that is open, and reads it anew. */
void tui_list_bring_back(struct tui_app *app, struct tui_list *list);
/* Frees a list that was set aside; NULL is fine. */
void tui_list_discard(struct tui_list *list);
/* Marks its content as being looked up. Keys wait for it, except those that leave. */
void tui_list_wait(struct tui_list *list);
/* Whether its content is being looked up. */
bool tui_list_waits(const struct tui_list *list);
/* Marks its content as complete. */
void tui_list_ready(struct tui_app *app);
/* Toggles the text beside it between its part of the view and all of it. */
void tui_list_zoom(struct tui_list *list);
/* Goes one level back, as its kind defines. */
void tui_list_leave(struct tui_app *app);
/* Appends an entry; copies the struct and borrows the texts. */
void tui_list_add(struct tui_list *list, const struct tui_entry *entry);
/* The number of entries added so far. */
size_t tui_list_added(const struct tui_list *list);
/* Inserts a heading before the entry that was added as the `at`-th. */
void tui_list_head_at(struct tui_list *list, size_t at, struct loom_str title);
/* The arena of its entries, emptied when it is read again. */
struct loom_arena *tui_list_arena(const struct tui_list *list);
/* The argument it was opened with. */
struct loom_str tui_list_argument(const struct tui_list *list);
/* Reads it again; the cursor stays on its entry. */
void tui_list_refresh(struct tui_app *app);
/* The entry under the cursor, or NULL. */
const struct tui_entry *tui_list_at(const struct tui_list *list);
/* Moves the cursor to the entry with this id, if it is shown. */
void tui_list_to(struct tui_list *list, int64_t id);
/* The i-th shown entry, or NULL. */
const struct tui_entry *tui_list_entry(const struct tui_list *list, size_t i);
/* The number of entries shown. */
size_t tui_list_count(const struct tui_list *list);
/* The index of the entry under the cursor. */
size_t tui_list_index(const struct tui_list *list);
/* Its view of keys. */
enum tui_keyview tui_list_view(const struct tui_list *list);
/* Whether it reads on every change of its filter. */
bool tui_list_live(const struct tui_list *list);
/* Whether it has the keys, rather than a text being written. */
bool tui_list_rules(const struct tui_app *app);
/* The line between the rows of the open list and the text beside them, as last drawn; without
 * extent when there is none. */
struct tui_rect tui_list_rule(const struct tui_app *app);
/* Moves the cursor by entries. */
void tui_list_step(struct tui_app *app, int by);

/* Draws the open list. */
void tui_list_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
/* The title of the list. */
struct loom_str tui_list_title(const struct tui_list *list);
/* Appends its whole text, an entry per line; quotes rows that look like lines of ours. */
void tui_list_text(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out);
/* Appends the left part of its bottom line. */
void tui_list_status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out);
/* Appends a count such as "3 of 9 trees". */
void tui_list_say_count(const struct tui_list *list, struct loom_buf *out);
/* Appends " · E edits it", with the key that lists have for the command. */
void tui_list_say_key(const struct tui_app *app, enum tui_command command, const char *what,
		      struct loom_buf *out);
/* Whether a key would do something in it now. */
bool tui_list_offers(const struct tui_list *list, enum tui_command command);
/* Sets *out to the thing that the entry under the cursor stands for. Returns the command that
 * reopens this list; NONE when no command takes the entry. */
enum tui_command tui_list_noun(struct tui_app *app, struct tui_noun *out);
/* Prompts for its filter or its search. */
void tui_list_ask(struct tui_app *app, struct loom_str text);
/* Runs a command as the list in front. False when it means nothing there. */
bool tui_list_does(struct tui_app *app, const struct tui_match *match);
/* Shows only entries that contain this text; all when empty. */
void tui_list_filter(struct tui_app *app, struct loom_str text);

/* in memory_list.c: a thread's memory */
extern const struct tui_list_kind tui_memory_kind;
/* In text_list.c: makes the list show a single text below a title; y copies the text. */
void tui_text_rows(struct tui_list *list, struct loom_str title, struct loom_str text);
#endif
