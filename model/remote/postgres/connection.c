/* The connection to the server: made when first used, and made again after it was lost. Each host
 * of the address has its own time to answer. */
#include "inside.h"

#include <poll.h>

#include <loom/base/env.h>
#include <loom/base/library.h>

enum { HOST_MS = 4000, KEYWORDS = 64 };
#define PASSWORD_MAX ((size_t)8192)

static enum loom_status load(struct postgres *pg, struct loom_err *err)
{
	static const char *const files[] = {"libpq.so.5", "libpq.5.dylib", NULL};
	static const struct loom_symbol symbols[] = {
#define X(name) {#name, offsetof(struct postgres_lib, name)},
		POSTGRES_LIB(X)
#undef X
	};

	if (!pg->loaded)
		pg->loaded = loom_library_load(files, symbols, LOOM_COUNT(symbols), &pg->lib);
	if (pg->loaded)
		return LOOM_OK;
	loom_fail(err, LOOM_OFFLINE, "libpq, at least version 14, is not installed");
	return loom_hint(err, LOOM_OFFLINE, "apt install libpq5");
}

/* --- parameters --- */

/* The parameters for libpq to connect to one host. */
struct keywords {
	const char *names[KEYWORDS];
	const char *values[KEYWORDS];
	size_t count;
};

static void put(struct keywords *to, const char *name, const char *value)
{
	LOOM_ASSERT(to->count + 1 < KEYWORDS);
	to->names[to->count] = name;
	to->values[to->count++] = value;
	to->names[to->count] = NULL;
}

/* The i-th of a list with commas; a list of one is for all. */
static const char *nth(const char *list, size_t i, struct loom_arena *arena)
{
	struct loom_str rest = loom_str_of(list);
	struct loom_str part = LOOM_STR("");

	if (!strchr(list, ','))
		return list;
	for (size_t k = 0; k <= i; k++)
		if (!loom_str_cut(&rest, ',', &part))
			return "";
	return loom_arena_cstr(arena, part);
}

static size_t count_of(const char *list)
{
	size_t count = 1;

	for (; *list; list++)
		count += *list == ',';
	return count;
}

static const char *find(const PQconninfoOption *options, const char *name)
{
	LOOM_ASSERT(options);
	for (; options->keyword; options++)
		if (strcmp(options->keyword, name) == 0)
			return options->val;
	return NULL;
}

static bool is_listed(const char *name)
{
	return strcmp(name, "host") == 0 || strcmp(name, "hostaddr") == 0 ||
	       strcmp(name, "port") == 0;
}

static enum loom_status check(const PQconninfoOption *options, struct loom_err *err)
{
	const char *mode = find(options, "sslmode");

	if (find(options, "password") || find(options, "sslpassword")) {
		loom_fail(err, LOOM_INVALID, "a password does not belong into an address");
		return loom_hint(err, LOOM_INVALID,
				 "put it into ~/.pgpass; more: loom help remote");
	}
	if (!mode || (strcmp(mode, "allow") != 0 && strcmp(mode, "prefer") != 0))
		return LOOM_OK;
	loom_fail(err, LOOM_INVALID, "with sslmode=%s the connection may be open to all", mode);
	return loom_hint(err, LOOM_INVALID,
			 "without sslmode= the server is verified; sslmode=disable says that it "
			 "need not be encrypted");
}

static void fill(const PQconninfoOption *options, size_t host, const char *password,
		 struct loom_arena *arena, struct keywords *out)
{
	static const struct {
		const char *name;
		const char *value;
	} usual[] = {
		{"sslmode", "verify-full"},   {"target_session_attrs", "read-write"},
		{"application_name", "loom"}, {"client_encoding", "UTF8"},
		{"tcp_user_timeout", "8000"}, {"keepalives_idle", "5"},
		{"keepalives_interval", "2"}, {"keepalives_count", "3"},
	};

	out->count = 0;
	for (size_t i = 0; i < LOOM_COUNT(usual); i++)
		if (!find(options, usual[i].name))
			put(out, usual[i].name, usual[i].value);
	for (; options->keyword; options++)
		if (options->val)
			put(out, options->keyword,
			    is_listed(options->keyword) ? nth(options->val, host, arena)
							: options->val);
	if (password)
		put(out, "password", password);
}

/* --- connecting --- */

static void ignore_notice(void *ctx, const PGresult *result)
{
	(void)ctx;
	(void)result;
}

void postgres_drop(struct postgres *pg)
{
	if (pg->conn)
		pg->lib.PQfinish(pg->conn);
	pg->conn = NULL;
	pg->owed = 0;
	pg->grove = 0;
	pg->turned = pg->listens = pg->tells = pg->says = false;
	pg->told = true; /* what happens meanwhile is not told */
}

