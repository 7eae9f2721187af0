/* The scanner over a long transcript, beside grep looking for its arrows in the same file. */
#include "bench/bench.h"

#include <stdio.h>
#include <unistd.h>

#include <loom/language/scan.h>

#include "support/child.h"
#include "support/temp.h"

#define PIECE ((size_t)64 << 10)

struct transcript {
	struct temp temp;
	char *path;
	char command[1024]; /* of the peer */
	char *piece;
	size_t calls; /* seen in one reading */
};

/* What an agent's log looks like: paragraphs, now and then a call, a fence, a quoted text. */
static const char *const lines[] = {
	"The house at the end of the lane had been empty for as long as anybody could say.\n",
	"Marie put the letter back where she had found it, and said nothing of it at supper.\n",
	"\n",
	"I will look at the other branch before I go on; the tone shifts there.\n",
	"→ view a7x2\n",
	"\n",
	"It is colder than the second one → and it leaves less to be said (see \"b3k9\").\n",
	"```\n→ prune a7x2\n```\n",
	"→ annotate b3k9 \"the tone shifts here\"\n",
	"A line of → plain prose, as long as the lines which people paste into a file, or so.\n",
};

static void write_transcript(const char *path, size_t megabytes)
{
	FILE *file = fopen(path, "we");
	size_t written = 0;

	if (!file)
		abort();
	for (size_t i = 0; written < megabytes << 20; i++) {
		const char *line = lines[i % 7 == 6 ? i / 7 % LOOM_COUNT(lines) : i % 3];

		fputs(line, file);
		written += strlen(line);
	}
	if (fclose(file))
		abort();
}

static void *open_transcript(size_t size)
{
	struct transcript *transcript = loom_alloc(sizeof *transcript);

	/* Both sides read from memory: the disk is not what is compared. */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
	temp_init(&transcript->temp);
	transcript->path = temp_path(&transcript->temp, "transcript");
	write_transcript(transcript->path, size);
	snprintf(transcript->command, sizeof transcript->command, "LC_ALL=C grep -c '^→' %s",
		 transcript->path);
	transcript->piece = loom_alloc(PIECE);
	return transcript;
}

static void close_transcript(void *state)
{
	struct transcript *transcript = state;

	free(transcript->piece);
	free(transcript->path);
	temp_fini(&transcript->temp);
	free(transcript);
}

static void count(void *ctx, const struct loom_scan_event *event)
{
	struct transcript *transcript = ctx;

	transcript->calls += event->kind == LOOM_SCAN_CALL;
}

static double scan_file(void *state)
{
	struct transcript *transcript = state;
	struct loom_scan *scan =
		loom_scan_create(LOOM_SOURCE_MODEL,
				 (struct loom_scan_sink){.event = count, .ctx = transcript});
	FILE *file = fopen(transcript->path, "re");
	size_t n;

	if (!file)
		abort();
	transcript->calls = 0;
	while ((n = fread(transcript->piece, 1, PIECE, file)) > 0)
		loom_scan_feed(scan, loom_str_make(transcript->piece, n));
	fclose(file);
	loom_scan_end(scan);
	loom_scan_destroy(scan);
	if (!transcript->calls)
		abort();
	return (double)transcript->calls;
}

static double grep_file(void *state)
{
	const struct transcript *transcript = state;
	struct child_opts opts = {.timeout_ms = 120000};
	struct child_result result;

	if (!child_shell(transcript->command, &opts, &result) || result.status != 0)
		abort();
	child_fini(&result);
	return 1;
}

#ifdef LOOM_PROGRAM
/* ---- many calls in one text ---- */

struct calls {
	struct temp temp;
	size_t count;
};

static void *open_calls(size_t size)
{
	struct calls *calls = loom_alloc(sizeof *calls);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	calls->count = size;
	temp_init(&calls->temp);
	for (size_t i = 0; i < size; i++)
		loom_buf_adds(&text, "→ view a7x2\n");
	temp_write(&calls->temp, "calls", loom_buf_str(&text));
	loom_buf_fini(&text);
	return calls;
}

static void close_calls(void *state)
{
	struct calls *calls = state;

	temp_fini(&calls->temp);
	free(calls);
}

/* All that a process of its own takes at most, shared out among the calls. */
static double bytes_a_call(void *state)
{
	const struct calls *calls = state;
	const char *command = LOOM_PROGRAM " parse --json calls >/dev/null & p=$!; peak=0; "
					   "while m=$(grep VmHWM /proc/$p/status 2>/dev/null); do "
					   "peak=$m; sleep 0.01; done; echo $peak";
	struct child_opts opts = {.cwd = calls->temp.path, .timeout_ms = 120000};
	struct child_result result;
	double kib = 0;

	if (!child_shell(command, &opts, &result) ||
	    sscanf(loom_buf_cstr(&result.out), "VmHWM: %lf", &kib) != 1)
		abort();
	child_fini(&result);
	return kib * 1024 / (double)calls->count;
}
#endif

static const struct bench_row ROWS[] = {
	{
		.name = "language: scan a transcript",
		.ours = "loom_scan_feed in pieces of 64 KiB",
		.peer = "LC_ALL=C grep -c '^→'",
		.limit = 3,
		.size = 100,
		.small = 10,
		.open = open_transcript,
		.close = close_transcript,
		.run = scan_file,
		.run_peer = grep_file,
	},
#ifdef LOOM_PROGRAM
	{
		.name = "language: memory of a million calls",
		.ours = "loom parse, at its peak",
		.unit = "B",
		.limit = 150,
		.size = 1000000,
		.small = 100000,
		.open = open_calls,
		.close = close_calls,
		.run = bytes_a_call,
	},
#endif
};

const struct bench_suite bench_language = {"language", ROWS, LOOM_COUNT(ROWS)};
