/* What scanner and parser share about characters and lines. Nothing here is for other rooms. */
#ifndef LOOM_TOOLS_SCAN_IMPL_H
#define LOOM_TOOLS_SCAN_IMPL_H

#include <loom/language/scan.h>

/* ---- characters of a call line (quote.c) ---- */

/* The tags a model thinks in. Each is ended by its own kind only: the other one is a word of the
 * thought. */
enum lang_tag { LANG_TAG_NONE, LANG_TAG_THINK, LANG_TAG_THINKING };

/* Where a reader stands in a call line. Start with all zeroes behind the arrow and its blanks. */
struct lang_quote {
	bool open;           /* inside a quoted text */
	unsigned char curly; /* the last byte of the curly sign that opened it, 0: a straight one */
	enum lang_tag tag;   /* stood outside quotes: the line opens what it may not */
	int blanks;          /* in a row, just before */
	size_t outside;      /* bytes outside quotes so far */
	size_t inside;       /* bytes of the quoted text that was read last */
	size_t longest;      /* of the quoted texts so far */
};

/* Reads on to the end of `line` (no LF in it; several lines of a quote come one by one). */
void lang_quote_line(struct lang_quote *quote, struct loom_str line);
/* Bytes of the blank at `at` (space, tab, U+00A0, U+202F, U+3000), 0 when there is none. */
size_t lang_blank(struct loom_str s, size_t at);
/* As above for any number of them. */
size_t lang_blanks(struct loom_str s, size_t at);
/* Bytes of the quote sign at `at`, 0 for none; *out_curly as in struct lang_quote. */
size_t lang_quote_sign(struct loom_str s, size_t at, unsigned char *out_curly);
/* Bytes of the sign at `at` that closes a quote so opened, 0 for none: a straight one closes any,
 * a curly one only what a curly one opened. */
size_t lang_quote_closes(struct loom_str s, size_t at, unsigned char curly_open);
/* Without blanks of the language, CR and LF at both ends. */
struct loom_str lang_trim(struct loom_str s);
bool lang_is_blank(struct loom_str s);
/* . , ; ! ? */
bool lang_is_closing(char c);

#define LANG_ARROW      "\xE2\x86\x92" /* → */
#define LANG_BACK_ARROW "\xE2\x86\x90" /* ← */

/* Whether `body` begins a thought; *out_text gets what follows the word on this line. */
bool lang_is_think(struct loom_str body, struct loom_str *out_text);
/* Takes the ← that ends a line off it; false when there is none (a comment or punctuation may
 * follow it). */
bool lang_cut_back_arrow(struct loom_str line, struct loom_str *out_before);
/* Whether a line holds only ←. */
bool lang_is_back_arrow(struct loom_str line);
/* A whole thought without the ← that closes it: the one that ends its only line or, of several
 * lines, the one that has the last line to itself. */
struct loom_str lang_thought(struct loom_str text);
/* Bytes of the variation selector at `at`, which changes no arrow; 0 when there is none. */
size_t lang_selector(struct loom_str s, size_t at);

/* ---- what a line is (scan_line.c) ---- */

struct lang_fence {
	char sign;     /* ` or ~ */
	size_t length; /* at least 3 */
	bool loose;    /* opened on a bullet's line: its end may be indented further */
};

/* Columns of the blanks at the head of a line, 4 at most; *out_bytes how many bytes. */
size_t lang_indent(struct loom_str line, size_t *out_bytes);
/* Each looks at the head of a line without its indentation and gives the bytes it takes, 0: not. */
size_t lang_arrow(struct loom_str rest);       /* → with its variation selector and blanks */
size_t lang_ascii_arrow(struct loom_str rest); /* -> => ⇒ with blanks */
size_t lang_bullet(struct loom_str rest);      /* "- ", "12. ", "* [x] ", several in a row */
bool lang_fence_opens(struct loom_str rest, struct lang_fence *out);
bool lang_fence_closes(const struct lang_fence *fence, struct loom_str line);
/* The bytes of a <think> or <thinking> tag at s.p[at], 0: none. */
size_t lang_tag_opens(struct loom_str s, size_t at, enum lang_tag *out_tag);
/* The bytes of the end of such a tag there. */
size_t lang_tag_closes(struct loom_str s, size_t at, enum lang_tag tag);
/* Where the first one that opens stands from `from` on, inline code left out; SIZE_MAX: nowhere. */
size_t lang_tag_find(struct loom_str line, size_t from, enum lang_tag *out_tag, size_t *out_bytes);
/* Where the first end of `tag` stands; SIZE_MAX: nowhere. */
size_t lang_tag_find_end(struct loom_str s, size_t from, enum lang_tag tag, size_t *out_bytes);

#endif
