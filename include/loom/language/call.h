/* A typed call: what a → line, a `:` line, a `loom do` or an approved proposal asks for. Handlers
 * read its fields and never a text of the language.
 *
 * Absent is: a slice with p NULL, a number 0, an enum's …_NONE, a flag false. Ids are in canonical
 * form (lower case, primes as ', from the fourth on 'N); names and texts are the author's bytes. */
#ifndef LOOM_CALL_H
#define LOOM_CALL_H

#include <loom/base/str.h>
#include <loom/language/verb.h>
#include <loom/tree/gate.h>

enum loom_what {
	LOOM_WHAT_NONE,
	LOOM_WHAT_CONTINUATIONS, /* list */
	LOOM_WHAT_ANNOTATIONS,
	LOOM_WHAT_LINKS,
	LOOM_WHAT_TRACE, /* memory */
	LOOM_WHAT_STASHED,
};

enum loom_as {
	LOOM_AS_NONE,
	LOOM_AS_PROSE, /* view branch: */
	LOOM_AS_NODES,
	LOOM_AS_CONTINUATION, /* respond */
	LOOM_AS_CONTEXT,
	LOOM_AS_INSTRUCTION,
	LOOM_AS_BRANCH, /* edit */
	LOOM_AS_VERSION,
};

/* How deep a web search goes. */
enum loom_effort { LOOM_EFFORT_NONE, LOOM_EFFORT_BASIC, LOOM_EFFORT_DEEP };

/* Where write puts its text. */
enum loom_place_kind {
	LOOM_PLACE_NONE,
	LOOM_PLACE_START,
	LOOM_PLACE_END,
	LOOM_PLACE_LINE,    /* before line */
	LOOM_PLACE_SECTION, /* at the end of a section */
};
struct loom_place {
	enum loom_place_kind kind;
	int64_t line;
	struct loom_str section;
};

/* What a link leads to, or what a pin holds: a node, a document (or a section of it), a tree. */
struct loom_target {
	struct loom_str node; /* alone, or of `tree` */
	struct loom_str doc;
	struct loom_str section; /* of doc */
	struct loom_str tree;
};

struct loom_names {
	struct loom_str *items;
	size_t count;
};

struct loom_call {
	enum loom_verb verb;

	/* where it stood */
	int64_t line;         /* from 1; 0 when it came from no text */
	size_t begin;         /* bytes of the scanned text: from its line's first byte … */
	size_t end;           /* … to behind its last line's LF */
	struct loom_str text; /* as written, without the arrow */
	size_t batch;         /* calls of one batch share one operation */
	bool past_limit;      /* one call too many for a turn: to be answered LIMIT_EXCEEDED */

	/* nodes */
	struct loom_str id;            /* the node it is about */
	struct loom_str from;          /* continue, tree */
	struct loom_str branch;        /* view: the path root → here */
	struct loom_str in;            /* search below this node */
	struct loom_str tree;          /* `in tree:"T"`: the tree of the ids */
	struct loom_target target;     /* link */
	struct loom_target pin;        /* drop */
	struct loom_str content_of;    /* stash */
	struct loom_str summary_of[2]; /* stash: both ends of a path */

	/* texts and names */
	struct loom_str content; /* respond annotate edit write stash think */
	struct loom_str label;   /* bookmark stash recall tag untag */
	struct loom_str note;    /* link */
	struct loom_str doc;     /* read write pin */
	struct loom_str section; /* read pin: of doc */
	struct loom_str replace; /* write: the section that content replaces */
	struct loom_str after;   /* continue: the text behind which generation goes on */
	struct loom_str agent;   /* continue */
	struct loom_str stash;   /* drop: label of a stash to delete */
	struct loom_str recall;  /* drop: label of a recalled text to let go */
	struct loom_str query;   /* search */
	struct loom_str author;  /* search */
	struct loom_str topic;   /* search */
	struct loom_names include;
	struct loom_names exclude;

	/* numbers, all > 0 when present */
	int64_t n;        /* continue: how many */
	int64_t tokens;   /* continue */
	int64_t at;       /* continue: a character of the node */
	int64_t depth;    /* tree */
	int64_t page;     /* list */
	int64_t max;      /* search */
	int64_t lines[2]; /* view read: first and last */

	/* choices */
	enum loom_what what;
	enum loom_as as;
	enum loom_effort effort;
	struct loom_place place; /* write */
	enum loom_verb tool;     /* help; LOOM_VERB_NONE: all */

	/* flags */
	bool full;
	bool summary;
	bool with_annotations;
	bool web;
	bool append;
	bool unterminated; /* think: nothing closed it */
};

/* A call of a verb with nothing filled in. */
struct loom_call loom_call_of(enum loom_verb verb);

/* Appends the canonical text, without the arrow, one line unless a text in it has several.
 * Reading it back gives the same call. */
void loom_call_print(const struct loom_call *call, struct loom_buf *out);
/* A text or a name as a call has it: between quotes, its own behind a backslash. */
void loom_call_quote(struct loom_str text, struct loom_buf *out);

/* Whether every id, name, label and text of the call stands in `line`: the test for a reading that
 * a classifier proposed. */
bool loom_call_stands_in(const struct loom_call *call, struct loom_str line);

/* search: whether it means the web, said or implied by depth, topic, include or exclude. */
bool loom_call_wants_web(const struct loom_call *call);

/* What its row says of this call. */
struct loom_need loom_call_need(const struct loom_call *call);

#endif
