/* The engine: does the calls of one acting agent in one thread, in order, and reports the result of
 * each. An engine lives in the thread that owns its connection and never waits for a person, a
 * network or a model.
 *
 * A call is refused for, in this order: a limit, permission, what it names, another tree, another
 * agent's turn. It is done whole or not at all, in a transaction of its own; the calls of a batch
 * share one operation. The engine begins and ends a generation; what happens in between is up to
 * its driver (act.h). */
#ifndef LOOM_ENGINE_H
#define LOOM_ENGINE_H

#include <loom/providers/generate.h>
#include <loom/grove/presence.h>
#include <loom/work/memory.h>
#include <loom/grove/store.h>
#include <loom/tree/tree.h>

struct loom_call;
struct loom_engine;
struct loom_guest;
struct loom_refusal;

/* Longest form of a line in results and in the trace: one line, long texts cut. */
#define LOOM_LINE_MAX 200

/* The result of one call. Texts live until the engine's next call. */
struct loom_result {
	enum loom_status status;
	struct loom_str line; /* the call with its arrow, on one line */
	/* The text printed below the call: its result, including ✗ and hint lines. */
	struct loom_str text;
	struct loom_str whole;   /* the text before it was shortened */
	struct loom_str own;     /* of the text: what the program itself suggests to call */
	struct loom_err err;     /* filled when status is not LOOM_OK */
	int64_t number;          /* N of res-N */
	int64_t op;              /* the operation; 0: nothing was changed */
	int64_t moved;           /* the node where the thread now stands; 0: it did not move */
	int64_t doc;             /* the document it read or wrote; 0: none … */
	int64_t head;            /* … and the version of it that the thread now knows */
	bool proposed;           /* not done: it waits for a person */
	bool read_as;            /* a classifier's reading, which the text mentions */
	struct loom_usage usage; /* of the models that were asked; calls 0: none was */
};

/* A line's record in the thread's log. */
struct loom_engine_record {
	const struct loom_call *call;       /* NULL: the line is not a call */
	const struct loom_refusal *refusal; /* set when the line is not a call */
	const struct loom_result *result;
	int64_t thread;
	int64_t tree; /* where the thread stands */
};
/* The trace of a thread as it is displayed: one line per call. */
struct loom_trace {
	const struct loom_str *lines;
	size_t count;
};
struct loom_engine_log {
	/* Keeps a record. Called inside a write; inside the call's own, if it changed something. */
	enum loom_status (*record)(void *ctx, struct loom_store *store,
				   const struct loom_engine_record *what, struct loom_err *err);
	/* Puts the number of the thread's last result into *out; 0: none. */
	enum loom_status (*last)(void *ctx, struct loom_store *store, int64_t thread, int64_t *out,
				 struct loom_err *err);
	/* Puts the whole text of one of the thread's results into *out, in the arena. Fails with
	 * LOOM_NOT_FOUND. */
	enum loom_status (*result)(void *ctx, struct loom_store *store, int64_t thread,
				   int64_t number, struct loom_arena *arena, struct loom_str *out,
				   struct loom_err *err);
	/* Puts the version of a document that the thread knew last into *out_head; 0: the log
	 * mentions none. */
	enum loom_status (*known)(void *ctx, struct loom_store *store, int64_t thread, int64_t doc,
				  int64_t *out_head, struct loom_err *err);
	/* Fills *out with the newest `limit` lines of the trace, oldest first, in the arena. */
	enum loom_status (*trace)(void *ctx, struct loom_store *store, int64_t thread, size_t limit,
				  struct loom_arena *arena, struct loom_trace *out,
				  struct loom_err *err);
	void *ctx;
};

/* The caller's identity and place, for the parts that the engine leaves to hooks. */
struct loom_engine_view {
	struct loom_store *store;
	struct loom_arena *arena;
	int64_t agent;
	int64_t tree;
	int64_t thread;   /* 0: none yet */
	int64_t position; /* where the thread stands */
	int64_t in;       /* search: below this group; 0: anywhere */
	bool in_tree;     /* search: in `tree`, which the call named */
	unsigned may;
};
/* Parts that others contribute. Each may be NULL; all run in the engine's thread. */
struct loom_engine_hooks {
	/* Does a `→ search`, of the grove or of the web, and appends what is displayed. */
	enum loom_status (*search)(void *ctx, const struct loom_engine_view *view,
				   const struct loom_call *call, struct loom_buf *out,
				   struct loom_err *err);
	/* Measures the thread's own context: tokens used and still free. Without this hook the
	 * engine measures the context that would be assembled now. */
	enum loom_status (*measure)(void *ctx, const struct loom_engine_view *view,
				    int64_t *out_used, int64_t *out_free, struct loom_err *err);
	void *ctx;
};

