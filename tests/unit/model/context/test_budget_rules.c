/* What gives way when a context is too large, checked against rules of its own: random paths, pins,
 * conversations and results, each in many windows. */
#include <greatest.h>

#include <loom/tree/job.h>

#include "support/prop.h"
#include "support/told.h"

#define NODES_MAX 24

struct world {
	struct prop prop;
	struct loom_agent agent;
	int64_t tree;
	int64_t thread;
	int64_t nodes[NODES_MAX];
	struct loom_str texts[NODES_MAX];
	bool pinned[NODES_MAX];
	size_t count;
	size_t messages;
	size_t calls; /* messages that call for tools */
};

/* A text that is nowhere else: its number, then sentences. */
static struct loom_str some_text(struct world *world, const char *what, size_t number)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	loom_buf_addf(&text, "%s %zu begins.", what, number);
	for (size_t i = prop_size(&world->prop, 60); i > 0; i--)
		loom_buf_addf(&text, " Then %zu comes.", i);
	loom_buf_addf(&text, " End of %s %zu.", what, number);
	out = loom_arena_buf(g.arena, &text);
	loom_buf_fini(&text);
	return out;
}

static void sum_up(int64_t node, const char *summary)
{
	grove_must(loom_quiet_begin(g.store, &err), &err, "quiet");
	grove_must(loom_quiet_end(g.store,
				  loom_summary_keep(g.store, LOOM_JOB_NODE, node,
						    loom_str_of(summary), false, &err),
				  &err),
		   &err, "summary");
}

static void make_path(struct world *world)
{
	const size_t count = 1 + prop_below(&world->prop, NODES_MAX);

	world->tree = grove_tree(&g, LOOM_DIALOGUE, "Node 0 begins. End of Node 0.");
	world->nodes[0] = grove_root(&g, world->tree);
	world->texts[0] = LOOM_STR("Node 0 begins. End of Node 0.");
	for (world->count = 1; world->count < count; world->count++) {
		struct loom_str text = some_text(world, "Node", world->count);

		world->nodes[world->count] = add(world->nodes[world->count - 1], g.owner, text.p);
		world->texts[world->count] = text;
		if (prop_once_in(&world->prop, 3))
			sum_up(world->nodes[world->count], "A model's summary.");
	}
	world->thread = thread_at(world->agent.id, world->tree, world->nodes[count - 1]);
	for (size_t i = 0; i < count; i++) {
		world->pinned[i] = prop_once_in(&world->prop, 6);
		if (world->pinned[i])
			pin(world->thread,
			    (struct loom_pin){.kind = LOOM_PIN_NODE, .node = world->nodes[i]});
	}
}

static void say(struct world *world, const char *role, const char *more)
{
	append(world->thread, LOOM_KIND_MESSAGE,
	       loom_arena_format(g.arena,
				 "{\"context_ref\":\"default\",\"role\":\"%s\","
				 "\"content\":\"%s\",\"request_id\":\"r%zu\"%s}",
				 role, some_text(world, role, world->messages).p, world->messages,
				 more)
		       .p);
	world->messages++;
}

static void make_talk(struct world *world)
{
	for (size_t turns = prop_below(&world->prop, 8); turns > 0; turns--) {
		say(world, "user", "");
		if (prop_once_in(&world->prop, 3)) {
			const char *id = loom_arena_format(g.arena, "c%zu", world->messages).p;

			say(world, "assistant",
			    loom_arena_format(
				    g.arena,
				    ",\"tool_calls\":[{\"id\":\"%s\",\"type\":\"function\","
				    "\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]",
				    id)
				    .p);
			say(world, "tool",
			    loom_arena_format(g.arena, ",\"tool_call_id\":\"%s\",\"name\":\"look\"",
					      id)
				    .p);
			world->calls++;
		}
		say(world, "assistant", "");
	}
	for (size_t i = prop_below(&world->prop, 12); i > 0; i--)
		act(world->thread, "→ view r001", "", "seen");
}

/* ---- what is in a prompt ---- */

enum form { OUT, BRIEF, WHOLE };

static bool holds(const struct loom_assembly *prompt, struct loom_str text)
{
	for (size_t i = 0; i < prompt->count; i++)
		if (loom_str_find(prompt->pieces[i].said.text, text, 0) != SIZE_MAX)
			return true;
	return false;
}

static enum form form_of(const struct world *world, const struct loom_assembly *prompt, size_t node)
{
	for (size_t i = 0; i < prompt->whose_count; i++)
		if (prompt->whose[i].of->id == world->nodes[node])
			return holds(prompt, world->texts[node]) ? WHOLE : BRIEF;
	return OUT;
}

/* Whether what is brief would be so much shorter that it should be. */
static bool is_long(struct loom_str text)
{
	return text.n > 200;
}

