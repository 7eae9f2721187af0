/* Counted n-grams and numbered texts: two hash tables with open addressing.
 *
 * A context is identified by a 64-bit key over its symbols. Its successors form a list, so
 * computing the shares after a context costs one step per successor and one pass over all
 * symbols. */
#include <loom/ngram/grams.h>

#define ORDER_MAX 8
/* The share of symbols never read is one in this many: few enough that words stay words. */
#define NEW_ONE_IN 256

static uint64_t stir(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/* Sets keys[k] to the key of the last k symbols; returns how many keys there are. */
static size_t context_keys(const struct ngram_gram *gram, const uint32_t *history, size_t n,
			   uint64_t keys[ORDER_MAX])
{
	size_t count = n < gram->order - 1 ? n : gram->order - 1;

	keys[0] = 1;
	for (size_t k = 1; k <= count; k++)
		keys[k] = stir(keys[k - 1] + history[n - k] + 0x9e3779b97f4a7c15u) | 1;
	return count + 1;
}

static struct ngram_context *context_slot(struct ngram_context *slots, size_t cap, uint64_t key)
{
	size_t at = (size_t)stir(key) & (cap - 1);

	while (slots[at].key && slots[at].key != key)
		at = (at + 1) & (cap - 1);
	return &slots[at];
}

static const struct ngram_context *find_context(const struct ngram_gram *gram, uint64_t key)
{
	const struct ngram_context *context = NULL;

	if (!gram->context_cap)
		return NULL;
	context = context_slot(gram->contexts, gram->context_cap, key);
	return context->key ? context : NULL;
}

static struct ngram_context *put_context(struct ngram_gram *gram, uint64_t key)
{
	struct ngram_context *context = NULL;

	if (gram->context_count * 2 >= gram->context_cap) {
		size_t cap = gram->context_cap ? gram->context_cap * 2 : 1024;
		struct ngram_context *wider = loom_alloc(cap * sizeof *wider);

		for (size_t i = 0; i < gram->context_cap; i++)
			if (gram->contexts[i].key)
				*context_slot(wider, cap, gram->contexts[i].key) =
					gram->contexts[i];
		free(gram->contexts);
		gram->contexts = wider;
		gram->context_cap = cap;
	}
	context = context_slot(gram->contexts, gram->context_cap, key);
	if (!context->key) {
		context->key = key;
		gram->context_count++;
	}
	return context;
}

static size_t follow_slot(const struct ngram_gram *gram, uint64_t context, uint32_t symbol)
{
	size_t at = (size_t)stir(context ^ (uint64_t)symbol << 20) & (gram->slot_cap - 1);

	while (gram->slots[at]) {
		const struct ngram_follow *follow = &gram->follows[gram->slots[at] - 1];

		if (follow->context == context && follow->symbol == symbol)
			break;
		at = (at + 1) & (gram->slot_cap - 1);
	}
	return at;
}

static void widen_follows(struct ngram_gram *gram)
{
	if (gram->follow_count < gram->follow_cap)
		return;
	gram->follow_cap = gram->follow_cap ? gram->follow_cap * 2 : 1024;
	gram->slot_cap = gram->follow_cap * 2;
	gram->follows = loom_realloc(gram->follows, gram->follow_cap, sizeof *gram->follows);
	free(gram->slots);
	gram->slots = loom_alloc(gram->slot_cap * sizeof *gram->slots);
	for (size_t i = 0; i < gram->follow_count; i++)
		gram->slots[follow_slot(gram, gram->follows[i].context, gram->follows[i].symbol)] =
			(uint32_t)i + 1;
}

static void add_follow(struct ngram_gram *gram, uint64_t key, uint32_t symbol)
{
	struct ngram_context *context = put_context(gram, key);
	size_t slot = 0;

	widen_follows(gram);
	slot = follow_slot(gram, key, symbol);
	context->total++;
	if (gram->slots[slot]) {
		gram->follows[gram->slots[slot] - 1].count++;
		return;
	}
	gram->follows[gram->follow_count++] = (struct ngram_follow){.context = key,
								    .symbol = symbol,
								    .count = 1,
								    .next = context->first};
	gram->slots[slot] = context->first = (uint32_t)gram->follow_count;
	context->kinds++;
}

void ngram_gram_add(struct ngram_gram *gram, const uint32_t *history, size_t n, uint32_t symbol)
{
	uint64_t keys[ORDER_MAX];
	size_t count = context_keys(gram, history, n, keys);

	for (size_t i = 0; i < count; i++)
		add_follow(gram, keys[i], symbol);
}

void ngram_gram_shares(const struct ngram_gram *gram, const uint32_t *history, size_t n,
		       double *shares, size_t symbols)
{
	uint64_t keys[ORDER_MAX];
	size_t count = context_keys(gram, history, n, keys);

	memset(shares, 0, symbols * sizeof *shares);
	shares[symbols] = 1;
	for (size_t k = 0; k < count; k++) {
		const struct ngram_context *context = find_context(gram, keys[k]);
		double kept = 0;
		double all = 0;

		if (!context)
			return;
		kept = k ? context->kinds : 1 + (double)context->total / NEW_ONE_IN;
		all = (double)context->total + kept;
		for (size_t i = 0; i <= symbols; i++)
			shares[i] *= kept / all;
		for (uint32_t at = context->first; at; at = gram->follows[at - 1].next)
			shares[gram->follows[at - 1].symbol] += gram->follows[at - 1].count / all;
	}
}

uint64_t ngram_gram_count(const struct ngram_gram *gram, uint32_t symbol)
{
	size_t slot = 0;

	if (!gram->slot_cap)
		return 0;
	slot = follow_slot(gram, 1, symbol);
	return gram->slots[slot] ? gram->follows[gram->slots[slot] - 1].count : 0;
}

void ngram_gram_fini(struct ngram_gram *gram)
{
	free(gram->contexts);
	free(gram->follows);
	free(gram->slots);
	*gram = (struct ngram_gram){.order = gram->order};
}

static uint64_t text_hash(struct loom_str text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < text.n; i++)
		hash = (hash ^ (unsigned char)text.p[i]) * 0x100000001b3u;
	return stir(hash);
}

