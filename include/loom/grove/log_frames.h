/* The log beside a database, frame by frame, as SQLite counts it: what salvage reads and what is
 * asked before a log is replayed. */
#ifndef LOOM_FRAMES_IMPL_H
#define LOOM_FRAMES_IMPL_H

#include <loom/base/base.h>

struct model_frames {
	int fd;        /* borrowed */
	size_t size;   /* of a page */
	uint64_t from; /* where the first frame stands */
	uint64_t at;   /* where the next one does */
	uint64_t bytes;
	bool big; /* its sums are of big-endian words */
	uint32_t sum[2];
	uint8_t salt[8];
	uint8_t *room;
};

struct model_frame {
	uint32_t page;
	bool commit;         /* the last of a transaction */
	uint64_t at;         /* where the page stands in the file */
	const uint8_t *data; /* until the next frame is read */
};

/* False when the file does not begin as a log does; model_frames_close is needed either way.
 * `size` 0: what the log says of it. */
bool model_frames_open(struct model_frames *out, int fd, size_t size);
/* The descriptor stays the caller's. */
void model_frames_close(struct model_frames *frames);
/* False at the first frame whose sums are wrong, which is where SQLite stops too. What came before
 * counts up to the last commit. */
bool model_frames_next(struct model_frames *frames, struct model_frame *out);
/* How many frames of this log stand from here on, whatever their sums are. */
int64_t model_frames_rest(struct model_frames *frames);

/* As SQLite's files have numbers: the highest byte first. */
uint32_t model_be32(const uint8_t *p);
/* Whether a page may be so large. */
bool model_is_page_size(size_t size);

#endif
