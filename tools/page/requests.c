/* Requests for pages: what a URL asks for, and the answers' headers. A secret that opens nothing, a
 * node that is not in the branch and a path that is none all get the same answer. */
#include "inside.h"

#include <loom/base/utf8.h>

#define PATH "/page/"
/* A form: three bytes for each of a comment's, and some more. */
#define FORM_MAX ((size_t)3 * (PAGE_COMMENT_MAX + PAGE_NAME_MAX) + 1000)

/* ---- answers ---- */

/* Nothing runs or is fetched but our own style and script, and no other page may hold this one. */
static const char policy[] =
	"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

void page_answer(struct loom_exchange *exchange, unsigned status, struct loom_str html)
{
	loom_exchange_answer(
		exchange,
		&(struct loom_http_answer){
			.status = status,
			.type = "text/html; charset=utf-8",
			.body = html,
			.headers = {{"Content-Security-Policy", loom_str_of(policy)},
				    {"Referrer-Policy", LOOM_STR_INIT("no-referrer")},
				    {"Cache-Control", LOOM_STR_INIT("no-store")},
				    {"Cross-Origin-Opener-Policy", LOOM_STR_INIT("same-origin")},
				    {"Cross-Origin-Resource-Policy", LOOM_STR_INIT("same-origin")}},
		});
}

void page_refuse(struct loom_exchange *exchange, unsigned status, const char *why)
{
	struct loom_str html = loom_arena_format(
		loom_exchange_arena(exchange),
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<title>%s</title>\n</head>\n<body>\n<main><h1>%s</h1></main>\n</body>\n</html>\n",
		why, why);

	page_answer(exchange, status, html);
}

static void refuse_link(struct loom_exchange *exchange)
{
	page_refuse(exchange, 404, "There is nothing to read here");
}

static void give_file(struct loom_exchange *exchange, const char *type, const char *text)
{
	loom_exchange_answer(exchange,
			     &(struct loom_http_answer){
				     .status = 200,
				     .type = type,
				     .body = loom_str_of(text),
				     .headers = {{"Cache-Control", LOOM_STR_INIT("max-age=3600")},
						 {"Referrer-Policy", LOOM_STR_INIT("no-referrer")}},
			     });
}

/* ---- paths ---- */

enum page_what { PAGE_NONE, PAGE_CSS, PAGE_JS, PAGE_ITSELF, PAGE_EVENTS, PAGE_COMMENT };

static enum page_what read_path(const struct loom_exchange *exchange, struct loom_str *secret)
{
	struct loom_str path = loom_exchange_path(exchange);
	struct loom_str tail;

	*secret = LOOM_STR("");
	if (loom_str_is(path, "/page.css"))
		return PAGE_CSS;
	if (loom_str_is(path, "/page.js"))
		return PAGE_JS;
	if (!loom_str_starts(path, LOOM_STR(PATH)))
		return PAGE_NONE;
	*secret = loom_str_sub(path, sizeof PATH - 1, PAGE_SECRET);
	tail = loom_str_sub(path, sizeof PATH - 1 + PAGE_SECRET, SIZE_MAX);
	if (loom_str_is(tail, "/events"))
		return PAGE_EVENTS;
	if (loom_str_is(tail, "/comment"))
		return PAGE_COMMENT;
	return tail.n ? PAGE_NONE : PAGE_ITSELF;
}

bool page_door_is(const struct loom_exchange *exchange)
{
	const struct loom_str path = loom_exchange_path(exchange);

	return loom_str_is(path, "/page.css") || loom_str_is(path, "/page.js") ||
	       loom_str_starts(path, LOOM_STR(PATH));
}

static const struct loom_pass *find_pass(struct page_door *door, struct loom_str secret)
{
	bool changed = false;

	if (secret.n != PAGE_SECRET || loom_passes_look(door->passes, &changed, NULL) != LOOM_OK)
		return NULL;
	return loom_passes_find(door->passes, LOOM_PASS_PAGE, secret);
}

/* ---- queries ---- */

bool page_is_id(struct loom_str text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.";

	for (size_t i = 0; i < text.n; i++)
		if (!text.p[i] || !strchr(letters, text.p[i]))
			return false;
	return text.n && text.n < LOOM_LOCAL_MAX;
}

