/* Jobs: pending summaries and their results. Bookkeeping rows, deleted when done. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/job.h>
#include <loom/base/utf8.h>

_Static_assert(LOOM_JOB_NODE == 0 && LOOM_JOB_DOC == 1 && LOOM_JOB_TREE == 2,
	       "they stand in groves");

#define TREE_EVERY 10 /* new nodes before a tree is summarised again */

const char *loom_job_kind_word(enum loom_job_kind kind)
{
	static const char *const words[] = {
#define X(name, word) [LOOM_JOB_##name] = word,
		LOOM_JOB_KIND_LIST(X)
#undef X
	};

	LOOM_ASSERT((size_t)kind < LOOM_COUNT(words));
	return words[kind];
}

const char *loom_job_state_word(enum loom_job_state state)
{
	static const char *const words[] = {[LOOM_JOB_WAITS] = "waits",
					    [LOOM_JOB_CLAIMED] = "running",
					    [LOOM_JOB_FAILED] = "failed"};

	return (size_t)state < LOOM_COUNT(words) ? words[state] : "?";
}

static enum loom_job_kind kind_of(struct loom_str word)
{
	return loom_str_is(word, "doc")    ? LOOM_JOB_DOC
	       : loom_str_is(word, "tree") ? LOOM_JOB_TREE
					   : LOOM_JOB_NODE;
}

enum loom_status loom_job_put(struct loom_store *store, enum loom_job_kind kind, int64_t target,
			      struct loom_err *err)
{
	/* A text that changes while it is summarised is queued again under a new number, so that
	 * the session at work ends only the job it began. */
	struct query q = model_query(
		store,
		"INSERT INTO job(kind, target, state, at) VALUES(?1, ?2, 0, ?3) "
		"ON CONFLICT(kind, target) DO UPDATE SET id = CASE state WHEN 1 THEN (SELECT "
		"max(id) + 1 FROM job) ELSE id END, state = 0, session = '' "
		"WHERE state = 2 OR (state = 1 AND kind <> 'node')",
		err);

	LOOM_ASSERT(store->writing);
	model_bind_text(&q, loom_str_of(loom_job_kind_word(kind)));
	model_bind(&q, target);
	model_bind(&q, loom_env_now(store->env));
	return model_run(&q);
}

enum loom_status model_sum_up(struct loom_store *store, int64_t node, int64_t num, int64_t tree,
			      struct loom_err *err)
{
	enum loom_status status = loom_job_put(store, LOOM_JOB_NODE, node, err);

	return status == LOOM_OK && num % TREE_EVERY == 0
		       ? loom_job_put(store, LOOM_JOB_TREE, tree, err)
		       : status;
}

static void read_row(struct loom_store *store, const struct query *q, struct loom_arena *arena,
		     struct loom_summary_job *out)
{
	*out = (struct loom_summary_job){.id = model_int(q, 0),
					 .kind = kind_of(model_borrow(q, 1)),
					 .target = model_int(q, 2),
					 .state = (enum loom_job_state)model_int(q, 3),
					 .session = model_text(q, 4, arena),
					 .at = model_int(q, 5)};
	if (out->state == LOOM_JOB_CLAIMED && !loom_session_alive(store, out->session))
		out->state = LOOM_JOB_WAITS;
}

enum loom_status loom_job_list(struct loom_store *store, size_t limit, struct loom_arena *arena,
			       struct loom_summary_job **out, size_t *out_count,
			       struct loom_err *err)
{
	struct query q = model_query(
		store, "SELECT id, kind, target, state, session, at FROM job ORDER BY id LIMIT ?",
		err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, (int64_t)limit);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		read_row(store, &q, arena, &(*out)[(*out_count)++]);
	}
	return model_done(&q);
}

/* Waiting jobs come first through the index; claims of dead sessions are few. */
static enum loom_status find_free(struct loom_store *store, struct loom_arena *arena,
				  struct loom_summary_job *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT id, kind, target, state, session, at FROM job "
				     "WHERE state < 2 ORDER BY state, id LIMIT 64",
				     err);

	*out = (struct loom_summary_job){.id = 0};
	while (!out->id && model_row(&q)) {
		struct loom_summary_job row;

		read_row(store, &q, arena, &row);
		if (row.state == LOOM_JOB_WAITS)
			*out = row;
	}
	return model_done(&q);
}

