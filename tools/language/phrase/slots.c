/* The parts of a command into the slots of its shape, and the line that this makes.
 *
 * A value goes where the words before it say, else to the first free slot of its kind. Every word
 * must have a place; with `loosely` the line is a guess, for a hint. */
#include "filling.h"

static const struct slot slots[] = {
#define SLOT(shape_, kind_, keys_, spelling_) {SHAPE_##shape_, KIND_##kind_, keys_, spelling_},
#include "shapes.def"
};

static const struct {
	enum loom_verb verb;
	const char *head;
} shapes[] = {
#define SHAPE(id, verb_, head_) [SHAPE_##id] = {LOOM_VERB_##verb_, head_},
#include "shapes.def"
};

enum loom_verb phrase_shape_verb(enum phrase_shape shape)
{
	return shapes[shape].verb;
}

/* ---- the slots of a shape ---- */

bool phrase_has_word(const char *list, struct loom_str word)
{
	struct loom_str rest = loom_str_of(list);
	struct loom_str one;

	while (rest.n && loom_str_cut(&rest, '|', &one))
		if (loom_str_eq(one, word))
			return true;
	return false;
}

static bool is_text(enum slot_kind kind)
{
	return kind == KIND_TEXT || kind == KIND_TEXT_ALONE || kind == KIND_NAME ||
	       kind == KIND_NAME_ALONE || kind == KIND_NAME_LAST || kind == KIND_NAME_FIRST ||
	       kind == KIND_NAME_MODE;
}

bool phrase_is_name(enum slot_kind kind)
{
	return is_text(kind) && kind != KIND_TEXT && kind != KIND_TEXT_ALONE;
}

static bool is_node(enum slot_kind kind)
{
	return kind == KIND_ID || kind == KIND_ID_ALONE;
}

static bool is_num(enum slot_kind kind)
{
	return kind == KIND_NUM || kind == KIND_NUM_ALONE || kind == KIND_NUM_MODE;
}

static bool is_choice(enum slot_kind kind)
{
	return kind == KIND_CHOICE || kind == KIND_CHOICE_ALONE;
}

static bool is_mode(enum slot_kind kind)
{
	return kind == KIND_MODE || kind == KIND_NUM_MODE || kind == KIND_NAME_MODE;
}

/* Whether the slot takes values of the word's kind. */
static bool takes(enum slot_kind kind, const struct phrase_word *word)
{
	switch (word->kind) {
	case PHRASE_TEXT:
		return is_text(kind);
	case PHRASE_ID:
	case PHRASE_PLACE:
	case PHRASE_IDS:
		return is_node(kind);
	case PHRASE_NUM:
		return is_num(kind);
	case PHRASE_RANGE:
		return kind == KIND_RANGE;
	case PHRASE_THREAD:
		return kind == KIND_THREAD;
	case PHRASE_WORD:
		return false;
	}
	return false;
}

/* Whether a value without a key may go here. */
static bool alone(enum slot_kind kind)
{
	return kind == KIND_ID_ALONE || kind == KIND_TEXT_ALONE || kind == KIND_NUM_ALONE ||
	       kind == KIND_NAME_ALONE || kind == KIND_NAME_LAST || kind == KIND_NAME_FIRST ||
	       kind == KIND_RANGE || kind == KIND_THREAD;
}

static bool is_free(const struct filling *filling, size_t slot)
{
	return filling->values[slot].p == NULL;
}

static void go_astray(struct filling *filling, size_t at)
{
	if (filling->astray == SIZE_MAX)
		filling->astray = at;
}

static const struct phrase_word *word_at(const struct filling *filling, size_t at)
{
	return at < filling->fill->words->count ? &filling->fill->words->items[at] : NULL;
}

/* ---- values ---- */

static struct loom_str quoted(struct filling *filling, struct loom_str text)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str copy;

	loom_call_quote(text, &out);
	copy = loom_arena_buf(filling->arena, &out);
	loom_buf_fini(&out);
	return copy;
}

void phrase_put(struct filling *filling, size_t slot, const struct phrase_word *word)
{
	const enum slot_kind kind = filling->slots[slot]->kind;
	struct loom_str text = word->kind == PHRASE_TEXT ? word->text : word->raw;

	filling->values[slot] = is_text(kind) ? quoted(filling, text) : word->text;
	filling->pending_count = 0;
}

/* The slot that the words before a value name: the last of them that names one of this kind, a free
 * one if there is any; SIZE_MAX when none does. */
