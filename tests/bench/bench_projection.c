/* A long log made into what its lane is told: from an anchor near its end, and from the first row,
 * each beside the time that the figure allows. */
#include "bench/bench.h"

#include <loom/log/projection.h>
#include <loom/work/thread.h>
#include <loom/work/thread_log.h>

#include "support/clock.h"
#include "support/grove.h"

#define LANE       "main"
#define BEHIND     100 /* rows behind the anchor */
#define SLICE_ROWS 5000

struct long_log {
	struct grove grove;
	struct loom_thread_log *keeper;
	struct loom_log log;
	int64_t rows;
};

static void must(enum loom_status status, struct loom_err *err, const char *what)
{
	grove_must(status, err, what);
}

static void append(struct long_log *state, const char *kind, const char *payload)
{
	const struct loom_log_row row = {.at_ms = 1771840800000 + state->rows,
					 .kind = loom_str_of(kind),
					 .payload = loom_str_of(payload)};
	struct loom_err err = {.status = LOOM_OK};
	int64_t seq = 0;

	must(loom_log_append(&state->log, &row, &seq, &err), &err, "append");
	state->rows++;
}

static void append_message(struct long_log *state)
{
	char payload[300];

	snprintf(payload, sizeof payload,
		 "{\"context_ref\":\"" LANE
		 "\",\"role\":\"%s\",\"content\":\"row %lld: she had not "
		 "been there since the winter; nobody spoke, and the letter lay where it had "
		 "lain.\"}",
		 state->rows % 2 ? "assistant" : "user", (long long)state->rows);
	append(state, LOOM_KIND_MESSAGE, payload);
}

static void append_rows(struct long_log *state, int64_t through)
{
	struct loom_err err = {.status = LOOM_OK};

	while (state->rows < through) {
		const int64_t end =
			state->rows + SLICE_ROWS < through ? state->rows + SLICE_ROWS : through;

		must(state->log.ops->begin(state->log.ctx, &err), &err, "begin");
		while (state->rows < end)
			append_message(state);
		must(state->log.ops->commit(state->log.ctx, &err), &err, "commit");
	}
}

static void append_anchor(struct long_log *state)
{
	struct loom_err err = {.status = LOOM_OK};

	must(state->log.ops->begin(state->log.ctx, &err), &err, "begin");
	append(state, LOOM_KIND_OP,
	       "{\"op_id\":\"o\",\"context_ref\":\"" LANE "\",\"operation\":{\"type\":"
	       "\"replace\",\"reason\":\"manual\",\"result_context\":{\"id\":\"c\","
	       "\"system_prompt\":null,\"entries\":[]}}}");
	must(state->log.ops->commit(state->log.ctx, &err), &err, "commit");
}

static void *open_log(size_t size, bool anchored)
{
	struct long_log *state = loom_alloc(sizeof *state);
	struct loom_thread thread;
	struct loom_err err = {.status = LOOM_OK};
	int64_t tree = 0;

	grove_init(&state->grove);
	tree = grove_tree(&state->grove, LOOM_DIALOGUE, "Once.");
	must(loom_quiet_begin(state->grove.store, &err), &err, "begin");
	must(loom_thread_ensure(state->grove.store, state->grove.owner, tree, state->grove.arena,
				&thread, &err),
	     &err, "thread");
	must(loom_quiet_end(state->grove.store, LOOM_OK, &err), &err, "end");
	must(loom_thread_log_open(state->grove.store, thread.id, NULL, &state->keeper, &err), &err,
	     "log");
	state->log = loom_thread_log_face(state->keeper);
	append_rows(state, (int64_t)size - (anchored ? BEHIND + 1 : 0));
	if (anchored) {
		append_anchor(state);
		append_rows(state, (int64_t)size);
	}
	return state;
}

static void *open_anchored(size_t size)
{
	return open_log(size, true);
}

static void *open_plain(size_t size)
{
	return open_log(size, false);
}

static void close_log(void *closed)
{
	struct long_log *state = closed;

	loom_thread_log_close(state->keeper);
	grove_fini(&state->grove);
	free(state);
}

static double project(void *opened)
{
	struct long_log *state = opened;
	const struct loom_project_opts opts = {.thread = LOOM_STR("t"),
					       .lane = LOOM_STR(LANE),
					       .at = LOOM_SEQ_HEAD};
	struct loom_arena *arena = loom_arena_create();
	struct loom_context context;
	struct loom_err err = {.status = LOOM_OK};
	int64_t before = clock_ns();
	double took;

	must(loom_project(&state->log, &opts, arena, &context, &err), &err, "project");
	took = (double)(clock_ns() - before) / 1e6;
	if (context.count != (context.anchor_seq == LOOM_SEQ_NONE ? (size_t)state->rows : BEHIND))
		exit(98);
	loom_arena_destroy(arena);
	return took;
}

static const struct bench_row rows[] = {
	{
		.name = "projection: anchored near the end",
		.ours = "100,000 rows, a hundred behind the anchor",
		.unit = "ms",
		.limit = 3,
		.size = 100000,
		.small = 10000,
		.open = open_anchored,
		.close = close_log,
		.run = project,
	},
	{
		.name = "projection: every row",
		.ours = "100,000 rows, no anchor",
		.unit = "ms",
		.limit = 300,
		.size = 100000,
		.small = 10000,
		.open = open_plain,
		.close = close_log,
		.run = project,
	},
};

const struct bench_suite bench_projection = {"projection", rows, LOOM_COUNT(rows)};
