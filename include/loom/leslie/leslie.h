/* `.leslie/`: objectives, the threads that serve them, and what threads share.
 *
 * The files are the interface; other programs write them too. Every call reads them again; every
 * change is made under their lock and is on disk when the call returns. Data of other programs that
 * we do not know is kept. Nothing here knows the grove: a thread's log and position are in
 * thread.h.
 *
 * A handle may be used by one thread of execution at a time. Results are copied into the caller's
 * arena. Refusals have the codes of thread_codes.def, such as T101 for a missing thread. */
#ifndef LOOM_LESLIE_H
#define LOOM_LESLIE_H

#include <loom/leslie/thread_codes.def>
#include <loom/shared/asset.h>
#include <loom/base/env.h>
#include <loom/shared/thread_context.h>

/* The plan that all threads of a project share, from the project's folder. */
#define LOOM_LESLIE_GLOBAL_PLAN ".leslie/threads/.global/plan.md"

struct loom_leslie;

enum loom_thread_code {
	LOOM_THREAD_OTHER, /* a refusal without a code of its own */
#define LOOM_THREAD_CODE(name, code, meaning) LOOM_THREAD_##name,
	LOOM_THREAD_CODES(LOOM_THREAD_CODE)
#undef LOOM_THREAD_CODE
};
/* Returns a code as printed, such as "T101"; NULL for LOOM_THREAD_OTHER. Static. */
const char *loom_thread_code(enum loom_thread_code code);

/* A refusal, with the code and wording that other programs know. `err` is filled as usual; err.text
 * is the first line. The slices are valid until the handle's next call. */
struct loom_leslie_err {
	struct loom_err err;
	const char *code;        /* "T101"; NULL: the code of err.status */
	struct loom_str reason;  /* the reason; may be longer than err.text allows */
	struct loom_str message; /* for machines; p NULL: err.text */
	struct loom_str details; /* a JSON object; p NULL: none */
};

/* Problems that did not stop a call but must be reported. */
struct loom_leslie_warnings {
	struct loom_str *items;
	size_t count;
	size_t cap;
};

/* Adds `Referenced Thread <id> not found`, always in this wording. */
void loom_leslie_warn_broken(struct loom_arena *arena, struct loom_leslie_warnings *warnings,
			     struct loom_str thread);

struct loom_leslie_opts {
	const char *start;     /* climb from this folder to find `.leslie` */
	struct loom_env *env;  /* borrowed; clock and ids */
	const char *operator_; /* recorded as the author: "user", "agent" or "system" */
	const struct loom_file_id *refused; /* files of the store: never copied; borrowed */
	size_t refused_count;
};

/* Opens the project's `.leslie`. If there is none, the handle stands for an empty one below
 * `start`, created by the first change. Close it with loom_leslie_close. */
enum loom_status loom_leslie_open(const struct loom_leslie_opts *opts, struct loom_leslie **out,
				  struct loom_err *err) LOOM_MUST;
/* Frees the handle without touching files. NULL is fine. */
void loom_leslie_close(struct loom_leslie *leslie);
/* Returns the project's absolute root; borrowed. */
const char *loom_leslie_root(const struct loom_leslie *leslie);
/* Returns the problems the last call tolerated, such as a damaged file whose backup it used;
 * borrowed until the next call. */
const struct loom_leslie_warnings *loom_leslie_notices(const struct loom_leslie *leslie);
/* Returns whether the text may name a thread's folder: 1–64 of A–Z a–z 0–9 _ -. */
bool loom_leslie_id_ok(struct loom_str id);

/* ---- objectives ---- */

struct loom_objective {
	struct loom_str id;
	struct loom_str title;
	struct loom_str status; /* active or completed, derived from its threads */
	struct loom_str created_at;
	struct loom_str updated_at;
	struct loom_str *thread_ids; /* from the relations, in order of creation */
	size_t thread_count;
};

/* Creates an objective. `id` with p NULL: one is drawn. LOOM_CONFLICT if it is taken, LOOM_INVALID
 * for an empty title. */
enum loom_status loom_objective_new(struct loom_leslie *leslie, struct loom_str title,
				    struct loom_str id, struct loom_arena *arena,
				    struct loom_str *out_id, struct loom_leslie_err *err) LOOM_MUST;
/* Lists all objectives with the threads that serve them, in the arena. Empty without a
 * `.leslie`. */
