/* Lines in and out over two descriptors, without ever blocking.
 *
 * Our parent shares the descriptors, so they are not made non-blocking: a socket is written with
 * MSG_DONTWAIT, a pipe with at most as much as it has room for when it is ready. A line longer than
 * MCP_LINE_MAX is skipped and reported once. */
#include <loom/mcp/mcp.h>

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include <loom/text/sanitise.h>

#define READ_SIZE ((size_t)1 << 16)

/* ---- in ---- */

static void on_readable(void *ctx, int fd, unsigned events)
{
	struct mcp_wire *wire = ctx;
	char bytes[READ_SIZE];
	ssize_t n = read(fd, bytes, sizeof bytes);

	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0) {
		mcp_wire_feed(wire, loom_str_make(bytes, (size_t)n));
		return;
	}
	wire->end = true;
	mcp_wire_listen(wire, false);
}

void mcp_wire_listen(struct mcp_wire *wire, bool on)
{
	on = on && !wire->end;
	if (on == wire->reading)
		return;
	wire->reading = on;
	loom_loop_watch(wire->loop, wire->in_fd, on ? LOOM_LOOP_READ : 0, on ? on_readable : NULL,
			wire);
}

/* Drops the lines that were given out. */
static void drop_taken(struct mcp_wire *wire)
{
	size_t rest = wire->in.n - wire->at;

	if (!wire->at)
		return;
	if (rest)
		memmove(wire->in.p, wire->in.p + wire->at, rest);
	loom_buf_cut(&wire->in, rest);
	wire->scanned -= wire->at;
	wire->at = 0;
}

void mcp_wire_feed(struct mcp_wire *wire, struct loom_str bytes)
{
	drop_taken(wire);
	loom_buf_add(&wire->in, bytes);
}

bool mcp_wire_room(const struct mcp_wire *wire)
{
	return wire->in.n - wire->at <= MCP_LINE_MAX;
}

static enum mcp_line too_long(struct mcp_wire *wire)
{
	bool told = wire->skipping;

	wire->skipping = true;
	wire->at = wire->scanned = wire->in.n;
	return told ? MCP_NO_LINE : MCP_LONG_LINE;
}

/* The last line may lack its line feed. */
static enum mcp_line last_line(struct mcp_wire *wire, struct loom_str *out)
{
	*out = loom_str_sub(loom_buf_str(&wire->in), wire->at, SIZE_MAX);
	if (out->n > MCP_LINE_MAX || wire->skipping)
		return too_long(wire);
	if (!wire->end || !out->n)
		return MCP_NO_LINE;
	wire->at = wire->scanned = wire->in.n;
	return MCP_A_LINE;
}

enum mcp_line mcp_wire_line(struct mcp_wire *wire, struct loom_str *out)
{
	struct loom_str all = loom_buf_str(&wire->in);
	size_t newline = loom_str_find_char(all, '\n', wire->scanned);

	if (newline == SIZE_MAX) {
		wire->scanned = all.n;
		return last_line(wire, out);
	}
	*out = loom_str_sub(all, wire->at, newline - wire->at);
	wire->at = wire->scanned = newline + 1;
	if (wire->skipping) {
		wire->skipping = false;
		return mcp_wire_line(wire, out);
	}
	return out->n > MCP_LINE_MAX ? MCP_LONG_LINE : MCP_A_LINE;
}

/* ---- out ---- */

/* Sends as much as fits now; -1 with errno. */
static ssize_t send_some(int fd, struct loom_str bytes)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	ssize_t n = send(fd, bytes.p, bytes.n, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0 || errno != ENOTSOCK)
		return n;
	if (poll(&ready, 1, 0) != 1) {
		errno = EAGAIN;
		return -1;
	}
	return write(fd, bytes.p, bytes.n < PIPE_BUF ? bytes.n : PIPE_BUF);
}

static void on_writable(void *ctx, int fd, unsigned events);

static void watch_out(struct mcp_wire *wire)
{
	unsigned events = wire->broken ? 0 : LOOM_LOOP_ERROR;

	if (events && mcp_wire_backlog(wire))
		events |= LOOM_LOOP_WRITE;
	loom_loop_watch(wire->loop, wire->out_fd, events, events ? on_writable : NULL, wire);
}

static void give_up(struct mcp_wire *wire)
{
	wire->broken = true;
	loom_buf_clear(&wire->out);
	wire->sent = 0;
}

static void push(struct mcp_wire *wire)
{
	ssize_t n = 1;

	while (n > 0 && mcp_wire_backlog(wire)) {
		n = send_some(wire->out_fd,
			      loom_str_sub(loom_buf_str(&wire->out), wire->sent, SIZE_MAX));
		if (n > 0)
			wire->sent += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
		else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
			give_up(wire);
	}
	if (!mcp_wire_backlog(wire)) {
		loom_buf_clear(&wire->out);
		wire->sent = 0;
	}
	watch_out(wire);
}

static void on_writable(void *ctx, int fd, unsigned events)
{
	struct mcp_wire *wire = ctx;

	(void)fd;
	if (events & LOOM_LOOP_ERROR)
		give_up(wire);
	push(wire);
}

/* Sends one line, now or as soon as the client takes it. Never blocks. */
static void say(struct mcp_outlet *outlet, struct loom_str message)
{
	struct mcp_wire *wire = (struct mcp_wire *)outlet;

	if (wire->broken)
		return;
	if (wire->terminal)
		loom_shown_json(&wire->out, message);
	else
		loom_buf_add(&wire->out, message);
	loom_buf_addc(&wire->out, '\n');
	if (wire->out.bad != LOOM_OK)
		give_up(wire);
	push(wire);
}

size_t mcp_wire_backlog(const struct mcp_wire *wire)
{
	return wire->out.n - wire->sent;
}

/* ---- both ---- */

static size_t backlog(const struct mcp_outlet *outlet)
{
	return mcp_wire_backlog((const struct mcp_wire *)outlet);
}

void mcp_wire_init(struct mcp_wire *wire, struct loom_loop *loop, int in_fd, int out_fd)
{
	*wire = (struct mcp_wire){.outlet = {.say = say, .backlog = backlog},
				  .loop = loop,
				  .in_fd = in_fd,
				  .out_fd = out_fd,
				  .terminal = isatty(out_fd) == 1};
	loom_buf_init(&wire->in, LOOM_BUF_MAX);
	loom_buf_init(&wire->out, LOOM_BUF_MAX);
}

void mcp_wire_fini(struct mcp_wire *wire)
{
	mcp_wire_listen(wire, false);
	loom_loop_watch(wire->loop, wire->out_fd, 0, NULL, NULL);
	loom_buf_fini(&wire->in);
	loom_buf_fini(&wire->out);
}
