/* Inside the actor: asking models, asking a classifier, asking a person, keeping what grows. */
#ifndef LOOM_ACTOR_ASKING_H
#define LOOM_ACTOR_ASKING_H

#include <loom/actor/act.h>
#include <loom/work/approval.h>

/* --- requests (ask_voices.c); in the loop's thread --- */

struct actor_request;
/* Requests that are answered together. Everywhere but in a request itself, a choice is its slot
 * among those of all of them. */
struct actor_requests {
	const struct loom_generator *generator;
	struct loom_arena *arena;
	/* What is told of all of them, by slot; `done` when the last has ended. `end` is not
	 * called: see `choices`. */
	struct loom_generate_sink sink;
	struct actor_request *items;
	size_t count;
	size_t most;
	size_t running;
	struct loom_generated *choices; /* one per slot, filled as they end */
};
/* Makes room for `count` requests with `choices` choices together. The fields above `items` are
 * set; none may be running. */
void actor_requests_expect(struct actor_requests *requests, size_t count, size_t choices);
/* Sends one; `slots` has one for each of its choices and is borrowed. A voice that cannot be asked
 * fails, its choices have failed with the same reason, and the others are left to write. */
enum loom_status actor_requests_start(struct actor_requests *requests,
				      const struct loom_generate_request *request,
				      const size_t *slots, struct loom_err *err) LOOM_MUST;
/* Ends one choice, or LOOM_CHOICES_ALL. */
void actor_requests_cancel(struct actor_requests *requests, size_t slot);

/* --- the classifier (classify.c) --- */

/* Returns whether a classifier may be asked about a line: it was not understood and contains no
 * word that turns or joins meanings. */
bool actor_may_classify(const struct loom_refusal *refusal);
/* Fills *out with the request to the classifier: the table of commands and the line. Lives in the
 * arena. */
void actor_classify_request(struct loom_arena *arena, const struct loom_refusal *refusal,
			    struct loom_generate_request *out);
/* Reads the classifier's answer into *out, in the arena. Returns false unless it parses and
 * everything in it occurs in the line. */
bool actor_classify_read(struct loom_arena *arena, const struct loom_refusal *refusal,
			 struct loom_str answer, struct loom_call *out);

/* --- leave (leave.c); in the worker's thread --- */

/* The question put to a person about the acts under way, and the answer. */
struct actor_leave {
	size_t acts;
	bool *wants;                   /* one per act: a person wants to be asked about it */
	enum loom_leave *given;        /* one per act */
	struct loom_proposal proposal; /* id 0: nothing had to be asked */
	bool waiting;
	bool give_up; /* stop waiting for the answer */
};
struct actor_leave_of {
	const struct loom_act *acts;
	size_t count;
	const struct loom_session *asker; /* the session that would wait; NULL: none */
	bool moved;                       /* where the first of them will stand is not yet known */
};
/* Builds a proposal of the acts that `wants` marks (NULL: of every call), with what each would act
 * on. Stores nothing; *out is in the arena. */
void actor_propose(struct loom_engine *engine, const struct actor_leave_of *of, const bool *wants,
		   struct loom_arena *arena, struct loom_proposal *out);
/* Returns whether two proposals list the same calls with the same targets. */
bool actor_proposal_same(const struct loom_proposal *listed, const struct loom_proposal *now);
/* Stores a proposal of the acts that need leave and notes it in *leave; does nothing when none
 * does. Fails as the store does. */
enum loom_status actor_leave_ask(struct actor_leave *leave, struct loom_engine *engine,
				 const struct actor_leave_of *of, struct loom_arena *arena,
				 struct loom_err *err) LOOM_MUST;
/* Looks for an answer to the proposal and notes it in *leave. With give_up set, withdraws the
 * proposal instead. Fails as the store does. */
enum loom_status actor_leave_look(struct actor_leave *leave, struct loom_engine *engine,
				  struct loom_err *err) LOOM_MUST;

/* --- what grows (flush.c); in the loop's thread --- */

/* Text that a generation's choices have said and the store does not have yet. Zeroed: no
 * generation. */
struct actor_growing {
	struct actor_growing *next; /* of the same worker */
	struct actor_flusher *flusher;
	struct loom_engine *engine;
	struct loom_buf *fresh; /* one per choice */
	size_t count;
};
/* Starts keeping a generation: it is written with all others of the worker, in one commit a
 * second. */
void actor_growing_begin(struct actor_growing *growing, struct loom_worker *worker,
			 struct loom_engine *engine, size_t count);
/* Adds text of one choice, to be written with the next commit. Copies it. */
void actor_growing_say(struct actor_growing *growing, size_t choice, struct loom_str text);
/* Stops keeping a generation and drops what is not yet written, which its end will bring. May be
 * called on one that never began. */
void actor_growing_end(struct actor_growing *growing);

/* Returns whether nothing came of any of the choices because no prompt did fit. */
bool actor_requests_overflowed(const struct actor_requests *requests, size_t choices);

#endif
