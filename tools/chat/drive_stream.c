/* Lines in, answers out. Invariant: an answer goes out when what it says is durable. Commands that
 * wait already share a transaction, so that their rows cost one sync together; if it fails, each of
 * them is done again on its own, and answered for itself. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <loom/text/sanitise.h>

#include "drive_inside.h"

#define LINE_BYTES ((size_t)64 << 20) /* longer lines are cut, and refused as JSON */
#define READ_BYTES ((size_t)64 << 10)

/* Beyond these a group ends: others want to write, and the asker to hear. */
#define GROUP_LINES 64
#define GROUP_BYTES ((size_t)1 << 20)

/* ---- in ---- */

struct lines {
	int fd;
	struct loom_buf in;
	size_t at;      /* the first byte not given yet */
	size_t scanned; /* no line ends between the two */
	bool end;
	int error; /* errno */
};

static bool is_readable(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	return poll(&ready, 1, 0) == 1;
}

/* Keeps what was read; of a line that is too long already, only its end. */
static void take(struct lines *lines, struct loom_str bytes)
{
	if (lines->in.n - lines->at > LINE_BYTES) {
		size_t feed = loom_str_find_char(bytes, '\n', 0);

		bytes = loom_str_sub(bytes, feed < bytes.n ? feed : bytes.n, SIZE_MAX);
	}
	loom_buf_add(&lines->in, bytes);
}

/* Reads once, if need be waiting for it; false if nothing is there yet. */
static bool fetch(struct lines *lines, bool wait)
{
	char bytes[READ_BYTES];
	ssize_t n = 0;

	if (!wait && !is_readable(lines->fd))
		return false;
	do
		n = read(lines->fd, bytes, sizeof bytes);
	while (n < 0 && errno == EINTR);
	lines->error = n < 0 ? errno : 0;
	lines->end = n <= 0;
	if (lines->at) {
		memmove(lines->in.p, lines->in.p + lines->at, lines->in.n - lines->at);
		loom_buf_cut(&lines->in, lines->in.n - lines->at);
		lines->scanned -= lines->at;
		lines->at = 0;
	}
	if (n > 0)
		take(lines, loom_str_make(bytes, (size_t)n));
	return true;
}

/* Appends the next line with a LF; false if there is none, or without `wait` none yet. */
static bool next_line(struct lines *lines, bool wait, struct loom_buf *out)
{
	struct loom_str all = loom_buf_str(&lines->in);
	size_t feed = loom_str_find_char(all, '\n', lines->scanned);

	while (feed == SIZE_MAX) {
		lines->scanned = all.n;
		if (lines->end && lines->at == all.n)
			return false;
		if (lines->end)
			break;
		if (!fetch(lines, wait))
			return false;
		all = loom_buf_str(&lines->in);
		feed = loom_str_find_char(all, '\n', lines->scanned);
	}
	if (feed == SIZE_MAX)
		feed = all.n;
	loom_buf_add(out, loom_str_sub(all, lines->at, feed - lines->at));
	loom_buf_addc(out, '\n');
	lines->at = lines->scanned = feed < all.n ? feed + 1 : all.n;
	return true;
}

/* ---- a group ---- */

struct stream {
	struct loom_drive *drive;
	struct lines lines;
	struct loom_buf group; /* the commands' lines */
	struct loom_buf answers;
};

/* Does the command in the group that begins at `from`. */
static void answer_line(struct stream *stream, size_t from)
{
	struct loom_str line = loom_str_sub(loom_buf_str(&stream->group), from, SIZE_MAX);

	line = loom_str_sub(line, 0, loom_str_find_char(line, '\n', 0));
	loom_drive_line(stream->drive, line, &stream->answers);
}

static void answer_one_by_one(struct stream *stream)
{
	struct loom_str all = loom_buf_str(&stream->group);

	loom_buf_clear(&stream->answers);
	for (size_t at = 0; at < all.n; at = loom_str_find_char(all, '\n', at) + 1)
		answer_line(stream, at);
}

/* Answers the next line and those that wait behind it; false at the end. */
static bool answer_group(struct stream *stream)
{
	struct loom_err err = {0};
	size_t from = 0;

	loom_buf_clear(&stream->group);
	loom_buf_clear(&stream->answers);
	if (!next_line(&stream->lines, true, &stream->group))
		return false;
	loom_run_group_begin(stream->drive->run);
	for (size_t count = 1;; count++) {
		answer_line(stream, from);
		from = stream->group.n;
		if (count == GROUP_LINES || stream->group.n > GROUP_BYTES ||
		    stream->answers.n > GROUP_BYTES ||
		    !next_line(&stream->lines, false, &stream->group))
			break;
	}
	if (loom_run_group_end(stream->drive->run, &err))
		answer_one_by_one(stream);
	return true;
}

/* ---- out ---- */

static void show_lines(struct loom_str all, struct loom_buf *out)
{
	for (size_t at = 0; at < all.n;) {
		const size_t end = loom_str_find_char(all, '\n', at) + 1;

		loom_shown_json(out, loom_str_sub(all, at, end - at));
		at = end;
	}
}

enum loom_status loom_drive_stream(struct loom_drive *drive, int in, FILE *out,
				   struct loom_err *err)
{
	struct stream stream = {.drive = drive,
				.lines = {.fd = in, .in = LOOM_BUF_INIT(LOOM_BUF_MAX)},
				.group = LOOM_BUF_INIT(LOOM_BUF_MAX),
				.answers = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct loom_buf shown = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const bool terminal = fileno(out) >= 0 && isatty(fileno(out)) == 1;
	enum loom_status status = LOOM_OK;

	while (!status && answer_group(&stream)) {
		const struct loom_buf *said = terminal ? &shown : &stream.answers;

		loom_buf_clear(&shown);
		if (terminal)
			show_lines(loom_buf_str(&stream.answers), &shown);
		if (fwrite(said->p, 1, said->n, out) != said->n || fflush(out) != 0)
			status = loom_fail(err, LOOM_IO, "cannot write results: %s",
					   strerror(errno));
	}
	if (!status && stream.lines.error)
		status = loom_fail(err, LOOM_IO, "cannot read commands: %s",
				   strerror(stream.lines.error));
	loom_buf_fini(&stream.lines.in);
	loom_buf_fini(&stream.group);
	loom_buf_fini(&stream.answers);
	loom_buf_fini(&shown);
	return status;
}
