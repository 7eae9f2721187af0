/* After the last record: gives every tree one root, our own as many as it has, breaks cycles, and
 * builds the lists of children. Nothing is dropped: children of missing nodes move to the root, and
 * the report says so. A tree with `root` 0 gets an empty root that the file does not have. */
#include <loom/base/sort.h>

#include <loom/import/frame.h>

struct settling {
	struct loom_import *import;
	struct import_tree_state *tree;
	uint32_t first; /* number of its first entry */
	uint32_t end;   /* one past its last entry */
	uint32_t head;  /* first child of the empty root */
	int64_t roots;
	int64_t orphans;
	uint32_t orphan; /* the first orphan */
};

static struct import_entry *at(const struct settling *s, uint32_t number)
{
	return import_entry_at(s->import, number);
}

static bool is_there(const struct settling *s, uint32_t number)
{
	return number && at(s, number)->record;
}

/* A version of a root has no parent either. The node it is a version of comes earlier, so that no
 * two are versions of each other. */
static bool is_root_version(const struct settling *s, uint32_t n)
{
	const uint32_t edited = at(s, n)->edited;

	return !at(s, n)->parent && edited && edited < n && is_there(s, edited) &&
	       !at(s, edited)->parent;
}

static void count_roots(struct settling *s)
{
	for (uint32_t n = s->first; n < s->end; n++) {
		if (!is_there(s, n))
			continue;
		if (is_root_version(s, n))
			continue;
		if (!at(s, n)->parent) {
			s->roots++;
			s->tree->root = s->tree->root ? s->tree->root : n;
		} else if (!is_there(s, at(s, n)->parent)) {
			s->orphans++;
			s->orphan = s->orphan ? s->orphan : n;
		}
	}
}

static void choose_root(struct settling *s)
{
	const bool several = s->roots > 1 && !s->tree->spec.exact;

	/* An empty root would take the id of a root in the file. */
	s->tree->renamed |= several || !s->roots;
	if (several) {
		s->tree->root = 0;
		import_note(s->import, IMPORT_REPAIRED,
			    "a tree with several roots: they are now below an empty one");
	} else if (!s->roots && s->orphans == 1) {
		s->tree->root = s->orphan;
		at(s, s->orphan)->parent = 0;
		s->orphans = 0;
		import_note(s->import, IMPORT_REPAIRED,
			    "a tree whose first node has a parent outside the file: it is now the "
			    "root");
	} else if (!s->roots) {
		import_note(s->import, IMPORT_REPAIRED,
			    "a tree without a root: it now has an empty one");
	}
}

static void adopt_orphans(struct settling *s)
{
	for (uint32_t n = s->first; n < s->end && s->orphans; n++) {
		if (!is_there(s, n) || !at(s, n)->parent || is_there(s, at(s, n)->parent))
			continue;
		at(s, n)->parent = s->tree->root;
		s->tree->ordered = s->tree->ordered && s->tree->root < n;
		import_note(s->import, IMPORT_REPAIRED,
			    "a node whose parent is not in the file is now below the root");
	}
}

enum { VISITING = 1 << 30 };

/* Walks up from a node until the way to the root is known; breaks a cycle once, where it closes. */
static void walk_up(struct settling *s, uint32_t from)
{
	uint32_t end = from;

	while (end && !(at(s, end)->flags & (VISITING | IMPORT_ENTRY_REACHED))) {
		at(s, end)->flags |= VISITING;
		end = at(s, end)->parent;
	}
	if (end && !(at(s, end)->flags & VISITING))
		end = 0;
	for (uint32_t n = from; n && at(s, n)->flags & VISITING; n = at(s, n)->parent)
		at(s, n)->flags = (at(s, n)->flags & ~(uint32_t)VISITING) | IMPORT_ENTRY_REACHED;
	if (!end)
		return;
	at(s, end)->parent = s->tree->root;
	s->tree->ordered = false;
	import_note(s->import, IMPORT_REPAIRED, "nodes in a cycle are now below the root");
}

