/* Answers that stream while the loop turns, from a server that misbehaves. */
#include <greatest.h>

#include <loom/base/env.h>
#include <loom/http/http.h>
#include <loom/loop/loop.h>

#include "support/clock.h"
#include "support/fake.h"

struct heard {
	struct loom_loop *loop;
	struct loom_http_client *client;
	struct loom_http_call *call;
	struct loom_buf body;
	struct loom_buf type;
	struct loom_buf location;
	struct loom_http_head head;
	struct loom_http_result result;
	int heads;
	int parts;
	int ends;
	int cancel_at_part;
};

static void on_head(void *ctx, const struct loom_http_head *head)
{
	struct heard *heard = ctx;

	heard->heads++;
	heard->head = *head;
	loom_buf_add(&heard->type, head->type);
	loom_buf_add(&heard->location, head->location);
}

static void on_body(void *ctx, struct loom_str bytes)
{
	struct heard *heard = ctx;

	loom_buf_add(&heard->body, bytes);
	if (++heard->parts == heard->cancel_at_part)
		loom_http_cancel(heard->call);
}

static void on_end(void *ctx, const struct loom_http_result *result)
{
	struct heard *heard = ctx;

	heard->ends++;
	heard->result = *result;
}

static void heard_init(struct heard *heard)
{
	*heard = (struct heard){.loop = loom_loop_create()};
	heard->client = loom_http_client_create(heard->loop);
	loom_buf_init(&heard->body, LOOM_BUF_MAX);
	loom_buf_init(&heard->type, LOOM_BUF_MAX);
	loom_buf_init(&heard->location, LOOM_BUF_MAX);
}

static void heard_fini(struct heard *heard)
{
	loom_http_client_destroy(heard->client);
	loom_loop_destroy(heard->loop);
	loom_buf_fini(&heard->body);
	loom_buf_fini(&heard->type);
	loom_buf_fini(&heard->location);
}

static enum loom_status begin(struct heard *heard, const struct fake *fake, const char *path,
			      struct loom_http_request request)
{
	static const struct loom_str headers[] = {LOOM_STR_INIT("Content-Type: application/json")};
	struct loom_http_sink sink = {on_head, on_body, on_end, heard};
	char url[200];

	snprintf(url, sizeof url, "http://127.0.0.1:%d%s", fake->port, path);
	request.url = loom_str_of(url);
	request.headers = headers;
	request.header_count = 1;
	return loom_http_begin(heard->client, &request, &sink, &heard->call, NULL);
}

static void wait_for_end(struct heard *heard)
{
	int64_t until = loom_env_boot() + 60000;

	while (!heard->ends && loom_env_boot() < until)
		(void)loom_loop_step(heard->loop, 50);
}

static void fetch(struct heard *heard, const struct fake *fake, const char *path,
		  struct loom_http_request request)
{
	heard_init(heard);
	if (begin(heard, fake, path, request) == LOOM_OK)
		wait_for_end(heard);
}

TEST an_answer_comes_in_parts_with_its_head_first(void)
{
	struct heard heard;
	struct fake fake;

	fake_start(&fake, "on POST /a\ntype text/event-stream\nsend one \nsleep 60\n"
			  "send two\n");
	fetch(&heard, &fake, "/a", (struct loom_http_request){.body = LOOM_STR("{\"x\":1}")});
	ASSERT_EQ(1, heard.heads);
	ASSERT_EQ(1, heard.ends);
	ASSERT_EQ(LOOM_HTTP_DONE, heard.result.outcome);
	ASSERT_EQ(200, heard.head.status);
	ASSERT_STR_EQ("text/event-stream", loom_buf_cstr(&heard.type));
	ASSERT_STR_EQ("one two", loom_buf_cstr(&heard.body));
	ASSERT(heard.parts >= 2);
	ASSERT(loom_str_is(fake_body(&fake, 0), "{\"x\":1}"));
	ASSERT_EQ(SIZE_MAX, loom_str_find(fake_log(&fake), LOOM_STR("Accept-Encoding"), 0));
	heard_fini(&heard);
	fake_stop(&fake);
	PASS();
}

TEST nothing_is_told_from_within_begin_or_cancel(void)
{
	struct heard heard;
	struct fake fake;

	fake_start(&fake, "on GET /a\nhang\n");
	heard_init(&heard);
	ASSERT_EQ(LOOM_OK, begin(&heard, &fake, "/a", (struct loom_http_request){.max = 0}));
	ASSERT_EQ(0, heard.ends);
	loom_http_cancel(heard.call);
	ASSERT_EQ(0, heard.ends);
	wait_for_end(&heard);
	ASSERT_EQ(LOOM_HTTP_CANCELLED, heard.result.outcome);
	ASSERT_EQ(0, heard.heads);
	heard_fini(&heard);
	fake_stop(&fake);
	PASS();
}

