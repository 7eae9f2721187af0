/* A view over everything that is a list: trees, documents, bookmarks, operations, help. One table
 * of functions says what a list shows and what its keys do. */
#ifndef TUI_LIST_H
#define TUI_LIST_H

#include <loom/str.h>

#include "grid.h"

#include "keymap.h"

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
	/* A command it has of its own; false: it is not its. May be NULL. */
	bool (*command)(struct tui_app *app, const struct tui_entry *entry,
			const struct tui_match *match);
	/* Instead of rows. May be NULL. */
	void (*draw)(struct tui_app *app, struct tui_list *list, struct tui_grid *grid,
		     struct tui_rect rect);
	/* It reads as one types: each change of the filter is its argument. */
	bool live;
	/* Commands before those of any list: for what scrolls in its own way. May be NULL. */
	bool (*first)(struct tui_app *app, struct tui_list *list, const struct tui_match *match);
	/* The left part of the bottom line, instead of "3 of 9 trees". May be NULL. */
	void (*status)(const struct tui_app *app, const struct tui_list *list,
		       struct loom_buf *out);
	/* Lets go of what the list has of its own. May be NULL. */
	void (*close)(struct tui_app *app, void *own);
};

void tui_list_open(struct tui_app *app, const struct tui_list_kind *kind, struct loom_str argument);
void tui_list_close(struct tui_app *app);
void tui_list_add(struct tui_list *list, const struct tui_entry *entry);
struct loom_arena *tui_list_arena(const struct tui_list *list);
/* What a kind keeps beside the entries: NULL until it is set. */
void **tui_list_own(struct tui_list *list);
const struct tui_list_kind *tui_list_kind(const struct tui_list *list);
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

void tui_list_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
struct loom_str tui_list_title(const struct tui_list *list);
/* Appends all of it, a line an entry. */
void tui_list_text(const struct tui_list *list, struct loom_buf *out);
void tui_list_status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out);
/* Moving, filtering, opening; then what its kind has. */
bool tui_list_command(struct tui_app *app, const struct tui_match *match);
/* Shows only entries with this text; empty: all. */
void tui_list_filter(struct tui_app *app, struct loom_str text);

/* memory.c: what a thread keeps */
extern const struct tui_list_kind tui_memory_kind;
/* lists_here.c: the same for those about where one stands; a document's text. */
bool tui_lists_here(struct tui_app *app, const struct tui_match *match);
void tui_document_open(struct tui_app *app, const struct tui_entry *entry);
/* lists.c: opens the view of a command; false when the command opens none. */
bool tui_lists_command(struct tui_app *app, const struct tui_match *match);

#endif
