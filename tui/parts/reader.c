/* The blocks of a path and their lines. Invariants: blocks are in reading order; a buffer is one
 * block of text, in which `starts` says which node a byte belongs to; spots are valid until the
 * blocks are rebuilt, anchors always. Drawing is in reader_draw.c. */
#include <loom/parts/reader.h>

#include <loom/terminal/wrap.h>

void tui_reader_init(struct tui_reader *reader, struct loom_store *store,
		     const struct tui_people *people)
{
	*reader = (struct tui_reader){.store = store, .people = people, .boundaries = true};
	reader->arena = loom_arena_create();
	reader->scratch = loom_arena_create();
	loom_buf_init(&reader->prose, LOOM_BUF_MAX);
}

void tui_reader_fini(struct tui_reader *reader)
{
	loom_arena_destroy(reader->arena);
	loom_arena_destroy(reader->scratch);
	loom_buf_fini(&reader->prose);
	*reader = (struct tui_reader){.arena = NULL};
}

/* --- building --- */

static void add_block(struct tui_reader *reader, struct tui_block block)
{
	reader->blocks[reader->block_count++] = block;
}

static void build_dialogue(struct tui_reader *reader)
{
	size_t n = reader->path.count;
	size_t shown = reader->extra.on && reader->extra.instead && n ? n - 1 : n;

	for (size_t i = 0; i < shown; i++) {
		add_block(reader, (struct tui_block){.kind = TUI_BLOCK_HEAD, .node = i});
		add_block(reader, (struct tui_block){.kind = TUI_BLOCK_TEXT,
						     .node = i,
						     .text = reader->path.items[i].text});
		add_block(reader, (struct tui_block){.kind = TUI_BLOCK_BLANK, .node = i});
	}
	if (!reader->extra.on)
		return;
	add_block(reader, (struct tui_block){.kind = TUI_BLOCK_HEAD, .node = n, .writing = true});
	add_block(reader, (struct tui_block){.kind = TUI_BLOCK_TEXT,
					     .node = n,
					     .text = reader->extra.text,
					     .writing = true});
}

static void build_buffer(struct tui_reader *reader)
{
	size_t n = reader->path.count;
	size_t shown = reader->extra.on && reader->extra.instead && n ? n - 1 : n;

	loom_buf_clear(&reader->prose);
	for (size_t i = 0; i < n; i++) {
		reader->starts[i] = reader->prose.n;
		if (i < shown)
			loom_buf_add(&reader->prose, reader->path.items[i].text);
	}
	reader->starts[n] = reader->prose.n;
	if (reader->extra.on)
		loom_buf_add(&reader->prose, reader->extra.text);
	reader->starts[n + 1] = reader->prose.n;
	add_block(reader, (struct tui_block){.kind = TUI_BLOCK_TEXT,
					     .text = loom_buf_str(&reader->prose),
					     .writing = reader->extra.on});
}

static void build(struct tui_reader *reader)
{
	reader->block_count = 0;
	if (reader->mode == LOOM_BUFFER)
		build_buffer(reader);
	else
		build_dialogue(reader);
}

static size_t path_index(const struct tui_reader *reader, int64_t node)
{
	size_t n = reader->path.count;

	while (n-- > 0) {
		if (reader->path.items[n].id == node)
			return n;
	}
	return node ? SIZE_MAX : reader->path.count;
}

/* --- a place in a text of which another version may be shown next --- */

struct place {
	struct tui_anchor *anchor;
	int64_t group;
	struct loom_buf text;
};

static struct place remember(const struct tui_reader *reader, struct tui_anchor *anchor)
{
	struct place place = {.anchor = anchor, .text = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	size_t node = path_index(reader, anchor->node);

	if (reader->mode == LOOM_BUFFER && node < reader->path.count) {
		place.group = reader->path.items[node].group;
		loom_buf_add(&place.text, reader->path.items[node].text);
	}
	return place;
}

/* Maps an offset across an edit: unchanged before the difference, shifted after it. */
static size_t moved(struct loom_str before, struct loom_str after, size_t at)
{
	size_t head = 0;
	size_t tail = 0;

	while (head < before.n && head < after.n && before.p[head] == after.p[head])
		head++;
	while (tail < before.n - head && tail < after.n - head &&
	       before.p[before.n - 1 - tail] == after.p[after.n - 1 - tail])
		tail++;
	if (at <= head)
		return at;
	return at >= before.n - tail ? at + after.n - before.n : head;
}

static void find_again(const struct tui_reader *reader, struct place *place)
{
	for (size_t i = reader->path.count; place->group && i-- > 0;) {
		const struct loom_node *node = &reader->path.items[i];

		if (node->group != place->group || node->id == place->anchor->node)
			continue;
		place->anchor->node = node->id;
		place->anchor->at =
			moved(loom_buf_str(&place->text), node->text, place->anchor->at);
		break;
	}
	loom_buf_fini(&place->text);
}

static enum loom_status load(struct tui_reader *reader, struct loom_err *err)
{
	struct place top = remember(reader, &reader->top);
	struct place caret = remember(reader, &reader->caret);
	enum loom_status status = LOOM_OK;

