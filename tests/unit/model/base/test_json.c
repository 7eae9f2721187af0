/* Strict reading, the pull reader, the emitter. */
#include <greatest.h>

#include <math.h>

#include <loom/base/json.h>

GREATEST_MAIN_DEFS();

TEST well_formed_texts_pass_and_build(void)
{
	static const char *const cases[] = {
		"{}",
		"[]",
		" [ ] \n",
		"0",
		"-0",
		"1.5e-3",
		"-12E+2",
		"\"\"",
		"true",
		"false",
		"null",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"",
		"\"\\ud83e\\uddf5\"",
		"\"\xF0\x9F\xA7\xB5 \x7F \xE2\x80\xA8\"",
		"{\"a\":[1,{\"a\":2}],\"b\":{\"a\":3}}",
		"{\"\":1,\"a\":2,\"A\":3}",
		"[[],{},[[]]]\r\n\t ",
		"9007199254740993",
		"[1,2,3]",
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		cJSON *value = NULL;
		struct loom_err err = {0};
		enum loom_status status =
			loom_json_parse(loom_str_of(cases[i]), NULL, &value, &err);

		ASSERT_EQm(cases[i], LOOM_OK, status);
		ASSERT(value);
		cJSON_Delete(value);
	}
	PASS();
}

TEST malformed_texts_are_refused_where_they_break(void)
{
	static const struct {
		struct loom_str text;
		size_t at;
	} cases[] = {
		{LOOM_STR_INIT(""), 0},
		{LOOM_STR_INIT("  "), 2},
		{LOOM_STR_INIT("[1,]"), 3},
		{LOOM_STR_INIT("[,1]"), 1},
		{LOOM_STR_INIT("[1 2]"), 3},
		{LOOM_STR_INIT("[1"), 2},
		{LOOM_STR_INIT("[1}"), 2},
		{LOOM_STR_INIT("{\"a\":1]"), 6},
		{LOOM_STR_INIT("{\"a\" 1}"), 5},
		{LOOM_STR_INIT("{\"a\":1,}"), 7},
		{LOOM_STR_INIT("{a:1}"), 1},
		{LOOM_STR_INIT("{1:1}"), 1},
		{LOOM_STR_INIT("{\"a\":}"), 5},
		{LOOM_STR_INIT("1 2"), 2},
		{LOOM_STR_INIT("{}{}"), 2},
		{LOOM_STR_INIT("]"), 0},
		{LOOM_STR_INIT("01"), 1},
		{LOOM_STR_INIT("-"), 1},
		{LOOM_STR_INIT("+1"), 0},
		{LOOM_STR_INIT(".5"), 0},
		{LOOM_STR_INIT("1."), 2},
		{LOOM_STR_INIT("1.e3"), 2},
		{LOOM_STR_INIT("1e"), 2},
		{LOOM_STR_INIT("1e+"), 3},
		{LOOM_STR_INIT("0x10"), 1},
		{LOOM_STR_INIT("NaN"), 0},
		{LOOM_STR_INIT("Infinity"), 0},
		{LOOM_STR_INIT("nul"), 0},
		{LOOM_STR_INIT("True"), 0},
		{LOOM_STR_INIT("truee"), 4},
		{LOOM_STR_INIT("'a'"), 0},
		{LOOM_STR_INIT("\"a"), 2},
		{LOOM_STR_INIT("\"a\\"), 3},
		{LOOM_STR_INIT("\"\\x41\""), 2},
		{LOOM_STR_INIT("\"\\u12g4\""), 1},
		{LOOM_STR_INIT("\"\\u12"), 1},
		{LOOM_STR_INIT("\"a\nb\""), 2},
		{LOOM_STR_INIT("\"a\0b\""), 2},
		{LOOM_STR_INIT("[\0]"), 1},
		{LOOM_STR_INIT("\"\\u0000\""), 1},
		{LOOM_STR_INIT("\"\\ud800\""), 1},
		{LOOM_STR_INIT("\"\\ud800x\""), 1},
		{LOOM_STR_INIT("\"\\ud800\\u0041\""), 1},
		{LOOM_STR_INIT("\"a\\udc00\""), 2},
		{LOOM_STR_INIT("\"\xFF\""), 1},
		{LOOM_STR_INIT("\"\xED\xA0\x80\""), 1},
		{LOOM_STR_INIT("\"\xC0\x80\""), 1},
		{LOOM_STR_INIT("\"\xE2\x82\""), 1},
		{LOOM_STR_INIT("\xEF\xBB\xBF{}"), 0},
		{LOOM_STR_INIT("[1]\xC2\xA0"), 3},
		{LOOM_STR_INIT("//x\n1"), 0},
		{LOOM_STR_INIT("1e999"), 0},
		{LOOM_STR_INIT("[-1E400]"), 1},
		{LOOM_STR_INIT("{\"a\":1,\"a\":2}"), 7},
		{LOOM_STR_INIT("{\"a\":1,\"b\":{\"x\":1},\"\\u0061\":2}"), 19},
		{LOOM_STR_INIT("[{},{\"\":0,\"\":0}]"), 10},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_err err = {0};
		cJSON *value = NULL;

		ASSERT_EQm(cases[i].text.p, LOOM_INVALID,
			   loom_json_parse(cases[i].text, NULL, &value, &err));
		ASSERT_EQ(NULL, value);
		ASSERT_EQ_FMTm(cases[i].text.p, cases[i].at, err.at, "%zu");
		ASSERT(err.text[0]);
	}
	PASS();
}

