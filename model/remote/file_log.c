/* The shared log in a file: an SQLite database of its own, for sync folders and memory sticks.
 *
 * Invariants: a rollback journal, so that at rest it is one file; a turn is its write transaction,
 * so it ends with its process. The file may be replaced behind our back (a sync program), so each
 * turn looks whether the one at the path is the one that is open. It comes from others: none of its
 * triggers or views runs. */
#include "file_log.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { WAIT_MS = 10000, PAGE = 1000, NETWORK_MS = 1000 };

/* --- errors --- */

static enum loom_status say_away(const char *path, const char *why, struct loom_err *err)
{
	loom_fail(err, LOOM_OFFLINE, "the shared log %s is not here: %s", path, why);
	return loom_hint(
		err, LOOM_OFFLINE,
		"reading works; to write, bring the file back (`loom remote drop` makes the "
		"grove local)");
}

enum loom_status file_log_fail(const struct file_log *log, int code, struct loom_err *err)
{
	LOOM_ASSERT(code != SQLITE_OK);
	switch (code & 0xFF) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return loom_fail(err, LOOM_BUSY, "another program has had the log %s for too long",
				 log->path);
	case SQLITE_FULL:
		return loom_fail(err, LOOM_FULL, "the disk of the log %s is full", log->path);
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		loom_fail(err, LOOM_DAMAGED, "the log %s is damaged", log->path);
		return loom_hint(err, LOOM_DAMAGED,
				 "each clone has everything: `loom remote drop`, then `loom remote "
				 "add` with another file");
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return loom_fail(err, LOOM_READ_ONLY, "the log %s cannot be written", log->path);
	default:
		return say_away(log->path, sqlite3_errstr(code), err);
	}
}

void file_log_shut(struct file_log *log)
{
	sqlite3_close(log->db);
	log->db = NULL;
}

/* --- statements --- */

int file_log_prepare(const struct file_log *log, const char *sql, sqlite3_stmt **out)
{
	LOOM_ASSERT(log->db);
	return sqlite3_prepare_v2(log->db, sql, -1, out, NULL);
}

/* Steps once, and ends it unless there is a row. */
int file_log_finish(sqlite3_stmt *stmt, int code)
{
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

static void read_hash(sqlite3_stmt *stmt, int column, struct loom_hash *out)
{
	if (sqlite3_column_bytes(stmt, column) == (int)sizeof out->bytes)
		memcpy(out->bytes, sqlite3_column_blob(stmt, column), sizeof out->bytes);
}

/* --- opening --- */

int file_log_configure(sqlite3 *db)
{
	static const struct {
		int what;
		int on;
	} settings[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},
	};

	for (size_t i = 0; i < LOOM_COUNT(settings); i++)
		sqlite3_db_config(db, settings[i].what, settings[i].on, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_busy_timeout(db, WAIT_MS);
	return sqlite3_exec(db,
			    "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; "
			    "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0",
			    NULL, NULL, NULL);
}

enum loom_status file_log_read_id(struct file_log *log, struct loom_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = file_log_prepare(log, "SELECT application_id FROM pragma_application_id", &stmt);
	bool ours = false;

	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	ours = code == SQLITE_ROW && sqlite3_column_int(stmt, 0) == FILE_LOG_ID;
	sqlite3_finalize(stmt);
	if (code != SQLITE_ROW)
		return file_log_fail(log, code, err);
	if (!ours)
		return loom_fail(err, LOOM_FOREIGN, "%s is not a shared log", log->path);
	code = file_log_prepare(log, "SELECT id FROM head", &stmt);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		read_hash(stmt, 0, &log->first);
	sqlite3_finalize(stmt);
	return code == SQLITE_ROW
		       ? LOOM_OK
		       : file_log_fail(log, code == SQLITE_DONE ? SQLITE_CORRUPT : code, err);
}

/* Returns whether the file at the path is the open one. */
static bool is_same(const struct file_log *log)
{
	struct stat info;

	return stat(log->path, &info) == 0 && info.st_dev == log->device &&
	       info.st_ino == log->inode;
}

enum loom_status file_log_open(struct file_log *log, struct loom_err *err)
{
	struct stat info;
	enum loom_status status;
	int code;

	LOOM_ASSERT(log->path[0] == '/');
	if (log->db && is_same(log))
		return LOOM_OK;
	file_log_shut(log);
	if (stat(log->path, &info) != 0)
		return say_away(log->path, strerror(errno), err);
	if (!S_ISREG(info.st_mode))
		return loom_fail(err, LOOM_FOREIGN, "%s is not a shared log", log->path);
	log->device = info.st_dev;
	log->inode = info.st_ino;
	code = sqlite3_open_v2(log->path, &log->db,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW |
				       SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
			       NULL);
	if (code == SQLITE_OK)
		code = file_log_configure(log->db);
	status = code == SQLITE_OK ? file_log_read_id(log, err) : file_log_fail(log, code, err);
	if (status != LOOM_OK)
		file_log_shut(log);
	return status;
}

/* --- the engine --- */

static void leave(void *ctx)
{
	struct file_log *log = ctx;

	if (log->db && !sqlite3_get_autocommit(log->db))
		(void)sqlite3_exec(log->db, "ROLLBACK", NULL, NULL, NULL);
}

/* *out stays as it is if there is no such entry. */
static enum loom_status read_mark(const struct file_log *log, const char *sql, int64_t seq,
				  struct model_mark *out, struct loom_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = file_log_prepare(log, sql, &stmt);

	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 1, seq);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW) {
		out->seq = sqlite3_column_int64(stmt, 0);
		read_hash(stmt, 1, &out->chain);
	}
	sqlite3_finalize(stmt);
	return code == SQLITE_ROW || code == SQLITE_DONE ? LOOM_OK : file_log_fail(log, code, err);
}

