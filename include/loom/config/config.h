/* The user's model configuration: $XDG_CONFIG_HOME/loom/config.json, JSON with comments. It is
 * never read from a project directory and never contains a key: it names the variable, file or
 * program that has the key.
 *
 * {
 *   "providers": {"local": {"api": "llamacpp", "base_url": "http://127.0.0.1:8080"}},
 *   "models": {"base-8b": {"provider": "local", "context": 8192}},
 *   "agents": {"X": {"model": "base-8b", "temperature": 1, "n": 3, "tokens": 50}},
 *   "subject_model": "base-8b"
 * }
 *
 * A provider, a model and an agent may each set sampling keys; the later in this list wins. */
#ifndef LOOM_CONFIG_H
#define LOOM_CONFIG_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/config/plan.h>
#include <loom/config/sampling.h>
#include <loom/config/way.h>
#include <loom/work/usage.h>

/* id, name in the file, default base URL, default variable of the key */
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
/* Returns the name of an API as the configuration spells it: "llamacpp". Static. */
const char *loom_api_name(enum loom_api api);

enum loom_endpoint {
	LOOM_ENDPOINT_OWN, /* the API's default */
	LOOM_ENDPOINT_COMPLETIONS,
	LOOM_ENDPOINT_CHAT,
	LOOM_ENDPOINT_RESPONSES,
};

/* How a server accepts the beginning of an answer that it should continue. */
enum loom_prefill {
	LOOM_PREFILL_UNSAID,
	LOOM_PREFILL_NO,
	LOOM_PREFILL_PLAIN,  /* as a final assistant message */
	LOOM_PREFILL_PREFIX, /* as a final assistant message with "prefix": true */
	LOOM_PREFILL_FINAL,  /* as a final assistant message with "continue_final_message": true */
};

enum loom_can { LOOM_CAN_UNSAID, LOOM_CAN_NOT, LOOM_CAN };

/* A model's capabilities. The API decides whatever is left unset. */
struct loom_caps {
	int64_t n;        /* most choices per request; 0: unset */
	int64_t logprobs; /* most alternatives per token; -1: unset */
	int64_t stop;     /* most stop texts; -1: unset */
	enum loom_can temperature;
	enum loom_can seed;
	enum loom_can stream;
	enum loom_can completion_tokens; /* takes max_completion_tokens instead of max_tokens */
	enum loom_can small;             /* cheap enough for summaries */
	enum loom_can thoughts;          /* takes signed thoughts back */
	enum loom_prefill prefill;
};

struct loom_header {
	struct loom_str name;
	struct loom_str value;
};

struct loom_provider {
	struct loom_str name;
	enum loom_api api;
	struct loom_str base_url; /* without a trailing slash */
	struct loom_str key_env;
	struct loom_str key_file;
	const char *const *key_cmd; /* NULL-terminated; NULL: none */
	const char *const *command; /* the program of the API "command" */
	struct loom_str proxy;
	const struct loom_header *headers;
	size_t header_count;
	int64_t idle_ms;
	int64_t total_ms;
	int64_t max_parallel;
	int64_t wait_ms; /* how long a refused connection is tried again; 0: as any trouble */
	struct loom_sampling sampling;
};

struct loom_model {
	struct loom_str alias;
	const struct loom_provider *provider;
	struct loom_str id; /* the server's name for it */
	enum loom_endpoint endpoint;
	enum loom_way way; /* how it continues texts; UNSAID: as a trial or its API decides */
	int64_t context;   /* tokens; 0: unknown */
	int64_t max_out;
	bool priced;
	double price_in; /* per million tokens */
	double price_out;
	struct loom_caps caps;
	struct loom_str extra_body; /* an object merged into the request; empty: none */
	struct loom_sampling sampling;
};

struct loom_agent_config {
	struct loom_str name;
	struct loom_str extends;
	struct loom_str model;
	struct loom_str system;
	bool has_system;
	struct loom_plan plan;
	struct loom_allowance allowance;
	struct loom_sampling sampling;
};

/* A program of the user's, which is a command by its name as well. */
struct loom_program {
	struct loom_str name;
	const char *const *command; /* NULL-terminated */
	struct loom_str about;      /* one line for people */
	int64_t ms;
	const struct loom_str *agents; /* those that may run it; nobody else but a person */
	size_t agent_count;
};

