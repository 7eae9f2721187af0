/* Looking and moving: view, list, tree, switch, search. Nothing here changes what others see;
 * switch moves the thread. */
#include <loom/reading/anchor.h>
#include <loom/engine/handlers.h>

#include <loom/language/call.h>
#include <loom/text/quoting.h>
#include <loom/engine/tree_text.h>
#include <loom/text/sanitise.h>

/* "… 950 more · → list a7x2 continuations page:2", in the tree that the call named. */
static void say_more(struct engine_run *run, struct loom_str what, const char *plural, int64_t more,
		     int64_t page)
{
	loom_buf_adds(run->out, "\n  … ");
	loom_buf_add_count(run->out, (uint64_t)more);
	loom_buf_addf(run->out, " more · " LANG_ARROW " list %.*s %s page:%lld", LOOM_STR_ARG(what),
		      plural, (long long)page);
	engine_add_tree(run, run->out);
}

/* ---- view ---- */

/* Says which passage of the text a note is on, and whether that still stands there. */
static enum loom_status add_anchor(struct engine_run *run, const struct loom_node *note,
				   struct loom_str text, struct loom_err *err)
{
	struct loom_anchor anchor;
	enum loom_status status =
		loom_anchor_find(run->store, note->id, text, run->arena, &anchor, err);

	if (status != LOOM_OK || !anchor.passage.n)
		return status;
	loom_buf_adds(run->out, anchor.fits ? " · on \"" : " · no longer fits: on \"");
	loom_shown_line(run->out, anchor.passage, 0);
	loom_buf_addc(run->out, '"');
	return LOOM_OK;
}

static enum loom_status add_notes(struct engine_run *run, const struct loom_node *node,
				  struct loom_err *err)
{
	struct loom_page page = {.kind = LOOM_ANNOTATION,
				 .limit = ENGINE_PAGE,
				 .parts = LOOM_NODE_TEXT | LOOM_NODE_MARKS};
	struct loom_nodes notes;
	int64_t all = 0;
	enum loom_status status =
		loom_node_children(run->store, node->group, &page, run->arena, &notes, err);

	if (status == LOOM_OK)
		status = loom_node_count(run->store, node->group, LOOM_ANNOTATION, &all, err);
	if (status != LOOM_OK || !notes.count)
		return status;
	loom_buf_adds(run->out, "\n\n" LOOM_SAYS_NOTES);
	for (size_t i = 0; i < notes.count && status == LOOM_OK; i++) {
		loom_buf_adds(run->out, "\n  [");
		status = loom_show_name(run->show, &notes.items[i], run->out, err);
		loom_buf_adds(run->out, "] \"");
		(void)loom_body_add_inside(run->out, notes.items[i].text, LOOM_BELOW_HEADERS);
		loom_buf_addc(run->out, '"');
		if (status == LOOM_OK)
			status = add_anchor(run, &notes.items[i], node->text, err);
	}
	if (all > ENGINE_PAGE)
		say_more(run, engine_name(run, node), "annotations", all - ENGINE_PAGE, 2);
	return status;
}

/* Mentions the newest member of the group when this one is older; the reader's view never changes
 * by itself. */
static enum loom_status add_newer(struct engine_run *run, const struct loom_node *node, bool first,
				  struct loom_err *err)
{
	struct loom_nodes members;
	const struct loom_node *newest = NULL;
	enum loom_status status = LOOM_OK;

	if (node->kind != LOOM_CONTINUATION)
		return LOOM_OK;
	status = loom_node_members(run->store, node->group, LOOM_NODE_MARKS, run->arena, &members,
				   err);
	for (size_t i = 0; status == LOOM_OK && i < members.count; i++)
		if (!members.items[i].pruned)
			newest = &members.items[i];
	if (status != LOOM_OK || !newest || newest->id <= node->id)
		return status;
	loom_buf_adds(run->out, first ? "newer version [" : " · newer version [");
	status = loom_show_name(run->show, newest, run->out, err);
	loom_buf_addc(run->out, ']');
	return status;
}

static enum loom_status add_counts(struct engine_run *run, const struct loom_node *node,
				   const char *before, struct loom_err *err)
{
	const size_t begin = run->out->n;
	size_t after = 0;
	enum loom_status status = LOOM_OK;

	loom_buf_adds(run->out, before);
	after = run->out->n;
	status = loom_show_counts(run->show, node, run->out, err);
	if (status == LOOM_OK)
		status = add_newer(run, node, run->out->n == after, err);
	if (run->out->n == after)
		loom_buf_cut(run->out, begin);
	return status;
}

