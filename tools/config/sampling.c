/* Sampling parameters: reading, merging, writing. */
#include <loom/config/sampling.h>

#include <loom/base/jval.h>

static enum loom_status bad_range(struct loom_err *err, const char *key, double low, double high)
{
	return loom_fail(err, LOOM_INVALID, "\"%s\" must be a number from %g to %g", key, low,
			 high);
}

/* Reads one text or a list of them. */
static enum loom_status read_texts(const char *key, struct loom_str value, struct loom_arena *arena,
				   const struct loom_str **out, size_t *out_count,
				   struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	const bool one = loom_jval_type(value) == LOOM_JTYPE_STRING;
	size_t count = one ? 1 : loom_jval_count(value);
	struct loom_str *texts = LOOM_ARENA_ARRAY(arena, count ? count : 1, struct loom_str);
	struct loom_str item = value;
	size_t n = 0;

	if (count > LOOM_STOPS_MAX)
		return loom_fail(err, LOOM_LIMIT, "\"%s\" has more than %d texts", key,
				 LOOM_STOPS_MAX);
	if (one)
		texts[n++] = loom_jval_text(value, arena);
	else if (loom_jval_type(value) == LOOM_JTYPE_ARRAY)
		while (loom_jwalk_next(&walk, NULL, &item))
			texts[n++] = loom_jval_text(item, arena);
	else
		return loom_fail(err, LOOM_INVALID, "\"%s\" must be a string or a list of strings",
				 key);
	for (size_t i = 0; i < n; i++)
		if (!texts[i].n)
			return loom_fail(
				err, LOOM_INVALID,
				"\"%s\" may not contain an empty string or anything but strings",
				key);
	*out = texts;
	*out_count = n;
	return LOOM_OK;
}

static const char *const thinkings[] = {
	[LOOM_THINKING_UNSAID] = "",   [LOOM_THINKING_NONE] = "none",
	[LOOM_THINKING_LOW] = "low",   [LOOM_THINKING_MEDIUM] = "medium",
	[LOOM_THINKING_HIGH] = "high",
};

const char *loom_thinking_name(enum loom_thinking thinking)
{
	return thinkings[thinking];
}

static enum loom_status read_effort(struct loom_sampling *sampling, struct loom_str value,
				    struct loom_arena *arena, struct loom_err *err)
{
	const struct loom_str word = loom_jval_text(value, arena);

	for (size_t i = LOOM_THINKING_NONE; i < LOOM_COUNT(thinkings); i++)
		if (word.n && loom_str_is(word, thinkings[i])) {
			sampling->effort = (enum loom_thinking)i;
			return LOOM_OK;
		}
	return loom_fail(err, LOOM_INVALID, "\"effort\" must be none, low, medium or high");
}

/* A list of pairs, or an object that maps tokens to numbers; what a server takes differs. */
static enum loom_status read_bias(struct loom_sampling *sampling, struct loom_str value,
				  struct loom_arena *arena, struct loom_err *err)
{
	const struct loom_str text = loom_str_trim(loom_jval_text(value, arena));
	const struct loom_str bias = text.p ? text : value;
	const enum loom_jtype type = loom_jval_type(bias);

	if ((type != LOOM_JTYPE_OBJECT && type != LOOM_JTYPE_ARRAY) ||
	    loom_json_check(bias, NULL, NULL) != LOOM_OK)
		return loom_fail(err, LOOM_INVALID,
				 "\"logit_bias\" must be an object that maps tokens to numbers, "
				 "or a list of pairs");
	sampling->logit_bias = bias;
	return LOOM_OK;
}

static enum loom_status read_grammar(struct loom_sampling *sampling, struct loom_str value,
				     struct loom_arena *arena, struct loom_err *err)
{
	sampling->grammar = loom_jval_text(value, arena);
	return sampling->grammar.n ? LOOM_OK
				   : loom_fail(err, LOOM_INVALID, "\"grammar\" must be a text");
}

