/* The list of threads: the same from the registry as from the relations, and never from a registry
 * that is not of these relations or not what was written. */
#include <greatest.h>

#include <string.h>
#include <sys/stat.h>

#include "support/camp.h"

GREATEST_MAIN_DEFS();

#define REGISTRY  ".leslie/threads/.global/registry.json"
#define RELATIONS ".leslie/thread_relations.json"

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

/* All that a list tells, a line a thread; by a handle that has read nothing yet. */
static const char *listed(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;
	const char *out = NULL;

	camp_reopen(&camp);
	if (loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, &camp.err) !=
	    LOOM_OK)
		return "refused";
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&text, "%.*s|%.*s|%.*s|%.*s|%.*s|%.*s|%.*s|%.*s|%.*s|%.*s\n",
			      LOOM_STR_ARG(threads[i].id), LOOM_STR_ARG(threads[i].title),
			      LOOM_STR_ARG(threads[i].objective),
			      LOOM_STR_ARG(threads[i].status_text),
			      LOOM_STR_ARG(threads[i].parent_id),
			      LOOM_STR_ARG(threads[i].created_at),
			      LOOM_STR_ARG(threads[i].updated_at),
			      LOOM_STR_ARG(threads[i].executor),
			      LOOM_STR_ARG(threads[i].session_id), LOOM_STR_ARG(threads[i].path));
	out = loom_arena_cstr(camp.arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return out;
}

static void write_strange_records(void)
{
	camp_write(&camp, RELATIONS,
		   "{\"threads\":{\"b\":{\"title\":\"t\\\"\\u00e4 \xC3\xA4\",\"created_at\":"
		   "\"2026-02-23T10:00:01Z\",\"session_id\":\"s\",\"executor\":\"human\"},\n"
		   "\"a/../"
		   "x\":{\"title\":5,\"status\":\"odd\",\"status\":\"suspended\",\"created_at\":"
		   "\"2026-02-23T10:00:00Z\",\"tags\":[[{}]]},\"c\":[],\"d\":{},\n"
		   "\"e\\n\":{\"parent_id\":null,\"executor\":7,\"updated_at\":\"u\",\"x\":{\"y\":"
		   "1}}},"
		   "\"operations\":[{}],\"relations\":{}}");
}

TEST the_registry_tells_what_the_relations_tell(void)
{
	const char *first;

	write_strange_records();
	first = listed();
	ASSERT(strstr(first, "a/../x||"));
	ASSERT(strstr(first, "|suspended|"));
	ASSERT(camp_has(&camp, REGISTRY));
	ASSERT_STR_EQ(first, listed());
	camp_remove(&camp, REGISTRY);
	ASSERT_STR_EQ(first, listed());
	PASS();
}

TEST a_registry_that_was_changed_by_hand_is_not_believed(void)
{
	char *text;
	const char *first;

	camp_objective(&camp);
	camp_threads(&camp, "a b");
	first = listed();
	text = loom_arena_cstr(camp.arena, loom_str_of(camp_read(&camp, REGISTRY)));
	memcpy(strstr(text, "\"title\": \"") + 10, "Z", 1);
	camp_write(&camp, REGISTRY, text);
	ASSERT_STR_EQ(first, listed());
	PASS();
}

TEST a_registry_cut_anywhere_is_not_believed(void)
{
	const char *text;
	const char *first;

	camp_objective(&camp);
	camp_threads(&camp, "a b");
	first = listed();
	text = camp_read(&camp, REGISTRY);
	for (size_t n = 0; n < strlen(text); n += 7) {
		camp_write(&camp, REGISTRY, loom_arena_cstr(camp.arena, loom_str_make(text, n)));
		ASSERT_STR_EQ(first, listed());
	}
	PASS();
}

TEST what_another_program_changed_is_listed(void)
{
	camp_objective(&camp);
	camp_threads(&camp, "a");
	(void)listed();
	write_strange_records();
	ASSERT(strstr(listed(), "|human|s|"));
	PASS();
}

TEST a_registry_after_each_change_is_the_one_made_from_nothing(void)
{
	enum loom_leslie_status status;

	camp_objective(&camp);
	for (int i = 0; i < 6; i++) {
		const char *kept;

		if (i < 3)
			camp_threads(&camp, i == 0 ? "a" : i == 1 ? "b" : "c");
		else if (i == 3)
			ASSERT_EQ(LOOM_OK, camp_live(&camp, "a", "b"));
		else
			ASSERT_EQ(LOOM_OK, loom_leslie_lifecycle(camp.leslie, LOOM_STR("b"),
								 i == 4 ? LOOM_LESLIE_SUSPEND
									: LOOM_LESLIE_DONE,
								 LOOM_STR(""), &status, &camp.err));
		kept = camp_read(&camp, REGISTRY);
		camp_remove(&camp, REGISTRY);
		(void)listed();
		ASSERT_STR_EQ(kept, camp_read(&camp, REGISTRY));
	}
	PASS();
}

static ino_t inode_of_registry(void)
{
	struct stat st;

	return stat(camp_path(&camp, REGISTRY), &st) == 0 ? st.st_ino : 0;
}

/* A reference is in no line of it. */
TEST a_change_that_no_line_tells_of_leaves_the_registry_in_place(void)
{
	const char *first;
	ino_t inode;

	camp_objective(&camp);
	camp_threads(&camp, "a b");
	first = listed();
	inode = inode_of_registry();
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "a", "b"));
	ASSERT(inode == inode_of_registry());
	ASSERT_STR_EQ(first, listed());
	ASSERT(inode == inode_of_registry());
	PASS();
}

TEST a_registry_whose_head_was_half_written_is_not_believed(void)
{
	char *text;
	const char *first;
	const char *whole;

	camp_objective(&camp);
	camp_threads(&camp, "a b");
	first = listed();
	whole = camp_read(&camp, REGISTRY);
	text = loom_arena_cstr(camp.arena, loom_str_of(whole));
	memcpy(strstr(text, "\"of\": \"") + 10, "77777", 5);
	memcpy(strstr(text, "\"title\": \"") + 10, "Z", 1);
	camp_write(&camp, REGISTRY, text);
	ASSERT_STR_EQ(first, listed());
	ASSERT_STR_EQ(whole, camp_read(&camp, REGISTRY));
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(the_registry_tells_what_the_relations_tell);
	RUN_TEST(a_registry_that_was_changed_by_hand_is_not_believed);
	RUN_TEST(a_registry_cut_anywhere_is_not_believed);
	RUN_TEST(what_another_program_changed_is_listed);
	RUN_TEST(a_registry_after_each_change_is_the_one_made_from_nothing);
	RUN_TEST(a_change_that_no_line_tells_of_leaves_the_registry_in_place);
	RUN_TEST(a_registry_whose_head_was_half_written_is_not_believed);
	GREATEST_MAIN_END();
}
