/* The scanner: text in any pieces to calls, thoughts, hints and prose.
 *
 * Invariants
 *   - Events depend on the bytes alone, never on where they were cut: a line is judged when it is
 *     complete. A line that is whole within a piece is judged in place; only cut lines are copied.
 *   - What is inert stays inert: when in doubt, a line is prose, because an agent can repeat a call
 *     but cannot take one back.
 *   - Linear time: every byte is looked at a bounded number of times.
 *
 * scan_line.c knows what a line is, inert.c what hides several of them, quote.c quotes and blanks,
 * parse.c what a call means, and turn.c which calls form a batch despite refused ones between
 * them. */
#include <loom/language/scan.h>

#include "inside.h"

enum mode {
	IN_TEXT,
	IN_FENCE,
	IN_TAG,   /* inside <think> and the like, see scan->tag */
	IN_THINK, /* inside → think */
	IN_CALL,  /* inside a quote that a call line opened */
};

struct loom_scan {
	enum loom_source source;
	struct loom_scan_sink sink;
	enum mode mode;
	bool gap; /* something other than blank lines since the last call */
	int64_t line;
	size_t offset;         /* of the line being judged */
	struct loom_buf carry; /* the beginning of an incomplete line */
	struct loom_str prose; /* pending, in the piece being fed */
	size_t prose_begin;
	int64_t prose_line;
	enum loom_region region;  /* of the line being judged … */
	enum loom_region pending; /* … and of the pending prose */
	struct lang_fence fence;
	struct lang_marks marks;
	int64_t mark_line;        /* where they opened */
	bool lazy;                /* the paragraph of a block quote goes on */
	struct lang_fence quoted; /* a fence in a block quote; length 0: none */
	size_t tag;
	struct lang_quote quote;
	struct loom_buf body; /* of the open call or thought */
	size_t body_begin;
	int64_t body_line;
};

struct loom_scan *loom_scan_create(enum loom_source source, struct loom_scan_sink sink)
{
	struct loom_scan *scan = loom_alloc(sizeof *scan);

	scan->source = source;
	scan->sink = sink;
	scan->line = 1;
	scan->gap = true;
	loom_buf_init(&scan->carry, SIZE_MAX >> 1);
	loom_buf_init(&scan->body, LOOM_SCAN_BODY_MAX);
	return scan;
}

void loom_scan_destroy(struct loom_scan *scan)
{
	if (!scan)
		return;
	loom_buf_fini(&scan->carry);
	loom_buf_fini(&scan->body);
	free(scan);
}

/* ---- events ---- */

static void flush_prose(struct loom_scan *scan)
{
	struct loom_scan_event event = {.kind = LOOM_SCAN_PROSE,
					.line = scan->prose_line,
					.begin = scan->prose_begin,
					.end = scan->prose_begin + scan->prose.n,
					.text = scan->prose,
					.region = scan->pending};

	LOOM_ASSERT(loom_str_ok(scan->prose));
	if (scan->prose.n)
		scan->sink.event(scan->sink.ctx, &event);
	scan->prose = (struct loom_str){NULL, 0};
}

/* Adds prose at `offset`; adjacent texts are delivered as one. */
static void add_prose(struct loom_scan *scan, struct loom_str text, size_t offset)
{
	if (scan->prose.n && scan->prose.p + scan->prose.n == text.p &&
	    scan->pending == scan->region) {
		scan->prose.n += text.n;
		return;
	}
	flush_prose(scan);
	scan->prose = text;
	scan->prose_begin = offset;
	scan->prose_line = scan->line;
	scan->pending = scan->region;
}

static void send(struct loom_scan *scan, struct loom_scan_event event)
{
	flush_prose(scan);
	scan->sink.event(scan->sink.ctx, &event);
}

