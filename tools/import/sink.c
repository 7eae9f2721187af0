/* The sink: takes records from readers, copies their texts into the spill, and keeps an entry for
 * each node that has arrived or been referred to. It repairs broken texts, so that everything after
 * it is UTF-8. */
#include <loom/base/hash.h>
#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>

#include <loom/import/frame.h>

enum { LINES_MAX = 200, LAST_ID_MAX = 200 };
#define BESIDE_MAX ((size_t)31 << 20)

/* ---- the report ---- */

static struct loom_import_line *line_of(struct loom_import *import, struct import_lines *lines,
					struct loom_str text)
{
	for (size_t i = 0; i < lines->count; i++)
		if (loom_str_eq(lines->items[i].text, text))
			return &lines->items[i];
	if (lines->count > LINES_MAX)
		return &lines->items[LINES_MAX];
	if (lines->count == LINES_MAX)
		text = LOOM_STR("others");
	lines->items = loom_arena_grow(import->arena, lines->items, lines->count, &lines->cap,
				       sizeof *lines->items);
	lines->items[lines->count] =
		(struct loom_import_line){.text = loom_arena_str(import->arena, text)};
	return &lines->items[lines->count++];
}

void import_note(struct loom_import *import, enum import_note note, const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);
	va_list args;
	struct loom_str line;

	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	line = import_text_line(import->own, loom_buf_str(&text), 200);
	line_of(import, &import->lines[note], line)->count++;
	loom_buf_fini(&text);
}

/* Counts several occurrences of one sentence. */
static void count_notes(struct loom_import *import, enum import_note note, int64_t count,
			const char *text)
{
	if (count)
		line_of(import, &import->lines[note], loom_str_of(text))->count += count;
}

/* ---- entries ---- */

enum { NUMBER_BITS = 24 };
_Static_assert(LOOM_IMPORT_NODES_MAX < 1 << NUMBER_BITS, "a slot can hold any entry's number");

static uint32_t number_in(uint32_t slot)
{
	return slot & ((1u << NUMBER_BITS) - 1);
}

void import_entry_table(struct loom_import *import, size_t entries)
{
	size_t size = 1024;

	while (size / 4 * 3 < entries)
		size *= 2;
	free(import->table);
	import->table = entries ? loom_alloc(size * sizeof *import->table) : NULL;
	import->table_size = entries ? size : 0;
}

/* The author of a file may choose ids, but must not be able to choose their slots. */
static uint64_t hash_of(const struct loom_import *import, const uint8_t id[16])
{
	uint64_t half[2];
	uint64_t x;

	memcpy(half, id, sizeof half);
	x = (half[0] ^ import->table_key) * 0x9E3779B97F4A7C15u;
	x = ((x ^ x >> 29) + half[1]) * 0xBF58476D1CE4E5B9u;
	return (x ^ x >> 32 ^ import->table_key) * 0x94D049BB133111EBu;
}

static size_t place_of(const struct loom_import *import, uint64_t hash)
{
	return (size_t)(hash >> 20) & (import->table_size - 1);
}

/* The slot of a key, or the free one where it would go; *out_slot is its content. */
static uint32_t *slot_of(const struct loom_import *import, const uint8_t id[16], uint32_t *out_mark)
{
	const uint64_t hash = hash_of(import, id);
	const uint32_t mark = (uint32_t)(hash >> 56) << NUMBER_BITS;
	size_t at = place_of(import, hash);
	uint32_t slot = 0;

	for (; (slot = import->table[at]) != 0; at = (at + 1) & (import->table_size - 1))
		if ((slot ^ mark) >> NUMBER_BITS == 0 &&
		    !memcmp(import_entry_at(import, number_in(slot))->id, id, 16))
			break;
	*out_mark = mark;
	return &import->table[at];
}

uint32_t import_entry_find(const struct loom_import *import, const uint8_t id[16])
{
	uint32_t mark = 0;

	return number_in(*slot_of(import, id, &mark));
}

