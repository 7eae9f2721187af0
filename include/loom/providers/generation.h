/* Between generate.h and a dialect: resolved voices, growing choices, and the backends (in this
 * process, over HTTP, over a pipe).
 *
 * A backend reports to a generation through provider_choice_…, and these functions call the sink.
 * The sink may cancel; nothing of a generation is freed before the loop's next round. */
#ifndef LOOM_GENERATION_H
#define LOOM_GENERATION_H

#include <loom/base/arena.h>
#include <loom/learned/facts.h>
#include <loom/learned/server_words.h>
#include <loom/ngram/grams.h>
#include <loom/providers/voice.h>

struct provider_lane;

/* The model to ask and how. Texts live in the generation's arena or in the voices'. */
struct provider_voice {
	struct loom_model model;
	const struct loom_provider *provider;
	struct loom_sampling sampling; /* all settings merged; tokens is always set */
	unsigned said;                 /* bits that somebody has set, unlike the built-in ones */
	struct loom_str line;          /* JSON of what the line sets; empty: nothing */
	enum loom_generate_use use;
	struct loom_str agent;
	struct loom_str system; /* of the configured agent */
	struct loom_allowance allowance;
	bool configured;
};

/* Token counts reported by a server; -1: not reported. */
struct provider_usage {
	int64_t in;
	int64_t in_cached;
	int64_t out;
	double cost;      /* < 0: not reported */
	size_t shared;    /* choices that the numbers cover together; 0 or 1: only this one */
	int64_t thinking; /* part of `out` that was thought; 0: none, or not reported */
};

struct provider_choice {
	struct loom_buf text; /* complete characters */
	size_t told;          /* bytes delivered to the sink; the rest may be a stop text */
	struct loom_buf tail; /* an incomplete character */
	struct loom_buf raw;
	struct loom_buf native;          /* calls of tools, as native.c keeps them */
	struct loom_buf thinking;        /* what it thought, complete characters */
	struct loom_buf signed_thoughts; /* items of a list, as the provider wants them back */
	size_t signed_upto;              /* bytes of `thinking` that are signed */
	struct loom_str body;            /* the request as it was sent; in the arena */
	struct loom_buf tokens;          /* items of the record's list */
	size_t token_count;
	struct provider_usage usage;
	struct loom_str served; /* the server's name for the model; in the arena */
	struct loom_str stop;   /* the stop text that ended it */
	int64_t first_ms;       /* boot clock; 0: nothing arrived yet */
	size_t asked;           /* choices of its request */
	size_t asked_with;      /* the first choice of its ask */
	int tries;
	bool dropped; /* cancelled: takes nothing more */
	bool ended;
};

struct provider_backend {
	/* Starts work; called from the loop. Trouble is reported as ends of the choices. */
	void (*begin)(struct loom_generation *generation);
	/* Stops work for a dropped choice; never calls back. */
	void (*drop)(struct loom_generation *generation, size_t choice);
	void (*destroy)(struct loom_generation *generation);
};

struct loom_generation {
	struct loom_voices *voices;
	struct loom_generation *next;
	struct loom_arena *arena;
	struct provider_voice voice;
	struct loom_generate_request request; /* copies in the arena */
	struct loom_generate_sink sink;
	enum loom_way strategy;
	/* Transcript lines quoted because they would have named a speaker. */
	size_t quoted;
	struct loom_facts *facts;  /* what was learned of the model; lives with the voices */
	enum loom_thinking effort; /* how much it is to think; UNSAID: as it likes */
	int64_t allowed;           /* tokens that it may use, thoughts included */
	struct loom_str endpoint;  /* for the record */
	struct loom_sampling sent; /* the parameters sent, for the record */
	const struct provider_backend *backend;
	void *state; /* private to the backend */
	struct provider_choice *choices;
	size_t ended;
	bool counted; /* the model's density has learned from it */
	bool overflow;
	struct loom_overflow sizes; /* of a prompt that did not fit */
	int64_t began;              /* boot clock */
	uint64_t timer;
	bool begun;
	struct loom_str secret; /* must not appear in an answer; borrowed from the lane */
};

struct loom_voices {
	struct loom_voices_opts opts;
	struct loom_config empty;
	struct loom_err config_err; /* LOOM_OK: the configuration is known */
	struct loom_generator generator;
	struct loom_arena *arena;
	struct ngram_words names; /* names that were returned and must live on */
	struct loom_generation *first;
	struct provider_lane *lanes;   /* one per provider that was asked */
	struct loom_http_client *http; /* created with the first request that needs it */
	struct loom_learned *learned;
	uint64_t serial;
};

