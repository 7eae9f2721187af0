/* Text: a borrowed slice (struct loom_str) and a bounded buffer under construction (struct
 * loom_buf). A slice may hold any bytes, including NUL; it is valid as long as what it points
 * into. */
#ifndef LOOM_STR_H
#define LOOM_STR_H

#include <stdarg.h>

#include <loom/base/base.h>
#include <loom/base/err.h>
#include <loom/base/pages.h>

struct loom_str {
	const char *p;
	size_t n;
};

/* A slice over a literal; also valid in static initialisers. */
#define LOOM_STR_INIT(literal)                                                                     \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}
#define LOOM_STR(literal) ((struct loom_str)LOOM_STR_INIT(literal))
/* The arguments for "%.*s". */
#define LOOM_STR_ARG(s) (int)(s).n, (s).p

/* Makes a slice of `n` bytes at `p`. */
static inline struct loom_str loom_str_make(const char *p, size_t n)
{
	return (struct loom_str){p, n};
}

/* Makes a slice of a C string; NULL gives the empty slice. */
static inline struct loom_str loom_str_of(const char *text)
{
	return loom_str_make(text, text ? strlen(text) : 0);
}

/* For assertions: whether `p` is set if `n` is not 0. */
static inline bool loom_str_ok(struct loom_str s)
{
	return s.p || !s.n;
}

/* Returns whether two slices hold the same bytes. */
bool loom_str_eq(struct loom_str a, struct loom_str b);
/* Returns whether the slice equals a C string; a different length, the usual case, costs no
 * call. */
static inline bool loom_str_is(struct loom_str s, const char *text)
{
	const struct loom_str other = loom_str_of(text);

	return s.n == other.n && loom_str_eq(s, other);
}

/* Compares with ASCII letters folded. */
bool loom_str_eq_fold(struct loom_str a, struct loom_str b);
/* Compares by bytes, a prefix first: below 0, 0 or above 0. */
int loom_str_cmp(struct loom_str a, struct loom_str b);
/* Returns whether `s` starts with `prefix`; the empty prefix always matches. */
bool loom_str_starts(struct loom_str s, struct loom_str prefix);
/* Returns whether `s` ends with `suffix`; the empty suffix always matches. */
bool loom_str_ends(struct loom_str s, struct loom_str suffix);

/* Returns at most `n` bytes from `from` on; out-of-range arguments are clamped. */
struct loom_str loom_str_sub(struct loom_str s, size_t from, size_t n);
/* Returns `s` without blanks, tabs, CR and LF at both ends. */
struct loom_str loom_str_trim(struct loom_str s);
/* Returns the offset of the first `needle` at or after `from`, or SIZE_MAX. */
size_t loom_str_find(struct loom_str s, struct loom_str needle, size_t from);
/* Returns the offset of the first byte `c` at or after `from`, or SIZE_MAX. */
size_t loom_str_find_char(struct loom_str s, char c, size_t from);

/* Takes the part before the first `c` off *rest and drops `c`; without one, takes all of it. False
 * once *rest is used up (its p is NULL). An empty last part counts. */
bool loom_str_cut(struct loom_str *rest, char c, struct loom_str *out);
/* Takes the next line off *rest without its LF (a CR before it stays); false at the end. Nothing
 * follows a final LF. */
bool loom_str_line(struct loom_str *rest, struct loom_str *out);

/* Parses decimal digits only, the whole slice, no sign; false if it is not a number or too
 * large. */
bool loom_str_to_u64(struct loom_str s, uint64_t *out);
/* Parses decimal digits with an optional minus sign, the whole slice; false if it is not a number
 * or too large. */
bool loom_str_to_i64(struct loom_str s, int64_t *out);

/* A text under construction with a maximum size. The first write past the maximum sets `bad` and
 * later ones do nothing, so one check at the end is enough. A NUL always follows its n bytes. */
struct loom_buf {
	char *p;
	size_t n;
	size_t cap;
	size_t max;
	enum loom_status bad;
	struct loom_pages *pages; /* NULL: plain memory */
};

#define LOOM_BUF_MAX ((size_t)1 << 30)
/* An empty buffer of at most `limit` bytes. Freed by loom_buf_fini. */
#define LOOM_BUF_INIT(limit) LOOM_BUF_INIT_ON(limit, NULL)
/* An empty buffer of at most `limit` bytes whose memory comes from `from`, for contents as large as
 * a file; `from` must outlive it. */
#define LOOM_BUF_INIT_ON(limit, from)                                                              \
	{                                                                                          \
		NULL, 0, 0, (limit), LOOM_OK, (from)                                               \
	}

/* For assertions: whether the buffer is in a state the functions below leave it in. */
static inline bool loom_buf_ok(const struct loom_buf *buf)
{
	return buf->n <= buf->max && (buf->p ? buf->n < buf->cap && !buf->p[buf->n] : !buf->n);
}

/* Initialises a buffer like LOOM_BUF_INIT; does not free what it held. */
void loom_buf_init(struct loom_buf *buf, size_t max);
/* Initialises a buffer like LOOM_BUF_INIT_ON; does not free what it held. */
void loom_buf_init_on(struct loom_buf *buf, size_t max, struct loom_pages *pages);
/* Frees the text and leaves an empty buffer with the same maximum. */
void loom_buf_fini(struct loom_buf *buf);
/* Empties the buffer and clears `bad`; keeps its memory. */
void loom_buf_clear(struct loom_buf *buf);
/* Cuts the text to `n` bytes; does nothing if it is shorter. */
void loom_buf_cut(struct loom_buf *buf, size_t n);
/* Reserves room for `n` more bytes, so that the next writes do not move the text. Beyond `max`
 * nothing is reserved, and the buffer stays good. */
void loom_buf_reserve(struct loom_buf *buf, size_t n);

/* Appends all of `s` or nothing. Exceeding `max` makes the buffer bad with LOOM_LIMIT, after which
 * nothing is added. */
void loom_buf_add(struct loom_buf *buf, struct loom_str s);
/* Appends a C string; NULL adds nothing. */
void loom_buf_adds(struct loom_buf *buf, const char *text);
/* Appends a single byte. */
void loom_buf_addc(struct loom_buf *buf, char c);
/* Appends the byte `c` `times` times. */
void loom_buf_add_repeat(struct loom_buf *buf, char c, size_t times);
/* Appends formatted text, like printf. */
void loom_buf_addf(struct loom_buf *buf, const char *format, ...) LOOM_PRINTF(2, 3);
/* Appends formatted text, like vprintf; `args` is used up. */
void loom_buf_addfv(struct loom_buf *buf, const char *format, va_list args) LOOM_PRINTF(2, 0);
/* Appends a code point as UTF-8. */
void loom_buf_add_cp(struct loom_buf *buf, uint32_t cp);
/* Appends a count with commas: 12,847. */
void loom_buf_add_count(struct loom_buf *buf, uint64_t count);
/* Returns `one` for 1, otherwise `many`. */
const char *loom_plural(int64_t count, const char *one, const char *many);
/* Appends a number without commas. */
void loom_buf_add_int(struct loom_buf *buf, int64_t number);

/* Returns the text so far; borrowed until the next write. */
struct loom_str loom_buf_str(const struct loom_buf *buf);
/* Returns the text as a C string, "" when empty; borrowed until the next write. */
const char *loom_buf_cstr(const struct loom_buf *buf);

#endif
