/* Trust: what others have a hand in is not used unasked, and an answer is for one folder alone. */
#include <greatest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/trust.h>
#include <loom/tree/open_store.h>

#include "support/grove.h"
#include "support/ok.h"

static struct grove g;
static struct loom_str dir;

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	dir = loom_store_dir(g.store);
}

static void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

static enum loom_status check(unsigned about)
{
	return loom_trust_check(&g.env, dir, about, NULL);
}

static void give(unsigned about)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_trust_give(&g.env, dir, about, &err), &err, "give");
}

static int mode(const char *name, mode_t bits)
{
	char *path = temp_path(&g.temp, name);
	int failed = chmod(path, bits);

	free(path);
	return failed;
}

TEST what_is_ones_own_is_not_asked_about(void)
{
	struct loom_trusted *items = NULL;
	size_t count = 1;
	struct loom_err err;

	ASSERT_EQ(LOOM_OK, check(LOOM_TRUST_GROVE));
	give(LOOM_TRUST_GROVE);
	OK(loom_trust_list(&g.env, g.arena, &items, &count, &err));
	ASSERT_EQ(0, count);
	PASS();
}

TEST who_may_write_decides(void)
{
	static const struct {
		const char *name;
		mode_t mode, usual;
		bool open;
	} cases[] = {
		{"", 0777, 0700, true},       {"", 0707, 0700, true},
		{"", 0755, 0700, false},      {"", 01777, 0700, false},
		{".loom", 0777, 0700, true},  {".loom", 0702, 0700, true},
		{".loom", 0755, 0700, false}, {".loom", 01777, 0700, true},
	};
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		ASSERT_EQ(0, mode(cases[i].name, cases[i].mode));
		STATUS_IS(cases[i].open ? LOOM_REFUSED : LOOM_OK,
			  loom_trust_check(&g.env, dir, LOOM_TRUST_GROVE, &err));
		ASSERT(!cases[i].open || strstr(err.hint, "loom trust /"));
		ASSERT_EQ(0, mode(cases[i].name, cases[i].usual));
	}
	PASS();
}

TEST a_grove_that_is_not_trusted_is_not_opened(void)
{
	struct loom_store *store = NULL;
	struct loom_err err;

	ASSERT_EQ(0, mode(".loom", 0777));
	STATUS_IS(LOOM_REFUSED, loom_store_open(&g.env, dir, LOOM_READ, &store, &err));
	ASSERT_EQ(NULL, store);
	give(LOOM_TRUST_GROVE);
	OK(loom_store_open(&g.env, dir, LOOM_READ, &store, &err));
	loom_store_close(store);
	ASSERT_EQ(0, mode(".loom", 0700));
	PASS();
}

TEST none_is_made_where_others_may_write(void)
{
	char *path = temp_path(&g.temp, "open");
	struct loom_err err;

	ASSERT_EQ(0, mkdir(path, 0700));
	ASSERT_EQ(0, chmod(path, 0777));
	STATUS_IS(LOOM_REFUSED, loom_grove_init(&g.env, loom_str_of(path), &err));
	ASSERT_EQ(0, chmod(path, 0755));
	OK(loom_grove_init(&g.env, loom_str_of(path), &err));
	free(path);
	PASS();
}

/* Each thing is agreed to by itself. */
TEST an_answer_is_for_what_was_asked(void)
{
	ASSERT_EQ(LOOM_REFUSED, check(LOOM_TRUST_FETCH));
	give(LOOM_TRUST_FETCH);
	ASSERT_EQ(LOOM_OK, check(LOOM_TRUST_FETCH));
	ASSERT_EQ(0, mode(".loom", 0777));
	ASSERT_EQ(LOOM_REFUSED, check(LOOM_TRUST_GROVE));
	ASSERT_EQ(LOOM_REFUSED, check(LOOM_TRUST_GROVE | LOOM_TRUST_FETCH));
	give(LOOM_TRUST_GROVE);
	ASSERT_EQ(LOOM_OK, check(LOOM_TRUST_GROVE | LOOM_TRUST_FETCH));
	ASSERT_EQ(0, mode(".loom", 0700));
	PASS();
}

TEST what_was_taken_back_is_asked_about_again(void)
{
	struct loom_err err;

	give(LOOM_TRUST_FETCH);
	OK(loom_trust_drop(&g.env, dir, &err));
	ASSERT_EQ(LOOM_REFUSED, check(LOOM_TRUST_FETCH));
	STATUS_IS(LOOM_NOT_FOUND, loom_trust_drop(&g.env, dir, &err));
	PASS();
}

static char *trust_file(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf path = LOOM_BUF_INIT(4096);
	char *copy;

	grove_must(loom_env_dir(&g.env, LOOM_DIR_STATE, &path, &err), &err, "state");
	loom_buf_adds(&path, "/trust.json");
	copy = loom_arena_cstr(g.arena, loom_buf_str(&path));
	loom_buf_fini(&path);
	return copy;
}

