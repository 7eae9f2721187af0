/* The search index: a database of its own in the cache directory.
 *
 * Node texts (and notes) are in `text`, by node number, without a copy of the text; what can change
 * — summaries, titles, documents — is in `other`, with its text, so that it can be replaced. `fed`
 * records how far the grove has been read. Several processes feed in turn; each slice is a
 * transaction that first checks how far the others have come. Answers are checked against the grove
 * before they are shown: an undone node is found and skipped. */
#include <loom/files/state_file.h>
#include "inside.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/tree/job.h>

#define INDEX_VERSION 6
#define FEED_BATCH    400

/* --- opening --- */

static const char make_index[] =
	"BEGIN IMMEDIATE;"
	"CREATE VIRTUAL TABLE text USING fts5(body, content='', tokenize='loom', prefix='1 2 3');"
	/* The nodes that stand in it as they came, though they have a seam. */
	"CREATE TABLE unseamed(node INTEGER PRIMARY KEY);"
	"CREATE VIRTUAL TABLE other USING fts5(body, tokenize='loom', prefix='1 2 3');"
	/* The thing a row of `other` belongs to. */
	"CREATE TABLE source(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, ref INTEGER NOT NULL,"
	" UNIQUE(kind, ref));"
	"CREATE TABLE fed(id INTEGER PRIMARY KEY CHECK(id = 1), node INTEGER NOT NULL,"
	" event INTEGER NOT NULL, doc INTEGER NOT NULL, tree INTEGER NOT NULL,"
	" summed INTEGER NOT NULL, story TEXT NOT NULL);"
	"INSERT INTO fed VALUES(1, 0, 0, 0, 0, 0, '');"
	/* The longer words in the index, to expand a prefix with. */
	"CREATE TABLE word(term TEXT PRIMARY KEY) WITHOUT ROWID;"
	"PRAGMA user_version = 6;"
	"COMMIT";

static enum loom_status index_path(struct loom_search *search, struct loom_buf *out,
				   struct loom_err *err)
{
	enum loom_status status = loom_env_dir(search->grove->env, LOOM_DIR_CACHE, out, err);

	if (status != LOOM_OK)
		return status;
	status = model_make_dirs(loom_buf_str(out), 0700, err);
	loom_buf_addc(out, '/');
	model_state_key(search->grove, out);
	loom_buf_adds(out, ".db");
	return status;
}

/* The index holds nothing worth keeping: no sync, and it is deleted on any doubt. */
static enum loom_status connect(struct loom_search *search, struct loom_err *err)
{
	struct loom_store *index = &search->index;
	mode_t mask = umask(077);
	int code = sqlite3_open_v2(loom_buf_cstr(&index->file), &index->db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
					   SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
				   NULL);
	enum loom_status status;

	umask(mask);
	if (code != SQLITE_OK)
		return model_sqlite_fail(index, code, err);
	LOOM_ASSERT(index->db);
	sqlite3_busy_timeout(index->db, 5000);
	status = model_script(index,
			      "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
			      "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192;",
			      err);
	return status == LOOM_OK ? model_words_register(search, err) : status;
}

static void disconnect(struct loom_search *search)
{
	struct loom_store *index = &search->index;

	for (size_t i = 0; i < MODEL_STATEMENTS; i++) {
		sqlite3_finalize(index->statements[i].stmt);
		index->statements[i] = (struct model_statement){NULL, NULL};
	}
	sqlite3_close(index->db);
	index->db = NULL;
	model_words_forget(search);
}

static enum loom_status ready(struct loom_search *search, struct loom_err *err)
{
	struct loom_store *index = &search->index;
	int64_t version = 0;
	struct query q;
	enum loom_status status = connect(search, err);

	if (status != LOOM_OK)
		return status;
	q = model_query(index, "PRAGMA user_version", err);
	status = model_one(&q, 0, &version);
	if (status != LOOM_OK || version == INDEX_VERSION)
		return status;
	if (version != 0)
		return loom_fail(err, LOOM_FOREIGN, "the index has another version");
	status = model_script(index, make_index, err);
	if (status != LOOM_OK && !sqlite3_get_autocommit(index->db))
		(void)model_script(index, "ROLLBACK", NULL);
	return status;
}

