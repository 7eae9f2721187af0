/* HTTP through libcurl with everything disabled that is not needed: single documents, and streams
 * driven by a loop.
 *
 * Redirects of documents are followed here rather than by libcurl, so that every hop passes the
 * same checks; a stream follows none. The address is judged when its socket is opened. libcurl must
 * not be called from its own callbacks, so streams begin and are cancelled from the loop. */
#include <loom/http/http.h>

#include <sys/socket.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <loom/base/env.h>
#include <loom/base/library.h>
#include <loom/loop/loop.h>

#include "inside.h"
#include <loom/http/redact.h>

#define HOPS_MAX    3
#define BODY_MAX    ((size_t)8 << 20)
#define HEADERS_MAX ((size_t)64 << 10)

/* The functions used of libcurl, which is loaded with the first request: without it and the thirty
 * libraries it needs, a program that only shows a node starts in half the time. */
/* clang-format off */
#define CURL_LIB(X) \
	X(easy_init) X(easy_setopt) X(easy_getinfo) X(easy_perform) X(easy_cleanup) \
	X(easy_strerror) X(slist_append) X(slist_free_all) X(free) X(url) X(url_set) X(url_get) \
	X(url_cleanup) X(multi_init) X(multi_setopt) X(multi_add_handle) X(multi_remove_handle) \
	X(multi_socket_action) X(multi_info_read) X(multi_cleanup)
/* clang-format on */

struct curl_lib {
#define X(name) __typeof__(&(curl_##name)) name;
	CURL_LIB(X)
#undef X
};

static enum loom_status load(struct curl_lib *lib, struct loom_err *err)
{
	static const char *const files[] = {"libcurl.so.4", "libcurl.4.dylib", "libcurl.so", NULL};
	static const struct loom_symbol symbols[] = {
#define X(name) {"curl_" #name, offsetof(struct curl_lib, name)},
		CURL_LIB(X)
#undef X
	};

	if (loom_library_load(files, symbols, LOOM_COUNT(symbols), lib))
		return LOOM_OK;
	loom_fail(err, LOOM_FAULT, "libcurl is not installed; without it no request can be made");
	return loom_hint(err, LOOM_FAULT, "install libcurl (Debian: libcurl4)");
}

struct fetch {
	const struct curl_lib *lib;
	const struct loom_http_opts *opts;
	int64_t until;
	size_t max;
	bool began_here; /* the requested URL is on this machine */
	/* of this hop */
	bool host_here;   /* its host is named as this machine */
	bool host_listed; /* its host may have a private address */
	bool http;
	bool refused;
	bool too_large;
	size_t headers;
	struct loom_buf *body;
	char error[CURL_ERROR_SIZE];
};

static enum loom_status refuse(struct loom_err *err, const char *why)
{
	return loom_fail(err, LOOM_REFUSED, "%s", why);
}

/* Judges a hop's scheme, credentials and host before sending anything. */
static enum loom_status judge_parts(struct fetch *fetch, CURLU *url, struct loom_err *err)
{
	char *scheme = NULL;
	char *host = NULL;
	char *user = NULL;
	enum loom_status status = LOOM_OK;

	if (fetch->lib->url_get(url, CURLUPART_SCHEME, &scheme, 0) ||
	    fetch->lib->url_get(url, CURLUPART_HOST, &host, 0)) {
		status = refuse(err, "the URL has no host");
	} else if (fetch->lib->url_get(url, CURLUPART_USER, &user, 0) == CURLUE_OK) {
		status = refuse(err, "a URL may not contain a user name");
	} else {
		fetch->http = strcmp(scheme, "http") == 0;
		fetch->host_here = http_is_here(host);
		fetch->host_listed = http_is_listed(fetch->opts, host);
		if (!fetch->http && strcmp(scheme, "https") != 0)
			status = refuse(err, "only https URLs are fetched");
		else if (fetch->http && !fetch->host_here)
			status = refuse(err, "http is fetched from this machine only; use https");
	}
	fetch->lib->free(scheme);
	fetch->lib->free(host);
	fetch->lib->free(user);
	return status;
}

