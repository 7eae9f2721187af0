/* Checkpoint tokens: what is refused and in which order, cancelling, the fingerprint, the secret.
 */
#include <greatest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/hash.h>
#include <loom/log/memlog.h>
#include <loom/log/lifecycle.h>
#include <loom/log/checkpoint.h>

#include "support/temp.h"

#define CONTEXT "\"context\":{\"id\":\"c\",\"system_prompt\":null,\"entries\":[]}"
#define STATE   "{\"run_id\":\"r\",\"request_id\":\"q\"," CONTEXT "}"
#define HEAD    "{\"v\":2,\"iss\":\"loom/react\",\"config_fingerprint\":\"fp\",\"exp_ms\":null,"

static const struct loom_token_holder holder = {.secret = LOOM_STR_INIT("s"),
						.fingerprint = LOOM_STR_INIT("fp"),
						.now_ms = 1000};

/* What is wrong with a token over this payload, "" when nothing is. */
static const char *verdict(const char *payload)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_token token;

	loom_token_sign(loom_str_of(payload), holder.secret, &text);
	const char *wrong = loom_token_check(loom_buf_str(&text), &holder, arena, &token);
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
	return wrong ? wrong : "";
}

static const char *verdict_of_text(const char *text)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_token token;
	const char *wrong = loom_token_check(loom_str_of(text), &holder, arena, &token);

	loom_arena_destroy(arena);
	return wrong ? wrong : "";
}

