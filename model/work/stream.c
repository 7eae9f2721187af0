/* Streams: generations in progress, as text in appended chunks with a reserved local id. */
#include <loom/tree/tree_rows.h>

#include <loom/work/stream.h>
#include <loom/grove/presence.h>
#include <loom/base/utf8.h>

enum loom_status loom_stream_begin(struct loom_store *store, const struct loom_stream *spec,
				   int64_t *out_stream, struct loom_err *err)
{
	int64_t num = spec->num;
	struct query q;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(out_stream && store->writing);
	if (!num)
		status = loom_node_reserve(store, spec->tree, &num, err);
	if (status != LOOM_OK)
		return status;
	q = model_query(store,
			"INSERT INTO stream(tree, from_node, num, agent, thread, session, record, "
			"started) VALUES(?,?,?,?,?,?,?,?) RETURNING id",
			err);
	model_bind(&q, spec->tree);
	model_bind(&q, spec->from);
	model_bind(&q, num);
	model_bind(&q, spec->agent);
	model_bind_or_null(&q, spec->thread);
	model_bind_text(&q, spec->session);
	model_bind_text(&q, spec->record);
	model_bind(&q, loom_env_now(store->env));
	return model_insert(&q, out_stream);
}

enum loom_status loom_stream_add(struct loom_store *store, int64_t stream, struct loom_str chunk,
				 struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO stream_chunk(stream, n, text) SELECT id, "
				     "coalesce((SELECT max(n) FROM stream_chunk WHERE stream = "
				     "?1), 0) + 1, ?2 FROM stream WHERE id = ?1 RETURNING n",
				     err);
	int64_t n = 0;
	enum loom_status status;

	LOOM_ASSERT(store->writing);
	model_bind(&q, stream);
	model_bind_blob(&q, chunk.p, chunk.n);
	status = model_one(&q, 0, &n);
	return status != LOOM_OK || n
		       ? status
		       : loom_fail(err, LOOM_NOT_FOUND, "this generation has already ended");
}

static enum loom_status drop_stream(struct loom_store *store, int64_t stream, struct loom_err *err)
{
	struct query q = model_query(store, "DELETE FROM stream_chunk WHERE stream = ?", err);
	enum loom_status status;

	LOOM_ASSERT(store->writing);
	model_bind(&q, stream);
	status = model_run(&q);
	if (status != LOOM_OK)
		return status;
	q = model_query(store, "DELETE FROM stream WHERE id = ?", err);
	model_bind(&q, stream);
	return model_run(&q);
}

enum loom_status loom_stream_finish(struct loom_store *store, int64_t stream,
				    const struct loom_node_spec *spec, int64_t *out_node,
				    struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out_node = 0;
	if (spec->text.n)
		status = loom_node_create(store, spec, out_node, err);
	return status == LOOM_OK ? drop_stream(store, stream, err) : status;
}

static enum loom_status read_chunks(struct loom_store *store, int64_t stream,
				    struct loom_arena *arena, struct loom_str *out,
				    struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct query q =
		model_query(store, "SELECT text FROM stream_chunk WHERE stream = ? ORDER BY n",
			    err);
	enum loom_status status;

	model_bind(&q, stream);
	while (model_row(&q))
		loom_buf_add(&text, model_borrow(&q, 0));
	status = model_done(&q);
	*out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return status;
}

enum loom_status loom_stream_list(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				  struct loom_stream **out, size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT id, tree, from_node, num, agent, thread, session, "
				     "record, started FROM stream WHERE ?1 = 0 OR tree = ?1 "
				     "ORDER BY id",
				     err);
	size_t cap = 0;
	enum loom_status status;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, tree);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		(*out)[(*out_count)++] = (struct loom_stream){
			.id = model_int(&q, 0),
			.tree = model_int(&q, 1),
			.from = model_int(&q, 2),
			.num = model_int(&q, 3),
			.agent = model_int(&q, 4),
			.thread = model_int(&q, 5),
			.session = model_text(&q, 6, arena),
			.record = model_text(&q, 7, arena),
			.started = model_int(&q, 8),
		};
	}
	status = model_done(&q);
	for (size_t i = 0; i < *out_count && status == LOOM_OK; i++)
		status = read_chunks(store, (*out)[i].id, arena, &(*out)[i].text, err);
	return status;
}

/* Makes text of raw bytes: drops an incomplete character at the end, replaces invalid bytes; the
 * raw response keeps both. */
static struct loom_str text_of(struct loom_str raw, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str kept = loom_str_sub(raw, 0, raw.n - loom_utf8_partial_tail(raw));

	LOOM_ASSERT(kept.n <= raw.n);
	if (loom_utf8_valid(kept, NULL))
		return kept;
	for (size_t at = 0; at < kept.n;) {
		uint32_t cp = loom_utf8_next(kept, &at);

		loom_buf_add_cp(&text, cp == LOOM_CP_BAD ? 0xFFFD : cp);
	}
	kept = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return kept;
}

static enum loom_status is_waiting(struct loom_store *store, int64_t stream, bool *out,
				   struct loom_err *err)
{
	struct query q = model_query(store, "SELECT 1 FROM stream WHERE id = ?", err);
	int64_t there = 0;
	enum loom_status status;

	model_bind(&q, stream);
	status = model_one(&q, 0, &there);
	*out = there != 0;
	return status;
}

/* Turns what a crash left of a stream into a partial node in its own operation, unless another
 * sweep was quicker. */
static enum loom_status save_partial(struct loom_store *store, const struct loom_stream *stream,
				     struct loom_arena *arena, int64_t *out_count,
				     struct loom_err *err)
{
	static const char record[] = "{\"finish\":\"partial\",\"why\":\"its process ended\"}";
	struct loom_op_spec op = {.kind = "continue",
				  .text = LOOM_STR_INIT(
					  "kept what an interrupted generation had written"),
				  .actor = stream->agent,
				  .thread = stream->thread,
				  .tree = stream->tree};
	struct loom_node_spec node = {.tree = stream->tree,
				      .from = stream->from,
				      .text = text_of(stream->text, arena),
				      .author = stream->agent,
				      .thread = stream->thread,
				      .seq = -1,
				      .raw = stream->text,
				      .generation = LOOM_STR_INIT(record),
				      .num = stream->num};
	int64_t made = 0;
	bool waiting = false;
	enum loom_status status = loom_op_begin(store, &op, err);

	if (status != LOOM_OK)
		return status;
	status = is_waiting(store, stream->id, &waiting, err);
	if (status == LOOM_OK && waiting)
		status = loom_stream_finish(store, stream->id, &node, &made, err);
	status = loom_op_end(store, status, NULL, err);
	*out_count += status == LOOM_OK && waiting;
	return status;
}

enum loom_status loom_stream_sweep(struct loom_store *store, int64_t *out_count,
				   struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_stream *streams = NULL;
	size_t count = 0;
	enum loom_status status = loom_stream_list(store, 0, arena, &streams, &count, err);

	*out_count = 0;
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		if (loom_session_alive(store, streams[i].session))
			continue;
		status = save_partial(store, &streams[i], arena, out_count, err);
		/* If its place was undone it waits until that returns. */
		if (status == LOOM_NOT_FOUND)
			status = LOOM_OK;
	}
	loom_arena_destroy(arena);
	return status;
}
