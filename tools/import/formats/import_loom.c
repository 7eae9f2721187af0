/* loom's own export (see export_json.c): every tree is restored as it was, including ids and names
 * that are still free. */
#include <loom/base/hash.h>

#include <loom/import/reader_kit.h>
#include <loom/grove/seal_list.h>

static bool recognise(const struct import_source *source)
{
	struct loom_str says = import_member(source, "loom");

	return source->json && loom_str_is(says, "\"export\"") &&
	       import_has(source, "version", LOOM_JTYPE_NUMBER);
}

static bool read_ulid(struct loom_import *import, struct loom_str value, struct loom_ulid *out)
{
	return loom_ulid_parse(import_string(import, value), out);
}

static bool is_true(struct loom_str value)
{
	return loom_str_is(value, "true");
}

/* Reads text, or bytes under "…_base64url". */
static struct loom_str read_bytes(struct loom_import *import, struct loom_str plain,
				  struct loom_str coded)
{
	struct loom_buf bytes = IMPORT_BUF(import);
	struct loom_str out = import_string(import, plain);

	if (!loom_jval_is_null(coded) && loom_unbase64url(import_string(import, coded), &bytes))
		out = loom_arena_buf(import_scratch(import), &bytes);
	loom_buf_fini(&bytes);
	return out;
}

/* ---- nodes ---- */

enum key {
	ULID,
	ID,
	PARENT,
	BORN,
	PLACE,
	KIND,
	EDITED,
	AS,
	AUTHOR,
	CREATED,
	TEXT,
	BOOKMARK,
	PRUNED,
	EXCLUDED,
	UNSEAMED,
	SUMMARY,
	EXTRACT,
	TAGS,
	LINKS,
	GENERATION,
	RAW,
	RAW_CODED,
	ORIGINAL,
	ORIGINAL_CODED,
	EXTRA,
	HASH,
	PARENTS,
	CLAIM,
	KEYS
};

static const char *const node_keys[KEYS] = {
	[ULID] = "ulid",
	[ID] = "id",
	[PARENT] = "parent",
	[BORN] = "born",
	[PLACE] = "place",
	[KIND] = "kind",
	[EDITED] = "edited_from",
	[AS] = "as",
	[AUTHOR] = "author",
	[CREATED] = "created",
	[TEXT] = "text",
	[BOOKMARK] = "bookmark",
	[PRUNED] = "pruned",
	[EXCLUDED] = "excluded",
	[UNSEAMED] = "unseamed",
	[SUMMARY] = "summary",
	[EXTRACT] = "extract",
	[TAGS] = "tags",
	[LINKS] = "links",
	[GENERATION] = "generation",
	[RAW] = "raw",
	[RAW_CODED] = "raw_base64url",
	[ORIGINAL] = "original",
	[ORIGINAL_CODED] = "original_base64url",
	[EXTRA] = "extra",
	[HASH] = "hash",
	[PARENTS] = "parents",
	[CLAIM] = "claim",
};
#define NODE_USED                                                                                  \
	"ulid:s id:s parent:s born:s place:n kind:s edited_from:s as:s author:s created:ns "       \
	"text:s bookmark:bs pruned:b excluded:b unseamed:b summary:s extract:b tags:a links:a "    \
	"generation:o "                                                                            \
	"raw:s "                                                                                   \
	"raw_base64url:s original:s original_base64url:s extra:o hash "                            \
	"parents:a claim:o"

static enum loom_node_kind read_kind(struct loom_str value)
{
	if (loom_str_is(value, "\"annotation\""))
		return LOOM_ANNOTATION;
	if (loom_str_is(value, "\"context\""))
		return LOOM_CONTEXT_SOURCE;
	return loom_str_is(value, "\"instruction\"") ? LOOM_INSTRUCTION_SOURCE : LOOM_CONTINUATION;
}

static enum loom_edit_as read_way(struct loom_str value)
{
	return loom_str_is(value, "\"branch\"")    ? LOOM_EDIT_BRANCH
	       : loom_str_is(value, "\"version\"") ? LOOM_EDIT_VERSION
						   : LOOM_EDIT_BY_MODE;
}

