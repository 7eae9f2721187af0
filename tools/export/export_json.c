/* loom's own export: everything about a tree, so that an import restores the same tree.
 *
 *   {"loom":"export","version":1,
 *   "trees":[
 *   {"ulid","title","mode","key","created","system","description","summary","subject","reading":
 *   {"at","chosen":[…]},"nodes":[
 *   {"ulid","id","parent","kind","edited_from","author","created","text",…},
 *   …
 *   ]}
 *   ],
 *   "agents":[{"ulid","name","kind","model","sampling","aware","created"},…],
 *   "documents":[{"name","text"},…],
 *   "seal":{…}}
 *
 * A node is one line, nodes stand in the order of their making, members in the order above; a
 * member that says nothing is left out. `parent` is the ULID of the member it hangs on, and `born`,
 * where it was moved, that of the one it was written from, or "" for a root; `place` is the order
 * among siblings, of those that no longer stand in that of their making. `author` an agent's, as is
 * the tree's `subject`, who goes on with it. `reading` is where the exporter stood, and which
 * versions he had chosen where there are others: ULIDs. kind: annotation, context, instruction
 * (none: continuation). `as` stands behind edited_from where the edit was not of the tree's own
 * way: branch, version. Then, where there is something to say: bookmark (its label, or true),
 * pruned, excluded, unseamed, summary, extract, tags, links, generation, raw (raw_base64url when it
 * is no UTF-8), original_base64url, extra, hash, parents. The hash is what `loom verify`
 * recomputes; `parents` are the hashes that it covers where they are more than the parent's.
 * `claim` stands behind author where that is only what a file says: {"name","from","why"}.
 *
 * "seal":{"version","key","signature","list"} comes last: a SHA-256 digest of each node with its
 * tree's ULID, of each tree without its nodes, and of each agent and document, 32 bytes each, in
 * pieces of base64url, and the grove's signature (Ed25519) over all of them. */
#include <loom/tree/carry.h>
#include <loom/tree/document.h>
#include <loom/tree/say_node.h>
#include <loom/work/sent.h>
#include <loom/base/utf8.h>

#include "inside.h"
#include <loom/grove/seal_list.h>

struct sealing {
	struct exporter *ex;
	struct loom_carry_place *places; /* of the tree at hand */
	size_t place_count;
	struct model_seal_list list;
};

static void put_ulid(struct loom_json *json, const char *key, const struct loom_ulid *ulid)
{
	char text[LOOM_ULID_CHARS + 1];

	loom_ulid_text(ulid, text);
	loom_json_put(json, key, loom_str_of(text));
}

static void put_time(struct loom_json *json, const char *key, int64_t ms)
{
	struct loom_buf iso = LOOM_BUF_INIT(64);

	loom_time_iso(ms, &iso);
	loom_json_put(json, key, loom_buf_str(&iso));
	loom_buf_fini(&iso);
}

static void put_text(struct loom_json *json, const char *key, struct loom_str text)
{
	if (text.n)
		loom_json_put(json, key, text);
}

/* Writes bytes as text if they are UTF-8, else as base64url. */
static void put_bytes(struct loom_json *json, const char *key, struct loom_str bytes)
{
	struct loom_buf name = LOOM_BUF_INIT(64);
	struct loom_buf coded = LOOM_BUF_INIT(SIZE_MAX / 4);

	if (!bytes.n)
		return;
	loom_buf_adds(&name, key);
	if (loom_utf8_valid(bytes, NULL)) {
		loom_buf_add(&coded, bytes);
	} else {
		loom_base64url(bytes, &coded);
		loom_buf_adds(&name, "_base64url");
	}
	loom_json_put(json, loom_buf_cstr(&name), loom_buf_str(&coded));
	loom_buf_fini(&name);
	loom_buf_fini(&coded);
}

