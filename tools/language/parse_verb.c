/* The verb at the head of a line, and the words that mean nothing or too much.
 *
 * Phrases are compared by their meaningful words: "could you show me the node" and "show" are the
 * same. The longest phrase wins: "go back" before "go to". */
#include "inside.h"

/* More words than any phrase in the table has. */
#define PHRASE_MAX 4

static bool is_in(struct loom_str word, const char *const *list)
{
	for (; word.n && *list; list++)
		if ((**list | 0x20) == (word.p[0] | 0x20) &&
		    loom_str_eq_fold(word, loom_str_of(*list)))
			return true;
	return false;
}

bool lang_is_filler(struct loom_str word)
{
	static const char *const fillers[] = {"please", "kindly", "me",  "us", "the", "a",    "an",
					      "node",   "to",     "for", "of", "on",  "with", NULL};

	return is_in(word, fillers);
}

bool lang_is_logic(struct loom_str word)
{
	static const char *const logic[] = {"or",    "and",    "then",    "if",      "not",
					    "nor",   "but",    "dont",    "don't",   "don’t",
					    "never", "unless", "doesn't", "doesn’t", "cannot",
					    "can't", "can’t",  "without", "instead", "except",
					    "when",  "until",  "while",   NULL};

	return is_in(word, logic);
}

/* The meaningful words of a phrase or of tokens. */
struct words {
	struct loom_str items[PHRASE_MAX];
	size_t at[PHRASE_MAX]; /* token numbers */
	size_t count;
	bool onto; /* a "to" stands further behind the first one, or nothing does */
};

static void words_of_phrase(struct loom_str phrase, struct words *out)
{
	struct loom_str word;

	out->count = 0;
	while (loom_str_cut(&phrase, ' ', &word))
		if (!lang_is_filler(word) && out->count < PHRASE_MAX)
			out->items[out->count++] = word;
}

static void words_of_tokens(const struct lang_tokens *tokens, size_t from, struct words *out)
{
	out->count = 0;
	out->onto = tokens->count == from + 1;
	for (size_t i = from + 2; i < tokens->count; i++)
		out->onto = out->onto || ((tokens->items[i].kind == LANG_WORD ||
					   tokens->items[i].kind == LANG_ARG) &&
					  loom_str_eq_fold(tokens->items[i].text, LOOM_STR("to")));
	for (size_t i = from; i < tokens->count && out->count < PHRASE_MAX; i++) {
		const struct lang_token *token = &tokens->items[i];

		if (token->kind != LANG_WORD && token->kind != LANG_ARG)
			return;
		if (lang_is_filler(token->text))
			continue;
		out->items[out->count] = token->text;
		out->at[out->count++] = i;
	}
}

/* Returns the number of words in `phrase` if all of them are at the head of `words`, or 0. */
static size_t fits(const struct words *words, struct loom_str phrase)
{
	struct words wanted;
	struct loom_str first = words->count ? words->items[0] : LOOM_STR("");

	if (!first.n || !loom_str_eq_fold(loom_str_sub(phrase, 0, first.n), first))
		return 0;
	words_of_phrase(phrase, &wanted);
	if (wanted.count > words->count)
		return 0;
	for (size_t i = 0; i < wanted.count; i++)
		if (!loom_str_eq_fold(wanted.items[i], words->items[i]))
			return 0;
	return wanted.count;
}

/* "move to b3k9" goes there, "move a7x2 to b3k9" hangs a branch there. */
static bool fits_better(const struct words *words, struct loom_str phrase, struct loom_str other)
{
	return words->onto && loom_str_ends(other, LOOM_STR(" to")) &&
	       !loom_str_ends(phrase, LOOM_STR(" to"));
}

/* Finds the longest of a verb's name and synonyms that fits, if it is longer than *longest, or as
 * long and the better one. */
static bool longer_fit(const struct words *words, const struct loom_verb_info *info,
		       size_t *longest, struct loom_str *out_phrase)
{
	struct loom_str rest = loom_str_of(info->synonyms);
	struct loom_str phrase = loom_str_of(info->name);
	bool found = false;

	do {
		size_t count = fits(words, phrase);

		if (count > *longest ||
		    (count && count == *longest && fits_better(words, phrase, *out_phrase))) {
			*longest = count;
			*out_phrase = phrase;
			found = true;
		}
	} while (loom_str_cut(&rest, '|', &phrase));
	return found;
}

static void match_unsure(const struct words *words, size_t *longest, struct lang_verb_match *match)
{
	size_t count = 0;
	const struct loom_unsure_info *unsure = loom_unsure(&count);

	for (size_t i = 0; i < count; i++) {
		size_t fit = fits(words, loom_str_of(unsure[i].phrase));

		if (fit <= *longest)
			continue;
		*longest = fit;
		match->verb = LOOM_VERB_NONE;
		match->readings = unsure[i].readings;
		match->phrase = loom_str_of(unsure[i].phrase);
	}
}

/* The token after the phrase. A word that also says what to list ("show children of") is left to be
 * read again. */
static size_t behind(const struct words *words, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (lang_word_value(LANG_P_WHAT, words->items[i]))
			return words->at[i];
	return words->at[count - 1] + 1;
}

static struct lang_verb_match match_words(const struct words *words)
{
	struct lang_verb_match match = {0};
	size_t longest = 0;

	for (int verb = 1; verb < LOOM_VERB_COUNT; verb++)
		if (longer_fit(words, loom_verb_info((enum loom_verb)verb), &longest,
			       &match.phrase))
			match.verb = (enum loom_verb)verb;
	match_unsure(words, &longest, &match);
	match.unpin = loom_str_is(match.phrase, "unpin") || loom_str_is(match.phrase, "drop pin");
	if (longest)
		match.next = behind(words, longest);
	else if (words->count)
		match.phrase = words->items[0];
	return match;
}

struct lang_verb_match lang_verb_match(const struct lang_tokens *tokens, size_t from)
{
	struct words words = {0};

	words_of_tokens(tokens, from, &words);
	return match_words(&words);
}

bool lang_starts_with_verb(struct loom_str text)
{
	struct words words = {0};
	size_t at = lang_blanks(text, 0);

	while (at < text.n && words.count < PHRASE_MAX) {
		size_t end = at;

		while (end < text.n && !lang_blank(text, end) && text.p[end] != '\r' &&
		       text.p[end] != '\n')
			end++;
		if (end == at)
			break;
		words.items[words.count] = loom_str_sub(text, at, end - at);
		if (words.count == 0 && lang_is_filler(words.items[0]))
			return false;
		if (!lang_is_filler(words.items[words.count]))
			words.count++;
		at = end + lang_blanks(text, end);
	}
	while (words.count == 1 && words.items[0].n &&
	       lang_is_closing(words.items[0].p[words.items[0].n - 1]))
		words.items[0].n--;
	return match_words(&words).verb != LOOM_VERB_NONE;
}
