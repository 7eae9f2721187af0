/* Renders Markdown as XHTML, as far as books use it. A mark that has no partner stays as it is
 * written, so no character of a text is ever lost but marks that were understood. */
#include <loom/text/xhtml.h>

#include <loom/base/utf8.h>
#include <loom/text/sections.h>

/* Emphasis within emphasis is followed so deep. */
enum { DEEP = 6, RUN_MAX = 3 };

/* Writes line ends as LF, which XML and HTML parsers turn all others into anyway. */
void loom_xml_escape(struct loom_buf *out, struct loom_str text)
{
	for (size_t at = 0; at < text.n;) {
		const size_t from = at;
		const uint32_t cp = loom_utf8_next(text, &at);

		if (cp == '<')
			loom_buf_adds(out, "&lt;");
		else if (cp == '>')
			loom_buf_adds(out, "&gt;");
		else if (cp == '&')
			loom_buf_adds(out, "&amp;");
		else if (cp == '"')
			loom_buf_adds(out, "&quot;");
		else if (cp == '\'')
			loom_buf_adds(out, "&#39;");
		else if (cp == '\r')
			loom_buf_adds(out, at < text.n && text.p[at] == '\n' ? "" : "\n");
		else if (cp == LOOM_CP_BAD || cp == 0xFFFE || cp == 0xFFFF ||
			 (cp < 0x20 && cp != '\n' && cp != '\t'))
			loom_buf_add_cp(out, 0xFFFD);
		else
			loom_buf_add(out, loom_str_sub(text, from, at - from));
	}
}

/* ---- within a paragraph ---- */

static bool is_blank(struct loom_str s, size_t at)
{
	return at >= s.n || s.p[at] == ' ' || s.p[at] == '\t' || s.p[at] == '\n' || s.p[at] == '\r';
}

