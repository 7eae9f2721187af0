/* Arenas; run them once more with LOOM_TINY, where every boundary is met. */
#include <greatest.h>

#include <stdalign.h>

#include <loom/base/arena.h>

GREATEST_MAIN_DEFS();

static bool is_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

TEST items_are_zeroed_aligned_and_apart(void)
{
	static const size_t sizes[] = {0, 1, 7, 16, 17, 63, 64, 65, 1000, 8191, 8193, 32768, 40000};
	struct loom_arena *arena = loom_arena_create();
	unsigned char *items[LOOM_COUNT(sizes) * 20];

	for (size_t i = 0; i < LOOM_COUNT(items); i++) {
		size_t size = sizes[i * 7 % LOOM_COUNT(sizes)];

		items[i] = loom_arena_alloc(arena, size);
		ASSERT(items[i]);
		ASSERT_EQ(0, (uintptr_t)items[i] % alignof(max_align_t));
		ASSERT(is_zero(items[i], size));
		memset(items[i], (int)(i & 0xFF) | 1, size);
	}
	for (size_t i = 0; i < LOOM_COUNT(items); i++)
		for (size_t k = 0; k < sizes[i * 7 % LOOM_COUNT(sizes)]; k++)
			ASSERT_EQ((int)(i & 0xFF) | 1, items[i][k]);
	loom_arena_destroy(arena);
	PASS();
}

TEST a_reset_arena_gives_zeroed_memory_again(void)
{
	struct loom_arena *arena = loom_arena_create();

	loom_arena_reset(arena);
	for (int round = 0; round < 5; round++) {
		for (size_t size = 1; size < 3000; size += 97) {
			unsigned char *p = loom_arena_alloc(arena, size);

			ASSERT(is_zero(p, size));
			memset(p, 0xFF, size);
		}
		loom_arena_reset(arena);
	}
	loom_arena_destroy(arena);
	loom_arena_destroy(NULL);
	PASS();
}

TEST copies_are_terminated_and_independent(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf buf = LOOM_BUF_INIT(64);
	char text[] = "a\0b";
	struct loom_str copy = loom_arena_str(arena, loom_str_make(text, 3));

	text[0] = 'z';
	ASSERT(loom_str_eq(copy, LOOM_STR("a\0b")));
	ASSERT_EQ('\0', copy.p[3]);
	copy = loom_arena_str(arena, (struct loom_str){NULL, 0});
	ASSERT(copy.p && copy.n == 0 && copy.p[0] == '\0');
	ASSERT_STR_EQ("xyz", loom_arena_cstr(arena, LOOM_STR("xyz")));
	loom_buf_adds(&buf, "built");
	copy = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	ASSERT(loom_str_is(copy, "built"));
	copy = loom_arena_format(arena, "%s-%d", "n", 42);
	ASSERT_STR_EQ("n-42", copy.p);
	ASSERT_EQ(4, copy.n);
	copy = loom_arena_format(arena, "%s", "");
	ASSERT_STR_EQ("", copy.p);
	loom_arena_destroy(arena);
	PASS();
}

TEST a_growing_array_keeps_its_items(void)
{
	struct loom_arena *arena = loom_arena_create();
	uint32_t *items = NULL;
	size_t cap = 0;

	for (size_t count = 0; count < 10000; count++) {
		items = loom_arena_grow(arena, items, count, &cap, sizeof *items);
		ASSERT(cap > count);
		items[count] = (uint32_t)(count * 3);
	}
	for (size_t i = 0; i < 10000; i++)
		ASSERT_EQ((uint32_t)(i * 3), items[i]);
	loom_arena_destroy(arena);
	PASS();
}

TEST arrays_are_counted_in_items(void)
{
	struct loom_arena *arena = loom_arena_create();
	uint64_t *numbers = LOOM_ARENA_ARRAY(arena, 100, uint64_t);
	struct loom_str *one = LOOM_ARENA_NEW(arena, struct loom_str);

	memset(numbers, 0xFF, 100 * sizeof *numbers);
	ASSERT(one->p == NULL && one->n == 0);
	ASSERT(loom_arena_array(arena, 0, 8));
	loom_arena_destroy(arena);
	PASS();
}

SUITE(arena_suite)
{
	RUN_TEST(items_are_zeroed_aligned_and_apart);
	RUN_TEST(a_reset_arena_gives_zeroed_memory_again);
	RUN_TEST(copies_are_terminated_and_independent);
	RUN_TEST(a_growing_array_keeps_its_items);
	RUN_TEST(arrays_are_counted_in_items);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(arena_suite);
	GREATEST_MAIN_END();
}
