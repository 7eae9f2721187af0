/* References: frozen and live, refreshed and ended, refused when they close a circle or leave their
 * thread. Cases 25–45 and their kin. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/hash.h>
#include <loom/json.h>

#include "support/clock.h"
#include "support/project.h"

#define RELATIONS ".leslie/thread_relations.json"
#define T         ".leslie/threads/"

static struct project project;

static void set_up(void *ctx)
{
	(void)ctx;
	project_init(&project);
}

static void tear_down(void *ctx)
{
	(void)ctx;
	project_fini(&project);
}

static const char *reason(void)
{
	return loom_arena_cstr(project.arena, project.err.reason);
}

static enum loom_status refresh(const char *from, const char *target, const char *name,
				struct loom_leslie_refreshed *out)
{
	const struct loom_leslie_refresh opts = {.from = loom_str_of(from),
						 .target = loom_str_of(target),
						 .name = loom_str_of(name)};
	enum loom_status status =
		loom_leslie_refresh(project.leslie, &opts, project.arena, out, &project.err);

	project.warnings = out->warnings;
	return status;
}

/* ---- frozen ---- */

TEST a_frozen_reference_copies_at_once(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/artifacts/plan.md", "v1");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	ASSERT_STR_EQ("v1", project_read(&project, T "B/context/inherited/plan.md"));
	ASSERT_STR_EQ("v1", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("v1", project_shared(&project, "B", "artifacts/plan.md", NULL));
	PASS();
}

TEST a_frozen_copy_stays_until_it_is_refreshed(void)
{
	struct loom_leslie_refreshed done;

	project_threads(&project, "A B");
	project_write(&project, T "A/artifacts/plan.md", "v1");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:plan.md"));
	project_write(&project, T "A/artifacts/plan.md", "v2");
	ASSERT_STR_EQ("v1", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_EQ(LOOM_OK, refresh("B", NULL, NULL, &done));
	ASSERT_EQ(1, done.copied_count);
	ASSERT_EQ(0, done.kept);
	ASSERT_STR_EQ("v2", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("v2", project_read(&project, T "B/context/inherited/plan.md"));
	PASS();
}

TEST copies_are_read_only_and_described(void)
{
	struct stat st;
	cJSON *json = NULL;
	const cJSON *copy = NULL;
	struct loom_hash hash = loom_sha256(LOOM_STR("v1"));
	struct loom_buf hex = LOOM_BUF_INIT(128);
	int64_t size = 0;

	project_threads(&project, "A B");
	project_write(&project, T "A/design/api.md", "v1");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:design/"));
	ASSERT_EQ(0, stat(project_path(&project, T "B/context/inherited/design/api.md"), &st));
	ASSERT_EQ(0400, st.st_mode & 0777);
	ASSERT_EQ(LOOM_OK,
		  loom_json_parse(loom_str_of(project_read(&project,
							   T "B/context/inherited/.refs.json")),
				  NULL, &json, NULL));
	copy = loom_json_get(loom_json_get(json, "refs"), "design/api.md");
	loom_hash_hex(&hash, &hex);
	ASSERT(loom_str_is(loom_json_str(copy, "thread"), "A"));
	ASSERT(loom_str_is(loom_json_str(copy, "path"), T "A/design/api.md"));
	ASSERT(loom_str_is(loom_json_str(copy, "sha256"), loom_buf_cstr(&hex)));
	ASSERT(loom_str_is(loom_json_str(copy, "copied_at"), "2026-02-23T10:00:00.000Z"));
	ASSERT(loom_json_int(copy, "size", &size));
	ASSERT_EQ(2, size);
	loom_buf_fini(&hex);
	cJSON_Delete(json);
	PASS();
}

TEST a_whole_thread_is_shared_without_its_conversation_and_context(void)
{
	project_threads(&project, "A B C");
	project_write(&project, T "C/plan.md", "c");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "A", "C"));
	project_write(&project, T "A/plan.md", "p");
	project_write(&project, T "A/notes.txt", "n");
	project_write(&project, T "A/artifacts/code/main.c", "m");
	project_write(&project, T "A/transcript.md", "secret");
	project_write(&project, T "A/artifacts/transcript/1.md", "secret");
	project_write(&project, T "A/.meta/transcripts/x.txt", "secret");
	project_write(&project, T "A/.meta/injections.log", "secret");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	ASSERT_STR_EQ("p", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("n", project_shared(&project, "B", "notes.txt", NULL));
	ASSERT_STR_EQ("m", project_shared(&project, "B", "code/main.c", NULL));
	ASSERT(!project_shared(&project, "B", "transcript.md", NULL));
	ASSERT(!project_has(&project, T "B/context/inherited/transcript.md"));
	ASSERT(!project_has(&project, T "B/context/inherited/transcript"));
	ASSERT(!project_has(&project, T "B/context/inherited/.meta"));
	ASSERT(!project_has(&project, T "B/context/inherited/context"));
	PASS();
}

TEST a_conversation_is_shared_when_it_is_named(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/transcript.md", "said");
	project_write(&project, T "A/.meta/transcripts/x.txt", "more");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:transcript.md,.meta/transcripts"));
	ASSERT_STR_EQ("said", project_shared(&project, "B", "transcript.md", NULL));
	ASSERT_STR_EQ("more", project_shared(&project, "B", ".meta/transcripts/x.txt", NULL));
	ASSERT_STR_EQ("ref A transcript A/transcript.md|ref A transcript A/.meta/transcripts/",
		      project_assets(&project, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST bytes_are_kept_whatever_they_are(void)
{
	char big[200000];

	for (size_t i = 0; i < sizeof(big) - 1; i++)
		big[i] = (char)(1 + i * 7 % 255);
	big[sizeof(big) - 1] = '\0';
	project_threads(&project, "A B");
	project_write(&project, T "A/code/blob", big);
	project_write(&project, T "A/code/empty", "");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:code"));
	ASSERT_STR_EQ(big, project_shared(&project, "B", "code/blob", NULL));
	ASSERT_STR_EQ("", project_shared(&project, "B", "code/empty", NULL));
	PASS();
}

TEST a_refresh_removes_what_vanished_and_adds_what_came(void)
{
	struct loom_leslie_refreshed done;

	project_threads(&project, "A B");
	project_write(&project, T "A/design/old.md", "old");
	project_write(&project, T "A/design/deep/er.md", "deep");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	project_remove(&project, T "A/design/old.md");
	project_remove(&project, T "A/design/deep");
	project_write(&project, T "A/design/new.md", "new");
	project_write(&project, T "A/learnings/l.md", "l");
	ASSERT_EQ(LOOM_OK, refresh("B", "A", NULL, &done));
	ASSERT(!project_has(&project, T "B/context/inherited/design/old.md"));
	ASSERT(!project_has(&project, T "B/context/inherited/design/deep"));
	ASSERT(!project_shared(&project, "B", "design/old.md", NULL));
	ASSERT_STR_EQ("new", project_shared(&project, "B", "design/new.md", NULL));
	ASSERT_STR_EQ("ref A design A/design/|ref A learnings A/learnings/",
		      project_assets(&project, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST a_refresh_of_a_source_that_is_gone_keeps_the_copies(void)
{
	struct loom_leslie_refreshed done;

	project_threads(&project, "A B C");
	project_write(&project, T "A/plan.md", "a1");
	project_write(&project, T "C/progress.md", "c1");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "C"));
	project_remove(&project, T "A");
	project_write(&project, T "C/progress.md", "c2");
	ASSERT_EQ(LOOM_OK, refresh("B", NULL, NULL, &done));
	ASSERT_EQ(1, done.kept);
	ASSERT(project_warned(&project, "Referenced Thread A not found"));
	ASSERT_STR_EQ("a1", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("c2", project_shared(&project, "B", "progress.md", NULL));
	PASS();
}

TEST a_refresh_is_of_a_reference_wholly_or_not_at_all(void)
{
	struct loom_leslie_refreshed done;

	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "p1");
	project_write(&project, T "A/design.md", "d1");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:plan.md,design.md"));
	project_remove(&project, T "A/plan.md");
	project_write(&project, T "A/design.md", "d2");
	ASSERT_EQ(LOOM_OK, refresh("B", "A", NULL, &done));
	ASSERT_EQ(1, done.kept);
	ASSERT_STR_EQ("p1", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("d1", project_shared(&project, "B", "design.md", NULL));
	ASSERT_EQ(LOOM_OK, refresh("B", "A", "design.md", &done));
	ASSERT_EQ(0, done.kept);
	ASSERT_STR_EQ("p1", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("d2", project_shared(&project, "B", "design.md", NULL));
	PASS();
}

TEST a_named_refresh_changes_that_name_only(void)
{
	struct loom_leslie_refreshed done;

	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "p1");
	project_write(&project, T "A/design/x.md", "x1");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	project_write(&project, T "A/plan.md", "p2");
	project_write(&project, T "A/design/x.md", "x2");
	project_write(&project, T "A/learnings/l.md", "l");
	ASSERT_EQ(LOOM_OK, refresh("B", NULL, "design", &done));
	ASSERT_STR_EQ("p1", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("x2", project_shared(&project, "B", "design/x.md", NULL));
	ASSERT_STR_EQ("ref A plan A/plan.md|ref A design A/design/",
		      project_assets(&project, "B", LOOM_CONTEXT_LOAD));
	/* the whole is still what the reference means */
	ASSERT_EQ(LOOM_OK, refresh("B", NULL, NULL, &done));
	ASSERT_STR_EQ("p2", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("l", project_shared(&project, "B", "learnings/l.md", NULL));
	ASSERT_EQ(LOOM_NOT_FOUND, refresh("B", NULL, "nothing.md", &done));
	ASSERT_EQ(LOOM_NOT_FOUND, refresh("B", "C", NULL, &done));
	ASSERT_EQ(LOOM_PATH, refresh("B", NULL, "../x", &done));
	PASS();
}

TEST referencing_again_copies_what_is_named_and_no_more(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "p1");
	project_write(&project, T "A/design.md", "d1");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:plan.md"));
	project_write(&project, T "A/plan.md", "p2");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:design.md"));
	ASSERT_STR_EQ("p1", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("d1", project_shared(&project, "B", "design.md", NULL));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:plan.md"));
	ASSERT_STR_EQ("p2", project_shared(&project, "B", "plan.md", NULL));
	PASS();
}

TEST a_missing_scope_refuses_the_reference(void)
{
	const char *before = NULL;

	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "p");
	before = project_picture(&project);
	ASSERT_EQ(LOOM_NOT_FOUND, project_freeze(&project, "B", "A:plan.md,none.md"));
	ASSERT_STR_EQ("T202", project.err.code);
	ASSERT_STR_EQ(before, project_picture(&project));
	PASS();
}

TEST the_root_comes_before_artifacts(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "root");
	project_write(&project, T "A/artifacts/plan.md", "below");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	ASSERT_STR_EQ("root", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("below", project_shared(&project, "B", "artifacts/plan.md", NULL));
	PASS();
}

/* ---- live ---- */

TEST a_live_reference_reads_the_original(void)
{
	cJSON *json = NULL;
	const cJSON *pointer = NULL;

	project_threads(&project, "A B");
	project_write(&project, T "A/artifacts/design.md", "v1");
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A:artifacts/design.md"));
	ASSERT_STR_EQ("v1", project_shared(&project, "B", "design.md", NULL));
	project_write(&project, T "A/artifacts/design.md", "v2");
	ASSERT_STR_EQ("v2", project_shared(&project, "B", "design.md", NULL));
	ASSERT(!project_has(&project, T "B/context/inherited/design.md"));
	ASSERT_EQ(LOOM_OK, loom_json_parse(loom_str_of(project_read(&project,
								    T "B/context/live/.refs.json")),
					   NULL, &json, NULL));
	ASSERT(loom_str_is(loom_json_str(json, "version"), "1.0"));
	pointer = loom_json_get(loom_json_get(json, "refs"), "design.md");
	ASSERT(loom_str_is(loom_json_str(pointer, "thread"), "A"));
	ASSERT(loom_str_is(loom_json_str(pointer, "path"), T "A/artifacts/design.md"));
	ASSERT(loom_str_starts(loom_json_str(pointer, "ref_id"), LOOM_STR("ref-")));
	ASSERT(loom_json_get(pointer, "created_at"));
	cJSON_Delete(json);
	PASS();
}

TEST frozen_wins_over_live(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "v1");
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A:plan.md"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:plan.md"));
	project_write(&project, T "A/plan.md", "v2");
	ASSERT_STR_EQ("v1", project_shared(&project, "B", "plan.md", NULL));
	PASS();
}

TEST a_whole_live_reference_gives_what_is_there_now(void)
{
	project_threads(&project, "A B");
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A"));
	ASSERT_STR_EQ("", project_assets(&project, "B", LOOM_CONTEXT_LOAD));
	project_write(&project, T "A/artifacts/learnings/x.md", "x");
	project_write(&project, T "A/transcript.md", "secret");
	project_write(&project, T "A/context/inherited/mine.md", "secret");
	ASSERT_STR_EQ("ref A learnings A/artifacts/learnings/",
		      project_assets(&project, "B", LOOM_CONTEXT_LOAD));
	ASSERT_STR_EQ("x", project_shared(&project, "B", "learnings/x.md", NULL));
	ASSERT(!project_shared(&project, "B", "transcript.md", NULL));
	ASSERT(!project_shared(&project, "B", "context/inherited/mine.md", NULL));
	ASSERT_STR_EQ("File not referenced", project.err.err.text);
	PASS();
}

TEST a_live_folder_gives_what_is_below_it(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/design/a.md", "a");
	project_write(&project, T "A/plan.md", "p");
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A:design"));
	project_write(&project, T "A/design/b.md", "b");
	ASSERT_STR_EQ("b", project_shared(&project, "B", "design/b.md", NULL));
	ASSERT(!project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("ref A design A/design/", project_assets(&project, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST a_live_file_may_come_later(void)
{
	project_threads(&project, "A B");
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A:design.md"));
	ASSERT_EQ(1, project.warnings.count);
	ASSERT(!project_shared(&project, "B", "design.md", NULL));
	ASSERT_STR_EQ("T202", project.err.code);
	project_write(&project, T "A/artifacts/design.md", "now");
	ASSERT_STR_EQ("now", project_shared(&project, "B", "design.md", NULL));
	PASS();
}

TEST a_live_original_that_is_gone_is_said_to_be_so(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "p");
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A:plan.md"));
	project_remove(&project, T "A/plan.md");
	ASSERT(!project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("T202", project.err.code);
	project_remove(&project, T "A");
	ASSERT(!project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("T202", project.err.code);
	PASS();
}

TEST a_flat_map_of_pointers_is_read(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "p");
	project_write(&project, T "B/context/live/.refs.json",
		      "{\"plan.md\": \".leslie/threads/A/plan.md\"}");
	ASSERT_STR_EQ("p", project_shared(&project, "B", "plan.md", NULL));
	PASS();
}

/* ---- reading ---- */

TEST what_nobody_referenced_is_not_read(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "p");
	project_write(&project, T "A/other.md", "o");
	ASSERT(!project_shared(&project, "B", "other.md", NULL));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:plan.md"));
	ASSERT(!project_shared(&project, "B", "other.md", NULL));
	ASSERT_STR_EQ("File not referenced", project.err.err.text);
	ASSERT(!project_shared(&project, "B", ".refs.json", NULL));
	ASSERT(!project_shared(&project, "none", "plan.md", NULL));
	ASSERT_STR_EQ("T101", project.err.code);
	PASS();
}

TEST own_files_are_read_when_that_is_asked_for(void)
{
	struct loom_leslie_read opts = {.thread = LOOM_STR("A"), .name = LOOM_STR("plan.md")};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	project_threads(&project, "A");
	project_write(&project, T "A/artifacts/plan.md", "mine");
	ASSERT_EQ(LOOM_NOT_FOUND, loom_leslie_read(project.leslie, &opts, &text, &project.err));
	opts.own = true;
	ASSERT_EQ(LOOM_OK, loom_leslie_read(project.leslie, &opts, &text, &project.err));
	ASSERT_STR_EQ("mine", loom_buf_cstr(&text));
	loom_buf_fini(&text);
	PASS();
}

TEST two_sources_of_one_name_are_kept_apart(void)
{
	project_threads(&project, "A B C");
	project_write(&project, T "A/plan.md", "a");
	project_write(&project, T "B/artifacts/plan.md", "b");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "C", "A"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "C", "B"));
	ASSERT_EQ(1, project.warnings.count);
	ASSERT_STR_EQ("a", project_read(&project, T "C/context/inherited/plan.md"));
	ASSERT_STR_EQ("b", project_read(&project, T "C/context/inherited/B/plan.md"));
	ASSERT_STR_EQ("a", project_shared(&project, "C", "plan.md", NULL));
	ASSERT_STR_EQ("a", project_shared(&project, "C", "plan.md", "A"));
	ASSERT_STR_EQ("b", project_shared(&project, "C", "plan.md", "B"));
	ASSERT_STR_EQ("b", project_shared(&project, "C", "B/plan.md", NULL));
	ASSERT(!project_shared(&project, "C", "plan.md", "X"));
	PASS();
}

TEST two_live_sources_of_one_name_are_kept_apart(void)
{
	project_threads(&project, "A B C");
	project_write(&project, T "A/plan.md", "a");
	project_write(&project, T "B/plan.md", "b");
	ASSERT_EQ(LOOM_OK, project_live(&project, "C", "A:plan.md"));
	ASSERT_EQ(LOOM_OK, project_live(&project, "C", "B:plan.md"));
	ASSERT_EQ(1, project.warnings.count);
	ASSERT_STR_EQ("a", project_shared(&project, "C", "plan.md", NULL));
	ASSERT_STR_EQ("b", project_shared(&project, "C", "plan.md", "B"));
	ASSERT_STR_EQ("ref A plan A/plan.md|ref B plan B/plan.md",
		      project_assets(&project, "C", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST a_file_of_one_source_and_a_folder_of_another_get_along(void)
{
	project_threads(&project, "A B C");
	project_write(&project, T "A/x", "file");
	project_write(&project, T "B/x/y", "below");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "C", "A:x"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "C", "B:x"));
	ASSERT_STR_EQ("file", project_shared(&project, "C", "x", NULL));
	ASSERT_STR_EQ("below", project_shared(&project, "C", "x/y", NULL));
	PASS();
}

TEST copies_that_another_program_made_are_read_and_kept(void)
{
	project_threads(&project, "A B C");
	project_write(&project, T "A/plan.md", "new");
	project_write(&project, T "C/progress.md", "c");
	project_write(&project, T "B/context/inherited/A/plan.md", "old");
	project_write(&project, T "B/context/inherited/by-hand.md", "hand");
	project_write(
		&project, RELATIONS,
		"{\"version\":\"1.0\",\"metadata\":{\"last_updated\":\"2026-02-23T10:00:00Z\","
		"\"thread_count\":3},\"threads\":{\"A\":{\"id\":\"A\",\"objective\":\"obj\"},"
		"\"B\":{\"id\":\"B\",\"objective\":\"obj\"},"
		"\"C\":{\"id\":\"C\",\"objective\":\"obj\"}},"
		"\"operations\":[{\"id\":\"op-1\",\"command\":\"reference\",\"params\":"
		"{\"from_id\":\"B\",\"to_id\":\"A\",\"scope\":[],\"binding\":\"frozen\"}}],"
		"\"relations\":{\"B\":{\"children\":[],\"references_to\":[\"A\"],"
		"\"referenced_by\":[],\"depends_on\":[]}}}");
	ASSERT_STR_EQ("old", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("hand", project_shared(&project, "B", "by-hand.md", NULL));
	ASSERT_STR_EQ("ref A plan A/plan.md", project_assets(&project, "B", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "C"));
	ASSERT_STR_EQ("old", project_read(&project, T "B/context/inherited/A/plan.md"));
	ASSERT_STR_EQ("hand", project_read(&project, T "B/context/inherited/by-hand.md"));
	{
		struct loom_leslie_refreshed done;

		ASSERT_EQ(LOOM_OK, refresh("B", "A", NULL, &done));
		ASSERT_EQ(0, done.kept);
	}
	ASSERT_STR_EQ("new", project_shared(&project, "B", "plan.md", NULL));
	PASS();
}

TEST a_name_made_by_hand_is_not_overwritten(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "a");
	project_write(&project, T "B/context/inherited/plan.md", "hand");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	ASSERT_STR_EQ("hand", project_read(&project, T "B/context/inherited/plan.md"));
	ASSERT_STR_EQ("a", project_shared(&project, "B", "plan.md", "A"));
	PASS();
}

/* ---- ending a reference ---- */

TEST an_ended_reference_takes_its_copies_with_it(void)
{
	cJSON *json = NULL;

	project_threads(&project, "A B C");
	project_write(&project, T "A/plan.md", "a");
	project_write(&project, T "A/design/d.md", "d");
	project_write(&project, T "C/progress.md", "c");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A:plan.md"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "C"));
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_unref(project.leslie, LOOM_STR("B"), LOOM_STR("A"), &project.err));
	ASSERT(!project_shared(&project, "B", "plan.md", NULL));
	ASSERT(!project_has(&project, T "B/context/inherited/plan.md"));
	ASSERT(!project_has(&project, T "B/context/inherited/design"));
	ASSERT_STR_EQ("c", project_shared(&project, "B", "progress.md", NULL));
	ASSERT_STR_EQ("ref C progress C/progress.md",
		      project_assets(&project, "B", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(LOOM_OK, loom_json_parse(loom_str_of(project_read(&project, RELATIONS)), NULL,
					   &json, NULL));
	ASSERT_EQ(0, cJSON_GetArraySize(
			     loom_json_get(loom_json_get(loom_json_get(json, "relations"), "A"),
					   "referenced_by")));
	cJSON_Delete(json);
	/* a circle that is no more is no more in the way */
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "A", "B"));
	ASSERT_EQ(LOOM_NOT_FOUND,
		  loom_leslie_unref(project.leslie, LOOM_STR("B"), LOOM_STR("A"), &project.err));
	PASS();
}

/* ---- broken ---- */

TEST a_broken_reference_warns_and_never_blocks(void)
{
	project_threads(&project, "A B C");
	project_write(&project, T "B/plan.md", "b");
	project_write(&project, T "C/plan.md", "c");
	ASSERT_EQ(LOOM_OK, project_live(&project, "A", "B"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "A", "C"));
	project_remove(&project, T "B");
	ASSERT_STR_EQ("ref C plan C/plan.md", project_assets(&project, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(1, project.warnings.count);
	ASSERT(project_warned(&project, "Referenced Thread B not found"));
	project_remove(&project, T "C");
	ASSERT_STR_EQ("", project_assets(&project, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(2, project.warnings.count);
	ASSERT_STR_EQ("c", project_shared(&project, "A", "plan.md", NULL));
	PASS();
}

TEST a_reference_to_nobody_is_kept_and_comes_true(void)
{
	project_threads(&project, "A");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "A", "later"));
	ASSERT(project_warned(&project, "Referenced Thread later not found"));
	ASSERT_EQ(LOOM_OK, project_spawn(&project, "B", "later", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT(project_warned(&project, "Referenced Thread later not found"));
	project_threads(&project, "later");
	project_write(&project, T "later/plan.md", "x");
	ASSERT_STR_EQ("ref later plan later/plan.md",
		      project_assets(&project, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(0, project.warnings.count);
	{
		struct loom_leslie_thread thread;

		ASSERT_EQ(LOOM_OK, loom_leslie_thread(project.leslie, LOOM_STR("later"),
						      project.arena, &thread, NULL));
		ASSERT_EQ(2, thread.referenced_by_count);
	}
	PASS();
}

/* ---- circles ---- */

TEST a_thread_cannot_reference_itself(void)
{
	const char *before = NULL;

	project_threads(&project, "A");
	before = project_picture(&project);
	ASSERT_EQ(LOOM_REFUSED, project_freeze(&project, "A", "A"));
	ASSERT_STR_EQ("T201", project.err.code);
	ASSERT_STR_EQ("Cannot reference A from A", project.err.err.text);
	ASSERT_STR_EQ("Circular reference detected (A → A)", reason());
	ASSERT_STR_EQ(before, project_picture(&project));
	PASS();
}

TEST a_circle_is_refused_and_shown_from_its_smallest_id(void)
{
	const char *before = NULL;

	project_threads(&project, "thread-A thread-B thread-C");
	ASSERT_EQ(LOOM_OK, project_live(&project, "thread-A", "thread-B"));
	ASSERT_EQ(LOOM_OK, project_live(&project, "thread-C", "thread-A"));
	before = project_picture(&project);
	ASSERT_EQ(LOOM_REFUSED, project_live(&project, "thread-B", "thread-C"));
	ASSERT_STR_EQ("Cannot reference thread-C from thread-B", project.err.err.text);
	ASSERT_STR_EQ("Circular reference detected (thread-A → thread-B → thread-C → thread-A)",
		      reason());
	ASSERT_STR_EQ(before, project_picture(&project));
	ASSERT_EQ(LOOM_REFUSED, project_live(&project, "thread-A", "thread-C"));
	ASSERT_STR_EQ("Circular reference detected (thread-A → thread-C → thread-A)", reason());
	PASS();
}

TEST spawning_into_a_circle_is_refused_in_the_seed_s_words(void)
{
	const char *before = NULL;

	project_threads(&project, "thread-A thread-C");
	ASSERT_EQ(LOOM_OK, project_live(&project, "thread-A", "thread-B"));
	ASSERT_EQ(LOOM_OK, project_live(&project, "thread-C", "thread-A"));
	before = project_picture(&project);
	ASSERT_EQ(LOOM_REFUSED,
		  project_spawn(&project, "thread-B", "thread-C", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_STR_EQ("Cannot create Thread with --ref thread-C", project.err.err.text);
	ASSERT_STR_EQ("Circular reference detected (thread-A → thread-B → thread-C → thread-A)",
		      reason());
	ASSERT_STR_EQ(before, project_picture(&project));
	ASSERT_EQ(LOOM_REFUSED,
		  project_spawn(&project, "X", "thread-A X", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_STR_EQ(before, project_picture(&project));
	PASS();
}

TEST a_diamond_is_no_circle(void)
{
	project_threads(&project, "A B C D");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "A", "B"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "A", "C"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "D"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "C", "D"));
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "A", "D"));
	ASSERT_EQ(LOOM_REFUSED, project_freeze(&project, "D", "A"));
	PASS();
}

#define CHAIN 20000

static void write_chain(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(&text, "{\"version\":\"1.0\",\"threads\":{");
	for (int i = 0; i < CHAIN; i++)
		loom_buf_addf(&text, "%s\"t%05d\":{\"id\":\"t%05d\",\"objective\":\"obj\"}",
			      i ? ",\n" : "", i, i);
	loom_buf_adds(&text, "},\"relations\":{");
	for (int i = 0; i < CHAIN; i++)
		loom_buf_addf(&text,
			      "%s\"t%05d\":{\"children\":[],\"references_to\":[%s%05d%s],"
			      "\"referenced_by\":[],\"depends_on\":[]}",
			      i ? ",\n" : "", i, i + 1 < CHAIN ? "\"t" : "\"end",
			      i + 1 < CHAIN ? i + 1 : 0, "\"");
	loom_buf_adds(&text, "}}\n");
	project_write(&project, RELATIONS, loom_buf_cstr(&text));
	loom_buf_fini(&text);
}

TEST a_chain_of_twenty_thousand_is_checked_in_no_time(void)
{
	int64_t before = 0;
	int64_t took = 0;
	size_t arrows = 0;

	project_objective(&project);
	write_chain();
	before = clock_ms();
	ASSERT_EQ(LOOM_REFUSED, project_live(&project, "t19999", "t00000"));
	took = clock_ms() - before;
	ASSERT_STR_EQ("T201", project.err.code);
	for (const char *at = reason(); (at = strstr(at, " → ")); at++)
		arrows++;
	ASSERT_EQ(CHAIN, arrows);
	ASSERT(loom_str_ends(project.err.reason, LOOM_STR("t19999 → t00000)")));
#ifndef LOOM_INSTRUMENTED
	ASSERT(took < 500);
#endif
	ASSERT_EQ(LOOM_OK, project_live(&project, "t00000", "t19999"));
	PASS();
}

/* ---- paths ---- */

TEST scopes_that_leave_the_thread_are_refused_and_change_nothing(void)
{
	static const char *const bad[] = {
		"../../../x",
		"/etc/x",
		"a/../../x",
		"..",
		".",
		"./plan.md",
		"a//b",
		"a/./b",
		"a\\b",
		"bad\x01name",
		"tab\there",
		"line\nbreak",
		"rlo\xe2\x80\xaegnp.md",
		"zero\xe2\x80\x8bwidth",
		"\xff\xfe",
		"c1\xc2\x9b",
		"context/inherited/x",
		"context",
		".meta",
		".meta/injections.log",
		".refs.json",
		"",
	};
	const char *before = NULL;

	project_threads(&project, "A B");
	project_write(&project, "x", "outside");
	project_write(&project, T "A/plan.md", "p");
	project_write(&project, T "A/context/inherited/x", "x");
	before = project_picture(&project);
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		char target[128];

		snprintf(target, sizeof(target), "A:%s", bad[i]);
		ASSERT_EQm(bad[i], LOOM_PATH, project_freeze(&project, "B", target));
		ASSERT_STR_EQm(bad[i], "T203", project.err.code);
		ASSERT_EQm(bad[i], LOOM_PATH, project_live(&project, "B", target));
		ASSERT_EQm(bad[i], LOOM_PATH,
			   project_spawn(&project, "N", target, LOOM_LESLIE_BINDING_FROZEN));
	}
	ASSERT_STR_EQ(before, project_picture(&project));
	PASS();
}

TEST targets_that_are_no_ids_are_refused(void)
{
	static const char *const bad[] = {"..", "../A", "A/..", ".global", "", "A B", "/etc"};
	const char *before = NULL;

	project_threads(&project, "A B");
	before = project_picture(&project);
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		ASSERT_EQm(bad[i], LOOM_PATH, project_freeze(&project, "B", bad[i]));
		ASSERT_STR_EQm(bad[i], "T203", project.err.code);
	}
	ASSERT_EQ(LOOM_NOT_FOUND, project_freeze(&project, "..", "A"));
	ASSERT_STR_EQ(before, project_picture(&project));
	PASS();
}

static void link_to(const char *target, const char *path)
{
	project_remove(&project, path);
	if (symlink(target, project_path(&project, path)) < 0)
		exit(1);
}

TEST links_are_refused_wherever_they_stand(void)
{
	const char *before = NULL;

	project_threads(&project, "A B C D E");
	project_write(&project, "outside/secret", "s");
	project_write(&project, T "A/plan.md", "p");
	link_to("plan.md", T "A/alias.md");
	link_to("/etc/passwd", T "A/passwd");
	link_to("../../../outside", T "A/out");
	project_write(&project, T "C/design/fine.md", "f");
	link_to("../../../../outside/secret", T "C/design/evil.md");
	link_to("../../../outside", T "D/artifacts");
	before = project_picture(&project);
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "A:alias.md"));
	ASSERT_STR_EQ("T203", project.err.code);
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "A:passwd"));
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "A:out"));
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "A:out/secret"));
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "A"));
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "C:design"));
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "C"));
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "D"));
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "D:secret"));
	ASSERT_EQ(LOOM_PATH, project_live(&project, "B", "A:passwd"));
	ASSERT_EQ(LOOM_PATH, project_live(&project, "B", "A:out/secret"));
	ASSERT_EQ(LOOM_PATH, project_spawn(&project, "N", "A:passwd", LOOM_LESLIE_BINDING_LIVE));
	ASSERT_STR_EQ(before, project_picture(&project));
	PASS();
}

