/* Fetching one document over HTTP, with everything that could go wrong bounded.
 *
 * https anywhere public; http only from this machine itself; private addresses only for hosts that
 * the caller lists. It is the connected address that decides, not the name, so that a name that
 * resolves differently the second time gains nothing. No credentials, no cookies, no proxy, no
 * netrc; at most three redirects, none from the outside to this machine. */
#ifndef LOOM_HTTP_H
#define LOOM_HTTP_H

#include <loom/base/err.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

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

/* Requests whose answers stream, driven by a loop; any number at a time, each of them one hop: a
 * redirect is an answer like another. http only to this machine, https to anybody the user named.
 * Nothing is called from within begin or cancel. */
struct loom_loop;
struct loom_http_client;
struct loom_http_call;

struct loom_http_request {
	struct loom_str url;
	struct loom_str body;           /* posted when p is not NULL, else it is a GET */
	const struct loom_str *headers; /* "Name: value" */
	size_t header_count;
	struct loom_str secret_header; /* one more, wiped when the call ends; empty: none */
	struct loom_str secret;        /* what no message may hold; empty: nothing */
	struct loom_str proxy;         /* empty: none, whatever the environment says */
	int64_t connect_ms;            /* 0: 10,000 */
	int64_t idle_ms;  /* without a byte, the wait for the first one too; 0: 60,000 */
	int64_t total_ms; /* 0: 600,000 */
	size_t max;       /* bytes of the body; 0: 8 MiB */
};

struct loom_http_head {
	int status;
	struct loom_str type;     /* Content-Type */
	struct loom_str location; /* where a redirect points to */
	int64_t retry_after_ms;   /* -1: not said */
	int should_retry;         /* x-should-retry: 1 true, 0 false, -1 not said */
	bool encoded;             /* compressed although nobody asked */
};

enum loom_http_outcome {
	LOOM_HTTP_DONE,      /* the answer is whole, whatever its status */
	LOOM_HTTP_CANCELLED, /* by loom_http_cancel */
	LOOM_HTTP_UNREACHED, /* no byte of an answer came */
	LOOM_HTTP_BROKEN,    /* the answer broke off, or was cut off */
};

struct loom_http_result {
	enum loom_http_outcome outcome;
	bool transient;      /* unreached, and trying again may help */
	bool silent;         /* unreached: it was asked, and said nothing in time */
	struct loom_err err; /* LOOM_OK when done */
};

struct loom_http_sink {
	/* Once an answer has begun: before its first body byte, or its end. */
	void (*head)(void *ctx, const struct loom_http_head *head);
	void (*body)(void *ctx, struct loom_str bytes);
	/* Exactly once, unless the client was destroyed; the call is gone when it returns. */
	void (*end)(void *ctx, const struct loom_http_result *result);
	void *ctx;
};

/* Whether a stream may be asked of this URL, as far as its text says; *plain (nullable) is true for
 * http. */
enum loom_status loom_http_judge(struct loom_str url, bool *plain, struct loom_err *err) LOOM_MUST;

/* A client on this loop (borrowed), idle until a request is started. */
struct loom_http_client *loom_http_client_create(struct loom_loop *loop) LOOM_MUST;
/* Drops all calls without a word. NULL is fine. */
void loom_http_client_destroy(struct loom_http_client *client);
/* Copies the request. LOOM_REFUSED for a URL that is not asked. */
enum loom_status loom_http_begin(struct loom_http_client *client,
				 const struct loom_http_request *request,
				 const struct loom_http_sink *sink, struct loom_http_call **out,
				 struct loom_err *err) LOOM_MUST;
/* Closes the connection; only `end` is called after it. */
void loom_http_cancel(struct loom_http_call *call);
/* Closes it without a word; not from within a function of a sink. */
void loom_http_drop(struct loom_http_call *call);

#endif
