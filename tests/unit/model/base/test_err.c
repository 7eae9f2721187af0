/* Status codes and the error record. */
#include <greatest.h>

#include <errno.h>

#include <loom/base/err.h>
#include <loom/base/str.h>
#include <loom/base/utf8.h>

GREATEST_MAIN_DEFS();

TEST every_status_has_a_code_of_its_own(void)
{
	for (int a = LOOM_OK; a <= LOOM_FAULT; a++) {
		const char *code = loom_status_code((enum loom_status)a);

		ASSERT(code && code[0]);
		for (int b = LOOM_OK; b < a; b++)
			ASSERT(strcmp(code, loom_status_code((enum loom_status)b)) != 0);
	}
	ASSERT_STR_EQ("PERMISSION_DENIED", loom_status_code(LOOM_PERMISSION));
	ASSERT_STR_EQ("LIMIT_EXCEEDED", loom_status_code(LOOM_LIMIT));
	PASS();
}

TEST only_success_exits_with_zero_and_is_not_retried(void)
{
	ASSERT_EQ(0, loom_status_exit(LOOM_OK));
	ASSERT_FALSE(loom_status_retryable(LOOM_OK));
	for (int status = LOOM_OK + 1; status <= LOOM_FAULT; status++)
		ASSERT(loom_status_exit((enum loom_status)status) > 0);
	ASSERT_EQ(2, loom_status_exit(LOOM_USAGE));
	ASSERT_EQ(130, loom_status_exit(LOOM_CANCELLED));
	ASSERT(loom_status_retryable(LOOM_CONFLICT) && loom_status_retryable(LOOM_BUSY));
	ASSERT_FALSE(loom_status_retryable(LOOM_NOT_FOUND));
	PASS();
}

TEST the_origin_fills_the_record(void)
{
	struct loom_err err = {.status = LOOM_OK, .at = 7, .hint = "old"};

	ASSERT_EQ(LOOM_NOT_FOUND, loom_fail(&err, LOOM_NOT_FOUND, "no node %s", "a7x2"));
	ASSERT_EQ(LOOM_NOT_FOUND, err.status);
	ASSERT_EQ(0, err.at);
	ASSERT_STR_EQ("no node a7x2", err.text);
	ASSERT_STR_EQ("", err.hint);
	ASSERT_EQ(LOOM_NOT_FOUND, loom_hint(&err, LOOM_NOT_FOUND, "try %d", 3));
	ASSERT_STR_EQ("try 3", err.hint);
	ASSERT_STR_EQ("no node a7x2", err.text);
	loom_err_clear(&err);
	ASSERT_EQ(LOOM_OK, err.status);
	ASSERT_STR_EQ("", err.text);
	ASSERT_STR_EQ("", err.hint);
	PASS();
}

TEST what_the_system_said_becomes_what_to_do(void)
{
	static const struct {
		int error;
		enum loom_status status;
		const char *hint;
	} cases[] = {
		{ENOSPC, LOOM_FULL, "free some space"},
		{EDQUOT, LOOM_FULL, "free some space"},
		{EFBIG, LOOM_FULL, "ulimit -f"},
		{EROFS, LOOM_READ_ONLY, "remount"},
		{EACCES, LOOM_IO, "permissions"},
		{EMFILE, LOOM_IO, "ulimit -n"},
		{EIO, LOOM_IO, "backup"},
		{ENOTTY, LOOM_IO, ""},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_err err = {.status = LOOM_OK};

		ASSERT_EQ(cases[i].status, loom_fail_errno(&err, cases[i].error, "x %d", 7));
		ASSERT_EQ(cases[i].status, err.status);
		ASSERT_EQ(0, strncmp(err.text, "x 7: ", 5));
		ASSERT_STR_EQ(strerror(cases[i].error), err.text + 5);
		ASSERTm(err.hint,
			cases[i].hint[0] ? strstr(err.hint, cases[i].hint) != NULL : !err.hint[0]);
	}
	ASSERT_EQ(LOOM_FULL, loom_fail_errno(NULL, ENOSPC, "x"));
	PASS();
}

