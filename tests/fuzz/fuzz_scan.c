/* Any bytes through scanner, parser, printer and JSON, whole and cut: no harm, the same result, and
 * what is printed reads back as the same call. */
#include "support/same_call.h"
#include "tests/fuzz/fuzz.h"

static void reread(const struct loom_call *call)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_refusal refusal;
	struct loom_call again;

	loom_call_print(call, &text);
	must(loom_parse_line(arena, loom_buf_str(&text), &again, &refusal) == LOOM_OK);
	again.unterminated = call->unterminated;
	must(same_call(call, &again));
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
}

static void read_all(struct loom_str text, size_t step, struct loom_buf *out)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);

	for (size_t at = 0; at < text.n; at += step)
		loom_turn_feed(turn, loom_str_sub(text, at, step));
	loom_turn_end(turn);
	loom_turn_json(turn, out);
	loom_buf_add(out, loom_buf_str(&turn->prose));
	loom_buf_add(out, loom_buf_str(&turn->thinking));
	for (size_t i = 0; i < turn->call_count; i++)
		reread(&turn->calls[i]);
	loom_turn_destroy(turn);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str text = fuzz_text(data, size, 0);
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf cut = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (size) {
		read_all(text, size, &whole);
		read_all(text, 1 + data[0] % 7, &cut);
		must(loom_str_eq(loom_buf_str(&whole), loom_buf_str(&cut)));
	}
	loom_buf_fini(&whole);
	loom_buf_fini(&cut);
	return 0;
}
