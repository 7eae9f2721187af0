/* Finds out which nodes of an import the grove already has. Before anything is written, every tree
 * and node gets its ULID.
 *
 * A ULID is derived from the tree's ULID, the node's id in the file and its content, so that a
 * repeated import gives the same one and finds the node. A node whose operation was undone is
 * restored by redoing that. If the ULID belongs to a node that is dead for good, another one is
 * derived. */
#include <loom/tree/carry.h>
#include <loom/base/hash.h>

#include "write_tree.h"

enum { TRIES = 1000 };

static struct loom_str bytes_of(const void *p, size_t n)
{
	return loom_str_make(p, n);
}

/* A ULID from a time, if known, and a hash. */
static struct loom_ulid ulid_of(int64_t ms, const struct loom_hash *hash)
{
	struct loom_ulid out;

	memcpy(out.bytes, hash->bytes, sizeof out.bytes);
	for (int i = 0; i < 6 && ms > 0; i++)
		out.bytes[i] = (uint8_t)(ms >> (40 - 8 * i));
	return out;
}

static struct loom_hash content_of(const struct import_read *read)
{
	const struct loom_str parts[] = {
		read->text[IMPORT_TEXT_AUTHOR], bytes_of("", 1),
		bytes_of(&read->head.kind, 1),  bytes_of(&read->head.role, 1),
		read->text[IMPORT_TEXT_TEXT],
	};

	return loom_sha256_parts(parts, LOOM_COUNT(parts));
}

/* Redoes an undone operation; returns whether that succeeded. */
static bool bring_back(struct import_writing *w, int64_t op)
{
	bool done;

	if (w->dry)
		return false;
	/* A write cannot begin inside a view; the next view will include what others have
	 * written. */
	if (w->viewing)
		loom_store_unview(w->store);
	memset(w->gap, 0, sizeof w->gap);
	done = loom_op_repeat(w->store, w->actor, op, NULL) == LOOM_OK;
	w->viewing = loom_store_view(w->store, NULL) == LOOM_OK;
	if (!w->viewing || !done)
		return false;
	w->restored = loom_realloc(w->restored, w->restored_count + 1, sizeof *w->restored);
	w->restored[w->restored_count++] = op;
	w->import->report.restored++;
	return true;
}

/* ---- trees ---- */

static struct loom_str root_text(struct import_writing *w, const struct import_tree_state *tree)
{
	struct import_read read;

	if (!tree->root || import_entry_read(w->import, import_entry_at(w->import, tree->root),
					     &read, NULL) != LOOM_OK)
		return loom_str_make("", 0);
	return read.text[IMPORT_TEXT_TEXT];
}

static struct loom_ulid tree_ulid(struct import_writing *w, const struct import_tree_state *tree,
				  uint32_t salt)
{
	const struct import_file *file = &w->import->files[tree->file];
	const struct loom_str parts[] = {
		LOOM_STR("loom import tree "),
		loom_str_of(file->reader->name),
		bytes_of(&salt, sizeof salt),
		tree->spec.id.n ? tree->spec.id : tree->spec.title,
		bytes_of("", 1),
		tree->spec.id.n ? LOOM_STR("") : root_text(w, tree),
	};
	const struct loom_hash hash = loom_sha256_parts(parts, LOOM_COUNT(parts));

	return salt == 0 && tree->spec.exact ? tree->exact.ulid
					     : ulid_of(tree->spec.created, &hash);
}

static enum loom_status is_known_root(struct import_writing *w, struct import_tree_state *tree,
				      bool *out, struct loom_err *err);

/* Uses an existing tree with this identity, if it can be continued. */
static enum loom_status take_tree(struct import_writing *w, struct import_tree_state *tree,
				  const struct loom_holder *holder, bool *out_taken,
				  struct loom_err *err)
{
	struct loom_tree row = {.title = LOOM_STR_INIT("")};
	enum loom_status status = LOOM_OK;
	bool usable = holder->state == LOOM_OP_DONE;

