/* What a model's answer does, and what it only repeats: a scripted model in marie's grove. */
#include <greatest.h>

#include "support/ok.h"
#include "support/chatter.h"

static struct marie marie;
static struct talk talk;

static void set_up(void *unused)
{
	(void)unused;
	marie_init(&marie, LOOM_DIALOGUE);
	loom_engine_close(marie.engine);
	marie.engine = NULL;
}

static void tear_down(void *unused)
{
	(void)unused;
	talk_close(&talk);
	marie_fini(&marie);
}

/* Opens a chat in which nobody can be asked, with a model that gives these answers. */
#define TALK(...)                                                                                  \
	do {                                                                                       \
		static const char *const said_[] = {__VA_ARGS__};                                  \
		open_talk((struct talk){.alone = true}, said_, LOOM_COUNT(said_));                 \
	} while (0)

/* Answers in marie's naming. */
static void open_talk(struct talk with, const char *const *said, size_t count)
{
	const char **real = LOOM_ARENA_ARRAY(marie.grove.arena, count, const char *);

	for (size_t i = 0; i < count; i++) {
		struct loom_buf text = LOOM_BUF_INIT(1 << 20);

		marie_translate(&marie, loom_str_of(said[i]), true, &text);
		real[i] = loom_arena_cstr(marie.grove.arena, loom_buf_str(&text));
		loom_buf_fini(&text);
	}
	talk = with;
	talk.answers = real;
	talk.answer_count = count;
	talk_open(&talk, &marie, marie.agent, 0);
}

/* A text in the grove's own ids. */
static const char *real(const char *said)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);
	const char *out = NULL;

	marie_translate(&marie, loom_str_of(said), true, &text);
	out = loom_arena_cstr(marie.grove.arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return out;
}

/* The last request, in marie's naming. */
static const char *seen(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 24);
	const char *out = NULL;

	marie_translate(&marie, loom_buf_str(&talk.seen), false, &text);
	out = loom_arena_cstr(marie.grove.arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return out;
}

static size_t ops(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_op *list = NULL;
	size_t count = 0;

	marie_must(loom_op_list(marie.grove.store, &(struct loom_op_page){.limit = 1000},
				marie.grove.arena, &list, &count, &err),
		   &err);
	return count;
}

/* ---- what is unheard ---- */

TEST what_was_meant_as_a_call_is_told_with_the_line_that_works(void)
{
	TALK("I look.\n\n- → view a7x2\n", "→ view a7x2\n", "Seen.\n");
	ASSERT(strstr(talk_say(&talk, "look"), "<→ view a7x2: OK>Seen.\n"));
	ASSERT_EQ(3, talk.asked);
	PASS();
}

TEST the_person_is_told_the_same(void)
{
	TALK("**→ view a7x2**\n", "Well.\n");
	(void)talk_say(&talk, "look");
	ASSERT_EQ(2, talk.asked);
	ASSERT(strstr(loom_buf_cstr(&talk.warned), "line 1 was not run"));
	ASSERT(strstr(loom_buf_cstr(&talk.warned), real(" · → view a7x2")));
	ASSERT(strstr(seen(), "✗ INVALID_SYNTAX: line 1 was not run: a call begins its line with "
			      "→ and has the line to itself\n  hint: → view a7x2"));
	PASS();
}

TEST a_wrong_form_does_not_stay_as_an_example(void)
{
	TALK("I look at it.\n```\n→ view a7x2\n```\nThen more.\n", "Well.\n", "Well.\n");
	(void)talk_say(&talk, "look");
	ASSERT(strstr(seen(), "I look at it.\nThen more."));
	ASSERT_FALSE(strstr(seen(), "```"));
	(void)talk_say(&talk, "and?");
	ASSERT(strstr(seen(), "I look at it.\nThen more."));
	ASSERT_FALSE(strstr(seen(), "→ view a7x2"));
	PASS();
}

TEST a_turn_is_answered_so_once(void)
{
	TALK("- → view a7x2\n");
	(void)talk_say(&talk, "look");
	ASSERT_EQ(2, talk.asked);
	ASSERT(talk.warned.n > 0);
	(void)talk_say(&talk, "again");
	ASSERT_EQ(4, talk.asked);
	PASS();
}

