/* Draws the texts of a page: as much before and after the place that is read as a page may hold,
 * and at each fork what else continues there.
 *
 * A page never grows with its tree: pieces are drawn until a number of bytes is reached, and what
 * is before and behind them is a link. */
#include "inside.h"

#include <loom/base/utf8.h>
#include <loom/text/sanitise.h>
#include <loom/text/xhtml.h>

/* Bytes of a page's texts, of those behind the place that is read, and of one text. */
#define WINDOW_MAX 34000
#define BEHIND_MAX 15000
#define TEXT_MAX   11000
#define NODES_MAX  120
/* Continuations and comments beside a text, and bytes of one of these; each kind has a page of its
 * own with all of them. */
#define BESIDE_MAX 6
#define TALK_MAX   3
#define SHORT_MAX  900
/* The most that is drawn of a text's first words, and of a text that stands for them. */
#define WORDS_CELLS 90
#define WORDS_BYTES 65536

/* ---- a text ---- */

/* Appends as much of a text as fits, and returns how much of it that was. */
static size_t put_part(struct loom_str text, size_t from, size_t most, struct loom_buf *out)
{
	const size_t begun = out->n;
	size_t at = from;

	while (at < text.n && out->n - begun < most) {
		struct loom_str piece = loom_utf8_clip(loom_str_sub(text, at, SIZE_MAX), 500);

		if (!piece.n)
			piece = loom_str_sub(text, at, 1);
		loom_xml_escape(out, piece);
		at += piece.n;
	}
	return at - from;
}

/* A byte that begins a character. */
static size_t start_of(struct loom_str text, size_t from)
{
	if (from >= text.n)
		return 0;
	while (from && ((unsigned char)text.p[from] & 0xC0u) == 0x80u)
		from--;
	return from;
}

static void put_byline(struct page_draw *draw, const struct loom_node *node, struct loom_buf *out)
{
	struct loom_buf plain = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf iso = LOOM_BUF_INIT(64);

	loom_buf_adds(out, "<h2><a href=\"?at=");
	page_put_id(draw->door, node, out);
	loom_buf_addc(out, '#');
	page_put_id(draw->door, node, out);
	loom_buf_adds(out, "\">");
	page_put_id(draw->door, node, out);
	loom_buf_adds(out, "</a> <bdi>");
	loom_show_author(&draw->show, node->author, true, &plain);
	loom_xml_escape(out, loom_shown_label(draw->door->grove.arena, loom_buf_str(&plain)));
	loom_time_iso(node->created, &iso);
	loom_buf_addf(out, "</bdi> <time datetime=\"%s\">%.10s</time>", loom_buf_cstr(&iso),
		      loom_buf_cstr(&iso));
	if (loom_node_damaged(draw->door->grove.store, node))
		loom_buf_adds(out, " <strong>damaged: this is not what was written</strong>");
	loom_buf_adds(out, "</h2>\n");
	loom_buf_fini(&plain);
	loom_buf_fini(&iso);
}

static void put_more(struct page_draw *draw, const struct loom_node *node, size_t from,
		     struct loom_buf *out)
{
	loom_buf_adds(out, "<p class=\"more\"><a href=\"?at=");
	page_put_id(draw->door, node, out);
	loom_buf_addf(out, "&amp;from=%zu\">More of this text</a></p>\n", from);
}

static const char *kind_of(const struct page_draw *draw, const struct loom_node *node)
{
	const struct loom_agent *author = loom_show_agent(&draw->show, node->author);

	return author && author->kind == LOOM_AGENT_MODEL ? "model" : "human";
}

static void put_text(struct page_draw *draw, const struct loom_node *node, size_t from,
		     struct loom_buf *out)
{
	const size_t begin = start_of(node->text, from);
	size_t taken = 0;

	loom_buf_addf(out, "<div class=\"text\" lang=\"\" dir=\"auto\">");
	taken = put_part(node->text, begin, TEXT_MAX, out);
	loom_buf_adds(out, "</div>\n");
	if (begin + taken < node->text.n)
		put_more(draw, node, begin + taken, out);
}

/* ---- what continues ---- */

/* A line that stands for a text in a list. */
static enum loom_status put_words(struct page_draw *draw, const struct loom_node *narrow,
				  struct loom_buf *out, struct loom_err *err)
{
	struct loom_buf words = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_node node;
	enum loom_status status = LOOM_OK;

	if (narrow->bytes > WORDS_BYTES) {
		loom_buf_addf(out, "a text of %zu bytes", narrow->bytes);
		return LOOM_OK;
	}
	status = loom_node_get(draw->door->grove.store, narrow->id, LOOM_NODE_TEXT,
			       draw->door->grove.arena, &node, err);
	if (status == LOOM_OK) {
		loom_show_sentence(node.text, &words);
		loom_shown_line(&line, loom_buf_str(&words), WORDS_CELLS);
		loom_xml_escape(out, line.n ? loom_buf_str(&line) : LOOM_STR("(nothing)"));
	}
	loom_buf_fini(&words);
	loom_buf_fini(&line);
	return status;
}

