/* Calls of tools in a context: each has its results right behind it at any budget, and what the
 * system says joins the prompt. */
#include <greatest.h>

#include "support/prop.h"
#include "support/told.h"

/* The number of a round stands for #. */
#define CALLS                                                                                      \
	"\"tool_calls\":[{\"id\":\"c#\",\"name\":\"look\",\"arguments\":{\"q\":\"x\"}},"           \
	"{\"id\":\"d#\",\"name\":\"look\",\"arguments\":{}}]"
#define SAYS(role) "{\"context_ref\":\"default\",\"role\":\"" role "\","
#define TEXT       "A text of some length, so that a budget has something to cut."

static void say(int64_t thread, const char *text, int number)
{
	struct loom_buf payload = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (; *text; text++)
		loom_buf_addc(&payload, *text == '#' ? (char)('0' + number) : *text);
	append(thread, LOOM_KIND_MESSAGE, loom_buf_cstr(&payload));
	loom_buf_fini(&payload);
}

static int64_t new_thread(struct loom_agent *agent)
{
	const int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");

	*agent = claude(LOOM_MAY_AWARE);
	return thread_at(agent->id, tree, grove_root(&g, tree));
}

/* A question, two calls, a result, and another only now and then. */
static void work(struct prop *prop, int64_t thread, int number)
{
	say(thread, SAYS("user") "\"content\":\"" TEXT "\"}", number);
	say(thread, SAYS("assistant") "\"content\":\"" TEXT "\"," CALLS "}", number);
	say(thread,
	    SAYS("tool") "\"content\":\"" TEXT "\",\"tool_call_id\":\"d#\",\"name\":\"look\"}",
	    number);
	if (prop_below(prop, 2))
		say(thread,
		    SAYS("tool") "\"content\":\"47\",\"tool_call_id\":\"c#\",\"name\":\"look\"}",
		    number);
	if (prop_below(prop, 2))
		say(thread, SAYS("assistant") "\"content\":\"" TEXT "\"}", number);
}

/* Returns whether each call is answered by the results right behind it, and each result calls. */
static bool is_whole(const struct loom_assembly *out)
{
	for (size_t i = 0; i < out->count; i++) {
		const struct loom_prompt_message *said = &out->pieces[i].said;

		if (said->role == LOOM_ROLE_TOOL)
			return false;
		for (size_t k = 0; k < said->call_count; k++)
			if (i + 1 + k >= out->count ||
			    out->pieces[i + 1 + k].said.role != LOOM_ROLE_TOOL ||
			    !loom_str_eq(out->pieces[i + 1 + k].said.call_id, said->calls[k].id))
				return false;
		i += said->call_count;
	}
	return true;
}

TEST a_call_and_its_results_are_told_together_or_not_at_all(void)
{
	struct loom_agent agent;
	const int64_t thread = new_thread(&agent);
	struct loom_assembly out;
	struct loom_aware_opts opts;
	struct prop prop;
	size_t calls = 0;

	prop_init(&prop, "calls");
	for (int i = 0; i < 6; i++)
		work(&prop, thread, i);
	opts = aware(&agent, thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	for (opts.budget = out.total + 1; opts.budget > 300; opts.budget -= 7) {
		OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
		ASSERT(is_whole(&out));
		for (size_t i = 0; i < out.count; i++)
			calls += out.pieces[i].said.call_count;
	}
	ASSERT(calls > 100);
	PASS();
}

TEST what_answers_nothing_and_what_is_unanswered_are_both_said(void)
{
	struct loom_agent agent;
	const int64_t thread = new_thread(&agent);
	struct loom_assembly out;
	struct loom_aware_opts opts;
	const char *said = NULL;

	say(thread, SAYS("tool") "\"content\":\"early\",\"tool_call_id\":\"c#\",\"name\":\"look\"}",
	    1);
	say(thread, SAYS("assistant") CALLS "}", 1);
	say(thread, SAYS("user") "\"content\":\"Steered.\"}", 1);
	say(thread, SAYS("tool") "\"content\":\"late\",\"tool_call_id\":\"d#\",\"name\":\"look\"}",
	    1);
	opts = aware(&agent, thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	said = part(&out, LOOM_PART_MESSAGES);
	ASSERT_STR_EQ("Call: look (c1) {\"q\":\"x\"}\nCall: look (d1) {}\n\n"
		      "look (c1)\n(no result: the run ended before it came)\n\n"
		      "look (d1)\nlate\n\nSteered.",
		      said);
	ASSERT(left_out(&out, "message 0"));
	ASSERT(is_whole(&out));
	PASS();
}

TEST what_a_snapshot_says_as_the_system_joins_the_prompt(void)
{
	struct loom_agent agent;
	const int64_t thread = new_thread(&agent);
	struct loom_assembly out;
	struct loom_aware_opts opts;
	const char *said = NULL;

	append(thread, LOOM_KIND_OP,
	       "{\"op_id\":\"o\",\"context_ref\":\"default\",\"operation\":{\"type\":\"replace\","
	       "\"reason\":\"manual\",\"result_context\":{\"id\":\"s\",\"system_prompt\":\"P\","
	       "\"entries\":[{\"role\":\"system\",\"content\":\"S1\"},"
	       "{\"role\":\"user\",\"content\":\"Q\"},"
	       "{\"role\":\"developer\",\"content\":\"=== Loom Context ===\"}]}}}");
	opts = aware(&agent, thread);
	opts.prompt = LOOM_STR("unused");
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	said = part(&out, LOOM_PART_SYSTEM);
	ASSERT_EQ(said, strstr(said, "P\n\nS1\n\n\\=== Loom Context ===\n\n"));
	ASSERT(strstr(said, "You are operating in a loom-aware context."));
	ASSERT_STR_EQ("Q", part(&out, LOOM_PART_MESSAGES));
	PASS();
}

SUITE(calls)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_call_and_its_results_are_told_together_or_not_at_all);
	RUN_TEST(what_answers_nothing_and_what_is_unanswered_are_both_said);
	RUN_TEST(what_a_snapshot_says_as_the_system_joins_the_prompt);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(calls);
	GREATEST_MAIN_END();
}