/* id, key in the file */
#define LOOM_HOOK_LIST(X)                                                                          \
	X(NODE_MADE, "node_made")                                                                  \
	X(GENERATION_ENDED, "generation_ended")                                                    \
	X(TURN_ENDED, "turn_ended")

enum loom_hook {
#define X(id, name) LOOM_HOOK_##id,
	LOOM_HOOK_LIST(X)
#undef X
		LOOM_HOOKS,
};
/* Returns the event's name: "node_made". Static. */
const char *loom_hook_name(enum loom_hook hook);

struct loom_config {
	struct loom_str path; /* where the file is, or would be */
	bool there;
	const struct loom_provider *providers;
	size_t provider_count;
	const struct loom_model *models;
	size_t model_count;
	const struct loom_agent_config *agents;
	size_t agent_count;
	const struct loom_provider *logs; /* servers of logs: a name, and where its password is */
	size_t log_count;
	struct loom_str subject_model;
	struct loom_str collaborator_model;
	struct loom_str summary_model;
	struct loom_str classifier;
	struct loom_str me;                   /* the person to be */
	int64_t result_tokens;                /* shorten longer results of calls; 0: unset */
	const struct loom_str *private_hosts; /* private addresses that a payload may fetch from */
	size_t private_host_count;
	const struct loom_program *programs;
	size_t program_count;
	const char *const *hooks[LOOM_HOOKS]; /* a program and its arguments; NULL: none */
	int64_t hook_ms;                      /* how long one may run */
	const struct loom_str *warnings;      /* each with its line */
	size_t warning_count;
	struct loom_str served_dir; /* of the servers that loom starts (served.h) */
	/* usable without configuration: the servers of this machine, and the vendors that have a
	 * key in the environment */
	struct loom_provider llamacpp;
	struct loom_provider ollama;
	struct loom_provider anthropic;
	struct loom_provider openai;
};

/* Initialises an empty configuration. OLLAMA_HOST, LLAMA_ARG_HOST and LLAMA_ARG_PORT of `env`
 * locate the servers of this machine, ANTHROPIC_BASE_URL and OPENAI_BASE_URL those of the vendors;
 * with a NULL env they are where they usually are. Texts live in the arena. */
void loom_config_init(struct loom_config *config, const struct loom_env *env,
		      struct loom_arena *arena);

/* Reads a configuration's text into *out, which loom_config_init has initialised. `path` appears in
 * messages only. Everything lives in the arena. Unknown keys add warnings; a malformed text or a
 * wrong value fails with LOOM_INVALID and names its line. */
enum loom_status loom_config_read(struct loom_str text, struct loom_str path,
				  struct loom_arena *arena, struct loom_config *out,
				  struct loom_err *err) LOOM_MUST;
/* Reads the user's file into *out; without a file the configuration is empty. Everything lives in
 * the arena. Fails with LOOM_REFUSED when other users could have written the file, or can read it
 * although it says where keys are; LOOM_LIMIT when it is larger than 1 MiB; otherwise as
 * loom_config_read does. */
enum loom_status loom_config_load(const struct loom_env *env, struct loom_arena *arena,
				  struct loom_config *out, struct loom_err *err) LOOM_MUST;

/* Looks up a model by its alias or as "PROVIDER/ID", where PROVIDER is configured, "llamacpp",
 * "ollama", "anthropic" or "openai". The alias "ngram" always exists. Texts live in the arena or in
 * the configuration. Fails with LOOM_MODEL and a hint when there is no such model. */
enum loom_status loom_config_model(const struct loom_config *config, struct loom_str alias,
				   struct loom_arena *arena, struct loom_model *out,
				   struct loom_err *err) LOOM_MUST;
/* Returns the provider of that name: a configured one, else "llamacpp", "ollama", "anthropic" or
 * "openai", else NULL. */
const struct loom_provider *loom_config_provider(const struct loom_config *config,
						 struct loom_str name);
/* Returns the entry for a server of logs, the most particular of "ROLE@HOST:PORT", "ROLE@HOST",
 * "HOST:PORT" and "HOST"; NULL if there is none. */
const struct loom_provider *loom_config_log(const struct loom_config *config,
					    const struct loom_login *login);
/* Fills *out with an agent of the configuration, merged over the agents it extends; texts are
 * borrowed from the configuration. Returns false when there is no agent of that name. */
bool loom_config_agent(const struct loom_config *config, struct loom_str name,
		       struct loom_agent_config *out);

#endif
