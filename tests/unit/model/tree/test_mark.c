/* Marks: set twice is set once, each is undone by itself, and none outlives its node. */
#include <greatest.h>

#include <loom/tree/document.h>
#include <loom/tree/job.h>
#include <loom/tree/mark.h>

#include "support/grove.h"
#include "support/ok.h"
#include "support/prop.h"
#include "support/raw.h"

static struct grove g;
static int64_t tree;
static int64_t root;
static int64_t node;

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	root = grove_root(&g, tree);
	node = grove_node(&g, root, "node");
}

static void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

/* One operation each; 0 when nothing was changed. */
static int64_t bookmark(int64_t which, bool on, const char *label)
{
	struct loom_err err = {.status = LOOM_OK};
	bool changed = false;
	int64_t op;

	grove_begin(&g, "bookmark");
	grove_must(loom_bookmark_set(g.store, which, on, loom_str_of(label), &changed, &err), &err,
		   "bookmark");
	op = grove_commit(&g);
	if (changed != (op != 0))
		exit(98);
	return op;
}

static int64_t tag(int64_t which, const char *name, bool on)
{
	struct loom_err err = {.status = LOOM_OK};
	bool changed = false;
	int64_t op;

	grove_begin(&g, "tag");
	grove_must(loom_tag_set(g.store, which, loom_str_of(name), on, &changed, &err), &err,
		   "tag");
	op = grove_commit(&g);
	if (changed != (op != 0))
		exit(98);
	return op;
}

/* What an import brings is any text. */
static void bring_tag(int64_t which, const char *name)
{
	struct loom_err err = {.status = LOOM_OK};
	bool changed = false;

	grove_begin(&g, "import");
	grove_must(loom_tag_set(g.store, which, loom_str_of(name), true, &changed, &err), &err,
		   "tag");
	grove_commit(&g);
}

static int64_t exclude(int64_t which, bool on)
{
	struct loom_err err = {.status = LOOM_OK};
	bool changed = false;
	int64_t op;

	grove_begin(&g, "exclude");
	grove_must(loom_exclude_set(g.store, which, on, &changed, &err), &err, "exclude");
	op = grove_commit(&g);
	if (changed != (op != 0))
		exit(98);
	return op;
}

static void summarize(int64_t which, const char *text, bool extract)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_quiet_begin(g.store, &err), &err, "summary");
	grove_must(loom_summary_keep(g.store, LOOM_JOB_NODE, which, loom_str_of(text), extract,
				     &err),
		   &err, "summary");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "summary");
}

static int64_t link_to(const struct loom_link *spec, bool *out_changed)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t made = 0;

	grove_begin(&g, "link");
	grove_must(loom_link_create(g.store, spec, &made, out_changed, &err), &err, "link");
	grove_commit(&g);
	return made;
}

static size_t links_at(enum loom_link_kind end, int64_t id)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_link *links = NULL;
	size_t count = 0;

	grove_must(loom_link_list(g.store, end, id, g.arena, &links, &count, &err), &err, "links");
	return count;
}

static size_t tags_of(int64_t which)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_str *names = NULL;
	size_t count = 0;

	grove_must(loom_tag_of(g.store, which, g.arena, &names, &count, &err), &err, "tags");
	return count;
}

static void undo(int64_t op)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_op_undo(g.store, g.owner, op, NULL, &err), &err, "undo");
}

static void redo(void)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_op_redo(g.store, g.owner, NULL, &err), &err, "redo");
}

/* --- each by itself --- */

TEST asking_for_what_is_so_already_makes_no_operation(void)
{
	ASSERT_EQ(0, bookmark(node, false, ""));
	ASSERT(bookmark(node, true, "a"));
	ASSERT_EQ(0, bookmark(node, true, "a"));
	ASSERT(bookmark(node, true, "b"));
	ASSERT(bookmark(node, false, ""));
	ASSERT_EQ(0, bookmark(node, false, "ignored"));
	ASSERT_EQ(0, exclude(node, false));
	ASSERT(exclude(node, true));
	ASSERT_EQ(0, exclude(node, true));
	ASSERT(exclude(node, false));
	ASSERT_EQ(0, tag(node, "x", false));
	ASSERT(tag(node, "x", true));
	ASSERT_EQ(0, tag(node, "x", true));
	ASSERT(tag(node, "x", false));
	PASS();
}

