/* Talking with an agent on the screen: its turns run beside the keys, its calls are folded with
 * what came of them, and what is its thread's is never taken for the tree's. */
#include <greatest.h>

#include <time.h>

#include <loom/grove/draft.h>
#include <loom/grove/grant.h>
#include <loom/tree/op.h>
#include <loom/log/lifecycle.h>
#include <loom/work/thread.h>
#include <loom/work/thread_log.h>

#include "support/ok.h"
#include <loom/desk/desk.h>

#include "support/table.h"

static const char config[] =
	"{\"providers\": {\"own\": {\"api\": \"command\", \"command\": [\"%s/model.sh\"]}},\n"
	" \"models\": {\"m\": {\"provider\": \"own\"}}}\n";

/* Each time it is asked the model says the next of these files, answer1, answer2 … */
static void set_up_asking(enum loom_approval approval, const char *const *answers, size_t count)
{
	struct loom_agent spec = {.name = LOOM_STR("Claude"),
				  .kind = LOOM_AGENT_MODEL,
				  .model = LOOM_STR("m"),
				  .aware = true};
	struct loom_grant grant = {.may = LOOM_MAY_ALL, .approval = approval};
	struct loom_agent agent;
	struct loom_err err;
	char text[1200];
	int64_t id = 0;

	table_init(&table);
	snprintf(text, sizeof text, config, table.grove.temp.path);
	temp_write_mode(&table.grove.temp, "loom/config.json", loom_str_of(text), 0600);
	snprintf(text, sizeof text,
		 "#!/bin/sh\ncd '%s'\ncat >asked\nn=$(cat times 2>/dev/null || echo 0)\n"
		 "n=$((n + 1))\necho $n >times\ncat answer$n\n[ -f hang$n ] && exec sleep 60\n:\n",
		 table.grove.temp.path);
	temp_write_mode(&table.grove.temp, "model.sh", loom_str_of(text), 0700);
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof text, "answer%zu", i + 1);
		temp_write(&table.grove.temp, text, loom_str_of(answers[i]));
	}
	grove_begin(&table.grove, "agent");
	grove_must(loom_agent_create(table.grove.store, &spec, &id, &err), &err, "agent");
	grove_commit(&table.grove);
	grove_must(loom_agent_get(table.grove.store, id, table.grove.arena, &agent, &err), &err,
		   "agent");
	grove_must(loom_grant_set(table.grove.store, &agent.ulid, &grant, &err), &err, "grant");
	table_open(&table);
}

static void set_up(const char *const *answers, size_t count)
{
	set_up_asking(LOOM_APPROVE_AUTO, answers, count);
}

/* Keys without waiting for what they set off. */
static void press(const char *keys)
{
	struct loom_str text = loom_str_of(keys);
	struct tui_event event = {.kind = TUI_EVENT_KEY};

	for (size_t at = 0; at < text.n && tui_key_parse(text, &at, &event.key);)
		tui_app_event(table.app, &event);
}

