/* Signs, checks and cancels checkpoint tokens. Invariants: the first fault decides, in a fixed
 * order; the payload is not examined before its signature is verified; signatures are compared in
 * constant time. Left to others: the contents of a state (lifecycle.c), storing the secret
 * (checkpoint_secret.c). */
#include <loom/log/checkpoint.h>

#include <loom/base/hash.h>
#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/log/context_op.h>

#define TOKEN_VERSION 2

void loom_token_sign(struct loom_str payload, struct loom_str secret, struct loom_buf *out)
{
	struct loom_hash mac = loom_hmac_sha256(secret, payload);

	LOOM_ASSERT(loom_str_ok(payload) && secret.n > 0);
	loom_buf_adds(out, LOOM_TOKEN_PREFIX);
	loom_base64url(payload, out);
	loom_buf_addc(out, '.');
	loom_base64url(loom_str_make((const char *)mac.bytes, sizeof mac.bytes), out);
}

static enum loom_status check_state(struct loom_str state, struct loom_err *err)
{
	enum loom_status status = loom_log_json_check(state, err);
	if (status)
		return status;
	struct loom_str object = loom_jval_of(state);
	if (loom_jval_type(loom_jval_get(object, "context")) != LOOM_JTYPE_OBJECT)
		return loom_fail(err, LOOM_INVALID, "a checkpoint's state needs a context");
	if (loom_jval_get(object, "thread").n > 0)
		return loom_fail(err, LOOM_INVALID,
				 "a checkpoint's state may not have a thread, only a "
				 "context");
	return LOOM_OK;
}

enum loom_status loom_token_issue(const struct loom_token_claims *claims, struct loom_str secret,
				  struct loom_buf *out, struct loom_err *err)
{
	struct loom_buf payload = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	enum loom_status status = check_state(claims->state, err);

	if (status)
		return status;
	loom_json_init(&json, &payload);
	loom_json_object(&json);
	loom_json_put_int(&json, "v", TOKEN_VERSION);
	loom_json_put(&json, "iss", LOOM_STR(LOOM_TOKEN_ISSUER));
	loom_json_put(&json, "run_id", claims->run_id);
	loom_json_put(&json, "request_id", claims->request_id);
	loom_json_put_int(&json, "iat_ms", claims->iat_ms);
	loom_json_key(&json, "exp_ms");
	if (claims->expires)
		loom_json_number(&json, claims->exp_ms);
	else
		loom_json_null(&json);
	loom_json_put(&json, "config_fingerprint", claims->fingerprint);
	loom_json_key(&json, "state");
	loom_json_raw(&json, loom_jval_of(claims->state));
	loom_json_end_object(&json);
	loom_token_sign(loom_buf_str(&payload), secret, out);
	loom_buf_fini(&payload);
	return LOOM_OK;
}

static bool base64_letters(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		      c == '-' || c == '_'))
			return false;
	}
	return text.n % 4 != 1;
}

/* Decodes one part. Valid letters with spare bits in the last one were tampered with. */
static const char *decode_part(struct loom_str text, struct loom_arena *arena, struct loom_str *out)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool good = loom_unbase64url(text, &buf);

	LOOM_ASSERT(arena && out);
	*out = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	if (good)
		return NULL;
	return base64_letters(text) ? "invalid_token_signature" : "invalid_base64";
}

/* Decodes a token up to payload bytes with a valid signature. */
static const char *open_envelope(struct loom_str token, struct loom_str secret,
				 struct loom_arena *arena, struct loom_str *out)
{
	struct loom_str rest = token;
	struct loom_str parts[2];
	struct loom_str mac;

