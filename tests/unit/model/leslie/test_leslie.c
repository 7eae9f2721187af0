/* Objectives, threads and their lifecycle in `.leslie/`: what stands in the files, what survives
 * damage and company. Cases 47, 54, 55 and their kin. */
#include <unistd.h>

#include <greatest.h>

#include <loom/base/json.h>

#include "support/clock.h"
#include "support/camp_suite.h"

TEST a_new_objective_and_thread_have_the_reference_s_fields(void)
{
	cJSON *relations = NULL;
	cJSON *objectives = NULL;
	const cJSON *thread = NULL;

	ASSERT_EQ(LOOM_OK, camp_spawn(&camp, "A", NULL, LOOM_LESLIE_BINDING_FROZEN));
	relations = parsed(RELATIONS);
	objectives = parsed(OBJECTIVES);
	ASSERT(relations && objectives);
	thread = loom_json_get(loom_json_get(relations, "threads"), "A");
	ASSERT(loom_str_is(loom_json_str(thread, "id"), "A"));
	ASSERT(loom_str_is(loom_json_str(thread, "title"), "An intent"));
	ASSERT(loom_str_is(loom_json_str(thread, "objective"), "obj"));
	ASSERT(loom_str_is(loom_json_str(thread, "status"), "active"));
	ASSERT(loom_str_is(loom_json_str(thread, "executor"), "agent"));
	ASSERT(loom_str_is(loom_json_str(thread, "created_at"), "2026-02-23T10:00:00.000Z"));
	ASSERT(loom_str_is(loom_json_str(thread, "updated_at"), "2026-02-23T10:00:00.000Z"));
	ASSERT(loom_str_is(loom_json_str(thread, "storage_path"), ".leslie/threads/A"));
	ASSERT(cJSON_IsNull(loom_json_get(thread, "parent_id")));
	ASSERT_EQ(0, length_of(relations, "relations", "A", "children"));
	ASSERT_EQ(0, length_of(relations, "relations", "A", "references_to"));
	ASSERT_EQ(0, length_of(relations, "relations", "A", "referenced_by"));
	ASSERT_EQ(0, length_of(relations, "relations", "A", "depends_on"));
	ASSERT_EQ(1, length_of(relations, "operations", NULL, NULL));
	ASSERT_EQ(1, length_of(objectives, "objectives", "obj", "thread_ids"));
	ASSERT(loom_str_is(loom_json_str(relations, "version"), "1.0"));
	ASSERT(camp_has(&camp, ".leslie/threads/A/artifacts"));
	ASSERT(camp_has(&camp, ".leslie/threads/A/context/inherited"));
	ASSERT(camp_has(&camp, ".leslie/threads/A/context/live"));
	cJSON_Delete(relations);
	cJSON_Delete(objectives);
	PASS();
}

