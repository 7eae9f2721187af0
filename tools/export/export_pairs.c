/* Preference pairs for training, one JSON object per line. Invariants: both sides of a pair were
 * judged, one for and one against; they differ, and in a dialogue both are answers; no two pairs
 * have the same prompt and the same sides. What is left out for that is counted. */
#include <loom/reading/decision.h>

#include "inside.h"

/* A judged sibling. Its texts live as long as the siblings are looked at. */
struct side {
	uint32_t number;
	const struct loom_decision *decision;
	struct loom_str text;
	const char *role;
	struct loom_str model;
	char ulid[LOOM_ULID_CHARS + 1];
	bool repeated; /* one before it, judged alike, says the same */
};

struct pairs {
	struct exporter *ex;
	const struct export_tree *tree;
	struct loom_arena *arena; /* for the siblings at hand */
	struct loom_decision *decisions;
	size_t decision_count;
	struct side *sides; /* those judged good from the front, then the others */
	size_t good;
	size_t count;
	char ulid[LOOM_ULID_CHARS + 1]; /* the tree's */
	bool test;
};

static void count_left_out(const struct pairs *pairs, enum loom_export_left why, int64_t count)
{
	if (pairs->ex->what->told)
		pairs->ex->what->told->left_out[why] += count;
}

/* One in ten trees is for the test: whole trees, so that no text is in both parts, and always the
 * same ones, however the grove grows. */
static bool is_held_out(const struct loom_ulid *ulid)
{
	return ulid->bytes[sizeof ulid->bytes - 1] % 10 == 0;
}

/* ---- the sides ---- */

/* An edit of a model's text stands where the model's stood. */
static enum loom_status find_role(const struct pairs *pairs, const struct export_text *text,
				  const char **out, struct loom_err *err)
{
	struct loom_node old;
	const struct loom_agent *author = text->author;
	enum loom_status status = LOOM_OK;

	for (int64_t from = text->node.edited_from; status == LOOM_OK && from;
	     from = old.edited_from) {
		status = loom_node_get(pairs->ex->store, from, LOOM_NODE_NARROW, pairs->ex->step,
				       &old, err);
		if (status == LOOM_OK)
			status = export_author(pairs->ex, old.author, &author, err);
	}
	*out = export_role(author);
	return status;
}

static enum loom_status read_side(const struct pairs *pairs, uint32_t number, struct side *out,
				  struct loom_err *err)
{
	struct export_text text;
	enum loom_status status = export_read(pairs->ex, pairs->tree,
					      pairs->tree->read.nodes[number - 1].id, &text, err);

	if (status != LOOM_OK)
		return status;
	out->number = number;
	out->text = loom_arena_str(pairs->arena, text.node.text);
	out->model = loom_arena_str(pairs->arena, export_model(text.author));
	loom_ulid_text(&text.node.ulid, out->ulid);
	status = find_role(pairs, &text, &out->role, err);
	loom_arena_reset(pairs->ex->step);
	return status;
}