enum loom_status loom_objective_list(struct loom_leslie *leslie, struct loom_arena *arena,
				     struct loom_objective **out, size_t *out_count,
				     struct loom_leslie_err *err) LOOM_MUST;
/* Loads an objective with its threads, in the arena. T601 if it does not exist. */
enum loom_status loom_objective_find(struct loom_leslie *leslie, struct loom_str id,
				     struct loom_arena *arena, struct loom_objective *out,
				     struct loom_leslie_err *err) LOOM_MUST;

/* ---- threads ---- */

enum loom_leslie_status {
	LOOM_LESLIE_ACTIVE,
	LOOM_LESLIE_SUSPENDED,
	LOOM_LESLIE_COMPLETED,
	LOOM_LESLIE_CANCELLED,
	LOOM_LESLIE_ARCHIVED,
	LOOM_LESLIE_FROZEN,
	LOOM_LESLIE_WAITING_HUMAN,
	LOOM_LESLIE_STATUSES /* an unknown word */
};

enum loom_leslie_action {
	LOOM_LESLIE_SUSPEND,
	LOOM_LESLIE_RESUME,
	LOOM_LESLIE_DONE,
	LOOM_LESLIE_CANCEL,
	LOOM_LESLIE_ARCHIVE,
	LOOM_LESLIE_ACTIONS
};

/* Returns a status's word in files; "unknown" for LOOM_LESLIE_STATUSES. Static. */
const char *loom_leslie_status_name(enum loom_leslie_status status);
/* Parses an exact word, or "pending" of older files for active. For any other, false, and *out is
 * LOOM_LESLIE_STATUSES. */
bool loom_leslie_status_parse(struct loom_str name, enum loom_leslie_status *out);
/* Returns an action's word. Static. */
const char *loom_leslie_action_name(enum loom_leslie_action action);
/* Parses an exact word; false, leaving *out alone, for any other. */
bool loom_leslie_action_parse(struct loom_str name, enum loom_leslie_action *out);
/* Computes the status an action leads to; false if the status does not allow it. */
bool loom_leslie_next(enum loom_leslie_status from, enum loom_leslie_action action,
		      enum loom_leslie_status *out);

struct loom_leslie_edge {
	struct loom_str thread;
	bool frozen;
	bool live; /* both are allowed */
	bool broken;
	enum loom_copy_state state; /* of the worst of the frozen copies */
	size_t copies;              /* how many there are */
	struct loom_str scope;      /* "plan.md,design"; empty: all but the conversation */
	struct loom_str since;      /* when it was copied last, or made; empty: unknown */
};

/* Appends how a reference gives, the worst state of its copies, which files, and how long ago:
 * "frozen copies, stale · design,plan.md · 3m ago". */
void loom_leslie_edge_say(const struct loom_leslie_edge *edge, int64_t now_ms,
			  struct loom_buf *out);

struct loom_leslie_thread {
	struct loom_str id;
	struct loom_str title;
	struct loom_str objective;
	enum loom_leslie_status status;
	struct loom_str status_text; /* as written */
	struct loom_str parent_id;   /* empty: none */
	struct loom_str created_at;
	struct loom_str updated_at;
	struct loom_str executor;
	struct loom_str session_id;
	struct loom_str path; /* `.leslie/threads/<id>/` */
	/* the following only from loom_leslie_thread */
	struct loom_str record; /* the record as written */
	struct loom_str *children;
	size_t child_count;
	struct loom_leslie_edge *references;
	size_t reference_count;
	struct loom_str *referenced_by;
	size_t referenced_by_count;
	bool gone; /* its folder is not there */
};

struct loom_leslie_filter {
	struct loom_str objective; /* p NULL: any */
	struct loom_str status;    /* p NULL: any */
};

/* Lists threads by time of creation, in the arena. `filter` may be NULL. */
enum loom_status loom_leslie_threads(struct loom_leslie *leslie,
				     const struct loom_leslie_filter *filter,
				     struct loom_arena *arena, struct loom_leslie_thread **out,
				     size_t *out_count, struct loom_leslie_err *err) LOOM_MUST;
/* Loads a thread, in the arena. T101 if it does not exist. */
enum loom_status loom_leslie_thread(struct loom_leslie *leslie, struct loom_str id,
				    struct loom_arena *arena, struct loom_leslie_thread *out,
				    struct loom_leslie_err *err) LOOM_MUST;

enum loom_leslie_binding { LOOM_LESLIE_BINDING_FROZEN, LOOM_LESLIE_BINDING_LIVE };

