/* The schema and its migrations: each step is one transaction that also sets the version.
 *
 * Visibility depends on the operation: rows that name an `op` count only while it is done. Rows
 * without one are bookkeeping (positions, leases, streams). Triggers keep the append-only tables
 * append-only, whoever writes. */
#include <loom/grove/sql.h>

static const char *const step_1[] = {
	"CREATE TABLE grove("
	"  id INTEGER PRIMARY KEY CHECK(id = 1),"
	"  ulid BLOB NOT NULL CHECK(length(ulid) = 16),"
	"  created INTEGER NOT NULL,"
	"  owner INTEGER NOT NULL,"
	"  current_tree INTEGER"
	") STRICT;",

	"CREATE TABLE op("
	"  id INTEGER PRIMARY KEY,"
	"  uid BLOB NOT NULL UNIQUE CHECK(length(uid) = 16),"
	"  state INTEGER NOT NULL CHECK(state BETWEEN 0 AND 3),"
	"  kind TEXT NOT NULL,"
	"  text TEXT NOT NULL,"
	"  inverse TEXT NOT NULL DEFAULT '',"
	"  actor INTEGER NOT NULL,"
	"  thread INTEGER,"
	"  tree INTEGER,"
	"  at INTEGER NOT NULL,"
	/* `applied`: the event that last made it take effect, which orders changes to the same
	 * thing. */
	"  applied INTEGER NOT NULL DEFAULT 0,"
	"  session TEXT NOT NULL DEFAULT ''"
	") STRICT;"
	"CREATE INDEX op_open ON op(id) WHERE state = 0;"
	"CREATE INDEX op_hidden ON op(id) WHERE state <> 1;"
	"CREATE INDEX op_actor ON op(actor, id);"
	/* An operation's changes, in order: a column of a row, or (field -1) a node it created. */
	"CREATE TABLE op_change("
	"  op INTEGER NOT NULL REFERENCES op(id),"
	"  seq INTEGER NOT NULL,"
	"  field INTEGER NOT NULL,"
	"  target INTEGER NOT NULL,"
	"  before ANY,"
	"  after ANY,"
	"  PRIMARY KEY(op, seq)"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX op_change_target ON op_change(field, target, op) WHERE field >= 0;"
	/* `op` builds on what `needs` created. */
	"CREATE TABLE op_needs("
	"  needs INTEGER NOT NULL REFERENCES op(id),"
	"  op INTEGER NOT NULL REFERENCES op(id),"
	"  PRIMARY KEY(needs, op)"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX op_needs_op ON op_needs(op, needs);"
	"CREATE TABLE event("
	"  seq INTEGER PRIMARY KEY,"
	"  op INTEGER NOT NULL REFERENCES op(id),"
	"  act INTEGER NOT NULL,"
	"  actor INTEGER NOT NULL,"
	"  at INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX event_undone ON event(actor, seq) WHERE act = 1;",

	"CREATE TABLE agent("
	"  id INTEGER PRIMARY KEY,"
	"  op INTEGER NOT NULL REFERENCES op(id),"
	"  ulid BLOB NOT NULL UNIQUE CHECK(length(ulid) = 16),"
	"  name TEXT NOT NULL,"
	"  kind INTEGER NOT NULL,"
	"  model TEXT NOT NULL DEFAULT '',"
	"  sampling TEXT NOT NULL DEFAULT '',"
	"  aware INTEGER NOT NULL DEFAULT 0,"
	"  created INTEGER NOT NULL,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;"
	"CREATE INDEX agent_name ON agent(name COLLATE NOCASE);"
	"CREATE INDEX agent_op ON agent(op);",

	"CREATE TABLE tree("
	"  id INTEGER PRIMARY KEY,"
	"  op INTEGER NOT NULL REFERENCES op(id),"
	"  ulid BLOB NOT NULL UNIQUE CHECK(length(ulid) = 16),"
	"  mode INTEGER NOT NULL CHECK(mode IN (0, 1)),"
	"  key INTEGER NOT NULL,"
	"  root INTEGER NOT NULL,"
	"  title TEXT NOT NULL,"
	"  description TEXT NOT NULL DEFAULT '',"
	"  summary TEXT NOT NULL DEFAULT '',"
	"  system TEXT NOT NULL DEFAULT '',"
	"  subject INTEGER,"
	"  nodes INTEGER NOT NULL DEFAULT 0,"
	"  leaves INTEGER NOT NULL DEFAULT 0,"
	"  branches INTEGER NOT NULL DEFAULT 0,"
	"  next_num INTEGER NOT NULL DEFAULT 1,"
	"  next_note INTEGER NOT NULL DEFAULT 1,"
	"  created INTEGER NOT NULL,"
	"  active INTEGER NOT NULL,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;"
	"CREATE INDEX tree_title ON tree(title COLLATE NOCASE);",

	/* The narrow row: everything needed to move through a tree. Only `children` ever
	 * changes. */
	"CREATE TABLE node("
	"  id INTEGER PRIMARY KEY,"
	"  ulid BLOB NOT NULL UNIQUE CHECK(length(ulid) = 16),"
	"  tree INTEGER NOT NULL,"
	"  num INTEGER NOT NULL,"
	"  prime INTEGER NOT NULL,"
	"  kind INTEGER NOT NULL,"
	"  grp INTEGER NOT NULL,"
	"  parent INTEGER,"
	"  ord INTEGER NOT NULL,"
	"  depth INTEGER NOT NULL,"
	"  jump INTEGER NOT NULL,"
	"  from_node INTEGER,"
	"  edited_from INTEGER,"
	"  op INTEGER NOT NULL,"
	"  author INTEGER NOT NULL,"
	"  thread INTEGER,"
	"  seq INTEGER,"
	"  created INTEGER NOT NULL,"
	"  children INTEGER NOT NULL DEFAULT 0,"
	"  bytes INTEGER NOT NULL"
	") STRICT;"
	"CREATE UNIQUE INDEX node_local ON node(tree, num, prime);"
	"CREATE UNIQUE INDEX node_child ON node(parent, kind, ord) WHERE id = grp;"
	"CREATE INDEX node_member ON node(grp, id) WHERE id <> grp;"
	"CREATE TABLE body("
	"  id INTEGER PRIMARY KEY REFERENCES node(id),"
	"  text BLOB NOT NULL,"
	"  hash BLOB NOT NULL CHECK(length(hash) = 32),"
	"  parents BLOB NOT NULL,"
	"  raw_hash BLOB,"
	"  original BLOB,"
	"  extra TEXT"
	") STRICT;"
	"CREATE TABLE generation("
	"  id INTEGER PRIMARY KEY REFERENCES node(id),"
	"  record TEXT NOT NULL,"
	"  raw BLOB NOT NULL,"
	"  raw_bytes INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE source("
	"  node INTEGER NOT NULL REFERENCES node(id),"
	"  ord INTEGER NOT NULL,"
	"  source INTEGER NOT NULL REFERENCES node(id),"
	"  PRIMARY KEY(node, ord)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE mark("
	"  id INTEGER PRIMARY KEY REFERENCES node(id),"
	"  tree INTEGER NOT NULL,"
	"  bookmark INTEGER NOT NULL DEFAULT 0,"
	"  label TEXT NOT NULL DEFAULT '',"
	"  pruned INTEGER NOT NULL DEFAULT 0,"
	"  excluded INTEGER NOT NULL DEFAULT 0,"
	"  summary TEXT NOT NULL DEFAULT '',"
	"  summary_extract INTEGER NOT NULL DEFAULT 0,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;"
	"CREATE INDEX mark_bookmark ON mark(tree, id) WHERE bookmark = 1;"
	"CREATE INDEX mark_pruned ON mark(tree, id) WHERE pruned = 1;",

	"CREATE TABLE tag("
	"  id INTEGER PRIMARY KEY,"
	"  node INTEGER NOT NULL REFERENCES node(id),"
	"  name TEXT NOT NULL,"
	"  live INTEGER NOT NULL,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1),"
	"  UNIQUE(node, name)"
	") STRICT;"
	"CREATE INDEX tag_name ON tag(name, node) WHERE live = 1;"
	"CREATE TABLE link("
	"  id INTEGER PRIMARY KEY,"
	"  op INTEGER NOT NULL REFERENCES op(id),"
	"  from_node INTEGER NOT NULL REFERENCES node(id),"
	"  kind INTEGER NOT NULL,"
	"  to_node INTEGER,"
	"  to_doc INTEGER,"
	"  to_tree INTEGER,"
	"  section TEXT NOT NULL,"
	"  note TEXT NOT NULL,"
	"  author INTEGER NOT NULL,"
	"  created INTEGER NOT NULL,"
	"  live INTEGER NOT NULL DEFAULT 1,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;"
	"CREATE INDEX link_from ON link(from_node);"
	"CREATE INDEX link_node ON link(to_node) WHERE to_node IS NOT NULL;"
	"CREATE INDEX link_doc ON link(to_doc) WHERE to_doc IS NOT NULL;"
	"CREATE INDEX link_tree ON link(to_tree) WHERE to_tree IS NOT NULL;",

	"CREATE TABLE doc("
	"  id INTEGER PRIMARY KEY,"
	"  op INTEGER NOT NULL REFERENCES op(id),"
	"  ulid BLOB NOT NULL UNIQUE CHECK(length(ulid) = 16),"
	"  name TEXT NOT NULL,"
	"  head INTEGER NOT NULL,"
	"  summary TEXT NOT NULL DEFAULT '',"
	"  created INTEGER NOT NULL,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;"
	"CREATE INDEX doc_name ON doc(name COLLATE NOCASE);"
	"CREATE INDEX doc_op ON doc(op);"
	"CREATE TABLE docver("
	"  id INTEGER PRIMARY KEY,"
	"  doc INTEGER NOT NULL,"
	"  n INTEGER NOT NULL,"
	"  op INTEGER NOT NULL REFERENCES op(id),"
	"  author INTEGER NOT NULL,"
	"  at INTEGER NOT NULL,"
	"  words INTEGER NOT NULL,"
	"  text BLOB NOT NULL,"
	"  hash BLOB NOT NULL CHECK(length(hash) = 32),"
	"  UNIQUE(doc, n)"
	") STRICT;",

	"CREATE TABLE thread("
	"  id INTEGER PRIMARY KEY,"
	"  name TEXT NOT NULL UNIQUE,"
	"  agent INTEGER NOT NULL REFERENCES agent(id),"
	"  tree INTEGER NOT NULL REFERENCES tree(id),"
	"  position INTEGER NOT NULL,"
	"  implicit INTEGER NOT NULL,"
	"  created INTEGER NOT NULL,"
	"  active INTEGER NOT NULL,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;"
	"CREATE UNIQUE INDEX thread_implicit ON thread(agent, tree) WHERE implicit = 1;"
	"CREATE TABLE choice("
	"  thread INTEGER NOT NULL REFERENCES thread(id),"
	"  grp INTEGER NOT NULL,"
	"  member INTEGER NOT NULL,"
	"  PRIMARY KEY(thread, grp)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE visited("
	"  thread INTEGER NOT NULL REFERENCES thread(id),"
	"  grp INTEGER NOT NULL,"
	"  child INTEGER NOT NULL,"
	"  PRIMARY KEY(thread, grp)"
	") STRICT, WITHOUT ROWID;",

	"CREATE TABLE pin("
	"  id INTEGER PRIMARY KEY,"
	"  thread INTEGER NOT NULL REFERENCES thread(id),"
	"  kind INTEGER NOT NULL,"
	"  node INTEGER NOT NULL DEFAULT 0,"
	"  doc INTEGER NOT NULL DEFAULT 0,"
	"  section TEXT NOT NULL DEFAULT '',"
	"  result TEXT NOT NULL DEFAULT '',"
	"  text BLOB,"
	"  live INTEGER NOT NULL,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;"
	"CREATE INDEX pin_thread ON pin(thread, kind, node, doc);"
	"CREATE TABLE stash("
	"  id INTEGER PRIMARY KEY,"
	"  thread INTEGER NOT NULL REFERENCES thread(id),"
	"  label TEXT NOT NULL,"
	"  text BLOB NOT NULL,"
	"  summary INTEGER NOT NULL,"
	"  recalled INTEGER NOT NULL DEFAULT 0,"
	"  live INTEGER NOT NULL,"
	"  created INTEGER NOT NULL,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;"
	"CREATE INDEX stash_thread ON stash(thread, label);",

	"CREATE TABLE log("
	"  thread INTEGER NOT NULL REFERENCES thread(id),"
	"  seq INTEGER NOT NULL CHECK(seq >= 0),"
	"  kind TEXT NOT NULL,"
	"  lane TEXT,"
	"  operation INTEGER NOT NULL DEFAULT 0,"
	"  anchor INTEGER NOT NULL DEFAULT 0,"
	"  op_uid TEXT,"
	"  at INTEGER NOT NULL,"
	"  payload TEXT NOT NULL,"
	"  refs TEXT,"
	"  PRIMARY KEY(thread, seq)"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX log_anchor ON log(thread, lane, seq) WHERE anchor = 1;"
	"CREATE INDEX log_operation ON log(thread, seq) WHERE operation = 1;"
	"CREATE INDEX log_lane ON log(thread, lane, seq) WHERE lane IS NOT NULL;"
	"CREATE INDEX log_kind ON log(thread, kind, seq);"
	"CREATE UNIQUE INDEX log_op ON log(thread, op_uid) WHERE op_uid IS NOT NULL;"
	"CREATE TABLE part("
	"  hash BLOB PRIMARY KEY CHECK(length(hash) = 32),"
	"  body BLOB NOT NULL"
	") STRICT, WITHOUT ROWID;"
	/* A thread's state beside its rows: the deferred operation, the open run, the steering
	 * queue (JSON or empty), and the run's owner. */
	"CREATE TABLE run("
	"  thread INTEGER PRIMARY KEY REFERENCES thread(id),"
	"  pending TEXT NOT NULL DEFAULT '',"
	"  run TEXT NOT NULL DEFAULT '',"
	"  queue TEXT NOT NULL DEFAULT '',"
	"  session TEXT NOT NULL DEFAULT ''"
	") STRICT;"
	"CREATE TABLE run_record("
	"  id INTEGER PRIMARY KEY,"
	"  thread INTEGER NOT NULL REFERENCES thread(id),"
	"  at INTEGER NOT NULL,"
	"  record TEXT NOT NULL"
	") STRICT;"
	"CREATE INDEX run_record_thread ON run_record(thread, id);",

	/* Numbers are never reused here: a holder that lost its turn must not end another's. */
	"CREATE TABLE lease("
	"  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  tree INTEGER NOT NULL,"
	"  grp INTEGER NOT NULL,"
	"  last_node INTEGER NOT NULL,"
	"  agent INTEGER NOT NULL,"
	"  session TEXT NOT NULL,"
	"  boot TEXT NOT NULL,"
	"  expires INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX lease_tree ON lease(tree);"
	"CREATE TABLE stream("
	"  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  tree INTEGER NOT NULL,"
	"  from_node INTEGER NOT NULL,"
	"  num INTEGER NOT NULL,"
	"  agent INTEGER NOT NULL,"
	"  thread INTEGER,"
	"  session TEXT NOT NULL,"
	"  record TEXT NOT NULL,"
	"  started INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE stream_chunk("
	"  stream INTEGER NOT NULL REFERENCES stream(id),"
	"  n INTEGER NOT NULL,"
	"  text BLOB NOT NULL,"
	"  PRIMARY KEY(stream, n)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE job("
	"  id INTEGER PRIMARY KEY,"
	"  kind TEXT NOT NULL,"
	"  target INTEGER NOT NULL,"
	"  state INTEGER NOT NULL,"
	"  session TEXT NOT NULL DEFAULT '',"
	"  at INTEGER NOT NULL,"
	"  UNIQUE(kind, target)"
	") STRICT;"
	"CREATE TABLE proposal("
	"  id INTEGER PRIMARY KEY,"
	"  hash BLOB NOT NULL CHECK(length(hash) = 32),"
	"  agent INTEGER NOT NULL,"
	"  session TEXT NOT NULL,"
	"  list TEXT NOT NULL,"
	"  state INTEGER NOT NULL,"
	"  decided_by INTEGER,"
	"  at INTEGER NOT NULL"
	") STRICT;",

	"CREATE TRIGGER body_fixed BEFORE UPDATE ON body BEGIN"
	"  SELECT RAISE(ABORT, 'node text is never changed'); END;",
	"CREATE TRIGGER body_kept BEFORE DELETE ON body BEGIN"
	"  SELECT RAISE(ABORT, 'nodes are never deleted'); END;",
	"CREATE TRIGGER node_kept BEFORE DELETE ON node BEGIN"
	"  SELECT RAISE(ABORT, 'nodes are never deleted'); END;",
	"CREATE TRIGGER node_fixed BEFORE UPDATE OF id, ulid, tree, num, prime, kind, grp, parent, "
	"ord,"
	"  depth, jump, from_node, edited_from, op, author, created, bytes ON node BEGIN"
	"  SELECT RAISE(ABORT, 'nodes are never changed'); END;",
	"CREATE TRIGGER docver_fixed BEFORE UPDATE ON docver BEGIN"
	"  SELECT RAISE(ABORT, 'document versions are never changed'); END;",
	"CREATE TRIGGER docver_kept BEFORE DELETE ON docver BEGIN"
	"  SELECT RAISE(ABORT, 'document versions are never deleted'); END;",
	"CREATE TRIGGER log_fixed BEFORE UPDATE ON log BEGIN"
	"  SELECT RAISE(ABORT, 'log rows are never changed'); END;",
	"CREATE TRIGGER log_kept BEFORE DELETE ON log BEGIN"
	"  SELECT RAISE(ABORT, 'log rows are never deleted'); END;",

	NULL,
};