/* Steps until it is on the screen; false after a while. */
static bool appears(const char *what)
{
	struct timespec pause = {.tv_nsec = 5000000};

	for (int i = 0; i < 2000; i++) {
		tui_app_work(table.app, false);
		if (table_shows(&table, what))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

#define SET_UP(...)                                                                                \
	do {                                                                                       \
		static const char *const said_[] = {__VA_ARGS__};                                  \
		set_up(said_, LOOM_COUNT(said_));                                                  \
	} while (0)

TEST an_agent_is_asked_and_answers_in_its_thread(void)
{
	SET_UP("Hello yourself.\n");
	table_type(&table, "oa/Claude<Enter><Enter>");
	ASSERT(table_shows(&table, "no messages yet: i writes one"));
	ASSERT(table_shows(&table, "a new thread"));
	table_type(&table, "ihello<Enter>");
	ASSERT(table_shows(&table, "Hello yourself."));
	ASSERT(table_shows(&table, "Claude has answered"));
	ASSERT(table_shows(&table, "a thread, beside the tree"));
	/* Nothing of it is in the tree. */
	table_type(&table, "q");
	ASSERT_FALSE(table_shows(&table, "Hello yourself."));
	table_type(&table, "ohG<Enter>");
	ASSERT(table_shows(&table, "Hello yourself."));
	table_type(&table, "q");
	ASSERT(table_shows(&table, "Conversations with agents"));
	PASS();
}

TEST it_begins_where_i_am_and_can_be_brought_to_me(void)
{
	struct loom_thread thread;
	struct loom_agent agent;
	struct loom_err err;
	int64_t node = 0;

	SET_UP("Here.\n");
	tui_app_close(table.app);
	node = grove_node(&table.grove, grove_root(&table.grove, 1), "Down here.");
	table_open(&table);
	table_type(&table, "l");
	ASSERT_EQ(node, table.app->member);
	table_type(&table, "oa/Claude<Enter><Enter>ihello<Enter>");
	ASSERT(table_shows(&table, "Claude has answered"));
	grove_must(loom_agent_find(table.grove.store, LOOM_STR("Claude"), table.grove.arena, &agent,
				   &err),
		   &err, "agent");
	grove_must(loom_thread_implicit(table.grove.store, agent.id, table.app->tree.id,
					table.grove.arena, &thread, &err),
		   &err, "thread");
	ASSERT_EQ(node, thread.position);
	table_type(&table, "qqhgA");
	ASSERT(table_shows(&table, ":do -a \"Claude\" switch to "));
	PASS();
}

/* The number in front of " said" in a text. */
static long said_in(const char *text)
{
	const char *at = text ? strstr(text, "out ~") : NULL;

	return at ? strtol(at + strlen("out ~"), NULL, 10) : -1;
}

TEST lines_that_are_pasted_stay_lines(void)
{
	SET_UP("I see.\n");
	table_type(&table, "oa/Claude<Enter><Enter>iLook:<Space>");
	table_paste(&table, LOOM_STR("one\ntwo\n"));
	for (int i = 0; i < 4; i++)
		table_paste(&table, LOOM_STR("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"));
	ASSERT(table_shows(&table, "[pasted\xc2\xa0"
				   "11\xc2\xa0lines][pasted"));
	table_type(&table, "<Tab>");
	ASSERT(table_shows(&table, "10"));
	table_type(&table, "<Tab><Backspace><Enter>");
	ASSERT(table_shows(&table, "I see."));
	ASSERT(table_holds(&table, "asked", "Look: one\ntwo\n1\n2\n"));
	PASS();
}

TEST what_it_took_is_beside_each_answer_and_in_all(void)
{
	long one, both;

	SET_UP("One, and of some length so that it counts.\n", "Two.\n");
	table_type(&table, "oa/Claude<Enter><Enter>");
	ASSERT_FALSE(table_shows(&table, " tokens"));
	table_type(&table, "ihello<Enter>gg");
	ASSERT(table_shows(&table, "out ~"));
	one = said_in(strstr(loom_buf_cstr(&table.text), " of 2 "));
	ASSERT_EQ(one, said_in(strstr(loom_buf_cstr(&table.text), "Claude \xc2\xb7 0s")));
	ASSERT(one > 0);
	table_type(&table, "imore<Enter>gg");
	ASSERT(table_shows(&table, " of 4 "));
	both = said_in(strstr(loom_buf_cstr(&table.text), " of 4 "));
	ASSERT(both > one);
	/* Another view of it adds nothing a second time. */
	table_type(&table, "qohG<Enter>gg");
	ASSERT(table_shows(&table, " of 4 "));
	ASSERT_EQ(both, said_in(strstr(loom_buf_cstr(&table.text), " of 4 ")));
	PASS();
}

/* On a screen that was narrow the lines were many; wide again, what there is fills it. */
TEST another_size_leaves_no_empty_screen(void)
{
	struct loom_buf long_text = LOOM_BUF_INIT(1 << 16);

	for (int i = 0; i < 60; i++)
		loom_buf_addf(&long_text, "word number %d stands here, ", i);
	{
		const char *const said[] = {loom_buf_cstr(&long_text)};
		set_up(said, 1);
	}
	table_type(&table, "oa/Claude<Enter><Enter>ihello<Enter>");
	for (int w = 12; w <= 120; w += 12) {
		ASSERT_EQ(NULL, table_draw(&table, w, 8));
		ASSERT_EQ(NULL, table_draw(&table, 120, 40));
		loom_buf_clear(&table.text);
		tui_grid_text(&table.grid, &table.text);
		ASSERT(strstr(loom_buf_cstr(&table.text), "hello"));
		ASSERT(strstr(loom_buf_cstr(&table.text), "number 59"));
	}
	loom_buf_fini(&long_text);
	PASS();
}

TEST calls_are_folded_with_what_came_of_them_and_lead_into_the_tree(void)
{
	SET_UP("<think>Look first.</think>Let me add to it.\n\xe2\x86\x92 respond r001 \"A door "
	       "opens.\"\n",
	       "There.\n");
	table_type(&table, "oa/Claude<Enter><Enter>iwrite<Enter>");
	ASSERT(table_shows(&table, "respond r001 \"A door opens.\""));
	ASSERT(table_shows(&table, "created ["));
	ASSERT(table_shows(&table, "in the tree"));
	ASSERT(table_shows(&table, "thought"));
	ASSERT_FALSE(table_shows(&table, "Look first."));
	ASSERT_FALSE(table_shows(&table, "switched to ["));
	table_type(&table, "ggjl");
	ASSERT(table_shows(&table, "Look first."));
	table_type(&table, "jjl");
	ASSERT(table_shows(&table, "switched to ["));
	table_type(&table, "h");
	ASSERT_FALSE(table_shows(&table, "switched to ["));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "A door opens."));
	ASSERT_FALSE(table_shows(&table, "beside the tree"));
	PASS();
}

