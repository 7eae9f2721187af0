/* Draws a page as a whole. Everything in it that comes from the grove is escaped; nothing in it
 * runs or is fetched from elsewhere, which the headers say as well. */
#include "inside.h"

#include <loom/text/sanitise.h>
#include <loom/text/xhtml.h>

#define LIST_MAX 50

/* ---- around it ---- */

static void put_title(struct page_draw *draw, struct loom_buf *out)
{
	const struct loom_str title = draw->branch->tree.title;

	loom_xml_escape(out, title.n ? loom_shown_label(draw->door->grove.arena, title)
				     : LOOM_STR("untitled"));
}

/* Without scripts a page renews itself, unless somebody is writing on it. */
static void put_head(struct page_draw *draw, struct loom_buf *out)
{
	loom_buf_adds(out,
		      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"robots\" content=\"noindex\">\n<title>");
	put_title(draw, out);
	loom_buf_adds(out, "</title>\n<link rel=\"stylesheet\" href=\"../page.css\">\n"
			   "<script src=\"../page.js\" defer></script>\n");
	if (!draw->branch->pass->comments)
		loom_buf_adds(
			out, "<noscript><meta http-equiv=\"refresh\" content=\"30\"></noscript>\n");
	loom_buf_adds(out, "</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the text</a>\n"
			   "<header><h1><bdi>");
	put_title(draw, out);
	loom_buf_adds(out, "</bdi></h1></header>\n");
}

/* The query by which this very page is asked for. */
static void put_query(const struct page_wish *wish, struct loom_buf *out)
{
	if (wish->fork.p)
		loom_buf_addf(out, "fork=%.*s&amp;after=%lld", LOOM_STR_ARG(wish->fork),
			      (long long)wish->after);
	else if (wish->talk.p)
		loom_buf_addf(out, "talk=%.*s&amp;after=%lld", LOOM_STR_ARG(wish->talk),
			      (long long)wish->after);
	else if (wish->at.p)
		loom_buf_addf(out, "at=%.*s&amp;from=%zu", LOOM_STR_ARG(wish->at), wish->from);
}

static void put_all(struct page_draw *draw, const struct loom_hash *seen, struct loom_buf *out)
{
	const struct page_wish *wish = draw->wish;

	put_head(draw, out);
	loom_buf_adds(out, "<main id=\"main\" data-seen=\"");
	loom_hex(seen->bytes, 8, out);
	loom_buf_addf(out, "\" data-events=\"%.*s/events?", LOOM_STR_ARG(wish->secret));
	put_query(wish, out);
	loom_buf_adds(out, "\">\n");
	loom_buf_add(out, loom_buf_str(&draw->out));
	loom_buf_add(out, loom_buf_str(&draw->form));
	loom_buf_adds(out,
		      "</main>\n<p id=\"news\" role=\"status\" aria-live=\"polite\"></p>\n"
		      "<footer><p>A branch of text, shared from <span translate=\"no\">loom</span>."
		      "</p></footer>\n</body>\n</html>\n");
}

/* ---- the form ---- */

static void put_form(struct page_draw *draw, const struct loom_node *node)
{
	const struct page_refused *refused = draw->refused;
	const struct page_wish *wish = draw->wish;
	struct loom_buf *out = &draw->form;

	loom_buf_addf(out, "<form id=\"comment\" method=\"post\" action=\"%.*s/comment\">\n",
		      LOOM_STR_ARG(wish->secret));
	if (refused)
		loom_buf_addf(out, "<p role=\"alert\"><strong>%s</strong></p>\n", refused->why);
	loom_buf_adds(out, "<h2>Comment on <bdi>");
	page_put_id(draw->door, node, out);
	loom_buf_adds(out, "</bdi></h2>\n<input type=\"hidden\" name=\"at\" value=\"");
	page_put_id(draw->door, node, out);
	loom_buf_adds(out, "\">\n<input type=\"hidden\" name=\"token\" value=\"");
	page_form_token(draw->door, wish->secret, node, out);
	loom_buf_addf(out,
		      "\">\n<p><label for=\"name\">Your name</label><br>\n<input id=\"name\" "
		      "name=\"name\" required maxlength=\"%d\" autocomplete=\"nickname\" value=\"",
		      PAGE_NAME_MAX / 2);
	if (refused)
		loom_xml_escape(out, refused->name);
	loom_buf_addf(
		out,
		"\"></p>\n<p><label for=\"text\">Your comment</label><br>\n<textarea id=\"text\" "
		"name=\"text\" required rows=\"6\" maxlength=\"%d\">",
		PAGE_COMMENT_MAX);
	if (refused)
		loom_xml_escape(out, refused->text);
	loom_buf_adds(out, "</textarea></p>\n<p><button>Send</button> It is shown when it has been "
			   "accepted.</p>\n</form>\n");
}

