/* Statements to the server and their answers: sent in one message, read with a time limit. */
#include "inside.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>

#include <loom/base/env.h>

enum {
	OID_BYTEA = 17,
	OID_BIG = 20,
	OID_INT = 23,
	OID_TEXT = 25,
	ANSWER_MS = 30000,
	SLICE_MS = 50
};

static struct postgres_param *add_param(struct postgres_call *call, unsigned type, int n)
{
	struct postgres_param *param = &call->params[call->count++];

	LOOM_ASSERT(call->count <= POSTGRES_PARAMS);
	*param = (struct postgres_param){.type = type, .n = n};
	return param;
}

void postgres_int(struct postgres_call *call, int32_t n)
{
	const uint32_t wire = htobe32((uint32_t)n);

	memcpy(add_param(call, OID_INT, sizeof wire)->number, &wire, sizeof wire);
}

void postgres_big(struct postgres_call *call, int64_t n)
{
	const uint64_t wire = htobe64((uint64_t)n);

	memcpy(add_param(call, OID_BIG, sizeof wire)->number, &wire, sizeof wire);
}

void postgres_bytes(struct postgres_call *call, const void *p, size_t n)
{
	LOOM_ASSERT(n <= INT32_MAX);
	add_param(call, OID_BYTEA, (int)n)->p = p;
}

void postgres_text(struct postgres_call *call, const char *text)
{
	add_param(call, OID_TEXT, (int)strlen(text))->p = text;
}

/* --- waiting --- */

bool postgres_wait(const struct postgres *pg, int fd, short events, int64_t until)
{
	struct pollfd one = {.fd = fd, .events = events};
	struct loom_task *task = pg->opts.task ? *pg->opts.task : NULL;
	int64_t left = until - loom_env_boot();

	while (left > 0 && !loom_task_cancelled(task)) {
		const int ready = poll(&one, 1, left < SLICE_MS ? (int)left : SLICE_MS);

		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR)
			return false;
		left = until - loom_env_boot();
	}
	return false;
}

/* Sends what is to be sent; reads meanwhile, for a server that answers first would wait for us. */
static bool flush(struct postgres *pg, int64_t until)
{
	int left = pg->lib.PQflush(pg->conn);

	while (left > 0) {
		if (!postgres_wait(pg, pg->lib.PQsocket(pg->conn), POLLIN | POLLOUT, until) ||
		    !pg->lib.PQconsumeInput(pg->conn))
			return false;
		left = pg->lib.PQflush(pg->conn);
	}
	return left == 0;
}

/* The next result; NULL ends those of a statement. */
static bool next_result(struct postgres *pg, int64_t until, PGresult **out)
{
	while (pg->lib.PQisBusy(pg->conn))
		if (!postgres_wait(pg, pg->lib.PQsocket(pg->conn), POLLIN, until) ||
		    !pg->lib.PQconsumeInput(pg->conn))
			return false;
	*out = pg->lib.PQgetResult(pg->conn);
	return true;
}

/* --- answers --- */

void postgres_say(const char *message, struct loom_buf *out)
{
	struct loom_str text = loom_str_trim(loom_str_of(message ? message : ""));
	const size_t end = loom_str_find_char(text, '\n', 0);

	loom_buf_add(out, end == SIZE_MAX ? text : loom_str_sub(text, 0, end));
}

static enum loom_status fail_with(enum loom_status status, const char *message,
				  struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);

	postgres_say(message, &text);
	loom_fail(err, status, "%s", text.n ? loom_buf_cstr(&text) : "the server said nothing");
	loom_buf_fini(&text);
	return status;
}

/* The connection cannot be used any more. */
static enum loom_status lost(struct postgres *pg, struct loom_err *err)
{
	struct loom_task *task = pg->opts.task ? *pg->opts.task : NULL;
	struct loom_buf text = LOOM_BUF_INIT(4096);