static enum loom_status put_continuation(struct page_draw *draw, const struct loom_node *node,
					 bool current, struct loom_buf *out, struct loom_err *err)
{
	enum loom_status status;

	loom_buf_adds(out, "<li><a href=\"?at=");
	page_put_id(draw->door, node, out);
	loom_buf_addc(out, '#');
	page_put_id(draw->door, node, out);
	loom_buf_addf(out, "\"%s><bdi>", current ? " aria-current=\"true\"" : "");
	status = put_words(draw, node, out, err);
	loom_buf_adds(out, "</bdi></a></li>\n");
	return status;
}

enum loom_status page_draw_fork(struct page_draw *draw, const struct loom_node *node,
				int64_t current, int64_t after, size_t most, struct loom_buf *out,
				struct loom_err *err)
{
	struct loom_nodes below = {NULL, 0};
	enum loom_status status =
		page_branch_below(draw->door, draw->branch, node, after, most, &below, err);

	if (status != LOOM_OK || !below.count)
		return status;
	loom_buf_adds(out, "<nav aria-label=\"What continues from ");
	page_put_id(draw->door, node, out);
	loom_buf_addf(out, "\">%s%lld %s from here%s<ol>\n", current ? "<details><summary>" : "<p>",
		      (long long)node->children,
		      loom_plural(node->children, "text continues", "texts continue"),
		      current ? "</summary>" : ":</p>");
	for (size_t i = 0; status == LOOM_OK && i < below.count; i++)
		status = put_continuation(draw, &below.items[i], below.items[i].group == current,
					  out, err);
	loom_buf_adds(out, "</ol>");
	if (status == LOOM_OK && below.count == most && node->children > (int64_t)most) {
		loom_buf_adds(out, "<p class=\"more\"><a href=\"?fork=");
		page_put_id(draw->door, node, out);
		loom_buf_addf(out, "&amp;after=%lld\">More of them</a></p>",
			      (long long)below.items[below.count - 1].ord);
	}
	loom_buf_addf(out, "%s</nav>\n", current ? "</details>" : "");
	return status;
}

/* ---- comments ---- */

enum loom_status page_draw_comments(struct page_draw *draw, const struct loom_node *node,
				    int64_t after, bool whole, struct loom_buf *out,
				    struct loom_err *err)
{
	const size_t most = whole ? PAGE_TALK : TALK_MAX;
	struct loom_nodes notes = {NULL, 0};
	bool cut = false;
	enum loom_status status =
		page_branch_comments(draw->door, draw->branch, node, after, most + 1, &notes, err);

	for (size_t i = 0; status == LOOM_OK && i < notes.count && i < most; i++) {
		const struct loom_agent *author =
			loom_show_agent(&draw->show, notes.items[i].author);

		loom_buf_adds(out, "<blockquote><p class=\"by\"><bdi>");
		loom_xml_escape(out, loom_shown_label(draw->door->grove.arena,
						      author ? author->name : LOOM_STR("a guest")));
		loom_buf_adds(out, "</bdi>:</p><div class=\"text\" lang=\"\" dir=\"auto\">");
		cut |= put_part(notes.items[i].text, 0, whole ? TEXT_MAX : SHORT_MAX, out) <
		       notes.items[i].text.n;
		loom_buf_adds(out, "</div></blockquote>\n");
	}
	if (status != LOOM_OK || (notes.count <= most && !cut) || (whole && notes.count <= most))
		return status;
	loom_buf_adds(out, "<p class=\"more\"><a href=\"?talk=");
	page_put_id(draw->door, node, out);
	loom_buf_addf(out, "&amp;after=%lld\">More comments</a></p>\n",
		      whole ? (long long)notes.items[most - 1].ord : 0LL);
	return LOOM_OK;
}

static enum loom_status put_talk(struct page_draw *draw, const struct loom_node *node,
				 struct loom_buf *out, struct loom_err *err)
{
	enum loom_status status = page_draw_comments(draw, node, 0, false, out, err);

	if (status != LOOM_OK || !draw->branch->pass->comments)
		return status;
	loom_buf_adds(out, "<p class=\"more\"><a href=\"?at=");
	page_put_id(draw->door, node, out);
	loom_buf_adds(out, "#comment\">Comment on this</a></p>\n");
	return LOOM_OK;
}

/* ---- the window ---- */

/* A text with all that is drawn about it. */
struct piece {
	struct loom_node node; /* narrow */
	struct loom_buf html;
};
struct window {
	struct piece pieces[NODES_MAX]; /* [0] is the place, [1] … behind it, the rest before it */
	size_t behind;
	size_t before;
	size_t bytes;
	bool more; /* the last one is continued by a single text */
};

