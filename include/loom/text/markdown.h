/* Markdown around what is not ours: names, links, fences that their content cannot close. Pure. */
#ifndef LOOM_MARKDOWN_H
#define LOOM_MARKDOWN_H

#include <loom/base/str.h>

/* A name or path on one line of UTF-8: control characters and malformed bytes as \xHH. */
void model_put_name(struct loom_buf *out, struct loom_str name);
/* The Markdown link of a path ("/" before its destination) or a URL. */
void model_put_link(struct loom_buf *out, struct loom_str target, bool url);
/* A code span around a link. */
void model_put_span(struct loom_buf *out, struct loom_str text);
/* A fence that its content cannot close; `info` may be empty. */
void model_put_fence(struct loom_buf *out, struct loom_str info, struct loom_str content);

#endif
