/* The cache: direct-mapped, so that a lookup is one comparison and forgetting costs nothing. Texts
 * are read whole from the store and only their beginning is kept. */
#include <loom/parts/rows.h>

#include <loom/work/thread.h>
#include <loom/base/utf8.h>

void tui_rows_init(struct tui_rows *rows, struct loom_store *store)
{
	*rows = (struct tui_rows){.store = store};
	rows->arena = loom_arena_create();
	rows->slots = loom_alloc(TUI_ROWS_KEPT * sizeof *rows->slots);
}

void tui_rows_fini(struct tui_rows *rows)
{
	loom_arena_destroy(rows->arena);
	free(rows->slots);
	*rows = (struct tui_rows){.slots = NULL};
}

void tui_rows_forget(struct tui_rows *rows)
{
	for (size_t i = 0; i < TUI_ROWS_KEPT; i++)
		rows->slots[i].group = 0;
}

size_t tui_text_head(struct loom_str text, char *out, size_t size)
{
	size_t n = 0;
	bool blank = false;

	text = loom_str_trim(loom_str_sub(text, 0, size * 4));
	for (size_t i = 0; i < text.n && n + 1 < size; i++) {
		char c = text.p[i];
		bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';

		if (!space || !blank)
			out[n++] = space ? ' ' : c;
		blank = space;
	}
	return loom_utf8_clip(loom_str_make(out, n), n).n -
	       loom_utf8_partial_tail(loom_str_make(out, n));
}

/* The store's extract may be shorter than what fits in a row. */
static void fill(struct tui_rows *rows, const struct loom_node *node, struct tui_row *row)
{
	bool sums_up = node->summary.n && !node->summary_extract;
	struct loom_str text = sums_up ? node->summary : node->text;

	*row = (struct tui_row){
		.group = node->group,
		.node = node->id,
		.parent = node->parent,
		.among = loom_node_among(node),
		.author = node->author,
		.depth = node->depth,
		.ord = node->ord,
		.children = node->children,
		.version = 1,
		.versions = 1,
		.bookmarked = node->bookmarked,
		.pruned = node->pruned,
		.excluded = node->excluded,
	};
	loom_local_text(rows->key, node->local, row->id);
	row->text_n = (uint8_t)tui_text_head(text, row->text, sizeof row->text);
}

/* The version that the following text was written on; 0 when nothing follows. */
static int64_t written_on(const struct tui_rows *rows, int64_t group)
{
	const struct loom_page first = {.kind = LOOM_CONTINUATION, .limit = 1};
	struct loom_nodes nodes = {NULL, 0};

	if (loom_node_children(rows->store, group, &first, rows->arena, &nodes, NULL) != LOOM_OK)
		return 0;
	return nodes.count ? nodes.items[0].from_node : 0;
}

/* In a group of versions: the chosen one, else the newest that is not pruned. */
static size_t pick_member(const struct loom_nodes *nodes, int64_t chosen)
{
	size_t newest = nodes->count - 1;

	for (size_t i = nodes->count; i-- > 0;) {
		if (nodes->items[i].id == chosen)
			return i;
	}
	for (size_t i = nodes->count; i-- > 0;) {
		if (!nodes->items[i].pruned)
			return i;
	}
	return newest;
}

/* The members of a group and the one on the path: the thread's own choice, or the one that was
 * continued. */
static enum loom_status read_members(const struct tui_rows *rows, int64_t group, unsigned parts,
				     struct loom_nodes *nodes, size_t *out_at, struct loom_err *err)
{
	int64_t chosen = 0;
	enum loom_status status =
		loom_node_members(rows->store, group, parts, rows->arena, nodes, err);

	if (status == LOOM_OK && nodes->count == 0)
		return loom_fail(err, LOOM_NOT_FOUND, "the node no longer exists");
	if (status == LOOM_OK && rows->thread)
		status = loom_thread_choice(rows->store, rows->thread, group, &chosen, err);
	if (status != LOOM_OK)
		return status;
	if (!chosen && nodes->count > 1)
		chosen = written_on(rows, group);
	*out_at = pick_member(nodes, chosen);
	return LOOM_OK;
}

enum loom_status tui_rows_member(struct loom_store *store, int64_t thread, int64_t group,
				 struct loom_arena *arena, int64_t *out, struct loom_err *err)
{
	const struct tui_rows rows = {.store = store, .arena = arena, .thread = thread};
	struct loom_nodes nodes = {NULL, 0};
	size_t at = 0;
	enum loom_status status = read_members(&rows, group, LOOM_NODE_MARKS, &nodes, &at, err);

	*out = status == LOOM_OK ? nodes.items[at].id : 0;
	return status;
}

/* The tags that fit, each with its sign. */
static void fill_signs(const struct loom_signs *signs, struct tui_row *row)
{
	row->rated = (int8_t)signs->rated;
	row->ending = signs->ending;
	row->tag_count = (uint8_t)(signs->tag_count < UINT8_MAX ? signs->tag_count : UINT8_MAX);
	for (size_t i = 0; i < signs->tag_count; i++) {
		const struct loom_str tag = signs->tags[i];
		const size_t blank = row->tags_n ? 1 : 0;

		if (row->tags_n + blank + 1 + tag.n > sizeof row->tags)
			break;
		if (blank)
			row->tags[row->tags_n++] = ' ';
		row->tags[row->tags_n++] = '#';
		memcpy(row->tags + row->tags_n, tag.p, tag.n);
		row->tags_n = (uint8_t)(row->tags_n + tag.n);
	}
}

static enum loom_status read_row(struct tui_rows *rows, int64_t group, struct tui_row *row,
				 struct loom_err *err)
{
	struct loom_nodes nodes = {NULL, 0};
	struct loom_signs signs;
	size_t at = 0;
	enum loom_status status =
		read_members(rows, group, LOOM_NODE_TEXT | LOOM_NODE_MARKS, &nodes, &at, err);

	if (status != LOOM_OK)
		return status;
	fill(rows, &nodes.items[at], row);
	row->version = (int32_t)at + 1;
	row->versions = (int32_t)nodes.count;
	row->newer = at + 1 < nodes.count;
	status = loom_node_signs(rows->store, row->node, rows->arena, &signs, err);
	if (status != LOOM_OK)
		return status;
	fill_signs(&signs, row);
	return loom_node_count(rows->store, group, LOOM_ANNOTATION, &row->notes, err);
}

enum loom_status tui_rows_get(struct tui_rows *rows, int64_t group, const struct tui_row **out,
			      struct loom_err *err)
{
	struct tui_row *row = &rows->slots[(uint64_t)group % TUI_ROWS_KEPT];
	enum loom_status status = LOOM_OK;

	*out = row;
	if (row->group == group)
		return LOOM_OK;
	row->group = 0;
	loom_arena_reset(rows->arena);
	status = read_row(rows, group, row, err);
	row->group = status == LOOM_OK ? group : 0;
	return status;
}
