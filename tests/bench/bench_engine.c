/* Calls of the language: understood, permitted and run, in one process. */
#include "bench/bench.h"

#include <loom/engine/engine.h>
#include <loom/grove/grant.h>
#include <loom/language/parse.h>

#include "support/grove.h"
#include "support/prop.h"

#define NODES 2000

/* A tree with marks and notes here and there, and an agent who may look at it. */
struct desk {
	struct grove grove;
	struct loom_engine *engine;
	struct loom_arena *arena; /* of a line */
	char names[NODES][LOOM_LOCAL_MAX];
	size_t calls;
	size_t at;
};

static void fill(struct desk *desk, int64_t tree)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_str text = LOOM_STR("She had not been there since the winter. Nobody spoke.");
	int64_t nodes[NODES] = {grove_root(&desk->grove, tree)};
	struct prop prop;

	prop_init_seed(&prop, 7);
	grove_begin(&desk->grove, "fill");
	for (size_t i = 1; i < NODES; i++) {
		struct loom_node_spec spec = {
			.from = nodes[(size_t)prop_between(&prop, 0, (int64_t)i - 1)],
			.text = text,
			.author = desk->grove.owner,
			.seq = -1};

		grove_must(loom_node_create(desk->grove.store, &spec, &nodes[i], &err), &err,
			   "node");
	}
	grove_commit(&desk->grove);
	for (size_t i = 0; i < NODES; i++)
		snprintf(desk->names[i], LOOM_LOCAL_MAX, "%s", grove_name(&desk->grove, nodes[i]));
	for (size_t i = 0; i < NODES; i += 50)
		grove_note(&desk->grove, nodes[i], "a note");
}

static void *open_desk(size_t size)
{
	struct desk *desk = loom_alloc(sizeof *desk);
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent agent;
	struct loom_grant grant = {.may = LOOM_MAY_AWARE};
	struct loom_engine_opts opts = {.agent = 0};

	grove_init(&desk->grove);
	desk->arena = loom_arena_create();
	desk->calls = size;
	opts.tree = grove_tree(&desk->grove, LOOM_DIALOGUE, "Begin.");
	fill(desk, opts.tree);
	grove_must(loom_agent_get(desk->grove.store, desk->grove.model, desk->grove.arena, &agent,
				  &err),
		   &err, "agent");
	grove_must(loom_grant_set(desk->grove.store, &agent.ulid, &grant, &err), &err, "grant");
	opts.store = desk->grove.store;
	opts.agent = agent.id;
	grove_must(loom_engine_open(&opts, &desk->engine, &err), &err, "engine");
	return desk;
}

static void close_desk(void *state)
{
	struct desk *desk = state;

	loom_engine_close(desk->engine);
	loom_arena_destroy(desk->arena);
	grove_fini(&desk->grove);
	free(desk);
}

static void view(struct desk *desk)
{
	char line[64];
	int n = snprintf(line, sizeof line, "view %s", desk->names[desk->at++ % NODES]);
	struct loom_refusal refusal;
	struct loom_result result;
	struct loom_call call;

	loom_arena_reset(desk->arena);
	if (loom_parse_line(desk->arena, loom_str_make(line, (size_t)n), &call, &refusal) !=
	    LOOM_OK)
		abort();
	call.line = 1; /* as in a turn */
	(void)loom_engine_call(desk->engine, &call, &result);
	if (result.status != LOOM_OK)
		abort();
}

static double view_many(void *state)
{
	struct desk *desk = state;
	struct loom_err err = {.status = LOOM_OK};
	int64_t begin = loom_env_ticks();

	grove_must(loom_engine_turn(desk->engine, -1, &err), &err, "turn");
	for (size_t i = 0; i < desk->calls; i++)
		view(desk);
	return (double)(loom_env_ticks() - begin) / 1000.0 / (double)desk->calls;
}

static const struct bench_row ROWS[] = {
	{
		.name = "engine: a view, from line to result",
		.ours = "parse, permission and run of view",
		.unit = "us",
		.limit = 20,
		.size = 20000,
		.small = 2000,
		.open = open_desk,
		.close = close_desk,
		.run = view_many,
	},
};

const struct bench_suite bench_engine = {"engine", ROWS, LOOM_COUNT(ROWS)};