static enum loom_status judge_url(struct fetch *fetch, const char *text, struct loom_err *err)
{
	CURLU *url = fetch->lib->url();
	enum loom_status status = LOOM_OK;

	if (!url || fetch->lib->url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME))
		status = refuse(err, "the URL is malformed");
	else
		status = judge_parts(fetch, url, err);
	fetch->lib->url_cleanup(url);
	return status;
}

static bool may_connect(const struct fetch *fetch, enum loom_address address)
{
	if (address == LOOM_ADDRESS_SELF)
		return fetch->host_listed || (fetch->host_here && fetch->began_here);
	if (fetch->http || fetch->host_here)
		return false;
	return address == LOOM_ADDRESS_PUBLIC || fetch->host_listed;
}

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct fetch *fetch = ctx;

	(void)purpose;
	if (!may_connect(fetch, loom_address_of(&address->addr))) {
		fetch->refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *ctx)
{
	struct fetch *fetch = ctx;
	size_t n = size * count;

	if (n > fetch->max - fetch->body->n) {
		fetch->too_large = true;
		return 0;
	}
	loom_buf_add(fetch->body, loom_str_make(bytes, n));
	return n;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *ctx)
{
	struct fetch *fetch = ctx;

	(void)bytes;
	fetch->headers += size * count;
	fetch->too_large = fetch->too_large || fetch->headers > HEADERS_MAX;
	return fetch->too_large ? 0 : size * count;
}

static int look_for_cancel(void *ctx, curl_off_t total, curl_off_t now, curl_off_t up_total,
			   curl_off_t up_now)
{
	const struct fetch *fetch = ctx;

	(void)total, (void)now, (void)up_total, (void)up_now;
	return loom_task_cancelled(fetch->opts->task);
}

/* Sets the options of every request and returns how many failed. */
static unsigned set_safe(const struct curl_lib *lib, CURL *curl, char *error)
{
	unsigned failed = 0;

	failed |= lib->easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	failed |= lib->easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https");
	failed |= lib->easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	failed |= lib->easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	failed |= lib->easy_setopt(curl, CURLOPT_PROXY, "");
	failed |= lib->easy_setopt(curl, CURLOPT_UNRESTRICTED_AUTH, 0L);
	failed |= lib->easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	failed |= lib->easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
	failed |= lib->easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	failed |= lib->easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	failed |= lib->easy_setopt(curl, CURLOPT_USERAGENT, "loom");
	failed |= lib->easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
	return failed;
}

/* Sets the options of every hop; returns false when libcurl rejects one. */
static bool set_up(CURL *curl, struct fetch *fetch)
{
	unsigned failed = set_safe(fetch->lib, curl, fetch->error);

	failed |= fetch->lib->easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	failed |= fetch->lib->easy_setopt(curl, CURLOPT_OPENSOCKETDATA, fetch);
	failed |= fetch->lib->easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	failed |= fetch->lib->easy_setopt(curl, CURLOPT_WRITEDATA, fetch);
	failed |= fetch->lib->easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	failed |= fetch->lib->easy_setopt(curl, CURLOPT_HEADERDATA, fetch);
	failed |= fetch->lib->easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	failed |= fetch->lib->easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_for_cancel);
	failed |= fetch->lib->easy_setopt(curl, CURLOPT_XFERINFODATA, fetch);
	return !failed;
}

static enum loom_status explain(const struct fetch *fetch, CURLcode code, struct loom_err *err)
{
	if (loom_task_cancelled(fetch->opts->task))
		return loom_fail(err, LOOM_CANCELLED, "interrupted");
	if (fetch->refused) {
		refuse(err, "the address is private, or of this machine");
		return loom_hint(
			err, LOOM_REFUSED,
			"list the host under private_hosts in your configuration to allow it");
	}
	if (fetch->too_large)
		return loom_fail(err, LOOM_LIMIT, "the answer is larger than %zu bytes",
				 fetch->max);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return loom_fail(err, LOOM_IO, "no answer in time");
	return loom_fail(err, LOOM_IO, "%s",
			 fetch->error[0] ? fetch->error : fetch->lib->easy_strerror(code));
}