	*out_taken = false;
	if (holder->state == LOOM_OP_UNDONE) {
		usable = w->dry || bring_back(w, holder->op);
		tree->undone = w->dry;
	}
	if (!usable)
		return LOOM_OK;
	tree->tree = holder->id;
	tree->there = true;
	if (!tree->undone)
		status = loom_tree_get(w->store, holder->id, w->arena, &row, err);
	tree->root_row = status == LOOM_OK && !tree->undone ? row.root : 0;
	tree->called = loom_arena_str(w->import->arena, row.title);
	if (status == LOOM_OK)
		status = is_known_root(w, tree, out_taken, err);
	if (!*out_taken) {
		tree->there = tree->undone = false;
		tree->called = LOOM_STR("");
	}
	return status;
}

static enum loom_status find_tree(struct import_writing *w, struct import_tree_state *tree,
				  struct loom_err *err)
{
	for (uint32_t salt = 0; salt < TRIES; salt++) {
		struct loom_holder holder;
		bool taken = false;
		enum loom_status status;

		tree->ulid = tree_ulid(w, tree, salt);
		status = loom_carry_tree(w->store, &tree->ulid, &holder, err);
		if (status != LOOM_OK || !holder.id)
			return status;
		status = take_tree(w, tree, &holder, &taken, err);
		if (status != LOOM_OK || taken)
			return status;
		tree->tree = 0;
	}
	return loom_fail(err, LOOM_CONFLICT, "too many imports of this tree have failed before");
}

/* ---- nodes ---- */

/* The ULID of a node on the n-th try. `turn` distinguishes identical nodes without ids. */
static struct loom_ulid made_ulid(struct import_writing *w, const struct import_tree_state *tree,
				  const struct import_entry *entry, const struct import_read *read,
				  const uint32_t turn[2])
{
	static const struct loom_ulid none = {{0}};
	const bool nameless = entry->flags & IMPORT_ENTRY_NO_NAME;
	const struct loom_ulid *parent =
		entry->parent ? (const void *)import_entry_at(w->import, entry->parent)->id : &none;
	const struct loom_hash content = content_of(read);
	const struct loom_str parts[] = {
		LOOM_STR("loom import node "),
		bytes_of(tree->ulid.bytes, sizeof tree->ulid.bytes),
		bytes_of(turn, 2 * sizeof *turn),
		nameless ? bytes_of(parent->bytes, sizeof parent->bytes)
			 : read->text[IMPORT_TEXT_ID],
		bytes_of(content.bytes, sizeof content.bytes),
	};
	const struct loom_hash hash = loom_sha256_parts(parts, LOOM_COUNT(parts));

	return ulid_of(read->head.created ? read->head.created : tree->spec.created, &hash);
}

static struct loom_ulid node_ulid(struct import_writing *w, const struct import_tree_state *tree,
				  const struct import_entry *entry, const struct import_read *read,
				  const uint32_t turn[2])
{
	if (turn[0] == 0 && turn[1] == 0 && entry->flags & IMPORT_ENTRY_EXACT)
		return read->head.exact.ulid;
	return made_ulid(w, tree, entry, read, turn);
}

/* Whether the node with this ULID has the record's text. */
static enum loom_status is_same_node(struct import_writing *w, const struct import_tree_state *tree,
				     const struct loom_holder *holder,
				     const struct import_read *read, bool *out,
				     struct loom_err *err)
{
	struct loom_str came;
	struct loom_seam seam;
	enum loom_status status = LOOM_OK;

	*out = tree->there && holder->tree == tree->tree;
	if (!*out || holder->state != LOOM_OP_DONE)
		return LOOM_OK;
	loom_arena_reset(w->arena);
	status = loom_node_came(w->store, holder->id, w->arena, &came, &seam, err);
	*out = status == LOOM_OK && loom_str_eq(came, read->text[IMPORT_TEXT_TEXT]);
	return status;
}

static bool is_between(const struct loom_ulid gap[2], const struct loom_ulid *ulid)
{
	return memcmp(gap[0].bytes, ulid->bytes, sizeof ulid->bytes) < 0 &&
	       memcmp(ulid->bytes, gap[1].bytes, sizeof ulid->bytes) < 0;
}

/* Finds the node with a ULID. A file's ULIDs are close together, so usually the gap around the
 * previous one answers it. */
