/* Whether a command is said in earnest: what leads in politely and may go, and what takes back,
 * puts off, asks or tells instead. */
#include "inside.h"

/* Phrases that lead into a command. */
static const struct lead {
	const char *said;
	enum phrase_tone tone;
} leads[] = {
	{"let me", TONE_ANNOUNCED},
	{"let us", TONE_ANNOUNCED},
	{"let's", TONE_ANNOUNCED},
	{"lets", TONE_ANNOUNCED},
	{"i will", TONE_ANNOUNCED},
	{"i'll", TONE_ANNOUNCED},
	{"we'll", TONE_ANNOUNCED},
	{"i shall", TONE_ANNOUNCED},
	{"i now", TONE_ANNOUNCED},
	{"i think i will", TONE_ANNOUNCED},
	{"i think i'll", TONE_ANNOUNCED},
	{"i believe i'll", TONE_ANNOUNCED},
	{"i guess i'll", TONE_ANNOUNCED},
	{"i'm about to", TONE_ANNOUNCED},
	{"i am about to", TONE_ANNOUNCED},
	{"i'm now going to", TONE_ANNOUNCED},
	{"i am now going to", TONE_ANNOUNCED},
	{"my next step is to", TONE_ANNOUNCED},
	{"the next step is to", TONE_ANNOUNCED},
	{"next step is to", TONE_ANNOUNCED},
	{"i'm", TONE_ANNOUNCED},
	{"i am", TONE_ANNOUNCED},
	{"i'd love to", TONE_WISH},
	{"i would love to", TONE_WISH},
	{"i'd rather", TONE_WISH},
	{"i'd better", TONE_WISH},
	{"i had better", TONE_WISH},
	{"i plan to", TONE_WISH},
	{"i intend to", TONE_WISH},
	{"i mean to", TONE_WISH},
	{"i hope to", TONE_WISH},
	{"i feel i should", TONE_ASKING},
	{"i think i should", TONE_ASKING},
	{"i think we should", TONE_ASKING},
	{"i should", TONE_ASKING},
	{"we should", TONE_ASKING},
	{"it would help to", TONE_ASKING},
	{"it might help to", TONE_ASKING},
	{"it makes sense to", TONE_WISH},
	{"it is time to", TONE_WISH},
	{"we have to", TONE_WISH},
	{"going to", TONE_ANNOUNCED},
	{"about to", TONE_ANNOUNCED},
	{"gonna", TONE_ANNOUNCED},
	{"need to", TONE_WISH},
	{"want to", TONE_WISH},
	{"have to", TONE_WISH},
	{"trying to", TONE_WISH},
	{"let me try to", TONE_ANNOUNCED},
	{"i'd like you to", TONE_POLITE},
	{"i want you to", TONE_POLITE},
	{"would you mind", TONE_POLITE},
	{"would it be possible to", TONE_ASKING},
	{"is it possible to", TONE_ASKING},
	{"might i", TONE_ASKING},
	{"shall we", TONE_ASKING},
	{"quickly", TONE_FIRM},
	{"carefully", TONE_FIRM},
	{"briefly", TONE_FIRM},
	{"actually", TONE_FIRM},
	{"to begin", TONE_FIRM},
	{"to begin with", TONE_FIRM},
	{"to start", TONE_FIRM},
	{"to start with", TONE_FIRM},
	{"for starters", TONE_FIRM},
	{"first of all", TONE_FIRM},
	{"next up", TONE_FIRM},
	{"secondly", TONE_FIRM},
	{"third", TONE_FIRM},
	{"thirdly", TONE_FIRM},
	{"hm", TONE_FIRM},
	{"hmm", TONE_FIRM},
	{"ah", TONE_FIRM},
	{"oh", TONE_FIRM},
	{"um", TONE_FIRM},
	{"perfect", TONE_FIRM},
	{"thanks", TONE_FIRM},
	{"fine", TONE_FIRM},
	{"excellent", TONE_FIRM},
	{"yeah", TONE_FIRM},
	{"hello", TONE_FIRM},
	{"hey", TONE_FIRM},
	{"tool", TONE_FIRM},
	{"tool call", TONE_FIRM},
	{"function", TONE_FIRM},
	{"invoke", TONE_FIRM},
	{"issue", TONE_FIRM},
	{"perform", TONE_FIRM},
	{"calling", TONE_FIRM},
	{"running", TONE_FIRM},
	{"executing", TONE_FIRM},
	{"using", TONE_FIRM},
	{"proceed to", TONE_FIRM},
	{"meanwhile", TONE_FIRM},
	{"therefore", TONE_FIRM},
	{"we will", TONE_ANNOUNCED},
	{"i am going to", TONE_ANNOUNCED},
	{"i'm going to", TONE_ANNOUNCED},
	{"allow me to", TONE_ANNOUNCED},
	{"i want to", TONE_WISH},
	{"i would like to", TONE_WISH},
	{"i'd like to", TONE_WISH},
	{"i wish to", TONE_WISH},
	{"i need to", TONE_WISH},
	{"i have to", TONE_WISH},
	{"i must", TONE_WISH},
	{"we need to", TONE_WISH},
	{"we want to", TONE_WISH},
	{"time to", TONE_WISH},
	{"it's time to", TONE_WISH},
	{"could you", TONE_POLITE},
	{"can you", TONE_POLITE},
	{"would you", TONE_POLITE},
	{"will you", TONE_POLITE},
	{"can i", TONE_ASKING},
	{"could i", TONE_ASKING},
	{"may i", TONE_ASKING},
	{"can we", TONE_ASKING},
	{"could we", TONE_ASKING},
	{"then", TONE_ASKING},
	{"and", TONE_ASKING},
	{"please", TONE_FIRM},
	{"kindly", TONE_FIRM},
	{"ok", TONE_FIRM},
	{"okay", TONE_FIRM},
	{"alright", TONE_FIRM},
	{"right", TONE_FIRM},
	{"sure", TONE_FIRM},
	{"well", TONE_FIRM},
	{"good", TONE_FIRM},
	{"great", TONE_FIRM},
	{"yes", TONE_FIRM},
	{"so", TONE_FIRM},
	{"now", TONE_FIRM},
	{"first", TONE_FIRM},
	{"firstly", TONE_FIRM},
	{"next", TONE_FIRM},
	{"second", TONE_FIRM},
	{"finally", TONE_FIRM},
	{"lastly", TONE_FIRM},
	{"also", TONE_FIRM},
	{"again", TONE_FIRM},
	{"just", TONE_FIRM},
	{"simply", TONE_FIRM},
	{"command", TONE_FIRM},
	{"cmd", TONE_FIRM},
	{"action", TONE_FIRM},
	{"call", TONE_FIRM},
	{"run", TONE_FIRM},
	{"execute", TONE_FIRM},
	{"loom", TONE_FIRM},
	{"do", TONE_FIRM},
};