TEST what_is_wrong_is_named_in_the_fixed_order(void)
{
	static const struct {
		const char *payload;
		const char *verdict;
	} cases[] = {
		{HEAD "\"state\":" STATE "}", ""},
		{"[1]", "invalid_token_payload"},
		{"\"x\"", "invalid_token_payload"},
		{"{", "invalid_token_payload"},
		{"{}", "token_version_mismatch"},
		{"{\"v\":\"2\"}", "token_version_mismatch"},
		{"{\"v\":3}", "token_version_mismatch"},
		{"{\"v\":2}", "invalid_token_issuer"},
		{"{\"v\":2,\"iss\":\"jido_ai/react\"}", "invalid_token_issuer"},
		{"{\"v\":2,\"iss\":\"loom/react\",\"exp_ms\":999}", "token_expired"},
		{"{\"v\":2,\"iss\":\"loom/react\",\"exp_ms\":1e9}", "token_expired"},
		{"{\"v\":2,\"iss\":\"loom/react\",\"exp_ms\":1000}", "token_config_mismatch"},
		{"{\"v\":2,\"iss\":\"loom/react\"}", "token_config_mismatch"},
		{HEAD "\"x\":1}", "invalid_token_state"},
		{HEAD "\"state\":[]}", "invalid_token_state"},
		{HEAD "\"state\":{\"run_id\":\"r\"}}", "invalid_token_state"},
		{HEAD "\"thread\":{},\"state\":{" CONTEXT "}}", "legacy_token_state"},
		{HEAD "\"state\":{\"thread\":null," CONTEXT "}}", "legacy_token_state"},
		{HEAD "\"state\":{" CONTEXT "}}", "missing_field:run_id"},
		{HEAD "\"state\":{\"run_id\":\"\"," CONTEXT "}}", "missing_field:run_id"},
		{HEAD "\"state\":{\"run_id\":\"r\",\"request_id\":4," CONTEXT "}}",
		 "missing_field:request_id"},
		{HEAD "\"state\":{\"run_id\":\"r\",\"request_id\":\"q\",\"status\":\"paused\","
		      "\"context\":7}}",
		 "invalid_status"},
		{HEAD "\"state\":{\"run_id\":\"r\",\"request_id\":\"q\",\"status\":5," CONTEXT "}}",
		 "invalid_status"},
		{HEAD "\"state\":{\"run_id\":\"r\",\"request_id\":\"q\",\"context\":7}}",
		 "invalid_context"},
		{HEAD "\"state\":{\"run_id\":\"r\",\"request_id\":\"q\",\"context\":{\"id\":\"c\"}"
		      "}}",
		 "invalid_context"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++)
		ASSERT_STR_EQ(cases[i].verdict, verdict(cases[i].payload));
	PASS();
}

TEST the_envelope_is_refused_before_anything_is_read(void)
{
	ASSERT_STR_EQ("invalid_token_prefix", verdict_of_text(""));
	ASSERT_STR_EQ("invalid_token_prefix", verdict_of_text("rt1.e30.AAAA"));
	ASSERT_STR_EQ("invalid_token_prefix", verdict_of_text("RT2.e30.AAAA"));
	ASSERT_STR_EQ("invalid_token_format", verdict_of_text("rt2."));
	ASSERT_STR_EQ("invalid_token_format", verdict_of_text("rt2.e30"));
	ASSERT_STR_EQ("invalid_token_signature", verdict_of_text("rt2.e30."));
	ASSERT_STR_EQ("invalid_token_signature", verdict_of_text("rt2..AAAA"));
	ASSERT_STR_EQ("invalid_base64", verdict_of_text("rt2.e3 0.AAAA"));
	ASSERT_STR_EQ("invalid_base64", verdict_of_text("rt2.e30=.AAAA"));
	ASSERT_STR_EQ("invalid_base64", verdict_of_text("rt2.e30.A"));
	ASSERT_STR_EQ("invalid_base64", verdict_of_text("rt2.e30.AA+A"));
	ASSERT_STR_EQ("invalid_token_signature", verdict_of_text("rt2.e30.AAAA"));
	PASS();
}

TEST no_changed_letter_passes(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_token token;
	static const char letters[] = "AZaz09-_";

	loom_token_sign(LOOM_STR(HEAD "\"state\":" STATE "}"), holder.secret, &text);
	for (size_t i = 0; i < text.n; i++) {
		char kept = text.p[i];
		for (size_t k = 0; k < sizeof letters - 1; k++) {
			text.p[i] = letters[k];
			const char *wrong =
				loom_token_check(loom_buf_str(&text), &holder, arena, &token);
			ASSERT(letters[k] == kept ? wrong == NULL : wrong != NULL);
		}
		text.p[i] = kept;
	}
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
	PASS();
}

TEST what_is_issued_is_good_until_it_expires_and_only_for_its_holder(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_token_claims claims = {.run_id = LOOM_STR("r"),
					   .request_id = LOOM_STR("q"),
					   .iat_ms = 900,
					   .expires = true,
					   .exp_ms = 1000,
					   .fingerprint = LOOM_STR("fp"),
					   .state = LOOM_STR(STATE)};
	struct loom_token_holder later = holder;
	struct loom_token token;

	ASSERT_EQ(LOOM_OK, loom_token_issue(&claims, holder.secret, &text, NULL));
	ASSERT_EQ(NULL, loom_token_check(loom_buf_str(&text), &holder, arena, &token));
	ASSERT(loom_str_is(token.status, "running"));
	ASSERT(loom_str_is(token.claims.run_id, "r"));
	ASSERT_EQ(900, token.claims.iat_ms);
	ASSERT(loom_jval_says(loom_jval_get(token.claims.state, "status"), LOOM_STR("running")));
	later.now_ms = 1001;
	ASSERT_STR_EQ("token_expired",
		      loom_token_check(loom_buf_str(&text), &later, arena, &token));
	later = holder;
	later.secret = LOOM_STR("other");
	ASSERT_STR_EQ("invalid_token_signature",
		      loom_token_check(loom_buf_str(&text), &later, arena, &token));
	later = holder;
	later.fingerprint = LOOM_STR("other");
	ASSERT_STR_EQ("token_config_mismatch",
		      loom_token_check(loom_buf_str(&text), &later, arena, &token));
	claims.state = LOOM_STR("{\"thread\":{}," CONTEXT "}");
	ASSERT_EQ(LOOM_INVALID, loom_token_issue(&claims, holder.secret, &text, NULL));
	claims.state = LOOM_STR("{}");
	ASSERT_EQ(LOOM_INVALID, loom_token_issue(&claims, holder.secret, &text, NULL));
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
	PASS();
}

TEST cancelling_makes_a_new_token_and_leaves_the_old_one_good(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf cancelled = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_token token;
	struct loom_token after;

	loom_token_sign(LOOM_STR(HEAD "\"run_id\":\"r\",\"state\":" STATE "}"), holder.secret,
			&text);
	ASSERT_EQ(NULL, loom_token_check(loom_buf_str(&text), &holder, arena, &token));
	ASSERT_EQ(LOOM_OK,
		  loom_token_cancel(&token, LOOM_STR("no \"need\""), &holder, &cancelled, NULL));
	ASSERT_EQ(NULL, loom_token_check(loom_buf_str(&cancelled), &holder, arena, &after));
	ASSERT(loom_str_is(after.status, "cancelled"));
	ASSERT(loom_jval_says(loom_jval_get(after.claims.state, "result"),
			      LOOM_STR("no \"need\"")));
	ASSERT(loom_jval_says(loom_jval_get(after.claims.state, "run_id"), LOOM_STR("r")));
	ASSERT_EQ(NULL, loom_token_check(loom_buf_str(&text), &holder, arena, &token));
	ASSERT(loom_str_is(token.status, "running"));
	loom_buf_fini(&text);
	loom_buf_fini(&cancelled);
	loom_arena_destroy(arena);
	PASS();
}

TEST the_checkpoint_of_a_run_can_be_restored(void)
{
	struct loom_memlog *memlog = loom_memlog_create();
	const struct loom_log log = loom_memlog_log(memlog);
	struct loom_arena *arena = loom_arena_create();
	struct loom_env env;
	struct loom_run *run = NULL;
	struct loom_run_result result;
	struct loom_buf state = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_message message = {.request_id = LOOM_STR("q"),
					     .content = LOOM_STR("\"Q\"")};
	struct loom_token token;

	loom_env_init_fixed(&env, 1, 1);
	const struct loom_run_opts opts = {.thread = LOOM_STR("t"), .env = &env};
	ASSERT_EQ(LOOM_OK, loom_run_open(&log, &opts, &run, NULL, NULL));
	ASSERT_EQ(LOOM_OK, loom_run_start(run, &message, &result, NULL));
	ASSERT_EQ(LOOM_OK, loom_run_checkpoint(run, &state, NULL));
	const struct loom_token_claims claims = {.fingerprint = LOOM_STR("fp"),
						 .state = loom_buf_str(&state)};
	ASSERT_EQ(LOOM_OK, loom_token_issue(&claims, holder.secret, &text, NULL));
	ASSERT_EQ(NULL, loom_token_check(loom_buf_str(&text), &holder, arena, &token));
	struct loom_str context = loom_jval_get(token.claims.state, "context");
	ASSERT_EQ(1, loom_jval_count(loom_jval_get(context, "entries")));
	loom_run_close(run);
	loom_memlog_destroy(memlog);
	loom_buf_fini(&state);
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
	PASS();
}

static const char *fingerprint(const struct loom_token_config *config, struct loom_buf *out)
{
	loom_buf_clear(out);
	loom_token_fingerprint(config, out);
	return loom_buf_cstr(out);
}

TEST the_fingerprint_depends_on_the_setup_but_not_on_the_order_of_tools(void)
{
	const struct loom_str tools[] = {LOOM_STR_INIT("b"), LOOM_STR_INIT("a")};
	const struct loom_str sorted[] = {LOOM_STR_INIT("a"), LOOM_STR_INIT("b")};
	struct loom_token_config config = {.model = LOOM_STR("m"), .tools = tools, .tool_count = 2};
	struct loom_buf first = LOOM_BUF_INIT(4096);
	struct loom_buf other = LOOM_BUF_INIT(4096);

	fingerprint(&config, &first);
	ASSERT_EQ(64, first.n);
	config.tools = sorted;
	ASSERT_STR_EQ(loom_buf_cstr(&first), fingerprint(&config, &other));
	config.prompt = LOOM_STR("");
	ASSERT(strcmp(loom_buf_cstr(&first), fingerprint(&config, &other)) != 0);
	config.prompt = loom_str_make(NULL, 0);
	config.max_tokens = 5;
	ASSERT(strcmp(loom_buf_cstr(&first), fingerprint(&config, &other)) != 0);
	config.max_tokens = 0;
	config.tool_count = 1;
	ASSERT(strcmp(loom_buf_cstr(&first), fingerprint(&config, &other)) != 0);
	loom_buf_fini(&first);
	loom_buf_fini(&other);
	PASS();
}

static const char *given_secret(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "LOOM_TOKEN_SECRET") == 0 ? "from outside" : NULL;
}

