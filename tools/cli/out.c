/* Implements output. All text for people passes through emit_shown. Only this file writes terminal
 * sequences (colour, erasing the progress line), and only to a terminal. */
#include <loom/cli/results.h>

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>

#define FLUSH_AT ((size_t)1 << 16)

/* Output that is held back, in order. */
struct held_run {
	struct stream *stream;
	size_t end; /* in `text` */
};
struct held {
	bool on;
	struct loom_buf text;
	struct held_run *runs;
	size_t count;
	size_t cap;
};

struct stream {
	struct held *held; /* of both streams */
	int fd;
	bool terminal;
	bool able; /* a terminal that can erase a line */
	bool color;
	bool closed; /* the reader has gone */
	int failed;  /* errno of the first write that failed, else 0 */
	struct loom_buf pending;
};

struct loom_out {
	struct stream results;
	struct stream notes;
	struct held held;
	bool json;
	bool raw;
	bool progress_stands;
	struct loom_buf *copy;    /* gets the results as well; NULL: nobody wants them */
	struct loom_pages *pages; /* a document may be as large as an import */
	struct loom_buf document;
	struct loom_json emitter;
};

/* Whether the terminal understands our few sequences. */
static bool is_able(const struct loom_env *env)
{
	const char *term = env ? loom_env_var(env, "TERM") : NULL;

	return term && strcmp(term, "dumb") != 0;
}

static void stream_init(struct stream *stream, int fd, const struct loom_env *env)
{
	stream->fd = fd;
	stream->terminal = isatty(fd) == 1;
	stream->able = stream->terminal && is_able(env);
	stream->color = stream->able && !loom_env_var(env, "NO_COLOR");
	loom_buf_init(&stream->pending, LOOM_BUF_MAX);
}

struct loom_out *loom_out_create(const struct loom_out_opts *opts)
{
	struct loom_out *out = loom_alloc(sizeof *out);

	stream_init(&out->results, opts->out_fd, opts->env);
	stream_init(&out->notes, opts->err_fd, opts->env);
	out->results.held = out->notes.held = &out->held;
	loom_buf_init(&out->held.text, SIZE_MAX / 4);
	out->json = opts->json;
	out->raw = opts->raw;
	out->pages = loom_pages_create(opts->env ? loom_env_var(opts->env, "TMPDIR") : NULL,
				       LOOM_PAGES_RESIDENT);
	loom_buf_init_on(&out->document, LOOM_BUF_MAX, out->pages);
	return out;
}

void loom_out_destroy(struct loom_out *out)
{
	if (!out)
		return;
	loom_buf_fini(&out->results.pending);
	loom_buf_fini(&out->notes.pending);
	loom_buf_fini(&out->document);
	loom_pages_destroy(out->pages);
	loom_buf_fini(&out->held.text);
	free(out->held.runs);
	free(out);
}

bool loom_out_color(const struct loom_out *out)
{
	return out->results.color;
}

bool loom_out_on_terminal(const struct loom_out *out)
{
	return out->results.terminal;
}

bool loom_out_notes_on_terminal(const struct loom_out *out)
{
	return out->notes.terminal;
}

bool loom_out_closed(const struct loom_out *out)
{
	return out->results.closed;
}

