/* Shared by the files of context assembly. */
#ifndef MODEL_CONTEXT_IMPL_H
#define MODEL_CONTEXT_IMPL_H

#include <loom/text/quoting.h>
#include <loom/context/context.h>
#include <loom/work/memory.h>
#include <loom/tree/say_node.h>

/* Reserves room for `count` pieces and their nodes, before the first is added. */
void model_assembly_expect(struct loom_assembly *out, struct loom_arena *arena, size_t count);
/* Appends a piece, unless its text is empty, and estimates its tokens. `text` is borrowed. */
void model_piece_add(struct loom_assembly *out, struct loom_arena *arena, enum loom_part part,
		     enum loom_role role, struct loom_str text);
/* Appends a message, unless it is empty, and estimates its tokens. Its texts are borrowed. */
void model_message_add(struct loom_assembly *out, struct loom_arena *arena, enum loom_part part,
		       const struct loom_prompt_message *said);
void model_whose_add(struct loom_assembly *out, struct loom_arena *arena, struct loom_whose whose);
/* Records what was left out and why; `why` must be static. */
void model_left_out(struct loom_assembly *out, struct loom_arena *arena, struct loom_str what,
		    const char *why, int64_t tokens);
/* Gives a node's label, "[a7x2]", in the arena of `show`. */
enum loom_status model_label(struct loom_show *show, const struct loom_node *node,
			     struct loom_str *out, struct loom_err *err);
/* Returns the role under which a model other than the author sees the node. */
enum loom_role model_role_of(const struct loom_show *show, const struct loom_node *node);
/* Returns why a node of a path is left out, "pruned" or "excluded"; NULL: it is in. `hidden`: a
 * pruned node above hides it. */
const char *model_node_out(const struct loom_node *node, bool hidden);
/* Joins the non-empty prompts with blank lines; in the arena. */
struct loom_str model_join_prompts(const struct loom_str *prompts, size_t count,
				   struct loom_arena *arena);

/* --- memory (memory_part.c) --- */

/* An action, from its row in the log. */
struct model_action {
	struct loom_str call; /* "→ view a7x2" */
	struct loom_str code; /* the error's code, empty: done */
	struct loom_str result;
};
struct model_memory {
	struct loom_pin *pins;
	size_t pin_count;
	struct loom_stash *stashes;
	size_t stash_count;
	struct model_action *actions; /* oldest first */
	size_t action_count;
	/* Computed while writing: the part that must not be dropped. */
	int64_t kept_tokens;
	struct loom_str largest;
	int64_t largest_tokens;
};
#define MODEL_ACTIONS      10
#define MODEL_ACTIONS_LESS 5

/* Reads a thread's pins and stashes (thread 0: nothing). */
enum loom_status model_memory_read(struct loom_store *store, int64_t thread,
				   struct loom_arena *arena, struct model_memory *out,
				   struct loom_err *err);
/* Reads the last actions in after < seq <= at. */
enum loom_status model_actions_read(struct loom_store *store, int64_t thread, int64_t after,
				    int64_t at, struct loom_arena *arena, struct model_memory *out,
				    struct loom_err *err);
/* Appends "viewed a7x2, b3k9 · annotated b3k9" with a line feed; nothing if there are none. */
void model_actions_put(const struct model_memory *memory, struct loom_buf *out);
/* Writes the memory block, or nothing if it is empty. Nodes of `path` are not repeated in full; at
 * most `actions` actions. What can no longer be shown is left out by name. */
enum loom_status model_memory_write(struct loom_show *show, struct model_memory *memory,
				    const struct loom_nodes *path, size_t actions,
				    struct loom_assembly *assembly, struct loom_str *out,
				    struct loom_err *err);

/* --- the block about the loom (addendum.c) --- */

struct model_loom {
	const struct loom_tree *tree;
	const struct loom_nodes *path;
	const struct loom_aware_opts *opts;
	unsigned may;
	struct loom_str lines; /* what changed and was done since, each with its line feed */
};
/* Writes the block about the tree: position, who is here, permissions. */
enum loom_status model_surroundings_write(struct loom_show *show, const struct model_loom *loom,
					  struct loom_str *out, struct loom_err *err);