void import_entry_put(struct loom_import *import, uint32_t number)
{
	uint32_t mark = 0;
	uint32_t *slot = slot_of(import, import_entry_at(import, number)->id, &mark);

	*slot = number | mark;
}

static void grow_table(struct loom_import *import)
{
	if (import->entry_count < import->table_size / 4 * 3)
		return;
	import_entry_table(import, import->entry_count * 2);
	for (uint32_t n = 1; n <= import->entry_count; n++)
		if (!(import_entry_at(import, n)->flags & IMPORT_ENTRY_NAMELESS))
			import_entry_put(import, n);
}

static struct import_tree_state *last_tree(const struct loom_import *import)
{
	return import_tree_at(import, import->tree_count - 1);
}

/* Adds an entry and returns its number + 1. */
static uint32_t add_entry(struct loom_import *import, uint32_t flags)
{
	const size_t old = import->entry_cap * sizeof *import->entries;

	if (import->entry_count == import->entry_cap) {
		import->entry_cap = import->entry_cap ? import->entry_cap * 2 : 1024;
		import->entries = loom_pages_resize(import->pages, import->entries, old,
						    import->entry_cap * sizeof *import->entries);
	}
	last_tree(import)->count++;
	import->entry_count++;
	*import_entry_at(import, (uint32_t)import->entry_count) =
		(struct import_entry){.flags = flags};
	return (uint32_t)import->entry_count;
}

/* The hash of an id in the current tree. The table is larger than any cache, so its slot is
 * prefetched. */
static struct loom_hash key_of(const struct loom_import *import, struct loom_str id)
{
	const uint64_t tree = import->tree_count;
	const struct loom_str parts[] = {loom_str_make((const char *)&tree, sizeof tree), id};
	const struct loom_hash key = loom_sha256_parts(parts, LOOM_COUNT(parts));

	__builtin_prefetch(&import->table[place_of(import, hash_of(import, key.bytes))], 1);
	return key;
}

/* The entry of a key, created if necessary. */
static uint32_t entry_at(struct loom_import *import, const struct loom_hash *key)
{
	uint32_t mark = 0;
	uint32_t *slot = NULL;

	grow_table(import);
	slot = slot_of(import, key->bytes, &mark);
	if (!*slot) {
		*slot = add_entry(import, 0) | mark;
		memcpy(import_entry_at(import, number_in(*slot))->id, key->bytes, 16);
	}
	return number_in(*slot);
}

/* The entry of an id; 0 for the empty id. */
static uint32_t entry_of(struct loom_import *import, struct loom_str id)
{
	struct loom_hash key;

	if (!id.n)
		return 0;
	if (import->last_entry && loom_str_eq(id, loom_buf_str(&import->last_id)))
		return import->last_entry;
	key = key_of(import, id);
	return entry_at(import, &key);
}

static void note_last(struct loom_import *import, struct loom_str id, uint32_t entry)
{
	import->last_entry = id.n && id.n <= LAST_ID_MAX ? entry : 0;
	loom_buf_clear(&import->last_id);
	if (import->last_entry)
		loom_buf_add(&import->last_id, id);
}

/* ---- trees ---- */

static void take_text(struct loom_import *import, struct loom_str *field, struct loom_str text,
		      size_t line)
{
	struct loom_buf clean = LOOM_BUF_INIT_ON(SIZE_MAX / 4, import->pages);
	bool surrogates = false;

	if (!text.n)
		return;
	if (line)
		*field = import_text_line(import->arena, text, line);
	else if (import_text_repair(text, &clean, &surrogates))
		*field = loom_arena_buf(import->arena, &clean);
	else
		*field = loom_arena_str(import->arena, text);
	loom_buf_fini(&clean);
}

