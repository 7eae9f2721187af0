/* Streams: generations under way, as text in appended chunks with a local id reserved. */
#include "store_impl.h"

#include <loom/draft.h>
#include <loom/live.h>
#include <loom/utf8.h>

enum loom_status loom_stream_begin(struct loom_store *store, const struct loom_stream *spec,
				   int64_t *out_stream, struct loom_err *err)
{
	int64_t num = spec->num;
	struct query q;
	enum loom_status status = LOOM_OK;

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
	if (model_row(&q))
		*out_stream = model_int(&q, 0);
	return model_run(&q);
}

enum loom_status loom_stream_add(struct loom_store *store, int64_t stream, struct loom_str chunk,
				 struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "INSERT INTO stream_chunk(stream, n, text) SELECT ?1, "
			    "coalesce((SELECT max(n) FROM stream_chunk WHERE stream = ?1), "
			    "0) + 1, ?2",
			    err);

	model_bind(&q, stream);
	model_bind_blob(&q, chunk.p, chunk.n);
	return model_run(&q);
}

static enum loom_status drop_stream(struct loom_store *store, int64_t stream, struct loom_err *err)
{
	struct query q = model_query(store, "DELETE FROM stream_chunk WHERE stream = ?", err);
	enum loom_status status;

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

/* What a crash left of one stream becomes a partial node of its own operation. */
static enum loom_status save_partial(struct loom_store *store, const struct loom_stream *stream,
				     struct loom_err *err)
{
	static const char record[] = "{\"finish\":\"partial\",\"why\":\"its process ended\"}";
	/* A half character at the end stays in the raw response only. */
	struct loom_str text = loom_str_sub(stream->text, 0,
					    stream->text.n - loom_utf8_partial_tail(stream->text));
	struct loom_op_spec op = {.kind = "continue",
				  .text = LOOM_STR_INIT(
					  "kept what a broken generation had written"),
				  .actor = stream->agent,
				  .thread = stream->thread,
				  .tree = stream->tree};
	struct loom_node_spec node = {.tree = stream->tree,
				      .from = stream->from,
				      .text = text,
				      .author = stream->agent,
				      .thread = stream->thread,
				      .seq = -1,
				      .raw = stream->text,
				      .generation = LOOM_STR_INIT(record),
				      .num = stream->num};
	int64_t made = 0;
	enum loom_status status = loom_op_begin(store, &op, err);

	if (status != LOOM_OK)
		return status;
	if (!loom_utf8_valid(text, NULL))
		node.text = (struct loom_str){NULL, 0};
	status = loom_stream_finish(store, stream->id, &node, &made, err);
	return loom_op_end(store, status, NULL, err);
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
		status = save_partial(store, &streams[i], err);
		*out_count += status == LOOM_OK;
	}
	loom_arena_destroy(arena);
	return status;
}
