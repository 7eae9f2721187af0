/* Inside the engine: what a handler is given, how it finds what a call names, and the table of
 * handlers.
 *
 * A handler reads a typed call and appends what is printed. It begins and ends no transaction and
 * never sees the text of a call. It sets `changed` when it has changed something. */
#ifndef LOOM_ENGINE_HANDLERS_H
#define LOOM_ENGINE_HANDLERS_H

#include <loom/context/context.h>
#include <loom/tree/document.h>
#include <loom/grove/draft.h>
#include <loom/engine/engine.h>
#include <loom/tree/gate.h>
#include <loom/tree/mark.h>
#include <loom/tree/say_node.h>

#define LANG_ARROW                 "→"
#define ENGINE_RESULT_TOKENS       1000
#define ENGINE_CONTINUE_MAX        10
#define ENGINE_CONTINUE_PERSON_MAX 100
#define ENGINE_PAGE                50
#define ENGINE_LEASES_MAX          64
#define ENGINE_RESULT_MAX          ((size_t)64 << 20)
#define ENGINE_LEASE_RENEW_MS      30000

/* The version of a document that was read; later edits are based on it. */
struct engine_base {
	int64_t doc;
	int64_t head;
};

/* A subject that is asked; n and tokens are what a plan wants of it, 0: its own. */
struct engine_voice {
	struct loom_agent subject;
	int64_t n;
	int64_t tokens;
};

/* A node that the call has made. */
struct engine_grown {
	int64_t node;
	size_t parent; /* index of the one it continues; SIZE_MAX: where the call began */
	const char *name;
	struct loom_str line;
};

/* The generation in progress. */
struct engine_generation {
	bool active;
	bool begun; /* something was written that must be ended */
	bool grows; /* the streams of this level are open */
	struct loom_arena *arena;
	int64_t from;         /* the node it continues */
	size_t cut;           /* so many of its bytes */
	int64_t prefix;       /* the node made of its beginning; 0: none */
	bool prefix_fresh;    /* the prefix began its operation */
	struct loom_str line; /* the sampling that the call sets */
	struct engine_voice *voices;
	size_t voice_count;
	int64_t level; /* from 1 */
	struct loom_engine_ask *asks;
	size_t ask_count;
	size_t *slots;  /* the asks' choices, one after the other */
	size_t *ask_of; /* one per choice, as all that follow */
	int64_t *streams;
	int64_t *nums;
	char (*names)[LOOM_LOCAL_MAX];
	size_t choice_count;
	size_t asked;               /* choices of all levels so far */
	struct engine_grown *grown; /* of all levels */
	size_t grown_count;
	size_t grown_cap;
	size_t grown_above;      /* those of earlier levels */
	struct loom_err fault;   /* the first that went wrong */
	struct loom_usage usage; /* of earlier levels */
	int64_t lease;           /* 0: none, or one that the turn held already */
	int64_t renewed;
	const struct loom_call *call;
	struct loom_str body;   /* of the request that was kept last … */
	int64_t body_from;      /* … below this node … */
	struct loom_str packed; /* … as the record has it */
};

struct engine_run;

struct loom_engine {
	struct loom_engine_opts opts;
	struct loom_store *store;
	struct loom_arena *arena;   /* lives as long as the engine */
	struct loom_arena *turn;    /* lives for a turn: names, results that may be pinned */
	struct loom_arena *scratch; /* lives for a call */
	struct loom_agent agent;
	struct loom_gate_who who; /* the agent's permissions, as of the turn's beginning */
	bool human;
	struct loom_tree tree;     /* where the thread stands; texts as of the turn's beginning */
	struct loom_thread thread; /* id 0: implicit and not yet made */
	struct loom_show show;
	int64_t seq;
	size_t batch; /* of the last call; SIZE_MAX: none */
	int64_t op;   /* of the batch; 0: none yet */
	size_t op_calls;
	struct loom_buf op_text;
	int64_t results;          /* of the thread, so far */
	struct loom_result *kept; /* of this turn, in `turn` */
	size_t kept_count;
	size_t kept_cap;
	struct engine_base *bases; /* in `arena` */
	size_t base_count;
	size_t base_cap;
	int64_t leases[ENGINE_LEASES_MAX]; /* of this turn */
	size_t lease_count;
	struct loom_session *own_session; /* opened when none was given and one is needed */
	int64_t works_at;                 /* where it generates or has the turn; 0: nowhere */
	int64_t dry_position;             /* where a dry run stands; 0: where the thread stands */
	struct engine_generation generation;
	enum loom_leave leave;
	struct loom_buf proposal; /* the name under which it waits for leave */
	struct loom_buf note;     /* (read as: …) */
	bool sums;                /* someone can summarise long results */
	struct engine_run *held;  /* the call waiting for its summary; NULL: none; in `scratch` */
	struct loom_str question; /* that it asks before it is done; empty: it is done */
	struct loom_str summary;  /* of that call; empty: none */
	struct loom_buf line;
	struct loom_buf out;
	struct loom_buf shown;
	struct loom_buf own;
};