static enum loom_status put_node_ulid(struct exporter *ex, struct loom_json *json, const char *key,
				      int64_t node, struct loom_err *err)
{
	struct loom_node row;
	enum loom_status status = LOOM_OK;

	if (!node)
		return LOOM_OK;
	status = loom_node_get(ex->store, node, LOOM_NODE_NARROW, ex->step, &row, err);
	if (status == LOOM_OK)
		put_ulid(json, key, &row.ulid);
	return status;
}

/* ---- links ---- */

static enum loom_status put_target(struct exporter *ex, struct loom_json *json,
				   const struct loom_link *link, struct loom_err *err)
{
	struct loom_doc doc;
	struct loom_tree tree;
	enum loom_status status = put_node_ulid(ex, json, "to", link->to_node, err);

	if (status == LOOM_OK && link->to_doc) {
		status = loom_doc_get(ex->store, link->to_doc, false, ex->step, &doc, err);
		if (status == LOOM_OK)
			loom_json_put(json, "doc", doc.name);
	}
	if (status == LOOM_OK && link->to_tree) {
		status = loom_tree_get(ex->store, link->to_tree, ex->step, &tree, err);
		if (status == LOOM_OK)
			put_ulid(json, "tree", &tree.ulid);
	}
	return status;
}

static enum loom_status put_link(struct exporter *ex, struct loom_json *json,
				 const struct loom_link *link, struct loom_err *err)
{
	const struct loom_agent *author = NULL;
	enum loom_status status = export_author(ex, link->author, &author, err);

	if (status != LOOM_OK)
		return status;
	loom_json_object(json);
	/* A link to something invisible is left out. */
	status = put_target(ex, json, link, err);
	if (status == LOOM_NOT_FOUND)
		status = LOOM_OK;
	put_text(json, "section", link->section);
	put_text(json, "note", link->note);
	put_ulid(json, "author", loom_agent_hashed(author));
	loom_show_put_claim(json, author);
	put_time(json, "created", link->created);
	loom_json_end_object(json);
	return status;
}

static enum loom_status put_links(struct exporter *ex, struct loom_json *json, int64_t node,
				  struct loom_err *err)
{
	struct loom_link *links = NULL;
	size_t count = 0;
	bool open = false;
	enum loom_status status =
		loom_link_list(ex->store, LOOM_LINK_NODE, node, ex->step, &links, &count, err);

	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		if (links[i].from != node)
			continue;
		if (!open) {
			loom_json_key(json, "links");
			loom_json_array(json);
			open = true;
		}
		status = put_link(ex, json, &links[i], err);
	}
	if (open)
		loom_json_end_array(json);
	return status;
}

/* ---- nodes ---- */

static enum loom_status put_tags(struct exporter *ex, struct loom_json *json, int64_t node,
				 struct loom_err *err)
{
	struct loom_str *tags = NULL;
	size_t count = 0;
	enum loom_status status = loom_tag_of(ex->store, node, ex->step, &tags, &count, err);

	if (status != LOOM_OK || !count)
		return status;
	loom_json_put_texts(json, "tags", tags, count);
	return LOOM_OK;
}

static void put_marks(struct loom_json *json, const struct loom_node *node,
		      const struct loom_seam *seam)
{
	if (node->bookmarked && node->label.n)
		loom_json_put(json, "bookmark", node->label);
	else if (node->bookmarked)
		loom_json_put_bool(json, "bookmark", true);
	if (node->pruned)
		loom_json_put_bool(json, "pruned", true);
	if (node->excluded)
		loom_json_put_bool(json, "excluded", true);
	if (seam->off)
		loom_json_put_bool(json, "unseamed", true);
	/* An extract that is all of the text says nothing. */
	if (node->summary_extract && loom_str_eq(node->summary, node->text))
		return;
	put_text(json, "summary", node->summary);
	if (node->summary.n && node->summary_extract)
		loom_json_put_bool(json, "extract", true);
}

