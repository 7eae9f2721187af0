/* Inside context assembly: what its files share. */
#ifndef MODEL_CONTEXT_IMPL_H
#define MODEL_CONTEXT_IMPL_H

#include <loom/text/quoting.h>
#include <loom/context/context.h>
#include <loom/work/memory.h>
#include <loom/tree/say_node.h>

/* Room for so many pieces and whose they are, before the first. */
void model_assembly_expect(struct loom_assembly *out, struct loom_arena *arena, size_t count);
/* One more piece at the end, unless the text is empty; its tokens are estimated here. `text`
 * is borrowed. */
void model_piece_add(struct loom_assembly *out, struct loom_arena *arena, enum loom_part part,
		     enum loom_role role, struct loom_str text);
void model_whose_add(struct loom_assembly *out, struct loom_arena *arena, struct loom_whose whose);
/* What is not in it, and why; `why` lives for ever. */
void model_left_out(struct loom_assembly *out, struct loom_arena *arena, struct loom_str what,
		    const char *why, int64_t tokens);
/* "[a7x2]", in the arena of `show`. */
enum loom_status model_label(struct loom_show *show, const struct loom_node *node,
			     struct loom_str *out, struct loom_err *err);
/* Whose text it is, for a model that is not the author. */
enum loom_role model_role_of(const struct loom_show *show, const struct loom_node *node);
/* Why a node of a path is in no context: "pruned", "excluded"; NULL: it is in. `hidden`: a mark
 * above it hides it. */
const char *model_node_out(const struct loom_node *node, bool hidden);
/* The prompts that are not empty, with a blank line between. */
struct loom_str model_join_prompts(const struct loom_str *prompts, size_t count,
				   struct loom_arena *arena);

/* --- memory (memory_part.c) --- */

/* What was done, as its row says it. */
struct model_action {
	struct loom_str call; /* "→ view a7x2" */
	struct loom_str code; /* of an error, empty: done */
	struct loom_str result;
};
struct model_memory {
	struct loom_pin *pins;
	size_t pin_count;
	struct loom_stash *stashes;
	size_t stash_count;
	struct model_action *actions; /* oldest first */
	size_t action_count;
	/* Found while it was written: what of it must not be dropped. */
	int64_t kept_tokens;
	struct loom_str largest;
	int64_t largest_tokens;
};
#define MODEL_ACTIONS      10
#define MODEL_ACTIONS_LESS 5

/* Reads pins, stashes and the last actions of a thread (0: nothing). */
enum loom_status model_memory_read(struct loom_store *store, int64_t thread, int64_t at,
				   struct loom_arena *arena, struct model_memory *out,
				   struct loom_err *err);
/* Writes the block, or nothing when there is nothing to say. `path`: whose nodes need not be told
 * in full; at most `actions` actions. What cannot be shown any more is left out by name. */
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
};
/* The block about the tree: where it stands, who is here, what it may do. */
enum loom_status model_loom_write(struct loom_show *show, const struct model_loom *loom,
				  struct loom_str *out, struct loom_err *err);

/* --- pruning (prune.c) --- */

/* One message on its way into the context. */
enum model_unit_state { MODEL_UNIT_WHOLE, MODEL_UNIT_SHORT, MODEL_UNIT_OUT };
struct model_unit {
	enum loom_part part;
	enum loom_role role;
	enum model_unit_state state;
	bool result;           /* what a call answered */
	bool fixed;            /* the turn itself: never dropped */
	bool newest;           /* a result that nothing was said to yet: never dropped whole */
	struct loom_str label; /* "[a7x2]", "res-4", "message 12" */
	struct loom_str text;  /* whole */
	size_t head;           /* of a node: how much of it stands above what the node says */
	struct loom_str
		brief; /* of a newest result: its call; of a node: its summary, if need be */
	const struct loom_node *of; /* whose text it is, NULL: none's */
	bool bare;                  /* it has no summary */
};
struct model_prune {
	struct loom_arena *arena;
	struct model_unit *units;
	size_t count;
	size_t cap;
	struct loom_str system;
	struct loom_str memory;       /* with the last ten actions */
	struct loom_str memory_short; /* with the last five */
	size_t actions_cut;           /* how many that leaves out */
	struct loom_str loom;
	bool trace_cut;
	int64_t budget;
	/* found */
	struct loom_str notice;
};
/* Shortens and drops in steps until all fits, or nothing is left that may go. */
void model_prune(struct model_prune *prune);
/* What it costs as it stands. */
int64_t model_prune_cost(const struct model_prune *prune);
/* Between a node's head and what it says. */
#define MODEL_RULE "\n" LOOM_RULE "\n"
/* A unit's text as it stands; empty when it is out. */
struct loom_str model_unit_text(const struct model_unit *unit, struct loom_arena *arena);

/* --- what a run has shown (heads.c) --- */

/* The header kept for a node; p NULL: none (and for no heads at all). */
struct loom_str model_heads_find(const struct loom_heads *heads, int64_t node);
/* Keeps the first one. heads NULL: nothing. */
void model_heads_keep(struct loom_heads *heads, int64_t node, struct loom_str text);

/* --- what turns speak of (refer.c) --- */

struct model_refer {
	int64_t number; /* res-N */
	int64_t seq;    /* the row that names it */
};
struct model_refers {
	struct model_refer *items;
	size_t count;
	size_t cap;
};
/* Where it is listened for: the lane's messages and the calls of the turn that begins in row
 * `turn_seq` (LOOM_SEQ_HEAD: none is under way, only `input` is said) and of the one before it. */
struct model_listen {
	struct loom_str lane;
	struct loom_str input; /* may be empty */
	int64_t turn_seq;
	int64_t at; /* the last row that is read */
};
/* Every res-N that is named there. */
enum loom_status model_refers_find(const struct loom_log *log, const struct model_listen *what,
				   struct loom_arena *arena, struct model_refers *out,
				   struct loom_err *err);
/* Whether the result in row `seq` is named behind it. */
bool model_refers_to(const struct model_refers *refers, int64_t number, int64_t seq);

#endif