/* --- pruning (prune.c) --- */

/* A message on its way into the context. */
enum model_unit_state { MODEL_UNIT_WHOLE, MODEL_UNIT_SHORT, MODEL_UNIT_OUT };
struct model_unit {
	enum loom_part part;
	enum model_unit_state state;
	struct loom_prompt_message said; /* in full */
	bool result;                     /* a call's result */
	bool block;                      /* begins with the thread's block */
	size_t block_length;             /* of it */
	bool given;                      /* a document that was handed over */
	bool fixed;            /* never dropped: the turn itself, a block that it relies on */
	bool newest;           /* a result nobody has reacted to yet: never dropped entirely */
	struct loom_str label; /* "[a7x2]", "res-4", "message 12" */
	size_t head;           /* of a node: length of its header */
	struct loom_str own;   /* of a result: what the program itself suggests to call */
	struct loom_str brief; /* of a newest result: its call; of others, if needed: a summary */
	const struct loom_node *of; /* the node it comes from, NULL: none */
	bool bare;                  /* has no summary */
	bool pinned;                /* stays whole: its text is not in the memory block */
	int64_t stands_for;         /* how many messages it sums up; 0: none, it is one */
};
struct model_prune {
	struct loom_arena *arena;
	struct model_unit *units;
	size_t count;
	size_t cap;
	struct loom_str system;
	struct loom_str memory;       /* with the last ten actions */
	struct loom_str memory_short; /* with the last five */
	size_t actions_cut;           /* how many actions that leaves out */
	struct loom_str loom;
	bool trace_cut;
	int64_t budget;
	/* results */
	struct loom_str notice;
};
/* Shortens and drops in steps until everything fits, or nothing droppable is left. */
void model_prune(struct model_prune *prune);
/* Marks the results that follow everything the agent has said in the current turn. */
void model_prune_newest(struct model_prune *prune);
/* Lists what was shortened or left out. */
void model_prune_say(const struct model_prune *prune, struct loom_assembly *out);
/* Returns the present cost. */
int64_t model_prune_cost(const struct model_prune *prune);
/* Between a node's header and its text. */
#define MODEL_RULE "\n" LOOM_RULE "\n"
/* Returns a unit's present text; empty if it was dropped. */
struct loom_str model_unit_text(const struct model_unit *unit, struct loom_arena *arena);
/* Returns a unit's message with its present text. */
struct loom_prompt_message model_unit_said(const struct model_unit *unit, struct loom_arena *arena);

/* --- calls of tools and their results (calls.c) --- */

/* Copies the context with each result right behind the message that calls for it, as providers
 * demand: a call that was never answered says so, and a result that answers none is left out by
 * name. */
void model_settle_calls(const struct loom_context *context, struct loom_assembly *assembly,
			struct loom_arena *arena, struct loom_context *out);

/* Notes which of the texts that are in somebody else wrote (given.c). */
void model_given_note(const struct model_prune *prune, struct loom_assembly *out);

/* --- headers as a thread first showed them (heads.c) --- */

struct model_head {
	int64_t node;
	struct loom_str text;
	int64_t at_ms; /* when it was shown */
	bool logged;   /* it is in the log */
};
/* Returns the header stored for a node, NULL: none. */
const struct model_head *model_heads_find(const struct loom_heads *heads, int64_t node);
/* Makes room for so many more at once. */
void model_heads_expect(struct loom_heads *heads, size_t count);
/* Stores a node's first header. */
void model_heads_keep(struct loom_heads *heads, int64_t node, struct loom_str text);
/* Stores a header from the log, unless the node has one; it is in the log from now on. */
void model_heads_log(struct loom_heads *heads, int64_t node, struct loom_str text, int64_t at_ms);
/* Returns the line about what changed that this run was told first; p NULL: none yet. */
struct loom_str model_heads_since(const struct loom_heads *heads);
/* Stores that line: it stays the same through the run. */
void model_heads_keep_since(struct loom_heads *heads, struct loom_str line);
/* Appends "2 continuations · 1 annotation · bookmarked · 1 link" on a line of its own; nothing if
 * it has none. */
