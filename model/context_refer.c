/* Results of earlier turns that a later one speaks of: they stay in the context.
 * Invariants: pure; a result is spoken of where res-N stands as a word in a message behind it, with
 * something that a person said between the two.
 * Leaves to others: reading the results. */
#include "context_impl.h"

#include <ctype.h>

static void add(struct model_refers *refers, struct loom_arena *arena, int64_t number, int64_t user)
{
	refers->items = loom_arena_grow(arena, refers->items, refers->count, &refers->cap,
					sizeof *refers->items);
	refers->items[refers->count++] = (struct model_refer){number, user};
}

/* The number of a "res-12" at the place; 0: none stands there. */
static int64_t number_at(struct loom_str text, size_t at, size_t *out_end)
{
	int64_t number = 0;
	size_t end = at + 4;

	while (end < text.n && isdigit((unsigned char)text.p[end]) && end < at + 20)
		number = number * 10 + (text.p[end++] - '0');
	*out_end = end;
	if ((at && isalnum((unsigned char)text.p[at - 1])) || end == at + 4 ||
	    (end < text.n && isalnum((unsigned char)text.p[end])))
		return 0;
	return number;
}

static void look(struct model_refers *refers, struct loom_arena *arena, struct loom_str text,
		 int64_t user)
{
	const struct loom_str word = LOOM_STR("res-");
	size_t end = 0;

	for (size_t at = 0; (at = loom_str_find(text, word, at)) != SIZE_MAX; at = end) {
		int64_t number = number_at(text, at, &end);

		if (number > 0)
			add(refers, arena, number, user);
	}
}

void model_refers_find(const struct loom_context *context, struct loom_arena *arena,
		       struct model_refers *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t user = LOOM_SEQ_NONE;

	*out = (struct model_refers){.count = 0};
	for (size_t i = 0; i < context->count; i++) {
		const struct loom_entry *entry = &context->entries[i];

		if (entry->role == LOOM_ROLE_USER)
			user = entry->seq;
		loom_buf_clear(&text);
		loom_entry_text(entry, &text);
		look(out, arena, loom_buf_str(&text), user);
	}
	loom_buf_fini(&text);
}

bool model_refers_to(const struct model_refers *refers, int64_t number, int64_t seq)
{
	for (size_t i = 0; i < refers->count; i++)
		if (refers->items[i].number == number && refers->items[i].user > seq)
			return true;
	return false;
}
