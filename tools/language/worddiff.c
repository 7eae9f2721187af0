/* Word diff: texts to words, words to numbers, then Myers' greedy search from both ends ("An O(ND)
 * Difference Algorithm", section 4b) without recursion: the halves of each box wait on a stack.
 * Memory is linear in the number of words, and only so many are told apart. A box whose search
 * takes too long is split where the search got furthest, so time is bounded too. */
#include <loom/language/worddiff.h>

#include <loom/base/utf8.h>
#include <loom/text/width.h>

/* --- words --- */

struct words {
	struct loom_str *items;
	uint32_t *ids; /* equal words have equal numbers */
	bool *changed; /* gone or new */
	size_t count;
	size_t cap;
};

enum word_kind { WORD_LETTERS, WORD_BLANKS, WORD_ALONE };

static bool is_letter(uint32_t cp)
{
	if (cp < 0x80)
		return (cp >= '0' && cp <= '9') || (cp >= 'a' && cp <= 'z') ||
		       (cp >= 'A' && cp <= 'Z') || cp == '_';
	/* Signs that separate words: punctuation, arrows, boxes. Wide characters are words of their
	 * own. */
	return cp != LOOM_CP_BAD && !(cp >= 0x2000 && cp <= 0x2BFF) &&
	       !(cp >= 0x80 && cp <= 0xBF) && cp != 0xD7 && cp != 0xF7 && loom_cp_width(cp) < 2;
}

static enum word_kind kind_of(uint32_t cp)
{
	if (cp == ' ' || cp == '\t')
		return WORD_BLANKS;
	return is_letter(cp) ? WORD_LETTERS : WORD_ALONE;
}

/* Marks and joiners belong to the character before them. */
static struct loom_str next_word(struct loom_str text, size_t *at)
{
	size_t begin = *at;
	enum word_kind kind = kind_of(loom_utf8_next(text, at));

	while (*at < text.n) {
		size_t next = *at;
		uint32_t cp = loom_utf8_next(text, &next);
		bool mark = cp != LOOM_CP_BAD && loom_cp_is_mark(cp);

		if (!mark && (kind == WORD_ALONE || kind_of(cp) != kind))
			break;
		*at = next;
	}
	return loom_str_sub(text, begin, *at - begin);
}

/* From this word on, the rest of a text is one word: each takes sixty times its size in memory, or
 * more. */
#define WORDS_MAX ((size_t)1 << 20)

static void split(struct loom_str text, struct loom_arena *arena, struct words *out)
{
	size_t at = 0;

	*out = (struct words){.count = 0};
	while (at < text.n) {
		const bool last = out->count == WORDS_MAX;

		out->items = loom_arena_grow(arena, out->items, out->count, &out->cap,
					     sizeof *out->items);
		out->items[out->count++] =
			last ? loom_str_sub(text, at, SIZE_MAX) : next_word(text, &at);
		if (last)
			break;
	}
	out->ids = LOOM_ARENA_ARRAY(arena, out->count, uint32_t);
	out->changed = LOOM_ARENA_ARRAY(arena, out->count, bool);
}

/* --- numbers --- */

struct numbering {
	struct loom_str *words;
	uint32_t *slots; /* number + 1, 0: free */
	size_t mask;
	uint32_t count;
};

static size_t hash_of(struct loom_str s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return (size_t)(h ^ h >> 29);
}

static uint32_t number_of(struct numbering *numbers, struct loom_str word)
{
	size_t at = hash_of(word) & numbers->mask;

	while (numbers->slots[at]) {
		uint32_t id = numbers->slots[at] - 1;

		if (loom_str_eq(numbers->words[id], word))
			return id;
		at = (at + 1) & numbers->mask;
	}
	numbers->words[numbers->count] = word;
	numbers->slots[at] = ++numbers->count;
	return numbers->count - 1;
}

