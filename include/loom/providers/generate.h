/* Generation: what a model is asked, and how its answers come in.
 *
 * A generator stands for every way to reach a model (embedded, over HTTP, a program). It belongs to
 * one loop and its thread: it is asked there and it answers there, through the loop, never from
 * inside the call that asks. It knows nothing of trees: what it says is turned into nodes by
 * whoever asked. Made by whoever knows the configuration. */
#ifndef LOOM_GENERATE_H
#define LOOM_GENERATE_H

#include <loom/log/budget.h>
#include <loom/base/err.h>
#include <loom/log/projection.h>
#include <loom/base/str.h>
#include <loom/work/usage.h>

/* What the text is wanted for; each may have a model of its own. */
enum loom_generate_use {
	LOOM_GENERATE_SUBJECT,      /* continuations */
	LOOM_GENERATE_COLLABORATOR, /* the turn of a loom-aware agent */
	LOOM_GENERATE_SUMMARY,
	LOOM_GENERATE_CLASSIFIER, /* one line that was not understood */
};

/* One message of a conversation: LOOM_ROLE_USER, LOOM_ROLE_ASSISTANT or LOOM_ROLE_SYSTEM. */
struct loom_prompt_message {
	enum loom_role role;
	struct loom_str text;
};

/* Whom it is for. Names lead to the sampling in the configuration; what is empty is not known. */
struct loom_generate_voice {
	enum loom_generate_use use;
	struct loom_str agent;    /* name */
	struct loom_str model;    /* alias, as the grove has it for the agent */
	struct loom_str sampling; /* JSON object, as the grove has it for the agent */
};

/* What is asked. Either `text` is what goes on, byte for byte (a buffer), or `messages` are the
 * conversation; the bytes are not altered on the way. Borrowed until start returns. */
struct loom_generate_request {
	struct loom_generate_voice voice;
	struct loom_str system; /* empty: none */
	struct loom_str text;
	struct loom_str input; /* hash of all that, for the record; empty: none is kept */
	const struct loom_prompt_message *messages;
	size_t message_count;
	size_t n;       /* how many choices, at least 1 */
	int64_t tokens; /* most of each; 0: what the voice is set to */
	uint64_t salt;  /* for seeded samplers: no other request of the grove has it */
};

/* What can be known of a voice without asking it. */
struct loom_voice_info {
	struct loom_str model;         /* what is shown: alias, or what the server calls it */
	struct loom_str provider;      /* "ngram", a configured name, … */
	int64_t context;               /* tokens; 0: not known */
	int64_t tokens;                /* of an answer when none are asked for */
	int64_t most;                  /* of an answer at all; 0: not known */
	int64_t n;                     /* choices when none are asked for */
	enum loom_strategy truncation; /* of what it is told */
	struct loom_str system;        /* what the configured agent is told first; empty: nothing */
	bool configured;               /* false: the embedded model stands in */
	struct loom_allowance allowance; /* of the configured agent */
};

enum loom_finish {
	LOOM_FINISH_STOP,      /* the model ended */
	LOOM_FINISH_STOP_TEXT, /* a stop text came */
	LOOM_FINISH_LENGTH,
	LOOM_FINISH_FILTER,
	LOOM_FINISH_CANCELLED,
	LOOM_FINISH_ERROR, /* err says why; text may hold what arrived */
};
/* "stop", "stop_seq", "length", "filter", "cancelled", "error". */
const char *loom_finish_name(enum loom_finish finish);

/* One choice when it has ended. Borrowed until the callback returns. */
struct loom_generated {
	struct loom_str text;   /* whole characters only, all chunks together */
	struct loom_str raw;    /* the answer as it came, a half character at its end included */
	struct loom_str record; /* JSON object: resolved provider, model id, endpoint, strategy,
				 * parameters, finish, usage, latency, log-probabilities … */
	enum loom_finish finish;
	struct loom_err err; /* LOOM_MODEL: class, HTTP status, message */
};

/* All in the loop's thread. */
struct loom_generate_sink {
	/* More text of a choice, whole characters. May be NULL. */
	void (*chunk)(void *ctx, size_t choice, struct loom_str text);
	/* Exactly once for every choice, 0 … n-1, in any order. */
	void (*end)(void *ctx, size_t choice, const struct loom_generated *result);
	/* Exactly once, after the last end; the generation is gone when it returns. */
	void (*done)(void *ctx);
	void *ctx;
	/* Nobody is heard for so long: it could not be asked, and is asked again then. May be NULL.
	 */
	void (*waits)(void *ctx, int64_t ms, const struct loom_err *why);
};

struct loom_generation; /* under way; the generator's own */

#define LOOM_CHOICES_ALL SIZE_MAX

struct loom_generator {
	/* Begins. LOOM_MODEL (nothing was begun, the sink hears nothing) when the voice cannot be
	 * asked: the hint says what to set up. Trouble with the model itself comes as ends. */
	enum loom_status (*start)(void *ctx, const struct loom_generate_request *request,
				  const struct loom_generate_sink *sink,
				  struct loom_generation **out, struct loom_err *err);
	/* Ends one choice, or all: their ends say LOOM_FINISH_CANCELLED within 200 ms. */
	void (*cancel)(void *ctx, struct loom_generation *generation, size_t choice);
	/* Texts live as long as the generator. LOOM_MODEL as for start. */
	enum loom_status (*describe)(void *ctx, const struct loom_generate_voice *voice,
				     struct loom_voice_info *out, struct loom_err *err);
	void *ctx;
	int64_t result_tokens; /* what agents are told of a result unshortened; 0: 1,000 */
};

#endif
