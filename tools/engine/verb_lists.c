/* What there is: `→ list documents`, trees, tags, bookmarks, pruned nodes and drafts. */
#include <loom/engine/handlers.h>

#include <loom/language/call.h>
#include <loom/text/sanitise.h>

/* A page of a list whose length is known when it has been read. */
struct listing {
	struct engine_run *run;
	const char *word; /* of the call */
	size_t count;
	size_t first;
	size_t end;
};

/* Prints the head of the list; false when there is nothing on the page. */
static bool begin(struct listing *list, const char *one, const char *many)
{
	const int64_t page = list->run->call->page ? list->run->call->page : 1;

	list->first = (size_t)(page - 1) * ENGINE_PAGE;
	list->end =
		list->first + ENGINE_PAGE < list->count ? list->first + ENGINE_PAGE : list->count;
	if (!list->count) {
		loom_buf_addf(list->run->out, "no %s", many);
		return false;
	}
	loom_show_many((int64_t)list->count, one, many, list->run->out);
	loom_buf_addc(list->run->out, ':');
	return list->first < list->end;
}

static void end(struct listing *list)
{
	if (list->end >= list->count)
		return;
	loom_buf_adds(list->run->out, "\n  … ");
	loom_buf_add_count(list->run->out, list->count - list->end);
	loom_buf_addf(list->run->out, " more · " LANG_ARROW " list %s page:%zu", list->word,
		      list->end / ENGINE_PAGE + 1);
}

static enum loom_status list_documents(struct engine_run *run, struct loom_err *err)
{
	struct listing list = {.run = run, .word = "documents"};
	struct loom_doc *docs = NULL;
	enum loom_status status = loom_doc_list(run->store, run->arena, &docs, &list.count, err);

	if (status != LOOM_OK || !begin(&list, "document", "documents"))
		return status;
	for (size_t i = list.first; i < list.end; i++) {
		loom_buf_adds(run->out, "\n  ");
		loom_show_doc(docs[i].name, LOOM_STR(""), run->out);
		loom_buf_adds(run->out, " · ");
		loom_show_many(docs[i].words, "word", "words", run->out);
	}
	end(&list);
	return LOOM_OK;
}

/* Other trees are counted, and named only to those who may enter them. */
static enum loom_status list_trees(struct engine_run *run, struct loom_err *err)
{
	const bool may = run->engine->who.grant.may & LOOM_MAY_CROSS_TREE;
	struct listing list = {.run = run, .word = "trees"};
	struct loom_tree *trees = NULL;
	size_t all = 0;
	enum loom_status status = loom_tree_list(run->store, run->arena, &trees, &all, err);

	for (size_t i = 0; status == LOOM_OK && i < all; i++)
		if (may || trees[i].id == run->tree.id)
			trees[list.count++] = trees[i];
	if (status != LOOM_OK || !begin(&list, "tree", "trees"))
		return status;
	for (size_t i = list.first; i < list.end; i++) {
		loom_buf_adds(run->out, "\n  ");
		loom_show_tree(trees[i].title, run->out);
		loom_buf_adds(run->out, " · ");
		loom_show_many(trees[i].nodes, "node", "nodes", run->out);
		if (trees[i].id == run->tree.id)
			loom_buf_adds(run->out, " (you are here)");
	}
	end(&list);
	if (all > list.count)
		loom_buf_addf(run->out, "\n  and %zu more, whose titles need cross_tree",
			      all - list.count);
	return LOOM_OK;
}

/* The nodes of this tree that bear a mark, as far as a list goes. */
#define MARKED_MAX 10000
static enum loom_status marked(struct engine_run *run, struct loom_str tag, bool pruned,
			       struct loom_nodes *out, struct loom_err *err)
{
	const struct loom_tagged page = {.name = tag,
					 .pruned = pruned,
					 .tree = run->tree.id,
					 .limit = MARKED_MAX};

	return loom_tag_nodes(run->store, &page, run->arena, out, err);
}

