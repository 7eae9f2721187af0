/* textile (once loompad): the export of a tree, or of what was kept of it; the snapshot of a loom;
 * and the events of Lync that its archives consist of. Invariants: notes hang on what they are
 * about, a keep is a good rating, and the last mark of a turn counts; of several parents the first
 * is continued, and the others are linked; what a provider or a judge said is kept beside. */
#include <loom/base/sort.h>

#include <loom/formats/chats_kit.h>

static bool is_event(const struct import_source *source)
{
	int64_t version = 0;

	return (source->lines || source->json) && import_has(source, "kind", LOOM_JTYPE_STRING) &&
	       import_has(source, "parents", LOOM_JTYPE_ARRAY) &&
	       import_has(source, "payload", LOOM_JTYPE_OBJECT) &&
	       loom_jval_int(import_member(source, "v"), &version) && version == 1;
}

static bool is_snapshot(const struct import_source *source)
{
	return source->json && import_has(source, "turns", LOOM_JTYPE_ARRAY) &&
	       loom_jval_type(loom_jval_get(import_member(source, "loom"), "id")) ==
		       LOOM_JTYPE_STRING;
}

static bool is_kept(const struct import_source *source)
{
	return source->json && import_has(source, "kept", LOOM_JTYPE_ARRAY) &&
	       loom_jval_says(import_member(source, "kind"), LOOM_STR("curated"));
}

static bool is_tree(const struct import_source *source)
{
	struct loom_str root = import_member(source, "tree");

	return source->json && import_has(source, "schemaVersion", LOOM_JTYPE_NUMBER) &&
	       loom_jval_get(root, "id").p && loom_jval_get(root, "text").p;
}

static bool recognise(const struct import_source *source)
{
	return is_event(source) || is_snapshot(source) || is_kept(source) || is_tree(source);
}

/* ---- who made a text ---- */

enum { ID, TEXT, ORIGIN, ACTOR, CREATED, GENERATED, NOTES, KEPT, REVISES, KEYS };

static const char *const keys[KEYS] = {
	[ID] = "id",
	[TEXT] = "text",
	[ORIGIN] = "origin",
	[ACTOR] = "actor",
	[CREATED] = "createdAt",
	[GENERATED] = "generatedBy",
	[NOTES] = "annotations",
	[KEPT] = "kept",
	[REVISES] = "revises",
};

#define NODE_USED                                                                                  \
	"id:s text:s origin:s actor:s createdAt:ns generatedBy:o annotations:a kept:b revises:s"
#define NODE_KNOWN                                                                                 \
	"via generation selectedBy turnRole archiveSource portableTurnId portableOriginLoomId "    \
	"revisesSourceId revisesPortableTurnId sourceId sourceKind sourceParents extraParentIds "  \
	"rawTags sourceWarnings sourcePresentation sourcePresentationContract "                    \
	"sourcePresentationSource sourcePresentationSections sourcePresentationDiagnostics "       \
	"sourceLoomProfile sourceLocator sourceEvent sourceArchive keepMark lastGenerated thread"

static enum import_role role_of(struct loom_str origin, struct loom_str generated)
{
	if (loom_jval_says(origin, LOOM_STR("model")) ||
	    loom_jval_type(generated) == LOOM_JTYPE_OBJECT)
		return IMPORT_MODEL;
	return loom_jval_says(origin, LOOM_STR("human")) ? IMPORT_HUMAN : IMPORT_UNKNOWN;
}

/* The members of a generation's record: what generated it, without the model, which is the author.
 */
static void add_record(struct loom_import *import, struct loom_str generated, struct loom_buf *out)
{
	static const struct import_fields fields = {
		.where = "generation",
		.used = "model:s",
		.known = "temperature lengthMode textSplitting generationTurnId generationMode "
			 "program reasoningPolicy reasoning usage providerGenerationId"};

	if (loom_jval_type(generated) == LOOM_JTYPE_OBJECT)
		import_rest(import, generated, &fields, out);
}

