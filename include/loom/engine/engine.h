/* The engine: does the calls of one acting agent in one thread, in order, and says what came of
 * each. One engine lives in the thread that owns its connection; it never waits for a person, a
 * network or a model.
 *
 * A call is refused, in this order, for what it lacks: permission, a limit, what it names, another
 * tree, another's turn. What it does it does whole, in a transaction of its own; the calls of a
 * batch share one operation. A generation is begun here and ended here; what lies between is the
 * business of whoever asked (act.h). */
#ifndef LOOM_ENGINE_H
#define LOOM_ENGINE_H

#include <loom/providers/generate.h>
#include <loom/grove/presence.h>
#include <loom/work/memory.h>
#include <loom/grove/store.h>
#include <loom/tree/tree.h>

struct loom_call;
struct loom_engine;
struct loom_refusal;

/* How a line stands in results and in the trace: one line, long texts cut. */
#define LOOM_LINE_MAX 200

/* What came of one call. Texts live until the engine's next call. */
struct loom_result {
	enum loom_status status;
	struct loom_str line;    /* the call, with its arrow, on one line */
	struct loom_str text;    /* below the call: its result, ✗ and hint lines included */
	struct loom_str whole;   /* the same before it was shortened */
	struct loom_err err;     /* when status says so */
	int64_t number;          /* res-N */
	int64_t op;              /* the operation, 0 when nothing was changed */
	int64_t moved;           /* the node where the thread now stands, 0: it did not move */
	int64_t doc;             /* the document that it read or wrote, 0: none … */
	int64_t head;            /* … and the version of it that the thread knows by that */
	bool proposed;           /* not done: it waits for a person */
	bool read_as;            /* a classifier's reading, said in the text */
	struct loom_usage usage; /* of the models that were asked; calls 0: none was */
};

/* What a thread keeps of what was done in it: its log. */
struct loom_engine_record {
	const struct loom_call *call;       /* NULL for a line that is no call */
	const struct loom_refusal *refusal; /* such a line */
	const struct loom_result *result;
	int64_t thread;
	int64_t tree; /* where the thread stands */
};
/* What was done, as it is shown: a line a call. */
struct loom_trace {
	const struct loom_str *lines;
	size_t count;
};
struct loom_engine_log {
	/* Keeps a record. Inside a write: of the call itself where it changed something. */
	enum loom_status (*record)(void *ctx, struct loom_store *store,
				   const struct loom_engine_record *what, struct loom_err *err);
	/* The number of the thread's last result, 0: none. */
	enum loom_status (*last)(void *ctx, struct loom_store *store, int64_t thread, int64_t *out,
				 struct loom_err *err);
	/* The whole text of a result of the thread's; LOOM_NOT_FOUND. */
	enum loom_status (*result)(void *ctx, struct loom_store *store, int64_t thread,
				   int64_t number, struct loom_arena *arena, struct loom_str *out,
				   struct loom_err *err);
	/* The version of a document that the thread knew last, 0: none that is told of. */
	enum loom_status (*known)(void *ctx, struct loom_store *store, int64_t thread, int64_t doc,
				  int64_t *out_head, struct loom_err *err);
	/* The newest `limit` lines of its trace, oldest first, as they are shown. */
	enum loom_status (*trace)(void *ctx, struct loom_store *store, int64_t thread, size_t limit,
				  struct loom_arena *arena, struct loom_trace *out,
				  struct loom_err *err);
	void *ctx;
};

/* Who is asking, for what the engine leaves to others. */
struct loom_engine_view {
	struct loom_store *store;
	struct loom_arena *arena;
	int64_t agent;
	int64_t tree;
	int64_t thread;   /* 0: none yet */
	int64_t position; /* where it stands */
	int64_t in;       /* search: below this group, 0: anywhere */
	bool in_tree;     /* search: in `tree`, which was named */
	unsigned may;
};
/* What others add; each may be missing. All in the engine's thread. */
struct loom_engine_hooks {
	/* `→ search`, of the grove or of the web; appends what is shown. */
	enum loom_status (*search)(void *ctx, const struct loom_engine_view *view,
				   const struct loom_call *call, struct loom_buf *out,
				   struct loom_err *err);
	/* How large the thread's own context is: tokens used and still free. Without it the
	 * context is measured as it would be assembled now. */
	enum loom_status (*measure)(void *ctx, const struct loom_engine_view *view,
				    int64_t *out_used, int64_t *out_free, struct loom_err *err);
	void *ctx;
};

struct loom_engine_opts {
	struct loom_store *store; /* borrowed; LOOM_WRITE where anything may be changed */
	int64_t agent;            /* who acts */
	int64_t tree;             /* 0: the thread's, else the current one */
	int64_t thread; /* 0: the implicit one of agent and tree, made when it is needed */
	struct loom_session *session; /* borrowed; NULL: no leases are taken, nothing is said */
	const struct loom_engine_log *log;     /* borrowed; NULL: nothing is kept */
	const struct loom_engine_hooks *hooks; /* borrowed, nullable */
	int64_t join;           /* an operation that calls of batch 0 go on with first; 0: none */
	struct loom_str prompt; /* what the agent's own model is told first */
	int64_t budget;         /* tokens that it may be told in all; 0: not known */
	unsigned ungranted;     /* what a model may to whom nothing was ever granted */
	size_t result_tokens;   /* longer results are shortened; 0: 1,000; SIZE_MAX: never */
	bool local;             /* dates of the reader's own clock, where a person acts */
	bool dry_run;           /* all of it, and nothing stays */
};