TEST a_link_that_comes_later_is_not_read_through(void)
{
	project_threads(&project, "A B");
	project_write(&project, "outside/secret", "s");
	project_write(&project, T "A/design/x.md", "x");
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A"));
	ASSERT_STR_EQ("x", project_shared(&project, "B", "design/x.md", NULL));
	project_remove(&project, T "A/design");
	link_to("../../../outside", T "A/design");
	ASSERT(!project_shared(&project, "B", "design/secret", NULL));
	ASSERT_STR_EQ("", project_assets(&project, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST names_to_read_are_checked_like_scopes(void)
{
	static const char *const bad[] = {"../x", "/etc/passwd", "a/../../b", "", "a\\b", "x\x01"};

	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "p");
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A"));
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		ASSERTm(bad[i], !project_shared(&project, "B", bad[i], NULL));
		ASSERT_STR_EQm(bad[i], "T203", project.err.code);
	}
	PASS();
}

TEST files_with_a_second_name_pipes_and_devices_are_not_copied(void)
{
	const char *before = NULL;

	project_threads(&project, "A B C");
	project_write(&project, "outside", "s");
	project_write(&project, T "A/x", "");
	project_remove(&project, T "A/x");
	ASSERT_EQ(0, link(project_path(&project, "outside"), project_path(&project, T "A/x")));
	ASSERT_EQ(0, mkfifo(project_path(&project, T "C/pipe"), 0600));
	before = project_picture(&project);
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "A:x"));
	ASSERT_STR_EQ("T203", project.err.code);
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "A"));
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "C:pipe"));
	ASSERT_EQ(LOOM_PATH, project_freeze(&project, "B", "C"));
	ASSERT_EQ(LOOM_PATH, project_live(&project, "B", "C:pipe"));
	ASSERT_STR_EQ(before, project_picture(&project));
	ASSERT_EQ(LOOM_OK, project_live(&project, "B", "C"));
	ASSERT(!project_shared(&project, "B", "pipe", NULL));
	PASS();
}

