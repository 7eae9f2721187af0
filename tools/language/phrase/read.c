/* A phrase to the line that it means, or to the lines that it may have meant. */
#include "inside.h"

struct reading {
	struct loom_arena *arena;
	struct phrase_words words;
	enum phrase_tone tone;
	struct phrase_start start;
	enum phrase_shape shapes[LANG_PHRASE_LINES];
	size_t count;
	bool whole; /* a guess has a place for every word */
	struct lang_phrase *out;
};

/* Whether the word at `at` is one of a|b|c. */
static bool is_one(const struct phrase_words *words, size_t at, const char *list)
{
	struct loom_str rest = loom_str_of(list);
	struct loom_str word;

	if (at >= words->count || words->items[at].kind != PHRASE_WORD)
		return false;
	while (loom_str_cut(&rest, '|', &word))
		if (loom_str_eq(words->items[at].text, word))
			return true;
	return false;
}

/* "as a note" is about a note. */
static void join_role(struct phrase_words *words, size_t at)
{
	size_t end = at + 1;

	while (is_one(words, end, "a|an|the|my"))
		end++;
	if (is_one(words, end,
		   "note|annotation|comment|remark|reply|response|answer|bookmark|child") &&
	    !words->items[end].key && !words->items[at].key)
		phrase_cut(words, at, end);
}

/* "the path from the root to a7x2": every path begins there. */
static bool is_root_to(const struct phrase_words *words, size_t at)
{
	return is_one(words, at - 1, "path|branch") && at + 1 < words->count &&
	       words->items[at + 1].kind == PHRASE_PLACE &&
	       loom_str_is(words->items[at + 1].text, "root") &&
	       is_one(words, at + 2, "to|up|down|through");
}

/* "the first 10 lines": lines 1 to 10. */
static bool join_first(struct loom_arena *arena, struct phrase_words *words, size_t at)
{
	if (!is_one(words, at, "first|top") || at + 2 >= words->count ||
	    words->items[at + 1].kind != PHRASE_NUM || !is_one(words, at + 2, "lines"))
		return false;
	words->items[at] = words->items[at + 2];
	words->items[at + 1].kind = PHRASE_RANGE;
	words->items[at + 1].text =
		loom_arena_format(arena, "1-%.*s", LOOM_STR_ARG(words->items[at + 1].text));
	phrase_cut(words, at + 2, at + 3);
	return true;
}

/* "from start to finish" is all of it. */
static bool join_whole(struct phrase_words *words, size_t at)
{
	static const char *const said[] = {"from start to finish", "from beginning to end",
					   "from top to bottom",   "word for word",
					   "start to finish",      "top to bottom",
					   "in one piece"};
	size_t n = 0;

	for (size_t i = 0; at && i < LOOM_COUNT(said) && !n; i++)
		n = phrase_says(words, at, said[i]);
	if (!n)
		return false;
	words->items[at].text = LOOM_STR("full");
	phrase_cut(words, at + 1, at + n);
	return true;
}

/* Flags in several words become one: "with its annotations" is not about annotations, and "in full"
 * not about what is in something. */
static void join_flags(struct loom_arena *arena, struct phrase_words *words)
{
	for (size_t at = 0; at < words->count; at++) {
		const bool with = is_one(words, at, "with|including|and|plus|incl|showing");
		size_t end = at + 1;

		if (join_first(arena, words, at) || join_whole(words, at))
			continue;
		if (is_one(words, at, "from") && at && is_root_to(words, at)) {
			phrase_cut(words, at, at + 2);
			continue;
		}
		/* "the node with id a7x2" */
		if (is_one(words, at, "with") && is_one(words, at + 1, "id") &&
		    at + 2 < words->count && words->items[at + 2].kind == PHRASE_ID) {
			phrase_cut(words, at, at + 2);
			continue;
		}
		if (is_one(words, at, "as")) {
			join_role(words, at);
			continue;
		}

		if (!with && !is_one(words, at, "in"))
			continue;
		while (is_one(words, end, "its|the|all"))
			end++;
		if (!is_one(words, end,
			    with ? "annotations|notes|remarks|comments" : "full|entirety|whole") ||
		    words->items[end].key)
			continue;
		words->items[at].text = with ? LOOM_STR("withannotations") : LOOM_STR("full");
		phrase_cut(words, at + 1, end + 1);
		if (at && is_one(words, at - 1, "along|together"))
			phrase_cut(words, at - 1, at);
	}
}

