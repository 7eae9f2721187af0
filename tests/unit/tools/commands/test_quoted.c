/* What we print below headers of ours, read again by somebody who knows only the forms: exactly the
 * nodes that are there are found, whatever they, their tree, their tags and their authors say. */
#include <greatest.h>

#include <loom/text/quoting.h>
#include <loom/text/sanitise.h>
#include <loom/context/context.h>
#include <loom/tree/document.h>
#include <loom/tree/mark.h>
#include <loom/work/memory.h>
#include <loom/work/thread.h>
#include <loom/language/pasted_turns.h>

#include <tests/support/exported.h>
#include <tests/support/hostile.h>
#include <tests/support/marie.h>
#include <tests/support/ok.h>

#include <loom/providers/dialect.h>

GREATEST_MAIN_DEFS();

/* So many texts by each of the forms. */
#define CASES 20000
#define PATH  100

static struct marie marie;
static struct prop prop;
static struct loom_buf text;
static struct loom_err err;

/* A path of its own tree. */
struct path {
	int64_t tree;
	uint64_t key;
	int64_t nodes[PATH];
	struct loom_str texts[PATH];
	struct loom_str ids[PATH];
};
static struct path path;
static int64_t authors[4];
static bool speech; /* texts speak for others */

static struct loom_str any_text(void)
{
	hostile_text(&prop, &text);
	return loom_arena_buf(marie.grove.arena, &text);
}

static struct loom_str any_name(void)
{
	hostile_name(&prop, &text);
	return loom_arena_buf(marie.grove.arena, &text);
}

/* Whoever may have such a name; what is refused has been answered. */
static void make_authors(void)
{
	authors[0] = marie.grove.owner;
	authors[1] = marie.grove.model;
	for (size_t i = 2; i < LOOM_COUNT(authors);) {
		struct loom_agent spec = {.name = any_name(), .kind = LOOM_AGENT_MODEL};
		enum loom_status status;

		grove_begin(&marie.grove, "agent");
		status = loom_agent_create(marie.grove.store, &spec, &authors[i], &err);
		i += loom_op_end(marie.grove.store, status, NULL, &err) == LOOM_OK;
	}
}

static void set_up(void *unused)
{
	(void)unused;
	marie_init(&marie, LOOM_DIALOGUE);
	loom_buf_init(&text, LOOM_BUF_MAX);
	prop_init(&prop, "quoted");
	make_authors();
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_buf_fini(&text);
	marie_fini(&marie);
}

/* A text that may speak for somebody who is there. */
static struct loom_str any_speech(void)
{
	struct loom_agent agent;
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	grove_must(loom_agent_get(marie.grove.store,
				  authors[prop_below(&prop, LOOM_COUNT(authors))],
				  marie.grove.arena, &agent, &err),
		   &err, "agent");
	loom_buf_add(&said, any_text());
	loom_buf_adds(&said, prop_once_in(&prop, 3) ? "\r" : "\n");
	loom_buf_addf(&said, "%s%.*s: x", prop_once_in(&prop, 3) ? " " : "",
		      LOOM_STR_ARG(agent.name));
	out = loom_arena_buf(marie.grove.arena, &said);
	loom_buf_fini(&said);
	return out;
}

static void add_node(size_t at)
{
	struct loom_node_spec spec = {.from = path.nodes[at - 1],
				      .text = path.texts[at],
				      .author = authors[prop_below(&prop, LOOM_COUNT(authors))],
				      .seq = -1};
	bool changed = false;

	grove_must(loom_node_create(marie.grove.store, &spec, &path.nodes[at], &err), &err, "node");
	if (prop_once_in(&prop, 6))
		grove_must(loom_tag_set(marie.grove.store, path.nodes[at], any_name(), true,
					&changed, &err),
			   &err, "tag");
	if (prop_once_in(&prop, 6))
		grove_must(loom_bookmark_set(marie.grove.store, path.nodes[at], true, any_name(),
					     &changed, &err),
			   &err, "bookmark");
	if (!prop_once_in(&prop, 8))
		return;
	spec.from = path.nodes[at];
	spec.kind = LOOM_ANNOTATION;
	spec.text = any_text();
	grove_must(loom_node_create(marie.grove.store, &spec, &(int64_t){0}, &err), &err, "note");
}

