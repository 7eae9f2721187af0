/* Sorts numbers by their bits, highest first: those with the bit clear go before those with it set.
 * Recursion is at most one level per bit. */
#include <loom/base/sort.h>

enum { FEW = 16, BITS = 64 };

static void insert_each(uint64_t *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const uint64_t item = items[i];
		size_t at = i;

		for (; at > 0 && items[at - 1] > item; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

/* Moves items with the bit clear to the front and returns how many there are. */
static size_t part(uint64_t *items, size_t count, uint64_t bit)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		const uint64_t item = items[low];

		if (!(item & bit)) {
			low++;
		} else {
			items[low] = items[--high];
			items[high] = item;
		}
	}
	return low;
}

/* Returns the highest bit in which any two items differ; 0 if all are equal. */
static uint64_t top_difference(const uint64_t *items, size_t count)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < count; i++)
		differ |= items[i] ^ items[0];
	return differ ? UINT64_C(1) << (BITS - 1 - __builtin_clzll(differ)) : 0;
}

void loom_sort_u64(uint64_t *items, size_t count)
{
	uint64_t bit = count > FEW ? top_difference(items, count) : 0;

	while (count > FEW && bit) {
		const size_t low = part(items, count, bit);

		loom_sort_u64(items, low);
		items += low;
		count -= low;
		bit >>= 1;
	}
	insert_each(items, count);
}

size_t loom_lower_u64(const uint64_t *items, size_t count, uint64_t wanted)
{
	size_t low = 0;

	while (low < count) {
		const size_t middle = low + (count - low) / 2;

		if (items[middle] < wanted)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}
