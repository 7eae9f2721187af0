/* Answers: in one piece, or as a stream that waits, without using any time, for its next piece. */
#include "inside.h"

#include <loom/base/env.h>

#define BLOCK ((size_t)16 << 10)
/* A client is given a minute for an answer, and a second for each of these more. */
#define ANSWER_MS      60000
#define BYTES_A_SECOND 10000

/* ---- waiting ---- */

static void on_gone(void *ctx, int fd, unsigned events)
{
	struct loom_exchange *exchange = ctx;

	(void)fd;
	(void)events;
	exchange->gone = true;
	server_resume(exchange);
}

void server_suspend(struct loom_exchange *exchange)
{
	struct loom_server *server = exchange->server;

	if (exchange->suspended)
		return;
	exchange->suspended = true;
	server->lib.suspend_connection(exchange->connection);
	if (exchange->line)
		loom_loop_watch(server->opts.loop, exchange->line->fd, LOOM_LOOP_GONE, on_gone,
				exchange);
}

void server_resume(struct loom_exchange *exchange)
{
	struct loom_server *server = exchange->server;

	if (!exchange->suspended)
		return;
	exchange->suspended = false;
	if (exchange->line)
		loom_loop_watch(server->opts.loop, exchange->line->fd, 0, NULL, NULL);
	server->lib.resume_connection(exchange->connection);
	server_wake(server);
}

/* ---- in one piece ---- */

static bool is_one_line(struct loom_str text)
{
	return loom_str_find_char(text, '\n', 0) == SIZE_MAX &&
	       loom_str_find_char(text, '\r', 0) == SIZE_MAX;
}

static void add_headers(struct loom_exchange *exchange, const struct loom_http_answer *answer)
{
	const struct server_lib *lib = &exchange->server->lib;

	if (answer->type)
		(void)lib->add_response_header(exchange->response, "Content-Type", answer->type);
	(void)lib->add_response_header(exchange->response, "X-Content-Type-Options", "nosniff");
	for (size_t i = 0; i < LOOM_ANSWER_HEADERS && answer->headers[i].name; i++) {
		const struct loom_header *header = &answer->headers[i];

		LOOM_ASSERT(is_one_line(header->value));
		(void)lib->add_response_header(exchange->response, header->name,
					       loom_arena_cstr(exchange->arena, header->value));
	}
	exchange->status = answer->status;
	exchange->state = SERVER_ANSWERS;
}

void loom_exchange_answer(struct loom_exchange *exchange, const struct loom_http_answer *answer)
{
	/* The library only reads what it copies. */
	union {
		const char *text;
		void *bytes;
	} body = {.text = answer->body.n ? answer->body.p : ""};

	LOOM_ASSERT(exchange->state < SERVER_ANSWERS && !exchange->response);
	if (server_is_full(exchange->server, answer->body.n)) {
		loom_exchange_refuse(exchange, 503, "too much waits to be taken; try again");
		return;
	}
	server_owe(exchange, answer->body.n, true);
	exchange->response =
		exchange->server->lib.create_response_from_buffer(answer->body.n, body.bytes,
								  MHD_RESPMEM_MUST_COPY);
	add_headers(exchange, answer);
	exchange->until =
		loom_env_boot() + (ANSWER_MS + (int64_t)(answer->body.n / BYTES_A_SECOND) * 1000) /
					  exchange->server->opts.hurry;
	server_resume(exchange);
}

void loom_exchange_refuse(struct loom_exchange *exchange, unsigned status, const char *why)
{
	struct loom_str text =
		loom_arena_format(exchange->arena, "%u %s\n%s\n", status,
				  exchange->server->lib.get_reason_phrase_for(status), why);

	loom_exchange_answer(exchange, &(struct loom_http_answer){
					       .status = status,
					       .type = "text/plain; charset=utf-8",
					       .body = text,
				       });
}

/* ---- in pieces ---- */

/* The library takes more of a stream. */
static ssize_t on_take(void *ctx, uint64_t at, char *into, size_t max)
{
	struct loom_exchange *exchange = ctx;
	const size_t left = loom_exchange_untaken(exchange);
	const size_t n = left < max ? left : max;

	(void)at;
	if (exchange->gone || exchange->server->closing)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (!left && exchange->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (!left) {
		server_suspend(exchange);
		return 0;
	}
	memcpy(into, exchange->out.p + exchange->taken, n);
	exchange->taken += n;
	exchange->since = loom_env_boot();
	if (exchange->taken == exchange->out.n) {
		loom_buf_fini(&exchange->out);
		exchange->taken = 0;
		server_owe_nothing(exchange);
	}
	return (ssize_t)n;
}

void loom_exchange_stream(struct loom_exchange *exchange, const struct loom_http_answer *answer)
{
	LOOM_ASSERT(exchange->state < SERVER_ANSWERS && !exchange->response);
	exchange->streams = true;
	exchange->response =
		exchange->server->lib.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK,
								    on_take, exchange, NULL);
	add_headers(exchange, answer);
	server_resume(exchange);
}

void loom_exchange_write(struct loom_exchange *exchange, struct loom_str piece)
{
	LOOM_ASSERT(exchange->streams && !exchange->ended);
	if (exchange->doomed)
		return;
	if (!loom_exchange_untaken(exchange))
		exchange->since = loom_env_boot();
	loom_buf_add(&exchange->out, piece);
	server_owe(exchange, piece.n, false);
	server_resume(exchange);
}

void loom_exchange_end(struct loom_exchange *exchange)
{
	exchange->ended = true;
	server_resume(exchange);
}

size_t loom_exchange_untaken(const struct loom_exchange *exchange)
{
	return exchange->out.n - exchange->taken;
}

enum MHD_Result server_queue(struct loom_exchange *exchange)
{
	const struct server_lib *lib = &exchange->server->lib;
	enum MHD_Result result;

	exchange->state = SERVER_QUEUED;
	result = lib->queue_response(exchange->connection, exchange->status, exchange->response);
	lib->destroy_response(exchange->response);
	exchange->response = NULL;
	return result;
}
