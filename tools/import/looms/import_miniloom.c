/* miniloom and minihf: a node is a patch to its parent's text.
 *
 * The patches are those of diff-match-patch. Their offsets and lengths count UTF-16 units and may
 * split a surrogate pair, so texts are patched with their pairs separated. A single buffer holds
 * the text of the current node: a step down patches it and a step up restores what was removed, so
 * memory is bounded by the longest text. A node that only appends becomes the appended text. One
 * that removes text attaches to the deepest ancestor whose text it still begins with, and a link
 * names the node it changed. */
#include <loom/base/utf8.h>

#include <loom/import/reader_kit.h>

struct node {
	struct loom_str id;
	struct loom_str object;
	uint32_t parent; /* + 1 */
	uint32_t first;
	uint32_t next;
	uint32_t above; /* + 1; the node it attaches to here */
	size_t size;    /* of its text */
	size_t kept;    /* length of the prefix shared with its parent's text */
	size_t undo;    /* offset of its removed text in walk->undo */
	size_t undo_end;
	bool seen;
};

struct walk {
	struct loom_import *import;
	struct import_index index; /* the nodes' keys */
	struct node *nodes;        /* in the order of the index */
	uint32_t *order;           /* their numbers, + 1, sorted by id */
	size_t count;
	struct loom_buf text; /* of the current node */
	struct loom_buf undo;
	size_t done;
	size_t size; /* of the file */
};

/* ---- places in UTF-16 units ---- */

static void add_unit(struct loom_buf *out, uint32_t unit)
{
	loom_buf_addc(out, (char)(0xE0 | unit >> 12));
	loom_buf_addc(out, (char)(0x80 | (unit >> 6 & 0x3F)));
	loom_buf_addc(out, (char)(0x80 | (unit & 0x3F)));
}

/* Encodes each half of a surrogate pair as three bytes, so that every UTF-16 unit starts a sequence
 * of its own. */
static void take_apart(struct loom_str text, struct loom_buf *out)
{
	size_t run = 0;
	size_t at = 0;

	while (at < text.n) {
		const size_t from = at;
		const uint32_t cp = loom_utf8_next(text, &at);

		if (cp == LOOM_CP_BAD || cp < 0x10000)
			continue;
		loom_buf_add(out, loom_str_sub(text, run, from - run));
		add_unit(out, 0xD800 + ((cp - 0x10000) >> 10));
		add_unit(out, 0xDC00 + ((cp - 0x10000) & 0x3FF));
		run = at;
	}
	loom_buf_add(out, loom_str_sub(text, run, text.n - run));
}

/* The ten bits of the surrogate at `at`; -1 for anything else. `high` asks for the first half. */
static int half_at(struct loom_str text, size_t at, bool high)
{
	const uint8_t *p = (const uint8_t *)text.p + at;

	if (text.n - at < 3 || p[0] != 0xED || (p[1] & 0xF0) != (high ? 0xA0 : 0xB0))
		return -1;
	return (p[1] & 0x0F) << 6 | (p[2] & 0x3F);
}

static void put_together(struct loom_str text, struct loom_buf *out)
{
	size_t run = 0;

	for (size_t at = 0; at < text.n;) {
		const int high = half_at(text, at, true);
		const int low = high < 0 ? -1 : half_at(text, at + 3, false);

		if (low < 0) {
			at++;
			continue;
		}
		loom_buf_add(out, loom_str_sub(text, run, at - run));
		loom_buf_add_cp(out, 0x10000u + ((uint32_t)high << 10) + (uint32_t)low);
		run = at += 6;
	}
	loom_buf_add(out, loom_str_sub(text, run, text.n - run));
}

/* In a text with separated pairs. */
static size_t byte_at(struct loom_str text, size_t units)
{
	size_t at = 0;

	for (size_t seen = 0; at < text.n; at++) {
		seen += ((uint8_t)text.p[at] & 0xC0) != 0x80;
		if (seen > units)
			break;
	}
	return at;
}

/* ---- patches ---- */

/* The text a patch expects, the text it produces, and what of that is new. */
struct sides {
	struct loom_buf before;
	struct loom_buf after;
	struct loom_buf added;
};

