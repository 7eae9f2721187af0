/* Usages and command lines: the first line is a usage, every other one an argument. Whatever is
 * accepted must be found again under its name, and all positionals given out. */
#include <stdint.h>

#include <loom/cli/services.h>
#include "tests/fuzz/fuzz.h"

#define MAX_ARGS 64

/* The values of the specification's items, counted through the public functions. */
static void look_up(struct loom_arena *arena, const struct tool_spec *spec,
		    const struct loom_args *args)
{
	for (size_t i = 0; i < spec->count; i++) {
		const struct tool_item *item = &spec->items[i];
		const char *name = loom_arena_cstr(arena, item->name);
		size_t count = loom_args_count(args, name);

		must(item->repeats || item->kind == TOOL_FLAG || count <= 1);
		must(loom_args_has(args, name) == (count > 0));
		must(!loom_args_at(args, name, count));
		if (item->number && count)
			must(loom_args_number(args, name, -1) >= 0);
	}
}

static void read_line(struct loom_arena *arena, struct tool_reader *reader,
		      const struct tool_spec *spec)
{
	struct tool_spec global = tool_spec_global(arena);
	struct loom_err err = {.status = LOOM_OK};

	reader->arena = arena;
	reader->command = "fuzz";
	reader->global = tool_args_create(arena, &global);
	reader->local = tool_args_create(arena, spec);
	if (tool_args_rest(reader, &err) || tool_args_check(reader, &err))
		must(err.status == LOOM_USAGE && err.text[0]);
	else
		look_up(arena, spec, reader->local);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str rest = loom_arena_str(arena, fuzz_text(data, size, 0));
	struct loom_str line = {"", 0};
	struct tool_spec spec;
	struct loom_err err = {.status = LOOM_OK};
	char *argv[MAX_ARGS];
	struct tool_reader reader = {.argv = argv};

	loom_str_cut(&rest, '\n', &line);
	reader.usage = loom_arena_cstr(arena, line);
	if (tool_spec_parse(arena, loom_str_of(reader.usage), &spec, &err)) {
		must(err.status == LOOM_FAULT && err.at <= line.n);
	} else {
		while (reader.argc < MAX_ARGS && loom_str_cut(&rest, '\n', &line))
			argv[reader.argc++] = loom_arena_cstr(arena, line);
		read_line(arena, &reader, &spec);
	}
	loom_arena_destroy(arena);
	return 0;
}
