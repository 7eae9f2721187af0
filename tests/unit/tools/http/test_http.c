/* Fetching from a server that misbehaves, on this machine only. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/http/fetch.h>
#include <loom/http/http.h>
#include <loom/tree/op.h>
#include <loom/payload/payload.h>

#include "support/clock.h"
#include "support/grove.h"
#include "support/temp.h"

/* A server in a child process. */
struct server {
	pid_t child;
	int port;
	int *requests; /* shared with the child */
};

static void say(int fd, const char *text)
{
	size_t n = strlen(text);

	while (n) {
		ssize_t written = send(fd, text, n, MSG_NOSIGNAL);

		if (written <= 0)
			return;
		text += written;
		n -= (size_t)written;
	}
}

static void answer_endlessly(int fd, const char *head)
{
	char chunk[4097];

	memset(chunk, 'x', sizeof chunk - 1);
	chunk[4096] = '\0';
	say(fd, head);
	for (int i = 0; i < 4000; i++)
		say(fd, chunk);
}

static void redirect(int fd, const char *where)
{
	char text[400];

	snprintf(text, sizeof text,
		 "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 3\r\n"
		 "Connection: close\r\n\r\nno\n",
		 where);
	say(fd, text);
}

static void answer(int fd, const char *path, int port)
{
	char where[200];

	snprintf(where, sizeof where, "http://127.0.0.1:%d/r/%c", port,
		 path[0] && path[1] == 'r' && path[3] ? path[3] - 1 : '0');
	if (strncmp(path, "/ok", 3) == 0)
		say(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
			"Content-Length: 5\r\nConnection: close\r\n\r\n<p>ok");
	else if (strcmp(path, "/r/0") == 0)
		redirect(fd, "/ok");
	else if (strncmp(path, "/r/", 3) == 0)
		redirect(fd, where);
	else if (strcmp(path, "/outside") == 0)
		redirect(fd, "http://example.com/");
	else if (strcmp(path, "/file") == 0)
		redirect(fd, "file:///etc/passwd");
	else if (strcmp(path, "/user") == 0)
		redirect(fd, "http://user:secret@127.0.0.1/");
	else if (strcmp(path, "/endless") == 0)
		answer_endlessly(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
	else if (strcmp(path, "/headers") == 0)
		answer_endlessly(fd, "HTTP/1.1 200 OK\r\nX-Long: ");
	else if (strcmp(path, "/hang") == 0)
		pause();
	else if (strcmp(path, "/broken") == 0)
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nonly this");
	else if (strcmp(path, "/error") == 0)
		say(fd, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
	else
		say(fd, "HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngone");
}

static void serve_one(int fd, int port)
{
	char request[4096];
	char path[256] = "";
	ssize_t n = recv(fd, request, sizeof request - 1, 0);

	if (n > 0) {
		request[n] = '\0';
		sscanf(request, "GET %255s", path);
		answer(fd, path, port);
	}
	shutdown(fd, SHUT_WR);
	while (recv(fd, request, sizeof request, 0) > 0)
		continue;
	close(fd);
}

static void serve(int listening, struct server *server)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = accept(listening, NULL, NULL);

		if (fd < 0)
			continue;
		__atomic_add_fetch(server->requests, 1, __ATOMIC_SEQ_CST);
		if (fork() == 0) {
			alarm(20);
			serve_one(fd, server->port);
			_exit(0);
		}
		close(fd);
	}
}

static void server_start(struct server *server)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 16) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) < 0)
		abort();
	server->port = ntohs(address.sin_port);
	server->requests = mmap(NULL, sizeof *server->requests, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	server->child = fork();
	if (server->child == 0) {
		setpgid(0, 0);
		serve(fd, server);
	}
	setpgid(server->child, server->child);
	close(fd);
}

static void server_stop(struct server *server)
{
	kill(-server->child, SIGKILL);
	waitpid(server->child, NULL, 0);
	munmap(server->requests, sizeof *server->requests);
}

static enum loom_status get(const char *url, const struct loom_http_opts *opts,
			    struct loom_buf *body, struct loom_buf *type)
{
	static const struct loom_http_opts usual = {.timeout_ms = 5000};

	loom_buf_init(body, LOOM_BUF_MAX);
	loom_buf_init(type, LOOM_BUF_MAX);
	return loom_http_get(loom_str_of(url), opts ? opts : &usual, body, type, NULL);
}

