/* Strict UTF-8: forward, backward, validity, clipping and the partial tail must agree about the
 * same bytes, and what is valid must come out of the encoder as it went in. */
#include <loom/base/utf8.h>

#include "tests/fuzz/fuzz.h"

/* Forward over everything; how many bad bytes. */
static size_t walk_forward(struct loom_str s)
{
	size_t bad = 0;

	for (size_t at = 0; at < s.n;) {
		size_t start = at;
		uint32_t cp = loom_utf8_next(s, &at);
		char spelled[4];

		must(at > start && at <= s.n);
		if (cp == LOOM_CP_BAD) {
			must(at == start + 1);
			bad++;
			continue;
		}
		must(cp <= 0x10FFFF && (cp < 0xD800 || cp > 0xDFFF));
		must(loom_utf8_encode(cp, spelled) == at - start);
		must(memcmp(spelled, s.p + start, at - start) == 0);
	}
	return bad;
}

static size_t walk_backward(struct loom_str s)
{
	size_t steps = 0;

	for (size_t at = s.n; at > 0; steps++) {
		size_t end = at;

		(void)loom_utf8_prev(s, &at);
		must(at < end);
	}
	return steps;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str s = fuzz_text(data, size, 0);
	size_t bad_at = SIZE_MAX;
	size_t bad = walk_forward(s);
	bool valid = loom_utf8_valid(s, &bad_at);
	size_t steps = walk_backward(s);
	struct loom_str clipped = loom_utf8_clip(s, size / 2);

	must(valid == (bad == 0));
	must(valid || bad_at < size);
	must(!valid || steps == loom_utf8_length(s));
	must(valid || loom_utf8_valid(loom_str_sub(s, 0, bad_at), NULL));
	must(clipped.n <= size / 2 && (!valid || loom_utf8_valid(clipped, NULL)));
	must(loom_utf8_partial_tail(s) <= 3 && (!valid || loom_utf8_partial_tail(s) == 0));
	return 0;
}
