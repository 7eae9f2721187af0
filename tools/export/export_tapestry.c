/* A weave of Tapestry Loom (tools/weave). Tokens are written with their probabilities where those
 * that were recorded join to the text; what has no place there is left out, which is told. */
#include <math.h>

#include <loom/base/hash.h>
#include <loom/base/jval.h>
#include <loom/tree/carry.h>
#include <loom/weave/write_weave.h>

#include "inside.h"

/* It marks what is bookmarked, and has no place for the label. */
#define HOLDS (LOOM_BESIDE(IDS) | LOOM_BESIDE(EXCLUDED) | LOOM_BESIDE(BOOKMARKS))

struct weaving {
	struct exporter *ex;
	const struct export_tree *tree;
	struct weave_out out;
	struct loom_arena *arena; /* for one node */
	uint32_t first;
	uint32_t stand;
	uint32_t *numbers;     /* of the nodes that are written, in reading order */
	struct loom_ulid *ids; /* theirs */
	uint32_t *places;      /* of a node by its number in the reading, + 1 */
	size_t count;
};

static enum loom_status flow(void *ctx, struct loom_err *err)
{
	struct weaving *w = ctx;

	return export_flow(w->ex, err);
}

/* ---- facts ---- */

struct facts {
	struct loom_arena *arena;
	struct weave_said *items;
	size_t count;
	size_t cap;
};

static void add_fact(struct facts *facts, const char *name, struct loom_str value)
{
	if (!value.n)
		return;
	facts->items = loom_arena_grow(facts->arena, facts->items, facts->count, &facts->cap,
				       sizeof *facts->items);
	facts->items[facts->count++] = (struct weave_said){loom_str_of(name), value};
}

static bool has_fact(const struct facts *facts, struct loom_str name)
{
	for (size_t i = 0; i < facts->count; i++)
		if (loom_str_eq(facts->items[i].name, name))
			return true;
	return false;
}

static struct weave_said_list listed(const struct facts *facts)
{
	return (struct weave_said_list){facts->items, facts->count};
}

/* A text without its quotes, or a number as it is written. */
static struct loom_str plain(struct weaving *w, struct loom_str value)
{
	return loom_jval_type(value) == LOOM_JTYPE_STRING ? loom_jval_text(value, w->arena) : value;
}

/* The members of an object that are no lists or objects; a name may occur once. */
static void add_members(struct weaving *w, struct loom_str object, struct facts *facts)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str key;
	struct loom_str value;

	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		struct loom_str name = loom_jval_text(key, w->arena);
		const enum loom_jtype type = loom_jval_type(value);
		bool taken = !name.n || loom_jval_is_null(value) || type == LOOM_JTYPE_OBJECT ||
			     type == LOOM_JTYPE_ARRAY;

		if (!taken && !has_fact(facts, name))
			add_fact(facts, loom_arena_cstr(w->arena, name), plain(w, value));
	}
}

/* ---- tokens ---- */

static struct loom_str nth(struct loom_str list, size_t n)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item = {NULL, 0};

	while (loom_jwalk_next(&walk, NULL, &item))
		if (n-- == 0)
			return item;
	return (struct loom_str){NULL, 0};
}

static struct loom_str chance_of(struct weaving *w, struct loom_str logprob)
{
	double number = 0;

	if (!loom_jval_real(logprob, &number) || !isfinite(number))
		return LOOM_STR("");
	return loom_arena_format(w->arena, "%.6g", exp(number));
}

static struct loom_str bytes_of(struct weaving *w, struct loom_str token)
{
	const struct loom_str hex = loom_jval_text(nth(token, 3), w->arena);
	char *bytes;

	if (!hex.n)
		return loom_jval_text(nth(token, 0), w->arena);
	bytes = LOOM_ARENA_ARRAY(w->arena, hex.n / 2 + 1, char);
	return loom_unhex(hex, bytes, hex.n / 2) ? loom_str_make(bytes, hex.n / 2) : LOOM_STR("");
}

/* Alternatives as Tapestry keeps them: pairs of a token in base 64 and its facts. */
static struct loom_str others_of(struct weaving *w, struct loom_str token)
{
	struct loom_jwalk walk = loom_jval_walk(nth(token, 2));
	struct loom_buf text = LOOM_BUF_INIT(SIZE_MAX / 4);
	struct loom_json json;
	struct loom_str other;
	struct loom_str made;