static void put_json(struct loom_json *json, const char *key, struct loom_str value)
{
	if (!value.n)
		return;
	loom_json_key(json, key);
	loom_json_raw(json, value);
}

static enum loom_status put_made(struct exporter *ex, struct loom_json *json, int64_t node,
				 struct loom_err *err)
{
	struct loom_str record = {NULL, 0};
	struct loom_str raw = {NULL, 0};
	struct loom_str original = {NULL, 0};
	struct loom_str extra = {NULL, 0};
	enum loom_status status =
		loom_node_generation(ex->store, node, ex->step, &record, &raw, err);

	if (status == LOOM_OK)
		status = loom_sent_fill(ex->store, node, record, LOOM_SENT_PARTS, ex->step, &record,
					err);
	if (status == LOOM_OK)
		status = loom_carry_kept(ex->store, node, ex->step, &original, &extra, err);
	if (status != LOOM_OK)
		return status;
	put_json(json, "generation", record);
	put_bytes(json, "raw", raw);
	put_bytes(json, "original", original);
	put_json(json, "extra", extra);
	return LOOM_OK;
}

static void put_hash(struct loom_json *json, const struct loom_node *node)
{
	struct loom_buf hex = LOOM_BUF_INIT(128);
	const struct loom_str parents = node->parent_hashes;

	loom_hash_hex(&node->hash, &hex);
	loom_json_put(json, "hash", loom_buf_str(&hex));
	if (parents.n > sizeof node->hash.bytes) {
		loom_json_key(json, "parents");
		loom_json_array(json);
		for (size_t at = 0; at < parents.n; at += sizeof node->hash.bytes) {
			loom_buf_clear(&hex);
			loom_hex(parents.p + at, sizeof node->hash.bytes, &hex);
			loom_json_text(json, loom_buf_str(&hex));
		}
		loom_json_end_array(json);
	}
	loom_buf_fini(&hex);
}

static const struct loom_carry_place *place_of(const struct sealing *sealing,
					       const struct loom_node *node)
{
	return loom_carry_place_of(sealing->places, sealing->place_count, node->group);
}

/* The group that a node was written below. */
static int64_t born_below(const struct sealing *sealing, const struct loom_node *node)
{
	const struct loom_carry_place *place = place_of(sealing, node);

	return place && place->moved ? place->born : node->parent;
}

static enum loom_status put_parent(struct sealing *sealing, struct loom_json *json,
				   const struct loom_node *node, struct loom_err *err)
{
	const struct loom_carry_place *place = place_of(sealing, node);
	enum loom_status status = put_node_ulid(sealing->ex, json, "parent", node->from_node, err);

	if (status != LOOM_OK || !place)
		return status;
	if (place->moved && place->born_from)
		status = put_node_ulid(sealing->ex, json, "born", place->born_from, err);
	else if (place->moved)
		loom_json_put(json, "born", LOOM_STR(""));
	if (node->id == node->group)
		loom_json_put_int(json, "place", place->ord);
	return status;
}

/* A version belongs to its original's group; a branch has its own. */
static enum loom_status put_edit(struct sealing *sealing, struct loom_json *json,
				 const struct loom_tree *tree, const struct loom_node *node,
				 struct loom_err *err)
{
	struct exporter *ex = sealing->ex;
	struct loom_node edited;
	enum loom_status status;

	if (!node->edited_from)
		return LOOM_OK;
	status = loom_node_get(ex->store, node->edited_from, LOOM_NODE_NARROW, ex->step, &edited,
			       err);
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	if (status != LOOM_OK)
		return status;
	/* One of a node that had been moved before is a version of nothing beside it. */
	if (edited.group != node->group &&
	    born_below(sealing, &edited) != born_below(sealing, node))
		return LOOM_OK;
	put_ulid(json, "edited_from", &edited.ulid);
	if (edited.group == node->group && tree->mode == LOOM_DIALOGUE)
		loom_json_put(json, "as", LOOM_STR("version"));
	else if (edited.group != node->group && tree->mode == LOOM_BUFFER)
		loom_json_put(json, "as", LOOM_STR("branch"));
	return LOOM_OK;
}

