#include "greatest.h"

#include <loom/parts/row_treap.h>

static struct tui_item node(uint64_t key, uint32_t depth)
{
	return (struct tui_item){.key = key, .weight = 1, .depth = depth};
}

/* Inserts keys 1 to n at depth 0, in order. */
static void fill(struct tui_items *items, uint64_t n)
{
	uint32_t last = 0;

	for (uint64_t key = 1; key <= n; key++)
		last = tui_items_insert(items, last, node(key, 0));
}

static uint64_t key_at(const struct tui_items *items, uint64_t row)
{
	return tui_items_get(items, tui_items_at(items, row, NULL))->key;
}

TEST rows_and_items_find_each_other(void)
{
	struct tui_items *items = tui_items_create();

	fill(items, 1000);
	ASSERT_EQ_FMT((uint64_t)1000, tui_items_rows(items), "%lu");
	for (uint64_t row = 0; row < 1000; row++) {
		uint32_t handle = tui_items_at(items, row, NULL);
		ASSERT_EQ_FMT(row + 1, tui_items_get(items, handle)->key, "%lu");
		ASSERT_EQ_FMT(row, tui_items_row(items, handle), "%lu");
	}
	ASSERT_EQ(0, tui_items_at(items, 1000, NULL));
	ASSERT_EQ(NULL, tui_items_fault(items));
	tui_items_destroy(items);
	PASS();
}

TEST a_run_of_a_million_rows_is_one_item(void)
{
	struct tui_items *items = tui_items_create();
	uint64_t offset;
	uint32_t first = tui_items_insert(items, 0, node(7, 0));
	uint32_t run = tui_items_insert(items, first, (struct tui_item){.weight = 1000000});
	uint32_t last = tui_items_insert(items, run, node(8, 0));

	ASSERT_EQ_FMT((uint64_t)1000002, tui_items_rows(items), "%lu");
	ASSERT_EQ(run, tui_items_at(items, 500001, &offset));
	ASSERT_EQ_FMT((uint64_t)500000, offset, "%lu");
	ASSERT_EQ_FMT((uint64_t)1000001, tui_items_row(items, last), "%lu");
	tui_items_destroy(items);
	PASS();
}

TEST the_middle_of_a_run_can_become_items(void)
{
	struct tui_items *items = tui_items_create();
	uint32_t run = tui_items_insert(items, 0, (struct tui_item){.weight = 100});
	uint32_t before = tui_items_split(items, run, 40, 2);

	before = tui_items_insert(items, before, node(41, 0));
	tui_items_insert(items, before, node(42, 0));
	ASSERT_EQ_FMT((uint64_t)100, tui_items_rows(items), "%lu");
	ASSERT_EQ_FMT((uint64_t)41, key_at(items, 40), "%lu");
	ASSERT_EQ_FMT((uint64_t)42, key_at(items, 41), "%lu");
	ASSERT_EQ_FMT((uint64_t)0, key_at(items, 39), "%lu");
	ASSERT_EQ_FMT((uint64_t)0, key_at(items, 42), "%lu");
	ASSERT_EQ(4, tui_items_count(items));
	ASSERT_EQ(NULL, tui_items_fault(items));
	tui_items_destroy(items);
	PASS();
}

TEST a_whole_run_can_become_items(void)
{
	struct tui_items *items = tui_items_create();
	uint32_t first = tui_items_insert(items, 0, node(1, 0));
	uint32_t run = tui_items_insert(items, first, (struct tui_item){.weight = 2});
	uint32_t before = tui_items_split(items, run, 0, 2);

	ASSERT_EQ(first, before);
	before = tui_items_insert(items, before, node(2, 0));
	tui_items_insert(items, before, node(3, 0));
	ASSERT_EQ(3, tui_items_count(items));
	ASSERT_EQ_FMT((uint64_t)3, key_at(items, 2), "%lu");
	tui_items_destroy(items);
	PASS();
}