void import_retitle(struct loom_import *import, const struct import_tree *tree)
{
	struct import_tree_state *state = last_tree(import);

	take_text(import, &state->spec.id, tree->id, 0);
	take_text(import, &state->spec.title, tree->title, tree->exact ? 0 : 400);
	take_text(import, &state->spec.system, tree->system, 0);
	take_text(import, &state->spec.description, tree->description, 0);
	take_text(import, &state->spec.summary, tree->summary, 0);
	take_text(import, &state->spec.subject, tree->subject, 100);
	take_text(import, &state->spec.reading, tree->reading, 0);
	state->spec.listed = tree->listed;
	if (tree->created)
		state->spec.created = tree->created;
	if (tree->exact) {
		state->exact = *tree->exact;
		state->spec.exact = &state->exact;
	}
}

/* Whether this is the last tree again: a branch in a file of its own. */
static bool is_same_tree(const struct loom_import *import, const struct import_tree *tree)
{
	const struct import_tree_state *last = import->tree_count ? last_tree(import) : NULL;

	return last && tree->id.n && !tree->exact && last->spec.mode == tree->mode &&
	       loom_str_eq(last->spec.id, tree->id) &&
	       import->files[last->file].reader == import->files[import->file_count - 1].reader;
}

void import_begin(struct loom_import *import, const struct import_tree *tree)
{
	if (is_same_tree(import, tree)) {
		import->open = true;
		import_retitle(import, tree);
		return;
	}
	import_tree_close(import);
	if (import->tree_count == import->tree_cap) {
		const size_t old = import->tree_cap * sizeof *import->trees;

		import->tree_cap = import->tree_cap ? import->tree_cap * 2 : 16;
		import->trees = loom_pages_resize(import->pages, import->trees, old,
						  import->tree_cap * sizeof *import->trees);
		for (size_t i = 0; i < import->tree_count; i++)
			if (import_tree_at(import, i)->spec.exact)
				import_tree_at(import, i)->spec.exact =
					&import_tree_at(import, i)->exact;
	}
	import_locals_fini(&import->locals, import->pages);
	import->tree_count++;
	*last_tree(import) = (struct import_tree_state){
		.spec = {.mode = tree->mode},
		.file = import->file_count - 1,
		.first = import->entry_count,
		.ordered = true,
	};
	import->open = true;
	import->last_entry = 0;
	import_retitle(import, tree);
}

void import_tree_close(struct loom_import *import)
{
	struct loom_str beside = loom_buf_str(&import->open_beside);

	if (!beside.n)
		return;
	last_tree(import)->beside = import_spill_end(&import->spill);
	last_tree(import)->beside_size = beside.n;
	import_spill_add(&import->spill, beside.p, beside.n);
	loom_buf_clear(&import->open_beside);
}

void import_beside_tree(struct loom_import *import, struct loom_str inside)
{
	struct loom_buf *beside = &import->open_beside;

	if (!inside.n)
		return;
	if (beside->n + inside.n > BESIDE_MAX) {
		import_note(import, IMPORT_LOST, "members beside a tree, beyond the first %zu MiB",
			    BESIDE_MAX >> 20);
		return;
	}
	if (beside->n)
		loom_buf_addc(beside, ',');
	loom_buf_add(beside, inside);
}

void import_agent(struct loom_import *import, const struct import_agent *agent)
{
	struct import_agent *kept;

	import->agents = loom_arena_grow(import->arena, import->agents, import->agent_count,
					 &import->agent_cap, sizeof *import->agents);
	kept = &import->agents[import->agent_count++];
	*kept = *agent;
	kept->key = loom_arena_str(import->arena, agent->key);
	kept->name = import_text_line(import->arena, agent->name, 100);
	kept->model = import_text_line(import->arena, agent->model, 200);
	kept->sampling = loom_arena_str(import->arena, agent->sampling);
}

/* ---- nodes ---- */

