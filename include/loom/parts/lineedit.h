/* A text being edited, with readline's keys. Pure: a model without a screen; a view wraps and
 * draws it. One line (a prompt) or many (a node, a draft).
 *
 * A long paste is folded into one item: the caret steps over it and a key erases all of it, but
 * the text contains it in full. */
#ifndef TUI_LINEEDIT_H
#define TUI_LINEEDIT_H

#include <loom/base/str.h>

#include <loom/parts/folds.h>
#include <loom/keys/keys.h>

#define TUI_EDIT_MAX   ((size_t)256 << 20)
#define TUI_KILLS      16
#define TUI_EDIT_STEPS 1000

struct tui_edit_step; /* one undoable change */

struct tui_edit {
	struct loom_buf text;
	struct tui_folds folds;
	size_t caret; /* always between two graphemes, never within a fold */
	bool many_lines;
	int goal;         /* the column that up and down aim at; -1 when none */
	uint64_t changes; /* grows with every change of the text or of a fold */
	struct tui_edit_step *steps;
	size_t step_count, step_at; /* steps from step_at on can be redone */
	struct loom_buf kills[TUI_KILLS];
	struct tui_folds kill_folds[TUI_KILLS];
	size_t kill_count; /* kills ever made; the last is at (kill_count - 1) % TUI_KILLS */
	size_t yank_from,
		yank_back; /* the last yank: its start, and how far back in the kills it went */
	int last;          /* kind of the last operation, for joining kills and undo steps */
};

enum tui_edit_op {
	TUI_EDIT_LEFT,
	TUI_EDIT_RIGHT,
	TUI_EDIT_WORD_LEFT,
	TUI_EDIT_WORD_RIGHT,
	TUI_EDIT_LINE_START,
	TUI_EDIT_LINE_END,
	TUI_EDIT_TEXT_START,
	TUI_EDIT_TEXT_END,
	TUI_EDIT_UP, /* by lines of the text; a view that wraps moves the caret itself */
	TUI_EDIT_DOWN,
	TUI_EDIT_ERASE_BACK,
	TUI_EDIT_ERASE,
	TUI_EDIT_KILL_BLANK_BACK, /* C-w: back to a blank */
	TUI_EDIT_KILL_WORD_BACK,
	TUI_EDIT_KILL_WORD,
	TUI_EDIT_KILL_START,
	TUI_EDIT_KILL_END,
	TUI_EDIT_YANK,
	TUI_EDIT_YANK_OLDER,
	TUI_EDIT_SWAP,
	TUI_EDIT_NEWLINE,
	TUI_EDIT_UNDO,
	TUI_EDIT_REDO,
};

/* An empty text; `many_lines` allows line breaks. */
void tui_edit_init(struct tui_edit *edit, bool many_lines);
/* Frees text, undo steps and kills. */
void tui_edit_fini(struct tui_edit *edit);
/* Replaces the whole text, puts the caret at its end and forgets the undo steps. */
void tui_edit_set(struct tui_edit *edit, struct loom_str text);
/* The text, borrowed until the next change. */
struct loom_str tui_edit_text(const struct tui_edit *edit);
/* Moves the caret to the grapheme boundary at or before `at`. */
void tui_edit_to(struct tui_edit *edit, size_t at);
/* Inserts at the caret as one undo step; in a one-line text a line break becomes a blank. Typed
 * characters (`typed`) join into steps of one word. */
void tui_edit_insert(struct tui_edit *edit, struct loom_str text, bool typed);
/* Inserts pasted text at the caret as one undo step and folds it when it is long. */
void tui_edit_paste(struct tui_edit *edit, struct loom_str text);
/* Opens or closes the paste at or nearest to the caret; NULL when there is none. Neither changes
 * the text nor makes an undo step. */
const struct tui_fold *tui_edit_fold(struct tui_edit *edit);
/* The text as shown: built in `room` when it has closed folds, otherwise the text itself. `labels`
 * (nullable) gets the ranges of the fold labels. */
struct loom_str tui_edit_shown(const struct tui_edit *edit, struct loom_buf *room,
			       struct tui_folds *labels);
/* Restores the folds that tui_folds_print() wrote when this text was saved. */
void tui_edit_folds(struct tui_edit *edit, struct loom_str words);
/* Replaces [from, to) as one undo step and puts the caret after it. */
void tui_edit_replace(struct tui_edit *edit, size_t from, size_t to, struct loom_str text);
/* Performs an editing operation. False when there was nothing to do. */
bool tui_edit_do(struct tui_edit *edit, enum tui_edit_op op);
/* Whether the key does something in a text besides standing for itself. */
bool tui_edit_binds(struct tui_key key);
/* Performs what readline does with this key. False when the key is left to the caller: Enter, Esc,
 * Tab and C-g always, Up and Down in a one-line text. */
bool tui_edit_key(struct tui_edit *edit, struct tui_key key);

#endif
