/* Looms whose files are flat maps of nodes: exoloom (schema 1), OpenLoom 1.0, and webloom, which
 * may name several parents. One row of names describes the differences. */
#include <loom/import/reader_kit.h>

/* The names that a format uses. */
struct words {
	const char *text;
	const char *parent; /* a string, a number, or a list of them */
	const char *author; /* a name */
	const char *kind;   /* says human or model */
	const char *created;
	const char *model;
	const char *bookmarked;
	const char *label;
	struct import_fields fields;
};

enum { TEXT, PARENT, AUTHOR, KIND, CREATED, MODEL, BOOKMARKED, LABEL, CHILDREN, ID, KEYS };

static bool says_one_of(struct loom_str value, const char *words)
{
	struct loom_str rest = loom_str_of(words);
	struct loom_str word;

	if (loom_jval_type(value) != LOOM_JTYPE_STRING || value.n < 2)
		return false;
	value = loom_str_sub(value, 1, value.n - 2);
	while (loom_str_cut(&rest, ' ', &word))
		if (loom_str_eq_fold(value, word))
			return true;
	return false;
}

static enum import_role role_of(struct loom_str kind, bool has_model)
{
	if (says_one_of(kind, "user human prompt me owner you"))
		return IMPORT_HUMAN;
	if (says_one_of(kind, "llm ai model assistant gen generated base"))
		return IMPORT_MODEL;
	if (says_one_of(kind, "system"))
		return IMPORT_SYSTEM;
	return has_model ? IMPORT_MODEL : IMPORT_UNKNOWN;
}

/* Reads a string or a number as an id. */
static struct loom_str id_of(struct loom_import *import, struct loom_str value)
{
	return loom_jval_type(value) == LOOM_JTYPE_NUMBER ? value : import_string(import, value);
}

static enum loom_status put_places(struct loom_import *import, struct loom_str children,
				   struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(children);
	struct loom_str child;
	enum loom_status status = LOOM_OK;

	for (int64_t i = 0;
	     !walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &child); i++) {
		struct import_mark mark = {.id = id_of(import, child),
					   .kind = IMPORT_PLACE,
					   .number = i};

		if (mark.id.n)
			status = import_mark(import, &mark, err);
		else if (!loom_jval_is_null(child))
			import_note(import, IMPORT_LOST, "a child that is not an id");
	}
	return status;
}

/* The first parent becomes the parent; the others become links. */
static enum loom_status put_parents(struct loom_import *import, struct import_node *node,
				    struct loom_str value, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str parent;
	enum loom_status status = LOOM_OK;

	if (loom_jval_type(value) != LOOM_JTYPE_ARRAY) {
		node->parent = id_of(import, value);
		return LOOM_OK;
	}
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &parent)) {
		struct import_mark link = {.id = node->id,
					   .kind = IMPORT_LINK,
					   .to = id_of(import, parent),
					   .text = LOOM_STR_INIT("another parent")};

		if (!link.to.n && !loom_jval_is_null(parent))
			import_note(import, IMPORT_LOST, "a parent that is not an id");
		else if (node->parent.n)
			status = import_mark(import, &link, err);
		else
			node->parent = link.to;
	}
	return status;
}

static enum loom_status put_node(struct loom_import *import, const struct words *words,
				 struct loom_str id, struct loom_str object, struct loom_err *err)
{
	const char *const names[KEYS] = {words->text,       words->parent,
					 words->author,     words->kind,
					 words->created,    words->model,
					 words->bookmarked, words->label,
					 "childrenIds",     "id"};
	struct loom_str v[KEYS];
	struct loom_buf rest = IMPORT_BUF(import);
	struct import_node node = {.id = id};
	enum loom_status status;

