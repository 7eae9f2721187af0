/* Strict JSON: what passes the check is built by cJSON, its canonical form passes too, and is its
 * own canonical form. */
#include <loom/json.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool true_here)
{
	if (!true_here)
		abort();
}

/* The loose reader may take more than the check; it must end all the same. */
static void walk(struct loom_str text)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	struct loom_json_reader reader;

	loom_json_read_init(&reader, text, NULL);
	reader.loose = true;
	while (token.kind != LOOM_JSON_DONE && loom_json_read(&reader, &token, NULL) == LOOM_OK)
		loom_json_decode(token.raw, &buf);
	loom_buf_fini(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str text = loom_str_make(size ? (const char *)data : "", size);
	struct loom_buf once = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf twice = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.status = LOOM_OK};
	cJSON *value = NULL;
	enum loom_status status = loom_json_parse(text, NULL, &value, &err);

	must(status == LOOM_OK || status == LOOM_INVALID || status == LOOM_LIMIT);
	must(status == LOOM_OK ? value != NULL : err.at <= size && err.text[0]);
	if (status == LOOM_OK) {
		loom_json_canonical(value, &once);
		cJSON_Delete(value);
		must(loom_json_parse(loom_buf_str(&once), NULL, &value, NULL) == LOOM_OK);
		loom_json_canonical(value, &twice);
		must(loom_str_eq(loom_buf_str(&once), loom_buf_str(&twice)));
		cJSON_Delete(value);
	}
	walk(text);
	loom_buf_fini(&once);
	loom_buf_fini(&twice);
	return 0;
}
