/* Reads a command as models say it in their own words: decorated, polite, in another order, with
 * other words. What is understood is given as a line in the language's own spelling. No effects. */
#ifndef LOOM_PHRASE_H
#define LOOM_PHRASE_H

#include <loom/base/arena.h>
#include <loom/base/str.h>
#include <loom/language/verb.h>

#define LANG_PHRASE_LINES 8

enum lang_mood {
	LANG_MOOD_PLAIN,
	LANG_MOOD_NEGATED,  /* don't, never, no … */
	LANG_MOOD_OPEN,     /* if, later, maybe, should … */
	LANG_MOOD_JOINED,   /* and, or, then: more than one thing */
	LANG_MOOD_QUESTION, /* asks about an act instead of asking for it */
	LANG_MOOD_REPORTED, /* a quotation of a call */
};

struct lang_phrase {
	enum lang_mood mood;                      /* why an act that was named is not asked for */
	struct loom_str why;                      /* the word that set the mood */
	struct loom_str lines[LANG_PHRASE_LINES]; /* in the language's spelling */
	size_t count;
	struct loom_str look; /* a look at the first node that is named; empty: none is */
	size_t meant; /* so many lines follow from the words; the rest from what is named … */
	bool sure;    /* … and is only for when none of those parses */
};

/* Reads `line`, which stands behind an arrow. Returns whether it was understood and said in
 * earnest; then out->lines has it, though whether it parses is for the caller to see. *out borrows
 * from the arena; out->mood and out->why are set when a line that was understood is not in earnest.
 */
bool lang_phrase_read(struct loom_arena *arena, struct loom_str line, struct lang_phrase *out);
/* Adds to out->lines what a line that is not understood may have meant, and sets the mood if a word
 * of it does. None of the lines takes away anything that the line does not ask to take away. */
void lang_phrase_guess(struct loom_arena *arena, struct loom_str line, struct lang_phrase *out);

/* Returns what keeps a line that is already a call of `verb` in the language's spelling from being
 * said in earnest: a question mark, or a comment that takes it back. */
enum lang_mood lang_phrase_mood(struct loom_arena *arena, struct loom_str line, enum loom_verb verb,
				struct loom_str *out_why);
/* Returns what stands behind "could you" or the like; empty if the line does not begin so. */
struct loom_str lang_phrase_asked(struct loom_str line);
/* Returns the length of what announces an act of the speaker's own at `at`, as "let me" and "I need
 * to" do; 0: nothing does. */
size_t lang_phrase_announced(struct loom_str text, size_t at);
/* Returns whether a call of `verb` changes nothing that others see. */
bool lang_phrase_looks(enum loom_verb verb);
/* Returns whether a call of `verb` hides, overwrites or removes something. */
bool lang_phrase_takes(enum loom_verb verb);

#endif
