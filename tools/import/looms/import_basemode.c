/* basemode-loom (its export, or the rows of its database) and bonsai: flat lists of nodes, each a
 * segment of text. Invariants: bookmarks, flags, ratings and hidden nodes become marks; strategy
 * and sampling are the node's record; a context, which stands above a tree's text, is its system
 * prompt. */
#include <loom/formats/chats_kit.h>

enum {
	TO_TEXT = CHATS_OWN,
	TO_KIND,
	TO_STRATEGY,
	TO_TOKENS,
	TO_HEAT,
	TO_META,
	TO_BOOKMARKED,
	TO_HIDDEN,
	TO_RATING,
	TO_FLAGGED,
	TO_GENERATION,
};

static const struct import_key basemode_keys[] = {
	{"id", "s", CHATS_ID, false},           {"parent_id", "s", CHATS_PARENT, false},
	{"text", "s", TO_TEXT, false},          {"kind", "s", TO_KIND, true},
	{"model", "s", CHATS_MODEL, false},     {"created_at", "ns", CHATS_CREATED, false},
	{"strategy", "s", TO_STRATEGY, false},  {"max_tokens", "n", TO_TOKENS, false},
	{"temperature", "n", TO_HEAT, false},   {"metadata", "o", TO_META, false},
	{"metadata_json", "o", TO_META, false},
};
static const struct import_fields basemode_fields = {
	.where = "node",
	.known = "row tree_id root_id context_id branch_index checked_out generation_id",
	IMPORT_KEYS(basemode_keys),
};
static const struct import_key bonsai_keys[] = {
	{"id", "sn", CHATS_ID, false},
	{"parentIds", "a", CHATS_PARENT, true},
	{"text", "s", TO_TEXT, false},
	{"model", "s", CHATS_MODEL, false},
	{"type", "s", TO_KIND, true},
	{"createdAt", "ns", CHATS_CREATED, false},
	{"bookmarked", "b", TO_BOOKMARKED, false},
	{"hidden", "b", TO_HIDDEN, false},
	{"rating", "n", TO_RATING, false},
	{"metadata", "o", TO_META, false},
};
static const struct import_fields bonsai_fields = {
	.where = "node",
	.known = "generationId childIds position updatedAt logprobs",
	IMPORT_KEYS(bonsai_keys),
};
static const struct import_key mark_keys[] = {
	{"bookmarked", "b", TO_BOOKMARKED, false},   {"hidden", "b", TO_HIDDEN, false},
	{"rating", "n", TO_RATING, false},           {"flagged", "b", TO_FLAGGED, false},
	{"generation_id", "s", TO_GENERATION, true},
};
static const struct import_fields mark_fields = {
	.where = "metadata",
	.known = "boundary seam usage duration image images named_from flag_reason flagged_at "
		 "finish_reason provider",
	IMPORT_KEYS(mark_keys),
};

static struct loom_str first_node(const struct import_source *source)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "nodes"));
	struct loom_str node = {NULL, 0};

	if (!walk.object)
		(void)!loom_jwalk_next(&walk, NULL, &node);
	return node;
}

static bool is_rows(const struct import_source *source)
{
	return source->lines &&
	       loom_jval_says(import_member(source, "database"), LOOM_STR("basemode"));
}

static bool recognise_basemode(const struct import_source *source)
{
	struct loom_str node = first_node(source);

	return is_rows(source) ||
	       (source->json && loom_jval_get(node, "parent_id").p &&
		(loom_jval_get(node, "root_id").p || loom_jval_get(node, "tree_id").p));
}

static bool recognise_bonsai(const struct import_source *source)
{
	struct loom_str node = first_node(source);

	return source->json && loom_jval_get(node, "text").p &&
	       loom_jval_type(loom_jval_get(node, "parentIds")) == LOOM_JTYPE_ARRAY;
}

/* ---- a node ---- */

static struct loom_str id_of(struct loom_import *import, struct loom_str value)
{
	return loom_jval_type(value) == LOOM_JTYPE_NUMBER ? value : import_string(import, value);
}

