/* Documents as rows: a name and a head; versions are only ever added. */
#include <loom/tree/agent.h>
#include <loom/tree/tree_rows.h>

#include <loom/tree/document.h>
#include <loom/tree/job.h>
#include <loom/base/utf8.h>
#include <loom/text/sections.h>

#define DOC_COLUMNS(text)                                                                          \
	"SELECT d.id, d.ulid, d.name, v.id, v.n, v.words, v.at, v.author, "                        \
	"(SELECT name FROM agent WHERE id = v.author), d.summary, " text ", v.hash, (SELECT "      \
	"origin FROM agent WHERE id = v.author AND claim <> 0) FROM doc d "                        \
	"JOIN op o ON o.id = d.op AND o.state = 1 "
#define DOC_SELECT(text) DOC_COLUMNS(text) "JOIN docver v ON v.id = d.head "

/* Whether a text does not match its hash, which is for every display of it to say. */
static bool is_damaged(const struct query *q, struct loom_str text)
{
	const struct loom_str kept = model_borrow(q, 11);
	struct loom_hash hash;

	if (model_is_null(q, 10))
		return false;
	hash = loom_sha256(text);
	return kept.n != sizeof hash.bytes || memcmp(kept.p, hash.bytes, sizeof hash.bytes) != 0;
}

static void read_doc(const struct query *q, struct loom_arena *arena, struct loom_doc *out)
{
	*out = (struct loom_doc){
		.id = model_int(q, 0),
		.name = model_text(q, 2, arena),
		.head = model_int(q, 3),
		.version = model_int(q, 4),
		.words = model_int(q, 5),
		.updated = model_int(q, 6),
		.author = model_int(q, 7),
		.author_name = model_text(q, 8, arena),
		.summary = model_text(q, 9, arena),
		.text = model_text(q, 10, arena),
		.from = model_text(q, 12, arena),
	};
	out->damaged = is_damaged(q, out->text);
	model_ulid(q, 1, &out->ulid);
}

static enum loom_status take_doc(struct query *q, struct loom_arena *arena, struct loom_doc *out,
				 bool *out_there)
{
	*out_there = model_row(q);
	if (*out_there)
		read_doc(q, arena, out);
	return model_done(q);
}