TEST a_fold_takes_the_deeper_rows_and_gives_them_back(void)
{
	struct tui_items *items = tui_items_create();
	uint32_t a = tui_items_insert(items, 0, node(1, 0));
	uint32_t b = tui_items_insert(items, a, node(2, 1));
	uint32_t c = tui_items_insert(items, b, node(3, 2));
	uint32_t d = tui_items_insert(items, c, node(4, 1));
	uint32_t e = tui_items_insert(items, d, node(5, 0));

	tui_items_fold(items, b);
	tui_items_fold(items, a);
	ASSERT_EQ_FMT((uint64_t)2, tui_items_rows(items), "%lu");
	ASSERT_EQ_FMT((uint64_t)2, tui_items_hidden(items, a), "%lu");
	ASSERT_EQ_FMT((uint64_t)0, tui_items_row(items, c), "%lu");
	ASSERT_FALSE(tui_items_shown(items, c));
	ASSERT_EQ_FMT((uint64_t)1, tui_items_row(items, e), "%lu");
	ASSERT_EQ(e, tui_items_next(items, a));
	tui_items_unfold(items, a);
	ASSERT_EQ_FMT((uint64_t)4, tui_items_rows(items), "%lu");
	ASSERT(tui_items_folded(items, b));
	ASSERT_EQ_FMT((uint64_t)1, tui_items_row(items, c), "%lu");
	tui_items_unfold(items, b);
	ASSERT_EQ_FMT((uint64_t)2, tui_items_row(items, c), "%lu");
	ASSERT_EQ(d, tui_items_after(items, b));
	ASSERT_EQ(NULL, tui_items_fault(items));
	tui_items_destroy(items);
	PASS();
}

TEST an_item_inserted_below_a_fold_is_hidden_in_it(void)
{
	struct tui_items *items = tui_items_create();
	uint32_t a = tui_items_insert(items, 0, node(1, 0));
	uint32_t b = tui_items_insert(items, a, node(2, 1));
	uint32_t c;

	tui_items_fold(items, a);
	c = tui_items_insert(items, b, node(3, 1));
	ASSERT_FALSE(tui_items_shown(items, c));
	c = tui_items_insert(items, a, node(4, 1));
	ASSERT_FALSE(tui_items_shown(items, c));
	ASSERT_EQ_FMT((uint64_t)1, tui_items_rows(items), "%lu");
	tui_items_unfold(items, a);
	ASSERT_EQ_FMT((uint64_t)4, key_at(items, 1), "%lu");
	ASSERT_EQ_FMT((uint64_t)3, key_at(items, 3), "%lu");
	tui_items_destroy(items);
	PASS();
}

TEST removing_an_item_takes_its_fold_along(void)
{
	struct tui_items *items = tui_items_create();
	uint32_t a = tui_items_insert(items, 0, node(1, 0));
	uint32_t b = tui_items_insert(items, a, node(2, 1));

	tui_items_insert(items, b, node(3, 2));
	tui_items_fold(items, b);
	tui_items_fold(items, a);
	tui_items_remove(items, a);
	ASSERT_EQ(0, tui_items_count(items));
	ASSERT_EQ_FMT((uint64_t)0, tui_items_rows(items), "%lu");
	ASSERT_EQ(0, tui_items_find(items, 3));
	tui_items_destroy(items);
	PASS();
}

/* --- a plain array does the same, slowly --- */

struct plain {
	struct tui_item items[4000];
	bool folded[4000];
	size_t n;
};

static size_t plain_end(const struct plain *plain, size_t i)
{
	size_t end = i + 1;

	while (end < plain->n && plain->items[end].depth > plain->items[i].depth)
		end++;
	return end;
}

static uint64_t plain_rows(const struct plain *plain, uint64_t *keys)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < plain->n; i = plain->folded[i] ? plain_end(plain, i) : i + 1)
		keys[rows++] = plain->items[i].key;
	return rows;
}

static void plain_insert(struct plain *plain, size_t at, struct tui_item item)
{
	memmove(plain->items + at + 1, plain->items + at, (plain->n - at) * sizeof(item));
	memmove(plain->folded + at + 1, plain->folded + at, plain->n - at);
	plain->items[at] = item;
	plain->folded[at] = false;
	plain->n++;
}

