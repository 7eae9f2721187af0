/* A preloaded library that ends the process when it changes a grove's database while nobody holds
 * the grove's writer lock. In the mode that the store uses only a checkpoint writes there, at a
 * commit, at a close or when asked; one that runs beside a writer who begins the log anew is what
 * SQLite before 3.51.3 may lose rows by, and the lock is what rules it out. */
#include "faults/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DATABASE "/grove.db"

/* Whether anybody, this process included, holds the lock that lies beside the database. */
static bool is_held(const char *database)
{
	char path[PATH_MAX];
	size_t folder = strlen(database) - strlen(DATABASE);
	bool held = false;
	int fd = -1;

	if (snprintf(path, sizeof path, "%.*s/lock", (int)folder, database) >= PATH_MAX)
		return false;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	held = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return held;
}

int shim_due_fd(int fd)
{
	char path[PATH_MAX];
	int kept = errno;
	size_t n;

	if (!shim_path_of_fd(fd, path))
		return SHIM_GO_ON;
	n = strlen(path);
	if (n > strlen(DATABASE) && !strcmp(path + n - strlen(DATABASE), DATABASE) &&
	    !is_held(path)) {
		(void)!fprintf(stderr, "checkpoint: %s is written without its lock\n", path);
		abort();
	}
	errno = kept;
	return SHIM_GO_ON;
}

int shim_due_path(int dir, const char *name)
{
	(void)dir;
	(void)name;
	return SHIM_GO_ON;
}

void shim_done(const struct shim_call *call)
{
	(void)call;
}