/* The texts of a record, in the order of the spill. */
struct texts {
	struct loom_str of[IMPORT_TEXTS];
	struct loom_buf clean[IMPORT_TEXTS];
};

static void clean_text(struct loom_import *import, struct texts *texts, enum import_text which)
{
	bool surrogates = false;
	struct loom_str before = texts->of[which];

	if (!import_text_repair(before, &texts->clean[which], &surrogates))
		return;
	texts->of[which] = loom_buf_str(&texts->clean[which]);
	if (which != IMPORT_TEXT_TEXT)
		return;
	if (!texts->of[IMPORT_TEXT_ORIGINAL].n)
		texts->of[IMPORT_TEXT_ORIGINAL] = before;
	import_note(import, IMPORT_REPAIRED, "%s in a text became U+FFFD",
		    surrogates ? "half a surrogate pair" : "invalid UTF-8");
}

/* Counts characters that a model sees and a reader does not. */
static void count_unseen(struct loom_import *import, struct loom_str text)
{
	size_t tags = 0;
	size_t all = loom_shown_unseen(text, &tags);

	count_notes(import, IMPORT_UNSEEN, (int64_t)tags,
		    "Tag characters, which spell hidden text");
	count_notes(import, IMPORT_UNSEEN, (int64_t)(all - tags), "invisible characters in texts");
}

static void gather_texts(struct loom_import *import, const struct import_node *node,
			 struct texts *out)
{
	struct loom_arena *arena = import->own;

	*out = (struct texts){
		.of = {
			[IMPORT_TEXT_ID] = node->id,
			[IMPORT_TEXT_AUTHOR] = import_text_line(arena, node->author, 100),
			[IMPORT_TEXT_MODEL] = import_text_line(arena, node->model, 100),
			[IMPORT_TEXT_TEXT] = node->text,
			[IMPORT_TEXT_ORIGINAL] = node->original,
			[IMPORT_TEXT_LABEL] = node->exact
						      ? import_text_as_is(arena, node->label)
						      : import_text_line(arena, node->label, 400),
			[IMPORT_TEXT_SUMMARY] = node->summary,
			[IMPORT_TEXT_GENERATION] = node->generation,
			[IMPORT_TEXT_EXTRA] = node->extra,
			[IMPORT_TEXT_RAW] = node->raw,
			[IMPORT_TEXT_HASH] = node->hash,
			[IMPORT_TEXT_PARENTS] = node->parents,
			[IMPORT_TEXT_CLAIM] = node->claim,
		}};
	for (int i = 0; i < IMPORT_TEXTS; i++)
		loom_buf_init_on(&out->clean[i], SIZE_MAX / 4, import->pages);
	clean_text(import, out, IMPORT_TEXT_ID);
	clean_text(import, out, IMPORT_TEXT_TEXT);
	clean_text(import, out, IMPORT_TEXT_SUMMARY);
	clean_text(import, out, IMPORT_TEXT_GENERATION);
	clean_text(import, out, IMPORT_TEXT_EXTRA);
	count_unseen(import, out->of[IMPORT_TEXT_TEXT]);
	if (node->text.n && memchr(node->text.p, '\0', node->text.n))
		import_note(import, IMPORT_REPAIRED, "U+0000 in a text, kept");
}

static uint64_t spill_record(struct loom_import *import, const struct import_node *node,
			     const struct texts *texts)
{
	struct import_record record = {.created = 0};
	char head[IMPORT_RECORD_MAX];
	const uint64_t at = import_spill_end(&import->spill);

	record.created = node->created > 0 ? node->created : 0;
	record.kind = (uint8_t)node->kind;
	record.role = (uint8_t)node->role;
	record.bookmarked = node->bookmarked;
	record.excluded = node->excluded;
	record.unseamed = node->unseamed;
	record.summary_extract = node->summary_extract;
	record.has_exact = node->exact != NULL;
	if (node->exact)
		record.exact = *node->exact;
	for (int i = 0; i < IMPORT_TEXTS; i++)
		record.size[i] = texts->of[i].n;
	import_spill_add(&import->spill, head, import_record_pack(&record, head));
	for (int i = 0; i < IMPORT_TEXTS; i++)
		import_spill_add(&import->spill, texts->of[i].p, texts->of[i].n);
	return at + 1;
}