	loom_arena_reset(reader->arena);
	reader->path = (struct loom_nodes){NULL, 0};
	reader->block_count = 0;
	if (reader->tip)
		status = loom_node_path_end(reader->store,
					    &(struct loom_path_end){.tip = reader->tip,
								    .thread = reader->thread,
								    .limit = reader->limit,
								    .parts = LOOM_NODE_ALL},
					    reader->arena, &reader->path, err);
	reader->blocks =
		LOOM_ARENA_ARRAY(reader->arena, reader->path.count * 3 + 4, struct tui_block);
	reader->starts = LOOM_ARENA_ARRAY(reader->arena, reader->path.count + 2, size_t);
	reader->lenses = LOOM_ARENA_ARRAY(reader->arena, reader->path.count + 1, struct tui_lens);
	reader->lens_read = LOOM_ARENA_ARRAY(reader->arena, reader->path.count + 1, bool);
	reader->shares = LOOM_ARENA_ARRAY(reader->arena, reader->path.count + 1, struct tui_shares);
	reader->shares_read = LOOM_ARENA_ARRAY(reader->arena, reader->path.count + 1, bool);
	if (status == LOOM_OK)
		build(reader);
	find_again(reader, &top);
	find_again(reader, &caret);
	reader->stale = status != LOOM_OK;
	return status;
}

static bool whole(const struct tui_reader *reader)
{
	return reader->path.count == 0 || reader->path.items[0].parent == 0;
}

/* --- spots and anchors --- */

static size_t node_of(const struct tui_reader *reader, size_t at)
{
	size_t n = 0;

	while (n < reader->path.count && reader->starts[n + 1] <= at)
		n++;
	if (n == reader->path.count && !reader->extra.on && n > 0)
		n--;
	return n;
}

static struct tui_anchor reader_anchor(const struct tui_reader *reader, struct tui_spot spot)
{
	const struct tui_block *block = &reader->blocks[spot.block];
	size_t node = block->node;
	size_t at = spot.at;

	if (reader->block_count == 0)
		return (struct tui_anchor){.node = 0};
	if (reader->mode == LOOM_BUFFER) {
		node = node_of(reader, spot.at);
		at -= reader->starts[node];
	}
	return (struct tui_anchor){
		.node = node < reader->path.count ? reader->path.items[node].id : 0,
		.kind = block->kind,
		.at = at,
	};
}

struct tui_spot tui_reader_spot(const struct tui_reader *reader, struct tui_anchor anchor)
{
	size_t node = path_index(reader, anchor.node);
	struct tui_spot none = {SIZE_MAX, 0};

	if (node == SIZE_MAX || reader->block_count == 0)
		return none;
	if (reader->mode == LOOM_BUFFER) {
		size_t at = reader->starts[node] + anchor.at;
		size_t n = reader->blocks[0].text.n;
		return (struct tui_spot){0, at < n ? at : n};
	}
	for (size_t i = 0; i < reader->block_count; i++) {
		const struct tui_block *block = &reader->blocks[i];
		if (block->node == node && block->kind == anchor.kind)
			return (struct tui_spot){i, anchor.at < block->text.n ? anchor.at
									      : block->text.n};
	}
	return none;
}

/* --- lines --- */

static bool ends_open(const struct tui_block *block)
{
	return block->writing && block->text.n > 0 && block->text.p[block->text.n - 1] == '\n';
}

bool tui_reader_next(const struct tui_reader *reader, struct tui_spot *spot)
{
	const struct tui_block *block;
	struct tui_line line;

	if (spot->block >= reader->block_count)
		return false;
	block = &reader->blocks[spot->block];
	if (block->kind == TUI_BLOCK_TEXT) {
		line = tui_wrap_line(block->text, spot->at, reader->width);
		if (line.next > spot->at &&
		    (line.next < block->text.n || (ends_open(block) && line.hard))) {
			spot->at = line.next;
			return true;
		}
	}
	if (spot->block + 1 >= reader->block_count)
		return false;
	*spot = (struct tui_spot){spot->block + 1, 0};
	return true;
}

static size_t last_line(const struct tui_block *block, int width)
{
	size_t n = block->text.n;

	if (block->kind != TUI_BLOCK_TEXT || n == 0)
		return 0;
	if (block->text.p[n - 1] == '\n' && !ends_open(block))
		n--;
	return tui_wrap_start(block->text, n, width);
}

static bool reader_prev(const struct tui_reader *reader, struct tui_spot *spot)
{
	if (reader->block_count == 0)
		return false;
	if (spot->at > 0) {
		spot->at = tui_wrap_up(reader->blocks[spot->block].text, spot->at, reader->width, 1,
				       NULL);
		return true;
	}
	if (spot->block == 0)
		return false;
	spot->block--;
	spot->at = last_line(&reader->blocks[spot->block], reader->width);
	return true;
}

static struct tui_spot line_start(const struct tui_reader *reader, struct tui_spot spot)
{
	const struct tui_block *block = &reader->blocks[spot.block];

