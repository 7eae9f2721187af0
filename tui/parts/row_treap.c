/* An implicit treap with parent links, over a pool of nodes addressed by index.
 *
 * Invariants: rows(n) = weight(n) + rows(left) + rows(right); a parent's priority is not below its
 * children's; the root of a folded range has its fold's item as `owner` and no parent. `deep` is
 * the least depth in a node's subtree, so the end of "everything deeper" is found by descent. */
#include <loom/parts/row_treap.h>

struct node {
	struct tui_item item;
	uint64_t rows;
	uint32_t left, right, parent;
	uint32_t priority;
	uint32_t owner;  /* of a folded range's root: the item that folds it */
	uint32_t folded; /* the root of the range folded under this item */
	uint32_t bucket; /* the next with the same hash, or the next free one */
	uint32_t shallow;
	bool used;
};

struct tui_items {
	struct node *nodes; /* nodes[0] is the empty tree: no rows, nothing shallow */
	uint32_t *buckets;
	uint32_t bucket_count;
	uint32_t cap, filled, free;
	uint32_t root;
	size_t count;
	uint64_t seed;
};

#define NOTHING_SHALLOW UINT32_MAX

static struct node *at(const struct tui_items *items, uint32_t handle)
{
	LOOM_ASSERT(handle < items->filled);
	return &items->nodes[handle];
}

/* The invariant that one node violates, or NULL. */
static const char *node_fault(const struct tui_items *items, uint32_t n)
{
	const struct node *node = at(items, n);
	const struct node *left = at(items, node->left);
	const struct node *right = at(items, node->right);

	if (node->rows != node->item.weight + left->rows + right->rows)
		return "rows do not add up";
	if ((node->left && left->parent != n) || (node->right && right->parent != n))
		return "a child does not know its parent";
	if ((node->left && left->priority > node->priority) ||
	    (node->right && right->priority > node->priority))
		return "priorities are out of order";
	if (node->folded && at(items, node->folded)->owner != n)
		return "a fold does not know its owner";
	return NULL;
}

static uint32_t draw(struct tui_items *items)
{
	items->seed ^= items->seed << 13;
	items->seed ^= items->seed >> 7;
	items->seed ^= items->seed << 17;
	return (uint32_t)(items->seed >> 32);
}

/* --- the treap --- */

static void pull(struct tui_items *items, uint32_t n)
{
	struct node *node = at(items, n);
	const struct node *left = at(items, node->left);
	const struct node *right = at(items, node->right);

	node->rows = node->item.weight + left->rows + right->rows;
	node->shallow = node->item.depth;
	if (left->shallow < node->shallow)
		node->shallow = left->shallow;
	if (right->shallow < node->shallow)
		node->shallow = right->shallow;
}

static void pull_up(struct tui_items *items, uint32_t n)
{
	for (; n != 0; n = at(items, n)->parent)
		pull(items, n);
}

static void set_left(struct tui_items *items, uint32_t n, uint32_t child)
{
	at(items, n)->left = child;
	if (child)
		at(items, child)->parent = n;
}

static void set_right(struct tui_items *items, uint32_t n, uint32_t child)
{
	at(items, n)->right = child;
	if (child)
		at(items, child)->parent = n;
}

/* Joins two trees, all of `a` before all of `b`, walking down one path. */
static uint32_t join(struct tui_items *items, uint32_t a, uint32_t b)
{
	uint32_t root = 0;
	uint32_t last = 0;
	bool to_right = false;

	while (a != 0 && b != 0) {
		bool from_a = at(items, a)->priority >= at(items, b)->priority;
		uint32_t top = from_a ? a : b;
		if (last == 0)
			root = top;
		else if (to_right)
			set_right(items, last, top);
		else
			set_left(items, last, top);
		last = top;
		to_right = from_a;
		if (from_a)
			a = at(items, a)->right;
		else
			b = at(items, b)->left;
	}
	if (last == 0)
		return a ? a : b;
	if (to_right)
		set_right(items, last, a ? a : b);
	else
		set_left(items, last, a ? a : b);
	pull_up(items, last);
	return root;
}

static void orphan(struct tui_items *items, uint32_t n)
{
	if (n)
		at(items, n)->parent = 0;
}

/* Splits the tree of `n` after `n`: *first ends with it, *rest is what follows. The owner of the
 * tree is lost; callers set it again. */