/* Prints the text, or some lines of it. What a long result leaves out can be asked for in lines. */
static enum loom_status add_content(struct engine_run *run, const struct loom_node *node,
				    struct loom_err *err)
{
	const int64_t *lines = run->call->lines;
	struct loom_str text = node->text;
	int64_t count = 0;

	if (lines[0] && !engine_lines(node->text, lines, &text, &count)) {
		const struct loom_str many = engine_many(run, count, "line", "lines");

		return loom_fail(err, LOOM_NOT_FOUND, "[%.*s] has %.*s",
				 LOOM_STR_ARG(run->call->id), LOOM_STR_ARG(many));
	}
	run->exact = lines[0] > 0;
	run->body_at = run->out->n;
	(void)loom_body_add(run->out, text, LOOM_BELOW_HEADERS);
	run->body_end = run->out->n;
	run->body_line = 1;
	run->body_again = loom_arena_format(run->arena, "view %.*s",
					    LOOM_STR_ARG(engine_name_again(run, node, " full")));
	return LOOM_OK;
}

static enum loom_status view_node(struct engine_run *run, struct loom_err *err)
{
	const struct loom_call *call = run->call;
	struct loom_node node;
	enum loom_status status = engine_find(run, call->id, &node, err);

	if (status == LOOM_OK)
		status = loom_show_header(run->show, &node, run->out, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_addc(run->out, '\n');
	if (call->full || call->lines[0])
		status = add_content(run, &node, err);
	else
		engine_show_quoted(run, &node);
	if (status == LOOM_OK && call->with_annotations)
		status = add_notes(run, &node, err);
	return status == LOOM_OK ? add_counts(run, &node, "\n\n", err) : status;
}

static enum loom_status branch_nodes(struct engine_run *run, const struct loom_node *tip,
				     struct loom_err *err)
{
	struct loom_nodes path;
	enum loom_status status = loom_node_path(run->store, tip->id, run->thread.id, LOOM_NODE_ALL,
						 run->arena, &path, err);

	for (size_t i = 0; status == LOOM_OK && i < path.count; i++) {
		struct loom_node *node = &path.items[i];

		if (i)
			loom_buf_adds(run->out, "\n\n");
		status = loom_node_count(run->store, node->group, LOOM_CONTINUATION,
					 &node->children, err);
		if (status == LOOM_OK)
			status = loom_show_header(run->show, node, run->out, err);
		if (status == LOOM_OK)
			status = add_counts(run, node, "\n", err);
		loom_buf_adds(run->out, "\n" LOOM_RULE "\n");
		(void)loom_body_add(run->out, node->text, LOOM_BELOW_HEADERS);
	}
	return status;
}

enum loom_status engine_verb_view(struct engine_run *run, struct loom_err *err)
{
	struct loom_node tip;
	enum loom_status status = LOOM_OK;

	if (!run->call->branch.p)
		return view_node(run, err);
	status = engine_find(run, run->call->branch, &tip, err);
	if (status == LOOM_OK)
		status = engine_check_story(run, &tip, err);
	if (status == LOOM_OK && run->call->as == LOOM_AS_NODES)
		return branch_nodes(run, &tip, err);
	return status == LOOM_OK ? loom_show_prose(run->show, tip.id, run->thread.id, run->out, err)
				 : status;
}

/* ---- list ---- */

struct list_kind {
	enum loom_node_kind kind;
	const char *plural;
	const char *none;
};

/* The listed thing, as results print it and as a call names it. */
struct listed {
	struct loom_str shown;
	struct loom_str said;    /* without the tree that the call named */
	enum loom_link_kind end; /* a node or a document, and which one */
	int64_t id;
	int64_t tree; /* to look in */
};

static struct listed listed_node(struct engine_run *run, const struct loom_node *node)
{
	const struct loom_str name = engine_name(run, node);

	return (struct listed){.shown = loom_arena_format(run->arena, "[%.*s]", LOOM_STR_ARG(name)),
			       .said = name,
			       .end = LOOM_LINK_NODE,
			       .id = node->id,
			       .tree = node->tree};
}

static struct listed listed_doc(struct engine_run *run, const struct loom_doc *doc)
{
	struct loom_buf name = LOOM_BUF_INIT(4096);
	struct loom_str text;