/* Servers report it for a token that cannot occur; it also stands for a value that is missing. */
#define PROVIDER_LOGPROB_LEAST (-9999.0)

/* One token of a choice, with its alternatives. */
struct provider_alternative {
	struct loom_str text;
	double logprob;
};
struct provider_token {
	struct loom_str text;
	double logprob;
	const struct provider_alternative *top;
	size_t top_count;
};

/* Adds answer bytes to a choice; they may end inside a character. Ignored when the choice was
 * dropped or has ended. */
void provider_choice_text(struct loom_generation *generation, size_t index, struct loom_str bytes);
/* Adds to what a choice thinks, which is told to the sink and is no part of its text. */
void provider_choice_thinking(struct loom_generation *generation, size_t index,
			      struct loom_str text);
/* Adds a thought that the provider has signed, a JSON object, to be sent back as it is. */
void provider_choice_signed(struct loom_generation *generation, size_t index,
			    struct loom_str thought);
/* Notes the body that a choice is asked with, and how many choices it is asked for. */
void provider_choice_asked(struct loom_generation *generation, size_t index, struct loom_str body,
			   size_t choices);
/* Learns from a prompt whose tokens a server has counted. */
void provider_learn_tokens(struct loom_generation *generation, int64_t tokens);
/* Adds bytes of the raw answer to a choice. */
void provider_choice_raw(struct loom_generation *generation, size_t index, struct loom_str bytes);
/* Appends the choice's calls of tools as a JSON list; nothing when there are none. */
void provider_choice_native_json(const struct provider_choice *choice, struct loom_buf *out);
/* Adds a token with its probabilities to a choice. */
void provider_choice_token(struct loom_generation *generation, size_t index,
			   const struct provider_token *token);
/* Ends a choice: the sink hears of it at once, and of the generation's end in the loop's next
 * round. `why` (nullable) explains LOOM_FINISH_ERROR. */
void provider_choice_end(struct loom_generation *generation, size_t index,
			 enum loom_finish finished, const struct loom_err *why);
/* Writes a text of a record as a JSON string. U+0000 becomes U+FFFD, because a strict reader
 * rejects it. */
void provider_record_text(struct loom_json *json, struct loom_str text);
/* Returns the parameters for the ask that begins with choice `first`. Each ask gets its own seed;
 * the same seed would give the same text. */
struct loom_sampling provider_choice_sampling(const struct loom_generation *generation,
					      size_t first);
/* Appends the record that a choice ends with, a JSON object. */
void provider_choice_record(const struct loom_generation *generation, size_t index,
			    enum loom_finish finish, const struct loom_err *why,
			    struct loom_buf *out);

/* Creates a generation for a resolved voice and copies the request; it begins with
 * provider_generation_begin. Takes ownership of the arena. It frees itself after `done`. */
struct loom_generation *provider_generation_create(struct loom_voices *voices,
						   const struct provider_voice *voice,
						   const struct loom_generate_request *request,
						   const struct loom_generate_sink *sink,
						   struct loom_arena *arena);
/* Starts the generation in the loop's next round. */
void provider_generation_begin(struct loom_generation *generation);
/* Cancels one choice, or LOOM_CHOICES_ALL; the ends are delivered from the loop. */
void provider_generation_cancel(struct loom_generation *generation, size_t choice);
/* Frees the generation and stops its backend without calling the sink. */
void provider_generation_destroy(struct loom_generation *generation);

/* Resolves the voice of a request. Texts live in the arena or in the configuration. Fails with
 * LOOM_MODEL and a hint when no model is set up, or when the configuration could not be read. */
enum loom_status provider_voice_find(const struct loom_voices *voices,
				     const struct loom_generate_voice *wanted,
				     struct loom_arena *arena, struct provider_voice *out,
				     struct loom_err *err) LOOM_MUST;

/* Checks that the provider's requests can express every parameter that somebody has set. Fails with
 * LOOM_MODEL, and names the first that they cannot. */
enum loom_status provider_check_sampling(const struct provider_voice *voice,
					 struct loom_err *err) LOOM_MUST;
/* Returns the alias of the model that writes summaries; empty: there is none, or no person has
 * allowed it. In the arena or the configuration. */
struct loom_str provider_small_alias(const struct loom_voices *voices, struct loom_arena *arena);
/* Checks that a voice can be asked over HTTP: dialect, URL, key. Fails with LOOM_MODEL and a
 * hint. */
enum loom_status provider_http_ready(struct loom_voices *voices, const struct provider_voice *voice,
				     struct loom_err *err) LOOM_MUST;
/* Frees all lanes and wipes their keys. */
void provider_lanes_destroy(struct loom_voices *voices);

extern const struct provider_backend provider_backend_http;

#endif
