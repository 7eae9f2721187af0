/* Requests: their ids, the row written with the first effect, and the answer stored later. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/request.h>

/* --- ids --- */

/* Accepts 8-4-4-4-12 hex digits. */
static bool drop_dashes(struct loom_str text, char out[32])
{
	size_t n = 0;

	if (text.n != 36)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		const bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash != (text.p[i] == '-'))
			return false;
		if (!dash)
			out[n++] = text.p[i];
	}
	LOOM_ASSERT(n == 32);
	return true;
}

bool loom_op_id_parse(struct loom_str text, struct loom_op_id *out)
{
	char hex[32];
	struct loom_ulid ulid;

	if (drop_dashes(text, hex))
		return loom_unhex(loom_str_make(hex, sizeof hex), out->bytes, sizeof out->bytes);
	if (loom_unhex(text, out->bytes, sizeof out->bytes))
		return true;
	if (!loom_ulid_parse(text, &ulid))
		return false;
	memcpy(out->bytes, ulid.bytes, sizeof out->bytes);
	return true;
}
_Static_assert(sizeof((struct loom_ulid *)0)->bytes == sizeof((struct loom_op_id *)0)->bytes,
	       "a ULID is an operation's id");

void loom_request_for(struct loom_store *store, struct loom_request *request)
{
	LOOM_ASSERT(store->held);
	store->held->request = request;
}

void loom_request_in_parts(struct loom_store *store)
{
	if (store->held->request)
		store->held->request->parts = true;
}

bool loom_request_next(const struct loom_store *store, struct loom_op_id *out)
{
	struct loom_hash hash;
	uint8_t number[8];

	if (!store->held->request)
		return false;
	LOOM_ASSERT(store->held->request->made >= 0);
	*out = store->held->request->id;
	if (!store->held->request->made)
		return true;
	memcpy(number, &store->held->request->made, sizeof number);
	hash = loom_sha256_parts((const struct loom_str[]){loom_str_make((const char *)out->bytes,
									 sizeof out->bytes),
							   loom_str_make((const char *)number,
									 sizeof number)},
				 2);
	memcpy(out->bytes, hash.bytes, sizeof out->bytes);
	return true;
}

/* --- rows --- */

/* In `found`: it was begun, and nothing says that it is done. */
#define BEGUN     2
#define BEGUN_SQL "2"

enum loom_status loom_request_intend(struct loom_store *store, struct loom_request *request,
				     struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);
	struct query q;

	if (status != LOOM_OK)
		return status;
	q = model_query(store,
			"INSERT OR IGNORE INTO request(uid, words, inputs, at, found) "
			"VALUES(?, ?, ?, ?, " BEGUN_SQL ")",
			err);
	model_bind_blob(&q, request->id.bytes, sizeof request->id.bytes);
	model_bind_blob(&q, request->words.bytes, sizeof request->words.bytes);
	model_bind_text(&q, loom_buf_str(&request->inputs));
	model_bind(&q, loom_env_now(store->env));
	status = model_run(&q);
	request->late = status == LOOM_OK && sqlite3_changes(store->db) == 0;
	if (request->late)
		status = loom_fail(err, LOOM_CONFLICT, "that id was used just now");
	return loom_quiet_end(store, status, err);
}

enum loom_status loom_request_intend_here(struct loom_store *store, bool *out_noted,
					  struct loom_err *err)
{
	struct loom_request *request = store->held->request;
	enum loom_status status = LOOM_OK;

	*out_noted = false;
	if (!request || request->made)
		return LOOM_OK;
	status = loom_request_intend(store, request, err);
	*out_noted = status == LOOM_OK;
	return status;
}

static enum loom_status drop_begun(struct loom_store *store, const struct loom_request *request,
				   struct loom_err *err)
{
	struct query q = model_query(
		store, "DELETE FROM request WHERE uid = ? AND op IS NULL AND found = " BEGUN_SQL,
		err);

	LOOM_ASSERT(store->writing);
	model_bind_blob(&q, request->id.bytes, sizeof request->id.bytes);
	return model_run(&q);
}

enum loom_status loom_request_forget(struct loom_store *store, const struct loom_request *request,
				     struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	return status == LOOM_OK ? loom_quiet_end(store, drop_begun(store, request, err), err)
				 : status;
}

void loom_request_forget_here(struct loom_store *store)
{
	LOOM_ASSERT(store->held->request);
	(void)!loom_request_forget(store, store->held->request, NULL);
}

enum loom_status model_request_note(struct loom_store *store, int64_t op, struct loom_err *err)
{
	const struct loom_request *request = store->held->request;
	struct query q;

