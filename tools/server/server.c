/* The server as a whole: libmicrohttpd in our loop, and the patience with its clients.
 *
 * The library is driven through one descriptor that is ready when it has something to do, so there
 * is no thread and nothing polls. A client that connects and says nothing, or speaks or listens too
 * slowly, is cut off; when there are too many, the one that has said nothing for longest. */
#include "inside.h"

#include <sys/socket.h>
#include <unistd.h>

#include <loom/base/env.h>
#include <loom/base/library.h>

/* Connections; a new one pushes out an idle one above LINES_FULL. */
#define LINES_FULL 800
#define LINES_MAX  900
/* Of the library, for the head of a request. */
#define HEAD_MAX ((size_t)32 << 10)
/* How long a client may take, in ms: to begin, between two requests, for a request, and to take
 * more of a stream. */
#define FIRST_MS   10000
#define BETWEEN_MS 75000
#define WHOLE_MS   60000
#define TAKE_MS    60000
#define SWEEP_MS   2000
#define STOP_STEPS 100
/* Answers that wait to be taken, and the most while some of them are being given up. A small one is
 * always taken on. */
#define OWED_MAX   ((size_t)64 << 20)
#define OWED_SMALL ((size_t)64 << 10)

static enum loom_status load(struct server_lib *lib, struct loom_err *err)
{
	static const char *const files[] = {"libmicrohttpd.so.12", "libmicrohttpd.dylib",
					    "libmicrohttpd.so", NULL};
	static const struct loom_symbol symbols[] = {
#define X(name) {"MHD_" #name, offsetof(struct server_lib, name)},
		SERVER_LIB(X)
#undef X
	};

	if (loom_library_load(files, symbols, LOOM_COUNT(symbols), lib))
		return LOOM_OK;
	loom_fail(err, LOOM_FAULT, "libmicrohttpd is not installed; nothing can be served without");
	return loom_hint(err, LOOM_FAULT,
			 "install libmicrohttpd (Debian: libmicrohttpd12 or libmicrohttpd12t64)");
}

/* ---- connections ---- */

static void unlink_line(struct loom_server *server, struct server_line *line)
{
	if (line->prev)
		line->prev->next = line->next;
	else
		server->lines = line->next;
	if (line->next)
		line->next->prev = line->prev;
	else
		server->last = line->prev;
	server->line_count--;
}

static void append_line(struct loom_server *server, struct server_line *line)
{
	line->next = NULL;
	line->prev = server->last;
	if (server->last)
		server->last->next = line;
	else
		server->lines = line;
	server->last = line;
	server->line_count++;
}

static void hang_up(struct server_line *line)
{
	(void)shutdown(line->fd, SHUT_RDWR);
}

/* Whether a client has used up our patience. */
static bool is_too_slow(const struct server_line *line, int64_t now, int64_t hurry)
{
	const struct loom_exchange *exchange = line->exchange;

	if (!exchange)
		return now - line->since > (line->served ? BETWEEN_MS : FIRST_MS) / hurry;
	if (exchange->state <= SERVER_BODY)
		return now - exchange->since > WHOLE_MS / hurry;
	if (exchange->streams)
		return loom_exchange_untaken(exchange) && now - exchange->since > TAKE_MS / hurry;
	return exchange->until && now > exchange->until;
}

/* ---- what is not taken ---- */

static struct server_line *find_most_owed(const struct loom_server *server,
					  const struct loom_exchange *spared)
{
	struct server_line *most = NULL;

	for (struct server_line *line = server->lines; line; line = line->next)
		if (line->exchange && line->exchange != spared && !line->exchange->doomed &&
		    line->exchange->owes > (most ? most->exchange->owes : OWED_SMALL))
			most = line;
	return most;
}

void server_owe(struct loom_exchange *exchange, size_t bytes, bool spared)
{
	struct loom_server *server = exchange->server;
	struct server_line *line = NULL;

	exchange->owes += bytes;
	server->owed += bytes;
	server->doomed += exchange->doomed ? bytes : 0;
	while (server->owed - server->doomed > OWED_MAX &&
	       (line = find_most_owed(server, spared ? exchange : NULL)) != NULL) {
		line->exchange->doomed = true;
		server->doomed += line->exchange->owes;
		hang_up(line);
	}
}

