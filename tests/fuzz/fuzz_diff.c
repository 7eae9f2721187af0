/* Two texts, parted by the first empty line, and how they differ: what is the same or gone makes
 * the one, what is the same or new the other, byte for byte. */
#include <loom/language/worddiff.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str whole = fuzz_text(data, size, 0);
	size_t cut = loom_str_find(whole, LOOM_STR("\n\n"), 0);
	struct loom_str before = loom_str_sub(whole, 0, cut);
	struct loom_str after = cut == SIZE_MAX ? before : loom_str_sub(whole, cut + 2, whole.n);
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf old = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf new = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_diff diff;

	loom_word_diff(before, after, arena, &diff);
	for (size_t i = 0; i < diff.count; i++) {
		const struct loom_diff_part *part = &diff.parts[i];

		must(part->text.n > 0);
		must(!i || part->kind != part[-1].kind);
		must(!i || part->kind != LOOM_DIFF_GONE || part[-1].kind != LOOM_DIFF_NEW);
		if (part->kind != LOOM_DIFF_NEW)
			loom_buf_add(&old, part->text);
		if (part->kind != LOOM_DIFF_GONE)
			loom_buf_add(&new, part->text);
	}
	must(loom_str_eq(loom_buf_str(&old), before));
	must(loom_str_eq(loom_buf_str(&new), after));
	loom_buf_fini(&old);
	loom_buf_fini(&new);
	loom_arena_destroy(arena);
	return 0;
}
