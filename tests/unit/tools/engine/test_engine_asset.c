/* A spawned thread's files as documents: its own are read and written, what it was given by
 * reference is read, nothing else is reached. */
#include <greatest.h>

#include <loom/leslie/leslie.h>

#include "support/marie.h"

static struct marie marie;
static struct loom_leslie *leslie;

static void leslie_must(enum loom_status status, const struct loom_leslie_err *err)
{
	grove_must(status, &err->err, "leslie");
}

static void spawn(const char *id, struct loom_str objective)
{
	struct loom_leslie_spawn opts = {.objective = objective,
					 .intent = loom_str_of(id),
					 .id = loom_str_of(id)};
	struct loom_leslie_warnings warnings = {.items = NULL};
	struct loom_leslie_err err = {.code = NULL};
	struct loom_str made;

	leslie_must(loom_leslie_spawn(leslie, &opts, marie.grove.arena, &made, &warnings, &err),
		    &err);
}

static void refer(const char *scope, enum loom_leslie_binding binding)
{
	struct loom_leslie_ref opts = {.from = LOOM_STR("thread-mine"), .binding = binding};
	struct loom_leslie_ref_result result;
	struct loom_leslie_err err = {.code = NULL};

	leslie_must(loom_leslie_target_parse(loom_str_of(scope), marie.grove.arena, &opts.target,
					     &err),
		    &err);
	leslie_must(loom_leslie_ref(leslie, &opts, marie.grove.arena, &result, &err), &err);
}

static void file(const char *path, const char *text)
{
	temp_write(&marie.grove.temp, path, loom_str_of(text));
}

static void set_up(void *ctx)
{
	struct loom_leslie_opts opts = {.env = &marie.grove.env, .operator_ = "user"};
	struct loom_leslie_err why = {.code = NULL};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_str objective;
	int64_t thread = 0;

	(void)ctx;
	marie_init(&marie, LOOM_DIALOGUE);
	opts.start = marie.grove.temp.path;
	marie_must(loom_leslie_open(&opts, &leslie, &err), &err);
	leslie_must(loom_objective_new(leslie, LOOM_STR("Write"), (struct loom_str){NULL, 0},
				       marie.grove.arena, &objective, &why),
		    &why);
	objective = loom_arena_str(marie.grove.arena, objective);
	spawn("thread-mine", objective);
	spawn("thread-other", objective);
	marie_must(loom_quiet_begin(marie.grove.store, &err), &err);
	marie_must(loom_quiet_end(marie.grove.store,
				  loom_thread_create(marie.grove.store, LOOM_STR("thread-mine"),
						     marie.agent, marie.tree, &thread, &err),
				  &err),
		   &err);
	marie.opts.thread = thread;
	marie_engine(&marie, marie.agent);
}

static void tear_down(void *ctx)
{
	(void)ctx;
	loom_leslie_close(leslie);
	marie_fini(&marie);
}

#define SAYS(expected, said) ASSERT_STR_EQ((expected), marie_result(&marie, (said)))

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

TEST an_own_asset_is_made_written_and_read_by_its_name(void)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	char *path = temp_path(&marie.grove.temp, ".leslie/threads/thread-mine/plan.md");

	SAYS("✗ NOT_FOUND: document \"plan\" does not exist\n"
	     "  hint: there is doc:\"character notes\"",
	     "→ read doc:\"plan\"");
	SAYS("✓ created doc:\"plan\" (3 words)", "→ write doc:\"plan\" append \"# Plan\nBegin.\"");
	ASSERT(temp_read(path, &text));
	ASSERT_STR_EQ("# Plan\nBegin.", loom_buf_cstr(&text));
	SAYS("✓ appended to doc:\"plan\" (now 4 words)", "→ write doc:\"plan\" append \"Then.\"");
	ASSERT(strstr(marie_result(&marie, "→ read doc:\".leslie/threads/thread-mine/plan.md\""),
		      ")\n# Plan\nBegin.\nThen."));
	free(path);
	loom_buf_fini(&text);
	PASS();
}