/* Draws a piece; `next` is the group that continues it on this page, 0 if none does. */
static enum loom_status draw_piece(struct page_draw *draw, struct piece *piece, int64_t next,
				   size_t from, struct loom_err *err)
{
	struct loom_buf *out = &piece->html;
	struct loom_node node;
	const bool inside = page_branch_has(draw->door, draw->branch, &piece->node);
	enum loom_status status =
		loom_node_get(draw->door->grove.store, piece->node.id,
			      LOOM_NODE_TEXT | LOOM_NODE_HASH, draw->door->grove.arena, &node, err);

	if (status != LOOM_OK)
		return status;
	loom_buf_adds(out, "<article id=\"");
	page_put_id(draw->door, &node, out);
	loom_buf_addf(out, "\" class=\"%s\">\n", kind_of(draw, &node));
	put_byline(draw, &node, out);
	put_text(draw, &node, from, out);
	if (inside)
		status = put_talk(draw, &node, out, err);
	loom_buf_adds(out, "</article>\n");
	if (status == LOOM_OK && inside && node.children > 1)
		status = page_draw_fork(draw, &node, next, 0, BESIDE_MAX, out, err);
	return status;
}

/* Follows the text down while it does not fork. */
static enum loom_status draw_behind(struct page_draw *draw, struct window *window,
				    struct loom_err *err)
{
	struct loom_nodes below = {NULL, 0};
	struct piece *piece = &window->pieces[0];
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK) {
		status = page_branch_below(draw->door, draw->branch, &piece->node, 0, 2, &below,
					   err);
		window->more = status == LOOM_OK && below.count == 1;
		if (!window->more || window->bytes >= BEHIND_MAX ||
		    window->behind + 1 >= NODES_MAX / 2)
			break;
		piece = &window->pieces[++window->behind];
		*piece =
			(struct piece){.node = below.items[0], .html = LOOM_BUF_INIT(LOOM_BUF_MAX)};
		status = draw_piece(draw, piece, 0, 0, err);
		window->bytes += piece->html.n;
	}
	return status;
}

static enum loom_status draw_before(struct page_draw *draw, struct window *window,
				    struct loom_err *err)
{
	const size_t room = NODES_MAX - window->behind - 1;
	const struct loom_path_end end = {.tip = window->pieces[0].node.id,
					  .thread = draw->branch->thread,
					  .limit = room + 1,
					  .parts = LOOM_NODE_NARROW};
	struct loom_nodes path = {NULL, 0};
	enum loom_status status = loom_node_path_end(draw->door->grove.store, &end,
						     draw->door->grove.arena, &path, err);

	for (size_t i = path.count; status == LOOM_OK && i > 1 && window->bytes < WINDOW_MAX; i--) {
		struct piece *piece = &window->pieces[window->behind + ++window->before];

		*piece = (struct piece){.node = path.items[i - 2],
					.html = LOOM_BUF_INIT(LOOM_BUF_MAX)};
		status = draw_piece(draw, piece, path.items[i - 1].group, 0, err);
		window->bytes += piece->html.n;
	}
	return status;
}

static void put_link(struct page_draw *draw, const struct loom_node *node, const char *words)
{
	loom_buf_adds(&draw->out, "<p class=\"more\"><a href=\"?at=");
	page_put_id(draw->door, node, &draw->out);
	loom_buf_addc(&draw->out, '#');
	page_put_id(draw->door, node, &draw->out);
	loom_buf_addf(&draw->out, "\">%s</a></p>\n", words);
}

static void put_window(struct page_draw *draw, const struct window *window)
{
	const struct piece *first =
		&window->pieces[window->before ? window->behind + window->before : 0];
	const struct piece *last = &window->pieces[window->behind];

	if (first->node.parent)
		put_link(draw, &first->node, "Earlier");
	for (size_t i = window->before; i; i--)
		loom_buf_add(&draw->out, loom_buf_str(&window->pieces[window->behind + i].html));
	for (size_t i = 0; i <= window->behind; i++)
		loom_buf_add(&draw->out, loom_buf_str(&window->pieces[i].html));
	if (window->more)
		put_link(draw, &last->node, "Later");
	else if (!last->node.children)
		loom_buf_adds(&draw->out, "<p class=\"end\">This is where it ends for now.</p>\n");
}

enum loom_status page_draw_text(struct page_draw *draw, const struct loom_node *at,
				struct loom_err *err)
{
	struct window *window = loom_alloc(sizeof *window);
	enum loom_status status;

	*window = (struct window){.behind = 0};
	window->pieces[0] = (struct piece){.node = *at, .html = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	status = draw_piece(draw, &window->pieces[0], 0, draw->wish->from, err);
	window->bytes = window->pieces[0].html.n;
	if (status == LOOM_OK)
		status = draw_behind(draw, window, err);
	if (status == LOOM_OK)
		status = draw_before(draw, window, err);
	if (status == LOOM_OK)
		put_window(draw, window);
	for (size_t i = 0; i < NODES_MAX; i++)
		loom_buf_fini(&window->pieces[i].html);
	free(window);
	return status;
}