/* One call in progress. */
#define ENGINE_BARE 64

struct engine_run {
	struct loom_engine *engine;
	struct loom_store *store;
	struct loom_arena *arena; /* lives for the call */
	struct loom_show *show;
	const struct loom_call *call;
	struct loom_buf *out;
	struct loom_thread thread; /* where the call leaves the thread; id 0: none yet */
	struct loom_tree tree;
	struct loom_buf text;      /* the call's line in the list of operations */
	const char *inverse;       /* the command that reverses it, where undo cannot */
	bool writing;              /* a transaction is open; the engine ends it */
	bool intended;             /* it was noted that the request changes files */
	struct loom_draft *unsent; /* what its text is as a draft; NULL: it is never one */
	bool was_kept;             /* and that draft is there */
	bool changed;
	bool partial; /* failed, but something stays */
	int64_t op;   /* set by a handler with its own transaction */
	int64_t moved;
	/* A body that may be shortened: its range in `out`, the number of its first line, and the
	 * command that shows some of its lines. */
	size_t body_at;
	size_t body_end;
	int64_t body_line;
	struct loom_str body_again; /* empty: cannot be asked for in lines */
	bool exact;                 /* asked for in lines: print it whole */
	struct engine_base base;    /* a document's new version; doc 0: none */
	int64_t lease;              /* taken in this transaction */
	int64_t lease_at;           /* its node */
	/* Nodes that were shown and have no summary yet. */
	int64_t bare[ENGINE_BARE];
	size_t bare_count;
};

typedef enum loom_status engine_handler(struct engine_run *run, struct loom_err *err);

/* How a verb runs: the CHANGE of its row. */
enum engine_way {
	ENGINE_READS,   /* in a read view */
	ENGINE_MOVES,   /* in a quiet write */
	ENGINE_CHANGES, /* in an operation */
	ENGINE_ALONE,   /* in transactions of its own */
};

/* The handlers, one per verb. Each appends its answer to run->out or fails. */
#define LOOM_VERB(id, name) engine_handler engine_verb_##name;
#include <loom/verb_ids.def>

/* --- the engine (engine.c) --- */

/* Begins the call's transaction: an operation, or a quiet write for ENGINE_MOVES. The engine ends
 * it. Makes the implicit thread first, if it is missing. */
enum loom_status engine_begin_write(struct engine_run *run, enum engine_way way,
				    struct loom_err *err);
/* Ends the batch: the next call begins an operation of its own. */
void engine_batch_close(struct loom_engine *engine);
/* Initialises *run for a call and resets the call's arena. */
void engine_begin_run(struct loom_engine *engine, const struct loom_call *call,
		      struct engine_run *run);
/* Puts the node where the thread stands into *out; the root, when the thread was never used. */
enum loom_status engine_position(struct loom_engine *engine, int64_t *out, struct loom_err *err);
/* Moves the thread to a node, also to one in another tree. Call it inside a write. */
enum loom_status engine_move(struct engine_run *run, const struct loom_node *node,
			     struct loom_err *err);
/* Appends a node's summary in quotes. When it has none, queues one to be made in the background. */
void engine_show_quoted(struct engine_run *run, const struct loom_node *node);
/* Sets the call's line in the list of operations. */
void engine_say(struct engine_run *run, const char *format, ...) LOOM_PRINTF(2, 3);
/* Fails with LOOM_CONFLICT when somebody else has the turn on the node's branch. `changes` says
 * that the node itself is to be changed. */
enum loom_status engine_turn_check(struct engine_run *run, int64_t node, bool changes,
				   struct loom_err *err);
/* Checks that nobody else has the turn on the node's branch, else fails with LOOM_CONFLICT, and
 * takes it for an agent's turn. A person takes no lease. */
enum loom_status engine_turn_take(struct engine_run *run, const struct loom_node *node,
				  struct loom_err *err);
/* Remembers a lease for the turn, once the transaction that took it is committed, and that the
 * agent works at its node. */
void engine_turn_taken(struct loom_engine *engine, int64_t lease, int64_t node);
/* Returns the session that owns leases and streams in *out, borrowed; opens one when none was
 * given. */
