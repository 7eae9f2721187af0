/* The frame of an import: the operation around the trees, the documents, the steps that need all
 * nodes, and the final positions. */
#include <loom/tree/carry.h>
#include <loom/tree/document.h>
#include <loom/tree/job.h>
#include <loom/tree/say_node.h>
#include <loom/work/thread.h>

#include "write_tree.h"

/* How long an import spends on cleaning up: first for others, at the end for itself. */
enum { CLEAR_MS = 1000 };

/* ---- documents ---- */

/* Finds a name that no other text uses; *out_there if a document with this text exists. */
static enum loom_status name_document(struct import_writing *w, const struct import_doc *doc,
				      struct loom_str *out_name, bool *out_there,
				      struct loom_err *err)
{
	*out_there = false;
	*out_name = doc->name.n ? doc->name : LOOM_STR("imported");
	for (int i = 2; i < 1000; i++) {
		struct loom_doc found;
		enum loom_status status =
			loom_doc_find(w->store, *out_name, true, w->import->scratch, &found, err);

		if (status == LOOM_NOT_FOUND)
			return LOOM_OK;
		if (status != LOOM_OK)
			return status;
		*out_there = loom_str_eq(found.text, doc->text);
		if (*out_there)
			return LOOM_OK;
		*out_name = loom_arena_format(w->import->arena, "%.*s (%d)",
					      LOOM_STR_ARG(doc->name), i);
	}
	return loom_fail(err, LOOM_CONFLICT, "too many documents are called \"%.*s\"",
			 LOOM_STR_ARG(doc->name));
}

struct named {
	struct loom_str name;
	size_t at; /* among the documents */
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static int compare_names(const void *a, const void *b)
{
	const struct named *one = a;
	const struct named *two = b;
	const size_t least = one->name.n < two->name.n ? one->name.n : two->name.n;

	for (size_t i = 0; i < least; i++) {
		const int by = lower(one->name.p[i]) - lower(two->name.p[i]);

		if (by)
			return by;
	}
	if (one->name.n != two->name.n)
		return one->name.n < two->name.n ? -1 : 1;
	return (one->at > two->at) - (one->at < two->at);
}

/* Two files may bring documents with the same name, and those of this operation are not visible
 * yet. */
static void tell_twins_apart(struct loom_import *import)
{
	const size_t count = import->doc_count;
	struct named *names = loom_realloc(NULL, count + 1, sizeof *names);
	int turn = 1;

	for (size_t i = 0; i < count; i++)
		names[i] = (struct named){import->docs[i].name, i};
	qsort(names, count, sizeof *names, compare_names);
	for (size_t i = 1; i < count; i++) {
		turn = loom_str_eq_fold(names[i].name, names[i - 1].name) ? turn + 1 : 1;
		if (turn > 1)
			import->docs[names[i].at].name =
				loom_arena_format(import->arena, "%.*s (%d)",
						  LOOM_STR_ARG(names[i].name), turn);
	}
	free(names);
}

/* The author of a document: a claim, unless this grove's seal covers the document. */
static enum loom_status find_writer(struct import_writing *w, const struct import_doc *doc,
				    int64_t *out, struct loom_err *err)
{
	const struct import_file *file = &w->import->files[doc->file];
	const struct import_said who = {.file = file, .role = IMPORT_HUMAN, .fits = true};
	struct import_author *author = NULL;
	enum loom_status status = LOOM_OK;

	*out = w->actor;
	if (file->genuine && doc->listed)
		return LOOM_OK;
	status = import_author(w, &who, &author, err);
	if (status != LOOM_OK)
		return status;
	*out = author->agent;
	import_note(w->import, IMPORT_CLAIM, "a document, from %.*s", LOOM_STR_ARG(file->from));
	return LOOM_OK;
}

static enum loom_status write_documents(struct import_writing *w, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	tell_twins_apart(w->import);
	for (size_t i = 0; i < w->import->doc_count && status == LOOM_OK; i++) {
		const struct import_doc *doc = &w->import->docs[i];
		struct loom_str name;
		bool there = false;
		int64_t writer = 0;
		int64_t id = 0;

		loom_arena_reset(w->import->scratch);
		status = name_document(w, doc, &name, &there, err);
		if (status == LOOM_OK && !there)
			status = find_writer(w, doc, &writer, err);
		if (status == LOOM_OK && !there)
			status = loom_doc_create(w->store, name, doc->text, writer, &id, err);
		w->import->report.documents += id != 0;
		if (status == LOOM_OK)
			status = import_breathe(w, err);
	}
	return status;
}

/* ---- once everything is there ---- */

static enum loom_status make_link(struct import_writing *w, const struct import_entry *entry,
				  const struct import_mark_record *mark, struct loom_str note,
				  struct loom_err *err)
{
	const struct import_entry *to = mark->to ? import_entry_at(w->import, mark->to) : NULL;
	struct loom_link link = {
		.from = entry->node,
		.kind = LOOM_LINK_NODE,
		.to_node = to ? to->node : 0,
		.note = note,
		.section = LOOM_STR_INIT(""),
		.author = w->actor,
	};
	int64_t made = 0;
	bool changed = false;