size_t loom_out_columns(const struct loom_out *out)
{
	struct winsize size = {0};

	if (!out->results.terminal || ioctl(out->results.fd, TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

/* Waits until a non-blocking descriptor accepts more. */
static bool wait_writable(int fd)
{
	struct pollfd waiting = {.fd = fd, .events = POLLOUT};

	return poll(&waiting, 1, -1) > 0 || errno == EINTR;
}

static void write_all(struct stream *stream, struct loom_str s)
{
	while (s.n && !stream->closed && !stream->failed) {
		ssize_t n = write(stream->fd, s.p, s.n);

		if (n > 0)
			s = loom_str_sub(s, (size_t)n, s.n);
		else if (n < 0 && errno == EPIPE)
			stream->closed = true;
		else if (n < 0 && errno == EAGAIN && wait_writable(stream->fd))
			continue;
		else if (n < 0 && errno != EINTR)
			stream->failed = errno;
	}
}

static void stream_flush(struct stream *stream)
{
	if (stream->held->on)
		return;
	if (stream->pending.n)
		write_all(stream, loom_buf_str(&stream->pending));
	loom_buf_clear(&stream->pending);
}

static void hold(struct stream *stream, struct loom_str s)
{
	struct held *held = stream->held;

	loom_buf_add(&held->text, s);
	if (!held->count || held->runs[held->count - 1].stream != stream) {
		if (held->count == held->cap) {
			held->cap = held->cap ? 2 * held->cap : 8;
			held->runs = loom_realloc(held->runs, held->cap, sizeof *held->runs);
		}
		held->runs[held->count++].stream = stream;
	}
	held->runs[held->count - 1].end = held->text.n;
}

static void emit(struct stream *stream, struct loom_str s)
{
	if (stream->held->on) {
		hold(stream, s);
		return;
	}
	if (stream->pending.n + s.n >= FLUSH_AT)
		stream_flush(stream);
	if (s.n >= FLUSH_AT)
		write_all(stream, s);
	else if (!stream->closed && !stream->failed)
		loom_buf_add(&stream->pending, s);
}

/* At most FLUSH_AT bytes, cut at the end of a line or at least of a character. */
static struct loom_str first_chunk(struct loom_str s)
{
	struct loom_str chunk = loom_utf8_clip(s, FLUSH_AT);
	size_t n = chunk.n;

	if (chunk.n == s.n)
		return s;
	while (n && chunk.p[n - 1] != '\n')
		n--;
	if (n)
		chunk.n = n;
	return chunk.n ? chunk : loom_str_sub(s, 0, FLUSH_AT);
}

static void emit_shown(struct stream *stream, struct loom_str s)
{
	struct loom_buf shown = LOOM_BUF_INIT(LOOM_BUF_MAX);

	while (s.n) {
		struct loom_str chunk = first_chunk(s);

		loom_buf_clear(&shown);
		loom_shown_text(&shown, chunk);
		emit(stream, loom_buf_str(&shown));
		s = loom_str_sub(s, chunk.n, s.n);
	}
	loom_buf_fini(&shown);
}

/* Both streams may go to one terminal, so the progress line must go before anything is printed. */
void loom_out_progress_clear(struct loom_out *out)
{
	if (!out->progress_stands)
		return;
	out->progress_stands = false;
	stream_flush(&out->notes);
	write_all(&out->notes, LOOM_STR("\r\033[K"));
}

void loom_out_progress(struct loom_out *out, struct loom_str line)
{
	struct loom_buf shown = LOOM_BUF_INIT(4096);

	if (!out->notes.able)
		return;
	stream_flush(&out->results);
	loom_shown_line(&shown, line, loom_out_columns(out) - 1);
	stream_flush(&out->notes);
	write_all(&out->notes, LOOM_STR("\r\033[K"));
	write_all(&out->notes, loom_buf_str(&shown));
	out->progress_stands = true;
	loom_buf_fini(&shown);
}

void loom_out_copy(struct loom_out *out, struct loom_buf *copy)
{
	out->copy = copy;
}

static void copy_results(struct loom_out *out, struct loom_str s)
{
	if (out->copy)
		loom_buf_add(out->copy, s);
}

void loom_out_text(struct loom_out *out, struct loom_str s)
{
	copy_results(out, s);
	loom_out_progress_clear(out);
	if (out->raw && !out->results.terminal)
		emit(&out->results, s);
	else
		emit_shown(&out->results, s);
}

void loom_out_texts(struct loom_out *out, const char *text)
{
	loom_out_text(out, loom_str_of(text));
}

void loom_out_line(struct loom_out *out, struct loom_str s)
{
	loom_out_text(out, s);
	loom_out_text(out, LOOM_STR("\n"));
}

static const char *sgr(enum loom_style style)
{
	static const char *const codes[] = {
		[LOOM_PLAIN] = "",        [LOOM_STRONG] = "\033[1m", [LOOM_DIM] = "\033[2m",
		[LOOM_GOOD] = "\033[32m", [LOOM_BAD] = "\033[31m",
	};

	return codes[style];
}

void loom_out_styled(struct loom_out *out, enum loom_style style, struct loom_str s)
{
	bool colored = out->results.color && style != LOOM_PLAIN;

	loom_out_progress_clear(out);
	if (colored)
		emit(&out->results, loom_str_of(sgr(style)));
	loom_out_text(out, s);
	if (colored)
		emit(&out->results, LOOM_STR("\033[0m"));
}

void loom_out_data(struct loom_out *out, struct loom_str s)
{
	copy_results(out, s);
	loom_out_progress_clear(out);
	if (out->results.terminal)
		emit_shown(&out->results, s);
	else
		emit(&out->results, s);
}

static void emit_json(struct stream *stream, struct loom_str document)
{
	struct loom_buf shown = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (stream->terminal && !loom_shown_plain(document)) {
		loom_shown_json(&shown, document);
		document = loom_buf_str(&shown);
	}
	emit(stream, document);
	emit(stream, LOOM_STR("\n"));
	loom_buf_fini(&shown);
}

void loom_out_json_text(struct loom_out *out, struct loom_str document)
{
	loom_out_progress_clear(out);
	copy_results(out, document);
	copy_results(out, LOOM_STR("\n"));
	emit_json(&out->results, document);
}

struct loom_json *loom_out_json_begin(struct loom_out *out)
{
	loom_buf_clear(&out->document);
	loom_pages_work(out->pages);
	loom_json_init(&out->emitter, &out->document);
	return &out->emitter;
}

void loom_out_json_end(struct loom_out *out)
{
	LOOM_ASSERT((!out->emitter.depth && !out->emitter.after_key) || out->document.bad);
	loom_out_json_text(out, loom_buf_str(&out->document));
	loom_pages_rest(out->pages);
	loom_buf_clear(&out->document);
}

/* Prints one line of notes after the results printed so far. */
static void say(struct loom_out *out, enum loom_style style, struct loom_str head,
		struct loom_str text)
{
	struct loom_buf shown = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_out_progress_clear(out);
	stream_flush(&out->results);
	loom_shown_line(&shown, text, 0);
	if (out->notes.color)
		emit(&out->notes, loom_str_of(sgr(style)));
	emit(&out->notes, head);
	if (out->notes.color)
		emit(&out->notes, LOOM_STR("\033[0m"));
	emit(&out->notes, loom_buf_str(&shown));
	emit(&out->notes, LOOM_STR("\n"));
	stream_flush(&out->notes);
	loom_buf_fini(&shown);
}

static void say_formatted(struct loom_out *out, const char *head, const char *format, va_list args)
	LOOM_PRINTF(3, 0);

static void say_formatted(struct loom_out *out, const char *head, const char *format, va_list args)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_addfv(&buf, format, args);
	say(out, LOOM_DIM, loom_str_of(head), loom_buf_str(&buf));
	loom_buf_fini(&buf);
}

void loom_out_note(struct loom_out *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_formatted(out, "note: ", format, args);
	va_end(args);
}

void loom_out_warn(struct loom_out *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_formatted(out, "warning: ", format, args);
	va_end(args);
}

void loom_out_say(struct loom_out *out, const char *head, struct loom_str text)
{
	say(out, LOOM_BAD, loom_str_of(head), text);
}

static void error_json(struct loom_out *out, const char *code, const struct loom_err *err)
{
	struct loom_buf buf = LOOM_BUF_INIT(1 << 16);
	struct loom_json json;

	loom_json_init(&json, &buf);
	loom_json_object(&json);
	loom_json_key(&json, "error");
	loom_json_object(&json);
	loom_json_put(&json, "code", loom_str_of(code));
	loom_json_put(&json, "text", loom_str_of(err->text));
	loom_json_put(&json, "hint", loom_str_of(err->hint));
	loom_json_put_retry(&json, err->status);
	loom_json_end_object(&json);
	loom_json_end_object(&json);
	loom_out_progress_clear(out);
	stream_flush(&out->results);
	emit_json(&out->notes, loom_buf_str(&buf));
	stream_flush(&out->notes);
	loom_buf_fini(&buf);
}

void loom_out_error(struct loom_out *out, const char *code, const struct loom_err *err)
{
	struct loom_buf line = LOOM_BUF_INIT(4096);

	if (!code)
		code = loom_status_code(err->status);
	if (out->json) {
		error_json(out, code, err);
		return;
	}
	loom_buf_addf(&line, "%s: %s", code, err->text);
	say(out, LOOM_BAD, LOOM_STR("✗ "), loom_buf_str(&line));
	if (err->hint[0])
		say(out, LOOM_DIM, LOOM_STR("  hint: "), loom_str_of(err->hint));
	loom_buf_fini(&line);
}

void loom_out_hold(struct loom_out *out)
{
	stream_flush(&out->results);
	stream_flush(&out->notes);
	out->held.on = true;
}

void loom_out_drop(struct loom_out *out)
{
	out->held.count = 0;
	loom_buf_clear(&out->held.text);
}

void loom_out_release(struct loom_out *out)
{
	struct held *held = &out->held;
	struct loom_str text = loom_buf_str(&held->text);
	size_t at = 0;

	if (!held->on)
		return;
	held->on = false;
	for (size_t i = 0; i < held->count; at = held->runs[i++].end) {
		struct stream *stream = held->runs[i].stream;

		stream_flush(stream == &out->notes ? &out->results : &out->notes);
		emit(stream, loom_str_sub(text, at, held->runs[i].end));
	}
	if (held->text.bad)
		out->results.failed = ENOMEM;
	loom_out_drop(out);
}

enum loom_status loom_out_flush(struct loom_out *out, struct loom_err *err)
{
	enum loom_status status;
	int code = 0;

	loom_out_progress_clear(out);
	stream_flush(&out->results);
	stream_flush(&out->notes);
	code = out->results.failed;
	if (!code)
		return LOOM_OK;
	status = loom_fail_errno(err, code, "standard output");
	/* A retry might run the command twice. */
	return loom_hint(err, status, "only the output is lost; `loom ops` shows what was done");
}
