/* An agent's acts, driven from a loop: calls in order, done by an engine on the worker, models
 * asked in between. Nobody waits: results come as they are durable, streams as they grow.
 *
 * An actor lives in the loop's thread and may act again and again: its engine, and with it what the
 * thread has read, stays between turns. One thing at a time. */
#ifndef LOOM_ACT_H
#define LOOM_ACT_H

#include <loom/work/approval.h>
#include <loom/engine/engine.h>
#include <loom/loop/loop.h>
#include <loom/loop/worker.h>

struct loom_actor;
struct loom_request;
struct loom_turn;

/* One line of a turn: a call, or (call NULL) a line that is none. */
struct loom_act {
	const struct loom_call *call;
	const struct loom_refusal *refusal;
};
/* The lines of a turn in their order, from the call and the error given on. */
void loom_acts_of(const struct loom_turn *turn, size_t from_call, size_t from_error,
		  struct loom_arena *arena, struct loom_act **out, size_t *out_count);

/* The calls of a proposal as acts of one batch. LOOM_INVALID when one is no call. */
enum loom_status loom_acts_proposed(const struct loom_proposal *proposal, struct loom_arena *arena,
				    struct loom_act **out, struct loom_err *err) LOOM_MUST;
/* Whether the list would be made the same now: what it would act on is looked up anew. In the
 * thread of the store. */
enum loom_status loom_acts_fit(struct loom_store *store, const struct loom_proposal *proposal,
			       const struct loom_act *acts, struct loom_arena *arena, bool *out,
			       struct loom_err *err) LOOM_MUST;

/* All in the loop's thread. */
struct loom_actor_sink {
	/* One line is done, and durable; or never will be, where those before it were stopped or
	 * met a store in trouble. The result's texts live until it returns. */
	void (*result)(void *ctx, const struct loom_act *act, const struct loom_result *result);
	/* The turn waits for a person's leave (loom_proposal_decide). Its texts live until done.
	 * May be NULL. */
	void (*waits)(void *ctx, const struct loom_proposal *proposal);
	/* A model begins to write `count` nodes that will have these ids. May be NULL. */
	void (*begin)(void *ctx, const struct loom_act *act, const char *const *ids, size_t count);
	/* It goes on writing one of them. May be NULL. */
	void (*chunk)(void *ctx, size_t choice, struct loom_str text);
	/* All lines are done. LOOM_CANCELLED: not all. Anything else: the actor could not begin,
	 * or the store is in trouble, and err says why. It may act again, or close the actor. */
	void (*done)(void *ctx, enum loom_status status, const struct loom_err *err);
	/* The actor was destroyed, and is gone by now: nothing that its options or its acts
	 * borrowed is looked at any more. May be NULL. */
	void (*gone)(void *ctx);
	void *ctx;
};

struct loom_actor_opts {
	struct loom_engine_opts engine;         /* without the store: that is the worker's */
	struct loom_loop *loop;                 /* borrowed */
	struct loom_worker *worker;             /* borrowed; its context is a struct loom_store * */
	const struct loom_generator *generator; /* borrowed; NULL: no model can be asked */
	bool classify;                          /* ask the classifier about lines not understood */
	bool waits;    /* engine.session stays for the answer where leave has to be asked */
	bool approved; /* a person has approved these very calls */
	struct loom_request *request; /* what they are done for; borrowed, NULL: it has no id */
	struct loom_actor_sink sink;
};

/* Copies the options; nothing begins before the first calls are given. Freed by
 * loom_actor_destroy. */
struct loom_actor *loom_actor_create(const struct loom_actor_opts *opts) LOOM_MUST;
/* Closes the engine on the worker, after what is under way; the sink hears no more than that it is
 * gone, and until then all stays that was borrowed: options, and acts that are not done. NULL is
 * fine. */
void loom_actor_destroy(struct loom_actor *actor);

/* The next acts are those of a new turn, whose row in the log is `seq` (-1: none). */
void loom_actor_turn(struct loom_actor *actor, int64_t seq);
/* The next acts begin at this node. */
void loom_actor_stand(struct loom_actor *actor, struct loom_str node);
/* Does them. `acts` and what they point to live until done, or gone. Not while others are being
 * done. */
void loom_actor_act(struct loom_actor *actor, const struct loom_act *acts, size_t count);
/* Whether something is being done. */
bool loom_actor_busy(const struct loom_actor *actor);
/* Ends one choice of what is being generated; LOOM_CHOICES_ALL: all of it, and the acts behind it
 * are not done. What arrived is kept. */
void loom_actor_cancel(struct loom_actor *actor, size_t choice);
/* Gives back what the turn holds (leases) once nothing is being done. */
void loom_actor_yield(struct loom_actor *actor);

#endif
