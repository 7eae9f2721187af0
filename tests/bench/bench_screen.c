/* The program on a terminal, upon a grove of a million nodes: how soon the first frame stands, what
 * a key takes and writes, what it holds in memory; beside `less` on the same texts, `ncdu` upon as
 * many entries and `tig` upon as many commits, where they are there. */
#include "bench/bench.h"

#include <stdio.h>
#include <unistd.h>

#include "bench/terminal.h"
#include "support/clock.h"
#include "support/grove.h"

#define SLICE    20000
#define KEYS     200
#define KEYS_FEW 50 /* at a small size: a key takes as long there */
#define START_MS 60 /* of silence: the frame stands */
#define KEY_MS   6

struct screen {
	struct grove grove;
	char *texts;   /* the same texts, a line each */
	char *entries; /* as many entries of a disk */
	char *commits; /* a repository with as many of them, each with the same text */
	struct terminal terminal;
	bool running;
	size_t keys; /* that a move is measured with */
};

static FILE *open_file(char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		abort();
	return file;
}

static void text_of(size_t i, char text[100])
{
	snprintf(text, 100, "node %zu: she had not been there since the winter; nobody spoke", i);
}

/* Long branches that fork now and then. */
static void fill(struct screen *screen, size_t size)
{
	struct grove *grove = &screen->grove;
	struct loom_op_spec op = {.kind = "import", .actor = grove->owner, .slices = true};
	struct loom_err err = {.status = LOOM_OK};
	int64_t *ids = loom_alloc(size * sizeof *ids);
	char text[100];

	ids[0] = grove_root(grove, grove_tree(grove, LOOM_DIALOGUE, "root"));
	grove_must(loom_op_begin(grove->store, &op, &err), &err, "begin");
	for (size_t i = 1; i < size; i++) {
		struct loom_node_spec spec = {.from = ids[i % 9 == 0 ? i / 2 : i - 1],
					      .author = grove->owner,
					      .seq = -1};

		text_of(i, text);
		spec.text = loom_str_of(text);
		grove_must(loom_node_create(grove->store, &spec, &ids[i], &err), &err, "node");
		if (i % SLICE == 0)
			grove_must(loom_op_slice(grove->store, &err), &err, "slice");
	}
	grove_must(loom_op_finish(grove->store, NULL, &err), &err, "finish");
	free(ids);
}

static void *open_screen(size_t size)
{
	struct screen *screen = loom_alloc(sizeof *screen);

	grove_init(&screen->grove);
	fill(screen, size);
	screen->keys = size < 200000 ? KEYS_FEW : KEYS;
	return screen;
}

static void stop(struct screen *screen)
{
	if (screen->running)
		terminal_close(&screen->terminal);
	screen->running = false;
}

static void close_screen(void *state)
{
	struct screen *screen = state;

	stop(screen);
	free(screen->texts);
	free(screen->entries);
	free(screen->commits);
	grove_fini(&screen->grove);
	free(screen);
}

static bool is_here(const char *program)
{
	char command[100];

	snprintf(command, sizeof command, "command -v %s >/dev/null", program);
	return system(command) == 0;
}

static void *open_beside_less(size_t size)
{
	struct screen *screen;
	char text[100];
	FILE *file;

	if (!is_here("less"))
		return NULL;
	screen = open_screen(size);
	screen->texts = temp_path(&screen->grove.temp, "texts");
	file = open_file(screen->texts);
	for (size_t i = 0; i < size; i++) {
		text_of(i, text);
		fprintf(file, "%s\n", text);
	}
	fclose(file);
	return screen;
}