static enum loom_status take_docs(struct query *q, struct loom_arena *arena, struct loom_doc **out,
				  size_t *out_count)
{
	size_t cap = 0;

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	while (model_row(q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		read_doc(q, arena, &(*out)[(*out_count)++]);
	}
	return model_done(q);
}

enum loom_status loom_doc_get(struct loom_store *store, int64_t doc, bool text,
			      struct loom_arena *arena, struct loom_doc *out, struct loom_err *err)
{
	static const char with[] = DOC_SELECT("v.text") "WHERE d.id = ?";
	static const char without[] = DOC_SELECT("NULL") "WHERE d.id = ?";
	struct query q = model_query(store, text ? with : without, err);
	bool there = false;

	model_bind(&q, doc);
	if (take_doc(&q, arena, out, &there) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "there is no such document");
}

enum loom_status loom_doc_find(struct loom_store *store, struct loom_str name, bool text,
			       struct loom_arena *arena, struct loom_doc *out, struct loom_err *err)
{
	static const char by_name[] =
		"SELECT d.id, d.name = ?1 FROM doc d JOIN op o ON o.id = d.op AND o.state = 1 "
		"WHERE d.name = ?1 COLLATE NOCASE ORDER BY d.name = ?1 DESC, d.id LIMIT 2";
	struct query q = model_query(store, by_name, err);
	int64_t doc = 0;
	bool exact = false;
	bool several = false;

	model_bind_text(&q, name);
	if (model_row(&q)) {
		doc = model_int(&q, 0);
		exact = model_int(&q, 1) != 0;
		several = model_row(&q);
	}
	if (model_done(&q) != LOOM_OK)
		return q.status;
	if (doc && (exact || !several))
		return loom_doc_get(store, doc, text, arena, out, err);
	if (several)
		return loom_fail(err, LOOM_SYNTAX, "several documents are called \"%.*s\"",
				 LOOM_STR_ARG(name));
	loom_fail(err, LOOM_NOT_FOUND, "document \"%.*s\" does not exist", LOOM_STR_ARG(name));
	return loom_hint(err, LOOM_NOT_FOUND, "`loom doc list` lists them");
}

enum loom_status loom_doc_list(struct loom_store *store, struct loom_arena *arena,
			       struct loom_doc **out, size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(store, DOC_SELECT("NULL") "ORDER BY d.name, d.id", err);

	return take_docs(&q, arena, out, out_count);
}

enum loom_status loom_doc_history(struct loom_store *store, int64_t doc, struct loom_arena *arena,
				  struct loom_doc **out, size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(
		store,
		DOC_COLUMNS("NULL") "JOIN docver v ON v.doc = d.id JOIN op vo ON vo.id = v.op "
				    "AND vo.state = 1 WHERE d.id = ? ORDER BY v.n DESC",
		err);

	model_bind(&q, doc);
	return take_docs(&q, arena, out, out_count);
}

enum loom_status loom_doc_version(struct loom_store *store, int64_t head, struct loom_arena *arena,
				  struct loom_doc *out, struct loom_err *err)
{
	struct query q = model_query(
		store,
		DOC_COLUMNS("v.text") "JOIN docver v ON v.doc = d.id JOIN op vo ON vo.id = v.op "
				      "AND vo.state = 1 WHERE v.id = ?",
		err);
	bool there = false;

	model_bind(&q, head);
	if (take_doc(&q, arena, out, &there) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "there is no such version");
}

/* --- writing --- */

static enum loom_status refuse_text(struct loom_str text, struct loom_err *err)
{
	size_t bad = 0;

	return loom_utf8_valid(text, &bad)
		       ? LOOM_OK
		       : loom_fail(err, LOOM_INVALID, "the text is not UTF-8 (byte %zu)", bad);
}

static const struct model_names document_names = {
	.what = LOOM_NAMED_DOC,
	.one = "a document",
	.max = 200,
	.taken = "SELECT d.id FROM doc d JOIN op o ON o.id = d.op AND o.state = 1 "
		 "WHERE d.name = ?1 COLLATE NOCASE AND d.name = ?1 AND d.id <> ?2",
	.others = "SELECT d.name FROM doc d JOIN op o ON o.id = d.op AND o.state = 1 "
		  "WHERE d.id <> ?",
};

static enum loom_status next_row(struct loom_store *store, const char *sql, int64_t *out,
				 struct loom_err *err)
{
	struct query q = model_query(store, sql, err);
	enum loom_status status = model_one(&q, 0, out);

	++*out;
	return status;
}

/* Inserts a version's row; n counts all versions ever written, so that an undone number is not
 * reused. */
static enum loom_status insert_version(struct loom_store *store, int64_t doc, struct loom_str text,
				       int64_t author, int64_t *out, struct loom_err *err)
{
	struct loom_hash hash = loom_sha256(text);
	struct query q;
	enum loom_status status = next_row(store, "SELECT max(id) FROM docver", out, err);

	LOOM_ASSERT(model_in_op(store));
	if (status == LOOM_OK)
		status = model_builds_on_agent(store, author, err);
	if (status != LOOM_OK)
		return status;
	q = model_query(
		store,
		"INSERT INTO docver(id, doc, n, op, author, at, words, text, hash) "
		"SELECT ?1, ?2, coalesce((SELECT max(n) FROM docver WHERE doc = ?2), 0) + 1, "
		"?3, ?4, ?5, ?6, ?7, ?8",
		err);
	model_bind(&q, *out);
	model_bind(&q, doc);
	model_bind(&q, store->held->write.op);
	model_bind(&q, author);
	model_bind(&q, loom_env_now(store->env));
	model_bind(&q, loom_word_count(text));
	model_bind_blob(&q, text.p, text.n);
	model_bind_blob(&q, hash.bytes, sizeof hash.bytes);
	return model_run(&q);
}

static enum loom_status insert_doc(struct loom_store *store, struct loom_str name, int64_t head,
				   int64_t doc, struct loom_err *err)
{
	struct loom_ulid ulid;
	uint8_t random[5];
	int64_t now = loom_env_now(store->env);
	struct query q = model_query(
		store, "INSERT INTO doc(id, op, ulid, name, head, created) VALUES(?,?,?,?,?,?)",
		err);

	LOOM_ASSERT(model_in_op(store));
	loom_env_random(store->env, (uint64_t)doc << 8 ^ 0x646F, random, sizeof random);
	ulid = loom_ulid_make(now, (uint64_t)doc, random);
	model_bind(&q, doc);
	model_bind(&q, store->held->write.op);
	model_bind_blob(&q, ulid.bytes, sizeof ulid.bytes);
	model_bind_text(&q, name);
	model_bind(&q, head);
	model_bind(&q, now);
	return model_run(&q);
}

enum loom_status loom_doc_create(struct loom_store *store, struct loom_str name,
				 struct loom_str text, int64_t author, int64_t *out_doc,
				 struct loom_err *err)
{
	int64_t head = 0;
	enum loom_status status = model_name_refuse(store, &document_names, 0, name, err);

	if (status == LOOM_OK)
		status = refuse_text(text, err);
	if (status == LOOM_OK)
		status = model_op_need(store, NULL, err);
	if (status == LOOM_OK)
		status = next_row(store, "SELECT max(id) FROM doc", out_doc, err);
	if (status == LOOM_OK)
		status = insert_version(store, *out_doc, text, author, &head, err);
	if (status == LOOM_OK)
		status = insert_doc(store, name, head, *out_doc, err);
	return status == LOOM_OK ? loom_summary_due(store, LOOM_JOB_DOC, *out_doc, err) : status;
}

static enum loom_status conflict(const struct loom_doc *now, int64_t writer, int64_t base,
				 struct loom_err *err)
{
	const struct loom_str author = loom_agent_called(now->author, writer, now->author_name);
	struct loom_buf when = LOOM_BUF_INIT(64);

	LOOM_ASSERT(base >= 0 && base != now->head);
	loom_time_iso(now->updated, &when);
	loom_fail(err, LOOM_CONFLICT,
		  "doc:\"%.*s\" was changed by %.*s at %s (now revision %lld, yours began from "
		  "%lld)",
		  LOOM_STR_ARG(now->name), LOOM_STR_ARG(author), loom_buf_cstr(&when),
		  (long long)now->head, (long long)base);
	loom_hint(err, LOOM_CONFLICT,
		  "read it again and repeat your change; your text is kept as a draft");
	loom_buf_fini(&when);
	return LOOM_CONFLICT;
}

/* Builds on the operations that created the document and its current version. */
static enum loom_status builds_on_doc(struct loom_store *store, int64_t doc, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT d.op, v.op FROM doc d JOIN docver v ON v.id = d.head JOIN op o ON "
		"o.id = d.op AND (o.state = 1 OR o.id = ?2) WHERE d.id = ?1",
		err);
	int64_t made = 0;
	int64_t written = 0;
	enum loom_status status;

	model_bind(&q, doc);
	model_bind(&q, store->held->write.op);
	if (model_row(&q)) {
		made = model_int(&q, 0);
		written = model_int(&q, 1);
	}
	status = model_done(&q);
	if (status == LOOM_OK && !made)
		status = loom_fail(err, LOOM_NOT_FOUND, "there is no such document");
	if (status == LOOM_OK)
		status = model_op_builds_on(store, made, err);
	return status == LOOM_OK ? model_op_builds_on(store, written, err) : status;
}

