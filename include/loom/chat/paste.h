/* A pasted transcript: the turns in it as nodes to be made, the calls in it as a proposal. Reading
 * changes nothing; what is made is made on a person's word for exactly this text, in one operation.
 *
 * Only what a model said is looked through for calls, or a text without turns; they act as one
 * agent, and only when the list's hash is named. */
#ifndef LOOM_PASTE_H
#define LOOM_PASTE_H

#include <loom/actor/act.h>
#include <loom/language/pasted_turns.h>

struct loom_paste_node {
	int64_t line;           /* of its header, from 1 */
	bool human;             /* the person said it */
	int64_t author;         /* 0: an agent of this name is to be made */
	struct loom_str name;   /* of the author */
	struct loom_str header; /* as the transcript names who speaks; may be empty */
	struct loom_str when;   /* as it says when; may be empty */
	struct loom_str text;
	int64_t known; /* the node that stands in the tree already, with this text; 0: to be made */
};

struct loom_paste {
	struct loom_turns turns;
	struct loom_paste_node *nodes; /* each below the one before, the first below `at` */
	size_t count;
	size_t fresh;    /* of them, to be made */
	size_t left_out; /* turns that become nothing: frames, system, tools, text around turns */
	struct loom_act *acts; /* the calls, and the lines that are none */
	size_t act_count;
	struct loom_proposal proposal; /* the calls with what they would act on */
	struct loom_hash hash;         /* of all of it */
	int64_t tree;
	int64_t at;
	int64_t agent; /* who would act */
	/* the rest is its own */
	struct loom_turn **scanned;
	size_t scanned_count;
	struct loom_str text;
};

struct loom_paste_opts {
	int64_t person; /* who pastes: the author of what people said */
	int64_t agent;  /* whose calls, and what models said; 0: the only loom-aware one, else the
			 * person acts and models are known by their names */
	int64_t tree;
	int64_t at; /* the node below which it goes */
};

/* Reads a text; it must outlive the paste. *out lives in the arena, and what it scanned until
 * loom_paste_destroy. */
enum loom_status loom_paste_read(struct loom_store *store, const struct loom_paste_opts *opts,
				 struct loom_str text, struct loom_arena *arena,
				 struct loom_paste **out, struct loom_err *err) LOOM_MUST;
/* Frees what it scanned; the rest is the arena's. NULL is fine. */
void loom_paste_destroy(struct loom_paste *paste);
/* Appends the hash as it is shown. */
void loom_paste_name(const struct loom_paste *paste, struct loom_buf *out);

/* The person's word: `hash` (or its first eight digits and more) must be this paste's, else
 * LOOM_CONFLICT says why. Makes the nodes, keeps who approved what, as one operation of the person.
 * The calls are then done by an actor with `approved`, standing at *out_node, joining *out_op. */
struct loom_paste_word {
	int64_t person; /* LOOM_PERMISSION for an agent */
	struct loom_str hash;
};
/* Opens and ends the operation itself; fails whole, and then *out_op is 0. */
enum loom_status loom_paste_make(struct loom_store *store, const struct loom_paste *paste,
				 const struct loom_paste_word *word, int64_t *out_op,
				 int64_t *out_node, struct loom_err *err) LOOM_MUST;

#endif