static void look_at_version(struct settling *s, struct import_entry *entry, uint32_t n)
{
	if (entry->edited && !is_there(s, entry->edited)) {
		entry->edited = 0;
		import_note(s->import, IMPORT_REPAIRED,
			    "a version of a node that is not in the file");
	}
	if (entry->place || (entry->edited && entry->edited >= n))
		s->tree->ordered = false;
}

/* The nearest ancestor that is neither a note nor a source; 0: none. There are no cycles left. */
static uint32_t above_notes(const struct settling *s, uint32_t n)
{
	uint32_t parent = at(s, n)->parent;

	while (parent && at(s, parent)->flags & IMPORT_ENTRY_ASIDE)
		parent = at(s, parent)->parent;
	return parent;
}

static void hang_on(struct settling *s, uint32_t n, uint32_t parent)
{
	at(s, n)->parent = parent;
	s->tree->ordered = s->tree->ordered && parent < n;
	import_note(s->import, IMPORT_REPAIRED, "a node below a note is now below the note's node");
}

/* Moves children of notes and sources to the node those belong to. Every node on the way is
 * resolved at once, so chains of notes are walked only a few times. */
static void leave_notes(struct settling *s)
{
	if (s->tree->root)
		at(s, s->tree->root)->flags &= ~(uint32_t)IMPORT_ENTRY_ASIDE;
	for (uint32_t n = s->first; n < s->end; n++) {
		const uint32_t parent = is_there(s, n) ? above_notes(s, n) : 0;
		uint32_t next = 0;

		for (uint32_t on = n; is_there(s, n) && at(s, on)->parent != parent; on = next) {
			next = at(s, on)->parent;
			hang_on(s, on, parent);
		}
	}
}

static void look_at_strays(struct settling *s)
{
	for (uint32_t n = s->first; n < s->end; n++) {
		struct import_entry *entry = at(s, n);

		if (entry->record)
			look_at_version(s, entry, n);
		else if (entry->marks || entry->flags & IMPORT_ENTRY_PRUNED)
			import_note(s->import, IMPORT_REPAIRED,
				    "a mark on a node that is not in the file");
		else if (entry->place)
			import_note(s->import, IMPORT_REPAIRED, "a child that is not in the file");
	}
	if (s->tree->named && (!is_there(s, s->tree->named) || at(s, s->tree->named)->parent))
		import_note(s->import, IMPORT_REPAIRED,
			    "the root named in a file is not the root of its nodes");
	if (s->tree->current && !is_there(s, s->tree->current)) {
		s->tree->current = 0;
		import_note(s->import, IMPORT_REPAIRED,
			    "the tree's last position is not in the file");
	}
}

/* ---- children ---- */

static uint32_t *list_of(struct settling *s, uint32_t parent)
{
	return parent ? &at(s, parent)->first : &s->head;
}

static void link_children(struct settling *s)
{
	for (uint32_t n = s->end; n-- > s->first;) {
		uint32_t *list;

		if (!is_there(s, n) || n == s->tree->root)
			continue;
		/* What stands beside the root is written after it. */
		list = list_of(s, at(s, n)->parent ? at(s, n)->parent : s->tree->root);
		at(s, n)->next = *list;
		*list = n;
	}
}

static bool has_places(struct settling *s, uint32_t list, size_t *out_count)
{
	bool has = false;

	*out_count = 0;
	for (uint32_t n = list; n; n = at(s, n)->next) {
		has |= at(s, n)->place > 0;
		++*out_count;
	}
	return has;
}

/* Ordered by place, then by arrival; children without a place come last. */
static uint64_t rank_of(const struct settling *s, uint32_t n)
{
	return (uint64_t)(at(s, n)->place - 1) << 32 | n;
}