TEST every_prefix_of_a_document_is_refused(void)
{
	static const char text[] =
		"{\"a\":[1.5e1,true,null,\"x\\ud83e\\uddf5\\n\"],\"b\":{\"c\":-0}}";

	for (size_t n = 0; n < sizeof text - 1; n++)
		ASSERT_EQ(LOOM_INVALID, loom_json_check(loom_str_make(text, n), NULL, NULL));
	ASSERT_EQ(LOOM_OK, loom_json_check(loom_str_of(text), NULL, NULL));
	PASS();
}

static void repeat(struct loom_buf *buf, const char *text, size_t times)
{
	while (times--)
		loom_buf_adds(buf, text);
}

TEST depth_size_and_count_have_limits(void)
{
	const struct loom_json_limits small = {.bytes = 9, .depth = 3, .values = 4};
	struct loom_buf deep = LOOM_BUF_INIT(LOOM_BUF_MAX);

	ASSERT_EQ(LOOM_OK, loom_json_check(LOOM_STR("[[[0]]]"), &small, NULL));
	ASSERT_EQ(LOOM_LIMIT, loom_json_check(LOOM_STR("[[[[]]]]"), &small, NULL));
	ASSERT_EQ(LOOM_OK, loom_json_check(LOOM_STR("[1,2,3]"), &small, NULL));
	ASSERT_EQ(LOOM_LIMIT, loom_json_check(LOOM_STR("[1,2,3,4]"), &small, NULL));
	ASSERT_EQ(LOOM_LIMIT, loom_json_check(LOOM_STR("[       ]x"), &small, NULL));
	ASSERT_EQ(LOOM_LIMIT,
		  loom_json_check(LOOM_STR("1234567890123456789012345678901234567890123456789012345"
					   "678901234"),
				  NULL, NULL));
	repeat(&deep, "[", 128);
	repeat(&deep, "]", 128);
	ASSERT_EQ(LOOM_OK, loom_json_check(loom_buf_str(&deep), NULL, NULL));
	loom_buf_clear(&deep);
	repeat(&deep, "[", 129);
	ASSERT_EQ(LOOM_LIMIT, loom_json_check(loom_buf_str(&deep), NULL, NULL));
	loom_buf_clear(&deep);
	repeat(&deep, "[", 10000000);
	ASSERT_EQ(LOOM_LIMIT,
		  loom_json_check(loom_buf_str(&deep),
				  &(struct loom_json_limits){.depth = 100000000}, NULL));
	loom_buf_fini(&deep);
	PASS();
}

TEST a_map_of_many_keys_is_checked_in_time(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {0};

	loom_buf_addc(&buf, '{');
	for (int i = 0; i < 200000; i++)
		loom_buf_addf(&buf, "\"key number \\u0030%d\":%d,", i, i);
	loom_buf_adds(&buf, "\"z\":1");
	loom_buf_addc(&buf, '}');
	ASSERT_EQ(LOOM_OK, loom_json_check(loom_buf_str(&buf), NULL, NULL));
	loom_buf_cut(&buf, buf.n - 1);
	loom_buf_adds(&buf, ",\"key number 077777\":1}");
	ASSERT_EQ(LOOM_INVALID, loom_json_check(loom_buf_str(&buf), NULL, &err));
	ASSERT(strstr(err.text, "key number 077777"));
	loom_buf_fini(&buf);
	PASS();
}

