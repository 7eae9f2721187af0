/* The context of a loom-aware agent: the seed's layout to the byte, nothing dropped in silence, the
 * same bytes for the same moment. */
#include <loom/text/quoting.h>
#include <loom/tree/open_store.h>

#include "support/raw.h"
#include "support/told.h"

#define SEED LOOM_SHARED "/seeds/003_639f3c5710401e71.txt"

/* ---- loom-aware ---- */

/* Marie's grove: seven steps, two continuations of the last but one, an annotation, a link, a
 * bookmark, and a person who has gone another way. */
struct marie {
	struct loom_agent agent;
	int64_t tree;
	int64_t a7x2;
	int64_t b3k9;
	int64_t c4m2;
	int64_t thread;
};

static void make_marie(struct marie *marie)
{
	struct loom_tree_spec spec = {.title = LOOM_STR("Marie Character Study"),
				      .root_text = LOOM_STR("Begin."),
				      .system = LOOM_STR("You write with care."),
				      .author = g.owner};
	struct loom_link link = {.kind = LOOM_LINK_NODE, .author = g.owner};
	bool changed = false;
	int64_t made = 0;
	int64_t at = 0;

	marie->agent = claude(LOOM_MAY_AWARE | LOOM_MAY_WRITE | LOOM_MAY_DOC_READ);
	grove_begin(&g, "new");
	grove_must(loom_tree_create(g.store, &spec, &marie->tree, &err), &err, "tree");
	grove_commit(&g);
	at = grove_root(&g, marie->tree);
	at = add(at, g.owner, "One.");
	at = add(at, g.owner, "Two.");
	marie->a7x2 = add(at, g.owner, "Marie's reluctance stems from her childhood. It shows.");
	marie->b3k9 = add(marie->a7x2, marie->agent.id, "She turns back.");
	marie->c4m2 = add(marie->a7x2, g.model, "The letter burns.");
	grove_note(&g, marie->a7x2, "tone shifts");
	grove_begin(&g, "mark");
	grove_must(loom_bookmark_set(g.store, marie->a7x2, true, LOOM_STR(""), &changed, &err),
		   &err, "bookmark");
	link.from = marie->c4m2;
	link.to_node = marie->a7x2;
	grove_must(loom_link_create(g.store, &link, &made, &changed, &err), &err, "link");
	grove_commit(&g);
	marie->thread = thread_at(marie->agent.id, marie->tree, marie->b3k9);
}

static void remember(const struct marie *marie)
{
	int64_t notes = doc("character notes",
			    "# Marie\nTall.\n\n## motivation\nFear of loss.\n\n## voice\nLow.\n");

	pin(marie->thread, (struct loom_pin){.kind = LOOM_PIN_NODE, .node = marie->a7x2});
	pin(marie->thread, (struct loom_pin){.kind = LOOM_PIN_DOC,
					     .doc = notes,
					     .section = LOOM_STR("motivation")});
	stash(marie->thread, "marie insight", "She fears loss.", false);
	stash(marie->thread, "theme notes", "Rain.", false);
	act(marie->thread, "→ view a7x2", "", "");
	act(marie->thread, "→ view b3k9", "", "");
	act(marie->thread, "→ annotate b3k9 \\\"too fast\\\"", "", "");
	act(marie->thread, "→ continue from b3k9 n:2", "",
	    "✓ generating 2 continuations from [b3k9]...");
}