static struct loom_str object_or_none(struct loom_str value)
{
	return loom_jval_type(value) == LOOM_JTYPE_OBJECT ? value : loom_str_make(NULL, 0);
}

static enum loom_status mark_each(struct loom_import *import, struct loom_str list,
				  struct import_mark mark, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;
	enum loom_status status = LOOM_OK;

	while (!walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &item)) {
		mark.text = mark.kind == IMPORT_TAG ? import_string(import, item) : item;
		if (mark.text.n)
			status = import_mark(import, &mark, err);
	}
	return status;
}

/* Where a node hangs that has been moved, borrowed from the file. */
struct hung {
	struct loom_str id;
	struct loom_str to;
	int64_t place;
};

/* The state while reading a file. */
struct reading {
	struct hung *hung; /* of the current tree */
	size_t hung_count;
	size_t hung_cap;
	struct model_seal_read seal;
	struct import_exact tree; /* of the current tree */
};

static bool is_listed(const struct reading *reading, enum model_sealed kind, struct loom_str object)
{
	const bool within = kind == MODEL_SEALED_NODE;
	struct loom_hash digest;

	if (!reading->seal.list.count)
		return false;
	digest = model_sealed_digest(kind, within ? &reading->tree.ulid : NULL, object);
	return model_seal_has(&reading->seal, &digest);
}

/* Notes an unknown member; the node's own extra keeps it. */
static void note_unknown(struct loom_import *import, struct loom_str object)
{
	static const struct import_fields fields = {.where = "node", .used = NODE_USED};
	struct loom_buf rest = IMPORT_BUF(import);

	import_rest(import, object, &fields, &rest);
	loom_buf_fini(&rest);
}

static void fill_node(struct loom_import *import, const struct loom_str v[KEYS],
		      struct import_node *node)
{
	*node = (struct import_node){
		.id = import_string(import, v[ULID]),
		.parent = import_string(import, v[v[BORN].n ? BORN : PARENT]),
		.edited_from = import_string(import, v[EDITED]),
		.edited_as = read_way(v[AS]),
		.kind = read_kind(v[KIND]),
		.author = import_string(import, v[AUTHOR]),
		.created = import_time(import, v[CREATED]),
		.text = import_string(import, v[TEXT]),
		.bookmarked =
			is_true(v[BOOKMARK]) || loom_jval_type(v[BOOKMARK]) == LOOM_JTYPE_STRING,
		.pruned = is_true(v[PRUNED]),
		.excluded = is_true(v[EXCLUDED]),
		.unseamed = is_true(v[UNSEAMED]),
		.summary_extract = is_true(v[EXTRACT]),
		.label = import_string(import, v[BOOKMARK]),
		.summary = import_string(import, v[SUMMARY]),
		.generation = object_or_none(v[GENERATION]),
		.extra = object_or_none(v[EXTRA]),
		.raw = read_bytes(import, v[RAW], v[RAW_CODED]),
		.original = read_bytes(import, v[ORIGINAL], v[ORIGINAL_CODED]),
		.hash = import_string(import, v[HASH]),
		.parents = loom_jval_type(v[PARENTS]) == LOOM_JTYPE_ARRAY ? v[PARENTS]
									  : loom_str_make(NULL, 0),
		.claim = object_or_none(v[CLAIM]),
	};
}

static void note_place(struct reading *reading, const struct loom_str v[KEYS])
{
	struct hung hung = {.id = v[ULID], .to = v[PARENT]};

	if (!loom_jval_int(v[PLACE], &hung.place))
		return;
	if (reading->hung_count == reading->hung_cap) {
		reading->hung_cap = reading->hung_cap ? reading->hung_cap * 2 : 16;
		reading->hung =
			loom_realloc(reading->hung, reading->hung_cap, sizeof *reading->hung);
	}
	reading->hung[reading->hung_count++] = hung;
}

/* After the last node, so that no node is named before it has come. */
static enum loom_status mark_places(struct loom_import *import, struct reading *reading,
				    struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < reading->hung_count && status == LOOM_OK; i++) {
		const struct hung *hung = &reading->hung[i];

		loom_arena_reset(import_scratch(import));
		status = import_mark(import,
				     &(struct import_mark){.id = import_string(import, hung->id),
							   .kind = IMPORT_OUR_PLACE,
							   .to = import_string(import, hung->to),
							   .number = hung->place},
				     err);
	}
	reading->hung_count = 0;
	return status;
}

