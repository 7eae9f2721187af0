/* Finds who has a grove open, through SQLite's own lock, which every program of any version holds
 * while it is open. Not for a process that has the grove open itself. */
#include <loom/grove/sql.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/presence.h>

/* SQLite's unix layer: a shared lock held by all who have the shared memory open. */
#define OPEN_LOCK_AT  128
#define HOLDERS_NAMED 8

static struct flock open_lock(short type)
{
	return (struct flock){.l_type = type,
			      .l_whence = SEEK_SET,
			      .l_start = OPEN_LOCK_AT,
			      .l_len = 1};
}

/* Appends the program's name as the system knows it. */
static void add_holder(struct loom_buf *out, long pid, const struct loom_presence *here,
		       size_t count)
{
	char path[64];
	char name[64] = "";
	ssize_t n = -1;
	int fd;

	LOOM_ASSERT(here || !count);
	snprintf(path, sizeof path, "/proc/%ld/comm", pid);
	fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0)
		n = read(fd, name, sizeof name - 1);
	if (fd >= 0)
		close(fd);
	if (out->n)
		loom_buf_adds(out, ", ");
	if (n > 0)
		loom_buf_addf(out, "%.*s (pid %ld",
			      LOOM_STR_ARG(loom_str_trim(loom_str_make(name, (size_t)n))), pid);
	else if (pid > 0)
		loom_buf_addf(out, "pid %ld", pid);
	else
		loom_buf_adds(out, "a program that is not visible from here");
	for (size_t i = 0; n > 0 && i < count; i++)
		if (here[i].pid == pid)
			loom_buf_addf(out, ", %.*s", LOOM_STR_ARG(here[i].agent));
	if (n > 0)
		loom_buf_addc(out, ')');
}

/* Reads the system's list of locks, which has all holders; a query on the lock itself returns only
 * one. */
static size_t list_pids(uint64_t inode, long *pids, size_t most)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	size_t count = 0;

	LOOM_ASSERT(pids && most > 0);
	while (locks && count < most && fgets(line, sizeof line, locks)) {
		unsigned long long number = 0;
		unsigned long long from = 0;
		char until[32] = "";
		long pid = 0;
		bool known = false;

		if (sscanf(line, "%*d: POSIX %*s %*s %ld %*x:%*x:%llu %llu %31s", &pid, &number,
			   &from, until) != 4 ||
		    number != inode || from > OPEN_LOCK_AT || pid <= 0 ||
		    (strcmp(until, "EOF") != 0 && strtoull(until, NULL, 10) < OPEN_LOCK_AT))
			continue;
		for (size_t i = 0; i < count; i++)
			known |= pids[i] == pid;
		if (!known)
			pids[count++] = pid;
	}
	if (locks)
		fclose(locks);
	LOOM_ASSERT(count <= most);
	return count;
}

static enum loom_status name_holders(struct loom_store *store, int fd, long first,
				     struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf names = LOOM_BUF_INIT(512);
	struct loom_presence *here = NULL;
	struct stat info;
	size_t present = 0;
	long pids[HOLDERS_NAMED];
	size_t count = 0;

	if (loom_presence_list(store, NULL, arena, &here, &present, NULL) != LOOM_OK)
		present = 0;
	if (fstat(fd, &info) == 0)
		count = list_pids((uint64_t)info.st_ino, pids, HOLDERS_NAMED);
	if (!count)
		pids[count++] = first;
	LOOM_ASSERT(count > 0 && count <= HOLDERS_NAMED);
	for (size_t i = 0; i < count; i++)
		add_holder(&names, pids[i], here, present);
	loom_fail(err, LOOM_BUSY, "the grove is open in %s; nothing was changed",
		  loom_buf_cstr(&names));
	loom_buf_fini(&names);
	loom_arena_destroy(arena);
	return loom_hint(err, LOOM_BUSY, "end %s and try again",
			 loom_plural((int64_t)count, "that program", "those programs"));
}

static int open_shared(struct loom_store *store, int flags)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof path, "%s-shm", loom_buf_cstr(&store->file));
	return open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

enum loom_status model_refuse_open(struct loom_store *store, struct loom_err *err)
{
	struct flock lock = open_lock(F_WRLCK);
	int fd = open_shared(store, 0);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(!store->db);
	if (fd < 0)
		return errno == ENOENT ? LOOM_OK
				       : loom_fail_errno(err, errno, "cannot tell who has %s open",
							 loom_buf_cstr(&store->file));
	if (fcntl(fd, F_GETLK, &lock) != 0)
		status = loom_fail_errno(err, errno, "cannot tell who has %s open",
					 loom_buf_cstr(&store->file));
	else if (lock.l_type != F_UNLCK)
		status = name_holders(store, fd, (long)lock.l_pid, err);
	close(fd);
	return status;
}

enum loom_status model_keep_shut(struct loom_store *store, int *out_fd, struct loom_err *err)
{
	struct flock lock = open_lock(F_WRLCK);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(!store->db);
	*out_fd = open_shared(store, O_CREAT);
	if (*out_fd < 0)
		return loom_fail_errno(err, errno, "%s-shm", loom_buf_cstr(&store->file));
	model_fit_file(store, *out_fd);
	if (fcntl(*out_fd, F_OFD_SETLK, &lock) == 0)
		return LOOM_OK;
	status = name_holders(store, *out_fd, 0, err);
	close(*out_fd);
	*out_fd = -1;
	return status;
}
