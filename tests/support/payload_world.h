/* A project of a test's own that an input.md is built of, for the suites of the payload. */
#ifndef LOOM_TESTS_SUPPORT_PAYLOAD_WORLD_H
#define LOOM_TESTS_SUPPORT_PAYLOAD_WORLD_H

#include <loom/payload.h>

#include "support/child.h"
#include "support/temp.h"

/* The project and what was built of it. */
struct world {
	struct temp temp;
	struct loom_root root;
	struct loom_arena *arena;
	struct loom_payload_opts opts;
	struct loom_payload payload;
};

static inline void world_init(struct world *world)
{
	*world = (struct world){.arena = loom_arena_create()};
	temp_init(&world->temp);
	if (loom_root_open(world->temp.path, &world->root, NULL) != LOOM_OK)
		abort();
	world->opts = (struct loom_payload_opts){
		.place = {.root = &world->root, .root_path = loom_str_of(world->temp.path)},
		.os = "Linux 6.1.0",
		.shell = "/bin/bash",
	};
}

static inline void world_fini(struct world *world)
{
	loom_payload_fini(&world->payload);
	loom_root_close(&world->root);
	loom_arena_destroy(world->arena);
	temp_fini(&world->temp);
}

static inline void put(const struct world *world, const char *name, const char *text)
{
	temp_write(&world->temp, name, loom_str_of(text));
}

static inline void put_turn(const struct world *world, const char *text)
{
	put(world, ".teddy/s/01/turn.context", text);
}

static inline enum loom_status build(struct world *world)
{
	loom_payload_fini(&world->payload);
	return loom_payload_build(&world->opts, world->arena, &world->payload, NULL);
}

static inline const char *text_of(const struct world *world)
{
	return loom_buf_cstr(&world->payload.text);
}

static inline bool has(const struct world *world, const char *part)
{
	return loom_str_find(loom_buf_str(&world->payload.text), loom_str_of(part), 0) != SIZE_MAX;
}

static inline size_t occurrences(struct loom_str text, const char *part)
{
	size_t count = 0;
	size_t at = 0;

	while ((at = loom_str_find(text, loom_str_of(part), at)) != SIZE_MAX) {
		count++;
		at++;
	}
	return count;
}

static inline size_t times(const struct world *world, const char *part)
{
	return occurrences(loom_buf_str(&world->payload.text), part);
}

static inline bool warned(const struct world *world, const char *part)
{
	for (size_t i = 0; i < world->payload.warning_count; i++)
		if (loom_str_find(world->payload.warnings[i], loom_str_of(part), 0) != SIZE_MAX)
			return true;
	return false;
}

#define ASSERT_BUILT(world)       ASSERT_EQ(LOOM_OK, build(world))
#define ASSERT_HAS(world, part)   ASSERTm(part, has(world, part))
#define ASSERT_LACKS(world, part) ASSERT_FALSEm(part, has(world, part))

/* The document as cmark's XML; false when cmark is not there. */
static inline bool parse(const struct world *world, struct loom_buf *out)
{
	const char *argv[] = {"cmark", "-t", "xml", NULL};
	struct child_opts opts = {.input = loom_buf_str(&world->payload.text)};
	struct child_result result;
	bool parsed = child_run(argv, &opts, &result) && result.status == 0;

	if (parsed)
		loom_buf_add(out, loom_buf_str(&result.out));
	child_fini(&result);
	return parsed;
}

#endif
