/* Inside the actor: what it asks a classifier, what it asks a person, how what grows is kept. */
#ifndef LOOM_ACTOR_ASKING_H
#define LOOM_ACTOR_ASKING_H

#include <loom/actor/act.h>
#include <loom/work/approval.h>

/* Whether a classifier may be asked about the line: not understood, and nothing in it that turns
 * its meaning. */
bool actor_may_classify(const struct loom_refusal *refusal);
/* What it is asked: the table of commands and the line. Lives in the arena. */
void actor_classify_request(struct loom_arena *arena, const struct loom_refusal *refusal,
			    struct loom_generate_request *out);
/* Reads its answer; it counts only if it parses and everything in it stands in the line. */
bool actor_classify_read(struct loom_arena *arena, const struct loom_refusal *refusal,
			 struct loom_str answer, struct loom_call *out);

/* --- leave (leave.c); in the worker's thread --- */

/* What a person said, or was asked, about the acts under way. */
struct actor_leave {
	size_t acts;
	bool *wants;                   /* one an act: a person wants to be asked about it */
	enum loom_leave *given;        /* one an act */
	struct loom_proposal proposal; /* id 0: nothing had to be asked */
	bool waiting;
	bool give_up; /* nobody waits for the answer any more */
};
struct actor_leave_of {
	const struct loom_act *acts;
	size_t count;
	const struct loom_session *asker; /* who would wait; NULL: nobody */
	bool moved;                       /* where the first of them will stand is not known yet */
};
/* The acts that `wants` marks (NULL: every call) as a proposal that is no row yet: what they would
 * act on is looked up. */
void actor_propose(struct loom_engine *engine, const struct actor_leave_of *of, const bool *wants,
		   struct loom_arena *arena, struct loom_proposal *out);
/* Whether what was listed would be listed the same now. */
bool actor_proposal_same(const struct loom_proposal *listed, const struct loom_proposal *now);
/* Makes a proposal of those acts that need leave, if any. */
enum loom_status actor_leave_ask(struct actor_leave *leave, struct loom_engine *engine,
				 const struct actor_leave_of *of, struct loom_arena *arena,
				 struct loom_err *err) LOOM_MUST;
/* Looks whether there is an answer, and takes it; with give_up the proposal becomes void. */
enum loom_status actor_leave_look(struct actor_leave *leave, struct loom_engine *engine,
				  struct loom_err *err) LOOM_MUST;

/* --- what grows (flush.c); in the loop's thread --- */

/* A generation under way: what its choices have said and is not written down yet. Zeroed: none. */
struct actor_growing {
	struct actor_growing *next; /* of the same worker */
	struct actor_flusher *flusher;
	struct loom_engine *engine;
	struct loom_buf *fresh; /* one a choice */
	size_t count;
};
/* From now on it is written down with all others of the worker, in one commit a second. */
void actor_growing_begin(struct actor_growing *growing, struct loom_worker *worker,
			 struct loom_engine *engine, size_t count);
void actor_growing_say(struct actor_growing *growing, size_t choice, struct loom_str text);
/* Forgets what is not written down: its end brings it. One that never began is fine. */
void actor_growing_end(struct actor_growing *growing);

#endif