TEST ids_are_drawn_in_the_reference_s_form(void)
{
	struct loom_str id;

	ASSERT_EQ(LOOM_OK,
		  loom_objective_new(camp.leslie, LOOM_STR("T"), (struct loom_str){NULL, 0},
				     camp.arena, &id, &camp.err));
	ASSERT_EQ(12, id.n);
	ASSERT(loom_str_starts(id, LOOM_STR("obj-")));
	ASSERT_EQ(LOOM_OK, camp_spawn(&camp, NULL, NULL, LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_EQ(LOOM_OK, camp_spawn(&camp, NULL, NULL, LOOM_LESLIE_BINDING_FROZEN));
	{
		struct loom_leslie_thread *threads = NULL;
		size_t count = 0;

		ASSERT_EQ(LOOM_OK, loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads,
						       &count, NULL));
		ASSERT_EQ(2, count);
		ASSERT_EQ(15, threads[0].id.n);
		ASSERT(loom_str_starts(threads[0].id, LOOM_STR("thread-")));
		ASSERT(!loom_str_eq(threads[0].id, threads[1].id));
	}
	PASS();
}

TEST refused_words_leave_no_trace(void)
{
	static const char *const bad[] = {"",
					  ".",
					  "..",
					  ".global",
					  "a/b",
					  "../a",
					  "a b",
					  "\xc3\xa9",
					  "a.b",
					  ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
					   "aaaaaaaaaaaaaaaaaaaaaaaaaaaa")};
	struct loom_leslie_spawn spawn = {.objective = LOOM_STR("obj")};
	struct loom_str id;
	const char *before = NULL;

	camp_threads(&camp, "A");
	before = camp_picture(&camp);
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		ASSERT_EQ(LOOM_PATH, camp_spawn(&camp, bad[i], NULL, LOOM_LESLIE_BINDING_FROZEN));
		ASSERT_STR_EQ("T203", camp.err.code);
	}
	ASSERT_EQ(LOOM_CONFLICT, camp_spawn(&camp, "A", NULL, LOOM_LESLIE_BINDING_FROZEN));
	spawn.objective = LOOM_STR("obj-none");
	ASSERT_EQ(LOOM_NOT_FOUND, loom_leslie_spawn(camp.leslie, &spawn, camp.arena, &id,
						    &camp.warnings, &camp.err));
	ASSERT_STR_EQ("T601", camp.err.code);
	spawn.objective = LOOM_STR("obj");
	spawn.parent = LOOM_STR("nobody");
	ASSERT_EQ(LOOM_NOT_FOUND, loom_leslie_spawn(camp.leslie, &spawn, camp.arena, &id,
						    &camp.warnings, &camp.err));
	ASSERT_STR_EQ("T101", camp.err.code);
	ASSERT_STR_EQ("Thread 'nobody' not found", camp.err.err.text);
	spawn.parent = (struct loom_str){NULL, 0};
	spawn.intent = LOOM_STR("bad \x01");
	ASSERT_EQ(LOOM_INVALID, loom_leslie_spawn(camp.leslie, &spawn, camp.arena, &id,
						  &camp.warnings, &camp.err));
	ASSERT_EQ(LOOM_INVALID,
		  loom_objective_new(camp.leslie, LOOM_STR(""), (struct loom_str){NULL, 0},
				     camp.arena, &id, &camp.err));
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST looking_makes_no_leslie(void)
{
	struct loom_leslie_thread *threads = NULL;
	struct loom_leslie_thread thread;
	enum loom_leslie_status now;
	size_t count = 7;

	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, NULL));
	ASSERT_EQ(0, count);
	ASSERT_EQ(LOOM_NOT_FOUND,
		  loom_leslie_thread(camp.leslie, LOOM_STR("A"), camp.arena, &thread, NULL));
	ASSERT_EQ(LOOM_NOT_FOUND,
		  loom_leslie_lifecycle(camp.leslie, LOOM_STR("A"), LOOM_LESLIE_DONE, LOOM_STR(""),
					&now, &camp.err));
	ASSERT(!camp_has(&camp, ".leslie"));
	PASS();
}

TEST the_directory_is_found_by_climbing(void)
{
	struct loom_leslie_opts opts = {.env = &camp.env};
	struct loom_leslie *below = NULL;
	struct loom_leslie_thread thread;

	camp_threads(&camp, "A");
	camp_write(&camp, "src/deep/x", "");
	/* the reference's log folder in a home is no project */
	camp_write(&camp, "src/.leslie/logs/", "");
	opts.start = camp_path(&camp, "src/deep");
	ASSERT_EQ(LOOM_OK, loom_leslie_open(&opts, &below, NULL));
	ASSERT_EQ(LOOM_OK, loom_leslie_thread(below, LOOM_STR("A"), camp.arena, &thread, NULL));
	ASSERT(loom_str_ends(loom_str_of(loom_leslie_root(below)),
			     loom_str_of(strrchr(camp.temp.path, '/'))));
	loom_leslie_close(below);
	PASS();
}

TEST a_link_in_place_of_the_directory_is_not_followed(void)
{
	struct temp other;
	struct loom_str id;
	char link[300];

	temp_init(&other);
	snprintf(link, sizeof(link), "%s/.leslie", camp.temp.path);
	ASSERT_EQ(0, symlink(other.path, link));
	ASSERT(LOOM_OK != loom_objective_new(camp.leslie, LOOM_STR("T"), (struct loom_str){NULL, 0},
					     camp.arena, &id, &camp.err));
	ASSERT_EQ(0, rmdir(other.path));
	PASS();
}

