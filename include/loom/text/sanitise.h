/* The one sink: whatever a person sees on a terminal goes through here.
 *
 * Content is data. Every control, bidi, invisible, unassigned or malformed byte becomes a visible
 * name (`^X`, `\x9B`, `<U+200B>`, `<RLO>`), and nothing below 0x20, no DEL and no C1 ever comes
 * out. Of a run of combining marks four are drawn and the rest counted (`<+n marks>`); one that
 * stands on nothing gets a dotted circle. Joiners and U+FE0F stay only where they make a listed
 * emoji, or between letters of scripts that need them. Tag characters are named, and what they
 * spell follows (`<hidden text: …>`). Stored bytes never change. */
#ifndef LOOM_SHOWN_H
#define LOOM_SHOWN_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* One piece of shown text: one grapheme, or one visible name. */
struct loom_piece {
	struct loom_str source; /* the bytes it stands for */
	char text[96];          /* what to draw: valid UTF-8, printable, NUL-terminated */
	uint8_t len;            /* bytes in text */
	uint8_t width;          /* cells; 0 for a line break */
	bool mark;              /* a made-visible name, to be drawn in the mark style */
	bool newline;           /* LF (or CR LF): text is empty */
	bool tab;               /* a tab: text is empty, the caller moves to its next stop */
};

/* The piece at s.p[*at], moving *at behind it. Needs *at < s.n. Total: any bytes give pieces. Looks
 * at what stands before *at too, so give the whole line, not its rest. */
void loom_shown_next(struct loom_str s, size_t *at, struct loom_piece *out);

/* Appends `s` made visible, LF kept, tabs as blanks up to the next stop of 8. */
void loom_shown_text(struct loom_buf *out, struct loom_str s);
/* As above on one line: line breaks become "⏎", cut to `cells` with "…" (0: uncut). */
void loom_shown_line(struct loom_buf *out, struct loom_str s, size_t cells);
/* How many characters of `s` a reader cannot see, control characters aside; *out_tags says how many
 * of them are Tag characters. */
size_t loom_shown_unseen(struct loom_str s, size_t *out_tags);
/* A name, a title or a label to stand in a line: itself where every character is seen, else a copy
 * as loom_shown_line has it. Whatever line it stands in stays one line. */
struct loom_str loom_shown_label(struct loom_arena *arena, struct loom_str label);
/* Appends a JSON document that says the same, with escapes for what would need a visible name. */
void loom_shown_json(struct loom_buf *out, struct loom_str document);
/* Whether nothing in `s` needs a visible name (a fast look). */
bool loom_shown_plain(struct loom_str s);

#endif
