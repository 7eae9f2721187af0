/* Any text as one that may hold a thread's context: it is read or its faults are told with their
 * lines, and what was read says the same when it is written and read again. */
#include <loom/shared/thread_context.h>

#include "tests/fuzz/fuzz.h"

static size_t lines_of(struct loom_str text)
{
	size_t lines = 1;

	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	return lines;
}

static void read_it(struct loom_str text, struct loom_arena *arena, struct loom_thread_context *out)
{
	struct loom_context_problems problems;
	struct loom_err err = {.status = LOOM_OK};

	must(loom_thread_context_parse(text, arena, out, &problems, &err) == LOOM_OK);
	for (size_t i = 0; i < problems.count; i++) {
		must(problems.items[i].message.n > 0);
		must(problems.items[i].line >= 1 && problems.items[i].line <= lines_of(text));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf once = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf twice = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread_context context;

	read_it(fuzz_text(data, size, 0), arena, &context);
	if (loom_thread_context_emit(&context, &once, NULL) == LOOM_OK) {
		read_it(loom_buf_str(&once), arena, &context);
		must(loom_thread_context_emit(&context, &twice, NULL) == LOOM_OK);
		must(loom_str_eq(loom_buf_str(&once), loom_buf_str(&twice)));
	}
	loom_buf_fini(&once);
	loom_buf_fini(&twice);
	loom_arena_destroy(arena);
	return 0;
}
