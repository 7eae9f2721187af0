/* A file imported from its bytes to its last commit, beside the same rows written bare into the
 * same schema in as many transactions. */
#include "bench/bare.h"
#include "bench/bench.h"

#include <loom/import/import.h>

#include "support/clock.h"

#define KEY 0x0123456789abcdefu

struct work {
	size_t size;
	struct loom_buf file;
	struct loom_err err;
};

static void must(struct work *work, enum loom_status status, const char *what)
{
	grove_must(status, &work->err, what);
}

static struct loom_ulid ulid_of(size_t i)
{
	const uint8_t random[5] = {1, 2, 3, 4, 5};

	return loom_ulid_make(1771840800000 + (int64_t)i, i, random);
}

static void add_node(struct loom_buf *file, size_t i)
{
	char ulid[LOOM_ULID_CHARS + 1];
	char parent[LOOM_ULID_CHARS + 1];
	char name[LOOM_LOCAL_MAX];
	char room[BARE_TEXT_MAX];
	struct loom_ulid id = ulid_of(i);
	struct loom_str text = bare_text(room, i);

	loom_ulid_text(&id, ulid);
	loom_local_text(KEY, (struct loom_local){.num = (int64_t)i}, name);
	loom_buf_addf(file, "%s{\"ulid\":\"%s\",\"id\":\"%s\"", i ? ",\n" : "\n", ulid, name);
	if (i) {
		id = ulid_of(bare_parent(i));
		loom_ulid_text(&id, parent);
		loom_buf_addf(file, ",\"parent\":\"%s\"", parent);
	}
	loom_buf_addf(file,
		      ",\"author\":\"01M7QH7C9D00000001R7C1PSMW\",\"created\":"
		      "\"2026-02-23T10:00:00.000Z\",\"text\":\"%.*s\"}",
		      (int)text.n, text.p);
}

static void *open_file(size_t size)
{
	struct work *work = loom_alloc(sizeof *work);

	work->size = size;
	loom_buf_init(&work->file, (size_t)4 << 30);
	loom_buf_addf(&work->file,
		      "{\"loom\":\"export\",\"version\":1,\"trees\":[{\"ulid\":"
		      "\"01M7QH7CAN00000001QMH49NKB\",\"title\":\"t\",\"mode\":\"dialogue\","
		      "\"key\":\"%016llx\",\"nodes\":[",
		      (unsigned long long)KEY);
	for (size_t i = 0; i < size; i++)
		add_node(&work->file, i);
	loom_buf_adds(&work->file, "]}],\"agents\":[{\"ulid\":\"01M7QH7C9D00000001R7C1PSMW\","
				   "\"name\":\"ada\",\"kind\":\"human\"}]}\n");
	return work;
}

/* Conversations of 50 messages, as Claude exports them. */
static void *open_chats(size_t size)
{
	struct work *work = loom_alloc(sizeof *work);

	work->size = size * 50;
	loom_buf_init(&work->file, (size_t)4 << 30);
	for (size_t chat = 0; chat < size; chat++) {
		loom_buf_addf(&work->file,
			      "%s{\"uuid\":\"chat-%zu\",\"name\":\"Chat %zu\","
			      "\"created_at\":\"2026-01-01T00:00:00Z\",\"chat_messages\":[",
			      chat ? "," : "[", chat, chat);
		for (size_t i = 0; i < 50; i++) {
			char room[BARE_TEXT_MAX];
			const struct loom_str text = bare_text(room, chat * 50 + i);

			loom_buf_addf(&work->file,
				      "%s{\"uuid\":\"%zu-%zu\",\"sender\":\"%s\",\"created_at\":"
				      "\"2026-01-01T00:00:%02zuZ\",\"text\":\"%.*s\"}",
				      i ? "," : "", chat, i, i % 2 ? "assistant" : "human", i,
				      (int)text.n, text.p);
		}
		loom_buf_adds(&work->file, "]}");
	}
	loom_buf_adds(&work->file, "]\n");
	return work;
}

static void close_file(void *state)
{
	struct work *work = state;

	loom_buf_fini(&work->file);
	free(work);
}

static double import_ours(void *state)
{
	struct work *work = state;
	struct grove grove;
	struct loom_import *import = NULL;
	struct loom_import_opts opts = {.env = &grove.env, .dir = NULL};
	struct loom_import_write how = {.dry = false};
	int64_t op = 0;
	int64_t start;
	double ms;

	grove_init(&grove);
	opts.dir = grove.temp.path;
	how.actor = grove.owner;
	start = clock_ns();
	must(work, loom_import_create(&opts, &import, &work->err), "create");
	must(work, loom_import_add(import, LOOM_STR("file"), loom_buf_str(&work->file), &work->err),
	     "add");
	must(work, loom_import_settle(import, &work->err), "settle");
	must(work, loom_import_write(import, grove.store, &how, &op, &work->err), "write");
	ms = (double)(clock_ns() - start) / 1e6;
	if (loom_import_report(import)->added < (int64_t)work->size)
		exit(98);
	loom_import_destroy(import);
	grove_fini(&grove);
	return ms;
}

static double import_bare(void *state)
{
	struct work *work = state;

	return bare_import(work->size);
}

static const struct bench_row ROWS[] = {
	{
		.name = "import: a file of 1,000,000 nodes",
		.ours = "read, checked, written, hashed",
		.peer = "the same rows, bare",
		.unit = "ms",
		.limit = 2.0,
		.size = 1000000,
		.small = 20000,
		.open = open_file,
		.close = close_file,
		.run = import_ours,
		.run_peer = import_bare,
	},
	{
		.name = "import: 2,000 conversations",
		.ours = "of 50 messages, with their readers' places",
		.unit = "ms",
		.limit = 2500,
		.size = 2000,
		.small = 100,
		.open = open_chats,
		.close = close_file,
		.run = import_ours,
	},
};

const struct bench_suite bench_import = {
	.name = "import",
	.rows = ROWS,
	.count = LOOM_COUNT(ROWS),
};
