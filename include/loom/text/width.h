/* Cells and graphemes from one table. Pure, and independent of any terminal. */
#ifndef LOOM_WIDTH_H
#define LOOM_WIDTH_H

#include <loom/base/str.h>

/* Returns the width of a code point: 0, 1 or 2 cells. Controls and unassigned ones are 0;
 * sanitise.h makes them visible. */
int loom_cp_width(uint32_t cp);
/* Returns whether `cp` is a combining mark or otherwise extends the character before it. */
bool loom_cp_is_mark(uint32_t cp);
/* Returns whether `cp` is a letter written from right to left. */
bool loom_cp_is_rtl(uint32_t cp);

/* Reads the extended grapheme cluster at s.p[*at], moves *at past it and returns its width: 2 cells
 * for an emoji sequence or a flag, otherwise the sum of its characters. Requires *at < s.n. */
int loom_grapheme_next(struct loom_str s, size_t *at);
/* Returns the start of the cluster that ends at `at`, for a caret moving left. Requires at > 0. */
size_t loom_grapheme_prev(struct loom_str s, size_t at);
/* Returns the width of a text in cells, ignoring line breaks and tabs. */
size_t loom_str_width(struct loom_str s);

#endif
