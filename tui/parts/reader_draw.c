/* The look of the reader: headers, authors' colours, boundary marks, lightly styled Markdown. */
#include <loom/parts/reader.h>

#include <ctype.h>

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

/* Says what a person thought of the node, and how its text ended. */
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

/* A piece of one style, and how many bytes of marks stand at each of its ends. The marks are not
 * drawn: what they mean is. */
struct piece {
	size_t from, to;
	size_t marks;
	uint8_t attr;
	bool code;
};

static bool in_word(struct loom_str text, size_t at)
{
	return at < text.n && (isalnum((unsigned char)text.p[at]) || (text.p[at] & 0x80));
}

/* The marks of emphasis at `at`, and in *end where those begin that close it; 0 for none. A product
 * of numbers, or a bullet, is none. */
static size_t emphasis_at(struct loom_str text, size_t at, size_t *end)
{
	const size_t n = text.p[at + 1 < text.n ? at + 1 : at] == '*' && at + 1 < text.n ? 2 : 1;
	const struct loom_str marks = loom_str_sub(text, at, n);

	*end = loom_str_find(text, marks, at + n);
	if ((at > 0 && in_word(text, at - 1)) || *end == SIZE_MAX || *end <= at + n ||
	    text.p[at + n] == ' ' || text.p[at + n] == '*' || text.p[*end - 1] == ' ' ||
	    in_word(text, *end + n))
		return 0;
	return n;
}

/* The piece of a paragraph that begins at `at`. */
static struct piece piece_at(struct loom_str text, size_t at)
{
	struct piece piece = {.from = at};
	size_t end = SIZE_MAX;

	if (text.p[at] == '`') {
		end = loom_str_find_char(text, '`', at + 1);
		piece.marks = end != SIZE_MAX && end > at + 1;
		piece.code = piece.marks > 0;
	} else if (text.p[at] == '*') {
		piece.marks = emphasis_at(text, at, &end);
		piece.attr = piece.marks == 2 ? TUI_BOLD : piece.marks ? TUI_ITALIC : 0;
	}
	if (piece.marks) {
		piece.to = end + piece.marks;
		return piece;
	}
	for (end = at + 1; end < text.n && text.p[end] != '`' && text.p[end] != '*'; end++)
		continue;
	while (end < text.n && end == at + 1 && text.p[at] == '*' && text.p[end] == '*')
		end++;
	piece.to = end;
	return piece;
}

/* The paragraph that a line is of, as far as marks in it are looked for. */
static struct loom_str paragraph_of(struct loom_str text, const struct tui_line *line, size_t *from)
{
	size_t start = line->from;
	size_t end = line->to;

	while (start > 0 && text.p[start - 1] != '\n' && line->from - start < TUI_WRAP_BLOCK)
		start--;
	while (end < text.n && text.p[end] != '\n' && end - line->to < TUI_WRAP_BLOCK)
		end++;
	*from = start;
	return loom_str_sub(text, start, end - start);
}

/* Calls `draw` for each part of a line that is shown, with its style. */
typedef void draw_part(void *ctx, size_t from, size_t to, const struct piece *piece);

static void each_part(struct loom_str text, const struct tui_line *line, draw_part *draw, void *ctx)
{
	size_t base = 0;
	const struct loom_str paragraph = paragraph_of(text, line, &base);

	for (size_t at = 0; at < paragraph.n && base + at < line->to;) {
		const struct piece piece = piece_at(paragraph, at);
		size_t from = base + piece.from + piece.marks;
		size_t to = base + piece.to - piece.marks;

		from = from > line->from ? from : line->from;
		to = to < line->to ? to : line->to;
		if (from < to)
			draw(ctx, from, to, &piece);
		at = piece.to;
	}
}

struct counting {
	struct loom_str text;
	size_t at;
	int cells;
};

static void count_part(void *ctx, size_t from, size_t to, const struct piece *piece)
{
	struct counting *counting = ctx;

	(void)piece;
	to = to < counting->at ? to : counting->at;
	if (from < to)
		counting->cells += tui_wrap_column(counting->text, from, to);
}

struct styling {
	struct drawing *drawing;
	struct tui_pen *pen;
	const struct tui_block *block;
	struct tui_ink plain;
};

