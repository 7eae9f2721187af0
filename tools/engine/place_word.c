/* Words for places to ids: where the thread stands, the node above it, the root, the last result.
 */
#include <loom/engine/handlers.h>

#include <loom/language/call.h>

enum place { HERE, ABOVE, BEGINNING };

/* The node at a place, seen from where the thread stands; 0: none. */
static int64_t node_at(struct loom_engine *engine, enum place place, struct loom_arena *arena)
{
	struct loom_node node;
	int64_t at = 0;

	if (engine_position(engine, &at, NULL) != LOOM_OK ||
	    loom_node_get(engine->store, at, LOOM_NODE_NARROW, arena, &node, NULL) != LOOM_OK)
		return 0;
	if (place == ABOVE)
		return node.from_node;
	if (place == BEGINNING &&
	    loom_node_ancestor(engine->store, node.group, 0, &at, NULL) != LOOM_OK)
		return 0;
	return at;
}

/* Its name; empty where there is none. */
static struct loom_str name_at(struct loom_engine *engine, enum place place,
			       struct loom_arena *arena)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_LOCAL_MAX);
	struct loom_str out = LOOM_STR("");
	int64_t at;

	engine->show.arena = engine->scratch;
	at = node_at(engine, place, arena);
	if (at && loom_show_name_of(&engine->show, at, &name, NULL) == LOOM_OK)
		out = loom_arena_buf(arena, &name);
	loom_buf_fini(&name);
	return out;
}

/* The id that a word stands for; the word itself where there is none. */
static struct loom_str placed(struct loom_engine *engine, struct loom_str word,
			      struct loom_arena *arena)
{
	static const struct {
		struct loom_str word;
		enum place place;
	} places[] = {{LOOM_STR_INIT("here"), HERE},
		      {LOOM_STR_INIT("parent"), ABOVE},
		      {LOOM_STR_INIT("root"), BEGINNING}};
	struct loom_str id = LOOM_STR("");

	if (loom_str_is(word, "last") && engine->results)
		return loom_arena_format(arena, "res-%lld", (long long)engine->results);
	for (size_t i = 0; i < LOOM_COUNT(places); i++)
		if (loom_str_eq(word, places[i].word))
			id = name_at(engine, places[i].place, arena);
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