/* Sends one request. *next is the target of a redirect, borrowed from the handle until the next
 * hop. */
static enum loom_status hop(CURL *curl, struct fetch *fetch, const char *url, const char **next,
			    struct loom_err *err)
{
	enum loom_status status = judge_url(fetch, url, err);
	int64_t left = fetch->until - loom_env_boot();
	long answer = 0;
	char *target = NULL;
	CURLcode code = CURLE_OK;

	if (status != LOOM_OK)
		return status;
	if (left <= 0)
		return loom_fail(err, LOOM_IO, "no answer in time");
	loom_buf_clear(fetch->body);
	fetch->headers = 0;
	fetch->error[0] = '\0';
	if (fetch->lib->easy_setopt(curl, CURLOPT_URL, url) ||
	    fetch->lib->easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)left))
		return loom_fail(err, LOOM_IO, "the URL cannot be fetched");
	code = fetch->lib->easy_perform(curl);
	if (code != CURLE_OK)
		return explain(fetch, code, err);
	fetch->lib->easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer);
	fetch->lib->easy_getinfo(curl, CURLINFO_REDIRECT_URL, &target);
	*next = answer >= 300 && answer < 400 ? target : NULL;
	return *next ? LOOM_OK : http_answer(answer, err);
}

static enum loom_status follow(CURL *curl, struct fetch *fetch, struct loom_str url,
			       struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(65536);
	const char *next = NULL;
	enum loom_status status = LOOM_OK;

	loom_buf_add(&text, url);
	status = judge_url(fetch, loom_buf_cstr(&text), err);
	fetch->began_here = fetch->host_here;
	for (int hops = 0; status == LOOM_OK; hops++) {
		status = hop(curl, fetch, loom_buf_cstr(&text), &next, err);
		if (status != LOOM_OK || !next)
			break;
		if (hops == HOPS_MAX)
			status = loom_fail(err, LOOM_IO, "more than %d redirects", HOPS_MAX);
		loom_buf_clear(&text);
		loom_buf_adds(&text, next);
	}
	loom_buf_fini(&text);
	return status;
}

enum loom_status loom_http_get(struct loom_str url, const struct loom_http_opts *opts,
			       struct loom_buf *body, struct loom_buf *type, struct loom_err *err)
{
	struct loom_buf answer = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct curl_lib lib;
	struct fetch fetch = {
		.lib = &lib,
		.opts = opts,
		.until = loom_env_boot() + (opts->timeout_ms ? opts->timeout_ms : 5000),
		.max = opts->max ? opts->max : BODY_MAX,
		.body = &answer,
	};
	CURL *curl = NULL;
	char *content_type = NULL;
	enum loom_status status = load(&lib, err);

	if (status != LOOM_OK)
		return status;
	curl = lib.easy_init();
	if (!curl || !set_up(curl, &fetch))
		status = loom_fail(err, LOOM_FAULT, "this libcurl lacks a required option");
	else if (url.n && memchr(url.p, '\0', url.n))
		status = refuse(err, "the URL is malformed");
	else
		status = follow(curl, &fetch, url, err);
	if (status == LOOM_OK) {
		fetch.lib->easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &content_type);
		loom_buf_add(body, loom_buf_str(&answer));
		loom_buf_adds(type, content_type ? content_type : "");
	}
	fetch.lib->easy_cleanup(curl);
	loom_buf_fini(&answer);
	return status;
}

/* ---- streams ---- */