/* Indexes to find waiting proposals and jobs without looking at finished ones. */
static const char *const step_2[] = {
	"CREATE INDEX proposal_waiting ON proposal(id) WHERE state = 0;",
	"CREATE INDEX proposal_hash ON proposal(hash);",
	"CREATE INDEX job_state ON job(state, id);",
	NULL,
};

/* Summaries, newest last: they are not operations and in no event; the search index reads them from
 * here. `kind` is an enum loom_job_kind; a document's or tree's may be an extract, a node's comes
 * from a model. Numbers are never reused. */
static const char *const step_3[] = {
	"CREATE TABLE summed("
	"  seq INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  kind INTEGER NOT NULL,"
	"  target INTEGER NOT NULL,"
	"  extract INTEGER NOT NULL,"
	"  UNIQUE(kind, target)"
	") STRICT;",
	NULL,
};

/* Rows of a long write that died were never visible: only they may be deleted, so a finished
 * operation can never be marked dead. Its numbers stay used. */
static const char *const step_4[] = {
	"ALTER TABLE grove ADD COLUMN last_node INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE grove ADD COLUMN last_tree INTEGER NOT NULL DEFAULT 0;",
	"CREATE INDEX op_dead ON op(id) WHERE state = 3 AND session <> '';",
	"CREATE INDEX source_source ON source(source);",
	"DROP TRIGGER body_kept;",
	"DROP TRIGGER node_kept;",
	"CREATE TRIGGER body_kept BEFORE DELETE ON body WHEN (SELECT o.state FROM node n JOIN op o "
	"ON o.id = n.op WHERE n.id = OLD.id) IS NOT 3 BEGIN"
	"  SELECT RAISE(ABORT, 'nodes are never deleted'); END;",
	"CREATE TRIGGER node_kept BEFORE DELETE ON node WHEN (SELECT state FROM op WHERE id = "
	"OLD.op) IS NOT 3 BEGIN"
	"  SELECT RAISE(ABORT, 'nodes are never deleted'); END;",
	"CREATE TRIGGER op_ended BEFORE UPDATE OF state ON op WHEN OLD.state <> 0 AND "
	"(NEW.state = 0 OR (OLD.state = 3) <> (NEW.state = 3)) BEGIN"
	"  SELECT RAISE(ABORT, 'what is done never dies, and what is dead is never done'); END;",
	NULL,
};