static enum loom_status find_holder(struct import_writing *w, const struct loom_ulid *ulid,
				    struct loom_holder *out, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out = (struct loom_holder){.id = 0};
	if (!is_between(w->gap, ulid))
		status = loom_carry_gap(w->store, ulid, &w->gap[0], &w->gap[1], err);
	if (status != LOOM_OK || is_between(w->gap, ulid))
		return status;
	return loom_carry_node(w->store, ulid, out, err);
}

/* Tries one candidate; *out_done if the entry has its ULID now. */
static enum loom_status try_node(struct import_writing *w, struct import_tree_state *tree,
				 struct import_entry *entry, const struct import_read *read,
				 bool *out_done, struct loom_err *err)
{
	struct loom_holder holder = {.id = 0};
	bool same = false;
	enum loom_status status = LOOM_OK;

	if (tree->there || entry->flags & IMPORT_ENTRY_EXACT)
		status = find_holder(w, (const struct loom_ulid *)(void *)entry->id, &holder, err);
	*out_done = status == LOOM_OK && !holder.id;
	if (status != LOOM_OK || *out_done)
		return status;
	status = is_same_node(w, tree, &holder, read, &same, err);
	if (status != LOOM_OK || !same)
		return status;
	if (holder.state == LOOM_OP_UNDONE && (w->dry || bring_back(w, holder.op)))
		holder.state = LOOM_OP_DONE;
	*out_done = holder.state == LOOM_OP_DONE;
	if (*out_done) {
		entry->flags |= IMPORT_ENTRY_KNOWN;
		entry->node = holder.id;
	}
	return LOOM_OK;
}

/* Adds all entries up to this one of the tree that have their ULID to the table. */
static void fill_table(struct import_writing *w, const struct import_tree_state *tree,
		       uint32_t number)
{
	const struct import_tree_state *t = NULL;

	import_entry_table(w->import, w->import->entry_count);
	w->tabled = true;
	for (size_t i = 0; t != tree; i++) {
		uint32_t n;

		t = import_tree_at(w->import, i);
		n = t->nodes ? import_order_first(t) : 0;

		for (; n && !(t == tree && n == number); n = import_order_next(w->import, t, n))
			if (import_entry_at(w->import, n)->record)
				import_entry_put(w->import, n);
	}
}

/* Finds an earlier entry with this ULID; 0: none. As long as the ULIDs ascend, as in a loom export,
 * there cannot be one, and no table is needed. */
static uint32_t find_twin(struct import_writing *w, const struct import_tree_state *tree,
			  uint32_t number, const struct loom_ulid *ulid)
{
	if (!w->tabled && memcmp(ulid->bytes, w->highest.bytes, sizeof ulid->bytes) > 0)
		return 0;
	if (!w->tabled)
		fill_table(w, tree, number);
	return import_entry_find(w->import, ulid->bytes);
}

static enum loom_status name_node(struct import_writing *w, struct import_tree_state *tree,
				  uint32_t number, struct loom_err *err)
{
	struct import_entry *entry = import_entry_at(w->import, number);
	struct import_read read;
	uint32_t turn[2] = {0, 0};
	bool done = false;
	enum loom_status status = import_entry_read(w->import, entry, &read, err);

	while (status == LOOM_OK && !done) {
		struct loom_ulid ulid = node_ulid(w, tree, entry, &read, turn);

		if (find_twin(w, tree, number, &ulid)) {
			turn[entry->flags & IMPORT_ENTRY_NO_NAME ? 1 : 0]++;
			continue;
		}
		memcpy(entry->id, ulid.bytes, sizeof entry->id);
		status = try_node(w, tree, entry, &read, &done, err);
		turn[0]++;
		if (turn[0] > TRIES && !done && status == LOOM_OK)
			status = loom_fail(err, LOOM_CONFLICT,
					   "too many imports of this node have failed before");
	}
	if (status == LOOM_OK && w->tabled)
		import_entry_put(w->import, number);
	else if (status == LOOM_OK)
		memcpy(w->highest.bytes, entry->id, sizeof w->highest.bytes);
	return status;
}

