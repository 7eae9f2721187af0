/* Queries the index: pages of hits, newest first, each checked against the grove.
 *
 * Node numbers come from the index in descending runs; each run is looked up in the grove, which
 * drops what is undone, hidden or filtered out, until the page is full or enough was examined. */
#include "inside.h"

#include <loom/tree/agent.h>
#include <loom/text/words.h>

#define RUN    256
#define WINDOW 50000 /* numbers scanned at a time when there are no words */
/* If a filter passes little, a search gives up the page after this many matches and says that there
 * is more. */
#define LOOKED_AT_MOST 200000
#define TOTAL_MOST     1000
#define COUNTED_MOST   1000 /* matches examined after a full page, for the total */
#define WINDOW_WORTH   1000 /* the cost of fully scanning a window, in matches */
#define SNIPPET_CHARS  160

/* --- filters --- */

#define FILTERS                                                                                    \
	"(?2 = 0 OR n.tree = ?2) AND (?3 = 0 OR n.author = ?3) AND (?4 = 0 OR n.created >= ?4) "   \
	"AND (?5 = 0 OR n.created < ?5) AND (?6 = 0 OR EXISTS(SELECT 1 FROM mark k WHERE "         \
	"k.id = n.id AND k.bookmark = 1)) AND (?7 IS NULL OR EXISTS(SELECT 1 FROM tag g WHERE "    \
	"g.node = n.id AND g.name = ?7 AND g.live = 1)) AND (?8 IS NULL OR EXISTS(SELECT 1 FROM "  \
	"generation x WHERE x.id = n.id AND json_extract(x.record, '$.model') = ?8)) "             \
	"AND (?9 = 0 OR EXISTS(SELECT 1 FROM agent a WHERE a.id = n.author AND "                   \
	"(1 << CASE WHEN a.claim THEN 3 WHEN a.kind = ?10 THEN 0 WHEN a.aware THEN 2 ELSE 1 END) " \
	"& "                                                                                       \
	"?9 <> 0)) AND (?11 IS NULL OR EXISTS(SELECT 1 FROM agent a WHERE a.id = n.author AND "    \
	"a.claim <> 0 AND a.name = ?11 COLLATE NOCASE)) "

static void bind_filters(struct query *q, const struct loom_search_query *query)
{
	model_bind(q, query->tree);
	model_bind(q, query->author);
	model_bind(q, query->since);
	model_bind(q, query->until);
	model_bind(q, query->bookmarked);
	if (query->tag.n)
		model_bind_text(q, query->tag);
	else
		model_bind_null(q);
	if (query->model.n)
		model_bind_text(q, query->model);
	else
		model_bind_null(q);
	model_bind(q, query->authors);
	model_bind(q, LOOM_AGENT_HUMAN);
	if (query->claimed.n)
		model_bind_text(q, query->claimed);
	else
		model_bind_null(q);
}

/* Tests whether an indexed node is a hit; without an arena nothing is copied. */
static enum loom_status look_up(struct loom_search *search, const struct loom_search_query *query,
				int64_t node, struct loom_arena *arena, struct loom_hit *out,
				bool *out_hit, struct loom_err *err)
{
	struct loom_buf snippet = LOOM_BUF_INIT(8192);
	struct query q =
		model_query(search->grove,
			    "SELECT n.tree, n.kind, n.grp, " MODEL_AS_READ(
				    "b") " FROM node n JOIN op o ON "
					 "o.id = n.op AND o.state = 1 JOIN body b ON b.id = n.id "
					 "WHERE n.id = ?1 AND " FILTERS,
			    err);
	int64_t group = 0;
	enum loom_status status;

	LOOM_ASSERT(out && out_hit);
	model_bind(&q, node);
	bind_filters(&q, query);
	*out_hit = model_row(&q);
	if (*out_hit) {
		if (arena)
			loom_words_snippet(model_borrow(&q, 3), query->words, SNIPPET_CHARS,
					   &snippet);
		*out = (struct loom_hit){
			.kind = model_int(&q, 1) == LOOM_CONTINUATION ? LOOM_HIT_NODE
								      : LOOM_HIT_NOTE,
			.node = node,
			.tree = model_int(&q, 0),
			.order = node,
			.snippet = arena ? loom_arena_buf(arena, &snippet) : LOOM_STR(""),
		};
		group = model_int(&q, 2);
	}
	status = model_done(&q);
	loom_buf_fini(&snippet);
	if (status == LOOM_OK && *out_hit && query->in)
		status = loom_node_above(search->grove, query->in, group, out_hit, err);
	return status;
}