	import_pick(object, names, KEYS, v);
	if (!node.id.n)
		node.id = id_of(import, v[ID]);
	node.text = import_string(import, v[TEXT]);
	node.author = import_string(import, v[AUTHOR]);
	node.model = import_string(import, v[MODEL]);
	node.created = import_time(import, v[CREATED]);
	node.bookmarked = loom_str_is(v[BOOKMARKED], "true");
	node.label = import_string(import, v[LABEL]);
	node.role = role_of(v[KIND], node.model.n > 0);
	if (words->kind == words->author && node.role != IMPORT_UNKNOWN)
		node.author = LOOM_STR("");
	status = put_parents(import, &node, v[PARENT], err);
	loom_buf_addc(&rest, '{');
	import_rest(import, object, &words->fields, &rest);
	import_keep_id(import, "node", node.id, id_of(import, v[ID]), &rest);
	if (import_is_odd(import, "node", object, "o")) {
		loom_buf_adds(&rest, "\"node\":");
		import_keep(import, object, &rest);
	}
	loom_buf_addc(&rest, '}');
	node.extra = loom_buf_str(&rest);
	if (status == LOOM_OK)
		status = import_node(import, &node, err);
	loom_buf_fini(&rest);
	return status == LOOM_OK ? put_places(import, v[CHILDREN], err) : status;
}

static enum loom_status put_nodes(struct loom_import *import, const struct import_source *source,
				  const struct words *words, struct loom_str nodes,
				  struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(nodes);
	struct loom_str key;
	struct loom_str node;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && loom_jwalk_next(&walk, &key, &node)) {
		struct loom_str id = walk.object ? import_string(import, key) : LOOM_STR("");

		status = put_node(import, words, id, node, err);
		loom_arena_reset(import_scratch(import));
		if (status == LOOM_OK)
			status = import_at(import, (size_t)(node.p - source->text.p), err);
	}
	return status;
}

static void note_rest(struct loom_import *import, struct loom_str object, const char *where,
		      const char *used)
{
	const struct import_fields fields = {.where = where, .used = used};
	struct loom_buf rest = IMPORT_BUF(import);

	import_rest(import, object, &fields, &rest);
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
}

static enum loom_status put_current(struct loom_import *import, struct loom_str value,
				    struct loom_err *err)
{
	struct import_mark mark = {.id = id_of(import, value), .kind = IMPORT_CURRENT};

	return mark.id.n ? import_mark(import, &mark, err) : LOOM_OK;
}

static enum loom_status put_root(struct loom_import *import, struct loom_str value,
				 struct loom_err *err)
{
	struct import_mark mark = {.id = id_of(import, value), .kind = IMPORT_ROOT};

	return mark.id.n ? import_mark(import, &mark, err) : LOOM_OK;
}

/* ---- exoloom ---- */

static const struct words exoloom_words = {
	.text = "content",
	.parent = "parentId",
	.author = "authorName",
	.kind = "authorType",
	.created = "createdAt",
	.model = "model",
	.bookmarked = "bookmarked",
	.label = "bookmarkTitle",
	.fields = {.where = "node",
		   .used = "id:sn content:s parentId:sna authorName:s authorType:s createdAt:ns "
			   "model:s bookmarked:b bookmarkTitle:s childrenIds:a"},
};

static bool recognise_exoloom(const struct import_source *source)
{
	return source->json && import_has(source, "loomType", LOOM_JTYPE_STRING) &&
	       import_has(source, "tree", LOOM_JTYPE_OBJECT);
}

static enum loom_status put_lens(struct loom_import *import, struct loom_str list,
				 enum import_mark_kind kind, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;
	enum loom_status status = LOOM_OK;

	while (!walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &item)) {
		const bool object = loom_jval_type(item) == LOOM_JTYPE_OBJECT;
		struct import_mark mark = {
			.id = id_of(import, object ? loom_jval_get(item, "nodeId") : item),
			.kind = kind,
			.text = object ? import_text(import, item, "title") : LOOM_STR(""),
		};

		if (mark.id.n)
			status = import_mark(import, &mark, err);
	}
	return status;
}

