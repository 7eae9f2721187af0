/* A node's record and its text, as a server may have told them: the tokens lie in order in the
 * text and spell it; chances are chances. The first empty line parts record and text. Beside it the
 * parameters of a terminal's colours: a change leads where it should from wherever one is. */
#include <loom/base/json.h>

#include "tests/fuzz/fuzz.h"
#include <loom/parts/lens.h>
#include "tui/terminal/sgr.h"

static void check_lens(struct loom_str record, struct loom_str text, struct loom_arena *arena)
{
	struct tui_lens lens;
	size_t at = 0;

	tui_lens_read(record, text, arena, &lens);
	for (size_t i = 0; i < lens.count; i++) {
		const struct tui_token *token = &lens.items[i];

		must(token->from >= at && token->to >= token->from && token->to <= text.n);
		must(token->chance >= 0 && token->chance <= 1);
		for (size_t k = 0; k < token->other_count; k++)
			must(token->others[k].chance >= 0 && token->others[k].chance <= 1 &&
			     (!k || token->others[k].chance <= token->others[k - 1].chance));
		if (token->to > token->from)
			must(tui_lens_at(&lens, token->from) == token);
		at = token->to;
	}
	must(tui_lens_at(&lens, text.n) == NULL);
}

static void check_colours(struct loom_str params)
{
	struct tui_sgr from = {.fg = -1, .bg = -1};
	struct tui_sgr to = {.known = true, .fg = -1, .bg = -1};
	struct loom_buf out = LOOM_BUF_INIT(1 << 16);
	struct tui_sgr come;

	tui_sgr_apply(&to, params);
	for (int known = 0; known < 2; known++) {
		from.known = known;
		come = from;
		loom_buf_clear(&out);
		tui_sgr_change(&from, &to, &out);
		if (out.n)
			tui_sgr_apply(&come, loom_str_sub(loom_buf_str(&out), 2, out.n - 3));
		must(come.attrs == to.attrs && come.fg == to.fg && come.bg == to.bg);
	}
	loom_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str whole = fuzz_text(data, size, 0);
	size_t cut = loom_str_find(whole, LOOM_STR("\n\n"), 0);
	struct loom_arena *arena = loom_arena_create();
	struct loom_str record = loom_str_sub(whole, 0, cut);

	if (cut != SIZE_MAX && loom_json_check(record, NULL, NULL) == LOOM_OK)
		check_lens(record, loom_str_sub(whole, cut + 2, whole.n), arena);
	check_colours(loom_str_sub(whole, 0, 200));
	loom_arena_destroy(arena);
	return 0;
}