TEST the_context_of_an_aware_agent_has_the_seeds_layout(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;
	struct loom_node at;
	static const char memory[] =
		"=== Operational Memory ===\n"
		"Pinned:\n"
		"  [%s] \"Marie's reluctance stems from her childhood.\"\n"
		"  doc:\"character notes\" §motivation (5 words)\n"
		"\n"
		"Pinned text:\n"
		"  doc:\"character notes\" §motivation\n"
		"  ---\n"
		"## motivation\nFear of loss.\n\n\n"
		"\n"
		"Recent actions:\n"
		"  viewed a7x2, b3k9 · annotated b3k9 · continued from b3k9 (2 results)\n"
		"\n"
		"Stashed (not in context): \"marie insight\", \"theme notes\"\n"
		"===";

	make_marie(&marie);
	remember(&marie);
	opts = aware(&marie.agent, marie.thread);
	opts.prompt = LOOM_STR("You are Claude.");
	opts.input = LOOM_STR("Go on.\n");
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));

	loom_buf_adds(&want, "You are Claude.\n\nYou write with care.\n\n");
	loom_addendum(LOOM_MAY_AWARE | LOOM_MAY_WRITE | LOOM_MAY_DOC_READ, &want);
	loom_buf_adds(&want, "\n\n" LOOM_BODY_TOLD);
	ASSERT_STR_EQ(loom_buf_cstr(&want), part(&out, LOOM_PART_SYSTEM));

	ASSERT_STR_EQ(loom_arena_format(g.arena, memory, grove_name(&g, marie.a7x2)).p,
		      part(&out, LOOM_PART_MEMORY));

	at = grove_get(&g, marie.a7x2);
	loom_buf_clear(&want);
	loom_buf_addf(&want,
		      "[%s] human · 3m ago\n"
		      "2 continuations · 1 annotation · bookmarked · 1 link\n"
		      "---\n"
		      "Marie's reluctance stems from her childhood. It shows.\n\n"
		      "[%s] model · 3m ago\n"
		      "---\n"
		      "She turns back.",
		      grove_name(&g, at.id), grove_name(&g, marie.b3k9));
	ASSERT(loom_str_ends(loom_assembly_part(&out, LOOM_PART_PATH, g.arena),
			     loom_buf_str(&want)));

	loom_buf_clear(&want);
	loom_buf_addf(&want,
		      "=== Loom Context ===\n"
		      "Tree: \"Marie Character Study\" (dialogue mode)\n"
		      "6 nodes · 2 branches · depth: 4\n"
		      "Position: ... → [%s] → [%s] → [%s] → [%s]*\n"
		      "Permissions: loom_aware, loom_write, doc_read\n"
		      "===",
		      grove_name(&g, grove_get(&g, grove_get(&g, at.from_node).from_node).id),
		      grove_name(&g, at.from_node), grove_name(&g, at.id),
		      grove_name(&g, marie.b3k9));
	ASSERT_STR_EQ(loom_buf_cstr(&want), part(&out, LOOM_PART_LOOM));
	ASSERT_STR_EQ("Go on.\n", part(&out, LOOM_PART_TURN));
	ASSERT_EQ(LOOM_ROLE_SYSTEM, out.pieces[0].said.role);
	ASSERT_EQ(LOOM_ROLE_ASSISTANT, out.pieces[out.count - 3].said.role);
	ASSERT_EQ(LOOM_PART_LOOM, out.pieces[out.count - 2].part);
	PASS();
}

TEST the_addendum_is_the_seeds_word_for_word(void)
{
	struct loom_buf seed = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text;
	size_t from = 0;
	size_t list = 0;
	size_t end = 0;
	static const char blank[] = "[list permissions]";

	if (!temp_read(SEED, &seed))
		SKIPm("no seeds beside the project: " SEED);
	text = loom_buf_str(&seed);
	from = loom_str_find(text, LOOM_STR("You are operating in a loom-aware context."), 0);
	list = loom_str_find(text, loom_str_of(blank), from);
	end = loom_str_find(text, LOOM_STR("\n```"), list);
	ASSERT(end != SIZE_MAX);
	loom_buf_add(&want, loom_str_sub(text, from, list - from));
	loom_buf_adds(&want, "loom_aware, doc_read");
	loom_buf_add(&want, loom_str_sub(text, list + strlen(blank), end - list - strlen(blank)));
	loom_buf_clear(&seed);
	loom_addendum(LOOM_MAY_AWARE | LOOM_MAY_DOC_READ, &seed);
	ASSERT_STR_EQ(loom_buf_cstr(&want), loom_buf_cstr(&seed));
	loom_buf_fini(&seed);
	PASS();
}