	if (link.to_node)
		return loom_link_create(w->store, &link, &made, &changed, err);
	import_note(w->import, IMPORT_REPAIRED, "a link to a missing node");
	return LOOM_OK;
}

/* Resolves the target of a link of a loom export, by ULID. */
static enum loom_status find_target(struct import_writing *w, struct loom_str object,
				    struct loom_link *link, struct loom_err *err)
{
	struct loom_str doc = import_text(w->import, object, "doc");
	struct loom_holder holder = {.id = 0};
	struct loom_doc row;
	struct loom_ulid ulid;
	enum loom_status status = LOOM_OK;

	if (loom_ulid_parse(import_text(w->import, object, "to"), &ulid))
		status = loom_carry_node(w->store, &ulid, &holder, err);
	/* an undone target is missing */
	link->to_node = holder.state == LOOM_OP_UNDONE ? 0 : holder.id;
	holder.id = 0;
	if (status == LOOM_OK && loom_ulid_parse(import_text(w->import, object, "tree"), &ulid))
		status = loom_carry_tree(w->store, &ulid, &holder, err);
	link->to_tree = holder.state == LOOM_OP_UNDONE ? 0 : holder.id;
	if (status != LOOM_OK || !doc.n)
		return status;
	status = loom_doc_find(w->store, doc, false, w->arena, &row, NULL);
	link->to_doc = status == LOOM_OK ? row.id : 0;
	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

static struct loom_str claim_of(struct loom_str object)
{
	const struct loom_str claim = loom_jval_get(object, "claim");