	if (block->kind == TUI_BLOCK_TEXT && spot.at > 0)
		spot.at = spot.at >= block->text.n
				  ? last_line(block, reader->width)
				  : tui_wrap_start(block->text, spot.at, reader->width);
	return spot;
}

static int up(const struct tui_reader *reader, struct tui_spot *spot, int lines)
{
	int n = 0;

	while (n < lines && reader_prev(reader, spot))
		n++;
	return n;
}

static int down(const struct tui_reader *reader, struct tui_spot *spot, int lines)
{
	int n = 0;

	while (n < lines && tui_reader_next(reader, spot))
		n++;
	return n;
}

static struct tui_spot end_spot(const struct tui_reader *reader)
{
	struct tui_spot spot = {reader->block_count ? reader->block_count - 1 : 0, 0};

	if (reader->block_count) {
		if (reader->blocks[spot.block].kind == TUI_BLOCK_BLANK && spot.block > 0)
			spot.block--;
		spot.at = last_line(&reader->blocks[spot.block], reader->width);
	}
	return spot;
}

/* --- where one is --- */

static struct tui_anchor tip_anchor(const struct tui_reader *reader)
{
	enum tui_block_kind kind = reader->mode == LOOM_BUFFER ? TUI_BLOCK_TEXT : TUI_BLOCK_HEAD;

	return (struct tui_anchor){.node = reader->extra.on && reader->extra.instead ? 0
										     : reader->tip,
				   .kind = kind};
}

static struct tui_spot spot_or_tip(const struct tui_reader *reader, struct tui_anchor anchor)
{
	struct tui_spot spot = tui_reader_spot(reader, anchor);

