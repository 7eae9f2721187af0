/* Grants: what a person gave is what an agent has; a file that was tampered with gives less. */
#include <greatest.h>

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/tree/person.h>
#include <loom/grove/grant.h>
#include <loom/tree/open_store.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/prop.h"

static struct grove g;
static struct loom_ulid agent;
static char key[LOOM_ULID_CHARS + 1];

static void set_up(void *unused)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent row;

	(void)unused;
	grove_init(&g);
	grove_must(loom_agent_get(g.store, g.model, g.arena, &row, &err), &err, "agent");
	agent = row.ulid;
	loom_ulid_text(&agent, key);
}

static void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

static char *grants_path(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf path = LOOM_BUF_INIT(4096);
	char *copy;

	grove_must(loom_store_state_dir(g.store, &path, &err), &err, "state");
	loom_buf_adds(&path, "/grants.json");
	copy = loom_arena_cstr(g.arena, loom_buf_str(&path));
	loom_buf_fini(&path);
	return copy;
}

static void set(unsigned may, enum loom_approval approval)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_grant grant = {.may = may, .approval = approval};

	grove_must(loom_grant_set(g.store, &agent, &grant, &err), &err, "grant");
}

static void write_file(struct loom_str text)
{
	FILE *file = fopen(grants_path(), "we");

	if (!file || fwrite(text.p, 1, text.n, file) != text.n || fclose(file) != 0)
		exit(99);
}

TEST nothing_recorded_is_no_permission(void)
{
	struct loom_err err;
	struct loom_grant grant = {.may = LOOM_MAY_ANYTHING};

	OK(loom_grant_get(g.store, &agent, &grant, &err));
	ASSERT_EQ(0, grant.may);
	ASSERT_EQ(LOOM_APPROVE_AUTO, grant.approval);
	PASS();
}

TEST who_only_asks_makes_nothing(void)
{
	struct loom_err err;
	struct loom_grant grant;
	char *state = temp_path(&g.temp, "loom");

	OK(loom_grant_get(g.store, &agent, &grant, &err));
	ASSERT(access(state, F_OK) != 0);
	free(state);
	PASS();
}

TEST without_the_others_turn_nothing_is_given(void)
{
	struct loom_err err;
	struct loom_grant grant = {.may = LOOM_MAY_ALL};
	struct loom_buf lock = LOOM_BUF_INIT(4096);

	loom_buf_adds(&lock, grants_path());
	loom_buf_adds(&lock, ".lock");
	ASSERT_EQ(0, mkdir(loom_buf_cstr(&lock), 0700));
	STATUS_IS(LOOM_IO, loom_grant_set(g.store, &agent, &grant, &err));
	OK(loom_grant_get(g.store, &agent, &grant, &err));
	ASSERT_EQ(0u, grant.may);
	loom_buf_fini(&lock);
	PASS();
}

TEST what_was_given_is_there_after_a_restart(void)
{
	struct loom_err err;
	struct loom_grant grant;

	set(LOOM_MAY_ALL | LOOM_MAY_CROSS_TREE, LOOM_APPROVE_PROPOSE);
	grove_reopen(&g);
	OK(loom_grant_get(g.store, &agent, &grant, &err));
	ASSERT_EQ(LOOM_MAY_ANYTHING, grant.may);
	ASSERT_EQ(LOOM_APPROVE_PROPOSE, grant.approval);
	set(0, LOOM_APPROVE_ASK);
	OK(loom_grant_get(g.store, &agent, &grant, &err));
	ASSERT_EQ(0, grant.may);
	ASSERT_EQ(LOOM_APPROVE_ASK, grant.approval);
	PASS();
}

TEST each_agent_has_its_own(void)
{
	struct loom_err err;
	struct loom_agent owner;
	struct loom_grant grant = {.may = LOOM_MAY_ANALYST, .approval = LOOM_APPROVE_ASK};

	OK(loom_person_me(g.store, g.arena, &owner, &err));
	set(LOOM_MAY_DOC_READ, LOOM_APPROVE_AUTO);
	OK(loom_grant_set(g.store, &owner.ulid, &grant, &err));
	OK(loom_grant_get(g.store, &agent, &grant, &err));
	ASSERT_EQ(LOOM_MAY_DOC_READ, grant.may);
	OK(loom_grant_get(g.store, &owner.ulid, &grant, &err));
	ASSERT_EQ(LOOM_MAY_ANALYST, grant.may);
	PASS();
}

