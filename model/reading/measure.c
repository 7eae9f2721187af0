/* Reads the texts of a reading in order, with one statement, and measures them. */
#include <loom/base/env.h>
#include <loom/tree/tree_rows.h>

#include <loom/reading/measure.h>

struct walk {
	const struct loom_reading *reading;
	uint32_t next;
	uint32_t at;
	bool *inside; /* whether the text ends inside a word after each node */
};

/* Goes in reading order, so a parent precedes its children. */
static int64_t next_node(void *ctx)
{
	struct walk *walk = ctx;

	walk->at = walk->next;
	if (!walk->at)
		return 0;
	walk->next = loom_reading_next(walk->reading, walk->at);
	return walk->reading->nodes[walk->at - 1].id;
}

static void measure(struct walk *walk, bool joined, struct loom_str text,
		    struct loom_reading_size *out)
{
	const uint32_t parent = walk->reading->nodes[walk->at - 1].parent;

	LOOM_ASSERT(walk->at > 0 && parent <= walk->reading->count);
	out->passages += text.n > 0;
	out->text.inside = joined && parent && walk->inside[parent - 1];
	loom_text_measure(&out->text, text);
	walk->inside[walk->at - 1] = out->text.inside;
}

static enum loom_status measure_all(struct loom_store *store, const struct loom_reading *reading,
				    bool joined, struct loom_reading_size *out,
				    struct loom_err *err)
{
	struct walk walk = {.reading = reading, .next = reading->root};
	struct model_numbers numbers = {next_node, &walk};
	struct query q =
		model_query(store,
			    "SELECT " MODEL_AS_READ(
				    "b") " FROM numbers(?) p CROSS JOIN body b ON b.id = p.id",
			    err);

	walk.inside = loom_alloc(reading->count * sizeof *walk.inside);
	model_bind_numbers(&q, &numbers);
	while (model_row(&q))
		measure(&walk, joined, model_borrow(&q, 0), out);
	free(walk.inside);
	return model_done(&q);
}

enum loom_status loom_reading_measure(struct loom_store *store, const struct loom_reading_of *of,
				      struct loom_reading_size *out, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_reading reading = {.nodes = NULL};
	struct loom_tree tree;
	enum loom_status status = loom_tree_get(store, of->tree, arena, &tree, err);

	LOOM_ASSERT(out && of->tree);
	*out = (struct loom_reading_size){.passages = 0};
	if (status == LOOM_OK)
		status = loom_reading_init(&reading, store, of, err);
	if (status == LOOM_OK)
		status = measure_all(store, &reading, tree.mode == LOOM_BUFFER, out, err);
	loom_reading_fini(&reading);
	loom_arena_destroy(arena);
	return status;
}

/* ---- a session ---- */

enum { SESSION_GAP_MS = 60 * 60 * 1000, SESSION_ROWS = 20000 };

static void add_written(const struct query *q, struct loom_text_size *out)
{
	struct loom_text_size now = {.words = 0};
	struct loom_text_size before = {.words = 0};

	loom_text_measure(&now, model_borrow(q, 1));
	loom_text_measure(&before, model_borrow(q, 2));
	out->words += now.words - before.words;
	out->chars += now.chars - before.chars;
}

enum loom_status loom_reading_session(struct loom_store *store, const struct loom_session_of *of,
				      struct loom_text_size *out, struct loom_err *err)
{
	int64_t later = loom_env_now(loom_store_env(store));
	struct query q = model_query(
		store,
		"SELECT n.created, " MODEL_AS_READ("b") ", coalesce(" MODEL_AS_READ(
			"e") ", x'') FROM node n" MODEL_DONE_OP
			     "JOIN body b ON b.id = n.id LEFT JOIN body e ON e.id = n.edited_from "
			     "WHERE n.id > (SELECT max(id) FROM node) - ?3 AND +n.tree = ?1 AND "
			     "n.author = ?2 "
			     "AND n.kind = 0 ORDER BY n.id DESC",
		err);

	LOOM_ASSERT(of->tree && out);
	*out = (struct loom_text_size){.words = 0};
	model_bind(&q, of->tree);
	model_bind(&q, of->author);
	model_bind(&q, SESSION_ROWS);
	while (model_row(&q)) {
		const int64_t created = model_int(&q, 0);

		if (later - created > SESSION_GAP_MS)
			continue;
		add_written(&q, out);
		later = created;
	}
	return model_done(&q);
}

void loom_reading_join(const struct loom_nodes *path, enum loom_mode mode, struct loom_buf *out)
{
	LOOM_ASSERT(path->items || !path->count);
	for (size_t i = 0; i < path->count; i++) {
		if (i && mode == LOOM_DIALOGUE)
			loom_buf_adds(out, "\n\n");
		loom_buf_add(out, path->items[i].text);
	}
}
