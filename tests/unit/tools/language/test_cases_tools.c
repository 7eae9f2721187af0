/* The conformance cases of the → language, at the level of parsing: each `input` with its `source`
 * must give the calls, errors, hints, batches and proposals that the case expects, in one piece and
 * a byte at a time. */
#include <greatest.h>

#include <tests/support/temp.h>

#include <loom/language/parse.h>

GREATEST_MAIN_DEFS();

static struct loom_str text_of(const cJSON *value)
{
	return loom_str_of(cJSON_GetStringValue(value));
}

/* Whether `got` has all that `wanted` has: objects may have more members, lists not. */
static bool has_all(const cJSON *got, const cJSON *wanted)
{
	const cJSON *item = NULL;

	if (cJSON_IsArray(wanted)) {
		int i = 0;

		if (!cJSON_IsArray(got) || cJSON_GetArraySize(got) != cJSON_GetArraySize(wanted))
			return false;
		cJSON_ArrayForEach(item, wanted) if (!has_all(cJSON_GetArrayItem(got, i++),
							      item)) return false;
		return true;
	}
	if (cJSON_IsObject(wanted)) {
		cJSON_ArrayForEach(item, wanted) if (!has_all(loom_json_get(got, item->string),
							      item)) return false;
		return true;
	}
	return cJSON_Compare(got, wanted, true);
}

/* Parameters must be these and no others. */
static bool same_params(const cJSON *got, const cJSON *wanted)
{
	const cJSON *call = NULL;
	int i = 0;

	cJSON_ArrayForEach(
		call,
		wanted) if (!cJSON_Compare(loom_json_get(cJSON_GetArrayItem(got, i++), "params"),
					   loom_json_get(call, "params"), true)) return false;
	return true;
}

/* Whether a text that comes a byte at a time says what it says whole. */
static bool same_in_bytes(enum loom_source source, struct loom_str text, struct loom_str whole)
{
	struct loom_turn *turn = loom_turn_create(source, LOOM_TURN_CALLS);
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t at = 0; at < text.n; at++)
		loom_turn_feed(turn, loom_str_sub(text, at, 1));
	loom_turn_end(turn);
	loom_turn_json(turn, &said);
	bool same = loom_str_eq(loom_buf_str(&said), whole);
	loom_buf_fini(&said);
	loom_turn_destroy(turn);
	return same;
}

static bool case_holds(const cJSON *one, struct loom_buf *out)
{
	static const char *const parts[] = {"calls", "errors", "hints", "batches", "proposed"};
	const cJSON *expect = loom_json_get(one, "expect");
	enum loom_source source = LOOM_SOURCE_MODEL;
	struct loom_err err = {0};
	cJSON *got = NULL;
	bool good = loom_source_parse(text_of(loom_json_get(one, "source")), &source);
	struct loom_str input = text_of(loom_json_get(one, "input"));

	loom_buf_clear(out);
	loom_parse_json(source, input, out);
	good = good && same_in_bytes(source, input, loom_buf_str(out));
	if (loom_json_parse(loom_buf_str(out), NULL, &got, &err) != LOOM_OK)
		return false;
	for (size_t i = 0; i < LOOM_COUNT(parts); i++) {
		const cJSON *wanted = loom_json_get(expect, parts[i]);

		good = good && (!wanted || has_all(loom_json_get(got, parts[i]), wanted));
	}
	good = good && same_params(loom_json_get(got, "calls"), loom_json_get(expect, "calls"));
	cJSON_Delete(got);
	return good;
}

static enum greatest_test_res holds(const char *path)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {0};
	cJSON *file = NULL;
	const cJSON *one = NULL;
	int count = 0;

	if (!temp_read(path, &text))
		SKIPm("the cases are not here");
	ASSERT_EQm(err.text, LOOM_OK, loom_json_parse(loom_buf_str(&text), NULL, &file, &err));
	cJSON_ArrayForEach(one, loom_json_get(file, "cases"))
	{
		if (!case_holds(one, &out)) {
			printf("%s\n", loom_buf_cstr(&out));
			FAILm(cJSON_GetStringValue(loom_json_get(one, "title")));
		}
		count++;
	}
	ASSERT(count > 40);
	cJSON_Delete(file);
	loom_buf_fini(&text);
	loom_buf_fini(&out);
	PASS();
}

TEST every_case_beside_the_project_holds(void)
{
	CHECK_CALL(holds(LOOM_SHARED "/cases/tools.json"));
	PASS();
}

TEST every_case_of_our_own_holds(void)
{
	CHECK_CALL(holds(LOOM_SOURCE "/tests/cases/language.json"));
	PASS();
}

/* Calls of a text, fed in pieces of `step` bytes; thoughts do nothing. */
static size_t acts_of(struct loom_str text, size_t step)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);
	size_t count = 0;

	for (size_t at = 0; at < text.n; at += step)
		loom_turn_feed(turn, loom_str_sub(text, at, step));
	loom_turn_end(turn);
	for (size_t i = 0; i < turn->call_count; i++)
		count += turn->calls[i].verb != LOOM_VERB_THINK;
	loom_turn_destroy(turn);
	return count;
}

