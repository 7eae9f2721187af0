/* Passes: a secret opens what it was made for until it is revoked, and lies nowhere. */
#include <greatest.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/pass.h>
#include <loom/tree/open_store.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/prop.h"

static struct grove g;
static struct loom_passes *passes;

static void look(void)
{
	struct loom_err err = {.status = LOOM_OK};
	bool changed = false;

	grove_must(loom_passes_look(passes, &changed, &err), &err, "look");
}

static void set_up(void *unused)
{
	struct loom_err err = {.status = LOOM_OK};

	(void)unused;
	grove_init(&g);
	grove_must(loom_passes_open(g.store, &passes, &err), &err, "open");
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_passes_close(passes);
	grove_fini(&g);
}

/* Makes a pass that opens `number`, and returns its secret. */
static struct loom_str make(enum loom_pass_kind kind, uint8_t number, struct loom_pass *out)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf secret = LOOM_BUF_INIT(256);
	struct loom_str copy;

	*out = (struct loom_pass){.kind = kind, .opens = {.bytes = {number}}, .comments = true};
	grove_must(loom_pass_make(g.store, out, &secret, &err), &err, "make");
	copy = loom_arena_buf(g.arena, &secret);
	loom_buf_fini(&secret);
	return copy;
}

static char *passes_path(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf path = LOOM_BUF_INIT(4096);
	char *copy;

	grove_must(loom_store_own_dir(g.store, &path, &err), &err, "state");
	loom_buf_adds(&path, "/passes.json");
	copy = loom_arena_cstr(g.arena, loom_buf_str(&path));
	loom_buf_fini(&path);
	return copy;
}

static struct loom_str file_text(void)
{
	FILE *file = fopen(passes_path(), "re");
	char *text = loom_arena_alloc(g.arena, 1 << 20);
	size_t n = 0;

	if (!file)
		exit(99);
	n = fread(text, 1, 1 << 20, file);
	(void)fclose(file);
	return loom_str_make(text, n);
}

static size_t drop(enum loom_pass_kind kind, const char *name, const struct loom_ulid *opens)
{
	const struct loom_pass_which which = {kind, loom_str_of(name), opens};
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	grove_must(loom_pass_revoke(g.store, &which, &count, &err), &err, "revoke");
	return count;
}

TEST a_secret_opens_what_it_was_made_for_and_nothing_else(void)
{
	struct loom_pass token;
	struct loom_pass page;
	const struct loom_str a = make(LOOM_PASS_TOKEN, 1, &token);
	const struct loom_str b = make(LOOM_PASS_PAGE, 2, &page);
	const struct loom_pass *found = NULL;

	look();
	found = loom_passes_find(passes, LOOM_PASS_TOKEN, a);
	ASSERT(found && found->opens.bytes[0] == 1 && found->made == token.made);
	found = loom_passes_find(passes, LOOM_PASS_PAGE, b);
	ASSERT(found && found->opens.bytes[0] == 2 && found->comments);
	ASSERT(!loom_passes_find(passes, LOOM_PASS_PAGE, a));
	ASSERT(!loom_passes_find(passes, LOOM_PASS_TOKEN, b));
	ASSERT(!loom_passes_find(passes, LOOM_PASS_TOKEN, LOOM_STR("")));
	ASSERT(!loom_passes_find(passes, LOOM_PASS_TOKEN, loom_str_sub(a, 0, a.n - 1)));
	ASSERT(loom_passes_stands(passes, &token.hash) && loom_passes_stands(passes, &page.hash));
	PASS();
}

TEST no_secret_is_kept_and_none_can_be_guessed_from_a_seed(void)
{
	struct loom_pass first;
	struct loom_pass second;
	const struct loom_str a = make(LOOM_PASS_TOKEN, 1, &first);
	const struct loom_str b = make(LOOM_PASS_TOKEN, 1, &second);
	struct stat info;

	ASSERT(!loom_str_eq(a, b));
	ASSERT_EQ(SIZE_MAX, loom_str_find(file_text(), loom_str_sub(a, 5, 20), 0));
	ASSERT_EQ(0, stat(passes_path(), &info));
	ASSERT_EQ(0, info.st_mode & 077);
	PASS();
}

TEST a_pass_is_revoked_by_its_name_or_by_what_it_opens(void)
{
	struct loom_pass pass;
	struct loom_pass other;
	const struct loom_str a = make(LOOM_PASS_TOKEN, 1, &pass);
	const struct loom_str b = make(LOOM_PASS_TOKEN, 2, &other);
	char name[LOOM_PASS_NAME + 1];

	loom_pass_name(&pass, name);
	ASSERT_EQ(0, drop(LOOM_PASS_PAGE, name, NULL));
	ASSERT_EQ(0, drop(LOOM_PASS_TOKEN, "", NULL));
	ASSERT_EQ(1, drop(LOOM_PASS_TOKEN, name, NULL));
	ASSERT_EQ(0, drop(LOOM_PASS_TOKEN, name, NULL));
	look();
	ASSERT(!loom_passes_find(passes, LOOM_PASS_TOKEN, a));
	ASSERT(loom_passes_find(passes, LOOM_PASS_TOKEN, b));
	(void)make(LOOM_PASS_TOKEN, 2, &other);
	ASSERT_EQ(2, drop(LOOM_PASS_TOKEN, "", &other.opens));
	look();
	ASSERT(!loom_passes_find(passes, LOOM_PASS_TOKEN, b));
	PASS();
}