static void draw_message_part(void *ctx, size_t from, size_t to, const struct piece *piece)
{
	struct styling *styling = ctx;

	styling->pen->ink = styling->plain;
	styling->pen->ink.attr |= piece->attr;
	if (piece->code)
		styling->pen->ink.role = TUI_ROLE_CODE;
	tui_pen_text(styling->pen, loom_str_sub(styling->block->text, from, to - from));
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
	each_part(block->text, line, draw_message_part,
		  &(struct styling){drawing, pen, block, pen->ink});
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

/* Draws a part of a line of prose, which may be of several nodes. */
static void draw_prose_part(void *ctx, size_t at, size_t to, const struct piece *piece)
{
	struct styling *styling = ctx;
	struct tui_reader *reader = styling->drawing->reader;
	struct tui_pen *pen = styling->pen;

	while (at < to) {
		size_t n = prose_node(reader, at);
		size_t end = reader->starts[n + 1] < to ? reader->starts[n + 1] : to;

		if (n > reader->path.count)
			break;
		pen->ink = styling->plain;
		pen->ink.attr |= piece->attr;
		/* Nothing is inserted between the texts: the first character's look is the mark. */
		if (reader->boundaries && at == reader->starts[n] && n > 0 && end > at) {
			size_t next = at;
			struct tui_ink plain = pen->ink;

			tui_wrap_step(loom_buf_str(&reader->prose), &next, 0);
			next = next < end ? next : end;
			pen->ink.ground = TUI_ROLE_BOUNDARY;
			pen->ink.attr |= TUI_UNDERLINE;
			draw_prose_piece(styling->drawing, pen, n, at, next);
			pen->ink = plain;
			at = next;
		}
		draw_prose_piece(styling->drawing, pen, n, at, end);
		at = end;
	}
	pen->ink = styling->plain;
}

/* Whether the marks of this line are hidden: not under the lens, which shows every token, and not
 * in a text that is being written. */
static bool hides_marks(const struct tui_reader *reader, const struct tui_block *block,
			const struct tui_line *line)
{
	if (reader->lens || block->writing)
		return false;
	return reader->mode != LOOM_BUFFER || line->to <= reader->starts[reader->path.count] ||
	       !reader->extra.on;
}

static void draw_prose_line(struct drawing *drawing, struct tui_pen *pen,
			    const struct tui_block *block, const struct tui_line *line)
{
	static const struct piece whole = {.marks = 0};
	struct styling styling = {drawing, pen, block, pen->ink};

	if (hides_marks(drawing->reader, block, line))
		each_part(loom_buf_str(&drawing->reader->prose), line, draw_prose_part, &styling);
	else
		draw_prose_part(&styling, line->from, line->to, &whole);
}

/* The column of a byte in a line as it is drawn. */
static int column_of(const struct tui_reader *reader, const struct tui_block *block,
		     const struct tui_line *line, size_t at)
{
	struct counting counting = {block->text, at, 0};

	if (!hides_marks(reader, block, line))
		return tui_wrap_column(block->text, line->from, at);
	each_part(block->text, line, count_part, &counting);
	return counting.cells;
}

/* --- marks over the text --- */

static void mark_found(struct drawing *drawing, const struct tui_block *block,
		       const struct tui_line *line, int y)
{
	struct loom_str found = drawing->look->found;
	struct loom_str text = loom_str_sub(block->text, line->from, line->to - line->from);
	size_t at = 0;

	while (found.n > 0 && (at = loom_str_find(text, found, at)) != SIZE_MAX) {
		int x = column_of(drawing->reader, block, line, line->from + at);
		int w = column_of(drawing->reader, block, line, line->from + at + found.n) - x;
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
		draw_prose_line(drawing, &pen, block, &line);
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
	struct tui_line line;

	*column = 0;
	if (caret.block != spot.block || caret.at < spot.at)
		return false;
	if (reader->blocks[spot.block].kind != TUI_BLOCK_TEXT)
		return true;
	line = tui_wrap_line(reader->blocks[spot.block].text, spot.at, reader->width);
	*column = column_of(reader, &reader->blocks[spot.block], &line, caret.at);
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
