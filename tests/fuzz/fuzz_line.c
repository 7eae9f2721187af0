/* Command lines: any bytes as arguments of `loom do`, and as paths that a terminal pastes. A call
 * is printed as a line that reads as the same call; a path as one that reads as that path. */
#include "support/same_call.h"
#include "tests/fuzz/fuzz.h"

#include <loom/writing/paths.h>

#define MAX_ARGS 32

static void check_argv(struct loom_str rest, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_refusal refusal;
	struct loom_call call;
	struct loom_call again;
	struct loom_str word;
	char *argv[MAX_ARGS];
	int argc = 0;

	while (argc < MAX_ARGS && loom_str_cut(&rest, '\n', &word))
		argv[argc++] = loom_arena_cstr(arena, word);
	if (loom_parse_argv(arena, argc, argv, &call, &refusal) == LOOM_OK) {
		loom_call_print(&call, &text);
		must(loom_parse_line(arena, loom_buf_str(&text), &again, &refusal) == LOOM_OK);
		again.unterminated = call.unterminated;
		must(same_call(&call, &again));
	}
	loom_buf_fini(&text);
}

static void check_paths(struct loom_str line, struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char **paths = NULL;
	const char **again = NULL;
	size_t count = tui_paths_read(line, LOOM_STR("/srv/me"), arena, &paths);

	for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
		if (!*paths[i])
			continue;
		loom_buf_clear(&out);
		tui_path_spell(loom_str_of(paths[i]), &out);
		must(tui_paths_read(loom_buf_str(&out), LOOM_STR("/srv/me"), arena, &again) == 1);
		must(strcmp(paths[i], again[0]) == 0);
	}
	loom_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_arena *arena = loom_arena_create();

	check_argv(fuzz_text(data, size, 0), arena);
	check_paths(fuzz_text(data, size, 0), arena);
	loom_arena_destroy(arena);
	return 0;
}
