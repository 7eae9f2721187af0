/* An error's words. Servers agree on no shape: the message may be in "error", "detail", "message"
 * or "errors", in a list, in a page, or be the whole text. Invariants: nothing is believed that is
 * not there; a text is cut, never interpreted. */
#include <loom/learned/server_words.h>

#include <ctype.h>
#include <strings.h>

#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/base/utf8.h>

#define WORDS_MAX 600
#define DEEP      6

/* ---- documents ---- */

static bool is_document(struct loom_str text)
{
	static const struct loom_json_limits limits = {.depth = 64};
	struct loom_json_reader reader;
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};

	if (!text.n || !strchr("{[\"", text.p[0]))
		return false;
	loom_json_read_init(&reader, text, &limits);
	reader.loose = true;
	while (token.kind != LOOM_JSON_DONE)
		if (loom_json_read(&reader, &token, NULL) != LOOM_OK)
			return false;
	return true;
}

/* "body.stream_options": where a validator found fault. */
static struct loom_str place_of(struct loom_str loc, struct loom_arena *arena)
{
	struct loom_jwalk walk = loom_jval_walk(loc);
	struct loom_buf text = LOOM_BUF_INIT(400);
	struct loom_str item;
	struct loom_str place;

	if (loom_jval_type(loc) == LOOM_JTYPE_STRING)
		return loom_jval_text(loc, arena);
	while (loom_jwalk_next(&walk, NULL, &item)) {
		const bool text_item = loom_jval_type(item) == LOOM_JTYPE_STRING;
		const struct loom_str word = text_item ? loom_jval_text(item, arena) : item;

		if (loom_str_is(word, "body") && !text.n)
			continue;
		if (text.n)
			loom_buf_addc(&text, '.');
		loom_buf_add(&text, word);
	}
	place = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return place;
}

static void add_words(struct loom_buf *out, struct loom_str words)
{
	if (!words.n || out->n > WORDS_MAX)
		return;
	if (out->n)
		loom_buf_adds(out, "; ");
	loom_buf_add(out, words);
}

static void read_value(struct loom_str value, struct loom_arena *arena, int depth,
		       struct loom_buf *out);

/* An error's own words stand before those of what it is about. */
static void read_object(struct loom_str object, struct loom_arena *arena, int depth,
			struct loom_buf *out)
{
	static const char *const keys[] = {"error",
					   "message",
					   "msg",
					   "detail",
					   "details",
					   "errors",
					   "error_description",
					   "description",
					   "reason",
					   "title",
					   "code",
					   "type"};
	const size_t from = out->n;
	const struct loom_str place = place_of(loom_jval_get(object, "loc"), arena);

	if (place.n) {
		add_words(out, place);
		loom_buf_adds(out, ": ");
	}
	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		const struct loom_str value = loom_jval_get(object, keys[i]);
		const size_t before = out->n;
		struct loom_buf part = LOOM_BUF_INIT(LOOM_BUF_MAX);

		read_value(value, arena, depth + 1, &part);
		if (part.n && place.n && before > from)
			loom_buf_add(out, loom_buf_str(&part));
		else
			add_words(out, loom_buf_str(&part));
		loom_buf_fini(&part);
		if (out->n > before)
			return;
	}
}

static void read_value(struct loom_str value, struct loom_arena *arena, int depth,
		       struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str item;

	if (depth > DEEP)
		return;
	switch (loom_jval_type(value)) {
	case LOOM_JTYPE_STRING:
		add_words(out, loom_str_trim(loom_jval_text(value, arena)));
		break;
	case LOOM_JTYPE_OBJECT:
		read_object(value, arena, depth, out);
		break;
	case LOOM_JTYPE_ARRAY:
		while (loom_jwalk_next(&walk, NULL, &item))
			read_value(item, arena, depth + 1, out);
		break;
	case LOOM_JTYPE_NONE:
	case LOOM_JTYPE_NULL:
	case LOOM_JTYPE_BOOL:
	case LOOM_JTYPE_NUMBER:
		break;
	}
}

/* ---- pages and texts ---- */

static size_t find_fold(struct loom_str text, const char *word, size_t from)
{
	const size_t n = strlen(word);

	for (size_t at = from; at + n <= text.n; at++)
		if (strncasecmp(text.p + at, word, n) == 0)
			return at;
	return SIZE_MAX;
}

/* The text between a tag and its end. */
static struct loom_str element(struct loom_str page, const char *open, const char *close)
{
	size_t at = find_fold(page, open, 0);
	size_t end = SIZE_MAX;

	if (at != SIZE_MAX)
		at = loom_str_find_char(page, '>', at);
	if (at != SIZE_MAX)
		end = find_fold(page, close, at);
	if (end == SIZE_MAX)
		return loom_str_make("", 0);
	return loom_str_trim(loom_str_sub(page, at + 1, end - at - 1));
}

static struct loom_str page_title(struct loom_str page)
{
	const struct loom_str title = element(page, "<title", "</title");

	return title.n ? title : element(page, "<h1", "</h1");
}

