/* One document over HTTP, through libcurl with everything off that is not needed.
 *
 * Redirects are followed here and not by the library, so that every hop passes the same checks. The
 * address is judged when the socket for it is opened. */
#include <loom/http.h>

#include <arpa/inet.h>
#include <strings.h>
#include <sys/socket.h>

#include <curl/curl.h>

#include <loom/env.h>

#define HOPS_MAX    3
#define BODY_MAX    ((size_t)8 << 20)
#define HEADERS_MAX ((size_t)64 << 10)

struct fetch {
	const struct loom_http_opts *opts;
	int64_t until;
	size_t max;
	bool began_here; /* the URL that was asked for is of this machine */
	/* this hop */
	bool host_here;   /* its host is this machine by name */
	bool host_listed; /* its host may have a private address */
	bool http;
	bool refused;
	bool too_large;
	size_t headers;
	struct loom_buf *body;
	char error[CURL_ERROR_SIZE];
};

static bool is_this_machine(const char *host)
{
	struct in_addr address;

	return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
	       (inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

static bool is_listed(const struct loom_http_opts *opts, const char *host)
{
	for (size_t i = 0; i < opts->private_count; i++)
		if (loom_str_eq_fold(opts->private_hosts[i], loom_str_of(host)))
			return true;
	return false;
}

static enum loom_status refuse(struct loom_err *err, const char *why)
{
	return loom_fail(err, LOOM_REFUSED, "%s", why);
}

/* Judges scheme, credentials and host of a hop, before anything is asked. */
static enum loom_status judge_parts(struct fetch *fetch, CURLU *url, struct loom_err *err)
{
	char *scheme = NULL;
	char *host = NULL;
	char *user = NULL;
	enum loom_status status = LOOM_OK;

	if (curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) ||
	    curl_url_get(url, CURLUPART_HOST, &host, 0)) {
		status = refuse(err, "the URL has no host");
	} else if (curl_url_get(url, CURLUPART_USER, &user, 0) == CURLUE_OK) {
		status = refuse(err, "a URL with a user name in it is not fetched");
	} else {
		fetch->http = strcmp(scheme, "http") == 0;
		fetch->host_here = is_this_machine(host);
		fetch->host_listed = is_listed(fetch->opts, host);
		if (!fetch->http && strcmp(scheme, "https") != 0)
			status = refuse(err, "only https is fetched");
		else if (fetch->http && !fetch->host_here)
			status = refuse(err, "http is fetched from this machine only; use https");
	}
	curl_free(scheme);
	curl_free(host);
	curl_free(user);
	return status;
}

static enum loom_status judge_url(struct fetch *fetch, const char *text, struct loom_err *err)
{
	CURLU *url = curl_url();
	enum loom_status status = LOOM_OK;

	if (!url || curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME))
		status = refuse(err, "the URL is malformed");
	else
		status = judge_parts(fetch, url, err);
	curl_url_cleanup(url);
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

	(void)total;
	(void)now;
	(void)up_total;
	(void)up_now;
	return loom_task_cancelled(fetch->opts->task);
}

/* Options of every hop; false when libcurl does not take one. */
static bool set_up(CURL *curl, struct fetch *fetch)
{
	unsigned failed = 0;

	failed |= curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	failed |= curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https");
	failed |= curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	failed |= curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	failed |= curl_easy_setopt(curl, CURLOPT_PROXY, "");
	failed |= curl_easy_setopt(curl, CURLOPT_UNRESTRICTED_AUTH, 0L);
	failed |= curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	failed |= curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
	failed |= curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	failed |= curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	failed |= curl_easy_setopt(curl, CURLOPT_USERAGENT, "loom");
	failed |= curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	failed |= curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, fetch);
	failed |= curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	failed |= curl_easy_setopt(curl, CURLOPT_WRITEDATA, fetch);
	failed |= curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	failed |= curl_easy_setopt(curl, CURLOPT_HEADERDATA, fetch);
	failed |= curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	failed |= curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_for_cancel);
	failed |= curl_easy_setopt(curl, CURLOPT_XFERINFODATA, fetch);
	failed |= curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, fetch->error);
	return !failed;
}

static enum loom_status explain(const struct fetch *fetch, CURLcode code, struct loom_err *err)
{
	if (loom_task_cancelled(fetch->opts->task))
		return loom_fail(err, LOOM_CANCELLED, "interrupted");
	if (fetch->refused) {
		refuse(err, "the address is private, or of this machine");
		return loom_hint(err, LOOM_REFUSED,
				 "a host may be listed in the user's own configuration");
	}
	if (fetch->too_large)
		return loom_fail(err, LOOM_LIMIT, "the answer is larger than %zu bytes",
				 fetch->max);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return loom_fail(err, LOOM_IO, "no answer in time");
	return loom_fail(err, LOOM_IO, "%s",
			 fetch->error[0] ? fetch->error : curl_easy_strerror(code));
}

static enum loom_status judge_answer(long code, struct loom_err *err)
{
	if (code >= 200 && code < 300)
		return LOOM_OK;
	return loom_fail(err, code == 404 || code == 410 ? LOOM_NOT_FOUND : LOOM_IO,
			 "the server answered %ld", code);
}

/* Asks once. *next is where a redirect leads, borrowed from the handle until the next hop. */
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
	if (curl_easy_setopt(curl, CURLOPT_URL, url) ||
	    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)left))
		return loom_fail(err, LOOM_IO, "the URL cannot be fetched");
	code = curl_easy_perform(curl);
	if (code != CURLE_OK)
		return explain(fetch, code, err);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer);
	curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &target);
	*next = answer >= 300 && answer < 400 ? target : NULL;
	return *next ? LOOM_OK : judge_answer(answer, err);
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
	struct fetch fetch = {
		.opts = opts,
		.until = loom_env_boot() + (opts->timeout_ms ? opts->timeout_ms : 5000),
		.max = opts->max ? opts->max : BODY_MAX,
		.body = &answer,
	};
	CURL *curl = curl_easy_init();
	char *content_type = NULL;
	enum loom_status status = LOOM_OK;

	if (!curl || !set_up(curl, &fetch))
		status = loom_fail(err, LOOM_FAULT, "libcurl lacks an option that is needed");
	else if (url.n && memchr(url.p, '\0', url.n))
		status = refuse(err, "the URL is malformed");
	else
		status = follow(curl, &fetch, url, err);
	if (status == LOOM_OK) {
		curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &content_type);
		loom_buf_add(body, loom_buf_str(&answer));
		loom_buf_adds(type, content_type ? content_type : "");
	}
	curl_easy_cleanup(curl);
	loom_buf_fini(&answer);
	return status;
}
