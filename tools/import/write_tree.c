/* Writes an import: one operation in slices, invisible until its end. Skips nodes that the grove
 * has and attaches their new children. Branches pruned in the file, and links, are created in the
 * last transaction, when everything is there. */
#include <loom/text/sections.h>
#include <loom/tree/carry.h>

#include "write_tree.h"

enum { SLICE_NS = 40 * 1000 * 1000 };

/* ---- slices ---- */

bool import_is_late(const struct import_writing *w)
{
	return loom_env_ticks() - w->slice >= SLICE_NS;
}

enum loom_status import_breathe(struct import_writing *w, struct loom_err *err)
{
	loom_task_report(w->import->opts.task, w->done, w->total);
	if (loom_task_cancelled(w->import->opts.task))
		return loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written");
	loom_arena_reset(w->arena);
	if (!import_is_late(w))
		return LOOM_OK;
	if (loom_op_slice(w->store, err) != LOOM_OK)
		return err ? err->status : LOOM_FAULT;
	w->slice = loom_env_ticks();
	return LOOM_OK;
}

/* ---- extra ---- */

static void add_member(struct loom_buf *out, const char *key, struct loom_str value)
{
	loom_buf_addc(out, out->n ? ',' : '{');
	loom_json_quote(loom_str_of(key), out);
	loom_buf_addc(out, ':');
	loom_json_quote(value, out);
}

/* The file's generation record, with the model if the record lacks it. */
static struct loom_str generation_of(struct import_writing *w, const struct import_entry *entry,
				     const struct import_read *read)
{
	struct loom_buf out = LOOM_BUF_INIT(SIZE_MAX / 4);
	struct loom_str rest = loom_str_trim(read->text[IMPORT_TEXT_GENERATION]);
	struct loom_str made;

	if (entry->flags & IMPORT_ENTRY_EXACT || !read->text[IMPORT_TEXT_MODEL].n ||
	    (rest.n && rest.p[0] != '{') || !loom_jval_is_null(loom_jval_get(rest, "model")))
		return read->text[IMPORT_TEXT_GENERATION];
	add_member(&out, "model", read->text[IMPORT_TEXT_MODEL]);
	if (rest.n > 2) {
		loom_buf_addc(&out, ',');
		loom_buf_add(&out, loom_str_sub(rest, 1, rest.n - 2));
	}
	loom_buf_addc(&out, '}');
	made = loom_arena_buf(w->arena, &out);
	loom_buf_fini(&out);
	return made;
}

/* ---- nodes ---- */

/* Whether the node is a continuation in a new tree, neither a version nor the root. */
static bool is_plain(const struct import_writing *w, const struct import_tree_state *tree,
		     uint32_t number)
{
	const struct import_entry *entry = number ? import_entry_at(w->import, number) : NULL;

	return entry && !tree->there && number != tree->root && entry->record && !entry->edited &&
	       !(entry->flags & (IMPORT_ENTRY_KNOWN | IMPORT_ENTRY_ASIDE));
}

/* Whether its parent's row counts it from the start: both are plain. */
static bool is_counted(const struct import_writing *w, const struct import_tree_state *tree,
		       uint32_t number)
{
	return is_plain(w, tree, number) &&
	       is_plain(w, tree, import_entry_at(w->import, number)->parent);
}

static void count_children(struct import_writing *w, const struct import_tree_state *tree)
{
	const uint32_t first = (uint32_t)tree->first + 1;
	const uint32_t end = (uint32_t)(tree->first + tree->count) + 1;

	for (uint32_t n = first; n < end; n++)
		import_entry_at(w->import, n)->children = 0;
	for (uint32_t n = first; n < end; n++)
		if (is_counted(w, tree, n))
			import_entry_at(w->import, import_entry_at(w->import, n)->parent)
				->children++;
}

static enum loom_status fill_spec(struct import_writing *w, const struct import_tree_state *tree,
				  const struct import_entry *entry, struct import_read *read,
				  struct loom_node_spec *out, struct loom_err *err)
{
	const bool own = !tree->there && !tree->renamed;
	struct import_author *author = NULL;
	struct import_said said;
	enum loom_status status = import_said(w, tree, entry, read, &said, err);

	if (status == LOOM_OK)
		status = import_author(w, &said, &author, err);
	if (status != LOOM_OK)
		return status;
	import_count_claim(w, author);