struct loom_engine_opts {
	struct loom_store *store; /* borrowed; LOOM_WRITE if a call may change anything */
	int64_t agent;            /* who acts */
	int64_t tree;             /* 0: the thread's, else the current one */
	int64_t thread; /* 0: the implicit one of agent and tree, made when it is needed */
	struct loom_session *session; /* borrowed; NULL: takes no leases and announces nothing */
	const struct loom_engine_log *log;     /* borrowed; NULL: keeps no log */
	const struct loom_engine_hooks *hooks; /* borrowed; may be NULL */
	int64_t join;           /* an operation that the calls of batch 0 continue; 0: none */
	struct loom_str draft;  /* borrowed; the draft that its one call sends; empty: none */
	struct loom_str prompt; /* system prompt of the agent's own model */
	int64_t budget;         /* tokens that model can be given in all; 0: unknown */
	unsigned ungranted;     /* permissions of a model that was never granted any */
	size_t result_tokens;   /* shorten longer results; 0: 1,000; SIZE_MAX: never */
	const struct loom_guest *guest; /* borrowed; whose notes they are; NULL: the agent's */
	bool local;                     /* dates by the reader's own clock, when a person acts */
	bool dry_run;                   /* do everything, but roll it back */
};

/* Opens an engine; close it with loom_engine_close. Fails with LOOM_NOT_FOUND for an agent, tree or
 * thread that does not exist, LOOM_PERMISSION for another agent's thread and LOOM_CONFLICT for a
 * thread that stands in another tree. */
enum loom_status loom_engine_open(const struct loom_engine_opts *opts, struct loom_engine **out,
				  struct loom_err *err) LOOM_MUST;
/* Gives back the turn's leases and frees the engine. NULL is allowed. */
void loom_engine_close(struct loom_engine *engine);

/* Begins a turn: gives back leases, reads permissions and names anew and closes the batch. `seq` is
 * the row of the thread's log that the turn's changes come from; -1: none. */
enum loom_status loom_engine_turn(struct loom_engine *engine, int64_t seq,
				  struct loom_err *err) LOOM_MUST;
/* Ends the turn's leases. Does nothing when there are none. */
void loom_engine_yield(struct loom_engine *engine);
/* Moves the thread to a node, given by any form of id, before its calls. Fails with LOOM_NOT_FOUND
 * or LOOM_CROSS_TREE. */
enum loom_status loom_engine_stand(struct loom_engine *engine, struct loom_str node,
				   struct loom_err *err) LOOM_MUST;

/* Fills *err for a tree that the agent may not enter. Always returns LOOM_CROSS_TREE. */
enum loom_status loom_engine_refuse_tree(struct loom_str title, struct loom_err *err);

/* Returns the name of the acting agent; lives as long as the engine. */
struct loom_str loom_engine_agent(const struct loom_engine *engine);
/* Returns whether a person wants to be asked before this agent makes this call (approval ask or
 * propose). False for a call that would be refused anyway. */
bool loom_engine_wants_leave(const struct loom_engine *engine, const struct loom_call *call);
/* A person's answer to calls that need one. Without an answer they are not done. */
enum loom_leave { LOOM_LEAVE_NONE, LOOM_LEAVE_GIVEN, LOOM_LEAVE_REFUSED };
/* Sets the answer for the calls from now on. `proposal` is the name under which they wait, or
 * empty; it is copied. */
void loom_engine_leave(struct loom_engine *engine, enum loom_leave leave, struct loom_str proposal);
/* Returns the call with ids instead of its words for places, as of now: where the thread stands,
 * the node above, the root, the last result. A word that stands for nothing stays. Without such
 * words it is the call itself, else a copy in the arena. */
const struct loom_call *loom_engine_placed(struct loom_engine *engine, const struct loom_call *call,
					   struct loom_arena *arena);
/* Appends, on one line, what a call would act on now: `[a7x2] "Marie's reluctance…"`. Appends
 * nothing for calls without a target; for a target that is not found, the call's own refusal. */
void loom_engine_target(struct loom_engine *engine, const struct loom_call *call,
			struct loom_buf *out);

enum loom_engine_next {
	LOOM_ENGINE_DONE, /* the result is complete */
	/* Models must be asked: see loom_engine_asks; keep the call until
	 * loom_engine_generated. */
	LOOM_ENGINE_GENERATE,
	/* The result is long, or the call is to keep a summary: see loom_engine_long; keep the call
	 * until loom_engine_summed. */
	LOOM_ENGINE_SUM_UP,
};
/* Does one call. Consecutive calls with the same `batch` share an operation. *out is filled for
 * every outcome, trouble with the store included; its texts live until the next call. */