	loom_show_doc(doc->name, LOOM_STR(""), &name);
	text = loom_arena_buf(run->arena, &name);
	loom_buf_fini(&name);
	return (struct listed){.shown = text,
			       .said = text,
			       .end = LOOM_LINK_DOC,
			       .id = doc->id,
			       .tree = run->tree.id};
}

static void list_head(struct engine_run *run, const struct listed *what, const char *format,
		      int64_t count)
{
	loom_buf_add(run->out, what->shown);
	if (run->call->what == LOOM_WHAT_CONTINUATIONS && count) {
		loom_buf_adds(run->out, " " LANG_ARROW " ");
		loom_show_many(count, "continuation:", "continuations:", run->out);
		return;
	}
	loom_buf_adds(run->out, format);
}

static void list_tail(struct engine_run *run, const struct listed *what, const char *plural,
		      int64_t all)
{
	const int64_t page = run->call->page ? run->call->page : 1;
	const int64_t more = page <= all / ENGINE_PAGE ? all - page * ENGINE_PAGE : 0;

	if (more <= 0)
		return;
	say_more(run, what->said, plural, more, page + 1);
}

static enum loom_status refuse_page(const struct engine_run *run, const struct listed *what,
				    int64_t all, const char *plural, struct loom_err *err)
{
	return loom_fail(err, LOOM_NOT_FOUND, "%.*s has %lld %s: there is no page %lld",
			 LOOM_STR_ARG(what->shown), (long long)all, plural,
			 (long long)run->call->page);
}

/* Page one always exists, even if it is empty. */
static bool is_page(int64_t page, int64_t all)
{
	return page <= 1 || page - 1 <= (all - 1) / ENGINE_PAGE;
}

/* Finds the ordinal after which the requested page begins. */
static enum loom_status skip_pages(struct engine_run *run, int64_t group, struct loom_page *page,
				   struct loom_err *err)
{
	int64_t left = run->call->page > 1 ? (run->call->page - 1) * ENGINE_PAGE : 0;
	struct loom_page narrow = {.kind = page->kind};
	enum loom_status status = LOOM_OK;

	while (left > 0 && status == LOOM_OK) {
		struct loom_arena *arena = loom_arena_create();
		struct loom_nodes nodes;

		narrow.limit = left > 1000 ? 1000 : (size_t)left;
		status = loom_node_children(run->store, group, &narrow, arena, &nodes, err);
		if (status == LOOM_OK && nodes.count)
			narrow.after = nodes.items[nodes.count - 1].ord;
		left = status == LOOM_OK && nodes.count ? left - (int64_t)nodes.count : 0;
		loom_arena_destroy(arena);
	}
	page->after = narrow.after;
	return status;
}

static enum loom_status list_nodes(struct engine_run *run, const struct loom_node *node,
				   const struct list_kind *kind, struct loom_err *err)
{
	struct loom_page page = {.kind = kind->kind,
				 .thread = run->thread.id,
				 .limit = ENGINE_PAGE,
				 .parts = LOOM_NODE_TEXT | LOOM_NODE_MARKS};
	const struct listed what = listed_node(run, node);
	struct loom_nodes nodes = {NULL, 0};
	int64_t all = 0;
	enum loom_status status = loom_node_count(run->store, node->group, kind->kind, &all, err);

	if (status == LOOM_OK && !is_page(run->call->page, all))
		return refuse_page(run, &what, all, kind->plural, err);
	if (status == LOOM_OK)
		status = skip_pages(run, node->group, &page, err);
	if (status == LOOM_OK)
		status =
			loom_node_children(run->store, node->group, &page, run->arena, &nodes, err);
	if (status == LOOM_OK)
		list_head(run, &what, all ? " annotations:" : kind->none, all);
	for (size_t i = 0; status == LOOM_OK && i < nodes.count; i++) {
		loom_buf_adds(run->out, "\n  [");
		status = loom_show_name(run->show, &nodes.items[i], run->out, err);
		loom_buf_adds(run->out, "] ");
		loom_show_author(run->show, nodes.items[i].author, false, run->out);
		loom_buf_adds(run->out, " · ");
		engine_show_quoted(run, &nodes.items[i]);
	}
	if (status == LOOM_OK)
		list_tail(run, &what, kind->plural, all);
	return status;
}

static void say_in_tree(struct engine_run *run, struct loom_str title)
{
	loom_buf_adds(run->out, " in ");
	loom_show_tree(title, run->out);
}

static enum loom_status add_other_node(struct engine_run *run, int64_t other, int64_t tree,
				       struct loom_err *err)
{
	struct loom_node node;
	struct loom_tree row;
	enum loom_status status =
		loom_node_get(run->store, other, LOOM_NODE_NARROW, run->arena, &node, err);

