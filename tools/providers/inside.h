/* What stands between generate.h and a dialect: resolved voices, choices that grow, and the two
 * ways of asking (in this process, over HTTP or a pipe).
 *
 * A generation is told about by its backend through provider_choice_…; these functions call the
 * sink. The sink may cancel; nothing of a generation is freed before the loop's next round. */
#ifndef TOOLS_VOICE_IMPL_H
#define TOOLS_VOICE_IMPL_H

#include <loom/base/arena.h>
#include <loom/providers/voice.h>

#include <loom/ngram/grams.h>

struct provider_lane;

/* How a text or a conversation is put before a model. */
enum provider_strategy {
	PROVIDER_STRATEGY_COMPLETION, /* the text as it is */
	PROVIDER_STRATEGY_TRANSCRIPT, /* a conversation written out for a model that only goes on */
	PROVIDER_STRATEGY_CHAT,       /* messages */
	PROVIDER_STRATEGY_PREFILL,    /* messages, the last of them the beginning of the answer */
	PROVIDER_STRATEGY_FRAMED,     /* a document in a user's turn, with the wish to go on */
};
const char *provider_strategy_name(enum provider_strategy strategy);

/* Who is asked, and how. Texts live in the generation's arena, or in the voices'. */
struct provider_voice {
	struct loom_model model;
	const struct loom_provider *provider;
	struct loom_sampling sampling; /* everything laid together; tokens is always set */
	enum loom_generate_use use;
	struct loom_str agent;
	struct loom_str system; /* of the configured agent */
	struct loom_allowance allowance;
	bool configured;
};

/* Numbers that a server told; -1: it did not. */
struct provider_usage {
	int64_t in;
	int64_t in_cached;
	int64_t out;
	double cost;   /* < 0: not told */
	size_t shared; /* choices that the numbers are of together; 0 or 1: this one's own */
};

struct provider_choice {
	struct loom_buf text; /* whole characters */
	size_t told;          /* of it, to the sink; the rest may turn out to be a stop text */
	struct loom_buf tail; /* the beginning of a character */
	struct loom_buf raw;
	struct loom_buf tokens; /* items of the record's list */
	size_t token_count;
	struct provider_usage usage;
	struct loom_str served; /* what the server calls the model; in the arena */
	struct loom_str stop;   /* the text that stopped it */
	int64_t first_ms;       /* boot clock, 0: nothing came */
	size_t asked_with;      /* the first choice of its ask */
	int tries;
	bool dropped; /* cancelled: nothing more is taken */
	bool ended;
};

struct provider_backend {
	/* Called from the loop. Trouble comes as ends of the choices. */
	void (*begin)(struct loom_generation *generation);
	/* Stops work for a choice that was dropped; never calls back. */
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
	enum provider_strategy strategy;
	size_t quoted;             /* lines of a transcript that would have named a speaker */
	struct loom_str endpoint;  /* for the record */
	struct loom_sampling sent; /* what the model was told, for the record */
	const struct provider_backend *backend;
	void *state; /* the backend's */
	struct provider_choice *choices;
	size_t ended;
	int64_t began; /* boot clock */
	uint64_t timer;
	bool begun;
	struct loom_str secret; /* what must not come back; borrowed from the lane */
};

struct loom_voices {
	struct loom_voices_opts opts;
	struct loom_config empty;
	struct loom_err config_err; /* LOOM_OK: what is configured is known */
	struct loom_generator generator;
	struct loom_arena *arena;
	struct ngram_words names; /* that were told and live on */
	struct loom_generation *first;
	struct provider_lane *lanes;   /* one a provider that was asked */
	struct loom_http_client *http; /* made with the first that needs it */
	uint64_t serial;
};

/* One token of a choice, with what could have stood in its place. */
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

/* The backend's word. Bytes may end within a character; what is dropped or ended takes none. */
void provider_choice_text(struct loom_generation *generation, size_t index, struct loom_str bytes);
void provider_choice_raw(struct loom_generation *generation, size_t index, struct loom_str bytes);
void provider_choice_token(struct loom_generation *generation, size_t index,
			   const struct provider_token *token);
/* Ends a choice: its sink hears of it at once, of the generation's end in the loop's next round.
 * `why` (nullable) with LOOM_FINISH_ERROR. */
void provider_choice_end(struct loom_generation *generation, size_t index,
			 enum loom_finish finished, const struct loom_err *why);
/* A text in a record: U+0000 becomes U+FFFD, for a strict reader takes none. */
void provider_record_text(struct loom_json *json, struct loom_str text);
/* How choices are drawn whose ask begins with `first`: the same seed twice would be the same text.
 */
struct loom_sampling provider_choice_sampling(const struct loom_generation *generation,
					      size_t first);
/* The record that a choice ends with. */
void provider_choice_record(const struct loom_generation *generation, size_t index,
			    enum loom_finish finish, const struct loom_err *why,
			    struct loom_buf *out);

/* A generation of a resolved voice, not yet begun: copies the request. */
struct loom_generation *provider_generation_create(struct loom_voices *voices,
						   const struct provider_voice *voice,
						   const struct loom_generate_request *request,
						   const struct loom_generate_sink *sink,
						   struct loom_arena *arena);
void provider_generation_begin(struct loom_generation *generation);
void provider_generation_cancel(struct loom_generation *generation, size_t choice);
void provider_generation_destroy(struct loom_generation *generation);

/* Who the words of a request lead to. Texts live in the arena and in the configuration. */
enum loom_status provider_voice_find(const struct loom_voices *voices,
				     const struct loom_generate_voice *wanted,
				     struct loom_arena *arena, struct provider_voice *out,
				     struct loom_err *err) LOOM_MUST;

/* Whether a voice that is asked over HTTP can be: dialect, URL, key. */
enum loom_status provider_http_ready(struct loom_voices *voices, const struct provider_voice *voice,
				     struct loom_err *err) LOOM_MUST;
void provider_lanes_destroy(struct loom_voices *voices);

extern const struct provider_backend provider_backend_ngram;
extern const struct provider_backend provider_backend_http;
extern const struct provider_backend provider_backend_command;

#endif
