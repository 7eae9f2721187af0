/* Counts what hangs beside a reading. Tags and links are scanned themselves, as they are fewer than
 * nodes. */
#include <loom/tree/tree_rows.h>

#include <loom/reading/beside.h>

static const char *const names[][2] = {
#define X(id, one, several) {one, several},
	LOOM_BESIDE_LIST(X)
#undef X
};

const char *loom_beside_one(enum loom_beside kind)
{
	LOOM_ASSERT(kind < LOOM_BESIDE_COUNT);
	return names[kind][0];
}

const char *loom_beside_several(enum loom_beside kind)
{
	LOOM_ASSERT(kind < LOOM_BESIDE_COUNT);
	return names[kind][1];
}

static void count_node(const struct loom_reading_node *node, int64_t *counts)
{
	if (!node->there)
		return;
	if (node->kind == LOOM_ANNOTATION)
		counts[LOOM_BESIDE_NOTES] += node->read;
	else if (node->kind != LOOM_CONTINUATION)
		counts[LOOM_BESIDE_SOURCES] += node->read;
	else if (node->pruned)
		counts[LOOM_BESIDE_PRUNED]++;
	else if (!node->read)
		counts[LOOM_BESIDE_VERSIONS]++;
	if (node->kind != LOOM_CONTINUATION || !node->read)
		return;
	counts[LOOM_BESIDE_IDS]++;
	counts[LOOM_BESIDE_BOOKMARKS] += node->bookmarked;
	counts[LOOM_BESIDE_SUMMARIES] += node->summed;
	counts[LOOM_BESIDE_EXCLUDED] += node->excluded;
	counts[LOOM_BESIDE_EXCLUSIONS] += node->excluded;
}

/* Counts the rows whose node is read. */
static enum loom_status count_rows(struct loom_store *store, const struct loom_reading *reading,
				   const char *sql, int64_t *out, struct loom_err *err)
{
	struct query q = model_query(store, sql, err);

	LOOM_ASSERT(reading->tree > 0);
	model_bind(&q, reading->tree);
	while (model_row(&q)) {
		const uint32_t n = loom_reading_number(reading, model_int(&q, 0));

		*out += n && reading->nodes[n - 1].read;
	}
	return model_done(&q);
}

enum loom_status loom_reading_beside(struct loom_store *store, const struct loom_reading *reading,
				     unsigned wanted, int64_t counts[LOOM_BESIDE_COUNT],
				     struct loom_err *err)
{
	int64_t found[LOOM_BESIDE_COUNT] = {0};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(reading->nodes && wanted >> LOOM_BESIDE_COUNT == 0);
	for (size_t i = 0; i < reading->count; i++)
		count_node(&reading->nodes[i], found);
	if (wanted & LOOM_BESIDE(TAGS))
		status = count_rows(store, reading,
				    "SELECT t.node FROM tag t JOIN node n ON n.id = t.node "
				    "WHERE t.live = 1 AND n.tree = ?",
				    &found[LOOM_BESIDE_TAGS], err);
	if (status == LOOM_OK && wanted & LOOM_BESIDE(LINKS))
		status = count_rows(store, reading,
				    "SELECT l.from_node FROM link l JOIN op o ON o.id = l.op AND "
				    "o.state = 1 JOIN node n ON n.id = l.from_node "
				    "WHERE l.live = 1 AND n.tree = ?",
				    &found[LOOM_BESIDE_LINKS], err);
	if (status == LOOM_OK && wanted & LOOM_BESIDE(LABELS))
		status = count_rows(store, reading,
				    "SELECT id FROM mark WHERE bookmark = 1 AND label <> '' AND "
				    "tree = ?",
				    &found[LOOM_BESIDE_LABELS], err);
	for (size_t i = 0; i < LOOM_BESIDE_COUNT; i++)
		if (wanted & 1u << i)
			counts[i] += found[i];
	return status;
}