	return loom_jval_type(claim) == LOOM_JTYPE_OBJECT ? claim : loom_str_make(NULL, 0);
}

static enum loom_status make_our_link(struct import_writing *w,
				      const struct import_tree_state *tree,
				      const struct import_entry *entry, struct loom_str object,
				      bool listed, struct loom_err *err)
{
	const struct import_file *file = &w->import->files[tree->file];
	struct import_said who = {
		.file = file,
		.author = import_text(w->import, object, "author"),
		.claim = claim_of(object),
		.genuine = file->genuine && listed,
		.fits = true,
	};
	struct import_author *author = NULL;
	struct loom_link link = {
		.from = entry->node,
		.section = import_text(w->import, object, "section"),
		.note = import_text(w->import, object, "note"),
		.created = import_time(w->import, loom_jval_get(object, "created")),
	};
	int64_t made = 0;
	bool changed = false;
	enum loom_status status = find_target(w, object, &link, err);

	link.kind = link.to_doc ? LOOM_LINK_DOC : link.to_tree ? LOOM_LINK_TREE : LOOM_LINK_NODE;
	if (status == LOOM_OK)
		status = import_author(w, &who, &author, err);
	if (status != LOOM_OK)
		return status;
	link.author = author->agent;
	if (link.to_node || link.to_doc || link.to_tree)
		return loom_link_create(w->store, &link, &made, &changed, err);
	import_note(w->import, IMPORT_REPAIRED, "a link to a missing target");
	return LOOM_OK;
}

/* A node's marks are chained from last to first, but created in the file's order. */
static enum loom_status make_links(struct import_writing *w, const struct import_tree_state *tree,
				   const struct import_entry *entry, struct loom_err *err)
{
	struct import_mark_record mark = {.before = entry->marks};
	struct loom_str text;
	uint64_t *chain = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	while (mark.before && status == LOOM_OK) {
		chain = loom_realloc(chain, count + 1, sizeof *chain);
		chain[count++] = mark.before;
		status = import_entry_mark(w->import, mark.before, &mark, &text, err);
	}
	while (count > 0 && status == LOOM_OK) {
		status = import_entry_mark(w->import, chain[--count], &mark, &text, err);
		loom_arena_reset(w->import->scratch);
		if (status == LOOM_OK && mark.kind == IMPORT_LINK)
			status = make_link(w, entry, &mark, text, err);
		if (status == LOOM_OK && mark.kind == IMPORT_OUR_LINK)
			status = make_our_link(w, tree, entry, text, mark.number != 0, err);
	}
	free(chain);
	return status;
}

static enum loom_status finish_node(struct import_writing *w, const struct import_tree_state *tree,
				    uint32_t number, struct loom_err *err)
{
	const struct import_entry *entry = import_entry_at(w->import, number);
	bool changed = false;
	int64_t below = 0;
	enum loom_status status = LOOM_OK;

	if (!entry->record || entry->flags & IMPORT_ENTRY_KNOWN)
		return LOOM_OK;
	if (entry->flags & IMPORT_ENTRY_LATE)
		status = make_links(w, tree, entry, err);
	if (status != LOOM_OK || !(entry->flags & IMPORT_ENTRY_PRUNED) || tree->there)
		return status;
	status = loom_node_prune(w->store, entry->node, &below, &changed, err);
	if (status != LOOM_CONFLICT)
		return status;
	import_note(w->import, IMPORT_LOST, "a tree's last root cannot be pruned");
	return loom_node_restore(w->store, entry->node, &below, &changed, err);
}

/* ---- what was moved ---- */

struct hung {
	uint32_t number;
	uint32_t to; /* 0: it is a root */
	int64_t place;
	size_t depth; /* of where it hangs in the end */
};
struct hung_list {
	struct hung *items; /* by number, until they are put in order */
	size_t count;
	size_t cap;
};

static enum loom_status add_hung(struct import_writing *w, uint32_t number, struct hung_list *list,
				 struct loom_err *err)
{
	struct import_mark_record mark = {.before = import_entry_at(w->import, number)->marks};
	struct loom_str text;
	enum loom_status status = LOOM_OK;

	do
		status = import_entry_mark(w->import, mark.before, &mark, &text, err);
	while (status == LOOM_OK && mark.kind != IMPORT_OUR_PLACE && mark.before);
	if (list->count == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 16;
		list->items = loom_realloc(list->items, list->cap, sizeof *list->items);
	}
	list->items[list->count++] =
		(struct hung){.number = number, .to = mark.to, .place = mark.number};
	return status;
}

static int by_entry(const void *a, const void *b)
{
	const struct hung *x = a;
	const struct hung *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int from_above(const void *a, const void *b)
{
	const struct hung *x = a;
	const struct hung *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Finds what a node hangs on in the end, 0 for a root. */
static uint32_t above(const struct import_writing *w, const struct hung_list *list, uint32_t number)
{
	const struct import_entry *entry = import_entry_at(w->import, number);
	const struct hung key = {.number = number};
	const struct hung *hung = NULL;

	if (entry->flags & IMPORT_ENTRY_HUNG)
		hung = bsearch(&key, list->items, list->count, sizeof key, by_entry);
	return hung ? hung->to : entry->parent;
}

/* Counts upwards; a file may say that nodes hang in a circle, so the way has a bound. */
static void find_depths(const struct import_writing *w, const struct import_tree_state *tree,
			struct hung_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct hung *hung = &list->items[i];

		if (i && hung->to == hung[-1].to) {
			hung->depth = hung[-1].depth;
			continue;
		}
		for (uint32_t on = hung->to; on && hung->depth <= tree->count;
		     on = above(w, list, on))
			hung->depth++;
	}
}

/* Hangs what stands above before what stands below it, so no branch comes below itself on the
 * way. */
static enum loom_status hang_all(struct import_writing *w, struct hung_list *list,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, from_above);
	for (size_t i = 0; i < list->count && status == LOOM_OK; i++) {
		const uint32_t to = list->items[i].to;
		const struct loom_hang where = {
			.node = import_entry_at(w->import, list->items[i].number)->node,
			.below = to ? import_entry_at(w->import, to)->node : 0,
			.last = true,
		};
		bool changed = false;

		status = to && !where.below ? LOOM_CONFLICT
					    : loom_node_hang(w->store, &where, &changed, err);
		if (status != LOOM_CONFLICT)
			continue;
		import_note(w->import, IMPORT_LOST,
			    "a node hangs where it cannot hang here; it is where it was written");
		status = LOOM_OK;
	}
	return status;
}

/* Hangs nodes where the file says, now that everything is there. */
static enum loom_status hang_moved(struct import_writing *w, const struct import_tree_state *tree,
				   struct loom_err *err)
{
	struct hung_list list = {.count = 0};
	const uint32_t end = (uint32_t)(tree->first + tree->count) + 1;
	enum loom_status status = LOOM_OK;