/* Phrases that a command may end in; words behind one that only looks. */
static const struct {
	const char *said;
	bool looks;
} tails[] = {
	{"please", false},
	{"now", false},
	{"right now", false},
	{"right away", false},
	{"again", false},
	{"thanks", false},
	{"thank you", false},
	{"for me", false},
	{"for later", false},
	{"for later use", false},
	{"for future reference", false},
	{"for later reference", false},
	{"too", false},
	{"as well", false},
	{"immediately", false},
	{"for context", true},
	{"for reference", true},
	{"first", true},
	{"next", true},
	{"to start", true},
	{"once more", true},
};

static size_t word_count(const char *said)
{
	size_t n = 1;

	for (; *said; said++)
		n += *said == ' ' ? 1 : 0;
	return n;
}

/* The tail of a line says why, or what for: "because …", "so I know …", "to see …". */
static bool gives_reason(const struct phrase_words *words, size_t at)
{
	static const char *const reasons[] = {
		"because",      "since",           "in order to", "so that",     "so i",
		"so we",        "so it",           "so you",      "as i",        "as it",
		"as we",        "as this",         "for my",      "for later",   "for comparison",
		"for analysis", "for safekeeping", "for clarity", "for details", "for more",
		"for future",   "in case",         "given that",  "which",       NULL};
	static const char *const purposes[] = {
		"see",       "check",   "understand", "know",     "compare", "find",     "learn",
		"verify",    "decide",  "get",        "make",     "be",      "remember", "keep",
		"look",      "read",    "confirm",    "figure",   "help",    "refresh",  "ensure",
		"examine",   "explore", "gather",     "inspect",  "assess",  "evaluate", "judge",
		"determine", "grasp",   "study",      "discover", "have",    "start",    "double",
		"follow",    "prepare", "avoid",      "review",   "use",     "give",     "test",
		"think",     "plan",    "work",       "identify", NULL};

	if (words->items[at].kind != PHRASE_WORD || words->items[at].key)
		return false;
	for (const char *const *one = reasons; *one; one++)
		if (phrase_says(words, at, *one))
			return at + 1 < words->count && !words->items[at + 1].key;
	if (!loom_str_is(words->items[at].text, "to") || at + 1 >= words->count ||
	    words->items[at + 1].kind != PHRASE_WORD || words->items[at + 1].key)
		return false;
	for (const char *const *one = purposes; *one; one++)
		if (loom_str_is(words->items[at + 1].text, *one))
			return true;
	return false;
}