struct loom_http_call {
	struct loom_http_client *client;
	struct loom_http_call *next;
	struct loom_http_sink sink;
	CURL *curl;
	struct curl_slist *headers;
	struct loom_buf body;
	struct loom_buf secret;
	bool plain; /* http: to this machine only */
	bool added; /* to the multi handle */
	bool cancelled;
	bool headed;  /* the head was reported */
	bool refused; /* for an address that is not allowed */
	bool too_large;
	bool late; /* a deadline passed */
	struct http_clock clock;
	int64_t connect_ms;
	size_t max;
	size_t got;
	size_t header_bytes;
	struct loom_http_head head;
	uint64_t timer;
	char error[CURL_ERROR_SIZE];
};

struct loom_http_client {
	struct loom_loop *loop;
	struct curl_lib lib;
	CURLM *multi; /* NULL: no request was made yet */
	struct loom_http_call *calls;
	uint64_t timer;  /* libcurl's */
	uint64_t chores; /* ours */
};

static curl_socket_t open_stream_socket(void *ctx, curlsocktype purpose,
					struct curl_sockaddr *address)
{
	struct loom_http_call *call = ctx;

	(void)purpose;
	if (call->plain && loom_address_of(&address->addr) != LOOM_ADDRESS_SELF) {
		call->refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t take_stream_header(char *bytes, size_t size, size_t count, void *ctx)
{
	struct loom_http_call *call = ctx;
	struct loom_str line = loom_str_make(bytes, size * count);

	call->clock.last = loom_env_boot();
	call->header_bytes += line.n;
	if (call->header_bytes > HEADERS_MAX) {
		call->too_large = true;
		return 0;
	}
	http_header(line, &call->head);
	return line.n;
}

static void tell_head(struct loom_http_call *call)
{
	struct loom_http_head head = call->head;
	char *type = NULL;
	char *location = NULL;
	long status = 0;
	curl_off_t seconds = 0;

	if (call->headed)
		return;
	call->headed = true;
	call->client->lib.easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status);
	call->client->lib.easy_getinfo(call->curl, CURLINFO_CONTENT_TYPE, &type);
	call->client->lib.easy_getinfo(call->curl, CURLINFO_REDIRECT_URL, &location);
	call->client->lib.easy_getinfo(call->curl, CURLINFO_RETRY_AFTER, &seconds);
	if (head.retry_after_ms < 0 && seconds > 0)
		head.retry_after_ms = seconds > INT32_MAX / 1000 ? INT32_MAX : seconds * 1000;
	head.status = (int)status;
	head.type = loom_str_of(type);
	head.location = loom_str_of(location);
	call->sink.head(call->sink.ctx, &head);
}

static size_t take_stream_body(char *bytes, size_t size, size_t count, void *ctx)
{
	struct loom_http_call *call = ctx;
	size_t n = size * count;

	call->clock.last = loom_env_boot();
	if (call->cancelled)
		return 0;
	tell_head(call);
	if (n > call->max - call->got) {
		call->too_large = true;
		return 0;
	}
	call->got += n;
	if (!call->cancelled)
		call->sink.body(call->sink.ctx, loom_str_make(bytes, n));
	return call->cancelled ? 0 : n;
}

/* Whether the request was sent. */
static bool was_asked(const struct loom_http_call *call)
{
	long bytes = 0;

	call->client->lib.easy_getinfo(call->curl, CURLINFO_REQUEST_SIZE, &bytes);
	return bytes > 0;
}

static void explain_stream(struct loom_http_call *call, CURLcode code, struct loom_err *err)
{
	const char *why = call->error[0] ? call->error : call->client->lib.easy_strerror(code);

	http_secret_hide(call->error, strlen(call->error), loom_buf_str(&call->secret));
	if (call->cancelled)
		loom_fail(err, LOOM_CANCELLED, "cancelled");
	else if (call->refused)
		loom_fail(err, LOOM_REFUSED, "http goes to this machine only; use https");
	else if (call->header_bytes > HEADERS_MAX ||
		 (!call->headed && code == CURLE_OUT_OF_MEMORY)) /* by a single line */
		loom_fail(err, LOOM_LIMIT, "the answer's head is larger than %zu bytes",
			  HEADERS_MAX);
	else if (call->too_large)
		loom_fail(err, LOOM_LIMIT, "the answer is larger than %zu bytes", call->max);
	else if (call->late)
		(void)!http_late(&call->clock, err);
	else
		loom_fail(err, LOOM_IO, "%s", why);
}

static bool is_transient(const struct loom_http_call *call, CURLcode code)
{
	if (call->refused || call->too_large || call->late)
		return false;
	return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
	       code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT ||
	       code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
	       code == CURLE_SSL_CONNECT_ERROR;
}

static void free_call(struct loom_http_call *call)
{
	struct loom_http_call **at = &call->client->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	loom_loop_timer_cancel(call->client->loop, call->timer);
	if (call->added)
		call->client->lib.multi_remove_handle(call->client->multi, call->curl);
	call->client->lib.easy_cleanup(call->curl);
	for (struct curl_slist *item = call->headers; item; item = item->next)
		explicit_bzero(item->data, strlen(item->data));
	call->client->lib.slist_free_all(call->headers);
	if (call->secret.p)
		explicit_bzero(call->secret.p, call->secret.cap);
	loom_buf_fini(&call->secret);
	loom_buf_fini(&call->body);
	free(call);
}

static void end_call(struct loom_http_call *call, CURLcode code)
{
	struct loom_http_sink sink = call->sink;
	struct loom_http_result result = {LOOM_HTTP_DONE, .refused = code == CURLE_COULDNT_CONNECT};

	if (code == CURLE_OK && !call->cancelled) {
		tell_head(call);
	} else {
		explain_stream(call, code, &result.err);
		result.outcome = call->headed ? LOOM_HTTP_BROKEN : LOOM_HTTP_UNREACHED;
		result.transient = !call->headed && is_transient(call, code);
		result.silent = !call->headed && call->late && was_asked(call);
	}
	if (call->cancelled) { /* perhaps by the callback that just got the head */
		result.outcome = LOOM_HTTP_CANCELLED;
		loom_fail(&result.err, LOOM_CANCELLED, "cancelled");
	}
	free_call(call);
	sink.end(sink.ctx, &result);
}

static void collect(struct loom_http_client *client)
{
	CURLMsg *message = NULL;
	int left = 0;

	while ((message = client->lib.multi_info_read(client->multi, &left)) != NULL) {
		struct loom_http_call *call = NULL;
		CURLcode code = message->data.result;

		if (message->msg != CURLMSG_DONE)
			continue;
		client->lib.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call);
		end_call(call, code);
	}
}

