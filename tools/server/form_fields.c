/* Forms: fields of a body as browsers send them, and the parameters of a query. */
#include "inside.h"

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Decodes + and %XX; p NULL when it is malformed. */
static struct loom_str decoded(struct loom_str text, struct loom_arena *arena)
{
	char *out = loom_arena_alloc(arena, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++, n++) {
		int high = 0;
		int low = 0;

		out[n] = text.p[i] == '+' ? ' ' : text.p[i];
		if (text.p[i] != '%')
			continue;
		high = i + 2 < text.n ? digit(text.p[i + 1]) : -1;
		low = i + 2 < text.n ? digit(text.p[i + 2]) : -1;
		if (high < 0 || low < 0)
			return loom_str_make(NULL, 0);
		out[n] = (char)(high * 16 + low);
		i += 2;
	}
	return loom_str_make(out, n);
}

/* A zero byte, at which the library would cut a text off, becomes one that stands in no path. */
size_t server_unescape(void *ctx, struct MHD_Connection *connection, char *text)
{
	size_t n = 0;

	(void)ctx;
	(void)connection;
	for (const char *at = text; *at; at++, n++) {
		const int high = *at == '%' ? digit(at[1]) : -1;
		const int low = high < 0 ? -1 : digit(at[2]);

		text[n] = *at;
		if (low < 0)
			continue;
		text[n] = (char)(high || low ? high * 16 + low : 0x7f);
		at += 2;
	}
	text[n] = '\0';
	return n;
}

static struct loom_str field(struct loom_str form, const char *name, struct loom_arena *arena)
{
	struct loom_str pair;

	while (loom_str_cut(&form, '&', &pair)) {
		struct loom_str key;

		if (loom_str_cut(&pair, '=', &key) && loom_str_is(key, name))
			return decoded(pair.p ? pair : LOOM_STR(""), arena);
	}
	return loom_str_make(NULL, 0);
}

struct loom_str loom_exchange_field(const struct loom_exchange *exchange, const char *name,
				    struct loom_arena *arena)
{
	return field(loom_exchange_body(exchange), name, arena);
}

struct loom_str loom_exchange_query(const struct loom_exchange *exchange, const char *name)
{
	const char *value =
		exchange->server->lib.lookup_connection_value(exchange->connection,
							      MHD_GET_ARGUMENT_KIND, name);

	return loom_str_of(value);
}
