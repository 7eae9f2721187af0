/* Founding a log on a server, and fetching the state of the grove that it keeps. */
#include "inside.h"

#include <errno.h>
#include <unistd.h>

enum { CHUNK = 1 << 20, AT_ONCE = 8 };

static enum loom_status read_role(struct postgres *pg, struct loom_err *err)
{
	const struct postgres_call call = {.sql = "SELECT session_user::text"};
	PGresult *answer = NULL;
	enum loom_status status = postgres_run(pg, &call, 1, 1, &answer, err);

	if (status != LOOM_OK)
		return status;
	snprintf(pg->role, sizeof pg->role, "%.*s", LOOM_STR_ARG(postgres_get(pg, answer, 0, 0)));
	pg->lib.PQclear(answer);
	return LOOM_OK;
}

static enum loom_status has_tables(struct postgres *pg, bool *out, struct loom_err *err)
{
	return postgres_ask(pg, "SELECT 1 WHERE to_regclass('loom.tables') IS NOT NULL", NULL, out,
			    err);
}

static enum loom_status refuse_second(const struct postgres *pg, struct loom_err *err)
{
	return loom_fail(err, LOOM_CONFLICT, "%s has a grove \"%s\" already", pg->address.hosts,
			 pg->address.grove);
}

static enum loom_status refuse_stranger(const struct postgres *pg, struct loom_err *err)
{
	loom_fail(err, LOOM_PERMISSION, "only the owner of a database founds groves in it");
	return loom_hint(err, LOOM_PERMISSION,
			 "its administrator: ALTER DATABASE … OWNER TO \"%s\"", pg->role);
}

enum loom_status postgres_may_found(void *ctx, struct loom_err *err)
{
	struct postgres *pg = ctx;
	bool made = false;
	bool may = false;
	bool there = false;
	enum loom_status status = postgres_connect_bare(pg, err);

	if (status == LOOM_OK)
		status = read_role(pg, err);
	if (status == LOOM_OK)
		status = has_tables(pg, &made, err);
	if (status == LOOM_OK)
		status = postgres_ask(
			pg,
			made ? "SELECT 1 WHERE has_table_privilege('loom.grove', 'INSERT')"
			     : "SELECT 1 WHERE has_database_privilege(current_database(), "
			       "'CREATE')",
			NULL, &may, err);
	if (status == LOOM_OK && !may)
		status = refuse_stranger(pg, err);
	if (status == LOOM_OK && made)
		status = postgres_ask(pg, "SELECT 1 FROM loom.grove WHERE name = $1",
				      pg->address.grove, &there, err);
	return status == LOOM_OK && there ? refuse_second(pg, err) : status;
}

/* --- founding --- */

/* In a transaction: one at a time makes what is not there yet. */
static enum loom_status make(struct postgres *pg, const char *table, const char *const *statements,
			     struct loom_err *err)
{
	const struct postgres_call lock = {
		.sql = "SELECT pg_advisory_xact_lock(7811893370446213232)"};
	bool there = false;
	enum loom_status status = postgres_do(pg, &lock, err);

	if (status == LOOM_OK)
		status = postgres_ask(pg, "SELECT 1 WHERE to_regclass($1) IS NOT NULL", table,
				      &there, err);
	for (size_t i = 0; status == LOOM_OK && !there && statements[i]; i++)
		status = postgres_do(pg, &(struct postgres_call){.sql = statements[i]}, err);
	return status;
}

static enum loom_status make_tables(struct postgres *pg, struct loom_err *err)
{
	enum loom_status status = make(pg, "loom.tables", postgres_tables, err);

	return status == LOOM_OK ? make(pg, "loom.here", postgres_words, err) : status;
}

enum loom_status postgres_make_words(struct postgres *pg, struct loom_err *err)
{
	bool may = false;
	enum loom_status status =
		postgres_ask(pg, "SELECT 1 WHERE has_schema_privilege('loom', 'CREATE')", NULL,
			     &may, err);

	if (status != LOOM_OK || !may)
		return status;
	status = postgres_do(pg, &(struct postgres_call){.sql = "BEGIN"}, err);
	if (status == LOOM_OK)
		status = make(pg, "loom.here", postgres_words, err);
	pg->meets = status == LOOM_OK;
	if (postgres_do(pg,
			&(struct postgres_call){.sql = status == LOOM_OK ? "COMMIT" : "ROLLBACK"},
			NULL) != LOOM_OK)
		pg->meets = false;
	return status;
}