static void send_hint(struct loom_scan *scan, struct loom_str line, enum loom_scan_hint hint)
{
	send(scan, (struct loom_scan_event){.kind = LOOM_SCAN_HINT,
					    .line = scan->line,
					    .begin = scan->offset,
					    .end = scan->offset + line.n,
					    .text = line,
					    .hint = hint});
}

static void send_thinking(struct loom_scan *scan, struct loom_str text)
{
	if (text.n)
		send(scan, (struct loom_scan_event){.kind = LOOM_SCAN_THINKING,
						    .line = scan->line,
						    .text = text});
}

static void send_refusal(struct loom_scan *scan, size_t end, const struct loom_err *err)
{
	LOOM_ASSERT(err->status != LOOM_OK && end >= scan->body_begin);
	send(scan, (struct loom_scan_event){.kind = LOOM_SCAN_REFUSED,
					    .line = scan->body_line,
					    .begin = scan->body_begin,
					    .end = end,
					    .text = loom_buf_str(&scan->body),
					    .err = err});
	scan->gap = true;
}

static void send_call(struct loom_scan *scan, enum loom_scan_kind kind, struct loom_str text,
		      size_t end)
{
	LOOM_ASSERT(end >= scan->body_begin);
	send(scan, (struct loom_scan_event){.kind = kind,
					    .line = scan->body_line,
					    .begin = scan->body_begin,
					    .end = end,
					    .text = text,
					    .joins = !scan->gap});
	scan->gap = false;
}

/* ---- thoughts ---- */

static void send_thought(struct loom_scan *scan, struct loom_str text, size_t end, bool open)
{
	struct loom_err err = {0};

	LOOM_ASSERT(end >= scan->body_begin);
	scan->mode = IN_TEXT;
	if (scan->quote.longest > LOOM_SCAN_QUOTE_MAX) {
		(void)loom_fail(&err, LOOM_LIMIT, "a thought may be at most 1 MiB long");
		(void)loom_hint(&err, LOOM_LIMIT, "think in several pieces, each closed with ←");
		send_refusal(scan, end, &err);
		return;
	}
	send(scan, (struct loom_scan_event){.kind = LOOM_SCAN_THINK,
					    .line = scan->body_line,
					    .begin = scan->body_begin,
					    .end = end,
					    .text = lang_trim(text),
					    .unterminated = open,
					    .joins = !scan->gap});
	scan->gap = false;
}

static void keep_thought(struct loom_scan *scan, struct loom_str text)
{
	scan->quote.longest += text.n;
	if (scan->quote.longest <= LOOM_SCAN_QUOTE_MAX)
		loom_buf_add(&scan->body, text);
}

static void think_line(struct loom_scan *scan, struct loom_str line)
{
	LOOM_ASSERT(scan->mode == IN_THINK);
	if (lang_is_back_arrow(line))
		send_thought(scan, loom_buf_str(&scan->body), scan->offset + line.n, false);
	else
		keep_thought(scan, line);
}

/* ---- call lines ---- */

static void begin_body(struct loom_scan *scan)
{
	loom_buf_clear(&scan->body);
	scan->quote = (struct lang_quote){0};
	scan->body_begin = scan->offset;
	scan->body_line = scan->line;
}

static bool over_limit(const struct loom_scan *scan, struct loom_err *err)
{
	const struct lang_quote *quote = &scan->quote;

	if (quote->outside > LOOM_SCAN_LINE_MAX) {
		(void)loom_fail(err, LOOM_LIMIT,
				"a call may be at most 8 KiB long outside its quotes");
		(void)loom_hint(err, LOOM_LIMIT, "put the text in quotes");
		return true;
	}
	if (quote->longest > LOOM_SCAN_QUOTE_MAX || scan->body.bad != LOOM_OK) {
		(void)loom_fail(err, LOOM_LIMIT, "a quoted text may be at most 1 MiB long");
		(void)loom_hint(err, LOOM_LIMIT, "send it in several calls");
		return true;
	}
	return false;
}

