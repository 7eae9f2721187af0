/* Context lists as anybody may have written them, and any text as what is put into one: the list is
 * read as it stands, what was added is there once, the other lines keep their bytes, and what is
 * taken out again leaves them. The first empty line parts list and text. */
#include "support/temp.h"
#include "tests/fuzz/fuzz.h"

#include "model/payload/lists.h"

#define LIST ".teddy/global.context"

static size_t count_of(const struct loom_payload_place *place, struct loom_str target)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_payload_lists lists;
	size_t count = 0;

	must(loom_payload_lists_read(place, arena, &lists, NULL) == LOOM_OK);
	for (size_t i = 0; i < lists.count; i++) {
		must(lists.entries[i].line > 0);
		count += lists.entries[i].scope == LOOM_SCOPE_GLOBAL &&
			 loom_str_eq(lists.entries[i].target, target);
	}
	loom_arena_destroy(arena);
	return count;
}

static void read_list(const struct loom_payload_place *place, struct loom_arena *arena,
		      struct loom_buf *out)
{
	struct loom_payload_lists lists;
	const struct loom_read_opts opts = {.max = 1 << 20};

	must(loom_payload_lists_read(place, arena, &lists, NULL) == LOOM_OK);
	loom_buf_clear(out);
	must(loom_file_read(place->root, lists.files[LOOM_SCOPE_GLOBAL], &opts, out, NULL) ==
	     LOOM_OK);
}

/* The lines that are left are lines of before, in their order. */
static void check_rest(struct loom_str before, struct loom_str after)
{
	struct loom_str old;
	struct loom_str line;
	size_t at = 0;
	size_t from = 0;

	while (model_list_next(after, &at, &line)) {
		bool found = false;

		while (!found && model_list_next(before, &from, &old))
			found = loom_str_eq(loom_str_trim(old), loom_str_trim(line));
		must(found);
	}
}

static void edit(const struct loom_payload_place *place, struct loom_str text,
		 struct loom_arena *arena)
{
	struct loom_payload_change change = {.edit = LOOM_PAYLOAD_ADD,
					     .scope = LOOM_SCOPE_GLOBAL,
					     .targets = &text,
					     .count = 1};
	struct loom_payload_entry entry =
		loom_payload_entry_make(place, LOOM_SCOPE_GLOBAL, text, arena);
	struct loom_buf before = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf after = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.status = LOOM_OK};

	if (loom_payload_edit(place, &change, NULL, &err) != LOOM_OK) {
		must(err.text[0] != '\0');
	} else {
		must(count_of(place, entry.target) > 0);
		read_list(place, arena, &before);
		must(loom_payload_edit(place, &change, NULL, &err) == LOOM_OK);
		read_list(place, arena, &after);
		must(loom_str_eq(loom_buf_str(&before), loom_buf_str(&after)));
		change.edit = LOOM_PAYLOAD_REMOVE;
		must(loom_payload_edit(place, &change, NULL, &err) == LOOM_OK);
		must(count_of(place, entry.target) == 0);
		read_list(place, arena, &after);
		check_rest(loom_buf_str(&before), loom_buf_str(&after));
		must(loom_payload_edit(place, &change, NULL, &err) == LOOM_NOT_FOUND);
	}
	loom_buf_fini(&before);
	loom_buf_fini(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str whole = fuzz_text(data, size, 0);
	size_t cut = loom_str_find(whole, LOOM_STR("\n\n"), 0);
	struct loom_arena *arena = loom_arena_create();
	struct loom_payload_place place;
	struct loom_root root;
	struct temp temp;

	cut = cut == SIZE_MAX ? whole.n : cut;
	temp_init(&temp);
	temp_write(&temp, LIST, loom_str_sub(whole, 0, cut));
	must(loom_root_open(temp.path, &root, NULL) == LOOM_OK);
	place = (struct loom_payload_place){.root = &root, .root_path = loom_str_of(temp.path)};
	(void)count_of(&place, LOOM_STR("x"));
	edit(&place, loom_str_sub(whole, cut + 2, whole.n), arena);
	loom_root_close(&root);
	temp_fini(&temp);
	loom_arena_destroy(arena);
	return 0;
}
