/* Voices over a fake server, for the tests of the dialects. Included by tests that link tools. */
#ifndef LOOM_TESTS_SUPPORT_VOICES_H
#define LOOM_TESTS_SUPPORT_VOICES_H

#include <signal.h>

#include <loom/config/config.h>
#include <loom/base/jval.h>

#include "asked.h"
#include "fake.h"

#define CANARY "canary-4f1d-key-9b2e"

struct world {
	struct loom_env env;
	struct loom_loop *loop;
	struct loom_arena *arena;
	struct loom_config config;
	struct loom_voices *voices;
	struct asked asked;
	struct fake fake;
	struct loom_err err;
};

/* The world that a suite's tests ask in, one after the other. */
static struct world world;

static inline const char *world_var(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "CANARY_KEY") == 0 ? CANARY : NULL;
}

/* Closes the open world; does nothing when there is none. */
static inline void world_close(void)
{
	if (!world.loop)
		return;
	loom_voices_destroy(world.voices);
	asked_fini(&world.asked);
	loom_loop_destroy(world.loop);
	loom_arena_destroy(world.arena);
	fake_stop(&world.fake);
	world = (struct world){.loop = NULL};
}

/* A configuration where `$P` stands for the fake server's port. Ends the world before it. */
static inline void world_open(const char *script, const char *config)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	world_close();
	world = (struct world){.arena = loom_arena_create(), .loop = loom_loop_create()};
	signal(SIGPIPE, SIG_IGN);
	loom_env_init_fixed(&world.env, 1000, 7);
	world.env.var = world_var;
	fake_start(&world.fake, script);
	fake_fill(&world.fake, config, &text);
	loom_config_init(&world.config, NULL, world.arena);
	if (loom_config_read(loom_buf_str(&text), LOOM_STR("config.json"), world.arena,
			     &world.config, &world.err) != LOOM_OK) {
		fprintf(stderr, "%s\n", world.err.text);
		abort();
	}
	loom_buf_fini(&text);
	world.voices = loom_voices_create(&(struct loom_voices_opts){.env = &world.env,
								     .loop = world.loop,
								     .config = &world.config});
	asked_init(&world.asked, world.loop, loom_voices_generator(world.voices));
}

static inline void tear_down(void *unused)
{
	(void)unused;
	world_close();
}

/* Asks the model "m" to go on with a text. */
static inline struct loom_generate_request go_on(const char *text, size_t n)
{
	return (struct loom_generate_request){.voice = {.model = LOOM_STR_INIT("m")},
					      .text = loom_str_of(text),
					      .n = n,
					      .tokens = 20,
					      .salt = 5};
}

/* Opens a world, asks, and waits for the end. */
static inline bool world_run(const char *script, const char *config,
			     const struct loom_generate_request *request)
{
	world_open(script, config);
	return asked_run(&world.asked, request, &world.err);
}

static inline struct loom_str record_of(size_t choice)
{
	return loom_buf_str(&world.asked.choices[choice].record);
}

static inline const char *text_of(size_t choice)
{
	return loom_buf_cstr(&world.asked.choices[choice].text);
}

/* Whether a request's body has this member with exactly this value. */
static inline bool sent(int number, const char *key, const char *value)
{
	struct loom_str member = loom_jval_get(loom_jval_of(fake_body(&world.fake, number)), key);

	return value ? loom_str_is(member, value) : !member.p;
}

#endif
