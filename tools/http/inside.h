/* The parts of HTTP that do not depend on libcurl. */
#ifndef TOOLS_HTTP_IMPL_H
#define TOOLS_HTTP_IMPL_H

#include <loom/http/http.h>

/* Returns whether the host of a URL is a name or address of this machine. */
bool http_is_here(const char *host);
/* Returns whether the caller's options list the host as private. */
bool http_is_listed(const struct loom_http_opts *opts, const char *host);
/* Reads one line of an answer's head into *head; a status line resets it. */
void http_header(struct loom_str line, struct loom_http_head *head);
/* Fails with the status that an HTTP code means for a document: LOOM_NOT_FOUND for 404 and 410,
 * LOOM_IO for other failures. LOOM_OK for success. */
enum loom_status http_answer(long code, struct loom_err *err) LOOM_MUST;

/* The time limits of a stream, on the boot clock. */
struct http_clock {
	int64_t began;
	int64_t last; /* when the last byte came */
	int64_t idle_ms;
	int64_t total_ms;
};
/* Returns the milliseconds until a limit is reached; 0 or less: it was. */
int64_t http_left(const struct http_clock *clock);
/* Fills *err with the limit that was reached. Always returns LOOM_IO. */
enum loom_status http_late(const struct http_clock *clock, struct loom_err *err) LOOM_MUST;

#endif
