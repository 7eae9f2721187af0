/* Lines that announce whose the next ones are: "Bob wrote:", "you can type:", BEGIN and END, a
 * node's head. One that speaks of what I do, or of looking something up, announces a call. */
#include "inside.h"

#define LEAD_MAX 120

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Whether a sign may stand around the words of a line. */
static bool is_drawn(char c)
{
	static const bool drawn[256] = {
		['-'] = true, ['='] = true, ['*'] = true, ['_'] = true, ['~'] = true,
		['#'] = true, ['<'] = true, ['>'] = true, ['['] = true, [']'] = true,
		['+'] = true, ['|'] = true, ['/'] = true, [':'] = true, [' '] = true,
	};

	return drawn[(unsigned char)c];
}

static bool is_one_of(struct loom_str word, const char *const *list)
{
	for (; *list; list++)
		if (loom_str_eq_fold(word, loom_str_of(*list)))
			return true;
	return false;
}

/* Whether one of the phrases stands in the text, as words of its own. */
static bool says(struct loom_str text, const char *const *phrases)
{
	for (size_t at = 0; at < text.n; at++) {
		if (at && is_letter(text.p[at - 1]))
			continue;
		for (size_t i = 0; phrases[i]; i++) {
			const struct loom_str one = loom_str_of(phrases[i]);

			if ((text.p[at] | 0x20) == one.p[0] && at + one.n <= text.n &&
			    loom_str_eq_fold(loom_str_sub(text, at, one.n), one) &&
			    (at + one.n == text.n || !is_letter(text.p[at + one.n])))
				return true;
		}
	}
	return false;
}

/* ---- sentences ---- */

/* Of what I say that I do next. */
static const char *const own[] = {"i",     "i'll", "i’ll",  "i'd",    "i'm", "let",     "let's",
				  "let’s", "we",   "we'll", "my",     "how", "whether", "next",
				  "now",   "as",   "per",   "so",     "see", "check",   "view",
				  "look",  "show", "find",  "here's", NULL};
static const char *const saying[] = {"wrote",     "writes",   "says",     "said",     "reads",
				     "read",      "states",   "quoth",    "quotes",   "contains",
				     "contained", "holds",    "held",     "typed",    "posted",
				     "sent",      "told",     "answered", "replied",  "asked",
				     "stated",    "noted",    "schrieb",  "schreibt", "sagt",
				     "sagte",     "lautet",   "lautete",  "steht",    "stand",
				     "heißt",     "hieß",     "disait",   "dit",      "écrit",
				     "écrivait",  "écrivit",  "contient", "dice",     "dijo",
				     "decía",     "escribió", "escribe",  "scrive",   "scrisse",
				     "zei",       "schreef",  "skrev",    NULL};
static const char *const instructing[] = {"you can type",
					  "you could type",
					  "you would type",
					  "you'd type",
					  "you may type",
					  "you might type",
					  "you can write",
					  "you could write",
					  "you would write",
					  "you'd write",
					  "you can say",
					  "you could say",
					  "you would say",
					  "you can use",
					  "you could use",
					  "you would use",
					  "you can run",
					  "you could run",
					  "you would run",
					  "you'd run",
					  "you can enter",
					  "you could enter",
					  "you would enter",
					  "you type",
					  "you write",
					  "you enter",
					  "you run",
					  "one would type",
					  "one would write",
					  "one could write",
					  "one types",
					  "people type",
					  "for example",
					  "for instance",
					  "e.g.",
					  "do not run",
					  "don't run",
					  "don’t run",
					  "never run",
					  "do not type",
					  "don't type",
					  "do not do",
					  "don't do",
					  "never do",
					  "do not use",
					  "would look like",
					  "looks like this",
					  "written like this",
					  "would be written",
					  NULL};
static const char *const reporting[] = {
	"agent did",    "agent ran",   "agent wrote",     "agent used",     "human did",
	"human ran",    "human wrote", "user did",        "user ran",       "user wrote",
	"somebody did", "someone did", "the file were",   "the file was",   "the document were",
	"were these",   "was this",    "were as follows", "was as follows", NULL};