/* Nothing between two that are in is out, but pins may stand alone. */
static enum greatest_test_res check_path(const struct world *world,
					 const struct loom_assembly *prompt)
{
	const size_t last = world->count - 1;
	bool any_out = false;
	bool begun = false;

	for (size_t i = 0; i < world->count; i++) {
		const enum form form = form_of(world, prompt, i);

		if (world->pinned[i]) {
			ASSERT_EQm("a pin is not in its place", WHOLE, form);
			continue;
		}
		ASSERT_FALSEm("there is a gap", begun && form == OUT);
		begun |= form != OUT;
		any_out |= form == OUT;
		if (form != WHOLE)
			ASSERTm("it is not told", left_out(prompt, label(world->nodes[i])));
	}
	for (size_t i = 0; any_out && i < last; i++)
		ASSERT_FALSEm("one is whole while another is out",
			      !world->pinned[i] && is_long(world->texts[i]) &&
				      form_of(world, prompt, i) == WHOLE);
	PASS();
}

/* A call is never without its result, nor a result without its call. */
static enum greatest_test_res check_calls(const struct loom_assembly *prompt)
{
	for (size_t i = 0; i < prompt->count; i++) {
		const struct loom_prompt_message *said = &prompt->pieces[i].said;

		if (said->call_count) {
			ASSERT(i + 1 < prompt->count);
			ASSERT_EQ(LOOM_ROLE_TOOL, prompt->pieces[i + 1].said.role);
		}
		if (said->role == LOOM_ROLE_TOOL)
			ASSERT(i > 0 && prompt->pieces[i - 1].said.call_count == 1);
	}
	PASS();
}

static size_t count_messages(const struct loom_assembly *prompt, bool whole)
{
	size_t count = 0;

	for (size_t i = 0; i < prompt->count; i++)
		count += prompt->pieces[i].part == LOOM_PART_MESSAGES &&
			 (!whole || !loom_str_starts(prompt->pieces[i].said.text,
						     LOOM_STR("Summary (extract): ")));
	return count;
}

static size_t long_messages(const struct loom_assembly *prompt)
{
	size_t count = 0;

	for (size_t i = 0; i < prompt->count; i++)
		count += prompt->pieces[i].part == LOOM_PART_MESSAGES &&
			 is_long(prompt->pieces[i].said.text) &&
			 !loom_str_starts(prompt->pieces[i].said.text,
					  LOOM_STR("Summary (extract): "));
	return count;
}

static enum greatest_test_res check_prompt(const struct world *world,
					   const struct loom_assembly *whole,
					   const struct loom_assembly *prompt, int64_t budget)
{
	const bool fits = whole->total <= budget;
	const char *loom = part(prompt, LOOM_PART_LOOM);

	CHECK_CALL(check_path(world, prompt));
	CHECK_CALL(check_calls(prompt));
	ASSERT_EQ(prompt->left_out_count > 0, strncmp(loom, "=== Pruned ===\n", 15) == 0);
	if (fits) {
		ASSERT_EQ(whole->total, prompt->total);
		ASSERT_EQ(0, prompt->left_out_count);
	}
	/* Everything is shortened before a message is left out. */
	if (count_messages(prompt, false) < world->messages)
		ASSERT_EQ(0, long_messages(prompt));
	if (count_messages(prompt, true) < world->messages)
		ASSERT(strstr(loom, "message"));
	/* Over the budget only if nothing is left to shorten or to leave out. */
	if (prompt->total > budget)
		ASSERT_EQ(0, count_messages(prompt, false));
	for (size_t i = 0; prompt->total > budget && i + 1 < world->count; i++)
		ASSERT(world->pinned[i] || form_of(world, prompt, i) == OUT);
	ASSERTm("the turn is not in it", strstr(part(prompt, LOOM_PART_TURN), "Go on."));
	PASS();
}

TEST what_gives_way_follows_the_rules(void)
{
	const int rounds = prop_times(40);
	size_t cut = 0;
	size_t refused = 0;
	struct world world = {.count = 0};

	prop_init(&world.prop, "budget rules");
	world.agent = claude(LOOM_MAY_AWARE);
	for (int round = 0; round < rounds; round++) {
		struct loom_assembly whole;
		struct loom_assembly prompt;
		struct loom_aware_opts opts;

		world.messages = world.calls = 0;
		make_path(&world);
		make_talk(&world);
		opts = aware(&world.agent, world.thread);
		opts.input = LOOM_STR("Go on.");
		OK(loom_assemble_aware(g.store, &opts, g.arena, &whole, &err));
		ASSERT_EQ(world.messages, count_messages(&whole, false));
		for (int window = 0; window < 12; window++) {
			opts.budget =
				50 + (int64_t)prop_below(&world.prop, (size_t)whole.total * 5 / 4);
			loom_err_clear(&err);
			if (loom_assemble_aware(g.store, &opts, g.arena, &prompt, &err) !=
			    LOOM_OK) {
				ASSERT_EQ(LOOM_LIMIT, err.status);
				ASSERT(strstr(err.text, "pinned or recalled"));
				refused++;
				continue;
			}
			CHECK_CALL(check_prompt(&world, &whole, &prompt, opts.budget));
			cut += prompt.left_out_count > 0;
		}
	}
	printf("%zu prompts cut, %zu refused\n", cut, refused);
	/* Of twelve budgets a round. */
	ASSERT(cut > 3 * (size_t)rounds && refused > 0);
	PASS();
}

SUITE(budget_rules)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(what_gives_way_follows_the_rules);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(budget_rules);
	GREATEST_MAIN_END();
}
