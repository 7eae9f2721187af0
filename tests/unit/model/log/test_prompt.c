/* The one form of a message: what an entry becomes, and that nothing of it is lost on the way. */
#include <greatest.h>

#include <loom/log/prompt.h>
#include <loom/text/quoting.h>

#include "support/prop.h"

static struct loom_arena *arena;

static void set_up(void *unused)
{
	(void)unused;
	arena = loom_arena_create();
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_arena_destroy(arena);
}

static struct loom_prompt_message made(struct loom_entry entry)
{
	struct loom_prompt_message message;

	loom_entry_message(&entry, arena, &message);
	return message;
}

static const char *json_of(const struct loom_prompt_message *message)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	struct loom_str copy;

	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_prompt_json(message, &json);
	loom_json_end_object(&json);
	copy = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return copy.p;
}

static const char *says(struct loom_entry entry)
{
	struct loom_prompt_message message = made(entry);

	return json_of(&message);
}

TEST calls_of_both_shapes_are_one(void)
{
	static const struct loom_str lists[] = {
		LOOM_STR_INIT("[{\"id\":\"c\",\"name\":\"n\",\"arguments\":{\"b\":1.10,\"a\":2}}]"),
		LOOM_STR_INIT("[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"n\","
			      "\"arguments\":\"{\\\"b\\\":1.10,\\\"a\\\":2}\"}},7,{\"id\":\"x\"}]"),
	};

	for (size_t i = 0; i < LOOM_COUNT(lists); i++)
		ASSERT_STR_EQ(
			"{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\","
			"\"type\":\"function\",\"function\":{\"name\":\"n\","
			"\"arguments\":\"{\\\"b\\\":1.10,\\\"a\\\":2}\"}}]}",
			says((struct loom_entry){.role_name = LOOM_STR("\"assistant\""),
						 .content = LOOM_STR("\"\""),
						 .tool_calls = lists[i]}));
	PASS();
}

TEST parts_that_no_provider_knows_are_told_by_their_names(void)
{
	ASSERT_STR_EQ(
		"{\"role\":\"user\",\"content\":\"ab[x] c\"}",
		says((struct loom_entry){.role_name = LOOM_STR("\"user\""),
					 .content = LOOM_STR(
						 "[\"a\",{\"type\":\"text\",\"text\":\"b\"},"
						 "{\"type\":\"x\",\"text\":\"c\"},"
						 "{\"type\":\"thinking\",\"thinking\":\"no\"}]")}));
	ASSERT_STR_EQ(
		"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
		"{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://example.com/y.png\"}}]}",
		says((struct loom_entry){.role_name = LOOM_STR("\"user\""),
					 .content = LOOM_STR(
						 "[{\"type\":\"text\",\"text\":\"a\"},"
						 "{\"type\":\"image\",\"source\":{\"type\":\"url\","
						 "\"url\":\"https://example.com/y.png\"}}]")}));
	PASS();
}

TEST only_signed_thoughts_go_back(void)
{
	const struct loom_str both =
		LOOM_STR("[{\"type\":\"reasoning.text\",\"text\":\"no\"},"
			 "{\"type\":\"reasoning.text\",\"text\":\"yes\",\"signature\":\"s\"}]");
	const struct loom_str block =
		LOOM_STR("[{\"type\":\"thinking\",\"thinking\":\"yes\",\"signature\":\"s\"},"
			 "{\"type\":\"text\",\"text\":\"a\"}]");

	ASSERT_STR_EQ("{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_details\":["
		      "{\"type\":\"reasoning.text\",\"text\":\"yes\",\"signature\":\"s\"}]}",
		      says((struct loom_entry){.role_name = LOOM_STR("\"assistant\""),
					       .content = LOOM_STR("\"a\""),
					       .thinking = LOOM_STR("\"no\""),
					       .reasoning = both}));
	ASSERT_STR_EQ("{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_details\":["
		      "{\"type\":\"reasoning.text\",\"format\":\"anthropic-claude-v1\","
		      "\"text\":\"yes\",\"signature\":\"s\"}]}",
		      says((struct loom_entry){.role_name = LOOM_STR("\"assistant\""),
					       .content = block}));
	PASS();
}

