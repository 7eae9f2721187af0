/* Folds of a text: a short list in text order, searched from the front. Invariant: from < to, and
 * each fold begins at or after the end of the one before. */
#include <loom/parts/folds.h>

#include <loom/base/utf8.h>

void tui_folds_fini(struct tui_folds *folds)
{
	free(folds->items);
	*folds = (struct tui_folds){.items = NULL};
}

/* Appends a fold. */
static void push(struct tui_folds *folds, struct tui_fold fold)
{
	if (folds->count == folds->cap) {
		folds->cap = folds->cap ? folds->cap * 2 : 4;
		folds->items = loom_realloc(folds->items, folds->cap, sizeof *folds->items);
	}
	folds->items[folds->count++] = fold;
}

struct tui_folds tui_folds_dup(const struct tui_folds *folds)
{
	struct tui_folds copy = {.items = NULL};

	for (size_t i = 0; i < folds->count; i++)
		push(&copy, folds->items[i]);
	return copy;
}

static size_t line_count(struct loom_str text)
{
	size_t lines = text.n && text.p[text.n - 1] != '\n';

	for (size_t at = 0; (at = loom_str_find_char(text, '\n', at)) != SIZE_MAX; at++)
		lines++;
	return lines;
}

bool tui_folds_wants(struct loom_str pasted)
{
	return line_count(pasted) > TUI_FOLD_LINES || loom_utf8_length(pasted) > TUI_FOLD_CHARS;
}

/* Counts what its label says. */
static void count(struct tui_fold *fold, struct loom_str text)
{
	struct loom_str pasted = loom_str_sub(text, fold->from, fold->to - fold->from);

	fold->lines = line_count(pasted);
	fold->chars = fold->lines > 1 ? 0 : loom_utf8_length(pasted);
}

/* Inserts a fold in order. An open fold around it is dropped. */
static void put(struct tui_folds *folds, struct tui_fold fold)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < folds->count; i++)
		if (folds->items[i].to <= fold.from || fold.to <= folds->items[i].from)
			folds->items[kept++] = folds->items[i];
	folds->count = kept;
	push(folds, fold);
	for (i = kept; i > 0 && folds->items[i - 1].from > fold.from; i--)
		folds->items[i] = folds->items[i - 1];
	folds->items[i] = fold;
}

void tui_folds_add(struct tui_folds *folds, struct loom_str text, size_t from, size_t to)
{
	struct tui_fold fold = {.from = from, .to = to};

	count(&fold, text);
	put(folds, fold);
}

void tui_folds_splice(struct tui_folds *folds, size_t at, size_t n, size_t with)
{
	size_t end = at + n;
	size_t kept = 0;

	for (size_t i = 0; i < folds->count; i++) {
		struct tui_fold fold = folds->items[i];
		bool within =
			fold.from <= at && end <= fold.to && (fold.from < at || end < fold.to);

		if (end <= fold.from) {
			fold.from += with - n;
			fold.to += with - n;
		} else if (within && at < fold.to) {
			fold.to += with - n;
		} else if (at < fold.to) { /* keep the part that is left, before or after */
			fold.to = fold.to > end ? fold.to + with - n : at;
			fold.from = fold.from < at ? fold.from : at + with;
		}
		if (fold.from < fold.to)
			folds->items[kept++] = fold;
	}
	folds->count = kept;
}

void tui_folds_copy(struct tui_folds *out, const struct tui_folds *folds, size_t from, size_t to,
		    size_t at)
{
	for (size_t i = 0; i < folds->count; i++) {
		struct tui_fold fold = folds->items[i];

		if (fold.from < from || fold.to > to)
			continue;
		fold.from += at - from;
		fold.to += at - from;
		put(out, fold);
	}
}

const struct tui_fold *tui_folds_over(const struct tui_folds *folds, size_t at)
{
	for (size_t i = 0; i < folds->count; i++)
		if (!folds->items[i].open && folds->items[i].from <= at && at < folds->items[i].to)
			return &folds->items[i];
	return NULL;
}