TEST cancelling_closes_the_connection_at_once(void)
{
	struct heard heard;
	struct fake fake;
	int64_t began = 0;

	fake_start(&fake, "on GET /a\nsend first\nhang\n");
	heard_init(&heard);
	ASSERT_EQ(LOOM_OK, begin(&heard, &fake, "/a", (struct loom_http_request){.max = 0}));
	while (!heard.parts)
		(void)loom_loop_step(heard.loop, 50);
	began = loom_env_boot();
	loom_http_cancel(heard.call);
	wait_for_end(&heard);
	ASSERT(loom_env_boot() - began < clock_limit(200));
	ASSERT_EQ(LOOM_HTTP_CANCELLED, heard.result.outcome);
	while (!fake_hangups(&fake) && loom_env_boot() - began < 20000)
		(void)loom_loop_step(heard.loop, 5);
	ASSERT_EQ(1, fake_hangups(&fake));
	heard_fini(&heard);
	fake_stop(&fake);
	PASS();
}

TEST a_call_may_be_cancelled_by_its_own_body(void)
{
	struct heard heard;
	struct fake fake;

	fake_start(&fake, "on GET /a\nsend first\nsleep 50\nsend second\nhang\n");
	heard_init(&heard);
	heard.cancel_at_part = 1;
	ASSERT_EQ(LOOM_OK, begin(&heard, &fake, "/a", (struct loom_http_request){.max = 0}));
	wait_for_end(&heard);
	ASSERT_EQ(LOOM_HTTP_CANCELLED, heard.result.outcome);
	ASSERT_STR_EQ("first", loom_buf_cstr(&heard.body));
	heard_fini(&heard);
	fake_stop(&fake);
	PASS();
}

/* what the server does, what comes of it */
struct trouble {
	const char *script;
	enum loom_http_outcome outcome;
	bool transient;
	const char *says;
	/* Short where waiting is what goes wrong, and only there: elsewhere a busy machine is no
	 * fault. 0: long. */
	int64_t idle_ms;
	int64_t total_ms;
};

TEST everything_that_goes_wrong_has_an_end(void)
{
	static const struct trouble troubles[] = {
		{"on GET /a\nclose\n", LOOM_HTTP_UNREACHED, true, "mpty reply", 0, 0},
		{"on GET /a\nreset\n", LOOM_HTTP_UNREACHED, true, "", 0, 0},
		{"on GET /a\nhang\n", LOOM_HTTP_UNREACHED, false, "nothing arrived for 1.5 s", 1500,
		 0},
		{"on GET /a\nsend x\nhang\n", LOOM_HTTP_BROKEN, false, "nothing arrived for 1.5 s",
		 1500, 0},
		{"on GET /a\nheader Content-Length: 90\nsend x\n", LOOM_HTTP_BROKEN, false, "", 0,
		 0},
		{"on GET /a\nsend x\nsleep 20\nreset\n", LOOM_HTTP_BROKEN, false, "", 0, 0},
		{"on GET /a\nheaders 90000\nsend x\n", LOOM_HTTP_UNREACHED, false, "larger", 0, 0},
		{"on GET /a\nrepeat 300 0123456789\n", LOOM_HTTP_BROKEN, false, "larger than 2000",
		 0, 0},
		{"on GET /a\nbytewise 50\nsend 01234567890123456789012345678901234567890\n",
		 LOOM_HTTP_BROKEN, false, "not finished after 1.5 s", 0, 1500},
		{"on GET /a\nraw hello\n", LOOM_HTTP_UNREACHED, false, "", 0, 0},
	};

	for (size_t i = 0; i < LOOM_COUNT(troubles); i++) {
		const struct trouble *trouble = &troubles[i];
		struct heard heard;
		struct fake fake;

		fake_start(&fake, trouble->script);
		fetch(&heard, &fake, "/a",
		      (struct loom_http_request){.idle_ms = trouble->idle_ms ? trouble->idle_ms
									     : 20000,
						 .total_ms = trouble->total_ms ? trouble->total_ms
									       : 60000,
						 .max = 2000});
		ASSERT_EQm(trouble->script, 1, heard.ends);
		ASSERT_EQm(trouble->script, trouble->outcome, heard.result.outcome);
		ASSERT_EQm(trouble->script, trouble->transient, heard.result.transient);
		ASSERTm(heard.result.err.text,
			strstr(heard.result.err.text, trouble->says) != NULL);
		ASSERT_EQ(1, fake_requests(&fake));
		heard_fini(&heard);
		fake_stop(&fake);
	}
	PASS();
}