static bool shake_hands(struct postgres *pg)
{
	const int64_t until = loom_env_boot() + HOST_MS;
	PostgresPollingStatusType next = PGRES_POLLING_WRITING;

	if (!pg->conn || pg->lib.PQstatus(pg->conn) == CONNECTION_BAD)
		return false;
	while (next == PGRES_POLLING_WRITING || next == PGRES_POLLING_READING) {
		if (!postgres_wait(pg, pg->lib.PQsocket(pg->conn),
				   next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until))
			return false;
		next = pg->lib.PQconnectPoll(pg->conn);
	}
	return next == PGRES_POLLING_OK;
}

static enum loom_status refuse_password(const struct postgres *pg, struct loom_err *err)
{
	if (!pg->lib.PQconnectionNeedsPassword(pg->conn)) {
		loom_fail(err, LOOM_PERMISSION, "%s does not take this password",
			  pg->address.hosts);
		return loom_hint(err, LOOM_PERMISSION, "loom help remote");
	}
	loom_fail(err, LOOM_PERMISSION, "%s wants a password", pg->address.hosts);
	return loom_hint(err, LOOM_PERMISSION,
			 "put it into ~/.pgpass (HOST:PORT:DATABASE:ROLE:PASSWORD, chmod 600); "
			 "or name it in config.json: loom help remote");
}

/* In the server's own words: it has no such database, or does not let that role in. */
static enum loom_status refuse_as_said(const struct postgres *pg, enum loom_status status,
				       const char *message, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);

	postgres_say(message, &text);
	loom_fail(err, status, "%s: %s", pg->address.hosts, loom_buf_cstr(&text));
	loom_buf_fini(&text);
	return loom_hint(err, status, "loom help remote");
}

/* The words of the server, if it refused them with this SQLSTATE; else NULL, as when the
 * connection broke off. */
static const char *refusal_in(const char *message, const char *state)
{
	char sign[16];
	const char *at;

	snprintf(sign, sizeof sign, ":  %s: ", state);
	at = message ? strstr(message, sign) : NULL;
	return at ? at + strlen(sign) : NULL;
}

/* *err says why the last host was none. */
static enum loom_status say_why(const struct postgres *pg, struct loom_err *err)
{
	const char *message = pg->conn ? pg->lib.PQerrorMessage(pg->conn) : NULL;
	const char *no_database = refusal_in(message, "3D000");
	const char *not_in = refusal_in(message, "28000");
	struct loom_buf text = LOOM_BUF_INIT(4096);
	enum loom_status status = LOOM_OFFLINE;

	if (no_database)
		return refuse_as_said(pg, LOOM_NOT_FOUND, no_database, err);
	if (not_in)
		return refuse_as_said(pg, LOOM_PERMISSION, not_in, err);
	if (refusal_in(message, "28P01") ||
	    (pg->conn && pg->lib.PQconnectionNeedsPassword(pg->conn)))
		return refuse_password(pg, err);
	postgres_say(message, &text);
	loom_fail(err, status, "%s does not answer%s%s", pg->address.hosts, text.n ? ": " : "",
		  loom_buf_cstr(&text));
	loom_hint(err, status,
		  strstr(loom_buf_cstr(&text), "SSL")
			  ? "sslmode=disable in the address says that the connection need not be "
			    "encrypted"
			  : "reading works; to write, wait until it is back");
	loom_buf_fini(&text);
	return status;
}

static enum loom_status try_host(struct postgres *pg, const struct keywords *keywords,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	pg->conn = pg->lib.PQconnectStartParams(keywords->names, keywords->values, 0);
	if (pg->conn) /* with the code of a refusal */
		(void)pg->lib.PQsetErrorVerbosity(pg->conn, PQERRORS_VERBOSE);
	if (!shake_hands(pg))
		status = say_why(pg, err);
	else if (!pg->lib.PQenterPipelineMode(pg->conn) ||
		 pg->lib.PQsetnonblocking(pg->conn, 1) != 0)
		status = loom_fail(err, LOOM_OFFLINE, "%s does not answer as it should",
				   pg->address.hosts);
	else
		(void)pg->lib.PQsetNoticeReceiver(pg->conn, ignore_notice, NULL);
	if (status != LOOM_OK)
		postgres_drop(pg);
	return status;
}

/* The password that the person's configuration names for one of the hosts, if it does. */
static enum loom_status find_password(const struct postgres *pg, const PQconninfoOption *options,
				      size_t host, struct loom_arena *arena, struct loom_buf *out,
				      struct loom_err *err)
{
	const struct loom_env *env = pg->opts.env;
	const char *hosts = find(options, "host");
	const char *ports = find(options, "port");
	const struct loom_login login = {.role = find(options, "user"),
					 .host = nth(hosts ? hosts : "localhost", host, arena),
					 .port = ports ? nth(ports, host, arena) : NULL};
	enum loom_status status = LOOM_NOT_FOUND;