/* "to the node a7x2" */
static bool is_led_to(const struct phrase_words *words, size_t i)
{
	while (i && is_one(words, i - 1, "the|node|message|passage"))
		i--;
	return i && is_one(words, i - 1, "to|onto|into");
}

/* Returns what the word at `i` adds to what a line is about. */
static uint64_t about_word(const struct phrase_words *words, size_t i)
{
	const struct phrase_word *word = &words->items[i];

	switch (word->kind) {
	case PHRASE_ID:
	case PHRASE_PLACE:
		return SAID_ID | (is_led_to(words, i) ? SAID_TO : 0) |
		       (loom_str_is(word->text, "here") ? SAID_HERE : 0);
	case PHRASE_IDS:
		return SAID_ID | SAID_TWO;
	case PHRASE_THREAD:
		return SAID_THREAD;
	case PHRASE_TEXT:
		return SAID_TEXT;
	case PHRASE_NUM:
		return SAID_NUM;
	case PHRASE_RANGE:
		return 0;
	case PHRASE_WORD:
		/* "one" may be anything. */
		return phrase_noun(word->text) | (phrase_number(word->text) > 1 ? SAID_NUM : 0);
	}
	return 0;
}

static uint64_t about(const struct phrase_words *words, size_t from)
{
	uint64_t said = 0;
	size_t nodes = 0;
	size_t texts = 0;

	for (size_t i = from; i < words->count; i++) {
		const struct phrase_word *word = &words->items[i];

		/* An aside may add to a command, but does not turn it into another. */
		if (word->aside)
			continue;
		said |= about_word(words, i);
		nodes += word->kind == PHRASE_ID ? 1 : 0;
		texts += word->kind == PHRASE_TEXT ? 1 : 0;
		if (word->kind == PHRASE_WORD &&
		    (loom_str_is(word->text, "withannotations") ||
		     (loom_str_is(word->text, "annotations") && word->key && i > from)))
			said |= SAID_WITH;
	}
	return said | (nodes > 1 ? SAID_TWO : 0) | (texts > 1 ? SAID_TEXTS : 0);
}

static size_t node_count(const struct phrase_words *words)
{
	size_t count = 0;

	for (size_t i = 0; i < words->count; i++)
		count += words->items[i].kind == PHRASE_ID ? 1 : 0;
	return count;
}

/* ---- understanding ---- */

/* Finds the shapes that the head means with all that is said behind it. */
static bool means(struct reading *reading)
{
	reading->count = phrase_meant(&reading->start, about(&reading->words, reading->start.next),
				      reading->shapes);
	return reading->count > 0 && reading->shapes[0] != SHAPE_NONE;
}

static bool heads_at(struct reading *reading, size_t at)
{
	return phrase_head_at(&reading->words, at, &reading->start) && means(reading);
}

/* Whether a line of this weight is asked for in such a tone. */
static enum lang_mood tone_mood(const struct reading *reading, enum phrase_weight weight)
{
	const bool asks = reading->words.asks;

	if (weight == WEIGHT_LOOKS)
		return LANG_MOOD_PLAIN;
	if (reading->tone == TONE_ASKING)
		return LANG_MOOD_QUESTION;
	if (weight == WEIGHT_ADDS)
		return asks && reading->tone != TONE_POLITE ? LANG_MOOD_QUESTION : LANG_MOOD_PLAIN;
	return asks || reading->tone == TONE_POLITE ? LANG_MOOD_QUESTION
	       : reading->tone == TONE_WISH         ? LANG_MOOD_OPEN
						    : LANG_MOOD_PLAIN;
}

