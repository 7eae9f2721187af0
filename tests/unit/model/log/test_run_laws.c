/* The laws of the lifecycle under random commands, and a keeper whose writes fail. */
#include <greatest.h>

#include "support/prop.h"
#include "support/run_world.h"

/* A keeper that fails at the n-th write. */
struct frail {
	struct loom_log inner;
	int left;
};

static bool spent(struct frail *frail)
{
	return frail->left-- <= 0;
}

static enum loom_status frail_append(void *ctx, const struct loom_log_row *row, int64_t *out_seq,
				     struct loom_err *err)
{
	struct frail *frail = ctx;

	if (spent(frail))
		return loom_fail(err, LOOM_FULL, "full");
	return frail->inner.ops->append(frail->inner.ctx, row, out_seq, err);
}

static enum loom_status frail_slot_write(void *ctx, enum loom_slot slot, struct loom_str value,
					 struct loom_err *err)
{
	struct frail *frail = ctx;

	if (spent(frail))
		return loom_fail(err, LOOM_FULL, "full");
	return frail->inner.ops->slot_write(frail->inner.ctx, slot, value, err);
}

#define PASS_ON(name, params, args)                                                                \
	static enum loom_status frail_##name params                                                \
	{                                                                                          \
		const struct frail *frail = ctx;                                                   \
		return frail->inner.ops->name args;                                                \
	}

PASS_ON(head, (void *ctx, int64_t *seq, struct loom_err *err), (frail->inner.ctx, seq, err))
PASS_ON(read,
	(void *ctx, const struct loom_log_range *range, const struct loom_log_visitor *visitor,
	 struct loom_err *err),
	(frail->inner.ctx, range, visitor, err))
PASS_ON(has_op, (void *ctx, struct loom_str op_id, bool *out, struct loom_err *err),
	(frail->inner.ctx, op_id, out, err))
PASS_ON(slot_read, (void *ctx, enum loom_slot slot, struct loom_buf *out, struct loom_err *err),
	(frail->inner.ctx, slot, out, err))
PASS_ON(begin, (void *ctx, struct loom_err *err), (frail->inner.ctx, err))
PASS_ON(commit, (void *ctx, struct loom_err *err), (frail->inner.ctx, err))

static void frail_rollback(void *ctx)
{
	const struct frail *frail = ctx;

	frail->inner.ops->rollback(frail->inner.ctx);
}

static const struct loom_log_ops frail_ops = {
	.lasting = true,
	.head = frail_head,
	.read = frail_read,
	.has_op = frail_has_op,
	.append = frail_append,
	.slot_read = frail_slot_read,
	.slot_write = frail_slot_write,
	.begin = frail_begin,
	.commit = frail_commit,
	.rollback = frail_rollback,
};

TEST a_write_that_fails_leaves_everything_as_it_was(void)
{
	for (int step = 0; step < 5; step++) {
		for (int fail_at = 0; fail_at < 4; fail_at++) {
			struct world world;
			world_init(&world);
			loom_run_close(world.run);
			struct frail frail = {.inner = world.log, .left = 1000};
			world.log = (struct loom_log){.ops = &frail_ops, .ctx = &frail};
			open_run(&world);
			start(&world, "r1");
			steer(&world, "later");
			if (step != 1)
				replace(&world, "o", "new");
			const char *before = shown(&world);
			frail.left = fail_at;
			const char *said = step == 0   ? assistant(&world, "r1", "")
					   : step == 1 ? replace(&world, "o", "new")
					   : step == 2 ? drain(&world)
					   : step == 3 ? end(&world, "r1", LOOM_OUTCOME_FAILED)
						       : steer(&world, "more");
			frail.left = 1000;
			if (strcmp(said, "DISK_FULL") == 0)
				ASSERT_STR_EQ(before, shown(&world));
			else
				ASSERT(strcmp(before, shown(&world)) != 0);
			world_fini(&world);
		}
	}
	PASS();
}

static void random_step(struct world *world, struct prop *prop)
{
	static const char *const lanes[] = {"default", "b", "c"};
	uint64_t draw = prop_next(prop);
	struct loom_str id = loom_arena_format(world->arena, "o%d", (int)(draw >> 8) % 40);

	switch (draw % 9) {
	case 0:
	case 1:
		start(world, "r");
		break;
	case 2:
		assistant(world, "r", draw & 64 ? "[{\"id\":\"c\"}]" : "");
		break;
	case 3:
		tool(world, "r");
		break;
	case 4:
		steer(world, "s");
		break;
	case 5:
		drain(world);
		break;
	case 6:
		end(world, "r", (enum loom_run_outcome)(draw >> 16 & 3));
		break;
	case 7:
		replace(world, id.p, id.p);
		break;
	default:
		go(world, id.p, lanes[(draw >> 20) % LOOM_COUNT(lanes)]);
		break;
	}
}

