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

/* Matches a head at `at`. *out_next is the word behind its first part, *out_second the place of its
 * second part, SIZE_MAX without one. Returns the number of words in it. */
static size_t fits(const struct phrase_words *words, size_t at, const char *said, size_t *out_next,
		   size_t *out_second)
{
	struct loom_str rest = loom_str_of(said);
	struct loom_str word;
	size_t n = 0;

	*out_second = SIZE_MAX;
	while (loom_str_cut(&rest, ' ', &word)) {
		while (n && at < words->count && is_article(&words->items[at]) &&
		       !is_word(words, at, word) && !loom_str_is(word, "*"))
			at++;
		if (loom_str_is(word, "*")) {
			(void)loom_str_cut(&rest, ' ', &word);
			*out_next = at;
			while (++at < words->count && !is_word(words, at, word))
				continue;
			*out_second = at;
			return at < words->count ? n + 1 : 0;
		}
		if (!is_word(words, at, word))
			return 0;
		at++;
		n++;
	}
	*out_next = at;
	return n;
}

/* "show me what's in a7x2", "I need a look at a7x2": the second look adds nothing. */
static void pass_question(const struct phrase_words *words, struct phrase_start *start)
{
	const bool looks = start->head == HEAD_LOOK || start->head == HEAD_GIVE;

	for (size_t i = 0; looks && i < LOOM_COUNT(heads); i++) {
		size_t from = start->next;
		size_t behind = 0;
		size_t part = 0;

		while (from < words->count && is_article(&words->items[from]))
			from++;
		if (heads[i].head == HEAD_LOOK &&
		    (strncmp(heads[i].said, "what", 4) == 0 || strchr(heads[i].said, ' ')) &&
		    fits(words, from, heads[i].said, &behind, &part) && part == SIZE_MAX) {
			start->next = behind;
			i = 0;
		}
	}
}

bool phrase_head_at(struct phrase_words *words, size_t at, struct phrase_start *out)
{
	const struct head *best = NULL;
	size_t longest = 0;
	size_t second = SIZE_MAX;
	size_t next = 0;
	bool again = false;

	while (at < words->count && is_article(&words->items[at]))
		at++;
	if (at == words->count || words->items[at].kind != PHRASE_WORD)
		return false;
	for (size_t i = 0; i < LOOM_COUNT(heads); i++) {
		size_t behind = 0;
		size_t part = 0;
		size_t n = 0;
		const bool reads = heads[i].said[0] == '+';

		if (heads[i].said[reads] != words->items[at].text.p[0])
			continue;
		n = fits(words, at, heads[i].said + (reads ? 1 : 0), &behind, &part);

		if (n <= longest)
			continue;
		longest = n;
		best = &heads[i];
		next = behind;
		again = reads;
		second = part;
	}
	if (!best)
		return false;
	if (second != SIZE_MAX)
		phrase_cut(words, second, second + 1);
	*out = (struct phrase_start){.head = best->head,
				     .shape = best->shape,
				     .next = again ? at : next,
				     .unsure = best->unsure};
	pass_question(words, out);
	return true;
}

/* ---- nouns ---- */

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

/* LIST, GET and GIVE read as LOOK does, but for rules of their own. */
static enum phrase_head reads_as(enum phrase_head head)
{
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