static void sides_of(struct loom_import *import, struct loom_str patch, struct sides *out)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(patch, "diffs"));
	struct loom_str diff;

	while (loom_jwalk_next(&walk, NULL, &diff)) {
		struct loom_jwalk pair = loom_jval_walk(diff);
		struct loom_str op = {NULL, 0};
		struct loom_str text = {NULL, 0};
		int64_t kind = 0;

		if (!loom_jwalk_next(&pair, NULL, &op) || !loom_jwalk_next(&pair, NULL, &text) ||
		    !loom_jval_int(op, &kind))
			continue;
		text = import_string(import, text);
		if (kind <= 0)
			take_apart(text, &out->before);
		if (kind >= 0)
			take_apart(text, &out->after);
		if (kind > 0)
			take_apart(text, &out->added);
	}
}

/* Where `before` occurs nearest to `wanted`; SIZE_MAX if nowhere. */
static size_t find_near(struct loom_str text, struct loom_str before, size_t wanted)
{
	size_t best = SIZE_MAX;
	size_t best_far = SIZE_MAX;
	size_t at = loom_str_find(text, before, 0);

	while (at != SIZE_MAX && before.n) {
		size_t far = at > wanted ? at - wanted : wanted - at;

		if (far >= best_far)
			break;
		best = at;
		best_far = far;
		at = loom_str_find(text, before, at + 1);
	}
	return best;
}

static void replace(struct loom_buf *text, size_t at, size_t n, struct loom_str by)
{
	struct loom_buf made = LOOM_BUF_INIT_ON(SIZE_MAX / 4, text->pages);

	loom_buf_add(&made, loom_str_sub(loom_buf_str(text), 0, at));
	loom_buf_add(&made, by);
	loom_buf_add(&made, loom_str_sub(loom_buf_str(text), at + n, text->n));
	loom_buf_fini(text);
	*text = made;
}

static void apply_patch(struct loom_import *import, struct loom_str patch, struct loom_buf *text)
{
	struct sides sides = {.before = IMPORT_BUF(import),
			      .after = IMPORT_BUF(import),
			      .added = IMPORT_BUF(import)};
	struct loom_str before;
	int64_t start = 0;
	size_t at;

	sides_of(import, patch, &sides);
	before = loom_buf_str(&sides.before);
	if (!loom_jval_int(loom_jval_get(patch, "start2"), &start) || start < 0)
		start = 0;
	at = byte_at(loom_buf_str(text), (size_t)start);
	if (!loom_str_eq(loom_str_sub(loom_buf_str(text), at, before.n), before))
		at = find_near(loom_buf_str(text), before, at);
	if (at == SIZE_MAX) {
		import_note(import, IMPORT_REPAIRED,
			    "a patch that does not apply: its text was added at the end");
		replace(text, text->n, 0, loom_buf_str(&sides.added));
	} else {
		replace(text, at, before.n, loom_buf_str(&sides.after));
	}
	loom_buf_fini(&sides.before);
	loom_buf_fini(&sides.after);
	loom_buf_fini(&sides.added);
}

/* Writes the patched text to `out`. */
static void apply_patches(struct loom_import *import, struct loom_str patches, struct loom_str was,
			  struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(patches);
	struct loom_buf apart = IMPORT_BUF(import);
	struct loom_str patch;

	take_apart(was, &apart);
	while (!walk.object && loom_jwalk_next(&walk, NULL, &patch))
		apply_patch(import, patch, &apart);
	put_together(loom_buf_str(&apart), out);
	loom_buf_fini(&apart);
}

/* ---- going down and up ---- */

static size_t common(struct loom_str a, struct loom_str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	while (n > 0 && n < b.n && ((uint8_t)b.p[n] & 0xC0) == 0x80)
		n--;
	return n;
}

static void go_down(struct walk *walk, struct node *node)
{
	struct loom_buf now = IMPORT_BUF(walk->import);
	struct loom_str was = loom_buf_str(&walk->text);

	apply_patches(walk->import, loom_jval_get(node->object, "patch"), was, &now);
	node->kept = common(was, loom_buf_str(&now));
	node->undo = walk->undo.n;
	loom_buf_add(&walk->undo, loom_str_sub(was, node->kept, was.n));
	node->undo_end = walk->undo.n;
	node->size = now.n;
	loom_buf_fini(&walk->text);
	walk->text = now;
}

static void go_up(struct walk *walk, const struct node *node)
{
	loom_buf_cut(&walk->text, node->kept);
	loom_buf_add(&walk->text, loom_str_sub(loom_buf_str(&walk->undo), node->undo,
					       node->undo_end - node->undo));
	loom_buf_cut(&walk->undo, node->undo);
}

/* The deepest ancestor whose whole text this one begins with. At each step up, the shared prefix
 * shrinks to what no step in between has changed. */