	if (env && env->password)
		status = env->password(env, &login, out, err);
	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

static enum loom_status try_with_password(struct postgres *pg, const PQconninfoOption *options,
					  size_t host, struct loom_arena *arena,
					  struct loom_err *err)
{
	struct loom_buf password = LOOM_BUF_INIT(PASSWORD_MAX);
	struct keywords keywords;
	enum loom_status status = find_password(pg, options, host, arena, &password, err);

	LOOM_ASSERT(!pg->conn);
	if (status == LOOM_OK) {
		fill(options, host, password.n ? loom_buf_cstr(&password) : NULL, arena, &keywords);
		status = try_host(pg, &keywords, err);
	}
	if (password.p)
		explicit_bzero(password.p, password.cap);
	loom_buf_fini(&password);
	return status;
}

static enum loom_status try_hosts(struct postgres *pg, const PQconninfoOption *options,
				  struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	const char *hosts = find(options, "host");
	const size_t count = hosts ? count_of(hosts) : 1;
	enum loom_status status = LOOM_OFFLINE;

	LOOM_ASSERT(count >= 1);
	for (size_t i = 0; i < count && i < POSTGRES_HOSTS && status == LOOM_OFFLINE; i++)
		status = try_with_password(pg, options, i, arena, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status postgres_connect_bare(struct postgres *pg, struct loom_err *err)
{
	PQconninfoOption *options = NULL;
	char *why = NULL;
	enum loom_status status = LOOM_OK;

	if (pg->conn)
		return LOOM_OK;
	status = load(pg, err);
	if (status != LOOM_OK)
		return status;
	options = pg->lib.PQconninfoParse(pg->address.server, &why);
	if (options) {
		status = check(options, err);
	} else {
		struct loom_buf text = LOOM_BUF_INIT(4096);

		postgres_say(why, &text);
		status = loom_fail(err, LOOM_INVALID, "the address of the log: %s",
				   loom_buf_cstr(&text));
		loom_buf_fini(&text);
	}
	if (why)
		pg->lib.PQfreemem(why);
	if (status == LOOM_OK)
		status = try_hosts(pg, options, err);
	if (options)
		pg->lib.PQconninfoFree(options);
	return status;
}

/* --- the grove --- */

static enum loom_status no_grove(const struct postgres *pg, struct loom_err *err)
{
	loom_fail(err, LOOM_NOT_FOUND, "%s has no grove \"%s\" that you are a member of",
		  pg->address.hosts, pg->address.grove);
	return loom_hint(err, LOOM_NOT_FOUND, "one who may do all adds you: loom members add %s",
			 pg->role);
}

static enum loom_status refuse_version(int32_t version, struct loom_err *err)
{
	loom_fail(err, LOOM_READ_ONLY, "the log has tables of version %d, newer than this loom",
		  version);
	return loom_hint(err, LOOM_READ_ONLY, "use a newer loom");
}

static enum loom_status find_grove(struct postgres *pg, struct loom_err *err)
{
	struct postgres_call calls[2] = {
		{.sql = "SELECT session_user::text, (SELECT version FROM loom.tables), "
			"to_regclass('loom.here') IS NOT NULL"},
		{.sql = "SELECT id, first, loom.may(id) FROM loom.grove WHERE name = $1"}};
	PGresult *answers[2];
	enum loom_status status;

	postgres_text(&calls[1], pg->address.grove);
	status = postgres_run(pg, calls, 2, 2, answers, err);
	if (status == LOOM_NOT_FOUND)
		return no_grove(pg, err);
	if (status != LOOM_OK)
		return status;
	snprintf(pg->role, sizeof pg->role, "%.*s",
		 LOOM_STR_ARG(postgres_get(pg, answers[0], 0, 0)));
	pg->meets = pg->opts.machine && *pg->lib.PQgetvalue(answers[0], 0, 2);
	if (postgres_get_int(pg, answers[0], 0, 1) > POSTGRES_TABLES) {
		status = refuse_version(postgres_get_int(pg, answers[0], 0, 1), err);
	} else if (pg->lib.PQntuples(answers[1]) == 1) {
		const struct loom_str first = postgres_get(pg, answers[1], 0, 1);

		pg->grove = postgres_get_int(pg, answers[1], 0, 0);
		pg->may = pg->lib.PQgetisnull(answers[1], 0, 2)
				  ? -1
				  : postgres_get_int(pg, answers[1], 0, 2);
		if (first.n == sizeof pg->first.bytes)
			memcpy(pg->first.bytes, first.p, first.n);
	} else {
		status = no_grove(pg, err);
	}
	pg->lib.PQclear(answers[0]);
	pg->lib.PQclear(answers[1]);
	return status;
}

enum loom_status postgres_connect(struct postgres *pg, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (pg->conn && pg->grove)
		return LOOM_OK;
	status = postgres_connect_bare(pg, err);
	if (status == LOOM_OK)
		status = find_grove(pg, err);
	/* Without it one is alone, and works. */
	if (status == LOOM_OK && !pg->meets && pg->opts.machine)
		(void)!postgres_make_words(pg, NULL);
	return status;
}
