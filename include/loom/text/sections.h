/* The text of documents, without the store: word counts, and sections by heading. Pure. */
#ifndef LOOM_SECTIONS_H
#define LOOM_SECTIONS_H

#include <stdint.h>

#include <loom/base/err.h>
#include <loom/base/str.h>

/* The length of a text: words are runs between blanks, characters are code points. */
struct loom_text_size {
	int64_t words;
	int64_t chars;
	bool inside; /* the text ends inside a word, which the next text may continue */
};
/* Adds a text that continues the previous one. */
void loom_text_measure(struct loom_text_size *size, struct loom_str text);
/* Counts the words of one text. */
int64_t loom_word_count(struct loom_str text);
/* Appends a name for a text: the first words of its first line that has any, without the marks of a
 * heading or of emphasis. Nothing for a text without words. */
void loom_text_name(struct loom_str text, struct loom_buf *out);
/* Finds a section by its heading, ignoring case and marks. It includes the heading and ends before
 * the next one of the same or a higher level. LOOM_NOT_FOUND if there is none, LOOM_SYNTAX if two
 * headings are equal. */
enum loom_status loom_doc_section(struct loom_str text, struct loom_str name, size_t *out_from,
				  size_t *out_to, struct loom_err *err) LOOM_MUST;
/* A heading: `## The name ##`. */
struct loom_heading {
	int level;            /* 1 to 6 */
	struct loom_str name; /* without its marks */
};
/* A walk over the lines of a Markdown text. Start it with only `rest` set. */
struct loom_lines {
	struct loom_str rest;
	size_t fence; /* the length of the open fence, 0: none */
	char fence_char;
};
enum loom_line {
	LOOM_LINE_END,
	LOOM_LINE_TEXT,
	LOOM_LINE_HEADING,
	LOOM_LINE_FENCE, /* opens or closes a block of code */
	LOOM_LINE_CODE,  /* between two of those */
};
/* Takes the next line and says what it is. *heading is set only for a heading. */
enum loom_line loom_lines_next(struct loom_lines *walk, struct loom_str *out_line,
			       struct loom_heading *heading);
/* Returns whether a line is a break between scenes: three or more stars, dashes or low lines and
 * nothing else but blanks. */
bool loom_line_is_break(struct loom_str line);
/* Returns whether a line is a heading: one to six #, then a blank or nothing. */
bool loom_doc_is_heading(struct loom_str line);
/* Returns whether two names mean the same heading. */
bool loom_doc_same_section(struct loom_str a, struct loom_str b);

#endif