enum loom_status engine_session(struct loom_engine *engine, struct loom_session **out,
				struct loom_err *err);
/* Makes the thread read the version `from`, which it has just continued, when it had chosen
 * another. Without a choice the path takes that version by itself. *out_instead is the version
 * chosen before; 0: none other. Call it inside a write. */
enum loom_status engine_read_on(struct engine_run *run, const struct loom_node *from,
				int64_t *out_instead, struct loom_err *err) LOOM_MUST;
/* Announces to other sessions what this one is doing. Failures are ignored. */
void engine_presence(struct loom_engine *engine, const char *doing);
/* Fills in what a hook is given: where the engine stands and as whom. The arena is the engine's. */
void engine_view_of(struct loom_engine *engine, struct loom_engine_view *out);

/* --- finding (find_named.c) --- */

/* Finds the node that a call names, with all its fields. Fails with LOOM_NOT_FOUND, or
 * LOOM_CROSS_TREE for a node in another tree. */
enum loom_status engine_find(struct engine_run *run, struct loom_str id, struct loom_node *out,
			     struct loom_err *err);
/* Puts a new node in the row of its siblings; among thousands it stays the last. */
enum loom_status engine_put_before(struct engine_run *run, const struct loom_hang *where,
				   struct loom_err *err);
/* Finds the node that a call names, if it can be continued or changed. Fails as engine_find does,
 * and with LOOM_CONFLICT for a note, an attached text or a pruned node. */
enum loom_status engine_find_story(struct engine_run *run, struct loom_str id,
				   struct loom_node *out, struct loom_err *err);
/* Fails with LOOM_CONFLICT for a node beside the story: a note or an attached text. */
enum loom_status engine_check_story(struct engine_run *run, const struct loom_node *node,
				    struct loom_err *err);
/* Finds a tree by title or id. Fails with LOOM_NOT_FOUND, or LOOM_CROSS_TREE when it is another
 * tree that the agent may not enter. */
enum loom_status engine_find_tree(struct engine_run *run, struct loom_str name,
				  struct loom_tree *out, struct loom_err *err);
/* Finds the place in a node that at: or after: names, in bytes; its end when neither is there.
 * Fails when the text has no such place, or several. */
enum loom_status engine_cut(struct engine_run *run, const struct loom_node *node, size_t *out,
			    struct loom_err *err);
/* Returns a count with its noun, "1,200 lines", in the call's arena. */
struct loom_str engine_many(struct engine_run *run, int64_t count, const char *one,
			    const char *many);
/* Finds a document by name. Fails with LOOM_NOT_FOUND; the hint lists the documents, if the agent
 * may read them. */
enum loom_status engine_find_doc(struct engine_run *run, struct loom_str name, struct loom_doc *out,
				 struct loom_err *err);
/* Replaces the hint of an error about a name that does not exist by the call with `name`, if that
 * is nearly what was said; returns whether it is. */
bool engine_hint_name(struct engine_run *run, struct loom_str said, struct loom_str name,
		      struct loom_err *err);
/* Fills *err for a document that does not exist; the hint lists those that do. Always fails:
 * LOOM_NOT_FOUND, unless the store cannot be read. */
enum loom_status engine_refuse_doc(struct engine_run *run, struct loom_str name,
				   struct loom_err *err);
/* Returns a node's name, "a7x2", in the call's arena. */
struct loom_str engine_name(struct engine_run *run, const struct loom_node *node);
/* Appends ` in tree:"T"` when this call named a tree, for a command that repeats it. */
void engine_add_tree(const struct engine_run *run, struct loom_buf *out);
/* Returns the node's name, `options` and the tree that this call named, for a command that repeats
 * it; in the call's arena. */
struct loom_str engine_name_again(struct engine_run *run, const struct loom_node *node,
				  const char *options);

/* --- texts that the shared log may not take (keep_unsent.c) --- */

/* Before a call: finds out which draft its text is or would be, if a person's text goes into a
 * shared log. */
void engine_unsent_begin(struct engine_run *run);
/* Gives the operation of the call the id of that draft. */
void engine_unsent_name(const struct engine_run *run, struct loom_op_spec *spec);
/* Returns whether the refused call had been done already, when its answer was lost; then it says
 * so. */
bool engine_unsent_is_in(struct engine_run *run);
/* After a call that was done: its draft is not needed any more. */
void engine_unsent_drop(const struct engine_run *run);
/* Keeps the text of a call that failed with LOOM_OFFLINE as the draft and says so in *err; false if
 * there is none, or it cannot be kept. */
bool engine_keep_unsent(struct engine_run *run, struct loom_err *err);

/* --- memory (verb_memory.c) --- */

