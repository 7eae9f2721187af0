/* Out and in again, in every format that goes both ways, over random trees: each way from root to
 * leaf says what it said, and what hangs beside is there but for exactly what the export named as
 * lost. */
#include <greatest.h>

#include <loom/reading/reading.h>
#include <loom/tree/job.h>

#include <tests/support/exported.h>
#include <tests/support/imported.h>
#include <tests/support/read_tree.h>

GREATEST_MAIN_DEFS();

enum { ROUNDS = 40, WAYS = 4 * READ_NODES };

static const char *const formats[] = {"json",       "jsonl",   "chatgpt",  "pyloom",
				      "loomsidian", "exoloom", "tapestry", "inspect"};

struct ways {
	struct grove *grove;
	struct loom_str items[WAYS];
	size_t count;
};

static void add_way(struct ways *ways, struct loom_str way)
{
	for (size_t i = 0; i < ways->count; i++)
		if (loom_str_eq(ways->items[i], way))
			return;
	if (way.n && ways->count < WAYS)
		ways->items[ways->count++] = loom_arena_str(ways->grove->arena, way);
}

static bool has_way(const struct ways *ways, struct loom_str way)
{
	for (size_t i = 0; i < ways->count; i++)
		if (loom_str_eq(ways->items[i], way))
			return true;
	return false;
}

/* Whether another way goes on from this one, below an empty text that a list of messages does not
 * have. */
static bool goes_on(const struct ways *ways, struct loom_str way)
{
	for (size_t i = 0; i < ways->count; i++)
		if (loom_str_starts(ways->items[i], way) && ways->items[i].n > way.n &&
		    ways->items[i].p[way.n] == '|')
			return true;
	return false;
}

/* ---- what a tree has ---- */

/* What is not made by read_tree: links, sources, summaries, bookmarks without a label. */
static void mark_more(struct read_tree *t)
{
	struct loom_store *store = t->grove->store;
	const int64_t node = read_any(t);
	struct loom_link link = {.from = node, .to_node = read_any(t), .author = t->grove->owner};
	struct loom_node_spec source = {.from = node,
					.kind = LOOM_CONTEXT_SOURCE,
					.text = LOOM_STR_INIT("a source"),
					.author = t->grove->owner,
					.seq = -1};
	struct loom_err err;
	enum loom_status status = LOOM_OK;
	int64_t made = 0;
	bool changed = false;

	grove_begin(t->grove, "mark");
	switch (prop_below(&t->prop, 5)) {
	case 0:
		status = loom_link_create(store, &link, &made, &changed, &err);
		break;
	case 1:
		status = loom_node_create(store, &source, &made, &err);
		break;
	case 2:
		status = loom_summary_keep(store, LOOM_JOB_NODE, node, LOOM_STR("a summary"), false,
					   &err);
		break;
	case 3:
		status = loom_bookmark_set(store, node, true, LOOM_STR(""), &changed, &err);
		break;
	default:
		status = loom_exclude_set(store, node, true, &changed, &err);
	}
	(void)!loom_op_end(store, status, NULL, &err);
}

static void count_of(struct grove *grove, int64_t tree, int64_t thread,
		     int64_t counts[LOOM_BESIDE_COUNT])
{
	struct loom_reading reading;
	struct loom_err err = {.status = LOOM_OK};
	const struct loom_reading_of of = {.tree = tree, .thread = thread};

	grove_must(loom_reading_init(&reading, grove->store, &of, &err), &err, "reading");
	grove_must(loom_reading_beside(grove->store, &reading, (1u << LOOM_BESIDE_COUNT) - 1,
				       counts, &err),
		   &err, "beside");
	loom_reading_fini(&reading);
}

/* The owner's own thread in a tree, which has chosen versions; 0 if there is none. */
static int64_t thread_in(struct grove *grove, int64_t tree)
{
	struct loom_thread thread;
	struct loom_err err = {.status = LOOM_OK};

	return loom_thread_implicit(grove->store, grove->owner, tree, grove->arena, &thread,
				    &err) == LOOM_OK
		       ? thread.id
		       : 0;
}

static void ways_of_tree(struct grove *grove, int64_t tree, struct ways *out)
{
	struct loom_reading reading;
	struct loom_err err = {.status = LOOM_OK};
	const struct loom_reading_of of = {.tree = tree, .thread = thread_in(grove, tree)};
	struct loom_buf way = LOOM_BUF_INIT(LOOM_BUF_MAX);

	grove_must(loom_reading_init(&reading, grove->store, &of, &err), &err, "reading");
	for (uint32_t n = reading.root; n; n = loom_reading_next(&reading, n)) {
		uint32_t path[READ_NODES * 2];
		size_t count = 0;

		if (loom_reading_child(&reading, n))
			continue;
		for (uint32_t at = n; at; at = reading.nodes[at - 1].parent)
			path[count++] = at;
		loom_buf_clear(&way);
		while (count-- > 0) {
			struct loom_node node;

			grove_must(loom_node_get(grove->store, reading.nodes[path[count] - 1].id,
						 LOOM_NODE_TEXT, grove->arena, &node, &err),
				   &err, "node");
			if (node.text.n)
				loom_buf_addf(&way, "%s%.*s", way.n ? "|" : "",
					      LOOM_STR_ARG(node.text));
		}
		add_way(out, loom_buf_str(&way));
	}
	loom_buf_fini(&way);
	loom_reading_fini(&reading);
}

