/* The room of the generation before last, for the next one.
 *
 * A long store file is replaced as a whole at every change: its pages and blocks are found anew,
 * those of the oldest backup given back, and the journal told of both, which takes longer than the
 * writing. So the backup that a newer one replaces is kept under a name of its own and written over
 * by the next change.
 *
 * Invariants: only a file that nobody has open is written over, and under a name that nobody else
 * knows, so that who still reads an old generation reads it to its end as it was; neither the file
 * nor its backup is ever without a whole text. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/system.h>

/* Whether the file is ours, plain, of this one name, and open nowhere else. */
static bool is_alone(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_uid != geteuid())
		return false;
	/* A lease to write is given to the only one who has a file open. Nobody waits for us: it is
	 * given back at once, and should somebody ask just then, nobody is killed for it. */
	if (fcntl(fd, F_SETSIG, SIGURG) < 0 || fcntl(fd, F_SETLEASE, F_WRLCK) < 0)
		return false;
	(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	return true;
}

int model_leslie_spare_take(int folder, const char *spare, const char *temp)
{
	int fd = -1;

	if (model_rename_new(folder, spare, temp) < 0)
		return -1;
	fd = openat(folder, temp, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && is_alone(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	unlinkat(folder, temp, 0);
	return -1;
}

bool model_leslie_spare_keep(int folder, const char *old, const char *backup, const char *spare)
{
	if (model_rename_swap(folder, old, backup) == 0) {
		/* `old` is the backup before now. */
		if (renameat(folder, old, folder, spare) < 0)
			unlinkat(folder, old, 0);
		return true;
	}
	return renameat(folder, old, folder, backup) == 0;
}
