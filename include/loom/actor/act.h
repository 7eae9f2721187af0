/* An agent's acts, driven from a loop: an engine on the worker does the calls in order, and models
 * are asked in between. Nobody waits: results arrive when they are durable, streams as they grow.
 *
 * An actor lives in the loop's thread and may act again and again: its engine, and with it what the
 * thread has read, lasts between turns. It does one list of acts at a time. */
#ifndef LOOM_ACT_H
#define LOOM_ACT_H

#include <loom/work/approval.h>
#include <loom/engine/engine.h>
#include <loom/loop/loop.h>
#include <loom/loop/worker.h>

struct loom_actor;
struct loom_request;
struct loom_turn;

/* One line of a turn: a call, or (call NULL) a line that is not a call. */
struct loom_act {
	const struct loom_call *call;
	const struct loom_refusal *refusal;
};
/* Puts the lines of a turn into *out in their order, starting at call number `from_call` and
 * refusal number `from_error`. The list is in the arena; it borrows from the turn. */
void loom_acts_of(const struct loom_turn *turn, size_t from_call, size_t from_error,
		  struct loom_arena *arena, struct loom_act **out, size_t *out_count);

/* Parses the calls of a proposal into acts of one batch, in the arena. Fails with LOOM_INVALID when
 * one of them is not a call. */
enum loom_status loom_acts_proposed(const struct loom_proposal *proposal, struct loom_arena *arena,
				    struct loom_act **out, struct loom_err *err) LOOM_MUST;
/* Sets *out to whether the proposal would be made the same now: looks up again what each call would
 * act on. Runs in the thread of the store. Fails as the store does. */
enum loom_status loom_acts_fit(struct loom_store *store, const struct loom_proposal *proposal,
			       const struct loom_act *acts, struct loom_arena *arena, bool *out,
			       struct loom_err *err) LOOM_MUST;

/* Stores acts as a proposal that nobody waits for, in an engine's place and for its guest; *out is
 * in the arena. Runs in the thread of opts->store. Fails as the store does. */
enum loom_status loom_acts_wait(const struct loom_engine_opts *opts, const struct loom_act *acts,
				size_t count, struct loom_arena *arena, struct loom_proposal *out,
				struct loom_err *err) LOOM_MUST;

/* The callbacks of an actor. All run in the loop's thread. */
struct loom_actor_sink {
	/* One line is done and durable, or will never be done because an earlier one was stopped or
	 * met trouble with the store. The result's texts live until this returns. */
	void (*result)(void *ctx, const struct loom_act *act, const struct loom_result *result);
	/* The turn waits for a person's leave (loom_proposal_decide). The proposal's texts live
	 * until done. May be NULL. */
	void (*waits)(void *ctx, const struct loom_proposal *proposal);
	/* A model begins to write `count` nodes, which will have these ids. May be NULL. */
	void (*begin)(void *ctx, const struct loom_act *act, const char *const *ids, size_t count);
	/* The model has written more of one of them. May be NULL. */
	void (*chunk)(void *ctx, size_t choice, struct loom_str text);
	/* What a person should know while the model is asked: it is waited for, or was asked in
	 * another way. May be NULL. */
	void (*note)(void *ctx, struct loom_str text);
	/* The model has thought more before it writes one of them; no part of the node. May be
	 * NULL. */
	void (*thinks)(void *ctx, size_t choice, struct loom_str text);
	/* The acts have ended. LOOM_CANCELLED: not all were done. Any other error: the actor could
	 * not begin or the store is in trouble, and err says why. The callback may act again, or
	 * destroy the actor. */
	void (*done)(void *ctx, enum loom_status status, const struct loom_err *err);
	/* The destroyed actor has been freed: nothing that its options or acts borrowed is used any
	 * more. May be NULL. */
	void (*gone)(void *ctx);
	void *ctx;
};

struct loom_actor_opts {
	struct loom_engine_opts engine;         /* without the store, which is the worker's */
	struct loom_loop *loop;                 /* borrowed */
	struct loom_worker *worker;             /* borrowed; its context is a struct loom_store * */
	const struct loom_generator *generator; /* borrowed; NULL: no model can be asked */
	bool classify;                          /* put lines that did not parse to the classifier */
	bool waits;    /* engine.session stays to hear the answer when leave must be asked */
	bool approved; /* a person has approved exactly these calls */
	/* The request they are done for; borrowed; NULL: it has no id. */
	struct loom_request *request;
	/* The store reports there what it does besides; borrowed; NULL: nowhere. Nobody cancels it:
	 * loom_actor_cancel does that. */
	struct loom_task *aside;
	struct loom_actor_sink sink;
};

/* Creates an actor and copies the options; nothing happens before the first acts are given. Free it
 * with loom_actor_destroy. */
struct loom_actor *loom_actor_create(const struct loom_actor_opts *opts) LOOM_MUST;
/* Closes the engine on the worker, after the work under way. The sink hears only `gone` after this;
 * until then everything borrowed must stay: options, and acts that are not done. NULL is
 * allowed. */
void loom_actor_destroy(struct loom_actor *actor);

/* Makes the next acts those of a new turn, whose row in the log is `seq` (-1: none). */
void loom_actor_turn(struct loom_actor *actor, int64_t seq);
/* Makes the next acts begin at this node. Copies the id. */
void loom_actor_stand(struct loom_actor *actor, struct loom_str node);
/* Does the acts in order. They, and what they point to, must live until done or gone. Must not be
 * called while the actor is busy. */
void loom_actor_act(struct loom_actor *actor, const struct loom_act *acts, size_t count);
/* From now on nobody waits for a person's leave: what needs it is left to be approved later. Must
 * not be called while the actor is busy. */
void loom_actor_alone(struct loom_actor *actor);
/* Returns whether acts are being done. */
bool loom_actor_busy(const struct loom_actor *actor);
/* Stops one choice of the generation under way. LOOM_CHOICES_ALL stops all of it, and the remaining
 * acts are not done. What has arrived is kept. */
void loom_actor_cancel(struct loom_actor *actor, size_t choice);
/* Ends the turn's leases as soon as nothing is being done. */
void loom_actor_yield(struct loom_actor *actor);

#endif
