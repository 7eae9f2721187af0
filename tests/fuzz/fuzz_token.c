/* Checkpoint tokens: any bytes as a token, and any bytes as a payload that is signed as it should
 * be. What is wrong has a name; a good one can be cancelled, and what that gives is good. */
#include <loom/log/checkpoint.h>

#include "tests/fuzz/fuzz.h"

static const struct loom_token_holder holder = {.secret = LOOM_STR_INIT("s"),
						.fingerprint = LOOM_STR_INIT("fp"),
						.now_ms = 1000};

static void check(struct loom_str text)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_token token;
	struct loom_token again;
	const char *wrong = loom_token_check(text, &holder, arena, &token);

	must(!wrong || *wrong);
	if (!wrong) {
		must(token.status.n > 0);
		must(loom_token_cancel(&token, LOOM_STR("enough"), &holder, &out, NULL) == LOOM_OK);
		must(!loom_token_check(loom_buf_str(&out), &holder, arena, &again));
		must(loom_str_is(again.status, "cancelled"));
		must(loom_str_eq(again.claims.run_id, token.claims.run_id));
	}
	loom_buf_fini(&out);
	loom_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str text = fuzz_text(data, size, 0);
	struct loom_buf signed_text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	check(text);
	loom_token_sign(text, holder.secret, &signed_text);
	check(loom_buf_str(&signed_text));
	loom_buf_fini(&signed_text);
	return 0;
}