static void sort_list(struct settling *s, uint32_t *list)
{
	size_t count = 0;
	size_t i = 0;
	size_t size;
	uint64_t *ranks;

	if (!has_places(s, *list, &count) || count < 2)
		return;
	size = count * sizeof *ranks;
	ranks = loom_pages_take(s->import->pages, size);
	for (uint32_t n = *list; n; n = at(s, n)->next)
		ranks[i++] = rank_of(s, n);
	loom_sort_u64(ranks, count);
	*list = (uint32_t)ranks[0];
	for (i = 0; i < count; i++)
		at(s, (uint32_t)ranks[i])->next = i + 1 < count ? (uint32_t)ranks[i + 1] : 0;
	loom_pages_return(s->import->pages, ranks, size);
}

static void sort_children(struct settling *s)
{
	sort_list(s, &s->head);
	for (uint32_t n = s->first; n < s->end; n++)
		if (at(s, n)->first)
			sort_list(s, &at(s, n)->first);
}

/* If a conversation names no position, it continues at its end. */
static void choose_current(struct settling *s)
{
	if (s->tree->current || s->tree->spec.mode != LOOM_DIALOGUE || s->tree->spec.exact)
		return;
	for (uint32_t n = s->end; n-- > s->first && !s->tree->current;)
		if (is_there(s, n) &&
		    !(at(s, n)->flags & (IMPORT_ENTRY_ASIDE | IMPORT_ENTRY_PRUNED)))
			s->tree->current = n;
}

static void settle_tree(struct loom_import *import, struct import_tree_state *tree)
{
	struct settling s = {
		.import = import,
		.tree = tree,
		.first = (uint32_t)tree->first + 1,
		.end = (uint32_t)(tree->first + tree->count) + 1,
	};

	count_roots(&s);
	choose_root(&s);
	adopt_orphans(&s);
	look_at_strays(&s);
	for (uint32_t n = s.first; n < s.end; n++)
		if (is_there(&s, n))
			walk_up(&s, n);
	leave_notes(&s);
	link_children(&s);
	sort_children(&s);
	choose_current(&s);
	tree->top = s.head;
}

static enum loom_status settle_all(struct loom_import *import, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	import_tree_close(import);
	import_entry_table(import, 0);
	status = import_spill_seal(&import->spill, err);
	if (status == LOOM_OK && !import->tree_count && import->beside_count) {
		loom_fail(err, LOOM_REFUSED, "model responses without their tree");
		return loom_hint(
			err, LOOM_REFUSED,
			"give the tree's file in the same call: loom import TREE RESPONSES");
	}
	for (size_t i = 0; i < import->tree_count && status == LOOM_OK; i++) {
		struct import_tree_state *tree = import_tree_at(import, i);

		if (tree->nodes)
			settle_tree(import, tree);
		else
			import_note(import, IMPORT_LOST, "a tree without nodes");
		if (loom_task_cancelled(import->opts.task))
			status = loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written");
	}
	import->settled = status == LOOM_OK;
	return status;
}

enum loom_status loom_import_settle(struct loom_import *import, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_pages_work(import->pages);
	status = settle_all(import, err);
	loom_pages_rest(import->pages);
	return status;
}

/* ---- the order of writing ---- */

uint32_t import_order_first(const struct import_tree_state *tree)
{
	if (tree->ordered)
		return (uint32_t)tree->first + 1;
	return tree->root ? tree->root : tree->top;
}

/* In order of arrival, or else each node before its children and those before its next sibling. */
uint32_t import_order_next(const struct loom_import *import, const struct import_tree_state *tree,
			   uint32_t number)
{
	const struct import_entry *entry = import_entry_at(import, number);

	if (tree->ordered)
		return number < tree->first + tree->count ? number + 1 : 0;
	if (entry->first)
		return entry->first;
	while (number && !import_entry_at(import, number)->next)
		number = import_entry_at(import, number)->parent;
	return number ? import_entry_at(import, number)->next : 0;
}
