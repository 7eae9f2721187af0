/* Who works in a grove: by account, by LOOM_ME, and what a group that shares it changes. */
#include <greatest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/accounts.h>
#include <loom/grove/draft.h>
#include <loom/grove/grant.h>
#include <loom/grove/seal.h>
#include <loom/grove/sharing.h>
#include <loom/grove/trust.h>
#include <loom/tree/open_store.h>
#include <loom/tree/person.h>

#include "support/grove_suite.h"
#include "support/ok.h"
#include "support/prop.h"
#include "support/raw.h"

/* The grove as it is opened next, for somebody whom LOOM_ME names (NULL: nobody). */
static void come_as(const char *me)
{
	loom_store_close(g.store);
	g.me = me;
	g.store = grove_connect(&g, LOOM_WRITE);
}

static struct loom_str who(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent me;

	grove_must(loom_person_me(g.store, g.arena, &me, &err), &err, "me");
	return me.name;
}

static enum loom_status add(const char *name, struct loom_err *err)
{
	const struct loom_op_spec spec = {.kind = "members add", .actor = loom_me(g.store)};
	enum loom_status status = loom_op_begin(g.store, &spec, err);

	return status == LOOM_OK
		       ? loom_op_end(g.store, loom_member_add(g.store, loom_str_of(name), err),
				     NULL, err)
		       : status;
}

static enum loom_status drop(const char *name, struct loom_err *err)
{
	const struct loom_op_spec spec = {.kind = "members drop", .actor = loom_me(g.store)};
	enum loom_status status = loom_op_begin(g.store, &spec, err);

	return status == LOOM_OK
		       ? loom_op_end(g.store, loom_member_drop(g.store, loom_str_of(name), err),
				     NULL, err)
		       : status;
}

static size_t members(struct loom_member **out)
{
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	grove_must(loom_member_list(g.store, g.arena, out, &count, &err), &err, "members");
	return count;
}

/* As if all who are here came by another account. */
static void be_another_account(void)
{
	raw_exec(&g, "UPDATE member SET role = 'uid:4000000001', key = NULL");
}

static void share(void)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_grove_share(g.store, getegid(), &err), &err, "share");
	grove_must(loom_trust_give(&g.env, loom_str_of(g.temp.path), LOOM_TRUST_GROVE, &err), &err,
		   "trust");
}

/* --- names --- */

TEST the_founder_is_bound_to_his_account(void)
{
	struct loom_member *all = NULL;

	ASSERT_EQ(1, members(&all));
	ASSERT(all[0].me && all[0].mine && all[0].may == LOOM_MEMBER_ADMIN);
	ASSERT_EQ(g.owner, all[0].agent.id);
	ASSERT(loom_str_is(who(), "Olga"));
	PASS();
}

TEST without_a_name_one_is_called_as_the_account_is(void)
{
	struct loom_err err;
	struct grove other = g;
	struct loom_agent me;

	temp_init(&other.temp);
	other.env.ctx = &other;
	OK(loom_grove_init(&other.env, loom_str_of(other.temp.path), &err));
	OK(loom_store_open(&other.env, loom_str_of(other.temp.path), LOOM_READ, &other.store,
			   &err));
	OK(loom_person_me(other.store, g.arena, &me, &err));
	ASSERT(loom_str_eq(me.name, loom_account_name(geteuid(), g.arena)));
	loom_store_close(other.store);
	temp_fini(&other.temp);
	PASS();
}

TEST a_name_chooses_among_those_who_are_here_and_nobody_else(void)
{
	struct loom_err err;
	struct loom_agent me;

	OK(add("Anna", &err));
	come_as("anna");
	ASSERT(loom_str_is(who(), "Anna"));
	come_as(NULL);
	ASSERT(loom_str_is(who(), "Olga"));
	g.me = "Bob";
	loom_store_close(g.store);
	g.store = NULL;
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_store_open(&g.env, loom_str_of(g.temp.path), LOOM_WRITE, &g.store, &err));
	ASSERT(strstr(err.text, "\"Bob\"") && strstr(err.hint, "loom members"));
	g.store = grove_connect(&g, LOOM_READ);
	STATUS_IS(LOOM_NOT_FOUND, loom_person_me(g.store, g.arena, &me, &err));
	come_as(NULL);
	PASS();
}

