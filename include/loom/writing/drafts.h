/* Drafts as rows below their anchors. */
#ifndef TUI_DRAFTS_H
#define TUI_DRAFTS_H

#include <loom/desk/desk.h>
#include <loom/writing/unsent.h>

#define TUI_DRAFTS 64
struct tui_draft_row {
	char id[16];
	int64_t anchor; /* group */
	bool edit;      /* another version of the anchor, not a node below it */
	bool begins;    /* the beginning of a new tree; it is listed below this tree's root */
	bool pending;   /* its file is not yet written */
	bool sent;      /* it is on its way into the tree */
	char text[TUI_ROW_TEXT];
	uint8_t text_n;
};

struct tui_drafts {
	struct tui_draft_row rows[TUI_DRAFTS];
	size_t count;
	int64_t asked; /* number of the last query for them */
	uint64_t timer;
	int64_t of;           /* the tree they belong to; -1 before the first query */
	char at[16];          /* id of the draft under the cursor; empty for none */
	struct loom_buf text; /* its full text */
};

/* Notes that the draft's file is up to date. */
void tui_drafts_written(struct tui_app *app, const char *id);
/* The draft shown as `item`, or NULL. */
const struct tui_draft_row *tui_drafts_at(const struct tui_app *app, uint32_t item);
/* Shows a text that was just left as a draft's row, under the cursor, at once. */
void tui_drafts_left(struct tui_app *app, const struct tui_unsent *what, struct loom_str text);
/* Shows a text that is on its way into the tree, where a log takes its time, as a row below the
 * group. */
void tui_drafts_sent(struct tui_app *app, const struct tui_unsent *what, int64_t anchor,
		     struct loom_str text);
/* Gives the reader the draft under the cursor. */
void tui_drafts_extra(const struct tui_app *app, struct tui_extra *extra);

/* Whether the cursor is on a draft. */
bool tui_draft_here(const struct tui_app *app);
/* Returns what the command does with a draft, as a menu says it. */
const char *tui_draft_word(enum tui_command command);

#endif
