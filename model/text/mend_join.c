/* How an answer joins the text before it. Invariants: what is left out was said by the text
 * already; what is put is a blank or a line. Where a script writes no blanks, none is put. */
#include "mend_inside.h"

#include <loom/base/utf8.h>

#define ECHO_LEAST 12
#define LOOK_BACK  8192 /* for whole words */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool is_digit(uint32_t cp)
{
	return cp >= '0' && cp <= '9';
}

/* Scripts that put no blanks between words. */
static bool is_dense(uint32_t cp)
{
	return (cp >= 0x0E00 && cp <= 0x0EFF) || (cp >= 0x1000 && cp <= 0x109F) ||
	       (cp >= 0x1780 && cp <= 0x17FF) || (cp >= 0x2E80 && cp <= 0xA4CF) ||
	       (cp >= 0xF900 && cp <= 0xFAFF) || (cp >= 0xFE30 && cp <= 0xFE4F) ||
	       (cp >= 0xFF00 && cp <= 0xFFEF) || (cp >= 0x20000 && cp <= 0x3FFFF);
}

static bool is_letter(uint32_t cp)
{
	return (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z') ||
	       (cp >= 0xC0 && cp != 0xD7 && cp != 0xF7 && !(cp >= 0x2000 && cp <= 0x2BFF) &&
		!(cp >= 0x3000 && cp <= 0x303F) && cp != LOOM_CP_BAD);
}

static bool is_word(uint32_t cp)
{
	return is_letter(cp) || is_digit(cp);
}

static bool is_in(uint32_t cp, const char *set)
{
	const struct loom_str all = loom_str_of(set);
	size_t at = 0;

	while (at < all.n)
		if (loom_utf8_next(all, &at) == cp)
			return true;
	return false;
}

/* The word at the end of a text, and that at the start of one. */
static struct loom_str last_word(struct loom_str text)
{
	size_t at = text.n;

	while (at) {
		size_t before = at;
		const uint32_t cp = loom_utf8_prev(text, &before);

		if (!is_word(cp) && cp != '\'' && cp != 0x2019)
			break;
		at = before;
	}
	return loom_str_sub(text, at, text.n);
}

static struct loom_str first_word(struct loom_str text)
{
	size_t at = 0;

	while (at < text.n) {
		size_t after = at;
		const uint32_t cp = loom_utf8_next(text, &after);

		if (!is_word(cp) && cp != '\'' && cp != 0x2019)
			break;
		at = after;
	}
	return loom_str_sub(text, 0, at);
}

static struct loom_str right_trim(struct loom_str text)
{
	while (text.n && is_blank(text.p[text.n - 1]))
		text.n--;
	return text;
}

/* ---- echoes ---- */

static size_t common(struct loom_str before, struct loom_str rest)
{
	size_t most = before.n < rest.n ? before.n : rest.n;

	LOOM_ASSERT(loom_str_ok(before) && loom_str_ok(rest));
	for (size_t k = most; k >= ECHO_LEAST; k--) {
		const size_t at = before.n - k;
		size_t back = at;

		if (before.p[at] != rest.p[0] || memcmp(before.p + at, rest.p, k) != 0)
			continue;
		if (at && is_word(loom_utf8_prev(before, &back)))
			continue;
		if (memchr(rest.p, ' ', k) || memchr(rest.p, '\n', k))
			return k;
	}
	return 0;
}

/* Blanks at the seam that are there already are not said twice. */
static bool drop_blanks(struct mending *mending)
{
	const struct loom_str before = mending->before;
	const size_t from = mending->from;
	const char last = before.n ? before.p[before.n - 1] : 'x';
	const bool apart = before.n > 1 && last == '\n' && before.p[before.n - 2] == '\n';
	struct loom_str rest = mending_rest(mending);
	size_t n = 0;

	while (n < rest.n && rest.p[n] == ' ')
		n++;
	if ((last == ' ' || last == '\t') && n < rest.n && rest.p[n] != '\n')
		mending->from += n;
	else if (last == '\n' && n == 1)
		mending->from += n;
	for (rest = mending_rest(mending); apart && rest.n && rest.p[0] == '\n';) {
		mending->from++;
		rest = mending_rest(mending);
	}
	return mending->from != from;
}

bool model_mend_echo(struct mending *mending)
{
	const struct loom_str before = right_trim(mending->before);
	const struct loom_str rest = mending_rest(mending);
	size_t lead = 0;
	size_t n;

	while (lead < rest.n && is_blank(rest.p[lead]))
		lead++;
	n = common(before, loom_str_sub(rest, lead, rest.n));
	LOOM_ASSERT(lead + n <= rest.n);
	if (!n || lead + n >= rest.n)
		return false;
	mending->from += lead + n;
	mending_found(mending, LOOM_FAULT_ECHO);
	(void)drop_blanks(mending);
	return true;
}

/* ---- words ---- */

/* Words that end no longer one, by themselves or as a beginning. */
static const char common_words[] =
	" a an the and or but nor so if as at by in on of to for from with without into onto over "
	"under after before between through than that this these those there here then when where "
	"while which who whom whose what why how he she it we they you i me him her us them his "
	"its our your their my is are was were be been being am do does did done have has had will "
	"would can could shall should may might must not no yes all any each every some one two "
	"three out up down off back now just only even still very more most other another said "
	"man men old new like about along around across behind above below against upon until ";
/* Words that people do say twice. */
static const char twice[] = " had that very so no yes never far long ha really bye ";

static bool is_among(struct loom_str word, const char *list)
{
	struct loom_buf key = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool is;

	loom_buf_addc(&key, ' ');
	for (size_t i = 0; i < word.n; i++)
		loom_buf_addc(&key, word.p[i] >= 'A' && word.p[i] <= 'Z' ? (char)(word.p[i] + 32)
									 : word.p[i]);
	loom_buf_addc(&key, ' ');
	is = word.n && strstr(list, loom_buf_cstr(&key));
	loom_buf_fini(&key);
	return is;
}

/* Whether a text uses the word elsewhere, or it is a usual one. */
static bool is_whole(struct loom_str before, struct loom_str word)
{
	const size_t from = before.n > LOOK_BACK ? before.n - LOOK_BACK : 0;
	const size_t own = before.n - word.n;

	LOOM_ASSERT(word.n <= before.n);
	if (is_among(word, common_words))
		return true;
	for (size_t at = loom_str_find(before, word, from); at != SIZE_MAX && at < own;
	     at = loom_str_find(before, word, at + 1)) {
		size_t back = at;
		size_t next = at + word.n;

		if ((!at || !is_word(loom_utf8_prev(before, &back))) &&
		    !is_word(loom_utf8_next(before, &next)))
			return true;
	}
	return false;
}

static bool same_word(struct loom_str a, struct loom_str b)
{
	if (a.n != b.n || !a.n)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		const char x = a.p[i] >= 'A' && a.p[i] <= 'Z' ? (char)(a.p[i] + 32) : a.p[i];
		const char y = b.p[i] >= 'A' && b.p[i] <= 'Z' ? (char)(b.p[i] + 32) : b.p[i];

		if (x != y)
			return false;
	}
	return true;
}