enum loom_status loom_doc_write(struct loom_store *store, int64_t doc, struct loom_str text,
				int64_t author, int64_t base, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_doc now = {0};
	int64_t head = 0;
	enum loom_status status = loom_doc_get(store, doc, false, arena, &now, err);

	if (status == LOOM_OK && base >= 0 && base != now.head)
		status = conflict(&now, author, base, err);
	if (status == LOOM_OK)
		status = refuse_text(text, err);
	if (status == LOOM_OK)
		status = model_op_need(store, NULL, err);
	if (status == LOOM_OK)
		status = builds_on_doc(store, doc, err);
	if (status == LOOM_OK)
		status = insert_version(store, doc, text, author, &head, err);
	if (status == LOOM_OK)
		status = model_set(store, MODEL_DOC_HEAD, doc, model_of_int(head), NULL, err);
	if (status == LOOM_OK)
		status = loom_summary_due(store, LOOM_JOB_DOC, doc, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_doc_rename(struct loom_store *store, int64_t doc, struct loom_str name,
				 struct loom_err *err)
{
	bool changed = false;
	enum loom_status status = model_name_refuse(store, &document_names, doc, name, err);

	if (status == LOOM_OK)
		status = model_set(store, MODEL_DOC_NAME, doc, model_of_text(name), &changed, err);
	return status == LOOM_OK && changed ? builds_on_doc(store, doc, err) : status;
}