static void give_numbers(struct words *a, struct words *b, struct loom_arena *arena)
{
	size_t total = a->count + b->count;
	struct numbering numbers = {.mask = 63};

	while (numbers.mask < total * 2)
		numbers.mask = numbers.mask * 2 + 1;
	numbers.words = LOOM_ARENA_ARRAY(arena, total, struct loom_str);
	numbers.slots = LOOM_ARENA_ARRAY(arena, numbers.mask + 1, uint32_t);
	for (size_t i = 0; i < a->count; i++)
		a->ids[i] = number_of(&numbers, a->items[i]);
	for (size_t i = 0; i < b->count; i++)
		b->ids[i] = number_of(&numbers, b->items[i]);
}

/* --- the search --- */

#define ROUNDS_MAX 1000 /* per box, before it is split where the search got furthest */
#define STEPS_MAX  ((int64_t)1 << 25) /* of all boxes, before the rest counts as changed */

/* Words a0..a1 of the old text against b0..b1 of the new one. */
struct box {
	ptrdiff_t a0, a1, b0, b1;
};

/* How far x got on each diagonal x − y after as many edits as rounds; −1: not reached. Counted from
 * the beginning of the box, or (back) from its end. */
struct front {
	ptrdiff_t *reach; /* at diagonal 0; there is room on both sides */
	bool back;
};

struct search {
	struct words *a;
	struct words *b;
	struct front forth;
	struct front back;
	struct box box;
	struct box *stack;
	size_t depth;
	size_t cap;
	int64_t steps;
	struct loom_arena *arena;
};

/* The point where a box is cut in two, counted from its beginning. */
struct cut {
	ptrdiff_t x;
	ptrdiff_t y;
	bool found;
};

static ptrdiff_t rows(const struct box *box)
{
	return box->a1 - box->a0;
}

static ptrdiff_t columns(const struct box *box)
{
	return box->b1 - box->b0;
}

/* Whether the words just past (x, y) are equal, seen from the front's own end. */
static bool equal_at(const struct search *s, bool back, ptrdiff_t x, ptrdiff_t y)
{
	const struct box *box = &s->box;

	return back ? s->a->ids[box->a1 - 1 - x] == s->b->ids[box->b1 - 1 - y]
		    : s->a->ids[box->a0 + x] == s->b->ids[box->b0 + y];
}

/* The furthest x on a diagonal with one more edit than its neighbours needed. */
static ptrdiff_t step(const struct search *s, const struct front *front, ptrdiff_t diagonal)
{
	ptrdiff_t x = front->reach[diagonal];
	ptrdiff_t left = front->reach[diagonal - 1];
	ptrdiff_t above = front->reach[diagonal + 1];

	if (left >= 0 && left < rows(&s->box) && left + 1 > x)
		x = left + 1;
	if (above > x && above - diagonal <= columns(&s->box))
		x = above;
	return x;
}

/* Advances one front by one round. Two fronts meet where they have passed each other on a
 * diagonal. */
static void advance(struct search *s, const struct front *front, const struct front *other,
		    ptrdiff_t round, struct cut *cut)
{
	ptrdiff_t n = rows(&s->box);
	ptrdiff_t m = columns(&s->box);

	for (ptrdiff_t d = -round; d <= round && !cut->found; d += 2) {
		ptrdiff_t x = 0;
		ptrdiff_t met = 0;

		if (d < -m || d > n)
			continue;
		x = round ? step(s, front, d) : 0;
		while (x >= 0 && x < n && x - d < m && equal_at(s, front->back, x, x - d))
			x++;
		front->reach[d] = x;
		s->steps++;
		met = other->reach[n - m - d];
		if (x < 0 || met < 0 || x + met < n)
			continue;
		*cut = front->back ? (struct cut){n - x, m - (x - d), true}
				   : (struct cut){x, x - d, true};
	}
}

/* The point furthest from the beginning. */
static struct cut furthest(const struct search *s, ptrdiff_t round)
{
	struct cut best = {0, 0, true};

	for (ptrdiff_t d = -round; d <= round; d++) {
		ptrdiff_t x = d < -columns(&s->box) || d > rows(&s->box) ? -1 : s->forth.reach[d];

		if (x >= 0 && 2 * x - d > best.x + best.y)
			best = (struct cut){x, x - d, true};
	}
	return best;
}

