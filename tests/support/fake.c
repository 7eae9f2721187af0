#include "fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOG_MAX     ((size_t)4 << 20)
#define REPLIES_MAX 64
#define REQUEST_MAX ((size_t)1 << 20)
#define REQUESTS    64

struct fake_shared {
	atomic_int requests;
	atomic_int hangups;
	atomic_int open;
	atomic_int open_most;
	atomic_flag lock;
	int given[REPLIES_MAX]; /* how often each reply was given */
	size_t body_at[REQUESTS];
	size_t body_n[REQUESTS];
	size_t used;
	char log[LOG_MAX];
};

struct reply {
	struct loom_str method;
	struct loom_str path;
	struct loom_str lines;
};

struct server {
	struct fake_shared *shared;
	struct reply replies[REPLIES_MAX];
	int count;
	int port;
	fake_answer *answer; /* in place of a script */
	void *ctx;
};

/* A connection and its requests. */
struct talk {
	const struct server *server;
	int fd;
	struct loom_buf request;
	struct loom_str head;
	struct loom_buf reply_head;
	bool head_sent;
	int pause_ms; /* between bytes; -1: whole */
	bool gone;
};

static void must(bool good, const char *what)
{
	if (!good) {
		fprintf(stderr, "fake: %s: %s\n", what, strerror(errno));
		abort();
	}
}

static void pause_for(int ms)
{
	struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&time, NULL);
}

static void lock(struct fake_shared *shared)
{
	while (atomic_flag_test_and_set(&shared->lock))
		pause_for(1);
}

static void unlock(struct fake_shared *shared)
{
	atomic_flag_clear(&shared->lock);
}

static void send_all(struct talk *talk, const char *p, size_t n)
{
	while (n && !talk->gone) {
		size_t part = talk->pause_ms >= 0 ? 1 : n;
		ssize_t sent = send(talk->fd, p, part, MSG_NOSIGNAL);

		if (sent <= 0) {
			talk->gone = true;
			return;
		}
		p += sent;
		n -= (size_t)sent;
		if (talk->pause_ms > 0)
			pause_for(talk->pause_ms);
	}
}

/* The value of a request's header. */
static struct loom_str header(const struct talk *talk, const char *name)
{
	struct loom_str rest = talk->head;
	struct loom_str line;

	while (loom_str_line(&rest, &line)) {
		size_t colon = loom_str_find_char(line, ':', 0);

		if (colon != SIZE_MAX &&
		    loom_str_eq_fold(loom_str_sub(line, 0, colon), loom_str_of(name)))
			return loom_str_trim(loom_str_sub(line, colon + 1, SIZE_MAX));
	}
	return loom_str_make("", 0);
}

static void add_escape(const struct talk *talk, struct loom_str text, size_t *at,
		       struct loom_buf *out)
{
	struct loom_str key = header(talk, "authorization");
	unsigned char byte = 0;

	switch (text.p[*at]) {
	case 'n':
		loom_buf_addc(out, '\n');
		break;
	case 'r':
		loom_buf_addc(out, '\r');
		break;
	case 't':
		loom_buf_addc(out, '\t');
		break;
	case 'x':
		byte = (unsigned char)strtol((char[]){text.p[*at + 1], text.p[*at + 2], '\0'}, NULL,
					     16);
		loom_buf_addc(out, (char)byte);
		*at += 2;
		break;
	case 'A':
		if (loom_str_starts(key, LOOM_STR("Bearer ")))
			key = loom_str_sub(key, 7, SIZE_MAX);
		loom_buf_add(out, key.n ? key : header(talk, "x-api-key"));
		break;
	case 'P':
		loom_buf_addf(out, "%d", talk->server->port);
		break;
	default:
		loom_buf_addc(out, text.p[*at]);
	}
}

static void expand(const struct talk *talk, struct loom_str text, struct loom_buf *out)
{
	for (size_t at = 0; at < text.n; at++) {
		if (text.p[at] == '\\' && at + 1 < text.n) {
			at++;
			add_escape(talk, text, &at, out);
		} else {
			loom_buf_addc(out, text.p[at]);
		}
	}
}