/* One word, or the half of one, that the answer says again. */
static bool take_word(struct mending *mending)
{
	const struct loom_str before = right_trim(mending->before);
	const struct loom_str word = last_word(before);
	const struct loom_str rest = mending_rest(mending);
	struct loom_str said;
	size_t lead = 0;

	while (lead < rest.n && rest.p[lead] == ' ')
		lead++;
	said = first_word(loom_str_sub(rest, lead, rest.n));
	LOOM_ASSERT(lead + said.n <= rest.n);
	if (!word.n || !said.n || is_digit((unsigned char)word.p[0]))
		return false;
	if (same_word(word, said) && lead + said.n < rest.n && !is_among(word, twice)) {
		mending->from += lead + said.n;
		mending_found(mending, LOOM_FAULT_ECHO);
		(void)drop_blanks(mending);
		return true;
	}
	if (before.n != mending->before.n || word.n < 2 || !loom_str_starts(said, word) ||
	    said.n == word.n || is_whole(before, word))
		return false;
	mending->from += lead + word.n;
	mending_found(mending, LOOM_FAULT_ECHO);
	return true;
}

/* ---- welds ---- */

/* Usual words that are also how longer ones end. */
static const char tails[] = " an as at in on or is it he her his our all any one man men own able "
			    "less like over under out up nor some ";

/* Whether an answer goes on inside the text's last word, which ends where its length ran out. */
static bool is_inside(const struct mending *mending, struct loom_str word, struct loom_str said)
{
	if (!mending->open || is_whole(mending->before, word))
		return false;
	return !is_among(said, common_words) || is_among(said, tails);
}

/* Whether straight quotes of the last paragraph are open. */
static bool quote_is_open(struct loom_str before)
{
	size_t n = 0;

	for (size_t at = before.n; at && before.p[at - 1] != '\n'; at--)
		n += before.p[at - 1] == '"';
	return n % 2;
}

/* Whether a blank belongs between two characters that meet. */
static bool is_weld(const struct mending *mending, uint32_t left, uint32_t right)
{
	const struct loom_str rest = mending_rest(mending);
	const bool opens =
		is_in(right, "“‘«„([") || (right == '"' && !quote_is_open(mending->before));
	const bool ended =
		is_in(left, ".,;:!?…)]}”»%") || (left == '"' && !quote_is_open(mending->before));

	if (is_dense(left) || is_dense(right) || (is_digit(left) && is_digit(right)))
		return false;
	if (is_in(left, ".,:") && is_digit(right) && mending->before.n > 1 &&
	    is_digit((unsigned char)mending->before.p[mending->before.n - 2]))
		return false;
	if (ended)
		return is_word(right) || opens;
	if (!is_word(left))
		return false;
	if (opens)
		return true;
	return is_word(right) && !(is_letter(left) && is_inside(mending, last_word(mending->before),
								first_word(rest)));
}

/* A heading that has ended stands on a line of its own. */
static bool is_heading(const struct mending *mending, uint32_t right)
{
	const struct loom_str before = mending->before;
	size_t at = before.n;

	while (at && before.p[at - 1] != '\n')
		at--;
	return !mending->open && at < before.n && before.p[at] == '#' &&
	       ((right >= 'A' && right <= 'Z') || is_in(right, "“\""));
}

static void take_weld(struct mending *mending)
{
	const struct loom_str before = mending->before;
	const struct loom_str rest = mending_rest(mending);
	size_t at = before.n;
	size_t next = 0;
	uint32_t left;
	uint32_t right;

	if (!before.n || !rest.n || is_blank(before.p[before.n - 1]) || is_blank(rest.p[0]))
		return;
	left = loom_utf8_prev(before, &at);
	right = loom_utf8_next(rest, &next);
	if (is_heading(mending, right))
		mending->put = LOOM_STR("\n\n");
	else if (is_weld(mending, left, right))
		mending->put = LOOM_STR(" ");
	if (mending->put.n)
		mending_found(mending, LOOM_FAULT_WELD);
}

void model_mend_join(struct mending *mending)
{
	LOOM_ASSERT(!mending->put.n && mending->from <= mending->to);
	if (take_word(mending))
		return;
	if (drop_blanks(mending))
		mending_found(mending, LOOM_FAULT_DOUBLED);
	take_weld(mending);
}