/* An object of `count` keys, of which the one at `again` (0: none) is the first one again, spelled
 * with an escape where `escaped` says so; *out_at is where that begins. */
static void object_of(size_t count, size_t again, bool escaped, struct loom_buf *out,
		      size_t *out_at)
{
	loom_buf_clear(out);
	loom_buf_addc(out, '{');
	for (size_t i = 0; i < count; i++) {
		loom_buf_adds(out, i ? ", " : "");
		if (i == again)
			*out_at = out->n;
		if (i && i == again)
			loom_buf_adds(out, escaped ? "\"k\\u0030\": 1" : "\"k0\": 1");
		else
			loom_buf_addf(out, i % 7 ? "\"k%zu\": 1" : "\"\\u006b%zu\": 1", i);
	}
	loom_buf_addc(out, '}');
}

TEST a_key_that_stands_twice_is_found_among_few_and_many(void)
{
	static const size_t counts[] = {2, 3, 16, 17, 18, 300};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.text = ""};
	size_t at = 0;

	for (size_t c = 0; c < LOOM_COUNT(counts); c++)
		for (size_t again = 0; again < counts[c]; again++) {
			object_of(counts[c], again, again % 2, &text, &at);
			if (!again) {
				ASSERT_EQ(LOOM_OK,
					  loom_json_check(loom_buf_str(&text), NULL, &err));
				continue;
			}
			ASSERT_EQ(LOOM_INVALID, loom_json_check(loom_buf_str(&text), NULL, &err));
			ASSERT(strstr(err.text, "the key \"k0\" appears twice"));
			ASSERT_EQ_FMT(at, err.at, "%zu");
		}
	loom_buf_fini(&text);
	PASS();
}

TEST members_are_found_by_exact_key_and_type(void)
{
	cJSON *value = NULL;
	int64_t n = 0;

	ASSERT_EQ(LOOM_OK,
		  loom_json_parse(LOOM_STR("{\"a\":\"x\",\"A\":\"y\",\"n\":12,\"f\":1.5,\"big\":"
					   "9007199254740992,\"neg\":-9007199254740991,\"e\":1e3}"),
				  NULL, &value, NULL));
	ASSERT(loom_str_is(loom_json_str(value, "a"), "x"));
	ASSERT(loom_str_is(loom_json_str(value, "A"), "y"));
	ASSERT_EQ(NULL, loom_json_str(value, "n").p);
	ASSERT_EQ(NULL, loom_json_str(value, "none").p);
	ASSERT(loom_json_int(value, "n", &n) && n == 12);
	ASSERT(loom_json_int(value, "neg", &n) && n == -9007199254740991);
	ASSERT(loom_json_int(value, "e", &n) && n == 1000);
	ASSERT_FALSE(loom_json_int(value, "f", &n));
	ASSERT_FALSE(loom_json_int(value, "big", &n));
	ASSERT_FALSE(loom_json_int(value, "a", &n));
	ASSERT_FALSE(loom_json_int(NULL, "a", &n));
	ASSERT_EQ(NULL, loom_json_get(loom_json_get(value, "n"), "x"));
	cJSON_Delete(value);
	PASS();
}

TEST the_pull_reader_gives_tokens_in_order(void)
{
	static const enum loom_json_kind kinds[] = {
		LOOM_JSON_OBJECT, LOOM_JSON_KEY,       LOOM_JSON_ARRAY,      LOOM_JSON_NUMBER,
		LOOM_JSON_TRUE,   LOOM_JSON_END_ARRAY, LOOM_JSON_KEY,        LOOM_JSON_TEXT,
		LOOM_JSON_KEY,    LOOM_JSON_OBJECT,    LOOM_JSON_END_OBJECT, LOOM_JSON_KEY,
		LOOM_JSON_NULL,   LOOM_JSON_KEY,       LOOM_JSON_FALSE,      LOOM_JSON_END_OBJECT,
		LOOM_JSON_DONE,   LOOM_JSON_DONE,
	};
	struct loom_json_reader reader;

	loom_json_read_init(&reader,
			    LOOM_STR("{\"a\":[12345678901234567890, true],\"b\":\"x\\ty\",\"c\":{},"
				     "\"d\":null,\"e\":false}"),
			    NULL);
	for (size_t i = 0; i < LOOM_COUNT(kinds); i++) {
		struct loom_json_token token;

		ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
		ASSERT_EQ(kinds[i], token.kind);
		if (token.kind == LOOM_JSON_NUMBER)
			ASSERT(loom_str_is(token.raw, "12345678901234567890"));
		if (token.kind == LOOM_JSON_TEXT)
			ASSERT(token.escaped && loom_str_is(token.raw, "x\\ty"));
	}
	PASS();
}