static void send_head(struct talk *talk)
{
	int pause = talk->pause_ms;

	if (talk->head_sent)
		return;
	talk->head_sent = true;
	talk->pause_ms = -1;
	loom_buf_adds(&talk->reply_head, "Connection: close\r\n\r\n");
	send_all(talk, talk->reply_head.p, talk->reply_head.n);
	talk->pause_ms = pause;
}

static void send_text(struct talk *talk, struct loom_str text, int64_t times)
{
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);

	expand(talk, text, &bytes);
	for (int64_t i = 0; i < times && !talk->gone; i++)
		send_all(talk, bytes.p, bytes.n);
	loom_buf_fini(&bytes);
}

/* Whether the client has closed its side. */
static bool has_left(int fd)
{
	char byte = 0;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0 ||
	       (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void wait_until_gone(struct talk *talk)
{
	struct pollfd waiting = {.fd = talk->fd, .events = POLLIN | POLLRDHUP};

	while (poll(&waiting, 1, 20000) == 1 && !has_left(talk->fd))
		pause_for(5);
	talk->gone = true;
}

static void flood_headers(struct talk *talk, int64_t n)
{
	char part[1000];

	memset(part, 'x', sizeof part);
	send_all(talk, talk->reply_head.p, talk->reply_head.n);
	send_all(talk, "X-Long: ", 8);
	for (; n > 0; n -= (int64_t)sizeof part)
		send_all(talk, part, sizeof part);
	send_all(talk, "\r\n", 2);
	loom_buf_clear(&talk->reply_head);
}

/* Performs one line of a reply. False when the connection is to be closed. */
static bool act(struct talk *talk, struct loom_str line)
{
	struct loom_str rest = line;
	struct loom_str verb;
	struct loom_str first;
	int64_t number = 0;

	(void)loom_str_cut(&rest, ' ', &verb);
	if (!rest.p)
		rest = loom_str_make("", 0);
	first = loom_str_sub(rest, 0, loom_str_find_char(rest, ' ', 0));
	(void)loom_str_to_i64(first, &number);
	if (loom_str_is(verb, "status")) {
		loom_buf_clear(&talk->reply_head);
		loom_buf_addf(&talk->reply_head, "HTTP/1.1 %.*s X\r\n", LOOM_STR_ARG(rest));
	} else if (loom_str_is(verb, "type")) {
		loom_buf_addf(&talk->reply_head, "Content-Type: %.*s\r\n", LOOM_STR_ARG(rest));
	} else if (loom_str_is(verb, "header")) {
		expand(talk, rest, &talk->reply_head);
		loom_buf_adds(&talk->reply_head, "\r\n");
	} else if (loom_str_is(verb, "send")) {
		send_head(talk);
		send_text(talk, rest, 1);
	} else if (loom_str_is(verb, "raw")) {
		talk->head_sent = true;
		send_text(talk, rest, 1);
	} else if (loom_str_is(verb, "repeat")) {
		send_head(talk);
		send_text(talk, loom_str_sub(rest, first.n + 1, SIZE_MAX), number);
	} else if (loom_str_is(verb, "bytewise")) {
		talk->pause_ms = (int)number;
	} else if (loom_str_is(verb, "headers")) {
		flood_headers(talk, number);
	} else if (loom_str_is(verb, "sleep")) {
		pause_for((int)number);
	} else if (loom_str_is(verb, "hang")) {
		wait_until_gone(talk);
	} else if (loom_str_is(verb, "reset")) {
		struct linger now = {1, 0};

		setsockopt(talk->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
		talk->head_sent = true;
		return false;
	} else if (loom_str_is(verb, "close")) {
		talk->head_sent = true;
		return false;
	} else {
		must(!verb.n || verb.p[0] == '#', "a script's line");
	}
	return !talk->gone;
}

static const struct reply *choose(const struct server *server, struct loom_str method,
				  struct loom_str path)
{
	const struct reply *last = NULL;

	lock(server->shared);
	for (int i = 0; i < server->count; i++) {
		const struct reply *reply = &server->replies[i];

		if (!loom_str_eq(reply->method, method) || !loom_str_eq(reply->path, path))
			continue;
		last = reply;
		if (!server->shared->given[i]++)
			break;
	}
	unlock(server->shared);
	return last;
}

static void note(const struct talk *talk, struct loom_str body)
{
	struct fake_shared *shared = talk->server->shared;
	struct loom_str all = loom_buf_str(&talk->request);
	int number = 0;

	lock(shared);
	number = atomic_load(&shared->requests);
	if (number < REQUESTS && shared->used + all.n + 1 < LOG_MAX) {
		memcpy(shared->log + shared->used, all.p, all.n);
		shared->body_at[number] = shared->used + (size_t)(body.p - all.p);
		shared->body_n[number] = body.n;
		shared->used += all.n;
		shared->log[shared->used++] = '\n';
	}
	atomic_fetch_add(&shared->requests, 1);
	unlock(shared);
}

/* Reads a request whole; false when it does not come. */
static bool listen_to(struct talk *talk, struct loom_str *body)
{
	char part[65536];
	size_t end = SIZE_MAX;
	int64_t length = 0;

	while (end == SIZE_MAX || talk->request.n < end + 4 + (size_t)length) {
		ssize_t n = recv(talk->fd, part, sizeof part, 0);

		if (n <= 0)
			return false;
		loom_buf_add(&talk->request, loom_str_make(part, (size_t)n));
		end = loom_str_find(loom_buf_str(&talk->request), LOOM_STR("\r\n\r\n"), 0);
		if (end == SIZE_MAX)
			continue;
		talk->head = loom_str_sub(loom_buf_str(&talk->request), 0, end + 2);
		(void)loom_str_to_i64(header(talk, "content-length"), &length);
	}
	*body = loom_str_sub(loom_buf_str(&talk->request), end + 4, SIZE_MAX);
	return true;
}

bool fake_say(const struct fake_ask *ask, int status, const char *type, struct loom_str bytes)
{
	struct talk *talk = ask->talk;

	if (!talk->head_sent) {
		loom_buf_clear(&talk->reply_head);
		loom_buf_addf(&talk->reply_head, "HTTP/1.1 %d X\r\nContent-Type: %s\r\n", status,
			      type);
		send_head(talk);
	}
	if (!talk->gone)
		send_all(talk, bytes.p, bytes.n);
	talk->gone = talk->gone || has_left(talk->fd);
	return !talk->gone;
}

static void answer_with(struct talk *talk, struct loom_str body)
{
	struct fake_ask ask = {.body = body, .talk = talk};
	struct loom_str rest = talk->head;

	(void)loom_str_cut(&rest, ' ', &ask.method);
	(void)loom_str_cut(&rest, ' ', &ask.path);
	talk->server->answer(talk->server->ctx, &ask);
	if (!talk->head_sent)
		(void)fake_say(&ask, 404, "application/json",
			       LOOM_STR("{\"error\":{\"message\":\"no such page\"}}"));
}

static void answer_by_script(struct talk *talk)
{
	struct loom_str rest = talk->head;
	struct loom_str method;
	struct loom_str path;
	const struct reply *reply = NULL;
	struct loom_str line;
	bool more = true;

	(void)loom_str_cut(&rest, ' ', &method);
	(void)loom_str_cut(&rest, ' ', &path);
	reply = choose(talk->server, method, path);
	loom_buf_adds(&talk->reply_head,
		      reply ? "HTTP/1.1 200 OK\r\n"
			    : "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n");
	rest = reply ? reply->lines : LOOM_STR("send {\"error\":{\"message\":\"no such page\"}}\n");
	while (more && loom_str_line(&rest, &line))
		more = act(talk, line);
	if (!talk->gone)
		send_head(talk);
}

static void serve(const struct server *server, int fd)
{
	struct fake_shared *shared = server->shared;
	struct talk talk = {.server = server, .fd = fd, .pause_ms = -1};
	struct loom_str body;
	int now = 0;

	loom_buf_init(&talk.request, REQUEST_MAX);
	loom_buf_init(&talk.reply_head, REQUEST_MAX);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	if (!listen_to(&talk, &body))
		return;
	note(&talk, body);
	now = atomic_fetch_add(&shared->open, 1) + 1;
	if (now > atomic_load(&shared->open_most))
		atomic_store(&shared->open_most, now);
	if (server->answer)
		answer_with(&talk, body);
	else
		answer_by_script(&talk);
	atomic_fetch_sub(&shared->open, 1);
	if (talk.gone)
		atomic_fetch_add(&shared->hangups, 1);
	close(fd);
}

static _Noreturn void run(const struct server *server, int listener, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* the parent may have died already */
	if (getppid() != parent)
		_exit(1);
	setpgid(0, 0);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			continue;
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(listener);
			serve(server, fd);
			_exit(0);
		}
		close(fd);
	}
}

static void read_script(struct server *server, struct loom_str script)
{
	struct loom_str rest = script;
	struct loom_str line;
	struct reply *reply = NULL;

	while (loom_str_line(&rest, &line)) {
		if (loom_str_starts(line, LOOM_STR("on "))) {
			struct loom_str words = loom_str_sub(line, 3, SIZE_MAX);

			must(server->count < REPLIES_MAX, "too many replies");
			reply = &server->replies[server->count++];
			(void)loom_str_cut(&words, ' ', &reply->method);
			reply->path = words;
			reply->lines = loom_str_make(line.p + line.n + 1, 0);
		} else if (reply) {
			reply->lines.n = (size_t)(line.p + line.n - reply->lines.p);
		}
	}
}

static void start(struct fake *fake, struct server *server)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t parent = 0;

	must(listener >= 0, "socket");
	must(!bind(listener, (struct sockaddr *)&address, size), "bind");
	must(!listen(listener, 64), "listen");
	must(!getsockname(listener, (struct sockaddr *)&address, &size), "getsockname");
	fake->shared = mmap(NULL, sizeof *fake->shared, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(fake->shared != MAP_FAILED, "mmap");
	fake->port = server->port = ntohs(address.sin_port);
	server->shared = fake->shared;
	parent = getpid();
	fake->child = fork();
	must(fake->child >= 0, "fork");
	if (fake->child == 0)
		run(server, listener, parent);
	setpgid(fake->child, fake->child);
	close(listener);
}

void fake_start(struct fake *fake, const char *script)
{
	struct server server = {.count = 0};

	read_script(&server, loom_str_of(script));
	start(fake, &server);
}

void fake_start_with(struct fake *fake, fake_answer *answer, void *ctx)
{
	struct server server = {.answer = answer, .ctx = ctx};

	start(fake, &server);
}

void fake_stop(struct fake *fake)
{
	kill(-fake->child, SIGKILL);
	waitpid(fake->child, NULL, 0);
	munmap(fake->shared, sizeof *fake->shared);
	*fake = (struct fake){.child = 0};
}

void fake_fill(const struct fake *fake, const char *text, struct loom_buf *out)
{
	for (; *text; text++)
		if (text[0] == '$' && text[1] == 'P') {
			loom_buf_addf(out, "%d", fake->port);
			text++;
		} else {
			loom_buf_addc(out, *text);
		}
}

int fake_requests(const struct fake *fake)
{
	return atomic_load(&fake->shared->requests);
}

int fake_hangups(const struct fake *fake)
{
	return atomic_load(&fake->shared->hangups);
}

int fake_open(const struct fake *fake)
{
	return atomic_load(&fake->shared->open);
}

int fake_open_most(const struct fake *fake)
{
	return atomic_load(&fake->shared->open_most);
}

struct loom_str fake_log(const struct fake *fake)
{
	return loom_str_make(fake->shared->log, fake->shared->used);
}

struct loom_str fake_body(const struct fake *fake, int number)
{
	if (number >= fake_requests(fake) || number >= REQUESTS)
		return loom_str_make("", 0);
	return loom_str_make(fake->shared->log + fake->shared->body_at[number],
			     fake->shared->body_n[number]);
}
