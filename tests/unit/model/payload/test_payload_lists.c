/* Context lists: where they are, what they say, and editing them. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/payload/payload.h>
#include <loom/base/utf8.h>

#include "support/project_suite.h"
#include "support/prop.h"

TEST comments_and_blanks_are_passed_over_but_nothing_inline(void)
{
	project_put(&project, "a", "x\n");
	project_put(&project, "#x", "y\n");
	project_put_turn(&project, "\xEF\xBB\xBF# c\n\n \t a \t\r\na # c\n./#x\n  # no\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [a](/a)\n- [a # c](</a # c>)\n- [#x](/#x)\n\n");
	ASSERT_HAS(&project, "`[a # c](</a # c>)`\n````\n--- FILE NOT FOUND ---\n");
	PASS();
}

TEST without_a_session_every_list_in_teddy_is_global(void)
{
	project_put(&project, "a", "1\n");
	project_put(&project, "b", "2\n");
	project_put(&project, ".teddy/init.context", "b\n");
	project_put(&project, ".teddy/global.context", "a\n");
	project_put(&project, ".teddy/notes/readme", "no session\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Global\n- [a](/a)\n- [b](/b)\n\n");
	project_put(&project, ".teddy/s/session.context", "");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Global\n- [a](/a)\n\n");
	PASS();
}

static void set_time(const char *name, time_t when)
{
	struct timespec times_of[2] = {{.tv_sec = when}, {.tv_sec = when}};
	char *path = temp_path(&project.temp, name);

	if (utimensat(AT_FDCWD, path, times_of, 0) < 0)
		abort();
	free(path);
}

TEST the_newest_session_and_its_highest_turn_are_meant(void)
{
	project_put(&project, ".teddy/old/session.context", "old\n");
	project_put(&project, ".teddy/old/02/turn.context", "old-2\n");
	project_put(&project, ".teddy/new/session.context", "new\n");
	project_put(&project, ".teddy/new/01/turn.context", "new-1\n");
	project_put(&project, ".teddy/new/10/turn.context", "new-10\n");
	project_put(&project, ".teddy/new/9/turn.context", "no turn\n");
	set_time(".teddy/old/session.context", 1000);
	set_time(".teddy/old/02/turn.context", 1000);
	set_time(".teddy/old/02", 1000);
	set_time(".teddy/old", 1000);
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [new-10](/new-10)\n\n### Session\n- [new](/new)\n\n");
	ASSERT(loom_str_is(project.payload.session, "new"));
	project.opts.place.turn = LOOM_STR("1");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [new-1](/new-1)\n\n");
	project.opts.place =
		(struct loom_payload_place){.root = &project.root, .session = LOOM_STR("old")};
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [old-2](/old-2)\n\n### Session\n- [old](/old)\n\n");
	PASS();
}

TEST the_folder_of_sessions_is_none_itself(void)
{
	project_put(&project, ".teddy/sessions/01/session.context", "a\n");
	ASSERT_BUILT(&project);
	ASSERT(loom_str_is(project.payload.session, "01"));
	project.opts.place.session = LOOM_STR("sessions");
	ASSERT_EQ(LOOM_NOT_FOUND, project_build(&project));
	PASS();
}

TEST dated_sessions_are_ordered_by_their_names(void)
{
	project_put(&project, ".teddy/sessions/20260202_090000-b/session.context", "b\n");
	project_put(&project, ".teddy/sessions/20260101_090000-a/session.context", "a\n");
	ASSERT_BUILT(&project);
	ASSERT(loom_str_is(project.payload.session, "20260202_090000-b"));
	PASS();
}

TEST a_session_or_turn_that_is_not_there_is_not_found(void)
{
	project_put(&project, ".teddy/s/session.context", "a\n");
	project.opts.place.session = LOOM_STR("other");
	ASSERT_EQ(LOOM_NOT_FOUND, project_build(&project));
	project.opts.place.session = LOOM_STR("../s");
	ASSERT_EQ(LOOM_NOT_FOUND, project_build(&project));
	project.opts.place.session = LOOM_STR("s");
	project.opts.place.turn = LOOM_STR("3");
	ASSERT_EQ(LOOM_NOT_FOUND, project_build(&project));
	project.opts.place.turn = LOOM_STR("x");
	ASSERT_EQ(LOOM_SYNTAX, project_build(&project));
	PASS();
}

TEST a_caller_may_give_the_entries_instead_of_lists(void)
{
	struct loom_payload_entry entries[3];

	project_put(&project, "own.md", "own\n");
	project_put(&project, "plan.md", "plan\n");
	project_put_turn(&project, "ignored\n");
	entries[0] = loom_payload_entry_make(&project.opts.place, LOOM_SCOPE_GLOBAL,
					     LOOM_STR("plan.md"), project.arena);
	entries[1] = loom_payload_entry_make(&project.opts.place, LOOM_SCOPE_TURN,
					     LOOM_STR("./own.md"), project.arena);
	entries[2] = loom_payload_entry_make(&project.opts.place, LOOM_SCOPE_SESSION,
					     LOOM_STR("plan.md"), project.arena);
	project.opts.given = true;
	project.opts.entries = entries;
	project.opts.entry_count = 3;
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [own.md](/own.md)\n\n### Session\n- [plan.md](/plan.md)\n"
			     "\n### Global\n- [plan.md](/plan.md)\n\n");
	ASSERT_EQ(2, (int)project_times(&project, "**Resource:**"));
	PASS();
}

static bool list_is(const char *name, const char *want)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *path = temp_path(&project.temp, name);
	bool same = temp_read(path, &got) && loom_str_is(loom_buf_str(&got), want);

	if (!same)
		fprintf(stderr, "%s: %s\n", name, loom_buf_cstr(&got));
	loom_buf_fini(&got);
	free(path);
	return same;
}

static enum loom_status edit(enum loom_payload_edit what, enum loom_scope scope, const char *target)
{
	struct loom_str targets[1] = {loom_str_of(target)};

	return loom_payload_edit(&project.opts.place,
				 &(struct loom_payload_change){.edit = what,
							       .scope = scope,
							       .targets = targets,
							       .count = 1},
				 NULL, NULL);
}

/* Blanks before a path and a mark of the byte order belong to it, and no reader keeps them. */
TEST what_is_added_is_listed_whatever_it_begins_with(void)
{
	static const char *const names[] = {"\xEF\xBB\xBFm", "\rc", "\tt", " b", "#h"};
	struct loom_arena *arena = loom_arena_create();
	struct loom_payload_lists lists;

	project_put(&project, ".teddy/s/session.context", "");
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, names[i]));
		ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, names[i]));
	}
	ASSERT_EQ(LOOM_OK, loom_payload_lists_read(&project.opts.place, arena, &lists, NULL));
	ASSERT_EQ(LOOM_COUNT(names), lists.count);
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		ASSERT(loom_str_is(lists.entries[i].target, names[i]));
		ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_SESSION, names[i]));
	}
	loom_arena_destroy(arena);
	PASS();
}

