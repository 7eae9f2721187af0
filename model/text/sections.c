/* The text of documents, without the store: words and sections. */
#include <loom/text/sections.h>

#include <loom/base/utf8.h>

static bool is_space(uint32_t cp)
{
	return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0x85 || cp == 0xA0 ||
	       cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 || cp == 0x2029 ||
	       cp == 0x202F || cp == 0x205F || cp == 0x3000;
}

void loom_text_measure(struct loom_text_size *size, struct loom_str text)
{
	for (size_t at = 0; at < text.n; size->chars++) {
		const bool space = is_space(loom_utf8_next(text, &at));

		size->words += !space && !size->inside;
		size->inside = !space;
	}
}

int64_t loom_word_count(struct loom_str text)
{
	struct loom_text_size size = {.words = 0};

	loom_text_measure(&size, text);
	return size.words;
}

/* --- names --- */

enum { NAME_WORDS = 7, NAME_CHARS = 48 };

static bool is_mark(char c)
{
	return c && strchr("#*_`>~=-+|\"", c);
}

/* Takes the next run between blanks off a line, without marks at its ends. */
static struct loom_str next_run(struct loom_str *line)
{
	struct loom_str run;
	size_t from = 0;
	size_t to;

	while (from < line->n) {
		size_t next = from;

		if (!is_space(loom_utf8_next(*line, &next)))
			break;
		from = next;
	}
	to = from;
	while (to < line->n) {
		size_t next = to;

		if (is_space(loom_utf8_next(*line, &next)))
			break;
		to = next;
	}
	run = loom_str_sub(*line, from, to - from);
	*line = loom_str_sub(*line, to, line->n);
	while (run.n && is_mark(run.p[0]))
		run = loom_str_sub(run, 1, run.n);
	while (run.n && is_mark(run.p[run.n - 1]))
		run.n--;
	return run;
}

static void name_line(struct loom_str line, struct loom_buf *out)
{
	size_t chars = 0;

	for (size_t words = 0; line.n && words < NAME_WORDS;) {
		struct loom_str run = next_run(&line);
		const size_t length = loom_utf8_length(run);

		if (!run.n)
			continue;
		if (words && chars + 1 + length > NAME_CHARS)
			break;
		if (length > NAME_CHARS)
			run = loom_utf8_clip(run, NAME_CHARS);
		loom_buf_adds(out, words ? " " : "");
		loom_buf_add(out, run);
		chars += 1 + length;
		words++;
	}
}

void loom_text_name(struct loom_str text, struct loom_buf *out)
{
	const size_t before = out->n;
	struct loom_str line;

	while (out->n == before && text.n && loom_str_line(&text, &line))
		name_line(line, out);
	while (out->n > before && strchr(".,;:", out->p[out->n - 1]))
		loom_buf_cut(out, out->n - 1);
}

/* --- sections --- */

/* Strips marks that are not part of the name: closing hashes, emphasis, a final colon. */
static struct loom_str bare_name(struct loom_str name)
{
	static const char edge[] = "#*_`: \t\r";

	while (name.n && memchr(edge, name.p[0], sizeof edge - 1))
		name = loom_str_sub(name, 1, name.n);
	while (name.n && memchr(edge, name.p[name.n - 1], sizeof edge - 1))
		name.n--;
	return name;
}

/* Level 0: it is none. */
static struct loom_heading read_heading(struct loom_str line)
{
	struct loom_heading heading = {.level = 0};
	size_t blanks = 0;
	size_t hashes = 0;

	while (blanks < 3 && blanks < line.n && line.p[blanks] == ' ')
		blanks++;
	line = loom_str_sub(line, blanks, line.n);
	while (hashes < line.n && line.p[hashes] == '#')
		hashes++;
	if (hashes == 0 || hashes > 6)
		return heading;
	line = loom_str_sub(line, hashes, line.n);
	if (line.n && line.p[0] != ' ' && line.p[0] != '\t' && line.p[0] != '\r')
		return heading;
	heading.level = (int)hashes;
	heading.name = bare_name(line);
	LOOM_ASSERT(heading.level >= 1 && heading.level <= 6);
	return heading;
}

bool loom_doc_is_heading(struct loom_str line)
{
	return read_heading(line).level > 0;
}

bool loom_line_is_break(struct loom_str line)
{
	size_t marks = 0;
	char mark = 0;

	for (size_t i = 0; i < line.n; i++) {
		const char c = line.p[i];

		if (c == ' ' || c == '\t' || c == '\r')
			continue;
		if ((c != '*' && c != '-' && c != '_') || (mark && c != mark))
			return false;
		mark = c;
		marks++;
	}
	return marks >= 3;
}

/* Returns the length of the fence a line begins with, 0 if none; *out_char is its character,
 * *out_rest the text after it. */
static size_t fence_of(struct loom_str line, char *out_char, struct loom_str *out_rest)
{
	size_t blanks = 0;
	size_t n = 0;

	while (blanks < 3 && blanks < line.n && line.p[blanks] == ' ')
		blanks++;
	line = loom_str_sub(line, blanks, line.n);
	if (!line.n || (line.p[0] != '`' && line.p[0] != '~'))
		return 0;
	*out_char = line.p[0];
	while (n < line.n && line.p[n] == *out_char)
		n++;
	*out_rest = loom_str_trim(loom_str_sub(line, n, line.n));
	return n >= 3 ? n : 0;
}