/* How much of it was deleted, so that a salvage does not miss it. */
static const char *const step_5[] = {
	"ALTER TABLE grove ADD COLUMN gone_nodes INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE grove ADD COLUMN gone_trees INTEGER NOT NULL DEFAULT 0;",
	NULL,
};

/* Fetched pages that a payload named. Nothing refers to them. */
static const char *const step_6[] = {
	"CREATE TABLE fetched("
	"  id INTEGER PRIMARY KEY,"
	"  project TEXT NOT NULL,"
	"  session TEXT NOT NULL,"
	"  url TEXT NOT NULL,"
	"  at INTEGER NOT NULL,"
	"  type TEXT NOT NULL,"
	"  body BLOB NOT NULL,"
	"  UNIQUE(project, session, url)"
	") STRICT;",
	NULL,
};

/* Requests by id, with their answers, so that a repeated request is not carried out again. */
static const char *const step_7[] = {
	"CREATE TABLE request("
	"  uid BLOB PRIMARY KEY CHECK(length(uid) = 16),"
	"  words BLOB NOT NULL,"
	"  inputs TEXT NOT NULL,"
	"  op INTEGER,"
	"  at INTEGER NOT NULL,"
	"  answer TEXT,"
	"  json INTEGER NOT NULL DEFAULT 0,"
	"  found INTEGER NOT NULL DEFAULT 0"
	") STRICT, WITHOUT ROWID;",
	NULL,
};

