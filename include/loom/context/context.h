/* What a model is given: the pieces of its context in their order, and what was left out of it.
 *
 * Assembly writes nothing and asks nobody. The same grove, log, moment and options give the same
 * bytes, and what another agent changes elsewhere in the tree changes nothing but the counts and
 * the presence that are shown as such. Nothing is dropped silently: each node of the path, each
 * message, pin and recalled text is in a piece or in the list of what was left out, with the
 * reason. What is read comes from one moment when the caller has opened a view. */
#ifndef LOOM_CONTEXT_H
#define LOOM_CONTEXT_H

#include <loom/tree/agent.h>
#include <loom/log/budget.h>
#include <loom/grove/presence.h>
#include <loom/log/projection.h>
#include <loom/base/hash.h>
#include <loom/text/parts.h>

/* One message, or what is sent as one. */
struct loom_context_piece {
	enum loom_part part;
	enum loom_role role;
	struct loom_str text;
	int64_t tokens;
};

/* Where the text of a node begins in the pieces. */
struct loom_whose {
	size_t piece;
	size_t from; /* byte of the piece's text */
	const struct loom_node *of;
	bool bare; /* shortened to its first sentence: it was never summed up */
};

/* Something that is not in it, or only in short. */
struct loom_left_out {
	struct loom_str what; /* "[a7x2]", "res-4" */
	struct loom_str why;  /* "excluded", "pruned", "summarized", "over the budget" … */
	int64_t tokens;       /* that this saved */
};

struct loom_assembly {
	struct loom_context_piece *pieces;
	size_t count;
	size_t cap;
	struct loom_left_out *left_out;
	size_t left_out_count;
	size_t left_out_cap;
	struct loom_whose *whose; /* in their order; not known of what was kept */
	size_t whose_count;
	size_t whose_cap;
	int64_t total;  /* tokens */
	int64_t budget; /* tokens; 0: not known, nothing is cut */
	bool joined;    /* a buffer: the path is one text that is gone on from, byte for byte */
	bool framed;    /* the conversation begins with an assistant's message */
};

/* Makes an empty one; the pieces live in the arena they are made in. */
void loom_assembly_init(struct loom_assembly *out, int64_t budget);
/* All that a part says, pieces of it apart by a blank line; p NULL when it says nothing. */
struct loom_str loom_assembly_part(const struct loom_assembly *assembly, enum loom_part part,
				   struct loom_arena *arena);
/* The node whose text holds that byte of a piece, 0: none. */
int64_t loom_assembly_node(const struct loom_assembly *assembly, size_t piece, size_t at);
/* Before it is shown or given to a model: each text in it that does not fit its hash is marked in
 * its header, where there are headers, and named with what was left out. */
enum loom_status loom_assembly_judge(struct loom_store *store, struct loom_arena *arena,
				     struct loom_assembly *assembly,
				     struct loom_err *err) LOOM_MUST;
/* Tokens of a part. */
int64_t loom_assembly_part_tokens(const struct loom_assembly *assembly, enum loom_part part);
/* {"parts":[{"name","tokens","text"}],"dropped":[{"what","why","tokens"}],"total","budget"} */
void loom_assembly_json(const struct loom_assembly *assembly, struct loom_json *json);
/* [{"role","content"}] */
void loom_assembly_messages_json(const struct loom_assembly *assembly, struct loom_json *json);
/* "user", "assistant", "system", "tool". Lives for ever. */
const char *loom_role_name(enum loom_role role);
/* Above a piece that is shown: "── path · user · 16 tokens". */
void loom_piece_title(const struct loom_context_piece *piece, struct loom_buf *out);

/* A subject: it goes on, and knows nothing of trees. */
struct loom_subject_opts {
	int64_t tip;
	int64_t thread;          /* whose choice of versions makes the path; 0: as it was written */
	struct loom_str prompt;  /* the agent's own, empty: none */
	struct loom_str working; /* a person's text that is not a node yet; empty: none */
	int64_t budget;          /* tokens; 0: all of it */
	enum loom_strategy strategy;
};
/* Dialogue: the prompts (agent, tree, instructions), then the path by author. Buffer: the path and
 * the working text joined byte for byte. LOOM_LIMIT under LOOM_STOP_AT_LIMIT. */
enum loom_status loom_assemble_subject(struct loom_store *store,
				       const struct loom_subject_opts *opts,
				       struct loom_arena *arena, struct loom_assembly *out,
				       struct loom_err *err) LOOM_MUST;

/* The headers of nodes (times, counts) as a run has shown them first: through all its calls of the
 * model they stay so. One a run; filled by the assemblies that are given it. */
struct loom_heads;
/* Remembers nothing yet. Freed by loom_heads_destroy. */
struct loom_heads *loom_heads_create(void) LOOM_MUST;
/* NULL is fine. */
void loom_heads_destroy(struct loom_heads *heads);

/* A loom-aware agent in its thread. */
struct loom_aware_opts {
	const struct loom_agent *agent;
	int64_t tree;
	int64_t thread;         /* 0: it was never here; nothing is pinned and nothing was said */
	int64_t position;       /* where it stands; 0: where the thread does, else the root */
	struct loom_str prompt; /* the agent's own; p NULL: none */
	struct loom_str block;  /* <thread_context>…, when this turn begins with it; else empty */
	struct loom_str input;  /* the turn; p NULL: none yet */
	int64_t at;             /* how far the log is read; LOOM_SEQ_HEAD: all of it */
	/* From this row on the log is the turn under way, behind the loom context; LOOM_SEQ_HEAD:
	 * none is. Results that a turn was given are seen in that turn, and in one that speaks of
	 * them (res-4) or comes next after one that does. */
	int64_t turn_seq;
	int64_t now;                        /* what times are told from; 0: the clock */
	const struct loom_session *session; /* its own, nullable: left out of who is here */
	bool alone;                         /* who else is here is left out */
	struct loom_heads *heads;           /* borrowed; NULL: headers are of this moment */
	int64_t budget;                     /* tokens; 0: all of it */
	unsigned ungranted;                 /* what it may when nothing was ever granted to it */
};
/* system, memory, path, messages, loom, turn; pruned in steps until it fits. LOOM_LIMIT when it
 * cannot fit because of what is pinned or recalled: the largest is named. */
enum loom_status loom_assemble_aware(struct loom_store *store, const struct loom_aware_opts *opts,
				     struct loom_arena *arena, struct loom_assembly *out,
				     struct loom_err *err) LOOM_MUST;

/* Keeps what is about to be sent, byte for byte: each piece once under its hash, and a model_input
 * row that lists them. Inside a write; the log is the thread's. */
struct loom_input {
	struct loom_str request; /* the run's id */
	int64_t step;            /* which call of the model in it, from 0 */
};
/* Pieces that are kept already are not written again. Fails as the store and the log do. */
enum loom_status loom_input_keep(struct loom_store *store, const struct loom_log *log,
				 const struct loom_input *input,
				 const struct loom_assembly *assembly,
				 struct loom_err *err) LOOM_MUST;
/* What was sent, if the row `seq` keeps an input; LOOM_NOT_FOUND otherwise. */
enum loom_status loom_input_read(struct loom_store *store, const struct loom_log *log, int64_t seq,
				 struct loom_arena *arena, struct loom_assembly *out,
				 struct loom_err *err) LOOM_MUST;

/* The text that tells a loom-aware agent where it is, its permissions filled in. */
void loom_addendum(unsigned may, struct loom_buf *out);

/* SHA-256 of what `loom context --format messages` prints of it. */
struct loom_hash loom_assembly_hash(const struct loom_assembly *assembly);

#endif