	LOOM_ASSERT(store->writing);
	if (!request)
		return LOOM_OK;
	q = model_query(store,
			"INSERT INTO request(uid, words, inputs, op, at, found) "
			"VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(uid) DO UPDATE SET "
			"op = coalesce(op, excluded.op), found = excluded.found "
			"WHERE found = " BEGUN_SQL,
			err);
	model_bind_blob(&q, request->id.bytes, sizeof request->id.bytes);
	model_bind_blob(&q, request->words.bytes, sizeof request->words.bytes);
	model_bind_text(&q, loom_buf_str(&request->inputs));
	model_bind_or_null(&q, op);
	model_bind(&q, loom_env_now(store->env));
	model_bind(&q, request->parts ? BEGUN : 0);
	return model_run(&q);
}

/* An operation may have that id without any request: in a shared log a request whose answer was
 * lost left no row here, and is taken for the one that is asked again. */
static enum loom_status find_op(struct loom_store *store, const struct loom_request *request,
				struct loom_request_answer *out, struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT id FROM op WHERE uid = ? AND state IN (1, 2)", err);

	model_bind_blob(&q, request->id.bytes, sizeof request->id.bytes);
	if (model_one(&q, 0, &out->op) == LOOM_OK)
		out->known = out->op != 0;
	out->same = out->known && store->in_log;
	return q.status;
}

/* A grove of an earlier version that was not written since lacks this table. */
static enum loom_status has_table(struct loom_store *store, bool *out, struct loom_err *err)
{
	int64_t there = 0;
	struct query q =
		model_query(store, "SELECT count(*) FROM sqlite_schema WHERE name = 'request'",
			    err);
	enum loom_status status = model_one(&q, 0, &there);

	*out = there != 0;
	return status;
}

static void read_answer(const struct query *q, const struct loom_request *request,
			struct loom_arena *arena, struct loom_request_answer *out)
{
	out->known = true;
	out->same =
		loom_str_eq(model_borrow(q, 0), loom_str_make((const char *)request->words.bytes,
							      sizeof request->words.bytes));
	out->inputs = model_text(q, 1, arena);
	out->op = model_int(q, 2);
	out->kept = !model_is_null(q, 3);
	out->text = model_text(q, 3, arena);
	out->json = model_int(q, 4) != 0;
	out->begun = model_int(q, 5) == BEGUN;
	out->found = model_int(q, 5) == 1;
}

static enum loom_status find_row(struct loom_store *store, const struct loom_request *request,
				 struct loom_arena *arena, struct loom_request_answer *out,
				 struct loom_err *err)
{
	struct query q;
	bool there = false;
	enum loom_status status = has_table(store, &there, err);

	if (status != LOOM_OK || !there)
		return status;
	q = model_query(store,
			"SELECT words, inputs, op, answer, json, found FROM request WHERE uid = ?",
			err);
	model_bind_blob(&q, request->id.bytes, sizeof request->id.bytes);
	if (model_row(&q))
		read_answer(&q, request, arena, out);
	return model_done(&q);
}

/* Look for both in one view: another process may do it in between. */
enum loom_status loom_request_find(struct loom_store *store, const struct loom_request *request,
				   struct loom_arena *arena, struct loom_request_answer *out,
				   struct loom_err *err)
{
	enum loom_status status = loom_store_view(store, err);

	LOOM_ASSERT(request && out);
	*out = (struct loom_request_answer){.known = false};
	if (status != LOOM_OK)
		return status;
	status = find_row(store, request, arena, out, err);
	if (status == LOOM_OK && !out->known)
		status = find_op(store, request, out, err);
	loom_store_unview(store);
	return status;
}

static enum loom_status write_answer(struct loom_store *store, const struct loom_request *request,
				     const struct loom_request_answer *answer, struct loom_err *err)
{
	struct query q = model_query(store,
				     "UPDATE request SET answer = ?, json = ?, found = ?, inputs = "
				     "? WHERE uid = ?",
				     err);

	if (answer->text.n <= LOOM_ANSWER_MAX)
		model_bind_text(&q, answer->text);
	else
		model_bind_null(&q);
	model_bind(&q, answer->json);
	model_bind(&q, answer->found);
	model_bind_text(&q, loom_buf_str(&request->inputs));
	model_bind_blob(&q, request->id.bytes, sizeof request->id.bytes);
	return model_run(&q);
}

enum loom_status loom_request_keep(struct loom_store *store, const struct loom_request *request,
				   const struct loom_request_answer *answer, struct loom_err *err)
{
	enum loom_status status;

	status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status =
		answer->found ? drop_begun(store, request, err) : model_request_note(store, 0, err);
	if (status == LOOM_OK)
		status = write_answer(store, request, answer, err);
	return loom_quiet_end(store, status, err);
}
