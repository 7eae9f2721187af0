/* Sampling parameters: reading, merging, writing. */
#include <loom/config/sampling.h>

#include <loom/base/jval.h>

static enum loom_status bad_range(struct loom_err *err, const char *key, double low, double high)
{
	return loom_fail(err, LOOM_INVALID, "\"%s\" must be a number from %g to %g", key, low,
			 high);
}

static enum loom_status read_stop(struct loom_sampling *sampling, struct loom_str value,
				  struct loom_arena *arena, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	size_t count = loom_jval_type(value) == LOOM_JTYPE_STRING ? 1 : loom_jval_count(value);
	struct loom_str *stop = LOOM_ARENA_ARRAY(arena, count ? count : 1, struct loom_str);
	struct loom_str item = value;
	size_t n = 0;

	if (count > LOOM_STOPS_MAX)
		return loom_fail(err, LOOM_LIMIT, "\"stop\" has more than %d texts",
				 LOOM_STOPS_MAX);
	if (loom_jval_type(value) == LOOM_JTYPE_STRING)
		stop[n++] = loom_jval_text(value, arena);
	else if (loom_jval_type(value) == LOOM_JTYPE_ARRAY)
		while (loom_jwalk_next(&walk, NULL, &item))
			stop[n++] = loom_jval_text(item, arena);
	else
		return loom_fail(err, LOOM_INVALID,
				 "\"stop\" must be a string or a list of strings");
	for (size_t i = 0; i < n; i++)
		if (!stop[i].n)
			return loom_fail(
				err, LOOM_INVALID,
				"\"stop\" may not contain an empty string or anything but strings");
	sampling->stop = stop;
	sampling->stop_count = n;
	sampling->set |= LOOM_SAMPLING_STOP;
	return LOOM_OK;
}

static enum loom_status read_truncation(struct loom_sampling *sampling, struct loom_str value,
					struct loom_arena *arena, struct loom_err *err)
{
	if (!loom_strategy_parse(loom_jval_text(value, arena), &sampling->truncation))
		return loom_fail(
			err, LOOM_INVALID,
			"\"truncation\" must be truncateMiddle, rollingWindow or stopAtLimit");
	sampling->set |= LOOM_SAMPLING_TRUNCATION;
	return LOOM_OK;
}

enum loom_status loom_sampling_read(struct loom_sampling *sampling, struct loom_str key,
				    struct loom_str value, struct loom_arena *arena, bool *known,
				    struct loom_err *err)
{
	double real = 0;
	int64_t whole = 0;

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
	if (loom_str_is(key, "truncation"))
		return read_truncation(sampling, value, arena, err);
	*known = loom_str_is(key, "stop");
	return *known ? read_stop(sampling, value, arena, err) : LOOM_OK;
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
	if (!(sampling->set & LOOM_SAMPLING_STOP))
		return;
	loom_json_put_texts(json, "stop", sampling->stop, sampling->stop_count);
}