static void make_path(void)
{
	struct loom_tree_spec spec = {.mode = LOOM_DIALOGUE, .author = marie.grove.owner};
	struct loom_tree row;
	char name[LOOM_LOCAL_MAX];

	loom_arena_reset(marie.grove.arena);
	spec.title = any_name();
	spec.system = any_text();
	spec.root_text = path.texts[0] = any_text();
	grove_begin(&marie.grove, "import"); /* whatever stands in a title */
	grove_must(loom_tree_create(marie.grove.store, &spec, &path.tree, &err), &err, "tree");
	grove_must(loom_tree_get(marie.grove.store, path.tree, marie.grove.arena, &row, &err), &err,
		   "tree");
	path.nodes[0] = row.root;
	for (size_t i = 1; i < PATH; i++) {
		path.texts[i] = speech && prop_once_in(&prop, 2) ? any_speech() : any_text();
		add_node(i);
	}
	grove_commit(&marie.grove);
	for (size_t i = 0; i < PATH; i++) {
		const struct loom_node node = grove_get(&marie.grove, path.nodes[i]);

		loom_local_text(row.key, node.local, name);
		path.ids[i] = loom_arena_str(marie.grove.arena, loom_str_of(name));
	}
}

/* The engine that looks at the path. */
static void look_at(int64_t agent)
{
	marie.opts.tree = path.tree;
	marie.opts.result_tokens = SIZE_MAX;
	marie_engine(&marie, agent);
}

/* Whether these are the path's nodes, in its order, with their texts. */
static bool is_path(struct loom_str shown)
{
	struct hostile_node *found =
		LOOM_ARENA_ARRAY(marie.grove.arena, PATH + 1, struct hostile_node);

	if (hostile_nodes(shown, marie.grove.arena, found, PATH + 1) != PATH)
		return false;
	for (size_t i = 0; i < PATH; i++)
		if (!loom_str_eq(found[i].id, path.ids[i]) ||
		    !loom_str_eq(found[i].text, path.texts[i]))
			return false;
	return true;
}

TEST a_log_has_the_nodes_that_are_there(void)
{
	for (int i = 0; i < prop_times(CASES / PATH); i++) {
		struct loom_call call = loom_call_of(LOOM_VERB_VIEW);

		make_path();
		look_at(marie.grove.owner);
		call.as = LOOM_AS_NODES;
		call.branch = path.ids[PATH - 1];
		marie_call(&marie, &call);
		ASSERT_EQ(LOOM_OK, marie.last.status);
		ASSERT(is_path(marie.last.text));
	}
	PASS();
}

/* Between the header and what is counted below. */
static struct loom_str shown_body(struct loom_str shown)
{
	const size_t from = loom_str_find_char(shown, '\n', 0) + 1;
	size_t to = loom_str_find(shown, LOOM_STR("\n\nAnnotations:\n"), from - 2);

	if (to == SIZE_MAX) {
		for (to = shown.n; to > from && shown.p[to - 1] != '\n';)
			to--;
		if (to > from && hostile_looks(loom_str_sub(shown, to, SIZE_MAX)))
			to -= 2;
		else
			to = shown.n;
	}
	return loom_str_sub(shown, from, to > from ? to - from : 0);
}

TEST a_node_that_is_shown_has_its_text(void)
{
	for (int i = 0; i < prop_times(CASES / PATH); i++) {
		make_path();
		look_at(marie.grove.owner);
		for (size_t k = 0; k < PATH; k++) {
			struct loom_call call = loom_call_of(LOOM_VERB_VIEW);

			call.id = path.ids[k];
			call.full = call.with_annotations = true;
			marie_call(&marie, &call);
			ASSERT_EQ(LOOM_OK, marie.last.status);
			ASSERT(loom_str_eq(path.texts[k],
					   hostile_unquoted(shown_body(marie.last.text),
							    marie.grove.arena)));
		}
	}
	PASS();
}

