/* The index over a store file, and edits spliced into its text. */
#include <greatest.h>

#include <loom/base/json.h>

#include "model/leslie/inside.h"
#include "support/prop.h"

static bool reads(const char *text)
{
	struct loom_arena *arena = loom_arena_create();
	struct model_leslie_doc doc;
	struct loom_err err = {0};
	bool ok = model_leslie_doc_read(arena, loom_str_of(text), &doc, &err) == LOOM_OK;

	loom_arena_destroy(arena);
	return ok;
}

TEST what_is_no_json_is_refused(void)
{
	static const char *const bad[] = {
		"",
		" ",
		"[]",
		"1",
		"\"a\"",
		"{",
		"}",
		"{}}",
		"{} x",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{,\"a\":1}",
		"{\"a\":1 \"b\":2}",
		"{'a':1}",
		"{a:1}",
		"{\"a\":01}",
		"{\"a\":-}",
		"{\"a\":1.}",
		"{\"a\":.5}",
		"{\"a\":1e}",
		"{\"a\":+1}",
		"{\"a\":tru}",
		"{\"a\":nul}",
		"{\"a\":NaN}",
		"{\"a\":[1,]}",
		"{\"a\":[1 2]}",
		"{\"a\":[}",
		"{\"a\":{]}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12g4\"}",
		"{\"a\":\"\\u12\"}",
		"{\"a\":\"\n\"}",
		"{\"a\":\"\x01\"}",
		"{\"a\":\"\xff\"}",
		"{\"a\":\"\xed\xa0\x80\"}",
		"{\"a\":\"unfinished}",
		"{\"a\":\"\\\"}",
		"{\"a\":1}/*c*/",
		"\xEF\xBB\xBF{}",
	};

	for (size_t i = 0; i < LOOM_COUNT(bad); i++)
		ASSERTm(bad[i], !reads(bad[i]));
	PASS();
}

TEST what_is_json_is_read(void)
{
	static const char *const good[] = {
		"{}",
		" { } \n",
		"{\"a\":1}",
		"{\"a\":-0.5e+10,\"b\":[],\"c\":{}}",
		"{\"a\":[[[]],{\"b\":null}],\"c\":true,\"d\":false}",
		"{\"a\":\"\\u00e9\\n\\\"\\\\\\/\xc3\xa9 a long text of more than eight bytes\"}",
		"{\"\":\"\"}",
		"{\"a\":\"\\u0000\\ud800\"}",
		"{\"a\":1234567890123456789012345678901234567890123456789012345678901234567890}",
		"{\"a\" : \r\n\t1 , \"a\" : 2 }",
	};

	for (size_t i = 0; i < LOOM_COUNT(good); i++)
		ASSERTm(good[i], reads(good[i]));
	PASS();
}

/* On bent texts both readers say the same, but for what only the strict one minds. */
TEST the_index_agrees_with_the_strict_reader(void)
{
	static const char *const seed =
		"{\"threads\":{\"a\":{\"id\":\"a\",\"n\":[1,2.5e3,{\"x\":null}]}},"
		"\"operations\":[{\"t\":\"\\u00e9\xc3\xa9\"},true],\"v\":\"1.0\"}";
	struct prop prop;

	prop_init(&prop, "index against strict reader");
	for (int i = 0; i < 20000; i++) {
		char text[256];
		size_t n = strlen(seed);
		struct loom_err err = {0};
		bool strict = false;
		bool index = false;

		memcpy(text, seed, n + 1);
		for (size_t k = 1 + prop_below(&prop, 3); k > 0; k--)
			text[prop_below(&prop, n)] =
				"{}[]\",:\\u01e.x \n\xc3"[prop_below(&prop, 17)];
		strict = loom_json_check(loom_str_make(text, n), NULL, &err) == LOOM_OK;
		index = text[0] == '{' && reads(text);
		if (index != strict && !strstr(err.text, "twice") && !strstr(err.text, "U+0000") &&
		    !strstr(err.text, "surrogate") && text[0] == '{')
			FAILm(text);
	}
	PASS();
}

/* A text of just its size, wherever it stops: a sanitizer sees a look behind it. */
TEST nothing_is_read_behind_a_text_that_breaks_off(void)
{
	static const char *const texts[] = {
		"{\"a\":[[[[[[[[{\"th{s\":\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r",
		"{\"a\":[[1,2],12345678901234567890123456789",
		"{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[\"x\"]]]]]]]]]]]]]]]]]]]]]]]]",
		"{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[\"x\"                        ]",
		"{\"a\":[{\"k\":{\"l\":true,                              \"m\"  :   null  } } ]}",
		"{\"a\":[{\"k\":\"a long text of more than sixteen bytes, and so on and on\"}]}",
	};

	for (size_t i = 0; i < LOOM_COUNT(texts); i++) {
		for (size_t n = 1; n <= strlen(texts[i]); n++) {
			struct loom_arena *arena = loom_arena_create();
			char *copy = loom_alloc(n);
			struct loom_str text = {memcpy(copy, texts[i], n), n};
			struct model_leslie_doc doc;
			bool read = model_leslie_doc_read(arena, text, &doc, NULL) == LOOM_OK;

			ASSERT_EQm(texts[i], loom_json_check(text, NULL, NULL) == LOOM_OK, read);
			free(copy);
			loom_arena_destroy(arena);
		}
	}
	PASS();
}

TEST depth_is_bounded(void)
{
	char text[400] = "{\"a\":";

	memset(text + 5, '[', 62);
	memset(text + 67, ']', 62);
	text[129] = '}';
	text[130] = '\0';
	ASSERT(reads(text));
	memset(text + 5, '[', 70);
	memset(text + 75, ']', 70);
	text[145] = '}';
	text[146] = '\0';
	ASSERT(!reads(text));
	PASS();
}

TEST records_are_found_and_texts_are_decoded(void)
{
	static const char text[] = "{\"threads\": {\"a\": {\"t\": \"x\\u00e9\\ud83d\\ude00\","
				   " \"n\": [ \"p\" , 3, \"q\" ]}, \"\\u0062\": {\"t\":1}},"
				   " \"operations\": [{\"c\": 1}, {\"c\": 2}]}";
	struct loom_arena *arena = loom_arena_create();
	struct model_leslie_doc doc;
	const struct model_leslie_branch *threads = NULL;
	struct loom_str a = {NULL, 0};
	size_t count = 0;
	struct loom_str *list = NULL;

	ASSERT_EQ(LOOM_OK, model_leslie_doc_read(arena, loom_str_of(text), &doc, NULL));
	threads = model_leslie_doc_branch(&doc, "threads");
	ASSERT(threads);
	ASSERT_EQ(2, threads->count);
	ASSERT(model_leslie_branch_find(threads, LOOM_STR("b")));
	ASSERT(!model_leslie_branch_find(threads, LOOM_STR("c")));
	a = model_leslie_branch_find(threads, LOOM_STR("a"))->value;
	ASSERT(loom_str_is(model_leslie_member_text(arena, a, "t"), "x\xc3\xa9\xf0\x9f\x98\x80"));
	list = model_leslie_texts(arena, model_leslie_member(a, "n"), &count);
	ASSERT_EQ(2, count);
	ASSERT(loom_str_is(list[1], "q"));
	ASSERT_EQ(2, model_leslie_doc_branch(&doc, "operations")->count);
	ASSERT(!model_leslie_member(a, "zz").p);
	loom_arena_destroy(arena);
	PASS();
}

static const char *edited(struct loom_arena *arena, const char *text,
			  void (*edit)(struct model_leslie_edits *edits))
{
	struct model_leslie_doc *doc = LOOM_ARENA_NEW(arena, struct model_leslie_doc);
	struct model_leslie_edits edits;
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *result = NULL;

	if (model_leslie_doc_read(arena, loom_str_of(text), doc, NULL) != LOOM_OK)
		return "unread";
	model_leslie_edits_init(&edits, doc);
	edit(&edits);
	model_leslie_edits_apply(&edits, &out);
	result = loom_arena_cstr(arena, loom_buf_str(&out));
	loom_buf_fini(&out);
	return reads(result) ? result : "broken";
}

static void append_two(struct model_leslie_edits *edits)
{
	model_leslie_edit_append(edits, "t", LOOM_STR("b\"c"), LOOM_STR("{\"x\":[1,{}]}"));
	model_leslie_edit_append(edits, "t", LOOM_STR("d"), LOOM_STR("2"));
	model_leslie_edit_append(edits, "o", (struct loom_str){NULL, 0}, LOOM_STR("true"));
	model_leslie_edit_append(edits, "o", (struct loom_str){NULL, 0}, LOOM_STR("[]"));
}

TEST what_is_added_is_laid_out_like_the_rest(void)
{
	struct loom_arena *arena = loom_arena_create();

	ASSERT_STR_EQ(
		"{\n  \"t\": {\n    \"a\": 1,\n    \"b\\\"c\": {\n      \"x\": [\n        1,\n"
		"        {}\n      ]\n    },\n    \"d\": 2\n  },\n  \"o\": [\n    true,\n    []\n"
		"  ]\n}\n",
		edited(arena, "{\n  \"t\": {\n    \"a\": 1\n  },\n  \"o\": []\n}\n", append_two));
	ASSERT_STR_EQ(
		"{\"t\":{\n    \"b\\\"c\": {\n      \"x\": [\n        1,\n        {}\n      ]\n"
		"    },\n    \"d\": 2\n  },\"o\":[0,\n    true,\n    []]}",
		edited(arena, "{\"t\":{},\"o\":[0]}", append_two));
	loom_arena_destroy(arena);
	PASS();
}

static void change_some(struct model_leslie_edits *edits)
{
	struct loom_str a =
		model_leslie_branch_find(model_leslie_doc_branch(edits->doc, "t"), LOOM_STR("a"))
			->value;

	model_leslie_edit_set(edits, a, "s", LOOM_STR("\"new\""));
	model_leslie_edit_set(edits, a, "u", LOOM_STR("1"));
	model_leslie_edit_add_text(edits, a, "l", LOOM_STR("y"));
	model_leslie_edit_add_text(edits, a, "l2", LOOM_STR("z"));
	model_leslie_edit_drop_text(edits, a, "m", LOOM_STR("x"));
}

TEST unknown_bytes_stay_where_they_are(void)
{
	struct loom_arena *arena = loom_arena_create();
	const char *out = edited(arena,
				 "{\"zz\" : [ 1,2 ],\"t\":{\"a\":{\"s\":\"old\",\"l\":[\"x\"],"
				 "\"m\":[\"w\",\"x\"],\"odd\" :  1e5}}}",
				 change_some);

	ASSERT(strstr(out, "{\"zz\" : [ 1,2 ],"));
	ASSERT(strstr(out, "\"odd\" :  1e5"));
	ASSERT(strstr(out, "\"s\":\"new\""));
	ASSERT(!strstr(out, "old"));
	ASSERT(strstr(out, "\"u\": 1"));
	ASSERT(strstr(out, "\"z\""));
	ASSERT(strstr(out, "\"y\""));
	ASSERT(strstr(out, "\"w\""));
	ASSERT_EQ(NULL, strstr(strstr(out, "\"m\""), "\"x\""));
	loom_arena_destroy(arena);
	PASS();
}

static void add_again(struct model_leslie_edits *edits)
{
	struct loom_str a =
		model_leslie_branch_find(model_leslie_doc_branch(edits->doc, "t"), LOOM_STR("a"))
			->value;

	model_leslie_edit_add_text(edits, a, "l", LOOM_STR("\xc3\xa9"));
	model_leslie_edit_drop_text(edits, a, "l", LOOM_STR("nobody"));
}

TEST a_text_is_added_once(void)
{
	static const char text[] = "{\"t\":{\"a\":{\"l\":[\"\\u00e9\"]}}}";
	struct loom_arena *arena = loom_arena_create();

	ASSERT_STR_EQ(text, edited(arena, text, add_again));
	loom_arena_destroy(arena);
	PASS();
}

/* Whose element each byte of an array is. */
TEST a_byte_of_an_array_leads_to_its_element(void)
{
	static const char text[] =
		"{\"o\": [ {\"a\":[1, 2]} ,\"b\",{} ], \"p\": [], \"q\": {\"a\": 1}}";
	struct loom_arena *arena = loom_arena_create();
	struct model_leslie_doc doc;
	const struct model_leslie_branch *branch = NULL;

	ASSERT_EQ(LOOM_OK, model_leslie_doc_read(arena, LOOM_STR(text), &doc, NULL));
	branch = model_leslie_doc_branch(&doc, "o");
	ASSERT_EQ(3, branch->count);
	for (size_t at = 0; at < sizeof text; at++) {
		struct loom_str element = model_leslie_branch_at(&doc, branch, at);
		const char *wanted = at >= 8 && at < 20    ? "{\"a\":[1, 2]}"
				     : at >= 22 && at < 25 ? "\"b\""
				     : at >= 26 && at < 28 ? "{}"
							   : NULL;

		ASSERT_EQ(wanted != NULL, element.p != NULL);
		if (wanted)
			ASSERT(loom_str_is(element, wanted));
	}
	ASSERT(!model_leslie_branch_at(&doc, model_leslie_doc_branch(&doc, "p"), 20).p);
	ASSERT(!model_leslie_branch_at(&doc, model_leslie_doc_branch(&doc, "q"), 50).p);
	loom_arena_destroy(arena);
	PASS();
}

TEST a_map_of_many_finds_each(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct model_leslie_map map = {0};

	for (size_t i = 0; i < 5000; i++)
		model_leslie_map_set(arena, &map, loom_arena_format(arena, "id-%zu", i), i);
	model_leslie_map_set(arena, &map, LOOM_STR("id-7"), 77);
	for (size_t i = 0; i < 5000; i++)
		ASSERT_EQ(i == 7 ? 77 : i,
			  model_leslie_map_find(&map, loom_arena_format(arena, "id-%zu", i)));
	ASSERT_EQ(SIZE_MAX, model_leslie_map_find(&map, LOOM_STR("id-5000")));
	ASSERT_EQ(SIZE_MAX, model_leslie_map_find(&(struct model_leslie_map){0}, LOOM_STR("x")));
	loom_arena_destroy(arena);
	PASS();
}

SUITE(model_leslie_json)
{
	RUN_TEST(what_is_no_json_is_refused);
	RUN_TEST(what_is_json_is_read);
	RUN_TEST(the_index_agrees_with_the_strict_reader);
	RUN_TEST(nothing_is_read_behind_a_text_that_breaks_off);
	RUN_TEST(depth_is_bounded);
	RUN_TEST(records_are_found_and_texts_are_decoded);
	RUN_TEST(what_is_added_is_laid_out_like_the_rest);
	RUN_TEST(unknown_bytes_stay_where_they_are);
	RUN_TEST(a_text_is_added_once);
	RUN_TEST(a_byte_of_an_array_leads_to_its_element);
	RUN_TEST(a_map_of_many_finds_each);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(model_leslie_json);
	GREATEST_MAIN_END();
}