static struct loom_str record_of(struct loom_import *import, struct loom_str generated)
{
	struct loom_buf inside = IMPORT_BUF(import);
	struct loom_str record = LOOM_STR("");

	add_record(import, generated, &inside);
	if (inside.n)
		record = loom_arena_format(import_scratch(import), "{%.*s}",
					   LOOM_STR_ARG(loom_buf_str(&inside)));
	loom_buf_fini(&inside);
	return record;
}

static enum loom_status rate(struct loom_import *import, struct loom_str id, struct loom_err *err)
{
	const struct import_mark good = {.id = id, .kind = IMPORT_RATED, .number = 1};

	return id.n ? import_mark(import, &good, err) : LOOM_OK;
}

/* A note on a node. */
static enum loom_status put_note(struct loom_import *import, struct loom_str node,
				 struct loom_str note, struct loom_err *err)
{
	static const struct import_fields fields = {.where = "note",
						    .used = "id:s text:s actor:s createdAt:ns",
						    .known = "via"};
	struct loom_buf rest = IMPORT_BUF(import);
	struct import_node out = {.id = import_text(import, note, "id"),
				  .shared = true,
				  .parent = node,
				  .kind = LOOM_ANNOTATION,
				  .author = import_text(import, note, "actor"),
				  .created = import_time(import, loom_jval_get(note, "createdAt")),
				  .text = import_text(import, note, "text")};
	enum loom_status status;

	out.role = out.author.n ? IMPORT_HUMAN : IMPORT_UNKNOWN;
	loom_buf_addc(&rest, '{');
	import_rest(import, note, &fields, &rest);
	loom_buf_addc(&rest, '}');
	out.extra = rest.n > 2 ? loom_buf_str(&rest) : LOOM_STR("");
	status = import_node(import, &out, err);
	loom_buf_fini(&rest);
	return status;
}

static enum loom_status put_notes(struct loom_import *import, struct loom_str node,
				  struct loom_str list, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str note;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && !walk.object && loom_jwalk_next(&walk, NULL, &note)) {
		if (loom_jval_type(note) == LOOM_JTYPE_OBJECT)
			status = put_note(import, node, note, err);
		else
			import_note(import, IMPORT_LOST, "note that is not an object");
	}
	return status;
}

/* ---- a tree ---- */

static struct import_node node_of(struct loom_import *import, struct loom_str const values[KEYS])
{
	struct import_node node = {
		.text = import_string(import, values[TEXT]),
		.edited_from = import_string(import, values[REVISES]),
		.edited_as = LOOM_EDIT_BRANCH,
		.role = role_of(values[ORIGIN], values[GENERATED]),
		.author = import_string(import, values[ACTOR]),
		.created = import_time(import, values[CREATED]),
		.generation = record_of(import, values[GENERATED]),
	};

	if (node.role == IMPORT_MODEL) {
		node.model = import_text(import, values[GENERATED], "model");
		node.author = LOOM_STR("");
	}
	return node;
}

static enum loom_status put_marks(struct loom_import *import, struct loom_str id,
				  struct loom_str const values[KEYS], struct loom_err *err)
{
	enum loom_status status = put_notes(import, id, values[NOTES], err);

	return status == LOOM_OK && chats_true(values[KEPT]) ? rate(import, id, err) : status;
}

static enum loom_status put_nested(struct loom_import *import, const struct import_nest_node *nest,
				   void *ctx, struct loom_err *err)
{
	struct import_node node = node_of(import, nest->values);
	enum loom_status status;

	(void)ctx;
	node.id = nest->id;
	node.anonymous = nest->anonymous;
	if (nest->rest.n)
		node.extra = loom_arena_format(import_scratch(import), "{%.*s}",
					       LOOM_STR_ARG(nest->rest));
	status = import_node(import, &node, err);
	return status == LOOM_OK ? put_marks(import, node.id, nest->values, err) : status;
}

static void begin(struct loom_import *import, const struct import_source *source,
		  struct loom_str id, const struct import_fields *fields)
{
	const struct import_tree tree = {.id = id,
					 .title = import_string(import,
								import_member(source, "title")),
					 .mode = LOOM_BUFFER};
	struct loom_buf rest = IMPORT_BUF(import);

