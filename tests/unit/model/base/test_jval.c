/* JSON read in place: what is found, and that any bytes at all are read safely. */
#include <greatest.h>

#include <loom/base/json.h>
#include <loom/base/jval.h>

static struct loom_str of(const char *text)
{
	return loom_jval_of(loom_str_of(text));
}

TEST members_are_found_by_what_their_keys_say(void)
{
	struct loom_str object =
		of(" {\"a\" : 1 , \"\\u0062\":\"x\\\"}{\",\"c\":{\"a\":[1,2]},\"\":null } ");

	ASSERT(loom_str_is(loom_jval_get(object, "a"), "1"));
	ASSERT(loom_str_is(loom_jval_get(object, "b"), "\"x\\\"}{\""));
	ASSERT(loom_str_is(loom_jval_get(object, "c"), "{\"a\":[1,2]}"));
	ASSERT(loom_str_is(loom_jval_get(object, ""), "null"));
	ASSERT_EQ(NULL, loom_jval_get(object, "d").p);
	ASSERT_EQ(NULL, loom_jval_get(of("[1]"), "a").p);
	ASSERT_EQ(NULL, loom_jval_get(of("\"a\""), "a").p);
	ASSERT_EQ(4, loom_jval_count(object));
	ASSERT_EQ(0, loom_jval_count(of("[ ]")));
	PASS();
}

TEST strings_say_what_their_escapes_mean(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str text =
		loom_jval_text(of("\"\\b\\f\\n\\r\\t\\/\\\\\\\"\\u00e9\\uD83D\\uDE00!\""), arena);

	ASSERT(loom_str_is(text, "\b\f\n\r\t/\\\"\xc3\xa9\xf0\x9f\x98\x80!"));
	ASSERT(loom_jval_says(of("\"\\u0061b\""), LOOM_STR("ab")));
	ASSERT_FALSE(loom_jval_says(of("\"\\u0061b\""), LOOM_STR("a")));
	ASSERT_FALSE(loom_jval_says(of("\"\""), LOOM_STR("a")));
	ASSERT(loom_jval_says(of("\"\""), LOOM_STR("")));
	ASSERT_EQ(NULL, loom_jval_text(of("17"), arena).p);
	loom_arena_destroy(arena);
	PASS();
}

TEST half_a_pair_takes_nothing_with_it(void)
{
	struct loom_arena *arena = loom_arena_create();

	ASSERT(loom_str_is(loom_jval_text(of("\"\\ud83d\\n\\u2192 x\""), arena),
			   "\xed\xa0\xbd\n\xe2\x86\x92 x"));
	ASSERT(loom_str_is(loom_jval_text(of("\"\\ud83d\\u0041\""), arena), "\xed\xa0\xbd"
									    "A"));
	ASSERT(loom_str_is(loom_jval_text(of("\"\\ud83d\""), arena), "\xed\xa0\xbd"));
	loom_arena_destroy(arena);
	PASS();
}

TEST only_plain_integers_are_integers(void)
{
	int64_t n = 5;

	ASSERT(loom_jval_int(of("-9223372036854775808"), &n));
	ASSERT_EQ(INT64_MIN, n);
	ASSERT_FALSE(loom_jval_int(of("9223372036854775808"), &n));
	ASSERT_FALSE(loom_jval_int(of("1.0"), &n));
	ASSERT_FALSE(loom_jval_int(of("1e3"), &n));
	ASSERT_FALSE(loom_jval_int(of("\"1\""), &n));
	ASSERT_FALSE(loom_jval_int(of(""), &n));
	PASS();
}

TEST compacting_takes_blanks_outside_strings_only(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(4096);

	loom_jval_compact(of(" { \"a b\" :\t[ 1 ,\n\" x \\\" y \" ] } "), &buf);
	ASSERT_STR_EQ("{\"a b\":[1,\" x \\\" y \"]}", loom_buf_cstr(&buf));
	loom_buf_fini(&buf);
	PASS();
}

/* Everything that can be asked of a text; what comes out does not matter, only that it ends. */
static void ask_all(struct loom_str text)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str value = loom_jval_of(text);
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str key;
	struct loom_str item;

	for (int i = 0; i < 1000 && loom_jwalk_next(&walk, &key, &item); i++) {
		(void)loom_jval_text(item, arena);
		(void)loom_jval_says(key, LOOM_STR("a"));
		(void)loom_jval_count(item);
	}
	(void)loom_jval_get(value, "a");
	loom_jval_compact(value, &buf);
	loom_buf_fini(&buf);
	loom_arena_destroy(arena);
}

