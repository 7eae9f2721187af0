/* Fetching one document over HTTP, with everything that could go wrong bounded.
 *
 * https anywhere public; http only from this machine itself; private addresses only for hosts that
 * the caller lists. It is the connected address that decides, not the name, so that a name that
 * resolves differently the second time gains nothing. No credentials, no cookies, no proxy, no
 * netrc; at most three redirects, none from the outside to this machine. */
#ifndef LOOM_HTTP_H
#define LOOM_HTTP_H

#include <loom/err.h>
#include <loom/str.h>
#include <loom/task.h>

struct loom_http_opts {
	const struct loom_str *private_hosts; /* may have private addresses */
	size_t private_count;
	int timeout_ms;         /* for one URL with its redirects; 0: 5,000 */
	size_t max;             /* bytes of the body; 0: 8 MiB */
	struct loom_task *task; /* cancels; may be NULL */
};

/* Appends the body to *body and the content type to *type. LOOM_REFUSED for a URL or an address
 * that may not be asked, LOOM_LIMIT for too large a body, LOOM_NOT_FOUND for 404 and 410, LOOM_IO
 * for everything else that fails, LOOM_CANCELLED. */
enum loom_status loom_http_get(struct loom_str url, const struct loom_http_opts *opts,
			       struct loom_buf *body, struct loom_buf *type,
			       struct loom_err *err) LOOM_MUST;

/* What an address may be reached for. */
enum loom_address { LOOM_ADDRESS_PUBLIC, LOOM_ADDRESS_PRIVATE, LOOM_ADDRESS_SELF };
struct sockaddr;
/* Which of them a socket address is; what is neither IPv4 nor IPv6 is private. */
enum loom_address loom_address_of(const struct sockaddr *address);

#endif
