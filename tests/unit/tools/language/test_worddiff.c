/* The word diff: nothing is lost, nothing is made up, words stay whole, time is bounded. */
#include "greatest.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <loom/language/worddiff.h>

#include "support/prop.h"

static struct loom_arena *arena;

/* "same [-gone-]{+new+} same" */
static const char *spell(const char *before, const char *after)
{
	static const char *const begin[] = {"", "[-", "{+"};
	static const char *const end[] = {"", "-]", "+}"};
	struct loom_buf out = LOOM_BUF_INIT(1 << 20);
	struct loom_diff diff;
	const char *text = NULL;

	loom_word_diff(loom_str_of(before), loom_str_of(after), arena, &diff);
	for (size_t i = 0; i < diff.count; i++)
		loom_buf_addf(&out, "%s%.*s%s", begin[diff.parts[i].kind],
			      LOOM_STR_ARG(diff.parts[i].text), end[diff.parts[i].kind]);
	text = loom_arena_buf(arena, &out).p;
	loom_buf_fini(&out);
	return text;
}

TEST differences_are_told_in_words(void)
{
	static const struct {
		const char *before, *after, *diff;
	} cases[] = {
		{"", "", ""},
		{"a b", "a b", "a b"},
		{"", "new", "{+new+}"},
		{"old", "", "[-old-]"},
		{"the big dog", "the small dog", "the [-big-]{+small+} dog"},
		{"the big dog", "a small cat", "[-the big dog-]{+a small cat+}"},
		{"one two three", "one three", "one [-two -]three"},
		{"one three", "one two three", "one {+two +}three"},
		{"Stop.", "Stop!", "Stop[-.-]{+!+}"},
		{"naïve café", "naïve cafe", "naïve [-café-]{+cafe+}"},
		{"don't go", "don't stay", "don't [-go-]{+stay+}"},
		{"a\nb\nc", "a\nc", "a\n[-b\n-]c"},
		{"日本語です", "日本人です", "日本[-語-]{+人+}です"},
		{"x  y", "x y", "x[-  -]{+ +}y"},
		{"a_b2 c", "a_b3 c", "[-a_b2-]{+a_b3+} c"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++)
		ASSERT_STR_EQ(cases[i].diff, spell(cases[i].before, cases[i].after));
	PASS();
}

/* What the parts say about both texts. */
struct told {
	struct loom_buf before;
	struct loom_buf after;
	size_t changed;
};

static void tell(struct loom_str before, struct loom_str after, struct told *told)
{
	struct loom_diff diff;

	*told = (struct told){.before = LOOM_BUF_INIT(LOOM_BUF_MAX),
			      .after = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	loom_word_diff(before, after, arena, &diff);
	for (size_t i = 0; i < diff.count; i++) {
		const struct loom_diff_part *part = &diff.parts[i];

		if (part->kind != LOOM_DIFF_NEW)
			loom_buf_add(&told->before, part->text);
		if (part->kind != LOOM_DIFF_GONE)
			loom_buf_add(&told->after, part->text);
		if (part->kind != LOOM_DIFF_SAME)
			told->changed += part->text.n;
	}
}

static void forget(struct told *told)
{
	loom_buf_fini(&told->before);
	loom_buf_fini(&told->after);
}

static void add_word(struct prop *prop, struct loom_buf *out)
{
	static const char *const words[] = {"the",  "a",    "dog",         "cat", " ",  " ",
					    " ",    "\n",   ".",           "é",   "語", "\t",
					    "long", "\xff", "👩‍👧", "--",  "x1"};

	loom_buf_adds(out, words[prop_between(prop, 0, LOOM_COUNT(words) - 1)]);
}

TEST the_parts_make_up_both_texts_byte_for_byte(void)
{
	struct prop prop;

	prop_init(&prop, "worddiff");
	for (int round = 0; round < 400; round++) {
		struct loom_buf before = LOOM_BUF_INIT(1 << 20);
		struct loom_buf after = LOOM_BUF_INIT(1 << 20);
		struct told told;
		int count = (int)prop_between(&prop, 0, 60);

		for (int i = 0; i < count; i++) {
			size_t at = before.n;

			add_word(&prop, &before);
			if (!prop_once_in(&prop, 6))
				loom_buf_add(&after, loom_str_sub(loom_buf_str(&before), at, 100));
			if (prop_once_in(&prop, 6))
				add_word(&prop, &after);
		}
		tell(loom_buf_str(&before), loom_buf_str(&after), &told);
		ASSERT_STR_EQ(loom_buf_cstr(&before), loom_buf_cstr(&told.before));
		ASSERT_STR_EQ(loom_buf_cstr(&after), loom_buf_cstr(&told.after));
		ASSERT_EQ(loom_str_eq(loom_buf_str(&before), loom_buf_str(&after)),
			  told.changed == 0);
		forget(&told);
		loom_buf_fini(&before);
		loom_buf_fini(&after);
	}
	PASS();
}

/* One word in a long text is found alone, whatever stands around it. */
TEST a_small_change_of_a_long_text_stays_small(void)
{
	struct loom_buf before = LOOM_BUF_INIT(1 << 24);
	struct loom_buf after = LOOM_BUF_INIT(1 << 24);
	struct told told;

	for (int i = 0; i < 20000; i++) {
		loom_buf_addf(&before, "word%d ", i % 977);
		loom_buf_addf(&after, i % 5000 == 2500 ? "other%d " : "word%d ", i % 977);
	}
	tell(loom_buf_str(&before), loom_buf_str(&after), &told);
	ASSERT(told.changed > 0 && told.changed < 100);
	ASSERT_STR_EQ(loom_buf_cstr(&after), loom_buf_cstr(&told.after));
	forget(&told);
	loom_buf_fini(&before);
	loom_buf_fini(&after);
	PASS();
}

TEST texts_with_nothing_in_common_take_bounded_time(void)
{
	struct loom_buf before = LOOM_BUF_INIT(1 << 24);
	struct loom_buf after = LOOM_BUF_INIT(1 << 24);
	struct told told;
	clock_t started = clock();

	for (int i = 0; i < 100000; i++) {
		loom_buf_addf(&before, "a%d ", (int)((int64_t)i * 7919 % 100003));
		loom_buf_addf(&after, "%c%d ", i % 10 ? 'b' : 'a',
			      (int)((int64_t)i * 104729 % 100003));
	}
	tell(loom_buf_str(&before), loom_buf_str(&after), &told);
	ASSERT_STR_EQ(loom_buf_cstr(&before), loom_buf_cstr(&told.before));
	ASSERT_STR_EQ(loom_buf_cstr(&after), loom_buf_cstr(&told.after));
	ASSERT((clock() - started) / CLOCKS_PER_SEC < 10);
	forget(&told);
	loom_buf_fini(&before);
	loom_buf_fini(&after);
	PASS();
}

/* Lines without end before a change, behind it, or around both ends of one: exact in the first two,
 * where only the middle is looked at, and bounded in the third. */
static bool very_long_texts(void)
{
	static const char *const rows[][4] = {{"", "old", "", "new"},
					      {"old", "", "new", ""},
					      {"old", "gone", "new", "made"}};
	bool good = true;

	for (size_t i = 0; i < LOOM_COUNT(rows) && good; i++) {
		struct loom_buf texts[] = {LOOM_BUF_INIT(LOOM_BUF_MAX),
					   LOOM_BUF_INIT(LOOM_BUF_MAX)};
		struct told told;

		for (size_t k = 0; k < 2; k++) {
			loom_buf_adds(&texts[k], rows[i][2 * k]);
			for (int line = 0; line < 4000000; line++)
				loom_buf_adds(&texts[k], "ab\n");
			loom_buf_adds(&texts[k], rows[i][2 * k + 1]);
		}
		tell(loom_buf_str(&texts[0]), loom_buf_str(&texts[1]), &told);
		good = loom_str_eq(loom_buf_str(&texts[0]), loom_buf_str(&told.before)) &&
		       loom_str_eq(loom_buf_str(&texts[1]), loom_buf_str(&told.after)) &&
		       (i == 2 || told.changed < 20);
		forget(&told);
		loom_buf_fini(&texts[0]);
		loom_buf_fini(&texts[1]);
		loom_arena_reset(arena);
	}
	return good;
}

TEST very_long_texts_take_bounded_memory(void)
{
	const struct rlimit limit = {(rlim_t)450 << 20, (rlim_t)450 << 20};
	int how = 0;
	pid_t child;

#ifdef LOOM_INSTRUMENTED
	SKIPm("a sanitizer takes more for itself");
#endif
	child = fork();
	if (child == 0)
		_exit(setrlimit(RLIMIT_AS, &limit) == 0 && very_long_texts() ? 0 : 1);
	ASSERT_EQ(child, waitpid(child, &how, 0));
	ASSERT_EQ(0, how);
	PASS();
}

static void set_up(void *ctx)
{
	(void)ctx;
	arena = loom_arena_create();
}

static void tear_down(void *ctx)
{
	(void)ctx;
	loom_arena_destroy(arena);
}

SUITE(worddiff)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(differences_are_told_in_words);
	RUN_TEST(the_parts_make_up_both_texts_byte_for_byte);
	RUN_TEST(a_small_change_of_a_long_text_stays_small);
	RUN_TEST(texts_with_nothing_in_common_take_bounded_time);
	RUN_TEST(very_long_texts_take_bounded_memory);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(worddiff);
	GREATEST_MAIN_END();
}