/* Heads of a text that somebody else wrote. */
static const char *const labels[] = {"original",
				     "the original",
				     "quote",
				     "quotation",
				     "excerpt",
				     "passage",
				     "transcript",
				     "example",
				     "examples",
				     "usage",
				     "syntax",
				     "sample",
				     "an example",
				     "some examples",
				     "verbatim",
				     "source text",
				     "the text",
				     "text",
				     "translation",
				     "old version",
				     "the old version",
				     "previous version",
				     "the letter",
				     "letter",
				     "the email",
				     "the log",
				     "the patch",
				     "citation",
				     "zitat",
				     "übersetzung",
				     "beispiel",
				     "Übersetzung",
				     "zum beispiel",
				     "exemple",
				     "par exemple",
				     "traduction",
				     "ejemplo",
				     "por ejemplo",
				     "traducción",
				     "thinking",
				     "thoughts",
				     "reasoning",
				     "scratchpad",
				     "options",
				     "your options",
				     "the options",
				     "choices",
				     "possibilities",
				     "todo",
				     "to do",
				     "not yet",
				     "later",
				     "someday",
				     NULL};
/* Of what is to be done another time, or was not. */
static const char *const postponing[] = {"not yet",          "later i",
					 "later, i",         "later we",
					 "later, we",        "next time",
					 "next turn",        "todo",
					 "to be done later", "someday",
					 "eventually",       "do not execute",
					 "don't execute",    "don’t execute",
					 "never execute",    "without running",
					 "not executed",     "would have",
					 "if approved",      "after approval",
					 "pending approval", NULL};

static struct loom_str last_sentence(struct loom_str line)
{
	for (size_t at = line.n > 1 ? line.n - 1 : 0; at-- > 0;)
		if ((line.p[at] == '.' || line.p[at] == '!' || line.p[at] == '?') &&
		    lang_blank(line, at + 1))
			return lang_trim(loom_str_sub(line, at + 1, line.n));
	return line;
}

static bool ends_in_ing(struct loom_str word)
{
	return word.n > 5 && loom_str_eq_fold(loom_str_sub(word, word.n - 3, 3), LOOM_STR("ing"));
}

/* "Bob wrote:", "the node contains the following:": a subject that is not me, a verb of saying near
 * the end, and little behind it. */
static bool tells_who(struct loom_str sentence)
{
	static const char *const behind[] = {"the",       "following", "this",  "as", "follows",
					     "yesterday", "today",     "there", "me", "that",
					     "back",      "these",     "words", "to", "us",
					     "earlier",   "then",      "in",    "it", NULL};
	struct loom_str word = {NULL, 0};
	size_t count = 0;
	bool said = false;

	while (loom_str_cut(&sentence, ' ', &word)) {
		if (is_one_of(word, own) || is_one_of(word, (const char *const[]){"you", NULL}) ||
		    (count == 0 && ends_in_ing(word)))
			return false;
		if (count && is_one_of(word, saying))
			said = true;
		else if (said && !is_one_of(word, behind))
			return false;
		count += word.n > 0;
	}
	return said && count <= 12;
}

static bool is_my_own(struct loom_str sentence)
{
	static const char *const me[] = {"i",      "i'll",  "i’ll",  "i'd", "i'm",   "i’m",
					 "let me", "let's", "let’s", "we",  "we'll", NULL};

	return says(sentence, me);
}

/* "[^1]: the letter" */
static struct loom_str without_footnote(struct loom_str rest)
{
	const size_t end = loom_str_find(rest, LOOM_STR("]: "), 0);

	return loom_str_starts(rest, LOOM_STR("[^")) && end != SIZE_MAX
		       ? loom_str_sub(rest, end + 3, rest.n)
		       : rest;
}

/* "Translation", "Übersetzung der Anweisung": a label, and whose it is. */
static bool is_label(struct loom_str rest)
{
	static const char *const of[] = {"of", "from", "der", "des", "von", "aus",
					 "de", "du",   "d'",  "d’",  "del", NULL};
	struct loom_str after = rest;
	struct loom_str first;

	if (is_one_of(rest, labels))
		return true;
	if (!loom_str_cut(&after, ' ', &first) || !after.n || !is_one_of(first, labels))
		return false;
	for (size_t i = 0; of[i]; i++)
		if (loom_str_eq_fold(loom_str_sub(after, 0, strlen(of[i])), loom_str_of(of[i])))
			return true;
	return false;
}

