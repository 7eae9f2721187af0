/* The rows of an outline, of which only opened ones exist. Pure.
 *
 * An item stands for `weight` rows: 1 for a node, n for a run of n children not loaded yet. Items
 * are kept in order in a balanced tree whose nodes know the number of rows below them. Row of
 * item, item of row, insertion, removal and folding are O(log n) whatever n is; a fold takes a
 * whole range out of the rows and keeps it under its item.
 *
 * A handle names an item and stays the same until the item is removed; 0 is none. */
#ifndef TUI_ITEMS_H
#define TUI_ITEMS_H

#include <loom/base/base.h>

struct tui_items;

struct tui_item {
	uint64_t key;   /* what it shows: a node's number; 0 for none */
	uint64_t extra; /* for the view's use */
	uint32_t weight;
	uint32_t depth; /* nesting; items below this one have more */
	uint32_t flags; /* for the view's use */
};

/* Makes an empty list. */
struct tui_items *tui_items_create(void) LOOM_MUST;
/* Frees the list; NULL is fine. */
void tui_items_destroy(struct tui_items *items);
/* Removes all items of the treap. */
void tui_items_clear(struct tui_items *items);

/* The number of rows, without folded ones. */
uint64_t tui_items_rows(const struct tui_items *items);
/* The number of items, including folded ones. */
size_t tui_items_count(const struct tui_items *items);

/* Inserts an item after `after` (0: first). After a folded item it goes to the end of the fold's
 * range when it is deeper, else behind the fold. Returns its handle. */
uint32_t tui_items_insert(struct tui_items *items, uint32_t after, struct tui_item item);
/* Removes an item and the range folded under it. */
void tui_items_remove(struct tui_items *items, uint32_t handle);

/* The item of a handle, borrowed until the next change. */
const struct tui_item *tui_items_get(const struct tui_items *items, uint32_t handle);
/* Changes everything but the weight; the depth may change only where the order allows it. */
void tui_items_set(struct tui_items *items, uint32_t handle, struct tui_item item);

/* The item at a row, and in *offset (nullable) which of its rows that is; 0 when there is no such
 * row. */
uint32_t tui_items_at(const struct tui_items *items, uint64_t row, uint64_t *offset);
/* The first row of an item; for a folded one, the row of the item that it is folded under. */
uint64_t tui_items_row(const struct tui_items *items, uint32_t handle);
/* Whether the item is not inside a fold. */
bool tui_items_shown(const struct tui_items *items, uint32_t handle);
/* The item with this key (the latest inserted), or 0. */
uint32_t tui_items_find(const struct tui_items *items, uint64_t key);
/* The next shown item; 0 at the end. */
uint32_t tui_items_next(const struct tui_items *items, uint32_t n);
/* The previous shown item; 0 at the start. */
uint32_t tui_items_prev(const struct tui_items *items, uint32_t n);
/* The next shown item that is not below this one; 0 at the end. */
uint32_t tui_items_after(const struct tui_items *items, uint32_t handle);

/* Folds the deeper items that follow. Does nothing when there are none or it is folded already. */
void tui_items_fold(struct tui_items *items, uint32_t handle);
/* Puts the folded range back into the rows. */
void tui_items_unfold(struct tui_items *items, uint32_t handle);
/* Whether the item has a range folded under it. */
bool tui_items_folded(const struct tui_items *items, uint32_t handle);
/* The number of rows hidden in its fold. */
uint64_t tui_items_hidden(const struct tui_items *items, uint32_t handle);

/* Makes room for the rows [from, from + count) of a shown run to become items: the run keeps those
 * before, a new run takes those after. Returns the handle after which the caller inserts the
 * `count` items (0: first). */
uint32_t tui_items_split(struct tui_items *items, uint32_t run, uint32_t from, uint32_t count);

/* Checks the invariants, for tests: NULL, or the one that does not hold. */
const char *tui_items_fault(const struct tui_items *items);

#endif