	import_begin(import, &tree);
	import_rest(import, source->first, fields, &rest);
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
}

static enum loom_status read_tree(struct loom_import *import, const struct import_source *source,
				  struct loom_err *err)
{
	static const struct import_fields file = {.where = "file",
						  .used = "schemaVersion:n title:s tree:o",
						  .known = "exportedAt"};
	static const struct import_nest nest = {
		.keys = keys,
		.key_count = KEYS,
		.children = "continuations",
		.fields = {.where = "node", .used = NODE_USED, .known = NODE_KNOWN},
		.node = put_nested,
	};
	struct loom_str root = import_member(source, "tree");

	begin(import, source, import_text(import, root, "id"), &file);
	return import_nest(import, root, &nest, err);
}

/* ---- what was kept ---- */

static enum loom_status put_way(struct loom_import *import, struct loom_str entry,
				struct loom_err *err)
{
	static const struct import_fields fields = {.where = "turn",
						    .used = NODE_USED,
						    .known = NODE_KNOWN};
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(entry, "thread"));
	struct loom_str id = import_text(import, entry, "id");
	struct loom_str above = LOOM_STR("");
	struct loom_str turn;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && !walk.object && loom_jwalk_next(&walk, NULL, &turn)) {
		struct loom_str values[KEYS];
		struct import_node node;

		(void)import_unsaid(import, turn, &fields);
		(void)import_pick(turn, keys, KEYS, values);
		node = node_of(import, values);
		node.id = import_string(import, values[ID]);
		node.parent = above;
		node.shared = true;
		above = node.id;
		status = import_node(import, &node, err);
	}
	if (status == LOOM_OK)
		status = put_notes(import, id, loom_jval_get(entry, "annotations"), err);
	return status == LOOM_OK ? rate(import, id, err) : status;
}

static enum loom_status read_kept(struct loom_import *import, const struct import_source *source,
				  struct loom_err *err)
{
	static const struct import_fields file = {.where = "file",
						  .used = "schemaVersion:n kind:s title:s kept:a",
						  .known = "exportedAt"};
	static const struct import_fields fields = {
		.where = "entry",
		.used = "id:s text:s origin:s thread:a annotations:a",
		.known = "actor via"};
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "kept"));
	struct loom_str entry;
	enum loom_status status = LOOM_OK;

	begin(import, source, import_string(import, import_member(source, "title")), &file);
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &entry)) {
		(void)import_unsaid(import, entry, &fields);
		status = put_way(import, entry, err);
		loom_arena_reset(import_scratch(import));
		if (status == LOOM_OK)
			status = import_here(import, entry, err);
	}
	return status;
}

/* ---- the snapshot of a loom, and events ---- */

/* Marks of turns, in the order of the file: a turn's number, the mark's, and whether it keeps. */
struct marks {
	struct loom_import *import;
	struct chats chat;
	uint64_t *items;
	struct loom_str *ids; /* of the turns that are marked */
	size_t count;
	size_t cap;
	size_t id_cap;
};

static void add_mark(struct marks *marks, struct loom_str turn, bool kept)
{
	struct loom_arena *arena = import_kept(marks->import);
	size_t count = marks->count;

	if (!turn.n)
		return;
	marks->items =
		loom_arena_grow(arena, marks->items, count, &marks->cap, sizeof *marks->items);
	marks->ids = loom_arena_grow(arena, marks->ids, count, &marks->id_cap, sizeof *marks->ids);
	marks->ids[count] = loom_arena_str(arena, turn);
	marks->items[count] =
		(uint64_t)import_number(marks->import, turn) << 32 | (uint64_t)count << 1 | kept;
	marks->count++;
}

