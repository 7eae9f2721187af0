/* Agents: who a grove is born with, names, and what undo makes of them. */
#include <greatest.h>

#include <loom/tree/person.h>
#include <loom/tree/open_store.h>

#include "support/grove_suite.h"
#include "support/ok.h"
#include "support/raw.h"

static int64_t create(const char *name)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent spec = {.name = loom_str_of(name),
				  .kind = LOOM_AGENT_MODEL,
				  .model = LOOM_STR_INIT("m-1"),
				  .sampling = LOOM_STR_INIT("{\"temperature\":1}"),
				  .aware = true};
	int64_t agent = 0;

	grove_begin(&g, "agent");
	grove_must(loom_agent_create(g.store, &spec, &agent, &err), &err, "agent");
	grove_commit(&g);
	return agent;
}

static struct loom_agent get(int64_t agent)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent out;

	grove_must(loom_agent_get(g.store, agent, g.arena, &out, &err), &err, "get");
	return out;
}

TEST a_new_grove_has_its_owner_and_a_model_to_play_with(void)
{
	struct loom_err err;
	struct loom_agent *agents = NULL;
	struct loom_agent owner;
	size_t count = 0;

	OK(loom_agent_list(g.store, g.arena, &agents, &count, &err));
	ASSERT_EQ(2, count);
	OK(loom_person_me(g.store, g.arena, &owner, &err));
	ASSERT_EQ(LOOM_AGENT_HUMAN, owner.kind);
	ASSERT_EQ(agents[0].id, owner.id);
	ASSERT(loom_str_is(agents[1].name, "ngram"));
	ASSERT_FALSE(agents[1].aware);
	PASS();
}

TEST what_was_given_is_what_is_kept(void)
{
	struct loom_agent agent = get(create("Claude"));

	ASSERT(loom_str_is(agent.name, "Claude"));
	ASSERT_EQ(LOOM_AGENT_MODEL, agent.kind);
	ASSERT(loom_str_is(agent.model, "m-1"));
	ASSERT(loom_str_is(agent.sampling, "{\"temperature\":1}"));
	ASSERT(agent.aware);
	ASSERT_EQ(1771840800000, agent.created);
	PASS();
}

TEST an_agent_is_found_by_name_in_any_case_or_by_ulid(void)
{
	struct loom_err err;
	struct loom_agent found;
	int64_t agent = create("Claude");
	char ulid[LOOM_ULID_CHARS + 1];

	OK(loom_agent_find(g.store, LOOM_STR("cLAUDE"), g.arena, &found, &err));
	ASSERT_EQ(agent, found.id);
	loom_ulid_text(&found.ulid, ulid);
	OK(loom_agent_find(g.store, loom_str_of(ulid), g.arena, &found, &err));
	ASSERT_EQ(agent, found.id);
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_agent_find(g.store, LOOM_STR("nobody"), g.arena, &found, &err));
	ASSERT(strstr(err.text, "nobody"));
	PASS();
}

TEST a_name_is_taken_in_any_case(void)
{
	struct loom_err err;
	struct loom_agent twin = {.name = LOOM_STR_INIT("NGRAM")};
	int64_t other = create("other");
	int64_t made = 0;

	grove_begin(&g, "agent");
	STATUS_IS(LOOM_CONFLICT, loom_agent_create(g.store, &twin, &made, &err));
	STATUS_IS(LOOM_CONFLICT, loom_agent_rename(g.store, other, LOOM_STR("nGram"), &err));
	loom_op_rollback(g.store);
	PASS();
}

TEST a_name_may_change_its_case(void)
{
	struct loom_err err;

	grove_begin(&g, "rename");
	OK(loom_agent_rename(g.store, g.model, LOOM_STR("NGram"), &err));
	ASSERT(grove_commit(&g));
	ASSERT(loom_str_is(get(g.model).name, "NGram"));
	PASS();
}

TEST names_are_bounded_and_plain(void)
{
	static const struct loom_str bad[] = {
		LOOM_STR_INIT(""),     LOOM_STR_INIT("a\nb"), LOOM_STR_INIT("\x1b[31mred"),
		LOOM_STR_INIT("a\"b"), LOOM_STR_INIT("\xff"), LOOM_STR_INIT("a\0b"),
	};
	struct loom_err err;
	struct loom_buf longest = LOOM_BUF_INIT(200);

	grove_begin(&g, "rename");
	for (size_t i = 0; i < LOOM_COUNT(bad); i++)
		STATUS_IS(LOOM_INVALID, loom_agent_rename(g.store, g.model, bad[i], &err));
	loom_buf_add_repeat(&longest, 'x', 101);
	STATUS_IS(LOOM_INVALID, loom_agent_rename(g.store, g.model, loom_buf_str(&longest), &err));
	ASSERT_EQ(0, grove_commit(&g));
	loom_buf_fini(&longest);
	PASS();
}