/* ---- lists ---- */

static void put_back(struct page_draw *draw, const struct loom_node *node)
{
	loom_buf_adds(&draw->out, "<p class=\"more\"><a href=\"?at=");
	page_put_id(draw->door, node, &draw->out);
	loom_buf_adds(&draw->out, "\">Back to the text</a></p>\n");
}

static enum loom_status draw_list(struct page_draw *draw, struct loom_str id, struct loom_err *err)
{
	const struct page_wish *wish = draw->wish;
	struct loom_node node;
	enum loom_status status = page_branch_node(draw->door, draw->branch, id, &node, err);

	if (status == LOOM_OK && !page_branch_has(draw->door, draw->branch, &node))
		return loom_fail(err, LOOM_NOT_FOUND, "that is not in this branch");
	if (status != LOOM_OK)
		return status;
	put_back(draw, &node);
	if (wish->fork.p)
		return page_draw_fork(draw, &node, 0, wish->after, LIST_MAX, &draw->out, err);
	return page_draw_comments(draw, &node, wish->after, true, &draw->out, err);
}

/* ---- a page ---- */

static enum loom_status draw_main(struct page_draw *draw, struct loom_err *err)
{
	const struct page_wish *wish = draw->wish;
	struct loom_node node = draw->branch->stands;
	enum loom_status status = LOOM_OK;

	if (wish->said)
		loom_buf_adds(&draw->out,
			      "<p role=\"status\"><strong>Thank you. Your comment waits to "
			      "be accepted.</strong></p>\n");
	if (wish->fork.p || wish->talk.p)
		return draw_list(draw, wish->fork.p ? wish->fork : wish->talk, err);
	if (wish->at.p)
		status = page_branch_node(draw->door, draw->branch, wish->at, &node, err);
	if (status == LOOM_OK)
		status = page_draw_text(draw, &node, err);
	if (status == LOOM_OK && draw->branch->pass->comments &&
	    page_branch_has(draw->door, draw->branch, &node))
		put_form(draw, &node);
	return status;
}

enum loom_status page_draw(struct page_door *door, const struct loom_pass *pass,
			   const struct page_wish *wish, const struct page_refused *refused,
			   struct loom_str *out, struct loom_hash *out_seen, struct loom_err *err)
{
	struct page_branch branch;
	struct page_draw draw = {.door = door,
				 .branch = &branch,
				 .wish = wish,
				 .refused = refused,
				 .out = LOOM_BUF_INIT(LOOM_BUF_MAX),
				 .form = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct loom_buf html = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = loom_store_view(door->grove.store, err);

	if (status != LOOM_OK)
		return status;
	status = page_branch_find(door, pass, &branch, err);
	if (status == LOOM_OK)
		status = loom_show_init(&draw.show, door->grove.store, door->grove.arena, err);
	if (status == LOOM_OK)
		status = draw_main(&draw, err);
	loom_store_unview(door->grove.store);
	if (status == LOOM_OK) {
		loom_buf_add(&html, branch.tree.title);
		loom_buf_add(&html, loom_buf_str(&draw.out));
		*out_seen = loom_sha256(loom_buf_str(&html));
		loom_buf_clear(&html);
		put_all(&draw, out_seen, &html);
		*out = loom_arena_buf(door->grove.arena, &html);
	}
	loom_buf_fini(&draw.out);
	loom_buf_fini(&draw.form);
	loom_buf_fini(&html);
	return status;
}
