/* The server in its loop, with clients on plain sockets: exchanges, streams, and those who are
 * slow, huge or gone. */
#include <greatest.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <loom/server/server.h>

#include "support/clock.h"

#define PATIENCE_MS 60000

/* What the handlers do, and what they saw. */
struct world {
	struct loom_loop *loop;
	struct loom_server *server;
	int port;
	struct loom_exchange *held; /* "/held" and "/stream" */
	bool foreign;
	int overs;
	int asked;
	char body[64];
};

static struct world w;

static void on_over(void *ctx)
{
	struct world *world = ctx;

	world->overs++;
	world->held = NULL;
}

static void on_head(void *ctx, struct loom_exchange *exchange)
{
	struct world *world = ctx;

	world->foreign = loom_exchange_is_foreign(exchange, true);
	if (loom_str_is(loom_exchange_path(exchange), "/no"))
		loom_exchange_refuse(exchange, 404, "there is nothing");
	else
		loom_exchange_take(exchange, 1000);
}

static void on_request(void *ctx, struct loom_exchange *exchange)
{
	struct world *world = ctx;
	const struct loom_str path = loom_exchange_path(exchange);
	const struct loom_http_answer answer = {.status = 200,
						.type = "text/plain",
						.body = LOOM_STR("well")};

	world->asked++;
	snprintf(world->body, sizeof world->body, "%.*s",
		 LOOM_STR_ARG(loom_exchange_body(exchange)));
	if (loom_str_is(path, "/held") || loom_str_is(path, "/stream")) {
		world->held = exchange;
		loom_exchange_follow(exchange, on_over, world);
	} else if (!loom_str_is(path, "/silent")) {
		loom_exchange_answer(exchange, &answer);
	}
	if (loom_str_is(path, "/stream"))
		loom_exchange_stream(exchange, &answer);
}

static enum loom_status open_at(const char *address, bool outside, int64_t hurry,
				struct loom_err *err)
{
	const struct loom_server_opts opts = {.loop = w.loop,
					      .address = loom_str_of(address),
					      .outside = outside,
					      .hurry = hurry,
					      .head = on_head,
					      .request = on_request,
					      .ctx = &w};

	return loom_server_open(&opts, &w.server, err);
}

static bool begin(int64_t hurry)
{
	struct loom_buf url = LOOM_BUF_INIT(256);
	struct loom_err err;

	w = (struct world){.loop = loom_loop_create()};
	if (open_at("127.0.0.1:0", false, hurry, &err) != LOOM_OK)
		return false;
	loom_server_url(w.server, &url);
	w.port = (int)strtol(strrchr(loom_buf_cstr(&url), ':') + 1, NULL, 10);
	loom_buf_fini(&url);
	return w.port > 0;
}

static void end(void)
{
	loom_server_close(w.server);
	loom_loop_destroy(w.loop);
}

/* A client that never blocks. */
static int client(const char *text)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons((uint16_t)w.port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (const struct sockaddr *)(const void *)&to, sizeof to) != 0)
		return -1;
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		return -1;
	return fd;
}

/* Runs the loop until the client has got `part`, or its end if that is NULL; what it got is in
 * `got`. */
static bool gets(int fd, struct loom_buf *got, const char *part)
{
	const int64_t until = clock_ms() + PATIENCE_MS;
	char bytes[4096];

	while (clock_ms() < until) {
		const ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);

		if (n > 0)
			loom_buf_add(got, loom_str_make(bytes, (size_t)n));
		if (part && got->n && strstr(loom_buf_cstr(got), part))
			return true;
		if (n == 0 || (n < 0 && errno != EAGAIN))
			return !part;
		if (n < 0)
			(void)loom_loop_step(w.loop, 10);
	}
	return false;
}

/* Whether one request on a connection of its own is answered so. */
static bool answers(const char *text, const char *part)
{
	struct loom_buf got = LOOM_BUF_INIT(1 << 20);
	const int fd = client(text);
	const bool right = fd >= 0 && gets(fd, &got, part);

	close(fd);
	loom_buf_fini(&got);
	return right;
}

#define HEAD(method, path) method " " path " HTTP/1.1\r\nHost: localhost\r\n"

/* ---- exchanges ---- */

TEST a_request_is_answered_and_its_connection_used_again(void)
{
	struct loom_buf got = LOOM_BUF_INIT(1 << 20);
	int fd = 0;

	ASSERT(begin(1));
	fd = client(
		HEAD("GET", "/") "\r\n" HEAD("GET", "/no") "\r\n" HEAD("GET", "/silent") "\r\n");
	ASSERT(gets(fd, &got, "HTTP/1.1 200 OK"));
	ASSERT(gets(fd, &got, "HTTP/1.1 404 Not Found"));
	ASSERT(gets(fd, &got, "HTTP/1.1 500 Internal Server Error"));
	ASSERT_EQ(2, w.asked);
	close(fd);
	loom_buf_fini(&got);
	end();
	PASS();
}

