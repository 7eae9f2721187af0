/* Operations: one undoable step each, with who, when, and what it created or changed.
 *
 * A write is begin → changes → commit, all in one transaction under the writer lock. The
 * operation's row is created by the first change, so a step that changes nothing leaves none.
 * Several transactions can share an operation (a batch): begin again with its number. */
#ifndef LOOM_OP_H
#define LOOM_OP_H

#include <loom/grove/store.h>

enum loom_op_state {
	LOOM_OP_OPEN,   /* a long write in progress: none of it is visible */
	LOOM_OP_DONE,   /* visible */
	LOOM_OP_UNDONE, /* hidden, can be redone */
	LOOM_OP_DEAD,   /* its process died in between: hidden permanently */
};

struct loom_op_id {
	uint8_t bytes[16];
};

struct loom_op_spec {
	const char *kind;     /* "respond", "prune", … */
	struct loom_str text; /* one line for people; can be set until commit, see loom_op_say */
	int64_t actor;        /* agent */
	int64_t thread;       /* 0: none */
	int64_t tree;         /* 0: none */
	int64_t join;         /* an operation to continue (a batch), 0: a new one */
	bool has_id;          /* `id` below is the caller's: a retry returns the first result */
	struct loom_op_id id;
	bool slices;         /* stays open over several transactions until loom_op_finish */
	const char *inverse; /* if it cannot be undone: the command that reverses it */
};

/* Takes the writer lock and begins. LOOM_CONFLICT with *out_done set (nullable) if an operation
 * with that id exists already; LOOM_BUSY names the holder of the lock. */
enum loom_status loom_op_begin(struct loom_store *store, const struct loom_op_spec *spec,
			       struct loom_err *err) LOOM_MUST;
/* Sets the description shown in lists; the last call wins. */
void loom_op_say(struct loom_store *store, const char *format, ...) LOOM_PRINTF(2, 3);
/* Commits and releases the lock; *out_op (nullable) gets the operation's number, 0 if nothing
 * changed. On failure everything is rolled back. */
enum loom_status loom_op_commit(struct loom_store *store, int64_t *out_op,
				struct loom_err *err) LOOM_MUST;
/* Rolls back and releases the lock; harmless if nothing was begun. */
void loom_op_rollback(struct loom_store *store);
/* Commits if `status` is LOOM_OK, otherwise rolls back; returns `status`, or the failure of the
 * commit. */
enum loom_status loom_op_end(struct loom_store *store, enum loom_status status, int64_t *out_op,
			     struct loom_err *err) LOOM_MUST;
