/* Whether two calls ask for the same, wherever they were. For tests that link tools. */
#ifndef LOOM_TESTS_SUPPORT_SAME_CALL_H
#define LOOM_TESTS_SUPPORT_SAME_CALL_H

#include <loom/language/parse.h>

static inline void spell_call(struct loom_call call, struct loom_buf *out)
{
	struct loom_json json;

	call.line = 0;
	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_call_json(&call, &json);
	loom_json_put_bool(&json, "unterminated", call.unterminated);
	loom_json_end_object(&json);
}

static inline bool same_call(const struct loom_call *a, const struct loom_call *b)
{
	struct loom_buf x = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf y = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool same;

	spell_call(*a, &x);
	spell_call(*b, &y);
	same = loom_str_eq(loom_buf_str(&x), loom_buf_str(&y));
	loom_buf_fini(&x);
	loom_buf_fini(&y);
	return same;
}

#endif
