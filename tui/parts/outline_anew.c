/* Reads an outline again, or from another root, and reopens the nodes that were open: those in
 * sight at once, the others a part at a time, as there may be many. */
#include <loom/parts/outline.h>

/* A node that was open, in row order. */
struct opened {
	int64_t group;
	uint64_t row;
	uint32_t depth;
	bool near; /* in sight, or an ancestor of a row in sight */
};

static size_t opened_now(struct tui_outline *outline, struct opened *out)
{
	uint32_t at = tui_items_at(outline->items, 0, NULL);
	uint64_t row = 0;
	size_t count = 0;

	for (; at && count < TUI_REOPEN_MAX; at = tui_items_next(outline->items, at)) {
		const struct tui_item *item = tui_items_get(outline->items, at);

		if (tui_outline_group(outline, at) && (item->flags & TUI_OUTLINE_OPEN) &&
		    !tui_items_folded(outline->items, at))
			out[count++] = (struct opened){.group = (int64_t)item->key,
						       .row = row,
						       .depth = item->depth};
		row += item->weight;
	}
	return count;
}

void tui_outline_keep(struct tui_outline *outline)
{
	struct opened *opened = loom_alloc(TUI_REOPEN_MAX * sizeof *opened);

	free(outline->kept);
	outline->kept = loom_alloc(TUI_REOPEN_MAX * sizeof *outline->kept);
	outline->kept_count = opened_now(outline, opened);
	for (size_t i = 0; i < outline->kept_count; i++)
		outline->kept[i] = opened[i].group;
	free(opened);
}

enum loom_status tui_outline_unfilter(struct tui_outline *outline, struct loom_err *err)
{
	enum loom_status status = tui_outline_reset(outline, outline->root, err);

	if (status != LOOM_OK || !outline->kept)
		return status;
	free(outline->later);
	outline->later = outline->kept;
	outline->later_count = outline->kept_count;
	outline->kept = NULL;
	outline->kept_count = 0;
	return LOOM_OK;
}

/* The ancestors of the first row in sight are above it, each less deep than all rows between. */
static void mark_near(struct tui_outline *outline, struct opened *opened, size_t count,
		      uint64_t from, uint64_t to)
{
	uint32_t first = tui_items_at(outline->items, from, NULL);
	uint32_t depth = first ? tui_items_get(outline->items, first)->depth : UINT32_MAX;

	for (size_t i = count; i-- > 0;) {
		opened[i].near = opened[i].row >= from && opened[i].row <= to;
		if (opened[i].row >= from || opened[i].depth >= depth)
			continue;
		opened[i].near = true;
		depth = opened[i].depth;
	}
}

/* Nodes out of sight are reopened later, before those already waiting: they may hang on them. */
static void put_off(struct tui_outline *outline, const struct opened *opened, size_t count,
		    const int64_t *before, size_t before_count)
{
	for (size_t i = 0; i < count; i++)
		if (!opened[i].near)
			outline->later[outline->later_count++] = opened[i].group;
	for (size_t i = 0; i < before_count && outline->later_count < TUI_REOPEN_MAX; i++)
		outline->later[outline->later_count++] = before[i];
}

static enum loom_status open_again(struct tui_outline *outline, int64_t group, struct loom_err *err)
{
	uint32_t at = tui_items_find(outline->items, (uint64_t)group);

	return at ? tui_outline_open(outline, at, err) : LOOM_OK;
}

enum loom_status tui_outline_refresh_on(struct tui_outline *outline, size_t most,
					struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	size_t n = most < outline->later_count ? most : outline->later_count;

	if (n == 0)
		return LOOM_OK;
	for (size_t i = 0; i < n && status == LOOM_OK; i++)
		status = open_again(outline, outline->later[i], err);
	outline->later_count = status == LOOM_OK ? outline->later_count - n : 0;
	memmove(outline->later, outline->later + n, outline->later_count * sizeof *outline->later);
	return status;
}

enum loom_status tui_outline_refresh(struct tui_outline *outline, int64_t position, uint64_t from,
				     uint64_t to, struct loom_err *err)
{
	struct opened *opened;
	int64_t *before;
	size_t before_count = outline->later_count;
	size_t count;
	uint32_t at = 0;
	enum loom_status status;

	if (outline->filtered)
		return LOOM_OK;
	opened = loom_alloc(TUI_REOPEN_MAX * sizeof *opened);
	before = outline->later;
	outline->later = loom_alloc(TUI_REOPEN_MAX * sizeof *before);
	count = opened_now(outline, opened);
	mark_near(outline, opened, count, from, to);
	status = tui_outline_reset(outline, outline->root, err);
	put_off(outline, opened, count, before, before_count);
	if (status == LOOM_OK && position)
		status = tui_outline_show(outline, position, &at, err);
	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		if (opened[i].near)
			status = open_again(outline, opened[i].group, err);
	free(opened);
	free(before);
	return status;
}

/* The rows of a node and its descendants, [*from, *to). */
static void rows_of(const struct tui_outline *outline, uint32_t item, uint64_t *from, uint64_t *to)
{
	uint32_t after = tui_items_after(outline->items, item);

	*from = tui_items_row(outline->items, item);
	*to = after ? tui_items_row(outline->items, after) : UINT64_MAX;
}

/* Nodes open outside the hoisted part wait until that part is left. */
static void set_aside(struct tui_outline *outline, const struct opened *opened, size_t count,
		      uint64_t from, uint64_t to)
{
	if (!outline->outside)
		outline->outside = loom_alloc(TUI_REOPEN_MAX * sizeof *outline->outside);
	for (size_t i = 0; i < count && outline->outside_count < TUI_REOPEN_MAX; i++)
		if (opened[i].row < from || opened[i].row >= to)
			outline->outside[outline->outside_count++] = opened[i].group;
}

static void open_later(struct tui_outline *outline, int64_t group)
{
	if (outline->later_count < TUI_REOPEN_MAX)
		outline->later[outline->later_count++] = group;
}

enum loom_status tui_outline_root(struct tui_outline *outline, int64_t root, struct loom_err *err)
{
	uint32_t item = tui_items_find(outline->items, (uint64_t)root);
	struct opened *opened;
	uint64_t from = 0;
	uint64_t to = UINT64_MAX;
	size_t count;
	enum loom_status status;

	if (outline->filtered)
		return tui_outline_reset(outline, root, err);
	opened = loom_alloc(TUI_REOPEN_MAX * sizeof *opened);
	count = opened_now(outline, opened);
	if (item && tui_items_shown(outline->items, item)) {
		rows_of(outline, item, &from, &to);
		set_aside(outline, opened, count, from, to);
	}
	status = tui_outline_reset(outline, root, err);
	if (!outline->later)
		outline->later = loom_alloc(TUI_REOPEN_MAX * sizeof *outline->later);
	/* From the outside in: each hangs on the one before. */
	for (size_t i = 0; !item && i < outline->outside_count; i++)
		open_later(outline, outline->outside[i]);
	for (size_t i = 0; i < count; i++)
		if (opened[i].row >= from && opened[i].row < to)
			open_later(outline, opened[i].group);
	if (!outline->root_depth)
		outline->outside_count = 0;
	free(opened);
	return status;
}
