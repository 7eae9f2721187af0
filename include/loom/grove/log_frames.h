/* The log beside a database, read frame by frame as SQLite does: for salvage, and for checks before
 * a log is replayed. */
#ifndef LOOM_FRAMES_IMPL_H
#define LOOM_FRAMES_IMPL_H

#include <loom/base/base.h>

struct model_frames {
	int fd;        /* borrowed */
	size_t size;   /* of a page */
	uint64_t from; /* offset of the first frame */
	uint64_t at;   /* offset of the next frame */
	uint64_t bytes;
	bool big; /* checksums use big-endian words */
	uint32_t sum[2];
	uint8_t salt[8];
	uint8_t *room;
};

struct model_frame {
	uint32_t page;
	bool commit;         /* ends a transaction */
	uint64_t at;         /* offset of the page in the file */
	const uint8_t *data; /* valid until the next frame is read */
};

/* Opens a log. False if the file does not begin like one; call model_frames_close either way. With
 * `size` 0 the log's own page size is used. */
bool model_frames_open(struct model_frames *out, int fd, size_t size);
/* Frees the reader; the descriptor remains the caller's. */
void model_frames_close(struct model_frames *frames);
/* Reads the next frame. False at the first wrong checksum, where SQLite stops as well; earlier
 * frames count up to the last commit. */
bool model_frames_next(struct model_frames *frames, struct model_frame *out);
/* Counts this log's remaining frames, whatever their checksums. */
int64_t model_frames_rest(struct model_frames *frames);

/* Reads a big-endian number, as in SQLite's files. */
uint32_t model_be32(const uint8_t *p);
/* Returns whether `size` is a valid page size. */
bool model_is_page_size(size_t size);

#endif