/* Puts the call into each place of the frame that is marked for it. */
static void fill_frame(struct loom_str frame, struct loom_str call, struct loom_buf *out)
{
	static const struct loom_str mark = LOOM_STR_INIT("{c}");
	size_t at = 0;

	loom_buf_clear(out);
	for (size_t next = 0; (next = loom_str_find(frame, mark, at)) != SIZE_MAX;
	     at = next + mark.n) {
		loom_buf_add(out, loom_str_sub(frame, at, next - at));
		loom_buf_add(out, call);
	}
	loom_buf_add(out, loom_str_sub(frame, at, frame.n));
}

TEST what_is_quoted_never_acts(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf quoted = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {0};
	cJSON *file = NULL;
	const cJSON *frame = NULL;
	const cJSON *call = NULL;
	size_t texts = 0;

	ASSERT(temp_read(LOOM_SOURCE "/tests/cases/quoted.json", &text));
	ASSERT_EQ(LOOM_OK, loom_json_parse(loom_buf_str(&text), NULL, &file, &err));
	cJSON_ArrayForEach(frame, loom_json_get(file, "frames"))
	{
		cJSON_ArrayForEach(call, loom_json_get(file, "calls"))
		{
			fill_frame(text_of(frame), text_of(call), &quoted);
			ASSERT_EQm(loom_buf_cstr(&quoted), 0,
				   acts_of(loom_buf_str(&quoted), SIZE_MAX / 2));
			ASSERT_EQm(loom_buf_cstr(&quoted), 0, acts_of(loom_buf_str(&quoted), 1));
			texts++;
		}
	}
	ASSERT(texts >= 500);
	cJSON_Delete(file);
	loom_buf_fini(&text);
	loom_buf_fini(&quoted);
	PASS();
}

static enum greatest_test_res prints(enum loom_source source, const char *text, const char *json)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_parse_json(source, loom_str_of(text), &out);
	ASSERT_STR_EQ(json, loom_buf_cstr(&out));
	loom_buf_fini(&out);
	PASS();
}

TEST a_paste_proposes_and_runs_nothing(void)
{
	CHECK_CALL(prints(LOOM_SOURCE_PASTE, "→ view a7x2\n-> view a7x2\n→ list a7x2\n",
			  "{\"calls\":[],\"errors\":[{\"line\":3,\"code\":\"INVALID_SYNTAX\","
			  "\"clarify\":true,\"candidates\":[],\"message\":\"which one? list needs "
			  "continuations, annotations or links\",\"hint\":\"did you mean → list "
			  "a7x2 continuations\\n→ list a7x2 annotations\\n→ list a7x2 "
			  "links\",\"retryable\":true}],\"hints\":[{\"line\":2,"
			  "\"hint\":\"ASCII_ARROW\"}],\"batches\":[],\"proposed\":[{\"cmd\":"
			  "\"view\",\"params\":{\"id\":\"a7x2\"},\"line\":1}]}"));
	PASS();
}

TEST parameters_have_their_shapes(void)
{
	CHECK_CALL(prints(
		LOOM_SOURCE_MODEL,
		"→ write doc:\"D\" at:5 \"x\"\n→ drop pin:doc:\"D\" section:S\n→ stash \"L\" "
		"summary-of:r001-a7x2\n→ view a7x2 with-annotations full\n→ link a7x2 to "
		"tree:\"T\" node:x9y3\n→ think open",
		"{\"calls\":[{\"cmd\":\"write\",\"params\":{\"doc\":\"D\",\"at\":5,\"content\":"
		"\"x\"},\"line\":1},{\"cmd\":\"drop\",\"params\":{\"pin\":{\"doc\":\"D\","
		"\"section\":\"S\"}},\"line\":2},{\"cmd\":\"stash\",\"params\":{\"label\":\"L\","
		"\"summary_of\":[\"r001\",\"a7x2\"]},\"line\":3},{\"cmd\":\"view\",\"params\":{"
		"\"id\":\"a7x2\",\"full\":true,\"with_annotations\":true},\"line\":4},{\"cmd\":"
		"\"link\",\"params\":{\"id\":\"a7x2\",\"target\":{\"node\":\"x9y3\",\"tree\":"
		"\"T\"}},\"line\":5},{\"cmd\":\"think\",\"params\":{\"content\":\"open\","
		"\"unterminated\":true},\"line\":6}],\"errors\":[],\"hints\":[],\"batches\":[[0,1,"
		"2,3,4,5]],\"proposed\":[]}"));
	PASS();
}

TEST calls_past_the_limit_are_listed_with_the_others(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (int i = 0; i < LOOM_CALLS_MAX + 1; i++)
		loom_buf_adds(&text, "→ undo\n");
	loom_parse_json(LOOM_SOURCE_MODEL, loom_buf_str(&text), &out);
	ASSERT(loom_str_find(loom_buf_str(&out), LOOM_STR("\"line\":33}"), 0) != SIZE_MAX);
	loom_buf_fini(&text);
	loom_buf_fini(&out);
	PASS();
}

SUITE(cases)
{
	RUN_TEST(every_case_beside_the_project_holds);
	RUN_TEST(every_case_of_our_own_holds);
	RUN_TEST(what_is_quoted_never_acts);
	RUN_TEST(a_paste_proposes_and_runs_nothing);
	RUN_TEST(parameters_have_their_shapes);
	RUN_TEST(calls_past_the_limit_are_listed_with_the_others);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(cases);
	GREATEST_MAIN_END();
}