/* The law that the whole design rests on. */
static bool materialized_is_projected(struct world *world)
{
	const struct loom_run_state *state = look(world);
	struct loom_context projected;
	struct loom_buf texts[2] = {LOOM_BUF_INIT(LOOM_BUF_MAX), LOOM_BUF_INIT(LOOM_BUF_MAX)};
	const struct loom_project_opts opts = {.thread = LOOM_STR("t1"),
					       .lane = state->lane,
					       .at = LOOM_SEQ_HEAD,
					       .prompt = LOOM_STR("Base")};
	struct loom_json json;

	if (loom_project(&world->log, &opts, world->arena, &projected, NULL))
		abort();
	loom_json_init(&json, &texts[0]);
	loom_context_snapshot_json(&projected, SIZE_MAX, &json);
	loom_json_init(&json, &texts[1]);
	loom_context_snapshot_json(state->context, SIZE_MAX, &json);
	bool same = loom_str_eq(loom_buf_str(&texts[0]), loom_buf_str(&texts[1]));
	loom_buf_fini(&texts[0]);
	loom_buf_fini(&texts[1]);
	return same && (state->active || state->settled == state->context->count);
}

TEST materialized_is_projected_after_any_commands(void)
{
	struct prop prop;

	prop_init(&prop, "materialized_is_projected_after_any_commands");
	for (int round = 0; round < 15; round++) {
		struct world world;
		world_init(&world);
		for (int i = 0; i < 60; i++) {
			random_step(&world, &prop);
			ASSERT(materialized_is_projected(&world));
		}
		world_fini(&world);
	}
	PASS();
}

/* Nobody looks at one of two worlds in which the same happens. */
TEST a_look_changes_nothing(void)
{
	struct prop prop;

	prop_init(&prop, "a_look_changes_nothing");
	for (int round = 0; round < 40; round++) {
		struct world seen;
		struct world unseen;
		struct prop same = prop;

		world_init(&seen);
		world_init(&unseen);
		for (size_t i = 0; i < 1 + (size_t)round; i++) {
			random_step(&seen, &prop);
			(void)look(&seen);
			random_step(&unseen, &same);
		}
		ASSERT_STR_EQ(shown(&seen), shown(&unseen));
		ASSERT_EQ(look(&seen)->status, look(&unseen)->status);
		ASSERT_EQ(look(&seen)->context->count, look(&unseen)->context->count);
		world_fini(&seen);
		world_fini(&unseen);
	}
	PASS();
}

TEST a_restart_between_runs_changes_nothing(void)
{
	struct prop prop;

	prop_init(&prop, "a_restart_between_runs_changes_nothing");
	for (int round = 0; round < 15; round++) {
		struct world world;
		world_init(&world);
		for (int i = 0; i < 60; i++) {
			random_step(&world, &prop);
			if (look(&world)->active)
				continue;
			const char *before = shown(&world);
			loom_run_close(world.run);
			open_run(&world);
			ASSERT_STR_EQ(before, shown(&world));
		}
		world_fini(&world);
	}
	PASS();
}

TEST replaying_applied_operations_adds_nothing(void)
{
	struct prop prop;
	struct world world;

	prop_init(&prop, "replaying_applied_operations_adds_nothing");
	world_init(&world);
	for (int i = 0; i < 300; i++)
		random_step(&world, &prop);
	if (look(&world)->active)
		end(&world, "r", LOOM_OUTCOME_COMPLETED);
	const char *before = shown(&world);
	size_t count = loom_memlog_count(world.memlog);
	for (size_t i = 0; i < count; i++) {
		const struct loom_log_row *row = loom_memlog_at(world.memlog, i);
		if (loom_str_is(row->kind, LOOM_KIND_OP))
			ASSERT_STR_EQ("noop", modify(&world, payload_at(&world, i)));
	}
	ASSERT_EQ(count, loom_memlog_count(world.memlog));
	ASSERT_STR_EQ(before, shown(&world));
	world_fini(&world);
	PASS();
}

SUITE(run_laws)
{
	RUN_TEST(a_write_that_fails_leaves_everything_as_it_was);
	RUN_TEST(materialized_is_projected_after_any_commands);
	RUN_TEST(a_look_changes_nothing);
	RUN_TEST(a_restart_between_runs_changes_nothing);
	RUN_TEST(replaying_applied_operations_adds_nothing);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(run_laws);
	GREATEST_MAIN_END();
}
