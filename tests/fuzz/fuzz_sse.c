/* Streamed answers: however the bytes are cut, the events are the same. The first two bytes say the
 * kind and how to cut. */
#include <loom/http/sse.h>

#include "tests/fuzz/fuzz.h"

struct seen {
	struct loom_buf text;
	size_t events;
};

static void note(void *ctx, struct loom_str event, struct loom_str data)
{
	struct seen *seen = ctx;

	seen->events++;
	loom_buf_addf(&seen->text, "%zu:%zu:", event.n, data.n);
	loom_buf_add(&seen->text, event);
	loom_buf_add(&seen->text, data);
}

static void read_in_steps(struct loom_str text, enum loom_sse_kind kind, size_t step,
			  struct seen *seen)
{
	struct loom_sse sse;

	loom_buf_init(&seen->text, LOOM_BUF_MAX);
	seen->events = 0;
	loom_sse_init(&sse, kind, note, seen);
	for (size_t at = 0; at < text.n; at += step)
		if (loom_sse_feed(&sse, loom_str_sub(text, at, step), NULL) != LOOM_OK)
			abort();
	if (loom_sse_end(&sse, NULL) != LOOM_OK)
		abort();
	loom_sse_fini(&sse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum loom_sse_kind kind = size && data[0] & 1 ? LOOM_SSE_LINES : LOOM_SSE_EVENTS;
	size_t step = size > 1 ? (size_t)data[1] % 7 + 1 : 1;
	struct loom_str text =
		loom_str_make((const char *)data + (size > 2 ? 2 : size), size > 2 ? size - 2 : 0);
	struct seen whole;
	struct seen cut;

	read_in_steps(text, kind, text.n + 1, &whole);
	read_in_steps(text, kind, step, &cut);
	if (whole.events != cut.events ||
	    !loom_str_eq(loom_buf_str(&whole.text), loom_buf_str(&cut.text)))
		abort();
	loom_buf_fini(&whole.text);
	loom_buf_fini(&cut.text);
	return 0;
}
