/* `loom grep`: the grove's own full-text search. */
#include <loom/cli/services.h>

#include <loom/tree/document.h>
#include <loom/engine/find_text.h>
#include <loom/grove/grant.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/tree.def>

#define LAST_DEFAULT 20
#define FEED_MS      200

/* A search on the worker, because the index is a separate database, and updating it may take
 * long. */
struct grep {
	struct cli_grove *grove;
	struct loom_search_query query;
	struct loom_hits hits;
	int64_t behind;
	bool rebuild;
};

/* Works in slices, so that the first search of a large grove can be stopped and shows progress. The
 * first slice is short, because only then the total is known. */
enum loom_status commands_search_feed(struct cli_grove *grove, struct loom_search *search,
				      int64_t *out_behind, struct loom_err *err)
{
	struct loom_task *task = &grove->cli->task;
	int64_t ms = 0;
	int64_t most = 0;
	enum loom_status status = LOOM_OK;

	do {
		status = loom_search_feed(search, ms, out_behind, err);
		if (status == LOOM_OK) {
			most = *out_behind > most ? *out_behind : most;
			loom_task_report(task, (uint64_t)(most - *out_behind), (uint64_t)most);
		}
		if (status == LOOM_OK && loom_task_cancelled(task))
			status = loom_fail(err, LOOM_CANCELLED,
					   "stopped; the texts indexed so far are kept");
		ms = FEED_MS;
	} while (status == LOOM_OK && *out_behind > 0);
	return status;
}

static enum loom_status work_grep(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct grep *grep = ctx;
	struct loom_search *search = NULL;
	enum loom_status status = loom_search_open(store, &search, err);

	if (status == LOOM_OK && grep->rebuild)
		status = loom_search_rebuild(search, err);
	if (status == LOOM_OK)
		status = commands_search_feed(grep->grove, search, &grep->behind, err);
	if (status == LOOM_OK)
		status =
			loom_search_run(search, &grep->query, grep->grove->arena, &grep->hits, err);
	loom_search_close(search);
	return status;
}

/* --- printing --- */

static enum loom_status say_text(struct grep *grep, struct loom_err *err)
{
	struct cli_grove *grove = grep->grove;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_show show;
	enum loom_status status = loom_show_init(&show, grove->store, grove->arena, err);

	show.local = true;
	show.reader = cli_grove_person(grove) ? grove->actor.id : 0;
	if (status == LOOM_OK)
		status = loom_find_show(&show, &grep->query, &grep->hits, grep->behind, &text, err);
	if (status == LOOM_OK)
		loom_answer_page(grove->cli, loom_buf_str(&text));
	if (status == LOOM_OK && grep->hits.count < grep->hits.total)
		loom_answer_note(grove->cli, "there are more: --last %zu shows twice as many",
				 2 * grep->hits.count);
	loom_buf_fini(&text);
	return status;
}

static const char *kind_name(enum loom_hit_kind kind)
{
	static const char *const names[] = {
		[LOOM_HIT_NODE] = "node",       [LOOM_HIT_NOTE] = "annotation",
		[LOOM_HIT_SUMMARY] = "summary", [LOOM_HIT_DOC] = "document",
		[LOOM_HIT_TREE] = "tree",
	};

	return names[kind];
}

static enum loom_status describe_hit(struct cli_grove *grove, const struct loom_hit *hit,
				     struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_node node;
	struct loom_tree tree;
	struct loom_doc doc;
	enum loom_status status = LOOM_OK;

	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "kind",
			 loom_str_of(kind_name(hit->summed ? LOOM_HIT_SUMMARY : hit->kind)));
	if (hit->node)
		status = loom_node_get(grove->store, hit->node, 0, grove->arena, &node, err);
	if (status == LOOM_OK && hit->node) {
		loom_answer_text(cli, "id", cli_node_name(grove, &node));
		loom_answer_ulid(cli, "ulid", &node.ulid);
	}
	if (status == LOOM_OK && hit->tree)
		status = loom_tree_get(grove->store, hit->tree, grove->arena, &tree, err);
	if (status == LOOM_OK && hit->tree) {
		loom_answer_ulid(cli, "tree", &tree.ulid);
		loom_answer_text(cli, "title", tree.title);
	}
	if (status == LOOM_OK && hit->doc)
		status = loom_doc_get(grove->store, hit->doc, false, grove->arena, &doc, err);
	if (status == LOOM_OK && hit->doc)
		loom_answer_text(cli, "document", doc.name);
	loom_answer_text(cli, "snippet", hit->snippet);
	loom_answer_end(cli);
	return status;
}

static enum loom_status describe_hits(struct grep *grep, struct loom_err *err)
{
	struct loom_cli *cli = grep->grove->cli;
	enum loom_status status = LOOM_OK;

	loom_answer_number(cli, "total", (int64_t)grep->hits.total);
	loom_answer_flag(cli, "more", grep->hits.more);
	loom_answer_list(cli, "hits");
	for (size_t i = 0; i < grep->hits.count && status == LOOM_OK; i++)
		status = describe_hit(grep->grove, &grep->hits.items[i], err);
	return status;
}

/* --- the command --- */

/* An agent sees only what `→ search` would show it. */
static enum loom_status heed_grant(struct grep *grep, int64_t tree, struct loom_err *err)
{
	struct cli_grove *grove = grep->grove;
	struct loom_gate_who who;
	enum loom_status status = cli_grove_who(grove, &who, err);

	return status == LOOM_OK ? loom_find_heed(grove->store, who.grant.may, tree, grove->arena,
						  &grep->query, err)
				 : status;
}

static enum loom_status read_query(struct grep *grep, struct loom_err *err)
{
	struct cli_grove *grove = grep->grove;
	const struct args_of_grep *args = args_of_grep(grove->cli);
	struct loom_str tree_name = args->tree;
	struct loom_tree tree = {.id = 0};
	struct loom_buf line = LOOM_BUF_INIT(65536);
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < args->query.n; i++)
		loom_buf_addf(&line, "%s%s", i ? " " : "", args->query.p[i].p);
	/* A grove without trees may still have documents to search. */
	status = cli_grove_tree(grove, tree_name, &tree, err);
	if (status == LOOM_NOT_FOUND && !tree_name.p)
		status = LOOM_OK;
	if (tree_name.p)
		grep->query.tree = tree.id;
	if (status == LOOM_OK)
		status = loom_search_parse(grove->store, loom_arena_buf(grove->arena, &line),
					   tree.id, grove->arena, &grep->query, err);
	if (status == LOOM_OK && !cli_grove_person(grove))
		status = heed_grant(grep, tree.id, err);
	grep->query.limit = (size_t)loom_number_or(args->last, LAST_DEFAULT);
	grep->rebuild = args->rebuild;
	loom_buf_fini(&line);
	return status;
}

static enum loom_status run_grep(struct cli_grove *grove, struct loom_err *err)
{
	struct grep grep = {.grove = grove};
	struct cli_work work = {
		.what = "searching",
		.unit = "new texts",
		.access = LOOM_READ,
		.run = work_grep,
		.ctx = &grep,
	};
	enum loom_status status = read_query(&grep, err);

	if (status == LOOM_OK)
		status = cli_grove_work(grove, &work, err);
	if (status == LOOM_OK)
		status = loom_answer_structured(grove->cli) ? describe_hits(&grep, err)
							    : say_text(&grep, err);
	/* Like grep, exits with 1 if nothing was found. */
	grove->cli->found = status == LOOM_OK && grep.hits.count == 0;
	return status;
}

enum loom_status cmd_grep(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_grep, err);
}