static enum loom_status status_of(const struct server *server, const char *path,
				  const struct loom_http_opts *opts)
{
	struct loom_buf body;
	struct loom_buf type;
	char url[300];
	enum loom_status status = LOOM_OK;

	snprintf(url, sizeof url, "http://127.0.0.1:%d%s", server->port, path);
	status = get(url, opts, &body, &type);
	loom_buf_fini(&body);
	loom_buf_fini(&type);
	return status;
}

TEST a_document_comes_with_its_type(void)
{
	struct server server;
	struct loom_buf body;
	struct loom_buf type;
	char url[100];

	server_start(&server);
	snprintf(url, sizeof url, "http://localhost:%d/ok", server.port);
	ASSERT_EQ(LOOM_OK, get(url, NULL, &body, &type));
	ASSERT_STR_EQ("<p>ok", loom_buf_cstr(&body));
	ASSERT_STR_EQ("text/html; charset=utf-8", loom_buf_cstr(&type));
	loom_buf_fini(&body);
	loom_buf_fini(&type);
	server_stop(&server);
	PASS();
}

TEST three_redirects_are_followed_and_a_fourth_is_not(void)
{
	struct server server;
	struct loom_buf body;
	struct loom_buf type;
	char url[100];

	server_start(&server);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/r/2", server.port);
	ASSERT_EQ(LOOM_OK, get(url, NULL, &body, &type));
	ASSERT_STR_EQ("<p>ok", loom_buf_cstr(&body));
	ASSERT_EQ(4, *server.requests);
	ASSERT_EQ(LOOM_IO, status_of(&server, "/r/3", NULL));
	loom_buf_fini(&body);
	loom_buf_fini(&type);
	server_stop(&server);
	PASS();
}

TEST a_redirect_passes_the_same_checks(void)
{
	struct server server;

	server_start(&server);
	ASSERT_EQ(LOOM_REFUSED, status_of(&server, "/outside", NULL));
	ASSERT_EQ(LOOM_REFUSED, status_of(&server, "/file", NULL));
	ASSERT_EQ(LOOM_REFUSED, status_of(&server, "/user", NULL));
	server_stop(&server);
	PASS();
}

TEST errors_of_the_server_are_errors(void)
{
	struct server server;

	server_start(&server);
	ASSERT_EQ(LOOM_NOT_FOUND, status_of(&server, "/nothing", NULL));
	ASSERT_EQ(LOOM_IO, status_of(&server, "/error", NULL));
	ASSERT_EQ(LOOM_IO, status_of(&server, "/broken", NULL));
	server_stop(&server);
	ASSERT_EQ(LOOM_IO, status_of(&server, "/ok", NULL));
	PASS();
}

TEST a_body_or_headers_without_end_are_cut_off(void)
{
	struct server server;
	int64_t start = clock_ns();

	server_start(&server);
	ASSERT_EQ(LOOM_LIMIT,
		  status_of(&server, "/endless", &(struct loom_http_opts){.max = 100000}));
	ASSERT_EQ(LOOM_LIMIT, status_of(&server, "/endless", NULL));
	ASSERT_FALSE(status_of(&server, "/headers", NULL) == LOOM_OK);
	ASSERT(clock_ns() - start < INT64_C(8000000000));
	server_stop(&server);
	PASS();
}

TEST a_server_that_hangs_costs_the_deadline_and_no_more(void)
{
	struct server server;
	int64_t start = clock_ns();
	int64_t took = 0;

	server_start(&server);
	ASSERT_EQ(LOOM_IO,
		  status_of(&server, "/hang", &(struct loom_http_opts){.timeout_ms = 300}));
	took = (clock_ns() - start) / 1000000;
	ASSERT(took >= 250 && took < clock_limit(2000));
	server_stop(&server);
	PASS();
}

TEST a_cancelled_task_ends_the_fetch(void)
{
	struct loom_task task = {0};
	struct loom_http_opts opts = {.timeout_ms = 5000, .task = &task};
	struct server server;
	int64_t start = clock_ns();

	server_start(&server);
	loom_task_cancel(&task);
	ASSERT_EQ(LOOM_CANCELLED, status_of(&server, "/hang", &opts));
	ASSERT(clock_ns() - start < INT64_C(3000000000));
	server_stop(&server);
	PASS();
}

TEST urls_that_may_not_be_asked_are_refused_unasked(void)
{
	static const char *const urls[] = {
		"http://example.com/",
		"ftp://example.com/",
		"file:///etc/passwd",
		"https://u:p@localhost/",
		"https://",
		"http://127.0.0.1.example.com/",
		"gopher://127.0.0.1/",
		"https://10.0.0.1/",
		"https://[fe80::1]/",
		"https://192.168.0.1/latest",
		"https://[::ffff:10.0.0.1]/",
		"https://0.0.0.0/",
	};

	for (size_t i = 0; i < LOOM_COUNT(urls); i++) {
		struct loom_buf body;
		struct loom_buf type;

		ASSERT_EQm(urls[i], LOOM_REFUSED,
			   get(urls[i], &(struct loom_http_opts){.timeout_ms = 1000}, &body,
			       &type));
		loom_buf_fini(&body);
		loom_buf_fini(&type);
	}
	PASS();
}

