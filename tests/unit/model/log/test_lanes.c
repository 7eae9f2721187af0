/* Lanes as people move among them: back to a row, a copy of a lane, on in another one. */
#include <greatest.h>

#include "support/prop.h"
#include "support/run_world.h"

enum { ROUNDS = 20, STEPS = 40 };

static const char *restore(struct world *world, const char *lane, int64_t at, const char *into)
{
	const struct loom_restoring what = {.lane = loom_str_of(lane),
					    .at = at,
					    .into = loom_str_of(into)};

	return answer(world, loom_run_restore(world->run, &what, &world->result, NULL));
}

static const char *on_in(struct world *world, const char *lane)
{
	return answer(world, loom_run_switch(world->run, loom_str_of(lane), &world->result, NULL));
}

/* What a lane holds at a row, without the id that its log gives it. */
static const char *held(struct world *world, const char *lane, int64_t at)
{
	const struct loom_project_opts opts = {.thread = LOOM_STR("t1"),
					       .lane = loom_str_of(lane),
					       .at = at,
					       .prompt = LOOM_STR("Base")};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_context context;
	struct loom_json json;
	const char *out = NULL;

	if (loom_project(&world->log, &opts, world->arena, &context, NULL))
		abort();
	loom_json_init(&json, &text);
	loom_context_messages_json(&context, NULL, &json);
	out = loom_arena_cstr(world->arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return out;
}

static void turn(struct world *world)
{
	start(world, "r");
	assistant(world, "r", "");
	end(world, "r", LOOM_OUTCOME_COMPLETED);
}

static const struct loom_lane_list *listed(struct world *world, int64_t at)
{
	struct loom_lane_list *list = loom_arena_alloc(world->arena, sizeof *list);

	if (loom_lane_list(&world->log, at, world->arena, list, NULL))
		abort();
	return list;
}

TEST a_lane_goes_back_to_what_it_held_at_any_row(void)
{
	struct prop prop;

	prop_init(&prop, "a_lane_goes_back_to_what_it_held_at_any_row");
	for (int round = 0; round < ROUNDS; round++) {
		struct world world;

		world_init(&world);
		for (int step = 0; step < STEPS; step++) {
			const int64_t head = (int64_t)loom_memlog_count(world.memlog) - 1;
			const int64_t at = prop_between(&prop, -1, head);
			const char *lane = loom_arena_cstr(world.arena, look(&world)->lane);
			const char *before = held(&world, lane, at);

			switch (prop_below(&prop, 3)) {
			case 0:
				turn(&world);
				continue;
			case 1:
				ASSERT_STR_EQ("applied", restore(&world, "", at, ""));
				break;
			default:
				ASSERT_STR_EQ("applied",
					      restore(&world, "", at,
						      loom_arena_cstr(world.arena,
								      loom_arena_format(world.arena,
											"fork%d",
											step))));
				ASSERT_STR_EQ(before, held(&world, lane, at));
				break;
			}
			lane = loom_arena_cstr(world.arena, look(&world)->lane);
			ASSERT_STR_EQ(before, held(&world, lane, LOOM_SEQ_HEAD));
		}
		world_fini(&world);
	}
	PASS();
}

TEST a_fork_leaves_the_lane_it_comes_from(void)
{
	struct world world;
	const char *before = NULL;

	world_init(&world);
	turn(&world);
	before = held(&world, "default", LOOM_SEQ_HEAD);
	ASSERT_STR_EQ("applied", restore(&world, "", 0, "idea"));
	ASSERT(loom_str_is(look(&world)->lane, "idea"));
	turn(&world);
	ASSERT_STR_EQ(before, held(&world, "default", LOOM_SEQ_HEAD));
	ASSERT_STR_EQ("applied", on_in(&world, "default"));
	ASSERT(loom_str_is(look(&world)->lane, "default"));
	ASSERT_STR_EQ("applied", restore(&world, "idea", LOOM_SEQ_HEAD, "copy"));
	ASSERT_STR_EQ(held(&world, "idea", LOOM_SEQ_HEAD), held(&world, "copy", LOOM_SEQ_HEAD));
	world_fini(&world);
	PASS();
}

TEST what_is_not_there_is_refused(void)
{
	struct world world;

	world_init(&world);
	turn(&world);
	ASSERT_STR_EQ("noop:no_such_lane", restore(&world, "nowhere", 0, ""));
	ASSERT_STR_EQ("noop:lane_exists", restore(&world, "", 0, "default"));
	ASSERT_STR_EQ("noop:no_such_row", restore(&world, "", 2, ""));
	ASSERT_STR_EQ("noop:no_such_lane", on_in(&world, "nowhere"));
	ASSERT_EQ(2, loom_memlog_count(world.memlog));
	world_fini(&world);
	PASS();
}

TEST a_lane_says_where_it_begins_and_what_waits(void)
{
	const struct loom_compaction order = {.summary = LOOM_STR("in short"), .through_seq = 1};
	const struct loom_lane_list *list = NULL;
	struct world world;

	world_init(&world);
	list = listed(&world, LOOM_SEQ_HEAD);
	ASSERT_EQ(1, list->count);
	ASSERT(list->items[0].active && list->items[0].last == LOOM_SEQ_NONE);
	turn(&world);
	turn(&world);
	ASSERT_STR_EQ("applied",
		      answer(&world, loom_run_compact(world.run, &order, &world.result, NULL)));
	restore(&world, "", 1, "idea");
	start(&world, "r");
	ASSERT_STR_EQ("deferred", on_in(&world, "default"));
	list = listed(&world, LOOM_SEQ_HEAD);
	ASSERT_EQ(2, list->count);
	ASSERT(loom_str_is(list->items[0].name, "default") && !list->items[0].active);
	ASSERT(loom_str_is(list->items[0].reason, "compaction"));
	ASSERT_EQ(4, list->items[0].anchor);
	ASSERT_EQ(0, list->items[0].from);
	ASSERT_EQ(1, list->items[0].through);
	ASSERT_EQ(4, list->items[0].last);
	ASSERT(loom_str_is(list->items[1].name, "idea") && list->items[1].active);
	ASSERT(loom_str_is(list->items[1].reason, "restore"));
	ASSERT_EQ(6, list->items[1].last);
	ASSERT(loom_str_is(list->waiting.type, "switch"));
	ASSERT(loom_str_is(list->waiting.lane, "default"));
	ASSERT(loom_str_is(list->run, "r"));
	list = listed(&world, 3);
	ASSERT_EQ(1, list->count);
	ASSERT_EQ(LOOM_SEQ_NONE, list->items[0].anchor);
	ASSERT_EQ(3, list->items[0].last);
	world_fini(&world);
	PASS();
}

SUITE(lanes)
{
	RUN_TEST(a_lane_goes_back_to_what_it_held_at_any_row);
	RUN_TEST(a_fork_leaves_the_lane_it_comes_from);
	RUN_TEST(what_is_not_there_is_refused);
	RUN_TEST(a_lane_says_where_it_begins_and_what_waits);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(lanes);
	GREATEST_MAIN_END();
}
