/* The tokenizer: words of any bytes lie in order, are folded for good, and what a person types is
 * asked as balanced phrases with nothing of the index's own language in it. */
#include <loom/search/search.h>
#include <loom/base/utf8.h>
#include <loom/text/words.h>

#include "tests/fuzz/fuzz.h"

/* A folded word is its own only word. */
static void check_word(struct loom_str word)
{
	struct loom_buf again = LOOM_BUF_INIT(1 << 20);
	size_t at = 0;
	size_t from = 0;

	must(word.n > 0 && loom_utf8_valid(word, NULL) && !memchr(word.p, '"', word.n));
	must(loom_word_next(word, &at, &from, &again) && from == 0);
	must(loom_str_eq(loom_buf_str(&again), word) && at == word.n);
	loom_buf_fini(&again);
}

static void check_words(struct loom_str text)
{
	struct loom_buf word = LOOM_BUF_INIT(1 << 20);
	size_t at = 0;
	size_t from = 0;
	size_t last = 0;

	while (loom_word_next(text, &at, &from, &word)) {
		must(from >= last && from < at && at <= text.n);
		last = at;
		check_word(loom_buf_str(&word));
	}
	loom_buf_fini(&word);
}

static void check_query(struct loom_str typed)
{
	struct loom_buf out = LOOM_BUF_INIT(1 << 22);
	size_t growing = 0;
	size_t quotes = 0;

	if (loom_words_query(typed, &out, &growing)) {
		for (size_t i = 0; i < out.n; i++)
			quotes += out.p[i] == '"';
		must(quotes > 0 && quotes % 2 == 0 && growing <= out.n);
		must(growing == out.n || (out.p[growing] == '"' && out.p[out.n - 1] == '"'));
	} else {
		must(out.n == 0);
	}
	loom_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str s = fuzz_text(data, size, 0);
	struct loom_buf snippet = LOOM_BUF_INIT(1 << 20);

	check_words(s);
	check_query(s);
	loom_words_snippet(s, loom_str_sub(s, size / 2, 20), 40, &snippet);
	must(snippet.n <= size + 6);
	loom_buf_fini(&snippet);
	return 0;
}