static uint32_t host_of(const struct walk *walk, const struct node *node)
{
	size_t kept = node->kept;
	uint32_t above = node->parent;

	while (above) {
		const struct node *host = &walk->nodes[above - 1];

		if (kept >= host->size)
			return above;
		kept = kept < host->kept ? kept : host->kept;
		above = host->parent;
	}
	return 0;
}

/* ---- records ---- */

static enum import_role role_of(struct loom_str type)
{
	static const char *const model[] = {"\"gen\"", "\"rewrite\"", "\"weave\""};

	for (size_t i = 0; i < LOOM_COUNT(model); i++)
		if (loom_str_is(type, model[i]))
			return IMPORT_MODEL;
	return loom_jval_is_null(type) ? IMPORT_UNKNOWN : IMPORT_HUMAN;
}

static enum loom_status put_rating(struct loom_import *import, const struct node *node,
				   struct loom_err *err)
{
	struct loom_str rating = loom_jval_get(node->object, "rating");
	struct import_mark mark = {.id = node->id, .kind = IMPORT_RATED};

	mark.number = loom_str_is(rating, "true") ? 1 : loom_str_is(rating, "false") ? -1 : 0;
	return mark.number ? import_mark(import, &mark, err) : LOOM_OK;
}

static enum loom_status put_link(struct walk *walk, const struct node *node, struct loom_err *err)
{
	struct import_mark link = {.id = node->id,
				   .kind = IMPORT_LINK,
				   .text = LOOM_STR_INIT("changes the text of this one")};

	if (node->above == node->parent)
		return LOOM_OK;
	link.to = walk->nodes[node->parent - 1].id;
	import_note(walk->import, IMPORT_REPAIRED,
		    "a node that removes text of its parent: it became a branch, linked to the "
		    "node it changes");
	return import_mark(walk->import, &link, err);
}

/* A diff item is an operation and its text. */
static bool is_odd_diff(struct loom_import *import, struct loom_str diff)
{
	struct loom_jwalk walk = loom_jval_walk(diff);
	struct loom_str item;
	bool odd = import_is_odd(import, "diff", diff, "ao");

	if (walk.object || odd)
		return odd;
	for (size_t i = 0; loom_jwalk_next(&walk, NULL, &item); i++)
		odd |= import_is_odd(import, "diff item", item, i == 0 ? "n" : i == 1 ? "s" : "");
	return odd;
}

/* Whether patches have anything that is not taken; then they are kept whole. */
static bool are_odd_patches(struct loom_import *import, struct loom_str patches)
{
	static const struct import_fields fields = {
		.where = "patch", .used = "diffs:a start1:n start2:n length1:n length2:n"};
	struct loom_jwalk walk = loom_jval_walk(patches);
	struct loom_str patch;
	struct loom_str diff;
	bool odd = false;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &patch)) {
		struct loom_jwalk diffs = loom_jval_walk(loom_jval_get(patch, "diffs"));

		odd |= import_is_odd(import, "patch", patch, "o");
		odd |= import_unsaid(import, patch, &fields);
		while (!diffs.object && loom_jwalk_next(&diffs, NULL, &diff))
			odd |= is_odd_diff(import, diff);
	}
	return odd;
}

static enum loom_status put_node(struct walk *walk, struct node *node, struct loom_err *err)
{
	static const struct import_fields fields = {
		.where = "node",
		.used = "id:s timestamp:ns patch:a summary:s rating:b parent:s children:a model:s "
			"finishReason:s",
		.known = "read error cache evaluationScore context nodes branches type",
	};
	struct loom_import *import = walk->import;
	struct loom_buf rest = IMPORT_BUF(walk->import);
	struct loom_str finish = import_text(import, node->object, "finishReason");
	struct import_node out = {
		.id = node->id,
		.role = role_of(loom_jval_get(node->object, "type")),
		.model = import_text(import, node->object, "model"),
		.created = import_time(import, loom_jval_get(node->object, "timestamp")),
		.summary = import_text(import, node->object, "summary"),
	};
	size_t from = 0;
	enum loom_status status;

