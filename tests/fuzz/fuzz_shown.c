/* The sanitiser and the clusters: any bytes give pieces that cover them, and nothing comes out that
 * a terminal would obey. */
#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>
#include <loom/text/width.h>

#include "tests/fuzz/fuzz.h"

static void check_text(struct loom_str text)
{
	must(loom_utf8_valid(text, NULL));
	for (size_t at = 0; at < text.n;) {
		uint32_t cp = loom_utf8_next(text, &at);

		must(cp >= 0x20 && !(cp >= 0x7F && cp < 0xA0) && cp < 0xE0000);
		must(!(cp >= 0x202A && cp <= 0x202E) && !(cp >= 0x2066 && cp <= 0x2069));
		must(cp != 0x200B && cp != 0x200E && cp != 0x200F && cp != 0xFEFF);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str s = fuzz_text(data, size, 0);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool named = false;

	for (size_t at = 0; at < s.n;) {
		struct loom_piece piece;
		size_t start = at;

		loom_shown_next(s, &at, &piece);
		must(at > start && piece.source.p == s.p + start && piece.source.n == at - start);
		must(piece.len < sizeof piece.text && piece.text[piece.len] == '\0');
		must((piece.len > 0) == (piece.width > 0));
		must((piece.len == 0) == (piece.newline || piece.tab));
		check_text(loom_str_make(piece.text, piece.len));
		named = named || piece.mark;
	}
	must(loom_shown_plain(s) == !named);
	loom_shown_line(&line, s, 20);
	check_text(loom_buf_str(&line));
	loom_buf_fini(&line);
	for (size_t at = 0; at < s.n;) {
		size_t start = at;

		must(loom_grapheme_next(s, &at) >= 0 && at > start);
		must(at - start > 4096 || loom_grapheme_prev(s, at) == start);
	}
	return 0;
}