static enum loom_status read_truncation(struct loom_sampling *sampling, struct loom_str value,
					struct loom_arena *arena, struct loom_err *err)
{
	if (!loom_strategy_parse(loom_jval_text(value, arena), &sampling->truncation))
		return loom_fail(
			err, LOOM_INVALID,
			"\"truncation\" must be truncateMiddle, rollingWindow or stopAtLimit");
	return LOOM_OK;
}

/* Reads a parameter that is no number; *bit is 0 for any other key. */
static enum loom_status read_other(struct loom_sampling *sampling, struct loom_str key,
				   struct loom_str value, struct loom_arena *arena, unsigned *bit,
				   struct loom_err *err)
{
	*bit = loom_str_is(key, "stop")         ? LOOM_SAMPLING_STOP
	       : loom_str_is(key, "ban")        ? LOOM_SAMPLING_BAN
	       : loom_str_is(key, "logit_bias") ? LOOM_SAMPLING_LOGIT_BIAS
	       : loom_str_is(key, "grammar")    ? LOOM_SAMPLING_GRAMMAR
	       : loom_str_is(key, "effort")     ? LOOM_SAMPLING_EFFORT
	       : loom_str_is(key, "truncation") ? LOOM_SAMPLING_TRUNCATION
						: 0u;
	switch (*bit) {
	case LOOM_SAMPLING_STOP:
		return read_texts("stop", value, arena, &sampling->stop, &sampling->stop_count,
				  err);
	case LOOM_SAMPLING_BAN:
		return read_texts("ban", value, arena, &sampling->ban, &sampling->ban_count, err);
	case LOOM_SAMPLING_LOGIT_BIAS:
		return read_bias(sampling, value, arena, err);
	case LOOM_SAMPLING_GRAMMAR:
		return read_grammar(sampling, value, arena, err);
	case LOOM_SAMPLING_EFFORT:
		return read_effort(sampling, value, arena, err);
	case LOOM_SAMPLING_TRUNCATION:
		return read_truncation(sampling, value, arena, err);
	default:
		return LOOM_OK;
	}
}

enum loom_status loom_sampling_read(struct loom_sampling *sampling, struct loom_str key,
				    struct loom_str value, struct loom_arena *arena, bool *known,
				    struct loom_err *err)
{
	double real = 0;
	int64_t whole = 0;
	unsigned bit = 0;
	enum loom_status status = LOOM_OK;