/* The call's last line has been read. */
static void end_call(struct loom_scan *scan, size_t end)
{
	struct loom_err err = {0};

	scan->tag = scan->quote.tag;
	scan->mode = scan->tag ? IN_TAG : IN_TEXT;
	if (scan->quote.tag) {
		(void)loom_fail(&err, LOOM_SYNTAX, "a <think> tag may not open on a call line");
		(void)loom_hint(&err, LOOM_SYNTAX, "close the call's line first");
		send_refusal(scan, end, &err);
	} else if (over_limit(scan, &err)) {
		send_refusal(scan, end, &err);
	} else {
		send_call(scan, LOOM_SCAN_CALL, loom_buf_str(&scan->body), end);
	}
}

static struct loom_str without_end(struct loom_str line)
{
	if (line.n && line.p[line.n - 1] == '\n')
		line.n--;
	return line;
}

/* Adds a line of a call, with its LF; `text` is its part of the body. */
static void call_line(struct loom_scan *scan, struct loom_str line, struct loom_str text)
{
	struct loom_err ignored = {0};
	struct loom_str content = without_end(text);

	LOOM_ASSERT(scan->mode == IN_TEXT || scan->mode == IN_CALL);
	lang_quote_line(&scan->quote, content);
	if (scan->quote.open)
		content = text;
	else if (content.n && content.p[content.n - 1] == '\r')
		content.n--;
	if (!over_limit(scan, &ignored))
		loom_buf_add(&scan->body, content);
	if (scan->quote.open)
		scan->mode = IN_CALL;
	else
		end_call(scan, scan->offset + line.n);
}

static void arrow_line(struct loom_scan *scan, struct loom_str line, struct loom_str body)
{
	struct loom_str thought;
	struct loom_str before;

	LOOM_ASSERT(scan->mode == IN_TEXT);
	begin_body(scan);
	if (!lang_is_think(without_end(body), &thought)) {
		call_line(scan, line, body);
		return;
	}
	if (lang_cut_back_arrow(thought, &before)) {
		scan->quote.longest = before.n;
		send_thought(scan, before, scan->offset + line.n, false);
		return;
	}
	scan->mode = IN_THINK;
	keep_thought(scan, loom_str_sub(body, (size_t)(thought.p - body.p), body.n));
}

/* ---- other lines ---- */

/* Says that what hides prose was never closed. */
static void lose(struct loom_scan *scan)
{
	scan->marks.lost = false;
	send(scan, (struct loom_scan_event){.kind = LOOM_SCAN_LOST, .line = scan->mark_line});
}

/* Handles prose with marks and tags: the inside of a thought's tag becomes thinking, and what is
 * open at its end stays open. */
static void marked(struct loom_scan *scan, struct loom_str line, size_t from)
{
	const bool was_open = scan->marks.open != LANG_MARK_NONE;
	bool kept = false;

	LOOM_ASSERT(from <= line.n);
	for (;;) {
		struct lang_tag tag;
		size_t at = lang_marks_read(&scan->marks, line, from, &tag);
		struct loom_str plain = loom_str_sub(line, from, at - from);
		size_t bytes = 0;
		size_t end = 0;

		if (kept || !lang_is_blank(plain)) {
			add_prose(scan, plain, scan->offset + from);
			kept = true;
		}
		if (!was_open && scan->marks.open)
			scan->mark_line = scan->line;
		if (at == SIZE_MAX)
			return;
		from = at + tag.bytes;
		scan->tag = tag.name;
		end = lang_tag_find_end(line, from, scan->tag, &bytes);
		send_thinking(scan, loom_str_sub(line, from, end - from));
		if (end == SIZE_MAX) {
			scan->mode = IN_TAG;
			return;
		}
		from = end + bytes;
	}
}

