/* Many at once, locks of others, processes that are killed. Case 54. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <greatest.h>

#include "support/camp_suite.h"
#include "support/clock.h"

#include <loom/base/json.h>

static int registered(void)
{
	cJSON *json = parsed(".leslie/threads/.global/registry.json");
	int count = length_of(json, "threads", NULL, NULL);

	cJSON_Delete(json);
	return count;
}

/* ---- company ---- */

#define CROWD 24

static void spawn_in_a_process(void)
{
	struct loom_leslie_opts opts = {.start = camp.temp.path, .env = &camp.env};
	struct loom_leslie_spawn spawn = {.objective = LOOM_STR("obj"), .intent = LOOM_STR("x")};
	struct loom_leslie_warnings warnings = {0};
	struct loom_leslie *leslie = NULL;
	struct loom_leslie_err err = {0};
	struct loom_str id;

	camp.env.seeded = false;
	if (loom_leslie_open(&opts, &leslie, NULL) != LOOM_OK)
		_exit(2);
	if (loom_leslie_spawn(leslie, &spawn, camp.arena, &id, &warnings, &err) != LOOM_OK) {
		fprintf(stderr, "spawn: %s %.*s\n", err.err.text, LOOM_STR_ARG(err.reason));
		_exit(1);
	}
	_exit(0);
}

TEST many_at_once_all_get_their_thread(void)
{
	cJSON *json = NULL;
	cJSON *objectives = NULL;
	int64_t count = 0;

	camp_objective(&camp);
	for (int i = 0; i < CROWD; i++) {
		if (fork() == 0)
			spawn_in_a_process();
	}
	for (int i = 0; i < CROWD; i++) {
		int status = 0;

		wait(&status);
		ASSERT_EQ(0, status);
	}
	json = parsed(RELATIONS);
	objectives = parsed(OBJECTIVES);
	ASSERT_EQ(CROWD, length_of(json, "threads", NULL, NULL));
	ASSERT_EQ(CROWD, length_of(json, "relations", NULL, NULL));
	ASSERT_EQ(CROWD, length_of(json, "operations", NULL, NULL));
	ASSERT_EQ(CROWD, length_of(objectives, "objectives", "obj", "thread_ids"));
	ASSERT(loom_json_int(loom_json_get(json, "metadata"), "thread_count", &count));
	ASSERT_EQ(CROWD, count);
	ASSERT_EQ(CROWD, registered());
	for (const cJSON *thread = loom_json_get(json, "threads")->child; thread;
	     thread = thread->next) {
		char path[128];

		snprintf(path, sizeof(path), ".leslie/threads/%s/artifacts", thread->string);
		ASSERT(camp_has(&camp, path));
	}
	cJSON_Delete(json);
	cJSON_Delete(objectives);
	ASSERT(!camp_has(&camp, RELATIONS ".lock"));
	ASSERT(!camp_has(&camp, OBJECTIVES ".lock"));
	PASS();
}

TEST seeded_draws_of_several_processes_do_not_meet(void)
{
	cJSON *json = NULL;

	camp_objective(&camp);
	for (int i = 0; i < 4; i++) {
		struct loom_leslie *mine = camp.leslie;

		loom_env_init_fixed(&camp.env, 1771840800000, 1);
		camp_reopen(&camp);
		(void)mine;
		ASSERT_EQ(LOOM_OK, camp_spawn(&camp, NULL, NULL, LOOM_LESLIE_BINDING_FROZEN));
	}
	json = parsed(RELATIONS);
	ASSERT_EQ(4, length_of(json, "threads", NULL, NULL));
	cJSON_Delete(json);
	PASS();
}

/* References that another program wrote: no files of ours say how they are bound. */
#define REFERENCE(id, from, to, scope, binding)                                                    \
	"{\"id\":\"" id "\",\"command\":\"reference\",\"params\":{\"from_id\":\"" from             \
	"\",\"to_id\":\"" to "\",\"scope\":[" scope "],\"binding\":\"" binding "\"}}"