/* Notes unknown members of the items of such a list. */
static void note_items(struct loom_import *import, struct loom_str list, const char *what,
		       const char *used)
{
	const struct import_fields fields = {.where = what, .used = used};
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_buf inside = IMPORT_BUF(import);
	struct loom_buf key = IMPORT_BUF(import);
	struct loom_str item;
	struct loom_str id;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &item)) {
		loom_buf_clear(&inside);
		import_rest(import, item, &fields, &inside);
		if (import_is_odd(import, what, item, "sno")) {
			loom_buf_adds(&inside, "\"item\":");
			import_keep(import, item, &inside);
		}
		if (!inside.n)
			continue;
		loom_buf_clear(&key);
		id = id_of(import, loom_jval_get(item, "nodeId"));
		loom_json_quote(loom_arena_format(import_scratch(import), "%s%s%.*s", what,
						  id.n ? " of " : "", LOOM_STR_ARG(id)),
				&key);
		import_beside_tree(import,
				   loom_arena_format(import_scratch(import), "%s:{%s}",
						     loom_buf_cstr(&key), loom_buf_cstr(&inside)));
		loom_arena_reset(import_scratch(import));
	}
	loom_buf_fini(&key);
	loom_buf_fini(&inside);
}

static enum loom_status read_exoloom(struct loom_import *import, const struct import_source *source,
				     struct loom_err *err)
{
	struct loom_str object = import_member(source, "tree");
	struct loom_str lens = import_member(source, "lens");
	struct import_tree tree = {
		.id = id_of(import, loom_jval_get(object, "id")),
		.title = import_text(import, object, "title"),
		.mode = LOOM_BUFFER,
		.created = import_time(import, loom_jval_get(object, "createdAt")),
	};
	int64_t version = 0;
	enum loom_status status;

	if (!loom_jval_int(import_member(source, "schemaVersion"), &version) || version != 1)
		import_note(import, IMPORT_LOST, "a schema newer than 1, read as schema 1");
	if (!tree.title.n)
		tree.title = source->name;
	import_begin(import, &tree);
	status = put_nodes(import, source, &exoloom_words, loom_jval_get(object, "nodes"), err);
	if (status == LOOM_OK)
		status = put_lens(import, loom_jval_get(lens, "bookmarks"), IMPORT_BOOKMARK, err);
	if (status == LOOM_OK)
		status = put_lens(import, loom_jval_get(lens, "prunedNodes"), IMPORT_PRUNE, err);
	if (status == LOOM_OK)
		status = put_root(import, loom_jval_get(object, "rootNodeId"), err);
	if (status == LOOM_OK)
		status = put_current(import, loom_jval_get(lens, "currentNodeId"), err);
	note_rest(import, source->first, "file", "loomType:s schemaVersion:n tree:o lens:o");
	note_rest(import, object, "tree", "id:sn title:s createdAt:ns rootNodeId:sn nodes:ao");
	note_rest(import, lens, "lens", "bookmarks:a prunedNodes:a currentNodeId:sn");
	note_items(import, loom_jval_get(lens, "bookmarks"), "bookmark", "nodeId:sn title:s");
	note_items(import, loom_jval_get(lens, "prunedNodes"), "pruned", "nodeId:sn");
	return status;
}

const struct import_reader import_exoloom = {
	.name = "exoloom",
	.title = "exoloom, schema 1",
	.recognise = recognise_exoloom,
	.read = read_exoloom,
};

/* ---- OpenLoom ---- */

static const struct words openloom_words = {
	.text = "text",
	.parent = "parentId",
	.author = "author",
	.kind = "author",
	.created = "createdTime",
	.model = "modelId",
	.bookmarked = "isBookmarked",
	.label = "bookmarkTitle",
	.fields = {.where = "node",
		   .used = "id:sn text:s parentId:sna author:s createdTime:ns modelId:s "
			   "isBookmarked:b bookmarkTitle:s childrenIds:a",
		   .known = "rememberedChildId"},
};