static enum loom_status insert_grove(struct postgres *pg, const struct loom_hash *id,
				     struct loom_err *err)
{
	struct postgres_call call = {
		.sql = "WITH made AS (INSERT INTO loom.grove(name, first, chain) VALUES ($1, $2, "
		       "$2) RETURNING id) INSERT INTO loom.member SELECT id, session_user, 2 FROM "
		       "made RETURNING grove"};
	PGresult *answer = NULL;
	enum loom_status status;

	postgres_text(&call, pg->address.grove);
	postgres_bytes(&call, id->bytes, sizeof id->bytes);
	status = postgres_run(pg, &call, 1, 1, &answer, err);
	if (status == LOOM_CONFLICT)
		return refuse_second(pg, err);
	if (status != LOOM_OK)
		return status;
	pg->grove = postgres_get_int(pg, answer, 0, 0);
	pg->lib.PQclear(answer);
	return LOOM_OK;
}

/* The snapshot in pieces, some of them on the way at once. */
static enum loom_status send_snapshot(struct postgres *pg, int64_t seq, FILE *file,
				      struct loom_err *err)
{
	const char *const sql = seq ? "SELECT loom.put_snapshot($1, $2, $3, $4)"
				    : "INSERT INTO loom.snapshot(grove, seq, n, bytes) VALUES "
				      "($1, $2, $3, $4)";
	char *room = loom_alloc((size_t)CHUNK * AT_ONCE);
	enum loom_status status = LOOM_OK;
	int32_t n = 0;
	size_t count;

	do {
		struct postgres_call calls[AT_ONCE] = {{.sql = NULL}};
		PGresult *answers[AT_ONCE];
		size_t got = CHUNK;

		for (count = 0; count < AT_ONCE && got == CHUNK; count++) {
			char *chunk = room + count * CHUNK;

			got = fread(chunk, 1, CHUNK, file);
			if (!got)
				break;
			calls[count].sql = sql;
			postgres_int(&calls[count], pg->grove);
			postgres_big(&calls[count], seq);
			postgres_int(&calls[count], n++);
			postgres_bytes(&calls[count], chunk, got);
		}
		if (count)
			status = postgres_run(pg, calls, count, count, answers, err);
		for (size_t i = 0; status == LOOM_OK && i < count; i++)
			pg->lib.PQclear(answers[i]);
	} while (status == LOOM_OK && count == AT_ONCE);
	if (status == LOOM_OK && ferror(file))
		status = loom_fail(err, LOOM_IO, "cannot read the grove's copy");
	free(room);
	return status;
}

enum loom_status postgres_found(void *ctx, const char *snapshot, const struct loom_hash *id,
				struct loom_err *err)
{
	struct postgres *pg = ctx;
	FILE *file = fopen(snapshot, "rbe");
	enum loom_status status =
		file ? postgres_connect_bare(pg, err) : loom_fail_errno(err, errno, "%s", snapshot);

	if (status == LOOM_OK)
		status = postgres_do(pg, &(struct postgres_call){.sql = "BEGIN"}, err);
	if (status == LOOM_OK)
		status = make_tables(pg, err);
	if (status == LOOM_OK)
		status = insert_grove(pg, id, err);
	if (status == LOOM_OK)
		status = send_snapshot(pg, 0, file, err);
	if (status == LOOM_OK)
		status = postgres_do(pg, &(struct postgres_call){.sql = "COMMIT"}, err);
	if (status == LOOM_PERMISSION)
		status = refuse_stranger(pg, err);
	postgres_drop(pg); /* the grove is looked for anew, and what failed is rolled back */
	if (file)
		fclose(file);
	return status;
}

enum loom_status postgres_keep(void *ctx, const char *snapshot, int64_t seq, struct loom_err *err)
{
	struct postgres *pg = ctx;
	FILE *file = fopen(snapshot, "rbe");
	enum loom_status status =
		file ? postgres_connect(pg, err) : loom_fail_errno(err, errno, "%s", snapshot);

	LOOM_ASSERT(seq > 0);
	if (status == LOOM_OK)
		status = postgres_do(pg, &(struct postgres_call){.sql = "BEGIN"}, err);
	if (status == LOOM_OK)
		status = send_snapshot(pg, seq, file, err);
	if (status == LOOM_OK)
		status = postgres_do(pg, &(struct postgres_call){.sql = "COMMIT"}, err);
	if (status != LOOM_OK)
		postgres_drop(pg);
	if (file)
		fclose(file);
	return status;
}

