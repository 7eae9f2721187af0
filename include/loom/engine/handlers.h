/* Inside the engine: what a handler is given, finding what a call names, and the table of handlers.
 *
 * A handler reads a typed call and appends what is to be printed; it begins and ends no
 * transaction, and never sees a text of the language. What it changes it says with `changed`. */
#ifndef LOOM_ENGINE_HANDLERS_H
#define LOOM_ENGINE_HANDLERS_H

#include <loom/context/context.h>
#include <loom/tree/document.h>
#include <loom/grove/draft.h>
#include <loom/engine/engine.h>
#include <loom/tree/mark.h>
#include <loom/tree/say_node.h>

#define LANG_ARROW            "→"
#define ENGINE_RESULT_TOKENS  1000
#define ENGINE_CONTINUE_MAX   10
#define ENGINE_PAGE           50
#define ENGINE_LEASES_MAX     64
#define ENGINE_RESULT_MAX     ((size_t)64 << 20)
#define ENGINE_LEASE_RENEW_MS 30000

/* A document that was read, and which version: what a later edit is based on. */
struct engine_base {
	int64_t doc;
	int64_t head;
};

/* What is being generated. */
struct engine_generation {
	bool active;
	struct loom_arena *arena;
	int64_t from;      /* the node it goes on from */
	int64_t prefix;    /* the node made of its beginning, 0: none */
	bool prefix_fresh; /* the prefix began the operation that it is in */
	bool named;        /* an agent was named */
	struct loom_agent subject;
	struct loom_generate_request request;
	int64_t *streams; /* one a choice */
	int64_t *nums;
	char (*names)[LOOM_LOCAL_MAX];
	int64_t lease; /* 0: none, or one that the turn has already */
	int64_t renewed;
	const struct loom_call *call;
};

struct engine_run;

struct loom_engine {
	struct loom_engine_opts opts;
	struct loom_store *store;
	struct loom_arena *arena;   /* of the engine */
	struct loom_arena *turn;    /* of the turn: names, results that may be pinned */
	struct loom_arena *scratch; /* of the call */
	struct loom_agent agent;
	struct loom_gate_who who; /* it acts, as of the turn's begin */
	bool human;
	struct loom_tree tree;     /* where the thread stands; texts as of the turn's begin */
	struct loom_thread thread; /* id 0: implicit and not made yet */
	struct loom_show show;
	int64_t seq;
	size_t batch; /* of the last call, SIZE_MAX: none */
	int64_t op;   /* of the batch, 0: none yet */
	size_t op_calls;
	struct loom_buf op_text;
	int64_t results;          /* the thread's, so far */
	struct loom_result *kept; /* this turn's, in `turn` */
	size_t kept_count;
	size_t kept_cap;
	struct engine_base *bases; /* in `arena` */
	size_t base_count;
	size_t base_cap;
	int64_t leases[ENGINE_LEASES_MAX]; /* of this turn */
	size_t lease_count;
	struct loom_session *own_session; /* when none was given and one is needed */
	int64_t dry_position;             /* where a dry run was put, 0: where the thread stands */
	struct engine_generation generation;
	enum loom_leave leave;
	struct loom_buf proposal; /* where it waits for leave */
	struct loom_buf note;     /* (read as: …) */
	bool sums;                /* long results are summed up */
	struct engine_run *held;  /* the call whose result is, NULL: none; in `scratch` */
	struct loom_str summary;  /* of it; empty: none */
	struct loom_buf line;
	struct loom_buf out;
	struct loom_buf shown;
};

/* One call being done. */
#define ENGINE_BARE 64

struct engine_run {
	struct loom_engine *engine;
	struct loom_store *store;
	struct loom_arena *arena; /* of the call */
	struct loom_show *show;
	const struct loom_call *call;
	struct loom_buf *out;
	struct loom_thread thread; /* where the call leaves the thread; id 0: none yet */
	struct loom_tree tree;
	struct loom_buf text; /* what the operation's list says */
	const char *inverse;  /* the command that undoes it, where undo cannot */
	bool writing;         /* a transaction is open, and settled by the engine */
	bool changed;
	bool partial; /* failed, and something stays */
	int64_t op;   /* of a handler that saw to its own transaction */
	int64_t moved;
	/* A body that may be shortened: where in `out`, its first line's number in what it is part
	 * of, and the command that shows such lines. */
	size_t body_at;
	size_t body_end;
	int64_t body_line;
	struct loom_str body_again; /* empty: not to be asked for in lines */
	bool exact;                 /* asked for in lines: shown whole */
	struct engine_base base;    /* a document's new version; doc 0: none */
	int64_t lease;              /* taken in this transaction */
	/* Nodes that were shown and have no summary yet. */
	int64_t bare[ENGINE_BARE];
	size_t bare_count;
};