/* What `ncdu -o` writes: an array a folder, its own entry first. */
static void write_entries(FILE *file, size_t size)
{
	fputs("[1,2,{\"progname\":\"ncdu\",\"progver\":\"1.18\",\"timestamp\":1}", file);
	fputs(",[{\"name\":\"/x\",\"asize\":4096,\"dsize\":4096}", file);
	for (size_t i = 0; i < size; i++) {
		if (i % 1000 == 0)
			fprintf(file, "%s,[{\"name\":\"folder%zu\",\"asize\":4096,\"dsize\":4096}",
				i ? "]" : "", i);
		fprintf(file, ",{\"name\":\"entry%zu\",\"asize\":%zu,\"dsize\":4096}", i, i % 4096);
	}
	fputs("]]]", file);
}

static void *open_beside_ncdu(size_t size)
{
	struct screen *screen;
	FILE *file;

	if (!is_here("ncdu"))
		return NULL;
	screen = open_screen(size);
	screen->entries = temp_path(&screen->grove.temp, "entries");
	file = open_file(screen->entries);
	write_entries(file, size);
	fclose(file);
	return screen;
}

/* What `git fast-import` reads: one commit after the other, all of the empty tree. */
static void write_commits(FILE *file, size_t size)
{
	char text[100];

	for (size_t i = 1; i <= size; i++) {
		text_of(i, text);
		fprintf(file, "commit refs/heads/main\ncommitter a <a@b> %zu +0000\ndata %zu\n%s\n",
			i + 1000000, strlen(text), text);
	}
}

static void *open_beside_tig(size_t size)
{
	struct screen *screen;
	char command[1000];
	char *list;
	FILE *file;

	if (!is_here("tig") || !is_here("git"))
		return NULL;
	screen = open_screen(size);
	screen->commits = temp_path(&screen->grove.temp, "commits");
	list = temp_path(&screen->grove.temp, "list");
	file = open_file(list);
	write_commits(file, size);
	fclose(file);
	snprintf(command, sizeof command,
		 "git init -q -b main '%s' && cd '%s' && git fast-import --quiet < '%s' && "
		 "git reset -q --hard",
		 screen->commits, screen->commits, list);
	free(list);
	if (system(command) == 0)
		return screen;
	close_screen(screen);
	return NULL;
}

/* --- the first frame --- */

static void start(struct screen *screen)
{
	const char *const argv[] = {LOOM_PROGRAM, "-g", screen->grove.temp.path, NULL};

	terminal_open(&screen->terminal, argv, screen->grove.temp.path);
	screen->running = true;
}

static double first_frame(void *state)
{
	struct screen *screen = state;
	int64_t painted;

	start(screen);
	painted = terminal_settle(&screen->terminal, START_MS, "r001");
	stop(screen);
	return (double)(painted - screen->terminal.began) / 1e6;
}

static double first_of(struct screen *screen, const char *const argv[], const char *until)
{
	struct terminal terminal;
	int64_t painted;

	terminal_open(&terminal, argv, screen->grove.temp.path);
	painted = terminal_settle(&terminal, START_MS, until);
	terminal_close(&terminal);
	return (double)(painted - terminal.began) / 1e6;
}

static double first_of_less(void *state)
{
	struct screen *screen = state;
	const char *const argv[] = {"less", screen->texts, NULL};

	return first_of(screen, argv, "node 30");
}

static double first_of_ncdu(void *state)
{
	struct screen *screen = state;
	const char *const argv[] = {"ncdu", "-f", screen->entries, NULL};

	return first_of(screen, argv, "Total disk");
}

static double first_of_tig(void *state)
{
	struct screen *screen = state;
	const char *const argv[] = {"tig", "-C", screen->commits, NULL};

	return first_of(screen, argv, "nobody spoke");
}

/* --- keys --- */

