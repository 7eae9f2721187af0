/* A tree as rows of which only those exist that were opened: a node, a run of siblings that nobody
 * has loaded, or a chain of single children that stands in one row. Knows no screen.
 *
 * Only forks indent. Children come in pages by ordinal; how many rows a run has is a guess as long
 * as something among its siblings is hidden, and is put right when it is loaded. */
#ifndef TUI_OUTLINE_H
#define TUI_OUTLINE_H

#include <loom/tree/node.h>

#include <loom/parts/row_treap.h>

#define TUI_CHAIN_MAX    8    /* single children that are shown one by one */
#define TUI_CHAIN_LOOK   4096 /* steps that are looked down a chain at once */
#define TUI_PATH_LOOK    128  /* steps that are looked up from a position */
#define TUI_PAGE         64   /* siblings that are loaded at once */
#define TUI_REOPEN_MAX   2000 /* opened nodes that are opened again after a change */
#define TUI_OUTLINE_NODE UINT64_C(0x0FFFFFFFFFFFFFFF)

enum tui_outline_flag {
	TUI_OUTLINE_RUN = 1,     /* key: the parent; extra: the ordinal before its first */
	TUI_OUTLINE_CHAIN = 2,   /* key: the node above; extra: how many nodes */
	TUI_OUTLINE_GAP = 4,     /* a chain in which there may be forks */
	TUI_OUTLINE_OPEN = 8,    /* its children are below it, shown or folded */
	TUI_OUTLINE_BRANCH = 16, /* one of several siblings */
	TUI_OUTLINE_GHOST = 32,  /* the caller's own, with a key of its own */
	TUI_OUTLINE_BESIDE = 64  /* filtered: not let through, but leads to what is */
};
#define TUI_OUTLINE_FLAGS 8 /* bits; the indent is above them */

struct tui_outline {
	struct loom_store *store; /* borrowed */
	struct loom_arena *arena;
	struct tui_items *items;
	int64_t root; /* group in the first row: the tree's, or the hoisted one */
	int64_t root_depth;
	bool pruned_too;
	bool map; /* only forks */
	/* Only the rows that were given; opening, levels and refreshing do nothing. Ends with a
	 * reset. */
	bool filtered;
	int64_t *later; /* nodes that were open before it was read anew, and are not yet again */
	size_t later_count;
	int64_t *kept; /* nodes that were open before the filter */
	size_t kept_count;
	int64_t *outside; /* nodes that were open around the part that is shown alone */
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

void tui_outline_init(struct tui_outline *outline, struct loom_store *store);
void tui_outline_fini(struct tui_outline *outline);
/* No rows at all. */
void tui_outline_clear(struct tui_outline *outline);
/* Nothing is open but `root`. */
enum loom_status tui_outline_reset(struct tui_outline *outline, int64_t root,
				   struct loom_err *err) LOOM_MUST;
/* Makes a row of the group's own be shown and gives its item. LOOM_NOT_FOUND when it is not below
 * the root. */
enum loom_status tui_outline_show(struct tui_outline *outline, int64_t group, uint32_t *out_item,
				  struct loom_err *err) LOOM_MUST;
/* Shows what is below an item, or what a chain hides: its first nodes. */
enum loom_status tui_outline_open(struct tui_outline *outline, uint32_t item,
				  struct loom_err *err) LOOM_MUST;
void tui_outline_close(struct tui_outline *outline, uint32_t item);
/* A row of the caller's own as the last child of a node that is shown; its key must be no group's.
 * Gone after a refresh. Gives the item, 0 when the node has no row. */
uint32_t tui_outline_ghost(struct tui_outline *outline, int64_t parent, uint64_t key);
/* Loads the runs among these rows, as they will be drawn. */
enum loom_status tui_outline_fill(struct tui_outline *outline, uint64_t row, uint64_t count,
				  struct loom_err *err) LOOM_MUST;
/* Reads everything anew and opens what was open within these rows, and what they hang on; items are
 * other ones after it. What else was open is left to the second. */
enum loom_status tui_outline_refresh(struct tui_outline *outline, int64_t position, uint64_t from,
				     uint64_t to, struct loom_err *err) LOOM_MUST;
/* Shows another part of the tree, from `root` on. Of what was open what is in it is opened later,
 * as after a refresh; what is not, when it is shown again. */
enum loom_status tui_outline_root(struct tui_outline *outline, int64_t root,
				  struct loom_err *err) LOOM_MUST;
/* At most so many nodes of what is left. */
enum loom_status tui_outline_refresh_on(struct tui_outline *outline, size_t most,
					struct loom_err *err) LOOM_MUST;
/* Opening everything down to so many levels of forks, closing what is deeper, a part at a time. */
struct tui_levelling {
	uint32_t indent;
	uint64_t next; /* key of the item to go on with; 0: it is done */
	size_t seen;
};
/* From the first row on. */
void tui_outline_level(struct tui_outline *outline, uint32_t indent, struct tui_levelling *out);
/* At most so many rows more; where an item is not there any more it is done. */
enum loom_status tui_outline_level_on(struct tui_outline *outline, struct tui_levelling *at,
				      size_t most, struct loom_err *err) LOOM_MUST;

/* Shows these rows alone, in this order, the root's first; a node that is asked for by
 * tui_outline_show and is not among them gets a row below the nearest above it. */
void tui_outline_filter(struct tui_outline *outline, const struct tui_outline_row *rows,
			size_t count);

/* All rows again; what was open before the filter is opened later, as after a refresh. */
enum loom_status tui_outline_unfilter(struct tui_outline *outline, struct loom_err *err) LOOM_MUST;
/* Inside: remembers what is open, for that. */
void tui_outline_keep(struct tui_outline *outline);
/* Inside: the row of a node that a filtered outline does not have. */
enum loom_status tui_outline_beside(struct tui_outline *outline, int64_t group, uint32_t *out_item,
				    struct loom_err *err) LOOM_MUST;
/* The group of a node's row, 0 for others. */
int64_t tui_outline_group(const struct tui_outline *outline, uint32_t item);
uint32_t tui_outline_indent(const struct tui_item *item);

#endif
