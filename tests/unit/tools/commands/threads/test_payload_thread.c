/* `loom payload --thread`: a thread's assets, those it was given to read, and the global plan. */

#include <greatest.h>

#include <loom/leslie/leslie.h>

#include "support/child.h"
#include "support/temp.h"

struct world {
	struct temp temp;
	struct loom_env env;
	struct loom_leslie *leslie;
	struct loom_arena *arena;
};

static void world_init(struct world *world)
{
	struct loom_leslie_opts opts = {.env = &world->env, .operator_ = "user"};

	temp_init(&world->temp);
	temp_write(&world->temp, ".teddy/global.context", LOOM_STR("not this\n"));
	temp_write(&world->temp, ".gitignore", LOOM_STR(".leslie/\n"));
	loom_env_init_fixed(&world->env, INT64_C(1771840800000), 5);
	world->arena = loom_arena_create();
	opts.start = world->temp.path;
	if (loom_leslie_open(&opts, &world->leslie, NULL) != LOOM_OK ||
	    loom_objective_new(world->leslie, LOOM_STR("A goal"), LOOM_STR("obj-1"), world->arena,
			       &(struct loom_str){0}, NULL) != LOOM_OK)
		abort();
}

static void world_fini(struct world *world)
{
	loom_leslie_close(world->leslie);
	loom_arena_destroy(world->arena);
	temp_fini(&world->temp);
}

static void spawn(struct world *world, const char *id, const struct loom_leslie_target *ref,
		  enum loom_leslie_binding binding)
{
	struct loom_leslie_spawn opts = {.objective = LOOM_STR("obj-1"),
					 .id = loom_str_of(id),
					 .binding = binding,
					 .refs = ref,
					 .ref_count = ref ? 1 : 0};
	struct loom_leslie_warnings warnings = {0};
	struct loom_str made;

	if (loom_leslie_spawn(world->leslie, &opts, world->arena, &made, &warnings, NULL) !=
	    LOOM_OK)
		abort();
}

static enum greatest_test_res payload_is(const struct world *world, const char *id, int status,
					 const char *want)
{
	const char *argv[] = {LOOM_PROGRAM, "payload", "--thread", id, NULL};
	struct child_opts opts = {.cwd = world->temp.path};
	struct child_result result;
	struct loom_str text;
	size_t at = 0;

	ASSERT(child_run(argv, &opts, &result));
	ASSERT_EQ_FMT(status, result.status, "%d");
	text = loom_buf_str(&result.out);
	at = loom_str_find(text, LOOM_STR("## 4. Context Summary\n"), 0);
	if (status == 0)
		ASSERT_STR_EQ(want, text.p + at);
	else
		ASSERT(loom_str_find(loom_buf_str(&result.err), loom_str_of(want), 0) != SIZE_MAX);
	child_fini(&result);
	PASS();
}

TEST own_assets_refs_and_the_global_plan_are_the_three_scopes(void)
{
	struct loom_leslie_target ref = {.thread = LOOM_STR("back")};
	struct world world;

	world_init(&world);
	spawn(&world, "back", NULL, LOOM_LESLIE_BINDING_FROZEN);
	temp_write(&world.temp, ".leslie/threads/back/design/api.md", LOOM_STR("old api\n"));
	temp_write(&world.temp, ".leslie/threads/back/design/deep/er.md", LOOM_STR("deep\n"));
	spawn(&world, "front", &ref, LOOM_LESLIE_BINDING_FROZEN);
	temp_write(&world.temp, ".leslie/threads/back/design/api.md", LOOM_STR("new api\n"));
	temp_write(&world.temp, ".leslie/threads/front/plan.md", LOOM_STR("# Plan\n"));
	ASSERT_EQ(LOOM_OK, loom_leslie_plan_write(world.leslie, LOOM_STR("all of us\n"), NULL));
	CHECK_CALL(payload_is(
		&world, "front", 0,
		"## 4. Context Summary\n\n### Turn\n"
		"- [.leslie/threads/front/plan.md](/.leslie/threads/front/plan.md)\n\n"
		"### Session\n"
		"- [.leslie/threads/back/design/api.md](/.leslie/threads/back/design/api.md)\n"
		"- [.leslie/threads/back/design/deep/er.md]"
		"(/.leslie/threads/back/design/deep/er.md)\n\n"
		"### Global\n"
		"- [.leslie/threads/.global/plan.md](/.leslie/threads/.global/plan.md)\n\n"
		"## 5. Resource Contents\n\n"
		"---\n**Resource:** "
		"`[.leslie/threads/front/plan.md](/.leslie/threads/front/plan.md)`\n"
		"````markdown\n# Plan\n````\n"
		"---\n**Resource:** "
		"`[.leslie/threads/back/design/api.md](/.leslie/threads/back/design/api.md)`\n"
		"````markdown\nold api\n````\n"
		"---\n**Resource:** `[.leslie/threads/back/design/deep/er.md]"
		"(/.leslie/threads/back/design/deep/er.md)`\n"
		"````markdown\ndeep\n````\n"
		"---\n**Resource:** "
		"`[.leslie/threads/.global/plan.md](/.leslie/threads/.global/plan.md)`\n"
		"````markdown\nall of us\n````\n---\n"));
	world_fini(&world);
	PASS();
}

TEST a_live_reference_shows_what_is_there_now(void)
{
	struct loom_str scope = LOOM_STR("plan.md");
	struct loom_leslie_target ref = {.thread = LOOM_STR("back"),
					 .scopes = &scope,
					 .scope_count = 1};
	struct world world;

	world_init(&world);
	spawn(&world, "back", NULL, LOOM_LESLIE_BINDING_LIVE);
	temp_write(&world.temp, ".leslie/threads/back/plan.md", LOOM_STR("old\n"));
	spawn(&world, "front", &ref, LOOM_LESLIE_BINDING_LIVE);
	temp_write(&world.temp, ".leslie/threads/back/plan.md", LOOM_STR("new\n"));
	CHECK_CALL(payload_is(&world, "front", 0,
			      "## 4. Context Summary\n\n### Session\n"
			      "- [.leslie/threads/back/plan.md](/.leslie/threads/back/plan.md)\n\n"
			      "## 5. Resource Contents\n\n---\n**Resource:** "
			      "`[.leslie/threads/back/plan.md](/.leslie/threads/back/plan.md)`\n"
			      "````markdown\nnew\n````\n---\n"));
	world_fini(&world);
	PASS();
}

TEST a_thread_that_is_not_there_is_refused(void)
{
	struct world world;

	world_init(&world);
	CHECK_CALL(payload_is(&world, "nobody", 1, "nobody"));
	world_fini(&world);
	PASS();
}

SUITE(payload_thread)
{
	RUN_TEST(own_assets_refs_and_the_global_plan_are_the_three_scopes);
	RUN_TEST(a_live_reference_shows_what_is_there_now);
	RUN_TEST(a_thread_that_is_not_there_is_refused);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(payload_thread);
	GREATEST_MAIN_END();
}
