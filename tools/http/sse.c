/* Reads streamed answers: bytes to lines, lines to events. Does not interpret the events. */
#include <loom/http/sse.h>

void loom_sse_init(struct loom_sse *sse, enum loom_sse_kind kind, loom_sse_fn *fn, void *ctx)
{
	*sse = (struct loom_sse){.kind = kind, .fn = fn, .ctx = ctx};
	loom_buf_init(&sse->line, LOOM_SSE_MAX);
	loom_buf_init(&sse->event, LOOM_SSE_MAX);
	loom_buf_init(&sse->data, LOOM_SSE_MAX);
}

void loom_sse_fini(struct loom_sse *sse)
{
	loom_buf_fini(&sse->line);
	loom_buf_fini(&sse->event);
	loom_buf_fini(&sse->data);
}

static void give(struct loom_sse *sse)
{
	if (sse->has_data)
		sse->fn(sse->ctx, loom_buf_str(&sse->event), loom_buf_str(&sse->data));
	loom_buf_clear(&sse->event);
	loom_buf_clear(&sse->data);
	sse->has_data = false;
}

static void take_field(struct loom_sse *sse, struct loom_str line)
{
	size_t colon = loom_str_find_char(line, ':', 0);
	struct loom_str name = loom_str_sub(line, 0, colon);
	struct loom_str value =
		colon == SIZE_MAX ? loom_str_make("", 0) : loom_str_sub(line, colon + 1, SIZE_MAX);

	if (value.n && value.p[0] == ' ')
		value = loom_str_sub(value, 1, SIZE_MAX);
	if (loom_str_is(name, "event")) {
		loom_buf_clear(&sse->event);
		loom_buf_add(&sse->event, value);
	} else if (loom_str_is(name, "data")) {
		if (sse->has_data)
			loom_buf_addc(&sse->data, '\n');
		loom_buf_add(&sse->data, value);
		sse->has_data = true;
	}
}

static void take_line(struct loom_sse *sse)
{
	struct loom_str line = loom_buf_str(&sse->line);

	if (!sse->begun && loom_str_starts(line, LOOM_STR("\xEF\xBB\xBF")))
		line = loom_str_sub(line, 3, SIZE_MAX);
	sse->begun = true;
	if (sse->kind == LOOM_SSE_LINES) {
		if (loom_str_trim(line).n)
			sse->fn(sse->ctx, loom_str_make("", 0), line);
	} else if (!line.n) {
		give(sse);
	} else if (line.p[0] != ':') {
		take_field(sse, line);
	}
	loom_buf_clear(&sse->line);
}

static enum loom_status judge(const struct loom_sse *sse, struct loom_err *err)
{
	if (sse->line.bad == LOOM_OK && sse->data.bad == LOOM_OK && sse->event.bad == LOOM_OK)
		return LOOM_OK;
	return loom_fail(err, LOOM_LIMIT, "a line of the answer is larger than %zu MiB",
			 LOOM_SSE_MAX >> 20);
}

/* Length of the text before the first line end. */
static size_t line_length(struct loom_str bytes)
{
	size_t n = 0;

	while (n < bytes.n && bytes.p[n] != '\n' && bytes.p[n] != '\r')
		n++;
	return n;
}

enum loom_status loom_sse_feed(struct loom_sse *sse, struct loom_str bytes, struct loom_err *err)
{
	enum loom_status status = judge(sse, err);

	while (bytes.n && status == LOOM_OK) {
		size_t n = line_length(bytes);
		bool lone_lf = sse->after_cr && bytes.p[0] == '\n';

		loom_buf_add(&sse->line, loom_str_sub(bytes, 0, n));
		status = judge(sse, err);
		sse->after_cr = n < bytes.n && bytes.p[n] == '\r';
		if (n < bytes.n && !lone_lf && status == LOOM_OK) {
			take_line(sse);
			status = judge(sse, err);
		}
		bytes = loom_str_sub(bytes, n + 1, SIZE_MAX);
	}
	return status;
}

enum loom_status loom_sse_end(struct loom_sse *sse, struct loom_err *err)
{
	enum loom_status status = judge(sse, err);

	if (status != LOOM_OK)
		return status;
	if (sse->kind == LOOM_SSE_LINES && sse->line.n)
		take_line(sse);
	else
		give(sse);
	return LOOM_OK;
}