TEST every_change_is_undone_to_what_was(void)
{
	struct loom_err err;
	int64_t agent = create("Claude");
	struct loom_agent now;

	grove_begin(&g, "change");
	OK(loom_agent_set_model(g.store, agent, LOOM_STR("m-2"), &err));
	OK(loom_agent_set_sampling(g.store, agent, LOOM_STR(""), &err));
	OK(loom_agent_set_aware(g.store, agent, false, &err));
	OK(loom_agent_rename(g.store, agent, LOOM_STR("Claudia"), &err));
	grove_commit(&g);
	now = get(agent);
	ASSERT(loom_str_is(now.model, "m-2") && !now.sampling.n && !now.aware);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	now = get(agent);
	ASSERT(loom_str_is(now.model, "m-1") && now.sampling.n && now.aware);
	ASSERT(loom_str_is(now.name, "Claude"));
	PASS();
}

TEST a_change_that_changes_nothing_leaves_no_trace(void)
{
	struct loom_err err;
	int64_t agent = create("Claude");
	int64_t events = raw_int(&g, "SELECT max(seq) FROM event");

	grove_begin(&g, "change");
	OK(loom_agent_set_model(g.store, agent, LOOM_STR("m-1"), &err));
	OK(loom_agent_set_aware(g.store, agent, true, &err));
	ASSERT_EQ(0, grove_commit(&g));
	ASSERT_EQ(events, raw_int(&g, "SELECT max(seq) FROM event"));
	PASS();
}

TEST an_undone_agent_is_nobody_and_its_name_is_free(void)
{
	struct loom_err err;
	struct loom_agent found;
	int64_t agent = create("Claude");

	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_agent_get(g.store, agent, g.arena, &found, &err));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_agent_find(g.store, LOOM_STR("Claude"), g.arena, &found, &err));
	grove_begin(&g, "change");
	STATUS_IS(LOOM_NOT_FOUND, loom_agent_set_model(g.store, agent, LOOM_STR("m-2"), &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_agent_set_aware(g.store, 4711, true, &err));
	loom_op_rollback(g.store);
	create("claude");
	STATUS_IS(LOOM_CONFLICT, loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT(strstr(err.text, "in use"));
	PASS();
}

TEST an_agent_whose_texts_are_there_is_not_undone_away(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	int64_t agent = create("Claude");
	int64_t made_by = raw_int(&g, "SELECT max(id) FROM op");
	struct loom_node_spec spec = {.from = grove_root(&g, tree),
				      .text = LOOM_STR_INIT("mine"),
				      .author = agent,
				      .seq = -1};
	int64_t node = 0;

	grove_begin(&g, "respond");
	OK(loom_node_create(g.store, &spec, &node, &err));
	grove_commit(&g);
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, made_by, NULL, &err));
	ASSERT(loom_str_is(get(agent).name, "Claude"));
	PASS();
}

TEST the_owner_comes_from_the_environment_when_named_there(void)
{
	struct temp dir;
	struct loom_err err;
	struct loom_store *store = NULL;
	struct loom_agent owner;
	struct loom_env env;

	temp_init(&dir);
	ASSERT_EQ(0, setenv("LOOM_ME", "Ada", 1));
	OK(loom_env_init(&env, &err));
	OK(loom_grove_init(&env, loom_str_of(dir.path), &err));
	unsetenv("LOOM_ME");
	OK(loom_store_open(&env, loom_str_of(dir.path), LOOM_READ, &store, &err));
	OK(loom_person_me(store, g.arena, &owner, &err));
	ASSERT(loom_str_is(owner.name, "Ada"));
	loom_store_close(store);
	temp_fini(&dir);
	PASS();
}

SUITE(agent)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_new_grove_has_its_owner_and_a_model_to_play_with);
	RUN_TEST(what_was_given_is_what_is_kept);
	RUN_TEST(an_agent_is_found_by_name_in_any_case_or_by_ulid);
	RUN_TEST(a_name_is_taken_in_any_case);
	RUN_TEST(a_name_may_change_its_case);
	RUN_TEST(names_are_bounded_and_plain);
	RUN_TEST(every_change_is_undone_to_what_was);
	RUN_TEST(a_change_that_changes_nothing_leaves_no_trace);
	RUN_TEST(an_undone_agent_is_nobody_and_its_name_is_free);
	RUN_TEST(an_agent_whose_texts_are_there_is_not_undone_away);
	RUN_TEST(the_owner_comes_from_the_environment_when_named_there);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(agent);
	GREATEST_MAIN_END();
}