TEST the_last_operation_of_another_program_says_how_a_reference_is_bound(void)
{
	camp_objective(&camp);
	camp_write(
		&camp, ".leslie/thread_relations.json",
		"{\"threads\":{\"A\":{\"objective\":\"obj\"},\"B\":{\"objective\":\"obj\"},"
		"\"C\":{\"objective\":\"obj\"}},\"operations\":["
		"7,\"A\"," REFERENCE("1", "A", "B", "", "frozen") "," REFERENCE(
			"2", "A", "B", "\"design\"",
			"live") "," REFERENCE("3", "B", "A", "\"plan.md\"",
					      "live") "," REFERENCE("4", "A", "C",
								    "\"progress.md\"",
								    "frozen") "],\"relations\":{"
									      "\"A\":{\"references_"
									      "to\":[\"B\",\"C\"]}}"
									      "}");
	camp_write(&camp, ".leslie/threads/A/", "");
	camp_write(&camp, ".leslie/threads/B/design/x.md", "live words");
	camp_write(&camp, ".leslie/threads/B/plan.md", "not given");
	camp_write(&camp, ".leslie/threads/C/progress.md", "not copied");
	ASSERT_STR_EQ("ref B design B/design/|ref C progress C/progress.md",
		      camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT_STR_EQ("live words", camp_shared(&camp, "A", "design/x.md", NULL));
	ASSERT(!camp_shared(&camp, "A", "plan.md", NULL));
	PASS();
}

TEST a_stale_lock_of_another_program_is_taken_over(void)
{
	struct timespec old[2] = {{.tv_sec = time(NULL) - 60}, {.tv_sec = time(NULL) - 60}};

	camp_objective(&camp);
	camp_write(&camp, RELATIONS ".lock/", "");
	ASSERT_EQ(0, utimensat(AT_FDCWD, camp_path(&camp, RELATIONS ".lock"), old, 0));
	camp_threads(&camp, "A");
	ASSERT(!camp_has(&camp, RELATIONS ".lock"));
	PASS();
}

TEST a_held_lock_is_an_error_after_a_while(void)
{
	int64_t before = 0;

	camp_objective(&camp);
	camp_write(&camp, RELATIONS ".lock/", "");
	before = clock_ms();
	ASSERT_EQ(LOOM_BUSY, camp_spawn(&camp, "A", NULL, LOOM_LESLIE_BINDING_FROZEN));
	ASSERT(clock_ms() - before < 9000);
	ASSERT_STR_EQ("T501", camp.err.code);
	ASSERT(camp_has(&camp, RELATIONS ".lock"));
	ASSERT(!camp_has(&camp, OBJECTIVES ".lock"));
	ASSERT(!camp_has(&camp, ".leslie/threads/A"));
	PASS();
}

static void hold_for_ever(void)
{
	struct loom_leslie_opts opts = {.start = camp.temp.path, .env = &camp.env};
	struct loom_leslie_spawn spawn = {.objective = LOOM_STR("obj"), .intent = LOOM_STR("x")};
	struct loom_leslie_warnings warnings = {0};
	struct loom_leslie *leslie = NULL;
	struct loom_str id;

	camp.env.seeded = false;
	if (loom_leslie_open(&opts, &leslie, NULL) != LOOM_OK)
		_exit(2);
	for (;;) {
		(void)!loom_leslie_spawn(leslie, &spawn, camp.arena, &id, &warnings, NULL);
		loom_arena_reset(camp.arena);
	}
}

TEST one_that_is_killed_leaves_a_whole_file_and_no_lock_for_long(void)
{
	camp_objective(&camp);
	for (int round = 0; round < 12; round++) {
		pid_t child = fork();
		const struct timespec pause = {.tv_nsec = 7000000L + round * 1300000L};
		char id[16];
		cJSON *json = NULL;
		int64_t before = 0;

		if (child == 0)
			hold_for_ever();
		nanosleep(&pause, NULL);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		before = clock_ms();
		snprintf(id, sizeof(id), "after-%d", round);
		camp_threads(&camp, id);
		ASSERT(clock_ms() - before < 4000);
		json = parsed(RELATIONS);
		ASSERT(json);
		ASSERT_EQ(length_of(json, "threads", NULL, NULL),
			  length_of(json, "relations", NULL, NULL));
		cJSON_Delete(json);
	}
	PASS();
}

SUITE(leslie_company)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(many_at_once_all_get_their_thread);
	RUN_TEST(seeded_draws_of_several_processes_do_not_meet);
	RUN_TEST(the_last_operation_of_another_program_says_how_a_reference_is_bound);
	RUN_TEST(a_stale_lock_of_another_program_is_taken_over);
	RUN_TEST(a_held_lock_is_an_error_after_a_while);
	RUN_TEST(one_that_is_killed_leaves_a_whole_file_and_no_lock_for_long);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(leslie_company);
	GREATEST_MAIN_END();
}
