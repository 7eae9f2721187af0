/* Usages and command lines: the first line is a usage, every other one an argument. Whatever is
 * accepted must be found again in its field, and all positionals given out. */
#include <stdint.h>

#include <loom/cli/services.h>
#include "tests/fuzz/fuzz.h"

#define MAX_ARGS 64

/* The values of the specification's items. */
static void look_up(const struct cli_spec *spec, const struct loom_args *args)
{
	for (size_t i = 0; i < spec->count; i++) {
		const struct cli_item *item = &spec->items[i];
		const size_t count = cli_args_count(args, item);

		must(item->repeats || item->kind == CLI_FLAG || count <= 1);
		must(!cli_args_at(args, item, count));
	}
}

/* Like the rows of a command: a field per item, of the type it requires. */
union value {
	bool flag;
	struct loom_str text;
	struct loom_number number;
	struct loom_texts texts;
};

static void fill(struct loom_arena *arena, const struct cli_spec *spec,
		 const struct loom_args *args)
{
	struct cli_field *fields = LOOM_ARENA_ARRAY(arena, spec->count, struct cli_field);
	union value *values = LOOM_ARENA_ARRAY(arena, spec->count, union value);

	for (size_t i = 0; i < spec->count; i++) {
		fields[i].type = cli_item_type(&spec->items[i]);
		fields[i].offset = i * sizeof *values;
		spec->items[i].field = &fields[i];
	}
	cli_args_fill(arena, args, values);
	for (size_t i = 0; i < spec->count; i++) {
		const size_t count = cli_args_count(args, &spec->items[i]);

		must(fields[i].type != CLI_FIELD_FLAG || values[i].flag == (count > 0));
		must(fields[i].type != CLI_FIELD_TEXT || !values[i].text.p == !count);
		must(fields[i].type != CLI_FIELD_TEXTS || values[i].texts.n == count);
		must(fields[i].type != CLI_FIELD_NUMBER ||
		     loom_number_or(values[i].number, count ? -2 : 0) >= -1);
	}
}

static void read_line(struct loom_arena *arena, struct cli_reader *reader,
		      const struct cli_spec *spec)
{
	struct cli_spec global = cli_spec_global(arena);
	struct loom_err err = {.status = LOOM_OK};

	reader->arena = arena;
	reader->command = "fuzz";
	reader->global = cli_args_create(arena, &global);
	reader->local = cli_args_create(arena, spec);
	if (cli_args_rest(reader, &err) || cli_args_check(reader, &err)) {
		must(err.status == LOOM_USAGE && err.text[0]);
	} else {
		look_up(spec, reader->local);
		fill(arena, spec, reader->local);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str rest = loom_arena_str(arena, fuzz_text(data, size, 0));
	struct loom_str line = {"", 0};
	struct cli_spec spec;
	struct loom_err err = {.status = LOOM_OK};
	char *argv[MAX_ARGS];
	struct cli_reader reader = {.argv = argv};

	loom_str_cut(&rest, '\n', &line);
	reader.usage = loom_arena_cstr(arena, line);
	if (cli_spec_parse(arena, loom_str_of(reader.usage), &spec, &err)) {
		must(err.status == LOOM_FAULT && err.at <= line.n);
	} else {
		while (reader.argc < MAX_ARGS && loom_str_cut(&rest, '\n', &line))
			argv[reader.argc++] = loom_arena_cstr(arena, line);
		read_line(arena, &reader, &spec);
	}
	loom_arena_destroy(arena);
	return 0;
}
