/* Cells and graphemes, from one table. Pure; knows nothing of a terminal. */
#ifndef LOOM_WIDTH_H
#define LOOM_WIDTH_H

#include <loom/base/str.h>

/* 0, 1 or 2 cells; controls and unassigned are 0 here and are made visible by sanitise.h. */
int loom_cp_width(uint32_t cp);
/* Combining marks and other characters that extend the one before. */
bool loom_cp_is_mark(uint32_t cp);
/* Letters that are written from right to left. */
bool loom_cp_is_rtl(uint32_t cp);

/* The extended grapheme cluster at s.p[*at]: moves *at behind it and returns its cells: an emoji
 * sequence or a flag has 2, else each character counts. Needs *at < s.n. */
int loom_grapheme_next(struct loom_str s, size_t *at);
/* Start of the cluster that ends at `at` (for a caret going left). Needs at > 0. */
size_t loom_grapheme_prev(struct loom_str s, size_t at);
/* Cells of a whole text, without line breaks or tabs. */
size_t loom_str_width(struct loom_str s);

#endif