static size_t word_slot(const struct ngram_words *words, struct loom_str text)
{
	size_t at = (size_t)text_hash(text) & (words->slot_cap - 1);

	while (words->slots[at] && !loom_str_eq(words->items[words->slots[at] - 1], text))
		at = (at + 1) & (words->slot_cap - 1);
	return at;
}

uint32_t ngram_words_find(const struct ngram_words *words, struct loom_str text)
{
	size_t slot = words->slot_cap ? word_slot(words, text) : 0;

	return words->slot_cap && words->slots[slot] ? words->slots[slot] - 1 : NGRAM_GRAM_NEW;
}

uint32_t ngram_words_put(struct ngram_words *words, struct loom_str text)
{
	size_t slot = 0;

	if (words->count == words->cap) {
		words->cap = words->cap ? words->cap * 2 : 512;
		words->slot_cap = words->cap * 2;
		words->items = loom_realloc(words->items, words->cap, sizeof *words->items);
		free(words->slots);
		words->slots = loom_alloc(words->slot_cap * sizeof *words->slots);
		for (size_t i = 0; i < words->count; i++)
			words->slots[word_slot(words, words->items[i])] = (uint32_t)i + 1;
	}
	slot = word_slot(words, text);
	if (!words->slots[slot]) {
		words->items[words->count++] = loom_arena_str(words->arena, text);
		words->slots[slot] = (uint32_t)words->count;
	}
	return words->slots[slot] - 1;
}

void ngram_words_fini(struct ngram_words *words)
{
	free(words->items);
	free(words->slots);
	*words = (struct ngram_words){.arena = words->arena};
}