static size_t named_slot(const struct filling *filling, const struct phrase_word *word)
{
	for (size_t i = filling->pending_count; i--;) {
		size_t named = SIZE_MAX;

		for (size_t slot = 0; slot < filling->count; slot++)
			if (takes(filling->slots[slot]->kind, word) &&
			    phrase_has_word(filling->slots[slot]->keys,
					    filling->pending[i]->text) &&
			    (named == SIZE_MAX ||
			     (!is_free(filling, named) && is_free(filling, slot))))
				named = slot;
		if (named != SIZE_MAX)
			return named;
	}
	return SIZE_MAX;
}

size_t phrase_free_slot(const struct filling *filling, const struct phrase_word *word)
{
	for (size_t slot = 0; slot < filling->count; slot++)
		if (is_free(filling, slot) && alone(filling->slots[slot]->kind) &&
		    takes(filling->slots[slot]->kind, word))
			return slot;
	return SIZE_MAX;
}

/* The slot that the word behind a value names: `2 continuations`, `the "intro" section`; SIZE_MAX
 * when it names none, or has a value of its own. */
static size_t slot_behind(const struct filling *filling, size_t at, const struct phrase_word *word)
{
	const struct phrase_word *key = word_at(filling, at + 1);
	const struct phrase_word *next = word_at(filling, at + 2);

	if (!key || key->kind != PHRASE_WORD || key->key ||
	    (next && next->kind == (word->kind == PHRASE_NUM ? PHRASE_RANGE : PHRASE_TEXT)))
		return SIZE_MAX;
	for (size_t slot = 0; slot < filling->count; slot++) {
		const enum slot_kind kind = filling->slots[slot]->kind;
		const bool noun = is_num(kind) || phrase_noun(key->text) != 0;

		if (noun && is_free(filling, slot) &&
		    (takes(kind, word) || (word->kind == PHRASE_WORD && phrase_is_name(kind))) &&
		    phrase_has_word(filling->slots[slot]->keys, key->text))
			return slot;
	}
	return SIZE_MAX;
}

/* A value as another kind than it was written: `n:"2"`, `"a7x2"` as a node. */
static bool reread(struct filling *filling, const struct phrase_word *word, struct phrase_word *out)
{
	int64_t number = 0;
	bool wants_text = false;

	*out = *word;
	if (word->kind != PHRASE_TEXT)
		return false;
	for (size_t slot = 0; slot < filling->count; slot++)
		wants_text =
			wants_text || (is_text(filling->slots[slot]->kind) &&
				       alone(filling->slots[slot]->kind) && is_free(filling, slot));
	if (lang_id_read(filling->arena, word->text, &out->text))
		out->kind = PHRASE_ID;
	else if (loom_str_to_i64(word->text, &number) && number > 0)
		out->kind = PHRASE_NUM;
	else
		return false;
	return (!wants_text && out->kind == PHRASE_ID) ||
	       (filling->pending_count && named_slot(filling, word) == SIZE_MAX &&
		named_slot(filling, out) != SIZE_MAX);
}

bool phrase_is_key(const struct filling *filling, const struct phrase_word *word)
{
	for (size_t slot = 0; slot < filling->count; slot++) {
		const enum slot_kind kind = filling->slots[slot]->kind;

		if (kind != KIND_SKIP && kind != KIND_FLAG &&
		    phrase_has_word(filling->slots[slot]->keys, word->text))
			return true;
	}
	return false;
}

static bool is_skipped(const struct filling *filling, const struct phrase_word *word)
{
	for (size_t slot = 0; slot < filling->count; slot++)
		if (filling->slots[slot]->kind == KIND_SKIP &&
		    phrase_has_word(filling->slots[slot]->keys, word->text))
			return true;
	return phrase_has_word("the|a|an|me|us|my|our|node|nodes|please|nodeid", word->text);
}

/* Whether the word names a slot that has a few words to choose from. */
static bool is_chooser(const struct filling *filling, const struct phrase_word *word)
{
	for (size_t slot = 0; slot < filling->count; slot++)
		if (is_choice(filling->slots[slot]->kind) &&
		    phrase_has_word(filling->slots[slot]->keys, word->text))
			return true;
	return false;
}

/* A word in quotes behind a word that takes no text: `mode="append"`, `as="prose"`. */
static bool reread_word(const struct filling *filling, size_t at, struct phrase_word *out)
{
	const struct phrase_word *word = &filling->fill->words->items[at];
	const struct phrase_word *key = at > filling->fill->at ? word - 1 : NULL;

	*out = *word;
	if (out->kind != PHRASE_TEXT || !key || !key->key || key->kind != PHRASE_WORD ||
	    (!is_chooser(filling, key) &&
	     (phrase_is_key(filling, key) || !is_skipped(filling, key))))
		return false;
	out->kind = PHRASE_WORD;
	return true;
}

