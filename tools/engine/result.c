/* Results as text: the line of a call, and the shortening of long results. */
#include <loom/engine/handlers.h>
#include <loom/engine/summary_prompt.h>

#include <loom/language/call.h>
#include <loom/text/sanitise.h>
#include <loom/text/quoting.h>
#include <loom/base/utf8.h>

void engine_line_text(struct loom_str text, struct loom_buf *out)
{
	const size_t begin = out->n;
	struct loom_str line = loom_str_trim(text);
	size_t feed = loom_str_find_char(line, '\n', 0);
	bool cut = feed != SIZE_MAX;

	if (cut)
		line = loom_str_trim(loom_str_sub(line, 0, feed));
	loom_buf_adds(out, LANG_ARROW " ");
	if (line.n > LOOM_LINE_MAX) {
		line = loom_utf8_clip(line, LOOM_LINE_MAX);
		cut = true;
	}
	loom_shown_line(out, line, 0);
	if (cut && out->n > begin)
		loom_buf_adds(out, "…");
}

void engine_line(const struct loom_call *call, struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (call->line > 0 && call->text.n)
		loom_buf_add(&text, call->text);
	else
		loom_call_print(call, &text);
	engine_line_text(loom_buf_str(&text), out);
	loom_buf_fini(&text);
}

bool engine_lines(struct loom_str text, const int64_t lines[2], struct loom_str *out,
		  int64_t *out_count)
{
	struct loom_str rest = text;
	struct loom_str line;
	int64_t at = 0;
	size_t from = SIZE_MAX;
	size_t to = 0;

	while (rest.n && loom_str_line(&rest, &line)) {
		at++;
		if (at == lines[0])
			from = (size_t)(line.p - text.p);
		if (at <= lines[1])
			to = (size_t)(line.p - text.p) + line.n;
	}
	*out_count = at;
	if (from == SIZE_MAX)
		return false;
	*out = loom_str_sub(text, from, to - from);
	return true;
}

/* ---- shortening ---- */

/* The longest beginning of whole lines within `most` bytes; part of the first line, if that is
 * longer. */
static size_t head_of(struct loom_str text, size_t most)
{
	size_t end = 0;

	for (size_t feed = 0; feed < most; feed++)
		if (text.p[feed] == '\n')
			end = feed + 1;
	return end > most / 2 ? end : loom_utf8_clip(text, most).n;
}

/* Offset of the longest end of whole lines within `most` bytes. */
static size_t tail_of(struct loom_str text, size_t most)
{
	size_t begin = text.n - most;

	while (begin < text.n && ((unsigned char)text.p[begin] & 0xC0) == 0x80)
		begin++;
	for (size_t at = begin; at < text.n - most / 2; at++)
		if (text.p[at] == '\n')
			return at + 1;
	return begin;
}

static int64_t feeds(struct loom_str text, size_t from, size_t to)
{
	int64_t count = 0;

	for (size_t i = from; i < to && i < text.n; i++)
		count += text.p[i] == '\n';
	return count;
}

/* "… 3,210 tokens omitted · → view a7x2 full lines:40-80" */
static void say_omitted(const struct engine_run *run, int64_t number, size_t head, size_t tail,
			struct loom_buf *shown)
{
	struct loom_str text = loom_buf_str(run->out);
	const size_t begin = shown->n;
	const size_t from = head > run->body_at ? head : run->body_at;
	const size_t to = tail < run->body_end ? tail : run->body_end;

	if (shown->n && shown->p[shown->n - 1] != '\n')
		loom_buf_addc(shown, '\n');
	loom_buf_adds(shown, "… ");
	loom_buf_add_count(shown, (uint64_t)loom_token_estimate(tail - head));
	loom_buf_adds(shown, " tokens omitted · " LANG_ARROW " ");
	if (run->body_again.n && from < to)
		loom_buf_addf(shown, "%.*s lines:%lld-%lld", LOOM_STR_ARG(run->body_again),
			      (long long)run->body_line +
				      (long long)feeds(text, run->body_at, from),
			      (long long)run->body_line +
				      (long long)feeds(text, run->body_at, to - 1));
	else
		loom_buf_addf(shown, "pin res-%lld", (long long)number);
	loom_buf_addc(shown, '\n');
	loom_buf_add(&run->engine->own, loom_str_sub(loom_buf_str(shown), begin, shown->n));
}

bool engine_is_long(const struct engine_run *run)
{
	const size_t limit = run->engine->opts.result_tokens;

	return !run->exact && limit != SIZE_MAX && (size_t)loom_token_estimate(run->out->n) > limit;
}

/* The model that summarized it may have read only its beginning. */
static void say_covered(struct loom_str text, struct loom_buf *shown)
{
	const struct loom_str read = loom_utf8_clip(text, LOOM_SUMMARY_TEXT);

	loom_buf_adds(shown, "Summary");
	if (read.n < text.n) {
		loom_buf_adds(shown, " of the first ");
		loom_buf_add_count(shown, (uint64_t)loom_token_estimate(read.n));
		loom_buf_adds(shown, " of ");
		loom_buf_add_count(shown, (uint64_t)loom_token_estimate(text.n));
		loom_buf_adds(shown, " tokens");
	}
	loom_buf_adds(shown, ": ");
}

bool engine_shorten(const struct engine_run *run, int64_t number, struct loom_buf *shown)
{
	const size_t room = run->engine->opts.result_tokens * 4;
	struct loom_str summary = run->engine->summary;
	struct loom_str text = loom_buf_str(run->out);
	size_t head = 0;
	size_t tail = text.n;

	if (!engine_is_long(run))
		return false;
	if (!summary.n) {
		head = head_of(text, room / 2);
		tail = tail_of(text, room / 4);
	}
	loom_buf_addf(shown, "[res-%lld]\n", (long long)number);
	if (summary.n) {
		say_covered(text, shown);
		(void)loom_body_add_inside(shown, summary, LOOM_BELOW_HEADERS);
	}
	loom_buf_add(shown, loom_str_sub(text, 0, head));
	say_omitted(run, number, head, tail, shown);
	loom_buf_add(shown, loom_str_sub(text, tail, text.n));
	return true;
}
