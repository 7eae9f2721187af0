/* What a model would be given, or was: the inspector over a grove with an agent that has a log. */
#include <greatest.h>

#include <loom/chat/inspect.h>
#include <loom/work/thread.h>
#include <loom/work/thread_log.h>

#include "support/clock.h"
#include "support/table.h"

#include <unistd.h>

static struct loom_err err;

static struct loom_agent add_agent(struct grove *grove)
{
	struct loom_agent spec = {.name = LOOM_STR("Claude"),
				  .kind = LOOM_AGENT_MODEL,
				  .aware = true};
	struct loom_agent row;
	int64_t agent = 0;

	grove_begin(grove, "agent");
	grove_must(loom_agent_create(grove->store, &spec, &agent, &err), &err, "agent");
	grove_commit(grove);
	grove_must(loom_agent_get(grove->store, agent, grove->arena, &row, &err), &err, "agent");
	return row;
}

static void keep_input(struct grove *grove, int64_t thread, const char *turn, int64_t step)
{
	const struct loom_input input = {.request = LOOM_STR("r-1"), .step = step};
	struct loom_context_piece pieces[] = {
		{LOOM_PART_SYSTEM,
		 {.role = LOOM_ROLE_SYSTEM, .text = LOOM_STR_INIT("You are in a loom.")},
		 5},
		{LOOM_PART_TURN, {.role = LOOM_ROLE_USER}, 3},
	};
	struct loom_assembly assembly = {.pieces = pieces, .count = 2, .total = 8, .budget = 4000};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;

	pieces[1].said.text = loom_str_of(turn);
	grove_must(loom_quiet_begin(grove->store, &err), &err, "quiet");
	grove_must(loom_thread_log_open(grove->store, thread, NULL, &keeper, &err), &err, "log");
	log = loom_thread_log_face(keeper);
	grove_must(loom_input_keep(grove->store, &log, &input, &assembly, &err), &err, "input");
	grove_must(loom_quiet_end(grove->store, LOOM_OK, &err), &err, "quiet");
	loom_thread_log_close(keeper);
}

static void keep_answer(struct grove *grove, int64_t thread, const char *usage)
{
	struct loom_buf text = LOOM_BUF_INIT(1000);
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE, .kind = LOOM_STR(LOOM_KIND_OUTPUT)};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	int64_t seq = 0;

	loom_buf_addf(&text, "{\"request_id\":\"r-1\",\"usage\":%s}", usage);
	row.payload = loom_buf_str(&text);
	grove_must(loom_quiet_begin(grove->store, &err), &err, "quiet");
	grove_must(loom_thread_log_open(grove->store, thread, NULL, &keeper, &err), &err, "log");
	log = loom_thread_log_face(keeper);
	grove_must(loom_log_append(&log, &row, &seq, &err), &err, "answer");
	grove_must(loom_quiet_end(grove->store, LOOM_OK, &err), &err, "quiet");
	loom_thread_log_close(keeper);
	loom_buf_fini(&text);
}

/* A path of a person's texts; an agent that was asked twice and then wrote the last node; what it
 * told of its second answer is `usage`, if that is not NULL. */
static void set_up_with(int nodes, const char *usage)
{
	struct grove *grove = &table.grove;
	struct loom_node_spec spec = {.text = LOOM_STR("What Claude wrote.")};
	struct loom_thread thread;
	struct loom_agent agent;
	int64_t tree;
	int64_t at;
	int64_t node;

	table_begin(&table, 100, 30);
	tree = grove_tree(grove, LOOM_DIALOGUE, "In the beginning.");
	at = grove_root(grove, tree);
	grove_begin(grove, "respond");
	for (int i = 0; i < nodes; i++) {
		struct loom_node_spec step = {.from = at, .author = grove->owner, .seq = -1};
		char text[60];
		snprintf(text, sizeof text, "Text number %d of the path.", i);
		step.text = loom_str_of(text);
		grove_must(loom_node_create(grove->store, &step, &at, &err), &err, "node");
	}
	grove_commit(grove);
	agent = add_agent(grove);
	grove_must(loom_quiet_begin(grove->store, &err), &err, "quiet");
	grove_must(loom_thread_ensure(grove->store, agent.id, tree, grove->arena, &thread, &err),
		   &err, "thread");
	grove_must(loom_quiet_end(grove->store, LOOM_OK, &err), &err, "quiet");
	keep_input(grove, thread.id, "the first question", 0);
	keep_input(grove, thread.id, "the second question", 1);
	if (usage)
		keep_answer(grove, thread.id, usage);
	spec.from = at;
	spec.author = agent.id;
	spec.thread = thread.id;
	spec.seq = 1;
	grove_begin(grove, "respond");
	grove_must(loom_node_create(grove->store, &spec, &node, &err), &err, "node");
	grove_commit(grove);
	table_open(&table);
}

