/* Sampling parameters: what a configuration, an agent or a line may set, and which of them wins. */
#ifndef LOOM_SAMPLING_H
#define LOOM_SAMPLING_H

#include <loom/base/arena.h>
#include <loom/log/budget.h>
#include <loom/base/json.h>

/* The largest whole number that every JSON reader keeps exactly: 2^53 - 1. */
#define LOOM_SAMPLING_SEED_MAX INT64_C(9007199254740991)

/* bit, field, lowest, highest: real numbers, then whole ones. The field's name is also the key. */
#define LOOM_SAMPLING_REALS(X)                                                                     \
	X(TEMPERATURE, temperature, 0, 100)                                                        \
	X(TOP_P, top_p, 0, 1)                                                                      \
	X(MIN_P, min_p, 0, 1)                                                                      \
	X(TOP_N_SIGMA, top_n_sigma, 0, 100)                                                        \
	X(DRY, dry, 0, 100)                                                                        \
	X(XTC, xtc, 0, 1)
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
	LOOM_SAMPLING_BIT_BAN,
	LOOM_SAMPLING_BIT_LOGIT_BIAS,
	LOOM_SAMPLING_BIT_GRAMMAR,
	LOOM_SAMPLING_BIT_EFFORT,
	LOOM_SAMPLING_BIT_TRUNCATION,
	LOOM_SAMPLING_BIT_COUNT,
};
#define X(bit, field, low, high) LOOM_SAMPLING_##bit = 1u << LOOM_SAMPLING_BIT_##bit,
enum {
	LOOM_SAMPLING_REALS(X) LOOM_SAMPLING_WHOLES(X) LOOM_SAMPLING_STOP =
		1u << LOOM_SAMPLING_BIT_STOP,
	LOOM_SAMPLING_BAN = 1u << LOOM_SAMPLING_BIT_BAN,
	LOOM_SAMPLING_LOGIT_BIAS = 1u << LOOM_SAMPLING_BIT_LOGIT_BIAS,
	LOOM_SAMPLING_GRAMMAR = 1u << LOOM_SAMPLING_BIT_GRAMMAR,
	LOOM_SAMPLING_EFFORT = 1u << LOOM_SAMPLING_BIT_EFFORT,
	LOOM_SAMPLING_TRUNCATION = 1u << LOOM_SAMPLING_BIT_TRUNCATION
};
#undef X

#define LOOM_STOPS_MAX 16

/* How much a model is to think before it writes. */
enum loom_thinking {
	LOOM_THINKING_UNSAID,
	LOOM_THINKING_NONE,
	LOOM_THINKING_LOW,
	LOOM_THINKING_MEDIUM,
	LOOM_THINKING_HIGH,
};
/* Returns "none", "low", "medium" or "high"; empty for UNSAID. Static. */
const char *loom_thinking_name(enum loom_thinking thinking);

/* A set of parameters; only those whose bit is in `set` are given. Texts are borrowed. */
struct loom_sampling {
	unsigned set;
	double temperature;
	double top_p;
	double min_p;
	double top_n_sigma;
	double dry; /* its multiplier */
	double xtc; /* its probability */
	int64_t top_k;
	int64_t n;
	int64_t tokens;
	int64_t seed;
	int64_t logprobs; /* alternatives reported per token; 0: no probabilities at all */
	const struct loom_str *stop;
	size_t stop_count;
	const struct loom_str *ban; /* texts that may not be written */
	size_t ban_count;
	struct loom_str logit_bias; /* JSON, as it was given */
	struct loom_str grammar;    /* GBNF */
	enum loom_thinking effort;
	/* Not a sampling parameter, but configured beside them: what to drop when the prompt is too
	 * long. */
	enum loom_strategy truncation;
};

/* Reads one member of an object into *sampling; `key` has no quotes. Sets *known to false when the
 * key is not a sampling parameter. Texts are borrowed from the arena or from `value`. Fails with
 * LOOM_INVALID for a value of the wrong type or out of range, LOOM_LIMIT for too many stop
 * texts. */
enum loom_status loom_sampling_read(struct loom_sampling *sampling, struct loom_str key,
				    struct loom_str value, struct loom_arena *arena, bool *known,
				    struct loom_err *err) LOOM_MUST;
/* Reads all sampling parameters of a JSON object into *out and ignores its other keys. An empty
 * text sets nothing. Texts are borrowed from the arena or from `object`. Fails with LOOM_INVALID
 * when the text is not an object or a value is wrong. */
enum loom_status loom_sampling_parse(struct loom_str object, struct loom_arena *arena,
				     struct loom_sampling *out, struct loom_err *err) LOOM_MUST;
/* Returns the key of a parameter by its bit: "top_k". Static. */
const char *loom_sampling_name(enum loom_sampling_bit bit);
/* Overwrites every parameter of *sampling that `over` sets. */
void loom_sampling_lay(struct loom_sampling *sampling, const struct loom_sampling *over);
/* Writes the parameters that are set as members of an object already open in `json`. */
void loom_sampling_write(const struct loom_sampling *sampling, struct loom_json *json);

#endif