/* Running, with its frame on the screen. */
static struct terminal *ready(struct screen *screen)
{
	if (screen->running)
		return &screen->terminal;
	start(screen);
	terminal_settle(&screen->terminal, START_MS, "r001");
	/* Into the first long branch. */
	terminal_key(&screen->terminal, "l", START_MS);
	return &screen->terminal;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

/* Down and up by turns: as many keys, so that every run does the same. */
static double keys_on(const struct screen *screen, struct terminal *terminal, size_t percent)
{
	double ms[KEYS];

	for (size_t i = 0; i < screen->keys; i++)
		ms[i] = terminal_key(terminal, i % 2 ? "k" : "j", KEY_MS);
	qsort(ms, screen->keys, sizeof ms[0], by_size);
	return ms[screen->keys * percent / 100];
}

static double key_time(struct screen *screen, size_t percent)
{
	return keys_on(screen, ready(screen), percent);
}

static double key_of_tig(void *state)
{
	struct screen *screen = state;
	const char *const argv[] = {"tig", "-C", screen->commits, NULL};
	struct terminal terminal;
	double ms;

	terminal_open(&terminal, argv, screen->grove.temp.path);
	terminal_settle(&terminal, START_MS, "nobody spoke");
	ms = keys_on(screen, &terminal, 50);
	terminal_close(&terminal);
	return ms;
}

static double key_usual(void *state)
{
	return key_time(state, 50);
}

static double key_late(void *state)
{
	return key_time(state, 99);
}

static double bytes_of(struct screen *screen, const char *keys)
{
	struct terminal *terminal = ready(screen);
	uint64_t before = terminal->bytes;

	terminal_key(terminal, keys, START_MS);
	return (double)(terminal->bytes - before);
}

static double move_bytes(void *state)
{
	double there = bytes_of(state, "j");
	double back = bytes_of(state, "k");

	return there > back ? there : back;
}

static double frame_bytes(void *state)
{
	return bytes_of(state, "\014");
}

static double resident(void *state)
{
	struct screen *screen = state;

	key_time(screen, 50);
	return terminal_resident(&screen->terminal);
}

#define SCREEN(label, what, quantity, most, runs)                                                  \
	{                                                                                          \
		.name = "screen: " label, .ours = what, .unit = quantity, .limit = most,           \
		.size = 1000000, .small = 20000, .open = open_screen, .close = close_screen,       \
		.run = runs,                                                                       \
	}

static const struct bench_row ROWS[] = {
	{
		.name = "screen: first frame of a million nodes",
		.ours = "loom, from process start",
		.peer = "less on the same texts",
		.unit = "ms",
		.limit = 3,
		.size = 1000000,
		.small = 20000,
		.open = open_beside_less,
		.close = close_screen,
		.run = first_frame,
		.run_peer = first_of_less,
	},
	{
		.name = "screen: first frame, nothing loaded",
		.ours = "loom, from process start",
		.peer = "ncdu loading as many entries",
		.unit = "ms",
		.limit = 0.1,
		.size = 1000000,
		/* fewer take no time to load */
		.small = 1000000,
		.open = open_beside_ncdu,
		.close = close_screen,
		.run = first_frame,
		.run_peer = first_of_ncdu,
	},
	{
		.name = "screen: first frame of 200,000 nodes",
		.ours = "loom, from process start",
		.peer = "tig upon as many commits",
		.unit = "ms",
		.limit = 1,
		.size = 200000,
		.small = 20000,
		.open = open_beside_tig,
		.close = close_screen,
		.run = first_frame,
		.run_peer = first_of_tig,
	},
	{
		.name = "screen: a move among 200,000",
		.ours = "j to last byte, half of 200",
		.peer = "the same in tig",
		.unit = "ms",
		.size = 200000,
		.small = 20000,
		.open = open_beside_tig,
		.close = close_screen,
		.run = key_usual,
		.run_peer = key_of_tig,
	},
	SCREEN("a move, half of them", "j to last byte, of 200", "ms", 1, key_usual),
	SCREEN("a move, all but one in a hundred", "j to last byte, of 200", "ms", 4, key_late),
	SCREEN("bytes of a move", "j or k", "B", 600, move_bytes),
	SCREEN("bytes of a frame", "all of it anew", "B", 6000, frame_bytes),
	SCREEN("resident memory", "after 200 keys", "MiB", 40, resident),
};

const struct bench_suite bench_screen = {"screen", ROWS, LOOM_COUNT(ROWS)};