TEST bytes_that_are_no_json_are_read_without_harm(void)
{
	static const char letters[] = "{}[]\"\\:,u0aDt -1n\n";
	uint64_t seed = 12345;

	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)round % 23;
		char *bytes = loom_alloc(n ? n : 1);
		for (size_t i = 0; i < n; i++) {
			seed = seed * 6364136223846793005U + 1442695040888963407U;
			bytes[i] = letters[(seed >> 33) % (sizeof letters - 1)];
		}
		ask_all(loom_str_make(bytes, n));
		free(bytes);
	}
	PASS();
}

/* A list whose second item is large, and holds what no walk through it would survive. */
TEST a_value_that_was_noted_is_stepped_over(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str large;
	struct loom_jspans spans = {&large, 1};
	struct loom_jwalk walk;
	struct loom_str value;

	loom_buf_adds(&text, "[1,{");
	loom_buf_add_repeat(&text, '"', LOOM_JSPAN_LEAST + 1);
	loom_buf_adds(&text, "} , [2]]");
	large = loom_str_sub(loom_buf_str(&text), 3, LOOM_JSPAN_LEAST + 3);
	walk = loom_jval_walk_over(loom_buf_str(&text), &spans);
	ASSERT(loom_jwalk_next(&walk, NULL, &value) && loom_str_is(value, "1"));
	ASSERT(loom_jwalk_next(&walk, NULL, &value) && loom_str_eq(value, large));
	ASSERT(loom_jwalk_next(&walk, NULL, &value) && loom_str_is(value, "[2]"));
	ASSERT_FALSE(loom_jwalk_next(&walk, NULL, &value));
	loom_buf_fini(&text);
	PASS();
}

TEST a_patch_is_laid_over_a_value_member_by_member(void)
{
	static const struct {
		const char *value;
		const char *patch;
		const char *merged;
	} cases[] = {
		{"{\"a\":1,\"b\":2}", "{\"b\":3,\"c\":4}", "{\"a\":1,\"b\":3,\"c\":4}"},
		{"{\"a\":1,\"b\":2}", "{\"a\":null}", "{\"b\":2}"},
		{"{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"c\":null,\"d\":{\"e\":3}}}",
		 "{\"a\":{\"b\":1,\"d\":{\"e\":3}}}"},
		{"{\"a\":[1,2]}", "{\"a\":[3]}", "{\"a\":[3]}"},
		{"{\"a\":1}", "{\"a\":{\"b\":null,\"c\":1}}", "{\"a\":{\"c\":1}}"},
		{"{\"a\":{\"b\":1}}", "{\"a\":2}", "{\"a\":2}"},
		{"{ \"a\" : \"x y\" }", "{}", "{\"a\":\"x y\"}"},
		{"{\"\\u0061\":1}", "{\"a\":null}", "{}"},
		{"[1]", "{\"a\":null}", "{}"},
		{"{\"z\":null}", "{\"y\":null}", "{\"z\":null}"},
		{"{}", "{\"x\":{\"y\":{\"z\":null}}}", "{\"x\":{\"y\":{}}}"},
	};
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

		loom_jval_merge(loom_str_of(cases[i].value), loom_str_of(cases[i].patch), arena,
				&out);
		ASSERT_STR_EQ(cases[i].merged, loom_buf_cstr(&out));
		loom_buf_fini(&out);
	}
	loom_arena_destroy(arena);
	PASS();
}

SUITE(jval)
{
	RUN_TEST(a_patch_is_laid_over_a_value_member_by_member);
	RUN_TEST(a_value_that_was_noted_is_stepped_over);
	RUN_TEST(members_are_found_by_what_their_keys_say);
	RUN_TEST(strings_say_what_their_escapes_mean);
	RUN_TEST(half_a_pair_takes_nothing_with_it);
	RUN_TEST(only_plain_integers_are_integers);
	RUN_TEST(compacting_takes_blanks_outside_strings_only);
	RUN_TEST(bytes_that_are_no_json_are_read_without_harm);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(jval);
	GREATEST_MAIN_END();
}