	if (status != LOOM_OK)
		return status;
	loom_buf_addc(run->out, '[');
	status = loom_show_name(run->show, &node, run->out, err);
	loom_buf_addc(run->out, ']');
	if (status != LOOM_OK || node.tree == tree)
		return status;
	status = loom_tree_get(run->store, node.tree, run->arena, &row, err);
	if (status == LOOM_OK)
		say_in_tree(run, row.title);
	return status;
}

/* Prints what is at the other end. */
static enum loom_status add_link(struct engine_run *run, const struct listed *what,
				 const struct loom_link *link, struct loom_err *err)
{
	struct loom_doc doc;
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	if (what->end == LOOM_LINK_DOC || link->from != what->id) {
		status = add_other_node(run, link->from, what->tree, err);
		if (what->end == LOOM_LINK_DOC && link->section.n)
			loom_buf_addf(run->out, " §%.*s",
				      LOOM_STR_ARG(loom_shown_label(run->arena, link->section)));
		else if (what->end == LOOM_LINK_NODE && !link->to_node)
			loom_buf_adds(run->out, " (to the tree)");
		return status;
	}
	if (link->to_node)
		return add_other_node(run, link->to_node, what->tree, err);
	if (link->kind == LOOM_LINK_DOC) {
		status = loom_doc_get(run->store, link->to_doc, false, run->arena, &doc, err);
		if (status == LOOM_OK)
			loom_show_doc(doc.name, link->section, run->out);
		return status;
	}
	status = loom_tree_get(run->store, link->to_tree, run->arena, &tree, err);
	if (status == LOOM_OK)
		loom_show_tree(tree.title, run->out);
	return status;
}

static enum loom_status list_links(struct engine_run *run, const struct listed *what,
				   struct loom_err *err)
{
	struct loom_link *links = NULL;
	size_t count = 0;
	size_t first = 0;
	enum loom_status status =
		loom_link_list(run->store, what->end, what->id, run->arena, &links, &count, err);

	if (status == LOOM_OK && !is_page(run->call->page, (int64_t)count))
		return refuse_page(run, what, (int64_t)count, "links", err);
	if (run->call->page > 1)
		first = (size_t)(run->call->page - 1) * ENGINE_PAGE;
	if (status == LOOM_OK)
		list_head(run, what, count ? " links:" : " has no links", (int64_t)count);
	for (size_t i = first; status == LOOM_OK && i < count && i < first + ENGINE_PAGE; i++) {
		const size_t begin = run->out->n;

		loom_buf_adds(run->out, "\n  " LANG_ARROW " ");
		status = add_link(run, what, &links[i], err);
		/* Its target was undone: the link leads nowhere now. */
		if (status == LOOM_NOT_FOUND) {
			loom_buf_cut(run->out, begin);
			status = LOOM_OK;
		} else if (links[i].note.n) {
			loom_buf_addf(run->out, " (note: \"%.*s\")",
				      LOOM_STR_ARG(loom_shown_label(run->arena, links[i].note)));
		}
	}
	if (status == LOOM_OK)
		list_tail(run, what, "links", (int64_t)count);
	return status;
}

enum loom_status engine_verb_list(struct engine_run *run, struct loom_err *err)
{
	static const struct list_kind continuations = {LOOM_CONTINUATION, "continuations",
						       " has no continuations"};
	static const struct list_kind annotations = {LOOM_ANNOTATION, "annotations",
						     " has no annotations"};
	struct listed what;
	struct loom_node node;
	struct loom_doc doc;
	enum loom_status status = LOOM_OK;

	if (!run->call->id.p && !run->call->doc.p)
		return engine_list_all(run, err);
	if (run->call->doc.p) {
		status = engine_find_doc(run, run->call->doc, &doc, err);
		what = status == LOOM_OK ? listed_doc(run, &doc) : (struct listed){.id = 0};
		return status == LOOM_OK ? list_links(run, &what, err) : status;
	}
	status = engine_find(run, run->call->id, &node, err);
	if (status != LOOM_OK)
		return status;
	what = listed_node(run, &node);
	if (run->call->what == LOOM_WHAT_LINKS)
		return list_links(run, &what, err);
	return list_nodes(run, &node,
			  run->call->what == LOOM_WHAT_ANNOTATIONS ? &annotations : &continuations,
			  err);
}

/* ---- tree ---- */

enum loom_status engine_verb_tree(struct engine_run *run, struct loom_err *err)
{
	struct loom_draw_opts opts = {.tree = run->tree.id,
				      .thread = run->thread.id,
				      .depth = run->call->depth,
				      .words = run->call->words,
				      .summary = run->call->summary};
	struct loom_tree tree;
	struct loom_node from;
	enum loom_status status = engine_position(run->engine, &opts.position, err);

