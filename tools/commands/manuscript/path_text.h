/* The text of a path as one, and which passage stands where in it. */
#ifndef MANUSCRIPT_PATH_TEXT_H
#define MANUSCRIPT_PATH_TEXT_H

#include <loom/cli/open_grove.h>

struct path_text {
	struct loom_nodes path; /* up to what is pruned */
	struct loom_str text;
	size_t *begins; /* of each passage */
};
/* Reads the path to a spot, with the store of the caller's thread; in the call's arena. */
enum loom_status manuscript_read(struct cli_grove *grove, struct loom_store *store,
				 const struct cli_spot *tip, struct path_text *out,
				 struct loom_err *err) LOOM_MUST;
/* Where a passage ends. */
size_t manuscript_end(const struct path_text *path, size_t passage);
/* The passage that has the byte at `at`, starting to look at `passage`. */
size_t manuscript_passage(const struct path_text *path, size_t at, size_t passage);
/* How many characters of its passage precede the byte at `at`. */
int64_t manuscript_chars(const struct path_text *path, size_t passage, size_t at);

#endif