TEST parents_and_children_are_tied_both_ways(void)
{
	cJSON *relations = NULL;
	const cJSON *all = NULL;

	camp_threads(&camp, "P");
	for (int i = 0; i < 4; i++) {
		char id[8];
		struct loom_str out;
		struct loom_leslie_target target = {.thread = LOOM_STR("P")};
		struct loom_leslie_spawn spawn = {.objective = LOOM_STR("obj"),
						  .parent = LOOM_STR("P"),
						  .refs = &target,
						  .ref_count = 1};

		snprintf(id, sizeof(id), "C%d", i);
		spawn.id = loom_str_of(id);
		ASSERT_EQ(LOOM_OK, loom_leslie_spawn(camp.leslie, &spawn, camp.arena, &out,
						     &camp.warnings, &camp.err));
	}
	relations = parsed(RELATIONS);
	all = loom_json_get(relations, "relations");
	ASSERT_EQ(4, length_of(all, "P", "children", NULL));
	ASSERT_EQ(4, length_of(all, "P", "referenced_by", NULL));
	for (int i = 0; i < 4; i++) {
		char id[8];
		const cJSON *child = NULL;

		snprintf(id, sizeof(id), "C%d", i);
		child = loom_json_get(loom_json_get(relations, "threads"), id);
		ASSERT(loom_str_is(loom_json_str(child, "parent_id"), "P"));
		ASSERT_EQ(1, length_of(all, id, "references_to", NULL));
		ASSERT_EQ(1, length_of(all, id, "depends_on", NULL));
	}
	/* a parent may reference its child: that is no circle ... */
	ASSERT_EQ(LOOM_REFUSED, camp_freeze(&camp, "P", "C0"));
	cJSON_Delete(relations);
	PASS();
}

TEST a_parent_may_reference_a_child_that_does_not_reference_it(void)
{
	struct loom_leslie_spawn spawn = {.objective = LOOM_STR("obj"),
					  .parent = LOOM_STR("P"),
					  .id = LOOM_STR("C")};
	struct loom_str out;

	camp_threads(&camp, "P");
	ASSERT_EQ(LOOM_OK, loom_leslie_spawn(camp.leslie, &spawn, camp.arena, &out, &camp.warnings,
					     &camp.err));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "P", "C"));
	PASS();
}

TEST every_transition_is_the_table_s(void)
{
	static const char *const table[LOOM_LESLIE_STATUSES + 1][LOOM_LESLIE_ACTIONS] = {
		/* suspend resume done cancel archive */
		[LOOM_LESLIE_ACTIVE] = {"suspended", NULL, "completed", "cancelled", NULL},
		[LOOM_LESLIE_SUSPENDED] = {NULL, "active", "completed", "cancelled", NULL},
		[LOOM_LESLIE_COMPLETED] = {NULL, NULL, NULL, NULL, "archived"},
		[LOOM_LESLIE_CANCELLED] = {NULL, NULL, NULL, NULL, "archived"},
		[LOOM_LESLIE_ARCHIVED] = {NULL, NULL, NULL, NULL, NULL},
		[LOOM_LESLIE_FROZEN] = {NULL, NULL, NULL, NULL, "archived"},
		[LOOM_LESLIE_WAITING_HUMAN] = {NULL, "active", NULL, "cancelled", NULL},
	};

	for (int from = 0; from <= LOOM_LESLIE_STATUSES; from++) {
		for (int action = 0; action < LOOM_LESLIE_ACTIONS; action++) {
			enum loom_leslie_status to = LOOM_LESLIE_STATUSES;
			bool ok = loom_leslie_next((enum loom_leslie_status)from,
						   (enum loom_leslie_action)action, &to);

			ASSERT_EQ(table[from][action] != NULL, ok);
			if (ok)
				ASSERT_STR_EQ(table[from][action], loom_leslie_status_name(to));
		}
	}
	PASS();
}

static enum loom_status move(const char *id, enum loom_leslie_action action)
{
	enum loom_leslie_status now;