/* A node hidden by a prune above it is found, but not shown. */
static enum loom_status is_shown(struct loom_search *search, const struct loom_hit *hit, bool *out,
				 struct loom_err *err)
{
	int64_t node = 0;
	int64_t mark = 0;
	enum loom_status status = loom_node_visible(search->grove, hit->node, &node, &mark, err);

	*out = mark == 0 && node == hit->node;
	return status;
}

/* --- pages --- */

struct page {
	struct loom_search *search;
	const struct loom_search_query *query;
	struct loom_str match;
	struct loom_arena *arena;
	struct loom_hits *hits;
	size_t cap;
	size_t behind; /* matches examined since the page was full */
	struct loom_err *err;
};

static bool is_full(const struct page *page)
{
	return page->hits->count >= page->query->limit;
}

/* After a full first page the rest is counted, up to the limit of a total; later pages have no
 * total. */
static bool has_enough(const struct page *page)
{
	const struct loom_hits *hits = page->hits;

	return hits->more && (page->query->before || hits->total >= TOTAL_MOST || hits->least);
}

static void keep(struct page *page, const struct loom_hit *hit)
{
	struct loom_hits *hits = page->hits;

	LOOM_ASSERT(hits->count < page->query->limit);
	hits->items = loom_arena_grow(page->arena, hits->items, hits->count, &page->cap,
				      sizeof *hits->items);
	hits->items[hits->count++] = *hit;
}

static enum loom_status take_run(struct page *page, const int64_t *nodes, size_t count,
				 int64_t *out_last)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(count <= RUN);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		const bool full = is_full(page);
		struct loom_hit hit;
		bool good = false;

		page->hits->more |= full;
		page->hits->least |= full && page->behind++ >= COUNTED_MOST;
		if (has_enough(page))
			break;
		status = look_up(page->search, page->query, nodes[i], full ? NULL : page->arena,
				 &hit, &good, page->err);
		if (status == LOOM_OK && good)
			status = is_shown(page->search, &hit, &good, page->err);
		if (status == LOOM_OK && good && !full)
			keep(page, &hit);
		page->hits->total += good;
		*out_last = nodes[i];
	}
	return status;
}

static enum loom_status next_run(struct page *page, int64_t before, int64_t nodes[RUN],
				 size_t *out_count)
{
	struct query q = model_query(&page->search->index,
				     "SELECT rowid FROM text WHERE text MATCH ? AND rowid < ? "
				     "ORDER BY rowid DESC LIMIT ?",
				     page->err);
	size_t want = page->query->limit + 8 < RUN && !is_full(page) ? page->query->limit + 8 : RUN;

	LOOM_ASSERT(page->match.n > 0);
	*out_count = 0;
	model_bind_text(&q, page->match);
	model_bind(&q, before);
	model_bind(&q, (int64_t)want);
	while (*out_count < want && model_row(&q))
		nodes[(*out_count)++] = model_int(&q, 0);
	LOOM_ASSERT(*out_count <= want);
	return model_done(&q);
}

static enum loom_status find_nodes(struct page *page)
{
	int64_t before = page->query->before ? page->query->before : INT64_MAX;
	int64_t nodes[RUN];
	size_t looked = 0;
	size_t count = 1;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && count && !has_enough(page)) {
		status = next_run(page, before, nodes, &count);
		if (status == LOOM_OK)
			status = take_run(page, nodes, count, &before);
		looked += count;
		if (looked >= LOOKED_AT_MOST)
			page->hits->more = page->hits->least = true;
		if (loom_task_cancelled(page->search->grove->task))
			return loom_fail(page->err, LOOM_CANCELLED, "stopped");
	}
	return status;
}