/* Whether the spill already has the same bytes; compares piecewise, as they may be many. */
static bool is_same_record(struct loom_import *import, uint64_t a, uint64_t b)
{
	const uint64_t n = import_spill_end(&import->spill) - (b - 1);
	char piece[1 << 12];
	bool same = true;

	for (uint64_t at = 0; same && at < n; at += sizeof piece) {
		const size_t size = n - at < sizeof piece ? (size_t)(n - at) : sizeof piece;
		struct loom_str read = import_spill_at(&import->spill, a - 1 + at, size);

		memcpy(piece, read.p, read.n);
		same = loom_str_eq(loom_str_make(piece, read.n),
				   import_spill_at(&import->spill, b - 1 + at, size));
	}
	return same;
}

/* Hashes author and text: all that distinguishes nodes. */
static bool digest(struct loom_import *import, uint64_t record, struct loom_hash *out)
{
	const struct import_entry entry = {.record = record};
	struct import_read read;

	if (import_entry_read(import, &entry, &read, NULL) != LOOM_OK)
		return false;
	*out = loom_sha256_parts(
		(const struct loom_str[]){
			loom_str_make((const char *)&read.head.kind, 1),
			loom_str_make((const char *)&read.head.role, 1),
			read.text[IMPORT_TEXT_AUTHOR],
			loom_str_make("", 1),
			read.text[IMPORT_TEXT_TEXT],
		},
		5);
	return true;
}

static bool says_same(struct loom_import *import, uint64_t a, uint64_t b)
{
	struct loom_hash first;
	struct loom_hash second;

	return digest(import, a, &first) && digest(import, b, &second) &&
	       loom_hash_eq(&first, &second);
}

static uint32_t place_twice(struct loom_import *import, uint32_t entry, uint64_t record,
			    const struct import_node *node)
{
	if (node->shared && !node->extra.n && !node->generation.n)
		return 0;
	if (is_same_record(import, import_entry_at(import, entry)->record, record)) {
		import_note(import, IMPORT_REPAIRED,
			    "a node that occurs twice in the file was imported once");
		return 0;
	}
	if (says_same(import, import_entry_at(import, entry)->record, record)) {
		import_note(import, IMPORT_LOST, "extra members of a node's second copy");
		return 0;
	}
	import_note(import, IMPORT_REPAIRED,
		    "an id shared by two nodes: the second became a separate node");
	return add_entry(import, IMPORT_ENTRY_NAMELESS);
}

static void fill_entry(struct loom_import *import, uint32_t number, uint32_t parent,
		       const struct import_node *node)
{
	struct import_tree_state *tree = last_tree(import);
	struct import_entry *entry = import_entry_at(import, number);

	entry->parent = parent;
	entry->flags |=
		(node->pruned ? (uint32_t)IMPORT_ENTRY_PRUNED : 0u) |
		(node->exact ? (uint32_t)IMPORT_ENTRY_EXACT : 0u) |
		(node->listed ? (uint32_t)IMPORT_ENTRY_LISTED : 0u) |
		(node->anonymous ? (uint32_t)IMPORT_ENTRY_ANONYMOUS : 0u) |
		(node->kind != LOOM_CONTINUATION ? (uint32_t)IMPORT_ENTRY_ASIDE : 0u) |
		(node->edited_as == LOOM_EDIT_BRANCH ? (uint32_t)IMPORT_ENTRY_BRANCH : 0u) |
		(node->edited_as == LOOM_EDIT_VERSION ? (uint32_t)IMPORT_ENTRY_VERSION : 0u);
	/* One without an id gets one that another may have. */
	if (!tree->renamed &&
	    (node->exact ? !import_locals_add(&import->locals, import->pages, &node->exact->local)
			 : tree->spec.exact != NULL)) {
		tree->renamed = true;
		import_note(import, IMPORT_REPAIRED,
			    "a tree in which %s: all its nodes get new ids",
			    node->exact ? "nodes share an id" : "a node has no id");
	}
	tree->nodes++;
	if (parent && !import_entry_at(import, parent)->record)
		tree->ordered = false;
}

