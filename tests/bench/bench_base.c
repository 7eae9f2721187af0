/* The house's first functions beside what they are built on. */
#include "bench/bench.h"

#include <openssl/evp.h>

#include <loom/base/arena.h>
#include <loom/base/hash.h>
#include <loom/base/utf8.h>

#include "support/prop.h"

/* A text of `size` bytes, mostly ASCII as stories are. */
static void *open_text(size_t size)
{
	struct loom_buf *text = loom_alloc(sizeof *text);
	struct prop prop;

	prop_init_seed(&prop, 1);
	loom_buf_init(text, LOOM_BUF_MAX);
	while (text->n < size) {
		if (prop_once_in(&prop, 40))
			loom_buf_add_cp(text, (uint32_t)prop_between(&prop, 0xA0, 0x2FFF));
		else
			loom_buf_addc(text, (char)prop_between(&prop, ' ', '~'));
	}
	return text;
}

static void close_text(void *state)
{
	loom_buf_fini(state);
	free(state);
}

static double validate(void *state)
{
	return loom_utf8_valid(loom_buf_str(state), NULL);
}

/* The least that any look at every byte can cost. */
static double look_at_every_byte(void *state)
{
	const struct loom_buf *text = state;

	return memchr(text->p, 0x01, text->n) != NULL;
}

static double digest(void *state)
{
	return loom_sha256(loom_buf_str(state)).bytes[0];
}

static double digest_bare(void *state)
{
	const struct loom_buf *text = state;
	unsigned char bytes[EVP_MAX_MD_SIZE] = {0};

	(void)EVP_Digest(text->p, text->n, bytes, NULL, EVP_sha256(), NULL);
	return bytes[0];
}

/* Many small digests: one for each node of a tree. */
static double digest_small(void *state)
{
	const struct loom_buf *text = state;
	double sum = 0;

	for (size_t at = 0; at + 200 <= text->n; at += 200)
		sum += loom_sha256(loom_str_make(text->p + at, 200)).bytes[0];
	return sum;
}

static double digest_small_bare(void *state)
{
	const struct loom_buf *text = state;
	unsigned char bytes[EVP_MAX_MD_SIZE] = {0};
	double sum = 0;

	for (size_t at = 0; at + 200 <= text->n; at += 200) {
		(void)EVP_Digest(text->p + at, 200, bytes, NULL, EVP_sha256(), NULL);
		sum += bytes[0];
	}
	return sum;
}

struct items {
	size_t count;
	char **list;
};

static void *open_items(size_t size)
{
	struct items *items = loom_alloc(sizeof *items);

	items->count = size;
	items->list = loom_alloc(size * sizeof *items->list);
	return items;
}

static void close_items(void *state)
{
	struct items *items = state;

	free(items->list);
	free(items);
}

static size_t size_of_item(size_t i)
{
	return 16 + i * 7 % 113;
}

static double from_arena(void *state)
{
	struct items *items = state;
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < items->count; i++) {
		items->list[i] = loom_arena_alloc(arena, size_of_item(i));
		items->list[i][0] = (char)i;
	}
	loom_arena_destroy(arena);
	return (double)items->count;
}

static double from_malloc(void *state)
{
	struct items *items = state;

	for (size_t i = 0; i < items->count; i++) {
		items->list[i] = calloc(1, size_of_item(i));
		if (items->list[i])
			items->list[i][0] = (char)i;
	}
	for (size_t i = 0; i < items->count; i++)
		free(items->list[i]);
	return (double)items->count;
}

static const struct bench_row ROWS[] = {
	{
		.name = "utf8: validate a text",
		.ours = "loom_utf8_valid over 16 MiB",
		.peer = "memchr over the same bytes",
		.limit = 100,
		.size = (size_t)16 << 20,
		.small = (size_t)1 << 20,
		.open = open_text,
		.close = close_text,
		.run = validate,
		.run_peer = look_at_every_byte,
	},
	{
		.name = "arena: 100,000 small items",
		.ours = "one arena, made and destroyed",
		.peer = "calloc and free of each",
		.limit = 1.5,
		.size = 100000,
		.small = 20000,
		.open = open_items,
		.close = close_items,
		.run = from_arena,
		.run_peer = from_malloc,
	},
	{
		.name = "hash: one digest of a large text",
		.ours = "loom_sha256 over 16 MiB",
		.peer = "libcrypto bare",
		.limit = 1.1,
		.size = (size_t)16 << 20,
		.small = (size_t)1 << 20,
		.open = open_text,
		.close = close_text,
		.run = digest,
		.run_peer = digest_bare,
	},
	{
		.name = "hash: a digest for each 200 bytes",
		.ours = "loom_sha256 over slices of 1 MiB",
		.peer = "libcrypto bare",
		.limit = 1.5,
		.size = (size_t)1 << 20,
		.small = (size_t)1 << 18,
		.open = open_text,
		.close = close_text,
		.run = digest_small,
		.run_peer = digest_small_bare,
	},
};

const struct bench_suite bench_base = {"base", ROWS, LOOM_COUNT(ROWS)};