/* Without words the grove itself is scanned, newest first, a window of numbers at a time. */
static enum loom_status next_window(struct page *page, int64_t after, int64_t before,
				    int64_t nodes[RUN], size_t *out_count)
{
	struct query q = model_query(page->search->grove,
				     "SELECT n.id FROM node n WHERE n.id > ?12 AND n.id < ?1 "
				     "AND " FILTERS "ORDER BY n.id DESC LIMIT ?13",
				     page->err);

	LOOM_ASSERT(after < before);
	*out_count = 0;
	model_bind(&q, before);
	bind_filters(&q, page->query);
	model_bind(&q, after);
	model_bind(&q, RUN);
	while (*out_count < RUN && model_row(&q))
		nodes[(*out_count)++] = model_int(&q, 0);
	return model_done(&q);
}

static enum loom_status scan_nodes(struct page *page)
{
	int64_t before = page->query->before;
	int64_t newest = 0;
	int64_t nodes[RUN];
	enum loom_status status = loom_node_newest(page->search->grove, &newest, page->err);

	before = before ? before : newest + 1;
	while (status == LOOM_OK && before > 1 && !has_enough(page)) {
		const int64_t after = before > WINDOW ? before - WINDOW - 1 : 0;
		size_t count = 0;

		status = next_window(page, after, before, nodes, &count);
		before = count == RUN ? nodes[count - 1] : after + 1;
		if (is_full(page) && count < RUN)
			page->behind += WINDOW_WORTH;
		if (status == LOOM_OK)
			status = take_run(page, nodes, count, &newest);
		if (loom_task_cancelled(page->search->grove->task))
			return loom_fail(page->err, LOOM_CANCELLED, "stopped");
	}
	return status;
}

/* --- documents, titles, summaries --- */

/* Returns whether a hit that is not a node is within the query's scope. */
static bool is_searched(const struct loom_search_query *query, const struct loom_hit *hit)
{
	if (hit->kind == LOOM_HIT_DOC && query->docs != LOOM_DOCS_BY_TREE)
		return query->docs == LOOM_DOCS_ALWAYS;
	return !query->tree || hit->tree == query->tree;
}

static enum loom_status check_other(struct page *page, struct loom_hit *hit, int64_t ref,
				    bool *out_good)
{
	static const char *const visible[] = {
		[LOOM_HIT_SUMMARY] = "SELECT n.tree FROM node n JOIN op o ON o.id = n.op "
				     "AND o.state = 1 WHERE n.id = ?",
		[LOOM_HIT_DOC] = "SELECT d.id FROM doc d JOIN op o ON o.id = d.op AND o.state = 1 "
				 "WHERE d.id = ?",
		[LOOM_HIT_TREE] = "SELECT t.id FROM tree t JOIN op o ON o.id = t.op "
				  "AND o.state = 1 WHERE t.id = ?",
	};
	struct query q;
	int64_t found = 0;
	enum loom_status status;

	LOOM_ASSERT((size_t)hit->kind < LOOM_COUNT(visible) && visible[hit->kind]);
	q = model_query(page->search->grove, visible[hit->kind], page->err);
	model_bind(&q, ref);
	status = model_one(&q, 0, &found);
	*out_good = found != 0;
	hit->node = hit->kind == LOOM_HIT_SUMMARY ? ref : 0;
	hit->doc = hit->kind == LOOM_HIT_DOC ? ref : 0;
	hit->tree = hit->kind == LOOM_HIT_DOC ? 0 : found;
	if (status == LOOM_OK && *out_good && hit->node)
		status = is_shown(page->search, hit, out_good, page->err);
	*out_good = *out_good && is_searched(page->query, hit);
	return status;
}

/* Filters that apply only to nodes exclude everything else. */
static bool only_nodes(const struct loom_search_query *query)
{
	return query->author || query->authors || query->claimed.n || query->in || query->tag.n ||
	       query->model.n || query->since || query->until || query->bookmarked || query->before;
}