/* Refuses, before copying anything, what the store would certainly refuse. A row has more than its
 * texts, so the store has the last word, and then everything it took is undone. */
static enum loom_status refuse_large(const struct import_node *node, struct loom_err *err)
{
	const size_t sizes[] = {node->text.n + node->extra.n + node->original.n, node->generation.n,
				node->raw.n};
	size_t largest = 0;

	for (size_t i = 0; i < LOOM_COUNT(sizes); i++)
		largest = sizes[i] > largest ? sizes[i] : largest;
	if (largest <= LOOM_ROW_BYTES_MAX)
		return LOOM_OK;
	loom_fail(err, LOOM_LIMIT, "a node of %zu bytes; the limit is %d MiB", largest,
		  LOOM_ROW_BYTES_MAX >> 20);
	return loom_hint(err, LOOM_LIMIT, "split its text into several nodes");
}

static enum loom_status refuse_more(const struct loom_import *import, struct loom_err *err)
{
	if (import->entry_count < LOOM_IMPORT_NODES_MAX)
		return LOOM_OK;
	loom_fail(err, LOOM_LIMIT, "more than %d nodes in one import", LOOM_IMPORT_NODES_MAX);
	return loom_hint(err, LOOM_LIMIT, "import it in parts");
}

enum loom_status import_node(struct loom_import *import, const struct import_node *node,
			     struct loom_err *err)
{
	static const struct import_tree plain = {.mode = LOOM_BUFFER};
	enum loom_status status = refuse_more(import, err);
	struct texts texts;
	uint32_t entry;
	uint32_t parent;
	uint64_t record;
	struct loom_hash key = {{0}};

	if (status == LOOM_OK)
		status = refuse_large(node, err);
	if (status != LOOM_OK)
		return status;
	if (!import->open)
		import_begin(import, &plain);
	loom_arena_reset(import->own);
	if (node->id.n)
		key = key_of(import, node->id);
	gather_texts(import, node, &texts);
	record = spill_record(import, node, &texts);
	for (int i = 0; i < IMPORT_TEXTS; i++)
		loom_buf_fini(&texts.clean[i]);
	parent = entry_of(import, node->parent);
	entry = node->id.n ? entry_at(import, &key) : add_entry(import, IMPORT_ENTRY_NAMELESS);
	note_last(import, node->id, entry);
	if (import_entry_at(import, entry)->record)
		entry = place_twice(import, entry, record, node);
	if (entry) {
		import_entry_at(import, entry)->record = record;
		import_entry_at(import, entry)->edited = 0;
		fill_entry(import, entry, parent, node);
	}
	if (entry && node->edited_from.n) {
		uint32_t edited = entry_of(import, node->edited_from);

		import_entry_at(import, entry)->edited = edited;
	}
	status = import_spill_settle(&import->spill, err);
	if (status == LOOM_OK && loom_task_cancelled(import->opts.task))
		status = loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written");
	return status;
}

/* ---- marks ---- */

