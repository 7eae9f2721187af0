/* continue with several voices and levels: who is asked, how many nodes come, in one operation. */
#include <greatest.h>

#include <loom/tree/tree.h>

#include "support/marie_suite.h"
#include "support/prop.h"

#define VOICES 4

static const char *const names[VOICES] = {"ada", "ben", "cleo", "dora"};

static void add_voices(void)
{
	struct loom_ulid ulid;

	for (size_t i = 0; i < VOICES; i++)
		(void)marie_agent(&marie, names[i], false, &ulid);
}

static int64_t visible_nodes(void)
{
	struct loom_tree tree;
	struct loom_err err;

	marie_must(loom_tree_get(marie.grove.store, marie.tree, marie.grove.arena, &tree, &err),
		   &err);
	return tree.nodes;
}

static size_t count_ops(void)
{
	struct loom_op *ops = NULL;
	struct loom_err err;
	size_t count = 0;

	marie_must(loom_op_list(marie.grove.store,
				&(struct loom_op_page){.actor = marie.agent, .limit = 100},
				marie.grove.arena, &ops, &count, &err),
		   &err);
	return count;
}

static const char *const texts[] = {"one", "two",   "three", "four", "five",
				    "six", "seven", "eight", "nine", "ten"};

static void answer(size_t count)
{
	marie.answers = texts;
	marie.answer_count = count;
}

/* Asks voices 0 to `voices` for `n` each, `depth` levels deep; returns what was answered. */
static const char *ask(size_t voices, int64_t n, int64_t depth)
{
	static char line[200];
	size_t at = (size_t)snprintf(line, sizeof line, "→ continue from a7x2 n:%d depth:%d using ",
				     (int)n, (int)depth);

	at += (size_t)snprintf(line + at, sizeof line - at, "agent:\"");
	for (size_t i = 0; i < voices; i++)
		at += (size_t)snprintf(line + at, sizeof line - at, "%s%s", i ? ", " : "",
				       names[i]);
	snprintf(line + at, sizeof line - at, "\"");
	return marie_result(&marie, line);
}

TEST each_voice_writes_on_each_level_in_one_operation(void)
{
	struct prop prop;

	prop_init(&prop, "several voices");
	add_voices();
	answer(LOOM_COUNT(texts));
	for (int round = prop_times(40); round > 0; round--) {
		const size_t voices = 1 + prop_below(&prop, VOICES);
		const int64_t n = 1 + (int64_t)prop_below(&prop, 3);
		const int64_t depth = 1 + (int64_t)prop_below(&prop, 3);
		const int64_t had = visible_nodes();
		const size_t ops = count_ops();
		int64_t level = 1;
		int64_t all = 0;
		const char *said = NULL;
		size_t lines = 0;

		for (int64_t i = 0; i < depth; i++)
			all += level *= n * (int64_t)voices;
		said = ask(voices, n, depth);
		if (all > 10) {
			ASSERT_EQ(LOOM_LIMIT, marie.last.status);
			ASSERT(strstr(said, "max continuations per request is 10"));
			ASSERT_EQ(had, visible_nodes());
			continue;
		}
		ASSERT_EQm(said, LOOM_OK, marie.last.status);
		ASSERT_EQ(had + all, visible_nodes());
		ASSERT_EQ(ops + 1, count_ops());
		for (const char *p = said; (p = strchr(p, '\n')); p++)
			lines++;
		ASSERT_EQ((size_t)all, lines);
		(void)marie_result(&marie, "→ undo");
		ASSERT_EQ(had, visible_nodes());
	}
	PASS();
}

TEST what_is_deeper_hangs_below_and_is_indented(void)
{
	add_voices();
	answer(2);
	ASSERT(strstr(ask(1, 1, 2), "\n  [h2s3] \"one\"\n    [j4t5] \"one\""));
	SAYS("[h2s3] → 1 continuation:\n  [j4t5] model \"ada\" · \"one\"",
	     "→ list h2s3 continuations");
	PASS();
}

/* The second of two does not arrive on either level: the first is continued, and that is said. */
TEST what_did_not_arrive_leaves_the_rest(void)
{
	const char *said = NULL;

	add_voices();
	answer(1);
	said = ask(2, 1, 2);
	ASSERTm(said, strstr(said, "\"one\"\n    ["));
	ASSERT(strstr(said, "✗ MODEL_ERROR: 1 of 2 did not arrive: server: HTTP 500"));
	ASSERT_EQ(LOOM_MODEL, marie.last.status);
	ASSERT(marie.last.op != 0);
	(void)marie_result(&marie, "→ undo");
	ASSERT(strstr(marie_result(&marie, "→ view a7x2"), "3 continuations"));
	PASS();
}

