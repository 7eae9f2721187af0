/* A prompt grows at its end: what an agent was told in one turn is told again, byte for byte and
 * before anything else, in the next, unless one of a few rules says why not. */
#include <greatest.h>

#include <loom/tree/node.h>

#include "support/prop.h"
#include "support/told.h"

#define TURNS 1000

/* What may break the prefix, and where the break then is. */
enum rule { RULE_NONE, RULE_MEMORY, RULE_PATH, RULE_ANCHOR };
static const char *const rule_names[] = {"none", "memory", "path", "anchor"};

struct talk {
	struct prop prop;
	struct loom_agent agent;
	int64_t tree;
	int64_t thread;
	int64_t tip;
	int64_t nodes[40]; /* of the path, and beside it */
	size_t count;
	size_t pins;
	int number;
	enum rule rule; /* the strongest since the last turn */
	size_t shared;
	size_t whole;
};

static int64_t any_node(struct talk *talk)
{
	return talk->nodes[prop_below(&talk->prop, talk->count)];
}

static void break_by(struct talk *talk, enum rule rule)
{
	if (rule > talk->rule)
		talk->rule = rule;
}

/* ---- what happens between two turns ---- */

static void time_passes(struct talk *talk)
{
	g.env.now_ms += (int64_t)prop_below(&talk->prop, 3) * 40 * MINUTE;
}

/* Counts and marks in headers change; the path does not. */
static void somebody_writes(struct talk *talk)
{
	const bool note = prop_below(&talk->prop, 2);
	bool changed = false;

	if (prop_below(&talk->prop, 4) == 0) {
		grove_begin(&g, "bookmark");
		grove_must(loom_bookmark_set(g.store, any_node(talk), prop_below(&talk->prop, 2),
					     LOOM_STR(""), &changed, &err),
			   &err, "bookmark");
		grove_commit(&g);
		return;
	}
	(void)add_as(any_node(talk), g.owner, note ? LOOM_ANNOTATION : LOOM_CONTINUATION, "beside");
}

static void path_grows(struct talk *talk)
{
	if (talk->count == LOOM_COUNT(talk->nodes))
		return;
	talk->tip = add(talk->tip, g.owner, "The path goes on with this text.");
	talk->nodes[talk->count++] = talk->tip;
	talk->thread = thread_at(talk->agent.id, talk->tree, talk->tip);
	break_by(talk, RULE_PATH);
}

static void memory_changes(struct talk *talk)
{
	const char *label = loom_arena_format(g.arena, "stash %d", talk->number).p;

	if (talk->pins < talk->count && prop_below(&talk->prop, 2))
		pin(talk->thread,
		    (struct loom_pin){.kind = LOOM_PIN_NODE, .node = talk->nodes[talk->pins++]});
	else
		stash(talk->thread, label, "A text that was put away.", false);
	break_by(talk, RULE_MEMORY);
}

static void lane_begins_anew(struct talk *talk)
{
	append(talk->thread, LOOM_KIND_OP,
	       loom_arena_format(g.arena,
				 "{\"op_id\":\"o%d\",\"context_ref\":\"default\",\"operation\":{"
				 "\"type\":\"replace\",\"reason\":\"compaction\","
				 "\"result_context\":{\"id\":\"s\",\"system_prompt\":null,"
				 "\"entries\":[{\"role\":\"user\",\"content\":\"Summary.\"}]}}}",
				 talk->number)
		       .p);
	break_by(talk, RULE_ANCHOR);
}

static void something_happens(struct talk *talk)
{
	const size_t what = prop_below(&talk->prop, 1000);

	if (what < 300)
		time_passes(talk);
	else if (what < 850)
		somebody_writes(talk);
	else if (what < 865)
		path_grows(talk);
	else if (what < 885)
		memory_changes(talk);
	else if (what < 891)
		lane_begins_anew(talk);
}

/* ---- a turn ---- */

static void say(const struct talk *talk, const char *role)
{
	append(talk->thread, LOOM_KIND_MESSAGE,
	       loom_arena_format(g.arena,
				 "{\"context_ref\":\"default\",\"role\":\"%s\","
				 "\"content\":\"What was said in turn %d, in some words.\","
				 "\"request_id\":\"r%d\"}",
				 role, talk->number, talk->number)
		       .p);
}

/* One or two calls of the model; *out is what it is told first. */
static void turn(struct talk *talk, struct loom_assembly *out)
{
	struct loom_heads *heads = loom_heads_create();
	struct loom_aware_opts opts = aware(&talk->agent, talk->thread);
	struct loom_assembly next;

	say(talk, "user");
	opts.turn_seq = head_of(talk->thread);
	opts.heads = heads;
	opts.now = g.env.now_ms;
	grove_must(loom_assemble_aware(g.store, &opts, g.arena, out, &err), &err, "assemble");
	keep_input(talk->thread, out);
	if (prop_below(&talk->prop, 3) == 0) {
		say(talk, "assistant");
		act(talk->thread, "→ view r001", "", "seen");
		append(talk->thread, LOOM_KIND_RESULT,
		       "{\"res\":\"res-1\",\"number\":1,\"text\":\"→ view r001\\nBegin.\"}");
		grove_must(loom_assemble_aware(g.store, &opts, g.arena, &next, &err), &err,
			   "assemble");
		keep_input(talk->thread, &next);
	}
	say(talk, "assistant");
	loom_heads_destroy(heads);
}