static void set_up(int nodes)
{
	set_up_with(nodes, NULL);
}

TEST what_would_be_sent_is_what_the_command_line_says(void)
{
	struct loom_inspect what = {.at = LOOM_SEQ_HEAD};
	struct loom_inspected answer;
	struct loom_buf hex = LOOM_BUF_INIT(100);
	struct loom_tree tree;

	set_up(3);
	table_type(&table, "lloc");
	ASSERT(table_shows(&table, "Text number 1 of the path."));
	ASSERT_FALSE(table_shows(&table, "Text number 2"));
	grove_must(loom_tree_get(table.grove.store, 1, table.grove.arena, &tree, &err), &err, "t");
	grove_must(loom_inspect_subject(table.grove.store, &tree, table.grove.arena, &what.agent,
					&err),
		   &err, "subject");
	what.tree = 1;
	what.position = 3;
	grove_must(loom_inspect(table.grove.store, &what, table.grove.arena, &answer, &err), &err,
		   "inspect");
	loom_hash_hex(&answer.hash, &hex);
	ASSERT(table_shows(&table, loom_buf_cstr(&hex)));
	loom_buf_fini(&hex);
	PASS();
}

TEST what_was_sent_is_shown_again_and_stepped_through(void)
{
	set_up(3);
	table_type(&table, "gloC");
	ASSERT(table_shows(&table, "as it was sent, byte for byte"));
	ASSERT(table_shows(&table, "row 1 of 1"));
	ASSERT(table_shows(&table, "the second question"));
	table_type(&table, "[");
	ASSERT(table_shows(&table, "the first question"));
	ASSERT_FALSE(table_shows(&table, "the second question"));
	table_type(&table, "[");
	ASSERT(table_shows(&table, "no call before"));
	table_type(&table, "]");
	ASSERT(table_shows(&table, "the second question"));
	table_type(&table, "]");
	ASSERT_FALSE(table_shows(&table, "byte for byte"));
	table_type(&table, "{");
	ASSERT(table_shows(&table, "row 1 of 1"));
	table_type(&table, "9{");
	ASSERT(table_shows(&table, "row 0 of 1"));
	PASS();
}

/* Appends a row to the log of the only thread of the agent. */
static void append_row(struct grove *grove, const char *kind, const char *payload)
{
	const struct loom_log_row row = {.at_ms = LOOM_TIME_NONE,
					 .kind = loom_str_of(kind),
					 .payload = loom_str_of(payload)};
	struct loom_thread_log *keeper = NULL;
	struct loom_thread thread;
	struct loom_agent agent;
	struct loom_log log;
	int64_t seq = 0;

	grove_must(loom_agent_find(grove->store, LOOM_STR("Claude"), grove->arena, &agent, &err),
		   &err, "agent");
	grove_must(loom_thread_implicit(grove->store, agent.id, 1, grove->arena, &thread, &err),
		   &err, "thread");
	grove_must(loom_quiet_begin(grove->store, &err), &err, "quiet");
	grove_must(loom_thread_log_open(grove->store, thread.id, NULL, &keeper, &err), &err, "log");
	log = loom_thread_log_face(keeper);
	grove_must(loom_log_append(&log, &row, &seq, &err), &err, "row");
	grove_must(loom_quiet_end(grove->store, LOOM_OK, &err), &err, "quiet");
	loom_thread_log_close(keeper);
}

#define MESSAGE(role, text)                                                                        \
	"{\"context_ref\":\"default\",\"role\":\"" role "\",\"content\":\"" text "\"}"
#define COMPACTION                                                                                 \
	"{\"op_id\":\"o\",\"context_ref\":\"default\",\"operation\":{\"type\":\"replace\","        \
	"\"reason\":\"compaction\",\"result_context\":{\"id\":\"x\",\"entries\":[]},"              \
	"\"base_seq\":3,\"meta\":{\"from_seq\":2,\"to_seq\":3}}}"
#define SWITCH                                                                                     \
	"{\"op_id\":\"p\",\"context_ref\":\"idea\",\"operation\":{\"type\":\"switch\","            \
	"\"reason\":\"manual\",\"meta\":{}}}"

