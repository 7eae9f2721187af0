/* Circles of references: refused, shown from their smallest id, nothing changed. Cases 39–45. */
#include <greatest.h>

#include "support/camp_suite.h"
#include "support/clock.h"

static const char *reason(void)
{
	return loom_arena_cstr(camp.arena, camp.err.reason);
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
	ASSERT_EQ(LOOM_REFUSED, camp_spawn(&camp, "X", "thread-A X", LOOM_LESLIE_BINDING_FROZEN));
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
	int64_t took = 0;
	size_t arrows = 0;

	camp_objective(&camp);
	write_chain();
	took = clock_ms();
	ASSERT_EQ(LOOM_REFUSED, camp_live(&camp, "t19999", "t00000"));
	took = clock_ms() - took;
	ASSERT_STR_EQ("T201", camp.err.code);
	for (const char *at = reason(); (at = strstr(at, " → ")); at++)
		arrows++;
	ASSERT_EQ(CHAIN, arrows);
	ASSERT(loom_str_ends(camp.err.reason, LOOM_STR("t19999 → t00000)")));
#ifndef LOOM_INSTRUMENTED
	ASSERT(took < clock_limit(500));
#endif
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "t00000", "t19999"));
	PASS();
}

SUITE(leslie_circle)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_thread_cannot_reference_itself);
	RUN_TEST(a_circle_is_refused_and_shown_from_its_smallest_id);
	RUN_TEST(spawning_into_a_circle_is_refused_in_the_seed_s_words);
	RUN_TEST(a_diamond_is_no_circle);
	RUN_TEST(a_chain_of_twenty_thousand_is_checked_in_no_time);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(leslie_circle);
	GREATEST_MAIN_END();
}