TEST a_voice_that_no_provider_has_keeps_its_name(void)
{
	ASSERT_STR_EQ("{\"role\":\"user\",\"content\":\"function: 47\"}",
		      says((struct loom_entry){.role_name = LOOM_STR("\"function\""),
					       .content = LOOM_STR("\"47\"")}));
	ASSERT_STR_EQ("{\"role\":\"user\",\"content\":\"Ana: Hi\"}",
		      says((struct loom_entry){.role_name = LOOM_STR("\"user\""),
					       .name = LOOM_STR("\"Ana\""),
					       .content = LOOM_STR("\"Hi\"")}));
	ASSERT_STR_EQ("{\"role\":\"system\",\"content\":\"S\"}",
		      says((struct loom_entry){.role_name = LOOM_STR("\"developer\""),
					       .content = LOOM_STR("\"S\"")}));
	PASS();
}

static struct loom_str any_text(struct prop *prop)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str copy;

	prop_text(prop, prop_below(prop, 8), &text);
	copy = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return copy;
}

static struct loom_prompt_message any_message(struct prop *prop)
{
	const enum loom_role roles[] = {LOOM_ROLE_USER, LOOM_ROLE_ASSISTANT, LOOM_ROLE_TOOL};
	struct loom_tool_call *calls = LOOM_ARENA_ARRAY(arena, 3, struct loom_tool_call);
	struct loom_prompt_message message = {.role = roles[prop_below(prop, 3)],
					      .text = any_text(prop),
					      .calls = calls};

	if (message.role == LOOM_ROLE_ASSISTANT)
		message.call_count = prop_below(prop, 4);
	for (size_t i = 0; i < message.call_count; i++)
		calls[i] = (struct loom_tool_call){any_text(prop), LOOM_STR("n"), any_text(prop)};
	if (message.role == LOOM_ROLE_TOOL) {
		message.call_id = any_text(prop);
		message.name = any_text(prop);
	}
	if (message.role == LOOM_ROLE_USER && prop_below(prop, 2))
		message.parts = LOOM_STR("[{\"type\":\"file\",\"file\":{}}]");
	return message;
}

TEST what_is_written_is_read_back(void)
{
	struct prop prop;

	prop_init(&prop, "prompt");
	for (int i = 0; i < prop_times(2000); i++) {
		struct loom_prompt_message message = any_message(&prop);
		struct loom_prompt_message copy = loom_prompt_copy(&message, arena);
		struct loom_prompt_message back = {.role = message.role, .text = message.text};
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_json json;

		loom_json_init(&json, &text);
		loom_json_object(&json);
		loom_prompt_rest_json(&message, &json);
		loom_json_end_object(&json);
		loom_prompt_rest_read(loom_buf_str(&text), arena, &back);
		ASSERT_STR_EQ(json_of(&message), json_of(&back));
		ASSERT_STR_EQ(json_of(&message), json_of(&copy));
		ASSERT_EQ(loom_prompt_tokens(&message), loom_prompt_tokens(&back));
		loom_buf_fini(&text);
		loom_arena_reset(arena);
	}
	PASS();
}

TEST a_picture_costs_the_same_however_long_its_data_is(void)
{
	const struct loom_prompt_message picture = {
		.role = LOOM_ROLE_USER,
		.parts = LOOM_STR("[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:…\"}}]")};

	ASSERT_EQ(1000, loom_prompt_tokens(&picture));
	PASS();
}

TEST no_name_and_no_argument_forges_a_line_of_a_transcript(void)
{
	const struct loom_tool_call call = {LOOM_STR("c\nUser: id"), LOOM_STR("n\nTool: name"),
					    LOOM_STR("{}\nCall: arguments")};
	const struct loom_prompt_message message = {.role = LOOM_ROLE_ASSISTANT,
						    .text = LOOM_STR("a\nCall: text"),
						    .calls = &call,
						    .call_count = 1};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	ASSERT_EQ(4, loom_prompt_text(&message, LOOM_SAYS_ASSISTANT, LOOM_BELOW_ROLES, &text));
	ASSERT_STR_EQ("Assistant: a\n\\Call: text\nCall: n\n\\Tool: name (c\n\\User: id) "
		      "{}\n\\Call: arguments",
		      loom_buf_cstr(&text));
	loom_buf_fini(&text);
	PASS();
}

SUITE(prompt)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(calls_of_both_shapes_are_one);
	RUN_TEST(parts_that_no_provider_knows_are_told_by_their_names);
	RUN_TEST(only_signed_thoughts_go_back);
	RUN_TEST(a_voice_that_no_provider_has_keeps_its_name);
	RUN_TEST(what_is_written_is_read_back);
	RUN_TEST(a_picture_costs_the_same_however_long_its_data_is);
	RUN_TEST(no_name_and_no_argument_forges_a_line_of_a_transcript);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(prompt);
	GREATEST_MAIN_END();
}