	for (uint32_t n = (uint32_t)tree->first + 1; n < end && status == LOOM_OK; n++) {
		const struct import_entry *entry = import_entry_at(w->import, n);

		if (entry->record && entry->flags & IMPORT_ENTRY_HUNG &&
		    !(entry->flags & IMPORT_ENTRY_KNOWN))
			status = add_hung(w, n, &list, err);
	}
	find_depths(w, tree, &list);
	if (status == LOOM_OK)
		status = hang_all(w, &list, err);
	free(list.items);
	return status;
}

static enum loom_status finish_trees(struct import_writing *w, struct loom_err *err)
{
	enum loom_status status = loom_op_reveal(w->store, err);

	for (size_t i = 0; i < w->import->tree_count; i++) {
		const struct import_tree_state *tree = import_tree_at(w->import, i);

		if (tree->nodes && status == LOOM_OK)
			status = hang_moved(w, tree, err);
		for (uint32_t n = tree->nodes ? import_order_first(tree) : 0;
		     n && status == LOOM_OK; n = import_order_next(w->import, tree, n))
			status = finish_node(w, tree, n, err);
	}
	return status;
}

/* ---- the operation ---- */

static void say_what(struct import_writing *w)
{
	struct loom_buf count = LOOM_BUF_INIT(64);
	const struct loom_import *import = w->import;

	loom_show_many((int64_t)w->done, "node", "nodes", &count);
	if (import->file_count == 1)
		loom_op_say(w->store, "imported %s from %.*s", loom_buf_cstr(&count),
			    LOOM_STR_ARG(import->files[0].name));
	else
		loom_op_say(w->store, "imported %s from %zu files", loom_buf_cstr(&count),
			    import->file_count);
	loom_buf_fini(&count);
}

static enum loom_status write_all(struct import_writing *w, int64_t *out_op, struct loom_err *err)
{
	struct loom_op_spec spec = {.kind = "import", .actor = w->actor, .slices = true};
	enum loom_status status;

	loom_op_clear(w->store, CLEAR_MS);
	status = loom_op_begin(w->store, &spec, err);
	if (status != LOOM_OK)
		return status;
	w->slice = loom_env_ticks();
	for (size_t i = 0; i < w->import->tree_count && status == LOOM_OK; i++)
		if (import_tree_at(w->import, i)->nodes)
			status = import_write_tree(w, import_tree_at(w->import, i), err);
	if (status == LOOM_OK)
		status = write_documents(w, err);
	if (status == LOOM_OK)
		status = finish_trees(w, err);
	if (status != LOOM_OK) {
		loom_op_rollback(w->store);
		return status;
	}
	say_what(w);
	return loom_op_finish(w->store, out_op, err);
}

/* Finds the node of this tree with a ULID from an export; 0: none. */
static int64_t find_named(struct import_writing *w, const struct import_tree_state *tree,
			  struct loom_str value)
{
	struct loom_holder holder = {.id = 0};
	struct loom_ulid ulid;

	if (!loom_ulid_parse(import_string(w->import, value), &ulid) ||
	    loom_carry_node(w->store, &ulid, &holder, NULL) != LOOM_OK)
		return 0;
	return holder.tree == tree->tree && holder.state == LOOM_OP_DONE ? holder.id : 0;
}

static enum loom_status choose(struct import_writing *w, int64_t thread, int64_t id, bool chosen)
{
	struct loom_node node;
	enum loom_status status =
		loom_node_get(w->store, id, LOOM_NODE_NARROW, w->import->scratch, &node, NULL);

	return status == LOOM_OK
		       ? loom_thread_choose(w->store, thread, node.group, chosen ? id : 0, NULL)
		       : status;
}

/* Takes over the chosen versions. Moving chose one at the position, which is taken back first. */
static enum loom_status take_choices(struct import_writing *w, const struct import_tree_state *tree,
				     int64_t thread, int64_t at)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(tree->spec.reading, "chosen"));
	struct loom_str item;
	enum loom_status status = at ? choose(w, thread, at, false) : LOOM_OK;