/* ---- contexts ---- */

static size_t lines_that_are(struct loom_str shown, const char *line)
{
	struct loom_str found;
	size_t count = 0;

	while (loom_str_line(&shown, &found))
		count += loom_str_is(found, line);
	return count;
}

static struct loom_str context_text(const struct loom_assembly *assembly)
{
	struct loom_buf all = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	for (size_t i = 0; i < assembly->count; i++) {
		loom_buf_adds(&all, i ? "\n\n" : "");
		loom_buf_add(&all, assembly->pieces[i].said.text);
	}
	out = loom_arena_buf(marie.grove.arena, &all);
	loom_buf_fini(&all);
	return out;
}

static void keep_aside(int64_t thread)
{
	struct loom_stash stash = {.label = any_name(), .text = any_text()};
	struct loom_pin pin = {.kind = LOOM_PIN_NODE,
			       .node = marie.nodes[MARIE_A7X2],
			       .section = LOOM_STR_INIT(""),
			       .result = LOOM_STR_INIT("")};
	struct loom_stash row;
	bool changed = false;

	grove_begin(&marie.grove, "import"); /* whatever stands in a label */
	grove_must(loom_stash_create(marie.grove.store, thread, &stash, &err), &err, "stash");
	grove_must(loom_stash_find(marie.grove.store, thread, stash.label, marie.grove.arena, &row,
				   &err),
		   &err, "stash");
	grove_must(loom_stash_recall(marie.grove.store, row.id, true, &changed, &err), &err,
		   "recall");
	grove_must(loom_pin_set(marie.grove.store, thread, &pin, true, &changed, &err), &err,
		   "pin");
	grove_commit(&marie.grove);
}

static int64_t thread_at_tip(void)
{
	struct loom_thread thread;

	grove_must(loom_quiet_begin(marie.grove.store, &err), &err, "quiet");
	grove_must(loom_thread_ensure(marie.grove.store, marie.agent, path.tree, marie.grove.arena,
				      &thread, &err),
		   &err, "thread");
	grove_must(loom_thread_move(marie.grove.store, thread.id, path.nodes[PATH - 1], &err), &err,
		   "move");
	grove_must(loom_quiet_end(marie.grove.store, LOOM_OK, &err), &err, "quiet");
	return thread.id;
}

TEST a_context_has_the_nodes_that_are_there_and_one_of_each_frame(void)
{
	struct loom_agent agent;

	grove_must(loom_agent_get(marie.grove.store, marie.agent, marie.grove.arena, &agent, &err),
		   &err, "agent");
	agent.name = LOOM_STR("Claude");
	for (int i = 0; i < prop_times(CASES / PATH); i++) {
		struct loom_aware_opts opts = {.agent = &agent,
					       .at = LOOM_SEQ_HEAD,
					       .turn_seq = LOOM_SEQ_HEAD};
		struct loom_assembly assembly;
		struct loom_str all;

		make_path();
		opts.tree = path.tree;
		opts.thread = thread_at_tip();
		opts.input = any_text();
		keep_aside(opts.thread);
		ASSERT_EQ(LOOM_OK, loom_assemble_aware(marie.grove.store, &opts, marie.grove.arena,
						       &assembly, &err));
		ASSERT(is_path(loom_assembly_part(&assembly, LOOM_PART_PATH, marie.grove.arena)));
		all = context_text(&assembly);
		ASSERT_EQ(1, lines_that_are(all, "=== Loom Context ==="));
		ASSERT_EQ(1, lines_that_are(all, "=== Operational Memory ==="));
		ASSERT_EQ(0, lines_that_are(all, "=== Pruned ==="));
		ASSERT_EQ(2, lines_that_are(all, "==="));
		ASSERT_EQ(PATH, lines_that_are(all, "---"));
		ASSERT_EQ(1, lines_that_are(all, "Pinned:"));
		ASSERT_EQ(1, lines_that_are(all, "Recalled:"));
		ASSERT_EQ(0, lines_that_are(all, "→ prune r001"));
	}
	PASS();
}

