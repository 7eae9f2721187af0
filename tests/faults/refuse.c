#include "faults/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statfs.h>

static struct {
	bool no_boot;
	bool no_locks;
	long file_system; /* what disks say they are, 0: what they are */
	bool armed;
	bool sticky;
	bool fired;
	int64_t at;
	int64_t calls;
	const struct refuse_how *how;
} plan;

static const struct refuse_how ways[] = {
	{SQLITE_FULL, 0, LOOM_FULL},
	{SQLITE_IOERR_WRITE, EIO, LOOM_IO},
	{SQLITE_NOMEM, 0, LOOM_FAULT},
	{SQLITE_BUSY, 0, LOOM_BUSY},
	{SQLITE_IOERR_WRITE, ENOSPC, LOOM_FULL},
	{SQLITE_CORRUPT, 0, LOOM_DAMAGED},
	{SQLITE_INTERRUPT, 0, LOOM_CANCELLED},
	{SQLITE_READONLY, 0, LOOM_READ_ONLY},
	{SQLITE_IOERR_WRITE, EDQUOT, LOOM_FULL},
	{SQLITE_PROTOCOL, 0, LOOM_BUSY},
	{SQLITE_TOOBIG, 0, LOOM_LIMIT},
	{SQLITE_IOERR_NOMEM, 0, LOOM_FAULT},
	{SQLITE_CANTOPEN, 0, LOOM_IO},
	{SQLITE_LOCKED, 0, LOOM_BUSY},
	{SQLITE_IOERR_WRITE, EFBIG, LOOM_FULL},
	{SQLITE_NOTADB, 0, LOOM_FOREIGN},
	{SQLITE_PERM, 0, LOOM_READ_ONLY},
	{SQLITE_AUTH, 0, LOOM_READ_ONLY},
	{SQLITE_MISUSE, 0, LOOM_FAULT},
};

int64_t refuse_ways(void)
{
	return (int64_t)(sizeof ways / sizeof ways[0]);
}

const struct refuse_how *refuse_how(int64_t n)
{
	return &ways[n % refuse_ways()];
}

void refuse_arm(int64_t at, const struct refuse_how *how, bool sticky)
{
	plan.armed = true;
	plan.sticky = sticky;
	plan.fired = false;
	plan.at = at;
	plan.calls = 0;
	plan.how = how;
}

bool refuse_disarm(void)
{
	plan.armed = false;
	return plan.fired;
}

void refuse_boot(bool refused)
{
	plan.no_boot = refused;
}

void refuse_locks(bool refused)
{
	plan.no_locks = refused;
}

void refuse_disk(long kind)
{
	plan.file_system = kind;
}

static bool due(void)
{
	if (!plan.armed)
		return false;
	plan.calls++;
	if (plan.calls != plan.at && !(plan.sticky && plan.calls > plan.at))
		return false;
	plan.fired = true;
	return true;
}

/* WRAP(result, name, parameters, arguments): fails when it is due. */
#define WRAP(name, parameters, arguments)                                                          \
	int __real_##name parameters;                                                              \
	int __wrap_##name parameters;                                                              \
	int __wrap_##name parameters                                                               \
	{                                                                                          \
		return due() ? plan.how->code : __real_##name arguments;                           \
	}

WRAP(sqlite3_step, (sqlite3_stmt * stmt), (stmt))
WRAP(sqlite3_prepare_v3,
     (sqlite3 * db, const char *sql, int n, unsigned flags, sqlite3_stmt **out, const char **tail),
     (db, sql, n, flags, out, tail))
WRAP(sqlite3_bind_int64, (sqlite3_stmt * stmt, int at, sqlite3_int64 value), (stmt, at, value))
WRAP(sqlite3_bind_null, (sqlite3_stmt * stmt, int at), (stmt, at))
WRAP(sqlite3_bind_text64,
     (sqlite3_stmt * stmt, int at, const char *text, sqlite3_uint64 n, void (*gone)(void *),
      unsigned char encoding),
     (stmt, at, text, n, gone, encoding))
WRAP(sqlite3_bind_blob64,
     (sqlite3_stmt * stmt, int at, const void *bytes, sqlite3_uint64 n, void (*gone)(void *)),
     (stmt, at, bytes, n, gone))

int __real_sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **),
			void *ctx, char **text);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **),
			void *ctx, char **text);

int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **),
			void *ctx, char **text)
{
	if (strcmp(sql, "ROLLBACK") != 0 && due())
		return plan.how->code;
	return __real_sqlite3_exec(db, sql, row, ctx, text);
}

int __real_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs);

/* Without memory there is no connection either to ask what went wrong. */
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs)
{
	bool refused = due();

	*out = NULL;
	if (refused && plan.how->code == SQLITE_NOMEM)
		return SQLITE_NOMEM;
	return refused ? (__real_sqlite3_open_v2(path, out, flags, vfs), plan.how->code)
		       : __real_sqlite3_open_v2(path, out, flags, vfs);
}

int __real_sqlite3_db_config(sqlite3 *db, int what, ...);
int __wrap_sqlite3_db_config(sqlite3 *db, int what, ...);

/* The house asks only for settings that take a number and where to say what holds. */
int __wrap_sqlite3_db_config(sqlite3 *db, int what, ...)
{
	va_list args;
	int on;
	int *now;

	va_start(args, what);
	on = va_arg(args, int);
	now = va_arg(args, int *);
	va_end(args);
	return due() ? plan.how->code : __real_sqlite3_db_config(db, what, on, now);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	if (plan.no_boot && strstr(path, "/boot_id")) {
		errno = ENOENT;
		return -1;
	}
	return __real_open(path, flags, mode);
}

int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);

int __wrap_flock(int fd, int how)
{
	errno = ENOLCK;
	return plan.no_locks ? -1 : __real_flock(fd, how);
}

int __real_statfs(const char *path, struct statfs *out);
int __wrap_statfs(const char *path, struct statfs *out);

int __wrap_statfs(const char *path, struct statfs *out)
{
	int failed = __real_statfs(path, out);

	if (plan.file_system)
		out->f_type = plan.file_system;
	return failed;
}

int __real_sqlite3_system_errno(sqlite3 *db);
int __wrap_sqlite3_system_errno(sqlite3 *db);

int __wrap_sqlite3_system_errno(sqlite3 *db)
{
	return plan.armed && plan.fired ? plan.how->system_error : __real_sqlite3_system_errno(db);
}