	if (spot.block == SIZE_MAX)
		spot = tui_reader_spot(reader, tip_anchor(reader));
	if (spot.block == SIZE_MAX)
		spot = (struct tui_spot){0, 0};
	return reader->block_count ? line_start(reader, spot) : spot;
}

/* Goes up, loading more of the path as long as there is more and it is needed. */
static enum loom_status climb(struct tui_reader *reader, struct tui_spot *spot, int lines, int *out,
			      struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out = up(reader, spot, lines);
	while (*out < lines && !whole(reader) && status == LOOM_OK &&
	       reader->limit < SIZE_MAX / 4) {
		struct tui_anchor anchor = reader_anchor(reader, *spot);
		reader->limit *= 2;
		status = load(reader, err);
		*spot = spot_or_tip(reader, anchor);
		*out += up(reader, spot, lines - *out);
	}
	return status;
}

void tui_reader_show(struct tui_reader *reader, int64_t tip)
{
	if (reader->tip == tip && (!reader->stale || reader->top.node != -1))
		return;
	reader->tip = tip;
	reader->limit = TUI_READER_FIRST;
	reader->stale = true;
	reader->top = (struct tui_anchor){.node = -1};
	reader->caret = (struct tui_anchor){.node = -1};
}

void tui_reader_replace(struct tui_reader *reader, int64_t tip)
{
	reader->stale = reader->stale || reader->tip != tip;
	reader->tip = tip;
}

void tui_reader_refresh(struct tui_reader *reader)
{
	reader->stale = true;
}

/* Resolves a place in a text that is no longer being written: in the node it replaced, or where the
 * tip is shown again. */
static void give_back(const struct tui_reader *reader, struct tui_anchor *anchor)
{
	const struct loom_nodes *path = &reader->path;

	if (anchor->node != 0 || !reader->extra.on)
		return;
	anchor->node = -1;
	if (!reader->extra.instead || path->count == 0)
		return;
	anchor->node = path->items[path->count - 1].id;
	anchor->at = moved(reader->extra.text, path->items[path->count - 1].text, anchor->at);
}

/* Moves a place in the tip to the text that now replaces it. */
static void hand_over(const struct tui_reader *reader, struct tui_anchor *anchor)
{
	if (anchor->node == reader->tip)
		anchor->node = 0;
}

void tui_reader_extra(struct tui_reader *reader, const struct tui_extra *extra)
{
	bool was = reader->extra.on && reader->extra.instead;
	bool will = extra->on && extra->instead;

	if (!extra->on || (was && !will)) {
		give_back(reader, &reader->top);
		give_back(reader, &reader->caret);
	}
	if (will && !was) {
		hand_over(reader, &reader->top);
		hand_over(reader, &reader->caret);
	}
	reader->extra = *extra;
	if (!reader->stale)
		build(reader);
	else
		reader->block_count = 0; /* they may hold the text that was there before */
}

/* The lines above a selected node: two fifths of the height, so that siblings replace each other in
 * place, but fewer when its own text needs the room. */
static int lines_above(const struct tui_reader *reader, struct tui_spot spot)
{
	int above = reader->height * 2 / 5;
	int own = 1 + down(reader, &spot, reader->height - 1);

	return own <= reader->height - above ? above : reader->height - own;
}

/* Above a selected node is the text that leads to it. */
static enum loom_status place(struct tui_reader *reader, struct loom_err *err)
{
	struct tui_anchor tip = tip_anchor(reader);
	struct tui_spot spot = spot_or_tip(reader, tip);
	int lines = 0;
	enum loom_status status;

