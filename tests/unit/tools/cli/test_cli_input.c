/* What commands read, and long work with its ^C. */
#include <greatest.h>

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <loom/loop/loop.h>
#include <loom/loop/worker.h>

#include <loom/cli/services.h>

/* A call whose standard input is a pipe. */
struct desk {
	struct loom_cli cli;
	int write_end;
	int old_stdin;
};

static struct desk desk;

static bool desk_open(void)
{
	struct loom_out_opts opts = {.out_fd = STDOUT_FILENO, .err_fd = STDERR_FILENO};
	int ends[2];

	desk = (struct desk){.old_stdin = dup(STDIN_FILENO)};
	if (pipe(ends) || dup2(ends[0], STDIN_FILENO) != STDIN_FILENO)
		return false;
	close(ends[0]);
	desk.write_end = ends[1];
	desk.cli.arena = loom_arena_create();
	loom_env_init_fixed(&desk.cli.env, 0, 0);
	opts.env = &desk.cli.env;
	desk.cli.out = loom_out_create(&opts);
	return true;
}

static void hang_up(void)
{
	if (desk.write_end >= 0)
		close(desk.write_end);
	desk.write_end = -1;
}

static void desk_close(void)
{
	hang_up();
	cli_close(&desk.cli);
	dup2(desk.old_stdin, STDIN_FILENO);
	close(desk.old_stdin);
}

static void tear_down(void *unused)
{
	(void)unused;
	desk_close();
}

static bool say(const char *text)
{
	return write(desk.write_end, text, strlen(text)) == (ssize_t)strlen(text);
}

TEST lines_come_whole_however_they_arrive(void)
{
	static const char *const wanted[] = {"one", "", "two\r", "three"};
	struct loom_str line;
	struct loom_err err = {.status = LOOM_OK};
	bool end = false;

	ASSERT(desk_open());
	ASSERT(say("one\n\ntwo\r\nthr"));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(LOOM_OK, loom_cli_line(&desk.cli, 100, &line, &end, &err));
		ASSERT(!end && loom_str_is(line, wanted[i]));
	}
	ASSERT(say("ee"));
	hang_up();
	ASSERT_EQ(LOOM_OK, loom_cli_line(&desk.cli, 100, &line, &end, &err));
	ASSERT(!end && loom_str_is(line, "three"));
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(LOOM_OK, loom_cli_line(&desk.cli, 100, &line, &end, &err));
		ASSERT(end);
	}
	PASS();
}

TEST a_line_that_is_too_long_is_a_limit(void)
{
	struct loom_str line;
	struct loom_err err = {.status = LOOM_OK};
	bool end = false;

	ASSERT(desk_open());
	ASSERT(say("1234567890\n12345678901\n"));
	ASSERT_EQ(LOOM_OK, loom_cli_line(&desk.cli, 10, &line, &end, &err));
	ASSERT_EQ(LOOM_LIMIT, loom_cli_line(&desk.cli, 10, &line, &end, &err));
	desk_close();
	ASSERT(desk_open());
	ASSERT(say("123456789012345"));
	ASSERT_EQ(LOOM_LIMIT, loom_cli_line(&desk.cli, 10, &line, &end, &err));
	PASS();
}

TEST standard_input_is_read_to_its_end_and_not_beyond_its_limit(void)
{
	struct loom_buf text;
	struct loom_err err = {.status = LOOM_OK};

	ASSERT(desk_open());
	ASSERT(say("all of it\n"));
	hang_up();
	ASSERT_EQ(LOOM_OK, loom_cli_read(&desk.cli, NULL, 10, &text, &err));
	ASSERT(loom_str_is(loom_buf_str(&text), "all of it\n"));
	loom_buf_fini(&text);
	desk_close();
	ASSERT(desk_open());
	ASSERT(say("all of it\n"));
	hang_up();
	ASSERT_EQ(LOOM_LIMIT, loom_cli_read(&desk.cli, "-", 9, &text, &err));
	ASSERT(strstr(err.text, "standard input"));
	loom_buf_fini(&text);
	PASS();
}

static enum loom_status read_path(const char *path, struct loom_err *err)
{
	struct loom_buf text;
	enum loom_status status = loom_cli_read(&desk.cli, path, 100, &text, err);

	loom_buf_fini(&text);
	return status;
}

TEST only_files_are_read_and_what_is_wrong_is_named(void)
{
	struct loom_err err = {.status = LOOM_OK};

	ASSERT(desk_open());
	ASSERT_EQ(LOOM_NOT_FOUND, read_path("/nowhere/at all", &err));
	ASSERT(strstr(err.text, "/nowhere/at all"));
	ASSERT_EQ(LOOM_PATH, read_path("/", &err));
	ASSERT_EQ(LOOM_PATH, read_path("/dev/null/x", &err));
	ASSERT_EQ(LOOM_OK, read_path("/dev/null", &err));
	PASS();
}

