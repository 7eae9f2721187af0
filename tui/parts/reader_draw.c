/* The look of the reader: headers, authors' colours, boundary marks, lightly styled Markdown. */
#include <loom/parts/reader.h>

#include <loom/base/env.h>
#include <loom/tree/say_node.h>

#include <loom/terminal/wrap.h>

struct drawing {
	struct tui_reader *reader;
	struct tui_grid *grid;
	struct tui_rect rect;
	const struct tui_reader_look *look;
};

static void say_count(struct loom_buf *out, int64_t n, const char *one, const char *many)
{
	if (n == 0)
		return;
	loom_buf_adds(out, " · ");
	loom_buf_add_count(out, (uint64_t)n);
	loom_buf_addf(out, " %s", n == 1 ? one : many);
}

/* What a person said of the node, and how its text ended. */
static void say_signs(const struct drawing *drawing, const struct loom_node *node,
		      struct loom_buf *out)
{
	const struct tui_reader *reader = drawing->reader;
	struct loom_signs signs;
	int64_t notes = 0;

	if (loom_node_count(reader->store, node->group, LOOM_ANNOTATION, &notes, NULL) == LOOM_OK)
		say_count(out, notes, "note", "notes");
	if (loom_node_signs(reader->store, node->id, reader->scratch, &signs, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < signs.tag_count; i++)
		loom_buf_addf(out, "%s#%.*s", i ? " " : " · ", LOOM_STR_ARG(signs.tags[i]));
	if (signs.rated)
		loom_buf_adds(out, signs.rated > 0 ? " · good" : " · bad");
	if (signs.ending)
		loom_buf_addf(out, " · %s", loom_ending_name(signs.ending));
}

/* [a7x2] human · 3m ago · depth:7 · 3 continuations · 1 note */
static void header_text(const struct drawing *drawing, const struct loom_node *node,
			struct loom_buf *out)
{
	const struct tui_reader *reader = drawing->reader;
	char id[LOOM_LOCAL_MAX];

	loom_buf_add(out, tui_people_name(reader->people, node->author));
	loom_buf_adds(out, " · ");
	loom_time_ago(node->created, drawing->look->now, true, out);
	loom_buf_addf(out, " · depth:%lld", (long long)node->depth);
	say_count(out, node->children, "continuation", "continuations");
	say_signs(drawing, node, out);
	if (loom_node_damaged(reader->store, node)) {
		loom_local_text(reader->key, node->local, id);
		loom_buf_addf(out, " · " LOOM_SHOW_DAMAGED "%s", id);
	}
	if (node->excluded)
		loom_buf_adds(out, " · excluded");
	if (node->bookmarked && node->label.n)
		loom_buf_addf(out, " · \"%.*s\"", LOOM_STR_ARG(node->label));
}

static void draw_header(const struct drawing *drawing, const struct loom_node *node, int y)
{
	struct tui_rect row = {drawing->rect.x, drawing->rect.y + y, drawing->rect.w, 1};
	struct tui_pen pen = tui_pen_make(drawing->grid, row, TUI_INK(DIM));
	struct loom_buf text = LOOM_BUF_INIT(4096);
	char id[LOOM_LOCAL_MAX];

	loom_local_text(drawing->reader->key, node->local, id);
	pen.ink = TUI_INK(ID);
	tui_pen_format(&pen, "[%s] ", id);
	if (node->bookmarked) {
		pen.ink = TUI_INK(BOOKMARK);
		tui_pen_symbol(&pen, TUI_SYMBOL_BOOKMARK);
		tui_pen_blank(&pen, 1);
	}
	header_text(drawing, node, &text);
	pen.ink = TUI_INK(DIM);
	tui_pen_cut(&pen, loom_buf_str(&text), tui_pen_left(&pen));
	loom_buf_fini(&text);
}

static void draw_extra_header(const struct drawing *drawing, int y)
{
	struct tui_rect row = {drawing->rect.x, drawing->rect.y + y, drawing->rect.w, 1};
	struct tui_pen pen = tui_pen_make(drawing->grid, row, TUI_INK(DRAFT));

	pen.ink.role = (uint8_t)drawing->reader->extra.role;
	tui_pen_symbol(&pen, TUI_SYMBOL_DRAFT);
	tui_pen_blank(&pen, 1);
	tui_pen_cut(&pen, drawing->reader->extra.title, tui_pen_left(&pen));
}

/* --- text --- */

/* The role that the start of a paragraph gives its lines. */
static enum tui_role line_role(struct loom_str text, size_t from, enum tui_role author)
{
	size_t start = from;
	size_t marks = 0;