static void throw_away(struct loom_search *search)
{
	disconnect(search);
	unlink(loom_buf_cstr(&search->index.file));
	model_remove_beside(loom_buf_cstr(&search->index.file));
}

/* The grove must still contain what was fed: another file may have taken its place. */
static enum loom_status refuse_other_story(struct loom_search *search, struct loom_err *err)
{
	struct query q = model_query(&search->index, "SELECT story FROM fed WHERE id = 1", err);
	bool holds = !model_row(&q) || loom_story_holds(search->grove, model_borrow(&q, 0));
	enum loom_status status = model_done(&q);

	return status != LOOM_OK || holds
		       ? status
		       : loom_fail(err, LOOM_FOREIGN, "the index belongs to another grove");
}

static enum loom_status open_index(struct loom_search *search, struct loom_err *err)
{
	enum loom_status status = ready(search, err);

	if (status == LOOM_OK)
		status = refuse_other_story(search, err);

	if (status == LOOM_OK || status == LOOM_BUSY || status == LOOM_FULL || status == LOOM_FAULT)
		return status;
	throw_away(search);
	return ready(search, err);
}

/* The index may be anywhere: tell a user who cannot write there. */
static enum loom_status name_place(enum loom_status status, struct loom_err *err)
{
	return status == LOOM_IO || status == LOOM_READ_ONLY
		       ? loom_hint(err, status,
				   "the search index is kept there; set XDG_CACHE_HOME to "
				   "a directory that can be written")
		       : status;
}

enum loom_status loom_search_open(struct loom_store *store, struct loom_search **out,
				  struct loom_err *err)
{
	struct loom_search *search = loom_alloc(sizeof *search);
	enum loom_status status;

	search->grove = store;
	search->index.env = store->env;
	search->index.lock_fd = -1;
	loom_buf_init(&search->index.file, PATH_MAX);
	status = index_path(search, &search->index.file, err);
	if (status == LOOM_OK)
		status = open_index(search, err);
	*out = status == LOOM_OK ? search : NULL;
	if (status != LOOM_OK)
		loom_search_close(search);
	return name_place(status, err);
}

void loom_search_close(struct loom_search *search)
{
	if (!search)
		return;
	disconnect(search);
	loom_buf_fini(&search->index.file);
	free(search);
}

enum loom_status loom_search_rebuild(struct loom_search *search, struct loom_err *err)
{
	throw_away(search);
	return ready(search, err);
}

/* --- feeding --- */

struct fed {
	int64_t node;
	int64_t event;
	int64_t doc;
	int64_t tree;
	int64_t summed;
};

static enum loom_status read_fed(struct loom_store *index, struct fed *out, struct loom_err *err)
{
	struct query q =
		model_query(index, "SELECT node, event, doc, tree, summed FROM fed WHERE id = 1",
			    err);

	LOOM_ASSERT(index->db);
	if (model_row(&q))
		*out = (struct fed){
			.node = model_int(&q, 0),
			.event = model_int(&q, 1),
			.doc = model_int(&q, 2),
			.tree = model_int(&q, 3),
			.summed = model_int(&q, 4),
		};
	return model_done(&q);
}

static enum loom_status write_fed(struct loom_search *search, const struct fed *fed,
				  struct loom_err *err)
{
	struct loom_buf story = LOOM_BUF_INIT(128);
	struct query q =
		model_query(&search->index,
			    "UPDATE fed SET node = ?, event = ?, doc = ?, tree = ?, summed "
			    "= ?, story = ? WHERE id = 1",
			    err);

	LOOM_ASSERT(!sqlite3_get_autocommit(search->index.db));
	loom_story_mark(search->grove, &story);
	model_bind(&q, fed->node);
	model_bind(&q, fed->event);
	model_bind(&q, fed->doc);
	model_bind(&q, fed->tree);
	model_bind(&q, fed->summed);
	model_bind_text(&q, loom_buf_str(&story));
	(void)model_run(&q);
	loom_buf_fini(&story);
	return q.status;
}

