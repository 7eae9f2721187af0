/* A program as a voice. */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fcntl.h>

#include <greatest.h>

#include "support/clock.h"
#include "support/temp.h"
#include "support/voices.h"

#define COMMAND(argv)                                                                              \
	"{\"providers\":{\"p\":{\"api\":\"command\",\"command\":" argv ",\"idle_timeout\":0.5}},"  \
	"\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"tool-1\"}}}"
#define SHELL(line) COMMAND("[\"sh\",\"-c\",\"" line "\"]")

TEST a_program_reads_the_prompt_and_says_the_text(void)
{
	struct loom_generate_request request = go_on("The $HOME `sea`\n", 3);

	request.voice.agent = LOOM_STR("bob");
	ASSERT(world_run("", SHELL("cat; printf '%s %s %s' $LOOM_AGENT $LOOM_MODEL $LOOM_TOKENS"),
			 &request));
	for (size_t i = 0; i < 3; i++) {
		ASSERT_STR_EQ("The $HOME `sea`\nbob tool-1 20", text_of(i));
		ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[i].finish);
	}
	ASSERT(loom_jval_says(loom_jval_get(record_of(0), "api"), LOOM_STR("command")));
	PASS();
}

TEST there_is_no_shell_between(void)
{
	struct loom_generate_request request = go_on("x", 1);

	ASSERT(world_run("", COMMAND("[\"echo\",\"$HOME;\",\"`id`\"]"), &request));
	ASSERT_STR_EQ("$HOME; `id`\n", text_of(0));
	PASS();
}

TEST a_large_prompt_and_a_program_that_reads_none_of_it_are_no_trouble(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_generate_request request;

	loom_buf_add_repeat(&text, 'x', 2000000);
	request = go_on(loom_buf_cstr(&text), 1);
	ASSERT(world_run("", SHELL("wc -c | tr -d ' '"), &request));
	ASSERT_STR_EQ("2000000\n", text_of(0));
	world_close();
	ASSERT(world_run("", SHELL("echo no"), &request));
	ASSERT_STR_EQ("no\n", text_of(0));
	ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[0].finish);
	loom_buf_fini(&text);
	PASS();
}