static void cut_behind(struct tui_items *items, uint32_t n, uint32_t *first, uint32_t *rest)
{
	uint32_t left = n;
	uint32_t right = at(items, n)->right;
	uint32_t child = n;
	uint32_t up = at(items, n)->parent;

	LOOM_ASSERT(n != 0);
	orphan(items, right);
	at(items, n)->right = 0;
	pull(items, n);
	orphan(items, left);
	while (up != 0) {
		uint32_t above = at(items, up)->parent;
		bool was_left = at(items, up)->left == child;
		child = up;
		if (was_left) {
			set_left(items, up, right);
			right = up;
		} else {
			set_right(items, up, left);
			left = up;
		}
		pull(items, up);
		orphan(items, up);
		up = above;
	}
	*first = left;
	*rest = right;
}

static uint32_t tree_root(const struct tui_items *items, uint32_t n)
{
	while (at(items, n)->parent != 0)
		n = at(items, n)->parent;
	return n;
}

static uint32_t leftmost(const struct tui_items *items, uint32_t n)
{
	while (n != 0 && at(items, n)->left != 0)
		n = at(items, n)->left;
	return n;
}

static uint32_t rightmost(const struct tui_items *items, uint32_t n)
{
	while (n != 0 && at(items, n)->right != 0)
		n = at(items, n)->right;
	return n;
}

uint32_t tui_items_next(const struct tui_items *items, uint32_t n)
{
	if (at(items, n)->right != 0)
		return leftmost(items, at(items, n)->right);
	while (at(items, n)->parent != 0 && at(items, at(items, n)->parent)->right == n)
		n = at(items, n)->parent;
	return at(items, n)->parent;
}

uint32_t tui_items_prev(const struct tui_items *items, uint32_t n)
{
	if (at(items, n)->left != 0)
		return rightmost(items, at(items, n)->left);
	while (at(items, n)->parent != 0 && at(items, at(items, n)->parent)->left == n)
		n = at(items, n)->parent;
	return at(items, n)->parent;
}

/* Hands the tree `root` to its `owner`: the rows themselves, or an item's fold. */
static void give(struct tui_items *items, uint32_t owner, uint32_t root)
{
	LOOM_ASSERT(!root || at(items, root)->used);
	if (owner)
		at(items, owner)->folded = root;
	else
		items->root = root;
	if (root) {
		at(items, root)->parent = 0;
		at(items, root)->owner = owner;
	}
}

/* The first in order below `n` with a depth not above `depth`, or 0. */
static uint32_t first_shallow(const struct tui_items *items, uint32_t n, uint32_t depth)
{
	while (n != 0) {
		const struct node *node = at(items, n);
		if (node->shallow > depth)
			return 0;
		if (at(items, node->left)->shallow <= depth)
			n = node->left;
		else if (node->item.depth <= depth)
			return n;
		else
			n = node->right;
	}
	return 0;
}

uint32_t tui_items_after(const struct tui_items *items, uint32_t handle)
{
	uint32_t depth = at(items, handle)->item.depth;
	uint32_t found = first_shallow(items, at(items, handle)->right, depth);

	for (uint32_t n = handle; !found && at(items, n)->parent != 0; n = at(items, n)->parent) {
		uint32_t up = at(items, n)->parent;
		if (at(items, up)->left != n)
			continue;
		if (at(items, up)->item.depth <= depth)
			return up;
		found = first_shallow(items, at(items, up)->right, depth);
	}
	return found;
}

/* --- the pool and the keys --- */

static uint32_t *bucket_of(const struct tui_items *items, uint64_t key)
{
	uint64_t mixed = key * 0x9e3779b97f4a7c15U;

	LOOM_ASSERT((items->bucket_count & (items->bucket_count - 1)) == 0);
	return &items->buckets[(mixed >> 32) & (items->bucket_count - 1)];
}

static void key_add(struct tui_items *items, uint32_t n)
{
	uint32_t *bucket = bucket_of(items, at(items, n)->item.key);

	at(items, n)->bucket = *bucket;
	*bucket = n;
}

static void key_drop(struct tui_items *items, uint32_t n)
{
	uint32_t *link = bucket_of(items, at(items, n)->item.key);

	while (*link != n)
		link = &at(items, *link)->bucket;
	*link = at(items, n)->bucket;
}

static void rehash(struct tui_items *items, uint32_t bucket_count)
{
	free(items->buckets);
	items->buckets = loom_alloc(bucket_count * sizeof(*items->buckets));
	items->bucket_count = bucket_count;
	for (uint32_t n = 1; n < items->filled; n++) {
		if (at(items, n)->used)
			key_add(items, n);
	}
}