static enum loom_status add_text(struct loom_store *index, int64_t node, struct loom_str text,
				 struct loom_err *err)
{
	struct query q = model_query(index, "INSERT INTO text(rowid, body) VALUES(?, ?)", err);

	LOOM_ASSERT(!sqlite3_get_autocommit(index->db));
	model_bind(&q, node);
	model_bind_text(&q, text);
	return model_run(&q);
}

/* Notes in which of its two forms a text with a seam is in the index. */
static enum loom_status note_seam(struct loom_store *index, int64_t node, bool off,
				  struct loom_err *err)
{
	struct query q = model_query(index,
				     off ? "INSERT INTO unseamed(node) VALUES(?)"
					 : "DELETE FROM unseamed WHERE node = ?",
				     err);

	LOOM_ASSERT(!sqlite3_get_autocommit(index->db));
	model_bind(&q, node);
	return model_run(&q);
}

/* A table that keeps no texts takes one out only if it is told which one it was. */
static enum loom_status drop_text(struct loom_store *index, int64_t node, struct loom_str text,
				  struct loom_err *err)
{
	struct query q =
		model_query(index, "INSERT INTO text(text, rowid, body) VALUES('delete', ?, ?)",
			    err);

	LOOM_ASSERT(!sqlite3_get_autocommit(index->db));
	model_bind(&q, node);
	model_bind_text(&q, text);
	return model_run(&q);
}

/* Indexes a fed text in its other form, if its seam was taken off or put on since. */
static enum loom_status feed_seam(struct loom_search *search, int64_t node, struct loom_err *err)
{
	struct loom_store *index = &search->index;
	struct query was =
		model_query(index, "SELECT EXISTS(SELECT 1 FROM unseamed WHERE node = ?)", err);
	struct query q = model_query(search->grove,
				     "SELECT s.live, b.text, " MODEL_MENDED(
					     "b") " FROM seam s JOIN body b ON b.id = s.id "
						  "WHERE s.id = ?",
				     err);
	int64_t off = 0;
	enum loom_status status;
	enum loom_status ended;

	model_bind(&was, node);
	status = model_one(&was, 0, &off);
	model_bind(&q, node);
	if (status == LOOM_OK && model_row(&q) && !model_int(&q, 0) != (off != 0)) {
		status = drop_text(index, node, model_borrow(&q, off ? 1 : 2), err);
		if (status == LOOM_OK)
			status = add_text(index, node, model_borrow(&q, off ? 2 : 1), err);
		if (status == LOOM_OK)
			status = note_seam(index, node, !off, err);
	}
	ended = model_done(&q);
	return status == LOOM_OK ? ended : status;
}

static enum loom_status source_row(struct loom_store *index, int kind, int64_t ref, int64_t *out,
				   struct loom_err *err)
{
	struct query q = model_query(
		index,
		"INSERT INTO source(kind, ref) VALUES(?, ?) ON CONFLICT DO UPDATE SET ref = ref "
		"RETURNING id",
		err);

	model_bind(&q, kind);
	model_bind(&q, ref);
	return model_insert(&q, out);
}

static enum loom_status replace_other(struct loom_store *index, int kind, int64_t ref,
				      struct loom_str text, struct loom_err *err)
{
	struct query q;
	int64_t row = 0;
	enum loom_status status = source_row(index, kind, ref, &row, err);

	if (status != LOOM_OK)
		return status;
	q = model_query(index, "DELETE FROM other WHERE rowid = ?", err);
	model_bind(&q, row);
	status = model_run(&q);
	if (status != LOOM_OK || !text.n)
		return status;
	q = model_query(index, "INSERT INTO other(rowid, body) VALUES(?, ?)", err);
	model_bind(&q, row);
	model_bind_text(&q, text);
	return model_run(&q);
}