	*out = (struct loom_node_spec){
		.tree = tree->tree,
		.kind = entry->flags & IMPORT_ENTRY_ASIDE ? (enum loom_node_kind)read->head.kind
							  : LOOM_CONTINUATION,
		.text = read->text[IMPORT_TEXT_TEXT],
		.original = read->text[IMPORT_TEXT_ORIGINAL],
		.seq = -1,
		.created = read->head.created ? read->head.created : tree->spec.created,
		.raw = read->text[IMPORT_TEXT_RAW],
		.generation = generation_of(w, entry, read),
		.extra = import_extra(w, tree, entry, read),
		.ulid = (const struct loom_ulid *)(const void *)entry->id,
		.author = author->agent,
		.parents = said.fits ? import_parents(w->arena, read) : loom_str_make(NULL, 0),
	};
	if (entry->flags & IMPORT_ENTRY_EXACT) {
		out->num = !own                         ? 0
			   : read->head.exact.local.num ? read->head.exact.local.num
							: LOOM_NUM_FIRST;
		out->prime = own ? read->head.exact.local.prime : 0;
	}
	return LOOM_OK;
}

/* A chat that nobody has named is named by the first words said in it; the depth is bounded because
 * a file may begin with any number of empty messages. */
static struct loom_str first_words(struct import_writing *w, const struct import_tree_state *tree)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	uint32_t number = tree->root ? tree->root : tree->top;
	struct import_read read;
	struct loom_str out;

	for (int depth = 0; number && !name.n && depth < 16; depth++) {
		const struct import_entry *entry = &w->import->entries[number - 1];

		/* In brackets stands what had no words of its own: "[image]". */
		if (import_entry_read(w->import, entry, &read, NULL) == LOOM_OK &&
		    !loom_str_starts(read.text[IMPORT_TEXT_TEXT], LOOM_STR("[")))
			loom_text_name(read.text[IMPORT_TEXT_TEXT], &name);
		number = entry->first;
	}
	out = import_text_line(w->import->arena, loom_buf_str(&name), 400);
	loom_buf_fini(&name);
	return out;
}

static enum loom_status create_tree(struct import_writing *w, struct import_tree_state *tree,
				    struct loom_node_spec *root, struct loom_err *err)
{
	struct loom_tree_spec spec = {
		.mode = tree->spec.mode,
		.title = tree->spec.title,
		.system = tree->spec.system,
		.root_text = root->text,
		.author = root->author,
		.ulid = &tree->ulid,
		.key = tree->spec.exact ? &tree->exact.key : NULL,
		.created = tree->spec.created,
		.root = root,
		.out_root = &tree->root_row,
	};
	enum loom_status status;

	status = import_subject(w, tree->spec.subject, &spec.subject, err);
	if (status != LOOM_OK)
		return status;
	/* A transcript is a file that a person has named. */
	if (!spec.title.n && !tree->spec.exact && spec.mode == LOOM_DIALOGUE &&
	    w->import->files[tree->file].reader != &import_transcript)
		spec.title = first_words(w, tree);
	if (!spec.title.n && !tree->spec.exact)
		spec.title =
			import_text_line(w->import->arena, w->import->files[tree->file].title, 400);
	if (w->import->files[tree->file].reader == &import_loom &&
	    !(w->import->files[tree->file].genuine && tree->spec.listed))
		import_note(w->import, IMPORT_CLAIM, "a tree's title and prompt, from %.*s",
			    LOOM_STR_ARG(w->import->files[tree->file].from));
	status = loom_tree_create(w->store, &spec, &tree->tree, err);
	tree->spec.title = spec.title;
	if (status == LOOM_OK && tree->spec.description.n)
		status = loom_tree_set(w->store, tree->tree, LOOM_TREE_DESCRIPTION,
				       tree->spec.description, err);
	if (status == LOOM_OK && tree->spec.summary.n)
		status = loom_tree_set(w->store, tree->tree, LOOM_TREE_SUMMARY, tree->spec.summary,
				       err);
	return status;
}

static bool is_version(const struct loom_import *import, const struct import_entry *entry)
{
	const struct import_entry *edited =
		entry->edited ? import_entry_at(import, entry->edited) : NULL;

	return edited && edited->node && edited->parent == entry->parent;
}

static enum loom_edit_as way_of(const struct import_entry *entry)
{
	return entry->flags & IMPORT_ENTRY_BRANCH    ? LOOM_EDIT_BRANCH
	       : entry->flags & IMPORT_ENTRY_VERSION ? LOOM_EDIT_VERSION
						     : LOOM_EDIT_BY_MODE;
}

/* Whether the root of an existing tree has changed: then it is a new version of it. */
static bool is_new_root(const struct import_tree_state *tree, uint32_t number)
{
	return number == tree->root && tree->there;
}

static enum loom_status create_node(struct import_writing *w, const struct import_tree_state *tree,
				    uint32_t number, struct loom_node_spec *spec,
				    struct loom_err *err)
{
	struct import_entry *entry = import_entry_at(w->import, number);