	if (!loom_str_starts(token, LOOM_STR(LOOM_TOKEN_PREFIX)))
		return "invalid_token_prefix";
	rest = loom_str_sub(token, sizeof LOOM_TOKEN_PREFIX - 1, token.n);
	size_t dot = loom_str_find_char(rest, '.', 0);
	if (dot == SIZE_MAX)
		return "invalid_token_format";
	parts[0] = loom_str_sub(rest, 0, dot);
	parts[1] = loom_str_sub(rest, dot + 1, rest.n);
	const char *first = decode_part(parts[0], arena, out);
	const char *second = decode_part(parts[1], arena, &mac);
	if (first || second)
		return first && (!second || strcmp(first, "invalid_base64") == 0) ? first : second;
	struct loom_hash good = loom_hmac_sha256(secret, *out);
	struct loom_str expected = loom_str_make((const char *)good.bytes, sizeof good.bytes);
	return loom_same_secret(mac, expected) ? NULL : "invalid_token_signature";
}

static const char *check_claims(struct loom_str payload, const struct loom_token_holder *holder)
{
	struct loom_str exp = loom_jval_get(payload, "exp_ms");
	int64_t version = 0;
	int64_t exp_ms = 0;

	if (!loom_jval_int(loom_jval_get(payload, "v"), &version) || version != TOKEN_VERSION)
		return "token_version_mismatch";
	if (!loom_jval_says(loom_jval_get(payload, "iss"), LOOM_STR(LOOM_TOKEN_ISSUER)))
		return "invalid_token_issuer";
	if (!loom_jval_is_null(exp) && (!loom_jval_int(exp, &exp_ms) || holder->now_ms > exp_ms))
		return "token_expired";
	if (!loom_jval_says(loom_jval_get(payload, "config_fingerprint"), holder->fingerprint))
		return "token_config_mismatch";
	return NULL;
}

static bool is_status(struct loom_str text)
{
	static const char *const words[] = {LOOM_TOKEN_IDLE,     LOOM_TOKEN_RUNNING,
					    LOOM_TOKEN_AWAITING, LOOM_TOKEN_COMPLETED,
					    LOOM_TOKEN_FAILED,   LOOM_TOKEN_CANCELLED};

	for (size_t i = 0; i < LOOM_COUNT(words); i++) {
		if (loom_str_is(text, words[i]))
			return true;
	}
	return false;
}

static bool is_filled(struct loom_str object, const char *key)
{
	struct loom_str value = loom_jval_get(object, key);

	return loom_jval_type(value) == LOOM_JTYPE_STRING && value.n > 2; /* the quotes count */
}

static const char *check_token_state(struct loom_str payload, struct loom_arena *arena,
				     struct loom_str *out_status)
{
	struct loom_str state = loom_jval_get(payload, "state");
	struct loom_str status = loom_jval_get(state, "status");

	if (loom_jval_get(state, "context").n == 0)
		return "invalid_token_state";
	if (loom_jval_get(state, "thread").n > 0 || loom_jval_get(payload, "thread").n > 0)
		return "legacy_token_state";
	if (!is_filled(state, "run_id"))
		return "missing_field:run_id";
	if (!is_filled(state, "request_id"))
		return "missing_field:request_id";
	*out_status = loom_jval_is_null(status) ? LOOM_STR(LOOM_TOKEN_RUNNING)
						: loom_jval_text(status, arena);
	if (!is_status(*out_status))
		return "invalid_status";
	if (loom_snapshot_check(loom_jval_get(state, "context"), NULL))
		return "invalid_context";
	return NULL;
}

/* Returns the state with these as its status and result (absent: unchanged). */
static struct loom_str restate(struct loom_str state, struct loom_str status,
			       struct loom_str result, struct loom_arena *arena)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(state);
	struct loom_json json;
	struct loom_str key;
	struct loom_str value;

	LOOM_ASSERT(loom_jval_type(state) == LOOM_JTYPE_OBJECT && status.n > 0);
	loom_json_init(&json, &buf);
	loom_json_object(&json);
	while (loom_jwalk_next(&walk, &key, &value)) {
		struct loom_str name = loom_jval_text(key, arena);
		if (loom_str_is(name, "status") || (result.p && loom_str_is(name, "result")))
			continue;
		loom_json_key(&json, loom_arena_cstr(arena, name));
		loom_json_raw(&json, value);
	}
	loom_json_put(&json, "status", status);
	if (result.p)
		loom_json_put(&json, "result", result);
	loom_json_end_object(&json);
	struct loom_str changed = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	return changed;
}