TEST an_account_is_somebody_and_who_was_dropped_is_the_same_again(void)
{
	struct loom_err err;
	struct loom_member *all = NULL;
	int64_t anna;

	STATUS_IS(LOOM_REFUSED, drop("Olga", &err));
	OK(add("Anna", &err));
	STATUS_IS(LOOM_CONFLICT, add("Anna", &err));
	STATUS_IS(LOOM_INVALID, add("you", &err));
	ASSERT_EQ(2, members(&all));
	anna = all[1].agent.id;
	STATUS_IS(LOOM_REFUSED, drop("Olga", &err));
	OK(drop("Anna", &err));
	STATUS_IS(LOOM_PERMISSION, drop("Anna", &err));
	ASSERT_EQ(1, members(&all));
	OK(add("anna", &err));
	ASSERT_EQ(2, members(&all));
	ASSERT_EQ(anna, all[1].agent.id);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(1, members(&all));
	PASS();
}

/* Whatever is added, dropped and taken back: there are as many as a plain list says, every name
 * once, and somebody acts. */
static bool one_run(struct prop *prop)
{
	static const char *const names[] = {"Anna", "Bea", "Cleo"};
	bool here[LOOM_COUNT(names)] = {false};
	struct loom_err err;
	struct loom_member *all = NULL;
	bool good = true;

	for (int i = 0; i < 20 && good; i++) {
		const size_t k = prop_below(prop, LOOM_COUNT(names));
		const bool adds = prop_below(prop, 2) == 0;
		size_t count = 1;

		loom_err_clear(&err);
		good = ((adds ? add : drop)(names[k], &err) == LOOM_OK) == (adds != here[k]);
		if (good && prop_below(prop, 4) == 0 && adds != here[k])
			good = loom_op_undo(g.store, g.owner, 0, NULL, &err) == LOOM_OK;
		else
			here[k] = adds;
		for (size_t n = 0; n < LOOM_COUNT(names); n++)
			count += here[n];
		good = good && members(&all) == count && loom_str_is(who(), "Olga");
	}
	for (size_t n = 0; n < LOOM_COUNT(names); n++)
		if (here[n])
			good = drop(names[n], &err) == LOOM_OK && good;
	return good;
}

TEST members_are_what_a_plain_list_says(void)
{
	struct prop prop;

	prop_init(&prop, "members");
	for (int i = 0; i < 20; i++)
		ASSERT(one_run(&prop));
	PASS();
}

/* --- an earlier loom --- */

TEST a_grove_of_before_persons_has_its_founder_at_once(void)
{
	struct loom_err err;
	struct loom_store *reader;
	struct loom_member *all = NULL;
	struct loom_agent me;

	loom_store_close(g.store);
	raw_before_persons(&g);
	/* who only reads changes nothing, and is the founder all the same */
	reader = grove_connect(&g, LOOM_READ);
	OK(loom_person_me(reader, g.arena, &me, &err));
	ASSERT_EQ(g.owner, me.id);
	ASSERT(loom_str_is(me.name, "you"));
	loom_store_close(reader);
	ASSERT_EQ(9, raw_int(&g, "SELECT user_version FROM pragma_user_version"));
	g.store = grove_connect(&g, LOOM_WRITE);
	ASSERT_EQ(1, members(&all));
	ASSERT(all[0].me && all[0].may == LOOM_MEMBER_ADMIN);
	ASSERT(loom_str_eq(who(), loom_account_name(geteuid(), g.arena)));
	ASSERT_EQ(0, raw_int(&g, "SELECT count(*) FROM pragma_table_info('lease') WHERE name IN "
				 "('boot', 'expires')"));
	PASS();
}

TEST a_name_that_somebody_set_is_kept(void)
{
	loom_store_close(g.store);
	raw_before_persons(&g);
	raw_exec(&g, "UPDATE agent SET name = 'Ada' WHERE name = 'you'");
	g.store = grove_connect(&g, LOOM_WRITE);
	ASSERT(loom_str_is(who(), "Ada"));
	PASS();
}

/* --- another account --- */

TEST a_copy_is_at_home_where_nobody_else_may_write(void)
{
	be_another_account();
	come_as(NULL);
	ASSERT(loom_str_is(who(), "Olga"));
	PASS();
}