static bool recognise_openloom(const struct import_source *source)
{
	return source->json && import_has(source, "rootNodeId", LOOM_JTYPE_NONE) &&
	       import_has(source, "nodes", LOOM_JTYPE_NONE);
}

static bool is_one(struct loom_str version)
{
	double number = 0;

	return loom_jval_is_null(version) || loom_jval_says(version, LOOM_STR("1.0")) ||
	       loom_jval_says(version, LOOM_STR("1")) ||
	       (loom_jval_real(version, &number) && number == 1);
}

static enum loom_status read_openloom(struct loom_import *import,
				      const struct import_source *source, struct loom_err *err)
{
	struct import_tree tree = {
		.id = id_of(import, import_member(source, "id")),
		.title = import_string(import, import_member(source, "title")),
		.mode = LOOM_BUFFER,
		.created = import_time(import, import_member(source, "createdTime")),
	};
	enum loom_status status;

	if (!tree.title.n)
		tree.title = import_string(import, import_member(source, "name"));
	if (!tree.title.n)
		tree.title = source->name;
	if (!tree.id.n)
		tree.id = id_of(import, import_member(source, "rootNodeId"));
	if (!is_one(import_member(source, "version")))
		import_note(import, IMPORT_LOST, "a version other than 1.0, read as 1.0");
	import_begin(import, &tree);
	status = put_nodes(import, source, &openloom_words, import_member(source, "nodes"), err);
	if (status == LOOM_OK)
		status = put_root(import, import_member(source, "rootNodeId"), err);
	if (status == LOOM_OK)
		status = put_current(import, import_member(source, "currentNodeId"), err);
	note_rest(import, source->first, "file",
		  "id:sn title:s name:s rootNodeId:sn currentNodeId:sn nodes:ao createdTime:ns "
		  "version:ns");
	return status;
}

const struct import_reader import_openloom = {
	.name = "openloom",
	.title = "OpenLoom 1.0",
	.recognise = recognise_openloom,
	.read = read_openloom,
};

/* ---- webloom ---- */

/* Older files name `parent` differently. */
static const struct words webloom_words = {
	.text = "text",
	.author = "author",
	.kind = "type",
	.created = "created_at",
	.model = "model",
	.bookmarked = "bookmarked",
	.label = "title",
	.fields = {.where = "node",
		   .used = "id:sn text:s parent_id:sna parent_ids:sna author:s type:s "
			   "created_at:ns model:s bookmarked:b title:s",
		   .known = "x y width height position sampler children childrenIds"},
};

static struct loom_str first_node(const struct import_source *source)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "nodes"));
	struct loom_str node;

	return loom_jwalk_next(&walk, NULL, &node) ? node : loom_str_make(NULL, 0);
}

static bool recognise_webloom(const struct import_source *source)
{
	struct loom_str node = first_node(source);

	return source->json && loom_jval_get(node, "text").p &&
	       (loom_jval_get(node, "parent_ids").p || loom_jval_get(node, "parent_id").p);
}

static enum loom_status read_webloom(struct loom_import *import, const struct import_source *source,
				     struct loom_err *err)
{
	struct words words = webloom_words;
	struct import_tree tree = {
		.id = id_of(import, import_member(source, "id")),
		.title = import_string(import, import_member(source, "title")),
		.mode = LOOM_BUFFER,
	};
	enum loom_status status;

	if (!tree.title.n)
		tree.title = source->name;
	words.parent =
		loom_jval_get(first_node(source), "parent_ids").p ? "parent_ids" : "parent_id";
	import_begin(import, &tree);
	status = put_nodes(import, source, &words, import_member(source, "nodes"), err);
	note_rest(import, source->first, "file", "id:sn title:s nodes:ao");
	return status;
}

const struct import_reader import_webloom = {
	.name = "webloom",
	.title = "wool and webloom",
	.recognise = recognise_webloom,
	.read = read_webloom,
};
