/* A view over everything that is a list: trees, documents, bookmarks, operations, help. One table
 * of functions says what a list shows and what its keys do. */
#ifndef TUI_LIST_H
#define TUI_LIST_H

#include <loom/base/str.h>

#include <loom/terminal/grid.h>

#include <loom/desk/view.h>
#include <loom/lists/row_menu.h>

#define TUI_COMPARED 64 /* nodes that are compared at once */

struct tui_app;

/* One line of a list, its texts in the list's arena. */
struct tui_entry {
	struct loom_str lead; /* a name, an id: the column at the left */
	enum tui_role lead_role;
	struct loom_str text;
	enum tui_role role;
	struct loom_str end; /* at the right */
	int64_t id;          /* what it stands for; 0: a heading or a text */
	int64_t other;
	bool heading;
};

/* A text beside a list, borrowed until the next event. */
struct tui_side {
	struct loom_str title;
	enum tui_role title_role;
	struct loom_str text;
	enum tui_role role;
	/* The role of one of its lines, instead of `role`. May be NULL. */
	enum tui_role (*line_role)(struct loom_str line);
};

struct tui_list;
struct tui_list_kind {
	const char *title;
	const char *unit;      /* "tree", "trees" is made of it */
	const char *empty;     /* what stands there when nothing does */
	enum tui_keyview view; /* whose keys it has; ALL (0): those of any list */
	/* Fills the list with tui_list_add. */
	enum loom_status (*read)(struct tui_app *app, struct tui_list *list, struct loom_err *err);
	/* Enter on an entry; the list may be closed by it. May be NULL. */
	void (*open)(struct tui_app *app, const struct tui_entry *entry);
	/* What commands mean in it, before what they mean in any list. May be NULL. */
	const struct tui_meaning *means;
	/* Its rows are ours, or quoted before they came here: read out they stay as they are. */
	bool ours;
	/* Instead of rows. May be NULL. */
	void (*draw)(struct tui_app *app, struct tui_list *list, struct tui_grid *grid,
		     struct tui_rect rect);
	/* It reads as one types: each change of the filter is its argument. */
	bool live;
	/* Its keys come before those of a text that is being written beneath it. */
	bool over;
	/* Enter, while one types, opens the entry of the cursor. */
	bool pick;
	/* The left part of the bottom line, instead of "3 of 9 trees". May be NULL. */
	void (*status)(const struct tui_app *app, const struct tui_list *list,
		       struct loom_buf *out);
	/* A text beside the rows: what the entry of the cursor (NULL: there is none) stands for.
	 * May be NULL. */
	void (*side)(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out);
	/* The cursor came to another entry (NULL: to none). May be NULL. */
	void (*moved)(struct tui_app *app, const struct tui_entry *entry);
	/* What leaving does instead of closing it. May be NULL. */
	void (*leave)(struct tui_app *app);
	/* Frees what it was opened with. May be NULL. */
	void (*forget)(void *own);
	/* What the entry stands for, for the menu of it; the command that opens this list again,
	 * NONE: no command takes it. May be NULL. */
	enum tui_command (*noun)(struct tui_app *app, const struct tui_entry *entry,
				 struct tui_noun *out);
	/* Whether one of its keys does something at an entry (NULL: there is none), so that the
	 * bottom line may offer it. May be NULL: all do that any list has something for. */
	bool (*offers)(const struct tui_list *list, const struct tui_entry *entry,
		       enum tui_command command);
	/* The command line that `a` begins, the caret before a quote at its end. May be NULL. */
	const char *add;
};

void tui_list_open(struct tui_app *app, const struct tui_list_kind *kind, struct loom_str argument);
/* The same, with what the kind keeps beside its entries; the list takes it. */
void tui_list_open_with(struct tui_app *app, const struct tui_list_kind *kind, void *own);
void *tui_list_own(const struct tui_list *list);
/* Of which kind it is. */
bool tui_list_is(const struct tui_list *list, const struct tui_list_kind *kind);
/* Another one for each list that is opened: whether an answer is still asked for. */
uint64_t tui_list_serial(const struct tui_list *list);
void tui_list_close(struct tui_app *app);
/* What it shows is being looked up; keys wait for it, but for those that leave. */
void tui_list_wait(struct tui_list *list);
bool tui_list_waits(const struct tui_list *list);
/* It is there. */
void tui_list_ready(struct tui_app *app);
/* The text beside it takes everything, or its part again. */
void tui_list_zoom(struct tui_list *list);
/* One level back, as its kind wants it. */
void tui_list_leave(struct tui_app *app);
void tui_list_add(struct tui_list *list, const struct tui_entry *entry);
/* What it shows is one text: y copies that. */
void tui_list_whole(struct tui_list *list, struct loom_str text);
struct loom_arena *tui_list_arena(const struct tui_list *list);
/* What it was opened with. */
struct loom_str tui_list_argument(const struct tui_list *list);
/* Reads it anew; the entry of the cursor stays. */
void tui_list_refresh(struct tui_app *app);
/* The entry of the cursor, or NULL. */
const struct tui_entry *tui_list_at(const struct tui_list *list);
void tui_list_to(struct tui_list *list, int64_t id);
/* The i-th that is shown, or NULL; how many; which one has the cursor. */
const struct tui_entry *tui_list_entry(const struct tui_list *list, size_t i);
size_t tui_list_count(const struct tui_list *list);
size_t tui_list_index(const struct tui_list *list);
enum tui_keyview tui_list_view(const struct tui_list *list);
bool tui_list_live(const struct tui_list *list);
/* Whether it, and not a text that is being written, has the keys. */
bool tui_list_rules(const struct tui_app *app);
void tui_list_step(struct tui_app *app, int by);

void tui_list_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
struct loom_str tui_list_title(const struct tui_list *list);
/* Appends all of it, a line an entry; none of others looks like one of ours. */
void tui_list_text(const struct tui_list *list, struct loom_buf *out);
void tui_list_status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out);
/* "3 of 9 trees" */
void tui_list_say_count(const struct tui_list *list, struct loom_buf *out);
/* " · E edits it", with the key that lists have for the command. */
void tui_list_say_key(const struct tui_app *app, enum tui_command command, const char *what,
		      struct loom_buf *out);
/* Whether a key would do something in it now. */
bool tui_list_offers(const struct tui_list *list, enum tui_command command);
/* What the entry of the cursor stands for, and the command that opens this list again; NONE: no
 * command takes it. */
enum tui_command tui_list_noun(struct tui_app *app, struct tui_noun *out);
/* Asks for what filters it, or what it looks for. */
void tui_list_ask(struct tui_app *app, struct loom_str text);
/* Does a command as the list that is in front; false: it means nothing in it. */
bool tui_list_does(struct tui_app *app, const struct tui_match *match);
/* Shows only entries with this text; empty: all. */
void tui_list_filter(struct tui_app *app, struct loom_str text);

/* memory_list.c: what a thread keeps */
extern const struct tui_list_kind tui_memory_kind;
/* text_list.c: a text in rows, under a line that says what it is. */
void tui_text_rows(struct tui_list *list, struct loom_str title, struct loom_str text);
#endif