TEST the_secret_is_made_once_and_kept_from_others(void)
{
	struct temp folder;
	struct loom_str place;
	struct loom_buf first = LOOM_BUF_INIT(4096);
	struct loom_buf second = LOOM_BUF_INIT(4096);
	struct loom_buf path = LOOM_BUF_INIT(4096);
	struct loom_err err = {0};
	struct loom_env env;
	struct stat info;

	temp_init(&folder);
	place = loom_str_of(folder.path);
	loom_env_init_fixed(&env, 1, 1);
	ASSERT_EQ(LOOM_OK, loom_token_secret(&env, place, &first, &err));
	ASSERT_EQ(LOOM_OK, loom_token_secret(&env, place, &second, &err));
	ASSERT_STR_EQ(loom_buf_cstr(&first), loom_buf_cstr(&second));
	ASSERT(first.n >= 32);
	loom_buf_addf(&path, "%s/token.secret", place.p);
	ASSERT_EQ(0, stat(loom_buf_cstr(&path), &info));
	ASSERT_EQ(0600, info.st_mode & 0777);
	ASSERT_EQ(1, info.st_nlink);
	ASSERT_EQ(0, chmod(loom_buf_cstr(&path), 0644));
	ASSERT_EQ(LOOM_REFUSED, loom_token_secret(&env, place, &second, &err));
	ASSERT_EQ(0, unlink(loom_buf_cstr(&path)));
	ASSERT_EQ(0, symlink("/etc/passwd", loom_buf_cstr(&path)));
	ASSERT_EQ(LOOM_REFUSED, loom_token_secret(&env, place, &second, &err));
	ASSERT_EQ(0, unlink(loom_buf_cstr(&path)));
	loom_buf_clear(&second);
	ASSERT_EQ(LOOM_OK, loom_token_secret(&env, place, &second, &err));
	ASSERT(strcmp(loom_buf_cstr(&first), loom_buf_cstr(&second)) != 0);
	env.var = given_secret;
	loom_buf_clear(&second);
	ASSERT_EQ(LOOM_OK, loom_token_secret(&env, place, &second, &err));
	ASSERT_STR_EQ("from outside", loom_buf_cstr(&second));
	loom_buf_fini(&first);
	loom_buf_fini(&second);
	loom_buf_fini(&path);
	temp_fini(&folder);
	PASS();
}

SUITE(token)
{
	RUN_TEST(what_is_wrong_is_named_in_the_fixed_order);
	RUN_TEST(the_envelope_is_refused_before_anything_is_read);
	RUN_TEST(no_changed_letter_passes);
	RUN_TEST(what_is_issued_is_good_until_it_expires_and_only_for_its_holder);
	RUN_TEST(cancelling_makes_a_new_token_and_leaves_the_old_one_good);
	RUN_TEST(the_checkpoint_of_a_run_can_be_restored);
	RUN_TEST(the_fingerprint_depends_on_the_setup_but_not_on_the_order_of_tools);
	RUN_TEST(the_secret_is_made_once_and_kept_from_others);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(token);
	GREATEST_MAIN_END();
}
