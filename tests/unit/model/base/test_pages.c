/* Memory that temporary files stand for: what is kept in it is read back, however often its pages
 * are given back meanwhile, and the program stays small. */
#include <greatest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <loom/base/arena.h>
#include <loom/base/pages.h>

#include "support/temp.h"

#define MIB ((size_t)1 << 20)

static struct temp temp;
static struct loom_pages *pages;

static void set_up(void *unused)
{
	(void)unused;
	temp_init(&temp);
	pages = loom_pages_create(temp.path, 16 * MIB);
	loom_pages_work(pages);
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_pages_rest(pages);
	loom_pages_destroy(pages);
	temp_fini(&temp);
}

static uint64_t word_at(size_t i)
{
	return i * 0x9E3779B97F4A7C15u;
}

static void fill(uint64_t *words, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		words[i] = word_at(i);
}

static enum greatest_test_res check(const uint64_t *words, size_t to)
{
	for (size_t i = 0; i < to; i++)
		if (words[i] != word_at(i))
			FAILm("another word");
	PASS();
}

TEST pieces_of_any_size_are_zeroed_and_keep_what_they_hold(void)
{
	static const size_t sizes[] = {0, 1, 100, MIB - 1, MIB, 3 * MIB + 5};

	for (size_t i = 0; i < LOOM_COUNT(sizes); i++) {
		char *p = loom_pages_take(pages, sizes[i]);

		for (size_t k = 0; k < sizes[i]; k++)
			if (p[k])
				FAILm("not zeroed");
		memset(p, 'x', sizes[i]);
		loom_pages_return(pages, p, sizes[i]);
	}
	loom_pages_return(pages, NULL, 0);
	PASS();
}

TEST a_piece_grows_and_is_zeroed_behind_what_it_held(void)
{
	uint64_t *words = NULL;
	size_t count = 0;

	for (size_t more = 1000; more <= 4 * MIB; more *= 4) {
		words = loom_pages_resize(pages, words, count * sizeof *words,
					  more * sizeof *words);
		for (size_t i = count; i < more; i++)
			ASSERT_EQ(0, words[i]);
		fill(words, count, more);
		count = more;
		CHECK_CALL(check(words, count));
	}
	loom_pages_return(pages, words, count * sizeof *words);
	PASS();
}

TEST nothing_is_left_in_the_folder(void)
{
	char *p = loom_pages_take(pages, 2 * MIB);

	memset(p, 'x', 2 * MIB);
	/* A folder without files can be removed. */
	ASSERT_EQ(0, rmdir(temp.path));
	loom_pages_return(pages, p, 2 * MIB);
	PASS();
}

TEST where_no_file_can_be_made_it_is_plain_memory(void)
{
	struct loom_pages *none = loom_pages_create("/no/such/folder", MIB);
	uint64_t *words = NULL;

	loom_pages_work(none);
	words = loom_pages_take(none, 8 * MIB);

	fill(words, 0, MIB);
	words = loom_pages_resize(none, words, 8 * MIB, 32 * MIB);
	CHECK_CALL(check(words, MIB));
	/* Longer than many looks: plain memory that were given back would be zero. */
	for (int i = 0; i < 100; i++)
		CHECK_CALL(check(words, MIB));
	loom_pages_rest(none);
	loom_pages_return(none, words, 32 * MIB);
	loom_pages_destroy(none);
	PASS();
}

/* Faster than any timer looks: a byte here and there, of pages that the kernel has at hand. */
TEST what_is_told_of_is_given_back_at_once(void)
{
#if defined(LOOM_INSTRUMENTED)
	SKIPm("a sanitizer has memory of its own");
#else
	const size_t size = 256 * MIB;
	struct rusage usage;
	char *p = loom_pages_take(pages, size);

	for (int turn = 0; turn < 8; turn++)
		for (size_t at = 0; at < size; at += MIB / 16) {
			loom_pages_touch(pages, p + at, 1);
			if (((volatile char *)p)[at])
				FAILm("not zeroed");
		}
	getrusage(RUSAGE_SELF, &usage);
	ASSERT(usage.ru_maxrss >> 10 < 64);
	loom_pages_return(pages, p, size);
	PASS();
#endif
}

TEST much_more_than_is_allowed_stays_on_the_disk(void)
{
#if defined(LOOM_INSTRUMENTED)
	SKIPm("a sanitizer has memory of its own");
#else
	const size_t size = 512 * MIB;
	const size_t count = size / sizeof(uint64_t);
	struct rusage usage;
	uint64_t *words = loom_pages_take(pages, size);

	fill(words, 0, count);
	CHECK_CALL(check(words, count));
	getrusage(RUSAGE_SELF, &usage);
	/* between two ticks of the kernel's clock a hundred megabytes may be read */
	ASSERT((size_t)usage.ru_maxrss << 10 < size / 2);
	loom_pages_return(pages, words, size);
	PASS();
#endif
}

TEST arenas_and_buffers_stand_in_it(void)
{
	struct loom_arena *arena = loom_arena_create_on(pages);
	struct loom_buf buf = LOOM_BUF_INIT_ON(LOOM_BUF_MAX, pages);
	struct loom_str kept[64];

	for (size_t i = 0; i < LOOM_COUNT(kept); i++) {
		loom_buf_add_repeat(&buf, (char)('a' + i % 26), 100000);
		kept[i] = loom_arena_buf(arena, &buf);
	}
	for (size_t i = 0; i < LOOM_COUNT(kept); i++) {
		ASSERT_EQ((i + 1) * 100000, kept[i].n);
		ASSERT_EQ('a', kept[i].p[0]);
		ASSERT_EQ((char)('a' + i % 26), kept[i].p[kept[i].n - 1]);
	}
	loom_arena_reset(arena);
	ASSERT(loom_str_is(loom_arena_str(arena, LOOM_STR("again")), "again"));
	loom_buf_fini(&buf);
	loom_buf_adds(&buf, "again");
	ASSERT(loom_str_is(loom_buf_str(&buf), "again"));
	loom_buf_fini(&buf);
	loom_arena_destroy(arena);
	PASS();
}

SUITE(suite)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	/* First, as the largest size that the program had counts. */
	RUN_TEST(what_is_told_of_is_given_back_at_once);
	RUN_TEST(pieces_of_any_size_are_zeroed_and_keep_what_they_hold);
	RUN_TEST(a_piece_grows_and_is_zeroed_behind_what_it_held);
	RUN_TEST(nothing_is_left_in_the_folder);
	RUN_TEST(where_no_file_can_be_made_it_is_plain_memory);
	RUN_TEST(much_more_than_is_allowed_stays_on_the_disk);
	RUN_TEST(arenas_and_buffers_stand_in_it);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(suite);
	GREATEST_MAIN_END();
}
