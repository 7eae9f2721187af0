/* Merges JSON in place, as RFC 7396 has it: objects member by member, null removes, everything else
 * replaces. Members stay in their order; new ones come last. Pure. */
#include <loom/base/jval.h>

#define DEPTH_MAX 64

struct merging {
	struct loom_arena *arena;
	struct loom_buf *out;
};

static void merge(const struct merging *to, struct loom_str value, struct loom_str patch,
		  int depth);

/* Returns the member whose key says the same, however either is escaped. */
static struct loom_str find(const struct merging *to, struct loom_str object, struct loom_str key)
{
	const struct loom_str wanted = loom_jval_text(key, to->arena);
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str name;
	struct loom_str value;

	if (loom_jval_type(object) != LOOM_JTYPE_OBJECT)
		return loom_str_make(NULL, 0);
	while (loom_jwalk_next(&walk, &name, &value))
		if (loom_str_eq(loom_jval_text(name, to->arena), wanted))
			return value;
	return loom_str_make(NULL, 0);
}

static void add_member(const struct merging *to, struct loom_str key, bool *first)
{
	if (!*first)
		loom_buf_addc(to->out, ',');
	*first = false;
	loom_buf_add(to->out, key);
	loom_buf_addc(to->out, ':');
}

static void merge_objects(const struct merging *to, struct loom_str value, struct loom_str patch,
			  int depth)
{
	const struct loom_str none = {NULL, 0};
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str key;
	struct loom_str member;
	bool first = true;

	loom_buf_addc(to->out, '{');
	while (loom_jval_type(value) == LOOM_JTYPE_OBJECT &&
	       loom_jwalk_next(&walk, &key, &member)) {
		const struct loom_str over = find(to, patch, key);

		if (loom_jval_type(over) == LOOM_JTYPE_NULL)
			continue;
		add_member(to, key, &first);
		if (over.p)
			merge(to, member, over, depth + 1);
		else
			loom_jval_compact(member, to->out);
	}
	walk = loom_jval_walk(patch);
	while (loom_jwalk_next(&walk, &key, &member)) {
		if (loom_jval_type(member) == LOOM_JTYPE_NULL || find(to, value, key).p)
			continue;
		add_member(to, key, &first);
		merge(to, none, member, depth + 1);
	}
	loom_buf_addc(to->out, '}');
}

static void merge(const struct merging *to, struct loom_str value, struct loom_str patch, int depth)
{
	LOOM_ASSERT(depth <= DEPTH_MAX);
	if (loom_jval_type(patch) == LOOM_JTYPE_OBJECT && depth < DEPTH_MAX)
		merge_objects(to, value, patch, depth);
	else
		loom_jval_compact(patch, to->out);
}

void loom_jval_merge(struct loom_str value, struct loom_str patch, struct loom_arena *arena,
		     struct loom_buf *out)
{
	const struct merging to = {arena, out};

	if (patch.p)
		merge(&to, value, patch, 0);
	else
		loom_jval_compact(value, out);
}