TEST a_copied_grove_brings_no_authority_with_it(void)
{
	struct loom_err err;
	struct loom_grant grant;
	struct loom_store *other = NULL;
	struct temp dir;

	set(LOOM_MAY_ALL, LOOM_APPROVE_AUTO);
	temp_init(&dir);
	OK(loom_grove_init(&g.env, loom_str_of(dir.path), &err));
	OK(loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &other, &err));
	OK(loom_grant_get(other, &agent, &grant, &err));
	ASSERT_EQ(0, grant.may);
	loom_store_close(other);
	temp_fini(&dir);
	PASS();
}

TEST the_file_is_private_and_leaves_nothing_beside_it(void)
{
	struct stat info;
	mode_t mask = umask(0);

	set(LOOM_MAY_ALL, LOOM_APPROVE_AUTO);
	umask(mask);
	ASSERT_EQ(0, stat(grants_path(), &info));
	ASSERT_EQ_FMT(0600u, (unsigned)(info.st_mode & 0777), "%o");
	PASS();
}

/* --- tampering --- */

TEST a_tampered_entry_gives_less_never_more(void)
{
	static const struct {
		const char *entry;
		unsigned at_most;
		enum loom_approval approval;
	} cases[] = {
		{"{\"may\":\"everything\",\"approval\":\"auto\"}", 0, LOOM_APPROVE_AUTO},
		{"{\"may\":\"all,root\",\"approval\":\"auto\"}", 0, LOOM_APPROVE_AUTO},
		{"{\"may\":\"loom_write\",\"approval\":\"auto\"}", 0, LOOM_APPROVE_AUTO},
		{"{\"may\":\"doc_write\",\"approval\":\"auto\"}", 0, LOOM_APPROVE_AUTO},
		{"{\"may\":63,\"approval\":\"auto\"}", 0, LOOM_APPROVE_AUTO},
		{"{\"may\":[\"all\"],\"approval\":\"auto\"}", 0, LOOM_APPROVE_AUTO},
		{"{\"may\":\"doc_read\",\"approval\":\"yes\"}", LOOM_MAY_DOC_READ,
		 LOOM_APPROVE_ASK},
		{"{\"may\":\"doc_read\"}", LOOM_MAY_DOC_READ, LOOM_APPROVE_ASK},
		{"{\"may\":\"doc_read\",\"approval\":true}", LOOM_MAY_DOC_READ, LOOM_APPROVE_ASK},
		{"{\"approval\":\"auto\"}", 0, LOOM_APPROVE_AUTO},
		{"{}", 0, LOOM_APPROVE_ASK},
		{"true", 0, LOOM_APPROVE_ASK},
		{"\"all\"", 0, LOOM_APPROVE_ASK},
		{"null", 0, LOOM_APPROVE_ASK},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_err err;
		struct loom_grant grant = {.may = LOOM_MAY_ANYTHING};
		struct loom_buf text = LOOM_BUF_INIT(1024);

		loom_buf_addf(&text, "{\"%s\":%s}", key, cases[i].entry);
		set(0, LOOM_APPROVE_AUTO); /* so that the folder is there */
		write_file(loom_buf_str(&text));
		OK(loom_grant_get(g.store, &agent, &grant, &err));
		ASSERT_EQ_FMTm(cases[i].entry, cases[i].at_most, grant.may, "%u");
		ASSERT_EQ_FMTm(cases[i].entry, (int)cases[i].approval, (int)grant.approval, "%d");
		loom_buf_fini(&text);
	}
	PASS();
}

