/* Threads in the language: seen, spawned, referenced and read by an agent that knows the verbs
 * only, and refused as the command line refuses it. */
#include <greatest.h>

#include <loom/tree/person.h>

#include "support/spawned.h"

static struct marie marie;

static void set_up(void *ctx)
{
	(void)ctx;
	marie_init(&marie, LOOM_DIALOGUE);
	spawned_init(&marie);
}

static void tear_down(void *ctx)
{
	(void)ctx;
	marie_fini(&marie);
}

#define SAYS(expected, said) ASSERT_STR_EQ((expected), marie_result(&marie, (said)))
#define HAS(expected, said)                                                                        \
	do {                                                                                       \
		const char *got_ = marie_result(&marie, (said));                                   \
		if (!strstr(got_, (expected)))                                                     \
			printf("%s: %s\n", (said), got_);                                          \
		ASSERT(strstr(got_, (expected)));                                                  \
	} while (0)

static bool is_there(const char *path, const char *text)
{
	struct loom_buf got = LOOM_BUF_INIT(1 << 20);
	char *full = temp_path(&marie.grove.temp, path);
	bool same = temp_read(full, &got) && loom_str_is(loom_buf_str(&got), text);

	free(full);
	loom_buf_fini(&got);
	return same;
}

#define MINE ".leslie/threads/thread-mine/"

TEST the_threads_are_listed_by_what_they_serve(void)
{
	SAYS("2 threads\n"
	     "objective obj-write \"Write\" · active\n"
	     "  thread-mine · active · this thread\n"
	     "  thread-backend · active\n"
	     "Relations: → read .leslie/thread_relations.json",
	     "→ threads");
	HAS("thread-backend · active · objective obj-write\n  files: ", "→ threads thread-backend");
	HAS("design/api.md", "→ threads thread-backend");
	HAS("✗ NOT_FOUND: ", "→ threads thread-none");
	HAS("obj-write", "→ read .leslie/thread_relations.json");
	PASS();
}

TEST what_is_referenced_is_read_by_its_name(void)
{
	HAS("File not referenced", "→ read plan.md");
	HAS("✓ thread-mine reads thread-backend (frozen, 3 files copied): ",
	    "→ ref thread-backend");
	HAS(")\nv1", "→ read plan.md");
	HAS(")\nthe api", "→ read design/api.md");
	HAS(")\nint a;", "→ read code/a.c");
	HAS(")\nint a;", "→ read doc:\".leslie/threads/thread-backend/artifacts/code/a.c\"");
	temp_write(&marie.grove.temp, ".leslie/threads/thread-backend/plan.md", LOOM_STR("v2"));
	HAS(")\nv1", "→ read plan.md");
	HAS(")\nv1", "→ read .leslie/threads/thread-mine/context/inherited/plan.md");
	HAS("✓ copied again: ", "→ refresh thread-backend:plan.md");
	HAS(")\nv2", "→ read plan.md");
	SAYS("✓ thread-mine no longer reads thread-backend", "→ unref thread-backend");
	HAS("File not referenced", "→ read plan.md");
	PASS();
}

TEST a_live_reference_follows_its_source(void)
{
	HAS("✓ thread-mine reads thread-backend (live)", "→ ref thread-backend:plan.md live");
	temp_write(&marie.grove.temp, ".leslie/threads/thread-backend/plan.md", LOOM_STR("v2"));
	HAS(")\nv2", "→ read plan.md");
	HAS("File not referenced", "→ read design/api.md");
	PASS();
}

TEST of_two_files_of_a_name_the_given_one_is_read_and_the_own_one_named(void)
{
	(void)marie_result(&marie, "→ ref thread-backend:plan.md");
	HAS("✓ created doc:\"plan.md\"", "→ write doc:\"plan.md\" append \"Mine.\"");
	ASSERT(is_there(MINE "plan.md", "Mine."));
	HAS("hint: this is what the thread was given; its own is "
	    "doc:\".leslie/threads/thread-mine/plan.md\"",
	    "→ read plan.md");
	HAS(")\nMine.", "→ read doc:\".leslie/threads/thread-mine/plan.md\"");
	HAS(")\nMine.", "→ read doc:\"plan\"");
	PASS();
}

TEST below_its_artifacts_a_thread_writes_what_it_likes(void)
{
	SAYS("✓ created doc:\"artifacts/code/b.c\" (2 words)",
	     "→ write doc:\"artifacts/code/b.c\" append \"int b;\"");
	ASSERT(is_there(MINE "artifacts/code/b.c", "int b;"));
	HAS("✓ created", "→ write doc:\".leslie/threads/thread-mine/artifacts/notes.txt\" "
			 "append \"n\"");
	HAS(")\nint b;", "→ read doc:\".leslie/threads/thread-mine/artifacts/code/b.c\"");
	HAS("✗ PERMISSION_DENIED",
	    "→ write doc:\".leslie/threads/thread-mine/context/inherited/x\" append \"n\"");
	HAS("✗ PERMISSION_DENIED",
	    "→ write doc:\".leslie/threads/thread-backend/artifacts/x\" append \"n\"");
	HAS("✗ ", "→ write doc:\"artifacts/../../thread-backend/plan.md\" append \"n\"");
	PASS();
}

