/* A preloaded library that notes every call of shim_calls.c that changed something beneath
 * LOOM_FAULT_UNDER, in the file LOOM_RECORD, in the order in which they were done (record.h). What
 * is written to descriptor 3 is noted as an acknowledgement between them. SQLite's shared memory is
 * left out: it is made anew by whoever opens a store after a power cut. */
#include "faults/record.h"
#include "faults/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ACKS = 3, LOG_LOWEST = 400 };

static int log_fd = -1;

/* By number: open() and the rest are what this library stands in for. */
__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("LOOM_RECORD");
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path,
				     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
		      : -1;

	/* out of the way of numbers that a program counts on */
	log_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, LOG_LOWEST);
	if (fd >= 0)
		close(fd);
}

int shim_due_fd(int fd)
{
	(void)fd;
	return SHIM_GO_ON;
}

int shim_due_path(int dir, const char *name)
{
	(void)dir;
	(void)name;
	return SHIM_GO_ON;
}

/* What is left of a path behind the folder; NULL when it is not beneath it, or not of interest. */
static const char *relative(const char *path)
{
	const char *under = getenv("LOOM_FAULT_UNDER");
	size_t n = under ? strlen(under) : 0;
	size_t all = strlen(path);

	if (!under || !shim_is_beneath(path) || (all > 4 && !strcmp(path + all - 4, "-shm")))
		return NULL;
	return path[n] == '/' ? path + n + 1 : path + n;
}

/* "folder/last part of the name" */
static bool path_of_name(int dir, const char *name, char path[PATH_MAX])
{
	const char *last = strrchr(name, '/');
	size_t n = 0;

	if (!shim_folder_of(dir, name, path))
		return false;
	n = strlen(path);
	last = last ? last + 1 : name;
	if (n + strlen(last) + 2 > PATH_MAX)
		return false;
	path[n++] = '/';
	memcpy(path + n, last, strlen(last) + 1);
	return true;
}

static void note(struct record_head *head, const char *path, const char *to, const void *bytes)
{
	struct iovec parts[4] = {{head, sizeof *head}};
	int count = 1;

	head->path = path ? (uint32_t)strlen(path) : 0;
	head->to = to ? (uint32_t)strlen(to) : 0;
	union {
		const void *given;
		void *wanted;
	} text[3] = {{path}, {to}, {bytes}};
	const size_t sizes[3] = {head->path, head->to, head->bytes};

	for (int i = 0; i < 3; i++)
		if (sizes[i])
			parts[count++] = (struct iovec){text[i].wanted, sizes[i]};
	(void)syscall(SYS_writev, log_fd, parts, count);
}

static void note_fd(const struct shim_call *call)
{
	struct record_head head = {.kind = call->kind, .at = call->at, .bytes = (uint32_t)call->n};
	char path[PATH_MAX];
	const char *shown = NULL;
	struct stat info;

	if (call->kind == SHIM_WROTE && call->fd == ACKS) {
		head.kind = RECORD_ACK;
		note(&head, NULL, NULL, call->bytes);
		return;
	}
	if (fstat(call->fd, &info) != 0 || !shim_path_of_fd(call->fd, path))
		return;
	shown = relative(path);
	if (!shown || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
		return;
	head.file = S_ISREG(info.st_mode) ? info.st_ino : 0;
	if (call->kind == SHIM_WROTE && call->at < 0)
		head.at = lseek(call->fd, 0, SEEK_CUR) - (int64_t)call->n;
	/* a file without a name has none in the folder either */
	note(&head, info.st_nlink || !head.file ? shown : "", NULL, call->bytes);
}

static void note_names(const struct shim_call *call)
{
	struct record_head head = {.kind = call->kind};
	char path[PATH_MAX] = "";
	char to[PATH_MAX] = "";
	const char *from_shown = NULL;
	const char *to_shown = NULL;
	struct stat info;

	if (call->name && path_of_name(call->dir, call->name, path))
		from_shown = relative(path);
	if (call->to && path_of_name(call->to_dir, call->to, to))
		to_shown = relative(to);
	if (to_shown && stat(to, &info) == 0 && S_ISREG(info.st_mode))
		head.file = info.st_ino;
	if (from_shown || to_shown)
		note(&head, from_shown, to_shown, NULL);
}

void shim_done(const struct shim_call *call)
{
	int kept = errno;

	if (log_fd >= 0 && call->fd >= 0)
		note_fd(call);
	else if (log_fd >= 0)
		note_names(call);
	errno = kept;
}