static void nap(long ms)
{
	struct timespec span = {.tv_nsec = ms * 1000000};

	nanosleep(&span, NULL);
}

static void interrupt(void *ctx)
{
	(void)ctx;
	kill(getpid(), SIGINT);
}

TEST an_interrupt_ends_waiting_for_input(void)
{
	struct loom_buf text;
	struct loom_str line;
	struct loom_err err = {.status = LOOM_OK};
	bool end = false;

	ASSERT(desk_open());
	loom_loop_timer(loom_cli_loop(&desk.cli), 10, interrupt, NULL);
	ASSERT_EQ(LOOM_CANCELLED, loom_cli_read(&desk.cli, NULL, 100, &text, &err));
	ASSERT_EQ(130, loom_status_exit(err.status));
	loom_buf_fini(&text);
	ASSERT_EQ(LOOM_CANCELLED, loom_cli_line(&desk.cli, 100, &line, &end, &err));
	PASS();
}

static bool is_blocked(int signo)
{
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	return sigismember(&blocked, signo) == 1;
}

TEST a_call_listens_only_while_it_waits(void)
{
	struct loom_str line;
	bool end = false;

	ASSERT(desk_open());
	ASSERT(say("x\n"));
	ASSERT_EQ(LOOM_OK, loom_cli_line(&desk.cli, 100, &line, &end, NULL));
	ASSERT(!is_blocked(SIGINT));
	loom_cli_listen(&desk.cli);
	loom_cli_listen(&desk.cli);
	loom_cli_unlisten(&desk.cli);
	ASSERT(is_blocked(SIGINT));
	loom_cli_unlisten(&desk.cli);
	ASSERT(!is_blocked(SIGINT));
	PASS();
}

TEST an_ignored_interrupt_stays_ignored(void)
{
	ASSERT(desk_open());
	signal(SIGINT, SIG_IGN);
	loom_cli_listen(&desk.cli);
	ASSERT(!is_blocked(SIGINT));
	kill(getpid(), SIGINT);
	while (loom_loop_step(loom_cli_loop(&desk.cli), 0))
		continue;
	ASSERT(!loom_task_cancelled(&desk.cli.task));
	loom_cli_unlisten(&desk.cli);
	signal(SIGINT, SIG_DFL);
	PASS();
}

static enum loom_status count_up(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	int *limit = payload;

	(void)context;
	for (int i = 0; i < *limit; i++) {
		if (loom_task_cancelled(task))
			return loom_fail(err, LOOM_CANCELLED, "at %d", i);
		loom_task_report(task, (uint64_t)i, (uint64_t)*limit);
		nap(1);
	}
	return LOOM_OK;
}

TEST long_work_gives_its_answer(void)
{
	int limit = 5;
	struct loom_cli_work work = {.what = "counting", .run = count_up, .payload = &limit};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_worker_opts opts = {.loop = NULL};
	struct loom_worker *worker = NULL;

	ASSERT(desk_open());
	opts.loop = loom_cli_loop(&desk.cli);
	worker = loom_worker_create(&opts);
	ASSERT_EQ(LOOM_OK, loom_cli_work(&desk.cli, worker, &work, &err));
	loom_worker_destroy(worker);
	PASS();
}

TEST an_interrupt_stops_long_work_at_its_next_safe_point(void)
{
	int limit = 60000;
	struct loom_cli_work work = {.what = "counting", .run = count_up, .payload = &limit};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_worker_opts opts = {.loop = NULL};
	struct loom_worker *worker = NULL;

	ASSERT(desk_open());
	opts.loop = loom_cli_loop(&desk.cli);
	worker = loom_worker_create(&opts);
	loom_loop_timer(opts.loop, 20, interrupt, NULL);
	ASSERT_EQ(LOOM_CANCELLED, loom_cli_work(&desk.cli, worker, &work, &err));
	ASSERT(strncmp(err.text, "at ", 3) == 0);
	loom_worker_destroy(worker);
	PASS();
}

SUITE(cli_input)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(lines_come_whole_however_they_arrive);
	RUN_TEST(a_line_that_is_too_long_is_a_limit);
	RUN_TEST(standard_input_is_read_to_its_end_and_not_beyond_its_limit);
	RUN_TEST(only_files_are_read_and_what_is_wrong_is_named);
	RUN_TEST(an_interrupt_ends_waiting_for_input);
	RUN_TEST(a_call_listens_only_while_it_waits);
	RUN_TEST(an_ignored_interrupt_stays_ignored);
	RUN_TEST(long_work_gives_its_answer);
	RUN_TEST(an_interrupt_stops_long_work_at_its_next_safe_point);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(cli_input);
	GREATEST_MAIN_END();
}