/* LOOM_NOT_FOUND for an agent, tree or thread that is not there; LOOM_PERMISSION for a thread of
 * somebody else's. */
enum loom_status loom_engine_open(const struct loom_engine_opts *opts, struct loom_engine **out,
				  struct loom_err *err) LOOM_MUST;
/* Yields. NULL is fine. */
void loom_engine_close(struct loom_engine *engine);

/* A new turn begins: permissions and names are read anew, the batch is closed. `seq` is the row of
 * the thread's log that what is made now comes from, -1: none. */
enum loom_status loom_engine_turn(struct loom_engine *engine, int64_t seq,
				  struct loom_err *err) LOOM_MUST;
/* The turn is over: its leases end. Harmless when there are none. */
void loom_engine_yield(struct loom_engine *engine);
/* Puts the thread at a node, by any id, before its calls. */
enum loom_status loom_engine_stand(struct loom_engine *engine, struct loom_str node,
				   struct loom_err *err) LOOM_MUST;

/* LOOM_CROSS_TREE: a tree that is not for whoever may not leave its own. */
enum loom_status loom_engine_refuse_tree(struct loom_str title, struct loom_err *err);

/* The name of who acts. Lives as long as the engine. */
struct loom_str loom_engine_agent(const struct loom_engine *engine);
/* Whether a person wants to be asked before this agent makes this call (approval ask or propose);
 * not one that is refused anyway. */
bool loom_engine_wants_leave(const struct loom_engine *engine, const struct loom_call *call);
/* What a person said to such calls; without a word they are not done. */
enum loom_leave { LOOM_LEAVE_NONE, LOOM_LEAVE_GIVEN, LOOM_LEAVE_REFUSED };
/* Holds for the calls from now on. `proposal`: the name under which they wait, or empty; copied. */
void loom_engine_leave(struct loom_engine *engine, enum loom_leave leave, struct loom_str proposal);
/* Appends, on one line, what a call would act on now: `[a7x2] "Marie's reluctance…"`; nothing for
 * calls that act on nothing in particular. What is not found is said as the call would say it. */
void loom_engine_target(struct loom_engine *engine, const struct loom_call *call,
			struct loom_buf *out);

enum loom_engine_next {
	LOOM_ENGINE_DONE,     /* the result is there */
	LOOM_ENGINE_GENERATE, /* a model is to be asked: loom_engine_request; the call stays yours
			       * until loom_engine_generated */
	LOOM_ENGINE_SUM_UP,   /* the result is long: loom_engine_long; the call stays yours until
			       * loom_engine_summed */
};
/* Does one call. Calls with the same number in `batch` that follow each other share an operation.
 * Trouble of the store is a result too, with its own status. */
enum loom_engine_next loom_engine_call(struct loom_engine *engine, const struct loom_call *call,
				       struct loom_result *out);
/* A line that is no call: answered, and closes the batch. */
void loom_engine_refuse(struct loom_engine *engine, const struct loom_refusal *refusal,
			struct loom_result *out);
/* Whether there is somebody to sum up long results; else their first and last lines stand for them.
 */
void loom_engine_sums(struct loom_engine *engine, bool sums);
/* What is to be summed up after LOOM_ENGINE_SUM_UP, as a question for a model; in the arena. */
struct loom_str loom_engine_long(struct loom_engine *engine, struct loom_arena *arena);
/* What came of it; empty: nothing, and lines stand for it. */
void loom_engine_summed(struct loom_engine *engine, struct loom_str summary,
			struct loom_result *out);
/* Says above the next result how its line was understood. */
void loom_engine_read_as(struct loom_engine *engine, const struct loom_call *call);

/* What is to be asked after LOOM_ENGINE_GENERATE; lives until the generation is ended. Tokens are
 * as asked for, 0 when nothing was said. */
const struct loom_generate_request *loom_engine_request(const struct loom_engine *engine);
/* The local id that a choice will have, e.g. for a screen that shows it growing. */
const char *loom_engine_choice(const struct loom_engine *engine, size_t choice);
/* What of the window is known now that the voice is: assembles what is asked. To be called once,
 * before the request is sent. LOOM_LIMIT when the acting agent (not a person) may not use that
 * much; allowance NULL: it may. */
enum loom_status loom_engine_assemble(struct loom_engine *engine,
				      const struct loom_voice_info *voice,
				      const struct loom_allowance *allowance,
				      struct loom_err *err) LOOM_MUST;

struct loom_chunk {
	size_t choice;
	struct loom_str text;
};
/* What has arrived of the generation of one engine. */
struct loom_growth {
	struct loom_engine *engine;
	const struct loom_chunk *chunks;
	size_t count;
};
/* Keeps what has arrived of all these generations, and holds their turns on the branches: once a
 * second, in one commit (none when there is nothing to keep). The engines are of this store. */
enum loom_status loom_engine_stream(struct loom_store *store, const struct loom_growth *growths,
				    size_t count, struct loom_err *err) LOOM_MUST;
/* The generation is over: what arrived becomes nodes. `choices` are as many as were asked for;
 * NULL: the model could not be asked at all, and `why` says why. */
void loom_engine_generated(struct loom_engine *engine, const struct loom_generated *choices,
			   const struct loom_err *why, struct loom_result *out);

#endif