/* Parses "frozen" or "live"; false, with *out frozen, for any other word. */
bool loom_leslie_binding_parse(struct loom_str name, enum loom_leslie_binding *out);

/* The target of a reference: a thread, and which of its files (none: all but the conversation). */
struct loom_leslie_target {
	struct loom_str thread;
	const struct loom_str *scopes;
	size_t scope_count;
};

/* Parses `thread` or `thread:a,b`; the scopes go to the arena. T203 if a scope is refused. */
enum loom_status loom_leslie_target_parse(struct loom_str text, struct loom_arena *arena,
					  struct loom_leslie_target *out,
					  struct loom_leslie_err *err) LOOM_MUST;
/* Parses the scopes of `a,b`, which go to the arena. T203 if a scope is refused. */
enum loom_status loom_leslie_scopes_parse(struct loom_str text, struct loom_arena *arena,
					  struct loom_leslie_target *out,
					  struct loom_leslie_err *err) LOOM_MUST;

struct loom_leslie_spawn {
	struct loom_str objective;
	struct loom_str intent;   /* used as the title; empty: the id */
	struct loom_str id;       /* p NULL: drawn */
	struct loom_str parent;   /* p NULL: none */
	struct loom_str executor; /* p NULL: agent */
	enum loom_leslie_binding binding;
	const struct loom_leslie_target *refs;
	size_t ref_count;
};

/* Creates a thread with everything it is told to reference, or nothing. A target that does not
 * exist is a warning and a dangling reference. T101 (no such parent), T201, T202, T203, T204, T601;
 * LOOM_CONFLICT if the id is taken. */
enum loom_status loom_leslie_spawn(struct loom_leslie *leslie, const struct loom_leslie_spawn *opts,
				   struct loom_arena *arena, struct loom_str *out_id,
				   struct loom_leslie_warnings *warnings,
				   struct loom_leslie_err *err) LOOM_MUST;

/* Takes a thread to another status; *out is the new one. T101 if it does not exist, T102 if its
 * status does not allow the action. */
enum loom_status loom_leslie_lifecycle(struct loom_leslie *leslie, struct loom_str id,
				       enum loom_leslie_action action, struct loom_str reason,
				       enum loom_leslie_status *out,
				       struct loom_leslie_err *err) LOOM_MUST;

/* ---- sharing ---- */

struct loom_leslie_ref_result {
	struct loom_str ref_id;
	struct loom_str snapshot; /* time of the copy; empty if live or dangling */
	struct loom_str *copied;  /* names below context/inherited/ */
	size_t copied_count;
	struct loom_leslie_warnings warnings;
};

struct loom_leslie_ref {
	struct loom_str from;
	struct loom_leslie_target target;
	enum loom_leslie_binding binding;
};

/* Creates a reference. Frozen copies are complete before it is recorded. T101, T201 (a circle;
 * every file unchanged), T202, T203, T204. */
enum loom_status loom_leslie_ref(struct loom_leslie *leslie, const struct loom_leslie_ref *opts,
				 struct loom_arena *arena, struct loom_leslie_ref_result *out,
				 struct loom_leslie_err *err) LOOM_MUST;
/* Ends a reference and removes its copies and pointers. T101 if the thread does not exist;
 * LOOM_NOT_FOUND if there is no such reference. */
enum loom_status loom_leslie_unref(struct loom_leslie *leslie, struct loom_str from,
				   struct loom_str target, struct loom_leslie_err *err) LOOM_MUST;

struct loom_leslie_refresh {
	struct loom_str from;
	struct loom_str target; /* p NULL: all */
	struct loom_str name;   /* p NULL: all of it */
};

struct loom_leslie_refreshed {
	struct loom_str *copied;
	size_t copied_count;
	size_t kept; /* references that could not be refreshed and were left alone */
	struct loom_leslie_warnings warnings;
};

/* Replaces frozen copies, each reference completely or not at all. T101, T203, T204. */
enum loom_status loom_leslie_refresh(struct loom_leslie *leslie,
				     const struct loom_leslie_refresh *opts,
				     struct loom_arena *arena, struct loom_leslie_refreshed *out,
				     struct loom_leslie_err *err) LOOM_MUST;

struct loom_leslie_read {
	struct loom_str thread;
	struct loom_str name;
	struct loom_str from; /* p NULL: any that has the name */
	bool own;             /* the thread's own files */
};

/* Appends the bytes of a shared file: the frozen copy, otherwise the live original. T101, T202 (the
 * original is gone), T203; LOOM_NOT_FOUND with "File not referenced". */
