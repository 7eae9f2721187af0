/* Status codes and the error record, and ending the program when memory runs out. */
#include <loom/base/err.h>

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include <loom/base/str.h>
#include <loom/base/utf8.h>

#define FREE_SPACE "free some space, then try again"

static const struct {
	const char *code;
	bool retry;
	int exit_status;
} status_info[] = {
#define X(name, code_text, retry_too, exits) [LOOM_##name] = {code_text, retry_too, exits},
	LOOM_STATUS_LIST(X)
#undef X
};

/* The status and hint for failed system calls. */
static const struct {
	int error;
	enum loom_status status;
	const char *hint;
} errno_info[] = {
	{ENOSPC, LOOM_FULL, FREE_SPACE},
	{EDQUOT, LOOM_FULL, FREE_SPACE},
	{EFBIG, LOOM_FULL, "files here may not grow that large; `ulimit -f` shows the limit"},
	{EROFS, LOOM_READ_ONLY, "remount the disk for writing, or work on a copy elsewhere"},
	{EACCES, LOOM_IO, "check its permissions and those of the directories above it"},
	{EPERM, LOOM_IO, "check its permissions and those of the directories above it"},
	{EMFILE, LOOM_IO, "`ulimit -n` shows how many files may be open at once, and raises it"},
	{ENFILE, LOOM_IO, "the system has too many files open; try again later"},
	{EIO, LOOM_IO, "the disk may be failing: run `loom backup` onto another one"},
};

static size_t find_errno(int error)
{
	size_t at = 0;

	while (at < LOOM_COUNT(errno_info) && errno_info[at].error != error)
		at++;
	return at;
}

const char *loom_errno_hint(int error)
{
	const size_t at = find_errno(error);

	return at < LOOM_COUNT(errno_info) ? errno_info[at].hint : "";
}

/* Formats into a fixed field; a text that does not fit is cut at a character and ends in "…". */
static void format_field(char *out, size_t size, const char *format, va_list args)
	LOOM_PRINTF(3, 0);

static void format_field(char *out, size_t size, const char *format, va_list args)
{
	static const char ellipsis[] = "…";
	int wanted = vsnprintf(out, size, format, args);

	LOOM_ASSERT(size > sizeof ellipsis);
	if (wanted < 0) {
		out[0] = '\0';
	} else if ((size_t)wanted >= size) {
		struct loom_str kept = loom_utf8_clip(loom_str_of(out), size - sizeof ellipsis);

		memcpy(out + kept.n, ellipsis, sizeof ellipsis);
	}
}

enum loom_status loom_fail(struct loom_err *err, enum loom_status status, const char *format, ...)
{
	va_list args;

	LOOM_ASSERT(status != LOOM_OK && format);
	if (!err)
		return status;
	err->status = status;
	err->at = 0;
	err->hint[0] = '\0';
	va_start(args, format);
	format_field(err->text, sizeof err->text, format, args);
	va_end(args);
	return status == LOOM_FULL ? loom_hint(err, status, FREE_SPACE) : status;
}

enum loom_status loom_fail_errno(struct loom_err *err, int error, const char *format, ...)
{
	const size_t at = find_errno(error);
	const enum loom_status status =
		at < LOOM_COUNT(errno_info) ? errno_info[at].status : LOOM_IO;
	char text[sizeof err->text];
	va_list args;

	LOOM_ASSERT(error >= 0);
	va_start(args, format);
	format_field(text, sizeof text, format, args);
	va_end(args);
	loom_fail(err, status, "%s: %s", text, strerror(error));
	return loom_hint(err, status, "%s", loom_errno_hint(error));
}

enum loom_status loom_fail_file(struct loom_err *err, const char *path, int error)
{
	LOOM_ASSERT(path);
	if (error == ENOENT) {
		loom_fail(err, LOOM_NOT_FOUND, "there is no file %s", *path ? path : "\"\"");
		return loom_hint(err, LOOM_NOT_FOUND,
				 "paths start at the current directory; - is standard input");
	}
	if (error == EISDIR) {
		loom_fail(err, LOOM_PATH, "%s is not a file", path);
		return loom_hint(err, LOOM_PATH, "name a file");
	}
	loom_fail(err, LOOM_PATH, "cannot read %s: %s", path, strerror(error));
	return loom_hint(err, LOOM_PATH, "%s", loom_errno_hint(error));
}

enum loom_status loom_hint(struct loom_err *err, enum loom_status status, const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	va_start(args, format);
	format_field(err->hint, sizeof err->hint, format, args);
	va_end(args);
	return status;
}

void loom_err_clear(struct loom_err *err)
{
	if (err)
		*err = (struct loom_err){.status = LOOM_OK};
}

const char *loom_status_code(enum loom_status status)
{
	LOOM_ASSERT((size_t)status < LOOM_COUNT(status_info));
	return status_info[status].code;
}

bool loom_status_retryable(enum loom_status status)
{
	LOOM_ASSERT((size_t)status < LOOM_COUNT(status_info));
	return status_info[status].retry;
}

int loom_status_exit(enum loom_status status)
{
	LOOM_ASSERT((size_t)status < LOOM_COUNT(status_info));
	return status_info[status].exit_status;
}

void loom_broken(const char *what, const char *file, int line)
{
	fprintf(stderr, "loom: %s:%d: assertion failed: %s\n", file, line, what);
	abort();
}

/* exit rather than abort: atexit handlers restore the terminal. */
static _Noreturn void out_of_memory(void)
{
	static const char text[] = "loom: out of memory; nothing that was acknowledged is lost\n";
	ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);

	(void)written;
	exit(3);
}

void *loom_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *loom_realloc(void *old, size_t count, size_t size)
{
	size_t bytes = 0;
	void *p = NULL;

	LOOM_ASSERT(size > 0);
	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	p = realloc(old, bytes ? bytes : 1);
	if (!p)
		out_of_memory();
	return p;
}
