/* A node as JSON, for show and log. Reads only what it prints, page by page. */
#include <loom/reading/anchor.h>
#include <loom/tree/say_node.h>

#include <loom/cli/open_grove.h>

#include <loom/text/sections.h>
#include <loom/tree/document.h>
#include <loom/tree/mark.h>
#include <loom/work/sent.h>

#define PAGE 1000

static void put_hash(struct loom_json *json, const struct loom_hash *hash)
{
	struct loom_buf hex = LOOM_BUF_INIT(128);

	loom_hash_hex(hash, &hex);
	loom_json_text(json, loom_buf_str(&hex));
	loom_buf_fini(&hex);
}

static void put_parents(struct loom_json *json, struct loom_str parents)
{
	struct loom_hash hash;

	loom_json_key(json, "parent_hashes");
	loom_json_array(json);
	for (size_t at = 0; at + sizeof hash.bytes <= parents.n; at += sizeof hash.bytes) {
		memcpy(hash.bytes, parents.p + at, sizeof hash.bytes);
		put_hash(json, &hash);
	}
	loom_json_end_array(json);
}

/* Adds the hash of a model's raw response; null for a node that was not generated. */
static void put_raw_hash(struct loom_json *json, struct loom_str raw)
{
	struct loom_hash hash;

	loom_json_key(json, "raw_response_hash");
	if (raw.n != sizeof hash.bytes) {
		loom_json_null(json);
		return;
	}
	memcpy(hash.bytes, raw.p, sizeof hash.bytes);
	put_hash(json, &hash);
}

static enum loom_status put_author(struct cli_grove *grove, struct loom_json *json, int64_t author,
				   struct loom_err *err)
{
	const struct loom_agent *agent = NULL;
	enum loom_status status = cli_grove_agent(grove, author, &agent, err);

	if (status)
		return status;
	cli_json_ulid(json, "author", &agent->ulid);
	loom_json_put(json, "author_name", agent->name);
	loom_json_put(json, "author_type", loom_str_of(cli_author_type(agent)));
	loom_show_put_claim(json, agent);
	return LOOM_OK;
}

static void put_or_null(struct loom_json *json, const char *key, struct loom_str text)
{
	loom_json_key(json, key);
	if (text.n)
		loom_json_text(json, text);
	else
		loom_json_null(json);
}

static enum loom_status put_edited_from(struct cli_grove *grove, struct loom_json *json,
					const struct loom_node *node, struct loom_err *err)
{
	struct loom_node edited;
	enum loom_status status = LOOM_OK;

	loom_json_key(json, "edited_from");
	if (!node->edited_from) {
		loom_json_null(json);
		return LOOM_OK;
	}
	status = loom_node_get(grove->store, node->edited_from, LOOM_NODE_NARROW, grove->arena,
			       &edited, err);
	if (!status)
		loom_json_text(json, cli_node_name(grove, &edited));
	return status;
}

static void put_marks(struct loom_json *json, const struct loom_node *node)
{
	loom_json_put_bool(json, "bookmark", node->bookmarked);
	put_or_null(json, "bookmark_label", node->label);
	loom_json_put_bool(json, "pruned", node->pruned);
	loom_json_put_bool(json, "excluded", node->excluded);
}

static const char *kind_name(enum loom_node_kind kind)
{
	static const char *const names[] = {
		[LOOM_CONTINUATION] = "continuation",
		[LOOM_ANNOTATION] = "annotation",
		[LOOM_CONTEXT_SOURCE] = "context",
		[LOOM_INSTRUCTION_SOURCE] = "instruction",
	};

	return names[kind];
}

/* The text as it came, and beside it as it is read. */
static enum loom_status put_content(struct cli_grove *grove, struct loom_json *json,
				    const struct loom_node *node, struct loom_err *err)
{
	struct loom_str came;
	struct loom_seam seam;
	enum loom_status status =
		loom_node_came(grove->store, node->id, grove->arena, &came, &seam, err);

	if (status != LOOM_OK)
		return status;
	loom_json_put(json, "content", came);
	if (seam.off)
		loom_json_put_bool(json, "unseamed", true);
	if (!loom_seam_any(&seam))
		return LOOM_OK;
	loom_json_put(json, "read", node->text);
	loom_seam_json(&seam, json);
	return LOOM_OK;
}