TEST a_body_is_read_whole_or_refused_by_its_length(void)
{
	char large[2000];

	ASSERT(begin(1));
	ASSERT(answers(HEAD("POST", "/") "Content-Length: 5\r\n\r\nhello", "200 OK"));
	ASSERT_STR_EQ("hello", w.body);
	ASSERT(answers(HEAD("POST", "/") "Transfer-Encoding: chunked\r\n\r\n"
					 "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
		       "200 OK"));
	ASSERT_STR_EQ("hello", w.body);
	snprintf(large, sizeof large, HEAD("POST", "/") "Content-Length: %zu\r\n\r\n",
		 (size_t)1 << 40);
	ASSERT(answers(large, "413 "));
	ASSERT(answers(HEAD("POST", "/") "Content-Length: 1001\r\n\r\n", "413 "));
	/* One whose length nobody says is cut off. */
	snprintf(large, sizeof large,
		 HEAD("POST", "/") "Transfer-Encoding: chunked\r\n\r\n1000\r\n%01200d", 0);
	ASSERT(answers(large, NULL));
	/* One of two lengths is what a program in front would go by. */
	ASSERT(answers(HEAD("POST", "/") "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
					 "0\r\n\r\n",
		       "400 "));
	ASSERT_EQ(2, w.asked);
	end();
	PASS();
}

TEST a_path_is_decoded_and_none_is_cut_off(void)
{
	ASSERT(begin(1));
	ASSERT(answers(HEAD("GET", "/%6eo") "\r\n", "404 "));
	ASSERT(answers(HEAD("GET", "/n%6F") "\r\n", "404 "));
	ASSERT(answers(HEAD("GET", "/no%00") "\r\n", "200 OK"));
	ASSERT(answers(HEAD("GET", "/no%00/x") "\r\n", "200 OK"));
	ASSERT(answers(HEAD("GET", "/no%") "\r\n", "200 OK"));
	ASSERT(answers(HEAD("GET", "/no%6") "\r\n", "200 OK"));
	ASSERT(answers(HEAD("GET", "/%zz%6") "\r\n", "200 OK"));
	end();
	PASS();
}

