/* A preloaded library that fails the n-th call of shim_calls.c, as fault.h says.
 *
 * An fd counts when it is a regular file or folder beneath LOOM_FAULT_UNDER, a path when the folder
 * it stands in is. */
#include "faults/fault.h"
#include "faults/shim.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Besides what the calls know: the process ends instead of making one. */
enum { DIE = -2 };

static struct fault_plan plan;
static int wanted = ENOSPC;

__attribute__((constructor)) static void begin(void)
{
	static const struct {
		const char *name;
		int meaning;
	} ERRORS[] = {
		{"ENOSPC", ENOSPC}, {"EIO", EIO},     {"EDQUOT", EDQUOT},   {"EROFS", EROFS},
		{"EMFILE", EMFILE}, {"EINTR", EINTR}, {"SHORT", SHIM_HALF}, {"KILL", DIE},
	};
	const char *name = getenv("LOOM_FAULT_ERROR");

	for (size_t i = 0; name && i < sizeof ERRORS / sizeof ERRORS[0]; i++)
		if (!strcmp(name, ERRORS[i].name))
			wanted = ERRORS[i].meaning;
	fault_plan_init(&plan);
}

static int verdict(void)
{
	if (!fault_due(&plan))
		return SHIM_GO_ON;
	if (wanted == DIE) {
		kill(getpid(), SIGKILL);
		pause();
	}
	return wanted;
}

int shim_due_fd(int fd)
{
	struct stat info;
	char path[PATH_MAX];

	if (!plan.state || fstat(fd, &info) != 0)
		return SHIM_GO_ON;
	if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
		return SHIM_GO_ON;
	return shim_path_of_fd(fd, path) && shim_is_beneath(path) ? verdict() : SHIM_GO_ON;
}

int shim_due_path(int dir, const char *name)
{
	char folder[PATH_MAX];

	if (!plan.state || !shim_folder_of(dir, name, folder))
		return SHIM_GO_ON;
	return shim_is_beneath(folder) ? verdict() : SHIM_GO_ON;
}

void shim_done(const struct shim_call *call)
{
	(void)call;
}