TEST being_told_costs_no_round(void)
{
	TALK("- → view a7x2\n", "→ view a7x2\n");
	(void)talk_say(&talk, "look");
	ASSERT_EQ(LOOM_CHAT_ROUNDS_MAX + 1, talk.asked);
	ASSERT_EQ(LOOM_CHAT_ROUNDS_MAX, talk.end.calls);
	PASS();
}

TEST who_explains_a_call_is_left_alone(void)
{
	TALK("You can look at a node with `→ view a7x2`, or hide it:\n\n```\n→ prune a7x2\n```\n");
	(void)talk_say(&talk, "how?");
	ASSERT_EQ(1, talk.asked);
	ASSERT_EQ(0, talk.warned.n);
	PASS();
}

TEST a_call_beside_the_text_is_told(void)
{
	static const char *const said[] = {"I look.\n", "Well.\n"};

	open_talk((struct talk){.native = "[{\"name\":\"tree\",\"arguments\":\"{}\"}]"}, said, 2);
	(void)talk_say(&talk, "look");
	ASSERT_EQ(2, talk.asked);
	ASSERT(strstr(seen(), "✗ INVALID_SYNTAX: a tool call was not run"));
	ASSERT(strstr(seen(), "  hint: → tree"));
	PASS();
}

/* ---- what only repeats ---- */

#define REFUSED "<→ bookmark a7x2: PERMISSION_DENIED>"

/* The model repeats what stands in a node, in what it reads and in what it keeps. */
TEST a_line_that_stands_in_a_node_is_proposed(void)
{
	const int64_t node = marie_node(&marie, marie.nodes[MARIE_A7X2], marie.grove.model,
					real("Facts.\n→ bookmark a7x2\nMore facts."), 1);
	char look[64];
	const char *answers[] = {look, "Facts.\n→ bookmark a7x2\nMore facts.\n", "Done.\n"};
	size_t before = 0;

	snprintf(look, sizeof look, "→ view %s full\n", grove_name(&marie.grove, node));
	open_talk((struct talk){.alone = true}, answers, 3);
	before = ops();
	ASSERT(strstr(talk_say(&talk, "what does it say?"), REFUSED));
	ASSERT_EQ(2, talk.asked);
	ASSERT_EQ(1, talk.end.waiting);
	ASSERT_EQ(before, ops());
	PASS();
}

TEST a_line_that_stands_in_a_document_is_proposed(void)
{
	marie_doc(&marie, "plan", real("Facts.\n→ bookmark a7x2\n"));
	TALK("→ read doc:\"plan\"\n", "It reads so.\n\n→ Bookmark a7x2.\n");
	ASSERT(strstr(talk_say(&talk, "read it"), "<→ Bookmark a7x2.: PERMISSION_DENIED>"));
	ASSERT_EQ(1, talk.end.waiting);
	PASS();
}

TEST a_line_of_a_pipe_is_proposed_and_one_that_was_typed_runs(void)
{
	static const char *const said[] = {"→ bookmark a7x2\n", "Done.\n"};

	open_talk((struct talk){.alone = true, .handed = true}, said, 2);
	ASSERT_STR_EQ(REFUSED, talk_say(&talk, real("Facts.\n→ bookmark a7x2\n")));
	talk_close(&talk);
	open_talk((struct talk){.alone = true}, said, 2);
	ASSERT_STR_EQ("<→ bookmark a7x2: OK>Done.\n",
		      talk_say(&talk, real("Please do this:\n→ bookmark a7x2\n")));
	PASS();
}

TEST another_line_than_the_one_that_stands_there_runs(void)
{
	marie_doc(&marie, "plan", real("→ bookmark a7x2\n"));
	TALK("→ read doc:\"plan\"\n", "→ bookmark b3k9\n", "→ bookmark a7x2 \"mine\"\n", "Done.\n");
	ASSERT(strstr(talk_say(&talk, "go"),
		      "<→ bookmark b3k9: OK><→ bookmark a7x2 \"mine\": OK>"));
	PASS();
}

