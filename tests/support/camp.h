/* A project with threads of a test's own, and short forms for what tests do in it. */
#ifndef LOOM_TESTS_SUPPORT_CAMP_H
#define LOOM_TESTS_SUPPORT_CAMP_H

#include <loom/leslie/leslie.h>

#include "support/temp.h"

struct camp {
	struct temp temp;
	struct loom_env env;
	struct loom_leslie *leslie;
	struct loom_arena *arena;
	struct loom_leslie_err err; /* of the last short form */
	struct loom_leslie_warnings warnings;
};

void camp_init(struct camp *camp);
void camp_fini(struct camp *camp);
/* Closes and opens again, as another process would. */
void camp_reopen(struct camp *camp);

/* A path below the project, absolute; in the arena. */
const char *camp_path(struct camp *camp, const char *path);
/* Writes a file, making the folders on the way; a path that ends in `/` makes a folder. */
void camp_write(struct camp *camp, const char *path, const char *text);
/* A file's bytes as a C string in the arena, NULL when there is none. */
const char *camp_read(struct camp *camp, const char *path);
bool camp_has(struct camp *camp, const char *path);
/* Removes a file, or a folder with all that is in it. */
void camp_remove(struct camp *camp, const char *path);
/* Every path with kind, mode and bytes' digest, sorted: equal texts are equal trees. */
const char *camp_picture(struct camp *camp);

/* The objective "obj", made when it is not there. */
void camp_objective(struct camp *camp);
/* Spawns thread `id` below "obj"; `refs` like "B C:a.md,b" or NULL. */
enum loom_status camp_spawn(struct camp *camp, const char *id, const char *refs,
			    enum loom_leslie_binding binding);
/* Spawns several without references; ends the program when one fails. */
void camp_threads(struct camp *camp, const char *ids);
/* `target` like "B" or "B:a.md,b". */
enum loom_status camp_ref(struct camp *camp, const char *from, const char *target,
			  enum loom_leslie_binding binding);
enum loom_status camp_freeze(struct camp *camp, const char *from, const char *target);
enum loom_status camp_live(struct camp *camp, const char *from, const char *target);
/* The content that `read` returns, as a C string in the arena; NULL when refused. `from` may be
 * NULL. */
const char *camp_shared(struct camp *camp, const char *thread, const char *name, const char *from);
/* The block; "" when refused. Every block is checked against the schema on its way. */
const char *camp_context(struct camp *camp, const char *id, enum loom_context_mode mode);
/* The block's assets, "own plan P|ref B design P|…", with `.leslie/threads/` left out. */
const char *camp_assets(struct camp *camp, const char *id, enum loom_context_mode mode);
/* Whether a warning of the last call is this one. */
bool camp_warned(const struct camp *camp, const char *text);

#endif