TEST a_file_has_no_undo_and_is_listed_all_the_same(void)
{
	struct loom_op *ops = NULL;
	struct loom_err err;
	size_t count = 0;

	(void)marie_say(&marie, "→ bookmark a7x2\n→ write doc:\"plan\" append \"x\"\n"
				"→ tag a7x2 \"t\"");
	marie_must(loom_op_list(marie.grove.store,
				&(struct loom_op_page){.actor = marie.agent, .limit = 10},
				marie.grove.arena, &ops, &count, &err),
		   &err);
	ASSERT_EQ(3, count);
	ASSERT(ops[1].inverse.n > 0);
	ASSERT_EQ(LOOM_CONFLICT,
		  loom_op_undo(marie.grove.store, marie.agent, ops[1].id, NULL, &err));
	PASS();
}

TEST an_own_asset_has_every_name_that_the_disk_gives_it(void)
{
	static const char *const names[] = {"plan",
					    "plan.md",
					    "artifacts/plan.md",
					    ".leslie/threads/thread-mine/artifacts/plan.md",
					    "./.leslie/threads/thread-mine/artifacts/plan.md",
					    "/.leslie/threads/thread-mine/artifacts/plan.md"};

	file(".leslie/threads/thread-mine/artifacts/plan.md", "mine");
	file(".leslie/threads/thread-mine/design/api.md", "mine, too");
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		struct loom_buf line = LOOM_BUF_INIT(4096);

		loom_buf_addf(&line, "→ read doc:\"%s\"", names[i]);
		ASSERTm(names[i], strstr(marie_result(&marie, loom_buf_cstr(&line)), ")\nmine"));
		loom_buf_fini(&line);
	}
	ASSERT(strstr(marie_result(&marie, "→ read doc:\"design/api.md\""), ")\nmine, too"));
	SAYS("✓ created doc:\"progress.md\" (1 word)",
	     "→ write doc:\"progress.md\" append \"Half.\"");
	ASSERT(strstr(marie_result(&marie, "→ read doc:\"progress\""), ")\nHalf."));
	PASS();
}

TEST a_document_of_that_name_wins_and_says_so(void)
{
	file(".leslie/threads/thread-mine/plan.md", "mine");
	marie_doc(&marie, "plan", "the grove's");
	SAYS("doc:\"plan\" (2 words · updated 0s ago)\nthe grove's\n"
	     "  hint: this is the grove's document; the thread's own is "
	     "doc:\".leslie/threads/thread-mine/plan.md\"",
	     "→ read doc:\"plan\"");
	PASS();
}

TEST what_is_referenced_is_read_and_not_written(void)
{
	file(".leslie/threads/thread-other/design/api.md", "frozen words");
	file(".leslie/threads/thread-other/progress.md", "live words");
	refer("thread-other:design", LOOM_LESLIE_BINDING_FROZEN);
	refer("thread-other:progress.md", LOOM_LESLIE_BINDING_LIVE);
	file(".leslie/threads/thread-other/design/api.md", "changed since");
	file(".leslie/threads/thread-other/progress.md", "live words, more");
	ASSERT(strstr(marie_result(&marie,
				   "→ read doc:\".leslie/threads/thread-other/design/api.md\""),
		      "\nfrozen words"));
	ASSERT(strstr(marie_result(&marie,
				   "→ read doc:\".leslie/threads/thread-other/progress.md\""),
		      "\nlive words, more"));
	ASSERT(begins(marie_result(&marie, "→ write doc:\".leslie/threads/thread-other/progress.md"
					   "\" append \"no\""),
		      "✗ PERMISSION_DENIED: "));
	PASS();
}

TEST a_folder_is_read_as_what_is_in_it(void)
{
	file(".leslie/threads/thread-mine/design/a.md", "A");
	file(".leslie/threads/thread-mine/design/b.md", "B");
	ASSERT(strstr(marie_result(&marie, "→ read doc:\"design\""),
		      ")\n.leslie/threads/thread-mine/design/a.md\n"
		      ".leslie/threads/thread-mine/design/b.md") ||
	       strstr(loom_buf_cstr(&marie.out), ")\ndesign/a.md\ndesign/b.md"));
	ASSERT(strstr(marie_result(&marie,
				   "→ read doc:\".leslie/threads/thread-mine/design/b.md\""),
		      "\nB"));
	ASSERT(begins(marie_result(&marie, "→ write doc:\"design\" append \"no\""),
		      "✗ CONFLICT: "));
	PASS();
}

