/* Which texts of a context are somebody else's: nodes, results, what is pinned and recalled,
 * what tools answered, the files of a thread's block, documents that were handed over. What a
 * person said in the conversation is none of them. */
#include "inside.h"

static void add(struct loom_assembly *out, struct loom_arena *arena, struct loom_str text,
		struct loom_str own)
{
	if (!text.n)
		return;
	out->given = loom_arena_grow(arena, out->given, out->given_count, &out->given_cap,
				     sizeof *out->given);
	out->given[out->given_count++] = (struct loom_given){text, own};
}

/* The block at the beginning of a message. */
static struct loom_str block_of(struct loom_str text)
{
	static const struct loom_str ends = LOOM_STR_INIT(LOOM_ENDS_BLOCK);
	size_t end = SIZE_MAX;

	if (loom_str_starts(text, LOOM_STR(LOOM_SAYS_BLOCK)))
		end = loom_str_find(text, ends, 0);
	return loom_str_sub(text, 0, end == SIZE_MAX ? 0 : end);
}

/* A result begins with its call, which the model wrote. */
static struct loom_str without_call(struct loom_str text)
{
	struct loom_str rest = text;
	struct loom_str line;

	return loom_str_line(&rest, &line) ? rest : text;
}

void model_given_note(const struct model_prune *prune, struct loom_assembly *out)
{
	const struct loom_str none = LOOM_STR("");

	LOOM_ASSERT(out->given_count == 0);
	out->given_cap = prune->count + 2;
	out->given = LOOM_ARENA_ARRAY(prune->arena, out->given_cap, struct loom_given);
	add(out, prune->arena, prune->memory, none);
	add(out, prune->arena, prune->loom, none);
	for (size_t i = 0; i < prune->count; i++) {
		const struct model_unit *unit = &prune->units[i];
		const struct loom_str text = model_unit_text(unit, prune->arena);

		if (unit->result)
			add(out, prune->arena, without_call(text), unit->own);
		else if (unit->of || unit->given || unit->said.role == LOOM_ROLE_TOOL)
			add(out, prune->arena, text, none);
		else
			add(out, prune->arena, block_of(text), none);
	}
}
