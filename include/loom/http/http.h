/* HTTP requests with everything bounded that could go wrong: one document at once, or a stream.
 *
 * Documents come over https from any public host and over http from this machine only; private
 * addresses are allowed only for hosts that the caller lists. The address of the connection
 * decides, not the name, so a name that resolves differently the second time gains nothing. No
 * credentials, cookies, proxy or netrc; at most three redirects, none of them from outside to this
 * machine. */
#ifndef LOOM_HTTP_H
#define LOOM_HTTP_H

#include <loom/base/err.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

struct loom_http_opts {
	const struct loom_str *private_hosts; /* hosts that may have private addresses */
	size_t private_count;
	int timeout_ms;         /* for one URL with its redirects; 0: 5,000 */
	size_t max;             /* largest body in bytes; 0: 8 MiB */
	struct loom_task *task; /* cancels the request; may be NULL */
};

/* Fetches a document: appends its body to *body and its content type to *type. Blocks. Fails with
 * LOOM_REFUSED for a URL or an address that is not allowed, LOOM_LIMIT for too large a body,
 * LOOM_NOT_FOUND for 404 and 410, LOOM_CANCELLED when the task was cancelled, LOOM_FAULT when
 * libcurl is missing, LOOM_IO for any other failure. */
enum loom_status loom_http_get(struct loom_str url, const struct loom_http_opts *opts,
			       struct loom_buf *body, struct loom_buf *type,
			       struct loom_err *err) LOOM_MUST;

/* The networks that an address can belong to. */
enum loom_address { LOOM_ADDRESS_PUBLIC, LOOM_ADDRESS_PRIVATE, LOOM_ADDRESS_SELF };
struct sockaddr;
/* Classifies a socket address. Anything but IPv4 and IPv6 counts as private. */
enum loom_address loom_address_of(const struct sockaddr *address);

/* Streaming requests, driven by a loop, any number at a time. Each is a single hop: a redirect is
 * reported like any other answer. http goes to this machine only, https to any host the user named.
 * No callback runs inside begin or cancel. */
struct loom_loop;
struct loom_http_client;
struct loom_http_call;

struct loom_http_request {
	struct loom_str url;
	struct loom_str body;           /* p is NULL: a GET; otherwise posted */
	const struct loom_str *headers; /* "Name: value" */
	size_t header_count;
	struct loom_str secret_header; /* one more header, wiped when the call ends; empty: none */
	struct loom_str secret;        /* hidden in all messages; empty: nothing */
	struct loom_str proxy;         /* empty: none, whatever the environment says */
	int64_t connect_ms;            /* 0: 10,000 */
	int64_t idle_ms;               /* longest silence, before the first byte too; 0: 60,000 */
	int64_t total_ms;              /* 0: 600,000 */
	size_t max;                    /* largest body in bytes; 0: 8 MiB */
};

struct loom_http_head {
	int status;
	struct loom_str type;     /* Content-Type */
	struct loom_str location; /* target of a redirect */
	int64_t retry_after_ms;   /* -1: not given */
	int should_retry;         /* x-should-retry: 1 true, 0 false, -1 not given */
	bool encoded;             /* compressed although nobody asked for it */
};

enum loom_http_outcome {
	LOOM_HTTP_DONE,      /* the answer is complete, whatever its status */
	LOOM_HTTP_CANCELLED, /* by loom_http_cancel */
	LOOM_HTTP_UNREACHED, /* not one byte of an answer arrived */
	LOOM_HTTP_BROKEN,    /* the answer was cut off */
};

struct loom_http_result {
	enum loom_http_outcome outcome;
	bool transient;      /* unreached, but a retry may help */
	bool refused;        /* unreached and transient: nobody listens there */
	bool silent;         /* unreached: the request went out and no answer came in time */
	struct loom_err err; /* LOOM_OK when done */
};

struct loom_http_sink {
	/* Called once when an answer begins: before its first body byte, or before its end. */
	void (*head)(void *ctx, const struct loom_http_head *head);
	void (*body)(void *ctx, struct loom_str bytes);
	/* Called exactly once, unless the client is destroyed or the call dropped. The call is
	 * freed when this returns. */
	void (*end)(void *ctx, const struct loom_http_result *result);
	void *ctx;
};

/* Checks from its text alone whether a URL may be streamed from; *plain (nullable) becomes true for
 * http. Fails with LOOM_REFUSED. */
enum loom_status loom_http_judge(struct loom_str url, bool *plain, struct loom_err *err) LOOM_MUST;

/* Creates a client on `loop`, which is borrowed; free it with loom_http_client_destroy. It is idle
 * until a request begins. */
struct loom_http_client *loom_http_client_create(struct loom_loop *loop) LOOM_MUST;
/* Frees the client and drops all its calls without calling their sinks. NULL is allowed. */
void loom_http_client_destroy(struct loom_http_client *client);
/* Starts a request; copies it and the sink. *out is borrowed and valid until `end` returns. Fails
 * with LOOM_REFUSED for a URL that is not allowed and LOOM_FAULT when libcurl is missing; the sink
 * is not called then. */
enum loom_status loom_http_begin(struct loom_http_client *client,
				 const struct loom_http_request *request,
				 const struct loom_http_sink *sink, struct loom_http_call **out,
				 struct loom_err *err) LOOM_MUST;
/* Closes the connection. The sink hears only `end` after that, from the loop, as
 * LOOM_HTTP_CANCELLED. */
void loom_http_cancel(struct loom_http_call *call);
/* Closes the connection and frees the call without calling the sink. Not allowed inside a callback
 * of a sink. */
void loom_http_drop(struct loom_http_call *call);

#endif