/* ---- Markdown ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Blank lines around a text are the heading's, and not had back. */
static struct loom_str trimmed(struct loom_str said)
{
	size_t line = 0;

	for (size_t i = 0; i < said.n && is_blank(said.p[i]); i++)
		if (said.p[i] == '\n')
			line = i + 1;
	said = loom_str_sub(said, line, SIZE_MAX);
	while (said.n && is_blank(said.p[said.n - 1]))
		said.n--;
	return said;
}

TEST markdown_is_read_back_as_it_was(void)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (int i = 0; i < prop_times(CASES / PATH); i++) {
		struct loom_turns turns;
		struct loom_str rest;
		struct loom_str line;
		size_t headings = 0;
		size_t at = 0;

		make_path();
		exported_tree(&marie.grove, path.tree, 0, "md", &out);
		rest = loom_buf_str(&out);
		while (loom_str_line(&rest, &line))
			headings += loom_str_starts(line, LOOM_STR("### ["));
		/* A root that says nothing needs no heading. */
		at = !path.texts[0].n;
		ASSERT_EQ(PATH - at, headings);
		loom_turns_read(loom_buf_str(&out), marie.grove.arena, &turns);
		for (size_t k = 0; k < turns.count; k++) {
			const struct loom_spoken *turn = &turns.items[k];

			if (turn->form != LOOM_TURNS_NODE)
				continue;
			ASSERT(at < PATH);
			ASSERT(loom_str_eq(trimmed(path.texts[at]), trimmed(turn->text)));
			at++;
		}
		ASSERT_EQ(PATH, at);
	}
	loom_buf_fini(&out);
	PASS();
}

/* Two trees in one file: as many titles as there are trees. */
TEST several_trees_have_one_title_each(void)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (int i = 0; i < prop_times(CASES / PATH); i += 2) {
		int64_t trees[2];
		struct loom_export what = {.store = marie.grove.store,
					   .reader = marie.grove.owner,
					   .trees = trees,
					   .tree_count = 2};
		struct hostile_lines lines = {.over = false};
		size_t titles = 0;
		size_t headings = 0;

		for (size_t k = 0; k < 2; k++) {
			make_path();
			trees[k] = path.tree;
			headings += PATH - !path.texts[0].n;
		}
		exported_run("md", &what, &out);
		lines.text = loom_buf_str(&out);
		while (hostile_line(&lines)) {
			titles += hostile_looks_title(lines.line);
			headings -= loom_str_starts(lines.line, LOOM_STR("### ["));
		}
		ASSERT_EQ(2, titles);
		ASSERT_EQ(0, headings);
	}
	loom_buf_fini(&out);
	PASS();
}

/* ---- plain text ---- */

static size_t speeches_in(struct loom_str all, const struct loom_agent *agents, size_t count)
{
	struct hostile_lines lines = {.text = all};
	size_t found = 0;

	while (hostile_line(&lines))
		for (size_t i = 0; i < count; i++) {
			struct loom_str name = loom_shown_label(marie.grove.arena, agents[i].name);

			if (loom_str_starts(lines.line, name) && lines.line.n > name.n &&
			    lines.line.p[name.n] == ':') {
				found++;
				break;
			}
		}
	return found;
}

TEST plain_text_has_the_speakers_that_spoke(void)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (int i = 0; i < prop_times(CASES / PATH); i++) {
		struct loom_agent *agents = NULL;
		size_t count = 0;

		speech = true;
		make_path();
		speech = false;
		exported_tree(&marie.grove, path.tree, path.nodes[PATH - 1], "txt", &out);
		OK(loom_agent_list(marie.grove.store, marie.grove.arena, &agents, &count, &err));
		ASSERT_EQ(PATH - !path.texts[0].n, speeches_in(loom_buf_str(&out), agents, count));
	}
	loom_buf_fini(&out);
	PASS();
}

