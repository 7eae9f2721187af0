/* Reads the log beside a database frame by frame.
 *
 * A frame counts if its checksums are right and a commit follows it; nothing counts after the first
 * wrong checksum. SQLite holds no locks on the log, so plain opens and closes are safe. */
#include <loom/grove/log_frames.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_HEAD   32
#define FRAME_HEAD 24
#define LOG_MAGIC  0x377f0682u

uint32_t model_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool model_is_page_size(size_t size)
{
	return size >= 512 && size <= 65536 && (size & (size - 1)) == 0;
}

static uint32_t word(const struct model_frames *frames, const uint8_t *p)
{
	return frames->big
		       ? model_be32(p)
		       : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static void add_sum(struct model_frames *frames, const uint8_t *p, size_t n)
{
	LOOM_ASSERT(n % 8 == 0);
	for (size_t i = 0; i + 8 <= n; i += 8) {
		frames->sum[0] += word(frames, p + i) + frames->sum[1];
		frames->sum[1] += word(frames, p + i + 4) + frames->sum[0];
	}
}

static bool read_at(int fd, void *out, size_t n, uint64_t at)
{
	return pread(fd, out, n, (off_t)at) == (ssize_t)n;
}

static bool sum_is(const struct model_frames *frames, const uint8_t *kept)
{
	return frames->sum[0] == model_be32(kept) && frames->sum[1] == model_be32(kept + 4);
}

bool model_frames_open(struct model_frames *out, int fd, size_t size)
{
	uint8_t head[LOG_HEAD];
	struct stat info;
	uint32_t magic = 0;

	*out = (struct model_frames){.fd = fd, .size = size, .from = LOG_HEAD, .at = LOG_HEAD};
	if (fd < 0 || fstat(fd, &info) != 0 || info.st_size <= LOG_HEAD ||
	    !read_at(fd, head, sizeof head, 0))
		return false;
	out->bytes = (uint64_t)info.st_size;
	if (!size)
		out->size = model_be32(head + 8);
	if (!model_is_page_size(out->size))
		return false;
	magic = model_be32(head);
	LOOM_ASSERT(model_is_page_size(out->size));
	out->room = loom_alloc(FRAME_HEAD + out->size);
	out->big = magic & 1;
	memcpy(out->salt, head + 16, sizeof out->salt);
	add_sum(out, head, 24);
	return (magic & ~1u) == LOG_MAGIC && sum_is(out, head + 24);
}

void model_frames_close(struct model_frames *frames)
{
	free(frames->room);
	frames->room = NULL;
}

bool model_frames_next(struct model_frames *frames, struct model_frame *out)
{
	const size_t step = FRAME_HEAD + frames->size;
	uint8_t *frame = frames->room;

	LOOM_ASSERT(frame && frames->at >= LOG_HEAD);
	if (frames->at + step > frames->bytes || !read_at(frames->fd, frame, step, frames->at))
		return false;
	add_sum(frames, frame, 8);
	add_sum(frames, frame + FRAME_HEAD, frames->size);
	if (memcmp(frame + 8, frames->salt, sizeof frames->salt) != 0 ||
	    !sum_is(frames, frame + 16) || !model_be32(frame))
		return false;
	*out = (struct model_frame){.page = model_be32(frame),
				    .commit = model_be32(frame + 4) != 0,
				    .at = frames->at + FRAME_HEAD,
				    .data = frame + FRAME_HEAD};
	frames->at += step;
	LOOM_ASSERT(frames->at <= frames->bytes);
	return true;
}

int64_t model_frames_rest(struct model_frames *frames)
{
	const size_t step = FRAME_HEAD + frames->size;
	int64_t count = 0;

	for (uint64_t at = frames->at; frames->room && at + FRAME_HEAD < frames->bytes; at += step)
		if (read_at(frames->fd, frames->room, FRAME_HEAD, at))
			count += memcmp(frames->room + 8, frames->salt, 8) == 0;
	return count;
}
