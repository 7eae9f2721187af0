/* Any line as a search in a grove: its filters are taken out or refused with the reason, and what
 * is asked then gets an answer. */
#include <loom/search/search.h>

#include "support/grove.h"
#include "tests/fuzz/fuzz.h"

/* Opened with the first line and only read: what they hold is the same for all. */
static struct grove grove;
static struct loom_search *search;

static void end_grove(void)
{
	loom_search_close(search);
	grove_fini(&grove);
}

static void begin_grove(void)
{
	int64_t tree = 0;
	int64_t behind = 0;

	grove_init(&grove);
	tree = grove_tree(&grove, LOOM_DIALOGUE, "The house stood empty.");
	(void)grove_node(&grove, grove_root(&grove, tree), "A door opened in the house.");
	must(loom_search_open(grove.store, &search, NULL) == LOOM_OK);
	must(loom_search_feed(search, 10000, &behind, NULL) == LOOM_OK && behind == 0);
	atexit(end_grove);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_err err = {.status = LOOM_OK};
	struct loom_search_query query = {.limit = 10};
	struct loom_hits hits;

	if (!grove.store)
		begin_grove();
	if (loom_search_parse(grove.store, fuzz_text(data, size, 0), 1, arena, &query, &err)) {
		must(err.text[0] != '\0');
	} else if (loom_search_run(search, &query, arena, &hits, &err) == LOOM_OK) {
		must(hits.count <= 10 && hits.count <= hits.total);
	} else {
		must(err.text[0] != '\0');
	}
	loom_arena_destroy(arena);
	return 0;
}
