/* What a model is given: the pieces of its context in order, and what was left out.
 *
 * Assembly writes nothing and asks nobody. The same grove, log, moment and options give the same
 * bytes; what other agents change elsewhere in the tree affects only counts and presence. Nothing
 * is dropped silently: each node of the path, each message, pin and recalled text is in a piece or
 * in the list of what was left out, with the reason. All data is of one moment if the caller has
 * opened a view. */
#ifndef LOOM_CONTEXT_H
#define LOOM_CONTEXT_H

#include <loom/tree/agent.h>
#include <loom/log/budget.h>
#include <loom/grove/presence.h>
#include <loom/log/prompt.h>
#include <loom/base/hash.h>
#include <loom/text/parts.h>

/* A message, or something sent as one. */
struct loom_context_piece {
	enum loom_part part;
	struct loom_prompt_message said;
	int64_t tokens;
};

/* Where a node's text begins in the pieces. */
struct loom_whose {
	size_t piece;
	size_t from; /* offset in the piece's text */
	const struct loom_node *of;
	bool bare; /* shortened to its first sentence, for lack of a summary */
};

/* A text that somebody else wrote, as the model was given it. */
struct loom_given {
	struct loom_str text;
	struct loom_str own; /* of a result: what the program itself suggests to call */
};

/* Something left out, or shortened. */
struct loom_left_out {
	struct loom_str what; /* "[a7x2]", "res-4" */
	struct loom_str why;  /* "excluded", "pruned", "summarized", "over the budget" … */
	int64_t tokens;       /* saved by this */
};

struct loom_assembly {
	struct loom_context_piece *pieces;
	size_t count;
	size_t cap;
	struct loom_left_out *left_out;
	size_t left_out_count;
	size_t left_out_cap;
	struct loom_whose *whose; /* in order; unknown for stored inputs */
	size_t whose_count;
	size_t whose_cap;
	struct loom_given *given; /* of an agent; unknown for stored inputs */
	size_t given_count;
	size_t given_cap;
	int64_t total;  /* tokens */
	int64_t budget; /* tokens; 0: unknown, nothing is cut */
	bool joined;    /* a buffer: the path is one text to continue, byte for byte */
	/* What stays as it is shown here, for the row that keeps the input, {heads, memory, trace};
	 * empty: nothing new. And the row before it that has such; LOOM_SEQ_NONE: none. */
	struct loom_str shown;
	int64_t shown_before;
	bool framed; /* the conversation begins with an assistant's message */
};

/* Prepares an empty assembly; its pieces live in the arena they are made in. */
void loom_assembly_init(struct loom_assembly *out, int64_t budget);
/* Returns a part's whole text, with a blank line between pieces, in the arena; p NULL if it has
 * none. */
struct loom_str loom_assembly_part(const struct loom_assembly *assembly, enum loom_part part,
				   struct loom_arena *arena);
/* Returns the newest `<thread_context>` in it; empty if there is none. */
struct loom_str loom_assembly_block(const struct loom_assembly *assembly);
/* Returns the node whose text contains that byte of a piece, 0: none. */
int64_t loom_assembly_node(const struct loom_assembly *assembly, size_t piece, size_t at);
/* Before an assembly is shown or sent: marks each text that does not match its hash in its header,
 * if there are headers, and lists it with what was left out. */
enum loom_status loom_assembly_judge(struct loom_store *store, struct loom_arena *arena,
				     struct loom_assembly *assembly,
				     struct loom_err *err) LOOM_MUST;
/* Returns the tokens of a part. */
int64_t loom_assembly_part_tokens(const struct loom_assembly *assembly, enum loom_part part);
/* Writes the assembly as
 * {"parts":[{"name","tokens","text"}],"dropped":[{"what","why","tokens"}],"total","budget"}. */
void loom_assembly_json(const struct loom_assembly *assembly, struct loom_json *json);
/* Writes the pieces as messages, in the shape of the chat API. */
void loom_assembly_messages_json(const struct loom_assembly *assembly, struct loom_json *json);
/* Returns a piece as text, with its calls, in the arena; usually its text as it is. */
struct loom_str loom_piece_text(const struct loom_context_piece *piece, struct loom_arena *arena);
/* Appends the title above a displayed piece: "── path · user · 16 tokens". */
void loom_piece_title(const struct loom_context_piece *piece, struct loom_buf *out);
/* Appends the piece as it stands below its title, with its calls. */
void loom_piece_show(const struct loom_context_piece *piece, struct loom_buf *out);

