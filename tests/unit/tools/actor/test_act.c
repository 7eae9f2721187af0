/* An actor's end: what it was lent is given back once, and not before the worker is through with
 * it. */
#include <greatest.h>

#include <semaphore.h>

#include <loom/actor/act.h>

#include "support/marie.h"
#include "support/ok.h"

static struct marie marie;

/* A call's record is written on the worker: there it waits until the actor was destroyed. */
struct scene {
	struct loom_loop *loop;
	struct loom_worker *worker;
	struct loom_actor *actor;
	struct loom_turn *turn;
	struct loom_arena *arena;
	struct loom_engine_log log;
	sem_t recording;
	sem_t go_on;
	_Atomic bool recorded;
	size_t results;
	size_t dones;
	size_t gones;
	bool gone_early;
};

static void set_up(void *unused)
{
	(void)unused;
	marie_init(&marie, LOOM_DIALOGUE);
	loom_engine_close(marie.engine);
	marie.engine = NULL;
}

static void tear_down(void *unused)
{
	(void)unused;
	marie_fini(&marie);
}

static enum loom_status record(void *ctx, struct loom_store *store,
			       const struct loom_engine_record *what, struct loom_err *err)
{
	struct scene *scene = ctx;

	(void)store;
	(void)what;
	(void)err;
	sem_post(&scene->recording);
	while (sem_wait(&scene->go_on) != 0)
		continue;
	scene->recorded = true;
	return LOOM_OK;
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct scene *scene = ctx;

	(void)act;
	(void)result;
	scene->results++;
}

static void on_done(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct scene *scene = ctx;

	(void)status;
	(void)err;
	scene->dones++;
}

static void on_gone(void *ctx)
{
	struct scene *scene = ctx;

	scene->gones++;
	scene->gone_early = !scene->recorded;
}

static void begin_scene(struct scene *scene)
{
	struct loom_worker_opts worker = {.open = grove_writer_open,
					  .close = grove_writer_close,
					  .ctx = &marie.grove};
	struct loom_actor_opts opts = {
		.sink = {.result = on_result, .done = on_done, .gone = on_gone, .ctx = scene}};

	*scene = (struct scene){.arena = loom_arena_create()};
	sem_init(&scene->recording, 0, 0);
	sem_init(&scene->go_on, 0, 0);
	scene->log = (struct loom_engine_log){.record = record, .ctx = scene};
	scene->loop = worker.loop = opts.loop = loom_loop_create();
	scene->worker = opts.worker = loom_worker_create(&worker);
	opts.engine = marie.opts;
	opts.engine.store = NULL;
	opts.engine.log = &scene->log;
	scene->actor = loom_actor_create(&opts);
}

static void begin_acts(struct scene *scene, const char *said)
{
	struct loom_buf real = LOOM_BUF_INIT(4096);
	struct loom_act *acts = NULL;
	size_t count = 0;

	scene->turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	marie_translate(&marie, loom_str_of(said), true, &real);
	loom_turn_feed(scene->turn, loom_buf_str(&real));
	loom_turn_end(scene->turn);
	loom_acts_of(scene->turn, 0, 0, scene->arena, &acts, &count);
	loom_actor_act(scene->actor, acts, count);
	loom_buf_fini(&real);
}

static void end_scene(struct scene *scene)
{
	loom_worker_destroy(scene->worker);
	loom_loop_destroy(scene->loop);
	loom_turn_destroy(scene->turn);
	loom_arena_destroy(scene->arena);
	sem_destroy(&scene->recording);
	sem_destroy(&scene->go_on);
}

static void destroy_in_mid_call(struct scene *scene)
{
	begin_scene(scene);
	begin_acts(scene, "→ bookmark a7x2\n→ bookmark a7x2");
	while (sem_trywait(&scene->recording) != 0)
		(void)loom_loop_step(scene->loop, 1);
	loom_actor_destroy(scene->actor);
}

TEST who_destroys_an_actor_in_mid_call_hears_when_it_needs_nothing_more(void)
{
	struct scene scene;

	destroy_in_mid_call(&scene);
	(void)loom_loop_step(scene.loop, 1);
	ASSERT_EQ(0, scene.gones);
	sem_post(&scene.go_on);
	while (!scene.gones)
		(void)loom_loop_step(scene.loop, 1000);
	ASSERT_FALSE(scene.gone_early);
	end_scene(&scene);
	ASSERT_EQ(1, scene.gones);
	ASSERT_EQm("the sink of a destroyed actor heard a result", 0, scene.results);
	ASSERT_EQm("the sink of a destroyed actor heard an end", 0, scene.dones);
	PASS();
}

TEST a_worker_that_ends_brings_its_actors_to_their_end(void)
{
	struct scene scene;

	destroy_in_mid_call(&scene);
	sem_post(&scene.go_on);
	end_scene(&scene);
	ASSERT_EQ(1, scene.gones);
	ASSERT_FALSE(scene.gone_early);
	PASS();
}

TEST an_idle_actor_is_gone_when_its_engine_is_closed(void)
{
	struct scene scene;

	begin_scene(&scene);
	sem_post(&scene.go_on);
	begin_acts(&scene, "→ bookmark a7x2");
	while (!scene.dones)
		(void)loom_loop_step(scene.loop, 1000);
	loom_actor_destroy(scene.actor);
	while (!scene.gones)
		(void)loom_loop_step(scene.loop, 1000);
	end_scene(&scene);
	ASSERT_EQ(1, scene.results);
	ASSERT_EQ(1, scene.gones);
	PASS();
}

SUITE(act)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(who_destroys_an_actor_in_mid_call_hears_when_it_needs_nothing_more);
	RUN_TEST(a_worker_that_ends_brings_its_actors_to_their_end);
	RUN_TEST(an_idle_actor_is_gone_when_its_engine_is_closed);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(act);
	GREATEST_MAIN_END();
}