TEST marks_of_different_kinds_do_not_disturb_each_other(void)
{
	int64_t op = bookmark(node, true, "here");
	struct loom_node row;

	exclude(node, true);
	summarize(node, "short", true);
	grove_prune(&g, node);
	row = grove_get(&g, node);
	ASSERT(row.bookmarked && row.excluded && row.pruned && row.summary_extract);
	ASSERT(loom_str_is(row.label, "here"));
	ASSERT(loom_str_is(row.summary, "short"));
	undo(op);
	row = grove_get(&g, node);
	ASSERT(!row.bookmarked && row.excluded && row.pruned);
	ASSERT(loom_str_is(row.label, ""));
	ASSERT(loom_str_is(row.summary, "short"));
	PASS();
}

TEST a_mark_that_was_changed_again_is_not_undone_below(void)
{
	struct loom_err err;
	int64_t first = bookmark(node, true, "one");

	bookmark(node, true, "two");
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, first, NULL, &err));
	ASSERT(strstr(err.text, "changed later"));
	ASSERT(loom_str_is(grove_get(&g, node).label, "two"));
	ASSERT(grove_get(&g, node).bookmarked);
	PASS();
}

TEST a_models_summary_takes_the_place_of_an_extract(void)
{
	summarize(node, "cut from it", true);
	ASSERT(grove_get(&g, node).summary_extract);
	summarize(node, "what it means", false);
	ASSERT_FALSE(grove_get(&g, node).summary_extract);
	summarize(node, "cut from it again", true);
	ASSERT(loom_str_is(grove_get(&g, node).summary, "what it means"));
	PASS();
}

TEST a_mark_holds_its_nodes_operation(void)
{
	struct loom_err err;
	int64_t made_by = grove_get(&g, node).op;
	int64_t op = tag(node, "kept", true);

	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, made_by, NULL, &err));
	undo(op);
	OK(loom_op_undo(g.store, g.owner, made_by, NULL, &err));
	PASS();
}