/* ---- what a thread keeps, documents, summaries ---- */

/* How many lines of an answer somebody could take for ours. */
static size_t ours_in(struct loom_str answer)
{
	struct hostile_lines lines = {.text = answer};
	size_t count = 0;

	while (hostile_line(&lines))
		count += hostile_looks(lines.line);
	return count;
}

static size_t lines_of(struct loom_str answer)
{
	struct hostile_lines lines = {.text = answer};
	size_t count = 0;

	while (hostile_line(&lines))
		count += lines.line.n > 0;
	return count;
}

/* Names that differ in how they end. */
static struct loom_str any_unlike(int number)
{
	struct loom_str name = any_name();

	return loom_arena_format(marie.grove.arena, "%.*s%d", LOOM_STR_ARG(name), number);
}

static void make_stash(int64_t thread, struct loom_str label)
{
	struct loom_stash stash = {.label = label, .text = any_text()};

	grove_must(loom_stash_create(marie.grove.store, thread, &stash, &err), &err, "stash");
}

static void make_doc(struct loom_str name)
{
	int64_t doc = 0;

	grove_must(loom_doc_create(marie.grove.store, name, any_text(), marie.grove.owner, &doc,
				   &err),
		   &err, "doc");
}

static struct loom_str numbered(const char *what, int round, int number)
{
	return loom_arena_format(marie.grove.arena, "%s %d %d", what, round, number);
}

/* Its head, and below it none. */
static bool answers_with_one_line_of_ours(const struct loom_call *call)
{
	struct loom_str below;
	struct loom_str head;

	marie_call(&marie, call);
	below = marie.last.text;
	(void)loom_str_line(&below, &head);
	/* what is quoted begins within a line of ours */
	if (loom_str_starts(below, LOOM_STR("\"")))
		(void)loom_str_line(&below, &head);
	if (marie.last.status == LOOM_OK && ours_in(below) == 0)
		return true;
	printf("%.*s\n", LOOM_STR_ARG(marie.last.text));
	return false;
}

TEST what_is_kept_and_read_has_one_line_of_ours(void)
{
	for (int i = 0; i < prop_times(CASES / PATH / 8); i++) {
		int64_t thread;

		make_path();
		thread = thread_at_tip();
		look_at(marie.agent);
		grove_begin(&marie.grove, "import"); /* whatever stands in a label */
		for (int k = 0; k < PATH; k++) {
			make_stash(thread, numbered("stash", i, k));
			make_doc(numbered("doc", i, k));
		}
		grove_commit(&marie.grove);
		for (int k = 0; k < PATH; k++) {
			struct loom_call recall = loom_call_of(LOOM_VERB_RECALL);
			struct loom_call read = loom_call_of(LOOM_VERB_READ);

			recall.label = numbered("stash", i, k);
			read.doc = numbered("doc", i, k);
			ASSERT(answers_with_one_line_of_ours(&recall));
			ASSERT(answers_with_one_line_of_ours(&read));
		}
	}
	PASS();
}