/* An author named by a file is a claim (`claim` is an enum loom_claim, `origin` the file, `said`
 * the ULID the file uses, which its hashes cover). */
static const char *const step_8[] = {
	"ALTER TABLE agent ADD COLUMN claim INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE agent ADD COLUMN origin TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE agent ADD COLUMN said BLOB;",
	MODEL_CLAIM_IMPORTED,
	NULL,
};

/* Ties the log to its store: one row on a page of its own (epoch.c). */
static const char *const step_9[] = {
	"CREATE TABLE epoch("
	"  id INTEGER PRIMARY KEY CHECK(id = 1),"
	"  mark BLOB NOT NULL CHECK(length(mark) = 64)"
	") STRICT;",
	NULL,
};
enum { EPOCH_STEP = 8 };

/* Persons, the accounts that act as them, and their current trees. A lease holds as long as its
 * session says. */
static const char *const step_10[] = {
	"CREATE TABLE member(" MODEL_MEMBER ") STRICT;",
	"CREATE INDEX member_role ON member(role);",
	"CREATE TABLE place(" MODEL_PLACE ") STRICT;",
	"ALTER TABLE grove ADD COLUMN shared INTEGER;",
	"ALTER TABLE proposal ADD COLUMN person INTEGER;",
	"ALTER TABLE lease DROP COLUMN boot;",
	"ALTER TABLE lease DROP COLUMN expires;",
	NULL,
};

