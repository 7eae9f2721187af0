/* Pins and stashes: a thread's own, journalled, and never beneath what is undone. */
#include <greatest.h>

#include <loom/tree/document.h>
#include <loom/work/memory.h>

#include "support/grove.h"
#include "support/ok.h"
#include "support/raw.h"

static struct grove g;
static int64_t node;
static int64_t thread;
static int64_t other;

static int64_t ensure(int64_t agent, int64_t tree)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_thread row;

	grove_must(loom_quiet_begin(g.store, &err), &err, "begin");
	grove_must(loom_thread_ensure(g.store, agent, tree, g.arena, &row, &err), &err, "thread");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "end");
	return row.id;
}

static void set_up(void *unused)
{
	int64_t tree;

	(void)unused;
	grove_init(&g);
	tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	node = grove_node(&g, grove_root(&g, tree), "node");
	thread = ensure(g.owner, tree);
	other = ensure(g.model, tree);
}

static void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

/* One operation; 0 when nothing was changed. */
static int64_t pin(int64_t which, const struct loom_pin *spec, bool on)
{
	struct loom_err err = {.status = LOOM_OK};
	bool changed = false;
	int64_t op;

	grove_begin(&g, "pin");
	grove_must(loom_pin_set(g.store, which, spec, on, &changed, &err), &err, "pin");
	op = grove_commit(&g);
	if (changed != (op != 0))
		exit(98);
	return op;
}

static size_t pins(int64_t which, struct loom_pin **out)
{
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	grove_must(loom_pin_list(g.store, which, g.arena, out, &count, &err), &err, "pins");
	return count;
}

static enum loom_status try_stash(const char *label, const char *text, struct loom_err *err)
{
	struct loom_stash spec = {.label = loom_str_of(label), .text = loom_str_of(text)};

	grove_begin(&g, "stash");
	return loom_op_end(g.store, loom_stash_create(g.store, thread, &spec, err), NULL, err);
}

static struct loom_stash find(const char *label)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_stash out;

	grove_must(loom_stash_find(g.store, thread, loom_str_of(label), g.arena, &out, &err), &err,
		   "find");
	return out;
}

static size_t stashes(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_stash *list = NULL;
	size_t count = 0;

	grove_must(loom_stash_list(g.store, thread, g.arena, &list, &count, &err), &err, "list");
	return count;
}

static void drop(const char *label)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_stash stash = find(label);

	grove_begin(&g, "drop");
	grove_must(loom_stash_drop(g.store, stash.id, &err), &err, "drop");
	grove_commit(&g);
}

TEST a_pin_is_set_once_and_belongs_to_its_thread(void)
{
	struct loom_pin spec = {.kind = LOOM_PIN_NODE, .node = node};
	struct loom_pin *list = NULL;

	ASSERT(pin(thread, &spec, true));
	ASSERT_EQ(0, pin(thread, &spec, true));
	ASSERT_EQ(1, pins(thread, &list));
	ASSERT_EQ(node, list[0].node);
	ASSERT_EQ(0, pins(other, &list));
	ASSERT(pin(thread, &spec, false));
	ASSERT_EQ(0, pin(thread, &spec, false));
	ASSERT_EQ(0, pins(thread, &list));
	PASS();
}

TEST pins_of_all_kinds_stand_in_the_order_they_were_set(void)
{
	struct loom_err err;
	struct loom_pin specs[] = {
		{.kind = LOOM_PIN_RESULT,
		 .result = LOOM_STR_INIT("res-4"),
		 .text = LOOM_STR_INIT("what\0it said")},
		{.kind = LOOM_PIN_NODE, .node = node},
		{.kind = LOOM_PIN_DOC, .section = LOOM_STR_INIT("Part")},
		{.kind = LOOM_PIN_DOC},
	};
	struct loom_pin *list = NULL;
	int64_t doc = 0;

	grove_begin(&g, "doc");
	OK(loom_doc_create(g.store, LOOM_STR("plan"), LOOM_STR(""), g.owner, &doc, &err));
	grove_commit(&g);
	specs[2].doc = specs[3].doc = doc;
	for (size_t i = 0; i < LOOM_COUNT(specs); i++)
		ASSERT(pin(thread, &specs[i], true));
	ASSERT_EQ(LOOM_COUNT(specs), pins(thread, &list));
	for (size_t i = 0; i < LOOM_COUNT(specs); i++)
		ASSERT_EQ(specs[i].kind, list[i].kind);
	ASSERT(loom_str_eq(list[0].text, specs[0].text));
	ASSERT(loom_str_is(list[2].section, "Part"));
	/* a section's pin is not the document's */
	ASSERT(pin(thread, &specs[3], false));
	ASSERT_EQ(3, pins(thread, &list));
	PASS();
}

TEST pins_are_undone_and_hold_what_is_pinned(void)
{
	struct loom_err err;
	struct loom_pin spec = {.kind = LOOM_PIN_NODE, .node = node};
	struct loom_pin *list = NULL;
	int64_t made_by = grove_get(&g, node).op;
	int64_t op = pin(thread, &spec, true);

	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, made_by, NULL, &err));
	OK(loom_op_undo(g.store, g.owner, op, NULL, &err));
	ASSERT_EQ(0, pins(thread, &list));
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT_EQ(1, pins(thread, &list));
	PASS();
}

