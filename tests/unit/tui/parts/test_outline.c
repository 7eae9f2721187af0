/* Rows of trees of every shape, held to the store: what is shown is what is there, in order. */
#include <greatest.h>

#include "support/grove.h"
#include "support/prop.h"
#include <loom/parts/outline.h>
#include <loom/parts/rows.h>

static int64_t group_at(const struct tui_outline *outline, uint64_t row)
{
	return tui_outline_group(outline, tui_items_at(outline->items, row, NULL));
}

static void must(enum loom_status status, const struct loom_err *err)
{
	grove_must(status, err, "outline");
}

/* Everything opened and loaded, however often that takes. */
static void open_all(struct tui_outline *outline)
{
	struct loom_err err;

	for (uint64_t row = 0; row < tui_items_rows(outline->items); row++) {
		uint32_t item;
		must(tui_outline_fill(outline, row, 1, &err), &err);
		item = tui_items_at(outline->items, row, NULL);
		while (item && (tui_items_get(outline->items, item)->flags & TUI_OUTLINE_CHAIN)) {
			must(tui_outline_open(outline, item, &err), &err);
			item = tui_items_at(outline->items, row, NULL);
		}
		if (item)
			must(tui_outline_open(outline, item, &err), &err);
	}
}

/* The tree as a walk in order gives it. */
static void walk(struct grove *grove, int64_t group, bool pruned_too, int64_t *out, size_t *count)
{
	struct loom_page page = {.kind = LOOM_CONTINUATION,
				 .limit = 100000,
				 .pruned_too = pruned_too};
	struct loom_nodes nodes;
	struct loom_err err;

	out[(*count)++] = group;
	must(loom_node_children(grove->store, group, &page, grove->arena, &nodes, &err), &err);
	for (size_t i = 0; i < nodes.count; i++)
		walk(grove, nodes.items[i].group, pruned_too, out, count);
}

static const char *same_as_store(struct grove *grove, struct tui_outline *outline, int64_t root)
{
	static int64_t groups[4000];
	size_t count = 0;

	walk(grove, root, outline->pruned_too, groups, &count);
	if (tui_items_rows(outline->items) != count)
		return "another number of rows";
	for (size_t i = 0; i < count; i++)
		if (group_at(outline, i) != groups[i])
			return "another order";
	return tui_items_fault(outline->items);
}

TEST random_trees_open_to_what_the_store_holds(void)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct grove grove;
		struct tui_outline outline;
		struct prop prop;
		struct loom_err err;
		int64_t nodes[300];
		int64_t root;
		const char *wrong;

		prop_init_seed(&prop, seed);
		grove_init(&grove);
		root = nodes[0] = grove_root(&grove, grove_tree(&grove, LOOM_DIALOGUE, "root"));
		for (int i = 1; i < 120; i++) {
			/* Long chains, wide forks and everything between. */
			int64_t back = seed % 3 == 0 ? 1 : seed % 3 == 1 ? i : 5;
			int from = i - 1 - (int)prop_between(&prop, 0, (back < i ? back : i) - 1);
			nodes[i] = grove_node(&grove, nodes[from], "text");
		}
		for (int i = 0; i < 5; i++)
			grove_prune(&grove, nodes[prop_between(&prop, 1, 119)]);
		tui_outline_init(&outline, grove.store);
		outline.pruned_too = seed % 2 == 0;
		must(tui_outline_reset(&outline, root, &err), &err);
		open_all(&outline);
		wrong = same_as_store(&grove, &outline, root);
		ASSERT_EQm(wrong, NULL, wrong);
		must(tui_outline_refresh(&outline, root, 0, UINT64_MAX, &err), &err);
		open_all(&outline);
		wrong = same_as_store(&grove, &outline, root);
		ASSERT_EQm(wrong, NULL, wrong);
		tui_outline_fini(&outline);
		grove_fini(&grove);
	}
	PASS();
}

TEST a_long_chain_is_one_row_until_it_is_opened(void)
{
	struct grove grove;
	struct tui_outline outline;
	struct loom_err err;
	int64_t root;
	int64_t tip;
	uint32_t item;

	grove_init(&grove);
	root = tip = grove_root(&grove, grove_tree(&grove, LOOM_DIALOGUE, "root"));
	for (int i = 0; i < 100; i++)
		tip = grove_node(&grove, tip, "step");
	tui_outline_init(&outline, grove.store);
	must(tui_outline_reset(&outline, root, &err), &err);
	must(tui_outline_open(&outline, tui_items_at(outline.items, 0, NULL), &err), &err);
	ASSERT_EQ_FMT((uint64_t)3, tui_items_rows(outline.items), "%lu");
	item = tui_items_at(outline.items, 1, NULL);
	ASSERT(tui_items_get(outline.items, item)->flags & TUI_OUTLINE_CHAIN);
	ASSERT_EQ(99, (int)tui_items_get(outline.items, item)->extra);
	ASSERT_EQ(tip, group_at(&outline, 2));
	must(tui_outline_open(&outline, item, &err), &err);
	ASSERT_EQ_FMT((uint64_t)(1 + 32 + 1 + 1), tui_items_rows(outline.items), "%lu");
	ASSERT_EQ(NULL, tui_items_fault(outline.items));
	tui_outline_fini(&outline);
	grove_fini(&grove);
	PASS();
}