/* Both ends of a path. */
static bool put_ends(struct filling *filling, const struct phrase_word *word)
{
	const size_t cut = loom_str_find_char(word->text, '-', 1);
	size_t slot = 0;

	while (slot + 1 < filling->count &&
	       !(is_node(filling->slots[slot]->kind) && is_node(filling->slots[slot + 1]->kind)))
		slot++;
	if (slot + 1 >= filling->count || !is_free(filling, slot) || !is_free(filling, slot + 1))
		return false;
	filling->values[slot] = loom_str_sub(word->text, 0, cut);
	filling->values[slot + 1] = loom_str_sub(word->text, cut + 1, word->text.n);
	filling->pending_count = 0;
	return true;
}

/* Whether a node is only named as the owner of what is meant: "a7x2's parent", "the parent of
 * a7x2". */
static bool is_relative(const struct filling *filling, size_t at, const struct phrase_word *word)
{
	const struct phrase_word *next = word_at(filling, at + 1);
	const struct phrase_word *behind = word_at(filling, at + 2);

	if (!next || word->owner)
		return next && next->kind == PHRASE_PLACE;
	return word->kind == PHRASE_PLACE && next->kind == PHRASE_WORD &&
	       loom_str_is(next->text, "of") && behind && behind->kind == PHRASE_ID;
}

/* Takes a node; of several, where one is wanted, a guess takes the one it was asked to. */
static void take_node(struct filling *filling, const struct phrase_word *word, size_t at)
{
	size_t slot = named_slot(filling, word);

	if (is_relative(filling, at, word))
		go_astray(filling, at);
	if (slot == SIZE_MAX || !is_free(filling, slot))
		slot = slot == SIZE_MAX || filling->fill->only != SIZE_MAX
			       ? phrase_free_slot(filling, word)
			       : SIZE_MAX;
	if ((filling->fill->only != SIZE_MAX && filling->nodes++ != filling->fill->only) ||
	    slot == SIZE_MAX)
		go_astray(filling, at);
	else
		phrase_put(filling, slot, word);
	filling->pending_count = 0;
}

/* Takes `lines 1 to 20`; returns how many words. */
static size_t take_lines(struct filling *filling, size_t at)
{
	const struct phrase_word *from = word_at(filling, at);
	const struct phrase_word *to = word_at(filling, at + 1);
	const struct phrase_word *end = word_at(filling, at + 2);
	const struct phrase_word lines = {.kind = PHRASE_RANGE};
	const size_t slot = named_slot(filling, &lines);

	if (slot == SIZE_MAX || !to || !end || end->kind != PHRASE_NUM || to->kind != PHRASE_WORD ||
	    !phrase_has_word("to|through|until|and", to->text))
		return 0;
	filling->values[slot] =
		loom_arena_format(filling->arena, "%.*s-%.*s", LOOM_STR_ARG(from->text),
				  LOOM_STR_ARG(end->text));
	filling->pending_count = 0;
	return 3;
}

static size_t take_number(struct filling *filling, const struct phrase_word *word, size_t at)
{
	const size_t lines = take_lines(filling, at);
	size_t slot = lines ? SIZE_MAX : named_slot(filling, word);
	size_t used = 1;

	if (lines)
		return lines;
	if (slot == SIZE_MAX && (slot = slot_behind(filling, at, word)) != SIZE_MAX)
		used = 2;
	if (slot == SIZE_MAX && (filling->pending_count == 0 || word->kind == PHRASE_RANGE ||
				 phrase_has_word("with|for|of|from", filling->pending[0]->text)))
		slot = phrase_free_slot(filling, word);
	if (slot == SIZE_MAX || !is_free(filling, slot))
		go_astray(filling, at);
	else
		phrase_put(filling, slot, word);
	filling->pending_count = 0;
	return used;
}

static bool take_verb(struct filling *filling, const struct phrase_word *word)
{
	const enum loom_verb verb = loom_verb_find(word->text);

	for (size_t slot = 0; slot < filling->count; slot++)
		if (filling->slots[slot]->kind == KIND_VERB && is_free(filling, slot) &&
		    verb != LOOM_VERB_NONE && verb != LOOM_VERB_HELP) {
			filling->values[slot] = loom_str_of(loom_verb_name(verb));
			return true;
		}
	return false;
}