	node->above = host_of(walk, node);
	if (node->above) {
		from = walk->nodes[node->above - 1].size;
		out.parent = walk->nodes[node->above - 1].id;
	}
	out.text = loom_str_sub(loom_buf_str(&walk->text), from, walk->text.n);
	if (finish.n) {
		struct loom_buf record = IMPORT_BUF(walk->import);

		loom_buf_adds(&record, "{\"finish\":");
		loom_json_quote(finish, &record);
		loom_buf_addc(&record, '}');
		out.generation = loom_arena_buf(import_scratch(import), &record);
		loom_buf_fini(&record);
	}
	loom_buf_addc(&rest, '{');
	import_rest(import, node->object, &fields, &rest);
	if (import_is_odd(import, "node", node->object, "o")) {
		loom_buf_adds(&rest, "\"node\":");
		import_keep(import, node->object, &rest);
	}
	if (are_odd_patches(import, loom_jval_get(node->object, "patch"))) {
		loom_buf_adds(&rest, rest.n > 1 ? ",\"patch\":" : "\"patch\":");
		import_keep(import, loom_jval_get(node->object, "patch"), &rest);
	}
	loom_buf_addc(&rest, '}');
	out.extra = loom_buf_str(&rest);
	status = import_node(import, &out, err);
	loom_buf_fini(&rest);
	if (status == LOOM_OK)
		status = put_rating(import, node, err);
	return status == LOOM_OK && node->parent ? put_link(walk, node, err) : status;
}

/* ---- the nodes of the store ---- */

static uint32_t find_node(const struct walk *walk, struct loom_str id)
{
	struct loom_str object;

	return id.n ? (uint32_t)(import_index_find(&walk->index, id, &object) + 1) : 0;
}

static int by_id(const void *a, const void *b, void *ctx)
{
	const struct node *nodes = ctx;

	return loom_str_cmp(nodes[*(const uint32_t *)a - 1].id, nodes[*(const uint32_t *)b - 1].id);
}

static void gather(struct walk *walk, struct loom_str store)
{
	struct loom_jwalk members = loom_jval_walk(store);
	struct loom_pages *pages = import_pages(walk->import);
	struct loom_str key;
	struct loom_str object;
	size_t count = 0;

	import_index(walk->import, store, &walk->index);
	walk->count = walk->index.count;
	walk->nodes = loom_pages_take(pages, walk->count * sizeof *walk->nodes);
	walk->order = loom_pages_take(pages, walk->count * sizeof *walk->order);
	while (members.object && loom_jwalk_next(&members, &key, &object)) {
		const struct loom_str id = loom_str_sub(key, 1, key.n - 2);
		const uint32_t n = find_node(walk, id);

		if (!n)
			continue;
		walk->nodes[n - 1] = (struct node){.id = id, .object = object};
		walk->order[count++] = n;
	}
	walk->count = count;
	qsort_r(walk->order, count, sizeof *walk->order, by_id, walk->nodes);
}

static struct loom_str id_text(struct loom_str value)
{
	return loom_jval_type(value) == LOOM_JTYPE_STRING   ? loom_str_sub(value, 1, value.n - 2)
	       : loom_jval_type(value) == LOOM_JTYPE_NUMBER ? value
							    : loom_str_make("", 0);
}

/* Attaches the children in their parent's order, then those that only name their parent. */
static void hang(struct walk *walk, uint32_t parent, uint32_t child, uint32_t *last)
{
	struct node *node = &walk->nodes[child - 1];

	if (node->seen || child == parent)
		return;
	node->seen = true;
	node->parent = parent;
	if (last[parent - 1])
		walk->nodes[last[parent - 1] - 1].next = child;
	else
		walk->nodes[parent - 1].first = child;
	last[parent - 1] = child;
}

static void link_nodes(struct walk *walk)
{
	struct loom_pages *pages = import_pages(walk->import);
	const size_t size = walk->count * sizeof(uint32_t);
	uint32_t *last = loom_pages_take(pages, size);

	for (size_t i = 0; i < walk->count; i++) {
		const uint32_t n = walk->order[i];
		struct loom_jwalk kids =
			loom_jval_walk(loom_jval_get(walk->nodes[n - 1].object, "children"));
		struct loom_str kid;

		while (!kids.object && loom_jwalk_next(&kids, NULL, &kid)) {
			uint32_t child = find_node(walk, id_text(kid));

			if (child &&
			    loom_str_eq(id_text(loom_jval_get(walk->nodes[child - 1].object,
							      "parent")),
					walk->nodes[n - 1].id))
				hang(walk, n, child, last);
		}
	}
	for (size_t i = 0; i < walk->count; i++) {
		const uint32_t n = walk->order[i];
		uint32_t parent =
			find_node(walk,
				  id_text(loom_jval_get(walk->nodes[n - 1].object, "parent")));

		if (parent)
			hang(walk, parent, n, last);
	}
	loom_pages_return(pages, last, size);
}

/* Walks one tree from its root, down and up. Cycles are not reachable from any root. */
static enum loom_status walk_from(struct walk *walk, uint32_t root, struct loom_err *err)
{
	uint32_t n = root;
	enum loom_status status = LOOM_OK;