/* Reads "viewing" as "view", "taking" as "take" and "cutting" as "cut"; "views" as "view". */
static bool heads_in_ing(struct reading *reading)
{
	struct phrase_word *first = &reading->words.items[0];
	const struct loom_str said = first->text;
	const bool ing = said.n > 4 && loom_str_ends(said, LOOM_STR("ing"));
	const bool third =
		!ing && said.n > 3 && loom_str_ends(said, LOOM_STR("s")) && !phrase_noun(said);
	const size_t n = said.n - (ing ? 3 : 1);
	struct loom_str forms[3];

	if (first->kind != PHRASE_WORD || !(ing || third))
		return false;
	forms[0] = loom_str_sub(said, 0, n);
	forms[1] = loom_arena_format(reading->arena, "%.*se", LOOM_STR_ARG(forms[0]));
	forms[2] = loom_str_sub(said, 0, said.p[n - 1] == said.p[n - 2] ? n - 1 : n);
	for (size_t i = 0; i < LOOM_COUNT(forms); i++) {
		first->text = forms[i];
		if (!heads_at(reading, 0))
			continue;
		if (reading->tone < TONE_WISH)
			reading->tone = TONE_WISH;
		return true;
	}
	first->text = said;
	return false;
}

static struct loom_str asides_of(struct loom_arena *arena, const struct phrase_words *words)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str copy;

	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].aside) {
			loom_buf_add(&out, words->items[i].raw);
			loom_buf_addc(&out, ' ');
		}
	copy = loom_arena_buf(arena, &out);
	loom_buf_fini(&out);
	return copy;
}

static void drop_asides(struct phrase_words *words)
{
	for (size_t i = words->count; i--;)
		if (words->items[i].aside)
			phrase_cut(words, i, i + 1);
}

/* Tries the words as they are; true when all of them are understood as one line. */
static bool understands(struct reading *reading)
{
	const struct phrase_fill all = {.words = &reading->words, .only = SIZE_MAX};
	struct phrase_fill fill = all;

	reading->tone = phrase_lead(&reading->words);
	join_flags(reading->arena, &reading->words);
	if (!reading->words.count || reading->words.broken ||
	    (!heads_at(reading, 0) && !heads_in_ing(reading)))
		return false;
	fill.at = reading->start.next;
	fill.shape = reading->shapes[0];
	return phrase_fill(reading->arena, &fill, &reading->out->lines[0]) && reading->count == 1 &&
	       !reading->start.unsure;
}

static bool runs(struct reading *reading, struct loom_str comment)
{
	struct lang_phrase *out = reading->out;
	const enum phrase_weight weight = phrase_weight(phrase_shape_verb(reading->shapes[0]));

	out->mood = tone_mood(reading, weight);
	if (out->mood == LANG_MOOD_PLAIN)
		out->mood = phrase_comment_mood(reading->arena, comment, weight == WEIGHT_LOOKS,
						&out->why);
	return out->mood == LANG_MOOD_PLAIN;
}

static bool only_looks(const struct reading *reading)
{
	return phrase_weight(phrase_shape_verb(reading->shapes[0])) == WEIGHT_LOOKS;
}

/* Whether an aside has a number or a text in it, which is more than a remark. */
static bool says_more(const struct phrase_words *said)
{
	for (size_t i = 0; i < said->count; i++)
		if (said->items[i].aside &&
		    (said->items[i].kind == PHRASE_NUM || said->items[i].kind == PHRASE_TEXT))
			return true;
	return false;
}

/* Tries the line without what it says it is for; that must be no more than a reason. */
static bool try_without_reason(struct reading *reading, const struct phrase_words *said,
			       struct loom_str line)
{
	struct loom_str reason;
	struct loom_str why;

	reading->words = *said;
	if (!phrase_cut_reason(&reading->words, line))
		return false;
	reason = reading->words.comment;
	return understands(reading) && runs(reading, said->comment) &&
	       (phrase_weight(phrase_shape_verb(reading->shapes[0])) != WEIGHT_TAKES
			? phrase_comment_mood(reading->arena, reason, true, &why) == LANG_MOOD_PLAIN
			: runs(reading, reason));
}

/* Reads the words after a dash as the rest of the line: `view a7x2 -- full`. */
static bool understands_dashed(struct reading *reading, const struct phrase_words *said)
{
	struct phrase_words *behind = loom_arena_alloc(reading->arena, sizeof *behind);

	phrase_split(reading->arena, said->comment, behind);
	if (behind->broken || behind->comment.n || !behind->count || behind->asks ||
	    behind->count + said->count > PHRASE_WORDS_MAX)
		return false;
	reading->words = *said;
	memcpy(&reading->words.items[said->count], behind->items,
	       behind->count * sizeof behind->items[0]);
	reading->words.count += behind->count;
	return understands(reading) && only_looks(reading);
}

