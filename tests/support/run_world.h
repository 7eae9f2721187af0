/* A run over a log in memory, and its calls as one word each, for the tests of the lifecycle. */
#ifndef TEST_RUN_WORLD_H
#define TEST_RUN_WORLD_H

#include <loom/log/memlog.h>
#include <loom/log/lifecycle.h>

struct world {
	struct loom_memlog *memlog;
	struct loom_log log;
	struct loom_env env;
	struct loom_arena *arena;
	struct loom_run *run;
	struct loom_run_result result;
	struct loom_run_state state;
};

LOOM_UNUSED static void open_run(struct world *world)
{
	const struct loom_run_opts opts = {.thread = LOOM_STR("t1"),
					   .prompt = LOOM_STR("Base"),
					   .env = &world->env};

	if (loom_run_open(&world->log, &opts, &world->run, &world->result, NULL))
		abort();
}

LOOM_UNUSED static void world_init(struct world *world)
{
	*world = (struct world){.memlog = loom_memlog_create(), .arena = loom_arena_create()};
	loom_env_init_fixed(&world->env, 1700000000000, 3);
	world->log = loom_memlog_log(world->memlog);
	open_run(world);
}

LOOM_UNUSED static void world_fini(struct world *world)
{
	loom_run_close(world->run);
	loom_memlog_destroy(world->memlog);
	loom_arena_destroy(world->arena);
}

/* The answer as the line protocol spells it. */
LOOM_UNUSED static const char *answer(struct world *world, enum loom_status status)
{
	const struct loom_run_result *result = &world->result;

	if (status)
		return loom_status_code(status);
	if (result->answer != LOOM_ANSWER_REJECTED && !result->why)
		return loom_answer_word(result->answer);
	return loom_arena_cstr(world->arena,
			       loom_arena_format(world->arena, "%s:%s",
						 loom_answer_word(result->answer), result->why));
}

LOOM_UNUSED static const char *start(struct world *world, const char *request_id)
{
	const struct loom_message message = {.request_id = loom_str_of(request_id),
					     .content = LOOM_STR("\"Q\"")};

	return answer(world, loom_run_start(world->run, &message, &world->result, NULL));
}

LOOM_UNUSED static const char *assistant(struct world *world, const char *request_id,
					 const char *calls)
{
	const struct loom_message message = {.request_id = loom_str_of(request_id),
					     .content = LOOM_STR("\"A\""),
					     .tool_calls = loom_str_of(calls)};

	return answer(world, loom_run_assistant(world->run, &message, &world->result, NULL));
}

LOOM_UNUSED static const char *tool(struct world *world, const char *request_id)
{
	const struct loom_message message = {.request_id = loom_str_of(request_id),
					     .content = LOOM_STR("\"R\""),
					     .tool_call_id = LOOM_STR("c"),
					     .name = LOOM_STR("n")};

	return answer(world, loom_run_tool_result(world->run, &message, &world->result, NULL));
}

LOOM_UNUSED static const char *steer(struct world *world, const char *content)
{
	const struct loom_steer input = {.content = loom_str_of(content)};

	return answer(world, loom_run_steer(world->run, &input, &world->result, NULL));
}

LOOM_UNUSED static const char *drain(struct world *world)
{
	return answer(world, loom_run_drain(world->run, &world->result, NULL));
}

LOOM_UNUSED static const char *end(struct world *world, const char *request_id,
				   enum loom_run_outcome outcome)
{
	const struct loom_run_ending ending = {loom_str_of(request_id), outcome, {NULL, 0}};

	return answer(world, loom_run_end(world->run, &ending, &world->result, NULL));
}

LOOM_UNUSED static const char *modify(struct world *world, const char *envelope)
{
	return answer(world, loom_run_modify(world->run, loom_str_of(envelope), true,
					     &world->result, NULL));
}

LOOM_UNUSED static const char *replace(struct world *world, const char *op_id, const char *text)
{
	struct loom_str envelope = loom_arena_format(
		world->arena,
		"{\"op_id\":\"%s\",\"operation\":{\"type\":\"replace\",\"result_context\":{\"id\":"
		"\"x\",\"system_prompt\":null,\"entries\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
		"}}",
		op_id, text);

	return modify(world, loom_arena_cstr(world->arena, envelope));
}

LOOM_UNUSED static const char *go(struct world *world, const char *op_id, const char *lane)
{
	struct loom_str envelope = loom_arena_format(
		world->arena,
		"{\"op_id\":\"%s\",\"context_ref\":\"%s\",\"operation\":{\"type\":\"switch\"}}",
		op_id, lane);

	return modify(world, loom_arena_cstr(world->arena, envelope));
}

LOOM_UNUSED static struct loom_run_state *look(struct world *world)
{
	if (loom_run_look(world->run, &world->state, NULL))
		abort();
	return &world->state;
}

/* Everything that a state says, as text. */
LOOM_UNUSED static const char *shown(struct world *world)
{
	const struct loom_run_state *state = look(world);
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_buf_addf(&buf, "active=%d lane=%.*s pending=%.*s cursor=%lld queued=%zu applied=",
		      state->active, LOOM_STR_ARG(state->lane), LOOM_STR_ARG(state->pending_op_id),
		      (long long)state->cursor, state->queued);
	for (size_t i = 0; i < state->applied_count; i++)
		loom_buf_addf(&buf, "%.*s,", LOOM_STR_ARG(state->applied[i]));
	loom_json_init(&json, &buf);
	loom_context_snapshot_json(state->context, state->settled, &json);
	const char *text = loom_arena_cstr(world->arena, loom_buf_str(&buf));
	loom_buf_fini(&buf);
	return text;
}

LOOM_UNUSED static const char *payload_at(struct world *world, size_t index)
{
	return loom_arena_cstr(world->arena, loom_memlog_at(world->memlog, index)->payload);
}

#endif