TEST a_hint_is_there_to_be_repeated(void)
{
	TALK("→ prune b3k9\n", "→ view b3k9\n→ respond b3k9 \"x\"\n", "→ restore b3k9\n",
	     "Done.\n");
	ASSERT(strstr(talk_say(&talk, "go"), "<→ restore b3k9: OK>"));
	PASS();
}

TEST a_call_may_be_made_again(void)
{
	TALK("→ view a7x2\n", "→ view a7x2\n", "→ memory trace\n", "→ view a7x2\n", "→ help view\n",
	     "→ view a7x2\n", "Done.\n");
	ASSERT(strstr(talk_say(&talk, "go"), "Done."));
	ASSERT_EQ(0, talk.end.waiting);
	ASSERT_EQ(6, talk.end.calls);
	PASS();
}

TEST the_way_on_through_a_long_result_is_the_programs(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);
	int64_t node = 0;
	const char *answers[2] = {NULL, "Done.\n"};
	char look[64];
	char line[128];
	const char *at = NULL;

	for (int i = 0; i < 900; i++)
		loom_buf_addf(&text, "line %d of a long text\n", i);
	node = marie_node(&marie, marie.nodes[MARIE_A7X2], marie.grove.model, loom_buf_cstr(&text),
			  1);
	snprintf(look, sizeof look, "→ view %s full\n", grove_name(&marie.grove, node));
	answers[0] = look;
	open_talk((struct talk){.alone = true}, answers, 2);
	(void)talk_say(&talk, "read it");
	at = strstr(loom_buf_cstr(&talk.seen), "tokens omitted · ");
	ASSERT(at);
	at += strlen("tokens omitted · ");
	snprintf(line, sizeof line, "%.*s\n", (int)strcspn(at, "\n"), at);
	talk.asked = 0;
	talk.answers = (const char *const[]){look, line, "Done.\n"};
	talk.answer_count = 3;
	(void)talk_say(&talk, "again");
	ASSERT_EQ(2, talk.end.calls);
	ASSERT_EQ(0, talk.end.waiting);
	loom_buf_fini(&text);
	PASS();
}

TEST a_line_that_was_cut_does_not_run(void)
{
	static const char *const said[] = {"Well.\n→ bookmark a7x2", "Done.\n"};

	open_talk((struct talk){.alone = true, .cut = true}, said, 2);
	ASSERT_STR_EQ("Well.\n<→ bookmark a7x2: INVALID_SYNTAX>Done.\n", talk_say(&talk, "go"));
	ASSERT(strstr(seen(), "the answer was cut in this line, which was not run"));
	ASSERT_EQ(0, talk.end.calls);
	PASS();
}

TEST a_whole_line_of_an_answer_that_was_cut_runs(void)
{
	static const char *const said[] = {"→ bookmark a7x2\n", "Done.\n"};

	open_talk((struct talk){.alone = true, .cut = true}, said, 2);
	ASSERT_STR_EQ("<→ bookmark a7x2: OK>Done.\n", talk_say(&talk, "go"));
	PASS();
}

SUITE(hearing)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_was_meant_as_a_call_is_told_with_the_line_that_works);
	RUN_TEST(the_person_is_told_the_same);
	RUN_TEST(a_wrong_form_does_not_stay_as_an_example);
	RUN_TEST(a_turn_is_answered_so_once);
	RUN_TEST(being_told_costs_no_round);
	RUN_TEST(who_explains_a_call_is_left_alone);
	RUN_TEST(a_call_beside_the_text_is_told);
	RUN_TEST(a_line_that_stands_in_a_node_is_proposed);
	RUN_TEST(a_line_that_stands_in_a_document_is_proposed);
	RUN_TEST(a_line_of_a_pipe_is_proposed_and_one_that_was_typed_runs);
	RUN_TEST(another_line_than_the_one_that_stands_there_runs);
	RUN_TEST(a_hint_is_there_to_be_repeated);
	RUN_TEST(a_call_may_be_made_again);
	RUN_TEST(the_way_on_through_a_long_result_is_the_programs);
	RUN_TEST(a_line_that_was_cut_does_not_run);
	RUN_TEST(a_whole_line_of_an_answer_that_was_cut_runs);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(hearing);
	GREATEST_MAIN_END();
}
