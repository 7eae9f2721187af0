/* A text being written, with the keys of readline. Pure: a model without a screen; a view wraps and
 * draws it. One line (a prompt) or many (a node, a draft).
 *
 * A long paste is folded: one thing for the keys and the eye, which the caret steps over and a key
 * erases whole, while the text has all of it. */
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
	size_t caret; /* always between two characters, and never within what is folded */
	bool many_lines;
	int goal;         /* column that up and down aim at; -1: none */
	uint64_t changes; /* grows with every change of the text or of a fold */
	struct tui_edit_step *steps;
	size_t step_count, step_at; /* steps behind step_at can be redone */
	struct loom_buf kills[TUI_KILLS];
	struct tui_folds kill_folds[TUI_KILLS];
	size_t kill_count; /* how many were ever made; the last is at (kill_count - 1) % TUI_KILLS
			    */
	size_t yank_from, yank_back; /* the last yank: where it stands, how far back it went */
	int last;                    /* kind of the last operation, for joining kills and steps */
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

void tui_edit_init(struct tui_edit *edit, bool many_lines);
void tui_edit_fini(struct tui_edit *edit);
/* Replaces all, caret at the end, undo forgotten. */
void tui_edit_set(struct tui_edit *edit, struct loom_str text);
struct loom_str tui_edit_text(const struct tui_edit *edit);
/* Puts the caret at the grapheme boundary at or before `at`. */
void tui_edit_to(struct tui_edit *edit, size_t at);
/* Writes at the caret, as one undo step; a line break in a one-line text becomes a blank. Typed
 * characters (typed true) join into steps of a word. */
void tui_edit_insert(struct tui_edit *edit, struct loom_str text, bool typed);
/* The same for what was pasted: folded where it is long. */
void tui_edit_paste(struct tui_edit *edit, struct loom_str text);
/* Opens the pasted part at the caret or nearest to it, or folds it again; NULL: there is none. The
 * text stays, and this is no step of undo. */
const struct tui_fold *tui_edit_fold(struct tui_edit *edit);
/* The text as it is seen: with folds, made in `room`, else itself; `labels` (nullable) are where in
 * it they stand. */
struct loom_str tui_edit_shown(const struct tui_edit *edit, struct loom_buf *room,
			       struct tui_folds *labels);
/* Folds what was folded when this text was kept, as tui_folds_print() wrote it. */
void tui_edit_folds(struct tui_edit *edit, struct loom_str words);
/* Replaces [from, to) as one undo step, caret behind it. */
void tui_edit_replace(struct tui_edit *edit, size_t from, size_t to, struct loom_str text);
/* False when there was nothing to do. */
bool tui_edit_do(struct tui_edit *edit, enum tui_edit_op op);
/* What readline does with this key; false when it means nothing here (the caller's then): Enter,
 * Esc, Tab, C-g, and Up and Down of a one-line text are always the caller's. */
bool tui_edit_key(struct tui_edit *edit, struct tui_key key);

#endif
