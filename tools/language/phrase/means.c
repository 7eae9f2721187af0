/* What words mean: which of them begin a command, which name what it is about, and which command
 * both together ask for. */
#include "inside.h"

/* ---- heads ---- */

/* In a head of two parts, * stands for what is between them. */
static const struct head {
	const char *said;
	enum phrase_head head;
	enum phrase_shape shape;
	bool unsure;
} heads[] = {
#define SAY(said_, head_)  {.said = said_, .head = HEAD_##head_},
#define OWN(said_, shape_) {.said = said_, .head = HEAD_VERB, .shape = SHAPE_##shape_},
#define MAY(said_, shape_)                                                                         \
	{.said = said_, .head = HEAD_VERB, .shape = SHAPE_##shape_, .unsure = true},
#include "words.def"
};

/* Words that only come near a head, several in a row. */
static const struct near {
	const char *said; /* a|b c|d */
	enum phrase_head head;
	enum phrase_shape shape;
} nears[] = {
#define NEAR(said_, head_)  {said_, HEAD_##head_, SHAPE_NONE},
#define LIKE(said_, shape_) {said_, HEAD_VERB, SHAPE_##shape_},
#include "near.def"
};

/* Articles inside a head are passed over. */
static bool is_article(const struct phrase_word *word)
{
	return word->kind == PHRASE_WORD &&
	       (loom_str_is(word->text, "the") || loom_str_is(word->text, "a") ||
		loom_str_is(word->text, "my"));
}

static bool is_word(const struct phrase_words *words, size_t at, struct loom_str said)
{
	return at < words->count && words->items[at].kind == PHRASE_WORD &&
	       loom_str_eq(words->items[at].text, said);
}

/* Where a head was found. */
struct fit {
	size_t n;      /* words in it; 0: nowhere */
	size_t next;   /* the word behind its first part */
	size_t second; /* where its second part is, SIZE_MAX without one … */
	size_t tail;   /* … and the words in that */
};

static bool fits_at(const struct phrase_words *words, size_t at, struct loom_str said,
		    size_t *out_n)
{
	struct loom_str word;

	for (*out_n = 0; loom_str_cut(&said, ' ', &word); ++*out_n)
		if (!is_word(words, at + *out_n, word))
			return false;
	return true;
}

/* Matches a head at `at`. */
static struct fit fits(const struct phrase_words *words, size_t at, struct loom_str said)
{
	struct fit fit = {.second = SIZE_MAX};
	struct loom_str word;

	while (loom_str_cut(&said, ' ', &word)) {
		while (fit.n && at < words->count && is_article(&words->items[at]) &&
		       !is_word(words, at, word) && !loom_str_is(word, "*"))
			at++;
		if (loom_str_is(word, "*")) {
			fit.next = at;
			while (++at < words->count && !fits_at(words, at, said, &fit.tail))
				continue;
			fit.second = at;
			fit.n += fit.tail;
			return at < words->count ? fit : (struct fit){.n = 0};
		}
		if (!is_word(words, at, word))
			return (struct fit){.n = 0};
		at++;
		fit.n++;
	}
	fit.next = at;
	return fit;
}

/* Cuts the second part of a head. */
static void cut_second(struct phrase_words *words, const struct fit *fit)
{
	if (fit->second != SIZE_MAX)
		phrase_cut(words, fit->second, fit->second + fit->tail);
}

/* "show me what's in a7x2", "I need a look at a7x2": the second look adds nothing. */
static void pass_question(const struct phrase_words *words, struct phrase_start *start)
{
	const bool looks = start->head == HEAD_LOOK || start->head == HEAD_GIVE;

	for (size_t i = 0; looks && i < LOOM_COUNT(heads); i++) {
		size_t from = start->next;
		struct fit fit;

		while (from < words->count && is_article(&words->items[from]))
			from++;
		if (heads[i].head != HEAD_LOOK ||
		    (strncmp(heads[i].said, "what", 4) != 0 && !strchr(heads[i].said, ' ')))
			continue;
		fit = fits(words, from, loom_str_of(heads[i].said));
		if (fit.n && fit.second == SIZE_MAX) {
			start->next = fit.next;
			i = 0;
		}
	}
}

/* Where a head may begin: articles before it mean nothing. */
static size_t past_articles(const struct phrase_words *words, size_t at)
{
	while (at < words->count && is_article(&words->items[at]))
		at++;
	return at;
}

bool phrase_head_at(struct phrase_words *words, size_t at, struct phrase_start *out)
{
	const struct head *best = NULL;
	struct fit longest = {.n = 0};
	bool again = false;

	at = past_articles(words, at);
	if (at == words->count || words->items[at].kind != PHRASE_WORD)
		return false;
	for (size_t i = 0; i < LOOM_COUNT(heads); i++) {
		const bool reads = heads[i].said[0] == '+';
		struct fit fit;

		if (heads[i].said[reads] != words->items[at].text.p[0])
			continue;
		fit = fits(words, at, loom_str_of(heads[i].said + (reads ? 1 : 0)));
		if (fit.n <= longest.n)
			continue;
		longest = fit;
		best = &heads[i];
		again = reads;
	}
	if (!best)
		return false;
	cut_second(words, &longest);
	*out = (struct phrase_start){.head = best->head,
				     .shape = best->shape,
				     .at = at,
				     .next = again ? at : longest.next,
				     .said = longest.n,
				     .unsure = best->unsure};
	pass_question(words, out);
	return true;
}

bool phrase_near_at(struct phrase_words *words, size_t at, struct phrase_start *out)
{
	struct fit longest = {.n = 0};

	at = past_articles(words, at);
	for (size_t i = 0; at < words->count && i < LOOM_COUNT(nears); i++) {
		struct loom_str rest = loom_str_of(nears[i].said);
		struct loom_str one;

		while (loom_str_cut(&rest, '|', &one)) {
			const bool reads = one.p[0] == '+';
			const struct fit fit =
				fits(words, at, loom_str_sub(one, reads ? 1 : 0, one.n));

			if (fit.n <= longest.n)
				continue;
			longest = fit;
			*out = (struct phrase_start){.head = nears[i].head,
						     .shape = nears[i].shape,
						     .at = at,
						     .next = reads ? at : fit.next,
						     .said = fit.n,
						     .unsure = true};
		}
	}
	cut_second(words, longest.n ? &longest : &(struct fit){.second = SIZE_MAX});
	return longest.n > 0;
}

/* ---- nouns ---- */

size_t phrase_number(struct loom_str word)
{
	static const char *const numbers[] = {"one", "two",   "three", "four", "five",
					      "six", "seven", "eight", "nine", "ten"};

	for (size_t i = 0; i < LOOM_COUNT(numbers); i++)
		if (loom_str_is(word, numbers[i]))
			return i + 1;
	return 0;
}

static const struct {
	const char *said;
	uint64_t noun;
} nouns[] = {
#define NOUN(said_, noun_) {.said = said_, .noun = noun_},
#include "rules.def"
};

uint64_t phrase_noun(struct loom_str word)
{
	for (size_t i = 0; i < LOOM_COUNT(nouns); i++)
		if (word.n && word.p[0] == nouns[i].said[0] && loom_str_is(word, nouns[i].said))
			return nouns[i].noun;
	return 0;
}

/* ---- both together ---- */

/* A head and what must, and must not, be said with it. The first row that fits counts; of the rows
 * right behind it those marked `also` are further readings, and then it must be asked which. */
static const struct rule {
	enum phrase_head head;
	enum phrase_shape from; /* of HEAD_VERB */
	uint64_t with;
	uint64_t without;
	enum phrase_shape shape;
	bool also;
} rules[] = {
#define RULE(head_, with_, without_, shape_)                                                       \
	{HEAD_##head_, SHAPE_NONE, with_, without_, SHAPE_##shape_, false},
#define ALSO(head_, with_, without_, shape_)                                                       \
	{HEAD_##head_, SHAPE_NONE, with_, without_, SHAPE_##shape_, true},
#define TURN(from_, with_, without_, shape_)                                                       \
	{HEAD_VERB, SHAPE_##from_, with_, without_, SHAPE_##shape_, false},
#define TOO(from_, with_, without_, shape_)                                                        \
	{HEAD_VERB, SHAPE_##from_, with_, without_, SHAPE_##shape_, true},
#include "rules.def"
};

/* LIST, GET and GIVE read as LOOK does, and MOVE as GO, but for rules of their own. */
static enum phrase_head reads_as(enum phrase_head head)
{
	if (head == HEAD_MOVE || head == HEAD_RETURN)
		return HEAD_GO;
	return head == HEAD_LIST || head == HEAD_GET || head == HEAD_GIVE ? HEAD_LOOK : head;
}

static bool holds(const struct rule *rule, const struct phrase_start *start, uint64_t said)
{
	return (rule->head == start->head || rule->head == reads_as(start->head)) &&
	       rule->from == start->shape && (rule->with & said) == rule->with &&
	       (rule->without & said) == 0;
}

size_t phrase_meant(const struct phrase_start *start, uint64_t said,
		    enum phrase_shape out[LANG_PHRASE_LINES])
{
	size_t count = 0;

	for (size_t i = 0; i < LOOM_COUNT(rules) && count < LANG_PHRASE_LINES; i++) {
		if (count && !rules[i].also)
			break;
		if (rules[i].also == (count > 0) && holds(&rules[i], start, said))
			out[count++] = rules[i].shape;
	}
	if (!count && start->shape != SHAPE_NONE)
		out[count++] = start->shape;
	if (count && start->head == HEAD_LIST && out[0] == SHAPE_VIEW) {
		/* What there is to list of a node. */
		count = 0;
		out[count++] = SHAPE_LIST_CONT;
		out[count++] = SHAPE_LIST_NOTE;
		out[count++] = SHAPE_LIST_LINK;
	}
	return count;
}