TEST a_path_is_read_as_it_stands_in_the_block(void)
{
	temp_write(&marie.grove.temp, ".leslie/threads/thread-backend/design/a \"b\" & --c.md",
		   LOOM_STR("odd"));
	(void)marie_result(&marie, "→ ref thread-backend:design");
	HAS(")\nodd", "→ read doc:\".leslie/threads/thread-backend/design/a &quot;b&quot; &amp; "
		      "--c.md\"");
	HAS(")\nodd", "→ read doc:\".leslie/threads/thread-mine/context/inherited/design/a "
		      "&quot;b&quot; &amp; -&#45;c.md\"");
	PASS();
}

TEST a_spawned_thread_serves_what_its_parent_does(void)
{
	const char *said = marie_result(&marie, "→ spawn \"Forms\" ref:thread-backend:plan.md");

	ASSERT(strstr(said, "✓ spawned thread-"));
	ASSERT(strstr(said, "\"Forms\" for objective obj-write"));
	HAS("3 threads", "→ threads");
	HAS("\"Forms\" · active · reads thread-backend (frozen copies", "→ threads");
	HAS("✗ NOT_FOUND: there is no objective \"none\"", "→ spawn \"X\" objective:none");
	HAS("3 threads", "→ threads");
	PASS();
}

TEST a_circle_is_refused_in_the_known_words(void)
{
	HAS("✗ ", "→ ref thread-mine");
	HAS("Circular reference detected (thread-mine → thread-mine)", "→ ref thread-mine");
	ASSERT(strstr(marie_result(&marie, "→ threads thread-mine"), "reads: ") == NULL);
	PASS();
}

TEST its_own_work_is_suspended_and_resumed(void)
{
	SAYS("✓ thread-mine is suspended", "→ suspend");
	HAS("thread-mine · suspended · this thread", "→ threads");
	SAYS("✓ thread-mine is active", "→ resume");
	HAS("✗ ", "→ resume");
	PASS();
}

TEST another_agents_thread_is_left_alone(void)
{
	struct loom_agent other = {.id = 0};
	struct loom_err err = {.status = LOOM_OK};
	int64_t thread = 0;

	marie_must(loom_person_me(marie.grove.store, marie.grove.arena, &other, &err), &err);
	marie_must(loom_quiet_begin(marie.grove.store, &err), &err);
	marie_must(loom_quiet_end(marie.grove.store,
				  loom_thread_create(marie.grove.store, LOOM_STR("thread-backend"),
						     other.id, marie.tree, &thread, &err),
				  &err),
		   &err);
	HAS("✗ PERMISSION_DENIED: thread-backend is another agent's thread",
	    "→ suspend thread-backend");
	HAS("thread-backend · active", "→ threads");
	PASS();
}

TEST without_the_permission_nothing_is_seen_or_done(void)
{
	static const char *const lines[] = {"→ threads",
					    "→ spawn \"X\"",
					    "→ ref thread-backend",
					    "→ unref thread-backend",
					    "→ refresh",
					    "→ suspend",
					    "→ resume"};

	marie_grant(&marie, LOOM_MAY_ALL & ~(unsigned)LOOM_MAY_THREADS);
	for (size_t i = 0; i < LOOM_COUNT(lines); i++)
		ASSERTm(lines[i], strstr(marie_result(&marie, lines[i]),
					 "✗ PERMISSION_DENIED: threads not enabled"));
	PASS();
}

TEST a_thread_that_was_not_spawned_is_told_so(void)
{
	marie.opts.thread = 0;
	marie_engine(&marie, marie.agent);
	HAS("✗ CONFLICT: this thread was not spawned", "→ ref thread-backend");
	HAS("✗ CONFLICT: this thread was not spawned", "→ suspend");
	HAS("2 threads", "→ threads");
	HAS("✓ spawned thread-", "→ spawn \"Forms\"");
	PASS();
}

SUITE(sharing)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(the_threads_are_listed_by_what_they_serve);
	RUN_TEST(what_is_referenced_is_read_by_its_name);
	RUN_TEST(a_live_reference_follows_its_source);
	RUN_TEST(of_two_files_of_a_name_the_given_one_is_read_and_the_own_one_named);
	RUN_TEST(below_its_artifacts_a_thread_writes_what_it_likes);
	RUN_TEST(a_path_is_read_as_it_stands_in_the_block);
	RUN_TEST(a_spawned_thread_serves_what_its_parent_does);
	RUN_TEST(a_circle_is_refused_in_the_known_words);
	RUN_TEST(its_own_work_is_suspended_and_resumed);
	RUN_TEST(another_agents_thread_is_left_alone);
	RUN_TEST(without_the_permission_nothing_is_seen_or_done);
	RUN_TEST(a_thread_that_was_not_spawned_is_told_so);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(sharing);
	GREATEST_MAIN_END();
}
