/* A worker and its oracle in one small program, for testing the drivers: numbers appended to a
 * file, each acknowledged on fd 3 once it is there.
 *
 *   ledger work FILE [--early | --forgetful | --quits]
 *     --early acknowledges before it writes, --forgetful keeps every tenth number to itself,
 *     --quits ends at once with status 5
 *   ledger check FILE   every line of $LOOM_ACKED is in FILE, and FILE has only whole lines
 *   ledger save FILE    one careful replacement of FILE: new file, write, sync, rename;
 *                       acknowledged, though its folder is not synced
 *   ledger careless FILE   allocates, and never looks whether it got anything */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <loom/base/str.h>

#include "support/temp.h"

static bool put(int fd, const char *text)
{
	size_t n = strlen(text);

	return write(fd, text, n) == (ssize_t)n;
}

static int work(const char *path, const char *habit)
{
	bool early = !strcmp(habit, "--early");
	bool forgetful = !strcmp(habit, "--forgetful");
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0 || !strcmp(habit, "--quits"))
		return 5;
	for (int i = 0; i < 1000000; i++) {
		char line[64];

		(void)snprintf(line, sizeof line, "%d-%d\n", (int)getpid(), i);
		if (early && !put(3, line))
			return 6;
		if (early)
			usleep(2000);
		if (!(forgetful && i % 10 == 9) && (!put(fd, line) || fdatasync(fd) != 0))
			return 7;
		if (!early && !put(3, line))
			return 6;
		usleep(200);
	}
	close(fd);
	return 0;
}

/* Whether every line of `acked` is a line of `kept`. */
static int missing(struct loom_str acked, struct loom_str kept)
{
	struct loom_str line;
	int lost = 0;

	while (loom_str_line(&acked, &line)) {
		size_t at = loom_str_find(kept, line, 0);

		if (at == SIZE_MAX) {
			printf("lost: %.*s\n", LOOM_STR_ARG(line));
			lost++;
		}
	}
	return lost;
}

static int check(const char *path)
{
	struct loom_buf acked = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf kept = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *list = getenv("LOOM_ACKED");
	int lost = 1;

	if (list && temp_read(list, &acked) && temp_read(path, &kept))
		lost = missing(loom_buf_str(&acked), loom_buf_str(&kept));
	loom_buf_fini(&acked);
	loom_buf_fini(&kept);
	return lost ? 1 : 0;
}

static int save(const char *path)
{
	char part[4096];
	int fd = -1;
	bool fine = false;

	if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
		return 2;
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	fine = fd >= 0 && put(fd, "new, ") && put(fd, "whole\n") && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	fine = fine && rename(part, path) == 0;
	if (!fine) {
		fprintf(stderr, "cannot save %s: %s\n", path, strerror(errno));
		(void)unlink(part);
	}
	/* nobody need listen */
	(void)!(fine && put(3, "saved\n"));
	return fine ? 0 : 1;
}

static int careless(const char *path)
{
	size_t size = strlen(path) + 1;
	char *copy = malloc(size);

	/* the very carelessness that a sweep is to find */
	/* cppcheck-suppress nullPointerOutOfMemory */
	memcpy(copy, path, size); /* NOLINT */
	puts(copy);
	free(copy);
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";

	if (!strcmp(verb, "work"))
		return work(argv[2], argc > 3 ? argv[3] : "");
	if (!strcmp(verb, "check"))
		return check(argv[2]);
	if (!strcmp(verb, "save"))
		return save(argv[2]);
	if (!strcmp(verb, "careless"))
		return careless(argv[2]);
	fputs("usage: ledger work|check|save|careless FILE\n", stderr);
	return 2;
}
