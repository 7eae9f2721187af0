/* Writes foreign names, links and contents as Markdown they cannot break out of. Pure. */
#ifndef LOOM_MARKDOWN_H
#define LOOM_MARKDOWN_H

#include <loom/base/str.h>

/* Appends a name or path on one line of UTF-8, with control characters and malformed bytes as
 * \xHH. */
void model_put_name(struct loom_buf *out, struct loom_str name);
/* Appends a Markdown link to a path (with "/" before its destination) or a URL. */
void model_put_link(struct loom_buf *out, struct loom_str target, bool url);
/* Appends `text` as a code span for use around a link. */
void model_put_span(struct loom_buf *out, struct loom_str text);
/* Appends a fenced block that its content cannot close; `info` may be empty. */
void model_put_fence(struct loom_buf *out, struct loom_str info, struct loom_str content);

#endif