enum loom_status cli_node_json(struct cli_grove *grove, struct loom_json *json,
			       const struct cli_spot *spot, struct loom_err *err)
{
	const struct loom_node *node = &spot->node;
	struct loom_text_size size = {.words = 0};
	enum loom_status status = LOOM_OK;

	loom_json_put(json, "id", loom_str_of(spot->name));
	cli_json_ulid(json, "ulid", &node->ulid);
	cli_json_ulid(json, "tree", &spot->tree.ulid);
	loom_json_put(json, "kind", loom_str_of(kind_name(node->kind)));
	status = put_author(grove, json, node->author, err);
	if (status)
		return status;
	cli_json_time(json, "created", node->created);
	loom_json_put_int(json, "depth", node->depth);
	status = put_content(grove, json, node, err);
	if (status)
		return status;
	loom_text_measure(&size, node->text);
	loom_json_put_int(json, "words", size.words);
	loom_json_put_int(json, "chars", size.chars);
	loom_json_put_bool(json, "damaged", loom_node_damaged(grove->store, node));
	put_or_null(json, "summary", node->summary);
	if (node->summary.n)
		loom_json_put_bool(json, "summary_extract", node->summary_extract);
	status = put_edited_from(grove, json, node, err);
	put_marks(json, node);
	loom_json_key(json, "hash");
	put_hash(json, &node->hash);
	put_parents(json, node->parent_hashes);
	put_raw_hash(json, node->raw_hash);
	return status;
}

/* --- around the node --- */

static enum loom_status put_note(struct cli_grove *grove, struct loom_json *json,
				 const struct cli_spot *spot, const struct loom_node *node,
				 struct loom_err *err)
{
	struct loom_anchor anchor;
	char name[LOOM_LOCAL_MAX];
	enum loom_status status = loom_anchor_find(grove->store, node->id, spot->node.text,
						   grove->arena, &anchor, err);

	loom_local_text(spot->tree.key, node->local, name);
	loom_json_object(json);
	loom_json_put(json, "id", loom_str_of(name));
	cli_json_ulid(json, "ulid", &node->ulid);
	if (!status)
		status = put_author(grove, json, node->author, err);
	cli_json_time(json, "created", node->created);
	loom_json_put(json, "content", node->text);
	if (!status && anchor.passage.n) {
		loom_json_put(json, "on", anchor.passage);
		loom_json_put_bool(json, "fits", anchor.fits);
	}
	loom_json_end_object(json);
	return status;
}

/* Adds an array of what is attached to a node's group: names or, for notes, whole objects. */
static enum loom_status put_hanging(struct cli_grove *grove, struct loom_json *json,
				    const struct cli_spot *spot, enum loom_node_kind kind,
				    struct loom_err *err)
{
	struct loom_page page = {
		.kind = kind,
		.thread = spot->thread,
		.limit = PAGE,
		.parts = kind == LOOM_CONTINUATION ? LOOM_NODE_NARROW : LOOM_NODE_TEXT,
	};
	struct loom_nodes nodes = {.count = PAGE};
	char name[LOOM_LOCAL_MAX];
	enum loom_status status = LOOM_OK;

	loom_json_array(json);
	while (!status && nodes.count == PAGE) {
		struct loom_arena *arena = loom_arena_create();

		status = loom_node_children(grove->store, spot->node.group, &page, arena, &nodes,
					    err);
		for (size_t i = 0; !status && i < nodes.count; i++) {
			page.after = nodes.items[i].ord;
			loom_local_text(spot->tree.key, nodes.items[i].local, name);
			if (kind == LOOM_CONTINUATION)
				loom_json_text(json, loom_str_of(name));
			else
				status = put_note(grove, json, spot, &nodes.items[i], err);
		}
		loom_arena_destroy(arena);
	}
	loom_json_end_array(json);
	return status;
}

static enum loom_status put_node_end(struct cli_grove *grove, struct loom_json *json,
				     const char *key, int64_t id, struct loom_err *err)
{
	struct loom_node node;
	struct loom_tree tree;
	enum loom_status status =
		loom_node_get(grove->store, id, LOOM_NODE_NARROW, grove->arena, &node, err);

	if (!status)
		status = loom_tree_get(grove->store, node.tree, grove->arena, &tree, err);
	if (status)
		return status;
	loom_json_key(json, key);
	loom_json_object(json);
	loom_json_put(json, "node", cli_node_name(grove, &node));
	cli_json_ulid(json, "tree", &tree.ulid);
	loom_json_put(json, "title", tree.title);
	loom_json_end_object(json);
	return LOOM_OK;
}