static bool try_all(struct reading *reading, const struct phrase_words *said)
{
	struct loom_str comment = said->comment;

	if (said->dashed && understands_dashed(reading, said))
		return true;
	reading->words = *said;
	if (understands(reading))
		return runs(reading, comment);
	if (!said->asides)
		return false;
	reading->words = *said;
	drop_asides(&reading->words);
	return understands(reading) && (only_looks(reading) || !says_more(said)) &&
	       runs(reading, comment) && runs(reading, asides_of(reading->arena, said));
}

/* ---- guessing ---- */

static void add_line(struct reading *reading, struct loom_str line)
{
	struct lang_phrase *out = reading->out;

	for (size_t i = 0; i < out->count; i++)
		if (loom_str_eq(out->lines[i], line))
			return;
	if (line.n && out->count < LANG_PHRASE_LINES)
		out->lines[out->count++] = line;
}

static void guess_shapes(struct reading *reading)
{
	struct phrase_fill fill = {.words = &reading->words,
				   .at = reading->start.next,
				   .loosely = true,
				   .named = reading->start.head == HEAD_ANY};
	const size_t nodes = node_count(&reading->words);
	struct loom_str line;

	for (size_t i = 0; i < reading->count; i++) {
		if (reading->shapes[i] == SHAPE_NONE)
			continue;
		fill.shape = reading->shapes[i];
		/* What is no second node is a document. */
		if (fill.shape == SHAPE_LINK && nodes == 1 &&
		    !(about(&reading->words, fill.at) & (NOUN_DOC | NOUN_TREE)))
			fill.shape = SHAPE_LINK_DOC;
		fill.only = SIZE_MAX;
		if (phrase_fill(reading->arena, &fill, &line)) {
			reading->whole = true;
			add_line(reading, line);
			continue;
		}
		if (nodes <= phrase_shape_nodes(fill.shape)) {
			add_line(reading, line);
			continue;
		}
		/* One line for each node. */
		for (fill.only = 0; fill.only < nodes; fill.only++) {
			(void)phrase_fill(reading->arena, &fill, &line);
			add_line(reading, line);
		}
	}
}

/* Finds the word that turns the act of a line away, if any, among the words that do not name it. */
static void find_mood(struct reading *reading)
{
	const struct phrase_words *said = &reading->words;
	struct lang_phrase *out = reading->out;
	enum lang_mood worst = LANG_MOOD_PLAIN;

	for (size_t i = 0; i < said->count; i++) {
		const bool names = i >= reading->start.at && i < reading->start.next;
		enum lang_mood mood = said->items[i].kind == PHRASE_WORD && !names
					      ? phrase_mood_of(said->items[i].text)
					      : LANG_MOOD_PLAIN;

		if (said->items[i].key || mood == LANG_MOOD_PLAIN ||
		    (worst != LANG_MOOD_PLAIN && mood >= worst))
			continue;
		worst = mood;
		out->why = said->items[i].raw;
	}
	if (worst != LANG_MOOD_PLAIN)
		out->mood = worst;
}

/* The first node that is named, for a line that only looks. */
static struct loom_str to_look_at(struct reading *reading, const struct phrase_words *said)
{
	for (size_t i = 0; i < said->count; i++)
		if (said->items[i].kind == PHRASE_ID || said->items[i].kind == PHRASE_PLACE)
			return loom_arena_format(reading->arena, "view %.*s",
						 LOOM_STR_ARG(said->items[i].text));
	return LOOM_STR("");
}

/* Reads the first word as the verb it is a misspelling of. One that takes something away must be
 * as good as spelled. */
static bool finds_misspelt(struct reading *reading)
{
	struct phrase_word *first = &reading->words.items[0];
	const enum loom_verb verb = first->text.n > 3 && !phrase_noun(first->text)
					    ? loom_verb_nearest(first->text)
					    : LOOM_VERB_NONE;
	struct loom_str name = loom_str_of(loom_verb_name(verb));

	if (verb == LOOM_VERB_NONE || loom_word_distance(first->text, name, 2) >
					      (phrase_weight(verb) == WEIGHT_TAKES ? 1u : 2u))
		return false;
	first->text = name;
	return heads_at(reading, 0);
}