	postgres_say(pg->lib.PQerrorMessage(pg->conn), &text);
	if (loom_task_cancelled(task))
		loom_fail(err, LOOM_CANCELLED, "stopped");
	else
		loom_fail(err, LOOM_OFFLINE, "%s does not answer%s%s", pg->address.hosts,
			  text.n ? ": " : "", loom_buf_cstr(&text));
	loom_buf_fini(&text);
	postgres_drop(pg);
	return loom_task_cancelled(task) ? LOOM_CANCELLED : LOOM_OFFLINE;
}

static enum loom_status refused(struct postgres *pg, const PGresult *result, struct loom_err *err)
{
	static const struct {
		const char *state; /* how the SQLSTATE begins */
		enum loom_status status;
	} states[] = {
		{"08", LOOM_OFFLINE},       {"57P0", LOOM_OFFLINE},    {"25P03", LOOM_OFFLINE},
		{"25006", LOOM_OFFLINE},    {"53100", LOOM_FULL},      {"53", LOOM_BUSY},
		{"55P03", LOOM_BUSY},       {"57014", LOOM_BUSY},      {"40", LOOM_BUSY},
		{"42501", LOOM_PERMISSION}, {"3F000", LOOM_NOT_FOUND}, {"42P01", LOOM_NOT_FOUND},
		{"42883", LOOM_NOT_FOUND},  {"23505", LOOM_CONFLICT},  {"42P06", LOOM_CONFLICT},
	};
	const char *state = pg->lib.PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *message = pg->lib.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	enum loom_status status = LOOM_IO;

	for (size_t i = 0; state && i < LOOM_COUNT(states); i++)
		if (strncmp(state, states[i].state, strlen(states[i].state)) == 0) {
			status = states[i].status;
			break;
		}
	return fail_with(status, message, err);
}

static bool is_answer(const struct postgres *pg, const PGresult *result)
{
	const ExecStatusType kind = pg->lib.PQresultStatus(result);

	return kind == PGRES_TUPLES_OK || kind == PGRES_COMMAND_OK;
}

/* Reads the answer of one statement and the end of its results. */
static bool read_answer(struct postgres *pg, int64_t until, PGresult **out)
{
	PGresult *end = NULL;

	*out = NULL;
	if (!next_result(pg, until, out) || !*out || !next_result(pg, until, &end))
		return false;
	pg->lib.PQclear(end);
	return !end;
}

/* Reads to the end of a transaction; an error on the way is its own, for the commit is made there.
 */
static bool read_end(struct postgres *pg, int64_t until, enum loom_status *status,
		     struct loom_err *err)
{
	ExecStatusType kind = PGRES_EMPTY_QUERY;

	while (kind != PGRES_PIPELINE_SYNC) {
		PGresult *result = NULL;

		if (!next_result(pg, until, &result) || (!result && kind == PGRES_FATAL_ERROR))
			return false;
		kind = result ? pg->lib.PQresultStatus(result) : PGRES_EMPTY_QUERY;
		if (kind == PGRES_FATAL_ERROR && *status == LOOM_OK)
			*status = refused(pg, result, err);
		pg->lib.PQclear(result);
	}
	pg->owed--;
	return true;
}

/* Reads answers that nobody waited for. */
static bool settle(struct postgres *pg, int64_t until)
{
	enum loom_status unused = LOOM_OK;
	bool read = true;

	while (read && pg->owed > 0)
		read = read_end(pg, until, &unused, NULL);
	return read;
}

static bool send_call(struct postgres *pg, const struct postgres_call *call)
{
	unsigned types[POSTGRES_PARAMS];
	const char *values[POSTGRES_PARAMS];
	int lengths[POSTGRES_PARAMS];
	int formats[POSTGRES_PARAMS];

	for (int i = 0; i < call->count; i++) {
		const struct postgres_param *param = &call->params[i];

		types[i] = param->type;
		values[i] = param->p ? param->p : param->number;
		lengths[i] = param->n;
		formats[i] = 1;
	}
	return pg->lib.PQsendQueryParams(pg->conn, call->sql, call->count, types, values, lengths,
					 formats, 1) == 1;
}

