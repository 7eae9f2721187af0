/* Dialects: how a server is asked and what its answers mean. A dialect is pure: it writes bodies
 * and reads events, and reports what it reads to its ask (one request, for one or several choices
 * of a generation). */
#ifndef LOOM_DIALECT_H
#define LOOM_DIALECT_H

#include <loom/http/http.h>
#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/http/sse.h>
#include <loom/learned/server_words.h>

#include <loom/providers/generation.h>

struct provider_ask;

/* The default capabilities of an API's servers. */
struct provider_dialect_caps {
	int64_t n;
	int64_t logprobs;
	int64_t stop;
	unsigned sampling; /* bits of the parameters that its requests can express */
	enum loom_prefill prefill;
};

/* How a model is told how much to think. */
struct provider_mind {
	/* Returns whether a model of that name thinks unless it is told not to. */
	bool (*thinks)(struct loom_str id);
	/* Writes the members that say it, of a generation whose `effort` is settled. */
	void (*put)(const struct loom_generation *generation, struct loom_json *json);
	/* Returns the least effort that a model of that name takes: "none", "minimal" …; NULL: it
	 * can always be told not to. */
	struct loom_str (*least)(struct loom_str id);
};

struct provider_dialect {
	enum loom_sse_kind framing;
	bool chat;                  /* takes messages rather than a text */
	const char *path;           /* appended to the base URL */
	const char *auth;           /* the header before the key, with its blank */
	const char *const *headers; /* NULL-terminated; NULL: none of its own */
	struct provider_dialect_caps caps;
	/* Removes parameters that this model refuses, and sets those that its server would
	 * otherwise choose; NULL: nothing to do. */
	void (*fit)(const struct loom_model *model, struct loom_sampling *sent);
	/* Writes the members of the request, except the sampling parameters with common names. */
	void (*body)(const struct provider_ask *ask, struct loom_json *json);
	/* Reads one event, or a whole document. It is JSON, unless it is `end_mark`. */
	void (*event)(struct provider_ask *ask, struct loom_str name, struct loom_str data);
	const char *end_mark; /* "[DONE]"; NULL: none */
	/* Returns how this model accepts the beginning of an answer, if that depends on the model;
	 * NULL: as in `caps`. */
	enum loom_prefill (*prefill)(const struct loom_model *model);
	bool trims;                       /* it trims a beginning that ends in a blank */
	const struct provider_mind *mind; /* NULL: its models do not think */
	/* Learns from a refusal that only this dialect understands; returns whether another try may
	 * help. NULL: nothing. */
	bool (*relearn)(struct loom_generation *generation, const struct loom_refused *refused);
	/* Whether it takes signed thoughts back; UNSAID: its requests have no place for them. */
	enum loom_can thoughts;
};

/* A vendor's small models, which write summaries. */
struct provider_small {
	const char *vendor; /* as people call it: "Anthropic" */
	const char *usual;  /* the id to ask for first */
	const char *born;   /* the member of an item of its list with the time it came */
	/* Returns whether an id of that list is a small model that writes text. */
	bool (*fits)(struct loom_str id);
};

/* How to ask a server of an API. */
struct provider_api {
	const struct provider_backend *backend;
	const struct provider_dialect *text; /* continues a text; NULL: it only chats */
	const struct provider_dialect *chat; /* NULL: it is not asked over HTTP */
	const char *models;    /* path of its list of models; NULL: it has no server */
	const char *models_in; /* the member with that list … */
	const char *model_id;  /* … and the member of an item with the model's name */
	bool any_name;         /* it answers with its only model, whatever the name */
	const struct provider_small *small; /* NULL: none is known */
};

/* provider_api_<ID> is in the file of its dialect; a row without one does not link. */
#define X(id, ...) extern const struct provider_api provider_api_##id;
LOOM_API_LIST(X)
#undef X
/* Returns the row of an API. Static. */
const struct provider_api *provider_api_of(enum loom_api api);