static void on_ready(void *ctx, int fd, unsigned events)
{
	struct loom_http_client *client = ctx;
	int mask = (events & LOOM_LOOP_READ ? CURL_CSELECT_IN : 0) |
		   (events & LOOM_LOOP_WRITE ? CURL_CSELECT_OUT : 0) |
		   (events & LOOM_LOOP_ERROR ? CURL_CSELECT_ERR : 0);
	int running = 0;

	client->lib.multi_socket_action(client->multi, fd, mask, &running);
	collect(client);
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *own)
{
	struct loom_http_client *client = ctx;
	unsigned events = what == CURL_POLL_REMOVE
				  ? 0
				  : (what & CURL_POLL_IN ? LOOM_LOOP_READ : 0) |
					    (what & CURL_POLL_OUT ? LOOM_LOOP_WRITE : 0);

	(void)easy;
	(void)own;
	loom_loop_watch(client->loop, fd, events, on_ready, client);
	return 0;
}

static void on_curl_timer(void *ctx)
{
	struct loom_http_client *client = ctx;
	int running = 0;

	client->timer = 0;
	client->lib.multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	collect(client);
}

static int set_curl_timer(CURLM *multi, long ms, void *ctx)
{
	struct loom_http_client *client = ctx;

	(void)multi;
	loom_loop_timer_cancel(client->loop, client->timer);
	client->timer = ms < 0 ? 0 : loom_loop_timer(client->loop, ms, on_curl_timer, client);
	return 0;
}