static int good_first(const void *a, const void *b)
{
	const struct side *x = a;
	const struct side *y = b;
	const bool good = loom_decision_is_good(x->decision->kind);

	if (good != loom_decision_is_good(y->decision->kind))
		return good ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool is_repeated(const struct pairs *pairs, size_t at)
{
	const struct loom_str text = loom_str_trim(pairs->sides[at].text);

	for (size_t i = at < pairs->good ? 0 : pairs->good; i < at; i++)
		if (loom_str_eq(loom_str_trim(pairs->sides[i].text), text))
			return true;
	return false;
}

/* Reads the judged children of a node, if there are some of each kind. */
static enum loom_status read_sides(struct pairs *pairs, uint32_t parent, struct loom_err *err)
{
	const struct loom_reading_node *nodes = pairs->tree->read.nodes;
	size_t cap = 0;
	enum loom_status status = LOOM_OK;

	loom_arena_reset(pairs->arena);
	pairs->sides = NULL;
	pairs->count = pairs->good = 0;
	for (uint32_t n = nodes[parent - 1].first; n; n = nodes[n - 1].next) {
		struct side side = {.number = n};

		side.decision =
			loom_decision_of(pairs->decisions, pairs->decision_count, nodes[n - 1].id);
		if (!side.decision || nodes[n - 1].excluded)
			continue;
		pairs->sides = loom_arena_grow(pairs->arena, pairs->sides, pairs->count, &cap,
					       sizeof *pairs->sides);
		pairs->sides[pairs->count++] = side;
		pairs->good += loom_decision_is_good(side.decision->kind);
	}
	if (!pairs->good || pairs->good == pairs->count) {
		count_left_out(pairs, LOOM_EXPORT_LEFT_ALONE, (int64_t)pairs->count);
		pairs->count = 0;
		return LOOM_OK;
	}
	qsort(pairs->sides, pairs->count, sizeof *pairs->sides, good_first);
	for (size_t i = 0; i < pairs->count && status == LOOM_OK; i++) {
		status = read_side(pairs, pairs->sides[i].number, &pairs->sides[i], err);
		pairs->sides[i].repeated = status == LOOM_OK && is_repeated(pairs, i);
	}
	return status;
}

/* Whether two sides make a pair, as far as they themselves say. */
static bool fit(const struct pairs *pairs, const struct side *good, const struct side *bad)
{
	const struct loom_str a = loom_str_trim(good->text);
	const struct loom_str b = loom_str_trim(bad->text);

	if (!a.n || !b.n || loom_str_eq(a, b)) {
		count_left_out(pairs, LOOM_EXPORT_LEFT_EQUAL, 1);
		return false;
	}
	if (pairs->tree->row.mode == LOOM_BUFFER ||
	    (!strcmp(good->role, "assistant") && !strcmp(bad->role, "assistant")))
		return true;
	count_left_out(pairs, LOOM_EXPORT_LEFT_SPEECH, 1);
	return false;
}

/* ---- a pair ---- */

/* The text before both: messages or, in a buffer, the text itself. */
static enum loom_status put_prompt(const struct pairs *pairs, struct loom_json *json,
				   uint32_t parent, struct loom_err *err)
{
	const struct loom_reading *read = &pairs->tree->read;
	struct loom_buf text = LOOM_BUF_INIT(SIZE_MAX / 4);
	uint32_t *path = NULL;
	size_t count;
	enum loom_status status = LOOM_OK;

	loom_json_key(json, "prompt");
	if (pairs->tree->row.mode == LOOM_DIALOGUE)
		return export_messages(pairs->ex, pairs->tree, json, parent, err);
	count = export_path_to(pairs->tree, parent, &path);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		struct export_text node;

		status = export_read(pairs->ex, pairs->tree, read->nodes[path[i] - 1].id, &node,
				     err);
		if (status == LOOM_OK && !node.node.excluded)
			loom_buf_add(&text, node.node.text);
	}
	loom_json_text(json, loom_buf_str(&text));
	loom_buf_fini(&text);
	free(path);
	return status;
}

static void put_side(const struct pairs *pairs, struct loom_json *json, const char *key,
		     const struct side *side)
{
	loom_json_key(json, key);
	if (pairs->tree->row.mode == LOOM_BUFFER) {
		loom_json_text(json, side->text);
		return;
	}
	loom_json_array(json);
	export_message(json, "assistant", side->text);
	loom_json_end_array(json);
}

/* One fact about both sides. */
static void put_both(struct loom_json *json, const char *key, struct loom_str good,
		     struct loom_str bad)
{
	loom_json_key(json, key);
	loom_json_object(json);
	loom_json_put(json, "chosen", good);
	loom_json_put(json, "rejected", bad);
	loom_json_end_object(json);
}

static struct loom_str time_of(const struct pairs *pairs, int64_t at)
{
	struct loom_buf text = LOOM_BUF_INIT(64);
	struct loom_str out;

	loom_time_iso(at, &text);
	out = loom_arena_buf(pairs->arena, &text);
	loom_buf_fini(&text);
	return out;
}

/* Finds the name of the judge; a file does not say it. */
static enum loom_status find_judge(const struct pairs *pairs, const struct loom_decision *decision,
				   struct loom_str *out, struct loom_err *err)
{
	const struct loom_agent *judge = NULL;
	enum loom_status status = LOOM_OK;

	*out = LOOM_STR("");
	if (decision->by)
		status = export_author(pairs->ex, decision->by, &judge, err);
	if (status == LOOM_OK && judge)
		*out = loom_arena_str(pairs->arena, judge->name);
	return status;
}

