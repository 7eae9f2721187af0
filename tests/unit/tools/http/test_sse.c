/* Streamed answers cut into events. */
#include <greatest.h>

#include <loom/http/sse.h>

static void note(void *ctx, struct loom_str event, struct loom_str data)
{
	struct loom_buf *seen = ctx;

	loom_buf_adds(seen, "[");
	loom_buf_add(seen, event);
	loom_buf_adds(seen, "|");
	loom_buf_add(seen, data);
	loom_buf_adds(seen, "]");
}

static void read_all(const char *text, enum loom_sse_kind kind, size_t step, struct loom_buf *seen)
{
	struct loom_str bytes = loom_str_of(text);
	struct loom_sse sse;

	loom_sse_init(&sse, kind, note, seen);
	for (size_t at = 0; at < bytes.n; at += step)
		if (loom_sse_feed(&sse, loom_str_sub(bytes, at, step), NULL) != LOOM_OK)
			abort();
	if (loom_sse_end(&sse, NULL) != LOOM_OK)
		abort();
	loom_sse_fini(&sse);
}

TEST events_are_the_same_however_they_are_cut(void)
{
	static const struct {
		const char *text;
		enum loom_sse_kind kind;
		const char *events;
	} cases[] = {
		{"data: a\n\n", LOOM_SSE_EVENTS, "[|a]"},
		{"data: a\r\n\r\ndata:b\r\rdata: c\n\n", LOOM_SSE_EVENTS, "[|a][|b][|c]"},
		{"data: a\ndata:  b\ndata\n\n", LOOM_SSE_EVENTS, "[|a\n b\n]"},
		{": ping\n\n: ping\n\ndata: a\n\n", LOOM_SSE_EVENTS, "[|a]"},
		{"event: x\n\ndata: a\n\n", LOOM_SSE_EVENTS, "[|a]"},
		{"event: x\ndata: a\nid: 9\nretry: 1\nodd\n\ndata: b\n\n", LOOM_SSE_EVENTS,
		 "[x|a][|b]"},
		{"\xEF\xBB\xBF"
		 "data: a\n\n",
		 LOOM_SSE_EVENTS, "[|a]"},
		{"data: a\n\ndata: \xEF\xBB\xBF\n\n", LOOM_SSE_EVENTS, "[|a][|\xEF\xBB\xBF]"},
		{"data: whole\ndata: cut o", LOOM_SSE_EVENTS, "[|whole]"},
		{"data: no empty line\n", LOOM_SSE_EVENTS, "[|no empty line]"},
		{"data: \xc3\xa9\xf0\x9f\x8c\xb3\n\n", LOOM_SSE_EVENTS,
		 "[|\xc3\xa9\xf0\x9f\x8c\xb3]"},
		{"\n\n\n\r\n", LOOM_SSE_EVENTS, ""},
		{"", LOOM_SSE_EVENTS, ""},
		{"{\"a\":1}\r\n\n{\"b\":2}\n  \n{\"c\":3}", LOOM_SSE_LINES,
		 "[|{\"a\":1}][|{\"b\":2}][|{\"c\":3}]"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++)
		for (size_t step = 1; step < 12; step++) {
			struct loom_buf seen = LOOM_BUF_INIT(LOOM_BUF_MAX);

			read_all(cases[i].text, cases[i].kind, step, &seen);
			ASSERT_STR_EQ(cases[i].events, loom_buf_cstr(&seen));
			loom_buf_fini(&seen);
		}
	PASS();
}

TEST a_megabyte_in_one_line_is_read_and_ten_are_refused(void)
{
	struct loom_buf seen = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf part = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_sse sse;
	enum loom_status status = LOOM_OK;

	loom_buf_add_repeat(&part, 'x', (size_t)1 << 20);
	loom_sse_init(&sse, LOOM_SSE_EVENTS, note, &seen);
	ASSERT_EQ(LOOM_OK, loom_sse_feed(&sse, LOOM_STR("data: "), NULL));
	ASSERT_EQ(LOOM_OK, loom_sse_feed(&sse, loom_buf_str(&part), NULL));
	ASSERT_EQ(LOOM_OK, loom_sse_feed(&sse, LOOM_STR("\n\n"), NULL));
	ASSERT_EQ(part.n + 3, seen.n);
	for (int i = 0; i < 10 && status == LOOM_OK; i++)
		status = loom_sse_feed(&sse, loom_buf_str(&part), NULL);
	ASSERT_EQ(LOOM_LIMIT, status);
	ASSERT_EQ(LOOM_LIMIT, loom_sse_feed(&sse, LOOM_STR("\n\n"), NULL));
	loom_sse_fini(&sse);
	/* many short lines of one event are as much */
	loom_sse_init(&sse, LOOM_SSE_EVENTS, note, &seen);
	status = LOOM_OK;
	for (int i = 0; i < 10 && status == LOOM_OK; i++) {
		status = loom_sse_feed(&sse, LOOM_STR("\ndata: "), NULL);
		if (status == LOOM_OK)
			status = loom_sse_feed(&sse, loom_buf_str(&part), NULL);
	}
	ASSERT_EQ(LOOM_LIMIT, status);
	loom_sse_fini(&sse);
	loom_buf_fini(&part);
	loom_buf_fini(&seen);
	PASS();
}

SUITE(sse)
{
	RUN_TEST(events_are_the_same_however_they_are_cut);
	RUN_TEST(a_megabyte_in_one_line_is_read_and_ten_are_refused);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(sse);
	GREATEST_MAIN_END();
}