static size_t plain_find(const struct plain *plain, uint64_t key)
{
	size_t i = 0;

	while (plain->items[i].key != key)
		i++;
	return i;
}

/* Puts a child first below a random item, or folds or unfolds one, in both. */
static void random_step(struct tui_items *items, struct plain *plain, uint64_t key)
{
	size_t i = plain->n ? (size_t)rand() % plain->n : 0;
	uint32_t handle = plain->n ? tui_items_find(items, plain->items[i].key) : 0;

	if (plain->n == 0 || rand() % 3 > 0) {
		struct tui_item item =
			node(key, plain->n ? plain->items[i].depth + (rand() % 2 ? 1 : 0) : 0);
		/* A sibling must go behind what is below, or it would adopt it. */
		size_t at = plain->n == 0                        ? 0
			    : item.depth > plain->items[i].depth ? i + 1
								 : plain_end(plain, i);
		if (plain->n && item.depth == plain->items[i].depth && !plain->folded[i] &&
		    at > i + 1)
			handle = tui_items_find(items, plain->items[at - 1].key);
		if (plain->n && item.depth == plain->items[i].depth && at > i + 1)
			return;
		tui_items_insert(items, handle, item);
		plain_insert(plain, at, item);
	} else if (plain->folded[i]) {
		tui_items_unfold(items, handle);
		plain->folded[i] = false;
	} else if (plain_end(plain, i) > i + 1) {
		tui_items_fold(items, handle);
		plain->folded[i] = true;
	}
}

TEST random_folding_agrees_with_a_plain_array(void)
{
	struct tui_items *items = tui_items_create();
	struct plain *plain = calloc(1, sizeof(*plain));
	uint64_t *keys = calloc(4000, sizeof(*keys));

	srand(11);
	for (uint64_t step = 1; step < 3000; step++) {
		random_step(items, plain, step);
		if (step % 50)
			continue;
		uint64_t rows = plain_rows(plain, keys);
		ASSERT_EQ(NULL, tui_items_fault(items));
		ASSERT_EQ_FMT(rows, tui_items_rows(items), "%lu");
		for (uint64_t row = 0; row < rows; row++)
			ASSERT_EQ_FMT(keys[row], key_at(items, row), "%lu");
	}
	ASSERT(plain_find(plain, plain->items[0].key) == 0);
	free(plain);
	free(keys);
	tui_items_destroy(items);
	PASS();
}

TEST a_chain_of_a_hundred_thousand_folds_and_goes_without_recursion(void)
{
	struct tui_items *items = tui_items_create();
	uint32_t handles[1000];
	uint32_t last = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		last = tui_items_insert(items, last, node(i + 1, i));
		if (i % 100 == 0)
			handles[i / 100] = last;
	}
	for (size_t i = 1000; i-- > 0;)
		tui_items_fold(items, handles[i]);
	ASSERT_EQ_FMT((uint64_t)1, tui_items_rows(items), "%lu");
	ASSERT_EQ_FMT((uint64_t)0, tui_items_row(items, last), "%lu");
	tui_items_remove(items, handles[0]);
	ASSERT_EQ(0, tui_items_count(items));
	tui_items_destroy(items);
	PASS();
}

SUITE(items)
{
	RUN_TEST(rows_and_items_find_each_other);
	RUN_TEST(a_run_of_a_million_rows_is_one_item);
	RUN_TEST(the_middle_of_a_run_can_become_items);
	RUN_TEST(a_whole_run_can_become_items);
	RUN_TEST(a_fold_takes_the_deeper_rows_and_gives_them_back);
	RUN_TEST(an_item_inserted_below_a_fold_is_hidden_in_it);
	RUN_TEST(removing_an_item_takes_its_fold_along);
	RUN_TEST(random_folding_agrees_with_a_plain_array);
	RUN_TEST(a_chain_of_a_hundred_thousand_folds_and_goes_without_recursion);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(items);
	GREATEST_MAIN_END();
}