	if (is_new_root(tree, number)) {
		spec->from = tree->root_row;
		return loom_node_edit(w->store, spec, LOOM_EDIT_VERSION, &entry->node, err);
	}
	if (is_version(w->import, entry)) {
		spec->from = import_entry_at(w->import, entry->edited)->node;
		return loom_node_edit(w->store, spec, way_of(entry), &entry->node, err);
	}
	if (entry->edited)
		import_note(w->import, IMPORT_LOST,
			    "a version of a node with another parent became a separate node");
	if (entry->parent)
		spec->from = import_entry_at(w->import, entry->parent)->node;
	else
		spec->from = tree->root ? 0 : tree->root_row;
	spec->children = entry->children;
	spec->counted = is_counted(w, tree, number);
	return loom_node_create(w->store, spec, &entry->node, err);
}

/* ---- marks ---- */

/* Reads the marks from last to first, so that the last one wins. */
static enum loom_status read_marks(struct import_writing *w, struct import_entry *entry,
				   struct loom_carry_marks *marks, struct loom_err *err)
{
	uint64_t at = entry->marks;
	bool cleared = false;
	enum loom_status status = LOOM_OK;

	while (at && status == LOOM_OK) {
		struct import_mark_record mark;
		struct loom_str text;

		status = import_entry_mark(w->import, at, &mark, &text, err);
		if (status != LOOM_OK)
			break;
		at = mark.before;
		if (mark.kind == IMPORT_TAG && text.n)
			status = loom_carry_tag(w->store, entry->node, text, err);
		if (mark.kind == IMPORT_RATED && mark.number)
			status = loom_carry_tag(w->store, entry->node,
						mark.number > 0 ? LOOM_STR(LOOM_TAG_GOOD)
								: LOOM_STR(LOOM_TAG_BAD),
						err);
		cleared |= mark.kind == IMPORT_UNBOOKMARK;
		if (mark.kind == IMPORT_BOOKMARK && !cleared) {
			marks->bookmarked = true;
			marks->label = marks->label.n ? marks->label : text;
		}
		if (mark.kind == IMPORT_SUMMARY && !marks->summary.n)
			marks->summary = text;
		marks->excluded |= mark.kind == IMPORT_EXCLUDE;
	}
	return status;
}

static enum loom_status write_marks(struct import_writing *w, const struct import_tree_state *tree,
				    struct import_entry *entry, const struct import_read *read,
				    struct loom_err *err)
{
	struct loom_carry_marks marks = {
		.bookmarked = read->head.bookmarked,
		.excluded = read->head.excluded,
		.summary_extract = read->head.summary_extract,
		.label = read->text[IMPORT_TEXT_LABEL],
		.summary = read->text[IMPORT_TEXT_SUMMARY],
	};
	enum loom_status status = read_marks(w, entry, &marks, err);

	/* An import must not hide anything of a tree that existed before. */
	if (entry->flags & IMPORT_ENTRY_PRUNED && tree->there) {
		marks.excluded = true;
		import_note(w->import, IMPORT_LOST,
			    "a new branch of an existing tree cannot be pruned; it is excluded");
	}
	if (status == LOOM_OK && read->head.unseamed)
		status = loom_carry_unseamed(w->store, entry->node, err);
	if (status != LOOM_OK || !(marks.bookmarked || marks.excluded || marks.summary.n))
		return status;
	return loom_carry_mark(w->store, entry->node, &marks, err);
}

static enum loom_status write_node(struct import_writing *w, struct import_tree_state *tree,
				   uint32_t number, struct loom_err *err)
{
	struct import_entry *entry = import_entry_at(w->import, number);
	struct loom_node_spec spec;
	struct import_read read;
	enum loom_status status = fill_spec(w, tree, entry, &read, &spec, err);

	if (status != LOOM_OK)
		return status;
	if (number == tree->root && !tree->there) {
		status = create_tree(w, tree, &spec, err);
		entry->node = tree->root_row;
	} else {
		status = create_node(w, tree, number, &spec, err);
	}
	if (status == LOOM_OK)
		status = write_marks(w, tree, entry, &read, err);
	tree->added += status == LOOM_OK;
	w->done++;
	return status;
}

enum loom_status import_write_tree(struct import_writing *w, struct import_tree_state *tree,
				   struct loom_err *err)
{
	struct loom_node_spec empty = {.author = w->actor,
				       .text = LOOM_STR_INIT(""),
				       .created = tree->spec.created,
				       .seq = -1};
	enum loom_status status = LOOM_OK;

	if (!tree->root && !tree->there) {
		empty.extra = import_extra(w, tree, NULL, NULL);
		status = create_tree(w, tree, &empty, err);
	}
	count_children(w, tree);
	for (uint32_t n = import_order_first(tree); n && status == LOOM_OK;
	     n = import_order_next(w->import, tree, n)) {
		const struct import_entry *entry = import_entry_at(w->import, n);

		if (!entry->record || entry->flags & IMPORT_ENTRY_KNOWN)
			continue;
		status = write_node(w, tree, n, err);
		if (status == LOOM_OK)
			status = import_breathe(w, err);
	}
	return status;
}
