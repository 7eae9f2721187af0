/* Shared by the parts of the phrase reader: words without their decoration, and what they mean. */
#ifndef LOOM_TOOLS_PHRASE_INSIDE_H
#define LOOM_TOOLS_PHRASE_INSIDE_H

#include <loom/language/call.h>
#include <loom/language/call_id.h>
#include <loom/language/parse.h>
#include <loom/language/registry.h>
#include <loom/language/scan_lines.h>
#include <loom/phrase/phrase.h>

/* ---- words (marks.c) ---- */

enum phrase_kind {
	PHRASE_WORD,   /* text: lower case, without hyphens */
	PHRASE_TEXT,   /* text: the contents of the quotes */
	PHRASE_ID,     /* text: canonical */
	PHRASE_PLACE,  /* text: here, parent, root or last */
	PHRASE_NUM,    /* text: digits */
	PHRASE_RANGE,  /* text: A-B */
	PHRASE_IDS,    /* text: ID-ID2 */
	PHRASE_THREAD, /* text: thread-b, or thread-b:NAME,NAME */
};

struct phrase_word {
	enum phrase_kind kind;
	struct loom_str text;
	struct loom_str raw; /* as written */
	bool key;            /* a colon or = follows */
	bool hash;           /* written #word */
	bool owner;          /* written a7x2's */
	bool aside;          /* in brackets that a blank precedes */
};

#define PHRASE_WORDS_MAX 64

struct phrase_words {
	struct phrase_word items[PHRASE_WORDS_MAX];
	size_t count;
	struct loom_str comment; /* behind #, // or a dash */
	bool asks;               /* a question mark stands outside quotes */
	bool asides;             /* some words are an aside */
	bool dashed;             /* the comment is behind a dash */
	bool broken;             /* too long, or a quote without its end: not to be read */
};

/* Takes a line apart: marks of code, emphasis and brackets vanish, places become one word. */
void phrase_split(struct loom_arena *arena, struct loom_str line, struct phrase_words *out);
/* Returns how many words at `at` are those of `said`; 0 when they are others. */
size_t phrase_says(const struct phrase_words *words, size_t at, const char *said);
/* Removes the words at [from, to). */
void phrase_cut(struct phrase_words *words, size_t from, size_t to);

/* ---- what words mean (means.c) ---- */

/* The wish that the first words of a command express, before it is known what they are about. */
enum phrase_head {
	HEAD_NONE,
	HEAD_LOOK,
	HEAD_LIST,
	HEAD_GET,  /* looks, or recalls a stash */
	HEAD_GIVE, /* a continuation; looks otherwise */
	HEAD_SUMMARY,
	HEAD_MARK,
	HEAD_GO,
	HEAD_SET,
	HEAD_CHANGE, /* a text, or the position */
	HEAD_MAKE,
	HEAD_ADD,
	HEAD_REMOVE,
	HEAD_DROP,
	HEAD_KEEP,
	HEAD_SAVE,
	HEAD_OPEN,
	HEAD_HIDE,
	HEAD_EXPAND,
	HEAD_WRITE,
	HEAD_BRING, /* back: a branch or a stash */
	HEAD_UNSTASH,
	HEAD_FORGET,
	HEAD_MOVE,   /* a branch, or the position */
	HEAD_RETURN, /* somewhere, or something to where it was */
	HEAD_ANY,    /* in a guess: a word that nobody knows */
	HEAD_VERB,   /* a verb of its own */
};

/* The things that a command can be about, and what else tells commands apart, as bits. */
#define NOUN_NODE        (UINT64_C(1) << 0)
#define NOUN_CONT        (UINT64_C(1) << 1)
#define NOUN_NOTE        (UINT64_C(1) << 2)
#define NOUN_LINK        (UINT64_C(1) << 3)
#define NOUN_TREE        (UINT64_C(1) << 4)
#define NOUN_SUMMARY     (UINT64_C(1) << 5)
#define NOUN_BRANCH      (UINT64_C(1) << 6)
#define NOUN_DOC         (UINT64_C(1) << 7)
#define NOUN_SECTION     (UINT64_C(1) << 8)
#define NOUN_BOOKMARK    (UINT64_C(1) << 9)
#define NOUN_TAG         (UINT64_C(1) << 10)
#define NOUN_PIN         (UINT64_C(1) << 11)
#define NOUN_STASH       (UINT64_C(1) << 12)
#define NOUN_STASHES     (UINT64_C(1) << 13)
#define NOUN_MEMORY      (UINT64_C(1) << 14)
#define NOUN_TRACE       (UINT64_C(1) << 15)
#define NOUN_HELP        (UINT64_C(1) << 16)
#define NOUN_TEXT        (UINT64_C(1) << 17)
#define NOUN_POSITION    (UINT64_C(1) << 18)
#define NOUN_CONTEXT     (UINT64_C(1) << 19)
#define NOUN_RECALL      (UINT64_C(1) << 20)
#define NOUN_DOCS        (UINT64_C(1) << 21)
#define NOUN_TREES       (UINT64_C(1) << 22)
#define NOUN_TAGS        (UINT64_C(1) << 23)
#define NOUN_BOOKMARKS   (UINT64_C(1) << 24)
#define NOUN_PRUNED      (UINT64_C(1) << 25)
#define NOUN_DRAFTS      (UINT64_C(1) << 26)
#define NOUN_TITLE       (UINT64_C(1) << 27)
#define NOUN_DESCRIPTION (UINT64_C(1) << 28)
#define NOUN_REPLACE     (UINT64_C(1) << 33)
#define NOUN_REPLY       (UINT64_C(1) << 34)
#define NOUN_BELOW       (UINT64_C(1) << 35) /* a place under a node */
#define NOUN_DIFF        (UINT64_C(1) << 36)
#define NOUN_BEFORE      (UINT64_C(1) << 37)
#define NOUN_COPY        (UINT64_C(1) << 38)
#define NOUN_THREAD      (UINT64_C(1) << 39)
#define NOUN_THREADS     (UINT64_C(1) << 40)
#define SAID_ID          (UINT64_C(1) << 29)
#define SAID_TEXT        (UINT64_C(1) << 30)
#define SAID_NUM         (UINT64_C(1) << 31)
#define SAID_WITH        (UINT64_C(1) << 32)
#define SAID_TWO         (UINT64_C(1) << 41) /* two nodes */
#define SAID_TO          (UINT64_C(1) << 42) /* "to" before a node */
#define SAID_THREAD      (UINT64_C(1) << 43)
#define SAID_HERE        (UINT64_C(1) << 44) /* the place of the reader */
#define SAID_TEXTS       (UINT64_C(1) << 45) /* two texts */

