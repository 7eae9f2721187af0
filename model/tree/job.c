/* Jobs: pending summaries and their results. Bookkeeping rows, deleted when done. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/document.h>
#include <loom/tree/job.h>
#include <loom/tree/say_node.h>
#include <loom/tree/tree.h>
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

enum loom_status loom_job_put_new(struct loom_store *store, enum loom_job_kind kind, int64_t target,
				  bool *out, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "INSERT OR IGNORE INTO job(kind, target, state, at) VALUES(?, ?, 0, ?)",
			    err);
	enum loom_status status;

	LOOM_ASSERT(store->writing && target > 0);
	model_bind_text(&q, loom_str_of(loom_job_kind_word(kind)));
	model_bind(&q, target);
	model_bind(&q, loom_env_now(store->env));
	status = model_run(&q);
	*out = status == LOOM_OK && sqlite3_changes(store->db) > 0;
	return status;
}

enum loom_status loom_job_leave(struct loom_store *store, int64_t id, struct loom_err *err)
{
	struct query q =
		model_query(store, "UPDATE job SET state = 0, session = '' WHERE id = ?", err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, id);
	return model_run(&q);
}

void loom_summary_extracts(struct loom_store *store, bool extracts)
{
	store->extracts = extracts;
}

bool loom_summary_at_once(const struct loom_store *store)
{
	return store->extracts;
}

bool loom_node_bare(const struct loom_node *node)
{
	return !node->summary.n || node->summary_extract;
}

/* Whether a node has a summary: its text never changes. */
static enum loom_status is_summed(struct loom_store *store, int64_t node, bool *out,
				  struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT 1 FROM mark WHERE id = ? AND summary <> ''", err);

	model_bind(&q, node);
	*out = model_row(&q);
	return model_done(&q);
}

enum loom_status loom_summary_due(struct loom_store *store, enum loom_job_kind kind, int64_t target,
				  struct loom_err *err)
{
	struct loom_arena *arena = NULL;
	struct loom_err why = {.status = LOOM_OK};
	struct loom_str extract;
	bool summed = false;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->writing && target > 0);
	if (!store->extracts)
		return loom_job_put(store, kind, target, err);
	if (kind == LOOM_JOB_NODE)
		status = is_summed(store, target, &summed, err);
	if (status != LOOM_OK || summed)
		return status;
	arena = loom_arena_create();
	status = loom_summary_extract(store, kind, target, arena, &extract, &why);
	if (status == LOOM_OK)
		status = loom_summary_keep(store, kind, target, extract, true, err);
	else if (status == LOOM_NOT_FOUND)
		/* A long write shows what it made at its end only. */
		status = loom_job_put(store, kind, target, err);
	else if (err)
		*err = why;
	loom_arena_destroy(arena);
	return status;
}

enum loom_status model_sum_up(struct loom_store *store, int64_t node, int64_t num, int64_t tree,
			      struct loom_err *err)
{
	enum loom_status status = loom_summary_due(store, LOOM_JOB_NODE, node, err);

	return status == LOOM_OK && num && num % TREE_EVERY == 0
		       ? loom_summary_due(store, LOOM_JOB_TREE, tree, err)
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
static enum loom_status find_among(struct loom_store *store, bool trees, struct loom_arena *arena,
				   struct loom_summary_job *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT id, kind, target, state, session, at FROM job "
				     "WHERE state < 2 AND (kind = 'tree') = ? ORDER BY state, id "
				     "LIMIT 64",
				     err);

	*out = (struct loom_summary_job){.id = 0};
	model_bind(&q, trees);
	while (!out->id && model_row(&q)) {
		struct loom_summary_job row;

		read_row(store, &q, arena, &row);
		if (row.state == LOOM_JOB_WAITS)
			*out = row;
	}
	return model_done(&q);
}

/* A tree is summed up from the summaries of its nodes, so those come first. */
static enum loom_status find_free(struct loom_store *store, struct loom_arena *arena,
				  struct loom_summary_job *out, struct loom_err *err)
{
	enum loom_status status = find_among(store, false, arena, out, err);

