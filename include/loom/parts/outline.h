/* A tree as rows, of which only opened ones exist: a node, a run of siblings not loaded yet, or a
 * chain of single children on one row. Knows no screen.
 *
 * Only forks indent. Children are loaded in pages by ordinal. While some siblings are hidden, the
 * row count of a run is an estimate, corrected when the run is loaded. */
#ifndef TUI_OUTLINE_H
#define TUI_OUTLINE_H

#include <loom/tree/node.h>

#include <loom/parts/row_treap.h>

#define TUI_CHAIN_MAX    8    /* single children shown one by one */
#define TUI_CHAIN_LOOK   4096 /* steps looked down a chain at once */
#define TUI_PATH_LOOK    128  /* steps looked up from a position */
#define TUI_PAGE         64   /* siblings loaded at once */
#define TUI_REOPEN_MAX   2000 /* nodes reopened after a change, at most */
#define TUI_OUTLINE_NODE UINT64_C(0x0FFFFFFFFFFFFFFF)

enum tui_outline_flag {
	TUI_OUTLINE_RUN = 1,     /* key: the parent; extra: the ordinal before its first */
	TUI_OUTLINE_CHAIN = 2,   /* key: the node above; extra: the number of nodes */
	TUI_OUTLINE_GAP = 4,     /* a chain that may contain forks */
	TUI_OUTLINE_OPEN = 8,    /* its children follow it, shown or folded */
	TUI_OUTLINE_BRANCH = 16, /* one of several siblings */
	TUI_OUTLINE_GHOST = 32,  /* the caller's own row, with a key of its own */
	TUI_OUTLINE_BESIDE = 64  /* filtered: does not match, but leads to a match */
};
#define TUI_OUTLINE_FLAGS 8 /* number of flag bits; the indent is above them */

struct tui_outline {
	struct loom_store *store; /* borrowed */
	struct loom_arena *arena;
	struct tui_items *items;
	int64_t root; /* the tree's first root, with the others beside it, or the hoisted node */
	int64_t root_depth;
	bool pruned_too;
	bool map; /* show only forks */
	/* Shows only given rows; opening, levels and refreshing do nothing. Ends with a reset. */
	bool filtered;
	int64_t *later; /* nodes that were open before a refresh and are still to be reopened */
	size_t later_count;
	int64_t *kept; /* nodes that were open before the filter */
	size_t kept_count;
	int64_t *outside; /* nodes that were open outside the hoisted part */
	size_t outside_count;
};

/* One row of a filtered outline. */
struct tui_outline_row {
	int64_t group;
	int64_t ord;
	uint32_t depth; /* below the root */
	uint32_t indent;
	uint32_t flags; /* BRANCH, BESIDE */
};

/* An outline without rows; `store` is borrowed. */
void tui_outline_init(struct tui_outline *outline, struct loom_store *store);
/* Frees what an outline holds. */
void tui_outline_fini(struct tui_outline *outline);
/* Removes all rows of an outline. */
void tui_outline_clear(struct tui_outline *outline);
/* Starts over at `root`, with only its children open. */
enum loom_status tui_outline_reset(struct tui_outline *outline, int64_t root,
				   struct loom_err *err) LOOM_MUST;
/* Makes sure that a group has a row of its own, and returns its item. LOOM_NOT_FOUND when the group
 * is not below the root. */
enum loom_status tui_outline_show(struct tui_outline *outline, int64_t group, uint32_t *out_item,
				  struct loom_err *err) LOOM_MUST;
/* Opens an item: shows its children, or the first nodes of a chain. */
enum loom_status tui_outline_open(struct tui_outline *outline, uint32_t item,
				  struct loom_err *err) LOOM_MUST;
/* Folds an item; its rows stay loaded. */
void tui_outline_close(struct tui_outline *outline, uint32_t item);
/* Adds a row of the caller's own as the last child of a shown node; `key` must not be a group's. A
 * refresh removes it. Returns its item, 0 when the node has no row. */
uint32_t tui_outline_ghost(struct tui_outline *outline, int64_t parent, uint64_t key);
/* Loads the runs among these rows before they are drawn. */
enum loom_status tui_outline_fill(struct tui_outline *outline, uint64_t row, uint64_t count,
				  struct loom_err *err) LOOM_MUST;
/* Reads everything again and reopens the nodes within these rows, with their ancestors; item
 * handles change. tui_outline_refresh_on reopens the rest. */
enum loom_status tui_outline_refresh(struct tui_outline *outline, int64_t position, uint64_t from,
				     uint64_t to, struct loom_err *err) LOOM_MUST;
/* Shows the part of the tree below `root`. Nodes open within it are reopened later, as after a
 * refresh; those outside, when that part is shown again. */
enum loom_status tui_outline_root(struct tui_outline *outline, int64_t root,
				  struct loom_err *err) LOOM_MUST;
/* Reopens at most `most` of the nodes that a refresh left. */
enum loom_status tui_outline_refresh_on(struct tui_outline *outline, size_t most,
					struct loom_err *err) LOOM_MUST;
/* Opens everything down to a number of fork levels and closes what is deeper, a part at a time. */
struct tui_levelling {
	uint32_t indent;
	uint64_t next; /* key of the next item; 0 when done */
	size_t seen;
};
/* Starts at the first row. */
void tui_outline_level(struct tui_outline *outline, uint32_t indent, struct tui_levelling *out);
/* Continues for at most `most` rows. Done, too, when the next item no longer exists. */
enum loom_status tui_outline_level_on(struct tui_outline *outline, struct tui_levelling *at,
				      size_t most, struct loom_err *err) LOOM_MUST;

/* Shows only these rows, in this order, the root's first. If tui_outline_show asks for a node that
 * is not among them, it gets a row below its nearest shown ancestor. */
void tui_outline_filter(struct tui_outline *outline, const struct tui_outline_row *rows,
			size_t count);

/* Shows all rows again; nodes open before the filter are reopened later, as after a refresh. */
enum loom_status tui_outline_unfilter(struct tui_outline *outline, struct loom_err *err) LOOM_MUST;
/* Internal: remembers which nodes are open, for tui_outline_unfilter. */
void tui_outline_keep(struct tui_outline *outline);
/* Internal: adds a row for a node that the filtered outline lacks. */
enum loom_status tui_outline_beside(struct tui_outline *outline, int64_t group, uint32_t *out_item,
				    struct loom_err *err) LOOM_MUST;
/* The group of an item that is a node; 0 for other items. */
int64_t tui_outline_group(const struct tui_outline *outline, uint32_t item);
/* The indent of an item: the number of forks above it. */
uint32_t tui_outline_indent(const struct tui_item *item);

#endif