static enum loom_address address(const char *text)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		return loom_address_of((const struct sockaddr *)&v4);
	if (inet_pton(AF_INET6, text, &v6.sin6_addr) != 1)
		abort();
	return loom_address_of((const struct sockaddr *)&v6);
}

/* What is no address of the internet is nobody else's. */
TEST a_socket_of_another_kind_is_private(void)
{
	const struct sockaddr other = {.sa_family = AF_UNIX};

	ASSERT_EQ(LOOM_ADDRESS_PRIVATE, loom_address_of(&other));
	PASS();
}

TEST addresses_are_told_apart(void)
{
	static const char *const private_ones[] = {"10.1.2.3",
						   "172.16.0.1",
						   "172.31.255.255",
						   "192.168.1.1",
						   "169.254.1.1",
						   "100.64.0.1",
						   "100.127.9.9",
						   "0.0.0.0",
						   "0.1.2.3",
						   "192.0.0.8",
						   "198.18.0.1",
						   "198.19.255.255",
						   "224.0.0.1",
						   "255.255.255.255",
						   "240.0.0.1",
						   "fe80::1",
						   "fc00::1",
						   "fd12::1",
						   "ff02::1",
						   "::",
						   "::ffff:10.0.0.1",
						   "64:ff9b::10.0.0.1",
						   "64:ff9b::127.0.0.1",
						   "2002:a00:1::",
						   "2001::1"};
	static const char *const public_ones[] = {"2001:4860::1",    "2003::1",
						  "2001:100::1",     "1.1.1.1",
						  "172.15.0.1",      "172.32.0.1",
						  "100.63.0.1",      "100.128.0.1",
						  "198.20.0.1",      "223.255.255.255",
						  "2606:4700::1111", "::ffff:1.1.1.1",
						  "64:ff9b::1.1.1.1"};
	static const char *const own[] = {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"};

	for (size_t i = 0; i < LOOM_COUNT(private_ones); i++)
		ASSERT_EQm(private_ones[i], LOOM_ADDRESS_PRIVATE, address(private_ones[i]));
	for (size_t i = 0; i < LOOM_COUNT(public_ones); i++)
		ASSERT_EQm(public_ones[i], LOOM_ADDRESS_PUBLIC, address(public_ones[i]));
	for (size_t i = 0; i < LOOM_COUNT(own); i++)
		ASSERT_EQm(own[i], LOOM_ADDRESS_SELF, address(own[i]));
	PASS();
}

/* A grove that keeps what is fetched. */
struct cached {
	struct grove grove;
	struct server server;
	struct loom_str url;
	char text[100];
};

static void cached_init(struct cached *cached, const char *path)
{
	grove_init(&cached->grove);
	server_start(&cached->server);
	snprintf(cached->text, sizeof cached->text, "http://127.0.0.1:%d%s", cached->server.port,
		 path);
	cached->url = loom_str_of(cached->text);
}

static void cached_fini(struct cached *cached)
{
	server_stop(&cached->server);
	grove_fini(&cached->grove);
}

static enum loom_status keep(struct cached *cached, struct loom_fetch *fetch)
{
	struct loom_store *store = cached->grove.store;
	enum loom_status status = loom_quiet_begin(store, NULL);

	if (status == LOOM_OK)
		status = loom_quiet_end(store, loom_fetch_keep(fetch, store, NULL), NULL);
	return status;
}

/* One run of the program that fetches the URL. */
static enum loom_status run_once(struct cached *cached, const char *session, bool offline)
{
	struct loom_fetch_opts opts = {.place = {.project = LOOM_STR("/p"),
						 .session = loom_str_of(session)},
				       .offline = offline,
				       .trusted = strcmp(session, "stranger") != 0,
				       .timeout_ms = 1000};
	struct loom_payload_entry entry = {.target = cached->url, .url = true};
	struct loom_payload_lists lists = {.entries = &entry, .count = 1};
	struct loom_buf body = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf type = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_fetch fetch;
	enum loom_status status = LOOM_OK;

	loom_fetch_init(&fetch, &opts, cached->grove.arena);
	if (loom_fetch_wanted(&fetch, &lists))
		loom_fetch_recall(&fetch, cached->grove.store, &lists);
	status = loom_fetch_url(&fetch, cached->url, &body, &type, NULL);
	if (status == LOOM_OK && (!loom_str_is(loom_buf_str(&body), "<p>ok") ||
				  !loom_str_is(loom_buf_str(&type), "text/html; charset=utf-8")))
		status = LOOM_FAULT;
	if (status == LOOM_OK && loom_fetch_is_new(&fetch))
		status = keep(cached, &fetch);
	loom_buf_fini(&body);
	loom_buf_fini(&type);
	return status;
}

TEST what_was_fetched_is_kept_for_its_session(void)
{
	struct cached cached;

	cached_init(&cached, "/ok");
	ASSERT_EQ(LOOM_REFUSED, run_once(&cached, "s", true));
	ASSERT_EQ(LOOM_OK, run_once(&cached, "s", false));
	ASSERT_EQ(LOOM_OK, run_once(&cached, "s", false));
	ASSERT_EQ(LOOM_OK, run_once(&cached, "s", true));
	ASSERT_EQ(1, *cached.server.requests);
	ASSERT_EQ(LOOM_OK, run_once(&cached, "t", false));
	ASSERT_EQ(2, *cached.server.requests);
	ASSERT_EQ(LOOM_OK, run_once(&cached, "", false));
	ASSERT_EQ(LOOM_OK, run_once(&cached, "", false));
	ASSERT_EQ(4, *cached.server.requests);
	grove_reopen(&cached.grove);
	ASSERT_EQ(LOOM_OK, run_once(&cached, "s", true));
	ASSERT_EQ(LOOM_OK, run_once(&cached, "t", true));
	ASSERT_EQ(4, *cached.server.requests);
	cached_fini(&cached);
	PASS();
}

TEST nothing_is_fetched_for_a_project_that_nobody_trusts(void)
{
	struct cached cached;
	enum loom_status status;
	int requests;

	cached_init(&cached, "/ok");
	status = run_once(&cached, "stranger", false);
	requests = *cached.server.requests;
	cached_fini(&cached);
	ASSERT_EQ(LOOM_REFUSED, status);
	ASSERT_EQ(0, requests);
	PASS();
}

TEST a_failure_is_not_kept(void)
{
	struct cached cached;

	cached_init(&cached, "/nothing");
	ASSERT_EQ(LOOM_NOT_FOUND, run_once(&cached, "s", false));
	ASSERT_EQ(LOOM_NOT_FOUND, run_once(&cached, "s", false));
	ASSERT_EQ(2, *cached.server.requests);
	cached_fini(&cached);
	PASS();
}

TEST all_urls_share_one_deadline(void)
{
	struct loom_fetch_opts opts = {.trusted = true, .timeout_ms = 400, .all_timeout_ms = 600};
	struct loom_fetch fetch;
	struct cached cached;
	int64_t start = clock_ns();

	cached_init(&cached, "/hang");
	loom_fetch_init(&fetch, &opts, cached.grove.arena);
	for (int i = 0; i < 5; i++) {
		struct loom_buf body = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_buf type = LOOM_BUF_INIT(LOOM_BUF_MAX);

		ASSERT_EQ(LOOM_IO, loom_fetch_url(&fetch, cached.url, &body, &type, NULL));
	}
	ASSERT((clock_ns() - start) / 1000000 < 1500);
	cached_fini(&cached);
	PASS();
}

SUITE(http)
{
	RUN_TEST(a_document_comes_with_its_type);
	RUN_TEST(three_redirects_are_followed_and_a_fourth_is_not);
	RUN_TEST(a_redirect_passes_the_same_checks);
	RUN_TEST(errors_of_the_server_are_errors);
	RUN_TEST(a_body_or_headers_without_end_are_cut_off);
	RUN_TEST(a_server_that_hangs_costs_the_deadline_and_no_more);
	RUN_TEST(a_cancelled_task_ends_the_fetch);
	RUN_TEST(urls_that_may_not_be_asked_are_refused_unasked);
	RUN_TEST(a_socket_of_another_kind_is_private);
	RUN_TEST(addresses_are_told_apart);
}

SUITE(cache)
{
	RUN_TEST(what_was_fetched_is_kept_for_its_session);
	RUN_TEST(nothing_is_fetched_for_a_project_that_nobody_trusts);
	RUN_TEST(a_failure_is_not_kept);
	RUN_TEST(all_urls_share_one_deadline);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(http);
	RUN_SUITE(cache);
	GREATEST_MAIN_END();
}
