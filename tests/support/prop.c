/* Random cases: splitmix64, which any seed suits, and texts that lean towards what breaks. */
#include "support/prop.h"

#include <sys/random.h>

#include <loom/base/utf8.h>

#define USUAL_SEED UINT64_C(0x1005eed)

/* Ranges that text is drawn from; the first are drawn as often as the last. */
static const struct range {
	uint32_t low;
	uint32_t high;
} RANGES[] = {
	{' ', '~'},         {'a', 'z'},         {'\t', '\n'},         {0, 0x1F},
	{0x7F, 0x9F},       {0xA0, 0x17F},      {0x300, 0x36F},       {0x5D0, 0x6FF},
	{0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},     {0x2190, 0x21FF},
	{0x3041, 0x30FF},   {0x4E00, 0x9FFF},   {0xAC00, 0xD7A3},     {0xD7FF, 0xD7FF},
	{0xE000, 0xE000},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFFFF},     {0x1F300, 0x1F64F},
	{0xE0000, 0xE007F}, {0x10000, 0x10FFF}, {0x10FF00, 0x10FFFF},
};

void prop_init_seed(struct prop *prop, uint64_t seed)
{
	*prop = (struct prop){.seed = seed, .state = seed};
}

void prop_init(struct prop *prop, const char *name)
{
	const char *wish = getenv("LOOM_TEST_SEED");
	uint64_t seed = USUAL_SEED;

	if (wish && !strcmp(wish, "random")) {
		if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
			seed = USUAL_SEED;
	} else if (wish && wish[0]) {
		seed = strtoull(wish, NULL, 0);
	}
	prop_init_seed(prop, seed);
	printf("%s: LOOM_TEST_SEED=0x%llx\n", name, (unsigned long long)seed);
}

uint64_t prop_next(struct prop *prop)
{
	uint64_t z = prop->state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

size_t prop_below(struct prop *prop, size_t bound)
{
	return bound ? (size_t)(prop_next(prop) % bound) : 0;
}

int64_t prop_between(struct prop *prop, int64_t low, int64_t high)
{
	uint64_t span = (uint64_t)high - (uint64_t)low + 1;
	uint64_t step = span ? prop_next(prop) % span : prop_next(prop);

	return (int64_t)((uint64_t)low + step);
}

bool prop_once_in(struct prop *prop, size_t times)
{
	return prop_below(prop, times) == 0;
}

void prop_bytes(struct prop *prop, size_t n, struct loom_buf *out)
{
	for (size_t i = 0; i < n; i++)
		loom_buf_addc(out, (char)prop_next(prop));
}

void prop_text(struct prop *prop, size_t count, struct loom_buf *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct range *range = &RANGES[prop_below(prop, LOOM_COUNT(RANGES))];

		loom_buf_add_cp(out, (uint32_t)prop_between(prop, range->low, range->high));
	}
}

void prop_bent_text(struct prop *prop, size_t count, struct loom_buf *out)
{
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text = {0};

	prop_text(prop, count, &whole);
	text = loom_buf_str(&whole);
	for (size_t i = 0; i < text.n; i++) {
		size_t fate = prop_below(prop, 64);

		if (fate == 0)
			continue;
		loom_buf_addc(out, fate == 1 ? (char)prop_next(prop) : text.p[i]);
		if (fate == 2)
			loom_buf_addc(out, text.p[i]);
	}
	loom_buf_fini(&whole);
}

size_t prop_size(struct prop *prop, size_t max)
{
	size_t most = prop_once_in(prop, 16) ? max : max < 12 ? max : 12;

	return prop_below(prop, most + 1);
}

int prop_every(int n)
{
#if defined(LOOM_SANITIZED)
	return getenv("LOOM_TEST_MANY") ? 1 : n;
#else
	(void)n;
	return 1;
#endif
}

int prop_times(int few)
{
	const int n = prop_every(4);

	return getenv("LOOM_TEST_MANY") ? few * 25 : (few + n - 1) / n;
}
