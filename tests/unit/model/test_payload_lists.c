/* The lists behind input.md: which ones count, in what order, and how they are edited. */
#include <fcntl.h>
#include <sys/stat.h>

#include <greatest.h>

#include "support/payload_world.h"

static void set_time(const struct world *world, const char *name, time_t when)
{
	struct timespec times_of[2] = {{.tv_sec = when}, {.tv_sec = when}};
	char *path = temp_path(&world->temp, name);

	if (utimensat(AT_FDCWD, path, times_of, 0) < 0)
		abort();
	free(path);
}

static bool list_is(const struct world *world, const char *name, const char *want)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *path = temp_path(&world->temp, name);
	bool same = temp_read(path, &got) && loom_str_is(loom_buf_str(&got), want);

	if (!same)
		fprintf(stderr, "%s: %s\n", name, loom_buf_cstr(&got));
	loom_buf_fini(&got);
	free(path);
	return same;
}

static enum loom_status edit(const struct world *world, enum loom_payload_edit what,
			     enum loom_scope scope, const char *target)
{
	struct loom_str targets[1] = {loom_str_of(target)};

	return loom_payload_edit(&world->opts.place, what, scope, targets, 1, NULL);
}

TEST comments_and_blanks_are_passed_over_but_nothing_inline(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a", "x\n");
	put(&world, "#x", "y\n");
	put_turn(&world, "\xEF\xBB\xBF# c\n\n \t a \t\r\na # c\n./#x\n  # no\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [a](/a)\n- [a # c](</a # c>)\n- [#x](/#x)\n\n");
	ASSERT_HAS(&world, "`[a # c](</a # c>)`\n````\n--- FILE NOT FOUND ---\n");
	world_fini(&world);
	PASS();
}

TEST without_a_session_every_list_in_teddy_is_global(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a", "1\n");
	put(&world, "b", "2\n");
	put(&world, ".teddy/init.context", "b\n");
	put(&world, ".teddy/global.context", "a\n");
	put(&world, ".teddy/notes/readme", "no session\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Global\n- [a](/a)\n- [b](/b)\n\n");
	put(&world, ".teddy/s/session.context", "");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Global\n- [a](/a)\n\n");
	world_fini(&world);
	PASS();
}

TEST the_newest_session_and_its_highest_turn_are_meant(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/old/session.context", "old\n");
	put(&world, ".teddy/old/02/turn.context", "old-2\n");
	put(&world, ".teddy/new/session.context", "new\n");
	put(&world, ".teddy/new/01/turn.context", "new-1\n");
	put(&world, ".teddy/new/10/turn.context", "new-10\n");
	put(&world, ".teddy/new/9/turn.context", "no turn\n");
	set_time(&world, ".teddy/old/session.context", 1000);
	set_time(&world, ".teddy/old/02/turn.context", 1000);
	set_time(&world, ".teddy/old/02", 1000);
	set_time(&world, ".teddy/old", 1000);
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [new-10](/new-10)\n\n### Session\n- [new](/new)\n\n");
	ASSERT(loom_str_is(world.payload.session, "new"));
	world.opts.place.turn = LOOM_STR("1");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [new-1](/new-1)\n\n");
	world.opts.place =
		(struct loom_payload_place){.root = &world.root, .session = LOOM_STR("old")};
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [old-2](/old-2)\n\n### Session\n- [old](/old)\n\n");
	world_fini(&world);
	PASS();
}

TEST dated_sessions_are_ordered_by_their_names(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/sessions/20260202_090000-b/session.context", "b\n");
	put(&world, ".teddy/sessions/20260101_090000-a/session.context", "a\n");
	ASSERT_BUILT(&world);
	ASSERT(loom_str_is(world.payload.session, "20260202_090000-b"));
	world_fini(&world);
	PASS();
}

TEST a_session_or_turn_that_is_not_there_is_not_found(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/s/session.context", "a\n");
	world.opts.place.session = LOOM_STR("other");
	ASSERT_EQ(LOOM_NOT_FOUND, build(&world));
	world.opts.place.session = LOOM_STR("../s");
	ASSERT_EQ(LOOM_NOT_FOUND, build(&world));
	world.opts.place.session = LOOM_STR("s");
	world.opts.place.turn = LOOM_STR("3");
	ASSERT_EQ(LOOM_NOT_FOUND, build(&world));
	world.opts.place.turn = LOOM_STR("x");
	ASSERT_EQ(LOOM_SYNTAX, build(&world));
	world_fini(&world);
	PASS();
}

TEST a_caller_may_give_the_entries_instead_of_lists(void)
{
	struct loom_payload_entry entries[3];
	struct world world;

	world_init(&world);
	put(&world, "own.md", "own\n");
	put(&world, "plan.md", "plan\n");
	put_turn(&world, "ignored\n");
	entries[0] = loom_payload_entry_make(&world.opts.place, LOOM_SCOPE_GLOBAL,
					     LOOM_STR("plan.md"), world.arena);
	entries[1] = loom_payload_entry_make(&world.opts.place, LOOM_SCOPE_TURN,
					     LOOM_STR("./own.md"), world.arena);
	entries[2] = loom_payload_entry_make(&world.opts.place, LOOM_SCOPE_SESSION,
					     LOOM_STR("plan.md"), world.arena);
	world.opts.given = true;
	world.opts.entries = entries;
	world.opts.entry_count = 3;
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [own.md](/own.md)\n\n### Session\n- [plan.md](/plan.md)\n"
			   "\n### Global\n- [plan.md](/plan.md)\n\n");
	ASSERT_EQ(2, (int)times(&world, "**Resource:**"));
	world_fini(&world);
	PASS();
}