/* A node comes with the summary it has at that time. */
static enum loom_status feed_nodes(struct loom_search *search, struct fed *fed, int64_t *out_taken,
				   struct loom_err *err)
{
	struct query q = model_query(
		search->grove,
		"SELECT b.id, " MODEL_AS_READ(
			"b") ", m.summary, EXISTS(SELECT 1 FROM seam s WHERE s.id = b.id "
			     "AND s.live = 0) FROM body b LEFT JOIN mark m "
			     "ON m.id = b.id AND m.summary <> '' AND m.summary_extract = 0 "
			     "WHERE b.id > ? ORDER BY b.id LIMIT ?",
		err);
	enum loom_status status = LOOM_OK;
	enum loom_status ended;

	*out_taken = 0;
	model_bind(&q, fed->node);
	model_bind(&q, FEED_BATCH);
	while (status == LOOM_OK && model_row(&q)) {
		fed->node = model_int(&q, 0);
		status = add_text(&search->index, fed->node, model_borrow(&q, 1), err);
		if (status == LOOM_OK && !model_is_null(&q, 2))
			status = replace_other(&search->index, LOOM_HIT_SUMMARY, fed->node,
					       model_borrow(&q, 2), err);
		if (status == LOOM_OK && model_int(&q, 3))
			status = note_seam(&search->index, fed->node, true, err);
		++*out_taken;
	}
	ended = model_done(&q);
	return status == LOOM_OK ? ended : status;
}

#define WITHOUT_EXTRACT(kind)                                                                      \
	"CASE WHEN EXISTS(SELECT 1 FROM summed WHERE kind = " kind " AND target = ?1 AND "         \
	"extract = 1) THEN '' ELSE summary END"

/* Indexes the current state of one changeable thing. A summary that is an extract adds nothing to
 * the text. */
static enum loom_status feed_other(struct loom_search *search, int kind, int64_t ref,
				   struct loom_err *err)
{
	static const char doc[] = "SELECT d.name || char(10) || CAST(v.text AS TEXT) FROM doc d "
				  "JOIN docver v ON v.id = d.head WHERE d.id = ?";
	static const char *const now[] = {
		[LOOM_HIT_SUMMARY] = "SELECT summary FROM mark WHERE id = ?",
		[LOOM_HIT_DOC] = doc,
		[LOOM_HIT_TREE] = "SELECT title || char(10) || description FROM tree WHERE id = ?",
		[MODEL_HIT_DOC_SUMMARY] = "SELECT " WITHOUT_EXTRACT("1") " FROM doc WHERE id = ?1",
		[MODEL_HIT_TREE_SUMMARY] =
			"SELECT " WITHOUT_EXTRACT("2") " FROM tree WHERE id = ?1",
	};
	struct query q = model_query(search->grove, now[kind], err);
	enum loom_status status = LOOM_OK;
	enum loom_status ended;

	LOOM_ASSERT(kind >= 0 && (size_t)kind < LOOM_COUNT(now) && now[kind]);
	model_bind(&q, ref);
	if (model_row(&q))
		status = replace_other(&search->index, kind, ref, model_borrow(&q, 0), err);
	ended = model_done(&q);
	return status == LOOM_OK ? ended : status;
}

static int summary_kind(int kind)
{
	return kind == LOOM_HIT_DOC ? MODEL_HIT_DOC_SUMMARY : MODEL_HIT_TREE_SUMMARY;
}

static enum loom_status feed_new(struct loom_search *search, int kind, int64_t *after,
				 struct loom_err *err)
{
	static const char docs[] = "SELECT id FROM doc WHERE id > ? ORDER BY id LIMIT 1";
	static const char trees[] = "SELECT id FROM tree WHERE id > ? ORDER BY id LIMIT 1";
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(kind == LOOM_HIT_DOC || kind == LOOM_HIT_TREE);
	for (;;) {
		int64_t next = 0;
		struct query q =
			model_query(search->grove, kind == LOOM_HIT_DOC ? docs : trees, err);

		model_bind(&q, *after);
		status = model_one(&q, 0, &next);
		if (status != LOOM_OK || !next)
			return status;
		status = feed_other(search, kind, next, err);
		if (status == LOOM_OK && search->sums)
			status = feed_other(search, summary_kind(kind), next, err);
		if (status != LOOM_OK)
			return status;
		*after = next;
	}
}

