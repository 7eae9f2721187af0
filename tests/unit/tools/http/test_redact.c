/* The redactor: a key is found in whatever way a server spells it, and nothing else is. */
#include <greatest.h>

#include "support/prop.h"
#include <loom/http/redact.h>

#define KEY "sk-'a&b/\"c\\d%7<"

/* Ways to spell a character; the last adds backslashes as if it were escaped again and again. */
static void spell(struct prop *prop, char c, struct loom_buf *out)
{
	switch (prop_below(prop, 9)) {
	case 0:
		loom_buf_addf(out, "\\u%04x", (unsigned char)c);
		break;
	case 1:
		loom_buf_addf(out, "\\\\\\u%04X", (unsigned char)c);
		break;
	case 2:
		loom_buf_addf(out, "%%%02X", (unsigned char)c);
		break;
	case 3:
		loom_buf_addf(out, "%%25%02x", (unsigned char)c);
		break;
	case 4:
		loom_buf_addf(out, "&#%d;", c);
		break;
	case 5:
		loom_buf_addf(out, "&amp;#x%02X;", (unsigned char)c);
		break;
	case 6:
		loom_buf_addf(out, "\\x%02x", (unsigned char)c);
		break;
	case 7:
		loom_buf_addf(out, "\\\\\\%c", c);
		break;
	default:
		loom_buf_addc(out, c);
	}
}

static enum greatest_test_res hides(struct prop *prop)
{
	static const char *const around[] = {"",     "the key is ", "\\\"", "{\"error\":\"",
					     " x\n", "%",           "&",    "\\"};
	const struct loom_str key = LOOM_STR(KEY);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *before = around[prop_below(prop, 8)];
	const char *after = around[prop_below(prop, 5)];
	size_t n = 0;
	size_t at = 0;

	loom_buf_adds(&text, before);
	for (size_t i = 0; i < key.n; i++)
		spell(prop, key.p[i], &text);
	/* begun as long as it is not whole, however far it came */
	for (size_t cut = strlen(before) + 1; cut < text.n; cut++)
		ASSERT(http_secret_begun(loom_str_sub(loom_buf_str(&text), 0, cut), key) > 0);
	loom_buf_adds(&text, after);
	at = http_secret_find(loom_buf_str(&text), key, 0, &n);
	ASSERT(at != SIZE_MAX && at <= strlen(before));
	http_secret_hide(text.p, text.n, key);
	ASSERT_EQ(SIZE_MAX, http_secret_find(loom_buf_str(&text), key, 0, &n));
	ASSERT(strchr(text.p, '*'));
	ASSERT(strcmp(text.p + text.n - strlen(after), after) == 0);
	loom_buf_fini(&text);
	PASS();
}

TEST every_spelling_is_hidden(void)
{
	struct prop prop;

	prop_init(&prop, "every_spelling_is_hidden");
	for (int i = 0; i < prop_times(500); i++)
		CHECK_CALL(hides(&prop));
	PASS();
}

TEST known_spellings_are_hidden_and_nothing_else(void)
{
	static const struct {
		const char *key, *text, *hidden;
	} cases[] = {
		{"sk-'x", "bad key sk-\\'x.", "bad key ******."},
		{"sk-'x", "bad key sk-\\u0027x.", "bad key **********."},
		{"sk-'x", "sk-%27x sk-&#39;x sk-&apos;x", "******* ********* **********"},
		{"a/b", "a\\/b a%2Fb a%2fb a/b", "**** ***** ***** ***"},
		{"a\"b", "a\\\\\\\"b a&quot;b", "****** ********"},
		{"a\\b", "a\\b a\\\\b", "*** ****"},
		{"abc", "abcabc abd ab", "****** abd ab"},
		{"abc", "%61bc \\x61bc a%b %zz &nope; \\u00", "***** ****** a%b %zz &nope; \\u00"},
		{"k%20y", "k%20y", "*****"},
		{"", "nothing", "nothing"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

		loom_buf_adds(&text, cases[i].text);
		http_secret_hide(text.p, text.n, loom_str_of(cases[i].key));
		ASSERT_STR_EQ(cases[i].hidden, loom_buf_cstr(&text));
		loom_buf_fini(&text);
	}
	PASS();
}

TEST what_cannot_go_on_is_not_held(void)
{
	const struct loom_str key = LOOM_STR("abc");

	ASSERT_EQ(0, http_secret_begun(LOOM_STR("hello, worl"), key));
	ASSERT_EQ(2, http_secret_begun(LOOM_STR("abc ab"), key));
	ASSERT_EQ(1, http_secret_begun(LOOM_STR("x%"), key));
	ASSERT_EQ(0, http_secret_begun(LOOM_STR("100% sure"), key));
	ASSERT_EQ(0, http_secret_begun(LOOM_STR("you & me, and them"), key));
	PASS();
}

SUITE(redact)
{
	RUN_TEST(every_spelling_is_hidden);
	RUN_TEST(known_spellings_are_hidden_and_nothing_else);
	RUN_TEST(what_cannot_go_on_is_not_held);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(redact);
	GREATEST_MAIN_END();
}