static enum loom_status put_who(struct sealing *sealing, struct loom_json *json,
				const struct loom_tree *tree, const struct loom_node *node,
				struct loom_err *err)
{
	struct exporter *ex = sealing->ex;
	static const char *const kinds[] = {NULL, "annotation", "context", "instruction"};
	char name[LOOM_LOCAL_MAX];
	const struct loom_agent *author = NULL;
	enum loom_status status = export_author(ex, node->author, &author, err);

	if (status != LOOM_OK)
		return status;
	loom_local_text(tree->key, node->local, name);
	put_ulid(json, "ulid", &node->ulid);
	loom_json_put(json, "id", loom_str_of(name));
	status = put_parent(sealing, json, node, err);
	if (kinds[node->kind])
		loom_json_put(json, "kind", loom_str_of(kinds[node->kind]));
	if (status == LOOM_OK)
		status = put_edit(sealing, json, tree, node, err);
	put_ulid(json, "author", loom_agent_hashed(author));
	loom_show_put_claim(json, author);
	put_time(json, "created", node->created);
	return status;
}

static void seal(struct sealing *sealing, enum model_sealed kind, const struct loom_ulid *tree,
		 size_t from)
{
	const struct loom_buf *buf = &sealing->ex->buf;
	struct loom_hash digest;

	if (buf->bad)
		return;
	digest = model_sealed_digest(kind, tree, loom_str_sub(loom_buf_str(buf), from, buf->n));
	model_seal_list_add(&sealing->list, &digest);
}

static enum loom_status put_node(struct sealing *sealing, const struct loom_tree *tree, int64_t id,
				 struct loom_err *err)
{
	struct exporter *ex = sealing->ex;
	const size_t from = ex->buf.n;
	struct loom_json json;
	struct loom_node node;
	struct loom_str came;
	struct loom_seam seam;
	enum loom_status status = loom_node_get(ex->store, id, LOOM_NODE_ALL, ex->step, &node, err);

	if (status == LOOM_OK)
		status = loom_node_came(ex->store, id, ex->step, &came, &seam, err);
	if (status != LOOM_OK)
		return status;
	export_count_damage(ex, &node);
	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	status = put_who(sealing, &json, tree, &node, err);
	loom_json_put(&json, "text", came);
	put_marks(&json, &node, &seam);
	if (status == LOOM_OK)
		status = put_tags(ex, &json, id, err);
	if (status == LOOM_OK)
		status = put_links(ex, &json, id, err);
	if (status == LOOM_OK)
		status = put_made(ex, &json, id, err);
	put_hash(&json, &node);
	loom_json_end_object(&json);
	seal(sealing, MODEL_SEALED_NODE, &tree->ulid, from);
	return status == LOOM_OK ? export_flow(ex, err) : status;
}

/* ---- trees ---- */

/* Which text the exporter reads. */
static enum loom_status put_reading(struct exporter *ex, struct loom_json *json, int64_t tree,
				    struct loom_err *err)
{
	struct loom_thread thread;
	struct loom_nodes chosen = {NULL, 0};
	int64_t at = 0;
	enum loom_status status = export_thread(ex, tree, &thread, err);

	if (status != LOOM_OK || !thread.id)
		return status;
	loom_json_key(json, "reading");
	loom_json_object(json);
	status = loom_thread_stand(ex->store, &thread, &at, err);
	if (status == LOOM_OK)
		status = put_node_ulid(ex, json, "at", at, err);
	if (status == LOOM_OK)
		status = loom_thread_choices(ex->store, thread.id, ex->step, &chosen, err);
	if (chosen.count) {
		loom_json_key(json, "chosen");
		loom_json_array(json);
		for (size_t i = 0; i < chosen.count; i++) {
			char text[LOOM_ULID_CHARS + 1];

			loom_ulid_text(&chosen.items[i].ulid, text);
			loom_json_text(json, loom_str_of(text));
		}
		loom_json_end_array(json);
	}
	loom_json_end_object(json);
	return status;
}