static enum loom_status read_node(struct loom_import *import, struct reading *reading,
				  struct loom_str object, struct loom_err *err)
{
	const uint64_t key = reading->tree.key;
	struct loom_str v[KEYS];
	struct import_node node;
	struct import_exact exact = {.key = key};
	enum loom_status status;

	if (import_pick(object, node_keys, KEYS, v))
		note_unknown(import, object);
	fill_node(import, v, &node);
	note_place(reading, v);
	node.listed = is_listed(reading, MODEL_SEALED_NODE, object);
	if (read_ulid(import, v[ULID], &exact.ulid) &&
	    loom_local_parse(key, import_string(import, v[ID]), &exact.local))
		node.exact = &exact;
	status = import_node(import, &node, err);
	if (status == LOOM_OK && !loom_jval_is_null(v[TAGS]))
		status = mark_each(import, v[TAGS],
				   (struct import_mark){.id = node.id, .kind = IMPORT_TAG}, err);
	if (status == LOOM_OK && !loom_jval_is_null(v[LINKS]))
		status = mark_each(import, v[LINKS],
				   (struct import_mark){.id = node.id,
							.kind = IMPORT_OUR_LINK,
							.number = node.listed},
				   err);
	return status;
}

/* ---- trees ---- */

enum tree_key {
	TREE_ULID,
	TREE_TITLE,
	TREE_MODE,
	TREE_KEY,
	TREE_CREATED,
	TREE_SYSTEM,
	TREE_DESCRIPTION,
	TREE_SUMMARY,
	TREE_SUBJECT,
	TREE_READING,
	TREE_NODES,
	TREE_KEYS
};

static const char *const tree_keys[TREE_KEYS] = {
	[TREE_ULID] = "ulid",       [TREE_TITLE] = "title",     [TREE_MODE] = "mode",
	[TREE_KEY] = "key",         [TREE_CREATED] = "created", [TREE_SYSTEM] = "system",
	[TREE_SUMMARY] = "summary", [TREE_SUBJECT] = "subject", [TREE_DESCRIPTION] = "description",
	[TREE_READING] = "reading", [TREE_NODES] = "nodes",
};

static void note_unknown_of_tree(struct loom_import *import, struct loom_str object)
{
	static const struct import_fields fields = {
		.where = "tree",
		.used = "ulid:s title:s mode:s key:s created:ns system:s description:s summary:s "
			"subject:s reading:o nodes:a"};
	struct loom_buf rest = IMPORT_BUF(import);

	import_rest(import, object, &fields, &rest);
	loom_buf_fini(&rest);
}

/* The tree without its nodes, exactly as exported. */
static bool is_head_listed(const struct reading *reading, const struct loom_str v[TREE_KEYS])
{
	struct loom_buf head = LOOM_BUF_INIT(SIZE_MAX / 4);
	struct loom_json json;
	bool listed;

	loom_json_init(&json, &head);
	loom_json_object(&json);
	for (int i = 0; i < TREE_NODES; i++)
		if (v[i].n) {
			loom_json_key(&json, tree_keys[i]);
			loom_json_raw(&json, v[i]);
		}
	loom_json_end_object(&json);
	listed = is_listed(reading, MODEL_SEALED_TREE, loom_buf_str(&head));
	loom_buf_fini(&head);
	return listed;
}

static void begin_tree(struct loom_import *import, const struct loom_str v[TREE_KEYS],
		       struct reading *reading)
{
	struct import_exact *exact = &reading->tree;
	struct import_tree tree = {
		.id = import_string(import, v[TREE_ULID]),
		.title = import_string(import, v[TREE_TITLE]),
		.system = import_string(import, v[TREE_SYSTEM]),
		.description = import_string(import, v[TREE_DESCRIPTION]),
		.summary = import_string(import, v[TREE_SUMMARY]),
		.subject = import_string(import, v[TREE_SUBJECT]),
		.reading = object_or_none(v[TREE_READING]),
		.created = import_time(import, v[TREE_CREATED]),
		.mode = loom_str_is(v[TREE_MODE], "\"buffer\"") ? LOOM_BUFFER : LOOM_DIALOGUE,
		.listed = is_head_listed(reading, v),
	};
	uint8_t bytes[8];

