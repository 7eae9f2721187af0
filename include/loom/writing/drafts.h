/* Drafts as rows under their anchors. */
#ifndef TUI_DRAFTS_H
#define TUI_DRAFTS_H

#include <loom/desk/desk.h>
#include <loom/writing/unsent.h>

#define TUI_DRAFTS 64
struct tui_draft_row {
	char id[16];
	int64_t anchor; /* group */
	bool edit;      /* another version of it; else below it */
	bool begins;    /* a tree of its own: it hangs on nothing, and stands below the root here */
	bool pending;   /* its file is not written yet */
	char text[TUI_ROW_TEXT];
	uint8_t text_n;
};

struct tui_drafts {
	struct tui_draft_row rows[TUI_DRAFTS];
	size_t count;
	int64_t asked; /* how often they were asked for */
	uint64_t timer;
	int64_t of;           /* in which tree; -1: nobody has asked yet */
	char at[16];          /* the one under the cursor; empty: none is */
	struct loom_buf text; /* all of it */
};

/* The file of this one is as it is meant. */
void tui_drafts_written(struct tui_app *app, const char *id);
const struct tui_draft_row *tui_drafts_at(const struct tui_app *app, uint32_t item);
/* A text was left: its row is there at once, under the cursor. */
void tui_drafts_left(struct tui_app *app, const struct tui_unsent *what, struct loom_str text);
/* What the reader shows of the one under the cursor. */
void tui_drafts_extra(const struct tui_app *app, struct tui_extra *extra);

#endif
