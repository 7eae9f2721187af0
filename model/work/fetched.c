/* Fetched pages: a row per URL of a session. */
#include <loom/work/fetched.h>

#include <loom/tree/tree_rows.h>

static void bind_place(struct query *q, const struct loom_fetched_place *place, struct loom_str url)
{
	model_bind_text(q, place->project);
	model_bind_text(q, place->session);
	model_bind_text(q, url);
}

enum loom_status loom_fetched_find(struct loom_store *store, const struct loom_fetched_place *place,
				   struct loom_str url, struct loom_arena *arena,
				   struct loom_fetched *out, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT type, body FROM fetched WHERE project = ? AND session = ? AND url = ?",
		err);
	bool there;

	bind_place(&q, place, url);
	there = model_row(&q);
	if (there)
		*out = (struct loom_fetched){.url = url,
					     .type = model_text(&q, 0, arena),
					     .body = model_text(&q, 1, arena)};
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "it has not been fetched before");
}

enum loom_status loom_fetched_keep(struct loom_store *store, const struct loom_fetched_place *place,
				   const struct loom_fetched *fetched, struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT OR IGNORE INTO fetched(project, session, url, at, "
				     "type, body) VALUES(?, ?, ?, ?, ?, ?)",
				     err);

	LOOM_ASSERT(store->writing);
	bind_place(&q, place, fetched->url);
	model_bind(&q, loom_env_now(store->env));
	model_bind_text(&q, fetched->type);
	model_bind_blob(&q, fetched->body.p, fetched->body.n);
	return model_run(&q);
}