/* ---- what two turns share ---- */

/* Counts the pieces from the first on that both have. */
static size_t common(const struct loom_assembly *a, const struct loom_assembly *b)
{
	size_t i = 0;

	while (i < a->count && i < b->count && a->pieces[i].said.role == b->pieces[i].said.role &&
	       loom_str_eq(a->pieces[i].said.text, b->pieces[i].said.text))
		i++;
	return i;
}

/* Counts the pieces before the first of those parts. */
static size_t before(const struct loom_assembly *prompt, enum loom_part least)
{
	size_t i = 0;

	while (i < prompt->count && prompt->pieces[i].part < least)
		i++;
	return i;
}

/* How far the prefix must reach under the rule that was broken. */
static size_t least_common(const struct loom_assembly *was, enum rule rule)
{
	switch (rule) {
	case RULE_NONE:
		return before(was, LOOM_PART_LOOM);
	case RULE_PATH:
		return 1 + (was->count > 1 && was->pieces[1].part == LOOM_PART_MEMORY);
	case RULE_MEMORY:
	case RULE_ANCHOR:
		break;
	}
	return 1;
}

static void count_shared(struct talk *talk, const struct loom_assembly *was, size_t shared)
{
	for (size_t i = 0; i < was->count; i++) {
		talk->whole += was->pieces[i].said.text.n;
		talk->shared += i < shared ? was->pieces[i].said.text.n : 0;
	}
}

TEST two_turns_share_all_up_to_what_is_new(void)
{
	struct talk talk = {.count = 0};
	struct loom_assembly was = {.count = 0};
	struct loom_assembly is;
	size_t broken[4] = {0};

	prop_init(&talk.prop, "prefix");
	talk.tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	talk.tip = talk.nodes[talk.count++] = grove_root(&g, talk.tree);
	talk.agent = claude(LOOM_MAY_AWARE);
	talk.thread = thread_at(talk.agent.id, talk.tree, talk.tip);
	for (talk.number = 0; talk.number < prop_times(TURNS); talk.number++) {
		turn(&talk, &is);
		if (was.count) {
			const size_t shared = common(&was, &is);

			ASSERTm(rule_names[talk.rule], shared >= least_common(&was, talk.rule));
			broken[talk.rule]++;
			count_shared(&talk, &was, shared);
		}
		was = is;
		talk.rule = RULE_NONE;
		for (size_t k = prop_below(&talk.prop, 3); k > 0; k--)
			something_happens(&talk);
	}
	printf("%zu turns: none %zu, memory %zu, path %zu, anchor %zu; %.1f %% shared\n",
	       (size_t)talk.number, broken[0], broken[1], broken[2], broken[3],
	       100.0 * (double)talk.shared / (double)talk.whole);
	ASSERT(broken[RULE_MEMORY] && broken[RULE_PATH] && broken[RULE_ANCHOR]);
	/* in fewer, each of those weighs more */
	ASSERT(talk.number < TURNS || talk.shared * 10 > talk.whole * 9);
	PASS();
}

/* Headers, the trace and what is done since, as a person would read them. */
TEST what_changed_since_is_told_at_the_end(void)
{
	struct talk talk = {.count = 0};
	struct loom_assembly prompt;

	prop_init(&talk.prop, "since");
	talk.tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	talk.tip = talk.nodes[talk.count++] = grove_root(&g, talk.tree);
	talk.agent = claude(LOOM_MAY_AWARE);
	talk.thread = thread_at(talk.agent.id, talk.tree, talk.tip);
	turn(&talk, &prompt);
	ASSERT_STR_EQ("[r001] human · 0s ago\n---\nBegin.", part(&prompt, LOOM_PART_PATH));
	ASSERT_EQ(NULL, strstr(part(&prompt, LOOM_PART_LOOM), "Headers as shown"));
	(void)add_as(talk.tip, g.owner, LOOM_ANNOTATION, "beside");
	act(talk.thread, "→ view r001", "", "seen");
	g.env.now_ms += 120 * MINUTE;
	turn(&talk, &prompt);
	ASSERT_STR_EQ("[r001] human · 0s ago\n---\nBegin.", part(&prompt, LOOM_PART_PATH));
	ASSERT_STR_EQ("", part(&prompt, LOOM_PART_MEMORY));
	ASSERT(strstr(part(&prompt, LOOM_PART_LOOM),
		      "Headers as shown up to 2h ago; [r001] 1 annotation\n"
		      "Done since: viewed r001"));
	lane_begins_anew(&talk);
	turn(&talk, &prompt);
	ASSERT_STR_EQ("[r001] human · 2h ago\n1 annotation\n---\nBegin.",
		      part(&prompt, LOOM_PART_PATH));
	ASSERT(strstr(part(&prompt, LOOM_PART_MEMORY), "Recent actions:\n  viewed r001"));
	ASSERT_EQ(NULL, strstr(part(&prompt, LOOM_PART_LOOM), "Headers as shown"));
	PASS();
}

SUITE(prefix)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(two_turns_share_all_up_to_what_is_new);
	RUN_TEST(what_changed_since_is_told_at_the_end);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(prefix);
	GREATEST_MAIN_END();
}