TEST adding_keeps_what_is_there_and_adds_once(void)
{
	project_put(&project, ".teddy/s/session.context", "# mine\r\n  b  ");
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "./a//x"));
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "/a/x"));
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "b"));
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "#odd"));
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "https://e.example/?q=#x"));
	ASSERT(list_is(".teddy/s/session.context",
		       "# mine\r\n  b  \na/x\n./#odd\nhttps://e.example/?q=#x\n"));
	PASS();
}

TEST a_list_is_made_where_there_is_none(void)
{
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "a"));
	ASSERT(list_is(".teddy/global.context", "a\n"));
	ASSERT_EQ(LOOM_NOT_FOUND, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "a"));
	project_put(&project, ".teddy/s/session.context", "");
	ASSERT_EQ(LOOM_NOT_FOUND, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_TURN, "a"));
	project.opts.place.turn = LOOM_STR("3");
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_TURN, "a"));
	ASSERT(list_is(".teddy/s/03/turn.context", "a\n"));
	PASS();
}

TEST what_is_added_stands_on_the_line_that_was_asked_for(void)
{
	struct loom_str targets[] = {LOOM_STR_INIT("x"), LOOM_STR_INIT("b"), LOOM_STR_INIT("y")};
	struct loom_payload_change change = {.scope = LOOM_SCOPE_GLOBAL,
					     .targets = targets,
					     .count = 3,
					     .line = 2};

	project_put(&project, ".teddy/global.context", "\xEF\xBB\xBF# mine\nb\nc");
	ASSERT_EQ(LOOM_OK, loom_payload_edit(&project.opts.place, &change, NULL, NULL));
	ASSERT(list_is(".teddy/global.context", "\xEF\xBB\xBF# mine\nx\ny\nb\nc"));
	targets[0] = LOOM_STR("first");
	change.count = 1;
	change.line = 1;
	ASSERT_EQ(LOOM_OK, loom_payload_edit(&project.opts.place, &change, NULL, NULL));
	targets[0] = LOOM_STR("last");
	change.line = 99;
	ASSERT_EQ(LOOM_OK, loom_payload_edit(&project.opts.place, &change, NULL, NULL));
	ASSERT(list_is(".teddy/global.context", "\xEF\xBB\xBF"
						"first\n# mine\nx\ny\nb\nc\nlast\n"));
	PASS();
}

