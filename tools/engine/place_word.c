/* Words for places to ids: where the thread stands, the node above it, the root, the last result.
 */
#include <loom/engine/handlers.h>

#include <loom/language/call.h>

/* The name of the node where the thread stands, or of the one above it; empty where there is none.
 */
static struct loom_str standing(struct loom_engine *engine, bool above, struct loom_arena *arena)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_LOCAL_MAX);
	struct loom_str out = LOOM_STR("");
	struct loom_node node;
	int64_t at = 0;

	engine->show.arena = engine->scratch;
	if (engine_position(engine, &at, NULL) == LOOM_OK &&
	    loom_node_get(engine->store, at, LOOM_NODE_NARROW, arena, &node, NULL) == LOOM_OK) {
		at = above ? node.from_node : node.id;
		if (at && loom_show_name_of(&engine->show, at, &name, NULL) == LOOM_OK)
			out = loom_arena_buf(arena, &name);
	}
	loom_buf_fini(&name);
	return out;
}

/* The id that a word stands for; the word itself where there is none. */
static struct loom_str placed(struct loom_engine *engine, struct loom_str word,
			      struct loom_arena *arena)
{
	const bool parent = loom_str_is(word, "parent");
	struct loom_str id = LOOM_STR("");

	if (loom_str_is(word, "root"))
		return LOOM_STR("r001");
	if (loom_str_is(word, "last") && engine->results)
		return loom_arena_format(arena, "res-%lld", (long long)engine->results);
	if (parent || loom_str_is(word, "here"))
		id = standing(engine, parent, arena);
	return id.n ? id : word;
}

const struct loom_call *loom_engine_placed(struct loom_engine *engine, const struct loom_call *call,
					   struct loom_arena *arena)
{
	struct loom_str *nodes[LOOM_CALL_NODES_MAX];
	struct loom_call *out = NULL;
	struct loom_call copy = *call;
	const size_t count = loom_call_nodes(&copy, nodes);
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		struct loom_str id = placed(engine, *nodes[i], arena);

		any = any || id.p != nodes[i]->p;
		*nodes[i] = id;
	}
	if (!any)
		return call;
	out = LOOM_ARENA_NEW(arena, struct loom_call);
	*out = copy;
	return out;
}