/* Whether a letter or a digit is at `at`; an underscore inside a word is no mark. */
static bool is_letter(struct loom_str s, size_t at)
{
	const unsigned char c = at < s.n ? (unsigned char)s.p[at] : ' ';

	return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

static size_t run_at(struct loom_str s, size_t at)
{
	size_t n = 1;

	LOOM_ASSERT(at < s.n);
	while (at + n < s.n && s.p[at + n] == s.p[at])
		n++;
	return n;
}

/* Finds the run of `n` marks that closes one; SIZE_MAX if there is none. */
static size_t find_close(struct loom_str s, size_t from, char mark, size_t n)
{
	for (size_t at = from; at < s.n;) {
		const size_t run = s.p[at] == mark ? run_at(s, at) : 1;

		if (s.p[at] == '\\')
			at++;
		else if (s.p[at] == mark && run == n &&
			 (mark == '`' || (at > from && !is_blank(s, at - 1) &&
					  (mark == '*' || !is_letter(s, at + n)))))
			return at;
		at += run;
	}
	return SIZE_MAX;
}

static const char *const tags[RUN_MAX + 1][2] = {
	{"", ""},
	{"<em>", "</em>"},
	{"<strong>", "</strong>"},
	{"<strong><em>", "</em></strong>"},
};

/* A paragraph, or what is inside a pair of marks in it. */
struct inner {
	struct loom_buf *out;
	struct loom_str s;
	int depth;
	size_t at;
	size_t shown;              /* written up to here */
	bool none[RUN_MAX + 1][2]; /* no such mark closes from here on: for *, for _ */
};

static void add_inner(struct loom_buf *out, struct loom_str s, int depth);

static void write_to(struct inner *in, size_t end, size_t next)
{
	loom_xml_escape(in->out, loom_str_sub(in->s, in->shown, end - in->shown));
	in->shown = next;
	in->at = next;
}

/* Writes what stands between a run of marks and its partner; without one the run is text. */
static void add_marked(struct inner *in)
{
	const struct loom_str s = in->s;
	const char mark = s.p[in->at];
	const size_t n = run_at(s, in->at);
	const size_t from = in->at + n;
	bool *none = n <= RUN_MAX ? &in->none[n][mark == '_'] : NULL;
	const bool opens = none && !*none && in->depth < DEEP && !is_blank(s, from) &&
			   (mark == '*' || !in->at || !is_letter(s, in->at - 1));
	const size_t close = opens ? find_close(s, from, mark, n) : SIZE_MAX;

	if (close == SIZE_MAX) {
		if (opens)
			*none = true;
		in->at = from;
		return;
	}
	write_to(in, in->at, from);
	loom_buf_adds(in->out, tags[n][0]);
	add_inner(in->out, loom_str_sub(s, from, close - from), in->depth + 1);
	loom_buf_adds(in->out, tags[n][1]);
	in->shown = in->at = close + n;
}

static void add_code(struct inner *in)
{
	const size_t n = run_at(in->s, in->at);
	const size_t close = find_close(in->s, in->at + n, '`', n);

	if (close == SIZE_MAX) {
		in->at += n;
		return;
	}
	write_to(in, in->at, in->at + n);
	loom_buf_adds(in->out, "<code>");
	write_to(in, close, close + n);
	loom_buf_adds(in->out, "</code>");
}

/* A backslash takes the meaning of the mark behind it; before a line end it is a break. */
static void add_escaped(struct inner *in)
{
	static const char marks[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
	const char c = in->at + 1 < in->s.n ? in->s.p[in->at + 1] : 0;

	if (c == '\n') {
		write_to(in, in->at, in->at + 1);
		loom_buf_adds(in->out, "<br/>");
	} else if (c && strchr(marks, c)) {
		write_to(in, in->at, in->at + 1);
		in->at++;
	} else {
		in->at++;
	}
}

static void add_inner(struct loom_buf *out, struct loom_str s, int depth)
{
	struct inner in = {.out = out, .s = s, .depth = depth};

	while (in.at < s.n) {
		const char c = s.p[in.at];

		if (c == '*' || c == '_') {
			add_marked(&in);
		} else if (c == '`') {
			add_code(&in);
		} else if (c == '\\') {
			add_escaped(&in);
		} else if (c == '\n' && in.at >= in.shown + 2 && s.p[in.at - 1] == ' ' &&
			   s.p[in.at - 2] == ' ') {
			write_to(&in, in.at, in.at);
			loom_buf_adds(out, "<br/>");
			in.at++;
		} else {
			in.at++;
		}
	}
	write_to(&in, s.n, s.n);
}

static void add_line(struct loom_buf *out, struct loom_str line)
{
	add_inner(out, line, 0);
}

/* ---- blocks ---- */

struct blocks {
	struct loom_buf *out;
	int deeper;
	struct loom_str paragraph; /* its lines so far, which stand side by side in the text */
	const char *tag;           /* how it begins */
	struct loom_buf quote;     /* the lines of a quote so far, without their marks */
	bool quoted;               /* inside one */
};

static void end_paragraph(struct blocks *b)
{
	if (b->paragraph.n) {
		loom_buf_adds(b->out, b->tag);
		add_line(b->out, loom_str_trim(b->paragraph));
		loom_buf_adds(b->out, "</p>\n");
	}
	b->paragraph.n = 0;
}

static void add_blocks(struct blocks *b, struct loom_str text);

static void end_quote(struct blocks *b)
{
	struct blocks inside = {.out = b->out, .deeper = b->deeper, .quoted = true};

	if (!b->quote.n)
		return;
	loom_buf_adds(b->out, "<blockquote>\n");
	add_blocks(&inside, loom_buf_str(&b->quote));
	loom_buf_adds(b->out, "</blockquote>\n");
	loom_buf_clear(&b->quote);
}

static void end_block(struct blocks *b)
{
	end_paragraph(b);
	end_quote(b);
}

static bool is_one_of(const char *marks, char c)
{
	return c && strchr(marks, c);
}

/* The length of the mark that begins an item of a list, 0 if none: "- ", "12. ". */
static size_t item_mark(struct loom_str line)
{
	size_t n = 0;

	if (line.n > 1 && is_one_of("-*+", line.p[0]) && line.p[1] == ' ')
		return 2;
	while (n < line.n && n < 9 && line.p[n] >= '0' && line.p[n] <= '9')
		n++;
	return n && n + 1 < line.n && (line.p[n] == '.' || line.p[n] == ')') && line.p[n + 1] == ' '
		       ? n + 2
		       : 0;
}

static void begin_paragraph(struct blocks *b, struct loom_str line, const char *tag)
{
	end_block(b);
	b->paragraph = line;
	b->tag = tag;
}

/* A number stays as it is written; a mark becomes a bullet. */
static void begin_item(struct blocks *b, struct loom_str line, size_t mark)
{
	if (mark == 2 && !is_letter(line, 0))
		begin_paragraph(b, loom_str_sub(line, mark, line.n), "<p class=\"item\">• ");
	else
		begin_paragraph(b, line, "<p class=\"item\">");
}

static void add_text_line(struct blocks *b, struct loom_str line)
{
	const struct loom_str bare = loom_str_trim(line);
	const size_t mark = item_mark(bare);

	if (!bare.n) {
		end_block(b);
	} else if (bare.p[0] == '>' && !b->quoted) {
		end_paragraph(b);
		loom_buf_add(&b->quote,
			     loom_str_sub(bare, bare.n > 1 && bare.p[1] == ' ' ? 2 : 1, bare.n));
		loom_buf_addc(&b->quote, '\n');
	} else if (loom_line_is_break(bare)) {
		end_block(b);
		loom_buf_adds(b->out, "<hr/>\n");
	} else if (mark) {
		begin_item(b, bare, mark);
	} else if (b->paragraph.n) {
		b->paragraph.n = (size_t)(line.p + line.n - b->paragraph.p);
	} else {
		begin_paragraph(b, line, "<p>");
	}
}

static void add_heading(struct blocks *b, const struct loom_heading *heading)
{
	const int level = heading->level + b->deeper;
	const int fits = level < 1 ? 1 : level > 6 ? 6 : level;

	end_block(b);
	if (!heading->name.n)
		return;
	loom_buf_addf(b->out, "<h%d>", fits);
	add_line(b->out, heading->name);
	loom_buf_addf(b->out, "</h%d>\n", fits);
}

static void add_blocks(struct blocks *b, struct loom_str text)
{
	struct loom_lines walk = {.rest = text};
	struct loom_heading heading;
	struct loom_str line;
	enum loom_line kind;
	bool code = false;

	loom_buf_init(&b->quote, LOOM_BUF_MAX);
	while ((kind = loom_lines_next(&walk, &line, &heading)) != LOOM_LINE_END) {
		if (kind == LOOM_LINE_TEXT) {
			add_text_line(b, line);
		} else if (kind == LOOM_LINE_HEADING) {
			add_heading(b, &heading);
		} else if (kind == LOOM_LINE_FENCE) {
			end_block(b);
			loom_buf_adds(b->out, code ? "</code></pre>\n" : "<pre><code>");
			code = !code;
		} else {
			loom_xml_escape(b->out, line);
			loom_buf_addc(b->out, '\n');
		}
	}
	end_block(b);
	loom_buf_adds(b->out, code ? "</code></pre>\n" : "");
	loom_buf_fini(&b->quote);
}

void loom_xhtml_add(struct loom_buf *out, struct loom_str text, int deeper)
{
	struct blocks blocks = {.out = out, .deeper = deeper};

	add_blocks(&blocks, text);
}