bool phrase_cut_reason(struct phrase_words *words, struct loom_str line)
{
	bool about = false;

	for (size_t at = 0; at < words->count; at++) {
		if (at > 1 && about && gives_reason(words, at)) {
			const char *from = words->items[at].raw.p;

			words->comment = loom_str_make(from, (size_t)(line.p + line.n - from));
			words->count = at;
			return true;
		}
		about = about || words->items[at].kind != PHRASE_WORD;
	}
	return false;
}

static bool cut_tail(struct phrase_words *words)
{
	for (size_t i = 0; i < LOOM_COUNT(tails); i++) {
		const size_t n = word_count(tails[i].said);

		if (words->count > n && phrase_says(words, words->count - n, tails[i].said)) {
			words->count -= n;
			return !tails[i].looks || cut_tail(words);
		}
	}
	return false;
}

/* Whether the words of a lead are part of a head that is longer: "call this tree". */
static bool begins_head(struct phrase_words *words, size_t n)
{
	struct phrase_words copy = *words;
	struct phrase_start start;

	return phrase_head_at(&copy, 0, &start) && start.next > n;
}

/* "going to a7x2" goes there: what ends in "to" leads to a verb. */
static bool leads_nowhere(const struct phrase_words *words, size_t n)
{
	return words->items[n].kind != PHRASE_WORD && loom_str_is(words->items[n - 1].text, "to");
}

/* "Step 2:" before a call. */
static void cut_step(struct phrase_words *words)
{
	if (words->count > 2 && phrase_says(words, 0, "step") &&
	    words->items[1].kind == PHRASE_NUM && words->items[1].key)
		phrase_cut(words, 0, 2);
}

enum phrase_tone phrase_lead(struct phrase_words *words)
{
	enum phrase_tone tone = TONE_FIRM;

	cut_step(words);
	for (size_t i = 0; i < LOOM_COUNT(leads);) {
		const size_t n = phrase_says(words, 0, leads[i].said);

		if (!n || words->count == n || leads_nowhere(words, n) || begins_head(words, n)) {
			i++;
			continue;
		}
		tone = leads[i].tone > tone ? leads[i].tone : tone;
		phrase_cut(words, 0, n);
		i = 0;
	}
	while (cut_tail(words))
		continue;
	return tone;
}

/* Cuts the word at the beginning of a line, and the blanks behind it. */
static struct loom_str cut_word(struct loom_str *line)
{
	struct loom_str word;
	size_t end = 0;

	while (end < line->n && !lang_blank(*line, end))
		end++;
	word = loom_str_sub(*line, 0, end);
	while (end < line->n && lang_blank(*line, end))
		end += lang_blank(*line, end);
	*line = loom_str_sub(*line, end, line->n);
	return word;
}

struct loom_str lang_phrase_asked(struct loom_str line)
{
	const struct loom_str first = cut_word(&line);
	const struct loom_str second = cut_word(&line);

	for (size_t i = 0; i < LOOM_COUNT(leads); i++) {
		struct loom_str rest = loom_str_of(leads[i].said);
		struct loom_str word;

		if (leads[i].tone == TONE_POLITE && loom_str_cut(&rest, ' ', &word) &&
		    loom_str_eq_fold(first, word) && loom_str_eq_fold(second, rest))
			return line;
	}
	return LOOM_STR("");
}

/* The length of the phrase where it stands in a text, with apostrophes of either kind; 0: it does
 * not. */
static size_t stands_at(struct loom_str text, size_t at, const char *said)
{
	static const struct loom_str curly = LOOM_STR_INIT("’");
	const size_t from = at;

	for (; *said; said++) {
		const struct loom_str rest = loom_str_sub(text, at, text.n);

		if (*said == '\'' && loom_str_starts(rest, curly))
			at += curly.n;
		else if (rest.n &&
			 loom_str_eq_fold(loom_str_sub(rest, 0, 1), loom_str_make(said, 1)))
			at++;
		else
			return 0;
	}
	return at - from;
}

/* Whether a lead says by itself that I do something next. */
static bool is_spoken_of_me(const struct lead *lead)
{
	static const char *const whose[] = {"i ",  "i'",    "let", "we ",
					    "we'", "allow", "my ", "time"};

	if ((lead->tone != TONE_ANNOUNCED && lead->tone != TONE_WISH) ||
	    strcmp(lead->said, "i am") == 0 || strcmp(lead->said, "i'm") == 0)
		return false;
	for (size_t i = 0; i < LOOM_COUNT(whose); i++)
		if (strncmp(lead->said, whose[i], strlen(whose[i])) == 0)
			return true;
	return false;
}

size_t lang_phrase_announced(struct loom_str text, size_t at)
{
	size_t longest = 0;

	for (size_t i = 0; i < LOOM_COUNT(leads); i++)
		if (is_spoken_of_me(&leads[i])) {
			const size_t n = stands_at(text, at, leads[i].said);

			longest = n > longest ? n : longest;
		}
	return longest;
}

