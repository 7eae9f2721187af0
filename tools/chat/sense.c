/* Whether the words around a call mean it or explain it to somebody: "I'll look:" means it, "you
 * can type:" explains it. */
#include <loom/chat/unheard.h>

#include <string.h>

#include <loom/language/scan_lines.h>
#include <loom/phrase/phrase.h>

#include "inside.h"

/* Of what follows a call. */
#define BEHIND_MAX 120

/* Whether a phrase of n bytes stands at `at` as words of its own. */
static bool is_apart(struct loom_str text, size_t at, size_t n)
{
	const char next = at + n < text.n ? text.p[at + n] : ' ';

	return n > 0 && (at == 0 || lang_blank(text, at - 1) || strchr("(*", text.p[at - 1])) &&
	       !((next | 0x20) >= 'a' && (next | 0x20) <= 'z');
}

/* Returns where the last of the phrases ends in the text, 0: none stands there. */
static size_t last_of(struct loom_str text, const char *const *phrases)
{
	size_t last = 0;

	for (size_t at = 0; at < text.n; at++)
		for (const char *const *one = phrases; *one; one++) {
			const struct loom_str phrase = loom_str_of(*one);

			if (loom_str_eq_fold(loom_str_sub(text, at, phrase.n), phrase) &&
			    is_apart(text, at, phrase.n))
				last = at + phrase.n;
		}
	return last;
}

/* Besides what leads a command in: more than a command can begin with. */
static const char *const means[] = {"i now",     "now i",      "i shall",    "i do",    "i call",
				    "i use",     "i run",      "i'm now",    "i’m now", "i am now",
				    "i can now", "i begin by", "i start by", "so i",    "then i",
				    "here i",    NULL};
static const char *const explains[] = {
	"you can",    "you could",  "you may",       "you might",   "you would",
	"you'd",      "you’d",      "if you",        "you type",    "you write",
	"you want",   "when you",   "you'll",        "you’ll",      "for example",
	"e.g.",       "such as",    "means",         "would",       "could",
	"how to",     "one can",    "stands for",    "written as",  "shall i",
	"should i",   "may i",      "can i",         "do you want", "want me to",
	"like me to", "instead of", "rather than",   "suggest",     "recommend",
	"option",     "options",    "alternatively", "i ran",       "i used",
	"i called",   "i tried",    "earlier",       "already",     "previously",
	"your turn",  "yourself",   "show you how",  "for you to",  "please type",
	"please run", "anyone",     "a person",      "people",      "readers",
	"don't",      "don’t",      "do not",        "never",       "not",
	"if",         "wrote",      "says",          "said",        "reads",
	"contains",   "typed",      "explain",       "tell you",    "show you",
	"so far",     "i did",      "for later",     NULL};
/* Of a lead without a subject. */
static const char *const speaks_of[] = {"command",   "commands", "syntax",    "form",
					"forms",     "format",   "usage",     "example",
					"examples",  "notation", "arrow",     "cheat sheet",
					"reference", "grammar",  "like this", "spelling",
					"verbs",     "calls",    NULL};
static const char *const tells_to[] = {"to",         "use", "try",   "type",      "run",  "enter",
				       "write",      "say", "press", "then type", "just", "simply",
				       "start with", "for", "with",  "when",      NULL};

static size_t last_announced(struct loom_str text)
{
	size_t last = last_of(text, means);

	for (size_t at = text.n; at > 0; at--) {
		const size_t n = lang_phrase_announced(text, at - 1);

		if (is_apart(text, at - 1, n))
			return at - 1 + n > last ? at - 1 + n : last;
	}
	return last;
}

static bool begins_with(struct loom_str text, const char *const *words)
{
	for (; *words; words++) {
		const struct loom_str word = loom_str_of(*words);

		if (loom_str_eq_fold(loom_str_sub(text, 0, word.n), word) &&
		    (text.n == word.n || text.p[word.n] == ' ' || text.p[word.n] == ':'))
			return true;
	}
	return false;
}

enum chat_sense chat_sense_of(struct loom_str lead, struct loom_str bare)
{
	const size_t own = last_announced(lead);
	const size_t other = last_of(lead, explains);

	if (own || other)
		return own > other ? CHAT_MEANS : CHAT_EXPLAINS;
	if (last_of(lead, speaks_of) || begins_with(bare, tells_to))
		return CHAT_EXPLAINS;
	return CHAT_UNCLEAR;
}

bool chat_sense_behind(struct loom_str text)
{
	static const char *const says[] = {
		"this shows",   "this prints",  "this lists",  "this command", "this hides",
		"this would",   "this removes", "this adds",   "this gives",   "this moves",
		"this brings",  "this asks",    "this will",   "this makes",   "that shows",
		"that command", "which shows",  "it shows",    "that would",   "that prints",
		"that is how",  "that is all",  "this is how", "you get",      "you see",
		"that lists",   "that hides",   "replace",     "where",        "run it",
		"try it",       "you can",      "is what you", "you would",    "would type",
		"you type",     "in a shell",   NULL};

	return last_of(loom_str_sub(text, 0, BEHIND_MAX), says) > 0;
}