/* Its object stays open for the nodes, and is sealed as if it did not. */
static enum loom_status put_tree_head(struct sealing *sealing, const struct loom_tree *tree,
				      struct loom_err *err)
{
	struct exporter *ex = sealing->ex;
	const size_t from = ex->buf.n;
	const struct loom_agent *subject = NULL;
	enum loom_status status = LOOM_OK;
	struct loom_json json;
	char key[32];

	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	put_ulid(&json, "ulid", &tree->ulid);
	loom_json_put(&json, "title", tree->title);
	loom_json_put(&json, "mode",
		      tree->mode == LOOM_BUFFER ? LOOM_STR("buffer") : LOOM_STR("dialogue"));
	snprintf(key, sizeof key, "%016llx", (unsigned long long)tree->key);
	loom_json_put(&json, "key", loom_str_of(key));
	put_time(&json, "created", tree->created);
	put_text(&json, "system", tree->system);
	put_text(&json, "description", tree->description);
	put_text(&json, "summary", tree->summary);
	if (tree->subject) {
		status = export_author(ex, tree->subject, &subject, err);
		if (status == LOOM_OK)
			put_ulid(&json, "subject", &subject->ulid);
	}
	if (status == LOOM_OK || status == LOOM_NOT_FOUND)
		status = put_reading(ex, &json, tree->id, err);
	loom_json_end_object(&json);
	seal(sealing, MODEL_SEALED_TREE, NULL, from);
	loom_buf_cut(&ex->buf, ex->buf.n - 1);
	loom_buf_adds(&ex->buf, ",\"nodes\":[\n");
	return status;
}

static enum loom_status put_tree(struct sealing *sealing, int64_t id, struct loom_err *err)
{
	struct exporter *ex = sealing->ex;
	struct loom_tree tree;
	int64_t *nodes = NULL;
	size_t count = 0;
	enum loom_status status = loom_tree_get(ex->store, id, ex->arena, &tree, err);

	if (status == LOOM_OK)
		status = loom_carry_list(ex->store, id, &nodes, &count, err);
	if (status == LOOM_OK)
		status = loom_carry_places(ex->store, id, &sealing->places, &sealing->place_count,
					   err);
	if (status == LOOM_OK)
		status = put_tree_head(sealing, &tree, err);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		if (i)
			loom_buf_adds(&ex->buf, ",\n");
		status = put_node(sealing, &tree, nodes[i], err);
	}
	loom_buf_adds(&ex->buf, "\n]}");
	free(nodes);
	free(sealing->places);
	sealing->places = NULL;
	return status;
}

static int by_ulid(const void *a, const void *b)
{
	const struct loom_agent *x = a;
	const struct loom_agent *y = b;
	const int order =
		memcmp(loom_agent_hashed(x), loom_agent_hashed(y), sizeof(struct loom_ulid));

	return order ? order : (x->claim > y->claim) - (x->claim < y->claim);
}

/* An agent and a claim to be that agent share one ULID and appear once. Sorted by ULID, because
 * their numbers differ between groves. Called last, because sorting ends lookups by number. */
