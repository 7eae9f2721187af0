/* Opening, creating and closing a grove: what operations add to handling its file.
 *
 * Invariants: an open store has the state of the rooms above, a closed one does not; a write still
 * open at the end is rolled back before the log is folded. */
#include <loom/tree/tree_rows.h>

#include <loom/remote/remote.h>

static void hold(struct loom_store *store)
{
	LOOM_ASSERT(!store->held);
	store->held = loom_alloc(sizeof *store->held);
	loom_buf_init(&store->held->write.text, 4096);
	loom_buf_init(&store->held->write.run_record, LOOM_BUF_MAX);
}

static void let_go(struct loom_store *store)
{
	LOOM_ASSERT(store->held && !store->writing);
	model_graft_reset(&store->held->write);
	loom_buf_fini(&store->held->write.text);
	loom_buf_fini(&store->held->write.run_record);
	free(store->held->hung.items);
	free(store->held);
	store->held = NULL;
}

static enum loom_status first_rows(struct loom_store *store, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	hold(store);
	status = model_grove_seed(store, err);
	let_go(store);
	return status;
}

enum loom_status loom_grove_init(struct loom_env *env, struct loom_str dir, struct loom_err *err)
{
	return model_grove_make(env, dir, first_rows, err);
}

enum loom_status loom_store_open(struct loom_env *env, struct loom_str dir, enum loom_access access,
				 struct loom_store **out, struct loom_err *err)
{
	struct loom_store *store = NULL;
	enum loom_status status = model_store_open(env, dir, access, &store, err);

	LOOM_ASSERT(status == LOOM_OK || !store);
	*out = NULL;
	if (status != LOOM_OK)
		return status;
	hold(store);
	status = model_remote_open(store, err);
	if (status == LOOM_OK && !store->read_only)
		status = loom_op_sweep(store, err);
	if (status == LOOM_OK && !store->read_only)
		status = model_person_settle(store, err);
	if (status != LOOM_OK) {
		loom_store_close(store);
		return status;
	}
	model_store_ready(store);
	*out = store;
	return LOOM_OK;
}

void loom_store_close(struct loom_store *store)
{
	if (!store)
		return;
	loom_op_rollback(store);
	model_remote_close(store);
	let_go(store);
	model_store_close(store);
}
