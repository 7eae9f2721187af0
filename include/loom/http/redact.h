/* A key in what others say, in whatever way it is spelled there: as it is, with backslashes, in
 * JSON's \u0027, %27 of URLs, &#39; of HTML, and these escaped again. */
#ifndef TOOLS_REDACT_IMPL_H
#define TOOLS_REDACT_IMPL_H

#include <loom/base/str.h>

/* Where the secret stands in `text` at or behind `from`, and how many bytes of it; SIZE_MAX when it
 * does not. An empty secret is nowhere. */
size_t http_secret_find(struct loom_str text, struct loom_str secret, size_t from, size_t *out_n);
/* How many bytes at the end of `text` could be the beginning of it. */
size_t http_secret_begun(struct loom_str text, struct loom_str secret);
/* Puts asterisks in its place, wherever it stands in the `n` bytes at `text`. */
void http_secret_hide(char *text, size_t n, struct loom_str secret);

#endif