/* --- fetching --- */

/* *out is the latest place of which the log keeps the state. */
static enum loom_status find_snapshot(struct postgres *pg, struct model_mark *out,
				      struct loom_err *err)
{
	struct postgres_call call = {
		.sql = "SELECT s.seq, coalesce(e.chain, g.first) FROM loom.grove g JOIN (SELECT "
		       "max(seq) AS seq FROM loom.snapshot WHERE grove = $1) s ON true LEFT JOIN "
		       "loom.entry e ON e.grove = g.id AND e.seq = s.seq WHERE g.id = $1"};
	PGresult *answer = NULL;
	enum loom_status status;

	postgres_int(&call, pg->grove);
	status = postgres_run(pg, &call, 1, 1, &answer, err);
	if (status != LOOM_OK)
		return status;
	if (pg->lib.PQntuples(answer) == 1 && !pg->lib.PQgetisnull(answer, 0, 0)) {
		const struct loom_str chain = postgres_get(pg, answer, 0, 1);

		out->seq = postgres_get_big(pg, answer, 0, 0);
		if (chain.n == sizeof out->chain.bytes)
			memcpy(out->chain.bytes, chain.p, chain.n);
	} else {
		status = loom_fail(err, LOOM_DAMAGED, "the log has no first state");
	}
	pg->lib.PQclear(answer);
	return status;
}

/* *out_count is how many pieces came; the last come short. */
static enum loom_status fetch_pieces(struct postgres *pg, int64_t seq, int32_t from, FILE *file,
				     int *out_count, struct loom_err *err)
{
	struct postgres_call call = {
		.sql = "SELECT bytes FROM loom.snapshot WHERE grove = $1 AND seq = $2 AND n >= $3 "
		       "AND n < $4 ORDER BY n"};
	PGresult *answer = NULL;
	enum loom_status status;

	*out_count = 0;
	postgres_int(&call, pg->grove);
	postgres_big(&call, seq);
	postgres_int(&call, from);
	postgres_int(&call, from + AT_ONCE);
	status = postgres_run(pg, &call, 1, 1, &answer, err);
	if (status != LOOM_OK)
		return status;
	*out_count = pg->lib.PQntuples(answer);
	for (int i = 0; i < *out_count && status == LOOM_OK; i++) {
		const struct loom_str piece = postgres_get(pg, answer, i, 0);

		if (fwrite(piece.p, 1, piece.n, file) != piece.n)
			status = loom_fail_errno(err, errno, "cannot write the grove");
	}
	pg->lib.PQclear(answer);
	return status;
}

enum loom_status postgres_fetch(void *ctx, const char *to, struct model_mark *out,
				struct loom_err *err)
{
	struct postgres *pg = ctx;
	FILE *file = NULL;
	int32_t n = 0;
	int count = AT_ONCE;
	enum loom_status status = postgres_connect(pg, err);

	if (status == LOOM_OK)
		status = find_snapshot(pg, out, err);
	if (status != LOOM_OK)
		return status;
	file = fopen(to, "wbxe");
	if (!file)
		return loom_fail_errno(err, errno, "cannot write %s", to);
	for (; status == LOOM_OK && count == AT_ONCE; n += AT_ONCE)
		status = fetch_pieces(pg, out->seq, n, file, &count, err);
	if (status == LOOM_OK && (fflush(file) != 0 || fsync(fileno(file)) != 0))
		status = loom_fail_errno(err, errno, "cannot write %s", to);
	if (fclose(file) != 0 && status == LOOM_OK)
		status = loom_fail_errno(err, errno, "cannot write %s", to);
	return status;
}

/* --- what it promises --- */

enum loom_status postgres_facts(void *ctx, struct model_log_facts *out, struct loom_err *err)
{
	struct postgres *pg = ctx;
	enum loom_status status = postgres_connect_bare(pg, err);

	*out = (struct model_log_facts){.server = true, .may = pg->grove ? pg->may : -1};
	if (status == LOOM_OK)
		status = read_role(pg, err);
	if (status == LOOM_OK)
		status = postgres_ask(
			pg, "SELECT 1 WHERE current_setting('synchronous_standby_names') <> ''",
			NULL, &out->kept_twice, err);
	snprintf(out->role, sizeof out->role, "%s", pg->role);
	if (status == LOOM_OK && pg->grove) {
		struct model_mark kept = {.seq = 0};

		status = find_snapshot(pg, &kept, err);
		out->kept = kept.seq;
	}
	return status;
}
