/* A request on its way in: its head is judged before its body is read, and a body that is too large
 * is never held. */
#include "inside.h"

#include <strings.h>

#include <loom/base/env.h>

/* Of all bodies that are arriving at once. */
#define HELD_MAX ((size_t)64 << 20)

/* ---- what is asked ---- */

struct loom_str loom_exchange_method(const struct loom_exchange *exchange)
{
	return exchange->method;
}

struct loom_str loom_exchange_path(const struct loom_exchange *exchange)
{
	return exchange->path;
}

struct loom_str loom_exchange_body(const struct loom_exchange *exchange)
{
	return loom_buf_str(&exchange->body);
}

struct loom_arena *loom_exchange_arena(struct loom_exchange *exchange)
{
	return exchange->arena;
}

struct lookup {
	const char *name;
	const char *value;
	size_t count;
};

static enum MHD_Result look(void *ctx, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct lookup *lookup = ctx;

	(void)kind;
	if (strcasecmp(key, lookup->name) == 0) {
		lookup->value = value ? value : "";
		lookup->count++;
	}
	return MHD_YES;
}

struct loom_str loom_exchange_header(const struct loom_exchange *exchange, const char *name)
{
	struct lookup lookup = {.name = name};

	(void)exchange->server->lib.get_connection_values(exchange->connection, MHD_HEADER_KIND,
							  look, &lookup);
	if (lookup.count != 1)
		return loom_str_make(NULL, 0);
	return loom_str_trim(loom_str_of(lookup.value));
}

struct accepting {
	struct loom_str type;
	bool any; /* there is such a header */
	bool yes;
};

static bool fits(struct loom_str range, struct loom_str type)
{
	struct loom_str name;
	struct loom_str family;
	struct loom_str rest = range;

	(void)loom_str_cut(&rest, ';', &name);
	name = loom_str_trim(name);
	family = loom_str_sub(type, 0, loom_str_find_char(type, '/', 0) + 1);
	return loom_str_eq_fold(name, type) || loom_str_is(name, "*/*") ||
	       (name.n == family.n + 1 && name.p[name.n - 1] == '*' &&
		loom_str_eq_fold(loom_str_sub(name, 0, family.n), family));
}

static enum MHD_Result look_at_ranges(void *ctx, enum MHD_ValueKind kind, const char *key,
				      const char *value)
{
	struct accepting *accepting = ctx;
	struct loom_str ranges = loom_str_of(value);
	struct loom_str range;

	(void)kind;
	if (strcasecmp(key, "Accept") != 0)
		return MHD_YES;
	accepting->any = true;
	while (loom_str_cut(&ranges, ',', &range))
		accepting->yes |= fits(range, accepting->type);
	return MHD_YES;
}

bool loom_exchange_accepts(const struct loom_exchange *exchange, struct loom_str type)
{
	struct accepting accepting = {.type = type};

	(void)exchange->server->lib.get_connection_values(exchange->connection, MHD_HEADER_KIND,
							  look_at_ranges, &accepting);
	return accepting.yes || !accepting.any;
}

void loom_exchange_take(struct loom_exchange *exchange, size_t max)
{
	LOOM_ASSERT(exchange->state == SERVER_HEAD);
	exchange->body_max = max;
}

void loom_exchange_follow(struct loom_exchange *exchange, loom_exchange_over_fn *fn, void *ctx)
{
	exchange->over = fn;
	exchange->over_ctx = ctx;
}

/* ---- arriving ---- */

static struct loom_exchange *create(struct loom_server *server, struct MHD_Connection *connection,
				    const char *url, const char *method)
{
	struct loom_exchange *exchange = loom_alloc(sizeof *exchange);
	const union MHD_ConnectionInfo *info =
		server->lib.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	*exchange = (struct loom_exchange){.server = server,
					   .connection = connection,
					   .arena = loom_arena_create(),
					   .since = loom_env_boot()};
	exchange->line = info ? info->socket_context : NULL;
	if (exchange->line)
		exchange->line->exchange = exchange;
	exchange->method = loom_arena_str(exchange->arena, loom_str_of(method));
	exchange->path = loom_arena_str(exchange->arena, loom_str_of(url));
	loom_buf_init(&exchange->body, LOOM_BUF_MAX);
	loom_buf_init(&exchange->out, LOOM_BUF_MAX);
	return exchange;
}

static bool is_chunked(const struct loom_exchange *exchange)
{
	return exchange->server->lib.lookup_connection_value(exchange->connection, MHD_HEADER_KIND,
							     "Transfer-Encoding") != NULL;
}

