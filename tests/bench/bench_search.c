/* The first page of a search in a big grove: a rare word, the commonest one, a single letter. */
#include "bench/bench.h"

#include <loom/search/search.h>

#include "support/grove.h"
#include "support/prop.h"

#define SLICE 20000
#define WORDS 20

struct library {
	struct grove grove;
	struct loom_search *search;
	struct loom_arena *arena; /* of a page */
};

/* Words as a language has them: few that are everywhere, many that are rare. */
static void add_word(struct prop *prop, struct loom_buf *text)
{
	static const char *const common[] = {"the", "of", "and", "she", "house", "winter", "said"};
	uint64_t n = prop_below(prop, 1000);

	if (text->n)
		loom_buf_addc(text, ' ');
	if (n < 700)
		loom_buf_adds(text, common[prop_below(prop, n < 350 ? 2 : LOOM_COUNT(common))]);
	else
		loom_buf_addf(text, "w%llu",
			      (unsigned long long)prop_below(prop, n < 900 ? 1000 : 200000));
}

static void fill(struct library *library, size_t size)
{
	struct loom_op_spec op = {.kind = "import", .actor = library->grove.owner, .slices = true};
	struct loom_node_spec spec = {.author = library->grove.owner, .seq = -1};
	struct loom_buf text = LOOM_BUF_INIT(4096);
	struct loom_err err = {.status = LOOM_OK};
	struct prop prop;
	int64_t tree = grove_tree(&library->grove, LOOM_DIALOGUE, "root");

	prop_init_seed(&prop, 11);
	spec.from = grove_root(&library->grove, tree);
	grove_must(loom_op_begin(library->grove.store, &op, &err), &err, "begin");
	for (size_t i = 1; i < size; i++) {
		loom_buf_clear(&text);
		for (size_t k = 0; k < WORDS; k++)
			add_word(&prop, &text);
		spec.text = loom_buf_str(&text);
		grove_must(loom_node_create(library->grove.store, &spec, &spec.from, &err), &err,
			   "node");
		if (i % SLICE == 0)
			grove_must(loom_op_slice(library->grove.store, &err), &err, "slice");
	}
	grove_must(loom_op_finish(library->grove.store, NULL, &err), &err, "finish");
	loom_buf_fini(&text);
}

static void *open_library(size_t size)
{
	struct library *library = loom_alloc(sizeof *library);
	struct loom_err err = {.status = LOOM_OK};
	int64_t behind = 1;

	grove_init(&library->grove);
	library->arena = loom_arena_create();
	fill(library, size);
	grove_must(loom_search_open(library->grove.store, &library->search, &err), &err, "open");
	while (behind)
		grove_must(loom_search_feed(library->search, 1000, &behind, &err), &err, "feed");
	return library;
}

static void close_library(void *state)
{
	struct library *library = state;

	loom_search_close(library->search);
	loom_arena_destroy(library->arena);
	grove_fini(&library->grove);
	free(library);
}

/* Milliseconds until the first page is there. */
static double page(struct library *library, const char *words)
{
	struct loom_search_query query = {.words = loom_str_of(words), .limit = 20};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_hits hits;
	int64_t begin = loom_env_ticks();

	loom_arena_reset(library->arena);
	grove_must(loom_search_run(library->search, &query, library->arena, &hits, &err), &err,
		   words);
	if (!hits.count)
		abort();
	return (double)(loom_env_ticks() - begin) / 1e6;
}

static double worst_page(void *state)
{
	static const char *const asked[] = {"the", "w", "w12", "\"of the\"", "house winter"};
	struct library *library = state;
	double worst = 0;

	for (size_t i = 0; i < LOOM_COUNT(asked); i++) {
		double ms = page(library, asked[i]);

		worst = ms > worst ? ms : worst;
	}
	return worst;
}

static const struct bench_row ROWS[] = {
	{
		.name = "search: worst first page of a million",
		.ours = "commonest word, one letter, a rare word, a phrase, two words",
		.unit = "ms",
		.limit = 50,
		.size = 1000000,
		.small = 20000,
		.open = open_library,
		.close = close_library,
		.run = worst_page,
	},
};

const struct bench_suite bench_search = {"search", ROWS, LOOM_COUNT(ROWS)};