/* Applies a mark that needs no record. */
static bool mark_entry(struct loom_import *import, uint32_t number, const struct import_mark *mark)
{
	struct import_tree_state *tree = last_tree(import);
	uint32_t to;

	if (mark->kind == IMPORT_CURRENT) {
		tree->current = number;
	} else if (mark->kind == IMPORT_ROOT) {
		tree->named = number;
	} else if (mark->kind == IMPORT_PLACE) {
		import_entry_at(import, number)->place = (uint32_t)mark->number + 1;
	} else if (mark->kind == IMPORT_PRUNE) {
		import_entry_at(import, number)->flags |= IMPORT_ENTRY_PRUNED;
	} else if (mark->kind == IMPORT_PARENT) {
		to = entry_of(import, mark->to);
		import_entry_at(import, number)->parent = to;
		tree->ordered = false;
	} else {
		return false;
	}
	return true;
}

/* One line, unless it comes from a loom export. */
static struct loom_str mark_text(struct loom_import *import, const struct import_mark *mark)
{
	if (mark->kind == IMPORT_OUR_LINK)
		return mark->text;
	if (last_tree(import)->spec.exact)
		return import_text_as_is(import->own, mark->text);
	return import_text_line(import->own, mark->text, mark->kind == IMPORT_TAG ? 200 : 1 << 16);
}

enum loom_status import_mark(struct loom_import *import, const struct import_mark *mark,
			     struct loom_err *err)
{
	struct import_mark_record record;
	uint32_t entry;
	struct loom_str text;

	if (!import->open || !mark->id.n)
		return LOOM_OK;
	entry = entry_of(import, mark->id);
	if (mark_entry(import, entry, mark))
		return LOOM_OK;
	memset(&record, 0, sizeof record);
	record.before = import_entry_at(import, entry)->marks;
	record.kind = (uint32_t)mark->kind;
	record.number = mark->number;
	record.to = entry_of(import, mark->to);
	text = mark_text(import, mark);
	record.size = text.n;
	if (mark->kind == IMPORT_LINK || mark->kind == IMPORT_OUR_LINK)
		import_entry_at(import, entry)->flags |= IMPORT_ENTRY_LATE;
	if (mark->kind == IMPORT_OUR_PLACE)
		import_entry_at(import, entry)->flags |= IMPORT_ENTRY_HUNG;
	import_entry_at(import, entry)->marks = import_spill_end(&import->spill) + 1;
	import_spill_add(&import->spill, &record, sizeof record);
	import_spill_add(&import->spill, text.p, text.n);
	return import_spill_settle(&import->spill, err);
}

uint32_t import_number(struct loom_import *import, struct loom_str id)
{
	return entry_of(import, id);
}

bool import_is_there(struct loom_import *import, struct loom_str id)
{
	return import_entry_at(import, import_number(import, id))->record != 0;
}

void import_hang(struct loom_import *import, uint32_t number, uint32_t parent, size_t place)
{
	struct import_entry *entry = import_entry_at(import, number);

	entry->place = (uint32_t)place + 1;
	if (!parent)
		return;
	entry->parent = parent;
	last_tree(import)->ordered = false;
}

void import_sealed(struct loom_import *import, const struct loom_hash *what,
		   const struct loom_seal *seal)
{
	struct import_file *file = &import->files[import->file_count - 1];

	file->has_seal = true;
	file->sealed = *what;
	file->seal = *seal;
}

void import_document_listed(struct loom_import *import)
{
	import->docs[import->doc_count - 1].listed = true;
}

enum loom_status import_document(struct loom_import *import, struct loom_str name,
				 struct loom_str text, struct loom_err *err)
{
	struct import_doc *doc;

	if (import->doc_count >= 100000)
		return loom_fail(err, LOOM_LIMIT, "more than 100000 documents in one import");
	import->docs = loom_arena_grow(import->arena, import->docs, import->doc_count,
				       &import->doc_cap, sizeof *import->docs);
	doc = &import->docs[import->doc_count++];
	*doc = (struct import_doc){{"", 0}, {"", 0}, import->file_count - 1, false};
	take_text(import, &doc->name, name, 200);
	take_text(import, &doc->text, text, 0);
	return LOOM_OK;
}