static enum loom_status put_facts(const struct pairs *pairs, struct loom_json *json,
				  const struct side *good, const struct side *bad,
				  struct loom_err *err)
{
	const struct loom_decision *yes = good->decision;
	const struct loom_decision *no = bad->decision;
	struct loom_str judges[2];
	enum loom_status status = find_judge(pairs, yes, &judges[0], err);

	if (status == LOOM_OK)
		status = find_judge(pairs, no, &judges[1], err);
	if (status != LOOM_OK)
		return status;
	loom_json_put(json, "split", pairs->test ? LOOM_STR("test") : LOOM_STR("train"));
	loom_json_put(json, "tree", loom_str_of(pairs->ulid));
	loom_json_put(json, "title", pairs->tree->row.title);
	put_both(json, "nodes", loom_str_of(good->ulid), loom_str_of(bad->ulid));
	put_both(json, "models", good->model, bad->model);
	put_both(json, "reason", loom_str_of(loom_decision_name(yes->kind)),
		 loom_str_of(loom_decision_name(no->kind)));
	put_both(json, "by", judges[0], judges[1]);
	put_both(json, "decided", time_of(pairs, yes->at), time_of(pairs, no->at));
	loom_json_put(json, "time", time_of(pairs, yes->at > no->at ? yes->at : no->at));
	return LOOM_OK;
}

static enum loom_status put_pair(const struct pairs *pairs, const struct side *good,
				 const struct side *bad, struct loom_err *err)
{
	struct exporter *ex = pairs->ex;
	const uint32_t parent = pairs->tree->read.nodes[good->number - 1].parent;
	struct loom_json json;
	enum loom_status status;

	loom_json_init(&json, &ex->buf);
	loom_json_object(&json);
	status = put_prompt(pairs, &json, parent, err);
	put_side(pairs, &json, "chosen", good);
	put_side(pairs, &json, "rejected", bad);
	if (status == LOOM_OK)
		status = put_facts(pairs, &json, good, bad, err);
	loom_json_end_object(&json);
	loom_buf_addc(&ex->buf, '\n');
	if (ex->what->told)
		ex->what->told->pairs++;
	return status == LOOM_OK ? export_flow(ex, err) : status;
}

/* Pairs everything judged good with everything judged bad beside it. */
static enum loom_status put_siblings(struct pairs *pairs, uint32_t parent, struct loom_err *err)
{
	enum loom_status status = read_sides(pairs, parent, err);

	for (size_t a = 0; a < pairs->good && pairs->count && status == LOOM_OK; a++)
		for (size_t b = pairs->good; b < pairs->count && status == LOOM_OK; b++) {
			if (!fit(pairs, &pairs->sides[a], &pairs->sides[b]))
				continue;
			if (pairs->sides[a].repeated || pairs->sides[b].repeated)
				count_left_out(pairs, LOOM_EXPORT_LEFT_REPEATED, 1);
			else
				status = put_pair(pairs, &pairs->sides[a], &pairs->sides[b], err);
		}
	return status;
}

static enum loom_status put_pairs(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	struct pairs pairs = {.ex = ex,
			      .tree = tree,
			      .arena = loom_arena_create(),
			      .test = is_held_out(&tree->row.ulid)};
	struct loom_arena *kept = loom_arena_create();
	enum loom_status status = loom_decisions(ex->store, tree->row.id, kept, &pairs.decisions,
						 &pairs.decision_count, err);

	loom_ulid_text(&tree->row.ulid, pairs.ulid);
	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_next(&tree->read, n))
		status = put_siblings(&pairs, n, err);
	loom_arena_destroy(pairs.arena);
	loom_arena_destroy(kept);
	return status;
}

static enum loom_status run_pairs(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_pairs,
					      .scope = EXPORT_WHOLE,
					      .put = put_pairs};

	return export_each(what, &way, err);
}

#define PAIRS_HOLD (LOOM_BESIDE(PRUNED) | LOOM_BESIDE(IDS))

const struct loom_export_format export_pairs = {
	.name = "pairs",
	.title = "preference pairs: kept or rated good, and pruned or rated bad (jsonl)",
	.holds = {[LOOM_EXPORT_TREE] = PAIRS_HOLD,
		  [LOOM_EXPORT_TALK] = PAIRS_HOLD,
		  [LOOM_EXPORT_PROSE] = LOOM_BESIDE(PRUNED)},
	.run = run_pairs,
};
