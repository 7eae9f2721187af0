/* Dialects: how a server is asked and what its answers mean. A dialect is pure: it writes a body
 * and reads events; an ask (one request, for one or several choices of a generation) takes what it
 * has understood. */
#ifndef TOOLS_DIALECT_IMPL_H
#define TOOLS_DIALECT_IMPL_H

#include <loom/http/http.h>
#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/http/sse.h>

#include "inside.h"

struct provider_ask;

/* What a server of an API can when nothing else is said of a model. */
struct provider_dialect_caps {
	int64_t n;
	int64_t logprobs;
	int64_t stop;
	unsigned sampling; /* bits that its requests have a word for */
	enum loom_prefill prefill;
};

struct provider_dialect {
	enum loom_sse_kind framing;
	bool chat;                  /* it takes messages, not a text */
	const char *path;           /* behind the base URL */
	const char *auth;           /* the header before the key, its blank included */
	const char *const *headers; /* NULL-ended; NULL: none of its own */
	struct provider_dialect_caps caps;
	/* Takes from what is sent what this model refuses, and adds what its server would otherwise
	 * choose by itself; NULL: nothing. */
	void (*fit)(const struct loom_model *model, struct loom_sampling *sent);
	/* The members of the request but the sampling that needs a name of its own. */
	void (*body)(const struct provider_ask *ask, struct loom_json *json);
	/* One event, or a whole document; it is JSON, but for a text that says `end_mark`. */
	void (*event)(struct provider_ask *ask, struct loom_str name, struct loom_str data);
	const char *end_mark; /* "[DONE]"; NULL: none */
};

/* What of sampling the servers that speak OpenAI's way, and Ollama, take. */
#define PROVIDER_SAMPLING_USUAL                                                                    \
	(LOOM_SAMPLING_TEMPERATURE | LOOM_SAMPLING_TOP_P | LOOM_SAMPLING_MIN_P |                   \
	 LOOM_SAMPLING_TOP_K | LOOM_SAMPLING_TOKENS | LOOM_SAMPLING_SEED |                         \
	 LOOM_SAMPLING_LOGPROBS | LOOM_SAMPLING_STOP)

extern const struct provider_dialect provider_openai_completions;
extern const struct provider_dialect provider_openai_chat;
extern const struct provider_dialect provider_llamacpp;
extern const struct provider_dialect provider_llamacpp_chat;
extern const struct provider_dialect provider_anthropic;
extern const struct provider_dialect provider_ollama_generate;
extern const struct provider_dialect provider_ollama_chat;

/* The dialect that a model is spoken to in. */
const struct provider_dialect *provider_dialect_of(const struct loom_model *model);
/* Whether, and how, it goes on from the beginning of an answer. */
enum loom_prefill provider_prefill_of(const struct provider_dialect *dialect,
				      const struct loom_model *model);
/* The same for Anthropic's models, by their ids, when nothing was said. */
enum loom_prefill provider_anthropic_prefill(const struct loom_model *model);
/* A yes or no that the configuration may have said. */
bool provider_can(enum loom_can said, bool otherwise);

/* ---- how a request is put ---- */

/* Chooses the strategy of a generation and what its model is told. */
void provider_prompt_plan(struct loom_generation *generation,
			  const struct provider_dialect *dialect);
/* The text for a model that goes on with it. */
void provider_prompt_text(const struct loom_generation *generation, struct loom_buf *out);
/* The messages for one that answers; the system's is the first when there is one. With the prefill
 * strategy the last is the beginning of the answer. In the generation's arena. */
const struct loom_prompt_message *provider_prompt_messages(const struct loom_generation *generation,
							   size_t *count);
/* The member "prompt": that text. */
void provider_put_prompt(const struct loom_generation *generation, struct loom_json *json);
/* The member "messages"; `prefix`: the last of them is marked as the beginning of the answer. */
void provider_put_messages(const struct loom_generation *generation, bool prefix,
			   struct loom_json *json);

/* ---- what a dialect asks and tells of its ask ---- */

struct loom_generation *provider_ask_generation(const struct provider_ask *ask);
size_t provider_ask_count(const struct provider_ask *ask);
/* How the model is to draw for it. */
struct loom_sampling provider_ask_sampling(const struct provider_ask *ask);
/* Lives until the event is over. */
struct loom_arena *provider_ask_scratch(const struct provider_ask *ask);

#define PROVIDER_CHOICES_ALL SIZE_MAX

/* Choices count from 0 within the ask; one that was not asked for is passed over. What is told is
 * taken as it stands in the event: a JSON string; anything else tells nothing. */
void provider_ask_text(struct provider_ask *ask, size_t choice, struct loom_str value);
void provider_ask_token(struct provider_ask *ask, size_t choice,
			const struct provider_token *token);
void provider_ask_finish(struct provider_ask *ask, size_t choice, enum loom_finish finish);
/* The stop text that ended a choice. */
void provider_ask_stopped(struct provider_ask *ask, size_t choice, struct loom_str value);
void provider_ask_usage(struct provider_ask *ask, size_t choice,
			const struct provider_usage *usage);
/* The numbers told so far of the first choice. */
struct provider_usage provider_ask_told(const struct provider_ask *ask);
/* What the server calls the model. */
void provider_ask_served(struct provider_ask *ask, struct loom_str value);
/* The answer is over, although the connection may not be. */
void provider_ask_over(struct provider_ask *ask);
/* The server told of an error in the middle of its answer. */
void provider_ask_failed(struct provider_ask *ask, struct loom_str message);
/* What an error in any server's shape says; empty when it is none. In the arena. */
struct loom_str provider_error_message(struct loom_str document, struct loom_arena *arena);
/* What a member that counts something says, or -1. */
int64_t provider_count_of(struct loom_str object, const char *key);
/* Tokens with probabilities in the chat shape: {content: [{token, bytes, logprob, …}]} or the list
 * itself. */
void provider_ask_tokens(struct provider_ask *ask, size_t choice, struct loom_str list);

#endif