	*exact = (struct import_exact){.key = 0};
	if (read_ulid(import, v[TREE_ULID], &exact->ulid) &&
	    loom_unhex(import_string(import, v[TREE_KEY]), bytes, sizeof bytes)) {
		for (int i = 0; i < 8; i++)
			exact->key = exact->key << 8 | bytes[i];
		tree.exact = exact;
	}
	import_begin(import, &tree);
}

/* A tree is as large as all its nodes, so its members are located once. */
static enum loom_status read_tree(struct loom_import *import, const struct import_source *source,
				  struct reading *reading, struct loom_str object,
				  struct loom_err *err)
{
	struct loom_str v[TREE_KEYS];
	struct loom_jwalk walk;
	struct loom_str node;
	enum loom_status status = LOOM_OK;

	if (import_pick_large(&source->large, object, tree_keys, TREE_KEYS, v))
		note_unknown_of_tree(import, object);
	begin_tree(import, v, reading);
	walk = loom_jval_walk(v[TREE_NODES]);
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &node)) {
		loom_arena_reset(import_scratch(import));
		status = read_node(import, reading, node, err);
		if (status == LOOM_OK)
			status = import_at(import, (size_t)(node.p - source->text.p), err);
	}
	return status == LOOM_OK ? mark_places(import, reading, err) : status;
}

static void read_agents(struct loom_import *import, const struct reading *reading,
			struct loom_str list)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str object;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &object)) {
		struct import_agent agent = {
			.key = import_text(import, object, "ulid"),
			.name = import_text(import, object, "name"),
			.model = import_text(import, object, "model"),
			.sampling = import_text(import, object, "sampling"),
			.is_model = loom_str_is(loom_jval_get(object, "kind"), "\"model\""),
			.is_other = loom_str_is(loom_jval_get(object, "kind"), "\"other\""),
			.aware = is_true(loom_jval_get(object, "aware")),
			.listed = is_listed(reading, MODEL_SEALED_AGENT, object),
			.created = import_time(import, loom_jval_get(object, "created")),
		};

		if (loom_ulid_parse(agent.key, &agent.ulid) && agent.name.n)
			import_agent(import, &agent);
	}
}

static enum loom_status read_documents(struct loom_import *import, const struct reading *reading,
				       struct loom_str list, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str object;
	enum loom_status status = LOOM_OK;

	while (!walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &object)) {
		status = import_document(import, import_text(import, object, "name"),
					 import_text(import, object, "text"), err);
		if (status == LOOM_OK && is_listed(reading, MODEL_SEALED_DOCUMENT, object))
			import_document_listed(import);
	}
	return status;
}

static enum loom_status read_all(struct loom_import *import, const struct import_source *source,
				 struct reading *reading, struct loom_err *err)
{
	struct loom_jwalk walk =
		loom_jval_walk_over(import_member(source, "trees"), &source->large);
	struct loom_str object;
	enum loom_status status = LOOM_OK;

	read_agents(import, reading, import_member(source, "agents"));
	while (!walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &object))
		status = read_tree(import, source, reading, object, err);
	return status == LOOM_OK
		       ? read_documents(import, reading, import_member(source, "documents"), err)
		       : status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct reading reading = {.hung = NULL};
	int64_t version = 0;
	enum loom_status status;

	if (!loom_jval_int(import_member(source, "version"), &version) || version != 1)
		return loom_fail(err, LOOM_REFUSED,
				 "%.*s was exported by a newer version of loom (version %lld)",
				 LOOM_STR_ARG(source->name), (long long)version);
	if (model_seal_read(import_member(source, "seal"), &reading.seal))
		import_sealed(import, &reading.seal.what, &reading.seal.seal);
	status = read_all(import, source, &reading, err);
	model_seal_list_fini(&reading.seal.list);
	free(reading.hung);
	return status;
}

const struct import_reader import_loom = {
	.name = "json",
	.title = "loom's own export",
	.recognise = recognise,
	.read = read,
};