	while (!walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &item)) {
		const int64_t id = find_named(w, tree, item);

		loom_arena_reset(w->import->scratch);
		status = id ? choose(w, thread, id, true) : LOOM_OK;
	}
	return status;
}

/* Takes over the reader's position and versions. */
static enum loom_status take_reading(struct import_writing *w, const struct import_tree_state *tree)
{
	struct loom_thread thread;
	int64_t at = tree->current ? import_entry_at(w->import, tree->current)->node : 0;
	enum loom_status status =
		loom_thread_ensure(w->store, w->actor, tree->tree, w->arena, &thread, NULL);

	if (tree->spec.reading.n)
		at = find_named(w, tree, loom_jval_get(tree->spec.reading, "at"));
	if (status == LOOM_OK && at)
		status = loom_thread_move(w->store, thread.id, at, NULL);
	if (status == LOOM_OK && tree->spec.reading.n)
		status = take_choices(w, tree, thread.id, at);
	return status;
}

static bool has_reading(const struct import_tree_state *tree)
{
	return (tree->current || tree->spec.reading.n) && !tree->there && tree->added;
}

/* Takes over positions from tree *at on, as many as a slice has time for. */
static enum loom_status take_some(struct import_writing *w, size_t *at)
{
	enum loom_status status = loom_quiet_begin(w->store, NULL);

	if (status != LOOM_OK)
		return status;
	w->slice = loom_env_ticks();
	while (*at < w->import->tree_count && status == LOOM_OK && !import_is_late(w)) {
		const struct import_tree_state *tree = import_tree_at(w->import, (*at)++);

		loom_arena_reset(w->arena);
		if (has_reading(tree))
			status = take_reading(w, tree);
	}
	return loom_quiet_end(w->store, status, NULL);
}

/* No operation: where the reader stood open is where its person stands. What fails here is no
 * reason to say that the import failed. */
static void take_positions(struct import_writing *w)
{
	size_t at = 0;

	while (at < w->import->tree_count)
		if (take_some(w, &at) != LOOM_OK)
			return;
}

/* Queues a summary for each tree; nodes are summarized when somebody looks at them. */
static void queue_trees(struct import_writing *w)
{
	enum loom_status status = loom_quiet_begin(w->store, NULL);

	if (status != LOOM_OK)
		return;
	for (size_t i = 0; i < w->import->tree_count && status == LOOM_OK; i++)
		if (import_tree_at(w->import, i)->added)
			status = loom_summary_due(w->store, LOOM_JOB_TREE,
						  import_tree_at(w->import, i)->tree, NULL);
	(void)!loom_quiet_end(w->store, status, NULL);
}

/* If the import fails, undoes what it restored. */
static void give_back(struct import_writing *w)
{
	while (w->restored_count > 0)
		if (loom_op_undo(w->store, w->actor, w->restored[--w->restored_count], NULL,
				 NULL) != LOOM_OK)
			return;
}

enum loom_status loom_import_write(struct loom_import *import, struct loom_store *store,
				   const struct loom_import_write *how, int64_t *out_op,
				   struct loom_err *err)
{
	struct import_writing w = {
		.import = import,
		.store = store,
		.arena = loom_arena_create_on(import->pages),
		.actor = how->actor,
		.dry = how->dry,
	};
	enum loom_status status = LOOM_OK;

	*out_op = 0;
	loom_pages_work(import->pages);
	if (!import->settled)
		status = loom_fail(err, LOOM_FAULT, "an import is settled before it is written");
	if (status == LOOM_OK)
		status = import_unseal(&w, err);
	if (status == LOOM_OK)
		status = import_plan(&w, err);
	if (how->dry)
		import->report.documents = (int64_t)import->doc_count;
	if (status == LOOM_OK && !how->dry)
		status = write_all(&w, out_op, err);
	if (status == LOOM_OK && !how->dry)
		take_positions(&w);
	if (status == LOOM_OK && !how->dry)
		queue_trees(&w);
	if (status != LOOM_OK) {
		loom_op_clear(w.store, CLEAR_MS);
		give_back(&w);
	}
	free(w.restored);
	loom_arena_destroy(w.arena);
	loom_pages_rest(import->pages);
	return status;
}