static void watch_clock(void *ctx)
{
	struct loom_http_call *call = ctx;
	const int64_t left = http_left(&call->clock);

	if (left > 0) {
		call->timer = loom_loop_timer(call->client->loop, left, watch_clock, call);
		return;
	}
	call->timer = 0;
	call->late = true;
	end_call(call, CURLE_OPERATION_TIMEDOUT);
}

static struct loom_http_call *next_chore(const struct loom_http_client *client)
{
	struct loom_http_call *call = client->calls;

	while (call && call->added && !call->cancelled)
		call = call->next;
	return call;
}

/* Begins new calls and ends cancelled ones, outside libcurl's callbacks. */
static void do_chores(void *ctx)
{
	struct loom_http_client *client = ctx;
	struct loom_http_call *call = NULL;

	client->chores = 0;
	while ((call = next_chore(client)) != NULL) {
		if (call->cancelled) {
			end_call(call, CURLE_ABORTED_BY_CALLBACK);
			continue;
		}
		call->added = true;
		if (client->lib.multi_add_handle(client->multi, call->curl))
			end_call(call, CURLE_FAILED_INIT);
	}
}

static void want_chores(struct loom_http_client *client)
{
	if (!client->chores)
		client->chores = loom_loop_timer(client->loop, 0, do_chores, client);
}

struct loom_http_client *loom_http_client_create(struct loom_loop *loop)
{
	struct loom_http_client *client = loom_alloc(sizeof *client);

	client->loop = loop;
	return client;
}

/* Loads libcurl with the first call. */
static enum loom_status make_ready(struct loom_http_client *client, struct loom_err *err)
{
	const struct curl_lib *lib = &client->lib;
	enum loom_status status = client->multi ? LOOM_OK : load(&client->lib, err);

	if (client->multi || status != LOOM_OK)
		return status;
	client->multi = lib->multi_init();
	if (client->multi &&
	    !lib->multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, watch_socket) &&
	    !lib->multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client) &&
	    !lib->multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, set_curl_timer) &&
	    !lib->multi_setopt(client->multi, CURLMOPT_TIMERDATA, client))
		return LOOM_OK;
	if (client->multi)
		lib->multi_cleanup(client->multi);
	client->multi = NULL;
	return loom_fail(err, LOOM_FAULT, "this libcurl lacks a required option");
}

void loom_http_client_destroy(struct loom_http_client *client)
{
	if (!client)
		return;
	while (client->calls)
		free_call(client->calls);
	if (client->multi)
		client->lib.multi_cleanup(client->multi);
	loom_loop_timer_cancel(client->loop, client->timer);
	loom_loop_timer_cancel(client->loop, client->chores);
	free(client);
}

static bool add_header(struct loom_http_call *call, struct loom_str header)
{
	struct loom_buf text = LOOM_BUF_INIT(65536);
	struct curl_slist *longer = NULL;

	loom_buf_add(&text, header);
	longer = call->client->lib.slist_append(call->headers, loom_buf_cstr(&text));
	explicit_bzero(text.p, text.cap);
	loom_buf_fini(&text);
	if (longer)
		call->headers = longer;
	return longer != NULL;
}

static bool add_headers(struct loom_http_call *call, const struct loom_http_request *request)
{
	/* do not wait for permission to send a large body */
	bool good = add_header(call, LOOM_STR("Expect:"));

	for (size_t i = 0; good && i < request->header_count; i++)
		good = add_header(call, request->headers[i]);
	return good && (!request->secret_header.n || add_header(call, request->secret_header));
}