enum loom_engine_next loom_engine_call(struct loom_engine *engine, const struct loom_call *call,
				       struct loom_result *out);
/* Answers a line that is not a call and closes the batch. Fills *out; its texts live until the next
 * call. */
void loom_engine_refuse(struct loom_engine *engine, const struct loom_refusal *refusal,
			struct loom_result *out);
/* Sets whether someone can summarise long results. If not, they are shortened to their first and
 * last lines. */
void loom_engine_sums(struct loom_engine *engine, bool sums);
/* Returns the question to put to a model after LOOM_ENGINE_SUM_UP, in the arena, and the most
 * tokens of its answer. */
struct loom_str loom_engine_long(struct loom_engine *engine, struct loom_arena *arena,
				 int64_t *out_tokens);
/* Completes that call with the model's summary. An empty summary shortens the result to its lines,
 * and keeps extracts. */
void loom_engine_summed(struct loom_engine *engine, struct loom_str summary,
			struct loom_result *out);
/* Makes the next result begin with how its line was understood. */
void loom_engine_read_as(struct loom_engine *engine, const struct loom_call *call);

/* One request of a generation: from one node to one voice. Its choices have numbers of their own;
 * everywhere else a choice is its slot. */
struct loom_engine_ask {
	struct loom_generate_request request; /* tokens 0: neither call nor plan said */
	size_t voice;                         /* number of the voice */
	int64_t from;                         /* the node it continues */
	size_t parent;
	const size_t *slots; /* one per choice; set by loom_engine_assemble */
};
/* Returns the requests to send after LOOM_ENGINE_GENERATE; they live until the generation ends. */
const struct loom_engine_ask *loom_engine_asks(const struct loom_engine *engine, size_t *out_count);
/* Returns how many voices there are; ask i is to the voice i below that count. */
size_t loom_engine_voices(const struct loom_engine *engine);
/* Replaces the only voice by the members of its plan. Fails with LOOM_NOT_FOUND for a name that
 * nobody bears, LOOM_PERMISSION for one that is no subject. */
enum loom_status loom_engine_plan(struct loom_engine *engine, const struct loom_plan *plan,
				  struct loom_err *err) LOOM_MUST;
/* Returns the number of choices of all requests, known once they are assembled. */
size_t loom_engine_choices(const struct loom_engine *engine);
/* Returns the local id that a choice will have, for a screen that shows it growing. Borrowed until
 * the generation ends. */
const char *loom_engine_choice(const struct loom_engine *engine, size_t choice);
/* Begins to write and assembles the requests, now that the voices and their context windows are
 * known; `infos` has one for each voice. Call it once for each level, before sending the requests.
 * Fails with LOOM_LIMIT when the acting agent (never a person) may not use that much, LOOM_CONFLICT
 * when somebody else has the turn; a NULL allowance allows everything. */
enum loom_status loom_engine_assemble(struct loom_engine *engine,
				      const struct loom_voice_info *infos,
				      const struct loom_allowance *allowance,
				      struct loom_err *err) LOOM_MUST;

/* Assembles shorter requests, because none of those that were sent did fit: `choices` has their
 * answers. Fails as assembling does. */
enum loom_status loom_engine_shrink(struct loom_engine *engine, const struct loom_voice_info *infos,
				    const struct loom_generated *choices,
				    struct loom_err *err) LOOM_MUST;

struct loom_chunk {
	size_t choice;
	struct loom_str text;
};
/* The text that has arrived for one engine's generation. */
struct loom_growth {
	struct loom_engine *engine;
	const struct loom_chunk *chunks;
	size_t count;
};
/* Stores what has arrived for all these generations and renews their leases, in one commit; call it
 * once a second. Commits nothing when there is nothing new. All engines must belong to `store`. */
enum loom_status loom_engine_stream(struct loom_store *store, const struct loom_growth *growths,
				    size_t count, struct loom_err *err) LOOM_MUST;
/* Ends a level: what arrived becomes nodes. Returns LOOM_ENGINE_GENERATE when they are to be
 * continued in their turn, by the same voices; else *out is the result of the call. `choices` has
 * one entry per choice asked for; NULL: no model could be asked, and `why` tells the reason. */
enum loom_engine_next loom_engine_generated(struct loom_engine *engine,
					    const struct loom_generated *choices,
					    const struct loom_err *why, struct loom_result *out);

#endif