/* The log that the grove stands in, and how far the file has come in it; the rows that wait to ride
 * with the next entry (classes.h); the entries that were void. */
static const char *const step_11[] = {
	"CREATE TABLE remote("
	"  id INTEGER PRIMARY KEY CHECK(id = 1),"
	"  url TEXT NOT NULL,"
	"  seq INTEGER NOT NULL CHECK(seq >= 0),"
	"  chain BLOB NOT NULL CHECK(length(chain) = 32)"
	") STRICT;",
	"CREATE TABLE remote_mine("
	"  class INTEGER NOT NULL,"
	"  row BLOB NOT NULL,"
	"  PRIMARY KEY(class, row)"
	") STRICT, WITHOUT ROWID;",
	"CREATE TABLE remote_void("
	"  seq INTEGER PRIMARY KEY,"
	"  at INTEGER NOT NULL,"
	"  why TEXT NOT NULL"
	") STRICT;",
	NULL,
};

/* Where a tree branches: its summary names and counts those places. */
static const char *const step_12[] = {
	"CREATE INDEX node_branch ON node(tree, id) WHERE children > 1 AND kind = 0 AND id = grp;",
	NULL,
};

/* Branches that were moved: the row of a node says where it hangs now, this one where it was born,
 * with the place that operations change, as text. */
