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
#include "support/camp.h"

#define RELATIONS ".leslie/thread_relations.json"
#define T         ".leslie/threads/"

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

static const char *reason(void)
{
	return loom_arena_cstr(camp.arena, camp.err.reason);
}

static enum loom_status refresh(const char *from, const char *target, const char *name,
				struct loom_leslie_refreshed *out)
{
	const struct loom_leslie_refresh opts = {.from = loom_str_of(from),
						 .target = loom_str_of(target),
						 .name = loom_str_of(name)};
	enum loom_status status =
		loom_leslie_refresh(camp.leslie, &opts, camp.arena, out, &camp.err);

	camp.warnings = out->warnings;
	return status;
}

/* ---- frozen ---- */

TEST a_frozen_reference_copies_at_once(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/artifacts/plan.md", "v1");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT_STR_EQ("v1", camp_read(&camp, T "B/context/inherited/plan.md"));
	ASSERT_STR_EQ("v1", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("v1", camp_shared(&camp, "B", "artifacts/plan.md", NULL));
	PASS();
}

TEST a_frozen_copy_stays_until_it_is_refreshed(void)
{
	struct loom_leslie_refreshed done;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/artifacts/plan.md", "v1");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:plan.md"));
	camp_write(&camp, T "A/artifacts/plan.md", "v2");
	ASSERT_STR_EQ("v1", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_EQ(LOOM_OK, refresh("B", NULL, NULL, &done));
	ASSERT_EQ(1, done.copied_count);
	ASSERT_EQ(0, done.kept);
	ASSERT_STR_EQ("v2", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("v2", camp_read(&camp, T "B/context/inherited/plan.md"));
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

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/design/api.md", "v1");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:design/"));
	ASSERT_EQ(0, stat(camp_path(&camp, T "B/context/inherited/design/api.md"), &st));
	ASSERT_EQ(0400, st.st_mode & 0777);
	ASSERT_EQ(LOOM_OK,
		  loom_json_parse(loom_str_of(camp_read(&camp,
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
	camp_threads(&camp, "A B C");
	camp_write(&camp, T "C/plan.md", "c");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "C"));
	camp_write(&camp, T "A/plan.md", "p");
	camp_write(&camp, T "A/notes.txt", "n");
	camp_write(&camp, T "A/artifacts/code/main.c", "m");
	camp_write(&camp, T "A/transcript.md", "secret");
	camp_write(&camp, T "A/artifacts/transcript/1.md", "secret");
	camp_write(&camp, T "A/.meta/transcripts/x.txt", "secret");
	camp_write(&camp, T "A/.meta/injections.log", "secret");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT_STR_EQ("p", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("n", camp_shared(&camp, "B", "notes.txt", NULL));
	ASSERT_STR_EQ("m", camp_shared(&camp, "B", "code/main.c", NULL));
	ASSERT(!camp_shared(&camp, "B", "transcript.md", NULL));
	ASSERT(!camp_has(&camp, T "B/context/inherited/transcript.md"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/transcript"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/.meta"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/context"));
	PASS();
}

TEST a_conversation_is_shared_when_it_is_named(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/transcript.md", "said");
	camp_write(&camp, T "A/.meta/transcripts/x.txt", "more");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:transcript.md,.meta/transcripts"));
	ASSERT_STR_EQ("said", camp_shared(&camp, "B", "transcript.md", NULL));
	ASSERT_STR_EQ("more", camp_shared(&camp, "B", ".meta/transcripts/x.txt", NULL));
	ASSERT_STR_EQ("ref A transcript A/transcript.md|ref A transcript A/.meta/transcripts/",
		      camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST bytes_are_kept_whatever_they_are(void)
{
	char big[200000];

	for (size_t i = 0; i < sizeof(big) - 1; i++)
		big[i] = (char)(1 + i * 7 % 255);
	big[sizeof(big) - 1] = '\0';
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/code/blob", big);
	camp_write(&camp, T "A/code/empty", "");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:code"));
	ASSERT_STR_EQ(big, camp_shared(&camp, "B", "code/blob", NULL));
	ASSERT_STR_EQ("", camp_shared(&camp, "B", "code/empty", NULL));
	PASS();
}

TEST a_refresh_removes_what_vanished_and_adds_what_came(void)
{
	struct loom_leslie_refreshed done;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/design/old.md", "old");
	camp_write(&camp, T "A/design/deep/er.md", "deep");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	camp_remove(&camp, T "A/design/old.md");
	camp_remove(&camp, T "A/design/deep");
	camp_write(&camp, T "A/design/new.md", "new");
	camp_write(&camp, T "A/learnings/l.md", "l");
	ASSERT_EQ(LOOM_OK, refresh("B", "A", NULL, &done));
	ASSERT(!camp_has(&camp, T "B/context/inherited/design/old.md"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/design/deep"));
	ASSERT(!camp_shared(&camp, "B", "design/old.md", NULL));
	ASSERT_STR_EQ("new", camp_shared(&camp, "B", "design/new.md", NULL));
	ASSERT_STR_EQ("ref A design A/design/|ref A learnings A/learnings/",
		      camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST a_refresh_of_a_source_that_is_gone_keeps_the_copies(void)
{
	struct loom_leslie_refreshed done;

	camp_threads(&camp, "A B C");
	camp_write(&camp, T "A/plan.md", "a1");
	camp_write(&camp, T "C/progress.md", "c1");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "C"));
	camp_remove(&camp, T "A");
	camp_write(&camp, T "C/progress.md", "c2");
	ASSERT_EQ(LOOM_OK, refresh("B", NULL, NULL, &done));
	ASSERT_EQ(1, done.kept);
	ASSERT(camp_warned(&camp, "Referenced Thread A not found"));
	ASSERT_STR_EQ("a1", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("c2", camp_shared(&camp, "B", "progress.md", NULL));
	PASS();
}

TEST a_refresh_is_of_a_reference_wholly_or_not_at_all(void)
{
	struct loom_leslie_refreshed done;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p1");
	camp_write(&camp, T "A/design.md", "d1");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:plan.md,design.md"));
	camp_remove(&camp, T "A/plan.md");
	camp_write(&camp, T "A/design.md", "d2");
	ASSERT_EQ(LOOM_OK, refresh("B", "A", NULL, &done));
	ASSERT_EQ(1, done.kept);
	ASSERT_STR_EQ("p1", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("d1", camp_shared(&camp, "B", "design.md", NULL));
	ASSERT_EQ(LOOM_OK, refresh("B", "A", "design.md", &done));
	ASSERT_EQ(0, done.kept);
	ASSERT_STR_EQ("p1", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("d2", camp_shared(&camp, "B", "design.md", NULL));
	PASS();
}

TEST a_named_refresh_changes_that_name_only(void)
{
	struct loom_leslie_refreshed done;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p1");
	camp_write(&camp, T "A/design/x.md", "x1");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	camp_write(&camp, T "A/plan.md", "p2");
	camp_write(&camp, T "A/design/x.md", "x2");
	camp_write(&camp, T "A/learnings/l.md", "l");
	ASSERT_EQ(LOOM_OK, refresh("B", NULL, "design", &done));
	ASSERT_STR_EQ("p1", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("x2", camp_shared(&camp, "B", "design/x.md", NULL));
	ASSERT_STR_EQ("ref A plan A/plan.md|ref A design A/design/",
		      camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	/* the whole is still what the reference means */
	ASSERT_EQ(LOOM_OK, refresh("B", NULL, NULL, &done));
	ASSERT_STR_EQ("p2", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("l", camp_shared(&camp, "B", "learnings/l.md", NULL));
	ASSERT_EQ(LOOM_NOT_FOUND, refresh("B", NULL, "nothing.md", &done));
	ASSERT_EQ(LOOM_NOT_FOUND, refresh("B", "C", NULL, &done));
	ASSERT_EQ(LOOM_PATH, refresh("B", NULL, "../x", &done));
	PASS();
}

TEST referencing_again_copies_what_is_named_and_no_more(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p1");
	camp_write(&camp, T "A/design.md", "d1");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:plan.md"));
	camp_write(&camp, T "A/plan.md", "p2");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:design.md"));
	ASSERT_STR_EQ("p1", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("d1", camp_shared(&camp, "B", "design.md", NULL));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:plan.md"));
	ASSERT_STR_EQ("p2", camp_shared(&camp, "B", "plan.md", NULL));
	PASS();
}

TEST a_missing_scope_refuses_the_reference(void)
{
	const char *before = NULL;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p");
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_NOT_FOUND, camp_freeze(&camp, "B", "A:plan.md,none.md"));
	ASSERT_STR_EQ("T202", camp.err.code);
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST the_root_comes_before_artifacts(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "root");
	camp_write(&camp, T "A/artifacts/plan.md", "below");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT_STR_EQ("root", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("below", camp_shared(&camp, "B", "artifacts/plan.md", NULL));
	PASS();
}

/* ---- live ---- */

TEST a_live_reference_reads_the_original(void)
{
	cJSON *json = NULL;
	const cJSON *pointer = NULL;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/artifacts/design.md", "v1");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A:artifacts/design.md"));
	ASSERT_STR_EQ("v1", camp_shared(&camp, "B", "design.md", NULL));
	camp_write(&camp, T "A/artifacts/design.md", "v2");
	ASSERT_STR_EQ("v2", camp_shared(&camp, "B", "design.md", NULL));
	ASSERT(!camp_has(&camp, T "B/context/inherited/design.md"));
	ASSERT_EQ(LOOM_OK, loom_json_parse(loom_str_of(camp_read(&camp,
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
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "v1");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A:plan.md"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:plan.md"));
	camp_write(&camp, T "A/plan.md", "v2");
	ASSERT_STR_EQ("v1", camp_shared(&camp, "B", "plan.md", NULL));
	PASS();
}

TEST a_whole_live_reference_gives_what_is_there_now(void)
{
	camp_threads(&camp, "A B");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A"));
	ASSERT_STR_EQ("", camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	camp_write(&camp, T "A/artifacts/learnings/x.md", "x");
	camp_write(&camp, T "A/transcript.md", "secret");
	camp_write(&camp, T "A/context/inherited/mine.md", "secret");
	ASSERT_STR_EQ("ref A learnings A/artifacts/learnings/",
		      camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	ASSERT_STR_EQ("x", camp_shared(&camp, "B", "learnings/x.md", NULL));
	ASSERT(!camp_shared(&camp, "B", "transcript.md", NULL));
	ASSERT(!camp_shared(&camp, "B", "context/inherited/mine.md", NULL));
	ASSERT_STR_EQ("File not referenced", camp.err.err.text);
	PASS();
}

TEST a_live_folder_gives_what_is_below_it(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/design/a.md", "a");
	camp_write(&camp, T "A/plan.md", "p");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A:design"));
	camp_write(&camp, T "A/design/b.md", "b");
	ASSERT_STR_EQ("b", camp_shared(&camp, "B", "design/b.md", NULL));
	ASSERT(!camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("ref A design A/design/", camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST a_live_file_may_come_later(void)
{
	camp_threads(&camp, "A B");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A:design.md"));
	ASSERT_EQ(1, camp.warnings.count);
	ASSERT(!camp_shared(&camp, "B", "design.md", NULL));
	ASSERT_STR_EQ("T202", camp.err.code);
	camp_write(&camp, T "A/artifacts/design.md", "now");
	ASSERT_STR_EQ("now", camp_shared(&camp, "B", "design.md", NULL));
	PASS();
}

TEST a_live_original_that_is_gone_is_said_to_be_so(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A:plan.md"));
	camp_remove(&camp, T "A/plan.md");
	ASSERT(!camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("T202", camp.err.code);
	camp_remove(&camp, T "A");
	ASSERT(!camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("T202", camp.err.code);
	PASS();
}

TEST a_flat_map_of_pointers_is_read(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p");
	camp_write(&camp, T "B/context/live/.refs.json",
		      "{\"plan.md\": \".leslie/threads/A/plan.md\"}");
	ASSERT_STR_EQ("p", camp_shared(&camp, "B", "plan.md", NULL));
	PASS();
}

/* ---- reading ---- */

TEST what_nobody_referenced_is_not_read(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p");
	camp_write(&camp, T "A/other.md", "o");
	ASSERT(!camp_shared(&camp, "B", "other.md", NULL));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:plan.md"));
	ASSERT(!camp_shared(&camp, "B", "other.md", NULL));
	ASSERT_STR_EQ("File not referenced", camp.err.err.text);
	ASSERT(!camp_shared(&camp, "B", ".refs.json", NULL));
	ASSERT(!camp_shared(&camp, "none", "plan.md", NULL));
	ASSERT_STR_EQ("T101", camp.err.code);
	PASS();
}

TEST own_files_are_read_when_that_is_asked_for(void)
{
	struct loom_leslie_read opts = {.thread = LOOM_STR("A"), .name = LOOM_STR("plan.md")};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	camp_threads(&camp, "A");
	camp_write(&camp, T "A/artifacts/plan.md", "mine");
	ASSERT_EQ(LOOM_NOT_FOUND, loom_leslie_read(camp.leslie, &opts, &text, &camp.err));
	opts.own = true;
	ASSERT_EQ(LOOM_OK, loom_leslie_read(camp.leslie, &opts, &text, &camp.err));
	ASSERT_STR_EQ("mine", loom_buf_cstr(&text));
	loom_buf_fini(&text);
	PASS();
}

TEST two_sources_of_one_name_are_kept_apart(void)
{
	camp_threads(&camp, "A B C");
	camp_write(&camp, T "A/plan.md", "a");
	camp_write(&camp, T "B/artifacts/plan.md", "b");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "C", "A"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "C", "B"));
	ASSERT_EQ(1, camp.warnings.count);
	ASSERT_STR_EQ("a", camp_read(&camp, T "C/context/inherited/plan.md"));
	ASSERT_STR_EQ("b", camp_read(&camp, T "C/context/inherited/B/plan.md"));
	ASSERT_STR_EQ("a", camp_shared(&camp, "C", "plan.md", NULL));
	ASSERT_STR_EQ("a", camp_shared(&camp, "C", "plan.md", "A"));
	ASSERT_STR_EQ("b", camp_shared(&camp, "C", "plan.md", "B"));
	ASSERT_STR_EQ("b", camp_shared(&camp, "C", "B/plan.md", NULL));
	ASSERT(!camp_shared(&camp, "C", "plan.md", "X"));
	PASS();
}

TEST two_live_sources_of_one_name_are_kept_apart(void)
{
	camp_threads(&camp, "A B C");
	camp_write(&camp, T "A/plan.md", "a");
	camp_write(&camp, T "B/plan.md", "b");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "C", "A:plan.md"));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "C", "B:plan.md"));
	ASSERT_EQ(1, camp.warnings.count);
	ASSERT_STR_EQ("a", camp_shared(&camp, "C", "plan.md", NULL));
	ASSERT_STR_EQ("b", camp_shared(&camp, "C", "plan.md", "B"));
	ASSERT_STR_EQ("ref A plan A/plan.md|ref B plan B/plan.md",
		      camp_assets(&camp, "C", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST a_file_of_one_source_and_a_folder_of_another_get_along(void)
{
	camp_threads(&camp, "A B C");
	camp_write(&camp, T "A/x", "file");
	camp_write(&camp, T "B/x/y", "below");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "C", "A:x"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "C", "B:x"));
	ASSERT_STR_EQ("file", camp_shared(&camp, "C", "x", NULL));
	ASSERT_STR_EQ("below", camp_shared(&camp, "C", "x/y", NULL));
	PASS();
}

TEST copies_that_another_program_made_are_read_and_kept(void)
{
	camp_threads(&camp, "A B C");
	camp_write(&camp, T "A/plan.md", "new");
	camp_write(&camp, T "C/progress.md", "c");
	camp_write(&camp, T "B/context/inherited/A/plan.md", "old");
	camp_write(&camp, T "B/context/inherited/by-hand.md", "hand");
	camp_write(
		&camp, RELATIONS,
		"{\"version\":\"1.0\",\"metadata\":{\"last_updated\":\"2026-02-23T10:00:00Z\","
		"\"thread_count\":3},\"threads\":{\"A\":{\"id\":\"A\",\"objective\":\"obj\"},"
		"\"B\":{\"id\":\"B\",\"objective\":\"obj\"},"
		"\"C\":{\"id\":\"C\",\"objective\":\"obj\"}},"
		"\"operations\":[{\"id\":\"op-1\",\"command\":\"reference\",\"params\":"
		"{\"from_id\":\"B\",\"to_id\":\"A\",\"scope\":[],\"binding\":\"frozen\"}}],"
		"\"relations\":{\"B\":{\"children\":[],\"references_to\":[\"A\"],"
		"\"referenced_by\":[],\"depends_on\":[]}}}");
	ASSERT_STR_EQ("old", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("hand", camp_shared(&camp, "B", "by-hand.md", NULL));
	ASSERT_STR_EQ("ref A plan A/plan.md", camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "C"));
	ASSERT_STR_EQ("old", camp_read(&camp, T "B/context/inherited/A/plan.md"));
	ASSERT_STR_EQ("hand", camp_read(&camp, T "B/context/inherited/by-hand.md"));
	{
		struct loom_leslie_refreshed done;

		ASSERT_EQ(LOOM_OK, refresh("B", "A", NULL, &done));
		ASSERT_EQ(0, done.kept);
	}
	ASSERT_STR_EQ("new", camp_shared(&camp, "B", "plan.md", NULL));
	PASS();
}

TEST a_name_made_by_hand_is_not_overwritten(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "a");
	camp_write(&camp, T "B/context/inherited/plan.md", "hand");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT_STR_EQ("hand", camp_read(&camp, T "B/context/inherited/plan.md"));
	ASSERT_STR_EQ("a", camp_shared(&camp, "B", "plan.md", "A"));
	PASS();
}

/* ---- ending a reference ---- */

TEST an_ended_reference_takes_its_copies_with_it(void)
{
	cJSON *json = NULL;

	camp_threads(&camp, "A B C");
	camp_write(&camp, T "A/plan.md", "a");
	camp_write(&camp, T "A/design/d.md", "d");
	camp_write(&camp, T "C/progress.md", "c");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A:plan.md"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "C"));
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_unref(camp.leslie, LOOM_STR("B"), LOOM_STR("A"), &camp.err));
	ASSERT(!camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT(!camp_has(&camp, T "B/context/inherited/plan.md"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/design"));
	ASSERT_STR_EQ("c", camp_shared(&camp, "B", "progress.md", NULL));
	ASSERT_STR_EQ("ref C progress C/progress.md",
		      camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(LOOM_OK, loom_json_parse(loom_str_of(camp_read(&camp, RELATIONS)), NULL,
					   &json, NULL));
	ASSERT_EQ(0, cJSON_GetArraySize(
			     loom_json_get(loom_json_get(loom_json_get(json, "relations"), "A"),
					   "referenced_by")));
	cJSON_Delete(json);
	/* a circle that is no more is no more in the way */
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "B"));
	ASSERT_EQ(LOOM_NOT_FOUND,
		  loom_leslie_unref(camp.leslie, LOOM_STR("B"), LOOM_STR("A"), &camp.err));
	PASS();
}

/* ---- broken ---- */

TEST a_broken_reference_warns_and_never_blocks(void)
{
	camp_threads(&camp, "A B C");
	camp_write(&camp, T "B/plan.md", "b");
	camp_write(&camp, T "C/plan.md", "c");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "A", "B"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "C"));
	camp_remove(&camp, T "B");
	ASSERT_STR_EQ("ref C plan C/plan.md", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(1, camp.warnings.count);
	ASSERT(camp_warned(&camp, "Referenced Thread B not found"));
	camp_remove(&camp, T "C");
	ASSERT_STR_EQ("", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(2, camp.warnings.count);
	ASSERT_STR_EQ("c", camp_shared(&camp, "A", "plan.md", NULL));
	PASS();
}

TEST a_reference_to_nobody_is_kept_and_comes_true(void)
{
	camp_threads(&camp, "A");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "later"));
	ASSERT(camp_warned(&camp, "Referenced Thread later not found"));
	ASSERT_EQ(LOOM_OK, camp_spawn(&camp, "B", "later", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT(camp_warned(&camp, "Referenced Thread later not found"));
	camp_threads(&camp, "later");
	camp_write(&camp, T "later/plan.md", "x");
	ASSERT_STR_EQ("ref later plan later/plan.md",
		      camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(0, camp.warnings.count);
	{
		struct loom_leslie_thread thread;

		ASSERT_EQ(LOOM_OK, loom_leslie_thread(camp.leslie, LOOM_STR("later"),
						      camp.arena, &thread, NULL));
		ASSERT_EQ(2, thread.referenced_by_count);
	}
	PASS();
}

/* ---- circles ---- */

TEST a_thread_cannot_reference_itself(void)
{
	const char *before = NULL;

	camp_threads(&camp, "A");
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_REFUSED, camp_freeze(&camp, "A", "A"));
	ASSERT_STR_EQ("T201", camp.err.code);
	ASSERT_STR_EQ("Cannot reference A from A", camp.err.err.text);
	ASSERT_STR_EQ("Circular reference detected (A → A)", reason());
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST a_circle_is_refused_and_shown_from_its_smallest_id(void)
{
	const char *before = NULL;

	camp_threads(&camp, "thread-A thread-B thread-C");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "thread-A", "thread-B"));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "thread-C", "thread-A"));
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_REFUSED, camp_live(&camp, "thread-B", "thread-C"));
	ASSERT_STR_EQ("Cannot reference thread-C from thread-B", camp.err.err.text);
	ASSERT_STR_EQ("Circular reference detected (thread-A → thread-B → thread-C → thread-A)",
		      reason());
	ASSERT_STR_EQ(before, camp_picture(&camp));
	ASSERT_EQ(LOOM_REFUSED, camp_live(&camp, "thread-A", "thread-C"));
	ASSERT_STR_EQ("Circular reference detected (thread-A → thread-C → thread-A)", reason());
	PASS();
}

TEST spawning_into_a_circle_is_refused_in_the_seed_s_words(void)
{
	const char *before = NULL;

	camp_threads(&camp, "thread-A thread-C");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "thread-A", "thread-B"));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "thread-C", "thread-A"));
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_REFUSED,
		  camp_spawn(&camp, "thread-B", "thread-C", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_STR_EQ("Cannot create Thread with --ref thread-C", camp.err.err.text);
	ASSERT_STR_EQ("Circular reference detected (thread-A → thread-B → thread-C → thread-A)",
		      reason());
	ASSERT_STR_EQ(before, camp_picture(&camp));
	ASSERT_EQ(LOOM_REFUSED,
		  camp_spawn(&camp, "X", "thread-A X", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST a_diamond_is_no_circle(void)
{
	camp_threads(&camp, "A B C D");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "B"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "C"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "D"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "C", "D"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "D"));
	ASSERT_EQ(LOOM_REFUSED, camp_freeze(&camp, "D", "A"));
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
	camp_write(&camp, RELATIONS, loom_buf_cstr(&text));
	loom_buf_fini(&text);
}

TEST a_chain_of_twenty_thousand_is_checked_in_no_time(void)
{
	int64_t before = 0;
	int64_t took = 0;
	size_t arrows = 0;

	camp_objective(&camp);
	write_chain();
	before = clock_ms();
	ASSERT_EQ(LOOM_REFUSED, camp_live(&camp, "t19999", "t00000"));
	took = clock_ms() - before;
	ASSERT_STR_EQ("T201", camp.err.code);
	for (const char *at = reason(); (at = strstr(at, " → ")); at++)
		arrows++;
	ASSERT_EQ(CHAIN, arrows);
	ASSERT(loom_str_ends(camp.err.reason, LOOM_STR("t19999 → t00000)")));
#ifndef LOOM_INSTRUMENTED
	ASSERT(took < 500);
#endif
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "t00000", "t19999"));
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

	camp_threads(&camp, "A B");
	camp_write(&camp, "x", "outside");
	camp_write(&camp, T "A/plan.md", "p");
	camp_write(&camp, T "A/context/inherited/x", "x");
	before = camp_picture(&camp);
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		char target[128];

		snprintf(target, sizeof(target), "A:%s", bad[i]);
		ASSERT_EQm(bad[i], LOOM_PATH, camp_freeze(&camp, "B", target));
		ASSERT_STR_EQm(bad[i], "T203", camp.err.code);
		ASSERT_EQm(bad[i], LOOM_PATH, camp_live(&camp, "B", target));
		ASSERT_EQm(bad[i], LOOM_PATH,
			   camp_spawn(&camp, "N", target, LOOM_LESLIE_BINDING_FROZEN));
	}
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST targets_that_are_no_ids_are_refused(void)
{
	static const char *const bad[] = {"..", "../A", "A/..", ".global", "", "A B", "/etc"};
	const char *before = NULL;

	camp_threads(&camp, "A B");
	before = camp_picture(&camp);
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		ASSERT_EQm(bad[i], LOOM_PATH, camp_freeze(&camp, "B", bad[i]));
		ASSERT_STR_EQm(bad[i], "T203", camp.err.code);
	}
	ASSERT_EQ(LOOM_NOT_FOUND, camp_freeze(&camp, "..", "A"));
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

static void link_to(const char *target, const char *path)
{
	camp_remove(&camp, path);
	if (symlink(target, camp_path(&camp, path)) < 0)
		exit(1);
}

TEST links_are_refused_wherever_they_stand(void)
{
	const char *before = NULL;

	camp_threads(&camp, "A B C D E");
	camp_write(&camp, "outside/secret", "s");
	camp_write(&camp, T "A/plan.md", "p");
	link_to("plan.md", T "A/alias.md");
	link_to("/etc/passwd", T "A/passwd");
	link_to("../../../outside", T "A/out");
	camp_write(&camp, T "C/design/fine.md", "f");
	link_to("../../../../outside/secret", T "C/design/evil.md");
	link_to("../../../outside", T "D/artifacts");
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:alias.md"));
	ASSERT_STR_EQ("T203", camp.err.code);
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:passwd"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:out"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:out/secret"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "C:design"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "C"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "D"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "D:secret"));
	ASSERT_EQ(LOOM_PATH, camp_live(&camp, "B", "A:passwd"));
	ASSERT_EQ(LOOM_PATH, camp_live(&camp, "B", "A:out/secret"));
	ASSERT_EQ(LOOM_PATH, camp_spawn(&camp, "N", "A:passwd", LOOM_LESLIE_BINDING_LIVE));
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST a_link_that_comes_later_is_not_read_through(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, "outside/secret", "s");
	camp_write(&camp, T "A/design/x.md", "x");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A"));
	ASSERT_STR_EQ("x", camp_shared(&camp, "B", "design/x.md", NULL));
	camp_remove(&camp, T "A/design");
	link_to("../../../outside", T "A/design");
	ASSERT(!camp_shared(&camp, "B", "design/secret", NULL));
	ASSERT_STR_EQ("", camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST names_to_read_are_checked_like_scopes(void)
{
	static const char *const bad[] = {"../x", "/etc/passwd", "a/../../b", "", "a\\b", "x\x01"};

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A"));
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		ASSERTm(bad[i], !camp_shared(&camp, "B", bad[i], NULL));
		ASSERT_STR_EQm(bad[i], "T203", camp.err.code);
	}
	PASS();
}

TEST files_with_a_second_name_pipes_and_devices_are_not_copied(void)
{
	const char *before = NULL;

	camp_threads(&camp, "A B C");
	camp_write(&camp, "outside", "s");
	camp_write(&camp, T "A/x", "");
	camp_remove(&camp, T "A/x");
	ASSERT_EQ(0, link(camp_path(&camp, "outside"), camp_path(&camp, T "A/x")));
	ASSERT_EQ(0, mkfifo(camp_path(&camp, T "C/pipe"), 0600));
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:x"));
	ASSERT_STR_EQ("T203", camp.err.code);
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "C:pipe"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "C"));
	ASSERT_EQ(LOOM_PATH, camp_live(&camp, "B", "C:pipe"));
	ASSERT_STR_EQ(before, camp_picture(&camp));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "C"));
	ASSERT(!camp_shared(&camp, "B", "pipe", NULL));
	PASS();
}

TEST files_of_the_store_are_not_copied(void)
{
	struct loom_leslie_opts opts = {.start = camp.temp.path, .env = &camp.env};
	struct loom_leslie_ref ref = {.from = LOOM_STR("B"), .target = {.thread = LOOM_STR("A")}};
	struct loom_leslie_ref_result out;
	struct loom_file_id store;
	struct loom_leslie *leslie = NULL;
	struct stat st;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/grove.db", "store");
	ASSERT_EQ(0, stat(camp_path(&camp, T "A/grove.db"), &st));
	store = (struct loom_file_id){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
	opts.refused = &store;
	opts.refused_count = 1;
	ASSERT_EQ(LOOM_OK, loom_leslie_open(&opts, &leslie, NULL));
	ASSERT_EQ(LOOM_PATH, loom_leslie_ref(leslie, &ref, camp.arena, &out, &camp.err));
	ASSERT_STR_EQ("T203", camp.err.code);
	loom_leslie_close(leslie);
	PASS();
}

TEST too_deep_is_refused(void)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *before = NULL;

	camp_threads(&camp, "A B");
	loom_buf_adds(&path, T "A");
	for (int i = 0; i < 32; i++)
		loom_buf_adds(&path, "/d");
	loom_buf_adds(&path, "/f");
	camp_write(&camp, loom_buf_cstr(&path), "x");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	loom_buf_cut(&path, path.n - 1);
	loom_buf_adds(&path, "d/f");
	camp_write(&camp, loom_buf_cstr(&path), "x");
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_LIMIT, camp_freeze(&camp, "B", "A"));
	ASSERT_STR_EQ(before, camp_picture(&camp));
	loom_buf_fini(&path);
	PASS();
}

TEST too_many_bytes_are_refused(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/huge", "x");
	ASSERT_EQ(0, truncate(camp_path(&camp, T "A/huge"), ((off_t)1 << 30) + 1));
	ASSERT_EQ(LOOM_LIMIT, camp_freeze(&camp, "B", "A"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/huge"));
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
	int fd = open(camp_path(&camp, T "A/busy.log"), O_WRONLY | O_APPEND);

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
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/busy.log", big);
	free(big);
	before = camp_picture(&camp);
	child = in_a_process(keep_writing);
	ASSERT_EQ(LOOM_CONFLICT, camp_freeze(&camp, "B", "A:busy.log"));
	stop(child);
	ASSERT_STR_EQ("T204", camp.err.code);
	ASSERT(strstr(reason(), "CHANGED_DURING_COPY"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/busy.log"));
	(void)before;
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:busy.log"));
	PASS();
}

static void keep_exchanging(void)
{
	const char *a = camp_path(&camp, T "A/design");
	const char *b = camp_path(&camp, "trap");

	for (;;)
		renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

/* `trap` is a link to a folder outside; it changes places with A's design/ all the time. */
TEST no_exchange_of_names_lets_a_secret_in(void)
{
	pid_t child = 0;
	int64_t until = 0;
	int copied = 0;

	camp_threads(&camp, "A B");
	camp_write(&camp, "outside/x.md", "secret");
	camp_write(&camp, T "A/design/x.md", "fine");
	link_to("outside", "trap");
	link_to(camp_path(&camp, "outside"), "trap2");
	child = in_a_process(keep_exchanging);
	until = clock_ms() + 1500;
	while (clock_ms() < until) {
		const char *text = NULL;

		if (camp_freeze(&camp, "B", "A:design/x.md") == LOOM_OK)
			copied++;
		text = camp_read(&camp, T "B/context/inherited/design/x.md");
		ASSERT(!text || strcmp(text, "fine") == 0);
		text = camp_shared(&camp, "B", "design/x.md", NULL);
		ASSERT(!text || strcmp(text, "fine") == 0);
		loom_arena_reset(camp.arena);
	}
	stop(child);
	ASSERT(copied > 0);
	PASS();
}

static void keep_referencing(void)
{
	camp_reopen(&camp);
	for (int i = 0; i < 10; i++)
		(void)!camp_freeze(&camp, "B", i % 2 ? "A" : "C:plan.md,design");
}

TEST references_of_one_thread_at_the_same_time_lose_nothing(void)
{
	pid_t children[4];

	camp_threads(&camp, "A B C D");
	camp_write(&camp, T "A/progress.md", "a");
	camp_write(&camp, T "C/plan.md", "c");
	camp_write(&camp, T "C/design/d.md", "d");
	camp_write(&camp, T "D/learnings.md", "l");
	for (int i = 0; i < 4; i++)
		children[i] = in_a_process(keep_referencing);
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "D"));
	for (int i = 0; i < 4; i++)
		waitpid(children[i], NULL, 0);
	ASSERT_STR_EQ("a", camp_shared(&camp, "B", "progress.md", NULL));
	ASSERT_STR_EQ("c", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("d", camp_shared(&camp, "B", "design/d.md", NULL));
	ASSERT_STR_EQ("l", camp_shared(&camp, "B", "learnings.md", NULL));
	{
		struct loom_leslie_thread thread;

		ASSERT_EQ(LOOM_OK, loom_leslie_thread(camp.leslie, LOOM_STR("B"), camp.arena,
						      &thread, NULL));
		ASSERT_EQ(3, thread.reference_count);
		ASSERT(thread.references[0].frozen);
	}
	PASS();
}

static void write_by_hand(void)
{
	camp_reopen(&camp);
	for (int i = 0; i < 30; i++) {
		char id[16];

		snprintf(id, sizeof(id), "hand-%d", i);
		camp_threads(&camp, id);
	}
}

TEST threads_and_references_at_the_same_time_lose_nothing(void)
{
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;
	pid_t child = 0;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "a");
	child = in_a_process(write_by_hand);
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A:plan.md"));
		ASSERT_EQ(LOOM_OK, loom_leslie_unref(camp.leslie, LOOM_STR("B"), LOOM_STR("A"),
						     &camp.err));
	}
	waitpid(child, NULL, 0);
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, NULL));
	ASSERT_EQ(32, count);
	PASS();
}

static void reference_for_ever(void)
{
	camp_reopen(&camp);
	for (;;)
		(void)!camp_freeze(&camp, "B", "A");
}

TEST one_that_is_killed_leaves_whole_copies(void)
{
	camp_threads(&camp, "A B");
	for (int i = 0; i < 20; i++) {
		char path[64];

		snprintf(path, sizeof(path), T "A/design/%d.md", i);
		camp_write(&camp, path, "text");
	}
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	for (int round = 0; round < 8; round++) {
		const struct timespec pause = {.tv_nsec = 11000000L + round * 3700000L};
		pid_t child = in_a_process(reference_for_ever);

		nanosleep(&pause, NULL);
		stop(child);
		for (int i = 0; i < 20; i++) {
			char name[64];

			snprintf(name, sizeof(name), "design/%d.md", i);
			ASSERT_STR_EQ("text", camp_shared(&camp, "B", name, NULL));
		}
	}
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	{
		struct loom_root root = LOOM_ROOT_INIT;
		struct loom_folder_item *items = NULL;
		size_t count = 0;

		ASSERT_EQ(LOOM_OK,
			  loom_root_open(camp_path(&camp, T "B/context"), &root, NULL));
		ASSERT_EQ(LOOM_OK, loom_folder_list(&root, LOOM_STR(""), camp.arena, &items,
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