/* False for an unknown kind. The index is a file that anybody may have written. */
static bool kind_of_row(int64_t kind, struct loom_hit *out)
{
	out->summed = kind == MODEL_HIT_DOC_SUMMARY || kind == MODEL_HIT_TREE_SUMMARY;
	if (out->summed)
		out->kind = kind == MODEL_HIT_DOC_SUMMARY ? LOOM_HIT_DOC : LOOM_HIT_TREE;
	else if (kind == LOOM_HIT_SUMMARY || kind == LOOM_HIT_DOC || kind == LOOM_HIT_TREE)
		out->kind = (enum loom_hit_kind)kind;
	else
		return false;
	return true;
}

static enum loom_status find_others(struct page *page)
{
	struct loom_buf snippet = LOOM_BUF_INIT(8192);
	struct query q;
	enum loom_status status = LOOM_OK;
	enum loom_status ended;

	if (only_nodes(page->query))
		return LOOM_OK;
	q = model_query(&page->search->index,
			"SELECT s.kind, s.ref, t.body FROM other t JOIN source s ON s.id = t.rowid "
			"WHERE t.body MATCH ? ORDER BY t.rowid DESC LIMIT ?",
			page->err);
	model_bind_text(&q, page->match);
	model_bind(&q, TOTAL_MOST);
	while (status == LOOM_OK && model_row(&q)) {
		struct loom_hit hit = {.node = 0};
		bool good = false;

		if (!kind_of_row(model_int(&q, 0), &hit))
			continue;
		status = check_other(page, &hit, model_int(&q, 1), &good);
		if (status == LOOM_OK && good && !is_full(page)) {
			loom_buf_clear(&snippet);
			loom_words_snippet(model_borrow(&q, 2), page->query->words, SNIPPET_CHARS,
					   &snippet);
			hit.snippet = loom_arena_buf(page->arena, &snippet);
			keep(page, &hit);
		}
		page->hits->total += good;
	}
	ended = model_done(&q);
	loom_buf_fini(&snippet);
	return status == LOOM_OK ? ended : status;
}

/* Builds the index query; empty if only filters select. */
static enum loom_status ask_for(struct loom_search *search, const struct loom_search_query *query,
				struct loom_buf *out, struct loom_err *err)
{
	struct loom_buf phrase = LOOM_BUF_INIT(65536);
	size_t growing = 0;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(out->n == 0);
	if (!loom_words_query(query->words, out, &growing)) {
		if (only_nodes(query))
			return LOOM_OK;
		loom_fail(err, LOOM_SYNTAX, "no word to search for");
		return loom_hint(err, LOOM_SYNTAX, "search \"a word or two\"");
	}
	if (growing == out->n)
		return LOOM_OK;
	loom_buf_add(&phrase, loom_str_sub(loom_buf_str(out), growing, out->n));
	loom_buf_cut(out, growing);
	status = model_words_growing(search, loom_buf_str(&phrase), out, err);
	loom_buf_fini(&phrase);
	return status;
}

enum loom_status loom_search_run(struct loom_search *search, const struct loom_search_query *query,
				 struct loom_arena *arena, struct loom_hits *out,
				 struct loom_err *err)
{
	struct loom_buf match = LOOM_BUF_INIT(65536);
	struct page page = {
		.search = search, .query = query, .arena = arena, .hits = out, .err = err};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(query->limit > 0 && arena);
	*out = (struct loom_hits){.items = NULL};
	status = ask_for(search, query, &match, err);
	page.match = loom_buf_str(&match);
	if (status == LOOM_OK && !match.n)
		status = scan_nodes(&page);
	else if (status == LOOM_OK)
		status = find_others(&page);
	if (status == LOOM_OK && match.n)
		status = find_nodes(&page);
	out->more |= out->total > out->count;
	if (out->total >= TOTAL_MOST) {
		out->total = TOTAL_MOST;
		out->more = true;
	}
	loom_buf_fini(&match);
	return status;
}

/* --- parsing a typed query --- */

/* Names collected while a line is read; the node waits, because its tree may follow it. */
struct names {
	struct loom_store *store;
	int64_t home;
	struct loom_arena *arena;
	struct loom_str in;
};