TEST who_comes_into_a_shared_grove_is_a_person_of_it(void)
{
	struct loom_err err;
	struct loom_member *all = NULL;
	struct loom_agent me;
	struct loom_store *reader;

	share();
	be_another_account();
	reader = grove_connect(&g, LOOM_READ);
	/* who looks only is nobody yet */
	OK(loom_person_me(reader, g.arena, &me, &err));
	ASSERT_EQ(0, me.id);
	ASSERT(loom_str_eq(me.name, loom_account_name(geteuid(), g.arena)));
	come_as(NULL);
	ASSERT_EQ(2, members(&all));
	ASSERT(all[1].me && all[1].may == LOOM_MEMBER_WRITER);
	ASSERT(!all[0].mine && loom_str_is(all[0].agent.name, "Olga"));
	/* a connection of before knows it too, and coming in is nothing to take back */
	ASSERT_EQ(all[1].agent.id, loom_me(reader));
	STATUS_IS(LOOM_NOT_FOUND, loom_op_undo(g.store, all[1].agent.id, 0, NULL, &err));
	loom_store_close(reader);
	PASS();
}

TEST in_a_shared_grove_nobody_is_somebody_else(void)
{
	struct loom_err err;
	struct loom_agent agent;

	share();
	be_another_account();
	come_as(NULL);
	STATUS_IS(LOOM_PERMISSION,
		  loom_person_or(g.store, LOOM_STR("Olga"), g.arena, &agent, &err));
	ASSERT(strstr(err.hint, "loom members"));
	OK(loom_person_or(g.store, LOOM_STR("ngram"), g.arena, &agent, &err));
	loom_store_close(g.store);
	g.store = NULL;
	g.me = "olga";
	STATUS_IS(LOOM_PERMISSION,
		  loom_store_open(&g.env, loom_str_of(g.temp.path), LOOM_WRITE, &g.store, &err));
	come_as(NULL);
	PASS();
}

TEST a_newcomer_is_called_as_he_says_or_as_is_free(void)
{
	const struct loom_agent twin = {.name = loom_account_name(geteuid(), g.arena),
					.kind = LOOM_AGENT_MODEL};
	struct loom_err err;
	int64_t id = 0;

	grove_begin(&g, "agent add");
	OK(loom_agent_create(g.store, &twin, &id, &err));
	grove_commit(&g);
	share();
	be_another_account();
	come_as(NULL);
	ASSERT(loom_str_eq(who(), loom_arena_format(g.arena, "%.*s-2", LOOM_STR_ARG(twin.name))));
	be_another_account();
	come_as("Zoe");
	ASSERT(loom_str_is(who(), "Zoe"));
	come_as(NULL);
	ASSERT(loom_str_is(who(), "Zoe"));
	PASS();
}

/* --- what is a person's own --- */

TEST drafts_and_grants_are_a_persons_own(void)
{
	const struct loom_draft draft = {.kind = LOOM_STR_INIT("node"),
					 .text = LOOM_STR_INIT("mine")};
	const struct loom_grant all = {.may = LOOM_MAY_ALL, .approval = LOOM_APPROVE_AUTO};
	struct loom_draft *drafts = NULL;
	struct loom_grant grant;
	struct loom_agent model;
	struct loom_str id;
	struct loom_err err;
	size_t count = 0;

	OK(loom_agent_get(g.store, g.model, g.arena, &model, &err));
	OK(add("Anna", &err));
	OK(loom_draft_save(g.store, &draft, g.arena, &id, &err));
	OK(loom_grant_set(g.store, &model.ulid, &all, &err));
	come_as("Anna");
	OK(loom_draft_list(g.store, g.arena, &drafts, &count, &err));
	ASSERT_EQ(0, count);
	STATUS_IS(LOOM_NOT_FOUND, loom_draft_get(g.store, id, g.arena, &drafts[0], &err));
	OK(loom_grant_get(g.store, &model.ulid, &grant, &err));
	ASSERT_EQ(0u, grant.may);
	come_as(NULL);
	OK(loom_draft_list(g.store, g.arena, &drafts, &count, &err));
	ASSERT_EQ(1, count);
	OK(loom_grant_get(g.store, &model.ulid, &grant, &err));
	ASSERT_EQ(LOOM_MAY_ALL, grant.may);
	PASS();
}

/* --- seals --- */

/* What one has signed with is another account's from now on. */
static void lose_key(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf path = LOOM_BUF_INIT(4096);

	grove_must(loom_store_state_dir(g.store, &path, &err), &err, "state");
	loom_buf_adds(&path, "/seal.key");
	grove_must(unlink(loom_buf_cstr(&path)) == 0 ? LOOM_OK : LOOM_IO, &err, "key");
	loom_buf_fini(&path);
}

