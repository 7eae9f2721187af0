/* Weaves, the files of Tapestry Loom: an archive of its structures as they lie in memory, behind a
 * header. Everything in it is read where it is; nothing in it is believed. This face reads both
 * versions and writes version 0, which is the one in use. Bytes are little-endian; what refers to
 * something else has its distance from itself. */
#ifndef LOOM_WEAVE_H
#define LOOM_WEAVE_H

#include <loom/base/str.h>
#include <loom/base/err.h>

/* The header: a name and the version. */
#define WEAVE_NAME   "VersionedTapestryWeave__"
#define WEAVE_HEADER 32

/* ---- reading ---- */

struct weave {
	struct loom_str bytes; /* behind the header, borrowed */
	uint64_t version;
	size_t root;
	/* Something refers to a place outside of the file, or means nothing. Reading goes on with
	 * empty values. */
	bool broken;
};

/* Items that lie one behind the other. */
struct weave_list {
	size_t at;
	size_t count;
};

/* The kind of author of a text, if it is known. */
enum weave_maker { WEAVE_UNKNOWN, WEAVE_MODEL, WEAVE_HUMAN };

enum { WEAVE_ID_MAX = 16 };

/* A node. Of version 0 `from` has at most one id, and the creation time is in the id. */
struct weave_node {
	struct loom_str id; /* as it is in the file: 16 bytes, or 8 in version 1 */
	struct weave_list from;
	struct weave_list to; /* its children, in order */
	bool active;
	bool bookmarked;
	bool modified;
	struct loom_str snippet;  /* its bytes, if it has no tokens */
	struct weave_list tokens; /* weave_token_at */
	struct weave_list facts;  /* weave_fact_at */
	struct loom_str time;     /* version 1 */
	enum weave_maker maker;
	struct loom_str label; /* of the model or the person; may be empty */
	struct loom_str color;
	bool has_seed;
	uint32_t seed;
	struct loom_str maker_id; /* 16 bytes; empty: none */
	struct weave_list maker_facts;
};

/* A token of a node, or another that could have stood in its place. */
struct weave_token {
	struct loom_str bytes;
	struct weave_list facts;
	struct weave_list others; /* weave_other_at; version 0 has them in a fact */
	bool has_logprob;         /* version 0 has a probability, in a fact */
	double logprob;
	bool has_entropy;
	double entropy;
	bool has_id;
	uint64_t id;
	bool modified;
	struct loom_str original; /* before it was modified, if that is known */
};

/* A weave's description of itself. */
struct weave_about {
	struct loom_str title; /* version 0 has these four in facts */
	struct loom_str description;
	struct loom_str created;
	struct weave_list sources; /* weave_source_at */
	struct weave_list facts;
	struct weave_list roots;
	struct loom_str active; /* the node at which it stands; empty: none, or see the nodes */
	size_t count;           /* of nodes */
};

/* A program that the weave was converted from. */
struct weave_source {
	struct loom_str name;
	struct loom_str version;
	struct loom_str time;
};

/* Where a walk over the nodes is. A zeroed one is at the beginning. */
struct weave_walk {
	size_t slot;
	size_t given;
};

/* Whether a file begins like a weave. */
bool weave_is(struct loom_str head);
/* Prepares to read a file, which is borrowed. LOOM_INVALID if it is no weave or cut off,
 * LOOM_REFUSED for a version that is not known. */
enum loom_status weave_open(struct loom_str file, struct weave *out,
			    struct loom_err *err) LOOM_MUST;
/* Reads what the weave says about itself. */
void weave_about(struct weave *weave, struct weave_about *out);
/* Gives the next node, in no particular order; false after the last. */
bool weave_next(struct weave *weave, struct weave_walk *walk, struct weave_node *out);
/* An id of a list of nodes. */
struct loom_str weave_id_at(struct weave *weave, const struct weave_list *ids, size_t index);
/* A name and what is said under it. */
void weave_fact_at(struct weave *weave, const struct weave_list *facts, size_t index,
		   struct loom_str *out_name, struct loom_str *out_value);
/* Finds a fact by name; empty if there is none. */
struct loom_str weave_fact(struct weave *weave, const struct weave_list *facts, const char *name);
/* A token of a node. */
void weave_token_at(struct weave *weave, const struct weave_list *tokens, size_t index,
		    struct weave_token *out);
/* Another token that could have stood in a token's place. */
void weave_other_at(struct weave *weave, const struct weave_list *others, size_t index,
		    struct weave_token *out);
/* A program that the weave was converted from. */
void weave_source_at(struct weave *weave, const struct weave_list *sources, size_t index,
		     struct weave_source *out);

#endif