TEST a_broken_file_gives_nothing_says_so_and_is_not_overwritten(void)
{
	static const char *const broken[] = {
		"", "{", "[]", "null", "{\"a\":1}x", "\xff\xfe", "{\"a\":1,\"a\":2}"};
	struct loom_grant wanted = {.may = LOOM_MAY_ALL};

	set(LOOM_MAY_ALL, LOOM_APPROVE_AUTO);
	for (size_t i = 0; i < LOOM_COUNT(broken); i++) {
		struct loom_err err;
		struct loom_grant grant = {.may = LOOM_MAY_ANYTHING};
		struct loom_buf now;

		write_file(loom_str_of(broken[i]));
		ASSERT(loom_grant_get(g.store, &agent, &grant, &err) != LOOM_OK);
		ASSERT_EQ(0, grant.may);
		ASSERT(loom_grant_set(g.store, &agent, &wanted, &err) != LOOM_OK);
		ASSERT(temp_read(grants_path(), &now));
		ASSERT_STR_EQ(broken[i], loom_buf_cstr(&now));
		loom_buf_fini(&now);
	}
	PASS();
}

TEST a_link_or_a_pipe_in_the_files_place_gives_nothing(void)
{
	struct loom_err err;
	struct loom_grant grant = {.may = LOOM_MAY_ANYTHING};
	char *elsewhere = temp_path(&g.temp, "elsewhere.json");

	set(LOOM_MAY_ALL, LOOM_APPROVE_AUTO);
	ASSERT_EQ(0, rename(grants_path(), elsewhere));
	ASSERT_EQ(0, symlink(elsewhere, grants_path()));
	ASSERT(loom_grant_get(g.store, &agent, &grant, &err) != LOOM_OK);
	ASSERT_EQ(0, grant.may);
	ASSERT_EQ(0, unlink(grants_path()));
	ASSERT_EQ(0, mkfifo(grants_path(), 0600));
	ASSERT(loom_grant_get(g.store, &agent, &grant, &err) != LOOM_OK || !grant.may);
	ASSERT_EQ(0, grant.may);
	free(elsewhere);
	PASS();
}

TEST any_change_of_any_byte_gives_at_most_what_was_given(void)
{
	struct loom_buf text;
	struct prop prop;

	prop_init(&prop, "grants");
	set(LOOM_MAY_ANALYST, LOOM_APPROVE_PROPOSE);
	ASSERT(temp_read(grants_path(), &text));
	for (int i = 0; i < 600; i++) {
		struct loom_grant grant = {.may = LOOM_MAY_ANYTHING};
		size_t at = prop_below(&prop, text.n);
		char kept = text.p[at];

		text.p[at] = (char)prop_next(&prop);
		write_file(loom_buf_str(&text));
		if (loom_grant_get(g.store, &agent, &grant, NULL) != LOOM_OK)
			ASSERT_EQ(0, grant.may);
		ASSERT_EQ_FMT(0u, grant.may & ~LOOM_MAY_ANALYST, "%u");
		text.p[at] = kept;
	}
	loom_buf_fini(&text);
	PASS();
}

/* --- two persons --- */