typedef enum loom_status engine_handler(struct engine_run *run, struct loom_err *err);

/* How a verb is run: the CHANGE of its row. */
enum engine_way {
	ENGINE_READS,   /* in a read view */
	ENGINE_MOVES,   /* in a quiet write */
	ENGINE_CHANGES, /* in an operation */
	ENGINE_ALONE,   /* sees to its own transaction */
};

/* The handlers, one a verb. */
#define LOOM_VERB(id, name, ...) engine_handler engine_verb_##name;
#include <loom/verbs.def>

/* --- the engine (engine.c) --- */

/* Begins the call's transaction: an operation, or a quiet one (ENGINE_MOVES). */
enum loom_status engine_begin_write(struct engine_run *run, enum engine_way way,
				    struct loom_err *err);
/* What is called next begins an operation of its own. */
void engine_batch_close(struct loom_engine *engine);
/* A call being done, at its beginning; the call's arena is empty. */
void engine_begin_run(struct loom_engine *engine, const struct loom_call *call,
		      struct engine_run *run);
/* Where the thread stands: the root when it was never used. */
enum loom_status engine_position(struct loom_engine *engine, int64_t *out, struct loom_err *err);
/* Moves the thread, into another tree too. Inside a write. */
enum loom_status engine_move(struct engine_run *run, const struct loom_node *node,
			     struct loom_err *err);
/* Shows its summary in quotes. When it has none it is made in the background from now on. */
void engine_show_quoted(struct engine_run *run, const struct loom_node *node);
/* What the operation's list says of this call. */
void engine_say(struct engine_run *run, const char *format, ...) LOOM_PRINTF(2, 3);
/* The turn on a branch is somebody else's: CONFLICT. `changes`: the node itself is changed. */
enum loom_status engine_turn_check(struct engine_run *run, int64_t node, bool changes,
				   struct loom_err *err);
/* The same, and an agent's turn takes the branch for as long as it lasts. */
enum loom_status engine_turn_take(struct engine_run *run, const struct loom_node *node,
				  struct loom_err *err);
/* A lease that was taken in a transaction which is in now. */
void engine_turn_taken(struct loom_engine *engine, int64_t lease);
/* The session that leases and streams belong to; opened when there is none. */
enum loom_status engine_session(struct loom_engine *engine, struct loom_session **out,
				struct loom_err *err);
/* Who goes on from a version reads on from that one, whatever was chosen before; without a choice
 * the path takes what was gone on from by itself. *out_instead: the one chosen before, 0: it is no
 * other. Inside a write. */
enum loom_status engine_read_on(struct engine_run *run, const struct loom_node *from,
				int64_t *out_instead, struct loom_err *err) LOOM_MUST;
/* What others see of this session. */
void engine_presence(struct loom_engine *engine, const char *doing);
/* What a hook is given: where the engine stands, and as whom. The arena is the engine's. */
void engine_view_of(struct loom_engine *engine, struct loom_engine_view *out);

/* --- finding (find_named.c) --- */

/* NOT_FOUND or CROSS_TREE, as tools.md §2 says. The node has everything. */
enum loom_status engine_find(struct engine_run *run, struct loom_str id, struct loom_node *out,
			     struct loom_err *err);
/* The same, and it can be written below or changed: it is no note and not pruned away. */
enum loom_status engine_find_story(struct engine_run *run, struct loom_str id,
				   struct loom_node *out, struct loom_err *err);
/* CONFLICT for what hangs beside the story: notes, attached texts. */
enum loom_status engine_check_story(struct engine_run *run, const struct loom_node *node,
				    struct loom_err *err);