/* Parses a moment, or the start of a day, month or year as people write them. */
static enum loom_status parse_moment(struct loom_str value, struct loom_arena *arena, int64_t *out,
				     struct loom_err *err)
{
	static const char first[] = "0000-01-01T00:00:00Z";
	struct loom_str moment = value;

	if (value.n == strlen("2026") || value.n == strlen("2026-02") ||
	    value.n == strlen("2026-02-23"))
		moment = loom_arena_format(arena, "%.*s%s", LOOM_STR_ARG(value), first + value.n);
	if (loom_time_parse(moment, out))
		return LOOM_OK;
	loom_fail(err, LOOM_SYNTAX, "\"%.*s\" is not a time", LOOM_STR_ARG(value));
	return loom_hint(err, LOOM_SYNTAX,
			 "write a day as 2026-02-23, a moment as 2026-02-23T17:30:00Z");
}

/* Finds an author named by a file; returns LOOM_NOT_FOUND, with `err` as it is, for any other. */
static enum loom_status take_claimed(struct loom_store *store, struct loom_str name,
				     struct loom_search_query *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT EXISTS(SELECT 1 FROM agent WHERE claim <> 0 AND name "
				     "= ? COLLATE NOCASE)",
				     NULL);
	int64_t there = 0;

	model_bind_text(&q, name);
	if (model_one(&q, 0, &there) != LOOM_OK || !there)
		return LOOM_NOT_FOUND;
	out->claimed = name;
	loom_err_clear(err);
	return LOOM_OK;
}

enum loom_status loom_search_author(struct loom_store *store, struct loom_str name,
				    struct loom_arena *arena, struct loom_search_query *out,
				    struct loom_err *err)
{
	static const struct {
		const char *name;
		unsigned bits;
	} kinds[] = {
		{"human", 1U << LOOM_AUTHOR_HUMAN},
		{"model", 1U << LOOM_AUTHOR_SUBJECT | 1U << LOOM_AUTHOR_COLLABORATOR},
		{"collaborator", 1U << LOOM_AUTHOR_COLLABORATOR},
		{"claim", 1U << LOOM_AUTHOR_CLAIM},
	};
	struct loom_agent agent;
	enum loom_status status = loom_agent_find(store, name, arena, &agent, err);

	if (status == LOOM_OK)
		out->author = agent.id;
	for (size_t i = 0; status == LOOM_NOT_FOUND && i < LOOM_COUNT(kinds); i++) {
		if (!loom_str_eq_fold(name, loom_str_of(kinds[i].name)))
			continue;
		out->authors = kinds[i].bits;
		loom_err_clear(err);
		return LOOM_OK;
	}
	return status == LOOM_NOT_FOUND ? take_claimed(store, name, out, err) : status;
}

/* Searching for nodes without a bookmark is not supported. */
static enum loom_status take_bookmarked(struct loom_str value, struct loom_search_query *out,
					struct loom_err *err)
{
	out->bookmarked = !value.n || loom_str_eq_fold(value, LOOM_STR("yes"));
	if (out->bookmarked)
		return LOOM_OK;
	loom_fail(err, LOOM_SYNTAX, "bookmarked: does not take \"%.*s\"", LOOM_STR_ARG(value));
	return loom_hint(err, LOOM_SYNTAX, "bookmarked: by itself finds bookmarked nodes");
}

static enum loom_status take_filter(struct names *names, struct loom_str key, struct loom_str value,
				    struct loom_search_query *out, struct loom_err *err)
{
	struct loom_store *store = names->store;
	struct loom_arena *arena = names->arena;
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	if (loom_str_is(key, "author")) {
		status = loom_search_author(store, value, arena, out, err);
	} else if (loom_str_is(key, "tree")) {
		status = loom_tree_find(store, value, arena, &tree, err);
		out->tree = status == LOOM_OK ? tree.id : 0;
	} else if (loom_str_is(key, "in")) {
		names->in = value;
	} else if (loom_str_is(key, "tag")) {
		out->tag = value;
	} else if (loom_str_is(key, "model")) {
		out->model = value;
	} else if (loom_str_is(key, "bookmarked")) {
		status = take_bookmarked(value, out, err);
	} else if (loom_str_is(key, "after") || loom_str_is(key, "before")) {
		status = parse_moment(value, arena,
				      loom_str_is(key, "after") ? &out->since : &out->until, err);
	}
	return status;
}