/* ---- the law ---- */

static enum greatest_test_res same_ways(const struct ways *wanted, const struct ways *found,
					const char *format, uint64_t seed)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (!has_way(found, wanted->items[i]) &&
		    !(strcmp(format, "jsonl") == 0 && goes_on(wanted, wanted->items[i]))) {
			fprintf(stderr, "seed %llu, %s: \"%.*s\" is gone\n",
				(unsigned long long)seed, format, LOOM_STR_ARG(wanted->items[i]));
			for (size_t k = 0; k < found->count; k++)
				fprintf(stderr, "  there is \"%.*s\"\n",
					LOOM_STR_ARG(found->items[k]));
			FAILm("a text did not come back");
		}
	for (size_t i = 0; i < found->count; i++)
		if (!has_way(wanted, found->items[i])) {
			fprintf(stderr, "seed %llu, %s: \"%.*s\" is new\n",
				(unsigned long long)seed, format, LOOM_STR_ARG(found->items[i]));
			FAILm("a text came back that never was");
		}
	PASS();
}

/* The kinds that can be counted on both sides. Of what is left out, the mark is not lost as well.
 */
static enum greatest_test_res same_counts(const int64_t *had, const int64_t *came,
					  const int64_t *lost, const char *format, uint64_t seed)
{
	static const enum loom_beside kinds[] = {LOOM_BESIDE_VERSIONS, LOOM_BESIDE_NOTES,
						 LOOM_BESIDE_SOURCES,  LOOM_BESIDE_LINKS,
						 LOOM_BESIDE_TAGS,     LOOM_BESIDE_BOOKMARKS,
						 LOOM_BESIDE_LABELS,   LOOM_BESIDE_SUMMARIES,
						 LOOM_BESIDE_PRUNED,   LOOM_BESIDE_EXCLUSIONS};

	for (size_t i = 0; i < LOOM_COUNT(kinds); i++) {
		const enum loom_beside kind = kinds[i];
		int64_t left = had[kind] - lost[kind];

		if (kind == LOOM_BESIDE_EXCLUSIONS)
			left -= lost[LOOM_BESIDE_EXCLUDED];
		if (kind == LOOM_BESIDE_LABELS && lost[LOOM_BESIDE_BOOKMARKS])
			left = 0;
		if (came[kind] == left)
			continue;
		fprintf(stderr,
			"seed %llu, %s: %s: %lld were there, %lld said to be lost, %lld came\n",
			(unsigned long long)seed, format, loom_beside_several(kind),
			(long long)had[kind], (long long)lost[kind], (long long)came[kind]);
		FAILm("the report of losses is not right");
	}
	PASS();
}

static enum greatest_test_res goes_round(struct read_tree *t, const char *format, uint64_t seed)
{
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_export_told told = {.lines = 0};
	struct loom_export what = {.store = t->grove->store,
				   .trees = &t->tree,
				   .tree_count = 1,
				   .reader = t->grove->owner,
				   .told = &told};
	struct ways wanted = {.grove = t->grove};
	struct ways found = {.grove = t->grove};
	int64_t had[LOOM_BESIDE_COUNT] = {0};
	int64_t came[LOOM_BESIDE_COUNT] = {0};
	struct loom_err err = {.status = LOOM_OK};
	struct imported in;

	exported_run(format, &what, &file);
	for (size_t i = 0; i < t->tip_count; i++) {
		const struct read_way way =
			read_way_to(t, t->tips[i], !told.lost[LOOM_BESIDE_EXCLUDED]);

		add_way(&wanted, read_joined(t, &way, "|"));
	}
	count_of(t->grove, t->tree, t->thread, had);
	imported_init(&in);
	if (wanted.count) {
		const struct loom_import_report *report;

		ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&in, "x", loom_buf_str(&file), &err),
			       "%d");
		report = loom_import_report(in.import);
		for (size_t i = 0; i < report->tree_count; i++) {
			found.grove = &in.grove;
			ways_of_tree(&in.grove, report->trees[i].tree, &found);
			count_of(&in.grove, report->trees[i].tree,
				 thread_in(&in.grove, report->trees[i].tree), came);
		}
		CHECK_CALL(same_ways(&wanted, &found, format, seed));
		if (same_counts(had, came, told.lost, format, seed) != GREATEST_TEST_RES_PASS) {
			fprintf(stderr, "%s\n%s\n", loom_buf_cstr(&file), imported_say(&in));
			FAILm("the report of losses is not right");
		}
	}
	imported_fini(&in);
	loom_buf_fini(&file);
	PASS();
}

TEST what_does_not_come_back_is_what_was_named_as_lost(void)
{
	struct prop prop;
	const int times = prop_times(ROUNDS);

	prop_init(&prop, "out and in again");
	for (int i = 0; i < times; i++) {
		const uint64_t seed = prop_next(&prop);
		struct read_tree t;
		struct grove grove;

		grove_init(&grove);
		read_tree_grow(&t, &grove, seed);
		for (size_t k = prop_below(&t.prop, 6); k > 0; k--)
			mark_more(&t);
		read_tips(&t);
		for (size_t k = 0; k < LOOM_COUNT(formats); k++)
			CHECK_CALL(goes_round(&t, formats[k], seed));
		grove_fini(&grove);
	}
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(what_does_not_come_back_is_what_was_named_as_lost);
	GREATEST_MAIN_END();
}