	/* Prose continues within a line whose start belongs to another node. */
	reader->caret =
		tui_reader_spot(reader, tip).block == SIZE_MAX ? reader_anchor(reader, spot) : tip;
	if (reader->mode == LOOM_DIALOGUE)
		reader->caret.kind = TUI_BLOCK_TEXT;
	status = climb(reader, &spot, lines_above(reader, spot), &lines, err);
	if (reader->block_count)
		reader->top = reader_anchor(reader, spot);
	return status;
}

/* How many lines `spot` is below the top: -1 when above it, at least `height` when below the last
 * line in sight. */
static int row_of(const struct tui_reader *reader, struct tui_spot spot)
{
	struct tui_spot at = spot_or_tip(reader, reader->top);
	int row = 0;

	if (spot.block < at.block || (spot.block == at.block && spot.at < at.at))
		return -1;
	while (row < reader->height && (at.block != spot.block || at.at != spot.at)) {
		if (!tui_reader_next(reader, &at))
			break;
		row++;
	}
	return row;
}

static void bring(struct tui_reader *reader, struct tui_spot spot, struct loom_err *err)
{
	struct tui_anchor anchor = reader_anchor(reader, spot);
	int row = row_of(reader, spot);
	int moved = 0;

	if (row >= 0 && row < reader->height)
		return;
	if (row < 0) {
		reader->top = anchor;
		return;
	}
	if (climb(reader, &spot, reader->height - 1, &moved, err) == LOOM_OK)
		reader->top = reader_anchor(reader, spot);
}

/* Scrolls until a line is in the middle third, so that what stands around it can be read. */
static void center(struct tui_reader *reader, struct tui_spot spot, struct loom_err *err)
{
	int row = row_of(reader, spot);
	int moved = 0;

	if (row >= reader->height / 3 && row <= reader->height * 2 / 3)
		return;
	if (climb(reader, &spot, reader->height / 2, &moved, err) == LOOM_OK)
		reader->top = reader_anchor(reader, spot);
}

static void take_aim(struct tui_reader *reader, struct loom_err *err)
{
	struct tui_anchor aim = reader->aim;

	reader->aim.node = 0;
	if (tui_reader_spot(reader, aim).block == SIZE_MAX)
		return;
	reader->caret = aim;
	center(reader, spot_or_tip(reader, aim), err);
}

enum loom_status tui_reader_fit(struct tui_reader *reader, int width, int height,
				struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	bool first = reader->top.node == -1;

	reader->width = width > 0 ? width : 1;
	reader->height = height > 0 ? height : 1;
	if (reader->stale)
		status = load(reader, err);
	if (status == LOOM_OK && first && reader->block_count)
		status = place(reader, err);
	if (status == LOOM_OK && reader->aim.node && reader->block_count)
		take_aim(reader, err);
	return status;
}

bool tui_reader_ready(struct tui_reader *reader, struct loom_err *err)
{
	bool behind = reader->stale || reader->top.node == -1 || reader->aim.node;

	if (behind && reader->width > 0 &&
	    tui_reader_fit(reader, reader->width, reader->height, err) != LOOM_OK)
		return false;
	return reader->block_count > 0;
}

void tui_reader_aim(struct tui_reader *reader, int64_t node, size_t at)
{
	reader->aim = (struct tui_anchor){.node = node, .kind = TUI_BLOCK_TEXT, .at = at};
}

void tui_reader_fill(struct tui_reader *reader, struct loom_err *err)
{
	struct tui_spot spot, end;
	int below;
	int moved = 0;

	if (reader->block_count == 0)
		return;
	spot = end = spot_or_tip(reader, reader->top);
	below = down(reader, &end, reader->height - 1);
	if (below < reader->height - 1 &&
	    climb(reader, &spot, reader->height - 1 - below, &moved, err) == LOOM_OK)
		reader->top = reader_anchor(reader, spot);
}

int tui_reader_scroll(struct tui_reader *reader, int lines, struct loom_err *err)
{
	struct tui_spot spot;
	struct tui_spot end;
	int moved = 0;

	if (!tui_reader_ready(reader, err))
		return 0;
	spot = spot_or_tip(reader, reader->top);
	if (lines < 0) {
		if (climb(reader, &spot, -lines, &moved, err) != LOOM_OK)
			return 0;
	} else {
		end = spot;
		/* The last line may scroll up to the middle, no further. */
		moved = down(reader, &end, reader->height / 2 + lines) - reader->height / 2;
		moved = down(reader, &spot, moved < 0 ? 0 : moved);
	}
	reader->top = reader_anchor(reader, spot);
	return moved;
}

int tui_reader_move(struct tui_reader *reader, int lines, struct loom_err *err)
{
	struct tui_spot spot;
	int moved = 0;

	if (!tui_reader_ready(reader, err))
		return 0;
	spot = spot_or_tip(reader, reader->caret);
	if (lines < 0 && climb(reader, &spot, -lines, &moved, err) != LOOM_OK)
		return 0;
	if (lines > 0)
		moved = down(reader, &spot, lines);
	reader->caret = reader_anchor(reader, spot);
	bring(reader, spot, err);
	return moved;
}

void tui_reader_to_end(struct tui_reader *reader, struct loom_err *err)
{
	struct tui_spot spot;

	if (!tui_reader_ready(reader, err))
		return;
	spot = end_spot(reader);
	reader->caret = reader_anchor(reader, spot);
	bring(reader, spot, err);
}

void tui_reader_to_start(struct tui_reader *reader, struct loom_err *err)
{
	struct tui_spot spot = {0, 0};
	int moved = 0;

	if (!tui_reader_ready(reader, err) ||
	    climb(reader, &spot, INT32_MAX, &moved, err) != LOOM_OK)
		return;
	reader->caret = reader->top = reader_anchor(reader, spot);
}

void tui_reader_see(struct tui_reader *reader, size_t at, struct loom_err *err)
{
	struct tui_anchor anchor = {.node = 0, .kind = TUI_BLOCK_TEXT, .at = at};

	if (reader->block_count == 0 || tui_reader_spot(reader, anchor).block == SIZE_MAX)
		return;
	bring(reader, spot_or_tip(reader, anchor), err);
}

void tui_reader_see_caret(struct tui_reader *reader, struct loom_err *err)
{
	if (reader->block_count)
		bring(reader, spot_or_tip(reader, reader->caret), err);
}

bool tui_reader_at(const struct tui_reader *reader, size_t *out_node, size_t *out_at)
{
	size_t node = path_index(reader, reader->caret.node);

	if (node >= reader->path.count)
		return false;
	*out_node = node;
	*out_at = reader->caret.kind == TUI_BLOCK_TEXT ? reader->caret.at : 0;
	return true;
}

bool tui_reader_more(const struct tui_reader *reader)
{
	struct tui_spot spot;

	if (reader->block_count == 0)
		return false;
	spot = spot_or_tip(reader, reader->top);
	return down(reader, &spot, reader->height) == reader->height &&
	       reader->blocks[spot.block].kind != TUI_BLOCK_BLANK;
}

/* --- words --- */

static bool is_blank(struct loom_str text, size_t at)
{
	return text.p[at] == ' ' || text.p[at] == '\n' || text.p[at] == '\t';
}

static bool begins_word(struct loom_str text, size_t at)
{
	return !is_blank(text, at) && (at == 0 || is_blank(text, at - 1));
}

/* The start of the word after `at` (by 1) or before it; SIZE_MAX when this text has none. */
static size_t word_beside(struct loom_str text, size_t at, int by)
{
	for (size_t i = at; by > 0 && i + 1 < text.n; i++)
		if (begins_word(text, i + 1))
			return i + 1;
	for (size_t i = at < text.n ? at : text.n; by < 0 && i > 0; i--)
		if (begins_word(text, i - 1))
			return i - 1;
	return SIZE_MAX;
}

bool tui_reader_word(struct tui_reader *reader, int by, struct loom_err *err)
{
	size_t node = 0;
	size_t at = 0;

	if (!tui_reader_ready(reader, err) || !tui_reader_at(reader, &node, &at))
		return false;
	at = word_beside(reader->path.items[node].text, at, by);
	while (at == SIZE_MAX) {
		struct loom_str text;

		if (by > 0 ? node + 1 >= reader->path.count : node == 0)
			return false;
		node = by > 0 ? node + 1 : node - 1;
		text = reader->path.items[node].text;
		at = by > 0 && text.n && begins_word(text, 0)
			     ? 0
			     : word_beside(text, by > 0 ? 0 : text.n, by);
	}
	reader->caret = (struct tui_anchor){.node = reader->path.items[node].id,
					    .kind = TUI_BLOCK_TEXT,
					    .at = at};
	bring(reader, spot_or_tip(reader, reader->caret), err);
	return true;
}

/* --- tokens --- */

const struct tui_lens *tui_reader_lens(struct tui_reader *reader, size_t node)
{
	const int64_t id = reader->path.items[node].id;
	struct loom_arena *arena = NULL;
	struct loom_seam seam;
	struct loom_str record;
	struct loom_str came;
	struct loom_str raw;

	if (reader->lens_read[node])
		return &reader->lenses[node];
	reader->lens_read[node] = true;
	arena = loom_arena_create();
	if (loom_node_generation(reader->store, id, arena, &record, &raw, NULL) == LOOM_OK &&
	    record.n && loom_node_came(reader->store, id, arena, &came, &seam, NULL) == LOOM_OK) {
		tui_lens_read(loom_arena_str(reader->arena, record), came, reader->arena,
			      &reader->lenses[node]);
		tui_lens_mend(&reader->lenses[node], &seam, came.n);
	}
	loom_arena_destroy(arena);
	return &reader->lenses[node];
}

const struct tui_token *tui_reader_token_at(struct tui_reader *reader, size_t *out_node)
{
	size_t at = 0;

	if (!reader->lens || reader->block_count == 0 || !tui_reader_at(reader, out_node, &at))
		return NULL;
	return tui_lens_at(tui_reader_lens(reader, *out_node), at);
}

/* The token after or before byte `at` of a node, or NULL. */
static const struct tui_token *token_beside(const struct tui_lens *lens, size_t at, int by)
{
	if (by > 0) {
		for (size_t i = 0; i < lens->count; i++)
			if (lens->items[i].from > at)
				return &lens->items[i];
		return NULL;
	}
	for (size_t i = lens->count; i-- > 0;)
		if (lens->items[i].from < at)
			return &lens->items[i];
	return NULL;
}

bool tui_reader_token(struct tui_reader *reader, int by, struct loom_err *err)
{
	const struct tui_token *token = NULL;
	size_t node = 0;
	size_t at = 0;

	if (!tui_reader_ready(reader, err) || !tui_reader_at(reader, &node, &at))
		return false;
	token = token_beside(tui_reader_lens(reader, node), at, by);
	while (!token) {
		const struct tui_lens *lens;

		if (by > 0 ? node + 1 >= reader->path.count : node == 0)
			return false;
		node = by > 0 ? node + 1 : node - 1;
		lens = tui_reader_lens(reader, node);
		if (lens->count)
			token = by > 0 ? &lens->items[0] : &lens->items[lens->count - 1];
	}
	reader->caret = (struct tui_anchor){.node = reader->path.items[node].id,
					    .kind = TUI_BLOCK_TEXT,
					    .at = token->from};
	bring(reader, spot_or_tip(reader, reader->caret), err);
	return true;
}
