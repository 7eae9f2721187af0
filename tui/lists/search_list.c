/* Incremental search in the grove. The worker feeds and reads the index, one search at a time;
 * whatever is typed meanwhile is searched next. Hits come back as lines of numbers and a text. */
#include <loom/tree/document.h>
#include <loom/search/search.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/lists/list.h>
#include <loom/lists/previews.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/position.h>
#include <loom/desk/tree_view.h>
#include <loom/desk/workers.h>

#include "inside.h"

#define HITS 200
/* The ids of hits that are no nodes; a document's number and its id are each other's. */
#define TITLE_HIT        (-1)
#define DOCUMENT_HIT(id) (TITLE_HIT - (id))
#define EMPTY                                                                                      \
	"type words; \"an exact phrase\"; narrow it by author: tree: tag: in: model: before: "     \
	"after: bookmarked:"

struct question {
	int64_t left; /* texts not yet in the index */
	int64_t all;
};

struct tui_searching {
	struct loom_buf wanted; /* the words of the last search */
	struct loom_buf hits;   /* its hits, one per line */
	bool asked;
	int64_t left; /* texts that were not in the index at the last answer, of `all` */
	int64_t all;
};

/* The name shown with a hit when the text found is not its own. */
static enum loom_status add_name(struct loom_store *store, const struct loom_hit *hit,
				 struct loom_arena *arena, struct loom_buf *out,
				 struct loom_err *err)
{
	struct loom_doc doc = {.name = LOOM_STR("")};
	struct loom_tree tree = {.title = LOOM_STR("")};
	enum loom_status status = LOOM_OK;

	if (!hit->summed)
		return LOOM_OK;
	if (hit->kind == LOOM_HIT_DOC)
		status = loom_doc_get(store, hit->doc, false, arena, &doc, err);
	else
		status = loom_tree_get(store, hit->tree, arena, &tree, err);
	loom_buf_addf(out, "\"%.*s\" · summary · ",
		      LOOM_STR_ARG(hit->kind == LOOM_HIT_DOC ? doc.name : tree.title));
	return status;
}

static enum loom_status answer(struct loom_search *search, struct loom_store *store,
			       struct tui_job *job, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_search_query query = {.limit = 0};
	struct loom_hits hits = {.items = NULL};
	enum loom_status status =
		loom_search_parse(store, loom_buf_str(&job->text), job->tree, arena, &query, err);

	query.limit = HITS;
	if (status == LOOM_OK)
		status = loom_search_run(search, &query, arena, &hits, err);
	for (size_t i = 0; i < hits.count && status == LOOM_OK; i++) {
		const struct loom_hit *hit = &hits.items[i];
		char text[400];
		size_t n = tui_text_head(hit->snippet, text, sizeof text);

		loom_buf_addf(&job->answer, "%d %lld %lld %lld ", (int)hit->kind,
			      (long long)hit->node, (long long)hit->tree, (long long)hit->doc);
		status = add_name(store, hit, arena, &job->answer, err);
		loom_buf_addf(&job->answer, "%.*s\n", (int)n, text);
	}
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status run(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	struct question *question = job->own;
	struct loom_search *search = NULL;
	enum loom_status status = loom_search_open(store, &search, err);

	if (status == LOOM_OK)
		status = loom_search_feed(search, LOOM_SEARCH_TYPING_MS, &question->left, err);
	if (status == LOOM_OK)
		status = loom_node_newest(store, &question->all, err);
	if (status == LOOM_OK && loom_str_trim(loom_buf_str(&job->text)).n)
		status = answer(search, store, job, err);
	loom_search_close(search);
	return status;
}

static void post(struct tui_app *app);

static void done(struct tui_app *app, struct tui_job *job, enum loom_status status,
		 const struct loom_err *err)
{
	const struct question *question = job->own;
	bool newer = !loom_str_eq(loom_buf_str(&job->text), loom_buf_str(&app->search->wanted));

	app->search->asked = false;
	app->search->left = question->left;
	app->search->all = question->all;
	/* An unfinished query (an open quote) is no error while it is being typed. */
	if (status == LOOM_OK || status == LOOM_SYNTAX) {
		loom_buf_clear(&app->search->hits);
		loom_buf_add(&app->search->hits, loom_buf_str(&job->answer));
	} else {
		tui_must(app, status, err);
	}
	if (!app->list || !tui_list_live(app->list))
		return;
	tui_list_refresh(app);
	if (newer || (question->left > 0 && status == LOOM_OK))
		post(app);
}

static void post(struct tui_app *app)
{
	struct tui_job *job;

	if (app->search->asked)
		return;
	app->search->asked = true;
	job = tui_job_make(app);
	job->run = run;
	job->done = done;
	job->silent = true;
	job->own = LOOM_ARENA_NEW(job->arena, struct question);
	loom_buf_add(&job->text, loom_buf_str(&app->search->wanted));
	tui_job_post(job);
}

static bool number(struct loom_str *rest, int64_t *out)
{
	struct loom_str part;

	return loom_str_cut(rest, ' ', &part) && loom_str_to_i64(part, out);
}

/* The node's id; its group goes into the entry, and its tree at the right unless it is this one. */
static struct loom_str name_of(struct tui_app *app, struct loom_arena *arena, int64_t node,
			       int64_t tree, struct tui_entry *out)
{
	struct loom_node read;
	struct loom_tree row;
	char id[LOOM_LOCAL_MAX];

	if (!node || loom_node_get(app->store, node, LOOM_NODE_NARROW, arena, &read, NULL) ||
	    loom_tree_get(app->store, tree ? tree : read.tree, arena, &row, NULL))
		return LOOM_STR("?");
	out->id = read.group;
	loom_local_text(row.key, read.local, id);
	if (row.id != app->tree.id)
		out->end = row.title;
	return loom_arena_str(arena, loom_str_of(id));
}

static void add_hit(struct tui_app *app, struct tui_list *list, struct loom_str line)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct tui_entry entry = {.lead_role = TUI_ROLE_ID, .role = TUI_ROLE_TEXT};
	int64_t kind = 0;
	int64_t node = 0;
	int64_t tree = 0;
	int64_t doc = 0;

	if (!number(&line, &kind) || !number(&line, &node) || !number(&line, &tree) ||
	    !number(&line, &doc))
		return;
	entry.other = tree;
	entry.text = loom_arena_str(arena, line);
	if (kind == LOOM_HIT_DOC || kind == LOOM_HIT_TREE) {
		entry.lead = kind == LOOM_HIT_DOC ? LOOM_STR("document") : LOOM_STR("title");
		entry.lead_role = TUI_ROLE_TITLE;
		entry.id = kind == LOOM_HIT_DOC ? DOCUMENT_HIT(doc) : TITLE_HIT;
	} else {
		entry.lead = name_of(app, arena, node, tree, &entry);
		entry.node = node;
	}
	tui_list_add(list, &entry);
}

