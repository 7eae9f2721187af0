/* A project of a test's own with a `.leslie/`, and short forms for what tests do in it. */
#ifndef LOOM_TESTS_SUPPORT_PROJECT_H
#define LOOM_TESTS_SUPPORT_PROJECT_H

#include <loom/leslie.h>

#include "support/temp.h"

struct project {
	struct temp temp;
	struct loom_env env;
	struct loom_leslie *leslie;
	struct loom_arena *arena;
	struct loom_leslie_err err; /* of the last short form */
	struct loom_leslie_warnings warnings;
};

void project_init(struct project *project);
void project_fini(struct project *project);
/* Closes and opens again, as another process would. */
void project_reopen(struct project *project);

/* A path below the project, absolute; in the arena. */
const char *project_path(struct project *project, const char *path);
/* Writes a file, making the folders on the way; a path that ends in `/` makes a folder. */
void project_write(struct project *project, const char *path, const char *text);
/* A file's bytes as a C string in the arena, NULL when there is none. */
const char *project_read(struct project *project, const char *path);
bool project_has(struct project *project, const char *path);
/* Removes a file, or a folder with all that is in it. */
void project_remove(struct project *project, const char *path);
/* Every path with kind, mode and bytes' digest, sorted: equal texts are equal trees. Lock file and
 * registry are left out, they may change at any time. */
const char *project_picture(struct project *project);

/* The objective "obj", made when it is not there. */
void project_objective(struct project *project);
/* Spawns thread `id` below "obj"; `refs` like "B C:a.md,b" or NULL. */
enum loom_status project_spawn(struct project *project, const char *id, const char *refs,
			       enum loom_leslie_binding binding);
/* Spawns several without references; ends the program when one fails. */
void project_threads(struct project *project, const char *ids);
/* `target` like "B" or "B:a.md,b". */
enum loom_status project_ref(struct project *project, const char *from, const char *target,
			     enum loom_leslie_binding binding);
enum loom_status project_freeze(struct project *project, const char *from, const char *target);
enum loom_status project_live(struct project *project, const char *from, const char *target);
/* What `read` gives, as a C string in the arena; NULL when refused. `from` may be NULL. */
const char *project_shared(struct project *project, const char *thread, const char *name,
			   const char *from);
/* The block; "" when refused. Every block is checked against the schema on its way. */
const char *project_context(struct project *project, const char *id, enum loom_context_mode mode);
/* The block's assets, "own plan P|ref B design P|…", with `.leslie/threads/` left out. */
const char *project_assets(struct project *project, const char *id, enum loom_context_mode mode);
/* Whether a warning of the last call is this one. */
bool project_warned(const struct project *project, const char *text);

#endif
