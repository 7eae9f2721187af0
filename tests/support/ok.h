/* Asserting short forms for calls that fill a `struct loom_err err` of the test's. */
#ifndef LOOM_TESTS_SUPPORT_OK_H
#define LOOM_TESTS_SUPPORT_OK_H

#include <greatest.h>

#include <loom/base/err.h>

#define STATUS_IS(want, call)                                                                      \
	do {                                                                                       \
		enum loom_status got_;                                                             \
		loom_err_clear(&err);                                                              \
		got_ = (call);                                                                     \
		if (got_ != (want))                                                                \
			fprintf(stderr, "%s: %s\n", loom_status_code(got_), err.text);             \
		ASSERT_STR_EQ(loom_status_code(want), loom_status_code(got_));                     \
	} while (0)

#define OK(call) STATUS_IS(LOOM_OK, call)

#endif
