/* Shared by the verbs about threads: the project's `.leslie/` during one call, and how its refusals
 * and warnings become results. */
#ifndef ENGINE_SHARING_INSIDE_H
#define ENGINE_SHARING_INSIDE_H

#include <loom/engine/handlers.h>
#include <loom/language/call.h>
#include <loom/leslie/leslie.h>
#include <loom/sharing/file_ops.h>

/* The project's threads, as one call sees them. */
struct sharing {
	struct engine_run *run;
	struct loom_leslie *leslie;
	struct loom_str own; /* the spawned thread that acts; empty: it was not spawned */
	struct loom_leslie_err why;
	struct loom_leslie_warnings warnings;
};

/* Opens `.leslie/`. Call sharing_close after a failure too. */
enum loom_status sharing_open(struct engine_run *run, struct sharing *out,
			      struct loom_err *err) LOOM_MUST;
/* Does the same for a change of files, and notes for a request that may be repeated that it
 * begins. */
enum loom_status sharing_begin(struct engine_run *run, struct sharing *out,
			       struct loom_err *err) LOOM_MUST;
void sharing_close(struct sharing *sharing);
/* Turns sharing->why into the call's refusal; returns its status. */
enum loom_status sharing_refuse(const struct sharing *sharing, struct loom_err *err);
/* Fails for a thread that was not spawned: it has no files to give or to be given. */
enum loom_status sharing_need_own(const struct sharing *sharing, struct loom_err *err) LOOM_MUST;
/* Lists what was changed as an operation of its own, which the engine commits. */
enum loom_status sharing_list(struct sharing *sharing, const struct loom_outside *what,
			      struct loom_err *err) LOOM_MUST;
/* Appends a line for each warning. */
void sharing_warn(const struct sharing *sharing);

#endif