/* Between slices: commits, lets others write, and continues in a new transaction. */
enum loom_status loom_op_slice(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* In the last transaction of a long write, after its nodes: makes them visible to this connection,
 * so that the same step can prune branches and create links. */
enum loom_status loom_op_reveal(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* Makes the last commit of a long write: all of it becomes visible at once. */
enum loom_status loom_op_finish(struct loom_store *store, int64_t *out_op,
				struct loom_err *err) LOOM_MUST;
/* Returns the current operation's number, 0 before its first change. */
int64_t loom_op_current(const struct loom_store *store);
/* Creates the operation's row although nothing changes in the store, for changes outside of it. Its
 * spec must have an inverse. */
enum loom_status loom_op_list_anyway(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* Begins a write that is not an operation (positions, presence, drafts): just the lock and a
 * transaction. */
enum loom_status loom_quiet_begin(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* Commits if `status` is LOOM_OK, otherwise rolls back; returns `status`, or the failure of the
 * commit. */
enum loom_status loom_quiet_end(struct loom_store *store, enum loom_status status,
				struct loom_err *err) LOOM_MUST;

struct loom_op {
	int64_t id;
	struct loom_op_id uid;
	enum loom_op_state state;
	struct loom_str kind;
	struct loom_str text;
	struct loom_str inverse;
	int64_t actor;
	struct loom_str actor_name;
	int64_t thread;
	int64_t tree;
	int64_t at;
};

/* A page of the list of operations. */
struct loom_op_page {
	int64_t actor;  /* 0: everybody's */
	int64_t before; /* older than this one; 0: from the newest */
	size_t limit;
};
/* Lists operations, newest first, in the arena. Open and dead ones are left out. */
enum loom_status loom_op_list(struct loom_store *store, const struct loom_op_page *page,
			      struct loom_arena *arena, struct loom_op **out, size_t *out_count,
			      struct loom_err *err) LOOM_MUST;
/* Loads an operation by number, whatever its state; texts go to the arena. LOOM_NOT_FOUND. */
enum loom_status loom_op_get(struct loom_store *store, int64_t op, struct loom_arena *arena,
			     struct loom_op *out, struct loom_err *err) LOOM_MUST;
/* Finds the operation with a 128-bit id, 0 if there is none. */
enum loom_status loom_op_by_id(struct loom_store *store, const struct loom_op_id *id,
			       int64_t *out_op, struct loom_err *err) LOOM_MUST;

/* Turns what an operation changed beside the grove, for undo and redo; see sharing/turn_files.h. */
struct loom_turner {
	/* Returns whether what the operation replaced was kept, so that it can be undone. */
	bool (*keeps)(void *ctx, struct loom_store *store, int64_t op);
	/* Inside the write: turns all of it, or nothing. Does nothing for other operations. */
	enum loom_status (*turn)(void *ctx, struct loom_store *store, int64_t op,
				 struct loom_err *err);
	void *ctx;
};
/* Sets the connection's turner, which is borrowed; NULL: none, and such operations are refused. */
void loom_op_turner(struct loom_store *store, const struct loom_turner *turner);

/* Undoes an operation, in a write of its own that takes the lock. op 0: the actor's last one.
 * LOOM_CONFLICT names later work that depends on it; LOOM_NOT_FOUND if there is none. */
enum loom_status loom_op_undo(struct loom_store *store, int64_t actor, int64_t op, int64_t *out_op,
			      struct loom_err *err) LOOM_MUST;
/* Redoes what this actor undid last, in a write of its own. LOOM_CONFLICT and LOOM_NOT_FOUND as for
 * loom_op_undo. */
enum loom_status loom_op_redo(struct loom_store *store, int64_t actor, int64_t *out_op,
			      struct loom_err *err) LOOM_MUST;

/* Redoes an undone operation, whoever undid it, in a write of its own. LOOM_CONFLICT if it is
 * impossible now. */
enum loom_status loom_op_repeat(struct loom_store *store, int64_t actor, int64_t op,
				struct loom_err *err) LOOM_MUST;

/* The feed of events, in order, for readers and `loom events`. */
enum loom_event_act { LOOM_EVENT_DONE, LOOM_EVENT_UNDONE, LOOM_EVENT_REDONE };
struct loom_event {
	int64_t seq;
	enum loom_event_act act;
	int64_t actor; /* who did, undid or redid it */
	struct loom_str actor_name;
	int64_t at;
	struct loom_op op;
};
/* Lists the events after `seq`, oldest first, at most `limit`, in the arena. */
enum loom_status loom_events_since(struct loom_store *store, int64_t seq, size_t limit,
				   struct loom_arena *arena, struct loom_event **out,
				   size_t *out_count, struct loom_err *err) LOOM_MUST;
/* Gives the newest event's number. */
enum loom_status loom_events_last(struct loom_store *store, int64_t *out_seq,
				  struct loom_err *err) LOOM_MUST;
/* Deletes rows of dead long writes, slice by slice, for at most `ms`; whatever is left or
 * impossible now is done next time. Not inside a write. */
void loom_op_clear(struct loom_store *store, int64_t ms);
/* Marks long writes dead whose process is gone, and deletes some of their rows; done at open. */
enum loom_status loom_op_sweep(struct loom_store *store, struct loom_err *err) LOOM_MUST;

#endif
