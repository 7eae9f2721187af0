/* `.leslie/`: objectives, the threads that serve them, and what threads share.
 *
 * The files are the interface; other programs write them too. Every call looks at them anew, every
 * change is made under their lock and is on the disk when the call returns. What another program
 * wrote and we do not know is kept. Nothing here knows the grove: the log and the position of a
 * thread are thread.h's.
 *
 * A handle is for one thread of execution at a time. Results are copied into the caller's arena. */
#ifndef LOOM_LESLIE_H
#define LOOM_LESLIE_H

#include <loom/shared/asset.h>
#include <loom/base/env.h>
#include <loom/shared/thread_context.h>

struct loom_leslie;

/* A refusal, with the code and the words that others know. `err` is filled as everywhere;
 * err.text is the first line. The slices live until the handle's next call. */
struct loom_leslie_err {
	struct loom_err err;
	const char *code;        /* "T101"; NULL: the code of err.status */
	struct loom_str reason;  /* why; may be longer than err.text could be */
	struct loom_str message; /* what a machine is told; p NULL: err.text */
	struct loom_str details; /* a JSON object; p NULL: none */
};

/* What did not stop a call and must be said. */
struct loom_leslie_warnings {
	struct loom_str *items;
	size_t count;
	size_t cap;
};

/* Adds `Referenced Thread <id> not found`, the one wording for it. */
void loom_leslie_warn_broken(struct loom_arena *arena, struct loom_leslie_warnings *warnings,
			     struct loom_str thread);

struct loom_leslie_opts {
	const char *start;                  /* climb from this folder to find `.leslie` */
	struct loom_env *env;               /* borrowed; clock and ids */
	const char *operator_;              /* who is recorded: "user", "agent" or "system" */
	const struct loom_file_id *refused; /* files of the store: never copied; borrowed */
	size_t refused_count;
};

/* Without a `.leslie` anywhere the handle stands for an empty one below `start`; the first change
 * makes it. */
enum loom_status loom_leslie_open(const struct loom_leslie_opts *opts, struct loom_leslie **out,
				  struct loom_err *err) LOOM_MUST;
/* Frees the handle; files stay as they are. NULL is fine. */
void loom_leslie_close(struct loom_leslie *leslie);
/* The project's root, absolute; borrowed. */
const char *loom_leslie_root(const struct loom_leslie *leslie);
/* What the last call found and did not mind, such as a damaged file whose backup it used. */
const struct loom_leslie_warnings *loom_leslie_notices(const struct loom_leslie *leslie);
/* Whether the text may name a thread's folder: 1–64 of A–Z a–z 0–9 _ -. */
bool loom_leslie_id_ok(struct loom_str id);

/* ---- objectives ---- */

struct loom_objective {
	struct loom_str id;
	struct loom_str title;
	struct loom_str status; /* active or completed, as its threads say */
	struct loom_str created_at;
	struct loom_str updated_at;
	struct loom_str *thread_ids; /* as the relations say, in the order of their making */
	size_t thread_count;
};

/* `id` p NULL: one is drawn. LOOM_CONFLICT when it is taken, LOOM_INVALID for an empty title. */
enum loom_status loom_objective_new(struct loom_leslie *leslie, struct loom_str title,
				    struct loom_str id, struct loom_arena *arena,
				    struct loom_str *out_id, struct loom_leslie_err *err) LOOM_MUST;
/* All of them, with the threads that serve them; texts in the arena. An empty list without a
 * `.leslie`. */
enum loom_status loom_objective_list(struct loom_leslie *leslie, struct loom_arena *arena,
				     struct loom_objective **out, size_t *out_count,
				     struct loom_leslie_err *err) LOOM_MUST;
/* T601. */
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
	LOOM_LESLIE_STATUSES /* a word that nobody knows */
};

enum loom_leslie_action {
	LOOM_LESLIE_SUSPEND,
	LOOM_LESLIE_RESUME,
	LOOM_LESLIE_DONE,
	LOOM_LESLIE_CANCEL,
	LOOM_LESLIE_ARCHIVE,
	LOOM_LESLIE_ACTIONS
};

/* The word that files have for it; "unknown" for LOOM_LESLIE_STATUSES. */
const char *loom_leslie_status_name(enum loom_leslie_status status);
/* Exact; older files' "pending" is active. For another word false, and *out is
 * LOOM_LESLIE_STATUSES. */