void model_ties_add(const struct loom_node *node, int64_t children, const struct loom_ties *ties,
		    struct loom_buf *out);
/* Writes the headers that are not in the log, and returns how many those are. */
size_t model_heads_new(const struct loom_heads *heads, struct loom_json *json);

/* --- what stays as it was shown (shown.c) --- */

/* The memory block as the thread last showed it. */
struct model_shown {
	struct loom_str memory; /* a hash of its pins, recalled texts and stashes; empty: never */
	int64_t trace;          /* the last row that its trace may name */
	int64_t last;           /* the newest row with something shown; LOOM_SEQ_NONE: none */
};
/* Reads what was shown after a row, and the headers into `heads`. */
enum loom_status model_shown_read(const struct loom_log *log, int64_t after, int64_t at,
				  struct loom_heads *heads, struct loom_arena *arena,
				  struct model_shown *out, struct loom_err *err);
/* Returns what a row is to keep of what is shown now, an object; empty if that is all in the log.
 */
struct loom_str model_shown_row(const struct loom_heads *heads, const struct model_shown *before,
				const struct model_shown *now, struct loom_arena *arena);

/* Changes to nodes since their headers were shown. */
struct model_since {
	int64_t shown_at; /* the oldest header; LOOM_TIME_NONE: none is old */
	size_t count;
	struct loom_buf text;
};
#define MODEL_SINCE_MS 60000 /* younger headers are as good as new */
/* Adds a node by the header it was shown with and the present one. */
void model_since_add(struct model_since *since, const struct model_head *was, struct loom_str is);
/* Returns the line about all of them, in the arena; empty if nothing changed. Frees the text. */
struct loom_str model_since_line(struct model_since *since, int64_t now, struct loom_arena *arena);

/* Reads into *out what the turn that begins in row `turn_seq` was told of its files. */
enum loom_status model_news_read(const struct loom_log *log, int64_t turn_seq, int64_t at,
				 struct loom_arena *arena, struct loom_str *out,
				 struct loom_err *err);

/* --- the pieces that a stored input lists (input_list.c) --- */

struct model_input_list {
	int64_t seq; /* its row; LOOM_SEQ_NONE: the log has none */
	int64_t budget;
	struct loom_hash *hashes; /* of the pieces, in order */
	size_t count;
	size_t rows;  /* how many rows were read for it */
	bool damaged; /* the list is not complete */
};
/* Reads the list of the newest model_input row <= at; in the arena. Fails as the log does. */
enum loom_status model_input_list_read(const struct loom_log *log, int64_t at,
				       struct loom_arena *arena, struct model_input_list *out,
				       struct loom_err *err) LOOM_MUST;
/* Writes the members of a row's payload that stand for these hashes, for a row that is appended
 * next. Fails as the log does. */
enum loom_status model_input_list_write(const struct loom_log *log, const struct loom_hash *hashes,
					size_t count, struct loom_json *json,
					struct loom_err *err) LOOM_MUST;

/* --- mentions of results (refer.c) --- */

struct model_refer {
	int64_t number; /* res-N */
	int64_t seq;    /* the row that mentions it */
};
struct model_refers {
	struct model_refer *items;
	size_t count;
	size_t cap;
};
/* Where to look for mentions: the lane's messages, and the calls of the turn that begins in row
 * `turn_seq` (LOOM_SEQ_HEAD: none, only `input`) and of the one before it. */
struct model_listen {
	struct loom_str lane;
	struct loom_str input; /* may be empty */
	int64_t turn_seq;
	int64_t at; /* the last row to read */
};
/* Finds every res-N mentioned there; in the arena. */
enum loom_status model_refers_find(const struct loom_log *log, const struct model_listen *what,
				   struct loom_arena *arena, struct model_refers *out,
				   struct loom_err *err);
/* Returns whether a row is of this request (empty: of any), or names none: beside a turn somebody
 * else can act in the same thread. */
bool model_row_is_of(const struct loom_log_row *row, struct loom_str request);
/* Returns whether the result in row `seq` is mentioned after it. */
bool model_refers_to(const struct model_refers *refers, int64_t number, int64_t seq);

#endif