TEST grants_given_at_the_same_time_are_all_there(void)
{
	enum { CHILDREN = 4, EACH = 15 };
	struct grove_child children[CHILDREN];
	struct loom_err err;

	for (int i = 0; i < CHILDREN; i++) {
		if (grove_fork(&g, &children[i]))
			continue;
		for (int k = 0; k < EACH; k++) {
			struct loom_ulid who = {{(uint8_t)(i + 1), (uint8_t)(k + 1)}};
			struct loom_grant grant = {.may = LOOM_MAY_DOC_READ};

			if (loom_grant_set(g.store, &who, &grant, &err) != LOOM_OK)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < CHILDREN; i++)
		grove_child_go(&children[i]);
	for (int i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, grove_child_wait(&children[i]));
	for (int i = 0; i < CHILDREN * EACH; i++) {
		struct loom_ulid who = {{(uint8_t)(i / EACH + 1), (uint8_t)(i % EACH + 1)}};
		struct loom_grant grant;

		OK(loom_grant_get(g.store, &who, &grant, &err));
		ASSERT_EQ(LOOM_MAY_DOC_READ, grant.may);
	}
	PASS();
}

/* --- words --- */

TEST permissions_are_read_as_they_are_written(void)
{
	struct loom_buf text = LOOM_BUF_INIT(256);
	struct loom_err err;

	for (unsigned may = 0; may <= LOOM_MAY_ANYTHING; may++) {
		unsigned got = 0;
		bool aware = may & LOOM_MAY_AWARE;
		bool met = (aware || !(may & (LOOM_MAY_WRITE | LOOM_MAY_GENERATE))) &&
			   (may & LOOM_MAY_DOC_READ || !(may & LOOM_MAY_DOC_WRITE));

		loom_buf_clear(&text);
		loom_grant_text(may, &text);
		STATUS_IS(met ? LOOM_OK : LOOM_REFUSED,
			  loom_grant_parse(loom_buf_str(&text), &got, &err));
		ASSERT_EQ_FMT(may, got, "%u");
	}
	loom_buf_fini(&text);
	PASS();
}

TEST presets_and_odd_spellings(void)
{
	static const struct {
		const char *text;
		enum loom_status status;
		unsigned may;
	} cases[] = {
		{"all", LOOM_OK, LOOM_MAY_ALL},
		{" analyst , cross_tree ", LOOM_OK, LOOM_MAY_ANALYST | LOOM_MAY_CROSS_TREE},
		{"none", LOOM_OK, 0},
		{"subject", LOOM_OK, 0},
		{"", LOOM_OK, 0},
		{",,", LOOM_OK, 0},
		{"ALL", LOOM_SYNTAX, 0},
		{"all none", LOOM_SYNTAX, 0},
		{"loom_write", LOOM_REFUSED, LOOM_MAY_WRITE},
	};
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		unsigned may = 0;

		STATUS_IS(cases[i].status,
			  loom_grant_parse(loom_str_of(cases[i].text), &may, &err));
		ASSERT_EQ_FMTm(cases[i].text, cases[i].may, may, "%u");
	}
	PASS();
}

static int allowed; /* how many allocations cJSON is given */

static void *give(size_t size)
{
	return allowed-- > 0 ? malloc(size) : NULL;
}

/* What the JSON library has no memory for is not said to be given. */
TEST a_grant_without_memory_is_refused_and_changes_nothing(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_grant grant = {.may = LOOM_MAY_ALL, .approval = LOOM_APPROVE_ASK};
	struct loom_grant found;
	enum loom_status status = LOOM_FAULT;
	int given = 0;

	set(LOOM_MAY_ANALYST, LOOM_APPROVE_AUTO);
	for (; given < 100 && status != LOOM_OK; given++) {
		allowed = given;
		cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = give, .free_fn = free});
		status = loom_grant_set(g.store, &agent, &grant, &err);
		cJSON_InitHooks(NULL);
		OK(loom_grant_get(g.store, &agent, &found, &err));
		ASSERT_EQ(status == LOOM_OK ? LOOM_MAY_ALL : LOOM_MAY_ANALYST, found.may);
	}
	ASSERT_EQ(LOOM_OK, status);
	ASSERT(given > 5);
	PASS();
}

SUITE(grant)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(nothing_recorded_is_no_permission);
	RUN_TEST(who_only_asks_makes_nothing);
	RUN_TEST(without_the_others_turn_nothing_is_given);
	RUN_TEST(what_was_given_is_there_after_a_restart);
	RUN_TEST(each_agent_has_its_own);
	RUN_TEST(a_copied_grove_brings_no_authority_with_it);
	RUN_TEST(the_file_is_private_and_leaves_nothing_beside_it);
	RUN_TEST(a_tampered_entry_gives_less_never_more);
	RUN_TEST(a_broken_file_gives_nothing_says_so_and_is_not_overwritten);
	RUN_TEST(a_link_or_a_pipe_in_the_files_place_gives_nothing);
	RUN_TEST(any_change_of_any_byte_gives_at_most_what_was_given);
	RUN_TEST(grants_given_at_the_same_time_are_all_there);
	RUN_TEST(permissions_are_read_as_they_are_written);
	RUN_TEST(a_grant_without_memory_is_refused_and_changes_nothing);
	RUN_TEST(presets_and_odd_spellings);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(grant);
	GREATEST_MAIN_END();
}