/* Of several parents the first is continued, and the others are linked. */
static enum loom_status hang(struct chats *chat, struct loom_str parent, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(parent);
	struct import_mark link = {.id = chat->node.id, .kind = IMPORT_LINK};
	struct loom_str value;
	enum loom_status status = LOOM_OK;

	if (loom_jval_type(parent) != LOOM_JTYPE_ARRAY) {
		chat->node.parent = id_of(chat->import, parent);
		return LOOM_OK;
	}
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &value)) {
		link.to = id_of(chat->import, value);
		if (!chat->node.parent.n)
			chat->node.parent = link.to;
		else if (link.to.n && link.id.n)
			status = import_mark(chat->import, &link, err);
	}
	return status;
}

static enum loom_status put_marks(struct chats *chat, const struct loom_str values[IMPORT_TO_MAX],
				  struct loom_err *err)
{
	const struct loom_str id = chat->node.id;
	struct import_mark rated = {.id = id, .kind = IMPORT_RATED};
	double rating = 0;
	enum loom_status status = LOOM_OK;

	if (chats_true(values[TO_BOOKMARKED]))
		chat->node.bookmarked = true;
	if (chats_true(values[TO_HIDDEN]))
		chat->node.pruned = true;
	if (chats_true(values[TO_FLAGGED]))
		status = chats_mark(chat->import, id, IMPORT_TAG, LOOM_STR("flagged"), err);
	if (loom_jval_real(values[TO_RATING], &rating) && rating != 0)
		rated.number = rating > 0 ? 1 : -1;
	if (status == LOOM_OK && rated.number && id.n)
		status = import_mark(chat->import, &rated, err);
	if (rated.number != rating)
		chats_keep(chat, "rating", values[TO_RATING]);
	return status;
}

static void take_context(struct chats *chat, struct loom_str text, struct loom_str object,
			 const struct import_fields *fields)
{
	const struct import_tree tree = {.system = import_string(chat->import, text)};
	struct loom_buf rest = IMPORT_BUF(chat->import);

	if (!chat->current.n) {
		chat->current = LOOM_STR("taken");
		import_retitle(chat->import, &tree);
		import_rest_as(chat->import, "context", object, fields, &rest);
		import_beside_tree(chat->import, loom_buf_str(&rest));
	} else {
		loom_buf_adds(&rest, "\"context\":");
		import_keep(chat->import, object, &rest);
		import_beside_tree(chat->import, loom_buf_str(&rest));
	}
	loom_buf_fini(&rest);
}

static enum loom_status put_node(struct chats *chat, struct loom_str object,
				 const struct import_fields *fields, struct loom_err *err)
{
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str marks[IMPORT_TO_MAX];
	struct import_node *node = &chat->node;
	enum loom_status status;

	chats_begin(chat);
	import_take(object, fields, values);
	if (loom_jval_says(values[TO_KIND], LOOM_STR("context"))) {
		take_context(chat, values[TO_TEXT], object, fields);
		return LOOM_OK;
	}
	import_take(values[TO_META], &mark_fields, marks);
	for (size_t i = TO_BOOKMARKED; i <= TO_FLAGGED; i++)
		if (loom_jval_is_null(values[i]))
			values[i] = marks[i];
	node->id = id_of(chat->import, values[CHATS_ID]);
	node->model = import_string(chat->import, values[CHATS_MODEL]);
	node->role = node->model.n ? IMPORT_MODEL : IMPORT_UNKNOWN;
	node->created = import_time(chat->import, values[CHATS_CREATED]);
	loom_buf_add(&chat->text, import_string(chat->import, values[TO_TEXT]));
	chats_record(chat, "strategy", values[TO_STRATEGY]);
	chats_record(chat, "max_tokens", values[TO_TOKENS]);
	chats_record(chat, "temperature", values[TO_HEAT]);
	chats_rest(chat, object, fields);
	import_rest_as(chat->import, "metadata", values[TO_META], &mark_fields, &chat->inner);
	status = hang(chat, values[CHATS_PARENT], err);
	if (status == LOOM_OK)
		status = put_marks(chat, values, err);
	return status == LOOM_OK ? chats_end(chat, err) : status;
}

/* ---- a tree ---- */

static const struct import_key tree_keys[] = {
	{"id", "s", CHATS_ID, false},
	{"root_id", "s", CHATS_ID, false},
	{"name", "s", CHATS_TITLE, false},
	{"title", "s", CHATS_TITLE, false},
	{"created_at", "ns", CHATS_CREATED, false},
	{"current_node_id", "s", CHATS_CURRENT, false},
};
static const struct import_fields tree_fields = {
	.where = "tree",
	.known = "row version show_model_names rewind_split_tokens global_max_tokens "
		 "global_n_branches model_plan model_plan_json updated_at metadata metadata_json "
		 "archived format nodes",
	IMPORT_KEYS(tree_keys),
};