TEST comments_are_counted_up_to_a_limit(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_pass pass;
	size_t count = 0;

	(void)make(LOOM_PASS_PAGE, 1, &pass);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(LOOM_OK, loom_pass_count(g.store, &pass.hash, 3, &err));
	ASSERT_EQ(LOOM_LIMIT, loom_pass_count(g.store, &pass.hash, 3, &err));
	look();
	ASSERT_EQ(3, loom_passes_list(passes, &count)->commented);
	ASSERT_EQ(1, count);
	ASSERT_EQ(1, drop(LOOM_PASS_PAGE, "", &pass.opens));
	ASSERT_EQ(LOOM_NOT_FOUND, loom_pass_count(g.store, &pass.hash, 3, &err));
	PASS();
}

TEST passes_made_by_several_processes_are_all_kept(void)
{
	enum { PROCESSES = 3, EACH = 10 };
	struct grove_child children[PROCESSES];
	struct loom_pass pass;
	size_t count = 0;

	for (size_t i = 0; i < PROCESSES; i++)
		if (!grove_fork(&g, &children[i])) {
			for (int k = 0; k < EACH; k++)
				(void)make(LOOM_PASS_TOKEN, (uint8_t)k, &pass);
			_exit(0);
		}
	for (size_t i = 0; i < PROCESSES; i++)
		grove_child_go(&children[i]);
	for (int k = 0; k < EACH; k++)
		(void)make(LOOM_PASS_PAGE, (uint8_t)k, &pass);
	for (size_t i = 0; i < PROCESSES; i++)
		ASSERT_EQ(0, grove_child_wait(&children[i]));
	look();
	(void)loom_passes_list(passes, &count);
	ASSERT_EQ((PROCESSES + 1) * EACH, count);
	PASS();
}

TEST a_file_that_was_tampered_with_opens_nothing_more(void)
{
	static const char *const texts[] = {"",
					    "{",
					    "[]",
					    "{\"passes\":7}",
					    "{\"passes\":[7,null,{}]}",
					    "{\"passes\":[{\"kind\":\"all\",\"hash\":\"00\"}]}"};
	struct loom_pass pass;
	const struct loom_str secret = make(LOOM_PASS_TOKEN, 1, &pass);

	for (size_t i = 0; i < LOOM_COUNT(texts); i++) {
		struct loom_err err = {.status = LOOM_OK};
		FILE *file = NULL;
		bool changed = false;

		(void)unlink(passes_path());
		file = fopen(passes_path(), "we");
		ASSERT(file && fputs(texts[i], file) >= 0 && fclose(file) == 0);
		(void)!loom_passes_look(passes, &changed, &err);
		ASSERT(changed);
		ASSERTm(texts[i], !loom_passes_find(passes, LOOM_PASS_TOKEN, secret));
	}
	PASS();
}

TEST an_address_is_remembered_beside_them(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf address = LOOM_BUF_INIT(256);
	struct loom_pass pass;
	const struct loom_str secret = make(LOOM_PASS_PAGE, 1, &pass);

	ASSERT_EQ(LOOM_OK, loom_pass_address(g.store, &address, &err));
	ASSERT_EQ(0, address.n);
	ASSERT_EQ(LOOM_OK, loom_pass_served(g.store, LOOM_STR("http://127.0.0.1:1"), &err));
	ASSERT_EQ(LOOM_OK, loom_pass_served(g.store, LOOM_STR("http://127.0.0.1:2"), &err));
	ASSERT_EQ(LOOM_OK, loom_pass_address(g.store, &address, &err));
	ASSERT_STR_EQ("http://127.0.0.1:2", loom_buf_cstr(&address));
	look();
	ASSERT(loom_passes_find(passes, LOOM_PASS_PAGE, secret));
	loom_buf_fini(&address);
	PASS();
}

TEST a_secret_finds_its_own_pass(void)
{
	struct loom_buf hash = LOOM_BUF_INIT(128);
	struct loom_pass token;
	struct loom_pass page;
	const struct loom_str a = make(LOOM_PASS_TOKEN, 1, &token);
	const struct loom_str b = make(LOOM_PASS_PAGE, 2, &page);

	loom_pass_hash(a, &hash);
	ASSERT_EQ(1, drop(LOOM_PASS_TOKEN, loom_buf_cstr(&hash), NULL));
	loom_buf_clear(&hash);
	loom_pass_hash(loom_arena_format(g.arena, "http://127.0.0.1:1/page/%.*s?at=a7x2",
					 LOOM_STR_ARG(b)),
		       &hash);
	ASSERT_EQ(1, drop(LOOM_PASS_PAGE, loom_buf_cstr(&hash), NULL));
	loom_buf_clear(&hash);
	loom_pass_hash(LOOM_STR("Claude"), &hash);
	ASSERT_EQ(0, hash.n);
	loom_buf_fini(&hash);
	PASS();
}

SUITE(suite)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_secret_opens_what_it_was_made_for_and_nothing_else);
	RUN_TEST(no_secret_is_kept_and_none_can_be_guessed_from_a_seed);
	RUN_TEST(a_pass_is_revoked_by_its_name_or_by_what_it_opens);
	RUN_TEST(comments_are_counted_up_to_a_limit);
	RUN_TEST(passes_made_by_several_processes_are_all_kept);
	RUN_TEST(a_file_that_was_tampered_with_opens_nothing_more);
	RUN_TEST(an_address_is_remembered_beside_them);
	RUN_TEST(a_secret_finds_its_own_pass);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(suite);
	GREATEST_MAIN_END();
}