	if (!loom_jval_count(nth(token, 2)))
		return LOOM_STR("");
	loom_json_init(&json, &text);
	loom_json_array(&json);
	while (!walk.object && loom_jwalk_next(&walk, NULL, &other)) {
		struct loom_buf name = LOOM_BUF_INIT(1 << 16);

		loom_base64url(loom_jval_text(nth(other, 0), w->arena), &name);
		loom_json_array(&json);
		loom_json_text(&json, loom_buf_str(&name));
		loom_json_object(&json);
		loom_json_put(&json, "probability", chance_of(w, nth(other, 1)));
		loom_json_end_object(&json);
		loom_json_end_array(&json);
		loom_buf_fini(&name);
	}
	loom_json_end_array(&json);
	made = loom_arena_buf(w->arena, &text);
	loom_buf_fini(&text);
	return made;
}

/* The tokens of a record, if they are the text; what an import kept beside them is said as well. */
static void take_tokens(struct weaving *w, struct loom_str record, struct loom_str extra,
			struct weave_said_node *out)
{
	struct loom_str list = loom_jval_get(record, "logprobs");
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_jwalk beside = loom_jval_walk(loom_jval_get(extra, "tokens"));
	struct weave_said_token *tokens =
		LOOM_ARENA_ARRAY(w->arena, loom_jval_count(list) + 1, struct weave_said_token);
	struct loom_str token;
	size_t count = 0;
	size_t at = 0;

	while (loom_jval_type(list) == LOOM_JTYPE_ARRAY && loom_jwalk_next(&walk, NULL, &token)) {
		struct facts facts = {.arena = w->arena};
		const struct loom_str bytes = bytes_of(w, token);
		struct loom_str said = {NULL, 0};

		if (!loom_str_starts(loom_str_sub(out->text, at, out->text.n), bytes))
			return;
		at += bytes.n;
		if (!beside.object && loom_jwalk_next(&beside, NULL, &said))
			add_members(w, said, &facts);
		if (!has_fact(&facts, LOOM_STR("probability")))
			add_fact(&facts, "probability", chance_of(w, nth(token, 1)));
		add_fact(&facts, "counterfactual", others_of(w, token));
		tokens[count++] = (struct weave_said_token){bytes, listed(&facts)};
	}
	if (!count || at != out->text.n)
		return;
	out->tokens = tokens;
	out->token_count = count;
}

/* ---- nodes ---- */

/* The ids of a node's children, in order. */
static void take_children(struct weaving *w, uint32_t number, struct weave_said_node *out)
{
	struct loom_ulid *ids;

	for (uint32_t n = loom_reading_child(&w->tree->read, number); n;
	     n = loom_reading_sibling(&w->tree->read, n))
		out->to_count++;
	out->to = ids = LOOM_ARENA_ARRAY(w->arena, out->to_count + 1, struct loom_ulid);
	for (uint32_t n = loom_reading_child(&w->tree->read, number); n;
	     n = loom_reading_sibling(&w->tree->read, n))
		*ids++ = w->ids[w->places[n] - 1];
}

static enum loom_status put_node(struct weaving *w, size_t place, struct loom_err *err)
{
	const uint32_t number = w->numbers[place - 1];
	const uint32_t above = export_above(w->tree, w->first, number);
	struct weave_said_node node = {.active = number == w->stand};
	struct facts facts = {.arena = w->arena};
	struct facts of_model = {.arena = w->arena};
	struct loom_str record = {NULL, 0};
	struct loom_str extra = {NULL, 0};
	struct loom_str unused = {NULL, 0};
	struct export_text text;
	enum loom_status status =
		export_read(w->ex, w->tree, w->tree->read.nodes[number - 1].id, &text, err);

	if (status == LOOM_OK)
		status = loom_node_generation(w->ex->store, text.node.id, w->ex->step, &record,
					      &unused, err);
	if (status == LOOM_OK)
		status = loom_carry_kept(w->ex->store, text.node.id, w->ex->step, &unused, &extra,
					 err);
	if (status != LOOM_OK)
		return status;
	node.text = text.node.text;
	node.bookmarked = text.node.bookmarked;
	node.label = export_model(text.author);
	node.by_model = node.label.n > 0;
	if (above)
		node.from = &w->ids[w->places[above] - 1];
	if (!node.by_model)
		add_fact(&facts, "author", export_name(text.author));
	add_fact(&facts, "finish_reason", plain(w, loom_jval_get(record, "finish")));
	if (!has_fact(&facts, LOOM_STR("finish_reason")))
		add_fact(&facts, "finish_reason", plain(w, loom_jval_get(record, "finish_reason")));
	add_members(w, loom_jval_get(record, "parameters"), &facts);
	add_members(w, loom_jval_get(extra, "facts"), &facts);
	add_members(w, loom_jval_get(extra, "model"), &of_model);
	node.facts = listed(&facts);
	node.model_facts = listed(&of_model);
	take_tokens(w, record, extra, &node);
	take_children(w, number, &node);
	status = weave_node(&w->out, place, &w->ids[place - 1], &node, err);
	loom_arena_reset(w->arena);
	return status == LOOM_OK ? export_flow(w->ex, err) : status;
}

