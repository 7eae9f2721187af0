/* The short things that people, models and files name: times, ids, permissions, references, keys.
 * What is read is written in its one spelling, and that reads as the same. */
#include <loom/base/env.h>
#include <loom/grove/grant.h>
#include <loom/base/id.h>
#include <loom/leslie/leslie.h>
#include <loom/base/utf8.h>

#include "tests/fuzz/fuzz.h"
#include <loom/keys/keys.h>

/* How far its times reach, and with them what has a spelling. */
#define JAVASCRIPT INT64_C(8640000000000000)

static void check_time(struct loom_str text)
{
	struct loom_buf out = LOOM_BUF_INIT(100);
	int64_t ms = 0;
	int64_t again = 0;

	if (loom_time_parse(text, &ms) && ms >= -JAVASCRIPT && ms <= JAVASCRIPT) {
		loom_time_iso(ms, &out);
		must(loom_time_parse(loom_buf_str(&out), &again) && again == ms);
	}
	loom_buf_fini(&out);
}

static void check_ids(struct loom_str text)
{
	struct loom_ulid ulid;
	struct loom_ulid low;
	struct loom_ulid high;
	struct loom_local local;
	struct loom_local again;
	char spelled[LOOM_ULID_CHARS + 1];
	char name[LOOM_LOCAL_MAX];

	if (loom_ulid_parse(text, &ulid)) {
		loom_ulid_text(&ulid, spelled);
		must(loom_str_eq_fold(text, loom_str_of(spelled)));
		must(loom_ulid_range(text, 26, &low, &high) && loom_ulid_eq(&low, &high));
	}
	if (loom_ulid_range(text, LOOM_ULID_PREFIX, &low, &high))
		must(memcmp(low.bytes, high.bytes, sizeof low.bytes) <= 0);
	if (loom_local_parse(7, text, &local)) {
		loom_local_text(7, local, name);
		must(loom_local_parse(7, loom_str_of(name), &again));
		must(again.num == local.num && again.prime == local.prime);
	}
	(void)loom_local_shape(text);
}

static void check_grant(struct loom_str text)
{
	struct loom_buf out = LOOM_BUF_INIT(1000);
	struct loom_err err = {.status = LOOM_OK};
	enum loom_approval approval;
	unsigned may = 0;
	unsigned again = 0;

	if (loom_grant_parse(text, &may, &err)) {
		must(err.text[0] != '\0');
	} else {
		must(!(may & ~LOOM_MAY_ANYTHING));
		loom_grant_text(may, &out);
		must(loom_grant_parse(loom_buf_str(&out), &again, NULL) == LOOM_OK && again == may);
	}
	if (loom_approval_parse(text, &approval))
		must(loom_str_is(text, loom_approval_name(approval)));
	loom_buf_fini(&out);
}

static void check_target(struct loom_str text)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_leslie_target target = {.scope_count = 0};
	struct loom_leslie_err err = {.code = NULL};

	if (loom_leslie_target_parse(text, arena, &target, &err)) {
		must(err.err.text[0] != '\0');
	} else {
		must(loom_str_find(text, target.thread, 0) != SIZE_MAX);
		for (size_t i = 0; i < target.scope_count; i++)
			must(target.scopes[i].n > 0);
	}
	loom_arena_destroy(arena);
}

static void check_key(struct loom_str text)
{
	struct loom_buf out = LOOM_BUF_INIT(100);
	struct tui_key key;
	struct tui_key again;
	size_t at = 0;

	if (text.n && tui_key_parse(text, &at, &key)) {
		must(at > 0 && at <= text.n);
		tui_key_spell(key, &out);
		at = 0;
		must(tui_key_parse(loom_buf_str(&out), &at, &again));
		must(at == out.n && tui_key_eq(key, again));
	}
	loom_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str text = fuzz_text(data, size, 0);

	check_time(text);
	check_ids(text);
	check_grant(text);
	check_target(text);
	check_key(text);
	return 0;
}