bool loom_leslie_status_parse(struct loom_str name, enum loom_leslie_status *out);
/* The word for it; lives for ever. */
const char *loom_leslie_action_name(enum loom_leslie_action action);
/* Exact; false, and *out untouched, for another word. */
bool loom_leslie_action_parse(struct loom_str name, enum loom_leslie_action *out);
/* Where an action leads from a status; false when it is no way to go. */
bool loom_leslie_next(enum loom_leslie_status from, enum loom_leslie_action action,
		      enum loom_leslie_status *out);

struct loom_leslie_edge {
	struct loom_str thread;
	bool frozen;
	bool live; /* both may be */
	bool broken;
};

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
};

struct loom_leslie_filter {
	struct loom_str objective; /* p NULL: any */
	struct loom_str status;    /* p NULL: any */
};

/* By time of making. `filter` may be NULL. */
enum loom_status loom_leslie_threads(struct loom_leslie *leslie,
				     const struct loom_leslie_filter *filter,
				     struct loom_arena *arena, struct loom_leslie_thread **out,
				     size_t *out_count, struct loom_leslie_err *err) LOOM_MUST;
/* T101. */
enum loom_status loom_leslie_thread(struct loom_leslie *leslie, struct loom_str id,
				    struct loom_arena *arena, struct loom_leslie_thread *out,
				    struct loom_leslie_err *err) LOOM_MUST;

enum loom_leslie_binding { LOOM_LESLIE_BINDING_FROZEN, LOOM_LESLIE_BINDING_LIVE };

/* "frozen" or "live"; false, and *out frozen, for another word. */
bool loom_leslie_binding_parse(struct loom_str name, enum loom_leslie_binding *out);

/* What a reference names: a thread, and which of its files (none: all but the conversation). */
struct loom_leslie_target {
	struct loom_str thread;
	const struct loom_str *scopes;
	size_t scope_count;
};

/* Reads `thread` or `thread:a,b`; the scopes go into the arena. T203 when a scope is refused. */
enum loom_status loom_leslie_target_parse(struct loom_str text, struct loom_arena *arena,
					  struct loom_leslie_target *out,
					  struct loom_leslie_err *err) LOOM_MUST;
/* The scopes of `a,b`. */
enum loom_status loom_leslie_scopes_parse(struct loom_str text, struct loom_arena *arena,
					  struct loom_leslie_target *out,
					  struct loom_leslie_err *err) LOOM_MUST;

struct loom_leslie_spawn {
	struct loom_str objective;
	struct loom_str intent;   /* becomes the title; empty: the id */
	struct loom_str id;       /* p NULL: drawn */
	struct loom_str parent;   /* p NULL: none */
	struct loom_str executor; /* p NULL: agent */
	enum loom_leslie_binding binding;
	const struct loom_leslie_target *refs;
	size_t ref_count;
};

/* Makes a thread and everything it was told to reference, or nothing. T101 (parent), T201, T202,
 * T203, T204, T601; LOOM_CONFLICT when the id is taken. A target that does not exist is a warning
 * and a dangling reference. */
enum loom_status loom_leslie_spawn(struct loom_leslie *leslie, const struct loom_leslie_spawn *opts,
				   struct loom_arena *arena, struct loom_str *out_id,
				   struct loom_leslie_warnings *warnings,
				   struct loom_leslie_err *err) LOOM_MUST;

/* T101, T102. */
enum loom_status loom_leslie_lifecycle(struct loom_leslie *leslie, struct loom_str id,
				       enum loom_leslie_action action, struct loom_str reason,
				       enum loom_leslie_status *out,
				       struct loom_leslie_err *err) LOOM_MUST;

/* ---- sharing ---- */

struct loom_leslie_ref_result {
	struct loom_str ref_id;
	struct loom_str snapshot; /* time of the copy; empty when live or dangling */
	struct loom_str *copied;  /* names below context/inherited/ */
	size_t copied_count;
	struct loom_leslie_warnings warnings;
};

struct loom_leslie_ref {
	struct loom_str from;
	struct loom_leslie_target target;
	enum loom_leslie_binding binding;
};

/* T101, T201 (every file unchanged), T202, T203, T204. Frozen: the copies are complete before the
 * reference is recorded. */
enum loom_status loom_leslie_ref(struct loom_leslie *leslie, const struct loom_leslie_ref *opts,
				 struct loom_arena *arena, struct loom_leslie_ref_result *out,
				 struct loom_leslie_err *err) LOOM_MUST;