	return loom_leslie_lifecycle(camp.leslie, loom_str_of(id), action, LOOM_STR("why"), &now,
				     &camp.err);
}

static const char *objective_status(void)
{
	cJSON *json = parsed(OBJECTIVES);
	const cJSON *objective = loom_json_get(loom_json_get(json, "objectives"), "obj");
	const char *status = loom_arena_cstr(camp.arena, loom_json_str(objective, "status"));
	struct loom_objective shown;

	cJSON_Delete(json);
	if (loom_objective_find(camp.leslie, LOOM_STR("obj"), camp.arena, &shown, NULL) !=
		    LOOM_OK ||
	    !loom_str_is(shown.status, status))
		return "shown and stored differ";
	return status;
}

TEST an_objective_is_complete_when_all_its_threads_are_over(void)
{
	camp_objective(&camp);
	ASSERT_STR_EQ("active", objective_status());
	camp_threads(&camp, "A B C");
	ASSERT_EQ(LOOM_OK, move("A", LOOM_LESLIE_DONE));
	ASSERT_EQ(LOOM_OK, move("B", LOOM_LESLIE_CANCEL));
	ASSERT_EQ(LOOM_OK, move("C", LOOM_LESLIE_SUSPEND));
	ASSERT_STR_EQ("active", objective_status());
	ASSERT_EQ(LOOM_OK, move("C", LOOM_LESLIE_DONE));
	ASSERT_STR_EQ("completed", objective_status());
	ASSERT_EQ(LOOM_OK, move("A", LOOM_LESLIE_ARCHIVE));
	ASSERT_STR_EQ("completed", objective_status());
	camp_threads(&camp, "D");
	ASSERT_STR_EQ("active", objective_status());
	PASS();
}

TEST an_illegal_transition_changes_nothing(void)
{
	const char *before = NULL;

	camp_threads(&camp, "A");
	ASSERT_EQ(LOOM_OK, move("A", LOOM_LESLIE_DONE));
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_REFUSED, move("A", LOOM_LESLIE_RESUME));
	ASSERT_STR_EQ("T102", camp.err.code);
	ASSERT_STR_EQ("Invalid state transition from completed using action resume",
		      camp.err.err.text);
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST a_lifecycle_step_is_recorded(void)
{
	cJSON *json = NULL;
	const cJSON *operation = NULL;

	camp_threads(&camp, "A");
	ASSERT_EQ(LOOM_OK, move("A", LOOM_LESLIE_SUSPEND));
	json = parsed(RELATIONS);
	operation = cJSON_GetArrayItem(loom_json_get(json, "operations"), 1);
	ASSERT(loom_str_is(loom_json_str(operation, "command"), "lifecycle"));
	ASSERT(loom_str_is(loom_json_str(loom_json_get(operation, "params"), "action"), "suspend"));
	ASSERT(loom_str_is(loom_json_str(loom_json_get(operation, "params"), "reason"), "why"));
	cJSON_Delete(json);
	PASS();
}

/* ---- files of others, damage ---- */

static const char foreign[] =
	"{\n"
	"  \"version\": \"1.0.0\",\n"
	"  \"future\": {\"keep\": [1, 2,   3]},\n"
	"  \"metadata\": {\"last_updated\": \"2026-02-23T18:00:00+08:00\", \"thread_count\": 2, "
	"\"x\": 1},\n"
	"  \"threads\": {\n"
	"    \"late\": {\"id\": \"late\", \"title\": \"Second\", \"objective\": \"obj\",\n"
	"      \"created_at\": \"2026-02-23T11:00:00+01:00\", \"status\": \"pending\", "
	"\"parent_id\": null, \"storage_path\": \".leslie/threads/late/\", \"mine\": true},\n"
	"    \"early\": {\"id\": \"early\", \"title\": \"First \\u00e9\", \"objective\": \"obj\",\n"
	"      \"created_at\": \"2026-02-23T09:59:59Z\", \"status\": \"weird\", \"parent_id\": "
	"null,"
	" \"storage_path\": \"../../etc\"}\n"
	"  },\n"
	"  \"operations\": [],\n"
	"  \"relations\": {\"late\": {\"children\": [], \"references_to\": [\"early\"], "
	"\"referenced_by\": [], \"depends_on\": [], \"more\": 1}}\n"
	"}\n";