/* ---- the weave ---- */

/* Lists what is written: what is read, but for an empty root above several branches. */
static enum loom_status list_nodes(struct weaving *w, struct loom_err *err)
{
	const struct loom_reading *read = &w->tree->read;
	struct loom_arena *arena = w->ex->arena;
	enum loom_status status = export_first(w->ex, w->tree, &w->first, err);

	w->numbers = LOOM_ARENA_ARRAY(arena, read->count + 1, uint32_t);
	w->places = LOOM_ARENA_ARRAY(arena, read->count + 1, uint32_t);
	w->ids = LOOM_ARENA_ARRAY(arena, read->count + 1, struct loom_ulid);
	for (uint32_t n = w->first; n && status == LOOM_OK; n = loom_reading_next(read, n)) {
		struct loom_node node;

		w->numbers[w->count++] = n;
		w->places[n] = (uint32_t)w->count;
		status = loom_node_get(w->ex->store, read->nodes[n - 1].id, LOOM_NODE_NARROW,
				       w->ex->step, &node, err);
		w->ids[w->count - 1] = node.ulid;
		loom_arena_reset(w->ex->step);
	}
	return status;
}

static struct loom_str time_of(struct weaving *w, int64_t ms)
{
	struct loom_buf text = LOOM_BUF_INIT(64);
	struct loom_str made;

	loom_time_iso(ms, &text);
	made = loom_arena_buf(w->ex->arena, &text);
	loom_buf_fini(&text);
	return made;
}

static enum loom_status put_end(struct weaving *w, struct loom_err *err)
{
	const struct loom_tree *row = &w->tree->row;
	struct loom_ulid *marked = LOOM_ARENA_ARRAY(w->ex->arena, w->count + 1, struct loom_ulid);
	struct loom_ulid *roots = LOOM_ARENA_ARRAY(w->ex->arena, w->count + 1, struct loom_ulid);
	struct facts facts = {.arena = w->ex->arena};
	struct weave_said_about about = {.roots = roots, .bookmarks = marked};

	for (size_t i = 0; i < w->count; i++) {
		if (!export_above(w->tree, w->first, w->numbers[i]))
			roots[about.root_count++] = w->ids[i];
		if (w->tree->read.nodes[w->numbers[i] - 1].bookmarked)
			marked[about.bookmark_count++] = w->ids[i];
	}
	if (w->stand)
		about.active = &w->ids[w->places[w->stand] - 1];
	add_fact(&facts, "title", row->title);
	add_fact(&facts, "notes", row->description);
	add_fact(&facts, "created", time_of(w, row->created));
	add_fact(&facts, "converted_from", LOOM_STR("loom"));
	about.facts = listed(&facts);
	return weave_end(&w->out, &about, flow, w, err);
}

static enum loom_status put_weave(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	struct weaving w = {.ex = ex, .tree = tree, .arena = loom_arena_create()};
	enum loom_status status = list_nodes(&w, err);

	if (status == LOOM_OK)
		status = export_stand(ex, tree, &w.stand, err);
	if (w.stand && !w.places[w.stand])
		w.stand = 0;
	weave_begin(&w.out, &ex->buf, w.ids, w.count, ex->arena);
	for (size_t slot = 0; slot < w.out.slot_count && status == LOOM_OK; slot++)
		if (weave_node_at(&w.out, slot))
			status = put_node(&w, weave_node_at(&w.out, slot), err);
	if (status == LOOM_OK)
		status = put_end(&w, err);
	loom_arena_destroy(w.arena);
	return status;
}

static enum loom_status run_weave(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_tapestry, .put = put_weave};

	return export_each(what, &way, err);
}

const struct loom_export_format export_tapestry = {
	.name = "tapestry",
	.title = "Tapestry Loom, a weave",
	.one_tree = true,
	.binary = true,
	.root = LOOM_EXPORT_ROOT_SEVERAL,
	.holds = {[LOOM_EXPORT_TREE] = HOLDS,
		  [LOOM_EXPORT_TALK] = HOLDS,
		  [LOOM_EXPORT_PROSE] = HOLDS},
	.run = run_weave,
};