static size_t take_text(struct filling *filling, const struct phrase_word *word, size_t at)
{
	size_t slot = named_slot(filling, word);
	size_t used = 1;

	if (take_verb(filling, word))
		return 1;
	if (slot == SIZE_MAX && (slot = slot_behind(filling, at, word)) != SIZE_MAX)
		used = 2;
	/* An agent's name is a word; `with "some words"` are more likely what is to be said. */
	if (slot != SIZE_MAX && filling->fill->shape == SHAPE_CONTINUE &&
	    filling->slots[slot]->kind == KIND_NAME && filling->pending_count &&
	    loom_str_is(filling->pending[filling->pending_count - 1]->text, "with") &&
	    loom_str_find_char(word->text, ' ', 0) != SIZE_MAX)
		go_astray(filling, at);
	/* What "with" or "to" may name is taken by what came first. */
	if (slot != SIZE_MAX && is_free(filling, slot)) {
		phrase_put(filling, slot, word);
	} else if (slot == SIZE_MAX && filling->text_count < LOOM_COUNT(filling->texts)) {
		filling->texts[filling->text_count++] = word;
		filling->pending_count = 0;
	} else {
		go_astray(filling, at);
	}
	return used;
}

/* Weak keys take a bare word as a name only when it looks like one. */
static bool looks_named(struct loom_str raw)
{
	for (size_t i = 0; i < raw.n; i++)
		if ((raw.p[i] >= '0' && raw.p[i] <= '9') || (raw.p[i] >= 'A' && raw.p[i] <= 'Z'))
			return true;
	return false;
}

/* Whether a bare word may be a name at all. */
static bool may_name(const struct phrase_word *word)
{
	return phrase_mood_of(word->text) == LANG_MOOD_PLAIN &&
	       !phrase_has_word(
		       "the|a|an|it|them|this|that|my|is|to|of|in|on|from|for|at|as|all|every|"
		       "each|any|some|other|another|both|which|what|one|ones|here|there|our|your|"
		       "its|"
		       "everything|anything|something",
		       word->text);
}

static bool is_text_at(const struct filling *filling, size_t at)
{
	return at < filling->fill->words->count &&
	       filling->fill->words->items[at].kind == PHRASE_TEXT;
}

/* The slot that takes a bare word as its name; SIZE_MAX when none does. */
static size_t name_slot(const struct filling *filling, const struct phrase_word *word, size_t at)
{
	const struct phrase_word *next = word_at(filling, at + 1);
	const struct phrase_word *key =
		filling->pending_count ? filling->pending[filling->pending_count - 1] : NULL;

	if (!may_name(word))
		return SIZE_MAX;
	for (size_t slot = 0; slot < filling->count; slot++) {
		const enum slot_kind kind = filling->slots[slot]->kind;
		const bool named = key && phrase_has_word(filling->slots[slot]->keys, key->text);
		const bool weak =
			key && phrase_has_word("with|by|via|from|of|in|to|as|have|let|use|ask|get|"
					       "through|for",
					       key->text);

		/* What stands bare behind "at" is a line, the start or the end. */
		if (!is_free(filling, slot) || !phrase_is_name(kind) ||
		    (named && loom_str_is(key->text, "at")))
			continue;
		if (named && (!weak || key->key || filling->fill->loosely ||
			      (key->text.n > 2 && looks_named(word->raw))))
			return slot;
		if ((kind == KIND_NAME_LAST && (word->hash || !next)) ||
		    (kind == KIND_NAME_FIRST && next && next->kind == PHRASE_TEXT &&
		     filling->text_count == 0 && !is_text_at(filling, at + 2)))
			return slot;
	}
	return slot_behind(filling, at, word);
}

static bool take_choice(struct filling *filling, const struct phrase_word *word)
{
	for (size_t slot = 0; slot < filling->count; slot++) {
		const struct slot *one = filling->slots[slot];
		struct loom_str spelling = loom_str_of(one->spelling);
		const size_t colon = loom_str_find_char(spelling, ':', 0);
		bool led = false;

		for (size_t i = 0; i < filling->pending_count; i++)
			led = led || phrase_has_word(one->keys, filling->pending[i]->text);
		led = led || one->kind == KIND_CHOICE_ALONE;
		if (!is_choice(one->kind) || !led || !is_free(filling, slot) ||
		    !phrase_has_word(one->spelling + colon + 1, word->text))
			continue;
		filling->values[slot] = word->text;
		filling->pending_count = 0;
		return true;
	}
	return false;
}