	if (status == LOOM_OK && run->call->from.p) {
		status = engine_find(run, run->call->from, &from, err);
		if (status == LOOM_OK)
			status = engine_check_story(run, &from, err);
		opts.from = from.id;
		opts.tree = from.tree;
	} else if (status == LOOM_OK && run->call->tree.p) {
		status = engine_find_tree(run, run->call->tree, &tree, err);
		opts.tree = tree.id;
	}
	if (status != LOOM_OK)
		return status;
	opts.away = opts.tree != run->tree.id;
	if (opts.away)
		opts.position = opts.thread = 0;
	run->body_again = (struct loom_str){NULL, 0};
	return loom_draw_tree(run->show, &opts, run->out, err);
}

/* ---- switch ---- */

/* Adds the name of the root above a node. */
static enum loom_status add_root(struct engine_run *run, const struct loom_node *node,
				 struct loom_err *err)
{
	int64_t first = 0;
	struct loom_node root;
	enum loom_status status = loom_node_ancestor(run->store, node->group, 0, &first, err);

	if (status == LOOM_OK)
		status = loom_node_get(run->store, first, LOOM_NODE_NARROW, run->arena, &root, err);
	return status == LOOM_OK ? loom_show_name(run->show, &root, run->out, err) : status;
}

/* "r001 → ... → a7x2 → b3k9" */
static enum loom_status add_way(struct engine_run *run, const struct loom_node *node,
				struct loom_err *err)
{
	struct loom_nodes path;
	enum loom_status status =
		loom_node_path_end(run->store,
				   &(struct loom_path_end){.tip = node->id,
							   .thread = run->thread.id,
							   .limit = 3,
							   .parts = LOOM_NODE_NARROW},
				   run->arena, &path, err);

	loom_buf_adds(run->out, "path: ");
	if (status == LOOM_OK && node->depth > 2) {
		status = add_root(run, node, err);
		loom_buf_adds(run->out, " → ... → ");
	}
	for (size_t i = node->depth > 2 ? 1 : 0; status == LOOM_OK && i < path.count; i++) {
		status = loom_show_name(run->show, &path.items[i], run->out, err);
		if (i + 1 < path.count)
			loom_buf_adds(run->out, " → ");
	}
	return status;
}

enum loom_status engine_verb_switch(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node;
	const int64_t tree = run->tree.id;
	enum loom_status status = engine_find_story(run, run->call->id, &node, err);

	if (status == LOOM_OK)
		status = engine_move(run, &node, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_addf(run->out, "✓ switched to [%.*s]", LOOM_STR_ARG(engine_name(run, &node)));
	if (node.tree != tree)
		say_in_tree(run, run->tree.title);
	loom_buf_addf(run->out, "\n  depth:%lld · ", (long long)node.depth);
	if (node.children) {
		loom_show_many(node.children, "continuation", "continuations", run->out);
		loom_buf_adds(run->out, " · ");
	}
	return add_way(run, &node, err);
}

/* ---- search ---- */

/* Resolves where to search, with the same refusals as any call that names a node or a tree. */
static enum loom_status find_place(struct engine_run *run, struct loom_engine_view *view,
				   struct loom_err *err)
{
	const struct loom_call *call = run->call;
	struct loom_node node;
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	if (call->in.p) {
		status = engine_find(run, call->in, &node, err);
		view->in = status == LOOM_OK ? node.group : 0;
		view->tree = status == LOOM_OK ? node.tree : view->tree;
	} else if (call->tree.p) {
		status = engine_find_tree(run, call->tree, &tree, err);
		view->tree = status == LOOM_OK ? tree.id : view->tree;
	}
	view->in_tree = call->in.p || call->tree.p;
	return status;
}

enum loom_status engine_verb_search(struct engine_run *run, struct loom_err *err)
{
	const struct loom_engine_hooks *hooks = run->engine->opts.hooks;
	struct loom_engine_view view;
	enum loom_status status = LOOM_OK;

	if (!hooks || !hooks->search) {
		loom_fail(err, LOOM_MODEL, "search is not set up");
		return loom_hint(err, LOOM_MODEL, LANG_ARROW " tree shows what is here");
	}
	engine_view_of(run->engine, &view);
	status = find_place(run, &view, err);
	return status == LOOM_OK ? hooks->search(hooks->ctx, &view, run->call, run->out, err)
				 : status;
}