static bool set_up_stream(struct loom_http_call *call, const struct loom_http_request *request)
{
	CURL *curl = call->curl;
	struct loom_buf text = LOOM_BUF_INIT(65536);
	unsigned failed = set_safe(&call->client->lib, curl, call->error);

	loom_buf_add(&text, request->url);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_URL, loom_buf_cstr(&text));
	loom_buf_clear(&text);
	if (!call->plain) /* http never leaves this machine */
		loom_buf_add(&text, request->proxy);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_PROXY, loom_buf_cstr(&text));
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
	loom_buf_fini(&text);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_PRIVATE, call);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_HTTP_VERSION,
						(long)CURL_HTTP_VERSION_1_1);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
						(long)call->connect_ms);
	failed |=
		call->client->lib.easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_stream_socket);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_OPENSOCKETDATA, call);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_stream_body);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_WRITEDATA, call);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_stream_header);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_HEADERDATA, call);
	failed |= call->client->lib.easy_setopt(curl, CURLOPT_HTTPHEADER, call->headers);
	if (request->body.p) {
		failed |= call->client->lib.easy_setopt(curl, CURLOPT_POST, 1L);
		failed |= call->client->lib.easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
							(curl_off_t)call->body.n);
		failed |= call->client->lib.easy_setopt(curl, CURLOPT_POSTFIELDS,
							loom_buf_cstr(&call->body));
	}
	return !failed;
}

static struct loom_http_call *new_call(struct loom_http_client *client,
				       const struct loom_http_request *request,
				       const struct loom_http_sink *sink)
{
	struct loom_http_call *call = loom_alloc(sizeof *call);
	int64_t now = loom_env_boot();

	*call = (struct loom_http_call){
		.client = client,
		.next = client->calls,
		.sink = *sink,
		.curl = client->lib.easy_init(),
		.clock = {.began = now,
			  .last = now,
			  .idle_ms = request->idle_ms ? request->idle_ms : 60000,
			  .total_ms = request->total_ms ? request->total_ms : 600000},
		.connect_ms = request->connect_ms ? request->connect_ms : 10000,
		.max = request->max ? request->max : BODY_MAX,
		.head = {.retry_after_ms = -1, .should_retry = -1},
	};
	loom_buf_init(&call->body, LOOM_BUF_MAX);
	loom_buf_init(&call->secret, LOOM_BUF_MAX);
	loom_buf_add(&call->body, request->body);
	loom_buf_add(&call->secret, request->secret);
	client->calls = call;
	return call;
}

enum loom_status loom_http_judge(struct loom_str url, bool *plain, struct loom_err *err)
{
	static const struct loom_http_opts no_opts = {.task = NULL};
	struct curl_lib lib;
	struct fetch judged = {.lib = &lib, .opts = &no_opts};
	struct loom_buf text = LOOM_BUF_INIT(65536);
	enum loom_status status = load(&lib, err);

	if (status != LOOM_OK)
		return status;
	loom_buf_add(&text, url);
	if (url.n != strlen(loom_buf_cstr(&text)))
		status = refuse(err, "the URL is malformed");
	else
		status = judge_url(&judged, loom_buf_cstr(&text), err);
	if (plain)
		*plain = judged.http;
	loom_buf_fini(&text);
	return status;
}

enum loom_status loom_http_begin(struct loom_http_client *client,
				 const struct loom_http_request *request,
				 const struct loom_http_sink *sink, struct loom_http_call **out,
				 struct loom_err *err)
{
	struct loom_http_call *call = NULL;
	bool plain = false;
	enum loom_status status = loom_http_judge(request->url, &plain, err);

	*out = NULL;
	if (status == LOOM_OK)
		status = make_ready(client, err);
	if (status != LOOM_OK)
		return status;
	call = new_call(client, request, sink);
	call->plain = plain;
	if (!call->curl || !add_headers(call, request) || !set_up_stream(call, request)) {
		free_call(call);
		return loom_fail(err, LOOM_FAULT, "this libcurl lacks a required option");
	}
	call->timer = loom_loop_timer(client->loop, 0, watch_clock, call);
	want_chores(client);
	*out = call;
	return LOOM_OK;
}

void loom_http_cancel(struct loom_http_call *call)
{
	call->cancelled = true;
	want_chores(call->client);
}

void loom_http_drop(struct loom_http_call *call)
{
	free_call(call);
}
