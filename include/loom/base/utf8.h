/* Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef LOOM_UTF8_H
#define LOOM_UTF8_H

#include <loom/base/str.h>

#define LOOM_CP_BAD UINT32_MAX

/* The code point at s.p[*at] and moves *at behind it. For a byte that starts no valid sequence
 * returns LOOM_CP_BAD and moves one byte. Needs *at < s.n. */
uint32_t loom_utf8_next(struct loom_str s, size_t *at);
/* The code point before *at, moving *at to its start; LOOM_CP_BAD moves one byte. Needs *at > 0. */
uint32_t loom_utf8_prev(struct loom_str s, size_t *at);
/* Whether all of it is valid; *bad_at (nullable) gets the first bad byte's offset. */
bool loom_utf8_valid(struct loom_str s, size_t *bad_at);
/* Writes 1–4 bytes for a valid code point and returns how many. */
size_t loom_utf8_encode(uint32_t cp, char out[4]);
/* How many code points; a bad byte counts as one. */
size_t loom_utf8_length(struct loom_str s);
/* The longest prefix of at most `n` bytes that does not cut a character. */
struct loom_str loom_utf8_clip(struct loom_str s, size_t n);
/* How many bytes at the end are the beginning of a character whose rest has not arrived. */
size_t loom_utf8_partial_tail(struct loom_str s);
/* Simple case folding and accent removal of one code point for search and matching. */
uint32_t loom_cp_fold(uint32_t cp);
/* Where `part` stands in `text`, at `from` or behind it, whatever case, accents and combining marks
 * either has; SIZE_MAX: nowhere. */
size_t loom_utf8_find(struct loom_str text, struct loom_str part, size_t from);

#endif
