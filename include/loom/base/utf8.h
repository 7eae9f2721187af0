/* Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef LOOM_UTF8_H
#define LOOM_UTF8_H

#include <loom/base/str.h>

#define LOOM_CP_BAD UINT32_MAX

/* Returns the code point at s.p[*at] and moves *at past it. A byte that starts no valid sequence
 * gives LOOM_CP_BAD and moves one byte. Requires *at < s.n. */
uint32_t loom_utf8_next(struct loom_str s, size_t *at);
/* Returns the code point before *at and moves *at to its start; an invalid one gives LOOM_CP_BAD
 * and moves one byte. Requires *at > 0. */
uint32_t loom_utf8_prev(struct loom_str s, size_t *at);
/* Returns whether `s` is valid UTF-8; if not, *bad_at (nullable) gets the offset of the first bad
 * byte. */
bool loom_utf8_valid(struct loom_str s, size_t *bad_at);
/* Writes 1–4 bytes for a valid code point and returns their number. */
size_t loom_utf8_encode(uint32_t cp, char out[4]);
/* Counts code points; a bad byte counts as one. */
size_t loom_utf8_length(struct loom_str s);
/* Returns the longest prefix of at most `n` bytes that does not split a character. */
struct loom_str loom_utf8_clip(struct loom_str s, size_t n);
/* Returns how many bytes at the end begin a character that is still incomplete. */
size_t loom_utf8_partial_tail(struct loom_str s);
/* Folds the case and strips the accent of a code point, for search and matching. */
uint32_t loom_cp_fold(uint32_t cp);
/* Returns the offset of `part` in `text` at or after `from`, ignoring case, accents and combining
 * marks; SIZE_MAX if there is none. */
size_t loom_utf8_find(struct loom_str text, struct loom_str part, size_t from);

#endif
