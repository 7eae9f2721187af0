/* Temporary folders. A test that cannot have one cannot say anything: such failures end it. */
#include "support/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static void give_up(const char *what, const char *path)
{
	fprintf(stderr, "test support: cannot %s %s: %s\n", what, path, strerror(errno));
	exit(99);
}

void temp_init(struct temp *temp)
{
	const char *base = getenv("TMPDIR");
	int n = 0;

	n = snprintf(temp->path, sizeof temp->path, "%s/loom-test-XXXXXX",
		     base && base[0] ? base : "/tmp");
	if (n < 0 || (size_t)n >= sizeof temp->path || !mkdtemp(temp->path))
		give_up("make", temp->path);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	(void)info;
	(void)walk;
	return type == FTW_DP || type == FTW_DNR ? rmdir(path) : unlink(path);
}

void temp_fini(struct temp *temp)
{
	if (temp->path[0])
		(void)nftw(temp->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	temp->path[0] = '\0';
}

char *temp_path(const struct temp *temp, const char *name)
{
	size_t size = strlen(temp->path) + strlen(name) + 2;
	char *path = loom_alloc(size);

	(void)snprintf(path, size, "%s/%s", temp->path, name);
	return path;
}

static void make_folders(char *path, size_t from)
{
	for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			give_up("make", path);
		*slash = '/';
	}
}

void temp_write(const struct temp *temp, const char *name, struct loom_str content)
{
	char *path = temp_path(temp, name);

	make_folders(path, strlen(temp->path) + 1);
	temp_put(path, content);
	free(path);
}

void temp_write_mode(const struct temp *temp, const char *name, struct loom_str content,
		     unsigned mode)
{
	char *path = temp_path(temp, name);

	temp_write(temp, name, content);
	if (chmod(path, (mode_t)mode) != 0)
		give_up("chmod", path);
	free(path);
}

void temp_put(const char *path, struct loom_str content)
{
	FILE *file = fopen(path, "we");

	if (!file)
		give_up("open", path);
	else if (fwrite(content.p ? content.p : "", 1, content.n, file) != content.n ||
		 fclose(file) != 0)
		give_up("write", path);
}

bool temp_read(const char *path, struct loom_buf *out)
{
	char chunk[16384];
	ssize_t n = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	loom_buf_init(out, (size_t)64 << 20);
	while ((n = read(fd, chunk, sizeof chunk)) > 0)
		loom_buf_add(out, loom_str_make(chunk, (size_t)n));
	close(fd);
	return n == 0 && out->bad == LOOM_OK;
}
