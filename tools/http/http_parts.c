/* Reads the parts of a URL and of an answer's head that matter here, and decides when an answer is
 * late. */
#include "inside.h"

#include <arpa/inet.h>
#include <strings.h>

#include <loom/base/env.h>

bool http_is_here(const char *host)
{
	struct in_addr address;

	return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
	       (inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

bool http_is_listed(const struct loom_http_opts *opts, const char *host)
{
	for (size_t i = 0; i < opts->private_count; i++)
		if (loom_str_eq_fold(opts->private_hosts[i], loom_str_of(host)))
			return true;
	return false;
}

/* If the header line has that name, puts its value without surrounding blanks into *out. */
static bool header_is(struct loom_str line, const char *name, struct loom_str *out)
{
	size_t colon = loom_str_find_char(line, ':', 0);

	if (colon == SIZE_MAX || !loom_str_eq_fold(loom_str_sub(line, 0, colon), loom_str_of(name)))
		return false;
	*out = loom_str_trim(loom_str_sub(line, colon + 1, SIZE_MAX));
	return true;
}

void http_header(struct loom_str line, struct loom_http_head *head)
{
	struct loom_str value;
	uint64_t ms = 0;

	if (loom_str_starts(line, LOOM_STR("HTTP/"))) { /* the head before was an interim one */
		head->retry_after_ms = head->should_retry = -1;
		head->encoded = false;
	} else if (header_is(line, "retry-after-ms", &value) && loom_str_to_u64(value, &ms)) {
		head->retry_after_ms = ms > INT32_MAX ? INT32_MAX : (int64_t)ms;
	} else if (header_is(line, "retry-after", &value) && loom_str_to_u64(value, &ms)) {
		if (head->retry_after_ms < 0)
			head->retry_after_ms = ms > 1000000 ? INT32_MAX : (int64_t)ms * 1000;
	} else if (header_is(line, "x-should-retry", &value)) {
		head->should_retry = loom_str_is(value, "true");
	} else if (header_is(line, "content-encoding", &value)) {
		head->encoded = value.n && !loom_str_eq_fold(value, LOOM_STR("identity"));
	}
}

enum loom_status http_answer(long code, struct loom_err *err)
{
	if (code >= 200 && code < 300)
		return LOOM_OK;
	return loom_fail(err, code == 404 || code == 410 ? LOOM_NOT_FOUND : LOOM_IO,
			 "the server answered %ld", code);
}

int64_t http_left(const struct http_clock *clock)
{
	const int64_t idle = clock->last + clock->idle_ms;
	const int64_t total = clock->began + clock->total_ms;

	return (idle < total ? idle : total) - loom_env_boot();
}

enum loom_status http_late(const struct http_clock *clock, struct loom_err *err)
{
	if (loom_env_boot() - clock->last >= clock->idle_ms)
		return loom_fail(err, LOOM_IO, "nothing arrived for %.1f s",
				 (double)clock->idle_ms / 1000);
	return loom_fail(err, LOOM_IO, "not finished after %.1f s", (double)clock->total_ms / 1000);
}
