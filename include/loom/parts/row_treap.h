/* The rows of an outline, of which only those that were opened exist. Pure.
 *
 * An item stands for `weight` rows: 1 for a node, n for a run of n children that nobody loaded.
 * Items are kept in order in a balanced tree that knows the rows below each of its nodes: row of
 * item, item of row, insertion, removal, folding are O(log n) whatever n is; a fold takes the whole
 * range out of the rows and keeps it under its item.
 *
 * An item is named by a handle that stays the same until it is removed; 0 is none. */
#ifndef TUI_ITEMS_H
#define TUI_ITEMS_H

#include <loom/base/base.h>

struct tui_items;

struct tui_item {
	uint64_t key;   /* what it shows: a node's number; 0: none */
	uint64_t extra; /* the view's own */
	uint32_t weight;
	uint32_t depth; /* of nesting; what is below an item has more */
	uint32_t flags; /* the view's own */
};

struct tui_items *tui_items_create(void) LOOM_MUST;
void tui_items_destroy(struct tui_items *items);
void tui_items_clear(struct tui_items *items);

/* Rows in all, without what is folded; items in all, with it. */
uint64_t tui_items_rows(const struct tui_items *items);
size_t tui_items_count(const struct tui_items *items);

/* Puts an item behind `after` (0: before all). Behind a folded item it is put below its fold's
 * range when deeper than it, else behind the fold. Returns its handle. */
uint32_t tui_items_insert(struct tui_items *items, uint32_t after, struct tui_item item);
/* Takes it out, with what is folded under it. */
void tui_items_remove(struct tui_items *items, uint32_t handle);

/* Borrowed until the next change. */
const struct tui_item *tui_items_get(const struct tui_items *items, uint32_t handle);
/* Changes everything but the weight; the depth only where the order allows it. */
void tui_items_set(struct tui_items *items, uint32_t handle, struct tui_item item);

/* The item of a row, and which of its rows it is (nullable); 0 when there is no such row. */
uint32_t tui_items_at(const struct tui_items *items, uint64_t row, uint64_t *offset);
/* The first row of an item; of a folded one, the row of the item it is folded under. */
uint64_t tui_items_row(const struct tui_items *items, uint32_t handle);
/* Whether it has a row of its own. */
bool tui_items_shown(const struct tui_items *items, uint32_t handle);
/* The item with this key (the latest inserted), or 0. */
uint32_t tui_items_find(const struct tui_items *items, uint64_t key);
/* Neighbours in order, among those that are shown; 0 at the ends. */
uint32_t tui_items_next(const struct tui_items *items, uint32_t n);
uint32_t tui_items_prev(const struct tui_items *items, uint32_t n);
/* The next shown item that is not below this one; 0 at the end. */
uint32_t tui_items_after(const struct tui_items *items, uint32_t handle);

/* Folds what follows and is deeper; nothing when nothing is or it is folded already. */
void tui_items_fold(struct tui_items *items, uint32_t handle);
void tui_items_unfold(struct tui_items *items, uint32_t handle);
bool tui_items_folded(const struct tui_items *items, uint32_t handle);
/* Rows hidden in its fold. */
uint64_t tui_items_hidden(const struct tui_items *items, uint32_t handle);

/* Makes the rows [from, from + count) of a shown run items of their own: the run keeps what is
 * before and a new run takes what is behind. Returns the handle to insert behind (0: before all),
 * after which the caller inserts `count` items. */
uint32_t tui_items_split(struct tui_items *items, uint32_t run, uint32_t from, uint32_t count);

/* NULL, or which invariant does not hold; for tests. */
const char *tui_items_fault(const struct tui_items *items);

#endif