static const char *const step_13[] = {
	"CREATE TABLE hung("
	"  id INTEGER PRIMARY KEY REFERENCES node(id),"
	"  tree INTEGER NOT NULL,"
	"  depth INTEGER NOT NULL,"
	"  born INTEGER,"
	"  born_from INTEGER,"
	"  place TEXT NOT NULL,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;",
	"CREATE INDEX hung_depth ON hung(tree, depth DESC);",
	"DROP TRIGGER node_fixed;",
	"CREATE TRIGGER node_fixed BEFORE UPDATE OF id, ulid, tree, num, prime, kind, grp, depth, "
	"jump, edited_from, op, author, created, bytes ON node BEGIN"
	"  SELECT RAISE(ABORT, 'nodes are never changed'); END;",
	/* A place changes only if it is said where the group was born, and whole. */
	"CREATE TRIGGER node_hung BEFORE UPDATE OF parent, from_node, ord ON node WHEN NOT "
	"EXISTS(SELECT 1 FROM hung WHERE id = OLD.grp) OR (SELECT grp FROM node WHERE id = "
	"NEW.from_node AND tree = OLD.tree) IS NOT NEW.parent BEGIN"
	"  SELECT RAISE(ABORT, 'nodes are never changed'); END;",
	NULL,
};

/* The bytes that operations replaced beside the grove (kept.h). */
static const char *const step_14[] = {
	"CREATE TABLE kept("
	"  id INTEGER PRIMARY KEY,"
	"  op INTEGER NOT NULL,"
	"  kind INTEGER NOT NULL,"
	"  name TEXT NOT NULL,"
	"  bytes BLOB,"
	"  now BLOB"
	") STRICT;",
	"CREATE INDEX kept_op ON kept(op);",
	NULL,
};

/* How the answers of chat models are read as the continuation of a text (seam.h): what came stays
 * in `body`. */