TEST what_the_reference_s_specification_allows_is_read(void)
{
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;

	camp_write(&camp, RELATIONS, foreign);
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, &camp.err));
	ASSERT_EQ(2, count);
	ASSERT(loom_str_is(threads[0].id, "early"));
	ASSERT(loom_str_is(threads[0].title, "First \xc3\xa9"));
	ASSERT_EQ(LOOM_LESLIE_STATUSES, threads[0].status);
	ASSERT(loom_str_is(threads[0].status_text, "weird"));
	ASSERT_EQ(LOOM_LESLIE_ACTIVE, threads[1].status);
	ASSERT(loom_str_is(threads[1].executor, "agent"));
	ASSERT(loom_str_is(threads[1].updated_at, "2026-02-23T11:00:00+01:00"));
	PASS();
}

TEST unknown_keys_survive_every_change(void)
{
	const char *text = NULL;

	camp_objective(&camp);
	camp_write(&camp, RELATIONS, foreign);
	camp_threads(&camp, "A");
	ASSERT_EQ(LOOM_OK, move("late", LOOM_LESLIE_SUSPEND));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "late", "A"));
	text = camp_read(&camp, RELATIONS);
	ASSERT(strstr(text, "\"future\": {\"keep\": [1, 2,   3]}"));
	ASSERT(strstr(text, "\"x\": 1"));
	ASSERT(strstr(text, "\"mine\": true"));
	ASSERT(strstr(text, "\"more\": 1"));
	ASSERT(strstr(text, "\"storage_path\": \"../../etc\""));
	ASSERT(strstr(text, "\"thread_count\": 3"));
	ASSERT(strstr(text, "\"status\": \"suspended\""));
	ASSERT(!strstr(text, "pending"));
	PASS();
}

TEST an_unknown_status_goes_nowhere(void)
{
	camp_objective(&camp);
	camp_write(&camp, RELATIONS, foreign);
	ASSERT_EQ(LOOM_REFUSED, move("early", LOOM_LESLIE_DONE));
	ASSERT_STR_EQ("T102", camp.err.code);
	PASS();
}

TEST a_relation_that_is_missing_is_made(void)
{
	cJSON *json = NULL;

	camp_objective(&camp);
	camp_write(&camp, RELATIONS, foreign);
	camp_write(&camp, ".leslie/threads/early/plan.md", "p");
	camp_write(&camp, ".leslie/threads/late/", "");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "late", "early"));
	json = parsed(RELATIONS);
	ASSERT_EQ(1, length_of(json, "relations", "early", "referenced_by"));
	ASSERT_EQ(1, length_of(json, "relations", "late", "references_to"));
	cJSON_Delete(json);
	PASS();
}

TEST a_damaged_file_falls_back_to_its_backup(void)
{
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;
	const char *backup = NULL;

	camp_threads(&camp, "A B");
	backup = camp_read(&camp, RELATIONS ".bak");
	camp_write(&camp, RELATIONS, "{\"threads\": ");
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, &camp.err));
	ASSERT_EQ(1, count);
	ASSERT_EQ(1, loom_leslie_notices(camp.leslie)->count);
	ASSERT_STR_EQ("{\"threads\": ", camp_read(&camp, RELATIONS));
	/* a change writes a whole file again; neither the backup nor the damaged one is lost */
	camp_threads(&camp, "C");
	ASSERT_STR_EQ("{\"threads\": ", camp_read(&camp, RELATIONS ".damaged"));
	ASSERT_STR_EQ(backup, camp_read(&camp, RELATIONS ".bak"));
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, &camp.err));
	ASSERT_EQ(2, count);
	ASSERT_EQ(0, loom_leslie_notices(camp.leslie)->count);
	PASS();
}

