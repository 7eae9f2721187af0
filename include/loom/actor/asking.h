/* Inside the actor: what it asks a classifier, what it asks a person, how what grows is kept. */
#ifndef TOOL_ACT_IMPL_H
#define TOOL_ACT_IMPL_H

#include <loom/actor/act.h>
#include <loom/work/approval.h>

/* Whether a classifier may be asked about the line: not understood, and nothing in it that turns
 * its meaning. */
bool tool_may_classify(const struct loom_refusal *refusal);
/* What it is asked: the table of commands and the line. Lives in the arena. */
void tool_classify_request(struct loom_arena *arena, const struct loom_refusal *refusal,
			   struct loom_generate_request *out);
/* Reads its answer; it counts only if it parses and everything in it stands in the line. */
bool tool_classify_read(struct loom_arena *arena, const struct loom_refusal *refusal,
			struct loom_str answer, struct loom_call *out);

/* --- leave (leave.c); in the worker's thread --- */

/* What a person said, or was asked, about the acts under way. */
struct tool_leave {
	size_t acts;
	bool *wants;                   /* one an act: a person wants to be asked about it */
	enum loom_leave *given;        /* one an act */
	struct loom_proposal proposal; /* id 0: nothing had to be asked */
	bool waiting;
	bool give_up; /* nobody waits for the answer any more */
};
struct tool_leave_of {
	const struct loom_act *acts;
	size_t count;
	const struct loom_session *asker; /* who would wait; NULL: nobody */
	bool moved;                       /* where the first of them will stand is not known yet */
};
/* The acts that `wants` marks (NULL: every call) as a proposal that is no row yet: what they would
 * act on is looked up. */
void tool_propose(struct loom_engine *engine, const struct tool_leave_of *of, const bool *wants,
		  struct loom_arena *arena, struct loom_proposal *out);
/* Whether what was listed would be listed the same now. */
bool tool_proposal_same(const struct loom_proposal *listed, const struct loom_proposal *now);
/* Makes a proposal of those acts that need leave, if any. */
enum loom_status tool_leave_ask(struct tool_leave *leave, struct loom_engine *engine,
				const struct tool_leave_of *of, struct loom_arena *arena,
				struct loom_err *err) LOOM_MUST;
/* Looks whether there is an answer, and takes it; with give_up the proposal becomes void. */
enum loom_status tool_leave_look(struct tool_leave *leave, struct loom_engine *engine,
				 struct loom_err *err) LOOM_MUST;

/* --- what grows (flush.c); in the loop's thread --- */

/* A generation under way: what its choices have said and is not written down yet. Zeroed: none. */
struct tool_growing {
	struct tool_growing *next; /* of the same worker */
	struct tool_flusher *flusher;
	struct loom_engine *engine;
	struct loom_buf *fresh; /* one a choice */
	size_t count;
};
/* From now on it is written down with all others of the worker, in one commit a second. */
void tool_growing_begin(struct tool_growing *growing, struct loom_worker *worker,
			struct loom_engine *engine, size_t count);
void tool_growing_say(struct tool_growing *growing, size_t choice, struct loom_str text);
/* Forgets what is not written down: its end brings it. One that never began is fine. */
void tool_growing_end(struct tool_growing *growing);

#endif