TEST files_of_the_store_are_not_copied(void)
{
	struct loom_leslie_opts opts = {.start = project.temp.path, .env = &project.env};
	struct loom_leslie_ref ref = {.from = LOOM_STR("B"), .target = {.thread = LOOM_STR("A")}};
	struct loom_leslie_ref_result out;
	struct loom_file_id store;
	struct loom_leslie *leslie = NULL;
	struct stat st;

	project_threads(&project, "A B");
	project_write(&project, T "A/grove.db", "store");
	ASSERT_EQ(0, stat(project_path(&project, T "A/grove.db"), &st));
	store = (struct loom_file_id){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
	opts.refused = &store;
	opts.refused_count = 1;
	ASSERT_EQ(LOOM_OK, loom_leslie_open(&opts, &leslie, NULL));
	ASSERT_EQ(LOOM_PATH, loom_leslie_ref(leslie, &ref, project.arena, &out, &project.err));
	ASSERT_STR_EQ("T203", project.err.code);
	loom_leslie_close(leslie);
	PASS();
}

TEST too_deep_is_refused(void)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *before = NULL;

	project_threads(&project, "A B");
	loom_buf_adds(&path, T "A");
	for (int i = 0; i < 32; i++)
		loom_buf_adds(&path, "/d");
	loom_buf_adds(&path, "/f");
	project_write(&project, loom_buf_cstr(&path), "x");
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	loom_buf_cut(&path, path.n - 1);
	loom_buf_adds(&path, "d/f");
	project_write(&project, loom_buf_cstr(&path), "x");
	before = project_picture(&project);
	ASSERT_EQ(LOOM_LIMIT, project_freeze(&project, "B", "A"));
	ASSERT_STR_EQ(before, project_picture(&project));
	loom_buf_fini(&path);
	PASS();
}