/* The record with the value of one member made another; false when it has no such member. */
static bool put_other(struct loom_str whole, const char *key, struct loom_buf *out)
{
	struct loom_str wanted = loom_arena_format(g.arena, "\"%s\":", key);
	size_t at = loom_str_find(whole, wanted, 0);

	if (at == SIZE_MAX)
		return false;
	at += wanted.n + (whole.p[at + wanted.n] == '"');
	loom_buf_clear(out);
	loom_buf_add(out, loom_str_sub(whole, 0, at));
	loom_buf_adds(out, whole.p[at] == '7' ? "8" : "7");
	loom_buf_add(out, loom_str_sub(whole, at + 1, whole.n));
	return true;
}

/* The path, and all that tells a folder from another one at that path. */
TEST every_part_of_the_record_counts(void)
{
	static const char *const keys[] = {"path", "device", "inode", "born", "owner", "what"};
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf other = LOOM_BUF_INIT(LOOM_BUF_MAX);

	give(LOOM_TRUST_FETCH);
	ASSERT(temp_read(trust_file(), &whole));
	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		ASSERT(put_other(loom_buf_str(&whole), keys[i], &other));
		temp_put(trust_file(), loom_buf_str(&other));
		ASSERT(check(LOOM_TRUST_FETCH) != LOOM_OK);
	}
	temp_put(trust_file(), loom_buf_str(&whole));
	ASSERT_EQ(LOOM_OK, check(LOOM_TRUST_FETCH));
	loom_buf_fini(&other);
	loom_buf_fini(&whole);
	PASS();
}

TEST what_others_could_have_written_is_not_believed(void)
{
	give(LOOM_TRUST_FETCH);
	ASSERT_EQ(0, chmod(trust_file(), 0666));
	ASSERT_EQ(LOOM_REFUSED, check(LOOM_TRUST_FETCH));
	ASSERT_EQ(0, chmod(trust_file(), 0600));
	ASSERT_EQ(LOOM_OK, check(LOOM_TRUST_FETCH));
	if (geteuid() == 0) {
		ASSERT_EQ(0, chown(trust_file(), 65534, (gid_t)-1));
		ASSERT_EQ(LOOM_REFUSED, check(LOOM_TRUST_FETCH));
	}
	PASS();
}

TEST a_grove_of_somebody_elses_is_asked_about(void)
{
	static const char *const names[] = {"", ".loom", ".loom/grove.db"};

	if (geteuid() != 0)
		SKIPm("only root can give a grove to somebody else");
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		char *path = temp_path(&g.temp, names[i]);

		ASSERT_EQ(0, chown(path, 65534, (gid_t)-1));
		ASSERT_EQ_FMT(LOOM_REFUSED, check(LOOM_TRUST_GROVE), "%d");
		ASSERT_EQ(0, chown(path, 0, (gid_t)-1));
		ASSERT_EQ(LOOM_OK, check(LOOM_TRUST_GROVE));
		free(path);
	}
	PASS();
}

/* A folder of root's is as safe as the machine: a grove of one's own may stand in it. */
TEST a_folder_of_roots_is_fine_and_a_grove_of_roots_is_not(void)
{
	char *path = temp_path(&g.temp, "");
	char *inner = temp_path(&g.temp, ".loom");
	char *file = temp_path(&g.temp, ".loom/grove.db");
	enum loom_status own;
	enum loom_status roots;

	if (geteuid() != 0)
		SKIPm("only root can be another user");
	ASSERT_EQ(0, chmod(path, 0755));
	ASSERT_EQ(0, chown(inner, 65534, (gid_t)-1));
	ASSERT_EQ(0, chown(file, 65534, (gid_t)-1));
	ASSERT_EQ(0, seteuid(65534));
	own = check(LOOM_TRUST_GROVE);
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, chown(inner, 0, (gid_t)-1));
	ASSERT_EQ(0, seteuid(65534));
	roots = check(LOOM_TRUST_GROVE);
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(LOOM_OK, own);
	ASSERT_EQ(LOOM_REFUSED, roots);
	free(file);
	free(inner);
	free(path);
	PASS();
}

SUITE(trust)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(what_is_ones_own_is_not_asked_about);
	RUN_TEST(who_may_write_decides);
	RUN_TEST(a_grove_that_is_not_trusted_is_not_opened);
	RUN_TEST(none_is_made_where_others_may_write);
	RUN_TEST(an_answer_is_for_what_was_asked);
	RUN_TEST(what_was_taken_back_is_asked_about_again);
	RUN_TEST(every_part_of_the_record_counts);
	RUN_TEST(what_others_could_have_written_is_not_believed);
	RUN_TEST(a_grove_of_somebody_elses_is_asked_about);
	RUN_TEST(a_folder_of_roots_is_fine_and_a_grove_of_roots_is_not);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(trust);
	GREATEST_MAIN_END();
}
