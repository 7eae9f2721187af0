/* Input that was acknowledged but heard by no run is never lost: it becomes a draft. The rules
 * about runs and their queues are in model/log (run*.c). */
#include <loom/chat/lost_input.h>

#include <loom/tree/tree.h>

struct loom_str chat_unheard_draft(struct loom_store *store, const struct loom_thread *thread,
				   struct loom_str text, struct loom_arena *arena)
{
	char ulid[LOOM_ULID_CHARS + 1] = "";
	struct loom_draft draft = {.kind = LOOM_STR("text"),
				   .anchor = thread->name,
				   .text = text,
				   .why = LOOM_STR("the turn ended before it was heard")};
	struct loom_tree tree;
	struct loom_str id;

	if (loom_tree_get(store, thread->tree, arena, &tree, NULL) == LOOM_OK)
		loom_ulid_text(&tree.ulid, ulid);
	draft.tree = loom_str_of(ulid);
	return loom_draft_save(store, &draft, arena, &id, NULL) == LOOM_OK ? id : LOOM_STR("");
}

void chat_unheard_keep(struct loom_store *store, const struct loom_thread *thread,
		       struct loom_str returned)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_jwalk walk = loom_jval_walk(returned);
	struct loom_str item;

	while (loom_jwalk_next(&walk, NULL, &item))
		chat_unheard_draft(store, thread,
				   loom_jval_text(loom_jval_get(item, "content"), arena), arena);
	loom_arena_destroy(arena);
}

enum loom_status chat_run_open(const struct chat_run_place *place, struct loom_run **out,
			       struct loom_err *err)
{
	const struct loom_run_opts opts = {.thread = place->thread->name,
					   .prompt = place->prompt,
					   .env = loom_store_env(place->store)};
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	enum loom_status status = loom_run_open(place->log, &opts, out, &result, err);

	if (status == LOOM_OK)
		chat_unheard_keep(place->store, place->thread, result.returned);
	return status;
}