TEST nothing_else_is_reached_by_a_path(void)
{
	static const char *const paths[] = {
		"/etc/passwd",
		"../secret.md",
		".leslie/threads/thread-mine/../thread-other/plan.md",
		".leslie/threads/thread-other/plan.md",
		".leslie/threads/thread-mine/../../../secret.md",
		".leslie/thread_relations.json.bak",
		".leslie/../secret.md",
		".loom/grove.db",
		".leslie/threads/thread-mine/design/../../../../secret.md"};

	file("secret.md", "secret");
	file(".leslie/threads/thread-other/plan.md", "theirs");
	file(".leslie/threads/thread-mine/design/a.md", "A");
	for (size_t i = 0; i < LOOM_COUNT(paths); i++) {
		struct loom_buf line = LOOM_BUF_INIT(4096);

		loom_buf_addf(&line, "→ read doc:\"%s\"", paths[i]);
		if (!begins(marie_result(&marie, loom_buf_cstr(&line)), "✗ ")) {
			printf("%s: %s\n", paths[i], loom_buf_cstr(&marie.out));
			FAIL();
		}
		loom_buf_fini(&line);
	}
	PASS();
}

/* Written there, it would look as if the other thread had got it. */
TEST no_document_is_called_as_a_file_of_a_thread(void)
{
	static const char *const paths[] = {".leslie/threads/thread-other/plan.md",
					    "./.leslie/threads/thread-other/plan.md",
					    "/.leslie/threads/thread-other/plan.md",
					    ".leslie/threads/thread-mine/context/inherited/plan.md",
					    ".leslie/thread_relations.json"};

	for (size_t i = 0; i < LOOM_COUNT(paths); i++) {
		struct loom_buf line = LOOM_BUF_INIT(4096);

		loom_buf_addf(&line, "→ write doc:\"%s\" append \"x\"", paths[i]);
		ASSERT(begins(marie_result(&marie, loom_buf_cstr(&line)), "✗ PERMISSION_DENIED"));
		loom_buf_fini(&line);
	}
	PASS();
}

TEST the_global_plan_is_everybodys(void)
{
	SAYS("✓ created doc:\"global plan\" (2 words)",
	     "→ write doc:\"global plan\" append \"Finish it.\"");
	ASSERT(strstr(marie_result(&marie, "→ read doc:\"global plan\""), ")\nFinish it."));
	SAYS("✓ appended to doc:\"global plan\" (now 4 words)",
	     "→ write doc:\"global plan\" append \"Then rest.\"");
	PASS();
}

TEST without_a_thread_of_ones_own_there_are_no_assets(void)
{
	file(".leslie/threads/thread-mine/plan.md", "mine");
	marie.opts.thread = 0;
	marie_engine(&marie, marie.agent);
	ASSERT(begins(marie_result(&marie, "→ read doc:\"plan\""), "✗ NOT_FOUND"));
	SAYS("✓ created doc:\"plan\" (1 word)", "→ write doc:\"plan\" append \"x\"");
	PASS();
}

SUITE(engine_asset)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(an_own_asset_is_made_written_and_read_by_its_name);
	RUN_TEST(a_file_has_no_undo_and_is_listed_all_the_same);
	RUN_TEST(an_own_asset_has_every_name_that_the_disk_gives_it);
	RUN_TEST(a_document_of_that_name_wins_and_says_so);
	RUN_TEST(what_is_referenced_is_read_and_not_written);
	RUN_TEST(a_folder_is_read_as_what_is_in_it);
	RUN_TEST(nothing_else_is_reached_by_a_path);
	RUN_TEST(no_document_is_called_as_a_file_of_a_thread);
	RUN_TEST(the_global_plan_is_everybodys);
	RUN_TEST(without_a_thread_of_ones_own_there_are_no_assets);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(engine_asset);
	GREATEST_MAIN_END();
}
