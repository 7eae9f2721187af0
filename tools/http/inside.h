/* What HTTP needs that is not the library's. */
#ifndef TOOLS_HTTP_IMPL_H
#define TOOLS_HTTP_IMPL_H

#include <loom/http/http.h>

/* Whether the host of a URL is this machine by name; whether the user lists it as private. */
bool http_is_here(const char *host);
bool http_is_listed(const struct loom_http_opts *opts, const char *host);
/* Takes a line of an answer's head into account; the line of a status begins anew. */
void http_header(struct loom_str line, struct loom_http_head *head);
/* What a status says of one document. */
enum loom_status http_answer(long code, struct loom_err *err) LOOM_MUST;

/* How long a stream may take, by the boot clock. */
struct http_clock {
	int64_t began;
	int64_t last; /* byte */
	int64_t idle_ms;
	int64_t total_ms;
};
/* Until it is late, ms; 0 or less: it is. */
int64_t http_left(const struct http_clock *clock);
/* Says of one that is late which of the two it was. */
enum loom_status http_late(const struct http_clock *clock, struct loom_err *err) LOOM_MUST;

#endif
