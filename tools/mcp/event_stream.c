/* Streams: messages on their way to a client over HTTP, as one JSON answer or as events.
 *
 * A session's events have ids and are kept for a while, so that a client whose connection broke can
 * go on where it was. What a client of 2026 does not take, it has given up. */
#include "visit.h"

#include <loom/base/env.h>

#define KEEP_MS 120000
/* Of one session, and of all sessions of a token. */
#define KEPT_MAX    ((size_t)4 << 20)
#define KEPT_OF_ALL ((size_t)32 << 20)

static bool is_session(const struct mcp_visit *visit)
{
	return visit->id[0] != '\0';
}

/* ---- events ---- */

static void write_event(struct mcp_stream *stream, const struct mcp_event *event)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (event->number > stream->sent)
		stream->sent = event->number;
	if (is_session(stream->visit))
		loom_buf_addf(&text, "id: %llu-%llu\n", (unsigned long long)stream->number,
			      (unsigned long long)event->number);
	loom_buf_adds(&text, "data: ");
	loom_buf_add(&text, event->text);
	loom_buf_adds(&text, "\n\n");
	loom_exchange_write(stream->exchange, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void drop_first(struct mcp_stream *stream)
{
	struct mcp_event *event = stream->first;

	stream->first = event->next;
	if (!stream->first)
		stream->last = NULL;
	stream->bytes -= event->text.n;
	free(event);
}

static struct mcp_event *add_event(struct mcp_stream *stream, struct loom_str text)
{
	struct mcp_event *event = loom_alloc(sizeof *event + text.n + 1);

	*event = (struct mcp_event){.number = ++stream->last_number,
				    .text = {(char *)(event + 1), text.n}};
	if (text.n)
		memcpy(event + 1, text.p, text.n);
	if (stream->last)
		stream->last->next = event;
	else
		stream->first = event;
	stream->last = event;
	stream->bytes += text.n;
	return event;
}

/* Whether the oldest event may be forgotten. */
static bool is_spare(const struct mcp_stream *stream)
{
	return stream->first != stream->last || (stream->closed && !stream->exchange);
}

static size_t kept_of(const struct mcp_visit *visit)
{
	size_t kept = 0;

	for (const struct mcp_stream *at = visit->streams; at; at = at->next)
		kept += at->bytes;
	return kept;
}

/* Forgets what is oldest of a session's events, down to `most` bytes if it may. */
static void forget(struct mcp_visit *visit, size_t most)
{
	size_t kept = kept_of(visit);

	for (struct mcp_stream *at = visit->streams; at && kept > most; at = at->next)
		while (at->first && is_spare(at) && kept > most) {
			kept -= at->first->text.n;
			drop_first(at);
		}
}

static void forget_some(struct mcp_visit *visit)
{
	size_t all = 0;

	forget(visit, KEPT_MAX);
	for (struct mcp_visit *at = visit->door->visits; at; at = at->next)
		if (loom_hash_eq(&at->pass, &visit->pass))
			all += kept_of(at);
	for (struct mcp_visit *at = visit->door->visits; at && all > KEPT_OF_ALL; at = at->next) {
		if (!loom_hash_eq(&at->pass, &visit->pass))
			continue;
		all -= kept_of(at);
		forget(at, 0);
		all += kept_of(at);
	}
}

/* ---- an outlet ---- */

static void say(struct mcp_outlet *outlet, struct loom_str message)
{
	struct mcp_stream *stream = (struct mcp_stream *)outlet;
	const struct mcp_event *event = add_event(stream, message);

	if (stream->flows && stream->exchange)
		write_event(stream, event);
	if (!is_session(stream->visit) && stream->flows)
		drop_first(stream);
	else
		forget_some(stream->visit);
}

/* Nobody is told of progress who takes nothing now. */
static size_t backlog(const struct mcp_outlet *outlet)
{
	const struct mcp_stream *stream = (const struct mcp_stream *)outlet;

	if (stream->exchange && stream->flows)
		return loom_exchange_untaken(stream->exchange);
	return stream->number && !stream->exchange ? 1 : 0;
}

/* The status of HTTP for an answer. Sessions have few; since 2026 an error's kind shows. */
static unsigned status_of(const struct mcp_stream *stream)
{
	switch (stream->outlet.code) {
	case MCP_PARSE:
	case MCP_REQUEST:
	case MCP_VERSION:
	case MCP_HEADERS:
		return 400;
	case MCP_METHOD:
		return is_session(stream->visit) ? 200 : 404;
	default:
		return 200;
	}
}

static void answer_whole(struct mcp_stream *stream)
{
	const struct mcp_visit *visit = stream->visit;
	struct loom_http_answer answer = {.status = 202};

	if (stream->last) {
		answer.status = status_of(stream);
		answer.type = "application/json";
		answer.body = stream->last->text;
	}
	if (is_session(visit))
		answer.headers[0] = (struct loom_header){"Mcp-Session-Id", loom_str_of(visit->id)};
	loom_exchange_answer(stream->exchange, &answer);
	while (stream->first)
		drop_first(stream);
}

static void close_stream(struct mcp_outlet *outlet)
{
	struct mcp_stream *stream = (struct mcp_stream *)outlet;

	if (stream->closed)
		return;
	stream->closed = true;
	stream->until = loom_env_boot() + KEEP_MS;
	if (stream->exchange && stream->flows)
		loom_exchange_end(stream->exchange);
	else if (stream->exchange && stream->waits)
		answer_whole(stream);
	mcp_door_reap(stream->visit->door);
}

/* ---- an exchange ---- */

/* The exchange is over. A request of 2026 is thereby cancelled, unless it was answered. */
static void on_over(void *ctx)
{
	struct mcp_stream *stream = ctx;

	stream->exchange = NULL;
	if (!is_session(stream->visit))
		mcp_visit_end(stream->visit);
	mcp_door_reap(stream->visit->door);
}

static void attach(struct mcp_stream *stream, struct loom_exchange *exchange)
{
	stream->exchange = exchange;
	loom_exchange_follow(exchange, on_over, stream);
}

static struct mcp_stream *create(struct mcp_visit *visit, uint64_t number)
{
	struct mcp_stream *stream = loom_alloc(sizeof *stream);
	struct mcp_stream **at = &visit->streams;

	*stream =
		(struct mcp_stream){.outlet = {.say = say,
					       .backlog = backlog,
					       .close = number || !is_session(visit) ? close_stream
										     : NULL},
				    .visit = visit,
				    .number = number};
	while (*at)
		at = &(*at)->next;
	*at = stream;
	return stream;
}

struct mcp_stream *mcp_stream_create(struct mcp_visit *visit, struct loom_exchange *exchange)
{
	struct mcp_stream *stream = create(visit, ++visit->last_stream);

	attach(stream, exchange);
	return stream;
}

struct mcp_stream *mcp_stream_general(struct mcp_visit *visit)
{
	struct mcp_stream *at = visit->streams;

	while (at && at->number)
		at = at->next;
	return at ? at : create(visit, 0);
}

static void begin_flow(struct mcp_stream *stream)
{
	struct loom_http_answer answer = {.status = 200,
					  .type = "text/event-stream",
					  .headers = {{"Cache-Control", LOOM_STR_INIT("no-store")},
						      {"X-Accel-Buffering", LOOM_STR_INIT("no")}}};

	if (is_session(stream->visit))
		answer.headers[2] =
			(struct loom_header){"Mcp-Session-Id", loom_str_of(stream->visit->id)};
	stream->flows = true;
	loom_exchange_stream(stream->exchange, &answer);
	mcp_door_attend(stream->visit->door);
}

void mcp_stream_settle(struct mcp_stream *stream)
{
	if (stream->closed) {
		answer_whole(stream);
		return;
	}
	stream->waits = !loom_exchange_accepts(stream->exchange, LOOM_STR("text/event-stream"));
	if (stream->waits) {
		mcp_door_attend(stream->visit->door);
		return;
	}
	begin_flow(stream);
	if (stream->visit->mcp.primes)
		write_event(stream, &(struct mcp_event){.number = 0, .text = LOOM_STR("")});
	for (const struct mcp_event *event = stream->first; event; event = event->next)
		write_event(stream, event);
	while (stream->first && !is_session(stream->visit))
		drop_first(stream);
}

void mcp_stream_resume(struct mcp_stream *stream, struct loom_exchange *exchange, uint64_t after)
{
	mcp_stream_hang_up(stream);
	attach(stream, exchange);
	begin_flow(stream);
	for (const struct mcp_event *event = stream->first; event; event = event->next)
		if (event->number > after)
			write_event(stream, event);
	if (stream->closed)
		loom_exchange_end(exchange);
}

void mcp_stream_hang_up(struct mcp_stream *stream)
{
	if (!stream->exchange)
		return;
	loom_exchange_follow(stream->exchange, NULL, NULL);
	if (stream->flows)
		loom_exchange_end(stream->exchange);
	else
		loom_exchange_refuse(stream->exchange, 404, "the session is over");
	stream->exchange = NULL;
}

void mcp_stream_keep_alive(struct mcp_stream *stream)
{
	if (stream->flows && stream->exchange && !stream->closed &&
	    !loom_exchange_untaken(stream->exchange))
		loom_exchange_write(stream->exchange, LOOM_STR(":\n\n"));
}

void mcp_stream_free(struct mcp_stream *stream)
{
	struct mcp_stream **at = &stream->visit->streams;

	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	while (stream->first)
		drop_first(stream);
	free(stream);
}