static int kind_of_field(int64_t field)
{
	switch (field) {
	case MODEL_DOC_HEAD:
	case MODEL_DOC_NAME:
		return LOOM_HIT_DOC;
	case MODEL_TREE_TITLE:
	case MODEL_TREE_DESCRIPTION:
		return LOOM_HIT_TREE;
	case MODEL_MARK_SUMMARY:
		return LOOM_HIT_SUMMARY;
	case MODEL_TREE_SUMMARY:
		return MODEL_HIT_TREE_SUMMARY;
	default:
		return LOOM_HIT_NODE;
	}
}

/* Indexes what operations changed since: each thing in its current state, once per change. */
static enum loom_status feed_changes(struct loom_search *search, struct fed *fed,
				     struct loom_err *err)
{
	struct query q = model_query(
		search->grove,
		"SELECT e.seq, c.field, c.target FROM event e LEFT JOIN op_change c ON c.op = e.op "
		"WHERE e.seq > ? ORDER BY e.seq",
		err);
	enum loom_status status = LOOM_OK;
	enum loom_status ended;

	model_bind(&q, fed->event);
	while (status == LOOM_OK && model_row(&q)) {
		const int kind =
			model_is_null(&q, 1) ? LOOM_HIT_NODE : kind_of_field(model_int(&q, 1));

		if (kind != LOOM_HIT_NODE && (kind != MODEL_HIT_TREE_SUMMARY || search->sums))
			status = feed_other(search, kind, model_int(&q, 2), err);
		/* an undone text takes its summary with it */
		if (status == LOOM_OK && kind == LOOM_HIT_DOC && search->sums)
			status = feed_other(search, MODEL_HIT_DOC_SUMMARY, model_int(&q, 2), err);
		/* one that is not fed yet comes as it is read */
		if (status == LOOM_OK && model_int(&q, 1) == MODEL_SEAM_LIVE &&
		    model_int(&q, 2) <= fed->node)
			status = feed_seam(search, model_int(&q, 2), err);
		fed->event = model_int(&q, 0);
	}
	ended = model_done(&q);
	return status == LOOM_OK ? ended : status;
}

static enum loom_status newest_summed(struct loom_search *search, int64_t *out,
				      struct loom_err *err)
{
	struct query q;

	*out = 0;
	if (!search->sums)
		return LOOM_OK;
	q = model_query(search->grove, "SELECT max(seq) FROM summed", err);
	return model_one(&q, 0, out);
}

static enum loom_status take_summed(struct loom_search *search, const struct fed *fed, int64_t kind,
				    int64_t target, struct loom_err *err)
{
	switch (kind) {
	case LOOM_JOB_NODE: /* an unfed node will come with its summary */
		return target <= fed->node ? feed_other(search, LOOM_HIT_SUMMARY, target, err)
					   : LOOM_OK;
	case LOOM_JOB_DOC:
		return feed_other(search, MODEL_HIT_DOC_SUMMARY, target, err);
	case LOOM_JOB_TREE:
		return feed_other(search, MODEL_HIT_TREE_SUMMARY, target, err);
	default:
		return LOOM_OK;
	}
}

/* Indexes the summaries made since. */
static enum loom_status feed_summed(struct loom_search *search, struct fed *fed, int64_t *out_taken,
				    struct loom_err *err)
{
	struct query q;
	enum loom_status status = LOOM_OK;
	enum loom_status ended;

	if (!search->sums)
		return LOOM_OK;
	q = model_query(search->grove,
			"SELECT seq, kind, target FROM summed WHERE seq > ? ORDER BY seq LIMIT ?",
			err);
	model_bind(&q, fed->summed);
	model_bind(&q, FEED_BATCH);
	while (status == LOOM_OK && model_row(&q)) {
		status = take_summed(search, fed, model_int(&q, 1), model_int(&q, 2), err);
		fed->summed = model_int(&q, 0);
		++*out_taken;
	}
	ended = model_done(&q);
	return status == LOOM_OK ? ended : status;
}

/* Things fed from the beginning come with their summaries. */
static enum loom_status begin_fresh(struct loom_search *search, struct fed *fed,
				    struct loom_err *err)
{
	return fed->node || fed->doc || fed->tree ? LOOM_OK
						  : newest_summed(search, &fed->summed, err);
}

