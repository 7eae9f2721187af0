/* What the files of a list share. */
#ifndef TUI_LISTS_INSIDE_H
#define TUI_LISTS_INSIDE_H

#include <loom/terminal/layout.h>

#include <loom/lists/list.h>

struct tui_list {
	const struct tui_list_kind *kind;
	void *own;
	uint64_t serial;
	bool waits;
	size_t side_at; /* where what is in sight of the text beside it begins */
	int side_w;
	bool side_alone; /* the text takes everything */
	struct loom_arena *arena;
	struct loom_buf argument;
	struct loom_buf filter;
	struct loom_str whole; /* the text that it shows, in its arena; empty: rows */
	struct tui_entry *all;
	size_t count, cap;
	size_t *shown; /* indices of those that pass the filter */
	size_t shown_count;
	size_t at; /* in shown */
	size_t top;
	int height;
	struct tui_rect rows_rect, side_rect; /* as last drawn */
	int lead;                             /* cells of the left column */
};

/* list.c */
/* Whether the cursor may stand there: on no heading, and on what is shown. */
bool tui_list_rests(const struct tui_list *list, size_t at);
/* The cursor came to another entry. */
void tui_list_moved(struct tui_app *app);

#endif