static uint32_t pool_take(struct tui_items *items)
{
	uint32_t n = items->free;

	if (n) {
		items->free = at(items, n)->bucket;
		return n;
	}
	if (items->filled == items->cap) {
		items->cap *= 2;
		items->nodes = loom_realloc(items->nodes, items->cap, sizeof(*items->nodes));
	}
	return items->filled++;
}

static uint32_t node_create(struct tui_items *items, struct tui_item item)
{
	uint32_t n = pool_take(items);

	*at(items, n) = (struct node){.item = item, .priority = draw(items), .used = true};
	pull(items, n);
	items->count++;
	if (items->count > items->bucket_count)
		rehash(items, items->bucket_count * 2);
	else
		key_add(items, n);
	return n;
}

static void node_free(struct tui_items *items, uint32_t n)
{
	LOOM_ASSERT(at(items, n)->used && items->count > 0);
	key_drop(items, n);
	*at(items, n) = (struct node){.bucket = items->free};
	items->free = n;
	items->count--;
}

/* Frees a whole tree and all folds in it without recursion: a node with two children or a fold has
 * them unlinked one by one. */
static void tree_free(struct tui_items *items, uint32_t root)
{
	uint32_t n = root;

	if (n)
		at(items, n)->parent = 0;
	while (n != 0) {
		struct node *node = at(items, n);
		uint32_t *down = node->left    ? &node->left
				 : node->right ? &node->right
					       : &node->folded;
		uint32_t child = *down;
		if (child) {
			*down = 0;
			at(items, child)->parent = n;
			n = child;
			continue;
		}
		child = node->parent;
		node_free(items, n);
		n = child;
	}
}

struct tui_items *tui_items_create(void)
{
	struct tui_items *items = loom_alloc(sizeof(*items));

	items->cap = 64;
	items->nodes = loom_realloc(NULL, items->cap, sizeof(*items->nodes));
	items->seed = 0x6c6f6f6d;
	tui_items_clear(items);
	return items;
}

void tui_items_destroy(struct tui_items *items)
{
	if (!items)
		return;
	free(items->nodes);
	free(items->buckets);
	free(items);
}

void tui_items_clear(struct tui_items *items)
{
	items->nodes[0] = (struct node){.shallow = NOTHING_SHALLOW};
	items->filled = 1;
	items->free = 0;
	items->root = 0;
	items->count = 0;
	rehash(items, 64);
}

/* --- what views call --- */

uint64_t tui_items_rows(const struct tui_items *items)
{
	return at(items, items->root)->rows;
}

size_t tui_items_count(const struct tui_items *items)
{
	return items->count;
}

const struct tui_item *tui_items_get(const struct tui_items *items, uint32_t handle)
{
	return &at(items, handle)->item;
}

uint32_t tui_items_find(const struct tui_items *items, uint64_t key)
{
	uint32_t n = *bucket_of(items, key);

	while (n != 0 && at(items, n)->item.key != key)
		n = at(items, n)->bucket;
	return n;
}

/* Inserts the single node `n` after `after` in its tree. */
static void link_behind(struct tui_items *items, uint32_t after, uint32_t n)
{
	uint32_t owner = at(items, tree_root(items, after))->owner;
	uint32_t first, rest;

	LOOM_ASSERT(after != 0 && n != 0);
	cut_behind(items, after, &first, &rest);
	give(items, owner, join(items, join(items, first, n), rest));
}

uint32_t tui_items_insert(struct tui_items *items, uint32_t after, struct tui_item item)
{
	uint32_t n = node_create(items, item);

	if (after == 0)
		give(items, 0, join(items, n, items->root));
	else if (at(items, after)->folded && item.depth > at(items, after)->item.depth)
		give(items, after, join(items, n, at(items, after)->folded));
	else
		link_behind(items, after, n);
	LOOM_ASSERT(!node_fault(items, n));
	return n;
}

/* Cuts [first, last] out of one tree and returns the root of the cut part. */
static uint32_t take_range(struct tui_items *items, uint32_t first, uint32_t last)
{
	uint32_t owner = at(items, tree_root(items, first))->owner;
	uint32_t before = tui_items_prev(items, first);
	uint32_t head = 0;
	uint32_t middle, tail;

	LOOM_ASSERT(first != 0 && last != 0);
	if (before)
		cut_behind(items, before, &head, &middle);
	cut_behind(items, last, &middle, &tail);
	give(items, owner, join(items, head, tail));
	return middle;
}

