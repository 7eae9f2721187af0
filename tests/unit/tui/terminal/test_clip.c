/* What a copy gives to the terminal: one sequence, and within it nothing that types when pasted. */
#include "greatest.h"

#include <loom/base/hash.h>

#include "support/prop.h"
#include <loom/terminal/clip.h>

#define HEAD "\x1b]52;c;"
#define TAIL "\x1b\\"

/* The text that a terminal takes out of the sequence; false when it is none, or not alone. */
static bool taken(const struct loom_buf *sent, struct loom_buf *out)
{
	struct loom_str all = loom_buf_str(sent);
	struct loom_str coded =
		loom_str_sub(all, sizeof HEAD - 1, all.n - (sizeof HEAD + sizeof TAIL - 2));
	struct loom_buf url = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool good = loom_str_starts(all, LOOM_STR(HEAD)) && loom_str_ends(all, LOOM_STR(TAIL)) &&
		    coded.n % 4 == 0;

	while (coded.n && coded.p[coded.n - 1] == '=')
		coded.n--;
	for (size_t i = 0; good && i < coded.n; i++) {
		char c = coded.p[i];

		good = c != '-' && c != '_';
		loom_buf_addc(&url, c == '+' ? '-' : c == '/' ? '_' : c);
	}
	good = good && loom_unbase64url(loom_buf_str(&url), out);
	loom_buf_fini(&url);
	return good;
}

static enum greatest_test_res check(struct loom_str text, struct loom_str wanted, size_t marks)
{
	struct loom_buf sent = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t named = 0;

	ASSERT(tui_clip(text, &sent, &named));
	ASSERT(taken(&sent, &got));
	ASSERT(loom_str_eq(wanted, loom_buf_str(&got)));
	ASSERT_EQ_FMT(marks, named, "%zu");
	loom_buf_fini(&sent);
	loom_buf_fini(&got);
	PASS();
}

TEST a_text_arrives_as_it_is(void)
{
	static const char *const texts[] = {
		"",
		"a",
		"ab",
		"abc",
		"two\nlines\n",
		"\tint x;\t/* y */",
		"na\u00EFve \u4E2D\u6587 \U0001F600 \u05D0",
		"?>?>~~~\u00FF",
		"\u05D0\u200F! \u2066x\u2069 soft\u00ADly",
		"\u0645\u06CC\u200C\u062E a\u0301\u0302\u0303\u0304\u0305\u0306",
		"\U0001F468\u200D\U0001F469 e\uFE0F"};

	for (size_t i = 0; i < LOOM_COUNT(texts); i++)
		CHECK_CALL(check(loom_str_of(texts[i]), loom_str_of(texts[i]), 0));
	PASS();
}

TEST what_would_type_in_a_shell_arrives_by_its_name(void)
{
	CHECK_CALL(
		check(LOOM_STR("ls\x1b[201~\rrm -rf /\r"), LOOM_STR("ls^[[201~^Mrm -rf /^M"), 3));
	CHECK_CALL(check(LOOM_STR("\x03\x1a\x7f\0"), LOOM_STR("^C^Z^?^@"), 4));
	CHECK_CALL(check(LOOM_STR("\xc2\x9b"
				  "2J\x9b"),
			 LOOM_STR("\\x9B2J\\x9B"), 2));
	CHECK_CALL(check(LOOM_STR("dos\r\nlines"), LOOM_STR("dos\nlines"), 0));
	PASS();
}

/* Any bytes: the sequence is one, and what it carries has no control but line breaks and tabs. */
TEST no_bytes_leave_the_sequence_or_hide_in_it(void)
{
	struct loom_buf sent = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct prop prop;

	prop_init(&prop, "clip");
	for (int round = 0; round < 3000; round++) {
		char bytes[64];
		size_t n = prop_below(&prop, sizeof bytes);

		for (size_t i = 0; i < n; i++)
			bytes[i] = (char)prop_below(&prop, prop_below(&prop, 2) ? 256 : 32);
		loom_buf_clear(&sent);
		loom_buf_clear(&got);
		ASSERT(tui_clip(loom_str_make(bytes, n), &sent, NULL));
		ASSERT(taken(&sent, &got));
		for (size_t i = 0; i < got.n; i++)
			ASSERT((unsigned char)got.p[i] >= ' ' || got.p[i] == '\n' ||
			       got.p[i] == '\t');
	}
	loom_buf_fini(&sent);
	loom_buf_fini(&got);
	PASS();
}

TEST more_than_a_terminal_takes_is_not_sent(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf sent = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_add_repeat(&text, 'x', TUI_CLIP_MAX);
	ASSERT(tui_clip(loom_buf_str(&text), &sent, NULL));
	ASSERT(sent.n <= (size_t)1 << 20);
	loom_buf_clear(&sent);
	loom_buf_addc(&text, 'x');
	ASSERT_FALSE(tui_clip(loom_buf_str(&text), &sent, NULL));
	ASSERT_EQ(0, sent.n);
	loom_buf_fini(&text);
	loom_buf_fini(&sent);
	PASS();
}

SUITE(clip)
{
	RUN_TEST(a_text_arrives_as_it_is);
	RUN_TEST(what_would_type_in_a_shell_arrives_by_its_name);
	RUN_TEST(no_bytes_leave_the_sequence_or_hide_in_it);
	RUN_TEST(more_than_a_terminal_takes_is_not_sent);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(clip);
	GREATEST_MAIN_END();
}
