/* What the prompts of an agent's successive turns have in common, byte for byte from their
 * beginning: what a server has in its cache. The share that is new is held below a limit. */
#include "bench/bench.h"

#include <loom/tree/node.h>

#include "support/told.h"

#define COMPACTED 100 /* turns from one compaction to the next */

struct told_turns {
	double whole; /* bytes of the prompts */
	double fresh; /* of these, behind what the prompt before has as well */
};

static struct loom_str whole_text(const struct loom_assembly *prompt, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	for (size_t i = 0; i < prompt->count; i++)
		loom_buf_addf(&text, "%s: %.*s\n", loom_role_name(prompt->pieces[i].said.role),
			      LOOM_STR_ARG(prompt->pieces[i].said.text));
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

static void say(int64_t thread, const char *role, size_t turn)
{
	append(thread, LOOM_KIND_MESSAGE,
	       loom_arena_format(
		       g.arena,
		       "{\"context_ref\":\"default\",\"role\":\"%s\",\"content\":\"What "
		       "was said in turn %zu, in some words, which are those of a talk "
		       "about a house and who has lived in it.\",\"request_id\":\"r%zu\"}",
		       role, turn, turn)
		       .p);
}

/* Between two turns time passes, others write beside the path, and now and then the agent pins
 * something or its conversation is summed up. */
static void go_on(int64_t thread, int64_t root, size_t turn)
{
	g.env.now_ms += (int64_t)(turn % 5) * 7 * MINUTE;
	if (turn % 3 == 0)
		(void)add_as(root, g.owner, turn % 2 ? LOOM_ANNOTATION : LOOM_CONTINUATION,
			     "beside");
	act(thread, "→ view r001", "", "seen");
	if (turn % 40 == 39)
		stash(thread, loom_arena_format(g.arena, "stash %zu", turn).p, "Put away.", false);
	if (turn % COMPACTED == COMPACTED - 1)
		append(thread, LOOM_KIND_OP,
		       loom_arena_format(g.arena,
					 "{\"op_id\":\"o%zu\",\"context_ref\":\"default\","
					 "\"operation\":{\"type\":\"replace\",\"reason\":"
					 "\"compaction\",\"result_context\":{\"id\":\"s\","
					 "\"system_prompt\":null,\"entries\":[{\"role\":\"user\","
					 "\"content\":\"Summary.\"}]}}}",
					 turn)
			       .p);
}

static void take_turn(const struct loom_agent *agent, int64_t thread, size_t turn,
		      struct loom_assembly *out)
{
	struct loom_heads *heads = loom_heads_create();
	struct loom_aware_opts opts = aware(agent, thread);

	say(thread, "user", turn);
	opts.turn_seq = head_of(thread);
	opts.heads = heads;
	opts.now = g.env.now_ms;
	grove_must(loom_assemble_aware(g.store, &opts, g.arena, out, &err), &err, "assemble");
	keep_input(thread, out);
	say(thread, "assistant", turn);
	loom_heads_destroy(heads);
}

static void *open_turns(size_t size)
{
	struct told_turns *turns = loom_alloc(sizeof *turns);
	struct loom_str was = LOOM_STR("");
	struct loom_agent agent;
	struct loom_assembly prompt;
	int64_t thread = 0;
	int64_t tree = 0;
	int64_t tip = 0;

	set_up(NULL);
	tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	tip = grove_root(&g, tree);
	for (int i = 0; i < 20; i++)
		tip = add(tip, g.owner,
			  "She had not been there since the winter, and nobody spoke.");
	agent = claude(LOOM_MAY_AWARE);
	thread = thread_at(agent.id, tree, tip);
	for (size_t turn = 0; turn < size; turn++) {
		struct loom_str is;
		size_t same = 0;

		take_turn(&agent, thread, turn, &prompt);
		is = whole_text(&prompt, g.arena);
		while (same < was.n && same < is.n && was.p[same] == is.p[same])
			same++;
		turns->whole += turn ? (double)is.n : 0;
		turns->fresh += turn ? (double)(is.n - same) : 0;
		was = is;
		go_on(thread, grove_root(&g, tree), turn);
	}
	return turns;
}

static void close_turns(void *state)
{
	tear_down(NULL);
	free(state);
}

static double share_told_anew(void *state)
{
	const struct told_turns *turns = state;

	return 100 * turns->fresh / turns->whole;
}

static const struct bench_row rows[] = {
	{
		.name = "turns: what 500 tell anew",
		.ours = "of each prompt, behind what the one before it has",
		.unit = "%",
		.limit = 10,
		.size = 500,
		.small = 500,
		.open = open_turns,
		.close = close_turns,
		.run = share_told_anew,
	},
};

const struct bench_suite bench_turns = {"turns", rows, LOOM_COUNT(rows)};