TEST nothing_is_marked_that_is_not_there(void)
{
	struct loom_err err;
	struct loom_link link = {.from = node, .kind = LOOM_LINK_NODE, .to_node = 4711};
	int64_t made = 0;
	bool changed = false;
	int64_t gone = grove_node(&g, root, "gone");

	undo(0);
	grove_begin(&g, "marks");
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_bookmark_set(g.store, gone, true, LOOM_STR("x"), &changed, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_exclude_set(g.store, 4711, true, &changed, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_tag_set(g.store, 4711, LOOM_STR("x"), true, &changed, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_link_create(g.store, &link, &made, &changed, &err));
	link.to_node = gone;
	STATUS_IS(LOOM_NOT_FOUND, loom_link_create(g.store, &link, &made, &changed, &err));
	link = (struct loom_link){.from = gone, .kind = LOOM_LINK_NODE, .to_node = node};
	STATUS_IS(LOOM_NOT_FOUND, loom_link_create(g.store, &link, &made, &changed, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_link_remove(g.store, 4711, &err));
	loom_op_rollback(g.store);
	PASS();
}

TEST what_is_no_text_is_no_mark(void)
{
	struct loom_err err;
	bool changed = false;
	struct loom_buf longest = LOOM_BUF_INIT(1024);

	loom_buf_add_repeat(&longest, 'x', 201);
	grove_begin(&g, "marks");
	STATUS_IS(LOOM_INVALID,
		  loom_bookmark_set(g.store, node, true, LOOM_STR("\xff"), &changed, &err));
	STATUS_IS(LOOM_INVALID,
		  loom_bookmark_set(g.store, node, true, LOOM_STR("a\0b"), &changed, &err));
	STATUS_IS(LOOM_INVALID,
		  loom_tag_set(g.store, node, LOOM_STR("\xed\xa0\x80"), true, &changed, &err));
	STATUS_IS(LOOM_SYNTAX, loom_tag_set(g.store, node, LOOM_STR(""), true, &changed, &err));
	STATUS_IS(LOOM_LIMIT,
		  loom_tag_set(g.store, node, loom_buf_str(&longest), true, &changed, &err));
	STATUS_IS(LOOM_INVALID, loom_summary_keep(g.store, LOOM_JOB_NODE, node,
						  LOOM_STR("\xc0\x80"), false, &err));
	ASSERT_EQ(0, grove_commit(&g));
	loom_buf_fini(&longest);
	PASS();
}

/* --- tags --- */

TEST tags_are_listed_with_how_many_carry_them(void)
{
	struct loom_err err;
	struct loom_tag *tags = NULL;
	size_t count = 0;
	int64_t other = grove_node(&g, root, "other");

	tag(node, "b", true);
	tag(other, "b", true);
	tag(other, "a", true);
	tag(node, "c", true);
	tag(node, "c", false);
	OK(loom_tag_list(g.store, g.arena, &tags, &count, &err));
	ASSERT_EQ(2, count);
	ASSERT(loom_str_is(tags[0].name, "a"));
	ASSERT_EQ(1, tags[0].nodes);
	ASSERT(loom_str_is(tags[1].name, "b"));
	ASSERT_EQ(2, tags[1].nodes);
	ASSERT_EQ(1, tags_of(node));
	PASS();
}

TEST tagged_nodes_come_in_pages_by_tree(void)
{
	struct loom_err err;
	struct loom_nodes page;
	int64_t second = grove_tree(&g, LOOM_BUFFER, "second");
	int64_t after = 0;
	size_t seen = 0;

	for (int i = 0; i < 10; i++)
		tag(grove_node(&g, root, "x"), "even", true);
	tag(grove_root(&g, second), "even", true);
	do {
		OK(loom_tag_nodes(g.store,
				  &(struct loom_tagged){.name = LOOM_STR("even"),
							.tree = tree,
							.after = after,
							.limit = 3},
				  g.arena, &page, &err));
		for (size_t i = 0; i < page.count; i++) {
			ASSERT(page.items[i].id > after);
			ASSERT_EQ(tree, page.items[i].tree);
			after = page.items[i].id;
		}
		seen += page.count;
	} while (page.count);
	ASSERT_EQ(10, seen);
	OK(loom_tag_nodes(g.store, &(struct loom_tagged){.name = LOOM_STR("even"), .limit = 100},
			  g.arena, &page, &err));
	ASSERT_EQ(11, page.count);
	OK(loom_tag_nodes(g.store, &(struct loom_tagged){.name = LOOM_STR("odd"), .limit = 100},
			  g.arena, &page, &err));
	ASSERT_EQ(0, page.count);
	PASS();
}

TEST bookmarks_come_in_pages_by_tree(void)
{
	struct loom_err err;
	struct loom_nodes page;
	int64_t second = grove_tree(&g, LOOM_BUFFER, "second");
	int64_t op;

	bookmark(grove_root(&g, second), true, "there");
	bookmark(node, true, "here");
	op = bookmark(root, true, "top");
	OK(loom_tag_nodes(g.store, &(struct loom_tagged){.tree = tree, .limit = 10}, g.arena, &page,
			  &err));
	ASSERT_EQ(2, page.count);
	ASSERT_EQ(root, page.items[0].id);
	ASSERT(loom_str_is(page.items[0].label, "top"));
	OK(loom_tag_nodes(g.store, &(struct loom_tagged){.tree = tree, .after = root, .limit = 10},
			  g.arena, &page, &err));
	ASSERT_EQ(1, page.count);
	OK(loom_tag_nodes(g.store, &(struct loom_tagged){.limit = 10}, g.arena, &page, &err));
	ASSERT_EQ(3, page.count);
	undo(op);
	OK(loom_tag_nodes(g.store, &(struct loom_tagged){.tree = tree, .limit = 10}, g.arena, &page,
			  &err));
	ASSERT_EQ(1, page.count);
	PASS();
}

TEST a_tag_keeps_its_bytes(void)
{
	struct loom_err err;
	struct loom_str *names = NULL;
	size_t count = 0;
	static const char odd[] = " Größe \xE2\x80\xAE\t'; DROP TABLE tag; -- ";

	bring_tag(node, odd);
	OK(loom_tag_of(g.store, node, g.arena, &names, &count, &err));
	ASSERT_EQ(1, count);
	ASSERT(loom_str_is(names[0], odd));
	PASS();
}

/* --- links --- */

TEST a_link_is_seen_from_both_ends_and_made_once(void)
{
	struct loom_link spec = {.from = node,
				 .kind = LOOM_LINK_NODE,
				 .to_node = root,
				 .note = LOOM_STR_INIT("see"),
				 .author = 1};
	bool changed = false;
	int64_t made = link_to(&spec, &changed);

	ASSERT(made > 0 && changed);
	ASSERT_EQ(made, link_to(&spec, &changed));
	ASSERT_FALSE(changed);
	ASSERT_EQ(1, links_at(LOOM_LINK_NODE, node));
	ASSERT_EQ(1, links_at(LOOM_LINK_NODE, root));
	spec.from = root;
	spec.to_node = node;
	ASSERT_EQ(made, link_to(&spec, &changed));
	ASSERT_FALSE(changed);
	spec.note = LOOM_STR("another");
	ASSERT(made != link_to(&spec, &changed));
	ASSERT(changed);
	ASSERT_EQ(2, links_at(LOOM_LINK_NODE, node));
	PASS();
}

TEST a_link_to_itself_is_seen_once(void)
{
	struct loom_link spec = {.from = node, .kind = LOOM_LINK_NODE, .to_node = node};
	bool changed = false;

	link_to(&spec, &changed);
	ASSERT_EQ(1, links_at(LOOM_LINK_NODE, node));
	PASS();
}

TEST a_link_to_a_document_holds_the_document(void)
{
	struct loom_err err;
	struct loom_link spec = {.from = node,
				 .kind = LOOM_LINK_DOC,
				 .section = LOOM_STR_INIT("Part")};
	int64_t doc = 0;
	int64_t made_doc;
	bool changed = false;

	grove_begin(&g, "doc");
	OK(loom_doc_create(g.store, LOOM_STR("notes"), LOOM_STR("# Part\n"), g.owner, &doc, &err));
	made_doc = grove_commit(&g);
	spec.to_doc = doc;
	link_to(&spec, &changed);
	ASSERT_EQ(1, links_at(LOOM_LINK_DOC, doc));
	ASSERT_EQ(1, links_at(LOOM_LINK_NODE, node));
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, made_doc, NULL, &err));
	PASS();
}

TEST a_link_to_a_tree_as_a_whole_is_seen_from_the_tree(void)
{
	int64_t other = grove_tree(&g, LOOM_BUFFER, "other");
	struct loom_link spec = {.from = node, .kind = LOOM_LINK_TREE, .to_tree = other};
	bool changed = false;

	link_to(&spec, &changed);
	ASSERT_EQ(1, links_at(LOOM_LINK_TREE, other));
	ASSERT_EQ(1, links_at(LOOM_LINK_NODE, grove_root(&g, other)));
	ASSERT_EQ(0, links_at(LOOM_LINK_TREE, tree));
	PASS();
}

TEST a_removed_link_is_gone_until_that_is_undone(void)
{
	struct loom_err err;
	struct loom_link spec = {.from = node, .kind = LOOM_LINK_NODE, .to_node = root};
	bool changed = false;
	int64_t made = link_to(&spec, &changed);

	grove_begin(&g, "unlink");
	OK(loom_link_remove(g.store, made, &err));
	grove_commit(&g);
	ASSERT_EQ(0, links_at(LOOM_LINK_NODE, node));
	grove_begin(&g, "unlink");
	STATUS_IS(LOOM_NOT_FOUND, loom_link_remove(g.store, made, &err));
	loom_op_rollback(g.store);
	undo(0);
	ASSERT_EQ(1, links_at(LOOM_LINK_NODE, node));
	redo();
	ASSERT_EQ(0, links_at(LOOM_LINK_NODE, node));
	/* one that is gone can be made anew */
	ASSERT(link_to(&spec, &changed));
	ASSERT(changed);
	ASSERT_EQ(1, links_at(LOOM_LINK_NODE, node));
	PASS();
}

/* --- all together --- */

/* What the marks of all nodes are, as text. */
static void snapshot(struct loom_buf *out)
{
	loom_buf_clear(out);
	for (int64_t id = root; id < root + 6; id++) {
		struct loom_node row = grove_get(&g, id);

		loom_buf_addf(out, "%lld %d%d%d%d [%.*s] [%.*s] %zu tags\n", (long long)id,
			      row.bookmarked, row.excluded, row.pruned, row.summary_extract,
			      LOOM_STR_ARG(row.label), LOOM_STR_ARG(row.summary), tags_of(id));
	}
}

static int64_t random_mark(struct prop *prop)
{
	int64_t which = root + (int64_t)prop_below(prop, 6);
	const char *word = (const char *[]){"a", "b", ""}[prop_below(prop, 3)];
	bool on = prop_once_in(prop, 2);

	switch (prop_below(prop, 3)) {
	case 0:
		return bookmark(which, on, word);
	case 1:
		return exclude(which, on);
	default:
		return tag(which, word[0] ? word : "c", on);
	}
}

TEST undoing_random_marks_backwards_leads_back_step_by_step(void)
{
	enum { STEPS = 60 };
	struct prop prop;
	struct loom_buf states[STEPS + 1];
	struct loom_buf now = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t count = 0;

	prop_init(&prop, "marks");
	for (int i = 0; i < 4; i++)
		grove_node(&g, node, "more");
	for (size_t i = 0; i <= STEPS; i++)
		loom_buf_init(&states[i], LOOM_BUF_MAX);
	snapshot(&states[0]);
	while (count < STEPS)
		if (random_mark(&prop))
			snapshot(&states[++count]);
	for (size_t i = STEPS; i > 0; i--) {
		undo(0);
		snapshot(&now);
		ASSERT_STR_EQ(loom_buf_cstr(&states[i - 1]), loom_buf_cstr(&now));
	}
	for (size_t i = 1; i <= STEPS; i++) {
		redo();
		snapshot(&now);
		ASSERT_STR_EQ(loom_buf_cstr(&states[i]), loom_buf_cstr(&now));
	}
	for (size_t i = 0; i <= STEPS; i++)
		loom_buf_fini(&states[i]);
	loom_buf_fini(&now);
	PASS();
}

SUITE(mark)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(asking_for_what_is_so_already_makes_no_operation);
	RUN_TEST(marks_of_different_kinds_do_not_disturb_each_other);
	RUN_TEST(a_mark_that_was_changed_again_is_not_undone_below);
	RUN_TEST(a_models_summary_takes_the_place_of_an_extract);
	RUN_TEST(a_mark_holds_its_nodes_operation);
	RUN_TEST(nothing_is_marked_that_is_not_there);
	RUN_TEST(what_is_no_text_is_no_mark);
	RUN_TEST(tags_are_listed_with_how_many_carry_them);
	RUN_TEST(tagged_nodes_come_in_pages_by_tree);
	RUN_TEST(bookmarks_come_in_pages_by_tree);
	RUN_TEST(a_tag_keeps_its_bytes);
	RUN_TEST(a_link_is_seen_from_both_ends_and_made_once);
	RUN_TEST(a_link_to_itself_is_seen_once);
	RUN_TEST(a_link_to_a_document_holds_the_document);
	RUN_TEST(a_link_to_a_tree_as_a_whole_is_seen_from_the_tree);
	RUN_TEST(a_removed_link_is_gone_until_that_is_undone);
	RUN_TEST(undoing_random_marks_backwards_leads_back_step_by_step);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(mark);
	GREATEST_MAIN_END();
}
