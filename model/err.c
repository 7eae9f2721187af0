/* Status codes and the error record; and the end of the program when memory is used up. */
#include <loom/err.h>

#include <stdarg.h>
#include <unistd.h>

#include <loom/str.h>
#include <loom/utf8.h>

static const struct {
	const char *code;
	bool retry;
	int exit_status;
} status_info[] = {
#define X(name, code_text, retry_too, exits) [LOOM_##name] = {code_text, retry_too, exits},
	LOOM_STATUS_LIST(X)
#undef X
};

/* Formats into a fixed field; what does not fit is cut at a character and says so. */
static void format_field(char *out, size_t size, const char *format, va_list args)
	LOOM_PRINTF(3, 0);

static void format_field(char *out, size_t size, const char *format, va_list args)
{
	static const char ellipsis[] = "…";
	int wanted = vsnprintf(out, size, format, args);

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

	if (!err)
		return status;
	err->status = status;
	err->at = 0;
	err->hint[0] = '\0';
	va_start(args, format);
	format_field(err->text, sizeof err->text, format, args);
	va_end(args);
	return status;
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
	return status_info[status].code;
}

bool loom_status_retryable(enum loom_status status)
{
	return status_info[status].retry;
}

int loom_status_exit(enum loom_status status)
{
	return status_info[status].exit_status;
}

/* exit, not abort: atexit handlers give the terminal back. */
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

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	p = realloc(old, bytes ? bytes : 1);
	if (!p)
		out_of_memory();
	return p;
}