/* Labels, titles and summaries are a line each, whatever they hold. */
TEST lists_and_summaries_have_as_many_lines_as_things(void)
{
	for (int i = 0; i < prop_times(CASES / PATH / 16); i++) {
		struct loom_call memory = loom_call_of(LOOM_VERB_MEMORY);
		struct loom_call tree = loom_call_of(LOOM_VERB_TREE);
		int64_t thread;

		make_path();
		thread = thread_at_tip();
		look_at(marie.agent);
		grove_begin(&marie.grove, "import");
		for (int k = 0; k < PATH; k++)
			make_stash(thread, any_unlike(k));
		grove_must(loom_tree_set(marie.grove.store, path.tree, LOOM_TREE_SUMMARY,
					 any_text(), &err),
			   &err, "summary");
		grove_commit(&marie.grove);
		memory.what = LOOM_WHAT_STASHED;
		marie_call(&marie, &memory);
		ASSERT_EQ(LOOM_OK, marie.last.status);
		ASSERT_EQ(1 + PATH, lines_of(marie.last.text));
		memory.what = LOOM_WHAT_NONE;
		marie_call(&marie, &memory);
		ASSERT_EQ(LOOM_OK, marie.last.status);
		ASSERT(lines_of(marie.last.text) <= 4);
		tree.summary = true;
		marie_call(&marie, &tree);
		ASSERT_EQ(LOOM_OK, marie.last.status);
		ASSERT(lines_of(marie.last.text) <= 4);
	}
	PASS();
}

/* ---- a transcript before a base model ---- */

static size_t speakers_in(struct loom_str prompt)
{
	struct loom_str line;
	size_t count = 0;

	while (loom_str_line(&prompt, &line))
		count += loom_str_starts(line, LOOM_STR("User:")) ||
			 loom_str_starts(line, LOOM_STR("Assistant:"));
	return count;
}

TEST a_transcript_has_the_speakers_that_spoke(void)
{
	struct loom_prompt_message messages[PATH];
	struct loom_generation *generation = loom_alloc(sizeof *generation);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	generation->request.messages = messages;
	generation->request.message_count = PATH;
	for (int i = 0; i < prop_times(CASES / PATH); i++) {
		loom_arena_reset(marie.grove.arena);
		for (size_t k = 0; k < PATH; k++)
			messages[k] =
				(struct loom_prompt_message){.role = k % 2 ? LOOM_ROLE_ASSISTANT
									   : LOOM_ROLE_USER,
							     .text = any_text()};
		loom_buf_clear(&out);
		provider_prompt_text(generation, &out);
		ASSERT_EQ(PATH, speakers_in(loom_buf_str(&out)));
	}
	loom_buf_fini(&out);
	free(generation);
	PASS();
}

/* ---- said back ---- */

static struct loom_str newest_text(void)
{
	int64_t newest = 0;

	grove_must(loom_node_newest(marie.grove.store, &newest, &err), &err, "newest");
	return grove_get(&marie.grove, newest).text;
}

TEST what_an_agent_was_shown_it_may_say_back(void)
{
	for (int i = 0; i < prop_times(20); i++) {
		make_path();
		look_at(marie.agent);
		for (size_t k = 1; k < PATH; k++) {
			struct loom_call view = loom_call_of(LOOM_VERB_VIEW);
			struct loom_call say = loom_call_of(LOOM_VERB_RESPOND);

			if (!path.texts[k].n)
				continue;
			view.id = say.id = path.ids[k];
			view.full = true;
			marie_call(&marie, &view);
			say.content =
				loom_arena_str(marie.grove.arena, shown_body(marie.last.text));
			marie_call(&marie, &say);
			ASSERT_EQ(LOOM_OK, marie.last.status);
			ASSERT(loom_str_eq(path.texts[k], newest_text()));
		}
	}
	PASS();
}

SUITE(quoted)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_log_has_the_nodes_that_are_there);
	RUN_TEST(a_node_that_is_shown_has_its_text);
	RUN_TEST(a_context_has_the_nodes_that_are_there_and_one_of_each_frame);
	RUN_TEST(markdown_is_read_back_as_it_was);
	RUN_TEST(several_trees_have_one_title_each);
	RUN_TEST(plain_text_has_the_speakers_that_spoke);
	RUN_TEST(what_is_kept_and_read_has_one_line_of_ours);
	RUN_TEST(lists_and_summaries_have_as_many_lines_as_things);
	RUN_TEST(a_transcript_has_the_speakers_that_spoke);
	RUN_TEST(what_an_agent_was_shown_it_may_say_back);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(quoted);
	GREATEST_MAIN_END();
}
