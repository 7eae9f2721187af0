/* A typed call: what a → line, a `:` line, a `loom do` or an approved proposal asks for. Handlers
 * read its fields, never the text.
 *
 * An absent field has p NULL (a slice), 0 (a number), …_NONE (an enum) or false (a flag). Ids are
 * canonical: lower case, primes as ', four or more of them as 'N. Names and texts are the author's
 * bytes. */
#ifndef LOOM_CALL_H
#define LOOM_CALL_H

#include <loom/base/str.h>
#include <loom/language/verb.h>
#include <loom/tree/gate.h>

enum loom_what {
	LOOM_WHAT_NONE,
	LOOM_WHAT_CONTINUATIONS, /* for list */
	LOOM_WHAT_ANNOTATIONS,
	LOOM_WHAT_LINKS,
	LOOM_WHAT_TRACE, /* for memory */
	LOOM_WHAT_STASHED,
	LOOM_WHAT_DOCUMENTS, /* for list, without a node */
	LOOM_WHAT_TREES,
	LOOM_WHAT_TAGS,
	LOOM_WHAT_BOOKMARKS,
	LOOM_WHAT_PRUNED,
	LOOM_WHAT_DRAFTS,
};

enum loom_as {
	LOOM_AS_NONE,
	LOOM_AS_PROSE, /* for view branch: */
	LOOM_AS_NODES,
	LOOM_AS_CONTINUATION, /* for respond */
	LOOM_AS_CONTEXT,
	LOOM_AS_INSTRUCTION,
	LOOM_AS_BRANCH, /* for edit */
	LOOM_AS_VERSION,
	LOOM_AS_BEFORE, /* for respond */
};

/* How thorough a web search is. */
enum loom_effort { LOOM_EFFORT_NONE, LOOM_EFFORT_BASIC, LOOM_EFFORT_DEEP };

/* Where write puts its text. */
enum loom_place_kind {
	LOOM_PLACE_NONE,
	LOOM_PLACE_START,
	LOOM_PLACE_END,
	LOOM_PLACE_LINE,    /* before that line */
	LOOM_PLACE_SECTION, /* at the end of a section */
};
struct loom_place {
	enum loom_place_kind kind;
	int64_t line;
	struct loom_str section;
};

/* The target of a link or a pin, or the other node of a comparison: a node, a document or a section
 * of one, or a tree. */
struct loom_target {
	struct loom_str node; /* in `tree`, when that is set */
	struct loom_str doc;
	struct loom_str section; /* of doc */
	struct loom_str tree;
};

/* The sampling that a line may set: id, key. The values are the author's text; the
 * configuration's reader of sampling judges them (sampling.h). */
#define LOOM_SAMPLERS(X)                                                                           \
	X(EFFORT, "effort")                                                                        \
	X(TEMPERATURE, "temperature")                                                              \
	X(TOP_P, "top_p")                                                                          \
	X(TOP_K, "top_k")                                                                          \
	X(MIN_P, "min_p")                                                                          \
	X(SEED, "seed")                                                                            \
	X(DRY, "dry")                                                                              \
	X(XTC, "xtc")                                                                              \
	X(TOP_N_SIGMA, "top_n_sigma")                                                              \
	X(BAN, "ban")                                                                              \
	X(LOGIT_BIAS, "logit_bias")                                                                \
	X(GRAMMAR, "grammar")
enum loom_sampler {
#define X(id, key) LOOM_SAMPLER_##id,
	LOOM_SAMPLERS(X)
#undef X
		LOOM_SAMPLER_COUNT
};

struct loom_names {
	struct loom_str *items;
	size_t count;
};

struct loom_call {
	enum loom_verb verb;

	/* where the call was written */
	int64_t line;         /* from 1; 0: it came from no text */
	size_t begin;         /* byte range in the scanned text: first byte of its first line … */
	size_t end;           /* … to just past the line feed of its last */
	struct loom_str text; /* as written, without the arrow */
	size_t batch;         /* the calls of one batch share one operation */
	bool asks;            /* done only with a person's leave, whatever the agent may do */
	bool past_limit;      /* beyond the limit of a turn: answered with LIMIT_EXCEEDED */