TEST keys_go_on_while_it_says_something_and_esc_stops_it(void)
{
	SET_UP("I begin and ");
	temp_write_mode(&table.grove.temp, "hang1", LOOM_STR(""), 0600);
	table_type(&table, "oa/Claude<Enter><Enter>");
	press("igo<Enter>");
	ASSERT(appears("Esc stops"));
	/* Elsewhere nothing waits for it, and it is among the work under way. */
	press("qoj");
	ASSERT(appears("a turn"));
	ASSERT(appears("C-c stops"));
	press("<Enter>");
	ASSERT(appears("beside the tree"));
	press("qoa/Claude<Enter><Enter>");
	ASSERT(appears("Esc stops"));
	press("<Esc><Esc>");
	tui_app_work(table.app, true);
	ASSERT(table_shows(&table, "stopped; completed calls stand"));
	ASSERT_FALSE(table_shows(&table, "Esc stops"));
	PASS();
}

TEST what_is_said_meanwhile_is_queued_and_never_lost(void)
{
	SET_UP("");
	temp_write_mode(&table.grove.temp, "hang1", LOOM_STR(""), 0600);
	table_type(&table, "oa/Claude<Enter><Enter>");
	press("igo<Enter>");
	/* The model is asked and says nothing: what is said now waits for the next time. */
	ASSERT(appears("asking…"));
	press("i");
	ASSERT(table_shows(&table, "steer:"));
	press("left<Space>please<Enter>");
	ASSERT(appears("left please"));
	ASSERT(appears("not heard yet"));
	press("<Esc><Esc>");
	tui_app_work(table.app, true);
	ASSERT_FALSE(table_shows(&table, "not heard yet"));
	PASS();
}

TEST what_is_said_too_early_is_heard(void)
{
	SET_UP("I begin and ");
	temp_write_mode(&table.grove.temp, "hang1", LOOM_STR(""), 0600);
	table_type(&table, "oa/Claude<Enter><Enter>");
	press("igo<Enter>ileft<Space>please<Enter>");
	ASSERT(appears("left please"));
	press("<Esc><Esc>");
	tui_app_work(table.app, true);
	ASSERT_FALSE(table_shows(&table, "Esc stops"));
	PASS();
}

/* A writer finds that its files were moved away: no turn can begin. */
static void refuse_writes(void)
{
	char *log = temp_path(&table.grove.temp, ".loom/grove.db-wal");
	char *aside = temp_path(&table.grove.temp, ".loom/aside");

	table_type(&table, "b");
	if (rename(log, aside) != 0)
		abort();
	free(log);
	free(aside);
}

TEST what_is_said_to_a_turn_that_cannot_begin_is_there_again(void)
{
	SET_UP("Never said.\n");
	refuse_writes();
	table_type(&table, "oa/Claude<Enter><Enter>");
	press("ifirst<Enter>ithen<Enter>");
	tui_app_work(table.app, true);
	ASSERT(table_shows(&table, "i has what you said"));
	table_type(&table, "i");
	ASSERT(table_shows(&table, "first"));
	ASSERT(table_shows(&table, "then"));
	PASS();
}

TEST what_was_said_to_no_turn_is_a_draft_when_the_program_ends(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_draft *drafts = NULL;
	size_t count = 0;

	SET_UP("Never said.\n");
	refuse_writes();
	table_type(&table, "oa/Claude<Enter><Enter>ifirst<Enter>");
	tui_app_close(table.app);
	table.app = NULL;
	OK(loom_draft_list(table.grove.store, table.grove.arena, &drafts, &count, &err));
	ASSERT_EQ(1, count);
	ASSERT(loom_str_is(drafts[0].text, "first"));
	PASS();
}

