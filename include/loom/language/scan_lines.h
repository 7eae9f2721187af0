/* Characters and lines, as the scanner and the parser both read them. */
#ifndef LOOM_TOOLS_SCAN_IMPL_H
#define LOOM_TOOLS_SCAN_IMPL_H

#include <loom/base/arena.h>
#include <loom/language/scan.h>

/* ---- characters of a call line (quote.c) ---- */

/* The tags that models think in. Each is closed only by its own kind; the other is part of the
 * thought. */
enum lang_tag { LANG_TAG_NONE, LANG_TAG_THINK, LANG_TAG_THINKING };

/* The state of reading a call line. Zero it to start just past the arrow and its blanks. */
struct lang_quote {
	bool open;           /* inside a quoted text */
	unsigned char curly; /* last byte of the curly sign that opened it; 0: a straight one */
	enum lang_tag tag;   /* found outside quotes, where a call line may not open one */
	int blanks;          /* in a row, just before */
	size_t outside;      /* bytes outside quotes so far */
	size_t inside;       /* bytes of the latest quoted text */
	size_t longest;      /* bytes of the longest quoted text so far */
};

/* Advances the state over `line`, which has no LF; the lines of a quote are passed one by one. */
void lang_quote_line(struct lang_quote *quote, struct loom_str line);
/* Returns the length of the blank at `at` (space, tab, U+00A0, U+202F, U+3000), or 0. */
size_t lang_blank(struct loom_str s, size_t at);
/* Returns the length of the run of blanks at `at`, or 0. */
size_t lang_blanks(struct loom_str s, size_t at);
/* Returns the length of the quote sign at `at`, or 0; *out_curly is set as in struct lang_quote. */
size_t lang_quote_sign(struct loom_str s, size_t at, unsigned char *out_curly);
/* Returns the length of the sign at `at` if it closes a quote opened by `curly_open`, or 0. A
 * straight sign closes any quote, a curly one only what a curly one opened. */
size_t lang_quote_closes(struct loom_str s, size_t at, unsigned char curly_open);
/* Returns the text between quotes with \" and \\ resolved; other backslashes are literal. A copy in
 * the arena when there were any. */
struct loom_str lang_unescape(struct loom_arena *arena, struct loom_str raw);
/* Returns s without the blanks, CRs and LFs at both ends. */
struct loom_str lang_trim(struct loom_str s);
/* Returns whether s has nothing but blanks, CRs and LFs. */
bool lang_is_blank(struct loom_str s);
/* Returns whether c is punctuation that may close a line: . , ; ! ? */
bool lang_is_closing(char c);

#define LANG_ARROW      "\xE2\x86\x92" /* → */
#define LANG_BACK_ARROW "\xE2\x86\x90" /* ← */

/* Returns whether `body`, the text after an arrow, begins a thought; *out_text is the rest of the
 * line after the word. */
bool lang_is_think(struct loom_str body, struct loom_str *out_text);
/* Removes the ← that ends a line, with a comment or punctuation after it. *out_before is what
 * precedes it. Returns false when there is none. */
bool lang_cut_back_arrow(struct loom_str line, struct loom_str *out_before);
/* Returns whether a line consists of ← alone. */
bool lang_is_back_arrow(struct loom_str line);
/* Returns a whole thought without its closing ←: the one at the end of a single line or, in several
 * lines, the one alone on the last. */
struct loom_str lang_thought(struct loom_str text);
/* Returns the length of the variation selector at `at`, which does not change an arrow, or 0. */
size_t lang_selector(struct loom_str s, size_t at);

/* ---- what a line is (scan_line.c) ---- */

struct lang_fence {
	char sign;     /* ` or ~ */
	size_t length; /* at least 3 */
	bool loose;    /* opened in a bullet's line: its end may be indented further */
};

/* Returns the columns of the line's indentation, 4 at most; *out_bytes is its length in bytes. */
size_t lang_indent(struct loom_str line, size_t *out_bytes);
/* Each of these looks at the beginning of a line after its indentation and returns the length of
 * what it matches, or 0. */
size_t lang_arrow(struct loom_str rest);       /* → with its variation selector and blanks */
size_t lang_ascii_arrow(struct loom_str rest); /* -> => ⇒ with blanks */
size_t lang_bullet(struct loom_str rest);      /* "- ", "12. ", "* [x] ", several in a row */
/* Returns whether `rest`, the beginning of a line after its indentation, opens a fence; fills *out,
 * but for `loose`. */
bool lang_fence_opens(struct loom_str rest, struct lang_fence *out);
/* Returns whether a whole line closes the fence. */
bool lang_fence_closes(const struct lang_fence *fence, struct loom_str line);
/* Returns the length of the <think> or <thinking> tag at s.p[at] and sets *out_tag, or returns
 * 0. */
size_t lang_tag_opens(struct loom_str s, size_t at, enum lang_tag *out_tag);
/* Returns the length of the closing tag of `tag` at s.p[at], or 0. */
size_t lang_tag_closes(struct loom_str s, size_t at, enum lang_tag tag);
/* Returns the offset of the first opening tag at or after `from`, outside inline code, and sets
 * *out_tag and *out_bytes, its length. Returns SIZE_MAX when there is none. */
size_t lang_tag_find(struct loom_str line, size_t from, enum lang_tag *out_tag, size_t *out_bytes);
/* Returns the offset of the first closing tag of `tag` at or after `from` and sets *out_bytes, its
 * length. Returns SIZE_MAX when there is none. */
size_t lang_tag_find_end(struct loom_str s, size_t from, enum lang_tag tag, size_t *out_bytes);

#endif