static enum loom_status head(void *ctx, struct model_mark *out, struct loom_err *err)
{
	struct file_log *log = ctx;
	enum loom_status status = file_log_open(log, err);

	*out = (struct model_mark){.seq = 0};
	if (status != LOOM_OK)
		return status;
	out->chain = log->first;
	return read_mark(log,
			 "SELECT seq, chain FROM entry WHERE seq > ? ORDER BY seq DESC LIMIT 1", 0,
			 out, err);
}

static enum loom_status require_mark(const struct file_log *log, const struct model_mark *from,
				     struct loom_err *err)
{
	struct model_mark there = {.seq = -1, .chain = log->first};
	enum loom_status status = LOOM_OK;

	if (from->seq)
		status = read_mark(log, "SELECT seq, chain FROM entry WHERE seq = ?", from->seq,
				   &there, err);
	else
		there.seq = 0;
	if (status != LOOM_OK ||
	    (there.seq == from->seq && loom_hash_eq(&there.chain, &from->chain)))
		return status;
	return loom_fail(err, LOOM_CONFLICT, "the log does not have entry %lld",
			 (long long)from->seq);
}

/* Gives a page of entries: the file is locked against a commit meanwhile. */
static enum loom_status give(const struct file_log *log, const struct model_reader *reader,
			     bool *out_more, struct loom_err *err)
{
	struct model_logged entry = {.seq = reader->from.seq};
	const int64_t last = entry.seq + PAGE;
	sqlite3_stmt *stmt = NULL;
	enum loom_status status = LOOM_OK;
	int code = file_log_prepare(log, "SELECT seq, bytes FROM entry WHERE seq > ? ORDER BY seq",
				    &stmt);

	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 1, entry.seq);
	while (code == SQLITE_OK && status == LOOM_OK && !*out_more) {
		code = sqlite3_step(stmt);
		if (code != SQLITE_ROW)
			break;
		*out_more = entry.seq == last;
		code = sqlite3_column_int64(stmt, 0) == ++entry.seq ? SQLITE_OK : SQLITE_CORRUPT;
		entry.bytes = loom_str_make(sqlite3_column_blob(stmt, 1),
					    (size_t)sqlite3_column_bytes(stmt, 1));
		if (code == SQLITE_OK && !*out_more)
			status = reader->each(reader->ctx, &entry, err);
	}
	sqlite3_finalize(stmt);
	if (status != LOOM_OK || code == SQLITE_OK || code == SQLITE_DONE)
		return status;
	return file_log_fail(log, code, err);
}