TEST wrong_shapes_are_damage_too(void)
{
	static const char *const bad[] = {"",
					  "[]",
					  "null",
					  "{\"threads\":[]}",
					  "{\"operations\":{}}",
					  "{\"relations\":3}",
					  "{\"metadata\":[]}",
					  "{}",
					  "{\"version\":\"1.0\",\"relations\":{}}"};
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;

	camp_threads(&camp, "A B");
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		camp_write(&camp, RELATIONS, bad[i]);
		ASSERT_EQm(bad[i], LOOM_OK,
			   loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count,
					       &camp.err));
		ASSERT_EQm(bad[i], 1, count);
	}
	PASS();
}

TEST a_missing_file_with_a_backup_is_not_taken_for_an_empty_one(void)
{
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;

	camp_threads(&camp, "A B");
	camp_remove(&camp, RELATIONS);
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, &camp.err));
	ASSERT_EQ(1, count);
	camp_threads(&camp, "C");
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, &camp.err));
	ASSERT_EQ(2, count);
	PASS();
}

TEST two_damaged_files_are_left_untouched(void)
{
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;
	const char *before = NULL;

	camp_threads(&camp, "A B");
	camp_write(&camp, RELATIONS, "{");
	camp_write(&camp, RELATIONS ".bak", "}");
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_INVALID,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, &camp.err));
	ASSERT_STR_EQ("T502", camp.err.code);
	ASSERT_STR_EQ("JSON parse error", camp.err.err.text);
	ASSERT(strstr(loom_arena_cstr(camp.arena, camp.err.details), "filePath"));
	ASSERT_EQ(LOOM_INVALID, camp_spawn(&camp, "C", NULL, LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_STR_EQ("T502", camp.err.code);
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST a_damaged_file_without_backup_is_an_error(void)
{
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;

	camp_write(&camp, RELATIONS, "nonsense");
	ASSERT_EQ(LOOM_INVALID,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, &camp.err));
	ASSERT_STR_EQ("T502", camp.err.code);
	ASSERT_STR_EQ("nonsense", camp_read(&camp, RELATIONS));
	PASS();
}

TEST every_generation_but_the_last_is_the_backup(void)
{
	const char *one = NULL;

	camp_threads(&camp, "A");
	one = camp_read(&camp, RELATIONS);
	camp_threads(&camp, "B");
	ASSERT_STR_EQ(one, camp_read(&camp, RELATIONS ".bak"));
	PASS();
}

/* ---- the registry ---- */

static int registered(void)
{
	cJSON *json = parsed(".leslie/threads/.global/registry.json");
	int count = length_of(json, "threads", NULL, NULL);

	cJSON_Delete(json);
	return count;
}

TEST the_registry_follows_every_change_and_comes_back_when_damaged(void)
{
	static const char path[] = ".leslie/threads/.global/registry.json";
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;
	const char *whole = NULL;

	camp_threads(&camp, "A B");
	ASSERT_EQ(2, registered());
	whole = camp_read(&camp, path);
	ASSERT(strstr(whole, "\"path\": \".leslie/threads/B/\""));
	camp_remove(&camp, path);
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, NULL));
	ASSERT_EQ(2, registered());
	camp_write(&camp, path, "{garbage");
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, NULL));
	ASSERT_EQ(2, registered());
	camp_write(&camp, path, loom_arena_cstr(camp.arena, loom_str_make(whole, 90)));
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, NULL));
	ASSERT_EQ(2, registered());
	ASSERT_EQ(LOOM_OK, move("A", LOOM_LESLIE_DONE));
	ASSERT(strstr(camp_read(&camp, path), "\"completed\""));
	/* another program writes the relations */
	camp_write(&camp, RELATIONS, foreign);
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, NULL));
	ASSERT(strstr(camp_read(&camp, path), "\"late\""));
	ASSERT(!strstr(camp_read(&camp, path), "pending"));
	PASS();
}

TEST folders_without_a_record_are_no_threads(void)
{
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;

	camp_threads(&camp, "A");
	camp_write(&camp, ".leslie/threads/ghost/plan.md", "x");
	camp_write(&camp, ".leslie/threads/.global/plan.md", "x");
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, NULL));
	ASSERT_EQ(1, count);
	ASSERT(loom_str_is(threads[0].id, "A"));
	ASSERT_STR_EQ("refused", camp_assets(&camp, ".global", LOOM_CONTEXT_LOAD));
	ASSERT_STR_EQ("T101", camp.err.code);
	PASS();
}