TEST removing_takes_out_every_spelling_and_nothing_else(void)
{
	project_put_turn(&project, "\xEF\xBB\xBF"
				   "a\n# a\n\n./a\r\nb\n/a");
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_TURN, "a"));
	ASSERT(list_is(".teddy/s/01/turn.context", "\xEF\xBB\xBF# a\n\nb\n"));
	ASSERT_EQ(LOOM_NOT_FOUND, edit(LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_TURN, "a"));
	PASS();
}

TEST moving_takes_from_all_other_scopes(void)
{
	project_put_turn(&project, "x\na\n");
	project_put(&project, ".teddy/s/session.context", "y\n");
	project_put(&project, ".teddy/global.context", "./a\nz\n");
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_MOVE, LOOM_SCOPE_SESSION, "a"));
	ASSERT(list_is(".teddy/s/01/turn.context", "x\n"));
	ASSERT(list_is(".teddy/s/session.context", "y\na\n"));
	ASSERT(list_is(".teddy/global.context", "z\n"));
	ASSERT_EQ(LOOM_NOT_FOUND, edit(LOOM_PAYLOAD_MOVE, LOOM_SCOPE_TURN, "nowhere"));
	PASS();
}

TEST one_bad_target_changes_no_list(void)
{
	struct loom_str targets[] = {LOOM_STR_INIT("a"), LOOM_STR_INIT("../b")};
	struct loom_payload_change change = {.scope = LOOM_SCOPE_GLOBAL,
					     .targets = targets,
					     .count = 2};

	project_put(&project, ".teddy/global.context", "z\n");
	ASSERT_EQ(LOOM_PATH, loom_payload_edit(&project.opts.place, &change, NULL, NULL));
	ASSERT_EQ(LOOM_PATH, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "a\nb"));
	ASSERT_EQ(LOOM_PATH, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "a "));
	ASSERT(list_is(".teddy/global.context", "z\n"));
	PASS();
}

TEST the_whole_project_can_be_listed(void)
{
	project_put(&project, "a", "1\n");
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "."));
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "/"));
	ASSERT(list_is(".teddy/global.context", ".\n"));
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Global\n- [a](/a)\n\n");
	ASSERT_EQ(LOOM_OK, edit(LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_GLOBAL, "./"));
	ASSERT(list_is(".teddy/global.context", ""));
	PASS();
}

/* Adds one path in a process of its own, whose number is returned. */
static pid_t add_beside(int number)
{
	char target[16];
	pid_t child = fork();

	if (child)
		return child;
	snprintf(target, sizeof(target), "f%d", number);
	_exit(edit(LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, target) == LOOM_OK ? 0 : 1);
}

TEST of_many_who_add_at_once_none_is_lost(void)
{
	enum { MANY = 24 };
	pid_t children[MANY];

	project_put(&project, ".teddy/global.context", "");
	for (int i = 0; i < MANY; i++)
		children[i] = add_beside(i);
	for (int i = 0; i < MANY; i++) {
		int status = -1;

		ASSERT_EQ(children[i], waitpid(children[i], &status, 0));
		ASSERT_EQ(0, status);
	}
	ASSERT_BUILT(&project);
	ASSERT_EQ(MANY, (int)project_times(&project, "**Resource:**"));
	PASS();
}