/* A number in words, where a count may stand. */
static bool is_counted(const struct filling *filling, size_t at, struct phrase_word *out)
{
	const struct phrase_word *word = &filling->fill->words->items[at];
	size_t n = phrase_number(word->text);

	if (phrase_has_word("couple|pair|twice", word->text))
		n = 2;
	else if (filling->fill->loosely &&
		 phrase_has_word("few|several|some|multiple|many", word->text))
		n = 3;
	*out = *word;
	out->kind = PHRASE_NUM;
	if (!n || (phrase_free_slot(filling, out) == SIZE_MAX &&
		   slot_behind(filling, at, out) == SIZE_MAX))
		return false;
	out->text = loom_arena_format(filling->arena, "%zu", n);
	return true;
}

static bool is_flag(const struct filling *filling, size_t slot, const struct phrase_word *word)
{
	const struct slot *one = filling->slots[slot];

	return (one->kind == KIND_FLAG || one->kind == KIND_MODE) &&
	       phrase_has_word(one->keys, word->text);
}

/* Sets a flag; `full:true` says it too. Returns how many words. */
static size_t take_flag(struct filling *filling, const struct phrase_word *word, size_t at)
{
	const struct phrase_word *next = word_at(filling, at + 1);
	size_t used = 0;

	for (size_t slot = 0; slot < filling->count; slot++) {
		if (!is_flag(filling, slot, word))
			continue;
		filling->values[slot] = LOOM_STR("");
		used = 1;
	}
	if (used && word->key && next && phrase_has_word("true|yes|1|on", next->text))
		used = 2;
	return used;
}

/* `n=3 and tokens=150`: the word only joins. */
static bool joins_keys(const struct filling *filling, size_t at)
{
	const struct phrase_word *next = word_at(filling, at + 1);

	return next && loom_str_is(next[-1].text, "and") && next->kind == PHRASE_WORD &&
	       next->key && phrase_is_key(filling, next);
}

/* `depth:max`: a word right behind a key and its colon is a value, not a filler. */
static bool is_value(const struct filling *filling, const struct phrase_word *word)
{
	return filling->pending_count && filling->pending[filling->pending_count - 1] == word - 1 &&
	       word[-1].key && !phrase_has_word("the|a|an|my|node", word->text);
}

static size_t take_word(struct filling *filling, const struct phrase_word *word, size_t at)
{
	struct phrase_word number;
	size_t used = 1;
	size_t slot = SIZE_MAX;

	if (take_choice(filling, word) || take_verb(filling, word) || joins_keys(filling, at))
		return 1;
	if (is_counted(filling, at, &number))
		return take_number(filling, &number, at);
	used = take_flag(filling, word, at);
	if (phrase_is_key(filling, word)) {
		if (filling->pending_count < PENDING_MAX)
			filling->pending[filling->pending_count++] = word_at(filling, at);
		return used ? used : 1;
	}
	if (is_skipped(filling, word) && is_value(filling, word)) {
		go_astray(filling, at);
		return 1;
	}
	if (is_skipped(filling, word)) {
		/* What led to a thing that means nothing here means nothing either. */
		if (phrase_noun(word->text) & ~(NOUN_NODE | NOUN_TEXT))
			filling->pending_count = 0;
		return used ? used : 1;
	}
	if (used)
		return used;
	slot = name_slot(filling, word, at);
	if (slot == SIZE_MAX) {
		go_astray(filling, at);
		filling->pending_count = 0;
		return 1;
	}
	used = filling->pending_count == 0 && slot_behind(filling, at, word) == slot ? 2 : 1;
	phrase_put(filling, slot, word);
	filling->named = used == 1 ? word_at(filling, at) : NULL;
	filling->named_slot = slot;
	return used;
}

static void take_words(struct filling *filling)
{
	for (size_t at = filling->fill->at; at < filling->fill->words->count;) {
		const struct phrase_word *word = word_at(filling, at);
		struct phrase_word *other = LOOM_ARENA_NEW(filling->arena, struct phrase_word);
		size_t used = 1;

		if (reread(filling, word, other) || reread_word(filling, at, other))
			word = other;
		switch (word->kind) {
		case PHRASE_WORD:
			used = take_word(filling, word, at);
			break;
		case PHRASE_TEXT:
			used = take_text(filling, word, at);
			break;
		case PHRASE_NUM:
		case PHRASE_RANGE:
		case PHRASE_THREAD:
			used = take_number(filling, word, at);
			break;
		case PHRASE_IDS:
			if (!put_ends(filling, word))
				go_astray(filling, at);
			break;
		case PHRASE_ID:
		case PHRASE_PLACE:
			take_node(filling, word, at);
			break;
		}
		at += used;
	}
}