enum loom_status loom_leslie_read(struct loom_leslie *leslie, const struct loom_leslie_read *opts,
				  struct loom_buf *out, struct loom_leslie_err *err) LOOM_MUST;

/* Writes one of the thread's own files, where it is or at `name`; shared files and those of other
 * threads are out of reach. T101, T203. */
enum loom_status loom_leslie_write(struct loom_leslie *leslie, struct loom_str thread,
				   struct loom_str name, struct loom_str text,
				   struct loom_leslie_err *err) LOOM_MUST;

/* ---- thread contexts ---- */

/* Lists the thread's own assets as they are now, in the arena. T101 if it does not exist. */
enum loom_status loom_leslie_assets(struct loom_leslie *leslie, struct loom_str id,
				    struct loom_arena *arena, struct loom_asset_list *out,
				    struct loom_leslie_err *err) LOOM_MUST;
/* Builds a thread's context, in the arena. A broken reference gives a warning, `Referenced Thread
 * <id> not found`, and no ref. T101 if the thread does not exist. */
enum loom_status loom_leslie_context(struct loom_leslie *leslie, struct loom_str id,
				     enum loom_context_mode mode, struct loom_arena *arena,
				     struct loom_thread_context *out,
				     struct loom_leslie_warnings *warnings,
				     struct loom_leslie_err *err) LOOM_MUST;

/* Builds the context (as on load) that the thread `ref->from` would have with that reference,
 * sharing nothing: with the same copies, warnings and refusals as loom_leslie_ref. A target that
 * does not exist is a warning. T101, T201, T202, T203, LOOM_LIMIT. */
enum loom_status loom_leslie_foresee(struct loom_leslie *leslie, const struct loom_leslie_ref *ref,
				     struct loom_arena *arena, struct loom_thread_context *out,
				     struct loom_leslie_warnings *warnings,
				     struct loom_leslie_err *err) LOOM_MUST;

/* A file a thread could share: what a scope may name. */
struct loom_leslie_file {
	struct loom_str name; /* below the thread's folder; a folder's ends in `/` */
	uint64_t size;        /* of the file */
};
/* The most files that loom_leslie_files lists. */
#define LOOM_LESLIE_FILES 500
/* Lists by name what is in a thread's folder and its subfolders, without what is never shared, in
 * the arena. An unreadable folder counts as empty. T101 if the thread does not exist. */
enum loom_status loom_leslie_files(struct loom_leslie *leslie, struct loom_str id,
				   struct loom_arena *arena, struct loom_leslie_file **out,
				   size_t *out_count, struct loom_leslie_err *err) LOOM_MUST;

/* Appends what a thread was given as one text: its references, pointers and copies with their
 * bytes. T101; LOOM_LIMIT if it is more than 64 MiB. */
enum loom_status loom_leslie_given(struct loom_leslie *leslie, struct loom_str thread,
				   struct loom_buf *out, struct loom_leslie_err *err) LOOM_MUST;
/* Makes it what such a text says, completely or not at all. T101; LOOM_BUSY. */
enum loom_status loom_leslie_give_back(struct loom_leslie *leslie, struct loom_str thread,
				       struct loom_str given,
				       struct loom_leslie_err *err) LOOM_MUST;

/* Something in `.leslie/` that is not as it should be. */
struct loom_leslie_fault {
	struct loom_str path; /* from the project's root */
	struct loom_str what;
	bool mended;
};
struct loom_leslie_faults {
	struct loom_leslie_fault *items;
	size_t count;
	size_t cap;
};
/* Checks store files, folders, lists and hashes of copies, in the arena. With `repair` it mends
 * what can be derived: a lost or forged copy whose source is still what was copied. Fails only if
 * the system does. */
enum loom_status loom_leslie_check(struct loom_leslie *leslie, bool repair,
				   struct loom_arena *arena, struct loom_leslie_faults *out,
				   struct loom_err *err) LOOM_MUST;

/* Appends the global plan. LOOM_NOT_FOUND if it was never written. */
enum loom_status loom_leslie_plan_read(struct loom_leslie *leslie, struct loom_buf *out,
				       struct loom_leslie_err *err) LOOM_MUST;
/* Writes the global plan atomically, creating `.leslie` if necessary. */
enum loom_status loom_leslie_plan_write(struct loom_leslie *leslie, struct loom_str text,
					struct loom_leslie_err *err) LOOM_MUST;

#endif