/* The last mark of each turn counts. */
static enum loom_status put_kept(struct marks *marks, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_sort_u64(marks->items, marks->count);
	for (size_t i = 0; i < marks->count && status == LOOM_OK; i++) {
		const uint64_t mark = marks->items[i];
		const bool last = i + 1 == marks->count || marks->items[i + 1] >> 32 != mark >> 32;

		if (last && mark & 1)
			status = rate(marks->import, marks->ids[(uint32_t)mark >> 1], err);
	}
	return status;
}

/* The text of a payload: its own, or that of the message in it. */
static void say_payload(struct chats *chat, struct loom_str payload)
{
	static const struct import_fields fields = {.where = "payload",
						    .used = "text:s message:so content:sao role:s",
						    .known = "*"};
	struct loom_str text = loom_jval_get(payload, "text");
	struct loom_str message = loom_jval_get(payload, "message");
	struct loom_str content = loom_jval_get(message, "content");
	struct loom_str role = loom_jval_get(message, "role");

	if (loom_jval_type(text) == LOOM_JTYPE_STRING)
		loom_buf_add(&chat->text, import_string(chat->import, text));
	else if (loom_jval_type(message) == LOOM_JTYPE_STRING)
		loom_buf_add(&chat->text, import_string(chat->import, message));
	else if (content.p)
		chats_say(chat, content);
	else if (loom_jval_get(message, "text").p)
		loom_buf_add(&chat->text, import_text(chat->import, message, "text"));
	else
		chats_say(chat, loom_jval_get(payload, "content"));
	if (!role.p)
		role = loom_jval_get(payload, "role");
	if (role.p)
		chats_speaker(chat, import_string(chat->import, role));
	if (loom_jval_type(message) == LOOM_JTYPE_OBJECT)
		chats_keep(chat, "message", message);
	chats_rest(chat, payload, &fields);
}

static void keep_aside(struct loom_import *import, struct loom_str what, struct loom_str id,
		       struct loom_str value)
{
	struct loom_buf member = IMPORT_BUF(import);

	loom_json_quote(loom_arena_format(import_scratch(import), "%.*s %.*s", LOOM_STR_ARG(what),
					  LOOM_STR_ARG(id)),
			&member);
	loom_buf_addc(&member, ':');
	import_keep(import, value, &member);
	import_beside_tree(import, loom_buf_str(&member));
	loom_buf_fini(&member);
}

enum { TO_META = CHATS_OWN, TO_PAYLOAD };

static const struct import_key turn_keys[] = {
	{"id", "s", CHATS_ID, false},
	{"parentId", "s", CHATS_PARENT, false},
	{"createdAt", "ns", CHATS_CREATED, false},
	{"meta", "o", TO_META, false},
	{"payload", "o", TO_PAYLOAD, false},
};
static const struct import_fields turn_fields = {.where = "turn",
						 .known = "loomId",
						 IMPORT_KEYS(turn_keys)};
static const struct import_fields meta_fields = {
	.where = "meta",
	.used = "role:s author:s generatedBy:o revises:s",
	.known = "via generation generationRef generationRoot kept references respondsTo judgment "
		 "rawVirtual rawSource sourceArchive sourceId sourceKind sourceParents "
		 "extraParentIds rawTags sourceSelected sourceWarnings sourcePresentation "
		 "sourcePresentationContract sourcePresentationSource sourcePresentationSections "
		 "sourcePresentationDiagnostics sourceLoomProfile sourceEnvelope sourceLocator "
		 "portableTurnId portableOriginLoomId portableRole portableRevises portableKeep "
		 "portableNotes archiveSource"};

/* A turn that is no text of the story: a note, a mark, what a provider or judge said. */
static bool is_aside(struct loom_str role)
{
	static const char *const asides[] = {"mark", "generation", "judge", "raw-source"};

	for (size_t i = 0; i < LOOM_COUNT(asides); i++)
		if (loom_str_is(role, asides[i]))
			return true;
	return false;
}

