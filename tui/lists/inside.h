/* Shared by the files of lists. */
#ifndef TUI_LISTS_INSIDE_H
#define TUI_LISTS_INSIDE_H

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
	struct tui_entry *all;
	size_t count, cap;
	size_t *shown; /* indices of entries that pass the filter */
	size_t shown_count;
	size_t at; /* index in `shown` */
	size_t top;
	int height;
	struct tui_rect rows_rect, side_rect; /* as last drawn */
	int lead;                             /* width of the left column */
};

/* in list.c */
/* Whether the cursor may be there: on an entry that is shown and is not a heading. */
bool tui_list_rests(const struct tui_list *list, size_t at);
/* Notes that the cursor moved to another entry. */
void tui_list_moved(struct tui_app *app);

#endif