static void tag_line(struct loom_scan *scan, struct loom_str line)
{
	size_t bytes = 0;
	size_t at = lang_tag_find_end(line, 0, scan->tag, &bytes);

	LOOM_ASSERT(scan->mode == IN_TAG);
	scan->gap = true;
	send_thinking(scan, loom_str_sub(line, 0, at));
	if (at == SIZE_MAX)
		return;
	scan->mode = IN_TEXT;
	marked(scan, line, at + bytes);
}

/* A line inside of a mark, which may close in it. */
static void inside_line(struct loom_scan *scan, struct loom_str line)
{
	LOOM_ASSERT(scan->mode == IN_TEXT && lang_marks_inside(&scan->marks));
	scan->region = LOOM_REGION_INSIDE;
	lang_marks_begin(&scan->marks, line);
	if (lang_is_blank(line)) {
		add_prose(scan, line, scan->offset);
	} else {
		scan->gap = true;
		marked(scan, line, 0);
	}
	if (scan->marks.lost)
		lose(scan);
}

/* Whether the content of a block quote's line is text that the next line may continue. A call is a
 * line of its own, wherever it stands. */
static bool is_paragraph(struct loom_scan *scan, struct loom_str line)
{
	struct loom_str rest = line;

	while (loom_str_starts(rest, LOOM_STR(">")))
		rest = loom_str_sub(rest, 1 + lang_blanks(rest, 1), rest.n);
	if (scan->quoted.length) {
		if (lang_fence_closes(&scan->quoted, rest))
			scan->quoted.length = 0;
		return false;
	}
	if (lang_fence_opens(without_end(rest), &scan->quoted))
		return false;
	return !lang_is_blank(rest) && rest.p[0] != '#' && !lang_arrow(rest);
}

static void quoted_line(struct loom_scan *scan, struct loom_str line, struct loom_str rest)
{
	scan->region = LOOM_REGION_QUOTE;
	add_prose(scan, line, scan->offset);
	scan->lazy = is_paragraph(scan, rest);
}

static void open_fence(struct loom_scan *scan, struct loom_str line, bool loose)
{
	scan->fence.loose = loose;
	scan->mode = IN_FENCE;
	scan->region = LOOM_REGION_FENCE;
	add_prose(scan, line, scan->offset);
}

static void bullet_line(struct loom_scan *scan, struct loom_str line, struct loom_str rest)
{
	LOOM_ASSERT(scan->mode == IN_TEXT);
	if (lang_fence_opens(rest, &scan->fence)) {
		open_fence(scan, line, true);
	} else if (loom_str_starts(rest, LOOM_STR(">"))) {
		quoted_line(scan, line, rest);
	} else {
		if (lang_arrow(rest))
			send_hint(scan, line, LOOM_HINT_NOT_AT_LINE_START);
		marked(scan, line, 0);
		/* A line that is meant as a call opens nothing. */
		if (lang_arrow(rest))
			scan->marks.open = LANG_MARK_NONE;
	}
}

/* Handles a line that begins with a sign that may mean something. */
static void special_line(struct loom_scan *scan, struct loom_str line)
{
	const bool lazy = scan->lazy;
	size_t indent = 0;
	size_t columns = lang_indent(line, &indent);
	struct loom_str rest = loom_str_sub(line, indent, line.n);
	size_t taken = 0;

	if (columns < 4 && !lazy && (taken = lang_arrow(rest)) > 0) {
		arrow_line(scan, line, loom_str_sub(rest, taken, rest.n));
		return;
	}
	scan->gap = scan->gap || !lang_is_blank(rest);
	scan->lazy = lazy && !lang_is_blank(rest);
	if (columns >= 4 || (lazy && lang_arrow(rest))) {
		scan->region = columns >= 4 ? LOOM_REGION_INDENT : LOOM_REGION_LAZY;
		add_prose(scan, line, scan->offset);
	} else if (loom_str_starts(rest, LOOM_STR(">"))) {
		quoted_line(scan, line, rest);
	} else if ((taken = lang_ascii_arrow(rest)) > 0) {
		const bool meant = lang_starts_with_verb(loom_str_sub(rest, taken, rest.n));

		if (meant)
			send_hint(scan, line, LOOM_HINT_ASCII_ARROW);
		marked(scan, line, 0);
		if (meant)
			scan->marks.open = LANG_MARK_NONE;
	} else if ((taken = lang_bullet(rest)) > 0) {
		scan->lazy = false;
		bullet_line(scan, line, loom_str_sub(rest, taken, rest.n));
	} else if (lang_fence_opens(without_end(rest), &scan->fence)) {
		scan->lazy = false;
		open_fence(scan, line, false);
	} else {
		marked(scan, line, 0);
	}
}