	return status != LOOM_OK || out->id ? status : find_among(store, true, arena, out, err);
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

/* ---- without a model ---- */

static enum loom_status sweep_one(struct loom_store *store, const struct loom_summary_job *job,
				  struct loom_arena *arena, struct loom_str *out,
				  struct loom_err *err)
{
	enum loom_status status =
		loom_summary_extract(store, job->kind, job->target, arena, out, err);

	if (status == LOOM_OK)
		status = loom_summary_keep(store, job->kind, job->target, *out, true, err);
	/* A target that no longer exists needs no summary. */
	return status == LOOM_OK || status == LOOM_NOT_FOUND
		       ? loom_job_end(store, job->id, false, err)
		       : status;
}

static enum loom_status sweep(struct loom_store *store, struct loom_arena *arena,
			      struct loom_swept **out, size_t *out_count, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	*out = LOOM_ARENA_ARRAY(arena, LOOM_SWEEP_MAX, struct loom_swept);
	while (status == LOOM_OK && *out_count < LOOM_SWEEP_MAX) {
		struct loom_swept *swept = &(*out)[*out_count];

		status = find_free(store, arena, &swept->job, err);
		if (status != LOOM_OK || !swept->job.id)
			break;
		status = sweep_one(store, &swept->job, arena, &swept->extract, err);
		*out_count += status == LOOM_OK;
	}
	return loom_quiet_end(store, status, err);
}

enum loom_status loom_job_sweep(struct loom_store *store, struct loom_arena *arena,
				struct loom_swept **out, size_t *out_count, struct loom_err *err)
{
	struct loom_summary_job first;
	enum loom_status status = find_free(store, arena, &first, err);

	LOOM_ASSERT(!store->writing && out && out_count);
	*out = NULL;
	*out_count = 0;
	return status == LOOM_OK && first.id ? sweep(store, arena, out, out_count, err) : status;
}

/* ---- results ---- */

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
	return status == LOOM_OK ? loom_summary_due(store, LOOM_JOB_DOC, doc, err) : status;
}

/* ---- extracts ---- */

static enum loom_status node_text(struct loom_store *store, int64_t id, struct loom_arena *arena,
				  struct loom_str *out, struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status = loom_node_get(store, id, LOOM_NODE_TEXT, arena, &node, err);

	*out = status == LOOM_OK ? node.text : LOOM_STR("");
	return status;
}

static enum loom_status doc_text(struct loom_store *store, int64_t id, struct loom_arena *arena,
				 struct loom_str *out, struct loom_err *err)
{
	struct loom_doc doc;
	enum loom_status status = loom_doc_get(store, id, true, arena, &doc, err);

	*out = status == LOOM_OK ? doc.text : LOOM_STR("");
	return status;
}

/* The text that tells most about a tree: its description, else its first node, else its title. */
static enum loom_status tree_text(struct loom_store *store, int64_t id, struct loom_arena *arena,
				  struct loom_str *out, struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = loom_tree_get(store, id, arena, &tree, err);

	*out = status == LOOM_OK ? tree.description : LOOM_STR("");
	if (status == LOOM_OK && !out->n && tree.root)
		status = node_text(store, tree.root, arena, out, err);
	if (status == LOOM_OK && !out->n)
		*out = tree.title;
	return status;
}

enum loom_status loom_summary_extract(struct loom_store *store, enum loom_job_kind kind,
				      int64_t target, struct loom_arena *arena,
				      struct loom_str *out, struct loom_err *err)
{
	static enum loom_status (*const texts[])(struct loom_store * store, int64_t id,
						 struct loom_arena * arena, struct loom_str * out,
						 struct loom_err * err) = {
		[LOOM_JOB_NODE] = node_text,
		[LOOM_JOB_DOC] = doc_text,
		[LOOM_JOB_TREE] = tree_text,
	};
	struct loom_buf extract = LOOM_BUF_INIT(1 << 16);
	struct loom_str text;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT((size_t)kind < LOOM_COUNT(texts));
	status = texts[kind](store, target, arena, &text, err);
	if (status == LOOM_OK)
		loom_show_sentence(text, &extract);
	*out = loom_arena_buf(arena, &extract);
	loom_buf_fini(&extract);
	return status;
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
