/* Shares of a text. The oldest version belongs to its author. Each newer version keeps the shares
 * of what it has in common with the one before, and its author gets the rest. In a changed word,
 * the characters that both spellings begin and end with keep their shares. */
#include <loom/parts/authors.h>

#include <loom/base/utf8.h>
#include <loom/language/worddiff.h>

#define VERSIONS 32 /* looked back through; anything older counts as the oldest of them */

static void add(struct tui_shares *shares, size_t to, int64_t author)
{
	struct tui_share *last = shares->count ? &shares->items[shares->count - 1] : NULL;

	if (to == (last ? last->to : 0))
		return;
	if (last && last->author == author)
		last->to = to;
	else
		shares->items[shares->count++] = (struct tui_share){to, author};
}

/* Copies the shares of a part of the old text to the matching part of the new one. */
static void keep(const struct tui_shares *before, size_t from, size_t to, size_t at,
		 struct tui_shares *out)
{
	for (size_t i = 0; i < before->count && from < to; i++) {
		size_t end = before->items[i].to < to ? before->items[i].to : to;

		if (end <= from)
			continue;
		add(out, at + end - from, before->items[i].author);
		at += end - from;
		from = end;
	}
}

static bool begins_character(struct loom_str text, size_t at)
{
	return at >= text.n || ((unsigned char)text.p[at] & 0xc0) != 0x80;
}

static size_t same_head(struct loom_str a, struct loom_str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	while (n > 0 && !(begins_character(a, n) && begins_character(b, n)))
		n--;
	return n;
}

static size_t same_tail(struct loom_str a, struct loom_str b, size_t head)
{
	size_t n = 0;

	if (!a.p || !b.p)
		return 0;
	while (n < a.n - head && n < b.n - head && a.p[a.n - 1 - n] == b.p[b.n - 1 - n])
		n++;
	while (n > 0 && !(begins_character(a, a.n - n) && begins_character(b, b.n - n)))
		n--;
	return n;
}

/* Applies one more version. `old_at` and `at` are the positions reached in both texts. */
static void take_version(const struct tui_shares *before, struct loom_str old,
			 const struct loom_node *node, struct loom_arena *arena,
			 struct tui_shares *out)
{
	struct loom_diff diff;
	struct loom_str gone = {NULL, 0};
	size_t old_at = 0;
	size_t at = 0;

	loom_word_diff(old, node->text, arena, &diff);
	*out = (struct tui_shares){.items = LOOM_ARENA_ARRAY(arena,
							     before->count + 3 * diff.count + 1,
							     struct tui_share)};
	for (size_t i = 0; i < diff.count; i++) {
		const struct loom_diff_part *part = &diff.parts[i];
		size_t head = 0;
		size_t tail = 0;

		if (part->kind == LOOM_DIFF_GONE) {
			gone = part->text;
			old_at += gone.n;
			continue;
		}
		if (part->kind == LOOM_DIFF_SAME) {
			keep(before, old_at, old_at + part->text.n, at, out);
			old_at += part->text.n;
		} else {
			head = same_head(gone, part->text);
			tail = same_tail(gone, part->text, head);
			keep(before, old_at - gone.n, old_at - gone.n + head, at, out);
			add(out, at + part->text.n - tail, node->author);
			keep(before, old_at - tail, old_at, at + part->text.n - tail, out);
		}
		at += part->text.n;
		gone.n = 0;
	}
}

void tui_shares_read(struct loom_store *store, int64_t node, struct loom_arena *arena,
		     struct tui_shares *out)
{
	struct loom_arena *scratch = loom_arena_create();
	struct loom_node versions[VERSIONS];
	struct tui_shares shares = {NULL, 0};
	struct tui_shares next;
	size_t count = 0;

	*out = (struct tui_shares){NULL, 0};
	while (node && count < VERSIONS &&
	       loom_node_get(store, node, LOOM_NODE_TEXT, scratch, &versions[count], NULL) ==
		       LOOM_OK)
		node = versions[count++].edited_from;
	if (count > 0) {
		shares.items = LOOM_ARENA_NEW(scratch, struct tui_share);
		add(&shares, versions[count - 1].text.n, versions[count - 1].author);
	}
	for (size_t i = count; i-- > 1;) {
		take_version(&shares, versions[i].text, &versions[i - 1], scratch, &next);
		shares = next;
	}
	out->items = LOOM_ARENA_ARRAY(arena, shares.count + 1, struct tui_share);
	out->count = shares.count;
	for (size_t i = 0; i < shares.count; i++)
		out->items[i] = shares.items[i];
	loom_arena_destroy(scratch);
}

const struct tui_share *tui_shares_at(const struct tui_shares *shares, size_t at)
{
	for (size_t i = 0; i < shares->count; i++)
		if (at < shares->items[i].to)
			return &shares->items[i];
	return NULL;
}