static const char *const step_15[] = {
	"CREATE TABLE seam("
	"  id INTEGER PRIMARY KEY REFERENCES node(id),"
	"  skip INTEGER NOT NULL CHECK(skip >= 0),"
	"  put TEXT NOT NULL,"
	"  cut INTEGER NOT NULL CHECK(cut >= 0),"
	"  live INTEGER NOT NULL DEFAULT 1,"
	"  ver INTEGER NOT NULL DEFAULT 1 CHECK(ver >= 1)"
	") STRICT;",
	NULL,
};

/* The roots of a tree, in order. */
static const char *const step_16[] = {
	"CREATE INDEX node_root ON node(tree, ord) WHERE parent IS NULL AND id = grp;",
	NULL,
};

/* steps[n] migrates version n to n + 1. */
static const char *const *const steps[] = {step_1,  step_2,  step_3,  step_4,  step_5,  step_6,
					   step_7,  step_8,  step_9,  step_10, step_11, step_12,
					   step_13, step_14, step_15, step_16};

_Static_assert(LOOM_COUNT(steps) == MODEL_SCHEMA_VERSION, "each version has its step");

/* --- which entries are allowed --- */

/* Returns a trigger of ours as SQLite stores it, without the final semicolon; empty for other
 * entries. */
static struct loom_str trigger_of(const char *entry)
{
	struct loom_str text = loom_str_of(entry);

	if (!loom_str_starts(text, LOOM_STR("CREATE TRIGGER ")))
		return (struct loom_str){NULL, 0};
	return loom_str_sub(text, 0, text.n - 1);
}

/* Returns "CREATE TRIGGER name", which identifies a trigger when a later step redefines it. */
static struct loom_str head_of(struct loom_str trigger)
{
	return loom_str_sub(trigger, 0, loom_str_find(trigger, LOOM_STR(" BEFORE "), 0));
}

static bool is_replaced(size_t step, size_t version, struct loom_str trigger)
{
	LOOM_ASSERT(version <= LOOM_COUNT(steps));
	for (step++; step < version && step < LOOM_COUNT(steps); step++)
		for (size_t i = 0; steps[step][i]; i++)
			if (loom_str_eq(head_of(trigger_of(steps[step][i])), head_of(trigger)))
				return true;
	return false;
}

/* Counts the triggers of a version; with `sql`, only those equal to it. */
static size_t count_ours(size_t version, const struct loom_str *sql)
{
	size_t count = 0;

	LOOM_ASSERT(version <= LOOM_COUNT(steps));
	for (size_t step = 0; step < version && step < LOOM_COUNT(steps); step++)
		for (size_t i = 0; steps[step][i]; i++) {
			struct loom_str trigger = trigger_of(steps[step][i]);

			if (trigger.n && (!sql || loom_str_eq(trigger, *sql)))
				count += !is_replaced(step, version, trigger);
		}
	return count;
}

/* Triggers run and views return whatever their author wanted, so a foreign file must have none.
 * Reads the version in the same statement, because the file's header may be older than the log. */
enum loom_status model_schema_known(struct loom_store *store, int64_t *out_version,
				    struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT v.user_version, s.type, s.name, s.sql FROM pragma_user_version v LEFT JOIN "
		"sqlite_schema s ON s.type IN ('trigger', 'view') OR s.sql LIKE 'CREATE VIRTUAL %'",
		err);
	const char *file = loom_buf_cstr(&store->file);
	enum loom_status status = LOOM_OK;
	size_t version = 0;
	size_t ours = 0;

	while (status == LOOM_OK && model_row(&q)) {
		struct loom_str sql = model_borrow(&q, 3);

		*out_version = model_int(&q, 0);
		version = (size_t)*out_version;
		if (version > LOOM_COUNT(steps) || model_is_null(&q, 1))
			continue;
		if (count_ours(version, &sql))
			ours++;
		else
			status = loom_fail(
				err, LOOM_DAMAGED,
				"%s: its %.*s \"%.*s\" was not made by loom; it was left alone",
				file, LOOM_STR_ARG(model_borrow(&q, 1)),
				LOOM_STR_ARG(model_borrow(&q, 2)));
	}
	if (status != LOOM_OK) {
		(void)model_done(&q);
		return status;
	}
	if (model_done(&q) != LOOM_OK || version > LOOM_COUNT(steps) ||
	    ours == count_ours(version, NULL))
		return q.status;
	return loom_fail(err, LOOM_DAMAGED,
			 "%s: a trigger that protects nodes or logs is missing (log_kept, "
			 "body_fixed …); it was left alone",
			 file);
}