/* A tree by title or id; CROSS_TREE when it is another and the agent may not go there. */
enum loom_status engine_find_tree(struct engine_run *run, struct loom_str name,
				  struct loom_tree *out, struct loom_err *err);
/* "1,200 lines", in the call's arena. */
struct loom_str engine_many(struct engine_run *run, int64_t count, const char *one,
			    const char *many);
/* A document by name; which there are, when it is not one and they may be read. */
enum loom_status engine_find_doc(struct engine_run *run, struct loom_str name, struct loom_doc *out,
				 struct loom_err *err);
enum loom_status engine_refuse_doc(struct engine_run *run, struct loom_str name,
				   struct loom_err *err);
/* "a7x2", in the call's arena. */
struct loom_str engine_name(struct engine_run *run, const struct loom_node *node);
/* Appends the tree that this call named, for one that is to follow it. */
void engine_add_tree(const struct engine_run *run, struct loom_buf *out);
/* The name, `options`, and that tree. */
struct loom_str engine_name_again(struct engine_run *run, const struct loom_node *node,
				  const char *options);

/* --- documents (verb_doc.c, verb_asset.c) --- */

enum engine_page_kind { ENGINE_PAGE_DOC, ENGINE_PAGE_ASSET, ENGINE_PAGE_PLAN };
/* What `doc:` names: a document of the grove, a file of a spawned thread, the global plan. */
struct engine_page {
	enum engine_page_kind kind;
	struct loom_str name; /* as results call it */
	struct loom_str text; /* of a folder: what is in it */
	struct loom_str summary;
	int64_t updated;
	int64_t doc;  /* of a document */
	int64_t head; /* its version */
	bool exists;
	bool own; /* may be written here */
	bool folder;
	struct loom_str path; /* where an own file is written, from the project's root */
	struct loom_str hint; /* to be said beside it */
};
/* An asset path as printed in the thread's block, the name of an asset, or "global plan".
 * LOOM_NOT_FOUND when it is none of them; then err is as it was. */
enum loom_status engine_asset_find(struct engine_run *run, struct loom_str name,
				   struct engine_page *out, struct loom_err *err);
/* From now on this is the version that the thread has read. */
void engine_base_set(struct loom_engine *engine, struct engine_base base);
/* `./x` and `/x` as x, where they lead into `.leslie/`: so lists and links write it. */
struct loom_str engine_asset_name(struct loom_str name);
/* Where the thread's own asset of that name stands, empty when there is none: for a hint. */
struct loom_str engine_asset_path(struct engine_run *run, struct loom_str name);
/* Writes an own file, or the global plan. */
enum loom_status engine_asset_write(struct engine_run *run, const struct engine_page *page,
				    struct loom_str text, struct loom_err *err);

/* --- results (result.c) --- */

/* The call on one line, with its arrow. */
void engine_line(const struct loom_call *call, struct loom_buf *out);
/* The same for a line that is no call: its first line, cut to what fits. */
void engine_line_text(struct loom_str text, struct loom_buf *out);
/* Whether what is in run->out is more than is shown. */
bool engine_is_long(const struct engine_run *run);
/* Shortens what is in run->out into `shown` when it is over the limit; returns whether it did. */
bool engine_shorten(const struct engine_run *run, int64_t number, struct loom_buf *shown);
/* The slice of lines a…b (from 1) of a text; false when it has fewer than a. */
bool engine_lines(struct loom_str text, const int64_t lines[2], struct loom_str *out,
		  int64_t *out_count);

/* --- continue (verb_continue.c) --- */

/* What the models that were asked have used. */
void engine_continue_usage(const struct engine_generation *now,
			   const struct loom_generated *choices, struct loom_usage *out);
/* Ends it: prints into run->out. What failed may be partial. */
enum loom_status engine_continue_end(struct engine_run *run, const struct loom_generated *choices,
				     const struct loom_err *why, struct loom_err *err);
/* Nothing is being generated any more; what was reserved stays unused. */
void engine_continue_forget(struct loom_engine *engine);
/* What a subject is asked: the assembly of its context (subject_prompt.c). */
enum loom_status engine_prompt(struct loom_store *store, const struct loom_subject_opts *opts,
			       struct loom_arena *arena, struct loom_generate_request *out,
			       struct loom_err *err);

#endif