TEST a_value_can_be_passed_over_and_kept_as_text(void)
{
	struct loom_json_reader reader;
	struct loom_json_token token;
	struct loom_str raw;

	loom_json_read_init(&reader, LOOM_STR("[{\"a\" : [1,[2, 3]] ,\"b\":4}, \"x\"]"), NULL);
	ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
	ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
	ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
	ASSERT_EQ(LOOM_JSON_KEY, token.kind);
	ASSERT_EQ(LOOM_OK, loom_json_skip(&reader, &token, &raw, NULL));
	ASSERT(loom_str_is(raw, "[1,[2, 3]]"));
	ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
	ASSERT(loom_str_is(token.raw, "b"));
	ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
	ASSERT_EQ(LOOM_OK, loom_json_skip(&reader, &token, &raw, NULL));
	ASSERT(loom_str_is(raw, "4"));
	ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
	ASSERT_EQ(LOOM_JSON_END_OBJECT, token.kind);
	ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
	ASSERT_EQ(LOOM_OK, loom_json_skip(&reader, &token, &raw, NULL));
	ASSERT(loom_str_is(raw, "\"x\""));

	loom_json_read_init(&reader, LOOM_STR("[[1,2"), NULL);
	ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
	ASSERT_EQ(LOOM_INVALID, loom_json_skip(&reader, &token, &raw, NULL));
	ASSERT_EQ(LOOM_INVALID, loom_json_read(&reader, &token, NULL));
	PASS();
}

TEST escapes_mean_what_they_say(void)
{
	struct loom_json_reader reader;
	struct loom_json_token token;
	struct loom_buf buf = LOOM_BUF_INIT(128);

	loom_json_read_init(
		&reader,
		LOOM_STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83E\\uddf5\\u0000x\\ud800"
			 "\\ud83e\\uddf5\\udc00\""),
		NULL);
	reader.loose = true;
	ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
	loom_json_decode(token.raw, &buf);
	ASSERT(loom_str_eq(loom_buf_str(&buf),
			   LOOM_STR("\"\\/\b\f\n\r\t\xC3\xA9\xF0\x9F\xA7\xB5\0x\xED\xA0\x80"
				    "\xF0\x9F\xA7\xB5\xED\xB0\x80")));
	loom_buf_fini(&buf);
	PASS();
}

TEST the_emitter_minds_its_commas(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(1024);
	struct loom_json json;

	loom_json_init(&json, &buf);
	loom_json_object(&json);
	loom_json_put(&json, "a", LOOM_STR("x"));
	loom_json_key(&json, "list");
	loom_json_array(&json);
	loom_json_number(&json, INT64_MIN);
	loom_json_array(&json);
	loom_json_end_array(&json);
	loom_json_object(&json);
	loom_json_end_object(&json);
	loom_json_null(&json);
	loom_json_real(&json, 0.5);
	loom_json_real(&json, INFINITY);
	loom_json_raw(&json, LOOM_STR("{\"r\":1}"));
	loom_json_bool(&json, false);
	loom_json_end_array(&json);
	loom_json_put_int(&json, "n", -3);
	loom_json_put_bool(&json, "b", true);
	loom_json_end_object(&json);
	ASSERT_STR_EQ("{\"a\":\"x\",\"list\":[-9223372036854775808,[],{},null,0.5,null,{\"r\":1},"
		      "false],\"n\":-3,\"b\":true}",
		      loom_buf_cstr(&buf));
	loom_buf_fini(&buf);
	PASS();
}

