/* Long store files: each generation is whole, and a reader keeps the one that it opened. */
#include <greatest.h>

#include <fcntl.h>
#include <unistd.h>

#include "model/leslie/inside.h"
#include "support/camp.h"

GREATEST_MAIN_DEFS();

#define RELATIONS ".leslie/thread_relations.json"
#define BACKUP    RELATIONS ".bak"

static struct camp camp;

static void set_up(void *ctx)
{
	(void)ctx;
	camp_init(&camp);
}

static void tear_down(void *ctx)
{
	(void)ctx;
	camp_fini(&camp);
}

static void spell_relations(struct loom_buf *out, size_t count)
{
	loom_buf_adds(out, "{\"version\":\"1.0\",\n\"threads\":{");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(
			out,
			"%s\n    \"t%zu\": {\"title\": \"number %zu\", \"objective\": \"obj\","
			" \"n\": [1, {\"x\": null}]}",
			i ? "," : "", i, i);
	loom_buf_adds(out, "\n},\"operations\":[");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(out, "%s\n    {\"id\": \"op-%zu\", \"params\": {\"of\": [\"t%zu\"]}}",
			      i ? "," : "", i, i);
	loom_buf_adds(out, "\n],\"relations\":{");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(out, "%s\n    \"t%zu\": {\"references_to\": [\"t%zu\"]}",
			      i ? "," : "", i, i + 1);
	loom_buf_adds(out, "\n}}\n");
}

static void write_long(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	camp_objective(&camp);
	spell_relations(&text, 3000);
	camp_write(&camp, RELATIONS, loom_buf_cstr(&text));
	loom_buf_fini(&text);
}

static bool one_more(void)
{
	char id[32];
	static int n;

	snprintf(id, sizeof id, "more-%d", n++);
	camp_reopen(&camp);
	return camp_spawn(&camp, id, NULL, LOOM_LESLIE_BINDING_FROZEN) == LOOM_OK;
}

TEST of_a_long_file_each_generation_is_whole(void)
{
	const char *before = NULL;

	write_long();
	for (int i = 0; i < 9; i++) {
		before = camp_read(&camp, RELATIONS);
		ASSERT(one_more());
		ASSERT_STR_EQ(before, camp_read(&camp, BACKUP));
		ASSERT(strlen(camp_read(&camp, RELATIONS)) > strlen(before));
	}
	PASS();
}

TEST who_still_reads_an_old_generation_reads_it_as_it_was(void)
{
	const char *before = NULL;
	char *after = NULL;
	size_t n = 0;
	int fd = -1;

	write_long();
	ASSERT(one_more() && one_more());
	before = camp_read(&camp, RELATIONS);
	n = strlen(before);
	after = loom_arena_alloc(camp.arena, n);
	fd = open(camp_path(&camp, RELATIONS), O_RDONLY);
	for (int i = 0; i < 5; i++)
		ASSERT(one_more());
	ASSERT_EQ((ssize_t)n, read(fd, after, n));
	ASSERT_EQ(0, memcmp(before, after, n));
	close(fd);
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(of_a_long_file_each_generation_is_whole);
	RUN_TEST(who_still_reads_an_old_generation_reads_it_as_it_was);
	GREATEST_MAIN_END();
}