TEST a_program_that_fails_is_an_error_and_its_text_is_kept(void)
{
	static const struct {
		const char *config;
		const char *text;
		const char *says;
	} cases[] = {
		{SHELL("echo half; echo 'out of ideas' >&2; exit 3"), "half\n",
		 "status 3: out of ideas"},
		{SHELL("printf half; kill -9 $$"), "half", "signal 9"},
		{COMMAND("[\"/nonexistent/program\"]"), "", "/nonexistent/program"},
		{SHELL("printf half; sleep 30"), "half", "was silent for too long"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_generate_request request = go_on("x", 2);

		ASSERT(world_run("", cases[i].config, &request));
		for (size_t k = 0; k < 2; k++) {
			ASSERT_EQ(LOOM_FINISH_ERROR, world.asked.choices[k].finish);
			ASSERT_STR_EQ(cases[i].text, text_of(k));
			ASSERTm(world.asked.choices[k].err.text,
				strstr(world.asked.choices[k].err.text, cases[i].says) != NULL);
		}
		world_close();
	}
	PASS();
}

/* A FIFO in $LEFT. Programs open it for writing; it ends when the last of them has ended. */
struct left {
	struct temp temp;
	int fd;
};

static void left_init(struct left *left)
{
	char *path = NULL;

	temp_init(&left->temp);
	path = temp_path(&left->temp, "left");
	left->fd = mkfifo(path, 0600) == 0 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	LOOM_ASSERT(left->fd >= 0);
	setenv("LEFT", path, 1);
	free(path);
}

static void left_fini(struct left *left)
{
	unsetenv("LEFT");
	close(left->fd);
	temp_fini(&left->temp);
}

/* Waits until no program has the FIFO open; false if one still has it after 20 s. */
static bool left_ends(const struct left *left)
{
	struct pollfd end = {.fd = left->fd};

	return poll(&end, 1, 20000) == 1 && (end.revents & POLLHUP);
}

#define OPEN_LEFT "exec 9>$LEFT; "

TEST cancelling_kills_it_with_all_that_it_started(void)
{
	struct loom_generate_request request = go_on("x", 2);
	struct left left;

	left_init(&left);
	world_open("", SHELL(OPEN_LEFT "echo go; sleep 60 & sleep 60"));
	ASSERT_EQ(LOOM_OK, asked_start(&world.asked, &request, &world.err));
	while (world.asked.chunks < 2)
		(void)loom_loop_step(world.loop, 50);
	world.asked.generator->cancel(world.asked.generator->ctx, world.asked.generation,
				      LOOM_CHOICES_ALL);
	ASSERT(asked_wait(&world.asked, 20000));
	ASSERT_STR_EQ("go\n", text_of(0));
	ASSERT(left_ends(&left));
	world_close();
	left_fini(&left);
	PASS();
}

/* Generates until it is killed, and says when the program runs. */
static _Noreturn void generate_for_ever(const char *config, int ready)
{
	struct loom_generate_request request = go_on("x", 1);

	world_open("", config);
	if (asked_start(&world.asked, &request, &world.err) != LOOM_OK)
		_exit(1);
	while (world.asked.chunks < 1)
		(void)loom_loop_step(world.loop, 50);
	(void)!write(ready, "!", 1);
	for (;;)
		(void)loom_loop_step(world.loop, 50);
}

/* Kills a process while it generates with this configuration, and waits for the program's end. */
static enum greatest_test_res is_taken_along(const char *config)
{
	struct left left;
	char byte = 0;
	int ready[2];
	pid_t pid = 0;

	left_init(&left);
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (pid == 0)
		generate_for_ever(config, ready[1]);
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERTm(config, left_ends(&left));
	close(ready[0]);
	left_fini(&left);
	PASS();
}

TEST who_dies_without_a_word_takes_it_along(void)
{
	CHECK_CALL(is_taken_along(SHELL(OPEN_LEFT "echo go; sleep 60")));
	PASS();
}

/* What it started, too: while it runs, when it is gone, and when it has told its group to end. */
TEST who_dies_without_a_word_takes_along_what_it_started(void)
{
	CHECK_CALL(is_taken_along(SHELL(OPEN_LEFT "sleep 60 & echo go; wait")));
	CHECK_CALL(is_taken_along(SHELL(OPEN_LEFT "sleep 60 & echo go; exec 2>&-")));
	CHECK_CALL(
		is_taken_along(SHELL(OPEN_LEFT "trap '' TERM; kill -TERM 0; echo go; (sleep 60)")));
	PASS();
}

/* The number of running processes in a group. */
static int members(long group)
{
	DIR *all = opendir("/proc");
	struct dirent *one = NULL;
	int count = 0;

	LOOM_ASSERT(all);
	while ((one = readdir(all))) {
		char path[64];
		char line[512] = "";
		char state = 'Z';
		long its = 0;
		FILE *stat = NULL;

		snprintf(path, sizeof path, "/proc/%.20s/stat", one->d_name);
		stat = fopen(path, "r");
		if (!stat)
			continue;
		if (fgets(line, sizeof line, stat) && strrchr(line, ')') &&
		    sscanf(strrchr(line, ')'), ") %c %*d %ld", &state, &its) == 2)
			count += state != 'Z' && its == group;
		fclose(stat);
	}
	closedir(all);
	return count;
}

/* The guard exits when it is no longer needed; a process that the program left behind goes on. */
TEST who_has_ended_leaves_its_group_to_itself(void)
{
	struct loom_generate_request request = go_on("x", 1);
	const int64_t began = loom_env_boot();
	long group = 0;
	int left = 0;

	ASSERT(world_run("", SHELL("echo $$; sleep 60 >&- 2>&- <&- &"), &request));
	group = strtol(text_of(0), NULL, 10);
	ASSERT(group > 1);
	while ((left = members(group)) > 1 && loom_env_boot() - began < 20000)
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	ASSERT_EQ(1, left);
	ASSERT_EQ(0, kill((pid_t)-group, SIGKILL));
	PASS();
}

TEST a_stop_text_kills_it(void)
{
	struct loom_generate_request request = go_on("x", 1);

	request.voice.sampling = LOOM_STR("{\"stop\":\"END\"}");
	ASSERT(world_run("", SHELL("printf 'some E'; sleep 0.05; printf 'ND more'; sleep 30"),
			 &request));
	ASSERT_STR_EQ("some ", text_of(0));
	ASSERT_EQ(LOOM_FINISH_STOP_TEXT, world.asked.choices[0].finish);
	PASS();
}

TEST half_characters_and_broken_bytes_do_not_reach_a_text(void)
{
	struct loom_generate_request request = go_on("x", 1);

	ASSERT(world_run(
		"", SHELL("printf '\\\\303'; sleep 0.05; printf '\\\\251 \\\\377 \\\\342\\\\202'"),
		&request));
	ASSERT_STR_EQ("\xC3\xA9 \xEF\xBF\xBD ", text_of(0));
	ASSERT(loom_str_is(loom_buf_str(&world.asked.choices[0].raw), "\xC3\xA9 \xFF \xE2\x82"));
	PASS();
}

SUITE(command)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_program_reads_the_prompt_and_says_the_text);
	RUN_TEST(there_is_no_shell_between);
	RUN_TEST(a_large_prompt_and_a_program_that_reads_none_of_it_are_no_trouble);
	RUN_TEST(a_program_that_fails_is_an_error_and_its_text_is_kept);
	RUN_TEST(cancelling_kills_it_with_all_that_it_started);
	RUN_TEST(who_dies_without_a_word_takes_it_along);
	RUN_TEST(who_dies_without_a_word_takes_along_what_it_started);
	RUN_TEST(who_has_ended_leaves_its_group_to_itself);
	RUN_TEST(a_stop_text_kills_it);
	RUN_TEST(half_characters_and_broken_bytes_do_not_reach_a_text);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(command);
	GREATEST_MAIN_END();
}