/* Ends a reference: its copies and its pointers go. T101; LOOM_NOT_FOUND when there is none. */
enum loom_status loom_leslie_unref(struct loom_leslie *leslie, struct loom_str from,
				   struct loom_str target, struct loom_leslie_err *err) LOOM_MUST;

struct loom_leslie_refresh {
	struct loom_str from;
	struct loom_str target; /* p NULL: every one */
	struct loom_str name;   /* p NULL: all of it */
};

struct loom_leslie_refreshed {
	struct loom_str *copied;
	size_t copied_count;
	size_t kept; /* references that could not be refreshed and were left as they are */
	struct loom_leslie_warnings warnings;
};

/* Replaces frozen copies, each reference wholly or not at all. T101, T203, T204. */
enum loom_status loom_leslie_refresh(struct loom_leslie *leslie,
				     const struct loom_leslie_refresh *opts,
				     struct loom_arena *arena, struct loom_leslie_refreshed *out,
				     struct loom_leslie_err *err) LOOM_MUST;

struct loom_leslie_read {
	struct loom_str thread;
	struct loom_str name;
	struct loom_str from; /* p NULL: whichever has the name */
	bool own;             /* the thread's own files */
};

/* Appends a shared file's bytes: the frozen copy, else the live original. T101, T202 (the original
 * is gone), T203; LOOM_NOT_FOUND with "File not referenced". */
enum loom_status loom_leslie_read(struct loom_leslie *leslie, const struct loom_leslie_read *opts,
				  struct loom_buf *out, struct loom_leslie_err *err) LOOM_MUST;

/* Puts a file of the thread's own where it stands, or at `name`; what it was given and other
 * threads' files are out of reach. T101, T203. */
enum loom_status loom_leslie_write(struct loom_leslie *leslie, struct loom_str thread,
				   struct loom_str name, struct loom_str text,
				   struct loom_leslie_err *err) LOOM_MUST;

/* ---- what a thread is told ---- */

/* The thread's own assets as they are now. T101. */
enum loom_status loom_leslie_assets(struct loom_leslie *leslie, struct loom_str id,
				    struct loom_arena *arena, struct loom_asset_list *out,
				    struct loom_leslie_err *err) LOOM_MUST;
/* A broken reference is a warning, `Referenced Thread <id> not found`, and no ref. T101. */
enum loom_status loom_leslie_context(struct loom_leslie *leslie, struct loom_str id,
				     enum loom_context_mode mode, struct loom_arena *arena,
				     struct loom_thread_context *out,
				     struct loom_leslie_warnings *warnings,
				     struct loom_leslie_err *err) LOOM_MUST;

/* What the thread `ref->from` would be told (as on load) once it had that reference: nothing is
 * written. T101, T201, T203; a target that does not exist is a warning. Files that a frozen
 * reference was given before stand as they were given. */
enum loom_status loom_leslie_foresee(struct loom_leslie *leslie, const struct loom_leslie_ref *ref,
				     struct loom_arena *arena, struct loom_thread_context *out,
				     struct loom_leslie_warnings *warnings,
				     struct loom_leslie_err *err) LOOM_MUST;

/* A file that a thread could give to another: what a scope may name. */
struct loom_leslie_file {
	struct loom_str name; /* below the thread's folder; a folder's ends in `/` */
	uint64_t size;        /* of a file */
};
/* What is in a thread's folder and its folders, by name, but for what is never shared; at most
 * LOOM_LESLIE_FILES of them. T101. */
#define LOOM_LESLIE_FILES 500
/* A folder that cannot be read has none. */
enum loom_status loom_leslie_files(struct loom_leslie *leslie, struct loom_str id,
				   struct loom_arena *arena, struct loom_leslie_file **out,
				   size_t *out_count, struct loom_leslie_err *err) LOOM_MUST;

/* The global plan. LOOM_NOT_FOUND before it was first written. */
enum loom_status loom_leslie_plan_read(struct loom_leslie *leslie, struct loom_buf *out,
				       struct loom_leslie_err *err) LOOM_MUST;
/* Writes it whole or not at all; the first one makes `.leslie`. */
enum loom_status loom_leslie_plan_write(struct loom_leslie *leslie, struct loom_str text,
					struct loom_leslie_err *err) LOOM_MUST;

#endif
