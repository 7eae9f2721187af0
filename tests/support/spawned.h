/* Spawned threads in Marie's project: one that she works in, thread-mine, and thread-backend, which
 * has files. */
#ifndef TEST_SUPPORT_SPAWNED_H
#define TEST_SUPPORT_SPAWNED_H

#include <loom/leslie/leslie.h>

#include "support/marie.h"

static inline void spawned_thread(struct marie *m, struct loom_leslie *leslie, const char *id)
{
	struct loom_leslie_spawn opts = {.objective = LOOM_STR("obj-write"),
					 .intent = loom_str_of(id),
					 .id = loom_str_of(id)};
	struct loom_leslie_warnings warnings = {.items = NULL};
	struct loom_leslie_err err = {.code = NULL};
	struct loom_str made;

	marie_must(loom_leslie_spawn(leslie, &opts, m->grove.arena, &made, &warnings, &err),
		   &err.err);
}

/* Spawns both and gives Marie the first. */
static inline void spawned_init(struct marie *m)
{
	struct loom_leslie_opts opts = {.env = &m->grove.env,
					.operator_ = "user",
					.start = m->grove.temp.path};
	struct loom_leslie *leslie = NULL;
	struct loom_leslie_err why = {.code = NULL};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_str objective;
	int64_t thread = 0;

	marie_must(loom_leslie_open(&opts, &leslie, &err), &err);
	marie_must(loom_objective_new(leslie, LOOM_STR("Write"), LOOM_STR("obj-write"),
				      m->grove.arena, &objective, &why),
		   &why.err);
	spawned_thread(m, leslie, "thread-mine");
	spawned_thread(m, leslie, "thread-backend");
	loom_leslie_close(leslie);
	temp_write(&m->grove.temp, ".leslie/threads/thread-backend/plan.md", LOOM_STR("v1"));
	temp_write(&m->grove.temp, ".leslie/threads/thread-backend/design/api.md",
		   LOOM_STR("the api"));
	temp_write(&m->grove.temp, ".leslie/threads/thread-backend/artifacts/code/a.c",
		   LOOM_STR("int a;"));
	marie_must(loom_quiet_begin(m->grove.store, &err), &err);
	marie_must(loom_quiet_end(m->grove.store,
				  loom_thread_create(m->grove.store, LOOM_STR("thread-mine"),
						     m->agent, m->tree, &thread, &err),
				  &err),
		   &err);
	m->opts.thread = thread;
	marie_engine(m, m->agent);
}

#endif
