/* The words of machines beside a log in a file: a folder with a file for each of them, for in the
 * log itself every word would be a change that a synchronising program carries around. How old one
 * is, the clock of the file system says, which all of them share. */
#include "file_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <loom/files/state_file.h>

bool file_log_company(const struct file_log *log, char out[PATH_MAX])
{
	return snprintf(out, PATH_MAX, "%s" FILE_LOG_COMPANY, log->path) < PATH_MAX;
}

static bool name_file(const struct file_log *log, const char *more, char out[PATH_MAX])
{
	return snprintf(out, PATH_MAX, "%s" FILE_LOG_COMPANY "/%s%s", log->path, log->machine,
			more) < PATH_MAX;
}

/* A word has the rights of the log. */
static mode_t mode_of(const struct file_log *log)
{
	struct stat info;

	return stat(log->path, &info) == 0 ? info.st_mode & 0666 : 0600;
}

static bool write_all(int fd, struct loom_str word)
{
	while (word.n) {
		const ssize_t n = write(fd, word.p, word.n);

		if (n <= 0)
			return false;
		word = loom_str_sub(word, (size_t)n, word.n);
	}
	return true;
}

enum loom_status file_log_say(void *ctx, struct loom_str word, struct loom_err *err)
{
	struct file_log *log = ctx;
	const mode_t mode = mode_of(log);
	char folder[PATH_MAX];
	char part[PATH_MAX];
	char file[PATH_MAX];
	bool said = false;
	int fd = -1;

	if (!log->machine[0] || !file_log_company(log, folder) || !name_file(log, ".part", part) ||
	    !name_file(log, "", file))
		return LOOM_OK;
	if (!word.n) {
		(void)unlink(file);
		(void)rmdir(folder); /* if it was the last one */
		return LOOM_OK;
	}
	if (mkdir(folder, 0700) == 0)
		(void)chmod(folder, mode | ((mode & 0444) >> 2));
	(void)unlink(part);
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	said = fd >= 0 && fchmod(fd, mode) == 0 && write_all(fd, word) && rename(part, file) == 0;
	if (!said)
		loom_fail_errno(err, errno, "cannot write %s", file);
	if (fd >= 0)
		close(fd);
	return said ? LOOM_OK : err ? err->status : LOOM_IO;
}

static int64_t ms_of(const struct timespec *at)
{
	return (int64_t)at->tv_sec * 1000 + at->tv_nsec / 1000000;
}

/* Now, as the file system's clock has it, which a new file is stamped with. */
static int64_t now_there(const struct file_log *log)
{
	char file[PATH_MAX];
	struct timespec now;
	struct stat info;
	int fd = -1;

	clock_gettime(CLOCK_REALTIME, &now);
	if (name_file(log, ".now", file)) {
		(void)unlink(file);
		fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	}
	if (fd >= 0 && write(fd, "", 1) == 1 && fstat(fd, &info) == 0)
		now = info.st_mtim;
	if (fd >= 0) {
		close(fd);
		(void)unlink(file);
	}
	return ms_of(&now);
}

bool file_log_is_machine(const char *name)
{
	const size_t n = strspn(name, "0123456789abcdef");

	return n == REMOTE_MACHINE && !name[n];
}

static void read_word(int folder, const char *name, int64_t now, model_word_fn *each, void *ctx)
{
	const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text = NULL;
	struct stat info;
	ssize_t n = 0;

	LOOM_ASSERT(file_log_is_machine(name));
	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
	    info.st_size <= (off_t)MODEL_WORD_MAX) {
		text = loom_alloc((size_t)info.st_size);
		n = read(fd, text, (size_t)info.st_size);
	}
	if (n > 0) {
		const int64_t at = ms_of(&info.st_mtim);

		each(ctx, &(struct model_word){.machine = loom_str_of(name),
					       .says = loom_str_make(text, (size_t)n),
					       .age = now > at ? now - at : 0});
	}
	free(text);
	close(fd);
}

enum loom_status file_log_others(void *ctx, model_word_fn *each, void *each_ctx,
				 struct loom_err *err)
{
	const struct file_log *log = ctx;
	int64_t now = -1; /* asked for once there is somebody */
	char folder[PATH_MAX];
	const struct dirent *entry;
	DIR *dir = file_log_company(log, folder) ? opendir(folder) : NULL;

	if (!dir)
		return errno == ENOENT ? LOOM_OK
				       : loom_fail_errno(err, errno, "cannot look into %s", folder);
	while ((entry = readdir(dir)) != NULL)
		if (file_log_is_machine(entry->d_name) &&
		    strcmp(entry->d_name, log->machine) != 0) {
			now = now < 0 ? now_there(log) : now;
			read_word(dirfd(dir), entry->d_name, now, each, each_ctx);
		}
	closedir(dir);
	return LOOM_OK;
}