static void begin_tree(struct chats *chat, struct loom_str object, struct loom_str *current)
{
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_buf rest = IMPORT_BUF(chat->import);
	struct import_fields fields = tree_fields;
	struct import_tree tree = {.id = {NULL, 0}};

	import_take(object, &fields, values);
	chats_tree(chat, values, &tree);
	tree.mode = LOOM_BUFFER;
	import_begin(chat->import, &tree);
	chat->current = LOOM_STR("");
	*current = values[CHATS_CURRENT];
	fields.used = "nodes:a";
	import_rest(chat->import, object, &fields, &rest);
	import_beside_tree(chat->import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
}

static enum loom_status end_tree(struct chats *chat, struct loom_str current, struct loom_err *err)
{
	return chats_mark(chat->import, import_string(chat->import, current), IMPORT_CURRENT,
			  LOOM_STR(""), err);
}

static enum loom_status read_list(struct chats *chat, const struct import_source *source,
				  const struct import_fields *fields, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "nodes"));
	struct loom_str node;
	struct loom_str current;
	enum loom_status status = LOOM_OK;

	begin_tree(chat, source->first, &current);
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &node)) {
		status = import_here(chat->import, node, err);
		if (status == LOOM_OK && loom_jval_type(node) == LOOM_JTYPE_OBJECT)
			status = put_node(chat, node, fields, err);
		else if (status == LOOM_OK)
			import_note(chat->import, IMPORT_LOST, "node that is not an object");
	}
	return status == LOOM_OK ? end_tree(chat, current, err) : status;
}

static enum loom_status read_rows(struct chats *chat, struct loom_str text, struct loom_err *err)
{
	struct chats_lines lines;
	struct loom_str row;
	struct loom_str current = {NULL, 0};
	bool begun = false;
	enum loom_status status = LOOM_OK;

	chats_lines(&lines, chat->import, text);
	for (;;) {
		status = chats_line(&lines, &row, err);
		if (status != LOOM_OK || !row.p)
			break;
		if (loom_jval_says(loom_jval_get(row, "row"), LOOM_STR("tree"))) {
			status = end_tree(chat, current, err);
			begin_tree(chat, row, &current);
			begun = true;
		} else if (loom_jval_get(row, "row").p) {
			if (!begun) /* its tree is missing, or comes later */
				begin_tree(chat, LOOM_STR("{}"), &current);
			begun = true;
			status = put_node(chat, row, &basemode_fields, err);
		}
		if (status != LOOM_OK)
			return status;
	}
	return status == LOOM_OK ? end_tree(chat, current, err) : status;
}

static enum loom_status read_basemode(struct loom_import *import,
				      const struct import_source *source, struct loom_err *err)
{
	struct chats chat;
	enum loom_status status;

	chats_init(&chat, import);
	status = source->lines ? read_rows(&chat, source->text, err)
			       : read_list(&chat, source, &basemode_fields, err);
	chats_fini(&chat);
	return status;
}

static enum loom_status read_bonsai(struct loom_import *import, const struct import_source *source,
				    struct loom_err *err)
{
	struct chats chat;
	enum loom_status status;

	chats_init(&chat, import);
	status = read_list(&chat, source, &bonsai_fields, err);
	chats_fini(&chat);
	return status;
}

static const struct loom_foreign_query queries[] = {
	{"tree", NULL, "SELECT * FROM trees ORDER BY created_at, id",
	 "model_plan_json metadata_json", 0},
	{"node", NULL, "SELECT * FROM nodes WHERE tree_id = ?1 ORDER BY created_at, rowid",
	 "metadata_json", 1},
};
static const struct import_database database = {
	.needs = "trees.current_node_id nodes.tree_id nodes.strategy",
	.queries = queries,
	.count = LOOM_COUNT(queries),
};

const struct import_reader import_basemode = {
	.name = "basemode",
	.title = "basemode-loom: an export, or the database",
	.recognise = recognise_basemode,
	.read = read_basemode,
	.database = &database,
	.places = "$XDG_DATA_HOME/basemode .local/share/basemode",
};

const struct import_reader import_bonsai = {
	.name = "bonsai",
	.title = "bonsai",
	.recognise = recognise_bonsai,
	.read = read_bonsai,
};
