/* Reads a file whole, or standard input line by line. Waits for pipes and terminals through the
 * call's loop, so that ^C works. */
#include <loom/cli/services.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/loop/loop.h>

#define READ_SIZE ((size_t)1 << 16)

struct loom_line_reader {
	struct loom_buf buf;
	size_t at;      /* start of the next line */
	size_t scanned; /* no line feed before this */
	bool end;       /* the input has ended */
};

static void on_ready(void *ctx, int fd, unsigned events)
{
	bool *ready = ctx;

	(void)fd;
	(void)events;
	*ready = true;
}

static enum loom_status interrupted(struct loom_err *err)
{
	return loom_fail(err, LOOM_CANCELLED, "interrupted");
}

static enum loom_status wait_readable(struct loom_cli *cli, int fd, struct loom_err *err)
{
	struct loom_loop *loop = loom_cli_loop(cli);
	bool ready = false;

	loom_cli_listen(cli);
	loom_loop_watch(loop, fd, LOOM_LOOP_READ, on_ready, &ready);
	while (!ready && !loom_task_cancelled(&cli->task))
		loom_loop_step(loop, -1);
	loom_loop_watch(loop, fd, 0, NULL, NULL);
	loom_cli_unlisten(cli);
	return loom_task_cancelled(&cli->task) ? interrupted(err) : LOOM_OK;
}

/* Reads what is available; *end is set at the end of the file. */
static enum loom_status read_some(struct loom_cli *cli, int fd, struct loom_buf *out, bool *end,
				  struct loom_err *err)
{
	char bytes[READ_SIZE];
	enum loom_status status = wait_readable(cli, fd, err);
	ssize_t n = status ? 0 : read(fd, bytes, sizeof bytes);

	if (status)
		return status;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return LOOM_OK;
	if (n < 0)
		return loom_fail(err, LOOM_IO, "reading: %s", strerror(errno));
	*end = n == 0;
	loom_buf_add(out, loom_str_make(bytes, (size_t)n));
	return LOOM_OK;
}

static enum loom_status open_file(const char *path, int *out_fd, struct loom_err *err)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return loom_fail_file(err, path, errno);
	if (fstat(fd, &info) == 0 &&
	    (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode))) {
		*out_fd = fd;
		return LOOM_OK;
	}
	close(fd);
	return loom_fail_file(err, path, EISDIR);
}

enum loom_status loom_cli_read(struct loom_cli *cli, const char *path, size_t max,
			       struct loom_buf *out, struct loom_err *err)
{
	bool is_stdin = !path || strcmp(path, "-") == 0;
	int fd = STDIN_FILENO;
	bool end = false;
	enum loom_status status = is_stdin ? LOOM_OK : open_file(path, &fd, err);

	loom_buf_init(out, max);
	if (status)
		return status;
	if (is_stdin && cli->input.p) {
		loom_buf_add(out, cli->input);
		end = true;
	}
	while (!status && !end && !out->bad)
		status = read_some(cli, fd, out, &end, err);
	if (!status && out->bad)
		status = loom_fail(err, LOOM_LIMIT, "%s is larger than %zu bytes",
				   is_stdin ? "standard input" : path, max);
	if (!is_stdin)
		close(fd);
	if (!status)
		cli_request_input(cli, is_stdin ? "-" : path, loom_buf_str(out));
	return status;
}

static struct loom_line_reader *reader_of(struct loom_cli *cli)
{
	if (!cli->reader) {
		cli->reader = loom_alloc(sizeof *cli->reader);
		loom_buf_init(&cli->reader->buf, LOOM_BUF_MAX);
	}
	return cli->reader;
}

void cli_reader_destroy(struct loom_line_reader *reader)
{
	if (!reader)
		return;
	loom_buf_fini(&reader->buf);
	free(reader);
}

/* Discards the lines already returned. */
static void drop_read(struct loom_line_reader *reader)
{
	size_t left = reader->buf.n - reader->at;

	if (!reader->at)
		return;
	memmove(reader->buf.p, reader->buf.p + reader->at, left);
	loom_buf_cut(&reader->buf, left);
	reader->scanned -= reader->at;
	reader->at = 0;
}

/* Takes a whole line from the buffer; the last line needs no line feed. */
static bool take_line(struct loom_line_reader *reader, struct loom_str *out)
{
	struct loom_str all = loom_buf_str(&reader->buf);
	size_t feed = loom_str_find_char(all, '\n', reader->scanned);

	if (feed == SIZE_MAX && !(reader->end && reader->at < all.n)) {
		reader->scanned = all.n;
		return false;
	}
	if (feed == SIZE_MAX)
		feed = all.n;
	*out = loom_str_sub(all, reader->at, feed - reader->at);
	reader->at = feed < all.n ? feed + 1 : all.n;
	reader->scanned = reader->at;
	return true;
}

enum loom_status loom_cli_line(struct loom_cli *cli, size_t max, struct loom_str *out, bool *end,
			       struct loom_err *err)
{
	struct loom_line_reader *reader = reader_of(cli);
	enum loom_status status = LOOM_OK;

	*end = false;
	if (cli->request)
		return loom_fail(err, LOOM_USAGE,
				 "loom %s: --op is for commands with a single answer",
				 cli->command->name);
	while (!take_line(reader, out)) {
		drop_read(reader);
		if (reader->end) {
			*end = true;
			return LOOM_OK;
		}
		if (reader->buf.n > max)
			break;
		status = read_some(cli, STDIN_FILENO, &reader->buf, &reader->end, err);
		if (status)
			return status;
	}
	if (reader->buf.n > max && (!reader->at || out->n > max))
		return loom_fail(err, LOOM_LIMIT, "a line is longer than %zu bytes", max);
	return LOOM_OK;
}
