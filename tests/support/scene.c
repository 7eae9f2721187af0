#include "support/scene.h"

#include <loom/leslie.h>

#define T ".leslie/threads/"

static void must(enum loom_status status, const struct loom_leslie_err *err)
{
	if (status == LOOM_OK)
		return;
	fprintf(stderr, "scene: %s\n", err->err.text);
	exit(1);
}

static void spawn(struct loom_leslie *leslie, struct loom_arena *arena, const char *id,
		  const char *title)
{
	struct loom_leslie_spawn opts = {.objective = LOOM_STR("obj-auth"),
					 .intent = loom_str_of(title),
					 .id = loom_str_of(id)};
	struct loom_leslie_warnings warnings = {0};
	struct loom_leslie_err err = {0};
	struct loom_str made;

	must(loom_leslie_spawn(leslie, &opts, arena, &made, &warnings, &err), &err);
}

static void refer(struct loom_leslie *leslie, struct loom_arena *arena, const char *from,
		  const char *target, enum loom_leslie_binding binding)
{
	struct loom_leslie_ref ref = {.from = loom_str_of(from), .binding = binding};
	struct loom_leslie_ref_result result;
	struct loom_leslie_err err = {0};

	must(loom_leslie_target_parse(loom_str_of(target), arena, &ref.target, &err), &err);
	must(loom_leslie_ref(leslie, &ref, arena, &result, &err), &err);
}

void scene_threads(const struct temp *temp, struct loom_env *env)
{
	const struct loom_leslie_opts opts = {.start = temp->path, .env = env};
	struct loom_arena *arena = loom_arena_create();
	struct loom_leslie *leslie = NULL;
	struct loom_leslie_err err = {0};
	struct loom_str id;

	must(loom_leslie_open(&opts, &leslie, &err.err), &err);
	must(loom_objective_new(leslie, LOOM_STR("A login that people trust"), LOOM_STR("obj-auth"),
				arena, &id, &err),
	     &err);
	spawn(leslie, arena, "thread-api", "Sessions and tokens");
	spawn(leslie, arena, "thread-ui", "The login page");
	spawn(leslie, arena, "thread-review", "Read it all once more");
	temp_write(temp, T "thread-api/plan.md", LOOM_STR("# Plan\n\n1. sessions\n2. tokens\n"));
	temp_write(temp, T "thread-api/design/api.md", LOOM_STR("# API\n\nPOST /login\n"));
	temp_write(temp, T "thread-api/design/schema.sql", LOOM_STR("create table session;\n"));
	temp_write(temp, T "thread-api/artifacts/learnings.md", LOOM_STR("Rotate the keys.\n"));
	temp_write(temp, T "thread-ui/plan.md", LOOM_STR("# One page, two fields\n"));
	refer(leslie, arena, "thread-ui", "thread-api:design", LOOM_LESLIE_BINDING_FROZEN);
	refer(leslie, arena, "thread-review", "thread-ui", LOOM_LESLIE_BINDING_LIVE);
	refer(leslie, arena, "thread-review", "thread-gone", LOOM_LESLIE_BINDING_FROZEN);
	loom_leslie_close(leslie);
	loom_arena_destroy(arena);
}

void scene_payload(const struct temp *temp)
{
	temp_write(temp, ".teddy/memos.yaml", LOOM_STR("- the door sticks\n"));
	temp_write(temp, ".teddy/global.context", LOOM_STR("README.md\n"));
	temp_write(temp, ".teddy/marie/session.context",
		   LOOM_STR("# the story\nchapters/one.md\nnotes/gone.md\n"));
	temp_write(temp, ".teddy/marie/01/turn.context", LOOM_STR("chapters/two.md\n"));
	temp_write(temp, "README.md", LOOM_STR("# The house at the end of the lane\n"));
	temp_write(temp, "chapters/one.md", LOOM_STR("Marie had not been back.\n"));
	temp_write(temp, "chapters/two.md", LOOM_STR("There was a letter on the stairs.\n"));
	temp_write(temp, "chapters/three.md", LOOM_STR("A dog was asleep in the hall.\n"));
	temp_write(temp, "build/out.bin", LOOM_STR("x"));
	temp_write(temp, ".gitignore", LOOM_STR("build/\n"));
}