static bool same_name(struct loom_str a, struct loom_str b)
{
	size_t i = 0;
	size_t j = 0;

	while (i < a.n && j < b.n)
		if (loom_cp_fold(loom_utf8_next(a, &i)) != loom_cp_fold(loom_utf8_next(b, &j)))
			return false;
	return i == a.n && j == b.n;
}

/* Opens or closes a fence with this line; false if it does neither. An opening fence may name a
 * language, a closing one has no text, and a backtick after opening backticks makes it inline
 * code. */
static bool walk_fence(struct loom_lines *walk, struct loom_str line)
{
	struct loom_str rest;
	char c = 0;
	size_t n = fence_of(line, &c, &rest);

	if (walk->fence) {
		if (n < walk->fence || c != walk->fence_char || rest.n)
			return false;
		walk->fence = 0;
		return true;
	}
	if (!n || (c == '`' && loom_str_find_char(rest, '`', 0) != SIZE_MAX))
		return false;
	LOOM_ASSERT(n >= 3);
	walk->fence = n;
	walk->fence_char = c;
	return true;
}

enum loom_line loom_lines_next(struct loom_lines *walk, struct loom_str *out_line,
			       struct loom_heading *heading)
{
	struct loom_heading found;

	if (!walk->rest.n || !loom_str_line(&walk->rest, out_line))
		return LOOM_LINE_END;
	if (walk_fence(walk, *out_line))
		return LOOM_LINE_FENCE;
	if (walk->fence)
		return LOOM_LINE_CODE;
	found = read_heading(*out_line);
	if (!found.level)
		return LOOM_LINE_TEXT;
	*heading = found;
	return LOOM_LINE_HEADING;
}

/* Finds the next heading and its line; level 0 at the end. */
static struct loom_heading next_heading(struct loom_lines *walk, struct loom_str *out_line)
{
	struct loom_heading heading = {.level = 0};
	enum loom_line kind;

	do
		kind = loom_lines_next(walk, out_line, &heading);
	while (kind != LOOM_LINE_END && kind != LOOM_LINE_HEADING);
	return heading;
}

/* Returns the number, from 1, of the line that begins at `at`. */
static size_t line_at(struct loom_str text, size_t at)
{
	size_t line = 1;

	LOOM_ASSERT(at <= text.n);
	for (size_t i = 0; i < at && i < text.n; i++)
		line += text.p[i] == '\n';
	return line;
}

/* Refuses a missing section and lists the existing ones, as many as fit into a hint. */
static enum loom_status refuse_section(struct loom_str text, struct loom_str name,
				       struct loom_err *err)
{
	struct loom_lines walk = {.rest = text};
	struct loom_heading heading;
	struct loom_str line = {0};
	struct loom_buf names = LOOM_BUF_INIT(160);

	while ((heading = next_heading(&walk, &line)).level && names.n + heading.name.n < 150)
		if (heading.name.n)
			loom_buf_addf(&names, "%s\"%.*s\"", names.n ? ", " : "",
				      LOOM_STR_ARG(heading.name));
	(void)loom_fail(err, LOOM_NOT_FOUND, "there is no section \"%.*s\"", LOOM_STR_ARG(name));
	(void)loom_hint(err, LOOM_NOT_FOUND, names.n ? "there is %s%s" : "it has no headings%s%s",
			loom_buf_cstr(&names), heading.level ? " …" : "");
	loom_buf_fini(&names);
	return LOOM_NOT_FOUND;
}

enum loom_status loom_doc_section(struct loom_str text, struct loom_str name, size_t *out_from,
				  size_t *out_to, struct loom_err *err)
{
	struct loom_lines walk = {.rest = text};
	struct loom_heading heading = {.level = 0};
	struct loom_str line = {0};
	struct loom_str wanted = bare_name(loom_str_trim(name));
	size_t first = SIZE_MAX;
	size_t second = SIZE_MAX;
	size_t end = SIZE_MAX;
	int level = 0;

	while ((heading = next_heading(&walk, &line)).level) {
		size_t at = (size_t)(line.p - text.p);

		if (first != SIZE_MAX && end == SIZE_MAX && heading.level <= level)
			end = at;
		if (!same_name(heading.name, wanted))
			continue;
		if (first == SIZE_MAX) {
			first = at;
			level = heading.level;
		} else if (second == SIZE_MAX) {
			second = at;
		}
	}
	if (first == SIZE_MAX)
		return refuse_section(text, name, err);
	if (second != SIZE_MAX) {
		(void)loom_fail(err, LOOM_SYNTAX,
				"two sections are called \"%.*s\": at line %zu and at line %zu",
				LOOM_STR_ARG(name), line_at(text, first), line_at(text, second));
		return loom_hint(err, LOOM_SYNTAX,
				 "use line numbers instead, or rename one of the headings");
	}
	*out_from = first;
	*out_to = end == SIZE_MAX ? text.n : end;
	LOOM_ASSERT(*out_from <= *out_to && *out_to <= text.n);
	return LOOM_OK;
}

bool loom_doc_same_section(struct loom_str a, struct loom_str b)
{
	return same_name(bare_name(loom_str_trim(a)), bare_name(loom_str_trim(b)));
}
