/* Writes names, paths, links and contents as Markdown they cannot break out of. */
#include <loom/text/markdown.h>

#include <ctype.h>

#include <loom/base/utf8.h>

/* Reads the next character of `name`; false for a byte that cannot be written as it is. */
static bool next_plain(struct loom_str name, size_t *at, struct loom_str *out)
{
	size_t start = *at;
	uint32_t cp = loom_utf8_next(name, at);

	*out = loom_str_sub(name, start, *at - start);
	LOOM_ASSERT(*at > start && *at <= name.n);
	return cp != LOOM_CP_BAD && cp >= 0x20 && cp != 0x7F;
}

void model_put_name(struct loom_buf *out, struct loom_str name)
{
	for (size_t at = 0; at < name.n;) {
		struct loom_str piece;

		if (next_plain(name, &at, &piece))
			loom_buf_add(out, piece);
		else
			loom_buf_addf(out, "\\x%02X", (unsigned char)piece.p[0]);
	}
}

/* Returns whether an entity such as &amp; begins here, which Markdown would decode. */
static bool is_entity(struct loom_str s, size_t at)
{
	size_t i = at + 1;

	LOOM_ASSERT(at < s.n && s.p[at] == '&');
	while (i < s.n && ((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'z') ||
			   (s.p[i] >= 'A' && s.p[i] <= 'Z') || s.p[i] == '#'))
		i++;
	return i > at + 1 && i < s.n && s.p[i] == ';';
}

static void put_link_text(struct loom_buf *out, struct loom_str target)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text;

	model_put_name(&name, target);
	text = loom_buf_str(&name);
	for (size_t i = 0; i < text.n; i++) {
		if (memchr("[]\\`<", text.p[i], 5) || (text.p[i] == '&' && is_entity(text, i)))
			loom_buf_addc(out, '\\');
		loom_buf_addc(out, text.p[i]);
	}
	loom_buf_fini(&name);
}

static bool needs_angles(struct loom_str target)
{
	for (size_t i = 0; i < target.n; i++)
		if (memchr(" ()<>\\", target.p[i], 6))
			return true;
	return false;
}

/* Returns whether a reader would find an escaped byte here, as in "a%20b". */
static bool is_escape(struct loom_str text, size_t at)
{
	LOOM_ASSERT(at < text.n);
	return at + 2 < text.n && text.p[at] == '%' && isxdigit((unsigned char)text.p[at + 1]) &&
	       isxdigit((unsigned char)text.p[at + 2]);
}

static void put_destination(struct loom_buf *out, struct loom_str target, bool url)
{
	bool angles = needs_angles(target);

	loom_buf_adds(out, angles ? "<" : "");
	loom_buf_adds(out, url ? "" : "/");
	for (size_t at = 0; at < target.n;) {
		size_t start = at;
		struct loom_str piece;

		if (!next_plain(target, &at, &piece)) {
			loom_buf_addf(out, "%%%02X", (unsigned char)piece.p[0]);
			continue;
		}
		if (memchr("<>\\", piece.p[0], 3))
			loom_buf_addc(out, '\\');
		loom_buf_add(out, piece);
		/* Some readers decode an entity in a destination despite a backslash. */
		if (piece.p[0] == '&' && is_entity(target, start))
			loom_buf_adds(out, "amp;");
		if (!url && is_escape(target, start))
			loom_buf_adds(out, "25");
	}
	loom_buf_adds(out, angles ? ">" : "");
}

void model_put_link(struct loom_buf *out, struct loom_str target, bool url)
{
	loom_buf_addc(out, '[');
	put_link_text(out, target.n ? target : LOOM_STR("."));
	loom_buf_adds(out, "](");
	put_destination(out, target, url);
	loom_buf_addc(out, ')');
}

static size_t longest_run(struct loom_str s)
{
	size_t longest = 0;
	size_t at = 0;

	while ((at = loom_str_find_char(s, '`', at)) != SIZE_MAX) {
		size_t start = at;

		while (at < s.n && s.p[at] == '`')
			at++;
		longest = at - start > longest ? at - start : longest;
	}
	return longest;
}

void model_put_span(struct loom_buf *out, struct loom_str text)
{
	size_t ticks = longest_run(text) + 1;

	loom_buf_add_repeat(out, '`', ticks);
	loom_buf_add(out, text);
	loom_buf_add_repeat(out, '`', ticks);
}

void model_put_fence(struct loom_buf *out, struct loom_str info, struct loom_str content)
{
	size_t ticks = longest_run(content) + 1;

	ticks = ticks < 4 ? 4 : ticks;
	LOOM_ASSERT(ticks >= 4);
	loom_buf_add_repeat(out, '`', ticks);
	loom_buf_add(out, info);
	loom_buf_addc(out, '\n');
	loom_buf_add(out, content);
	if (content.n && content.p[content.n - 1] != '\n')
		loom_buf_addc(out, '\n');
	loom_buf_add_repeat(out, '`', ticks);
	loom_buf_addc(out, '\n');
}