TEST too_many_bytes_are_refused(void)
{
	project_threads(&project, "A B");
	project_write(&project, T "A/huge", "x");
	ASSERT_EQ(0, truncate(project_path(&project, T "A/huge"), ((off_t)1 << 30) + 1));
	ASSERT_EQ(LOOM_LIMIT, project_freeze(&project, "B", "A"));
	ASSERT(!project_has(&project, T "B/context/inherited/huge"));
	PASS();
}

/* ---- races ---- */

static pid_t in_a_process(void (*work)(void))
{
	pid_t child = fork();

	if (child == 0) {
		work();
		_exit(0);
	}
	return child;
}

static void stop(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void keep_writing(void)
{
	char block[4096];
	int fd = open(project_path(&project, T "A/busy.log"), O_WRONLY | O_APPEND);

	memset(block, 'x', sizeof(block));
	for (;;) {
		if (write(fd, block, 64) < 0)
			_exit(1);
		if (lseek(fd, 0, SEEK_END) > (8 << 20) && ftruncate(fd, 1 << 20) < 0)
			_exit(1);
	}
}

TEST a_file_that_is_being_written_is_not_taken_half(void)
{
	char *big = loom_alloc((4 << 20) + 1);
	pid_t child = 0;
	const char *before = NULL;

	memset(big, 'y', 4 << 20);
	project_threads(&project, "A B");
	project_write(&project, T "A/busy.log", big);
	free(big);
	before = project_picture(&project);
	child = in_a_process(keep_writing);
	ASSERT_EQ(LOOM_CONFLICT, project_freeze(&project, "B", "A:busy.log"));
	stop(child);
	ASSERT_STR_EQ("T204", project.err.code);
	ASSERT(strstr(reason(), "CHANGED_DURING_COPY"));
	ASSERT(!project_has(&project, T "B/context/inherited/busy.log"));
	(void)before;
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A:busy.log"));
	PASS();
}

static void keep_exchanging(void)
{
	const char *a = project_path(&project, T "A/design");
	const char *b = project_path(&project, "trap");

	for (;;)
		renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

/* `trap` is a link to a folder outside; it changes places with A's design/ all the time. */
TEST no_exchange_of_names_lets_a_secret_in(void)
{
	pid_t child = 0;
	int64_t until = 0;
	int copied = 0;

	project_threads(&project, "A B");
	project_write(&project, "outside/x.md", "secret");
	project_write(&project, T "A/design/x.md", "fine");
	link_to("outside", "trap");
	link_to(project_path(&project, "outside"), "trap2");
	child = in_a_process(keep_exchanging);
	until = clock_ms() + 1500;
	while (clock_ms() < until) {
		const char *text = NULL;

		if (project_freeze(&project, "B", "A:design/x.md") == LOOM_OK)
			copied++;
		text = project_read(&project, T "B/context/inherited/design/x.md");
		ASSERT(!text || strcmp(text, "fine") == 0);
		text = project_shared(&project, "B", "design/x.md", NULL);
		ASSERT(!text || strcmp(text, "fine") == 0);
		loom_arena_reset(project.arena);
	}
	stop(child);
	ASSERT(copied > 0);
	PASS();
}

static void keep_referencing(void)
{
	project_reopen(&project);
	for (int i = 0; i < 10; i++)
		(void)!project_freeze(&project, "B", i % 2 ? "A" : "C:plan.md,design");
}

TEST references_of_one_thread_at_the_same_time_lose_nothing(void)
{
	pid_t children[4];

	project_threads(&project, "A B C D");
	project_write(&project, T "A/progress.md", "a");
	project_write(&project, T "C/plan.md", "c");
	project_write(&project, T "C/design/d.md", "d");
	project_write(&project, T "D/learnings.md", "l");
	for (int i = 0; i < 4; i++)
		children[i] = in_a_process(keep_referencing);
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "D"));
	for (int i = 0; i < 4; i++)
		waitpid(children[i], NULL, 0);
	ASSERT_STR_EQ("a", project_shared(&project, "B", "progress.md", NULL));
	ASSERT_STR_EQ("c", project_shared(&project, "B", "plan.md", NULL));
	ASSERT_STR_EQ("d", project_shared(&project, "B", "design/d.md", NULL));
	ASSERT_STR_EQ("l", project_shared(&project, "B", "learnings.md", NULL));
	{
		struct loom_leslie_thread thread;

		ASSERT_EQ(LOOM_OK, loom_leslie_thread(project.leslie, LOOM_STR("B"), project.arena,
						      &thread, NULL));
		ASSERT_EQ(3, thread.reference_count);
		ASSERT(thread.references[0].frozen);
	}
	PASS();
}

