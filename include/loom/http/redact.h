/* Finds an API key in foreign text however it is spelled there: literally, with backslashes, as
 * \u0027 in JSON, %27 in URLs or &#39; in HTML, and with these escaped again. */
#ifndef TOOLS_REDACT_IMPL_H
#define TOOLS_REDACT_IMPL_H

#include <loom/base/str.h>

/* Returns the offset of the first occurrence of `secret` in `text` at or after `from` and sets
 * *out_n to its length in bytes. Returns SIZE_MAX when there is none; an empty secret is never
 * found. */
size_t http_secret_find(struct loom_str text, struct loom_str secret, size_t from, size_t *out_n);
/* Returns how many bytes at the end of `text` could be the beginning of the secret. */
size_t http_secret_begun(struct loom_str text, struct loom_str secret);
/* Overwrites every occurrence of the secret in the `n` bytes at `text` with asterisks. */
void http_secret_hide(char *text, size_t n, struct loom_str secret);

#endif