/* Returns the question to a model whose answer the call stashes, in the call's arena; empty: it
 * needs none. */
struct loom_str engine_stash_question(struct engine_run *run);

/* --- documents (verb_doc.c, verb_asset.c) --- */

enum engine_page_kind { ENGINE_PAGE_DOC, ENGINE_PAGE_ASSET, ENGINE_PAGE_PLAN };
/* The target of `doc:`: a document of the grove, a file of a spawned thread, the global plan. */
struct engine_page {
	enum engine_page_kind kind;
	struct loom_str name; /* as results print it */
	struct loom_str text; /* of a folder: its listing */
	struct loom_str summary;
	int64_t updated;
	int64_t doc;  /* of a document */
	int64_t head; /* its version */
	bool exists;
	bool own; /* may be written here */
	bool folder;
	struct loom_str path;   /* of a file that may be written, from the project's root */
	struct loom_str hint;   /* printed beside it */
	struct loom_str doubts; /* of a document: loom_show_doc_doubts */
};
/* Finds a file of the thread by a path of its block (escaped or not), by its name, or as "global
 * plan". To read, a name is first one that was given to the thread; to write (`write`), one of its
 * own. When it is none of these, returns LOOM_NOT_FOUND and leaves *err alone. */
enum loom_status engine_asset_find(struct engine_run *run, struct loom_str name, bool write,
				   struct engine_page *out, struct loom_err *err);
/* Refuses a file that the thread was not given, and says what it was given; refuses other names as
 * engine_refuse_doc does. Always fails. */
enum loom_status engine_asset_refuse(struct engine_run *run, struct loom_str name,
				     struct loom_err *err);
/* Remembers `base` as the version of its document that the thread has read. */
void engine_base_set(struct loom_engine *engine, struct engine_base base);
/* Returns `name` without the ./ or / before a path in `.leslie/`, the form that lists and links
 * use. Borrows from `name`. */
struct loom_str engine_asset_name(struct loom_str name);
/* Returns the path of the thread's own asset of that name, in the call's arena, or an empty text
 * when there is none. */
struct loom_str engine_asset_path(struct engine_run *run, struct loom_str name);
/* Writes a file of the thread, or the global plan. Fails with LOOM_PERMISSION for another thread's
 * file and LOOM_CONFLICT for a folder. */
enum loom_status engine_asset_write(struct engine_run *run, const struct engine_page *page,
				    struct loom_str text, struct loom_err *err);

/* --- lists (verb_lists.c) --- */

/* Lists what there is, for a `→ list` without a node or a document. */
enum loom_status engine_list_all(struct engine_run *run, struct loom_err *err);

/* --- results (result.c) --- */

/* Appends the call with its arrow, on one line. */
void engine_line(const struct loom_call *call, struct loom_buf *out);
/* Appends the first line of a text that is not a call, with an arrow, cut to LOOM_LINE_MAX. */
void engine_line_text(struct loom_str text, struct loom_buf *out);
/* Returns whether run->out is longer than what is displayed. */
bool engine_is_long(const struct engine_run *run);
/* Appends run->out to `shown` with its summary or its first and last lines, when it is too long.
 * Returns whether it was. */
bool engine_shorten(const struct engine_run *run, int64_t number, struct loom_buf *shown);
/* Puts the lines lines[0] to lines[1] of a text, counted from 1, into *out and the number of lines
 * into *out_count. Returns false when the text has fewer than lines[0]. */
bool engine_lines(struct loom_str text, const int64_t lines[2], struct loom_str *out,
		  int64_t *out_count);

/* --- continue (continue/) --- */

/* Adds up in *out what the models have used for a generation. */
void engine_continue_usage(const struct engine_generation *now,
			   const struct loom_generated *choices, struct loom_usage *out);
/* Ends a level of a generation: makes nodes of what arrived. `choices` NULL: no model was asked,
 * see `why`. When *deeper is set, the next level is prepared; otherwise run->out says what was
 * made. On failure, run->partial says whether something stays. */
enum loom_status engine_continue_end(struct engine_run *run, const struct loom_generated *choices,
				     const struct loom_err *why, bool *deeper,
				     struct loom_err *err);
/* Resets the state of the generation. Reserved ids stay unused. */
void engine_continue_forget(struct loom_engine *engine);
/* Assembles a subject's context into a request, in the arena (subject_prompt.c). Fails as the
 * assembly does. */
enum loom_status engine_prompt(struct loom_store *store, const struct loom_subject_opts *opts,
			       struct loom_arena *arena, struct loom_generate_request *out,
			       struct loom_err *err);

#endif