static void put_agents(struct sealing *sealing)
{
	struct exporter *ex = sealing->ex;
	struct loom_json json;

	if (ex->agent_count)
		qsort(ex->agents, ex->agent_count, sizeof *ex->agents, by_ulid);
	for (size_t i = 0; i < ex->agent_count; i++) {
		const struct loom_agent *agent = &ex->agents[i];
		const struct loom_ulid *ulid = loom_agent_hashed(agent);
		size_t from;

		if (i && loom_ulid_eq(ulid, loom_agent_hashed(agent - 1)))
			continue;
		loom_buf_adds(&ex->buf, i ? ",\n" : "\n");
		from = ex->buf.n;
		loom_json_init(&json, &ex->buf);
		loom_json_object(&json);
		put_ulid(&json, "ulid", ulid);
		loom_json_put(&json, "name", export_name(agent));
		loom_json_put(&json, "kind", loom_str_of(loom_agent_kind_name(agent->kind)));
		put_text(&json, "model", agent->model);
		put_text(&json, "sampling", agent->sampling);
		if (agent->aware)
			loom_json_put_bool(&json, "aware", true);
		put_time(&json, "created", agent->created);
		loom_json_end_object(&json);
		seal(sealing, MODEL_SEALED_AGENT, NULL, from);
	}
}

static enum loom_status put_documents(struct sealing *sealing, struct loom_err *err)
{
	struct exporter *ex = sealing->ex;
	struct loom_doc *docs = NULL;
	size_t count = 0;
	enum loom_status status = loom_doc_list(ex->store, ex->arena, &docs, &count, err);

	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		struct loom_json json;
		struct loom_doc doc;
		size_t from;

		status = loom_doc_get(ex->store, docs[i].id, true, ex->step, &doc, err);
		if (status != LOOM_OK)
			break;
		if (ex->what->told)
			ex->what->told->damaged += doc.damaged;
		loom_buf_adds(&ex->buf, i ? ",\n" : "\n");
		from = ex->buf.n;
		loom_json_init(&json, &ex->buf);
		loom_json_object(&json);
		loom_json_put(&json, "name", doc.name);
		loom_json_put(&json, "text", doc.text);
		loom_json_end_object(&json);
		seal(sealing, MODEL_SEALED_DOCUMENT, NULL, from);
		status = export_flow(ex, err);
	}
	return status;
}

/* Without a place for a key, the export has no seal and says so. */
static void put_seal(struct sealing *sealing)
{
	struct loom_export_told *told = sealing->ex->what->told;
	struct loom_err why = {.status = LOOM_OK};

	if (model_seal_list_write(&sealing->list, sealing->ex->store, &sealing->ex->buf, &why) !=
	    LOOM_OK)
		loom_buf_adds(&sealing->ex->buf, "null");
	if (told)
		told->unsealed = why;
}

static enum loom_status run(const struct loom_export *what, struct loom_err *err)
{
	struct exporter ex;
	struct sealing sealing = {.ex = &ex};
	enum loom_status status = LOOM_OK;

	model_seal_list_init(&sealing.list);
	exporter_init(&ex, what);
	loom_buf_adds(&ex.buf, "{\"loom\":\"export\",\"version\":1,\n\"trees\":[");
	for (size_t i = 0; i < what->tree_count && status == LOOM_OK; i++) {
		loom_buf_adds(&ex.buf, i ? ",\n" : "\n");
		status = put_tree(&sealing, what->trees[i], err);
	}
	loom_buf_adds(&ex.buf, "\n],\n\"agents\":[");
	put_agents(&sealing);
	loom_buf_adds(&ex.buf, "\n]");
	if (what->grove && status == LOOM_OK) {
		loom_buf_adds(&ex.buf, ",\n\"documents\":[");
		status = put_documents(&sealing, err);
		loom_buf_adds(&ex.buf, "\n]");
	}
	loom_buf_adds(&ex.buf, ",\n\"seal\":");
	put_seal(&sealing);
	loom_buf_adds(&ex.buf, "}\n");
	model_seal_list_fini(&sealing.list);
	return exporter_fini(&ex, status, err);
}

const struct loom_export_format export_json = {
	.name = "json",
	.title = "everything; an import restores the same trees",
	.holds = {~0u, ~0u, ~0u},
	.run = run,
};