/* One line without controls, and of a page without markup. */
static struct loom_str plain(struct loom_str text, bool page, struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str result;
	bool tag = false;
	bool blank = false;

	for (size_t i = 0; i < text.n && out.n < WORDS_MAX; i++) {
		const unsigned char c = (unsigned char)text.p[i];

		if (page && c == '<' && i + 1 < text.n &&
		    (isalpha((unsigned char)text.p[i + 1]) || text.p[i + 1] == '/' ||
		     text.p[i + 1] == '!'))
			tag = true;
		if (!tag && c > ' ' && c != 0x7f) {
			if (blank && out.n)
				loom_buf_addc(&out, ' ');
			loom_buf_addc(&out, (char)c);
		}
		blank = tag || c <= ' ' || c == 0x7f;
		if (c == '>')
			tag = false;
	}
	text = loom_buf_str(&out);
	text.n -= loom_utf8_partial_tail(text);
	result = loom_utf8_valid(text, NULL) ? loom_arena_str(arena, text) : loom_str_make("", 0);
	loom_buf_fini(&out);
	return result;
}

struct loom_str loom_server_words(struct loom_str body, struct loom_arena *arena)
{
	const struct loom_str text = loom_str_trim(body);
	struct loom_buf words = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str result = text;
	const bool page = !is_document(text);

	if (!page) {
		read_value(loom_jval_of(text), arena, 0, &words);
		result = loom_arena_buf(arena, &words);
	} else if (page_title(text).n) {
		result = page_title(text);
	}
	loom_buf_fini(&words);
	return plain(result, page, arena);
}

bool loom_server_loads(struct loom_str body)
{
	static const char *const words[] = {"loading model",     "model is loading",
					    "is still loading",  "model loading",
					    "currently loading", "loading the model",
					    "being loaded",      "is loading"};

	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		if (find_fold(body, words[i], 0) != SIZE_MAX)
			return true;
	return false;
}

/* ---- sizes ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads the next whole number, with commas or underscores between its digits. */
static bool next_number(struct loom_str text, size_t *at, int64_t *out)
{
	while (*at < text.n && !is_digit(text.p[*at]))
		++*at;
	if (*at >= text.n)
		return false;
	*out = 0;
	for (; *at < text.n; ++*at) {
		const bool digit = is_digit(text.p[*at]);

		if (!digit &&
		    !(strchr(",_", text.p[*at]) && *at + 1 < text.n && is_digit(text.p[*at + 1])))
			break;
		if (digit && *out < INT64_MAX / 20)
			*out = *out * 10 + (text.p[*at] - '0');
	}
	return true;
}

static int64_t member(struct loom_str document, const char *key)
{
	const struct loom_str error = loom_jval_get(document, "error");
	int64_t n = 0;

	if (loom_jval_int(loom_jval_get(document, key), &n) ||
	    loom_jval_int(loom_jval_get(error, key), &n))
		return n > 0 ? n : 0;
	return 0;
}

static bool says_overflow(struct loom_str text)
{
	static const char *const words[] = {
		"exceed_context_size", "context_length_exceeded", "maximum context length",
		"context size",        "context window",          "context length",
		"prompt is too long",  "too many tokens",         "input is too long",
		"input length",        "maximum input length",    "exceeds the available context"};

	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		if (find_fold(text, words[i], 0) != SIZE_MAX)
			return true;
	return false;
}

/* Of the numbers in the words the window is one that follows "maximum", "context" or ">"; the
 * prompt is the largest above it. */
static void read_sizes(struct loom_str words, struct loom_overflow *out)
{
	static const char *const leads[] = {"maximum", "context", "window", "limit",
					    ">",       "up to",   "size"};
	int64_t numbers[8];
	size_t count = 0;
	size_t best = SIZE_MAX;
	size_t at = 0;
	size_t from = 0;

	while (count < LOOM_COUNT(numbers) && next_number(words, &at, &numbers[count])) {
		const struct loom_str before = loom_str_sub(words, from, at - from);

		for (size_t i = 0; i < LOOM_COUNT(leads) && best == SIZE_MAX; i++)
			if (numbers[count] >= 16 && find_fold(before, leads[i], 0) != SIZE_MAX)
				best = count;
		from = at;
		count++;
	}
	for (size_t i = 0; i < count && best != SIZE_MAX; i++)
		if (i != best && numbers[i] > numbers[best] && numbers[i] > out->prompt)
			out->prompt = numbers[i];
	/* "27800 tokens, and the context has 16384" names the larger one first, maybe by that word
	 */
	for (size_t i = 0; i < count && best != SIZE_MAX && !out->prompt; i++)
		if (numbers[i] >= 16 && numbers[i] < numbers[best]) {
			out->prompt = numbers[best];
			best = i;
		}
	out->window = best == SIZE_MAX ? 0 : numbers[best];
}

bool loom_server_overflows(struct loom_str body, struct loom_arena *arena,
			   struct loom_overflow *out)
{
	const struct loom_str text = loom_str_trim(body);
	const struct loom_str words = loom_server_words(body, arena);

	*out = (struct loom_overflow){.prompt = 0};
	if (!says_overflow(text))
		return false;
	if (is_document(text)) {
		out->prompt = member(loom_jval_of(text), "n_prompt_tokens");
		out->window = member(loom_jval_of(text), "n_ctx");
	}
	if (!out->window)
		read_sizes(words, out);
	return true;
}

int64_t loom_server_most(struct loom_str words, int64_t asked)
{
	int64_t best = 0;
	int64_t number = 0;
	size_t at = 0;

	while (next_number(words, &at, &number))
		if (number < asked && number > best && number >= 16)
			best = number;
	return best;
}
