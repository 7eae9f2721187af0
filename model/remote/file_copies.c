/* Copies that a synchronising program has put beside the log when two machines had written to it.
 * Whatever their names are, they are logs with the same id. Their entries are in the grove of the
 * machine that wrote them, where the next following heals them as a fork. */
#include "file_log.h"

#include <dirent.h>
#include <unistd.h>

enum { COPIES_MOST = 20 };

static struct loom_str stem_of(struct loom_str name)
{
	for (size_t i = name.n; i-- > 1;)
		if (name.p[i] == '.')
			return loom_str_sub(name, 0, i);
	return name;
}

/* The copy opened for reading; its journal, if it has one, is not ours to play back. */
static bool open_copy(const char *path, struct file_log *out)
{
	struct loom_buf uri = LOOM_BUF_INIT(4 * PATH_MAX);
	bool good;

	loom_buf_adds(&uri, "file:");
	for (const char *p = path; *p; p++) {
		if (strchr("?#%", *p))
			loom_buf_addf(&uri, "%%%02X", (unsigned char)*p);
		else
			loom_buf_addc(&uri, *p);
	}
	loom_buf_adds(&uri, "?immutable=1");
	good = sqlite3_open_v2(loom_buf_cstr(&uri), &out->db,
			       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW |
				       SQLITE_OPEN_NOMUTEX,
			       NULL) == SQLITE_OK;
	loom_buf_fini(&uri);
	snprintf(out->path, sizeof out->path, "%s", path);
	return good && file_log_read_id(out, NULL) == LOOM_OK;
}

static bool log_has(const struct file_log *log, int64_t seq, struct loom_str chain)
{
	sqlite3_stmt *stmt = NULL;
	bool has = file_log_prepare(log, "SELECT 1 FROM entry WHERE seq = ? AND chain = ?",
				    &stmt) == SQLITE_OK &&
		   sqlite3_bind_int64(stmt, 1, seq) == SQLITE_OK &&
		   sqlite3_bind_blob64(stmt, 2, chain.p, chain.n, SQLITE_STATIC) == SQLITE_OK &&
		   sqlite3_step(stmt) == SQLITE_ROW;

	sqlite3_finalize(stmt);
	return has;
}

/* How many of its last entries the log does not have. */
static int64_t count_beyond(const struct file_log *log, const struct file_log *copy)
{
	sqlite3_stmt *stmt = NULL;
	int64_t count = 0;

	if (file_log_prepare(copy, "SELECT seq, chain FROM entry ORDER BY seq DESC", &stmt) !=
	    SQLITE_OK)
		return 0;
	while (sqlite3_step(stmt) == SQLITE_ROW &&
	       !log_has(log, sqlite3_column_int64(stmt, 0),
			loom_str_make(sqlite3_column_blob(stmt, 1),
				      (size_t)sqlite3_column_bytes(stmt, 1))))
		count++;
	sqlite3_finalize(stmt);
	return count;
}

static bool judge(const struct file_log *log, const char *path, struct loom_arena *arena,
		  struct model_log_copy *out)
{
	struct file_log copy = {.watch = -1};
	bool is_one = open_copy(path, &copy) && loom_hash_eq(&copy.first, &log->first);

	if (is_one)
		*out = (struct model_log_copy){.path = loom_arena_str(arena, loom_str_of(path)),
					       .beyond = count_beyond(log, &copy)};
	file_log_shut(&copy);
	return is_one;
}

static void look(const struct file_log *log, DIR *dir, struct loom_arena *arena,
		 struct model_log_copy *out, size_t *count)
{
	const char *own = strrchr(log->path, '/') + 1;
	const struct loom_str stem = stem_of(loom_str_of(own));
	const size_t folder = (size_t)(own - log->path);
	const struct dirent *entry;

	LOOM_ASSERT(folder < sizeof log->path);
	while (*count < COPIES_MOST && (entry = readdir(dir)) != NULL) {
		const struct loom_str name = loom_str_of(entry->d_name);
		char path[PATH_MAX + sizeof entry->d_name];

		if (!loom_str_starts(name, stem) || loom_str_is(name, own) ||
		    loom_str_ends(name, LOOM_STR("-journal")))
			continue;
		snprintf(path, sizeof path, "%.*s%s", (int)folder, log->path, entry->d_name);
		*count += strlen(path) < PATH_MAX && judge(log, path, arena, &out[*count]);
	}
}

enum loom_status file_log_copies(void *ctx, struct loom_arena *arena, struct model_log_copy **out,
				 size_t *out_count, struct loom_err *err)
{
	struct file_log *log = ctx;
	char folder[PATH_MAX];
	DIR *dir;
	enum loom_status status = file_log_open(log, err);

	*out = LOOM_ARENA_ARRAY(arena, COPIES_MOST, struct model_log_copy);
	*out_count = 0;
	if (status != LOOM_OK)
		return status;
	snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(log->path, '/') - log->path) + 1,
		 log->path);
	dir = opendir(folder);
	if (dir) {
		look(log, dir, arena, *out, out_count);
		closedir(dir);
	}
	return LOOM_OK;
}
