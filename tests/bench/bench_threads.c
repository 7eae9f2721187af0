/* Commands about threads, process start included: with a thousand threads beside a limit, and
 * beside themselves with one thread; and a long chain of references. */
#include "bench/bench.h"

#include <errno.h>
#include <sys/stat.h>

#include <loom/leslie/leslie.h>

#include "support/child.h"
#include "support/clock.h"
#include "support/temp.h"

#define TIME "2026-02-23T10:00:00.000Z"

/* A project of `many` threads and one of a single thread. */
struct state {
	struct temp many;
	struct temp one;
	size_t count;
};

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_file(const struct temp *temp, const char *name, struct loom_str text)
{
	char path[400];
	FILE *file = NULL;

	snprintf(path, sizeof(path), "%s/%s", temp->path, name);
	for (char *slash = strchr(path + strlen(temp->path) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		must(mkdir(path, 0755) == 0 || errno == EEXIST, path);
		*slash = '/';
	}
	file = fopen(path, "wb");
	must(file && fwrite(text.p, 1, text.n, file) == text.n && fclose(file) == 0, path);
}

/* Each thread references the three before it, live, as another program would have written it. */
static void add_operations(struct loom_buf *text, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		loom_buf_addf(text,
			      "%s    {\n      \"id\": \"op-%08zx\",\n      \"timestamp\": \"" TIME
			      "\",\n      \"command\": \"spawn\",\n      \"operator\": \"user\",\n"
			      "      \"params\": {\n        \"thread_id\": \"thread-%08zx\",\n"
			      "        \"intent\": \"Implement part %zu\"\n      }\n    }",
			      i ? ",\n" : "", i, i, i);
		for (size_t k = i < 3 ? 0 : i - 3; k < i; k++)
			loom_buf_addf(text,
				      ",\n    {\n      \"id\": \"op-%04zx%04zx\",\n"
				      "      \"timestamp\": \"" TIME
				      "\",\n      \"command\": \"reference\",\n"
				      "      \"operator\": \"user\",\n      \"params\": {\n"
				      "        \"from_id\": \"thread-%08zx\",\n"
				      "        \"to_id\": \"thread-%08zx\",\n"
				      "        \"scope\": [\n          \"all\"\n        ],\n"
				      "        \"binding\": \"live\"\n      }\n    }",
				      i, k, i, k);
	}
}

static void add_relation(struct loom_buf *text, size_t at, size_t count)
{
	loom_buf_addf(text,
		      "%s    \"thread-%08zx\": {\n      \"children\": [],\n"
		      "      \"references_to\": [",
		      at ? ",\n" : "", at);
	for (size_t k = at < 3 ? 0 : at - 3; k < at; k++)
		loom_buf_addf(text, "%s\"thread-%08zx\"", k + 3 > at && k ? ", " : "", k);
	loom_buf_adds(text, "],\n      \"referenced_by\": [");
	for (size_t k = at + 1; k <= at + 3 && k < count; k++)
		loom_buf_addf(text, "%s\"thread-%08zx\"", k > at + 1 ? ", " : "", k);
	loom_buf_adds(text, "],\n      \"depends_on\": []\n    }");
}

