/* Tokens from records. The record is a model's claim, so reading stops at the first token that does
 * not fit the text. */
#include <loom/parts/lens.h>

#include <loom/base/hash.h>
#include <loom/base/jval.h>

#include <math.h>

/* The bytes of a token, decoded from hex when its text could not represent them. */
static struct loom_str token_bytes(struct loom_str token, struct loom_arena *arena)
{
	struct loom_jwalk walk = loom_jval_walk(token);
	struct loom_str text = {NULL, 0};
	struct loom_str value;
	struct loom_str hex = {NULL, 0};
	char *bytes;

	for (size_t i = 0; loom_jwalk_next(&walk, NULL, &value); i++) {
		if (i == 0)
			text = loom_jval_text(value, arena);
		else if (i == 3)
			hex = loom_jval_text(value, arena);
	}
	if (!hex.n)
		return text;
	bytes = LOOM_ARENA_ARRAY(arena, hex.n / 2 + 1, char);
	return loom_unhex(hex, bytes, hex.n / 2) ? loom_str_make(bytes, hex.n / 2) : text;
}

static double chance_of(struct loom_str value)
{
	double logprob = -INFINITY;
	double chance;

	(void)loom_jval_real(value, &logprob);
	chance = exp(logprob);
	return chance >= 0 && chance <= 1 ? chance : chance > 1 ? 1 : 0;
}

static struct loom_str nth(struct loom_str list, size_t n)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str value = {NULL, 0};

	for (size_t i = 0; loom_jwalk_next(&walk, NULL, &value); i++)
		if (i == n)
			return value;
	return (struct loom_str){NULL, 0};
}

static void read_others(struct loom_str list, struct loom_arena *arena, struct tui_token *out)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct tui_alternative *others =
		LOOM_ARENA_ARRAY(arena, TUI_ALTERNATIVES, struct tui_alternative);
	struct loom_str item;

	while (out->other_count < TUI_ALTERNATIVES && loom_jwalk_next(&walk, NULL, &item)) {
		struct tui_alternative other = {.text = loom_jval_text(nth(item, 0), arena),
						.chance = chance_of(nth(item, 1))};
		size_t at = out->other_count++;

		for (; at > 0 && others[at - 1].chance < other.chance; at--)
			others[at] = others[at - 1];
		others[at] = other;
	}
	out->others = others;
}

void tui_lens_read(struct loom_str record, struct loom_str text, struct loom_arena *arena,
		   struct tui_lens *out)
{
	struct loom_str list = loom_jval_get(record, "logprobs");
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;
	size_t at = 0;

	*out = (struct tui_lens){NULL, 0};
	if (loom_jval_type(list) != LOOM_JTYPE_ARRAY)
		return;
	out->items = LOOM_ARENA_ARRAY(arena, loom_jval_count(list) + 1, struct tui_token);
	while (at < text.n && loom_jwalk_next(&walk, NULL, &item)) {
		struct loom_str bytes = token_bytes(item, arena);
		struct loom_str rest = loom_str_sub(text, at, text.n);
		struct tui_token *token = &out->items[out->count];

		if (bytes.n == 0)
			continue;
		/* A stop text may have cut the last token. */
		if (!loom_str_starts(rest, bytes) && !loom_str_starts(bytes, rest))
			return;
		*token = (struct tui_token){.from = at, .chance = chance_of(nth(item, 1))};
		at = bytes.n < rest.n ? at + bytes.n : text.n;
		token->to = at;
		/* A token with unknown probability is not shaded. */
		if (loom_jval_is_null(nth(item, 1)))
			continue;
		read_others(nth(item, 2), arena, token);
		out->count++;
	}
}

void tui_lens_mend(struct tui_lens *lens, const struct loom_seam *seam, size_t came)
{
	size_t n = 0;

	for (size_t i = 0; i < lens->count; i++) {
		struct tui_token token = lens->items[i];

		token.from = loom_seam_to_read(seam, came, token.from);
		token.to = loom_seam_to_read(seam, came, token.to);
		if (token.from < token.to)
			lens->items[n++] = token;
	}
	lens->count = n;
}

const struct tui_token *tui_lens_at(const struct tui_lens *lens, size_t at)
{
	size_t low = 0;
	size_t high = lens->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (lens->items[middle].to <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < lens->count && lens->items[low].from <= at ? &lens->items[low] : NULL;
}

enum tui_role tui_lens_role(double chance)
{
	return chance >= 0.9    ? TUI_ROLE_LENS_1
	       : chance >= 0.5  ? TUI_ROLE_LENS_2
	       : chance >= 0.2  ? TUI_ROLE_LENS_3
	       : chance >= 0.05 ? TUI_ROLE_LENS_4
				: TUI_ROLE_LENS_5;
}