	*known = true;
#define X(bit, field, low, high)                                                                   \
	if (loom_str_is(key, #field)) {                                                            \
		if (!loom_jval_real(value, &real) || !(real >= (low) && real <= (high)))           \
			return bad_range(err, #field, low, high);                                  \
		sampling->field = real;                                                            \
		sampling->set |= LOOM_SAMPLING_##bit;                                              \
		return LOOM_OK;                                                                    \
	}
	LOOM_SAMPLING_REALS(X)
#undef X
#define X(bit, field, low, high)                                                                   \
	if (loom_str_is(key, #field)) {                                                            \
		if (!loom_jval_int(value, &whole) || whole < (low) || whole > (high))              \
			return bad_range(err, #field, (double)(low), (double)(high));              \
		sampling->field = whole;                                                           \
		sampling->set |= LOOM_SAMPLING_##bit;                                              \
		return LOOM_OK;                                                                    \
	}
	LOOM_SAMPLING_WHOLES(X)
#undef X
	status = read_other(sampling, key, value, arena, &bit, err);
	*known = bit != 0;
	if (status == LOOM_OK)
		sampling->set |= bit;
	return status;
}

enum loom_status loom_sampling_parse(struct loom_str object, struct loom_arena *arena,
				     struct loom_sampling *out, struct loom_err *err)
{
	struct loom_jwalk walk;
	struct loom_str key;
	struct loom_str value;
	bool known = false;
	enum loom_status status = LOOM_OK;

	*out = (struct loom_sampling){.set = 0};
	if (!loom_str_trim(object).n)
		return LOOM_OK;
	status = loom_json_check(object, NULL, err);
	if (status == LOOM_OK && loom_jval_type(loom_jval_of(object)) != LOOM_JTYPE_OBJECT)
		status = loom_fail(err, LOOM_INVALID, "sampling must be a JSON object");
	walk = loom_jval_walk(loom_jval_of(object));
	while (status == LOOM_OK && loom_jwalk_next(&walk, &key, &value))
		status = loom_sampling_read(out, loom_jval_text(key, arena), value, arena, &known,
					    err);
	return status;
}

void loom_sampling_lay(struct loom_sampling *sampling, const struct loom_sampling *over)
{
#define X(bit, field, low, high)                                                                   \
	if (over->set & LOOM_SAMPLING_##bit)                                                       \
		sampling->field = over->field;
	LOOM_SAMPLING_REALS(X)
	LOOM_SAMPLING_WHOLES(X)
#undef X
	if (over->set & LOOM_SAMPLING_STOP) {
		sampling->stop = over->stop;
		sampling->stop_count = over->stop_count;
	}
	if (over->set & LOOM_SAMPLING_BAN) {
		sampling->ban = over->ban;
		sampling->ban_count = over->ban_count;
	}
	if (over->set & LOOM_SAMPLING_LOGIT_BIAS)
		sampling->logit_bias = over->logit_bias;
	if (over->set & LOOM_SAMPLING_GRAMMAR)
		sampling->grammar = over->grammar;
	if (over->set & LOOM_SAMPLING_EFFORT)
		sampling->effort = over->effort;
	if (over->set & LOOM_SAMPLING_TRUNCATION)
		sampling->truncation = over->truncation;
	sampling->set |= over->set;
}

void loom_sampling_write(const struct loom_sampling *sampling, struct loom_json *json)
{
#define X(bit, field, low, high)                                                                   \
	if (sampling->set & LOOM_SAMPLING_##bit) {                                                 \
		loom_json_key(json, #field);                                                       \
		loom_json_real(json, sampling->field);                                             \
	}
	LOOM_SAMPLING_REALS(X)
#undef X
#define X(bit, field, low, high)                                                                   \
	if (sampling->set & LOOM_SAMPLING_##bit)                                                   \
		loom_json_put_int(json, #field, sampling->field);
	LOOM_SAMPLING_WHOLES(X)
#undef X
	if (sampling->set & LOOM_SAMPLING_TRUNCATION)
		loom_json_put(json, "truncation",
			      loom_str_of(loom_strategy_name(sampling->truncation)));
	if (sampling->set & LOOM_SAMPLING_STOP)
		loom_json_put_texts(json, "stop", sampling->stop, sampling->stop_count);
	if (sampling->set & LOOM_SAMPLING_BAN)
		loom_json_put_texts(json, "ban", sampling->ban, sampling->ban_count);
	if (sampling->set & LOOM_SAMPLING_LOGIT_BIAS) {
		loom_json_key(json, "logit_bias");
		loom_json_raw(json, sampling->logit_bias);
	}
	if (sampling->set & LOOM_SAMPLING_GRAMMAR)
		loom_json_put(json, "grammar", sampling->grammar);
	if (sampling->set & LOOM_SAMPLING_EFFORT)
		loom_json_put(json, "effort", loom_str_of(loom_thinking_name(sampling->effort)));
}

const char *loom_sampling_name(enum loom_sampling_bit bit)
{
	static const char *const names[] = {
#define X(bit, field, low, high) [LOOM_SAMPLING_BIT_##bit] = #field,
		LOOM_SAMPLING_REALS(X) LOOM_SAMPLING_WHOLES(X)
#undef X
			[LOOM_SAMPLING_BIT_STOP] = "stop",
		[LOOM_SAMPLING_BIT_BAN] = "ban",
		[LOOM_SAMPLING_BIT_LOGIT_BIAS] = "logit_bias",
		[LOOM_SAMPLING_BIT_GRAMMAR] = "grammar",
		[LOOM_SAMPLING_BIT_EFFORT] = "effort",
		[LOOM_SAMPLING_BIT_TRUNCATION] = "truncation",
	};

	LOOM_ASSERT(bit < LOOM_SAMPLING_BIT_COUNT);
	return names[bit];
}