TEST a_redirect_is_told_and_not_followed(void)
{
	struct heard heard;
	struct fake fake;

	fake_start(&fake, "on GET /a\nstatus 307\nheader Location: http://127.0.0.1:\\P/b\n"
			  "on GET /b\nsend no\n");
	fetch(&heard, &fake, "/a", (struct loom_http_request){.max = 0});
	ASSERT_EQ(307, heard.head.status);
	ASSERT(strstr(loom_buf_cstr(&heard.location), "/b"));
	ASSERT_EQ(1, fake_requests(&fake));
	heard_fini(&heard);
	fake_stop(&fake);
	PASS();
}

TEST the_head_says_when_to_come_again(void)
{
	struct heard heard;
	struct fake fake;

	fake_start(&fake,
		   "on GET /s\nstatus 429\nheader Retry-After: 7\nsend {}\n"
		   "on GET /z\nstatus 429\nheader Retry-After: 0\n"
		   "on GET /m\nstatus 503\nheader Retry-After: 7\nheader retry-after-ms: 12\n"
		   "header x-should-retry: false\n"
		   "on GET /g\nheader Content-Encoding: gzip\nsend x\n");
	fetch(&heard, &fake, "/s", (struct loom_http_request){.max = 0});
	ASSERT_EQ(7000, (int)heard.head.retry_after_ms);
	ASSERT_EQ(-1, heard.head.should_retry);
	heard_fini(&heard);
	fetch(&heard, &fake, "/z", (struct loom_http_request){.max = 0});
	ASSERT_EQ(0, (int)heard.head.retry_after_ms);
	ASSERT_EQ(1, heard.heads); /* although there is no body */
	heard_fini(&heard);
	fetch(&heard, &fake, "/m", (struct loom_http_request){.max = 0});
	ASSERT_EQ(12, (int)heard.head.retry_after_ms);
	ASSERT_EQ(0, heard.head.should_retry);
	heard_fini(&heard);
	fetch(&heard, &fake, "/g", (struct loom_http_request){.max = 0});
	ASSERT(heard.head.encoded);
	heard_fini(&heard);
	fake_stop(&fake);
	PASS();
}

TEST a_url_that_may_not_be_asked_is_refused(void)
{
	static const char *const urls[] = {
		"http://example.com/",          "ftp://127.0.0.1/", "https://u:p@example.com/",
		"file:///etc/passwd",           "http://",          "",
		"http://127.0.0.1.example.com/"};
	struct heard heard;

	heard_init(&heard);
	for (size_t i = 0; i < LOOM_COUNT(urls); i++) {
		struct loom_http_request request = {.url = loom_str_of(urls[i])};
		struct loom_http_sink sink = {on_head, on_body, on_end, &heard};

		ASSERT_EQm(urls[i], LOOM_REFUSED,
			   loom_http_begin(heard.client, &request, &sink, &heard.call, NULL));
	}
	heard_fini(&heard);
	PASS();
}

TEST the_environments_proxy_is_not_asked(void)
{
	struct heard heard;
	struct fake fake;

	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("all_proxy", "http://127.0.0.1:1", 1);
	fake_start(&fake, "on GET /a\nsend x\n");
	fetch(&heard, &fake, "/a", (struct loom_http_request){.max = 0});
	ASSERT_EQ(LOOM_HTTP_DONE, heard.result.outcome);
	heard_fini(&heard);
	fake_stop(&fake);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
	PASS();
}

TEST a_client_goes_away_with_calls_under_way(void)
{
	struct heard heard;
	struct fake fake;

	fake_start(&fake, "on GET /a\nsend x\nhang\n");
	heard_init(&heard);
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(LOOM_OK,
			  begin(&heard, &fake, "/a", (struct loom_http_request){.max = 0}));
	while (heard.parts < 2)
		(void)loom_loop_step(heard.loop, 50);
	heard_fini(&heard);
	ASSERT_EQ(0, heard.ends);
	fake_stop(&fake);
	PASS();
}

SUITE(streams)
{
	RUN_TEST(an_answer_comes_in_parts_with_its_head_first);
	RUN_TEST(nothing_is_told_from_within_begin_or_cancel);
	RUN_TEST(cancelling_closes_the_connection_at_once);
	RUN_TEST(a_call_may_be_cancelled_by_its_own_body);
	RUN_TEST(everything_that_goes_wrong_has_an_end);
	RUN_TEST(a_redirect_is_told_and_not_followed);
	RUN_TEST(the_head_says_when_to_come_again);
	RUN_TEST(a_url_that_may_not_be_asked_is_refused);
	RUN_TEST(the_environments_proxy_is_not_asked);
	RUN_TEST(a_client_goes_away_with_calls_under_way);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(streams);
	GREATEST_MAIN_END();
}
