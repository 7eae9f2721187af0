/* Shared by the files of lists. */
#ifndef TUI_LISTS_INSIDE_H
#define TUI_LISTS_INSIDE_H

#include <loom/language/verb.h>
#include <loom/terminal/layout.h>

#include <loom/lists/list.h>

struct tui_list {
	const struct tui_list_kind *kind;
	void *own;
	uint64_t serial;
	bool waits;
	size_t side_at; /* first visible line of the text beside it */
	int side_w;
	bool side_alone; /* the text fills the view */
	struct loom_arena *arena;
	struct loom_buf argument;
	struct loom_buf filter;
	struct loom_str whole; /* the single text it shows, in its arena; empty: rows */
	struct loom_str whole_title;
	struct tui_entry *all;
	size_t count, cap;
	size_t *shown; /* indices of entries that pass the filter */
	size_t shown_count;
	size_t at; /* index in `shown` */
	size_t top;
	int height;
	struct tui_rect rows_rect, side_rect, rule_rect; /* as last drawn */
	int lead, text, end;                             /* width of the widest in each column */
	int wrapped; /* the width that a single text was broken for */
};

/* Cells of the columns of a row; `end` is 0 when the right one has no room. */
struct tui_columns {
	int lead, text, end;
};

/* The text beside a list: what its row has no room for, then what its kind shows. */
struct tui_beside {
	struct tui_side side;
	struct loom_str row;
};

/* in list.c */
/* Shows the entries that pass the filter. */
void tui_list_show(struct tui_list *list);
/* Whether the cursor may be there: on an entry that is shown and is not a heading. */
bool tui_list_rests(const struct tui_list *list, size_t at);
/* Notes that the cursor moved to another entry. */
void tui_list_moved(struct tui_app *app);

/* In documents.c: opens a document to read. */
void tui_document_open(struct tui_app *app, int64_t id);

/* in text_list.c */
/* Breaks the single text that a list shows into rows of that width. */
void tui_text_wrap(struct tui_list *list, int width);

/* in list_draw.c */
/* The columns of an entry in a row of that width. */
struct tui_columns tui_list_columns(const struct tui_list *list, const struct tui_entry *entry,
				    int width);

/* in menu_fits.c */
/* The facts about a node that tell which commands can apply to it. */
struct tui_menu_facts {
	bool known; /* it is a node of the tree on the screen */
	bool draft; /* the row under the cursor is my draft, not a node */
	bool root, pruned, bookmarked, excluded, tagged, linked, pinned, alone, leaf;
	bool seamed, unseamed;
	bool newer, older; /* there are such versions */
};
/* Looks at the node at the position. */
void tui_menu_look(struct tui_app *app, struct tui_menu_facts *out);
/* Whether the verb can do something with such a node. */
bool tui_menu_verb_fits(const struct tui_menu_facts *facts, enum loom_verb verb);
/* The action at `index` that can do something with such a row of the tree; NONE after the last. */
enum tui_command tui_menu_action(const struct tui_menu_facts *facts, size_t index);
/* The command at `index` that the list itself gives a meaning for its row; NONE after the last. */
enum tui_command tui_menu_of_list(const struct tui_app *app, const struct tui_list *list,
				  size_t index);

/* in list_beside.c */
/* Whether there is a text beside the rows at this width. */
bool tui_beside_there(const struct tui_list *list, int width);
/* The text beside the row under the cursor. */
void tui_beside_make(struct tui_app *app, struct tui_beside *out);
/* Scrolls the text beside the rows. */
void tui_beside_scroll(struct tui_app *app, int lines);
/* Draws the text beside the rows. */
void tui_beside_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);

#endif