/* Whether a body follows. Its connection cannot be used again if the answer does not wait for it.
 */
static bool has_body(const struct loom_exchange *exchange)
{
	const struct loom_str length = loom_exchange_header(exchange, "Content-Length");

	return (length.p && !loom_str_is(length, "0")) || is_chunked(exchange);
}

/* Refuses a body by the length it is said to have. A program in front may take the other one of two
 * lengths for it. */
static void judge_length(struct loom_exchange *exchange)
{
	const struct loom_str said = loom_exchange_header(exchange, "Content-Length");
	uint64_t length = 0;

	if (exchange->state == SERVER_HEAD && said.p && is_chunked(exchange))
		loom_exchange_refuse(exchange, 400, "the length of the body is not clear");
	if (exchange->state != SERVER_HEAD || !said.p)
		return;
	if (!loom_str_to_u64(said, &length) || length > exchange->body_max)
		loom_exchange_refuse(exchange, 413, "the body is too large");
	else if (exchange->server->held + length > HELD_MAX)
		loom_exchange_refuse(exchange, 503, "too much is arriving at once; try again");
}

static enum MHD_Result judge_head(struct loom_exchange *exchange)
{
	struct loom_server *server = exchange->server;
	const struct loom_str host = loom_exchange_header(exchange, "Host");

	if (!host.p || !server_is_our_host(server, host))
		loom_exchange_refuse(exchange, 403,
				     "this server is not called that; see loom mcp --host");
	else
		server->opts.head(server->opts.ctx, exchange);
	judge_length(exchange);
	if (exchange->state == SERVER_ANSWERS)
		return has_body(exchange) ? server_queue(exchange) : MHD_YES;
	exchange->state = SERVER_BODY;
	return MHD_YES;
}

static enum MHD_Result take_body(struct loom_exchange *exchange, const char *bytes, size_t *count)
{
	struct loom_server *server = exchange->server;

	if (exchange->body.n + *count > exchange->body_max || server->held + *count > HELD_MAX)
		return MHD_NO;
	loom_buf_add(&exchange->body, loom_str_make(bytes, *count));
	server->held += *count;
	*count = 0;
	return MHD_YES;
}

/* Whether nothing more can be done for it. */
static bool is_lost(const struct loom_exchange *exchange)
{
	return exchange->gone || exchange->server->closing;
}

static enum MHD_Result go_on(struct loom_exchange *exchange)
{
	struct loom_server *server = exchange->server;

	if (exchange->state == SERVER_BODY) {
		exchange->state = SERVER_ASKED;
		server->opts.request(server->opts.ctx, exchange);
		if (exchange->state == SERVER_ASKED && !exchange->over)
			loom_exchange_refuse(exchange, 500, "there is no answer to that");
	}
	if (is_lost(exchange))
		return MHD_NO;
	if (exchange->state == SERVER_ANSWERS)
		return server_queue(exchange);
	if (exchange->state == SERVER_ASKED)
		server_suspend(exchange);
	return MHD_YES;
}

enum MHD_Result server_on_request(void *ctx, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *bytes,
				  size_t *count, void **slot)
{
	struct loom_exchange *exchange = *slot;

	(void)version;
	if (!exchange) {
		exchange = create(ctx, connection, url, method);
		*slot = exchange;
		return judge_head(exchange);
	}
	if (*count && exchange->state == SERVER_BODY)
		return take_body(exchange, bytes, count);
	if (*count) { /* of a request that was answered already */
		*count = 0;
		return MHD_YES;
	}
	return go_on(exchange);
}

void server_on_over(void *ctx, struct MHD_Connection *connection, void **slot,
		    enum MHD_RequestTerminationCode why)
{
	struct loom_server *server = ctx;
	struct loom_exchange *exchange = *slot;

	(void)connection;
	(void)why;
	*slot = NULL;
	if (!exchange)
		return;
	if (exchange->suspended && exchange->line)
		loom_loop_watch(server->opts.loop, exchange->line->fd, 0, NULL, NULL);
	if (exchange->line) {
		exchange->line->exchange = NULL;
		exchange->line->served = true;
		exchange->line->since = loom_env_boot();
	}
	if (exchange->over)
		exchange->over(exchange->over_ctx);
	if (exchange->response)
		server->lib.destroy_response(exchange->response);
	server->held -= exchange->body.n;
	server_owe_nothing(exchange);
	loom_buf_fini(&exchange->body);
	loom_buf_fini(&exchange->out);
	loom_arena_destroy(exchange->arena);
	free(exchange);
}