TEST any_node_can_be_shown_from_nothing(void)
{
	struct grove grove;
	struct tui_outline outline;
	struct loom_err err;
	struct prop prop;
	int64_t nodes[900];
	int64_t root;

	prop_init_seed(&prop, 7);
	grove_init(&grove);
	root = nodes[0] = grove_root(&grove, grove_tree(&grove, LOOM_DIALOGUE, "root"));
	/* Deeper than is looked up at once, with a fork now and then. */
	for (int i = 1; i < 900; i++)
		nodes[i] = grove_node(&grove, nodes[i % 100 == 0 ? i - 2 : i - 1], "text");
	tui_outline_init(&outline, grove.store);
	must(tui_outline_reset(&outline, root, &err), &err);
	for (int i = 0; i < 60; i++) {
		int64_t want = nodes[i == 0 ? 899 : prop_between(&prop, 0, 899)];
		uint32_t item = 0;
		must(tui_outline_show(&outline, want, &item, &err), &err);
		ASSERT_EQ(want, tui_outline_group(&outline, item));
		ASSERT(tui_items_shown(outline.items, item));
		ASSERT_EQ(NULL, tui_items_fault(outline.items));
	}
	tui_outline_fini(&outline);
	grove_fini(&grove);
	PASS();
}

TEST a_thousand_children_are_loaded_where_they_are_seen(void)
{
	struct grove grove;
	struct tui_outline outline;
	struct loom_err err;
	int64_t children[1000];
	int64_t root;
	uint32_t item = 0;

	grove_init(&grove);
	root = grove_root(&grove, grove_tree(&grove, LOOM_DIALOGUE, "root"));
	grove_begin(&grove, "bulk");
	for (int i = 0; i < 1000; i++) {
		struct loom_node_spec spec = {.tree = grove_get(&grove, root).tree,
					      .from = root,
					      .text = LOOM_STR("child"),
					      .author = grove.owner,
					      .seq = -1};
		must(loom_node_create(grove.store, &spec, &children[i], &err), &err);
	}
	grove_commit(&grove);
	tui_outline_init(&outline, grove.store);
	must(tui_outline_reset(&outline, root, &err), &err);
	must(tui_outline_open(&outline, tui_items_at(outline.items, 0, NULL), &err), &err);
	ASSERT_EQ_FMT((uint64_t)1001, tui_items_rows(outline.items), "%lu");
	ASSERT(tui_items_count(outline.items) < 100);
	must(tui_outline_fill(&outline, 700, 10, &err), &err);
	for (uint64_t row = 700; row < 710; row++)
		ASSERT_EQ(children[row - 1], group_at(&outline, row));
	ASSERT_EQ_FMT((uint64_t)1001, tui_items_rows(outline.items), "%lu");
	must(tui_outline_show(&outline, children[400], &item, &err), &err);
	ASSERT_EQ_FMT((uint64_t)401, tui_items_row(outline.items, item), "%lu");
	ASSERT(tui_items_count(outline.items) < 300);
	ASSERT_EQ(NULL, tui_items_fault(outline.items));
	tui_outline_fini(&outline);
	grove_fini(&grove);
	PASS();
}

TEST a_row_shows_the_version_that_stands_for_its_group_in_any_mode(void)
{
	for (int mode = LOOM_DIALOGUE; mode <= LOOM_BUFFER; mode++) {
		struct grove grove;
		struct tui_rows rows;
		const struct tui_row *row = NULL;
		struct loom_err err;
		struct loom_node_spec spec = {.text = LOOM_STR_INIT("then"), .seq = -1};
		int64_t made = 0;

		grove_init(&grove);
		spec.from = grove_node(&grove,
				       grove_root(&grove,
						  grove_tree(&grove, (enum loom_mode)mode, "r")),
				       "first");
		spec.author = grove.owner;
		grove_begin(&grove, "edit");
		must(loom_node_edit(grove.store, &spec, LOOM_EDIT_VERSION, &made, &err), &err);
		grove_commit(&grove);
		tui_rows_init(&rows, grove.store);
		must(tui_rows_get(&rows, spec.from, &row, &err), &err);
		ASSERT_EQ(made, row->node);
		ASSERT_EQ(2, row->versions);
		ASSERT_EQ(0, memcmp("then", row->text, 4));
		tui_rows_fini(&rows);
		grove_fini(&grove);
	}
	PASS();
}

SUITE(outline)
{
	RUN_TEST(a_row_shows_the_version_that_stands_for_its_group_in_any_mode);
	RUN_TEST(random_trees_open_to_what_the_store_holds);
	RUN_TEST(a_long_chain_is_one_row_until_it_is_opened);
	RUN_TEST(any_node_can_be_shown_from_nothing);
	RUN_TEST(a_thousand_children_are_loaded_where_they_are_seen);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(outline);
	GREATEST_MAIN_END();
}
