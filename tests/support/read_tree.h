/* A small random tree with edits, moves, choices, prunes and marks anywhere, at its roots too, and
 * what the screen's reader reads in it: the text of each path to a leaf, found by moving through
 * the tree. For laws about whatever puts the text of a tree somewhere else. */
#ifndef LOOM_TESTS_SUPPORT_READ_TREE_H
#define LOOM_TESTS_SUPPORT_READ_TREE_H

#include <loom/tree/mark.h>
#include <loom/tree/op.h>
#include <loom/work/thread.h>

#include "support/grove.h"
#include "support/prop.h"

enum { READ_NODES = 64, READ_STEPS = 24 };

struct read_tree {
	struct grove *grove;
	struct prop prop;
	enum loom_mode mode;
	int64_t tree;
	int64_t thread;
	int64_t nodes[READ_NODES];
	size_t count;
	int words; /* said so far: no two nodes say the same */
	int64_t tips[READ_NODES];
	size_t tip_count;
};

static inline struct loom_str read_word(struct read_tree *t)
{
	static const char *const before[] = {"", " ", "", " ", ""};
	static const char *const behind[] = {"", "", " ", ", and on.", "\nw"};
	const size_t form = prop_below(&t->prop, LOOM_COUNT(before));

	if (prop_once_in(&t->prop, 12))
		return LOOM_STR("");
	return loom_arena_format(t->grove->arena, "%sw%d%s", before[form], ++t->words,
				 behind[form]);
}

static inline int64_t read_any(struct read_tree *t)
{
	return t->nodes[prop_below(&t->prop, t->count)];
}

static inline void read_write(struct read_tree *t, bool edit)
{
	struct loom_node_spec spec = {.tree = t->tree,
				      .from = edit || !prop_once_in(&t->prop, 20) ? read_any(t) : 0,
				      .author = prop_once_in(&t->prop, 3) ? t->grove->model
									  : t->grove->owner,
				      .seq = -1};
	struct loom_err err;
	int64_t node = 0;
	enum loom_status status;

	spec.text = read_word(t);
	grove_begin(t->grove, edit ? "edit" : "respond");
	status = edit ? loom_node_edit(t->grove->store, &spec,
				       (enum loom_edit_as)prop_below(&t->prop, 3), &node, &err)
		      : loom_node_create(t->grove->store, &spec, &node, &err);
	if (loom_op_end(t->grove->store, status, NULL, &err) == LOOM_OK && t->count < READ_NODES)
		t->nodes[t->count++] = node;
}

static inline void read_choose(struct read_tree *t)
{
	struct loom_err err;
	const struct loom_node node = grove_get(t->grove, read_any(t));

	grove_must(loom_quiet_begin(t->grove->store, &err), &err, "choose");
	grove_must(loom_quiet_end(t->grove->store,
				  loom_thread_choose(t->grove->store, t->thread, node.group,
						     prop_once_in(&t->prop, 4) ? 0 : node.id, &err),
				  &err),
		   &err, "choose");
}

static inline void read_mark(struct read_tree *t)
{
	struct loom_store *store = t->grove->store;
	const int64_t node = read_any(t);
	struct loom_err err;
	enum loom_status status = LOOM_OK;
	int64_t below = 0;
	bool changed = false;

	grove_begin(t->grove, "mark");
	switch (prop_below(&t->prop, 5)) {
	case 0:
		status = loom_node_prune(store, node, &below, &changed, &err);
		break;
	case 1:
		status = loom_exclude_set(store, node, true, &changed, &err);
		break;
	case 2:
		status = loom_tag_set(store, node, LOOM_STR("t"), true, &changed, &err);
		break;
	case 3:
		status = loom_bookmark_set(store, node, true, LOOM_STR("b"), &changed, &err);
		break;
	default:
		status = loom_node_create(store,
					  &(struct loom_node_spec){.from = node,
								   .kind = LOOM_ANNOTATION,
								   .text = LOOM_STR("beside"),
								   .author = t->grove->owner,
								   .seq = -1},
					  &below, &err);
	}
	(void)!loom_op_end(store, status, NULL, &err);
}

