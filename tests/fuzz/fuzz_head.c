/* What servers send around their answers: header lines, addresses, content types. No secret remains
 * in a message, and an address is either requested or refused with a reason. */
#include <loom/payload/payload.h>

#include "model/payload/inside.h"
#include "tests/fuzz/fuzz.h"
#include "tools/http/inside.h"
#include <loom/http/redact.h>

static void check_head(struct loom_str text)
{
	struct loom_http_head head = {.retry_after_ms = -1, .should_retry = -1};
	struct loom_str line;

	while (loom_str_line(&text, &line)) {
		http_header(line, &head);
		must(head.status >= 0 && head.retry_after_ms >= -1);
		must(head.should_retry >= -1 && head.should_retry <= 1);
	}
}

static void check_url(struct loom_str url)
{
	struct loom_err err = {.status = LOOM_OK};
	bool plain = false;

	if (loom_http_judge(url, &plain, &err) != LOOM_OK)
		must(err.text[0] != '\0');
	else
		must(loom_str_starts(url, plain ? LOOM_STR("http://") : LOOM_STR("https://")) ||
		     url.p[0] == 'H' || url.p[0] == 'h');
}

static void check_redacted(struct loom_str text)
{
	struct loom_buf copy = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t length = 0;

	loom_buf_add(&copy, text);
	if (copy.n) {
		http_secret_hide(copy.p, copy.n, LOOM_STR("k3y"));
		must(http_secret_find(loom_buf_str(&copy), LOOM_STR("k3y"), 0, &length) ==
		     SIZE_MAX);
		must(strlen(copy.p) < copy.n || strstr(copy.p, "k3y") == NULL);
	}
	loom_buf_fini(&copy);
}

/* Text put into a document cannot escape its place there. */
static void check_markdown(struct loom_str text)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str info = model_info_of_type(text, arena);
	struct loom_str rest;
	struct loom_str line;
	size_t fence = 0;

	must(!memchr(info.p ? info.p : "", '\n', info.n) &&
	     !memchr(info.p ? info.p : "", '`', info.n));
	model_put_name(&out, text);
	for (size_t i = 0; i < out.n; i++)
		must((unsigned char)out.p[i] >= 0x20);
	loom_buf_clear(&out);
	model_put_fence(&out, info, text);
	rest = loom_buf_str(&out);
	must(loom_str_line(&rest, &line));
	while (fence < line.n && line.p[fence] == line.p[0])
		fence++;
	must(fence >= 3);
	while (loom_str_line(&rest, &line) && rest.n) {
		struct loom_str trimmed = loom_str_trim(line);
		size_t run = 0;

		while (run < trimmed.n && trimmed.p[run] == out.p[0])
			run++;
		must(run < fence || run < trimmed.n);
	}
	loom_buf_fini(&out);
	loom_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str text = fuzz_text(data, size, 0);

	check_head(text);
	check_url(text);
	check_redacted(text);
	check_markdown(text);
	(void)model_binary_kind(text);
	return 0;
}