static void write_by_hand(void)
{
	project_reopen(&project);
	for (int i = 0; i < 30; i++) {
		char id[16];

		snprintf(id, sizeof(id), "hand-%d", i);
		project_threads(&project, id);
	}
}

TEST threads_and_references_at_the_same_time_lose_nothing(void)
{
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;
	pid_t child = 0;

	project_threads(&project, "A B");
	project_write(&project, T "A/plan.md", "a");
	child = in_a_process(write_by_hand);
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(LOOM_OK, project_live(&project, "B", "A:plan.md"));
		ASSERT_EQ(LOOM_OK, loom_leslie_unref(project.leslie, LOOM_STR("B"), LOOM_STR("A"),
						     &project.err));
	}
	waitpid(child, NULL, 0);
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(project.leslie, NULL, project.arena, &threads, &count, NULL));
	ASSERT_EQ(32, count);
	PASS();
}

static void reference_for_ever(void)
{
	project_reopen(&project);
	for (;;)
		(void)!project_freeze(&project, "B", "A");
}

TEST one_that_is_killed_leaves_whole_copies(void)
{
	project_threads(&project, "A B");
	for (int i = 0; i < 20; i++) {
		char path[64];

		snprintf(path, sizeof(path), T "A/design/%d.md", i);
		project_write(&project, path, "text");
	}
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	for (int round = 0; round < 8; round++) {
		const struct timespec pause = {.tv_nsec = 11000000L + round * 3700000L};
		pid_t child = in_a_process(reference_for_ever);

		nanosleep(&pause, NULL);
		stop(child);
		for (int i = 0; i < 20; i++) {
			char name[64];

			snprintf(name, sizeof(name), "design/%d.md", i);
			ASSERT_STR_EQ("text", project_shared(&project, "B", name, NULL));
		}
	}
	ASSERT_EQ(LOOM_OK, project_freeze(&project, "B", "A"));
	{
		struct loom_root root = LOOM_ROOT_INIT;
		struct loom_folder_item *items = NULL;
		size_t count = 0;

		ASSERT_EQ(LOOM_OK,
			  loom_root_open(project_path(&project, T "B/context"), &root, NULL));
		ASSERT_EQ(LOOM_OK, loom_folder_list(&root, LOOM_STR(""), project.arena, &items,
						    &count, NULL));
		ASSERT_EQ(2, count);
		loom_root_close(&root);
	}
	PASS();
}