static bool ends(const struct postgres_call *calls, size_t count, size_t i)
{
	return calls[i].ends || i + 1 == count;
}

static bool send_calls(struct postgres *pg, const struct postgres_call *calls, size_t count,
		       int64_t until)
{
	for (size_t i = 0; i < count; i++) {
		if (!send_call(pg, &calls[i]) ||
		    (ends(calls, count, i) && !pg->lib.PQpipelineSync(pg->conn)))
			return false;
		pg->owed += ends(calls, count, i);
	}
	return flush(pg, until);
}

/* All of the wanted are read even if one is a refusal. */
static enum loom_status read_answers(struct postgres *pg, const struct postgres_call *calls,
				     size_t count, size_t wanted, PGresult **out,
				     struct loom_err *err)
{
	const int64_t until = loom_env_boot() + ANSWER_MS;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < wanted; i++) {
		if (!read_answer(pg, until, &out[i]))
			return lost(pg, err);
		if (status == LOOM_OK && !is_answer(pg, out[i]))
			status = refused(pg, out[i], err);
		if (ends(calls, count, i) && !read_end(pg, until, &status, err))
			return lost(pg, err);
	}
	return status;
}

enum loom_status postgres_run(struct postgres *pg, const struct postgres_call *calls, size_t count,
			      size_t wanted, PGresult **out, struct loom_err *err)
{
	const int64_t until = loom_env_boot() + ANSWER_MS;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(pg->conn && wanted <= count);
	memset(out, 0, wanted * sizeof(PGresult *));
	if (!settle(pg, until) || !send_calls(pg, calls, count, until))
		status = lost(pg, err);
	if (status == LOOM_OK)
		status = read_answers(pg, calls, count, wanted, out, err);
	for (size_t i = 0; status != LOOM_OK && i < wanted; i++) {
		pg->lib.PQclear(out[i]);
		out[i] = NULL;
	}
	if (pg->conn && pg->lib.PQstatus(pg->conn) == CONNECTION_BAD)
		postgres_drop(pg);
	return status;
}

enum loom_status postgres_do(struct postgres *pg, const struct postgres_call *call,
			     struct loom_err *err)
{
	PGresult *result = NULL;
	enum loom_status status = postgres_run(pg, call, 1, 1, &result, err);

	pg->lib.PQclear(result);
	return status;
}

enum loom_status postgres_ask(struct postgres *pg, const char *sql, const char *text, bool *out,
			      struct loom_err *err)
{
	struct postgres_call call = {.sql = sql};
	PGresult *answer = NULL;
	enum loom_status status;

	if (text)
		postgres_text(&call, text);
	status = postgres_run(pg, &call, 1, 1, &answer, err);
	*out = status == LOOM_OK && pg->lib.PQntuples(answer) > 0;
	if (answer)
		pg->lib.PQclear(answer);
	return status;
}

int64_t postgres_get_big(const struct postgres *pg, const PGresult *result, int row, int column)
{
	uint64_t wire = 0;

	if (pg->lib.PQgetlength(result, row, column) == (int)sizeof wire)
		memcpy(&wire, pg->lib.PQgetvalue(result, row, column), sizeof wire);
	return (int64_t)be64toh(wire);
}

int32_t postgres_get_int(const struct postgres *pg, const PGresult *result, int row, int column)
{
	uint32_t wire = 0;

	if (pg->lib.PQgetlength(result, row, column) == (int)sizeof wire)
		memcpy(&wire, pg->lib.PQgetvalue(result, row, column), sizeof wire);
	return (int32_t)be32toh(wire);
}

struct loom_str postgres_get(const struct postgres *pg, const PGresult *result, int row, int column)
{
	return loom_str_make(pg->lib.PQgetvalue(result, row, column),
			     (size_t)pg->lib.PQgetlength(result, row, column));
}
