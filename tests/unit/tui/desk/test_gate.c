/* The screen at the gate: an agent that has one does by its keys what it may, and no more; a person
 * is asked nothing. */
#include <greatest.h>

#include "support/table.h"

#include <loom/grove/grant.h>
#include <loom/tree/tree.h>

/* As the agent "ngram", with this grant; may 0 and auto: nothing was ever granted. */
static void open_as_agent(unsigned may, enum loom_approval approval)
{
	const struct loom_grant grant = {.may = may, .approval = approval};
	struct tui_app_opts opts = {.agent = LOOM_STR("ngram")};
	struct loom_agent agent;
	struct loom_err err;

	table_init(&table);
	grove_must(loom_agent_find(table.grove.store, opts.agent, table.grove.arena, &agent, &err),
		   &err, "agent");
	grove_must(loom_grant_set(table.grove.store, &agent.ulid, &grant, &err), &err, "grant");
	opts.env = &table.grove.env;
	opts.dir = loom_str_of(table.grove.temp.path);
	grove_must(tui_app_open(&table.app, &opts, &err), &err, "app");
}

static size_t trees(void)
{
	struct loom_tree *list = NULL;
	struct loom_err err;
	size_t count = 0;

	grove_must(loom_tree_list(table.grove.store, table.grove.arena, &list, &count, &err), &err,
		   "trees");
	return count;
}

TEST an_agent_does_nothing_by_its_keys_that_it_may_not(void)
{
	static const char *const lines[] = {":new Mine<Enter>", ":import x.json<Enter>", "U"};

	open_as_agent(LOOM_MAY_ANALYST, LOOM_APPROVE_AUTO);
	for (size_t i = 0; i < LOOM_COUNT(lines); i++) {
		table_type(&table, lines[i]);
		ASSERTm(lines[i], table_shows(&table, "request elevated permissions") ||
					  table_shows(&table, "that is for a person"));
	}
	ASSERT_EQ(1, trees());
	PASS();
}

TEST an_agent_that_must_ask_is_told_where_it_can(void)
{
	open_as_agent(LOOM_MAY_ALL, LOOM_APPROVE_ASK);
	table_type(&table, ":new Mine<Enter>");
	ASSERT(table_shows(&table, "a person has to approve it"));
	ASSERT(table_shows(&table, ":new")); /* as the screen spells it */
	ASSERT_EQ(1, trees());
	PASS();
}

TEST an_agent_that_need_not_ask_does_it(void)
{
	open_as_agent(LOOM_MAY_ALL, LOOM_APPROVE_AUTO);
	table_type(&table, ":new Mine<Enter>");
	ASSERT_EQ(2, trees());
	PASS();
}

TEST a_person_is_asked_nothing(void)
{
	table_init(&table);
	table_open(&table);
	table_type(&table, ":new Mine<Enter>");
	ASSERT_EQ(2, trees());
	PASS();
}

SUITE(gate)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(an_agent_does_nothing_by_its_keys_that_it_may_not);
	RUN_TEST(an_agent_that_must_ask_is_told_where_it_can);
	RUN_TEST(an_agent_that_need_not_ask_does_it);
	RUN_TEST(a_person_is_asked_nothing);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(gate);
	GREATEST_MAIN_END();
}
