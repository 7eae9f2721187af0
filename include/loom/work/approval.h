/* Approvals: calls that wait for a person, in a list that cannot change while it is being read.
 *
 * A proposal is a row: an agent, a list of calls with their targets or a single command line,
 * and a hash of all of it. Approving names the hash, and thereby exactly that list, which runs
 * once. A proposal whose asker (the process waiting for the answer) is gone is void. Only a
 * person decides. */
#ifndef LOOM_APPROVAL_H
#define LOOM_APPROVAL_H

#include <loom/base/hash.h>
#include <loom/grove/presence.h>

enum loom_proposal_state {
	LOOM_PROPOSAL_WAITS,
	LOOM_PROPOSAL_APPROVED, /* not started yet */
	LOOM_PROPOSAL_REFUSED,
	LOOM_PROPOSAL_DONE, /* approved and started: it never runs again */
	LOOM_PROPOSAL_VOID, /* its asker is gone, or its targets have changed */
};
/* Returns "waits", "approved", "refused", "done" or "void". Static. */
const char *loom_proposal_state_word(enum loom_proposal_state state);

/* A call in the list. */
struct loom_proposed {
	int64_t line;               /* in the turn, 0: none */
	struct loom_str call;       /* as the printer writes it, without the arrow */
	struct loom_str target;     /* its target, for people; may be empty */
	struct loom_str permission; /* the one it needs: "loom_write"; may be empty */
	bool ticked;                /* in an approved list: a person selected it to run */
};

/* A command line, exactly as it was typed. */
struct loom_proposed_command {
	struct loom_str *words; /* after the program's name */
	size_t count;           /* 0: the proposal is a list of calls */
	struct loom_str input;  /* its standard input; p NULL: not read */
	struct loom_str dir;    /* where it was typed */
	struct loom_str grove;  /* LOOM_GROVE at that time; p NULL: not set */
};

/* Somebody who is nobody here, in whose name a person lets a note stand. */
struct loom_guest {
	struct loom_str name; /* p NULL: there is no guest */
	struct loom_str from; /* the door they came by */
};

struct loom_proposal {
	int64_t id;
	struct loom_hash hash;
	int64_t agent;           /* the one to act */
	int64_t person;          /* the one the agent works for, who alone decides */
	int64_t tree;            /* its thread's tree */
	int64_t thread;          /* 0: the implicit one, not created yet */
	int64_t seq;             /* row of the thread's log with the calls, -1: none */
	struct loom_str session; /* the asker; empty: nobody waits, the approver runs it */
	enum loom_proposal_state state;
	int64_t decided_by; /* 0: undecided */
	int64_t at;
	struct loom_proposed *calls; /* for a command: one, the line as people read it */
	size_t count;
	struct loom_proposed_command command;
	struct loom_guest guest; /* whose note it would be */
};

/* Appends the hash as displayed: its first twelve hex digits. */
void loom_proposal_name(const struct loom_proposal *proposal, struct loom_buf *out);

/* Inside a write: creates a waiting proposal from agent, tree, thread, seq and calls; fills in id,
 * hash, session, state and at. `session` (nullable) is the asker. Also voids the proposals of dead
 * askers. LOOM_INVALID for a text that is not UTF-8, LOOM_LIMIT for a list over 4 MiB. */
enum loom_status loom_proposal_add(struct loom_store *store, struct loom_proposal *proposal,
				   const struct loom_session *session,
				   struct loom_err *err) LOOM_MUST;
/* Lists the proposals that wait for the person who works here, oldest first, without those of dead
 * askers, in the arena. */
enum loom_status loom_proposal_list(struct loom_store *store, struct loom_arena *arena,
				    struct loom_proposal **out, size_t *out_count,
				    struct loom_err *err) LOOM_MUST;
/* Loads a proposal by row number, in any state; texts go to the arena. LOOM_NOT_FOUND. */
enum loom_status loom_proposal_get(struct loom_store *store, int64_t id, struct loom_arena *arena,
				   struct loom_proposal *out, struct loom_err *err) LOOM_MUST;
/* Finds a proposal by its hash or at least eight leading hex digits, in any state (void if its
 * asker is dead); texts go to the arena. LOOM_NOT_FOUND; LOOM_CONFLICT if several match. */
enum loom_status loom_proposal_find(struct loom_store *store, struct loom_str hash,
				    struct loom_arena *arena, struct loom_proposal *out,
				    struct loom_err *err) LOOM_MUST;

/* LOOM_PERMISSION, saying whom it waits for, unless that is the person who works here. */
enum loom_status loom_proposal_mine(struct loom_store *store, const struct loom_proposal *proposal,
				    struct loom_err *err) LOOM_MUST;

struct loom_decision {
	int64_t by; /* a person; LOOM_PERMISSION for an agent */
	bool approve;
	const bool *ticked; /* for an approval: whether each call runs; NULL: all of them */
};
/* Inside a write: records a decision. LOOM_CONFLICT, naming its state, for a proposal that is not
 * waiting; LOOM_PERMISSION as loom_proposal_mine. */
enum loom_status loom_proposal_decide(struct loom_store *store, int64_t id,
				      const struct loom_decision *decision,
				      struct loom_err *err) LOOM_MUST;
/* Inside a write, before an approved list runs: sets *out to true the first time, and never
 * again. */
enum loom_status loom_proposal_claim(struct loom_store *store, int64_t id, bool *out,
				     struct loom_err *err) LOOM_MUST;
/* Inside a write: makes a proposal void if it is waiting or was not started. */
enum loom_status loom_proposal_void(struct loom_store *store, int64_t id,
				    struct loom_err *err) LOOM_MUST;

/* Inside a write: stores a list that a person approved before it was a row, with the caller's hash
 * and decided_by, as done. LOOM_CONFLICT if a list with that hash is stored already. */
enum loom_status loom_proposal_record(struct loom_store *store, struct loom_proposal *proposal,
				      struct loom_err *err) LOOM_MUST;

#endif