TEST a_session_begins_with_an_empty_turn_and_turns_follow_each_other(void)
{
	struct loom_payload_place place = project.opts.place;
	struct loom_payload_made made;
	struct loom_err err;

	place.session = LOOM_STR("s");
	ASSERT_EQ(LOOM_OK, loom_payload_session_new(&place, 0, project.arena, &made, &err));
	ASSERT(loom_str_is(made.folder, ".teddy/s/01"));
	ASSERT_EQ(LOOM_CONFLICT, loom_payload_session_new(&place, 0, project.arena, &made, &err));
	project_put(&project, ".teddy/s/01/turn.context", "# why\nx\r\n");
	project_put(&project, "x", "1\n");
	place.turn = LOOM_STR("01"); /* the turn that is looked at changes nothing */
	ASSERT_EQ(LOOM_OK, loom_payload_turn_new(&place, project.arena, &made, &err));
	ASSERT(loom_str_is(made.folder, ".teddy/s/02"));
	ASSERT(list_is(".teddy/s/02/turn.context", "# why\nx\r\n"));
	ASSERT_EQ(LOOM_OK, loom_payload_turn_new(&place, project.arena, &made, &err));
	ASSERT(loom_str_is(made.turn, "03"));
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [x](/x)\n");
	PASS();
}

TEST a_session_without_a_name_is_called_by_its_time(void)
{
	struct loom_payload_made made;
	struct loom_err err;

	ASSERT_EQ(LOOM_OK, loom_payload_session_new(&project.opts.place, 1772600767891,
						    project.arena, &made, &err));
	ASSERT(loom_str_is(made.session, "20260304_050607"));
	ASSERT_EQ(LOOM_OK, loom_payload_turn_new(&project.opts.place, project.arena, &made, &err));
	ASSERT(loom_str_is(made.folder, ".teddy/20260304_050607/02"));
	PASS();
}

TEST a_report_lies_beside_the_list_of_its_turn(void)
{
	struct loom_payload_lists lists;
	struct loom_payload_made turn;
	struct loom_err err;

	ASSERT_EQ(LOOM_OK,
		  loom_payload_lists_read(&project.opts.place, project.arena, &lists, &err));
	loom_payload_turn_of(&lists, project.arena, &turn);
	ASSERT_EQ(0, (int)turn.folder.n);
	ASSERT_EQ(LOOM_OK, loom_payload_report_put(&project.root, &turn, LOOM_STR("none"), &err));
	project_put_turn(&project, "x\n");
	ASSERT_EQ(LOOM_OK,
		  loom_payload_lists_read(&project.opts.place, project.arena, &lists, &err));
	loom_payload_turn_of(&lists, project.arena, &turn);
	ASSERT_EQ(LOOM_OK, loom_payload_report_put(&project.root, &turn, LOOM_STR("done\n"), &err));
	ASSERT(list_is(".teddy/s/01/report.md", "done\n"));
	PASS();
}

SUITE(payload_lists)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(comments_and_blanks_are_passed_over_but_nothing_inline);
	RUN_TEST(without_a_session_every_list_in_teddy_is_global);
	RUN_TEST(the_newest_session_and_its_highest_turn_are_meant);
	RUN_TEST(the_folder_of_sessions_is_none_itself);
	RUN_TEST(dated_sessions_are_ordered_by_their_names);
	RUN_TEST(a_session_or_turn_that_is_not_there_is_not_found);
	RUN_TEST(a_caller_may_give_the_entries_instead_of_lists);
	RUN_TEST(adding_keeps_what_is_there_and_adds_once);
	RUN_TEST(what_is_added_is_listed_whatever_it_begins_with);
	RUN_TEST(a_list_is_made_where_there_is_none);
	RUN_TEST(what_is_added_stands_on_the_line_that_was_asked_for);
	RUN_TEST(removing_takes_out_every_spelling_and_nothing_else);
	RUN_TEST(moving_takes_from_all_other_scopes);
	RUN_TEST(one_bad_target_changes_no_list);
	RUN_TEST(the_whole_project_can_be_listed);
	RUN_TEST(of_many_who_add_at_once_none_is_lost);
	RUN_TEST(a_session_begins_with_an_empty_turn_and_turns_follow_each_other);
	RUN_TEST(a_session_without_a_name_is_called_by_its_time);
	RUN_TEST(a_report_lies_beside_the_list_of_its_turn);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(payload_lists);
	GREATEST_MAIN_END();
}