static size_t index_of(const struct filling *filling, const struct phrase_word *word)
{
	return (size_t)(word - filling->fill->words->items);
}

/* Texts without a key go to the free slots in their order. */
static void place_texts(struct filling *filling)
{
	for (size_t i = 0; i < filling->text_count; i++) {
		const size_t slot = phrase_free_slot(filling, filling->texts[i]);

		if (slot == SIZE_MAX)
			go_astray(filling, index_of(filling, filling->texts[i]));
		else
			phrase_put(filling, slot, filling->texts[i]);
	}
}

/* Whether a key with a colon stands before no value: `depth:deep`, but not `at:end`. */
static bool lacks_value(const struct filling *filling, const struct phrase_word *key)
{
	const struct phrase_word *next = word_at(filling, index_of(filling, key) + 1);
	bool flag = false;

	for (size_t slot = 0; next && slot < filling->count; slot++)
		flag = flag || is_flag(filling, slot, next);
	return key->key && !flag;
}

/* A key that led to nothing: `link a7x2 to`. */
static void check_pending(struct filling *filling)
{
	for (size_t i = 0; i < filling->pending_count; i++) {
		bool free = true;

		for (size_t slot = 0; slot < filling->count; slot++)
			free = free && !(phrase_has_word(filling->slots[slot]->keys,
							 filling->pending[i]->text) &&
					 (filling->slots[slot]->kind == KIND_MODE ||
					  (phrase_is_name(filling->slots[slot]->kind) &&
					   !is_free(filling, slot) &&
					   phrase_noun(filling->pending[i]->text))));
		if (free && (lacks_value(filling, filling->pending[i]) ||
			     !is_skipped(filling, filling->pending[i])))
			go_astray(filling, index_of(filling, filling->pending[i]));
	}
}

static void set_defaults(struct filling *filling)
{
	bool mode = false;

	for (size_t slot = 0; slot < filling->count; slot++)
		mode = mode || (!is_free(filling, slot) && (is_mode(filling->slots[slot]->kind) ||
							    is_choice(filling->slots[slot]->kind)));
	for (size_t slot = 0; slot < filling->count; slot++)
		if (!mode &&
		    (filling->slots[slot]->kind == KIND_ELSE ||
		     (filling->slots[slot]->kind == KIND_PERHAPS && filling->fill->loosely)))
			filling->values[slot] = LOOM_STR("");
}

static void spell(const struct filling *filling, struct loom_buf *out)
{
	loom_buf_adds(out, shapes[filling->fill->shape].head);
	for (size_t slot = 0; slot < filling->count; slot++) {
		const struct slot *one = filling->slots[slot];
		struct loom_str spelling = loom_str_of(one->spelling);
		size_t end = is_choice(one->kind) ? loom_str_find_char(spelling, ':', 0) + 1
						  : loom_str_find(spelling, LOOM_STR("%s"), 0);

		if (is_free(filling, slot))
			continue;
		loom_buf_add(out, loom_str_sub(spelling, 0, end));
		loom_buf_add(out, filling->values[slot]);
	}
}

size_t phrase_shape_nodes(enum phrase_shape shape)
{
	size_t count = 0;

	for (size_t i = 0; i < LOOM_COUNT(slots); i++)
		count += slots[i].shape == shape && slots[i].kind == KIND_ID_ALONE ? 1 : 0;
	return count;
}

bool phrase_fill(struct loom_arena *arena, const struct phrase_fill *fill, struct loom_str *out)
{
	struct filling filling = {.arena = arena, .fill = fill, .astray = SIZE_MAX};
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < LOOM_COUNT(slots); i++)
		if (slots[i].shape == fill->shape) {
			LOOM_ASSERT(filling.count < SLOTS_MAX);
			filling.slots[filling.count++] = &slots[i];
		}
	take_words(&filling);
	check_pending(&filling);
	place_texts(&filling);
	if (fill->loosely && fill->words->count) {
		phrase_guess_slots(&filling);
	}
	set_defaults(&filling);
	spell(&filling, &line);
	*out = loom_arena_buf(arena, &line);
	loom_buf_fini(&line);
	return filling.astray == SIZE_MAX;
}