static void read_claims(struct loom_str payload, struct loom_arena *arena, struct loom_token *out)
{
	struct loom_token_claims *claims = &out->claims;

	LOOM_ASSERT(loom_jval_type(payload) == LOOM_JTYPE_OBJECT);
	claims->run_id = loom_jval_text(loom_jval_get(payload, "run_id"), arena);
	claims->request_id = loom_jval_text(loom_jval_get(payload, "request_id"), arena);
	if (!loom_jval_int(loom_jval_get(payload, "iat_ms"), &claims->iat_ms))
		claims->iat_ms = 0;
	claims->expires = loom_jval_int(loom_jval_get(payload, "exp_ms"), &claims->exp_ms);
	claims->fingerprint = loom_jval_text(loom_jval_get(payload, "config_fingerprint"), arena);
	claims->state = loom_jval_get(payload, "state");
	if (loom_jval_is_null(loom_jval_get(claims->state, "status")))
		claims->state = restate(claims->state, out->status, loom_str_make(NULL, 0), arena);
}

const char *loom_token_check(struct loom_str token, const struct loom_token_holder *holder,
			     struct loom_arena *arena, struct loom_token *out)
{
	struct loom_str bytes;

	LOOM_ASSERT(holder && out);
	*out = (struct loom_token){0};
	const char *wrong = open_envelope(token, holder->secret, arena, &bytes);
	if (wrong)
		return wrong;
	struct loom_str payload = loom_jval_of(bytes);
	if (loom_log_json_check(bytes, NULL) || loom_jval_type(payload) != LOOM_JTYPE_OBJECT)
		return "invalid_token_payload";
	wrong = check_claims(payload, holder);
	if (!wrong)
		wrong = check_token_state(payload, arena, &out->status);
	if (!wrong)
		read_claims(payload, arena, out);
	return wrong;
}

enum loom_status loom_token_cancel(const struct loom_token *token, struct loom_str reason,
				   const struct loom_token_holder *holder, struct loom_buf *out,
				   struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_token_claims claims = token->claims;

	if (!reason.p)
		reason = LOOM_STR("");
	claims.iat_ms = holder->now_ms;
	claims.state = restate(claims.state, LOOM_STR(LOOM_TOKEN_CANCELLED), reason, arena);
	enum loom_status status = loom_token_issue(&claims, holder->secret, out, err);
	loom_arena_destroy(arena);
	return status;
}

static int by_text(const void *left, const void *right)
{
	const struct loom_str *a = left;
	const struct loom_str *b = right;

	return loom_str_cmp(*a, *b);
}

static void put_tools(struct loom_json *json, const struct loom_token_config *config)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str *tools = LOOM_ARENA_ARRAY(arena, config->tool_count, struct loom_str);

	LOOM_ASSERT(config->tools || !config->tool_count);
	for (size_t i = 0; i < config->tool_count; i++)
		tools[i] = config->tools[i];
	if (config->tool_count > 0)
		qsort(tools, config->tool_count, sizeof *tools, by_text);
	loom_json_put_texts(json, "tools", tools, config->tool_count);
	loom_arena_destroy(arena);
}

void loom_token_fingerprint(const struct loom_token_config *config, struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put_int(&json, "fingerprint", 1);
	loom_json_put(&json, "model", config->model);
	if (config->prompt.p)
		loom_json_put(&json, "prompt", config->prompt);
	loom_json_put_int(&json, "max_steps", config->max_steps);
	loom_json_put_int(&json, "max_tokens", config->max_tokens);
	loom_json_put_int(&json, "context_window", config->context_window);
	put_tools(&json, config);
	loom_json_end_object(&json);
	struct loom_hash hash = loom_sha256(loom_buf_str(&text));
	loom_hash_hex(&hash, out);
	loom_buf_fini(&text);
}