void server_owe_nothing(struct loom_exchange *exchange)
{
	struct loom_server *server = exchange->server;

	server->owed -= exchange->owes;
	server->doomed -= exchange->doomed ? exchange->owes : 0;
	exchange->owes = 0;
}

bool server_is_full(const struct loom_server *server, size_t bytes)
{
	return bytes > OWED_SMALL && server->owed && server->owed + bytes > 2 * OWED_MAX;
}

bool loom_exchange_is_pressed(const struct loom_exchange *exchange)
{
	return server_is_full(exchange->server, OWED_MAX);
}

/* ---- patience ---- */

static void begin_sweep(struct loom_server *server);

static void on_sweep(void *ctx)
{
	struct loom_server *server = ctx;
	const int64_t now = loom_env_boot();

	server->sweep = 0;
	for (struct server_line *line = server->lines; line; line = line->next)
		if (is_too_slow(line, now, server->opts.hurry))
			hang_up(line);
	if (server->lines)
		begin_sweep(server);
}

static void begin_sweep(struct loom_server *server)
{
	server->sweep =
		loom_loop_timer(server->opts.loop, SWEEP_MS / server->opts.hurry, on_sweep, server);
}

/* How much is lost if a client goes: nothing between two requests, little before a request is
 * whole, an answer that could be asked for again. 3: it is being worked for, or follows. */
static int worth_of(const struct server_line *line)
{
	const struct loom_exchange *exchange = line->exchange;

	return !exchange ? 0 : exchange->state <= SERVER_BODY ? 1 : exchange->until ? 2 : 3;
}

/* Makes room for a new client: of those that have least to lose, the oldest goes. */
static void push_out(struct loom_server *server)
{
	struct server_line *line = NULL;
	int worth = 3;

	for (struct server_line *at = server->lines; at && worth > 0; at = at->next)
		if (worth_of(at) < worth) {
			line = at;
			worth = worth_of(at);
		}
	if (!line)
		return;
	hang_up(line);
	/* It takes the library a moment to close it; until then it is not the oldest. */
	unlink_line(server, line);
	append_line(server, line);
}

static void on_line(void *ctx, struct MHD_Connection *connection, void **slot,
		    enum MHD_ConnectionNotificationCode what)
{
	struct loom_server *server = ctx;
	struct server_line *line = *slot;
	const union MHD_ConnectionInfo *info = NULL;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (line)
			unlink_line(server, line);
		free(line);
		*slot = NULL;
		return;
	}
	info = server->lib.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	line = loom_alloc(sizeof *line);
	*line = (struct server_line){.fd = info ? info->connect_fd : -1, .since = loom_env_boot()};
	if (server->line_count >= LINES_FULL)
		push_out(server);
	append_line(server, line);
	*slot = line;
	if (!server->sweep)
		begin_sweep(server);
}

/* ---- in the loop ---- */

static void run(struct loom_server *server);

static void on_due(void *ctx)
{
	struct loom_server *server = ctx;

	server->due = 0;
	run(server);
}

static void run(struct loom_server *server)
{
	MHD_UNSIGNED_LONG_LONG wait = 0;

	(void)server->lib.run(server->daemon);
	loom_loop_timer_cancel(server->opts.loop, server->due);
	server->due = 0;
	if (server->lib.get_timeout(server->daemon, &wait) == MHD_YES)
		server->due = loom_loop_timer(server->opts.loop,
					      wait < INT32_MAX ? (int64_t)wait : INT32_MAX, on_due,
					      server);
}

static void on_ready(void *ctx, int fd, unsigned events)
{
	(void)fd;
	(void)events;
	run(ctx);
}

void server_wake(struct loom_server *server)
{
	if (server->closing)
		return;
	loom_loop_timer_cancel(server->opts.loop, server->due);
	server->due = loom_loop_timer(server->opts.loop, 0, on_due, server);
}

