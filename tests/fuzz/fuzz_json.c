/* Strict JSON: the check, the pull reader and the builder must agree about the same bytes, and the
 * canonical form of what was read must read back to itself. */
#include <loom/json.h>
#include <loom/utf8.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool true_here)
{
	if (!true_here)
		abort();
}

/* Every token in turn; the pull reader knows no duplicate keys and is otherwise as strict. */
static bool reads_to_its_end(struct loom_str text, const struct loom_json_limits *limits)
{
	struct loom_json_reader reader;
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	size_t last = 0;

	loom_json_read_init(&reader, text, limits);
	do {
		if (loom_json_read(&reader, &token, NULL) != LOOM_OK) {
			must(loom_json_read(&reader, &token, NULL) != LOOM_OK);
			return false;
		}
		must(token.at >= last && token.at <= text.n);
		last = token.at;
	} while (token.kind != LOOM_JSON_DONE);
	return true;
}

static void read_back(struct loom_str text, const struct loom_json_limits *limits)
{
	struct loom_buf once = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf twice = LOOM_BUF_INIT(LOOM_BUF_MAX);
	cJSON *value = NULL;
	cJSON *again = NULL;

	must(loom_json_parse(text, limits, &value, NULL) == LOOM_OK);
	loom_json_canonical(value, &once);
	must(loom_utf8_valid(loom_buf_str(&once), NULL));
	must(loom_json_parse(loom_buf_str(&once), NULL, &again, NULL) == LOOM_OK);
	loom_json_canonical(again, &twice);
	must(loom_str_eq(loom_buf_str(&once), loom_buf_str(&twice)));
	cJSON_Delete(value);
	cJSON_Delete(again);
	loom_buf_fini(&once);
	loom_buf_fini(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct loom_json_limits limits = {.bytes = 65536, .depth = 64, .values = 4096};
	struct loom_str text = loom_str_make(size ? (const char *)data : "", size);
	struct loom_err err = {0};
	enum loom_status status = loom_json_check(text, &limits, &err);

	must(status == LOOM_OK || err.text[0] != '\0');
	must(err.at <= size);
	must(status != LOOM_OK || reads_to_its_end(text, &limits));
	if (status == LOOM_OK)
		read_back(text, &limits);
	else
		(void)reads_to_its_end(text, &limits);
	return 0;
}
