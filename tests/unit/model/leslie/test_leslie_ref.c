/* References: frozen and live, refreshed and ended, refused when they close a circle or leave their
 * thread. Cases 25–45 and their kin. */
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/base/hash.h>
#include <loom/base/json.h>

#include "support/clock.h"
#include "support/camp_suite.h"

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
		  loom_json_parse(loom_str_of(camp_read(&camp, T "B/context/inherited/.refs.json")),
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
	ASSERT_EQ(LOOM_OK,
		  loom_json_parse(loom_str_of(camp_read(&camp, T "B/context/live/.refs.json")),
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

TEST lists_where_names_belong_name_nothing(void)
{
	static const char *const odd[] = {"{\"refs\":[1,{\"path\":\"x\"}],\"sources\":[[]]}",
					  "{\"refs\":[],\"sources\":{\"A\":[2]}}"};

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p");
	for (size_t i = 0; i < LOOM_COUNT(odd); i++) {
		camp_write(&camp, T "B/context/inherited/.refs.json", odd[i]);
		camp_write(&camp, T "B/context/live/.refs.json", odd[i]);
		ASSERT(!camp_shared(&camp, "B", "plan.md", NULL));
		ASSERT_STR_EQ("File not referenced", camp.err.err.text);
	}
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

static enum loom_status put(const char *name, const char *text)
{
	return loom_leslie_write(camp.leslie, LOOM_STR("B"), loom_str_of(name), loom_str_of(text),
				 &camp.err);
}

TEST a_thread_writes_its_own_files_and_nobody_else_s(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "a");
	camp_write(&camp, T "B/artifacts/design.md", "old");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT_EQ(LOOM_OK, put("transcript.md", "said"));
	ASSERT_EQ(LOOM_OK, put("design.md", "new"));
	ASSERT_EQ(LOOM_OK, put("learnings/deep/l.md", "l"));
	ASSERT_STR_EQ("said", camp_read(&camp, T "B/transcript.md"));
	ASSERT_STR_EQ("new", camp_read(&camp, T "B/artifacts/design.md"));
	ASSERT_STR_EQ("l", camp_read(&camp, T "B/learnings/deep/l.md"));
	ASSERT_EQ(LOOM_PATH, put("context/inherited/plan.md", "x"));
	ASSERT_EQ(LOOM_PATH, put("../A/plan.md", "x"));
	ASSERT_EQ(LOOM_PATH, put("context/live/.refs.json", "x"));
	ASSERT_EQ(0, symlink("../A", camp_path(&camp, T "B/other")));
	ASSERT_EQ(LOOM_PATH, put("other/plan.md", "x"));
	ASSERT_STR_EQ("T203", camp.err.code);
	ASSERT_STR_EQ("a", camp_read(&camp, T "A/plan.md"));
	ASSERT_STR_EQ("a", camp_shared(&camp, "B", "plan.md", NULL));
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

/* Where the assets of a thread are read, "path|path". */
static const char *read_paths(const char *id)
{
	struct loom_thread_context context;
	struct loom_leslie_warnings warnings = {0};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *out = NULL;

	if (loom_leslie_context(camp.leslie, loom_str_of(id), LOOM_CONTEXT_LOAD, camp.arena,
				&context, &warnings, NULL) != LOOM_OK)
		return "refused";
	for (size_t i = 0; i < context.ref_count; i++)
		for (size_t k = 0; k < context.refs[i].assets.count; k++)
			loom_buf_addf(&text, "%s%.*s", text.n ? "|" : "",
				      LOOM_STR_ARG(context.refs[i].assets.items[k].read_path));
	out = loom_arena_cstr(camp.arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return out;
}

#define IN(id) T #id "/context/inherited/"

TEST folders_of_two_sources_never_mix(void)
{
	camp_threads(&camp, "A B C D E");
	camp_write(&camp, T "A/design/a.md", "of A");
	camp_write(&camp, T "B/design/b.md", "of B");
	camp_write(&camp, T "B/design/c.md", "of B too");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "C", "A"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "C", "B"));
	ASSERT_STR_EQ(IN(C) "design/|" IN(C) "B/design/", read_paths("C"));
	ASSERT(!camp_has(&camp, IN(C) "design/b.md"));
	ASSERT_STR_EQ("of B", camp_shared(&camp, "C", "design/b.md", NULL));
	/* files that are named one by one have no folder to share */
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "D", "A:design/a.md"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "D", "B:design/b.md"));
	ASSERT_STR_EQ(IN(D) "design/a.md|" IN(D) "design/b.md", read_paths("D"));
	/* but they stay out of a folder that is another's as a whole */
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "E", "A:design"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "E", "B:design/b.md"));
	ASSERT_STR_EQ(IN(E) "design/|" IN(E) "B/design/b.md", read_paths("E"));
	/* and a folder does not take in the files that were named before it */
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "D", "B:design"));
	ASSERT_STR_EQ(IN(D) "design/a.md|" IN(D) "B/design/", read_paths("D"));
	PASS();
}

TEST copies_that_another_program_made_are_read_and_kept(void)
{
	camp_threads(&camp, "A B C");
	camp_write(&camp, T "A/plan.md", "new");
	camp_write(&camp, T "C/progress.md", "c");
	camp_write(&camp, T "B/context/inherited/A/plan.md", "old");
	camp_write(&camp, T "B/context/inherited/by-hand.md", "hand");
	camp_write(&camp, RELATIONS,
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
	ASSERT_EQ(LOOM_OK, loom_leslie_unref(camp.leslie, LOOM_STR("B"), LOOM_STR("A"), &camp.err));
	ASSERT(!camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT(!camp_has(&camp, T "B/context/inherited/plan.md"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/design"));
	ASSERT_STR_EQ("c", camp_shared(&camp, "B", "progress.md", NULL));
	ASSERT_STR_EQ("ref C progress C/progress.md", camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(LOOM_OK,
		  loom_json_parse(loom_str_of(camp_read(&camp, RELATIONS)), NULL, &json, NULL));
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
	ASSERT_STR_EQ("ref later plan later/plan.md", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(0, camp.warnings.count);
	{
		struct loom_leslie_thread thread;

		ASSERT_EQ(LOOM_OK, loom_leslie_thread(camp.leslie, LOOM_STR("later"), camp.arena,
						      &thread, NULL));
		ASSERT_EQ(2, thread.referenced_by_count);
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
	RUN_TEST(lists_where_names_belong_name_nothing);
	RUN_TEST(what_nobody_referenced_is_not_read);
	RUN_TEST(own_files_are_read_when_that_is_asked_for);
	RUN_TEST(a_thread_writes_its_own_files_and_nobody_else_s);
	RUN_TEST(two_sources_of_one_name_are_kept_apart);
	RUN_TEST(two_live_sources_of_one_name_are_kept_apart);
	RUN_TEST(a_file_of_one_source_and_a_folder_of_another_get_along);
	RUN_TEST(folders_of_two_sources_never_mix);
	RUN_TEST(copies_that_another_program_made_are_read_and_kept);
	RUN_TEST(a_name_made_by_hand_is_not_overwritten);
	RUN_TEST(an_ended_reference_takes_its_copies_with_it);
	RUN_TEST(a_broken_reference_warns_and_never_blocks);
	RUN_TEST(a_reference_to_nobody_is_kept_and_comes_true);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(leslie_ref);
	GREATEST_MAIN_END();
}
