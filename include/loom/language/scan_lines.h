/* Characters and lines, as the scanner and the parser both read them. */
#ifndef LOOM_TOOLS_SCAN_IMPL_H
#define LOOM_TOOLS_SCAN_IMPL_H

#include <loom/base/arena.h>
#include <loom/language/scan.h>

/* ---- characters of a call line (quote.c) ---- */

/* The inside of a tag. */
enum lang_tag_kind {
	LANG_TAG_THINKING, /* a thought */
	LANG_TAG_QUOTING,  /* shown as it is: <pre>, <blockquote> … */
	LANG_TAG_SOURCE,   /* what somebody else wrote: <document>, <email> … */
	LANG_TAG_OTHER,    /* a name that is none of ours: <chapter> … */
};
/* A tag of a name that means something here, in any of the shapes that models write: <think>,
 * [THINK], <|begin_of_thought|>, ◁think▷. Only the same name closes what it opens. */
struct lang_tag {
	size_t name; /* never 0 */
	enum lang_tag_kind kind;
	bool closes;
	size_t bytes;
};
/* Reads the tag at `at` into *out. Returns false when there is none. */
bool lang_tag_read(struct loom_str s, size_t at, struct lang_tag *out);

/* The state of reading a call line. Zero it to start just past the arrow and its blanks. */
struct lang_quote {
	bool open;           /* inside a quoted text */
	unsigned char curly; /* last byte of the curly sign that opened it; 0: a straight one */
	size_t tag;     /* name of a thought's tag outside quotes; a call line may not open one */
	int blanks;     /* in a row, just before */
	size_t outside; /* bytes outside quotes so far */
	size_t inside;  /* bytes of the latest quoted text */
	size_t longest; /* bytes of the longest quoted text so far */
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
/* Returns the offset of the first tag at or after `from` that closes this name, and sets
 * *out_bytes, its length. Returns SIZE_MAX when there is none. */
size_t lang_tag_find_end(struct loom_str s, size_t from, size_t name, size_t *out_bytes);

/* ---- what is quoted over several lines (inert.c) ---- */

enum lang_mark {
	LANG_MARK_NONE,
	LANG_MARK_PAIR,  /* a comment, an environment */
	LANG_MARK_TAG,   /* <pre> … */
	LANG_MARK_CODE,  /* backticks; tildes and three quotation marks are the same */
	LANG_MARK_QUOTE, /* quotation marks */
	LANG_MARK_BLOCK, /* lines between two that say so: BEGIN … END, <<EOF … EOF */
};
/* How far reaches what a line announces. */
enum lang_words {
	LANG_WORDS_NONE,
	LANG_WORDS_AHEAD,    /* the next paragraph: "Bob wrote:" */
	LANG_WORDS_HERE,     /* the rest of this one */
	LANG_WORDS_HUNK,     /* of a patch: an empty line, without its blank */
	LANG_WORDS_INDENTED, /* a literal: a line that is not indented */
};
/* The marks that are open between two lines of prose. Zero it to start. */
struct lang_marks {
	enum lang_mark open;
	enum lang_words words;
	size_t which; /* the pair, the tag's name, the kind of quotation marks, the last line */
	size_t depth; /* how often it was opened */
	char sign;    /* of code */
	size_t run;   /* its length */
	bool bound;   /* it ends with its paragraph */
	bool lost;    /* the last one was never closed */
	bool arrow_known;
	size_t arrow; /* where the first arrow of the line being read stands */
};
/* Reads a line of prose from `from` on: what it opens is open afterwards, what it closes is not.
 * Stops at the first tag of a thought that is not inside of anything, fills *out_tag and returns
 * its offset; returns SIZE_MAX at the end of the line. */
size_t lang_marks_read(struct lang_marks *marks, struct loom_str line, size_t from,
		       struct lang_tag *out_tag);
/* Returns whether the next line is inside of something. */
bool lang_marks_inside(const struct lang_marks *marks);
/* How a line says whose the next ones are (announce.c). */
enum lang_announced {
	LANG_ANNOUNCED_NOTHING,
	LANG_ANNOUNCED_WORDS, /* the next paragraph is somebody else's, or an example */
	LANG_ANNOUNCED_HERE,  /* so is the rest of this one */
	LANG_ANNOUNCED_HUNK,
	LANG_ANNOUNCED_INDENTED,
	LANG_ANNOUNCED_BLOCK, /* so is all down to a line that ends it: *out_last */
};
enum lang_announced lang_announces(struct loom_str line, size_t *out_last);
/* Returns whether a line is the last of an announced block. */
bool lang_announced_ends(struct loom_str line, size_t last);
/* Ends what the line shows to have ended before it. */
void lang_marks_leave(struct lang_marks *marks, struct loom_str line);
/* Begins a line that is inside of something, before it is read: an empty one ends what ends with
 * its paragraph. */
void lang_marks_begin(struct lang_marks *marks, struct loom_str line);

#endif
