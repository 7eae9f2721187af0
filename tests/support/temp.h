/* A folder of a test's own, gone when the test is. */
#ifndef LOOM_TESTS_SUPPORT_TEMP_H
#define LOOM_TESTS_SUPPORT_TEMP_H

#include <loom/base/str.h>

struct temp {
	char path[200];
};

/* Makes an empty folder under $TMPDIR (or /tmp), mode 0700; the program ends when it cannot. */
void temp_init(struct temp *temp);
/* Removes the folder with all that is in it; links are removed, not followed. */
void temp_fini(struct temp *temp);

/* "FOLDER/name", as a C string that the caller frees. */
char *temp_path(const struct temp *temp, const char *name) LOOM_MUST;
/* Writes a file below the folder, making the folders on the way; ends the program on failure. */
void temp_write(const struct temp *temp, const char *name, struct loom_str content);
/* Writes a file with a mode: private settings, a program. */
void temp_write_mode(const struct temp *temp, const char *name, struct loom_str content,
		     unsigned mode);
/* Writes a file by its full path, in an existing folder. */
void temp_put(const char *path, struct loom_str content);
/* Reads a whole file, at most 64 MiB; false when it cannot be opened or read. */
bool temp_read(const char *path, struct loom_buf *out) LOOM_MUST;

#endif