TEST the_row_and_the_lanes_of_the_log_are_told(void)
{
	set_up(1);
	append_row(&table.grove, LOOM_KIND_MESSAGE, MESSAGE("user", "Hello."));
	append_row(&table.grove, LOOM_KIND_MESSAGE, MESSAGE("assistant", "Good day."));
	table_type(&table, "lloc<Tab>");
	ASSERT(table_shows(&table, "messages 5"));
	ASSERT_FALSE(table_shows(&table, "lane "));
	append_row(&table.grove, LOOM_KIND_OP, COMPACTION);
	append_row(&table.grove, LOOM_KIND_OP, SWITCH);
	table_type(&table, "<Tab><Tab>");
	ASSERT(table_shows(&table, "lane idea · last row 5 · beside it default"));
	table_type(&table, "{");
	ASSERT(table_shows(&table, "row 5 of 5, switch (manual) of lane idea"));
	table_type(&table, "{");
	ASSERT(table_shows(&table, "row 4 of 5, replace (compaction) of lane default"));
	ASSERT(table_shows(&table, "lane default · compaction of rows 2-3, in row 4"));
	table_type(&table, "{");
	ASSERT(table_shows(&table, "row 3 of 5, message of assistant"));
	ASSERT_FALSE(table_shows(&table, "lane "));
	PASS();
}

TEST from_a_row_its_log_is_changed_by_a_line(void)
{
	set_up(1);
	append_row(&table.grove, LOOM_KIND_MESSAGE, MESSAGE("user", "Hello."));
	table_type(&table, "lloc<Tab>R");
	ASSERT(table_shows(&table, ":thread lane --thread thread-"));
	ASSERT(table_shows(&table, " --restore 2"));
	table_type(&table, "<Esc>C");
	ASSERT(table_shows(&table, ":thread compact --thread thread-"));
	ASSERT(table_shows(&table, " --through 2"));
	table_type(&table, "<Esc>{{B");
	ASSERT(table_shows(&table, " --at 1 --fork"));
	table_type(&table, "<Esc>V");
	ASSERT(table_shows(&table, "its log has one lane"));
	append_row(&table.grove, LOOM_KIND_OP, SWITCH);
	table_type(&table, "<Tab><Tab>V");
	ASSERT(table_shows(&table, " --switch default"));
	/* So it does from a row at which there was but one. */
	table_type(&table, "<Esc>{{{V");
	ASSERT(table_shows(&table, " --switch default"));
	PASS();
}

TEST what_an_answer_took_stands_beside_what_was_sent(void)
{
	set_up_with(1, "{\"calls\":1,\"in\":1200,\"out\":34,\"cost\":0.5}");
	table_type(&table, "gloC");
	ASSERT(table_shows(&table, "the answer: in 1,200 · out 34 tokens · cost 0.5000"));
	table_type(&table, "[");
	ASSERT(table_shows(&table, "the first question"));
	ASSERT_FALSE(table_shows(&table, "the answer:"));
	table_fini(&table);
	set_up_with(1, "\"much\"");
	table_type(&table, "gloC");
	ASSERT(table_shows(&table, "byte for byte"));
	ASSERT_FALSE(table_shows(&table, "the answer:"));
	PASS();
}

static void add_generated(const char *record)
{
	struct grove *grove = &table.grove;
	struct loom_node_spec spec = {.from = grove_root(grove, 1),
				      .text = LOOM_STR("What a model wrote."),
				      .author = grove->model,
				      .generation = loom_str_of(record),
				      .seq = -1};
	int64_t node = 0;

	grove_begin(grove, "continue");
	grove_must(loom_node_create(grove->store, &spec, &node, &err), &err, "node");
	grove_commit(grove);
}