static enum loom_status find_one(struct loom_store *store, enum loom_job_kind kind, int64_t target,
				 struct loom_arena *arena, struct loom_summary_job *out,
				 struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT id, kind, target, state, session, at FROM job "
				     "WHERE kind = ? AND target = ?",
				     err);

	*out = (struct loom_summary_job){.id = 0};
	model_bind_text(&q, loom_str_of(loom_job_kind_word(kind)));
	model_bind(&q, target);
	if (model_row(&q))
		read_row(store, &q, arena, out);
	if (out->state == LOOM_JOB_CLAIMED)
		*out = (struct loom_summary_job){.id = 0};
	return model_done(&q);
}

enum loom_status loom_job_claim(struct loom_store *store, const struct loom_session *session,
				enum loom_job_kind kind, int64_t target, struct loom_arena *arena,
				struct loom_summary_job *out, struct loom_err *err)
{
	struct query q;
	enum loom_status status = target ? find_one(store, kind, target, arena, out, err)
					 : find_free(store, arena, out, err);

	LOOM_ASSERT(session && out);
	if (status != LOOM_OK || !out->id)
		return status;
	q = model_query(store, "UPDATE job SET state = 1, session = ? WHERE id = ?", err);
	model_bind_text(&q, loom_str_of(loom_session_name(session)));
	model_bind(&q, out->id);
	return model_run(&q);
}

enum loom_status loom_job_end(struct loom_store *store, int64_t id, bool failed,
			      struct loom_err *err)
{
	struct query q =
		failed ? model_query(store, "UPDATE job SET state = 2, session = '' WHERE id = ?",
				     err)
		       : model_query(store, "DELETE FROM job WHERE id = ?", err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, id);
	return model_run(&q);
}

/* Tells the search index, and whether it is a model's. A node's mark records that itself. */
static enum loom_status note_summed(struct loom_store *store, enum loom_job_kind kind,
				    int64_t target, bool extract, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "INSERT OR REPLACE INTO summed(kind, target, extract) VALUES(?, ?, ?)",
			    err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, kind);
	model_bind(&q, target);
	model_bind(&q, extract);
	return model_run(&q);
}

enum loom_status model_unsum_doc(struct loom_store *store, int64_t doc, struct loom_err *err)
{
	struct query q = model_query(store, "UPDATE doc SET summary = '' WHERE id = ?", err);
	enum loom_status status;

	LOOM_ASSERT(store->writing);
	model_bind(&q, doc);
	status = model_run(&q);
	if (status != LOOM_OK)
		return status;
	q = model_query(store, "DELETE FROM summed WHERE kind = ? AND target = ?", err);
	model_bind(&q, LOOM_JOB_DOC);
	model_bind(&q, doc);
	status = model_run(&q);
	return status == LOOM_OK ? loom_job_put(store, LOOM_JOB_DOC, doc, err) : status;
}

#define EXTRACT_OF(kind)                                                                           \
	"EXISTS(SELECT 1 FROM summed WHERE kind = " kind " AND target = ?1 AND extract = 1)"

enum loom_status loom_summary_keep(struct loom_store *store, enum loom_job_kind kind,
				   int64_t target, struct loom_str summary, bool extract,
				   struct loom_err *err)
{
	static const char *const sql[] = {
		[LOOM_JOB_NODE] =
			"INSERT INTO mark(id, tree, summary, summary_extract) SELECT id, tree, ?2, "
			"?3 FROM node WHERE id = ?1 ON CONFLICT(id) DO UPDATE SET summary = ?2, "
			"summary_extract = ?3 WHERE ?3 = 0 OR summary = '' OR summary_extract = 1",
		[LOOM_JOB_DOC] = "UPDATE doc SET summary = ?2 WHERE id = ?1 AND (?3 = 0 OR "
				 "summary = '' OR " EXTRACT_OF("1") ")",
		[LOOM_JOB_TREE] = "UPDATE tree SET summary = ?2 WHERE id = ?1 AND (?3 = 0 OR "
				  "summary = '' OR " EXTRACT_OF("2") ")",
	};
	enum loom_status status;
	struct query q;

	LOOM_ASSERT((size_t)kind < LOOM_COUNT(sql) && store->writing);
	if (!loom_utf8_valid(summary, NULL))
		return loom_fail(err, LOOM_INVALID, "the summary is not UTF-8");
	q = model_query(store, sql[kind], err);
	model_bind(&q, target);
	model_bind_text(&q, summary);
	model_bind(&q, extract);
	status = model_run(&q);
	if (status != LOOM_OK || sqlite3_changes(store->db) == 0 ||
	    (kind == LOOM_JOB_NODE && extract))
		return status;
	return note_summed(store, kind, target, extract, err);
}
