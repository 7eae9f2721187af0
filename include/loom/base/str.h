/* Text: a borrowed slice (struct loom_str) and a bounded buffer that is being built (struct
 * loom_buf). A slice may hold any bytes, NUL too; it is valid as long as what it points into. */
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

/* A slice over a literal; also good in static initialisers. */
#define LOOM_STR_INIT(literal)                                                                     \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}
#define LOOM_STR(literal) ((struct loom_str)LOOM_STR_INIT(literal))
/* For "%.*s". */
#define LOOM_STR_ARG(s) (int)(s).n, (s).p

/* A slice over `n` bytes. */
static inline struct loom_str loom_str_make(const char *p, size_t n)
{
	return (struct loom_str){p, n};
}

/* A slice over a C string; NULL gives the empty slice. */
static inline struct loom_str loom_str_of(const char *text)
{
	return loom_str_make(text, text ? strlen(text) : 0);
}

/* Whether it points at what it counts: for assertions. */
static inline bool loom_str_ok(struct loom_str s)
{
	return s.p || !s.n;
}

/* Same bytes. */
bool loom_str_eq(struct loom_str a, struct loom_str b);
/* The same bytes as a C string; one of another length, which most are, costs no call. */
static inline bool loom_str_is(struct loom_str s, const char *text)
{
	const struct loom_str other = loom_str_of(text);

	return s.n == other.n && loom_str_eq(s, other);
}

/* Equal when ASCII letters are folded. */
bool loom_str_eq_fold(struct loom_str a, struct loom_str b);
/* By bytes, shorter first: below 0, 0, above 0. */
int loom_str_cmp(struct loom_str a, struct loom_str b);
/* Whether it starts so; every slice starts and ends with the empty one. */
bool loom_str_starts(struct loom_str s, struct loom_str prefix);
/* Whether it ends so. */
bool loom_str_ends(struct loom_str s, struct loom_str suffix);

/* The part from `from`, at most `n` bytes; out of range is cut, never an error. */
struct loom_str loom_str_sub(struct loom_str s, size_t from, size_t n);
/* Without blanks, tabs, CR and LF at both ends. */
struct loom_str loom_str_trim(struct loom_str s);
/* Where `needle` first stands at or after `from`, or SIZE_MAX. */
size_t loom_str_find(struct loom_str s, struct loom_str needle, size_t from);
/* The same for one byte. */
size_t loom_str_find_char(struct loom_str s, char c, size_t from);

/* Takes the part before the first `c` off *rest (and drops `c`); without one, takes all. False
 * when *rest was already used up (its p is NULL). An empty last part counts. */
bool loom_str_cut(struct loom_str *rest, char c, struct loom_str *out);
/* The next line without its LF (a CR before it stays); false at the end. No line after a last LF.
 */
bool loom_str_line(struct loom_str *rest, struct loom_str *out);

/* Decimal digits only, the whole slice, no sign; false when not a number or too large. */
bool loom_str_to_u64(struct loom_str s, uint64_t *out);
/* As above with an optional minus sign. */
bool loom_str_to_i64(struct loom_str s, int64_t *out);

/* Text being built. Born with a maximum; the first write past it sets `bad` and later ones do
 * nothing, so that one look at the end is enough. Always NUL-terminated behind n bytes. */
struct loom_buf {
	char *p;
	size_t n;
	size_t cap;
	size_t max;
	enum loom_status bad;
	struct loom_pages *pages; /* NULL: plain memory */
};

#define LOOM_BUF_MAX ((size_t)1 << 30)
/* An empty buffer of at most `limit` bytes; safe to fini. */
#define LOOM_BUF_INIT(limit) LOOM_BUF_INIT_ON(limit, NULL)
/* The same for what may be as large as a file: its memory is taken from `from`, which outlives it.
 */
#define LOOM_BUF_INIT_ON(limit, from)                                                              \
	{                                                                                          \
		NULL, 0, 0, (limit), LOOM_OK, (from)                                               \
	}

/* Whether it is as the functions below leave it: for assertions. */
static inline bool loom_buf_ok(const struct loom_buf *buf)
{
	return buf->n <= buf->max && (buf->p ? buf->n < buf->cap && !buf->p[buf->n] : !buf->n);
}

/* What LOOM_BUF_INIT says, for one that has memory already; what it held is not freed. */
void loom_buf_init(struct loom_buf *buf, size_t max);
/* What LOOM_BUF_INIT_ON says. */
void loom_buf_init_on(struct loom_buf *buf, size_t max, struct loom_pages *pages);
/* Frees the text and leaves an empty buffer of the same maximum. */
void loom_buf_fini(struct loom_buf *buf);
/* Empties the buffer, keeps its memory, forgets `bad`. */
void loom_buf_clear(struct loom_buf *buf);
/* Cuts to `n` bytes; longer than it is does nothing. */
void loom_buf_cut(struct loom_buf *buf, size_t n);
/* Room for `n` bytes more, so that what is added next moves nothing; adds nothing itself. What
 * would pass `max` is asked for in vain, and the buffer stays good. */
void loom_buf_reserve(struct loom_buf *buf, size_t n);

/* Appending: all of it or nothing. What would pass `max` makes the buffer bad with LOOM_LIMIT,
 * and from then on nothing is added. */
void loom_buf_add(struct loom_buf *buf, struct loom_str s);
/* A C string; NULL adds nothing. */
void loom_buf_adds(struct loom_buf *buf, const char *text);
/* One byte. */
void loom_buf_addc(struct loom_buf *buf, char c);
/* One byte, `times` times. */
void loom_buf_add_repeat(struct loom_buf *buf, char c, size_t times);
/* What printf would print. */
void loom_buf_addf(struct loom_buf *buf, const char *format, ...) LOOM_PRINTF(2, 3);
/* The same; `args` is used up. */
void loom_buf_addfv(struct loom_buf *buf, const char *format, va_list args) LOOM_PRINTF(2, 0);
/* A code point as UTF-8. */
void loom_buf_add_cp(struct loom_buf *buf, uint32_t cp);
/* 12,847 */
void loom_buf_add_count(struct loom_buf *buf, uint64_t count);
/* The word for so many: `one` for 1, else `many`. */
const char *loom_plural(int64_t count, const char *one, const char *many);
/* Without commas. */
void loom_buf_add_int(struct loom_buf *buf, int64_t number);

/* What is in it so far; borrowed until the next write. */
struct loom_str loom_buf_str(const struct loom_buf *buf);
/* As a C string; "" when empty. Borrowed until the next write. */
const char *loom_buf_cstr(const struct loom_buf *buf);

#endif