/* As one moves through it: from each group to its children, with the versions that stand there. */
static inline void read_tips(struct read_tree *t)
{
	struct loom_node pending[READ_NODES * 2];
	size_t count = 0;
	int64_t group = loom_top(t->tree);

	t->tip_count = 0;
	for (struct loom_node at = {.id = 0};; at = pending[--count], group = at.group) {
		struct loom_page page = {.thread = t->thread, .limit = READ_NODES};
		struct loom_nodes below;
		struct loom_err err;

		grove_must(loom_node_children(t->grove->store, group, &page, t->grove->arena,
					      &below, &err),
			   &err, "children");
		for (size_t i = below.count; i-- > 0;)
			pending[count++] = below.items[i];
		if (!below.count)
			t->tips[t->tip_count++] = at.id;
		if (!count)
			return;
	}
}

/* Hangs a branch elsewhere: below another node, or at the top. */
static inline void read_move(struct read_tree *t)
{
	const struct loom_hang where = {.node = read_any(t),
					.below = prop_once_in(&t->prop, 4) ? 0 : read_any(t)};
	struct loom_err err;
	bool changed = false;

	grove_begin(t->grove, "move");
	(void)!loom_op_end(t->grove->store, loom_node_hang(t->grove->store, &where, &changed, &err),
			   NULL, &err);
}

static inline void read_tree_grow(struct read_tree *t, struct grove *grove, uint64_t seed)
{
	struct loom_thread thread;
	struct loom_err err;

	*t = (struct read_tree){.grove = grove};
	prop_init_seed(&t->prop, seed);
	t->mode = prop_once_in(&t->prop, 2) ? LOOM_BUFFER : LOOM_DIALOGUE;
	t->tree = grove_tree(grove, t->mode, prop_once_in(&t->prop, 3) ? "" : "Root.");
	t->nodes[t->count++] = grove_root(grove, t->tree);
	grove_must(loom_quiet_begin(grove->store, &err), &err, "thread");
	grove_must(loom_quiet_end(grove->store,
				  loom_thread_ensure(grove->store, grove->owner, t->tree,
						     grove->arena, &thread, &err),
				  &err),
		   &err, "thread");
	t->thread = thread.id;
	for (size_t i = prop_below(&t->prop, READ_STEPS) + 1; i > 0; i--) {
		const size_t what = prop_below(&t->prop, 10);

		if (what < 5)
			read_write(t, false);
		else if (what < 7)
			read_write(t, true);
		else if (what < 8)
			read_choose(t);
		else if (prop_once_in(&t->prop, 4))
			read_move(t);
		else
			read_mark(t);
	}
	read_tips(t);
}

/* What the screen says of the way to a node, passage by passage; empty ones say nothing. */
struct read_way {
	struct loom_str items[READ_NODES];
	size_t count;
};
static inline struct read_way read_way_to(const struct read_tree *t, int64_t tip, bool excluded_too)
{
	struct read_way way = {.count = 0};
	struct loom_nodes path;
	struct loom_err err;

	grove_must(loom_node_path(t->grove->store, tip, t->thread, LOOM_NODE_TEXT | LOOM_NODE_MARKS,
				  t->grove->arena, &path, &err),
		   &err, "path");
	for (size_t i = 0; i < path.count; i++)
		if (path.items[i].text.n && (excluded_too || !path.items[i].excluded))
			way.items[way.count++] = path.items[i].text;
	return way;
}

/* With `between` them. */
static inline struct loom_str read_joined(const struct read_tree *t, const struct read_way *way,
					  const char *between)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str joined;

	for (size_t i = 0; i < way->count; i++) {
		loom_buf_adds(&buf, i ? between : "");
		loom_buf_add(&buf, way->items[i]);
	}
	joined = loom_arena_buf(t->grove->arena, &buf);
	loom_buf_fini(&buf);
	return joined;
}

#endif
