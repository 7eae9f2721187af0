/* A pasted transcript: its turns as nodes to be made, its calls as a proposal. Reading changes
 * nothing. Nodes are made only on a person's word for exactly this text, in one operation.
 *
 * Calls are looked for only in what a model said, or in a text without turns. They act as one
 * agent, and only when the list's hash is named. */
#ifndef LOOM_PASTE_H
#define LOOM_PASTE_H

#include <loom/actor/act.h>
#include <loom/language/pasted_turns.h>

struct loom_paste_node {
	int64_t line;           /* of its header, from 1 */
	bool human;             /* said by the person */
	int64_t author;         /* 0: an agent of this name is to be made */
	struct loom_str name;   /* of the author */
	struct loom_str header; /* the speaker as the transcript names it; may be empty */
	struct loom_str when;   /* the time as the transcript gives it; may be empty */
	struct loom_str text;
	int64_t known; /* the node in the tree that already has this text; 0: to be made */
};

struct loom_paste {
	struct loom_turns turns;
	struct loom_paste_node *nodes; /* each below the one before, the first below `at` */
	size_t count;
	size_t fresh; /* how many of them are to be made */
	/* Turns that do not become nodes: frames, system, tools, text around turns. */
	size_t left_out;
	struct loom_act *acts; /* the calls, and the lines that are not calls */
	size_t act_count;
	struct loom_proposal proposal; /* the calls with what they would act on */
	struct loom_hash hash;         /* of all of it */
	int64_t tree;
	int64_t at;
	int64_t agent; /* who would act */
	/* private */
	struct loom_turn **scanned;
	size_t scanned_count;
	struct loom_str text;
};

struct loom_paste_opts {
	int64_t person; /* who pastes: the author of what people said */
	/* Acts, and wrote what models said; 0: the only loom-aware agent, else the person acts and
	 * models keep their names. */
	int64_t agent;
	int64_t tree;
	int64_t at; /* the node to paste below */
};

/* Reads a transcript; `text` must outlive the paste. *out is in the arena; call loom_paste_destroy
 * for the rest. Fails with LOOM_INVALID when the text is not UTF-8. */
enum loom_status loom_paste_read(struct loom_store *store, const struct loom_paste_opts *opts,
				 struct loom_str text, struct loom_arena *arena,
				 struct loom_paste **out, struct loom_err *err) LOOM_MUST;
/* Frees the scanned turns; the rest belongs to the arena. NULL is allowed. */
void loom_paste_destroy(struct loom_paste *paste);
/* Appends the hash as it is displayed. */
void loom_paste_name(const struct loom_paste *paste, struct loom_buf *out);

/* A person's word. `hash`, of at least its first eight digits, must be this paste's. */
struct loom_paste_word {
	int64_t person; /* LOOM_PERMISSION for an agent */
	struct loom_str hash;
};
/* Makes the nodes and records who approved what, as one operation of the person, which it opens and
 * ends itself. An actor with `approved` then does the calls, standing at *out_node and joining
 * *out_op. Fails whole, and then *out_op is 0: LOOM_PERMISSION when an agent approves,
 * LOOM_CONFLICT when the hash is another or was approved before. */
enum loom_status loom_paste_make(struct loom_store *store, const struct loom_paste *paste,
				 const struct loom_paste_word *word, int64_t *out_op,
				 int64_t *out_node, struct loom_err *err) LOOM_MUST;

#endif