static bool is_in(struct loom_str word, const char *const *list)
{
	for (; *list; list++)
		if (loom_str_is(word, *list))
			return true;
	return false;
}

enum lang_mood phrase_mood_of(struct loom_str word)
{
	static const char *const negating[] = {"not",      "no",      "never",     "dont",
					       "cannot",   "without", "avoid",     "skip",
					       "stop",     "cancel",  "abort",     "ignore",
					       "hardly",   "except",  "instead",   "rather",
					       "neither",  "nor",     "nothing",   "none",
					       "refrain",  "wont",    "cant",      "kidding",
					       "disabled", "wrong",   "forbidden", NULL};
	static const char *const opening[] = {"if",
					      "unless",
					      "when",
					      "whenever",
					      "once",
					      "until",
					      "till",
					      "before",
					      "while",
					      "provided",
					      "assuming",
					      "should",
					      "would",
					      "could",
					      "might",
					      "may",
					      "maybe",
					      "perhaps",
					      "possibly",
					      "consider",
					      "considering",
					      "later",
					      "eventually",
					      "soon",
					      "tomorrow",
					      "only",
					      "ask",
					      "approval",
					      "confirm",
					      "wait",
					      "yet",
					      "pending",
					      "shall",
					      "example",
					      "todo",
					      "after",
					      "unsure",
					      "otherwise",
					      "whether",
					      "hypothetically",
					      "theoretically",
					      "supposedly",
					      "suppose",
					      "imagine",
					      "permission",
					      "tempted",
					      NULL};
	static const char *const joining[] = {"or", "and", "either", "both", "then", "but", NULL};

	if (is_in(word, negating) || loom_str_ends(word, LOOM_STR("n't")))
		return LANG_MOOD_NEGATED;
	if (is_in(word, opening))
		return LANG_MOOD_OPEN;
	return is_in(word, joining) ? LANG_MOOD_JOINED : LANG_MOOD_PLAIN;
}

enum lang_mood phrase_comment_mood(struct loom_arena *arena, struct loom_str comment, bool looks,
				   struct loom_str *out_why)
{
	struct phrase_words words;

	phrase_split(arena, comment, &words);
	for (size_t i = 0; i < words.count; i++) {
		const struct phrase_word *word = &words.items[i];
		const bool named = word->kind == PHRASE_ID || word->kind == PHRASE_PLACE;
		enum lang_mood mood =
			word->kind == PHRASE_WORD ? phrase_mood_of(word->text) : LANG_MOOD_PLAIN;

		*out_why = word->raw;
		/* What is no longer needed is a reason. */
		if (phrase_says(&words, i, "no longer") || phrase_says(&words, i, "not needed") ||
		    phrase_says(&words, i, "no need"))
			continue;
		/* A note on what is looked at may well say "no" or, further on, "not". */
		if (mood == LANG_MOOD_NEGATED &&
		    (!looks || (i == 0 && !loom_str_is(word->text, "no"))))
			return mood;
		if (!looks && named)
			return LANG_MOOD_JOINED;
		if (!looks && (mood == LANG_MOOD_OPEN || mood == LANG_MOOD_JOINED))
			return LANG_MOOD_OPEN;
	}
	return words.asks && !looks ? LANG_MOOD_OPEN : LANG_MOOD_PLAIN;
}

enum phrase_weight phrase_weight(enum loom_verb verb)
{
	static const enum loom_verb takers[] = {
		LOOM_VERB_EDIT,   LOOM_VERB_WRITE,      LOOM_VERB_PRUNE,    LOOM_VERB_EXCLUDE,
		LOOM_VERB_DROP,   LOOM_VERB_UNBOOKMARK, LOOM_VERB_UNTAG,    LOOM_VERB_UNDO,
		LOOM_VERB_UNLINK, LOOM_VERB_TITLE,      LOOM_VERB_DESCRIBE, LOOM_VERB_UNREF,
	};

	for (size_t i = 0; i < LOOM_COUNT(takers); i++)
		if (takers[i] == verb)
			return WEIGHT_TAKES;
	return loom_verb_info(verb)->deed &
			       (LOOM_DEED_WRITES | LOOM_DEED_GENERATES | LOOM_DEED_SHARES)
		       ? WEIGHT_ADDS
		       : WEIGHT_LOOKS;
}

bool lang_phrase_looks(enum loom_verb verb)
{
	return phrase_weight(verb) == WEIGHT_LOOKS;
}

bool lang_phrase_takes(enum loom_verb verb)
{
	return phrase_weight(verb) == WEIGHT_TAKES;
}