/* The sampling parameters of OpenAI-compatible servers and Ollama. */
/* How most servers take the key. */
#define PROVIDER_BEARER "Authorization: Bearer "

#define PROVIDER_SAMPLING_USUAL                                                                    \
	(LOOM_SAMPLING_TEMPERATURE | LOOM_SAMPLING_TOP_P | LOOM_SAMPLING_MIN_P |                   \
	 LOOM_SAMPLING_TOP_K | LOOM_SAMPLING_TOKENS | LOOM_SAMPLING_SEED |                         \
	 LOOM_SAMPLING_LOGPROBS | LOOM_SAMPLING_STOP)

/* Parameters that have other names with each server. */
#define PROVIDER_SAMPLING_OWN                                                                      \
	(LOOM_SAMPLING_TOP_N_SIGMA | LOOM_SAMPLING_DRY | LOOM_SAMPLING_XTC | LOOM_SAMPLING_BAN |   \
	 LOOM_SAMPLING_LOGIT_BIAS | LOOM_SAMPLING_GRAMMAR | LOOM_SAMPLING_EFFORT)
/* Those that llama.cpp has, by whatever door. */
#define PROVIDER_SAMPLING_LLAMACPP                                                                 \
	(LOOM_SAMPLING_TOP_N_SIGMA | LOOM_SAMPLING_DRY | LOOM_SAMPLING_XTC | LOOM_SAMPLING_BAN |   \
	 LOOM_SAMPLING_LOGIT_BIAS | LOOM_SAMPLING_GRAMMAR)
/* Writes those of the parameters under the names that llama.cpp has for them. */
void provider_put_llamacpp(const struct loom_sampling *sent, struct loom_json *json);

/* OpenAI's Responses API. */
extern const struct provider_dialect provider_openai_responses;
/* Returns whether one of OpenAI's models thinks unless it is told not to. */
bool provider_openai_thinks(struct loom_str id);
/* Returns the least effort that one of OpenAI's models takes. */
struct loom_str provider_openai_least(struct loom_str id);
/* OpenAI's chat with the parameters of llama.cpp. */
extern const struct provider_dialect provider_llamacpp_chat;

/* Returns the dialect for a model. Static. */
const struct provider_dialect *provider_dialect_of(const struct loom_model *model);
/* Returns how a model accepts the beginning of an answer, from its configuration or its dialect. */
enum loom_prefill provider_prefill_of(const struct provider_dialect *dialect,
				      const struct loom_model *model);
/* Returns whether a provider is OpenRouter, which passes requests on to others. */
bool provider_is_router(const struct loom_provider *provider);
/* Returns whether a model is given back the thoughts that it has signed. */
bool provider_takes_thoughts(const struct loom_model *model);
/* Returns the configured yes or no, or `otherwise` when none is configured. */
bool provider_can(enum loom_can said, bool otherwise);

/* ---- how much to think ---- */

/* Settles how much the model is to think and how many tokens it may use. Needs the facts. */
void provider_effort_plan(struct loom_generation *generation,
			  const struct provider_dialect *dialect);
/* Returns the word for the generation's effort, of which `least` replaces "none". */
struct loom_str provider_effort_word(const struct loom_generation *generation);
/* Returns whether the model is told to think. */
bool provider_is_to_think(const struct loom_generation *generation);

/* ---- prompts ---- */

/* Whether somebody said that an answer is to be begun: what is learned then counts for nothing. */
bool provider_prefill_said(const struct loom_generation *generation);
/* Chooses the strategy of a generation and settles the parameters to send. */
void provider_prompt_plan(struct loom_generation *generation,
			  const struct provider_dialect *dialect);
/* Appends the text for a model that continues text. */
void provider_prompt_text(const struct loom_generation *generation, struct loom_buf *out);
/* Returns the messages for a model that answers, in the generation's arena. A system prompt comes
 * first; with the prefill strategy the last message is the beginning of the answer. */
const struct loom_prompt_message *provider_prompt_messages(const struct loom_generation *generation,
							   size_t *count);