TEST an_agent_that_asks_waits_for_what_is_ticked(void)
{
	static const char *const said[] = {"Two things.\n\xe2\x86\x92 tag r001 \"one\"\n"
					   "\xe2\x86\x92 tag r001 \"two\"\n",
					   "Thank you.\n"};

	set_up_asking(LOOM_APPROVE_ASK, said, LOOM_COUNT(said));
	table_type(&table, "oa/Claude<Enter><Enter>");
	press("igo<Enter>");
	ASSERT(appears("Waiting for your approval"));
	ASSERT(appears("1 waits for you"));
	press("!");
	ASSERT(appears(" · waiting"));
	press("j<Space>!");
	ASSERT(appears("nothing waits for your approval"));
	press("<Esc>");
	ASSERT(appears("Thank you."));
	ASSERT(table_shows(&table, "tag r001 \"one\""));
	ASSERT(table_shows(&table, "tagged"));
	ASSERT(table_shows(&table, "\xe2\x9c\x97"));
	tui_app_work(table.app, true);
	PASS();
}

TEST a_turn_that_runs_ends_with_the_program(void)
{
	SET_UP("I begin and ");
	temp_write_mode(&table.grove.temp, "hang1", LOOM_STR(""), 0600);
	table_type(&table, "oa/Claude<Enter><Enter>");
	press("igo<Enter>");
	ASSERT(appears("Esc stops"));
	PASS();
}

TEST a_model_that_fails_says_so(void)
{
	set_up(NULL, 0);
	temp_write_mode(&table.grove.temp, "model.sh", LOOM_STR("#!/bin/sh\necho no >&2\nexit 3\n"),
			0700);
	table_type(&table, "oa/Claude<Enter><Enter>ihello<Enter>");
	ASSERT(table_shows(&table, "hello"));
	ASSERT_FALSE(table_shows(&table, "Esc stops"));
	ASSERT_FALSE(table_shows(&table, "has answered"));
	/* It stands there as long as the conversation does. */
	ASSERT(table_shows(&table, "the turn failed: /"));
	PASS();
}

/* As a process leaves it that died while its agent spoke. */
static void die_in_a_turn(void)
{
	struct grove *grove = &table.grove;
	const struct loom_message asked = {.request_id = LOOM_STR("r"),
					   .content = LOOM_STR("\"speak\"")};
	const struct loom_message said = {.content = LOOM_STR("\"half an answer\"")};
	const struct loom_run_opts opts = {.thread = LOOM_STR("t"), .env = &grove->env};
	struct loom_run_result result;
	struct loom_thread_log *keeper = NULL;
	struct loom_run *run = NULL;
	struct loom_thread thread;
	struct loom_agent agent;
	struct loom_log log;
	struct loom_err err;
	int64_t tree = 0;

	grove_must(loom_current_tree(grove->store, &tree, &err), &err, "tree");
	grove_must(loom_agent_find(grove->store, LOOM_STR("Claude"), grove->arena, &agent, &err),
		   &err, "agent");
	grove_must(loom_quiet_begin(grove->store, &err), &err, "thread");
	grove_must(loom_quiet_end(grove->store,
				  loom_thread_ensure(grove->store, agent.id, tree, grove->arena,
						     &thread, &err),
				  &err),
		   &err, "thread");
	grove_must(loom_thread_log_open(grove->store, thread.id, NULL, &keeper, &err), &err, "log");
	log = loom_thread_log_face(keeper);
	grove_must(loom_run_open(&log, &opts, &run, NULL, &err), &err, "run");
	grove_must(loom_run_start(run, &asked, &result, &err), &err, "start");
	grove_must(loom_run_saying(run, &said, &result, &err), &err, "saying");
	loom_run_close(run);
	loom_thread_log_close(keeper);
}

TEST what_was_said_when_its_program_died_is_taken_up(void)
{
	set_up(NULL, 0);
	die_in_a_turn();
	table_type(&table, "oa/Claude<Enter><Enter>");
	ASSERT(appears("half an answer"));
	ASSERT(appears("the turn ended with its program"));
	PASS();
}