static enum loom_status read_hits(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct loom_str rest = loom_buf_str(&app->search->hits);
	struct loom_str line;

	(void)err;
	if (!loom_str_eq(tui_list_argument(list), loom_buf_str(&app->search->wanted))) {
		loom_buf_clear(&app->search->wanted);
		loom_buf_add(&app->search->wanted, tui_list_argument(list));
		post(app);
	}
	while (rest.n && loom_str_line(&rest, &line))
		add_hit(app, list, line);
	return LOOM_OK;
}

/* A document, a tree, or the node. */
static void preview(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct tui_entry what = {.id = 0};

	if (!entry)
		return;
	what.id = entry->id < TITLE_HIT ? DOCUMENT_HIT(entry->id) : entry->other;
	if (entry->node)
		tui_preview_row(app, entry, out);
	else if (entry->id < TITLE_HIT)
		tui_preview_document(app, &what, out);
	else
		tui_preview_tree(app, &what, out);
}

static void open_hit(struct tui_app *app, const struct tui_entry *entry)
{
	struct tui_entry hit = *entry;

	if (hit.id < TITLE_HIT) {
		tui_document_open(app, DOCUMENT_HIT(hit.id));
		return;
	}
	tui_list_close(app);
	if (hit.other && hit.other != app->tree.id && !tui_app_tree(app, hit.other))
		return;
	tui_found_set(app, LOOM_STR(""));
	if (hit.id > 0 && tui_go(app, hit.id, TUI_GO_JUMP))
		tui_found_set(app, loom_str_trim(loom_buf_str(&app->search->wanted)));
}

/* Until all is indexed an empty answer proves nothing, so the share that was searched is told. */
static void say_indexing(const struct tui_app *app, struct loom_buf *out)
{
	const int64_t all = app->search->all;
	const int64_t left = app->search->left < all ? app->search->left : all;

	if (left > 0)
		loom_buf_addf(out, "indexing %lld %%", (long long)(100 * (all - left) / all));
}

static void say_status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	tui_list_say_count(list, out);
	if (app->search->left > 0)
		loom_buf_adds(out, " \xc2\xb7 ");
	say_indexing(app, out);
}

static void say_none(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	if (!tui_list_argument(list).n) {
		loom_buf_adds(out, EMPTY);
	} else if (app->search->left > 0) {
		loom_buf_adds(out, "no matches so far \xc2\xb7 ");
		say_indexing(app, out);
	} else {
		loom_buf_adds(out, app->search->asked ? "searching \xe2\x80\xa6" : "no matches");
	}
}

static void open_search(struct tui_app *app, struct loom_str words)
{
	static const struct tui_list_kind kind = {
		.title = "Search",
		.unit = "hit",
		.none = say_none,
		.status = say_status,
		.read = read_hits,
		.side = preview,
		.open = open_hit,
		.live = true,
	};

	loom_buf_clear(&app->search->wanted);
	loom_buf_clear(&app->search->hits);
	tui_list_open(app, &kind, words);
	tui_list_ask(app, words);
}

TUI_DO(SEARCH)
{
	open_search(app, LOOM_STR(""));
}

static void begin(struct tui_app *app)
{
	app->search = loom_alloc(sizeof *app->search);
	loom_buf_init(&app->search->wanted, 4096);
	loom_buf_init(&app->search->hits, LOOM_BUF_MAX);
}

static void closed(struct tui_app *app)
{
	loom_buf_fini(&app->search->wanted);
	loom_buf_fini(&app->search->hits);
	free(app->search);
}

const struct tui_view tui_view_search = {
	.told = {[TUI_TOLD_BEGIN] = begin, [TUI_TOLD_CLOSED] = closed}};