static void clear(const struct search *s, const struct front *front)
{
	for (ptrdiff_t d = -columns(&s->box) - 1; d <= rows(&s->box) + 1; d++)
		front->reach[d] = -1;
}

static struct cut find_cut(struct search *s)
{
	struct cut cut = {0, 0, false};

	clear(s, &s->forth);
	clear(s, &s->back);
	for (ptrdiff_t round = 0; !cut.found; round++) {
		advance(s, &s->forth, &s->back, round, &cut);
		if (!cut.found)
			advance(s, &s->back, &s->forth, round, &cut);
		if (!cut.found && round == ROUNDS_MAX)
			cut = furthest(s, round);
	}
	return cut;
}

static void push(struct search *s, struct box box)
{
	s->stack = loom_arena_grow(s->arena, s->stack, s->depth, &s->cap, sizeof *s->stack);
	s->stack[s->depth++] = box;
}

static void mark_changed(struct search *s)
{
	for (ptrdiff_t i = s->box.a0; i < s->box.a1; i++)
		s->a->changed[i] = true;
	for (ptrdiff_t i = s->box.b0; i < s->box.b1; i++)
		s->b->changed[i] = true;
}

/* Removes what is equal at both ends of the box. */
static void trim(struct search *s)
{
	struct box *box = &s->box;

	while (rows(box) && columns(box) && s->a->ids[box->a0] == s->b->ids[box->b0]) {
		box->a0++;
		box->b0++;
	}
	while (rows(box) && columns(box) && s->a->ids[box->a1 - 1] == s->b->ids[box->b1 - 1]) {
		box->a1--;
		box->b1--;
	}
}

static void search_box(struct search *s)
{
	struct box box;
	struct cut cut;

	trim(s);
	box = s->box;
	if (!rows(&box) || !columns(&box) || s->steps > STEPS_MAX) {
		mark_changed(s);
		return;
	}
	cut = find_cut(s);
	if (cut.x + cut.y == 0 || cut.x + cut.y == rows(&box) + columns(&box)) {
		mark_changed(s);
		return;
	}
	push(s, (struct box){box.a0, box.a0 + cut.x, box.b0, box.b0 + cut.y});
	push(s, (struct box){box.a0 + cut.x, box.a1, box.b0 + cut.y, box.b1});
}

static void find_changes(struct words *a, struct words *b, struct loom_arena *arena)
{
	struct search s = {.a = a, .b = b, .arena = arena, .back = {.back = true}};
	size_t room = a->count + b->count + 3;

	/* A front's diagonals run from -columns - 1 to rows + 1, the other's mirror them. */
	s.forth.reach = LOOM_ARENA_ARRAY(arena, room, ptrdiff_t) + b->count + 1;
	s.back.reach = LOOM_ARENA_ARRAY(arena, room, ptrdiff_t) + b->count + 1;
	push(&s, (struct box){0, (ptrdiff_t)a->count, 0, (ptrdiff_t)b->count});
	while (s.depth) {
		s.box = s.stack[--s.depth];
		search_box(&s);
	}
}

/* --- parts --- */

static bool is_blank(struct loom_str word)
{
	return word.p[0] == ' ' || word.p[0] == '\t';
}

/* A single blank between two changes joins them; otherwise the words would be torn apart. */
static void join_over_blanks(struct words *a, struct words *b)
{
	bool changed = false;
	size_t i = 0;
	size_t j = 0;

	while (i < a->count || j < b->count) {
		bool gone = i < a->count && a->changed[i];
		bool new = j < b->count && b->changed[j];

		if (gone || new) {
			changed = true;
			i += gone;
			j += new;
			continue;
		}
		if (changed && is_blank(a->items[i]) &&
		    ((i + 1 < a->count && a->changed[i + 1]) ||
		     (j + 1 < b->count && b->changed[j + 1])))
			a->changed[i] = b->changed[j] = true;
		else
			changed = false;
		i++;
		j++;
	}
}