/* Writes the member "prompt" with that text. */
void provider_put_prompt(const struct loom_generation *generation, struct loom_json *json);
/* Writes the member "messages"; `prefix` marks the last of them as the beginning of the answer. */
void provider_put_messages(const struct loom_generation *generation, bool prefix,
			   struct loom_json *json);

/* Writes the arguments of a call as the object that they are, or as its only member. */
void provider_put_input(const struct loom_tool_call *call, struct loom_json *json);

/* ---- between a dialect and its ask ---- */

/* Returns the generation that the ask works for. */
struct loom_generation *provider_ask_generation(const struct provider_ask *ask);
/* Returns how many choices the ask requests. */
size_t provider_ask_count(const struct provider_ask *ask);
/* Returns the sampling parameters to send with the ask; `tokens` is all that may be used. */
struct loom_sampling provider_ask_sampling(const struct provider_ask *ask);
/* Returns an arena that lives until the event has been handled. */
struct loom_arena *provider_ask_scratch(const struct provider_ask *ask);

#define PROVIDER_CHOICES_ALL SIZE_MAX

/* Adds text to a choice. Choices are counted from 0 within the ask; others are ignored. `value` is
 * the JSON string in the event; anything else is ignored. */
void provider_ask_text(struct provider_ask *ask, size_t choice, struct loom_str value);
/* Adds to what a choice thinks; anything but a JSON string is ignored. */
void provider_ask_thinking(struct provider_ask *ask, size_t choice, struct loom_str value);
/* Returns what the choice has thought since the last thought was signed. Borrowed until more
 * comes. */
struct loom_str provider_ask_thought(const struct provider_ask *ask, size_t choice);
/* Adds a thought as the provider signed it: a JSON object. */
void provider_ask_signed(struct provider_ask *ask, size_t choice, struct loom_str thought);
/* Adds a token with its probabilities to a choice. */
void provider_ask_token(struct provider_ask *ask, size_t choice,
			const struct provider_token *token);
/* Notes a call of a tool, which nobody offered: a JSON string, and the arguments as an object or a
 * piece of their text. With an absent name, more of the arguments of the last one. */
void provider_ask_native(struct provider_ask *ask, size_t choice, struct loom_str name,
			 struct loom_str arguments);
/* Notes the calls of a list, [{"function":{"name","arguments"}}]. */
void provider_ask_natives(struct provider_ask *ask, size_t choice, struct loom_str list);
/* Notes why a choice finished. */
void provider_ask_finish(struct provider_ask *ask, size_t choice, enum loom_finish finish);
/* Notes the stop text that ended a choice, a JSON string. */
void provider_ask_stopped(struct provider_ask *ask, size_t choice, struct loom_str value);
/* Notes the token counts of a choice, or of PROVIDER_CHOICES_ALL. */
void provider_ask_usage(struct provider_ask *ask, size_t choice,
			const struct provider_usage *usage);
/* Returns the token counts reported so far for the first choice. */
struct provider_usage provider_ask_told(const struct provider_ask *ask);
/* Notes the server's name for the model, a JSON string. */
void provider_ask_served(struct provider_ask *ask, struct loom_str value);
/* Notes that the answer is complete, although the connection may still be open. */
void provider_ask_over(struct provider_ask *ask);
/* Notes an error that the server reported within its answer. */
void provider_ask_failed(struct provider_ask *ask, struct loom_str message);
/* Returns the message of an error document of any server, in the arena; p NULL when it is not an
 * error. */
struct loom_str provider_error_message(struct loom_str document, struct loom_arena *arena);
/* Returns the count in a member, or -1 when it has none. */
int64_t provider_count_of(struct loom_str object, const char *key);
/* Adds tokens with probabilities in the shape of the chat API: {content: [{token, bytes, logprob,
 * …}]} or the list itself. */
void provider_ask_tokens(struct provider_ask *ask, size_t choice, struct loom_str list);

#endif