static enum loom_status list_tags(struct engine_run *run, struct loom_err *err)
{
	struct listing list = {.run = run, .word = "tags"};
	struct loom_tag *tags = NULL;
	struct loom_nodes nodes;
	size_t all = 0;
	enum loom_status status = loom_tag_list(run->store, run->arena, &tags, &all, err);

	for (size_t i = 0; status == LOOM_OK && i < all; i++) {
		status = marked(run, tags[i].name, false, &nodes, err);
		if (status != LOOM_OK || !nodes.count)
			continue;
		tags[list.count] = tags[i];
		tags[list.count++].nodes = (int64_t)nodes.count;
	}
	if (status != LOOM_OK || !begin(&list, "tag", "tags"))
		return status;
	for (size_t i = list.first; i < list.end; i++) {
		loom_buf_addf(run->out, "\n  \"%.*s\" · ",
			      LOOM_STR_ARG(loom_shown_label(run->arena, tags[i].name)));
		loom_show_many(tags[i].nodes, "node", "nodes", run->out);
	}
	end(&list);
	return LOOM_OK;
}

static enum loom_status list_marked(struct engine_run *run, bool pruned, struct loom_err *err)
{
	struct listing list = {.run = run, .word = pruned ? "pruned" : "bookmarks"};
	struct loom_nodes nodes;
	enum loom_status status = marked(run, (struct loom_str){NULL, 0}, pruned, &nodes, err);

	list.count = status == LOOM_OK ? nodes.count : 0;
	if (status != LOOM_OK || !begin(&list, pruned ? "pruned branch" : "bookmark",
					pruned ? "pruned branches" : "bookmarks"))
		return status;
	for (size_t i = list.first; i < list.end; i++) {
		const struct loom_node *node = &nodes.items[i];

		loom_buf_addf(run->out, "\n  [%.*s] ", LOOM_STR_ARG(engine_name(run, node)));
		if (!pruned && node->label.n)
			loom_buf_addf(run->out, "\"%.*s\" · ",
				      LOOM_STR_ARG(loom_shown_label(run->arena, node->label)));
		engine_show_quoted(run, node);
	}
	end(&list);
	return LOOM_OK;
}

/* Drafts are unsent text of the person at this account; an agent has none. */
static enum loom_status list_drafts(struct engine_run *run, struct loom_err *err)
{
	struct listing list = {.run = run, .word = "drafts"};
	struct loom_draft *drafts = NULL;
	enum loom_status status = LOOM_OK;

	if (run->engine->human)
		status = loom_draft_list(run->store, run->arena, &drafts, &list.count, err);
	if (status != LOOM_OK || !begin(&list, "draft", "drafts"))
		return status;
	for (size_t i = list.first; i < list.end; i++) {
		loom_buf_addf(run->out, "\n  %.*s · %.*s · \"", LOOM_STR_ARG(drafts[i].id),
			      LOOM_STR_ARG(drafts[i].kind));
		loom_show_sentence(drafts[i].text, run->out);
		loom_buf_addc(run->out, '"');
	}
	end(&list);
	return LOOM_OK;
}

enum loom_status engine_list_all(struct engine_run *run, struct loom_err *err)
{
	switch (run->call->what) {
	case LOOM_WHAT_DOCUMENTS:
		return list_documents(run, err);
	case LOOM_WHAT_TREES:
		return list_trees(run, err);
	case LOOM_WHAT_TAGS:
		return list_tags(run, err);
	case LOOM_WHAT_BOOKMARKS:
		return list_marked(run, false, err);
	case LOOM_WHAT_PRUNED:
		return list_marked(run, true, err);
	case LOOM_WHAT_DRAFTS:
		return list_drafts(run, err);
	case LOOM_WHAT_NONE:
	case LOOM_WHAT_CONTINUATIONS:
	case LOOM_WHAT_ANNOTATIONS:
	case LOOM_WHAT_LINKS:
	case LOOM_WHAT_TRACE:
	case LOOM_WHAT_STASHED:
		break;
	}
	LOOM_ASSERT(false);
	return LOOM_OK;
}
