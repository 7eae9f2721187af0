/* A line to words, without the marks that models put around them.
 *
 * Code marks, emphasis, brackets of all kinds, flags' hyphens and emoji vanish; a text in any kind
 * of quotes is one word; words for places ("the current node") become one. What follows #, // or a
 * dash is a comment. Nothing is lost silently that could turn the meaning: question marks and
 * comments are kept for mood.c. */
#include "inside.h"

struct splitter {
	struct loom_arena *arena;
	struct loom_str line;
	size_t at;
	size_t aside; /* where the bracket closes that opened behind a blank; 0: none is open */
	struct phrase_words *words;
};

static unsigned char byte_at(const struct splitter *split, size_t at)
{
	return at < split->line.n ? (unsigned char)split->line.p[at] : 0;
}

static bool is_alnum(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool starts_at(const struct splitter *split, size_t at, const char *sign)
{
	return loom_str_starts(loom_str_sub(split->line, at, at + strlen(sign)), loom_str_of(sign));
}

static struct loom_str sign_at(const struct splitter *split, const char *sign)
{
	return loom_str_sub(split->line, split->at, strlen(sign));
}

static bool blank_before(const struct splitter *split)
{
	return split->at == 0 || lang_blank(split->line, split->at - 1) > 0;
}

static struct phrase_word *add_word(struct splitter *split, struct phrase_word word)
{
	struct phrase_words *words = split->words;

	if (words->count == PHRASE_WORDS_MAX) {
		words->broken = true;
		return NULL;
	}
	word.aside = split->at <= split->aside && split->aside > 0;
	words->asides = words->asides || word.aside;
	words->items[words->count] = word;
	return &words->items[words->count++];
}

static struct loom_str lower(struct loom_arena *arena, struct loom_str word)
{
	char *text = loom_arena_alloc(arena, word.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < word.n; i++) {
		if (loom_str_starts(loom_str_sub(word, i, i + 3), LOOM_STR("’"))) {
			text[n++] = '\'';
			i += 2;
		} else if (word.p[i] != '-' && word.p[i] != '_') {
			text[n++] = word.p[i] >= 'A' && word.p[i] <= 'Z' ? (char)(word.p[i] | 0x20)
									 : word.p[i];
		}
	}
	return loom_str_make(text, n);
}

/* ---- texts ---- */

/* Pairs of signs around a text, longer ones first. */
static const struct {
	const char *opens;
	const char *closes;
} pairs[] = {
	{"\"\"\"", "\"\"\""}, {"```", "```"}, {"«", "»"}, {"‹", "›"},
	{"‘", "’"},           {"`", "`"},     {"'", "'"},
};

/* Whether a sign that is also an apostrophe may open or close a text here. */
static bool closes_here(const struct splitter *split, size_t behind)
{
	return behind >= split->line.n || lang_blank(split->line, behind) ||
	       strchr(".,;:!?)]}*`_", split->line.p[behind]);
}

static size_t find_close(const struct splitter *split, size_t from, const char *sign)
{
	const bool apostrophe = *sign == '\'' || strcmp(sign, "’") == 0;
	size_t at = loom_str_find(split->line, loom_str_of(sign), from);

	while (apostrophe && at != SIZE_MAX && !closes_here(split, at + strlen(sign)))
		at = loom_str_find(split->line, loom_str_of(sign), at + 1);
	return at;
}

static bool may_open(const struct splitter *split, const char *sign)
{
	const unsigned char before = split->at ? byte_at(split, split->at - 1) : ' ';

	return *sign != '\'' || before == ' ' || before == '\t' || strchr("([{=:,<", before);
}

/* Whether what stands behind the last word's sign is one of a few words: `what="links"`. */
static bool wants_word(const struct phrase_words *words)
{
	static const char *const keys[] = {"what", "kind"};
	const struct phrase_word *last = words->count ? &words->items[words->count - 1] : NULL;

	for (size_t i = 0; last && last->key && i < LOOM_COUNT(keys); i++)
		if (loom_str_is(last->text, keys[i]))
			return true;
	return false;
}

/* Whether what stands behind the last word's sign must be a node: `branch="a7x2"`. */
static bool wants_node(const struct phrase_words *words)
{
	static const char *const keys[] = {"id", "node", "nodeid", "branch", "from"};
	const struct phrase_word *last = words->count ? &words->items[words->count - 1] : NULL;

	for (size_t i = 0; last && last->key && i < LOOM_COUNT(keys); i++)
		if (loom_str_is(last->text, keys[i]))
			return true;
	return false;
}

static void add_text(struct splitter *split, struct loom_str text, size_t behind)
{
	struct loom_str raw = loom_str_sub(split->line, split->at, behind - split->at);
	struct phrase_word word = {.kind = PHRASE_TEXT, .text = text, .raw = raw};

	if (wants_node(split->words) && lang_id_read(split->arena, text, &word.text))
		word.kind = PHRASE_ID;
	else if (wants_word(split->words) && loom_str_find_char(text, ' ', 0) == SIZE_MAX)
		word = (struct phrase_word){.text = lower(split->arena, text), .raw = raw};
	else
		word.text = text;
	(void)add_word(split, word);
	split->at = behind;
}

/* Reads a text between double quotes, as the lexer does. */
static bool take_quoted(struct splitter *split)
{
	unsigned char curly = 0;
	size_t from = split->at + lang_quote_sign(split->line, split->at, &curly);
	size_t at = from;
	size_t sign = 0;

	while (at < split->line.n && !sign) {
		if (split->line.p[at] == '\\' &&
		    (byte_at(split, at + 1) == '"' || byte_at(split, at + 1) == '\\'))
			at += 2;
		else if ((sign = lang_quote_closes(split->line, at, curly)) == 0)
			at++;
	}
	if (from == split->at)
		return false;
	/* A quote inside a text, or in the middle of a word: where it ends is anybody's guess. */
	split->words->broken = split->words->broken || !sign ||
			       is_alnum(byte_at(split, at + sign)) ||
			       lang_quote_sign(split->line, at + sign, &curly) ||
			       (split->at && is_alnum(byte_at(split, split->at - 1)));
	add_text(split, lang_unescape(split->arena, loom_str_sub(split->line, from, at - from)),
		 sign ? at + sign : split->line.n);
	return true;
}

/* Code marks around one word, or around all of the line, are decoration. */
static bool is_decoration(const struct splitter *split, struct loom_str inside, size_t behind)
{
	bool one = inside.n > 0;

	for (size_t i = 0; i < inside.n; i++)
		one = one && !lang_blank(inside, i);
	return one || (split->words->count == 0 &&
		       lang_is_blank(loom_str_sub(split->line, behind, split->line.n)));
}

static bool take_text(struct splitter *split)
{
	for (size_t i = 0; i < LOOM_COUNT(pairs); i++) {
		const size_t opens = strlen(pairs[i].opens);
		size_t close = 0;
		struct loom_str inside;

		if (!starts_at(split, split->at, pairs[i].opens) ||
		    !may_open(split, pairs[i].opens))
			continue;
		close = find_close(split, split->at + opens, pairs[i].closes);
		if (close == SIZE_MAX || close == split->at + opens)
			continue;
		inside = loom_str_sub(split->line, split->at + opens, close - split->at - opens);
		if (pairs[i].opens[0] == '`' &&
		    is_decoration(split, inside, close + strlen(pairs[i].closes)))
			return false;
		add_text(split, inside, close + strlen(pairs[i].closes));
		return true;
	}
	return take_quoted(split);
}

/* ---- signs ---- */

static bool has_key(const struct splitter *split)
{
	const struct phrase_words *words = split->words;

	return words->count && words->items[words->count - 1].key;
}

/* Reads a name in square brackets behind its key: doc:[character notes]. */
static bool take_bracketed(struct splitter *split)
{
	size_t close = loom_str_find_char(split->line, ']', split->at);
	struct loom_str inside;

	if (byte_at(split, split->at) != '[' || close == SIZE_MAX || !has_key(split))
		return false;
	inside = lang_trim(loom_str_sub(split->line, split->at + 1, close - split->at - 1));
	if (loom_str_find_char(inside, ' ', 0) == SIZE_MAX ||
	    loom_str_find_char(inside, '"', 0) != SIZE_MAX)
		return false;
	add_text(split, inside, close + 1);
	return true;
}

/* Length of a dash, or of what else leads in a comment: "# ", "//", "-- ". */
static size_t comment_sign(const struct splitter *split)
{
	static const char *const signs[] = {"//", "---", "--", "—", "–", "-", "#"};

	for (size_t i = 0; i < LOOM_COUNT(signs); i++) {
		const size_t n = strlen(signs[i]);
		const bool apart = lang_blank(split->line, split->at + n) > 0 ||
				   split->at + n >= split->line.n;

		if (!starts_at(split, split->at, signs[i]) ||
		    (!split->words->count && *signs[i] != '#'))
			continue;
		if (*signs[i] == '/' ? blank_before(split)
				     : (apart && blank_before(split)) || (i == 3 && !apart))
			return n;
	}
	return 0;
}

/* A dash before a text only separates: `respond to a7x2 — "…"`. */
static bool take_comment(struct splitter *split)
{
	const size_t sign = comment_sign(split);
	size_t behind = split->at + sign;
	unsigned char curly = 0;

	if (!sign)
		return false;
	behind += lang_blanks(split->line, behind);
	if (lang_quote_sign(split->line, behind, &curly)) {
		split->at = behind;
		return true;
	}
	split->words->comment = loom_str_sub(split->line, behind, split->line.n);
	split->words->dashed = byte_at(split, split->at) != '#' && byte_at(split, split->at) != '/';
	split->at = split->line.n;
	return true;
}

/* Marks the last word as a key when a colon or = follows it. */
static bool take_key_sign(struct splitter *split)
{
	const unsigned char c = byte_at(split, split->at);
	struct phrase_words *words = split->words;

	if (c != ':' && c != '=')
		return false;
	if (words->count) {
		struct phrase_word *last = &words->items[words->count - 1];

		last->key = true;
		/* A key in quotes, as in JSON. */
		if (c == ':' && last->kind == PHRASE_TEXT && last->text.n && words->count > 1 &&
		    loom_str_find_char(split->line, '{', 0) != SIZE_MAX &&
		    loom_str_find_char(last->text, ' ', 0) == SIZE_MAX)
			last->kind = PHRASE_WORD;
	}
	split->at++;
	return true;
}

/* An arrow between two words says "to". */
static bool take_arrow(struct splitter *split)
{
	static const char *const arrows[] = {"<->", "->", "=>", "→", "↔", "⇒"};

	for (size_t i = 0; i < LOOM_COUNT(arrows); i++) {
		if (!starts_at(split, split->at, arrows[i]))
			continue;
		(void)add_word(split, (struct phrase_word){.kind = PHRASE_WORD,
							   .text = LOOM_STR("to"),
							   .raw = sign_at(split, arrows[i])});
		split->at += strlen(arrows[i]);
		return true;
	}
	return false;
}

/* A bracket behind a blank holds an aside, unless it holds the whole line. */
static void open_aside(struct splitter *split)
{
	size_t close = loom_str_find_char(split->line, ')', split->at);

	while (close != SIZE_MAX && loom_str_find_char(split->line, ')', close + 1) != SIZE_MAX)
		close = loom_str_find_char(split->line, ')', close + 1);
	if (split->words->count && blank_before(split))
		split->aside = close == SIZE_MAX ? split->line.n : close;
}

/* Skips one sign that means nothing; 0 when a word begins here. */
static size_t skip_sign(struct splitter *split)
{
	static const char *const signs[] = {"…", "•", "×", "✓", "✔"};
	const unsigned char c = byte_at(split, split->at);

	for (size_t i = 0; i < LOOM_COUNT(signs); i++)
		if (starts_at(split, split->at, signs[i]))
			return strlen(signs[i]);
	if (c >= 0xF0)
		return 4; /* emoji */
	if (c < ' ' || c == 0x7F)
		split->words->broken = true;
	if (c == '(')
		open_aside(split);
	if (c == '?')
		split->words->asks = true;
	if ((c == '+' || c == '&') && split->words->count && blank_before(split) &&
	    lang_blank(split->line, split->at + 1))
		(void)add_word(split, (struct phrase_word){.kind = PHRASE_WORD,
							   .text = LOOM_STR("and"),
							   .raw = sign_at(split, "+")});
	if (c == '#' && split->words->count && !blank_before(split))
		(void)add_word(split, (struct phrase_word){.kind = PHRASE_WORD,
							   .text = LOOM_STR("section"),
							   .raw = sign_at(split, "#")});
	if (starts_at(split, split->at, "§")) {
		(void)add_word(split, (struct phrase_word){.kind = PHRASE_WORD,
							   .text = LOOM_STR("section"),
							   .raw = sign_at(split, "§")});
		return strlen("§");
	}
	return c < 0x80 && strchr("()[]{}<>,;.!?*`\"'#/|+~&$@%^\\_\r\n", (int)c) ? 1 : 0;
}

/* ---- bare words ---- */

/* Whether the byte at `at` still belongs to a bare word. */
static size_t in_word(const struct splitter *split, size_t at)
{
	static const char *const ends[] = {"—", "→", "↔", "⇒", "…", "“",
					   "”", "„", "«", "»", "‹", "›"};
	const unsigned char c = byte_at(split, at);

	if (at >= split->line.n || lang_blank(split->line, at))
		return 0;
	if (c >= 0xF0)
		return 0;
	for (size_t i = 0; i < LOOM_COUNT(ends); i++)
		if (starts_at(split, at, ends[i]))
			return 0;
	if (c >= 0x80)
		return c >= 0xE0 ? 3 : 2;
	if (c == '.' || c == '/' || c == '\'')
		return is_alnum(byte_at(split, at + 1)) || (c == '\'' && at > split->at) ? 1 : 0;
	return is_alnum(c) || c == '_' || c == '-' ? 1 : 0;
}

static bool is_number(struct loom_str text)
{
	int64_t number = 0;

	return text.n && text.p[0] >= '1' && text.p[0] <= '9' && loom_str_to_i64(text, &number);
}

/* Splits A-B, A–B or A..B; returns whether both ends are numbers or both are ids. */
static bool read_pair(struct loom_arena *arena, struct loom_str raw, struct phrase_word *out)
{
	static const char *const signs[] = {"-", "–", ".."};

	for (size_t i = 0; i < LOOM_COUNT(signs); i++) {
		size_t at = loom_str_find(raw, loom_str_of(signs[i]), 1);
		struct loom_str a = loom_str_sub(raw, 0, at);
		struct loom_str b;
		struct loom_str ids[2];

		if (at == SIZE_MAX)
			continue;
		b = loom_str_sub(raw, at + strlen(signs[i]), raw.n);
		out->kind = is_number(a) && is_number(b) ? PHRASE_RANGE : PHRASE_IDS;
		if (out->kind == PHRASE_RANGE)
			out->text = loom_arena_format(arena, "%.*s-%.*s", LOOM_STR_ARG(a),
						      LOOM_STR_ARG(b));
		else if (lang_id_read(arena, a, &ids[0]) && lang_id_read(arena, b, &ids[1]))
			out->text = loom_arena_format(arena, "%.*s-%.*s", LOOM_STR_ARG(ids[0]),
						      LOOM_STR_ARG(ids[1]));
		else
			continue;
		return true;
	}
	return false;
}

static struct loom_str without_owner(struct loom_str raw, bool *out_owner)
{
	*out_owner = true;
	if (loom_str_ends(raw, LOOM_STR("'s")) || loom_str_ends(raw, LOOM_STR("'S")))
		return loom_str_sub(raw, 0, raw.n - 2);
	if (loom_str_ends(raw, LOOM_STR("’s")))
		return loom_str_sub(raw, 0, raw.n - 4);
	*out_owner = false;
	return raw;
}

/* Decides what a bare word is. */
static struct phrase_word classify(struct loom_arena *arena, struct loom_str raw)
{
	struct phrase_word word = {.kind = PHRASE_WORD, .raw = raw};
	bool owner = false;
	struct loom_str stem = without_owner(raw, &owner);

	if (lang_id_read(arena, stem, &word.text)) {
		word.kind = PHRASE_ID;
		word.owner = owner;
	} else if (is_number(raw)) {
		word.kind = PHRASE_NUM;
		word.text = raw;
	} else if (raw.n == 2 && (raw.p[0] | 0x20) == 'x' &&
		   is_number(loom_str_sub(raw, 1, raw.n))) {
		word.kind = PHRASE_NUM;
		word.text = loom_str_sub(raw, 1, raw.n);
	} else if (!read_pair(arena, raw, &word)) {
		word.kind = PHRASE_WORD;
		word.text = lower(arena, stem);
		/* What belongs to a thing is about it: "the tree's title". */
		if (!owner || !phrase_noun(word.text))
			word.text = lower(arena, raw);
	}
	return word;
}

/* Adds the parts of view_node or loom.view when the first of them begins a command. */
static bool add_parts(struct splitter *split, struct loom_str raw)
{
	struct phrase_start start;
	size_t cut = 0;

	while (cut < raw.n && raw.p[cut] != '_' && raw.p[cut] != '.')
		cut++;
	if (split->words->count || cut == 0 || cut >= raw.n)
		return false;
	(void)add_word(split, classify(split->arena, loom_str_sub(raw, 0, cut)));
	if (!loom_str_is(split->words->items[0].text, "loom") &&
	    !phrase_head_at(split->words, 0, &start)) {
		split->words->count = 0;
		return false;
	}
	(void)add_word(split, classify(split->arena, loom_str_sub(raw, cut + 1, raw.n)));
	return true;
}

/* Takes `thread-b:plan.md,design` as one word. */
static bool take_thread(struct splitter *split)
{
	static const struct loom_str begins = LOOM_STR_INIT("thread-");
	size_t end = split->at + begins.n;
	struct phrase_word word = {.kind = PHRASE_THREAD};

	if (!loom_str_eq_fold(loom_str_sub(split->line, split->at, begins.n), begins) ||
	    !is_alnum(byte_at(split, end)))
		return false;
	while (is_alnum(byte_at(split, end)) ||
	       (byte_at(split, end) && strchr("-_", byte_at(split, end))) ||
	       (byte_at(split, end) && strchr(":,./", byte_at(split, end)) &&
		is_alnum(byte_at(split, end + 1))))
		end++;
	word.raw = word.text = loom_str_sub(split->line, split->at, end - split->at);
	split->at = end;
	(void)add_word(split, word);
	return true;
}

static void take_word(struct splitter *split)
{
	const bool hash = split->at && split->line.p[split->at - 1] == '#';
	size_t end = split->at;
	size_t n = 0;
	bool option = false;
	struct loom_str raw;
	struct phrase_word word;
	struct phrase_word *added = NULL;

	while ((n = in_word(split, end)) > 0)
		end += n;
	if (end == split->at) {
		split->at++;
		return;
	}
	raw = loom_str_sub(split->line, split->at, end - split->at);
	for (; raw.n > 1 && raw.p[0] == '-'; raw = loom_str_sub(raw, 1, raw.n))
		option = true;
	while (raw.n > 1 && raw.p[0] == '_')
		raw = loom_str_sub(raw, 1, raw.n);
	while (raw.n > 1 && raw.p[raw.n - 1] == '_')
		raw.n--;
	if (!add_parts(split, raw)) {
		word = classify(split->arena, raw);
		/* A negative number is none. */
		if (option && (word.kind == PHRASE_NUM || word.kind == PHRASE_RANGE))
			word.kind = PHRASE_WORD;
		added = word.text.n ? add_word(split, word) : NULL;
		if (added)
			added->hash = hash;
	}
	split->at = end;
}

/* ---- places ---- */

/* Words for places: the longest counts; "node" behind one is dropped. */
static const struct {
	const char *said;
	const char *place;
} places[] = {
	{"the current position", "here"},
	{"my current position", "here"},
	{"my current node", "here"},
	{"the current node", "here"},
	{"my position", "here"},
	{"where i am", "here"},
	{"current position", "here"},
	{"current node", "here"},
	{"this node", "here"},
	{"this message", "here"},
	{"this passage", "here"},
	{"this one", "here"},
	{"the node i am on", "here"},
	{"the node i'm on", "here"},
	{"the node i am at", "here"},
	{"the node i'm at", "here"},
	{"the node we are on", "here"},
	{"the node we're on", "here"},
	{"where i'm at", "here"},
	{"where i am now", "here"},
	{"where we are", "here"},
	{"my location", "here"},
	{"my current location", "here"},
	{"the current location", "here"},
	{"current location", "here"},
	{"my current place", "here"},
	{"the start of the story", "root"},
	{"the start of the tree", "root"},
	{"my node", "here"},
	{"the active node", "here"},
	{"the present node", "here"},
	{"the node here", "here"},
	{"the parent of the current node", "parent"},
	{"the parent of this node", "parent"},
	{"the parent of this", "parent"},
	{"the parent of here", "parent"},
	{"parent of the current node", "parent"},
	{"parent of this node", "parent"},
	{"the node above this one", "parent"},
	{"the node above this", "parent"},
	{"the node above", "parent"},
	{"the previous node", "parent"},
	{"my current node's parent", "parent"},
	{"the current node's parent", "parent"},
	{"this node's parent", "parent"},
	{"the root of the tree", "root"},
	{"the root of this tree", "root"},
	{"root of the tree", "root"},
	{"root of this tree", "root"},
	{"the root node of the tree", "root"},
	{"the tree's root", "root"},
	{"the top of the tree", "root"},
	{"the very beginning", "root"},
	{"the beginning of the tree", "root"},
	{"the beginning of the story", "root"},
	{"the parent", "parent"},
	{"my parent", "parent"},
	{"its parent", "parent"},
	{"the root", "root"},
	{"the last result", "last"},
	{"last result", "last"},
	{"the latest result", "last"},
	{"latest result", "last"},
	{"the previous result", "last"},
	{"the result above", "last"},
	{"the most recent result", "last"},
	{"that last result", "last"},
	{"my last result", "last"},
	{"the result", "last"},
	{"that result", "last"},
	{"this result", "last"},
	{"current", "here"},
	{"here", "here"},
	{"this", "here"},
	{"parent", "parent"},
	{"root", "root"},
};

size_t phrase_says(const struct phrase_words *words, size_t at, const char *said)
{
	struct loom_str rest;
	struct loom_str word;
	size_t n = 0;

	/* Most rows of a table differ in their first letter. */
	if (at >= words->count || words->items[at].kind != PHRASE_WORD ||
	    words->items[at].text.p[0] != said[0])
		return 0;
	rest = loom_str_of(said);
	for (; loom_str_cut(&rest, ' ', &word); n++) {
		const struct phrase_word *here = &words->items[at + n];

		if (at + n >= words->count || here->kind != PHRASE_WORD ||
		    here->text.p[0] != word.p[0] || !loom_str_eq(here->text, word))
			return 0;
	}
	return n;
}

/* "this" before a thing of another kind only points at it: this tree, the result res-3; and "my
 * position to" says what is to change. */
static bool points(const struct phrase_words *words, size_t at, size_t n)
{
	const struct phrase_word *word = &words->items[at];
	const struct phrase_word *last = &words->items[at + n - 1];
	const struct phrase_word *next = at + n < words->count ? &words->items[at + n] : NULL;
	const uint64_t about = at + 1 < words->count && words->items[at + 1].kind == PHRASE_WORD
				       ? phrase_noun(words->items[at + 1].text)
				       : 0;

	/* what comes in a text, and what is to be another one */
	if (loom_str_is(word->text, "this") && n == 1 && word->key)
		return true;
	if (at && next && loom_str_is(next->text, "to") && n > 1 &&
	    loom_str_is(last->text, "node") &&
	    (phrase_says(words, at - 1, "switch") || phrase_says(words, at - 1, "set") ||
	     phrase_says(words, at - 1, "change") || phrase_says(words, at - 1, "move")))
		return true;
	if (at && next && n == 1 && loom_str_is(next->text, "to") &&
	    (phrase_says(words, at - 1, "append") || phrase_says(words, at - 1, "add")))
		return true;
	if (next && loom_str_is(last->text, "position"))
		return loom_str_is(next->text, "to") || next->kind == PHRASE_ID;
	if (next && loom_str_is(last->text, "result"))
		return next->kind == PHRASE_ID;
	if (about != NOUN_NODE && about && at + 2 < words->count &&
	    words->items[at + 2].kind == PHRASE_ID)
		return true;
	return (loom_str_is(word->text, "this") || loom_str_is(word->text, "current")) &&
	       (about & (NOUN_TREE | NOUN_MEMORY | NOUN_DOC | NOUN_CONTEXT | NOUN_SECTION |
			 NOUN_THREAD)) != 0;
}

/* "undo this" is about what was done, not about a place. */
static bool undoes(const struct phrase_words *words, size_t at, size_t n)
{
	return n == 1 && at && loom_str_is(words->items[at].text, "this") &&
	       (phrase_says(words, at - 1, "undo") || phrase_says(words, at - 1, "redo") ||
		phrase_says(words, at - 1, "revert"));
}

static void join_places(struct phrase_words *words)
{
	for (size_t at = 0; at < words->count; at++) {
		size_t n = 0;
		size_t i = LOOM_COUNT(places);

		for (size_t one = 0; one < LOOM_COUNT(places); one++) {
			const size_t longer = phrase_says(words, at, places[one].said);

			i = longer > n ? one : i;
			n = longer > n ? longer : n;
		}
		if (!n || points(words, at, n) || undoes(words, at, n))
			continue;
		if (at + n < words->count && words->items[at + n].kind == PHRASE_WORD &&
		    phrase_noun(words->items[at + n].text) == NOUN_NODE)
			n++;
		words->items[at].kind = PHRASE_PLACE;
		words->items[at].text = loom_str_of(places[i].place);
		phrase_cut(words, at + 1, at + n);
	}
}

void phrase_cut(struct phrase_words *words, size_t from, size_t to)
{
	LOOM_ASSERT(from <= to && to <= words->count);
	memmove(&words->items[from], &words->items[to],
		(words->count - to) * sizeof words->items[0]);
	words->count -= to - from;
}

void phrase_split(struct loom_arena *arena, struct loom_str line, struct phrase_words *out)
{
	struct splitter split = {.arena = arena, .line = line, .words = out};

	*out = (struct phrase_words){.count = 0};
	while (split.at < line.n && !out->broken) {
		size_t n = lang_blanks(line, split.at);

		split.at += n;
		if (n || split.at >= line.n || take_comment(&split) || take_arrow(&split) ||
		    take_bracketed(&split) || take_text(&split) || take_key_sign(&split))
			continue;
		n = skip_sign(&split);
		if (n)
			split.at += n;
		else if (!take_thread(&split))
			take_word(&split);
	}
	join_places(out);
}