/* A command as it was meant: a verb, and how its parts are said. */
enum phrase_shape {
	SHAPE_NONE,
#define SHAPE(id, verb, head) SHAPE_##id,
#include "shapes.def"
	SHAPE_COUNT
};

struct phrase_start {
	enum phrase_head head;
	enum phrase_shape shape; /* of HEAD_VERB */
	size_t at;
	size_t next; /* the word behind it */
	size_t said; /* how many words it has */
	bool unsure; /* may be said, must be asked about */
};

/* Finds a head that begins at `at`; false when none does. The longest wins. A head in two parts
 * ("take … off") loses its second part in *words. */
bool phrase_head_at(struct phrase_words *words, size_t at, struct phrase_start *out);
/* Finds a head at `at` as phrase_head_at does, also in words that only come near one. For guesses:
 * what is found may not run. */
bool phrase_near_at(struct phrase_words *words, size_t at, struct phrase_start *out);
/* Returns the number that a word of one to ten means; 0 for other words. */
size_t phrase_number(struct loom_str word);
/* Returns what a word is about, 0 when it is no noun. */
uint64_t phrase_noun(struct loom_str word);

/* Says which commands a head may mean, given all that the rest of the line is about; returns how
 * many were put into *out, most likely first. More than one: it must be asked which. */
size_t phrase_meant(const struct phrase_start *start, uint64_t said,
		    enum phrase_shape out[LANG_PHRASE_LINES]);
/* Returns how many nodes a shape has room for. */
size_t phrase_shape_nodes(enum phrase_shape shape);
/* Returns the verb of a shape. */
enum loom_verb phrase_shape_verb(enum phrase_shape shape);

/* ---- the parts of a command (slots.c) ---- */

/* Puts the words from `at` on into the slots of a shape and appends the line to *out. Returns
 * whether every word had a place. With `loosely` words without a place are left out, or become the
 * text that is missing. `only` takes one of several nodes (from 0); SIZE_MAX takes what is said. */
struct phrase_fill {
	const struct phrase_words *words;
	size_t at;
	enum phrase_shape shape;
	bool loosely;
	bool named; /* of loose words none is a text */
	size_t only;
};
bool phrase_fill(struct loom_arena *arena, const struct phrase_fill *fill, struct loom_str *out);

/* ---- in earnest or not (mood.c) ---- */

enum phrase_tone {
	TONE_FIRM,      /* said plainly */
	TONE_ANNOUNCED, /* "I'll …", which is as firm */
	TONE_WISH,      /* "I want to …" */
	TONE_POLITE,    /* "could you please …" */
	TONE_ASKING,    /* "can I …" */
};

/* Removes what leads in and out politely; returns its tone. */
enum phrase_tone phrase_lead(struct phrase_words *words);
/* Makes a tail that only says why, or what for, the comment; `line` is that of the words. False:
 * there is none. */
bool phrase_cut_reason(struct phrase_words *words, struct loom_str line);
/* Returns how a word turns what it stands beside; LANG_MOOD_PLAIN for most. */
enum lang_mood phrase_mood_of(struct loom_str word);
/* Returns the mood of a comment on an act: whether it takes the act back. */
enum lang_mood phrase_comment_mood(struct loom_arena *arena, struct loom_str comment, bool looks,
				   struct loom_str *out_why);

/* The worst that a verb does: it decides which ways of saying it are enough. */
enum phrase_weight { WEIGHT_LOOKS, WEIGHT_ADDS, WEIGHT_TAKES };
/* Returns the weight of a verb. */
enum phrase_weight phrase_weight(enum loom_verb verb);

#endif
