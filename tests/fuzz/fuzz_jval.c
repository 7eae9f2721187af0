/* Looking into JSON where it stands: on any bytes nothing is read out of bounds and every walk
 * comes to an end; where the check has passed the text it says what cJSON says. */
#include <loom/base/json.h>
#include <loom/base/jval.h>

#include "tests/fuzz/fuzz.h"

#define DEEP 200

static void walk(struct loom_str value, struct loom_arena *arena, int depth)
{
	struct loom_jwalk at = loom_jval_walk(value);
	struct loom_str key = {NULL, 0};
	struct loom_str item = {NULL, 0};
	int64_t whole = 0;
	double real = 0;

	(void)loom_jval_text(value, arena);
	(void)loom_jval_int(value, &whole);
	(void)loom_jval_real(value, &real);
	while (depth < DEEP && loom_jwalk_next(&at, &key, &item)) {
		must(item.p >= value.p && item.p + item.n <= value.p + value.n);
		walk(item, arena, depth + 1);
	}
}

static void check_scalar(struct loom_str value, const cJSON *said, struct loom_arena *arena)
{
	struct loom_str text = loom_jval_text(value, arena);
	double real = 0;

	if (cJSON_IsString(said))
		must(loom_str_is(text, said->valuestring) &&
		     loom_jval_says(value, loom_str_of(said->valuestring)));
	else if (cJSON_IsNumber(said))
		must(loom_jval_real(value, &real) && !text.p);
	else
		must(!text.p && loom_jval_is_null(value) == cJSON_IsNull(said));
}

/* The members of both, in their order. */
static void compare(struct loom_str value, const cJSON *said, struct loom_arena *arena)
{
	struct loom_jwalk at = loom_jval_walk(value);
	struct loom_str key = {NULL, 0};
	struct loom_str item = {NULL, 0};
	const cJSON *child = said->child;

	if (!cJSON_IsArray(said) && !cJSON_IsObject(said)) {
		check_scalar(value, said, arena);
		return;
	}
	must(loom_jval_count(value) == (size_t)cJSON_GetArraySize(said));
	for (; loom_jwalk_next(&at, &key, &item); child = child->next) {
		must(child != NULL);
		if (child->string) {
			must(loom_jval_says(key, loom_str_of(child->string)));
			must(loom_jval_get(value, child->string).p == item.p);
		}
		compare(item, child, arena);
	}
	must(child == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str text = fuzz_text(data, size, 0);
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf once = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf twice = LOOM_BUF_INIT(LOOM_BUF_MAX);
	cJSON *said = NULL;

	if (size <= 4096)
		walk(loom_jval_of(text), arena, 0);
	loom_jval_compact(text, &once);
	if (loom_json_parse(text, NULL, &said, NULL) == LOOM_OK) {
		compare(loom_jval_of(text), said, arena);
		loom_jval_compact(loom_buf_str(&once), &twice);
		must(loom_str_eq(loom_buf_str(&once), loom_buf_str(&twice)));
		must(loom_json_check(loom_buf_str(&once), NULL, NULL) == LOOM_OK);
		cJSON_Delete(said);
	}
	loom_buf_fini(&once);
	loom_buf_fini(&twice);
	loom_arena_destroy(arena);
	return 0;
}