/* Whether a line with this first byte needs a closer look. All others are prose. */
static bool is_special(unsigned char first)
{
	return first <= ' ' || first >= 0xC2 || (first >= '0' && first <= '9') || first == '-' ||
	       first == '*' || first == '+' || first == '=' || first == '>' || first == '`' ||
	       first == '~';
}

static void text_line(struct loom_scan *scan, struct loom_str line)
{
	unsigned char first = (unsigned char)line.p[0];

	if (first != '>' && scan->quoted.length)
		scan->quoted.length = 0;
	if (first != '\n' && is_special(first)) {
		special_line(scan, line);
	} else if (first == '\n') {
		scan->lazy = false;
		add_prose(scan, line, scan->offset);
	} else {
		scan->gap = true;
		scan->lazy = scan->lazy && first != '#';
		marked(scan, line, 0);
	}
}

static void fence_line(struct loom_scan *scan, struct loom_str line)
{
	LOOM_ASSERT(scan->mode == IN_FENCE);
	scan->gap = true;
	scan->region = LOOM_REGION_FENCE;
	if (lang_fence_closes(&scan->fence, line))
		scan->mode = IN_TEXT;
	add_prose(scan, line, scan->offset);
}

/* Judges a whole line, with its LF unless the text ends there. */
static void judge(struct loom_scan *scan, struct loom_str line)
{
	LOOM_ASSERT(line.n > 0);
	scan->region = LOOM_REGION_PLAIN;
	if (scan->source == LOOM_SOURCE_HUMAN || scan->source == LOOM_SOURCE_RESULT) {
		add_prose(scan, line, scan->offset);
	} else {
		switch (scan->mode) {
		case IN_TEXT:
			lang_marks_leave(&scan->marks, line);
			if (lang_marks_inside(&scan->marks))
				inside_line(scan, line);
			else
				text_line(scan, line);
			break;
		case IN_FENCE:
			fence_line(scan, line);
			break;
		case IN_TAG:
			tag_line(scan, line);
			break;
		case IN_THINK:
			think_line(scan, line);
			break;
		case IN_CALL:
			call_line(scan, line, line);
			break;
		}
	}
	scan->offset += line.n;
	scan->line++;
}

/* Completes the line that an earlier piece began; returns how many bytes of this piece it took. */
static size_t complete(struct loom_scan *scan, struct loom_str piece)
{
	const char *end = memchr(piece.p, '\n', piece.n);
	size_t taken = end ? (size_t)(end - piece.p) + 1 : piece.n;

	LOOM_ASSERT(scan->carry.n > 0);
	loom_buf_add(&scan->carry, loom_str_sub(piece, 0, taken));
	if (end) {
		judge(scan, loom_buf_str(&scan->carry));
		flush_prose(scan);
		loom_buf_clear(&scan->carry);
	}
	return taken;
}

void loom_scan_feed(struct loom_scan *scan, struct loom_str piece)
{
	const char *at = piece.p;
	const char *end;

	if (!piece.n)
		return;
	end = at + piece.n;
	if (scan->carry.n)
		at += complete(scan, piece);
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct loom_str line = {at, (size_t)((stop ? stop + 1 : end) - at)};

		if (stop)
			judge(scan, line);
		else
			loom_buf_add(&scan->carry, line);
		at += line.n;
	}
	LOOM_ASSERT(at == end);
	flush_prose(scan);
}

