/* Parts of a text that are shown as one thing, `[pasted 120 lines]`, while they are folded. Pure:
 * the text is somebody else's and stays as it is; this only says where in it they stand. */
#ifndef TUI_FOLDS_H
#define TUI_FOLDS_H

#include <loom/base/str.h>

#define TUI_FOLD_LINES 10  /* what is pasted is folded above so many lines, */
#define TUI_FOLD_CHARS 800 /* or so many characters */

struct tui_fold {
	size_t from, to; /* bytes of the text; never empty */
	bool open;       /* shown as it is; can be folded again */
	uint64_t lines;  /* counted when it was folded; */
	uint64_t chars;  /* these only where it is one line */
};

/* In the order of the text; none overlaps another. Zeroed: there is none. */
struct tui_folds {
	struct tui_fold *items;
	size_t count, cap;
};

void tui_folds_fini(struct tui_folds *folds);
/* The same places once more; the caller's. */
struct tui_folds tui_folds_dup(const struct tui_folds *folds);
/* Whether a paste is long enough to be folded. */
bool tui_folds_wants(struct loom_str pasted);
/* Folds [from, to) of the text, which is not empty; an open one there is one no more. */
void tui_folds_add(struct tui_folds *folds, struct loom_str text, size_t from, size_t to);
/* n bytes at `at` have become `with` bytes: all stay where their text is. What is written at the
 * edge of one does not become a part of it; one whose text is gone is gone. */
void tui_folds_splice(struct tui_folds *folds, size_t at, size_t n, size_t with);
/* Those of [from, to) again, in another text (or the same) where `from` is at `at`. */
void tui_folds_copy(struct tui_folds *out, const struct tui_folds *folds, size_t from, size_t to,
		    size_t at);
/* The folded one that has this byte; NULL: none has. */
const struct tui_fold *tui_folds_over(const struct tui_folds *folds, size_t at);
/* Opens the one at the place, or folds it again: the one around it, else the one before it, else
 * the one behind it, else the nearest before, else the first. NULL: there is none. */
const struct tui_fold *tui_folds_toggle(struct tui_folds *folds, struct loom_str text, size_t at);
/* Whether any is folded: else what is shown is the text. */
bool tui_folds_any(const struct tui_folds *folds);

/* `[pasted 120 lines]`, or characters where it is one line; blanks in it break no line. */
void tui_folds_label(const struct tui_fold *fold, struct loom_buf *out);
/* What is shown of the text; in `labels` (may be NULL) where the labels stand in that. */
void tui_folds_show(const struct tui_folds *folds, struct loom_str text, struct loom_buf *out,
		    struct tui_folds *labels);
/* Where a place of the text is in what is shown. */
size_t tui_folds_shown_at(const struct tui_folds *folds, size_t at);

/* As words for a file: `12-4711 5000-6000`, an open one with `+` behind it. */
void tui_folds_print(const struct tui_folds *folds, struct loom_buf *out);
/* Takes those that make sense in this text; others are left out. */
void tui_folds_parse(struct tui_folds *folds, struct loom_str words, struct loom_str text);

#endif