TEST a_folder_that_stands_becomes_the_thread_s_and_keeps_its_files(void)
{
	const char *before = NULL;

	camp_objective(&camp);
	camp_threads(&camp, "B");
	camp_write(&camp, T "B/plan.md", "theirs");
	camp_write(&camp, T "A/plan.md", "mine");
	/* Refused: the folder is as it was. */
	before = camp_picture(&camp);
	ASSERT(camp_spawn(&camp, "A", "B:missing.md", LOOM_LESLIE_BINDING_FROZEN) != LOOM_OK);
	ASSERT_STR_EQ(before, camp_picture(&camp));
	ASSERT_EQ(LOOM_OK, camp_spawn(&camp, "A", "B:plan.md", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_STR_EQ("mine", camp_read(&camp, T "A/plan.md"));
	ASSERT_STR_EQ("theirs", camp_shared(&camp, "A", "plan.md", "B"));
	ASSERT(camp_spawn(&camp, "A", NULL, LOOM_LESLIE_BINDING_FROZEN) != LOOM_OK);
	camp_write(&camp, T "C/notes.md", "alone");
	ASSERT_EQ(LOOM_OK, camp_spawn(&camp, "C", NULL, LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_STR_EQ("alone", camp_read(&camp, T "C/notes.md"));
	PASS();
}

TEST the_global_plan_is_read_and_written(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	ASSERT_EQ(LOOM_NOT_FOUND, loom_leslie_plan_read(camp.leslie, &text, &camp.err));
	ASSERT_EQ(LOOM_OK, loom_leslie_plan_write(camp.leslie, LOOM_STR("# Plan\n"), &camp.err));
	ASSERT_EQ(LOOM_OK, loom_leslie_plan_read(camp.leslie, &text, &camp.err));
	ASSERT_STR_EQ("# Plan\n", loom_buf_cstr(&text));
	ASSERT_STR_EQ("# Plan\n", camp_read(&camp, ".leslie/threads/.global/plan.md"));
	loom_buf_fini(&text);
	PASS();
}

SUITE(leslie)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_new_objective_and_thread_have_the_reference_s_fields);
	RUN_TEST(ids_are_drawn_in_the_reference_s_form);
	RUN_TEST(refused_words_leave_no_trace);
	RUN_TEST(looking_makes_no_leslie);
	RUN_TEST(the_directory_is_found_by_climbing);
	RUN_TEST(a_link_in_place_of_the_directory_is_not_followed);
	RUN_TEST(parents_and_children_are_tied_both_ways);
	RUN_TEST(a_parent_may_reference_a_child_that_does_not_reference_it);
	RUN_TEST(every_transition_is_the_table_s);
	RUN_TEST(an_objective_is_complete_when_all_its_threads_are_over);
	RUN_TEST(an_illegal_transition_changes_nothing);
	RUN_TEST(a_lifecycle_step_is_recorded);
	RUN_TEST(what_the_reference_s_specification_allows_is_read);
	RUN_TEST(unknown_keys_survive_every_change);
	RUN_TEST(an_unknown_status_goes_nowhere);
	RUN_TEST(a_relation_that_is_missing_is_made);
	RUN_TEST(a_damaged_file_falls_back_to_its_backup);
	RUN_TEST(wrong_shapes_are_damage_too);
	RUN_TEST(a_missing_file_with_a_backup_is_not_taken_for_an_empty_one);
	RUN_TEST(two_damaged_files_are_left_untouched);
	RUN_TEST(a_damaged_file_without_backup_is_an_error);
	RUN_TEST(every_generation_but_the_last_is_the_backup);
	RUN_TEST(the_registry_follows_every_change_and_comes_back_when_damaged);
	RUN_TEST(folders_without_a_record_are_no_threads);
	RUN_TEST(a_folder_that_stands_becomes_the_thread_s_and_keeps_its_files);
	RUN_TEST(the_global_plan_is_read_and_written);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(leslie);
	GREATEST_MAIN_END();
}
