/* The spill of an import: what is appended is read back, from memory and from its file. */
#include <greatest.h>
#include <unistd.h>

#include <loom/import/frame.h>

#include "support/temp.h"

/* As much as goes into a file: more than is held in memory. */
#define ENOUGH ((size_t)17 << 20)
#define RECORD ((size_t)1 << 16)

static struct temp temp;
static struct import_spill spill;

static void set_up(void *unused)
{
	(void)unused;
	temp_init(&temp);
	import_spill_init(&spill, temp.path, NULL);
}

static void tear_down(void *unused)
{
	(void)unused;
	import_spill_fini(&spill);
	temp_fini(&temp);
}

/* The byte that stands at a place. */
static char byte_at(uint64_t at)
{
	return (char)('a' + (int)(at / 7 % 26));
}

/* Records up to `end`, each settled. */
static enum loom_status fill_to(uint64_t end, struct loom_err *err)
{
	char record[RECORD];
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && import_spill_end(&spill) < end) {
		for (size_t i = 0; i < sizeof record; i++)
			record[i] = byte_at(import_spill_end(&spill) + i);
		import_spill_add(&spill, record, sizeof record);
		status = import_spill_settle(&spill, err);
	}
	return status;
}

static enum greatest_test_res check_at(uint64_t at, size_t n)
{
	struct loom_str got = import_spill_at(&spill, at, n);

	ASSERT_EQ_FMT(n, got.n, "%zu");
	for (size_t i = 0; i < n; i++)
		ASSERT_EQ(byte_at(at + i), got.p[i]);
	PASS();
}

static enum greatest_test_res check_all(void)
{
	const uint64_t end = import_spill_end(&spill);

	CHECK_CALL(check_at(0, 100));
	CHECK_CALL(check_at(end / 2 - 50, 100));
	CHECK_CALL(check_at(end - 100, 100));
	CHECK_CALL(check_at(end, 0));
	ASSERT_EQ(0, (int)import_spill_at(&spill, end - 99, 100).n);
	ASSERT_EQ(0, (int)import_spill_at(&spill, end + 1, 0).n);
	ASSERT_EQ(0, (int)import_spill_at(&spill, UINT64_MAX, 1).n);
	PASS();
}

TEST a_little_stays_in_memory(void)
{
	struct loom_err err = {.text = ""};

	ASSERT_EQ(LOOM_OK, fill_to(3 * RECORD, &err));
	ASSERT_EQ(-1, spill.fd);
	CHECK_CALL(check_all());
	ASSERT_EQ(LOOM_OK, import_spill_seal(&spill, &err));
	ASSERT_EQ(-1, spill.fd);
	CHECK_CALL(check_all());
	PASS();
}

TEST much_goes_into_a_file_that_has_no_name(void)
{
	struct loom_err err = {.text = ""};

	ASSERT_EQ(LOOM_OK, fill_to(ENOUGH, &err));
	ASSERT(spill.fd >= 0);
	/* Removing the folder, as a folder without files is, shows that there is none in it. */
	ASSERT_EQ(0, rmdir(temp.path));
	CHECK_CALL(check_all());
	/* The tail is small now: it stands in memory beside the file. */
	import_spill_add(&spill, "xyz", 3);
	ASSERT_EQ(LOOM_OK, import_spill_settle(&spill, &err));
	ASSERT(loom_str_is(import_spill_at(&spill, import_spill_end(&spill) - 3, 3), "xyz"));
	ASSERT_EQ(0, (int)import_spill_at(&spill, spill.flushed - 1, 2).n);
	ASSERT_EQ(LOOM_OK, import_spill_seal(&spill, &err));
	ASSERT_EQ(LOOM_OK, import_spill_seal(&spill, &err));
	ASSERT(loom_str_is(import_spill_at(&spill, import_spill_end(&spill) - 3, 3), "xyz"));
	CHECK_CALL(check_at(ENOUGH / 2, 1000));
	PASS();
}

TEST where_no_file_can_be_made_the_next_settle_says_what_to_do(void)
{
	struct loom_err err = {.text = ""};

	import_spill_fini(&spill);
	import_spill_init(&spill, "/no/such/folder", NULL);
	ASSERT_EQ(LOOM_IO, fill_to(ENOUGH, &err));
	ASSERT(strstr(err.text, "/no/such/folder"));
	ASSERT(strstr(err.hint, "TMPDIR"));
	PASS();
}

SUITE(import_spill)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_little_stays_in_memory);
	RUN_TEST(much_goes_into_a_file_that_has_no_name);
	RUN_TEST(where_no_file_can_be_made_the_next_settle_says_what_to_do);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(import_spill);
	GREATEST_MAIN_END();
}