bool loom_scan_inside(const struct loom_scan *scan)
{
	return scan->mode != IN_TEXT || lang_marks_inside(&scan->marks);
}

/* Ends what is open after the last line. */
static void end_text(struct loom_scan *scan)
{
	struct loom_err err = {0};

	if (scan->mode == IN_THINK) {
		send_thought(scan, loom_buf_str(&scan->body), scan->offset, true);
	} else if (scan->mode == IN_CALL) {
		(void)loom_fail(&err, LOOM_SYNTAX,
				"the quote that opens on line %lld is never closed",
				(long long)scan->body_line);
		(void)loom_hint(&err, LOOM_SYNTAX,
				"close it with \"; write a quote inside the text as \\\" · the "
				"lines it swallowed were not run");
		send_refusal(scan, scan->offset, &err);
	}
	flush_prose(scan);
	if (scan->marks.open)
		lose(scan);
	loom_buf_clear(&scan->carry);
	scan->mode = IN_TEXT;
	scan->marks = (struct lang_marks){0};
	scan->quoted.length = 0;
	scan->lazy = false;
}

void loom_scan_end(struct loom_scan *scan)
{
	if (scan->carry.n)
		judge(scan, loom_buf_str(&scan->carry));
	end_text(scan);
}

/* Returns what an unfinished last line would call; p NULL: it is none. */
static struct loom_str cut_call(const struct loom_scan *scan)
{
	struct loom_str line = loom_buf_str(&scan->carry);
	size_t indent = 0;
	size_t taken = 0;

	if (scan->mode != IN_TEXT || lang_marks_inside(&scan->marks) || scan->lazy ||
	    lang_indent(line, &indent) >= 4)
		return (struct loom_str){NULL, 0};
	line = loom_str_sub(line, indent, line.n);
	taken = lang_arrow(line);
	return taken ? loom_str_sub(line, taken, line.n) : (struct loom_str){NULL, 0};
}

void loom_scan_break(struct loom_scan *scan)
{
	const struct loom_str call = cut_call(scan);
	struct loom_err err = {0};

	if (!call.p) {
		loom_scan_end(scan);
		return;
	}
	begin_body(scan);
	loom_buf_add(&scan->body, call);
	(void)loom_fail(&err, LOOM_SYNTAX, "the answer was cut in this line, which was not run");
	(void)loom_hint(&err, LOOM_SYNTAX, "write the whole line again");
	send_refusal(scan, scan->offset + scan->carry.n, &err);
	end_text(scan);
}

/* ---- names ---- */

static const char *const sources[] = {
	[LOOM_SOURCE_MODEL] = "model",
	[LOOM_SOURCE_PASTE] = "paste",
	[LOOM_SOURCE_HUMAN] = "human",
	[LOOM_SOURCE_RESULT] = "tool_result",
};

bool loom_source_parse(struct loom_str name, enum loom_source *out)
{
	for (size_t i = 0; i < LOOM_COUNT(sources); i++) {
		if (loom_str_is(name, sources[i])) {
			*out = (enum loom_source)i;
			return true;
		}
	}
	return false;
}

const char *loom_scan_hint_code(enum loom_scan_hint hint)
{
	return hint == LOOM_HINT_ASCII_ARROW         ? "ASCII_ARROW"
	       : hint == LOOM_HINT_NOT_AT_LINE_START ? "NOT_AT_LINE_START"
						     : "";
}

const char *loom_scan_hint_text(enum loom_scan_hint hint)
{
	return hint == LOOM_HINT_ASCII_ARROW
		       ? "looks like a call, but a call starts with → (U+2192); it was not run"
	       : hint == LOOM_HINT_NOT_AT_LINE_START
		       ? "a call must begin its line, without a bullet; it was not run"
		       : "";
}