void tui_items_remove(struct tui_items *items, uint32_t handle)
{
	LOOM_ASSERT(at(items, handle)->used);
	tree_free(items, take_range(items, handle, handle));
}

/* The last item below `handle` in its tree, or 0. */
static uint32_t last_below(const struct tui_items *items, uint32_t handle)
{
	uint32_t after = tui_items_after(items, handle);
	uint32_t last =
		after ? tui_items_prev(items, after) : rightmost(items, tree_root(items, handle));

	return last == handle ? 0 : last;
}

void tui_items_set(struct tui_items *items, uint32_t handle, struct tui_item item)
{
	struct node *node = at(items, handle);

	LOOM_ASSERT(node->used);
	item.weight = node->item.weight;
	if (item.key != node->item.key) {
		key_drop(items, handle);
		node->item = item;
		key_add(items, handle);
	}
	node->item = item;
	pull_up(items, handle);
}

static void set_weight(struct tui_items *items, uint32_t handle, uint32_t weight)
{
	at(items, handle)->item.weight = weight;
	pull_up(items, handle);
}

uint32_t tui_items_at(const struct tui_items *items, uint64_t row, uint64_t *offset)
{
	uint32_t n = items->root;

	while (n != 0) {
		const struct node *node = at(items, n);
		uint64_t before = at(items, node->left)->rows;
		if (row < before) {
			n = node->left;
			continue;
		}
		row -= before;
		if (row < node->item.weight)
			break;
		row -= node->item.weight;
		n = node->right;
	}
	if (offset)
		*offset = n ? row : 0;
	return n;
}

/* The item itself, or the outermost item it is folded under. */
static uint32_t shown_for(const struct tui_items *items, uint32_t n)
{
	for (;;) {
		uint32_t owner = at(items, tree_root(items, n))->owner;
		if (!owner)
			return n;
		n = owner;
	}
}

uint64_t tui_items_row(const struct tui_items *items, uint32_t handle)
{
	uint32_t n = shown_for(items, handle);
	uint64_t row = at(items, at(items, n)->left)->rows;

	for (uint32_t up = at(items, n)->parent; up != 0; n = up, up = at(items, up)->parent) {
		if (at(items, up)->right == n)
			row += at(items, at(items, up)->left)->rows + at(items, up)->item.weight;
	}
	return row;
}

bool tui_items_shown(const struct tui_items *items, uint32_t handle)
{
	return at(items, tree_root(items, handle))->owner == 0;
}

void tui_items_fold(struct tui_items *items, uint32_t handle)
{
	uint32_t last = at(items, handle)->folded ? 0 : last_below(items, handle);

	if (last)
		give(items, handle, take_range(items, tui_items_next(items, handle), last));
}

void tui_items_unfold(struct tui_items *items, uint32_t handle)
{
	uint32_t range = at(items, handle)->folded;
	uint32_t owner = at(items, tree_root(items, handle))->owner;
	uint32_t first, rest;

	if (!range)
		return;
	at(items, handle)->folded = 0;
	at(items, range)->owner = 0;
	cut_behind(items, handle, &first, &rest);
	give(items, owner, join(items, join(items, first, range), rest));
	LOOM_ASSERT(!node_fault(items, handle));
}

bool tui_items_folded(const struct tui_items *items, uint32_t handle)
{
	return at(items, handle)->folded != 0;
}

uint64_t tui_items_hidden(const struct tui_items *items, uint32_t handle)
{
	return at(items, at(items, handle)->folded)->rows;
}

uint32_t tui_items_split(struct tui_items *items, uint32_t run, uint32_t from, uint32_t count)
{
	struct tui_item tail = at(items, run)->item;
	uint32_t before = run;

	LOOM_ASSERT(from + count <= tail.weight);
	if (from + count < tail.weight) {
		tail.weight -= from + count;
		tui_items_insert(items, run, tail);
	}
	set_weight(items, run, from);
	if (from == 0) {
		before = tui_items_prev(items, run);
		tui_items_remove(items, run);
	}
	return before;
}

/* --- for tests --- */

const char *tui_items_fault(const struct tui_items *items)
{
	for (uint32_t n = 1; n < items->filled; n++) {
		const char *fault = at(items, n)->used ? node_fault(items, n) : NULL;
		if (fault)
			return fault;
	}
	return items->root && at(items, items->root)->owner ? "the rows have an owner" : NULL;
}