static enum loom_status since(void *ctx, const struct model_reader *reader, bool *out_more,
			      struct loom_err *err)
{
	struct file_log *log = ctx;
	enum loom_status status = file_log_open(log, err);

	LOOM_ASSERT(reader->each && reader->from.seq >= 0);
	*out_more = false;
	if (status == LOOM_OK)
		status = require_mark(log, &reader->from, err);
	return status == LOOM_OK ? give(log, reader, out_more, err) : status;
}

static enum loom_status begin_turn(struct file_log *log, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	int code = SQLITE_OK;

	/* It may be replaced between the look and the lock; then again. */
	do {
		leave(log);
		status = file_log_open(log, err);
		if (status == LOOM_OK)
			code = sqlite3_exec(log->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	} while (status == LOOM_OK && code == SQLITE_OK && !is_same(log));
	if (status != LOOM_OK || code == SQLITE_OK)
		return status;
	status = file_log_fail(log, code, err);
	file_log_shut(log);
	return status;
}

static enum loom_status turn(void *ctx, const struct model_reader *reader, bool *out_more,
			     struct loom_err *err)
{
	enum loom_status status = begin_turn(ctx, err);

	*out_more = false;
	if (status == LOOM_OK)
		status = since(ctx, reader, out_more, err);
	if (status != LOOM_OK)
		leave(ctx);
	return status;
}

static int insert(const struct file_log *log, const struct model_mark *next, const uint8_t *uid,
		  struct loom_str bytes)
{
	sqlite3_stmt *stmt = NULL;
	int code = file_log_prepare(log,
				    "INSERT INTO entry(seq, uid, chain, bytes) VALUES(?, ?, ?, ?)",
				    &stmt);

	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 1, next->seq);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob(stmt, 2, uid, MODEL_ENTRY_UID, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob(stmt, 3, next->chain.bytes, sizeof next->chain.bytes,
					 SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob64(stmt, 4, bytes.p, bytes.n, SQLITE_STATIC);
	return file_log_finish(stmt, code);
}

static enum loom_status append(void *ctx, const struct model_mark *base,
			       const uint8_t uid[MODEL_ENTRY_UID], struct loom_str bytes,
			       struct loom_err *err)
{
	struct file_log *log = ctx;
	struct model_mark next = {base->seq + 1, model_entry_chain(&base->chain, bytes)};
	struct model_mark now;
	enum loom_status status = head(log, &now, err);
	int code = SQLITE_OK;

	LOOM_ASSERT(bytes.n && bytes.n <= MODEL_ENTRY_MAX);
	LOOM_ASSERT(!log->db || !sqlite3_get_autocommit(log->db));
	if (status == LOOM_OK && (now.seq != base->seq || !loom_hash_eq(&now.chain, &base->chain)))
		status = loom_fail(err, LOOM_CONFLICT, "the shared log went on");
	if (status == LOOM_OK)
		code = insert(log, &next, uid, bytes);
	if (status == LOOM_OK && code == SQLITE_OK)
		code = sqlite3_exec(log->db, "COMMIT", NULL, NULL, NULL);
	if (status == LOOM_OK && (code & 0xFF) == SQLITE_CONSTRAINT)
		status = loom_fail(err, LOOM_CONFLICT, "this entry is in the log already");
	else if (status == LOOM_OK && code != SQLITE_OK)
		status = file_log_fail(log, code, err);
	leave(log);
	return status;
}

/* --- being told --- */

/* The folder is watched, for a synchronising program replaces the file. Nobody tells of what other
 * machines write to a network file system. */
static enum loom_status watch(void *ctx, struct model_news *out, struct loom_err *err)
{
	struct file_log *log = ctx;
	char folder[PATH_MAX];
	const size_t n = (size_t)(strrchr(log->path, '/') - log->path);
	bool is_far = false;

	LOOM_ASSERT(n < sizeof folder);
	snprintf(folder, sizeof folder, "%.*s", n ? (int)n : 1, log->path);
	if (log->watch < 0)
		log->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (log->watch >= 0 &&
	    inotify_add_watch(log->watch, folder, IN_CREATE | IN_DELETE | IN_MOVED_TO) < 0) {
		close(log->watch);
		log->watch = -1;
	}
	is_far = model_refuse_network(folder, NULL) != LOOM_OK;
	if (log->watch >= 0 && file_log_company(log, folder))
		log->company = inotify_add_watch(log->watch, folder, IN_MOVED_TO | IN_DELETE);
	*out = (struct model_news){.fd = log->watch};
	if (log->watch < 0 || is_far)
		out->every = NETWORK_MS;
	return file_log_open(log, err);
}

/* A commit ends by removing the journal; a synchronising program puts a file in the place. */
static bool tells(const struct file_log *log, const struct inotify_event *event)
{
	const char *name = strrchr(log->path, '/') + 1;
	const size_t n = strlen(name);

	if (event->mask & IN_Q_OVERFLOW)
		return true;
	if (event->len && event->wd == log->company)
		return file_log_is_machine(event->name);
	/* The first of the others makes the folder. */
	if (event->len && event->mask & IN_CREATE && event->mask & IN_ISDIR)
		return strncmp(event->name, name, n) == 0;
	if (!event->len || strncmp(event->name, name, n) != 0)
		return false;
	return !event->name[n] ||
	       (event->mask & IN_DELETE && strcmp(event->name + n, "-journal") == 0);
}

static bool hear(void *ctx)
{
	const struct file_log *log = ctx;
	_Alignas(struct inotify_event) char events[4096];
	bool told = false;
	ssize_t n;

	while (log->watch >= 0 && (n = read(log->watch, events, sizeof events)) > 0)
		for (char *p = events; p < events + n;) {
			const struct inotify_event *event = (const struct inotify_event *)(void *)p;

			told = told || tells(log, event);
			p += sizeof *event + event->len;
		}
	return told;
}

static void close_log(void *ctx)
{
	struct file_log *log = ctx;

	leave(log);
	file_log_shut(log);
	if (log->watch >= 0)
		close(log->watch);
	free(log);
}

/* --- the address --- */

static enum loom_status path_of(struct loom_str url, char out[PATH_MAX], struct loom_err *err)
{
	const struct loom_str path = loom_str_sub(url, sizeof REMOTE_FILE_SCHEME - 1, url.n);

	if (loom_str_starts(path, LOOM_STR("/")) && path.n < PATH_MAX &&
	    loom_str_find_char(path, '\0', 0) == SIZE_MAX && !loom_str_ends(path, LOOM_STR("/"))) {
		snprintf(out, PATH_MAX, "%.*s", LOOM_STR_ARG(path));
		return LOOM_OK;
	}
	loom_fail(err, LOOM_INVALID, "\"%.*s\" is not the address of a log in a file",
		  LOOM_STR_ARG(url));
	return loom_hint(err, LOOM_INVALID, "for example file:///media/stick/novel.loomlog");
}

/* A file cannot know whose the hand was that wrote to it. */
static enum loom_status facts(void *ctx, struct model_log_facts *out, struct loom_err *err)
{
	(void)ctx;
	(void)err;
	*out = (struct model_log_facts){.may = -1};
	return LOOM_OK;
}

static const struct model_log engine = {
	.turn = turn,
	.since = since,
	.head = head,
	.append = append,
	.leave = leave,
	.watch = watch,
	.hear = hear,
	.may_found = file_log_may_found,
	.found = file_log_found,
	.fetch = file_log_fetch,
	.facts = facts,
	.copies = file_log_copies,
	.say = file_log_say,
	.others = file_log_others,
	.close = close_log,
};

enum loom_status remote_file_log(const struct model_log_opts *opts, const struct model_log **out,
				 void **out_ctx, struct loom_err *err)
{
	struct file_log *log = loom_alloc(sizeof *log);
	enum loom_status status = path_of(opts->url, log->path, err);

	log->watch = log->company = -1;
	if (opts->machine)
		snprintf(log->machine, sizeof log->machine, "%s", opts->machine);
	*out = &engine;
	*out_ctx = log;
	if (status == LOOM_OK)
		return status;
	free(log);
	*out_ctx = NULL;
	return status;
}
