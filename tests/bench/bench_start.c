/* The whole program from outside: what a person waits for who asks one thing. */
#include "bench/bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/grove.h"

struct start {
	struct grove grove;
	char *file;
};

static void close_start(void *state)
{
	struct start *start = state;

	if (!start)
		return;
	free(start->file);
	grove_fini(&start->grove);
	free(start);
}

/* Runs a program to its end; negative when it did not end well. */
static double run_quietly(char *const argv[])
{
	posix_spawn_file_actions_t quiet;
	pid_t child = 0;
	int how = 0;
	int failed = posix_spawn_file_actions_init(&quiet);

	if (!failed) {
		posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
		failed = posix_spawnp(&child, argv[0], &quiet, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&quiet);
	}
	if (failed || waitpid(child, &how, 0) != child || !WIFEXITED(how) || WEXITSTATUS(how))
		return -1;
	return 1;
}

static double show(void *state)
{
#ifdef LOOM_PROGRAM
	struct start *start = state;
	char program[] = LOOM_PROGRAM;
	char where[] = "-g";
	char command[] = "show";
	char node[] = "r001";
	char *argv[] = {program, where, start->grove.temp.path, command, node, NULL};

	return run_quietly(argv);
#else
	(void)state;
	return -1;
#endif
}

static double select_one(void *state)
{
	struct start *start = state;
	char program[] = "sqlite3";
	char sql[] = "SELECT text FROM body WHERE id = 1";
	char *argv[] = {program, start->file, sql, NULL};

	return run_quietly(argv);
}

/* A grove with a chain of nodes; nothing where one of the two programs is missing. */
static void *open_start(size_t size)
{
	struct start *start = loom_alloc(sizeof *start);
	int64_t node = 0;

	grove_init(&start->grove);
	start->file = temp_path(&start->grove.temp, ".loom/grove.db");
	node = grove_root(&start->grove, grove_tree(&start->grove, LOOM_DIALOGUE, "Once."));
	for (size_t i = 0; i < size; i++)
		node = grove_node(&start->grove, node, "and then");
	if (show(start) < 0 || select_one(start) < 0) {
		close_start(start);
		return NULL;
	}
	return start;
}

static const struct bench_row ROWS[] = {
	{
		.name = "start: show one node",
		.ours = "loom show, from process start",
		.peer = "sqlite3 with one select",
		.limit = 8,
		.size = 1000,
		.small = 100,
		.open = open_start,
		.close = close_start,
		.run = show,
		.run_peer = select_one,
	},
};

const struct bench_suite bench_start = {"start", ROWS, LOOM_COUNT(ROWS)};