/* "If you agree, I will write": the sentence goes on in the next line, which is part of it. */
static bool leaves_open(struct loom_str line)
{
	static const char *const conditions[] = {"if",      "unless",   "whenever", "suppose",
						 "imagine", "assuming", "provided", "had",
						 "were",    NULL};
	static const char *const asks[] = {"should", "would", "could", "shall", "may", NULL};
	static const char *const whom[] = {"i", "we", "you", "it", NULL};
	static const char *const yours[] = {"you", "the human", "the user", "they", NULL};
	static const char *const mine[] = {"let me", "let's", "let’s", "let us", NULL};
	const char end = line.n ? line.p[line.n - 1] : '.';
	struct loom_str whole;
	struct loom_str rest;
	struct loom_str first;
	struct loom_str second;

	if (end != ',' && end != ':' && !is_letter(end))
		return false;
	rest = whole = last_sentence(line);
	if (whole.n > 400 || !loom_str_cut(&rest, ' ', &first) || !rest.n ||
	    !loom_str_cut(&rest, ' ', &second) ||
	    !(is_one_of(first, conditions) || (is_one_of(first, asks) && is_one_of(second, whom))))
		return false;
	return !says(whole, mine) && (end != ':' || says(whole, yours));
}

static bool leads_to_words(struct loom_str line)
{
	struct loom_str rest = line;

	if (!rest.n || (rest.p[rest.n - 1] != '.' && !is_drawn(rest.p[rest.n - 1])))
		return false;
	while (rest.n && (rest.p[0] == '*' || rest.p[0] == '_' || rest.p[0] == '#'))
		rest = lang_trim(loom_str_sub(rest, 1, rest.n));
	while (rest.n && (rest.p[rest.n - 1] == '*' || rest.p[rest.n - 1] == '_'))
		rest.n--;
	if (loom_str_ends(rest, LOOM_STR("e.g.")))
		return true;
	if (!loom_str_ends(rest, LOOM_STR(":")) || rest.n > 400)
		return false;
	rest.n--;
	rest = lang_trim(without_footnote(last_sentence(rest)));
	while (rest.n && (rest.p[rest.n - 1] == '*' || rest.p[rest.n - 1] == '_'))
		rest.n--;
	if (rest.n > LEAD_MAX)
		return false;
	return tells_who(rest) || is_label(rest) || says(rest, postponing) ||
	       (!is_my_own(rest) && (says(rest, instructing) || says(rest, reporting))) ||
	       (loom_str_starts(rest, LOOM_STR("Here is what ")) && says(rest, saying));
}

/* ---- heads and roles ---- */

/* `User: …` in an answer begins somebody else's turn, `[a7x2] human · 3m ago` a node as shown. */
static bool is_others_turn(struct loom_str line)
{
	static const char *const roles[] = {"User:",
					    "Human:",
					    "System:",
					    "[User]:",
					    "[Human]:",
					    "[INST]",
					    "<|im_start|>user",
					    "<|im_start|>system",
					    "<|start_header_id|>user",
					    "<|user|>",
					    "### User",
					    "### Human",
					    "### Instruction",
					    "loom> "};
	struct loom_str id;

	for (size_t i = 0; i < LOOM_COUNT(roles); i++)
		if (roles[i][0] == line.p[0] && loom_str_starts(line, loom_str_of(roles[i])))
			return true;
	/* a cell of a table that goes on, a shell's prompt */
	if ((loom_str_starts(line, LOOM_STR("|")) &&
	     !loom_str_ends(lang_trim(line), LOOM_STR("|"))) ||
	    (loom_str_starts(line, LOOM_STR("$ ")) && line.n > 2 && is_letter(line.p[2])))
		return true;
	if (!loom_str_starts(line, LOOM_STR("[")) ||
	    loom_str_find(line, LOOM_STR(" · "), 0) == SIZE_MAX)
		return false;
	id = loom_str_sub(line, 1, loom_str_find_char(line, ']', 0) - 1);
	return id.n >= 4 && id.n <= 12 && loom_str_find_char(id, ' ', 0) == SIZE_MAX;
}

/* ---- blocks ---- */

static bool has_small(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] >= 'a' && text.p[i] <= 'z')
			return true;
	return false;
}

