/* A second opinion on blocks that we emit: libxml2's, with a schema. */
#ifndef LOOM_TESTS_SUPPORT_XML_H
#define LOOM_TESTS_SUPPORT_XML_H

#include <loom/base/str.h>

/* Whether the text parses and the RELAX NG schema at `schema` holds. */
bool xml_is_valid(struct loom_str text, const char *schema);
/* The tree as lines: "thread_context thread=… objective=…", "asset type=… path=…", "ref thread=…",
 * two blanks a level, attributes in their order, comments and blanks left out; values as they are
 * meant, not as they are written. False when it does not parse. */
bool xml_outline(struct loom_str text, struct loom_buf *out);
/* The text of all elements, as it is meant. False when it does not parse. */
bool xml_text(struct loom_str page, struct loom_buf *out);

#endif
