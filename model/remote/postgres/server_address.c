/* Addresses: postgresql://[ROLE@]HOST[:PORT][,HOST…]/DATABASE/GROVE[?PARAMETERS]. What stands
 * before the grove and behind it is libpq's. */
#include "inside.h"

#include <ctype.h>

#include <loom/base/hash.h>

struct parts {
	struct loom_str role; /* with its @; empty: none */
	struct loom_str hosts;
	struct loom_str database;
	struct loom_str grove;
	struct loom_str query; /* with its ?; empty: none */
	bool good;             /* nothing stands behind the grove */
};

static struct parts split(struct loom_str url)
{
	const size_t ask = loom_str_find_char(url, '?', 0);
	const size_t end = ask == SIZE_MAX ? url.n : ask;
	const size_t start = sizeof LOOM_POSTGRES_SCHEME - 1;
	struct loom_str path = loom_str_sub(url, start, end - start);
	struct parts out = {.query = loom_str_sub(url, end, url.n)};
	struct loom_str authority = LOOM_STR("");
	size_t at;

	LOOM_ASSERT(loom_str_starts(url, LOOM_STR(LOOM_POSTGRES_SCHEME)));
	(void)loom_str_cut(&path, '/', &authority);
	(void)loom_str_cut(&path, '/', &out.database);
	(void)loom_str_cut(&path, '/', &out.grove);
	out.good = out.database.n && !path.p;
	at = loom_str_find_char(authority, '@', 0);
	at = at == SIZE_MAX ? 0 : at + 1;
	out.role = loom_str_sub(authority, 0, at);
	out.hosts = loom_str_sub(authority, at, authority.n);
	return out;
}

/* Takes %20 and the like for what they stand for. */
static bool unescape(struct loom_str text, struct loom_buf *out)
{
	for (size_t i = 0; i < text.n; i++) {
		uint8_t byte = (uint8_t)text.p[i];

		if (text.p[i] == '%') {
			if (!loom_unhex(loom_str_sub(text, i + 1, 2), &byte, 1) || !byte)
				return false;
			i += 2;
		}
		loom_buf_addc(out, (char)byte);
	}
	return !out->bad && out->n > 0;
}

static void escape(struct loom_str text, struct loom_buf *out)
{
	for (size_t i = 0; i < text.n; i++) {
		const unsigned char c = (unsigned char)text.p[i];

		if (isalnum(c) || strchr("-._~", c))
			loom_buf_addc(out, (char)c);
		else
			loom_buf_addf(out, "%%%02X", c);
	}
}

/* It may contain a password, so it is not said again. */
static enum loom_status no_address(struct loom_err *err)
{
	loom_fail(err, LOOM_INVALID, "this is not the address of a grove on a server");
	return loom_hint(err, LOOM_INVALID,
			 "server, database and grove: postgresql://marie@db.lab/loom/novel");
}

enum loom_status postgres_address(struct loom_str url, struct loom_arena *arena,
				  struct postgres_address *out, struct loom_err *err)
{
	const struct parts parts = split(url);
	struct loom_buf name = LOOM_BUF_INIT(256);
	enum loom_status status = LOOM_OK;

	if (!parts.good || !unescape(parts.grove, &name))
		status = no_address(err);
	if (status == LOOM_OK)
		*out = (struct postgres_address){
			.server = loom_arena_cstr(arena,
						  loom_arena_format(arena,
								    LOOM_POSTGRES_SCHEME
								    "%.*s%.*s/%.*s%.*s",
								    LOOM_STR_ARG(parts.role),
								    LOOM_STR_ARG(parts.hosts),
								    LOOM_STR_ARG(parts.database),
								    LOOM_STR_ARG(parts.query))),
			.grove = loom_arena_cstr(arena, loom_buf_str(&name)),
			.hosts = loom_arena_cstr(arena, model_postgres_host(url)),
		};
	loom_buf_fini(&name);
	return status;
}

/* Each of the two is the address's own if it has one. */
static struct loom_str join(const struct parts *parts, struct loom_str role, struct loom_str grove,
			    struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(8192);
	struct loom_str full;

	loom_buf_adds(&out, LOOM_POSTGRES_SCHEME);
	if (!parts->role.n && role.n) {
		escape(role, &out);
		loom_buf_addc(&out, '@');
	}
	loom_buf_addf(&out, "%.*s%.*s/%.*s", LOOM_STR_ARG(parts->role), LOOM_STR_ARG(parts->hosts),
		      LOOM_STR_ARG(parts->database));
	if (parts->grove.n || grove.n)
		loom_buf_addc(&out, '/');
	loom_buf_add(&out, parts->grove);
	if (!parts->grove.n)
		escape(grove, &out);
	loom_buf_add(&out, parts->query);
	full = loom_arena_buf(arena, &out);
	loom_buf_fini(&out);
	return full;
}

struct loom_str model_postgres_full(struct loom_str url, struct loom_str role,
				    struct loom_str grove, struct loom_arena *arena)
{
	const struct parts parts = split(url);

	return parts.good ? join(&parts, role, grove, arena) : url;
}

struct loom_str model_postgres_anyone(struct loom_str url, struct loom_arena *arena)
{
	struct parts parts = split(url);

	parts.role.n = 0;
	return join(&parts, LOOM_STR(""), LOOM_STR(""), arena);
}

struct loom_str model_postgres_role(struct loom_str url, struct loom_arena *arena)
{
	const struct parts parts = split(url);
	struct loom_buf name = LOOM_BUF_INIT(256);
	struct loom_str role = loom_str_sub(parts.role, 0, parts.role.n ? parts.role.n - 1 : 0);

	role = role.n && unescape(role, &name) ? loom_arena_buf(arena, &name) : LOOM_STR("");
	loom_buf_fini(&name);
	return role;
}

struct loom_str model_postgres_host(struct loom_str url)
{
	const struct parts parts = split(url);

	return parts.hosts.n ? parts.hosts : LOOM_STR("this machine's server");
}