SUITE(leslie_ref)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_frozen_reference_copies_at_once);
	RUN_TEST(a_frozen_copy_stays_until_it_is_refreshed);
	RUN_TEST(copies_are_read_only_and_described);
	RUN_TEST(a_whole_thread_is_shared_without_its_conversation_and_context);
	RUN_TEST(a_conversation_is_shared_when_it_is_named);
	RUN_TEST(bytes_are_kept_whatever_they_are);
	RUN_TEST(a_refresh_removes_what_vanished_and_adds_what_came);
	RUN_TEST(a_refresh_of_a_source_that_is_gone_keeps_the_copies);
	RUN_TEST(a_refresh_is_of_a_reference_wholly_or_not_at_all);
	RUN_TEST(a_named_refresh_changes_that_name_only);
	RUN_TEST(referencing_again_copies_what_is_named_and_no_more);
	RUN_TEST(a_missing_scope_refuses_the_reference);
	RUN_TEST(the_root_comes_before_artifacts);
	RUN_TEST(a_live_reference_reads_the_original);
	RUN_TEST(frozen_wins_over_live);
	RUN_TEST(a_whole_live_reference_gives_what_is_there_now);
	RUN_TEST(a_live_folder_gives_what_is_below_it);
	RUN_TEST(a_live_file_may_come_later);
	RUN_TEST(a_live_original_that_is_gone_is_said_to_be_so);
	RUN_TEST(a_flat_map_of_pointers_is_read);
	RUN_TEST(what_nobody_referenced_is_not_read);
	RUN_TEST(own_files_are_read_when_that_is_asked_for);
	RUN_TEST(two_sources_of_one_name_are_kept_apart);
	RUN_TEST(two_live_sources_of_one_name_are_kept_apart);
	RUN_TEST(a_file_of_one_source_and_a_folder_of_another_get_along);
	RUN_TEST(copies_that_another_program_made_are_read_and_kept);
	RUN_TEST(a_name_made_by_hand_is_not_overwritten);
	RUN_TEST(an_ended_reference_takes_its_copies_with_it);
	RUN_TEST(a_broken_reference_warns_and_never_blocks);
	RUN_TEST(a_reference_to_nobody_is_kept_and_comes_true);
	RUN_TEST(a_thread_cannot_reference_itself);
	RUN_TEST(a_circle_is_refused_and_shown_from_its_smallest_id);
	RUN_TEST(spawning_into_a_circle_is_refused_in_the_seed_s_words);
	RUN_TEST(a_diamond_is_no_circle);
	RUN_TEST(a_chain_of_twenty_thousand_is_checked_in_no_time);
	RUN_TEST(scopes_that_leave_the_thread_are_refused_and_change_nothing);
	RUN_TEST(targets_that_are_no_ids_are_refused);
	RUN_TEST(links_are_refused_wherever_they_stand);
	RUN_TEST(a_link_that_comes_later_is_not_read_through);
	RUN_TEST(names_to_read_are_checked_like_scopes);
	RUN_TEST(files_with_a_second_name_pipes_and_devices_are_not_copied);
	RUN_TEST(files_of_the_store_are_not_copied);
	RUN_TEST(too_deep_is_refused);
	RUN_TEST(too_many_bytes_are_refused);
	RUN_TEST(a_file_that_is_being_written_is_not_taken_half);
	RUN_TEST(no_exchange_of_names_lets_a_secret_in);
	RUN_TEST(references_of_one_thread_at_the_same_time_lose_nothing);
	RUN_TEST(threads_and_references_at_the_same_time_lose_nothing);
	RUN_TEST(one_that_is_killed_leaves_whole_copies);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(leslie_ref);
	GREATEST_MAIN_END();
}