TEST what_is_not_there_is_not_pinned(void)
{
	struct loom_err err;
	struct loom_pin spec = {.kind = LOOM_PIN_NODE, .node = 4711};
	bool changed = false;
	int64_t gone = grove_node(&g, node, "gone");

	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	grove_begin(&g, "pin");
	STATUS_IS(LOOM_NOT_FOUND, loom_pin_set(g.store, thread, &spec, true, &changed, &err));
	spec.node = gone;
	STATUS_IS(LOOM_NOT_FOUND, loom_pin_set(g.store, thread, &spec, true, &changed, &err));
	spec = (struct loom_pin){.kind = LOOM_PIN_DOC, .doc = 4711};
	STATUS_IS(LOOM_NOT_FOUND, loom_pin_set(g.store, thread, &spec, true, &changed, &err));
	loom_op_rollback(g.store);
	PASS();
}

/* --- stashes --- */

TEST a_stash_is_found_by_its_label_and_taken_once(void)
{
	struct loom_err err;
	struct loom_stash found;

	OK(try_stash("ideas", "first", &err));
	STATUS_IS(LOOM_CONFLICT, try_stash("ideas", "second", &err));
	ASSERT(strstr(err.hint, "drop stash:\"ideas\""));
	OK(try_stash("Ideas", "another case is another label", &err));
	found = find("ideas");
	ASSERT(loom_str_is(found.text, "first"));
	ASSERT_FALSE(found.recalled);
	ASSERT_EQ(2, stashes());
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_stash_find(g.store, other, LOOM_STR("ideas"), g.arena, &found, &err));
	STATUS_IS(LOOM_INVALID, try_stash("\xff", "x", &err));
	PASS();
}

TEST a_dropped_label_is_free_and_does_not_come_back_twice(void)
{
	struct loom_err err;

	OK(try_stash("ideas", "first", &err));
	drop("ideas");
	ASSERT_EQ(0, stashes());
	OK(try_stash("ideas", "second", &err));
	ASSERT(loom_str_is(find("ideas").text, "second"));
	/* the drop cannot be taken back beside it */
	STATUS_IS(LOOM_CONFLICT,
		  loom_op_undo(g.store, g.owner,
			       raw_int(&g, "SELECT max(id) FROM op WHERE kind = 'drop'"), NULL,
			       &err));
	ASSERT_EQ(1, stashes());
	drop("ideas");
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT(loom_str_is(find("ideas").text, "second"));
	PASS();
}

TEST recalling_is_journalled_and_asked_twice_done_once(void)
{
	struct loom_err err;
	bool changed = false;
	int64_t id;

	OK(try_stash("ideas", "first", &err));
	id = find("ideas").id;
	grove_begin(&g, "recall");
	OK(loom_stash_recall(g.store, id, true, &changed, &err));
	ASSERT(changed);
	ASSERT(grove_commit(&g));
	ASSERT(find("ideas").recalled);
	grove_begin(&g, "recall");
	OK(loom_stash_recall(g.store, id, true, &changed, &err));
	ASSERT_FALSE(changed);
	ASSERT_EQ(0, grove_commit(&g));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_FALSE(find("ideas").recalled);
	PASS();
}

TEST undoing_a_stash_takes_it_away_and_redo_brings_it_back(void)
{
	struct loom_err err;
	struct loom_stash found;

	OK(try_stash("ideas", "first", &err));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_stash_find(g.store, thread, LOOM_STR("ideas"), g.arena, &found, &err));
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT(loom_str_is(find("ideas").text, "first"));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	OK(try_stash("ideas", "second", &err));
	PASS();
}

TEST what_was_recalled_is_dropped_and_undone_as_it_was(void)
{
	struct loom_err err;
	bool changed = false;

	OK(try_stash("ideas", "first", &err));
	grove_begin(&g, "recall");
	OK(loom_stash_recall(g.store, find("ideas").id, true, &changed, &err));
	grove_commit(&g);
	drop("ideas");
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT(find("ideas").recalled);
	PASS();
}

TEST text_is_kept_byte_for_byte(void)
{
	struct loom_err err;
	struct loom_stash spec = {.label = LOOM_STR_INIT("odd"),
				  .text = LOOM_STR_INIT(" a\0b\r\n\xE2\x80\xAE "),
				  .summary = true};

	grove_begin(&g, "stash");
	OK(loom_stash_create(g.store, thread, &spec, &err));
	grove_commit(&g);
	ASSERT(loom_str_eq(find("odd").text, spec.text));
	ASSERT(find("odd").summary);
	PASS();
}

SUITE(memory)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_pin_is_set_once_and_belongs_to_its_thread);
	RUN_TEST(pins_of_all_kinds_stand_in_the_order_they_were_set);
	RUN_TEST(pins_are_undone_and_hold_what_is_pinned);
	RUN_TEST(what_is_not_there_is_not_pinned);
	RUN_TEST(a_stash_is_found_by_its_label_and_taken_once);
	RUN_TEST(a_dropped_label_is_free_and_does_not_come_back_twice);
	RUN_TEST(recalling_is_journalled_and_asked_twice_done_once);
	RUN_TEST(undoing_a_stash_takes_it_away_and_redo_brings_it_back);
	RUN_TEST(what_was_recalled_is_dropped_and_undone_as_it_was);
	RUN_TEST(text_is_kept_byte_for_byte);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(memory);
	GREATEST_MAIN_END();
}