TEST nobody_is_asked_when_one_is_no_voice(void)
{
	const int64_t had = visible_nodes();

	add_voices();
	answer(LOOM_COUNT(texts));
	ASSERT(strstr(marie_result(&marie, "→ continue using agent:\"ada,zed\""),
		      "✗ NOT_FOUND: agent \"zed\" does not exist"));
	ASSERT(strstr(marie_result(&marie, "→ continue using agent:\"ada, Claude\""),
		      "✗ PERMISSION_DENIED: agent \"Claude\" cannot invoke itself"));
	ASSERT_EQ(had, visible_nodes());
	PASS();
}

TEST a_plan_is_replaced_by_its_members(void)
{
	const struct loom_plan_member members[] = {
		{.agent = LOOM_STR_INIT("ben"), .n = 2, .tokens = 30},
		{.agent = LOOM_STR_INIT("cleo")},
	};
	const struct loom_plan plan = {members, LOOM_COUNT(members)};
	const struct loom_plan wrong = {&(struct loom_plan_member){.agent = LOOM_STR_INIT("zed")},
					1};
	const struct loom_voice_info voices[2] = {{.context = 4096, .tokens = 50, .n = 7},
						  {.context = 4096, .tokens = 60, .n = 3}};
	struct loom_call call = loom_call_of(LOOM_VERB_CONTINUE);
	const struct loom_engine_ask *asks = NULL;
	bool seen[5] = {false};
	struct loom_result result;
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	add_voices();
	call.agent = LOOM_STR("ada");
	ASSERT_EQ(LOOM_ENGINE_GENERATE, loom_engine_call(marie.engine, &call, &result));
	ASSERT_EQ(LOOM_NOT_FOUND, loom_engine_plan(marie.engine, &wrong, &err));
	ASSERT_EQ(LOOM_OK, loom_engine_plan(marie.engine, &plan, &err));
	ASSERT_EQ(2, loom_engine_voices(marie.engine));
	marie_must(loom_engine_assemble(marie.engine, voices, NULL, &err), &err);
	asks = loom_engine_asks(marie.engine, &count);
	ASSERT_EQ(2, count);
	ASSERT_EQ(2, asks[0].request.n); /* what the plan wants */
	ASSERT_EQ(30, asks[0].request.tokens);
	ASSERT_EQ(3, asks[1].request.n); /* the agent's own */
	ASSERT_EQ(0, asks[1].request.tokens);
	ASSERT_EQ(5, loom_engine_choices(marie.engine));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < asks[i].request.n; k++) {
			ASSERT(asks[i].slots[k] < 5 && !seen[asks[i].slots[k]]);
			seen[asks[i].slots[k]] = true;
		}
	(void)loom_engine_generated(marie.engine, NULL, &(struct loom_err){.status = LOOM_MODEL},
				    &result);
	PASS();
}

/* No place is always the same voice's. */
TEST the_voices_are_mixed(void)
{
	const struct loom_voice_info voices[2] = {{.context = 4096}, {.context = 4096}};
	struct loom_call call = loom_call_of(LOOM_VERB_CONTINUE);
	struct loom_result result;
	struct loom_err err = {.status = LOOM_OK};
	size_t first[2] = {0, 0};
	size_t count = 0;

	add_voices();
	call.agent = LOOM_STR("ada,ben");
	for (int i = 0; i < 40; i++) {
		ASSERT_EQ(LOOM_ENGINE_GENERATE, loom_engine_call(marie.engine, &call, &result));
		marie_must(loom_engine_assemble(marie.engine, voices, NULL, &err), &err);
		first[loom_engine_asks(marie.engine, &count)[0].slots[0]]++;
		(void)loom_engine_generated(marie.engine, NULL,
					    &(struct loom_err){.status = LOOM_MODEL}, &result);
	}
	ASSERT(first[0] > 4 && first[1] > 4);
	PASS();
}

TEST a_person_may_ask_for_a_hundred(void)
{
	marie_fini(&marie);
	marie_init(&marie, LOOM_DIALOGUE);
	marie_engine(&marie, marie.grove.owner);
	answer(1);
	(void)marie_result(&marie, "→ continue from r001 n:100");
	ASSERT_EQ(100, marie.asked);
	SAYS("✗ LIMIT_EXCEEDED: max continuations per request is 100\n  hint: use n:100 or less",
	     "→ continue from r001 n:101");
	PASS();
}

SUITE(several_voices)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(each_voice_writes_on_each_level_in_one_operation);
	RUN_TEST(what_is_deeper_hangs_below_and_is_indented);
	RUN_TEST(what_did_not_arrive_leaves_the_rest);
	RUN_TEST(nobody_is_asked_when_one_is_no_voice);
	RUN_TEST(a_plan_is_replaced_by_its_members);
	RUN_TEST(the_voices_are_mixed);
	RUN_TEST(a_person_may_ask_for_a_hundred);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(several_voices);
	GREATEST_MAIN_END();
}
