/* What a commit was, as the JSON that hooks read. */
#include "inside.h"

#include <loom/base/json.h>
#include <loom/tree/agent.h>
#include <loom/tree/node.h>
#include <loom/tree/tree.h>
#include <loom/work/thread.h>

#define NODES_MAX  50
#define LOOKED_MAX 500
#define TEXT_MOST  ((size_t)16 << 10)
#define JSON_MOST  ((size_t)8 << 20)

static bool is_generated(struct loom_store *store, int64_t node)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str raw;
	struct loom_str record = {NULL, 0};
	const bool found =
		loom_node_generation(store, node, arena, &record, &raw, NULL) == LOOM_OK &&
		record.n > 0;

	loom_arena_destroy(arena);
	return found;
}

unsigned hook_events_of(struct loom_store *store, const struct loom_commit *what)
{
	unsigned events = 0;

	if (what->count)
		events |= 1U << LOOM_HOOK_NODE_MADE;
	if (what->count && is_generated(store, what->first))
		events |= 1U << LOOM_HOOK_GENERATION_ENDED;
	if (what->thread)
		events |= 1U << LOOM_HOOK_TURN_ENDED;
	return events;
}

static void put_ulid(struct loom_json *json, const char *key, const struct loom_ulid *ulid)
{
	char text[LOOM_ULID_CHARS + 1];

	loom_ulid_text(ulid, text);
	loom_json_put(json, key, loom_str_of(text));
}

static bool put_actor(struct loom_store *store, int64_t id, struct loom_arena *arena,
		      struct loom_json *json, struct hook_event *out)
{
	struct loom_agent agent;

	if (loom_agent_get(store, id, arena, &agent, NULL) != LOOM_OK)
		return false;
	out->actor[0] = '\0';
	if (agent.kind != LOOM_AGENT_HUMAN)
		loom_ulid_text(&agent.ulid, out->actor);
	loom_json_key(json, "actor");
	loom_json_object(json);
	loom_json_put(json, "name", agent.name);
	put_ulid(json, "id", &agent.ulid);
	loom_json_put(json, "kind",
		      agent.kind == LOOM_AGENT_HUMAN ? LOOM_STR("person") : LOOM_STR("agent"));
	loom_json_end_object(json);
	return true;
}

static void put_tree(struct loom_store *store, int64_t id, struct loom_arena *arena,
		     struct loom_json *json)
{
	struct loom_tree tree;

	if (!id || loom_tree_get(store, id, arena, &tree, NULL) != LOOM_OK)
		return;
	loom_json_key(json, "tree");
	loom_json_object(json);
	put_ulid(json, "id", &tree.ulid);
	loom_json_put(json, "title", tree.title);
	loom_json_end_object(json);
}

/* Between the nodes of a long write there may be others'. */
static bool put_node(struct loom_store *store, int64_t id, int64_t op, struct loom_arena *arena,
		     struct loom_json *json)
{
	struct loom_node node;
	struct loom_agent author;
	char name[LOOM_LOCAL_MAX];

	if (loom_node_get(store, id, LOOM_NODE_TEXT, arena, &node, NULL) != LOOM_OK ||
	    node.op != op || loom_node_name(store, &node, name, NULL) != LOOM_OK)
		return false;
	loom_json_object(json);
	loom_json_put(json, "id", loom_str_of(name));
	put_ulid(json, "ulid", &node.ulid);
	if (loom_agent_get(store, node.author, arena, &author, NULL) == LOOM_OK)
		loom_json_put(json, "author", author.name);
	loom_json_put_int(json, "bytes", (int64_t)node.text.n);
	loom_json_put(json, "text",
		      loom_str_sub(node.text, 0,
				   node.text.n < TEXT_MOST ? node.text.n : TEXT_MOST));
	loom_json_end_object(json);
	return true;
}

/* The tree of the first node, if the operation names none. */
static int64_t tree_of(struct loom_store *store, const struct loom_commit *what,
		       struct loom_arena *arena)
{
	struct loom_node node;

	if (what->tree || !what->first)
		return what->tree;
	return loom_node_get(store, what->first, LOOM_NODE_NARROW, arena, &node, NULL) == LOOM_OK
		       ? node.tree
		       : 0;
}

/* Row numbers are given in order under the lock, so those of one transaction follow each other. */
static void put_nodes(struct loom_store *store, const struct loom_commit *what,
		      struct loom_arena *arena, struct loom_json *json)
{
	int64_t left = what->count < NODES_MAX ? what->count : NODES_MAX;

	LOOM_ASSERT(what->first > 0);
	loom_json_put_int(json, "count", what->count);
	loom_json_key(json, "nodes");
	loom_json_array(json);
	for (int64_t i = 0; i < LOOKED_MAX && left > 0; i++)
		left -= put_node(store, what->first + i, what->op, arena, json);
	loom_json_end_array(json);
}

static bool put_turn(struct loom_store *store, const struct loom_commit *what,
		     struct loom_arena *arena, struct loom_json *json, struct hook_event *out)
{
	struct loom_thread thread;

	if (loom_thread_get(store, what->thread, arena, &thread, NULL) != LOOM_OK ||
	    !put_actor(store, thread.agent, arena, json, out))
		return false;
	put_tree(store, thread.tree, arena, json);
	loom_json_put(json, "thread", thread.name);
	loom_json_key(json, "turn");
	if (what->record.n)
		loom_json_raw(json, what->record);
	else
		loom_json_null(json);
	return true;
}

bool hook_event_write(struct loom_store *store, const struct loom_commit *what, enum loom_hook kind,
		      struct hook_event *out)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_json json;
	bool whole;

	*out = (struct hook_event){.kind = kind};
	loom_buf_init(&out->json, JSON_MOST);
	loom_json_init(&json, &out->json);
	loom_json_object(&json);
	loom_json_put(&json, "event", loom_str_of(loom_hook_name(kind)));
	loom_json_put(&json, "grove", loom_store_dir(store));
	if (kind == LOOM_HOOK_TURN_ENDED) {
		whole = put_turn(store, what, arena, &json, out);
	} else {
		whole = put_actor(store, what->actor, arena, &json, out);
		put_tree(store, tree_of(store, what, arena), arena, &json);
		loom_json_put(&json, "kind", what->kind);
		put_nodes(store, what, arena, &json);
	}
	loom_json_end_object(&json);
	loom_arena_destroy(arena);
	whole = whole && out->json.bad == LOOM_OK;
	if (!whole)
		loom_buf_fini(&out->json);
	return whole;
}