/* Commits a slice of the index, or rolls it back. */
static enum loom_status end_slice(struct loom_search *search, enum loom_status status,
				  struct loom_err *err)
{
	struct loom_store *index = &search->index;

	if (status == LOOM_OK)
		status = model_script(index, "COMMIT", err);
	if (status == LOOM_OK)
		return LOOM_OK;
	model_words_forget(search);
	if (!sqlite3_get_autocommit(index->db))
		(void)model_script(index, "ROLLBACK", NULL);
	return status;
}

static enum loom_status feed_slice(struct loom_search *search, int64_t *out_taken,
				   struct loom_err *err)
{
	struct loom_store *index = &search->index;
	struct fed fed = {0};
	enum loom_status status = model_script(index, "BEGIN IMMEDIATE", err);

	LOOM_ASSERT(out_taken);
	if (status != LOOM_OK)
		return status;
	status = read_fed(index, &fed, err);
	if (status == LOOM_OK)
		status = begin_fresh(search, &fed, err);
	if (status == LOOM_OK)
		status = feed_nodes(search, &fed, out_taken, err);
	if (status == LOOM_OK)
		status = feed_new(search, LOOM_HIT_DOC, &fed.doc, err);
	if (status == LOOM_OK)
		status = feed_new(search, LOOM_HIT_TREE, &fed.tree, err);
	if (status == LOOM_OK)
		status = feed_changes(search, &fed, err);
	if (status == LOOM_OK)
		status = feed_summed(search, &fed, out_taken, err);
	if (status == LOOM_OK)
		status = model_words_keep(search, err);
	if (status == LOOM_OK)
		status = write_fed(search, &fed, err);
	return end_slice(search, status, err);
}

static enum loom_status count_behind(struct loom_search *search, int64_t *out, struct loom_err *err)
{
	struct query q = model_query(search->grove, "SELECT max(id) FROM body", err);
	struct fed fed = {0};
	int64_t newest = 0;
	int64_t summed = 0;
	enum loom_status status = model_one(&q, 0, &newest);

	if (status == LOOM_OK)
		status = newest_summed(search, &summed, err);
	if (status == LOOM_OK)
		status = read_fed(&search->index, &fed, err);
	*out = newest > fed.node ? newest - fed.node : 0;
	*out += summed > fed.summed ? summed - fed.summed : 0;
	return status;
}

/* A read-only grove of an older version does not record summaries. */
static enum loom_status has_sums(struct loom_search *search, struct loom_err *err)
{
	struct query q;
	int64_t found = search->sums;
	enum loom_status status = LOOM_OK;

	if (found)
		return LOOM_OK;
	q = model_query(search->grove,
			"SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = "
			"'summed'",
			err);
	status = model_one(&q, 0, &found);
	search->sums = found != 0;
	return status;
}

static enum loom_status is_fed(struct loom_search *search, bool *out, struct loom_err *err)
{
	struct fed fed = {0};
	int64_t event = 0;
	int64_t behind = 0;
	enum loom_status status = count_behind(search, &behind, err);

	if (status == LOOM_OK)
		status = read_fed(&search->index, &fed, err);
	if (status == LOOM_OK)
		status = loom_events_last(search->grove, &event, err);
	*out = behind <= 0 && event == fed.event;
	return status;
}

enum loom_status loom_search_feed(struct loom_search *search, int64_t budget_ms,
				  int64_t *out_behind, struct loom_err *err)
{
	int64_t until = loom_env_ticks() / 1000000 + budget_ms;
	int64_t taken = 1;
	bool done = false;
	enum loom_status status = has_sums(search, err);

	LOOM_ASSERT(out_behind);
	if (status == LOOM_OK)
		status = is_fed(search, &done, err);

	while (status == LOOM_OK && !done && taken) {
		status = feed_slice(search, &taken, err);
		if (loom_env_ticks() / 1000000 >= until)
			break;
	}
	return status == LOOM_OK ? count_behind(search, out_behind, err) : name_place(status, err);
}
