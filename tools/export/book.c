/* A path as a book: its text divided into chapters, written as Markdown or as one page. What is
 * written has no ids and no times. */
#include <loom/base/utf8.h>
#include <loom/text/sections.h>

#include "inside.h"

/* How much of a chapter without a heading stands for its name. */
enum { NAME = 40 };

/* ---- the text ---- */

/* Adds a person who wrote some of it, once. */
static void add_person(struct loom_buf *by, const struct loom_agent *author)
{
	const struct loom_str name = export_name(author);
	struct loom_str rest = loom_buf_str(by);
	struct loom_str one;

	if (author->kind != LOOM_AGENT_HUMAN || !name.n)
		return;
	while (rest.n && loom_str_cut(&rest, '\n', &one))
		if (loom_str_eq(one, name))
			return;
	loom_buf_addf(by, "%s%.*s", by->n ? "\n" : "", LOOM_STR_ARG(name));
}

static void add_turn(struct loom_buf *out, const struct export_text *text)
{
	const struct loom_str name = export_name(text->author);

	loom_buf_adds(out, "**");
	for (size_t i = 0; i < name.n; i++) {
		if (strchr("*_`\\\n", name.p[i]))
			loom_buf_addc(out, '\\');
		loom_buf_addc(out, name.p[i]);
	}
	loom_buf_addf(out, "**\n\n%.*s\n\n", LOOM_STR_ARG(loom_str_trim(text->node.text)));
}

/* "Ada, Bob", from a line each. */
static struct loom_str persons(struct exporter *ex, struct loom_str lines)
{
	struct loom_buf list = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str one;
	struct loom_str out;

	while (lines.n && loom_str_cut(&lines, '\n', &one))
		loom_buf_addf(&list, "%s%.*s", list.n ? ", " : "", LOOM_STR_ARG(one));
	out = loom_arena_buf(ex->arena, &list);
	loom_buf_fini(&list);
	return out;
}

struct gathered {
	struct loom_buf text;
	struct loom_buf by;
	int64_t changed;
};

static enum loom_status gather(struct exporter *ex, const struct export_tree *tree,
			       struct gathered *to, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_child(&tree->read, n)) {
		struct export_text text;

		status = export_read(ex, tree, tree->read.nodes[n - 1].id, &text, err);
		if (status != LOOM_OK)
			break;
		if (text.node.text.n)
			add_person(&to->by, text.author);
		if (tree->row.mode == LOOM_BUFFER)
			loom_buf_add(&to->text, text.node.text);
		else if (text.node.text.n)
			add_turn(&to->text, &text);
		to->changed = text.node.created > to->changed ? text.node.created : to->changed;
		status = export_flow(ex, err);
	}
	return status;
}

/* ---- chapters ---- */

/* How often each level of headings occurs; *first is the first of all. */
static void count_levels(struct loom_str text, size_t counts[7], struct loom_heading *first)
{
	struct loom_lines walk = {.rest = text};
	struct loom_heading heading;
	struct loom_str line;
	enum loom_line kind;

	first->level = 0;
	while ((kind = loom_lines_next(&walk, &line, &heading)) != LOOM_LINE_END) {
		if (kind != LOOM_LINE_HEADING)
			continue;
		counts[heading.level]++;
		if (!first->level)
			*first = heading;
	}
}

static int chapter_level(const size_t counts[7])
{
	int highest = 0;

	for (int level = 1; level <= 6; level++) {
		if (counts[level] > 1)
			return level;
		if (counts[level] && !highest)
			highest = level;
	}
	return highest ? highest : 1;
}

/* A heading that repeats the title has said it on the title page. */
static struct loom_str drop_title(struct loom_str text, struct loom_str title)
{
	struct loom_str rest = text;
	struct loom_lines walk;
	struct loom_heading heading;
	struct loom_str line;

	while (rest.n && (rest.p[0] == '\n' || rest.p[0] == '\r'))
		rest = loom_str_sub(rest, 1, rest.n);
	walk = (struct loom_lines){.rest = rest};
	if (loom_lines_next(&walk, &line, &heading) != LOOM_LINE_HEADING ||
	    !loom_doc_same_section(heading.name, title))
		return text;
	while (walk.rest.n && (walk.rest.p[0] == '\n' || walk.rest.p[0] == '\r'))
		walk.rest = loom_str_sub(walk.rest, 1, walk.rest.n);
	return walk.rest;
}

static void add_chapter(struct exporter *ex, struct export_book *book, size_t *cap,
			struct loom_str name, const char *from)
{
	const size_t behind = (size_t)(book->text.p + book->text.n - from);
	const struct loom_str text = loom_str_make(from, behind);

	book->chapters = loom_arena_grow(ex->arena, book->chapters, book->count, cap,
					 sizeof *book->chapters);
	book->chapters[book->count++] = (struct export_chapter){.name = name, .text = text};
	if (book->count > 1) {
		struct export_chapter *last = &book->chapters[book->count - 2];

		last->text.n -= behind;
	}
}

/* A chapter without a heading is named by how it begins. */
static struct loom_str first_words(struct loom_str text)
{
	const struct loom_str line = loom_str_trim(text);
	const size_t end = loom_str_find_char(line, '\n', 0);
	const struct loom_str one = loom_str_sub(line, 0, end < line.n ? end : line.n);