static void add_part(struct loom_arena *arena, struct loom_diff *out, size_t *cap,
		     struct loom_diff_part part)
{
	struct loom_diff_part *last = out->count ? &out->parts[out->count - 1] : NULL;

	if (!part.text.n)
		return;
	if (last && part.kind == LOOM_DIFF_SAME && last->kind == part.kind) {
		last->text.n += part.text.n;
		return;
	}
	out->parts = loom_arena_grow(arena, out->parts, out->count, cap, sizeof *out->parts);
	out->parts[out->count++] = part;
}

/* The text of the words from `begin` up to, but not including, `end`. */
static struct loom_str text_of(const struct words *words, size_t begin, size_t end)
{
	struct loom_str last;

	if (begin == end)
		return loom_str_make(NULL, 0);
	last = words->items[end - 1];
	return loom_str_make(words->items[begin].p,
			     (size_t)(last.p + last.n - words->items[begin].p));
}

static struct loom_str take_changed(const struct words *words, size_t *at)
{
	size_t begin = *at;

	while (*at < words->count && words->changed[*at])
		++*at;
	return text_of(words, begin, *at);
}

static void diff_words(struct loom_str before, struct loom_str after, struct loom_arena *arena,
		       struct loom_diff *out, size_t *cap)
{
	struct loom_arena *scratch = loom_arena_create();
	struct words a;
	struct words b;
	size_t i = 0;
	size_t j = 0;

	split(before, scratch, &a);
	split(after, scratch, &b);
	give_numbers(&a, &b, scratch);
	find_changes(&a, &b, scratch);
	join_over_blanks(&a, &b);
	while (i < a.count || j < b.count) {
		struct loom_str gone = take_changed(&a, &i);
		struct loom_str new = take_changed(&b, &j);
		size_t begin = j;

		while (i < a.count && j < b.count && !a.changed[i] && !b.changed[j]) {
			i++;
			j++;
		}
		add_part(arena, out, cap, (struct loom_diff_part){LOOM_DIFF_GONE, gone});
		add_part(arena, out, cap, (struct loom_diff_part){LOOM_DIFF_NEW, new});
		add_part(arena, out, cap,
			 (struct loom_diff_part){LOOM_DIFF_SAME, text_of(&b, begin, j)});
	}
	loom_arena_destroy(scratch);
}

/* --- long texts --- */

/* From this size on, equal lines at the beginning and the end are removed first. A line end always
 * begins a word, so both texts may be cut there. */
#define LONG_TEXTS ((size_t)1 << 20)

static size_t same_lines_before(struct loom_str a, struct loom_str b)
{
	const size_t n = a.n < b.n ? a.n : b.n;
	size_t same = 0;

	while (same < n && a.p[same] == b.p[same])
		same++;
	while (same > 0 && a.p[--same] != '\n')
		continue;
	return same;
}

static size_t same_lines_behind(struct loom_str a, struct loom_str b)
{
	const size_t n = a.n < b.n ? a.n : b.n;
	size_t same = 0;

	while (same < n && a.p[a.n - same - 1] == b.p[b.n - same - 1])
		same++;
	while (same > 0 && a.p[a.n - same] != '\n')
		same--;
	return same;
}

void loom_word_diff(struct loom_str before, struct loom_str after, struct loom_arena *arena,
		    struct loom_diff *out)
{
	struct loom_diff_part head = {.kind = LOOM_DIFF_SAME};
	struct loom_diff_part tail = {.kind = LOOM_DIFF_SAME};
	size_t cap = 0;

	*out = (struct loom_diff){NULL, 0};
	if (before.n + after.n >= LONG_TEXTS) {
		head.text = loom_str_sub(after, 0, same_lines_before(before, after));
		before = loom_str_sub(before, head.text.n, SIZE_MAX);
		after = loom_str_sub(after, head.text.n, SIZE_MAX);
		tail.text.n = same_lines_behind(before, after);
		before.n -= tail.text.n;
		after.n -= tail.text.n;
		tail.text.p = after.p + after.n;
	}
	add_part(arena, out, &cap, head);
	diff_words(before, after, arena, out, &cap);
	add_part(arena, out, &cap, tail);
}
