/* What HTTP needs that is not the library's. */
#ifndef TOOLS_HTTP_IMPL_H
#define TOOLS_HTTP_IMPL_H

#include <loom/http.h>

/* Whether the host of a URL is this machine by name; whether the user lists it as private. */
bool tool_http_is_here(const char *host);
bool tool_http_is_listed(const struct loom_http_opts *opts, const char *host);
/* Takes a line of an answer's head into account; the line of a status begins anew. */
void tool_http_header(struct loom_str line, struct loom_http_head *head);
/* Takes every trace of the secret out of a message. */
void tool_http_redact(char *text, struct loom_str secret);

#endif