enum loom_status model_schema_version_ok(struct loom_store *store, int64_t version,
					 struct loom_err *err)
{
	return version >= 1
		       ? LOOM_OK
		       : loom_fail(err, LOOM_DAMAGED, "%s has lost its version; it was left alone",
				   loom_buf_cstr(&store->file));
}

/* --- steps --- */

/* Runs a step; `first_rows` (nullable) writes in the last step's transaction. */
static enum loom_status run_step(struct loom_store *store, size_t from,
				 model_first_rows *first_rows, struct loom_err *err)
{
	char version[64];
	enum loom_status status = model_script(store, "BEGIN IMMEDIATE", err);

	LOOM_ASSERT(from < LOOM_COUNT(steps));
	if (status != LOOM_OK)
		return status;
	if (from > EPOCH_STEP)
		status = model_epoch_begin(store, err);
	for (size_t i = 0; steps[from][i] && status == LOOM_OK; i++)
		status = model_script(store, steps[from][i], err);
	snprintf(version, sizeof version, "PRAGMA user_version = %zu", from + 1);
	if (status == LOOM_OK)
		status = model_script(store, version, err);
	if (status == LOOM_OK && first_rows)
		status = first_rows(store, err);
	if (status == LOOM_OK && from == EPOCH_STEP)
		status = model_epoch_seed(store, err);
	if (status == LOOM_OK)
		status = model_script(store, "COMMIT", err);
	if (status != LOOM_OK && !sqlite3_get_autocommit(store->db))
		(void)model_script(store, "ROLLBACK", NULL);
	return status;
}

static enum loom_status run_steps(struct loom_store *store, size_t from,
				  model_first_rows *first_rows, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(from <= LOOM_COUNT(steps));
	for (size_t step = from; step < LOOM_COUNT(steps) && status == LOOM_OK; step++)
		status = run_step(store, step, step + 1 == LOOM_COUNT(steps) ? first_rows : NULL,
				  err);
	return status;
}

enum loom_status model_schema_create(struct loom_store *store, model_first_rows *first_rows,
				     struct loom_err *err)
{
	char id[64];
	enum loom_status status;

	LOOM_ASSERT(first_rows);
	snprintf(id, sizeof id, "PRAGMA application_id = %d", LOOM_APPLICATION_ID);
	status = model_script(store, id, err);
	return status == LOOM_OK ? run_steps(store, 0, first_rows, err) : status;
}

/* A log from before epochs is accepted as ours one last time: the first marker records the file it
 * was folded into. */
static enum loom_status fold_older(struct loom_store *store, struct loom_err *err)
{
	int in_log = 0;
	int folded = 0;
	int code = sqlite3_wal_checkpoint_v2(store->db, "main", SQLITE_CHECKPOINT_PASSIVE, &in_log,
					     &folded);

	if (code != SQLITE_OK)
		return model_sqlite_fail(store, code, err);
	if (in_log == folded)
		return LOOM_OK;
	loom_fail(err, LOOM_BUSY,
		  "the grove is being upgraded from an earlier loom, and another program is "
		  "reading it");
	return loom_hint(err, LOOM_BUSY, "try again when that program has ended");
}

enum loom_status model_schema_migrate(struct loom_store *store, struct loom_err *err)
{
	int64_t version = 0;
	struct query q = model_query(store, "PRAGMA user_version", err);
	enum loom_status status = model_one(&q, 0, &version);

	LOOM_ASSERT(store->lock_fd >= 0);
	if (status == LOOM_OK)
		status = model_schema_version_ok(store, version, err);
	if (status != LOOM_OK || version >= MODEL_SCHEMA_VERSION)
		return status;
	status = model_copy_before(store, MODEL_SCHEMA_VERSION, err);
	if (status == LOOM_OK && version <= EPOCH_STEP)
		status = fold_older(store, err);
	if (status == LOOM_OK)
		status = run_steps(store, (size_t)version, NULL, err);
	if (status == LOOM_OK)
		status = model_epoch_learn(store, err);
	if (status == LOOM_OK) /* if something prevents it now, the next program folds */
		(void)sqlite3_wal_checkpoint_v2(store->db, "main", SQLITE_CHECKPOINT_PASSIVE, NULL,
						NULL);
	return status;
}