TEST a_full_disk_says_what_to_do_whoever_finds_it_full(void)
{
	struct loom_err err = {.status = LOOM_OK};

	ASSERT_EQ(LOOM_FULL, loom_fail(&err, LOOM_FULL, "x"));
	ASSERT(strstr(err.hint, "free some space"));
	ASSERT_EQ(LOOM_FULL, loom_hint(&err, LOOM_FULL, "another"));
	ASSERT_STR_EQ("another", err.hint);
	PASS();
}

TEST nobody_has_to_want_the_record(void)
{
	ASSERT_EQ(LOOM_IO, loom_fail(NULL, LOOM_IO, "%s", "x"));
	ASSERT_EQ(LOOM_IO, loom_hint(NULL, LOOM_IO, "%s", "x"));
	loom_err_clear(NULL);
	PASS();
}

TEST too_long_a_text_is_cut_at_a_character_and_says_so(void)
{
	struct loom_err err;
	char text[2048];

	for (size_t shift = 0; shift < 4; shift++) {
		memset(text, 'x', shift);
		for (size_t at = shift; at + 4 < sizeof text; at += 4)
			memcpy(text + at, "\U0001F600", 4);
		text[sizeof text - 5] = '\0';
		loom_fail(&err, LOOM_INVALID, "%s", text);
		ASSERT(loom_utf8_valid(loom_str_of(err.text), NULL));
		ASSERT(loom_str_ends(loom_str_of(err.text), LOOM_STR("\u2026")));
		ASSERT(strlen(err.text) >= sizeof err.text - 7);
		loom_hint(&err, LOOM_INVALID, "%s", text);
		ASSERT(loom_utf8_valid(loom_str_of(err.hint), NULL));
		ASSERT(loom_str_ends(loom_str_of(err.hint), LOOM_STR("\u2026")));
	}
	PASS();
}

TEST a_text_that_just_fits_is_kept_whole(void)
{
	struct loom_err err;
	char text[sizeof err.text + 1];

	memset(text, 'x', sizeof text);
	text[sizeof err.text - 1] = '\0';
	loom_fail(&err, LOOM_INVALID, "%s", text);
	ASSERT_STR_EQ(text, err.text);
	text[sizeof err.text - 1] = 'x';
	text[sizeof err.text] = '\0';
	loom_fail(&err, LOOM_INVALID, "%s", text);
	ASSERT(loom_str_ends(loom_str_of(err.text), LOOM_STR("x\u2026")));
	PASS();
}

TEST memory_comes_zeroed_even_when_none_is_asked_for(void)
{
	char *p = loom_alloc(0);

	ASSERT(p);
	free(p);
	p = loom_alloc(100);
	for (size_t i = 0; i < 100; i++)
		ASSERT_EQ(0, p[i]);
	p[99] = 'z';
	p = loom_realloc(p, 50, 4);
	ASSERT_EQ('z', p[99]);
	p = loom_realloc(p, 0, 4);
	ASSERT(p);
	free(p);
	PASS();
}

SUITE(err)
{
	RUN_TEST(every_status_has_a_code_of_its_own);
	RUN_TEST(only_success_exits_with_zero_and_is_not_retried);
	RUN_TEST(the_origin_fills_the_record);
	RUN_TEST(what_the_system_said_becomes_what_to_do);
	RUN_TEST(a_full_disk_says_what_to_do_whoever_finds_it_full);
	RUN_TEST(nobody_has_to_want_the_record);
	RUN_TEST(too_long_a_text_is_cut_at_a_character_and_says_so);
	RUN_TEST(a_text_that_just_fits_is_kept_whole);
	RUN_TEST(memory_comes_zeroed_even_when_none_is_asked_for);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(err);
	GREATEST_MAIN_END();
}
