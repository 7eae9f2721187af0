/* Parts of a text that are shown as one item, `[pasted 120 lines]`, while folded. Pure: the text is
 * the caller's and unchanged; this only records which parts of it are folded. */
#ifndef TUI_FOLDS_H
#define TUI_FOLDS_H

#include <loom/base/str.h>

#define TUI_FOLD_LINES 10  /* a paste of more lines than this is folded */
#define TUI_FOLD_CHARS 800 /* or of more characters */

struct tui_fold {
	size_t from, to; /* bytes of the text; never an empty range */
	bool open;       /* shown in full, but can be folded again */
	uint64_t lines;  /* counted when it was folded */
	uint64_t chars;  /* used for a fold of one line */
};

/* In text order, without overlaps. Zeroed when there are none. */
struct tui_folds {
	struct tui_fold *items;
	size_t count, cap;
};

/* Frees a list of folds. */
void tui_folds_fini(struct tui_folds *folds);
/* A copy, owned by the caller. */
struct tui_folds tui_folds_dup(const struct tui_folds *folds);
/* Whether a paste is long enough to fold. */
bool tui_folds_wants(struct loom_str pasted);
/* Folds [from, to) of the text, which must not be empty; an open fold there is dropped. */
void tui_folds_add(struct tui_folds *folds, struct loom_str text, size_t from, size_t to);
/* Follows an edit: n bytes at `at` became `with` bytes. Every fold stays with its text. Text
 * inserted at its edge does not join it; a fold whose text was deleted is dropped. */
void tui_folds_splice(struct tui_folds *folds, size_t at, size_t n, size_t with);
/* Copies the folds within [from, to) for another text, or the same, where `from` lies at `at`. */
void tui_folds_copy(struct tui_folds *out, const struct tui_folds *folds, size_t from, size_t to,
		    size_t at);
/* The closed fold that contains byte `at`, or NULL. */
const struct tui_fold *tui_folds_over(const struct tui_folds *folds, size_t at);
/* Opens or closes the fold around `at`, or else the one just before it, just after it, the nearest
 * before, or the first. Returns it; NULL when there is none. */
const struct tui_fold *tui_folds_toggle(struct tui_folds *folds, struct loom_str text, size_t at);
/* Whether any fold is closed. If not, the text is shown as it is. */
bool tui_folds_any(const struct tui_folds *folds);

/* Appends `[pasted 120 lines]`, or a count of characters for a single line. Its blanks do not break
 * lines. */
void tui_folds_label(const struct tui_fold *fold, struct loom_buf *out);
/* Appends the text as shown, with labels in place of closed folds; `labels` (may be NULL) gets the
 * labels' ranges in it. */
void tui_folds_show(const struct tui_folds *folds, struct loom_str text, struct loom_buf *out,
		    struct tui_folds *labels);
/* Maps an offset in the text to an offset in the shown text. */
size_t tui_folds_shown_at(const struct tui_folds *folds, size_t at);

/* Appends the folds as words for a file: `12-4711 5000-6000`, an open fold with `+` after it. */
void tui_folds_print(const struct tui_folds *folds, struct loom_buf *out);
/* Parses such words; folds that do not fit this text are dropped. */
void tui_folds_parse(struct tui_folds *folds, struct loom_str words, struct loom_str text);

#endif
