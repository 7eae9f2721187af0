/* Markdown as XHTML: well-formed whatever the text is, with no letter lost, and what each mark
 * becomes. */
#include <greatest.h>

#include <loom/text/sections.h>
#include <loom/text/xhtml.h>

#include "support/prop.h"
#include "support/xml.h"

GREATEST_MAIN_DEFS();

#define CASES 20000

static struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

static struct loom_str rendered(struct loom_str text)
{
	loom_buf_clear(&out);
	loom_xhtml_add(&out, text, 0);
	return loom_buf_str(&out);
}

/* Text that leans towards marks. */
static void make_text(struct prop *prop, struct loom_buf *text)
{
	static const char *const pieces[] = {"*",    "**",      "***",   "_",     "__",    "`",
					     "``",   "\n",      "\n\n",  "\\",    "# ",    "## ",
					     "> ",   "- ",      "12. ",  "***\n", "  \n",  "a",
					     "b c",  " ",       "word ", "<p>",   "&amp;", "]]>",
					     "\r\n", "\n```\n", "~~~\n", "\t",    "    "};

	const bool quotes = prop_once_in(prop, 2);

	loom_buf_clear(text);
	for (size_t i = prop_size(prop, 60); i > 0; i--) {
		if (prop_once_in(prop, 12))
			prop_text(prop, 4, text);
		else
			loom_buf_adds(text, pieces[prop_below(prop, LOOM_COUNT(pieces))]);
	}
	/* A fence inside a quote names its language too. */
	for (size_t i = 0; i < text->n; i++)
		if (quotes ? text->p[i] == '`' || text->p[i] == '~' : text->p[i] == '>')
			text->p[i] = '!';
}

/* ASCII letters only: no mark that is understood has any. */
static void add_letters(struct loom_buf *to, struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((text.p[i] | 0x20) >= 'a' && (text.p[i] | 0x20) <= 'z')
			loom_buf_addc(to, text.p[i]);
}

/* A fence may name a language, which is no part of the text. */
static void add_lines(struct loom_buf *to, struct loom_str text)
{
	struct loom_lines walk = {.rest = text};
	struct loom_heading heading;
	struct loom_str line;
	enum loom_line kind;

	while ((kind = loom_lines_next(&walk, &line, &heading)) != LOOM_LINE_END)
		if (kind != LOOM_LINE_FENCE)
			add_letters(to, line);
}

TEST any_text_is_well_formed_and_keeps_its_letters(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf page = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf meant = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf letters[2] = {LOOM_BUF_INIT(LOOM_BUF_MAX), LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct prop prop;

	prop_init(&prop, "Markdown");
	for (int i = 0; i < CASES; i++) {
		make_text(&prop, &text);
		loom_buf_clear(&page);
		loom_buf_clear(&meant);
		loom_buf_clear(&letters[0]);
		loom_buf_clear(&letters[1]);
		rendered(loom_buf_str(&text));
		loom_buf_addf(&page, "<x>%s</x>", loom_buf_cstr(&out));
		ASSERT(xml_text(loom_buf_str(&page), &meant));
		add_lines(&letters[0], loom_buf_str(&text));
		add_letters(&letters[1], loom_buf_str(&meant));
		ASSERT_STR_EQ(loom_buf_cstr(&letters[0]), loom_buf_cstr(&letters[1]));
	}
	loom_buf_fini(&text);
	loom_buf_fini(&page);
	loom_buf_fini(&meant);
	loom_buf_fini(&letters[0]);
	loom_buf_fini(&letters[1]);
	loom_buf_fini(&out);
	PASS();
}

TEST each_mark_becomes_what_it_means(void)
{
	static const struct {
		const char *text;
		const char *page;
	} cases[] = {
		{"One\nline.\n\nTwo.", "<p>One\nline.</p>\n<p>Two.</p>\n"},
		{"*a* _b_ **c** ***d***",
		 "<p><em>a</em> <em>b</em> <strong>c</strong> <strong><em>d</em></strong></p>\n"},
		{"*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>\n"},
		{"snake_case_name, 2 * 3 * 4, *open", "<p>snake_case_name, 2 * 3 * 4, *open</p>\n"},
		{"\\*not\\* a\\b", "<p>*not* a\\b</p>\n"},
		{"`a * b` ``c`d``", "<p><code>a * b</code> <code>c`d</code></p>\n"},
		{"a  \nb\\\nc", "<p>a  <br/>\nb<br/>\nc</p>\n"},
		{"## The *sea* ##\nText", "<h2>The *sea</h2>\n<p>Text</p>\n"},
		{"a\n\n* * *\n\nb", "<p>a</p>\n<hr/>\n<p>b</p>\n"},
		{"> a\n>\n> b\n\nc", "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>\n<p>c</p>\n"},
		{"- a\n- b\n3. c", "<p class=\"item\">• a</p>\n<p class=\"item\">• b</p>\n"
				   "<p class=\"item\">3. c</p>\n"},
		{"```c\n<x>\n```\n", "<pre><code>&lt;x&gt;\n</code></pre>\n"},
		{"```\nopen", "<pre><code>open\n</code></pre>\n"},
		{"    indented", "<p>indented</p>\n"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		rendered(loom_str_of(cases[i].text));
		ASSERT_STR_EQ(cases[i].page, loom_buf_cstr(&out));
	}
	loom_buf_fini(&out);
	PASS();
}

/* What could take quadratic time does not: unclosed marks in one paragraph. */
TEST a_million_unclosed_marks_are_text(void)
{
	static const char *const marks[] = {"*a ", "_a ", "`a ", "**a _b "};

	for (size_t i = 0; i < LOOM_COUNT(marks); i++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

		for (int k = 0; k < 300000; k++)
			loom_buf_adds(&text, marks[i]);
		loom_buf_addc(&text, '\\');
		ASSERT(rendered(loom_buf_str(&text)).n > text.n);
		loom_buf_fini(&out);
		loom_buf_fini(&text);
	}
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(any_text_is_well_formed_and_keeps_its_letters);
	RUN_TEST(each_mark_becomes_what_it_means);
	RUN_TEST(a_million_unclosed_marks_are_text);
	GREATEST_MAIN_END();
}
