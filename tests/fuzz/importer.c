/* Any bytes as a file to import, read as IMPORTER says or, without it, as what they are: read, put
 * in order and reported without a store, twice with the same result; what is refused says why. */
#include <loom/base/env.h>
#include <loom/import/import.h>

#include "tests/fuzz/fuzz.h"

#ifndef IMPORTER
#define IMPORTER NULL
#endif

static void say(const struct loom_import_lines *lines, struct loom_buf *out)
{
	for (size_t i = 0; i < lines->count; i++)
		loom_buf_addf(out, "%.*s %lld\n", LOOM_STR_ARG(lines->items[i].text),
			      (long long)lines->items[i].count);
}

static void read_once(struct loom_env *env, struct loom_str bytes, struct loom_buf *out)
{
	struct loom_import_opts opts = {.env = env, .format = IMPORTER};
	const struct loom_import_report *report = NULL;
	struct loom_import *import = NULL;
	struct loom_err err = {0};
	enum loom_status status = loom_import_create(&opts, &import, &err);

	must(status == LOOM_OK);
	status = loom_import_add(import, LOOM_STR("file"), bytes, &err);
	if (status == LOOM_OK)
		status = loom_import_settle(import, &err);
	must(status == LOOM_OK || err.text[0]);
	report = loom_import_report(import);
	loom_buf_addf(out, "%d %s %lld\n", status, err.text, (long long)report->nodes);
	say(&report->unknown, out);
	say(&report->lost, out);
	say(&report->repaired, out);
	say(&report->secrets, out);
	say(&report->unseen, out);
	loom_import_destroy(import);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str bytes = fuzz_text(data, size, 0);
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf second = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_env env;

	loom_env_init_fixed(&env, 1000, 1);
	read_once(&env, bytes, &first);
	read_once(&env, bytes, &second);
	must(loom_str_eq(loom_buf_str(&first), loom_buf_str(&second)));
	loom_buf_fini(&first);
	loom_buf_fini(&second);
	return 0;
}