/* The words of a trimmed line between signs, or of one in capitals: `--- begin document ---`; empty
 * if it is neither. */
static struct loom_str banner(struct loom_str text)
{
	const size_t whole = text.n;

	while (text.n && is_drawn(text.p[0]))
		text = loom_str_sub(text, 1, text.n);
	while (text.n && is_drawn(text.p[text.n - 1]))
		text.n--;
	if (text.n >= 60 || (whole < text.n + 4 && has_small(text)))
		text.n = 0;
	return text;
}

static bool begins_word(struct loom_str text, const char *const *words)
{
	for (; *words; words++) {
		const size_t n = strlen(*words);

		if (loom_str_eq_fold(loom_str_sub(text, 0, n), loom_str_of(*words)) &&
		    (text.n == n || !is_letter(text.p[n])))
			return true;
	}
	return false;
}

static size_t hash_of(struct loom_str word)
{
	size_t hash = 5381;

	for (size_t i = 0; i < word.n; i++)
		hash = hash * 33 + (unsigned char)word.p[i];
	return hash ? hash : 1;
}

/* The word behind << at the end of a trimmed line, as a shell has it; 0: none. */
static size_t here_word(struct loom_str line)
{
	size_t at = loom_str_find_char(line, '<', 0);
	struct loom_str word;

	if (at != SIZE_MAX)
		at = loom_str_find(line, LOOM_STR("<<"), at);
	if (at == SIZE_MAX)
		return 0;
	at += 2;
	while (at < line.n && strchr("-~ '\"", line.p[at]))
		at++;
	word = loom_str_sub(line, at, line.n);
	word.n = loom_str_find_char(word, ' ', 0) < word.n ? loom_str_find_char(word, ' ', 0)
							   : word.n;
	while (word.n && strchr("'\"", word.p[word.n - 1]))
		word.n--;
	for (size_t i = 0; i < word.n; i++)
		if (!(word.p[i] >= 'A' && word.p[i] <= 'Z') && word.p[i] != '_')
			return 0;
	return word.n >= 2 ? hash_of(word) : 0;
}

/* `The letter said::`, `.. code-block:: text`, `note: |`: what is indented below is a literal. */
static bool leads_to_indented(struct loom_str line)
{
	const char end = line.n ? line.p[line.n - 1] : '\0';

	if (!is_drawn(end) && (!line.n || line.p[0] != '.'))
		return false;
	if (end == '+' || end == '-')
		line.n--;
	return loom_str_ends(line, LOOM_STR("::")) || loom_str_ends(line, LOOM_STR(": |")) ||
	       loom_str_ends(line, LOOM_STR(": >")) ||
	       (loom_str_starts(line, LOOM_STR(".. ")) &&
		loom_str_find(line, LOOM_STR("::"), 0) != SIZE_MAX);
}

enum lang_announced lang_announces(struct loom_str line, size_t *out_last)
{
	static const char *const begins[] = {"begin",
					     "start",
					     "beginning",
					     "original message",
					     "forwarded message",
					     "original-nachricht",
					     "ursprüngliche nachricht",
					     "message d'origine",
					     NULL};
	const struct loom_str text = lang_trim(line);
	struct loom_str words;

	if (!line.n)
		return LANG_ANNOUNCED_NOTHING;
	if (line.p[0] == '@' && loom_str_starts(line, LOOM_STR("@@ -")))
		return LANG_ANNOUNCED_HUNK;
	if (leads_to_indented(text))
		return LANG_ANNOUNCED_INDENTED;
	*out_last = here_word(text);
	words = banner(text);
	if (*out_last || (words.n > 5 && begins_word(words, begins)))
		return LANG_ANNOUNCED_BLOCK;
	if (is_others_turn(line) || leaves_open(text))
		return LANG_ANNOUNCED_HERE;
	return leads_to_words(text) ? LANG_ANNOUNCED_WORDS : LANG_ANNOUNCED_NOTHING;
}

bool lang_announced_ends(struct loom_str line, size_t last)
{
	static const char *const ends[] = {"end", "stop", "finish", NULL};
	const struct loom_str text = lang_trim(line);

	if (last)
		return hash_of(text) == last;
	return begins_word(banner(text), ends);
}
