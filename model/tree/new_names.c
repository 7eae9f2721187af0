/* Checks new names against the grove's, except for operations that bring in texts. */
#include <loom/tree/tree_rows.h>

#include <loom/base/utf8.h>

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

enum loom_status model_name_form(const struct model_names *names, struct loom_str name,
				 struct loom_err *err)
{
	if (!name.n || name.n > names->max || !loom_utf8_valid(name, NULL))
		return loom_fail(err, LOOM_INVALID, "%s's name has 1 to %zu bytes of UTF-8",
				 names->one, names->max);
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < 0x20 || name.p[i] == 0x7F || name.p[i] == '"')
			return loom_fail(err, LOOM_INVALID,
					 "%s's name has no quotes and no control characters",
					 names->one);
	return LOOM_OK;
}

enum loom_status model_name_refuse(struct loom_store *store, const struct model_names *names,
				   int64_t self, struct loom_str name, struct loom_err *err)
{
	struct query q;
	int64_t taken = 0;
	enum loom_status status = model_name_form(names, name, err);

	LOOM_ASSERT(self >= 0);
	if (status != LOOM_OK)
		return status;
	q = model_query(store, names->taken, err);
	model_bind_text(&q, name);
	model_bind(&q, self);
	if (model_one(&q, 0, &taken) != LOOM_OK)
		return q.status;
	if (taken)
		return loom_fail(err, LOOM_CONFLICT, "%s \"%.*s\" already exists", names->one,
				 LOOM_STR_ARG(name));
	return model_name_check(store, names->what, name, names->others, self, err);
}

enum loom_status model_label_check(struct loom_store *store, const char *what,
				   struct loom_str label, struct loom_err *err)
{
	return brings_names(store) ? LOOM_OK : loom_label_check(what, label, err);
}
