/* What servers say in bodies that are no answers, in every shape that was seen. */
#include <greatest.h>

#include <loom/base/arena.h>
#include <loom/learned/server_words.h>

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

TEST words_are_found_whatever_their_shape(void)
{
	static const struct {
		const char *body;
		const char *words;
	} cases[] = {
		{"{\"error\":{\"message\":\"no\",\"code\":400}}", "no"},
		{"{\"error\":\"model not loaded\"}", "model not loaded"},
		{"{\"error\":{\"type\":\"x\"}}", "x"},
		{"{\"detail\":\"Not Found\"}", "Not Found"},
		{"{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"a\",0],"
		 "\"msg\":\"Extra\"}]}",
		 "a.0: Extra"},
		{"{\"message\":\"quota exceeded\"}", "quota exceeded"},
		{"{\"errors\":[{\"message\":\"one\"},\"two\"]}", "one; two"},
		{"[{\"error\":{\"code\":400,\"message\":\"Google's\",\"status\":\"X\"}}]",
		 "Google's"},
		{"{\"title\":\"Bad\",\"detail\":\"This one\",\"status\":400}", "This one"},
		{"  plain \n words ", "plain words"},
		{"<html><head><title>502 Bad\n Gateway</title></head><body>x</body></html>",
		 "502 Bad Gateway"},
		{"<body><h1 class=a>Down</h1>for now</body>", "Down"},
		{"<p>No <b>title</b> here</p>", "No title here"},
		{"a < b and c > d", "a < b and c > d"},
		{"{\"error\":\"a <b> c\"}", "a <b> c"},
		{"{\"ok\":true}", ""},
		{"", ""},
		{"\x01\x02", ""},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		const struct loom_str words = loom_server_words(loom_str_of(cases[i].body), arena);

		ASSERT_STR_EQm(cases[i].body, cases[i].words, loom_arena_cstr(arena, words));
	}
	PASS();
}

TEST long_words_are_cut_at_a_character(void)
{
	struct loom_buf body = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str words;

	for (int i = 0; i < 2000; i++)
		loom_buf_adds(&body, "\xE2\x82\xAC");
	words = loom_server_words(loom_buf_str(&body), arena);
	ASSERT(words.n > 500 && words.n < 700 && words.n % 3 == 0);
	loom_buf_fini(&body);
	PASS();
}

#define REQUEST                                                                                    \
	"{\"model\":\"m\",\"messages\":[],\"max_tokens\":60,\"temperature\":1,\"top_p\":1,"        \
	"\"stop\":[\"x\"],\"seed\":7,\"stream\":true,\"n\":3,\"think\":\"low\","                   \
	"\"stream_options\":{\"include_usage\":true},\"thinking\":{\"type\":\"disabled\"},"        \
	"\"options\":{\"top_k\":0},\"reasoning_effort\":\"none\",\"cache_control\":{}}"