static void write_relations(const struct temp *temp, size_t count)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_addf(&text,
		      "{\n  \"version\": \"1.0\",\n  \"metadata\": {\n    \"last_updated\": \"" TIME
		      "\",\n    \"thread_count\": %zu\n  },\n  \"threads\": {\n",
		      count);
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&text,
			      "%s    \"thread-%08zx\": {\n      \"id\": \"thread-%08zx\",\n"
			      "      \"title\": \"Implement part %zu\",\n"
			      "      \"objective\": \"obj-bench\",\n      \"created_at\": \"" TIME
			      "\",\n      \"status\": \"active\",\n      \"tags\": [],\n"
			      "      \"parent_id\": null,\n"
			      "      \"storage_path\": \".leslie/threads/thread-%08zx\",\n"
			      "      \"executor\": \"agent\",\n      \"updated_at\": \"" TIME
			      "\"\n    }",
			      i ? ",\n" : "", i, i, i, i);
	loom_buf_adds(&text, "\n  },\n  \"operations\": [\n");
	add_operations(&text, count);
	loom_buf_adds(&text, "\n  ],\n  \"relations\": {\n");
	for (size_t i = 0; i < count; i++)
		add_relation(&text, i, count);
	loom_buf_adds(&text, "\n  }\n}\n");
	write_file(temp, ".leslie/thread_relations.json", loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void make_project(struct temp *temp, size_t count)
{
	temp_init(temp);
	write_relations(temp, count);
	write_file(
		temp, ".leslie/objectives.json",
		LOOM_STR("{\"version\":\"1.0\",\"objectives\":{\"obj-bench\":{\"id\":\"obj-bench\","
			 "\"title\":\"Bench\",\"created_at\":\"" TIME "\",\"updated_at\":\"" TIME
			 "\",\"status\":\"active\",\"thread_ids\":[]}},\"metadata\":{"
			 "\"last_updated\":\"" TIME "\",\"objective_count\":1}}\n"));
	for (size_t i = 0; i < count; i++) {
		char path[100];

		snprintf(path, sizeof(path), ".leslie/threads/thread-%08zx/plan.md", i);
		write_file(temp, path, LOOM_STR("# Plan\n"));
		snprintf(path, sizeof(path), ".leslie/threads/thread-%08zx/design/api.md", i);
		write_file(temp, path, LOOM_STR("# API\n"));
	}
}

static void *open_projects(size_t count)
{
	struct state *state = loom_alloc(sizeof(*state));

#ifndef LOOM_PROGRAM
	free(state);
	return NULL;
#else
	state->count = count;
	make_project(&state->many, count);
	make_project(&state->one, 1);
	return state;
#endif
}

static void close_projects(void *closed)
{
	struct state *state = closed;

	temp_fini(&state->many);
	temp_fini(&state->one);
	free(state);
}

/* One command in one of the projects; `@` stands for its last thread. */
static double run_in(const struct temp *temp, size_t count, const char *words)
{
#ifdef LOOM_PROGRAM
	const struct child_opts opts = {.cwd = temp->path};
	struct child_result result;
	const char *argv[16] = {LOOM_PROGRAM};
	char last[32];
	char text[256];
	size_t argc = 1;
	int64_t before = 0;
	double took = 0;

	snprintf(last, sizeof(last), "thread-%08zx", count - 1);
	snprintf(text, sizeof(text), "%s", words);
	for (char *word = text; word; argc++) {
		char *end = strchr(word, ' ');

		if (end)
			*end = '\0';
		argv[argc] = strcmp(word, "@") == 0 ? last : word;
		word = end ? end + 1 : NULL;
	}
	before = clock_ns();
	if (!child_run(argv, &opts, &result) || result.status != 0) {
		fprintf(stderr, "bench: %s: %s\n", words, loom_buf_cstr(&result.err));
		exit(1);
	}
	took = (double)(clock_ns() - before) / 1e6;
	child_fini(&result);
	return took;
#else
	(void)temp;
	(void)count;
	(void)words;
	return 0;
#endif
}

#define COMMAND(name, words)                                                                       \
	static double name##_many(void *state)                                                     \
	{                                                                                          \
		return run_in(&((struct state *)state)->many, ((struct state *)state)->count,      \
			      words);                                                              \
	}                                                                                          \
	static double name##_one(void *state)                                                      \
	{                                                                                          \
		return run_in(&((struct state *)state)->one, 1, words);                            \
	}

COMMAND(list, "thread list")
COMMAND(load, "thread load @")
COMMAND(spawn, "thread spawn --objective obj-bench --intent x")
COMMAND(refer, "thread ref --from @ --target ghost --binding live")

/* ---- a chain of references ---- */

struct chain {
	struct temp temp;
	struct loom_env env;
	struct loom_leslie *leslie;
	size_t count;
};

static void *open_chain(size_t count)
{
	struct chain *chain = loom_alloc(sizeof(*chain));
	struct loom_leslie_opts opts = {.env = &chain->env};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	chain->count = count;
	temp_init(&chain->temp);
	loom_env_init_fixed(&chain->env, 1771840800000, 1);
	loom_buf_adds(&text, "{\"threads\":{");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&text, "%s\"t%zu\":{\"objective\":\"o\"}", i ? ",\n" : "", i);
	loom_buf_adds(&text, "},\"relations\":{");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&text, "%s\"t%zu\":{\"references_to\":[\"t%zu\"]}", i ? ",\n" : "", i,
			      i + 1);
	loom_buf_adds(&text, "}}\n");
	write_file(&chain->temp, ".leslie/thread_relations.json", loom_buf_str(&text));
	loom_buf_fini(&text);
	opts.start = chain->temp.path;
	must(loom_leslie_open(&opts, &chain->leslie, NULL) == LOOM_OK, "open");
	return chain;
}

static void close_chain(void *closed)
{
	struct chain *chain = closed;

	loom_leslie_close(chain->leslie);
	temp_fini(&chain->temp);
	free(chain);
}

/* Reading the file is part of it, as it is for a command. */
static double close_the_circle(void *state)
{
	struct chain *chain = state;
	struct loom_arena *arena = loom_arena_create();
	char last[32];
	struct loom_leslie_ref ref = {.target = {.thread = LOOM_STR("t0")},
				      .binding = LOOM_LESLIE_BINDING_LIVE};
	struct loom_leslie_ref_result result;
	struct loom_leslie_err err;
	int64_t before = clock_ns();

	snprintf(last, sizeof(last), "t%zu", chain->count - 1);
	ref.from = loom_str_of(last);
	must(loom_leslie_ref(chain->leslie, &ref, arena, &result, &err) == LOOM_REFUSED, "circle");
	loom_arena_destroy(arena);
	return (double)(clock_ns() - before) / 1e6;
}

#define ROWS(command)                                                                              \
	{.name = "threads." #command,                                                              \
	 .ours = "a thousand threads",                                                             \
	 .unit = "ms",                                                                             \
	 .limit = 15,                                                                              \
	 .size = 1000,                                                                             \
	 .small = 1000,                                                                            \
	 .open = open_projects,                                                                    \
	 .close = close_projects,                                                                  \
	 .run = command##_many},                                                                   \
	{                                                                                          \
		.name = "threads." #command ".flat", .ours = "a thousand threads",                 \
		.peer = "one thread", .unit = "ms", .limit = 1.5, .size = 1000, .small = 200,      \
		.open = open_projects, .close = close_projects, .run = command##_many,             \
		.run_peer = command##_one                                                          \
	}

static const struct bench_row rows[] = {
	ROWS(list),
	ROWS(load),
	ROWS(spawn),
	ROWS(refer),
	{.name = "threads.chain",
	 .ours = "a circle through 20,000 threads",
	 .unit = "ms",
	 .limit = 100,
	 .size = 20000,
	 .small = 20000,
	 .open = open_chain,
	 .close = close_chain,
	 .run = close_the_circle},
};

extern const struct bench_suite bench_threads;
const struct bench_suite bench_threads = {"threads", rows, LOOM_COUNT(rows)};