/* Finds an id in the tree named beside it, or in the home tree; TREE/ID names its own tree. */
static enum loom_status find_in(const struct names *names, struct loom_search_query *out,
				struct loom_err *err)
{
	struct loom_str id = names->in;
	struct loom_tree tree = {.id = out->tree ? out->tree : names->home};
	struct loom_node node;
	enum loom_status status = LOOM_OK;
	size_t at = id.n;

	while (at && id.p[at - 1] != '/')
		at--;
	if (at) {
		status = loom_tree_find(names->store, loom_str_sub(id, 0, at - 1), names->arena,
					&tree, err);
		id = loom_str_sub(id, at, id.n);
	}
	if (status == LOOM_OK)
		status = loom_node_find(names->store, tree.id, id, names->arena, &node, err);
	if (status == LOOM_OK) {
		out->in = node.group;
		out->tree = node.tree;
	}
	return status;
}

static bool is_filter(struct loom_str key)
{
	static const char *const keys[] = {"author", "tree",       "in",    "tag",
					   "model",  "bookmarked", "after", "before"};

	for (size_t i = 0; i < LOOM_COUNT(keys); i++)
		if (loom_str_is(key, keys[i]))
			return true;
	return false;
}

/* Takes key:value or key:"a value" off the head of *rest. */
static bool cut_filter(struct loom_str *rest, struct loom_str *key, struct loom_str *value)
{
	size_t colon = loom_str_find_char(*rest, ':', 0);
	size_t end;

	*key = loom_str_sub(*rest, 0, colon == SIZE_MAX ? 0 : colon);
	if (!is_filter(*key))
		return false;
	LOOM_ASSERT(colon < rest->n);
	if (colon + 1 < rest->n && rest->p[colon + 1] == '"') {
		end = loom_str_find_char(*rest, '"', colon + 2);
		end = end == SIZE_MAX ? rest->n : end;
		*value = loom_str_sub(*rest, colon + 2, end - colon - 2);
		*rest = loom_str_sub(*rest, end + 1, rest->n);
	} else {
		end = loom_str_find_char(*rest, ' ', colon);
		end = end == SIZE_MAX ? rest->n : end;
		*value = loom_str_sub(*rest, colon + 1, end - colon - 1);
		*rest = loom_str_sub(*rest, end, rest->n);
	}
	return true;
}

enum loom_status loom_search_parse(struct loom_store *store, struct loom_str line, int64_t home,
				   struct loom_arena *arena, struct loom_search_query *out,
				   struct loom_err *err)
{
	struct names names = {store, home, arena, {NULL, 0}};
	struct loom_buf words = LOOM_BUF_INIT(65536);
	bool quoted = false;
	bool filtered = false; /* a filter follows the last word */
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(arena && out);
	out->typed = loom_str_trim(line);
	while (line.n && status == LOOM_OK) {
		struct loom_str key;
		struct loom_str value;
		bool at_word = words.n == 0 || words.p[words.n - 1] == ' ';

		if (!quoted && at_word && cut_filter(&line, &key, &value)) {
			status = take_filter(&names, key, value, out, err);
			filtered = true;
			continue;
		}
		quoted = line.p[0] == '"' ? !quoted : quoted;
		filtered = filtered && line.p[0] == ' ';
		loom_buf_addc(&words, line.p[0]);
		line = loom_str_sub(line, 1, line.n);
	}
	if (status == LOOM_OK && names.in.p)
		status = find_in(&names, out, err);
	out->words = loom_arena_buf(arena, &words);
	/* The blank before a filter does not end the word, which may be incomplete. */
	if (filtered)
		out->words = loom_str_trim(out->words);
	loom_buf_fini(&words);
	return status;
}
