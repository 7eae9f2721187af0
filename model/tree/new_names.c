/* Checks new names against the grove's, except for operations that bring in texts. */
#include <loom/tree/tree_rows.h>

/* The operations that bring names with texts: nobody here has typed them. */
static bool brings_names(const struct loom_store *store)
{
	static const char *const kinds[] = {"import", "paste", "salvage"};

	for (size_t i = 0; i < LOOM_COUNT(kinds); i++)
		if (store->held->write.spec.kind &&
		    strcmp(store->held->write.spec.kind, kinds[i]) == 0)
			return true;
	return false;
}

enum loom_status model_name_check(struct loom_store *store, enum loom_named what,
				  struct loom_str name, const char *others, int64_t self,
				  struct loom_err *err)
{
	struct loom_arena *arena = NULL;
	struct loom_str *names = NULL;
	struct query q;
	size_t count = 0;
	size_t cap = 0;
	enum loom_status status;

	LOOM_ASSERT(others && self >= 0);
	if (brings_names(store))
		return LOOM_OK;
	arena = loom_arena_create();
	q = model_query(store, others, err);
	model_bind(&q, self);
	while (model_row(&q)) {
		names = loom_arena_grow(arena, names, count, &cap, sizeof *names);
		names[count++] = model_text(&q, 0, arena);
	}
	status = model_done(&q);
	if (status == LOOM_OK)
		status = loom_name_check(what, name, names, count, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status model_label_check(struct loom_store *store, const char *what,
				   struct loom_str label, struct loom_err *err)
{
	return brings_names(store) ? LOOM_OK : loom_label_check(what, label, err);
}