TEST a_teammates_seal_is_known_by_the_table_and_never_by_the_file(void)
{
	struct loom_seal seal;
	struct loom_seal forged;
	struct loom_err err;
	bool ours = false;

	share();
	OK(loom_seal_make(g.store, LOOM_STR("words"), &seal, &err));
	lose_key();
	OK(loom_seal_check(g.store, LOOM_STR("words"), &seal, &ours, &err));
	ASSERT(ours);
	OK(loom_seal_check(g.store, LOOM_STR("other words"), &seal, &ours, &err));
	ASSERT(!ours);
	/* somebody else's key, with a signature of its own that fits */
	raw_exec(&g, "UPDATE member SET key = zeroblob(32)");
	OK(loom_seal_check(g.store, LOOM_STR("words"), &seal, &ours, &err));
	ASSERT(!ours);
	forged = seal;
	memset(forged.key, 0, sizeof forged.key);
	OK(loom_seal_check(g.store, LOOM_STR("words"), &forged, &ours, &err));
	ASSERT(!ours);
	PASS();
}

TEST in_a_grove_of_ones_own_no_row_speaks_for_a_key(void)
{
	struct loom_seal seal;
	struct loom_err err;
	bool ours = true;

	share();
	OK(loom_seal_make(g.store, LOOM_STR("words"), &seal, &err));
	lose_key();
	OK(loom_grove_share(g.store, LOOM_PRIVATE, &err));
	OK(loom_seal_check(g.store, LOOM_STR("words"), &seal, &ours, &err));
	ASSERT(!ours);
	PASS();
}

/* --- modes --- */

static unsigned mode_of(const char *name)
{
	char *path = temp_path(&g.temp, name);
	struct stat info = {.st_mode = 0};

	if (lstat(path, &info) != 0)
		perror(path);
	free(path);
	return info.st_mode & 07777;
}

TEST a_shared_grove_is_the_groups_and_nobody_elses(void)
{
	struct loom_err err;
	struct loom_store *other = NULL;

	share();
	ASSERT_EQ_FMT(02770u, mode_of(".loom"), "%o");
	ASSERT_EQ_FMT(0660u, mode_of(".loom/grove.db"), "%o");
	ASSERT_EQ_FMT(0660u, mode_of(".loom/lock"), "%o");
	come_as(NULL);
	ASSERT_EQ((int64_t)getegid(), loom_store_group(g.store));
	loom_store_close(g.store);
	g.store = NULL;
	/* what the row does not say, the modes do not give */
	raw_exec(&g, "UPDATE grove SET shared = shared + 1");
	STATUS_IS(LOOM_FOREIGN,
		  loom_store_open(&g.env, loom_str_of(g.temp.path), LOOM_READ, &other, &err));
	ASSERT(strstr(err.text, "chmod go-w"));
	raw_exec(&g, "UPDATE grove SET shared = NULL");
	STATUS_IS(LOOM_FOREIGN,
		  loom_store_open(&g.env, loom_str_of(g.temp.path), LOOM_READ, &other, &err));
	PASS();
}

SUITE(person)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(the_founder_is_bound_to_his_account);
	RUN_TEST(without_a_name_one_is_called_as_the_account_is);
	RUN_TEST(a_name_chooses_among_those_who_are_here_and_nobody_else);
	RUN_TEST(an_account_is_somebody_and_who_was_dropped_is_the_same_again);
	RUN_TEST(members_are_what_a_plain_list_says);
	RUN_TEST(a_grove_of_before_persons_has_its_founder_at_once);
	RUN_TEST(a_name_that_somebody_set_is_kept);
	RUN_TEST(a_copy_is_at_home_where_nobody_else_may_write);
	RUN_TEST(who_comes_into_a_shared_grove_is_a_person_of_it);
	RUN_TEST(in_a_shared_grove_nobody_is_somebody_else);
	RUN_TEST(a_newcomer_is_called_as_he_says_or_as_is_free);
	RUN_TEST(drafts_and_grants_are_a_persons_own);
	RUN_TEST(a_teammates_seal_is_known_by_the_table_and_never_by_the_file);
	RUN_TEST(in_a_grove_of_ones_own_no_row_speaks_for_a_key);
	RUN_TEST(a_shared_grove_is_the_groups_and_nobody_elses);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(person);
	GREATEST_MAIN_END();
}
