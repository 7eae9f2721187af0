/* Ranks commands by the words that a person types: names, keys, synonyms, summaries. The synonyms
 * are those of wishes.def and, for verbs, of verbs.def. */
#include <loom/commands/wish.h>

#include <loom/base/base.h>
#include <loom/language/registry.h>

#define FOUND 10000 /* for each word that is found */
#define NAMED 900   /* the whole wish is the name */
#define BEGUN 300   /* the name begins with the whole wish */

static const struct {
	const char *name;
	const char *words;
} wishes[] = {
#define LOOM_WISH(name_, words_) {name_, words_},
#include <loom/wishes.def>
};

bool loom_wish_at(size_t index, struct loom_str *out_name, struct loom_str *out_words)
{
	if (index >= LOOM_COUNT(wishes))
		return false;
	*out_name = loom_str_of(wishes[index].name);
	*out_words = loom_str_of(wishes[index].words);
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80;
}

/* The next word of a text, without what stands around it; false at the end. */
static bool next_word(struct loom_str *rest, struct loom_str *out)
{
	size_t from = 0;
	size_t to;

	while (from < rest->n && !is_letter(rest->p[from]))
		from++;
	for (to = from; to < rest->n && is_letter(rest->p[to]);)
		to++;
	*out = loom_str_sub(*rest, from, to - from);
	*rest = loom_str_sub(*rest, to, rest->n - to);
	return out->n > 0;
}

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static bool begins(struct loom_str text, struct loom_str word)
{
	return text.n >= word.n && loom_str_eq_fold(loom_str_sub(text, 0, word.n), word);
}

/* Two forms of one word: exports, exporting, exported. */
static bool alike(struct loom_str a, struct loom_str b)
{
	static const char *const ends[] = {"s", "es", "ed", "d", "ing", "er"};
	const struct loom_str longer = a.n > b.n ? a : b;
	const struct loom_str shorter = a.n > b.n ? b : a;

	if (shorter.n < 3 || !begins(longer, shorter))
		return false;
	for (size_t i = 0; i < LOOM_COUNT(ends); i++)
		if (loom_str_eq_fold(loom_str_sub(longer, shorter.n, longer.n - shorter.n),
				     loom_str_of(ends[i])))
			return true;
	return false;
}

/* 4: the word itself, 3: a form of it, 2: its beginning, 1: a part of it; 0: none of these. */
static unsigned word_in(struct loom_str text, struct loom_str word)
{
	unsigned best = 0;
	struct loom_str each;

	while (best < 4 && next_word(&text, &each)) {
		unsigned now = 0;

		if (loom_str_eq_fold(each, word))
			now = 4;
		else if (alike(each, word))
			now = 3;
		else if (begins(each, word))
			now = 2;
		else
			for (size_t i = 1; word.n > 2 && i + word.n <= each.n && !now; i++)
				now = begins(loom_str_sub(each, i, each.n - i), word);
		best = now > best ? now : best;
	}
	return best;
}

/* Words that say little: they are looked for only when there are no others. */
static bool is_small(struct loom_str word)
{
	static const char small[] =
		"|a|an|the|this|that|these|those|of|to|in|on|for|from|with|and|or|is|it|its|i|me|"
		"my|"
		"how|does|can|where|which|all|be|by|at|as|here|there|one|some|want|";
	size_t at = 0;
	const struct loom_str list = LOOM_STR(small);

	for (; (at = loom_str_find_char(list, '|', at)) != SIZE_MAX && at + 1 < list.n; at++) {
		size_t end = loom_str_find_char(list, '|', at + 1);

		if (end != SIZE_MAX &&
		    loom_str_eq_fold(loom_str_sub(list, at + 1, end - at - 1), word))
			return true;
	}
	return false;
}

static unsigned synonym_of(struct loom_str name, struct loom_str word)
{
	const struct loom_verb_info *verb = loom_verb_info(loom_verb_find(name));
	unsigned best = verb ? word_in(loom_str_of(verb->synonyms), word) : 0;

	for (size_t i = 0; i < LOOM_COUNT(wishes); i++)
		if (loom_str_is(name, wishes[i].name)) {
			const unsigned now = word_in(loom_str_of(wishes[i].words), word);

			best = now > best ? now : best;
		}
	return best;
}

/* Names count more than synonyms, and these more than summaries. */
static unsigned word_rank(struct loom_str word, const struct loom_offer *offer)
{
	const unsigned whole = loom_str_eq_fold(offer->name, word) ? 4
			       : begins(offer->name, word)         ? 2
								   : 0;
	const unsigned as_name = most(whole, word_in(offer->name, word)) * 20;
	const unsigned as_synonym = synonym_of(offer->name, word) * 16;
	const unsigned as_summary = word_in(offer->summary, word) * 7;

	if (offer->key.n && loom_str_eq(offer->key, word))
		return 120;
	/* A part of a word is a hint only where words are few. */
	return most(as_name, most(as_synonym > 16 ? as_synonym : 0,
				  as_summary > 7 || word.n > 3 ? as_summary : 0));
}

/* The words of a wish that count. */
static bool counts(struct loom_str word, bool small_too)
{
	return small_too || !is_small(word);
}

static bool only_small(struct loom_str wish)
{
	struct loom_str word;

	while (wish.n && loom_str_cut(&wish, ' ', &word))
		if (word.n && !is_small(word))
			return false;
	return true;
}

unsigned loom_wish_rank(struct loom_str wish, const struct loom_offer *offer)
{
	const bool small_too = only_small(wish);
	struct loom_str rest = loom_str_trim(wish);
	struct loom_str word;
	unsigned rank = 0;

	if (rest.n == 0)
		return 0;
	if (loom_str_eq_fold(rest, offer->name))
		rank += NAMED;
	else if (begins(offer->name, rest))
		rank += BEGUN;
	while (rest.n && loom_str_cut(&rest, ' ', &word)) {
		const unsigned now = word.n && counts(word, small_too) ? word_rank(word, offer) : 0;

		rank += now ? FOUND + now : 0;
	}
	return rank >= FOUND ? rank : 0;
}

unsigned loom_wish_found(unsigned rank)
{
	return rank / FOUND;
}

bool loom_wish_fits(struct loom_str word, const struct loom_offer *offer)
{
	return word.n > 2 && (word_in(offer->name, word) > 1 || synonym_of(offer->name, word) > 1 ||
			      word_in(offer->summary, word) > 1);
}