TEST nesting_past_the_emitters_depth_makes_the_buffer_bad(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(1024);
	struct loom_json json;

	loom_json_init(&json, &buf);
	for (int i = 0; i < 64; i++)
		loom_json_array(&json);
	ASSERT_EQ(LOOM_OK, buf.bad);
	loom_json_number(&json, 1);
	loom_json_number(&json, 2);
	for (int i = 0; i < 64; i++)
		loom_json_end_array(&json);
	ASSERT_EQ(LOOM_OK, buf.bad);
	ASSERT_EQ(LOOM_OK, loom_json_check(loom_buf_str(&buf), NULL, NULL));
	loom_json_init(&json, &buf);
	for (int i = 0; i < 65; i++)
		loom_json_array(&json);
	ASSERT_EQ(LOOM_LIMIT, buf.bad);
	loom_buf_fini(&buf);
	PASS();
}

TEST strings_are_escaped_as_javascript_does(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(1024);

	loom_json_quote(LOOM_STR("a\"\\/\b\f\n\r\t\x01\x1F\x7F\xC3\xA9\xE2\x80\xA8\0z"), &buf);
	ASSERT_STR_EQ("\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\xC3\xA9\xE2\x80\xA8\\u0000z\"",
		      loom_buf_cstr(&buf));
	loom_buf_clear(&buf);
	loom_json_quote(LOOM_STR("\xFF\xC3|\xED\xA0\x80"), &buf);
	ASSERT_STR_EQ("\"\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"",
		      loom_buf_cstr(&buf));
	loom_buf_clear(&buf);
	loom_json_canonical_text(LOOM_STR("\xFF|\xED\xA0\x80\xED\xBF\xBF\xED\x9F\xBF\xED\xA0"),
				 &buf);
	ASSERT_STR_EQ("\"\xEF\xBF\xBD|\\ud800\\udfff\xED\x9F\xBF\xEF\xBF\xBD\xEF\xBF\xBD\"",
		      loom_buf_cstr(&buf));
	loom_buf_fini(&buf);
	PASS();
}

TEST whatever_is_quoted_reads_back(void)
{
	for (uint32_t cp = 0; cp < 0x110000; cp += cp < 0x3000 ? 1 : 97) {
		struct loom_buf text = LOOM_BUF_INIT(64);
		struct loom_buf json = LOOM_BUF_INIT(64);
		struct loom_buf back = LOOM_BUF_INIT(64);
		struct loom_json_reader reader;
		struct loom_json_token token;

		loom_buf_addc(&text, 'a');
		loom_buf_add_cp(&text, cp >= 0xD800 && cp <= 0xDFFF ? 0xFFFD : cp);
		loom_json_quote(loom_buf_str(&text), &json);
		loom_json_read_init(&reader, loom_buf_str(&json), NULL);
		reader.loose = true;
		ASSERT_EQ(LOOM_OK, loom_json_read(&reader, &token, NULL));
		loom_json_decode(token.raw, &back);
		ASSERT(loom_str_eq(loom_buf_str(&text), loom_buf_str(&back)));
		loom_buf_fini(&text);
		loom_buf_fini(&json);
		loom_buf_fini(&back);
	}
	PASS();
}

TEST numbers_are_spelled_as_javascript_does(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "0"},
		{1, "1"},
		{-1.5, "-1.5"},
		{100, "100"},
		{1500.5, "1500.5"},
		{0.1, "0.1"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1.0 / 3, "0.3333333333333333"},
		{1e20, "100000000000000000000"},
		{1e21, "1e+21"},
		{1.5e21, "1.5e+21"},
		{123456789012345680000.0, "123456789012345680000"},
		{0.000001, "0.000001"},
		{0.0000001, "1e-7"},
		{1.25e-7, "1.25e-7"},
		{-1e-7, "-1e-7"},
		{5e-324, "5e-324"},
		{1.7976931348623157e308, "1.7976931348623157e+308"},
		{9007199254740993.0, "9007199254740992"},
		{9007199254740991.0, "9007199254740991"},
		{123e-20, "1.23e-18"},
		{0x1p-1017, "7.120236347223045e-307"},
		{0x1p-1074, "5e-324"},
		{NAN, "null"},
		{-INFINITY, "null"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf buf = LOOM_BUF_INIT(64);
		struct loom_json json;

		loom_json_init(&json, &buf);
		loom_json_real(&json, cases[i].value);
		ASSERT_STR_EQ(cases[i].text, loom_buf_cstr(&buf));
		loom_buf_fini(&buf);
	}
	PASS();
}