TEST who_left_our_path_is_shown_with_the_way_there(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;
	struct loom_store *other = NULL;
	struct loom_session *session = NULL;
	struct loom_presence what = {.agent = LOOM_STR("owner"), .human = true, .depth = 4};
	char tree[LOOM_ULID_CHARS + 1];
	struct loom_tree row;

	make_marie(&marie);
	OK(loom_tree_get(g.store, marie.tree, g.arena, &row, &err));
	loom_ulid_text(&row.ulid, tree);
	other = grove_connect(&g, LOOM_READ);
	OK(loom_session_open(other, &session, &err));
	what.tree = loom_str_of(tree);
	what.node = loom_str_of(grove_name(&g, marie.c4m2));
	OK(loom_session_say(session, &what, &err));
	opts = aware(&marie.agent, marie.thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	loom_buf_addf(&want, "\nHuman active at [%s], depth:4 (via [%s] → [%s])\n===",
		      grove_name(&g, marie.c4m2), grove_name(&g, marie.a7x2),
		      grove_name(&g, marie.c4m2));
	ASSERT(strstr(part(&out, LOOM_PART_LOOM), loom_buf_cstr(&want)));

	what.node = loom_str_of(grove_name(&g, marie.a7x2));
	what.depth = 3;
	OK(loom_session_say(session, &what, &err));
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	loom_buf_clear(&want);
	loom_buf_addf(&want, "\nHuman active at [%s], depth:3\n===", grove_name(&g, marie.a7x2));
	ASSERT(strstr(part(&out, LOOM_PART_LOOM), loom_buf_cstr(&want)));

	opts.alone = true;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT_FALSE(strstr(part(&out, LOOM_PART_LOOM), "active"));
	opts.alone = false;
	opts.session = session;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT_FALSE(strstr(part(&out, LOOM_PART_LOOM), "active"));
	loom_session_close(session);
	loom_store_close(other);
	PASS();
}

TEST memory_that_holds_nothing_is_left_out(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;

	make_marie(&marie);
	opts = aware(&marie.agent, marie.thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT_STR_EQ("", part(&out, LOOM_PART_MEMORY));
	ASSERT_STR_EQ("", part(&out, LOOM_PART_TURN));
	PASS();
}

TEST what_is_pinned_off_the_path_and_recalled_is_there_in_full(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;

	make_marie(&marie);
	pin(marie.thread, (struct loom_pin){.kind = LOOM_PIN_NODE, .node = marie.c4m2});
	pin(marie.thread, (struct loom_pin){.kind = LOOM_PIN_RESULT,
					    .result = LOOM_STR("res-4"),
					    .text = LOOM_STR("→ list a7x2\nall of it")});
	stash(marie.thread, "insight", "She fears\nloss.", true);
	opts = aware(&marie.agent, marie.thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	loom_buf_addf(&want,
		      "=== Operational Memory ===\nPinned:\n  [%s] \"The letter burns.\"\n"
		      "  [res-4] → list a7x2\n\nPinned text:\n  [%s]\n  ---\nThe letter burns.\n"
		      "  [res-4]\n  ---\n→ list a7x2\nall of it\n\nRecalled:\n  \"insight\"\n"
		      "  ---\nShe fears\nloss.\n===",
		      grove_name(&g, marie.c4m2), grove_name(&g, marie.c4m2));
	ASSERT_STR_EQ(loom_buf_cstr(&want), part(&out, LOOM_PART_MEMORY));
	PASS();
}

TEST actions_name_their_errors_and_keep_quoted_names_whole(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;

	make_marie(&marie);
	for (int i = 0; i < 7; i++)
		act(marie.thread, "→ tree depth:3", "", "");
	act(marie.thread, "→ view xyz999", "NOT_FOUND", "");
	act(marie.thread, "→ read doc:\\\"character notes\\\" summary", "", "");
	act(marie.thread, "→ switch to b3k9", "", "");
	act(marie.thread, "→ think she is lying ←", "", "");
	opts = aware(&marie.agent, marie.thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT(strstr(part(&out, LOOM_PART_MEMORY),
		      "viewed xyz999 ✗ NOT_FOUND · read doc:\"character notes\" · switched to b3k9 "
		      "· thought\n"));
	PASS();
}

/* ---- the log ---- */

TEST messages_of_the_lane_follow_the_path_and_the_turn_its_block(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;

	make_marie(&marie);
	append(marie.thread, LOOM_KIND_MESSAGE,
	       "{\"context_ref\":\"default\",\"role\":\"user\",\"content\":\"first\"}");
	append(marie.thread, LOOM_KIND_MESSAGE,
	       "{\"context_ref\":\"default\",\"role\":\"assistant\",\"content\":\"yes\"}");
	append(marie.thread, LOOM_KIND_RESULT,
	       "{\"request_id\":\"r1\",\"res\":\"res-1\",\"text\":\"old\"}");
	append(marie.thread, LOOM_KIND_MESSAGE,
	       "{\"context_ref\":\"default\",\"role\":\"user\",\"content\":\"second\"}");
	append(marie.thread, LOOM_KIND_RESULT,
	       "{\"request_id\":\"r2\",\"res\":\"res-2\",\"text\":\"seen\"}");
	append(marie.thread, LOOM_KIND_MESSAGE,
	       "{\"context_ref\":\"default\",\"role\":\"assistant\",\"content\":\"so\"}");
	opts = aware(&marie.agent, marie.thread);
	opts.turn_seq = 3;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT_STR_EQ("first\n\nyes", part(&out, LOOM_PART_MESSAGES));
	ASSERT_STR_EQ("second\n\nseen\n[res-2]\n\nso", part(&out, LOOM_PART_TURN));
	opts.turn_seq = LOOM_SEQ_HEAD;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT_STR_EQ("first\n\nyes\n\nsecond\n\nso", part(&out, LOOM_PART_MESSAGES));
	opts.at = 1;
	opts.input = LOOM_STR("go");
	opts.block = LOOM_STR("<thread_context></thread_context>");
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT_STR_EQ("first\n\nyes", part(&out, LOOM_PART_MESSAGES));
	ASSERT_STR_EQ("<thread_context></thread_context>\n\ngo", part(&out, LOOM_PART_TURN));
	PASS();
}

/* A snapshot whose entries are the nodes with these ULIDs. */
static void replace_by_nodes(int64_t thread, const char *const *ulids, size_t count)
{
	struct loom_buf payload = LOOM_BUF_INIT(4096);

	loom_buf_adds(&payload, "{\"op_id\":\"op-1\",\"context_ref\":\"default\",\"operation\":{"
				"\"type\":\"replace\",\"reason\":\"manual\",\"result_context\":{"
				"\"id\":\"s\",\"entries\":[");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&payload, "%s{\"node\":\"%s\"}", i ? "," : "", ulids[i]);
	loom_buf_adds(&payload, "]}}}");
	append(thread, LOOM_KIND_OP, loom_buf_cstr(&payload));
	loom_buf_fini(&payload);
}

TEST nodes_that_a_snapshot_names_are_shown_or_left_out_by_name(void)
{
	static const char gone[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;
	struct loom_node node;
	char shown[LOOM_ULID_CHARS + 1];
	char hidden[LOOM_ULID_CHARS + 1];
	const char *const ulids[] = {shown, hidden, gone};
	const struct loom_left_out *left = NULL;
	int64_t excluded = 0;

	make_marie(&marie);
	excluded = add(marie.a7x2, g.owner, "Not for models.");
	mark_excluded(excluded);
	OK(loom_node_get(g.store, marie.b3k9, LOOM_NODE_NARROW, g.arena, &node, &err));
	loom_ulid_text(&node.ulid, shown);
	OK(loom_node_get(g.store, excluded, LOOM_NODE_NARROW, g.arena, &node, &err));
	loom_ulid_text(&node.ulid, hidden);
	replace_by_nodes(marie.thread, ulids, LOOM_COUNT(ulids));
	opts = aware(&marie.agent, marie.thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT(strstr(part(&out, LOOM_PART_MESSAGES), grove_name(&g, marie.b3k9)));
	ASSERT_EQ(NULL, strstr(part(&out, LOOM_PART_MESSAGES), "Not for models."));
	left = left_out(&out, gone);
	ASSERT(left && loom_str_is(left->why, "it is no longer there"));
	ASSERT_EQ(2, (int)out.left_out_count);
	PASS();
}

TEST what_was_sent_is_read_again_byte_for_byte(void)
{
	struct marie marie;
	struct loom_assembly sent;
	struct loom_assembly kept;
	struct loom_aware_opts opts;
	struct loom_thread_log *keeper = NULL;
	struct loom_input input = {.request = LOOM_STR("r1")};
	struct loom_log log;
	const struct loom_left_out *left;
	int64_t seq = 0;

	make_marie(&marie);
	remember(&marie);
	opts = aware(&marie.agent, marie.thread);
	opts.input = LOOM_STR("\"quoted\"\n\t← ✗ 寒い");
	opts.budget = 5000;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &sent, &err));
	OK(loom_thread_log_open(g.store, marie.thread, NULL, &keeper, &err));
	log = loom_thread_log_face(keeper);
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_input_keep(g.store, &log, &input, &sent, &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	grove_edit(&g, marie.a7x2, "Something else altogether.");
	OK(log.ops->head(log.ctx, &seq, &err));
	OK(loom_input_read(g.store, &log, seq, g.arena, &kept, &err));
	ASSERT_STR_EQ(messages(&sent), messages(&kept));
	ASSERT_EQ(sent.total, kept.total);
	ASSERT_EQ(5000, kept.budget);
	ASSERT_EQ(sent.pieces[1].part, kept.pieces[1].part);
	STATUS_IS(LOOM_NOT_FOUND, loom_input_read(g.store, &log, seq - 1, g.arena, &kept, &err));

	ASSERT_EQ(NULL, left_out(&kept, "system"));
	raw_exec(&g, "UPDATE part SET body = CAST(body || ' ' AS BLOB)");
	OK(loom_input_read(g.store, &log, seq, g.arena, &kept, &err));
	left = left_out(&kept, "system");
	ASSERT(left && loom_str_starts(left->why, LOOM_STR("not left out, but damaged")));
	raw_exec(&g, "DELETE FROM part");
	STATUS_IS(LOOM_DAMAGED, loom_input_read(g.store, &log, seq, g.arena, &kept, &err));
	loom_thread_log_close(keeper);
	PASS();
}

/* ---- pruning ---- */

#define LONG                                                                                       \
	"A first sentence. And then a great deal more, which goes on and on, so that there is "    \
	"something to be saved by telling it in one sentence only, as a summary would tell it."

/* Every node of the path is whole in it, or left out by name. */
static bool nothing_is_lost(const struct loom_assembly *out, const int64_t *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = label(nodes[i]);
		const char *text = part(out, LOOM_PART_PATH);
		const char *at = strstr(text, name);
		const char *body = at ? strstr(at, "---\n") : NULL;

		if (left_out(out, name))
			continue;
		if (!body || strncmp(body + 4, LONG, strlen(LONG)) != 0)
			return false;
	}
	return true;
}

TEST pruning_goes_in_steps_says_so_and_loses_nothing_in_silence(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;
	int64_t nodes[20];
	int64_t whole = 0;
	int64_t before = 0;
	int64_t at = 0;
	bool summarized = false;
	bool trace = false;
	bool gone = false;

	make_marie(&marie);
	at = marie.b3k9;
	for (size_t i = 0; i < LOOM_COUNT(nodes); i++)
		nodes[i] = at = add(at, g.owner, LONG);
	marie.thread = thread_at(marie.agent.id, marie.tree, at);
	for (int i = 0; i < 9; i++)
		act(marie.thread, i % 2 ? "→ tree" : "→ view a7x2", "", "");
	opts = aware(&marie.agent, marie.thread);
	opts.input = LOOM_STR("Go on.");
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	before = whole = out.total;
	ASSERT_FALSE(strstr(part(&out, LOOM_PART_LOOM), "=== Pruned ==="));
	for (int64_t budget = whole; budget > 390; budget--) {
		const char *loom = NULL;

		opts.budget = budget;
		OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
		loom = part(&out, LOOM_PART_LOOM);
		ASSERT(out.total <= budget);
		/* Nothing goes as long as all fits. */
		ASSERT(before > budget || out.total == before);
		before = out.total;
		ASSERT(nothing_is_lost(&out, nodes, LOOM_COUNT(nodes)));
		ASSERT_STR_EQ("Go on.", part(&out, LOOM_PART_TURN));
		ASSERT_EQ(budget < whole, strncmp(loom, "=== Pruned ===\n", 15) == 0);
		ASSERT_EQ(budget<whole, out.left_out_count> 0);
		/* A later step means that the earlier ones were taken. */
		ASSERT(!strstr(loom, "trace compressed") || strstr(loom, " summarized") ||
		       strstr(loom, " left out"));
		ASSERT(!strstr(loom, " left out") || strstr(loom, "trace compressed"));
		summarized |= strstr(loom, " summarized") != NULL;
		trace |= strstr(loom, "trace compressed") != NULL;
		gone |= strstr(loom, " left out") != NULL;
	}
	ASSERT(summarized && trace && gone);
	PASS();
}

TEST the_notice_names_the_range_that_was_summarized(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;
	int64_t at = 0;

	make_marie(&marie);
	at = marie.b3k9;
	for (size_t i = 0; i < 20; i++)
		at = add(at, g.owner, LONG);
	marie.thread = thread_at(marie.agent.id, marie.tree, at);
	opts = aware(&marie.agent, marie.thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	opts.budget = out.total - 100;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT(out.left_out_count > 1);
	ASSERT_STR_EQ("summarized", loom_arena_cstr(g.arena, out.left_out[0].why));
	loom_buf_addf(&want, "=== Pruned ===\n%zu nodes ", out.left_out_count);
	ASSERT(loom_str_starts(loom_str_of(part(&out, LOOM_PART_LOOM)), loom_buf_str(&want)));
	ASSERT(strstr(part(&out, LOOM_PART_LOOM), " summarized\n===\n\n=== Loom Context ==="));
	ASSERT(strstr(part(&out, LOOM_PART_PATH), "---\nSummary (extract): A first sentence."));
	PASS();
}

TEST results_go_before_what_was_said_and_pins_never(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;
	char text[2000];

	make_marie(&marie);
	append(marie.thread, LOOM_KIND_MESSAGE,
	       "{\"context_ref\":\"default\",\"role\":\"user\",\"content\":\"look\"}");
	snprintf(text, sizeof text, "{\"res\":\"res-1\",\"text\":\"%s%s%s%s\"}", LONG, LONG, LONG,
		 LONG);
	append(marie.thread, LOOM_KIND_RESULT, text);
	opts = aware(&marie.agent, marie.thread);
	opts.turn_seq = 0;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	opts.budget = out.total - 100;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT(left_out(&out, "res-1"));
	ASSERT(strstr(part(&out, LOOM_PART_LOOM), "1 result dropped"));
	ASSERT_STR_EQ("look", part(&out, LOOM_PART_TURN));

	stash(marie.thread, "small", "Little.", true);
	stash(marie.thread, "large one", LONG LONG LONG LONG LONG LONG LONG LONG LONG, true);
	STATUS_IS(LOOM_LIMIT, loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT(strstr(err.text, "\"large one\""));
	ASSERT(strstr(err.hint, "→ drop"));
	PASS();
}

/* Letting go of a small pin would not help: it is not blamed for what the prompt alone costs. */
TEST a_pin_is_blamed_only_where_letting_go_of_it_would_help(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;
	int64_t least = 0;

	make_marie(&marie);
	opts = aware(&marie.agent, marie.thread);
	opts.budget = 1;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	least = out.total;
	ASSERT(least > opts.budget);
	stash(marie.thread, "small", LONG, true);
	opts.budget = least / 2;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT(out.total > least);
	opts.budget = least + 20;
	STATUS_IS(LOOM_LIMIT, loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT(strstr(err.text, "its budget is"));
	PASS();
}

/* Else it would be asked to go on with its own last words, and never hear what came of its calls.
 */
TEST whatever_has_to_go_who_has_made_calls_hears_of_each(void)
{
	struct marie marie;
	struct loom_assembly out;
	struct loom_aware_opts opts;
	char text[2000];

	make_marie(&marie);
	append(marie.thread, LOOM_KIND_MESSAGE,
	       "{\"context_ref\":\"default\",\"role\":\"user\",\"content\":\"look\"}");
	for (int i = 1; i < 4; i++) {
		if (i != 2)
			append(marie.thread, LOOM_KIND_MESSAGE,
			       "{\"context_ref\":\"default\",\"role\":\"assistant\","
			       "\"content\":\"I look.\"}");
		snprintf(text, sizeof text,
			 "{\"res\":\"res-%d\",\"number\":%d,\"text\":\"→ view n%d\\n%s%s\"}", i, i,
			 i, LONG, LONG);
		append(marie.thread, LOOM_KIND_RESULT, text);
	}
	opts = aware(&marie.agent, marie.thread);
	opts.turn_seq = 0;
	opts.budget = 1;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT_EQ(LOOM_ROLE_USER, out.pieces[out.count - 1].said.role);
	ASSERT_STR_EQ("→ view n3\n(res-3 left out: the context is full)",
		      out.pieces[out.count - 1].said.text.p);
	ASSERT(left_out(&out, "res-1") && left_out(&out, "res-2") && left_out(&out, "res-3"));
	ASSERT(strstr(part(&out, LOOM_PART_LOOM), "3 results dropped"));
	ASSERT_EQ(NULL, strstr(part(&out, LOOM_PART_TURN), "view n1"));
	opts.budget = 0;
	OK(loom_assemble_aware(g.store, &opts, g.arena, &out, &err));
	ASSERT(loom_str_ends(out.pieces[out.count - 1].said.text, LOOM_STR(LONG LONG)));
	PASS();
}

TEST the_same_moment_gives_the_same_bytes_on_another_connection(void)
{
	struct marie marie;
	struct loom_assembly here;
	struct loom_assembly there;
	struct loom_aware_opts opts;
	struct loom_store *other = NULL;

	make_marie(&marie);
	remember(&marie);
	opts = aware(&marie.agent, marie.thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &here, &err));
	other = grove_connect(&g, LOOM_READ);
	OK(loom_assemble_aware(other, &opts, g.arena, &there, &err));
	ASSERT_STR_EQ(messages(&here), messages(&there));
	loom_store_close(other);
	PASS();
}

static const char *told(const struct loom_agent *agent, int64_t thread)
{
	struct loom_aware_opts opts = aware(agent, thread);
	struct loom_assembly out;

	grove_must(loom_assemble_aware(g.store, &opts, g.arena, &out, &err), &err, "assemble");
	return messages(&out);
}

/* A path of prose with a pin beside it. */
TEST anothers_edit_changes_no_byte_until_the_version_is_taken(void)
{
	int64_t tree = grove_tree(&g, LOOM_BUFFER, "The house ");
	int64_t a = add(grove_root(&g, tree), g.owner, "stood empty. ");
	int64_t b = add(a, g.model, "She stayed away.");
	int64_t beside = add(a, g.owner, "She came.");
	struct loom_agent agent = claude(LOOM_MAY_AWARE);
	int64_t thread = thread_at(agent.id, tree, b);
	const char *before = NULL;
	int64_t edited = 0;

	pin(thread, (struct loom_pin){.kind = LOOM_PIN_NODE, .node = beside});
	before = told(&agent, thread);
	edited = grove_edit(&g, a, "was full. ");
	grove_edit(&g, beside, "She ran.");
	grove_edit(&g, grove_root(&g, tree), "The barn ");
	grove_edit(&g, b, "He stayed.");
	ASSERT_STR_EQ(before, told(&agent, thread));
	grove_reopen(&g);
	ASSERT_STR_EQ(before, told(&agent, thread));
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_thread_choose(g.store, thread, grove_get(&g, a).group, edited, &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	ASSERT(strstr(told(&agent, thread), "was full. "));
	ASSERT_EQ(NULL, strstr(told(&agent, thread), "stood empty. "));
	ASSERT_EQ(NULL, strstr(told(&agent, thread), "The barn "));
	PASS();
}

/* There an edit is a branch beside ours: what is counted changes, what is said does not. */
TEST anothers_edit_of_a_dialogue_leaves_what_our_path_says(void)
{
	struct marie marie;
	struct loom_assembly before;
	struct loom_assembly after;
	struct loom_aware_opts opts;
	size_t nodes = 0;

	make_marie(&marie);
	opts = aware(&marie.agent, marie.thread);
	OK(loom_assemble_aware(g.store, &opts, g.arena, &before, &err));
	grove_edit(&g, marie.a7x2, "Something else.");
	grove_edit(&g, marie.b3k9, "She goes on.");
	OK(loom_assemble_aware(g.store, &opts, g.arena, &after, &err));
	ASSERT_EQ(before.count, after.count);
	for (size_t i = 0; i < before.count; i++) {
		struct loom_str was = before.pieces[i].said.text;
		struct loom_str is = after.pieces[i].said.text;

		if (before.pieces[i].part != LOOM_PART_PATH)
			continue;
		was = loom_str_sub(was, loom_str_find(was, LOOM_STR("---\n"), 0), SIZE_MAX);
		is = loom_str_sub(is, loom_str_find(is, LOOM_STR("---\n"), 0), SIZE_MAX);
		ASSERT(was.n && loom_str_eq(was, is));
		nodes++;
	}
	ASSERT_EQ(5, nodes);
	PASS();
}

SUITE(context)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(the_context_of_an_aware_agent_has_the_seeds_layout);
	RUN_TEST(the_addendum_is_the_seeds_word_for_word);
	RUN_TEST(who_left_our_path_is_shown_with_the_way_there);
	RUN_TEST(memory_that_holds_nothing_is_left_out);
	RUN_TEST(what_is_pinned_off_the_path_and_recalled_is_there_in_full);
	RUN_TEST(actions_name_their_errors_and_keep_quoted_names_whole);
	RUN_TEST(messages_of_the_lane_follow_the_path_and_the_turn_its_block);
	RUN_TEST(nodes_that_a_snapshot_names_are_shown_or_left_out_by_name);
	RUN_TEST(what_was_sent_is_read_again_byte_for_byte);
	RUN_TEST(pruning_goes_in_steps_says_so_and_loses_nothing_in_silence);
	RUN_TEST(the_notice_names_the_range_that_was_summarized);
	RUN_TEST(results_go_before_what_was_said_and_pins_never);
	RUN_TEST(a_pin_is_blamed_only_where_letting_go_of_it_would_help);
	RUN_TEST(whatever_has_to_go_who_has_made_calls_hears_of_each);
	RUN_TEST(the_same_moment_gives_the_same_bytes_on_another_connection);
	RUN_TEST(anothers_edit_changes_no_byte_until_the_version_is_taken);
	RUN_TEST(anothers_edit_of_a_dialogue_leaves_what_our_path_says);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(context);
	GREATEST_MAIN_END();
}
