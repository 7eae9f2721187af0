/* A plain main for a fuzz target: runs it over every file of the folders given, so that what was
 * ever found is looked at in each ordinary test run. Exit status 77 when there is nothing to run.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "support/temp.h"
#include "tests/fuzz/fuzz.h"

static size_t replay_file(const char *path)
{
	struct loom_buf content = LOOM_BUF_INIT(LOOM_BUF_MAX);
	uint8_t *exact = NULL;

	if (!temp_read(path, &content)) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	/* a block of exactly that size, so that a sanitizer sees a read behind its end */
	exact = loom_alloc(content.n ? content.n : 1);
	memcpy(exact, content.n ? content.p : "", content.n);
	printf("%s\n", path);
	fflush(stdout);
	(void)LLVMFuzzerTestOneInput(exact, content.n);
	free(exact);
	loom_buf_fini(&content);
	return 1;
}

static size_t replay_folder(const char *path)
{
	struct temp folder = {{0}};
	DIR *dir = opendir(path);
	size_t count = 0;

	if (snprintf(folder.path, sizeof folder.path, "%s", path) >= (int)sizeof folder.path)
		exit(1);
	for (struct dirent *entry = NULL; dir && (entry = readdir(dir));) {
		char *name = temp_path(&folder, entry->d_name);
		struct stat info = {0};

		if (stat(name, &info) == 0 && S_ISREG(info.st_mode))
			count += replay_file(name);
		free(name);
	}
	if (dir)
		closedir(dir);
	return count;
}

int main(int argc, char **argv)
{
	size_t count = 0;

	for (int i = 1; i < argc; i++)
		count += replay_folder(argv[i]);
	printf("%zu replayed\n", count);
	return count ? 0 : 77;
}