	while (start > 0 && text.p[start - 1] != '\n' && from - start < TUI_WRAP_BLOCK)
		start--;
	while (start + marks < text.n && text.p[start + marks] == '#')
		marks++;
	if (marks > 0 && marks <= 6 && start + marks < text.n && text.p[start + marks] == ' ')
		return TUI_ROLE_HEADING;
	if (start < text.n && text.p[start] == '>')
		return TUI_ROLE_QUOTE;
	if (loom_str_starts(loom_str_sub(text, start, 4), LOOM_STR("    ")) ||
	    loom_str_starts(loom_str_sub(text, start, 3), LOOM_STR("```")))
		return TUI_ROLE_CODE;
	return author;
}

/* The end of the next piece of one style: `code` and *emphasis* within a line. */
static size_t styled_piece(struct loom_str line, size_t at, uint8_t *attr, bool *code)
{
	char c = line.p[at];
	size_t end = loom_str_find_char(line, c, at + 1);

	*code = c == '`' && end != SIZE_MAX;
	*attr = 0;
	if (*code)
		return end + 1;
	if (c == '*' && end != SIZE_MAX && end > at + 1 && line.p[at + 1] != ' ') {
		*attr = TUI_ITALIC;
		return end + 1;
	}
	if (c == '*' && end == at + 1) {
		size_t close = loom_str_find(line, LOOM_STR("**"), end + 1);
		*attr = close != SIZE_MAX ? TUI_BOLD : 0;
		return close != SIZE_MAX ? close + 2 : end + 1;
	}
	for (end = at + 1; end < line.n && line.p[end] != '`' && line.p[end] != '*'; end++)
		continue;
	return end;
}

static void draw_styled(struct tui_pen *pen, struct loom_str line)
{
	struct tui_ink plain = pen->ink;

	for (size_t at = 0; at < line.n;) {
		bool code = false;
		uint8_t attr = 0;
		size_t end = styled_piece(line, at, &attr, &code);

		pen->ink = plain;
		pen->ink.attr |= attr;
		if (code)
			pen->ink.role = TUI_ROLE_CODE;
		tui_pen_text(pen, loom_str_sub(line, at, end - at));
		at = end;
	}
	pen->ink = plain;
}

/* Draws a text with each token shaded by its probability; unknown ones are dim. `from` and `to` are
 * bytes of the text, which begins at `start` of the block. */
static void draw_tokens(struct drawing *drawing, struct tui_pen *pen, size_t node, size_t from,
			size_t to)
{
	struct tui_reader *reader = drawing->reader;
	const struct tui_lens *lens = tui_reader_lens(reader, node);
	struct loom_str text = reader->path.items[node].text;
	size_t under = SIZE_MAX;
	size_t caret = 0;
	bool here =
		drawing->look->focused && tui_reader_at(reader, &under, &caret) && under == node;
	struct tui_ink plain = pen->ink;

	while (from < to) {
		const struct tui_token *token = tui_lens_at(lens, from);
		size_t end = token && token->to < to ? token->to : to;

		pen->ink = plain;
		pen->ink.role = (uint8_t)(token ? tui_lens_role(token->chance) : TUI_ROLE_DIM);
		if (here && token && token->from <= caret && caret < token->to)
			pen->ink.ground = TUI_ROLE_SELECTED;
		tui_pen_text(pen, loom_str_sub(text, from, end - from));
		from = end;
	}
	pen->ink = plain;
}

/* Draws the text being written, with the labels of its folds. `from` and `to` are bytes of it. */
static void draw_extra(const struct drawing *drawing, struct tui_pen *pen, size_t from, size_t to)
{
	const struct tui_extra *extra = &drawing->reader->extra;
	struct tui_ink plain = pen->ink;

	plain.role = (uint8_t)extra->role;
	for (size_t i = 0; from < to; i++) {
		const struct tui_fold *label =
			extra->labels && i < extra->labels->count ? &extra->labels->items[i] : NULL;
		size_t begin = label && label->from < to ? label->from : to;
		size_t end = label && label->to < to ? label->to : to;

		if (end <= from)
			continue;
		pen->ink = plain;
		if (begin > from)
			tui_pen_text(pen, loom_str_sub(extra->text, from, begin - from));
		begin = begin > from ? begin : from;
		pen->ink.role = TUI_ROLE_MARK;
		tui_pen_text(pen, loom_str_sub(extra->text, begin, end - begin));
		from = end;
	}
	pen->ink = plain;
}

static void draw_message_line(struct drawing *drawing, struct tui_pen *pen,
			      const struct tui_block *block, const struct tui_line *line)
{
	struct tui_reader *reader = drawing->reader;
	enum tui_role author;

	if (block->writing) {
		draw_extra(drawing, pen, line->from, line->to);
		return;
	}
	author = tui_people_role(reader->people, reader->path.items[block->node].author);
	if (reader->lens) {
		draw_tokens(drawing, pen, block->node, line->from, line->to);
		return;
	}
	pen->ink.role = (uint8_t)line_role(block->text, line->from, author);
	draw_styled(pen, loom_str_sub(block->text, line->from, line->to - line->from));
}

/* The author of byte `at` of a node, and in *end the end of that author's run; both in the node's
 * own text. */
static int64_t author_at(struct tui_reader *reader, size_t n, size_t at, size_t *end)
{
	const struct loom_node *node = &reader->path.items[n];
	const struct tui_share *share;

	*end = node->text.n;
	if (!node->edited_from)
		return node->author;
	if (!reader->shares_read[n]) {
		reader->shares_read[n] = true;
		tui_shares_read(reader->store, node->id, reader->arena, &reader->shares[n]);
	}
	share = tui_shares_at(&reader->shares[n], at);
	if (!share)
		return node->author;
	*end = share->to;
	return share->author;
}

/* Draws a piece of one node of a buffer in the colours of its authors. */
static void draw_prose_piece(struct drawing *drawing, struct tui_pen *pen, size_t n, size_t from,
			     size_t to)
{
	struct tui_reader *reader = drawing->reader;
	struct loom_str text = loom_buf_str(&reader->prose);
	size_t start = reader->starts[n];

	if (n >= reader->path.count) {
		draw_extra(drawing, pen, from - start, to - start);
		return;
	}
	if (reader->lens) {
		draw_tokens(drawing, pen, n, from - start, to - start);
		return;
	}
	while (from < to) {
		size_t end = 0;
		int64_t author = author_at(reader, n, from - start, &end);

		end = start + end < to ? start + end : to;
		pen->ink.role = (uint8_t)tui_people_role(reader->people, author);
		tui_pen_text(pen, loom_str_sub(text, from, end - from));
		from = end;
	}
}

static size_t prose_node(const struct tui_reader *reader, size_t at)
{
	size_t n = 0;

	while (n < reader->path.count && reader->starts[n + 1] <= at)
		n++;
	return n;
}

static void draw_prose_line(struct drawing *drawing, struct tui_pen *pen,
			    const struct tui_line *line)
{
	struct tui_reader *reader = drawing->reader;
	size_t at = line->from;

	while (at < line->to) {
		size_t n = prose_node(reader, at);
		size_t end = reader->starts[n + 1] < line->to ? reader->starts[n + 1] : line->to;

		if (n > reader->path.count)
			break;
		/* Nothing is inserted between the texts: the first character's look is the mark. */
		if (reader->boundaries && at == reader->starts[n] && n > 0 && end > at) {
			size_t next = at;
			struct tui_ink plain = pen->ink;

			tui_wrap_step(loom_buf_str(&reader->prose), &next, 0);
			next = next < end ? next : end;
			pen->ink.ground = TUI_ROLE_BOUNDARY;
			pen->ink.attr |= TUI_UNDERLINE;
			draw_prose_piece(drawing, pen, n, at, next);
			pen->ink = plain;
			at = next;
		}
		draw_prose_piece(drawing, pen, n, at, end);
		at = end;
	}
}

/* --- marks over the text --- */

static void mark_found(struct drawing *drawing, const struct tui_block *block,
		       const struct tui_line *line, int y)
{
	struct loom_str found = drawing->look->found;
	struct loom_str text = loom_str_sub(block->text, line->from, line->to - line->from);
	size_t at = 0;

	while (found.n > 0 && (at = loom_str_find(text, found, at)) != SIZE_MAX) {
		int x = tui_wrap_column(block->text, line->from, line->from + at);
		int w = tui_wrap_column(block->text, line->from, line->from + at + found.n) - x;
		struct tui_rect rect = {drawing->rect.x + x, drawing->rect.y + y, w, 1};

		tui_grid_ground(drawing->grid, rect, TUI_ROLE_MATCH);
		at += found.n;
	}
}

static void put_cursor(struct drawing *drawing, int x, int y)
{
	drawing->grid->cursor_x = drawing->rect.x + (x < drawing->rect.w ? x : drawing->rect.w - 1);
	drawing->grid->cursor_y = drawing->rect.y + y;
	drawing->grid->cursor_shown = true;
}

/* Places the caret of the text being written, when it is on this line. */
static void place_caret(struct drawing *drawing, size_t block_at, const struct tui_block *block,
			const struct tui_line *line, int y)
{
	struct tui_reader *reader = drawing->reader;
	size_t at = drawing->look->caret_at;
	struct tui_spot next = {block_at, line->from};

	if (!reader->extra.on || !reader->extra.caret || !block->writing)
		return;
	if (reader->mode == LOOM_BUFFER)
		at += reader->starts[reader->path.count];
	if (at < line->from)
		return;
	if (tui_reader_next(reader, &next) && next.block == block_at && at >= next.at)
		return;
	put_cursor(drawing, tui_wrap_column(block->text, line->from, at), y);
}

static void draw_text(struct drawing *drawing, struct tui_spot spot, int y)
{
	struct tui_reader *reader = drawing->reader;
	const struct tui_block *block = &reader->blocks[spot.block];
	struct tui_line line = tui_wrap_line(block->text, spot.at, reader->width);
	struct tui_rect row = {drawing->rect.x, drawing->rect.y + y, drawing->rect.w, 1};
	struct tui_pen pen = tui_pen_make(drawing->grid, row, TUI_INK(TEXT));

	if (reader->mode == LOOM_BUFFER)
		draw_prose_line(drawing, &pen, &line);
	else
		draw_message_line(drawing, &pen, block, &line);
	mark_found(drawing, block, &line, y);
	place_caret(drawing, spot.block, block, &line, y);
}

static void draw_line(struct drawing *drawing, struct tui_spot spot, int y)
{
	const struct tui_block *block = &drawing->reader->blocks[spot.block];

	if (block->kind == TUI_BLOCK_TEXT)
		draw_text(drawing, spot, y);
	else if (block->kind == TUI_BLOCK_HEAD && block->writing)
		draw_extra_header(drawing, y);
	else if (block->kind == TUI_BLOCK_HEAD)
		draw_header(drawing, &drawing->reader->path.items[block->node], y);
}

static bool caret_here(const struct tui_reader *reader, struct tui_spot spot, int *column)
{
	struct tui_spot caret = tui_reader_spot(reader, reader->caret);
	struct tui_spot next = spot;

	*column = 0;
	if (caret.block != spot.block || caret.at < spot.at)
		return false;
	if (reader->blocks[spot.block].kind != TUI_BLOCK_TEXT)
		return true;
	*column = tui_wrap_column(reader->blocks[spot.block].text, spot.at, caret.at);
	return !tui_reader_next(reader, &next) || next.block != spot.block || caret.at < next.at;
}

int tui_reader_draw(struct tui_reader *reader, struct tui_grid *grid, struct tui_rect rect,
		    const struct tui_reader_look *look)
{
	struct drawing drawing = {reader, grid, rect, look};
	struct tui_spot spot = tui_reader_spot(reader, reader->top);
	int column;

	loom_arena_reset(reader->scratch);
	if (reader->block_count == 0)
		return 0;
	if (spot.block == SIZE_MAX)
		spot = (struct tui_spot){0, 0};
	for (int y = 0; y < rect.h; y++) {
		draw_line(&drawing, spot, y);
		if (look->focused && !reader->extra.caret && caret_here(reader, spot, &column))
			put_cursor(&drawing, column, y);
		if (!tui_reader_next(reader, &spot))
			return y + 1;
	}
	return rect.h;
}