/* A line without a verb looks at what it is about: `children of a7x2`. */
static bool finds_things(struct reading *reading)
{
	const uint64_t things = NOUN_CONT | NOUN_NOTE | NOUN_LINK | NOUN_TREE | NOUN_MEMORY |
				NOUN_TRACE | NOUN_STASHES | NOUN_DOC | NOUN_DOCS | NOUN_TREES |
				NOUN_TAGS | NOUN_BOOKMARKS | NOUN_PRUNED | NOUN_DRAFTS |
				NOUN_THREADS | NOUN_BRANCH;

	reading->start = (struct phrase_start){.head = HEAD_LOOK};
	if (!(about(&reading->words, 0) & things))
		return false;
	reading->count = phrase_meant(&reading->start, about(&reading->words, 0), reading->shapes);
	return reading->count > 0;
}

/* A head of the line at `at`, or words that come near one: the longer of them. */
static bool heads_near(struct reading *reading, size_t at)
{
	const struct phrase_words before = reading->words;
	const bool found = heads_at(reading, at);
	const struct phrase_words found_words = reading->words;
	const struct phrase_start start = reading->start;
	enum phrase_shape shapes[LANG_PHRASE_LINES];

	reading->words = before;
	if (phrase_near_at(&reading->words, at, &reading->start) &&
	    (!found || reading->start.said > start.said) && means(reading))
		return true;
	reading->words = found_words;
	reading->start = start;
	reading->count = phrase_meant(&start, about(&reading->words, start.next), shapes);
	memcpy(reading->shapes, shapes, sizeof shapes);
	return found;
}

/* Nothing begins a command: what is said without one tells what may be wanted. */
static bool finds_any(struct reading *reading)
{
	reading->start = (struct phrase_start){.head = HEAD_ANY};
	return means(reading);
}

static bool finds_head(struct reading *reading)
{
	if (reading->words.count && reading->words.items[0].kind == PHRASE_WORD &&
	    (heads_near(reading, 0) || finds_misspelt(reading)))
		return true;
	for (size_t at = 1; at < reading->words.count; at++)
		if (reading->words.items[at].kind == PHRASE_WORD && heads_near(reading, at))
			return true;
	return false;
}

/* Moves what is named before the verb behind it: `a7x2 view`, `under a7x2 write "…"`. */
static void bring_values(struct reading *reading)
{
	struct phrase_words *words = &reading->words;
	const size_t count = words->count;

	for (size_t i = 0; i < reading->start.at && words->count + 2 <= PHRASE_WORDS_MAX; i++) {
		if (words->items[i].kind == PHRASE_WORD)
			continue;
		if (i &&
		    is_one(words, i - 1, "under|below|beneath|to|from|with|after|before|on|in"))
			words->items[words->count++] = words->items[i - 1];
		words->items[words->count++] = words->items[i];
	}
	if (words->count > count)
		(void)means(reading);
}

/* `continue ?` asks what it does. */
static bool asks_for_help(struct reading *reading, const struct phrase_words *said)
{
	const enum phrase_shape shape = reading->shapes[0];

	if (!said->asks || reading->start.next < reading->words.count ||
	    reading->start.head != HEAD_VERB)
		return false;
	add_line(reading, loom_arena_format(reading->arena, "help %s",
					    loom_verb_name(phrase_shape_verb(shape))));
	return true;
}

/* The weight of the heaviest reading. */
static enum phrase_weight heaviest(const struct reading *reading)
{
	enum phrase_weight weight = WEIGHT_LOOKS;

	for (size_t i = 0; i < reading->count; i++)
		if (reading->shapes[i] != SHAPE_NONE &&
		    phrase_weight(phrase_shape_verb(reading->shapes[i])) > weight)
			weight = phrase_weight(phrase_shape_verb(reading->shapes[i]));
	return weight;
}

/* Takes the words that a guess is made from. */
static void take_words(struct reading *reading, const struct phrase_words *said,
		       struct loom_str line)
{
	reading->words = *said;
	if (phrase_cut_reason(&reading->words, line) && understands(reading) && only_looks(reading))
		return;
	reading->words = *said;
	reading->tone = phrase_lead(&reading->words);
	join_flags(reading->arena, &reading->words);
}