static void speak(struct chats *chat, struct loom_str meta, struct loom_str role)
{
	struct import_node *node = &chat->node;
	struct loom_str generated = loom_jval_get(meta, "generatedBy");

	node->author = import_text(chat->import, meta, "author");
	node->role = node->author.n ? IMPORT_HUMAN : IMPORT_UNKNOWN;
	if (loom_str_is(role, "user") || loom_str_is(role, "assistant"))
		node->role = chats_role(role);
	if (loom_jval_type(generated) == LOOM_JTYPE_OBJECT) {
		node->role = IMPORT_MODEL;
		node->model = import_text(chat->import, generated, "model");
	}
	if (node->role == IMPORT_MODEL)
		node->author = LOOM_STR("");
	add_record(chat->import, generated, &chat->generation);
}

static enum loom_status put_turn(struct marks *marks, struct loom_str turn, struct loom_err *err)
{
	struct chats *chat = &marks->chat;
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str role;

	chats_take(chat, turn, &turn_fields, values);
	role = import_text(chat->import, values[TO_META], "role");
	if (loom_str_is(role, "mark"))
		add_mark(marks, chat->node.parent,
			 chats_true(loom_jval_get(values[TO_META], "kept")));
	if (is_aside(role)) {
		keep_aside(chat->import, role, chat->node.id, turn);
		return LOOM_OK;
	}
	if (loom_str_is(role, "annotation"))
		chat->node.kind = LOOM_ANNOTATION;
	chat->node.edited_from = import_text(chat->import, values[TO_META], "revises");
	chat->node.edited_as = LOOM_EDIT_BRANCH;
	speak(chat, values[TO_META], role);
	say_payload(chat, values[TO_PAYLOAD]);
	chats_rest(chat, turn, &turn_fields);
	import_rest_as(chat->import, "meta", values[TO_META], &meta_fields, &chat->inner);
	return chats_end(chat, err);
}

/* A story is a text; a conversation has roles. */
static enum loom_mode mode_of(const struct import_source *source)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "turns"));
	struct loom_str turn;

	for (size_t i = 0; i < 100 && loom_jwalk_next(&walk, NULL, &turn); i++) {
		struct loom_str role = loom_jval_get(loom_jval_get(turn, "meta"), "role");

		if (loom_jval_says(role, LOOM_STR("user")) ||
		    loom_jval_says(role, LOOM_STR("assistant")))
			return LOOM_DIALOGUE;
	}
	return LOOM_BUFFER;
}

static enum loom_status read_snapshot(struct marks *marks, const struct import_source *source,
				      struct loom_err *err)
{
	static const struct import_fields file = {.where = "file", .used = "loom:o turns:a"};
	static const struct import_fields about = {.where = "loom",
						   .used = "id:s createdAt:ns",
						   .known = "meta"};
	struct loom_import *import = marks->import;
	struct loom_str loom = import_member(source, "loom");
	const struct import_tree tree = {.id = import_text(import, loom, "id"),
					 .title = import_text(import, loom_jval_get(loom, "meta"),
							      "title"),
					 .created = import_time(import,
								loom_jval_get(loom, "createdAt")),
					 .mode = mode_of(source)};
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "turns"));
	struct loom_buf rest = IMPORT_BUF(import);
	struct loom_str turn;
	enum loom_status status = LOOM_OK;

	import_begin(import, &tree);
	import_rest(import, source->first, &file, &rest);
	import_rest(import, loom, &about, &rest);
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &turn)) {
		status = import_here(import, turn, err);
		if (status == LOOM_OK && loom_jval_type(turn) == LOOM_JTYPE_OBJECT)
			status = put_turn(marks, turn, err);
		else if (status == LOOM_OK)
			import_note(import, IMPORT_LOST, "turn that is not an object");
	}
	return status;
}

/* ---- events ---- */

static const struct import_key event_keys[] = {
	{"id", "s", CHATS_ID, false},
	{"at", "ns", CHATS_CREATED, false},
	{"payload", "o", TO_PAYLOAD, false},
};
static const struct import_fields event_fields = {.where = "event",
						  .used = "parents:a author:o v:n",
						  .known = "kind",
						  IMPORT_KEYS(event_keys)};