static enum loom_status is_known_root(struct import_writing *w, struct import_tree_state *tree,
				      bool *out, struct loom_err *err)
{
	struct import_entry *root = tree->root ? import_entry_at(w->import, tree->root) : NULL;
	const struct import_entry before = root ? *root : (struct import_entry){.record = 0};
	struct import_read read;
	struct loom_holder holder;
	uint32_t turn[2] = {0, 0};
	struct loom_ulid ulid;
	enum loom_status status;

	/* Our own empty root is the tree's root. */
	*out = !root;
	if (!root)
		return LOOM_OK;
	status = import_entry_read(w->import, &before, &read, err);
	if (status != LOOM_OK)
		return status;
	ulid = node_ulid(w, tree, &before, &read, turn);
	status = loom_carry_node(w->store, &ulid, &holder, err);
	if (status != LOOM_OK)
		return status;
	if (holder.id)
		return is_same_node(w, tree, &holder, &read, out, err);
	/* In a buffer, a changed root is a version of the old root. */
	*out = tree->spec.mode == LOOM_BUFFER && !tree->spec.exact;
	return LOOM_OK;
}

static enum loom_status foresee_claim(struct import_writing *w,
				      const struct import_tree_state *tree, uint32_t number,
				      struct loom_err *err)
{
	struct import_author *author = NULL;
	struct import_said said;
	struct import_read read;
	enum loom_status status =
		import_said(w, tree, import_entry_at(w->import, number), &read, &said, err);

	if (status == LOOM_OK)
		status = import_judge(w, &said, &author, err);
	if (status == LOOM_OK)
		import_count_claim(w, author);
	loom_arena_reset(w->arena);
	return status;
}

static enum loom_status plan_tree(struct import_writing *w, struct import_tree_state *tree,
				  struct loom_err *err)
{
	enum loom_status status = find_tree(w, tree, err);

	for (uint32_t n = import_order_first(tree); n && status == LOOM_OK;
	     n = import_order_next(w->import, tree, n)) {
		if (!import_entry_at(w->import, n)->record)
			continue;
		status = name_node(w, tree, n, err);
		if (import_entry_at(w->import, n)->flags & IMPORT_ENTRY_KNOWN)
			tree->known++;
		else
			w->total++;
		if (w->dry && status == LOOM_OK &&
		    !(import_entry_at(w->import, n)->flags & IMPORT_ENTRY_KNOWN)) {
			tree->added++;
			status = foresee_claim(w, tree, n, err);
		}
		if (loom_task_cancelled(w->import->opts.task))
			return loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written");
	}
	return status;
}

static int by_ulid(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct loom_ulid));
}

/* Two files of one tree must come in separate imports; otherwise neither sees what the other
 * adds. */
static enum loom_status refuse_twins(const struct loom_import *import, struct loom_err *err)
{
	struct loom_ulid *ulids = loom_alloc((import->tree_count + 1) * sizeof *ulids);
	enum loom_status status = LOOM_OK;
	size_t count = 0;

	for (size_t i = 0; i < import->tree_count; i++)
		if (import_tree_at(import, i)->nodes)
			ulids[count++] = import_tree_at(import, i)->ulid;
	qsort(ulids, count, sizeof *ulids, by_ulid);
	for (size_t i = 1; i < count && status == LOOM_OK; i++)
		if (by_ulid(&ulids[i - 1], &ulids[i]) == 0)
			status = loom_fail(err, LOOM_REFUSED,
					   "two files of this import belong to the same tree");
	free(ulids);
	return status == LOOM_OK ? status
				 : loom_hint(err, status, "import them one after the other");
}

enum loom_status import_plan(struct import_writing *w, struct loom_err *err)
{
	enum loom_status status = loom_store_view(w->store, err);

	if (status != LOOM_OK)
		return status;
	w->viewing = true;
	w->tabled = false;
	memset(&w->highest, 0, sizeof w->highest);
	for (size_t i = 0; i < w->import->tree_count && status == LOOM_OK; i++)
		if (import_tree_at(w->import, i)->nodes)
			status = plan_tree(w, import_tree_at(w->import, i), err);
	if (w->viewing)
		loom_store_unview(w->store);
	return status == LOOM_OK ? refuse_twins(w->import, err) : status;
}