TEST a_host_and_an_origin_must_be_ours(void)
{
	static const char *const ours[] = {"localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]",
					   "127.3.2.1"};
	static const char *const others[] = {
		"example.org", "localhost.example.org", "127.0.0.1.nip.test",
		"10.0.0.1",    "evil.test:127.0.0.1",   "",
		"[::2]"};
	char text[200];

	ASSERT(begin(1));
	for (size_t i = 0; i < LOOM_COUNT(ours); i++) {
		snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", ours[i]);
		ASSERTm(ours[i], answers(text, "200 OK"));
		snprintf(text, sizeof text, HEAD("GET", "/") "Origin: http://%s\r\n\r\n", ours[i]);
		ASSERTm(ours[i], answers(text, "200 OK") && !w.foreign);
	}
	for (size_t i = 0; i < LOOM_COUNT(others); i++) {
		snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", others[i]);
		ASSERTm(others[i], answers(text, "403 Forbidden"));
		snprintf(text, sizeof text, HEAD("GET", "/") "Origin: http://%s\r\n\r\n",
			 others[i]);
		ASSERTm(others[i], answers(text, "200 OK") && w.foreign);
	}
	ASSERT(answers("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "40"));
	ASSERT(answers(HEAD("GET", "/") "Origin: null\r\n\r\n", "200 OK") && w.foreign);
	ASSERT(answers(HEAD("GET", "/") "\r\n", "200 OK") && !w.foreign);
	end();
	PASS();
}

/* ---- waiting ---- */

TEST an_answer_may_come_later(void)
{
	struct loom_buf got = LOOM_BUF_INIT(1 << 20);
	const struct loom_http_answer answer = {.status = 202};
	int fd = 0;

	ASSERT(begin(1));
	fd = client(HEAD("GET", "/held") "\r\n");
	while (!w.held)
		(void)loom_loop_step(w.loop, -1);
	/* Nothing happens meanwhile, and others are served. */
	ASSERT(answers(HEAD("GET", "/") "\r\n", "200 OK"));
	loom_exchange_answer(w.held, &answer);
	ASSERT(gets(fd, &got, "202 Accepted"));
	while (w.overs == 0)
		(void)loom_loop_step(w.loop, -1);
	close(fd);
	loom_buf_fini(&got);
	end();
	PASS();
}

TEST a_stream_waits_for_its_pieces(void)
{
	struct loom_buf got = LOOM_BUF_INIT(1 << 20);
	int fd = 0;

	ASSERT(begin(1));
	fd = client(HEAD("GET", "/stream") "\r\n");
	ASSERT(gets(fd, &got, "200 OK"));
	loom_exchange_write(w.held, LOOM_STR("one"));
	ASSERT(gets(fd, &got, "one"));
	ASSERT_EQ(0, loom_exchange_untaken(w.held));
	loom_exchange_write(w.held, LOOM_STR("two"));
	loom_exchange_write(w.held, LOOM_STR("three"));
	loom_exchange_end(w.held);
	ASSERT(gets(fd, &got, "twothree"));
	ASSERT(gets(fd, &got, "\r\n0\r\n\r\n"));
	ASSERT_EQ(1, w.overs);
	close(fd);
	loom_buf_fini(&got);
	end();
	PASS();
}

TEST a_client_that_leaves_is_noticed_at_once(void)
{
	static const char *const paths[] = {HEAD("GET", "/held") "\r\n",
					    HEAD("GET", "/stream") "\r\n"};

	ASSERT(begin(1));
	for (size_t i = 0; i < LOOM_COUNT(paths); i++) {
		const int fd = client(paths[i]);
		const int64_t start = clock_ms();

		while (!w.held)
			(void)loom_loop_step(w.loop, -1);
		close(fd);
		while (w.held && clock_ms() - start < PATIENCE_MS)
			(void)loom_loop_step(w.loop, 10);
		ASSERT_EQ((int)i + 1, w.overs);
	}
	end();
	PASS();
}

/* ---- patience ---- */

TEST the_silent_and_the_slow_are_cut_off(void)
{
	static const char *const begun[] = {"", "GET / HT", "\r\n\r\n", HEAD("GET", "/"),
					    HEAD("POST", "/") "Content-Length: 5\r\n\r\nhe"};

	ASSERT(begin(200));
	for (size_t i = 0; i < LOOM_COUNT(begun); i++)
		ASSERTm(begun[i], answers(begun[i], NULL));
	ASSERT_EQ(0, w.asked);
	/* One that is served and then says nothing. */
	ASSERT(answers(HEAD("GET", "/") "\r\n", NULL));
	ASSERT_EQ(1, w.asked);
	end();
	PASS();
}

TEST a_client_that_does_not_take_a_stream_is_cut_off(void)
{
	const int64_t until = clock_ms() + PATIENCE_MS;
	struct loom_buf much = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int fd = 0;

	ASSERT(begin(100));
	loom_buf_add_repeat(&much, 'x', (size_t)32 << 20);
	fd = client(HEAD("GET", "/stream") "\r\n");
	while (!w.held)
		(void)loom_loop_step(w.loop, -1);
	loom_exchange_write(w.held, loom_buf_str(&much));
	while (!w.overs && clock_ms() < until)
		(void)loom_loop_step(w.loop, 10);
	ASSERT_EQ(1, w.overs);
	close(fd);
	loom_buf_fini(&much);
	end();
	PASS();
}

/* More than the server has room for, of those who say nothing, half of a head, or no body. */
TEST a_crowd_of_the_slow_keeps_nobody_out(void)
{
	static const char *const begun[] = {"", "GET",
					    HEAD("POST", "/") "Content-Length: 5\r\n\r\nhe"};
	enum { CROWD = 1000 };
	int fds[CROWD];
	struct rlimit limit;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = limit.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	if (limit.rlim_cur < 2 * CROWD + 100)
		SKIPm("too few descriptors");
	for (size_t kind = 0; kind < LOOM_COUNT(begun); kind++) {
		ASSERT(begin(1));
		for (size_t i = 0; i < CROWD; i++) {
			fds[i] = client(begun[kind]);
			ASSERT(fds[i] >= 0);
			while (loom_loop_step(w.loop, 0))
				continue;
		}
		ASSERTm(begun[kind], answers(HEAD("GET", "/") "\r\n", "200 OK"));
		for (size_t i = 0; i < CROWD; i++)
			close(fds[i]);
		end();
	}
	PASS();
}

/* Those who leave the most untaken go, and all others are served. */
TEST what_nobody_takes_is_given_up(void)
{
	enum { PIECE = 24 << 20, CLIENTS = 6 };
	struct loom_buf much = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int fds[CLIENTS];

	ASSERT(begin(1));
	loom_buf_add_repeat(&much, 'x', PIECE);
	for (size_t i = 0; i < CLIENTS; i++) {
		fds[i] = client(HEAD("GET", "/stream") "\r\n");
		while (!w.held)
			(void)loom_loop_step(w.loop, -1);
		loom_exchange_write(w.held, loom_buf_str(&much));
		w.held = NULL;
		ASSERT(answers(HEAD("GET", "/") "\r\n", "200 OK"));
	}
	while (w.overs < CLIENTS - 2)
		(void)loom_loop_step(w.loop, 10);
	ASSERT_EQ(CLIENTS - 2, w.overs);
	for (size_t i = 0; i < CLIENTS; i++)
		close(fds[i]);
	end();
	loom_buf_fini(&much);
	PASS();
}

TEST closing_ends_what_waits(void)
{
	struct loom_buf got = LOOM_BUF_INIT(1 << 20);
	int held = 0;
	int stream = 0;
	int begun = 0;

	ASSERT(begin(1));
	held = client(HEAD("GET", "/held") "\r\n");
	while (!w.held)
		(void)loom_loop_step(w.loop, -1);
	stream = client(HEAD("GET", "/stream") "\r\n");
	ASSERT(gets(stream, &got, "200 OK"));
	begun = client("POST / HTTP/1.1\r\n");
	end();
	ASSERT_EQ(2, w.overs);
	close(held);
	close(stream);
	close(begun);
	loom_buf_fini(&got);
	PASS();
}

/* ---- addresses ---- */

TEST an_address_is_read_and_one_that_others_reach_refused(void)
{
	static const struct {
		const char *text;
		bool outside;
		enum loom_status status;
	} cases[] = {{"127.0.0.1:0", false, LOOM_OK},
		     {"localhost:0", false, LOOM_OK},
		     {"0", false, LOOM_OK},
		     {"127.9.9.9:0", false, LOOM_OK},
		     {"0.0.0.0:0", false, LOOM_REFUSED},
		     {"0.0.0.0:0", true, LOOM_OK},
		     {"[::]:0", false, LOOM_REFUSED},
		     {"", false, LOOM_USAGE},
		     {"127.0.0.1", false, LOOM_USAGE},
		     {"127.0.0.1:", false, LOOM_USAGE},
		     {"127.0.0.1:x", false, LOOM_USAGE},
		     {"127.0.0.1:65536", false, LOOM_USAGE},
		     {"::1:80", false, LOOM_USAGE},
		     {":80", false, LOOM_USAGE},
		     {"example.org:80", false, LOOM_USAGE}};

	w = (struct world){.loop = loom_loop_create()};
	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_err err = {.status = LOOM_OK};

		ASSERT_EQ_FMTm(cases[i].text, cases[i].status,
			       open_at(cases[i].text, cases[i].outside, 1, &err), "%d");
		ASSERTm(cases[i].text, cases[i].status == LOOM_OK || err.hint[0]);
		loom_server_close(w.server);
	}
	loom_loop_destroy(w.loop);
	PASS();
}

TEST a_port_is_taken_once(void)
{
	struct loom_server *first = NULL;
	struct loom_err err = {.status = LOOM_OK};
	char address[32];

	ASSERT(begin(1));
	first = w.server;
	snprintf(address, sizeof address, "127.0.0.1:%d", w.port);
	ASSERT_EQ(LOOM_CONFLICT, open_at(address, false, 1, &err));
	ASSERT(!w.server);
	w.server = first;
	end();
	PASS();
}

SUITE(suite)
{
	RUN_TEST(a_request_is_answered_and_its_connection_used_again);
	RUN_TEST(a_body_is_read_whole_or_refused_by_its_length);
	RUN_TEST(a_path_is_decoded_and_none_is_cut_off);
	RUN_TEST(a_host_and_an_origin_must_be_ours);
	RUN_TEST(an_answer_may_come_later);
	RUN_TEST(a_stream_waits_for_its_pieces);
	RUN_TEST(a_client_that_leaves_is_noticed_at_once);
	RUN_TEST(the_silent_and_the_slow_are_cut_off);
	RUN_TEST(a_client_that_does_not_take_a_stream_is_cut_off);
	RUN_TEST(a_crowd_of_the_slow_keeps_nobody_out);
	RUN_TEST(what_nobody_takes_is_given_up);
	RUN_TEST(closing_ends_what_waits);
	RUN_TEST(an_address_is_read_and_one_that_others_reach_refused);
	RUN_TEST(a_port_is_taken_once);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(suite);
	GREATEST_MAIN_END();
}