/* Rates what was chosen of what was shown. */
static enum loom_status put_choice(struct loom_import *import, struct loom_str payload,
				   struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(payload, "chosen"));
	struct loom_str id;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && !walk.object && loom_jwalk_next(&walk, NULL, &id))
		status = rate(import, import_string(import, id), err);
	return status;
}

static enum loom_status hang(struct chats *chat, struct loom_str parents, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(parents);
	struct import_mark link = {.id = chat->node.id, .kind = IMPORT_LINK};
	struct loom_str parent;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && !walk.object && loom_jwalk_next(&walk, NULL, &parent)) {
		link.to = import_string(chat->import, parent);
		link.text = LOOM_STR("another parent");
		if (!chat->node.parent.n)
			chat->node.parent = link.to;
		else if (link.to.n && link.id.n)
			status = import_mark(chat->import, &link, err);
	}
	return status;
}

static enum loom_status put_event(struct marks *marks, struct loom_str event, struct loom_err *err)
{
	static const struct import_fields author = {.where = "author",
						    .used = "actor:s",
						    .known = "via"};
	struct chats *chat = &marks->chat;
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str by = loom_jval_get(event, "author");
	struct loom_str label;
	bool note;
	enum loom_status status;

	chats_take(chat, event, &event_fields, values);
	note = loom_jval_says(loom_jval_get(event, "kind"), LOOM_STR("lync/annotation"));
	label = loom_jval_get(values[TO_PAYLOAD], "label");
	if (note && loom_jval_says(label, LOOM_STR("selection"))) {
		keep_aside(chat->import, LOOM_STR("selection"), chat->node.id, event);
		return put_choice(chat->import, values[TO_PAYLOAD], err);
	}
	if (note)
		chat->node.kind = LOOM_ANNOTATION;
	chat->node.author = import_text(chat->import, by, "actor");
	say_payload(chat, values[TO_PAYLOAD]);
	if (chat->node.role == IMPORT_MODEL) {
		chat->node.model = chat->node.author;
		chat->node.author = LOOM_STR("");
	}
	if (!chat->text.n && !chat->thought.n)
		chats_add(chat, loom_arena_format(import_scratch(chat->import), "[%.*s]",
						  LOOM_STR_ARG(import_text(chat->import, event,
									   "kind"))));
	chats_rest(chat, event, &event_fields);
	import_rest_as(chat->import, "author", by, &author, &chat->inner);
	status = hang(chat, loom_jval_get(event, "parents"), err);
	return status == LOOM_OK ? chats_end(chat, err) : status;
}

static enum loom_status read_events(struct marks *marks, const struct import_source *source,
				    struct loom_err *err)
{
	const struct import_tree tree = {.id = import_text(marks->import, source->first, "id"),
					 .title = source->name,
					 .mode = LOOM_DIALOGUE};
	struct chats_lines lines;
	struct loom_str line;
	enum loom_status status;

	import_begin(marks->import, &tree);
	chats_lines(&lines, marks->import, source->text);
	if (!source->lines)
		return put_event(marks, source->first, err);
	for (;;) {
		status = chats_line(&lines, &line, err);
		if (status != LOOM_OK || !line.p)
			return status;
		status = put_event(marks, line, err);
		if (status != LOOM_OK)
			return status;
	}
}

static enum loom_status read_turns(struct loom_import *import, const struct import_source *source,
				   struct loom_err *err)
{
	struct marks marks = {.import = import};
	enum loom_status status;

	chats_init(&marks.chat, import);
	status = is_snapshot(source) ? read_snapshot(&marks, source, err)
				     : read_events(&marks, source, err);
	if (status == LOOM_OK)
		status = put_kept(&marks, err);
	chats_fini(&marks.chat);
	return status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	if (is_tree(source))
		return read_tree(import, source, err);
	return is_kept(source) ? read_kept(import, source, err) : read_turns(import, source, err);
}

const struct import_reader import_textile = {
	.name = "textile",
	.title = "textile: a tree, what was kept, a loom, or Lync events",
	.recognise = recognise,
	.read = read,
};
