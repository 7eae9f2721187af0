/* The shared log in a file, for the two files that are about it. */
#ifndef REMOTE_FILE_LOG_H
#define REMOTE_FILE_LOG_H

#include "inside.h"

#include <limits.h>

#define FILE_LOG_ID 0x4C4F4F47 /* its application_id */

struct file_log {
	sqlite3 *db; /* NULL: not open */
	char path[PATH_MAX];
	dev_t device;
	ino_t inode;
	struct loom_hash first; /* the chain before all entries: the log's own id */
	int watch;              /* inotify on its folder, -1: none */
	int company;            /* the same, on that of the words of machines */
	char machine[REMOTE_MACHINE + 1];
};

/* Opens the file at the path, unless it is the one that is open. */
enum loom_status file_log_open(struct file_log *log, struct loom_err *err) LOOM_MUST;
/* Closes the file if it is open. */
void file_log_shut(struct file_log *log);
/* Applies our settings to a connection; an SQLite code. */
int file_log_configure(sqlite3 *db);
/* Reads the id of the open file: whose log it is. LOOM_FOREIGN if it is none. */
enum loom_status file_log_read_id(struct file_log *log, struct loom_err *err) LOOM_MUST;
/* Says an SQLite code in words. */
enum loom_status file_log_fail(const struct file_log *log, int code,
			       struct loom_err *err) LOOM_MUST;
/* Prepares a statement; an SQLite code. */
int file_log_prepare(const struct file_log *log, const char *sql, sqlite3_stmt **out);
/* Steps a statement once unless `code` is a failure, and finalizes it. */
int file_log_finish(sqlite3_stmt *stmt, int code);

/* --- file_found.c: the engine's part about first and later states --- */
enum loom_status file_log_may_found(void *ctx, struct loom_err *err);
enum loom_status file_log_found(void *ctx, const char *snapshot, const struct loom_hash *id,
				struct loom_err *err);
enum loom_status file_log_fetch(void *ctx, const char *to, struct model_mark *out,
				struct loom_err *err);

/* --- file_copies.c --- */
enum loom_status file_log_copies(void *ctx, struct loom_arena *arena, struct model_log_copy **out,
				 size_t *out_count, struct loom_err *err);

/* --- file_company.c --- */
#define FILE_LOG_COMPANY "-here" /* behind the name of the log: a folder with words */
/* Gives that folder; false if its name is too long. */
bool file_log_company(const struct file_log *log, char out[PATH_MAX]) LOOM_MUST;
/* Returns whether a file there has the name of a machine. */
bool file_log_is_machine(const char *name);
enum loom_status file_log_say(void *ctx, struct loom_str word, struct loom_err *err);
enum loom_status file_log_others(void *ctx, model_word_fn *each, void *each_ctx,
				 struct loom_err *err);

#endif