	return one.n > NAME ? loom_utf8_clip(one, NAME) : one;
}

static void divide(struct exporter *ex, struct export_book *book)
{
	struct loom_lines walk = {.rest = book->text};
	struct loom_heading heading;
	struct loom_str line;
	enum loom_line kind;
	size_t cap = 0;

	while ((kind = loom_lines_next(&walk, &line, &heading)) != LOOM_LINE_END) {
		const bool begins = kind == LOOM_LINE_HEADING && heading.level <= book->level;

		if (begins)
			add_chapter(ex, book, &cap, heading.name, line.p);
		else if (!book->count && loom_str_trim(line).n)
			add_chapter(ex, book, &cap, LOOM_STR(""), book->text.p);
	}
	for (size_t i = 0; i < book->count; i++)
		if (!book->chapters[i].name.n)
			book->chapters[i].name = first_words(book->chapters[i].text);
}

enum loom_status export_book_read(struct exporter *ex, const struct export_tree *tree,
				  struct export_book *out, struct loom_err *err)
{
	struct gathered all = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX),
			       .by = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct loom_heading first;
	size_t counts[7] = {0};
	enum loom_status status = gather(ex, tree, &all, err);

	if (status == LOOM_OK && all.text.bad)
		status = loom_fail(err, all.text.bad, "the text of the path is too long");
	*out = (struct export_book){.changed = all.changed};
	out->text = loom_arena_buf(ex->arena, &all.text);
	out->by = ex->what->by.n ? ex->what->by : persons(ex, loom_buf_str(&all.by));
	loom_buf_fini(&all.text);
	loom_buf_fini(&all.by);
	count_levels(out->text, counts, &first);
	out->title = tree->row.title.n ? tree->row.title
		     : first.level     ? first.name
				       : LOOM_STR("Untitled");
	if (first.level && counts[first.level] == 1) {
		const struct loom_str rest = drop_title(out->text, out->title);

		counts[first.level] -= rest.n < out->text.n;
		out->text = rest;
	}
	out->level = chapter_level(counts);
	divide(ex, out);
	return status;
}

/* ---- Markdown ---- */

enum loom_status export_book_md(struct exporter *ex, const struct export_tree *tree,
				struct loom_err *err)
{
	struct export_book book;
	enum loom_status status = export_book_read(ex, tree, &book, err);

	if (status != LOOM_OK)
		return status;
	loom_buf_addf(&ex->buf, "# %.*s\n\n", LOOM_STR_ARG(book.title));
	if (book.by.n)
		loom_buf_addf(&ex->buf, "%.*s\n\n", LOOM_STR_ARG(book.by));
	loom_buf_add(&ex->buf, book.text);
	if (book.text.n && !loom_str_ends(book.text, LOOM_STR("\n")))
		loom_buf_addc(&ex->buf, '\n');
	return LOOM_OK;
}

/* ---- one page ---- */

static const char style[] =
	"<style>body{font:1.1rem/1.5 Georgia,serif;max-width:36em;margin:2em auto;padding:0 1em}"
	"header{text-align:center;margin:6em 0}h1,h2{line-height:1.2}section{margin-top:4em}"
	"p{margin:0;text-indent:1.5em}h1+p,h2+p,h3+p,hr+p,p.item{text-indent:0}"
	"hr{border:0;text-align:center;margin:1em 0}hr::after{content:\"* * *\"}"
	"pre{white-space:pre-wrap}"
	"@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#9cf}}"
	"</style>\n";

static void add_page_top(struct loom_buf *out, const struct export_book *book)
{
	loom_buf_adds(out, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head>"
			   "<meta charset=\"utf-8\"/>\n"
			   "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
			   "<meta http-equiv=\"Content-Security-Policy\" "
			   "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n<title>");
	loom_xml_escape(out, book->title);
	loom_buf_addf(out, "</title>\n%s</head><body>\n<header>\n<h1>", style);
	loom_xml_escape(out, book->title);
	loom_buf_adds(out, "</h1>\n");
	if (book->by.n) {
		loom_buf_adds(out, "<p>");
		loom_xml_escape(out, book->by);
		loom_buf_adds(out, "</p>\n");
	}
	loom_buf_adds(out, "</header>\n");
}

enum loom_status export_book_html(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	struct export_book book;
	enum loom_status status = export_book_read(ex, tree, &book, err);

	if (status != LOOM_OK)
		return status;
	add_page_top(&ex->buf, &book);
	if (book.count > 1) {
		loom_buf_adds(&ex->buf, "<nav><ol>\n");
		for (size_t i = 0; i < book.count; i++) {
			loom_buf_addf(&ex->buf, "<li><a href=\"#c%zu\">", i + 1);
			loom_xml_escape(&ex->buf, book.chapters[i].name);
			loom_buf_adds(&ex->buf, "</a></li>\n");
		}
		loom_buf_adds(&ex->buf, "</ol></nav>\n");
	}
	for (size_t i = 0; i < book.count && status == LOOM_OK; i++) {
		loom_buf_addf(&ex->buf, "<section id=\"c%zu\">\n", i + 1);
		loom_xhtml_add(&ex->buf, book.chapters[i].text, 2 - book.level);
		loom_buf_adds(&ex->buf, "</section>\n");
		status = export_flow(ex, err);
	}
	loom_buf_adds(&ex->buf, "</body></html>\n");
	return status;
}
