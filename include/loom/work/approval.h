/* Approvals: calls that wait for a person, as a list that cannot change under his eyes.
 *
 * A proposal is a row: one agent, one list of calls with what they would act on, or one command of
 * the command line, and a hash over all of it. Who approves names the hash and so exactly that
 * list; it runs once. A proposal whose asker (the process that waits for the answer) is gone is
 * void. Only a person decides. */
#ifndef LOOM_APPROVAL_H
#define LOOM_APPROVAL_H

#include <loom/base/hash.h>
#include <loom/grove/presence.h>

enum loom_proposal_state {
	LOOM_PROPOSAL_WAITS,
	LOOM_PROPOSAL_APPROVED, /* and not begun */
	LOOM_PROPOSAL_REFUSED,
	LOOM_PROPOSAL_DONE, /* approved and begun: it never runs again */
	LOOM_PROPOSAL_VOID, /* its asker is gone, or what it would act on has changed */
};
/* "waits", "approved", "refused", "done", "void". Lives for ever. */
const char *loom_proposal_state_word(enum loom_proposal_state state);

/* One call of the list. */
struct loom_proposed {
	int64_t line;               /* of the turn, 0: none */
	struct loom_str call;       /* as the printer spells it, without the arrow */
	struct loom_str target;     /* what it would act on, for people; may be empty */
	struct loom_str permission; /* that it needs: "loom_write"; may be empty */
	bool ticked;                /* of an approved list: a person let it run */
};

/* A command of the command line, exactly as it was said. */
struct loom_proposed_command {
	struct loom_str *words; /* behind the program's name */
	size_t count;           /* 0: the proposal is a list of calls */
	struct loom_str input;  /* its standard input; p NULL: it reads none */
	struct loom_str dir;    /* where it was said */
	struct loom_str grove;  /* LOOM_GROVE as it was then; p NULL: it was not set */
};

struct loom_proposal {
	int64_t id;
	struct loom_hash hash;
	int64_t agent;  /* who would act */
	int64_t person; /* for whom it works: who alone decides */
	int64_t tree;   /* where its thread stands */
	int64_t thread; /* 0: the implicit one, which is not made yet */
	int64_t seq;    /* the row of the thread's log that the calls came from, -1: none */
	struct loom_str session; /* who waits for the answer; empty: nobody, the approver runs it */
	enum loom_proposal_state state;
	int64_t decided_by; /* 0: nobody yet */
	int64_t at;
	struct loom_proposed *calls; /* of a command: one, the line as people read it */
	size_t count;
	struct loom_proposed_command command;
};

/* Appends the hash as it is shown: its first twelve hex digits. */
void loom_proposal_name(const struct loom_proposal *proposal, struct loom_buf *out);

/* Makes one that waits, of agent, tree, thread, seq and calls; fills id, hash, session, state and
 * at. `session` (nullable) is the asker. Inside a write. Proposals of dead askers become void on
 * the way. LOOM_INVALID when a text is not UTF-8, LOOM_LIMIT when the list is over 4 MiB. */
enum loom_status loom_proposal_add(struct loom_store *store, struct loom_proposal *proposal,
				   const struct loom_session *session,
				   struct loom_err *err) LOOM_MUST;
/* Those that wait for the person who works here, oldest first; those of dead askers are left out. */
enum loom_status loom_proposal_list(struct loom_store *store, struct loom_arena *arena,
				    struct loom_proposal **out, size_t *out_count,
				    struct loom_err *err) LOOM_MUST;
/* By row number, in any state; texts in the arena. LOOM_NOT_FOUND. */
enum loom_status loom_proposal_get(struct loom_store *store, int64_t id, struct loom_arena *arena,
				   struct loom_proposal *out, struct loom_err *err) LOOM_MUST;
/* By its hash or a beginning of it, at least eight hex digits; whatever its state is (of a dead
 * asker: void). LOOM_NOT_FOUND; LOOM_CONFLICT when several begin so. */
enum loom_status loom_proposal_find(struct loom_store *store, struct loom_str hash,
				    struct loom_arena *arena, struct loom_proposal *out,
				    struct loom_err *err) LOOM_MUST;

/* LOOM_PERMISSION, saying whom it waits for, unless that is the person who works here. */
enum loom_status loom_proposal_mine(struct loom_store *store, const struct loom_proposal *proposal,
				    struct loom_err *err) LOOM_MUST;

struct loom_decision {
	int64_t by; /* a person; LOOM_PERMISSION for an agent */
	bool approve;
	const bool *ticked; /* of an approval: one a call, which of them run; NULL: all */
};
/* Inside a write. LOOM_CONFLICT, saying what became of it, for one that does not wait (any more);
 * LOOM_PERMISSION as loom_proposal_mine. */
enum loom_status loom_proposal_decide(struct loom_store *store, int64_t id,
				      const struct loom_decision *decision,
				      struct loom_err *err) LOOM_MUST;
/* Before an approved list is run: true once, and never again. Inside a write. */
enum loom_status loom_proposal_claim(struct loom_store *store, int64_t id, bool *out,
				     struct loom_err *err) LOOM_MUST;
/* It is not to be run any more, if it waits or was not begun. Inside a write. */
enum loom_status loom_proposal_void(struct loom_store *store, int64_t id,
				    struct loom_err *err) LOOM_MUST;

/* A list that a person approved before it was a row, with the caller's hash and decided_by: kept as
 * done. Inside a write. LOOM_CONFLICT when a list of that hash is kept already. */
enum loom_status loom_proposal_record(struct loom_store *store, struct loom_proposal *proposal,
				      struct loom_err *err) LOOM_MUST;

#endif