	/* nodes */
	struct loom_str id;            /* the node it is about */
	struct loom_str from;          /* continue, tree */
	struct loom_str branch;        /* view: the path from the root to here */
	struct loom_str in;            /* search below this node */
	struct loom_str tree;          /* `in tree:"T"`: the tree of the ids */
	struct loom_target target;     /* link unlink diff move */
	struct loom_target pin;        /* drop */
	struct loom_str content_of;    /* stash */
	struct loom_str siblings_of;   /* prune: all but this one */
	struct loom_str before;        /* order: the sibling that comes next */
	struct loom_str summary_of[2]; /* stash: both ends of a path */

	/* texts and names */
	struct loom_str content; /* respond annotate edit write stash think describe */
	struct loom_str label;   /* bookmark stash recall tag untag new title */
	struct loom_str note;    /* link */
	struct loom_str doc;     /* read write pin */
	struct loom_str section; /* read pin: of doc */
	struct loom_str replace; /* write: the section to replace with content */
	struct loom_str after;   /* continue split: after this text of the node */
	struct loom_str on;      /* annotate: a passage of the node */
	struct loom_str agent;   /* continue */
	struct loom_str sampling[LOOM_SAMPLER_COUNT]; /* continue */
	struct loom_str stash;                        /* drop: label of the stash to delete */
	struct loom_str recall; /* drop: label of the recalled text to let go */
	struct loom_str query;  /* search */
	struct loom_str ref;    /* threads, files of one: THREAD or THREAD:NAME,NAME; spawn may have
				   several, separated by blanks */
	struct loom_str objective; /* spawn */
	struct loom_str author;    /* search */
	struct loom_str topic;     /* search */
	struct loom_names include;
	struct loom_names exclude;

	/* numbers, all > 0 when present */
	int64_t n;        /* continue: how many */
	int64_t tokens;   /* continue */
	int64_t at;       /* continue split: at this character of the node */
	int64_t depth;    /* tree */
	int64_t words;    /* tree: of each node */
	int64_t page;     /* list */
	int64_t max;      /* search */
	int64_t lines[2]; /* view read: first and last */

	/* choices */
	enum loom_what what;
	enum loom_as as;
	enum loom_effort effort;
	struct loom_place place; /* write */
	enum loom_verb tool;     /* help; LOOM_VERB_NONE: all verbs */

	/* flags */
	bool full;
	bool summary;
	bool with_annotations;
	bool web;
	bool append;
	bool live;         /* ref spawn: pointers instead of copies */
	bool unterminated; /* think: the thought was never closed */
};

/* Returns a call of `verb` with every field absent. */
struct loom_call loom_call_of(enum loom_verb verb);

/* Appends the call's canonical text without the arrow: one line, unless one of its texts has
 * several. Parsing the result gives the same call. */
void loom_call_print(const struct loom_call *call, struct loom_buf *out);
/* Appends a text or a name the way a call quotes it: in double quotes, with quotes and backslashes
 * inside escaped. */
void loom_call_quote(struct loom_str text, struct loom_buf *out);

#define LOOM_CALL_NODES_MAX 11
/* Puts the addresses of the call's nodes that are set into out, which has room for
 * LOOM_CALL_NODES_MAX, and returns how many. Each is an id, or a word for a place: here, parent,
 * root or last. */
size_t loom_call_nodes(struct loom_call *call, struct loom_str **out);

/* Returns whether every id, name, label and text of the call occurs in `line`. A reading that a
 * classifier proposes must pass this. */
bool loom_call_stands_in(const struct loom_call *call, struct loom_str line);

/* Returns whether a search means the web: asked for, or implied by depth, topic, include or
 * exclude. */
bool loom_call_wants_web(const struct loom_call *call);

/* Returns what this call needs according to its row of verbs.def: deeds and permissions, for the
 * gate. */
struct loom_need loom_call_need(const struct loom_call *call);

#endif
