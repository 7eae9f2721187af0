/* Loomsidian: the export of one note, or the plugin's data.json with all notes of a vault, whose
 * settings are never read, because they contain API keys. Several roots are allowed. There are no
 * times and no authors; forks of the plugin have an author, and `value` instead of `text`. */
#include <loom/import/reader_kit.h>

enum key { ID, TEXT, VALUE, PARENT, AUTHOR, MODEL, BOOKMARKED, KEYS };

static const char *const keys[KEYS] = {"id",     "text",  "value",     "parentId",
				       "author", "model", "bookmarked"};

static bool is_note(struct loom_str value)
{
	struct loom_str nodes = loom_jval_get(value, "nodes");
	struct loom_jwalk walk = loom_jval_walk(nodes);
	struct loom_str node;

	if (loom_jval_is_null(loom_jval_get(value, "current")) &&
	    loom_jval_type(loom_jval_get(value, "hoisted")) != LOOM_JTYPE_ARRAY)
		return false;
	if (loom_jval_type(nodes) != LOOM_JTYPE_OBJECT && loom_jval_type(nodes) != LOOM_JTYPE_ARRAY)
		return false;
	if (!loom_jwalk_next(&walk, NULL, &node))
		return loom_jval_type(loom_jval_get(value, "hoisted")) == LOOM_JTYPE_ARRAY;
	return loom_jval_get(node, "parentId").p &&
	       (loom_jval_get(node, "text").p || loom_jval_get(node, "value").p);
}

static bool recognise(const struct import_source *source)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "state"));
	struct loom_str note;

	if (!source->json)
		return false;
	if (!walk.object)
		return is_note(source->first);
	while (loom_jwalk_next(&walk, NULL, &note))
		if (is_note(note))
			return true;
	return false;
}

static enum loom_status put_node(struct loom_import *import, struct loom_str id,
				 struct loom_str object, struct loom_err *err)
{
	static const struct import_fields fields = {
		.where = "node",
		.used = "id:sn text:s value:s parentId:s author:s model:s bookmarked:b",
		.known = "collapsed unread lastVisited searchResultState color children",
	};
	struct loom_str v[KEYS];
	struct loom_buf rest = IMPORT_BUF(import);
	struct import_node node = {.id = id};
	struct loom_str within = loom_jval_get(object, "id");
	enum loom_status status;

	import_pick(object, keys, KEYS, v);
	node.parent = import_string(import, v[PARENT]);
	node.text = import_string(import, loom_jval_is_null(v[TEXT]) ? v[VALUE] : v[TEXT]);
	node.author = import_string(import, v[AUTHOR]);
	node.model = import_string(import, v[MODEL]);
	node.bookmarked = loom_str_is(v[BOOKMARKED], "true");
	if (loom_str_is(node.author, "genesis") || loom_str_is(node.author, "N/A"))
		node.author = LOOM_STR("");
	node.role = node.author.n || node.model.n ? IMPORT_MODEL : IMPORT_UNKNOWN;
	loom_buf_addc(&rest, '{');
	import_rest(import, object, &fields, &rest);
	if (loom_jval_type(within) != LOOM_JTYPE_NUMBER)
		within = import_string(import, within);
	import_keep_id(import, "node", id, within, &rest);
	if (import_is_odd(import, "node", object, "o")) {
		loom_buf_adds(&rest, "\"node\":");
		import_keep(import, object, &rest);
	}
	loom_buf_addc(&rest, '}');
	node.extra = loom_buf_str(&rest);
	status = import_node(import, &node, err);
	loom_buf_fini(&rest);
	return status;
}

static struct loom_str id_of(struct loom_import *import, bool keyed, struct loom_str key,
			     struct loom_str node)
{
	return keyed ? import_string(import, key) : import_text(import, node, "id");
}

/* The first node without a parent identifies the note, wherever it is in the vault. */
static struct loom_str first_root(struct loom_import *import, struct loom_str nodes)
{
	struct loom_jwalk walk = loom_jval_walk(nodes);
	struct loom_str key;
	struct loom_str node;

	while (loom_jwalk_next(&walk, &key, &node))
		if (loom_jval_is_null(loom_jval_get(node, "parentId")))
			return id_of(import, walk.object, key, node);
	return LOOM_STR("");
}

static struct loom_str title_of(struct loom_str path)
{
	if (loom_str_ends(path, LOOM_STR(".md")))
		path.n -= 3;
	return path;
}

static void note_state(struct loom_import *import, struct loom_str note)
{
	static const struct import_fields fields = {.where = "note",
						    .used = "current:s nodes:ao",
						    .known = "hoisted searchTerm generating"};
	struct loom_buf rest = IMPORT_BUF(import);

	import_rest(import, note, &fields, &rest);
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
}

static enum loom_status read_note(struct loom_import *import, const struct import_source *source,
				  struct loom_str title, struct loom_str note, struct loom_err *err)
{
	struct loom_str nodes = loom_jval_get(note, "nodes");
	struct loom_jwalk walk = loom_jval_walk(nodes);
	struct import_tree tree = {.id = first_root(import, nodes),
				   .title = title_of(title),
				   .mode = LOOM_BUFFER};
	struct import_mark current = {.id = import_text(import, note, "current"),
				      .kind = IMPORT_CURRENT};
	struct loom_str key;
	struct loom_str node;
	enum loom_status status = LOOM_OK;

	import_begin(import, &tree);
	note_state(import, note);
	while (status == LOOM_OK && loom_jwalk_next(&walk, &key, &node)) {
		status = put_node(import, id_of(import, walk.object, key, node), node, err);
		if (status == LOOM_OK)
			status = import_at(import, (size_t)(node.p - source->text.p), err);
	}
	current.id = import_text(import, note, "current");
	return status == LOOM_OK && current.id.n ? import_mark(import, &current, err) : status;
}

/* Keeps the vault's other members with its first note. */
static void keep_file(struct loom_import *import, const struct import_source *source)
{
	static const struct import_fields fields = {.where = "file", .used = "state:o settings:o"};
	struct loom_buf rest = IMPORT_BUF(import);

	import_rest(import, source->first, &fields, &rest);
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "state"));
	struct loom_str path;
	struct loom_str note;
	bool kept = false;
	enum loom_status status = LOOM_OK;

	if (!walk.object)
		return read_note(import, source, source->name, source->first, err);
	if (import_has(source, "settings", LOOM_JTYPE_OBJECT))
		import_note(import, IMPORT_SECRET, "the plugin's settings, which contain keys");
	while (status == LOOM_OK && loom_jwalk_next(&walk, &path, &note)) {
		loom_arena_reset(import_scratch(import));
		status = read_note(import, source, import_string(import, path), note, err);
		if (!kept && loom_jval_count(loom_jval_get(note, "nodes"))) {
			keep_file(import, source);
			kept = true;
		}
	}
	return status;
}

const struct import_reader import_loomsidian = {
	.name = "loomsidian",
	.title = "Loomsidian: the export of a note, or the plugin's data.json",
	.recognise = recognise,
	.read = read,
};
