/* Text as XHTML: escaped, or with its Markdown rendered. Whatever the text is, what is written is
 * well-formed XML. Pure. */
#ifndef LOOM_XHTML_H
#define LOOM_XHTML_H

#include <loom/base/str.h>

/* Appends a text, escaped for XML and HTML. */
void loom_xml_escape(struct loom_buf *out, struct loom_str text);
/* Appends a Markdown text as blocks: headings, paragraphs, quotes, list items, breaks between
 * scenes, code; in them emphasis and code. Everything else stays as it is written. `deeper` is
 * added to the levels of headings. */
void loom_xhtml_add(struct loom_buf *out, struct loom_str text, int deeper);

#endif
