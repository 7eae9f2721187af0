/* The user's configuration of models: $XDG_CONFIG_HOME/loom/config.json, JSON with comments. It is
 * never read from a project's directory, and no key is ever written in it: keys are named by the
 * variable, the file or the program that has them.
 *
 *	{
 *	  "providers": {"local": {"api": "llamacpp", "base_url": "http://127.0.0.1:8080"}},
 *	  "models": {"base-8b": {"provider": "local", "context": 8192}},
 *	  "agents": {"X": {"model": "base-8b", "temperature": 1, "n": 3, "tokens": 50}},
 *	  "subject_model": "base-8b"
 *	}
 *
 * Sampling keys may stand in a provider, a model or an agent; the later of these wins. */
#ifndef LOOM_CONFIG_H
#define LOOM_CONFIG_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/config/sampling.h>
#include <loom/work/usage.h>

/* id, name in the configuration, base URL when none is given, variable of the key when none is */
#define LOOM_API_LIST(X)                                                                           \
	X(NGRAM, "ngram", "", "")                                                                  \
	X(OPENAI, "openai", "https://api.openai.com/v1", "OPENAI_API_KEY")                         \
	X(ANTHROPIC, "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY")                \
	X(LLAMACPP, "llamacpp", "http://127.0.0.1:8080", "")                                       \
	X(OLLAMA, "ollama", "http://127.0.0.1:11434", "")                                          \
	X(COMMAND, "command", "", "")

enum loom_api {
#define X(id, name, url, key) LOOM_API_##id,
	LOOM_API_LIST(X)
#undef X
};
/* The word that the configuration has for it; lives for ever. */
const char *loom_api_name(enum loom_api api);

enum loom_endpoint {
	LOOM_ENDPOINT_OWN, /* what the API has for it */
	LOOM_ENDPOINT_COMPLETIONS,
	LOOM_ENDPOINT_CHAT,
};

/* How a server takes the beginning of an answer that it is to go on with. */
enum loom_prefill {
	LOOM_PREFILL_UNSAID,
	LOOM_PREFILL_NO,
	LOOM_PREFILL_PLAIN,  /* a last message of the assistant */
	LOOM_PREFILL_PREFIX, /* the same with "prefix": true */
	LOOM_PREFILL_FINAL,  /* the same with "continue_final_message": true */
};

enum loom_can { LOOM_CAN_UNSAID, LOOM_CAN_NOT, LOOM_CAN };

/* What a model can; what is unsaid is decided by its API. */
struct loom_caps {
	int64_t n;        /* choices of one request; 0: unsaid */
	int64_t logprobs; /* most alternatives; -1: unsaid */
	int64_t stop;     /* most stop texts; -1: unsaid */
	enum loom_can temperature;
	enum loom_can seed;
	enum loom_can stream;
	enum loom_can completion_tokens; /* it takes max_completion_tokens for max_tokens */
	enum loom_can small;             /* cheap enough for summaries */
	enum loom_prefill prefill;
};

struct loom_header {
	struct loom_str name;
	struct loom_str value;
};

struct loom_provider {
	struct loom_str name;
	enum loom_api api;
	struct loom_str base_url; /* without a slash at its end */
	struct loom_str key_env;
	struct loom_str key_file;
	const char *const *key_cmd; /* NULL-ended; NULL: none */
	const char *const *command; /* of the API "command" */
	struct loom_str proxy;
	const struct loom_header *headers;
	size_t header_count;
	int64_t idle_ms;
	int64_t total_ms;
	int64_t max_parallel;
	struct loom_sampling sampling;
};

struct loom_model {
	struct loom_str alias;
	const struct loom_provider *provider;
	struct loom_str id; /* what the server calls it */
	enum loom_endpoint endpoint;
	int64_t context; /* tokens; 0: not known */
	int64_t max_out;
	bool priced;
	double price_in; /* per million tokens */
	double price_out;
	struct loom_caps caps;
	struct loom_str extra_body; /* an object whose members join the request; empty: none */
	struct loom_sampling sampling;
};

struct loom_agent_config {
	struct loom_str name;
	struct loom_str extends;
	struct loom_str model;
	struct loom_str system;
	bool has_system;
	struct loom_allowance allowance;
	struct loom_sampling sampling;
};

struct loom_config {
	struct loom_str path; /* where it was, or would be, read */
	bool there;
	const struct loom_provider *providers;
	size_t provider_count;
	const struct loom_model *models;
	size_t model_count;
	const struct loom_agent_config *agents;
	size_t agent_count;
	struct loom_str subject_model;
	struct loom_str collaborator_model;
	struct loom_str summary_model;
	struct loom_str classifier;
	int64_t result_tokens; /* longer results of calls are shortened; 0: it does not say */
	const struct loom_str *private_hosts; /* private addresses that a payload may fetch from */
	size_t private_host_count;
	const struct loom_str *warnings; /* each with its place */
	size_t warning_count;
	struct loom_provider llamacpp; /* that need no configuration: on this machine */
	struct loom_provider ollama;
};

/* A configuration of nothing; OLLAMA_HOST, LLAMA_ARG_HOST and LLAMA_ARG_PORT say where the servers
 * of this machine are. `env` NULL: at their usual ports. */
void loom_config_init(struct loom_config *config, const struct loom_env *env,
		      struct loom_arena *arena);

/* Reads a text into a configuration that was begun; `path` is for the messages. Everything lives in
 * the arena. An error names its line; what is not known warns. */
enum loom_status loom_config_read(struct loom_str text, struct loom_str path,
				  struct loom_arena *arena, struct loom_config *out,
				  struct loom_err *err) LOOM_MUST;
/* Reads the user's file; without one the configuration is empty. LOOM_REFUSED when others could
 * have written it, or when it names keys or headers and others can read it. */
enum loom_status loom_config_load(const struct loom_env *env, struct loom_arena *arena,
				  struct loom_config *out, struct loom_err *err) LOOM_MUST;

/* The model of an alias, or "PROVIDER/ID" with a configured provider, "llamacpp" or "ollama"; the
 * alias "ngram" is always there. LOOM_MODEL with a hint otherwise. Texts live in the arena. */
enum loom_status loom_config_model(const struct loom_config *config, struct loom_str alias,
				   struct loom_arena *arena, struct loom_model *out,
				   struct loom_err *err) LOOM_MUST;
/* An agent with what it extends laid under it; false when there is none of that name. */
bool loom_config_agent(const struct loom_config *config, struct loom_str name,
		       struct loom_agent_config *out);

#endif