void page_put_id(struct page_door *door, const struct loom_node *node, struct loom_buf *out)
{
	const struct loom_str name = cli_node_name(&door->grove, node);

	/* Primes stand as .N, which needs no escaping anywhere. */
	if (loom_str_find_char(name, '\'', 0) == SIZE_MAX)
		loom_buf_add(out, name);
	else
		loom_buf_addf(out, "%.*s.%d",
			      LOOM_STR_ARG(
				      loom_str_sub(name, 0, loom_str_find_char(name, '\'', 0))),
			      (int)node->local.prime);
}

/* An id of the query; p NULL: absent. */
static struct loom_str read_id(struct loom_exchange *exchange, const char *name, bool *wrong)
{
	const struct loom_str text = loom_exchange_query(exchange, name);

	if (!text.p || page_is_id(text))
		return text;
	*wrong = true;
	return loom_str_make(NULL, 0);
}

static uint64_t read_number(struct loom_exchange *exchange, const char *name)
{
	uint64_t number = 0;

	if (!loom_str_to_u64(loom_exchange_query(exchange, name), &number) || number > INT32_MAX)
		number = 0;
	return number;
}

static void read_wish(struct loom_exchange *exchange, struct loom_str secret, struct page_wish *out)
{
	*out = (struct page_wish){.secret = secret,
				  .after = (int64_t)read_number(exchange, "after"),
				  .from = (size_t)read_number(exchange, "from"),
				  .said = read_number(exchange, "said") == 1};
	out->at = read_id(exchange, "at", &out->wrong);
	out->fork = read_id(exchange, "fork", &out->wrong);
	out->talk = read_id(exchange, "talk", &out->wrong);
}

static void give_page(struct page_door *door, const struct loom_pass *pass,
		      const struct page_wish *wish, struct loom_exchange *exchange)
{
	struct loom_str html;
	struct loom_hash seen;
	struct loom_err err = {.status = LOOM_OK};
	const enum loom_status status = page_now(door, pass, wish, &html, &seen, &err);

	if (status == LOOM_OK)
		page_answer(exchange, 200, html);
	else if (loom_status_exit(status) > 1)
		page_refuse(exchange, 500, "This cannot be read now");
	else
		refuse_link(exchange);
}

/* ---- the door ---- */

static bool is_read(const struct loom_exchange *exchange)
{
	const struct loom_str method = loom_exchange_method(exchange);

	return loom_str_is(method, "GET") || loom_str_is(method, "HEAD");
}

/* A form that another site sends comes without our token; but its browser may say so, too. */
static bool is_from_elsewhere(const struct loom_exchange *exchange)
{
	const struct loom_str site = loom_exchange_header(exchange, "Sec-Fetch-Site");

	return loom_exchange_is_foreign(exchange, false) || loom_str_is(site, "cross-site");
}

void page_door_head(struct page_door *door, struct loom_exchange *exchange)
{
	struct loom_str secret;
	const enum page_what what = read_path(exchange, &secret);
	const bool file = what == PAGE_CSS || what == PAGE_JS;

	if (what == PAGE_NONE || (!file && !find_pass(door, secret)))
		refuse_link(exchange);
	else if (what != PAGE_COMMENT && !is_read(exchange))
		page_refuse(exchange, 405, "That is not done here");
	else if (what == PAGE_COMMENT && !loom_str_is(loom_exchange_method(exchange), "POST"))
		page_refuse(exchange, 405, "That is not done here");
	else if (what == PAGE_COMMENT && is_from_elsewhere(exchange))
		page_refuse(exchange, 403, "Comments are sent from the page itself");
	else if (what == PAGE_COMMENT)
		loom_exchange_take(exchange, FORM_MAX);
}

void page_door_request(struct page_door *door, struct loom_exchange *exchange)
{
	struct loom_str secret;
	struct page_wish wish;
	const enum page_what what = read_path(exchange, &secret);
	const struct loom_pass *pass = NULL;
	struct loom_arena *arena = loom_arena_create();

	door->grove.arena = arena;
	door->grove.agents = NULL;
	door->grove.agent_count = door->grove.agent_cap = 0;
	read_wish(exchange, secret, &wish);
	pass = find_pass(door, secret);
	if (what == PAGE_CSS)
		give_file(exchange, "text/css; charset=utf-8", page_css);
	else if (what == PAGE_JS)
		give_file(exchange, "text/javascript; charset=utf-8", page_js);
	else if (!pass || wish.wrong)
		refuse_link(exchange);
	else if (what == PAGE_EVENTS)
		page_listen(door, pass, &wish, exchange);
	else if (what == PAGE_COMMENT)
		page_comment(door, pass, &wish, exchange);
	else
		give_page(door, pass, &wish, exchange);
	loom_arena_destroy(arena);
}