/* Options for a subject, which only continues and knows nothing of trees. */
struct loom_subject_opts {
	int64_t tip;
	int64_t thread;          /* whose version choices make the path; 0: as written */
	struct loom_str prompt;  /* the agent's, empty: none */
	struct loom_str working; /* a person's text that is not a node yet; empty: none */
	int64_t budget;          /* tokens; 0: no limit */
	enum loom_strategy strategy;
};
/* Assembles a subject's context. Dialogue: the prompts (agent, tree, instructions), then the path
 * by author. Buffer: path and working text joined byte for byte. LOOM_LIMIT under
 * LOOM_STOP_AT_LIMIT. */
enum loom_status loom_assemble_subject(struct loom_store *store,
				       const struct loom_subject_opts *opts,
				       struct loom_arena *arena, struct loom_assembly *out,
				       struct loom_err *err) LOOM_MUST;

/* The headers of nodes (times, counts) as a thread first showed them; they stay the same until its
 * log is compacted. One per run, filled from the log and by the assemblies that use it. */
struct loom_heads;
/* Creates an empty set of headers. Free it with loom_heads_destroy. */
struct loom_heads *loom_heads_create(void) LOOM_MUST;
/* Frees the headers; NULL is fine. */
void loom_heads_destroy(struct loom_heads *heads);

/* Options for a loom-aware agent in its thread. */
struct loom_aware_opts {
	const struct loom_agent *agent;
	int64_t tree;
	int64_t thread;         /* 0: it was never here; there are no pins and no messages */
	int64_t position;       /* its position; 0: the thread's, otherwise the root */
	struct loom_str prompt; /* the agent's; p NULL: none */
	struct loom_str block;  /* <thread_context>… if this turn begins with it; else empty */
	struct loom_str news;   /* what changed for this turn, a line each; empty: nothing */
	struct loom_str input;  /* the turn; p NULL: none yet */
	int64_t at;             /* read the log up to here; LOOM_SEQ_HEAD: all of it */
	/* From this row on the log is the current turn, after the loom context; LOOM_SEQ_HEAD:
	 * there is none. A turn sees its own results, and those that it or the turn before it
	 * mentions (res-4). */
	int64_t turn_seq;
	struct loom_str request; /* the turn's; results of others are not its own. Empty: any */
	int64_t now;             /* the time that ages refer to; 0: the clock */
	const struct loom_session *session; /* its own, nullable: not listed among those present */
	bool alone;                         /* do not list who else is here */
	struct loom_heads *heads;           /* borrowed; NULL: only those of the log */
	int64_t budget;                     /* tokens; 0: no limit */
	unsigned ungranted;                 /* permissions if none were ever granted */
	bool thoughts;                      /* its voice takes signed thoughts back */
};
/* Assembles an aware agent's context: system, memory, path, messages, loom, turn, pruned in steps
 * until it fits. LOOM_LIMIT, naming the largest, if pinned or recalled texts make it too large. */
enum loom_status loom_assemble_aware(struct loom_store *store, const struct loom_aware_opts *opts,
				     struct loom_arena *arena, struct loom_assembly *out,
				     struct loom_err *err) LOOM_MUST;

/* An input about to be sent, stored byte for byte: each piece once under its hash, and a
 * model_input row {request_id, step, clock, budget, base?, parts} listing them: the row of the call
 * before ("base"), and what changed. */
struct loom_input {
	struct loom_str request; /* the run's id */
	int64_t step;            /* number of the model call in the run, from 0 */
};
/* Inside a write: stores an input in the thread's log; pieces already stored are not written again.
 * Fails as the store and the log do. */
enum loom_status loom_input_keep(struct loom_store *store, const struct loom_log *log,
				 const struct loom_input *input,
				 const struct loom_assembly *assembly,
				 struct loom_err *err) LOOM_MUST;
/* Loads the input stored in row `seq` into the arena. LOOM_NOT_FOUND if that row has none. */
enum loom_status loom_input_read(struct loom_store *store, const struct loom_log *log, int64_t seq,
				 struct loom_arena *arena, struct loom_assembly *out,
				 struct loom_err *err) LOOM_MUST;

/* Returns what an agent is told of its files, a line each, in its frame, in the arena; empty for
 * nothing. */
struct loom_str loom_news_frame(struct loom_str news, struct loom_arena *arena);

/* Appends the addendum: tells a loom-aware agent where it is, and its permissions. */
void loom_addendum(unsigned may, struct loom_buf *out);

/* Returns the SHA-256 of the assembly as `loom context --format messages` prints it. */
struct loom_hash loom_assembly_hash(const struct loom_assembly *assembly);

#endif
