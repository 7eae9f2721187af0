/* Everything a person sees on a terminal passes through here.
 *
 * Content is data. Every control, bidi, invisible, unassigned or malformed byte becomes a visible
 * name (`^X`, `\x9B`, `<U+200B>`, `<RLO>`); nothing below 0x20, no DEL and no C1 ever comes out. Of
 * a run of combining marks four are drawn and the rest counted (`<+n marks>`); a mark without a
 * base gets a dotted circle. Joiners and U+FE0F stay only in listed emoji, or between letters of
 * scripts that need them. Tag characters are named, followed by what they spell (`<hidden text:
 * …>`). Stored bytes never change. */
#ifndef LOOM_SHOWN_H
#define LOOM_SHOWN_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* One piece of displayed text: a grapheme or a visible name. */
struct loom_piece {
	struct loom_str source; /* the bytes it represents */
	char text[96];          /* what to draw: valid UTF-8, printable, NUL-terminated */
	uint8_t len;            /* bytes in text */
	uint8_t width;          /* cells; 0 for a line break */
	bool mark;              /* a visible name, drawn in the mark style */
	bool newline;           /* LF (or CR LF): text is empty */
	bool tab;               /* a tab: text is empty, the caller moves to its next tab stop */
};

/* Reads the piece at s.p[*at] and moves *at past it. Requires *at < s.n. Any bytes give pieces.
 * Also looks at the bytes before *at, so pass the whole line, not its rest. */
void loom_shown_next(struct loom_str s, size_t *at, struct loom_piece *out);

/* Appends `s` in visible form; keeps LF and expands tabs to stops of 8. */
void loom_shown_text(struct loom_buf *out, struct loom_str s);
/* Appends `s` in visible form on one line: line breaks become "⏎", and a text longer than `cells`
 * is cut with "…" (0: no limit). */
void loom_shown_line(struct loom_buf *out, struct loom_str s, size_t cells);
/* Returns how many characters of `s` are invisible, not counting control characters; *out_tags gets
 * how many of them are Tag characters. */
size_t loom_shown_unseen(struct loom_str s, size_t *out_tags);
/* Returns a name, title or label safe to print within a line: `label` itself if every character is
 * visible, otherwise a copy in the arena, as loom_shown_line would write it. */
struct loom_str loom_shown_label(struct loom_arena *arena, struct loom_str label);
/* Appends an equivalent JSON document that escapes every character which would need a visible
 * name. */
void loom_shown_json(struct loom_buf *out, struct loom_str document);
/* Returns whether no character of `s` needs a visible name; fast. */
bool loom_shown_plain(struct loom_str s);

#endif