TEST a_refusal_names_a_member_of_the_request(void)
{
	static const struct {
		const char *body;
		const char *field; /* NULL: it is about something else */
		bool value;
	} cases[] = {
		{"{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported "
		 "with this model. Use 'max_completion_tokens' "
		 "instead.\",\"param\":\"max_tokens\"}}",
		 "max_tokens", false},
		{"{\"error\":{\"message\":\"Unsupported value: 'temperature' does not support 0.5 "
		 "with this model. Only the default (1) value is supported.\"}}",
		 "temperature", true},
		{"{\"error\":{\"message\":\"Unrecognized request argument supplied: "
		 "stream_options\"}}",
		 "stream_options", false},
		{"{\"error\":{\"message\":\"not supported\",\"param\":"
		 "\"stream_options.include_usage\"}}",
		 "stream_options", false},
		{"{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"seed\"],\"msg\":"
		 "\"Extra inputs are not permitted\"}]}",
		 "seed", false},
		{"{\"type\":\"error\",\"error\":{\"message\":\"cache_control: Extra inputs are not "
		 "permitted\"}}",
		 "cache_control", false},
		{"{\"error\":{\"message\":\"\\\"thinking.type.disabled\\\" is not supported for "
		 "this model.\"}}",
		 "thinking", false},
		{"unknown field `seed`, expected one of `model`, `prompt`", "seed", false},
		{"{\"error\":\"json: unknown field \\\"stop\\\"\"}", "stop", false},
		{"{\"error\":\"think value \\\"low\\\" is not supported for this model\"}", NULL,
		 false},
		{"{\"error\":\"\\\"m\\\" does not support 'think'\"}", "think", false},
		{"{\"error\":{\"message\":\"property 'options.top_k' is unsupported\"}}", "options",
		 false},
		/* words of plain English are no names */
		{"{\"error\":{\"message\":\"this model does not support what you stream\"}}", NULL,
		 false},
		{"{\"error\":{\"message\":\"the seed of doubt is not allowed to stop\"}}", NULL,
		 false},
		/* a name alone is no refusal */
		{"{\"error\":{\"message\":\"'seed' was 7 when we crashed\"}}", NULL, false},
		/* what makes a request is never refused by mistake */
		{"{\"error\":{\"message\":\"Unsupported parameter: 'messages'\"}}", NULL, false},
		{"", NULL, false},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_refused refused;
		const bool found = loom_server_refuses(loom_str_of(cases[i].body),
						       LOOM_STR(REQUEST), arena, &refused);

		ASSERT_EQm(cases[i].body, cases[i].field != NULL, found);
		if (!found)
			continue;
		ASSERT_STR_EQm(cases[i].body, cases[i].field,
			       loom_arena_cstr(arena, refused.field));
		ASSERT_EQm(cases[i].body, cases[i].value, refused.value);
	}
	PASS();
}

TEST an_overflow_tells_its_sizes(void)
{
	static const struct {
		const char *body;
		int64_t prompt;
		int64_t window;
	} cases[] = {
		{"{\"error\":{\"code\":400,\"message\":\"request (27800 tokens) exceeds the "
		 "available context size (16384 tokens), try increasing it\",\"type\":"
		 "\"exceed_context_size_error\",\"n_prompt_tokens\":27800,\"n_ctx\":16384}}",
		 27800, 16384},
		{"{\"error\":{\"message\":\"This model's maximum context length is 8192 tokens. "
		 "However, your messages resulted in 9001 tokens.\",\"code\":"
		 "\"context_length_exceeded\"}}",
		 9001, 8192},
		{"{\"error\":{\"message\":\"prompt is too long: 208310 tokens > 200000 "
		 "maximum\"}}",
		 208310, 200000},
		{"{\"error\":{\"message\":\"request (600 tokens) exceeds the available context "
		 "size (512 tokens)\"}}",
		 600, 512},
	};
	struct loom_overflow sizes;

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		ASSERTm(cases[i].body,
			loom_server_overflows(loom_str_of(cases[i].body), arena, &sizes));
		ASSERT_EQm(cases[i].body, cases[i].prompt, sizes.prompt);
		ASSERT_EQm(cases[i].body, cases[i].window, sizes.window);
	}
	ASSERT_FALSE(loom_server_overflows(LOOM_STR("{\"error\":\"no\"}"), arena, &sizes));
	PASS();
}

TEST a_loading_server_says_so(void)
{
	ASSERT(loom_server_loads(LOOM_STR("{\"error\":{\"message\":\"Loading model\"}}")));
	ASSERT(loom_server_loads(LOOM_STR("Model x is currently loading")));
	ASSERT_FALSE(loom_server_loads(LOOM_STR("{\"error\":{\"message\":\"overloaded\"}}")));
	PASS();
}

SUITE(server_words)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(words_are_found_whatever_their_shape);
	RUN_TEST(long_words_are_cut_at_a_character);
	RUN_TEST(a_refusal_names_a_member_of_the_request);
	RUN_TEST(an_overflow_tells_its_sizes);
	RUN_TEST(a_loading_server_says_so);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(server_words);
	GREATEST_MAIN_END();
}