TEST the_record_of_a_node_says_what_it_took(void)
{
	static const struct {
		const char *record;
		const char *said;
	} cases[] = {
		{"{\"usage\":{\"in\":1200,\"out\":34}}", "the answer: in 1,200 · out 34 tokens"},
		/* One ask, five choices: each has its share. */
		{"{\"usage\":{\"in\":1200,\"out\":50,\"choices\":5}}",
		 "the answer: in 240 · out 10 tokens"},
		{"{\"usage\":{\"in\":-1,\"out\":2}}", " · out ~5 tokens"},
		{"{\"usage\":\"many\"}", " · out ~5 tokens"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		table_begin(&table, 100, 30);
		grove_tree(&table.grove, LOOM_DIALOGUE, "In the beginning.");
		add_generated(cases[i].record);
		table_open(&table);
		table_type(&table, "loC");
		ASSERTm(cases[i].record, table_shows(&table, cases[i].said));
		table_fini(&table);
	}
	PASS();
}

TEST an_answer_of_which_nothing_was_told_has_no_figures(void)
{
	set_up(1);
	table_type(&table, "gloC");
	ASSERT(table_shows(&table, "byte for byte"));
	ASSERT_FALSE(table_shows(&table, "the answer:"));
	PASS();
}

TEST a_text_by_a_person_was_given_to_nobody(void)
{
	set_up(3);
	table_type(&table, "loC");
	ASSERT(table_shows(&table, "a person wrote this"));
	ASSERT(table_shows(&table, "r001"));
	PASS();
}

TEST two_contexts_are_compared_word_by_word(void)
{
	set_up(3);
	table_type(&table, "gloC=0<Enter>");
	ASSERT(table_shows(&table, "against 0"));
	ASSERT(table_shows(&table, "the secondfirst question"));
	table_type(&table, "=");
	ASSERT_FALSE(table_shows(&table, "against 0"));
	table_type(&table, "=nothing-of-that-name<Enter>");
	ASSERT_FALSE(table_shows(&table, "beside"));
	PASS();
}

TEST enter_goes_to_the_node_whose_text_it_is(void)
{
	set_up(3);
	table_type(&table, "gloc");
	table_type(&table, "3j<Enter>");
	ASSERT(table_shows(&table, "▾ r001"));
	ASSERT(table_shows(&table, "Text number 0"));
	ASSERT_FALSE(table_shows(&table, "Text number 1 of the path.\n│"));
	table_type(&table, "oc");
	ASSERT_FALSE(table_shows(&table, "Text number 1"));
	PASS();
}

TEST it_is_saved_to_a_file_and_never_over_one(void)
{
	char path[400];
	char keys[500];

	set_up(2);
	snprintf(path, sizeof path, "%s/saved.json", table.grove.temp.path);
	snprintf(keys, sizeof keys, "S%s<Enter>", path);
	table_type(&table, "oc");
	table_type(&table, keys);
	ASSERT_EQ(0, access(path, R_OK));
	table_type(&table, keys);
	ASSERT(table_shows(&table, "already exists"));
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	static const char *const keys[] = {"gloc", "<Tab>", "G", "K", "oC", "[", "=0<Enter>", "gg"};
	const char *wrong;

	set_up(12);
	wrong = table_walk(&table, keys, LOOM_COUNT(keys), true);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST a_filter_leaves_parts_out_and_the_caret_stays_inside(void)
{
	set_up(3);
	table_type(&table, "gloC");
	table_type(&table, "G/question<Enter>");
	ASSERT(table_shows(&table, "the second question"));
	ASSERT_FALSE(table_shows(&table, "You are in a loom"));
	table_type(&table, "10j10kGgg");
	ASSERT_EQ(NULL, table_draw(&table, 80, 24));
	table_type(&table, "/<Esc>");
	ASSERT(table_shows(&table, "You are in a loom"));
	PASS();
}

/* Built beside the keys, however long it is, and only what is in sight is gone through. */
TEST ten_thousand_nodes_are_scrolled_through(void)
{
	int64_t began;

	set_up(10000);
	table_type(&table, "gl");
	table_type(&table, "oc");
	ASSERT(table_shows(&table, "1 of 2"));
	table_type(&table, "<Tab>");
	ASSERT(table_shows(&table, "of 10,00"));
	began = loom_env_ticks();
	for (int i = 0; i < 100; i++) {
		table_type(&table, i % 2 ? "G" : "gg");
		table_type(&table, "<C-d>jkJK");
		table_draw(&table, 120, 40);
	}
	ASSERT((loom_env_ticks() - began) / 1000000 < clock_limit(3000));
	PASS();
}

SUITE(inspect)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_would_be_sent_is_what_the_command_line_says);
	RUN_TEST(what_was_sent_is_shown_again_and_stepped_through);
	RUN_TEST(the_row_and_the_lanes_of_the_log_are_told);
	RUN_TEST(from_a_row_its_log_is_changed_by_a_line);
	RUN_TEST(what_an_answer_took_stands_beside_what_was_sent);
	RUN_TEST(the_record_of_a_node_says_what_it_took);
	RUN_TEST(an_answer_of_which_nothing_was_told_has_no_figures);
	RUN_TEST(a_text_by_a_person_was_given_to_nobody);
	RUN_TEST(two_contexts_are_compared_word_by_word);
	RUN_TEST(enter_goes_to_the_node_whose_text_it_is);
	RUN_TEST(it_is_saved_to_a_file_and_never_over_one);
	RUN_TEST(every_size_gives_a_whole_picture);
	RUN_TEST(ten_thousand_nodes_are_scrolled_through);
	RUN_TEST(a_filter_leaves_parts_out_and_the_caret_stays_inside);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(inspect);
	GREATEST_MAIN_END();
}