/* The report comes from the looking worker, after the answer. */
TEST a_payload_is_sent_whole_and_its_report_is_left(void)
{
	static const char *const answers[] = {"I have read it.\n"};

	set_up(answers, 1);
	scene_payload(&table.grove.temp);
	table_type(&table, "op");
	ASSERT(table_shows(&table, "goes to"));
	ASSERT(table_shows(&table, "Claude · "));
	table_type(&table, "i");
	ASSERT(table_shows(&table, "send it to: Claude"));
	table_type(&table, "<Enter>");
	ASSERT(appears("marie/01/report.md says what happened"));
	ASSERT(table_shows(&table, "I have read it."));
	ASSERT(table_holds(&table, ".teddy/marie/01/report.md", "I have read it."));
	ASSERT(table_holds(&table, "asked",
			   "\n---\n**Resource:** `[chapters/two.md](/chapters/two.md)`\n"));
	PASS();
}

TEST a_payload_goes_to_nobody_who_cannot_be_talked_to(void)
{
	static const char *const answers[] = {"Never.\n"};

	set_up(answers, 1);
	scene_payload(&table.grove.temp);
	table_type(&table, "opi<C-u>Nobody<Enter>");
	ASSERT(table_shows(&table, "no agent called \"Nobody\" can be talked to"));
	ASSERT(table_shows(&table, "2. Project Structure"));
	ASSERT_FALSE(table_holds(&table, "times", "1"));
	table_type(&table, "s");
	ASSERT(table_shows(&table, ":payload --session \"marie\" --turn 01 -o "));
	table_type(&table, "<Esc>Y");
	ASSERT(table_shows(&table, "input.md copied to the clipboard"));
	table_type(&table, "jjy");
	ASSERT(table_shows(&table, "chapters/two.md copied to the clipboard"));
	PASS();
}

TEST with_a_subject_one_cannot_talk(void)
{
	set_up(NULL, 0);
	table_type(&table, "oa/ngram<Enter><Enter>");
	ASSERT(table_shows(&table, "this one only continues text"));
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	const char *wrong;

	SET_UP("<think>Hm.</think>A long answer that goes on \xe6\xbc\xa2\xe5\xad\x97 and on and "
	       "on.\n\n\xe2\x80\xae\x1b[2J hostile\n\xe2\x86\x92 view r001\n",
	       "Done.\n");
	table_type(&table, "oa/Claude<Enter><Enter>ihello<Enter>");
	wrong = table_sizes(&table, true);
	ASSERT_EQm(wrong, NULL, wrong);
	table_type(&table, "ggjljjl");
	wrong = table_sizes(&table, true);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST random_keys_do_no_harm(void)
{
	for (uint64_t seed = 1; seed <= 2; seed++) {
		const char *wrong;

		SET_UP("Yes.\n\xe2\x86\x92 view r001\n", "And no.\n");
		table_type(&table, "oa/Claude<Enter><Enter>ihello<Enter>");
		wrong = table_storm(&table, seed, "jjkkhhll/f!JKGGg \t\x1b\rq", "ohG\r");
		ASSERT_EQm(wrong, NULL, wrong);
		table_fini(&table);
	}
	PASS();
}

SUITE(talks)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(an_agent_is_asked_and_answers_in_its_thread);
	RUN_TEST(it_begins_where_i_am_and_can_be_brought_to_me);
	RUN_TEST(lines_that_are_pasted_stay_lines);
	RUN_TEST(what_it_took_is_beside_each_answer_and_in_all);
	RUN_TEST(another_size_leaves_no_empty_screen);
	RUN_TEST(calls_are_folded_with_what_came_of_them_and_lead_into_the_tree);
	RUN_TEST(keys_go_on_while_it_says_something_and_esc_stops_it);
	RUN_TEST(what_is_said_meanwhile_is_queued_and_never_lost);
	RUN_TEST(what_is_said_too_early_is_heard);
	RUN_TEST(what_is_said_to_a_turn_that_cannot_begin_is_there_again);
	RUN_TEST(what_was_said_to_no_turn_is_a_draft_when_the_program_ends);
	RUN_TEST(an_agent_that_asks_waits_for_what_is_ticked);
	RUN_TEST(a_turn_that_runs_ends_with_the_program);
	RUN_TEST(a_model_that_fails_says_so);
	RUN_TEST(what_was_said_when_its_program_died_is_taken_up);
	RUN_TEST(a_payload_is_sent_whole_and_its_report_is_left);
	RUN_TEST(a_payload_goes_to_nobody_who_cannot_be_talked_to);
	RUN_TEST(with_a_subject_one_cannot_talk);
	RUN_TEST(every_size_gives_a_whole_picture);
	RUN_TEST(random_keys_do_no_harm);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(talks);
	GREATEST_MAIN_END();
}
