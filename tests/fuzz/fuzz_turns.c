/* Any bytes as a transcript: its turns lie in order within the text, and reading one again alone
 * reads nothing behind its end. */
#include <loom/language/pasted_turns.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_turns turns;
	size_t at = 0;

	loom_turns_read(fuzz_text(data, size, 0), arena, &turns);
	for (size_t i = 0; i < turns.count; i++) {
		const struct loom_spoken *item = &turns.items[i];

		must(item->begin >= at && item->end >= item->begin && item->end <= turns.text.n);
		must(item->text.p >= turns.text.p + item->begin &&
		     item->text.p + item->text.n <= turns.text.p + item->end);
		must(!item->block.n || loom_str_starts(item->block, LOOM_STR("<thread_context")));
		must(loom_turns_form_name(item->form) && loom_speaker_name(item->speaker));
		at = item->end;
	}
	loom_arena_destroy(arena);
	return 0;
}