TEST adding_keeps_what_is_there_and_adds_once(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/s/session.context", "# mine\r\n  b  ");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "./a//x"));
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "/a/x"));
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "b"));
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "#odd"));
	ASSERT_EQ(LOOM_OK,
		  edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "https://e.org/?q=#x"));
	ASSERT(list_is(&world, ".teddy/s/session.context",
		       "# mine\r\n  b  \na/x\n./#odd\nhttps://e.org/?q=#x\n"));
	world_fini(&world);
	PASS();
}

TEST a_list_is_made_where_there_is_none(void)
{
	struct world world;

	world_init(&world);
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "a"));
	ASSERT(list_is(&world, ".teddy/global.context", "a\n"));
	ASSERT_EQ(LOOM_NOT_FOUND, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "a"));
	put(&world, ".teddy/s/session.context", "");
	ASSERT_EQ(LOOM_NOT_FOUND, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_TURN, "a"));
	world.opts.place.turn = LOOM_STR("3");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_TURN, "a"));
	ASSERT(list_is(&world, ".teddy/s/03/turn.context", "a\n"));
	world_fini(&world);
	PASS();
}

TEST removing_takes_out_every_spelling_and_nothing_else(void)
{
	struct world world;

	world_init(&world);
	put_turn(&world, "\xEF\xBB\xBF"
			 "a\n# a\n\n./a\r\nb\n/a");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_TURN, "a"));
	ASSERT(list_is(&world, ".teddy/s/01/turn.context", "\xEF\xBB\xBF# a\n\nb\n"));
	ASSERT_EQ(LOOM_NOT_FOUND, edit(&world, LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_TURN, "a"));
	world_fini(&world);
	PASS();
}

TEST moving_takes_from_all_other_scopes(void)
{
	struct world world;

	world_init(&world);
	put_turn(&world, "x\na\n");
	put(&world, ".teddy/s/session.context", "y\n");
	put(&world, ".teddy/global.context", "./a\nz\n");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_MOVE, LOOM_SCOPE_SESSION, "a"));
	ASSERT(list_is(&world, ".teddy/s/01/turn.context", "x\n"));
	ASSERT(list_is(&world, ".teddy/s/session.context", "y\na\n"));
	ASSERT(list_is(&world, ".teddy/global.context", "z\n"));
	ASSERT_EQ(LOOM_NOT_FOUND, edit(&world, LOOM_PAYLOAD_MOVE, LOOM_SCOPE_TURN, "nowhere"));
	world_fini(&world);
	PASS();
}

TEST one_bad_target_changes_no_list(void)
{
	struct loom_str targets[] = {LOOM_STR_INIT("a"), LOOM_STR_INIT("../b")};
	struct world world;

	world_init(&world);
	put(&world, ".teddy/global.context", "z\n");
	ASSERT_EQ(LOOM_PATH, loom_payload_edit(&world.opts.place, LOOM_PAYLOAD_ADD,
					       LOOM_SCOPE_GLOBAL, targets, 2, NULL));
	ASSERT_EQ(LOOM_PATH, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "a\nb"));
	ASSERT_EQ(LOOM_PATH, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "a "));
	ASSERT(list_is(&world, ".teddy/global.context", "z\n"));
	world_fini(&world);
	PASS();
}

TEST the_whole_project_can_be_listed(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a", "1\n");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "."));
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "/"));
	ASSERT(list_is(&world, ".teddy/global.context", ".\n"));
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Global\n- [a](/a)\n\n");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_GLOBAL, "./"));
	ASSERT(list_is(&world, ".teddy/global.context", ""));
	world_fini(&world);
	PASS();
}

SUITE(lists)
{
	RUN_TEST(comments_and_blanks_are_passed_over_but_nothing_inline);
	RUN_TEST(without_a_session_every_list_in_teddy_is_global);
	RUN_TEST(the_newest_session_and_its_highest_turn_are_meant);
	RUN_TEST(dated_sessions_are_ordered_by_their_names);
	RUN_TEST(a_session_or_turn_that_is_not_there_is_not_found);
	RUN_TEST(a_caller_may_give_the_entries_instead_of_lists);
	RUN_TEST(adding_keeps_what_is_there_and_adds_once);
	RUN_TEST(a_list_is_made_where_there_is_none);
	RUN_TEST(removing_takes_out_every_spelling_and_nothing_else);
	RUN_TEST(moving_takes_from_all_other_scopes);
	RUN_TEST(one_bad_target_changes_no_list);
	RUN_TEST(the_whole_project_can_be_listed);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(lists);
	GREATEST_MAIN_END();
}