	while (n && status == LOOM_OK) {
		struct node *node = &walk->nodes[n - 1];

		go_down(walk, node);
		node->seen = false;
		status = put_node(walk, node, err);
		loom_arena_reset(import_scratch(walk->import));
		/* The walk does not follow the file, so progress counts nodes. */
		if (status == LOOM_OK)
			status = import_at(walk->import,
					   (size_t)((double)++walk->done / (double)walk->count *
						    (double)walk->size),
					   err);
		if (node->first) {
			n = node->first;
			continue;
		}
		while (n && n != root && !walk->nodes[n - 1].next) {
			go_up(walk, &walk->nodes[n - 1]);
			n = walk->nodes[n - 1].parent;
		}
		go_up(walk, &walk->nodes[n - 1]);
		n = n == root ? 0 : walk->nodes[n - 1].next;
	}
	return status;
}

static enum loom_status walk_all(struct walk *walk, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < walk->count && status == LOOM_OK; i++)
		if (!walk->nodes[walk->order[i] - 1].parent)
			status = walk_from(walk, walk->order[i], err);
	for (size_t i = 0; i < walk->count && status == LOOM_OK; i++) {
		const uint32_t n = walk->order[i];

		if (walk->nodes[n - 1].seen) {
			import_note(walk->import, IMPORT_REPAIRED,
				    "nodes in a cycle are now below the root");
			walk->nodes[n - 1].seen = false;
			walk->nodes[n - 1].parent = 0;
			walk->nodes[n - 1].first = 0;
			status = walk_from(walk, n, err);
		}
	}
	return status;
}

/* ---- the file ---- */

static bool recognise(const struct import_source *source)
{
	return source->json && loom_jval_type(loom_jval_get(import_member(source, "loomTree"),
							    "nodeStore")) == LOOM_JTYPE_OBJECT;
}

/* Nodes are numbered from 1 in every file; the root's creation time distinguishes files. */
static struct loom_str name_of(struct loom_import *import, const struct walk *walk)
{
	uint32_t root = find_node(walk, LOOM_STR("1"));
	struct loom_str time = {NULL, 0};

	if (root)
		time = loom_jval_get(walk->nodes[root - 1].object, "timestamp");
	return loom_jval_is_null(time) ? loom_str_make("", 0)
				       : loom_arena_format(import_scratch(import), "root of %.*s",
							   LOOM_STR_ARG(time));
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct import_fields within = {.where = "loomTree",
						    .used = "nodeStore:o root:o"};
	/* It repeats a node. */
	static const struct import_fields focus = {.where = "focus", .used = "id:s", .known = "*"};
	static const struct import_fields fields = {
		.where = "file",
		.used = "loomTree:o focus:o",
		.known = "samplerSettingsStore renderer lastUpdated"};
	struct import_tree tree = {.title = source->name, .mode = LOOM_BUFFER};
	struct walk walk = {.import = import, .size = source->text.n};
	struct import_mark current = {.kind = IMPORT_CURRENT};
	struct loom_buf rest = IMPORT_BUF(import);
	enum loom_status status;

	loom_buf_init_on(&walk.text, SIZE_MAX / 4, import_pages(import));
	loom_buf_init_on(&walk.undo, SIZE_MAX / 4, import_pages(import));
	gather(&walk, loom_jval_get(import_member(source, "loomTree"), "nodeStore"));
	link_nodes(&walk);
	tree.id = name_of(import, &walk);
	import_begin(import, &tree);
	import_rest(import, source->first, &fields, &rest);
	import_rest_as(import, "loomTree", import_member(source, "loomTree"), &within, &rest);
	(void)import_unsaid(import, import_member(source, "focus"), &focus);
	import_beside_tree(import, loom_buf_str(&rest));
	status = walk_all(&walk, err);
	current.id = import_text(import, import_member(source, "focus"), "id");
	if (status == LOOM_OK && current.id.n)
		status = import_mark(import, &current, err);
	loom_buf_fini(&rest);
	loom_buf_fini(&walk.text);
	loom_buf_fini(&walk.undo);
	loom_pages_return(import_pages(import), walk.nodes, walk.index.count * sizeof *walk.nodes);
	loom_pages_return(import_pages(import), walk.order, walk.index.count * sizeof *walk.order);
	import_index_fini(&walk.index);
	return status;
}

const struct import_reader import_miniloom = {
	.name = "miniloom",
	.title = "miniloom and minihf (patches)",
	.recognise = recognise,
	.read = read,
};
