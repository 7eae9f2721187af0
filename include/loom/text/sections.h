/* The text of a document, without the store: words, and sections by their headings. Pure. */
#ifndef LOOM_SECTIONS_H
#define LOOM_SECTIONS_H

#include <stdint.h>

#include <loom/base/err.h>
#include <loom/base/str.h>

/* How long a text is: words are runs between blanks, characters are code points. */
struct loom_text_size {
	int64_t words;
	int64_t chars;
	bool inside; /* it ends in a word, which what comes next may go on with */
};
/* Adds a text that goes on where the one before ended. */
void loom_text_measure(struct loom_text_size *size, struct loom_str text);
/* Its words alone. */
int64_t loom_word_count(struct loom_str text);
/* Where a section stands, heading included, up to the next heading of its level or above.
 * Headings are matched without case and marks; LOOM_SYNTAX when two are equal. */
enum loom_status loom_doc_section(struct loom_str text, struct loom_str name, size_t *out_from,
				  size_t *out_to, struct loom_err *err) LOOM_MUST;
/* Whether a line is a heading: one to six #, then a blank or nothing. */
bool loom_doc_is_heading(struct loom_str line);
/* Whether two names mean the same heading. */
bool loom_doc_same_section(struct loom_str a, struct loom_str b);

#endif