/* ---- beginning and end ---- */

static void silent(void *ctx, const char *format, va_list args)
{
	(void)ctx;
	(void)format;
	(void)args;
}

static enum loom_status start(struct loom_server *server, struct loom_err *err)
{
	union {
		const char *text;
		void *bytes;
	} key = {.text = server->opts.key}, certificate = {.text = server->opts.certificate};
	const unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
			       (server->secure ? MHD_USE_TLS : 0u);
	const struct MHD_OptionItem options[] = {
		{MHD_OPTION_LISTEN_SOCKET, server->listen_fd, NULL},
		{MHD_OPTION_CONNECTION_LIMIT, LINES_MAX, NULL},
		{MHD_OPTION_CONNECTION_MEMORY_LIMIT, HEAD_MAX, NULL},
		{MHD_OPTION_CONNECTION_TIMEOUT, BETWEEN_MS / 1000, NULL},
		{MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
		{MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)server_unescape, NULL},
		{MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)server_on_over, server},
		{MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_line, server},
		{server->secure ? MHD_OPTION_HTTPS_MEM_KEY : MHD_OPTION_END, 0, key.bytes},
		{MHD_OPTION_HTTPS_MEM_CERT, 0, certificate.bytes},
		{MHD_OPTION_END, 0, NULL},
	};
	const union MHD_DaemonInfo *info = NULL;

	server->daemon = server->lib.start_daemon(flags, 0, NULL, NULL, server_on_request, server,
						  MHD_OPTION_EXTERNAL_LOGGER, silent, NULL,
						  MHD_OPTION_ARRAY, options, MHD_OPTION_END);
	if (server->daemon)
		info = server->lib.get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (info) {
		server->poll_fd = info->epoll_fd;
		loom_loop_watch(server->opts.loop, server->poll_fd, LOOM_LOOP_READ, on_ready,
				server);
		return LOOM_OK;
	}
	if (!server->secure)
		return loom_fail(err, LOOM_FAULT, "libmicrohttpd could not be started");
	loom_fail(err, LOOM_INVALID, "the certificate and the key do not make a TLS server");
	return loom_hint(err, LOOM_INVALID, "both must be PEM files, the key without a password");
}

enum loom_status loom_server_open(const struct loom_server_opts *opts, struct loom_server **out,
				  struct loom_err *err)
{
	struct loom_server *server = loom_alloc(sizeof *server);
	enum loom_status status;

	*server = (struct loom_server){.opts = *opts,
				       .listen_fd = -1,
				       .poll_fd = -1,
				       .secure = opts->certificate != NULL};
	if (!server->opts.hurry)
		server->opts.hurry = 1;
	LOOM_ASSERT(!opts->certificate == !opts->key);
	status = load(&server->lib, err);
	if (status == LOOM_OK)
		status = server_listen(server, err);
	if (status == LOOM_OK)
		status = start(server, err);
	if (status == LOOM_OK) {
		*out = server;
		return LOOM_OK;
	}
	if (server->listen_fd >= 0 && !server->daemon)
		close(server->listen_fd);
	loom_server_close(server);
	*out = NULL;
	return status;
}

/* The library may not be stopped while anything waits. */
static void end_all(struct loom_server *server)
{
	size_t waiting = 1;

	server->closing = true;
	for (int i = 0; waiting && i < STOP_STEPS; i++) {
		waiting = 0;
		for (struct server_line *line = server->lines; line; line = line->next)
			if (line->exchange) {
				server_resume(line->exchange);
				waiting++;
			}
		(void)server->lib.run(server->daemon);
	}
}

void loom_server_close(struct loom_server *server)
{
	if (!server)
		return;
	loom_loop_timer_cancel(server->opts.loop, server->due);
	loom_loop_timer_cancel(server->opts.loop, server->sweep);
	if (server->daemon) {
		loom_loop_watch(server->opts.loop, server->poll_fd, 0, NULL, NULL);
		end_all(server);
		server->lib.stop_daemon(server->daemon);
		loom_loop_timer_cancel(server->opts.loop, server->sweep);
	}
	free(server);
}