TEST canonical_form_sorts_keys_by_utf16_units_at_every_depth(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(1024);
	cJSON *value = NULL;

	ASSERT_EQ(LOOM_OK,
		  loom_json_parse(LOOM_STR("{ \"b\": 1, \"a\": [ {\"z\":null,\"y\":true}, [] ],"
					   " \"\\ufb01\": 2, \"\\ud83e\\uddf5\": 3, \"\\u00e9\": 4,"
					   " \"aa\": 5, \"A\": 6, \"\": 7, \"10\": 8, \"9\": 9,"
					   " \"\\ud7ff\": 10 }"),
				  NULL, &value, NULL));
	loom_json_canonical(value, &buf);
	ASSERT_STR_EQ(
		"{\"\":7,\"10\":8,\"9\":9,\"A\":6,\"a\":[{\"y\":true,\"z\":null},[]],\"aa\":5,"
		"\"b\":1,\"\xC3\xA9\":4,\"\xED\x9F\xBF\":10,\"\xF0\x9F\xA7\xB5\":3,"
		"\"\xEF\xAC\x81\":2}",
		loom_buf_cstr(&buf));
	loom_buf_fini(&buf);
	cJSON_Delete(value);
	PASS();
}

TEST a_value_is_written_as_it_was_read(void)
{
	static const char text[] =
		"{\"b\":[1,2.5,{}],\"a\":{\"x\":\"\\n\",\"y\":[[[]]]},\"c\":null}";
	struct loom_buf buf = LOOM_BUF_INIT(1024);
	struct loom_json json;
	cJSON *value = NULL;

	ASSERT_EQ(LOOM_OK, loom_json_parse(loom_str_of(text), NULL, &value, NULL));
	loom_json_init(&json, &buf);
	loom_json_array(&json);
	loom_json_value(&json, value);
	loom_json_value(&json, value);
	loom_json_end_array(&json);
	ASSERT_EQ(2 * strlen(text) + 3, buf.n);
	ASSERT(loom_str_eq(loom_str_of(text), loom_str_sub(loom_buf_str(&buf), 1, strlen(text))));
	loom_buf_fini(&buf);
	cJSON_Delete(value);
	PASS();
}

TEST random_bytes_never_pass_what_cjson_cannot_build(void)
{
	static const char alphabet[] = "{}[]\",:0123456789.eE+-truefalsn\\u\n \x01\xC3\xA9";
	uint64_t state = 88172645463325252u;
	size_t passed = 0;

	for (int round = 0; round < 200000; round++) {
		enum loom_status status = LOOM_OK;
		char text[12];
		cJSON *value = NULL;
		size_t n = 0;

		for (n = 0; n < sizeof text && (state & 15) != 3; n++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			text[n] = alphabet[state % (sizeof alphabet - 1)];
		}
		state += 0x9E3779B97F4A7C15u;
		status = loom_json_parse(loom_str_make(text, n), NULL, &value, NULL);
		ASSERT(status == LOOM_OK || status == LOOM_INVALID);
		passed += status == LOOM_OK;
		cJSON_Delete(value);
	}
	ASSERT(passed > 100);
	PASS();
}

SUITE(json)
{
	RUN_TEST(well_formed_texts_pass_and_build);
	RUN_TEST(malformed_texts_are_refused_where_they_break);
	RUN_TEST(every_prefix_of_a_document_is_refused);
	RUN_TEST(depth_size_and_count_have_limits);
	RUN_TEST(a_map_of_many_keys_is_checked_in_time);
	RUN_TEST(a_key_that_stands_twice_is_found_among_few_and_many);
	RUN_TEST(members_are_found_by_exact_key_and_type);
	RUN_TEST(the_pull_reader_gives_tokens_in_order);
	RUN_TEST(a_value_can_be_passed_over_and_kept_as_text);
	RUN_TEST(escapes_mean_what_they_say);
	RUN_TEST(the_emitter_minds_its_commas);
	RUN_TEST(nesting_past_the_emitters_depth_makes_the_buffer_bad);
	RUN_TEST(strings_are_escaped_as_javascript_does);
	RUN_TEST(whatever_is_quoted_reads_back);
	RUN_TEST(numbers_are_spelled_as_javascript_does);
	RUN_TEST(canonical_form_sorts_keys_by_utf16_units_at_every_depth);
	RUN_TEST(a_value_is_written_as_it_was_read);
	RUN_TEST(random_bytes_never_pass_what_cjson_cannot_build);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(json);
	GREATEST_MAIN_END();
}
