/* Operations: one undoable step each. Who, when, what it made or changed.
 *
 * A write is begin → changes → commit, all under the writer lock and in one transaction. The
 * operation's row appears with the first change, so that a step that changes nothing leaves none.
 * Several transactions may share one operation (a batch): begin again with its number. */
#ifndef LOOM_OP_H
#define LOOM_OP_H

#include <loom/grove/store.h>

enum loom_op_state {
	LOOM_OP_OPEN,   /* a long write under way: nothing of it is visible */
	LOOM_OP_DONE,   /* visible */
	LOOM_OP_UNDONE, /* hidden, can be repeated */
	LOOM_OP_DEAD,   /* its process ended half-way: hidden for ever */
};

struct loom_op_id {
	uint8_t bytes[16];
};

struct loom_op_spec {
	const char *kind;     /* "respond", "prune", … */
	struct loom_str text; /* one line for people; may be set until commit, see loom_op_say */
	int64_t actor;        /* agent */
	int64_t thread;       /* 0: none */
	int64_t tree;         /* 0: none */
	int64_t join;         /* an operation to go on with (a batch), 0: a new one */
	bool has_id;          /* id below is the caller's: a retry returns the first result */
	struct loom_op_id id;
	bool slices;         /* stays open over several transactions until loom_op_finish */
	const char *inverse; /* when it cannot be undone here: the command that reverses it */
};

/* Takes the writer lock and begins. LOOM_CONFLICT with *out_done set (nullable) when an operation
 * of that id is in already; LOOM_BUSY names who holds the lock. */
enum loom_status loom_op_begin(struct loom_store *store, const struct loom_op_spec *spec,
			       struct loom_err *err) LOOM_MUST;
/* The description that will stand in the list; the last one said wins. */
void loom_op_say(struct loom_store *store, const char *format, ...) LOOM_PRINTF(2, 3);
/* Commits and releases the lock; *out_op (nullable) is the operation's number, 0 when nothing was
 * changed. On failure everything is rolled back. */
enum loom_status loom_op_commit(struct loom_store *store, int64_t *out_op,
				struct loom_err *err) LOOM_MUST;
/* Rolls back and releases the lock; harmless when nothing was begun. */
void loom_op_rollback(struct loom_store *store);
/* Commit when `status` is LOOM_OK, else roll back and pass it on. */
enum loom_status loom_op_end(struct loom_store *store, enum loom_status status, int64_t *out_op,
			     struct loom_err *err) LOOM_MUST;
/* Between slices: commits what is there, lets others in, and goes on in a new transaction. */
enum loom_status loom_op_slice(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* In the last transaction of a long write, once its nodes are written: from here on they count as
 * visible to this connection, so that branches may be pruned and links made in the same step. */
enum loom_status loom_op_reveal(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* The last commit of a long write: all of it becomes visible at once. */
enum loom_status loom_op_finish(struct loom_store *store, int64_t *out_op,
				struct loom_err *err) LOOM_MUST;
/* The operation under way: its number, 0 before its first change. */
int64_t loom_op_current(const struct loom_store *store);
/* Makes the operation's row although nothing of the store changes: something outside of it does.
 * Its spec has an inverse. */
enum loom_status loom_op_list_anyway(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* A write that is no operation (positions, presence, drafts): lock and transaction only. */
enum loom_status loom_quiet_begin(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* Commits when `status` is LOOM_OK, else rolls back; returns that status or what failed now. */
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

/* One page of them. */
struct loom_op_page {
	int64_t actor;  /* 0: everybody's */
	int64_t before; /* older than this one; 0: from the newest on */
	size_t limit;
};
/* Newest first. Open and dead ones are left out. */
enum loom_status loom_op_list(struct loom_store *store, const struct loom_op_page *page,
			      struct loom_arena *arena, struct loom_op **out, size_t *out_count,
			      struct loom_err *err) LOOM_MUST;
/* By its number, whatever its state; texts in the arena. LOOM_NOT_FOUND. */
enum loom_status loom_op_get(struct loom_store *store, int64_t op, struct loom_arena *arena,
			     struct loom_op *out, struct loom_err *err) LOOM_MUST;
/* The operation with this 128-bit id, 0 when there is none. */
enum loom_status loom_op_by_id(struct loom_store *store, const struct loom_op_id *id,
			       int64_t *out_op, struct loom_err *err) LOOM_MUST;

/* Undo and redo; each is a write of its own and takes the lock. op 0: the actor's own last one.
 * LOOM_CONFLICT names the later work that depends on it; LOOM_NOT_FOUND when there is none. */
enum loom_status loom_op_undo(struct loom_store *store, int64_t actor, int64_t op, int64_t *out_op,
			      struct loom_err *err) LOOM_MUST;
/* Repeats what this actor undid last. */
enum loom_status loom_op_redo(struct loom_store *store, int64_t actor, int64_t *out_op,
			      struct loom_err *err) LOOM_MUST;

/* Repeats an operation that is undone, whoever did it. LOOM_CONFLICT when it cannot be. */
enum loom_status loom_op_repeat(struct loom_store *store, int64_t actor, int64_t op,
				struct loom_err *err) LOOM_MUST;

/* What happened, in order: the feed that readers and `loom events` follow. */
enum loom_event_act { LOOM_EVENT_DONE, LOOM_EVENT_UNDONE, LOOM_EVENT_REDONE };
struct loom_event {
	int64_t seq;
	enum loom_event_act act;
	int64_t actor; /* who did, undid or repeated it */
	struct loom_str actor_name;
	int64_t at;
	struct loom_op op;
};
/* Events after `seq`, oldest first, at most `limit`. */
enum loom_status loom_events_since(struct loom_store *store, int64_t seq, size_t limit,
				   struct loom_arena *arena, struct loom_event **out,
				   size_t *out_count, struct loom_err *err) LOOM_MUST;
/* The newest event's number. */
enum loom_status loom_events_last(struct loom_store *store, int64_t *out_seq,
				  struct loom_err *err) LOOM_MUST;
/* Takes the rows of dead long writes away, slice by slice, for `ms` at most; what is left then, or
 * cannot be done now, is for the next time. Outside a write. */
void loom_op_clear(struct loom_store *store, int64_t ms);
/* Marks long writes dead whose process is gone, and clears a little; done at open. */
enum loom_status loom_op_sweep(struct loom_store *store, struct loom_err *err) LOOM_MUST;

#endif