const struct tui_fold *tui_folds_toggle(struct tui_folds *folds, struct loom_str text, size_t at)
{
	struct tui_fold *best = folds->count ? &folds->items[0] : NULL;

	for (size_t i = 0; i < folds->count && folds->items[i].from <= at; i++)
		if (folds->items[i].from < at || best->to < at)
			best = &folds->items[i];
	if (best)
		best->open = !best->open;
	if (best && !best->open)
		count(best, text);
	return best;
}

bool tui_folds_any(const struct tui_folds *folds)
{
	for (size_t i = 0; i < folds->count; i++)
		if (!folds->items[i].open)
			return true;
	return false;
}

/* --- what is shown --- */

#define HARD_BLANK "\xc2\xa0"

void tui_folds_label(const struct tui_fold *fold, struct loom_buf *out)
{
	loom_buf_adds(out, "[pasted" HARD_BLANK);
	loom_buf_add_count(out, fold->lines > 1 ? fold->lines : fold->chars);
	loom_buf_adds(out, fold->lines > 1 ? HARD_BLANK "lines]" : HARD_BLANK "characters]");
}

void tui_folds_show(const struct tui_folds *folds, struct loom_str text, struct loom_buf *out,
		    struct tui_folds *labels)
{
	size_t at = 0;

	for (size_t i = 0; i < folds->count; i++) {
		const struct tui_fold *fold = &folds->items[i];
		size_t from;

		if (fold->open)
			continue;
		loom_buf_add(out, loom_str_sub(text, at, fold->from - at));
		from = out->n;
		tui_folds_label(fold, out);
		if (labels)
			push(labels, (struct tui_fold){.from = from, .to = out->n});
		at = fold->to;
	}
	loom_buf_add(out, loom_str_sub(text, at, text.n));
}

size_t tui_folds_shown_at(const struct tui_folds *folds, size_t at)
{
	struct loom_buf label = LOOM_BUF_INIT(128);
	size_t shown = at;

	for (size_t i = 0; i < folds->count; i++) {
		const struct tui_fold *fold = &folds->items[i];

		if (fold->open || fold->to > at)
			continue;
		loom_buf_clear(&label);
		tui_folds_label(fold, &label);
		shown -= fold->to - fold->from - label.n;
	}
	loom_buf_fini(&label);
	return shown;
}

/* --- in a file --- */

void tui_folds_print(const struct tui_folds *folds, struct loom_buf *out)
{
	for (size_t i = 0; i < folds->count; i++)
		loom_buf_addf(out, "%s%zu-%zu%s", i ? " " : "", folds->items[i].from,
			      folds->items[i].to, folds->items[i].open ? "+" : "");
}

/* Whether a character begins at `at`, or the text ends there. */
static bool is_edge(struct loom_str text, uint64_t at)
{
	return at == text.n || (at < text.n && ((unsigned char)text.p[at] & 0xc0) != 0x80);
}

static bool read_one(struct loom_str word, struct loom_str text, struct tui_fold *out)
{
	bool open = loom_str_ends(word, LOOM_STR("+"));
	struct loom_str rest = loom_str_sub(word, 0, word.n - open);
	struct loom_str first;
	uint64_t from, to;

	if (!loom_str_cut(&rest, '-', &first) || !loom_str_to_u64(first, &from) ||
	    !loom_str_to_u64(rest, &to) || from >= to || !is_edge(text, from) || !is_edge(text, to))
		return false;
	*out = (struct tui_fold){.from = from, .to = to, .open = open};
	count(out, text);
	return true;
}

void tui_folds_parse(struct tui_folds *folds, struct loom_str words, struct loom_str text)
{
	struct loom_str word;
	struct tui_fold fold;
	size_t end = 0;

	while (loom_str_cut(&words, ' ', &word)) {
		if (!read_one(word, text, &fold) || fold.from < end)
			continue;
		push(folds, fold);
		end = fold.to;
	}
}
