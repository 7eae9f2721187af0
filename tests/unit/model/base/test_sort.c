/* Numbers sorted where they stand: the same as qsort would make of them. */
#include <greatest.h>

#include <loom/base/sort.h>

#include "support/prop.h"

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a;
	const uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static enum greatest_test_res is_sorted_as_qsort(const uint64_t *items, size_t count)
{
	uint64_t *ours = loom_realloc(NULL, count + 1, sizeof *ours);
	uint64_t *theirs = loom_realloc(NULL, count + 1, sizeof *theirs);
	bool same = false;

	memcpy(ours, items, count * sizeof *ours);
	memcpy(theirs, items, count * sizeof *theirs);
	loom_sort_u64(ours, count);
	qsort(theirs, count, sizeof *theirs, by_number);
	same = memcmp(ours, theirs, count * sizeof *ours) == 0;
	free(ours);
	free(theirs);
	ASSERT(same);
	PASS();
}

TEST numbers_of_any_kind_are_sorted(void)
{
	static const uint64_t masks[] = {UINT64_MAX, 0xFF, (uint64_t)0xFF << 56,
					 1,          0,    (uint64_t)3 << 31};
	struct prop prop;
	uint64_t items[3000];

	prop_init(&prop, "numbers_of_any_kind_are_sorted");
	for (int n = prop_times(200); n > 0; n--) {
		const uint64_t mask = masks[prop_below(&prop, LOOM_COUNT(masks))];
		const size_t count = prop_size(&prop, LOOM_COUNT(items));

		for (size_t i = 0; i < count; i++)
			items[i] = prop_next(&prop) & mask;
		CHECK_CALL(is_sorted_as_qsort(items, count));
	}
	PASS();
}

TEST what_is_sorted_already_stays(void)
{
	uint64_t items[1000];

	for (size_t i = 0; i < LOOM_COUNT(items); i++)
		items[i] = i * 3;
	CHECK_CALL(is_sorted_as_qsort(items, LOOM_COUNT(items)));
	for (size_t i = 0; i < LOOM_COUNT(items); i++)
		items[i] = UINT64_MAX - i;
	CHECK_CALL(is_sorted_as_qsort(items, LOOM_COUNT(items)));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(numbers_of_any_kind_are_sorted);
	RUN_TEST(what_is_sorted_already_stays);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(suite);
	GREATEST_MAIN_END();
}
