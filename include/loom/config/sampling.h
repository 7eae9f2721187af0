/* How a model draws: the numbers that a configuration, an agent or a line may give, and what wins
 * where several give one. */
#ifndef LOOM_SAMPLING_H
#define LOOM_SAMPLING_H

#include <loom/base/arena.h>
#include <loom/log/budget.h>
#include <loom/base/json.h>

/* Every whole number that a JSON reader keeps exactly: 2^53 - 1. */
#define LOOM_SAMPLING_SEED_MAX INT64_C(9007199254740991)

/* bit, field, key: real numbers and whole ones; the key is the configuration's. */
#define LOOM_SAMPLING_REALS(X)                                                                     \
	X(TEMPERATURE, temperature, 0, 100)                                                        \
	X(TOP_P, top_p, 0, 1)                                                                      \
	X(MIN_P, min_p, 0, 1)
#define LOOM_SAMPLING_WHOLES(X)                                                                    \
	X(TOP_K, top_k, 0, 1000000)                                                                \
	X(N, n, 1, 100)                                                                            \
	X(TOKENS, tokens, 1, 1000000)                                                              \
	X(SEED, seed, 0, LOOM_SAMPLING_SEED_MAX)                                                   \
	X(LOGPROBS, logprobs, 0, 20)

enum loom_sampling_bit {
#define X(bit, field, low, high) LOOM_SAMPLING_BIT_##bit,
	LOOM_SAMPLING_REALS(X) LOOM_SAMPLING_WHOLES(X)
#undef X
		LOOM_SAMPLING_BIT_STOP,
	LOOM_SAMPLING_BIT_TRUNCATION,
};
#define X(bit, field, low, high) LOOM_SAMPLING_##bit = 1u << LOOM_SAMPLING_BIT_##bit,
enum {
	LOOM_SAMPLING_REALS(X) LOOM_SAMPLING_WHOLES(X) LOOM_SAMPLING_STOP =
		1u << LOOM_SAMPLING_BIT_STOP,
	LOOM_SAMPLING_TRUNCATION = 1u << LOOM_SAMPLING_BIT_TRUNCATION
};
#undef X

#define LOOM_STOPS_MAX 16

/* Only the fields whose bit is set were given. Texts are borrowed. */
struct loom_sampling {
	unsigned set;
	double temperature;
	double top_p;
	double min_p;
	int64_t top_k;
	int64_t n;
	int64_t tokens;
	int64_t seed;
	int64_t logprobs; /* alternatives told with each token; 0: none and no probabilities */
	const struct loom_str *stop;
	size_t stop_count;
	/* Not drawing, but set where that is: what goes when all is too long to be told. */
	enum loom_strategy truncation;
};

/* Reads one member of an object by its key (without quotes). *known is false when it is no key of
 * sampling. LOOM_INVALID for a value that does not fit. Texts come from the arena or the value. */
enum loom_status loom_sampling_read(struct loom_sampling *sampling, struct loom_str key,
				    struct loom_str value, struct loom_arena *arena, bool *known,
				    struct loom_err *err) LOOM_MUST;
/* All that an object gives; other keys are passed over. An empty text gives nothing. */
enum loom_status loom_sampling_parse(struct loom_str object, struct loom_arena *arena,
				     struct loom_sampling *out, struct loom_err *err) LOOM_MUST;
/* What `over` gives replaces what stands in *sampling. */
void loom_sampling_lay(struct loom_sampling *sampling, const struct loom_sampling *over);
/* The given fields as members of an object that is open. */
void loom_sampling_write(const struct loom_sampling *sampling, struct loom_json *json);

#endif