/* Whether a line in this mood is answered with what it says. */
static bool is_offered(const struct reading *reading, enum phrase_weight weight)
{
	const struct lang_phrase *out = reading->out;

	/* A wish that is too grave to act on is offered as the line that does it. */
	if (out->mood == LANG_MOOD_OPEN && !out->why.n && reading->tone == TONE_WISH)
		return true;
	return out->mood == LANG_MOOD_PLAIN || out->mood == LANG_MOOD_JOINED ||
	       (out->mood != LANG_MOOD_NEGATED && weight != WEIGHT_TAKES);
}

/* Adds what may be wanted by what is named alone; nothing of it takes anything away. */
static void guess_further(struct reading *reading, const struct phrase_words *words)
{
	reading->words = *words;
	if (finds_things(reading))
		guess_shapes(reading);
	if (!reading->out->meant) {
		reading->out->meant = reading->out->count;
		reading->out->sure = reading->whole;
	}
	reading->words = *words;
	if (!reading->whole && finds_any(reading))
		guess_shapes(reading);
}

static void guess(struct reading *reading, const struct phrase_words *said, struct loom_str line)
{
	struct lang_phrase *out = reading->out;
	struct phrase_words words;
	enum phrase_weight weight = WEIGHT_LOOKS;
	bool found = false;

	out->look = to_look_at(reading, said);
	take_words(reading, said, line);
	words = reading->words;
	reading->start = (struct phrase_start){.head = HEAD_NONE};
	found = finds_head(reading);
	find_mood(reading);
	if (found)
		bring_values(reading);
	weight = found ? heaviest(reading) : WEIGHT_LOOKS;
	if (out->mood == LANG_MOOD_PLAIN)
		out->mood = tone_mood(reading, weight);
	if (found && asks_for_help(reading, said))
		return;
	reading->whole = false;
	if (found && is_offered(reading, weight))
		guess_shapes(reading);
	out->meant = out->count;
	out->sure = found && !reading->start.unsure;
	if (!reading->whole && is_offered(reading, WEIGHT_LOOKS))
		guess_further(reading, &words);
	add_line(reading, out->look);
	/* A bare id asks what to do with it. */
	if (words.count == 1)
		out->meant = out->count;
}

/* Splits a line; NULL when there is nothing to read. */
static struct phrase_words *split(struct loom_arena *arena, struct loom_str line)
{
	struct phrase_words *said = loom_arena_alloc(arena, sizeof *said);

	phrase_split(arena, line, said);
	return said->broken || !said->count ? NULL : said;
}

bool lang_phrase_read(struct loom_arena *arena, struct loom_str line, struct lang_phrase *out)
{
	struct reading reading = {.arena = arena, .out = out};
	const struct phrase_words *said = split(arena, line);

	*out = (struct lang_phrase){.count = 0};
	if (!said || !(try_all(&reading, said) || try_without_reason(&reading, said, line)))
		return false;
	out->count = 1;
	return true;
}

void lang_phrase_guess(struct loom_arena *arena, struct loom_str line, struct lang_phrase *out)
{
	struct reading reading = {.arena = arena, .out = out};
	const struct phrase_words *said = split(arena, line);
	const bool quoted = said && said->count == 1 && said->items[0].kind == PHRASE_TEXT;

	if (quoted)
		said = split(arena, said->items[0].text);
	if (said)
		guess(&reading, said, line);
	if (quoted)
		out->mood = LANG_MOOD_REPORTED;
}

enum lang_mood lang_phrase_mood(struct loom_arena *arena, struct loom_str line, enum loom_verb verb,
				struct loom_str *out_why)
{
	struct lang_phrase phrase = {.count = 0};
	struct reading reading = {.arena = arena, .out = &phrase};
	struct phrase_words *said = NULL;

	/* Most lines have neither a question nor a comment. */
	if (loom_str_find_char(line, '?', 0) == SIZE_MAX &&
	    loom_str_find_char(line, '#', 0) == SIZE_MAX &&
	    loom_str_find_char(line, '(', 0) == SIZE_MAX)
		return LANG_MOOD_PLAIN;
	said = loom_arena_alloc(arena, sizeof *said);
	phrase_split(arena, line, said);
	reading.words.asks = said->asks;
	phrase.mood = tone_mood(&reading, phrase_weight(verb));
	if (phrase.mood == LANG_MOOD_PLAIN)
		phrase.mood = phrase_comment_mood(arena,
						  said->comment.n ? said->comment
								  : asides_of(arena, said),
						  phrase_weight(verb) == WEIGHT_LOOKS, out_why);
	return phrase.mood;
}
