/* Any bytes as a file to import: read, put in order and reported without a store, twice with the
 * same result, and once as a format that it may not be; what is refused says why. */
#include <loom/env.h>
#include <loom/import.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool holds)
{
	if (!holds)
		abort();
}

static void say(const struct loom_import_lines *lines, struct loom_buf *out)
{
	for (size_t i = 0; i < lines->count; i++)
		loom_buf_addf(out, "%.*s %lld\n", LOOM_STR_ARG(lines->items[i].text),
			      (long long)lines->items[i].count);
}

static void read_once(struct loom_env *env, const char *format, struct loom_str bytes,
		      struct loom_buf *out)
{
	struct loom_import_opts opts = {.env = env, .format = format};
	const struct loom_import_report *report = NULL;
	struct loom_import *import = NULL;
	struct loom_err err = {0};
	enum loom_status status = loom_import_create(&opts, &import, &err);

	insist(status == LOOM_OK);
	status = loom_import_add(import, LOOM_STR("file"), bytes, &err);
	if (status == LOOM_OK)
		status = loom_import_settle(import, &err);
	insist(status == LOOM_OK || err.text[0]);
	report = loom_import_report(import);
	loom_buf_addf(out, "%d %s %lld\n", status, err.text, (long long)report->nodes);
	say(&report->unknown, out);
	say(&report->lost, out);
	say(&report->repaired, out);
	say(&report->secrets, out);
	loom_import_destroy(import);
}

/* A format that somebody insists on, whatever the bytes are. */
static const char *any_format(size_t n)
{
	struct loom_import_format format = {.name = NULL};
	size_t count = 0;

	while (loom_import_format_at(count, &format))
		count++;
	if (count)
		insist(loom_import_format_at(n % count, &format));
	return format.name;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str bytes = loom_str_make((const char *)data, size);
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf second = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_env env;

	loom_env_init_fixed(&env, 1000, 1);
	read_once(&env, NULL, bytes, &first);
	read_once(&env, NULL, bytes, &second);
	insist(loom_str_eq(loom_buf_str(&first), loom_buf_str(&second)));
	read_once(&env, any_format(size), bytes, &first);
	loom_buf_fini(&first);
	loom_buf_fini(&second);
	return 0;
}