static enum loom_status put_doc_end(struct cli_grove *grove, struct loom_json *json,
				    const struct loom_link *link, struct loom_err *err)
{
	struct loom_doc doc;
	enum loom_status status =
		loom_doc_get(grove->store, link->to_doc, false, grove->arena, &doc, err);

	if (status)
		return status;
	loom_json_key(json, "to");
	loom_json_object(json);
	loom_json_put(json, "doc", doc.name);
	if (link->section.n)
		loom_json_put(json, "section", link->section);
	loom_json_end_object(json);
	return LOOM_OK;
}

static enum loom_status put_tree_end(struct cli_grove *grove, struct loom_json *json,
				     const struct loom_link *link, struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	if (link->to_node)
		return put_node_end(grove, json, "to", link->to_node, err);
	status = loom_tree_get(grove->store, link->to_tree, grove->arena, &tree, err);
	if (status)
		return status;
	loom_json_key(json, "to");
	loom_json_object(json);
	cli_json_ulid(json, "tree", &tree.ulid);
	loom_json_put(json, "title", tree.title);
	loom_json_end_object(json);
	return LOOM_OK;
}

static enum loom_status put_link_end(struct cli_grove *grove, struct loom_json *json,
				     const struct loom_link *link, struct loom_err *err)
{
	switch (link->kind) {
	case LOOM_LINK_NODE:
		return put_node_end(grove, json, "to", link->to_node, err);
	case LOOM_LINK_DOC:
		return put_doc_end(grove, json, link, err);
	case LOOM_LINK_TREE:
		return put_tree_end(grove, json, link, err);
	}
	return LOOM_OK;
}

static enum loom_status put_link(struct cli_grove *grove, struct loom_json *json,
				 const struct loom_link *link, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_json_object(json);
	loom_json_put_int(json, "id", link->id);
	status = put_node_end(grove, json, "from", link->from, err);
	if (!status)
		status = put_link_end(grove, json, link, err);
	if (!status)
		status = put_author(grove, json, link->author, err);
	put_or_null(json, "note", link->note);
	cli_json_time(json, "created", link->created);
	loom_json_end_object(json);
	return status;
}

enum loom_status cli_links_json(struct cli_grove *grove, struct loom_json *json,
				const struct cli_link_end *end, struct loom_err *err)
{
	struct loom_link *links = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_link_list(grove->store, end->kind, end->id, grove->arena, &links, &count, err);

	loom_json_array(json);
	for (size_t i = 0; !status && i < count; i++)
		status = put_link(grove, json, &links[i], err);
	loom_json_end_array(json);
	return status;
}

static enum loom_status put_tags(struct cli_grove *grove, struct loom_json *json, int64_t node,
				 struct loom_err *err)
{
	struct loom_str *tags = NULL;
	size_t count = 0;
	enum loom_status status = loom_tag_of(grove->store, node, grove->arena, &tags, &count, err);

	loom_json_array(json);
	for (size_t i = 0; !status && i < count; i++)
		loom_json_text(json, tags[i]);
	loom_json_end_array(json);
	return status;
}

/* Adds the generation record; null for a node that was not generated. */
static enum loom_status put_generation(struct cli_grove *grove, struct loom_json *json,
				       int64_t node, struct loom_err *err)
{
	struct loom_str record = {NULL, 0};
	struct loom_str raw = {NULL, 0};
	enum loom_status status =
		loom_node_generation(grove->store, node, grove->arena, &record, &raw, err);

	if (status == LOOM_OK && record.n && loom_json_check(record, NULL, NULL) == LOOM_OK)
		status = loom_sent_fill(grove->store, node, record, LOOM_SENT_WHOLE, grove->arena,
					&record, err);
	if (!record.n)
		loom_json_null(json);
	else if (loom_json_check(record, NULL, NULL))
		loom_json_text(json, record);
	else
		loom_json_raw(json, record);
	return status;
}

enum loom_status cli_node_around_json(struct cli_grove *grove, struct loom_json *json,
				      const struct cli_spot *spot, struct loom_err *err)
{
	const struct loom_node *node = &spot->node;
	enum loom_status status = LOOM_OK;

	loom_json_key(json, "children");
	status = put_hanging(grove, json, spot, LOOM_CONTINUATION, err);
	if (status)
		return status;
	loom_json_key(json, "annotations");
	status = put_hanging(grove, json, spot, LOOM_ANNOTATION, err);
	if (status)
		return status;
	loom_json_key(json, "links");
	status = cli_links_json(grove, json, &(struct cli_link_end){LOOM_LINK_NODE, node->id}, err);
	if (status)
		return status;
	loom_json_key(json, "tags");
	status = put_tags(grove, json, node->id, err);
	if (status)
		return status;
	loom_json_key(json, "generation");
	return put_generation(grove, json, node->id, err);
}
